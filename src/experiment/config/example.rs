//! Commented configurations to start from.

use crate::input::ConfigError;
use crate::network::EXAMPLES;
use crate::spelling::suggestion;

/// Further examples, which are not for topologies: name and text.
const OTHERS: [(&str, &str); 6] = [
    ("custom", include_str!("example_custom.ron")),
    ("multicast", include_str!("example_multicast.ron")),
    ("groups", include_str!("example_groups.ron")),
    ("software", include_str!("example_software.ron")),
    ("traffic", include_str!("example_traffic.ron")),
    ("trace", include_str!("example_trace.ron")),
];

/// Names of the examples.
pub const KINDS: [&str; EXAMPLES.len() + OTHERS.len()] = {
    let mut names = [""; EXAMPLES.len() + OTHERS.len()];
    let mut at = 0;
    while at < names.len() {
        names[at] = if at < EXAMPLES.len() { EXAMPLES[at].0 } else { OTHERS[at - EXAMPLES.len()].0 };
        at += 1;
    }
    names
};

/// The commented example of this kind.
///
/// # Errors
/// There is no such example. The error names the nearest.
pub fn example(kind: &str) -> Result<&'static str, ConfigError> {
    match EXAMPLES.iter().chain(&OTHERS).find(|(name, _)| *name == kind) {
        Some((_, text)) => Ok(text),
        None => Err(ConfigError::NoExample(format!(
            "no example \"{}\"{}",
            crate::quote::excerpt(kind),
            suggestion(kind, &KINDS)
        ))),
    }
}
