//! A run as one page of HTML that plays its network flit by flit.
//!
//! [`record`] runs an experiment and keeps the states of every lane as events of a few bytes
//! ([`track`]). [`page()`] makes a page of the events, of the worms and of the network as
//! `check --svg` draws it. The page needs only a browser. The page's own sources are in `page/`, in
//! TypeScript; `make page` builds `page/page.js` of them.

mod accounts;
mod advised;
mod data;
mod freed;
mod recorder;
mod shown;
mod track;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use quick_xml::escape::escape;
use zlib_rs::{DeflateConfig, ReturnCode, compress_bound, compress_slice};

use crate::account::{Account, History};
use crate::dependency;
use crate::energy;
use crate::engine::Clocked as _;
use crate::experiment::Loaded;
use crate::explain::Created;
use crate::explain::cures::Watcher;
use crate::input::ConfigError;
use crate::page::filled;
use crate::report::brief::brief;
use crate::report::hops::HopCount;
use crate::report::idle::idle;
use crate::report::picture::{TooLarge, readable};
use crate::report::{Collector, Report, RunEnd};
use crate::run::{found, summarise};
use crate::simulation::{self, Simulation, Site};
use crate::trace::{Scope, TraceError, Window};
pub use advised::Advised;
pub use data::Failure;
use data::{PageData, PageRun};
use freed::Freed;
use recorder::Recorder;
use shown::ShownAccounts;

const HTML: &str = include_str!("page/page.html");
const CSS: &str = include_str!("page/page.css");
const JS: &str = include_str!("page/page.js");
/// Script that unpacks the data and runs the page.
const BEGIN: &str = include_str!("page/begin.js");
/// Largest number of bytes of events. A browser unpacks them to about ten times as many bytes.
const MOST_BYTES: usize = 96 << 20;
/// Level of zlib's compression; a higher level takes longer and saves little.
const COMPRESSION: i32 = 6;

/// Reason why there is no page.
#[derive(Debug, thiserror::Error)]
pub enum ViewError {
    /// A trace is wrong, or an algorithm makes no plan.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// Nobody could read the picture.
    #[error(transparent)]
    Picture(#[from] TooLarge),
    /// The run ended before the window.
    #[error("the run ended at cycle {cycles}, before the window {window}")]
    NotReached {
        /// Cycles of the run.
        cycles: u64,
        /// Requested window.
        window: Window,
    },
    /// The events are more than a page can hold.
    #[error(
        "cycles {from} to {reached} take {} MB of events; allowed: {} MB in a page; show fewer cycles, as with --window {from}..{fit}, or fewer switches: --scope 'top.rt_0_*'",
        bytes >> 20,
        MOST_BYTES >> 20
    )]
    TooLong {
        /// First cycle of the window.
        from: u64,
        /// Last cycle that the page could record.
        reached: u64,
        /// Number of bytes up to this cycle.
        bytes: usize,
        /// Last cycle of a window whose events fit.
        fit: u64,
    },
    /// A scope names nothing.
    #[error(transparent)]
    Scope(#[from] TraceError),
    /// The data of the run cannot be written as JSON.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
}

/// A run with all that its page shows.
pub struct Recorded<'a> {
    /// Numbers of the run.
    pub report: Report,
    /// Title of the run: the file, unless a caller sets another.
    pub title: String,
    /// Differences from the expectations of a testbench.
    pub failures: Vec<Failure>,
    /// Warnings of `wormscope run`.
    pub warnings: Vec<String>,
    /// Gains of changes by one step, if you asked for advice.
    pub advised: Option<Advised>,
    /// Cures of the deadlock in which the run ended, if cures were searched.
    freed: Option<Freed>,
    created: Created,
    loaded: &'a Loaded,
    site: &'a Site,
    window: Window,
    recorder: Recorder,
    accounts: BTreeMap<u32, Account>,
    outcome: simulation::Outcome,
    cycles: u64,
}

/// Runs an experiment for its page. The page shows the cycles of `window` of the switches and nodes
/// that the globs name, or of all without a glob. `progress` gets the cycle from time to time.
///
/// # Errors
/// When there is no run, or no page of it.
pub fn record<'a>(
    loaded: &'a Loaded,
    site: &'a Site,
    window: Window,
    scope: &[String],
    progress: &mut dyn FnMut(u64),
) -> Result<Recorded<'a>, ViewError> {
    readable(site.wiring())?;
    let scope = Scope::new(scope, site.wiring())?;
    let mut simulation = Simulation::new(loaded, site)?;
    let recorder = Recorder::new(&loaded.experiment.network, site.wiring(), window, scope, MOST_BYTES);
    let history = History::new(&loaded.experiment.network, site.wiring(), site.stalls(&loaded.experiment.workload));
    let watch = ShownAccounts::new(window, history);
    let warnings = dependency::warning(loaded, site, &|| false).into_iter().chain(idle(site)).collect();
    let counts = ((Collector::new(simulation.window()), HopCount::new(site, false)), Created::default());
    let mut all = (counts, (recorder, watch));
    let outcome = simulation.run(&mut all, progress)?;
    let (((collector, hops), created), (mut recorder, watch)) = all;
    let under_way = simulation.engine.under_way();
    let last = simulation.engine.now().saturating_sub(1);
    let accounts = watch.finish(under_way.iter().map(|of| of.info), last);
    recorder.end();
    let cycles = simulation.engine.now();
    if cycles <= window.start {
        return Err(ViewError::NotReached { cycles, window });
    }
    if recorder.is_full() {
        let from = window.start;
        let bytes = recorder.bytes();
        // The estimate leaves some room, since cycles differ.
        let fit = from + (u128::from(cycles - from) * MOST_BYTES as u128 * 4 / (bytes as u128 * 5)) as u64;
        return Err(ViewError::TooLong { from, reached: cycles, bytes, fit });
    }
    let clock_ns = energy::clock_ns(loaded, site.wiring(), None)?;
    let report = summarise(loaded, site, &simulation, &collector, &outcome, clock_ns);
    let report = Report { hops: hops.counted(), ..report };
    let (title, failures, freed) = (loaded.title(), Vec::new(), None);
    Ok(Recorded {
        report,
        title,
        failures,
        warnings,
        advised: None,
        freed,
        created,
        loaded,
        site,
        window,
        recorder,
        accounts,
        outcome,
        cycles,
    })
}

impl Recorded<'_> {
    /// Summary of the run in one line.
    #[must_use]
    pub fn told(&self) -> String {
        let shown = self.window.start..self.window.end_within(self.cycles);
        let ended = RunEnd::from(&self.outcome).name();
        let failed = match self.failures.len() {
            0 => String::new(),
            n => format!(", {n} not as expected"),
        };
        format!(
            "{}: {ended} at cycle {}, shown {} to {}, {} worms{failed}",
            self.title,
            self.cycles,
            shown.start,
            shown.end - 1,
            self.recorder.worms.len()
        )
    }

    /// If the run ended in a deadlock: searches for cures, and for the last choice that avoids the
    /// deadlock, as `command` does. The `watcher` may end the search early.
    ///
    /// # Errors
    /// When a trace cannot be read again.
    pub fn explain(&mut self, command: &str, watcher: &mut impl Watcher) -> Result<(), ViewError> {
        if let Some(deadlock) = found(&self.outcome) {
            self.freed = Some(Freed::search(self.loaded, self.site, deadlock, &self.created.0, command, watcher)?);
        }
        Ok(())
    }

    /// The data of the run for a page, packed; `rerun` is the run as a command.
    ///
    /// # Errors
    /// When the picture is too large to read.
    fn packed(&self, rerun: &str) -> Result<String, ViewError> {
        let shape = PageRun {
            title: &self.title,
            rerun,
            from: self.window.start,
            until: self.window.end_within(self.cycles),
            cycles: self.cycles,
            ended: RunEnd::from(&self.outcome).name(),
            clock_ns: self.report.clock_ns,
        };
        let mut data = PageData::new(self.loaded, self.site, &self.recorder, shape, found(&self.outcome))?;
        data.failures = &self.failures;
        data.warnings = &self.warnings;
        data.brief = brief(&self.report);
        data.report = self.report.to_string();
        data.freed = self.freed.as_ref();
        data.advised = self.advised.as_ref();
        let json = serde_json::to_vec(&data)?;
        let length = (json.len() as u32).to_le_bytes();
        let all = [&length, &json[..], &data.events(&self.recorder, &self.accounts)].concat();
        Ok(packed(&all))
    }
}

/// A style sheet without the spaces that only people need.
fn tight(css: &str) -> String {
    let spaces = [(" { ", "{"), ("{ ", "{"), (" }", "}"), ("; ", ";"), (": ", ":"), (", ", ",")];
    spaces.iter().fold(css.replace('\n', ""), |css, (wide, narrow)| css.replace(wide, narrow))
}

/// Text that a page unpacks: a stream of zlib in base64.
fn packed(bytes: &[u8]) -> String {
    let mut stream = vec![0; compress_bound(bytes.len())];
    let (stream, code) = compress_slice(&mut stream, bytes, DeflateConfig::new(COMPRESSION));
    assert!(code == ReturnCode::Ok, "the stream is longer than its bound");
    BASE64_STANDARD.encode(stream)
}

/// The page of a run, or of two runs side by side. Each run comes with the command that runs it
/// again and takes `--wave`. The command may be empty.
///
/// # Errors
/// When the picture is too large to read.
pub fn page(runs: &[(Recorded, String)]) -> Result<String, ViewError> {
    let mut blocks = String::new();
    for (n, (run, rerun)) in runs.iter().enumerate() {
        let id = if n == 0 { "data".to_owned() } else { format!("data{}", n + 1) };
        // Writing to a string does not fail.
        let _ = writeln!(blocks, "<script type=\"text/plain\" id=\"{id}\">{}</script>", run.packed(rerun)?);
    }
    let titles: Vec<String> = runs.iter().map(|(run, _)| run.title.clone()).collect();
    let title = format!("wormscope: {}", titles.join(" and "));
    Ok(filled(
        HTML,
        &[
            ("title", &escape(title)),
            ("css", &tight(CSS)),
            ("code", &packed(JS.as_bytes())),
            ("begin", BEGIN),
            ("data", &blocks),
        ],
    ))
}

#[cfg(test)]
mod tests;
