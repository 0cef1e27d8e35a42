//! All registers, as the banked engine tells its own.

use std::fmt::{Debug, Write as _};

use wormscope_hw::{SwitchId, WormId, decoder, token_ring};

use super::Reference;
use crate::engine::banked::Engine;
use crate::engine::banked::probe::{InRegisters, InjectRegisters, OutRegisters, Registers, RingRegisters};
use crate::engine::stats::{LaneStats, Totals};

/// Tells the instances of one kind whose registers differ, each by its place.
fn differing<R: PartialEq + Debug>(text: &mut String, own: &[R], banked: &[R], place: impl Fn(usize) -> String) {
    for (n, (own, banked)) in own.iter().zip(banked).enumerate().filter(|(_, (own, banked))| own != banked) {
        let _ = write!(text, "\n{}\n  reference: {own:?}\n  banked:    {banked:?}", place(n));
    }
}

impl Reference {
    /// Where the banked engine's registers and counters differ from these first, lane by lane.
    #[must_use]
    pub fn difference(&self, engine: &Engine) -> Option<String> {
        let counters: (_, _, Vec<_>) = (self.account(), self.totals(), self.lane_stats().collect());
        // It evaluates who is awake.
        let totals = Totals { evaluations: counters.1.evaluations, ..engine.totals() };
        let banked_counters = (engine.account(), totals, engine.lane_stats().collect());
        let (own, banked) = (self.registers(), engine.registers());
        if own == banked && counters == banked_counters {
            return None;
        }
        let (wiring, lanes) = (&self.shape.wiring, self.shape.lanes);
        let switch = |n: usize, side: u8| {
            (wiring.switch_name(SwitchId((n / usize::from(side)) as u32)), (n % usize::from(side)) as u8)
        };
        let input = |n| {
            let (switch, lane) = switch(n, lanes.inputs.count());
            format!("{switch}.{}", lanes.input_name(lane))
        };
        let output = |n| {
            let (switch, lane) = switch(n, lanes.outputs.count());
            format!("{switch}.{}", lanes.output_name(lane))
        };
        let channel = |n: usize| {
            let (node, channel) = (n / usize::from(lanes.inject), (n % usize::from(lanes.inject)) as u8);
            format!("node_{node}.{}", lanes.inject_name(channel))
        };
        let mut text = format!("registers or counters at the start of cycle {}:", own.cycle);
        differing(&mut text, &[own.cycle], &[banked.cycle], |_| "cycle".to_owned());
        differing(&mut text, &own.inputs, &banked.inputs, input);
        differing(&mut text, &own.outputs, &banked.outputs, output);
        differing(&mut text, &own.channels, &banked.channels, channel);
        differing(&mut text, &own.rings, &banked.rings, |n| format!("token ring {n}"));
        differing(&mut text, &[counters.0], &[banked_counters.0], |_| "where cycles went".to_owned());
        differing(&mut text, &[counters.1], &[banked_counters.1], |_| "totals".to_owned());
        differing(&mut text, &counters.2, &banked_counters.2, |n| {
            let LaneStats { switch, lane, .. } = counters.2[n];
            format!("counters of {}.{}", wiring.switch_name(switch), lanes.output_name(lane))
        });
        Some(text)
    }

    /// All registers at the start of the cycle that is evaluated next.
    #[must_use]
    pub fn registers(&self) -> Registers {
        let inputs = self.switches.iter().flat_map(|at| &at.q.inputs).map(|input| {
            let service = input.decoder.service();
            let decided = matches!(input.decoder, decoder::Reg::Decided(_));
            InRegisters {
                count: input.fifo.count(),
                flits: input.fifo.iter().map(|symbol| (symbol.flit.worm(), symbol.flit.index())).collect(),
                flags: [
                    matches!(input.decoder, decoder::Reg::Deciding(_)),
                    decided,
                    !decided && service.is_some_and(|of| of.ready),
                    service.is_some_and(|of| of.stripped),
                ],
                wanted: input.branches.wanted,
                lanes: input.branches.lanes,
                taken: input.branches.taken,
                due: service.filter(|of| of.ready).map_or(0, |of| of.due),
                header: service.map(|of| of.header.clone()).unwrap_or_default(),
            }
        });
        let outputs = self.switches.iter().flat_map(|at| &at.q.outputs).map(|lane| OutRegisters {
            credits: lane.credits,
            owner: lane.owner,
            ahead: lane.arbiter.ahead.clone(),
            pointers: [lane.arbiter.pointer.into(), lane.mux.into(), if lane.owner.is_some() { lane.ahead } else { 0 }],
        });
        let channels = self.nodes.iter().flat_map(|node| node.channels.iter().map(move |of| (node, of)));
        let channels = channels.map(|(node, channel)| InjectRegisters {
            credits: channel.credits,
            worm: (!channel.q.is_idle()).then(|| (WormId(channel.q.next.worm()), channel.q.next.index())),
            queue: node.queued,
        });
        let station = |switch: &SwitchId| self.switches[switch.index()].q.station.unwrap_or(token_ring::Reg::IDLE);
        let rings = self.rings.iter().map(|ring| RingRegisters {
            token: ring.token,
            stations: ring.stations.iter().map(|switch| (*switch, station(switch))).collect(),
        });
        Registers {
            cycle: self.now,
            inputs: inputs.collect(),
            outputs: outputs.collect(),
            channels: channels.collect(),
            rings: rings.collect(),
        }
    }
}
