//! Claims of a paper about a figure, measured on its data.

use serde::{Deserialize, Serialize};

use super::data::Data;
use super::measure::Measure;

/// A claim of a paper.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// Words of the paper.
    pub says: String,
    /// Number that is measured.
    pub measure: Measure,
    /// Published value, in words: `about 5`.
    pub published: String,
    /// Values at which the claim holds.
    pub holds: Range,
    /// Values at which the claim holds in part.
    #[serde(default)]
    pub in_part: Option<Range>,
    /// The reason why the claim does not hold, or holds only in part. If we cannot tell whether it
    /// holds: the missing parameter.
    #[serde(default)]
    pub because: Option<String>,
    /// The missing parameter without which we cannot judge the claim, for every result.
    #[serde(default)]
    pub lacks: Option<String>,
}

/// A range of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Range {
    /// The number and all above it.
    AtLeast(f64),
    /// The number and all below it.
    AtMost(f64),
    /// The numbers between both, and both.
    Between(f64, f64),
}

impl Range {
    fn has(self, value: f64) -> bool {
        let [least, most] = self.ends();
        (least..=most).contains(&value)
    }

    /// The ends of the range.
    fn ends(self) -> [f64; 2] {
        match self {
            Self::AtLeast(least) => [least, f64::INFINITY],
            Self::AtMost(most) => [f64::NEG_INFINITY, most],
            Self::Between(least, most) => [least, most],
        }
    }

    /// Whether the range contains some numbers, but not all.
    pub(super) fn is_one(self) -> bool {
        match self {
            Self::AtLeast(end) | Self::AtMost(end) => end.is_finite(),
            Self::Between(least, most) => least.is_finite() && most.is_finite() && least <= most,
        }
    }

    /// Whether the range has all numbers of another range.
    pub(super) fn covers(self, other: Self) -> bool {
        other.ends().into_iter().all(|end| self.has(end))
    }

    /// The range in words. `told` makes the text of an end.
    pub(super) fn words(self, told: impl Fn(f64) -> String) -> String {
        match self {
            Self::AtLeast(least) => format!("at least {}", told(least)),
            Self::AtMost(most) => format!("at most {}", told(most)),
            Self::Between(least, most) => format!("{} to {}", told(least), told(most)),
        }
    }
}

/// Verdict on a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// The claim holds.
    Holds,
    /// The claim holds in part.
    InPart,
    /// The claim does not hold.
    DoesNot,
    /// We cannot tell whether the claim holds.
    Unknown,
}

impl Verdict {
    /// All verdicts.
    pub const ALL: [Self; 4] = [Self::Holds, Self::InPart, Self::DoesNot, Self::Unknown];

    /// The verdict in words.
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
    /// Measured value; `None` if the curves do not have it.
    pub value: Option<f64>,
    /// Smallest and largest value, if the points vary within their intervals.
    pub interval: Option<(f64, f64)>,
    /// Verdict on the value.
    pub verdict: Verdict,
    /// Whether another value of the interval has another verdict.
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
    /// The verdict on a value.
    fn verdict(&self, value: f64) -> Verdict {
        match value {
            _ if self.holds.has(value) => Verdict::Holds,
            _ if self.in_part.is_some_and(|range| range.has(value)) => Verdict::InPart,
            _ => Verdict::DoesNot,
        }
    }

    /// The verdicts on values from `low` to `high`. A verdict may come more than once.
    fn verdicts(&self, (low, high): (f64, f64)) -> impl Iterator<Item = Verdict> {
        // A value between the ends may be in a range that contains no end.
        let ends = self.holds.ends().into_iter().chain(self.in_part.iter().flat_map(|range| range.ends()));
        let inner = ends.filter(move |end| (low..=high).contains(end));
        [low, high].into_iter().chain(inner).map(|value| self.verdict(value))
    }

    /// The verdicts on `data` and on the kept table, if they contradict each other. A sample does
    /// not contradict a verdict within its own interval, or a verdict for which it has no points.
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
