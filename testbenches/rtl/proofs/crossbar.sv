// Crossbar: each lane has the flit of the input that drives it. Assumed: one input at most does.
module prove_crossbar #(
  parameter int Inputs = 3,
  parameter int Lanes  = 2,
  parameter int Window = 2
) (
  input logic                       clk_i,
  input logic [Inputs*Lanes-1:0]    select_i,
  input logic [Inputs*Window*2-1:0] flits_i,
  input logic [Lanes-1:0]           ahead_i
);
  logic [Lanes*2-1:0] flit;
  crossbar #(.Width(2), .Inputs(Inputs), .Lanes(Lanes), .Window(Window), .AheadBits(1)) dut (
    .select_i, .flits_i, .ahead_i, .flit_o(flit)
  );
  always_comb begin
    for (int o = 0; o < Lanes; o++) begin
      for (int i = 0; i < Inputs; i++) begin
        for (int j = 0; j < i; j++) assume (!(select_i[i*Lanes + o] && select_i[j*Lanes + o]));
        assert (!select_i[i*Lanes + o] ||
                flit[o*2 +: 2] == flits_i[(i*Window + ((Window > 1) ? 32'(ahead_i[o]) : 0))*2 +: 2]);
      end
    end
  end
endmodule
