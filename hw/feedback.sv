// Feedback of synchronous worms at a switch ([ATBM] section 1, after Chiang and Ni). Wires along the
// tree of a worm, with a register a hop, let its heads go on to the next stage together.
//
//           heads -->+---------+--> go (inputs)
//           lanes -->| arrived |--> since, depth, slot of the heads that leave
//                    |---------|
//  ready, done   <---| slots   |<--- ready, done (of the next switches)
//  go of the     --->| root    |---> go          (to the next switches)
//  switch before     | ready   |
//                    +---------+
//
// The first switch at which a worm branches is the root, at depth 0. A switch of the tree has a slot
// for the worm: the input from which it came, its slot in the switch before, and the output lanes
// that lead to its next switches. The head carries the number of the slot. Slots outlive the worm's
// stay in the switch, because a short worm has left a switch before its heads arrive.
//
//  ready  of a slot: all its next switches were ready in the cycle before
//  go     of the root: it is ready. Of another slot: go was at the switch before in the cycle before
//  done   the slot has no more next switches: all heads behind it lead to nodes. The slot is free in
//         the next cycle
//
// So if t is the first cycle in which all heads at depth d are ready, the root is ready in t + d, and
// all heads go in t + 2d. On its way go clears the stored ready, so no signal of this stage counts
// for the next. feedback.rs counts these cycles in place of the wires (docs/reference/timing.md,
// R8.2, R8.3, R8.11 to R8.13).
//
// Onward has the output lanes that lead to switches. Slots is at least the number of trees that a
// switch keeps at a time. wormscope takes it from the experiment. An assertion checks it, because
// the heads of a tree without a slot wait for ever.
module feedback #(
  parameter int               Inputs    = 4,
  parameter int               Lanes     = 4,
  parameter int               Slots     = 4,
  parameter int               DepthBits = 2,
  parameter logic [Lanes-1:0] Onward    = '1,
  parameter int               SlotBits  = (Slots > 1) ? $clog2(Slots) : 1
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  input  logic [flit::SinceBits-1:0]  now_i,
  // Heads that ask for lanes: their depth, and their slot at the switch before. Heads of a tree that
  // are ready, and those that go.
  input  logic [Inputs-1:0]           asks_i,
  input  logic [Inputs*DepthBits-1:0] depth_i,
  input  logic [Inputs*SlotBits-1:0]  slot_i,
  input  logic [Inputs-1:0]           ready_i,
  output logic [Inputs-1:0]           go_o,
  // Lanes that a head gets, and the cycle, depth and slot with which it leaves.
  input  logic [Inputs*Lanes-1:0]     lanes_i,
  output logic [Inputs*flit::SinceBits-1:0] since_o,
  output logic [Inputs*DepthBits-1:0] depth_o,
  output logic [Inputs*SlotBits-1:0]  slot_o,
  // Wires to and from the switch before each input lane, and the next switch after each output lane.
  // Each has a wire for each slot of the switch before.
  input  logic [Inputs*Slots-1:0]     before_go_i,
  output logic [Inputs*Slots-1:0]     before_ready_o,
  output logic [Inputs*Slots-1:0]     before_done_o,
  output logic [Lanes*Slots-1:0]      next_go_o,
  input  logic [Lanes*Slots-1:0]      next_ready_i,
  input  logic [Lanes*Slots-1:0]      next_done_i
);
  // Registers of each slot. A slot that is used and has no lanes is done.
  logic [Slots-1:0]          used_q, root_q, ready_q;
  logic [Slots*Lanes-1:0]    lanes_q;
  logic [Slots*Inputs-1:0]   from_q;
  logic [Slots*SlotBits-1:0] slot_q;
  // The signal go of the switches before, a register a hop.
  logic [Inputs*Slots-1:0]   arrived_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) arrived_q <= '0;
    else         arrived_q <= before_go_i;
  end

  // Slots whose next switches go, and those that tell the switch before that they are ready or done.
  logic [Slots-1:0] goes, readies, dones;

  // Heads that get their lanes: a slot for each that has next switches.
  for (genvar i = 0; i < Inputs; i++) begin : head
    logic [Lanes-1:0]     lanes;
    logic [flit::SinceBits-1:0] since_q;
    logic [DepthBits-1:0] depth, depth_q;
    logic [SlotBits-1:0]  number, number_q;
    logic [Slots-1:0]     own, free, slot;
    logic                 gets, grows, leads_on;
    assign lanes    = lanes_i[i*Lanes +: Lanes];
    assign depth    = depth_i[i*DepthBits +: DepthBits];
    assign gets     = lanes != '0;
    assign grows    = depth != '0 || (lanes & (lanes - Lanes'(1))) != '0;
    assign leads_on = (lanes & Onward) != '0;

    if (i == 0) begin : begins
      assign free = ~used_q;
    end else begin : goes_on
      assign free = head[i-1].free & ~head[i-1].slot;
    end
    assign slot = (gets && grows && leads_on) ? free & (~free + Slots'(1)) : '0;
    always_comb begin
      number = '0;
      for (int s = 0; s < Slots; s++) if (slot[s]) number |= SlotBits'(s);
    end

    // The head leaves with this cycle, its new depth and its slot, now or later.
    assign since_o[i*flit::SinceBits +: flit::SinceBits] = gets ? now_i : since_q;
    assign depth_o[i*DepthBits +: DepthBits] = !gets ? depth_q : grows ? depth + DepthBits'(1) : '0;
    assign slot_o[i*SlotBits +: SlotBits]    = gets ? number : number_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        since_q  <= '0;
        depth_q  <= '0;
        number_q <= '0;
      end else begin
        since_q  <= since_o[i*flit::SinceBits +: flit::SinceBits];
        depth_q  <= depth_o[i*DepthBits +: DepthBits];
        number_q <= slot_o[i*SlotBits +: SlotBits];
      end
    end

    // The slot of the head at the switch before.
    assign own     = Slots'(1) << slot_i[i*SlotBits +: SlotBits];
    assign go_o[i] = asks_i[i] && depth != '0 && (arrived_q[i*Slots +: Slots] & own) != '0;

    // The signals of this head and of the slots go to the switch before, each on its wire.
    for (genvar w = 0; w < Slots; w++) begin : line
      logic [Slots-1:0] from;
      for (genvar s = 0; s < Slots; s++) begin : by
        assign from[s] = from_q[s*Inputs + i] && 32'(slot_q[s*SlotBits +: SlotBits]) == w;
      end
      assign before_ready_o[i*Slots + w] = (ready_i[i] & own[w]) | (from & readies) != '0;
      assign before_done_o[i*Slots + w]  =
          (gets && depth != '0 && !leads_on && own[w]) || (from & dones) != '0;
    end
  end

  for (genvar s = 0; s < Slots; s++) begin : slot
    // Whether go is here, the head that takes the slot, and the next switches that are not ready.
    logic                starts, root;
    logic [Inputs-1:0]   from, here;
    logic [Lanes-1:0]    lanes, lanes_d, next, waits;
    logic [SlotBits-1:0] number;
    for (genvar i = 0; i < Inputs; i++) begin : arrives
      assign here[i] = from_q[s*Inputs + i] & arrived_q[i*Slots + 32'(slot_q[s*SlotBits +: SlotBits])];
    end
    assign goes[s]    = used_q[s] & (root_q[s] ? ready_q[s] : here != '0);
    assign readies[s] = !root_q[s] & ready_q[s] & !goes[s];
    assign dones[s]   = used_q[s] & !root_q[s] && lanes == '0;

    for (genvar i = 0; i < Inputs; i++) begin : taker
      assign from[i] = head[i].slot[s];
    end
    assign starts = from != '0;
    always_comb begin
      root   = 1'b0;
      number = '0;
      next   = '0;
      for (int i = 0; i < Inputs; i++) begin
        if (from[i]) begin
          root   |= depth_i[i*DepthBits +: DepthBits] == '0;
          number |= slot_i[i*SlotBits +: SlotBits];
          next   |= lanes_i[i*Lanes +: Lanes] & Onward;
        end
      end
    end

    assign lanes = lanes_q[s*Lanes +: Lanes];
    for (genvar o = 0; o < Lanes; o++) begin : lane
      assign next_go_o[o*Slots + s] = goes[s] & lanes[o];
      assign waits[o] = lanes[o] & ~next_ready_i[o*Slots + s];
      assign lanes_d[o] = starts ? next[o] : lanes[o] & ~next_done_i[o*Slots + s];
    end

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        used_q[s]                      <= 1'b0;
        root_q[s]                      <= 1'b0;
        ready_q[s]                     <= 1'b0;
        lanes_q[s*Lanes +: Lanes]      <= '0;
        from_q[s*Inputs +: Inputs]     <= '0;
        slot_q[s*SlotBits +: SlotBits] <= '0;
      end else begin
        used_q[s]                 <= starts || lanes != '0;
        ready_q[s]                <= lanes != '0 && waits == '0 && !goes[s];
        lanes_q[s*Lanes +: Lanes] <= lanes_d;
        if (starts) begin
          root_q[s]                      <= root;
          from_q[s*Inputs +: Inputs]     <= from;
          slot_q[s*SlotBits +: SlotBits] <= number;
        end
      end
    end
  end

`ifdef WORMSCOPE_ASSERTIONS
  for (genvar i = 0; i < Inputs; i++) begin : rule
    always @(posedge clk_i) begin
      if (rst_ni) begin
        assert (!(head[i].gets && head[i].grows && head[i].leads_on) || head[i].slot != '0)
            else $fatal(1, "%m: rule broken: a slot for every tree; Slots is too small");
        assert (!ready_i[i] || (asks_i[i] && depth_i[i*DepthBits +: DepthBits] != '0))
            else $fatal(1, "%m: rule broken: only heads of a tree are ready");
      end
    end
  end
`endif
endmodule
