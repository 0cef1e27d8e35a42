//! Files that are there whole or not at all: written aside in the same directory, renamed when complete.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

/// A file that could not be written.
#[derive(Debug, thiserror::Error)]
#[error("{}: cannot be written: {source}", path.display())]
pub struct ReportError {
    /// The file.
    pub path: PathBuf,
    /// What the system says.
    pub source: io::Error,
}

/// A file under way. Dropped before [`Aside::finish`] it leaves nothing behind, and what stood at its path before stays.
///
/// Where a device or a pipe stands at the path, it is written to directly.
#[derive(Debug)]
pub struct Aside {
    path: PathBuf,
    out: BufWriter<Target>,
}

#[derive(Debug)]
enum Target {
    Aside { file: NamedTempFile, goal: PathBuf },
    Direct(File),
}

impl Write for Target {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Aside { file, .. } => file.as_file_mut().write(bytes),
            Self::Direct(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Aside { file, .. } => file.as_file_mut().flush(),
            Self::Direct(file) => file.flush(),
        }
    }
}

impl Aside {
    /// Begins the file at `path`.
    ///
    /// # Errors
    /// When its directory cannot be written to.
    pub fn create(path: &Path) -> Result<Self, ReportError> {
        let target = Target::at(path).map_err(|source| ReportError { path: path.to_owned(), source })?;
        Ok(Self { path: path.to_owned(), out: BufWriter::with_capacity(1 << 18, target) })
    }

    /// Puts the complete file in its place.
    ///
    /// # Errors
    /// When the rest of it cannot be written or renamed.
    pub fn finish(self) -> Result<(), ReportError> {
        let complete = || match self.out.into_inner().map_err(io::IntoInnerError::into_error)? {
            Target::Aside { file, goal } => file.persist(goal).map(drop).map_err(|error| error.error),
            Target::Direct(mut file) => file.flush(),
        };
        complete().map_err(|source| ReportError { path: self.path, source })
    }

    /// The error of this file that `source` is the cause of.
    #[must_use]
    pub fn error(&self, source: io::Error) -> ReportError {
        ReportError { path: self.path.clone(), source }
    }
}

impl Write for Aside {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl Target {
    fn at(path: &Path) -> io::Result<Self> {
        // A link stays a link: its goal is what is replaced.
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
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(directory: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(directory).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn a_finished_file_replaces_what_was_there() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("out.csv");
        std::fs::write(&path, "old").unwrap();
        let mut file = Aside::create(&path).unwrap();
        file.write_all(b"new").unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "old");
        file.finish().unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(names(directory.path()), ["out.csv"]);
    }

    #[test]
    fn a_dropped_file_leaves_nothing_behind() {
        let directory = tempfile::tempdir().unwrap();
        let mut file = Aside::create(&directory.path().join("out.csv")).unwrap();
        file.write_all(b"half").unwrap();
        drop(file);
        assert!(names(directory.path()).is_empty());
    }

    #[test]
    fn errors_name_the_path() {
        let error = Aside::create(Path::new("/nowhere/at/all.json")).unwrap_err();
        assert!(error.to_string().starts_with("/nowhere/at/all.json: cannot be written: No such file"), "{error}");
        let directory = tempfile::tempdir().unwrap();
        let error = Aside::create(directory.path()).unwrap_err();
        assert!(error.to_string().ends_with("is a directory"), "{error}");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_device_is_an_error_and_stays_a_device() {
        let mut file = Aside::create(Path::new("/dev/full")).unwrap();
        file.write_all(b"row").unwrap();
        let error = file.finish().unwrap_err();
        assert!(error.to_string().starts_with("/dev/full: cannot be written: No space left"), "{error}");
        assert!(!Path::new("/dev/full").is_file());
    }
}
