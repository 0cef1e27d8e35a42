//! Merge of the shards of a sweep.

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use super::directory::{Asked, Directory, JOURNAL, PARQUET, ROWS};
use super::journal::Journal;
use super::study::Shard;
use super::{Sweep, SweepError, execute, record};
use crate::quote;

/// Merges the directories of all shards of a sweep into one. The bytes are the same as for a sweep
/// without shards. Returns the number of runs.
///
/// # Errors
/// They are not of one sweep, one is missing or not finished, or the goal cannot be written.
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
            let why = format!("is one of {here} shards, but {} is one of {of}", shards[0].display());
            return Err(refuse(path, why));
        }
        if let Some(other) = places[index as usize - 1].replace(path) {
            let why = if path == other {
                "is given twice; name each shard once".to_owned()
            } else {
                format!("holds shard {index}/{of}, which {} holds already; name each shard once", other.display())
            };
            return Err(refuse(path, why));
        }
    }
    let missing: Vec<String> =
        (1..).zip(&places).filter(|(_, at)| at.is_none()).map(|(n, _)| format!("{n}/{of}")).collect();
    if !missing.is_empty() {
        return Err(SweepError::Asked(format!("shards are missing: {}", quote::list(missing))));
    }
    let sweep = Sweep::new(first.study.clone(), first.bases.clone(), first.energy.clone(), true)?;
    let mut whole = first.clone();
    whole.shard = None;
    whole.study = sweep.study.clone();
    whole.command = sweep.study.command();
    let mut readers = Vec::new();
    for folder in places.into_iter().flatten() {
        // The Parquet file is written last.
        if !folder.join(PARQUET).exists() {
            return Err(refuse(folder, "is not finished; to continue, run the same sweep again".to_owned()));
        }
        let path = folder.join(ROWS);
        let file = File::open(&path).map_err(SweepError::file(&path, "cannot be read"))?;
        let mut reader = BufReader::new(file);
        // The first record is the head of the table.
        record::read(&mut reader, &mut Vec::new()).map_err(SweepError::file(&path, "cannot be read"))?;
        readers.push((path, reader, Journal::kept(&folder.join(JOURNAL))?));
    }
    let mut directory = Directory::asking(goal, &sweep, &whole)?;
    for (path, mut reader, mut kept) in readers {
        let mut row = Vec::new();
        while record::read(&mut reader, &mut row).map_err(SweepError::file(&path, "cannot be read"))? {
            let run = record::run(&row).filter(|&run| run < sweep.runs() && row.ends_with(b"\n"));
            let run = run.ok_or_else(|| {
                refuse(
                    &path,
                    "has a damaged row; run the same sweep again to write the table \
                     again"
                        .to_owned(),
                )
            })?;
            if !kept.has(run) || kept.row(run)? != row {
                let why = "differs from the journal beside it; run the same sweep again to write the table again";
                return Err(refuse(&path, format!("the row of run {run} {why}")));
            }
            if !directory.journal.has(run) {
                directory.journal.add(&row).map_err(SweepError::begun)?;
            }
        }
    }
    drop(directory);
    let mut directory = Directory::asking(goal, &sweep, &whole)?;
    execute::execute(&sweep, &mut directory, None, 1, &|_| ())
}
