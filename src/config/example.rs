//! Commented configurations to start from.

use crate::input::ConfigError;
use crate::spelling::suggestion;

/// Kinds of examples: name and text.
const EXAMPLES: [(&str, &str); 10] = [
    ("mesh", include_str!("example_mesh.ron")),
    ("torus", include_str!("example_torus.ron")),
    ("linear", include_str!("example_linear.ron")),
    ("uni_min", include_str!("example_uni_min.ron")),
    ("bi_min", include_str!("example_bi_min.ron")),
    ("custom", include_str!("example_custom.ron")),
    ("multicast", include_str!("example_multicast.ron")),
    ("software", include_str!("example_software.ron")),
    ("traffic", include_str!("example_traffic.ron")),
    ("trace", include_str!("example_trace.ron")),
];

/// Names of the examples.
pub const KINDS: [&str; EXAMPLES.len()] = {
    let mut names = [""; EXAMPLES.len()];
    let mut at = 0;
    while at < EXAMPLES.len() {
        names[at] = EXAMPLES[at].0;
        at += 1;
    }
    names
};

/// The commented example of this kind.
///
/// # Errors
/// When there is none; names the nearest.
pub fn example(kind: &str) -> Result<&'static str, ConfigError> {
    match EXAMPLES.iter().find(|(name, _)| *name == kind) {
        Some((_, text)) => Ok(text),
        None => Err(ConfigError::NoExample(format!(
            "no example \"{}\"{}",
            crate::quote::excerpt(kind),
            suggestion(kind, &KINDS)
        ))),
    }
}
