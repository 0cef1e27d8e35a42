// Arbiter of an output lane, or of the allocator of a switch: it grants one of several requests
// (docs/reference/timing.md, R7.9 to R7.19). Each kind has a file. arbiter/mod.rs is the Rust of
// this block.
//
//             +---------+
// requests -->| pointer |--> winner
//     ages -->| ahead   |
//             +---------+
//
// The block is combinational, because the lanes of a group take turns within a cycle. The allocator
// keeps the registers: the pointer, and the rows of a matrix. next_o and behind_o are the registers
// after a grant. Inputs are numbered as the arbiter sees them.
module arbiter #(
  parameter int Kind        = words::RoundRobin,
  parameter int Inputs      = 5,
  parameter int AgeBits     = 1,
  parameter int PointerBits = (Inputs > 1) ? $clog2(Inputs) : 1,
  parameter int AheadBits   = (Kind == words::Matrix) ? Inputs * Inputs : 1
) (
  input  logic [Inputs-1:0]         requests_i,
  input  logic [Inputs*AgeBits-1:0] ages_i,
  input  logic [PointerBits-1:0]    pointer_i,
  input  logic [AheadBits-1:0]      ahead_i,
  output logic [Inputs-1:0]         winner_o,
  output logic [PointerBits-1:0]    next_o,
  output logic [AheadBits-1:0]      behind_o
);
  if (Kind != words::OldestFirst) begin : no_ages
    logic unused_ages;
    assign unused_ages = ^ages_i;
  end

  if (Kind == words::FixedPriority) begin : fixed
    fixed_priority #(.Inputs(Inputs)) kind (.requests_i, .winner_o);
    assign next_o   = pointer_i;
    assign behind_o = ahead_i;
  end else if (Kind == words::RrTree) begin : tree
    rr_tree #(.Inputs(Inputs)) kind (.requests_i, .pointer_i, .winner_o, .next_o);
    assign behind_o = ahead_i;
  end else if (Kind == words::Matrix) begin : rows
    matrix #(.Inputs(Inputs)) kind (.requests_i, .ahead_i, .winner_o, .next_o(behind_o));
    assign next_o = pointer_i;
  end else if (Kind == words::OldestFirst) begin : ages
    oldest_first #(.Inputs(Inputs), .AgeBits(AgeBits)) kind (.requests_i, .ages_i, .winner_o);
    assign next_o   = pointer_i;
    assign behind_o = ahead_i;
  end else begin : turns
    round_robin #(.Inputs(Inputs)) kind (.requests_i, .pointer_i, .winner_o, .next_o);
    assign behind_o = ahead_i;
  end
endmodule
