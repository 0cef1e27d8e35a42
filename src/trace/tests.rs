//! Dumps written and read back by independent readers, and compared with the samples that went in.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Cursor, Write};
use std::path::Path;

use proptest::prelude::*;
use wormscope_hw::{NodeId, PortId, SwitchId, WormId};

use super::fake;
use super::follow::Doing;
use super::fst::FstHeader;
use super::vcd::VcdHeader;
use super::*;
use crate::config::Network;
use crate::engine::{CommitLog, ConsumeSample, InSample, InjectSample, LaneState, NONE, Observer, OutSample, WormInfo};
use crate::topology::{End as Far, Grid, Wiring};

/// Changes of every signal, by full name: time and binary digits.
type Wave = BTreeMap<String, Vec<(u64, String)>>;

/// Reads a dump with `wellen`.
fn wellen(file: Vec<u8>) -> Wave {
    let mut wave = wellen::simple::read_from_reader(Cursor::new(file)).expect("a readable dump");
    let vars: Vec<_> = wave.hierarchy().all_vars().collect();
    let named: Vec<_> =
        vars.iter().map(|v| wave.hierarchy()[*v].clone()).map(|v| (v.full_name(wave.hierarchy()), v)).collect();
    let ids: Vec<_> = named.iter().map(|(_, v)| v.signal_ref()).collect();
    wave.load_signals(&ids);
    let times = wave.time_table().to_vec();
    let changes = |id| {
        let signal = wave.get_signal(id).expect("loaded");
        let all = signal.iter_changes().map(|(at, value)| {
            let digits = value.to_bit_string().expect("bits");
            (times[at as usize], digits)
        });
        changed(all.filter(|(_, digits)| !digits.contains('x')))
    };
    named.iter().map(|(name, v)| (name.clone(), changes(v.signal_ref()))).collect()
}

/// Reads a VCD with crate `vcd`.
fn vcd_crate(file: &[u8]) -> Wave {
    fn vars(items: &[::vcd::ScopeItem], path: &str, to: &mut BTreeMap<::vcd::IdCode, (String, usize)>) {
        for item in items {
            match item {
                ::vcd::ScopeItem::Scope(s) => vars(&s.items, &format!("{path}{}.", s.identifier), to),
                ::vcd::ScopeItem::Var(v) => {
                    to.insert(v.code, (format!("{path}{}", v.reference), v.size as usize));
                }
                _ => {}
            }
        }
    }
    let mut parser = ::vcd::Parser::new(file);
    let header = parser.parse_header().expect("a header");
    let mut names = BTreeMap::new();
    vars(&header.items, "", &mut names);
    let mut wave: Wave = names.values().map(|(name, _)| (name.clone(), Vec::new())).collect();
    let mut now = 0;
    for command in parser {
        let (id, digits) = match command.expect("a command") {
            ::vcd::Command::Timestamp(t) => {
                now = t;
                continue;
            }
            ::vcd::Command::ChangeScalar(id, v) => (id, v.to_string()),
            ::vcd::Command::ChangeVector(id, v) => (id, v.iter().map(|b| b.to_string()).collect()),
            _ => continue,
        };
        let (name, bits) = &names[&id];
        assert!(digits.len() <= *bits, "{name} is {bits} bits wide, not {digits}");
        wave.get_mut(name).expect("declared").push((now, format!("{digits:0>bits$}")));
    }
    wave.into_iter().map(|(name, changes)| (name, changed(changes.into_iter()))).collect()
}

/// Drops changes to the same value.
fn changed(changes: impl Iterator<Item = (u64, String)>) -> Vec<(u64, String)> {
    let mut all: Vec<(u64, String)> = Vec::new();
    for change in changes {
        if all.last().is_none_or(|(_, old)| *old != change.1) {
            all.push(change);
        }
    }
    all
}

/// What a dump must hold, worked out the slow way: a table of all signals, copied down cycle by cycle.
struct Oracle {
    network: Network,
    wiring: Wiring,
    now: BTreeMap<String, String>,
    history: BTreeMap<u64, BTreeMap<String, String>>,
}

fn binary(value: u64, bits: u32) -> String {
    format!("{value:0bits$b}", bits = bits as usize)
}

fn width(largest: u32) -> u32 {
    (1..).find(|&b| largest < 1 << b).expect("a width")
}

impl Oracle {
    fn new(network: &Network, wiring: &Wiring) -> Self {
        let mut oracle =
            Self { network: network.clone(), wiring: wiring.clone(), now: BTreeMap::new(), history: BTreeMap::new() };
        let reset = oracle.reset();
        oracle.commit(&reset);
        for switch in 0..wiring.switches() {
            for lane in 0..oracle.lanes(false) as u8 {
                let name = oracle.output(SwitchId(switch), lane);
                oracle.set(&format!("{name}.data"), "0".repeat(network.switch.flit_bits as usize));
            }
        }
        for name in oracle.now.keys().filter(|n| n.contains(".ej")).cloned().collect::<Vec<_>>() {
            let idle = if name.ends_with("valid") { "0".to_owned() } else { "1".repeat(32) };
            oracle.set(&name, idle);
        }
        oracle.history.clear();
        oracle
    }

    /// A log that touches every signal with its value at reset.
    fn reset(&self) -> CommitLog {
        let mut log = CommitLog::default();
        let depth = self.network.switch.fifo_depth as u16;
        let node_depth = self.network.node.consumption_depth.map_or(depth, |d| d as u16);
        for switch in (0..self.wiring.switches()).map(SwitchId) {
            for lane in 0..self.lanes(true) as u8 {
                log.inputs.push(InSample {
                    switch,
                    lane,
                    state: LaneState::Idle,
                    enc: 0,
                    fifo_count: 0,
                    worm: NONE,
                    flit: NONE,
                    branches: 0,
                    taken: 0,
                });
            }
            for lane in 0..self.lanes(false) as u8 {
                let credits = if self.port(lane) + 1 == self.wiring.ports() { node_depth } else { depth };
                let (owner, valid, worm, flit, data) = (255, false, NONE, NONE, 0);
                log.outputs.push(OutSample { switch, lane, valid, owner, credits, worm, flit, data });
            }
            let node = NodeId(switch.0);
            for channel in 0..self.network.node.injection_channels as u8 {
                let (valid, worm, flit, queue) = (false, NONE, NONE, 0);
                log.injections.push(InjectSample { node, channel, valid, credits: depth, worm, flit, queue });
            }
            for channel in 0..self.network.node.consumption_channels as u8 {
                log.consumptions.push(ConsumeSample { node, channel, worm: 0, flit: 0 });
            }
        }
        log
    }

    fn per_link(&self) -> u32 {
        self.network.switch.dilation * self.network.switch.virtual_channels
    }

    fn lanes(&self, inputs: bool) -> u32 {
        let node = &self.network.node;
        let own = if inputs { node.injection_channels } else { node.consumption_channels };
        u32::from(self.wiring.ports() - 1) * self.per_link() + own
    }

    fn port(&self, lane: u8) -> u8 {
        (u32::from(lane) / self.per_link()).min(u32::from(self.wiring.ports()) - 1) as u8
    }

    fn lane(&self, kind: &str, part: &str, switch: SwitchId, lane: u8, own: u32) -> String {
        let port = self.port(lane);
        let of = if port + 1 == self.wiring.ports() { own } else { self.per_link() };
        let within = u32::from(lane) - u32::from(port) * self.per_link();
        let name = format!("top.{}.{kind}{port}", self.wiring.switch_name(switch));
        if of > 1 { format!("{name}.{part}{within}") } else { name }
    }

    fn output(&self, switch: SwitchId, lane: u8) -> String {
        self.lane("out", "l", switch, lane, self.network.node.consumption_channels)
    }

    /// Sets a signal, unless it hangs on a port that leads nowhere.
    fn set(&mut self, name: &str, digits: String) {
        let switch = (0..self.wiring.switches()).map(SwitchId);
        let unwired = switch.flat_map(|s| (0..self.wiring.ports()).map(move |p| (s, p))).any(|(s, p)| {
            let scope = format!("top.{}.", self.wiring.switch_name(s));
            let port = name.strip_prefix(&scope).and_then(|rest| rest.split('.').next());
            port.is_some_and(|port| port == format!("in{p}") || port == format!("out{p}"))
                && self.wiring.link(s, PortId(p)).is_none()
        });
        if !unwired {
            self.now.insert(name.to_owned(), digits);
        }
    }

    fn commit(&mut self, log: &CommitLog) {
        let (depth, ports) = (width(self.network.switch.fifo_depth), self.wiring.ports().into());
        let node_depth = self.network.node.consumption_depth.map_or(depth, width);
        for s in &log.inputs {
            let name = self.lane("in", "v", s.switch, s.lane, self.network.node.injection_channels);
            self.set(&format!("{name}.fifo_count"), binary(s.fifo_count.into(), depth));
            self.set(&format!("{name}.state"), binary(s.state as u64, 3));
            self.set(&format!("{name}.worm"), binary(s.worm.into(), 32));
            self.set(&format!("{name}.flit"), binary(s.flit.into(), 32));
            let enc = if s.worm == NONE { "11".to_owned() } else { binary(s.enc.into(), 2) };
            self.set(&format!("{name}.enc"), enc);
            self.set(&format!("{name}.branches"), binary(s.branches, ports));
            self.set(&format!("{name}.taken"), binary(s.taken, ports));
        }
        for s in &log.outputs {
            let name = self.output(s.switch, s.lane);
            let credits = if self.port(s.lane) + 1 == self.wiring.ports() { node_depth } else { depth };
            self.set(&format!("{name}.owner"), binary(s.owner.into(), 8));
            self.set(&format!("{name}.credits"), binary(s.credits.into(), credits));
            self.set(&format!("{name}.valid"), binary(s.valid.into(), 1));
            self.set(&format!("{name}.worm"), binary(s.worm.into(), 32));
            self.set(&format!("{name}.flit"), binary(s.flit.into(), 32));
            if s.valid {
                let bits = self.network.switch.flit_bits as usize;
                let words = &log.words[s.data as usize..][..bits.div_ceil(64)];
                let digits: String = words.iter().rev().map(|w| binary(*w, 64)).collect();
                self.set(&format!("{name}.data"), digits[digits.len() - bits..].to_owned());
            }
        }
        for s in &log.injections {
            let more = self.network.node.injection_channels > 1;
            let name = format!("top.node{}.inj", s.node) + &more.then(|| s.channel.to_string()).unwrap_or_default();
            self.set(&format!("{name}.valid"), binary(s.valid.into(), 1));
            self.set(&format!("{name}.worm"), binary(s.worm.into(), 32));
            self.set(&format!("{name}.flit"), binary(s.flit.into(), 32));
            self.set(&format!("{name}.credits"), binary(s.credits.into(), depth));
            self.set(&format!("top.node{}.queue", s.node), binary(s.queue.into(), 32));
        }
        self.silence();
        for s in &log.consumptions {
            let more = self.network.node.consumption_channels > 1;
            let name = format!("top.node{}.ej", s.node) + &more.then(|| s.channel.to_string()).unwrap_or_default();
            self.set(&format!("{name}.valid"), binary(1, 1));
            self.set(&format!("{name}.worm"), binary(s.worm.into(), 32));
            self.set(&format!("{name}.flit"), binary(s.flit.into(), 32));
        }
        self.history.insert(log.cycle, self.now.clone());
    }

    /// Consumption channels show a flit for one cycle.
    fn silence(&mut self) {
        for (name, digits) in self.now.iter_mut().filter(|(name, _)| name.contains(".ej")) {
            *digits = if name.ends_with("valid") { "0".to_owned() } else { "1".repeat(32) };
        }
    }

    /// The dump of a stream.
    fn wave(mut self, logs: &[CommitLog], window: Window, cycles: u64, shows: impl Fn(&str) -> bool) -> Wave {
        let mut logs = logs.iter().peekable();
        for cycle in 0..cycles {
            match logs.next_if(|l| l.cycle == cycle) {
                Some(log) => self.commit(log),
                None => self.silence(),
            }
            self.history.insert(cycle, self.now.clone());
        }
        let mut wave = Wave::new();
        let mut clock = Vec::new();
        for (&cycle, values) in self.history.range(window.start..window.end.min(cycles)) {
            let mut any = cycle == window.start;
            for (name, digits) in values.iter().filter(|(name, _)| shows(name)) {
                let changes = wave.entry(name.clone()).or_default();
                if changes.last().is_none_or(|(_, old)| old != digits) {
                    changes.push((cycle, digits.clone()));
                    any = true;
                }
            }
            if any {
                clock.push((cycle, binary(cycle, 64)));
            }
        }
        wave.insert("top.cycle".to_owned(), clock);
        wave
    }
}

/// Networks with every kind of lane.
fn networks() -> impl Strategy<Value = (Network, Wiring)> {
    let bits = prop_oneof![Just(8_u32), Just(64), Just(65), Just(128), Just(200)];
    (1..4_u32, 1..3_u32, 1..3_u32, 1..3_u32, 1..3_u32, 1..3_u32, bits, any::<bool>()).prop_map(
        |(x, y, vcs, dilation, inject, consume, bits, torus)| {
            let kind = if torus { "torus" } else { "mesh" };
            let network = fake::network(&format!(
                "(topology: {kind}(radices: [{x}, {y}]), node: (injection_channels: {inject}, \
                 consumption_channels: {consume}, consumption_depth: Some(9)), switch: (flit_bits: {bits}, \
                 virtual_channels: {vcs}, dilation: {dilation}))"
            ));
            (network, Wiring::Grid(Grid::new(vec![x, y], torus)))
        },
    )
}

/// Random streams of samples: gaps between commits, lanes picked at random, few different values so that many repeat.
fn streams() -> impl Strategy<Value = (Network, Wiring, Vec<CommitLog>)> {
    networks().prop_flat_map(|(network, wiring)| {
        let oracle = Oracle::new(&network, &wiring);
        let all = oracle.reset();
        let words = network.switch.flit_bits.div_ceil(64) as usize;
        let top =
            if network.switch.flit_bits % 64 == 0 { u64::MAX } else { (1 << (network.switch.flit_bits % 64)) - 1 };
        let cycle = (1..4_u64, prop::collection::vec((any::<prop::sample::Index>(), any::<u64>()), 0..12));
        let logs = prop::collection::vec(cycle, 1..25).prop_map(move |cycles| {
            let mut now = 0;
            let mut logs = Vec::new();
            for (gap, picks) in cycles {
                let mut log = CommitLog { cycle: now, ..CommitLog::default() };
                now += gap;
                for (pick, random) in picks {
                    let some = |bits: u32| if bits & 3 == 0 { NONE } else { bits & 7 };
                    let (a, b) = (random as u32, (random >> 32) as u32);
                    match a % 4 {
                        0 => {
                            let mut s = *pick.get(&all.inputs);
                            s.fifo_count = (b & 3) as u16;
                            (s.worm, s.flit) = (some(b >> 3), some(b >> 6));
                            s.state = if b & 1 == 0 { LaneState::Move } else { LaneState::Blocked };
                            (s.enc, s.branches, s.taken) =
                                ((b % 3) as u8, u64::from(b >> 8 & 31), u64::from(b >> 14 & 31));
                            if log.inputs.iter().all(|o| (o.switch, o.lane) != (s.switch, s.lane)) {
                                log.inputs.push(s);
                            }
                        }
                        1 => {
                            let mut s = *pick.get(&all.outputs);
                            (s.valid, s.owner, s.credits) = (b & 1 == 0, (b >> 1 & 3) as u8, (b >> 3 & 3) as u16);
                            (s.worm, s.flit) = (some(b >> 5), some(b >> 8));
                            s.data = log.words.len() as u32;
                            if log.outputs.iter().all(|o| (o.switch, o.lane) != (s.switch, s.lane)) {
                                if s.valid {
                                    let spread = |w: usize| random.rotate_left(7 * w as u32) * u64::from(b >> w & 1);
                                    log.words.extend((0..words).map(spread));
                                    *log.words.last_mut().expect("a word") &= top;
                                }
                                log.outputs.push(s);
                            }
                        }
                        2 => {
                            let mut s = *pick.get(&all.injections);
                            (s.valid, s.credits, s.worm, s.flit) =
                                (b & 1 == 0, (b >> 1 & 3) as u16, some(b >> 3), some(b >> 6));
                            s.queue = 5; // one value, because channels share it
                            if log.injections.iter().all(|o| (o.node, o.channel) != (s.node, s.channel)) {
                                log.injections.push(s);
                            }
                        }
                        _ => {
                            let mut s = *pick.get(&all.consumptions);
                            (s.worm, s.flit) = (b & 1, b >> 1 & 1);
                            if log.consumptions.iter().all(|o| (o.node, o.channel) != (s.node, s.channel)) {
                                log.consumptions.push(s);
                            }
                        }
                    }
                }
                logs.push(log);
            }
            logs
        });
        (Just(network), Just(wiring), logs)
    })
}

/// Runs a stream through both sinks.
fn dump(network: &Network, wiring: &Wiring, logs: &[CommitLog], options: &Options, cycles: u64) -> [Vec<u8>; 2] {
    fn one<H: Header>(header: H, n: &Network, w: &Wiring, logs: &[CommitLog], o: &Options, cycles: u64) -> Output<H> {
        let mut tracer = Tracer::new(header, Path::new("test"), n, w, o.clone()).expect("a tracer");
        logs.iter().for_each(|log| tracer.commit(log));
        tracer.finish_dump(End { cycles, deadlock: None }).expect("a dump")
    }
    type Output<H> = <<H as Header>::Sink as Sink>::Output;
    let vcd = one(VcdHeader::new(Vec::new()), network, wiring, logs, options, cycles);
    let header = FstHeader::new(Cursor::new(Vec::new())).expect("a header");
    [vcd, one(header, network, wiring, logs, options, cycles).into_inner()]
}

fn compare(dumps: [Vec<u8>; 2], expected: &Wave) {
    let [vcd, fst] = dumps;
    assert_eq!(&vcd_crate(&vcd), expected, "VCD by crate vcd");
    assert_eq!(&wellen(vcd), expected, "VCD by wellen");
    assert_eq!(&wellen(fst), expected, "FST by wellen");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn dumps_read_back_as_the_samples_that_went_in((network, wiring, logs) in streams()) {
        let cycles = logs.last().map_or(1, |l| l.cycle + 3);
        let expected = Oracle::new(&network, &wiring).wave(&logs, Window::ALL, cycles, |_| true);
        compare(dump(&network, &wiring, &logs, &Options::default(), cycles), &expected);
    }

    #[test]
    fn a_window_starts_with_all_values_and_ends_where_it_says((network, wiring, logs) in streams(), a in 0..30_u64, len in 1..30_u64) {
        let cycles = logs.last().map_or(1, |l| l.cycle + 3);
        let window = Window { start: a.min(cycles - 1), end: a.min(cycles - 1) + len };
        let expected = Oracle::new(&network, &wiring).wave(&logs, window, cycles, |_| true);
        compare(dump(&network, &wiring, &logs, &Options { window, ..Options::default() }, cycles), &expected);
    }

    #[test]
    fn a_scope_declares_what_it_names_and_nothing_else((network, wiring, logs) in streams()) {
        let cycles = logs.last().map_or(1, |l| l.cycle + 3);
        let shows = |name: &str| name.starts_with("top.rt_0_") || name.starts_with("top.node0.ej");
        let expected = Oracle::new(&network, &wiring).wave(&logs, Window::ALL, cycles, shows);
        let scopes = vec!["top.rt_0_*".to_owned(), "top.node0.ej*".to_owned()];
        compare(dump(&network, &wiring, &logs, &Options { scopes, ..Options::default() }, cycles), &expected);
    }
}

fn layout(scopes: &[&str]) -> Result<Layout, TraceError> {
    let (network, wiring) = fake::mesh(4, 4);
    let scopes: Vec<String> = scopes.iter().map(|&s| s.to_owned()).collect();
    Layout::new(&network, &wiring, scope::Selection::new(&scopes)?, None)
}

#[test]
fn a_star_stays_within_one_name_and_two_stars_cross_dots() {
    let count = |globs: &[&str]| layout(globs).map(|l| l.count()).ok();
    let all = count(&[]);
    assert!(all.is_some());
    assert_eq!(count(&["**"]), all);
    assert_eq!(count(&["top"]), all);
    assert_eq!(count(&["top.*"]), all);
    assert_eq!(count(&["top.rt_1_1.in0"]), Some(1 + 7));
    assert_eq!(count(&["top.rt_1_1.*"]), Some(1 + 5 * 7 + 5 * 6));
    assert_eq!(count(&["top.*.queue"]), Some(1 + 16));
    assert_eq!(count(&["top.rt_1_1", "top.rt_1_1.in0", "**.queue"]), Some(1 + 5 * 7 + 5 * 6 + 16));
}

#[test]
fn a_scope_that_matches_nothing_is_refused_with_the_nearest_names() {
    let message = |glob: &str| layout(&[glob]).err().map(|e| e.to_string()).unwrap_or_default();
    assert!(message("top.rt_1-2").contains("top.rt_1_2"), "{}", message("top.rt_1-2"));
    assert!(message("top.noed3").contains("top.node3"), "{}", message("top.noed3"));
    assert!(message("top.rt_0_0.out1").contains("top.rt_0_0.out0"), "{}", message("top.rt_0_0.out1"));
    assert!(message("top.[").contains("top.["));
}

#[test]
fn windows_are_read_as_written() {
    let window = |text: &str| text.parse::<Window>().ok().map(|w| (w.start, w.end));
    assert_eq!(window("10..20"), Some((10, 20)));
    assert_eq!(window("1_000.."), Some((1000, u64::MAX)));
    assert_eq!(window("..7"), Some((0, 7)));
    for bad in ["", "7", "9..9", "9..3", "a..b", "1...2", "-1..2"] {
        assert_eq!(window(bad), None, "{bad}");
    }
}

/// Takes so many bytes, then the disk is full.
struct Disk(usize);

impl Write for Disk {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 = self.0.checked_sub(bytes.len()).ok_or(io::ErrorKind::StorageFull)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_full_disk_stops_the_run_and_is_reported_with_the_path() {
    let (network, wiring) = fake::mesh(6, 6);
    let worms: Vec<WormInfo> = (0..3000).map(|i| fake::worm(i, 0, i % 36, &[(i * 7 + 1) % 36], 64)).collect();
    let worms: Vec<WormInfo> = worms
        .into_iter()
        .filter(|w| w.source != w.destinations[0])
        .enumerate()
        .map(|(id, w)| WormInfo { id: WormId(id as u32), ..w })
        .collect();
    let header = VcdHeader::new(Disk(200_000));
    let mut tracer =
        Tracer::new(header, Path::new("some/where.vcd"), &network, &wiring, Options::default()).expect("a tracer");
    let mut stopped = false;
    let mut watch = |tracer: &Tracer<'_, _>| stopped |= tracer.stop();
    fake::run(&wiring, 4, &worms, 3000, &mut tracer);
    watch(&tracer);
    assert!(stopped);
    let error =
        tracer.finish_dump(End { cycles: 3000, deadlock: None }).err().map(|e| e.to_string()).unwrap_or_default();
    assert!(error.starts_with("some/where.vcd"), "{error}");
}

#[test]
fn an_unfinished_dump_leaves_no_file_behind() {
    let directory = tempfile::tempdir().expect("a directory");
    let (network, wiring) = fake::mesh(2, 2);
    for name in ["a.vcd", "a.fst"] {
        let path = directory.path().join(name);
        let tracer = Tracer::create(&path, &network, &wiring, Options::default()).expect("a tracer");
        drop(tracer);
        let late = Options { window: Window { start: 100, end: 200 }, ..Options::default() };
        let tracer = Tracer::create(&path, &network, &wiring, late).expect("a tracer");
        assert!(matches!(tracer.finish(End { cycles: 50, deadlock: None }), Err(TraceError::WindowNotReached { .. })));
    }
    assert_eq!(std::fs::read_dir(directory.path()).expect("a directory").count(), 0);
    let nowhere = directory.path().join("none/a.vcd");
    assert!(matches!(Tracer::create(&nowhere, &network, &wiring, Options::default()), Err(TraceError::Io { .. })));
    let odd = directory.path().join("a.txt");
    assert!(matches!(Tracer::create(&odd, &network, &wiring, Options::default()), Err(TraceError::Format { .. })));
}

/// A multicast whose eastern branch waits for a lane that a long unicast holds.
fn contended() -> (Network, Wiring, Vec<WormInfo>) {
    let (network, wiring) = fake::mesh(6, 6);
    let mut worms = vec![fake::worm(0, 0, 8, &[11], 60), fake::worm(1, 6, 7, &[10, 16, 22, 28, 27], 16)];
    worms.extend((2..12).map(|i| fake::worm(i, i.into(), 3 * i % 36, &[(11 * i + 5) % 36], 8)));
    (network, wiring, worms)
}

fn followed(worm: u32) -> (Network, Wiring, Vec<WormInfo>, Follow) {
    let (network, wiring, worms) = contended();
    let mut recorder = HopRecorder::new(WormId(worm), &network, &wiring);
    fake::run(&wiring, 4, &worms, 1000, &mut recorder);
    let follow = recorder.finish().expect("the worm");
    (network, wiring, worms, follow)
}

#[test]
fn the_hops_of_a_multicast_are_its_tree() {
    let (_, wiring, _, follow) = followed(1);
    let hops = |h: &Hop| (wiring.switch_name(h.switch), h.depth, h.from.map(|s| wiring.switch_name(s)), h.ports);
    let found: Vec<_> = follow.hops.iter().map(hops).collect();
    let name = str::to_owned;
    let expected = [
        (name("rt_1_1"), 0, None, 0b00001),
        (name("rt_2_1"), 1, Some(name("rt_1_1")), 0b00001),
        (name("rt_3_1"), 2, Some(name("rt_2_1")), 0b00101),
        (name("rt_4_1"), 3, Some(name("rt_3_1")), 0b10100),
        (name("rt_4_2"), 4, Some(name("rt_4_1")), 0b10100),
        (name("rt_4_3"), 5, Some(name("rt_4_2")), 0b10100),
        (name("rt_4_4"), 6, Some(name("rt_4_3")), 0b10000),
        (name("rt_3_2"), 3, Some(name("rt_3_1")), 0b00100),
        (name("rt_3_3"), 4, Some(name("rt_3_2")), 0b00100),
        (name("rt_3_4"), 5, Some(name("rt_3_3")), 0b10000),
    ];
    assert_eq!(found, expected);
    for hop in &follow.hops {
        let port = PortId(hop.lane);
        match (hop.from, wiring.link(hop.switch, port)) {
            (Some(from), Some(Far::Switch(far, _))) => assert_eq!(from, far),
            (None, Some(Far::Node(node))) => assert_eq!(node, follow.worm.source),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn branch_rows_name_every_flit_and_who_is_waited_for() {
    let (network, wiring, worms, follow) = followed(1);
    let options = Options { follow: Some(follow.clone()), ..Options::default() };
    let mut tracer =
        Tracer::new(VcdHeader::new(Vec::new()), Path::new("test"), &network, &wiring, options).expect("a tracer");
    let cycles = fake::run(&wiring, 4, &worms, 1000, &mut tracer);
    let wave = wellen(tracer.finish_dump(End { cycles, deadlock: None }).expect("a dump"));
    let mut waits = BTreeSet::new();
    for (at, hop) in follow.hops.iter().enumerate() {
        for port in follow::branch_ports(hop) {
            let row = &wave[&format!("top.follow_w1.{}", follow::name(at, port))];
            let mut flits = Vec::new();
            for (_, digits) in row {
                match Doing::decode(u64::from_str_radix(digits, 2).expect("digits")).expect("a value") {
                    Doing::Crosses(flit) => flits.push(flit),
                    Doing::Waits(worm) => {
                        waits.insert((at, port, worm));
                    }
                    _ => {}
                }
            }
            assert_eq!(flits, (0..16).collect::<Vec<_>>(), "{} {port}", wiring.switch_name(hop.switch));
        }
    }
    assert_eq!(waits, BTreeSet::from([(0, PortId(0), 2)]), "w2 passes rt_1_1 towards rt_2_1 when w1 starts");
}

#[test]
fn a_saved_view_names_only_signals_of_its_dump() {
    let (network, wiring, worms, follow) = followed(1);
    let directory = tempfile::tempdir().expect("a directory");
    for (name, follow) in [("a.vcd", None), ("b.fst", None), ("c.vcd", Some(follow.clone())), ("d.fst", Some(follow))] {
        let path = directory.path().join(name);
        let options = Options { follow: follow.clone(), ..Options::default() };
        let mut tracer = Tracer::create(&path, &network, &wiring, options).expect("a tracer");
        let cycles = fake::run(&wiring, 4, &worms, 1000, &mut tracer);
        let written = tracer.finish(End { cycles, deadlock: Some(20) }).expect("files");
        let view = std::fs::read_to_string(path.with_extension("gtkw")).expect("a view");
        let wave = wellen(std::fs::read(&path).expect("a dump"));
        let shown = gtkw::signals(&view);
        assert!((20..=200).contains(&shown.len()), "{} rows", shown.len());
        for signal in shown {
            let (bare, range) = signal.split_once('[').unwrap_or((signal, ""));
            let digits = &wave.get(bare).unwrap_or_else(|| panic!("{signal} is not in {name}"))[0].1;
            let bits = range.split(':').next().and_then(|msb| msb.parse::<usize>().ok()).map_or(1, |msb| msb + 1);
            assert_eq!(digits.len(), bits, "{signal}");
        }
        for file in view.lines().filter_map(|l| l.strip_prefix('^')).filter_map(|l| l.split_once(' ')) {
            assert!(written.contains(&directory.path().join(file.1)), "{}", file.1);
        }
        for file in &written {
            assert!(file.exists());
        }
        assert!(view.contains("worm 1: n7 to {n10,n16,n22,n28,n27}, 16 flits, bit_string"), "{view}");
        assert!(view.contains("[markername] AA w1 injected") && view.contains("[markername] DD deadlock"), "{view}");
        assert_eq!(follow.is_some(), view.contains("-    rt_3_1.in1 from rt_2_1"), "{view}");
    }
}

#[test]
fn a_narrow_scope_still_declares_the_hops_of_the_followed_worm() {
    let (network, wiring, _, follow) = followed(1);
    let scopes = scope::Selection::new(&["top.node3".to_owned()]).expect("a scope");
    let layout = Layout::new(&network, &wiring, scopes, Some(&follow)).expect("a layout");
    assert!(follow.hops.iter().all(|h| layout.input(h.switch, h.lane).is_some()));
    assert!(layout.input(SwitchId(0), 0).is_none());
}

#[test]
fn a_branch_says_what_keeps_it() {
    use super::follow::{InView, OutView, doing};
    let front = InView { worm: 7, fifo_count: 2, branches: 0b11, taken: 0 };
    let taken = InView { worm: 7, fifo_count: 2, branches: 0b11, taken: 0b10 };
    let empty = InView { worm: 7, fifo_count: 0, branches: 0b11, taken: 0 };
    let other = InView { worm: 8, fifo_count: 2, branches: 0b11, taken: 0 };
    let lane = |owner, credits, valid, owner_worm| OutView { owner, credits, valid, flit: 5, owner_worm };
    let says = |input: &InView, lanes: Vec<OutView>| doing(WormId(7), 3, PortId(1), input, lanes.into_iter());
    let none = u64::from(NONE);
    assert_eq!(says(&front, vec![lane(3, 1, true, 7)]), Doing::Crosses(5));
    assert_eq!(says(&front, vec![lane(3, 0, false, 7)]), Doing::NoCredit);
    assert_eq!(says(&front, vec![lane(3, 1, false, 7)]), Doing::Bubble);
    assert_eq!(says(&empty, vec![lane(3, 0, false, 7)]), Doing::Bubble);
    assert_eq!(says(&taken, vec![lane(3, 1, false, 7)]), Doing::Sibling);
    assert_eq!(says(&taken, vec![lane(255, 1, false, none)]), Doing::Nothing);
    assert_eq!(says(&front, vec![lane(0, 1, true, 9), lane(3, 1, true, 7)]), Doing::Crosses(5));
    assert_eq!(says(&front, vec![lane(0, 1, true, 9), lane(1, 1, true, 4)]), Doing::Waits(9));
    assert_eq!(says(&front, vec![lane(255, 1, false, none)]), Doing::Waits(NONE));
    assert_eq!(says(&other, vec![lane(3, 1, true, 7)]), Doing::Nothing);
    for doing in [Doing::Nothing, Doing::Crosses(9), Doing::Waits(NONE), Doing::NoCredit, Doing::Sibling, Doing::Bubble]
    {
        assert_eq!(Doing::decode(doing.encode()), Some(doing));
        assert!(doing.encode() < 1 << super::follow::BITS);
    }
}

#[test]
fn the_speed_comparison_writes_the_same_changes_twice() {
    let directory = tempfile::tempdir().expect("a directory");
    let (network, wiring) = fake::mesh(8, 8);
    let speed = speed::measure(directory.path(), &network, &wiring, 3000).expect("a measurement");
    assert!(speed.changes > 1_000_000);
    let (traced, bare) = speed.rates();
    assert!(traced > 0.0 && bare > 0.0);
}
