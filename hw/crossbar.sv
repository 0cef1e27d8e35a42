// Crossbar: at most one input drives an output lane in a cycle. An input may drive many lanes.
//
//  select[input] -->+--------+
//     flits      -->| points |--> flit of each lane
//     ahead      -->+--------+
//
// The block is combinational. A register after it (crossbar_cycles) counts as part of the link. An
// input has a window of flits of its FIFO, and each lane reads the flit at its own read pointer
// (docs/reference/timing.md, R9.12, R10.1).
module crossbar #(
  parameter int Width     = 70,
  parameter int Inputs    = 5,
  parameter int Lanes     = 5,
  parameter int Window    = 1,
  parameter int AheadBits = 1
) (
  input  logic [Inputs*Lanes-1:0]        select_i,
  input  logic [Inputs*Window*Width-1:0] flits_i,
  input  logic [Lanes*AheadBits-1:0]     ahead_i,
  output logic [Lanes*Width-1:0]         flit_o
);
  for (genvar o = 0; o < Lanes; o++) begin : point
    logic [Window*Width-1:0] window;
    always_comb begin
      window = '0;
      for (int i = 0; i < Inputs; i++) begin
        window |= flits_i[i*Window*Width +: Window*Width] & {(Window * Width){select_i[i*Lanes + o]}};
      end
    end

    if (Window > 1) begin : pointer
      assign flit_o[o*Width +: Width] = window[32'(ahead_i[o*AheadBits +: AheadBits])*Width +: Width];
    end else begin : front
      logic unused_ahead;
      assign unused_ahead = ^ahead_i[o*AheadBits +: AheadBits];
      assign flit_o[o*Width +: Width] = window;
    end
  end
endmodule
