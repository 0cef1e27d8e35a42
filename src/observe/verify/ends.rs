//! Far ends of lanes and channels, by the places of lanes in banks.

use wormscope_hw::{NodeId, PortId, SwitchId};

use crate::engine::LaneBanks;
use crate::network::{End, Lanes, Wiring};

/// The far end of a lane, or a lane that does not exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FarEnd {
    Nowhere,
    /// A lane of a switch, by its place in the banks.
    Lane(u32),
    /// A channel of a node, node-major.
    Channel(u32),
}

/// Far ends of all lanes and channels.
#[derive(Clone, Debug)]
pub(super) struct Ends {
    /// Of output lanes and of input lanes, by place.
    pub to: Vec<FarEnd>,
    pub from: Vec<FarEnd>,
    /// For each injection channel, node-major, the place of its input lane.
    pub injections: Vec<u32>,
    /// For each consumption channel, node-major, the place of its output lane, or [`u32::MAX`].
    pub consumptions: Vec<u32>,
}

impl Ends {
    pub fn new(wiring: &Wiring, lanes: Lanes, places: LaneBanks) -> Self {
        let count = 64 * places.banks(wiring.switches());
        let (mut to, mut from) = (vec![FarEnd::Nowhere; count], vec![FarEnd::Nowhere; count]);
        let mut consumptions = vec![u32::MAX; wiring.nodes() as usize * usize::from(lanes.consume)];
        for s in (0..wiring.switches()).map(SwitchId) {
            for lane in 0..lanes.outputs.count() {
                let (at, within) = (places.place(s, lane), lanes.outputs.within(lane));
                let end = wiring.output(s, PortId(lanes.outputs.port(lane)));
                to[at] = match end.filter(|_| lanes.has_output(wiring, s, lane)) {
                    Some(End::Switch(far, port)) => {
                        let input = places.place(far, lanes.inputs.first(port.0) + within);
                        from[input] = FarEnd::Lane(at as u32);
                        FarEnd::Lane(input as u32)
                    }
                    Some(End::Node(n)) => {
                        let channel = n.0 * u32::from(lanes.consume) + u32::from(within);
                        consumptions[channel as usize] = at as u32;
                        FarEnd::Channel(channel)
                    }
                    None => FarEnd::Nowhere,
                };
            }
        }
        let mut injections = Vec::new();
        for n in (0..wiring.nodes()).map(NodeId) {
            let (switch, port) = wiring.injection(n);
            for channel in 0..lanes.inject {
                let input = places.place(switch, lanes.inputs.first(port.0) + channel);
                from[input] = FarEnd::Channel(injections.len() as u32);
                injections.push(input as u32);
            }
        }
        Self { to, from, injections, consumptions }
    }
}
