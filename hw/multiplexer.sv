// Channel multiplexer: the virtual channels of one physical link share it flit by flit. It serves
// the lanes that have a flit and a credit in round-robin order.
//
//               +---------+
// candidates -->| pointer |--> winner
//               +---------+
//
// Lanes are numbered within the link. A node has a multiplexer for each of its injection links. The
// winner is one bit of winner_o, or 0 without a candidate (docs/reference/timing.md, R9.11, R11.8,
// R11.10).
module multiplexer #(
  parameter int Lanes = 2
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic [Lanes-1:0] candidates_i,
  output logic [Lanes-1:0] winner_o
);
  localparam int PointerBits = (Lanes > 1) ? $clog2(Lanes) : 1;

  logic [PointerBits-1:0] pointer_q, pointer_d;

  round_robin #(.Inputs(Lanes)) arbiter (
    .requests_i(candidates_i),
    .pointer_i (pointer_q),
    .winner_o,
    .next_o    (pointer_d)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni)                 pointer_q <= '0;
    else if (candidates_i != '0) pointer_q <= pointer_d;
  end

`ifdef WORMSCOPE_ASSERTIONS
  always @(posedge clk_i) begin
    if (rst_ni) begin
      assert ((winner_o & (winner_o - Lanes'(1))) == '0)
          else $fatal(1, "%m: rule broken: one winner");
      assert ((winner_o & ~candidates_i) == '0)
          else $fatal(1, "%m: rule broken: winner is a candidate");
    end
  end
`endif
endmodule
