//! Reasons why a network cannot be built.

use std::fmt::{Debug, Display};
use std::ops::RangeInclusive;

use wormscope_quote::{count, number};

/// Largest number of nodes, and of switches of a multistage network.
pub const LARGEST_NODES: u32 = 1 << 24;

/// Reason why a topology or a network cannot be built: the fields at fault, and the fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misfit {
    /// The fields, for example `topology.bi_min.switch_ports`. The field most to blame comes first.
    /// For a topology by itself, paths begin with its name.
    pub paths: Vec<String>,
    /// The fault, and the allowed values.
    pub why: String,
}

impl Display for Misfit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.paths.first().map_or("", String::as_str), self.why)
    }
}

impl std::error::Error for Misfit {}

impl Misfit {
    pub(super) fn new(path: impl Into<String>, why: impl Into<String>) -> Self {
        Self { paths: vec![path.into()], why: why.into() }
    }

    pub(super) fn of<P: Into<String>>(paths: impl IntoIterator<Item = P>, why: impl Into<String>) -> Self {
        Self { paths: paths.into_iter().map(Into::into).collect(), why: why.into() }
    }

    /// The same reason, with the fields below `field`.
    #[must_use]
    pub fn within(self, field: &str) -> Self {
        Self { paths: self.paths.into_iter().map(|path| format!("{field}.{path}")).collect(), ..self }
    }

    /// The same reason, with `field` as the first field to change, and the topology as the last
    /// one.
    pub(super) fn or_at(self, field: &str) -> Self {
        let paths = [field.to_owned()].into_iter().chain(self.paths).chain(["topology".to_owned()]);
        Self { paths: paths.collect(), ..self }
    }

    /// Checks the number of ports of a switch, on each of `most` sides, and the number of stages of
    /// a multistage network.
    pub(super) fn stages(kind: &str, ports: u32, most: u32, stages: u32) -> Result<(), Self> {
        within(&format!("{kind}.switch_ports"), ports, 2..=most, "")?;
        let at = format!("{kind}.stages");
        within(&at, stages, 1..=LARGEST_NODES.ilog2(), "")?;
        let rows = u64::from(ports).checked_pow(stages - 1);
        let each = [ports, stages].map(|of_row| rows?.checked_mul(of_row.into()));
        if each.iter().any(|count| count.is_none_or(|count| count > LARGEST_NODES.into())) {
            let [nodes, switches] = each.map(count);
            let why = format!(
                "{stages} stages of switches of {ports} ports are {nodes} nodes and {switches} switches; allowed: up to \
                 {LARGEST_NODES} of each"
            );
            return Err(Self::new(at, why));
        }
        Ok(())
    }
}

/// Checks that `value` is in `range`. `unit` is the unit of both. It is empty or begins with a
/// blank.
///
/// # Errors
/// A value outside the range.
pub fn within<T: Copy + PartialOrd + Display + Debug>(
    path: &str,
    value: T,
    range: RangeInclusive<T>,
    unit: &str,
) -> Result<(), Misfit> {
    if range.contains(&value) {
        return Ok(());
    }
    let field = path.rsplit('.').next().unwrap_or(path);
    let why = format!("{field} is {}; allowed: {} to {}{unit}", number(value), range.start(), range.end());
    Err(Misfit::new(path, why))
}
