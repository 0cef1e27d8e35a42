//! Events for observers: the commit log of a cycle, worms and deliveries.

use std::num::NonZeroU8;
use std::ops::Deref;

use wormscope_hw::{Encoding, InputMask, NodeId, PortMask, SwitchId, WormId};

use super::banked::SlicedCounters;
use super::flit_id::FlitId;
use super::lane_banks::LaneBanks;
use super::registers::Registers;
use super::snapshot::LaneRef;

/// Nodes that receive a worm, in header order. One destination needs no extra memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Destinations {
    /// A unicast.
    One(NodeId),
    /// Several nodes.
    Many(Box<[NodeId]>),
}

impl Deref for Destinations {
    type Target = [NodeId];

    #[inline]
    fn deref(&self) -> &[NodeId] {
        match self {
            Self::One(node) => std::slice::from_ref(node),
            Self::Many(nodes) => nodes,
        }
    }
}

impl From<Box<[NodeId]>> for Destinations {
    fn from(nodes: Box<[NodeId]>) -> Self {
        if let [node] = *nodes { Self::One(node) } else { Self::Many(nodes) }
    }
}

impl FromIterator<NodeId> for Destinations {
    fn from_iter<I: IntoIterator<Item = NodeId>>(nodes: I) -> Self {
        nodes.into_iter().collect::<Box<[_]>>().into()
    }
}

impl From<Destinations> for Box<[NodeId]> {
    fn from(destinations: Destinations) -> Self {
        match destinations {
            Destinations::One(node) => Box::new([node]),
            Destinations::Many(nodes) => nodes,
        }
    }
}

/// The class of traffic that a worm is measured with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Class {
    /// Number of the class, from 1 on, if the worm has one.
    pub number: Option<NonZeroU8>,
    /// Whether the worm is a part of a message. Then the latency of the message is measured
    /// elsewhere.
    pub is_part: bool,
}

/// A worm as its source creates it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewWorm {
    /// Cycle of creation.
    pub cycle: u64,
    /// Node that sends.
    pub source: NodeId,
    /// Nodes that receive the worm, in header order.
    pub destinations: Destinations,
    /// Header encoding.
    pub encoding: Encoding,
    /// Number of payload flits after the header.
    pub payload_flits: u32,
    /// Class that the worm is measured with.
    pub class: Class,
}

/// A worm as the workload made it. Lengths are in flits, times in cycles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WormInfo {
    /// Number in order of creation.
    pub id: WormId,
    /// Node that sends.
    pub source: NodeId,
    /// Nodes that receive the worm, in header order.
    pub destinations: Destinations,
    /// Header encoding.
    pub encoding: Encoding,
    /// Header flits at injection.
    pub header_flits: u32,
    /// Number of payload flits after the header.
    pub payload_flits: u32,
    /// Cycle of creation.
    pub created: u64,
    /// Whether the worm was created inside the measured window.
    pub measured: bool,
    /// Class that the worm is measured with.
    pub class: Class,
}

/// The arrival of a worm at one destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// The worm.
    pub worm: WormId,
    /// The destination.
    pub destination: NodeId,
    /// Cycle in which the worm's first flit left its source.
    pub injected: u64,
    /// Cycle in which the first flit (head) was at the destination node.
    pub head: u64,
    /// Cycle in which the last flit (tail) was at the destination node.
    pub tail: u64,
    /// Flits that arrived (header residue and payload).
    pub flits: u32,
    /// Consumption channel of the arrival.
    pub channel: u8,
}

wormscope_hw::words!(
    #[derive(Default)]
    /// State of an input lane, as waveforms show it.
    LaneState {
        /// No worm.
        #[default]
        Idle = "IDLE",
        /// Assembling the header: flits of this decision are still missing, or a consumed flit is
        /// being stripped.
        Header = "HEADER",
        /// Routing decision under way (`routing_cycles`).
        Route = "ROUTE",
        /// Waiting for the token of the group.
        Token = "TOKEN",
        /// Waiting for at least one lane that another worm owns.
        Lanes = "LANES",
        /// At least one branch took a flit in this cycle, or the FIFO had no flit (bubble).
        Move = "MOVE",
        /// A flit is at the front, all lanes are held, and no branch could take it: no credit or
        /// held by a sibling branch.
        Blocked = "BLOCKED",
        /// The lanes of the head are reserved, and the head waits for the other heads of its
        /// synchronous worm.
        Heads = "HEADS",
    }
);

/// An input lane in one cycle: its registers in this cycle, and the decisions of this cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InSample {
    /// The switch.
    pub switch: SwitchId,
    /// Input lane of the switch, port-major.
    pub lane: u8,
    /// State of the lane in this cycle.
    pub state: LaneState,
    /// Header encoding of the worm at the front or in service.
    pub enc: Option<Encoding>,
    /// Flits in the FIFO at the start of the cycle.
    pub fifo_count: u16,
    /// Worm in service or at the front.
    pub worm: Option<WormId>,
    /// Index of the flit at the front within its worm as injected.
    pub flit: Option<u32>,
    /// Output ports of the branch set (none before the decision).
    pub branches: PortMask,
    /// Output ports whose branch had taken the flit at the front before this cycle.
    pub taken: PortMask,
    /// Waits of its branches in this cycle.
    pub waits: LinkWaits,
}

/// Output ports whose links a worm cannot cross in a cycle, by the causes of
/// [`CycleAccount`](crate::CycleAccount).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinkWaits {
    /// The branch owns its lane, but the lane has no credit. Links to nodes count too.
    pub no_credit: PortMask,
    /// The branch waits for a lane that another worm owns, or for its turn on the link.
    pub lane_wait: PortMask,
}

/// An output lane in one cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutSample {
    /// The switch.
    pub switch: SwitchId,
    /// Output lane of the switch, port-major.
    pub lane: u8,
    /// Input lane that owns the output lane in this cycle (grants of this cycle included).
    pub owner: Option<u8>,
    /// Credits at the start of the cycle.
    pub credits: u16,
    /// Flit that crosses in this cycle.
    pub flit: Option<FlitId>,
    /// Index of the flit's data in [`CommitLog::words`]; meaningful when a flit crosses.
    pub data: u32,
}

/// An injection channel in one cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InjectSample {
    /// The node.
    pub node: NodeId,
    /// Injection channel.
    pub channel: u8,
    /// Credits at the start of the cycle.
    pub credits: u16,
    /// Flit that leaves in this cycle.
    pub flit: Option<FlitId>,
    /// Number of messages that wait at the node, the message under way included.
    pub queue: u32,
    /// Reason why the worm under way does not move, or `None`.
    pub waits: Option<InjectWait>,
}

/// Reason why a worm under way does not leave its node in a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InjectWait {
    /// The lane has no credit, or is stalled.
    NoCredit,
    /// Another lane of the link sends in this cycle.
    Turn,
}

/// A flit at a consumption channel in this cycle. Channels without a sample are silent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConsumeSample {
    /// The node.
    pub node: NodeId,
    /// Consumption channel.
    pub channel: u8,
    /// Flit that arrives.
    pub flit: FlitId,
}

/// A station of a token ring in one cycle. There are samples while a worm wants or holds the ring's
/// token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenSample {
    /// Switch of the station.
    pub switch: SwitchId,
    /// The token is here in this cycle, passing or held.
    pub here: bool,
    /// Input lane whose worm holds the token in this cycle (captures of this cycle included).
    pub holder: Option<u8>,
    /// Input lanes whose worms wait for the token in this cycle.
    pub request: InputMask,
}

/// The changes of one cycle. A lane that is not listed holds its values. An output or injection
/// channel with a flit in the cycle before is listed again when it falls silent.
#[derive(Clone, Debug, Default)]
pub struct CommitLog {
    /// The cycle.
    pub cycle: u64,
    /// The samples of the lanes of switches. The observer may read fewer. The kind is the same from
    /// the first to the last cycle.
    pub samples: Samples,
    /// With [`Samples::Banks`] and [`Samples::Changes`], the banks with evaluated switches. A bank
    /// may come more than once, with other switches.
    pub banks: Vec<BankSample>,
    /// With [`Samples::Banks`] and [`Samples::Changes`], the places of lanes in the banks. They are
    /// the same from the first to the last cycle.
    pub places: Option<LaneBanks>,
    /// With [`Samples::Changes`], the output lanes that are granted in this cycle.
    pub grants: Vec<Grant>,
    /// Input lanes, every lane at most once.
    pub inputs: Vec<InSample>,
    /// Output lanes, every lane at most once.
    pub outputs: Vec<OutSample>,
    /// Injection channels, every one at most once.
    pub injections: Vec<InjectSample>,
    /// Flits taken by the nodes in this cycle.
    pub consumptions: Vec<ConsumeSample>,
    /// Stations of token rings that have changed, every one at most once.
    pub tokens: Vec<TokenSample>,
    /// Data of the crossing flits, `ceil(flit_bits / 64)` words each, bit 0 first.
    pub words: Vec<u64>,
}

impl CommitLog {
    /// Whether nothing has changed.
    #[must_use]
    pub(crate) fn is_empty(&self) -> bool {
        let lanes = self.banks.is_empty() && self.inputs.is_empty() && self.outputs.is_empty();
        lanes && self.injections.is_empty() && self.consumptions.is_empty() && self.tokens.is_empty()
    }

    /// Forgets the changes.
    pub(crate) fn clear(&mut self) {
        let Self { cycle: _, samples: _, places: _, banks, grants, inputs, outputs, .. } = self;
        let Self { injections, consumptions, tokens, words, .. } = self;
        banks.clear();
        grants.clear();
        inputs.clear();
        outputs.clear();
        injections.clear();
        consumptions.clear();
        tokens.clear();
        words.clear();
    }
}

/// Samples of the lanes of switches in a [`CommitLog`]. Each kind takes more time than those
/// before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Samples {
    /// Nothing.
    Nothing,
    /// All lanes side by side, as [`BankSample`]. [`CommitLog::outputs`] has only the heads, and
    /// all flits that leave for nodes. [`CommitLog::injections`] has at least the flits that leave
    /// their sources, and the credits that come back there. It need not say what waits.
    Banks,
    /// The same, and what changes at single lanes. The outputs come bank by bank, in the order of
    /// [`CommitLog::banks`]. [`CommitLog::inputs`] leaves out worms with one branch that move as in
    /// the cycle before. [`CommitLog::grants`] has the grants.
    Changes,
    /// All output lanes, one by one.
    Outputs,
    /// All input lanes and output lanes, one by one.
    #[default]
    Lanes,
}

impl Samples {
    /// The samples for two observers.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            // Outputs have no inputs, and changes not all outputs.
            (Self::Changes, Self::Outputs) | (Self::Outputs, Self::Changes) => Self::Lanes,
            _ => self.max(other),
        }
    }
}

/// An output lane that an input lane gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grant {
    /// The switch.
    pub switch: SwitchId,
    /// Output lane of the switch, port-major.
    pub lane: u8,
    /// Input lane that gets it.
    pub owner: u8,
    /// Credits of the output lane at the start of the cycle.
    pub credits: u16,
}

/// The lanes of a bank of switches in one cycle. In masks and counters, the lanes of a switch have
/// the bits that [`LaneBanks`] says. Input lanes and output lanes have the same
/// bits.
#[derive(Clone, Debug)]
pub struct BankSample {
    /// Number of the bank.
    pub bank: u32,
    /// Bits of the switches that were evaluated. Only these count in the other fields.
    pub live: u64,
    /// Flits in the FIFO of each input lane at the start of the cycle.
    pub flits: SlicedCounters,
    /// Credits of each output lane at the start of the cycle.
    pub credits: SlicedCounters,
    /// Output lanes that a flit crosses.
    pub crossed: u64,
    /// Output lanes that a tail crosses.
    pub tails: u64,
}

/// An observer of a run. It changes no bit of the run.
pub trait Observer {
    /// Whether the engine keeps a commit log for this observer. If not, it never calls
    /// [`Observer::commit`].
    const COMMITS: bool = false;
    /// Whether the engine reports departures to this observer. If not, it never calls
    /// [`Observer::departed`].
    const DEPARTURES: bool = false;
    /// Whether planes report worms that cross output lanes to this observer. If not, they never
    /// call [`Observer::crossed`].
    const CROSSINGS: bool = false;

    /// Receives all changes of one cycle. Cycles without change are not reported.
    fn commit(&mut self, _log: &CommitLog) {}

    /// Whether the observer wants more commits. Without commits, a run is faster. An observer that
    /// has returned false once returns false for ever.
    fn wants_commits(&self) -> bool {
        Self::COMMITS
    }

    /// Samples of the lanes of switches that the observer reads. An engine may tell it more. The
    /// kind is the same from the first to the last cycle.
    fn samples(&self) -> Samples {
        if Self::COMMITS { Samples::Lanes } else { Samples::Nothing }
    }

    /// Receives a worm in its cycle of creation, before it queues.
    fn created(&mut self, _worm: &WormInfo) {}

    /// Receives the complete arrival of a worm at one of its destinations, in the cycle in which
    /// its tail arrives.
    fn delivered(&mut self, _worm: &WormInfo, _delivery: &Delivery) {}

    /// Receives a worm in `cycle`, in which its last flit leaves its source.
    fn departed(&mut self, _worm: &WormInfo, _cycle: u64) {}

    /// Receives a worm that has crossed an output lane with its first `flits` flits. These are all
    /// of its flits, unless the run ends before its tail crosses. The worms of a lane come in
    /// order. Only planes report them; the banked engine has commits.
    fn crossed(&mut self, _worm: &WormInfo, _lane: LaneRef, _flits: u32) {}

    /// Receives the cycle in which a node queues the worm that was created last. The software of a
    /// node may queue it later than its message.
    fn handed(&mut self, _cycle: u64) {}

    /// Receives payload flits that the software takes out of the receive buffer of a consumption
    /// channel in `cycle`. The channel has space for them in the cycle after it.
    fn freed(&mut self, _cycle: u64, _node: NodeId, _channel: u8, _flits: u32) {}

    /// Whether the observer wants [`Observer::registers`], which takes time.
    fn wants_registers(&self) -> bool {
        false
    }

    /// Receives all registers at the start of a cycle, after the commit of the cycle before. Cycles
    /// without an evaluation are not reported.
    fn registers(&mut self, _registers: &Registers) {}

    /// Whether the run should stop early, for example because the observer can no longer write.
    fn stop(&self) -> bool {
        false
    }
}

impl Observer for () {}

/// Keeps every delivery, in the order of the reports.
impl Observer for Vec<Delivery> {
    fn delivered(&mut self, _: &WormInfo, delivery: &Delivery) {
        self.push(*delivery);
    }
}

impl<A: Observer, B: Observer> Observer for (A, B) {
    const COMMITS: bool = A::COMMITS || B::COMMITS;
    const DEPARTURES: bool = A::DEPARTURES || B::DEPARTURES;
    const CROSSINGS: bool = A::CROSSINGS || B::CROSSINGS;

    fn commit(&mut self, log: &CommitLog) {
        self.0.commit(log);
        self.1.commit(log);
    }

    fn created(&mut self, worm: &WormInfo) {
        self.0.created(worm);
        self.1.created(worm);
    }

    fn delivered(&mut self, worm: &WormInfo, delivery: &Delivery) {
        self.0.delivered(worm, delivery);
        self.1.delivered(worm, delivery);
    }

    fn departed(&mut self, worm: &WormInfo, cycle: u64) {
        self.0.departed(worm, cycle);
        self.1.departed(worm, cycle);
    }

    fn crossed(&mut self, worm: &WormInfo, lane: LaneRef, flits: u32) {
        self.0.crossed(worm, lane, flits);
        self.1.crossed(worm, lane, flits);
    }

    fn handed(&mut self, cycle: u64) {
        self.0.handed(cycle);
        self.1.handed(cycle);
    }

    fn freed(&mut self, cycle: u64, node: NodeId, channel: u8, flits: u32) {
        self.0.freed(cycle, node, channel, flits);
        self.1.freed(cycle, node, channel, flits);
    }

    fn wants_commits(&self) -> bool {
        self.0.wants_commits() || self.1.wants_commits()
    }

    fn samples(&self) -> Samples {
        self.0.samples().and(self.1.samples())
    }

    fn wants_registers(&self) -> bool {
        self.0.wants_registers() || self.1.wants_registers()
    }

    fn registers(&mut self, registers: &Registers) {
        self.0.registers(registers);
        self.1.registers(registers);
    }

    fn stop(&self) -> bool {
        self.0.stop() || self.1.stop()
    }
}

impl<T: Observer> Observer for &mut T {
    const COMMITS: bool = T::COMMITS;
    const DEPARTURES: bool = T::DEPARTURES;
    const CROSSINGS: bool = T::CROSSINGS;

    fn commit(&mut self, log: &CommitLog) {
        (**self).commit(log);
    }

    fn created(&mut self, worm: &WormInfo) {
        (**self).created(worm);
    }

    fn delivered(&mut self, worm: &WormInfo, delivery: &Delivery) {
        (**self).delivered(worm, delivery);
    }

    fn departed(&mut self, worm: &WormInfo, cycle: u64) {
        (**self).departed(worm, cycle);
    }

    fn crossed(&mut self, worm: &WormInfo, lane: LaneRef, flits: u32) {
        (**self).crossed(worm, lane, flits);
    }

    fn handed(&mut self, cycle: u64) {
        (**self).handed(cycle);
    }

    fn freed(&mut self, cycle: u64, node: NodeId, channel: u8, flits: u32) {
        (**self).freed(cycle, node, channel, flits);
    }

    fn wants_commits(&self) -> bool {
        (**self).wants_commits()
    }

    fn samples(&self) -> Samples {
        (**self).samples()
    }

    fn wants_registers(&self) -> bool {
        (**self).wants_registers()
    }

    fn registers(&mut self, registers: &Registers) {
        (**self).registers(registers);
    }

    fn stop(&self) -> bool {
        (**self).stop()
    }
}

impl<T: Observer> Observer for Option<T> {
    const COMMITS: bool = T::COMMITS;
    const DEPARTURES: bool = T::DEPARTURES;
    const CROSSINGS: bool = T::CROSSINGS;

    fn commit(&mut self, log: &CommitLog) {
        if let Some(o) = self {
            o.commit(log);
        }
    }

    fn created(&mut self, worm: &WormInfo) {
        if let Some(o) = self {
            o.created(worm);
        }
    }

    fn delivered(&mut self, worm: &WormInfo, delivery: &Delivery) {
        if let Some(o) = self {
            o.delivered(worm, delivery);
        }
    }

    fn departed(&mut self, worm: &WormInfo, cycle: u64) {
        if let Some(o) = self {
            o.departed(worm, cycle);
        }
    }

    fn crossed(&mut self, worm: &WormInfo, lane: LaneRef, flits: u32) {
        if let Some(o) = self {
            o.crossed(worm, lane, flits);
        }
    }

    fn handed(&mut self, cycle: u64) {
        if let Some(o) = self {
            o.handed(cycle);
        }
    }

    fn freed(&mut self, cycle: u64, node: NodeId, channel: u8, flits: u32) {
        if let Some(o) = self {
            o.freed(cycle, node, channel, flits);
        }
    }

    fn wants_commits(&self) -> bool {
        self.iter().any(Observer::wants_commits)
    }

    fn samples(&self) -> Samples {
        self.as_ref().map_or(Samples::Nothing, Observer::samples)
    }

    fn wants_registers(&self) -> bool {
        self.iter().any(Observer::wants_registers)
    }

    fn registers(&mut self, registers: &Registers) {
        if let Some(o) = self {
            o.registers(registers);
        }
    }

    fn stop(&self) -> bool {
        self.iter().any(Observer::stop)
    }
}

/// Several observers of one kind.
#[derive(Clone, Debug, Default)]
pub struct Observers<T>(pub Vec<T>);

impl<T: Observer> Observer for Observers<T> {
    const COMMITS: bool = T::COMMITS;
    const DEPARTURES: bool = T::DEPARTURES;
    const CROSSINGS: bool = T::CROSSINGS;

    fn commit(&mut self, log: &CommitLog) {
        for o in &mut self.0 {
            o.commit(log);
        }
    }

    fn created(&mut self, worm: &WormInfo) {
        for o in &mut self.0 {
            o.created(worm);
        }
    }

    fn delivered(&mut self, worm: &WormInfo, delivery: &Delivery) {
        for o in &mut self.0 {
            o.delivered(worm, delivery);
        }
    }

    fn departed(&mut self, worm: &WormInfo, cycle: u64) {
        for o in &mut self.0 {
            o.departed(worm, cycle);
        }
    }

    fn crossed(&mut self, worm: &WormInfo, lane: LaneRef, flits: u32) {
        for o in &mut self.0 {
            o.crossed(worm, lane, flits);
        }
    }

    fn handed(&mut self, cycle: u64) {
        for o in &mut self.0 {
            o.handed(cycle);
        }
    }

    fn freed(&mut self, cycle: u64, node: NodeId, channel: u8, flits: u32) {
        for o in &mut self.0 {
            o.freed(cycle, node, channel, flits);
        }
    }

    fn wants_commits(&self) -> bool {
        self.0.iter().any(Observer::wants_commits)
    }

    fn samples(&self) -> Samples {
        self.0.iter().map(Observer::samples).max().unwrap_or(Samples::Nothing)
    }

    fn wants_registers(&self) -> bool {
        self.0.iter().any(Observer::wants_registers)
    }

    fn registers(&mut self, registers: &Registers) {
        for o in &mut self.0 {
            o.registers(registers);
        }
    }

    fn stop(&self) -> bool {
        self.0.iter().any(Observer::stop)
    }
}

/// Recognisable payload: word `word` of flit `flit` of worm `id`, in flits of `flit_bits` bits. The
/// last word has only the remaining bits.
///
/// A whole word has three fields. Bits 63..48 have the low bits of the worm's number. Bits 47..16
/// have the flit's index, and bits 15..0 the number of the word. A narrower word is the only word
/// of a narrow flit, or the last word where 64 does not divide the width. Its upper half has the
/// worm and its lower half the index, each folded to fit.
#[must_use]
pub fn payload_word(id: WormId, flit: u32, word: u32, flit_bits: u32) -> u64 {
    let bits = flit_bits - 64 * word;
    if bits >= 64 {
        return (u64::from(id.0) & 0xffff) << 48 | u64::from(flit) << 16 | u64::from(word) & 0xffff;
    }
    let lower = bits.div_ceil(2);
    folded(id.0, bits - lower) << lower | folded(flit, lower)
}

/// The sum of a number's digits of `bits` bits, modulo 2^`bits`. A number that fits is its own sum.
/// Unlike the exclusive or of the digits, the sum differs for a number and its successor if digits
/// have 4 bits or more. The reason is that every digit that overflows adds 1 as well.
fn folded(number: u32, bits: u32) -> u64 {
    if bits == 0 {
        return 0;
    }
    let mask = (1 << bits) - 1;
    let (mut rest, mut sum) = (u64::from(number), 0);
    while rest > 0 {
        sum += rest & mask;
        rest >>= bits;
    }
    sum & mask
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn payload_is_read_off_the_digits_at_every_width() {
        let data = |worm, flit, flit_bits: u32| {
            let words = (0..flit_bits.div_ceil(64)).rev();
            words
                .map(|word| format!("{:x}", payload_word(WormId(worm), flit, word, flit_bits)))
                .collect::<Vec<_>>()
                .join(" ")
        };
        for (flit_bits, of_small, of_large) in [
            (8, "25", "3c"),
            (16, "205", "1248"),
            (32, "20005", "120345"),
            (63, "200000005", "1200000345"),
            (64, "2000000050000", "12000003450000"),
            (65, "0 2000000050000", "1 12000003450000"),
            (100, "80005 2000000050000", "480345 12000003450000"),
            (128, "2000000050001 2000000050000", "12000003450001 12000003450000"),
        ] {
            // In digits of 4 bits, 0x12 and 0x345 give 3 and 0xc. In digits of 8 bits they give
            // 0x12 and 0x48. In single bits they give 2 and 5.
            assert_eq!((data(2, 5, flit_bits), data(0x12, 0x345, flit_bits)), (of_small.into(), of_large.into()));
        }
    }

    #[test]
    fn payload_differs_from_that_of_the_next_flit_and_of_the_next_worm() {
        for flit_bits in 8..=200_u32 {
            for n in (0..5_000).chain([0x00ff_ffff - 1, 0x0fff_ffff, u32::MAX - 1]) {
                let all = [(7, n), (7, n + 1), (n, 7), (n + 1, 7)].map(|(worm, flit)| {
                    (0..flit_bits.div_ceil(64))
                        .map(|word| payload_word(WormId(worm), flit, word, flit_bits))
                        .collect::<Vec<_>>()
                });
                assert!(all[0] != all[1] && all[2] != all[3], "{flit_bits} bits, {n}: {all:x?}");
            }
        }
    }
}
