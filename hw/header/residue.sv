// Residue: the header of a bit-string as it crosses an output lane, masked with the nodes that the
// lane leads to. In Rust it is header::crossing.
//
//  flit -->+---------+--> flit
//  sent -->| word    |
//  tail -->|         |
//          +---------+
//
// Flit k of the header is masked with flit k of Mask. The block counts the header flits of the worm
// that have crossed this lane. Other flits, and worms of other encodings, cross unchanged. At is
// the place of the header in a flit, and Mark the side signal of a flit that carries it
// (docs/reference/timing.md, R2.13 to R2.17).
module residue #(
  parameter int      Width     = 70,
  parameter int      FlitBits  = 64,
  parameter int      PartFlits = 1,
  parameter int      Nodes     = 9,
  parameter int      At        = flit::Data,
  parameter int      Mark      = flit::Hdr,
  parameter logic [Nodes-1:0] Mask      = '1
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             sent_i,
  input  logic [Width-1:0] flit_i,
  output logic [Width-1:0] flit_o
);
  localparam int WordBits = (PartFlits > 1) ? $clog2(PartFlits + 1) : 1;
  localparam logic [PartFlits*FlitBits-1:0] Words = (PartFlits * FlitBits)'(Mask);

  logic is_masked;
  assign is_masked = flit_i[Mark] && 32'(flit_i[flit::Enc +: flit::EncBits]) == words::BitString;

  logic [FlitBits-1:0] mask;
  if (PartFlits == 1) begin : one
    logic unused_pins;
    assign unused_pins = ^{clk_i, rst_ni, sent_i};
    assign mask = Words;
  end else begin : several
    logic [WordBits-1:0] word_q;
    assign mask = Words[32'(word_q)*FlitBits +: FlitBits];

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni)      word_q <= '0;
      else if (sent_i)  word_q <= is_masked ? word_q + WordBits'(1) : '0;
    end
  end

  // The bits of nodes that the lane does not lead to.
  logic [FlitBits-1:0] others;
  assign others = is_masked ? ~mask : '0;
  assign flit_o = flit_i & ~(Width'(others) << At);
endmodule
