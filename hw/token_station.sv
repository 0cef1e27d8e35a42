// Station of a token ring. In a group of switches, only the switch with the token copies a worm.
//
//             +-----------+
//   wanted -->| request   |--> captured (input)
//     here -->| holder    |
//             | pointer   |
//  leaving -->| forwarded |--> released
//             +-----------+
//
// A worm whose header names several branches waits for the token before it asks for its lanes. The
// station captures the token in a cycle in which the token is here and wanted. Requests of this cycle
// count. The round-robin pointer chooses one of several inputs.
//
// A visit of the token gives one service. The token is released when the heads must have reached the
// nodes. Then more flits than the bound have left the input of the holder, or the tail has. Capture
// and release can happen in one cycle (docs/reference/timing.md, R6.7 to R6.14).
module token_station #(
  parameter int Inputs    = 4,
  parameter int CountBits = 8
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  // Inputs whose worm is decided in this cycle and begins to wait, and inputs that still wait.
  input  logic [Inputs-1:0]           wanted_i,
  input  logic                        here_i,
  output logic [Inputs-1:0]           waits_o,
  output logic                        captured_o,
  // Front flits that leave the FIFOs, those that are tails, and the bound of each input's worm.
  input  logic [Inputs-1:0]           popped_i,
  input  logic [Inputs-1:0]           tails_i,
  input  logic [Inputs*CountBits-1:0] bounds_i,
  output logic                        released_o
);
  localparam int InputBits = (Inputs > 1) ? $clog2(Inputs) : 1;

  logic [Inputs-1:0]    request_q, request, winner;
  logic [CountBits-1:0] forwarded_q, forwarded, bound;
  // The input that holds the token, if one does.
  logic [Inputs-1:0]    holder_q, holder;
  logic [InputBits-1:0] pointer_q, pointer;

  // The registers after further inputs begin to wait, and after the capture.
  assign request = request_q | wanted_i;
  round_robin #(.Inputs(Inputs)) arbiter (
    .requests_i(request),
    .pointer_i (pointer_q),
    .winner_o  (winner),
    .next_o    (pointer)
  );
  assign captured_o = here_i && request != '0;
  assign waits_o    = captured_o ? request & ~winner : request;
  assign holder     = captured_o ? winner : holder_q;

  // A flit leaves the input of the holder.
  logic leaves, tail;
  assign leaves    = (popped_i & holder) != '0;
  assign tail      = (tails_i & holder) != '0;
  assign forwarded = (captured_o ? '0 : forwarded_q) + CountBits'(leaves);
  always_comb begin
    bound = '0;
    for (int i = 0; i < Inputs; i++) begin
      if (holder[i]) bound |= bounds_i[i*CountBits +: CountBits];
    end
  end
  assign released_o = leaves && (tail || forwarded > bound);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      request_q   <= '0;
      forwarded_q <= '0;
      holder_q    <= '0;
      pointer_q   <= '0;
    end else begin
      request_q   <= waits_o;
      forwarded_q <= forwarded;
      holder_q    <= released_o ? '0 : holder;
      if (captured_o) pointer_q <= pointer;
    end
  end

`ifdef WORMSCOPE_ASSERTIONS
  always @(posedge clk_i) begin
    if (rst_ni) begin
      assert ((holder_q & (holder_q - Inputs'(1))) == '0)
          else $fatal(1, "%m: rule broken: one holder");
      assert ((holder_q & request_q) == '0)
          else $fatal(1, "%m: rule broken: the holder waits no more");
    end
  end
`endif
endmodule
