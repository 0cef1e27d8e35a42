//! Two-sided bidirectional butterflies (\[ATBM\] Fig. 1 (c)). They are a
//! [`BiMin`](super::bi_min::BiMin) with a second set of nodes at its other side. A BI-MIN keeps
//! this side free for larger networks.
//!
//! With n stages of switches of b ports on each side there are N = b^n nodes on the left. Nodes N
//! to 2 N - 1 are on the right. Switches and links are the same as in the BI-MIN. Right node N + x
//! is at address x of level n, after the last stage.
//!
//! Worms between the sides go straight through. Worms that stay on their side turn. A worm from the
//! left turns in the stage of the most significant digit in which source and destination differ. A
//! worm from the right turns in the stage of the least significant different digit.
//!
//! With one pair of channels a link, four unicasts that turn, two on each side, could wait for each
//! other in a circle. The paper is silent about it. So every link is two pairs, with different
//! ports. One pair is for worms that climb to their turn. The other is for worms that have turned
//! or go straight through. A worm changes from the first pair to the second and never back, and on
//! either it goes one way.
//!
//! | ports | |
//! |---|---|
//! | `0..b` | left, down: to the left nodes in stage 0 |
//! | `b..2b` | left, climb: towards the turn of a worm between right nodes |
//! | `2b..3b` | right, down: to the right nodes in the last stage |
//! | `3b..4b` | right, climb: towards the turn of a worm between left nodes |

use std::sync::Arc;

use wormscope_hw::lane_group::Climb;
use wormscope_hw::{Encoding, NodeId, PortId, PortMask, SwitchId};

use crate::blueprint::{count, refuses_paths, switches_of_stages};
use crate::family::{kinds_of_stages, staged_name, staged_number};
use crate::{Blueprint, Digits, End, Family, LARGEST_NODES, Misfit, Placement, Routing, Section};

/// A two-sided butterfly as configured.
#[derive(Clone, Copy, Debug)]
pub struct Parameters {
    /// Ports on each side of every switch.
    pub switch_ports: u32,
    /// Stages of switches.
    pub stages: u32,
}

impl Parameters {
    /// Number of nodes of a side.
    fn side(self) -> u32 {
        self.switch_ports.saturating_pow(self.stages)
    }
}

impl Blueprint for Parameters {
    fn check(&self) -> Result<(), Misfit> {
        Misfit::stages("two_sided", self.switch_ports, 16, self.stages)?;
        if self.nodes() > LARGEST_NODES {
            let (nodes, side) = (self.nodes(), self.side());
            let why = format!("{nodes} nodes, {side} on each of two sides; allowed: up to {LARGEST_NODES} nodes");
            return Err(Misfit::new("two_sided.stages", why));
        }
        Ok(())
    }

    fn build(&self) -> Result<Arc<dyn Family>, Misfit> {
        self.check()?;
        Ok(Arc::new(TwoSided { digits: Digits::new(self.switch_ports, self.stages) }))
    }

    fn describe(&self) -> String {
        let Self { switch_ports: b, stages } = self;
        format!("two-sided bidirectional butterfly network of {stages} stages of {b}x{b} switches")
    }

    fn routings(&self) -> (String, &'static [Routing]) {
        ("a two-sided bidirectional multistage network".to_owned(), &[Routing::Turnaround])
    }

    fn nodes(&self) -> u32 {
        self.side().saturating_mul(2)
    }

    fn switches(&self) -> u32 {
        switches_of_stages(self.switch_ports, self.stages)
    }

    fn ports(&self) -> u32 {
        4 * self.switch_ports
    }

    fn stages(&self) -> Option<(u32, u32)> {
        Some((self.switch_ports, self.stages))
    }

    fn refuses(&self, encoding: Encoding, _routing: Routing) -> Option<String> {
        let masks = "a multiport header leads up to one turn and down on one side, and a two_sided network has two \
                     sides";
        refuses_paths(encoding).or_else(|| encoding.header().each_switch_strips().then(|| masks.to_owned()))
    }

    /// The nodes of the other side can be ahead of every input, so the input does not decide.
    fn inputs_tell(&self, _routing: Routing) -> bool {
        false
    }

    fn refuses_token_rings(&self, _routing: Routing) -> Option<&'static str> {
        Some(
            "switches with a common token copy worms in one direction ([ATBM] section 3) but those of a two_sided network in both",
        )
    }

    fn lanes(&self, link: u32, node: u32) -> u32 {
        self.ports().saturating_mul(link.max(node))
    }

    fn lanes_in_words(&self, link: &str, node: &str) -> String {
        format!("{} ports * the larger of {link} and {node}", self.ports())
    }

    fn links(&self) -> u64 {
        4 * u64::from(self.stages - 1) * u64::from(self.side())
    }

    /// The cut halves the left nodes by their most significant digit, and halves the switches of
    /// the last stage.
    fn bisection(&self) -> u64 {
        if self.stages == 1 { 0 } else { self.nodes().into() }
    }

    fn arrivals(&self) -> u32 {
        self.switch_ports
    }

    fn distances(&self, _: Routing) -> Option<Vec<u64>> {
        let (mut pairs, side, b) = (Vec::new(), u64::from(self.side()), u64::from(self.switch_ports));
        count(&mut pairs, self.stages as usize, 2 * side * side);
        for t in 0..self.stages {
            count(&mut pairs, 2 * t as usize + 1, 2 * side * (b - 1) * b.pow(t));
        }
        Some(pairs)
    }
}

/// A two-sided bidirectional butterfly.
#[derive(Clone, Debug)]
pub struct TwoSided {
    digits: Digits,
}

impl TwoSided {
    fn rows(&self) -> u32 {
        self.digits.numbers() / self.digits.base()
    }

    /// The switch of a stage that address `x` leads to, and its port in the section that begins
    /// with port `first`.
    fn at(&self, stage: u32, x: u32, first: u32) -> (SwitchId, PortId) {
        let row = self.digits.swap(x, stage) / self.digits.base();
        (SwitchId(stage * self.rows() + row), PortId((first + self.digits.digit(x, stage)) as u8))
    }

    /// The address at port `d` of both sides of a switch.
    fn address(&self, stage: u32, row: u32, d: u32) -> u32 {
        self.digits.swap(row * self.digits.base() + d, stage)
    }
}

impl Family for TwoSided {
    fn nodes(&self) -> u32 {
        2 * self.digits.numbers()
    }

    fn switches(&self) -> u32 {
        self.digits.count() * self.rows()
    }

    fn sections(&self) -> [Section; 2] {
        [
            Section { ports: 4 * self.digits.base() as u8, to_switches: true, to_nodes: true },
            Section { ports: 0, to_switches: true, to_nodes: false },
        ]
    }

    fn output(&self, switch: SwitchId, port: PortId) -> Option<End> {
        let (b, p, last) = (self.digits.base(), u32::from(port.0), self.digits.count() - 1);
        let (stage, row) = (switch.0 / self.rows(), switch.0 % self.rows());
        let (right, climb, x) = (p >= 2 * b, p / b % 2, self.address(stage, row, p % b));
        match (right, stage) {
            (false, 0) => (climb == 0).then_some(End::Node(NodeId(x))),
            (false, _) => Some(self.at(stage - 1, x, (2 + climb) * b).into()),
            (true, stage) if stage == last => (climb == 0).then(|| End::Node(NodeId(self.digits.numbers() + x))),
            (true, _) => Some(self.at(stage + 1, x, climb * b).into()),
        }
    }

    fn injection(&self, node: NodeId) -> (SwitchId, PortId) {
        match node.0.checked_sub(self.digits.numbers()) {
            None => self.at(0, node.0, 0),
            Some(x) => self.at(self.digits.count() - 1, x, 2 * self.digits.base()),
        }
    }

    /// Turnaround routing, and straight through. If a way down on the node's side reaches the node,
    /// the port is the node's digit.
    fn port(&self, switch: SwitchId, destination: NodeId) -> u8 {
        let (b, side) = (self.digits.base(), self.digits.numbers());
        let (stage, row) = (switch.0 / self.rows(), switch.0 % self.rows());
        let (right, x) = (destination.0 >= side, destination.0 % side);
        let (here, digit) = (self.address(stage, row, 0), self.digits.digit(x, stage));
        let reached = if right {
            (0..stage).all(|i| self.digits.digit(here, i) == self.digits.digit(x, i))
        } else {
            self.digits.above(here, stage) / b == self.digits.above(x, stage) / b
        };
        let port = match (right, reached) {
            (false, true) => digit,
            (true, false) => b,
            (true, true) => 2 * b + digit,
            (false, false) => 3 * b,
        };
        port as u8
    }

    fn climbs(&self) -> Vec<Climb> {
        let ports = self.digits.base() as u8;
        let section = |number| PortMask::range(number * ports, ports);
        vec![Climb { ports: section(1), below: section(2) }, Climb { ports: section(3), below: section(0) }]
    }

    fn turns(&self, from: PortId, to: PortId) -> bool {
        let right = |port: PortId| u32::from(port.0) >= 2 * self.digits.base();
        let down = (u32::from(to.0) / self.digits.base()).is_multiple_of(2);
        down && right(from) == right(to)
    }

    fn switch_name(&self, switch: SwitchId) -> String {
        staged_name(switch, self.rows())
    }

    fn switch_number(&self, name: &str) -> Option<u32> {
        staged_number(name, self.rows())
    }

    fn in_words(&self) -> String {
        "a two-sided bidirectional multistage network".to_owned()
    }

    fn kinds(&self) -> Vec<(SwitchId, u32)> {
        kinds_of_stages(self.digits.count(), self.rows())
    }

    /// Stages from left to right, with nodes at both sides.
    fn placement(&self) -> Placement {
        const PITCH: f64 = 0.4;
        let (b, side, stages) = (f64::from(self.digits.base()), self.digits.numbers(), self.digits.count());
        let switch = |s: u32| {
            let (stage, row) = (s / self.rows(), s % self.rows());
            (f64::from(stage + 1), PITCH * (b * f64::from(row) + (b - 1.0) / 2.0))
        };
        let node = |node: u32| (if node < side { 0.0 } else { f64::from(stages + 1) }, PITCH * f64::from(node % side));
        Placement { switches: (0..self.switches()).map(switch).collect(), nodes: (0..self.nodes()).map(node).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Wiring;

    fn networks() -> impl Iterator<Item = (TwoSided, Wiring)> {
        [(2, 1), (2, 2), (2, 3), (2, 4), (3, 2), (3, 3), (4, 2), (16, 1)].into_iter().map(|(b, n)| {
            let min = TwoSided { digits: Digits::new(b, n) };
            (min.clone(), Wiring::new(min))
        })
    }

    #[test]
    fn every_wire_has_two_ends_that_agree_and_every_name_leads_back() {
        for (min, wiring) in networks() {
            let mut nodes = 0;
            for switch in (0..wiring.switches()).map(SwitchId) {
                assert_eq!(wiring.switch_named(&wiring.switch_name(switch)), Some(switch));
                for port in (0..wiring.ports()).map(PortId) {
                    match wiring.output(switch, port) {
                        Some(End::Switch(far, at)) => {
                            assert_eq!(wiring.input(far, at), Some(End::Switch(switch, port)));
                        }
                        Some(End::Node(node)) => {
                            assert_eq!(wiring.injection(node), (switch, port));
                            nodes += 1;
                        }
                        None => {}
                    }
                }
            }
            assert_eq!(nodes, min.nodes());
        }
    }

    /// Ports that a worm can take, with every choice on the way up.
    fn choices(wiring: &Wiring, at: SwitchId, to: NodeId) -> Vec<PortId> {
        let port = PortId(wiring.port(at, to));
        let ports = (0..wiring.ports()).map(PortId).filter(|&p| wiring.group(p) == port);
        ports.collect()
    }

    #[test]
    fn whichever_way_up_every_pair_is_as_far_apart_as_its_digits_say() {
        for (min, wiring) in networks() {
            let (side, stages) = (min.digits.numbers(), min.digits.count());
            let mut pairs = Vec::new();
            for (from, to) in (0..2 * side).flat_map(|from| (0..2 * side).map(move |to| (from, to))) {
                let differs = |&j: &u32| min.digits.digit(from % side, j) != min.digits.digit(to % side, j);
                let turn = match (from < side, to < side) {
                    (true, true) => (0..stages).rev().find(differs).unwrap_or(0),
                    (false, false) => stages - 1 - (0..stages).find(differs).unwrap_or(stages - 1),
                    _ => 0,
                };
                let expected = if (from < side) == (to < side) { 2 * turn + 1 } else { stages };
                if from != to {
                    count(&mut pairs, expected as usize, 1);
                }
                for choice in [0, 1, from as usize + 7 * to as usize, usize::MAX] {
                    let (mut at, mut passed) = (wiring.injection(NodeId(from)).0, 0);
                    loop {
                        passed += 1;
                        let ports = choices(&wiring, at, NodeId(to));
                        match wiring.output(at, ports[choice % ports.len()]) {
                            Some(End::Switch(far, _)) => at = far,
                            end => break assert_eq!(end, Some(End::Node(NodeId(to)))),
                        }
                    }
                    assert_eq!(passed, expected, "n{from} to n{to}");
                }
            }
            let parameters = Parameters { switch_ports: min.digits.base(), stages };
            assert_eq!(parameters.distances(Routing::Turnaround).unwrap(), pairs);
        }
    }

    /// Channels that can wait in a circle. This repeatedly removes the channels that wait only for
    /// removed channels. `channel` maps a port to its channel.
    fn circles(wiring: &Wiring, channel: impl Fn(PortId) -> PortId) -> Vec<usize> {
        let ports = usize::from(wiring.ports());
        let number = |at: SwitchId, port: PortId| at.index() * ports + channel(port).index();
        let mut waits = vec![Vec::new(); wiring.switches() as usize * ports];
        for to in (0..wiring.nodes()).map(NodeId) {
            let mut reached: Vec<SwitchId> = (0..wiring.nodes()).map(|from| wiring.injection(NodeId(from)).0).collect();
            let mut seen = vec![false; wiring.switches() as usize];
            while let Some(at) = reached.pop() {
                if std::mem::replace(&mut seen[at.index()], true) {
                    continue;
                }
                for port in choices(wiring, at, to) {
                    let Some(End::Switch(far, _)) = wiring.output(at, port) else { continue };
                    let next = choices(wiring, far, to).into_iter().map(|port| number(far, port));
                    waits[number(at, port)].extend(next);
                    reached.push(far);
                }
            }
        }
        let mut left: Vec<usize> = (0..waits.len()).collect();
        loop {
            let stuck: Vec<usize> =
                left.iter().copied().filter(|&c| waits[c].iter().any(|w| left.contains(w))).collect();
            if stuck.len() == left.len() {
                return left;
            }
            left = stuck;
        }
    }

    #[test]
    fn no_channel_waits_for_itself_in_the_end_but_with_one_pair_a_link_some_would() {
        for (min, wiring) in networks() {
            assert!(circles(&wiring, |port| port).is_empty());
            let b = min.digits.base() as u8;
            let one_pair = |port: PortId| PortId(port.0 - port.0 / b % 2 * b);
            assert_eq!(circles(&wiring, one_pair).is_empty(), min.digits.count() == 1);
        }
    }

    #[test]
    fn refusals_say_what_is_allowed() {
        let check = |switch_ports, stages| Parameters { switch_ports, stages }.check().unwrap_err().why;
        assert_eq!(check(17, 2), "switch_ports is 17; allowed: 2 to 16");
        assert_eq!(
            check(2, 24),
            "24 stages of switches of 2 ports are 16777216 nodes and 201326592 switches; allowed: up to 16777216 of each"
        );
        assert_eq!(check(16, 6), "33554432 nodes, 16777216 on each of two sides; allowed: up to 16777216 nodes");
        assert_eq!(
            check(16, 16),
            "16 stages of switches of 16 ports are more than 10^19 nodes and more than 10^19 switches; allowed: up to 16777216 of each"
        );
    }
}
