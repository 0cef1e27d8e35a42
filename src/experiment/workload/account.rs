//! Account of messages that nodes sent and received in software while multicasts were measured.

use wormscope_hw::NodeId;

use super::groups::Groups;

/// A mean of whole cycles.
#[derive(Clone, Copy, Debug, Default)]
pub struct Mean {
    /// Number of values.
    pub count: u64,
    sum: u128,
}

impl Mean {
    /// Adds a value.
    pub(super) fn add(&mut self, cycles: u64) {
        self.count += 1;
        self.sum += u128::from(cycles);
    }

    /// The mean; `None` without values.
    #[must_use]
    pub fn of(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum as f64 / self.count as f64)
    }
}

/// Counts from the cycle on in which the first multicasts are complete, which are not measured.
pub struct SoftwareAccount {
    /// The cycle since which the count runs, when it is known.
    pub since: Option<u64>,
    until: u64,
    /// `t_hold` of the messages of programs: from the end of computing until the processor may
    /// continue (\[NUPAIROJ\] section 6.1.2).
    pub hold: Mean,
    /// `t_end` of the messages of programs: from the end of computing until the receiver has it.
    pub end: Mean,
    /// Nodes of the groups, in order, then the nodes in no group. A node may be in several groups.
    pub groups: Vec<Vec<NodeId>>,
    /// Bytes that the nodes of each group received in messages of programs and of the workload.
    pub received: Vec<f64>,
    /// Groups of each node.
    groups_of: Vec<Vec<usize>>,
}

impl SoftwareAccount {
    /// An empty account. It counts nothing from cycle `until` on.
    pub(super) fn new(groups: &Groups, since: Option<u64>, until: u64) -> Self {
        let groups = groups.split();
        let mut groups_of = vec![Vec::new(); groups.iter().flatten().map(|node| node.index() + 1).max().unwrap_or(0)];
        for (number, nodes) in groups.iter().enumerate() {
            for node in nodes {
                groups_of[node.index()].push(number);
            }
        }
        let received = vec![0.0; groups.len()];
        Self { since, until, hold: Mean::default(), end: Mean::default(), groups, received, groups_of }
    }

    /// Whether the events of this cycle count.
    pub(super) fn counts(&self, cycle: u64) -> bool {
        self.since.is_some_and(|since| since <= cycle) && cycle < self.until
    }

    /// Counts a message of `bytes` that a node has received.
    pub(super) fn receive(&mut self, now: u64, node: NodeId, bytes: f64) {
        if self.counts(now) {
            for &group in &self.groups_of[node.index()] {
                self.received[group] += bytes;
            }
        }
    }

    /// Counts a message of a program that was ready in cycle `ready` and kept its processor until
    /// `free`.
    pub(super) fn held(&mut self, ready: u64, free: u64) {
        if self.counts(ready) {
            self.hold.add(free - ready);
        }
    }

    /// Counts a message of a program that was ready in cycle `ready` and is received.
    pub(super) fn ended(&mut self, ready: u64, now: u64) {
        if self.counts(ready) {
            self.end.add(now - ready);
        }
    }
}
