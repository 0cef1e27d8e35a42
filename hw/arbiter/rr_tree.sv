// Tree round-robin arbiter, as PULP's rr_arb_tree with fair arbitration: a tree of two-way choices
// (docs/reference/timing.md, R7.11 to R7.14).
//
// Where both halves ask, the pointer's bit of that level chooses. If only one half asks, it wins.
// After a grant the pointer moves to the next asking input after its old position, for every winner.
// The winner is one bit of winner_o, or 0 without a request.
module rr_tree #(
  parameter int Inputs      = 5,
  parameter int PointerBits = (Inputs > 1) ? $clog2(Inputs) : 1
) (
  input  logic [Inputs-1:0]      requests_i,
  input  logic [PointerBits-1:0] pointer_i,
  output logic [Inputs-1:0]      winner_o,
  output logic [PointerBits-1:0] next_o
);
  localparam int Leaves = 1 << PointerBits;

  // The requests that are left at each level, from the root on.
  logic [Leaves-1:0] left;
  logic [Leaves-1:0] lower, upper;
  always_comb begin
    left  = Leaves'(requests_i);
    lower = '0;
    upper = '0;
    for (int level = PointerBits - 1; level >= 0; level--) begin
      // The halves of the part that is left: bit `level` of the number of an input is 0 or 1.
      for (int i = 0; i < Leaves; i++) begin
        lower[i] = left[i] & (((i >> level) & 1) == 0);
        upper[i] = left[i] & (((i >> level) & 1) == 1);
      end
      left = (lower == '0 || (upper != '0 && pointer_i[level])) ? upper : lower;
    end
  end
  assign winner_o = left[Inputs-1:0];

  // The next request after the old position.
  logic [Inputs-1:0] behind, from, first;
  always_comb begin
    for (int i = 0; i < Inputs; i++) behind[i] = requests_i[i] & (i > 32'(pointer_i));
  end
  assign from  = (behind != '0) ? behind : requests_i;
  assign first = from & (~from + Inputs'(1));
  always_comb begin
    next_o = pointer_i;
    for (int i = 0; i < Inputs; i++) begin
      if (first[i]) next_o = PointerBits'(i);
    end
  end
endmodule
