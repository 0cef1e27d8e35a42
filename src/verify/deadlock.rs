//! Temporary.
use super::snapshot::Snapshot;
/// Temporary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deadlock {}
/// Temporary.
#[must_use]
pub fn search(s: &Snapshot) -> Option<Deadlock> {
    (!s.segments.is_empty()
        && s.segments.iter().all(|x| x.branches.iter().any(|b| matches!(b.hold, super::snapshot::Hold::Wants(_)))))
    .then_some(Deadlock {})
}
