// Branches of a tree in a switch with two climbs: a climb counts by its first port, and the ports
// below a climb that counts are no branches.
module prove_encoding (
  input logic       clk_i,
  input logic [6:0] is_branch_i
);
  // Ports 2 and 3 are the first climb, above ports 0 and 1. Ports 4 and 5 are the second, above
  // port 6.
  localparam logic [7*8-1:0] GroupOf = {8'd4, 8'd6, 8'd6, 8'd1, 8'd0, 8'd3, 8'd2};
  logic unused_clock;
  assign unused_clock = clk_i;

  logic [6:0] groups;
  encoding #(
    .Ports(7), .Groups(7), .GroupOf(GroupOf), .ClimbPorts({7'b0110000, 7'b0001100}),
    .ClimbBelow({7'b1000000, 7'b0000011})
  ) dut (.is_branch_i, .groups_o(groups));

  always_comb begin
    assert (groups[2] == (is_branch_i[0] && !is_branch_i[2]));
    assert (groups[3] == (is_branch_i[1] && !is_branch_i[2]));
    assert (groups[0] == is_branch_i[2]);
    assert (groups[6] == is_branch_i[4]);
    assert (groups[4] == (is_branch_i[6] && !is_branch_i[4]));
    assert (!groups[1] && !groups[5]);
  end
endmodule
