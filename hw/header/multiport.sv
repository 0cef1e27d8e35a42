// Multiport: one mask of output ports for every stage still to come. The first mask names the
// branches at every switch of its stage, and is stripped there.
//
// The mask is stripped in the cycle in which all its flits are in the FIFO, and the decision starts.
// It stays in a register until the decision. Bit p makes port p a branch. A mask of zeros leads up,
// into the group of up lanes of a bidirectional switch (docs/reference/timing.md, R5.9 to R5.11,
// R2.19 to R2.25). Bits is the number of ports that a mask names.
module multiport #(
  parameter int                 FlitBits   = 64,
  parameter int                 PartFlits  = 1,
  parameter int                 CountBits  = 3,
  parameter int                 Bits       = 2,
  parameter int                 Ports      = 4,
  parameter int                 Groups     = 4,
  parameter logic [Ports*8-1:0] GroupOf    = '0,
  parameter logic [2*Ports-1:0] ClimbPorts = '0
) (
  input  logic                          clk_i,
  input  logic                          rst_ni,
  input  logic [CountBits-1:0]          count_i,
  input  logic [PartFlits*FlitBits-1:0] header_i,
  // A worm without a decision is at the front or in service, and the mask was stripped before.
  input  logic                          serves_i,
  input  logic                          stripped_i,
  output logic                          strip_o,
  output logic                          ready_o,
  output logic [Groups-1:0]             groups_o
);
  // Unused bits of the header are 0.
  logic unused_bits;
  assign unused_bits = ^header_i;

  assign strip_o = !stripped_i && 32'(count_i) >= PartFlits;
  assign ready_o = stripped_i | strip_o;

  logic [Bits-1:0] mask_q, mask;
  assign mask = strip_o ? header_i[Bits-1:0] : mask_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni)                 mask_q <= '0;
    else if (serves_i & strip_o) mask_q <= mask;
  end

  // The first port of the first climb names its group.
  localparam logic [Ports-1:0] Up = ClimbPorts[Ports-1:0] & (~ClimbPorts[Ports-1:0] + Ports'(1));

  always_comb begin
    groups_o = '0;
    for (int p = 0; p < Bits; p++) begin
      if (mask[p]) groups_o |= Groups'(1) << GroupOf[p*8 +: 8];
    end
    for (int p = 0; p < Ports; p++) begin
      if (mask == '0 && Up[p]) groups_o |= Groups'(1) << p;
    end
  end
endmodule
