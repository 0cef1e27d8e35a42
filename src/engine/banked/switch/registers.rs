//! Parameters and registers of a switch.

use crate::banked::address::{Far, Line};
use crate::banked::counter::SlicedCounters;
use crate::stats::CycleAccount;
use nonmax::NonMaxU8;
use wormscope_hw::{Arbiter, Encoding, LaneChoice, Replication, lane_group};

/// Lanes of a bank of switches, of inputs and of outputs; as many as a word has bits.
pub const LANES: usize = 64;

/// Constants of a switch, the same for all switches of a network.
#[derive(Clone, Debug)]
pub(crate) struct Params {
    /// Input lanes of a switch, at most 64.
    pub in_lanes: u8,
    /// Output lanes of a switch, at most 64.
    pub out_lanes: u8,
    /// Fields of a mask for the switches of a bank.
    pub fields: Fields,
    /// FIFO depth in flits.
    pub fifo_depth: u16,
    /// Cycles of the routing decision.
    pub routing_cycles: u32,
    /// A granted head crosses in the cycle after the grant, not in the cycle of the grant.
    pub allocation_register: bool,
    /// Whether the decision starts with the head.
    pub overlapped: bool,
    /// Replication mode.
    pub replication: Replication,
    /// All lanes of a worm at once or none.
    pub atomic: bool,
    /// Kind of the arbiters of lanes.
    pub arbiter: Arbiter,
    /// Rule that chooses the next lane of a group.
    pub lane_choice: LaneChoice,
    /// The input lanes of a switch in the order in which arbiters count them.
    pub order: [u8; 64],
    /// The place of each input lane in `order`.
    pub rank: [u8; 64],
    /// Flits of a part of a header, by the number of the encoding.
    pub part_flits: [u16; Encoding::ALL.len()],
    /// Output lanes of each lane group, numbered within the switch.
    pub group_lanes: [u64; 64],
    /// Lowest lane of the physical link of each output lane: first for links to switches, then for
    /// links to nodes.
    pub link_first: [[u8; 64]; 2],
    /// Lanes of a physical link to a switch, and of one to a node.
    pub link_lanes: [u8; 2],
    /// Some physical link has more than one lane.
    pub shared_links: bool,
    /// Some switch has a station of a token ring.
    pub token_ring: bool,
}

/// Registers of an input lane that each flit which leaves it needs. They are separate, so that many
/// fit into a cache.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reader {
    /// Output lanes held, tails not yet crossed.
    pub lanes: u64,
    /// Line through which its credits leave.
    pub from: Line,
    /// Slot of the front flit in the FIFO.
    pub read: u16,
}

impl Reader {
    /// Register of an idle lane with an empty FIFO.
    #[must_use]
    pub const fn idle(from: Line) -> Self {
        Self { lanes: 0, from, read: 0 }
    }
}

/// The other registers of one input lane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct InLane {
    /// Lane groups still wanted.
    pub wanted: u64,
    /// Lane groups of the whole branch set of the worm that was decided last.
    pub branches: u64,
    /// Held lanes that have taken the front flit.
    pub taken: u64,
    /// Lanes of several branches that had no credit at the last look (for observers only).
    pub starved: u64,
    /// Header of the worm in service, as [`super::Pins`] numbers it (unicast: the destination
    /// itself).
    pub image: u32,
    /// First cycle (low 32 bits) for which its [`Waits`], or its waits for the header, are not
    /// accounted yet.
    pub since: u32,
    /// Routing decision due in this cycle (low 32 bits); once decided, cycle of the (latest)
    /// request for lanes.
    pub due: u32,
    /// Worm in service. Reservations, and arbiters that compare ages, read it.
    pub worm: u32,
    /// Branches that do not move (for the account only).
    pub waits: Waits,
    /// Far end that sends its flits and receives its credits.
    pub from: Far,
    /// Encoding of the worm in service.
    pub enc: Encoding,
    /// The flits of the decision are there: `due` is set.
    pub ready: bool,
    /// Own address or mask stripped.
    pub stripped: bool,
}

impl InLane {
    /// Registers of an idle lane.
    #[must_use]
    pub const fn idle(from: Far) -> Self {
        Self {
            wanted: 0,
            branches: 0,
            taken: 0,
            starved: 0,
            image: 0,
            since: 0,
            due: 0,
            worm: 0,
            waits: Waits::NONE,
            from,
            enc: Encoding::Unicast,
            ready: false,
            stripped: false,
        }
    }
}

/// Branches of a decided worm by the cause of their wait. The counts are valid until the next
/// evaluation of the switch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Waits {
    /// Branches that wait for a credit of the next switch.
    pub credit: u8,
    /// Branches that wait for a credit of the node.
    pub endpoint: u8,
    /// Branches that wait for a lane.
    pub lane: u8,
    /// Branches that wait for a sibling branch.
    pub sibling: u8,
    /// Branches that wait for the token.
    pub token: u8,
}

impl Waits {
    /// Nobody waits.
    pub const NONE: Self = Self { credit: 0, endpoint: 0, lane: 0, sibling: 0, token: 0 };
}

/// Registers of an output lane that each flit which crosses it needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Writer {
    /// Flits that crossed (for observers only).
    pub flits: u64,
    /// Line through which its flits leave.
    pub to: Line,
    /// Slot of the next FIFO into which the next flit goes.
    pub write: u16,
}

impl Writer {
    /// Register of a free lane to an empty FIFO.
    #[must_use]
    pub const fn free(to: Line) -> Self {
        Self { flits: 0, to, write: 0 }
    }
}

/// The other registers of one output lane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OutLane {
    /// Far end of the lane.
    pub to: Far,
    /// Read pointer of the branch, relative to the front (buffered, sequential).
    pub ahead: u16,
    /// Input lane that owns the output lane.
    pub owner: Option<NonMaxU8>,
    /// Arbiter pointer, a place in [`Params::order`]. The atomic allocator uses the pointer of the
    /// switch's lowest lane.
    pub pointer: u8,
    /// Registers of the lane group, which numbers lanes within the switch. Only the lowest lane of
    /// the group uses them.
    pub group: lane_group::Reg,
    /// If a choice is imposed on the arbiter: at its next grant, the arbiter chooses the first
    /// asking input from this input on.
    pub imposed: Option<NonMaxU8>,
    /// The input lane that got the last grant of the output lane (for observers only).
    pub winner: Option<NonMaxU8>,
    /// Round-robin pointer of the link among its lanes. Only the lowest lane of the link uses it.
    pub mux: u8,
    /// Cycle (low 32 bits) of the grant (for observers only).
    pub granted_at: u32,
    /// Counters of the run so far (for observers only).
    pub counters: LaneCounters,
}

/// Counters of an output lane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LaneCounters {
    /// Cycles in which the owner had a flit but no credit.
    pub blocked: u64,
    /// The worm that held the lane longest.
    pub top_worm: u32,
    /// Cycles for which that worm held the lane; 0 if no worm held it.
    pub top_held: u32,
}

impl OutLane {
    /// Input lane that owns the output lane.
    #[inline(always)]
    pub fn owner(&self) -> Option<u8> {
        self.owner.map(|owner| owner.get())
    }

    /// Registers of a free lane.
    #[must_use]
    pub const fn free(to: Far) -> Self {
        Self {
            to,
            ahead: 0,
            owner: None,
            pointer: 0,
            group: lane_group::Reg { pointer: 0 },
            imposed: None,
            winner: None,
            mux: 0,
            granted_at: 0,
            counters: LaneCounters { blocked: 0, top_worm: 0, top_held: 0 },
        }
    }
}

/// Division of the masks of lanes among the switches of a bank. Each switch has a field, from bit 0
/// on. The width of a field is the larger number of inputs and outputs of a switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fields {
    /// Bits of a field.
    pub width: u8,
    /// Fields of a mask.
    pub count: u8,
    /// The highest bit of each field.
    high: u64,
    /// All bits of all fields.
    all: u64,
    /// By bit, the lowest one of its field.
    first: [u8; 64],
    /// By bit, the number of its field.
    index: [u8; 64],
}

impl Fields {
    /// The largest number of fields of `width` bits (1 to 64) in a mask.
    #[must_use]
    pub const fn new(width: u8) -> Self {
        let (count, one) = (64 / width, u64::MAX >> (64 - width));
        let (mut high, mut all, mut first, mut index) = (0, 0, [0; 64], [0; 64]);
        let mut bit = 0;
        while bit < count * width {
            first[bit as usize] = bit / width * width;
            index[bit as usize] = bit / width;
            all |= 1 << bit;
            high |= (one ^ one >> 1) << first[bit as usize];
            bit += 1;
        }
        Self { width, count, high, all, first, index }
    }

    /// Bits of all fields together, at most [`LANES`].
    #[must_use]
    pub const fn bits(&self) -> usize {
        self.width as usize * self.count as usize
    }

    /// All bits of all fields.
    #[must_use]
    #[inline(always)]
    pub const fn all(&self) -> u64 {
        self.all
    }

    /// For several masks one after the other: the mask of field `n`, and the lowest bit of the
    /// field in this mask.
    #[must_use]
    #[inline(always)]
    pub const fn place(&self, n: u32) -> (u32, u8) {
        (n / self.count as u32, (n % self.count as u32) as u8 * self.width)
    }

    /// For several masks one after the other: the field of a bit, and the number of the bit in that
    /// field.
    #[must_use]
    #[inline(always)]
    pub const fn owner(&self, mask: u32, bit: u8) -> (u32, u8) {
        let (index, first) = (self.index[bit as usize % 64], self.first[bit as usize % 64]);
        (mask * self.count as u32 + index as u32, bit - first)
    }

    /// All bits of one of several masks that have `n` fields together.
    #[must_use]
    pub const fn used(&self, mask: u32, n: u32) -> u64 {
        let left = n - mask * self.count as u32;
        if left >= self.count as u32 { self.all } else { self.all & !(u64::MAX << (left * self.width as u32)) }
    }

    /// The lowest bit of the field of `bit`.
    #[must_use]
    #[inline(always)]
    pub const fn first(&self, bit: usize) -> u8 {
        self.first[bit]
    }

    /// All bits of the field that begins at bit `first`.
    #[must_use]
    #[inline(always)]
    pub const fn field(&self, first: u8) -> u64 {
        (u64::MAX >> (64 - self.width)) << first
    }

    /// The highest bits of the fields of which `mask` has a bit.
    #[must_use]
    #[inline(always)]
    pub const fn any(&self, mask: u64) -> u64 {
        let low = self.all & !self.high;
        // The sum carries into the highest bit if a lower bit is set.
        (((mask & low) + low) | mask) & self.high
    }

    /// All bits of the fields of which `mask` has a bit.
    #[must_use]
    #[inline(always)]
    pub const fn whole(&self, mask: u64) -> u64 {
        let high = self.any(mask);
        high | (high - (high >> (self.width - 1)))
    }
}

/// Registers of the switches of a bank, one bit a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reg {
    /// Inputs with a flit in the FIFO.
    pub occupied: u64,
    /// Inputs with a worm in service whose branches are not decided.
    pub deciding: u64,
    /// Inputs with a decided worm.
    pub active: u64,
    /// Inputs that ask for a lane.
    pub asking: u64,
    /// Inputs whose worm has one branch, a flit for it and no credit, and inputs whose worm waits
    /// for the token.
    pub blocked: u64,
    /// Inputs whose decided worm has several branches.
    pub replicating: u64,
    /// Outputs without owner.
    pub free: u64,
    /// Outputs with credit.
    pub credit: u64,
    /// Outputs through which no flit of the owner has crossed yet.
    pub pending: u64,
    /// Requests and free lanes since the last grants, or a wanted token that is here. A switch
    /// without such a bit in its field has nothing to grant.
    pub arbitrate: u64,
    /// Flits in the FIFOs of the inputs.
    pub flits: SlicedCounters,
    /// Credits of the outputs for the FIFOs at the ends of their links.
    pub credits: SlicedCounters,
}

impl Reg {
    /// Registers with empty FIFOs of `depth` flits and no flits under way. The outputs can have up
    /// to `most` credits, but have no credits yet.
    #[must_use]
    pub const fn idle(depth: u16, most: u16) -> Self {
        Self {
            occupied: 0,
            deciding: 0,
            active: 0,
            asking: 0,
            blocked: 0,
            replicating: 0,
            free: 0,
            credit: 0,
            pending: 0,
            arbitrate: 0,
            flits: SlicedCounters::new(depth),
            credits: SlicedCounters::new(most),
        }
    }

    /// Inputs whose worm holds its one lane and is not known to lack a credit.
    #[inline(always)]
    pub(super) const fn streaming(&self) -> u64 {
        self.active & !(self.asking | self.blocked | self.replicating)
    }

    /// The registers of one switch, the one whose field begins at bit `first`; its lanes are
    /// numbered from 0.
    #[must_use]
    pub fn of(&self, fields: &Fields, first: u8) -> Self {
        let field = fields.field(0);
        Self {
            occupied: self.occupied >> first & field,
            deciding: self.deciding >> first & field,
            active: self.active >> first & field,
            asking: self.asking >> first & field,
            blocked: self.blocked >> first & field,
            replicating: self.replicating >> first & field,
            free: self.free >> first & field,
            credit: self.credit >> first & field,
            pending: self.pending >> first & field,
            arbitrate: self.arbitrate >> first & field,
            flits: self.flits.of(first, field),
            credits: self.credits.of(first, field),
        }
    }
}

impl CycleAccount {
    /// Adds the waits of the branches of one input over some cycles.
    #[inline(always)]
    pub(in crate::banked) fn add(&mut self, waits: Waits, cycles: u32) {
        let cycles = u64::from(cycles);
        self.no_credit += cycles * u64::from(waits.credit);
        self.endpoint += cycles * u64::from(waits.endpoint);
        self.lane_wait += cycles * u64::from(waits.lane);
        self.sibling += cycles * u64::from(waits.sibling);
        self.token += cycles * u64::from(waits.token);
        self.token_wait += cycles * u64::from(waits.token > 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wormscope_hw::bits;

    #[test]
    fn fields_of_every_width_are_whole_or_empty() {
        for width in 1..=64 {
            let f = Fields::new(width);
            assert_eq!(f.count, 64 / width);
            assert_eq!(f.bits() as u32, f.all().count_ones());
            for seed in 0..200u64 {
                let mask = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(seed as u32) & f.all();
                let mask = if seed % 3 == 0 { mask & mask >> 1 & mask >> 7 } else { mask };
                let expected = bits(mask).fold(0, |whole, bit| whole | f.field(f.first(bit)));
                assert_eq!(f.whole(mask), expected, "{width} {mask:x}");
                assert_eq!(f.any(mask).count_ones() * u32::from(width), expected.count_ones());
            }
        }
    }

    #[test]
    fn the_registers_of_a_switch_are_its_field() {
        let fields = Fields::new(5);
        let mut seed = 1u64;
        let mut mask = || {
            seed = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23) ^ 0x55;
            seed
        };
        let mut q = Reg::idle(4, 4);
        (q.occupied, q.deciding, q.active, q.asking, q.blocked) = (mask(), mask(), mask(), mask(), mask());
        (q.replicating, q.free, q.credit, q.pending, q.arbitrate) = (mask(), mask(), mask(), mask(), mask());
        bits(mask()).for_each(|lane| q.flits.set(lane, 3));
        bits(mask()).for_each(|lane| q.credits.set(lane, 2));
        let masks = |q: &Reg| {
            [
                q.occupied,
                q.deciding,
                q.active,
                q.asking,
                q.blocked,
                q.replicating,
                q.free,
                q.credit,
                q.pending,
                q.arbitrate,
            ]
        };
        for first in (0..fields.bits() as u8).step_by(5) {
            let of = q.of(&fields, first);
            assert_eq!(masks(&of), masks(&q).map(|mask| mask >> first & 0b1_1111));
            for lane in 0..5 {
                assert_eq!(of.flits.get(lane), q.flits.get(usize::from(first) + lane));
                assert_eq!(of.credits.get(lane), q.credits.get(usize::from(first) + lane));
            }
            assert_eq!((of.flits.get(5), of.credits.get(5)), (0, 0));
        }
    }

    #[test]
    fn fields_lie_behind_each_other() {
        for width in [1, 5, 12, 32, 33, 64] {
            let fields = Fields::new(width);
            let (count, per) = (u32::from(fields.count), u32::from(width));
            for n in 0..3 * count {
                let (mask, first) = fields.place(n);
                assert_eq!((mask, u32::from(first)), (n / count, n % count * per));
                for bit in 0..width {
                    assert_eq!(fields.owner(mask, first + bit), (n, bit));
                    assert_eq!(fields.first(usize::from(first + bit)), first);
                }
                let used = (0..=mask).map(|mask| fields.used(mask, n + 1).count_ones());
                assert_eq!(used.sum::<u32>(), (n + 1) * per);
                assert_ne!(fields.used(mask, n + 1) & 1 << first, 0);
                assert_eq!(fields.used(mask, n + 1) & !fields.all(), 0);
            }
        }
    }
}
