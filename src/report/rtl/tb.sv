// Testbench: the software of the nodes, and the judge of their arrivals.
//
// Each node sends its worms in the order of tb/stimulus.txt. The arrivals must be those of
// tb/expected.txt, in the same cycles, with the payload that was sent. tb/events.txt has the stalls,
// and the flits that the software takes out of the receive buffers. With the macro
// WORMSCOPE_REGISTERS, +registers=FILE writes all registers in every cycle, for a comparison with
// the model. With the macro WORMSCOPE_WAVES, the run writes +waves=FILE.
`timescale 1ns / 1ps

module tb;
`include "parameters.svh"

  localparam int IdBits = WormBits + LengthBits;
  // The data of a flit, with the wires beside it that carry a header (R2.36).
  localparam int DataBits = FlitBits + HeaderBits;
  localparam int Width    = flit::Data + DataBits + IdBits;
  // A word of a header: a flit of it, or all wires beside the data.
  localparam int WordBits = (HeaderBits > 0) ? HeaderBits : FlitBits;

  logic clk   = 1'b0;
  logic rst_n = 1'b0;
  always #0.5 clk = !clk;

  // The worms, by number, and the data of their headers.
  logic [63:0]           ready  [0:MaxWorms-1];
  logic [31:0]           source [0:MaxWorms-1];
  logic [31:0]           enc    [0:MaxWorms-1];
  logic [31:0]           header [0:MaxWorms-1];
  logic [31:0]           length [0:MaxWorms-1];
  logic [31:0]           offset [0:MaxWorms-1];
  logic [WordBits-1:0]   data   [0:MaxHeaderFlits-1];
  logic                  loaded = 1'b0;

  // The queue of a node: its first worm that waits, and the worm after each worm.
  localparam logic [31:0] None = '1;
  logic [31:0] first [0:Nodes-1];
  logic [31:0] last  [0:Nodes-1];
  logic [31:0] after [0:MaxWorms-1];

  // The arrivals.
  logic [63:0] due_cycle [0:MaxArrivals-1];
  logic [31:0] due_node  [0:MaxArrivals-1];
  logic [31:0] due_lane  [0:MaxArrivals-1];
  logic [31:0] due_worm  [0:MaxArrivals-1];
  logic [31:0] due_flits [0:MaxArrivals-1];

  // The stalls, and the flits that leave receive buffers.
  localparam int SpaceBits = (Space > 0) ? $clog2(Space + 1) : 1;
  logic [31:0] stall_pins  [0:MaxStalls-1];
  logic [31:0] stall_pin   [0:MaxStalls-1];
  logic [63:0] stall_from  [0:MaxStalls-1];
  logic [63:0] stall_until [0:MaxStalls-1];
  logic [63:0] freed_cycle [0:MaxFreed-1];
  logic [31:0] freed_lane  [0:MaxFreed-1];
  logic [31:0] freed_flits [0:MaxFreed-1];
  int          stalls, frees, free;

  int          worms, arrivals, arrived;
  logic [63:0] cycles;
  logic [63:0] cycle = '0;

  // Pins of the network.
  logic [Nodes*InjectionLanes-1:0]                     waits = '0;
  logic [Nodes*InjectionLanes*WormBits-1:0]            waits_worm = '0;
  logic [Nodes*InjectionLanes*flit::EncBits-1:0]       waits_enc = '0;
  logic [Nodes*InjectionLanes*LengthBits-1:0]          waits_header = '0;
  logic [Nodes*InjectionLanes*LengthBits-1:0]          waits_length = '0;
  logic [Nodes*InjectionLanes-1:0]                     begun;
  logic [Nodes*InjectionLanes*WormBits-1:0]            sends_worm;
  logic [Nodes*InjectionLanes*LengthBits-1:0]          sends_index;
  logic [Nodes*InjectionLanes*(DataBits+IdBits)-1:0]   sends_data;
  logic [Nodes-1:0]                                    stalled_nodes = '0;
  logic [Nodes*InjectionLanes-1:0]                     stalled_injections = '0;
  logic [Switches*SwitchLanes-1:0]                     stalled_outputs = '0;
  logic [Nodes*ConsumptionLanes*SpaceBits-1:0]         freed = '0;
  logic [Nodes*ConsumptionLanes-1:0]                   taken;
  logic [Nodes*ConsumptionLanes*Width-1:0]             taken_flit;

  // Their values from the next clock edge on. Simulators then evaluate the network once a cycle.
  logic [Nodes*InjectionLanes-1:0]                     waits_d = '0;
  logic [Nodes*InjectionLanes*WormBits-1:0]            waits_worm_d = '0;
  logic [Nodes*InjectionLanes*flit::EncBits-1:0]       waits_enc_d = '0;
  logic [Nodes*InjectionLanes*LengthBits-1:0]          waits_header_d = '0;
  logic [Nodes*InjectionLanes*LengthBits-1:0]          waits_length_d = '0;
  logic [Nodes-1:0]                                    stalled_nodes_d = '0;
  logic [Nodes*InjectionLanes-1:0]                     stalled_injections_d = '0;
  logic [Switches*SwitchLanes-1:0]                     stalled_outputs_d = '0;
  logic [Nodes*ConsumptionLanes*SpaceBits-1:0]         freed_d = '0;
  always @(posedge clk) begin
    waits              <= waits_d;
    waits_worm         <= waits_worm_d;
    waits_enc          <= waits_enc_d;
    waits_header       <= waits_header_d;
    waits_length       <= waits_length_d;
    stalled_nodes      <= stalled_nodes_d;
    stalled_injections <= stalled_injections_d;
    stalled_outputs    <= stalled_outputs_d;
    freed              <= freed_d;
  end

  network #(.IdBits(IdBits)) top (
    .clk_i       (clk),
    .rst_ni      (rst_n),
    .wait_i      (waits),
    .worm_i      (waits_worm),
    .enc_i       (waits_enc),
    .header_i    (waits_header),
    .length_i    (waits_length),
    .begun_o     (begun),
    .worm_o      (sends_worm),
    .index_o     (sends_index),
    .data_i      (sends_data),
    .stalled_nodes_i     (stalled_nodes),
    .stalled_injections_i(stalled_injections),
    .stalled_outputs_i   (stalled_outputs),
    .freed_i             (freed),
    .taken_o     (taken),
    .taken_flit_o(taken_flit)
  );

  // The sum of a number's digits of some bits, modulo 2^bits (R2.11).
  function automatic logic [63:0] folded(input logic [31:0] number, input int bits);
    logic [31:0] rest;
    folded = '0;
    rest   = number;
    if (bits > 0) begin
      while (rest != 0) begin
        folded = folded + 64'(rest & ((32'd1 << bits) - 32'd1));
        rest   = (bits < 32) ? rest >> bits : '0;
      end
      folded = folded & ((64'd1 << bits) - 64'd1);
    end
  endfunction

  // Payload is a function of the worm and the index of the flit (R2.6 to R2.12).
  function automatic logic [FlitBits-1:0] payload(input logic [31:0] worm, input logic [31:0] index);
    logic [63:0] word;
    int          bits, lower;
    payload = '0;
    for (int n = 0; n * 64 < FlitBits; n++) begin
      bits  = FlitBits - 64 * n;
      lower = (bits + 1) / 2;
      if (bits >= 64) begin
        bits = 64;
        word = {worm[15:0], index, 16'(n)};
      end else begin
        word = folded(worm, bits - lower) << lower | folded(index, lower);
      end
      for (int b = 0; b < bits; b++) payload[n*64 + b] = word[b];
    end
  endfunction

  // Data of a flit that leaves its node, below its numbers.
  function automatic logic [DataBits+IdBits-1:0] sends(
    input logic is_loaded, input logic [WormBits-1:0] worm, input logic [LengthBits-1:0] index
  );
    logic [DataBits-1:0] word;
    word = DataBits'(payload(worm, 32'(index)));
    if (is_loaded && HeaderBits > 0 && index == '0) begin
      word = word | DataBits'(data[offset[worm]]) << FlitBits;
    end else if (is_loaded && 32'(index) < header[worm]) begin
      word = DataBits'(data[offset[worm] + 32'(index)]);
    end
    sends = {index, worm, word};
  endfunction

  for (genvar l = 0; l < Nodes*InjectionLanes; l++) begin : software
    assign sends_data[l*(DataBits+IdBits) +: DataBits+IdBits] =
        sends(loaded, sends_worm[l*WormBits +: WormBits], sends_index[l*LengthBits +: LengthBits]);
  end

  // The worms that wait in the next cycle.
  task automatic queue(input logic [63:0] now);
    logic [31:0] worm;
    int          at;
    waits_d = '0;
    for (int n = 0; n < Nodes; n++) begin
      worm = first[n];
      for (int k = 0; k < InjectionLanes; k++) begin
        at = n * InjectionLanes + k;
        if (worm != None) begin
          if (ready[worm] > now) begin
            worm = None;
          end else begin
            waits_d[at]                                      = 1'b1;
            waits_worm_d[at*WormBits +: WormBits]            = worm;
            waits_enc_d[at*flit::EncBits +: flit::EncBits]   = enc[worm][flit::EncBits-1:0];
            waits_header_d[at*LengthBits +: LengthBits]      = header[worm][LengthBits-1:0];
            waits_length_d[at*LengthBits +: LengthBits]      = length[worm][LengthBits-1:0];
            worm                                             = after[worm];
          end
        end
      end
    end
  endtask

  // The stalls of the next cycle, and the flits that have left the receive buffers.
  task automatic disturb(input logic [63:0] now);
    stalled_nodes_d      = '0;
    stalled_injections_d = '0;
    stalled_outputs_d    = '0;
    freed_d              = '0;
    for (int s = 0; s < stalls; s++) begin
      if (stall_from[s] <= now && now < stall_until[s]) begin
        if (stall_pins[s] == 0)      stalled_nodes_d[stall_pin[s]]      = 1'b1;
        else if (stall_pins[s] == 1) stalled_injections_d[stall_pin[s]] = 1'b1;
        else                         stalled_outputs_d[stall_pin[s]]    = 1'b1;
      end
    end
    while (free < frees && freed_cycle[free] <= now) begin
      freed_d[freed_lane[free]*SpaceBits +: SpaceBits] =
          freed_d[freed_lane[free]*SpaceBits +: SpaceBits] + freed_flits[free][SpaceBits-1:0];
      free = free + 1;
    end
  endtask

  // Numbers of a file. A file that is too short ends the run.
  function automatic int opened(input string path);
    opened = $fopen(path, "r");
    if (opened == 0) $fatal(1, "cannot read %s", path);
  endfunction

  task automatic load;
    int file, got, at, parts;
    file = opened("tb/stimulus.txt");
    got  = $fscanf(file, "%d %d", worms, cycles);
    if (worms > MaxWorms) $fatal(1, "%0d worms, and MaxWorms is %0d", worms, MaxWorms);
    for (int n = 0; n < Nodes; n++) begin
      first[n] = None;
      last[n]  = None;
    end
    at = 0;
    for (int w = 0; w < worms; w++) begin
      got = $fscanf(file, "%d %d %d %d %d", ready[w], source[w], enc[w], header[w], length[w]);
      if (got != 5) $fatal(1, "tb/stimulus.txt: worm %0d is missing", w);
      offset[w] = at;
      parts = (HeaderBits > 0) ? 1 : header[w];
      if (at + parts > MaxHeaderFlits) $fatal(1, "MaxHeaderFlits is %0d", MaxHeaderFlits);
      for (int k = 0; k < parts; k++) begin
        got = $fscanf(file, "%h", data[at]);
        at  = at + 1;
      end
      after[w] = None;
      if (last[source[w]] == None) first[source[w]] = w;
      else                         after[last[source[w]]] = w;
      last[source[w]] = w;
    end
    $fclose(file);
    file = opened("tb/expected.txt");
    got  = $fscanf(file, "%d", arrivals);
    if (arrivals > MaxArrivals) $fatal(1, "%0d arrivals, and MaxArrivals is %0d", arrivals, MaxArrivals);
    for (int a = 0; a < arrivals; a++) begin
      got = $fscanf(file, "%d %d %d %d %d", due_cycle[a], due_node[a], due_lane[a], due_worm[a], due_flits[a]);
      if (got != 5) $fatal(1, "tb/expected.txt: arrival %0d is missing", a);
    end
    $fclose(file);
    file = opened("tb/events.txt");
    got  = $fscanf(file, "%d %d", stalls, frees);
    if (stalls > MaxStalls) $fatal(1, "%0d stalls, and MaxStalls is %0d", stalls, MaxStalls);
    if (frees > MaxFreed) $fatal(1, "%0d lines of flits, and MaxFreed is %0d", frees, MaxFreed);
    for (int s = 0; s < stalls; s++) begin
      got = $fscanf(file, "%d %d %d %d", stall_pins[s], stall_pin[s], stall_from[s], stall_until[s]);
      if (got != 4) $fatal(1, "tb/events.txt: stall %0d is missing", s);
    end
    for (int f = 0; f < frees; f++) begin
      got = $fscanf(file, "%d %d %d", freed_cycle[f], freed_lane[f], freed_flits[f]);
      if (got != 3) $fatal(1, "tb/events.txt: line %0d of flits is missing", f);
    end
    $fclose(file);
    loaded = 1'b1;
  endtask

  // Index of the first flit of the worm that arrives at each lane.
  logic [LengthBits-1:0] head_index [0:Nodes*ConsumptionLanes-1];
  // The tail of the worm that arrives at a lane is still to come.
  logic [Nodes*ConsumptionLanes-1:0] arriving = '0;

  // Judges the flits that the nodes take in this cycle.
  task automatic judge;
    logic [Width-1:0]      got;
    logic [WormBits-1:0]   worm;
    logic [LengthBits-1:0] index;
    int                    node, lane, flits;
    for (int at = 0; at < Nodes*ConsumptionLanes; at++) begin
      if (taken[at] !== 1'b0) begin
        got   = taken_flit[at*Width +: Width];
        worm  = got[flit::Data + DataBits +: WormBits];
        index = got[flit::Data + DataBits + WormBits +: LengthBits];
        node  = at / ConsumptionLanes;
        lane  = at % ConsumptionLanes;
        if (got[flit::Head]) head_index[at] = index;
        if (got[flit::Head] !== !arriving[at] || got[flit::Hdr] !== (32'(index) < header[worm]) ||
            32'(got[flit::Enc +: flit::EncBits]) !== enc[worm]) begin
          $fatal(1, "FAIL: cycle %0d, node %0d: flit %0d of worm %0d has wrong side signals %b",
                 cycle, node, index, worm, got[flit::Data-1:0]);
        end
        arriving[at] = !got[flit::Tail];
        if (!got[flit::Hdr] && got[flit::Data +: FlitBits] !== payload(worm, 32'(index))) begin
          $fatal(1, "FAIL: cycle %0d, node %0d: flit %0d of worm %0d has wrong data %h",
                 cycle, node, index, worm, got[flit::Data +: FlitBits]);
        end
        if (got[flit::Tail] !== 1'b0) begin
          flits = 32'(index) - 32'(head_index[at]) + 1;
          if (arrived >= arrivals) begin
            $fatal(1, "FAIL: cycle %0d, node %0d: worm %0d arrives, and the model has no more arrivals",
                   cycle, node, worm);
          end
          if (due_cycle[arrived] != cycle || due_node[arrived] != node || due_lane[arrived] != lane ||
              due_worm[arrived] != worm || due_flits[arrived] != flits) begin
            $display("the model: worm %0d, %0d flits, at node %0d, lane %0d, in cycle %0d",
                     due_worm[arrived], due_flits[arrived], due_node[arrived], due_lane[arrived],
                     due_cycle[arrived]);
            $fatal(1, "FAIL: worm %0d, %0d flits, arrives at node %0d, lane %0d, in cycle %0d",
                   worm, flits, node, lane, cycle);
          end
          arrived = arrived + 1;
        end
      end
    end
  endtask

`ifdef WORMSCOPE_REGISTERS
  int registers;
`include "registers.svh"
`endif

  initial begin
    string path;
    arrived = 0;
    free    = 0;
    load;
    queue('0);
    disturb('0);
`ifdef WORMSCOPE_REGISTERS
    if (!$value$plusargs("registers=%s", path)) path = "registers.txt";
    registers = $fopen(path, "w");
    if (registers == 0) $fatal(1, "cannot write %s", path);
`endif
`ifdef WORMSCOPE_WAVES
    if (!$value$plusargs("waves=%s", path)) path = "waves.vcd";
    $dumpfile(path);
    $dumpvars(0, tb);
`endif
    // The reset ends just before cycle 0.
    repeat (4) @(posedge clk);
    #0.1 rst_n = 1'b1;
    while (cycle < cycles) begin
      @(negedge clk);
`ifdef WORMSCOPE_REGISTERS
      dump;
`endif
      judge;
      // The worms that have begun leave the queues at the clock edge.
      for (int at = 0; at < Nodes*InjectionLanes; at++) begin
        if (begun[at]) first[at / InjectionLanes] = after[first[at / InjectionLanes]];
      end
      queue(cycle + 64'd1);
      disturb(cycle + 64'd1);
      @(posedge clk);
      cycle = cycle + 64'd1;
    end
    if (arrived != arrivals) begin
      $fatal(1, "FAIL: %0d of %0d arrivals after %0d cycles", arrived, arrivals, cycles);
    end
    $display("PASS: all %0d arrivals are as the model says, after %0d cycles", arrivals, cycles);
    $finish;
  end
endmodule
