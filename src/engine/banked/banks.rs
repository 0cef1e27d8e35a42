//! Registers of all banks of switches, side by side. Lanes are counted over all banks, [`LANES`]
//! each.

use super::switch::{Bank, InLane, LANES, OutLane, Params, Reader, Reg, Writer};

use super::shape::BankedShape;
use wormscope_hw::{Flit, reservation};
use wormscope_network::Network;

/// Bytes that the registers and FIFOs of a network take, about.
#[must_use]
pub fn bytes(network: &Network) -> u64 {
    let (s, n) = (&network.switch, &network.node);
    // The larger number of input lanes and output lanes.
    let lanes = network.input_lanes().max(network.output_lanes());
    let banks = u64::from(network.switches()).div_ceil((LANES as u64 / u64::from(lanes)).max(1));
    // Every FIFO cell has a flit and a word for its header. For each cycle of delay, every wire has
    // two masks, and every node has one mask.
    let cell = u64::from(network.deepest_fifo().0) * (size_of::<Flit>() + size_of::<u32>()) as u64;
    let registers = size_of::<InLane>() + size_of::<Reader>() + size_of::<OutLane>() + size_of::<Writer>();
    let delays = [network.link, n.injection_link, n.consumption_link].map(|link| link.link_cycles + link.credit_cycles);
    let longest = s.crossbar_cycles + delays.into_iter().fold(1, u32::max);
    let wires = 3 * size_of::<u64>() as u64 * u64::from(longest.next_power_of_two());
    let order = size_of::<u64>() * s.arbiter.order(network.input_lanes().min(64) as u8).count();
    let bank = LANES as u64 * (cell + (registers + order) as u64) + wires + size_of::<Reg>() as u64;
    bank.saturating_mul(banks)
}

/// All banks.
#[derive(Clone, Debug)]
pub(super) struct Banks(pub Vec<Bank>);

impl Banks {
    pub fn new(shape: &BankedShape) -> Self {
        Self((0..shape.banks()).map(|bank| shape.idle_bank(bank)).collect())
    }

    /// Masks of a bank.
    pub fn masks(&self, bank: u32) -> &Reg {
        &self.0[bank as usize].q
    }

    /// The same, to be changed.
    pub(crate) fn masks_mut(&mut self, bank: u32) -> &mut Reg {
        &mut self.0[bank as usize].q
    }

    /// Registers of an input lane.
    pub fn input(&self, lane: usize) -> &InLane {
        &self.0[lane / LANES].ins[lane % LANES]
    }

    /// Registers of an input lane that each flit which leaves the lane needs.
    pub fn reader(&self, lane: usize) -> &Reader {
        &self.0[lane / LANES].readers[lane % LANES]
    }

    /// Registers of an output lane.
    pub fn output(&self, lane: usize) -> &OutLane {
        &self.0[lane / LANES].outs[lane % LANES]
    }

    /// The same, to be changed.
    pub(crate) fn output_mut(&mut self, lane: usize) -> &mut OutLane {
        &mut self.0[lane / LANES].outs[lane % LANES]
    }

    /// For each input: the inputs that the arbiter of an output lane prefers to it.
    pub fn ahead(&self, p: &Params, lane: usize) -> &[u64] {
        let Bank { ahead, .. } = &self.0[lane / LANES];
        ahead.get(p.ahead(lane % LANES)).unwrap_or_default()
    }

    /// Lanes that the worm of an input lane has reserved.
    pub fn lock(&self, lane: usize) -> reservation::Reg {
        self.0[lane / LANES].locks.get(lane % LANES).copied().unwrap_or_default()
    }

    /// Registers of an output lane that each flit which crosses the lane needs.
    pub fn writer(&self, lane: usize) -> &Writer {
        &self.0[lane / LANES].writers[lane % LANES]
    }

    /// Whether no worm holds a lane, and all flits and credits are where an idle network has them.
    pub(crate) fn is_idle(&self, shape: &BankedShape) -> bool {
        self.0.iter().all(|bank| {
            // A link may be stalled; arbiters need not be asked again.
            let idle = shape.idle_masks(&bank.outs);
            bank.readers.iter().all(|reader| reader.lanes == 0)
                && Reg { arbitrate: 0, credit: idle.credit, ..bank.q } == idle
                && bank.outs.iter().all(|out| out.owner.is_none())
        })
    }
}
