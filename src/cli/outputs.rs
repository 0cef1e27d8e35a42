//! The files of a run: none may take the place of another or of an input.

use std::path::{Path, PathBuf};

use wormscope::config::{Loaded, Workload};
use wormscope::quote;
use wormscope::trace::gtkw::companions;

use super::Refused;
use super::run::Args;

/// Refuses files that would overwrite each other or what the run reads. Views of waveforms with a common stem are shared.
pub fn refuse_overlaps(args: &Args, loaded: &Loaded) -> Result<(), Refused> {
    let files = args.json.iter().map(|path| ("--json", path)).chain(args.csv.iter().map(|path| ("--csv", path)));
    refuse_files(&args.wave, files, loaded)
}

/// As [`refuse_overlaps`], of waveforms and other files with the options that name them.
pub fn refuse_files<'a>(
    waves: &'a [PathBuf],
    others: impl Iterator<Item = (&'static str, &'a PathBuf)>,
    loaded: &Loaded,
) -> Result<(), Refused> {
    let mut taken = inputs(loaded);
    for (what, path) in waves.iter().map(|path| ("--wave", path)).chain(others) {
        refuse_taken(&taken, what, path)?;
        taken.extend(identity(path).map(|identity| (what, identity)));
    }
    for path in waves.iter().flat_map(|wave| companions(wave)) {
        refuse_taken(&taken, "the view of --wave", &path)?;
    }
    Ok(())
}

/// Refuses a file that would overwrite what an experiment is read from.
pub fn refuse_inputs(path: &Path, what: &str, loaded: &Loaded) -> Result<(), Refused> {
    refuse_taken(&inputs(loaded), what, path)
}

/// Refuses files, each with its option, that would overwrite each other or what an experiment is read from.
pub fn refuse_same(files: &[(&'static str, &Option<PathBuf>)], loaded: &Loaded) -> Result<(), Refused> {
    refuse_among(files, inputs(loaded))
}

/// Refuses reports, each with its option, that would overwrite each other or a testbench that is run.
pub fn refuse_benches(files: &[(&'static str, &Option<PathBuf>)], benches: &[PathBuf]) -> Result<(), Refused> {
    let benches = benches.iter().filter_map(|path| Some(("a testbench", identity(path)?)));
    refuse_among(files, benches.collect())
}

fn refuse_among(
    files: &[(&'static str, &Option<PathBuf>)],
    mut taken: Vec<(&'static str, PathBuf)>,
) -> Result<(), Refused> {
    for (what, path) in files.iter().filter_map(|(what, path)| Some((*what, path.as_ref()?))) {
        refuse_taken(&taken, what, path)?;
        taken.extend(identity(path).map(|identity| (what, identity)));
    }
    Ok(())
}

fn inputs(loaded: &Loaded) -> Vec<(&'static str, PathBuf)> {
    let traces = loaded.experiment.workload.iter().filter_map(|entry| match entry {
        Workload::Trace(name) => Some(("the trace", loaded.resolve(name))),
        _ => None,
    });
    let inputs = [("the configuration", loaded.path.clone())].into_iter().chain(traces);
    inputs.filter_map(|(what, path)| Some((what, identity(&path)?))).collect()
}

fn refuse_taken(taken: &[(&str, PathBuf)], what: &str, path: &Path) -> Result<(), Refused> {
    let identity = identity(path);
    match taken.iter().find(|(_, other)| Some(other) == identity.as_ref()) {
        Some((other, _)) => Err(Refused(format!(
            "{}: would be both {other} and {what}; each needs a file of its own",
            quote::name(path)
        ))),
        None => Ok(()),
    }
}

/// What tells a file from others, there already or not; `None` for devices and pipes, which may be written to twice.
fn identity(path: &Path) -> Option<PathBuf> {
    if let Ok(there) = path.canonicalize() {
        return (there.is_file() || there.is_dir()).then_some(there);
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    Some(folder.canonicalize().unwrap_or_else(|_| folder.to_owned()).join(path.file_name()?))
}
