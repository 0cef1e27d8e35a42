//! Lines of `wormscope test`: runs, kinds of failures, and the summary.

use std::collections::{BTreeSet, HashMap};
use std::fmt::Write as _;

use wormscope::quote;
use wormscope::testbench::outcome::{BenchRun, Failed, Status, WRONG};

/// Kinds of failures of one run that are printed.
const MOST_SHOWN: usize = 20;
/// Cycles of further failures of a kind that are named at most.
const MOST_CYCLES: usize = 6;

/// The runs of one testbench so far.
#[derive(Default)]
struct Repetitions {
    name: String,
    purpose: String,
    ran: u32,
    failed: u32,
    cycles: u64,
    notes: Vec<String>,
    is_bad: bool,
}

/// Lines for runs, as the runs end.
pub struct Lines {
    /// Columns of the longest name.
    width: usize,
    /// Runs of each testbench.
    repeat: u32,
    series: Repetitions,
}

impl Lines {
    /// Lines for testbenches whose names have up to `width` columns.
    pub fn new(width: usize, repeat: u32) -> Self {
        Self { width, repeat, series: Repetitions::default() }
    }

    /// The lines to print after a run.
    pub fn after(&mut self, run: &BenchRun) -> String {
        if self.repeat == 1 {
            return self.run(run);
        }
        let mut text = String::new();
        if self.series.name != run.name {
            text = self.end();
            self.series = Repetitions { name: run.name.clone(), ..Repetitions::default() };
        }
        let of = &mut self.series;
        of.ran += 1;
        of.failed += u32::from(run.status == Status::Failed);
        of.is_bad |= run.status == Status::Bad;
        of.cycles = run.cycles;
        of.purpose = run.purpose.clone().unwrap_or_default();
        of.notes.clone_from(&run.notes);
        // Of many seeds only failures of a new kind have lines of their own.
        if run.failures.iter().any(|failure| failure.is_first) {
            text += &self.run(run);
        }
        if self.series.ran == self.repeat {
            text += &self.end();
        }
        text
    }

    /// The line of all seeds of the present testbench.
    pub fn end(&mut self) -> String {
        let Repetitions { name, purpose, ran, failed, notes, is_bad, .. } = std::mem::take(&mut self.series);
        if ran == 0 || is_bad && failed == 0 {
            return String::new();
        }
        let (status, ran) = if failed > 0 {
            ("FAILED", format!("{failed} of {ran} runs"))
        } else {
            ("passed", format!("{ran:>7} runs  "))
        };
        let mut text = format!("{status:<6}  {:<width$}  {ran}  {purpose}\n", quote::name(&name), width = self.width);
        if failed == 0 {
            for note in &notes {
                let _ = writeln!(text, "        note: {}", indented(note));
            }
        }
        text
    }

    /// A line for a run, with its failures below the line.
    fn run(&self, run: &BenchRun) -> String {
        let (name, purpose) = (quote::name(&run.name), run.purpose.as_deref().unwrap_or_default());
        let seed = run.seed.filter(|_| self.repeat > 1).map(|seed| format!("seed {seed}: ")).unwrap_or_default();
        let cycles = format!("{:>7} cycles", run.cycles);
        // Writing to a string does not fail.
        let mut text = match run.status {
            Status::Bad => format!("BAD     {name}\n"),
            Status::Failed => format!("FAILED  {name:<width$}  {cycles}  {seed}{purpose}\n", width = self.width),
            Status::Passed => format!("passed  {name:<width$}  {cycles}  {seed}{purpose}\n", width = self.width),
        };
        for line in failures(run) {
            let _ = writeln!(text, "        {}", indented(&line));
        }
        for note in &run.notes {
            let _ = writeln!(text, "        note: {}", indented(note));
        }
        if let Some(again) = &run.again {
            let _ = writeln!(text, "        again: {again}");
        }
        if let Some(view) = run.files.first() {
            let of = |ending: &str| run.files.iter().find(|file| file.extension() == Some(ending.as_ref()));
            let more = [("page", "html"), ("log", "log")].into_iter().filter_map(|(what, ending)| {
                let file = of(ending)?;
                Some(format!(", {what} {}", quote::shell(file)))
            });
            let _ = writeln!(text, "        open: gtkwave {}{}", quote::shell(view), more.collect::<String>());
        }
        text
    }
}

/// Failures of a run: the first of each kind in full, the others counted.
pub fn failures(run: &BenchRun) -> Vec<String> {
    let key = |failure: &Failed| (failure.place.clone(), failure.kind.clone());
    let mut alike: HashMap<_, Vec<&Failed>> = HashMap::new();
    for failure in &run.failures {
        alike.entry(key(failure)).or_default().push(failure);
    }
    let (mut lines, mut kinds) = (Vec::new(), 0);
    for failure in &run.failures {
        let Some(all) = alike.remove(&key(failure)) else { continue };
        kinds += 1;
        if kinds > MOST_SHOWN {
            continue;
        }
        if !failure.is_first {
            let place = failure.place.as_ref().map(|place| format!("{place}: ")).unwrap_or_default();
            lines.push(format!("{place}{}: {}, as before", failure.kind, quote::counted(all.len(), "failure")));
            continue;
        }
        lines.extend(in_full(failure));
        if all.len() > 1 {
            lines.push(format!("... and {} more like it{}; --json lists them", all.len() - 1, cycles(&all[1..])));
        }
    }
    if kinds > MOST_SHOWN {
        let more = quote::counted(kinds - MOST_SHOWN, "more kind");
        lines.push(format!("... and {more} of failures, which --json lists"));
    }
    lines
}

/// The cycles in which failures show, as `, in cycles 8, 12`.
fn cycles(failures: &[&Failed]) -> String {
    let cycles: BTreeSet<_> = failures.iter().filter_map(|failure| failure.cycle).collect();
    let listed = quote::list_of(&cycles, ", ", MOST_CYCLES);
    match cycles.len() {
        0 => listed,
        count => format!(", in {} {listed}", quote::form(count, "cycle", "cycles")),
    }
}

/// A failure with the text of its property, the values of its signals, and its cause.
pub fn in_full(failure: &Failed) -> Vec<String> {
    let mut lines = vec![quote::message(&words(failure))];
    lines.extend(failure.property.as_ref().map(|text| format!("    {}", quote::message(text))));
    if let Some(samples) = &failure.samples {
        lines.extend(samples.lines().into_iter().map(|line| format!("    {line}")));
    }
    lines.extend(failure.why.as_ref().filter(|_| !failure.repeats).map(|why| format!("why: {why}")));
    lines
}

/// A failure as a sentence.
fn words(failure: &Failed) -> String {
    let Failed { place, what, message, .. } = failure;
    match place {
        Some(place) if what == WRONG => format!("{place}: {message}"),
        Some(place) => format!("{place}: {what}: {message}"),
        None if what == WRONG => message.clone(),
        None => format!("{what}: {message}"),
    }
}

fn indented(text: &str) -> String {
    text.replace('\n', "\n        ")
}

/// `68 testbenches: 66 passed, 1 failed, 1 bad, in 1.2 s`.
pub fn summary([passed, failed, bad]: [usize; 3], left_out: usize, seconds: f64) -> String {
    let all = passed + failed + bad;
    let mut text = format!("\n{}: {passed} passed", quote::counted(all, "run"));
    for (count, what) in [(failed, "failed"), (bad, "bad"), (left_out, "left out")] {
        if count > 0 {
            let _ = write!(text, ", {count} {what}");
        }
    }
    let _ = writeln!(text, ", in {seconds:.1} s");
    text
}
