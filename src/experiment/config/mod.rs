//! Experiments in RON: schema, defaults, validation, errors with line and column.
//!
//! Begin with [`load`]: it reads a file, applies the `--set` overrides and validates the result.

mod allowed;
mod example;
mod fault;
mod groups;
mod multicast;
mod overrides;
mod paths;
mod spmd;
mod template;
mod traffic;
mod validate;

use std::path::Path;

use sha2::{Digest as _, Sha256};

use crate::experiment::{Evaluation, Experiment, Loaded, Workload};
use crate::input::position::Text;
use crate::input::{ConfigError, Held, Input, TextKind, beside, ron, title};
use crate::network::Clock;

pub use allowed::allowed;
pub use example::{KINDS, example};
pub(crate) use overrides::{Located, Override};
pub(crate) use paths::ends;
pub use paths::{Changed, Field, changed, paths, resolve};
pub(crate) use template::Template;
pub(crate) use traffic::{greatest_load, mean_flits};
pub(crate) use validate::validate;

/// Fields that were added later. If such a field is absent, the hash of the experiment is the same
/// as before.
const YOUNGER: [&str; 20] = [
    "class:None,",
    "virtual_channels:None,",
    "port_order:None,",
    "injection_depth:None,",
    "lane_choice:lowest,",
    "spread:false,",
    "groups:[],",
    "group:None,",
    "skip:0,",
    "interval:None,",
    "counts:None,",
    "algorithm:None,",
    "settings:None,",
    "candidates:None,",
    "lengths:None,",
    "order:random,",
    "from:None,",
    "until:None,",
    "classes:[],",
    "copy_to_source:false,",
];

impl Experiment {
    /// The experiment as a file, with every field written out.
    #[must_use]
    pub fn text(&self) -> String {
        ron::pretty(self)
    }

    /// The first 16 hex digits of the SHA-256 over the experiment with all its fields written out.
    /// Traces count by name only.
    #[must_use]
    pub fn hash(&self) -> String {
        let mut experiment = self.clone();
        experiment.network.routing = Some(experiment.network.routing());
        // The links of nodes had one channel before the field was added.
        experiment.network.node.virtual_channels = Some(experiment.network.node_channels()).filter(|&n| n > 1);
        // The clock was a number before it could follow from the depth.
        experiment.network.clock_ns.get_or_insert(Clock::Ns(Clock::DEFAULT_NS));
        let window = experiment.window();
        experiment.run.measure_cycles = Some(window.end - window.start);
        for entry in &mut experiment.workload {
            if let Workload::Traffic(traffic) = entry
                && traffic.counts.is_none()
                && !traffic.pattern.is_set()
            {
                traffic.destinations.get_or_insert(1);
            }
        }
        let text = YOUNGER.iter().fold(ron::canonical(&experiment), |text, field| text.replace(field, ""));
        short_hash(&text)
    }
}

/// The first 16 hex digits of the SHA-256 over a text.
pub(crate) fn short_hash(text: &str) -> String {
    let digest = Sha256::digest(text);
    format!("{:016x}", digest[..8].iter().fold(0, |hash: u64, byte| hash << 8 | u64::from(*byte)))
}

/// Reads the experiment in the file at `path`, applies overrides and validates it. `sets` are
/// overrides `path=value`.
///
/// # Errors
/// The first fault: of the file, its syntax, a type or name, an override, or a value.
pub fn load(path: &Path, sets: &[String]) -> Result<Loaded, ConfigError> {
    from_text(path, &ron::read(path)?, sets)
}

/// The same as [`load`], from the `text` of the file at `path`.
///
/// # Errors
/// The same as for [`load`].
pub fn from_text(path: impl AsRef<Path>, text: &str, sets: &[String]) -> Result<Loaded, ConfigError> {
    let path = path.as_ref();
    let name = &*title(path);
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let sets = sets.iter().map(|set| overrides::Override::parse(set));
    let (experiment, mut sets) = (ron::typed(name, text)?, sets.collect::<Result<Vec<_>, _>>()?);
    let mut experiment = overrides::apply_all(experiment, &mut sets)?;
    let mut files = vec![("the configuration", path.to_owned())];
    let (read, given_twice) = read_files(&mut experiment, path)?;
    files.extend(read);
    let located = Located { text: Text { file: name, text }, sets: &sets };
    if let Some(place) = given_twice {
        let why = "text has no effect beside file; allowed: file or text";
        return Err(located.error(&[&place], why));
    }
    validate(&experiment, &located)?;
    Ok(Loaded {
        hash: experiment.hash(),
        experiment,
        path: path.to_owned(),
        files,
        held: Held::default(),
        engine: Evaluation::default(),
    })
}

/// Reads the files of the topology and of traffic matrices, if there are such, from the folder of
/// the experiment's file. Also returns the path of a text that the experiment gives beside a file.
fn read_files(experiment: &mut Experiment, path: &Path) -> Result<(Vec<Input>, Option<String>), ConfigError> {
    let (mut files, mut given_twice) = (Vec::new(), None);
    let mut open = |name: &str, role: &'static str, kind: TextKind| {
        let at = beside(path.parent().unwrap_or(Path::new("")), name);
        let text = kind.read(&at)?;
        files.push((role, at));
        Ok::<_, ConfigError>(text)
    };
    if experiment.network.topology.read(|name| open(name, "the topology", TextKind::NETLIST))? {
        given_twice = Some("network.topology.netlist.text".to_owned());
    }
    for (index, entry) in experiment.workload.iter_mut().enumerate() {
        if let Workload::Traffic(traffic) = entry
            && traffic.pattern.read(|name| open(name, "the traffic matrix", TextKind::MATRIX))?
        {
            given_twice.get_or_insert(format!("workload[{index}].traffic.pattern.matrix.text"));
        }
    }
    Ok((files, given_twice))
}

/// The same experiment under further overrides.
///
/// # Errors
/// A fault of an override, or of the experiment with the overrides.
pub fn under(loaded: &Loaded, sets: &[String]) -> Result<Loaded, ConfigError> {
    let mut sets = sets.iter().map(|set| overrides::Override::parse(set)).collect::<Result<Vec<_>, _>>()?;
    let mut experiment = overrides::apply_all(loaded.experiment.clone(), &mut sets)?;
    read_files(&mut experiment, &loaded.path)?;
    let file = loaded.title();
    validate(&experiment, &Located { text: Text { file: &file, text: "" }, sets: &sets })?;
    Ok(Loaded { hash: experiment.hash(), experiment, ..loaded.clone() })
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_random;
#[cfg(test)]
mod tests_traffic;
