// Replication unit of an input lane: it decides which branches take which flit, and when the front
// flit is popped.
//
//   branches -->+----------+--> asks (lane groups)
//    granted -->| branches |
//    present -->| wanted   |--> offer (lanes)
//       able -->| lanes    |
//     chosen -->| taken    |--> sent, pop
//       tail -->|          |--> passed
//               +----------+
//
//  mode          a branch takes                              the front is popped
//  asynchronous  the front flit, when its own lane can       when all have it
//  lockstep      the front flit, when all of this switch can with that
//  buffered      the flit at its own read pointer            when the slowest branch has it
//  sequential    the flit at its read pointer, one branch    by the last
//                after the other
//  synchronous   the front flit, when its lane can; heads    when all have it
//                go on together
//
// The steps are in dataflow order (docs/reference/timing.md, R9.1 to R9.10). The decoder names the
// branches. The unit asks for lanes and gets some. It offers a flit to the lanes that can send. The
// multiplexers say which of these send (chosen_i). In Rust the unit gets only sent.
module replication #(
  parameter int Mode   = words::Asynchronous,
  parameter int Groups = 5,
  parameter int Lanes  = 5
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  // From the decoder: the branches, in the cycle of the decision.
  input  logic              decided_i,
  input  logic [Groups-1:0] branches_i,
  // To the allocator and back. A worm that waits for the token gets no lane.
  output logic              several_o,
  output logic [Groups-1:0] asks_o,
  input  logic [Groups-1:0] granted_i,
  input  logic [Lanes-1:0]  lanes_i,
  // Lanes that can send. next_i has the lanes whose branch has a flit to read in the FIFO.
  input  logic              present_i,
  input  logic [Lanes-1:0]  able_i,
  input  logic [Lanes-1:0]  next_i,
  output logic [Lanes-1:0]  offer_o,
  // From the multiplexers. beyond_i has the lanes whose branch has taken more than the front flit.
  input  logic [Lanes-1:0]  chosen_i,
  output logic [Lanes-1:0]  sent_o,
  input  logic [Lanes-1:0]  tails_i,
  input  logic              tail_i,
  input  logic [Lanes-1:0]  beyond_i,
  output logic              pop_o,
  output logic              passed_o
);
  logic [Groups-1:0] branches_q, wanted_q, branches, wanted, left;
  logic [Lanes-1:0]  lanes_q, taken_q, lanes, held, taken;

  // The registers after the decoder.
  assign branches  = decided_i ? branches_i : branches_q;
  assign wanted    = decided_i ? branches_i : wanted_q;
  assign several_o = (branches & (branches - Groups'(1))) != '0;

  // The lane groups that the unit asks for. With sequential replication it is the first one, once
  // the branch before has passed.
  if (Mode == words::Sequential) begin : one
    assign asks_o = (lanes_q == '0) ? wanted & (~wanted + Groups'(1)) : '0;
  end else begin : all
    assign asks_o = wanted;
  end

  // The registers after the allocator.
  assign left = wanted & ~granted_i;
  assign held = lanes_q | lanes_i;

  // Lanes through which the unit may send a flit.
  logic [Lanes-1:0] able, copies;
  assign able = held & able_i;
  if (Mode == words::Asynchronous || Mode == words::Synchronous) begin : asynchronous
    assign copies = able & ~taken_q;
  end else if (Mode == words::Lockstep) begin : lockstep
    assign copies = (left == '0 && (held & ~able_i) == '0) ? held : '0;
  end else begin : pointers
    assign copies = able & next_i;
  end
  assign offer_o = !present_i ? '0 : several_o ? copies : able;
  assign sent_o  = offer_o & chosen_i;

  // The front flit is popped when every branch has a lane, and every lane held has taken the flit.
  assign lanes    = held & ~tails_i;
  assign taken    = taken_q | sent_o;
  assign pop_o    = sent_o != '0 && left == '0 && (lanes & ~taken) == '0;
  assign passed_o = pop_o & tail_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      branches_q <= '0;
      wanted_q   <= '0;
      lanes_q    <= '0;
      taken_q    <= '0;
    end else if (passed_o) begin
      branches_q <= '0;
      wanted_q   <= '0;
      lanes_q    <= '0;
      taken_q    <= '0;
    end else begin
      branches_q <= branches;
      wanted_q   <= left;
      lanes_q    <= lanes;
      if (pop_o) begin
        // Branches that have the next flit as well.
        taken_q <= lanes & beyond_i;
      end else if (Mode == words::Sequential && lanes == '0) begin
        // A branch has passed. The next one begins with the front flit.
        taken_q <= '0;
      end else begin
        taken_q <= taken;
      end
    end
  end

  if (Mode != words::Buffered && Mode != words::Sequential) begin : front_only
    logic unused_next;
    assign unused_next = ^next_i;
  end

`ifdef WORMSCOPE_ASSERTIONS
  always @(posedge clk_i) begin
    if (rst_ni) begin
      assert ((wanted_q & ~branches_q) == '0)
          else $fatal(1, "%m: rule broken: only branches are wanted");
      assert (branches_q != '0 || lanes_q == '0)
          else $fatal(1, "%m: rule broken: no lane without a worm");
      assert ((sent_o & ~held) == '0)
          else $fatal(1, "%m: rule broken: only held lanes send");
    end
  end
`endif
endmodule
