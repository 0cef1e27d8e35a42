//! Settings of a sweep, in the words of the command line or of a file.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::{SweepError, record};
use crate::input::{ConfigError, ron};
use crate::quote;

/// Settings of a sweep. The fields are the options of the command line.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Study {
    /// Files of experiments. In a file of a study, paths are relative to that file.
    pub bases: Vec<String>,
    /// `FIELD=VALUES`, or several joined by ` with `, which are varied together.
    #[serde(default)]
    pub vary: Vec<String>,
    /// `FIELD=EXPRESSION` of other fields.
    #[serde(default)]
    pub derive: Vec<String>,
    /// Number of runs of each point, with seeds S, S + 1, ... from the base's own on.
    #[serde(default = "one")]
    pub seeds: u32,
    /// `METRIC=PERCENT%`: a point has fewer runs if the interval of the metric over its seeds is
    /// this narrow before.
    #[serde(default)]
    pub seeds_until: Option<String>,
    /// `METRIC=PERCENT%`: every run goes on until the interval of the metric within it is this
    /// narrow.
    #[serde(default)]
    pub until: Option<String>,
    /// Load whose saturation is searched.
    #[serde(default)]
    pub saturation: Option<String>,
    /// File of the coefficients of the energy estimate. In a file of a study, its path is relative
    /// to that file.
    #[serde(default)]
    pub energy: Option<String>,
    /// Whether links and FIFOs are watched, and hops counted. Runs then take longer.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub links: bool,
    /// Whether the situations that each run meets are counted. Runs then take longer.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub coverage: bool,
    /// Whether each row has the verdict on deadlocks before a run.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub deadlock: bool,
}

fn one() -> u32 {
    1
}

impl Study {
    /// Whether a RON text is a study rather than an experiment.
    #[must_use]
    pub fn is_one(text: &str) -> bool {
        ron::fields(text).iter().any(|field| field == "bases")
    }

    /// Reads a study from the text of a file.
    ///
    /// # Errors
    /// The text is no study.
    pub fn from_text(file: &str, text: &str) -> Result<Self, ConfigError> {
        ron::typed(file, text)
    }

    /// The command with these settings.
    #[must_use]
    pub fn command(&self) -> String {
        let mut words = vec!["wormscope", "sweep"];
        words.extend(self.bases.iter().map(String::as_str));
        for (option, values) in [("--vary", &self.vary), ("--derive", &self.derive)] {
            for value in values {
                words.extend([option, value.as_str()]);
            }
        }
        let seeds = self.seeds.to_string();
        if self.seeds > 1 {
            words.extend(["--seeds", &seeds]);
        }
        for (option, value) in
            [("--seeds-until", &self.seeds_until), ("--until", &self.until), ("--energy", &self.energy)]
        {
            words.extend(value.iter().flat_map(|value| [option, value.as_str()]));
        }
        let saturation = self.saturation.as_ref().map(|field| format!("--saturation={field}"));
        words.extend(saturation.as_deref());
        words.extend(self.links.then_some("--links"));
        words.extend(self.coverage.then_some("--coverage"));
        words.extend(self.deadlock.then_some("--deadlock"));
        words.into_iter().map(quote::shell).collect::<Vec<_>>().join(" ")
    }
}

/// A file from which a sweep starts: an experiment, or coefficients.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Base {
    /// The file as given.
    pub name: String,
    /// SHA-256 of its text.
    pub sha256: String,
    /// Text of the base.
    pub text: String,
}

impl Base {
    /// A base of this text.
    #[must_use]
    pub fn new(name: String, text: String) -> Self {
        let sha256 = record::hex(&Sha256::digest(&text));
        Self { name, sha256, text }
    }
}

/// A part of a sweep's points: the points whose number has the remainder `index - 1` when divided
/// by `of`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shard {
    /// Number of the part, from 1.
    pub index: u32,
    /// Number of parts.
    pub of: u32,
}

impl Shard {
    /// Whether a point is in the shard.
    #[must_use]
    pub fn has(self, point: u64) -> bool {
        point % u64::from(self.of) == u64::from(self.index) - 1
    }

    /// Number of points of the shard, of `all` points.
    #[must_use]
    pub fn points(self, all: u64) -> u64 {
        (all + u64::from(self.of - self.index)) / u64::from(self.of)
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.of)
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parsed = text.split_once('/').and_then(|(k, n)| Some((k.parse().ok()?, n.parse().ok()?)));
        match parsed {
            Some((index, of)) if (1..=of).contains(&index) => Ok(Self { index, of }),
            _ => Err("a shard is K/N, K from 1 to N, as in 3/8".to_owned()),
        }
    }
}

/// Splits `FIELD=VALUE`.
pub(super) fn assignment<'a>(option: &str, text: &'a str) -> Result<(&'a str, &'a str), SweepError> {
    let (name, value) = text.split_once('=').map(|(name, value)| (name.trim(), value.trim())).unwrap_or_default();
    if name.is_empty() || value.is_empty() {
        let why = format!("{option} {}: expected FIELD=..., such as fifo_depth=2,4,8", quote::excerpt(text));
        return Err(SweepError::Asked(why));
    }
    Ok((name, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_part_all_points() {
        let shards: Vec<Shard> = ["1/3", "2/3", "3/3"].iter().map(|text| text.parse().unwrap()).collect();
        assert!((0..20).all(|point| shards.iter().filter(|shard| shard.has(point)).count() == 1));
        for all in 0..20 {
            let counted = |shard: &Shard| (0..all).filter(|&point| shard.has(point)).count() as u64;
            assert!(shards.iter().all(|shard| shard.points(all) == counted(shard)));
        }
        assert_eq!(shards[1].to_string(), "2/3");
        for wrong in ["0/3", "4/3", "1", "a/b", "1/0"] {
            assert!(wrong.parse::<Shard>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_command_of_a_study_can_be_given_to_a_shell() {
        let study = Study {
            bases: vec!["a b.ron".into()],
            vary: vec!["load=0.1..0.3/0.1".into(), "x=1,2 with y=3,4".into()],
            seeds: 5,
            ..Study::default()
        };
        let expected = "wormscope sweep 'a b.ron' --vary load=0.1..0.3/0.1 --vary 'x=1,2 with y=3,4' --seeds 5";
        assert_eq!(study.command(), expected);
        assert!(Study::is_one("(bases: [\"a\"])") && !Study::is_one("(network: ())"));
    }
}
