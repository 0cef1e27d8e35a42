//! Files of a testbench: its own, the files that it includes, and the configuration that they name.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::schema::Testbench;
use crate::config;
use crate::experiment::{Loaded, Workload};
use crate::input::position::Text;
use crate::input::{ConfigError, Input, Place, ron};
use crate::quote;

/// Largest depth of files that include each other.
const DEEPEST: usize = 32;

/// One file.
#[derive(Debug)]
pub(super) struct SourceFile {
    pub(super) file: String,
    pub(super) text: String,
    pub(super) folder: PathBuf,
    pub(super) bench: Testbench,
    /// The configuration that the file names.
    pub(super) config: Option<Loaded>,
}

impl SourceFile {
    /// Turns the error of an unreadable file into an error of this file, because this file names
    /// the other.
    pub(super) fn unreadable(&self, path: &str, error: ConfigError) -> ConfigError {
        match error {
            ConfigError::Read { file, source } => {
                self.error(path, format!("{} cannot be read: {source}", quote::name(file)))
            }
            error => error,
        }
    }

    pub(super) fn error(&self, path: impl AsRef<str>, message: impl Into<String>) -> ConfigError {
        self.source().error(&[path], message)
    }

    pub(super) fn place(&self, path: impl AsRef<str>) -> Place {
        self.source().place(&[path])
    }

    /// Text of the file, for places in it.
    pub(super) fn source(&self) -> Text<'_> {
        Text { file: &self.file, text: &self.text }
    }
}

/// The files of a testbench: its own file, included files, and the configuration that they name.
#[derive(Debug)]
pub struct Sources {
    files: Vec<Input>,
    pub(super) parts: Result<Vec<SourceFile>, ConfigError>,
}

impl Sources {
    /// Reads the files of the testbench at `path`.
    #[must_use]
    pub fn read(path: &Path) -> Self {
        let mut files = Gathering::default();
        let read = files.file("a testbench", path);
        files.finish(read)
    }

    /// Reads the files that the `text` of the testbench at `path` includes and names.
    pub(super) fn of_text(path: &Path, text: &str) -> Self {
        let mut files = Gathering::default();
        let read = files.text("a testbench", path, text);
        files.finish(read)
    }

    /// Tags of the testbench, if its files could be read.
    #[must_use]
    pub fn tags(&self) -> Option<Vec<String>> {
        let mut tags: Vec<String> =
            self.parts.as_ref().ok()?.iter().flat_map(|part| &part.bench.tags).cloned().collect();
        tags.sort();
        tags.dedup();
        Some(tags)
    }

    /// Purpose of the testbench, if its files could be read.
    #[must_use]
    pub fn purpose(&self) -> Option<&str> {
        Some(self.parts.as_ref().ok()?.last()?.bench.purpose.trim())
    }

    /// All files of the testbench that could be read.
    #[must_use]
    pub fn inputs(&self) -> Vec<Input> {
        let traces = |workload: &[Workload], folder: &Path| -> Vec<Input> {
            let names = workload.iter().filter_map(Workload::trace);
            names.map(|name| ("the trace", crate::input::beside(folder, name))).collect()
        };
        let of_part = |part: &SourceFile| {
            let of_config = part.config.iter().flat_map(Loaded::inputs);
            traces(&part.bench.workload, &part.folder).into_iter().chain(of_config).collect::<Vec<_>>()
        };
        self.files.iter().cloned().chain(self.parts.iter().flatten().flat_map(of_part)).collect()
    }
}

/// Files of a testbench while they are read.
#[derive(Default)]
struct Gathering {
    /// Files that are being read. Each file is included by the previous file.
    chain: Vec<PathBuf>,
    /// All files that were read.
    seen: HashSet<PathBuf>,
    /// All files that were looked for.
    files: Vec<Input>,
    /// Contents of the files. An included file comes before the file that includes it.
    parts: Vec<SourceFile>,
}

impl Gathering {
    fn finish(self, read: Result<(), ConfigError>) -> Sources {
        Sources { files: self.files, parts: read.map(|()| self.parts) }
    }

    fn file(&mut self, what: &'static str, path: &Path) -> Result<(), ConfigError> {
        match ron::read(path) {
            Ok(text) => self.text(what, path, &text),
            Err(error) => {
                self.files.push((what, path.to_owned()));
                Err(error)
            }
        }
    }

    /// Takes a file and, before it, the files that it includes.
    fn text(&mut self, what: &'static str, path: &Path, text: &str) -> Result<(), ConfigError> {
        self.files.push((what, path.to_owned()));
        let file = crate::input::title(path);
        let text = text.strip_prefix('\u{feff}').unwrap_or(text).to_owned();
        let folder = path.parent().map(Path::to_owned).unwrap_or_default();
        let identity = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let mut part = SourceFile { bench: ron::typed(&file, &text)?, file, text, folder, config: None };
        self.chain.push(identity(path));
        for (index, include) in part.bench.include.iter().enumerate() {
            let at = format!("include[{index}]");
            let included = crate::input::beside(&part.folder, include);
            let own = identity(&included);
            if let Some(first) = self.chain.iter().position(|file| *file == own) {
                let names: Vec<_> = self.chain[first..].iter().chain([&own]).map(|file| short(file)).collect();
                return Err(part.error(at, format!("files include each other: {}", names.join(" includes "))));
            }
            if self.chain.len() == DEEPEST {
                return Err(part.error(at, format!("includes nested deeper than {DEEPEST} files")));
            }
            if !self.seen.contains(&own) {
                self.file("an included file", &included).map_err(|error| part.unreadable(&at, error))?;
            }
        }
        if let Some(config) = &part.bench.config {
            let path = crate::input::beside(&part.folder, config);
            self.files.push(("the configuration", path.clone()));
            let loaded = config::load(&path, &[]).map_err(|error| part.unreadable("config", error))?;
            part.config = Some(loaded);
        }
        self.seen.extend(self.chain.pop());
        self.parts.push(part);
        Ok(())
    }
}

fn short(path: &Path) -> String {
    quote::name(path.file_name().map_or(path, Path::new))
}
