//! Testbenches: stimulus and expectations in a file, judged by a run.
//! `docs/reference/testbenches.md` has every field and the grammar of properties.
//!
//! You can do the same in Rust, in a `#[test]`. Use a file or a text. Or build the testbench in
//! code, where a loop varies values that a file cannot.
//!
//! ```
//! use wormscope::config;
//! use wormscope::experiment::{Message, Workload};
//! use wormscope::hw::Encoding;
//! use wormscope::testbench::schema::{Blocked, Deadlock, Deliveries, Expect};
//! use wormscope::testbench::{self, Bench, Testbench};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // A text as in `testbenches/*.ron`: names of signals, carets, seeds are the same.
//! let bench = testbench::from_text(
//!     "blocked_branch.ron",
//!     r#"(
//!         purpose: "A tree waits for the link that a unicast owns",
//!         network: (topology: linear(nodes: 3)),
//!         workload: [messages([
//!             (cycle: 0, source: 1, destinations: [2], payload_flits: 9),
//!             (cycle: 0, source: 0, destinations: [1, 2], encoding: bit_string, payload_flits: 3),
//!         ])],
//!         expect: (
//!             blocked: [(worm: 1, by: [0], at: "rt_1.out0")],
//!             properties: ["rt_1.in1.state == LANES |-> rt_1.out0.owner != in1"],
//!         ),
//!     )"#,
//! )?;
//! bench.check()?; // the verdict, or an error that says what was not as expected
//!
//! // The same, for FIFOs of several depths.
//! for depth in [2, 4, 16] {
//!     let text = format!("(network: (topology: linear(nodes: 3), switch: (fifo_depth: {depth})))");
//!     let network = config::from_text("line.ron", &text, &[])?.experiment.network;
//!     let message = |source, destinations, encoding, payload_flits| {
//!         Message { cycle: 0, source, destinations, encoding: Some(encoding), class: None, payload_flits }
//!     };
//!     let bench = Bench::new("depths", Testbench {
//!         network: Some(network),
//!         workload: vec![Workload::Messages(vec![
//!             message(1, vec![2], Encoding::Unicast, 9),
//!             message(0, vec![1, 2], Encoding::BitString, 3),
//!         ])],
//!         expect: Expect {
//!             deliveries: vec![Deliveries { worm: 1, to: vec![1, 2], by: Some(30) }],
//!             blocked: vec![Blocked { worm: 1, by: vec![0], at: None, cycles: None }],
//!             deadlock: Some(Deadlock::Never),
//!             properties: vec!["node2.ej.valid |-> eventually !node2.ej.valid".to_owned()],
//!             ..Expect::default()
//!         },
//!         ..Testbench::default()
//!     })?;
//!     bench.check()?;
//! }
//!
//! // Random worms, from as many seeds as you like.
//! let bench = testbench::from_text(
//!     "random.ron",
//!     r#"(
//!         purpose: "Random unicasts arrive",
//!         network: (topology: mesh(radices: [4, 4])),
//!         random: [(worms: 20, cycles: (0, 100), payload_flits: (1, 8))],
//!         expect: (final_state: empty),
//!     )"#,
//! )?;
//! for seed in 0..20 {
//!     let verdict = bench.run(Some(seed))?;
//!     assert!(verdict.passed(), "{verdict}"); // and bench.replay(&verdict, path) writes the waveform of the failure
//! }
//! # Ok(())
//! # }
//! ```

mod cause;
mod compiler;
mod covers;
mod duty;
mod expectations;
mod export;
mod failure;
pub mod found;
mod growth;
mod judge;
pub mod kinds;
mod latencies;
pub mod load;
mod misspelt;
pub mod monitor;
mod multicasts;
pub mod outcome;
mod program;
pub mod property;
mod random;
mod range;
pub mod record;
mod replay;
pub mod run;
pub mod samples;
pub mod schema;
pub mod shrink;
mod sources;
pub mod steer;
pub mod suite;
pub mod sva;

pub use cause::WhyLate;
pub use failure::Failure;
pub use load::{Bench, from_text, is_testbench, load};
pub use run::{BenchError, Verdict};
pub use schema::Testbench;
pub use sources::Sources;
