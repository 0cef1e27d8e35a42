//! What a paper says of a figure, measured on its data.

use serde::{Deserialize, Serialize};

use super::data::Data;
use super::measure::Measure;

/// A claim of a paper.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// What the paper says, in its words.
    pub says: String,
    /// What is measured.
    pub measure: Measure,
    /// What is published of it, in words: `about 5`.
    pub published: String,
    /// Where the claim holds.
    pub holds: Range,
    /// Where it holds in part.
    #[serde(default)]
    pub in_part: Option<Range>,
    /// Why it does not hold, or not in full; or the parameter that is missing where it cannot be
    /// told.
    #[serde(default)]
    pub because: Option<String>,
    /// The parameter without which it cannot be told, whatever comes out.
    #[serde(default)]
    pub lacks: Option<String>,
}

/// Numbers among which one lies.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Range {
    /// No less.
    AtLeast(f64),
    /// No more.
    AtMost(f64),
    /// Neither less nor more.
    Between(f64, f64),
}

impl Range {
    fn has(self, value: f64) -> bool {
        let [least, most] = self.ends();
        (least..=most).contains(&value)
    }

    /// Where it begins and ends.
    fn ends(self) -> [f64; 2] {
        match self {
            Self::AtLeast(least) => [least, f64::INFINITY],
            Self::AtMost(most) => [f64::NEG_INFINITY, most],
            Self::Between(least, most) => [least, most],
        }
    }

    /// Whether some numbers are among it and some are not.
    pub(super) fn is_one(self) -> bool {
        match self {
            Self::AtLeast(end) | Self::AtMost(end) => end.is_finite(),
            Self::Between(least, most) => least.is_finite() && most.is_finite() && least <= most,
        }
    }

    /// Whether all numbers of another are among it.
    pub(super) fn covers(self, other: Self) -> bool {
        other.ends().into_iter().all(|end| self.has(end))
    }

    /// In words, its ends as `told`.
    pub(super) fn words(self, told: impl Fn(f64) -> String) -> String {
        match self {
            Self::AtLeast(least) => format!("at least {}", told(least)),
            Self::AtMost(most) => format!("at most {}", told(most)),
            Self::Between(least, most) => format!("{} to {}", told(least), told(most)),
        }
    }
}

/// What is to be said of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// It holds.
    Holds,
    /// It holds in part.
    InPart,
    /// It does not.
    DoesNot,
    /// It cannot be told.
    Unknown,
}

impl Verdict {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Holds, Self::InPart, Self::DoesNot, Self::Unknown];

    /// In words.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::InPart => "holds in part",
            Self::DoesNot => "does not hold",
            Self::Unknown => "cannot be told",
        }
    }
}

/// A claim, measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Finding {
    /// What was found; `None` where the curves do not have it.
    pub value: Option<f64>,
    /// The least and the greatest that it comes to within the intervals of the points it is read
    /// off.
    pub interval: Option<(f64, f64)>,
    /// What is to be said.
    pub verdict: Verdict,
    /// Whether another verdict is to be had within the interval.
    pub is_unsure: bool,
}

/// Measures a claim on the data of its figure.
#[must_use]
pub fn judge(claim: &Claim, data: &Data) -> Finding {
    let (value, interval) = claim.measure.read(data);
    let verdict = value.filter(|_| claim.lacks.is_none()).map_or(Verdict::Unknown, |value| claim.verdict(value));
    let another = |interval| claim.verdicts(interval).any(|other| other != verdict);
    let is_unsure = verdict != Verdict::Unknown && interval.is_some_and(another);
    Finding { value, interval, verdict, is_unsure }
}

impl Claim {
    /// What is to be said of a value.
    fn verdict(&self, value: f64) -> Verdict {
        match value {
            _ if self.holds.has(value) => Verdict::Holds,
            _ if self.in_part.is_some_and(|range| range.has(value)) => Verdict::InPart,
            _ => Verdict::DoesNot,
        }
    }

    /// All that is to be said of values from `low` to `high`, some of it more than once.
    fn verdicts(&self, (low, high): (f64, f64)) -> impl Iterator<Item = Verdict> {
        // What lies between may be in a range that neither end is in.
        let ends = self.holds.ends().into_iter().chain(self.in_part.iter().flat_map(|range| range.ends()));
        let inner = ends.filter(move |end| (low..=high).contains(end));
        [low, high].into_iter().chain(inner).map(|value| self.verdict(value))
    }

    /// The verdicts on `data` and on the table that is kept, where these contradict each other. A
    /// sample does not contradict a verdict on all points that lies within its own interval, or
    /// that it has no points for.
    #[must_use]
    pub fn contradiction(&self, data: &Data, kept: &Data) -> Option<[Verdict; 2]> {
        let [here, there] = [data, kept].map(|data| judge(self, data));
        let allows = |interval| self.verdicts(interval).any(|verdict| verdict == there.verdict);
        let is_sample = data.extent != kept.extent;
        let may_be = here.value.is_none() || here.interval.is_some_and(allows);
        let agree = here.verdict == there.verdict || is_sample && may_be;
        (!agree).then_some([here.verdict, there.verdict])
    }
}
