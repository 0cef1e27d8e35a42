//! Sleeping, skipping, watching and the order of evaluation change no bit. Registers are equal in
//! every cycle, with stalls or without.

use proptest::prelude::*;
use wormscope::engine::{
    Clocked as _, Delivery, Engine, LaneStats, Limits, NewWorm, Observer, Schedule, Totals, WormInfo,
};
use wormscope::network::{Network, Topology};
use wormscope::simulation::Outcome;
use wormscope_testbenches::drive::{network, unicast};
use wormscope_testbenches::ledger::Ledger;
use wormscope_testbenches::random::{Kind, cases, drafts, networks, topologies, worms};
use wormscope_testbenches::stalls::{Stall, stall, stalls};
use wormscope_testbenches::{Arrivals, Script, engine, step};

/// Cycles that are compared at most.
const CYCLES: u64 = 1500;

/// One engine under one schedule.
struct Run {
    engine: Engine,
    script: Script,
    seen: Arrivals,
    /// Present where the run is watched.
    ledger: Option<Ledger>,
}

/// All results of a run at its end.
#[derive(Debug, PartialEq)]
struct Summary {
    account: wormscope::engine::CycleAccount,
    totals: Totals,
    lanes: Vec<LaneStats>,
    blamed: Option<(wormscope::hw::WormId, u64)>,
    deliveries: Vec<Delivery>,
}

impl Run {
    fn new(network: &Network, worms: &[NewWorm], stalls: &[Stall], schedule: Schedule, watched: bool) -> Self {
        let mut engine = engine(network);
        for of in stalls {
            stall(&mut engine, network, of);
        }
        engine.set_schedule(schedule);
        let ledger = watched.then(|| Ledger::new(network));
        Self { engine, script: Script::new(worms.to_vec()), seen: Arrivals::default(), ledger }
    }

    fn step(&mut self) {
        match &mut self.ledger {
            Some(ledger) => step(&mut self.engine, &mut self.script, &mut (&mut self.seen, ledger)),
            None => step(&mut self.engine, &mut self.script, &mut self.seen),
        }
    }

    fn summary(&self) -> Summary {
        let totals = Totals { evaluations: 0, ..self.engine.totals() };
        Summary {
            account: self.engine.account(),
            totals,
            lanes: self.engine.lane_stats().collect(),
            blamed: self.engine.most_blamed(),
            deliveries: self.seen.0.clone(),
        }
    }
}

fn all_schedules_agree(network: &Network, worms: &[NewWorm], stalls: &[Stall], seed: u64) -> Result<(), TestCaseError> {
    let mut sleeping = Run::new(network, worms, stalls, Schedule::Sleeping, false);
    let mut others = vec![
        ("full sweep", Run::new(network, worms, stalls, Schedule::FullSweep, false)),
        ("shuffled", Run::new(network, worms, stalls, Schedule::Shuffled(seed), false)),
        ("watched", Run::new(network, worms, stalls, Schedule::Sleeping, true)),
        ("watched full sweep", Run::new(network, worms, stalls, Schedule::FullSweep, true)),
        ("watched and shuffled", Run::new(network, worms, stalls, Schedule::Shuffled(!seed), true)),
    ];
    while sleeping.engine.now() < CYCLES
        && (sleeping.engine.next_event().is_some() || sleeping.script.next_cycle().is_some())
    {
        sleeping.step();
        let registers = sleeping.engine.registers();
        let account = sleeping.engine.account();
        for (name, run) in &mut others {
            run.step();
            prop_assert_eq!(&run.engine.registers(), &registers, "{} in cycle {}", name, registers.cycle);
            prop_assert_eq!(run.engine.account(), account, "{} in cycle {}", name, registers.cycle);
        }
    }
    let summary = sleeping.summary();
    for (name, run) in &others {
        prop_assert_eq!(&run.summary(), &summary, "{}", name);
    }
    Ok(())
}

/// The same through [`Engine::run`], which skips idle time.
fn skipping_agrees(network: &Network, worms: &[NewWorm], stalls: &[Stall]) -> Result<(), TestCaseError> {
    let mut skipping = Run::new(network, worms, stalls, Schedule::Sleeping, false);
    let limits = Limits { max_cycles: CYCLES, ..Limits::default() };
    let outcome =
        wormscope::simulation::run(&mut skipping.engine, &mut skipping.script, &limits, &mut skipping.seen, |_| ())
            .expect("infallible");
    let last = skipping.engine.now();
    let mut stepping = Run::new(network, worms, stalls, Schedule::FullSweep, false);
    while stepping.engine.now() < last {
        stepping.step();
    }
    prop_assert_eq!(&stepping.engine.registers(), &skipping.engine.registers());
    prop_assert_eq!(stepping.engine.account(), skipping.engine.account());
    prop_assert_eq!(&stepping.seen, &skipping.seen);
    if outcome == Outcome::Done {
        skipping.engine.settle(&mut skipping.seen);
        prop_assert!(skipping.engine.is_clean());
    }
    Ok(())
}

proptest! {
    #![proptest_config(cases(120))]

    #[test]
    fn order_sleeping_and_watching_change_no_register(
        network in networks(topologies()), drafts in drafts(24, 60), stalls in stalls(100), seed in any::<u64>()
    ) {
        all_schedules_agree(&network, &worms(&network, &drafts, Kind::Any), &stalls, seed)?;
    }

    #[test]
    fn skipping_idle_time_changes_no_register(
        network in networks(topologies()), drafts in drafts(12, 1200), stalls in stalls(1200)
    ) {
        skipping_agrees(&network, &worms(&network, &drafts, Kind::Any), &stalls)?;
    }
}

#[derive(Default)]
struct Created(Vec<WormInfo>);

impl Observer for Created {
    fn created(&mut self, worm: &WormInfo) {
        self.0.push(worm.clone());
    }
}

#[test]
fn worms_created_inside_the_window_are_measured() {
    let mut engine = engine(&network(Topology::Linear { nodes: 3 }));
    let mut script = Script::new((0..6).map(|i| unicast(i * 10, (i % 3) as u32, 2, 3)).collect());
    let limits = Limits { measure_from: 10, measure_until: 40, ..Limits::default() };
    let mut created = Created::default();
    assert_eq!(wormscope::simulation::run(&mut engine, &mut script, &limits, &mut created, |_| ()), Ok(Outcome::Done));
    assert_eq!(engine.measured_alive(), 0);
    let measured: Vec<bool> = created.0.iter().map(|w| w.measured).collect();
    assert_eq!(measured, [false, true, true, true, false, false]);
}
