//! `wormscope test --until-covered`: random testbenches that close holes of coverage.

use std::path::{Path, PathBuf};

use wormscope::output::Output;
use wormscope::quote;
use wormscope::report::coverage::Merged;
use wormscope::testbench::steer::{Closing, Steering};
use wormscope::testbench::{self, Bench};

use super::exit::{Refused, print};
use super::outputs::Files;
use super::progress::Shown;
use super::signals::Interrupt;

/// The search that the options ask for.
pub struct Covering<'a> {
    /// Folder of the testbenches that are found.
    pub folder: &'a Path,
    /// Inputs and other outputs, which stay.
    pub others: &'a Files,
    /// Runs in turn that may close no hole.
    pub patience: u32,
    /// Seed of the search.
    pub seed: u64,
}

/// Result of a search.
pub struct Searched {
    /// The testbenches that were found, each with its path.
    pub benches: Vec<(PathBuf, String)>,
    /// Whether a testbench failed, and so found a fault.
    pub found_fault: bool,
    /// Whether the search was interrupted.
    pub is_interrupted: bool,
}

/// Refuses a folder that is something else, or in which no file can be written.
pub fn check(folder: &Path) -> Result<(), Refused> {
    if folder.exists() && !folder.is_dir() {
        return Err(Refused(format!("{}: is a file; --until-covered needs a folder", quote::name(folder))));
    }
    // A file is begun and removed again, so that a search of minutes is not lost.
    Ok(Output::in_folder(&folder.join("covered.ron")).map(drop)?)
}

/// Searches on the networks of testbenches. Adds the coverage of what it finds to `merged`.
pub fn search(asked: &Covering, files: &[impl AsRef<Path>], merged: &mut Merged) -> Result<Searched, Refused> {
    let benches: Vec<Bench> = files.iter().filter_map(|file| testbench::load(file.as_ref()).ok()).collect();
    let interrupt = Interrupt::awaited();
    let shown = Shown::doing("searching for stimulus that closes holes");
    let mut last = None;
    let is_free = |name: &str| {
        let path = asked.folder.join(name);
        !path.exists() && asked.others.check("--until-covered", &path).is_ok()
    };
    let found = Steering::new(&benches, asked.seed, asked.patience).run(merged, is_free, |so_far| {
        shown.begins(&format!("{}, {} left", quote::counted(so_far.runs, "run"), quote::counted(so_far.holes, "hole")));
        last = Some(so_far);
        !interrupt.has_come()
    });
    drop(shown);
    let so_far = last.unwrap_or_default();
    print(&format!(
        "\n{} of random stimulus: {} {} holes, {} left, none closed by the last {}\n",
        quote::counted(so_far.runs, "run"),
        found.len(),
        quote::form(found.len(), "closes", "close"),
        quote::counted(so_far.holes, "hole"),
        quote::counted(so_far.idle, "run"),
    ))?;
    let mut searched = Searched { benches: Vec::new(), found_fault: false, is_interrupted: interrupt.has_come() };
    for closing in found {
        let Closing { name, bins, verdict, .. } = &closing;
        let path = asked.folder.join(name);
        let bins = quote::counted(bins.len(), "bin");
        print(&format!("  {}: {bins}, {}\n", quote::name(&path), quote::counted(verdict.cycles, "cycle")))?;
        for failure in &verdict.failures {
            searched.found_fault = true;
            print(&format!("    FAILED: {failure}\n"))?;
        }
        let text = closing.text();
        searched.benches.push((path, text));
    }
    Ok(searched)
}

/// Writes testbenches into their folder. They do not have their names yet.
pub fn written(benches: &[(PathBuf, String)]) -> Result<Vec<Output>, Refused> {
    Ok(benches.iter().map(|(path, text)| Output::in_folder(path)?.filled(text)).collect::<Result<_, _>>()?)
}
