// Feedback of a switch: each tree has a slot of its own, which leads to switches. A slot goes once,
// and has forgotten in the next cycle that its heads were ready. The slot of a root tells the switch
// before nothing.
//
// The switch has two inputs, two lanes to switches, one lane to a node, and three slots. At most
// three trees are there.
module prove_feedback (
  input logic       clk_i,
  input logic [flit::SinceBits-1:0] now_i,
  input logic [1:0] asks_i,
  input logic [3:0] depth_i,
  input logic [3:0] slot_i,
  input logic [1:0] ready_i,
  input logic [5:0] lanes_i,
  input logic [5:0] before_go_i,
  input logic [8:0] next_ready_i,
  input logic [8:0] next_done_i
);
  localparam int Slots = 3;
  logic up_q = 1'b0;
  always_ff @(posedge clk_i) up_q <= 1'b1;

  logic [2*flit::SinceBits-1:0] since;
  logic [1:0] go;
  logic [3:0] depth, slot;
  logic [5:0] before_ready, before_done;
  logic [8:0] next_go;
  feedback #(.Inputs(2), .Lanes(3), .Slots(Slots), .DepthBits(2), .Onward(3'b011)) dut (
    .clk_i, .rst_ni(up_q), .now_i, .asks_i, .depth_i, .slot_i, .ready_i, .go_o(go), .lanes_i,
    .since_o(since), .depth_o(depth), .slot_o(slot), .before_go_i, .before_ready_o(before_ready), .before_done_o(before_done),
    .next_go_o(next_go), .next_ready_i, .next_done_i
  );

  // Registers of the block.
  logic [2:0] own_used, own_root, own_ready;
  logic [8:0] own_lanes;
  logic [5:0] own_from, own_slot;

  // Heads that need a slot, and slots that are free.
  logic [1:0] needs;
  logic [1:0] left, needed;
  always_comb begin
    for (int i = 0; i < 2; i++) begin
      needs[i] = (lanes_i[3*i +: 2] != '0) &&
                 (depth_i[2*i +: 2] != '0 || (lanes_i[3*i +: 3] & (lanes_i[3*i +: 3] - 3'd1)) != '0);
    end
    left   = 2'(!own_used[0]) + 2'(!own_used[1]) + 2'(!own_used[2]);
    needed = 2'(needs[0]) + 2'(needs[1]);
  end
  // Two inputs never get a lane together, and a tree has a slot.
  always_comb begin
    if (up_q) begin
      assume ((lanes_i[2:0] & lanes_i[5:3]) == '0);
      assume (needed <= left);
      for (int i = 0; i < 2; i++) begin
        assume (slot_i[2*i +: 2] != 2'd3 && depth_i[2*i +: 2] != 2'd3);
        assume (!ready_i[i] || (asks_i[i] && depth_i[2*i +: 2] != '0));
      end
    end
  end

  logic [2:0] went_q, done_q, goes;
  always_comb begin
    for (int s = 0; s < 3; s++) goes[s] = next_go[s] | next_go[3 + s] | next_go[6 + s];
  end
  always_ff @(posedge clk_i) begin
    went_q <= up_q ? goes : '0;
    for (int s = 0; s < 3; s++) done_q[s] <= up_q && own_used[s] && own_lanes[3*s +: 3] == '0;
  end
  always_comb begin
    if (up_q) begin
      for (int s = 0; s < 3; s++) begin
        assert (!own_lanes[3*s + 2]);
        assert (own_used[s] || own_lanes[3*s +: 3] == '0);
        assert (own_used[s] || !own_ready[s]);
        assert (!went_q[s] || !own_ready[s]);
        // A slot that goes does not tell that it is ready.
        assert (ready_i != '0 || (own_used & ~own_root & ~goes) != '0 || before_ready == '0);
        // A slot that is done is free in the next cycle.
        assert (!done_q[s] || !own_used[s]);
        assert (!own_root[s] || goes[s] == (own_ready[s] && own_lanes[3*s +: 3] != '0));
        assert (!own_used[s] || own_from[2*s +: 2] == 2'b01 || own_from[2*s +: 2] == 2'b10);
        // Go reaches only the lanes that lead to switches of the tree.
        for (int o = 0; o < 3; o++) assert (!next_go[3*o + s] || own_lanes[3*s + o]);
      end
      for (int i = 0; i < 2; i++) begin
        // A head that branches leaves a depth further, and its slot was free.
        if (needs[i]) begin
          assert (depth[2*i +: 2] == depth_i[2*i +: 2] + 2'd1);
          assert (slot[2*i +: 2] < 2'd3 && !own_used[slot[2*i +: 2]]);
        end
        assert (!needs[0] || !needs[1] || slot[1:0] != slot[3:2]);
        assert (lanes_i[3*i +: 3] == '0 || since[flit::SinceBits*i +: flit::SinceBits] == now_i);
        assert (!go[i] || depth_i[2*i +: 2] != '0);
        // A head of a tree whose lanes lead to nodes is done.
        assert (lanes_i[3*i +: 3] != 3'b100 || depth_i[2*i +: 2] == '0 || before_done[3*i + slot_i[2*i +: 2]]);
        // What no slot and no head tells, the switch before does not hear.
        for (int w = 0; w < 3; w++) begin
          if (!ready_i[i] && (own_used & ~own_root) == '0) assert (!before_ready[3*i + w]);
          if (lanes_i[3*i +: 3] == '0 && (own_used & ~own_root) == '0) assert (!before_done[3*i + w]);
        end
      end
    end
  end
endmodule
