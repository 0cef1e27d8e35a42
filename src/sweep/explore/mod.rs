//! Exploration of a sweep: its directory, means over seeds, the Pareto front of some metrics, and
//! answers to direct questions.
//!
//! [`Sweep::open`] reads a directory and refuses contents that it does not understand.
//! [`Question::ask`] judges its points. [`Guide::search`] runs the points of a sweep that a
//! question needs.

mod covered;
mod effects;
mod error;
mod guide;
mod metric;
mod outcomes;
mod points;
mod question;
mod refine;
mod saturation;
mod standing;
mod sweep;
mod text;

pub use effects::{Effect, Effects, Level};
pub use error::ExploreError;
pub use guide::{Guide, Guided};
pub use metric::{Better, direction};
pub(crate) use outcomes::CARRIED;
pub use outcomes::{Flaw, Outcomes};
pub use points::{Point, points};
pub(crate) use question::one_a_hardware;
pub use question::{Answer, Bound, Filter, Judged, Objective, Question, Unsound};
pub use standing::Standing;
pub use sweep::Sweep;
pub(crate) use text::accepts;
pub use text::{answer_csv, answer_text};

#[cfg(test)]
pub(crate) mod tests;
