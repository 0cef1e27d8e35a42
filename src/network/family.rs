//! A topology as built: what every network answers, whatever its wiring. One file of `topology/`
//! implements it for each family.

use std::any::Any;
use std::fmt::Debug;

use wormscope_hw::lane_group::Climb;
use wormscope_hw::{NodeId, PortId, SwitchId};

use super::{Digits, End};

/// Consecutive ports whose lanes are numbered alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Section {
    /// How many.
    pub ports: u8,
    /// At some switch one of them is linked to a switch.
    pub to_switches: bool,
    /// At some switch one of them is linked to a node.
    pub to_nodes: bool,
}

/// The stages in which worms are copied, in the direction of the flow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flow {
    /// Number of each stage in the names of its switches, and its switches, row by row.
    pub stages: Vec<(u32, Vec<SwitchId>)>,
    /// The ports that lead on: the first so many.
    pub ports: u8,
}

/// A point of a picture: to the right and down.
pub type Position = (f64, f64);

/// Where switches and nodes stand in a picture, in units of the distance of neighbours.
#[derive(Clone, Debug, PartialEq)]
pub struct Placement {
    /// Middles of the switches.
    pub switches: Vec<Position>,
    /// Middles of the nodes.
    pub nodes: Vec<Position>,
}

/// How a network is drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sketch {
    /// Routers as a grid of these radices, whose links may lead round it.
    Grid {
        /// Nodes along each dimension.
        radices: Vec<u32>,
        /// Whether links lead round.
        wraps: bool,
    },
    /// Stage by stage from left to right, the nodes at the left.
    Stages {
        /// Those of the addresses between two stages.
        digits: Digits,
        /// The nodes are at the right as well: links lead one way.
        both_sides: bool,
        /// What is said of each stage.
        notes: Vec<String>,
    },
    /// Where [`Family::placement`] says.
    Layout,
}

/// Links that stand idle whatever is sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Idle {
    /// Output ports towards switches that are on no route between two nodes, in ascending order;
    /// not those where that is the nature of the routing.
    pub links: Vec<(SwitchId, PortId)>,
    /// What to do about them.
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

    /// Where output port `port` of `switch` leads; `None` where it is not connected.
    fn output(&self, switch: SwitchId, port: PortId) -> Option<End>;

    /// Where input port `port` of `switch` comes from: where its output leads, unless links are
    /// one-way.
    fn input(&self, switch: SwitchId, port: PortId) -> Option<End> {
        self.output(switch, port)
    }

    /// Switch and input port that a node feeds.
    fn injection(&self, node: NodeId) -> (SwitchId, PortId);

    /// Switch and output port that lead to a node.
    fn consumption(&self, node: NodeId) -> (SwitchId, PortId) {
        self.injection(node)
    }

    /// Output port of `switch` towards `destination`, the first of a [`Climb`] for any of its
    /// ports. The function that worms run through is [`Routes`](super::routing::Routes), which has
    /// its own way to the same answer for most families.
    fn port(&self, switch: SwitchId, destination: NodeId) -> u8;

    /// The links between switches that no route between two nodes takes; none of most families.
    fn idle(&self) -> Idle {
        Idle::default()
    }

    /// The groups of ports that routing chooses from freely.
    fn climbs(&self) -> Vec<Climb> {
        Vec::new()
    }

    /// Whether a worm that comes in through port `from` and leaves through `to` turns round from
    /// its way up to its way down.
    fn turns(&self, _from: PortId, _to: PortId) -> bool {
        false
    }

    /// Class of virtual channels on a link that leaves `switch` through `port`, for a worm that
    /// came in through port `from` in class `before`; 0 where there is one class.
    fn class(&self, _switch: SwitchId, _from: PortId, _before: u8, _port: PortId) -> u8 {
        0
    }

    /// Name of a switch in waveforms and reports.
    fn switch_name(&self, switch: SwitchId) -> String;

    /// The number in a switch's name; other texts and names beyond the last may have one too.
    fn switch_number(&self, name: &str) -> Option<u32>;

    /// The family in words, as in "a ring of 8 nodes".
    fn in_words(&self) -> String;

    /// The stages in which worms are copied; `None` where token rings are not defined.
    fn flow(&self) -> Option<Flow> {
        None
    }

    /// Nodes that each port of each switch leads to, `ceil(nodes / 64)` words each, switch-major:
    /// those that the routing function sends through it. `None` where it is to be asked for each of
    /// them, because the wiring alone does not tell.
    fn reach(&self) -> Option<Vec<u64>> {
        None
    }

    /// Switches that stand for all those whose ports are connected alike, to switches or to nodes,
    /// and how many they stand for.
    fn kinds(&self) -> Vec<(SwitchId, u32)> {
        (0..self.switches()).map(|switch| (SwitchId(switch), 1)).collect()
    }

    /// How it is drawn.
    fn sketch(&self) -> Sketch {
        Sketch::Layout
    }

    /// Where everything stands in a picture: switches in a circle, and around it the nodes.
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

/// `sw_s<stage>_r<row>`, where a stage has so many rows.
pub(super) fn staged_name(switch: SwitchId, rows: u32) -> String {
    format!("sw_s{}_r{}", switch.0 / rows, switch.0 % rows)
}

/// The switch that [`staged_name`] calls so.
pub(super) fn staged_number(name: &str, rows: u32) -> Option<u32> {
    let (stage, row) = name.strip_prefix("sw_s")?.split_once("_r")?;
    stage.parse::<u32>().ok()?.checked_mul(rows)?.checked_add(row.parse().ok()?)
}

/// The switches that stand for their stages, each of so many rows.
pub(super) fn kinds_of_stages(stages: u32, rows: u32) -> Vec<(SwitchId, u32)> {
    (0..stages).map(|stage| (SwitchId(stage * rows), rows)).collect()
}

/// The switches of stage `stage` of so many rows.
pub(super) fn stage(stage: u32, rows: u32) -> Vec<SwitchId> {
    (stage * rows..(stage + 1) * rows).map(SwitchId).collect()
}
