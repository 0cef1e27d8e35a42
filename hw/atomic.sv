// Atomic allocator: a worm with several branches gets all its lanes at a switch, or none. In Rust it
// is the function atomic of allocator.rs.
//
//        asked -->+---------+
//         ages -->| arbiter |--> grants (input, lanes)
//         free -->|         |
//  with credit -->+---------+
//
// The block visits the inputs that ask, in the order of one arbiter for the whole switch: a chain of
// steps, one for each input. An input gets one lane for every branch, or no lane. The registers of
// the arbiter change as if the first input that gets its lanes had won (docs/reference/timing.md,
// R7.20 to R7.22). The pins are those of allocator.sv.
module atomic #(
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
  output logic [Lanes-1:0]           granted_o,
  output logic [Lanes*InputBits-1:0] input_o,
  output logic [Inputs*Groups-1:0]   groups_o,
  output logic [Inputs*Lanes-1:0]    lanes_o
);
  // A group's pointer is at most the number of lanes, and has at most 6 bits.
  localparam int TurnBits  = (Lanes < 64) ? $clog2(Lanes + 1) : 6;
  localparam int AheadBits = (Kind == words::Matrix) ? Inputs * Inputs : 1;

  // The arbiter of the switch, and the lane at which each group begins its search.
  logic [InputBits-1:0]       pointer_q, pointer_d;
  logic [AheadBits-1:0]       ahead_q, ahead_d;
  logic [Groups*TurnBits-1:0] turn_q, turn_d;

  // Requests and ages, as arbiters count inputs.
  logic [Inputs*Groups-1:0]  asked;
  logic [Inputs*AgeBits-1:0] ages;
  logic [Inputs-1:0]         asking;
  for (genvar p = 0; p < Inputs; p++) begin : place
    assign asked[p*Groups +: Groups]  = asked_i[32'(Order[p*8 +: 8])*Groups +: Groups];
    assign ages[p*AgeBits +: AgeBits] = ages_i[32'(Order[p*8 +: 8])*AgeBits +: AgeBits];
    assign asking[p]                  = asked[p*Groups +: Groups] != '0;
  end

  for (genvar k = 0; k < Inputs; k++) begin : step
    // Inputs that are left, and the one that is visited.
    logic [Inputs-1:0]          left, visited;
    logic [Groups-1:0]          groups, missing;
    logic [Lanes-1:0]           free, lanes;
    logic [Groups*TurnBits-1:0] first, after;
    logic                       wins;
    // The first winner so far, and for each place its lanes so far.
    logic [Inputs-1:0]          first_winner;
    logic [Inputs*Lanes-1:0]    given;

    logic [InputBits-1:0] unused_next;
    logic [AheadBits-1:0] unused_behind;
    arbiter #(.Kind(Kind), .Inputs(Inputs), .AgeBits(AgeBits)) arbiter (
      .requests_i(left),
      .ages_i    (ages),
      .pointer_i (pointer_q),
      .ahead_i   (ahead_q),
      .winner_o  (visited),
      .next_o    (unused_next),
      .behind_o  (unused_behind)
    );

    always_comb begin
      groups = '0;
      for (int p = 0; p < Inputs; p++) begin
        if (visited[p]) groups |= asked[p*Groups +: Groups];
      end
    end

    for (genvar g = 0; g < Groups; g++) begin : group
      logic [Lanes-1:0] next;
      lane_group #(.Lanes(Lanes), .PointerBits(TurnBits)) lane_group (
        .free_i       (free & GroupLanes[g*Lanes +: Lanes]),
        .with_credit_i,
        .pointer_i    (first[g*TurnBits +: TurnBits]),
        .lane_o       (next)
      );
      assign missing[g] = groups[g] && next == '0;
      if (LaneChoice == words::NextLane) begin : turns
        always_comb begin
          after[g*TurnBits +: TurnBits] = first[g*TurnBits +: TurnBits];
          for (int o = 0; o < Lanes; o++) begin
            if (wins && groups[g] && next[o]) after[g*TurnBits +: TurnBits] = TurnBits'((o + 1) % 64);
          end
        end
      end else begin : lowest
        assign after[g*TurnBits +: TurnBits] = '0;
      end
    end

    assign wins = groups != '0 && missing == '0;

    // The lanes of the groups that the input asks for.
    for (genvar o = 0; o < Lanes; o++) begin : lane
      logic [Groups-1:0] takes;
      for (genvar g = 0; g < Groups; g++) begin : branch
        assign takes[g] = groups[g] & step[k].group[g].next[o];
      end
      assign lanes[o] = wins && takes != '0;
    end

    for (genvar p = 0; p < Inputs; p++) begin : gets
      if (k == 0) begin : begins
        assign given[p*Lanes +: Lanes] = visited[p] ? lanes : '0;
      end else begin : goes_on
        assign given[p*Lanes +: Lanes] = visited[p] ? lanes : step[k-1].given[p*Lanes +: Lanes];
      end
    end
    if (k == 0) begin : begins
      assign left         = asking;
      assign free         = free_i;
      assign first        = turn_q;
      assign first_winner = wins ? visited : '0;
    end else begin : goes_on
      assign left         = step[k-1].left & ~step[k-1].visited;
      assign free         = step[k-1].free & ~step[k-1].lanes;
      assign first        = step[k-1].after;
      assign first_winner = (step[k-1].first_winner == '0 && wins) ? visited : step[k-1].first_winner;
    end
  end

  // The registers of the arbiter after the first winner. The pointer of rr_tree moves among all
  // inputs that asked.
  logic [Inputs-1:0]    winner, unused_winner;
  logic [InputBits-1:0] next_pointer;
  logic [AheadBits-1:0] next_ahead;
  assign winner = step[Inputs-1].first_winner;
  arbiter #(.Kind(Kind), .Inputs(Inputs), .AgeBits(AgeBits)) update (
    .requests_i((Kind == words::RrTree) ? asking : winner),
    .ages_i    (ages),
    .pointer_i (pointer_q),
    .ahead_i   (ahead_q),
    .winner_o  (unused_winner),
    .next_o    (next_pointer),
    .behind_o  (next_ahead)
  );
  assign pointer_d = (winner != '0) ? next_pointer : pointer_q;
  assign ahead_d   = (winner != '0) ? next_ahead : ahead_q;
  assign turn_d    = step[Inputs-1].after;

  // Lanes of each input, in the numbers of the switch.
  for (genvar p = 0; p < Inputs; p++) begin : given
    assign lanes_o[32'(Order[p*8 +: 8])*Lanes +: Lanes] = step[Inputs-1].given[p*Lanes +: Lanes];
  end
  for (genvar i = 0; i < Inputs; i++) begin : served
    for (genvar g = 0; g < Groups; g++) begin : branch
      assign groups_o[i*Groups + g] = |(lanes_o[i*Lanes +: Lanes] & GroupLanes[g*Lanes +: Lanes]);
    end
  end
  for (genvar o = 0; o < Lanes; o++) begin : lane
    always_comb begin
      granted_o[o]                      = 1'b0;
      input_o[o*InputBits +: InputBits] = '0;
      for (int i = 0; i < Inputs; i++) begin
        if (lanes_o[i*Lanes + o]) begin
          granted_o[o]                      = 1'b1;
          input_o[o*InputBits +: InputBits] = InputBits'(i);
        end
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      pointer_q <= '0;
      turn_q    <= '0;
    end else begin
      pointer_q <= pointer_d;
      turn_q    <= turn_d;
    end
  end
  if (Kind == words::Matrix) begin : rows
    for (genvar i = 0; i < Inputs; i++) begin : row
      // At reset the lower inputs are ahead.
      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) ahead_q[i*Inputs +: Inputs] <= ~({Inputs{1'b1}} << i);
        else         ahead_q[i*Inputs +: Inputs] <= ahead_d[i*Inputs +: Inputs];
      end
    end
  end else begin : no_rows
    logic unused_ahead;
    assign unused_ahead = ahead_d;
    assign ahead_q      = '0;
  end
endmodule
