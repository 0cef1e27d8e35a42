//! The blocks of a switch as signals of a dump, in scopes with the names of the files of `hw`.
//! Signals are the registers of the blocks, and the requests and grants of the arbiters.
//!
//! A value belongs to one cycle. Registers have their values at its start. Requests, grants and
//! returned credits belong to the cycle itself. All follow from the registers before and after the
//! cycle, and from the lanes in the commit log of the cycle. So an engine reports no more for this.

use wormscope_hw::{Arbiter, GroupMask, InputMask, LaneMask, Replication, SwitchId, replication, token_station};

use super::signal::{self, Instance, NO_ENC, Type};
use super::wire::Wire;
use crate::engine::CommitLog;
use crate::engine::registers::{InRegisters, OutRegisters, Registers};
use crate::network::{Lanes, Network, Wiring};

/// Largest number of words of a header that are shown.
const HEADER_WORDS: u32 = 8;

/// The signals of the blocks of every switch of a network. Empty unless you ask for them.
#[derive(Default)]
pub(crate) struct BlockWires {
    /// Of input lanes from switches, and from nodes, whose FIFOs may have another depth.
    input: Vec<Wire>,
    injected: Vec<Wire>,
    /// Whether each input lane comes from a node, switch-major. Empty if both have one depth.
    from_node: Vec<bool>,
    output: Vec<Wire>,
    station: Vec<Wire>,
    inputs: u8,
    outputs: u8,
    groups: u8,
    depth: u32,
}

impl BlockWires {
    /// The signals of a network.
    #[must_use]
    pub fn of_network(network: &Network, wiring: &Wiring) -> Self {
        let lanes = network.lanes(wiring);
        let depth = network.deepest_fifo().0;
        let words = (wiring.nodes().div_ceil(64) + 1).min(HEADER_WORDS) as u8;
        let mut lane = vec![Wire::Service, Wire::ServiceEncoding, Wire::HeaderCount];
        lane.extend((0..words).map(Wire::Header));
        lane.extend([Wire::Ready, Wire::Stripped, Wire::Decided, Wire::Due]);
        lane.extend([Wire::Branches, Wire::Wanted, Wire::Held, Wire::Taken]);
        if network.switch.replication == Replication::Synchronous {
            lane.extend([Wire::Reserved, Wire::ReservedFor]);
        }
        let with_cells = |depth: u32| -> Vec<Wire> {
            let cells = (0..depth as u16).flat_map(|cell| [Wire::CellWorm(cell), Wire::CellFlit(cell)]);
            cells.chain(lane.iter().copied()).collect()
        };
        let own = network.injection_depth();
        let [input, injected] = [network.switch.fifo_depth, own].map(with_cells);
        let is_alike = own == network.switch.fifo_depth;
        let from_node = network.input_depths(wiring).filter(|_| !is_alike).map(|depth| depth == own).collect();
        let mut output = vec![Wire::Request, Wire::Grant, Wire::Pointer];
        if network.switch.arbiter == Arbiter::Matrix {
            output.extend((0..lanes.inputs.count()).map(Wire::Order));
        }
        output.extend([Wire::GroupPointer, Wire::Owner, Wire::Pending, Wire::Ahead, Wire::LinkPointer, Wire::Select]);
        output.extend([Wire::Credits, Wire::Returned]);
        let station = vec![Wire::TokenRequest, Wire::TokenHolder, Wire::TokenForwarded, Wire::TokenPointer];
        let groups = network.lane_groups(wiring, lanes);
        let groups = groups.iter().rposition(|group| !group.is_empty()).map_or(0, |last| last as u8 + 1);
        let (inputs, outputs) = (lanes.inputs.count(), lanes.outputs.count());
        Self { input, injected, from_node, output, station, inputs, outputs, groups, depth }
    }

    /// Whether there are any signals.
    #[must_use]
    pub fn are_shown(&self) -> bool {
        !self.input.is_empty()
    }

    /// The signals of an instance.
    #[must_use]
    pub fn of(&self, instance: Instance) -> &[Wire] {
        match instance {
            Instance::Input(switch, lane) => {
                let at = switch.index() * usize::from(self.inputs) + usize::from(lane);
                if self.from_node.get(at) == Some(&true) { &self.injected } else { &self.input }
            }
            Instance::Output(..) => &self.output,
            Instance::Station(_) => &self.station,
            Instance::Injection(..) | Instance::Queue(_) | Instance::Ejection(..) => &[],
        }
    }

    /// The type of a signal of a lane. `behind` is the depth of the FIFO at the end of the lane.
    #[must_use]
    pub fn type_of(&self, wire: Wire, behind: u32) -> Type {
        match wire {
            Wire::CellWorm(_) | Wire::Service => Type::Worm,
            Wire::CellFlit(_) => Type::Flit,
            Wire::ServiceEncoding => Type::Encoding,
            Wire::HeaderCount | Wire::Pointer | Wire::GroupPointer | Wire::LinkPointer | Wire::TokenPointer => {
                Type::Number(8)
            }
            Wire::Header(_) => Type::Word,
            Wire::Ready | Wire::Stripped | Wire::Decided | Wire::Pending => Type::Flag,
            Wire::Due | Wire::ReservedFor | Wire::TokenForwarded => Type::Number(32),
            Wire::Branches | Wire::Wanted => Type::Lanes(self.groups),
            Wire::Held | Wire::Taken | Wire::Reserved => Type::Lanes(self.outputs),
            Wire::Owner | Wire::Grant | Wire::Select | Wire::TokenHolder => Type::Owner,
            Wire::Ahead => Type::Flits(self.depth),
            Wire::Credits => Type::Credits(behind),
            Wire::Returned => Type::Flits(behind),
            Wire::Request | Wire::Order(_) | Wire::TokenRequest => Type::Lanes(self.inputs),
        }
    }
}

/// Values of a switch that are computed once for all its lanes.
#[derive(Default)]
struct Asked {
    switch: Option<SwitchId>,
    /// Inputs that ask for each lane group.
    inputs: Vec<InputMask>,
}

/// Follows the registers of a run, to give the values of the signals.
pub(crate) struct SwitchBlocks {
    lanes: Lanes,
    groups: [LaneMask; 64],
    replication: Replication,
    /// Registers at the start of the cycle that is shown next.
    before: Option<Registers>,
    /// For each output lane, the owner and whether a flit crosses, in the latest sample.
    owners: Vec<Option<u8>>,
    crossing: Vec<bool>,
    asked: Asked,
}

/// Registers at the start of a cycle and after it.
#[derive(Clone, Copy)]
pub(crate) struct Cycle<'a> {
    pub q: &'a Registers,
    pub d: &'a Registers,
}

impl SwitchBlocks {
    /// At reset.
    #[must_use]
    pub fn new(network: &Network, wiring: &Wiring) -> Self {
        let lanes = network.lanes(wiring);
        let all = wiring.switches() as usize * usize::from(lanes.outputs.count());
        Self {
            lanes,
            groups: network.lane_groups(wiring, lanes),
            replication: network.switch.replication,
            before: None,
            owners: vec![None; all],
            crossing: vec![false; all],
            asked: Asked::default(),
        }
    }

    /// Takes the samples of the output lanes in a cycle.
    pub fn commit(&mut self, log: &CommitLog) {
        for s in &log.outputs {
            let at = self.output(s.switch, s.lane);
            (self.owners[at], self.crossing[at]) = (s.owner, s.flit.is_some());
        }
    }

    /// Takes registers. Returns the previous registers, unless they are of the same cycle.
    pub fn next(&mut self, registers: &Registers) -> Option<Registers> {
        let before = self.before.replace(registers.clone());
        self.asked.switch = None;
        before.filter(|before| before.cycle < registers.cycle)
    }

    fn output(&self, switch: SwitchId, lane: u8) -> usize {
        switch.index() * usize::from(self.lanes.outputs.count()) + usize::from(lane)
    }

    fn input(&self, switch: SwitchId, lane: u8) -> usize {
        switch.index() * usize::from(self.lanes.inputs.count()) + usize::from(lane)
    }

    /// The value of a signal in a cycle.
    pub fn value(&mut self, instance: Instance, wire: Wire, cycle: Cycle) -> u64 {
        match instance {
            Instance::Input(switch, lane) => input_value(wire, &cycle.q.inputs[self.input(switch, lane)]),
            Instance::Output(switch, lane) => self.output_value(switch, lane, wire, cycle),
            Instance::Station(switch) => station(cycle.q, switch).map_or(0, |q| match wire {
                Wire::TokenRequest => q.request.0,
                Wire::TokenHolder => signal::owner(q.holder),
                Wire::TokenForwarded => q.forwarded.into(),
                _ => q.pointer.into(),
            }),
            Instance::Injection(..) | Instance::Queue(_) | Instance::Ejection(..) => 0,
        }
    }

    fn output_value(&mut self, switch: SwitchId, lane: u8, wire: Wire, cycle: Cycle) -> u64 {
        let at = self.output(switch, lane);
        let (q, d): (&OutRegisters, &OutRegisters) = (&cycle.q.outputs[at], &cycle.d.outputs[at]);
        match wire {
            Wire::Owner => signal::owner(q.owner),
            Wire::Pending => q.pending.into(),
            Wire::Ahead => q.read.into(),
            Wire::Credits => q.credits.into(),
            Wire::Returned => (d.credits + u16::from(self.crosses(at, cycle))).saturating_sub(q.credits).into(),
            Wire::Request => {
                if self.asked.switch != Some(switch) {
                    self.asked = Asked { switch: Some(switch), inputs: self.asked_of(switch, cycle) };
                }
                let group = self.groups.iter().position(|lanes| lanes.has(lane));
                group.map_or(0, |group| self.asked.inputs[group].0)
            }
            Wire::Grant => signal::owner(self.granted(at, cycle)),
            Wire::Pointer => q.pointer.into(),
            Wire::Order(input) => q.ahead.get(usize::from(input)).copied().unwrap_or(0),
            Wire::GroupPointer => q.group.into(),
            Wire::LinkPointer => q.multiplexer.into(),
            Wire::Select => signal::owner(self.owners[at].filter(|_| self.crosses(at, cycle))),
            _ => 0,
        }
    }

    /// Whether a flit crosses an output lane. None does in a cycle that is not evaluated.
    fn crosses(&self, at: usize, cycle: Cycle) -> bool {
        self.crossing[at] && cycle.q.cycle < cycle.d.cycle
    }

    /// The input to which an output lane is granted in this cycle. The lane has no owner before.
    fn granted(&self, at: usize, cycle: Cycle) -> Option<u8> {
        self.owners[at].filter(|_| cycle.q.outputs[at].owner.is_none() && cycle.q.cycle < cycle.d.cycle)
    }

    /// For each lane group, the inputs of a switch that ask for it in a cycle. The switch connects
    /// its replication units and its token station with the allocator in the same way.
    fn asked_of(&self, switch: SwitchId, cycle: Cycle) -> Vec<InputMask> {
        let mut asked = vec![InputMask::NONE; self.groups.len()];
        // An input that captures the token in this cycle asks in this cycle.
        let waiting = station(cycle.d, switch).map_or(InputMask::NONE, |station| station.request);
        for lane in (0..self.lanes.inputs.count()).filter(|lane| !waiting.has(*lane)) {
            let at = self.input(switch, lane);
            for group in self.asks(switch, lane, &cycle.q.inputs[at], &cycle.d.inputs[at], cycle).iter() {
                asked[usize::from(group)] |= InputMask::only(lane);
            }
        }
        asked
    }

    /// Lane groups that an input asks for.
    fn asks(&self, switch: SwitchId, lane: u8, q: &InRegisters, d: &InRegisters, cycle: Cycle) -> GroupMask {
        if let Some(of) = q.service.as_ref().filter(|of| of.decided) {
            let unit = replication::Reg { branches: of.branches, wanted: of.wanted, lanes: of.lanes, taken: of.taken };
            return unit.asks(self.replication);
        }
        // For a worm decided in this cycle: the groups that it got at once, and the groups that it
        // still wants.
        let first = self.output(switch, 0);
        let got =
            (0..self.lanes.outputs.count()).filter(|o| self.granted(first + usize::from(*o), cycle) == Some(lane));
        let group_of = |lane: u8| self.groups.iter().position(|lanes| lanes.has(lane)).map(|group| group as u8);
        let got: GroupMask = got.filter_map(group_of).collect();
        let wants = d.service.as_ref().filter(|of| of.decided).map_or(GroupMask::NONE, |of| of.wanted);
        match self.replication {
            Replication::Sequential if got.is_empty() => wants.lowest(),
            Replication::Sequential => got,
            _ => got | wants,
        }
    }
}

fn input_value(wire: Wire, q: &InRegisters) -> u64 {
    let of = q.service.as_ref();
    let cell = |cell: u16| q.flits.get(usize::from(cell));
    match wire {
        Wire::CellWorm(at) => signal::worm(cell(at).map(|flit| flit.worm)),
        Wire::CellFlit(at) => signal::flit(cell(at).map(|flit| flit.index)),
        Wire::Service => signal::worm(of.map(|of| of.worm)),
        Wire::ServiceEncoding => of.map_or(NO_ENC, |of| of.encoding as u64),
        Wire::HeaderCount => of.map_or(0, |of| of.header.len().min(255) as u64),
        Wire::Header(word) => of.and_then(|of| of.header.get(usize::from(word))).copied().unwrap_or(0),
        Wire::Ready => of.is_some_and(|of| of.ready).into(),
        Wire::Stripped => of.is_some_and(|of| of.stripped).into(),
        Wire::Decided => of.is_some_and(|of| of.decided).into(),
        Wire::Due => of.map_or(0, |of| of.due).into(),
        Wire::Branches => of.map_or(0, |of| of.branches.0),
        Wire::Wanted => of.map_or(0, |of| of.wanted.0),
        Wire::Held => of.map_or(0, |of| of.lanes.0),
        Wire::Taken => of.map_or(0, |of| of.taken.0),
        Wire::Reserved => of.map_or(0, |of| of.lock.lanes.0),
        Wire::ReservedFor => of.map_or(0, |of| of.lock.left).into(),
        _ => 0,
    }
}

/// The token station of a switch.
fn station(q: &Registers, switch: SwitchId) -> Option<token_station::Reg> {
    q.rings.iter().flat_map(|ring| &ring.stations).find(|(at, _)| *at == switch).map(|(_, station)| *station)
}
