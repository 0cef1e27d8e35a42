//! Fill of every FIFO, and reasons of waits at every link, cycle by cycle, in the measured window.
//! An observer counts them from the commit log.
//!
//! A lane that the log does not list keeps its last value. So a value counts for all cycles in
//! which it did not change, skipped cycles included.

use serde::Serialize;
use wormscope_hw::{NodeId, PortId, SwitchId, bits};

use super::heat::{Carried, Counted, Heat, PhysicalChannel};
use super::rows::TypedRow;
use crate::engine::{CommitLog, InSample, InjectSample, InjectWait, Observer, OutSample};
use crate::network::{Lanes, Network, Wiring};
use crate::output::ColumnKind;

/// Watches the links and FIFOs of a network while a run goes on.
#[derive(Clone, Debug)]
pub(crate) struct Gauge<'a> {
    wiring: &'a Wiring,
    lanes: Lanes,
    /// Flits of every link.
    heat: Heat<'a>,
    /// Input lanes, switch-major.
    fifos: Vec<FifoTally>,
    /// Links out of switches, by switch and port, then links out of nodes.
    links: Vec<LinkTally>,
    /// Lanes of each switch, then of each node, that a flit crosses now.
    crossing: Vec<u64>,
    /// Lanes of each node whose worm does not move now, by the reason.
    standing: Vec<[u64; 2]>,
}

/// An input lane.
#[derive(Clone, Copy, Debug)]
struct FifoTally {
    /// Flits that the FIFO holds.
    depth: u16,
    /// Flits in the FIFO now, and the first cycle for which they are not counted yet.
    count: u16,
    since: u64,
    /// Ports at which its worm waits now, by the reason.
    waits: [u64; 2],
    /// Flits in the FIFO, summed over the cycles.
    sum: u64,
    /// Largest number of flits in the FIFO.
    most: u16,
    /// Cycles in which the FIFO was full.
    full: u64,
}

/// All lanes of a port of a switch, or of a node.
#[derive(Clone, Copy, Debug, Default)]
struct LinkTally {
    /// Branches that wait for the link now, by reason, and the first cycle for which they are not
    /// counted yet.
    waiting: [u32; 2],
    since: u64,
    /// Lanes of the link that a flit crosses now.
    crossing: u32,
    /// Cycles in which branches waited and no flit crossed.
    blocked: u64,
    /// Branches that waited, by the reason, summed over the cycles.
    waited: [u64; 2],
}

impl FifoTally {
    /// An empty FIFO.
    fn new(depth: u32) -> Self {
        Self { depth: depth as u16, count: 0, since: 0, waits: [0; 2], sum: 0, most: 0, full: 0 }
    }

    /// Counts the cycles before `now`.
    fn pass(&mut self, now: u64) {
        let cycles = now - self.since;
        if cycles > 0 {
            self.sum += cycles * u64::from(self.count);
            self.most = self.most.max(self.count);
            self.full += if self.count >= self.depth { cycles } else { 0 };
        }
        self.since = now;
    }

    /// Forgets all counts before `now`.
    fn forget(&mut self, now: u64) {
        (self.since, self.sum, self.most, self.full) = (now, 0, 0, 0);
    }
}

impl LinkTally {
    /// Counts the cycles before `now`.
    fn pass(&mut self, now: u64) {
        let cycles = now - self.since;
        let is_blocked = self.waiting != [0, 0] && self.crossing == 0;
        self.blocked += if is_blocked { cycles } else { 0 };
        for (sum, waiting) in self.waited.iter_mut().zip(self.waiting) {
            *sum += cycles * u64::from(waiting);
        }
        self.since = now;
    }

    /// Forgets all counts before `now`.
    fn forget(&mut self, now: u64) {
        (self.since, self.blocked, self.waited) = (now, 0, [0, 0]);
    }

    /// One more branch waits for reason `why`, or one branch less.
    fn turn(&mut self, now: u64, why: usize, waits: bool) {
        self.pass(now);
        self.waiting[why] = if waits { self.waiting[why] + 1 } else { self.waiting[why] - 1 };
    }

    /// A flit crosses one more lane, or one lane less.
    fn cross(&mut self, now: u64, crosses: bool) {
        self.pass(now);
        self.crossing = if crosses { self.crossing + 1 } else { self.crossing - 1 };
    }
}

/// Sets a lane's bit; whether it was another one.
fn flips(mask: &mut u64, lane: u8, value: bool) -> bool {
    let before = *mask >> lane & 1 != 0;
    *mask ^= u64::from(before != value) << lane;
    before != value
}

impl<'a> Gauge<'a> {
    /// Watches in the cycles of `window`.
    #[must_use]
    pub fn new(network: &'a Network, wiring: &'a Wiring, window: std::ops::Range<u64>) -> Self {
        let lanes = network.lanes(wiring);
        let (switches, nodes) = (wiring.switches() as usize, wiring.nodes() as usize);
        Self {
            wiring,
            lanes,
            heat: Heat::new(network, wiring, window),
            fifos: network.input_depths(wiring).map(FifoTally::new).collect(),
            links: vec![LinkTally::default(); switches * usize::from(wiring.ports()) + nodes],
            crossing: vec![0; switches + nodes],
            standing: vec![[0; 2]; nodes],
        }
    }

    fn output(&self, switch: SwitchId, port: u8) -> usize {
        switch.index() * usize::from(self.wiring.ports()) + usize::from(port)
    }

    fn injection(&self, node: NodeId) -> usize {
        self.output(SwitchId(self.wiring.switches()), 0) + node.index()
    }

    fn forget(&mut self, now: u64) {
        self.fifos.iter_mut().for_each(|fifo| fifo.forget(now));
        self.links.iter_mut().for_each(|link| link.forget(now));
    }

    fn input(&mut self, now: u64, sample: &InSample) {
        let at = sample.switch.index() * usize::from(self.lanes.inputs.count()) + usize::from(sample.lane);
        let fifo = &mut self.fifos[at];
        if fifo.count != sample.fifo_count {
            fifo.pass(now);
            fifo.count = sample.fifo_count;
        }
        let waits = [sample.waits.no_credit.0, sample.waits.lane_wait.0];
        if fifo.waits == waits {
            return;
        }
        let before = std::mem::replace(&mut fifo.waits, waits);
        for (why, (before, waits)) in before.into_iter().zip(waits).enumerate() {
            for port in bits(before ^ waits) {
                let link = self.output(sample.switch, port as u8);
                self.links[link].turn(now, why, waits >> port & 1 != 0);
            }
        }
    }

    fn out(&mut self, now: u64, sample: &OutSample) {
        let at = sample.switch.index();
        if flips(&mut self.crossing[at], sample.lane, sample.flit.is_some()) {
            let link = self.output(sample.switch, self.lanes.outputs.port(sample.lane));
            self.links[link].cross(now, sample.flit.is_some());
        }
    }

    fn inject(&mut self, now: u64, sample: &InjectSample) {
        let (link, node) = (self.injection(sample.node), sample.node.index());
        let at = self.wiring.switches() as usize + node;
        if flips(&mut self.crossing[at], sample.channel, sample.flit.is_some()) {
            self.links[link].cross(now, sample.flit.is_some());
        }
        for (why, reason) in [InjectWait::NoCredit, InjectWait::Turn].into_iter().enumerate() {
            let waits = sample.waits == Some(reason);
            if flips(&mut self.standing[node][why], sample.channel, waits) {
                self.links[link].turn(now, why, waits);
            }
        }
    }

    /// The counts in a run that ended before the cycle `now`.
    #[must_use]
    pub fn counted(mut self, now: u64) -> Gauged<'a> {
        let counted = self.heat.clone().counted(now);
        if self.heat.begin(now.saturating_sub(1)) {
            self.forget(counted.cycles.start);
        }
        let end = counted.cycles.end;
        self.fifos.iter_mut().for_each(|fifo| fifo.pass(end));
        self.links.iter_mut().for_each(|link| link.pass(end));
        Gauged { gauge: self, counted }
    }
}

impl Observer for Gauge<'_> {
    const COMMITS: bool = true;

    fn commit(&mut self, log: &CommitLog) {
        let (now, window) = (log.cycle, self.heat.window());
        if self.heat.begin(now) {
            self.forget(window.start);
        }
        if now >= window.end {
            return;
        }
        self.heat.commit(log);
        log.inputs.iter().for_each(|sample| self.input(now, sample));
        log.outputs.iter().for_each(|sample| self.out(now, sample));
        log.injections.iter().for_each(|sample| self.inject(now, sample));
    }
}

/// The counts of all links and FIFOs.
#[derive(Clone, Debug)]
pub struct Gauged<'a> {
    gauge: Gauge<'a>,
    counted: Counted,
}

/// A link, all its lanes together: a port of a switch, or a node's into its switch.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LinkRow {
    /// Name of the link as in waveforms, without lanes.
    pub link: String,
    /// Switch or node where the link begins.
    pub from: String,
    /// Switch or node where the link ends.
    pub to: String,
    /// Number of parallel links.
    pub links: u32,
    /// Cycles that the row counts.
    pub cycles: u64,
    /// Flits that crossed.
    pub flits: u64,
    /// Flits per cycle on each of the parallel links.
    #[serde(rename = "use")]
    pub utilisation: f64,
    /// Cycles in which a worm waited for the link and no flit crossed it.
    pub blocked_cycles: u64,
    /// Share of the cycles in which a worm waited for the link and no flit crossed it.
    pub blocked: f64,
    /// Branches that had a flit and a lane of the link without credit, summed over the cycles.
    pub no_credit: u64,
    /// Branches that waited for their turn or for a lane that another worm owns, summed over the
    /// cycles.
    pub lane_wait: u64,
}

/// The FIFO of an input lane of a switch.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FifoRow {
    /// Name of the FIFO as in waveforms.
    pub fifo: String,
    /// Switch that has the FIFO.
    pub switch: String,
    /// Flits that the FIFO can hold.
    pub depth: u16,
    /// Cycles that the row counts.
    pub cycles: u64,
    /// Flits in the FIFO, mean over the cycles.
    pub mean: f64,
    /// Largest number of flits in the FIFO.
    pub greatest: u16,
    /// Cycles in which the FIFO was full.
    pub full_cycles: u64,
    /// Share of the cycles in which the FIFO was full.
    pub full: f64,
}

impl TypedRow for LinkRow {
    const COLUMNS: &'static [(&'static str, ColumnKind)] = &[
        ("link", ColumnKind::Text),
        ("from", ColumnKind::Text),
        ("to", ColumnKind::Text),
        ("links", ColumnKind::Integer),
        ("cycles", ColumnKind::Integer),
        ("flits", ColumnKind::Integer),
        ("use", ColumnKind::Number),
        ("blocked_cycles", ColumnKind::Integer),
        ("blocked", ColumnKind::Number),
        ("no_credit", ColumnKind::Integer),
        ("lane_wait", ColumnKind::Integer),
    ];

    fn cells(&self) -> Vec<String> {
        vec![
            self.link.clone(),
            self.from.clone(),
            self.to.clone(),
            self.links.to_string(),
            self.cycles.to_string(),
            self.flits.to_string(),
            self.utilisation.to_string(),
            self.blocked_cycles.to_string(),
            self.blocked.to_string(),
            self.no_credit.to_string(),
            self.lane_wait.to_string(),
        ]
    }
}

impl TypedRow for FifoRow {
    const COLUMNS: &'static [(&'static str, ColumnKind)] = &[
        ("fifo", ColumnKind::Text),
        ("switch", ColumnKind::Text),
        ("depth", ColumnKind::Integer),
        ("cycles", ColumnKind::Integer),
        ("mean", ColumnKind::Number),
        ("greatest", ColumnKind::Integer),
        ("full_cycles", ColumnKind::Integer),
        ("full", ColumnKind::Number),
    ];

    fn cells(&self) -> Vec<String> {
        vec![
            self.fifo.clone(),
            self.switch.clone(),
            self.depth.to_string(),
            self.cycles.to_string(),
            self.mean.to_string(),
            self.greatest.to_string(),
            self.full_cycles.to_string(),
            self.full.to_string(),
        ]
    }
}

/// Totals of all links to switches and nodes, and of all FIFOs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Gauges {
    /// First cycle that was counted.
    pub from: u64,
    /// First cycle after the measured cycles.
    pub to: u64,
    /// Flits per cycle and link, mean.
    pub link_use_mean: f64,
    /// Use of the link that carries most flits.
    pub link_use_max: f64,
    /// Share of cycles in which a worm waited for a link and no flit crossed it, mean.
    pub link_blocked_mean: f64,
    /// Share of cycles for the link that is blocked most.
    pub link_blocked_max: f64,
    /// Flits in a FIFO, mean over FIFOs and cycles.
    pub fifo_fill_mean: f64,
    /// Flits in the FIFO that is fullest in the mean.
    pub fifo_fill_max: f64,
    /// Share of cycles in which a FIFO is full, mean.
    pub fifo_full_share_mean: f64,
    /// Share of cycles for the FIFO that is full most often.
    pub fifo_full_share_max: f64,
}

impl Gauged<'_> {
    fn share(&self, cycles: u64) -> f64 {
        cycles as f64 / (self.counted.cycles.end - self.counted.cycles.start).max(1) as f64
    }

    /// Each existing link, with its flits.
    fn each_link(&self) -> impl Iterator<Item = (&Carried, &LinkTally)> {
        let link = |of: &Carried| match of.channel {
            PhysicalChannel::Output(switch, port, _) => self.gauge.output(switch, port.0),
            PhysicalChannel::Injection(node) => self.gauge.injection(node),
        };
        self.counted.channels.iter().map(move |of| (of, &self.gauge.links[link(of)]))
    }

    /// Each existing FIFO, with its switch and lane.
    fn each_fifo(&self) -> impl Iterator<Item = (SwitchId, u8, &FifoTally)> {
        let Gauge { wiring, lanes, fifos, .. } = &self.gauge;
        let inputs = (0..wiring.switches()).map(SwitchId).flat_map(|s| (0..lanes.inputs.count()).map(move |i| (s, i)));
        let all = inputs.zip(fifos).map(|((switch, lane), fifo)| (switch, lane, fifo));
        all.filter(|(switch, lane, _)| lanes.has_input(wiring, *switch, *lane))
    }

    /// A row for each link: first links out of switches in order, then links out of nodes.
    pub fn links(&self) -> impl Iterator<Item = LinkRow> {
        let (wiring, lanes) = (self.gauge.wiring, self.gauge.lanes);
        let cycles = self.counted.cycles.end - self.counted.cycles.start;
        self.each_link().map(move |(of, link)| {
            let (name, from, to) = match of.channel {
                PhysicalChannel::Output(switch, PortId(port), _) => {
                    let from = wiring.switch_name(switch);
                    (format!("{from}.out{port}"), from, wiring.far_end(switch, PortId(port)))
                }
                PhysicalChannel::Injection(node) => {
                    let name = if lanes.inject > 1 { format!("node{node}") } else { format!("node{node}.inj") };
                    (name, format!("n{node}"), wiring.switch_name(wiring.injection(node).0))
                }
            };
            let [no_credit, lane_wait] = link.waited;
            LinkRow {
                link: name,
                from,
                to,
                links: of.links,
                cycles,
                flits: of.flits,
                utilisation: of.utilisation,
                blocked_cycles: link.blocked,
                blocked: self.share(link.blocked),
                no_credit,
                lane_wait,
            }
        })
    }

    /// A row for each FIFO of a switch, in order.
    pub fn fifos(&self) -> impl Iterator<Item = FifoRow> {
        let (wiring, lanes) = (self.gauge.wiring, self.gauge.lanes);
        let cycles = self.counted.cycles.end - self.counted.cycles.start;
        self.each_fifo().map(move |(switch, lane, fifo)| {
            let name = wiring.switch_name(switch);
            FifoRow {
                fifo: format!("{name}.{}", lanes.input_name(lane)),
                switch: name,
                depth: fifo.depth,
                cycles,
                mean: self.share(fifo.sum),
                greatest: fifo.most,
                full_cycles: fifo.full,
                full: self.share(fifo.full),
            }
        })
    }

    /// The totals of all links and FIFOs.
    #[must_use]
    pub fn gauges(&self) -> Gauges {
        let (link_use_mean, most) = self.counted.links();
        let (mut blocked, mut links) = ((0, 0), 0_u64);
        for (_, link) in self.each_link().filter(|(of, _)| matches!(of.channel, PhysicalChannel::Output(..))) {
            blocked = (blocked.0 + link.blocked, link.blocked.max(blocked.1));
            links += 1;
        }
        let (mut flits, mut full, mut fifos) = ((0, 0), (0, 0), 0_u64);
        for (.., fifo) in self.each_fifo() {
            flits = (flits.0 + fifo.sum, fifo.sum.max(flits.1));
            full = (full.0 + fifo.full, fifo.full.max(full.1));
            fifos += 1;
        }
        let mean = |sum: u64, count: u64| self.share(sum) / count.max(1) as f64;
        Gauges {
            from: self.counted.cycles.start,
            to: self.counted.cycles.end,
            link_use_mean,
            link_use_max: most.map_or(0.0, |of| of.utilisation),
            link_blocked_mean: mean(blocked.0, links),
            link_blocked_max: self.share(blocked.1),
            fifo_fill_mean: mean(flits.0, fifos),
            fifo_fill_max: self.share(flits.1),
            fifo_full_share_mean: mean(full.0, fifos),
            fifo_full_share_max: self.share(full.1),
        }
    }
}
