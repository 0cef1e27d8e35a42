//! Search for a witness: messages that the workload allows and that end in a deadlock.
//!
//! The first try is a run of the given worms in their own cycles. Then the search draws worms of
//! the dependency cycles, and the cycles of their creation, from small numbers up to many.

use std::cell::Cell;
use std::collections::BTreeSet;

use wormscope_hw::NodeId;
use wormscope_hw::header::Way;

use super::channels::LaneChannel;
use super::graph::{Cycles, WaitCause};
use super::judge::{SafetyQuestion, shape};
use super::spread::{Meeting, WormShape, WormSpread};
use crate::deadlock::Deadlock;
use crate::engine::{Clocked as _, Observer};
use crate::experiment::{Evaluation, Loaded, Message, Run, Workload, WormRules};
use crate::input::ConfigError;
use crate::simulation::{Outcome, Simulation};
use crate::workload::random::{Key, Stream};
use crate::workload::{Ordered, Targets};

/// Messages that end in a deadlock.
#[derive(Clone, Debug)]
pub struct Witness {
    /// The messages, in the order of their cycles. The n-th is worm n.
    pub messages: Vec<Message>,
    /// The deadlock in which they end.
    pub deadlock: Deadlock,
}

/// Amount of work of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// Largest number of runs.
    pub runs: u64,
    /// Largest number of evaluated cycles of switches.
    pub switch_cycles: u64,
    /// Largest number of waits that are listed.
    pub waits: u64,
    /// Largest number of nodes of a network whose workload is random.
    pub nodes: u32,
    /// Largest number of given worms.
    pub worms: usize,
    /// Largest number of runs to make a witness shorter.
    pub reductions: u64,
    /// Largest number of states that are visited.
    pub states: u64,
}

impl Effort {
    /// Work for the row of a sweep.
    pub const OF_A_ROW: Self = Self {
        runs: 300,
        switch_cycles: 4_000_000,
        waits: 20_000_000,
        nodes: 4096,
        worms: 1 << 16,
        ..Self::OF_A_WARNING
    };
    /// Work for the warning before a run.
    pub const OF_A_WARNING: Self =
        Self { runs: 40, switch_cycles: 400_000, waits: 500_000, nodes: 1024, worms: 4096, reductions: 0, states: 0 };
}

impl Default for Effort {
    fn default() -> Self {
        Self {
            runs: 15_000,
            switch_cycles: 40_000_000,
            waits: u64::MAX,
            nodes: 8192,
            worms: 1 << 20,
            reductions: 600,
            states: 1_000_000,
        }
    }
}

/// Stops a run after so many cycles.
pub(super) const MOST_CYCLES: u64 = 200_000;

/// Cycles between a deadlock and worms that have no part in it.
const LATE: u64 = 2_048;

/// Runs messages in the network of a question.
pub(super) struct Trials<'a, 'b> {
    pub question: &'b SafetyQuestion<'a>,
    loaded: Loaded,
    rules: WormRules,
    effort: Effort,
    runs: Cell<u64>,
    work: Cell<u64>,
    stop: &'b dyn Fn() -> bool,
}

/// Stops a run on demand.
struct Stops<'a>(&'a dyn Fn() -> bool);

impl Observer for Stops<'_> {
    fn stop(&self) -> bool {
        (self.0)()
    }
}

/// End of a run of messages.
pub(super) enum Ended {
    /// All worms arrived by this cycle.
    Arrived(u64),
    /// A deadlock.
    Deadlock(Box<Deadlock>),
    /// The run was stopped.
    Stopped,
}

impl<'a, 'b> Trials<'a, 'b> {
    pub fn new(question: &'b SafetyQuestion<'a>, effort: Effort, stop: &'b dyn Fn() -> bool) -> Self {
        let mut loaded = question.loaded.clone();
        let experiment = &mut loaded.experiment;
        (experiment.groups, experiment.classes) = (Vec::new(), Vec::new());
        experiment.run = Run { max_cycles: MOST_CYCLES, seed: experiment.run.seed, ..Run::default() };
        loaded.engine = Evaluation::Banked;
        let rules = WormRules::new(question.site.built());
        Self { question, loaded, rules, effort, runs: Cell::new(0), work: Cell::new(0), stop }
    }

    /// Number of runs so far.
    pub fn runs(&self) -> u64 {
        self.runs.get()
    }

    /// Whether the effort is spent.
    pub fn is_spent(&self) -> bool {
        self.runs.get() >= self.effort.runs || self.work.get() >= self.effort.switch_cycles || self.is_stopped()
    }

    /// Whether the user stopped the search.
    pub fn is_stopped(&self) -> bool {
        (self.stop)()
    }

    /// Runs messages.
    pub fn run(&self, messages: &[Message]) -> Result<Ended, ConfigError> {
        let mut loaded = self.loaded.clone();
        loaded.experiment.workload = vec![Workload::Messages(messages.to_vec())];
        let last = messages.iter().map(|message| message.cycle).max().unwrap_or(0);
        loaded.experiment.run.max_cycles = last.saturating_add(MOST_CYCLES);
        let mut simulation = Simulation::new(&loaded, self.question.site)?;
        let outcome = simulation.run(&mut Stops(self.stop), |_| ())?;
        let cycles = simulation.engine.now();
        self.runs.set(self.runs.get() + 1);
        let switches = u64::from(self.question.site.wiring().switches());
        self.work.set(self.work.get() + cycles.min(MOST_CYCLES) * switches + switches + 16 * messages.len() as u64);
        Ok(match outcome {
            Outcome::Done => Ended::Arrived(cycles),
            Outcome::Deadlock(deadlock) => Ended::Deadlock(deadlock),
            Outcome::Saturated | Outcome::CycleLimit | Outcome::Stopped => Ended::Stopped,
        })
    }

    /// The witness, if messages end in a deadlock.
    pub fn witness(&self, mut messages: Vec<Message>) -> Result<Option<Witness>, ConfigError> {
        messages.sort_by_key(|message| message.cycle);
        Ok(match self.run(&messages)? {
            Ended::Deadlock(deadlock) => Some(Witness { messages, deadlock: *deadlock }),
            Ended::Arrived(_) | Ended::Stopped => None,
        })
    }

    /// Whether the network takes a message.
    pub fn takes(&self, message: &Message) -> bool {
        self.rules.check_message(message).is_ok()
    }

    /// Looks for a witness among the worms of dependency cycles.
    pub fn search(&self, cycles: &Cycles) -> Result<Option<Witness>, ConfigError> {
        let question = self.question;
        let given = question.plain();
        let is_given = question.allowed.drawn.is_empty();
        if !given.is_empty()
            && let Some(found) = self.witness(given.clone())?
        {
            return Ok(Some(found));
        }
        // The verdict does not depend on the seed of the experiment.
        let mut random = Key::new(1).stream();
        if is_given { self.given(&given, cycles, &mut random) } else { self.drawn(&given, cycles, &mut random) }
    }

    /// The given worms in random cycles. Most runs have only some of the worms: those that may wait
    /// at the same time, or that may wait for ever, and some others. The rest come after the
    /// deadlock.
    fn given(&self, given: &[Message], cycles: &Cycles, random: &mut Stream) -> Result<Option<Witness>, ConfigError> {
        let longest = given.iter().map(|message| message.payload_flits).max().unwrap_or(1);
        let windows = [4, 12, longest + 4, 2 * longest + 16, 6 * longest + 48];
        let (all, left) = ((0..given.len()).collect::<Vec<_>>(), &cycles.left);
        let mut turn = 0;
        while !self.is_spent() {
            let window = windows[turn % windows.len()];
            turn += 1;
            let mut chosen: Vec<(usize, u64)> = match turn % 6 {
                0..=3 if !cycles.meetings.is_empty() => self.meeting(cycles, random),
                4 if left.len() > 2 => {
                    let count = 2 + random.below((left.len() as u32 - 1).min(4)) as usize;
                    some(left, count, random).into_iter().map(|worm| (worm, random.below(window).into())).collect()
                }
                5 if left.len() > 1 => left.iter().map(|&worm| (worm, random.below(window).into())).collect(),
                _ => all.iter().map(|&worm| (worm, random.below(window).into())).collect(),
            };
            let mut used = BTreeSet::new();
            chosen.retain(|&(worm, _)| used.insert(worm));
            if let Some(found) = self.with_others(given, &chosen)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// The witness, if some of the given worms end in a deadlock. The others come after it.
    pub fn with_others(&self, given: &[Message], chosen: &[(usize, u64)]) -> Result<Option<Witness>, ConfigError> {
        let messages = chosen.iter().map(|&(worm, cycle)| Message { cycle, ..given[worm].clone() }).collect();
        let Some(found) = self.witness(messages)? else { return Ok(None) };
        let late = found.deadlock.detected + LATE;
        let others = (0..given.len()).filter(|worm| chosen.iter().all(|(of, _)| of != worm));
        let others = others.map(|worm| Message { cycle: late, ..given[worm].clone() });
        self.witness(found.messages.iter().cloned().chain(others).collect())
    }

    /// Worms that may wait at the same time, in cycles in which they come to that place nearly
    /// together. Some worms pass the place before.
    fn meeting(&self, cycles: &Cycles, random: &mut Stream) -> Vec<(usize, u64)> {
        let Meeting { worms, near } = &cycles.meetings[random.below(cycles.meetings.len() as u32) as usize];
        let network = &self.question.loaded.experiment.network;
        let switch = &network.switch;
        let hop = network.link.link_cycles + switch.routing_cycles + switch.allocation_cycles + switch.crossbar_cycles;
        let deepest = worms.iter().map(|&(_, fifos)| fifos).max().unwrap_or(0);
        let before = [0, 4, 16, 48][random.below(4) as usize];
        let jitter = [1, 2, 4, 12][random.below(4) as usize];
        let cycle =
            |fifos: u32, random: &mut Stream| u64::from(before + (deepest - fifos) * hop + random.below(jitter));
        let mut chosen: Vec<(usize, u64)> = worms.iter().map(|&(worm, fifos)| (worm, cycle(fifos, random))).collect();
        let helpers = some(near, [0, 1, 2, 4][random.below(4) as usize], random);
        let latest = before + deepest * hop + jitter;
        chosen.extend(helpers.into_iter().map(|worm| (worm, random.below(latest).into())));
        chosen
    }

    /// Random worms of the dependency cycles in random cycles.
    fn drawn(&self, given: &[Message], cycles: &Cycles, random: &mut Stream) -> Result<Option<Witness>, ConfigError> {
        let channels = &self.question.channels;
        let lanes = cycles.cycle.iter().map(|place| channels.lanes_of_group(place.channel())).max().unwrap_or(1);
        let places: BTreeSet<LaneChannel> = cycles.cycle.iter().map(|place| place.channel()).collect();
        let mut round = 0_u32;
        while !self.is_spent() {
            // Turns: the worms of one cycle, then worms of all cycles, in growing numbers.
            let (few, many) = (cycles.of_cycle.len() as u32, cycles.causes.len() as u32);
            let growth = 1 << (round % 7);
            let messages = match round % 4 {
                0 if !cycles.meetings.is_empty() => self.together(given, cycles, random),
                1 => self.flood(&places, random),
                _ => Vec::new(),
            };
            if !messages.is_empty() {
                round += 1;
                if let Some(found) = self.witness(messages)? {
                    return Ok(Some(found));
                }
                continue;
            }
            let from_one = round.is_multiple_of(2);
            let count = if from_one {
                few * lanes * (1 + round / 2 % 3) * growth.min(8)
            } else {
                (2 + random.below(2 * many.min(24))) * growth
            };
            let pool = if from_one { &cycles.of_cycle } else { &cycles.causes };
            let window = [1, 6, 20, 60][(round / 2 % 4) as usize] * growth.min(16);
            round += 1;
            let (mut used, mut messages) = (BTreeSet::new(), Vec::new());
            for at in 0..count.min(4096) {
                let number = if from_one { at % few.max(1) } else { random.below(many) };
                let Some(cause) = pool.get(number as usize) else { continue };
                let message = match cause {
                    WaitCause::Given(worm) if used.insert(*worm) => Some(given[*worm].clone()),
                    WaitCause::Given(_) => None,
                    WaitCause::Drawn { .. } if random.below(4) == 0 => self.any(random),
                    WaitCause::Drawn { kind, source, to } => {
                        let source = self.another(*kind, to, random).unwrap_or(*source);
                        self.completed(*kind, source, to, random)
                    }
                };
                messages.extend(message.map(|message| Message { cycle: random.below(window).into(), ..message }));
            }
            if !messages.is_empty()
                && let Some(found) = self.witness(messages)?
            {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// Worms that may wait at the same time, and some others.
    fn together(&self, given: &[Message], cycles: &Cycles, random: &mut Stream) -> Vec<Message> {
        let of = |worm: usize| given.get(worm).cloned().unwrap_or_else(|| message_of(&cycles.worms[worm]));
        let mut used = BTreeSet::new();
        let chosen =
            self.meeting(cycles, random).into_iter().filter(|&(worm, _)| worm >= given.len() || used.insert(worm));
        chosen.map(|(worm, cycle)| Message { cycle, ..of(worm) }).collect()
    }

    /// Many worms, each one of those of several random worms that passes most places of a
    /// dependency cycle.
    fn flood(&self, places: &BTreeSet<LaneChannel>, random: &mut Stream) -> Vec<Message> {
        const TRIES: u32 = 6;
        let count = 8 << random.below(6);
        let window = [1, 16, 64, 4 * count][random.below(4) as usize];
        let passed = |message: &Message| {
            let spread = WormSpread::of(&self.question.channels, &shape(message));
            let branches = spread.into_iter().flat_map(|of| of.segments).flat_map(|of| of.branches);
            branches.filter(|branch| places.contains(&branch.group)).count()
        };
        let mut messages = Vec::new();
        for _ in 0..count {
            let some: Vec<Message> = (0..TRIES).filter_map(|_| self.any(random)).collect();
            let best = some.into_iter().max_by_key(passed);
            messages.extend(best.map(|message| Message { cycle: random.below(window).into(), ..message }));
        }
        messages
    }

    /// Any worm that the experiment draws.
    fn any(&self, random: &mut Stream) -> Option<Message> {
        let drawn = &self.question.allowed.drawn;
        let kind = random.below(drawn.len() as u32) as usize;
        let sources = &drawn[kind].sources;
        let (source, targets) = sources.get(random.below(sources.len().max(1) as u32) as usize)?;
        let to = match targets {
            Targets::All(nodes) => nodes.clone(),
            Targets::One(nodes) | Targets::Some { among: nodes, .. } => {
                vec![*nodes.get(random.below(nodes.len().max(1) as u32) as usize)?]
            }
        };
        self.completed(kind, *source, &to, random)
    }

    /// In half of the calls, another source of an entry whose worms may go to these destinations. A
    /// wait of the cycle has the first source with which it was found, and two worms of one source
    /// follow each other.
    fn another(&self, kind: usize, to: &[NodeId], random: &mut Stream) -> Option<NodeId> {
        let sources = &self.question.allowed.drawn[kind].sources;
        let (source, targets) = &sources[random.below(sources.len() as u32) as usize];
        let fits = match targets {
            Targets::One(nodes) | Targets::Some { among: nodes, .. } => to.iter().all(|node| nodes.contains(node)),
            Targets::All(nodes) => nodes == to,
        };
        (fits && random.below(2) == 0).then_some(*source)
    }

    /// A worm of an entry that draws, with at least these destinations.
    fn completed(&self, kind: usize, source: NodeId, to: &[NodeId], random: &mut Stream) -> Option<Message> {
        let kind = &self.question.allowed.drawn[kind];
        let (_, targets) = kind.sources.iter().find(|(node, _)| *node == source)?;
        let mut to = to.to_vec();
        if let Targets::Some { among, count, ordered } = targets {
            let is_path = kind.encoding.way() == Way::Path;
            if !is_path || *ordered == Ordered::Numbers {
                to.sort_unstable();
                to.dedup();
            }
            if !(is_path && *ordered == Ordered::Labels) {
                let least = count[0].max(to.len() as u32);
                let most = count[1].max(least).min(among.len() as u32);
                let wanted = if random.below(2) == 0 { least } else { least + random.below(most - least + 1) };
                let mut tries = 0;
                while (to.len() as u32) < wanted && tries < 64 * wanted {
                    tries += 1;
                    let next = among[random.below(among.len() as u32) as usize];
                    if !to.contains(&next) {
                        to.push(next);
                    }
                }
                if !is_path || *ordered == Ordered::Numbers {
                    to.sort_unstable();
                }
            }
            if to.len() as u32 > count[1] {
                return None;
            }
        }
        let [least, most] = kind.payload_flits;
        let payload_flits = if random.below(4) == 0 { least + random.below(most - least + 1) } else { most };
        let encoding = Some(kind.encoding);
        let destinations = to.iter().map(|node| node.0).collect();
        let message = Message { cycle: 0, source: source.0, destinations, encoding, class: None, payload_flits };
        self.takes(&message).then_some(message)
    }
}

/// Some of the numbers, in any order.
fn some(of: &[usize], count: usize, random: &mut Stream) -> Vec<usize> {
    let mut of = of.to_vec();
    random.shuffle(&mut of);
    of.truncate(count);
    of
}

/// A worm as a message of cycle 0.
pub(super) fn message_of(worm: &WormShape) -> Message {
    Message {
        cycle: 0,
        source: worm.source.0,
        destinations: worm.to.iter().map(|node| node.0).collect(),
        encoding: Some(worm.encoding),
        class: None,
        payload_flits: worm.payload_flits,
    }
}
