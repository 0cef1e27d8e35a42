// Round-robin arbiter: the pointer moves to the next input after the winner
// (docs/reference/timing.md, R7.9).
//
// The winner is the first request at or after the pointer, cyclically. It is one bit of winner_o,
// or 0 without a request. next_o is the pointer after a grant to the winner.
module round_robin #(
  parameter int Inputs      = 5,
  parameter int PointerBits = (Inputs > 1) ? $clog2(Inputs) : 1
) (
  input  logic [Inputs-1:0]      requests_i,
  input  logic [PointerBits-1:0] pointer_i,
  output logic [Inputs-1:0]      winner_o,
  output logic [PointerBits-1:0] next_o
);
  logic [Inputs-1:0] behind, from;

  assign behind   = requests_i & ({Inputs{1'b1}} << pointer_i);
  assign from     = (behind != '0) ? behind : requests_i;
  assign winner_o = from & (~from + Inputs'(1));

  always_comb begin
    next_o = pointer_i;
    for (int i = 0; i < Inputs; i++) begin
      if (winner_o[i]) next_o = PointerBits'((i + 1 == Inputs) ? 0 : i + 1);
    end
  end
endmodule
