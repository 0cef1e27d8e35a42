// Matrix arbiter: the request that was served least recently wins (docs/reference/timing.md,
// R7.15).
//
// A bit for each pair of inputs says which one goes first: row i of ahead_i has the inputs ahead of
// input i. At reset the lower inputs are ahead. A winner goes behind all others, as next_o has it.
// The winner is one bit of winner_o, or 0 without a request.
module matrix #(
  parameter int Inputs = 5
) (
  input  logic [Inputs-1:0]        requests_i,
  input  logic [Inputs*Inputs-1:0] ahead_i,
  output logic [Inputs-1:0]        winner_o,
  output logic [Inputs*Inputs-1:0] next_o
);
  for (genvar i = 0; i < Inputs; i++) begin : row
    logic [Inputs-1:0] ahead;
    assign ahead       = ahead_i[i*Inputs +: Inputs];
    assign winner_o[i] = requests_i[i] && (ahead & requests_i) == '0;
    assign next_o[i*Inputs +: Inputs] = winner_o[i] ? ~(Inputs'(1) << i) : ahead & ~winner_o;
  end
endmodule
