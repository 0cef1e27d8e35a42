// A mesh of foreign routers, with a source and a sink at each router. It reads worms and stalls from
// a file, and writes a line for each flit that crosses a link. Each comparison has its own module
// `router`, which maps the flits below to those of the foreign router.

package mesh_pkg;
  typedef struct packed {
    logic [3:0] x;
    logic [3:0] y;
  } place_t;

  // The mask has the bits of the address that do not matter.
  typedef struct packed {
    place_t      source;
    place_t      address;
    place_t      mask;
    logic        multicast;
    logic [15:0] flits;
    logic [31:0] worm;
    logic [31:0] index;
  } flit_t;

  // A worm of a source: its first cycle, its number and its length.
  typedef struct {
    int     cycle;
    int     number;
    int     flits;
    bit     multicast;
    place_t address;
    place_t mask;
  } worm_t;

  // Ports of a router. North has the higher row, and the opposite port is two further.
  localparam int North = 0, East = 1, South = 2, West = 3, Node = 4;
endpackage

module mesh
  import mesh_pkg::*;
#(
  parameter int X         = 4,
  parameter int Y         = 4,
  parameter int SinkDepth = 2
);
  localparam int Nodes = X * Y;
  localparam int MostWorms = 256;
  // Cycles without a crossing after which a run ends: nothing can move any more.
  localparam int Quiet = 64;

  logic clock = 0, reset_n = 0;
  int   cycle = 0, last_crossing = 0, last_input = 0;
  always #1 clock = ~clock;

  worm_t worms [Nodes][MostWorms];
  int    waiting [Nodes];
  // Stalls of links, with place 5 for the injection link and place 6 for the sink.
  int    stall_from [Nodes][7], stall_until [Nodes][7];

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
    localparam place_t Place = '{x: Column, y: Row};

    router #(
      .Number ( n     ),
      .Place  ( Place )
    ) of_node (
      .clock     ( clock           ),
      .reset_n   ( reset_n         ),
      .cycle     ( cycle           ),
      .in_valid  ( in_valid[n]     ),
      .in_ready  ( in_ready[n]     ),
      .in_flit   ( in_flit[n]      ),
      .out_valid ( out_valid[n]    ),
      .out_ready ( out_ready[n]    ),
      .out_flit  ( out_flit[n]     ),
      .crosses   ( crosses[n][4:0] ),
      .crossing  ( crossing[n][4:0] )
    );

    // Links to the neighbours. A stalled link shows neither valid nor ready.
    for (genvar d = 0; d < 4; d++) begin : gen_link
      localparam bit Exists = d == North ? Row < Y - 1 : d == East ? Column < X - 1
                            : d == South ? Row > 0 : Column > 0;
      localparam int Step = d == North ? X : d == East ? 1 : d == South ? -X : -1;
      if (Exists) begin : gen_exists
        wire stall = stalled(n, d);
        assign in_valid[n+Step][(d+2)%4] = out_valid[n][d] & ~stall;
        assign in_flit[n+Step][(d+2)%4]  = out_flit[n][d];
        assign out_ready[n][d]           = in_ready[n+Step][(d+2)%4] & ~stall;
      end else begin : gen_edge
        assign in_valid[n][d]  = 0;
        assign in_flit[n][d]   = '0;
        assign out_ready[n][d] = 0;
        always @(posedge clock)
          if (reset_n && out_valid[n][d]) $fatal(1, "node %0d sends a flit over the edge", n);
      end
    end

    // The sink: a FIFO that gives up a flit in each cycle without a stall.
    wire stall_sink = stalled(n, 6);
    wire stall_eject = stalled(n, 4);
    wire sink_ready;
    assign out_ready[n][Node] = sink_ready & ~stall_eject;
    int waits = 0;
    wire sink_valid = out_valid[n][Node] & ~stall_eject;
    assign sink_ready = waits < SinkDepth;
    always @(posedge clock)
      if (reset_n)
        waits <= waits + (sink_valid && sink_ready ? 1 : 0) - (waits > 0 && !stall_sink ? 1 : 0);

    // The source: one worm after the other, in the order of the file.
    int    current = 0, sent = 0;
    worm_t worm;
    wire   stall_inject = stalled(n, 5);
    always_comb begin
      worm = worms[n][current];
      in_valid[n][Node] = current < waiting[n] && cycle >= worm.cycle && !stall_inject;
      in_flit[n][Node] = '{
        source: Place,
        address: worm.address,
        mask: worm.mask,
        multicast: worm.multicast,
        flits: worm.flits,
        worm: worm.number,
        index: sent
      };
    end
    assign crosses[n][5]  = in_valid[n][Node] & in_ready[n][Node];
    assign crossing[n][5] = in_flit[n][Node];
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
        worm.address = '{x: dx, y: dy};
        worm.mask = '{x: mx, y: my};
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
