//! Find: the cheapest network that meets some bounds, without a full run of each network.
//!
//! The space is the grid of a sweep. The search works in four steps.
//!
//! 1. Build and price each network with the closed forms of [`cost`](crate::cost). A combination
//!    that breaks a rule of the configuration is no network. A network that breaks a bound of a
//!    cost needs no run.
//! 2. Take the networks in the order of the objective. Make a short run of each. A network that
//!    deadlocks or misses a bound by far is cut. If the objective needs a run, all networks have
//!    their short run first, and its value gives the order.
//! 3. Run the others in full, first with one seed. A network that misses a bound by far is cut.
//!    The rest runs with all seeds, and with more if an interval reaches across a bound.
//! 4. Stop when enough networks hold all bounds. If the objective is a cost, each network that is
//!    left costs more.
//!
//! The order does not depend on the number of processors, so the answer does not either.

mod answer;
mod search;
mod space;
mod task;
mod watch;

pub use answer::{Designs, ErrorBar, Holder, Miss};
pub use search::find;
pub use task::DesignTask;
pub use watch::Progress;
pub(crate) use watch::Watched;
