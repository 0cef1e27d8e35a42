//! The scratch copy of the sources. Faults are planted and built there, so the work tree is not
//! touched.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;
use sha2::{Digest, Sha256};

use crate::catalogue::Fault;
use crate::plant::plant;

/// Function that the switches of planted functions call, in place of `no_std`.
const PLANTED: &str = r#"
extern crate self as wormscope_hw;

/// The fault that is planted in this process; 0 is none.
#[inline]
pub fn planted() -> u32 {
    static PLANTED: std::sync::LazyLock<u32> =
        std::sync::LazyLock::new(|| std::env::var("PLANTED").ok().and_then(|text| text.parse().ok()).unwrap_or(0));
    *PLANTED
}
"#;

/// The copy.
pub struct Scratch {
    root: PathBuf,
    /// The copied tree.
    pub tree: PathBuf,
    target: PathBuf,
    /// Paths of the sources, from the root on.
    files: BTreeSet<PathBuf>,
}

/// Programs that were built.
pub struct Programs {
    /// `wormscope`.
    pub wormscope: PathBuf,
    /// Tests of `hw`.
    pub unit_tests: PathBuf,
}

/// A message of cargo's.
#[derive(Deserialize)]
struct Message {
    reason: String,
    executable: Option<PathBuf>,
    #[serde(rename = "message")]
    diagnostic: Option<Diagnostic>,
}

#[derive(Deserialize)]
struct Diagnostic {
    level: String,
    rendered: Option<String>,
    spans: Vec<Place>,
}

#[derive(Deserialize)]
struct Place {
    file_name: String,
    line_start: usize,
    is_primary: bool,
}

fn walk(folder: &Path, from: &Path, files: &mut BTreeSet<PathBuf>) -> io::Result<()> {
    for entry in std::fs::read_dir(from.join(folder))? {
        let entry = entry?;
        let path = folder.join(entry.file_name());
        if !entry.file_type()?.is_dir() {
            files.insert(path);
        } else if !matches!(entry.file_name().to_str(), Some("target" | ".git" | "fuzz" | "docs" | "waves")) {
            walk(&path, from, files)?;
        }
    }
    Ok(())
}

/// Writes where something changes, so that no more is built than must be.
fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if std::fs::read(path).is_ok_and(|old| old == bytes) {
        return Ok(());
    }
    path.parent().map_or(Ok(()), std::fs::create_dir_all)?;
    std::fs::write(path, bytes)
}

impl Scratch {
    /// Finds the sources below `root`; the copy is to lie in `folder`.
    pub fn new(root: &Path, folder: &Path) -> io::Result<Self> {
        let mut files = BTreeSet::new();
        walk(Path::new(""), root, &mut files)?;
        Ok(Self { root: root.to_owned(), tree: folder.join("tree"), target: folder.join("build"), files })
    }

    /// A hash of the hardware and everything else that is compiled.
    pub fn hash_of_code(&self) -> io::Result<Sha256> {
        self.hash(|path| {
            let code = ["hw", "src", "Cargo.lock", "Cargo.toml"];
            code.iter().any(|top| path.starts_with(top))
        })
    }

    /// A hash of the testbenches and of the files that they name.
    pub fn hash_of_testbenches(&self) -> io::Result<Sha256> {
        self.hash(|path| {
            let is_ours = path.starts_with("testbenches/faults");
            let is_stimulus = path.extension().is_some_and(|ending| ending == "ron" || ending == "csv");
            !is_ours && is_stimulus && ["testbenches", "configs"].iter().any(|top| path.starts_with(top))
        })
    }

    fn hash(&self, of: impl Fn(&Path) -> bool) -> io::Result<Sha256> {
        let mut hash = Sha256::new();
        for path in self.files.iter().filter(|path| of(path)) {
            hash.update(path.to_string_lossy().as_bytes());
            hash.update(std::fs::read(self.root.join(path))?);
        }
        Ok(hash)
    }

    /// The testbenches among the sources, as `wormscope test` finds them.
    pub fn testbenches(&self) -> Vec<PathBuf> {
        let is_bench = |path: &&PathBuf| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            path.starts_with("testbenches") && name.ends_with(".ron") && !name.starts_with('_')
        };
        self.files.iter().filter(is_bench).cloned().collect()
    }

    /// Copies the sources as they are, except those in `changed`. Removes files that are gone from
    /// the sources.
    fn copy(&self, changed: &BTreeMap<PathBuf, String>) -> io::Result<()> {
        for path in &self.files {
            let bytes = match changed.get(path) {
                Some(text) => text.clone().into_bytes(),
                None => std::fs::read(self.root.join(path))?,
            };
            write(&self.tree.join(path), &bytes)?;
        }
        let mut there = BTreeSet::new();
        walk(Path::new(""), &self.tree, &mut there)?;
        there.difference(&self.files).try_for_each(|stale| std::fs::remove_file(self.tree.join(stale)))
    }

    /// Builds the sources with one fault in them.
    pub fn build_one(&self, fault: &Fault) -> Result<Result<Programs, String>, String> {
        let source = std::fs::read_to_string(self.root.join(&fault.edit.file)).map_err(|error| error.to_string())?;
        let changed = [(PathBuf::from(&fault.edit.file), fault.edit.applied(&source))];
        self.copy(&BTreeMap::from(changed)).map_err(|error| error.to_string())?;
        Ok(self.build()?.map_err(|errors| errors.into_iter().map(|(_, text)| text).collect()))
    }

    /// Builds the sources with all faults in them, numbered from 1 on. Leaves out those that the
    /// compiler is known to refuse. When the compiler refuses more, adds them with its messages.
    /// Also returns those that must be built alone.
    pub fn build_all(
        &self,
        faults: &[Fault],
        refused: &mut BTreeMap<usize, String>,
    ) -> Result<(Programs, BTreeSet<usize>), String> {
        let mut alone = BTreeSet::new();
        loop {
            let of_hw =
                self.files.iter().filter(|path| path.starts_with("hw") && path.extension() == Some("rs".as_ref()));
            let of_hw = of_hw.filter_map(|path| path.to_str());
            let mut by_file: BTreeMap<&str, Vec<_>> = of_hw.map(|file| (file, Vec::new())).collect();
            for (number, fault) in (1..).zip(faults).filter(|(number, _)| !refused.contains_key(number)) {
                by_file.entry(&fault.edit.file).or_default().push((number, &fault.edit));
            }
            let (mut changed, mut lines) = (BTreeMap::new(), BTreeMap::new());
            for (file, edits) in by_file {
                let source = std::fs::read_to_string(self.root.join(file)).map_err(|e| format!("{file}: {e}"))?;
                let mut planted = plant(&source, &edits).map_err(|error| format!("{file}: {error}"))?;
                alone.extend(planted.left);
                if file == "hw/lib.rs" {
                    planted.text = planted.text.replace("#![no_std]", "") + PLANTED;
                }
                changed.insert(PathBuf::from(file), planted.text);
                lines.insert(file, planted.lines);
            }
            self.copy(&changed).map_err(|error| error.to_string())?;
            let errors = match self.build()? {
                Ok(programs) => return Ok((programs, alone)),
                Err(errors) => errors,
            };
            let known = refused.len();
            for (place, text) in &errors {
                let of = |(file, line): &(String, usize)| {
                    lines.get(file.as_str())?.iter().find(|(range, _)| range.contains(line)).map(|&(_, number)| number)
                };
                if let Some(number) = place.as_ref().and_then(of) {
                    refused.entry(number).or_insert_with(|| text.clone());
                }
            }
            if refused.len() == known {
                return Err(errors.into_iter().map(|(_, text)| text).collect());
            }
            eprintln!("the compiler refuses {} of {}", refused.len(), faults.len());
        }
    }

    /// Builds the copy. Returns errors with file and line.
    #[allow(clippy::type_complexity)]
    fn build(&self) -> Result<Result<Programs, Vec<(Option<(String, usize)>, String)>>, String> {
        let mut built = Vec::new();
        for args in
            [["build", "--bin=wormscope", "--package=wormscope-cli"], ["test", "--no-run", "--package=wormscope-hw"]]
        {
            let mut cargo = Command::new("cargo");
            cargo.args(args).args(["--profile=faults", "--message-format=json", "--quiet"]).current_dir(&self.tree);
            // These are the flags of .cargo/config.toml, and lints are no faults.
            let target_cpu = if cfg!(target_arch = "x86_64") { "-Ctarget-cpu=x86-64-v3 " } else { "" };
            cargo.env("RUSTFLAGS", format!("{target_cpu}--cap-lints=allow")).env("CARGO_TARGET_DIR", &self.target);
            let out = cargo.output().map_err(|error| format!("cargo: {error}"))?;
            let messages = out.stdout.split(|&byte| byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok());
            let messages: Vec<Message> = messages.collect();
            if !out.status.success() {
                let errors = messages.into_iter().filter_map(|m| m.diagnostic).filter(|d| d.level == "error");
                let errors: Vec<_> = errors
                    .map(|diagnostic| {
                        let place = diagnostic.spans.into_iter().find(|span| span.is_primary);
                        (place.map(|span| (span.file_name, span.line_start)), diagnostic.rendered.unwrap_or_default())
                    })
                    .collect();
                if errors.is_empty() {
                    return Err(String::from_utf8_lossy(&out.stderr).into_owned());
                }
                return Ok(Err(errors));
            }
            built.extend(
                messages
                    .into_iter()
                    .filter(|m| m.reason == "compiler-artifact")
                    .filter_map(|m| m.executable)
                    .next_back(),
            );
        }
        let [wormscope, unit_tests] = built.try_into().map_err(|built| format!("cargo built {built:?}"))?;
        Ok(Ok(Programs { wormscope, unit_tests }))
    }
}
