//! Standing of points: the Pareto front of some metrics. Noise can leave the standing of a point
//! open.

use super::metric::Better;
use crate::statistics::Estimate;

/// Place of a point among the others. Points that can deadlock dominate no other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// On the front: any point that beats it in one metric is clearly worse in another.
    Front,
    /// Noise decides whether the point is on the front or another point dominates it. The other
    /// point is not dominated itself, if there is such a point.
    Tie(usize),
    /// Another point is as good in every metric, and clearly better in one metric.
    Dominated(usize),
}

/// A point to judge: its metrics, and whether it can deadlock.
pub struct Candidate<'a> {
    /// A value for each objective.
    pub values: &'a [Estimate],
    /// Whether the point can deadlock.
    pub can_deadlock: bool,
}

/// The standing of each candidate, with the index of the other.
#[must_use]
pub(crate) fn standings(candidates: &[Candidate], better: &[Better]) -> Vec<Standing> {
    let others = |one: usize| {
        let is_other = move |(other, of): &(usize, &Candidate)| *other != one && !of.can_deadlock;
        let others = candidates.iter().enumerate().filter(is_other);
        others.map(move |(other, of)| (other, relation(of.values, candidates[one].values, better)))
    };
    let judge = |one: usize| {
        let mut tie = None;
        for (other, relation) in others(one) {
            match relation {
                Relation::Dominates => return Standing::Dominated(other),
                Relation::Ties => tie = tie.or(Some(other)),
                Relation::Neither => {}
            }
        }
        tie.map_or(Standing::Front, Standing::Tie)
    };
    let judged: Vec<Standing> = (0..candidates.len()).map(judge).collect();
    // A tie with a point that is not dominated is useful.
    let is_worth = |other: usize| !matches!(judged[other], Standing::Dominated(_));
    let better_tie = |one: usize| {
        let tie = |(other, relation): &(usize, Relation)| *relation == Relation::Ties && is_worth(*other);
        others(one).find(tie).map(|(other, _)| Standing::Tie(other))
    };
    let named = judged.iter().enumerate().map(|(one, standing)| match standing {
        Standing::Tie(other) if !is_worth(*other) => better_tie(one).unwrap_or(*standing),
        _ => *standing,
    });
    named.collect()
}

/// Whether one point is worse than another in no metric, and clearly better in at least one.
#[must_use]
pub(crate) fn dominates(one: &[Estimate], other: &[Estimate], better: &[Better]) -> bool {
    relation(one, other, better) == Relation::Dominates
}

#[derive(PartialEq, Eq)]
enum Relation {
    Dominates,
    Ties,
    Neither,
}

/// Relation of one point to another. A point dominates if none of its means is worse, and at least
/// one is clearly better. It ties if it would dominate without noise. Noise may hide that it is
/// clearly better, or may make it look worse somewhere.
fn relation(one: &[Estimate], other: &[Estimate], better: &[Better]) -> Relation {
    let (mut worse_by_mean, mut better_by_mean, mut clearly_better) = (false, false, false);
    for ((one, other), better) in one.iter().zip(other).zip(better) {
        let gain = match better {
            Better::Less => other.mean - one.mean,
            Better::More => one.mean - other.mean,
        };
        if gain == 0.0 {
            continue;
        }
        let clear = one.differs(other);
        if gain < 0.0 && clear {
            return Relation::Neither;
        }
        worse_by_mean |= gain < 0.0;
        better_by_mean |= gain > 0.0;
        clearly_better |= gain > 0.0 && clear;
    }
    match (worse_by_mean, better_by_mean, clearly_better) {
        (false, _, true) => Relation::Dominates,
        (true, _, true) | (false, true, false) => Relation::Ties,
        _ => Relation::Neither,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn judged(points: &[(&[f64], &[f64], bool)]) -> Vec<Standing> {
        let values: Vec<[Estimate; 2]> =
            points.iter().map(|(cost, gain, _)| [Estimate::of(cost).unwrap(), Estimate::of(gain).unwrap()]).collect();
        let candidates = values.iter().zip(points);
        let candidates: Vec<Candidate> =
            candidates.map(|(values, point)| Candidate { values, can_deadlock: point.2 }).collect();
        standings(&candidates, &[Better::Less, Better::More])
    }

    #[test]
    fn exact_points_are_on_the_front_or_dominated() {
        let points: [(&[f64], &[f64], bool); 4] =
            [(&[1.0], &[1.0], false), (&[2.0], &[3.0], false), (&[3.0], &[2.0], false), (&[2.0], &[3.0], false)];
        assert_eq!(judged(&points), [Standing::Front, Standing::Front, Standing::Dominated(1), Standing::Front]);
    }

    #[test]
    fn noise_makes_ties_of_what_it_may_have_ordered() {
        // The more expensive point is a little better, within the noise. The third is clearly
        // better.
        let (low, high): (&[f64], &[f64]) = (&[1.0, 1.2, 1.1], &[1.05, 1.25, 1.15]);
        let points = [(&[1.0][..], low, false), (&[2.0], high, false), (&[3.0], &[2.0, 2.1, 2.05], false)];
        assert_eq!(judged(&points), [Standing::Front, Standing::Tie(0), Standing::Front]);
        // The more expensive point is a little worse. The other point is certainly cheaper, so it
        // dominates.
        let points = [(&[1.0][..], high, false), (&[2.0], low, false)];
        assert_eq!(judged(&points), [Standing::Front, Standing::Dominated(0)]);
        // At the same cost only noise decides.
        let points = [(&[1.0][..], high, false), (&[1.0], low, false)];
        assert_eq!(judged(&points), [Standing::Front, Standing::Tie(0)]);
    }

    #[test]
    fn a_tie_is_with_a_point_that_is_not_dominated_where_there_is_one() {
        // The second point is the most expensive, and a little better than the other points, within
        // the noise. The third has all that the first has, at a lower cost.
        let (low, middle, high): (&[f64], &[f64], &[f64]) =
            (&[1.0, 1.2, 1.1], &[1.02, 1.22, 1.12], &[1.05, 1.25, 1.15]);
        let points = [(&[1.5][..], low, false), (&[2.0], high, false), (&[1.4], middle, false)];
        assert_eq!(judged(&points), [Standing::Dominated(2), Standing::Tie(2), Standing::Front]);
        // A point that can deadlock is no partner for a tie either.
        let points = [points[0], points[1], (&[1.4], middle, true)];
        assert_eq!(judged(&points), [Standing::Front, Standing::Tie(0), Standing::Front]);
    }

    #[test]
    fn a_point_that_can_deadlock_dominates_nobody() {
        let points: [(&[f64], &[f64], bool); 3] =
            [(&[1.0], &[9.0], true), (&[2.0], &[3.0], false), (&[3.0], &[2.0], true)];
        assert_eq!(judged(&points), [Standing::Front, Standing::Front, Standing::Dominated(1)]);
    }

    proptest! {
        #[test]
        fn without_noise_the_front_is_what_its_definition_says(points in prop::collection::vec((0u8..6, 0u8..6, 0u8..6), 1..40)) {
            let better = [Better::Less, Better::More, Better::Less];
            let values: Vec<[Estimate; 3]> = points.iter()
                .map(|&(a, b, c)| [a, b, c].map(|v| Estimate::of(&[v.into()]).unwrap())).collect();
            let candidates: Vec<_> = values.iter().map(|values| Candidate { values, can_deadlock: false }).collect();
            for (&(a, b, c), standing) in points.iter().zip(standings(&candidates, &better)) {
                let dominated = points.iter().any(|&(x, y, z)| x <= a && y >= b && z <= c && (x, y, z) != (a, b, c));
                prop_assert_eq!(matches!(standing, Standing::Dominated(_)), dominated);
                prop_assert_eq!(standing == Standing::Front, !dominated);
            }
        }
    }
}
