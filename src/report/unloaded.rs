//! Time of a plan on the hardware when no worm waits for another in the network. Each worm has its
//! own header and its own way.

use std::collections::HashMap;

use crate::experiment::Length;
use crate::model::contention::OutputPort;
use crate::model::parameterised::Held;
use crate::model::tree::{self, Tree};
use crate::model::unblocked::{Flight, Timing, closed_form};
use crate::multicast::{LinearCost, Plan, Send};
use crate::network::{Network, header_flits_to};
use crate::site::Site;
use wormscope_hw::Encoding;

/// Largest product of flits and switches that is computed flit by flit.
const MOST_STEPS: u64 = 1 << 20;

/// A worm alone in the network. Cycles since its head left the node.
#[derive(Clone, Debug)]
struct Alone {
    /// Cycle after the tail has left.
    left: u64,
    /// Cycle in which the credit for the place after the tail is back.
    credit: u64,
    /// Cycle in which the first switch begins its decision.
    begun: u64,
    /// Cycle after the first switch has taken the tail. The decision of the next worm begins then.
    taken: u64,
    /// Cycle in which the tail is at each receiver, in the order of the send.
    arrived: Vec<u64>,
}

/// Cycles until the last node holds its part of a message of this length, with worms on these
/// channels. `None` if the computation takes long.
pub(super) fn latency(
    plan: &Plan,
    length: Length,
    network: &Network,
    site: &Site,
    used: &[Vec<OutputPort>],
) -> Option<f64> {
    let node = &network.node;
    let startup = LinearCost::fixed(node.startup_cycles.into());
    let software = node.costs.map(|c| [c.hold, c.send, c.receive, c.inter].map(LinearCost::from));
    let costs = software.unwrap_or([startup, startup, LinearCost::default(), LinearCost::default()]);
    let to_channel = node.costs.map_or(0.0, |costs| costs.network.round());
    let ports = node.ports.max(1) as usize;
    let channels = if node.has_software() { node.ports } else { node.injection_channels };
    let mut fleet = Fleet { length, pieces: plan.pieces, network, site, lines: HashMap::new(), steps: 0 };
    let mut held = Held::default();
    let mut nodes: HashMap<_, Sender> = HashMap::new();
    let mut last = 0.0_f64;
    for (send, used) in plan.sends.iter().zip(used) {
        let bytes = length.bytes_of(send.carried(), plan.pieces);
        let [hold_cycles, to_buffer, receive, inter] = costs.map(|cost| cost.of(bytes).round());
        let alone = fleet.alone(send, used.len() as u32)?;
        let (calls, free) =
            nodes.entry(send.from).or_insert_with(|| (Vec::new(), vec![(0.0, 0.0); channels.max(1) as usize]));
        let port = calls.len().checked_sub(ports).map_or(0.0, |i| calls[i].0 + calls[i].1);
        let next = if calls.len() % ports == 0 { None } else { calls.last() };
        let call = held.since(send).max(port).max(next.map_or(0.0, |(call, _)| call + inter));
        calls.push((call, hold_cycles));
        let channel = free.iter_mut().min_by(|a, b| a.0.total_cmp(&b.0))?;
        let injected = (call + to_buffer).max(channel.0) + to_channel;
        // The worm before may still be in the first FIFO.
        let late = (channel.1 - injected - alone.begun as f64).max(0.0);
        let left = f64::max(alone.left as f64, alone.credit as f64 + late);
        *channel = (injected + left, injected + late + alone.taken as f64);
        for (&node, &arrived) in send.to.iter().zip(&alone.arrived) {
            let arrival = injected + late + arrived as f64 + receive;
            held.receive(node, arrival, &send.pieces);
            last = last.max(arrival);
        }
    }
    Some(last)
}

/// The calls of a node with the time each keeps its processor. For each of its channels, from when
/// on the channel and the input behind it are free.
type Sender = (Vec<(f64, f64)>, Vec<(f64, f64)>);

/// Worms as they were followed.
struct Fleet<'a> {
    length: Length,
    /// Pieces that the message is split into.
    pieces: u32,
    network: &'a Network,
    site: &'a Site,
    /// Unicasts by flits and switches.
    lines: HashMap<(u32, u32), Alone>,
    /// Flits at switches that were followed.
    steps: u64,
}

impl Fleet<'_> {
    /// The worm of a send that crosses `switches` switches.
    fn alone(&mut self, send: &Send, switches: u32) -> Option<Alone> {
        let Self { network, site, .. } = *self;
        let timing = site.timing();
        let header_flits = header_flits_to(network, site.wiring(), send.encoding, send.from, &send.to);
        let payload_flits = self.length.flits_of(send.carried(), self.pieces);
        let flits = header_flits + payload_flits;
        if send.encoding == Encoding::Unicast {
            if let Some(latency) = closed_form(timing, header_flits, flits, switches) {
                let begun = u64::from(timing.injection.link_cycles) + timing.header_wait(header_flits);
                let taken = begun + timing.decision() + u64::from(flits);
                let credit =
                    taken.saturating_sub(timing.injection_depth.into()) + u64::from(timing.injection.credit_cycles);
                return Some(Alone { left: flits.into(), credit, begun, taken, arrived: vec![latency.tail] });
            }
            if let Some(known) = self.lines.get(&(flits, switches)) {
                return Some(known.clone());
            }
            let followed = self.follow(timing, &Tree::line(switches, header_flits, flits), None)?;
            self.lines.insert((flits, switches), followed.clone());
            return Some(followed);
        }
        let worm = tree::Send {
            source: send.from,
            destinations: &send.to,
            encoding: send.encoding,
            header_flits,
            payload_flits,
        };
        let tree = Tree::new(site.wiring(), &worm, |switch, node| site.next(switch, node)).ok()?;
        self.follow(timing, &tree, Some(send))
    }

    /// Sends a worm to its receivers, or to the node at the end of a line.
    fn follow(&mut self, timing: &Timing, tree: &Tree, send: Option<&Send>) -> Option<Alone> {
        self.steps += tree.hops.iter().map(|hop| u64::from(hop.flits) * hop.branches.len() as u64).sum::<u64>();
        let flight = (self.steps <= MOST_STEPS).then(|| Flight::new(timing, tree).ok())??;
        let popped = &flight.hops[0].popped;
        let place = popped.len().checked_sub(timing.injection_depth as usize).map_or(0, |i| popped[i]);
        let left = flight.injected.last().map_or(0, |cycle| cycle + 1);
        let credit = place + u64::from(timing.injection.credit_cycles);
        let begun = popped.first().map_or(0, |cycle| cycle.saturating_sub(timing.decision()));
        let taken = popped.last().map_or(0, |cycle| cycle + 1);
        let tails: HashMap<_, _> = flight.arrivals.iter().map(|arrival| (arrival.node, arrival.tail)).collect();
        let arrived = match send {
            Some(send) => send.to.iter().map(|node| tails.get(node).copied()).collect::<Option<_>>()?,
            None => vec![flight.done()],
        };
        Some(Alone { left, credit, begun, taken, arrived })
    }
}
