//! Random multicasts in software: messages of random traffic, each planned when it is created.

use super::groups::Among;
use super::operation::Design;
use super::planner::Planner;
use super::traffic::Random;
use crate::experiment::{Experiment, Length, Settings, Traffic};
use crate::input::ConfigError;

/// An entry of random traffic whose messages an algorithm performs. Sources, destinations, lengths
/// and cycles are the same as without an algorithm.
pub(super) struct Drawing {
    random: Random,
    planner: Planner,
    entry: usize,
    algorithm: String,
    settings: Settings,
}

impl Drawing {
    /// Entry number `entry` of a validated experiment, with an algorithm.
    pub fn new(
        planner: &Planner,
        experiment: &Experiment,
        entry: usize,
        traffic: &Traffic,
        algorithm: &str,
        among: Among,
    ) -> Self {
        Self {
            random: Random::new(&experiment.network, traffic, &experiment.run, entry as u64, among),
            planner: planner.clone(),
            entry,
            algorithm: algorithm.to_owned(),
            settings: traffic.settings.clone().unwrap_or_default(),
        }
    }

    /// Place of the traffic in the workload.
    pub fn entry(&self) -> usize {
        self.entry
    }

    /// Cycle of the next message.
    pub fn next_cycle(&mut self) -> Option<u64> {
        self.random.next_cycle()
    }

    /// The next message, ready to begin. The order of its destinations is random, because some
    /// algorithms keep this order.
    ///
    /// # Errors
    /// The algorithm makes no plan for it.
    pub fn next(&mut self) -> Result<Option<Design>, ConfigError> {
        let Some(mut drawn) = self.random.draw() else { return Ok(None) };
        let mut to = drawn.destinations.to_vec();
        drawn.random.shuffle(&mut to);
        let length = Length::new(self.planner.network(), Some(drawn.payload_flits), None);
        let length = length.map_err(|why| self.planner.refusal(self.entry, &why))?;
        self.planner.design(self.entry, &self.algorithm, &self.settings, length, drawn.source, &to).map(Some)
    }
}

#[cfg(test)]
mod tests {
    use super::super::groups::Groups;
    use super::super::{NewWorm, Stimulus};
    use super::*;
    use crate::config;
    use crate::experiment::Workload;
    use crate::site::Site;

    #[test]
    fn messages_are_those_that_hardware_is_given() {
        let text = |algorithm: &str| {
            format!(
                "(network: (topology: mesh(radices: [8, 8])), groups: [(name: \"g\", nodes: random(40))], workload: [\
                 traffic(load: 0.1, payload_flits: 3), \
                 traffic(load: 0.1, encoding: bit_string, group: \"g\", counts: uniform(least: 1, most: 9), \
                 lengths: uniform(least: 1, most: 9), {algorithm})], run: (drain: empty))"
            )
        };
        let load = |text: &str| config::from_text("x.ron", text, &[]).unwrap();
        let mut hardware = Stimulus::load(&load(&text(""))).unwrap();
        let worms: Vec<NewWorm> = std::iter::from_fn(|| hardware.pop(u64::MAX).unwrap()).collect();
        let mut worms = worms.into_iter().filter(|worm| worm.encoding != wormscope_hw::Encoding::Unicast);
        let loaded = load(&text("algorithm: \"binomial\""));
        let mut software = Stimulus::load(&loaded).unwrap();
        let others = std::iter::from_fn(|| software.pop(u64::MAX).unwrap());
        assert!(others.into_iter().all(|worm| worm.payload_flits == 3));

        let (experiment, site) = (&loaded.experiment, Site::of(&loaded).unwrap());
        let Workload::Traffic(traffic) = &experiment.workload[1] else { panic!("traffic") };
        let among = Groups::new(experiment).among(traffic.group.as_ref());
        let mut drawing = Drawing::new(&Planner::new(&loaded, &site), experiment, 1, traffic, "binomial", among);
        let mut any_order = false;
        while let Some(cycle) = drawing.next_cycle() {
            let design = drawing.next().unwrap().unwrap();
            let worm = worms.next().unwrap();
            assert_eq!((worm.cycle, worm.source, worm.payload_flits), (cycle, design.plan.source, design.length.flits));
            assert_eq!(*worm.destinations, *design.plan.destinations);
            any_order |= !design.plan.sends.iter().flat_map(|send| &send.to).is_sorted();
        }
        assert!(worms.next().is_none() && any_order);
    }
}
