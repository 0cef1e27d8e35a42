//! Parts of a network with their own instances in a dump: switches and nodes.

use wormscope_hw::{NodeId, SwitchId};

use super::signal::Instance;
use crate::network::{Lanes, Wiring};

/// A part of a network with its own instances in a dump.
#[derive(Clone, Copy)]
pub(crate) enum Part {
    Switch(SwitchId),
    Node(NodeId),
}

impl Part {
    /// All parts of a network, in the order in which a dump declares them.
    pub fn all(wiring: &Wiring) -> impl Iterator<Item = Self> + use<> {
        let switches = (0..wiring.switches()).map(|switch| Self::Switch(SwitchId(switch)));
        switches.chain((0..wiring.nodes()).map(|node| Self::Node(NodeId(node))))
    }

    /// The part of an instance.
    pub fn of(instance: Instance) -> Self {
        match instance {
            Instance::Input(switch, _) | Instance::Output(switch, _) | Instance::Station(switch) => {
                Self::Switch(switch)
            }
            Instance::Injection(node, _) | Instance::Queue(node) | Instance::Ejection(node, _) => Self::Node(node),
        }
    }

    pub fn name(self, wiring: &Wiring) -> String {
        match self {
            Self::Switch(switch) => wiring.switch_name(switch),
            Self::Node(node) => format!("node{node}"),
        }
    }

    /// The possible instances of the part, in the order in which a dump declares them.
    pub fn instances(self, lanes: Lanes) -> impl Iterator<Item = Instance> {
        let (switch, node) = match self {
            Self::Switch(switch) => (Some(switch), None),
            Self::Node(node) => (None, Some(node)),
        };
        let of_switch = move |switch| {
            let inputs = (0..lanes.inputs.count()).map(move |lane| Instance::Input(switch, lane));
            let outputs = (0..lanes.outputs.count()).map(move |lane| Instance::Output(switch, lane));
            inputs.chain(outputs).chain([Instance::Station(switch)])
        };
        let of_node = move |node| {
            let injections = (0..lanes.inject).map(move |channel| Instance::Injection(node, channel));
            let ejections = (0..lanes.consume).map(move |channel| Instance::Ejection(node, channel));
            injections.chain([Instance::Queue(node)]).chain(ejections)
        };
        switch.into_iter().flat_map(of_switch).chain(node.into_iter().flat_map(of_node))
    }
}
