//! From files to a testbench that can run: includes, the network it names, and everything that can
//! be refused before a run.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::expectations::{Expectations, Expected, with_caret};
use super::monitor::Monitor;
use super::random;
use super::schema::{Deadlock, FinalState, Order, Testbench};
use crate::config::{self, Located, Override};
use crate::experiment::{Evaluation, Experiment, Loaded, Run, Workload, WormRules};
use crate::input::{ConfigError, Held, Input, Place};
use crate::quote::{self, excerpt};
use crate::simulation::Site;
use crate::verify::rules::Rule;

/// Files that include each other at most, one within the other.
const DEEPEST: usize = 32;

/// A testbench that can run.
#[derive(Clone, Debug)]
pub struct Bench {
    /// As it is named: the path of its file.
    pub name: String,
    /// What it shows, in one line.
    pub purpose: String,
    pub(super) loaded: Loaded,
    pub(super) random: Vec<super::schema::RandomWorms>,
    pub(super) unchecked: Vec<Rule>,
    /// What is expected, each with its place.
    pub(super) items: Vec<Item>,
    pub(super) final_state: Option<FinalState>,
    pub(super) deadlock: Option<(Item, Deadlock)>,
    /// The properties, ready for this network, and the items they stand for.
    pub(super) monitor: Monitor,
    pub(super) watched: Vec<Item>,
}

/// An expectation.
#[derive(Clone, Debug)]
pub(super) struct Item {
    /// Where it stands.
    pub place: Place,
    /// Its path below `expect`.
    pub path: String,
    pub kind: Kind,
}

/// Lists of expectations that are judged by what a run leaves behind.
#[derive(Clone, Debug)]
pub(super) enum Kind {
    Deliveries(super::schema::Deliveries),
    Latencies(super::schema::Latencies),
    Order(Order),
    Blocked(super::schema::Blocked),
    Multicasts(super::schema::OfMulticast),
    Link(super::schema::OfLink),
    Account(super::schema::Account),
    /// Judged elsewhere.
    Other,
}

/// One file.
#[derive(Debug)]
pub(super) struct Part {
    file: String,
    text: String,
    folder: PathBuf,
    pub(super) bench: Testbench,
    /// The configuration that it names.
    config: Option<Loaded>,
}

impl Part {
    /// A file that this one names and that cannot be read is this one's fault.
    fn unreadable(&self, path: &str, error: ConfigError) -> ConfigError {
        match error {
            ConfigError::Read { file, source } => {
                self.error(path, format!("{} cannot be read: {source}", quote::name(file)))
            }
            error => error,
        }
    }

    pub(super) fn error(&self, path: impl AsRef<str>, message: impl Into<String>) -> ConfigError {
        Located::new(&self.file, &self.text).error(&[path], message)
    }

    pub(super) fn place(&self, path: impl AsRef<str>) -> Place {
        Located::new(&self.file, &self.text).place(&[path])
    }
}

/// Reads the testbench in the file at `path`.
///
/// # Errors
/// The first thing that is wrong with it, or with a file it includes or names.
pub fn load(path: &Path) -> Result<Bench, ConfigError> {
    Sources::read(path).bench()
}

/// Whether a text has fields that only a testbench has; one that can be read as nothing has none.
#[must_use]
pub fn is_testbench(text: &str) -> bool {
    const OWN: [&str; 7] = ["purpose", "include", "config", "set", "random", "unchecked", "expect"];
    config::fields(text).iter().any(|field| OWN.contains(&field.as_str()))
}

/// As [`load`], from the `text` of the file at `path`; what it includes and names is looked for
/// beside that.
///
/// # Errors
/// As [`load`].
pub fn from_text(path: impl AsRef<Path>, text: &str) -> Result<Bench, ConfigError> {
    let mut files = Gathering::default();
    let read = files.text("a testbench", path.as_ref(), text);
    files.finish(read).bench()
}

/// The files of a testbench, read: its own, those that it includes, and the configuration that they
/// name.
#[derive(Debug)]
pub struct Sources {
    files: Vec<Input>,
    parts: Result<Vec<Part>, ConfigError>,
}

impl Sources {
    /// Reads the files of the testbench at `path`.
    #[must_use]
    pub fn read(path: &Path) -> Self {
        let mut files = Gathering::default();
        let read = files.file("a testbench", path);
        files.finish(read)
    }

    /// Everything the testbench is read from, as far as it could be.
    #[must_use]
    pub fn inputs(&self) -> Vec<Input> {
        let traces = |workload: &[Workload], folder: &Path| -> Vec<Input> {
            let names = workload.iter().filter_map(|entry| match entry {
                Workload::Trace(name) => Some(("the trace", crate::input::beside(folder, name))),
                _ => None,
            });
            names.collect()
        };
        let of_part = |part: &Part| {
            let of_config = part.config.iter().flat_map(Loaded::inputs);
            traces(&part.bench.workload, &part.folder).into_iter().chain(of_config).collect::<Vec<_>>()
        };
        self.files.iter().cloned().chain(self.parts.iter().flatten().flat_map(of_part)).collect()
    }

    /// The testbench.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn bench(self) -> Result<Bench, ConfigError> {
        let files = self.inputs();
        let parts = self.parts?;
        if let Some(root) = parts.last() {
            check_purpose(root)?;
        }
        assemble(&parts, files)
    }
}

impl Bench {
    /// A testbench put together in Rust; it may do without a purpose, and includes nothing. Paths
    /// are relative to the working directory.
    ///
    /// # Errors
    /// As [`load`].
    pub fn new(name: &str, bench: Testbench) -> Result<Self, ConfigError> {
        if let Some(include) = bench.include.first() {
            let message = format!("includes \"{}\"; only a file includes others", excerpt(include));
            return Err(ConfigError::new(Place::File(name.to_owned()), message));
        }
        let mut part = Part { file: name.to_owned(), text: String::new(), folder: PathBuf::new(), bench, config: None };
        if let Some(config) = &part.bench.config {
            let loaded = config::load(Path::new(config), &[]).map_err(|error| part.unreadable("config", error))?;
            part.config = Some(loaded);
        }
        assemble(&[part], Vec::new())
    }

    /// What it runs: a network, its workload and the length of the run. Random worms come with the
    /// seed.
    #[must_use]
    pub fn loaded(&self) -> &Loaded {
        &self.loaded
    }
}

fn check_purpose(root: &Part) -> Result<(), ConfigError> {
    let purpose = &root.bench.purpose;
    if purpose.trim().is_empty() {
        return Err(root.error("purpose", "no purpose; say in one line what the testbench shows"));
    }
    if purpose.contains('\n') {
        return Err(root.error("purpose", "the purpose has several lines; one is allowed"));
    }
    Ok(())
}

/// Files on their way to a testbench.
#[derive(Default)]
struct Gathering {
    /// The files that are being read, each included by the one before.
    chain: Vec<PathBuf>,
    /// All that were.
    seen: HashSet<PathBuf>,
    /// All that were looked for.
    files: Vec<Input>,
    /// What they hold, the including file behind the included.
    parts: Vec<Part>,
}

impl Gathering {
    fn finish(self, read: Result<(), ConfigError>) -> Sources {
        Sources { files: self.files, parts: read.map(|()| self.parts) }
    }

    fn file(&mut self, what: &'static str, path: &Path) -> Result<(), ConfigError> {
        match config::read(path) {
            Ok(text) => self.text(what, path, &text),
            Err(error) => {
                self.files.push((what, path.to_owned()));
                Err(error)
            }
        }
    }

    /// Takes a file and, before it, what it includes.
    fn text(&mut self, what: &'static str, path: &Path, text: &str) -> Result<(), ConfigError> {
        self.files.push((what, path.to_owned()));
        let file = crate::input::title(path);
        let text = text.strip_prefix('\u{feff}').unwrap_or(text).to_owned();
        let folder = path.parent().map(Path::to_owned).unwrap_or_default();
        let identity = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let mut part = Part { bench: config::typed(&file, &text)?, file, text, folder, config: None };
        self.chain.push(identity(path));
        for (index, include) in part.bench.include.iter().enumerate() {
            let at = format!("include[{index}]");
            let included = crate::input::beside(&part.folder, include);
            let own = identity(&included);
            if let Some(first) = self.chain.iter().position(|file| *file == own) {
                let names: Vec<_> = self.chain[first..].iter().chain([&own]).map(|file| short(file)).collect();
                return Err(part.error(at, format!("includes in a circle: {}", names.join(" includes "))));
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

/// Puts the parts together, the including file last.
fn assemble(parts: &[Part], files: Vec<Input>) -> Result<Bench, ConfigError> {
    let Some(root) = parts.last() else {
        return Err(ConfigError::new(Place::File(String::new()), "no testbench"));
    };
    let experiment = experiment(parts)?;
    let network = experiment.network.clone();
    let rules = WormRules::new(&network);
    for part in parts {
        for (index, worms) in part.bench.random.iter().enumerate() {
            random::check(worms, &rules).map_err(|(field, why)| {
                part.error(format!("random[{index}].{field}"), format!("random worms: {why}"))
            })?;
        }
    }
    let site = Site::new(&experiment.network);
    let mut expectations = Expectations::new(&experiment, &rules, &site);
    for part in parts {
        expectations.take(part)?;
    }
    let Expected { items, final_state, deadlock, properties, watched } = expectations.finish()?;
    let is_any_end = matches!(final_state, None | Some(FinalState::Any));
    if items.is_empty() && watched.is_empty() && is_any_end && deadlock.is_none() {
        return Err(
            root.error("expect", "nothing is expected; at least one expectation is needed, such as final_state: empty")
        );
    }
    let texts: Vec<String> = properties.iter().map(|property| property.text.clone()).collect();
    let monitor = Monitor::new(properties, &network, &site.wiring).map_err(|(index, error)| {
        // Places of names are those of the text as written.
        with_caret(&watched[index], &texts[index], &error)
    })?;
    let sends = |entry: &Workload| match entry {
        Workload::Stalls(_) => false,
        Workload::Messages(messages) => !messages.is_empty(),
        _ => true,
    };
    if !experiment.workload.iter().any(sends) && parts.iter().all(|part| part.bench.random.is_empty()) {
        let message = "nothing is sent; worms come from workload: [...], from random: [...], or with a config";
        return Err(root.error("workload", message));
    }
    // Paths of traces are relative to the working directory.
    let mut loaded = Loaded {
        hash: experiment.hash(),
        experiment,
        path: PathBuf::new(),
        files,
        held: Held::default(),
        engine: Evaluation::default(),
    };
    loaded.hold_pipes()?;
    Ok(Bench {
        name: root.file.clone(),
        purpose: root.bench.purpose.trim().to_owned(),
        random: parts.iter().flat_map(|part| &part.bench.random).cloned().collect(),
        unchecked: parts.iter().flat_map(|part| &part.bench.unchecked).copied().collect(),
        items,
        final_state,
        deadlock,
        monitor,
        watched,
        loaded,
    })
}

/// The experiment that the parts describe.
fn experiment(parts: &[Part]) -> Result<Experiment, ConfigError> {
    let mut base: Option<(Experiment, Place)> = None;
    for part in parts {
        if let Some(loaded) = &part.config {
            refuse_second(part, "config", base.as_ref())?;
            let folder = loaded.path.parent().unwrap_or(Path::new(""));
            let mut experiment = loaded.experiment.clone();
            experiment.workload.iter_mut().for_each(|entry| relocate(entry, folder));
            base = Some((experiment, part.place("config")));
        }
        if let Some(network) = &part.bench.network {
            refuse_second(part, "network", base.as_ref())?;
            let experiment = Experiment { network: network.clone(), workload: Vec::new(), run: Run::default() };
            base = Some((experiment, part.place("network")));
        }
    }
    let Some((mut experiment, _)) = base else {
        let root = parts.last().map_or_else(|| Place::File(String::new()), |root| root.place("network"));
        return Err(ConfigError::new(root, "no network; name one with network: (...) or config: \"file.ron\""));
    };
    for part in parts {
        let own = part.bench.workload.iter().cloned().map(|mut entry| {
            relocate(&mut entry, &part.folder);
            entry
        });
        experiment.workload.extend(own);
        experiment.run = part.bench.run.clone().unwrap_or(experiment.run);
    }
    let mut sets = Vec::new();
    for part in parts {
        for set in &part.bench.set {
            let set = Override::parse(set).map_err(|error| at_set(parts, error))?;
            experiment = set.apply(&experiment).map_err(|error| at_set(parts, error))?;
            sets.push(set);
        }
    }
    // Each part's own lines first, for their places.
    for part in parts {
        let own = Experiment {
            network: experiment.network.clone(),
            workload: part.bench.workload.clone(),
            run: part.bench.run.clone().unwrap_or_default(),
        };
        let located = Located { file: &part.file, text: &part.text, sets: &sets };
        config::validate(&own, &located).map_err(|error| at_set(parts, error))?;
    }
    if let Some(root) = parts.last() {
        let located = Located { file: &root.file, text: &root.text, sets: &sets };
        config::validate(&experiment, &located).map_err(|error| at_set(parts, error))?;
    }
    Ok(experiment)
}

fn refuse_second(part: &Part, at: &str, first: Option<&(Experiment, Place)>) -> Result<(), ConfigError> {
    match first {
        Some((_, first)) => Err(part.error(at, format!("a second network; the first stands at {first}"))),
        None => Ok(()),
    }
}

/// Traces are looked for beside the file that names them.
fn relocate(entry: &mut Workload, folder: &Path) {
    if let Workload::Trace(name) = entry
        && !name.is_empty()
    {
        *name = crate::input::beside(folder, name).display().to_string();
    }
}

/// An error of an override is one of the line that it stands on.
fn at_set(parts: &[Part], error: ConfigError) -> ConfigError {
    let ConfigError::Invalid { place: Place::Set(text), message } = error else { return error };
    let found = parts.iter().find_map(|part| {
        let index = part.bench.set.iter().position(|set| quote::excerpt(set) == text)?;
        Some(part.place(format!("set[{index}]")))
    });
    match found {
        Some(place) => ConfigError::new(place, format!("{text}: {message}")),
        None => ConfigError::new(Place::Set(text), message),
    }
}
