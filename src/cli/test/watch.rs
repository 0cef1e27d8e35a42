//! `wormscope test --watch`: runs again the testbenches whose files were edited.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use notify::{Event, EventKind, RecursiveMode, Watcher as _};
use wormscope::console;
use wormscope::quote;
use wormscope::testbench::Sources;
use wormscope::testbench::found::find;
use wormscope::testbench::outcome::Status;
use wormscope::testbench::suite::Runs;

use super::super::exit::{INTERRUPTED, Refused, print};
use super::super::outputs::Files;
use super::super::signals;
use super::args::Args;
use super::lines;
use super::running::{Around, MOST_KINDS, printed};
use super::selection::Selection;

/// Time without a change before the testbenches run: an editor writes a file in several steps.
const SETTLED: Duration = Duration::from_millis(150);
/// Time between two looks at the interrupt.
const LOOKED: Duration = Duration::from_millis(200);

/// Runs all testbenches, and then those whose files change, until an interrupt.
pub fn watch(args: &Args, paths: &[PathBuf]) -> Result<u8, Refused> {
    let stop = signals::keeps_what_there_is();
    let (sender, changes) = channel();
    let mut watcher = notify::recommended_watcher(sender).map_err(|error| format!("--watch: {error}"))?;
    let (mut seen, mut known) = (BTreeSet::new(), BTreeSet::new());
    let mut touched: Option<BTreeSet<PathBuf>> = None;
    while !stop.load(Ordering::Relaxed) {
        // All testbenches may have gone; new ones may come.
        let found = match (find(paths, args.filter.as_deref()), &touched) {
            (Ok(found), _) => found,
            (Err(error), None) => return Err(error.into()),
            (Err(error), Some(_)) => {
                console::tell(&error.to_string());
                Vec::new()
            }
        };
        let Selection { files, sources } = Selection::of(found, &args.tag)?;
        let folders = paths.iter().filter(|path| path.is_dir()).map(|path| (identity(path), RecursiveMode::Recursive));
        let inputs = sources.iter().flat_map(Sources::inputs).filter_map(|(_, path)| {
            // An editor may replace a file, so its folder is watched.
            Some((identity(path.parent()?), RecursiveMode::NonRecursive))
        });
        for (folder, mode) in folders.chain(inputs) {
            if seen.insert(folder.clone()) {
                watcher.watch(&folder, mode).map_err(|error| format!("--watch: {}: {error}", quote::name(&folder)))?;
            }
        }
        let concerns = |file: &PathBuf, of: &Sources| match &touched {
            None => true,
            Some(touched) => {
                !known.contains(file) || of.inputs().iter().any(|(_, path)| touched.contains(&identity(path)))
            }
        };
        let (files, sources): (Vec<_>, Vec<_>) =
            files.into_iter().zip(sources).filter(|(file, of)| concerns(file, of)).unzip();
        known.extend(files.iter().cloned());
        if !files.is_empty() {
            once(args, files, sources)?;
            if stop.load(Ordering::Relaxed) {
                break;
            }
            console::tell("watching the files of the testbenches; Ctrl-C ends");
        }
        let Some(next) = wait(&changes, || stop.load(Ordering::Relaxed)) else { break };
        touched = Some(next);
    }
    console::tell("interrupted; the output has the results so far");
    Ok(INTERRUPTED)
}

/// Runs some testbenches, and prints the kinds of their failures.
fn once(args: &Args, files: Vec<PathBuf>, sources: Vec<Sources>) -> Result<(), Refused> {
    let inputs: Vec<_> = sources.iter().flat_map(Sources::inputs).collect();
    let around = Around { files: Files::beside(&inputs), stop: signals::keeps_what_there_is() };
    let started = Instant::now();
    let Runs { runs, kinds, left_out } = printed(&args.suite(files), sources, &around)?;
    let count = |status| runs.iter().filter(|run| run.status == status).count();
    let counts = [Status::Passed, Status::Failed, Status::Bad].map(count);
    let summary = lines::summary(counts, left_out, started.elapsed().as_secs_f64());
    print(&format!("{}{summary}\n", kinds.table(MOST_KINDS)))
}

/// The files that change next. `None` if the command is to end.
fn wait(changes: &Receiver<notify::Result<Event>>, ends: impl Fn() -> bool) -> Option<BTreeSet<PathBuf>> {
    let mut touched = BTreeSet::new();
    loop {
        match changes.recv_timeout(if touched.is_empty() { LOOKED } else { SETTLED }) {
            // A read is no change.
            Ok(Ok(event)) if !matches!(event.kind, EventKind::Access(_)) => {
                touched.extend(event.paths.iter().map(|path| identity(path)));
            }
            Ok(_) => {}
            Err(RecvTimeoutError::Timeout) if ends() => return None,
            Err(RecvTimeoutError::Timeout) if touched.is_empty() => {}
            Err(RecvTimeoutError::Timeout) => return Some(touched),
            Err(RecvTimeoutError::Disconnected) => return None,
        }
    }
}

/// A path by which two names of one file are equal, even if the file is gone.
fn identity(path: &Path) -> PathBuf {
    let path = if path == Path::new("") { Path::new(".") } else { path };
    let parent = || {
        let folder = path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
        Some(folder.canonicalize().ok()?.join(path.file_name()?))
    };
    path.canonicalize().ok().or_else(parent).unwrap_or_else(|| path.to_owned())
}
