// Header decoder of an input lane. It waits until the flits that a decision needs are in the FIFO.
// It strips the part of the header that is for this switch, and after RoutingCycles it names the
// branches.
//
//  window -->+---------+--> strip (flits)
//   count -->| enc     |--> branches (lane groups)
//  passed -->| ready   |
//            | wait    |
//            +---------+
//
//  IDLE -head in front-> HEADER -flits are there-> ROUTE -RoutingCycles-> branches (decided)
//
// header/header.sv has a block for each encoding, which says how many flits a decision needs and
// which branches follow.
// Parts that are not stripped stay in the FIFO until the decision, so this block keeps no copy of
// them. header/multiport.sv keeps the mask that is stripped.
//
// The two steps are in dataflow order. A worm that is decided can pass by the end of the same cycle.
// The next head begins in the cycle after that (docs/reference/timing.md, R5.1 to R5.12). wait_q has
// the cycles that the decision still takes; the Rust has the cycle in which it ends (due).
//
// Bit e of Encodings says that worms of encoding e may come. PartFlits has the flits of a part of
// their headers, 16 bits each. Window is the number of flits that a decision reads. Ahead has the
// nodes ahead of this input, and Coordinates the coordinates of each node. With AgeBits above 1 the
// block keeps the age of the worm, which rides above the data of a flit. With TreeBits above 0 it
// keeps the side signals of a synchronous worm, which are at the top of a head.
//
// With HeaderBits above 0, wires beside the data carry the whole header with the head. Its parts
// are there with the head, so PartFlits is 0 (R2.36, R5.13).
module decoder #(
  parameter int            Width         = 70,
  parameter int            FlitBits      = 64,
  parameter int            HeaderBits    = 0,
  parameter int            Window        = 1,
  parameter int            CountBits     = 3,
  parameter int            RoutingCycles = 1,
  parameter logic [5:0]             Encodings     = 6'b000011,
  parameter logic [8*16-1:0]        PartFlits     = '0,
  parameter int            Nodes         = 9,
  parameter int            Ports         = 5,
  parameter int            Groups        = 5,
  parameter logic [Nodes*8-1:0]     Route         = '0,
  parameter logic [Ports*Nodes-1:0] Reach         = '0,
  parameter logic [Ports*8-1:0]     GroupOf       = '0,
  parameter logic [2*Ports-1:0]     ClimbPorts    = '0,
  parameter logic [2*Ports-1:0]     ClimbBelow    = '0,
  parameter int                     MaskPorts     = 1,
  parameter logic [Nodes-1:0]       Ahead         = '1,
  parameter int                     CoordinateBits = 1,
  parameter logic [Nodes*CoordinateBits-1:0] Coordinates = '0,
  parameter int                     AgeBits       = 1,
  parameter int                     TreeBits      = 0,
  parameter int                     KeptBits      = (TreeBits > 0) ? TreeBits : 1
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  input  logic [CountBits-1:0]    count_i,
  input  logic [Window*Width-1:0] window_i,
  output logic [CountBits-1:0]    strip_o,
  output logic                    decided_o,
  output logic [Groups-1:0]       groups_o,
  output logic [flit::EncBits-1:0] enc_o,
  output logic [AgeBits-1:0]      age_o,
  output logic [KeptBits-1:0]     tree_o,
  input  logic                    passed_i
);
  localparam int WaitBits = (RoutingCycles > 1) ? $clog2(RoutingCycles) : 1;

  // Registers: a worm is in service, its encoding, whether the flits of the decision were in the
  // FIFO, whether the own address or mask is stripped, and whether the branches are known.
  logic                     busy_q, ready_q, stripped_q, decided_q;
  logic [flit::EncBits-1:0] enc_q, enc;
  logic [WaitBits-1:0]      wait_q;

  // A worm is at the front or in service.
  logic serves;
  assign serves = busy_q || count_i != '0;
  assign enc_o  = enc;
  assign enc    = busy_q ? enc_q : window_i[flit::Enc +: flit::EncBits];

  // The header: the data of the flits in front, or the wires beside the front flit. No other bits
  // of them decide. seen has the parts that are there.
  localparam bit Beside     = HeaderBits > 0;
  localparam int WindowBits = Beside ? HeaderBits : Window * FlitBits;
  localparam int SeenBits   = Beside ? 2 : CountBits;
  logic [WindowBits-1:0] header;
  logic [Window-1:0]     hdr;
  logic [SeenBits-1:0]   seen;
  for (genvar k = 0; k < Window; k++) begin : word
    assign hdr[k] = window_i[k*Width + flit::Hdr];
  end
  if (Beside) begin : wires
    assign header = window_i[flit::Data + FlitBits +: HeaderBits];
    assign seen   = {SeenBits{count_i != '0}};
  end else begin : flits
    assign seen = SeenBits'(count_i);
    for (genvar k = 0; k < Window; k++) begin : word
      assign header[k*FlitBits +: FlitBits] = window_i[k*Width + flit::Data +: FlitBits];
    end
  end
  logic unused_bits;
  assign unused_bits = ^window_i;

  // Bits of a part of a header on wires, and the parts of such a header.
  function automatic int part_bits(input int kind);
    case (kind)
      words::BitString:      part_bits = Nodes;
      words::CoordinateMask: part_bits = CoordinateBits;
      default:               part_bits = (Nodes > 1) ? $clog2(Nodes) : 1;
    endcase
  endfunction
  function automatic int parts(input int kind);
    parts = (kind == words::NodeMask || kind == words::CoordinateMask) ? 2 : 1;
  endfunction

  // The decoders of the encodings that may come.
  localparam logic [7:0] Kinds = 8'(Encodings);
  logic [7:0]          ready, strip;
  logic [8*Groups-1:0] groups;
  genvar e;
  for (e = 0; e < 8; e++) begin : encoding
    if (Kinds[e]) begin : used
      // On wires, each part of the header is a word of its own width.
      localparam int WordBits = Beside ? part_bits(e) : FlitBits;
      localparam int Words    = Beside ? parts(e) : Window;
      header #(
        .Encoding      (e),
        .FlitBits      (WordBits),
        .PartFlits     (Beside ? 1 : 32'(PartFlits[e*16 +: 16])),
        .Window        (Words),
        .CountBits     (SeenBits),
        .Nodes         (Nodes),
        .Ports         (Ports),
        .Groups        (Groups),
        .Route         (Route),
        .Reach         (Reach),
        .GroupOf       (GroupOf),
        .ClimbPorts    (ClimbPorts),
        .ClimbBelow    (ClimbBelow),
        .MaskPorts     (MaskPorts),
        .Ahead         (Ahead),
        .CoordinateBits(CoordinateBits),
        .Coordinates   (Coordinates)
      ) header_decoder (
        .clk_i,
        .rst_ni,
        .count_i   (seen),
        .header_i  (header[Words*WordBits-1:0]),
        .hdr_i     (Words'(hdr)),
        .serves_i  (32'(enc) == e && serves && !ready_q),
        .stripped_i(stripped_q),
        .strip_o   (strip[e]),
        .ready_o   (ready[e]),
        .groups_o  (groups[e*Groups +: Groups])
      );
    end else begin : unused
      assign strip[e]                   = 1'b0;
      assign ready[e]                   = 1'b0;
      assign groups[e*Groups +: Groups] = '0;
    end
  end

  // The part of the header that is for this switch leaves the FIFO.
  logic strips;
  assign strips  = serves & !decided_q & !ready_q & strip[enc];
  assign strip_o = strips ? CountBits'(PartFlits[32'(enc)*16 +: 16]) : '0;

  // The decision starts when its flits are there, and ends RoutingCycles later.
  logic starts;
  assign starts = serves & !decided_q & !ready_q & ready[enc];
  if (RoutingCycles == 0) begin : at_once
    logic unused_wait;
    assign unused_wait = ^wait_q;
    assign decided_o   = starts;
    assign wait_q      = '0;
  end else begin : later
    assign decided_o = ready_q & !decided_q && wait_q == '0;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni)             wait_q <= '0;
      else if (starts)         wait_q <= WaitBits'(RoutingCycles - 1);
      else if (wait_q != '0)   wait_q <= wait_q - WaitBits'(1);
    end
  end
  assign groups_o = groups[32'(enc)*Groups +: Groups];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q     <= 1'b0;
      enc_q      <= '0;
      ready_q    <= 1'b0;
      stripped_q <= 1'b0;
      decided_q  <= 1'b0;
    end else begin
      busy_q     <= serves & !passed_i;
      enc_q      <= enc;
      ready_q    <= (ready_q | starts) & !passed_i;
      stripped_q <= (stripped_q | strips) & !passed_i;
      decided_q  <= (decided_q | decided_o) & !passed_i;
    end
  end

  // The age of the worm, for arbiters that compare ages.
  if (AgeBits > 1) begin : ages
    logic [AgeBits-1:0] age_q;
    assign age_o = busy_q ? age_q : window_i[flit::Data + FlitBits + HeaderBits +: AgeBits];
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) age_q <= '0;
      else         age_q <= age_o;
    end
  end else begin : no_ages
    assign age_o = '0;
  end

  // The side signals of a synchronous worm: they stay when its head has left the FIFO.
  if (TreeBits > 0) begin : trees
    logic [TreeBits-1:0] tree_q;
    assign tree_o = busy_q ? tree_q : window_i[Width-TreeBits +: TreeBits];
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) tree_q <= '0;
      else         tree_q <= tree_o;
    end
  end else begin : no_trees
    assign tree_o = '0;
  end
endmodule
