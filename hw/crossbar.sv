// Crossbar: at most one input drives an output lane in a cycle. An input may drive many lanes.
//
//  select[input] -->+--------+
//     flits      -->| points |--> flit of each lane
//     read       -->|        |
//     ahead      -->+--------+
//
// The block is combinational. A register after it (crossbar_cycles) counts as part of the link. An
// input has the front flit of its FIFO. Where branches have read pointers of their own, it has all
// cells, and a lane reads the cell that is ahead of the front flit by its own pointer. InputDepth
// has the cells of each input, 16 bits each: at most Cells (docs/reference/timing.md, R9.12, R10.1).
module crossbar #(
  parameter int Width     = 70,
  parameter int Inputs    = 5,
  parameter int Lanes     = 5,
  parameter int Cells     = 1,
  parameter int AheadBits = 1,
  parameter int SlotBits  = (Cells > 1) ? $clog2(Cells) : 1,
  parameter logic [Inputs*16-1:0] InputDepth = {Inputs{16'(Cells)}}
) (
  input  logic [Inputs*Lanes-1:0]       select_i,
  input  logic [Inputs*Cells*Width-1:0] flits_i,
  input  logic [Inputs*SlotBits-1:0]    read_i,
  input  logic [Lanes*AheadBits-1:0]    ahead_i,
  output logic [Lanes*Width-1:0]        flit_o
);
  // The flit of a cell.
  localparam int PlaceBits = ((SlotBits > AheadBits) ? SlotBits : AheadBits) + 1;
  function automatic logic [Width-1:0] one_of(
    input logic [Cells*Width-1:0] cells, input logic [PlaceBits-1:0] at
  );
    one_of = '0;
    for (int c = 0; c < Cells; c++) if (32'(at) == c) one_of |= cells[c*Width +: Width];
  endfunction

  for (genvar o = 0; o < Lanes; o++) begin : point
    // The input that drives the lane.
    logic [Cells*Width-1:0] cells;
    logic [SlotBits-1:0]    front;
    always_comb begin
      cells = '0;
      front = '0;
      for (int i = 0; i < Inputs; i++) begin
        cells |= flits_i[i*Cells*Width +: Cells*Width] & {(Cells * Width){select_i[i*Lanes + o]}};
        front |= read_i[i*SlotBits +: SlotBits] & {SlotBits{select_i[i*Lanes + o]}};
      end
    end

    if (Cells > 1) begin : pointer
      // The place goes around behind the last cell of the input.
      logic [PlaceBits-1:0] place, depth, at;
      assign place = PlaceBits'(front) + PlaceBits'(ahead_i[o*AheadBits +: AheadBits]);
      if (InputDepth == {Inputs{16'(Cells)}}) begin : alike
        assign depth = PlaceBits'(Cells);
      end else begin : by_input
        always_comb begin
          depth = '0;
          for (int i = 0; i < Inputs; i++) begin
            depth |= PlaceBits'(InputDepth[i*16 +: 16]) & {PlaceBits{select_i[i*Lanes + o]}};
          end
        end
      end
      assign at = (place >= depth) ? place - depth : place;
      assign flit_o[o*Width +: Width] = one_of(cells, at);
    end else begin : one
      logic unused_pins;
      assign unused_pins = ^{front, ahead_i[o*AheadBits +: AheadBits]};
      assign flit_o[o*Width +: Width] = cells;
    end
  end
endmodule
