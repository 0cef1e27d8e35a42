//! Values of the signals of failed properties, in the cycles around the failures.

use std::collections::BTreeSet;
use std::io;
use std::path::Path;

use serde::Serialize;

use super::load::Bench;
use super::monitor::Monitor;
use super::run::{BenchError, Verdict};
use crate::engine::Clocked as _;
use crate::simulation::Simulation;
use crate::trace::{DumpEnd, Header, Options, Sink, Tracer};

/// Values of the signals of a property in some cycles.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Samples {
    /// The cycles, ascending.
    pub cycles: Vec<u64>,
    /// The signals, in the order of the property, each with its value in every cycle.
    pub signals: Vec<(String, Vec<String>)>,
}

impl Samples {
    /// A table with a column for each cycle. Cycles between two columns that are left out are dots.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        let mut rows = vec![vec!["cycle".to_owned()]];
        rows.extend(self.signals.iter().map(|(name, _)| vec![name.clone()]));
        for (at, cycle) in self.cycles.iter().enumerate() {
            let is_gap = at > 0 && self.cycles[at - 1] + 1 < *cycle;
            let values = self.signals.iter().map(|(_, values)| values[at].clone());
            for (row, cell) in rows.iter_mut().zip([cycle.to_string()].into_iter().chain(values)) {
                row.extend(is_gap.then(|| "..".to_owned()));
                row.push(cell);
            }
        }
        crate::table::aligned(&rows, "  ").collect()
    }

    /// Cycles to show for a failure in `cycle` of an answer that `asked` required, in a run of
    /// `end` cycles.
    fn around(asked: u64, cycle: u64, end: u64) -> BTreeSet<u64> {
        let asked = asked.saturating_sub(1)..=asked.saturating_add(1);
        let failed = cycle.saturating_sub(3)..=cycle.saturating_add(2);
        // Beyond the end of a run at rest all values stay as they are.
        asked.chain(failed).filter(|of| *of < end || *of == cycle).collect()
    }
}

/// A property to sample, the cycles that are left, and the samples so far.
struct Sampled {
    property: usize,
    cycles: BTreeSet<u64>,
    samples: Samples,
}

/// Takes samples from the values that a [`Tracer`] writes.
struct Sampler {
    monitor: Monitor,
    wanted: Vec<Sampled>,
    since: Option<u64>,
}

impl Sampler {
    /// Takes the present values for all cycles before `cycle` that are left.
    fn take_until(&mut self, cycle: u64) {
        for of in &mut self.wanted {
            while of.cycles.first().is_some_and(|first| *first < cycle) {
                let Some(first) = of.cycles.pop_first() else { break };
                of.samples.cycles.push(first);
                for (at, (name, value)) in self.monitor.present(of.property).into_iter().enumerate() {
                    if of.samples.signals.len() == at {
                        of.samples.signals.push((name, Vec::new()));
                    }
                    of.samples.signals[at].1.push(value);
                }
            }
        }
    }
}

impl Header for Sampler {
    type Sink = Self;

    fn open(&mut self, _: &str) -> io::Result<()> {
        Ok(())
    }

    fn close(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn signal(&mut self, _: &str, _: u32) -> io::Result<()> {
        Ok(())
    }

    fn begin(self) -> io::Result<Self> {
        Ok(self)
    }
}

impl Sink for Sampler {
    type Output = Self;

    fn time(&mut self, cycle: u64) -> io::Result<()> {
        if self.since.is_some() {
            self.take_until(cycle);
        }
        self.since = Some(cycle);
        Ok(())
    }

    fn word(&mut self, signal: u32, value: u64) {
        self.monitor.take(signal, &[value]);
    }

    fn words(&mut self, signal: u32, value: &[u64]) {
        self.monitor.take(signal, value);
    }

    fn finish(mut self) -> io::Result<Self> {
        self.take_until(u64::MAX);
        Ok(self)
    }
}

impl Bench {
    /// Runs once more, and gives the values around the failures of `verdict` with these numbers, as
    /// far as they are failures of properties.
    ///
    /// # Errors
    /// The same errors as for the run itself.
    pub fn samples(&self, verdict: &Verdict, failures: &[usize]) -> Result<Vec<(usize, Samples)>, BenchError> {
        let of = |&at: &usize| {
            let failure = &verdict.failures[at];
            let ((property, asked), cycle) = (failure.watched?, failure.cycle?);
            let cycles = Samples::around(asked, cycle, verdict.cycles);
            Some((at, Sampled { property, cycles, samples: Samples::default() }))
        };
        let (at, wanted): (Vec<usize>, Vec<Sampled>) = failures.iter().filter_map(of).unzip();
        if wanted.is_empty() {
            return Ok(Vec::new());
        }
        let (loaded, site) = (self.with_random_worms(Some(verdict.seed)), &self.site);
        let options = Options { scopes: self.monitor.scopes().to_vec(), ..Options::default() };
        let sampler = Sampler { monitor: self.monitor.clone(), wanted, since: None };
        let network = &loaded.experiment.network;
        let mut tracer = Tracer::new(sampler, Path::new("properties"), network, site.wiring(), options)?;
        let mut simulation = Simulation::new(&loaded, site)?;
        simulation.run(&mut tracer, |_| ())?;
        if simulation.engine.worms_alive() == 0 {
            simulation.engine.settle(&mut tracer);
        }
        let sampler = tracer.finish_dump(DumpEnd { cycles: simulation.engine.now(), deadlock: None })?;
        Ok(at.into_iter().zip(sampler.wanted.into_iter().map(|of| of.samples)).collect())
    }
}

#[cfg(test)]
mod tests {
    use crate::testbench::from_text;

    #[test]
    fn the_values_around_a_failure_are_those_of_the_waveform() {
        let text = "(purpose: \"x\", network: (topology: linear(nodes: 3)), workload: [messages([\
                    (cycle: 9, source: 0, destinations: [2], payload_flits: 3)])], \
                    expect: (properties: [\"node0.inj.valid |-> ##[1:8] rt_2.out2.valid && rt_0.out0.flit == 5\"]))";
        let bench = from_text("x.ron", text).expect("a bench");
        let verdict = bench.run(None).expect("a verdict");
        let [failure] = &verdict.failures[..] else { panic!("{verdict}") };
        assert_eq!(failure.property.as_deref(), Some(bench.monitor.text(0)));
        let samples = bench.samples(&verdict, &[0]).expect("samples");
        let [(0, samples)] = &samples[..] else { panic!("{samples:?}") };
        let asked = failure.watched.expect("a property").1;
        assert_eq!((asked, failure.cycle), (9, Some(17)));
        assert_eq!(samples.cycles, [8, 9, 10, 14, 15, 16, 17, 18, 19]);
        let lines = samples.lines();
        assert_eq!(lines[0], "cycle            8     9     10    ..  14  15    16    17    18    19");
        assert_eq!(lines[1], "node0.inj.valid  0     1     1     ..  0   0     0     0     0     0");
        assert!(lines[3].starts_with("rt_0.out0.flit   none  none  none  ..  3 "), "{lines:#?}");
    }
}
