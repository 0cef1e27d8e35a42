//! Differences between two engines that got the same worms: registers and counters before a cycle,
//! and the samples of that cycle.

use std::collections::BTreeMap;
use std::fmt::{Debug, Write as _};

use wormscope_hw::{NodeId, SwitchId};

use super::clocked::Clocked;
use super::event::{CommitLog, ConsumeSample, InSample, InjectSample, Observer, OutSample, TokenSample};
use super::reference::Reference;
use super::stats::{LaneStats, Totals};
use wormscope_network::{Lanes, Wiring};

/// Names of the instances of a network.
#[derive(Clone, Copy)]
struct Names<'a> {
    wiring: &'a Wiring,
    lanes: Lanes,
}

impl Names<'_> {
    fn input(self, switch: SwitchId, lane: u8) -> String {
        format!("{}.{}", self.wiring.switch_name(switch), self.lanes.input_name(lane))
    }

    fn output(self, switch: SwitchId, lane: u8) -> String {
        format!("{}.{}", self.wiring.switch_name(switch), self.lanes.output_name(lane))
    }

    fn channel(self, node: NodeId, channel: u8) -> String {
        format!("node_{node}.{}", self.lanes.inject_name(channel))
    }
}

/// Writes the items of one kind that differ, each with its place.
fn differing<R: PartialEq + Debug>(
    text: &mut String,
    fast: &str,
    plain: &[R],
    other: &[R],
    place: impl Fn(usize) -> String,
) {
    for (n, (plain, other)) in plain.iter().zip(other).enumerate().filter(|(_, (plain, other))| plain != other) {
        let _ = write!(text, "\n{}\n  reference: {plain:?}\n  {fast}:    {other:?}", place(n));
    }
}

/// Differences of registers and counters before a cycle, lane by lane.
#[must_use]
pub fn of_registers<E: Clocked>(plain: &Reference, engine: &E) -> Option<String> {
    let counters = (plain.account(), plain.totals(), plain.lane_stats().collect::<Vec<_>>());
    // A fast engine evaluates only instances that are awake, so this counter may differ.
    let totals = Totals { evaluations: counters.1.evaluations, ..engine.totals() };
    let other_counters = (engine.account(), totals, engine.lane_stats().collect::<Vec<_>>());
    let (own, other) = (plain.registers(), engine.registers());
    if own == other && counters == other_counters {
        return None;
    }
    let (fast, names) = (engine.name(), Names { wiring: plain.wiring(), lanes: plain.lanes() });
    let place = |n: usize, side: u8| ((n / usize::from(side)) as u32, (n % usize::from(side)) as u8);
    let (ins, outs, channels) = (names.lanes.inputs.count(), names.lanes.outputs.count(), names.lanes.inject);
    let switch = |n, side| (SwitchId(place(n, side).0), place(n, side).1);
    let mut text = format!("registers or counters at the start of cycle {}:", own.cycle);
    differing(&mut text, fast, &[own.cycle], &[other.cycle], |_| "cycle".to_owned());
    differing(&mut text, fast, &own.inputs, &other.inputs, |n| names.input(switch(n, ins).0, switch(n, ins).1));
    differing(&mut text, fast, &own.outputs, &other.outputs, |n| names.output(switch(n, outs).0, switch(n, outs).1));
    let channel = |n| names.channel(NodeId(place(n, channels).0), place(n, channels).1);
    differing(&mut text, fast, &own.channels, &other.channels, channel);
    differing(&mut text, fast, &own.rings, &other.rings, |n| format!("token ring {n}"));
    differing(&mut text, fast, &own.trees, &other.trees, |n| format!("feedback of the worm in place {n}"));
    differing(&mut text, fast, &[counters.0], &[other_counters.0], |_| "where cycles went".to_owned());
    differing(&mut text, fast, &[counters.1], &[other_counters.1], |_| "totals".to_owned());
    differing(&mut text, fast, &counters.2, &other_counters.2, |n| {
        let LaneStats { switch, lane, .. } = counters.2[n];
        format!("counters of {}", names.output(switch, lane))
    });
    Some(text)
}

/// Latest samples of an engine: the last one of each lane, channel and station.
#[derive(Clone, Debug, Default)]
pub struct Told {
    inputs: BTreeMap<(SwitchId, u8), InSample>,
    /// Sample of an output lane, with the data of its flit.
    outputs: BTreeMap<(SwitchId, u8), (OutSample, Vec<u64>)>,
    injections: BTreeMap<(NodeId, u8), InjectSample>,
    tokens: BTreeMap<SwitchId, TokenSample>,
    consumptions: BTreeMap<(NodeId, u8), ConsumeSample>,
    /// Cycle of the latest samples.
    cycle: u64,
}

impl Told {
    /// Differences between the samples of the banked engine and the samples of the plain engine.
    /// The samples of the banked engine are the samples so far and the samples of the last
    /// evaluated cycle.
    #[must_use]
    pub fn difference(&mut self, plain: &Reference, log: &CommitLog) -> Option<String> {
        if self.cycle != log.cycle {
            self.consumptions.clear();
        }
        let names = Names { wiring: plain.wiring(), lanes: plain.lanes() };
        let mut own = Self::default();
        own.commit(log);
        let mut text = format!("what is told of cycle {}:", log.cycle);
        let length = text.len();
        different(&mut text, &own.inputs, &mut self.inputs, |&(switch, lane)| names.input(switch, lane));
        different(&mut text, &own.outputs, &mut self.outputs, |&(switch, lane)| names.output(switch, lane));
        different(&mut text, &own.injections, &mut self.injections, |&(node, channel)| names.channel(node, channel));
        different(&mut text, &own.tokens, &mut self.tokens, |switch| names.wiring.switch_name(*switch));
        if own.consumptions != self.consumptions {
            let _ = write!(text, "\nnodes\n  reference: {:?}\n  banked:    {:?}", own.consumptions, self.consumptions);
        }
        (text.len() > length).then_some(text)
    }
}

/// Writes the samples of one kind that differ. An item without a sample so far counts as the plain
/// engine has it in the first cycle.
fn different<K: Ord + Clone, S: PartialEq + Debug + Clone>(
    text: &mut String,
    plain: &BTreeMap<K, S>,
    banked: &mut BTreeMap<K, S>,
    name: impl Fn(&K) -> String,
) {
    for (key, sample) in plain {
        let told = banked.entry(key.clone()).or_insert_with(|| sample.clone());
        if told != sample {
            let _ = write!(text, "\n{}\n  reference: {sample:?}\n  banked:    {told:?}", name(key));
        }
    }
}

impl Observer for Told {
    const COMMITS: bool = true;

    fn commit(&mut self, log: &CommitLog) {
        self.cycle = log.cycle;
        self.inputs.extend(log.inputs.iter().map(|sample| ((sample.switch, sample.lane), *sample)));
        let width = log.outputs.iter().filter(|sample| sample.flit.is_some()).count();
        let words = |sample: &OutSample| match sample.flit {
            Some(_) => log.words[sample.data as usize..][..log.words.len() / width].to_vec(),
            None => Vec::new(),
        };
        let outputs = log.outputs.iter().map(|sample| (OutSample { data: 0, ..*sample }, words(sample)));
        self.outputs.extend(outputs.map(|(sample, words)| ((sample.switch, sample.lane), (sample, words))));
        self.injections.extend(log.injections.iter().map(|sample| ((sample.node, sample.channel), *sample)));
        self.tokens.extend(log.tokens.iter().map(|sample| (sample.switch, *sample)));
        self.consumptions = log.consumptions.iter().map(|sample| ((sample.node, sample.channel), *sample)).collect();
    }
}
