//! The evaluation of a part with the blocks of `hw`, and its clock edge.

use std::mem::take;

use wormscope_hw::header::Symbol;
use wormscope_hw::token_station::Event;
use wormscope_hw::{Acquisition, Arbiter, Encoding, InputMask, LaneMask, arbiter, injector, node, switch};

use super::States;
use super::codec::{NOW, StateReader, Writer};
use super::part::{Alternative, CAPTURED, Facts, Pick, RELEASED};
use crate::reference::instances::{NodeInstance, SwitchInstance};
use crate::tables::Tables;

/// Results of an evaluation: registers, outputs and choices.
type Results = Vec<(Vec<u8>, Vec<u32>, Vec<Pick>)>;

impl States {
    pub(super) fn read_switch(&self, s: usize, bytes: &[u8]) -> SwitchInstance {
        let mut at = self.switches[s].clone();
        StateReader(bytes).switch(&mut at, self.pointers);
        at
    }

    pub(super) fn read_node(&self, n: usize, bytes: &[u8]) -> (NodeInstance, u64) {
        let mut at = self.nodes[n].clone();
        let sent = StateReader(bytes).node(&mut at, |kind| self.worm(kind));
        (at, sent)
    }

    /// A worm of a kind. Its number is the kind.
    pub(super) fn worm(&self, kind: u32) -> injector::Worm {
        let info = &self.kinds[kind as usize].0;
        let (header, length) = (info.header_flits, info.header_flits + info.payload_flits);
        injector::Worm { id: kind, enc: info.encoding, header, length }
    }

    /// The number of a flit on a link; 0 is none.
    fn symbol(&mut self, symbol: &Symbol) -> u32 {
        let mut bytes = Writer::default();
        bytes.symbol(symbol);
        self.symbols.number(&bytes.0) + 1
    }

    fn symbol_of(&self, number: u32) -> Option<Symbol> {
        number.checked_sub(1).map(|number| StateReader(self.symbols.of(number)).symbol())
    }

    /// All results of the evaluation of a part in a state.
    pub(super) fn evaluate(&mut self, part: usize, local: u32, token: bool) -> (u32, u32) {
        let bytes = self.parts[part].locals.of(local).to_vec();
        let switches = self.switches.len();
        let results = if part < switches {
            self.evaluate_switch(part, &bytes, token)
        } else {
            self.evaluate_node(part - switches, &bytes)
        };
        let mut all: Vec<Alternative> = Vec::new();
        for (mid, signals, picks) in results {
            let to = &mut self.parts[part];
            let (mid, out) = (to.mids.number(&mid), to.out(signals));
            if !all.iter().any(|of| (of.mid, of.out) == (mid, out)) {
                let begun = picks.iter().filter(|pick| matches!(pick, Pick::Begin(_))).count() as u8;
                all.push(Alternative { mid, out, begun, picks: picks.into() });
            }
        }
        all.sort_by_key(|of| of.begun);
        self.parts[part].note(local, token, all)
    }

    fn evaluate_switch(&mut self, s: usize, bytes: &[u8], token: bool) -> Results {
        let before = self.read_switch(s, bytes);
        let mut results = Results::new();
        let first = self.eval_switch(s, &before, token, &[]);
        let mut tokens = vec![Vec::new()];
        if !self.pointers
            && let (Some(station), Some(winner)) = (first.1.station, captured(&first.0))
        {
            let asked = station.request | InputMask::only(winner);
            if asked.count() > 1 {
                tokens = asked.iter().map(|input| vec![Pick::Token(input)]).collect();
            }
        }
        for token_pick in tokens {
            let (out, q) = self.eval_switch(s, &before, token, &token_pick);
            let contests = if self.pointers { Vec::new() } else { self.contests(&before.q, &out, &q) };
            let mut all = vec![token_pick];
            for (lane, inputs) in contests {
                let with = |picks: Vec<Pick>| {
                    inputs.iter().map(move |input| [&picks[..], &[Pick::Lane(lane, input)]].concat())
                };
                all = all.into_iter().flat_map(with).collect();
            }
            for picks in all {
                let (out, q) = self.eval_switch(s, &before, token, &picks);
                let signals = self.switch_signals(s, &out);
                let quiet = std::iter::repeat_with(|| None);
                let q = switch::clock_edge(quiet, std::iter::repeat(0), &out, q);
                let after = SwitchInstance { q, ..before.clone() };
                results.push((Writer::default().switch(NOW, &after, self.pointers), signals, picks));
            }
        }
        results
    }

    /// Evaluates a switch once. The arbiters that `picks` names put the given inputs first.
    fn eval_switch(
        &self,
        s: usize,
        before: &SwitchInstance,
        token: bool,
        picks: &[Pick],
    ) -> (switch::Out, switch::Reg) {
        let mut q = before.q.clone();
        for pick in picks {
            match *pick {
                Pick::Lane(lane, input) => {
                    let place = self.switch.order.iter().position(|&of| of == input).unwrap_or(0);
                    q.outputs[usize::from(lane)].allocator.arbiter.pointer = place as u8;
                }
                Pick::Token(input) => {
                    if let Some(station) = &mut q.station {
                        station.pointer = input;
                    }
                }
                Pick::Begin(_) => {}
            }
        }
        let to_come = self.to_come[s];
        let pins = switch::In {
            heads: &[],
            now: NOW as u32,
            stalled: LaneMask::NONE,
            token_is_here: token,
            token_bounds: Encoding::ALL.map(|enc| self.shape.token_bound(to_come, enc)),
        };
        let (out, mut q) = switch::eval(&self.switch, &Tables(&self.shape, s as u32), pins, q);
        if !self.pointers {
            for output in &mut q.outputs {
                output.allocator.arbiter = arbiter::Reg::reset(self.switch.arbiter, self.switch.order.len() as u8);
            }
        }
        (out, q)
    }

    /// Arbiters that granted a lane, each with the inputs among which it could choose. More inputs
    /// than those that asked do no harm: they give results that are there already.
    fn contests(&self, before: &switch::Reg, out: &switch::Out, after: &switch::Reg) -> Vec<(u8, InputMask)> {
        let fixed = match self.switch.arbiter {
            Arbiter::FixedPriority | Arbiter::OldestFirst => true,
            Arbiter::RoundRobin | Arbiter::RrTree | Arbiter::Matrix => false,
        };
        let crossed = |lane: u8| out.sent.iter().find(|of| of.lane == lane).map(|of| of.from);
        let granted = |lane: u8| {
            let at = usize::from(lane);
            let owner = || after.outputs[at].lane.owner.or(crossed(lane));
            before.outputs[at].lane.is_free().then(owner).flatten()
        };
        let lanes: Vec<(u8, u8)> =
            (0..before.outputs.len() as u8).filter_map(|lane| Some((lane, granted(lane)?))).collect();
        if fixed || lanes.is_empty() {
            return Vec::new();
        }
        let winners = lanes.iter().fold(InputMask::NONE, |all, &(_, input)| all | InputMask::only(input));
        let parked = after.station.map_or(InputMask::NONE, |station| station.request);
        let wants = |lane: Option<u8>| -> InputMask {
            let asks = |input: &switch::Input| {
                input
                    .branches
                    .wanted
                    .iter()
                    .any(|group| lane.is_none_or(|lane| self.switch.group_lanes[usize::from(group)].has(lane)))
            };
            (0..).zip(&after.inputs).filter(|(_, input)| asks(input)).map(|(n, _)| n).collect::<InputMask>()
        };
        let among = |lane| (winners | wants(lane)).without(parked);
        let all: Vec<_> = match self.switch.acquisition {
            Acquisition::Incremental => lanes.iter().map(|&(lane, _)| (lane, among(Some(lane)))).collect(),
            Acquisition::Atomic => vec![(0, among(None))],
        };
        all.into_iter().filter(|(_, inputs)| inputs.count() > 1).collect()
    }

    /// Signals of a switch: flits by output lane, credits by input lane, events of the station.
    fn switch_signals(&mut self, s: usize, out: &switch::Out) -> Vec<u32> {
        let (outs, ins) = (self.switches[s].q.outputs.len(), self.switches[s].q.inputs.len());
        let mut signals = vec![0; outs + ins + 1];
        for crossing in &out.sent {
            signals[usize::from(crossing.lane)] = self.symbol(&crossing.symbol);
        }
        for &(input, flits) in &out.freed {
            // A decoder that strips and a unit that pops do not do so in one cycle.
            signals[outs + usize::from(input)] += u32::from(flits);
        }
        let released = out.token.iter().any(|event| matches!(event, Event::Released(_)));
        signals[outs + ins] = u32::from(captured(out).is_some()) * CAPTURED + u32::from(released) * RELEASED;
        signals
    }

    fn evaluate_node(&mut self, n: usize, bytes: &[u8]) -> Results {
        let (before, sent) = self.read_node(n, bytes);
        let lanes = || before.q.injections.iter();
        // A worm that begins without a credit does what it would do if it began later.
        let idle = lanes().filter(|of| of.injector.is_idle() && of.credits.any()).count();
        let kinds = self.kinds_of[n].clone();
        let mut all = vec![Vec::new()];
        let mut longest: Vec<Vec<u32>> = all.clone();
        for _ in 0..idle {
            let with = |begun: &Vec<u32>| {
                let again = |kind: &u32| !self.once || sent >> (kind - kinds.start) & 1 == 0 && !begun.contains(kind);
                kinds.clone().filter(again).map(|kind| [&begun[..], &[kind]].concat()).collect::<Vec<_>>()
            };
            longest = longest.iter().flat_map(with).collect();
            all.extend(longest.iter().cloned());
        }
        let results = all.into_iter().map(|begun| {
            let freed = vec![0; before.q.consumptions.len()];
            let (taken, q) = node::consume(false, &freed, before.q.clone());
            let waiting: Vec<_> = begun.iter().map(|&kind| self.worm(kind)).collect();
            let (_, flits, q) = node::inject(self.shape.node.link_lanes, waiting, LaneMask::NONE, q);
            let mut signals: Vec<u32> = Vec::new();
            for flit in &flits {
                let symbol = flit.map(|flit| Symbol {
                    header: flit.is_head().then(|| self.kinds[flit.worm() as usize].1.clone()),
                    flit,
                });
                signals.push(symbol.map_or(0, |symbol| self.symbol(&symbol)));
            }
            signals.extend(taken.iter().map(|taken| u32::from(taken.is_some())));
            signals.push(0);
            let quiet = std::iter::repeat_with(|| None);
            let q = node::clock_edge(quiet, std::iter::repeat(0), (&taken, &flits), q);
            let sent = if self.once { begun.iter().fold(sent, |all, kind| all | 1 << (kind - kinds.start)) } else { 0 };
            let after = NodeInstance { q, ..before.clone() };
            (Writer::default().node(NOW, &after, sent), signals, begun.into_iter().map(Pick::Begin).collect())
        });
        results.collect()
    }

    /// The state of a part after the clock edge. `arrivals` are the flits and credits that the
    /// parts around it send, in the order of its feeds.
    pub(super) fn clock_edge(&mut self, part: usize, mid: u32, arrivals: &[u32]) -> u32 {
        let bytes = self.parts[part].mids.of(mid).to_vec();
        let switches = self.switches.len();
        let mut arriving = arrivals.iter().copied();
        let mut arrives = || arriving.next().unwrap_or(0);
        let (bytes, facts) = if part < switches {
            let mut at = self.read_switch(part, &bytes);
            let pushed: Vec<Option<Symbol>> = at
                .flits
                .iter_mut()
                .map(|wire| {
                    let wire = wire.as_mut()?;
                    let sent = self.symbol_of(arrives());
                    wire.step(NOW, |_, _| sent.clone())
                })
                .collect();
            let returned: Vec<u16> = at
                .credits
                .iter_mut()
                .map(|wire| {
                    let Some(wire) = wire else { return 0 };
                    let sent = arrives();
                    wire.step(NOW, |_, _| (sent > 0).then_some(sent as u16)).unwrap_or(0)
                })
                .collect();
            at.q = switch::clock_edge(pushed, returned, &switch::Out::default(), take(&mut at.q));
            (Writer::default().switch(NOW + 1, &at, self.pointers), of_switch(&at))
        } else {
            let (mut at, sent) = self.read_node(part - switches, &bytes);
            let nothing = || vec![None::<()>; at.q.consumptions.len().max(at.q.injections.len())];
            let idle_pins = (nothing(), nothing());
            let mut pushed = Vec::new();
            for wire in &mut at.flits {
                let symbol = self.symbol_of(arrives());
                pushed.push(wire.step(NOW, |_, _| symbol.clone()));
            }
            let mut returned = Vec::new();
            for wire in &mut at.credits {
                let credits = arrives();
                returned.push(wire.step(NOW, |_, _| (credits > 0).then_some(credits as u16)).unwrap_or(0));
            }
            at.q = node::clock_edge(pushed, returned, (&idle_pins.0, &idle_pins.1), take(&mut at.q));
            (Writer::default().node(NOW + 1, &at, sent), of_node(&at))
        };
        self.parts[part].local(&bytes, facts)
    }

    /// The states at reset.
    pub(super) fn reset(&mut self) -> Vec<u32> {
        let switches = self.switches.len();
        let mut state = Vec::new();
        for part in 0..switches + self.nodes.len() {
            let (bytes, facts) = if part < switches {
                let at = &self.switches[part];
                (Writer::default().switch(NOW, at, self.pointers), of_switch(at))
            } else {
                let at = &self.nodes[part - switches];
                (Writer::default().node(NOW, at, 0), of_node(at))
            };
            state.push(self.parts[part].local(&bytes, facts));
        }
        state
    }
}

fn captured(out: &switch::Out) -> Option<u8> {
    out.token.iter().find_map(|event| if let Event::Captured(input) = event { Some(*input) } else { None })
}

fn of_switch(at: &SwitchInstance) -> Facts {
    let busy = |input: &switch::Input| input.fifo.count() > 0 || input.decoder.service().is_some();
    let flits = at.flits.iter().flatten().any(|wire| wire.q.values().next().is_some());
    let waits = at.q.station.is_some_and(|station| !station.request.is_empty());
    Facts { idle: !flits && !at.q.inputs.iter().any(busy), waits }
}

fn of_node(at: &NodeInstance) -> Facts {
    let sends = at.q.injections.iter().any(|of| !of.injector.is_idle());
    let takes = at.q.consumptions.iter().any(|of| of.fifo.count() > 0);
    let flits = at.flits.iter().any(|wire| wire.q.values().next().is_some());
    Facts { idle: !sends && !takes && !flits, waits: false }
}
