//! Faults to plant: those that a designer makes, written by hand, and the mutants that
//! cargo-mutants makes of `hw`.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use serde::Deserialize;

use crate::plant::Edit;

/// A fault or a mutant.
#[derive(Clone, Debug)]
pub struct Fault {
    /// Name of the fault. For a mutant it is the name from cargo-mutants, with a number where a
    /// line has several of one name.
    pub name: String,
    /// Mistake of the designer. For a mutant, the changed line.
    pub story: String,
    /// The change.
    pub edit: Edit,
}

impl Fault {
    /// The kernel: the path of the file without the ending.
    pub fn kernel(&self) -> &str {
        self.edit.file.trim_end_matches(".rs")
    }
}

/// A fault as it is written down.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    name: String,
    story: String,
    file: String,
    old: String,
    new: String,
}

/// A mutant that survives, and why it may.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Survivor {
    /// As [`Fault::name`].
    pub mutant: String,
    /// As [`Fault::story`]: the line that is changed.
    pub line: String,
    /// The reason why nothing can tell it from the hardware.
    pub why: String,
}

fn read<T: serde::de::DeserializeOwned>(path: &Path) -> Result<T, String> {
    ron::from_str(&source(path)?).map_err(|error| format!("{}: {error}", path.display()))
}

fn source(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

/// The faults of the catalogue, each found once in the sources below `root`.
pub fn faults(root: &Path) -> Result<Vec<Fault>, String> {
    let written: Vec<Written> = read(&root.join("testbenches/faults/_faults.ron"))?;
    written
        .into_iter()
        .map(|Written { name, story, file, old, new }| {
            let text = source(&root.join(&file)).map_err(|error| format!("{name}: {error}"))?;
            let mut found = text.match_indices(&old);
            match (found.next(), found.next()) {
                (Some((start, _)), None) => {
                    Ok(Fault { name, story, edit: Edit { file, range: start..start + old.len(), text: new } })
                }
                (None, _) => Err(format!("{name}: {file} has no \"{old}\"; was it changed?")),
                (Some(_), Some(_)) => Err(format!("{name}: {file} has \"{old}\" more than once")),
            }
        })
        .collect()
}

/// The mutants whose survival is explained.
pub fn survivors(root: &Path) -> Result<Vec<Survivor>, String> {
    read(&root.join("testbenches/faults/_survivors.ron"))
}

/// A mutant as `cargo mutants --list --json` has it.
#[derive(Deserialize)]
struct Listed {
    file: String,
    name: String,
    replacement: String,
    span: Span,
}

#[derive(Deserialize)]
struct Span {
    start: Place,
    end: Place,
}

/// Both from 1 on, columns in characters.
#[derive(Deserialize)]
struct Place {
    line: usize,
    column: usize,
}

impl Place {
    fn byte(&self, source: &str) -> usize {
        let before: usize = source.split_inclusive('\n').take(self.line - 1).map(str::len).sum();
        let column: usize = source[before..].chars().take(self.column - 1).map(char::len_utf8).sum();
        before + column
    }
}

/// The mutants that cargo-mutants makes of `hw` and of the switches of the banked engine.
pub fn mutants(root: &Path) -> Result<Vec<Fault>, String> {
    let mut cargo = Command::new("cargo");
    let files = ["--file", "hw/**", "--file", "src/engine/banked/switch/**", "--file", "src/engine/banked/counter.rs"];
    cargo.args(["mutants", "--list", "--json", "--workspace"]).args(files).current_dir(root);
    let out = cargo.output().map_err(|error| format!("cargo mutants: {error}"))?;
    if !out.status.success() {
        let why = String::from_utf8_lossy(&out.stderr);
        return Err(format!("cargo mutants --list: {why}\nIf it is not there: cargo install cargo-mutants --locked"));
    }
    let listed: Vec<Listed> = serde_json::from_slice(&out.stdout).map_err(|error| format!("cargo mutants: {error}"))?;
    let mut seen: BTreeMap<(String, String), u32> = BTreeMap::new();
    let mut mutant = |Listed { file, name, replacement, span }| {
        let text = source(&root.join(&file))?;
        let range = span.start.byte(&text)..span.end.byte(&text);
        let line = text.lines().nth(span.start.line - 1).unwrap_or_default().trim().to_owned();
        // The name is as in "hw/fifo.rs:14:5: replace slot -> u16 with 0". The line number goes,
        // because it changes with the file.
        let name = format!("{file}: {}", name.splitn(4, ':').nth(3).map_or(name.as_str(), str::trim));
        let count = seen.entry((name.clone(), line.clone())).or_default();
        *count += 1;
        let name = if *count > 1 { format!("{name} ({count})") } else { name };
        Ok(Fault { name, story: line, edit: Edit { file, range, text: replacement } })
    };
    listed.into_iter().map(&mut mutant).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// An edit can lose its place when the sources change.
    #[test]
    fn every_fault_still_applies_and_every_kernel_has_some() {
        let root = crate::root();
        let faults = faults(&root).unwrap();
        assert!(faults.len() >= 40, "{} faults", faults.len());
        let names: BTreeSet<_> = faults.iter().map(|fault| &fault.name).collect();
        assert_eq!(names.len(), faults.len(), "two of one name");
        let with_faults: BTreeSet<_> = faults.iter().map(|fault| root.join(&fault.edit.file)).collect();
        // These files declare blocks, list the files of the twin, and read registers.
        let without =
            ["hw/lib.rs", "hw/twin.rs", "src/engine/reference/registers.rs", "src/engine/reference/controls.rs"];
        for folder in ["hw", "hw/arbiter", "hw/header", "src/engine/banked/switch", "src/engine/reference"] {
            for entry in std::fs::read_dir(root.join(folder)).unwrap() {
                let path = entry.unwrap().path();
                let is_kernel = path.extension() == Some("rs".as_ref()) && !without.iter().any(|of| path.ends_with(of));
                assert!(!is_kernel || with_faults.contains(&path), "{} has no planted fault", path.display());
            }
        }
        for fault in &faults {
            let source = source(&root.join(&fault.edit.file)).unwrap();
            syn::parse_file(&fault.edit.applied(&source)).unwrap_or_else(|error| panic!("{}: {error}", fault.name));
        }
    }

    #[test]
    fn every_explanation_has_its_line() {
        let root = crate::root();
        for survivor in survivors(&root).unwrap() {
            let file = survivor.mutant.split(':').next().unwrap();
            let source = source(&root.join(file)).unwrap();
            assert!(source.lines().any(|line| line.trim() == survivor.line), "{survivor:?}");
        }
    }
}
