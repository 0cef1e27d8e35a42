// Injector: a worm leaves with all its flits, one head, one tail, and its header first.
//
// Assumed: a worm begins on an idle channel and has more flits than its header.
module prove_injector #(
  parameter int LengthBits = 3
) (
  input logic                  clk_i,
  input logic                  start_i,
  input logic [LengthBits-1:0] header_i,
  input logic [LengthBits-1:0] length_i,
  input logic                  able_i
);
  logic up_q = 1'b0;
  always_ff @(posedge clk_i) up_q <= 1'b1;
  logic                  idle, sent, unused_worm;
  logic [LengthBits-1:0] index;
  logic [flit::Data:0]   flit;
  injector #(.DataBits(1), .WormBits(1), .LengthBits(LengthBits)) dut (
    .clk_i, .rst_ni(up_q), .start_i, .worm_i(1'b0), .enc_i('0), .header_i, .length_i, .able_i,
    .data_i(1'b0), .idle_o(idle), .worm_o(unused_worm), .index_o(index), .sent_o(sent), .flit_o(flit)
  );
  // The worm as the harness sees it.
  logic [LengthBits-1:0] length_q = '0, header_q = '0, index_q = '0, length, header, place;
  assign length = start_i ? length_i : length_q;
  assign header = start_i ? header_i : header_q;
  assign place  = start_i ? '0 : index_q;
  always_ff @(posedge clk_i) begin
    if (!up_q) begin
      length_q <= '0;
    end else begin
      length_q <= (sent && place == length - LengthBits'(1)) ? '0 : length;
      header_q <= header;
      index_q  <= place + LengthBits'(sent);
    end
  end
  // Registers of the injector, joined by prove.py.
  logic [LengthBits-1:0] left, own_index, own_header;
  always_comb begin
    if (up_q) begin
      assume (!start_i || (idle && length_i > header_i));
      assert (idle == (length_q == '0));
      assert (idle || (left == length_q - index_q && own_index == index_q && own_header == header_q &&
                       index_q < length_q));
      assert (sent == (able_i && length != '0));
      if (sent) begin
        assert (index == place);
        assert (flit[flit::Head] == (place == '0));
        assert (flit[flit::Tail] == (place == length - LengthBits'(1)));
        assert (flit[flit::Hdr] == (place < header));
      end
    end
  end
endmodule
