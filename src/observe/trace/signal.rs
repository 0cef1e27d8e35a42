//! Signals of a dump, one by one: the register of each, and the type of its values.
//!
//! This file knows no network and no file. The [`Layout`](super::Layout) gives the signals of a
//! network.

use std::borrow::Cow;

use wormscope_hw::{Encoding, NodeId, PortId, SwitchId, WormId};

use super::wire::Wire;
use crate::engine::{ConsumeSample, FlitId, InSample, InjectSample, OutSample, TokenSample};

/// Value of `enc` that means no worm.
pub(crate) const NO_ENC: u64 = 7;
const _: () = assert!(Encoding::ALL.len() as u64 <= NO_ENC, "an encoding has the number of none");
/// Value of `owner` that means no owner.
pub(crate) const NO_OWNER: u64 = 255;
/// Value of `worm` that means no worm, and value of `flit` that means no flit.
pub(crate) const IDLE: u64 = u32::MAX as u64;

/// Value of `worm` for a worm.
pub(super) fn worm(worm: Option<WormId>) -> u64 {
    worm.map_or(IDLE, |worm| worm.0.into())
}

/// Worm of a value of `worm`.
pub(super) fn worm_of(value: u64) -> Option<WormId> {
    (value != IDLE).then_some(WormId(value as u32))
}

/// Value of `owner` and `holder` for an input lane.
pub(super) fn owner(lane: Option<u8>) -> u64 {
    lane.map_or(NO_OWNER, u64::from)
}

/// Input lane of a value of `owner`.
pub(super) fn owner_of(value: u64) -> Option<u8> {
    (value != NO_OWNER).then_some(value as u8)
}

/// Value of `flit` for an index.
pub(super) fn flit(index: Option<u32>) -> u64 {
    index.map_or(IDLE, u64::from)
}

/// Values of `worm` and `flit` for a flit.
fn worm_and_flit(of: Option<FlitId>) -> (u64, u64) {
    (worm(of.map(|of| of.worm)), flit(of.map(|of| of.index)))
}

/// The registers of one instance. A dump has them side by side, in this order.
pub(crate) trait Register: Copy + 'static {
    /// All registers.
    const ALL: &'static [Self];

    /// Place of the register among all registers.
    fn place(self) -> usize;

    /// Name of the register in a dump.
    fn name(self) -> &'static str;
}

/// Defines registers, each with its name in a dump.
macro_rules! registers {
    ($(#[$doc:meta])* $instance:ident { $($(#[$of:meta])* $register:ident = $name:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub(crate) enum $instance {
            $($(#[$of])* $register,)*
        }

        impl Register for $instance {
            const ALL: &'static [Self] = &[$(Self::$register),*];

            #[inline(always)]
            fn place(self) -> usize {
                self as usize
            }

            fn name(self) -> &'static str {
                match self {
                    $(Self::$register => $name,)*
                }
            }
        }

        impl $instance {
            /// Number of the registers.
            pub const COUNT: usize = [$($name),*].len();
        }
    };
}

registers!(
    /// Registers of an input lane.
    InputRegister {
        /// Flits in its FIFO.
        FifoCount = "fifo_count",
        /// State of its header decoder.
        State = "state",
        /// Worm in service or at the front.
        Worm = "worm",
        /// Flit at the front.
        Flit = "flit",
        /// Encoding of the worm.
        Enc = "enc",
        /// Ports that the worm asks for.
        Branches = "branches",
        /// Ports that took the flit at the front.
        Taken = "taken",
    }
);

registers!(
    /// Registers of an output lane and of the link at its end.
    OutputRegister {
        /// Input lane that owns the output lane.
        Owner = "owner",
        /// Free cells of the FIFO at its end.
        Credits = "credits",
        /// Whether a flit crosses.
        Valid = "valid",
        /// The flit that crossed last, bit for bit.
        Data = "data",
        /// Worm of the crossing flit.
        Worm = "worm",
        /// Index of the crossing flit.
        Flit = "flit",
    }
);

registers!(
    /// Registers of a station of a token ring.
    StationRegister {
        /// Whether the token is here.
        Here = "here",
        /// Input lane that holds the token.
        Holder = "holder",
        /// Input lanes that ask for the token.
        Request = "request",
    }
);

registers!(
    /// Registers of an injection channel.
    InjectionRegister {
        /// Whether a flit leaves.
        Valid = "valid",
        /// Worm of the flit.
        Worm = "worm",
        /// Index of the flit.
        Flit = "flit",
        /// Free cells of the FIFO at its end.
        Credits = "credits",
    }
);

registers!(
    /// Messages of a node that wait for an injection channel.
    QueueRegister {
        /// Number of messages that wait.
        Length = "queue",
    }
);

registers!(
    /// Registers of a consumption channel: the flit that arrives.
    EjectionRegister {
        /// Whether a flit arrives.
        Valid = "valid",
        /// Worm of the flit.
        Worm = "worm",
        /// Index of the flit.
        Flit = "flit",
    }
);

impl InputRegister {
    /// The values of the registers of a lane in a dump.
    #[inline]
    pub fn values(s: &InSample) -> [u64; Self::COUNT] {
        let mut values = [0; Self::COUNT];
        let mut set = |register: Self, value| values[register.place()] = value;
        set(Self::FifoCount, s.fifo_count.into());
        set(Self::State, s.state as u64);
        set(Self::Worm, worm(s.worm));
        set(Self::Flit, flit(s.flit));
        set(Self::Enc, s.enc.map_or(NO_ENC, |enc| enc as u64));
        set(Self::Branches, s.branches.0);
        set(Self::Taken, s.taken.0);
        values
    }
}

impl OutputRegister {
    /// The values of the registers of a lane in a dump. The sample has only the place of `data`.
    #[inline]
    pub fn values(s: &OutSample, data: u64) -> [u64; Self::COUNT] {
        let mut values = [0; Self::COUNT];
        let mut set = |register: Self, value| values[register.place()] = value;
        set(Self::Owner, owner(s.owner));
        set(Self::Credits, s.credits.into());
        let (worm, flit) = worm_and_flit(s.flit);
        set(Self::Valid, s.flit.is_some().into());
        set(Self::Data, data);
        set(Self::Worm, worm);
        set(Self::Flit, flit);
        values
    }
}

impl StationRegister {
    /// The values of the registers of a station in a dump.
    #[inline]
    pub fn values(s: &TokenSample) -> [u64; Self::COUNT] {
        let mut values = [0; Self::COUNT];
        let mut set = |register: Self, value| values[register.place()] = value;
        set(Self::Here, s.here.into());
        set(Self::Holder, owner(s.holder));
        set(Self::Request, s.request.0);
        values
    }
}

impl InjectionRegister {
    /// The values of the registers of a channel in a dump.
    #[inline]
    pub fn values(s: &InjectSample) -> [u64; Self::COUNT] {
        let mut values = [0; Self::COUNT];
        let mut set = |register: Self, value| values[register.place()] = value;
        let (worm, flit) = worm_and_flit(s.flit);
        set(Self::Valid, s.flit.is_some().into());
        set(Self::Worm, worm);
        set(Self::Flit, flit);
        set(Self::Credits, s.credits.into());
        values
    }
}

impl QueueRegister {
    /// The value of the queue before a channel.
    #[inline]
    pub fn values(s: &InjectSample) -> [u64; Self::COUNT] {
        [s.queue.into()]
    }
}

impl EjectionRegister {
    /// The values of a channel in a cycle with an arrival, or in a cycle without one.
    #[inline]
    pub fn values(arrives: Option<&ConsumeSample>) -> [u64; Self::COUNT] {
        let mut values = [0; Self::COUNT];
        let mut set = |register: Self, value| values[register.place()] = value;
        let (worm, flit) = worm_and_flit(arrives.map(|s| s.flit));
        set(Self::Valid, arrives.is_some().into());
        set(Self::Worm, worm);
        set(Self::Flit, flit);
        values
    }
}

/// An instance whose registers a dump shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Instance {
    /// An input lane of a switch.
    Input(SwitchId, u8),
    /// An output lane of a switch.
    Output(SwitchId, u8),
    /// The station of a switch on its token ring.
    Station(SwitchId),
    /// An injection channel of a node.
    Injection(NodeId, u8),
    /// The queue before a node's injection channels.
    Queue(NodeId),
    /// A consumption channel of a node.
    Ejection(NodeId, u8),
}

/// A signal of a dump.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Signal {
    /// The clock.
    Cycle,
    /// A register of an input lane of a switch.
    Input(SwitchId, u8, InputRegister),
    /// A register of an output lane of a switch.
    Output(SwitchId, u8, OutputRegister),
    /// A register of the station of a switch on its token ring.
    Station(SwitchId, StationRegister),
    /// A register of an injection channel of a node.
    Injection(NodeId, u8, InjectionRegister),
    /// The queue before a node's injection channels.
    Queue(NodeId, QueueRegister),
    /// A register of a consumption channel of a node.
    Ejection(NodeId, u8, EjectionRegister),
    /// Activity of a followed worm at a hop, by its number, on the branch to a port.
    Branch(WormId, usize, PortId),
    /// Activity of the whole hop: the activity of its most delayed branch.
    Hop(WormId, usize),
    /// A signal of a block of an instance.
    Block(Instance, Wire),
    /// The clock as a wire: high in the first half of every cycle that is evaluated.
    Clock,
}

/// Type of the values of a signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    /// The number of a cycle.
    Cycle,
    /// Flits in a FIFO of this depth.
    Flits(u32),
    /// Free cells of a FIFO of this depth. At reset all are free.
    Credits(u32),
    /// A number of messages.
    Messages,
    /// A [`LaneState`](crate::engine::LaneState).
    State,
    /// The number of a worm, or [`IDLE`].
    Worm,
    /// The index of a flit within its worm, or [`IDLE`].
    Flit,
    /// A header encoding, or [`NO_ENC`].
    Encoding,
    /// A set of output ports, of this number of ports.
    Ports(u8),
    /// An input lane, or [`NO_OWNER`].
    Owner,
    /// A set of input lanes, of this number of lanes.
    Lanes(u8),
    /// Yes or no.
    Flag,
    /// A flit of this number of bits.
    Data(u32),
    /// A number of this number of bits.
    Number(u32),
    /// 64 bits.
    Word,
    /// Activity of a branch, with a number of 32 bits:
    /// [`Doing::encode`](super::follow::Doing::encode).
    Doing,
}

impl Instance {
    /// Signals of the instance, in the order in which a dump declares them.
    pub fn signals(self) -> impl Iterator<Item = Signal> {
        (0..).map_while(move |place| self.signal(place))
    }

    fn signal(self, place: usize) -> Option<Signal> {
        Some(match self {
            Self::Input(switch, lane) => Signal::Input(switch, lane, *InputRegister::ALL.get(place)?),
            Self::Output(switch, lane) => Signal::Output(switch, lane, *OutputRegister::ALL.get(place)?),
            Self::Station(switch) => Signal::Station(switch, *StationRegister::ALL.get(place)?),
            Self::Injection(node, channel) => Signal::Injection(node, channel, *InjectionRegister::ALL.get(place)?),
            Self::Queue(node) => Signal::Queue(node, *QueueRegister::ALL.get(place)?),
            Self::Ejection(node, channel) => Signal::Ejection(node, channel, *EjectionRegister::ALL.get(place)?),
        })
    }
}

impl Signal {
    /// The instance that has the register.
    #[must_use]
    pub fn instance(self) -> Option<Instance> {
        match self {
            Self::Input(switch, lane, _) => Some(Instance::Input(switch, lane)),
            Self::Output(switch, lane, _) => Some(Instance::Output(switch, lane)),
            Self::Station(switch, _) => Some(Instance::Station(switch)),
            Self::Injection(node, channel, _) => Some(Instance::Injection(node, channel)),
            Self::Queue(node, _) => Some(Instance::Queue(node)),
            Self::Ejection(node, channel, _) => Some(Instance::Ejection(node, channel)),
            Self::Block(instance, _) => Some(instance),
            Self::Cycle | Self::Branch(..) | Self::Hop(..) | Self::Clock => None,
        }
    }

    /// Whether the signal shows an event of a cycle, such as the flit that crosses.
    #[must_use]
    pub fn is_of_crossing_flit(self) -> bool {
        match self {
            Self::Output(_, _, register) => {
                matches!(register, OutputRegister::Valid | OutputRegister::Worm | OutputRegister::Flit)
            }
            Self::Injection(_, _, register) => {
                matches!(register, InjectionRegister::Valid | InjectionRegister::Worm | InjectionRegister::Flit)
            }
            Self::Ejection(_, _, register) => {
                matches!(register, EjectionRegister::Valid | EjectionRegister::Worm | EjectionRegister::Flit)
            }
            Self::Block(_, wire) => wire.is_event(),
            Self::Cycle
            | Self::Input(..)
            | Self::Station(..)
            | Self::Queue(..)
            | Self::Branch(..)
            | Self::Hop(..)
            | Self::Clock => false,
        }
    }

    /// Name of the signal within its scope.
    #[must_use]
    pub fn name(self) -> Cow<'static, str> {
        match self {
            Self::Cycle => "cycle".into(),
            Self::Input(_, _, register) => register.name().into(),
            Self::Output(_, _, register) => register.name().into(),
            Self::Station(_, register) => register.name().into(),
            Self::Injection(_, _, register) => register.name().into(),
            Self::Queue(_, register) => register.name().into(),
            Self::Ejection(_, _, register) => register.name().into(),
            Self::Branch(_, hop, port) => format!("hop{hop}_out{port}").into(),
            Self::Hop(_, hop) => format!("hop{hop}").into(),
            Self::Block(_, wire) => wire.name(),
            Self::Clock => "clk".into(),
        }
    }
}

impl Type {
    /// Number of bits of its values.
    #[must_use]
    pub fn bits(self) -> u32 {
        match self {
            Self::Cycle | Self::Word => 64,
            Self::Flits(most) | Self::Credits(most) => (32 - most.leading_zeros()).max(1),
            Self::Messages | Self::Worm | Self::Flit => 32,
            Self::State | Self::Encoding => 3,
            Self::Ports(count) | Self::Lanes(count) => count.into(),
            Self::Owner => 8,
            Self::Flag => 1,
            Self::Data(bits) | Self::Number(bits) => bits,
            Self::Doing => 35,
        }
    }

    /// The value at reset.
    #[must_use]
    pub fn reset(self) -> u64 {
        match self {
            Self::Credits(all) => all.into(),
            Self::Worm | Self::Flit => IDLE,
            Self::Encoding => NO_ENC,
            Self::Owner => NO_OWNER,
            Self::Cycle
            | Self::Flits(_)
            | Self::Messages
            | Self::State
            | Self::Ports(_)
            | Self::Lanes(_)
            | Self::Flag
            | Self::Data(_)
            | Self::Number(_)
            | Self::Word
            | Self::Doing => 0,
        }
    }
}
