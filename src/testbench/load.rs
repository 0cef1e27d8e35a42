//! Loader: it makes a testbench that can run from its files. It finds the network, and every fault
//! that can be found before a run.

use std::path::{Path, PathBuf};

use super::covers::Covers;
use super::expectations::{Expectations, Expected, Item, with_caret};
use super::monitor::Monitor;
use super::random;
use super::schema::{Deadlock, Expect, FinalState, Testbench};
use super::sources::{SourceFile, Sources};
use crate::config::{self, Located, Override};
use crate::experiment::{Evaluation, Experiment, Loaded, Run, Workload, WormRules};
use crate::input::{ConfigError, Held, Input, Place, ron};
use crate::network::Misfit;
use crate::quote::{self, excerpt};
use crate::simulation::Site;
use crate::verify::rules::Rule;

/// A testbench that can run.
#[derive(Clone, Debug)]
pub struct Bench {
    /// Name of the testbench: the path of its file.
    pub name: String,
    /// Purpose of the testbench, in one line.
    pub purpose: String,
    /// Tags of the testbench, by which a command chooses.
    pub tags: Vec<String>,
    /// Text of its own file.
    pub(super) text: String,
    /// Overrides of the command.
    pub(super) sets: Vec<String>,
    /// Expectations as written, of all parts.
    pub(super) expect: Expect,
    pub(super) loaded: Loaded,
    pub(super) site: Site,
    pub(super) random: Vec<super::schema::RandomWorms>,
    pub(super) unchecked: Vec<Rule>,
    /// Expectations, each with its place.
    pub(super) items: Vec<Item>,
    pub(super) final_state: Option<FinalState>,
    pub(super) deadlock: Option<(Item, Deadlock)>,
    /// The properties, ready for this network, and their items.
    pub(super) monitor: Monitor,
    pub(super) watched: Vec<Item>,
    /// Text of each property.
    pub(super) texts: Vec<String>,
    /// Bins of coverage that the testbench defines or excludes.
    pub(super) covers: Covers,
    /// Whether its runs count coverage.
    pub(super) counts_coverage: bool,
}

/// Reads the testbench in the file at `path`.
///
/// # Errors
/// The first fault of the testbench, or of a file that it includes or names.
pub fn load(path: &Path) -> Result<Bench, ConfigError> {
    Sources::read(path).bench()
}

/// Whether a text has fields that only a testbench has. A text that cannot be read has none.
#[must_use]
pub fn is_testbench(text: &str) -> bool {
    const OWN: [&str; 8] = ["purpose", "tags", "include", "config", "set", "random", "unchecked", "expect"];
    ron::fields(text).iter().any(|field| OWN.contains(&field.as_str()))
}

/// The same as [`load`], from the `text` of the file at `path`. Files that it includes and names
/// are looked for beside that file.
///
/// # Errors
/// The same as for [`load`].
pub fn from_text(path: impl AsRef<Path>, text: &str) -> Result<Bench, ConfigError> {
    Sources::of_text(path.as_ref(), text).bench()
}

impl Sources {
    /// Makes the testbench.
    ///
    /// # Errors
    /// The first fault.
    pub fn bench(self) -> Result<Bench, ConfigError> {
        self.bench_under(&[])
    }

    /// Makes the testbench under overrides `path=value`, which count more than its own.
    ///
    /// # Errors
    /// The first fault, also of an override.
    pub fn bench_under(self, sets: &[String]) -> Result<Bench, ConfigError> {
        let (files, tags) = (self.inputs(), self.tags().unwrap_or_default());
        let parts = self.parts?;
        if let Some(root) = parts.last() {
            check_purpose(root)?;
        }
        Ok(Bench { tags, ..assemble(&parts, files, sets)? })
    }
}

impl Bench {
    /// A testbench made in Rust. It may lack a purpose, and includes nothing. Paths are relative to
    /// the working directory.
    ///
    /// # Errors
    /// The same as for [`load`].
    pub fn new(name: &str, bench: Testbench) -> Result<Self, ConfigError> {
        if let Some(include) = bench.include.first() {
            let message = format!("includes \"{}\"; only a file includes others", excerpt(include));
            return Err(ConfigError::new(Place::File(name.to_owned()), message));
        }
        let mut part =
            SourceFile { file: name.to_owned(), text: String::new(), folder: PathBuf::new(), bench, config: None };
        if let Some(config) = &part.bench.config {
            let loaded = config::load(Path::new(config), &[]).map_err(|error| part.unreadable("config", error))?;
            part.config = Some(loaded);
        }
        assemble(&[part], Vec::new(), &[])
    }

    /// Chooses the engine of the runs; the results are the same.
    pub fn evaluate(&mut self, engine: Evaluation) {
        self.loaded.engine = engine;
    }

    /// Its random worms.
    #[must_use]
    pub fn random_worms(&self) -> &[super::schema::RandomWorms] {
        &self.random
    }

    /// The experiment that the testbench runs: a network, its workload and the length of the run.
    /// Random worms come with the seed.
    #[must_use]
    pub fn loaded(&self) -> &Loaded {
        &self.loaded
    }
}

/// Checks the tags of a part.
fn check_tags(part: &SourceFile) -> Result<(), ConfigError> {
    let is_tag =
        |tag: &str| !tag.is_empty() && tag.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'));
    match part.bench.tags.iter().position(|tag| !is_tag(tag)) {
        Some(at) => {
            let tag = excerpt(&part.bench.tags[at]);
            Err(part.error(format!("tags[{at}]"), format!("\"{tag}\" is no tag; allowed: letters, digits and _ - .")))
        }
        None => Ok(()),
    }
}

fn check_purpose(root: &SourceFile) -> Result<(), ConfigError> {
    let purpose = &root.bench.purpose;
    if purpose.trim().is_empty() && !root.text.is_empty() && !is_testbench(&root.text) {
        let told = "this is an experiment, for wormscope run; a testbench also has a purpose and expect";
        return Err(root.error("purpose", told));
    }
    if purpose.trim().is_empty() {
        return Err(root.error("purpose", "no purpose; say in one line what the testbench shows"));
    }
    if purpose.contains('\n') {
        return Err(root.error("purpose", "the purpose has several lines; one is allowed"));
    }
    Ok(())
}

/// Puts the parts together, the including file last.
fn assemble(parts: &[SourceFile], files: Vec<Input>, sets: &[String]) -> Result<Bench, ConfigError> {
    let Some(root) = parts.last() else {
        return Err(ConfigError::new(Place::File(String::new()), "no testbench"));
    };
    parts.iter().try_for_each(check_tags)?;
    let experiment = experiment(parts, sets)?;
    let network = experiment.network.clone();
    let refused = |why: Misfit| root.error("network", why.within("network").to_string());
    let site = Site::new(&network).map_err(refused)?;
    let rules = WormRules::new(site.built());
    for part in parts {
        for (index, worms) in part.bench.random.iter().enumerate() {
            random::check(worms, &rules).map_err(|(field, why)| {
                part.error(format!("random[{index}].{field}"), format!("random worms: {why}"))
            })?;
        }
    }
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
    let covers = Covers::new(parts)?;
    let conditions = || covers.own.iter().flat_map(|bin| &bin.all);
    let bins: Vec<Vec<_>> = covers.own.iter().map(|bin| bin.all.iter().map(|of| &of.0).collect()).collect();
    let monitor = Monitor::new(properties, &bins, &network, site.wiring()).map_err(|(index, error)| {
        // Places of names are places in the written text.
        match (watched.get(index), conditions().nth(index.saturating_sub(watched.len()))) {
            (None, Some((_, text, item))) => with_caret(item, text, &error),
            (item, _) => with_caret(item.unwrap_or(&watched[0]), &texts[index], &error),
        }
    })?;
    let sends = |entry: &Workload| match entry {
        Workload::Stalls(_) => false,
        Workload::Messages(messages) => !messages.is_empty(),
        Workload::Trace(_)
        | Workload::Traffic(_)
        | Workload::Spmd(_)
        | Workload::Multicast(_)
        | Workload::Multicasts(_) => true,
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
        threads: 1,
    };
    loaded.hold_pipes()?;
    Ok(Bench {
        name: root.file.clone(),
        purpose: root.bench.purpose.trim().to_owned(),
        tags: Vec::new(),
        text: root.text.clone(),
        sets: sets.to_vec(),
        expect: joined(parts),
        random: parts.iter().flat_map(|part| &part.bench.random).cloned().collect(),
        unchecked: parts.iter().flat_map(|part| &part.bench.unchecked).copied().collect(),
        items,
        final_state,
        deadlock,
        monitor,
        watched,
        texts,
        covers,
        counts_coverage: false,
        loaded,
        site,
    })
}

/// The experiment that the parts describe.
fn experiment(parts: &[SourceFile], own: &[String]) -> Result<Experiment, ConfigError> {
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
            let experiment = Experiment {
                network: network.clone(),
                groups: Vec::new(),
                classes: Vec::new(),
                workload: Vec::new(),
                run: Run::default(),
            };
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
            let set =
                Override::parse(set).and_then(|set| set.meant(&experiment)).map_err(|error| at_set(parts, error))?;
            experiment = set.apply(&experiment, config::validate).map_err(|error| at_set(parts, error))?;
            sets.push(set);
        }
    }
    for set in own {
        let set = Override::parse(set)?.meant(&experiment)?;
        experiment = set.apply(&experiment, config::validate)?;
        sets.push(set);
    }
    // First each part is read by itself, so that errors have its lines.
    for part in parts {
        let own = Experiment {
            network: experiment.network.clone(),
            groups: experiment.groups.clone(),
            classes: experiment.classes.clone(),
            workload: part.bench.workload.clone(),
            run: part.bench.run.clone().unwrap_or_default(),
        };
        let located = Located { text: part.source(), sets: &sets };
        config::validate(&own, &located).map_err(|error| at_set(parts, error))?;
    }
    if let Some(root) = parts.last() {
        let located = Located { text: root.source(), sets: &sets };
        config::validate(&experiment, &located).map_err(|error| at_set(parts, error))?;
    }
    Ok(experiment)
}

/// The expectations of all parts as those of one file.
fn joined(parts: &[SourceFile]) -> Expect {
    let mut all = Expect::default();
    for Expect {
        deliveries,
        latencies,
        throughput,
        order,
        blocked,
        multicasts,
        links,
        account,
        final_state,
        deadlock,
        signals,
        properties,
    } in parts.iter().map(|part| part.bench.expect.clone())
    {
        all.deliveries.extend(deliveries);
        all.latencies.extend(latencies);
        all.throughput.extend(throughput);
        all.order.extend(order);
        all.blocked.extend(blocked);
        all.multicasts.extend(multicasts);
        all.links.extend(links);
        all.account = account.or(all.account);
        all.final_state = final_state.or(all.final_state);
        all.deadlock = deadlock.or(all.deadlock);
        all.signals.extend(signals);
        all.properties.extend(properties);
    }
    all
}

fn refuse_second(part: &SourceFile, at: &str, first: Option<&(Experiment, Place)>) -> Result<(), ConfigError> {
    match first {
        Some((_, first)) => Err(part.error(at, format!("a second network; the first is at {first}"))),
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

/// Moves the error of an override to its line in the file.
fn at_set(parts: &[SourceFile], error: ConfigError) -> ConfigError {
    let ConfigError::Invalid { place: Place::Set(text), message } = error else { return error };
    let found = parts.iter().find_map(|part| {
        let index = part.bench.set.iter().position(|set| quote::excerpt(set) == text)?;
        Some(part.place(format!("set[{index}]")))
    });
    match found {
        Some(place) if text.trim().is_empty() => ConfigError::new(place, format!("\"{text}\": {message}")),
        Some(place) => ConfigError::new(place, format!("{text}: {message}")),
        None => ConfigError::new(Place::Set(text), message),
    }
}
