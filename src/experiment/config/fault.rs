//! Broken rules, before their place in the text is known.

use std::fmt::{Debug, Display};
use std::ops::RangeInclusive;

use crate::experiment::WormFault;
use crate::input::{ConfigError, Place};
use crate::network::{self, Misfit};
use crate::quote::excerpt;

/// A broken rule: the fields concerned, the most helpful first, and the reason.
pub(super) struct Fault {
    pub paths: Vec<String>,
    pub message: String,
}

pub(super) type Checked = Result<(), Fault>;

pub(super) fn fault<P: Into<String>>(paths: impl IntoIterator<Item = P>, message: impl Into<String>) -> Fault {
    Fault { paths: paths.into_iter().map(Into::into).collect(), message: message.into() }
}

/// Fault of a worm. It is at the parameter of the network if the message names one, else at the
/// field of the message.
pub(super) fn worm_fault(why: WormFault, path: &str) -> Fault {
    let own = format!("{path}.{}", why.part.path());
    fault(why.parameter.map(str::to_owned).into_iter().chain([own]), why.message)
}

impl From<Misfit> for Fault {
    fn from(why: Misfit) -> Self {
        Self { paths: why.paths, message: why.why }
    }
}

/// Checks that `value` is in `range`. `unit` is the unit of both. It is empty or begins with a
/// blank.
pub(super) fn within<T: Copy + PartialOrd + Display + Debug>(
    path: &str,
    value: T,
    range: RangeInclusive<T>,
    unit: &str,
) -> Checked {
    network::within(path, value, range, unit).map_err(Fault::from)
}

/// A number that all types of integers have, and only some fields.
pub(super) const LARGEST: &str = "4294967295";

/// The message about a number that the type of its field does not have: the range is that of the
/// field. `tried` is the result with [`LARGEST`] in its place. `None` if the field may have this.
pub(super) fn range_of<T>(tried: Result<T, ConfigError>, at: &Place, number: &str) -> Option<String> {
    match tried {
        Err(ConfigError::Invalid { place, message }) if place == *at && message.contains("; allowed: ") => {
            Some(message.replace(LARGEST, &excerpt(number)))
        }
        _ => None,
    }
}
