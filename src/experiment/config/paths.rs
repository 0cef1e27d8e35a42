//! All fields of an experiment by their paths, and the short names of these paths.

use std::collections::BTreeMap;

use crate::experiment::{Experiment, Loaded};
use crate::input::position::{Step, Value, ValueShape, path_of, scan, steps};
use crate::input::ron;
use crate::quote::{excerpt, list_of};
use crate::spelling::most_like;

/// The value of a field that is not given and has no default.
pub(super) const NONE: &str = "None";

/// A field and its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Path of the field, in the form of `--set`.
    pub path: String,
    /// Value of the field as RON.
    pub value: String,
    /// Whether the field has no inner fields or elements.
    pub is_leaf: bool,
}

/// All fields of an experiment, defaults included. A value with inner fields comes before them.
#[must_use]
pub fn paths(loaded: &Loaded) -> Vec<Field> {
    fields(&loaded.experiment)
}

pub(super) fn fields(experiment: &Experiment) -> Vec<Field> {
    let text = ron::canonical(experiment);
    let mut fields = Vec::new();
    if let Ok(root) = scan(&text) {
        gather(&text, root.bare(), &mut Vec::new(), &mut fields);
    }
    fields
}

/// A field whose value is not its default.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changed {
    /// Path of the field.
    pub path: String,
    /// Value of the field as RON.
    pub value: String,
    /// Default of the field as RON.
    pub default: String,
}

/// Fields of the network and the run that do not have their defaults. Topology and workload have no
/// defaults.
#[must_use]
pub fn changed(loaded: &Loaded) -> Vec<Changed> {
    let topology = ron::canonical(&loaded.experiment.network.topology);
    let Ok(mut plain) = ron::parse::<Experiment>(&format!("(network:(topology:{topology}),workload:[])")) else {
        return Vec::new();
    };
    let mut given = loaded.experiment.clone();
    // A topology has its own default routing.
    for experiment in [&mut plain, &mut given] {
        experiment.network.routing = Some(experiment.network.routing());
    }
    let defaults: BTreeMap<String, String> =
        fields(&plain).into_iter().map(|field| (field.path, field.value)).collect();
    let is_asked = |path: &str| {
        (path.starts_with("network.") || path.starts_with("run.")) && !path.starts_with("network.topology")
    };
    // A field inside one that is `None` by default has that default.
    let default = |path: &str| {
        let mut ends = path.rmatch_indices('.').map(|(at, _)| at);
        let shorter = std::iter::once(path.len()).chain(&mut ends);
        shorter.map(|end| &path[..end]).find_map(|path| defaults.get(path)).cloned()
    };
    let mut found = Vec::new();
    for field in fields(&given).into_iter().filter(|field| field.is_leaf && is_asked(&field.path)) {
        let default = default(&field.path).unwrap_or_default();
        if field.value != default {
            found.push(Changed { path: field.path, value: field.value, default });
        }
    }
    found
}

fn gather(text: &str, value: &Value, path: &mut Vec<Step>, fields: &mut Vec<Field>) {
    let value = value.bare();
    let mut down = |step: Step, inner: &Value| {
        path.push(step);
        let is_leaf = matches!(inner.bare().shape, ValueShape::Leaf);
        let value = text[inner.bare().span.clone()].to_owned();
        fields.push(Field { path: path_of(path), value, is_leaf });
        gather(text, inner, path, fields);
        path.pop();
    };
    match &value.shape {
        ValueShape::Leaf => {}
        ValueShape::Fields(inner) => {
            for (name, _, value) in inner {
                down(Step::Name((*name).to_owned()), value);
            }
        }
        ValueShape::List(values) | ValueShape::Tuple(values) => {
            values.iter().enumerate().for_each(|(index, value)| down(Step::Index(index), value));
        }
        ValueShape::Named(variant, body) => down(Step::Name((*variant).to_owned()), body),
    }
}

/// The path that `name` means. It may be a whole path, or the end of exactly one (`fifo_depth`,
/// `link.link_cycles`, `traffic.load`). If several fields fit, the field of the switch is meant, if
/// there is one. An example is `virtual_channels`, which nodes also have.
///
/// # Errors
/// There is no such field, with the nearest names, or there are several.
pub fn resolve(fields: &[Field], name: &str) -> Result<String, String> {
    let Some(wanted) = steps(name) else {
        let why = "is not a path; a path looks like fifo_depth, node.ports or workload[0].traffic.load";
        return Err(format!("\"{}\" {why}", excerpt(name)));
    };
    if fields.iter().any(|field| field.path == name) {
        return Ok(name.to_owned());
    }
    let ends = |field: &&Field| steps(&field.path).is_some_and(|all| all.ends_with(&wanted));
    let found: Vec<&str> = fields.iter().filter(ends).map(|field| field.path.as_str()).collect();
    let of_switch = |path: &&&str| path.starts_with("network.switch.");
    if found.is_empty()
        && let Some(found) = in_class(fields, name)
    {
        return found;
    }
    match (&found[..], found.iter().find(of_switch)) {
        ([path], _) | (_, Some(path)) => Ok((*path).to_owned()),
        ([], _) => {
            if let Some(why) = in_none(fields, &wanted) {
                return Err(why);
            }
            // Whole paths are long, and mostly the last name is misspelt.
            let last = |path: &str| path.rsplit('.').next().unwrap_or(path).to_owned();
            let names: std::collections::BTreeSet<String> = fields.iter().map(|field| last(&field.path)).collect();
            if let Some((theirs, ours)) =
                OF_BOOKSIM.iter().find(|(theirs, ours)| *theirs == name && names.contains(*ours))
            {
                return Err(format!("no field \"{theirs}\"; {theirs} of BookSim is {ours} here"));
            }
            let nearest = most_like(&last(name), names.into_iter()).join(", ");
            Err(format!(
                "no field \"{}\"; nearest names: {nearest}; all of them: wormscope config --paths FILE",
                excerpt(name)
            ))
        }
        _ => {
            let some = list_of(&found, ", ", 6);
            Err(format!("\"{}\" means {} fields; name one: {some}", excerpt(name), found.len()))
        }
    }
}

/// Names of fields in `BookSim` 2.0, and here.
const OF_BOOKSIM: [(&str, &str); 13] = [
    ("num_vcs", "virtual_channels"),
    ("vc_buf_size", "fifo_depth"),
    ("injection_rate", "load"),
    ("packet_size", "payload_flits"),
    ("traffic", "pattern"),
    ("routing_function", "routing"),
    ("routing_delay", "routing_cycles"),
    ("vc_alloc_delay", "allocation_cycles"),
    ("sw_alloc_delay", "allocation_cycles"),
    ("credit_delay", "credit_cycles"),
    ("sample_period", "measure_cycles"),
    ("warmup_periods", "warmup_cycles"),
    ("k", "radices"),
];

/// The field that `load.background` means: the load of the entry of the workload with this class.
/// `None` if no entry has the class and the field.
fn in_class(fields: &[Field], name: &str) -> Option<Result<String, String>> {
    let (field, class) = name.rsplit_once('.')?;
    let own = |of: &Field| of.value == format!("\"{class}\"") || of.value == format!("Some(\"{class}\")");
    let entries = fields.iter().filter(|of| own(of)).filter_map(|of| of.path.strip_suffix(".class"));
    let paths = entries.map(|entry| format!("{entry}.{field}"));
    let found: Vec<String> = paths.filter(|path| fields.iter().any(|field| field.path == *path)).collect();
    match &found[..] {
        [] => None,
        [path] => Some(Ok(path.clone())),
        all => {
            let some = list_of(all, ", ", 6);
            Some(Err(format!("\"{}\" means {} fields; name one: {some}", excerpt(name), all.len())))
        }
    }
}

/// The ends of a path that may mean its field, the shortest first.
pub(crate) fn ends(path: &str) -> Vec<&str> {
    let begins = path.match_indices('.').map(|(at, _)| at + 1);
    [0].into_iter().chain(begins).map(|at| &path[at..]).rev().collect()
}

/// A hint, if a field on the path is `None`.
fn in_none(fields: &[Field], wanted: &[Step]) -> Option<String> {
    (1..wanted.len()).rev().find_map(|taken| {
        let ends = |field: &&Field| steps(&field.path).is_some_and(|all| all.ends_with(&wanted[..taken]));
        let mut found = fields.iter().filter(|field| field.value == NONE).filter(ends);
        match (found.next(), found.next()) {
            (Some(field), None) => {
                Some(format!("{} is None; it has no {}", field.path, excerpt(&path_of(&wanted[taken..=taken]))))
            }
            _ => None,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::super::{from_text, under};
    use super::*;

    fn mesh() -> Loaded {
        let text = "(network: (topology: mesh(radices: [4, 4])), workload: [traffic(load: 0.1, payload_flits: 7)])";
        from_text("x", text, &[]).unwrap()
    }

    fn resolved(name: &str) -> Result<String, String> {
        resolve(&paths(&mesh()), name)
    }

    #[test]
    fn every_path_can_be_set_to_the_value_it_has() {
        let loaded = mesh();
        let fields = paths(&loaded);
        assert!(fields.len() > 50);
        for field in fields {
            let again = under(&loaded, &[format!("{}={}", field.path, field.value)]).unwrap();
            assert_eq!(again.experiment, loaded.experiment, "{field:?}");
        }
    }

    #[test]
    fn what_is_not_as_by_default_is_told_with_its_default() {
        assert_eq!(changed(&mesh()), []);
        let sets = ["fifo_depth=4", "fifo_depth=9", "run.seed=3", "acquisition=atomic"].map(str::to_owned);
        let found = changed(&under(&mesh(), &sets).unwrap());
        let found: Vec<_> = found.iter().map(|of| [&*of.path, &*of.value, &*of.default]).collect();
        assert_eq!(
            found,
            [
                ["network.switch.fifo_depth", "9", "4"],
                ["network.switch.acquisition", "atomic", "incremental"],
                ["run.seed", "3", "1"]
            ]
        );
        let text =
            "(network: (topology: uni_min(kind: baseline, switch_ports: 2, stages: 3), token_ring: (hop_cycles: 7)),
            workload: [traffic(load: 0.1, payload_flits: 7)])";
        let tokens = changed(&from_text("x", text, &[]).unwrap());
        let default = tokens.iter().find(|of| of.path == "network.token_ring.hop_cycles").map(|of| &*of.default);
        assert_eq!(default, Some("None"), "{tokens:?}");
    }

    #[test]
    fn a_class_tells_fields_of_equal_names_apart() {
        let text = "(network: (topology: mesh(radices: [4, 4])), workload: [traffic(load: 0.1, payload_flits: 7, class: \
                    \"near\"), traffic(load: 0.2, payload_flits: 7, class: \"far\"), multicast(source: 0, algorithm: \
                    \"u_mesh\", bytes: 64, class: \"far\")])";
        let loaded = from_text("x", text, &["load.far=0.3".to_owned()]).unwrap();
        let resolved = |name: &str| resolve(&paths(&loaded), name);
        assert_eq!(resolved("load.near").unwrap(), "workload[0].traffic.load");
        assert_eq!(resolved("load.far").unwrap(), "workload[1].traffic.load");
        assert_eq!(
            resolved("algorithm.far").unwrap_err(),
            "\"algorithm.far\" means 2 fields; name one: \
                    workload[1].traffic.algorithm, workload[2].multicast.algorithm"
        );
        assert!(resolved("load.nera").unwrap_err().starts_with("no field \"load.nera\""));
        let load = paths(&loaded).into_iter().find(|field| field.path == "workload[1].traffic.load").unwrap();
        assert!(load.value.contains("0.3"), "{load:?}");
    }

    #[test]
    fn the_end_of_one_path_means_it() {
        assert_eq!(resolved("load").unwrap(), "workload[0].traffic.load");
        assert_eq!(resolved("fifo_depth").unwrap(), "network.switch.fifo_depth");
        assert_eq!(resolved("virtual_channels").unwrap(), "network.switch.virtual_channels");
        assert_eq!(resolved("node.virtual_channels").unwrap(), "network.node.virtual_channels");
        assert_eq!(resolved("radices[1]").unwrap(), "network.topology.mesh.radices[1]");
        assert_eq!(resolved("link.link_cycles").unwrap(), "network.link.link_cycles");
        assert_eq!(resolved("network.switch").unwrap(), "network.switch");
        let booksim = resolved("num_vcs").unwrap_err();
        assert_eq!(booksim, "no field \"num_vcs\"; num_vcs of BookSim is virtual_channels here");
        let several = resolved("link_cycles").unwrap_err();
        assert!(several.contains("means 3 fields; name one: network.link.link_cycles"), "{several}");
        let none = resolved("fifo_dept").unwrap_err();
        assert!(none.contains("no field \"fifo_dept\"; nearest names: fifo_depth"), "{none}");
        assert_eq!(resolved("token_ring.hop_cycles").unwrap_err(), "network.token_ring is None; it has no hop_cycles");
        assert!(resolved("token_rung.hop_cycles").unwrap_err().contains("nearest names: "));
        assert!(resolved("a..b").unwrap_err().contains("is not a path"));
    }
}
