// A mesh of FlooNoC's routers, with a source and a sink at each router. It reads worms and stalls
// from a file, and writes a line for each flit that crosses a link. compare.py builds and runs it.

package mesh_pkg;
  typedef struct packed {
    logic [3:0] x;
    logic [3:0] y;
    logic       port_id;
  } id_t;

  typedef struct packed {
    id_t                   dst_id;
    id_t                   src_id;
    id_t                   collective_mask;
    floo_pkg::collect_op_e collective_op;
    logic                  last;
  } hdr_t;

  typedef struct packed {
    hdr_t        hdr;
    logic [31:0] worm;
    logic [31:0] index;
  } flit_t;

  // A worm of a source: its first cycle, its number and its length.
  typedef struct {
    int  cycle;
    int  number;
    int  flits;
    bit  multicast;
    id_t address;
    id_t mask;
  } worm_t;
endpackage

module mesh
  import mesh_pkg::*;
#(
  parameter int X              = 4,
  parameter int Y              = 4,
  parameter int FifoDepth      = 2,
  parameter int OutFifoDepth   = 0,
  parameter int SinkDepth      = 2,
  parameter bit Multicast      = 1,
  parameter bit YX             = 0
);
  localparam int Nodes = X * Y;
  localparam int MostWorms = 256;
  // Cycles without a crossing after which a run ends: nothing can move any more.
  localparam int Quiet = 64;

  localparam floo_pkg::collect_op_be_cfg_t Collective = '{EnMulticast: Multicast, default: '0};

  logic clock = 0, reset_n = 0;
  int   cycle = 0, last_crossing = 0, last_input = 0;
  always #1 clock = ~clock;

  worm_t worms [Nodes][MostWorms];
  int    waiting [Nodes];
  // Stalls of links, with place 5 for the injection link and place 6 for the sink.
  int    stall_from [Nodes][7], stall_until [Nodes][7];

  // North, east, south, west and node, as in FlooNoC.
  logic  [Nodes-1:0][4:0] in_valid, in_ready, out_valid, out_ready;
  flit_t [Nodes-1:0][4:0] in_flit, out_flit;
  // The crossings of this cycle: a bit for each output, and bit 5 for the injection link.
  logic  [Nodes-1:0][5:0] crosses;
  flit_t [Nodes-1:0][5:0] crossing;

  function automatic bit stalled(int node, int place);
    return cycle >= stall_from[node][place] && cycle < stall_until[node][place];
  endfunction

  for (genvar n = 0; n < Nodes; n++) begin : gen_node
    localparam int Column = n % X, Row = n / X;
    localparam id_t Id = '{x: Column, y: Row, port_id: 0};

    floo_router #(
      .NumRoutes      ( 5                                                  ),
      .NumVirtChannels( 1                                                  ),
      .InFifoDepth    ( FifoDepth                                          ),
      .OutFifoDepth   ( OutFifoDepth                                       ),
      .RouteAlgo      ( YX ? floo_pkg::YXRouting : floo_pkg::XYRouting     ),
      .IdWidth        ( $bits(id_t)                                        ),
      .id_t           ( id_t                                               ),
      .NoLoopback     ( !Multicast                                         ),
      .CollectiveCfg  ( Collective                                         ),
      .flit_t         ( flit_t                                             ),
      .hdr_t          ( hdr_t                                              )
    ) router (
      .clk_i         ( clock        ),
      .rst_ni        ( reset_n      ),
      .test_enable_i ( 1'b0         ),
      .xy_id_i       ( Id           ),
      .id_route_map_i( '0           ),
      .valid_i       ( in_valid[n]  ),
      .ready_o       ( in_ready[n]  ),
      .data_i        ( in_flit[n]   ),
      .credit_o      (              ),
      .valid_o       ( out_valid[n] ),
      .ready_i       ( out_ready[n] ),
      .data_o        ( out_flit[n]  ),
      .credit_i      ( '0           ),
      .offload_req_o (              ),
      .offload_rsp_i ( '0           )
    );

    // Flits that leave the arbiters. With output FIFOs they are on the links later.
    wire [4:0] leaves_valid, leaves_ready;
    for (genvar d = 0; d < 5; d++) begin : gen_leaves
      assign leaves_valid[d] = router.out_valid[d][0];
      assign leaves_ready[d] = router.out_ready[d][0];
      assign crossing[n][d]  = router.out_data[d][0];
    end

    // Links to the neighbours. A stalled link shows neither valid nor ready.
    for (genvar d = 0; d < 4; d++) begin : gen_link
      localparam bit Exists = d == floo_pkg::North ? Row < Y - 1 : d == floo_pkg::East ? Column < X - 1
                            : d == floo_pkg::South ? Row > 0 : Column > 0;
      localparam int Step = d == floo_pkg::North ? X : d == floo_pkg::East ? 1 : d == floo_pkg::South ? -X : -1;
      if (Exists) begin : gen_exists
        wire stall = stalled(n, d);
        assign in_valid[n+Step][(d+2)%4] = out_valid[n][d] & ~stall;
        assign in_flit[n+Step][(d+2)%4]  = out_flit[n][d];
        assign out_ready[n][d]           = in_ready[n+Step][(d+2)%4] & ~stall;
        assign crosses[n][d]             = leaves_valid[d] & leaves_ready[d];
      end else begin : gen_edge
        assign in_valid[n][d]  = 0;
        assign in_flit[n][d]   = '0;
        assign out_ready[n][d] = 0;
        assign crosses[n][d]   = 0;
        always @(posedge clock)
          if (reset_n && out_valid[n][d]) $fatal(1, "node %0d sends a flit over the edge", n);
      end
    end

    // The sink: a FIFO that gives up a flit in each cycle without a stall.
    wire stall_sink = stalled(n, 6);
    wire stall_eject = stalled(n, 4);
    wire sink_ready;
    assign out_ready[n][4] = sink_ready & ~stall_eject;
    assign crosses[n][4]   = leaves_valid[4] & leaves_ready[4];
    int waits = 0;
    wire sink_valid = out_valid[n][4] & ~stall_eject;
    assign sink_ready = waits < SinkDepth;
    always @(posedge clock)
      if (reset_n)
        waits <= waits + (sink_valid && sink_ready ? 1 : 0) - (waits > 0 && !stall_sink ? 1 : 0);

    // The source: one worm after the other, in the order of the file.
    int    current = 0, sent = 0;
    worm_t worm;
    wire   stall_inject = stalled(n, 5);
    logic  source_valid;
    wire   source_ready;
    flit_t source_flit;
    always_comb begin
      worm = worms[n][current];
      source_valid = current < waiting[n] && cycle >= worm.cycle && !stall_inject;
      source_flit = '{
        hdr: '{
          dst_id: worm.address,
          src_id: Id,
          collective_mask: worm.mask,
          collective_op: worm.multicast ? floo_pkg::Multicast : floo_pkg::Unicast,
          last: sent == worm.flits - 1
        },
        worm: worm.number,
        index: sent
      };
    end
    assign crosses[n][5] = source_valid & source_ready;
    assign crossing[n][5] = source_flit;
    // Where routers have output FIFOs, sources have them, too.
    if (OutFifoDepth > 0) begin : gen_source_fifo
      stream_fifo_optimal_wrap #(
        .Depth  ( OutFifoDepth ),
        .type_t ( flit_t       )
      ) fifo (
        .clk_i      ( clock          ),
        .rst_ni     ( reset_n        ),
        .testmode_i ( 1'b0           ),
        .flush_i    ( 1'b0           ),
        .usage_o    (                ),
        .data_i     ( source_flit    ),
        .valid_i    ( source_valid   ),
        .ready_o    ( source_ready   ),
        .data_o     ( in_flit[n][4]  ),
        .valid_o    ( in_valid[n][4] ),
        .ready_i    ( in_ready[n][4] )
      );
    end else begin : gen_no_source_fifo
      assign in_flit[n][4]  = source_flit;
      assign in_valid[n][4] = source_valid;
      assign source_ready   = in_ready[n][4];
    end
    always @(posedge clock) begin
      if (reset_n && crosses[n][5]) begin
        sent    <= sent == worm.flits - 1 ? 0 : sent + 1;
        current <= sent == worm.flits - 1 ? current + 1 : current;
      end
    end

  end

  // A line for each crossing: the cycle, the node, the place, the worm and the index of the flit.
  always @(posedge clock) begin
    if (reset_n) begin
      for (int n = 0; n < Nodes; n++) begin
        for (int p = 0; p < 6; p++) begin
          if (crosses[n][p]) begin
            automatic flit_t flit = crossing[n][p];
            $display("%0d %0d %0d %0d %0d", cycle, n, p, flit.worm, flit.index);
            last_crossing <= cycle;
          end
        end
      end
      if (cycle > last_input + Quiet && cycle > last_crossing + Quiet) $finish;
      cycle <= cycle + 1;
    end
  end

  initial begin
    automatic string path, kind;
    automatic int file, node, place, from, until_cycle, dx, dy, mx, my;
    automatic worm_t worm;
    for (int n = 0; n < Nodes; n++) begin
      waiting[n] = 0;
      for (int p = 0; p < 7; p++) begin
        stall_from[n][p]  = 0;
        stall_until[n][p] = 0;
      end
    end
    if (!$value$plusargs("worms=%s", path)) $fatal(1, "give +worms=FILE");
    file = $fopen(path, "r");
    if (file == 0) $fatal(1, "cannot read %s", path);
    while ($fscanf(file, "%s", kind) == 1) begin
      if (kind == "stall") begin
        if ($fscanf(file, "%d %d %d %d", node, place, from, until_cycle) != 4) $fatal(1, "a stall");
        stall_from[node][place]  = from;
        stall_until[node][place] = until_cycle;
        if (until_cycle > last_input) last_input = until_cycle;
      end else begin
        if ($fscanf(file, "%d %d %d %d %d %d %d %d", worm.cycle, node, worm.number, worm.flits,
                    dx, dy, mx, my) != 8) $fatal(1, "a worm");
        worm.multicast = kind == "multicast";
        worm.address = '{x: dx, y: dy, port_id: 0};
        worm.mask = '{x: mx, y: my, port_id: 0};
        if (waiting[node] == MostWorms) $fatal(1, "node %0d has too many worms", node);
        worms[node][waiting[node]] = worm;
        waiting[node] = waiting[node] + 1;
        if (worm.cycle > last_input) last_input = worm.cycle;
      end
    end
    $fclose(file);
    #2 reset_n = 1;
  end
endmodule
