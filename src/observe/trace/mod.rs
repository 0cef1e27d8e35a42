//! Waveforms: an [`Observer`](crate::engine::Observer) that writes VCD and FST, and saved views for
//! `GTKWave` and Surfer.
//!
//! The engine's commit log is the input, so the cost of tracing depends on the changes, not on the
//! number of signals. Time in a dump is the time of the network's clock ([`Timescale`]). Names
//! follow the hardware contract: `top.rt_<x>_<y>.in<p>[.v<v>].…`, `top.sw_s<stage>_r<row>.…`,
//! `top.node<i>.…`.

mod beside;
pub(crate) mod blocks;
pub(crate) mod chronicle;
mod file;
pub mod follow;
pub(crate) mod fst;
pub mod gtkw;
pub(crate) mod labels;
pub(crate) mod layout;
mod marks;
mod part;
pub(crate) mod scope;
pub(crate) mod signal;
pub(crate) mod sink;
mod surfer;
pub(crate) mod timescale;
pub mod tracer;
pub(crate) mod vcd;
pub(crate) mod view;
pub(crate) mod wire;

#[cfg(test)]
mod readback;
#[cfg(test)]
mod runs;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_blocks;
#[cfg(test)]
mod tests_follow;
#[cfg(test)]
mod tests_min;
#[cfg(test)]
mod tests_names;
#[cfg(test)]
mod tests_time;

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use crate::output::OutputError;
use crate::quote::{self, excerpt};
pub use file::Waveform;
pub use follow::{Follow, Hop, HopRecorder};
pub(crate) use layout::Layout;
pub use scope::Scope;
pub use sink::{Header, Sink};
pub use timescale::Timescale;
pub use tracer::{DumpEnd, Options, Tracer};
pub use vcd::{Vcd, VcdHeader};
pub use view::{Circle, Failures, Stop};

/// Reason why a waveform was not written or not started.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// Creating, writing or renaming a file failed.
    #[error(transparent)]
    Io(#[from] OutputError),
    /// The file name's ending names no format.
    #[error("{}: a waveform file ends in .vcd or .fst", quote::name(path))]
    Format {
        /// The file.
        path: PathBuf,
    },
    /// The format cannot be read before the end of the run.
    #[error(
        "{}: an FST is complete only when the run is over; allowed with --wave-live: a .vcd, which grows by whole time steps",
        quote::name(path)
    )]
    NotLive {
        /// The file.
        path: PathBuf,
    },
    /// The text is not a window.
    #[error("not a window of cycles; allowed: A..B with A below B, as in 1000..2000, A.. or ..B")]
    Window,
    /// The clock follows from the depth of logic, and the caller gave no period.
    #[error("clock_ns is from_depth, and the depth of logic is not known here; give the period in ns")]
    NoClock,
    /// Two windows have a cycle in common.
    #[error("the wave windows {first} and {second} overlap; allowed: windows without a common cycle, or one of {}", {
        let end = first.end.zip(second.end).map(|(a, b)| a.max(b));
        Window { start: first.start, end }
    })]
    WindowsOverlap {
        /// The window with the earlier start.
        first: Window,
        /// The other window.
        second: Window,
    },
    /// The run ends before the window begins.
    #[error(
        "the wave window starts at cycle {start}, but the run is over after {cycles} cycles at the latest \
         (run.max_cycles); allowed: a start below that"
    )]
    WindowBeyond {
        /// First cycle of the window.
        start: u64,
        /// Largest number of cycles of the run.
        cycles: u64,
    },
    /// The run was over before the window began.
    #[error(
        "the wave window starts at cycle {start}, but the run was over after {cycles} cycles; no waveform was written"
    )]
    WindowNotReached {
        /// First cycle of the window.
        start: u64,
        /// Number of cycles of the run.
        cycles: u64,
    },
    /// The text is not a glob.
    #[error("scope \"{}\": {message}", excerpt(glob))]
    Glob {
        /// The text.
        glob: String,
        /// Fault of the text.
        message: String,
    },
    /// A glob selects nothing.
    #[error("scope \"{}\" matches nothing; nearest names: {}", excerpt(glob), nearest.join(", "))]
    NoMatch {
        /// The glob.
        glob: String,
        /// Instance names that are similar to the glob.
        nearest: Vec<String>,
    },
    /// All instances are taken out.
    #[error("nothing is left to show after the scopes {}; leave one out, or name less", quote::list(globs))]
    NothingLeft {
        /// The globs that take instances out.
        globs: Vec<String>,
    },
    /// There are more signals than a viewer can open.
    #[error("{signals} signals are too many for one waveform, at most {limit}; select some with a wave scope")]
    TooManySignals {
        /// Number of selected signals.
        signals: u64,
        /// Largest allowed number.
        limit: u64,
    },
}

/// Cycles that are dumped: `start`, `start + 1`, … up to and without `end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// First cycle. All values are dumped at it.
    pub start: u64,
    /// First cycle that is not in the dump. It shows no crossing flit. `None` if the dump ends with
    /// the run.
    pub end: Option<u64>,
}

impl Window {
    /// The whole run.
    pub const ALL: Self = Self { start: 0, end: None };

    /// Whether the window ends before `cycle`.
    #[must_use]
    pub fn is_over(self, cycle: u64) -> bool {
        self.end.is_some_and(|end| cycle >= end)
    }

    /// Whether a cycle is in the window.
    #[must_use]
    pub fn contains(self, cycle: u64) -> bool {
        cycle >= self.start && !self.is_over(cycle)
    }

    /// End of the window in a run of `cycles` cycles: the first cycle that it does not have.
    #[must_use]
    pub fn end_within(self, cycles: u64) -> u64 {
        self.end.map_or(cycles, |end| end.min(cycles))
    }

    /// Refuses a window that begins after a run of at most `cycles` cycles.
    ///
    /// # Errors
    /// It begins after the last of these cycles.
    pub fn begins_within(self, cycles: u64) -> Result<(), TraceError> {
        if self.start < cycles { Ok(()) } else { Err(TraceError::WindowBeyond { start: self.start, cycles }) }
    }
}

impl Default for Window {
    fn default() -> Self {
        Self::ALL
    }
}

/// Windows of one dump, ascending. The dump does not show the cycles between them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Windows(Vec<Window>);

impl Windows {
    /// Sorts windows and joins windows that touch. Without a window, the whole run.
    ///
    /// # Errors
    /// Two windows have a cycle in common.
    pub fn new(windows: impl IntoIterator<Item = Window>) -> Result<Self, TraceError> {
        let mut all: Vec<Window> = windows.into_iter().collect();
        all.sort_by_key(|window| window.start);
        let mut apart: Vec<Window> = Vec::new();
        for &window in &all {
            match apart.last_mut() {
                Some(before) if !before.is_over(window.start) => {
                    return Err(TraceError::WindowsOverlap { first: *before, second: window });
                }
                Some(before) if before.end == Some(window.start) => before.end = window.end,
                _ => apart.push(window),
            }
        }
        if apart.is_empty() {
            apart.push(Window::ALL);
        }
        Ok(Self(apart))
    }

    /// The windows in order.
    #[must_use]
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = Window> {
        self.0.iter().copied()
    }

    /// The first cycle of the first window.
    #[must_use]
    pub fn start(&self) -> u64 {
        self.0[0].start
    }

    /// Whether the windows are the whole run.
    #[must_use]
    pub fn are_all(&self) -> bool {
        self.0 == [Window::ALL]
    }

    /// Whether all windows end before `cycle`.
    #[must_use]
    pub fn are_over(&self, cycle: u64) -> bool {
        self.iter().all(|window| window.is_over(cycle))
    }

    /// Whether a cycle is in one of the windows.
    #[must_use]
    pub fn contain(&self, cycle: u64) -> bool {
        self.iter().any(|window| window.contains(cycle))
    }

    /// Whether a cycle from `first` to `last` is in one of the windows.
    #[must_use]
    pub fn meet(&self, first: u64, last: u64) -> bool {
        self.iter().any(|window| !window.is_over(first) && last >= window.start)
    }

    /// Refuses windows that begin after a run of at most `cycles` cycles.
    ///
    /// # Errors
    /// A window begins after the last of these cycles.
    pub fn begin_within(&self, cycles: u64) -> Result<(), TraceError> {
        self.iter().try_for_each(|window| window.begins_within(cycles))
    }
}

impl From<Window> for Windows {
    fn from(window: Window) -> Self {
        Self(vec![window])
    }
}

impl Default for Windows {
    fn default() -> Self {
        Window::ALL.into()
    }
}

impl fmt::Display for Windows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all: Vec<String> = self.iter().map(|window| window.to_string()).collect();
        f.write_str(&all.join(" and "))
    }
}

impl fmt::Display for Window {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..", self.start)?;
        self.end.map_or(Ok(()), |end| end.fmt(f))
    }
}

impl FromStr for Window {
    type Err = TraceError;

    fn from_str(text: &str) -> Result<Self, TraceError> {
        let bound = |part: &str| match part.trim() {
            "" => Ok(None),
            part => part.replace('_', "").parse().map(Some).map_err(|_| TraceError::Window),
        };
        let (start, end) = text.split_once("..").ok_or(TraceError::Window)?;
        let window = Self { start: bound(start)?.unwrap_or(0), end: bound(end)? };
        if window.is_over(window.start) { Err(TraceError::Window) } else { Ok(window) }
    }
}
