// Token: a ring of stations has one token. It is at a station, on its way, or held by one input.
//
// Assumed: an input that waits or holds the token has no other worm that begins to wait, and a tail
// is a flit that leaves.
module prove_token #(
  parameter int Stations  = 3,
  parameter int HopCycles = 2,
  parameter int Inputs    = 2
) (
  input logic                         clk_i,
  input logic [Stations*Inputs-1:0]   wanted_i,
  input logic [Stations*Inputs-1:0]   popped_i,
  input logic [Stations*Inputs-1:0]   tails_i,
  input logic [Stations*Inputs*3-1:0] bounds_i
);
  logic up_q = 1'b0;
  always_ff @(posedge clk_i) up_q <= 1'b1;

  logic [Stations-1:0]        here, captured, released;
  logic [Stations*Inputs-1:0] waits;
  token_ring #(.Stations(Stations), .HopCycles(HopCycles)) ring (
    .clk_i, .rst_ni(up_q), .captured_i(captured), .released_i(released), .here_o(here)
  );
  // Registers of the stations and of the ring, joined by prove.py.
  logic [Stations*Inputs-1:0] holder, request;
  logic [((Stations > 1) ? $clog2(Stations) : 1)-1:0] place;
  logic [$clog2(((Stations == 1) ? 1 : HopCycles) + 1)-1:0] travels;
  logic       held;

  for (genvar s = 0; s < Stations; s++) begin : at
    logic [Inputs-1:0] own_holder, own_request;
    assign holder[s*Inputs +: Inputs]  = own_holder;
    assign request[s*Inputs +: Inputs] = own_request;
    token_station #(.Inputs(Inputs), .CountBits(3)) station (
      .clk_i, .rst_ni(up_q), .wanted_i(wanted_i[s*Inputs +: Inputs]), .here_i(here[s]),
      .waits_o(waits[s*Inputs +: Inputs]), .captured_o(captured[s]),
      .popped_i(popped_i[s*Inputs +: Inputs]), .tails_i(tails_i[s*Inputs +: Inputs]),
      .bounds_i(bounds_i[s*Inputs*3 +: Inputs*3]), .released_o(released[s])
    );
  end

  logic [Inputs-1:0] begins;
  int holders;
  always_comb begin
    holders = 0;
    for (int n = 0; n < Stations*Inputs; n++) holders = holders + 32'(holder[n]);
  end
  always_comb begin
    begins = '0;
    if (up_q) begin
      assume ((wanted_i & (holder | request)) == '0);
      assume ((tails_i & ~popped_i) == '0);
      // A worm that waits for the token sends nothing.
      assume ((popped_i & waits) == '0);
      assert (32'(place) < Stations);
      assert (holders == 32'(held));
      assert (!held || travels == '0);
      assert (32'(travels) < ((Stations == 1) ? 2 : HopCycles + 1));
      assert ((holder & request) == '0);
      for (int s = 0; s < Stations; s++) begin
        // One input stops waiting with a capture, and none without.
        begins = (wanted_i[s*Inputs +: Inputs] | request[s*Inputs +: Inputs]) & ~waits[s*Inputs +: Inputs];
        assert ((begins & (begins - Inputs'(1))) == '0 && (begins != '0) == captured[s]);
        assert (holder[s*Inputs +: Inputs] == '0 || 32'(place) == s);
        assert (!here[s] || (32'(place) == s && !held));
      end
    end
  end
endmodule
