// Sink: a consumption lane at a node. It takes the front flit of the lane's FIFO. While the
// node is stalled or its receive buffer is full, the flit waits in the FIFO and keeps its credit.
//
//            +-------+
//   valid -->| space |--> take
//     hdr -->|       |
// stalled -->|       |
//   freed -->|       |
//            +-------+
//
// A flit is taken in the cycle of its arrival at the earliest, and one in each cycle. The receive
// buffer holds only payload. With Space 0 the buffer is never full, and there is no register
// (docs/reference/timing.md, R11.11 to R11.15).
module sink #(
  parameter int Space     = 0,
  parameter int SpaceBits = (Space > 0) ? $clog2(Space + 1) : 1
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 valid_i,
  input  logic                 hdr_i,
  input  logic                 stalled_i,
  input  logic [SpaceBits-1:0] freed_i,
  output logic                 take_o
);
  if (Space == 0) begin : never_full
    logic unused_pins;
    assign unused_pins = ^{clk_i, rst_ni, hdr_i, freed_i};
    assign take_o      = valid_i & !stalled_i;
  end else begin : bounded
    logic [SpaceBits-1:0] space_q, space;
    logic                 fills;

    assign space  = space_q + freed_i;
    assign take_o = valid_i & !stalled_i & (hdr_i | space != '0);
    assign fills  = take_o & !hdr_i;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) space_q <= SpaceBits'(Space);
      else         space_q <= space - SpaceBits'(fills);
    end
  end
endmodule
