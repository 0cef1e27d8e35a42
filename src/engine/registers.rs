//! All registers of a network at the start of a cycle, under the names of the instances. All
//! engines give them, so tests can compare them.

use wormscope_hw::{Encoding, GroupMask, LaneMask, SwitchId, WormId, feedback, reservation, token_ring, token_station};

use super::flit_id::FlitId;

/// Registers of an input lane.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct InRegisters {
    /// Flits in the FIFO.
    pub count: u16,
    /// The flits, front first.
    pub flits: Vec<FlitId>,
    /// The worm in service.
    pub service: Option<Service>,
}

/// A worm in service at an input lane: registers of its header decoder and replication unit.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Service {
    /// The worm.
    pub worm: WormId,
    /// Encoding of its header.
    pub encoding: Encoding,
    /// The rest of its header, as words.
    pub header: Vec<u64>,
    /// The flits that the decision needs are there.
    pub ready: bool,
    /// This switch's own part of the header has been stripped.
    pub stripped: bool,
    /// The branches are decided.
    pub decided: bool,
    /// Once `ready`, the cycle in which the decision ends. Once decided, the cycle of the latest
    /// request for lanes (low 32 bits).
    pub due: u32,
    /// Lane groups of its branches.
    pub branches: GroupMask,
    /// Groups of the decision for which the worm has no lane yet.
    pub wanted: GroupMask,
    /// Output lanes that the worm holds.
    pub lanes: LaneMask,
    /// Held lanes that have the front flit.
    pub taken: LaneMask,
    /// Lanes reserved, with synchronous worms.
    pub lock: reservation::Reg,
}

/// Registers of an output lane.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct OutRegisters {
    /// Credits.
    pub credits: u16,
    /// Input lane that owns the output lane.
    pub owner: Option<u8>,
    /// Whether the owner's head has not crossed yet.
    pub pending: bool,
    /// Flits that the owner's branch has taken and the FIFO has not popped.
    pub read: u16,
    /// Pointer of the output lane's arbiter.
    pub pointer: u8,
    /// For each input, the inputs that the arbiter puts ahead of it.
    pub ahead: Vec<u64>,
    /// Pointer of the lane group, at its lowest lane.
    pub group: u8,
    /// Pointer of the link's multiplexer.
    pub multiplexer: u8,
}

/// Registers of an injection lane.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct InjectRegisters {
    /// Credits.
    pub credits: u16,
    /// The flit of the worm under way that leaves next.
    pub next: Option<FlitId>,
    /// Pointer of the link's multiplexer, at its lowest lane.
    pub multiplexer: u8,
    /// Messages queued at the node.
    pub queue: u32,
}

/// A token ring.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RingRegisters {
    /// Place of the token.
    pub token: token_ring::Reg,
    /// Switch and registers of each station, in the order in which the token visits them.
    pub stations: Vec<(SwitchId, token_station::Reg)>,
}

/// All registers at the start of a cycle, that is after a clock edge. Worms are named by their
/// numbers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Registers {
    /// The cycle.
    pub cycle: u64,
    /// Input lanes, switch-major.
    pub inputs: Vec<InRegisters>,
    /// Output lanes, switch-major.
    pub outputs: Vec<OutRegisters>,
    /// Injection lanes, node-major.
    pub channels: Vec<InjectRegisters>,
    /// Token rings, in the order of their groups.
    pub rings: Vec<RingRegisters>,
    /// With synchronous worms, each worm in the network with the registers of its feedback, in
    /// order of creation.
    pub trees: Vec<(WormId, feedback::Reg)>,
}

impl Registers {
    /// The same registers without the pointers of arbiters and the cycles of past requests. These
    /// registers decide the future for all positions of the pointers. The channels of a link and
    /// the lanes of a group take turns without an arbiter, so their pointers stay.
    #[must_use]
    pub fn without_pointers(mut self) -> Self {
        let services = self.inputs.iter_mut().filter_map(|q| q.service.as_mut());
        services.filter(|service| service.decided).for_each(|service| service.due = 0);
        for q in &mut self.outputs {
            (q.pointer, q.ahead) = (0, Vec::new());
        }
        self.rings.iter_mut().flat_map(|ring| &mut ring.stations).for_each(|(_, q)| q.pointer = 0);
        self
    }
}
