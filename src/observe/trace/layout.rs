//! Signals of a dump of a network. Tracer, saved views and properties share this description.

use std::io;
use std::iter;
use std::marker::PhantomData;
use std::num::NonZeroU32;

use wormscope_hw::{NodeId, PortId, SwitchId, WormId};

use super::TraceError;
use super::blocks::BlockWires;
use super::follow::{self, Follow};
use super::labels::{self, Label};
use super::part::Part;
use super::scope::{Selection, named};
use super::signal::{
    EjectionRegister, InjectionRegister, InputRegister, Instance, OutputRegister, QueueRegister, Register, Signal,
    StationRegister, Type,
};
use super::sink::Header;
use super::wire::Wire;
use crate::network::routing::grouping;
use crate::network::{End, Lanes, Network, Wiring};
use crate::spelling;

/// Number of the clock signal, which is the first signal.
pub(crate) const CYCLE: u32 = 0;
/// Largest number of signals of a dump.
const MAX_SIGNALS: u64 = 1 << 25;

/// The signals of an instance, side by side in the order of its registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Block<R>(NonZeroU32, PhantomData<R>);

impl<R: Register> Block<R> {
    /// Number of its first signal.
    #[inline(always)]
    pub fn first(self) -> u32 {
        self.0.get()
    }

    /// Number of the signal of a register.
    #[inline(always)]
    pub fn of(self, register: R) -> u32 {
        self.first() + register.place() as u32
    }
}

/// The signals of instances of one kind, by their switch or node and their number at it.
struct Blocks<R> {
    stride: usize,
    /// `None` for an instance that is not declared.
    blocks: Vec<Option<Block<R>>>,
}

impl<R: Register> Blocks<R> {
    fn new(owners: u32, each: u8) -> Self {
        let stride = usize::from(each);
        Self { stride, blocks: vec![None; owners as usize * stride] }
    }

    #[inline(always)]
    fn get(&self, owner: usize, number: u8) -> Option<Block<R>> {
        self.blocks.get(owner * self.stride + usize::from(number)).copied().flatten()
    }

    /// Declares an instance. `next` is the number of its first signal.
    fn declare(&mut self, owner: usize, number: u8, next: &mut u64) {
        // A total that needs more bits is refused before a signal is used.
        let block = NonZeroU32::new(*next as u32).map(|first| Block(first, PhantomData));
        self.blocks[owner * self.stride + usize::from(number)] = block;
        *next += R::ALL.len() as u64;
    }
}

/// The signals of a dump, numbered in the order of [`Layout::signals`].
pub(crate) struct Layout<'a> {
    wiring: &'a Wiring,
    lanes: Lanes,
    /// Flits of the FIFOs behind switches, behind nodes, and at nodes.
    depth: u32,
    injection_depth: u32,
    consumption_depth: u32,
    flit_bits: u32,
    /// Whether each switch has a station on a token ring.
    has_station: Vec<bool>,
    inputs: Blocks<InputRegister>,
    outputs: Blocks<OutputRegister>,
    stations: Blocks<StationRegister>,
    injections: Blocks<InjectionRegister>,
    queues: Blocks<QueueRegister>,
    ejections: Blocks<EjectionRegister>,
    /// Signals of followed worms: each branch by its hop and port. The hop as a whole comes after
    /// its branches. `first_branch` is the number of the first signal.
    branches: Vec<(WormId, usize, Option<PortId>)>,
    first_branch: u32,
    count: u32,
    /// Signals of blocks come after the registers of each instance, and the clock as a wire at the
    /// end.
    wires: BlockWires,
}

impl<'a> Layout<'a> {
    /// Selects and numbers signals. The hops of followed worms are always selected.
    ///
    /// # Errors
    /// A glob matches nothing, no signal is left, or the signals are too many.
    pub fn new(
        network: &Network,
        wiring: &'a Wiring,
        selection: Selection,
        follows: &[Follow],
    ) -> Result<Self, TraceError> {
        Self::with(network, wiring, selection, follows, BlockWires::default())
    }

    /// The same layout, with the signals of blocks.
    ///
    /// # Errors
    /// The same as for [`Layout::new`].
    pub fn with(
        network: &Network,
        wiring: &'a Wiring,
        mut selection: Selection,
        follows: &[Follow],
        wires: BlockWires,
    ) -> Result<Self, TraceError> {
        let lanes = network.lanes(wiring);
        let (switches, nodes) = (wiring.switches(), wiring.nodes());
        let branches = |follow: &Follow| -> Vec<_> {
            let hops = follow.hops.iter().enumerate();
            let parts = |hop| follow::branch_ports(hop).map(Some).chain([None]);
            hops.flat_map(|(at, hop)| parts(hop).map(move |port| (follow.worm.id, at, port))).collect()
        };
        let mut layout = Self {
            wiring,
            lanes,
            depth: network.switch.fifo_depth,
            injection_depth: network.injection_depth(),
            consumption_depth: network.consumption_depth(),
            flit_bits: network.switch.flit_bits,
            has_station: vec![false; switches as usize],
            inputs: Blocks::new(switches, lanes.inputs.count()),
            outputs: Blocks::new(switches, lanes.outputs.count()),
            stations: Blocks::new(switches, 1),
            injections: Blocks::new(nodes, lanes.inject),
            queues: Blocks::new(nodes, 1),
            ejections: Blocks::new(nodes, lanes.consume),
            branches: follows.iter().flat_map(branches).collect(),
            first_branch: 0,
            count: 0,
            wires,
        };
        if network.token_ring.is_some() {
            for group in grouping::rings(network, wiring) {
                group.switches.iter().for_each(|s| layout.has_station[s.index()] = true);
            }
        }
        let branches = layout.number(&mut selection, follows);
        if let Some(glob) = selection.unused() {
            return Err(TraceError::NoMatch { glob: glob.to_owned(), nearest: layout.nearest(named(glob)) });
        }
        if branches == u64::from(CYCLE) + 1 {
            return Err(TraceError::NothingLeft { globs: selection.excluding() });
        }
        let total = branches + layout.branches.len() as u64 + u64::from(layout.wires.are_shown());
        if total > MAX_SIGNALS {
            return Err(TraceError::TooManySignals { signals: total, limit: MAX_SIGNALS });
        }
        (layout.first_branch, layout.count) = (branches as u32, total as u32);
        Ok(layout)
    }

    /// Numbers the signals of all selected instances. Returns the next number.
    fn number(&mut self, selection: &mut Selection, follows: &[Follow]) -> u64 {
        let mut next = u64::from(CYCLE) + 1;
        let top = selection.selects(false, || "top".to_owned());
        for part in Part::all(self.wiring) {
            let name = || format!("top.{}", part.name(self.wiring));
            let hops = || follows.iter().flat_map(|follow| &follow.hops);
            let is_followed = |switch| hops().any(|hop| hop.switch == switch);
            let is_followed = matches!(part, Part::Switch(switch) if is_followed(switch));
            let whole = selection.selects(top, name);
            if !whole && !is_followed && !selection.deep() {
                continue;
            }
            for instance in part.instances(self.lanes) {
                if self.exists(instance)
                    && (selects(selection, whole, name, || self.name_within(instance)) || is_followed)
                {
                    self.declare_instance(instance, &mut next);
                }
            }
        }
        next
    }

    fn exists(&self, instance: Instance) -> bool {
        match instance {
            Instance::Input(switch, lane) => self.lanes.has_input(self.wiring, switch, lane),
            Instance::Output(switch, lane) => self.lanes.has_output(self.wiring, switch, lane),
            Instance::Station(switch) => self.has_station[switch.index()],
            Instance::Injection(..) | Instance::Queue(_) | Instance::Ejection(..) => true,
        }
    }

    fn declare_instance(&mut self, instance: Instance, next: &mut u64) {
        match instance {
            Instance::Input(switch, lane) => self.inputs.declare(switch.index(), lane, next),
            Instance::Output(switch, lane) => self.outputs.declare(switch.index(), lane, next),
            Instance::Station(switch) => self.stations.declare(switch.index(), 0, next),
            Instance::Injection(node, channel) => self.injections.declare(node.index(), channel, next),
            Instance::Queue(node) => self.queues.declare(node.index(), 0, next),
            Instance::Ejection(node, channel) => self.ejections.declare(node.index(), channel, next),
        }
        *next += self.wires.of(instance).len() as u64;
    }

    /// The signals of blocks, with the number of the first signal of each instance.
    pub fn blocks(&self) -> impl Iterator<Item = (Instance, u32, &[Wire])> {
        let instances = Part::all(self.wiring).flat_map(|part| part.instances(self.lanes));
        instances.filter_map(|instance| {
            let first = match instance {
                Instance::Input(switch, lane) => self.input(switch, lane)?.first() + InputRegister::COUNT as u32,
                Instance::Output(switch, lane) => self.output(switch, lane)?.first() + OutputRegister::COUNT as u32,
                Instance::Station(switch) => self.station(switch)?.first() + StationRegister::COUNT as u32,
                Instance::Injection(..) | Instance::Queue(_) | Instance::Ejection(..) => return None,
            };
            Some((instance, first, self.wires.of(instance))).filter(|(_, _, wires)| !wires.is_empty())
        })
    }

    /// The signals of the blocks of an instance that the dump has.
    pub fn blocks_of(&self, instance: Instance) -> impl Iterator<Item = Signal> {
        let wires = if self.is_declared(instance) { self.wires.of(instance) } else { &[] };
        wires.iter().map(move |wire| Signal::Block(instance, *wire))
    }

    /// The number of the clock as a wire, if the dump has it.
    #[must_use]
    pub fn clock(&self) -> Option<u32> {
        self.wires.are_shown().then(|| self.count - 1)
    }

    fn is_declared(&self, instance: Instance) -> bool {
        match instance {
            Instance::Input(switch, lane) => self.input(switch, lane).is_some(),
            Instance::Output(switch, lane) => self.output(switch, lane).is_some(),
            Instance::Station(switch) => self.station(switch).is_some(),
            Instance::Injection(node, channel) => self.injection(node, channel).is_some(),
            Instance::Queue(node) => self.queue(node).is_some(),
            Instance::Ejection(node, channel) => self.ejection(node, channel).is_some(),
        }
    }

    /// All signals with their types, in the order of their numbers.
    pub fn signals(&self) -> impl Iterator<Item = (Signal, Type)> {
        let parts = Part::all(self.wiring);
        let instances = parts.flat_map(|part| part.instances(self.lanes)).filter(|of| self.is_declared(*of));
        let branches = self.branches.iter().map(|&(worm, hop, port)| match port {
            Some(port) => Signal::Branch(worm, hop, port),
            None => Signal::Hop(worm, hop),
        });
        let instances = instances.flat_map(|instance| instance.signals().chain(self.blocks_of(instance)));
        let clock = self.wires.are_shown().then_some(Signal::Clock);
        let signals = iter::once(Signal::Cycle).chain(instances).chain(branches).chain(clock);
        signals.map(|signal| (signal, self.type_of(signal)))
    }

    /// The type of a signal.
    #[must_use]
    pub fn type_of(&self, signal: Signal) -> Type {
        match signal {
            Signal::Cycle => Type::Cycle,
            Signal::Input(switch, lane, register) => match register {
                InputRegister::FifoCount => {
                    let from = self.wiring.input(switch, PortId(self.lanes.inputs.port(lane)));
                    let is_injected = matches!(from, Some(End::Node(_)));
                    Type::Flits(if is_injected { self.injection_depth } else { self.depth })
                }
                InputRegister::State => Type::State,
                InputRegister::Worm => Type::Worm,
                InputRegister::Flit => Type::Flit,
                InputRegister::Enc => Type::Encoding,
                InputRegister::Branches | InputRegister::Taken => Type::Ports(self.lanes.ports),
            },
            Signal::Output(switch, lane, register) => match register {
                OutputRegister::Owner => Type::Owner,
                OutputRegister::Credits => Type::Credits(self.depth_behind(switch, lane)),
                OutputRegister::Valid => Type::Flag,
                OutputRegister::Data => Type::Data(self.flit_bits),
                OutputRegister::Worm => Type::Worm,
                OutputRegister::Flit => Type::Flit,
            },
            Signal::Station(_, register) => match register {
                StationRegister::Here => Type::Flag,
                StationRegister::Holder => Type::Owner,
                StationRegister::Request => Type::Lanes(self.lanes.inputs.count()),
            },
            Signal::Injection(_, _, register) => match register {
                InjectionRegister::Valid => Type::Flag,
                InjectionRegister::Worm => Type::Worm,
                InjectionRegister::Flit => Type::Flit,
                InjectionRegister::Credits => Type::Credits(self.injection_depth),
            },
            Signal::Queue(_, QueueRegister::Length) => Type::Messages,
            Signal::Ejection(_, _, register) => match register {
                EjectionRegister::Valid => Type::Flag,
                EjectionRegister::Worm => Type::Worm,
                EjectionRegister::Flit => Type::Flit,
            },
            Signal::Branch(..) | Signal::Hop(..) => Type::Doing,
            Signal::Block(Instance::Output(switch, lane), wire) => {
                self.wires.type_of(wire, self.depth_behind(switch, lane))
            }
            Signal::Block(_, wire) => self.wires.type_of(wire, self.depth),
            Signal::Clock => Type::Flag,
        }
    }

    /// Depth of the FIFO at the end of an output lane.
    fn depth_behind(&self, switch: SwitchId, lane: u8) -> u32 {
        match self.wiring.output(switch, PortId(self.lanes.outputs.port(lane))) {
            Some(End::Node(_)) => self.consumption_depth,
            _ => self.depth,
        }
    }

    /// Whether the dump has a signal.
    #[must_use]
    pub fn has(&self, signal: Signal) -> bool {
        match signal {
            Signal::Cycle => true,
            Signal::Branch(worm, hop, port) => self.branches.contains(&(worm, hop, Some(port))),
            Signal::Hop(worm, hop) => self.branches.contains(&(worm, hop, None)),
            Signal::Block(instance, wire) => self.is_declared(instance) && self.wires.of(instance).contains(&wire),
            Signal::Clock => self.wires.are_shown(),
            Signal::Input(..)
            | Signal::Output(..)
            | Signal::Station(..)
            | Signal::Injection(..)
            | Signal::Queue(..)
            | Signal::Ejection(..) => signal.instance().is_some_and(|instance| self.is_declared(instance)),
        }
    }

    /// `top.<instance>.<name>` of a signal.
    #[must_use]
    pub fn path(&self, signal: Signal) -> String {
        let scope = self.scope(signal);
        format!("top.{scope}{}{}", if scope.is_empty() { "" } else { "." }, signal.name())
    }

    /// The name of a signal for viewers, if the dump has it. It has a range of bits,
    /// `top.<instance>.<name>[msb:0]`.
    #[must_use]
    pub fn ranged(&self, signal: Signal) -> Option<String> {
        let path = || self.path(signal);
        self.has(signal).then(|| match self.type_of(signal).bits() {
            1 => path(),
            bits => format!("{}[{}:0]", path(), bits - 1),
        })
    }

    /// The signal as a vector of its bits. A viewer gets the names of these values from a file, for
    /// all formats.
    #[must_use]
    pub fn by_bits(&self, signal: Signal) -> Option<String> {
        let (ranged, bits) = (self.ranged(signal)?, self.type_of(signal).bits());
        Some((0..bits).map(|bit| format!("({bit}){ranged}")).collect::<Vec<_>>().join(" "))
    }

    /// Scopes below `top` of a signal, joined by dots.
    fn scope(&self, signal: Signal) -> String {
        match (signal, signal.instance()) {
            (Signal::Branch(worm, ..) | Signal::Hop(worm, _), _) => format!("follow_w{worm}"),
            (Signal::Queue(node, _), _) => Part::Node(node).name(self.wiring),
            (Signal::Block(instance @ Instance::Station(_), wire), _) => {
                format!("{}.{}", Part::of(instance).name(self.wiring), wire.scope())
            }
            (Signal::Block(instance, wire), _) => {
                let lane = self.name_within(instance);
                format!("{}.{lane}.{}", Part::of(instance).name(self.wiring), wire.scope())
            }
            (_, Some(instance)) => {
                format!("{}.{}", Part::of(instance).name(self.wiring), self.name_within(instance))
            }
            (_, None) => String::new(),
        }
    }

    /// Name of an instance within its switch or node.
    fn name_within(&self, instance: Instance) -> String {
        match instance {
            Instance::Input(_, lane) => self.lanes.input_name(lane),
            Instance::Output(_, lane) => self.lanes.output_name(lane),
            Instance::Station(_) => "token".to_owned(),
            Instance::Injection(_, channel) => self.lanes.inject_name(channel),
            Instance::Queue(_) => QueueRegister::Length.name().to_owned(),
            Instance::Ejection(_, channel) => self.lanes.eject_name(channel),
        }
    }

    /// Writes the declarations of all signals.
    ///
    /// # Errors
    /// A write fails.
    pub fn declare<H: Header>(&self, to: &mut H) -> io::Result<()> {
        let mut scopes = Scopes { to, open: Vec::new() };
        scopes.enter("top")?;
        let mut inside = None;
        let tables = Label::ALL.map(|label| labels::enumerated(label, self.lanes));
        for (signal, of) in self.signals() {
            let instance = signal.instance();
            let is_block = matches!(signal, Signal::Block(..));
            if instance.is_none() || instance != inside || is_block {
                scopes.enter(&format!("top.{}", self.scope(signal)))?;
                inside = instance.filter(|_| !is_block);
            }
            if let Some(label) = Label::of(of).filter(|label| label.is_enumerated()) {
                scopes.to.names(label.name(), of.bits(), &tables[label as usize]);
            }
            scopes.to.signal(&signal.name(), of.bits())?;
        }
        scopes.enter("")
    }

    /// Number of signals.
    #[must_use]
    pub fn count(&self) -> u32 {
        self.count
    }

    /// Lane numbering.
    #[must_use]
    pub fn lanes(&self) -> Lanes {
        self.lanes
    }

    /// Number of words of a flit's data.
    #[must_use]
    pub fn data_words(&self) -> usize {
        self.flit_bits.div_ceil(64) as usize
    }

    /// Signals of an input lane; `None` when it is not declared.
    #[must_use]
    #[inline]
    pub fn input(&self, switch: SwitchId, lane: u8) -> Option<Block<InputRegister>> {
        self.inputs.get(switch.index(), lane)
    }

    /// Signals of an output lane.
    #[must_use]
    #[inline]
    pub fn output(&self, switch: SwitchId, lane: u8) -> Option<Block<OutputRegister>> {
        self.outputs.get(switch.index(), lane)
    }

    /// Signals of a switch's station on its token ring.
    #[must_use]
    #[inline]
    pub fn station(&self, switch: SwitchId) -> Option<Block<StationRegister>> {
        self.stations.get(switch.index(), 0)
    }

    /// Signals of an injection channel.
    #[must_use]
    #[inline]
    pub fn injection(&self, node: NodeId, channel: u8) -> Option<Block<InjectionRegister>> {
        self.injections.get(node.index(), channel)
    }

    /// The signal of a node's queue.
    #[must_use]
    #[inline]
    pub fn queue(&self, node: NodeId) -> Option<Block<QueueRegister>> {
        self.queues.get(node.index(), 0)
    }

    /// Signals of a consumption channel.
    #[must_use]
    #[inline]
    pub fn ejection(&self, node: NodeId, channel: u8) -> Option<Block<EjectionRegister>> {
        self.ejections.get(node.index(), channel)
    }

    /// Branches of followed worms, each with the number of its signal, the worm, its hop and port.
    /// An entry without a port is the whole hop.
    pub fn branches(&self) -> impl Iterator<Item = (u32, WormId, usize, Option<PortId>)> {
        (self.first_branch..).zip(&self.branches).map(|(number, &(worm, hop, port))| (number, worm, hop, port))
    }

    /// Names that a glob may mean: instances, or scopes below the one in the glob's first part.
    fn nearest(&self, glob: &str) -> Vec<String> {
        let name = |part: Part| format!("top.{}", part.name(self.wiring));
        let deep = glob.match_indices('.').nth(1).map(|(at, _)| &glob[..at]);
        let mut head = deep.and_then(|g| Selection::new(&[g.to_owned()]).ok());
        let named =
            head.as_mut().and_then(|head| Part::all(self.wiring).find(|part| head.selects(false, || name(*part))));
        match named {
            Some(part) => {
                let scopes = part.instances(self.lanes).filter(|of| !matches!(of, Instance::Queue(_)));
                let scopes = scopes.filter(|instance| self.exists(*instance));
                let scopes = scopes.map(|instance| format!("{}.{}", name(part), self.name_within(instance)));
                spelling::most_like(glob, scopes)
            }
            None => spelling::most_like(glob, iter::once("top".to_owned()).chain(Part::all(self.wiring).map(name))),
        }
    }
}

/// Whether an instance is selected: with its switch or node (`whole`), with its port, or by its own
/// name.
fn selects(selection: &mut Selection, whole: bool, owner: impl Fn() -> String, instance: impl Fn() -> String) -> bool {
    let port = || format!("{}.{}", owner(), instance().split('.').next().unwrap_or_default());
    let with_port = selection.selects(whole, port);
    selection.selects(with_port, || format!("{}.{}", owner(), instance()))
}

/// Place of the declarations in the tree of scopes.
struct Scopes<'a, H> {
    to: &'a mut H,
    open: Vec<String>,
}

impl<H: Header> Scopes<'_, H> {
    /// Leaves scopes and opens other scopes until the scopes of `path` are open.
    fn enter(&mut self, path: &str) -> io::Result<()> {
        let path: Vec<&str> = path.split('.').filter(|scope| !scope.is_empty()).collect();
        let common = self.open.iter().zip(&path).take_while(|(a, b)| a == b).count();
        for _ in self.open.drain(common..) {
            self.to.close()?;
        }
        for scope in &path[common..] {
            self.to.open(scope)?;
            self.open.push((*scope).to_owned());
        }
        Ok(())
    }
}
