// Node interface: wiring of injectors and sinks, and of the blocks between them and the links.
//
//  worms -->+-----------+  +-----+            +------+  +------+
//           | injectors |->| mux |-> sent     | fifo |->| sink |-> taken
//           +-----^-----+  +-----+    push -->+------+  +--+---+
//           +-----+--+                                     +-> freed (credit)
//  returned | credit |
//     ----->+--------+
//
// The sinks take flits. The software of the node, which may send in the same cycle, hands worms to
// the injectors. A worm gets an idle lane, one with a credit first. Waiting worms are served in the
// order of their arrival: bit k of wait_i is the k-th of them, and begun_o has those that begin. The
// software keeps the data of the worms (docs/reference/timing.md, R11.5 to R11.12).
module node #(
  parameter int Width            = 70,
  parameter int InjectionDepth   = 4,
  parameter int InjectionLanes   = 1,
  parameter int ConsumptionLanes = 1,
  parameter int LinkLanes        = 1,
  parameter int ConsumptionDepth = 4,
  parameter int Space            = 0,
  parameter int WormBits         = 32,
  parameter int LengthBits       = 24,
  parameter int FreedBits        = 1,
  parameter int SpaceBits        = (Space > 0) ? $clog2(Space + 1) : 1
) (
  input  logic                                           clk_i,
  input  logic                                           rst_ni,
  // Worms that wait for a lane, in order. header_i has the flits of the header, length_i all flits.
  input  logic [InjectionLanes-1:0]                      wait_i,
  input  logic [InjectionLanes*WormBits-1:0]             worm_i,
  input  logic [InjectionLanes*flit::EncBits-1:0]        enc_i,
  input  logic [InjectionLanes*LengthBits-1:0]           header_i,
  input  logic [InjectionLanes*LengthBits-1:0]           length_i,
  output logic [InjectionLanes-1:0]                      begun_o,
  // For each lane, the flit that leaves next, and its data. The data come in the same cycle: no
  // register is between wait_i and worm_o, index_o.
  output logic [InjectionLanes*WormBits-1:0]             worm_o,
  output logic [InjectionLanes*LengthBits-1:0]           index_o,
  input  logic [InjectionLanes*(Width-flit::Data)-1:0]   data_i,
  // Injection links.
  output logic [InjectionLanes-1:0]                      sent_o,
  output logic [InjectionLanes*Width-1:0]                flit_o,
  input  logic [InjectionLanes*FreedBits-1:0]            returned_i,
  // Consumption links. A flit that is taken gives a credit back.
  input  logic [ConsumptionLanes-1:0]                    push_i,
  input  logic [ConsumptionLanes*Width-1:0]              flit_i,
  output logic [ConsumptionLanes-1:0]                    taken_o,
  output logic [ConsumptionLanes*Width-1:0]              taken_flit_o,
  // Flits that the software has taken out of the receive buffer.
  input  logic [ConsumptionLanes*SpaceBits-1:0]          freed_i,
  // Stalls: the node takes nothing, a lane sends nothing.
  input  logic                                           stalled_i,
  input  logic [InjectionLanes-1:0]                      stalled_lanes_i
);
  localparam int FillBits = $clog2(ConsumptionDepth + 1);
  localparam int LaneBits = (InjectionLanes > 1) ? $clog2(InjectionLanes) : 1;

  logic [InjectionLanes-1:0] idle, with_credit, offered, able;

  // Waiting worm k takes the next idle lane.
  for (genvar k = 0; k < InjectionLanes; k++) begin : start
    logic [InjectionLanes-1:0] free, next, lane;
    if (k == 0) begin : begins
      assign free = idle;
    end else begin : goes_on
      assign free = start[k-1].free & ~start[k-1].lane;
    end
    lane_group #(.Lanes(InjectionLanes)) lane_group (
      .free_i       (free),
      .with_credit_i(with_credit),
      .pointer_i    (LaneBits'(0)),
      .lane_o       (next)
    );
    assign lane       = wait_i[k] ? next : '0;
    assign begun_o[k] = lane != '0;
  end

  // For each lane, the waiting worm that it takes.
  logic [InjectionLanes*InjectionLanes-1:0] takes;
  for (genvar k = 0; k < InjectionLanes; k++) begin : given
    for (genvar c = 0; c < InjectionLanes; c++) begin : to
      assign takes[c*InjectionLanes + k] = start[k].lane[c];
    end
  end

  for (genvar c = 0; c < InjectionLanes; c++) begin : inj
    logic                     starts;
    logic [WormBits-1:0]      worm;
    logic [flit::EncBits-1:0] enc;
    logic [LengthBits-1:0]    header, length;

    assign starts = takes[c*InjectionLanes +: InjectionLanes] != '0;
    always_comb begin
      worm   = '0;
      enc    = '0;
      header = '0;
      length = '0;
      for (int k = 0; k < InjectionLanes; k++) begin
        if (takes[c*InjectionLanes + k]) begin
          worm   |= worm_i[k*WormBits +: WormBits];
          enc    |= enc_i[k*flit::EncBits +: flit::EncBits];
          header |= header_i[k*LengthBits +: LengthBits];
          length |= length_i[k*LengthBits +: LengthBits];
        end
      end
    end

    injector #(
      .DataBits  (Width - flit::Data),
      .WormBits  (WormBits),
      .LengthBits(LengthBits)
    ) injector (
      .clk_i,
      .rst_ni,
      .start_i (starts),
      .worm_i  (worm),
      .enc_i   (enc),
      .header_i(header),
      .length_i(length),
      .able_i  (able[c]),
      .data_i  (data_i[c*(Width-flit::Data) +: Width-flit::Data]),
      .idle_o  (idle[c]),
      .worm_o  (worm_o[c*WormBits +: WormBits]),
      .index_o (index_o[c*LengthBits +: LengthBits]),
      .sent_o  (sent_o[c]),
      .flit_o  (flit_o[c*Width +: Width])
    );

    credit #(.Depth(InjectionDepth), .ReturnedBits(FreedBits)) credit (
      .clk_i,
      .rst_ni,
      .sent_i    (sent_o[c]),
      .returned_i(returned_i[c*FreedBits +: FreedBits]),
      .any_o     (with_credit[c])
    );

    assign offered[c] = (!idle[c] | starts) & with_credit[c] & !stalled_lanes_i[c];
    if (LinkLanes == 1) begin : alone
      assign able[c] = offered[c];
    end else if (c % LinkLanes == 0) begin : shared
      multiplexer #(.Lanes(LinkLanes)) multiplexer (
        .clk_i,
        .rst_ni,
        .candidates_i(offered[c +: LinkLanes]),
        .winner_o    (able[c +: LinkLanes])
      );
    end
  end

  for (genvar c = 0; c < ConsumptionLanes; c++) begin : ej
    logic [FillBits-1:0] count;
    logic [ConsumptionDepth*Width-1:0] cells;
    logic [((ConsumptionDepth > 1) ? $clog2(ConsumptionDepth) : 1)-1:0] read;
    logic unused_cells;
    assign unused_cells = ^{cells, read};

    fifo #(.Width(Width), .Depth(ConsumptionDepth)) fifo (
      .clk_i,
      .rst_ni,
      .push_i  (push_i[c]),
      .flit_i  (flit_i[c*Width +: Width]),
      .pop_i   (FillBits'(taken_o[c])),
      .count_o (count),
      .window_o(taken_flit_o[c*Width +: Width]),
      .cells_o (cells),
      .read_o  (read)
    );

    sink #(.Space(Space)) sink (
      .clk_i,
      .rst_ni,
      .valid_i  (count != '0),
      .hdr_i    (taken_flit_o[c*Width + flit::Hdr]),
      .stalled_i,
      .freed_i  (freed_i[c*SpaceBits +: SpaceBits]),
      .take_o   (taken_o[c])
    );
  end
endmodule
