// Lane group: one free lane, if there is one, and a lane with credit before one without.
module prove_lane_group #(
  parameter int Lanes       = 4,
  parameter int PointerBits = (Lanes > 1) ? $clog2(Lanes) : 1
) (
  input logic                   clk_i,
  input logic [Lanes-1:0]       free_i,
  input logic [Lanes-1:0]       with_credit_i,
  input logic [PointerBits-1:0] pointer_i
);
  logic [Lanes-1:0] lane;
  lane_group #(.Lanes(Lanes)) dut (.free_i, .with_credit_i, .pointer_i, .lane_o(lane));
  always_comb begin
    assert ((lane & (lane - Lanes'(1))) == '0);
    assert ((lane & ~free_i) == '0);
    assert ((lane != '0) == (free_i != '0));
    assert ((free_i & with_credit_i) == '0 || (lane & with_credit_i) != '0);
  end
endmodule
