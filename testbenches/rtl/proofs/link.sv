// Link: a flit arrives Cycles - 1 clock edges after it was sent, on its lane and unchanged.
module prove_link #(
  parameter int Lanes  = 2,
  parameter int Cycles = 3
) (
  input logic               clk_i,
  input logic [Lanes-1:0]   send_i,
  input logic [Lanes*2-1:0] value_i
);
  logic up_q = 1'b0;
  always_ff @(posedge clk_i) up_q <= 1'b1;
  logic [Lanes-1:0]   arrive;
  logic [Lanes*2-1:0] value;
  link #(.Width(2), .Lanes(Lanes), .Cycles(Cycles)) dut (
    .clk_i, .rst_ni(up_q), .send_i, .value_i, .arrive_o(arrive), .value_o(value)
  );
  localparam int Stages = Cycles;
  logic [Stages*Lanes-1:0]   sent_q = '0;
  logic [Stages*Lanes*2-1:0] values_q = '0;
  always_ff @(posedge clk_i) begin
    sent_q   <= up_q ? (Stages*Lanes)'({sent_q, send_i}) : '0;
    values_q <= (Stages*Lanes*2)'({values_q, value_i});
  end
  logic [(Stages+1)*Lanes-1:0]   sent;
  logic [(Stages+1)*Lanes*2-1:0] values;
  assign sent   = {sent_q, send_i};
  assign values = {values_q, value_i};
  always_comb begin
    if (up_q) begin
      assume ((send_i & (send_i - Lanes'(1))) == '0);
      assert (arrive == sent[(Cycles-1)*Lanes +: Lanes]);
      for (int l = 0; l < Lanes; l++) begin
        assert (!arrive[l] || value[l*2 +: 2] == values[((Cycles-1)*Lanes + l)*2 +: 2]);
      end
    end
  end
endmodule
