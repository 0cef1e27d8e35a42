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

use self::fault::{LARGEST, range_of};
use crate::experiment::{Evaluation, Experiment, Loaded, Workload};
use crate::input::position::Text;
use crate::input::ron::Refusal;
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
    let parsed = ron::parse(text).map_err(|refusal| refused(path, text, refusal))?;
    let (experiment, mut sets) = (parsed, overrides::parse_all(sets)?);
    let mut experiment = overrides::apply_all(experiment, &mut sets, validate)?;
    let mut files = vec![("the configuration", path.to_owned())];
    let located = Located { text: Text { file: name, text }, sets: &sets };
    let (read, given_twice) = read_files(&mut experiment, path, &located)?;
    files.extend(read);
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
        threads: 1,
    })
}

/// The error of a text that is no experiment.
fn refused(path: &Path, text: &str, refusal: Refusal) -> ConfigError {
    let place = Text { file: &title(path), text }.offset(refusal.offset);
    let in_range = refusal.beyond.and_then(|number| {
        let mut changed = text.to_owned();
        changed.replace_range(number.clone(), LARGEST);
        range_of(from_text(path, &changed, &[]), &place, &text[number])
    });
    ConfigError::new(place, in_range.unwrap_or(refusal.message))
}

/// Reads the files of the topology and of traffic matrices, if there are such, from the folder of
/// the experiment's file. Also returns the path of a text that the experiment gives beside a file.
fn read_files(
    experiment: &mut Experiment,
    path: &Path,
    located: &Located,
) -> Result<(Vec<Input>, Option<String>), ConfigError> {
    let (mut files, mut given_twice) = (Vec::new(), None);
    let mut open = |field: &str, name: &str, role: &'static str, kind: TextKind| {
        let at = beside(path.parent().unwrap_or(Path::new("")), name);
        let text = kind.read(&at).map_err(|error| match error {
            ConfigError::Read { .. } => located.error(&[format!("{field}.file")], error.to_string()),
            _ => error,
        })?;
        files.push((role, at));
        Ok::<_, ConfigError>(text)
    };
    let netlist = "network.topology.netlist";
    if experiment.network.topology.read(|name| open(netlist, name, "the topology", TextKind::NETLIST))? {
        given_twice = Some(format!("{netlist}.text"));
    }
    for (index, entry) in experiment.workload.iter_mut().enumerate() {
        let matrix = format!("workload[{index}].traffic.pattern.matrix");
        if let Workload::Traffic(traffic) = entry
            && traffic.pattern.read(|name| open(&matrix, name, "the traffic matrix", TextKind::MATRIX))?
        {
            given_twice.get_or_insert(format!("{matrix}.text"));
        }
    }
    Ok((files, given_twice))
}

/// The same experiment under further overrides.
///
/// # Errors
/// A fault of an override, or of the experiment with the overrides.
pub fn under(loaded: &Loaded, sets: &[String]) -> Result<Loaded, ConfigError> {
    let mut sets = overrides::parse_all(sets)?;
    let mut experiment = overrides::apply_all(loaded.experiment.clone(), &mut sets, validate)?;
    let file = loaded.title();
    let located = Located { text: Text { file: &file, text: "" }, sets: &sets };
    read_files(&mut experiment, &loaded.path, &located)?;
    validate(&experiment, &located)?;
    Ok(Loaded { hash: experiment.hash(), experiment, ..loaded.clone() })
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_random;
#[cfg(test)]
mod tests_traffic;
