// Header decoder, for worms of the other encodings. A part that is for this switch is stripped
// once, when it is complete. Each worm is decided once, RoutingCycles after the flits of its
// decision are there. Its branches are those of the header at that time.
//
// Assumed: flits leave before the decision only if they are stripped, those behind them move up
// unchanged, and a worm passes only when it is decided. A multidestination worm begins with an
// address. A part of a header has one flit, or two.
module prove_header #(
  parameter int Encoding      = words::Multidestination,
  parameter int RoutingCycles = 1,
  parameter int Parts         = 1
) (
  input logic                                                     clk_i,
  input logic [2:0]                                               count_i,
  input logic [2*Parts*(flit::Data+((Parts == 1) ? 4 : 2))-1:0] window_i,
  input logic                                                     passed_i
);
  localparam int FlitBits = (Parts == 1) ? 4 : 2;
  localparam int Width    = flit::Data + FlitBits;
  localparam int Window   = 2 * Parts;
  localparam int Nodes    = 6;
  localparam int Ports    = 4;
  localparam int Bits     = 2;
  // Tables of a switch between two others: nodes 0 and 1 are behind port 0, node 2 is at port 3.
  localparam logic [7:0]             Own         = 8'd3;
  localparam logic [Nodes*8-1:0]     Route       = {8'd1, 8'd1, 8'd1, Own, 8'd0, 8'd0};
  localparam logic [Nodes-1:0]       Ahead       = 6'b111110;
  localparam logic [Ports*8-1:0]     GroupOf     = {8'd2, 8'd3, 8'd0, 8'd1};
  // Two columns of three nodes: one bit is the column, and two are the row.
  localparam logic [Nodes*3-1:0]     Coordinates = {3'b110, 3'b101, 3'b100, 3'b010, 3'b001, 3'b000};
  // Ports 2 and 3 are up, for masks of zeros.
  localparam logic [2*Ports-1:0]     ClimbPorts  = (Encoding == words::Multiport) ? 8'b0000_1100 : '0;

  logic up_q = 1'b0;
  always_ff @(posedge clk_i) up_q <= 1'b1;

  logic [2:0]               strip;
  logic                     decided;
  logic [Ports-1:0]         groups;
  logic [flit::EncBits-1:0] enc;
  logic                     unused_age;
  decoder #(
    .Width(Width), .FlitBits(FlitBits), .Window(Window), .CountBits(3), .RoutingCycles(RoutingCycles),
    .Encodings(6'(1 << Encoding)), .PartFlits({8{16'(Parts)}}), .Nodes(Nodes), .Ports(Ports), .Groups(Ports),
    .Route(Route), .GroupOf(GroupOf), .ClimbPorts(ClimbPorts), .MaskPorts(Bits), .Ahead(Ahead), .CoordinateBits(3),
    .Coordinates(Coordinates)
  ) dut (
    .clk_i, .rst_ni(up_q), .count_i, .window_i, .strip_o(strip), .decided_o(decided), .groups_o(groups), .enc_o(enc),
    .age_o(unused_age), .passed_i
  );

  // The worm as the harness sees it: in service, stripped, complete, cycles since then, decided.
  logic serves_q = 1'b0, stripped_q = 1'b0, begun_q = 1'b0, decided_q = 1'b0;
  logic serves, strips, stripped, complete, begins, done;
  logic [2:0]              since_q = '0, count_q = '0, strip_q = '0, since, left, needed;
  logic [Window*Width-1:0] window_q = '0;
  logic [Bits-1:0]         mask_q = '0, mask;
  logic [Ports-1:0]        branches_q = '0, branches;

  // The data of the flits, and the first two parts of the header.
  logic [Window*FlitBits-1:0] data;
  for (genvar k = 0; k < Window; k++) begin : flit_data
    assign data[k*FlitBits +: FlitBits] = window_i[k*Width + flit::Data +: FlitBits];
  end
  logic [2:0] first, second, front;
  assign first  = data[2:0];
  assign second = data[Parts*FlitBits +: 3];

  function automatic logic [7:0] port(input logic [2:0] node);
    port = '0;
    for (int n = 0; n < Nodes; n++) if (32'(node) == n) port = Route[n*8 +: 8];
  endfunction
  function automatic logic [Ports-1:0] group(input logic [7:0] to);
    group = '0;
    for (int p = 0; p < Ports; p++) if (32'(to) == p) group = Ports'(1) << GroupOf[p*8 +: 8];
  endfunction

  assign serves   = serves_q || count_i != '0;
  assign strips   = serves && !begun_q && !decided_q && !stripped_q && 32'(count_i) >= Parts &&
                    (Encoding == words::Multiport || (Encoding == words::Multidestination && port(first) == Own));
  assign stripped = stripped_q | strips;
  assign left     = strips ? count_i - 3'(Parts) : count_i;
  // Another address follows, and it is in front after the strip.
  logic follows;
  assign follows  = strips ? window_i[Parts*Width + flit::Hdr] : window_i[flit::Hdr];
  assign front    = strips ? second : first;
  assign mask     = strips ? first[Bits-1:0] : mask_q;

  always_comb begin
    needed   = 3'(2 * Parts);
    branches = '0;
    if (Encoding == words::Multiport) begin
      needed = '0;
      for (int p = 0; p < Bits; p++) if (mask[p]) branches |= group(8'(p));
      // The group of the ports up is the one of the first of them.
      if (mask == '0) branches = 4'b0100;
    end else if (Encoding == words::Multidestination) begin
      needed = (left != '0 && follows) ? 3'(Parts) : 3'd1;
      if (follows) branches = group(port(front));
      if (stripped) branches |= group(Own);
    end else begin
      for (int n = 0; n < Nodes; n++) begin
        if (Ahead[n] && (((Encoding == words::NodeMask) ? 3'(n) : Coordinates[n*3 +: 3]) | second) == (first | second)) begin
          branches |= group(Route[n*8 +: 8]);
        end
      end
    end
  end
  assign complete = serves && left >= needed &&
                    ((Encoding == words::Multiport) ? stripped
                                                    : Encoding != words::Multidestination || stripped || 32'(count_i) >= Parts);
  assign begins   = complete && !begun_q && !decided_q;
  assign since    = begun_q ? since_q : '0;
  assign done     = decided_q | decided;
  always_ff @(posedge clk_i) begin
    if (!up_q || passed_i) begin
      serves_q   <= 1'b0;
      stripped_q <= 1'b0;
      begun_q    <= 1'b0;
      decided_q  <= 1'b0;
      since_q    <= '0;
    end else begin
      serves_q   <= serves;
      stripped_q <= stripped;
      begun_q    <= begun_q | complete;
      decided_q  <= done;
      if ((begun_q | complete) && since != 3'd7) since_q <= since + 3'd1;
    end
    if (!up_q) mask_q <= '0;
    else       mask_q <= mask;
    if (begins) branches_q <= branches;
    count_q  <= count_i;
    strip_q  <= strips ? 3'(Parts) : '0;
    window_q <= window_i;
  end

  // Registers of the decoder, joined by prove.py.
  logic own_busy, own_ready, own_stripped, own_decided;
  logic [((RoutingCycles > 1) ? $clog2(RoutingCycles) : 1)-1:0] own_wait;
  logic [flit::EncBits-1:0] own_enc;
  logic [Bits-1:0]          own_mask;
  logic waits;
  assign waits = serves_q && !decided_q;
  always_comb begin
    if (up_q) begin
      assume (!serves || serves_q || window_i[flit::Enc +: flit::EncBits] == flit::EncBits'(Encoding));
      assume (!passed_i || done);
      assume (!waits || count_i >= count_q - strip_q);
      for (int k = 0; k < Window; k++) begin
        for (int from = 0; from < Window; from++) begin
          assume (!waits || from != k + 32'(strip_q) || from >= 32'(count_q) ||
                  window_i[k*Width +: Width] == window_q[from*Width +: Width]);
        end
      end
      if (Encoding == words::Multidestination) begin
        assume (!serves || stripped_q || done || window_i[flit::Hdr]);
      end
      // A part is stripped in its cycle, once. The decision comes in its cycle, once.
      assert (strip == (strips ? 3'(Parts) : 3'd0));
      assert (!serves || 32'(enc) == Encoding);
      assert (decided == ((begun_q | complete) && !decided_q && 32'(since) == RoutingCycles));
      // The branches are those that the header had when the decision began.
      assert (!decided || groups == (begun_q ? branches_q : branches));

      assert (own_busy == serves_q && own_ready == begun_q && own_decided == decided_q && own_stripped == stripped_q);
      assert (!serves_q || 32'(own_enc) == Encoding);
      assert (decided_q || !begun_q || (32'(since_q) >= 1 && 32'(since_q) <= RoutingCycles &&
              32'(own_wait) == RoutingCycles - 32'(since_q)));
      assert (serves_q || (!begun_q && !decided_q && !stripped_q));
      assert (begun_q || !decided_q);
      assert (strip_q <= count_q && (strip_q == '0 || (32'(strip_q) == Parts && (!waits || stripped_q))));
      assert (!waits || count_q != '0 || stripped_q);
      if (Encoding == words::Multiport) begin
        assert (own_mask == mask_q);
        assert (!begun_q || stripped_q);
      end
      if (Encoding == words::Multidestination) begin
        assert (!begun_q || decided_q || stripped_q || port(first) != Own);
      end
      // The flits that decide stay in front.
      assert (!begun_q || decided_q || branches == branches_q);
      assert (!begun_q || decided_q || left >= needed);
    end
  end
endmodule
