// Reservation: only free lanes are granted, each to one input, and an input gets all its groups or
// none. Locks of two inputs share no lane. Nobody but its own head gets a locked lane.
//
// Group 0 has lane 0, group 1 has lanes 1 and 2, group 2 has lane 3. A head that has locked lanes
// asks for the same groups at the same depth until it gets them, and go finds locked lanes.
module prove_reservation (
  input logic        clk_i,
  input logic [8:0]  asked_i,
  input logic [5:0]  depth_i,
  input logic [2:0]  go_i,
  input logic [5:0]  worms_i,
  input logic [3*flit::SinceBits-1:0] since_i,
  input logic [flit::SinceBits-1:0]   now_i,
  input logic [3:0]  released_i,
  input logic [3:0]  with_credit_i
);
  localparam logic [11:0] GroupLanes = {4'b1000, 4'b0110, 4'b0001};
  logic up_q = 1'b0;
  always_ff @(posedge clk_i) up_q <= 1'b1;

  logic [3:0]  free_q, granted;
  logic [7:0]  winner;
  logic [8:0]  groups, asked_q;
  logic [11:0] lanes;
  logic [2:0]  ready, ready_q;
  logic [5:0]  depth_q;
  reservation #(.Inputs(3), .Lanes(4), .Groups(3), .GroupLanes(GroupLanes), .DepthBits(2), .WormBits(2)) dut (
    .clk_i, .rst_ni(up_q), .now_i, .asked_i, .since_i, .depth_i, .go_i, .worms_i, .free_i(free_q), .with_credit_i,
    .granted_o(granted), .input_o(winner), .groups_o(groups), .lanes_o(lanes), .ready_o(ready)
  );
  always_ff @(posedge clk_i) begin
    free_q  <= up_q ? (free_q & ~granted) | (released_i & ~free_q) : '1;
    asked_q <= asked_i;
    depth_q <= depth_i;
    ready_q <= up_q ? ready : '0;
  end

  // Registers of the block.
  logic [11:0] own_lanes;
  logic [8:0]  own_left;
  always_comb begin
    if (up_q) begin
      for (int i = 0; i < 3; i++) begin
        if (own_lanes[4*i +: 4] != '0) begin
          assume (asked_i[3*i +: 3] == asked_q[3*i +: 3] && depth_i[2*i +: 2] == depth_q[2*i +: 2]);
        end else begin
          assume (!go_i[i]);
        end
      end
    end
  end

  logic [3:0] some, twice, locked, locked_twice;
  always_comb begin
    some         = '0;
    twice        = '0;
    locked       = '0;
    locked_twice = '0;
    for (int i = 0; i < 3; i++) begin
      twice        |= some & lanes[4*i +: 4];
      some         |= lanes[4*i +: 4];
      locked_twice |= locked & own_lanes[4*i +: 4];
      locked       |= own_lanes[4*i +: 4];
    end
  end
  always_comb begin
    if (up_q) begin
      assert ((granted & ~free_q) == '0);
      assert (granted == some && twice == '0);
      assert ((locked & ~free_q) == '0 && locked_twice == '0);
      for (int i = 0; i < 3; i++) begin
        assert (groups[3*i +: 3] == '0 || groups[3*i +: 3] == asked_i[3*i +: 3]);
        for (int g = 0; g < 3; g++) begin
          assert (groups[3*i + g] == ((lanes[4*i +: 4] & GroupLanes[4*g +: 4]) != '0));
          // A head has locked one lane of each of its groups.
          assert (own_lanes[4*i +: 4] == '0 ||
                  asked_q[3*i + g] == ((own_lanes[4*i +: 4] & GroupLanes[4*g +: 4]) != '0));
        end
        assert (!(lanes[4*i + 1] && lanes[4*i + 2]) && !(own_lanes[4*i + 1] && own_lanes[4*i + 2]));
        for (int o = 0; o < 4; o++) assert (!lanes[4*i + o] || 32'(winner[2*o +: 2]) == i);
        // A locked lane goes to its head, which is told to go.
        assert (go_i[i] || (own_lanes[4*i +: 4] & granted) == '0);
        assert (!go_i[i] || lanes[4*i +: 4] == own_lanes[4*i +: 4]);
        assert (!ready[i] || (depth_i[2*i +: 2] != '0 && !go_i[i]));
        // A root gets lanes that have credit.
        assert (lanes[4*i +: 4] == '0 || depth_i[2*i +: 2] != '0 ||
                (asked_i[3*i +: 3] & (asked_i[3*i +: 3] - 3'd1)) == '0 || (lanes[4*i +: 4] & ~with_credit_i) == '0);
        // A lock lasts one round trip after the last cycle in which the head was ready.
        assert (!ready_q[i] || own_left[3*i +: 3] == {depth_q[2*i +: 2], 1'b0});
        assert (own_left[3*i +: 3] <= {depth_q[2*i +: 2], 1'b0});
        assert ((own_left[3*i +: 3] == '0) == (own_lanes[4*i +: 4] == '0));
      end
    end
  end
endmodule
