//! Warning before a run.

use super::{CyclePlace, Effort, Safety, judge, text};
use crate::experiment::Loaded;
use crate::quote;
use crate::site::Site;

/// Warning before a run that the worms of an experiment can deadlock, or may. The work for it is
/// small, so `check --deadlock` may know more. A network that is too large for this work has no
/// warning, and neither has a workload with an error.
#[must_use]
pub fn warning(loaded: &Loaded, site: &Site, stop: &dyn Fn() -> bool) -> Option<String> {
    let (hazard, cycle) = known(loaded, site, stop)?;
    let end = if hazard == CAN { "--witness FILE writes messages that deadlock" } else { "looks further" };
    let (cycle, config) = (text::cycle(&cycle), quote::shell(loaded.title()));
    Some(format!(
        "worms of this workload {hazard}, since they wait for each other along {cycle}; wormscope check {config} \
         --deadlock {end}"
    ))
}

/// The same in two words, `can deadlock` or `may deadlock`, with the same work.
#[must_use]
pub fn hazard(loaded: &Loaded, site: &Site, stop: &dyn Fn() -> bool) -> Option<&'static str> {
    known(loaded, site, stop).map(|(hazard, _)| hazard)
}

const CAN: &str = "can deadlock";

fn known(loaded: &Loaded, site: &Site, stop: &dyn Fn() -> bool) -> Option<(&'static str, Vec<CyclePlace>)> {
    match judge(loaded, site, Effort::OF_A_WARNING, stop).ok()? {
        Safety::Possible(_, cycle) => Some((CAN, cycle)),
        Safety::Unknown(_, cycle) if !cycle.is_empty() => Some(("may deadlock", cycle)),
        Safety::Free(_) | Safety::Unknown(..) => None,
    }
}
