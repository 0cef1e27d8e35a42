//! An account and a trace to the root, in words.

use std::cmp::Reverse;
use std::fmt::Write as _;

use wormscope_hw::{NodeId, SwitchId, WormId};

use super::cause::Cause;
use super::history::{History, Leads};
use super::root::{ChainLink, Root, RootChain, RootOf, RootPlace, RootShare};
use super::walk::{Account, Place, Stretch, cycles};
use crate::engine::WormInfo;
use crate::network::channel::Stalled;
use crate::table::Table;

/// Largest number of worms that a row of an account names.
const MOST_OWNERS: usize = 4;

impl Account {
    /// Cycles of each cause, most first: `token 184 + crossing 76`.
    #[must_use]
    pub fn sums(&self) -> String {
        let mut sums: Vec<(usize, u64)> = self.by_cause().into_iter().enumerate().filter(|of| of.1 > 0).collect();
        sums.sort_by_key(|&(cause, cycles)| (Reverse(cycles), cause));
        let words = sums.iter().map(|(cause, cycles)| format!("{} {cycles}", Cause::NAMES[*cause]));
        words.collect::<Vec<_>>().join(" + ")
    }

    /// Worms for which the worm waited, most cycles first; `None` if it never waited.
    fn waited(&self) -> Option<String> {
        let waits = self.waits_by_worm();
        let all: u64 = waits.iter().map(|of| of.1).sum();
        let name = |worm: Option<WormId>| match worm {
            Some(worm) if worm == self.worm => "itself".to_owned(),
            Some(worm) => format!("worm {worm}"),
            None => "no worm".to_owned(),
        };
        let mut words: Vec<String> =
            waits.iter().take(MOST_OWNERS).map(|&(worm, cycles)| format!("{} {cycles}", name(worm))).collect();
        words.extend(more(waits.iter().skip(MOST_OWNERS).map(|of| of.1)));
        (all > 0).then(|| format!("waited {all} cycles: for {}", words.join(", ")))
    }
}

/// The rest that a short list leaves out: how many, and their cycles.
fn more(left: impl Iterator<Item = u64>) -> Option<String> {
    let left: Vec<u64> = left.collect();
    (!left.is_empty()).then(|| format!("{} more {}", left.len(), left.iter().sum::<u64>()))
}

impl History<'_> {
    /// The name of a place, as waveforms show it.
    #[must_use]
    pub fn place(&self, at: Place) -> String {
        match at {
            Place::Source(channel) | Place::Injection(channel) => {
                let per = usize::from(self.lanes.inject);
                format!("node{}.{}", channel / per, self.lanes.inject_name((channel % per) as u8))
            }
            Place::Input(input) => {
                let (switch, lane) = self.input_of(input);
                format!("{}.{}", self.wiring.switch_name(SwitchId(switch as u32)), self.lanes.input_name(lane))
            }
            Place::Output(output) => self.output_name(output),
            Place::Node(node) => format!("n{node}"),
        }
    }

    /// The name of an output lane, as waveforms show it.
    #[must_use]
    pub fn output_name(&self, output: usize) -> String {
        let (switch, lane) = self.output_of(output);
        format!("{}.{}", self.wiring.switch_name(SwitchId(switch as u32)), self.lanes.output_name(lane))
    }

    /// The account in words: a row for each wait, a row for the time between two waits, then the
    /// sums. `unblocked` is the latency in an empty network.
    #[must_use]
    pub fn told(&self, worm: &WormInfo, account: &Account, unblocked: Option<u64>, is_complete: bool) -> String {
        let mut text = String::new();
        let total = account.tail - account.created;
        let to = match &*worm.destinations {
            [node] => format!("n{} to n{node}", worm.source),
            nodes => format!("multicast from n{} to {} nodes", worm.source, nodes.len()),
        };
        let (header, payload) = (worm.header_flits, worm.payload_flits);
        let _ = writeln!(text, "worm {}: {to}, {header} header and {payload} payload flits", worm.id);
        let slowdown = unblocked.filter(|&cycles| cycles > 0 && is_complete).map_or_else(String::new, |cycles| {
            format!("; {cycles} in an empty network: slowdown {:.2}", total as f64 / cycles as f64)
        });
        let (created, tail) = (account.created, account.tail);
        let _ = if is_complete {
            let node = account.destination;
            writeln!(text, "created in cycle {created}, its tail at n{node} in cycle {tail}: {total} cycles{slowdown}")
        } else {
            let last = tail - 1;
            writeln!(
                text,
                "created in cycle {created}, and not everywhere by cycle {last}, the end of the run: {total} cycles so far\nthe account is that of its head, where it has come farthest"
            )
        };
        let mut table = Table::new(&["from", "to", "cycles", "cause", "at", "for"], &[3, 4, 5]);
        for row in self.rows(account) {
            table.row(row);
        }
        let _ = write!(text, "\n{}\n", table.text());
        let _ = writeln!(text, "sum: {} = {total} cycles", account.sums());
        if let Some(waited) = account.waited() {
            let _ = writeln!(text, "{waited}");
        }
        text
    }

    /// A wait in words: its cause, its place, and the worms that caused it.
    #[must_use]
    pub fn told_wait(&self, wait: &[Stretch]) -> String {
        let whose = self.whose(wait);
        let whose = if whose.is_empty() { whose } else { format!(" ({whose})") };
        format!("{} at {}{whose}", wait[0].cause.name(), self.place(wait[0].at))
    }

    fn rows(&self, account: &Account) -> Vec<Vec<String>> {
        let mut rows = Vec::new();
        let is_joined = |a: &Stretch, b: &Stretch| match (a.cause.is_wait(), b.cause.is_wait()) {
            (false, false) => true,
            (true, true) => a.at == b.at && a.cause.number() == b.cause.number(),
            _ => false,
        };
        for of in account.stretches.chunk_by(is_joined) {
            let (from, until) = (of[0].from, of[of.len() - 1].until);
            let (cause, at, whose) = if of[0].cause.is_wait() {
                (of[0].cause.name().to_owned(), self.place(of[0].at), self.whose(of))
            } else {
                let mut kinds = [0; Cause::NAMES.len()];
                for of in of {
                    kinds[of.cause.number()] += of.cycles();
                }
                let kinds = kinds.iter().zip(Cause::NAMES).filter(|of| *of.0 > 0);
                let kinds: Vec<String> = kinds.map(|(cycles, name)| format!("{name} {cycles}")).collect();
                let (first, last) = (self.place(of[0].at), self.place(of[of.len() - 1].at));
                let at = if first == last { first } else { format!("{first} to {last}") };
                ("moves".to_owned(), at, kinds.join(", "))
            };
            rows.push(vec![from.to_string(), (until - 1).to_string(), (until - from).to_string(), cause, at, whose]);
        }
        rows
    }

    /// Worms that caused a wait, in the order of time.
    fn whose(&self, wait: &[Stretch]) -> String {
        let mut owners: Vec<(Option<WormId>, Option<usize>, u64)> = Vec::new();
        for of in wait {
            let (worm, output) = (of.cause.worm(), of.output);
            match owners.iter_mut().find(|owner| (owner.0, owner.1) == (worm, output)) {
                Some(owner) => owner.2 += of.cycles(),
                None => owners.push((worm, output, of.cycles())),
            }
        }
        // Lanes that no worm holds come last.
        owners.sort_by_key(|(worm, ..)| worm.is_none());
        let many = owners.len() > 1;
        let left = owners.len().saturating_sub(MOST_OWNERS);
        let mut words: Vec<String> = owners
            .iter()
            .take(MOST_OWNERS)
            .map(|&(worm, output, cycles)| {
                let who = worm.map_or_else(|| nobody(wait[0].cause).to_owned(), |worm| format!("worm {worm}"));
                let via = output.map_or_else(String::new, |output| match (wait[0].cause, self.leads[output]) {
                    (Cause::Credit(_), Leads::Input(input)) => {
                        format!(" at the front of {}", self.place(Place::Input(input)))
                    }
                    (Cause::Sibling, _) => self.output_name(output),
                    (_, Leads::Node(node)) => {
                        format!(" on {}, a consumption channel of n{node}", self.output_name(output))
                    }
                    _ => format!(" on {}", self.output_name(output)),
                });
                let who = if wait[0].cause == Cause::Sibling { "its branch through ".to_owned() } else { who };
                let cycles = if many { format!(": {cycles}") } else { String::new() };
                format!("{who}{via}{cycles}")
            })
            .collect();
        if left > 0 {
            words.push(format!("{left} more"));
        }
        words.join("; ")
    }

    /// The account in lines. A title has the sums. Then come its `most` longest waits in order,
    /// each with its cycles, and the root of the longest one.
    #[must_use]
    pub fn lines(&self, account: &Account, most: usize) -> Vec<String> {
        let mut waits = account.longest_waits();
        let root = waits.first().and_then(|wait| self.root_of(account, wait));
        let left = waits.len().saturating_sub(most);
        waits.truncate(most);
        waits.sort_by_key(|wait| wait[0].from);
        let title = format!("where its {} cycles went", account.tail - account.created);
        let mut lines = vec![title, account.sums()];
        lines.extend(waits.iter().map(|wait| {
            let (from, cycles) = (wait[0].from, cycles(wait));
            format!("{from} to {}: {cycles} {}", from + cycles - 1, self.told_wait(wait))
        }));
        if left > 0 {
            lines.push(format!("and {left} shorter waits"));
        }
        if let Some(root) = root {
            lines.extend(self.told_root(&root).lines().map(|line| line.trim().to_owned()));
        }
        lines
    }

    /// The roots of a wait in words, then the chain to one of them.
    #[must_use]
    pub fn told_root(&self, of: &RootOf) -> String {
        let mut text = String::new();
        if let ([first, ..], [.., last]) = (of.wait, of.wait) {
            let (name, all, roots) = (first.cause.name(), cycles(of.wait), self.told_roots(&of.roots));
            let (from, until) = (first.from, last.until - 1);
            let when = if from == until { format!("cycle {from}") } else { format!("cycles {from} to {until}") };
            let _ = writeln!(text, "{name} in {when}: {all}, by root: {roots}");
        }
        text + &self.told_trace(&of.chain)
    }

    /// Roots with their cycles in words, as in `rt_1_2.out0 16, node3.inj 15`.
    #[must_use]
    pub fn told_roots(&self, roots: &[RootShare]) -> String {
        let words = roots.iter().take(MOST_OWNERS).map(|of| format!("{} {}", self.told_place(of.root), of.cycles));
        words.chain(more(roots.iter().skip(MOST_OWNERS).map(|of| of.cycles))).collect::<Vec<_>>().join(", ")
    }

    /// The lane or place at a root, as waveforms name it; `None` for a root without a place.
    #[must_use]
    pub fn root_name(&self, root: RootPlace) -> Option<String> {
        match root {
            RootPlace::Lane(output) => Some(self.output_name(output)),
            RootPlace::Place(at) => Some(self.place(at)),
            RootPlace::Cycle | RootPlace::OnItsWay => None,
        }
    }

    /// A root in words: a consumption channel with its node.
    #[must_use]
    pub fn told_place(&self, root: RootPlace) -> String {
        match root {
            RootPlace::Lane(output) => self.output_name(output) + &self.consumes(output),
            RootPlace::Place(at) => self.place(at),
            RootPlace::Cycle => "a dependency cycle".to_owned(),
            RootPlace::OnItsWay => "software of a node, or a token, a grant or a credit on its way".to_owned(),
        }
    }

    /// ` (a consumption channel of n6)` for an output lane that leads to a node.
    fn consumes(&self, output: usize) -> String {
        match self.leads[output] {
            Leads::Node(node) => format!(" (a consumption channel of n{node})"),
            _ => String::new(),
        }
    }

    /// A trace to the root in words, one line for each step.
    fn told_trace(&self, trace: &RootChain) -> String {
        let mut text = format!("in cycle {}:\n", trace.cycle);
        for (n, step) in trace.steps.iter().enumerate() {
            let _ = writeln!(text, "{:>3}  worm {} at {} {}", n + 1, step.worm, self.place(step.at), self.step(step));
        }
        let _ = writeln!(text, "  => {}", self.told_end(trace));
        text
    }

    /// The end of a trace, in words.
    fn told_end(&self, trace: &RootChain) -> String {
        let last = &trace.steps[trace.steps.len() - 1];
        let worm = last.worm;
        match (trace.root, last.cause) {
            (Root::Moves, Some(Cause::StartUp)) => format!("the node works on worm {worm}: its start-up"),
            (Root::Moves, Some(Cause::Header)) => format!("the decoder works on the header of worm {worm}"),
            (Root::Moves, Some(Cause::Decision)) => format!("the routing decision of worm {worm} is under way"),
            (Root::Moves, Some(Cause::Turn(Some(other)))) => {
                format!("worm {other} sends: the lanes of a link take turns")
            }
            (Root::Moves, Some(Cause::Heads)) => format!("other heads of worm {worm} are not ready"),
            (Root::Moves, _) => format!("worm {worm} moves"),
            (Root::OnItsWay, Some(Cause::Queue(_))) => {
                format!("the software of the node works before worm {worm} leaves")
            }
            (Root::OnItsWay, _) => "no worm holds it: it is on its way".to_owned(),
            (Root::Node, _) => match self.node_of(last) {
                Some(node) if self.is_stalled(Stalled::Node(node), trace.cycle) => {
                    format!("n{node} takes no flits: the workload stalls it in this cycle")
                }
                Some(node) => format!("n{node} takes no flits in this cycle"),
                None => "the node takes no flits in this cycle".to_owned(),
            },
            (Root::Stall, _) => match (last.cause, last.at, last.output) {
                (Some(Cause::Stall), _, Some(output)) => {
                    format!("the workload stalls the link {}", self.output_name(output))
                }
                (Some(Cause::Stall), Place::Source(_), _) => {
                    format!("the workload stalls the link {}", self.place(last.at))
                }
                (Some(Cause::Stall), Place::Input(input), _) => {
                    let station = self.stalled_station(self.input_of(input).0, trace.cycle);
                    let station = station.map_or_else(String::new, |at| format!(" of {}", self.wiring.switch_name(at)));
                    format!("the workload stalls the token station{station}")
                }
                _ => "a stall of the workload".to_owned(),
            },
            (Root::Cycle(first), _) => format!("back to line {}: a dependency cycle", first + 1),
        }
    }

    /// The node that a step waits for.
    fn node_of(&self, step: &ChainLink) -> Option<NodeId> {
        match (step.at, step.output.map(|output| self.leads[output])) {
            (Place::Node(node), _) | (_, Some(Leads::Node(node))) => Some(node),
            _ => None,
        }
    }

    fn step(&self, step: &ChainLink) -> String {
        let worm = |worm: Option<WormId>| worm.map_or_else(|| "nobody".to_owned(), |worm| format!("worm {worm}"));
        let output = || step.output.map_or_else(String::new, |output| self.output_name(output));
        let consumes = || step.output.map_or_else(String::new, |output| self.consumes(output));
        let Some(cause) = step.cause else { return "has an empty FIFO here: its next flits are upstream".to_owned() };
        match cause {
            Cause::Queue(Some(of)) => format!("waits at its node, which sends worm {of}"),
            Cause::Queue(None) => "waits at its node, which does not send it yet".to_owned(),
            Cause::StartUp => "is in its start-up".to_owned(),
            Cause::Header => "decodes its header".to_owned(),
            Cause::Decision => "is being routed".to_owned(),
            Cause::Token(Some(of)) => format!("waits for the token, which worm {of} holds"),
            Cause::Token(None) => "waits for the token, which travels".to_owned(),
            Cause::Lane(Some(of)) => format!("waits for the lane {}{}, which worm {of} owns", output(), consumes()),
            Cause::Lane(None) => format!("waits for the grant of the lane {}", output()),
            Cause::Fifo(of) => format!("stands in the FIFO after worm {of}"),
            Cause::Credit(of) => {
                let to = match (step.output.map(|output| self.leads[output]), step.at) {
                    (Some(Leads::Input(input)), _) => Some(input),
                    (None, Place::Source(channel)) => Some(self.fed[channel]),
                    _ => None,
                };
                let to = to.map_or_else(|| "the next FIFO".to_owned(), |input| self.place(Place::Input(input)));
                match of {
                    Some(of) => format!("has no credit: {to} is full, worm {of} is at its front"),
                    None => format!("has no credit: that of {to} is on its way"),
                }
            }
            Cause::Turn(of) => format!("waits for its turn on the link: {} sends", worm(of)),
            Cause::Sibling => format!("waits for its branch through {}", output()),
            Cause::Heads => "has its lanes, and waits for its other heads".to_owned(),
            Cause::Crossing | Cause::Link => "moves".to_owned(),
            Cause::Sink => "waits for the node to take flits".to_owned(),
            Cause::Stall => "waits for the end of a stall".to_owned(),
        }
    }
}

/// The thing for which a worm waits, if no worm holds this thing.
const fn nobody(cause: Cause) -> &'static str {
    match cause {
        Cause::Token(_) => "the token travels",
        Cause::Lane(_) => "the grant",
        Cause::Credit(_) => "the credit travels",
        Cause::Queue(_) => "the channel",
        Cause::Turn(_) => "another lane",
        Cause::Heads => "its other heads",
        Cause::Sink => "the node",
        Cause::Stall => "a stall of the workload",
        _ => "",
    }
}
