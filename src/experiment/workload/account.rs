//! What nodes sent and received in software while multicasts are measured.

use wormscope_hw::NodeId;

use super::groups::Groups;

/// A mean of whole cycles.
#[derive(Clone, Copy, Debug, Default)]
pub struct Mean {
    /// How many values there are.
    pub count: u64,
    sum: u128,
}

impl Mean {
    /// Another value.
    pub(super) fn add(&mut self, cycles: u64) {
        self.count += 1;
        self.sum += u128::from(cycles);
    }

    /// The mean, of any values at all.
    #[must_use]
    pub fn of(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum as f64 / self.count as f64)
    }
}

/// What is counted from the cycle on in which the first multicasts, which are not measured, are
/// complete.
pub struct SoftwareAccount {
    /// That cycle, once it has come.
    pub since: Option<u64>,
    until: u64,
    /// `t_hold` of the messages of programs: from the end of computing until the processor may go
    /// on (\[NUPAIROJ\] section 6.1.2).
    pub hold: Mean,
    /// `t_end` of the messages of programs: from the end of computing until the receiver has it.
    pub end: Mean,
    /// Nodes of the groups, in their order, behind them those in none.
    pub groups: Vec<Vec<NodeId>>,
    /// Bytes that the nodes of each of them received in messages of programs and of the workload.
    pub received: Vec<f64>,
    group_of: Vec<usize>,
}

impl SoftwareAccount {
    /// Nothing is counted yet; from cycle `until` on nothing is.
    pub(super) fn new(groups: &Groups, since: Option<u64>, until: u64) -> Self {
        let groups = groups.split();
        let mut group_of = vec![0; groups.iter().map(Vec::len).sum()];
        for (number, nodes) in groups.iter().enumerate() {
            for node in nodes {
                group_of[node.index()] = number;
            }
        }
        let received = vec![0.0; groups.len()];
        Self { since, until, hold: Mean::default(), end: Mean::default(), groups, received, group_of }
    }

    /// Whether what is of this cycle counts.
    pub(super) fn counts(&self, cycle: u64) -> bool {
        self.since.is_some_and(|since| since <= cycle) && cycle < self.until
    }

    /// A node has received a message of so many bytes.
    pub(super) fn receive(&mut self, now: u64, node: NodeId, bytes: f64) {
        if self.counts(now) {
            self.received[self.group_of[node.index()]] += bytes;
        }
    }

    /// A message of a program that was ready in cycle `ready` kept its processor until `free`.
    pub(super) fn held(&mut self, ready: u64, free: u64) {
        if self.counts(ready) {
            self.hold.add(free - ready);
        }
    }

    /// A message of a program that was ready in cycle `ready` is received.
    pub(super) fn ended(&mut self, ready: u64, now: u64) {
        if self.counts(ready) {
            self.end.add(now - ready);
        }
    }
}
