// Injector: an injection lane of a node. It sends the flits of one worm after the other, at most
// one a cycle and only with a credit.
//
//            +--------+
//   start -->| worm   |--> sent (flit)
//    able -->| enc    |--> idle
//    data -->| index  |--> worm, index
//            | left   |
//            | header |
//            +--------+
//
// Rust has worm, enc and index together as the flit next.
//
// The lane takes a worm in the cycle after the tail of the worm before, at the earliest. The first
// flit may leave in the cycle in which the lane takes the worm. The node's software keeps
// the data: it reads worm_o and index_o and drives data_i in the same cycle
// (docs/reference/timing.md, R11.5 to R11.9).
module injector #(
  parameter int DataBits   = 64,
  parameter int WormBits   = 32,
  parameter int LengthBits = 24
) (
  input  logic                            clk_i,
  input  logic                            rst_ni,
  input  logic                            start_i,
  input  logic [WormBits-1:0]             worm_i,
  input  logic [flit::EncBits-1:0]        enc_i,
  input  logic [LengthBits-1:0]           header_i,
  input  logic [LengthBits-1:0]           length_i,
  input  logic                            able_i,
  input  logic [DataBits-1:0]             data_i,
  output logic                            idle_o,
  output logic [WormBits-1:0]             worm_o,
  output logic [LengthBits-1:0]           index_o,
  output logic                            sent_o,
  output logic [DataBits+flit::Data-1:0]  flit_o
);
  logic [WormBits-1:0]      worm_q;
  logic [flit::EncBits-1:0] enc_q, enc;
  logic [LengthBits-1:0]    index_q, left_q, header_q, left, header;

  assign idle_o = left_q == '0;

  // The registers after the channel has taken a worm.
  assign worm_o  = start_i ? worm_i   : worm_q;
  assign enc     = start_i ? enc_i    : enc_q;
  assign index_o = start_i ? '0       : index_q;
  assign left    = start_i ? length_i : left_q;
  assign header  = start_i ? header_i : header_q;

  assign sent_o = left != '0 && able_i;
  assign flit_o = {data_i, enc, index_o < header, left == LengthBits'(1), index_o == '0};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      worm_q   <= '0;
      enc_q    <= '0;
      index_q  <= '0;
      left_q   <= '0;
      header_q <= '0;
    end else begin
      worm_q   <= worm_o;
      enc_q    <= enc;
      index_q  <= index_o + LengthBits'(sent_o);
      left_q   <= left - LengthBits'(sent_o);
      header_q <= header;
    end
  end
endmodule
