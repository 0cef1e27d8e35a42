// Crossbar: each lane has the flit of the input that drives it. Assumed: one input at most does,
// and a read pointer names a cell.
module prove_crossbar #(
  parameter int Inputs = 3,
  parameter int Lanes  = 2,
  parameter int Cells  = 2,
  parameter int Bits   = (Cells > 1) ? $clog2(Cells) : 1
) (
  input logic                       clk_i,
  input logic [Inputs*Lanes-1:0]    select_i,
  input logic [Inputs*Cells*2-1:0]  flits_i,
  input logic [Inputs*Bits-1:0]     read_i,
  input logic [Lanes*Bits-1:0]      ahead_i
);
  // The cell that a lane reads.
  function automatic logic [Bits:0] place(input logic [Bits-1:0] front, input logic [Bits-1:0] ahead);
    place = (Bits+1)'(front) + (Bits+1)'(ahead);
    if (32'(place) >= Cells) place = place - (Bits+1)'(Cells);
  endfunction

  logic [Lanes*2-1:0] flit;
  crossbar #(.Width(2), .Inputs(Inputs), .Lanes(Lanes), .Cells(Cells), .AheadBits(Bits)) dut (
    .select_i, .flits_i, .read_i, .ahead_i, .flit_o(flit)
  );
  always_comb begin
    for (int o = 0; o < Lanes; o++) begin
      for (int i = 0; i < Inputs; i++) begin
        for (int j = 0; j < i; j++) assume (!(select_i[i*Lanes + o] && select_i[j*Lanes + o]));
        assume (32'(read_i[i*Bits +: Bits]) < Cells);
        for (int c = 0; c < Cells; c++) begin
          assert (!select_i[i*Lanes + o] || flit[o*2 +: 2] == flits_i[(i*Cells + c)*2 +: 2] ||
                  (Cells > 1 && place(read_i[i*Bits +: Bits], ahead_i[o*Bits +: Bits]) != (Bits+1)'(c)));
        end
      end
    end
  end
endmodule
