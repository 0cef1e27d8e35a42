//! From files to a testbench that can run: includes, the network it names, and everything that can be refused before a run.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::expectations::{Expectations, Expected, with_caret};
use super::monitor::Monitor;
use super::random;
use super::schema::{Deadlock, FinalState, Order, Testbench};
use crate::config::{self, ConfigError, Experiment, Loaded, Located, Override, Place, Workload, WormRules};
use crate::quote::{self, excerpt};
use crate::simulation::Site;
use crate::verify::checkers::Rule;

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
pub(super) struct Part {
    file: String,
    text: String,
    folder: PathBuf,
    pub(super) bench: Testbench,
}

impl Part {
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
    let mut parts = Vec::new();
    gather(path, &mut Vec::new(), &mut HashSet::new(), &mut parts)?;
    if let Some(root) = parts.last() {
        check_purpose(root)?;
    }
    assemble(&parts)
}

/// Whether a file has fields that only a testbench has; of two files that cannot be read as either, neither has.
#[must_use]
pub fn is_testbench(path: &Path) -> bool {
    const OWN: [&str; 7] = ["purpose", "include", "config", "set", "random", "unchecked", "expect"];
    config::read(path).is_ok_and(|text| config::fields(&text).iter().any(|field| OWN.contains(&field.as_str())))
}

/// As [`load`], from `text` that is named `name` in errors; what it includes and names is looked for beside `name`.
///
/// # Errors
/// As [`load`].
pub fn from_text(name: &str, text: &str) -> Result<Bench, ConfigError> {
    let mut parts = Vec::new();
    gather_text(Path::new(name), text, &mut Vec::new(), &mut HashSet::new(), &mut parts)?;
    if let Some(root) = parts.last() {
        check_purpose(root)?;
    }
    assemble(&parts)
}

impl Bench {
    /// A testbench put together in Rust; it may do without a purpose, and includes nothing. Paths are relative to the
    /// working directory.
    ///
    /// # Errors
    /// As [`load`].
    pub fn new(name: &str, bench: Testbench) -> Result<Self, ConfigError> {
        if let Some(include) = bench.include.first() {
            let message = format!("includes \"{}\"; only a file includes others", excerpt(include));
            return Err(ConfigError::new(Place::File(name.to_owned()), message));
        }
        assemble(&[Part { file: name.to_owned(), text: String::new(), folder: PathBuf::new(), bench }])
    }

    /// The network it tests, with its workload and the length of the run. Random worms come with the seed.
    #[must_use]
    pub fn experiment(&self) -> &Experiment {
        &self.loaded.experiment
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

/// Reads a file and, before it, what it includes. `chain`: the files that are being read; `seen`: all that were.
fn gather(
    path: &Path,
    chain: &mut Vec<PathBuf>,
    seen: &mut HashSet<PathBuf>,
    parts: &mut Vec<Part>,
) -> Result<(), ConfigError> {
    gather_text(path, &config::read(path)?, chain, seen, parts)
}

fn gather_text(
    path: &Path,
    text: &str,
    chain: &mut Vec<PathBuf>,
    seen: &mut HashSet<PathBuf>,
    parts: &mut Vec<Part>,
) -> Result<(), ConfigError> {
    let file = path.display().to_string();
    let text = text.strip_prefix('\u{feff}').unwrap_or(text).to_owned();
    let folder = path.parent().map(Path::to_owned).unwrap_or_default();
    let identity = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let part = Part { bench: config::typed(&file, &text)?, file, text, folder };
    chain.push(identity(path));
    for (index, include) in part.bench.include.iter().enumerate() {
        let at = format!("include[{index}]");
        let included = part.folder.join(include);
        let own = identity(&included);
        if let Some(first) = chain.iter().position(|file| *file == own) {
            let names: Vec<_> = chain[first..].iter().chain([&own]).map(|file| short(file)).collect();
            return Err(part.error(at, format!("includes in a circle: {}", names.join(" includes "))));
        }
        if chain.len() == DEEPEST {
            return Err(part.error(at, format!("includes nested deeper than {DEEPEST} files")));
        }
        if !seen.contains(&own) {
            gather(&included, chain, seen, parts).map_err(|error| match error {
                ConfigError::Read { file, source } => {
                    part.error(at, format!("{} cannot be read: {source}", quote::name(file)))
                }
                error => error,
            })?;
        }
    }
    seen.extend(chain.pop());
    parts.push(part);
    Ok(())
}

fn short(path: &Path) -> String {
    quote::name(path.file_name().map_or(path, Path::new))
}

/// Puts the parts together, the including file last.
fn assemble(parts: &[Part]) -> Result<Bench, ConfigError> {
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
    let site = Site::new(&experiment);
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
        // Paths of traces are made relative to the working directory.
        loaded: Loaded { hash: experiment.hash(), experiment, path: PathBuf::new() },
    })
}

/// The experiment that the parts describe.
fn experiment(parts: &[Part]) -> Result<Experiment, ConfigError> {
    let mut base: Option<(Experiment, Place)> = None;
    for part in parts {
        let config = part.bench.config.as_ref().map(|config| (config, "config"));
        if let Some((config, at)) = config {
            refuse_second(part, at, base.as_ref())?;
            let path = part.folder.join(config);
            let loaded = config::load(&path, &[]).map_err(|error| match error {
                ConfigError::Read { file, source } => {
                    part.error(at, format!("{} cannot be read: {source}", quote::name(file)))
                }
                error => error,
            })?;
            let folder = path.parent().map(Path::to_owned).unwrap_or_default();
            let mut experiment = loaded.experiment;
            experiment.workload.iter_mut().for_each(|entry| relocate(entry, &folder));
            base = Some((experiment, part.place(at)));
        }
        if let Some(network) = &part.bench.network {
            refuse_second(part, "network", base.as_ref())?;
            let experiment = Experiment { network: network.clone(), workload: Vec::new(), run: config::Run::default() };
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
        *name = folder.join(&*name).display().to_string();
    }
}

/// An error of an override is one of the line that it stands on.
fn at_set(parts: &[Part], error: ConfigError) -> ConfigError {
    let ConfigError::Invalid { place: Place::Set(text), message } = error else { return error };
    let found = parts.iter().find_map(|part| {
        let index = part.bench.set.iter().position(|set| config::excerpt(set) == text)?;
        Some(part.place(format!("set[{index}]")))
    });
    match found {
        Some(place) => ConfigError::new(place, format!("{text}: {message}")),
        None => ConfigError::new(Place::Set(text), message),
    }
}
