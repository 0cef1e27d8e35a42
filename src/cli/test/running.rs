//! Runs of a suite, with the program around them.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use wormscope::experiment::Loaded;
use wormscope::memory::refuse_beyond_memory;
use wormscope::quote;
use wormscope::testbench::suite::{Host, Runs, Suite};
use wormscope::testbench::{Bench, Sources, Verdict};
use wormscope::trace::Window;

use super::super::exit::{Refused, print};
use super::super::outputs::Files;
use super::super::progress::Shown;
use super::super::signals;
use super::super::view::page_of;
use super::lines::Lines;

/// Kinds of failures in the table at the end.
pub const MOST_KINDS: usize = 20;

/// The program around the runs.
pub struct Around {
    /// Files that no run may replace.
    pub files: Files,
    /// Whether an interrupt has come.
    pub stop: &'static AtomicBool,
}

impl Host for Around {
    fn admit(&self, loaded: &Loaded) -> Result<(), String> {
        refuse_beyond_memory(loaded)
    }

    fn claim(&self, path: &Path) -> Result<(), String> {
        self.files.check("a file of a failure", path)
    }

    fn page(&self, bench: &Bench, verdict: &Verdict, window: Window) -> Result<Option<String>, String> {
        page_of(bench, verdict, window)
    }

    fn stop(&self) -> &AtomicBool {
        self.stop
    }
}

/// Runs a suite, and prints its runs as they end.
pub fn printed(suite: &Suite, sources: Vec<Sources>, around: &Around) -> Result<Runs, Refused> {
    let width = suite.files.iter().map(|file| quote::name(file).chars().count()).max().unwrap_or(0);
    let (mut broken, mut done) = (None, 0);
    let shown = Shown::counted(suite.files.len() as u64 * u64::from(suite.repeat), "runs");
    let mut lines = Lines::new(width, suite.repeat);
    let runs = suite.run(sources, around, |run| {
        done += 1;
        signals::reached(Some((done, "runs")));
        shown.reached(done);
        let text = lines.after(run);
        if !text.is_empty() {
            broken = broken.take().or(shown.aside(|| print(&text)).err());
        }
    });
    drop(shown);
    broken.map_or(Ok(()), Err)?;
    print(&lines.end())?;
    Ok(runs)
}
