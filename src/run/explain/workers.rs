//! Jobs on all processors. A watcher hears of them, and may stop them.

use std::num::NonZero;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, SyncSender};
use std::thread::{available_parallelism, scope};
use std::time::Duration;

use super::attempt::Watcher;
use crate::engine::Observer;

/// Time between two questions to the watcher whether to go on.
const ASKED_EVERY: Duration = Duration::from_millis(50);

/// A thread that does jobs. As an observer, it ends a run when the watcher stops the jobs.
pub(super) struct Worker<'a> {
    asks: mpsc::Sender<(String, SyncSender<bool>)>,
    stop: &'a AtomicBool,
}

impl Worker<'_> {
    /// Tells the watcher the next action. Returns whether to begin it.
    pub fn begins(&self, what: String) -> bool {
        let (reply, answer) = mpsc::sync_channel(1);
        self.asks.send((what, reply)).is_ok() && answer.recv().unwrap_or(false)
    }
}

impl Observer for Worker<'_> {
    fn stop(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

/// Does jobs 0 to `jobs` - 1 on at most `most` threads, in this order. Returns the result of each
/// job, or none for a job that did not begin before the watcher stopped.
pub(super) fn side_by_side<R: Send>(
    jobs: usize,
    most: usize,
    watcher: &mut impl Watcher,
    work: impl Fn(&mut Worker, usize) -> R + Sync,
) -> Vec<Option<R>> {
    let threads = available_parallelism().map_or(1, NonZero::get).min(most).min(jobs);
    let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(watcher.stop()));
    let done = |asks| {
        let (mut worker, mut ended) = (Worker { asks, stop: &stop }, Vec::new());
        while !worker.stop() {
            let job = next.fetch_add(1, Ordering::Relaxed);
            if job >= jobs {
                break;
            }
            ended.push((job, work(&mut worker, job)));
        }
        ended
    };
    let mut results: Vec<Option<R>> = (0..jobs).map(|_| None).collect();
    scope(|scope| {
        let (asks, asked) = mpsc::channel::<(String, SyncSender<bool>)>();
        let all: Vec<_> = (0..threads).map(|_| (asks.clone(), &done)).collect();
        let all: Vec<_> = all.into_iter().map(|(asks, done)| scope.spawn(move || done(asks))).collect();
        drop(asks);
        loop {
            match asked.recv_timeout(ASKED_EVERY) {
                Ok((what, reply)) => {
                    watcher.begins(&what);
                    stop.fetch_or(watcher.stop(), Ordering::Relaxed);
                    // A worker waits for the reply.
                    let _ = reply.send(!stop.load(Ordering::Relaxed));
                }
                Err(RecvTimeoutError::Timeout) => {
                    stop.fetch_or(watcher.stop(), Ordering::Relaxed);
                }
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        for thread in all {
            for (job, result) in thread.join().unwrap_or_else(|panic| resume_unwind(panic)) {
                results[job] = Some(result);
            }
        }
    });
    results
}
