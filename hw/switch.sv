// Switch: wiring of the blocks, and nothing else. A mesh router is the same block with another
// routing function.
//
//         +------+ +---------+ groups +-----------+ lanes +-------------+ +-----+ +----------+
//  push ->| fifo |>| decoder |------->| allocator |------>| replication |>| mux |>| crossbar |->
//         +-+--^-+ +-^-------+        +-----^-----+       +--+----------+ +--^--+ +----------+
// freed <---+  |     |                      |                |               |            sent
//              +-----+--------------- pop, passed -----------+       credit <- returned
//
// Everything between the FIFOs and the credit counters is combinational. FIFOs and credit counters
// are at the border to other instances. A lane that is released in cycle t is free in t + 1. An
// input whose worm has passed in cycle t begins with the next head in t + 1
// (docs/reference/timing.md, R1.2 to R1.7, R9.14).
//
// FreedBits is the width of a count of flits that leave a FIFO in a cycle: 1 unless headers are
// stripped. HeaderBits is the width of the wires that carry a header beside the data, 0 if flits
// carry it (R2.36). Slots and DepthBits are the sizes of feedback.sv, for synchronous worms: the top
// of a head then has the slot, the depth and the cycle in which the worm came. The parameters from
// InputExists on are constants. Rust reads them from a ROM, or has them in the registers at reset:
//   InputExists  input lanes that exist at this switch
//   InputDepth   for each input lane, the depth of its FIFO, 16 bits each; the deepest has FifoDepth
//   Links        for each output lane, the lanes of its physical link; 0 if the lane does not exist
//   CreditDepth  for each output lane, the depth of the next FIFO, 16 bits each
//   GroupLanes   the output lanes of each lane group
//   Order        the input lane at each place, as arbiters count them, 8 bits each
//   Route        the port towards each node, 8 bits each
//   GroupOf      for each input lane, the lane group of each port, 8 bits each
//   Ahead        for each input lane, the nodes ahead of it (R2.31)
//   Coordinates  the coordinates of each node
//   Reach        the nodes that each port leads to
//   OutMask      the nodes that a bit-string keeps through each output lane
//   Onward       the output lanes that lead to switches
//   ClimbPorts   the ports of each of two climbs, 0 if there is none (encoding.sv)
//   ClimbBelow   the ports below each climb
module switch #(
  parameter int                   Width            = 70,
  parameter int                   FlitBits         = 64,
  parameter int                   HeaderBits       = 0,
  parameter int                   FifoDepth        = 4,
  parameter int                   HeaderFlits      = 1,
  parameter int                   Inputs           = 5,
  parameter int                   Lanes            = 5,
  parameter int                   Ports            = 5,
  parameter int                   Groups           = 5,
  parameter int                   Nodes            = 9,
  parameter int                   RoutingCycles    = 1,
  parameter int                   AllocationCycles = 0,
  parameter int                   Replication      = words::Asynchronous,
  parameter int                   Acquisition      = words::Incremental,
  parameter int                   Arbiter          = words::RoundRobin,
  parameter int                   LaneChoice       = words::LowestLane,
  parameter int                   Slots            = 1,
  parameter int                   DepthBits        = 1,
  parameter logic [5:0]                    Encodings        = 6'b000011,
  parameter logic [8*16-1:0]               PartFlits        = {8{16'd1}},
  parameter logic [Inputs-1:0]             InputExists      = '1,
  parameter logic [Inputs*16-1:0]          InputDepth       = {Inputs{16'(FifoDepth)}},
  parameter logic [Lanes*Lanes-1:0]        Links            = '0,
  parameter logic [Lanes*16-1:0]           CreditDepth      = '0,
  parameter logic [Groups*Lanes-1:0]       GroupLanes       = '0,
  parameter logic [Inputs*8-1:0]           Order            = '0,
  parameter logic [Nodes*8-1:0]            Route            = '0,
  parameter logic [Inputs*Ports*8-1:0]     GroupOf          = '0,
  parameter logic [Ports*Nodes-1:0]        Reach            = '0,
  parameter logic [Lanes*Nodes-1:0]        OutMask          = '1,
  parameter logic [Lanes-1:0]              Onward           = '1,
  parameter logic [2*Ports-1:0]            ClimbPorts       = '0,
  parameter logic [2*Ports-1:0]            ClimbBelow       = '0,
  parameter int                   MaskPorts        = 1,
  parameter logic [Inputs*Nodes-1:0] Ahead         = '1,
  parameter int                   CoordinateBits   = 1,
  parameter logic [Nodes*CoordinateBits-1:0] Coordinates = '0,
  parameter int                   FreedBits        = 1,
  // A station of a token ring: the bound of each encoding, BoundBits each (R6.11).
  parameter int                   HasStation       = 0,
  parameter int                   BoundBits        = 8,
  parameter logic [8*BoundBits-1:0] Bounds         = '0
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  // Flits that arrive, by input lane, and flits that leave a FIFO: each gives the sender a credit.
  input  logic [Inputs-1:0]           push_i,
  input  logic [Inputs*Width-1:0]     flit_i,
  output logic [Inputs*FreedBits-1:0] freed_o,
  // Flits that cross, by output lane, and credits that return.
  output logic [Lanes-1:0]            sent_o,
  output logic [Lanes*Width-1:0]      flit_o,
  input  logic [Lanes*FreedBits-1:0]  returned_i,
  // Output lanes that a stall keeps from sending in this cycle.
  input  logic [Lanes-1:0]            stalled_i,
  // The token ring.
  input  logic                        token_here_i,
  output logic                        captured_o,
  output logic                        released_o,
  // The cycle, and the wires of the trees of synchronous worms, as in feedback.sv.
  input  logic [flit::SinceBits-1:0]  now_i,
  input  logic [Inputs*Slots-1:0]     before_go_i,
  output logic [Inputs*Slots-1:0]     before_ready_o,
  output logic [Inputs*Slots-1:0]     before_done_o,
  output logic [Lanes*Slots-1:0]      next_go_o,
  input  logic [Lanes*Slots-1:0]      next_ready_i,
  input  logic [Lanes*Slots-1:0]      next_done_i
);
  localparam int CountBits = $clog2(FifoDepth + 1);
  localparam int InputBits = (Inputs > 1) ? $clog2(Inputs) : 1;

  // The age of a worm, for arbiters that compare ages.
  localparam int AgeBits = (Arbiter == words::OldestFirst) ? 32 : 1;

  // Side signals of the head of a synchronous worm: slot, depth, and the cycle in which it came.
  localparam bit Synchronous  = Replication == words::Synchronous;
  localparam int TreeSlotBits = (Slots > 1) ? $clog2(Slots) : 1;
  localparam int TreeBits     = Synchronous ? flit::SinceBits + DepthBits + TreeSlotBits : 1;

  // Whether wires beside the data carry the header.
  localparam bit Beside = HeaderBits > 0;

  // Whether branches read flits after the front flit.
  localparam bit          Pointers = Replication == words::Buffered || Replication == words::Sequential;
  localparam int Cells    = Pointers ? FifoDepth : 1;
  localparam int SlotBits = (FifoDepth > 1) ? $clog2(FifoDepth) : 1;
  localparam int ReadBits = Pointers ? SlotBits : 1;

  // Number of lanes of a link.
  function automatic int lane_count(input logic [Lanes-1:0] lanes);
    lane_count = 0;
    for (int o = 0; o < Lanes; o++) lane_count += 32'(lanes[o]);
  endfunction

  // The lowest lane of a link.
  function automatic int lowest(input logic [Lanes-1:0] lanes);
    lowest = Lanes;
    for (int o = Lanes; o > 0; o--) if (lanes[o-1]) lowest = o - 1;
  endfunction

  // Between the blocks, by input lane.
  logic [Inputs*Groups-1:0]      asks, asked, groups;
  logic [Inputs*AgeBits-1:0]     ages;
  logic [Inputs*TreeBits-1:0]    trees, leaving;
  logic [Inputs-1:0]             wanted, waits, tail_popped;
  logic [Inputs*BoundBits-1:0]   bounds;
  logic [Inputs*Lanes-1:0]       given, offered, select;
  logic [Inputs*Cells*Width-1:0] flits;
  logic [Inputs*ReadBits-1:0]    read;
  logic [Inputs-1:0]             popped;
  logic [Inputs*CountBits-1:0]   count;

  // Between the blocks, by output lane.
  logic [Lanes-1:0]           free, any_credit, with_credit, granted, able, chosen;
  logic [Lanes*InputBits-1:0] winner;
  logic [Lanes*CountBits-1:0] ahead;
  logic [Lanes-1:0]           pending, tails;
  logic [Lanes*Width-1:0]     crossed;

  for (genvar i = 0; i < Inputs; i++) begin : in
    if (InputExists[i]) begin : v
      localparam int Depth = 32'(InputDepth[i*16 +: 16]);
      localparam int HeldBits = $clog2(Depth + 1);
      localparam int FrontBits = (Depth > 1) ? $clog2(Depth) : 1;
      logic [HeaderFlits*Width-1:0] window;
      logic [Depth*Width-1:0]       cells;
      logic [FrontBits-1:0]         front;
      logic [HeldBits-1:0]          held, freed;
      logic [CountBits-1:0]    strip, present;
      logic                    decided, several, pop, passed;
      logic [Groups-1:0]       branches;
      logic [flit::EncBits-1:0] enc;

      fifo #(.Width(Width), .Depth(Depth), .Window(HeaderFlits)) fifo (
        .clk_i,
        .rst_ni,
        .push_i  (push_i[i]),
        .flit_i  (flit_i[i*Width +: Width]),
        .pop_i   (freed),
        .count_o (held),
        .window_o(window),
        .cells_o (cells),
        .read_o  (front)
      );
      assign count[i*CountBits +: CountBits] = CountBits'(held);
      if (Pointers) begin : all_cells
        assign flits[i*Cells*Width +: Cells*Width] = (Cells * Width)'(cells);
        assign read[i*ReadBits +: ReadBits]        = ReadBits'(front);
      end else begin : front_only
        logic unused_cells;
        assign unused_cells = ^{cells, front};
        assign flits[i*Width +: Width] = window[Width-1:0];
        assign read[i]                 = 1'b0;
      end

      decoder #(
        .Width        (Width),
        .FlitBits     (FlitBits),
        .HeaderBits   (HeaderBits),
        .Window       (HeaderFlits),
        .CountBits    (CountBits),
        .RoutingCycles(RoutingCycles),
        .Encodings    (Encodings),
        .PartFlits    (PartFlits),
        .Nodes        (Nodes),
        .Ports        (Ports),
        .Groups       (Groups),
        .Route        (Route),
        .Reach        (Reach),
        .GroupOf      (GroupOf[i*Ports*8 +: Ports*8]),
        .ClimbPorts   (ClimbPorts),
        .ClimbBelow   (ClimbBelow),
        .MaskPorts    (MaskPorts),
        .Ahead        (Ahead[i*Nodes +: Nodes]),
        .CoordinateBits(CoordinateBits),
        .Coordinates  (Coordinates),
        .AgeBits      (AgeBits),
        .TreeBits     (Synchronous ? TreeBits : 0)
      ) decoder (
        .clk_i,
        .rst_ni,
        .count_i  (count[i*CountBits +: CountBits]),
        .window_i (window),
        .strip_o  (strip),
        .decided_o(decided),
        .groups_o (branches),
        .enc_o    (enc),
        .age_o    (ages[i*AgeBits +: AgeBits]),
        .tree_o   (trees[i*TreeBits +: TreeBits]),
        .passed_i (passed)
      );

      // An input that strips flits sends none in that cycle.
      assign present = (strip != '0) ? '0 : count[i*CountBits +: CountBits];

      // Lanes whose branch has a flit to read, and lanes whose branch has more than the front flit.
      logic [Lanes-1:0] next, beyond;
      for (genvar o = 0; o < Lanes; o++) begin : branch
        assign next[o]   = ahead[o*CountBits +: CountBits] < present;
        assign beyond[o] = 32'(ahead[o*CountBits +: CountBits]) + 32'(select[i*Lanes + o]) > 1;
      end

      // A worm of several branches waits for the token before it asks for lanes.
      assign wanted[i] = (HasStation != 0) & decided & several;
      assign asked[i*Groups +: Groups] = waits[i] ? '0 : asks[i*Groups +: Groups];
      assign tail_popped[i] = passed;
      assign bounds[i*BoundBits +: BoundBits] = Bounds[32'(enc)*BoundBits +: BoundBits];

      replication #(.Mode(Replication), .Groups(Groups), .Lanes(Lanes)) replication (
        .clk_i,
        .rst_ni,
        .decided_i (decided),
        .branches_i(branches),
        .several_o (several),
        .asks_o    (asks[i*Groups +: Groups]),
        .granted_i (groups[i*Groups +: Groups]),
        .lanes_i   (given[i*Lanes +: Lanes]),
        .present_i (present != '0),
        .able_i    (able),
        .next_i    (next),
        .offer_o   (offered[i*Lanes +: Lanes]),
        .chosen_i  (chosen),
        .sent_o    (select[i*Lanes +: Lanes]),
        .tails_i   (tails & select[i*Lanes +: Lanes]),
        .tail_i    (window[flit::Tail]),
        .beyond_i  (beyond),
        .pop_o     (pop),
        .passed_o  (passed)
      );
      assign popped[i] = pop;
      assign freed = HeldBits'(strip) + HeldBits'(pop);
      assign freed_o[i*FreedBits +: FreedBits] = FreedBits'(freed);
    end else begin : none
      logic unused_pins;
      assign unused_pins = ^{push_i[i], flit_i[i*Width +: Width], groups[i*Groups +: Groups],
                             given[i*Lanes +: Lanes], asks[i*Groups +: Groups], waits[i],
                             count[i*CountBits +: CountBits]};
      assign asks[i*Groups +: Groups]            = '0;
      assign asked[i*Groups +: Groups]           = '0;
      assign ages[i*AgeBits +: AgeBits]          = '0;
      assign trees[i*TreeBits +: TreeBits]       = '0;
      assign wanted[i]                           = 1'b0;
      assign tail_popped[i]                      = 1'b0;
      assign bounds[i*BoundBits +: BoundBits]    = '0;
      assign offered[i*Lanes +: Lanes]           = '0;
      assign select[i*Lanes +: Lanes]            = '0;
      assign flits[i*Cells*Width +: Cells*Width] = '0;
      assign read[i*ReadBits +: ReadBits]        = '0;
      assign popped[i]                           = 1'b0;
      assign count[i*CountBits +: CountBits]     = '0;
      assign freed_o[i*FreedBits +: FreedBits]   = '0;
    end
  end

  assign with_credit = any_credit & ~stalled_i;

  if (HasStation != 0) begin : token
    token_station #(.Inputs(Inputs), .CountBits(BoundBits)) token_station (
      .clk_i,
      .rst_ni,
      .wanted_i  (wanted),
      .here_i    (token_here_i),
      .waits_o   (waits),
      .captured_o,
      .popped_i  (popped),
      .tails_i   (tail_popped),
      .bounds_i  (bounds),
      .released_o
    );
  end else begin : no_token
    logic unused_token;
    assign unused_token = ^{token_here_i, wanted, tail_popped, bounds};
    assign waits      = '0;
    assign captured_o = 1'b0;
    assign released_o = 1'b0;
  end

  if (Synchronous) begin : together
    logic [Inputs*flit::SinceBits-1:0] since, next_since;
    logic [Inputs*DepthBits-1:0]       depth, next_depth;
    logic [Inputs*TreeSlotBits-1:0]    slot, next_slot;
    logic [Inputs-1:0]                 asks_any, go, ready;
    for (genvar i = 0; i < Inputs; i++) begin : head
      assign {slot[i*TreeSlotBits +: TreeSlotBits], depth[i*DepthBits +: DepthBits],
              since[i*flit::SinceBits +: flit::SinceBits]} = trees[i*TreeBits +: TreeBits];
      assign asks_any[i] = asked[i*Groups +: Groups] != '0;
      assign leaving[i*TreeBits +: TreeBits] =
          {next_slot[i*TreeSlotBits +: TreeSlotBits], next_depth[i*DepthBits +: DepthBits],
           next_since[i*flit::SinceBits +: flit::SinceBits]};
    end

    reservation #(
      .Inputs    (Inputs),
      .Lanes     (Lanes),
      .Groups    (Groups),
      .GroupLanes(GroupLanes),
      .DepthBits (DepthBits),
      .WormBits  (AgeBits)
    ) reservation (
      .clk_i,
      .rst_ni,
      .now_i,
      .asked_i      (asked),
      .since_i      (since),
      .depth_i      (depth),
      .go_i         (go),
      .worms_i      (ages),
      .free_i       (free),
      .with_credit_i(with_credit),
      .granted_o    (granted),
      .input_o      (winner),
      .groups_o     (groups),
      .lanes_o      (given),
      .ready_o      (ready)
    );

    feedback #(
      .Inputs   (Inputs),
      .Lanes    (Lanes),
      .Slots    (Slots),
      .DepthBits(DepthBits),
      .Onward   (Onward)
    ) feedback (
      .clk_i,
      .rst_ni,
      .now_i,
      .asks_i (asks_any),
      .depth_i(depth),
      .slot_i (slot),
      .ready_i(ready),
      .go_o   (go),
      .lanes_i(given),
      .since_o(next_since),
      .depth_o(next_depth),
      .slot_o (next_slot),
      .before_go_i,
      .before_ready_o,
      .before_done_o,
      .next_go_o,
      .next_ready_i,
      .next_done_i
    );
  end
  // Yosys gives a block after `else if` another name.
  if (!Synchronous && Acquisition == words::Atomic) begin : all_or_none
    atomic #(
      .Inputs    (Inputs),
      .Lanes     (Lanes),
      .Groups    (Groups),
      .GroupLanes(GroupLanes),
      .Order     (Order),
      .Kind      (Arbiter),
      .LaneChoice(LaneChoice),
      .AgeBits   (AgeBits)
    ) allocator (
      .clk_i,
      .rst_ni,
      .asked_i      (asked),
      .ages_i       (ages),
      .free_i       (free),
      .with_credit_i(with_credit),
      .granted_o    (granted),
      .input_o      (winner),
      .groups_o     (groups),
      .lanes_o      (given)
    );
  end
  if (!Synchronous && Acquisition != words::Atomic) begin : one_by_one
    allocator #(
      .Inputs    (Inputs),
      .Lanes     (Lanes),
      .Groups    (Groups),
      .GroupLanes(GroupLanes),
      .Order     (Order),
      .Kind      (Arbiter),
      .LaneChoice(LaneChoice),
      .AgeBits   (AgeBits)
    ) allocator (
      .clk_i,
      .rst_ni,
      .asked_i      (asked),
      .ages_i       (ages),
      .free_i       (free),
      .with_credit_i(with_credit),
      .granted_o    (granted),
      .input_o      (winner),
      .groups_o     (groups),
      .lanes_o      (given)
    );
  end

  if (!Synchronous) begin : no_trees
    logic unused_trees;
    assign unused_trees   = ^{now_i, before_go_i, next_ready_i, next_done_i, trees};
    assign leaving        = '0;
    assign before_ready_o = '0;
    assign before_done_o  = '0;
    assign next_go_o      = '0;
  end

  // A granted head crosses in the cycle of the grant, or in the next.
  assign able = (AllocationCycles == 0) ? with_credit : with_credit & ~granted;

  // The lanes of a link take turns.
  logic [Lanes-1:0] offers;
  always_comb begin
    offers = '0;
    for (int i = 0; i < Inputs; i++) offers |= offered[i*Lanes +: Lanes];
  end

  for (genvar o = 0; o < Lanes; o++) begin : out
    localparam logic [Lanes-1:0] Link  = Links[o*Lanes +: Lanes];
    localparam int      Size  = lane_count(Link);
    localparam int      First = lowest(Link);

    if (Size > 0) begin : l
      if (First == o && Size > 1) begin : shared
        multiplexer #(.Lanes(Size)) multiplexer (
          .clk_i,
          .rst_ni,
          .candidates_i(offers[o +: Size]),
          .winner_o    (chosen[o +: Size])
        );
      end else if (First == o) begin : alone
        assign chosen[o] = offers[o];
      end

      assign sent_o[o] = chosen[o];
      assign tails[o]  = crossed[o*Width + flit::Tail];

      lane #(.Inputs(Inputs), .Depth(FifoDepth)) lane (
        .clk_i,
        .rst_ni,
        .granted_i(granted[o]),
        .input_i  (winner[o*InputBits +: InputBits]),
        .sent_i   (sent_o[o]),
        .tail_i   (tails[o]),
        .popped_i (popped),
        .free_o   (free[o]),
        .pending_o(pending[o]),
        .ahead_o  (ahead[o*CountBits +: CountBits])
      );

      credit #(.Depth(32'(CreditDepth[o*16 +: 16])), .ReturnedBits(FreedBits)) credit (
        .clk_i,
        .rst_ni,
        .sent_i    (sent_o[o]),
        .returned_i(returned_i[o*FreedBits +: FreedBits]),
        .any_o     (any_credit[o])
      );

      // The first flit on a link is marked as the head.
      logic [Width-1:0] first, marked;
      assign first = crossed[o*Width +: Width] | (Width'(pending[o]) << flit::Head);
      if (Synchronous) begin : tree
        // The side signals of the input that sends.
        logic [TreeBits-1:0] signals;
        always_comb begin
          signals = '0;
          for (int i = 0; i < Inputs; i++) begin
            if (select[i*Lanes + o]) signals |= leaving[i*TreeBits +: TreeBits];
          end
        end
        assign marked = pending[o] ? {signals, first[Width-TreeBits-1:0]} : first;
      end else begin : no_tree
        logic unused_signals;
        assign unused_signals = ^leaving;
        assign marked         = first;
      end

      if (Encodings[words::BitString]) begin : masked
        residue #(
          .Width    (Width),
          .FlitBits (Beside ? Nodes : FlitBits),
          .PartFlits(Beside ? 1 : 32'(PartFlits[words::BitString*16 +: 16])),
          .Nodes    (Nodes),
          .At       (Beside ? flit::Data + FlitBits : flit::Data),
          .Mark     (Beside ? flit::Head : flit::Hdr),
          .Mask     (OutMask[o*Nodes +: Nodes])
        ) residue (
          .clk_i,
          .rst_ni,
          .sent_i(sent_o[o]),
          .flit_i(marked),
          .flit_o(flit_o[o*Width +: Width])
        );
      end else begin : unmasked
        assign flit_o[o*Width +: Width] = marked;
      end
    end else begin : none
      logic unused_pins;
      assign unused_pins = ^{granted[o], winner[o*InputBits +: InputBits], offers[o], pending[o],
                             crossed[o*Width +: Width], returned_i[o*FreedBits +: FreedBits]};
      assign chosen[o]                       = 1'b0;
      assign sent_o[o]                       = 1'b0;
      assign tails[o]                        = 1'b0;
      assign free[o]                         = 1'b0;
      assign pending[o]                      = 1'b0;
      assign ahead[o*CountBits +: CountBits] = '0;
      assign any_credit[o]                   = 1'b0;
      assign flit_o[o*Width +: Width]        = '0;
    end
  end

  crossbar #(
    .Width    (Width),
    .Inputs   (Inputs),
    .Lanes    (Lanes),
    .Cells    (Cells),
    .AheadBits(CountBits),
    .InputDepth(Pointers ? InputDepth : {Inputs{16'd1}})
  ) crossbar (
    .select_i(select),
    .flits_i (flits),
    .read_i  (read),
    .ahead_i (ahead),
    .flit_o  (crossed)
  );
endmodule
