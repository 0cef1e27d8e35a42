//! Incomplete files. They are in the folder of their final path, with the name
//! `.wormscope-<process>-<random>`.
//!
//! They are removed with their process, unless a signal that cannot be caught or the machine ends
//! it. Then their names and missing locks show that they were left. The next process that writes
//! into the folder removes them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, DirEntry, File};
use std::io;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;
use rustix::process::{Pid, test_kill_process};
use tempfile::{Builder, NamedTempFile, TempPath};

const PREFIX: &str = ".wormscope-";
/// Letters and digits at the end of a name.
const RANDOM: usize = 6;

/// Files of this process that are under way. Only the thread that holds this creates, places or
/// removes a file.
pub(super) struct UnderWay {
    paths: BTreeMap<u64, TempPath>,
    /// Number of the next file.
    next: u64,
    /// Folders that were searched for files left by other processes.
    swept: BTreeSet<PathBuf>,
    /// Number of files that got their final names.
    pub placed: u64,
}

static UNDER_WAY: Mutex<UnderWay> =
    Mutex::new(UnderWay { paths: BTreeMap::new(), next: 0, swept: BTreeSet::new(), placed: 0 });

pub(super) fn under_way() -> MutexGuard<'static, UnderWay> {
    UNDER_WAY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes a file with `make`, at a path aside in `folder`.
pub(super) fn make_in<F>(folder: &Path, make: impl FnMut(&Path) -> io::Result<F>) -> io::Result<NamedTempFile<F>> {
    let prefix = format!("{PREFIX}{}-", process::id());
    Builder::new().prefix(&prefix).rand_bytes(RANDOM).make_in(folder, make)
}

/// A file aside, which is removed with this value.
#[derive(Debug)]
pub(super) struct Aside {
    pub file: File,
    number: u64,
}

impl Aside {
    /// Creates a file in `folder`, with these permissions minus the umask.
    pub fn create(folder: &Path, mode: u32) -> io::Result<Self> {
        let mut all = under_way();
        all.sweep(folder);
        let create = |path: &Path| File::options().read(true).write(true).create_new(true).mode(mode).open(path);
        loop {
            let (file, path) = make_in(folder, create)?.into_parts();
            // On a file system without locks, no process has a lock.
            let _ = flock(&file, FlockOperation::NonBlockingLockExclusive);
            // Before the lock, another process may have taken the file for one that was left.
            if file.metadata()?.nlink() > 0 {
                all.next += 1;
                let number = all.next;
                all.paths.insert(number, path);
                return Ok(Self { file, number });
            }
        }
    }
}

impl Drop for Aside {
    fn drop(&mut self) {
        under_way().take(self);
    }
}

impl UnderWay {
    /// The path of a file aside, which is then no longer under way. The file is removed with its
    /// path.
    pub fn take(&mut self, aside: &Aside) -> Option<TempPath> {
        self.paths.remove(&aside.number)
    }

    /// Removes everything.
    pub fn clear(&mut self) {
        self.paths.clear();
    }

    /// Removes files in `folder` that ended processes have left, where this is allowed.
    fn sweep(&mut self, folder: &Path) {
        if !self.swept.insert(folder.to_owned()) {
            return;
        }
        for entry in folder.read_dir().into_iter().flatten().flatten() {
            if is_left(&entry) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

/// Whether a file is one of ours that no process has under way. The process may be on another
/// machine that shares the folder.
fn is_left(entry: &DirEntry) -> bool {
    let name = entry.file_name();
    let parts = name.to_str().and_then(|name| name.strip_prefix(PREFIX)?.split_once('-'));
    let Some((process, random)) = parts else { return false };
    if random.len() != RANDOM || !random.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return false;
    }
    let Some(process) = process.parse().ok().and_then(Pid::from_raw) else { return false };
    // In a container another process had the number of this one.
    let is_gone = process == rustix::process::getpid() || test_kill_process(process) == Err(Errno::SRCH);
    is_gone
        && entry.file_type().is_ok_and(|kind| kind.is_file())
        && File::open(entry.path()).is_ok_and(|file| flock(file, FlockOperation::NonBlockingLockExclusive).is_ok())
}
