//! A built topology: the interface of every network, with any wiring. One file of `topology/`
//! implements it for each family.

use std::any::Any;
use std::fmt::Debug;

use wormscope_hw::lane_group::Climb;
use wormscope_hw::{NodeId, PortId, SwitchId};

use super::{Digits, End};

/// Consecutive ports with the same numbering of lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Section {
    /// Number of ports.
    pub ports: u8,
    /// Whether one of these ports is linked to a switch, at some switch.
    pub to_switches: bool,
    /// Whether one of these ports is linked to a node, at some switch.
    pub to_nodes: bool,
}

/// The stages in which worms are copied, in the direction of the flow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flow {
    /// For each stage, its number in the names of its switches, and its switches, row by row.
    pub stages: Vec<(u32, Vec<SwitchId>)>,
    /// Number of ports that lead on. They are the first ports.
    pub ports: u8,
}

/// A point of a picture: (right, down).
pub type Position = (f64, f64);

/// Places of switches and nodes in a picture, in units of the distance between neighbours.
#[derive(Clone, Debug, PartialEq)]
pub struct Placement {
    /// Middles of the switches.
    pub switches: Vec<Position>,
    /// Middles of the nodes.
    pub nodes: Vec<Position>,
}

/// Layout of the drawing of a network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sketch {
    /// Routers as a grid of these radices. Links may lead around its edges.
    Grid {
        /// Number of nodes along each dimension.
        radices: Vec<u32>,
        /// Whether links lead around the edges.
        wraps: bool,
    },
    /// Stages from left to right, with the nodes at the left.
    Stages {
        /// Digits of the addresses between two stages.
        digits: Digits,
        /// Whether nodes are at the right as well, because links lead one way.
        both_sides: bool,
        /// A note for each stage.
        notes: Vec<String>,
    },
    /// The layout of [`Family::placement`].
    Layout,
}

/// Links that are idle for all worms.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Idle {
    /// Output ports towards switches that are on no route between two nodes, in ascending order.
    /// Ports that are idle by the nature of the routing are not listed.
    pub links: Vec<(SwitchId, PortId)>,
    /// Cure for idle links.
    pub cure: &'static str,
}

/// A network as wired, with its routing function.
pub trait Family: Any + Debug + Send + Sync {
    /// Number of nodes.
    fn nodes(&self) -> u32;

    /// Number of switches.
    fn switches(&self) -> u32;

    /// The ports of every switch in two sections, in ascending order.
    fn sections(&self) -> [Section; 2];

    /// End of output port `port` of `switch`; `None` if it is not connected.
    fn output(&self, switch: SwitchId, port: PortId) -> Option<End>;

    /// End that feeds input port `port` of `switch`. It is the end of the output of the same port,
    /// unless links are one-way.
    fn input(&self, switch: SwitchId, port: PortId) -> Option<End> {
        self.output(switch, port)
    }

    /// Switch and input port of a node.
    fn injection(&self, node: NodeId) -> (SwitchId, PortId);

    /// Switch and output port that lead to a node.
    fn consumption(&self, node: NodeId) -> (SwitchId, PortId) {
        self.injection(node)
    }

    /// Output port of `switch` towards `destination`; for any port of a [`Climb`], its first port.
    /// Worms use [`Routes`](super::routing::Routes), which computes the same answer in another way
    /// for most families.
    fn port(&self, switch: SwitchId, destination: NodeId) -> u8;

    /// Links between switches that no route between two nodes takes; empty for most families.
    fn idle(&self) -> Idle {
        Idle::default()
    }

    /// The groups of ports of which routing may choose any.
    fn climbs(&self) -> Vec<Climb> {
        Vec::new()
    }

    /// Whether a worm that comes in through port `from` and leaves through `to` turns from its way
    /// up to its way down.
    fn turns(&self, _from: PortId, _to: PortId) -> bool {
        false
    }

    /// Class of virtual channels on a link that leaves `switch` through `port`; 0 where there is
    /// one class. The worm came in through port `from` in class `before`.
    fn class(&self, _switch: SwitchId, _from: PortId, _before: u8, _port: PortId) -> u8 {
        0
    }

    /// Name of a switch in waveforms and reports.
    fn switch_name(&self, switch: SwitchId) -> String;

    /// The number of the switch with this name. Texts that are no name may also give a number.
    fn switch_number(&self, name: &str) -> Option<u32>;

    /// The family in words, for example "a ring of 8 nodes".
    fn in_words(&self) -> String;

    /// The stages in which worms are copied; `None` if token rings are not defined.
    fn flow(&self) -> Option<Flow> {
        None
    }

    /// Nodes that the routing function sends through each port of each switch, `ceil(nodes / 64)`
    /// words each, switch-major. `None` if the wiring alone does not decide, so that the routing
    /// function must decide.
    fn reach(&self) -> Option<Vec<u64>> {
        None
    }

    /// One switch for each kind of connections, and the number of switches of this kind. The ports
    /// of these switches are connected in the same way, to switches or to nodes.
    fn kinds(&self) -> Vec<(SwitchId, u32)> {
        (0..self.switches()).map(|switch| (SwitchId(switch), 1)).collect()
    }

    /// Layout of its drawing.
    fn sketch(&self) -> Sketch {
        Sketch::Layout
    }

    /// Places in a picture: switches in a circle, and the nodes around it.
    fn placement(&self) -> Placement {
        let switches = self.switches();
        let radius = (f64::from(switches) / std::f64::consts::TAU).max(1.0);
        let around = |radius: f64, part: f64| {
            let (sin, cos) = (std::f64::consts::TAU * part).sin_cos();
            (radius * sin, -radius * cos)
        };
        let of_switch = |switch: SwitchId| f64::from(switch.0) / f64::from(switches);
        let mut seen = vec![0_u32; switches as usize];
        let at: Vec<SwitchId> = (0..self.nodes()).map(|node| self.injection(NodeId(node)).0).collect();
        let mut all = vec![0_u32; switches as usize];
        for switch in &at {
            all[switch.index()] += 1;
        }
        let nodes = at.iter().map(|&switch| {
            let number = seen[switch.index()];
            seen[switch.index()] += 1;
            let beside = (f64::from(number) + 0.5) / f64::from(all[switch.index()]) - 0.5;
            around(radius + 0.8, of_switch(switch) + 0.8 * beside / f64::from(switches))
        });
        let nodes = nodes.collect();
        Placement { switches: (0..switches).map(|s| around(radius, of_switch(SwitchId(s)))).collect(), nodes }
    }
}

/// `sw_s<stage>_r<row>`, for stages of `rows` rows.
pub(super) fn staged_name(switch: SwitchId, rows: u32) -> String {
    format!("sw_s{}_r{}", switch.0 / rows, switch.0 % rows)
}

/// The switch with the name that [`staged_name`] gives.
pub(super) fn staged_number(name: &str, rows: u32) -> Option<u32> {
    let (stage, row) = name.strip_prefix("sw_s")?.split_once("_r")?;
    stage.parse::<u32>().ok()?.checked_mul(rows)?.checked_add(row.parse().ok()?)
}

/// One switch for each stage of `rows` rows, with the number of rows.
pub(super) fn kinds_of_stages(stages: u32, rows: u32) -> Vec<(SwitchId, u32)> {
    (0..stages).map(|stage| (SwitchId(stage * rows), rows)).collect()
}

/// The switches of stage `stage` of `rows` rows.
pub(super) fn stage(stage: u32, rows: u32) -> Vec<SwitchId> {
    (stage * rows..(stage + 1) * rows).map(SwitchId).collect()
}
