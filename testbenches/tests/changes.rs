//! Changes of lanes and whole banks of lanes tell coverage what all lanes tell, one by one.

use proptest::prelude::*;
use wormscope::coverage::{Coverage, Covered};
use wormscope::engine::{CommitLog, Delivery, Limits, NewWorm, Observer, Samples, Schedule, WormInfo};
use wormscope::hw::Encoding;
use wormscope::network::{Network, Topology};
use wormscope_testbenches::random::{Kind, cases, drafts, networks, topologies, worms};
use wormscope_testbenches::{Script, drive, engine};

/// Coverage from some kind of samples.
struct Counted {
    coverage: Coverage,
    samples: Samples,
    /// Commits with banks.
    banks: u32,
}

impl Observer for Counted {
    const COMMITS: bool = true;

    fn samples(&self) -> Samples {
        self.samples
    }

    fn commit(&mut self, log: &CommitLog) {
        self.banks += u32::from(!log.banks.is_empty());
        self.coverage.commit(log);
    }

    fn created(&mut self, worm: &WormInfo) {
        self.coverage.created(worm);
    }

    fn delivered(&mut self, worm: &WormInfo, delivery: &Delivery) {
        self.coverage.delivered(worm, delivery);
    }
}

/// The bins of a run, and the number of commits with banks.
fn counted(network: &Network, worms: &[NewWorm], samples: Samples, schedule: Schedule) -> (Covered, u32) {
    let coverage = Coverage::new(network, &drive::wiring(network));
    let (mut engine, mut observer) = (engine(network), Counted { coverage, samples, banks: 0 });
    engine.set_schedule(schedule);
    let limits = Limits { max_cycles: 2000, ..Limits::default() };
    let _ = wormscope::simulation::run(&mut engine, &mut Script::new(worms.to_vec()), &limits, &mut observer, |_| ());
    (observer.coverage.covered(), observer.banks)
}

fn equal(network: &Network, worms: &[NewWorm], seed: u64) -> Result<(), TestCaseError> {
    for schedule in [Schedule::Sleeping, Schedule::FullSweep, Schedule::Shuffled(seed)] {
        let (expected, _) = counted(network, worms, Samples::Lanes, schedule);
        let (covered, _) = counted(network, worms, Samples::Changes, schedule);
        prop_assert_eq!(covered, expected, "{:?}", schedule);
    }
    Ok(())
}

proptest! {
    #![proptest_config(cases(400))]

    #[test]
    fn changes_tell_coverage_what_all_lanes_tell(
        network in networks(topologies()), drafts in drafts(40, 120), seed in any::<u64>(),
    ) {
        equal(&network, &worms(&network, &drafts, Kind::Any), seed)?;
    }
}

#[test]
fn banks_are_told_in_a_mesh() {
    let mesh = drive::network(Topology::Mesh { radices: vec![3, 3] });
    let worms = [drive::worm(0, 0, &[4, 8], Encoding::BitString, 20), drive::unicast(3, 1, 7, 9)];
    let (covered, banks) = counted(&mesh, &worms, Samples::Changes, Schedule::Sleeping);
    assert!(banks > 20 && covered.hits.len() > 20, "{banks} {}", covered.hits.len());
}
