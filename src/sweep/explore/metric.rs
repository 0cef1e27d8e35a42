//! Metrics by name, with their short names if these are unique, and their better direction.

use std::cmp::Ordering;

use super::error::ExploreError;
use crate::config::{self, Field};
use crate::quote::{self, list_of};
use crate::spelling::nearest;
use crate::sweep::bars::is_error;
use crate::sweep::metrics::{option_of, short_names, whole_name};
use crate::sweep::{Base, Column, Role, Schema};

/// Direction in which a metric is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Better {
    /// Less is better.
    Less,
    /// More is better.
    More,
}

impl Better {
    /// Order of two numbers, the better first.
    #[must_use]
    pub(crate) fn order(self, one: f64, other: f64) -> Ordering {
        match self {
            Self::Less => one.total_cmp(&other),
            Self::More => other.total_cmp(&one),
        }
    }

    /// Whether one number is better than another.
    #[must_use]
    pub fn than(self, one: f64, other: f64) -> bool {
        match self {
            Self::Less => one < other,
            Self::More => one > other,
        }
    }
}

/// Beginnings of names of metrics with a better direction.
const DIRECTIONS: [(&str, Better); 35] = [
    ("latency_", Better::Less),
    ("stall_", Better::Less),
    ("token_wait_", Better::Less),
    ("cycles", Better::Less),
    ("area", Better::Less),
    ("flip_flops", Better::Less),
    ("logic_depth", Better::Less),
    ("fifo_bits", Better::Less),
    ("switch_area", Better::Less),
    ("switch_flip_flops", Better::Less),
    ("consumption_bits", Better::Less),
    ("header_store_bits", Better::Less),
    ("cross_points", Better::Less),
    ("reach_bits", Better::Less),
    ("token_stations", Better::Less),
    ("link_wires", Better::Less),
    ("energy_", Better::Less),
    ("utilisation_max", Better::Less),
    ("link_use_max", Better::Less),
    ("link_blocked_", Better::Less),
    ("fifo_f", Better::Less),
    ("hops_mean", Better::Less),
    ("cycle_ns", Better::Less),
    ("gbps_per_kge", Better::More),
    ("longest_link", Better::Less),
    ("link_toggle", Better::Less),
    ("accepted", Better::More),
    ("deadlock_free", Better::More),
    ("delivered", Better::More),
    ("saturation", Better::More),
    ("multicast_latency", Better::Less),
    ("multicast_interval_percent", Better::Less),
    ("source_queue_mean", Better::Less),
    ("hold_mean", Better::Less),
    ("end_mean", Better::Less),
];

/// Better direction of a metric that has only one.
#[must_use]
pub fn direction(name: &str) -> Option<Better> {
    DIRECTIONS.iter().find(|(beginning, _)| name.starts_with(beginning)).map(|(_, better)| *better)
}

impl Schema {
    /// The column of numbers with this name: its whole name, a short one, or words of a name that
    /// no other has.
    ///
    /// # Errors
    /// There is no such column, or there are several.
    pub fn metric(&self, name: &str) -> Result<usize, ExploreError> {
        let usable = |column: &Column| matches!(column.role, Role::Metric | Role::Axis) && column.is_numeric();
        self.named("metric", name, usable).map_err(|error| match (self.load(), self.fixed(name)) {
            (Err(why), _) if name == "saturation" => ExploreError::Question(format!(
                "the loads of the sweep do not give saturation: {why}, or search for it with sweep --saturation"
            )),
            (_, Some(fixed)) => ExploreError::Question(fixed),
            _ => error,
        })
    }

    /// The varied field with this name.
    ///
    /// # Errors
    /// There is no such field, or there are several.
    pub fn axis(&self, name: &str) -> Result<usize, ExploreError> {
        let is_axis = |column: &Column| column.role == Role::Axis || column.name == "base";
        let axes = || {
            let axes = self.columns.iter().filter(|column| column.role == Role::Axis);
            axes.map(|column| column.name.as_str()).collect::<Vec<_>>()
        };
        self.named("varied field", name, is_axis).map_err(|error| {
            let is_metric = |column: &Column| column.role == Role::Metric;
            let why = self.fixed(name).or_else(|| {
                let metric = &self.columns[self.named("metric", name, is_metric).ok()?];
                Some(format!("{} is measured, not varied{}", metric.name, allowed(&axes())))
            });
            why.map_or(error, ExploreError::Question)
        })
    }

    /// Text that a field is not varied, with its value in every run. `None` if it is varied, or is
    /// no field of the bases.
    fn fixed(&self, name: &str) -> Option<String> {
        let at = self.fixed_at(&self.fields()?, name)?;
        Some(format!("{} is fixed in this sweep, at {at}; --vary of wormscope sweep varies it", quote::excerpt(name)))
    }

    /// Fields that are not varied, by path, with their values in every run.
    pub(crate) fn fixed_fields(&self) -> Vec<(String, String)> {
        let fields = self.fields().unwrap_or_default();
        let paths = fields.first().into_iter().flatten().map(|field| &field.path);
        paths.filter_map(|path| Some((path.clone(), self.fixed_at(&fields, path)?))).collect()
    }

    /// The fields of each base.
    fn fields(&self) -> Option<Vec<Vec<Field>>> {
        let of = |base: &Base| Some(config::paths(&config::from_text(&base.name, &base.text, &[]).ok()?));
        self.bases.iter().map(of).collect()
    }

    fn fixed_at(&self, fields: &[Vec<Field>], name: &str) -> Option<String> {
        let value = |fields: &Vec<Field>| {
            let path = config::resolve(fields, name).ok()?;
            let field = fields.iter().find(|field| field.path == path)?;
            // Each run has its own seed. A field inside a varied field, or around one, is varied.
            let touches = |other: &String| is_part(&path, other) || is_part(other, &path);
            let is_varied = self.columns.iter().filter_map(|column| column.path.as_ref()).any(touches);
            (path != "run.seed" && !is_varied).then(|| quote::excerpt(&field.value))
        };
        let values: Vec<String> = fields.iter().map(value).collect::<Option<_>>()?;
        let first = values.first()?;
        if values.iter().all(|value| value == first) {
            return Some(first.clone());
        }
        let each = self.bases.iter().zip(&values);
        Some(each.map(|(base, value)| format!("{value} in {}", quote::name(&base.name))).collect::<Vec<_>>().join(", "))
    }

    fn named(&self, what: &str, name: &str, usable: impl Fn(&Column) -> bool) -> Result<usize, ExploreError> {
        let columns = || self.columns.iter().enumerate().filter(|(_, column)| usable(column));
        let exact =
            |name: &str| columns().find(|(_, column)| column.name == name || column.path.as_deref() == Some(name));
        let short = || exact(&whole_name(name));
        // A field may be named by the end of its path, as in `sweep`.
        let is_end = |column: &Column| {
            let before = column.path.as_deref().and_then(|path| path.strip_suffix(name));
            before.is_some_and(|before| before.ends_with('.'))
        };
        let end = || {
            let mut ends = columns().filter(|(_, column)| is_end(column));
            ends.next().filter(|_| ends.next().is_none())
        };
        if let Some((index, _)) = exact(name).or_else(short).or_else(end) {
            return Ok(index);
        }
        // An error of an estimate has the words of the estimate.
        let is_meant =
            |column: &Column| has_words(&column.name, name) && (!is_error(&column.name) || name.contains("error"));
        let found: Vec<usize> = columns().filter(|(_, column)| is_meant(column)).map(|(i, _)| i).collect();
        // A metric of all traffic comes before the same metric of a class.
        let whole = found.iter().filter(|&&index| !self.columns[index].name.contains('.'));
        match (&found[..], &whole.collect::<Vec<_>>()[..]) {
            (&[only], _) | (_, &[&only]) => Ok(only),
            ([], _) if let Some(why) = missing_option(name).filter(|_| what == "metric") => {
                Err(ExploreError::Question(why))
            }
            ([], _) => {
                let names: Vec<&str> = columns().map(|(_, column)| column.name.as_str()).collect();
                let short = short_names().iter().map(|(short, _)| *short).filter(|_| what == "metric");
                let known: Vec<&str> = names.iter().copied().chain(short).collect();
                let near = nearest(name, &known).map(|near| format!("; did you mean \"{near}\"?"));
                let allowed = allowed(&names).replacen("; ", if near.is_some() { " " } else { "; " }, 1);
                let near = near.unwrap_or_default();
                Err(ExploreError::Question(format!("unknown {what} \"{}\"{near}{allowed}", quote::excerpt(name))))
            }
            _ => {
                let names: Vec<&str> = found.iter().map(|&index| self.columns[index].name.as_str()).collect();
                Err(ExploreError::Question(format!(
                    "\"{}\" is short for several{}",
                    quote::excerpt(name),
                    allowed(&names)
                )))
            }
        }
    }
}

/// The error about a metric that only a sweep with another option has.
fn missing_option(name: &str) -> Option<String> {
    let whole = whole_name(name);
    let (option, field) = option_of(&whole)?;
    Some(format!("only a sweep with {option} has {}; in a file, write {field}", quote::excerpt(&whole)))
}

/// Whether a path equals another, or continues it.
fn is_part(inner: &str, outer: &str) -> bool {
    inner.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

/// `; allowed: a, b, c`, cut short if there are many.
fn allowed(names: &[&str]) -> String {
    const MOST: usize = 30;
    match names {
        [] => "; there is none in this sweep".to_owned(),
        _ => format!("; allowed: {}", list_of(names, ", ", MOST)),
    }
}

/// Whether the words of `short` follow each other in `name`, as the words of `last_p99` in
/// `latency_last_p99`.
fn has_words(name: &str, short: &str) -> bool {
    let words = |text: &'_ str| text.split(['_', '.']).map(str::to_owned).collect::<Vec<_>>();
    let (name, short) = (words(name), words(short));
    name.windows(short.len()).any(|window| window == short)
}

#[cfg(test)]
mod tests {
    use super::super::tests::directory;
    use super::super::{Better, Sweep, direction};
    use super::DIRECTIONS;
    use crate::sweep::{Study, metrics};

    #[test]
    fn names_are_short_where_unambiguous() {
        let sweep = Sweep::open(directory().path()).unwrap();
        let found = |name: &str| {
            sweep.schema.metric(name).map(|i| sweep.schema.columns[i].name.clone()).map_err(|error| error.to_string())
        };
        for (name, column) in [
            ("latency_last_p99", "latency_last_p99"),
            ("p99", "latency_last_p99"),
            ("area", "area_ge"),
            ("first", "latency_first_mean"),
            ("network.switch.fifo_depth", "fifo_depth"),
            ("switch.fifo_depth", "fifo_depth"),
            ("traffic.load", "load"),
            ("latency.unicast", "latency_last_mean.unicast"),
            ("latency_last_mean.unicast", "latency_last_mean.unicast"),
        ] {
            assert_eq!(found(name).as_deref(), Ok(column), "{name}");
        }
        assert_eq!(
            found("last"),
            Err("\"last\" is short for several; allowed: latency_last_mean, latency_last_p99, latency_last_mean.unicast".to_owned())
        );
        let unknown = found("satturation").unwrap_err();
        assert!(
            unknown
                .starts_with("unknown metric \"satturation\"; did you mean \"saturation\"? allowed: fifo_depth, load,"),
            "{unknown}"
        );
        assert!(found("outcome").is_err() && found("").is_err());
    }

    #[test]
    fn a_field_that_is_not_varied_is_told_as_fixed() {
        let sweep = Sweep::open(directory().path()).unwrap();
        let axis = |name: &str| sweep.schema.axis(name).unwrap_err().to_string();
        let fixed = |name: &str, value: &str| {
            format!("{name} is fixed in this sweep, at {value}; --vary of wormscope sweep varies it")
        };
        assert_eq!(axis("virtual_channels"), fixed("virtual_channels", "1"));
        assert_eq!(axis("network.topology"), fixed("network.topology", "mesh(radices:[4,4])"));
        assert_eq!(sweep.schema.metric("flit_bits").unwrap_err().to_string(), fixed("flit_bits", "64"));
        assert_eq!(axis("p99"), "latency_last_p99 is measured, not varied; allowed: fifo_depth, load");
        // Seeds are not fixed, and neither is a value around a varied field.
        for name in ["seed", "run.seed", "network.switch", "fifo_dept"] {
            assert!(axis(name).starts_with("unknown varied field"), "{name}: {}", axis(name));
        }
        let mut schema = sweep.schema.clone();
        schema.bases.push(crate::sweep::Base::new(
            "b.ron".to_owned(),
            schema.bases[0].text.replace("[4, 4])", "[4, 4]), switch: (flit_bits: 128)"),
        ));
        assert_eq!(
            schema.axis("flit_bits").unwrap_err().to_string(),
            fixed("flit_bits", "64 in mesh.ron, 128 in b.ron")
        );
    }

    #[test]
    fn every_metric_of_a_network_knows_which_way_is_better() {
        assert_eq!(direction("latency_last_p99.bit_string"), Some(Better::Less));
        assert_eq!(direction("saturation_low"), Some(Better::More));
        assert_eq!(direction("offered"), None);
        // Only these columns of a sweep have no better direction.
        let study = Study { links: true, deadlock: true, ..Study::default() };
        let of_sweeps: Vec<String> = metrics::of(&study, &[]).into_iter().map(|metric| metric.name).collect();
        let open: Vec<&str> = of_sweeps.iter().map(String::as_str).filter(|name| direction(name).is_none()).collect();
        let expected = [
            "offered",
            "messages",
            "worms",
            "utilisation_mean",
            "background_bytes",
            "background",
            "moving",
            "depth_error_percent",
            "bisection_links",
            "bisection_wires",
            "link_use_mean",
            "deadlock",
        ];
        assert_eq!(open, expected);
        let is_used = |beginning: &str| of_sweeps.iter().any(|name| name.starts_with(beginning));
        // Saturation comes from the loads, and energy and times need coefficients.
        let unused: Vec<&str> = DIRECTIONS.iter().map(|of| of.0).filter(|beginning| !is_used(beginning)).collect();
        assert_eq!(unused, ["energy_", "cycle_ns", "gbps_per_kge", "link_toggle", "saturation"]);
    }
}
