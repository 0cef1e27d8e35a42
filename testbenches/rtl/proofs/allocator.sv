// Allocator: only free lanes are granted, each to one input that asks for its group. An input gets
// one lane a group. With atomic acquisition it gets all groups that it asks for, or none.
//
// Group 0 has lane 0, group 1 has lanes 1 and 2, group 2 has lane 3.
module prove_allocator #(
  parameter int Acquisition = words::Incremental,
  parameter int Kind        = words::RoundRobin,
  parameter int LaneChoice  = words::LowestLane
) (
  input logic        clk_i,
  input logic [8:0]  asked_i,
  input logic [2*3-1:0] ages_i,
  input logic [3:0]  free_i,
  input logic [3:0]  with_credit_i
);
  localparam int AgeBits = (Kind == words::OldestFirst) ? 2 : 1;
  localparam logic [11:0] GroupLanes = {4'b1000, 4'b0110, 4'b0001};
  localparam logic [23:0] Order      = {8'd1, 8'd0, 8'd2};
  logic up_q = 1'b0;
  always_ff @(posedge clk_i) up_q <= 1'b1;

  logic [3:0]  granted;
  logic [7:0]  winner;
  logic [8:0]  groups;
  logic [11:0] lanes;
  if (Acquisition == words::Atomic) begin : all
    atomic #(.Inputs(3), .Lanes(4), .Groups(3), .GroupLanes(GroupLanes), .Order(Order), .Kind(Kind),
             .LaneChoice(LaneChoice), .AgeBits(AgeBits)) dut (
      .clk_i, .rst_ni(up_q), .asked_i, .ages_i(ages_i[3*AgeBits-1:0]), .free_i, .with_credit_i,
      .granted_o(granted), .input_o(winner), .groups_o(groups), .lanes_o(lanes)
    );
  end else begin : one
    allocator #(.Inputs(3), .Lanes(4), .Groups(3), .GroupLanes(GroupLanes), .Order(Order), .Kind(Kind),
                .LaneChoice(LaneChoice), .AgeBits(AgeBits)) dut (
      .clk_i, .rst_ni(up_q), .asked_i, .ages_i(ages_i[3*AgeBits-1:0]), .free_i, .with_credit_i,
      .granted_o(granted), .input_o(winner), .groups_o(groups), .lanes_o(lanes)
    );
  end

  logic [3:0] some, twice;
  logic [2:0] wanted;
  always_comb begin
    some   = '0;
    twice  = '0;
    wanted = asked_i[2:0] | asked_i[5:3] | asked_i[8:6];
    for (int i = 0; i < 3; i++) begin
      twice |= some & lanes[4*i +: 4];
      some  |= lanes[4*i +: 4];
    end
  end
  always_comb begin
    if (up_q) begin
      assert ((granted & ~free_i) == '0);
      assert (granted == some && twice == '0);
      assert ((groups & ~asked_i) == '0);
      for (int i = 0; i < 3; i++) begin
        assert (!(lanes[4*i + 1] && lanes[4*i + 2]));
        for (int g = 0; g < 3; g++) begin
          assert (groups[3*i + g] == ((lanes[4*i +: 4] & GroupLanes[4*g +: 4]) != '0));
        end
        for (int o = 0; o < 4; o++) assert (!lanes[4*i + o] || 32'(winner[2*o +: 2]) == i);
        if (Acquisition == words::Atomic) begin
          assert (groups[3*i +: 3] == '0 || groups[3*i +: 3] == asked_i[3*i +: 3]);
        end
      end
      // No lane stays free while an input asks for its group.
      if (Acquisition == words::Incremental) begin
        for (int g = 0; g < 3; g++) begin
          assert (!wanted[g] || (free_i & GroupLanes[4*g +: 4]) == '0 || (granted & GroupLanes[4*g +: 4]) != '0);
        end
      end
    end
  end
endmodule
