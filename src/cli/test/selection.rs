//! Testbenches of `wormscope test` by their tags, and their list.

use std::collections::BTreeSet;
use std::path::PathBuf;

use wormscope::quote::{self, excerpt};
use wormscope::spelling;
use wormscope::testbench::Sources;

use super::super::exit::Refused;

/// The chosen testbenches.
pub struct Selection {
    /// Their files.
    pub files: Vec<PathBuf>,
    /// Their texts.
    pub sources: Vec<Sources>,
}

impl Selection {
    /// The testbenches with one of the tags and without all that begin with `!`. A file that cannot
    /// be read stays, so that its fault shows.
    pub fn of(files: Vec<PathBuf>, tags: &[String]) -> Result<Self, Refused> {
        let sources: Vec<Sources> = files.iter().map(|file| Sources::read(file)).collect();
        if tags.is_empty() {
            return Ok(Self { files, sources });
        }
        let known: BTreeSet<String> = sources.iter().filter_map(Sources::tags).flatten().collect();
        for tag in tags.iter().map(|tag| tag.strip_prefix('!').unwrap_or(tag)) {
            if !known.contains(tag) {
                let nearest = spelling::most_like(tag, known.iter().cloned()).join(", ");
                let nearest = if nearest.is_empty() {
                    "no testbench has a tag".to_owned()
                } else {
                    format!("nearest tags: {nearest}")
                };
                return Err(Refused(format!("--tag {}: no testbench has this tag; {nearest}", excerpt(tag))));
            }
        }
        let (without, with): (Vec<&String>, Vec<&String>) = tags.iter().partition(|tag| tag.starts_with('!'));
        let is_chosen = |of: &Sources| {
            of.tags().is_none_or(|has| {
                let has_not = |tag: &&String| !has.contains(&tag[1..].to_owned());
                (with.is_empty() || with.iter().any(|tag| has.contains(tag))) && without.iter().all(has_not)
            })
        };
        let (files, sources): (Vec<_>, Vec<_>) = files.into_iter().zip(sources).filter(|(_, of)| is_chosen(of)).unzip();
        if files.is_empty() {
            return Err(Refused("--tag: no testbench has these tags together".to_owned()));
        }
        Ok(Self { files, sources })
    }
}

/// A line for each testbench: its path, its tags, and its purpose.
pub fn list(files: &[PathBuf], sources: &[Sources]) -> String {
    let rows: Vec<[String; 3]> = files
        .iter()
        .zip(sources)
        .map(|(file, of)| {
            let purpose = of.purpose().map_or("cannot be read", |purpose| purpose);
            [quote::name(file), of.tags().unwrap_or_default().join(","), quote::message(purpose)]
        })
        .collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let (name, tags) = (width(0), width(1));
    let line = |[file, tag, purpose]: &[String; 3]| {
        let tag = if tags == 0 { String::new() } else { format!("{tag:<tags$}  ") };
        format!("{file:<name$}  {tag}{purpose}\n")
    };
    rows.iter().map(line).collect()
}
