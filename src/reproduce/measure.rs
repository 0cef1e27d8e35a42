//! Numbers read off the curves of a figure, with their ranges over the intervals of the points.

use std::convert::identity;

use serde::{Deserialize, Serialize};

use super::data::{Data, Point};

/// A number read off the curves of a figure. Curves are named as `a/ATBM`, by the key of their
/// panel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// y of a curve at an x, between two points on the straight line.
    At(String, f64),
    /// The first measure in terms of the second.
    Ratio(Box<Measure>, Box<Measure>),
    /// The first less the second.
    Difference(Box<Measure>, Box<Measure>),
    /// Smallest ratio of the first curve to the second, over the points of the first from one x to
    /// another. `inf` reaches to its end.
    LeastRatio(String, String, (f64, f64)),
    /// Largest ratio of the first curve to the second, in the same way.
    MostRatio(String, String, (f64, f64)),
    /// Mean ratio of the first curve to the second, in the same way.
    MeanRatio(String, String, (f64, f64)),
    /// Ratio of the largest y to the smallest y, from one x to another.
    Spread(String, (f64, f64)),
    /// Smallest difference of a y to the previous y. It is negative if the curve falls.
    LeastStep(String),
    /// Square of the correlation of x and y: 1 for a straight line.
    Linearity(String),
    /// x at which the first curve comes to the second from above or below.
    Crossing(String, String),
    /// Smallest x from which on runs are saturated or deadlocked. The true value is between this x
    /// and the previous x. The last x if no run is saturated.
    Saturation(String),
    /// Share of the points with a run that is saturated or deadlocked.
    Stuck(String),
    /// y of the first point.
    First(String),
    /// y of the last point.
    Last(String),
    /// x of the last point.
    Furthest(String),
    /// Largest x up to which runs are saturated or deadlocked. This is for a load that falls with
    /// x, such as the time between messages. The first x if no run is saturated.
    SaturatedUpTo(String),
    /// Mean of all y.
    Mean(String),
    /// Largest y.
    Most(String),
    /// x of the least y.
    Lowest(String),
    /// Largest difference of a curve from printed points, as a share of each printed value.
    MostOff(String, Vec<(f64, f64)>),
    /// The same for whole numbers. The curve is rounded to whole numbers.
    MostOffRounded(String, Vec<(f64, f64)>),
    /// Mean of the differences.
    MeanOff(String, Vec<(f64, f64)>),
    /// Smallest ratio of a curve to printed points. It is at least 1 if the printed points are a
    /// lower bound.
    LeastOf(String, Vec<(f64, f64)>),
    /// Largest ratio of a curve to printed points. It is at most 1 if the printed points are an
    /// upper bound.
    MostOf(String, Vec<(f64, f64)>),
}

/// End of the intervals that a measure is read off: all values that raise it, or all that lower it.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum IntervalEnd {
    Low,
    Mean,
    High,
}

impl IntervalEnd {
    fn of(self, point: &Point) -> f64 {
        match self {
            // No measured value is negative.
            Self::Low => (point.y - point.half_width.unwrap_or(0.0)).max(point.y.min(0.0)),
            Self::Mean => point.y,
            Self::High => point.y + point.half_width.unwrap_or(0.0),
        }
    }

    fn other(self) -> Self {
        match self {
            Self::Low => Self::High,
            Self::Mean => Self::Mean,
            Self::High => Self::Low,
        }
    }
}

impl Measure {
    /// The value on the data of a figure, and the interval of a finding.
    pub(super) fn read(&self, data: &Data) -> (Option<f64>, Option<(f64, f64)>) {
        let ends = [IntervalEnd::Low, IntervalEnd::High].map(|end| self.of(data, end));
        let interval = match ends {
            [Some(low), Some(high)] if (high - low).abs() > 0.0 => Some((low.min(high), low.max(high))),
            _ => None,
        };
        (self.of(data, IntervalEnd::Mean), interval)
    }

    /// Whether the measure is a share of a printed value, which the page gives in percent.
    pub(super) fn is_share(&self) -> bool {
        matches!(self, Self::MostOff(..) | Self::MostOffRounded(..) | Self::MeanOff(..))
    }

    /// The curves that the measure reads.
    pub(super) fn curves(&self) -> Vec<&str> {
        match self {
            Self::At(curve, _)
            | Self::Spread(curve, _)
            | Self::LeastStep(curve)
            | Self::Linearity(curve)
            | Self::Saturation(curve)
            | Self::Stuck(curve)
            | Self::First(curve)
            | Self::Last(curve)
            | Self::Furthest(curve)
            | Self::SaturatedUpTo(curve)
            | Self::Mean(curve)
            | Self::Most(curve)
            | Self::Lowest(curve)
            | Self::MostOff(curve, _)
            | Self::MostOffRounded(curve, _)
            | Self::MeanOff(curve, _)
            | Self::LeastOf(curve, _)
            | Self::MostOf(curve, _) => vec![curve],
            Self::LeastRatio(a, b, _) | Self::MostRatio(a, b, _) | Self::MeanRatio(a, b, _) | Self::Crossing(a, b) => {
                vec![a, b]
            }
            Self::Ratio(a, b) | Self::Difference(a, b) => [a.curves(), b.curves()].concat(),
        }
    }

    fn of(&self, data: &Data, end: IntervalEnd) -> Option<f64> {
        match self {
            Self::At(curve, x) => at(data.curve(curve)?, *x, end),
            Self::Ratio(a, b) => Some(a.of(data, end)? / b.of(data, end.other())?),
            Self::Difference(a, b) => Some(a.of(data, end)? - b.of(data, end.other())?),
            Self::LeastRatio(a, b, span) => ratios(data, a, b, *span, end)?.into_iter().reduce(f64::min),
            Self::MostRatio(a, b, span) => ratios(data, a, b, *span, end)?.into_iter().reduce(f64::max),
            Self::MeanRatio(a, b, span) => mean(&ratios(data, a, b, *span, end)?),
            Self::Spread(curve, span) => {
                let points = within(data.curve(curve)?, *span)?;
                // Each pair of points is compared, as no point is high and low at once.
                let ratio = |(a, b, _)| (end.of(a) / end.other().of(b)).max(end.of(b) / end.other().of(a));
                Some(pairs(points).map(ratio).fold(1.0, f64::max))
            }
            Self::LeastStep(curve) => {
                // The least of some steps is at most their mean, and the two ends bound this mean.
                let mean = |(a, b, steps)| (end.of(b) - end.other().of(a)) / steps as f64;
                pairs(data.curve(curve)?).map(mean).reduce(f64::min)
            }
            Self::Linearity(curve) => linearity(data.curve(curve)?, end),
            Self::Crossing(a, b) => crossing(data.curve(a)?, data.curve(b)?, end),
            Self::Saturation(curve) => {
                let curve = data.curve(curve)?;
                let Some(first) = curve.iter().position(|point| !point.is_done) else {
                    return curve.last().map(|point| point.x);
                };
                // Saturation begins after the previous point.
                Some(curve[if end == IntervalEnd::Low { first.saturating_sub(1) } else { first }].x)
            }
            Self::Stuck(curve) => {
                let curve = data.curve(curve)?;
                Some(curve.iter().filter(|point| !point.is_done).count() as f64 / curve.len() as f64)
            }
            Self::First(curve) => data.curve(curve)?.first().map(|point| end.of(point)),
            Self::Last(curve) => data.curve(curve)?.last().map(|point| end.of(point)),
            Self::Furthest(curve) => data.curve(curve)?.last().map(|point| point.x),
            Self::SaturatedUpTo(curve) => {
                let curve = data.curve(curve)?;
                let Some(last) = curve.iter().rposition(|point| !point.is_done) else {
                    return curve.first().map(|point| point.x);
                };
                let next = if end == IntervalEnd::High { (last + 1).min(curve.len() - 1) } else { last };
                Some(curve[next].x)
            }
            Self::Mean(curve) => mean(&data.curve(curve)?.iter().map(|p| end.of(p)).collect::<Vec<_>>()),
            Self::Most(curve) => data.curve(curve)?.iter().map(|p| end.of(p)).reduce(f64::max),
            Self::Lowest(curve) => {
                let curve = data.curve(curve)?;
                let highest = |point: &Point| IntervalEnd::High.of(point);
                let least = curve.iter().map(highest).reduce(f64::min)?;
                // Any point may be the lowest if its interval begins no higher than another one
                // ends.
                let mut may_be = curve.iter().filter(|point| IntervalEnd::Low.of(point) <= least);
                let found = match end {
                    IntervalEnd::Low => may_be.next(),
                    IntervalEnd::Mean => curve.iter().min_by(|a, b| a.y.total_cmp(&b.y)),
                    IntervalEnd::High => may_be.next_back(),
                };
                found.map(|point| point.x)
            }
            Self::MostOff(curve, printed) => {
                off(data.curve(curve)?, printed, end, identity)?.into_iter().reduce(f64::max)
            }
            Self::MostOffRounded(curve, printed) => {
                off(data.curve(curve)?, printed, end, f64::round)?.into_iter().reduce(f64::max)
            }
            Self::MeanOff(curve, printed) => mean(&off(data.curve(curve)?, printed, end, identity)?),
            Self::LeastOf(curve, printed) => shares(data.curve(curve)?, printed, end)?.into_iter().reduce(f64::min),
            Self::MostOf(curve, printed) => shares(data.curve(curve)?, printed, end)?.into_iter().reduce(f64::max),
        }
    }

    /// Our values for the entries of a table.
    pub(super) fn entries(&self, data: &Data) -> Option<Vec<f64>> {
        match self {
            Self::MostOff(curve, printed)
            | Self::MostOffRounded(curve, printed)
            | Self::MeanOff(curve, printed)
            | Self::LeastOf(curve, printed)
            | Self::MostOf(curve, printed) => {
                let curve = data.curve(curve)?;
                printed.iter().map(|&(x, _)| at(curve, x, IntervalEnd::Mean)).collect()
            }
            _ => None,
        }
    }
}

/// y at x, on the straight line between the points around it; none beyond the ends.
pub(super) fn at(curve: &[Point], x: f64, end: IntervalEnd) -> Option<f64> {
    if let Some(point) = curve.iter().find(|point| (point.x - x).abs() <= 1e-9 * x.abs().max(1.0)) {
        return Some(end.of(point));
    }
    let [a, b] = curve.windows(2).find(|pair| pair[0].x < x && x < pair[1].x)? else { return None };
    let part = (x - a.x) / (b.x - a.x);
    Some(end.of(a) * (1.0 - part) + end.of(b) * part)
}

/// Whether a curve reaches both ends of a range. Values beyond its ends are not judged.
fn covers(curve: &[Point], (from, to): (f64, f64)) -> bool {
    [from, to].into_iter().all(|x| x.is_infinite() || at(curve, x, IntervalEnd::Mean).is_some())
}

/// The points from one x to another. `None` if there is no point, or the curve ends earlier.
fn within(curve: &[Point], span: (f64, f64)) -> Option<&[Point]> {
    let end = curve.partition_point(|point| point.x <= span.1);
    let begin = curve.partition_point(|point| point.x < span.0);
    (begin < end && covers(curve, span)).then(|| &curve[begin..end])
}

/// All pairs of points, with the number of steps between them.
fn pairs(points: &[Point]) -> impl Iterator<Item = (&Point, &Point, usize)> {
    let behind = |(at, a)| points[at + 1..].iter().zip(1..).map(move |(b, steps)| (a, b, steps));
    points.iter().enumerate().flat_map(behind)
}

fn ratios(data: &Data, a: &str, b: &str, span: (f64, f64), end: IntervalEnd) -> Option<Vec<f64>> {
    let (a, b) = (data.curve(a)?, data.curve(b)?);
    let ratio = |point: &Point| Some(end.of(point) / at(b, point.x, end.other())?);
    let points = within(a, span).filter(|_| covers(b, span))?;
    Some(points.iter().filter_map(ratio).collect())
}

/// Differences of a curve from printed points, after `shown` maps its values. `None` if it lacks
/// one of the points.
fn off(curve: &[Point], printed: &[(f64, f64)], end: IntervalEnd, shown: fn(f64) -> f64) -> Option<Vec<f64>> {
    let difference = |&(x, y): &(f64, f64)| {
        let [low, mean, high] = [IntervalEnd::Low, IntervalEnd::Mean, IntervalEnd::High].map(|end| at(curve, x, end));
        let [low, mean, high] = [shown(low?), shown(mean?), shown(high?)];
        let difference = match end {
            IntervalEnd::Low => y.max(low).min(high) - y,
            IntervalEnd::Mean => mean - y,
            IntervalEnd::High => (low - y).abs().max((high - y).abs()),
        };
        Some(difference.abs() / y.abs().max(f64::MIN_POSITIVE))
    };
    printed.iter().map(difference).collect()
}

/// Ratios to printed points; `None` if the curve lacks one of them.
fn shares(curve: &[Point], printed: &[(f64, f64)], end: IntervalEnd) -> Option<Vec<f64>> {
    printed.iter().map(|&(x, y)| Some(at(curve, x, end)? / y)).collect()
}

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// The square of the correlation of x and y. For an end of the intervals, each point in turn moves
/// to the end that brings it farthest.
fn linearity(curve: &[Point], end: IntervalEnd) -> Option<f64> {
    let mut ys: Vec<f64> = curve.iter().map(|point| point.y).collect();
    let mut found = correlation(curve, &ys)?;
    if end == IntervalEnd::Mean {
        return Some(found);
    }
    for (at, point) in curve.iter().enumerate() {
        for y in [IntervalEnd::Low.of(point), IntervalEnd::High.of(point)] {
            let before = std::mem::replace(&mut ys[at], y);
            match correlation(curve, &ys).filter(|value| (*value > found) == (end == IntervalEnd::High)) {
                Some(value) => found = value,
                None => ys[at] = before,
            }
        }
    }
    Some(found)
}

fn correlation(curve: &[Point], ys: &[f64]) -> Option<f64> {
    let xs: Vec<f64> = curve.iter().map(|point| point.x).collect();
    let (x, y) = (mean(&xs)?, mean(ys)?);
    let sum = |of: &dyn Fn(f64, f64) -> f64| xs.iter().zip(ys).map(|(&a, &b)| of(a - x, b - y)).sum::<f64>();
    let both = sum(&|a, b| a * b);
    let squares = sum(&|a, _| a * a) * sum(&|_, b| b * b);
    (squares > 0.0).then(|| both * both / squares)
}

fn crossing(a: &[Point], b: &[Point], end: IntervalEnd) -> Option<f64> {
    let gap = |point: &Point| Some((point.x, end.of(point) - at(b, point.x, end.other())?));
    let gaps: Vec<(f64, f64)> = a.iter().filter_map(gap).collect();
    let pair = gaps.windows(2).find(|pair| pair[0].1 != 0.0 && pair[0].1.signum() != pair[1].1.signum())?;
    let [(x, gap), (next, after)] = pair else { return None };
    Some(x + (next - x) * gap / (gap - after))
}
