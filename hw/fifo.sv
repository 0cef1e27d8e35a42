// FIFO of an input lane or a consumption lane: Depth flits, first word falls through.
//
//          +--------------+
//  push -->| cells[Depth] |--> window (the flits from the front on), cells
//          | read         |--> count, read
//   pop -->| count        |
//          +--------------+
//
// The outputs are registers. In a cycle, all blocks see the flits that are in the FIFO when the
// cycle begins. A flit pushed in cycle t is in front in t + 1 if no flit is before it. The window
// has the first flits, front first: the flits of a header. A flit of the window beyond count has no
// meaning. A replication unit with read pointers of its own reads the cells: the front flit is in
// cell read.
//
// More than one flit leaves in a cycle only when a decoder strips a part of a header. Credits
// guarantee a free cell for each push, and the cell is the last register of the link
// (docs/reference/timing.md, R4.1 to R4.4).
module fifo #(
  parameter int Width     = 70,
  parameter int Depth     = 4,
  parameter int Window    = 1,
  parameter int CountBits = $clog2(Depth + 1),
  parameter int SlotBits  = (Depth > 1) ? $clog2(Depth) : 1
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,
  input  logic                      push_i,
  input  logic [Width-1:0]          flit_i,
  input  logic [CountBits-1:0]      pop_i,
  output logic [CountBits-1:0]      count_o,
  output logic [Window*Width-1:0]   window_o,
  output logic [Depth*Width-1:0]    cells_o,
  output logic [SlotBits-1:0]       read_o
);
  logic [Depth*Width-1:0] cells_q;
  logic [SlotBits-1:0]    read_q;
  logic [CountBits-1:0]   count_q;

  // The cell some places after a cell.
  function automatic logic [SlotBits-1:0] slot(input logic [SlotBits-1:0] from, input int places);
    slot = SlotBits'((32'(from) + places >= Depth) ? 32'(from) + places - Depth : 32'(from) + places);
  endfunction

  // The flit of a cell.
  function automatic logic [Width-1:0] one_of(
    input logic [Depth*Width-1:0] cells, input logic [SlotBits-1:0] at
  );
    one_of = '0;
    for (int c = 0; c < Depth; c++) if (32'(at) == c) one_of |= cells[c*Width +: Width];
  endfunction

  logic [SlotBits-1:0] write;
  assign write = slot(read_q, 32'(count_q));

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      read_q  <= '0;
      count_q <= '0;
    end else begin
      read_q  <= slot(read_q, 32'(pop_i));
      count_q <= count_q + CountBits'(push_i) - pop_i;
    end
  end

  // Each cell has its own enable, and the data need no reset. One dynamic index for all cells would
  // take twice the gates.
  for (genvar k = 0; k < Depth; k++) begin : store
    always_ff @(posedge clk_i) begin
      if (push_i && 32'(write) == k) cells_q[k*Width +: Width] <= flit_i;
    end
  end

  assign count_o = count_q;
  assign cells_o = cells_q;
  assign read_o  = read_q;
  for (genvar k = 0; k < Window; k++) begin : window
    assign window_o[k*Width +: Width] = one_of(cells_q, slot(read_q, k));
  end

`ifdef WORMSCOPE_ASSERTIONS
  always @(posedge clk_i) begin
    if (rst_ni) begin
      assert (pop_i <= count_q)
          else $fatal(1, "%m: rule broken: pop no more than there is");
      assert (!push_i || 32'(count_q) < Depth)
          else $fatal(1, "%m: rule broken: cell for each push");
    end
  end
`endif
endmodule
