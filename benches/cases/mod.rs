//! The workloads for measurements of speed: one thread, and no observer.
//!
//! Worms have 16 flits, and FIFOs a depth of 4. These networks saturate at the following offered
//! loads, in flits per node and cycle:
//!
//! - an 8x8 mesh at 0.23;
//! - a 32x32 mesh at 0.06;
//! - the 64-node baseline network at 0.37.
//!
//! A higher offered load does not raise the accepted load. `wormscope run` on these texts shows it.

// Each benchmark uses its part.
#![allow(dead_code)]

use std::convert::Infallible;

use wormscope::config;
use wormscope::engine::{Chosen, Class, Clocked as _, Destinations, Limits, NewWorm};
use wormscope::experiment::Loaded;
use wormscope::hw::{Encoding, NodeId};
use wormscope::simulation::{Outcome, Site};
use wormscope::workload::Stimulus;

/// One workload.
pub struct Case {
    /// Name in results.
    pub name: &'static str,
    /// The experiment in RON.
    pub text: &'static str,
}

/// The workloads.
pub const CASES: [Case; 6] = [
    Case {
        name: "mesh_8x8_half_saturation",
        text: "(
            network: (topology: mesh(radices: [8, 8])),
            workload: [traffic(load: 0.115, payload_flits: 15)],
        )",
    },
    Case {
        name: "mesh_8x8_near_saturation",
        text: "(
            network: (topology: mesh(radices: [8, 8])),
            workload: [traffic(load: 0.21, payload_flits: 15)],
        )",
    },
    Case {
        name: "mesh_32x32_mid_load",
        text: "(
            network: (topology: mesh(radices: [32, 32])),
            workload: [traffic(load: 0.04, payload_flits: 15)],
        )",
    },
    // There are four unicasts to one multicast. A message of eight destinations is on average two
    // worms of 16 + 16 + 6 flits.
    Case {
        name: "mesh_16x16_multicast_20_percent",
        text: "(
            network: (
                topology: mesh(radices: [16, 16]),
                routing: label_order,
                node: (consumption_channels: 4),
            ),
            workload: [
                traffic(load: 0.015, payload_flits: 15),
                traffic(load: 0.009, encoding: multidestination, destinations: 8, payload_flits: 15),
            ],
        )",
    },
    Case {
        name: "baseline_64_4x4_half_saturation",
        text: "(
            network: (topology: uni_min(kind: baseline, switch_ports: 4, stages: 3)),
            workload: [traffic(load: 0.187, payload_flits: 15)],
        )",
    },
    // Half of the flits that arrive are copies of multicasts to 32 of 64 nodes: 0.003 * 32 is the
    // load of the unicasts.
    Case {
        name: "baseline_64_4x4_atbm_half_multicast",
        text: "(
            network: (
                topology: uni_min(kind: baseline, switch_ports: 4, stages: 3),
                switch: (flit_bits: 16),
                token_ring: (hop_cycles: 1),
            ),
            workload: [
                traffic(load: 0.096, payload_flits: 15),
                traffic(load: 0.003, encoding: bit_string, destinations: 32, payload_flits: 60),
            ],
        )",
    },
];

/// A network and its traffic, under way.
pub struct Running {
    engine: Chosen,
    stimulus: Stimulus,
}

impl Running {
    /// The network of a workload, still empty.
    pub fn new(case: &Case) -> Self {
        Self::of(case.text)
    }

    /// The network of an experiment, still empty.
    pub fn of(text: &str) -> Self {
        let loaded = load(text);
        Self { engine: engine(&loaded), stimulus: Stimulus::load(&loaded).expect("no trace to open") }
    }

    /// Simulates cycles up to `end`; returns all flit-hops since cycle 0.
    pub fn run_to(&mut self, end: u64) -> u64 {
        let limits = Limits { max_cycles: end, ..Limits::default() };
        let outcome = wormscope::simulation::run(&mut self.engine, &mut self.stimulus, &limits, &mut (), |_| ());
        assert!(matches!(outcome, Ok(Outcome::CycleLimit)), "traffic flows without end: {outcome:?}");
        self.engine.totals().flit_hops
    }
}

/// The experiment of a text.
pub fn load(text: &str) -> Loaded {
    config::from_text("benches/cases", text, &[]).expect("the workloads are valid")
}

/// The empty network of an experiment, in the engine that runs it.
pub fn engine(loaded: &Loaded) -> Chosen {
    wormscope::simulation::engine(loaded, &Site::of(loaded).unwrap())
}

/// One message every million cycles, from corner to corner.
pub struct Rare {
    /// Messages still to come.
    pub messages: u64,
    /// Cycle of the next one.
    pub next: u64,
    /// The far corner.
    pub last: NodeId,
}

impl Rare {
    /// Cycles between messages.
    pub const GAP: u64 = 1_000_000;
}

impl wormscope::engine::Stimulus for Rare {
    type Error = Infallible;

    fn next_cycle(&mut self) -> Option<u64> {
        (self.messages > 0).then_some(self.next)
    }

    fn pop(&mut self, cycle: u64) -> Result<Option<NewWorm>, Infallible> {
        if self.next_cycle().is_none_or(|next| next > cycle) {
            return Ok(None);
        }
        self.messages -= 1;
        self.next += Self::GAP;
        Ok(Some(NewWorm {
            cycle,
            source: NodeId(0),
            destinations: Destinations::One(self.last),
            encoding: Encoding::Unicast,
            payload_flits: 15,
            class: Class::default(),
        }))
    }
}
