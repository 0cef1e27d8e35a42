//! What is read: files, pipes, and standard input as `-`.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{ConfigError, Place};

/// A file that something is read from: what it is to whom reads it, and its path.
pub type Input = (&'static str, PathBuf);

/// Largest trace in MiB that is no file, and is kept for whoever reads it again.
const LARGEST_PIPE_MIB: u64 = 256;

fn is_standard(path: &Path) -> bool {
    path == Path::new("-")
}

/// A path in words.
#[must_use]
pub fn title(path: &Path) -> String {
    if is_standard(path) { "<stdin>".to_owned() } else { path.display().to_string() }
}

/// The path of what a file in `folder` names.
#[must_use]
pub fn beside(folder: &Path, name: &str) -> PathBuf {
    if is_standard(Path::new(name)) { name.into() } else { folder.join(name) }
}

fn open(path: &Path) -> io::Result<Box<dyn Read>> {
    if is_standard(path) { Ok(Box::new(io::stdin())) } else { Ok(Box::new(File::open(path)?)) }
}

/// Reads all there is, but never more than so many MiB.
pub(crate) fn whole(path: &Path, most_mib: u64, hint: &str) -> Result<Vec<u8>, ConfigError> {
    let limit = most_mib << 20;
    let mut bytes = Vec::new();
    open(path)
        .and_then(|opened| opened.take(limit + 1).read_to_end(&mut bytes))
        .map_err(|source| ConfigError::Read { file: title(path), source })?;
    if bytes.len() as u64 > limit {
        return Err(ConfigError::new(Place::File(title(path)), format!("larger than {most_mib} MiB; {hint}")));
    }
    Ok(bytes)
}

/// What came through pipes, which can be read once, for whoever reads it again.
#[derive(Clone, Debug, Default)]
pub struct Held(BTreeMap<PathBuf, Arc<[u8]>>);

impl Held {
    /// Reads what stands at `path` if that is no file.
    pub(crate) fn take(&mut self, path: &Path) -> Result<(), ConfigError> {
        let is_pipe = is_standard(path) || path.metadata().is_ok_and(|there| !there.is_file() && !there.is_dir());
        if is_pipe && !self.0.contains_key(path) {
            let bytes = whole(path, LARGEST_PIPE_MIB, "write it to a file, which is read line by line")?;
            self.0.insert(path.to_owned(), bytes.into());
        }
        Ok(())
    }

    /// Opens what stands at `path`.
    pub(crate) fn open(&self, path: &Path) -> Result<Box<dyn Read>, ConfigError> {
        match self.0.get(path) {
            Some(bytes) => Ok(Box::new(Cursor::new(Arc::clone(bytes)))),
            None => open(path).map_err(|source| ConfigError::Read { file: title(path), source }),
        }
    }
}
