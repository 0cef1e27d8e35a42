// Oldest-first arbiter: the worm that was created first wins, by a time stamp in its header. The
// arbiter has no registers (docs/reference/timing.md, R7.16).
//
// The winner is one bit of winner_o, or 0 without a request. Of equal ages the lowest input wins.
module oldest_first #(
  parameter int Inputs  = 5,
  parameter int AgeBits = 32
) (
  input  logic [Inputs-1:0]         requests_i,
  input  logic [Inputs*AgeBits-1:0] ages_i,
  output logic [Inputs-1:0]         winner_o
);
  logic [AgeBits-1:0] oldest;
  always_comb begin
    winner_o = '0;
    oldest   = '0;
    for (int i = 0; i < Inputs; i++) begin
      if (requests_i[i] && (winner_o == '0 || ages_i[i*AgeBits +: AgeBits] < oldest)) begin
        winner_o = Inputs'(1) << i;
        oldest   = ages_i[i*AgeBits +: AgeBits];
      end
    end
  end
endmodule
