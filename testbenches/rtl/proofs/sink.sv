// Sink: it never takes more payload than the receive buffer has space for.
//
// Assumed: the software takes no more flits out of the buffer than are in it.
module prove_sink #(
  parameter int Space     = 3,
  parameter int SpaceBits = $clog2(Space + 1)
) (
  input logic                 clk_i,
  input logic                 valid_i,
  input logic                 hdr_i,
  input logic                 stalled_i,
  input logic [SpaceBits-1:0] freed_i
);
  logic up_q = 1'b0;
  always_ff @(posedge clk_i) up_q <= 1'b1;
  logic take;
  sink #(.Space(Space)) dut (
    .clk_i, .rst_ni(up_q), .valid_i, .hdr_i, .stalled_i, .freed_i, .take_o(take)
  );
  // Flits in the buffer; the register of the sink, joined by prove.py.
  int fill_q = 0;
  logic [SpaceBits-1:0] space;
  always_ff @(posedge clk_i) begin
    if (!up_q) fill_q <= 0;
    else       fill_q <= fill_q + 32'(take && !hdr_i) - 32'(freed_i);
  end
  always_comb begin
    if (up_q) begin
      assume (32'(freed_i) <= fill_q);
      assert (fill_q >= 0 && fill_q <= Space);
      assert (32'(space) + fill_q == Space);
      assert (!take || (valid_i && !stalled_i));
      assert (!(valid_i && !stalled_i && hdr_i) || take);
    end
  end
endmodule
