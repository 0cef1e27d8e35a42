//! Warning before a run.

use super::{Effort, Safety, judge, text};
use crate::experiment::Loaded;
use crate::quote;
use crate::site::Site;

/// Warning before a run that the worms of an experiment can deadlock, or may. The work for it is
/// small, so `check --deadlock` may know more. A network that is too large for this work has no
/// warning, and neither has a workload with an error.
#[must_use]
pub fn warning(loaded: &Loaded, site: &Site, stop: &dyn Fn() -> bool) -> Option<String> {
    let (can, cycle, end) = match judge(loaded, site, Effort::OF_A_WARNING, stop).ok()? {
        Safety::Possible(_, cycle) => ("can", cycle, "--witness FILE writes messages that do"),
        Safety::Unknown(_, cycle) if !cycle.is_empty() => ("may", cycle, "looks further"),
        Safety::Free(_) | Safety::Unknown(..) => return None,
    };
    let (cycle, config) = (text::cycle(&cycle), quote::shell(loaded.title()));
    Some(format!(
        "worms of this workload {can} deadlock, since they wait for each other along {cycle}; wormscope check {config} \
         --deadlock {end}"
    ))
}
