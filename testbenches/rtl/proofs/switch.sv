// A whole switch of two inputs and two output lanes, as in a unidirectional multistage network.
// Each lane carries one worm after the other. The flits of a worm come in order, none is missing
// between its head and its tail, and the worm belongs on the lane. The assertions of all blocks
// hold, so the blocks keep the assumptions that their own proofs make about neighbours.
//
// Bounded: the proof is for the first cycles after the reset. Assumed: the neighbours keep the
// protocol. Flits come with a credit, and each credit comes back once. Each worm has a head, then
// payload, then a tail. Unicasts and bit-strings come in any order, in any cycle.
module prove_switch #(
  parameter int Replication = words::Asynchronous,
  parameter int Acquisition = words::Incremental,
  parameter int Depth       = 2
) (
  input logic       clk_i,
  input logic [1:0] push_i,
  input logic [1:0] tail_i,
  input logic [1:0] tree_i,
  input logic [7:0] nodes_i,
  input logic [1:0] returned_i,
  input logic [1:0] stalled_i
);
  localparam int FlitBits = 6;
  localparam int Width    = flit::Data + FlitBits;
  // Nodes 0 and 1 are behind lane 0, and nodes 2 and 3 behind lane 1.
  localparam logic [7:0] Reach = 8'b1100_0011;

  logic up_q = 1'b0;
  always_ff @(posedge clk_i) up_q <= 1'b1;

  // The flits that come. A payload flit has its input, worm, place and tail in its data.
  logic [1:0]              busy_q = '0, kind_q = '0;
  logic [3:0]              worm_q = '0, place_q = '0;
  logic [3:0]              cells_q = '0;
  logic [1:0]              freed, tail;
  logic [2*Width-1:0]      comes;
  for (genvar i = 0; i < 2; i++) begin : from
    logic [3:0] nodes;
    logic [2:0] enc;
    assign nodes   = nodes_i[i*4 +: 4];
    assign enc     = (busy_q[i] ? kind_q[i] : tree_i[i]) ? 3'(words::BitString) : 3'(words::Unicast);
    assign tail[i] = busy_q[i] & tail_i[i];
    assign comes[i*Width +: Width] = busy_q[i]
        ? {tail[i], 1'(i), worm_q[i*2 +: 2], place_q[i*2 +: 2], enc, 1'b0, tail[i], 1'b0}
        : {2'b00, nodes, enc, 3'b101};
    always_ff @(posedge clk_i) begin
      if (up_q && push_i[i]) begin
        busy_q[i]         <= !tail[i];
        place_q[i*2 +: 2] <= busy_q[i] ? place_q[i*2 +: 2] + 2'd1 : 2'd0;
        if (tail[i])    worm_q[i*2 +: 2] <= worm_q[i*2 +: 2] + 2'd1;
        if (!busy_q[i]) kind_q[i] <= tree_i[i];
      end
      if (up_q) cells_q[i*2 +: 2] <= cells_q[i*2 +: 2] + 2'(push_i[i]) - 2'(freed[i]);
    end
    always_comb begin
      if (up_q) begin
        assume (!push_i[i] || 32'(cells_q[i*2 +: 2]) < Depth);
        assume (busy_q[i] || nodes != '0 || !tree_i[i]);
        assume (busy_q[i] || tree_i[i] || nodes < 4);
        assert (!freed[i] || cells_q[i*2 +: 2] != '0);
      end
    end
  end

  logic [1:0]         sent;
  logic [2*Width-1:0] goes;
  logic               unused_captured, unused_released;
  switch #(
    .Width(Width), .FlitBits(FlitBits), .FifoDepth(Depth), .Inputs(2), .Lanes(2), .Ports(2), .Groups(2), .Nodes(4),
    .Replication(Replication), .Acquisition(Acquisition), .Encodings(6'b000011), .Links(4'b1001),
    .CreditDepth({2{16'(Depth)}}), .GroupLanes(4'b1001), .Order({8'd1, 8'd0}), .Route({8'd1, 8'd1, 8'd0, 8'd0}),
    .GroupOf({8'd1, 8'd0, 8'd1, 8'd0}), .Reach(Reach), .OutMask(Reach), .Ahead('1), .BoundBits(1)
  ) dut (
    .clk_i, .rst_ni(up_q), .push_i(push_i & {2{up_q}}), .flit_i(comes), .freed_o(freed), .sent_o(sent), .flit_o(goes),
    .returned_i(returned_i & {2{up_q}}), .stalled_i, .token_here_i(1'b0), .captured_o(unused_captured),
    .released_o(unused_released)
  );

  // The worm on each lane, and the flits whose credits are not back.
  logic [1:0] carries_q = '0;
  logic [3:0] next_q = '0, away_q = '0;
  logic [5:0] whose_q = '0;
  for (genvar o = 0; o < 2; o++) begin : to
    logic [Width-1:0]    flit;
    logic [FlitBits-1:0] data;
    assign flit = goes[o*Width +: Width];
    assign data = flit[flit::Data +: FlitBits];
    always_ff @(posedge clk_i) begin
      if (up_q && sent[o]) begin
        carries_q[o]     <= !flit[flit::Tail];
        next_q[o*2 +: 2] <= carries_q[o] ? next_q[o*2 +: 2] + 2'd1 : 2'd0;
        if (carries_q[o]) whose_q[o*3 +: 3] <= data[4:2];
      end
      if (up_q) away_q[o*2 +: 2] <= away_q[o*2 +: 2] + 2'(sent[o]) - 2'(returned_i[o]);
    end
    // The first payload flit of a worm says whose worm it is.
    logic first_q = 1'b0;
    always_ff @(posedge clk_i) if (up_q && sent[o]) first_q <= !carries_q[o];
    always_comb begin
      if (up_q) begin
        assume (!returned_i[o] || away_q[o*2 +: 2] != '0);
        assert (!sent[o] || 32'(away_q[o*2 +: 2]) < Depth);
        if (sent[o] && !carries_q[o]) begin
          assert (flit[flit::Head] && flit[flit::Hdr] && !flit[flit::Tail]);
          if (32'(flit[flit::Enc +: 3]) == words::BitString) begin
            assert (data[3:0] != '0 && (data[3:0] & ~Reach[o*4 +: 4]) == '0);
          end else begin
            assert (32'(flit[flit::Enc +: 3]) == words::Unicast && 32'(data[3:1]) == o);
          end
        end
        if (sent[o] && carries_q[o]) begin
          assert (!flit[flit::Head] && !flit[flit::Hdr] && flit[flit::Tail] == data[5]);
          assert (data[1:0] == next_q[o*2 +: 2]);
          assert (first_q || data[4:2] == whose_q[o*3 +: 3]);
        end
      end
    end
  end
endmodule
