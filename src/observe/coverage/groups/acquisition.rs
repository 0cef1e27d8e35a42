//! Orders in which a worm gets its lanes.

use crate::coverage::dimensions::{ACQUISITION, REPLICATION};
use crate::coverage::group::{BinGroup, Dimension};

/// The group.
pub const GROUP: BinGroup = BinGroup {
    name: "acquisition",
    blocks: &["hw/allocator", "hw/lane", "hw/replication", "src/engine/banked/switch/acquisition"],
    event: "A worm with several branches gets the last of its lanes.",
    dimensions: &[
        REPLICATION,
        ACQUISITION,
        Dimension {
            name: "order",
            meaning: "Lanes in the same cycle (`at_once`), or each later lane at a higher port, at a lower port, or mixed.",
            values: &["at_once", "upwards", "downwards", "mixed"],
        },
    ],
    excluded,
};

/// Lanes that a worm with several branches has got, in the order of their ports.
#[derive(Clone, Copy, Debug)]
pub(in crate::observe::coverage) struct LaneOrder {
    /// Number of lanes so far.
    lanes: u8,
    /// Cycle of the latest lanes.
    cycle: u64,
    /// Lowest and highest port of the earlier cycles, if there are earlier cycles.
    before: Option<(u8, u8)>,
    /// Lowest and highest port so far.
    ports: (u8, u8),
    /// Whether a later port was higher, or lower, than an earlier one.
    rose: bool,
    fell: bool,
}

impl LaneOrder {
    /// No lanes yet.
    pub const NONE: Self = Self { lanes: 0, cycle: 0, before: None, ports: (0, 0), rose: false, fell: false };

    /// Takes a lane of a port. Returns the value of `order` if it is the last lane.
    pub fn take(&mut self, cycle: u64, port: u8, branches: u8) -> Option<usize> {
        if self.lanes == 0 {
            (self.cycle, self.ports) = (cycle, (port, port));
        } else if self.cycle != cycle {
            (self.cycle, self.before) = (cycle, Some(self.ports));
        }
        if let Some((lowest, highest)) = self.before {
            self.rose |= port > lowest;
            self.fell |= port < highest;
        }
        self.ports = (self.ports.0.min(port), self.ports.1.max(port));
        self.lanes += 1;
        (self.lanes == branches).then_some(usize::from(self.rose) + 2 * usize::from(self.fell))
    }
}

fn excluded(values: &[usize]) -> Option<&'static str> {
    match values {
        [3, _, 0 | 2 | 3] => Some("sequential branches get their lanes one after the other, from the lowest port up"),
        [4, 0, 1..=3] => Some("a head of a synchronous worm gets all its lanes together"),
        [4, 1, _] => Some("synchronous worms reserve their lanes in a way of their own"),
        [0..=2, 1, 1..=3] => Some("with atomic acquisition a worm gets all its lanes at once"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_compares_the_ports_of_later_cycles_with_those_of_earlier_cycles() {
        let order = |lanes: &[(u64, u8)]| {
            let mut order = LaneOrder::NONE;
            let taken: Vec<_> = lanes.iter().map(|&(cycle, port)| order.take(cycle, port, lanes.len() as u8)).collect();
            assert!(taken[..taken.len() - 1].iter().all(Option::is_none));
            taken.last().copied().flatten().map(|order| GROUP.dimensions[2].values[order])
        };
        assert_eq!(order(&[(3, 0), (3, 2)]), Some("at_once"));
        assert_eq!(order(&[(0, 0), (1, 2)]), Some("upwards"));
        assert_eq!(order(&[(0, 1), (0, 2), (4, 3), (4, 5)]), Some("upwards"));
        assert_eq!(order(&[(0, 4), (1, 2), (2, 1)]), Some("downwards"));
        assert_eq!(order(&[(0, 1), (1, 4), (2, 2)]), Some("mixed"));
        assert_eq!(order(&[(0, 2), (1, 1), (1, 4)]), Some("mixed"));
    }
}
