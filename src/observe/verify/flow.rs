//! Flits and credits on their lanes: credits, FIFO bounds, ownership.

use std::collections::VecDeque;

use wormscope_hw::{NodeId, PortId, SwitchId, WormId};

use super::rules::{Breaches, Rule};
use crate::engine::{CommitLog, FlitId, InjectSample, OutSample, WormInfo};
use crate::network::{End, Lanes, Network, Wiring};

/// End of a lane.
#[derive(Clone, Copy, Debug)]
enum To {
    /// The FIFO of an input lane, by its number over all switches.
    Fifo(usize),
    /// A node.
    Node,
    Nowhere,
}

/// An output lane of a switch or an injection channel of a node, with the flits and credits under
/// way.
#[derive(Clone, Debug)]
struct WatchedLane {
    to: To,
    depth: usize,
    delay: u64,
    credit_delay: u64,
    /// The first lane of the link of this lane.
    shared: usize,
    /// Cycles in which the flits under way arrive.
    flits: VecDeque<u64>,
    /// Cycles in which the credits under way are usable.
    credits: VecDeque<u64>,
    /// The next flit of the worm under way, and the input that owns the lane.
    open: Option<(FlitId, Option<u8>)>,
    /// Cycle after the last flit on the link.
    used: u64,
    /// Whether the credits of the lane were wrong, so that the checker no longer checks them.
    lost: bool,
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
    /// The lane that feeds each input lane, switch-major.
    feeds: Vec<Option<usize>>,
    /// For each consumption channel, node-major, the lane that leads there.
    nodes: Vec<Option<usize>>,
    /// Number of flits in each FIFO, and the worm in service, in the latest sample.
    told: Vec<(u16, Option<WormId>)>,
    fifo_depth: u16,
    /// Number of flits of each worm.
    lengths: Vec<u32>,
}

impl<'a> Flow<'a> {
    pub fn new(network: &Network, wiring: &'a Wiring) -> Self {
        let lanes = network.lanes(wiring);
        let (switch, node) = (&network.switch, &network.node);
        let (ins, outs) = (usize::from(lanes.inputs.count()), usize::from(lanes.outputs.count()));
        let depth = switch.fifo_depth as usize;
        let crossbar = u64::from(switch.crossbar_cycles);
        let mut feeds = vec![None; wiring.switches() as usize * ins];
        let mut nodes = vec![None; wiring.nodes() as usize * usize::from(lanes.consume)];
        let mut links = Vec::with_capacity(wiring.switches() as usize * outs);
        let link = |to, depth, delay, credit_delay, shared| WatchedLane {
            to,
            depth,
            delay,
            credit_delay,
            shared,
            flits: VecDeque::new(),
            credits: VecDeque::new(),
            open: None,
            used: 0,
            lost: false,
        };
        for s in (0..wiring.switches()).map(SwitchId) {
            for lane in 0..outs as u8 {
                let at = links.len();
                let (port, l) = (PortId(lanes.outputs.port(lane)), lanes.outputs.within(lane));
                links.push(match wiring.output(s, port).filter(|_| lanes.has_output(wiring, s, lane)) {
                    Some(End::Switch(far, port)) => {
                        let to = far.index() * ins + usize::from(lanes.inputs.first(port.0) + l);
                        feeds[to] = Some(at);
                        let delay = crossbar + u64::from(network.link.link_cycles);
                        let shared = at - usize::from(l) % switch.virtual_channels as usize;
                        link(To::Fifo(to), depth, delay, network.link.credit_cycles.into(), shared)
                    }
                    Some(End::Node(n)) => {
                        let channel = n.index() * usize::from(lanes.consume) + usize::from(l);
                        nodes[channel] = Some(at);
                        let depth = node.consumption_depth.unwrap_or(switch.fifo_depth) as usize;
                        let delay = crossbar + u64::from(node.consumption_link.link_cycles);
                        let shared = at - usize::from(l) % network.node_channels() as usize;
                        link(To::Node, depth, delay, node.consumption_link.credit_cycles.into(), shared)
                    }
                    None => link(To::Nowhere, depth, 1, 1, at),
                });
            }
        }
        let injections = links.len();
        for n in (0..wiring.nodes()).map(NodeId) {
            for channel in 0..lanes.inject {
                let (switch, port) = wiring.injection(n);
                let to = switch.index() * ins + usize::from(lanes.inputs.first(port.0) + channel);
                let at = links.len();
                feeds[to] = Some(at);
                let wire = node.injection_link;
                let shared = at - usize::from(channel) % network.node_channels() as usize;
                links.push(link(To::Fifo(to), depth, wire.link_cycles.into(), wire.credit_cycles.into(), shared));
            }
        }
        let told = vec![(0, None); feeds.len()];
        let fifo_depth = switch.fifo_depth as u16;
        Self { wiring, lanes, ins, outs, links, injections, feeds, nodes, told, fifo_depth, lengths: Vec::new() }
    }

    pub fn created(&mut self, worm: &WormInfo) {
        self.lengths.push(worm.header_flits + worm.payload_flits);
    }

    fn input_name(&self, lane: usize) -> String {
        let switch = self.wiring.switch_name(SwitchId((lane / self.ins) as u32));
        format!("{switch}.{}", self.lanes.input_name((lane % self.ins) as u8))
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
        for s in &log.inputs {
            let lane = s.switch.index() * self.ins + usize::from(s.lane);
            let (before, _) = std::mem::replace(&mut self.told[lane], (s.fifo_count, s.worm));
            let arrived = self.feeds[lane].map_or(0, |feed| take_due(&mut self.links[feed].flits, cycle));
            let there = u32::from(before) + arrived;
            if s.fifo_count > self.fifo_depth {
                let depth = self.fifo_depth;
                breaches.add(Rule::FifoBounds, cycle, || {
                    format!("{} holds {} flits in a FIFO of {depth}", self.input_name(lane), s.fifo_count)
                });
            }
            let Some(gone) = there.checked_sub(s.fifo_count.into()) else {
                breaches.add(Rule::FifoBounds, cycle, || {
                    format!("{} holds {} flits, but only {there} can be there", self.input_name(lane), s.fifo_count)
                });
                continue;
            };
            if let Some(feed) = self.feeds[lane] {
                let link = &mut self.links[feed];
                // Flits that are no longer there left in the cycle before.
                for _ in 0..gone {
                    link.credits.push_back(cycle - 1 + link.credit_delay);
                }
            }
        }
        for s in &log.consumptions {
            let channel = s.node.index() * usize::from(self.lanes.consume) + usize::from(s.channel);
            if let Some(at) = self.nodes[channel] {
                let link = &mut self.links[at];
                // The flit may have waited in the channel, because the node was stalled or its
                // receive buffer full.
                if link.flits.front().is_none_or(|&at| at > cycle) {
                    breaches.add(Rule::FifoBounds, cycle, || {
                        format!(
                            "a flit of worm {} that was not sent then arrives from {}",
                            s.flit.worm,
                            self.link_name(at)
                        )
                    });
                    continue;
                }
                link.flits.pop_front();
                link.credits.push_back(cycle + link.credit_delay);
            }
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
        let serves = |owner: usize| owner < self.ins && self.told[first + owner].1 == Some(flit.worm);
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
        link.flits.push_back(cycle + link.delay);
        let open = link.open;
        link.open = (index + 1 < length).then_some((FlitId { worm, index: index + 1 }, owner));
        let shared = link.shared;
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
        take_due(&mut link.credits, cycle);
        if link.lost || matches!(link.to, To::Nowhere) {
            return;
        }
        let waiting = match link.to {
            To::Fifo(lane) => usize::from(self.told[lane].0),
            To::Node | To::Nowhere => 0,
        };
        let (flits, back, depth) = (link.flits.len() + waiting, link.credits.len(), link.depth);
        let (is_right, has_one) = (usize::from(credits) + flits + back == depth, credits > 0 || !sends);
        link.lost = !(is_right && has_one);
        if !is_right {
            breaches.add(Rule::Credits, cycle, || {
                let name = self.link_name(at);
                format!(
                    "{name} has {credits} credits, {flits} flits and {back} credits are under way; its depth is {depth}"
                )
            });
        } else if !has_one {
            breaches.add(Rule::Credits, cycle, || format!("{} sends without credit", self.link_name(at)));
        }
    }
}

/// Takes the entries that are due by `cycle`. Returns their number.
fn take_due(queue: &mut VecDeque<u64>, cycle: u64) -> u32 {
    let mut due = 0;
    while queue.front().is_some_and(|&at| at <= cycle) {
        queue.pop_front();
        due += 1;
    }
    due
}
