//! Measurement procedures of \[NUPAIROJ\] chapters 2 and 3, which run as programs on the simulated
//! machine. Times are in cycles.
//!
//! They know nothing of the costs of the machine, and read only a clock at one node.

use std::iter::once;

use thiserror::Error;
use wormscope_hw::{Encoding, NodeId};

use crate::engine::{Engine, Limits, Observer};
use crate::experiment::Length;
use crate::multicast::{Plan, Send, Task};
use crate::network::Network;
use crate::simulation::Outcome;
use crate::site::Site;
use crate::workload::program::{Action, Program, Programs};

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
#[derive(Clone, Copy)]
pub struct Machine<'a> {
    /// The hardware.
    pub network: &'a Network,
    /// The network as wired.
    pub site: &'a Site,
    /// Watcher of the measurements.
    pub watcher: &'a dyn Watcher,
}

impl Machine<'_> {
    /// Runs programs until they end.
    fn run<P: Program>(&self, program: &mut P) -> Result<(), Unfinished> {
        let mut engine = Engine::new(self.site.built(), false);
        if let Some(bytes) = self.network.node.receive_buffer {
            engine.bound_receive_buffers((u64::from(bytes) * 8 / u64::from(self.network.switch.flit_bits)) as u32);
        }
        let mut programs = Programs::new(self.network, program);
        let mut until = StoppedBy(self.watcher);
        match crate::simulation::run(&mut engine, &mut programs, &Limits::default(), &mut until, |_| ()) {
            Ok(Outcome::Done) => Ok(()),
            Ok(Outcome::Stopped) => Err(Unfinished::Stopped),
            _ => Err(Unfinished::Blocked),
        }
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
        let mut program = Ping { from, to, length: self.length(bytes), times, end: 0 };
        self.run(&mut program)?;
        Ok(program.end as f64 / f64::from(times))
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
        let mut program = PingPong { nodes: [a, b], length: self.length(bytes), left: times, dummy, end: 0 };
        self.run(&mut program)?;
        Ok(program.end as f64 / f64::from(2 * times))
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
    /// and the largest mean of all nodes. Calls overlap, so neither is the multicast latency. With
    /// one call the second is the latency.
    ///
    /// # Errors
    /// The measurement does not end.
    pub(crate) fn multicast_ping(&self, plan: &Plan, bytes: u32, times: u32) -> Result<(f64, f64), Unfinished> {
        let mut program = MulticastPing { of: Broadcast::new(plan, self.length(bytes)), times, ends: Vec::new() };
        program.of.rounds = vec![0; self.site.wiring().nodes() as usize];
        self.run(&mut program)?;
        let end = |of: &dyn Fn(&NodeId) -> bool| {
            let ends = program.ends.iter().filter(|(node, _)| of(node)).map(|&(_, end)| end);
            ends.max().unwrap_or(0) as f64 / f64::from(times)
        };
        Ok((end(&|&node| node == plan.source), end(&|_| true)))
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
        let mut program = Acknowledged {
            of: Broadcast::new(plan, self.length(bytes)),
            ack: self.length(1),
            responder,
            left: times,
            dummy,
            end: 0,
        };
        self.run(&mut program)?;
        Ok(program.end as f64 / f64::from(times))
    }

    /// Multicast latency by flow latencies (section 3.3.2). Every destination responds in turn,
    /// after a dummy loop that is longer than any iteration. The critical destination, whose flow
    /// takes longest, is measured again without the loop. In a scatter each message has `bytes`
    /// bytes (section 3.4.3).
    ///
    /// # Errors
    /// The measurement does not end.
    pub fn multicast(&self, plan: &Plan, bytes: u32, times: u32) -> Result<Flows, Unfinished> {
        let mut worst: f64 = 0.0;
        for &node in &plan.destinations {
            worst = worst.max(self.responder(plan, node, bytes, times, 0)?);
            self.watcher.measured();
        }
        #[allow(clippy::cast_sign_loss)] // A time.
        let dummy = worst.ceil() as u64;
        let mut flows = Vec::new();
        for &node in &plan.destinations {
            let ack = self.ping_pong(plan.source, node, 1, times, 0)?;
            flows.push((node, self.responder(plan, node, bytes, times, dummy)? - dummy as f64 - ack));
            self.watcher.measured();
        }
        let critical = flows.iter().copied().max_by(|a, b| a.1.total_cmp(&b.1)).map_or(plan.source, |(node, _)| node);
        let ack = self.ping_pong(plan.source, critical, 1, times, 0)?;
        Ok(Flows { latency: self.responder(plan, critical, bytes, times, 0)? - ack, critical, flows })
    }
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
    end: u64,
}

impl PingPong {
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
            return vec![unicast(self.nodes[0], self.length, 0)];
        }
        self.end = now;
        self.left -= 1;
        if self.left > 0 { self.ping() } else { Vec::new() }
    }
}

/// A multicast call at every node. Messages have the numbers of the plan's sends.
struct Broadcast<'a> {
    plan: &'a Plan,
    length: Length,
    /// Number of calls that each node has finished.
    rounds: Vec<u32>,
}

impl<'a> Broadcast<'a> {
    fn new(plan: &'a Plan, length: Length) -> Self {
        Self { plan, length, rounds: Vec::new() }
    }

    /// Sends of a node that has the message.
    fn sends(&self, node: NodeId) -> impl Iterator<Item = Action> {
        let of_node = self.plan.sends.iter().enumerate().filter(move |(_, send)| send.from == node);
        of_node.map(|(number, send)| Action::Send {
            to: Box::from(&send.to[..]),
            encoding: send.encoding,
            length: self.length,
            number,
        })
    }
}

struct MulticastPing<'a> {
    of: Broadcast<'a>,
    times: u32,
    ends: Vec<(NodeId, u64)>,
}

impl Program for MulticastPing<'_> {
    fn start(&mut self) -> Vec<(NodeId, Action)> {
        let root = self.of.plan.source;
        let calls = (0..self.times).flat_map(|_| self.of.sends(root));
        calls.chain([Action::Compute { cycles: 0, number: 0 }]).map(|action| (root, action)).collect()
    }

    fn received(&mut self, node: NodeId, _: usize, _: u64) -> Vec<Action> {
        let round = &mut self.of.rounds[node.index()];
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
