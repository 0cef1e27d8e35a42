//! Files that are there whole or not at all: written aside in the same directory, renamed when complete.

use std::fs::File;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::quote;

/// A file that could not be written.
#[derive(Debug, thiserror::Error)]
#[error("{}: cannot be written: {source}; nothing was left behind", quote::name(path))]
pub struct OutputError {
    /// The file.
    pub path: PathBuf,
    /// What the system says.
    pub source: io::Error,
}

/// A file under way. Dropped before [`Output::place`] it leaves nothing behind, and what stood at its path before stays.
///
/// A symbolic link stays one: what it leads to is replaced. Where a device or a pipe stands at the path, it is written to
/// directly.
#[derive(Debug)]
pub struct Output {
    path: PathBuf,
    target: Target,
}

#[derive(Debug)]
enum Target {
    Aside { file: NamedTempFile, goal: PathBuf },
    Direct(File),
}

impl Output {
    /// Begins the file at `path`.
    ///
    /// # Errors
    /// When its directory, or the device at `path`, cannot be written to; when it is `-`.
    pub fn create(path: &Path) -> Result<Self, OutputError> {
        if path == Path::new("-") {
            let why =
                "standard output has the report; name a file, /dev/stdout for both, or ./- for a file of that name";
            return Err(OutputError { path: path.to_owned(), source: io::Error::other(why) });
        }
        match Target::at(path) {
            Ok(target) => Ok(Self { path: path.to_owned(), target }),
            Err(source) => Err(OutputError { path: path.to_owned(), source: plain(source) }),
        }
    }

    /// A complete file with this text.
    ///
    /// # Errors
    /// When it cannot be created or written.
    pub fn of(path: &Path, text: &str) -> Result<Self, OutputError> {
        let mut file = Self::create(path)?;
        match file.write_all(text.as_bytes()) {
            Ok(()) => Ok(file),
            Err(source) => Err(file.error(source)),
        }
    }

    /// The file, once what was buffered for it is written.
    ///
    /// # Errors
    /// When it cannot be.
    pub fn complete(buffered: BufWriter<Self>) -> Result<Self, OutputError> {
        buffered.into_inner().map_err(|error| {
            let (source, buffered) = error.into_parts();
            buffered.get_ref().error(source)
        })
    }

    /// Where it will stand.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The error of this file that `source` is the cause of.
    #[must_use]
    pub fn error(&self, source: io::Error) -> OutputError {
        OutputError { path: self.path.clone(), source }
    }

    /// Puts the complete file in its place.
    ///
    /// # Errors
    /// When it cannot be renamed.
    pub fn place(self) -> Result<PathBuf, OutputError> {
        if let Target::Aside { file, goal } = self.target
            && let Err(error) = file.persist(goal)
        {
            return Err(OutputError { path: self.path, source: error.error });
        }
        Ok(self.path)
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.target.file().write(bytes)
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
        let goal = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        match goal.metadata() {
            Ok(there) if there.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
            Ok(there) if !there.is_file() => return Ok(Self::Direct(File::options().write(true).open(path)?)),
            _ => {}
        }
        let directory = goal.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let mut builder = tempfile::Builder::new();
        builder.prefix(".wormscope-");
        // As any other file that a program creates: the umask decides.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        Ok(Self::Aside { file: builder.tempfile_in(directory)?, goal })
    }

    fn file(&mut self) -> &mut File {
        match self {
            Self::Aside { file, .. } => file.as_file_mut(),
            Self::Direct(file) => file,
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
mod tests {
    use super::*;

    fn names(directory: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(directory).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn a_placed_file_replaces_what_was_there() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("out.csv");
        std::fs::write(&path, "old").unwrap();
        let file = Output::of(&path, "new").unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "old");
        assert_eq!(file.place().unwrap(), path);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(names(directory.path()), ["out.csv"]);
    }

    #[test]
    fn a_dropped_file_leaves_nothing_behind() {
        let directory = tempfile::tempdir().unwrap();
        drop(Output::of(&directory.path().join("out.csv"), "half").unwrap());
        assert!(names(directory.path()).is_empty());
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_a_link_and_its_goal_is_replaced() {
        let directory = tempfile::tempdir().unwrap();
        let (goal, link) = (directory.path().join("goal.csv"), directory.path().join("link.csv"));
        std::fs::write(&goal, "old").unwrap();
        std::os::unix::fs::symlink(&goal, &link).unwrap();
        Output::of(&link, "new").unwrap().place().unwrap();
        assert!(link.is_symlink());
        assert_eq!(std::fs::read_to_string(&goal).unwrap(), "new");
    }

    #[test]
    fn errors_name_the_path_and_no_temporary_one() {
        let error = Output::create(Path::new("/nowhere/at/all.json")).unwrap_err().to_string();
        let expected = "/nowhere/at/all.json: cannot be written: No such file or directory";
        assert!(error.starts_with(expected) && !error.contains(".wormscope"), "{error}");
        let directory = tempfile::tempdir().unwrap();
        let error = Output::create(directory.path()).unwrap_err().to_string();
        assert!(error.ends_with("is a directory; nothing was left behind"), "{error}");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_device_is_an_error_and_stays_a_device() {
        let error = Output::of(Path::new("/dev/full"), "row").unwrap_err().to_string();
        assert!(error.starts_with("/dev/full: cannot be written: No space left"), "{error}");
        assert!(!Path::new("/dev/full").is_file());
    }
}
