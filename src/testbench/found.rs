//! The files of testbenches below some paths.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use globset::GlobSet;

use crate::glob;
use crate::input::with_nearest;
use crate::quote::{self, excerpt};

/// Reason why there is no testbench to run.
#[derive(Debug, thiserror::Error)]
pub enum SuiteError {
    /// A path that cannot be read.
    #[error("{}: cannot be read: {source}; name files or folders of testbenches", quote::name(path))]
    Read {
        /// The path as given.
        path: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
    /// The filter is no glob.
    #[error("--filter {}: {message}", excerpt(glob))]
    Glob {
        /// The text as given.
        glob: String,
        /// Fault of the text.
        message: String,
    },
    /// No testbench is left.
    #[error("{0}")]
    Nothing(String),
}

/// The testbenches below `paths`. Files are taken as they are. Folders, and folders in them that
/// are no symbolic links, give every `*.ron`. Names that begin with `_` are left out, because other
/// files include them. A file that several paths lead to comes once. `filter` chooses by path or by
/// name.
///
/// # Errors
/// A path cannot be read, the filter is no glob, or nothing is left.
pub fn find(paths: &[PathBuf], filter: Option<&str>) -> Result<Vec<PathBuf>, SuiteError> {
    let compile =
        |glob: &str| glob::compile(glob, false).map_err(|message| SuiteError::Glob { glob: glob.to_owned(), message });
    let matcher = filter.map(compile).transpose()?;
    let mut files = Vec::new();
    for path in paths {
        let read = |source| SuiteError::Read { path: path.clone(), source };
        if path.is_dir() {
            walk(path, &mut files).map_err(read)?;
        } else if path == Path::new("-") {
            files.push(path.clone());
        } else {
            // A file that cannot be read is a bad testbench, and the other testbenches still run. A
            // file that does not exist is a mistyped path.
            std::fs::metadata(path).map_err(|error| read(with_nearest(path, error)))?;
            files.push(path.clone());
        }
    }
    let mut seen = HashSet::new();
    files.retain(|path| seen.insert(path.canonicalize().unwrap_or_else(|_| path.clone())));
    let found = files.len();
    let chosen = |matcher: &GlobSet, path: &Path| {
        let (file, stem) = (path.file_name(), path.file_stem());
        matcher.is_match(path) || [file, stem].into_iter().flatten().any(|name| matcher.is_match(name))
    };
    files.retain(|path| matcher.as_ref().is_none_or(|matcher| chosen(matcher, path)));
    if files.is_empty() {
        let places: Vec<_> = paths.iter().map(quote::name).collect();
        return Err(SuiteError::Nothing(match filter {
            Some(glob) if found > 0 => format!("--filter {}: matches none of {found} testbenches", excerpt(glob)),
            _ => format!("{}: no testbench, *.ron", places.join(", ")),
        }));
    }
    Ok(files)
}

fn walk(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
    entries.sort();
    for path in entries {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        // Links to folders may lead in a circle, and are not followed.
        if path.is_symlink() && path.is_dir() {
            continue;
        }
        if path.is_dir() {
            walk(&path, files)?;
        } else if path.extension() == Some("ron".as_ref()) && !name.starts_with('_') && !is_special(&path) {
            files.push(path);
        }
    }
    Ok(())
}

/// Whether a path leads to a pipe or a device. These are read only when you name them.
fn is_special(path: &Path) -> bool {
    path.metadata().is_ok_and(|there| !there.is_file())
}
