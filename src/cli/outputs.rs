//! The files of a command. All files are begun before the run, and no file replaces another file or
//! an input.

use std::path::{Path, PathBuf};

use wormscope::input::Input;
use wormscope::output::{self, Output, is_standard};
use wormscope::trace::Waveform;
use wormscope::trace::gtkw::companions;
use wormscope::{console, quote};

use super::exit::Refused;

/// Words about the written files, each file once. Dumps with one stem share their view.
pub fn wrote(placed: &[PathBuf]) -> String {
    let mut names: Vec<String> = Vec::new();
    // Surfer reads a whole folder, so only the folder is named.
    let folder = |path: &PathBuf| path.ancestors().find(|of| of.ends_with(".surfer")).unwrap_or(path).to_owned();
    for name in placed.iter().filter(|path| !is_standard(path)).map(|path| quote::shell(folder(path))) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    if names.is_empty() { String::new() } else { format!("\nwrote {}\n", quote::list(names)) }
}

/// Files that are read and written, each with its name in messages.
pub struct Files(Vec<(&'static str, PathBuf)>);

impl Files {
    /// Output files, which must not replace the input files.
    pub fn beside(inputs: &[Input]) -> Self {
        // Standard input can be a file, by a redirection of the shell.
        let led = |path| if path == Path::new("-") { Path::new("/dev/stdin") } else { path };
        Self(inputs.iter().filter_map(|(what, path)| Some((*what, identity(led(path))?))).collect())
    }

    /// Begins the file that an option names, if there is one.
    pub fn create(&mut self, option: &'static str, path: Option<&Path>) -> Result<Option<Output>, Refused> {
        let Some(path) = path else { return Ok(None) };
        self.claim(option, path)?;
        let ending = path.extension().unwrap_or_default();
        for (kind, written) in [("--png", "svg"), ("--svg", "png")] {
            if option == kind && ending == written {
                let name = quote::name(path);
                return Err(Refused(format!("{option} {name}: give it a name that ends in .{}", &kind[2..])));
            }
        }
        Ok(Some(Output::create(path)?))
    }

    /// Refuses a file that is read now and written at the end, if it could not be written then. A
    /// device has no end, so reading it would have none.
    pub fn kept(&mut self, option: &'static str, path: &Path) -> Result<(), Refused> {
        if is_standard(path) || (path.exists() && !path.is_file()) {
            return Err(Refused(format!("{option} {}: is no regular file; name a file", quote::name(path))));
        }
        self.claim(option, path)?;
        // The file is begun and removed again, so that a search of hours is not lost.
        Ok(Output::create(path).map(drop)?)
    }

    /// Begins waveforms and their views; those of a common stem share a view.
    pub fn waves(&mut self, paths: &[PathBuf]) -> Result<Vec<Waveform>, Refused> {
        const VIEW: &str = "the view of --wave";
        for path in paths {
            self.claim("--wave", path)?;
        }
        for path in paths.iter().flat_map(|path| companions(path)) {
            if !self.0.contains(&(VIEW, identity(&path).unwrap_or_default())) {
                self.claim(VIEW, &path)?;
            }
        }
        Ok(paths.iter().map(|path| Waveform::create(path)).collect::<Result<_, _>>()?)
    }

    /// Refuses a file that is another one already.
    pub fn check(&self, what: &str, path: &Path) -> Result<(), String> {
        let (identity, is_standard) = (identity(path), is_standard(path));
        let other = self.0.iter().find(|(_, other)| Some(other) == identity.as_ref()).map(|(what, _)| *what);
        let stream = if is_standard { None } else { console::stream_at(path) };
        if let Some(other) = other.or(stream) {
            let path = if is_standard { "standard output".to_owned() } else { quote::name(path) };
            return Err(format!("{path}: is both {other} and {what}; give each a file of its own"));
        }
        Ok(())
    }

    fn claim(&mut self, what: &'static str, path: &Path) -> Result<(), Refused> {
        self.check(what, path)?;
        self.0.extend(identity(path).map(|identity| (what, identity)));
        Ok(())
    }
}

/// The identity of a file that exists or not. `None` for devices and pipes, which a command may
/// write twice.
pub fn identity(path: &Path) -> Option<PathBuf> {
    if is_standard(path) {
        return Some("-".into());
    }
    let goal = output::goal(path).ok()?;
    (!goal.exists() || goal.is_file() || goal.is_dir()).then_some(goal)
}
