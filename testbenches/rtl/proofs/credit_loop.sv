// Credit loop: a credit counter, a link, the FIFO at its end, and the link of the credits. Each
// credit is in one of the four places, so the FIFO has a cell for each push.
//
// Assumed: a lane sends only with a credit, and no more flits leave the FIFO than there are.
module prove_credit_loop #(
  parameter int Depth        = 3,
  parameter int Cycles       = 2,
  parameter int CreditCycles = 1,
  parameter int FreedBits    = 1,
  parameter int CountBits    = $clog2(Depth + 1)
) (
  input logic                 clk_i,
  input logic                 sent_i,
  input logic [CountBits-1:0] pop_i
);
  logic up_q = 1'b0;
  always_ff @(posedge clk_i) up_q <= 1'b1;

  logic                 any, push, unused_flit, comes;
  logic [FreedBits-1:0] freed, value, returned;
  logic [CountBits-1:0] count;
  logic                 window;

  credit #(.Depth(Depth), .ReturnedBits(FreedBits)) credit (
    .clk_i, .rst_ni(up_q), .sent_i, .returned_i(returned), .any_o(any)
  );
  link #(.Width(1), .Cycles(Cycles)) there (
    .clk_i, .rst_ni(up_q), .send_i(sent_i), .value_i(1'b0), .arrive_o(push), .value_o(unused_flit)
  );
  fifo #(.Width(1), .Depth(Depth)) fifo (
    .clk_i, .rst_ni(up_q), .push_i(push), .flit_i(1'b0), .pop_i, .count_o(count), .window_o(window)
  );
  assign freed = FreedBits'(pop_i);
  link #(.Width(FreedBits), .Cycles(CreditCycles)) back (
    .clk_i, .rst_ni(up_q), .send_i(freed != '0), .value_i(freed), .arrive_o(comes), .value_o(value)
  );
  assign returned = value & {FreedBits{comes}};

  // The harness knows what is on the links from its own copies of their registers.
  localparam int There = Cycles - 1;
  localparam int Back  = CreditCycles - 1;
  logic [3:0]             there_q = '0;
  logic [4*FreedBits-1:0] back_q = '0;
  always_ff @(posedge clk_i) begin
    there_q <= up_q ? 4'({there_q, sent_i}) : '0;
    back_q  <= up_q ? (4*FreedBits)'({back_q, freed}) : '0;
  end

  // The register of the credit counter, joined by prove.py.
  logic [CountBits-1:0] credits;
  int total;
  always_comb begin
    total = 32'(credits) + 32'(count);
    for (int k = 0; k < There; k++) total = total + 32'(there_q[k]);
    for (int k = 0; k < Back; k++) total = total + 32'(back_q[k*FreedBits +: FreedBits]);
  end

  always_comb begin
    if (up_q) begin
      assume (!sent_i || any);
      assume (pop_i <= count);
      assume (32'(pop_i) < (1 << FreedBits));
      assert (total == Depth);
      assert (!push || 32'(count) < Depth);
    end
  end
endmodule
