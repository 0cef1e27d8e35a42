// Flit: the side signals of a link in one cycle and the data, packed into one word.
//
// Bits 0 to 2 are head, tail and hdr, bits 5 to 3 have enc, as in flit.rs. The data follow from bit
// 6 on. If wires beside the data carry the header, its bits follow above the data. They are 0 unless
// the flit is a head (R2.36). A testbench adds the numbers of the worm and of the flit at the top.
// With the arbiter oldest_first, decoder.sv reads the number of the worm as its age. A synthesised
// network has only this number, or none (docs/reference/timing.md, R2.2, R2.3).
package flit;
  // A block uses some of the places.
  /* verilator lint_off UNUSEDPARAM */
  localparam int Head = 0;
  localparam int Tail = 1;
  localparam int Hdr  = 2;
  localparam int Enc  = 3;
  localparam int Data = 6;

  localparam int EncBits = 3;
  // Bits of the cycle in which a synchronous worm came.
  localparam int SinceBits = 32;
  /* verilator lint_on UNUSEDPARAM */
endpackage
