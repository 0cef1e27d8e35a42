//! Programs on the nodes: benchmarks that send, compute and receive in a fixed order, as in
//! \[NUPAIROJ\] chapters 2 and 3.
//!
//! A program does one thing after the other, and receives when it has nothing else to do. It then
//! decides by the message that it received.

use std::collections::{HashMap, VecDeque};
use std::convert::Infallible;

use wormscope_hw::{Encoding, NodeId, WormId};

use super::NewWorm;
use super::processor::{Call, Effect, Incoming, Outgoing, Processors};
use crate::engine::{self, Class, Delivery, WormInfo};
use crate::experiment::Length;
use crate::network::Network;

/// Next action of a program.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Sends a message. Receivers know it by its number.
    Send {
        /// Nodes that receive, in header order.
        to: Box<[NodeId]>,
        /// Header encoding.
        encoding: Encoding,
        /// Length of the message.
        length: Length,
        /// Number of the message.
        number: usize,
    },
    /// Computes for a number of cycles. Then the program gets the time, with a number.
    Compute {
        /// Cycles.
        cycles: u64,
        /// The number.
        number: usize,
    },
}

/// The programs of all nodes.
pub trait Program {
    /// First actions of the nodes.
    fn start(&mut self) -> Vec<(NodeId, Action)>;

    /// Actions of a node that has received a message.
    fn received(&mut self, node: NodeId, number: usize, now: u64) -> Vec<Action>;

    /// Tells that a node has computed.
    fn computed(&mut self, _node: NodeId, _number: usize, _now: u64) {}
}

/// Programs as a stimulus.
pub struct Programs<'a, P> {
    program: &'a mut P,
    processors: Processors<usize>,
    ready: VecDeque<Outgoing<usize>>,
    popped: u32,
    /// Worms on their way: number, length in bytes, and number of receivers that are not reached
    /// yet.
    flying: HashMap<WormId, (usize, f64, usize)>,
    freed: Vec<(NodeId, u8, u32)>,
    times: Times,
}

/// Times of programs that have run.
#[derive(Clone, Copy, Debug)]
pub struct Times {
    /// The first node that acts.
    root: Option<NodeId>,
    /// The last cycle in which a node did something, or a worm arrived.
    pub last: u64,
    /// The last cycle in which a worm of the first node arrived.
    pub of_root: u64,
}

impl<'a, P: Program> Programs<'a, P> {
    /// The programs, which begin at cycle `start`. `worms` worms are created before their first.
    pub fn new(network: &Network, program: &'a mut P, start: u64, worms: u64) -> Self {
        let first = program.start();
        let mut programs = Self {
            program,
            processors: Processors::of_programs(network),
            ready: VecDeque::new(),
            popped: worms as u32,
            flying: HashMap::new(),
            freed: Vec::new(),
            times: Times { root: first.first().map(|(node, _)| *node), last: start, of_root: start },
        };
        for (node, action) in first {
            programs.act(node, action, start);
        }
        programs
    }

    /// Times of the programs so far.
    #[must_use]
    pub fn times(&self) -> Times {
        self.times
    }

    fn act(&mut self, node: NodeId, action: Action, now: u64) {
        let call = match action {
            Action::Send { to, encoding, length, number } => {
                let worm = NewWorm {
                    cycle: now,
                    source: node,
                    destinations: to.into(),
                    encoding,
                    payload_flits: length.flits,
                    class: Class::default(),
                };
                Call::Send(Outgoing { worm, bytes: length.bytes, tag: number })
            }
            Action::Compute { cycles, number } => Call::Compute(cycles, number),
        };
        self.processors.call(now, node, call);
    }

    fn advance(&mut self, now: u64) {
        while let Some(effect) = self.processors.step(now) {
            match effect {
                Effect::Injected(message, _) => self.ready.push_back(message),
                Effect::Computed(node, number) => self.program.computed(node, number, now),
                Effect::Received(Incoming { node, channel, flits, tag, .. }) => {
                    self.freed.push((node, channel, flits));
                    for action in self.program.received(node, tag, now) {
                        self.act(node, action, now);
                    }
                }
            }
        }
    }
}

impl<P: Program> engine::Stimulus for Programs<'_, P> {
    type Error = Infallible;

    const REACTS: bool = true;

    fn next_cycle(&mut self) -> Option<u64> {
        let ready = self.ready.front().map(|message| message.worm.cycle);
        ready.into_iter().chain(self.processors.next_cycle()).min()
    }

    fn pop(&mut self, cycle: u64) -> Result<Option<NewWorm>, Infallible> {
        if self.ready.is_empty() {
            if self.processors.next_cycle().is_some_and(|next| next <= cycle) {
                self.times.last = cycle;
            }
            self.advance(cycle);
        }
        Ok(self.ready.pop_front().map(|Outgoing { worm, bytes, tag }| {
            self.flying.insert(WormId(self.popped), (tag, bytes, worm.destinations.len()));
            self.popped += 1;
            worm
        }))
    }

    fn delivered(&mut self, worm: &WormInfo, delivery: &Delivery) {
        let Some((tag, bytes, missing)) = self.flying.get_mut(&worm.id) else { return };
        let (tag, bytes) = (*tag, *bytes);
        *missing -= 1;
        if *missing == 0 {
            self.flying.remove(&worm.id);
        }
        let (node, channel) = (delivery.destination, delivery.channel);
        self.times.last = self.times.last.max(delivery.tail);
        if self.times.root == Some(worm.source) {
            self.times.of_root = delivery.tail;
        }
        let message = Incoming { node, channel, flits: worm.payload_flits, bytes, tag };
        self.processors.arrived(delivery.tail, message);
    }

    fn departed(&mut self, worm: &WormInfo, cycle: u64) {
        self.processors.departed(cycle + 1, worm.source, worm.payload_flits);
    }

    fn freed(&mut self) -> Option<(NodeId, u8, u32)> {
        self.freed.pop()
    }
}
