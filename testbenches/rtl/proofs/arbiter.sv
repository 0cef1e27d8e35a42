// Arbiter: one winner if there is a request, and it is one of the requests. With round_robin and
// matrix, an input that keeps asking wins after at most Inputs - 1 grants to others.
module prove_arbiter #(
  parameter int Kind        = words::RoundRobin,
  parameter int Inputs      = 4,
  parameter int AgeBits     = (Kind == words::OldestFirst) ? 3 : 1,
  parameter int PointerBits = (Inputs > 1) ? $clog2(Inputs) : 1,
  parameter int AheadBits   = (Kind == words::Matrix) ? Inputs * Inputs : 1
) (
  input logic                      clk_i,
  input logic [Inputs-1:0]         requests_i,
  input logic [Inputs*AgeBits-1:0] ages_i
);
  logic up_q = 1'b0;
  logic [PointerBits-1:0] pointer_q = '0, next;
  logic [AheadBits-1:0]   ahead_q, behind;
  logic [Inputs-1:0]      winner;
  arbiter #(.Kind(Kind), .Inputs(Inputs), .AgeBits(AgeBits)) dut (
    .requests_i, .ages_i, .pointer_i(pointer_q), .ahead_i(ahead_q), .winner_o(winner), .next_o(next),
    .behind_o(behind)
  );

  // The registers, as the allocator keeps them.
  always_ff @(posedge clk_i) begin
    up_q <= 1'b1;
    if (!up_q) begin
      pointer_q <= '0;
      for (int i = 0; i < AheadBits; i++) begin
        ahead_q[i] <= (Kind == words::Matrix) && (i % Inputs) < (i / Inputs);
      end
    end else if (requests_i != '0) begin
      pointer_q <= next;
      ahead_q   <= behind;
    end
  end

  // An input that keeps asking, and the grants to others since it began.
  (* anyconst *) logic [PointerBits-1:0] patient;
  int grants_q = 0;
  int before;
  always_ff @(posedge clk_i) begin
    if (!up_q || !requests_i[patient] || winner[patient]) grants_q <= 0;
    else                                                  grants_q <= grants_q + 1;
  end

  // Inputs that may win before it: those from the pointer on, or those ahead of it.
  always_comb begin
    before = 0;
    if (Kind == words::RoundRobin) begin
      before = (32'(patient) >= 32'(pointer_q)) ? 32'(patient) - 32'(pointer_q)
                                                : 32'(patient) + Inputs - 32'(pointer_q);
    end else if (Kind == words::Matrix) begin
      for (int i = 0; i < Inputs; i++) before = before + 32'(ahead_q[32'(patient)*Inputs + i]);
    end
  end

  always_comb begin
    assume (32'(patient) < Inputs);
    if (up_q) begin
      assert ((winner & (winner - Inputs'(1))) == '0);
      assert ((winner & ~requests_i) == '0);
      assert ((winner != '0) == (requests_i != '0));
      assert (32'(pointer_q) < Inputs);
      if (Kind == words::RoundRobin || Kind == words::Matrix) begin
        assert (grants_q >= 0 && grants_q < Inputs && grants_q + before < Inputs);
      end
    end
    // The rows of a matrix are an order of the inputs.
    if (up_q && Kind == words::Matrix) begin
      for (int i = 0; i < Inputs; i++) begin
        for (int j = 0; j < Inputs; j++) begin
          assert ((i == j) ? !ahead_q[i*Inputs + j] : ahead_q[i*Inputs + j] != ahead_q[j*Inputs + i]);
          for (int k = 0; k < Inputs; k++) begin
            assert (!(ahead_q[i*Inputs + j] && ahead_q[j*Inputs + k]) || ahead_q[i*Inputs + k]);
          end
        end
      end
    end
    if (up_q && Kind == words::OldestFirst) begin
      for (int i = 0; i < Inputs; i++) begin
        for (int j = 0; j < Inputs; j++) begin
          assert (!winner[i] || !requests_i[j] || ages_i[i*AgeBits +: AgeBits] <= ages_i[j*AgeBits +: AgeBits]);
        end
      end
    end
  end
endmodule
