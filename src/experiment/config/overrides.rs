//! Overrides, `--set path=value`: each replaces one value of an experiment.
//!
//! The experiment is written out with all its defaults, so the text has every path that exists. The
//! value is replaced there, and the whole text is read again as strictly as a file. The end of a
//! path is enough if it means one field: `--set fifo_depth=8`.

use std::fmt;
use std::ops::Range;

use super::fault::{LARGEST, range_of};
use super::paths::{Field, NONE, fields, resolve};
use crate::experiment::Experiment;
use crate::input::position::{Step, Text, Value, ValueShape, path_of, scan, steps};
use crate::input::ron::Refusal;
use crate::input::{ConfigError, Place, ron};
use crate::quote::excerpt;
use crate::spelling::{nearest, suggestion};

/// One override.
#[derive(Clone, Debug)]
pub(crate) struct Override {
    text: String,
    path: Vec<Step>,
    value: String,
}

impl fmt::Display for Override {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Override {
    /// Splits `path=value`.
    pub(crate) fn parse(set: &str) -> Result<Self, ConfigError> {
        let text = excerpt(set);
        let refuse = |message: &str| ConfigError::new(Place::Set(text.clone()), message);
        let (path, value) = set.split_once('=').ok_or_else(|| refuse("expected path=value, such as run.seed=7"))?;
        let path = steps(path.trim()).ok_or_else(|| {
            refuse("not a path; a path looks like network.switch.fifo_depth or workload[0].traffic.load")
        })?;
        let value = value.trim();
        if value.is_empty() {
            return Err(refuse("there is no value after the ="));
        }
        // The value must be one whole value by itself. Otherwise a stray bracket would reach into
        // its neighbours.
        let whole = scan(value).map_err(|error| refuse(&format!("the value is not RON: {}", error.message)))?;
        // A comment at the end of the value would hide the text after it.
        let value = value[whole.span].to_owned();
        Ok(Self { text, path, value })
    }

    /// The override with its whole path. The given path may be only the end of the path of a field.
    pub(crate) fn meant(self, experiment: &Experiment) -> Result<Self, ConfigError> {
        let text = ron::canonical(experiment);
        let root = scan(&text).map_err(|error| self.refuse(error.message))?;
        let (Some(Step::Name(first)), ValueShape::Fields(parts)) = (self.path.first(), &root.bare().shape) else {
            return Ok(self);
        };
        let parts: Vec<&str> = parts.iter().map(|(name, ..)| *name).collect();
        if parts.contains(&first.as_str()) {
            return Ok(self);
        }
        let known = fields(experiment);
        match resolve(&known, &path_of(&self.path)) {
            Ok(whole) => Ok(Self { path: steps(&whole).unwrap_or_default(), ..self }),
            Err(why) => match self.missed(&known, &text, &root) {
                Some(why) => Err(self.refuse(why)),
                // A misspelt `network` gets a better message from the search for the path.
                None if nearest(first, &parts).is_some() => Ok(self),
                None => Err(self.refuse(why)),
            },
        }
    }

    /// Finds the missing part of a name: the only field that is `None` and could have the rest.
    fn missed(&self, known: &[Field], text: &str, root: &Value) -> Option<String> {
        let [Step::Name(name)] = &self.path[..] else { return None };
        // A name that exists several times is not missing.
        if known.iter().any(|field| steps(&field.path).is_some_and(|path| path.ends_with(&self.path))) {
            return None;
        }
        let would_have = |field: &&Field| {
            let Some(place) = steps(&field.path).and_then(|path| span_of(root, &path)) else { return false };
            let mut changed = text.to_owned();
            changed.replace_range(place, &format!("({name}: 0)"));
            // A field that does not exist is refused as unknown. Otherwise 0 may be no value of the
            // field, or another field is needed too.
            ron::parse::<Experiment>(&changed).map_or_else(
                |Refusal { message, .. }| {
                    message.starts_with("missing field") || message.starts_with(&format!("{}.{name}: ", field.path))
                },
                |_| true,
            )
        };
        let mut found = known.iter().filter(|field| field.value == NONE).filter(would_have);
        match (found.next(), found.next()) {
            (Some(field), None) => Some(format!("{} is None; it has no {}", field.path, excerpt(name))),
            _ => None,
        }
    }

    /// Whether the override sets the field at `path`, a part of the field, or a value that contains
    /// the field.
    pub(crate) fn touches(&self, path: &[Step]) -> bool {
        self.path.iter().zip(path).all(|(mine, other)| mine == other)
    }

    fn refuse(&self, message: impl Into<String>) -> ConfigError {
        ConfigError::new(Place::Set(self.text.clone()), message)
    }

    /// Place of the value that the override replaces, in the `text` of the experiment.
    pub(crate) fn span(&self, text: &str) -> Result<Range<usize>, ConfigError> {
        let root = scan(text).map_err(|error| self.refuse(error.message))?;
        span_of(&root, &self.path).ok_or_else(|| {
            let (_, value, taken) = root.walk(&self.path);
            self.refuse(lost(value, &self.path, taken, text))
        })
    }

    /// The experiment with this override. `check` tells the range of a field.
    pub(crate) fn apply(&self, experiment: &Experiment, check: Check) -> Result<Experiment, ConfigError> {
        let text = ron::canonical(experiment);
        let span = self.span(&text)?;
        let with = |value: &str| {
            let mut changed = text.clone();
            changed.replace_range(span.clone(), value);
            ron::parse(&changed)
        };
        with(&self.value).map_err(|refusal| {
            let in_range = refusal.beyond.filter(|number| number.start == span.start).and_then(|_| {
                let located = Located { text: Text { file: "", text: "" }, sets: std::slice::from_ref(self) };
                let tried = check(&with(LARGEST).ok()?, &located);
                range_of(tried, &Place::Set(self.text.clone()), &self.value)
            });
            self.refuse(in_range.unwrap_or(refusal.message))
        })
    }
}

/// Overrides `path=value`.
pub(super) fn parse_all(sets: &[String]) -> Result<Vec<Override>, ConfigError> {
    sets.iter().map(|set| Override::parse(set)).collect()
}

/// The text of an experiment, with the overrides.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Located<'a> {
    pub text: Text<'a>,
    /// Overrides, in order.
    pub sets: &'a [Override],
}

impl Located<'_> {
    /// Place at which the first of these fields is set. It is an override if one sets it, else the
    /// text.
    #[must_use]
    pub fn place(&self, paths: &[impl AsRef<str>]) -> Place {
        let steps: Vec<_> = paths.iter().filter_map(|path| steps(path.as_ref())).collect();
        let set = self.sets.iter().rev().find(|set| steps.iter().any(|path| set.touches(path)));
        set.map_or_else(|| self.text.place(paths), |set| Place::Set(set.to_string()))
    }

    /// An error about these fields; see [`Located::place`].
    #[must_use]
    pub fn error(&self, paths: &[impl AsRef<str>], message: impl Into<String>) -> ConfigError {
        ConfigError::new(self.place(paths), message)
    }
}

/// A check of a whole experiment.
type Check = fn(&Experiment, &Located) -> Result<(), ConfigError>;

/// The experiment with some overrides, one after the other, which then have their whole paths.
pub(crate) fn apply_all(
    experiment: Experiment,
    sets: &mut [Override],
    check: Check,
) -> Result<Experiment, ConfigError> {
    match at_once(&experiment, sets) {
        Some(changed) => Ok(changed),
        // An override is inside another, is short, or is wrong. Only a step by step application
        // finds out which.
        None => sets.iter_mut().try_fold(experiment, |experiment, set| {
            *set = set.clone().meant(&experiment)?;
            set.apply(&experiment, check)
        }),
    }
}

/// The experiment with independent overrides, written out and read once.
fn at_once(experiment: &Experiment, sets: &[Override]) -> Option<Experiment> {
    let mut text = ron::canonical(experiment);
    let root = scan(&text).ok()?;
    let places = sets.iter().map(|set| Some((span_of(&root, &set.path)?, set.value.as_str())));
    let mut places: Vec<(Range<usize>, &str)> = places.collect::<Option<_>>()?;
    places.sort_by_key(|(span, _)| span.start);
    if places.windows(2).any(|pair| pair[1].0.start < pair[0].0.end) {
        return None;
    }
    for (span, value) in places.into_iter().rev() {
        text.replace_range(span, value);
    }
    ron::parse(&text).ok()
}

/// Place of the value at a path in a text, if it is there.
fn span_of(root: &Value, path: &[Step]) -> Option<Range<usize>> {
    let (_, value, taken) = root.walk(path);
    // For `trace("a.csv")` the path ends at the variant, and the value is in the parentheses.
    let value = match &value.shape {
        ValueShape::Tuple(_) => value.bare(),
        _ => value,
    };
    (taken == path.len()).then(|| value.span.clone())
}

/// Reason why the path goes no further than `value`, after `taken` steps.
fn lost(value: &Value, path: &[Step], taken: usize, text: &str) -> String {
    let here = match taken {
        0 => "an experiment".to_owned(),
        _ => path_of(&path[..taken]),
    };
    let value = value.bare();
    match (&value.shape, &path[taken]) {
        (ValueShape::Fields(fields), Step::Name(name)) => {
            let names: Vec<_> = fields.iter().map(|(key, ..)| *key).collect();
            format!("no field \"{}\" in {here}{}", excerpt(name), suggestion(name, &names))
        }
        (ValueShape::Named(variant, body), Step::Name(name)) => {
            let has_it = body.step(&path[taken]).is_some();
            let whole = if is_variant(name, value, text) {
                format!("; to change it, set it as a whole: {here}={name}(...)")
            } else {
                String::new()
            };
            if has_it && whole.is_empty() {
                let rest: String = path[taken..].iter().map(Step::to_string).collect();
                return format!("{here} is {variant}; did you mean {here}.{variant}{}?", excerpt(&rest));
            }
            format!("{here} is {variant}, not {}; its fields are {here}.{variant}.FIELD{whole}", excerpt(name))
        }
        (ValueShape::List(values), Step::Index(_)) => match values.len() {
            0 => format!("{here} is empty; set it as a whole: {here}=[...]"),
            n => format!("{here} has {n} elements; allowed: {here}[0] to {here}[{}]", n - 1),
        },
        (ValueShape::List(_), Step::Name(_)) => format!("{here} is a list; choose an element: {here}[0]"),
        (_, step) => {
            format!(
                "{here} is {}; it has no {}",
                excerpt(&text[value.span.clone()]),
                path_of(std::slice::from_ref(step))
            )
        }
    }
}

/// Whether a name is a variant that the reader accepts at the place of a value.
fn is_variant(name: &str, value: &Value, text: &str) -> bool {
    let is_name = name.starts_with(char::is_alphabetic) && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    let mut changed = text.to_owned();
    changed.replace_range(value.span.clone(), name);
    // Without its fields the reader may refuse the variant, but not as unknown.
    is_name && !ron::parse::<Experiment>(&changed).is_err_and(|why| why.message.starts_with("unknown "))
}

#[cfg(test)]
mod tests {
    use super::super::from_text;
    use crate::experiment::{Experiment, Pattern, Run, Workload};

    const BASE: &str = "(network: (topology: mesh(radices: [4, 4])), workload: [\n  traffic(load: 0.5, payload_flits: 4),\n  \
                        trace(\"a.csv\"),\n  messages([(cycle: 0, source: 0, destinations: [1], payload_flits: 1)]),\n])";

    fn with(sets: &[&str]) -> Result<Experiment, String> {
        let sets: Vec<_> = sets.iter().map(ToString::to_string).collect();
        from_text("base.ron", BASE, &sets).map(|loaded| loaded.experiment).map_err(|error| error.to_string())
    }

    #[test]
    fn any_field_can_be_set_whether_the_file_names_it_or_not() {
        let e = with(&[
            "network.switch.fifo_depth=8",
            "network.topology=torus(radices:[4,4], datelines: false)",
            "network.topology.torus.radices[1]=5",
            "network.node.consumption_depth=9",
            "workload[0].traffic.load=0.3",
            "workload[0].traffic.pattern=hot_spot(nodes:[1], share:0.5)",
            " workload[0].traffic.pattern.hot_spot.share = 0.25 ",
            "workload[1].trace=\"b.csv\"",
            "workload[2].messages[0].destinations=[3]",
            "workload[2].messages[0].encoding=bit_string",
            "run=(seed: 3)",
            "run.seed=7",
        ])
        .unwrap();
        assert_eq!(e.network.switch.fifo_depth, 8);
        assert_eq!(e.network.topology, crate::network::Topology::Torus { radices: vec![4, 5], datelines: false });
        assert_eq!(e.network.node.consumption_depth, Some(9));
        assert_eq!(e.run, Run { seed: 7, ..Run::default() });
        let Workload::Traffic(traffic) = &e.workload[0] else { panic!("traffic") };
        assert_eq!((traffic.load, &traffic.pattern), (Some(0.3), &Pattern::HotSpot { nodes: vec![1], share: 0.25 }));
        assert_eq!(e.workload[1], Workload::Trace("b.csv".into()));
        let Workload::Messages(messages) = &e.workload[2] else { panic!("messages") };
        assert_eq!(
            (&*messages[0].destinations, messages[0].encoding),
            (&[3][..], Some(wormscope_hw::Encoding::BitString))
        );
        assert_eq!(with(&["network.node.consumption_depth=Some(9)"]).unwrap().network.node.consumption_depth, Some(9));
        assert_eq!(with(&["workload=[]"]).unwrap().workload, []);
    }

    #[test]
    fn a_path_that_does_not_exist_is_refused_with_the_nearest_name() {
        let refused = |set: &str| with(&[set]).unwrap_err();
        assert_eq!(
            refused("network.switch.fifo_dept=8"),
            "--set network.switch.fifo_dept=8: no field \"fifo_dept\" in network.switch; did you mean \"fifo_depth\"? \
             allowed: flit_bits, fifo_depth, virtual_channels, dilation, header_timing, replication, \
             copy_to_source, acquisition, arbiter, lane_choice, port_order, routing_cycles, allocation_cycles, crossbar_cycles"
        );
        assert_eq!(
            refused("netwrk.clock_ns=2"),
            "--set netwrk.clock_ns=2: no field \"netwrk\" in an experiment; did you mean \"network\"? \
             allowed: network, groups, classes, workload, run"
        );
        assert_eq!(
            refused("network.topology.torus.radices=[2]"),
            "--set network.topology.torus.radices=[2]: network.topology is mesh, not torus; its fields are network.topology.mesh.FIELD; \
             to change it, set it as a whole: network.topology=torus(...)"
        );
        assert_eq!(
            refused("workload[3].traffic.load=1"),
            "--set workload[3].traffic.load=1: workload has 3 elements; allowed: workload[0] to workload[2]"
        );
        assert_eq!(
            refused("workload.traffic.load=1"),
            "--set workload.traffic.load=1: workload is a list; choose an element: workload[0]"
        );
        assert_eq!(
            refused("workload[0].load=0.2"),
            "--set workload[0].load=0.2: workload[0] is traffic; did you mean workload[0].traffic.load?"
        );
        assert_eq!(
            refused("workload[0].pattern.hot_spot=1"),
            "--set workload[0].pattern.hot_spot=1: workload[0] is traffic; did you mean workload[0].traffic.pattern.hot_spot?"
        );
        assert_eq!(
            refused("workload[0].lod=0.2"),
            "--set workload[0].lod=0.2: workload[0] is traffic, not lod; its fields are workload[0].traffic.FIELD"
        );
        assert_eq!(
            refused("workload[0].stalls=0.2"),
            "--set workload[0].stalls=0.2: workload[0] is traffic, not stalls; its fields are workload[0].traffic.FIELD; \
             to change it, set it as a whole: workload[0]=stalls(...)"
        );
        assert_eq!(refused("run.seed.x=1"), "--set run.seed.x=1: run.seed is 1; it has no x");
        assert_eq!(refused("run.seed"), "--set run.seed: expected path=value, such as run.seed=7");
        assert_eq!(refused("run.seed= "), "--set run.seed= : there is no value after the =");
        assert_eq!(
            refused("=3"),
            "--set =3: not a path; a path looks like network.switch.fifo_depth or workload[0].traffic.load"
        );
    }

    #[test]
    fn the_end_of_a_path_means_the_field() {
        let e = with(&["load=0.25", "switch.fifo_depth=9", "seed=3"]).unwrap();
        let whole = ["workload[0].traffic.load=0.25", "network.switch.fifo_depth=9", "run.seed=3"];
        assert_eq!(e, with(&whole).unwrap());
        // The second override applies to the result of the first one.
        let e = with(&["network.topology=torus(radices: [4, 4])", "datelines=false"]).unwrap();
        assert_eq!(e.network.topology, crate::network::Topology::Torus { radices: vec![4, 4], datelines: false });
        let refused = |set: &str| with(&[set]).unwrap_err();
        let none = refused("fifo_dept=8");
        assert!(none.starts_with("--set fifo_dept=8: no field \"fifo_dept\"; nearest names: fifo_depth, "), "{none}");
        let several = refused("payload_flits=9");
        assert!(
            several.starts_with("--set payload_flits=9: \"payload_flits\" means 2 fields; name one: "),
            "{several}"
        );
        assert_eq!(refused("fifo_depth=0"), "--set fifo_depth=0: fifo_depth is 0; allowed: 1 to 65535 flits");
    }

    #[test]
    fn a_field_of_what_is_none_is_told_as_by_its_whole_path() {
        let refused = |set: &str| with(&[set]).unwrap_err();
        let (costs, ring) =
            ("network.node.costs is None; it has no network", "network.token_ring is None; it has no hop_cycles");
        for (set, why) in [
            ("network.node.costs.network=50", costs),
            ("node.costs.network=50", costs),
            ("costs.network=50", costs),
            ("network.token_ring.hop_cycles=3", ring),
            ("token_ring.hop_cycles=3", ring),
            ("hop_cycles=3", ring),
        ] {
            assert_eq!(refused(set), format!("--set {set}: {why}"));
        }
        let unknown = refused("hop_cycle=3");
        assert!(unknown.starts_with("--set hop_cycle=3: no field \"hop_cycle\"; nearest names: "), "{unknown}");
    }

    #[test]
    fn comments_around_a_value_are_no_part_of_it() {
        let e =
            with(&["fifo_depth=/* a */ 8 // b", "workload[0]=traffic(load: 0.5, /* c */ payload_flits: 4) /* d */"])
                .unwrap();
        assert_eq!(e, with(&["fifo_depth=8"]).unwrap());
        let refused = with(&["fifo_depth=// 8"]).unwrap_err();
        assert_eq!(refused, "--set fifo_depth=// 8: the value is not RON: expected a value, found the end of the text");
    }

    #[test]
    fn some_is_for_fields_that_may_be_none() {
        let refused = |set: &str| with(&[set]).unwrap_err();
        let e = with(&["network.node.costs=Some(network: 50.0)", "consumption_depth=Some(9)"]).unwrap();
        assert_eq!(e, with(&["network.node.costs=(network: 50.0)", "consumption_depth=9"]).unwrap());
        for (set, why) in [
            (
                "max_cycles=Some(5)",
                "run.max_cycles: Some(5) is for a field that may be None, which this is not; write 5",
            ),
            (
                "fifo_depth=Some(5)",
                "network.switch.fifo_depth: Some(5) is for a field that may be None, which this is not; write 5",
            ),
            (
                "network.node.costs=Some((network: 50.0))",
                "network.node.costs: two pairs of parentheses in Some((network: 50.0)); write (network: 50.0)",
            ),
        ] {
            assert_eq!(refused(set), format!("--set {set}: {why}"));
        }
    }

    #[test]
    fn a_value_is_checked_as_strictly_as_in_a_file() {
        let refused = |set: &str| with(&[set]).unwrap_err();
        assert_eq!(
            refused("run.seed=-1"),
            "--set run.seed=-1: run.seed: -1 is out of range; allowed: an integer from 0 to 18446744073709551615"
        );
        // The range is that of the field, if its type has not even the number.
        for depth in ["-1", "99999999999", "70000"] {
            assert_eq!(
                refused(&format!("fifo_depth={depth}")),
                format!("--set fifo_depth={depth}: fifo_depth is {depth}; allowed: 1 to 65535 flits")
            );
        }
        assert_eq!(
            refused("network.routing=labl_order"),
            "--set network.routing=labl_order: unknown routing \"labl_order\"; did you mean \"label_order\"? \
             allowed: dimension_order, reverse_dimension_order, label_order, destination_tag, turnaround, \
             multiple_turnaround, table"
        );
        assert_eq!(
            refused("run.seed=1), network: (topology: mesh(radices: [2]))"),
            "--set run.seed=1), network: (topol...dices: [2])): the value is not RON: expected the end of the text, found `)`"
        );
        assert_eq!(
            refused("network.switch.fifo_depth=0"),
            "--set network.switch.fifo_depth=0: fifo_depth is 0; allowed: 1 to 65535 flits"
        );
    }
}
