// Output lane: the input that drives it, and the progress of that branch.
//
//              +---------+
//   granted -->| owner   |--> free
//      sent -->| pending |--> head
//      tail -->| ahead   |--> read pointer
//    popped -->|         |
//              +---------+
//
// The two steps are in dataflow order. The flits of a cycle see a grant of the same cycle: pending_o
// and ahead_o are the registers after the grant. A lane that the tail crosses in cycle t is free in
// t + 1 (docs/reference/timing.md, R7.2).
module lane #(
  parameter int Inputs    = 5,
  parameter int Depth     = 4,
  parameter int InputBits = (Inputs > 1) ? $clog2(Inputs) : 1,
  parameter int AheadBits = $clog2(Depth + 1)
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 granted_i,
  input  logic [InputBits-1:0] input_i,
  input  logic                 sent_i,
  input  logic                 tail_i,
  input  logic [Inputs-1:0]    popped_i,
  output logic                 free_o,
  output logic                 pending_o,
  output logic [AheadBits-1:0] ahead_o
);
  logic                 owned_q, owned;
  logic [InputBits-1:0] owner_q, owner;
  logic                 pending_q;
  logic [AheadBits-1:0] ahead_q, taken;

  assign free_o = !owned_q;

  // The registers after the arbiters, where the lane may be granted to an input.
  assign owned     = owned_q | granted_i;
  assign owner     = granted_i ? input_i : owner_q;
  assign pending_o = granted_i | pending_q;
  assign ahead_o   = granted_i ? '0 : ahead_q;

  // The front flit leaves the FIFO of the owner. It may be the flit that crosses.
  logic popped;
  assign popped = owned & popped_i[owner];
  assign taken  = ahead_o + AheadBits'(sent_i);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      owned_q   <= 1'b0;
      owner_q   <= '0;
      pending_q <= 1'b0;
      ahead_q   <= '0;
    end else begin
      owned_q   <= owned & !(sent_i & tail_i);
      owner_q   <= owner;
      pending_q <= pending_o & !sent_i;
      ahead_q   <= (popped && taken != '0) ? taken - AheadBits'(1) : taken;
    end
  end

`ifdef WORMSCOPE_ASSERTIONS
  always @(posedge clk_i) begin
    if (rst_ni) begin
      assert (!granted_i || !owned_q)
          else $fatal(1, "%m: rule broken: only a free lane is granted");
      assert (!sent_i || owned)
          else $fatal(1, "%m: rule broken: only an owner sends");
    end
  end
`endif
endmodule
