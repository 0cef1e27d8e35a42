//! Software of the nodes as a stimulus. It sends the messages of the workload and of planned
//! multicasts, receives, and forwards.
//!
//! Every message passes the processors and buffers of its nodes where these are configured.
//! Otherwise it is handed to the hardware in the cycle in which it is ready, with its start-ups
//! (`startup_cycles`). It is then held in the cycle in which it arrives.
//!
//! A node that receives pieces of a multicast queues the sends that become ready as one batch. The
//! batch comes after the sends that it queued before (first in, first out). A send is ready when
//! the node holds all its pieces, and the sends before it in the plan are ready.
//!
//! In one cycle, messages of the workload are queued first. Then come the sends of multicasts that
//! begin, in the order of the workload, and then the sends of multicasts that arrive.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::num::NonZeroU8;
use std::ops::Range;

use wormscope_hw::{NodeId, WormId};

use super::account::SoftwareAccount;
use super::drawing::Drawing;
use super::groups::Groups;
use super::launch::{self, Launch};
use super::operation::Operation;
use super::planner::Planner;
use super::processor::{Effect, Handed, Incoming, Outgoing, Processors};
use super::spmd::Program;
use super::{NewWorm, Saturation, Stimulus};
use crate::engine::{self, Delivery, Drain, WormInfo};
use crate::experiment::{Experiment, Loaded, Workload};
use crate::input::ConfigError;
use crate::multicast::Measured;
use crate::site::Site;

/// Name of a message or of computing, for the processors.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Tag {
    /// A message of the workload.
    Given,
    /// A send of an operation, by their numbers.
    Send(Number, usize),
    /// A message of a program, by the cycle in which it was ready.
    Program(u64),
    /// A turn of a program, by its number.
    Turn(usize),
}

impl Tag {
    /// Operation and send.
    fn send(self) -> Option<(Number, usize)> {
        match self {
            Self::Send(operation, send) => Some((operation, send)),
            Self::Given | Self::Program(_) | Self::Turn(_) => None,
        }
    }
}

/// Number of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Number {
    /// A kept operation, in order of their begins.
    Kept(usize),
    /// An operation of random traffic, in order of their begins.
    Passing(u64),
}

/// A multicast to begin: the number of a launch or of a drawing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Begin {
    Launch(usize),
    Drawing(usize),
}

/// A multicast of random traffic under way.
struct Passing {
    operation: Operation,
    /// Number of arrivals that its sends so far still need.
    outstanding: u64,
}

/// Multicasts of random traffic that have begun.
#[derive(Clone, Debug, Default)]
pub struct Passed {
    /// Number of multicasts that have begun.
    pub begun: u64,
    /// Multicasts that began in the measured window and are complete.
    pub measured: Vec<Completed>,
}

/// A complete multicast. Latencies are in cycles, from its begin until a node holds the message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Completed {
    /// Number of its destinations.
    pub destinations: u32,
    /// Latency of the first destination.
    pub first: u64,
    /// Latency of the last destination.
    pub last: u64,
    /// Sum of all latencies.
    pub sum: u64,
    /// Number of its class; see [`crate::engine::Class`].
    pub class: Option<NonZeroU8>,
}

/// A worm on its way.
struct Flying {
    tag: Tag,
    bytes: f64,
    /// Cycle in which its send was called.
    called: u64,
    /// Number of receivers that the message has not reached.
    missing: usize,
}

/// Software of all nodes.
pub struct Software {
    traffic: Stimulus,
    flit_bits: u32,
    /// Processors, if the network has a model of software and buffers.
    processors: Option<Processors<Tag>>,
    programs: Vec<Program>,
    /// Programs send nothing from this cycle on.
    programs_end: u64,
    launches: Vec<Launch>,
    drawings: Vec<Drawing>,
    /// Multicasts to begin: (cycle, entry of the workload, multicast).
    begins: BTreeSet<(u64, usize, Begin)>,
    operations: Vec<Operation>,
    /// The launch of each operation.
    launched_by: Vec<usize>,
    /// Operations of drawings that are still needed.
    passing: HashMap<u64, Passing>,
    passed: Passed,
    /// Messages that are held as they arrive, with the cycle. This is for nodes without a model of
    /// software.
    arrived: VecDeque<(u64, Incoming<Tag>)>,
    /// Worms for the hardware.
    ready: VecDeque<(Outgoing<Tag>, Handed)>,
    popped: u32,
    flying: HashMap<WormId, Flying>,
    measured: HashMap<NodeId, Measured>,
    freed: Vec<(NodeId, u8, u32)>,
    window: Range<u64>,
    account: SoftwareAccount,
    /// Whether the run is over when no multicast is under way or still has to begin. Multicasts of
    /// random traffic do not count.
    ends_with_multicasts: bool,
    /// Number of operations that are not complete. Operations of random traffic do not count.
    under_way: u64,
    /// Number of measured messages that are still to become worms, and of measured operations that
    /// are not complete.
    unfinished: u64,
}

impl Software {
    /// The software of an experiment. Messages of the cycles of `window` are measured.
    ///
    /// # Errors
    /// A trace cannot be opened, or an algorithm makes no plan.
    pub fn load(loaded: &Loaded, site: &Site, window: Range<u64>) -> Result<Self, ConfigError> {
        let network = &loaded.experiment.network;
        let launches = launch::launches(loaded, site)?;
        let since = launches.iter().all(|launch| launch.skip == 0).then_some(window.start);
        let sources: Vec<NodeId> = launches.iter().map(|launch| launch.design.plan.source).collect();
        let mut programs = programs(&loaded.experiment, &sources);
        let mut processors = network.node.has_software().then(|| Processors::new(network));
        if let Some(processors) = &mut processors {
            for (number, program) in programs.iter_mut().enumerate() {
                for node in program.nodes().to_vec() {
                    processors.work(0, node, program.compute(node), Tag::Turn(number));
                }
            }
        }
        let mut drawings = drawings(loaded, site);
        let mut begins = BTreeSet::new();
        for (number, launch) in launches.iter().enumerate() {
            begins.insert((launch.cycle, launch.design.entry, Begin::Launch(number)));
        }
        for (number, drawing) in drawings.iter_mut().enumerate() {
            begins.extend(drawing.next_cycle().map(|cycle| (cycle, drawing.entry(), Begin::Drawing(number))));
        }
        Ok(Self {
            traffic: Stimulus::load(loaded)?,
            flit_bits: network.switch.flit_bits,
            processors,
            programs,
            programs_end: if loaded.experiment.run.drain == Drain::Empty { window.end } else { u64::MAX },
            account: SoftwareAccount::new(&Groups::new(&loaded.experiment), since, window.end),
            ends_with_multicasts: loaded.experiment.ends_with_multicasts(),
            under_way: 0,
            launches,
            drawings,
            begins,
            operations: Vec::new(),
            launched_by: Vec::new(),
            passing: HashMap::new(),
            passed: Passed::default(),
            arrived: VecDeque::new(),
            ready: VecDeque::new(),
            popped: 0,
            flying: HashMap::new(),
            measured: HashMap::new(),
            freed: Vec::new(),
            window,
            unfinished: 0,
        })
    }

    /// The multicasts of random traffic that have begun.
    #[must_use]
    pub fn passed(&self) -> &Passed {
        &self.passed
    }

    /// The multicasts that have begun, in order, without multicasts of random traffic.
    #[must_use]
    pub fn operations(&self) -> &[Operation] {
        &self.operations
    }

    /// Account of messages that programs sent and groups received while multicasts were measured.
    #[must_use]
    pub fn account(&self) -> &SoftwareAccount {
        &self.account
    }

    /// The result of [`super::Stimulus::saturation`].
    #[must_use]
    pub fn saturation(&self) -> Option<Saturation> {
        self.traffic.saturation()
    }

    /// Adds a message to the sends of its node.
    fn send(&mut self, now: u64, message: Outgoing<Tag>) {
        self.unfinished += u64::from(self.window.contains(&message.worm.cycle));
        match &mut self.processors {
            Some(processors) => processors.send(now, message),
            None => self.ready.push_back((message, Handed { called: now, queued: 0 })),
        }
    }

    /// Records that a node holds a message.
    fn received(&mut self, now: u64, message: &Incoming<Tag>) {
        let Some((number, send)) = message.tag.send() else {
            self.account.receive(now, message.node, message.bytes);
            if let Tag::Program(ready) = message.tag {
                self.account.ended(ready, now);
            }
            return;
        };
        let measured = self.measured.get(&message.node).copied();
        let Some(of) = self.operation(number) else { return };
        let performed = of.send_mut(send);
        let to = performed.send.to.iter().position(|&node| node == message.node);
        if let Some(to) = to {
            performed.receipts[to].held = Some(now);
        }
        let was_complete = of.end.is_some();
        let ready = of.received(send, message.node, now, measured);
        if !was_complete && of.end.is_some() {
            self.completed(number, now);
        }
        self.send_all(number, &ready, now);
        self.pass(number);
    }

    /// An operation that has begun; `None` for one that has passed.
    fn operation(&mut self, number: Number) -> Option<&mut Operation> {
        match number {
            Number::Kept(number) => self.operations.get_mut(number),
            Number::Passing(number) => self.passing.get_mut(&number).map(|passing| &mut passing.operation),
        }
    }

    /// Records that a message of an operation was received. An operation passes when it is complete
    /// and no message of it is under way.
    fn pass(&mut self, number: Number) {
        if let Number::Passing(number) = number
            && let Some(passing) = self.passing.get_mut(&number)
        {
            passing.outstanding -= 1;
            if passing.outstanding == 0 && passing.operation.end.is_some() {
                self.passing.remove(&number);
            }
        }
    }

    fn completed(&mut self, number: Number, now: u64) {
        let Some(begin) = self.operation(number).map(|of| of.begin) else { return };
        let measured = self.window.contains(&begin);
        self.unfinished -= u64::from(measured);
        match number {
            Number::Kept(operation) => {
                self.under_way -= 1;
                let number = self.launched_by[operation];
                self.launches[number].completed += 1;
                if self.account.since.is_none() && self.launches.iter().all(|launch| launch.completed >= launch.skip) {
                    self.account.since = Some(now.max(self.window.start));
                }
                let launch = &self.launches[number];
                if launch.every.is_none() && launch.times > 0 {
                    self.begins.insert((now, launch.design.entry, Begin::Launch(number)));
                }
            }
            Number::Passing(number) => {
                let passing = self.passing.get(&number).filter(|_| measured);
                self.passed.measured.extend(passing.and_then(|passing| Completed::of(&passing.operation)));
            }
        }
    }

    /// Records that a node has computed. It sends, and begins its next turn when that is done.
    fn turn(&mut self, number: usize, node: NodeId, now: u64) {
        if now >= self.programs_end {
            return;
        }
        let program = &mut self.programs[number];
        let (worm, bytes) = program.message(node, now);
        let cycles = program.compute(node);
        self.traffic.created(now, node, worm.payload_flits);
        self.send(now, Outgoing { worm, bytes, tag: Tag::Program(now) });
        if let Some(processors) = &mut self.processors {
            processors.work(now, node, cycles, Tag::Turn(number));
        }
    }

    /// Begins a multicast.
    fn begin(&mut self, begin: Begin, now: u64) -> Result<(), ConfigError> {
        let mut skipped = false;
        let design = match begin {
            Begin::Launch(number) => {
                let launch = &mut self.launches[number];
                launch.times -= 1;
                skipped = launch.begun < launch.skip;
                launch.begun += 1;
                if let Some(every) = launch.every
                    && launch.times > 0
                {
                    self.begins.insert((now + every, launch.design.entry, begin));
                }
                launch.design.clone()
            }
            Begin::Drawing(number) => {
                let drawing = &mut self.drawings[number];
                let Some(design) = drawing.next()? else { return Ok(()) };
                self.begins.extend(drawing.next_cycle().map(|cycle| (cycle, drawing.entry(), begin)));
                design
            }
        };
        let measured = self.measured.get(&design.plan.source).copied();
        let (mut operation, ready) = Operation::begin(design, now, measured);
        operation.measured = self.window.contains(&now) && !skipped;
        let is_complete = operation.end.is_some();
        self.unfinished += u64::from(self.window.contains(&now));
        let number = match begin {
            Begin::Launch(number) => {
                self.under_way += 1;
                self.operations.push(operation);
                self.launched_by.push(number);
                Number::Kept(self.operations.len() - 1)
            }
            Begin::Drawing(_) => {
                let number = self.passed.begun;
                self.passed.begun += 1;
                self.passing.insert(number, Passing { operation, outstanding: 0 });
                Number::Passing(number)
            }
        };
        if is_complete {
            self.completed(number, now);
        }
        self.send_all(number, &ready, now);
        Ok(())
    }

    fn send_all(&mut self, operation: Number, ready: &[usize], now: u64) {
        for &number in ready {
            let Some(of) = self.operation(operation) else { return };
            let (send, design) = (&of.sends()[number].send, &of.design);
            let (carried, pieces) = (send.carried(), design.plan.pieces);
            let worm = NewWorm {
                cycle: now,
                source: send.from,
                destinations: send.to.iter().copied().collect(),
                encoding: send.encoding,
                payload_flits: design.length.flits_of(carried, pieces),
                class: design.class,
            };
            let bytes = design.length.bytes_of(carried, pieces);
            if let Number::Passing(passing) = operation
                && let Some(passing) = self.passing.get_mut(&passing)
            {
                passing.outstanding += worm.destinations.len() as u64;
            }
            self.traffic.created(now, worm.source, worm.payload_flits);
            self.send(now, Outgoing { worm, bytes, tag: Tag::Send(operation, number) });
        }
    }

    /// Handles all events up to `now`.
    fn advance(&mut self, now: u64) -> Result<(), ConfigError> {
        while let Some(worm) = self.traffic.pop(now)? {
            let bytes = f64::from(worm.payload_flits) * f64::from(self.flit_bits) / 8.0;
            self.send(now, Outgoing { worm, bytes, tag: Tag::Given });
        }
        while self.begin_next(now)? || self.receive_next(now) {}
        Ok(())
    }

    /// Begins a multicast that is due.
    fn begin_next(&mut self, now: u64) -> Result<bool, ConfigError> {
        let due = self.begins.first().copied().filter(|&(cycle, ..)| cycle <= now);
        if let Some((.., begin)) = due {
            self.begins.pop_first();
            self.begin(begin, now)?;
        }
        Ok(due.is_some())
    }

    /// Lets processors continue until a message is received, or a worm is ready for the hardware.
    fn receive_next(&mut self, now: u64) -> bool {
        let Some(processors) = &mut self.processors else {
            let arrived = self.arrived.pop_front();
            if let Some((_, message)) = &arrived {
                self.received(now, message);
            }
            return arrived.is_some();
        };
        let effect = processors.step(now);
        let any = effect.is_some();
        match effect {
            Some(Effect::Injected(message, handed)) => self.ready.push_back((message, handed)),
            Some(Effect::Received(message)) => {
                self.freed.push((message.node, message.channel, message.flits));
                self.received(now, &message);
            }
            Some(Effect::Computed(node, Tag::Turn(program))) => self.turn(program, node, now),
            // Other computing releases no message.
            Some(Effect::Computed(..)) | None => {}
        }
        any
    }
}

impl Completed {
    /// The result of a multicast; `None` for one without destinations or with some missing.
    fn of(operation: &Operation) -> Option<Self> {
        let plan = &operation.design.plan;
        let mut of = Self { destinations: 0, first: u64::MAX, last: 0, sum: 0, class: operation.design.class.number };
        for &node in &plan.destinations {
            let latency = operation.complete(node)? - operation.begin;
            of.destinations += 1;
            (of.first, of.last, of.sum) = (of.first.min(latency), of.last.max(latency), of.sum + latency);
        }
        (of.destinations > 0).then_some(of)
    }
}

/// The entries of random traffic that an algorithm performs, in the order of the workload.
fn drawings(loaded: &Loaded, site: &Site) -> Vec<Drawing> {
    let (experiment, planner) = (&loaded.experiment, Planner::new(loaded, site));
    let groups = Groups::new(experiment);
    let entries = experiment.workload.iter().enumerate();
    let drawing = |(entry, workload): (usize, &Workload)| match workload {
        Workload::Traffic(traffic) => {
            let (algorithm, among) = (traffic.algorithm.as_ref()?, groups.among(traffic.group.as_ref()));
            Some(Drawing::new(&planner, experiment, entry, traffic, algorithm, among))
        }
        Workload::Messages(_)
        | Workload::Trace(_)
        | Workload::Spmd(_)
        | Workload::Multicast(_)
        | Workload::Multicasts(_)
        | Workload::Stalls(_) => None,
    };
    entries.filter_map(drawing).collect()
}

/// The programs of an experiment, with these sources of multicasts.
fn programs(experiment: &Experiment, sources: &[NodeId]) -> Vec<Program> {
    let groups = Groups::new(experiment);
    let of = |(place, entry): (u64, &Workload)| match entry {
        Workload::Spmd(spmd) => {
            Some(Program::new(experiment, spmd, place, &groups.among(spmd.group.as_ref()), sources))
        }
        Workload::Messages(_)
        | Workload::Trace(_)
        | Workload::Traffic(_)
        | Workload::Multicast(_)
        | Workload::Multicasts(_)
        | Workload::Stalls(_) => None,
    };
    (0..).zip(&experiment.workload).filter_map(of).collect()
}

impl engine::Stimulus for Software {
    type Error = ConfigError;

    const REACTS: bool = true;

    fn next_cycle(&mut self) -> Option<u64> {
        let ready = self.ready.front().map(|(message, _)| message.worm.cycle);
        let arrived = self.arrived.front().map(|&(cycle, _)| cycle);
        let begin = self.begins.first().map(|&(cycle, ..)| cycle);
        let processors = self.processors.as_ref().and_then(Processors::next_cycle);
        [ready, arrived, begin, processors, self.traffic.next_cycle()].into_iter().flatten().min()
    }

    fn pop(&mut self, cycle: u64) -> Result<Option<NewWorm>, ConfigError> {
        if self.ready.is_empty() {
            self.advance(cycle)?;
        }
        let Some((Outgoing { worm, bytes, tag }, handed)) = self.ready.pop_front() else { return Ok(None) };
        let called = handed.called;
        self.unfinished -= u64::from(self.window.contains(&worm.cycle));
        if let Some((number, send)) = tag.send()
            && let Some(operation) = self.operation(number)
        {
            let performed = operation.send_mut(send);
            (performed.called, performed.queued) = (called, handed.queued);
        }
        if let (Tag::Program(ready), Some(processors)) = (tag, &self.processors) {
            self.account.held(ready, called + processors.hold(bytes));
        }
        self.flying.insert(WormId(self.popped), Flying { tag, bytes, called, missing: worm.destinations.len() });
        self.popped += 1;
        Ok(Some(worm))
    }

    fn delivered(&mut self, worm: &WormInfo, delivery: &Delivery) {
        let Some(flying) = self.flying.get_mut(&worm.id) else { return };
        let (tag, bytes) = (flying.tag, flying.bytes);
        flying.missing -= 1;
        if flying.missing == 0 {
            self.flying.remove(&worm.id);
        }
        if let Some((number, send)) = tag.send()
            && let Some(operation) = self.operation(number)
        {
            let performed = operation.send_mut(send);
            performed.injected = delivery.injected;
            (performed.header_flits, performed.payload_flits) = (worm.header_flits, worm.payload_flits);
            if let Some(to) = performed.send.to.iter().position(|&node| node == delivery.destination) {
                performed.receipts[to].tail = Some(delivery.tail);
            }
        }
        let (node, channel) = (delivery.destination, delivery.channel);
        let message = Incoming { node, channel, flits: worm.payload_flits, bytes, tag };
        match &mut self.processors {
            Some(processors) => processors.arrived(delivery.tail, message),
            None => self.arrived.push_back((delivery.tail, message)),
        }
    }

    fn departed(&mut self, worm: &WormInfo, cycle: u64) {
        self.traffic.departed(worm, cycle);
        let Some(&Flying { tag, bytes, called, .. }) = self.flying.get(&worm.id) else { return };
        if let Some((number, send)) = tag.send()
            && let Some(operation) = self.operation(number)
        {
            operation.send_mut(send).departed = cycle;
        }
        let at_sender = (cycle + 1 - called) as f64;
        self.measured.insert(worm.source, Measured { bytes, at_sender });
        if let Some(processors) = &mut self.processors {
            processors.departed(cycle + 1, worm.source, worm.payload_flits);
        }
    }

    fn freed(&mut self) -> Option<(NodeId, u8, u32)> {
        self.freed.pop()
    }

    fn is_measured_unfinished(&self) -> bool {
        self.unfinished > 0
    }

    fn is_over(&self) -> bool {
        let is_launch = |(_, _, begin): &(u64, usize, Begin)| matches!(begin, Begin::Launch(_));
        self.ends_with_multicasts && self.under_way == 0 && !self.begins.iter().any(is_launch)
    }

    fn window_end(&self) -> u64 {
        self.traffic.window_end()
    }

    fn judge_window(&mut self) -> bool {
        self.traffic.judge_window()
    }
}
