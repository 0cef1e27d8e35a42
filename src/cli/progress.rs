//! How far a command has come, while it is under way.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use wormscope::console;
use wormscope::experiment::Loaded;
use wormscope::sweep::Counts;

use super::signals;

/// Off a terminal, how often a line says how far it is.
const EVERY: Duration = Duration::from_secs(60);

/// Runs something under a progress bar, which shows itself on a terminal when it takes longer than
/// a moment.
pub fn under_bar<T>(loaded: &Loaded, run: impl FnOnce(&mut dyn FnMut(u64)) -> T) -> T {
    let bar = match loaded.experiment.window().end {
        u64::MAX => ProgressBar::new_spinner().with_style(
            ProgressStyle::with_template("{spinner} cycle {human_pos}, {elapsed}")
                .unwrap_or_else(|_| ProgressStyle::default_spinner()),
        ),
        end => ProgressBar::new(end).with_style(
            ProgressStyle::with_template("{bar:40} cycle {human_pos} of {human_len}, {eta} left")
                .unwrap_or_else(|_| ProgressStyle::default_bar()),
        ),
    };
    let started = Instant::now();
    let (mut told, end) = (LastLine(started), loaded.experiment.window().end);
    let done = run(&mut |cycle| {
        signals::reached(Some((cycle, "cycles")));
        if bar.is_hidden() && told.is_due(Instant::now()) {
            console::tell(&so_far(cycle, end));
        }
        if started.elapsed() > Duration::from_millis(500) {
            bar.set_position(cycle);
        }
    });
    bar.finish_and_clear();
    signals::reached(None);
    done
}

/// When a line was told last.
struct LastLine(Instant);

impl LastLine {
    /// Whether it is time for the next.
    fn is_due(&mut self, now: Instant) -> bool {
        let is_due = now.duration_since(self.0) >= EVERY;
        if is_due {
            self.0 = now;
        }
        is_due
    }
}

/// `cycle 4096 of 100000`.
fn so_far(cycle: u64, end: u64) -> String {
    if end == u64::MAX { format!("cycle {cycle}") } else { format!("cycle {cycle} of {end}") }
}

/// A bar on a terminal, a line a minute elsewhere.
pub struct Progress {
    bar: ProgressBar,
    told: Mutex<(Instant, Option<u64>)>,
}

impl Progress {
    pub fn new() -> Self {
        let style = ProgressStyle::with_template("{bar:40} {human_pos} of {human_len} runs, {eta} left");
        let bar = ProgressBar::new(0).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        Self { bar, told: Mutex::new((Instant::now(), None)) }
    }

    pub fn tell(&self, counts: &Counts) {
        let ended = counts.ended();
        signals::reached(Some((ended, "runs")));
        self.bar.set_length(counts.all);
        self.bar.set_position(ended);
        let Ok(mut told) = self.told.lock() else { return };
        if self.bar.is_hidden() && told.0.elapsed() >= EVERY {
            // From what ended since the line before, if there is one.
            let before = told.1.unwrap_or(counts.kept);
            let speed = ended.saturating_sub(before) as f64 / told.0.elapsed().as_secs_f64();
            let left = (counts.all - ended) as f64 / speed.max(f64::MIN_POSITIVE);
            let left = if speed > 0.0 { format!(", {:.0} min left", (left / 60.0).ceil()) } else { String::new() };
            console::tell(&format!("{ended} of {} runs{left}", counts.all));
            *told = (Instant::now(), Some(ended));
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_told_once_a_minute() {
        let start = Instant::now();
        let mut told = LastLine(start);
        let due: Vec<u64> = (0..200).filter(|&second| told.is_due(start + Duration::from_secs(second))).collect();
        assert_eq!(due, [60, 120, 180]);
        assert_eq!([so_far(4096, 100_000), so_far(7, u64::MAX)], ["cycle 4096 of 100000", "cycle 7"]);
    }
}
