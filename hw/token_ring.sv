// Token ring: the wires that lead the one token of a group of switches from station to station.
//
//              +-------+
//  captured -->| place |--> here (station)
//  released -->|       |
//              +-------+
//
// A token that is released, or that no worm wants, moves on. If a station passes it on in cycle t,
// the next station has it in t + HopCycles. A ring of one station has no wires. Its token is here in
// every cycle, except from the cycle after a capture to the cycle of the release
// (docs/reference/timing.md, R6.5, R6.6, R6.14, R6.15).
module token_ring #(
  parameter int Stations  = 4,
  parameter int HopCycles = 1
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  // Stations that capture or release the token.
  input  logic [Stations-1:0] captured_i,
  input  logic [Stations-1:0] released_i,
  output logic [Stations-1:0] here_o
);
  localparam int PlaceBits = (Stations > 1) ? $clog2(Stations) : 1;
  // A ring of one station has a register too, so the token is back one cycle later.
  localparam int Hop     = (Stations == 1) ? 1 : HopCycles;
  localparam int HopBits = $clog2(Hop + 1);

  // The station that has the token, or that it reaches next; whether a worm holds it there; the
  // cycles in which the token still travels.
  logic [PlaceBits-1:0] place_q;
  logic                 held_q;
  logic [HopBits-1:0]   travels_q;

  logic is_at, leaves;
  assign is_at  = !held_q && travels_q == '0;
  assign here_o = is_at ? Stations'(1) << place_q : '0;
  assign leaves = released_i != '0 || (Stations > 1 && is_at && captured_i == '0);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      place_q   <= '0;
      held_q    <= 1'b0;
      travels_q <= '0;
    end else if (travels_q != '0) begin
      travels_q <= travels_q - HopBits'(1);
    end else if (leaves) begin
      place_q   <= (32'(place_q) + 1 == Stations) ? '0 : place_q + PlaceBits'(1);
      held_q    <= 1'b0;
      travels_q <= HopBits'(Hop - 1);
    end else begin
      held_q    <= held_q | (captured_i != '0);
    end
  end

`ifdef WORMSCOPE_ASSERTIONS
  always @(posedge clk_i) begin
    if (rst_ni) begin
      assert ((here_o & (here_o - Stations'(1))) == '0)
          else $fatal(1, "%m: rule broken: one station has the token");
      assert ((captured_i & ~here_o) == '0)
          else $fatal(1, "%m: rule broken: only a token that is here is captured");
      assert (released_i == '0 || held_q || captured_i == released_i)
          else $fatal(1, "%m: rule broken: only a token that is held is released");
    end
  end
`endif
endmodule
