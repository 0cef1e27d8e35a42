//! Testbenches: stimulus and expectations in a file, judged by a run.

mod judge;
pub mod load;
pub mod monitor;
pub mod property;
mod random;
pub mod record;
mod replay;
pub mod run;
pub mod schema;
pub mod suite;

pub use load::{Bench, from_text, load};
pub use run::{BenchError, Failure, Verdict};
pub use schema::Testbench;
