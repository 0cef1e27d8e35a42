// FlooNoC's router as testbenches/routers/mesh.sv uses it. The macros are options of compare.py.

package floonoc_pkg;
  typedef struct packed {
    logic [3:0] x;
    logic [3:0] y;
    logic       port_id;
  } id_t;

  typedef struct packed {
    id_t                   dst_id;
    id_t                   src_id;
    id_t                   collective_mask;
    floo_pkg::collect_op_e collective_op;
    logic                  last;
  } hdr_t;

  typedef struct packed {
    hdr_t            hdr;
    mesh_pkg::flit_t flit;
  } floo_flit_t;

  function automatic id_t id(mesh_pkg::place_t place);
    return '{x: place.x, y: place.y, port_id: 0};
  endfunction

  function automatic floo_flit_t with_header(mesh_pkg::flit_t flit);
    return '{
      hdr: '{
        dst_id: id(flit.address),
        src_id: id(flit.source),
        collective_mask: id(flit.mask),
        collective_op: flit.multicast ? floo_pkg::Multicast : floo_pkg::Unicast,
        last: flit.index == flit.flits - 1
      },
      flit: flit
    };
  endfunction
endpackage

module router
  import mesh_pkg::*, floonoc_pkg::*;
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
  localparam floo_pkg::collect_op_be_cfg_t Collective = '{EnMulticast: `MULTICAST, default: '0};

  logic       [4:0] valid, ready;
  floo_flit_t [4:0] from, to;

  // The ports have the order of route_direction_e.
  floo_router #(
    .NumRoutes      ( 5                                                 ),
    .NumVirtChannels( 1                                                 ),
    .InFifoDepth    ( `FIFO_DEPTH                                       ),
    .OutFifoDepth   ( `OUT_FIFO_DEPTH                                   ),
    .RouteAlgo      ( `YX ? floo_pkg::YXRouting : floo_pkg::XYRouting   ),
    .IdWidth        ( $bits(id_t)                                       ),
    .id_t           ( id_t                                              ),
    .NoLoopback     ( !`MULTICAST                                       ),
    .CollectiveCfg  ( Collective                                        ),
    .flit_t         ( floo_flit_t                                       ),
    .hdr_t          ( hdr_t                                             )
  ) floo (
    .clk_i         ( clock     ),
    .rst_ni        ( reset_n   ),
    .test_enable_i ( 1'b0      ),
    .xy_id_i       ( id(Place) ),
    .id_route_map_i( '0        ),
    .valid_i       ( valid     ),
    .ready_o       ( ready     ),
    .data_i        ( from      ),
    .credit_o      (           ),
    .valid_o       ( out_valid ),
    .ready_i       ( out_ready ),
    .data_o        ( to        ),
    .credit_i      ( '0        ),
    .offload_req_o (           ),
    .offload_rsp_i ( '0        )
  );

  // Flits that leave the arbiters. With output FIFOs they are on the links later.
  for (genvar d = 0; d < 5; d++) begin : gen_port
    floo_flit_t leaves;
    assign leaves      = floo.out_data[d][0];
    assign out_flit[d] = to[d].flit;
    assign crosses[d]  = floo.out_valid[d][0] & floo.out_ready[d][0];
    assign crossing[d] = leaves.flit;
  end

  for (genvar d = 0; d < 4; d++) begin : gen_link
    assign valid[d]    = in_valid[d];
    assign from[d]     = with_header(in_flit[d]);
    assign in_ready[d] = ready[d];
  end

  // Where routers have output FIFOs, sources have them, too.
  if (`OUT_FIFO_DEPTH > 0) begin : gen_source_fifo
    stream_fifo_optimal_wrap #(
      .Depth  ( `OUT_FIFO_DEPTH ),
      .type_t ( floo_flit_t     )
    ) fifo (
      .clk_i      ( clock                      ),
      .rst_ni     ( reset_n                    ),
      .testmode_i ( 1'b0                       ),
      .flush_i    ( 1'b0                       ),
      .usage_o    (                            ),
      .data_i     ( with_header(in_flit[Node]) ),
      .valid_i    ( in_valid[Node]             ),
      .ready_o    ( in_ready[Node]             ),
      .data_o     ( from[Node]                 ),
      .valid_o    ( valid[Node]                ),
      .ready_i    ( ready[Node]                )
    );
  end else begin : gen_no_source_fifo
    assign from[Node]     = with_header(in_flit[Node]);
    assign valid[Node]    = in_valid[Node];
    assign in_ready[Node] = ready[Node];
  end
endmodule
