//! All tests of the library of testbenches, one program: it is compiled and linked once.

mod atbm;
mod booksim;
mod closed_loop;
mod conservation;
mod cycle_exact;
mod deadlock;
mod dumps;
mod exhaustive;
mod golden;
mod idle;
mod masks;
mod no_return;
mod node;
mod oracle;
mod order;
mod properties;
mod reference;
mod regressions;
mod saturation;
mod scenarios;
mod software;
mod stalls;
mod synchronous;
mod timing_page;
mod token_ring;
mod two_sided;
