// Credit counter of an output lane or an injection lane: free cells of the FIFO at the other end
// of the link.
//
//            +-------+
//    sent -->| count |--> any
// returned ->|       |
//            +-------+
//
// The output is a register. A credit is spent in the cycle in which the flit crosses. It is back
// credit_cycles after the flit has left the FIFO (docs/reference/timing.md, R10.3, R10.4). When a
// decoder strips several flits, as many credits come back in one cycle.
module credit #(
  parameter int Depth        = 4,
  parameter int ReturnedBits = 1
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  input  logic                    sent_i,
  input  logic [ReturnedBits-1:0] returned_i,
  output logic                    any_o
);
  localparam int CountBits = $clog2(Depth + 1);

  logic [CountBits-1:0] count_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) count_q <= CountBits'(Depth);
    else         count_q <= CountBits'(32'(count_q) + 32'(returned_i) - 32'(sent_i));
  end

  assign any_o = count_q != '0;

`ifdef WORMSCOPE_ASSERTIONS
  always @(posedge clk_i) begin
    if (rst_ni) begin
      assert (!sent_i || count_q != '0)
          else $fatal(1, "%m: rule broken: credit for each flit");
      assert (32'(count_q) + 32'(returned_i) <= Depth + 32'(sent_i))
          else $fatal(1, "%m: rule broken: no more credits than cells");
    end
  end
`endif
endmodule
