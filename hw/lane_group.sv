// Lane group: equivalent output lanes, of which a branch needs one. Examples are the virtual
// channels of a class, dilated links, consumption channels, and the links up of a switch.
//
//         free -->+----------+
//                 | priority |--> lane
//  with credit -->+----------+
//
// Lanes are granted one after the other within a cycle, first the lanes with credit. A lane without
// credit is granted only when no free lane has credit. The lowest lane at or after the pointer goes
// first, cyclically. The pointer is 0 when lanes are granted in ascending order. The lane is one
// bit of lane_o, or 0 if no lane is free (docs/reference/timing.md, R7.3 to R7.5).
module lane_group #(
  parameter int Lanes       = 2,
  parameter int PointerBits = (Lanes > 1) ? $clog2(Lanes) : 1
) (
  input  logic [Lanes-1:0]       free_i,
  input  logic [Lanes-1:0]       with_credit_i,
  input  logic [PointerBits-1:0] pointer_i,
  output logic [Lanes-1:0]       lane_o
);
  logic [Lanes-1:0] good, lanes, behind, from;

  assign good   = free_i & with_credit_i;
  assign lanes  = (good != '0) ? good : free_i;
  assign behind = lanes & ({Lanes{1'b1}} << pointer_i);
  assign from   = (behind != '0) ? behind : lanes;
  assign lane_o = from & (~from + Lanes'(1));
endmodule
