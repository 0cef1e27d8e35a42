//! Registers of a switch as they stand at the start of a cycle, kept for the commit log.

use super::switch::{Bank, Params};
use wormscope_hw::{Flit, bits};

/// An input lane at the start of a cycle.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct InBefore {
    pub count: u16,
    pub front: Option<Flit>,
    /// Lanes held whose branch has the front flit.
    pub taken: u64,
    /// Lane groups of the branches that have had the tail.
    pub passed: u64,
}

/// Registers of the switch under evaluation as they stood at the start of the cycle.
#[derive(Clone, Debug, Default)]
pub(super) struct Sampler {
    pub inputs: Vec<InBefore>,
    /// Owner and credits.
    pub outputs: Vec<(Option<u8>, u16)>,
}

impl Sampler {
    /// Keeps the registers of the switch whose lanes are `lanes`; `flit` reads a FIFO cell.
    pub fn before(&mut self, p: &Params, lanes: u64, bank: &Bank, flit: impl Fn(usize, u16) -> Flit) {
        let first = lanes.trailing_zeros() as usize;
        self.inputs.clear();
        self.inputs.extend((first..first + p.in_lanes as usize).map(|i| {
            let q_in = &bank.ins[i];
            let active = bank.q.active >> i & 1 != 0;
            let count = bank.q.flits.get(i);
            let holds = |group: usize| bank.readers[i].lanes & p.group_lanes[group] << first != 0;
            let settled = if active { q_in.branches & !q_in.wanted } else { 0 };
            InBefore {
                count,
                front: (count > 0).then(|| flit(i, bank.readers[i].read)),
                taken: if active { q_in.taken } else { 0 },
                passed: bits(settled).filter(|&group| !holds(group)).fold(0, |groups, group| groups | 1 << group),
            }
        }));
        self.outputs.clear();
        let outs = first..first + p.out_lanes as usize;
        self.outputs.extend(outs.map(|o| (bank.outs[o].owner(), bank.q.credits.get(o))));
    }
}
