//! Flits of every channel of a network in the measured window. An observer counts them from the
//! commit log.

use std::ops::Range;

use wormscope_hw::{NodeId, PortId, SwitchId, bits};

use crate::engine::{CommitLog, LaneBanks, Observer, Samples};
use crate::network::{End, Lanes, Network, Wiring};

/// Counts the flits of every channel while a run goes on.
#[derive(Clone, Debug)]
pub(crate) struct Heat<'a> {
    network: &'a Network,
    wiring: &'a Wiring,
    lanes: Lanes,
    window: Range<u64>,
    /// First cycle that is counted: 0 until the window has begun.
    from: u64,
    /// Flits by switch and port.
    outputs: Vec<u64>,
    /// The place in `outputs` of the lanes of banks, by their own place. Empty before the first
    /// commit with banks.
    ports: Vec<u32>,
    /// Flits by node.
    injected: Vec<u64>,
}

/// A channel for flits: all lanes of a port, or of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PhysicalChannel {
    /// From a switch to the end of the link at one of its ports.
    Output(SwitchId, PortId, End),
    /// From a node into its switch.
    Injection(NodeId),
}

/// Flits of a channel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Carried {
    /// The channel.
    pub channel: PhysicalChannel,
    /// Number of parallel links of the channel.
    pub links: u32,
    /// Flits that crossed, on all parallel links.
    pub flits: u64,
    /// Flits for each cycle and link.
    pub utilisation: f64,
}

/// Flits of all channels of a network.
#[derive(Clone, Debug, PartialEq)]
pub struct Counted {
    /// The cycles of the count.
    pub cycles: Range<u64>,
    /// Whether the cycles are the measured window. Otherwise they are the whole run, which ended
    /// before the window.
    pub is_window: bool,
    /// Every channel: of the switches in order, then of the nodes.
    pub channels: Vec<Carried>,
}

impl<'a> Heat<'a> {
    /// Counts in the cycles of `window`.
    #[must_use]
    pub fn new(network: &'a Network, wiring: &'a Wiring, window: Range<u64>) -> Self {
        Self {
            network,
            wiring,
            lanes: network.lanes(wiring),
            ports: Vec::new(),
            window,
            from: 0,
            outputs: vec![0; wiring.switches() as usize * usize::from(wiring.ports())],
            injected: vec![0; wiring.nodes() as usize],
        }
    }

    /// The places in `outputs` of the lanes of banks.
    fn ports_of(&self, places: LaneBanks) -> Vec<u32> {
        let mut ports = vec![0; 64 * places.banks(self.wiring.switches())];
        for switch in (0..self.wiring.switches()).map(SwitchId) {
            for lane in 0..self.lanes.outputs.count() {
                let port = self.lanes.outputs.port(lane);
                ports[places.place(switch, lane)] = switch.0 * u32::from(self.wiring.ports()) + u32::from(port);
            }
        }
        ports
    }

    /// When the window begins, forgets all counts before it. Returns whether the window has begun.
    pub(super) fn begin(&mut self, cycle: u64) -> bool {
        let begins = self.from < self.window.start && cycle >= self.window.start;
        if begins {
            self.from = self.window.start;
            self.outputs.fill(0);
            self.injected.fill(0);
        }
        begins
    }

    /// The counted cycles.
    pub(super) fn window(&self) -> Range<u64> {
        self.window.clone()
    }

    /// The counts in a run that ended before the cycle `now`.
    #[must_use]
    pub fn counted(mut self, now: u64) -> Counted {
        // After its last flit, a run may reach the window in silence.
        self.begin(now.saturating_sub(1));
        let cycles = self.from..self.window.end.min(now);
        let length = (cycles.end - cycles.start).max(1) as f64;
        let carried = |channel, links: u32, flits: u64| Carried {
            channel,
            links,
            flits,
            utilisation: flits as f64 / length / f64::from(links),
        };
        let ports = self.wiring.ports();
        let outputs = (0..self.wiring.switches()).map(SwitchId).flat_map(|s| (0..ports).map(move |p| (s, PortId(p))));
        let outputs = outputs.zip(&self.outputs).filter_map(|((switch, port), &flits)| {
            let end = self.wiring.output(switch, port)?;
            Some(carried(PhysicalChannel::Output(switch, port, end), self.network.parallel_links(end), flits))
        });
        let injected = (0..).map(NodeId).zip(&self.injected);
        let injected = injected.map(|(node, &flits)| {
            carried(PhysicalChannel::Injection(node), self.network.node.injection_channels, flits)
        });
        Counted { is_window: self.from == self.window.start, cycles, channels: outputs.chain(injected).collect() }
    }
}

impl Observer for Heat<'_> {
    const COMMITS: bool = true;

    fn samples(&self) -> Samples {
        Samples::Banks
    }

    fn commit(&mut self, log: &CommitLog) {
        self.begin(log.cycle);
        if log.cycle >= self.window.end {
            return;
        }
        let ports = usize::from(self.wiring.ports());
        if let Some(places) = log.places {
            if self.ports.is_empty() {
                self.ports = self.ports_of(places);
            }
            for bank in &log.banks {
                for lane in bits(bank.crossed) {
                    self.outputs[self.ports[64 * bank.bank as usize + lane] as usize] += 1;
                }
            }
        } else {
            for sample in log.outputs.iter().filter(|sample| sample.flit.is_some()) {
                let port = self.lanes.outputs.port(sample.lane);
                self.outputs[sample.switch.index() * ports + usize::from(port)] += 1;
            }
        }
        for sample in log.injections.iter().filter(|sample| sample.flit.is_some()) {
            self.injected[sample.node.index()] += 1;
        }
    }
}

impl Counted {
    /// Mean utilisation of the links to switches and nodes, and the link that carries most flits,
    /// as in the report.
    #[must_use]
    pub fn links(&self) -> (f64, Option<Carried>) {
        let links = || self.channels.iter().filter(|of| matches!(of.channel, PhysicalChannel::Output(..)));
        let (flits, count) = links().fold((0.0, 0), |(sum, count), of| {
            (sum + of.utilisation * f64::from(of.links), count + u64::from(of.links))
        });
        let most = links().copied().reduce(|most, of| if of.utilisation > most.utilisation { of } else { most });
        (flits / count.max(1) as f64, most)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::config;
    use crate::engine::Chosen;
    use crate::engine::Clocked as _;
    use crate::report::{Collector, Report};
    use crate::run::summarise;
    use crate::simulation::{Simulation, Site};

    /// The counts of a run, and its report.
    pub fn watched(name: &str, text: &str) -> (Wiring, Counted, Report) {
        let loaded = config::from_text(name, text, &[]).unwrap();
        let site = Site::of(&loaded).unwrap();
        let mut simulation = Simulation::new(&loaded, &site).unwrap();
        let mut collector = Collector::new(simulation.window());
        let mut heat = Heat::new(&loaded.experiment.network, site.wiring(), simulation.window());
        let outcome = simulation.run(&mut (&mut collector, &mut heat), |_| ()).unwrap();
        let report = summarise(&loaded, &site, &simulation, &collector, &outcome, 1.0);
        (site.wiring().clone(), heat.counted(simulation.engine.now()), report)
    }

    const TORUS: &str = "(network: (topology: torus(radices: [4, 4]), switch: (virtual_channels: 2), \
         node: (consumption_channels: 2)), workload: [traffic(load: 0.3, payload_flits: 7)], \
         run: (warmup_cycles: 200, measure_cycles: 300, drain: empty))";

    #[test]
    fn what_is_counted_is_what_the_engine_has_behind_the_window_less_what_it_had_before() {
        let lanes = |until: u64| {
            let loaded = config::from_text("x", TORUS, &[format!("run.max_cycles={until}")]).unwrap();
            let site = Site::of(&loaded).unwrap();
            let lanes = loaded.experiment.network.lanes(site.wiring());
            let mut simulation = Simulation::new(&loaded, &site).unwrap();
            simulation.run(&mut (), |_| ()).unwrap();
            let flits = move |engine: &Chosen, switch, port| -> u64 {
                let lane = engine.lane_stats().filter(|of| of.switch == switch && lanes.outputs.port(of.lane) == port);
                lane.map(|of| of.flits).sum()
            };
            move |switch, PortId(port)| flits(&simulation.engine, switch, port)
        };
        let (before, behind) = (lanes(200), lanes(500));
        let (_, counted, _) = watched("x", TORUS);
        assert_eq!((counted.cycles.clone(), counted.is_window), (200..500, true));
        let mut seen = 0;
        for of in &counted.channels {
            if let PhysicalChannel::Output(switch, port, end) = of.channel {
                assert_eq!(of.flits, behind(switch, port) - before(switch, port), "{:?}", of.channel);
                let links = if matches!(end, End::Node(_)) { 2 } else { 1 };
                assert!((of.utilisation - of.flits as f64 / 300.0 / f64::from(links)).abs() < 1e-12);
                seen += 1;
            }
        }
        assert_eq!((seen, counted.channels.len()), (16 * 5, 16 * 5 + 16));
    }

    #[test]
    fn of_a_run_that_is_all_window_the_numbers_are_those_of_the_report() {
        let text = TORUS.replace("warmup_cycles: 200, measure_cycles: 300", "max_cycles: 400, measure_cycles: 400");
        let (_, counted, report) = watched("x", &text);
        let (mean, most) = counted.links();
        assert!((mean - report.utilisation.mean).abs() < 1e-12 && mean > 0.0);
        assert!((most.unwrap().utilisation - report.utilisation.max).abs() < 1e-12);
        let injected = counted.channels.iter().filter(|of| matches!(of.channel, PhysicalChannel::Injection(_)));
        assert_eq!(injected.map(|of| of.flits).sum::<u64>(), report.totals.injected_flits);
    }

    #[test]
    fn a_run_that_ends_before_its_window_is_counted_whole_and_silence_in_it_is_silence() {
        let line = |workload: &str, run: &str| {
            let text = format!("(network: (topology: linear(nodes: 2)), workload: [{workload}], run: ({run}))");
            let (_, counted, _) = watched("x", &text);
            let flits: u64 = counted.channels.iter().map(|of| of.flits).sum();
            (counted.is_window, counted.cycles, flits)
        };
        let early = "messages([(cycle: 0, source: 0, destinations: [1], payload_flits: 3)])";
        // Four flits go through a node's link and two switches.
        let (is_window, cycles, flits) = line(early, "warmup_cycles: 1000");
        assert_eq!((is_window, cycles.start, flits), (false, 0, 12));
        let late = "messages([(cycle: 5000, source: 0, destinations: [1], payload_flits: 3)])";
        let both = line(&format!("{early}, {late}"), "warmup_cycles: 1000, max_cycles: 1200");
        assert_eq!(both, (true, 1000..1200, 0));
    }
}
