//! Placing of complete files: all get their names, or none.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, fchown};
use std::path::{Path, PathBuf};

use tempfile::{NamedTempFile, TempPath};

use super::aside::{Aside, UnderWay, make_in, under_way};
use super::{Output, OutputError, Target};

/// Gives complete files their names. If several files have one name, the last file counts.
///
/// # Errors
/// A file cannot get its name. Then all others are undone, and their old contents are back. The
/// error names files for which this failed.
pub fn place(files: Vec<Output>) -> Result<Vec<PathBuf>, OutputError> {
    let mut all = under_way();
    let mut done: Vec<Done> = Vec::new();
    let mut failed = None;
    for (at, file) in files.iter().enumerate() {
        let Target::Aside { file: aside, goal } = &file.target else { continue };
        let is_same = |later: &Output| matches!(&later.target, Target::Aside { goal: other, .. } if other == goal);
        if files[at + 1..].iter().any(is_same) {
            continue;
        }
        match put(&mut all, aside, goal) {
            Ok(before) => done.push(Done { path: &file.path, goal, before }),
            Err(source) => {
                failed = Some((&file.path, source));
                break;
            }
        }
    }
    if let Some((path, source)) = failed {
        let left = done.into_iter().rev().filter_map(Done::undo).collect();
        let error = OutputError { path: path.clone(), source, left };
        // Remove the temporary files only after the lock on the list of files is free.
        drop(all);
        return Err(error);
    }
    all.placed += done.len() as u64;
    // Delete the old contents.
    drop(done);
    drop(all);
    Ok(files.into_iter().map(|file| file.path).collect())
}

/// A file that already has its final name.
struct Done<'a> {
    path: &'a Path,
    goal: &'a Path,
    /// The old contents of its path.
    before: Option<Before>,
}

impl Done<'_> {
    /// Puts the old contents back. Returns the path of the old contents if this is impossible.
    fn undo(self) -> Option<PathBuf> {
        let undone = match self.before {
            Some(before) => before.restore(self.goal),
            None => fs::remove_file(self.goal),
        };
        undone.err().map(|_| self.path.to_owned())
    }
}

/// Old contents of a path. They are kept aside under a second name, or moved there if they can have
/// only one.
struct Before {
    file: NamedTempFile<()>,
    moved: bool,
}

impl Before {
    fn keep(goal: &Path) -> io::Result<Self> {
        let folder = goal.parent().unwrap_or(Path::new(""));
        match make_in(folder, |path| fs::hard_link(goal, path)) {
            Ok(file) => Ok(Self { file, moved: false }),
            Err(_) => Ok(Self { file: make_in(folder, |path| fs::rename(goal, path))?, moved: true }),
        }
    }

    /// Moves the old contents back. If that fails, they stay aside.
    fn restore(self, goal: &Path) -> io::Result<()> {
        self.file.persist(goal).map_err(|mut failed| {
            failed.file.disable_cleanup(true);
            failed.error
        })
    }
}

/// Gives one file its name. Returns the old contents.
fn put(all: &mut UnderWay, aside: &Aside, goal: &Path) -> io::Result<Option<Before>> {
    let before = match goal.symlink_metadata() {
        Ok(there) if there.is_file() => {
            // The new file gets the owner and the group of the old file, if the system allows it.
            let _ = fchown(&aside.file, Some(there.uid()), Some(there.gid()));
            aside.file.set_permissions(Permissions::from_mode(there.mode() & 0o777))?;
            Some(Before::keep(goal)?)
        }
        Ok(_) => return Err(io::Error::other("something else was created there during the run")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            goal.parent().map_or(Ok(()), fs::create_dir_all)?;
            None
        }
        Err(error) => return Err(error),
    };
    let path = all.take(aside).ok_or(io::ErrorKind::NotFound)?;
    match (TempPath::persist(path, goal), before) {
        (Ok(()), before) => Ok(before),
        (Err(failed), Some(before)) if before.moved => {
            before.restore(goal)?;
            Err(failed.error)
        }
        (Err(failed), _) => Err(failed.error),
    }
}
