//! Output files, which appear whole or not at all. They are written aside in the same folder, and
//! all get their names when all are complete.

mod aside;
mod parquet;
mod place;

use std::fs::File;
use std::io::{self, BufWriter, ErrorKind, Seek, SeekFrom, Write};
use std::os::unix::fs::{FileTypeExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::fs::{OFlags, fcntl_setfl};

pub use self::parquet::ColumnKind;
pub(crate) use self::parquet::{Unwritten, write as write_parquet};
use crate::{console, quote};
use aside::{Aside, under_way};
pub use place::place;

/// Longest time that a pipe may be without a reader.
const READER: Duration = Duration::from_secs(5);

/// A file that could not be written.
#[derive(Debug, thiserror::Error)]
#[error("{}: cannot be written: {source}; {}", name(path), rest(left))]
pub struct OutputError {
    /// The file.
    pub path: PathBuf,
    /// The error of the system.
    pub source: io::Error,
    /// Files that have their names all the same, because this could not be undone.
    pub left: Vec<PathBuf>,
}

impl OutputError {
    /// An error without left files.
    #[must_use]
    pub fn new(path: &Path, source: io::Error) -> Self {
        Self { path: path.to_owned(), source, left: Vec::new() }
    }
}

fn name(path: &Path) -> String {
    if is_standard(path) { "standard output".to_owned() } else { quote::name(path) }
}

fn rest(left: &[PathBuf]) -> String {
    if left.is_empty() {
        return "nothing was left behind".to_owned();
    }
    format!("these files are written and stay: {}", quote::list(left.iter().map(quote::name)))
}

/// Whether a path means standard output: `-`, or the names of systems for it.
#[must_use]
pub fn is_standard(path: &Path) -> bool {
    ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"].iter().any(|name| path == Path::new(name))
}

/// Whether there is a pipe at a path.
#[must_use]
pub(crate) fn is_pipe(path: &Path) -> bool {
    path.metadata().is_ok_and(|there| there.file_type().is_fifo())
}

/// Final path of a file at `path`: the end of all links, whether it exists or not.
///
/// # Errors
/// Links lead in a circle, or nowhere.
pub fn goal(path: &Path) -> io::Result<PathBuf> {
    /// Systems follow this number of links.
    const MOST_LINKS: u32 = 40;
    match path.canonicalize() {
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        found => return found,
    }
    let mut goal = path.to_owned();
    for _ in 0..MOST_LINKS {
        let Ok(to) = goal.read_link() else {
            let folder = goal.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
            let name = goal.file_name().ok_or(ErrorKind::NotFound)?;
            let folder = folder.canonicalize().map_err(|error| match error.kind() {
                ErrorKind::NotFound => {
                    io::Error::new(error.kind(), format!("there is no folder {}, create it first", quote::name(folder)))
                }
                _ => error,
            })?;
            return Ok(folder.join(name));
        };
        goal = goal.parent().unwrap_or(Path::new("")).join(to);
    }
    Err(io::Error::other("too many symbolic links"))
}

/// Number of files of this process that have got their names.
#[must_use]
pub fn placed() -> u64 {
    under_way().placed
}

/// Removes all files under way, for good, and returns how many files have got their names before.
/// This is for a process that is about to end. No other thread creates or places a file from now
/// on.
#[must_use]
pub fn abandon() -> u64 {
    let mut all = under_way();
    all.clear();
    let placed = all.placed;
    std::mem::forget(all);
    placed
}

/// A file under way. If it is dropped before it is [placed](place()), it leaves nothing, and the
/// old contents of its path stay.
///
/// A symbolic link stays one, and the file at its end is replaced. A device or a pipe at the path
/// is written directly. So is standard output, as `-`.
#[derive(Debug)]
pub struct Output {
    path: PathBuf,
    target: Target,
}

#[derive(Debug)]
enum Target {
    Aside {
        file: Aside,
        goal: PathBuf,
    },
    Direct {
        file: File,
        /// Whether its reader has stopped reading. Then a lost write is no error.
        gone: bool,
    },
}

impl Output {
    /// Begins the file at `path`.
    ///
    /// # Errors
    /// Its folder, or the file at `path`, cannot be written.
    pub fn create(path: &Path) -> Result<Self, OutputError> {
        match Target::at(path) {
            Ok(target) => Ok(Self { path: path.to_owned(), target }),
            Err(source) => Err(OutputError::new(path, plain(source))),
        }
    }

    /// Begins the file at `path`. If its folder is missing, it is made when the file gets its name.
    ///
    /// # Errors
    /// The same as for [`Output::create`].
    pub fn in_folder(path: &Path) -> Result<Self, OutputError> {
        let folder = path.parent().unwrap_or(Path::new(""));
        if folder.as_os_str().is_empty() || folder.exists() {
            return Self::create(path);
        }
        let there = folder.ancestors().find(|of| of.exists()).unwrap_or(Path::new("."));
        let begun = there.canonicalize().and_then(|outer| {
            let goal = outer.join(path.strip_prefix(there).unwrap_or(path));
            Ok(Target::Aside { file: Aside::create(&outer, 0o666)?, goal })
        });
        match begun {
            Ok(target) => Ok(Self { path: path.to_owned(), target }),
            Err(source) => Err(OutputError::new(path, plain(source))),
        }
    }

    /// A complete file with this text.
    ///
    /// # Errors
    /// The file cannot be created or written.
    pub fn of(path: &Path, text: &str) -> Result<Self, OutputError> {
        Self::create(path)?.filled(text)
    }

    /// The file, complete with this text.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn filled(mut self, text: &str) -> Result<Self, OutputError> {
        match self.write_all(text.as_bytes()) {
            Ok(()) => Ok(self),
            Err(source) => Err(self.error(source)),
        }
    }

    /// The file, after a write of its buffer.
    ///
    /// # Errors
    /// The buffer cannot be written.
    pub fn complete(buffered: BufWriter<Self>) -> Result<Self, OutputError> {
        buffered.into_inner().map_err(|error| {
            let (source, buffered) = error.into_parts();
            buffered.get_ref().error(source)
        })
    }

    /// Gives the file its name now, so that it can be read while it grows. This is not undone.
    ///
    /// # Errors
    /// The file cannot be renamed.
    pub fn shown(self) -> Result<Self, OutputError> {
        let file = match &self.target {
            Target::Direct { .. } => return Ok(self),
            Target::Aside { file, .. } => file.file.try_clone(),
        };
        let target = Target::Direct { file: file.map_err(|source| self.error(source))?, gone: false };
        Ok(Self { path: self.place()?, target })
    }

    /// Final path of the file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The error of this file with the cause `source`.
    #[must_use]
    pub fn error(&self, source: io::Error) -> OutputError {
        OutputError::new(&self.path, source)
    }

    /// Gives the complete file its name; see [`place()`].
    ///
    /// # Errors
    /// The file cannot be renamed.
    pub fn place(self) -> Result<PathBuf, OutputError> {
        let path = self.path.clone();
        place(vec![self]).map(|_| path)
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.target {
            Target::Aside { file, .. } => file.file.write(bytes),
            Target::Direct { gone: true, .. } => Ok(bytes.len()),
            Target::Direct { file, gone } => file.write(bytes).or_else(|error| {
                *gone = error.kind() == ErrorKind::BrokenPipe;
                if *gone { Ok(bytes.len()) } else { Err(error) }
            }),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.target.file().flush()
    }
}

impl Seek for Output {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.target.file().seek(to)
    }
}

impl Target {
    fn at(path: &Path) -> io::Result<Self> {
        if is_standard(path) {
            return Ok(Self::Direct { file: console::output()?, gone: false });
        }
        // If a link points to no file, create the file it points to. The umask decides about its
        // readers, as with any other file.
        let (goal, mode) = match path.metadata() {
            Ok(there) if there.is_dir() => return Err(ErrorKind::IsADirectory.into()),
            Ok(there) if there.file_type().is_fifo() => return Ok(Self::Direct { file: pipe(path)?, gone: false }),
            Ok(there) => {
                // A file that a shell would not write is not replaced either.
                let file = File::options().write(true).open(path)?;
                if !there.is_file() {
                    return Ok(Self::Direct { file, gone: false });
                }
                (path.canonicalize()?, 0o600)
            }
            // A name with a slash at its end is the name of a folder.
            Err(error)
                if error.kind() == ErrorKind::NotFound && path.as_os_str().as_encoded_bytes().ends_with(b"/") =>
            {
                return Err(ErrorKind::IsADirectory.into());
            }
            Err(error) if error.kind() == ErrorKind::NotFound => (goal(path)?, 0o666),
            Err(error) => return Err(error),
        };
        let folder = goal.parent().unwrap_or(Path::new("/"));
        match Aside::create(folder, mode) {
            Ok(file) => Ok(Self::Aside { file, goal }),
            Err(error) => {
                let error = plain(error);
                Err(io::Error::new(error.kind(), format!("cannot create a file in its folder: {error}")))
            }
        }
    }

    fn file(&mut self) -> &mut File {
        match self {
            Self::Aside { file, .. } => &mut file.file,
            Self::Direct { file, .. } => file,
        }
    }
}

/// A pipe, once it has a reader.
fn pipe(path: &Path) -> io::Result<File> {
    let start = Instant::now();
    loop {
        match File::options().write(true).custom_flags(OFlags::NONBLOCK.bits().cast_signed()).open(path) {
            Ok(file) => {
                fcntl_setfl(&file, OFlags::empty())?;
                return Ok(file);
            }
            Err(error) if error.raw_os_error() != Some(rustix::io::Errno::NXIO.raw_os_error()) => return Err(error),
            Err(_) if start.elapsed() > READER => {
                return Err(io::Error::other(format!("nothing has read from this pipe for {} s", READER.as_secs())));
            }
            Err(_) => sleep(Duration::from_millis(10)),
        }
    }
}

/// The kind of an error without the temporary name that crate `tempfile` adds to it.
fn plain(error: io::Error) -> io::Error {
    let text = error.to_string();
    match text.split_once(" at path ") {
        Some((cause, _)) => io::Error::new(error.kind(), cause.to_owned()),
        None => error,
    }
}

#[cfg(test)]
mod tests;
