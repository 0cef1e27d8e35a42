//! Flits and credits on their lanes: credits, FIFO bounds, ownership.

use wormscope_hw::{NodeId, PortId, SwitchId, WormId};

use super::due::Due;
use super::rules::{Breaches, Rule};
use crate::engine::{CommitLog, FlitId, InjectSample, OutSample, WormInfo};
use crate::network::{End, Lanes, Link, Network, Wiring};

/// Number of a lane that does not exist.
const NONE: u32 = u32::MAX;

/// End of a lane.
#[derive(Clone, Copy, Debug)]
enum To {
    /// The FIFO of an input lane, by its number over all switches.
    Fifo(u32),
    /// A node.
    Node,
    Nowhere,
}

/// An output lane of a switch or an injection channel of a node, with the flits and credits under
/// way.
#[derive(Clone, Debug)]
struct WatchedLane {
    to: To,
    depth: u32,
    delay: u8,
    credit_delay: u8,
    /// Whether the credits of the lane were wrong, so that the checker no longer checks them.
    lost: bool,
    /// The first lane of the link of this lane.
    shared: u32,
    /// Number of flits that were sent and are not in the FIFO yet, and how many of them are due.
    flits: u32,
    due: u32,
    /// Number of credits under way.
    credits: u32,
    /// The next flit of the worm under way, and the input that owns the lane.
    open: Option<(FlitId, Option<u8>)>,
    /// Cycle after the last flit on the link.
    used: u64,
}

/// Last sample of a FIFO: the number of its flits, and the worm in service.
#[derive(Clone, Copy, Debug)]
struct ToldFifo {
    count: u16,
    worm: Option<WormId>,
}

/// Follows flits and credits.
#[derive(Clone, Debug)]
pub(super) struct Flow<'a> {
    wiring: &'a Wiring,
    lanes: Lanes,
    /// Number of input lanes and of output lanes of a switch.
    ins: usize,
    outs: usize,
    /// Output lanes, switch-major, then injection channels, node-major.
    links: Vec<WatchedLane>,
    /// Number of the first injection channel in the list.
    injections: usize,
    /// Lanes whose flits and credits are under way.
    flits: Due<u32>,
    credits: Due<u32>,
    /// The lane that feeds each input lane, switch-major, or [`NONE`].
    feeds: Vec<u32>,
    /// For each consumption channel, node-major, the lane that leads there, or [`NONE`].
    nodes: Vec<u32>,
    /// Latest sample of each FIFO.
    told: Vec<ToldFifo>,
    /// Number of flits of each worm.
    lengths: Vec<u32>,
}

impl<'a> Flow<'a> {
    /// `lengths` has the flits of each worm so far.
    pub fn new(network: &Network, wiring: &'a Wiring, lengths: Vec<u32>) -> Self {
        let lanes = network.lanes(wiring);
        let (switch, node) = (&network.switch, &network.node);
        let (ins, outs) = (usize::from(lanes.inputs.count()), usize::from(lanes.outputs.count()));
        let depth = switch.fifo_depth;
        let crossbar = switch.crossbar_cycles;
        let mut feeds = vec![NONE; wiring.switches() as usize * ins];
        let mut nodes = vec![NONE; wiring.nodes() as usize * usize::from(lanes.consume)];
        let mut links: Vec<WatchedLane> = Vec::with_capacity(wiring.switches() as usize * outs);
        let link = |to, depth, wire: Link, crossbar, shared: usize| WatchedLane {
            to,
            depth,
            delay: (crossbar + wire.link_cycles) as u8,
            credit_delay: wire.credit_cycles as u8,
            lost: false,
            shared: shared as u32,
            flits: 0,
            due: 0,
            credits: 0,
            open: None,
            used: 0,
        };
        for s in (0..wiring.switches()).map(SwitchId) {
            for lane in 0..outs as u8 {
                let at = links.len();
                let (port, l) = (PortId(lanes.outputs.port(lane)), lanes.outputs.within(lane));
                links.push(match wiring.output(s, port).filter(|_| lanes.has_output(wiring, s, lane)) {
                    Some(End::Switch(far, port)) => {
                        let to = far.index() * ins + usize::from(lanes.inputs.first(port.0) + l);
                        feeds[to] = at as u32;
                        let shared = at - usize::from(l) % switch.virtual_channels as usize;
                        link(To::Fifo(to as u32), depth, network.link, crossbar, shared)
                    }
                    Some(End::Node(n)) => {
                        let channel = n.index() * usize::from(lanes.consume) + usize::from(l);
                        nodes[channel] = at as u32;
                        let depth = network.consumption_depth();
                        let shared = at - usize::from(l) % network.node_channels() as usize;
                        link(To::Node, depth, node.consumption_link, crossbar, shared)
                    }
                    None => link(To::Nowhere, depth, network.link, crossbar, at),
                });
            }
        }
        let injections = links.len();
        for n in (0..wiring.nodes()).map(NodeId) {
            for channel in 0..lanes.inject {
                let (switch, port) = wiring.injection(n);
                let to = switch.index() * ins + usize::from(lanes.inputs.first(port.0) + channel);
                let at = links.len();
                feeds[to] = at as u32;
                let shared = at - usize::from(channel) % network.node_channels() as usize;
                links.push(link(To::Fifo(to as u32), network.injection_depth(), node.injection_link, 0, shared));
            }
        }
        let longest = |of: fn(&WatchedLane) -> u8| links.iter().map(of).max().unwrap_or(0).into();
        Self {
            wiring,
            lanes,
            ins,
            outs,
            injections,
            flits: Due::within(longest(|link| link.delay)),
            credits: Due::within(longest(|link| link.credit_delay)),
            links,
            told: vec![ToldFifo { count: 0, worm: None }; feeds.len()],
            feeds,
            nodes,
            lengths,
        }
    }

    pub fn created(&mut self, worm: &WormInfo) {
        self.lengths.push(worm.header_flits + worm.payload_flits);
    }

    fn link_name(&self, at: usize) -> String {
        if at < self.injections {
            let switch = self.wiring.switch_name(SwitchId((at / self.outs) as u32));
            return format!("{switch}.{}", self.lanes.output_name((at % self.outs) as u8));
        }
        let (at, per) = (at - self.injections, usize::from(self.lanes.inject));
        format!("node{}.{}", at / per, self.lanes.inject_name((at % per) as u8))
    }

    /// Handles flits and credits that arrived in a cycle, and flits that left the FIFOs in the
    /// cycle before.
    pub fn arrivals(&mut self, log: &CommitLog, breaches: &mut Breaches) {
        let cycle = log.cycle;
        let Self { links, flits, credits, feeds, told, .. } = self;
        flits.take(cycle, |at| links[at as usize].due += 1);
        credits.take(cycle, |at| links[at as usize].credits -= 1);
        for s in &log.inputs {
            let lane = s.switch.index() * self.ins + usize::from(s.lane);
            let now = ToldFifo { count: s.fifo_count, worm: s.worm };
            let before = std::mem::replace(&mut told[lane], now);
            let feed = links.get_mut(feeds[lane] as usize);
            let (arrived, depth) = feed.map_or((0, 0), |feed| {
                feed.flits -= feed.due;
                (std::mem::take(&mut feed.due), feed.depth)
            });
            let there = u32::from(before.count) + arrived;
            if u32::from(s.fifo_count) > depth {
                breaches.add(Rule::FifoBounds, cycle, || {
                    let name = input_name(self.wiring, self.lanes, lane);
                    format!("{name} holds {} flits in a FIFO of {depth}", s.fifo_count)
                });
            }
            let Some(gone) = there.checked_sub(s.fifo_count.into()) else {
                breaches.add(Rule::FifoBounds, cycle, || {
                    let name = input_name(self.wiring, self.lanes, lane);
                    format!("{name} holds {} flits, but only {there} can be there", s.fifo_count)
                });
                continue;
            };
            // Flits that are no longer there left in the cycle before.
            if gone > 0
                && let Some(feed) = links.get_mut(feeds[lane] as usize)
                && feed.credit_delay > 1
            {
                feed.credits += gone;
                for _ in 0..gone {
                    credits.push(cycle - 1 + u64::from(feed.credit_delay), feeds[lane]);
                }
            }
        }
        for s in &log.consumptions {
            let channel = s.node.index() * usize::from(self.lanes.consume) + usize::from(s.channel);
            let at = self.nodes[channel];
            let Some(link) = self.links.get_mut(at as usize) else { continue };
            // The flit may have waited in the channel, because the node was stalled or its receive
            // buffer full.
            if link.due == 0 {
                breaches.add(Rule::FifoBounds, cycle, || {
                    let name = self.link_name(at as usize);
                    format!("a flit of worm {} that was not sent then arrives from {name}", s.flit.worm)
                });
                continue;
            }
            link.due -= 1;
            link.flits -= 1;
            link.credits += 1;
            self.credits.push(cycle + u64::from(link.credit_delay), at);
        }
    }

    /// Checks an output lane in a cycle. Returns whether a worm begins to cross it.
    #[inline]
    pub fn output(&mut self, cycle: u64, s: &OutSample, breaches: &mut Breaches) -> bool {
        let at = s.switch.index() * self.outs + usize::from(s.lane);
        self.credits(at, cycle, s.credits, s.flit.is_some(), breaches);
        let open = self.links[at].open;
        let Some(flit) = s.flit else {
            if let Some((FlitId { worm, .. }, owner)) = open
                && s.owner != owner
            {
                breaches.add(Rule::LaneOwnership, cycle, || {
                    format!("{} changes its owner before the tail of worm {worm} has crossed", self.link_name(at))
                });
            }
            return false;
        };
        let first = s.switch.index() * self.ins;
        let serves = |owner: usize| owner < self.ins && self.told[first + owner].worm == Some(flit.worm);
        let owned = s.owner.is_some_and(|owner| serves(owner.into()));
        if !owned {
            breaches.add(Rule::LaneOwnership, cycle, || {
                format!(
                    "worm {} crosses {}, but the input that owns the lane does not serve it",
                    flit.worm,
                    self.link_name(at)
                )
            });
        }
        self.flit(at, cycle, (flit, s.owner), breaches)
    }

    /// Checks an injection channel in a cycle.
    pub fn injection(&mut self, cycle: u64, s: &InjectSample, breaches: &mut Breaches) {
        let at = self.injections + s.node.index() * usize::from(self.lanes.inject) + usize::from(s.channel);
        self.credits(at, cycle, s.credits, s.flit.is_some(), breaches);
        if let Some(flit) = s.flit {
            self.flit(at, cycle, (flit, None), breaches);
        }
    }

    /// Records a flit. Returns whether its worm begins to cross.
    #[inline(always)]
    fn flit(&mut self, at: usize, cycle: u64, (flit, owner): (FlitId, Option<u8>), breaches: &mut Breaches) -> bool {
        let FlitId { worm, index } = flit;
        let length = self.lengths.get(worm.index()).copied().unwrap_or(0);
        let link = &mut self.links[at];
        link.flits += 1;
        self.flits.push(cycle + u64::from(link.delay), at as u32);
        let open = link.open;
        link.open = (index + 1 < length).then_some((FlitId { worm, index: index + 1 }, owner));
        let shared = link.shared as usize;
        let used = std::mem::replace(&mut self.links[shared].used, cycle + 1);
        if used == cycle + 1 {
            breaches.add(Rule::LaneOwnership, cycle, || format!("two flits on the link of {}", self.link_name(at)));
        }
        match open {
            Some(expected) if expected != (flit, owner) => {
                let FlitId { worm: w, index: f } = expected.0;
                breaches.add(Rule::LaneOwnership, cycle, || {
                    format!(
                        "flit {index} of worm {worm} crosses {} where flit {f} of worm {w} is next",
                        self.link_name(at)
                    )
                });
                w != worm
            }
            Some(_) => false,
            None => true,
        }
    }

    #[inline(always)]
    fn credits(&mut self, at: usize, cycle: u64, credits: u16, sends: bool, breaches: &mut Breaches) {
        let link = &mut self.links[at];
        if link.lost || matches!(link.to, To::Nowhere) {
            return;
        }
        let waiting = match link.to {
            To::Fifo(lane) => self.told[lane as usize].count.into(),
            To::Node | To::Nowhere => 0,
        };
        let (flits, back, depth) = (link.flits + waiting, link.credits, link.depth);
        let (is_right, has_one) = (u32::from(credits) + flits + back == depth, credits > 0 || !sends);
        link.lost = !(is_right && has_one);
        if !is_right {
            breaches.add(Rule::Credits, cycle, || {
                let name = self.link_name(at);
                let sum = u32::from(credits) + flits + back;
                format!(
                    "{name} has {credits} credits, {back} are on their way back, and {flits} flits are on the link \
                     and in the FIFO: {sum} in all; the depth is {depth}"
                )
            });
        } else if !has_one {
            breaches.add(Rule::Credits, cycle, || format!("{} sends without credit", self.link_name(at)));
        }
    }
}

/// Name of an input lane, by its number over all switches.
fn input_name(wiring: &Wiring, lanes: Lanes, lane: usize) -> String {
    let ins = usize::from(lanes.inputs.count());
    let switch = wiring.switch_name(SwitchId((lane / ins) as u32));
    format!("{switch}.{}", lanes.input_name((lane % ins) as u8))
}
