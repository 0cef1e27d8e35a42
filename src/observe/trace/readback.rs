//! Independent readers of dumps, and an oracle for their contents.

use std::collections::BTreeMap;
use std::io::Cursor;

use wormscope_hw::{InputMask, NodeId, PortId, PortMask, SwitchId, WormId};

use super::Window;
use crate::engine::{
    CommitLog, ConsumeSample, FlitId, InSample, InjectSample, LaneState, LinkWaits, OutSample, TokenSample,
};
use crate::network::{End as Far, Network, Wiring};

/// Changes of every signal, by full name: time and binary digits.
pub type Wave = BTreeMap<String, Vec<(u64, String)>>;

/// Reads a dump with `wellen`.
pub fn wellen(file: Vec<u8>) -> Wave {
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
        changed(all)
    };
    named.iter().map(|(name, v)| (name.clone(), changes(v.signal_ref()))).collect()
}

/// The unit of time of a dump, factor and power of ten of a second, and its last time.
pub fn timescale(file: Vec<u8>) -> ((u32, i8), u64) {
    let wave = wellen::simple::read_from_reader(Cursor::new(file)).expect("a readable dump");
    let unit = wave.hierarchy().timescale().expect("a timescale");
    let exponent = unit.unit.to_exponent().expect("a unit");
    ((unit.factor, exponent), *wave.time_table().last().expect("a time"))
}

/// Reads a VCD with crate `vcd`.
pub(crate) fn vcd_crate(file: &[u8]) -> Wave {
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
        // Digits that are left out before an x are x.
        let digits = if digits.starts_with('x') { format!("{digits:x>bits$}") } else { format!("{digits:0>bits$}") };
        wave.get_mut(name).expect("declared").push((now, digits));
    }
    wave.into_iter().map(|(name, changes)| (name, changed(changes.into_iter()))).collect()
}

/// Names of values in a dump, by full name of the signal.
pub fn named(file: Vec<u8>) -> BTreeMap<String, BTreeMap<String, String>> {
    let wave = wellen::simple::read_from_reader(Cursor::new(file)).expect("a readable dump");
    let hierarchy = wave.hierarchy();
    let named = hierarchy.all_vars().map(|var| &hierarchy[var]).filter_map(|var| {
        let (_, names) = var.enum_type(hierarchy)?;
        Some((var.full_name(hierarchy), names.iter().map(|(value, name)| ((*value).into(), (*name).into())).collect()))
    });
    named.collect()
}

/// Names of all signals in the text of a saved view, including signals that are given bit by bit.
pub fn shown(view: &str) -> Vec<&str> {
    let name = |line: &'_ str| line.rfind([' ', ')']).map_or(0, |before| before + 1);
    let is_signal = |line: &&str| ["top.", "+{", "#{"].iter().any(|begin| line.starts_with(begin));
    view.lines().filter(is_signal).map(|line| &line[name(line)..]).collect()
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

/// The number of a channel, if there are several.
fn number(several: bool, channel: u8) -> String {
    if several { channel.to_string() } else { String::new() }
}

/// Contents that a dump must have, computed the slow way: a table of all signals, copied cycle by
/// cycle.
pub(crate) struct Oracle {
    network: Network,
    wiring: Wiring,
    now: BTreeMap<String, String>,
    history: BTreeMap<u64, BTreeMap<String, String>>,
}

fn binary(value: u64, bits: u32) -> String {
    format!("{value:0bits$b}", bits = bits as usize)
}

fn number_or_ones(value: Option<u32>) -> String {
    value.map_or_else(|| "1".repeat(32), |value| binary(value.into(), 32))
}

fn width(largest: u32) -> u32 {
    (1..32).find(|&b| largest < 1 << b).expect("a width")
}

impl Oracle {
    pub fn new(network: &Network, wiring: &Wiring) -> Self {
        let mut oracle =
            Self { network: network.clone(), wiring: wiring.clone(), now: BTreeMap::new(), history: BTreeMap::new() };
        let reset = oracle.reset();
        oracle.commit(&reset);
        for switch in 0..wiring.switches() {
            for lane in 0..oracle.lanes(false) as u8 {
                let Some(name) = oracle.output(SwitchId(switch), lane) else { continue };
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
    pub(crate) fn reset(&self) -> CommitLog {
        let mut log = CommitLog::default();
        let depth = self.network.switch.fifo_depth as u16;
        let node_depth = self.network.consumption_depth() as u16;
        for switch in (0..self.wiring.switches()).map(SwitchId) {
            for lane in 0..self.lanes(true) as u8 {
                log.inputs.push(InSample {
                    switch,
                    lane,
                    state: LaneState::Idle,
                    enc: None,
                    fifo_count: 0,
                    worm: None,
                    flit: None,
                    branches: PortMask::NONE,
                    taken: PortMask::NONE,
                    waits: LinkWaits::default(),
                });
            }
            for lane in 0..self.lanes(false) as u8 {
                let credits = if self.to_node(switch, lane) { node_depth } else { depth };
                log.outputs.push(OutSample { switch, lane, owner: None, credits, flit: None, data: 0 });
            }
            if self.has_station(switch) {
                log.tokens.push(TokenSample { switch, here: false, holder: None, request: InputMask::NONE });
            }
        }
        for node in (0..self.wiring.nodes()).map(NodeId) {
            let credits = self.network.injection_depth() as u16;
            for channel in 0..self.network.injection_lanes() as u8 {
                log.injections.push(InjectSample { node, channel, credits, flit: None, queue: 0, waits: None });
            }
            for channel in 0..self.network.consumption_lanes() as u8 {
                log.consumptions.push(ConsumeSample { node, channel, flit: FlitId { worm: WormId(0), index: 0 } });
            }
        }
        log
    }

    fn per_link(&self) -> u32 {
        self.network.switch.dilation * self.network.switch.virtual_channels
    }

    fn lanes(&self, inputs: bool) -> u32 {
        let own = if inputs { self.network.injection_lanes() } else { self.network.consumption_lanes() };
        (0..self.wiring.ports()).map(|port| self.of(port, own)).sum()
    }

    /// Number of lanes that a port has at any switch.
    fn of(&self, port: u8, own: u32) -> u32 {
        let switches = || (0..self.wiring.switches()).map(SwitchId);
        let leads = |f: &dyn Fn(Far) -> bool| {
            switches().any(|s| {
                [self.wiring.input(s, PortId(port)), self.wiring.output(s, PortId(port))].into_iter().flatten().any(f)
            })
        };
        let node_port = leads(&|end| matches!(end, Far::Node(_)));
        let link_port = self.wiring.grid().is_none() || port + 1 < self.wiring.ports();
        let of = [(node_port, own), (link_port, self.per_link())];
        of.iter().filter(|(is, _)| *is).map(|(_, lanes)| *lanes).max().unwrap_or(0)
    }

    /// Port of a lane, and its number within it.
    fn port(&self, lane: u8, own: u32) -> (u8, u32) {
        let (mut port, mut within) = (0, u32::from(lane));
        while within >= self.of(port, own) {
            within -= self.of(port, own);
            port += 1;
        }
        (port, within)
    }

    fn to_node(&self, switch: SwitchId, lane: u8) -> bool {
        let (port, _) = self.port(lane, self.network.consumption_lanes());
        matches!(self.wiring.output(switch, PortId(port)), Some(Far::Node(_)))
    }

    /// Name of an input lane; `None` if it does not exist.
    fn input(&self, switch: SwitchId, lane: u8) -> Option<String> {
        let own = self.network.injection_lanes();
        let end = self.wiring.input(switch, PortId(self.port(lane, own).0));
        self.lane("in", "v", switch, lane, own, end)
    }

    fn output(&self, switch: SwitchId, lane: u8) -> Option<String> {
        let own = self.network.consumption_lanes();
        let end = self.wiring.output(switch, PortId(self.port(lane, own).0));
        self.lane("out", "l", switch, lane, own, end)
    }

    fn lane(&self, kind: &str, sub: &str, switch: SwitchId, lane: u8, own: u32, end: Option<Far>) -> Option<String> {
        let (port, within) = self.port(lane, own);
        let here = if matches!(end?, Far::Node(_)) { own } else { self.per_link() };
        let name = format!("top.{}.{kind}{port}", self.wiring.switch_name(switch));
        let name = if self.of(port, own) > 1 { format!("{name}.{sub}{within}") } else { name };
        (within < here).then_some(name)
    }

    /// Whether a switch has a station. In a network with token rings all have one, except the
    /// switches of a last stage that needs none.
    fn has_station(&self, switch: SwitchId) -> bool {
        let last = self.wiring.uni_min().map_or(0, |min| min.stages() - 1);
        let rows = self.network.stages().map_or(1, |(_, stages)| self.wiring.switches() / stages);
        self.network.token_ring.is_some() && (switch.0 / rows != last || self.network.last_stage_blocks())
    }

    fn set(&mut self, name: &str, digits: String) {
        self.now.insert(name.to_owned(), digits);
    }

    /// Shows the flit that passes an instance.
    fn flit(&mut self, name: &str, flit: Option<FlitId>) {
        self.set(&format!("{name}.valid"), binary(flit.is_some().into(), 1));
        self.set(&format!("{name}.worm"), number_or_ones(flit.map(|flit| flit.worm.0)));
        self.set(&format!("{name}.flit"), number_or_ones(flit.map(|flit| flit.index)));
    }

    fn commit(&mut self, log: &CommitLog) {
        let (depth, ports) = (width(self.network.switch.fifo_depth), self.wiring.ports().into());
        let node_depth = width(self.network.consumption_depth());
        for s in &log.inputs {
            let Some(name) = self.input(s.switch, s.lane) else { continue };
            let (port, _) = self.port(s.lane, self.network.injection_lanes());
            let from = self.wiring.input(s.switch, PortId(port));
            let count = width(self.network.depth_from(from));
            self.set(&format!("{name}.fifo_count"), binary(s.fifo_count.into(), count));
            self.set(&format!("{name}.state"), binary(s.state as u64, 3));
            self.set(&format!("{name}.worm"), number_or_ones(s.worm.map(|worm| worm.0)));
            self.set(&format!("{name}.flit"), number_or_ones(s.flit));
            let enc = s.enc.map_or("111".to_owned(), |enc| binary(enc as u64, 3));
            self.set(&format!("{name}.enc"), enc);
            self.set(&format!("{name}.branches"), binary(s.branches.0, ports));
            self.set(&format!("{name}.taken"), binary(s.taken.0, ports));
        }
        for s in &log.outputs {
            let Some(name) = self.output(s.switch, s.lane) else { continue };
            let credits = if self.to_node(s.switch, s.lane) { node_depth } else { depth };
            self.set(&format!("{name}.owner"), binary(s.owner.map_or(255, u64::from), 8));
            self.set(&format!("{name}.credits"), binary(s.credits.into(), credits));
            self.flit(&name, s.flit);
            if s.flit.is_some() {
                let bits = self.network.switch.flit_bits as usize;
                let words = &log.words[s.data as usize..][..bits.div_ceil(64)];
                let digits: String = words.iter().rev().map(|w| binary(*w, 64)).collect();
                self.set(&format!("{name}.data"), digits[digits.len() - bits..].to_owned());
            }
        }
        for s in &log.injections {
            let more = self.network.injection_lanes() > 1;
            let name = format!("top.node{}.inj", s.node) + &number(more, s.channel);
            self.flit(&name, s.flit);
            let credits = width(self.network.injection_depth());
            self.set(&format!("{name}.credits"), binary(s.credits.into(), credits));
            self.set(&format!("top.node{}.queue", s.node), binary(s.queue.into(), 32));
        }
        for s in &log.tokens {
            let name = format!("top.{}.token", self.wiring.switch_name(s.switch));
            self.set(&format!("{name}.here"), binary(s.here.into(), 1));
            self.set(&format!("{name}.holder"), binary(s.holder.map_or(255, u64::from), 8));
            self.set(&format!("{name}.request"), binary(s.request.0, self.lanes(true)));
        }
        self.silence();
        for s in &log.consumptions {
            let more = self.network.consumption_lanes() > 1;
            let name = format!("top.node{}.ej", s.node) + &number(more, s.channel);
            self.flit(&name, Some(s.flit));
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
    pub fn wave(mut self, logs: &[CommitLog], window: Window, cycles: u64, shows: impl Fn(&str) -> bool) -> Wave {
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
        for (&cycle, values) in self.history.range(window.start..window.end_within(cycles)) {
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
        // A flit that crosses in the last cycle does not cross in the cycle after it.
        let end = window.end_within(cycles);
        let mut any = false;
        for (name, changes) in wave.iter_mut().filter(|(name, _)| name.contains(".inj") || !name.contains(".in")) {
            let none = match name.rsplit('.').next() {
                Some("valid") => "0".to_owned(),
                Some("worm" | "flit") => "1".repeat(32),
                _ => continue,
            };
            if changes.last().is_none_or(|(_, old)| *old != none) {
                changes.push((end, none));
                any = true;
            }
        }
        if any {
            clock.push((end, binary(end, 64)));
        }
        wave.insert("top.cycle".to_owned(), clock);
        wave
    }
}
