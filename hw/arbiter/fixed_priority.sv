// Fixed-priority arbiter: the lowest request wins (docs/reference/timing.md, R7.10).
//
// The winner is one bit of winner_o, or 0 without a request.
module fixed_priority #(
  parameter int Inputs = 5
) (
  input  logic [Inputs-1:0] requests_i,
  output logic [Inputs-1:0] winner_o
);
  assign winner_o = requests_i & (~requests_i + Inputs'(1));
endmodule
