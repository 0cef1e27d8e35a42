//! Progress of a command while it runs.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use wormscope::console;
use wormscope::experiment::Loaded;
use wormscope::sweep::Counts;

use super::signals;

/// On a terminal, when a bar shows itself.
const SHOWN_AFTER: Duration = Duration::from_secs(1);
/// Time between two drawings of the progress bar on a terminal.
const DRAWN_EVERY: Duration = Duration::from_millis(100);
/// Time between two lines of progress without a terminal.
const EVERY: Duration = Duration::from_secs(60);

/// Words of commands that read the rows of a sweep.
pub const READING: &str = "reading the rows";

/// Template for work without a known end.
const SPINNER: &str = "{spinner} {msg}, {elapsed}";
/// Template for a count up to a known end.
const BAR: &str = "{bar:40} {human_pos} of {human_len} {msg}, {left}";

/// Progress of a command: on a terminal a bar after one second, otherwise one line every minute.
///
/// A thread of its own shows it, since the work may take long from one step to the next.
pub struct Shown {
    bar: ProgressBar,
    /// The thread, and a sender. The thread ends when the sender is dropped.
    thread: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Shown {
    fn new(
        template: &str,
        end: Option<u64>,
        what: &str,
        line: impl FnMut(&ProgressBar) -> String + Send + 'static,
    ) -> Self {
        let bar = ProgressBar::with_draw_target(end, ProgressDrawTarget::hidden());
        let bar = bar.with_style(style(template)).with_message(what.to_owned());
        let (sender, receiver) = mpsc::channel::<()>();
        let (shown, mut line) = (bar.clone(), line);
        let show = move || {
            let is_over = |wait| receiver.recv_timeout(wait) != Err(RecvTimeoutError::Timeout);
            let terminal = ProgressDrawTarget::stderr();
            if terminal.is_hidden() {
                while !is_over(EVERY) {
                    console::tell(&line(&shown));
                }
            } else if !is_over(SHOWN_AFTER) {
                shown.set_draw_target(terminal);
                shown.tick();
                while !is_over(DRAWN_EVERY) {
                    shown.tick();
                }
            }
        };
        // If the system gives no thread, no progress is shown.
        let thread = thread::Builder::new().name("progress".to_owned()).spawn(show);
        Self { bar, thread: thread.ok().map(|thread| (sender, thread)) }
    }

    /// Something without steps that could be counted.
    pub fn doing(what: &str) -> Self {
        Self::new(SPINNER, None, what, |bar| format!("{}, {:#}", bar.message(), HumanDuration(bar.elapsed())))
    }

    /// A count of `what`, up to `all`.
    pub fn counted(all: u64, what: &'static str) -> Self {
        Self::new(BAR, Some(all), what, move |bar| format!("{} of {all} {what}", bar.position()))
    }

    /// Work of several steps with known ends. `what` is shown before the first.
    pub fn steps(what: &str) -> Self {
        Self::new(SPINNER, None, what, |bar| match bar.length() {
            Some(all) => format!("{} of {all} {}", bar.position(), bar.message()),
            None => bar.message(),
        })
    }

    /// Shows the next step, and the number of its parts.
    pub fn step(&self, what: &str, parts: u64) {
        self.bar.set_style(style(BAR));
        self.bar.set_message(what.to_owned());
        self.bar.set_length(parts);
        self.bar.set_position(0);
    }

    /// Shows the name of the next step.
    pub fn begins(&self, what: &str) {
        self.bar.set_message(what.to_owned());
    }

    /// Reports the progress.
    pub fn reached(&self, count: u64) {
        self.bar.set_position(count);
    }

    /// Prints something while the progress bar is visible.
    pub fn aside<T>(&self, print: impl FnOnce() -> T) -> T {
        self.bar.suspend(print)
    }
}

impl Drop for Shown {
    fn drop(&mut self) {
        if let Some((sender, thread)) = self.thread.take() {
            drop(sender);
            // The thread does not panic.
            let _ = thread.join();
        }
        self.bar.finish_and_clear();
    }
}

fn style(template: &str) -> ProgressStyle {
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_spinner());
    style.with_key("left", left)
}

/// The time that is left; before the first step, how long that takes already.
fn left(state: &ProgressState, out: &mut dyn fmt::Write) {
    let _ = match state.pos() {
        0 => write!(out, "{:#}", HumanDuration(state.elapsed())),
        _ => write!(out, "{:#} left", HumanDuration(state.eta())),
    };
}

/// Shows `what` during work that may take long and has no steps.
pub fn while_doing<T>(what: &str, work: impl FnOnce() -> T) -> T {
    let _shown = Shown::doing(what);
    work()
}

/// Does the work of a run with a progress bar.
pub fn under_bar<T>(loaded: &Loaded, run: impl FnOnce(&mut dyn FnMut(u64)) -> T) -> T {
    let end = loaded.experiment.window().end;
    let (template, length) = match end {
        u64::MAX => ("{spinner} cycle {human_pos}, {elapsed}", None),
        end => ("{bar:40} cycle {human_pos} of {human_len}, {left}", Some(end)),
    };
    let shown = Shown::new(template, length, "", move |bar| so_far(bar.position(), end));
    let done = run(&mut |cycle| {
        signals::reached(Some((cycle, "cycles")));
        shown.reached(cycle);
    });
    signals::reached(None);
    done
}

/// `cycle 4096 of 100000`.
fn so_far(cycle: u64, end: u64) -> String {
    if end == u64::MAX { format!("cycle {cycle}") } else { format!("cycle {cycle} of {end}") }
}

/// The runs of a sweep.
pub struct Progress {
    shown: Shown,
    /// Runs that finished in an earlier call.
    kept: Arc<AtomicU64>,
}

impl Progress {
    /// Shows `what` until the first run begins.
    pub fn new(what: &str) -> Self {
        let kept = Arc::new(AtomicU64::new(0));
        let (before, mut last) = (Arc::clone(&kept), None);
        let line = move |bar: &ProgressBar| {
            let Some(all) = bar.length() else { return bar.message() };
            // The speed of the runs that ended since the last line, if there is such a line.
            let (since, ended) = last.unwrap_or((bar.elapsed().saturating_sub(EVERY), before.load(Ordering::Relaxed)));
            let speed = bar.position().saturating_sub(ended) as f64 / bar.elapsed().saturating_sub(since).as_secs_f64();
            last = Some((bar.elapsed(), bar.position()));
            runs(bar.position(), all, speed)
        };
        Self { shown: Shown::new(SPINNER, None, what, line), kept }
    }

    pub fn tell(&self, counts: &Counts) {
        let (Self { shown: Shown { bar, .. }, kept }, ended) = (self, counts.ended());
        signals::reached((ended > 0).then_some((ended, "runs")));
        if bar.length().is_none() {
            kept.store(counts.kept, Ordering::Relaxed);
            bar.set_style(style(BAR));
            bar.set_message("runs");
        }
        bar.set_length(counts.all);
        bar.set_position(ended);
    }
}

/// `3 of 40 runs, 12 min left`. `speed` is the number of runs that end in one second.
fn runs(ended: u64, all: u64, speed: f64) -> String {
    let left = all.saturating_sub(ended) as f64 / speed.max(f64::MIN_POSITIVE);
    let left = if speed > 0.0 { format!(", {:.0} min left", (left / 60.0).ceil()) } else { String::new() };
    format!("{ended} of {all} runs{left}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_how_far_it_is() {
        assert_eq!([so_far(4096, 100_000), so_far(7, u64::MAX)], ["cycle 4096 of 100000", "cycle 7"]);
        assert_eq!([runs(3, 40, 0.0), runs(3, 40, 0.1)], ["3 of 40 runs", "3 of 40 runs, 7 min left"]);
    }
}
