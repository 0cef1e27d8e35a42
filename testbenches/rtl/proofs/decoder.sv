// Header decoder, for unicast and bit-string worms: each worm is decided once, RoutingCycles after
// its header is in the FIFO, and its branches are those that the tables give.
//
// Assumed: the header stays in front until the decision, flits leave only after it, and a worm passes
// only when it is decided. Flits have as many bits as a third of the bit-string.
module prove_decoder #(
  parameter int RoutingCycles = 1,
  parameter int Parts         = 1
) (
  input logic                            clk_i,
  input logic [2:0]                      count_i,
  input logic [Parts*(flit::Data+4)-1:0] window_i,
  input logic                            passed_i
);
  localparam int Nodes = (Parts == 1) ? 4 : 6;
  localparam int Ports = 3;
  localparam int Width = flit::Data + 4;
  // Tables of a switch between two others: nodes 0 and 1 are behind port 0, node 2 is at port 2.
  localparam logic [6*8-1:0]     Route   = {8'd1, 8'd1, 8'd1, 8'd2, 8'd0, 8'd0};
  localparam logic [Ports*6-1:0] Reach   = {6'b000100, 6'b111000, 6'b000011};
  localparam logic [Ports*8-1:0] GroupOf = {8'd0, 8'd2, 8'd1};
  function automatic logic [Ports*Nodes-1:0] reach();
    for (int p = 0; p < Ports; p++) reach[p*Nodes +: Nodes] = Reach[p*6 +: Nodes];
  endfunction

  logic up_q = 1'b0;
  always_ff @(posedge clk_i) up_q <= 1'b1;

  logic [2:0]               strip;
  logic                     decided;
  logic [Ports-1:0]         groups;
  logic [flit::EncBits-1:0] enc;
  logic                     unused_age;
  decoder #(
    .Width(Width), .FlitBits(4), .Window(Parts), .CountBits(3), .RoutingCycles(RoutingCycles), .Encodings(6'b000011),
    .PartFlits({96'd0, 16'(Parts), 16'd1}), .Nodes(Nodes), .Ports(Ports), .Groups(Ports),
    .Route(Route[Nodes*8-1:0]), .Reach(reach()), .GroupOf(GroupOf)
  ) dut (
    .clk_i, .rst_ni(up_q), .count_i, .window_i, .strip_o(strip), .decided_o(decided), .groups_o(groups), .enc_o(enc),
    .age_o(unused_age), .passed_i
  );

  // The header that is in front, and the worm as the harness sees it: in service, its cycles since
  // its header was complete, decided.
  logic [Parts*4-1:0]       header, header_q;
  logic [flit::EncBits-1:0] kind, kind_q;
  logic                     serves_q = 1'b0, begun_q = 1'b0, decided_q = 1'b0, serves, complete, done;
  logic [2:0]               since_q = '0, count_q = '0, since;
  for (genvar k = 0; k < Parts; k++) begin : part
    assign header[k*4 +: 4] = window_i[k*Width + flit::Data +: 4];
  end
  assign serves   = serves_q || count_i != '0;
  assign kind     = serves_q ? kind_q : window_i[flit::Enc +: flit::EncBits];
  assign complete = serves && 32'(count_i) >= ((kind == 3'(words::Unicast)) ? 1 : Parts);
  assign since    = begun_q ? since_q : '0;
  assign done     = decided_q | decided;
  always_ff @(posedge clk_i) begin
    if (!up_q || passed_i) begin
      serves_q  <= 1'b0;
      begun_q   <= 1'b0;
      decided_q <= 1'b0;
      since_q   <= '0;
    end else begin
      serves_q  <= serves;
      begun_q   <= begun_q | complete;
      decided_q <= done;
      if ((begun_q | complete) && since != 3'd7) since_q <= since + 3'd1;
    end
    header_q <= header;
    kind_q   <= kind;
    count_q  <= count_i;
  end

  // Registers of the decoder, joined by prove.py.
  logic                     own_busy, own_ready, own_decided;
  logic [flit::EncBits-1:0] own_enc;
  logic [((RoutingCycles > 1) ? $clog2(RoutingCycles) : 1)-1:0] own_wait;
  localparam logic [Ports-1:0] One = 3'b001;
  logic [7:0] port;
  assign port = Route[32'(header[$clog2(Nodes)-1:0])*8 +: 8];
  always_comb begin
    if (up_q) begin
      assume (kind == 3'(words::Unicast) || kind == 3'(words::BitString));
      assume (!passed_i || done);
      // A header that is there stays until the decision.
      for (int k = 0; k < Parts; k++) begin
        assume (!serves_q || decided_q || 32'(count_q) <= k || header[k*4 +: 4] == header_q[k*4 +: 4]);
      end
      assume (!serves_q || decided_q || count_i >= count_q);
      assume (32'(header[$clog2(Nodes)-1:0]) < Nodes || kind != 3'(words::Unicast));
      // Nothing is stripped. The decision comes in its cycle, once.
      assert (strip == '0);
      assert (!serves || enc == kind);
      assert (decided == ((begun_q | complete) && !decided_q && 32'(since) == RoutingCycles));
      if (decided && kind == 3'(words::Unicast)) begin
        assert (groups == One << GroupOf[32'(port[1:0])*8 +: 2]);
      end
      if (decided && kind == 3'(words::BitString)) begin
        for (int p = 0; p < Ports; p++) begin
          assert (groups[GroupOf[p*8 +: 2]] == ((header[Nodes-1:0] & Reach[p*6 +: Nodes]) != '0));
        end
      end
      assert (own_busy == serves_q);
      assert (!serves_q || own_enc == kind_q);
      assert (own_ready == begun_q && own_decided == decided_q);
      assert (decided_q || !begun_q || (32'(since_q) >= 1 && 32'(since_q) <= RoutingCycles &&
              32'(own_wait) == RoutingCycles - 32'(since_q)));
      assert (serves_q || (!begun_q && !decided_q));
      assert (begun_q || !decided_q);
      assert (!begun_q || decided_q || 32'(count_q) >= ((kind_q == 3'(words::Unicast)) ? 1 : Parts));
      assert (!serves_q || decided_q || count_q != '0);
    end
  end
endmodule
