// The wormhole router of BaseJump STL as testbenches/routers/mesh.sv uses it. The macros are options
// of compare.py. Beside the flits that cross, the file writes a line for each choice of an output.

package basejump_pkg;
  localparam int Length = 8;
  localparam int Header = Length + $bits(mesh_pkg::place_t);
  localparam int Width  = $bits(mesh_pkg::flit_t) + Header;

  // The router reads the header in the low bits of the first flit. In other flits these bits are 1.
  function automatic logic [Width-1:0] with_header(mesh_pkg::flit_t flit);
    logic [Length-1:0] payload = flit.flits - 1;
    return {flit, flit.index == 0 ? {payload, flit.address.y, flit.address.x} : {Header{1'b1}}};
  endfunction
endpackage

module router
  import mesh_pkg::*, basejump_pkg::*;
#(
  parameter int     Number = 0,
  parameter place_t Place  = '0
) (
  input  logic        clock,
  input  logic        reset_n,
  input  int          cycle,
  input  logic  [4:0] in_valid,
  output logic  [4:0] in_ready,
  input  flit_t [4:0] in_flit,
  output logic  [4:0] out_valid,
  input  logic  [4:0] out_ready,
  output flit_t [4:0] out_flit,
  output logic  [4:0] crosses,
  output flit_t [4:0] crossing
);
  // BaseJump counts ports as node, west, east, north, south, and its rows from the north.
  localparam int Port [5] = '{Node, West, East, South, North};

  logic [4:0][Width+1:0] from, to;

  for (genvar d = 0; d < 5; d++) begin : gen_port
    localparam int P = Port[d];
    assign from[d] = {in_valid[P], out_ready[P], with_header(in_flit[P])};
    assign {out_valid[P], in_ready[P]} = to[d][Width+1-:2];
    assign out_flit[P] = to[d][Width-1:Header];
  end

  assign crosses  = out_valid & out_ready;
  assign crossing = out_flit;

  bsg_wormhole_router #(
    .flit_width_p       ( Width                                                          ),
    .dims_p             ( 2                                                              ),
    .cord_markers_pos_p ( '{8, 4, 0}                                                     ),
    .len_width_p        ( Length                                                         ),
    .reverse_order_p    ( `YX                                                            ),
    .routing_matrix_p   ( `YX ? bsg_wormhole_router_pkg::StrictYX
                              : bsg_wormhole_router_pkg::StrictXY                        ),
    .hold_on_valid_p    ( `HOLD_ON_VALID                                                 )
  ) basejump (
    .clk_i     ( clock              ),
    .reset_i   ( ~reset_n           ),
    .link_i    ( from               ),
    .link_o    ( to                 ),
    .my_cord_i ( {Place.y, Place.x} )
  );

  // What round robin would choose in the first cycle in which the output is free and a head asks.
  for (genvar d = 0; d < 5; d++) begin : gen_choice
    wire [4:0] asks  = basejump.reqs_transpose[d];
    wire [4:0] takes = basejump.yumis[d];
    wire       free  = basejump.out_ch[d].woc.free_to_schedule;
    int        last = 0, chosen_before = -1, chosen;

    always_comb begin
      chosen = chosen_before;
      if (free && chosen < 0)
        for (int step = 5; step >= 1; step--)
          if (asks[(last+step)%5]) chosen = (last + step) % 5;
    end

    always @(posedge clock)
      if (reset_n) begin
        chosen_before <= chosen;
        if (free && takes != 0)
          for (int i = 0; i < 5; i++)
            if (takes[i]) begin
              $display("takes %0d %0d %0d %0d %0d", cycle, Number, Port[d], Port[i], Port[chosen]);
              last <= i;
              chosen_before <= -1;
            end
      end
  end
endmodule
