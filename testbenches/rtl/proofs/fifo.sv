// FIFO: the flits leave in the order in which they came, and none is lost.
//
// Assumed: credits guarantee a cell for each push, and no more flits leave than there are. The
// harness of the credit loop proves the first of them.
module prove_fifo #(
  parameter int Depth     = 3,
  parameter int CountBits = $clog2(Depth + 1)
) (
  input logic                 clk_i,
  input logic                 push_i,
  input logic [1:0]           flit_i,
  input logic [CountBits-1:0] pop_i
);
  logic up_q = 1'b0;
  always_ff @(posedge clk_i) up_q <= 1'b1;

  logic [CountBits-1:0] count;
  logic [2*Depth-1:0]   window;
  fifo #(.Width(2), .Depth(Depth), .Window(Depth)) dut (
    .clk_i, .rst_ni(up_q), .push_i, .flit_i, .pop_i, .count_o(count), .window_o(window)
  );

  // The same queue as a shift register.
  logic [2*Depth-1:0]   model_q = '0, left;
  logic [CountBits-1:0] length_q = '0, rest;
  assign rest = length_q - pop_i;
  assign left = model_q >> (2 * 32'(pop_i));
  always_ff @(posedge clk_i) begin
    if (!up_q) begin
      length_q <= '0;
    end else begin
      length_q <= rest + CountBits'(push_i);
      for (int k = 0; k < Depth; k++) begin
        model_q[2*k +: 2] <= (push_i && 32'(rest) == k) ? flit_i : left[2*k +: 2];
      end
    end
  end

  always_comb begin
    if (up_q) begin
      assume (pop_i <= count);
      assume (!push_i || 32'(count) < Depth);
      assert (count == length_q);
      assert (32'(count) <= Depth);
      for (int k = 0; k < Depth; k++) begin
        assert (k >= 32'(length_q) || window[2*k +: 2] == model_q[2*k +: 2]);
      end
    end
  end
endmodule
