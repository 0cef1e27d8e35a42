//! From files to a testbench that can run: includes, the network it names, and everything that can be refused before a run.

use std::path::{Path, PathBuf};

use super::monitor::Monitor;
use super::property::{Property, PropertyError};
use super::random;
use super::schema::{Deadlock, Expect, FinalState, Order, Testbench};
use crate::config::{self, ConfigError, Experiment, Loaded, Located, Override, Place, Workload, WormRules};
use crate::simulation::Site;
use crate::topology::Lanes;
use crate::topology::channel::{self, covers};
use crate::verify::checkers::Rule;

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
struct Part {
    file: String,
    text: String,
    folder: PathBuf,
    bench: Testbench,
}

impl Part {
    fn error(&self, path: impl AsRef<str>, message: impl Into<String>) -> ConfigError {
        Located::new(&self.file, &self.text).error(&[path], message)
    }

    fn place(&self, path: impl AsRef<str>) -> Place {
        Located::new(&self.file, &self.text).place(&[path])
    }
}

/// Reads the testbench in the file at `path`.
///
/// # Errors
/// The first thing that is wrong with it, or with a file it includes or names.
pub fn load(path: &Path) -> Result<Bench, ConfigError> {
    let mut parts = Vec::new();
    gather(path, &mut Vec::new(), &mut Vec::new(), &mut parts)?;
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
    gather_text(Path::new(name), text, &mut Vec::new(), &mut Vec::new(), &mut parts)?;
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
            let message = format!("includes \"{include}\"; only a file includes others");
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
    seen: &mut Vec<PathBuf>,
    parts: &mut Vec<Part>,
) -> Result<(), ConfigError> {
    gather_text(path, &config::read(path)?, chain, seen, parts)
}

fn gather_text(
    path: &Path,
    text: &str,
    chain: &mut Vec<PathBuf>,
    seen: &mut Vec<PathBuf>,
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
        if !seen.contains(&own) {
            gather(&included, chain, seen, parts).map_err(|error| match error {
                ConfigError::Read { file, source } => part.error(at, format!("{file} cannot be read: {source}")),
                error => error,
            })?;
        }
    }
    seen.extend(chain.pop());
    parts.push(part);
    Ok(())
}

fn short(path: &Path) -> String {
    path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned())
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
    let mut expectations = Expectations {
        rules: &rules,
        outputs: Outputs { site: &site, lanes: network.lanes(&site.wiring) },
        items: Vec::new(),
        final_state: None,
        deadlock: None,
        properties: Vec::new(),
        watched: Vec::new(),
    };
    for part in parts {
        expectations.take(part)?;
    }
    let Expectations { items, final_state, deadlock, properties, watched, .. } = expectations;
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

fn with_caret(item: &Item, text: &str, error: &PropertyError) -> ConfigError {
    let caret = error.caret(text).replace('\n', "\n    ");
    ConfigError::new(item.place.clone(), format!("{}: {}\n    {caret}", item.path, error.message))
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
                ConfigError::Read { file, source } => part.error(at, format!("{file} cannot be read: {source}")),
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

/// Outputs by the names of waveforms.
pub(super) struct Outputs<'a> {
    pub site: &'a Site,
    pub lanes: Lanes,
}

impl Outputs<'_> {
    /// Whether `name` names an output, or a lane of one; else what it may have meant.
    fn check(&self, name: &str) -> Result<(), String> {
        let all = || channel::outputs(&self.site.wiring, self.lanes).map(|(_, name)| name);
        // Tokens are as the report has them.
        if name.starts_with("token of {") || all().any(|lane| covers(name, &lane)) {
            return Ok(());
        }
        Err(format!("no output \"{name}\"; nearest names: {}", config::most_like(name, all()).join(", ")))
    }
}

fn check_bounds(part: &Part, path: &str, at_least: Option<u64>, at_most: Option<u64>) -> Result<(), ConfigError> {
    match (at_least, at_most) {
        (Some(least), Some(most)) if least > most => {
            let message = format!("at_least {least} is above at_most {most}; nothing is both");
            Err(part.error(format!("expect.{path}.at_least"), message))
        }
        _ => Ok(()),
    }
}

/// Expectations of all parts.
struct Expectations<'a> {
    rules: &'a WormRules,
    outputs: Outputs<'a>,
    items: Vec<Item>,
    final_state: Option<FinalState>,
    deadlock: Option<(Item, Deadlock)>,
    properties: Vec<Property>,
    watched: Vec<Item>,
}

impl Expectations<'_> {
    fn take(&mut self, part: &Part) -> Result<(), ConfigError> {
        let Expect { deliveries, latencies, order, blocked, multicasts, links, account, .. } = &part.bench.expect;
        let Expect { final_state, deadlock, signals, properties, .. } = &part.bench.expect;
        let item = |path: String, kind: Kind| Item { place: part.place(format!("expect.{path}")), path, kind };
        for (index, d) in deliveries.iter().enumerate() {
            let path = format!("deliveries[{index}]");
            self.check_nodes(part, &format!("{path}.to"), &d.to)?;
            self.items.push(item(path, Kind::Deliveries(d.clone())));
        }
        for (index, l) in latencies.iter().enumerate() {
            let path = format!("latencies[{index}]");
            self.check_nodes(part, &format!("{path}.to"), &l.to)?;
            if (l.equal, l.at_least, l.at_most).eq(&(None, None, None)) && l.mean.is_none() {
                let message = "no latency is given; allowed: equal, at_least, at_most, mean";
                return Err(part.error(format!("expect.{path}"), message));
            }
            if let Some((least, most)) = l.mean
                && (!least.is_finite() || !most.is_finite() || least > most)
            {
                let message = format!("a mean from {least} to {most} is impossible; allowed: numbers, the lower first");
                return Err(part.error(format!("expect.{path}.mean"), message));
            }
            check_bounds(part, &path, l.at_least, l.at_most)?;
            let (least, most) = (l.at_least.unwrap_or(0), l.at_most.unwrap_or(u64::MAX));
            if let Some(equal) = l.equal.filter(|equal| !(least..=most).contains(equal)) {
                let message = format!("equal {equal} is not within at_least and at_most; nothing is both");
                return Err(part.error(format!("expect.{path}.equal"), message));
            }
            self.items.push(item(path, Kind::Latencies(l.clone())));
        }
        for (index, o) in order.iter().enumerate() {
            let path = format!("order[{index}]");
            let (list, all) = match o {
                Order::AtNode { node, worms } => {
                    self.check_nodes(part, &format!("{path}.at_node.node"), std::slice::from_ref(node))?;
                    ("at_node.worms", worms)
                }
                Order::OfWorm { nodes, .. } => {
                    self.check_nodes(part, &format!("{path}.of_worm.nodes"), nodes)?;
                    ("of_worm.nodes", nodes)
                }
            };
            if all.len() < 2 {
                return Err(part.error(format!("expect.{path}"), "an order needs at least two"));
            }
            if let Some(twice) = (1..all.len()).find(|&at| all[..at].contains(&all[at])) {
                let message = format!("{} stands twice in an order; allowed: once", all[twice]);
                return Err(part.error(format!("expect.{path}.{list}[{twice}]"), message));
            }
            self.items.push(item(path, Kind::Order(o.clone())));
        }
        for (index, b) in blocked.iter().enumerate() {
            let path = format!("blocked[{index}]");
            if let Some(at) = &b.at {
                self.check_output(part, &format!("{path}.at"), at)?;
            }
            self.items.push(item(path, Kind::Blocked(b.clone())));
        }
        for (index, m) in multicasts.iter().enumerate() {
            let path = format!("multicasts[{index}]");
            self.check_nodes(part, &format!("{path}.to"), &m.to)?;
            for (send, (from, to)) in m.sends.iter().flatten().enumerate() {
                let nodes: Vec<u32> = to.iter().chain([from]).copied().collect();
                let refuse = |(_, why)| part.error(format!("expect.{path}.sends[{send}]"), why);
                self.rules.check_nodes(&nodes).map_err(refuse)?;
            }
            check_bounds(part, &path, m.at_least, m.at_most)?;
            self.items.push(item(path, Kind::Multicasts(m.clone())));
        }
        for (index, link) in links.iter().enumerate() {
            let path = format!("links[{index}]");
            self.check_output(part, &format!("{path}.link"), &link.link)?;
            self.items.push(item(path, Kind::Link(link.clone())));
        }
        self.items.extend(account.map(|account| item("account".into(), Kind::Account(account))));
        if let Some(deadlock) = deadlock {
            if let Deadlock::Found { holds, wants, worms, .. } = deadlock {
                for (field, lanes) in [("holds", holds), ("wants", wants)] {
                    for (index, lane) in lanes.iter().flatten().enumerate() {
                        self.check_output(part, &format!("deadlock.found.{field}[{index}]"), lane)?;
                    }
                }
                if worms.is_empty() {
                    return Err(part.error("expect.deadlock.found.worms", "no worms; a deadlock has at least one"));
                }
            }
            self.deadlock = Some((item("deadlock".into(), Kind::Other), deadlock.clone()));
        }
        self.final_state = final_state.or(self.final_state);
        for (index, s) in signals.iter().enumerate() {
            config::check_cycle(s.at).map_err(|why| part.error(format!("expect.signals[{index}].at"), why))?;
            let item = item(format!("signals[{index}]"), Kind::Other);
            self.watch(item, &s.that, Property::at(s.at, &s.that))?;
        }
        for (index, text) in properties.iter().enumerate() {
            let item = item(format!("properties[{index}]"), Kind::Other);
            self.watch(item, text, Property::parse(text))?;
        }
        Ok(())
    }

    fn watch(&mut self, item: Item, text: &str, property: Result<Property, PropertyError>) -> Result<(), ConfigError> {
        self.properties.push(property.map_err(|error| with_caret(&item, text, &error))?);
        self.watched.push(item);
        Ok(())
    }

    fn check_nodes(&self, part: &Part, path: &str, nodes: &[u32]) -> Result<(), ConfigError> {
        for (index, node) in nodes.iter().enumerate() {
            self.rules.check_node(*node).map_err(|why| {
                let path =
                    if path.rsplit('.').next() == Some("node") { path.to_owned() } else { format!("{path}[{index}]") };
                part.error(format!("expect.{path}"), why)
            })?;
        }
        Ok(())
    }

    fn check_output(&self, part: &Part, path: &str, name: &str) -> Result<(), ConfigError> {
        self.outputs.check(name).map_err(|why| part.error(format!("expect.{path}"), why))
    }
}
