//! Measurement procedures of \[NUPAIROJ\] chapters 2 and 3, which run as programs on the simulated
//! machine. Times are in cycles.
//!
//! They know nothing of the costs of the machine, and read only a clock at one node.

use std::cell::RefCell;
use std::collections::HashMap;
use std::iter::once;

use thiserror::Error;
use wormscope_hw::{Encoding, NodeId, Replication};

use crate::engine::{Clocked as _, Engine, Limits, Observer};
use crate::experiment::Length;
use crate::multicast::{Plan, Send, Task};
use crate::network::Network;
use crate::simulation::Outcome;
use crate::site::Site;
use crate::workload::program::{Action, Program, Programs, Times};

/// A measurement that did not end.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum Unfinished {
    /// The measurement will never end.
    #[error("a benchmark did not end: its messages block each other")]
    Blocked,
    /// The watcher stopped the measurement.
    #[error("a benchmark was stopped")]
    Stopped,
}

/// Watches measurements, and may stop them.
pub trait Watcher {
    /// Receives the end of a measurement.
    fn measured(&self) {}

    /// Receives the cycle of a benchmark that runs, from time to time.
    fn reached(&self, _cycle: u64) {}

    /// Whether the measurements must stop. It is asked in every cycle.
    fn stops(&self) -> bool {
        false
    }
}

impl Watcher for () {}

/// Stops a run when a watcher wants this.
struct StoppedBy<'a>(&'a dyn Watcher);

impl Observer for StoppedBy<'_> {
    fn stop(&self) -> bool {
        self.0.stops()
    }
}

/// A multicast measured by its flows.
#[derive(Clone, Debug, PartialEq)]
pub struct Flows {
    /// Multicast latency.
    pub latency: f64,
    /// The destination whose flow takes longest.
    pub critical: NodeId,
    /// Flow latency of every destination.
    pub flows: Vec<(NodeId, f64)>,
}

/// A scatter as by `MPI_Scatter` (section 3.4.3). The root sends a different message to every
/// destination, one after the other, in this order.
#[must_use]
pub fn sequential_scatter(root: NodeId, destinations: &[NodeId]) -> Plan {
    let sends = (0..).zip(destinations);
    let sends = sends.map(|(i, &to)| Send { pieces: once(i..i + 1).collect(), ..Send::unicast(root, to, i) });
    let mut ascending: Box<[NodeId]> = destinations.into();
    ascending.sort_unstable();
    Plan {
        task: Task::Scatter(destinations.into()),
        source: root,
        destinations: ascending,
        pieces: destinations.len() as u32,
        sends: sends.collect(),
    }
}

/// A machine to measure.
///
/// A benchmark runs on an empty network with its registers at reset. A network that is empty again
/// differs from it only in the registers of its arbiters. If no arbiter had a choice, these
/// registers changed nothing, and a run at reset takes the same cycles. So the machine keeps its
/// network for the next benchmark. It repeats a benchmark at reset if an arbiter had a choice.
pub struct Machine<'a> {
    network: &'a Network,
    site: &'a Site,
    watcher: &'a dyn Watcher,
    /// The network at reset.
    reset: RefCell<Option<Engine>>,
    /// An empty network that has run benchmarks.
    used: RefCell<Option<Engine>>,
    /// Whether the registers of arbiters are the only memory of an empty network.
    forgets: bool,
    /// Results of [`Self::acknowledgement`].
    acknowledgements: RefCell<HashMap<(NodeId, NodeId, u32), Acknowledgement>>,
}

/// Times of an acknowledgement.
#[derive(Clone, Copy, Debug)]
struct Acknowledgement {
    /// Half of the time of a message of 1 byte to the node and back.
    half: f64,
    /// The time of the way back, if it is always the same.
    back: Option<u64>,
}

/// A benchmark that ran on an empty network.
struct Ran<P> {
    program: P,
    /// The first cycle.
    start: u64,
    /// The cycle from which the network was empty and all credits were back.
    over: u64,
    times: Times,
    /// Whether no arbiter had a choice.
    clear: bool,
}

impl<'a> Machine<'a> {
    /// A machine at reset.
    #[must_use]
    pub fn new(network: &'a Network, site: &'a Site, watcher: &'a dyn Watcher) -> Self {
        let (node, switch) = (&network.node, &network.switch);
        // Where worms choose between ports or parallel links, the next worms meet the choice. A
        // node with several ports has a multiplexer that chooses.
        let single = [switch.dilation, node.ports, node.injection_channels, node.consumption_channels] == [1; 4]
            && switch.replication != Replication::Synchronous;
        let forgets = single && node.receive_buffer.is_none() && site.wiring().climbs().is_empty();
        Self {
            network,
            site,
            watcher,
            reset: RefCell::default(),
            used: RefCell::default(),
            forgets,
            acknowledgements: RefCell::default(),
        }
    }

    /// The hardware.
    #[must_use]
    pub fn network(&self) -> &'a Network {
        self.network
    }

    /// The network as wired.
    #[must_use]
    pub fn site(&self) -> &'a Site {
        self.site
    }

    /// The watcher of the measurements.
    #[must_use]
    pub fn watcher(&self) -> &'a dyn Watcher {
        self.watcher
    }

    /// The network at reset.
    fn fresh(&self) -> Engine {
        let build = || {
            let mut engine = Engine::new(self.site.built(), false);
            if let Some(bytes) = self.network.node.receive_buffer {
                engine.bound_receive_buffers((u64::from(bytes) * 8 / u64::from(self.network.switch.flit_bits)) as u32);
            }
            engine
        };
        self.reset.borrow_mut().get_or_insert_with(build).clone()
    }

    /// Runs programs on a network until they end.
    fn run_on<P: Program>(&self, engine: &mut Engine, mut program: P) -> Result<Ran<P>, Unfinished> {
        let (start, contested) = (engine.now(), engine.contested());
        let mut programs = Programs::new(self.network, &mut program, start, engine.worms_created());
        let mut until = StoppedBy(self.watcher);
        let told = |cycle| self.watcher.reached(cycle - start);
        match crate::simulation::run(engine, &mut programs, &Limits::default(), &mut until, told) {
            Ok(Outcome::Done) => {}
            Ok(Outcome::Stopped) => return Err(Unfinished::Stopped),
            _ => return Err(Unfinished::Blocked),
        }
        let times = programs.times();
        engine.settle(&mut ());
        Ok(Ran { program, start, over: engine.now(), times, clear: engine.contested() == contested })
    }

    /// Runs programs at reset until they end. `unicasts` tells that they send unicasts only.
    fn run<P: Program>(&self, program: impl Fn() -> P, unicasts: bool) -> Result<Ran<P>, Unfinished> {
        if self.forgets
            && unicasts
            && let Some(ran) = self.run_once(&program)?
        {
            return Ok(ran);
        }
        self.run_on(&mut self.fresh(), program())
    }

    /// Runs programs on the network of the benchmarks before. `None` if an arbiter had a choice.
    fn run_once<P: Program>(&self, program: impl FnOnce() -> P) -> Result<Option<Ran<P>>, Unfinished> {
        let mut engine = self.used.take().unwrap_or_else(|| self.fresh());
        let ran = match self.run_on(&mut engine, program()) {
            Ok(ran) => ran,
            // At reset other worms may win, and none may block.
            Err(Unfinished::Blocked) => return Ok(None),
            Err(Unfinished::Stopped) => return Err(Unfinished::Stopped),
        };
        *self.used.borrow_mut() = Some(engine);
        Ok(Some(ran).filter(|ran| ran.clear))
    }

    /// The time of a program of unicasts with one iteration, and the program, if all further
    /// iterations take the same time. `end` is the cycle in which the iteration ended. The root of
    /// the program begins the next iteration in this cycle.
    ///
    /// By then no node may work, and no worm may be under way. Credits of the root's own link must
    /// be back. Other credits may come back until the first flit of the next iteration can be at a
    /// switch.
    fn one_iteration<P: Program>(
        &self,
        program: impl FnOnce() -> P,
        end: impl Fn(&P) -> u64,
    ) -> Result<Option<(u64, P)>, Unfinished> {
        if !self.forgets {
            return Ok(None);
        }
        let Some(Ran { program, start, over, times, .. }) = self.run_once(program)? else { return Ok(None) };
        let (end, link) = (end(&program), &self.network.node.injection_link);
        let repeats = times.last <= end
            && times.of_root + u64::from(link.credit_cycles) <= end
            && over <= end + 1 + u64::from(link.link_cycles);
        Ok(repeats.then_some((end - start, program)))
    }

    /// The time of a benchmark with `times` iterations, which `program` makes for a number of
    /// iterations. `end` is the cycle in which the last one ended.
    fn iterated<P: Program>(
        &self,
        program: impl Fn(u32) -> P,
        times: u32,
        unicasts: bool,
        end: impl Fn(&P) -> u64,
    ) -> Result<u64, Unfinished> {
        if unicasts && let Some((one, _)) = self.one_iteration(|| program(1), &end)? {
            return Ok(u64::from(times) * one);
        }
        let ran = self.run(|| program(times), unicasts)?;
        Ok(end(&ran.program) - ran.start)
    }

    /// The length of a message of `bytes` bytes.
    fn length(&self, bytes: u32) -> Length {
        let flits = (u64::from(bytes) * 8).div_ceil(self.network.switch.flit_bits.into());
        Length { flits: flits as u32, bytes: bytes.into() }
    }

    /// `Ping` (algorithm 2.3.1): `t_hold`, the mean time of a send when one follows the other.
    ///
    /// # Errors
    /// The measurement does not end.
    pub fn ping(&self, from: NodeId, to: NodeId, bytes: u32, times: u32) -> Result<f64, Unfinished> {
        let ran = self.run(|| Ping { from, to, length: self.length(bytes), times, end: 0 }, true)?;
        Ok((ran.program.end - ran.start) as f64 / f64::from(times))
    }

    /// `PingPong` (algorithm 2.3.2): `t_end`, half the mean time of a message to the other node and
    /// back. Each send of the first node is followed by a dummy loop of this many cycles (algorithm
    /// 2.3.3).
    ///
    /// # Errors
    /// The measurement does not end.
    pub(crate) fn ping_pong(
        &self,
        a: NodeId,
        b: NodeId,
        bytes: u32,
        times: u32,
        dummy: u64,
    ) -> Result<f64, Unfinished> {
        let program = |times| PingPong::new([a, b], self.length(bytes), times, dummy);
        let end = self.iterated(program, times, true, |program| program.end)?;
        Ok(end as f64 / f64::from(2 * times))
    }

    /// Times of an acknowledgement between a root and a node: a `PingPong` of 1 byte.
    fn acknowledgement(&self, root: NodeId, node: NodeId, times: u32) -> Result<Acknowledgement, Unfinished> {
        let key = (root, node, times);
        if let Some(&known) = self.acknowledgements.borrow().get(&key) {
            return Ok(known);
        }
        let once = || PingPong::new([root, node], self.length(1), 1, 0);
        let found = match self.one_iteration(once, |program| program.end)? {
            Some((time, pong)) => {
                let half = (u64::from(times) * time) as f64 / f64::from(2 * times);
                Acknowledgement { half, back: Some(pong.end - pong.turned) }
            }
            None => Acknowledgement { half: self.ping_pong(root, node, 1, times, 0)?, back: None },
        };
        self.acknowledgements.borrow_mut().insert(key, found);
        Ok(found)
    }

    /// The idle period in a `PingPong` (section 2.3.3): the longest dummy loop that changes no
    /// time. It is `t_net + t_end` where `t_send` is `t_hold`.
    ///
    /// # Errors
    /// The measurement does not end.
    #[allow(clippy::float_cmp)] // Simulated time repeats to the cycle.
    pub fn idle(&self, a: NodeId, b: NodeId, bytes: u32, times: u32) -> Result<u64, Unfinished> {
        let without = self.ping_pong(a, b, bytes, times, 0)?;
        let shows = |dummy| Ok(self.ping_pong(a, b, bytes, times, dummy)? != without);
        let mut above = 1;
        while !shows(above)? {
            above *= 2;
        }
        let mut below = above / 2;
        while above - below > 1 {
            let middle = below.midpoint(above);
            if shows(middle)? { above = middle } else { below = middle }
        }
        Ok(below)
    }

    /// The ping-based multicast benchmark (algorithm 3.3.1): the mean time of a call at the root,
    /// and the largest mean of all nodes. Calls overlap, so neither is the multicast latency.
    ///
    /// # Errors
    /// The measurement does not end.
    pub(crate) fn multicast_ping(&self, plan: &Plan, bytes: u32, times: u32) -> Result<(f64, f64), Unfinished> {
        let calls = Calls::of(plan);
        let ran = self.multicast_pings(plan, &calls, bytes, times)?;
        let end = |of: &dyn Fn(&NodeId) -> bool| {
            let ends = ran.program.ends.iter().filter(|(node, _)| of(node)).map(|&(_, end)| end - ran.start);
            ends.max().unwrap_or(0) as f64 / f64::from(times)
        };
        Ok((end(&|&node| node == plan.source), end(&|_| true)))
    }

    /// The latency of one multicast: the time until the last destination has received it.
    ///
    /// # Errors
    /// The measurement does not end.
    pub(crate) fn multicast_alone(&self, plan: &Plan, bytes: u32) -> Result<u64, Unfinished> {
        let calls = Calls::of(plan);
        let ran = self.multicast_pings(plan, &calls, bytes, 1)?;
        Ok(ran.program.last.saturating_sub(ran.start))
    }

    fn multicast_pings<'p>(
        &self,
        plan: &'p Plan,
        calls: &'p Calls,
        bytes: u32,
        times: u32,
    ) -> Result<Ran<MulticastPing<'p>>, Unfinished> {
        let (of, nodes) = (Broadcast { plan, length: self.length(bytes), calls }, self.site.wiring().nodes());
        let program = || MulticastPing { of, times, rounds: vec![0; nodes as usize], ends: Vec::new(), last: 0 };
        self.run(program, is_unicasts(plan))
    }

    /// `t_m(responder)` of algorithm 3.3.2: mean time from the root's call until it receives the
    /// acknowledgement of the responder. The acknowledgement has 1 byte, and follows a dummy loop.
    ///
    /// # Errors
    /// The measurement does not end.
    pub(crate) fn responder(
        &self,
        plan: &Plan,
        responder: NodeId,
        bytes: u32,
        times: u32,
        dummy: u64,
    ) -> Result<f64, Unfinished> {
        let calls = Calls::of(plan);
        let program = |times| self.acknowledged(plan, &calls, responder, bytes, times, dummy);
        let end = self.iterated(program, times, is_unicasts(plan), |program| program.end)?;
        Ok(end as f64 / f64::from(times))
    }

    /// Multicast latency by flow latencies (section 3.3.2). Every destination responds in turn,
    /// after a dummy loop that is longer than any iteration. The critical destination, whose flow
    /// takes longest, is measured again without the loop. In a scatter each message has `bytes`
    /// bytes (section 3.4.3).
    ///
    /// # Errors
    /// The measurement does not end.
    pub fn multicast(&self, plan: &Plan, bytes: u32, times: u32) -> Result<Flows, Unfinished> {
        let flows = match self.flows_of_one(plan, bytes, times)? {
            Some(flows) => flows,
            None => self.flows_in_turn(plan, bytes, times)?,
        };
        let critical = flows.iter().copied().max_by(|a, b| a.1.total_cmp(&b.1)).map_or(plan.source, |(node, _)| node);
        let ack = self.acknowledgement(plan.source, critical, times)?.half;
        Ok(Flows { latency: self.responder(plan, critical, bytes, times, 0)? - ack, critical, flows })
    }

    /// Flow latencies. Every destination responds in turn.
    fn flows_in_turn(&self, plan: &Plan, bytes: u32, times: u32) -> Result<Vec<(NodeId, f64)>, Unfinished> {
        let mut worst: f64 = 0.0;
        for &node in &plan.destinations {
            worst = worst.max(self.responder(plan, node, bytes, times, 0)?);
            self.watcher.measured();
        }
        #[allow(clippy::cast_sign_loss)] // A time.
        let dummy = worst.ceil() as u64;
        let mut flows = Vec::new();
        for &node in &plan.destinations {
            let ack = self.acknowledgement(plan.source, node, times)?.half;
            flows.push((node, self.responder(plan, node, bytes, times, dummy)? - dummy as f64 - ack));
            self.watcher.measured();
        }
        Ok(flows)
    }

    /// The flow latencies of [`Self::flows_in_turn`] from one multicast, if they follow from it.
    ///
    /// A responder sends its acknowledgement when the rest of the multicast is over. So all
    /// responders see the same multicast, and their acknowledgements cross an empty network.
    fn flows_of_one(&self, plan: &Plan, bytes: u32, times: u32) -> Result<Option<Vec<(NodeId, f64)>>, Unfinished> {
        if !self.forgets || !is_unicasts(plan) {
            return Ok(None);
        }
        let calls = Calls::of(plan);
        let one = self.multicast_pings(plan, &calls, bytes, 1)?;
        if !one.clear {
            return Ok(None);
        }
        let returned: HashMap<NodeId, u64> =
            one.program.ends.iter().map(|&(node, end)| (node, end - one.start)).collect();
        let Some(&last) = plan.destinations.iter().max_by_key(|node| returned.get(node)) else { return Ok(None) };
        // The loop is as long as the longest iteration without a loop, so at least as long as this.
        let looped = self.responder(plan, last, bytes, times, 0)?;
        let is_over = |&end: &u64| end as f64 + looped >= (one.over - one.start) as f64;
        if !returned.values().all(is_over) {
            return Ok(None);
        }
        let mut flows = Vec::new();
        for &node in &plan.destinations {
            let Acknowledgement { half, back } = self.acknowledgement(plan.source, node, times)?;
            let (Some(back), Some(end)) = (back, returned.get(&node)) else { return Ok(None) };
            flows.push((node, (end + back) as f64 - half));
        }
        // It stands for two measurements of each destination.
        (0..2 * flows.len()).for_each(|_| self.watcher.measured());
        Ok(Some(flows))
    }

    /// The program of [`Self::responder`].
    fn acknowledged<'p>(
        &self,
        plan: &'p Plan,
        calls: &'p Calls,
        responder: NodeId,
        bytes: u32,
        times: u32,
        dummy: u64,
    ) -> Acknowledged<'p> {
        let of = Broadcast { plan, length: self.length(bytes), calls };
        Acknowledged { of, ack: self.length(1), responder, left: times, dummy, end: 0 }
    }
}

/// Whether all worms of a plan are unicasts.
fn is_unicasts(plan: &Plan) -> bool {
    plan.sends.iter().all(|send| send.encoding == Encoding::Unicast && send.to.len() == 1)
}

fn unicast(to: NodeId, length: Length, number: usize) -> Action {
    Action::Send { to: Box::new([to]), encoding: Encoding::Unicast, length, number }
}

struct Ping {
    from: NodeId,
    to: NodeId,
    length: Length,
    times: u32,
    end: u64,
}

impl Program for Ping {
    fn start(&mut self) -> Vec<(NodeId, Action)> {
        let sends = (0..self.times).map(|_| unicast(self.to, self.length, 0));
        sends.chain([Action::Compute { cycles: 0, number: 0 }]).map(|action| (self.from, action)).collect()
    }

    fn received(&mut self, _: NodeId, _: usize, _: u64) -> Vec<Action> {
        Vec::new()
    }

    fn computed(&mut self, _: NodeId, _: usize, now: u64) {
        self.end = now;
    }
}

struct PingPong {
    nodes: [NodeId; 2],
    length: Length,
    left: u32,
    dummy: u64,
    /// Cycle in which the second node received the last message.
    turned: u64,
    end: u64,
}

impl PingPong {
    fn new(nodes: [NodeId; 2], length: Length, left: u32, dummy: u64) -> Self {
        Self { nodes, length, left, dummy, turned: 0, end: 0 }
    }

    fn ping(&self) -> Vec<Action> {
        vec![unicast(self.nodes[1], self.length, 0), Action::Compute { cycles: self.dummy, number: 0 }]
    }
}

impl Program for PingPong {
    fn start(&mut self) -> Vec<(NodeId, Action)> {
        self.ping().into_iter().map(|action| (self.nodes[0], action)).collect()
    }

    fn received(&mut self, node: NodeId, _: usize, now: u64) -> Vec<Action> {
        if node == self.nodes[1] {
            self.turned = now;
            return vec![unicast(self.nodes[0], self.length, 0)];
        }
        self.end = now;
        self.left -= 1;
        if self.left > 0 { self.ping() } else { Vec::new() }
    }
}

/// Numbers of the sends of a plan, by their nodes.
struct Calls(Vec<usize>);

impl Calls {
    fn of(plan: &Plan) -> Self {
        let mut sends: Vec<usize> = (0..plan.sends.len()).collect();
        sends.sort_by_key(|&number| plan.sends[number].from);
        Self(sends)
    }
}

/// A multicast call at every node. Messages have the numbers of the plan's sends.
#[derive(Clone, Copy)]
struct Broadcast<'a> {
    plan: &'a Plan,
    length: Length,
    calls: &'a Calls,
}

impl Broadcast<'_> {
    /// Sends of a node that has the message.
    fn sends(&self, node: NodeId) -> impl Iterator<Item = Action> {
        let sends = &self.plan.sends;
        let first = self.calls.0.partition_point(|&number| sends[number].from < node);
        let of_node = self.calls.0[first..].iter().take_while(move |&&number| sends[number].from == node);
        of_node.map(|&number| Action::Send {
            to: Box::from(&sends[number].to[..]),
            encoding: sends[number].encoding,
            length: self.length,
            number,
        })
    }
}

struct MulticastPing<'a> {
    of: Broadcast<'a>,
    times: u32,
    /// Number of calls that each node has finished.
    rounds: Vec<u32>,
    ends: Vec<(NodeId, u64)>,
    /// Cycle of the last receipt.
    last: u64,
}

impl Program for MulticastPing<'_> {
    fn start(&mut self) -> Vec<(NodeId, Action)> {
        let root = self.of.plan.source;
        let calls = (0..self.times).flat_map(|_| self.of.sends(root));
        calls.chain([Action::Compute { cycles: 0, number: 0 }]).map(|action| (root, action)).collect()
    }

    fn received(&mut self, node: NodeId, _: usize, now: u64) -> Vec<Action> {
        self.last = now;
        let round = &mut self.rounds[node.index()];
        *round += 1;
        let is_last = *round == self.times;
        self.of.sends(node).chain(is_last.then_some(Action::Compute { cycles: 0, number: 0 })).collect()
    }

    fn computed(&mut self, node: NodeId, _: usize, now: u64) {
        self.ends.push((node, now));
    }
}

struct Acknowledged<'a> {
    of: Broadcast<'a>,
    ack: Length,
    responder: NodeId,
    left: u32,
    dummy: u64,
    end: u64,
}

impl Program for Acknowledged<'_> {
    fn start(&mut self) -> Vec<(NodeId, Action)> {
        let root = self.of.plan.source;
        self.of.sends(root).map(|action| (root, action)).collect()
    }

    fn received(&mut self, node: NodeId, _: usize, now: u64) -> Vec<Action> {
        let root = self.of.plan.source;
        if node == root {
            // The message is the acknowledgement.
            self.end = now;
            self.left -= 1;
            return if self.left > 0 { self.of.sends(root).collect() } else { Vec::new() };
        }
        let mut actions: Vec<Action> = self.of.sends(node).collect();
        if node == self.responder {
            actions.push(Action::Compute { cycles: self.dummy, number: 0 });
            actions.push(unicast(root, self.ack, usize::MAX));
        }
        actions
    }
}

#[cfg(test)]
mod tests;
