//! Lock step: the registers that the testbench dumps in each cycle, against those of the plain
//! engine.

use std::fmt;
use std::io::{self, BufRead};
use std::iter;

use super::Recorded;
use super::bench::instances;
use super::bits::{Vector, bits_of, index_bits};
use super::design::{INDEX_BITS, SINCE_BITS, Twin, WORM_BITS};
use super::registers::{Digits, RegisterList, Widths, deepest, depth, input_depth, ring_bits};
use crate::engine::reference::Reference;
use crate::engine::registers::{InRegisters, OutRegisters, Registers};
use crate::engine::{FlitId, NewWorm};
use crate::hw::header::Rom as _;
use crate::hw::{NodeId, SwitchId, WormId, feedback, token_ring};

/// The first register that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The cycle at whose start the registers differ.
    pub cycle: u64,
    /// The block, as in `rt_1_0.in2.fifo`.
    pub block: String,
    /// The register.
    pub register: &'static str,
    /// The value of the model.
    pub model: String,
    /// The value of the RTL.
    pub rtl: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { cycle, block, register, model, rtl } = self;
        write!(
            f,
            "{block}, register {register}, at the start of cycle {cycle}: the model has {model}, the RTL has {rtl}"
        )
    }
}

/// A dump that is no dump of the design.
#[derive(Debug, thiserror::Error)]
pub enum LockstepError {
    /// The dump cannot be read.
    #[error("cannot be read: {0}")]
    Read(#[from] io::Error),
    /// A line that is no line of a dump.
    #[error("line {line}: \"{text}\" is no line of a dump of this design; make the dump and the design again")]
    Line {
        /// Number of the line, from 1 on.
        line: u64,
        /// The line, or its beginning.
        text: String,
    },
    /// The dump ends early.
    #[error("ends at the start of cycle {cycles}, and the run has {expected} cycles; see the output of the simulator")]
    Short {
        /// Cycles in the dump.
        cycles: u64,
        /// Cycles of the run.
        expected: u64,
    },
}

/// The plain engine in lock step with the RTL.
pub struct Lockstep<'a> {
    design: &'a Twin,
    model: Reference,
    /// The worms, each with the cycle in which its source queues it.
    worms: Vec<(u64, NewWorm)>,
    /// Number of worms that are created.
    created: usize,
    /// Flits that leave the receive buffers, and their number so far.
    freed: Vec<(u64, NodeId, u8, u32)>,
    free: usize,
    /// Registers of all instances as digits, in the order of the layouts.
    dumped: Vec<String>,
    layouts: Vec<RegisterList>,
    widths: Widths,
    cycles: u64,
}

/// Cells of a FIFO as the model has them, front first.
struct Cells<'a> {
    depth: usize,
    /// Bits of a cell.
    width: usize,
    /// The feedback of the worm of a head, if the head still has the side signals of its tree.
    tree: &'a dyn Fn(WormId) -> Option<feedback::Reg>,
    flits: &'a [FlitId],
    signals: &'a [u8],
    /// Data of the flits. Empty where the model gives none.
    data: &'a dyn Fn() -> Vec<Vec<bool>>,
}

/// Registers of a block on both sides.
struct Compared<'a> {
    cycle: u64,
    block: &'a dyn Fn() -> String,
}

impl Compared<'_> {
    /// Compares a register.
    fn same<T: PartialEq + fmt::Debug>(&self, register: &'static str, model: &T, rtl: &T) -> Result<(), Difference> {
        if model == rtl {
            return Ok(());
        }
        self.differ(register, format!("{model:?}"), format!("{rtl:?}"))
    }

    /// Compares a part of a register that has a name.
    fn same_named<T: PartialEq>(
        &self,
        register: &'static str,
        [model, rtl]: [T; 2],
        named: impl Fn(T) -> String,
    ) -> Result<(), Difference> {
        if model == rtl { Ok(()) } else { self.differ(register, named(model), named(rtl)) }
    }

    fn differ(&self, register: &'static str, model: String, rtl: String) -> Result<(), Difference> {
        Err(Difference { cycle: self.cycle, block: (self.block)(), register, model, rtl })
    }
}

impl<'a> Lockstep<'a> {
    /// Both at reset, with the worms of a run. `model` has the stalls and the receive buffers of
    /// the run.
    #[must_use]
    pub fn new(design: &'a Twin, recorded: &Recorded, model: Reference) -> Self {
        let layouts = instances(design);
        Self {
            design,
            model,
            worms: recorded.created().collect(),
            created: 0,
            freed: recorded.freed.clone(),
            free: 0,
            dumped: vec![String::new(); layouts.len()],
            layouts,
            widths: Widths::of(design),
            cycles: recorded.cycles,
        }
    }

    /// Reads a dump to its end, or to the first difference. It calls `progress` with each cycle.
    ///
    /// # Errors
    /// The dump cannot be read, or is no dump of this design.
    pub fn compare(
        &mut self,
        dump: impl BufRead,
        mut progress: impl FnMut(u64),
    ) -> Result<Option<Difference>, LockstepError> {
        let mut cycles = 0;
        for (number, line) in (1..).zip(dump.lines()) {
            let line = line?;
            let wrong = || LockstepError::Line { line: number, text: line.chars().take(40).collect() };
            let (instance, digits) = line.split_once(' ').ok_or_else(wrong)?;
            if instance == "=" {
                if digits.parse() != Ok(cycles) {
                    return Err(wrong());
                }
                if let Err(difference) = self.cycle(cycles) {
                    return Ok(Some(difference));
                }
                cycles += 1;
                progress(cycles);
                continue;
            }
            let instance: usize = instance.parse().map_err(|_| wrong())?;
            let layout = self.layouts.get(instance).ok_or_else(wrong)?;
            if digits.len() != layout.width().div_ceil(4) {
                return Err(wrong());
            }
            digits.clone_into(&mut self.dumped[instance]);
        }
        if cycles < self.cycles {
            return Err(LockstepError::Short { cycles, expected: self.cycles });
        }
        Ok(None)
    }

    /// Compares the registers at the start of a cycle, and evaluates the cycle.
    fn cycle(&mut self, cycle: u64) -> Result<(), Difference> {
        let registers = self.model.registers();
        let switches = self.design.built.wiring().switches();
        for switch in self.design.switches() {
            self.switch(cycle, switch, &registers)?;
        }
        for node in 0..self.design.built.wiring().nodes() {
            self.node(cycle, NodeId(node), &self.dumped[(switches + node) as usize], &registers)?;
        }
        for number in 0..registers.rings.len() {
            let at = (switches + self.design.built.wiring().nodes()) as usize + number;
            self.ring(cycle, number, &registers, &self.dumped[at])?;
        }
        self.model.deliver();
        while let Some((_, worm)) = self.worms.get(self.created).filter(|worm| worm.0 <= cycle) {
            self.model.create(worm, false);
            self.created += 1;
        }
        while let Some(&(_, node, channel, flits)) = self.freed.get(self.free).filter(|of| of.0 <= cycle) {
            self.model.free_receive_buffer(node, channel, flits);
            self.free += 1;
        }
        self.model.tick(None);
        Ok(())
    }

    fn switch(&self, cycle: u64, switch: SwitchId, registers: &Registers) -> Result<(), Difference> {
        let constants = &self.design.constants;
        let lanes = constants.lanes();
        let (ins, outs) = (lanes.inputs.count(), lanes.outputs.count());
        let mut dumped = Digits::new(&self.dumped[switch.index()]);
        for lane in (0..ins).filter(|&lane| constants.input(switch, lane).is_some()) {
            let at = || format!("{}.{}", self.design.name(switch), lanes.input_name(lane));
            let of = &registers.inputs[switch.index() * usize::from(ins) + usize::from(lane)];
            let depth = input_depth(self.design, switch, lane);
            let tree = |worm: WormId| {
                let place = registers.trees.binary_search_by_key(&worm, |of| of.0).ok()?;
                // A head whose worm has got its lanes is still at an earlier depth.
                let served = of.service.as_ref().filter(|of| of.worm == worm);
                let has_lanes = served.is_some_and(|of| of.decided && of.wanted.is_empty());
                (!has_lanes).then_some(registers.trees[place].1)
            };
            let cells = Cells {
                depth: depth as usize,
                width: self.widths.switched,
                tree: &tree,
                flits: &of.flits,
                signals: &self.model.input_signals(switch, lane),
                data: &|| self.model.input_data(switch, lane),
            };
            self.input(cycle, &at, of, &cells, &mut dumped)?;
        }
        let model = |lane: u8| &registers.outputs[switch.index() * usize::from(outs) + usize::from(lane)];
        let (rom, ahead) = (constants.rom(switch), bits_of(deepest(self.design, switch)));
        for lane in (0..outs).filter(|&lane| !rom.link(lane).is_empty()) {
            let at = || format!("{}.{}", self.design.name(switch), lanes.output_name(lane));
            let link = rom.link(lane);
            let shared = (link.count() > 1 && link.lowest().has(lane)).then(|| index_bits(link.count().into()));
            let credits = bits_of(depth(self.design, switch, lane));
            self.output(cycle, &at, model(lane), (ahead, credits, shared), &mut dumped)?;
        }
        if !self.design.is_synchronous() {
            self.allocator(cycle, switch, &model, &mut dumped)?;
        }
        self.station(cycle, switch, registers, &mut dumped)
    }

    fn allocator<'m>(
        &self,
        cycle: u64,
        switch: SwitchId,
        model: &dyn Fn(u8) -> &'m OutRegisters,
        dumped: &mut Digits,
    ) -> Result<(), Difference> {
        let (w, lanes) = (self.widths, self.design.constants.lanes());
        let arbiters = if w.atomic { 1 } else { w.lanes as u8 };
        let name = |lane: u8, block: &str| format!("{}.{}.{block}", self.design.name(switch), lanes.output_name(lane));
        for lane in 0..arbiters {
            let block = || name(lane, "arbiter");
            let pointer = dumped.next(w.input);
            Compared { cycle, block: &block }.same("pointer", &u64::from(model(lane).pointer), &pointer)?;
        }
        if !model(0).ahead.is_empty() {
            for lane in 0..arbiters {
                let block = || name(lane, "arbiter");
                let rows: Vec<u64> = (0..w.inputs).map(|_| dumped.next(w.inputs)).collect();
                Compared { cycle, block: &block }.same("ahead", &model(lane).ahead, &rows)?;
            }
        }
        for lanes_of in self.design.constants.switch().group_lanes.iter().take(w.groups) {
            let turn = dumped.next(w.turn);
            if let Some(lane) = lanes_of.iter().next() {
                let block = || name(lane, "lane_group");
                Compared { cycle, block: &block }.same("pointer", &u64::from(model(lane).group), &turn)?;
            }
        }
        Ok(())
    }

    fn station(
        &self,
        cycle: u64,
        switch: SwitchId,
        registers: &Registers,
        dumped: &mut Digits,
    ) -> Result<(), Difference> {
        let Some((ring, place, _)) = self.design.ring(switch) else { return Ok(()) };
        let (w, (_, model)) = (self.widths, registers.rings[ring].stations[place]);
        let block = || format!("{}.token_station", self.design.name(switch));
        let station = Compared { cycle, block: &block };
        station.same("request", &model.request.0, &dumped.next(w.inputs))?;
        station.same("forwarded", &u64::from(model.forwarded), &dumped.next(w.bound))?;
        let holder = dumped.next(w.inputs);
        station.same("holder", &model.holder.map_or(0, |input| 1 << input), &holder)?;
        station.same("pointer", &u64::from(model.pointer), &dumped.next(w.input))
    }

    fn ring(&self, cycle: u64, number: usize, registers: &Registers, dumped: &str) -> Result<(), Difference> {
        let model = &registers.rings[number];
        let (place, travels) = ring_bits(self.design, model.stations.len());
        let mut dumped = Digits::new(dumped);
        let (place, held, travels) = (dumped.next(place) as u32, dumped.next(1) != 0, dumped.next(travels));
        let rtl = match (held, travels) {
            (true, _) => token_ring::Reg::Held(place),
            (false, 0) => token_ring::Reg::At(place),
            (false, travels) => token_ring::Reg::Before(place, travels),
        };
        let block = || format!("token ring {number}");
        Compared { cycle, block: &block }.same("place", &model.token, &rtl)
    }

    fn input(
        &self,
        cycle: u64,
        at: &dyn Fn() -> String,
        model: &InRegisters,
        cells: &Cells,
        dumped: &mut Digits,
    ) -> Result<(), Difference> {
        let w = self.widths;
        self.fifo(cycle, at, cells, dumped)?;

        let block = || format!("{}.decoder", at());
        let decoder = Compared { cycle, block: &block };
        let (busy, enc) = (dumped.next(1) != 0, dumped.next(3));
        let (ready, stripped, decided) = (dumped.next(1) != 0, dumped.next(1) != 0, dumped.next(1) != 0);
        let wait = dumped.next(w.wait);
        let service = model.service.as_ref();
        decoder.same("busy", &service.is_some(), &busy)?;
        decoder.same("ready", &service.is_some_and(|of| of.ready), &ready)?;
        decoder.same("stripped", &service.is_some_and(|of| of.stripped), &stripped)?;
        decoder.same("decided", &service.is_some_and(|of| of.decided), &decided)?;
        if let Some(service) = service {
            decoder.same("enc", &(service.encoding as u64), &enc)?;
            if service.ready && !service.decided {
                decoder.same("wait", &u64::from(service.due.wrapping_sub(cycle as u32)), &wait)?;
            }
        }

        let block = || format!("{}.replication", at());
        let replication = Compared { cycle, block: &block };
        let bits = |of: Option<u64>| of.unwrap_or(0);
        replication.same("branches", &bits(service.map(|of| of.branches.0)), &dumped.next(w.groups))?;
        replication.same("wanted", &bits(service.map(|of| of.wanted.0)), &dumped.next(w.groups))?;
        replication.same("lanes", &bits(service.map(|of| of.lanes.0)), &dumped.next(w.lanes))?;
        replication.same("taken", &bits(service.map(|of| of.taken.0)), &dumped.next(w.lanes))?;
        if !self.design.is_synchronous() {
            return Ok(());
        }

        let tree = service.and_then(|of| (cells.tree)(of.worm));
        let (since, depth, slot) = (dumped.next(SINCE_BITS), dumped.next(w.depth), dumped.next(w.slot));
        let named = |(since, depth)| format!("since {since}, depth {depth}");
        if let Some(of) = tree {
            decoder.same_named("tree", [(of.since.into(), of.depth.into()), (since, depth)], named)?;
        }
        let block = || format!("{}.reservation", at());
        let reservation = Compared { cycle, block: &block };
        let lock = service.map(|of| of.lock).unwrap_or_default();
        reservation.same("lanes", &lock.lanes.0, &dumped.next(w.lanes))?;
        reservation.same("left", &u64::from(lock.left), &dumped.next(w.depth + 1))?;
        let go = dumped.peek(slot as usize, 1) != 0;
        dumped.skip(self.design.slots as usize);
        let asks = service.is_some_and(|of| !of.wanted.is_empty());
        if let Some(of) = tree.filter(|of| asks && of.depth > 0) {
            let block = || format!("{}.feedback", at());
            Compared { cycle, block: &block }.same("go", &of.head().go, &go)?;
        }
        Ok(())
    }

    /// Compares a FIFO: the numbers and side signals of its flits, and their data.
    fn fifo(
        &self,
        cycle: u64,
        at: &dyn Fn() -> String,
        &Cells { depth, width, tree, flits, signals, data }: &Cells,
        dumped: &mut Digits,
    ) -> Result<(), Difference> {
        let block = || format!("{}.fifo", at());
        let fifo = Compared { cycle, block: &block };
        let count = dumped.next(bits_of(depth as u32)) as usize;
        let read = dumped.next(index_bits(depth as u32)) as usize;
        fifo.same("count", &flits.len(), &count)?;
        let bits = self.design.word_bits() as usize;
        let cell = |ahead: usize| (read + ahead) % depth * width;
        for (ahead, flit) in flits.iter().enumerate() {
            let at = cell(ahead) + 6 + bits;
            let worm = dumped.peek(at, WORM_BITS as usize);
            let index = dumped.peek(at + WORM_BITS as usize, INDEX_BITS as usize);
            let named = |(worm, index)| format!("flit {index} of worm {worm} in cell {ahead}");
            fifo.same_named("cells", [(flit.worm.0.into(), flit.index.into()), (worm, index)], named)?;
            let named = |of: u8| {
                let [head, tail, hdr] = [0, 1, 2].map(|bit| of >> bit & 1);
                format!("head {head}, tail {tail}, hdr {hdr}, enc {} in cell {ahead}", of >> 3)
            };
            fifo.same_named("cells", [signals[ahead], dumped.peek(cell(ahead), 6) as u8], named)?;
            if let Some(of) = tree(flit.worm).filter(|_| signals[ahead] & 1 != 0) {
                let named = |(since, depth)| format!("since {since}, depth {depth} in cell {ahead}");
                let at = cell(ahead) + self.widths.flit;
                let (since, depth) = (dumped.peek(at, SINCE_BITS), dumped.peek(at + SINCE_BITS, self.widths.depth));
                fifo.same_named("cells", [(of.since.into(), of.depth.into()), (since, depth)], named)?;
            }
        }
        if !flits.is_empty() {
            for (ahead, of) in data().into_iter().enumerate() {
                // A header may be narrower than the wires, which other encodings also use.
                let of: Vec<_> = of.into_iter().chain(iter::repeat(false)).take(bits).collect();
                let named = |data: &[bool]| format!("data {} in cell {ahead}", Vector::of_bits(data.to_vec()).hex());
                let rtl: Vec<_> = (0..bits).map(|bit| dumped.peek(cell(ahead) + 6 + bit, 1) != 0).collect();
                fifo.same_named("cells", [&of, &rtl], |data| named(data))?;
            }
        }
        dumped.skip(depth * width);
        Ok(())
    }

    fn output(
        &self,
        cycle: u64,
        at: &dyn Fn() -> String,
        model: &OutRegisters,
        (ahead_bits, credit_bits, shared): (usize, usize, Option<usize>),
        dumped: &mut Digits,
    ) -> Result<(), Difference> {
        let w = self.widths;
        let block = || format!("{}.lane", at());
        let lane = Compared { cycle, block: &block };
        let (is_held, owner) = (dumped.next(1) != 0, dumped.next(w.input));
        let (pending, ahead) = (dumped.next(1) != 0, dumped.next(ahead_bits));
        lane.same("owner", &model.owner.map(u64::from), &is_held.then_some(owner))?;
        lane.same("pending", &model.pending, &pending)?;
        if is_held {
            lane.same("ahead", &u64::from(model.read), &ahead)?;
        }
        let block = || format!("{}.credit", at());
        Compared { cycle, block: &block }.same("count", &u64::from(model.credits), &dumped.next(credit_bits))?;
        if let Some(bits) = shared {
            let block = || format!("{}.multiplexer", at());
            Compared { cycle, block: &block }.same("pointer", &u64::from(model.multiplexer), &dumped.next(bits))?;
        }
        Ok(())
    }

    fn node(&self, cycle: u64, node: NodeId, dumped: &str, registers: &Registers) -> Result<(), Difference> {
        let (own, lanes) = (self.design.constants.node(), self.design.constants.lanes());
        let mut dumped = Digits::new(dumped);
        for lane in 0..own.injection_lanes {
            let model = &registers.channels[node.index() * usize::from(own.injection_lanes) + usize::from(lane)];
            let at = |block: &str| format!("node{node}.{}.{block}", lanes.inject_name(lane));
            let block = || at("injector");
            let injector = Compared { cycle, block: &block };
            let worm = dumped.next(WORM_BITS as usize);
            let (index, left) = (dumped.next(INDEX_BITS as usize), dumped.next(INDEX_BITS as usize));
            let next = (left != 0).then_some((worm, index));
            injector.same("next", &model.next.map(|of| (of.worm.0.into(), of.index.into())), &next)?;
            let block = || at("credit");
            let credits = dumped.next(bits_of(own.injection_depth.into()));
            Compared { cycle, block: &block }.same("count", &u64::from(model.credits), &credits)?;
            if own.link_lanes > 1 && lane % own.link_lanes == 0 {
                let block = || at("multiplexer");
                let pointer = dumped.next(index_bits(own.link_lanes.into()));
                Compared { cycle, block: &block }.same("pointer", &u64::from(model.multiplexer), &pointer)?;
            }
        }
        for (lane, model) in (0..own.consumption_lanes).zip(self.model.consumptions(node)) {
            let at = || format!("node{node}.{}", lanes.eject_name(lane));
            let (depth, flits, signals) = (own.consumption_depth.into(), &model.flits, &model.signals);
            let (width, data) = (self.widths.flit, &Vec::new);
            self.fifo(cycle, &at, &Cells { depth, width, tree: &|_| None, flits, signals, data }, &mut dumped)?;
            if let Some(space) = model.space {
                let block = || format!("{}.sink", at());
                let rtl = dumped.next(bits_of(self.design.space()));
                Compared { cycle, block: &block }.same("space", &u64::from(space), &rtl)?;
            }
        }
        Ok(())
    }
}
