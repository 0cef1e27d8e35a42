//! Input files, pipes, and standard input as `-`.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::position::Text;
use super::{ConfigError, Place};
use crate::quote::{self, spelling};

/// A file of an input: its role for readers, and its path.
pub type Input = (&'static str, PathBuf);

/// Largest size in MiB of a trace that is no file. It is kept for further readers.
const LARGEST_PIPE_MIB: u64 = 256;

fn is_standard(path: &Path) -> bool {
    path == Path::new("-")
}

/// A path in words.
#[must_use]
pub fn title(path: &Path) -> String {
    if is_standard(path) { "<stdin>".to_owned() } else { path.display().to_string() }
}

/// The path of a file that another file in `folder` names.
#[must_use]
pub fn beside(folder: &Path, name: &str) -> PathBuf {
    if is_standard(Path::new(name)) { name.into() } else { folder.join(name) }
}

fn open(path: &Path) -> io::Result<Box<dyn Read>> {
    if is_standard(path) {
        return Ok(Box::new(io::stdin()));
    }
    Ok(Box::new(File::open(path).map_err(|error| with_nearest(path, error))?))
}

/// The error of a file that does not exist, with the name beside it that is meant most likely.
#[must_use]
pub fn with_nearest(path: &Path, error: io::Error) -> io::Error {
    const MOST_FILES: usize = 10_000;
    let (Some(stem), extension) = (path.file_stem().and_then(OsStr::to_str), path.extension()) else { return error };
    if error.kind() != io::ErrorKind::NotFound {
        return error;
    }
    let folder = path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
    let files = folder.read_dir().into_iter().flatten().take(MOST_FILES).flatten().map(|entry| entry.path());
    let files: Vec<_> = files.collect();
    let nearest = |written: &str, names: &mut dyn Iterator<Item = Option<&OsStr>>| {
        let mut names: Vec<&str> = names.filter_map(|name| name?.to_str()).collect();
        names.sort_unstable();
        spelling::nearest(written, &names).map(str::to_owned)
    };
    let mut alike = files.iter().filter(|file| file.extension() == extension).map(|file| file.file_stem());
    let of_kind = nearest(stem, &mut alike).map(|near| match extension {
        Some(extension) => format!("{near}.{}", extension.display()),
        None => near,
    });
    // Else the extension is misspelt.
    let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
    let near = of_kind.or_else(|| nearest(name, &mut files.iter().map(|file| file.file_name())));
    let Some(near) = near else { return error };
    let meant = path.with_file_name(near);
    io::Error::new(error.kind(), format!("{error}; did you mean {}?", quote::name(&meant)))
}

/// Reads the whole input, but never more than `most_mib` MiB.
fn whole(path: &Path, most_mib: u64, hint: &str) -> Result<Vec<u8>, ConfigError> {
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

/// A kind of files that are read as a whole.
#[derive(Clone, Copy, Debug)]
pub struct TextKind {
    /// Name of the kind in messages.
    pub name: &'static str,
    /// Largest size in MiB.
    pub most_mib: u64,
    /// Advice for a larger file.
    pub hint: &'static str,
}

impl TextKind {
    /// Netlists. With a route for every pair the largest network has a million lines, of 20
    /// characters where names are short. Three times this size leaves space for long names and
    /// comments.
    pub const NETLIST: Self = Self {
        name: "a netlist",
        most_mib: 64,
        hint: "a route of every switch to every node takes 20 MiB with short names; shorten names and comments",
    };
    /// Traffic matrices. A full matrix of 1024 nodes has a million lines of about 16 characters.
    pub const MATRIX: Self = Self {
        name: "a traffic matrix",
        most_mib: 64,
        hint: "a full matrix of 1024 nodes takes about 16 MiB; leave out pairs without traffic",
    };
    /// Coefficients of energy.
    pub const ENERGY: Self = Self {
        name: "a file of coefficients",
        most_mib: 4,
        hint: "a file of energy coefficients takes a few KiB; name one, or a technology such as 45nm",
    };
    /// Settings of a sweep, with all of its configurations.
    pub const SWEEP: Self =
        Self { name: "a sweep.ron", most_mib: 1024, hint: "a sweep.ron as wormscope sweep writes it is smaller" };

    /// Reads a whole file.
    ///
    /// # Errors
    /// The file cannot be read, is too large, or is no text.
    pub fn read(&self, path: &Path) -> Result<String, ConfigError> {
        let bytes = whole(path, self.most_mib, self.hint)?;
        String::from_utf8(bytes).map_err(|error| {
            let valid = error.utf8_error().valid_up_to();
            let text = String::from_utf8_lossy(&error.as_bytes()[..valid]);
            let byte = error.as_bytes()[valid];
            let message = format!("byte 0x{byte:02x} is not UTF-8; {} is UTF-8 text", self.name);
            ConfigError::new(Text { file: &title(path), text: &text }.offset(valid), message)
        })
    }
}

/// Contents of pipes, which can be read only once, for further readers.
#[derive(Clone, Debug, Default)]
pub struct Held(BTreeMap<PathBuf, Arc<[u8]>>);

impl Held {
    /// Reads the input at `path` if it is no file.
    pub(crate) fn take(&mut self, path: &Path) -> Result<(), ConfigError> {
        let is_pipe = is_standard(path) || path.metadata().is_ok_and(|there| !there.is_file() && !there.is_dir());
        if is_pipe && !self.0.contains_key(path) {
            let bytes = whole(path, LARGEST_PIPE_MIB, "write it to a file, which is read line by line")?;
            self.0.insert(path.to_owned(), bytes.into());
        }
        Ok(())
    }

    /// Opens the input at `path`.
    pub(crate) fn open(&self, path: &Path) -> Result<Box<dyn Read>, ConfigError> {
        match self.0.get(path) {
            Some(bytes) => Ok(Box::new(Cursor::new(Arc::clone(bytes)))),
            None => open(path).map_err(|source| ConfigError::Read { file: title(path), source }),
        }
    }
}
