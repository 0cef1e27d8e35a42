//! The registers of an instance as bytes. Two states of an instance have equal bytes if and only if
//! no block can tell them apart.
//!
//! Three things are left out, because no block decides by them: the numbers of worms, the indices
//! of flits, and the cycle. Deadlines count from the cycle that is evaluated next. The registers of
//! arbiters are left out if any choice of theirs is tried.

use wormscope_hw::header::Symbol;
use wormscope_hw::injector;
use wormscope_hw::switch::{Input, Output};
use wormscope_hw::{Encoding, Flit, InputMask, LaneMask, arbiter, decoder, fifo, link, replication, token_station};

use crate::reference::instances::{NodeInstance, SwitchInstance, Wire};

/// Cycle in which all instances are evaluated.
pub(super) const NOW: u64 = 1 << 16;

/// Bytes under way.
#[derive(Default)]
pub(super) struct Writer(pub Vec<u8>);

impl Writer {
    /// Writes a number, seven bits a byte.
    pub fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }

    fn words(&mut self, words: &[u64]) {
        self.number(words.len() as u64);
        for &word in words {
            self.number(word);
        }
    }

    pub fn symbol(&mut self, symbol: &Symbol) {
        let (head, flit) = (symbol.header.is_some(), symbol.flit);
        self.number(u64::from(head) | u64::from(flit.is_tail()) << 1 | (flit.encoding() as u64) << 2);
        if let Some(header) = &symbol.header {
            self.words(header);
        }
    }

    /// Writes the values on a link, which count from cycle `now` on.
    fn link<T>(&mut self, now: u64, q: &link::Reg<T>, mut write: impl FnMut(&mut Self, &T)) {
        self.number(q.values().count() as u64);
        for (at, one) in q.values() {
            self.number(at - now);
            write(self, one);
        }
    }

    fn arbiter(&mut self, q: &arbiter::Reg) {
        self.number(q.pointer.into());
        self.words(&q.ahead);
    }

    fn input(&mut self, now: u64, input: &Input, outputs: &[Output]) {
        let count = input.fifo.count();
        self.number(count.into());
        (0..count).filter_map(|ahead| input.fifo.at(ahead)).for_each(|symbol| self.symbol(symbol));
        match &input.decoder {
            decoder::Reg::Idle => self.number(0),
            decoder::Reg::Deciding(service) => {
                let due = service.due.wrapping_sub(now as u32).cast_signed().max(0).unsigned_abs();
                let due = if service.ready { u64::from(due) + 1 } else { 0 };
                self.number(1 | u64::from(service.stripped) << 2 | (service.enc as u64) << 3);
                self.number(due);
                self.words(&service.header);
            }
            decoder::Reg::Decided(service) => {
                // The header crosses with the heads, and nobody reads it after them.
                let q = &input.branches;
                let heads = q.lanes.iter().any(|lane| outputs[usize::from(lane)].lane.pending);
                let header = if heads || !q.wanted.is_empty() { &service.header[..] } else { &[] };
                self.number(2 | (service.enc as u64) << 3);
                self.words(header);
                for mask in [q.branches.0, q.wanted.0, q.lanes.0, q.taken.0] {
                    self.number(mask);
                }
            }
        }
    }

    fn output(&mut self, output: &Output, pointers: bool) {
        let lane = output.lane;
        self.number(lane.owner.map_or(0, |owner| u64::from(owner) + 1));
        if !lane.is_free() {
            self.number(u64::from(lane.ahead) << 1 | u64::from(lane.pending));
        }
        self.number(output.credits.count.into());
        if pointers {
            self.arbiter(&output.allocator.arbiter);
        }
        self.number(output.allocator.group.pointer.into());
        self.number(output.mux.pointer.into());
    }

    /// Writes a switch that is evaluated next in cycle `now`. `pointers` says whether the registers
    /// of its arbiters count.
    pub fn switch(mut self, now: u64, at: &SwitchInstance, pointers: bool) -> Vec<u8> {
        at.q.inputs.iter().for_each(|input| self.input(now, input, &at.q.outputs));
        at.q.outputs.iter().for_each(|output| self.output(output, pointers));
        if let Some(station) = at.q.station {
            self.number(station.request.0);
            self.number(station.holder.map_or(0, |holder| u64::from(holder) + 1));
            if station.holder.is_some() {
                self.number(station.forwarded.into());
            }
            if pointers {
                self.number(station.pointer.into());
            }
        }
        at.flits.iter().flatten().for_each(|wire| self.link(now, &wire.q, Self::symbol));
        at.credits.iter().flatten().for_each(|wire| self.link(now, &wire.q, |to, &of| to.number(of.into())));
        self.0
    }

    /// Writes a node that is evaluated next in cycle `now`. `sent` has a bit for each kind of its
    /// worms that it may not send again.
    pub fn node(mut self, now: u64, at: &NodeInstance, sent: u64) -> Vec<u8> {
        for channel in &at.q.injections {
            let q = channel.injector;
            self.number(q.left.into());
            if !q.is_idle() {
                // The kind of a worm is its number here, as long as its head is to be sent.
                self.number(if q.next.is_head() { u64::from(q.next.worm()) + 1 } else { 0 });
                self.number(q.next.encoding() as u64);
            }
            self.number(channel.credits.count.into());
            self.number(channel.mux.pointer.into());
        }
        at.q.consumptions.iter().for_each(|channel| self.number(channel.fifo.count().into()));
        at.flits.iter().for_each(|wire| self.link(now, &wire.q, |_, _| ()));
        at.credits.iter().for_each(|wire| self.link(now, &wire.q, |to, &of| to.number(of.into())));
        self.number(sent);
        self.0
    }
}

/// Bytes that are still to be read. They come from a [`Writer`].
pub(super) struct StateReader<'a>(pub &'a [u8]);

impl StateReader<'_> {
    pub fn number(&mut self) -> u64 {
        let (mut number, mut shift) = (0, 0);
        while let Some((&byte, rest)) = self.0.split_first() {
            self.0 = rest;
            number |= u64::from(byte & 0x7f) << shift;
            shift += 7;
            if byte < 0x80 {
                break;
            }
        }
        number
    }

    fn words(&mut self) -> Vec<u64> {
        (0..self.number()).map(|_| self.number()).collect()
    }

    pub fn symbol(&mut self) -> Symbol {
        let marks = self.number();
        let head = marks & 1 != 0;
        let flit = Flit::new(0, 0, Encoding::from_bits((marks >> 2) as u8)).with_marks(head, marks & 2 != 0, false);
        Symbol { flit, header: head.then(|| self.words()) }
    }

    fn link<T>(&mut self, wire: &mut Wire<T>, mut read: impl FnMut(&mut Self) -> T) {
        for _ in 0..self.number() {
            let at = NOW + self.number();
            let pins = link::In { now: at - u64::from(wire.cycles), send: Some(read(self)) };
            wire.q = link::eval(wire.cycles, pins, std::mem::take(&mut wire.q)).1;
        }
    }

    fn input(&mut self, input: &mut Input) {
        for _ in 0..self.number() {
            let pins = fifo::In { push: Some(self.symbol()), pop: 0 };
            input.fifo = fifo::eval(pins, std::mem::take(&mut input.fifo));
        }
        let state = self.number();
        let service = decoder::Service {
            worm: 0,
            enc: Encoding::from_bits((state >> 3) as u8),
            header: Vec::new(),
            ready: state & 3 == 2,
            stripped: state & 4 != 0,
            due: 0,
        };
        match state & 3 {
            0 => {}
            1 => {
                let due = self.number();
                let (ready, due) = (due > 0, (NOW + due.saturating_sub(1)) as u32);
                input.decoder =
                    decoder::Reg::Deciding(decoder::Service { header: self.words(), ready, due, ..service });
            }
            _ => {
                input.decoder = decoder::Reg::Decided(decoder::Service { header: self.words(), ..service });
                let [branches, wanted, lanes, taken] = std::array::from_fn(|_| self.number());
                let (branches, wanted) = (wormscope_hw::GroupMask(branches), wormscope_hw::GroupMask(wanted));
                input.branches = replication::Reg { branches, wanted, lanes: LaneMask(lanes), taken: LaneMask(taken) };
            }
        }
    }

    fn output(&mut self, output: &mut Output, pointers: bool) {
        output.lane.owner = self.number().checked_sub(1).map(|owner| owner as u8);
        if !output.lane.is_free() {
            let lane = self.number();
            (output.lane.ahead, output.lane.pending) = ((lane >> 1) as u16, lane & 1 != 0);
        }
        output.credits.count = self.number() as u16;
        if pointers {
            output.allocator.arbiter = arbiter::Reg { pointer: self.number() as u8, ahead: self.words() };
        }
        output.allocator.group.pointer = self.number() as u8;
        output.mux.pointer = self.number() as u8;
    }

    /// Reads a switch into its instance at reset.
    pub fn switch(mut self, at: &mut SwitchInstance, pointers: bool) {
        at.q.inputs.iter_mut().for_each(|input| self.input(input));
        at.q.outputs.iter_mut().for_each(|output| self.output(output, pointers));
        if let Some(station) = &mut at.q.station {
            let request = InputMask(self.number());
            let holder = self.number().checked_sub(1).map(|holder| holder as u8);
            let forwarded = if holder.is_some() { self.number() as u32 } else { 0 };
            let pointer = if pointers { self.number() as u8 } else { 0 };
            *station = token_station::Reg { request, forwarded, holder, pointer };
        }
        at.flits.iter_mut().flatten().for_each(|wire| self.link(wire, Self::symbol));
        at.credits.iter_mut().flatten().for_each(|wire| self.link(wire, |from| from.number() as u16));
    }

    /// Reads a node into its instance at reset. `worm` gives the worm of a kind. Returns the kinds
    /// that the node may not send again.
    pub fn node(mut self, at: &mut NodeInstance, worm: impl Fn(u32) -> injector::Worm) -> u64 {
        for channel in &mut at.q.injections {
            let left = self.number() as u32;
            if left > 0 {
                let (kind, enc) = (self.number(), Encoding::from_bits(self.number() as u8));
                channel.injector = if let Some(kind) = kind.checked_sub(1) {
                    injector::Reg::start(worm(kind as u32))
                } else {
                    let next = Flit::new(0, 1, enc).with_marks(false, left == 1, false);
                    injector::Reg { next, left, header: 0 }
                };
            }
            channel.credits.count = self.number() as u16;
            channel.mux.pointer = self.number() as u8;
        }
        // A node takes every flit, whatever its marks are.
        let flit = || Symbol { flit: Flit::default(), header: None };
        for channel in &mut at.q.consumptions {
            for _ in 0..self.number() {
                let pins = fifo::In { push: Some(flit()), pop: 0 };
                channel.fifo = fifo::eval(pins, std::mem::take(&mut channel.fifo));
            }
        }
        at.flits.iter_mut().for_each(|wire| self.link(wire, |_| flit()));
        at.credits.iter_mut().for_each(|wire| self.link(wire, |from| from.number() as u16));
        self.number()
    }
}
