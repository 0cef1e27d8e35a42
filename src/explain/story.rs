//! A deadlock explained: who waits for whom, what removes it, what could have avoided it. As text,
//! as JSON and as a graph.

use std::fmt::{self, Write as _};
use std::path::Path;

use serde::Serialize;
use wormscope_hw::WormId;

use super::cures::{self, Cure, Ending, Tried, Vain};
use super::no_return::{Bounds, NoReturn};
use super::picture::{colour, worms};
use crate::deadlock::{Deadlock, Member, Names, Relation};
use crate::engine::WormInfo;
use crate::engine::arbitration::Arbiter;
use crate::experiment::Loaded;
use crate::input::title;
use crate::quote;
use crate::report::Outcome;
use crate::table::aligned;
use crate::trace::labels::{destinations, journey};

/// Version of the JSON's shape; it changes whenever a key changes its name or meaning.
pub(crate) const SCHEMA_VERSION: u32 = 2;

/// Held lanes in a line of a legend.
const HELD: usize = 6;

/// What is known of a deadlock.
pub struct Story<'a> {
    /// The file as the user named it.
    pub file: &'a Path,
    /// The experiment that ends in it.
    pub loaded: &'a Loaded,
    /// Its network in some words.
    pub network: String,
    /// The deadlock.
    pub deadlock: &'a Deadlock,
    /// The worms that the run created, by number.
    pub worms: &'a [WormInfo],
    /// What was tried against it.
    pub tried: &'a Tried,
    /// What arbiters could have done, where that was searched for.
    pub no_return: Option<&'a NoReturn>,
    /// The bounds of the search for that.
    pub bounds: Bounds,
    /// Whether channels of a link take turns, which is no arbiter's choice.
    pub takes_turns: bool,
}

/// A deadlock explained, for JSON. Cycles are absolute, lengths in flits.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Explanation {
    /// [`SCHEMA_VERSION`].
    pub schema_version: u32,
    /// Version of wormscope.
    pub tool_version: &'static str,
    /// The experiment as the user named it.
    pub experiment: String,
    /// Hash of its configuration.
    pub config_hash: String,
    /// Seed of the random streams.
    pub seed: u64,
    /// The network in some words.
    pub network: String,
    /// How the run ended.
    pub outcome: Outcome,
    /// Cycles simulated.
    pub cycles: u64,
    /// The deadlock, if there is one.
    pub deadlock: Option<Explained>,
}

/// The deadlock itself, with what can be done about it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Explained {
    /// Who waits for whom.
    #[serde(flatten)]
    pub relation: Relation,
    /// Changes that free it, the cheapest first.
    pub cures: Vec<CureRow>,
    /// Changes that were tried and do not.
    pub no_help: Vec<VainRow>,
    /// What arbiters could have done, where that was searched for.
    pub no_return: Option<NoReturnRow>,
    /// The command that opens the waveform, if one was written.
    pub open: Option<String>,
    /// The same to read.
    #[serde(skip)]
    pub text: String,
}

impl fmt::Display for Explained {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// A change that frees it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CureRow {
    /// What was changed.
    pub change: String,
    /// The overrides that change it.
    pub sets: Vec<String>,
    /// How the run ended.
    pub outcome: Outcome,
    /// Cycles until then.
    pub cycle: u64,
    /// Bits of all input FIFOs that are added.
    pub fifo_bits_added: i64,
    /// Area of the whole network that is added, in gate equivalents: an estimate, as are the
    /// levels.
    pub area_ge_added: f64,
    /// Levels of logic between registers that are added.
    pub logic_depth_added: i64,
}

/// A change that does not free it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct VainRow {
    /// What was changed, from the first value that was tried to the last.
    pub change: String,
    /// The run with each of these values.
    pub runs: Vec<RunRow>,
}

/// A run of a changed experiment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RunRow {
    /// The overrides that change it.
    pub sets: Vec<String>,
    /// How the run ended.
    pub outcome: Outcome,
    /// Cycles until then; of a deadlock the cycle from which it is final.
    pub cycle: u64,
}

/// What arbiters could have done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NoReturnRow {
    /// Choices behind this cycle are of no avail.
    pub cycle: u64,
    /// Whether all choices in front of it were tried, up to the last that would have avoided the
    /// deadlock.
    pub exact: bool,
    /// That choice.
    pub way_out: Option<WayOutRow>,
    /// Number of worms it is stated for.
    pub worms: u32,
    /// First and last cycle in which they were created.
    pub created: (u64, u64),
    /// Continuations that were tried.
    pub continuations: u64,
    /// Switch evaluations that the search may take.
    pub bound: u64,
}

/// The last choice that would have avoided the deadlock.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WayOutRow {
    /// Its cycle.
    pub cycle: u64,
    /// What would have been granted otherwise.
    pub choices: Vec<ChoiceRow>,
    /// Choices behind it that must be other than the arbiters' own as well.
    pub further: u32,
    /// Cycles of the run that it leads to, in which all arrive.
    pub done: u64,
}

/// An arbiter that could have chosen otherwise.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ChoiceRow {
    /// A lane, the allocator of a switch, or the token at a switch.
    pub arbiter: String,
    /// The worm it chose.
    pub chosen: Option<u32>,
    /// The worm that it should have chosen.
    pub instead: Option<u32>,
}

impl Explanation {
    /// Of a run that ended without a deadlock.
    #[must_use]
    pub fn without(file: &Path, loaded: &Loaded, outcome: Outcome, cycles: u64) -> Self {
        Self {
            schema_version: SCHEMA_VERSION,
            tool_version: env!("CARGO_PKG_VERSION"),
            experiment: title(file),
            config_hash: loaded.hash.clone(),
            seed: loaded.experiment.run.seed,
            network: loaded.experiment.network.describe(),
            outcome,
            cycles,
            deadlock: None,
        }
    }
}

impl Story<'_> {
    /// All of it, for JSON; `open` is the command that opens the waveform.
    #[must_use]
    pub fn explanation(&self, names: &impl Names, open: Option<String>) -> Explanation {
        let Tried { cures, vain } = self.tried;
        Explanation {
            deadlock: Some(Explained {
                relation: Relation::new(self.deadlock, names, |worm| self.worms.get(worm.index())),
                cures: cures.iter().map(CureRow::from).collect(),
                no_help: vain.iter().map(VainRow::from).collect(),
                no_return: self.no_return.map(|found| self.no_return(found, names)),
                open,
                text: self.text(names),
            }),
            ..Explanation::without(self.file, self.loaded, Outcome::Deadlock, self.deadlock.detected)
        }
    }

    fn no_return(&self, found: &NoReturn, names: &impl Names) -> NoReturnRow {
        let NoReturn { cycle, way_out, exact, continuations, worms, created } = found;
        let choice = |(arbiter, chosen, instead): &(Arbiter, Option<WormId>, Option<WormId>)| ChoiceRow {
            arbiter: arbiter_name(*arbiter, names),
            chosen: chosen.map(|worm| worm.0),
            instead: instead.map(|worm| worm.0),
        };
        NoReturnRow {
            cycle: *cycle,
            exact: *exact,
            way_out: way_out.as_ref().map(|way| WayOutRow {
                cycle: way.cycle,
                choices: way.choices.iter().map(choice).collect(),
                further: way.further,
                done: way.done,
            }),
            worms: *worms,
            created: *created,
            continuations: *continuations,
            bound: self.bounds.evaluations,
        }
    }

    /// The report to read.
    #[must_use]
    pub fn text(&self, names: &impl Names) -> String {
        let mut text = self.deadlock.report(names);
        let Tried { cures, vain } = self.tried;
        if cures.is_empty() {
            text.push_str("\nNothing that was tried frees it:\n");
        } else {
            text.push_str("\nCheapest change that frees it, areas estimated:\n");
            cure_lines(&mut text, cures);
            if !vain.is_empty() {
                text.push_str("Tried, and no help:\n");
            }
        }
        for change in vain {
            let _ = writeln!(text, "  {}: {}", change.change, endings(&change.runs));
        }
        text.push('\n');
        match self.no_return {
            Some(found) => self.no_return_text(&mut text, found, names),
            None => {
                text.push_str("No return: not searched for, since the software of the nodes frees receive buffers.\n");
            }
        }
        text
    }

    fn no_return_text(&self, text: &mut String, found: &NoReturn, names: &impl Names) {
        let NoReturn { cycle, way_out, exact, continuations, worms, created: (first, last) } = found;
        // Writing to a string does not fail.
        let _ = match way_out {
            Some(way) => {
                let choices: Vec<String> = way.choices.iter().map(|choice| sentence(choice, names)).collect();
                let choices = choices.join(", and ");
                let further = match way.further {
                    0 => String::new(),
                    1 => ", with one more choice behind it,".to_owned(),
                    n => format!(", with {n} more choices behind it,"),
                };
                writeln!(
                    text,
                    "No return after cycle {cycle}: the last choice that avoids it is {choices}; then{further} done at {}.",
                    way.done
                )
            }
            None if *exact => writeln!(text, "No return from cycle {cycle} on: no choice of any arbiter avoids it."),
            None => writeln!(
                text,
                "No return after cycle {cycle} at the latest; what could have been chosen in front of it was not all tried."
            ),
        };
        let worms = match worms {
            1 => "worm 0".to_owned(),
            n => format!("worms 0 to {}", n - 1),
        };
        let created = if first == last { format!("cycle {first}") } else { format!("cycles {first} to {last}") };
        let tried = match (exact, continuations) {
            (true, 1) => "there is no other continuation".to_owned(),
            (true, n) => format!("{n} continuations tried, all that count"),
            (false, n) => {
                format!("{n} continuations tried, up to the bound of {} switch evaluations", self.bounds.evaluations)
            }
        };
        let turns = if self.takes_turns { "; channels of a link take turns as built" } else { "" };
        let _ = writeln!(text, "Stated for {worms} as they were created, in {created}; {tried}{turns}.");
    }

    /// The relation as a graph for Graphviz: a box for every row of the table, an arrow to who has
    /// what it wants.
    #[must_use]
    pub fn dot(&self, names: &impl Names) -> String {
        let Deadlock { cycle, also, .. } = self.deadlock;
        let order = worms(self.deadlock);
        let members: Vec<&Member> = cycle.iter().chain(also).collect();
        let mut text = String::from("digraph deadlock {\n");
        let title = self.deadlock.report(names);
        let title = title.lines().next().unwrap_or_default();
        let _ = writeln!(text, "  label={}; labelloc=t; fontname=\"DejaVu Sans\";", quoted(&[title, &self.network]));
        text.push_str("  node [shape=box, style=rounded, fontname=\"DejaVu Sans\"]; edge [fontname=\"DejaVu Sans\", fontsize=10];\n");
        for (i, member) in members.iter().enumerate() {
            let n = order.iter().position(|worm| *worm == member.worm).unwrap_or(0);
            let lines = [
                self.who(member),
                format!("at {}", member.place(names)),
                format!("holds {}", member.held(names).join(", ")),
            ];
            let style = if i < cycle.len() { "penwidth=2.5" } else { "style=\"rounded,dashed\"" };
            let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
            let _ = writeln!(text, "  m{i} [label={}, color=\"{}\", {style}];", quoted(&lines), colour(n));
        }
        for (i, member) in members.iter().enumerate() {
            for (k, want) in member.wants(names).iter().enumerate() {
                let next = (i + 1) % cycle.len().max(1);
                let closes = i < cycle.len() && members[next].worm.0 == want.owned_by && k == 0;
                let to = if closes { Some(next) } else { members.iter().position(|m| m.worm.0 == want.owned_by) };
                let style = if closes { "penwidth=2.5, color=\"#c1121f\"" } else { "style=dashed" };
                match to {
                    Some(to) => {
                        let _ = writeln!(text, "  m{i} -> m{to} [label={}, {style}];", quoted(&[&want.what]));
                    }
                    None => {
                        let _ = writeln!(
                            text,
                            "  m{i} -> \"worm {}\" [label={}, {style}];",
                            want.owned_by,
                            quoted(&[&want.what])
                        );
                    }
                }
            }
        }
        text.push_str("}\n");
        text
    }

    /// The lines of a picture's legend, some for every row of the table.
    #[must_use]
    pub fn legend(&self, names: &impl Names) -> Vec<Vec<String>> {
        let lines = |member: &Member| {
            let wants = member.wants(names).into_iter().map(|w| format!("{} (worm {})", w.what, w.owned_by));
            let wants: Vec<String> = wants.collect();
            let first = format!("{} at {} wants {}", self.who(member), member.place(names), wants.join(", "));
            let holds = member.held(names);
            let holds = holds.chunks(HELD).map(|some| some.join(", "));
            let holds = holds.enumerate().map(|(i, some)| if i == 0 { format!("holds {some}") } else { some });
            std::iter::once(first).chain(holds).collect()
        };
        self.deadlock.cycle.iter().chain(&self.deadlock.also).map(lines).collect()
    }

    /// `worm 1 n0>{n3,n7}`.
    fn who(&self, member: &Member) -> String {
        let info = self.worms.get(member.worm.index());
        let way = info.map(|worm| match worm.destinations.len() {
            1 => journey(worm),
            _ => format!("n{}>{}", worm.source, destinations(&worm.destinations)),
        });
        format!("worm {} {}", member.worm, way.unwrap_or_default().replace('>', " to "))
    }
}

fn arbiter_name(arbiter: Arbiter, names: &impl Names) -> String {
    match arbiter {
        Arbiter::Lane(lane) => names.lane(lane),
        Arbiter::Switch(switch) => format!("the allocator of {}", names.switch(switch)),
        Arbiter::Token(switch) => format!("the token at {}", names.switch(switch)),
    }
}

/// `sw_s0_r0.out0 to worm 1 instead of worm 2`.
fn sentence((arbiter, chosen, instead): &(Arbiter, Option<WormId>, Option<WormId>), names: &impl Names) -> String {
    let worm = |worm: Option<WormId>| worm.map_or_else(|| "another worm".to_owned(), |w| format!("worm {w}"));
    format!("{} to {} instead of {}", arbiter_name(*arbiter, names), worm(*instead), worm(*chosen))
}

/// A label of several lines.
fn quoted(lines: &[&str]) -> String {
    let lines: Vec<String> = lines.iter().map(|line| line.replace('\\', "\\\\").replace('"', "\\\"")).collect();
    format!("\"{}\"", lines.join("\\n"))
}

impl From<&Cure> for CureRow {
    fn from(cure: &Cure) -> Self {
        let Cure { change, sets, done, cost, before } = cure;
        Self {
            change: change.clone(),
            sets: sets.clone(),
            outcome: Outcome::Done,
            cycle: *done,
            fifo_bits_added: cost.fifo_bits.cast_signed() - before.fifo_bits.cast_signed(),
            area_ge_added: cost.network.ge - before.network.ge,
            logic_depth_added: i64::from(cost.logic_depth) - i64::from(before.logic_depth),
        }
    }
}

impl From<&Vain> for VainRow {
    fn from(vain: &Vain) -> Self {
        let row = |run: &cures::Run| {
            let (outcome, cycle) = match run.ending {
                Ending::Deadlock(cycle) => (Outcome::Deadlock, cycle),
                Ending::CycleLimit(cycle) => (Outcome::CycleLimit, cycle),
            };
            RunRow { sets: run.sets.clone(), outcome, cycle }
        };
        Self { change: vain.change.clone(), runs: vain.runs.iter().map(row).collect() }
    }
}

/// A line a change: what, when all have arrived, what it costs, the overrides.
fn cure_lines(text: &mut String, cures: &[Cure]) {
    let row = |cure: &Cure| {
        let CureRow { fifo_bits_added: bits, area_ge_added: ge, logic_depth_added: levels, .. } = cure.into();
        let percent = 100.0 * ge / cure.before.network.ge;
        let added = format!("{ge:+.0} GE ({percent:+.1} %), {levels:+} levels, {bits:+} FIFO bits");
        let sets: Vec<String> = cure.sets.iter().map(|set| format!("--set {}", quote::shell(set))).collect();
        [format!("{}: done at {}", cure.change, cure.done), added, sets.join(" ")]
    };
    let rows: Vec<[String; 3]> = cures.iter().map(row).collect();
    for line in aligned(&rows, "   ") {
        let _ = writeln!(text, "  {line}");
    }
}

/// How runs ended that were of no help: `DEADLOCK final at 12 to 30`, the first and the last cycle.
fn endings(runs: &[cures::Run]) -> String {
    let (mut deadlocks, mut limits) = (Vec::new(), Vec::new());
    for run in runs {
        match run.ending {
            Ending::Deadlock(cycle) => deadlocks.push(cycle),
            Ending::CycleLimit(cycle) => limits.push(cycle),
        }
    }
    let words = [("DEADLOCK final at", deadlocks), ("not over at", limits)].into_iter().filter_map(|(how, cycles)| {
        let (first, last) = (cycles.iter().min()?, cycles.iter().max()?);
        Some(if first == last { format!("{how} {first}") } else { format!("{how} {first} to {last}") })
    });
    words.collect::<Vec<_>>().join(" or ")
}
