//! Tests of the blocks of switches in dumps, which are compared with the registers of random runs.

use std::io::Cursor;
use std::path::Path;

use proptest::prelude::*;
use wormscope_hw::{LaneMask, PortId, SwitchId};

use super::fst::FstHeader;
use super::readback::{Wave, wellen};
use super::sink::{Header, Sink};
use super::{DumpEnd, Options, Tracer, VcdHeader};
use crate::config;
use crate::engine::registers::{InRegisters, Registers};
use crate::engine::{Clocked as _, CommitLog, Observer};
use crate::experiment::{Evaluation, Loaded};
use crate::network::Lanes;
use crate::simulation::{Simulation, Site};

/// Units of time of a cycle of 1 ns, so that half a cycle is a whole number.
const CYCLE: u64 = 10;

/// Networks whose switches have different blocks, and their workloads.
const NETWORKS: [(&str, &str); 9] = [
    ("topology: mesh(radices: [3, 3])", "bit_string"),
    (
        "topology: mesh(radices: [3, 3]), switch: (arbiter: matrix, replication: buffered, fifo_depth: 12), node: (injection_depth: 5)",
        "bit_string",
    ),
    ("topology: mesh(radices: [3, 3]), switch: (replication: sequential, fifo_depth: 12)", "bit_string"),
    ("topology: mesh(radices: [3, 3]), switch: (acquisition: atomic, virtual_channels: 2)", "bit_string"),
    ("topology: mesh(radices: [3, 3]), switch: (allocation_cycles: 1, routing_cycles: 2, dilation: 2)", "bit_string"),
    (
        "topology: mesh(radices: [3, 3]), link: (link_cycles: 2, credit_cycles: 3), routing: label_order",
        "multidestination",
    ),
    ("topology: torus(radices: [4, 3], datelines: true), switch: (virtual_channels: 2)", "unicast"),
    ("topology: uni_min(switch_ports: 4, stages: 2), token_ring: (hop_cycles: 2)", "bit_string"),
    (
        "topology: uni_min(switch_ports: 4, stages: 2), switch: (replication: synchronous, arbiter: oldest_first)",
        "bit_string",
    ),
];

/// All events of a run.
#[derive(Default)]
struct Kept {
    registers: Vec<Registers>,
    logs: Vec<CommitLog>,
}

impl Observer for Kept {
    const COMMITS: bool = true;

    fn commit(&mut self, log: &CommitLog) {
        self.logs.push(log.clone());
    }

    fn wants_registers(&self) -> bool {
        true
    }

    fn registers(&mut self, registers: &Registers) {
        self.registers.push(registers.clone());
    }
}

fn loaded(network: &str, encoding: &str, seed: u64, load: f64, flits: u32, evaluation: Evaluation) -> Loaded {
    let destinations = if encoding == "unicast" { 1 } else { 3 };
    let text = format!(
        "(network: ({network}), workload: [traffic(load: {load}, payload_flits: {flits}, encoding: {encoding}, \
         destinations: {destinations})], run: (seed: {seed}, warmup_cycles: 0, measure_cycles: 90, max_cycles: 250))"
    );
    let mut loaded = config::from_text("x.ron", &text, &[]).unwrap_or_else(|error| panic!("{network}: {error}"));
    loaded.engine = evaluation;
    loaded
}

type Dump<H> = <<H as Header>::Sink as Sink>::Output;

/// Runs an experiment with or without its blocks. Returns its events, its dump, and its cycles.
fn run<H: Header>(loaded: &Loaded, header: H, blocks: bool) -> (Kept, Dump<H>, u64) {
    let site = Site::of(loaded).expect("a network");
    let options = Options { blocks, ..Options::default() };
    let network = &loaded.experiment.network;
    let tracer = Tracer::new(header, Path::new("test"), network, site.wiring(), options).expect("a tracer");
    let mut simulation = Simulation::new(loaded, &site).expect("a run");
    let mut observers = (Kept::default(), tracer);
    simulation.run(&mut observers, |_| ()).expect("an outcome");
    assert_eq!(simulation.difference(), None);
    let cycles = simulation.engine.now();
    let dump = observers.1.finish_dump(DumpEnd { cycles, deadlock: None }).expect("a dump");
    (observers.0, dump, cycles)
}

/// Values of a dump.
struct Asked<'a>(&'a Wave);

impl Asked<'_> {
    fn digits(&self, name: &str, cycle: u64) -> &str {
        let changes = self.0.get(name).unwrap_or_else(|| panic!("{name} is not there"));
        &changes[changes.partition_point(|(at, _)| *at <= cycle * CYCLE) - 1].1
    }

    fn value(&self, name: &str, cycle: u64) -> u64 {
        u64::from_str_radix(self.digits(name, cycle), 2).unwrap_or_else(|_| panic!("{name} in {cycle}"))
    }

    /// A number; `None` if all bits are 1, which means no number.
    fn some(&self, name: &str, cycle: u64) -> Option<u64> {
        let digits = self.digits(name, cycle);
        if digits.contains('0') { u64::from_str_radix(digits, 2).ok() } else { None }
    }
}

/// Compares the blocks of an input lane with its registers.
fn compare_input(told: &Asked, name: &str, depth: u32, register: &InRegisters, now: u64) {
    let is = |part: &str, value: u64| {
        assert_eq!(told.value(&format!("{name}.{part}"), now), value, "{name}.{part} in {now}");
    };
    for cell in 0..depth as usize {
        let flit = register.flits.get(cell);
        let shown = |part: &str| told.some(&format!("{name}.fifo.cell{cell}_{part}"), now);
        assert_eq!(shown("worm"), flit.map(|flit| flit.worm.0.into()), "{name} cell {cell} in {now}");
        assert_eq!(shown("flit"), flit.map(|flit| flit.index.into()), "{name} cell {cell} in {now}");
    }
    let of = register.service.as_ref();
    assert_eq!(told.some(&format!("{name}.decoder.worm"), now), of.map(|of| of.worm.0.into()), "{name}");
    assert_eq!(told.some(&format!("{name}.decoder.enc"), now), of.map(|of| of.encoding as u64), "{name}");
    is("decoder.header_words", of.map_or(0, |of| of.header.len() as u64));
    for word in 0..2 {
        is(&format!("decoder.header{word}"), of.and_then(|of| of.header.get(word)).map_or(0, |word| *word));
    }
    is("decoder.ready", of.is_some_and(|of| of.ready).into());
    is("decoder.stripped", of.is_some_and(|of| of.stripped).into());
    is("decoder.decided", of.is_some_and(|of| of.decided).into());
    is("decoder.due", of.map_or(0, |of| of.due.into()));
    is("replication.branches", of.map_or(0, |of| of.branches.0));
    is("replication.wanted", of.map_or(0, |of| of.wanted.0));
    is("replication.lanes", of.map_or(0, |of| of.lanes.0));
    is("replication.taken", of.map_or(0, |of| of.taken.0));
    if told.0.contains_key(&format!("{name}.reservation.lanes")) {
        is("reservation.lanes", of.map_or(0, |of| of.lock.lanes.0));
        is("reservation.left", of.map_or(0, |of| of.lock.left.into()));
    }
}

/// Compares a dump with the registers. Returns the number of cycles in which an arbiter had to
/// choose.
fn compare(loaded: &Loaded, kept: &Kept, wave: &Wave, cycles: u64) -> u64 {
    let site = Site::of(loaded).expect("a network");
    let network = &loaded.experiment.network;
    let (wiring, lanes): (_, Lanes) = (site.wiring(), network.lanes(site.wiring()));
    let (ins, outs) = (usize::from(lanes.inputs.count()), usize::from(lanes.outputs.count()));
    let groups = network.lane_groups(wiring, lanes);
    let told = Asked(wave);
    let mut owners = vec![(None, false); wiring.switches() as usize * outs];
    let (mut logs, mut contests) = (kept.logs.iter().peekable(), 0);
    for (q, d) in kept.registers.iter().zip(&kept.registers[1..]) {
        let now = q.cycle;
        if d.cycle != now + 1 || now >= cycles {
            continue;
        }
        while let Some(log) = logs.next_if(|log| log.cycle <= now) {
            for s in &log.outputs {
                owners[s.switch.index() * outs + usize::from(s.lane)] = (s.owner, s.flit.is_some());
            }
        }
        for switch in (0..wiring.switches()).map(SwitchId) {
            let name = format!("top.{}", wiring.switch_name(switch));
            for lane in (0..ins).filter(|lane| lanes.has_input(wiring, switch, *lane as u8)) {
                let name = format!("{name}.{}", lanes.input_name(lane as u8));
                let from = wiring.input(switch, PortId(lanes.inputs.port(lane as u8)));
                compare_input(&told, &name, network.depth_from(from), &q.inputs[switch.index() * ins + lane], now);
            }
            for lane in (0..outs).filter(|lane| lanes.has_output(wiring, switch, *lane as u8)) {
                let at = switch.index() * outs + lane;
                let (register, next) = (&q.outputs[at], &d.outputs[at]);
                let name = format!("{name}.{}", lanes.output_name(lane as u8));
                let is = |part: &str, value: u64| {
                    assert_eq!(told.value(&format!("{name}.{part}"), now), value, "{name}.{part} in {now}");
                };
                let (owner, crosses) = owners[at];
                let lane_of = |owner: Option<u8>| owner.map(u64::from);
                let some = |part: &str| told.some(&format!("{name}.{part}"), now);
                assert_eq!(some("lane.owner"), lane_of(register.owner), "{name} in {now}");
                is("lane.pending", register.pending.into());
                is("lane.ahead", register.read.into());
                is("arbiter.pointer", register.pointer.into());
                for (input, ahead) in register.ahead.iter().enumerate() {
                    is(&format!("arbiter.ahead{input}"), *ahead);
                }
                is("lane_group.pointer", register.group.into());
                is("multiplexer.pointer", register.multiplexer.into());
                is("credit.count", register.credits.into());
                is("credit.returned", (next.credits + u16::from(crosses) - register.credits).into());
                assert_eq!(some("crossbar.select"), lane_of(owner.filter(|_| crosses)), "{name} in {now}");
                let granted = lane_of(owner.filter(|_| register.owner.is_none()));
                assert_eq!(some("arbiter.grant"), granted, "{name} in {now}");
                // An input with a grant has asked.
                let request = told.value(&format!("{name}.arbiter.request"), now);
                assert!(granted.is_none_or(|input| request >> input & 1 != 0), "{name} in {now}: {request:b}");
                contests += u64::from(request.count_ones() > 1 && granted.is_some());
            }
            if network.switch.acquisition == wormscope_hw::Acquisition::Incremental
                && !wave.contains_key(&format!("{name}.in0.reservation.left"))
            {
                // If inputs ask and a lane is free, one input gets the lane. So no input asks
                // without a need.
                for group in groups.iter().filter(|group| !group.is_empty()) {
                    let there = group.iter().filter(|lane| lanes.has_output(wiring, switch, *lane));
                    let there: LaneMask = there.collect();
                    let Some(first) = there.iter().next() else { continue };
                    let output = |lane: u8| format!("{name}.{}.arbiter", lanes.output_name(lane));
                    let request = told.value(&format!("{}.request", output(first)), now);
                    let at = |lane: u8| switch.index() * outs + usize::from(lane);
                    let free = there.iter().any(|lane| q.outputs[at(lane)].owner.is_none());
                    let granted = there.iter().any(|lane| told.some(&format!("{}.grant", output(lane)), now).is_some());
                    assert_eq!(granted, free && request != 0, "{name} group {group:?} in {now}: {request:b}");
                }
            }
        }
        for (switch, station) in q.rings.iter().flat_map(|ring| &ring.stations) {
            let name = format!("top.{}.token_station", wiring.switch_name(*switch));
            assert_eq!(told.value(&format!("{name}.request"), now), station.request.0, "{name} in {now}");
            assert_eq!(told.some(&format!("{name}.holder"), now), station.holder.map(u64::from), "{name} in {now}");
            assert_eq!(told.value(&format!("{name}.forwarded"), now), u64::from(station.forwarded), "{name} in {now}");
            assert_eq!(told.value(&format!("{name}.pointer"), now), u64::from(station.pointer), "{name} in {now}");
        }
        let clock = &wave["top.clk"];
        let edge = |at: u64, level: &str| clock.contains(&(at, level.to_owned()));
        assert!(edge(now * CYCLE, "1") && edge(now * CYCLE + CYCLE / 2, "0"), "{now}: {clock:?}");
    }
    contests
}

proptest! {
    #![proptest_config(crate::properties::cases(24))]

    #[test]
    fn blocks_show_the_registers_of_both_engines(
        network in 0..NETWORKS.len(),
        seed in 1..1_000_000_u64,
        load in 1..40_u32,
        flits in 1..9_u32,
    ) {
        let (network, encoding) = NETWORKS[network];
        let of = |evaluation| loaded(network, encoding, seed, f64::from(load) / 100.0, flits, evaluation);
        let banked = of(Evaluation::Banked);
        let (kept, vcd, cycles) = run(&banked, VcdHeader::new(Vec::new()), true);
        let wave = wellen(vcd.clone());
        compare(&banked, &kept, &wave, cycles);
        let (_, fst, _) = run(&banked, FstHeader::new(Cursor::new(Vec::new())), true);
        prop_assert!(wellen(fst.into_inner()) == wave, "VCD and FST differ");
        let (_, plain, _) = run(&of(Evaluation::Reference), VcdHeader::new(Vec::new()), true);
        prop_assert!(plain == vcd, "the engines write other bytes");
        // Signals of blocks change neither the run nor the other signals.
        let (without, flat, end) = run(&banked, VcdHeader::new(Vec::new()), false);
        prop_assert_eq!((without.registers, end), (kept.registers, cycles));
        for (name, changes) in wellen(flat) {
            if name == "top.cycle" {
                continue; // With a clock signal, this counter changes in every cycle.
            }
            let slowed: Vec<_> = changes.into_iter().map(|(at, digits)| (at * CYCLE, digits)).collect();
            prop_assert_eq!(wave.get(&name), Some(&slowed), "{}", name);
        }
    }
}

#[test]
fn every_kind_of_network_has_contests_for_lanes() {
    for (network, encoding) in NETWORKS {
        let loaded = loaded(network, encoding, 7, 0.6, 6, Evaluation::Banked);
        let (kept, vcd, cycles) = run(&loaded, VcdHeader::new(Vec::new()), true);
        let contests = compare(&loaded, &kept, &wellen(vcd), cycles);
        // In a group of switches with a token, one worm at a time asks for lanes.
        assert!(contests > 0 || network.contains("token_ring"), "{network}");
    }
}

#[test]
fn the_documentation_lists_every_signal_of_a_block() {
    let text = include_str!("../../../docs/reference/waveforms.md");
    let (_, table) = text.split_once("| scope | signal |").expect("a table");
    let (table, _) = table.split_once("\n\n").expect("its end");
    let mut names = std::collections::BTreeSet::new();
    for (network, encoding) in NETWORKS {
        let loaded = loaded(network, encoding, 7, 0.1, 2, Evaluation::Banked);
        let site = Site::of(&loaded).expect("a network");
        let selection = super::scope::Selection::new(&[]).expect("no scope");
        let network = &loaded.experiment.network;
        let wires = super::blocks::BlockWires::of_network(network, site.wiring());
        let layout = super::Layout::with(network, site.wiring(), selection, &[], wires).expect("a layout");
        for (instance, _, wires) in layout.blocks() {
            let lane = match instance {
                super::signal::Instance::Input(..) => "in<p>.",
                super::signal::Instance::Output(..) => "out<p>.",
                _ => "",
            };
            let number =
                |name: &str| name.chars().map(|c| if c.is_ascii_digit() { '#' } else { c }).collect::<String>();
            names.extend(wires.iter().map(|wire| (format!("{lane}{}", wire.scope()), number(&wire.name()))));
        }
    }
    assert!(names.len() > 30, "{names:?}");
    for (scope, name) in names {
        let name = name.replace("##", "#");
        let written = [name.replace('#', "<k>"), name.replace('#', "<i>")];
        let at = table.find(&format!("| `{scope}` |")).unwrap_or_else(|| panic!("{scope}"));
        // Rows without a scope belong to the scope above.
        let rows = table[at..].lines().enumerate().take_while(|(row, line)| *row == 0 || line.starts_with("| | "));
        let listed = |line: &str| written.iter().any(|name| line.contains(&format!("`{name}`")));
        assert!(rows.into_iter().any(|(_, line)| listed(line)), "{scope} {name}");
    }
}
