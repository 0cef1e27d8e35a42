// Reservation of lanes for synchronous worms. Inputs claim the free lanes of their groups. A head
// keeps its claim while its tree may still tell it to go.
//
//        asked -->+-------+--> grants (input, groups, lanes)
//         head -->| lanes |--> ready (inputs)
//         free -->| left  |
//  with credit -->+-------+
//
// The block takes the place of the allocator. In every cycle, the worms that ask claim free lanes
// in their order. The worm that came in the earliest cycle goes first. Of the worms of one cycle,
// the lowest number goes first. This is a chain of steps, one for each input.
//
//  worm                         gets its lanes
//  one head, one branch         with the claim
//  one head, several branches   when it has claimed all, and all have credit
//  a head of a tree             when the tree says go
//
// A head of a tree is ready in each cycle in which it has claimed all its lanes and all have credit.
// Only the lanes of a ready head are locked: no other input gets them for one round trip after the
// last cycle in which the head was ready. An earlier worm may claim a locked lane and so take it
// over. While it does, the head is not ready and its lock runs out. If go comes first, it counts
// (docs/reference/timing.md, R8.4 to R8.15).
module reservation #(
  parameter int                      Inputs     = 4,
  parameter int                      Lanes      = 4,
  parameter int                      Groups     = 4,
  parameter logic [Groups*Lanes-1:0] GroupLanes = '0,
  parameter int                      DepthBits  = 2,
  parameter int                      WormBits   = 32,
  parameter int                      InputBits  = (Inputs > 1) ? $clog2(Inputs) : 1
) (
  input  logic                              clk_i,
  input  logic                              rst_ni,
  input  logic [flit::SinceBits-1:0]        now_i,
  // For each input: the groups that its worm asks for, the side signals of its head, and its number.
  input  logic [Inputs*Groups-1:0]          asked_i,
  input  logic [Inputs*flit::SinceBits-1:0] since_i,
  input  logic [Inputs*DepthBits-1:0]       depth_i,
  input  logic [Inputs-1:0]                 go_i,
  input  logic [Inputs*WormBits-1:0]        worms_i,
  input  logic [Lanes-1:0]                  free_i,
  input  logic [Lanes-1:0]                  with_credit_i,
  // The grants, as allocator.sv gives them, and the inputs whose head is ready.
  output logic [Lanes-1:0]                  granted_o,
  output logic [Lanes*InputBits-1:0]        input_o,
  output logic [Inputs*Groups-1:0]          groups_o,
  output logic [Inputs*Lanes-1:0]           lanes_o,
  output logic [Inputs-1:0]                 ready_o
);
  // A lock lasts one round trip of 2 * depth cycles.
  localparam int LeftBits  = DepthBits + 1;
  localparam int OrderBits = flit::SinceBits + WormBits;
  // A group begins its search for a lane at its lowest one.
  localparam logic [((Lanes > 1) ? $clog2(Lanes) : 1)-1:0] First = '0;

  // Registers of each input: the lanes that are locked, and the cycles for which they stay locked.
  logic [Inputs*Lanes-1:0]    lanes_q, lanes_d;
  logic [Inputs*LeftBits-1:0] left_q, left_d;

  // Place of each worm in the order: the lower, the earlier.
  logic [Inputs*OrderBits-1:0] order;
  logic [Inputs-1:0]           asks;
  for (genvar i = 0; i < Inputs; i++) begin : place
    logic [flit::SinceBits-1:0] waited;
    assign waited = now_i - since_i[i*flit::SinceBits +: flit::SinceBits];
    assign order[i*OrderBits +: OrderBits] = {~waited, worms_i[i*WormBits +: WormBits]};
    assign asks[i] = asked_i[i*Groups +: Groups] != '0 && !go_i[i];
  end

  // For each input, the inputs that are earlier.
  logic [Inputs*Inputs-1:0] earlier;
  for (genvar i = 0; i < Inputs; i++) begin : pair
    assign earlier[i*Inputs + i] = 1'b0;
    for (genvar j = i + 1; j < Inputs; j++) begin : with_other
      logic first;
      assign first = order[i*OrderBits +: OrderBits] <= order[j*OrderBits +: OrderBits];
      assign earlier[j*Inputs + i] = first;
      assign earlier[i*Inputs + j] = !first;
    end
  end

  // Lanes locked by heads that do not go now, and lanes of heads that go now.
  logic [Lanes-1:0] locked, going;
  always_comb begin
    locked = '0;
    going  = '0;
    for (int i = 0; i < Inputs; i++) begin
      if (go_i[i]) going  |= lanes_q[i*Lanes +: Lanes];
      else         locked |= lanes_q[i*Lanes +: Lanes];
    end
  end

  for (genvar k = 0; k < Inputs; k++) begin : step
    // Inputs that are left, and the earliest of them, with its groups and locked lanes.
    logic [Inputs-1:0]       left, earliest;
    logic [Groups-1:0]       groups;
    logic [Lanes-1:0]        own;
    // Lanes that are open or locked before the step, those that the input claims, and the locked
    // lanes that it takes over.
    logic [Lanes-1:0]        open, shut, claims, takes;
    // The claims so far, for each input.
    logic [Inputs*Lanes-1:0] claimed;

    for (genvar i = 0; i < Inputs; i++) begin : visit
      assign earliest[i] = left[i] && (left & earlier[i*Inputs +: Inputs]) == '0;
    end
    always_comb begin
      groups = '0;
      own    = '0;
      for (int i = 0; i < Inputs; i++) begin
        if (earliest[i]) begin
          groups |= asked_i[i*Groups +: Groups];
          own    |= lanes_q[i*Lanes +: Lanes];
        end
      end
    end

    // In each group the input claims the lane that it has locked, or else the next open lane. If no
    // lane is open, it takes over a locked lane. Then no input has this lane in this cycle.
    for (genvar g = 0; g < Groups; g++) begin : group
      localparam logic [Lanes-1:0] Group = GroupLanes[g*Lanes +: Lanes];
      logic [Lanes-1:0] next, locks, claim, taken;
      lane_group #(.Lanes(Lanes)) lane_group (
        .free_i       (open & Group),
        .with_credit_i,
        .pointer_i    (First),
        .lane_o       (next)
      );
      assign locks = shut & Group;
      assign claim = !groups[g] ? '0 : ((own & Group) != '0) ? own & locks : next;
      assign taken = (groups[g] && (own & Group) == '0 && next == '0) ? locks & (~locks + Lanes'(1)) : '0;
    end
    for (genvar o = 0; o < Lanes; o++) begin : lane
      logic [Groups-1:0] claim, taken;
      for (genvar g = 0; g < Groups; g++) begin : branch
        assign claim[g] = step[k].group[g].claim[o];
        assign taken[g] = step[k].group[g].taken[o];
      end
      assign claims[o] = claim != '0;
      assign takes[o]  = taken != '0;
    end

    for (genvar i = 0; i < Inputs; i++) begin : gets
      if (k == 0) begin : begins
        assign claimed[i*Lanes +: Lanes] = earliest[i] ? claims : '0;
      end else begin : goes_on
        assign claimed[i*Lanes +: Lanes] = earliest[i] ? claims : step[k-1].claimed[i*Lanes +: Lanes];
      end
    end
    if (k == 0) begin : begins
      assign left = asks;
      assign open = free_i & ~going & ~locked;
      assign shut = locked;
    end else begin : goes_on
      assign left = step[k-1].left & ~step[k-1].earliest;
      assign open = step[k-1].open & ~step[k-1].claims;
      assign shut = step[k-1].shut & ~step[k-1].claims & ~step[k-1].takes;
    end
  end

  logic unused_takes;
  assign unused_takes = ^step[Inputs-1].takes;

  for (genvar i = 0; i < Inputs; i++) begin : served
    logic [Groups-1:0]    groups, missing;
    logic [Lanes-1:0]     claims, locks;
    logic [DepthBits-1:0] depth;
    logic [LeftBits-1:0]  left;
    logic                 one, all, keeps;
    assign groups = asked_i[i*Groups +: Groups];
    assign claims = step[Inputs-1].claimed[i*Lanes +: Lanes];
    assign locks  = lanes_q[i*Lanes +: Lanes];
    assign depth  = depth_i[i*DepthBits +: DepthBits];
    assign left   = left_q[i*LeftBits +: LeftBits];

    // All groups have a claimed lane, and all these lanes have credit.
    for (genvar g = 0; g < Groups; g++) begin : branch
      assign missing[g] = groups[g] & ((claims & GroupLanes[g*Lanes +: Lanes]) == '0);
      assign groups_o[i*Groups + g] =
          groups[g] & ((lanes_o[i*Lanes +: Lanes] & GroupLanes[g*Lanes +: Lanes]) != '0);
    end
    assign one        = (groups & (groups - Groups'(1))) == '0;
    assign all        = missing == '0 && (claims & ~with_credit_i) == '0;
    assign ready_o[i] = !go_i[i] && claims != '0 && all && depth != '0;

    assign lanes_o[i*Lanes +: Lanes] =
        go_i[i] ? locks : (depth == '0 && (one || all)) ? claims : '0;

    // A lock begins anew while the head is ready, and else runs out.
    assign keeps = !go_i[i] && left > LeftBits'(1);
    assign lanes_d[i*Lanes +: Lanes] = ready_o[i] ? claims : keeps ? locks : '0;
    assign left_d[i*LeftBits +: LeftBits] =
        ready_o[i] ? {depth, 1'b0} : keeps ? left - LeftBits'(1) : '0;
  end

  for (genvar o = 0; o < Lanes; o++) begin : winner
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
      lanes_q <= '0;
      left_q  <= '0;
    end else begin
      lanes_q <= lanes_d;
      left_q  <= left_d;
    end
  end

`ifdef WORMSCOPE_ASSERTIONS
  for (genvar i = 0; i < Inputs; i++) begin : rule
    always @(posedge clk_i) begin
      if (rst_ni) begin
        assert (!go_i[i] || lanes_q[i*Lanes +: Lanes] != '0)
            else $fatal(1, "%m: rule broken: a head that goes has locked lanes");
        assert ((lanes_q[i*Lanes +: Lanes] & ~free_i) == '0)
            else $fatal(1, "%m: rule broken: a locked lane has no owner");
      end
    end
  end
`endif
endmodule
