// Link: wires and registers between two instances, Cycles from end to end. Flits go one way and
// credits the other way, each through a separate link.
//
//          +---+---+---+
//  send -->|   |   |   |--> arrive
//          +---+---+---+
//
// A flit or credit sent in cycle t arrives at the clock edge that ends cycle t + Cycles - 1. It
// counts in cycle t + Cycles. The last of the registers is the FIFO cell or the credit counter at
// the far end. So a link of one cycle has no extra register.
//
// The lanes of a link are its virtual channels. In a cycle at most one lane sends, and all lanes
// share the wires of the data. A flit that crosses a switch in cycle t is in the next FIFO in t +
// crossbar_cycles + link_cycles. A register after the crossbar counts as part of the link
// (docs/reference/timing.md, R10.1 to R10.3).
module link #(
  parameter int Width  = 70,
  parameter int Lanes  = 1,
  parameter int Cycles = 1
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic [Lanes-1:0]       send_i,
  input  logic [Lanes*Width-1:0] value_i,
  output logic [Lanes-1:0]       arrive_o,
  output logic [Lanes*Width-1:0] value_o
);
  // The value of the lane that sends.
  logic [Width-1:0] value;
  always_comb begin
    value = '0;
    for (int l = 0; l < Lanes; l++) begin
      value |= value_i[l*Width +: Width] & {Width{send_i[l]}};
    end
  end

  if (Cycles == 1) begin : wires
    logic unused_clock;
    assign unused_clock = clk_i ^ rst_ni;
    assign arrive_o = send_i;
    assign value_o  = {Lanes{value}};
  end else begin : stages
    localparam int Stages = Cycles - 1;
    logic [Stages*Lanes-1:0] valid_q;
    logic [Stages*Width-1:0] value_q;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) valid_q <= '0;
      else         valid_q <= (Stages*Lanes)'({valid_q, send_i});
    end

    // The data need no reset.
    always_ff @(posedge clk_i) begin
      value_q <= (Stages*Width)'({value_q, value});
    end

    assign arrive_o = valid_q[(Stages-1)*Lanes +: Lanes];
    assign value_o  = {Lanes{value_q[(Stages-1)*Width +: Width]}};
  end
endmodule
