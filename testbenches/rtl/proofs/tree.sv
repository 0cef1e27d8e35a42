// A tree of three switches with four heads at depth 2: go reaches the heads 4 cycles after the first
// cycle in which all of them are ready, and no other cycle. So the wires count what feedback.rs
// counts (R8.11).
//
// In cycle 1 the root branches to two switches, and in cycle 3 these branch to two heads each. Any
// heads are ready in any cycles from then on. A head that has gone is not ready.
module prove_tree (
  input logic       clk_i,
  input logic [3:0] ready_i
);
  logic up_q = 1'b0;
  logic [4:0] cycle_q = '0;
  always_ff @(posedge clk_i) begin
    up_q    <= 1'b1;
    cycle_q <= up_q ? cycle_q + 5'd1 : '0;
  end

  logic root_gets, both_get;
  assign root_gets = up_q && cycle_q == 5'd1;
  assign both_get  = up_q && cycle_q == 5'd3;

  // The heads, from which lanes lead to nodes.
  logic [3:0] go, gone_q, ready, heads_ready, heads_done;
  assign ready = ready_i & {4{up_q && cycle_q > 5'd3}} & ~gone_q & ~go;
  for (genvar h = 0; h < 4; h++) begin : head
    logic [flit::SinceBits-1:0] unused_since;
    logic [1:0] unused_depth, unused_go;
    logic       unused_slot;
    feedback #(.Inputs(1), .Lanes(2), .Slots(1), .DepthBits(2), .Onward(2'b00)) last (
      .clk_i, .rst_ni(up_q), .now_i('0), .asks_i(!gone_q[h]), .depth_i(2'd2), .slot_i(1'b0), .ready_i(ready[h]),
      .go_o(go[h]), .lanes_i({2{go[h]}}), .since_o(unused_since), .depth_o(unused_depth), .slot_o(unused_slot),
      .before_go_i(heads_go[h]), .before_ready_o(heads_ready[h]), .before_done_o(heads_done[h]),
      .next_go_o(unused_go), .next_ready_i(2'b00), .next_done_i(2'b00)
    );
  end

  logic [1:0] root_go, root_ready, root_done;
  logic [3:0] heads_go;
  logic [flit::SinceBits-1:0] unused_since;
  logic [1:0] unused_depth, unused_up, unused_back;
  logic       unused_slot, unused_go;
  feedback #(.Inputs(1), .Lanes(2), .Slots(1), .DepthBits(2), .Onward(2'b11)) root (
    .clk_i, .rst_ni(up_q), .now_i('0), .asks_i(1'b0), .depth_i(2'd0), .slot_i(1'b0), .ready_i(1'b0), .go_o(unused_go),
    .lanes_i({2{root_gets}}), .since_o(unused_since), .depth_o(unused_depth), .slot_o(unused_slot), .before_go_i(1'b0),
    .before_ready_o(unused_up[0]), .before_done_o(unused_up[1]), .next_go_o(root_go),
    .next_ready_i(root_ready), .next_done_i(root_done)
  );
  for (genvar b = 0; b < 2; b++) begin : branch
    logic [flit::SinceBits-1:0] unused_since;
    logic [1:0] unused_depth;
    logic       unused_slot;
    feedback #(.Inputs(1), .Lanes(2), .Slots(1), .DepthBits(2), .Onward(2'b11)) next (
      .clk_i, .rst_ni(up_q), .now_i('0), .asks_i(1'b0), .depth_i(2'd1), .slot_i(1'b0), .ready_i(1'b0),
      .go_o(unused_back[b]), .lanes_i({2{both_get}}), .since_o(unused_since), .depth_o(unused_depth), .slot_o(unused_slot),
      .before_go_i(root_go[b]), .before_ready_o(root_ready[b]), .before_done_o(root_done[b]),
      .next_go_o(heads_go[2*b +: 2]),
      .next_ready_i(heads_ready[2*b +: 2]),
      .next_done_i(heads_done[2*b +: 2])
    );
  end

  // The counter of feedback.rs: cycles until the heads go.
  logic       counts_q;
  logic [2:0] left_q;
  logic [3:0] went;
  assign went = {4{counts_q && left_q == '0}};
  always_ff @(posedge clk_i) begin
    gone_q <= up_q ? gone_q | go : '0;
    if (!up_q) begin
      counts_q <= 1'b0;
      left_q   <= '0;
    end else if (counts_q) begin
      counts_q <= left_q != '0;
      left_q   <= left_q - 3'd1;
    end else if (&ready) begin
      counts_q <= 1'b1;
      left_q   <= 3'd3;
    end
  end
  always_comb begin
    if (up_q) assert (go == went);
  end
endmodule
