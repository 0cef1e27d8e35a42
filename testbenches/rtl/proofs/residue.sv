// Residue of a bit-string: each header flit that crosses a lane keeps only the nodes that the lane
// leads to. All other flits, the side signals, and worms of other encodings cross unchanged.
//
// Assumed: a header of a bit-string has PartFlits flits at most, and a worm has flits after it.
module prove_residue #(
  parameter int PartFlits = 3,
  parameter int Nodes     = 2 * PartFlits - 1
) (
  input logic                   clk_i,
  input logic                   sent_i,
  input logic [flit::Data+2:0]  flit_i
);
  localparam int Width = flit::Data + 3;
  // Flits of two bits, and a bit above them that is no data.
  localparam logic [9:0] Mask = 10'b01_1001_0110;

  logic up_q = 1'b0;
  always_ff @(posedge clk_i) up_q <= 1'b1;

  logic [Width-1:0] flit;
  residue #(.Width(Width), .FlitBits(2), .PartFlits(PartFlits), .Nodes(Nodes), .Mask(Mask[Nodes-1:0])) dut (
    .clk_i, .rst_ni(up_q), .sent_i, .flit_i, .flit_o(flit)
  );

  // Header flits of the worm that have crossed.
  logic [2:0] crossed_q = '0;
  logic       is_header;
  assign is_header = flit_i[flit::Hdr] && 32'(flit_i[flit::Enc +: flit::EncBits]) == words::BitString;
  always_ff @(posedge clk_i) begin
    if (!up_q)        crossed_q <= '0;
    else if (sent_i)  crossed_q <= is_header ? crossed_q + 3'd1 : 3'd0;
  end

  logic [((PartFlits > 1) ? $clog2(PartFlits + 1) : 1)-1:0] own_word;
  always_comb begin
    if (up_q) begin
      assume (!is_header || (PartFlits == 1) || 32'(crossed_q) < PartFlits);
      for (int b = 0; b < Width; b++) begin
        if (is_header && b >= flit::Data && b < flit::Data + 2) begin
          for (int k = 0; k < PartFlits; k++) begin
            if (PartFlits == 1 || 32'(crossed_q) == k) begin
              assert (flit[b] == (flit_i[b] && 2*k + b - flit::Data < Nodes && Mask[2*k + b - flit::Data]));
            end
          end
        end else begin
          assert (flit[b] == flit_i[b]);
        end
      end
      assert (PartFlits == 1 || 32'(own_word) == 32'(crossed_q));
      assert (PartFlits == 1 || 32'(crossed_q) <= PartFlits);
    end
  end
endmodule
