//! Processors and network interfaces of the nodes, with the costs of a message in software and the
//! buffers that it waits in. This is the parameterised model, \[NUPAIROJ\] sections 2.2 and 6.1.2.
//!
//! ```text
//! call ──t_hold──▶ the processor is free for the next operation
//!   └────t_send──▶ in the send buffer ── waits for a port ──t_ns──▶ head in the injection channel … tail has left: port free
//! tail arrives ── in the receive buffer, waits for the processor ──t_recv──▶ held
//! ```
//!
//! A processor does one thing at a time. When it is free it receives the oldest message of the
//! receive buffer. If there is none, it calls the next send, first in, first out. A send needs room
//! for its message in the send buffer. Without room the sender is blocked, but goes on receiving.
//! So no receive buffer stays full for ever.
//!
//! The network interface takes messages out of the send buffer in the order of their calls. It
//! takes as many at a time as the node has ports. A port is occupied until the tail has left the
//! node, which blocks the messages after it (head-of-line blocking, `t_out`). A message is in the
//! send buffer from its call until its tail has left. It is in the receive buffer from its first
//! flit until it is received.
//!
//! With more than one port, sends follow each other at `t_int` until all ports have one. Such a
//! burst keeps the processor for `t_hold`, from its first send on.
//!
//! A program may compute on a processor that has nothing else to do. A call interrupts the
//! computing, which then continues. A blocked send keeps it from continuing, because the sender
//! waits for the send.
//!
//! Costs are in cycles, `fixed + per_byte * m` rounded to whole cycles. m is the payload in bytes.
//! The cost of a byte in the network is not a parameter. A flit of `flit_bits` takes one cycle
//! where FIFOs cover the round trip of their credits. Otherwise it takes a share of that round
//! trip: a depth of 1 and a loop of 2 cycles make 2 cycles a flit. Header flits cost the same and
//! count as start-up.

use std::collections::{BTreeMap, VecDeque};

use wormscope_hw::NodeId;

use super::NewWorm;
use crate::network::{Cost, Costs, Network};

/// A message to be sent.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Outgoing<T> {
    /// Worm of the message. Its cycle is the cycle in which the message is ready to be sent.
    pub worm: NewWorm,
    /// Length of the message in bytes.
    pub bytes: f64,
    /// Name of the message for the caller.
    pub tag: T,
}

/// A message that has arrived.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Incoming<T> {
    /// Node of the arrival.
    pub node: NodeId,
    /// Consumption channel.
    pub channel: u8,
    /// Payload flits.
    pub flits: u32,
    /// Length of the message in bytes.
    pub bytes: f64,
    /// Name of the message for the caller.
    pub tag: T,
}

/// Task of a processor.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Call<T> {
    /// To send a message.
    Send(Outgoing<T>),
    /// To compute for this number of cycles.
    Compute(u64, T),
}

/// Result of a step.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Effect<T> {
    /// The worm enters its injection channel.
    Injected(Outgoing<T>, Handed),
    /// The processor has received the message.
    Received(Incoming<T>),
    /// A processor has computed.
    Computed(NodeId, T),
}

/// Way of a message to the network interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Handed {
    /// Cycle in which its send was called.
    pub called: u64,
    /// Cycles for which the message waited in the send buffer for a port (`t_sq`).
    pub queued: u64,
}

enum Event<T> {
    /// A node that may have work.
    Wake(NodeId),
    /// An effect that is due in this cycle.
    Over(Effect<T>),
}

/// Computing in idle time.
struct Work<T> {
    /// Cycles that are left, and the cycle since which the processor computes.
    left: u64,
    since: Option<u64>,
    tag: T,
}

/// Processor and network interface of one node.
struct Node<T> {
    work: Option<Work<T>>,
    /// Tasks of the processor.
    calls: VecDeque<Call<T>>,
    /// Messages in the receive buffer.
    inbox: VecDeque<Incoming<T>>,
    /// Messages for the network interface, as (cycle from which it is in the send buffer, cycle of
    /// the call, message).
    buffer: VecDeque<(u64, u64, Outgoing<T>)>,
    /// Number of bytes of the send buffer that are taken.
    taken: u64,
    idle_ports: u32,
    /// Cycle from which the processor is free.
    free: u64,
    /// The burst under way: cycle of its first send, number of sends that may still join it, and
    /// cycle from which the next may.
    burst: (u64, u32, u64),
}

impl<T> Node<T> {
    fn new(ports: u32) -> Self {
        Self {
            work: None,
            calls: VecDeque::new(),
            inbox: VecDeque::new(),
            buffer: VecDeque::new(),
            taken: 0,
            idle_ports: ports,
            free: 0,
            burst: (0, 0, 0),
        }
    }
}

/// All processors.
pub(super) struct Processors<T> {
    costs: Costs,
    /// Whether the processor receives an arrived message before the next call. If not, it receives
    /// the message only when there is no call. This is the order of a program that receives in idle
    /// time.
    receives_first: bool,
    ports: u32,
    flit_bits: u32,
    send_buffer: u64,
    nodes: Vec<Option<Box<Node<T>>>>,
    /// Events by cycle, then in the order in which they were scheduled.
    events: BTreeMap<(u64, u64), Event<T>>,
    scheduled: u64,
}

/// A cost in whole cycles.
#[allow(clippy::cast_sign_loss)] // Validated: not negative.
fn cycles(cost: Cost, bytes: f64) -> u64 {
    (cost.fixed + cost.per_byte * bytes).round() as u64
}

impl<T> Processors<T> {
    /// Idle processors.
    pub fn new(network: &Network) -> Self {
        let node = &network.node;
        Self {
            costs: node.costs.unwrap_or_default(),
            receives_first: true,
            ports: node.ports,
            flit_bits: network.switch.flit_bits,
            send_buffer: node.send_buffer.map_or(u64::MAX, u64::from),
            nodes: std::iter::repeat_with(|| None).take(network.nodes() as usize).collect(),
            events: BTreeMap::new(),
            scheduled: 0,
        }
    }

    /// Idle processors that receive when they have nothing else to do.
    pub(crate) fn of_programs(network: &Network) -> Self {
        Self { receives_first: false, ..Self::new(network) }
    }

    /// Adds a message to the tasks of its node.
    pub fn send(&mut self, now: u64, message: Outgoing<T>) {
        self.call(now, message.worm.source, Call::Send(message));
    }

    /// Adds a task to the tasks of a processor.
    pub fn call(&mut self, now: u64, node: NodeId, call: Call<T>) {
        self.node(node).calls.push_back(call);
        self.schedule(now, Event::Wake(node));
    }

    /// Lets a processor that computes nothing compute for `cycles` cycles in idle time.
    pub fn work(&mut self, now: u64, node: NodeId, cycles: u64, tag: T) {
        self.node(node).work = Some(Work { left: cycles, since: None, tag });
        self.schedule(now, Event::Wake(node));
    }

    /// Records that the tail of a message has arrived.
    pub fn arrived(&mut self, now: u64, message: Incoming<T>) {
        let node = message.node;
        self.node(node).inbox.push_back(message);
        self.schedule(now, Event::Wake(node));
    }

    /// Records that the tail of a message of `payload_flits` has left its node in the cycle before
    /// `now`.
    pub fn departed(&mut self, now: u64, node: NodeId, payload_flits: u32) {
        let bytes = self.buffered(payload_flits);
        let state = self.node(node);
        state.idle_ports += 1;
        state.taken -= bytes;
        self.schedule(now, Event::Wake(node));
    }

    /// Cycles for which the send of this many bytes keeps its processor.
    pub fn hold(&self, bytes: f64) -> u64 {
        cycles(self.costs.hold, bytes)
    }

    /// The next cycle with an event.
    pub fn next_cycle(&self) -> Option<u64> {
        self.events.first_key_value().map(|(&(cycle, _), _)| cycle)
    }

    /// The next effect that is due by `now`. It comes one at a time, as it may have consequences.
    pub fn step(&mut self, now: u64) -> Option<Effect<T>> {
        while let Some(first) = self.events.first_entry()
            && first.key().0 <= now
        {
            let ((cycle, _), event) = first.remove_entry();
            match event {
                Event::Wake(node) => self.wake(node, cycle),
                Event::Over(effect) => return Some(effect),
            }
        }
        None
    }

    fn node(&mut self, node: NodeId) -> &mut Node<T> {
        let ports = self.ports;
        self.nodes[node.index()].get_or_insert_with(|| Box::new(Node::new(ports)))
    }

    fn schedule(&mut self, cycle: u64, event: Event<T>) {
        self.scheduled += 1;
        self.events.insert((cycle, self.scheduled), event);
    }

    /// Bytes of a buffer that a message takes: its flits.
    fn buffered(&self, payload_flits: u32) -> u64 {
        (u64::from(payload_flits) * u64::from(self.flit_bits)).div_ceil(8)
    }

    /// Lets a node do in cycle `now` all that it can.
    fn wake(&mut self, node: NodeId, now: u64) {
        self.finish_work(node, now);
        while self.inject(node, now) || self.operate(node, now) {}
        self.go_on(node, now);
    }

    /// Ends the computing, if its time is over.
    fn finish_work(&mut self, node: NodeId, now: u64) {
        let is_over = |work: &mut Work<T>| work.since.is_some_and(|since| now - since >= work.left);
        if let Some(work) = self.node(node).work.take_if(is_over) {
            self.schedule(now, Event::Over(Effect::Computed(node, work.tag)));
        }
    }

    /// Computes if the processor has nothing else to do, and only then.
    fn go_on(&mut self, node: NodeId, now: u64) {
        let state = self.node(node);
        let is_idle = state.free <= now && state.calls.is_empty() && state.inbox.is_empty();
        let Some(work) = &mut state.work else { return };
        match work.since {
            None if is_idle => {
                work.since = Some(now);
                let over = now + work.left;
                self.schedule(over, Event::Wake(node));
            }
            Some(since) if !is_idle => {
                work.left -= now - since;
                work.since = None;
            }
            None | Some(_) => {}
        }
    }

    /// Lets the network interface take a message.
    fn inject(&mut self, node: NodeId, now: u64) -> bool {
        let startup = cycles(Cost { fixed: self.costs.network, per_byte: 0.0 }, 0.0);
        let state = self.node(node);
        if state.idle_ports == 0 || state.buffer.front().is_none_or(|(there, ..)| *there > now) {
            return false;
        }
        let Some((there, called, message)) = state.buffer.pop_front() else { return false };
        state.idle_ports -= 1;
        self.schedule(now + startup, Event::Over(Effect::Injected(message, Handed { called, queued: now - there })));
        true
    }

    /// Begins an operation of the processor.
    fn operate(&mut self, node: NodeId, now: u64) -> bool {
        let receives_first = self.receives_first;
        let state = self.node(node);
        let receives = state.free <= now && !state.inbox.is_empty();
        if receives && (receives_first || state.calls.is_empty()) {
            return self.receive(node, now);
        }
        match self.node(node).calls.front() {
            Some(Call::Send(message)) => {
                let payload_flits = message.worm.payload_flits;
                self.call_send(node, now, self.buffered(payload_flits))
            }
            Some(Call::Compute(..)) => self.compute(node, now),
            None => false,
        }
    }

    fn receive(&mut self, node: NodeId, now: u64) -> bool {
        let costs = self.costs;
        let state = self.node(node);
        let Some(message) = state.inbox.pop_front() else { return false };
        state.free = now + cycles(costs.receive, message.bytes);
        state.burst.1 = 0;
        let over = state.free;
        self.schedule(over, Event::Over(Effect::Received(message)));
        self.schedule(over, Event::Wake(node));
        true
    }

    fn compute(&mut self, node: NodeId, now: u64) -> bool {
        let state = self.node(node);
        if state.free > now {
            return false;
        }
        let Some(Call::Compute(cycles, tag)) = state.calls.pop_front() else { return false };
        state.free = now + cycles;
        state.burst.1 = 0;
        let over = state.free;
        self.schedule(over, Event::Over(Effect::Computed(node, tag)));
        self.schedule(over, Event::Wake(node));
        true
    }

    /// Calls the next send, whose message takes `bytes` of the send buffer.
    fn call_send(&mut self, node: NodeId, now: u64, bytes: u64) -> bool {
        let (costs, room, ports) = (self.costs, self.send_buffer, self.ports);
        let state = self.node(node);
        let (_, joiners, join) = state.burst;
        let free = state.free <= now;
        if state.taken + bytes > room || !free && (joiners == 0 || now < join) {
            return false;
        }
        let Some(Call::Send(message)) = state.calls.pop_front() else { return false };
        if free {
            state.burst = (now, ports, now);
        }
        state.taken += bytes;
        state.free = state.free.max(state.burst.0 + cycles(costs.hold, message.bytes));
        state.burst.1 -= 1;
        state.burst.2 = now + cycles(costs.inter, message.bytes);
        let (free, join, there) = (state.free, state.burst.2, now + cycles(costs.send, message.bytes));
        state.buffer.push_back((there, now, message));
        for cycle in [free, join, there] {
            self.schedule(cycle, Event::Wake(node));
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config;

    /// Two nodes with these costs, and with a send buffer of `messages` messages. A message has 8
    /// bytes, which is one flit.
    fn processors(costs: &str, messages: u32) -> Processors<u32> {
        let bytes = 8 * messages;
        let text = format!(
            "(network: (topology: linear(nodes: 2), switch: (flit_bits: 64), node: (costs: ({costs}), send_buffer: {bytes})))"
        );
        Processors::new(&config::from_text("x", &text, &[]).unwrap().experiment.network)
    }

    fn outgoing(from: u32, cycle: u64, tag: u32) -> Outgoing<u32> {
        let worm = NewWorm {
            cycle,
            source: NodeId(from),
            destinations: super::super::Destinations::One(NodeId(1 - from)),
            encoding: wormscope_hw::Encoding::Unicast,
            payload_flits: 1,
            class: crate::engine::Class::default(),
        };
        Outgoing { worm, bytes: 8.0, tag }
    }

    fn incoming(node: u32, tag: u32) -> Incoming<u32> {
        Incoming { node: NodeId(node), channel: 0, flits: 1, bytes: 8.0, tag }
    }

    /// Events before `until`: (cycle, kind, tag).
    fn happens(processors: &mut Processors<u32>, until: u64) -> Vec<(u64, &'static str, u32)> {
        let mut all = Vec::new();
        while let Some(cycle) = processors.next_cycle().filter(|&cycle| cycle < until) {
            while let Some(effect) = processors.step(cycle) {
                all.push(match effect {
                    Effect::Injected(message, ..) => (cycle, "injected", message.tag),
                    Effect::Received(message) => (cycle, "received", message.tag),
                    Effect::Computed(_, tag) => (cycle, "computed", tag),
                });
            }
        }
        all
    }

    const COSTS: &str = "hold: (fixed: 20.0), send: (fixed: 20.0), network: 5.0, receive: (fixed: 30.0)";

    #[test]
    fn receiving_and_forwarding_put_computing_off() {
        let mut processors = processors(COSTS, 1);
        processors.work(0, NodeId(0), 100, 1);
        assert_eq!(happens(&mut processors, 40), []);
        processors.arrived(40, incoming(0, 2));
        assert_eq!(happens(&mut processors, 80), [(70, "received", 2)]);
        // 50 cycles are over, and 20 go to the send.
        processors.send(80, outgoing(0, 80, 3));
        assert_eq!(happens(&mut processors, 1000), [(105, "injected", 3), (150, "computed", 1)]);
    }

    #[test]
    fn a_blocked_sender_does_not_compute_but_receives() {
        let mut processors = processors(COSTS, 1);
        processors.send(0, outgoing(0, 0, 1));
        processors.send(0, outgoing(0, 0, 2));
        processors.work(0, NodeId(0), 10, 3);
        assert_eq!(happens(&mut processors, 30), [(25, "injected", 1)]);
        processors.arrived(30, incoming(0, 4));
        assert_eq!(happens(&mut processors, 300), [(60, "received", 4)]);
        // The one message that the send buffer holds has left.
        processors.departed(300, NodeId(0), 1);
        assert_eq!(happens(&mut processors, 1000), [(325, "injected", 2), (330, "computed", 3)]);
    }

    #[test]
    fn nothing_to_compute_is_computed_at_once() {
        let mut processors = processors(COSTS, 1);
        processors.work(7, NodeId(1), 0, 1);
        assert_eq!(happens(&mut processors, 100), [(7, "computed", 1)]);
    }

    #[test]
    fn a_message_has_the_times_of_the_papers_example() {
        // [NUPAIROJ] Fig. 6.1, 20 cycles later, because an earlier message has the channel until
        // then.
        let costs = "hold: (fixed: 20.0), send: (fixed: 20.0), network: 5.0, receive: (fixed: 20.0)";
        let mut processors = processors(costs, 3);
        processors.send(0, outgoing(0, 0, 1));
        processors.send(0, outgoing(0, 0, 2));
        processors.send(0, outgoing(0, 0, 3));
        assert_eq!(happens(&mut processors, 70), [(25, "injected", 1)]);
        processors.departed(70, NodeId(0), 1);
        let second = std::iter::from_fn(|| processors.step(75)).last();
        let Some(Effect::Injected(message, handed)) = second else { panic!("{second:?}") };
        // t_sq = 30, so that t_send = 20 + 30.
        assert_eq!((message.tag, handed), (2, Handed { called: 20, queued: 30 }));
        // t_out = 30 with 15 cycles of contention, counted from the cycle in which the message got
        // the port: 70.
        processors.departed(100, NodeId(0), 1);
        let third = std::iter::from_fn(|| processors.step(105)).last();
        let Some(Effect::Injected(message, handed)) = third else { panic!("{third:?}") };
        // t_hold = 20: the next send was called 20 cycles later. The message waited for t_hol =
        // t_sq + t_out = 60, minus the 20 cycles of its own send.
        assert_eq!((message.tag, handed.called - 20, handed.queued), (3, 20, 60 - 20));
        // t_net = 35 and t_recv = 20: t_end = 105.
        processors.arrived(70 + 35, incoming(1, 2));
        assert_eq!(happens(&mut processors, 1000), [(20 + 105, "received", 2)]);
    }
}
