//! `wormscope report`.

use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, SystemTime};

use wormscope::explore::Sweep;
use wormscope::output::{self, Output, is_standard};
use wormscope::sweep::{JOURNAL, has_ended};
use wormscope::{page, quote};

use super::exit::{DONE, Refused, interrupted, print, warn};
use super::outputs::Files;
use super::progress::{READING, Shown, while_doing};
use super::signals::Interrupt;

/// Time between two looks at a sweep that runs.
const LOOK: Duration = Duration::from_millis(500);

/// Arguments of `wormscope report`.
#[derive(clap::Args)]
pub struct Args {
    /// Directory that wormscope sweep wrote (its -o); with a second directory, both sweeps side by
    /// side
    #[arg(required = true, num_args = 1..=2, value_name = "DIRECTORY")]
    directories: Vec<PathBuf>,
    /// Write the page to FILE
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Follow a sweep that runs: write the page again after each finished run, until the sweep ends
    #[arg(long)]
    watch: bool,
}

/// Writes the page of a sweep, or of two.
pub fn report(args: &Args) -> Result<u8, Refused> {
    if args.watch {
        return watch(args);
    }
    let open = || args.directories.iter().map(|directory| Sweep::open(directory)).collect::<Result<Vec<_>, _>>();
    let sweeps = while_doing(READING, open)?;
    let file = begun(&sweeps, args)?;
    warn(&sweeps.iter().filter_map(Sweep::unfinished).collect::<Vec<_>>());
    let page = while_doing("writing the page", || filled(file, &sweeps, false))?;
    print(&told(&sweeps))?;
    output::place(vec![page])?;
    Ok(DONE)
}

/// Writes the page until all its sweeps have ended. The last page is that of `report` without
/// `--watch`.
fn watch(args: &Args) -> Result<u8, Refused> {
    if is_standard(&args.output) {
        return Err(Refused("--watch writes its page many times; name a file with -o".to_owned()));
    }
    let follow = || args.directories.iter().map(|directory| Sweep::following(directory)).collect::<Result<Vec<_>, _>>();
    let mut file = Some(begun(&while_doing(READING, follow)?, args)?);
    let interrupt = Interrupt::awaited();
    let shown = Shown::doing("waiting for runs");
    let mut before = None;
    loop {
        // The sweeps may end while they are read, so this comes first.
        let is_live = !interrupt.has_come() && !args.directories.iter().all(|directory| has_ended(directory));
        let state = (is_live, args.directories.iter().map(|directory| changed(directory)).collect::<Vec<_>>());
        if before.as_ref() != Some(&state) {
            let sweeps = follow()?;
            let file = file.take().map_or_else(|| Output::create(&args.output), Ok)?;
            output::place(vec![filled(file, &sweeps, is_live)?])?;
            let runs = sweeps.iter().map(|sweep| format!("{} of {} runs", sweep.len(), sweep.schema.runs));
            shown.begins(&format!("following: {}", quote::list(runs)));
            if !is_live {
                drop(shown);
                print(&told(&sweeps))?;
                return Ok(if interrupt.has_come() { interrupted("") } else { DONE });
            }
            before = Some(state);
        }
        sleep(LOOK);
    }
}

/// Time and size of the journal of a sweep.
fn changed(directory: &Path) -> Option<(SystemTime, u64)> {
    let there = directory.join(JOURNAL).metadata().ok()?;
    Some((there.modified().ok()?, there.len()))
}

/// Begins the file of the page, which may be no file of a sweep.
fn begun(sweeps: &[Sweep], args: &Args) -> Result<Output, Refused> {
    let files: Vec<_> = sweeps.iter().flat_map(Sweep::files).collect();
    Files::beside(&files).create("-o", Some(&args.output))?.ok_or_else(|| Refused("-o names no file".to_owned()))
}

/// The page, complete but without its name yet.
fn filled(file: Output, sweeps: &[Sweep], is_live: bool) -> Result<Output, Refused> {
    let page = page::page(&sweeps.iter().collect::<Vec<_>>(), is_live)?;
    Ok(file.filled(&page)?)
}

fn told(sweeps: &[Sweep]) -> String {
    let one = |sweep: &Sweep| match sweeps.len() {
        1 => format!("{}\n", sweep.told()),
        _ => format!("{}: {}\n", quote::name(&sweep.directory), sweep.told()),
    };
    sweeps.iter().map(one).collect()
}
