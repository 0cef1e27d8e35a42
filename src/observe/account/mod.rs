//! The cause of each cycle of a worm, from its creation to the arrival of its tail at each
//! destination.
//!
//! [`History`] watches a run. Once a worm has arrived, [`History::account`] charges every cycle to
//! one [`Cause`]; the account sums to the latency.

mod accounts;
mod cause;
mod history;
mod root;
mod text;
mod track;
mod visits;
mod walk;

pub use accounts::Accounts;
pub use cause::Cause;
pub use history::History;
pub use root::{ChainLink, Root, RootChain, RootOf, RootPlace, RootShare};
pub use visits::Visit;
pub use walk::{Account, Place, Stretch};
