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

/// Lanes of a bank whose far ends are lanes of the same bank. The bit of each far end is that of
/// the lane, turned left by the same number of bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Turned {
    pub lanes: u64,
    pub bank: usize,
    pub turn: u32,
}

impl Turned {
    /// The far ends of some lanes, if they have any here.
    #[inline(always)]
    pub fn ends(&self, lanes: u64) -> Option<u64> {
        let here = lanes & self.lanes;
        (here != 0).then(|| here.rotate_left(self.turn))
    }
}

/// The links of each bank to lanes of banks.
fn links(ends: &[FarEnd]) -> Vec<Vec<Turned>> {
    let of_bank = |ends: &[FarEnd]| {
        let mut links: Vec<Turned> = Vec::new();
        for (lane, end) in (0_u32..).zip(ends) {
            let &FarEnd::Lane(place) = end else { continue };
            let (bank, turn) = (place as usize / 64, (place % 64 + 64 - lane) % 64);
            match links.iter_mut().find(|links| (links.bank, links.turn) == (bank, turn)) {
                Some(links) => links.lanes |= 1 << lane,
                None => links.push(Turned { lanes: 1 << lane, bank, turn }),
            }
        }
        links
    };
    ends.chunks(64).map(of_bank).collect()
}

/// Far ends of all lanes and channels.
#[derive(Clone, Debug)]
pub(super) struct Ends {
    /// Of output lanes and of input lanes, by place.
    pub to: Vec<FarEnd>,
    pub from: Vec<FarEnd>,
    /// The same, by bank, without those at nodes.
    pub links_to: Vec<Vec<Turned>>,
    pub links_from: Vec<Vec<Turned>>,
    /// By bank, from output lanes to the first lanes of their links. Empty where each link has one
    /// lane.
    pub shared: Vec<Vec<Turned>>,
    /// For each injection channel, node-major, the place of its input lane.
    pub injections: Vec<u32>,
    /// For each consumption channel, node-major, the place of its output lane, or [`u32::MAX`].
    pub consumptions: Vec<u32>,
}

impl Ends {
    /// `channels` has the virtual channels of a link to a switch and to a node.
    pub fn new(wiring: &Wiring, lanes: Lanes, places: LaneBanks, channels: [u8; 2]) -> Self {
        let count = 64 * places.banks(wiring.switches());
        let [mut to, mut from, mut shared] = [(); 3].map(|()| vec![FarEnd::Nowhere; count]);
        let mut consumptions = vec![u32::MAX; wiring.nodes() as usize * usize::from(lanes.consume)];
        for s in (0..wiring.switches()).map(SwitchId) {
            for lane in 0..lanes.outputs.count() {
                let (at, within) = (places.place(s, lane), lanes.outputs.within(lane));
                let end = wiring.output(s, PortId(lanes.outputs.port(lane)));
                let channels = channels[usize::from(matches!(end, Some(End::Node(_))))];
                if channels > 1 {
                    shared[at] = FarEnd::Lane(places.place(s, lane - within % channels) as u32);
                }
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
        let [links_to, links_from, shared] = [&to, &from, &shared].map(|ends| links(ends));
        Self { to, from, links_to, links_from, shared, injections, consumptions }
    }
}
