// Allocator: the arbiters of the free lanes serve the requests of the decided worms.
//
//        asked -->+----------+
//         ages -->| arbiters |--> grants (input, group, lane)
//         free -->|          |
//  with credit -->+----------+
//
// Every free lane picks one of the inputs that ask for its group. A worm keeps the lanes that it
// has and waits for the rest. A group of several lanes is a chain of steps, one for each lane. A
// step takes the next free lane, and the arbiter of this lane picks an input. This input drops out
// of the next steps (docs/reference/timing.md, R7.7, R7.8). atomic.sv is the other acquisition.
//
// Order has the input lane that arbiters count at each place. GroupLanes has the lanes of each
// group. ages_i has the numbers of the worms, for arbiters that compare them.
module allocator #(
  parameter int                      Inputs     = 5,
  parameter int                      Lanes      = 5,
  parameter int                      Groups     = 5,
  parameter logic [Groups*Lanes-1:0] GroupLanes = '0,
  parameter logic [Inputs*8-1:0]     Order      = '0,
  parameter int                      Kind       = words::RoundRobin,
  parameter int                      LaneChoice = words::LowestLane,
  parameter int                      AgeBits    = 1,
  parameter int                      InputBits  = (Inputs > 1) ? $clog2(Inputs) : 1
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,
  input  logic [Inputs*Groups-1:0]   asked_i,
  input  logic [Inputs*AgeBits-1:0]  ages_i,
  input  logic [Lanes-1:0]           free_i,
  input  logic [Lanes-1:0]           with_credit_i,
  // Lanes that are granted, and for each the input.
  output logic [Lanes-1:0]           granted_o,
  output logic [Lanes*InputBits-1:0] input_o,
  // For each input, the groups and lanes that it gets.
  output logic [Inputs*Groups-1:0]   groups_o,
  output logic [Inputs*Lanes-1:0]    lanes_o
);
  // A group's pointer is at most the number of lanes, and has at most 6 bits.
  localparam int TurnBits = (Lanes < 64) ? $clog2(Lanes + 1) : 6;

  // Number of lanes of a group.
  function automatic int size(input int number);
    size = 0;
    for (int o = 0; o < Lanes; o++) size += 32'(GroupLanes[number*Lanes + o]);
  endfunction

  // The ages, as arbiters count inputs.
  logic [Inputs*AgeBits-1:0] ages;
  for (genvar p = 0; p < Inputs; p++) begin : age
    assign ages[p*AgeBits +: AgeBits] = ages_i[32'(Order[p*8 +: 8])*AgeBits +: AgeBits];
  end

  // Registers of the arbiter of each lane: the pointer, and the rows of a matrix.
  localparam int AheadBits = (Kind == words::Matrix) ? Inputs * Inputs : 1;
  logic [Lanes*InputBits-1:0] pointer_q;
  logic [Lanes*AheadBits-1:0] ahead_q;

  for (genvar g = 0; g < Groups; g++) begin : group
    localparam int               Steps = size(g);
    localparam logic [Lanes-1:0] Own   = GroupLanes[g*Lanes +: Lanes];

    // The inputs that ask, as arbiters count them.
    logic [Inputs-1:0] asked;
    for (genvar p = 0; p < Inputs; p++) begin : place
      assign asked[p] = asked_i[32'(Order[p*8 +: 8])*Groups + g];
    end

    // The lane at which the group begins its search for the next lane: pointer in lane_group.rs.
    logic [TurnBits-1:0] turn_q, turn_d;

    for (genvar k = 0; k < Steps; k++) begin : step
      logic [Inputs-1:0]    requests, picked, winner;
      logic [Lanes-1:0]     free, next, lane;
      logic [InputBits-1:0] from, pointer;
      logic [AheadBits-1:0] ahead, behind;
      logic [TurnBits-1:0]  first, after;

      if (k == 0) begin : begins
        assign requests = asked;
        assign free     = free_i & Own;
        assign first    = turn_q;
      end else begin : goes_on
        assign requests = step[k-1].requests & ~step[k-1].winner;
        assign free     = step[k-1].free & ~step[k-1].lane;
        assign first    = step[k-1].after;
      end

      lane_group #(.Lanes(Lanes), .PointerBits(TurnBits)) lane_group (
        .free_i       (free),
        .with_credit_i,
        .pointer_i    (first),
        .lane_o       (next)
      );
      assign lane = (requests != '0) ? next : '0;
      // A lane of another group is never granted here.
      logic unused_lanes;
      assign unused_lanes = ^lane;

      // The arbiter of this lane picks an input.
      always_comb begin
        from  = '0;
        ahead = '0;
        for (int o = 0; o < Lanes; o++) begin
          if (next[o]) begin
            from  |= pointer_q[o*InputBits +: InputBits];
            ahead |= ahead_q[o*AheadBits +: AheadBits];
          end
        end
      end
      arbiter #(.Kind(Kind), .Inputs(Inputs), .AgeBits(AgeBits)) arbiter (
        .requests_i(requests),
        .ages_i    (ages),
        .pointer_i (from),
        .ahead_i   (ahead),
        .winner_o  (picked),
        .next_o    (pointer),
        .behind_o  (behind)
      );
      assign winner = (free != '0) ? picked : '0;

      if (LaneChoice == words::NextLane) begin : turns
        always_comb begin
          after = first;
          for (int o = 0; o < Lanes; o++) begin
            if (lane[o]) after = TurnBits'((o + 1) % 64);
          end
        end
      end else begin : lowest
        assign after = '0;
      end
    end

    // The winner of each lane of the group.
    for (genvar o = 0; o < Lanes; o++) begin : lane
      if (Own[o]) begin : own
        logic [Inputs-1:0] gets;
        for (genvar k = 0; k < Steps; k++) begin : from
          logic [Inputs-1:0]    winner;
          logic [InputBits-1:0] pointer;
          logic [AheadBits-1:0] ahead;
          if (k == 0) begin : begins
            assign winner  = step[k].lane[o] ? step[k].winner : '0;
            assign pointer = step[k].lane[o] ? step[k].pointer : pointer_q[o*InputBits +: InputBits];
            assign ahead   = step[k].lane[o] ? step[k].behind : ahead_q[o*AheadBits +: AheadBits];
          end else begin : goes_on
            assign winner  = step[k].lane[o] ? step[k].winner : from[k-1].winner;
            assign pointer = step[k].lane[o] ? step[k].pointer : from[k-1].pointer;
            assign ahead   = step[k].lane[o] ? step[k].behind : from[k-1].ahead;
          end
        end
        assign gets         = from[Steps-1].winner;
        assign granted_o[o] = gets != '0;

        always_comb begin
          input_o[o*InputBits +: InputBits] = '0;
          for (int p = 0; p < Inputs; p++) begin
            if (gets[p]) input_o[o*InputBits +: InputBits] = Order[p*8 +: InputBits];
          end
        end
        for (genvar p = 0; p < Inputs; p++) begin : place
          assign lanes_o[32'(Order[p*8 +: 8])*Lanes + o] = gets[p];
        end

        always_ff @(posedge clk_i or negedge rst_ni) begin
          if (!rst_ni) pointer_q[o*InputBits +: InputBits] <= '0;
          else         pointer_q[o*InputBits +: InputBits] <= from[Steps-1].pointer;
        end
        if (Kind == words::Matrix) begin : rows
          for (genvar i = 0; i < Inputs; i++) begin : row
            // At reset the lower inputs are ahead.
            always_ff @(posedge clk_i or negedge rst_ni) begin
              if (!rst_ni) ahead_q[o*AheadBits + i*Inputs +: Inputs] <= ~({Inputs{1'b1}} << i);
              else         ahead_q[o*AheadBits + i*Inputs +: Inputs] <=
                               from[Steps-1].ahead[i*Inputs +: Inputs];
            end
          end
        end else begin : no_rows
          logic unused_ahead;
          assign unused_ahead = from[Steps-1].ahead;
          assign ahead_q[o*AheadBits +: AheadBits] = '0;
        end
      end
    end

    if (Steps == 0) begin : none
      logic unused_asked;
      assign unused_asked = ^{asked, turn_q};
      assign turn_d       = '0;
    end else begin : some
      assign turn_d = step[Steps-1].after;
    end
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) turn_q <= '0;
      else         turn_q <= turn_d;
    end
  end

  for (genvar i = 0; i < Inputs; i++) begin : served
    for (genvar g = 0; g < Groups; g++) begin : branch
      assign groups_o[i*Groups + g] = |(lanes_o[i*Lanes +: Lanes] & GroupLanes[g*Lanes +: Lanes]);
    end
  end
endmodule
