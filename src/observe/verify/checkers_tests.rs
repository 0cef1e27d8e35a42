//! Tests that break every rule on purpose, in the log of a good run, and expect a breach.

use std::collections::BTreeMap;

use super::*;
use crate::config;
use crate::engine::{Chosen, Clocked as _, ConsumeSample, FlitId, Planes, TokenSample};
use crate::experiment::Loaded;
use crate::simulation::Simulation;
use wormscope_hw::{InputMask, SwitchId, WormId};

/// Events of an observer, in order.
#[derive(Clone)]
enum Told {
    Created(WormInfo),
    Commit(Box<CommitLog>),
    Delivered(WormInfo, Delivery),
}

struct Recorder {
    samples: Samples,
    told: Vec<Told>,
}

impl Observer for Recorder {
    const COMMITS: bool = true;

    fn samples(&self) -> Samples {
        self.samples
    }

    fn commit(&mut self, log: &CommitLog) {
        self.told.push(Told::Commit(Box::new(log.clone())));
    }

    fn created(&mut self, worm: &WormInfo) {
        self.told.push(Told::Created(worm.clone()));
    }

    fn delivered(&mut self, worm: &WormInfo, delivery: &Delivery) {
        self.told.push(Told::Delivered(worm.clone(), *delivery));
    }
}

/// A line of four: a unicast, a tree that waits for it, a path.
const LINE: &str = "(network: (topology: linear(nodes: 4), switch: (flit_bits: 72)), workload: [messages([\
    (cycle: 0, source: 1, destinations: [3], payload_flits: 9), \
    (cycle: 0, source: 0, destinations: [1, 3], encoding: bit_string, payload_flits: 4), \
    (cycle: 60, source: 3, destinations: [2, 0], encoding: multidestination, payload_flits: 4)])])";

/// Two trees that branch in switches of one ring.
const RING: &str = "(network: (topology: uni_min(switch_ports: 2, stages: 3), token_ring: (hop_cycles: 1)), workload: [messages([\
    (cycle: 0, source: 0, destinations: [3, 7], encoding: bit_string, payload_flits: 8), \
    (cycle: 0, source: 4, destinations: [1, 5], encoding: bit_string, payload_flits: 8)])])";

struct Good {
    loaded: Loaded,
    site: Site,
    told: Vec<Told>,
    end: u64,
}

impl Good {
    fn run(text: &str) -> Self {
        Self::run_with(text, Samples::Lanes, false)
    }

    /// A run whose log has these samples, on planes or on the engine that is chosen.
    fn run_with(text: &str, samples: Samples, on_planes: bool) -> Self {
        let loaded = config::from_text("x.ron", text, &[]).unwrap();
        let site = Site::of(&loaded).unwrap();
        let mut simulation = Simulation::new(&loaded, &site).unwrap();
        if on_planes {
            simulation.engine = Chosen::Planes(Box::new(Planes::new(site.built(), true).unwrap()));
        }
        let mut recorder = Recorder { samples, told: Vec::new() };
        simulation.run(&mut recorder, |_| ()).unwrap();
        simulation.engine.settle(&mut recorder);
        assert!(simulation.engine.is_clean());
        let end = simulation.engine.now();
        Self { loaded, site, told: recorder.told, end }
    }

    /// Rules that are broken after `change` has changed the log.
    fn with(&self, off: &[Rule], mut change: impl FnMut(&mut Told)) -> Vec<Rule> {
        let mut checkers = Checkers::new(&self.loaded.experiment.network, &self.site, off, Samples::Lanes);
        for mut told in self.told.iter().cloned() {
            change(&mut told);
            match told {
                Told::Created(worm) => checkers.created(&worm),
                Told::Commit(log) => checkers.commit(&log),
                Told::Delivered(worm, delivery) => checkers.delivered(&worm, &delivery),
            }
        }
        let mut rules: Vec<Rule> = checkers.finish(self.end, true).iter().map(|breach| breach.rule).collect();
        rules.sort_unstable();
        rules.dedup();
        rules
    }

    /// Rules that are broken after a change in the log of one cycle. The log must contain this
    /// cycle.
    fn in_cycle(&self, cycle: u64, mut change: impl FnMut(&mut CommitLog)) -> Vec<Rule> {
        let mut seen = false;
        let rules = self.with(&[], |told| {
            if let Told::Commit(log) = told
                && log.cycle == cycle
            {
                change(log);
                seen = true;
            }
        });
        assert!(seen, "nothing happens in cycle {cycle}");
        rules
    }

    /// The first cycle whose log meets the condition.
    fn cycle(&self, which: impl Fn(&CommitLog) -> bool) -> u64 {
        let found = self.told.iter().find_map(|told| match told {
            Told::Commit(log) if which(log) => Some(log.cycle),
            _ => None,
        });
        found.expect("a cycle")
    }
}

fn flit_id(worm: u32, index: u32) -> FlitId {
    FlitId { worm: WormId(worm), index }
}

fn output(log: &CommitLog, switch: u32, lane: u8, worm: u32, flit: u32) -> Option<usize> {
    let flit = Some(flit_id(worm, flit));
    log.outputs.iter().position(|s| (s.switch.0, s.lane, s.flit) == (switch, lane, flit))
}

#[test]
fn a_good_run_breaks_no_rule() {
    for text in [LINE, RING] {
        assert_eq!(Good::run(text).with(&[], |_| ()), []);
    }
}

#[test]
fn a_credit_too_few_or_too_many_is_told_once() {
    let good = Good::run(LINE);
    for credits in [3, 5] {
        let rules = good
            .in_cycle(2, |log| log.outputs.iter_mut().filter(|s| s.switch.0 == 1).for_each(|s| s.credits = credits));
        assert_eq!(rules, [Rule::Credits]);
    }
    let rules = good.in_cycle(0, |log| log.injections[0].credits = 0);
    assert_eq!(rules, [Rule::Credits]);
}

#[test]
fn a_fifo_that_holds_what_was_not_sent_is_told() {
    let good = Good::run(LINE);
    let more = |log: &mut CommitLog| log.inputs.iter_mut().filter(|s| s.fifo_count > 0).for_each(|s| s.fifo_count += 1);
    assert!(good.in_cycle(3, more).contains(&Rule::FifoBounds));
    let many = |log: &mut CommitLog| log.inputs.iter_mut().for_each(|s| s.fifo_count = 9);
    assert!(good.in_cycle(3, many).contains(&Rule::FifoBounds));
}

#[test]
fn a_flit_lost_in_a_fifo_is_missed_by_the_credits() {
    let good = Good::run(LINE);
    let lost =
        good.in_cycle(6, |log| log.inputs.iter_mut().filter(|s| s.fifo_count > 1).for_each(|s| s.fifo_count -= 1));
    assert!(lost.contains(&Rule::FifoBounds) || lost.contains(&Rule::Credits), "{lost:?}");
}

#[test]
fn a_lane_that_changes_hands_within_a_worm_is_told() {
    let good = Good::run(LINE);
    let cycle = good.cycle(|log| output(log, 1, 0, 0, 4).is_some());
    let other = |log: &mut CommitLog| {
        let at = output(log, 1, 0, 0, 4).unwrap();
        log.outputs[at].owner = Some(1);
    };
    assert_eq!(good.in_cycle(cycle, other), [Rule::LaneOwnership]);
    let nobody = |log: &mut CommitLog| {
        let at = output(log, 1, 0, 0, 4).unwrap();
        log.outputs[at].owner = None;
    };
    assert_eq!(good.in_cycle(cycle, nobody), [Rule::LaneOwnership]);
    let skipped = |log: &mut CommitLog| {
        let at = output(log, 1, 0, 0, 4).unwrap();
        log.outputs[at].flit = Some(flit_id(0, 6));
    };
    assert_eq!(good.in_cycle(cycle, skipped), [Rule::LaneOwnership]);
}

#[test]
fn changed_bits_are_told_as_residue_or_payload() {
    let good = Good::run(LINE);
    // Worm 1 crosses from router 1 to its node: a header flit, then payload. The bit of node 3 must
    // be gone.
    for (flit, rule) in [(0, Rule::HeaderResidue), (2, Rule::Payload)] {
        let cycle = good.cycle(|log| output(log, 1, 2, 1, flit).is_some());
        for (word, bit) in [(0, 3), (1, 7)] {
            let flip = |log: &mut CommitLog| {
                let at = output(log, 1, 2, 1, flit).unwrap();
                let data = log.outputs[at].data as usize;
                log.words[data + word] ^= 1 << bit;
            };
            assert_eq!(good.in_cycle(cycle, flip), [rule], "flit {flit}, word {word}");
        }
    }
}

#[test]
fn flits_that_arrive_twice_late_or_elsewhere_are_told() {
    let good = Good::run(LINE);
    let is = |s: &ConsumeSample| (s.node.0, s.flit) == (1, flit_id(1, 2));
    let cycle = good.cycle(|log| log.consumptions.iter().any(is));
    let twice = |log: &mut CommitLog| log.consumptions.iter_mut().filter(|s| is(s)).for_each(|s| s.flit.index = 1);
    assert_eq!(good.in_cycle(cycle, twice), [Rule::ExactlyOnce, Rule::InOrder]);
    let early = |log: &mut CommitLog| log.consumptions.iter_mut().filter(|s| is(s)).for_each(|s| s.flit.index = 3);
    assert_eq!(good.in_cycle(cycle, early), [Rule::ExactlyOnce, Rule::InOrder]);
    let elsewhere = |log: &mut CommitLog| log.consumptions.iter_mut().filter(|s| is(s)).for_each(|s| s.flit.worm.0 = 2);
    assert!(good.in_cycle(cycle, elsewhere).contains(&Rule::ExactlyOnce));
    let lost = |log: &mut CommitLog| log.consumptions.retain(|s| !is(s));
    assert!(good.in_cycle(cycle, lost).contains(&Rule::InOrder));
    let unsent = |log: &mut CommitLog| {
        let first = log.consumptions.iter().copied().find(is).unwrap();
        log.consumptions.push(first);
    };
    assert!(good.in_cycle(cycle, unsent).contains(&Rule::FifoBounds));
    let again = good.with(&[], |told| {
        if let Told::Delivered(worm, delivery) = told
            && worm.id.0 == 1
        {
            delivery.destination.0 = 1;
        }
    });
    assert_eq!(again, [Rule::ExactlyOnce]);
    let short = good.with(&[], |told| {
        if let Told::Delivered(worm, delivery) = told
            && worm.id.0 == 2
        {
            delivery.flits += 1;
        }
    });
    assert_eq!(short, [Rule::ExactlyOnce]);
}

#[test]
fn a_way_that_is_not_planned_is_told() {
    let good = Good::run(LINE);
    let rules = good.with(&[], |told| {
        if let Told::Created(worm) = told
            && worm.id.0 == 0
        {
            worm.destinations = crate::engine::Destinations::One(wormscope_hw::NodeId(2));
        }
    });
    assert!(rules.contains(&Rule::Tree), "{rules:?}");
    // The path begins after router 3, with its second flit.
    let cycle = good.cycle(|log| output(log, 2, 1, 2, 1).is_some());
    let first = |log: &mut CommitLog| {
        let at = output(log, 2, 1, 2, 1).unwrap();
        log.outputs[at].flit = Some(flit_id(2, 0));
    };
    assert!(good.in_cycle(cycle, first).contains(&Rule::Tree));
}

#[test]
fn a_second_token_and_a_copy_without_one_are_told() {
    let good = Good::run(RING);
    let held = |s: &TokenSample| s.here && s.holder.is_some();
    let cycle = good.cycle(|log| log.tokens.iter().any(held));
    let second = |log: &mut CommitLog| {
        let holder = log.tokens.iter().copied().find(held).unwrap();
        let other = SwitchId((holder.switch.0 + 1) % 4);
        log.tokens.retain(|s| s.switch != other);
        log.tokens.push(TokenSample { switch: other, here: true, holder: None, request: InputMask::NONE });
    };
    assert_eq!(good.in_cycle(cycle, second), [Rule::OneToken]);
    let absent = |log: &mut CommitLog| log.tokens.iter_mut().for_each(|s| s.here = false);
    assert_eq!(good.in_cycle(cycle, absent), [Rule::OneToken]);
    let without = |told: &mut Told| {
        if let Told::Commit(log) = told {
            log.tokens.iter_mut().for_each(|s| s.holder = None);
        }
    };
    assert_eq!(good.with(&[], without), [Rule::OneToken]);
    assert_eq!(good.with(&[Rule::OneToken], without), []);
}

/// Lanes of two virtual channels, trees that branch and wait, and more messages.
fn channels(more: &str) -> String {
    format!(
        "(network: (topology: mesh(radices: [3, 2]), switch: (fifo_depth: 3, virtual_channels: 2), \
         link: (link_cycles: 2)), workload: [messages([\
         (cycle: 0, source: 0, destinations: [2, 5], encoding: bit_string, payload_flits: 6), \
         (cycle: 0, source: 1, destinations: [2, 3], encoding: bit_string, payload_flits: 6), \
         (cycle: 4, source: 3, destinations: [5], payload_flits: 5){more}])])"
    )
}

/// Changes of the log of a cycle, each of one thing. `used` has the lanes of banks that flits
/// cross.
fn changes_of_banks(log: &CommitLog, used: &BTreeMap<u32, u64>) -> Vec<(String, CommitLog)> {
    let mut all = Vec::new();
    let mut add = |what: String, change: &dyn Fn(&mut CommitLog)| {
        let mut changed = log.clone();
        change(&mut changed);
        all.push((what, changed));
    };
    for (at, sample) in log.banks.iter().enumerate() {
        for lane in wormscope_hw::bits(sample.live) {
            let set = |counters: &mut crate::engine::SlicedCounters| counters.set(lane, counters.get(lane) ^ 1);
            // One flit less looks like a flit that leaves a cycle earlier.
            if sample.flits.get(lane) % 2 == 0 {
                add(format!("flits {lane}"), &|log| set(&mut log.banks[at].flits));
            }
            if used[&sample.bank] >> lane & 1 != 0 {
                add(format!("credits {lane}"), &|log| set(&mut log.banks[at].credits));
            }
            if sample.credits.get(lane) > 0 {
                add(format!("crossed {lane}"), &|log| log.banks[at].crossed ^= 1 << lane);
            }
            if sample.crossed >> lane & 1 != 0 {
                add(format!("tails {lane}"), &|log| log.banks[at].tails ^= 1 << lane);
            }
        }
    }
    for at in 0..log.outputs.len() {
        add(format!("output {at} away"), &|log| _ = log.outputs.remove(at));
        add(format!("owner {at}"), &|log| log.outputs[at].owner = None);
        add(format!("lane {at}"), &|log| log.outputs[at].lane = log.outputs[at].lane.checked_sub(1).unwrap_or(1));
        add(format!("worm {at}"), &|log| log.outputs[at].flit.as_mut().unwrap().worm.0 += 1);
        add(format!("flit {at}"), &|log| log.outputs[at].flit.as_mut().unwrap().index += 1);
    }
    for at in 0..log.injections.len() {
        add(format!("injection {at}"), &|log| log.injections[at].credits += 1);
        if log.injections[at].flit.is_some() {
            add(format!("injected {at}"), &|log| log.injections[at].flit = None);
        }
    }
    for at in 0..log.consumptions.len() {
        add(format!("consumption {at} away"), &|log| _ = log.consumptions.remove(at));
        add(format!("consumed {at}"), &|log| log.consumptions[at].flit.index += 1);
    }
    all
}

#[test]
fn any_one_change_in_the_log_of_banks_breaks_a_rule() {
    let path = ", (cycle: 9, source: 5, destinations: [4, 0], encoding: multidestination, payload_flits: 4)";
    for (text, on_planes) in [(LINE, false), (&channels(path), false), (&channels(""), true)] {
        let good = Good::run_with(text, Samples::Banks, on_planes);
        assert_eq!(good.with(&[], |_| ()), []);
        let mut used = BTreeMap::new();
        let logs = || good.told.iter().filter_map(|told| if let Told::Commit(log) = told { Some(log) } else { None });
        logs().flat_map(|log| &log.banks).for_each(|of| *used.entry(of.bank).or_default() |= of.crossed);
        let mut number = 0;
        for log in logs() {
            assert_eq!(log.samples, Samples::Banks);
            for (what, changed) in changes_of_banks(log, &used) {
                let rules = good.in_cycle(log.cycle, |log| *log = changed.clone());
                assert_ne!(rules, [], "{text}: cycle {}: {what}", log.cycle);
                number += 1;
            }
        }
        assert!(number > 1_000, "{number}");
    }
}
