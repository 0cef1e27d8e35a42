//! The commit log: what changes in a cycle.

use wormscope_hw::{Encoding, InputMask, NodeId, PortMask, SwitchId, WormId};

use crate::banked::SlicedCounters;
use crate::flit_id::FlitId;
use crate::lane_banks::LaneBanks;

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
