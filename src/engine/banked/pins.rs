//! The wires of one bank of switches as it is evaluated.

use super::address::{Far, Line};
use super::fabric::{Aside, Crossing, Instance};
use super::shape::BankedShape;
use super::switch::{self, Arrivals, InLane, LANES, OutLane, Pins};
use super::worms::Worms;
use wormscope_hw::header;
use wormscope_hw::token_station::{self, Event};
use wormscope_hw::{Encoding, Flit, NodeId, SwitchId, bits, feedback};

use crate::flit_id::FlitId;
use crate::tables::Tables;

/// The wires of one bank of switches in one cycle, borrowed for all banks in turn.
pub(super) struct SwitchPins<'a, const WATCHED: bool> {
    pub shape: &'a BankedShape,
    pub now: u64,
    pub bank: u32,
    /// First FIFO cell of the bank.
    pub cell: usize,
    /// Cells and headers of all FIFOs.
    pub slots: &'a mut [Flit],
    pub images: &'a mut [u32],
    /// Wires into all switches, and the index at which the wires of this cycle begin.
    pub wires: &'a mut [Arrivals],
    pub flit_edge: usize,
    pub credit_edge: usize,
    pub consume_edge: usize,
    /// Wires into nodes.
    pub node_wires: &'a mut [u64],
    pub node_edge: usize,
    pub aside: &'a mut Aside,
    pub worms: &'a mut Worms,
}

impl<'a, const WATCHED: bool> SwitchPins<'a, WATCHED> {
    /// The switch of a lane, and the number of the lane at this switch.
    #[inline(always)]
    fn switch_of(&self, lane: usize) -> (u32, u8) {
        self.shape.switch_of(self.bank, lane as u8)
    }

    /// Constants of the switch of a lane, and the number of the lane at this switch.
    fn tables(&self, lane: usize) -> (Tables<'a>, u8) {
        let (switch, lane) = self.switch_of(lane);
        (Tables(self.shape, switch), lane)
    }

    /// Cycle in which a flit that crosses now is at its node.
    fn at_node(&self) -> u64 {
        self.now + u64::from(self.shape.delays.consume)
    }

    /// The header that goes with a head through output `lane`.
    #[cold]
    fn image_of(&mut self, lane: usize, enc: Encoding, image: u32) -> u32 {
        let (tables, lane) = self.tables(lane);
        self.aside.headers.copy(image, enc.header().mask(&tables, lane))
    }
}

impl<const WATCHED: bool> SwitchPins<'_, WATCHED> {
    /// Keeps what crosses and its data, for waveforms.
    #[inline(always)]
    fn watch(&mut self, lane: usize, flit: Flit, image: u32) {
        let worm_id = self.worms.id(flit.worm());
        let words = self.aside.words.len() as u32;
        self.aside.crossings[lane % LANES] = Crossing { worm_id, flit, words };
        if flit.is_header() {
            self.header_words(lane, flit, image);
        } else {
            self.shape.payload_data(FlitId { worm: worm_id, index: flit.index() }, &mut self.aside.words);
        }
    }

    /// Keeps the data of a header flit that crosses.
    #[cold]
    fn header_words(&mut self, lane: usize, flit: Flit, image: u32) {
        let info = &self.worms.get(flit.worm()).info;
        let (tables, at_switch) = self.tables(lane);
        let mask = flit.encoding().header().mask(&tables, at_switch);
        let unicast = [u64::from(image)];
        let Aside { headers, words, .. } = &mut *self.aside;
        let left = if flit.encoding() == Encoding::Unicast { &unicast } else { headers.words(image) };
        self.shape.header_data(info, flit.index(), left, mask, words);
    }
}

/// The wires that every flit needs.
pub(super) struct SwitchWires<'a> {
    slots: &'a mut [Flit],
    wires: &'a mut [Arrivals],
    /// First FIFO cell of the bank.
    cell: usize,
    depth: usize,
    flit_edge: usize,
    credit_edge: usize,
}

impl switch::Wires for SwitchWires<'_> {
    #[inline(always)]
    fn flit(&self, lane: usize, slot: u16) -> Flit {
        self.slots[self.cell + lane * self.depth + slot as usize]
    }

    #[inline(always)]
    fn send(&mut self, to: Line, write: u16, flit: Flit) {
        self.slots[to.number() * self.depth + write as usize] = flit;
        self.wires[self.flit_edge + to.bank()].flits |= to.bit();
    }

    #[inline(always)]
    fn credit(&mut self, to: Line) {
        self.wires[self.credit_edge + to.bank()].credits |= to.bit();
    }
}

impl<const WATCHED: bool> Pins for SwitchPins<'_, WATCHED> {
    const WATCHED: bool = WATCHED;

    type Wires<'b>
        = SwitchWires<'b>
    where
        Self: 'b;

    #[inline(always)]
    fn wires(&mut self) -> SwitchWires<'_> {
        let Self { slots, wires, cell, flit_edge, credit_edge, .. } = self;
        let depth = self.shape.params.fifo_depth.into();
        SwitchWires { slots, wires, cell: *cell, depth, flit_edge: *flit_edge, credit_edge: *credit_edge }
    }

    #[inline(always)]
    fn flit(&self, lane: usize, slot: u16) -> Flit {
        self.slots[self.cell + lane * self.shape.params.fifo_depth as usize + slot as usize]
    }

    #[inline(always)]
    fn image(&self, lane: usize, slot: u16) -> u32 {
        self.images[self.cell + lane * self.shape.params.fifo_depth as usize + slot as usize]
    }

    #[inline(always)]
    fn route(&self, lane: usize, destination: u32) -> u8 {
        let (switch, lane) = self.switch_of(lane);
        let port = self.shape.routes.port(SwitchId(switch), NodeId(destination));
        self.shape.group(switch, lane, port)
    }

    fn header(&mut self, lane: usize, enc: Encoding, image: u32, seen: header::In) -> header::Out {
        let (tables, _) = self.tables(lane);
        let decided = enc.header().eval(&tables, self.aside.headers.words(image), seen);
        if decided.drops {
            self.aside.headers.drop_part(image);
        }
        decided
    }

    fn branches(&mut self, lane: usize, enc: Encoding, image: u32, stripped: bool) -> u64 {
        let (tables, lane) = self.tables(lane);
        let decision = enc.header().branches(&tables, lane, self.aside.headers.words(image), stripped);
        if decision.drops {
            self.aside.headers.drop_part(image);
        }
        decision.groups.0
    }

    fn age(&self, worm: u32) -> u32 {
        self.worms.id(worm).0
    }

    fn tree(&self, worm: u32) -> feedback::Head {
        self.worms.get(worm).tree.head()
    }

    fn tell(&mut self, worm: u32, told: feedback::In) {
        self.aside.trees.tell(worm, told);
    }

    #[inline(always)]
    fn looks(&self) -> bool {
        WATCHED || self.shape.sinks || self.aside.tells_banks
    }

    #[inline(always)]
    fn look(&mut self, lane: usize, to: Far, flit: Flit, image: u32) {
        if WATCHED || to.is_node() && self.aside.tells_banks {
            self.watch(lane, flit, image);
        }
        if !to.is_node() {
            return;
        }
        let at = self.at_node();
        if let Some(sinks) = &mut self.aside.sinks {
            sinks.push(at, self.bank, lane, to, flit);
        } else {
            self.aside.flit_arrives(self.worms, at, lane as u8, to, flit);
        }
    }

    #[inline(always)]
    fn head(&mut self, lane: usize, to: Far, write: u16, flit: Flit, image: u32) {
        if !WATCHED && self.aside.tells_banks {
            self.aside.told_heads.push((lane as u8, flit));
        }
        if to.is_node() {
            if !self.shape.sinks {
                self.aside.head_arrives(self.shape, self.worms, self.at_node(), to, flit);
            }
            return;
        }
        let enc = flit.encoding();
        let image = if enc == Encoding::Unicast { image } else { self.image_of(lane, enc, image) };
        self.images[self.shape.cell(to.number(), write)] = image;
    }

    fn tail(&mut self, to: Far, flit: Flit) {
        if !self.shape.sinks {
            self.aside.tail_arrives(self.shape, self.worms, self.at_node(), to, flit);
        }
    }

    /// The node takes flits on arrival and returns the credits, unless flits may have to wait at
    /// the node.
    #[inline(always)]
    fn consume(&mut self, lanes: u64) {
        if !self.shape.sinks {
            self.wires[self.consume_edge + self.bank as usize].credits |= lanes;
        }
    }

    #[inline(always)]
    fn credit(&mut self, to: Far, n: u16) {
        if to.is_node() {
            self.node_wires[self.node_edge + to.instance() as usize] |= 1 << to.lane();
        } else {
            self.wires[self.credit_edge + to.instance() as usize].credits |= 1 << to.lane();
        }
        if n > 1 {
            let delays = &self.shape.delays;
            let delay = if to.is_node() { delays.inject_credit } else { delays.credit };
            self.aside.extra_credits.push((self.now + u64::from(delay), to, n - 1));
        }
    }

    #[inline(always)]
    fn passed(&mut self, _lane: usize, enc: Encoding, image: u32) {
        if enc != Encoding::Unicast {
            self.aside.headers.free(image);
        }
    }

    #[inline(always)]
    fn released(&mut self, lane: usize, worm: u32, out: &mut OutLane, ins: &[InLane], asking: u64) {
        let now = self.now as u32;
        let held = now.wrapping_sub(out.granted_at) + 1;
        let longest = held > out.counters.top_held;
        if !longest && asking == 0 {
            return;
        }
        let worm = self.worms.get_mut(worm);
        if longest {
            (out.counters.top_held, out.counters.top_worm) = (held, worm.info.id.0);
        }
        for i in bits(asking) {
            let p = &self.shape.params;
            let wants = bits(ins[i].wanted).any(|g| p.group_lanes[g] << p.fields.first(lane) >> lane & 1 != 0);
            if wants {
                worm.blamed += u64::from(held.min(now.wrapping_sub(ins[i].due) + 1));
            }
        }
    }

    #[inline(always)]
    fn wake(&mut self, lane: usize, cycles: u32) {
        let (switch, _) = self.switch_of(lane);
        self.aside.wake_at(self.now + u64::from(cycles), Instance::Switch(switch));
    }

    fn station(&mut self, lane: usize) -> Option<&mut token_station::Reg> {
        self.aside.rings.station_mut(self.switch_of(lane).0)
    }

    fn token_is_here(&self, lane: usize) -> bool {
        self.aside.rings.is_here(self.switch_of(lane).0, self.now)
    }

    fn token_bound(&self, lane: usize, enc: Encoding) -> u32 {
        self.shape.token_bound(self.aside.rings.to_come(self.switch_of(lane).0), enc)
    }

    fn token(&mut self, lane: usize, event: Event) {
        let switch = self.switch_of(lane).0;
        self.aside.rings.event(switch, event, self.now);
    }
}
