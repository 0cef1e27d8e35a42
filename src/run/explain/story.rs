//! Story of a deadlock, as a text: the waits, the cures, and the choices that could have avoided
//! it.

use std::fmt::Write as _;
use std::path::Path;

use wormscope_hw::WormId;

use super::cures::{self, Added, Cure, Ending, Freed, Tried};
use super::no_return::{Bounds, NoReturn};
use crate::deadlock::{Deadlock, Member, Names};
use crate::engine::WormInfo;
use crate::engine::arbitration::ArbiterRef;
use crate::experiment::Loaded;
use crate::quote::{self, MOST_LISTED};
use crate::table::aligned;
use crate::trace::labels::journey;

/// Facts about a deadlock.
pub struct Story<'a> {
    /// The file as the user named it.
    pub file: &'a Path,
    /// The experiment that ends in the deadlock.
    pub loaded: &'a Loaded,
    /// A description of its network.
    pub network: String,
    /// The deadlock.
    pub deadlock: &'a Deadlock,
    /// The worms that the run created, by number.
    pub worms: &'a [WormInfo],
    /// Changes that were tried against the deadlock.
    pub tried: &'a Tried,
    /// Choices of arbiters that could have avoided the deadlock, if the command searched for them.
    pub no_return: Option<&'a NoReturn>,
    /// Whether the search was interrupted.
    pub interrupted: bool,
    /// The bounds of the search for these choices.
    pub bounds: Bounds,
    /// Whether channels of a link take turns, which no arbiter chooses.
    pub takes_turns: bool,
}

impl Story<'_> {
    /// The report as a text.
    #[must_use]
    pub fn text(&self, names: &impl Names) -> String {
        let mut text = self.deadlock.report(names);
        let Tried { cures, vain, stopped_at, is_random, until, stopped_at_seeds } = self.tried;
        if cures.is_empty() && vain.is_empty() && stopped_at.is_some() {
            text.push_str("\nNo cure was tried to its end:\n");
        } else if cures.is_empty() {
            text.push_str("\nNo cure that was tried frees it:\n");
        } else {
            text.push('\n');
            cure_lines(&mut text, cures, *is_random);
            if *stopped_at_seeds {
                text.push_str("  stopped: not all other seeds were tried\n");
            }
            if !vain.is_empty() {
                text.push_str("Tried without success:\n");
            }
        }
        for change in vain {
            let _ = writeln!(text, "  {}: {}", change.change, endings(&change.runs));
        }
        if let Some(cycle) = until {
            let _ =
                writeln!(text, "Each run ended at {cycle} at the latest, by the bound of flit-hops (--cure-bound).");
        }
        if let Some(change) = stopped_at {
            let _ = writeln!(text, "  stopped at {change}: this cure and later ones may free it too");
        }
        text.push('\n');
        text + &self.told_no_return(names)
    }

    /// Choices of arbiters that could have avoided the deadlock, in one or two lines.
    #[must_use]
    pub fn told_no_return(&self, names: &impl Names) -> String {
        let mut text = String::new();
        match self.no_return {
            Some(found) => self.no_return_text(&mut text, found, names),
            None if self.interrupted => {
                text.push_str("Point of no return: not searched, because the search was stopped.\n");
            }
            None => {
                text.push_str(
                    "Point of no return: not searched, because the software of nodes frees receive buffers.\n",
                );
            }
        }
        text
    }

    fn no_return_text(&self, text: &mut String, found: &NoReturn, names: &impl Names) {
        let NoReturn { cycle, way_out, exact, continuations, worms, created: (first, last) } = found;
        // A write to a string does not fail.
        let _ = match way_out {
            Some(way) => {
                let choices = way.choices.iter().map(|choice| sentence(choice, names));
                let choices = quote::list_of(choices, ", and ", MOST_LISTED);
                let further = match way.further {
                    0 => String::new(),
                    1 => ", after one more choice,".to_owned(),
                    n => format!(", after {n} more choices,"),
                };
                writeln!(
                    text,
                    "Point of no return: cycle {cycle}. The last choice that avoids the deadlock is {choices}; then{further} done at {}.",
                    way.done
                )
            }
            None if *exact => {
                writeln!(
                    text,
                    "Point of no return: none. From cycle {cycle} on, these worms deadlock, whatever the arbiters choose."
                )
            }
            None => {
                writeln!(text, "Point of no return: cycle {cycle} at the latest; not all choices before it were tried.")
            }
        };
        let worms = match worms {
            1 => "worm 0".to_owned(),
            n => format!("worms 0 to {}", n - 1),
        };
        let created = if first == last { format!("cycle {first}") } else { format!("cycles {first} to {last}") };
        let tried = match (exact, continuations) {
            (true, 1) => "The arbiters had no other choice that matters".to_owned(),
            (true, n) => format!("All {n} runs with other choices that matter were tried"),
            (false, n) if self.interrupted => {
                format!("{} with other choices tried, until the search was stopped", quote::counted(n, "run"))
            }
            (false, n) => {
                format!(
                    "{n} runs with other choices tried, up to the bound of {} switch evaluations",
                    self.bounds.evaluations
                )
            }
        };
        let turns = if self.takes_turns { "; channels of a link take turns as built" } else { "" };
        let _ = writeln!(text, "This holds for {worms} as they were created, in {created}. {tried}{turns}.");
    }

    /// `worm 1 n0 to {n3,n7}`.
    pub(super) fn who(&self, member: &Member) -> String {
        let journey = self.worms.get(member.worm.index()).map(journey).unwrap_or_default();
        format!("worm {} {}", member.worm, journey.replace('>', " to "))
    }
}

/// A lane, the allocator of a switch, or the token at a switch.
pub(super) fn arbiter_name(arbiter: ArbiterRef, names: &impl Names) -> String {
    match arbiter {
        ArbiterRef::Lane(lane) => names.lane(lane),
        ArbiterRef::Switch(switch) => format!("the allocator of {}", names.switch(switch)),
        ArbiterRef::Token(switch) => format!("the token at {}", names.switch(switch)),
    }
}

/// `sw_s0_r0.out0 to worm 1 instead of worm 2`.
fn sentence((arbiter, chosen, instead): &(ArbiterRef, Option<WormId>, Option<WormId>), names: &impl Names) -> String {
    let worm = |worm: Option<WormId>| worm.map_or_else(|| "another worm".to_owned(), |w| format!("worm {w}"));
    format!("{} to {} instead of {}", arbiter_name(*arbiter, names), worm(*instead), worm(*chosen))
}

/// A line for each change: its name, when all worms have arrived, the rule or the number of seeds,
/// the cost, the overrides.
fn cure_lines(text: &mut String, cures: &[Cure], is_random: bool) {
    let row = |cure: &Cure| {
        let Added { fifo_bits: bits, ge, levels } = cure.added();
        let percent = 100.0 * ge / cure.before.network.ge;
        let added = format!("{ge:+.0} GE ({percent:+.1} %), {levels:+} levels, {bits:+} FIFO bits");
        let sets: Vec<String> = cure.sets.iter().map(|set| format!("--set {}", quote::shell(set))).collect();
        [format!("{}: {}", cure.change, cure.held.told()), cure.frees.told(), added, sets.join(" ")]
    };
    let rows: Vec<[String; 4]> = cures.iter().map(row).collect();
    let mut lines = aligned(&rows, "   ").zip(cures).peekable();
    let mut of = |heading: &str, is_any: bool| {
        let mut first = true;
        while let Some((line, _)) = lines.next_if(|(_, cure)| matches!(cure.frees, Freed::Any(_)) == is_any) {
            if std::mem::take(&mut first) {
                let _ = writeln!(text, "{heading}:");
            }
            let _ = writeln!(text, "  {line}");
        }
    };
    of("Cures for all worms, cheapest first, areas estimated", true);
    let these = if is_random {
        "Cures tested with the worms of some seeds, most seeds first, areas estimated"
    } else {
        "Cures tested with these worms only, cheapest first, areas estimated"
    };
    of(these, false);
}

/// Ends of runs that did not help: `DEADLOCK final at 12 to 30`, with the first and the last cycle.
fn endings(runs: &[cures::ChangedRun]) -> String {
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
