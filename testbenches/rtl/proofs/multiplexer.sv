// Multiplexer: one of the candidates wins, and a candidate that stays one wins after at most
// Lanes - 1 flits of others.
module prove_multiplexer #(
  parameter int Lanes    = 3,
  parameter int LaneBits = (Lanes > 1) ? $clog2(Lanes) : 1
) (
  input logic             clk_i,
  input logic [Lanes-1:0] candidates_i
);
  logic up_q = 1'b0;
  always_ff @(posedge clk_i) up_q <= 1'b1;
  logic [Lanes-1:0] winner;
  multiplexer #(.Lanes(Lanes)) dut (.clk_i, .rst_ni(up_q), .candidates_i, .winner_o(winner));

  (* anyconst *) logic [LaneBits-1:0] patient;
  int flits_q = 0, before;
  always_ff @(posedge clk_i) begin
    if (!up_q || !candidates_i[patient] || winner[patient]) flits_q <= 0;
    else                                                    flits_q <= flits_q + 1;
  end
  // The register of the multiplexer, joined by prove.py.
  logic [LaneBits-1:0] pointer;
  assign before = (patient >= pointer) ? 32'(patient) - 32'(pointer) : 32'(patient) + Lanes - 32'(pointer);
  always_comb begin
    assume (32'(patient) < Lanes);
    if (up_q) begin
      assert (32'(pointer) < Lanes);
      assert ((winner != '0) == (candidates_i != '0));
      assert (flits_q >= 0 && flits_q < Lanes && flits_q + before < Lanes);
    end
  end
endmodule
