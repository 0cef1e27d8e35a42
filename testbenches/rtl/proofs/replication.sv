// Replication unit: every branch takes each flit of a worm once and in order, and the front flit is
// popped when all branches have it. Lane l is the only lane of group l.
//
// Assumed: the allocator grants what is asked, a lane sends what the unit offers, and the FIFO has
// Present flits at most.
module prove_replication #(
  parameter int Mode   = words::Asynchronous,
  parameter int Lanes  = 2,
  parameter int Length = 3
) (
  input logic             clk_i,
  input logic             decided_i,
  input logic [Lanes-1:0] branches_i,
  input logic [Lanes-1:0] granted_i,
  input logic [Lanes-1:0] able_i,
  input logic [Lanes-1:0] chosen_i,
  input logic [2:0]       present_i
);
  logic up_q = 1'b0;
  always_ff @(posedge clk_i) up_q <= 1'b1;

  // A worm is decided; flits that the FIFO has popped, and that each lane has taken. A lane that the
  // tail has crossed is done.
  logic               serves_q = 1'b0;
  logic [Lanes-1:0]   worm_q = '0, done_q = '0;
  logic [2:0]         popped_q = '0;
  logic [3*Lanes-1:0] taken_q = '0;

  logic             several, pop, passed;
  logic [Lanes-1:0] asks, offer, sent, next, beyond, tails;
  replication #(.Mode(Mode), .Groups(Lanes), .Lanes(Lanes)) dut (
    .clk_i, .rst_ni(up_q), .decided_i, .branches_i, .several_o(several), .asks_o(asks), .granted_i,
    .lanes_i(granted_i), .present_i(present_i != '0), .able_i, .next_i(next), .offer_o(offer),
    .chosen_i, .sent_o(sent), .tails_i(tails), .tail_i(32'(popped_q) == Length - 1),
    .beyond_i(beyond), .pop_o(pop), .passed_o(passed)
  );

  // The registers of the unit, joined by prove.py.
  logic [Lanes-1:0] unit_branches, unit_wanted, unit_lanes, unit_taken;

  always_comb begin
    for (int l = 0; l < Lanes; l++) begin
      next[l]   = taken_q[3*l +: 3] - popped_q < present_i;
      beyond[l] = 32'(taken_q[3*l +: 3]) + 32'(sent[l]) > 32'(popped_q) + 1;
      tails[l]  = sent[l] && 32'(taken_q[3*l +: 3]) == Length - 1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (passed || !up_q) begin
      serves_q <= 1'b0;
      worm_q   <= '0;
      done_q   <= '0;
      popped_q <= '0;
      taken_q  <= '0;
    end else begin
      serves_q <= serves_q | decided_i;
      if (decided_i) worm_q <= branches_i;
      done_q   <= done_q | tails;
      popped_q <= popped_q + 3'(pop);
      for (int l = 0; l < Lanes; l++) taken_q[3*l +: 3] <= taken_q[3*l +: 3] + 3'(sent[l]);
    end
  end

  logic [Lanes-1:0] worm;
  assign worm = decided_i ? branches_i : worm_q;
  always_comb begin
    if (up_q) begin
      assume (!(decided_i && serves_q));
      assume (!decided_i || branches_i != '0);
      assume ((granted_i & ~asks) == '0);
      assume ((chosen_i & ~offer) == '0);
      // Lanes in lockstep share no link.
      assume (Mode != words::Lockstep || chosen_i == offer);
      assume (32'(present_i) + 32'(popped_q) <= Length);
      for (int l = 0; l < Lanes; l++) begin
        // No branch takes a flit that is not in the FIFO, and none falls behind it.
        assert (!sent[l] || (worm[l] && !done_q[l]));
        assert (!sent[l] || 32'(taken_q[3*l +: 3]) - 32'(popped_q) < 32'(present_i) ||
                Mode == words::Sequential && popped_q == '0);
        assert (32'(taken_q[3*l +: 3]) <= Length);
        assert (done_q[l] == (32'(taken_q[3*l +: 3]) == Length));
        if (pop) assert (!worm[l] || 32'(taken_q[3*l +: 3]) + 32'(sent[l]) > 32'(popped_q));
        if (passed) assert (!worm[l] || 32'(taken_q[3*l +: 3]) + 32'(sent[l]) == Length);
      end
      assert (32'(popped_q) < Length);
      assert (serves_q || (popped_q == '0 && taken_q == '0 && done_q == '0 && worm_q == '0));
      assert (unit_branches == worm_q);
      assert ((unit_wanted & ~worm_q) == '0);
      assert ((unit_lanes & unit_wanted) == '0);
      assert ((unit_taken & ~(unit_lanes | done_q)) == '0);
      assert ((unit_lanes | unit_wanted | done_q) == worm_q && (done_q & (unit_wanted | unit_lanes)) == '0);
      for (int l = 0; l < Lanes; l++) begin
        assert (!unit_wanted[l] || taken_q[3*l +: 3] == '0);
        assert (unit_wanted == '0 || popped_q == '0);
        if (unit_lanes[l]) begin
          assert (taken_q[3*l +: 3] >= popped_q);
          assert (unit_taken[l] == (taken_q[3*l +: 3] > popped_q));
          if (Mode == words::Asynchronous) assert (32'(taken_q[3*l +: 3]) <= 32'(popped_q) + 1);
          // With one branch, or in lockstep, a flit is popped as it is sent.
          if (Mode == words::Lockstep || (worm_q & (worm_q - Lanes'(1))) == '0) begin
            assert (taken_q[3*l +: 3] == popped_q);
          end
        end
      end
    end
  end
endmodule
