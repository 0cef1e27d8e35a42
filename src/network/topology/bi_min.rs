//! Bidirectional butterfly multistage networks (BI-MIN). The nodes are on the left, and every link
//! is a pair of channels. A worm turns in the stage where its source and destinations meet
//! (\[ATBM\] section 4.3).
//!
//! With n stages of switches of b ports on each side there are N = b^n nodes. Every stage has
//! b^(n-1) switches, its *rows*, and switch = stage * rows + row. The links before stage j (level
//! j) have the N addresses of n digits of base b. The links of level 0 lead to the nodes.
//!
//! A switch of stage j joins the addresses that differ in digit j only. Address x is at position
//! `beta_j(x)` of that stage, which is x with digits 0 and j swapped. It is in row `position / b`
//! at port `position % b`, which is digit j of x.
//!
//! Ports `0..b` are the node side. Port `b + d` is linked to an address of level j + 1: x with
//! digit j replaced by d. The other side of the last stage is not connected.

use std::sync::Arc;

use wormscope_hw::lane_group::Climb;
use wormscope_hw::{Encoding, NodeId, PortId, PortMask, SwitchId};

use crate::blueprint::{count, refuses_paths, switches_of_stages};
use crate::family::{kinds_of_stages, stage, staged_name, staged_number};
use crate::reach::Reach;
use crate::{Blueprint, Digits, End, Family, Flow, Misfit, Routing, Section, Sketch};

/// A bidirectional butterfly as configured.
#[derive(Clone, Copy, Debug)]
pub struct Parameters {
    /// Ports on each side of every switch.
    pub switch_ports: u32,
    /// Stages of switches.
    pub stages: u32,
}

impl Blueprint for Parameters {
    fn check(&self) -> Result<(), Misfit> {
        Misfit::stages("bi_min", self.switch_ports, 32, self.stages)
    }

    fn build(&self) -> Result<Arc<dyn Family>, Misfit> {
        self.check()?;
        Ok(Arc::new(BiMin::new(self.switch_ports as u8, self.stages)))
    }

    fn describe(&self) -> String {
        let Self { switch_ports: b, stages } = self;
        format!("bidirectional butterfly network of {stages} stages of {b}x{b} switches")
    }

    fn routings(&self) -> (String, &'static [Routing]) {
        ("a bidirectional multistage network".to_owned(), &[Routing::Turnaround, Routing::MultipleTurnaround])
    }

    fn nodes(&self) -> u32 {
        self.switch_ports.saturating_pow(self.stages)
    }

    fn switches(&self) -> u32 {
        switches_of_stages(self.switch_ports, self.stages)
    }

    fn ports(&self) -> u32 {
        2 * self.switch_ports
    }

    fn sides(&self) -> Option<u32> {
        Some(self.switch_ports)
    }

    fn stages(&self) -> Option<(u32, u32)> {
        Some((self.switch_ports, self.stages))
    }

    fn refuses(&self, encoding: Encoding, routing: Routing) -> Option<String> {
        let turns = encoding.header().each_switch_strips() && routing == Routing::MultipleTurnaround;
        let why = "a multiport worm turns once, and with multiple_turnaround trees turn in several stages; it needs \
                   routing: turnaround";
        turns.then(|| why.to_owned()).or_else(|| refuses_paths(encoding))
    }

    fn inputs_tell(&self, _routing: Routing) -> bool {
        true
    }

    /// With one turn, a worm comes down to all its nodes below that turn, and the switch of its
    /// source may be on the way.
    fn leaves_source(&self, routing: Routing) -> bool {
        routing == Routing::MultipleTurnaround
    }

    fn heads_keep_step(&self, routing: Routing) -> bool {
        routing == Routing::Turnaround
    }

    fn refuses_token_rings(&self, routing: Routing) -> Option<&'static str> {
        (routing == Routing::MultipleTurnaround).then_some(
            "a worm that turns in several stages would need the one token of the forward network, all of which is one group \
             ([ATBM] section 4.3), in several switches at once",
        )
    }

    fn lanes(&self, link: u32, node: u32) -> u32 {
        self.switch_ports.saturating_mul(link.max(node).saturating_add(link))
    }

    fn lanes_in_words(&self, link: &str, node: &str) -> String {
        let b = self.switch_ports;
        format!("{b} ports * {link}, {b} * the larger of it and {node}")
    }

    fn links(&self) -> u64 {
        2 * u64::from(self.stages - 1) * u64::from(self.nodes())
    }

    fn bisection(&self) -> u64 {
        if self.stages == 1 { 0 } else { self.nodes().into() }
    }

    fn arrivals(&self) -> u32 {
        self.switch_ports
    }

    fn copying_inputs(&self, link: u32, inject: u32) -> Option<u32> {
        let b = self.switch_ports;
        // Links from above, and from its own nodes if they have two other nodes as destinations.
        Some(b * (u32::from(self.stages > 1) * link + u32::from(b > 2) * inject))
    }

    fn masks(&self) -> u32 {
        2 * self.stages - 1
    }

    fn mean_masks(&self) -> (f64, f64) {
        // A turn in stage t reaches (b - 1) b^t of the b^n - 1 other nodes.
        let nodes = |stages: u32| f64::from(self.switch_ports.pow(stages));
        let masks = |t: u32| f64::from(2 * t + 1) * (nodes(t + 1) - nodes(t));
        ((0..self.stages).map(masks).sum(), nodes(self.stages) - 1.0)
    }

    fn distances(&self, _: Routing) -> Option<Vec<u64>> {
        let (mut pairs, nodes, b) = (Vec::new(), u64::from(self.nodes()), u64::from(self.switch_ports));
        // (b - 1) b^T destinations of a source differ from it in digit T and in no higher digit.
        for t in 0..self.stages {
            count(&mut pairs, 2 * t as usize + 1, nodes * (b - 1) * b.pow(t));
        }
        Some(pairs)
    }
}

/// A bidirectional butterfly.
#[derive(Clone, Debug)]
pub struct BiMin {
    digits: Digits,
    /// Powers b^i, for i up to the number of stages.
    powers: Vec<u32>,
}

impl BiMin {
    /// A network of `stages` stages of switches of `switch_ports` ports on each side. Both come
    /// from a valid configuration.
    #[must_use]
    pub fn new(switch_ports: u8, stages: u32) -> Self {
        let base = u32::from(switch_ports);
        Self { digits: Digits::new(base, stages), powers: (0..=stages).map(|i| base.pow(i)).collect() }
    }

    /// Number of nodes.
    #[must_use]
    pub fn nodes(&self) -> u32 {
        self.digits.numbers()
    }

    /// Number of stages, and of digits of a node's address.
    #[must_use]
    pub fn stages(&self) -> u32 {
        self.digits.count()
    }

    /// Number of switches of a stage.
    #[must_use]
    pub fn rows(&self) -> u32 {
        self.powers[self.powers.len() - 2]
    }

    /// Number of ports of every switch, both sides together.
    #[must_use]
    pub fn ports(&self) -> u8 {
        2 * self.digits.base() as u8
    }

    /// The first port of the side away from the nodes.
    #[must_use]
    pub fn up(&self) -> PortId {
        PortId(self.digits.base() as u8)
    }

    /// The stage in which a worm turns. This is the stage of the most significant digit in which
    /// the source differs from a destination. It is 0 when the source differs from none.
    #[must_use]
    pub fn turn(&self, source: NodeId, destinations: &[NodeId]) -> u32 {
        let apart = |j: u32| destinations.iter().any(|d| self.digits.digit(d.0, j) != self.digits.digit(source.0, j));
        (0..self.stages()).rev().find(|&j| apart(j)).unwrap_or(0)
    }

    /// Turnaround routing. If a way down reaches the node, the port is the node's digit. Otherwise
    /// it is [`Self::up`].
    #[must_use]
    #[inline]
    pub fn port(&self, switch: SwitchId, destination: NodeId) -> u8 {
        let (stage, row) = ((switch.0 / self.rows()) as usize, switch.0 % self.rows());
        // All digits of an address above digit j have the same places in its position.
        let digit_and_above = destination.0 / self.powers[stage];
        let (above, digit) = (digit_and_above / self.powers[1], digit_and_above % self.powers[1]);
        if above == row / self.powers[stage] { digit as u8 } else { self.up().0 }
    }

    /// Switch and port on the node side of stage `level` that address `x` leads to.
    fn switch(&self, level: u32, x: u32) -> (SwitchId, PortId) {
        let position = self.digits.swap(x, level);
        let (row, port) = (self.digits.above(position, 1), self.digits.digit(position, 0));
        (SwitchId(level * self.rows() + row), PortId(port as u8))
    }
}

impl Family for BiMin {
    fn nodes(&self) -> u32 {
        self.digits.numbers()
    }

    fn switches(&self) -> u32 {
        self.stages() * self.rows()
    }

    fn sections(&self) -> [Section; 2] {
        let section = |to_nodes| Section { ports: self.up().0, to_switches: true, to_nodes };
        [section(true), section(false)]
    }

    fn output(&self, switch: SwitchId, port: PortId) -> Option<End> {
        let stage = self.digits.above(switch.0, self.stages() - 1);
        let row = switch.0 - stage * self.rows();
        let (b, p) = (self.digits.base(), u32::from(port.0));
        let address = self.digits.swap(row * b + if p < b { p } else { p - b }, stage);
        match (p < b, stage) {
            (true, 0) => Some(End::Node(NodeId(address))),
            (true, _) => {
                let (below, _) = self.switch(stage - 1, address);
                Some(End::Switch(below, PortId((b + self.digits.digit(address, stage - 1)) as u8)))
            }
            (false, _) if stage + 1 == self.stages() => None,
            (false, _) => Some(self.switch(stage + 1, address).into()),
        }
    }

    fn injection(&self, node: NodeId) -> (SwitchId, PortId) {
        self.switch(0, node.0)
    }

    fn port(&self, switch: SwitchId, destination: NodeId) -> u8 {
        self.port(switch, destination)
    }

    fn climbs(&self) -> Vec<Climb> {
        let up = self.up().0;
        vec![Climb { ports: PortMask::range(up, up), below: PortMask::first_of(up) }]
    }

    fn turns(&self, from: PortId, to: PortId) -> bool {
        from.max(to) < self.up()
    }

    fn switch_name(&self, switch: SwitchId) -> String {
        staged_name(switch, self.rows())
    }

    fn switch_number(&self, name: &str) -> Option<u32> {
        staged_number(name, self.rows())
    }

    fn in_words(&self) -> String {
        "a bidirectional multistage network".to_owned()
    }

    /// Fills in the ports down, away from the sources. The first port up has all other nodes.
    fn reach(&self) -> Option<Vec<u64>> {
        let mut reach = Reach::new(self);
        for switch in 0..self.switches() {
            reach.down(switch, self.up().0);
            reach.others(switch, self.up().0);
        }
        Some(reach.tables())
    }

    fn kinds(&self) -> Vec<(SwitchId, u32)> {
        kinds_of_stages(self.stages(), self.rows())
    }

    fn sketch(&self) -> Sketch {
        let note = |stage: u32| format!("down: port = digit {stage}");
        let notes = (0..self.stages()).map(note).collect();
        Sketch::Stages { digits: self.digits, both_sides: false, notes }
    }

    /// Worms are copied on their way down only.
    fn flow(&self) -> Option<Flow> {
        let stages = (0..self.stages()).rev().map(|j| (j, stage(j, self.rows()))).collect();
        Some(Flow { stages, ports: self.up().0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figure_3_b_turns_at_stages_3_and_2() {
        // [ATBM] section 2: 0010 to 1010 and 1100 to 1000, 16 nodes with 2x2 switches.
        let min = BiMin::new(2, 4);
        let turn = |source, destination| min.turn(NodeId(source), &[NodeId(destination)]);
        assert_eq!((turn(0b0010, 0b1010), turn(0b1100, 0b1000)), (3, 2));
    }
}
