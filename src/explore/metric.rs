//! Metrics by name: short where unambiguous, and which way is better.

use super::error::ExploreError;
use crate::quote::list_of;
use crate::spelling::nearest;
use crate::sweep::metrics::whole_name;
use crate::sweep::{Column, Role, Schema};

/// Which way a metric is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Better {
    /// The less the better.
    Less,
    /// The more the better.
    More,
}

impl Better {
    /// Whether one number is better than another.
    #[must_use]
    pub fn than(self, one: f64, other: f64) -> bool {
        match self {
            Self::Less => one < other,
            Self::More => one > other,
        }
    }
}

/// Beginnings of names of metrics that are better one way.
const DIRECTIONS: [(&str, Better); 26] = [
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
    ("accepted", Better::More),
    ("delivered", Better::More),
    ("saturation", Better::More),
    ("multicast_latency", Better::Less),
    ("multicast_interval_percent", Better::Less),
    ("source_queue_mean", Better::Less),
    ("hold_mean", Better::Less),
    ("end_mean", Better::Less),
];

/// Which way a metric is better, where everybody agrees.
#[must_use]
pub fn direction(name: &str) -> Option<Better> {
    DIRECTIONS.iter().find(|(beginning, _)| name.starts_with(beginning)).map(|(_, better)| *better)
}

impl Schema {
    /// The column of numbers that is called so: by its name, by a short one, or by words of a name
    /// that no other has.
    ///
    /// # Errors
    /// When there is none, or several.
    pub fn metric(&self, name: &str) -> Result<usize, ExploreError> {
        let usable = |column: &Column| matches!(column.role, Role::Metric | Role::Axis) && column.is_numeric();
        self.named("metric", name, usable).map_err(|error| match self.load() {
            Err(why) if name == "saturation" => ExploreError::Question(format!(
                "no saturation can be read off the loads: {why}, or search for it with sweep --saturation"
            )),
            _ => error,
        })
    }

    /// The varied field that is called so.
    ///
    /// # Errors
    /// When there is none, or several.
    pub fn axis(&self, name: &str) -> Result<usize, ExploreError> {
        self.named("varied field", name, |column| column.role == Role::Axis || column.name == "base")
    }

    fn named(&self, what: &str, name: &str, usable: impl Fn(&Column) -> bool) -> Result<usize, ExploreError> {
        let columns = || self.columns.iter().enumerate().filter(|(_, column)| usable(column));
        let exact =
            |name: &str| columns().find(|(_, column)| column.name == name || column.path.as_deref() == Some(name));
        let short = Some(whole_name(name)).filter(|whole| *whole != name).and_then(exact);
        if let Some((index, _)) = exact(name).or(short) {
            return Ok(index);
        }
        let found: Vec<usize> = columns().filter(|(_, column)| has_words(&column.name, name)).map(|(i, _)| i).collect();
        // A metric of all traffic goes before those of its classes.
        let whole = found.iter().filter(|&&index| !self.columns[index].name.contains('.'));
        match (&found[..], &whole.collect::<Vec<_>>()[..]) {
            (&[only], _) | (_, &[&only]) => Ok(only),
            ([], _) => {
                let names: Vec<&str> = columns().map(|(_, column)| column.name.as_str()).collect();
                let near = nearest(name, &names).map(|near| format!("; did you mean \"{near}\"?"));
                let allowed = allowed(&names).replacen("; ", if near.is_some() { " " } else { "; " }, 1);
                let near = near.unwrap_or_default();
                Err(ExploreError::Question(format!("unknown {what} \"{name}\"{near}{allowed}")))
            }
            _ => {
                let names: Vec<&str> = found.iter().map(|&index| self.columns[index].name.as_str()).collect();
                Err(ExploreError::Question(format!("\"{name}\" is short for several{}", allowed(&names))))
            }
        }
    }
}

/// `; allowed: a, b, c`, cut short where there are many.
fn allowed(names: &[&str]) -> String {
    const MOST: usize = 30;
    match names {
        [] => "; there is none in this sweep".to_owned(),
        _ => format!("; allowed: {}", list_of(names, ", ", MOST)),
    }
}

/// Whether the words of `short` follow each other in `name`, as those of `last_p99` do in
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
    use crate::sweep::metrics;

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
    fn every_metric_of_a_network_knows_which_way_is_better() {
        assert_eq!(direction("latency_last_p99.bit_string"), Some(Better::Less));
        assert_eq!(direction("saturation_low"), Some(Better::More));
        assert_eq!(direction("offered"), None);
        // Of the columns of a sweep these alone are better neither way.
        let of_sweeps: Vec<String> = metrics::all().into_iter().map(|metric| metric.name).collect();
        let open: Vec<&str> = of_sweeps.iter().map(String::as_str).filter(|name| direction(name).is_none()).collect();
        let expected = [
            "offered",
            "messages",
            "worms",
            "utilisation_mean",
            "background_bytes",
            "background",
            "moving",
            "bisection_links",
            "bisection_wires",
        ];
        assert_eq!(open, expected);
        let is_used = |beginning: &str| of_sweeps.iter().any(|name| name.starts_with(beginning));
        // Those that are read off the loads, or come with coefficients.
        let unused: Vec<&str> = DIRECTIONS.iter().map(|of| of.0).filter(|beginning| !is_used(beginning)).collect();
        assert_eq!(unused, ["energy_", "saturation"]);
    }
}
