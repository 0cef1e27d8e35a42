// Words of the hardware: the choices with which a network is built, under the numbers that
// parameters carry. words.rs has the same names, except that NodeMask is Mask there, LowestLane is
// Lowest and NextLane is RoundRobin.
package words;
  // A design uses some of the words.
  /* verilator lint_off UNUSEDPARAM */

  // Header encoding of a worm, the enc side signal.
  localparam int Unicast = 0;
  localparam int BitString = 1;
  localparam int Multidestination = 2;
  localparam int Multiport = 3;
  localparam int NodeMask = 4;
  localparam int CoordinateMask = 5;

  // How the replication unit serves the branches of a worm.
  localparam int Asynchronous = 0;
  localparam int Lockstep = 1;
  localparam int Buffered = 2;
  localparam int Sequential = 3;
  localparam int Synchronous = 4;

  // Choice among several inputs that want the same free lane.
  localparam int RoundRobin = 0;
  localparam int FixedPriority = 1;
  localparam int RrTree = 2;
  localparam int Matrix = 3;
  localparam int OldestFirst = 4;

  // How a worm with several branches gets its lanes.
  localparam int Incremental = 0;
  localparam int Atomic = 1;

  // Which of the free lanes of a group is granted next.
  localparam int LowestLane = 0;
  localparam int NextLane = 1;
  /* verilator lint_on UNUSEDPARAM */
endpackage
