//! Senders of flits: output lanes of switches and injection channels of nodes, by the names of
//! waveforms.

use wormscope_hw::{Acquisition, NodeId, PortId, SwitchId};

use super::{Lanes, Network, Wiring};

/// The sending end of a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Channel {
    /// Output lane of a switch.
    Output(SwitchId, u8),
    /// Injection channel of a node.
    Injection(NodeId, u8),
}

/// A place of a cycle of waits. A worm that keeps it may wait for the next, and in the last place
/// for the first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CyclePlace {
    /// Name of the lanes, or of the FIFOs after them.
    pub name: String,
    /// The lanes.
    pub lanes: Vec<Channel>,
    /// Whether the place is the FIFOs at the end of the lanes.
    pub is_fifo: bool,
}

/// Part of the network that a stall holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stalled {
    /// The node takes no flit.
    Node(NodeId),
    /// The lane of a link carries no flit.
    Channel(Channel),
    /// The token does not leave the station of this switch.
    Station(SwitchId),
    /// The arbiter puts this input lane first.
    Turn(Arbitrated, u8),
}

/// An arbiter that grants lanes or a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Arbitrated {
    /// Arbiter of an output lane. The arbiter of lane 0 is the allocator of an atomic switch.
    Lane(SwitchId, u8),
    /// Station of a switch on its token ring.
    Station(SwitchId),
}

/// All output lanes of switches with their names, as in `rt_0_1.out2` and `sw_s0_r1.out2.l1`.
pub fn outputs(wiring: &Wiring, lanes: Lanes) -> impl Iterator<Item = (Channel, String)> {
    (0..wiring.switches()).map(SwitchId).flat_map(move |switch| outputs_of(wiring, lanes, switch))
}

fn outputs_of(wiring: &Wiring, lanes: Lanes, switch: SwitchId) -> impl Iterator<Item = (Channel, String)> {
    let own = (0..lanes.outputs.count()).filter(move |&lane| lanes.has_output(wiring, switch, lane));
    own.map(move |lane| {
        let name = format!("{}.{}", wiring.switch_name(switch), lanes.output_name(lane));
        (Channel::Output(switch, lane), name)
    })
}

/// All injection channels of nodes with their names, as in `node3.inj`.
pub fn injections(wiring: &Wiring, lanes: Lanes) -> impl Iterator<Item = (Channel, String)> {
    (0..wiring.nodes()).map(NodeId).flat_map(move |node| injections_of(lanes, node))
}

fn injections_of(lanes: Lanes, node: NodeId) -> impl Iterator<Item = (Channel, String)> {
    (0..lanes.inject).map(move |c| (Channel::Injection(node, c), format!("node{node}.{}", lanes.inject_name(c))))
}

/// Whether `name` is the name of a lane, or of its port. `node0.inj` means all injection channels
/// of a node. `top.` may come before it.
#[must_use]
pub fn covers(name: &str, lane: &str) -> bool {
    let name = name.strip_prefix("top.").unwrap_or(name);
    let is_injection = name.split_once('.').is_some_and(|(_, channel)| channel == "inj");
    let is_numbered = |rest: &str| is_injection && rest.bytes().all(|digit| digit.is_ascii_digit());
    lane.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.') || is_numbered(rest))
}

/// The lanes that `name` covers.
#[must_use]
pub fn named(wiring: &Wiring, lanes: Lanes, name: &str) -> Vec<Channel> {
    // Only the names of one instance are searched, to save time.
    let bare = name.strip_prefix("top.").unwrap_or(name);
    let instance = bare.split_once('.').map_or(bare, |(instance, _)| instance);
    let node = instance.strip_prefix("node").and_then(|number| number.parse().ok()).filter(|&n| n < wiring.nodes());
    let of_switch = wiring.switch_named(instance).into_iter().flat_map(|switch| outputs_of(wiring, lanes, switch));
    let of_node = node.into_iter().flat_map(|node| injections_of(lanes, NodeId(node)));
    of_switch.chain(of_node).filter(|(_, lane)| covers(name, lane)).map(|(channel, _)| channel).collect()
}

/// The switch with this name. `top.` may come before it.
#[must_use]
pub fn switch_named(wiring: &Wiring, name: &str) -> Option<SwitchId> {
    wiring.switch_named(name.strip_prefix("top.").unwrap_or(name))
}

/// The arbiter with this name: an output lane, or a switch for its station. With atomic
/// acquisition and without a station, a switch means its allocator. `top.` may come before it.
#[must_use]
pub fn arbiter_named(network: &Network, wiring: &Wiring, name: &str) -> Option<Arbitrated> {
    if let Some(switch) = switch_named(wiring, name) {
        if network.token_ring.is_some() {
            return Some(Arbitrated::Station(switch));
        }
        return (network.switch.acquisition == Acquisition::Atomic).then_some(Arbitrated::Lane(switch, 0));
    }
    let [Channel::Output(switch, lane)] = named(wiring, network.lanes(wiring), name)[..] else { return None };
    (network.switch.acquisition == Acquisition::Incremental).then_some(Arbitrated::Lane(switch, lane))
}

/// The input lane with this name, as in `in2`, at the switch of an arbiter.
#[must_use]
pub fn input_named(wiring: &Wiring, lanes: Lanes, arbiter: Arbitrated, name: &str) -> Option<u8> {
    let (Arbitrated::Lane(switch, _) | Arbitrated::Station(switch)) = arbiter;
    let exists = |lane: &u8| wiring.input(switch, PortId(lanes.inputs.port(*lane))).is_some();
    (0..lanes.inputs.count()).filter(exists).find(|&lane| lanes.input_name(lane) == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Network;

    #[test]
    fn the_name_of_the_injection_channels_of_a_node_covers_all_of_them() {
        let covered = ["node3.inj", "node3.inj0", "node3.inj1", "node33.inj0", "rt_3.out0"];
        let by = |name: &str| covered.map(|lane| covers(name, lane));
        assert_eq!(by("node3.inj"), [true, true, true, false, false]);
        assert_eq!(by("top.node3.inj1"), [false, false, true, false, false]);
        assert_eq!(by("node3"), [true, true, true, false, false]);
        assert_eq!(by("rt_3.out"), [false; 5]);
    }

    #[test]
    fn every_name_leads_back_to_its_instance() {
        for topology in [
            "linear(nodes: 12)",
            "mesh(radices: [3, 4, 2])",
            "torus(radices: [11, 2])",
            "uni_min(switch_ports: 4, stages: 2)",
            "bi_min(switch_ports: 2, stages: 4)",
        ] {
            let network: Network = ron::from_str(&format!("(topology: {topology})")).expect("a network");
            let (wiring, lanes) = (network.wiring(), network.lanes(&network.wiring()));
            for (channel, name) in outputs(&wiring, lanes).chain(injections(&wiring, lanes)) {
                assert_eq!(named(&wiring, lanes, &name), [channel], "{name}");
            }
            for switch in (0..wiring.switches()).map(SwitchId) {
                assert_eq!(switch_named(&wiring, &format!("top.{}", wiring.switch_name(switch))), Some(switch));
            }
            for wrong in [
                "rt_01",
                "rt_0_0_0_0",
                "rt_99",
                "sw_s0_r99",
                "sw_s1",
                "node99.inj",
                "rt_",
                "",
                "node",
                "rt_4294967295_1",
            ] {
                assert_eq!(named(&wiring, lanes, wrong), [], "{wrong}");
                assert_eq!(switch_named(&wiring, wrong), None, "{wrong}");
            }
        }
    }

    #[test]
    fn a_name_covers_its_lane_or_all_lanes_of_its_port() {
        let text = "(topology: linear(nodes: 3), switch: (virtual_channels: 2), node: (injection_channels: 2))";
        let network: Network = ron::from_str(text).expect("a network");
        let wiring = network.wiring();
        let named = |name| named(&wiring, network.lanes(&wiring), name);
        let middle = |lane| Channel::Output(SwitchId(1), lane);
        assert_eq!(named("rt_1.out1"), [middle(2), middle(3)]);
        assert_eq!(named("top.rt_1.out1.l1"), [middle(3)]);
        assert_eq!(named("node2.inj1"), [Channel::Injection(NodeId(2), 1)]);
        // Names of no port, of no lane, of a part of a name, and of an input.
        for name in ["rt_0.out1", "rt_1.out1.l2", "rt_1.out", "rt_1.in1", ""] {
            assert_eq!(named(name), [], "{name}");
        }
        assert_eq!(switch_named(&wiring, "top.rt_2"), Some(SwitchId(2)));
        assert_eq!(switch_named(&wiring, "rt_3"), None);
    }
}
