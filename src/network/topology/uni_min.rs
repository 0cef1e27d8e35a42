//! Unidirectional multistage networks (UNI-MIN): `stages` stages of `b` x `b` switches between the
//! nodes' outputs on the left and their inputs on the right.
//!
//! With n stages there are N = b^n nodes. Every stage has b^(n-1) switches, its *rows*, and switch
//! = stage * rows + row. A stage has N *positions* on either side, numbered from the top,
//! `row * b + port`.
//!
//! Connection c wires the positions on the right of stage c - 1 to the positions on the left of
//! stage c. Connection 0 comes from the nodes, and connection n leads to them. The kinds are those
//! of \[ATBM\] and of Duato, Yalamanchili and Ni, *Interconnection Networks*, 1.7.5:
//!
//! | kind | connection c | port of stage j is destination digit |
//! |---|---|---|
//! | baseline | straight for 0 and n, else inverse shuffle of low n - c + 1 digits | n - 1 - j |
//! | butterfly | digits 0 and c swapped; straight for 0 and n | j + 1, in the last stage 0 |
//! | omega | perfect shuffle; straight for n | n - 1 - j |

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use thiserror::Error;
use wormscope_hw::{Encoding, NodeId, PortId, SwitchId};

use crate::blueprint::{count, refuses_paths, switches_of_stages};
use crate::family::{kinds_of_stages, stage, staged_name, staged_number};
use crate::reach::Reach;
use crate::{Blueprint, Digits, End, Family, Flow, Misfit, Routing, Section, Sketch};

/// Wiring between the stages of a unidirectional multistage network.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub enum UniMinKind {
    /// Inverse shuffles of fewer and fewer digits.
    #[default]
    Baseline,
    /// Digit 0 swapped with one digit after the other.
    Butterfly,
    /// A perfect shuffle in front of every stage.
    Omega,
    /// Any wiring that is self-routing.
    Custom {
        /// `permutations[c][x]` is the position that position `x` leads to. There is one list in
        /// front of each stage and one after the last.
        permutations: Vec<Vec<u32>>,
    },
}

/// A unidirectional multistage network as configured.
#[derive(Clone, Copy, Debug)]
pub struct Parameters<'a> {
    /// Wiring between the stages.
    pub kind: &'a UniMinKind,
    /// Ports of every switch.
    pub switch_ports: u32,
    /// Stages of switches.
    pub stages: u32,
}

impl Parameters<'_> {
    fn wired(&self) -> Result<UniMin, Misfit> {
        Misfit::stages("uni_min", self.switch_ports, 64, self.stages)?;
        let (ports, stages) = (self.switch_ports as u8, self.stages);
        match self.kind {
            UniMinKind::Baseline => Ok(UniMin::new(Kind::Baseline, ports, stages)),
            UniMinKind::Butterfly => Ok(UniMin::new(Kind::Butterfly, ports, stages)),
            UniMinKind::Omega => Ok(UniMin::new(Kind::Omega, ports, stages)),
            UniMinKind::Custom { permutations } => {
                UniMin::custom(ports, stages, permutations).map_err(|why| Misfit::new(why.path(), why.to_string()))
            }
        }
    }
}

impl Blueprint for Parameters<'_> {
    fn check(&self) -> Result<(), Misfit> {
        match self.kind {
            UniMinKind::Custom { .. } => self.wired().map(drop),
            UniMinKind::Baseline | UniMinKind::Butterfly | UniMinKind::Omega => {
                Misfit::stages("uni_min", self.switch_ports, 64, self.stages)
            }
        }
    }

    fn build(&self) -> Result<Arc<dyn Family>, Misfit> {
        Ok(Arc::new(self.wired()?))
    }

    fn describe(&self) -> String {
        let kind = match self.kind {
            UniMinKind::Baseline => "baseline",
            UniMinKind::Butterfly => "butterfly",
            UniMinKind::Omega => "omega",
            UniMinKind::Custom { .. } => "custom",
        };
        let Self { switch_ports: b, stages, .. } = self;
        format!("unidirectional {kind} network of {stages} stages of {b}x{b} switches")
    }

    fn routings(&self) -> (String, &'static [Routing]) {
        ("a unidirectional multistage network".to_owned(), &[Routing::DestinationTag])
    }

    fn nodes(&self) -> u32 {
        self.switch_ports.saturating_pow(self.stages)
    }

    fn switches(&self) -> u32 {
        switches_of_stages(self.switch_ports, self.stages)
    }

    fn ports(&self) -> u32 {
        self.switch_ports
    }

    fn stages(&self) -> Option<(u32, u32)> {
        Some((self.switch_ports, self.stages))
    }

    fn refuses(&self, encoding: Encoding, _routing: Routing) -> Option<String> {
        refuses_paths(encoding)
    }

    fn inputs_tell(&self, _routing: Routing) -> bool {
        true
    }

    fn heads_keep_step(&self, _routing: Routing) -> bool {
        true
    }

    fn refuses_token_rings(&self, _routing: Routing) -> Option<&'static str> {
        None
    }

    fn lanes(&self, link: u32, node: u32) -> u32 {
        self.switch_ports.saturating_mul(link.max(node))
    }

    fn lanes_in_words(&self, link: &str, node: &str) -> String {
        format!("{} ports * the larger of {link} and {node}", self.switch_ports)
    }

    fn links(&self) -> u64 {
        u64::from(self.stages - 1) * u64::from(self.nodes())
    }

    fn bisection(&self) -> u64 {
        if self.stages == 1 { 0 } else { u64::from(self.nodes()) / 2 }
    }

    fn copying_inputs(&self, link: u32, inject: u32) -> Option<u32> {
        Some(self.switch_ports * if self.stages == 1 { inject } else { link })
    }

    fn masks(&self) -> u32 {
        self.stages
    }

    fn distances(&self, _: Routing) -> Option<Vec<u64>> {
        let (mut pairs, nodes) = (Vec::new(), u64::from(self.nodes()));
        count(&mut pairs, self.stages as usize, nodes * (nodes - 1));
        Some(pairs)
    }
}

/// A published kind of wiring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Every stage narrows the reached nodes to one of b parts.
    Baseline,
    /// Digits swapped.
    Butterfly,
    /// A perfect shuffle in front of every stage.
    Omega,
}

impl Kind {
    /// The digit of the destination that gives the port of stage `j` of n.
    #[must_use]
    pub(crate) const fn digit(self, n: u32, j: u32) -> u32 {
        match self {
            Self::Baseline | Self::Omega => n - 1 - j,
            Self::Butterfly if j + 1 == n => 0,
            Self::Butterfly => j + 1,
        }
    }

    /// The position that connection `c` of a network of n digits leads position `x` to.
    fn connection(self, digits: Digits, c: u32, x: u32) -> u32 {
        let n = digits.count();
        match self {
            Self::Baseline | Self::Butterfly if c == 0 || c == n => x,
            Self::Baseline => digits.unshuffle(x, n - c + 1),
            Self::Butterfly => digits.swap(x, c),
            Self::Omega if c == n => x,
            Self::Omega => digits.shuffle(x, n),
        }
    }
}

/// Reason why connections do not make a self-routing network.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum Unroutable {
    /// Wrong number of connections.
    #[error("{found} permutations; allowed: {needed}, one before each stage and one after the last")]
    Count {
        /// Given number.
        found: usize,
        /// Needed number.
        needed: usize,
    },
    /// Wrong number of positions.
    #[error("permutation {connection} has {found} positions; allowed: {needed}, as many as nodes")]
    Length {
        /// The connection.
        connection: usize,
        /// Given number.
        found: usize,
        /// Needed number.
        needed: u32,
    },
    /// Not a permutation.
    #[error(
        "permutation {connection}: position {position} is given twice or is out of range; allowed: each of 0 to {last} once"
    )]
    Position {
        /// The connection.
        connection: usize,
        /// A position that is named twice or does not exist.
        position: u32,
        /// The last position.
        last: u32,
    },
    /// The port to take depends on the source.
    #[error(
        "not self-routing: to node {destination}, stage {stage} takes port {} from node {} but port {} from node {}; each stage's \
         port must be a function of the destination alone", ports[0], sources[0], ports[1], sources[1]
    )]
    Sources {
        /// Node that both routes lead to.
        destination: u32,
        /// Two nodes whose routes disagree.
        sources: [u32; 2],
        /// The stage in which the routes disagree.
        stage: u32,
        /// The ports that the routes take in this stage.
        ports: [u8; 2],
    },
}

impl Unroutable {
    /// The permutation at fault, or all of them.
    fn path(&self) -> String {
        let all = "uni_min.kind.custom.permutations";
        match self {
            Self::Length { connection, .. } | Self::Position { connection, .. } => format!("{all}[{connection}]"),
            Self::Count { .. } | Self::Sources { .. } => all.to_owned(),
        }
    }
}

/// A unidirectional multistage network, cheap to clone.
#[derive(Clone, Debug)]
pub struct UniMin {
    digits: Digits,
    /// The position that each position is wired to, connection by connection.
    forward: Arc<[u32]>,
    /// The position that each position is wired from.
    backward: Arc<[u32]>,
    /// Output port that each stage takes towards each node, stage by stage.
    pub(crate) tags: Arc<[u8]>,
}

impl UniMin {
    /// A network of a published kind. `switch_ports` and `stages` come from a valid configuration.
    #[must_use]
    pub fn new(kind: Kind, switch_ports: u8, stages: u32) -> Self {
        let digits = Digits::new(switch_ports.into(), stages);
        let forward = (0..=stages).flat_map(|c| (0..digits.numbers()).map(move |x| kind.connection(digits, c, x)));
        let tags = (0..stages).flat_map(|j| (0..digits.numbers()).map(move |node| (kind.digit(stages, j), node)));
        let tags = tags.map(|(i, node)| digits.digit(node, i) as u8).collect();
        Self { tags, ..Self::wired(digits, forward.collect()) }
    }

    /// A network of given connections. `permutations[c][x]` is a position on the left of stage c,
    /// or a node after the last stage. Position x on the right of stage c - 1, or node x before the
    /// first stage, is wired to it.
    ///
    /// # Errors
    /// Fails when there are not as many permutations of all positions as connections. Fails when
    /// the network is not self-routing.
    pub fn custom(switch_ports: u8, stages: u32, permutations: &[Vec<u32>]) -> Result<Self, Unroutable> {
        let digits = Digits::new(switch_ports.into(), stages);
        let (needed, positions) = (stages as usize + 1, digits.numbers());
        if permutations.len() != needed {
            return Err(Unroutable::Count { found: permutations.len(), needed });
        }
        for (connection, permutation) in permutations.iter().enumerate() {
            if permutation.len() != positions as usize {
                return Err(Unroutable::Length { connection, found: permutation.len(), needed: positions });
            }
            let mut seen = vec![false; positions as usize];
            let fresh = |&&x: &&u32| seen.get_mut(x as usize).is_none_or(|seen| std::mem::replace(seen, true));
            if let Some(&position) = permutation.iter().find(fresh) {
                return Err(Unroutable::Position { connection, position, last: positions - 1 });
            }
        }
        let min = Self::wired(digits, permutations.concat());
        Ok(Self { tags: min.find_tags()?.into(), ..min })
    }

    fn wired(digits: Digits, forward: Vec<u32>) -> Self {
        let mut backward = vec![0; forward.len()];
        for (connection, back) in
            forward.chunks(digits.numbers() as usize).zip(backward.chunks_mut(digits.numbers() as usize))
        {
            for (from, &to) in (0..).zip(connection) {
                back[to as usize] = from;
            }
        }
        Self { digits, forward: forward.into(), backward: backward.into(), tags: Arc::default() }
    }

    /// Finds the port that each stage takes towards each node.
    ///
    /// The ports taken so far are the *label* of a wire. A network is self-routing if and only if
    /// all inputs of a switch have the same label. Then every worm that takes the ports of a label
    /// ends on the one wire with that label. By counting, no two wires to nodes have the same
    /// label.
    fn find_tags(&self) -> Result<Vec<u8>, Unroutable> {
        let (n, b, positions) = (self.stages(), self.digits.base(), self.nodes());
        let mut labels = vec![0_u32; positions as usize];
        for stage in 0..n {
            let inputs: Vec<u32> = (0..positions).map(|x| labels[self.back(stage, x) as usize]).collect();
            for row in 0..positions / b {
                let of = |port: u32| inputs[(row * b + port) as usize];
                if let Some(port) = (1..b).find(|&port| of(port) != of(0)) {
                    return Err(self.disagreement(stage, [row * b, row * b + port], [of(0), of(port)]));
                }
                for port in 0..b {
                    labels[(row * b + port) as usize] = of(0) * b + port;
                }
            }
        }
        let digits = self.digits;
        let label = |node: u32| labels[self.back(n, node) as usize];
        let tags = (0..n).flat_map(|j| (0..positions).map(move |node| (j, node)));
        Ok(tags.map(|(j, node)| digits.digit(label(node), n - 1 - j) as u8).collect())
    }

    /// Two inputs of a switch of `stage` have different labels, so the routes through them to one
    /// node disagree.
    fn disagreement(&self, stage: u32, inputs: [u32; 2], labels: [u32; 2]) -> Unroutable {
        let b = self.digits.base();
        // Any source upstream, but a different one for each of the two inputs.
        let source = |input: u32, port: u32| {
            let upstream = (1..=stage).rev().fold(input, |x, c| self.back(c, x) / b * b);
            self.back(0, upstream + port)
        };
        let destination = (stage + 1..=self.stages()).fold(inputs[0] / b * b, |x, c| {
            let x = self.ahead(c, x);
            if c == self.stages() { x } else { x / b * b }
        });
        let digit = |label: u32, at: u32| self.digits.digit(label, stage - 1 - at) as u8;
        let differs = (0..stage).find(|&at| digit(labels[0], at) != digit(labels[1], at)).unwrap_or(0);
        Unroutable::Sources {
            destination,
            sources: [source(inputs[0], 0), source(inputs[1], 1)],
            stage: differs,
            ports: labels.map(|label| digit(label, differs)),
        }
    }

    /// The position that connection `c` leads position `x` to.
    pub(crate) fn ahead(&self, c: u32, x: u32) -> u32 {
        self.forward[c as usize * self.nodes() as usize + x as usize]
    }

    /// The position from which connection `c` leads to position `x`.
    fn back(&self, c: u32, x: u32) -> u32 {
        self.backward[c as usize * self.nodes() as usize + x as usize]
    }

    /// Number of nodes, and of positions on either side of a stage.
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
        self.nodes() / self.digits.base()
    }

    /// Number of ports of every switch, each with an input and an output side.
    #[must_use]
    pub fn ports(&self) -> u8 {
        self.digits.base() as u8
    }

    /// Output port that a switch takes towards a node: the destination tag.
    #[must_use]
    #[inline]
    pub fn tag(&self, switch: SwitchId, destination: NodeId) -> u8 {
        let stage = switch.0 / self.rows();
        self.tags[stage as usize * self.nodes() as usize + destination.index()]
    }

    /// The digit of the destination that gives the port of a stage, if there is one.
    #[must_use]
    fn digit(&self, stage: u32) -> Option<u32> {
        let tags = &self.tags[stage as usize * self.nodes() as usize..][..self.nodes() as usize];
        let is_tag = |&i: &u32| (0..).zip(tags).all(|(node, &tag)| self.digits.digit(node, i) as u8 == tag);
        (0..self.stages()).find(is_tag)
    }

    /// Stage and position of a port.
    fn position(&self, switch: SwitchId, port: PortId) -> (u32, u32) {
        (switch.0 / self.rows(), switch.0 % self.rows() * self.digits.base() + u32::from(port.0))
    }

    fn switch(&self, stage: u32, position: u32) -> (SwitchId, PortId) {
        let b = self.digits.base();
        (SwitchId(stage * self.rows() + position / b), PortId((position % b) as u8))
    }
}

impl Family for UniMin {
    fn nodes(&self) -> u32 {
        self.digits.numbers()
    }

    fn switches(&self) -> u32 {
        self.stages() * self.rows()
    }

    fn sections(&self) -> [Section; 2] {
        [
            Section { ports: self.ports(), to_switches: true, to_nodes: true },
            Section { ports: 0, to_switches: true, to_nodes: false },
        ]
    }

    fn output(&self, switch: SwitchId, port: PortId) -> Option<End> {
        let (stage, position) = self.position(switch, port);
        let to = self.ahead(stage + 1, position);
        Some(if stage + 1 == self.stages() { End::Node(NodeId(to)) } else { self.switch(stage + 1, to).into() })
    }

    fn input(&self, switch: SwitchId, port: PortId) -> Option<End> {
        let (stage, position) = self.position(switch, port);
        let from = self.back(stage, position);
        Some(if stage == 0 { End::Node(NodeId(from)) } else { self.switch(stage - 1, from).into() })
    }

    fn injection(&self, node: NodeId) -> (SwitchId, PortId) {
        self.switch(0, self.ahead(0, node.0))
    }

    fn consumption(&self, node: NodeId) -> (SwitchId, PortId) {
        self.switch(self.stages() - 1, self.back(self.stages(), node.0))
    }

    fn port(&self, switch: SwitchId, destination: NodeId) -> u8 {
        self.tag(switch, destination)
    }

    fn switch_name(&self, switch: SwitchId) -> String {
        staged_name(switch, self.rows())
    }

    fn switch_number(&self, name: &str) -> Option<u32> {
        staged_number(name, self.rows())
    }

    fn in_words(&self) -> String {
        "a unidirectional multistage network".to_owned()
    }

    /// The table begins with the switches nearest to the destinations.
    fn reach(&self) -> Option<Vec<u64>> {
        let mut reach = Reach::new(self);
        (0..self.switches()).rev().for_each(|switch| reach.down(switch, self.ports()));
        Some(reach.tables())
    }

    fn kinds(&self) -> Vec<(SwitchId, u32)> {
        kinds_of_stages(self.stages(), self.rows())
    }

    fn sketch(&self) -> Sketch {
        let note = |stage: u32| match self.digit(stage) {
            Some(digit) => format!("port = digit {digit}"),
            None => "port by destination".to_owned(),
        };
        let notes = (0..self.stages()).map(note).collect();
        Sketch::Stages { digits: self.digits, both_sides: true, notes }
    }

    fn flow(&self) -> Option<Flow> {
        let stages = (0..self.stages()).map(|j| (j, stage(j, self.rows()))).collect();
        Some(Flow { stages, ports: self.ports() })
    }
}
