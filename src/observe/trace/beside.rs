//! A thread beside the run, which does jobs one after the other: it makes blocks, or writes a file.

use std::io;
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::thread::{Builder, JoinHandle};

/// A state and its jobs. The thread begins with the first job.
pub(super) enum Beside<S, J> {
    /// There was no job.
    Here(S),
    /// The thread has the state. When it is dropped, the line ends before the thread does.
    There(Line<J>, Worker<S>),
    /// The thread failed, and has reported the error.
    Nowhere,
}

/// Ways of the jobs to the thread, and back when they are done.
pub(super) struct Line<J> {
    to: SyncSender<J>,
    done: Receiver<J>,
}

impl<S: Send + 'static, J: Send + 'static> Beside<S, J> {
    /// Hands on a job. Returns a job that is done, if there is one, so that its memory serves
    /// again. `ahead` is the number of jobs that may wait between the threads. The first call gives
    /// the thread its `name` and its `work`.
    ///
    /// # Errors
    /// An earlier job failed, or the thread cannot begin.
    pub fn hand_on(
        &mut self,
        job: J,
        (name, ahead): (&str, usize),
        mut work: impl FnMut(&mut S, &J) -> io::Result<()> + Send + 'static,
    ) -> io::Result<Option<J>> {
        let (line, worker) = match std::mem::replace(self, Self::Nowhere) {
            Self::Here(mut state) => {
                let ((to, jobs), (back, done)) = (sync_channel::<J>(ahead), channel());
                let there = move || {
                    while let Ok(job) = jobs.recv() {
                        work(&mut state, &job)?;
                        // At the end nobody needs the memory.
                        let _ = back.send(job);
                    }
                    Ok(state)
                };
                (Line { to, done }, Worker(Some(Builder::new().name(name.to_owned()).spawn(there)?)))
            }
            Self::There(line, worker) => (line, worker),
            Self::Nowhere => return Err(io::ErrorKind::BrokenPipe.into()),
        };
        if line.to.send(job).is_err() {
            return worker.ended().and(Err(io::ErrorKind::BrokenPipe.into()));
        }
        let done = line.done.try_recv().ok();
        *self = Self::There(line, worker);
        Ok(done)
    }

    /// The state after all jobs.
    ///
    /// # Errors
    /// A job failed.
    pub fn finish(self) -> io::Result<S> {
        match self {
            Self::Here(state) => Ok(state),
            Self::There(line, worker) => {
                drop(line);
                worker.ended()
            }
            Self::Nowhere => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }
}

/// A thread that works. If nobody takes its result, the program waits for it: an unfinished file is
/// deleted with the state.
pub(super) struct Worker<S>(Option<JoinHandle<io::Result<S>>>);

impl<S> Worker<S> {
    /// Result of the thread.
    fn ended(mut self) -> io::Result<S> {
        let result = self.0.take().and_then(|thread| thread.join().ok());
        result.unwrap_or_else(|| Err(io::Error::other("the thread that writes it ended")))
    }
}

impl<S> Drop for Worker<S> {
    fn drop(&mut self) {
        if let Some(thread) = self.0.take() {
            let _ = thread.join();
        }
    }
}
