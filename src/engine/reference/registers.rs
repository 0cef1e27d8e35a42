//! All registers, in the form in which the banked engine gives its own.

use wormscope_hw::{Flit, NodeId, Replication, SwitchId, WormId, decoder, token_station};

use super::Reference;
use crate::flit_id::FlitId;
use crate::registers::{InRegisters, InjectRegisters, OutRegisters, Registers, RingRegisters, Service};

/// Registers of a consumption lane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConsumptionRegisters {
    /// The flits in its FIFO, front first, and their side signals.
    pub flits: Vec<FlitId>,
    pub signals: Vec<u8>,
    /// Free places of its receive buffer, in payload flits, if the buffer is bounded.
    pub space: Option<u32>,
}

impl Reference {
    /// Registers of the consumption lanes of a node, in order.
    #[must_use]
    pub fn consumptions(&self, node: NodeId) -> Vec<ConsumptionRegisters> {
        let id = |flit: Flit| FlitId { worm: WormId(flit.worm()), index: flit.index() };
        let lanes = self.nodes[node.index()].q.consumptions.iter().map(|lane| {
            let flits = (0..lane.fifo.count()).filter_map(|ahead| lane.fifo.at(ahead));
            let (flits, signals) = flits.map(|of| (id(of.flit), of.flit.side_signals())).unzip();
            ConsumptionRegisters { flits, signals, space: lane.sink.space }
        });
        lanes.collect()
    }

    /// Side signals of the flits in the FIFO of an input lane, front first.
    #[must_use]
    pub fn input_signals(&self, switch: SwitchId, lane: u8) -> Vec<u8> {
        let fifo = &self.switches[switch.index()].q.inputs[usize::from(lane)].fifo;
        (0..fifo.count()).filter_map(|ahead| fifo.at(ahead)).map(|symbol| symbol.flit.side_signals()).collect()
    }

    /// Data of the flits in the FIFO of an input lane, front first. Each flit has its bits, bit 0
    /// first. A head also has the header that wires beside the data carry.
    #[must_use]
    pub fn input_data(&self, switch: SwitchId, lane: u8) -> Vec<Vec<bool>> {
        let input = &self.switches[switch.index()].q.inputs[usize::from(lane)];
        let service = input.decoder.service();
        let mut words = service.map(|of| of.header.clone()).unwrap_or_default();
        let symbols = (0..input.fifo.count()).filter_map(|ahead| input.fifo.at(ahead));
        let data = symbols.map(|symbol| {
            // The header of a worm in service is that of its decoder.
            let is_served = service.is_some_and(|of| of.worm == symbol.flit.worm());
            if let Some(header) = symbol.header.as_ref().filter(|_| !is_served) {
                words.clone_from(header);
            }
            let beside = symbol.flit.is_head().then(|| self.shape.header_beside(symbol.flit.encoding(), &words));
            let mut data = self.data(symbol.flit, &words, None);
            data.extend(beside.into_iter().flatten());
            data
        });
        data.collect()
    }

    /// All registers at the start of the cycle that is evaluated next.
    #[must_use]
    pub fn registers(&self) -> Registers {
        let id = |flit: Flit| FlitId { worm: WormId(flit.worm()), index: flit.index() };
        let inputs = self.switches.iter().flat_map(|at| &at.q.inputs).enumerate().map(|(lane, input)| {
            let count = input.fifo.count();
            let decided = matches!(input.decoder, decoder::Reg::Decided(_));
            let service = input.decoder.service().map(|of| Service {
                worm: WormId(of.worm),
                encoding: of.enc,
                header: of.header.clone(),
                ready: of.ready,
                stripped: of.stripped,
                decided,
                due: if decided { self.ledger.asked(lane) } else { of.due },
                branches: input.branches.branches,
                wanted: input.branches.wanted,
                lanes: input.branches.lanes,
                taken: input.branches.taken,
                lock: input.lock,
            });
            let flits = (0..count).filter_map(|ahead| input.fifo.at(ahead)).map(|symbol| id(symbol.flit)).collect();
            InRegisters { count, flits, service }
        });
        let outputs = self.switches.iter().flat_map(|at| &at.q.outputs).map(|output| OutRegisters {
            credits: output.credits.count,
            owner: output.lane.owner,
            pending: output.lane.pending,
            read: if output.lane.is_free() { 0 } else { output.lane.ahead },
            pointer: output.allocator.arbiter.pointer,
            ahead: output.allocator.arbiter.ahead.clone(),
            group: output.allocator.group.pointer,
            multiplexer: output.mux.pointer,
        });
        let channels = self.nodes.iter().flat_map(|node| node.q.injections.iter().map(move |of| (node, of)));
        let channels = channels.map(|(node, channel)| InjectRegisters {
            credits: channel.credits.count,
            next: (!channel.injector.is_idle()).then(|| id(channel.injector.next)),
            multiplexer: channel.mux.pointer,
            queue: node.queued,
        });
        let station = |switch: &SwitchId| self.switches[switch.index()].q.station.unwrap_or(token_station::Reg::IDLE);
        let rings = self.rings.iter().map(|ring| RingRegisters {
            token: ring.q,
            stations: ring.stations.iter().map(|switch| (*switch, station(switch))).collect(),
        });
        let synchronous = self.shape.switch.replication == Replication::Synchronous;
        let trees = self.worms.iter().filter(|(_, worm)| synchronous && worm.injected.is_some());
        Registers {
            trees: trees.map(|(&id, worm)| (WormId(id), worm.tree)).collect(),
            cycle: self.now,
            inputs: inputs.collect(),
            outputs: outputs.collect(),
            channels: channels.collect(),
            rings: rings.collect(),
        }
    }
}
