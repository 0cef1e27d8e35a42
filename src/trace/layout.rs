//! Which signals a dump has: one base number per lane, its fields consecutive.
//!
//! The one place that knows names, widths and the order of declaration; tracer and saved views ask
//! it.

use std::io;

use wormscope_hw::{NodeId, PortId, SwitchId};

use super::follow::{self, Follow};
use super::scope::Selection;
use super::{Header, TraceError};
use crate::engine::{ConsumeSample, InSample, InjectSample, NONE, OutSample, TokenSample};
use crate::network::routing::grouping;
use crate::network::{End, Lanes, Network, Wiring};

/// Fields of an input lane, in order.
pub(crate) const IN: [&str; 7] = ["fifo_count", "state", "worm", "flit", "enc", "branches", "taken"];
/// Fields of an output lane, in order; `data` may be wider than a word.
pub(crate) const OUT: [&str; 6] = ["owner", "credits", "valid", "data", "worm", "flit"];
/// Fields of a station of a token ring, in order.
pub const TOKEN: [&str; 3] = ["here", "holder", "request"];
/// Scope of a station below its switch.
pub(crate) const STATION: &str = "token";
/// Fields of an injection channel, in order.
pub(crate) const INJECT: [&str; 4] = ["valid", "worm", "flit", "credits"];
/// Fields of a consumption channel, in order.
pub(crate) const EJECT: [&str; 3] = ["valid", "worm", "flit"];

/// Position of `data` in [`OUT`].
pub(crate) const DATA: u32 = 3;
/// Value of `enc` where there is no worm.
pub(crate) const NO_ENC: u64 = 7;
/// Value of `owner` where there is none.
pub(crate) const NO_OWNER: u64 = 255;
/// Value of `worm` and `flit` where there is none.
pub const IDLE: u64 = NONE as u64;

/// Signal number of `top.cycle`.
pub(crate) const CYCLE: u32 = 0;
/// A dump of more signals is refused.
pub(crate) const MAX_SIGNALS: u64 = 1 << 25;
/// Base number of a lane that is not declared.
const ABSENT: u32 = u32::MAX;

/// Values of an input lane's fields, as dumped.
#[must_use]
pub(crate) fn in_values(s: &InSample) -> [u64; 7] {
    let enc = if s.worm == NONE { NO_ENC } else { s.enc.into() };
    [s.fifo_count.into(), s.state as u64, s.worm.into(), s.flit.into(), enc, s.branches, s.taken]
}

/// Values of an output lane's fields, as dumped.
#[must_use]
pub(crate) fn out_values(s: &OutSample, data: u64) -> [u64; 6] {
    [s.owner.into(), s.credits.into(), s.valid.into(), data, s.worm.into(), s.flit.into()]
}

/// Values of a station's fields, as dumped.
#[must_use]
pub(crate) fn token_values(s: &TokenSample) -> [u64; 3] {
    [s.here.into(), s.holder.into(), s.request]
}

/// Values of an injection channel's fields, as dumped.
#[must_use]
pub(crate) fn inject_values(s: &InjectSample) -> [u64; 4] {
    [s.valid.into(), s.worm.into(), s.flit.into(), s.credits.into()]
}

/// Values of a consumption channel's fields, as dumped.
#[must_use]
pub(crate) fn eject_values(s: &ConsumeSample) -> [u64; 3] {
    [1, s.worm.into(), s.flit.into()]
}

/// Widths of the fields, in bits.
#[derive(Clone, Debug)]
struct Widths {
    input: [u32; 7],
    /// Of a lane towards a switch and of one towards a node.
    output: [[u32; 6]; 2],
    inject: [u32; 4],
    token: [u32; 3],
}

/// Bits that hold `0..=value`.
fn bits(value: u32) -> u32 {
    (32 - value.leading_zeros()).max(1)
}

/// The signals of a dump.
pub struct Layout {
    lanes: Lanes,
    widths: Widths,
    /// Credits at reset of an output lane towards a switch and of one towards a node.
    credits: [u32; 2],
    flit_bits: u32,
    /// Words of a flit's data.
    data_words: usize,
    /// Input and output lanes of a switch.
    strides: [usize; 2],
    switches: u32,
    nodes: u32,
    inputs: Vec<u32>,
    outputs: Vec<u32>,
    /// Whether each switch has a station, and its base number.
    stations: Vec<(bool, u32)>,
    injections: Vec<u32>,
    queues: Vec<u32>,
    ejections: Vec<u32>,
    follow: u32,
    count: u32,
}

impl Layout {
    /// Selects and numbers signals. The hops of followed worms are always selected.
    ///
    /// # Errors
    /// When a glob matches nothing or the signals are too many.
    pub fn new(
        network: &Network,
        wiring: &Wiring,
        mut selection: Selection,
        follows: &[Follow],
    ) -> Result<Self, TraceError> {
        let lanes = network.lanes(wiring);
        let depth = network.switch.fifo_depth;
        let node_depth = network.node.consumption_depth.unwrap_or(depth);
        let ports = wiring.ports().into();
        let flit_bits = network.switch.flit_bits;
        let strides = [lanes.inputs.count().into(), lanes.outputs.count().into()];
        let output = |credits| [8, bits(credits), 1, flit_bits, 32, 32];
        let mut layout = Self {
            lanes,
            widths: Widths {
                input: [bits(depth), 3, 32, 32, 3, ports, ports],
                output: [output(depth), output(node_depth)],
                inject: [1, 32, 32, bits(depth)],
                token: [1, 8, lanes.inputs.count().into()],
            },
            credits: [depth, node_depth],
            flit_bits,
            data_words: flit_bits.div_ceil(64) as usize,
            strides,
            switches: wiring.switches(),
            nodes: wiring.nodes(),
            inputs: vec![ABSENT; wiring.switches() as usize * strides[0]],
            outputs: vec![ABSENT; wiring.switches() as usize * strides[1]],
            stations: vec![(false, ABSENT); wiring.switches() as usize],
            injections: vec![ABSENT; wiring.nodes() as usize * usize::from(lanes.inject)],
            queues: vec![ABSENT; wiring.nodes() as usize],
            ejections: vec![ABSENT; wiring.nodes() as usize * usize::from(lanes.consume)],
            follow: 0,
            count: 0,
        };
        if network.token_ring.is_some() {
            for group in grouping::of(wiring, network.last_stage_blocks()) {
                group.switches.iter().for_each(|s| layout.stations[s.index()].0 = true);
            }
        }
        let total = layout.number(wiring, &mut selection, follows);
        if let Some(glob) = selection.unused() {
            return Err(TraceError::NoMatch { glob: glob.to_owned(), nearest: layout.nearest(wiring, glob) });
        }
        if total > MAX_SIGNALS {
            return Err(TraceError::TooManySignals { signals: total, limit: MAX_SIGNALS });
        }
        layout.count = total as u32;
        Ok(layout)
    }

    /// Gives every selected lane its base number, in the order of [`Layout::declare`]; returns how
    /// many signals there are.
    fn number(&mut self, wiring: &Wiring, selection: &mut Selection, follows: &[Follow]) -> u64 {
        let hops: Vec<_> = follows.iter().flat_map(|f| &f.hops).collect();
        let mut next = u64::from(CYCLE) + 1;
        let mut take = |slot: &mut u32, fields: usize| {
            *slot = next as u32; // a total above MAX_SIGNALS is refused before anyone looks
            next += fields as u64;
        };
        let top = selection.selects(false, || "top".to_owned());
        let lanes = self.lanes;
        for switch in (0..self.switches).map(SwitchId) {
            let name = || format!("top.{}", wiring.switch_name(switch));
            let whole = selection.selects(top, name) || hops.iter().any(|h| h.switch == switch);
            if !whole && !selection.deep() {
                continue;
            }
            for lane in (0..lanes.inputs.count()).filter(|&l| lanes.has_input(wiring, switch, l)) {
                if selects_part(selection, whole, name, || lanes.input_name(lane)) {
                    let at = self.input_slot(switch, lane);
                    take(&mut self.inputs[at], IN.len());
                }
            }
            for lane in (0..lanes.outputs.count()).filter(|&l| lanes.has_output(wiring, switch, l)) {
                if selects_part(selection, whole, name, || lanes.output_name(lane)) {
                    let at = self.output_slot(switch, lane);
                    take(&mut self.outputs[at], OUT.len());
                }
            }
            let (exists, base) = &mut self.stations[switch.index()];
            if *exists && selects_part(selection, whole, name, || STATION.to_owned()) {
                take(base, TOKEN.len());
            }
        }
        for node in (0..self.nodes).map(NodeId) {
            let name = || format!("top.node{node}");
            let whole = selection.selects(top, name);
            if !whole && !selection.deep() {
                continue;
            }
            for channel in 0..lanes.inject {
                if selects_part(selection, whole, name, || lanes.inject_name(channel)) {
                    let at = self.inject_slot(node, channel);
                    take(&mut self.injections[at], INJECT.len());
                }
            }
            if selects_part(selection, whole, name, || "queue".to_owned()) {
                take(&mut self.queues[node.index()], 1);
            }
            for channel in 0..lanes.consume {
                if selects_part(selection, whole, name, || lanes.eject_name(channel)) {
                    let at = self.eject_slot(node, channel);
                    take(&mut self.ejections[at], EJECT.len());
                }
            }
        }
        self.follow = next as u32;
        next + u64::from(hops.iter().map(|h| h.ports.count_ones()).sum::<u32>())
    }

    /// Writes the declarations of all signals, in the order of their numbers.
    ///
    /// # Errors
    /// When writing fails.
    pub(crate) fn declare<H: Header>(&self, wiring: &Wiring, follows: &[Follow], to: &mut H) -> io::Result<()> {
        to.open("top")?;
        to.signal("cycle", 64)?;
        for switch in (0..self.switches).map(SwitchId) {
            let inputs = (0..self.lanes.inputs.count()).filter(|&l| self.input(switch, l).is_some());
            let outputs = (0..self.lanes.outputs.count()).filter(|&l| self.output(switch, l).is_some());
            let mut scopes = Scopes::new(to, wiring.switch_name(switch));
            for lane in inputs {
                scopes.signals(&self.lanes.input_name(lane), &IN, &self.widths.input)?;
            }
            for lane in outputs {
                scopes.signals(&self.lanes.output_name(lane), &OUT, self.output_widths(wiring, switch, lane))?;
            }
            if self.station(switch).is_some() {
                scopes.signals(STATION, &TOKEN, &self.widths.token)?;
            }
            scopes.end()?;
        }
        for node in (0..self.nodes).map(NodeId) {
            let mut scopes = Scopes::new(to, format!("node{node}"));
            for channel in (0..self.lanes.inject).filter(|&c| self.injection(node, c).is_some()) {
                scopes.signals(&self.lanes.inject_name(channel), &INJECT, &self.widths.inject)?;
            }
            if self.queue(node).is_some() {
                scopes.signals("", &["queue"], &[32])?;
            }
            for channel in (0..self.lanes.consume).filter(|&c| self.ejection(node, c).is_some()) {
                scopes.signals(&self.lanes.eject_name(channel), &EJECT, &[1, 32, 32])?;
            }
            scopes.end()?;
        }
        for f in follows {
            let mut scopes = Scopes::new(to, follow::scope_name(f.worm.id));
            for name in follow::names(&f.hops) {
                scopes.signals("", &[&name], &[follow::BITS])?;
            }
            scopes.end()?;
        }
        to.close()
    }

    /// Number of signals.
    #[must_use]
    pub fn count(&self) -> u32 {
        self.count
    }

    /// Lane numbering.
    #[must_use]
    pub fn lanes(&self) -> Lanes {
        self.lanes
    }

    /// Words of a flit's data.
    #[must_use]
    pub(crate) fn data_words(&self) -> usize {
        self.data_words
    }

    /// Base number of an input lane, `None` when it is not declared.
    #[must_use]
    #[inline]
    pub fn input(&self, switch: SwitchId, lane: u8) -> Option<u32> {
        present(self.inputs.get(self.input_slot(switch, lane)))
    }

    /// Base number of an output lane.
    #[must_use]
    #[inline]
    pub fn output(&self, switch: SwitchId, lane: u8) -> Option<u32> {
        present(self.outputs.get(self.output_slot(switch, lane)))
    }

    /// Base number of a switch's station on its token ring.
    #[must_use]
    #[inline]
    pub fn station(&self, switch: SwitchId) -> Option<u32> {
        present(self.stations.get(switch.index()).map(|(_, base)| base))
    }

    /// Base number of an injection channel.
    #[must_use]
    #[inline]
    pub fn injection(&self, node: NodeId, channel: u8) -> Option<u32> {
        present(self.injections.get(self.inject_slot(node, channel)))
    }

    /// Number of a node's queue length.
    #[must_use]
    #[inline]
    pub(crate) fn queue(&self, node: NodeId) -> Option<u32> {
        present(self.queues.get(node.index()))
    }

    /// Base number of a consumption channel.
    #[must_use]
    #[inline]
    pub(crate) fn ejection(&self, node: NodeId, channel: u8) -> Option<u32> {
        present(self.ejections.get(self.eject_slot(node, channel)))
    }

    /// Number of the first row of the first followed worm; the others follow, worm by worm, in the
    /// order of [`follow::names`].
    #[must_use]
    pub fn follow(&self) -> u32 {
        self.follow
    }

    /// Values at reset, one word a signal; and the signals that are wider than a word, in ascending
    /// order.
    #[must_use]
    pub(crate) fn reset(&self, wiring: &Wiring) -> (Vec<u64>, Vec<u32>) {
        let mut values = vec![0; self.count as usize];
        let mut wide = Vec::new();
        let mut set = |base: u32, fields: &[u64]| values[base as usize..][..fields.len()].copy_from_slice(fields);
        for base in self.inputs.iter().filter_map(|b| present(Some(b))) {
            set(base, &[0, 0, IDLE, IDLE, NO_ENC, 0, 0]);
        }
        for (at, base) in self.outputs.iter().enumerate().filter_map(|(at, b)| Some((at, present(Some(b))?))) {
            let (switch, lane) = (SwitchId((at / self.strides[1]) as u32), (at % self.strides[1]) as u8);
            let credits = self.credits[self.to_node(wiring, switch, lane)];
            set(base, &[NO_OWNER, credits.into(), 0, 0, IDLE, IDLE]);
            if self.flit_bits > 64 {
                wide.push(base + DATA);
            }
        }
        for base in self.stations.iter().filter_map(|(_, b)| present(Some(b))) {
            set(base, &[0, NO_OWNER, 0]);
        }
        for base in self.injections.iter().filter_map(|b| present(Some(b))) {
            set(base, &[0, IDLE, IDLE, self.credits[0].into()]);
        }
        for base in self.ejections.iter().filter_map(|b| present(Some(b))) {
            set(base, &[0, IDLE, IDLE]);
        }
        (values, wide)
    }

    /// `top.<switch>.<lane>.<field>[msb:0]` of an input lane as viewers know it.
    #[must_use]
    pub(crate) fn input_signal(&self, wiring: &Wiring, switch: SwitchId, lane: u8, field: usize) -> Option<String> {
        self.input(switch, lane)?;
        let lane = self.lanes.input_name(lane);
        Some(format!("top.{}.{lane}.{}", wiring.switch_name(switch), ranged(IN[field], self.widths.input[field])))
    }

    /// `top.<switch>.<lane>.<field>[msb:0]` of an output lane as viewers know it.
    #[must_use]
    pub(crate) fn output_signal(&self, wiring: &Wiring, switch: SwitchId, lane: u8, field: usize) -> Option<String> {
        self.output(switch, lane)?;
        let width = self.output_widths(wiring, switch, lane)[field];
        let lane = self.lanes.output_name(lane);
        Some(format!("top.{}.{lane}.{}", wiring.switch_name(switch), ranged(OUT[field], width)))
    }

    /// `top.<switch>.token.<field>[msb:0]` of a station as viewers know it.
    #[must_use]
    pub(crate) fn station_signal(&self, wiring: &Wiring, switch: SwitchId, field: usize) -> Option<String> {
        self.station(switch)?;
        let field = ranged(TOKEN[field], self.widths.token[field]);
        Some(format!("top.{}.{STATION}.{field}", wiring.switch_name(switch)))
    }

    fn output_widths(&self, wiring: &Wiring, switch: SwitchId, lane: u8) -> &[u32; 6] {
        &self.widths.output[self.to_node(wiring, switch, lane)]
    }

    fn to_node(&self, wiring: &Wiring, switch: SwitchId, lane: u8) -> usize {
        let end = wiring.output(switch, PortId(self.lanes.outputs.port(lane)));
        usize::from(matches!(end, Some(End::Node(_))))
    }

    fn input_slot(&self, switch: SwitchId, lane: u8) -> usize {
        switch.index() * self.strides[0] + usize::from(lane)
    }

    fn output_slot(&self, switch: SwitchId, lane: u8) -> usize {
        switch.index() * self.strides[1] + usize::from(lane)
    }

    fn inject_slot(&self, node: NodeId, channel: u8) -> usize {
        node.index() * usize::from(self.lanes.inject) + usize::from(channel)
    }

    fn eject_slot(&self, node: NodeId, channel: u8) -> usize {
        node.index() * usize::from(self.lanes.consume) + usize::from(channel)
    }

    /// Names that a glob may have meant: instances, or lanes of the instance that the glob's first
    /// part names.
    fn nearest(&self, wiring: &Wiring, glob: &str) -> Vec<String> {
        let switches =
            (0..self.switches).map(|s| (Some(SwitchId(s)), format!("top.{}", wiring.switch_name(SwitchId(s)))));
        let nodes = (0..self.nodes).map(|n| (None, format!("top.node{n}")));
        let deep = glob.match_indices('.').nth(1).map(|(at, _)| &glob[..at]);
        let mut head = deep.and_then(|g| Selection::new(&[g.to_owned()]).ok());
        let instance = head.as_mut().and_then(|head| {
            switches.clone().chain(nodes.clone()).find(|(_, name)| head.selects(false, || name.clone()))
        });
        match instance {
            Some((switch, name)) => crate::spelling::most_like(
                glob,
                self.parts(wiring, switch).into_iter().map(|part| format!("{name}.{part}")),
            ),
            None => crate::spelling::most_like(
                glob,
                ["top".to_owned()].into_iter().chain(switches.chain(nodes).map(|(_, name)| name)),
            ),
        }
    }

    /// Names below a switch, or below a node.
    fn parts(&self, wiring: &Wiring, switch: Option<SwitchId>) -> Vec<String> {
        let Some(switch) = switch else {
            let inject = (0..self.lanes.inject).map(|c| self.lanes.inject_name(c));
            return inject.chain((0..self.lanes.consume).map(|c| self.lanes.eject_name(c))).collect();
        };
        let lanes = self.lanes;
        let inputs = (0..lanes.inputs.count()).filter(|&l| lanes.has_input(wiring, switch, l));
        let outputs = (0..lanes.outputs.count()).filter(|&l| lanes.has_output(wiring, switch, l));
        let station = self.stations[switch.index()].0.then(|| STATION.to_owned());
        inputs.map(|l| lanes.input_name(l)).chain(outputs.map(|l| lanes.output_name(l))).chain(station).collect()
    }
}

/// Where an output leads, `rt_<x>_<y>` or `n<i>`.
#[must_use]
pub(crate) fn far_end(wiring: &Wiring, switch: SwitchId, port: PortId) -> String {
    match wiring.output(switch, port) {
        Some(End::Switch(far, _)) => wiring.switch_name(far),
        Some(End::Node(node)) => format!("n{node}"),
        None => "nowhere".to_owned(),
    }
}

/// A name with the range that viewers append to it.
#[must_use]
pub(crate) fn ranged(name: &str, bits: u32) -> String {
    if bits > 1 { format!("{name}[{}:0]", bits - 1) } else { name.to_owned() }
}

#[inline]
fn present(base: Option<&u32>) -> Option<u32> {
    match base {
        Some(&base) if base != ABSENT => Some(base),
        _ => None,
    }
}

/// Whether a lane is selected: with its instance (`whole`), with its port, or by its own name.
fn selects_part(
    selection: &mut Selection,
    whole: bool,
    instance: impl Fn() -> String,
    lane: impl Fn() -> String,
) -> bool {
    let port = || format!("{}.{}", instance(), lane().split('.').next().unwrap_or_default());
    let with_port = selection.selects(whole, port);
    selection.selects(with_port, || format!("{}.{}", instance(), lane()))
}

/// Opens scopes when the first signal needs them, closes them when the next signal is elsewhere.
struct Scopes<'a, H> {
    to: &'a mut H,
    instance: String,
    /// Scopes open within `instance`, joined by dots; `None` while the instance is not open.
    open: Option<String>,
}

impl<'a, H: Header> Scopes<'a, H> {
    fn new(to: &'a mut H, instance: String) -> Self {
        Self { to, instance, open: None }
    }

    fn signals(&mut self, path: &str, names: &[&str], bits: &[u32]) -> io::Result<()> {
        if self.open.is_none() {
            self.to.open(&self.instance)?;
        }
        let old = self.open.take().unwrap_or_default();
        let (old, new) = (parts(&old), parts(path));
        let common = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
        for _ in common..old.len() {
            self.to.close()?;
        }
        for part in &new[common..] {
            self.to.open(part)?;
        }
        self.open = Some(path.to_owned());
        names.iter().zip(bits).try_for_each(|(name, bits)| self.to.signal(name, *bits))
    }

    fn end(mut self) -> io::Result<()> {
        let Some(open) = self.open.take() else { return Ok(()) };
        (0..=parts(&open).len()).try_for_each(|_| self.to.close())
    }
}

fn parts(path: &str) -> Vec<&str> {
    path.split('.').filter(|p| !p.is_empty()).collect()
}
