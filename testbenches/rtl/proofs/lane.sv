// Output lane: it is free between two worms only, its first flit is the head, and its read pointer
// counts the flits that the branch is ahead of the FIFO of its owner.
//
// Assumed: the allocator grants a free lane, only an owner sends, a branch sends only flits that are
// in the FIFO, and the front flit is popped only when the branch has it.
module prove_lane #(
  parameter int Inputs = 3,
  parameter int Depth  = 3
) (
  input logic              clk_i,
  input logic              granted_i,
  input logic [1:0]        input_i,
  input logic              sent_i,
  input logic              tail_i,
  input logic [Inputs-1:0] popped_i
);
  localparam int InputBits = (Inputs > 1) ? $clog2(Inputs) : 1;
  localparam int AheadBits = $clog2(Depth + 1);
  logic up_q = 1'b0;
  always_ff @(posedge clk_i) up_q <= 1'b1;

  logic                 free, pending;
  logic [AheadBits-1:0] ahead;
  lane #(.Inputs(Inputs), .Depth(Depth)) dut (
    .clk_i, .rst_ni(up_q), .granted_i, .input_i(input_i[InputBits-1:0]), .sent_i, .tail_i, .popped_i,
    .free_o(free), .pending_o(pending), .ahead_o(ahead)
  );

  // The worm as the harness sees it: its input, and whether its head has left. The flits that it has
  // sent and that its input has popped are numbers modulo 16.
  logic                 holds_q = 1'b0, begun_q = 1'b0, holds, begun;
  logic [InputBits-1:0] from_q = '0, from;
  logic [3:0]           sent_q = '0, popped_q = '0, sent, popped;
  logic                 pops;
  assign holds  = holds_q | granted_i;
  assign from   = granted_i ? input_i[InputBits-1:0] : from_q;
  assign begun  = begun_q & !granted_i;
  assign sent   = granted_i ? '0 : sent_q;
  assign popped = granted_i ? '0 : popped_q;
  assign pops   = holds & popped_i[from];
  always_ff @(posedge clk_i) begin
    if (!up_q) begin
      holds_q  <= 1'b0;
      begun_q  <= 1'b0;
      sent_q   <= '0;
      popped_q <= '0;
    end else begin
      holds_q  <= holds & !(sent_i & tail_i);
      from_q   <= from;
      begun_q  <= begun | sent_i;
      sent_q   <= sent + 4'(sent_i);
      popped_q <= popped + 4'(pops);
    end
  end

  // Registers of the lane, joined by prove.py.
  logic                 own_owned, own_pending;
  logic [InputBits-1:0] own_owner;
  logic [AheadBits-1:0] own_ahead;
  always_comb begin
    if (up_q) begin
      assume (32'(input_i) < Inputs);
      assume (!granted_i || free);
      assume (!sent_i || (holds && 32'(ahead) < Depth));
      assume (!pops || sent + 4'(sent_i) != popped);
      assert (free == !holds_q);
      assert (!holds || pending == !begun);
      assert (!holds || 4'(ahead) == sent - popped);
      assert (own_owned == holds_q);
      if (holds_q) begin
        assert (own_owner == from_q && 32'(from_q) < Inputs);
        assert (own_pending == !begun_q);
        assert (4'(own_ahead) == sent_q - popped_q && 32'(own_ahead) <= Depth);
      end
    end
  end
endmodule
