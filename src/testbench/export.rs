//! A testbench of its own for one seed: its random stimulus as messages.

use std::sync::atomic::AtomicBool;

use super::load::Bench;
use super::run::BenchError;
use super::schema::Testbench;
use crate::engine::WormInfo;
use crate::experiment::{Message, Workload};
use crate::input::ron;
use crate::input::sparse::sparse;
use crate::network::Network;

impl Bench {
    /// The testbench with the worms that it sends with this seed, or with the seed of the file, as
    /// `messages`. It includes no file. Programs and multicasts in software stay as they are, and
    /// traffic beside them, because the seed of the run decides their worms.
    ///
    /// # Errors
    /// The workload needs groups, which only a configuration can have. Or the run is not possible.
    pub fn exported(&self, seed: Option<u64>) -> Result<Testbench, ExportError> {
        let loaded = self.with_random_worms(seed);
        let experiment = &loaded.experiment;
        let is_software =
            |entry: &Workload| matches!(entry, Workload::Spmd(_) | Workload::Multicast(_) | Workload::Multicasts(_));
        let drawn = |entry: &Workload| matches!(entry, Workload::Trace(_) | Workload::Traffic(_));
        let mut workload = experiment.workload.clone();
        let keeps = workload.iter().any(is_software);
        if !keeps && workload.iter().any(drawn) {
            let never = AtomicBool::new(false);
            let (_, worms) = self.run_of(&loaded, &never)?.ok_or(ExportError::Stopped)?;
            let classes = experiment.classes();
            let class = |worm: &WormInfo| classes.get(usize::from(worm.class.number?.get()) - 1).cloned();
            let messages = worms.iter().map(|worm| Message {
                cycle: worm.created,
                source: worm.source.0,
                destinations: worm.destinations.iter().map(|node| node.0).collect(),
                encoding: Some(worm.encoding),
                class: class(worm),
                payload_flits: worm.payload_flits,
            });
            workload.retain(|entry| matches!(entry, Workload::Stalls(_)));
            workload.insert(0, Workload::Messages(messages.collect()));
        }
        if !experiment.groups.is_empty() && workload.iter().any(|entry| is_software(entry) || drawn(entry)) {
            return Err(ExportError::Groups);
        }
        if !keeps {
            // Worms have their numbers by cycle, and within a cycle by their place.
            let is_messages = |entry: &mut Workload| matches!(entry, Workload::Messages(_));
            let all = workload.extract_if(.., is_messages).collect::<Vec<_>>();
            let all =
                all.into_iter().flat_map(|entry| if let Workload::Messages(of) = entry { of } else { Vec::new() });
            let mut all: Vec<Message> = all.collect();
            all.sort_by_key(|message| message.cycle);
            workload.insert(0, Workload::Messages(all));
        }
        Ok(Testbench {
            purpose: format!("{} (seed {})", self.purpose, experiment.run.seed),
            tags: self.tags.clone(),
            network: Some(experiment.network.clone()),
            workload,
            run: Some(experiment.run.clone()),
            unchecked: self.unchecked.clone(),
            cover: self.covers.cover.clone(),
            crosses: self.covers.crosses.clone(),
            exclude: self.covers.exclude.iter().map(|(_, of)| of.clone()).collect(),
            expect: self.expect.clone(),
            ..Testbench::default()
        })
    }
}

/// Reason why a testbench has no copy of its own for a seed.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// Its workload draws nodes of groups.
    #[error("the workload uses groups of its configuration, and a testbench cannot have groups")]
    Groups,
    /// Its run was stopped.
    #[error("the run was stopped")]
    Stopped,
    /// Its run is not possible.
    #[error(transparent)]
    Run(#[from] BenchError),
}

impl Testbench {
    /// The testbench as a file that begins with lines of comment.
    #[must_use]
    pub fn commented(&self, comment: &[&str]) -> String {
        comment.iter().flat_map(|line| ["// ", line, "\n"]).collect::<String>() + &self.text()
    }

    /// The testbench as a file: without fields that have their defaults.
    #[must_use]
    pub fn text(&self) -> String {
        let own = self.network.as_ref().and_then(|network| {
            ron::parse::<Network>(&format!("(topology: {})", ron::canonical(&network.topology))).ok()
        });
        let default =
            Self { network: own, run: self.run.as_ref().map(|_| crate::experiment::Run::default()), ..Self::default() };
        sparse(self, &default, &["network", "topology"])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testbench::from_text;

    #[test]
    fn a_seed_of_any_stimulus_is_a_testbench_of_its_own_with_the_same_verdict() {
        let mesh = "network: (topology: mesh(radices: [3, 3]), switch: (fifo_depth: 8))";
        let random = "random: [(worms: 9, cycles: (0, 30), payload_flits: (1, 8), encodings: [(bit_string, 1)])]";
        let traffic = "run: (measure_cycles: 100, drain: empty), workload: [traffic(load: 0.2, payload_flits: 7)]";
        let stalls = "workload: [stalls([(node: 1, from: 9, until: 20)])]";
        let late = "cover: [\"node1.ej.valid\", \"node2.ej.valid\"], exclude: [(bin: \"node1.ej.valid\", reason: \
                    \"far\")], crosses: [(name: \"c\", of: [[\"node1.ej.valid\"], [\"node2.ej.valid\"]])], \
                    expect: (latencies: [(at_most: 12)], properties: [\"never node1.ej.valid && cycle > 20\"])";
        for stimulus in [random.to_owned(), traffic.to_owned(), format!("{stalls}, {random}")] {
            let text = format!("(purpose: \"x\", {mesh}, {stimulus}, {late})");
            let mut bench = from_text("x.ron", &text).expect("a bench");
            bench.counts_coverage = true;
            for seed in [1, 7] {
                let text = bench.exported(Some(seed)).expect("a stimulus").text();
                let verdict = bench.run(Some(seed)).expect("a verdict");
                let mut again = from_text("x.ron", &text).unwrap_or_else(|error| panic!("{error}\n{text}"));
                again.counts_coverage = true;
                let again = again.run(None).expect("a verdict");
                assert!(!verdict.passed(), "{verdict}");
                assert_eq!((verdict.seed, verdict.worms, verdict.cycles), (again.seed, again.worms, again.cycles));
                let told =
                    |of: &super::super::Verdict| of.failures.iter().map(|f| f.message.clone()).collect::<Vec<_>>();
                assert_eq!(told(&verdict), told(&again), "{text}");
                let own = |of: &super::super::Verdict| of.coverage.as_ref().map(|counted| counted.own.clone());
                assert_eq!(own(&verdict), own(&again), "{text}");
                assert_eq!(own(&verdict).map(|bins| bins.len()), Some(3));
                assert!(
                    text.contains("    network: (topology: mesh(radices: [3, 3]), switch: (fifo_depth: 8)),\n"),
                    "{text}"
                );
            }
        }
    }

    #[test]
    fn a_written_testbench_reads_back_without_defaults() {
        let text_of =
            "(purpose: \"p\", expect: (deadlock: found(worms: [0])), network: (topology: mesh(radices: [3, 2]),
            switch: (fifo_depth: 7, arbiter: matrix), node: (consumption_channels: 2,
            consumption_link: (link_cycles: 3, credit_cycles: 2))),
            workload: [messages([(cycle: 3, source: 0, destinations: [1, 4], encoding: bit_string, payload_flits: 2)]),
                stalls([(node: 3, from: 0, until: 4)])])";
        let read = from_text("one.ron", text_of).expect("a testbench");
        let experiment = &read.loaded().experiment;
        let bench = Testbench {
            purpose: "p".to_owned(),
            network: Some(experiment.network.clone()),
            workload: experiment.workload.clone(),
            expect: read.expect.clone(),
            ..Testbench::default()
        };
        let written = bench.commented(&["one"]);
        let again = from_text("two.ron", &written).unwrap_or_else(|error| panic!("{error}: {written}"));
        assert_eq!((&again.loaded().experiment, &again.expect), (experiment, &read.expect));
        assert!(written.starts_with("// one\n(\n"), "{written}");
        assert!(written.contains("switch: (fifo_depth: 7, arbiter: matrix),"), "{written}");
    }
}
