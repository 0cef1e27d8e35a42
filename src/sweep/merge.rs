//! The shards of a sweep made one.

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use super::directory::{Asked, Directory, ROWS};
use super::study::Shard;
use super::{Sweep, SweepError, execute, record};

/// Merges the directories of all shards of a sweep into one: the same bytes as of the sweep in one piece. How many runs there are.
///
/// # Errors
/// When they are not of one sweep, one is missing or not finished, or the goal cannot be written.
pub fn merge(shards: &[PathBuf], goal: &Path) -> Result<execute::Counts, SweepError> {
    let asked: Vec<Asked> = shards.iter().map(|shard| Asked::read(shard)).collect::<Result<_, _>>()?;
    let refuse = |shard: &Path, why: String| SweepError::Asked(format!("{}: {why}", shard.display()));
    let Some(first) = asked.first() else { return Err(SweepError::Asked("no shards to merge".to_owned())) };
    let of = first.shard.map_or(1, |shard| shard.of);
    let mut places: Vec<Option<&PathBuf>> = vec![None; of as usize];
    for (path, asked) in shards.iter().zip(&asked) {
        if let Some(what) = first.differs(asked, false) {
            return Err(refuse(path, format!("is of another sweep than {}: {what}", shards[0].display())));
        }
        let Some(Shard { index, of: here }) = asked.shard else {
            return Err(refuse(path, "is a whole sweep, not a shard".to_owned()));
        };
        if here != of {
            return Err(refuse(path, format!("is a shard of {here}, {} one of {of}", shards[0].display())));
        }
        if let Some(other) = places[index as usize - 1].replace(path) {
            return Err(refuse(path, format!("is shard {index}/{of}, as {} is", other.display())));
        }
    }
    let missing: Vec<String> =
        (1..).zip(&places).filter(|(_, at)| at.is_none()).map(|(n, _)| format!("{n}/{of}")).collect();
    if !missing.is_empty() {
        return Err(SweepError::Asked(format!("shards are missing: {}", missing.join(", "))));
    }
    let sweep = Sweep::new(first.study.clone(), first.bases.clone(), true)?;
    let mut readers = Vec::new();
    for folder in places.into_iter().flatten() {
        let path = folder.join(ROWS);
        let file = File::open(&path).map_err(SweepError::file(&path, "cannot be read"))?;
        let mut reader = BufReader::new(file);
        // The head.
        record::read(&mut reader, &mut Vec::new()).map_err(SweepError::file(&path, "cannot be read"))?;
        readers.push((path, reader));
    }
    let mut directory = Directory::open(goal, &sweep, None)?;
    let mut row = Vec::new();
    for run in 0..sweep.runs() {
        let (path, reader) = &mut readers[(sweep.point(run) % u64::from(of)) as usize];
        let more = record::read(reader, &mut row).map_err(SweepError::file(path, "cannot be read"))?;
        if !more || record::run(&row) != Some(run) || !row.ends_with(b"\n") {
            let folder = path.parent().unwrap_or(path);
            return Err(refuse(folder, format!("has no row of run {run}: it is not finished; the same sweep goes on")));
        }
        if !directory.journal.has(run) {
            directory.journal.add(&row)?;
        }
    }
    drop(directory);
    let mut directory = Directory::open(goal, &sweep, None)?;
    execute::execute(&sweep, &mut directory, None, 1, &|_| ())
}
