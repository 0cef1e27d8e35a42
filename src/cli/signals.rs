//! Signals end the process in order. No incomplete file stays, even if several signals come at any
//! time.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXCPU, SIGXFSZ};
use signal_hook::iterator::Signals;
use wormscope::engine::Observer;
use wormscope::{console, output};

use super::exit::{INTERRUPTED, left};

/// Progress of a command: a number and its unit.
static REACHED: Mutex<Option<(u64, &'static str)>> = Mutex::new(None);

/// Whether the command keeps finished runs, so that the same command can continue.
static GOES_ON: AtomicBool = AtomicBool::new(false);

/// Whether an interrupt ends the run under way alone, so that its numbers so far are kept.
static KEEPS: AtomicBool = AtomicBool::new(false);

/// Whether that has come.
static CAME: AtomicBool = AtomicBool::new(false);

/// Interrupts within this time are one. `timeout` sends its signal to the command, and then once
/// more to all processes of its group.
const AT_ONCE: Duration = Duration::from_millis(500);

/// From now on the first interrupt only sets this flag: Ctrl-C, or what `timeout` and a scheduler
/// send at the end of the time. The second ends the process.
pub fn keeps_what_there_is() -> &'static AtomicBool {
    KEEPS.store(true, Ordering::Relaxed);
    &CAME
}

/// An interrupt that ends runs early, so that a command prints its partial results.
#[derive(Clone, Copy)]
pub struct Interrupt(&'static AtomicBool);

impl Interrupt {
    /// From now on, the first interrupt sets the flag, and the second interrupt ends the process.
    pub fn awaited() -> Self {
        Self(keeps_what_there_is())
    }

    /// Whether the signal has arrived.
    pub fn has_come(self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

impl Observer for Interrupt {
    fn stop(&self) -> bool {
        self.has_come()
    }
}

/// From now on an interrupt loses nothing that is finished.
pub fn goes_on() {
    GOES_ON.store(true, Ordering::Relaxed);
}

/// Notes how far the command has come, for the message of an interrupt.
pub fn reached(how_far: Option<(u64, &'static str)>) {
    *REACHED.lock().unwrap_or_else(PoisonError::into_inner) = how_far;
}

/// From now on signals that would end the process end it in order. If the system gives no thread,
/// the signals end the process at once.
pub fn install() {
    // A file that may not grow any more is an error of the write.
    let _ = signal_hook::flag::register(SIGXFSZ, Arc::default());
    let (sender, receiver) = mpsc::channel::<Signals>();
    let wait = move || {
        let Ok(mut signals) = receiver.recv() else { return };
        let mut first: Option<Instant> = None;
        for signal in signals.forever() {
            let is_asked = matches!(signal, SIGINT | SIGTERM | SIGXCPU);
            if is_asked && first.is_some_and(|first| first.elapsed() < AT_ONCE) {
                continue;
            }
            let is_first = is_asked && KEEPS.swap(false, Ordering::Relaxed);
            if !is_first {
                end();
            }
            first = Some(Instant::now());
            CAME.store(true, Ordering::Relaxed);
        }
    };
    if thread::Builder::new().name("signals".to_owned()).spawn(wait).is_ok() {
        // With `nohup`, a command goes on after its terminal closes.
        let hangup = (!is_ignored(SIGHUP)).then_some(SIGHUP);
        let signals = Signals::new([SIGINT, SIGTERM, SIGQUIT, SIGXCPU].into_iter().chain(hangup));
        let _ = signals.map(|signals| sender.send(signals));
    }
}

/// Whether the process was started with a signal ignored; unknown where there is no `/proc`.
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| u64::from_str_radix(line.strip_prefix("SigIgn:")?.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (signal - 1) & 1 != 0)
}

fn end() -> ! {
    let placed = output::abandon();
    let how_far = *REACHED.lock().unwrap_or_else(PoisonError::into_inner);
    let how_far = how_far.map(|(count, what)| format!(" after {count} {what}")).unwrap_or_default();
    let left = if GOES_ON.load(Ordering::Relaxed) {
        let what = if how_far.is_empty() { "finished runs are" } else { "they are" };
        format!("{what} kept; the same command continues")
    } else {
        left(placed)
    };
    console::tell_over(&format!("interrupted{how_far}; {left}"));
    std::process::exit(INTERRUPTED.into())
}
