//! Refinement: it finds the points of a grid that a question needs. Boxes between known points are
//! halved where one of their points may matter.
//!
//! A metric may rise or fall along each axis. Then its values in a box are between the values of
//! the corners. So no point in a box matters if a known point dominates the best values of its
//! corners, or if no corner holds a bound.
//!
//! Values that are known before any run, such as costs, are those of the points next to the
//! corners. Every other point is worse. The neighbours of points on the front are always wanted as
//! well. So the search follows a metric that turns to the place where it turns.

use std::collections::{BTreeMap, BTreeSet};

use super::metric::Better;
use super::question::Bound;
use super::standing::{Candidate, Standing, dominates, standings};
use crate::statistics::Estimate;

/// Place of a point in a grid: the index of its value on each axis.
pub type GridIndex = Vec<usize>;

/// An axis of a grid.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GridAxis {
    /// Number of its values.
    pub len: usize,
    /// Whether the values rise or fall. Each value of another axis has its own grid.
    pub ordered: bool,
}

/// Criteria for points.
#[derive(Clone, Debug)]
pub(crate) struct Criteria {
    /// Better direction of each of the first metrics.
    pub better: Vec<Better>,
    /// Bounds, each with the place of its metric.
    pub bounds: Vec<(usize, Bound)>,
    /// Objectives that need no run.
    pub known: Vec<usize>,
}

/// Results of runs for a point.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    /// Metrics of the point; `None` for a metric that it does not have.
    pub values: Vec<Option<Estimate>>,
    /// Whether the point can deadlock.
    pub can_deadlock: bool,
}

/// Results of runs for points.
pub(crate) type AllSeen = BTreeMap<GridIndex, Seen>;

/// An objective of a point that needs no run; `None` if the point is refused.
pub(crate) type Known<'a> = &'a dyn Fn(&[usize], usize) -> Option<Estimate>;

/// A search under way.
#[derive(Debug)]
pub struct Search {
    axes: Vec<GridAxis>,
    criteria: Criteria,
    regions: Vec<Region>,
    places: BTreeSet<GridIndex>,
    /// Corners that need no run, with the best possible values of each corner.
    spared: AllSeen,
}

/// All points between two corners.
#[derive(Clone, Debug)]
struct Region {
    low: GridIndex,
    high: GridIndex,
}

impl Search {
    /// Begins with a coarse grid. On each ordered axis it has the ends and up to three values
    /// between them.
    pub fn new(axes: Vec<GridAxis>, criteria: Criteria) -> Self {
        let mut regions = vec![Region { low: Vec::new(), high: Vec::new() }];
        for axis in &axes {
            let sides = axis.sides();
            let longer = |of: &Region| sides.iter().map(|&(low, high)| of.with(low, high)).collect::<Vec<_>>();
            regions = regions.iter().flat_map(longer).collect();
        }
        let places = regions.iter().flat_map(Region::corners).collect();
        Self { axes, criteria, regions, places, spared: AllSeen::new() }
    }

    /// The points that are wanted so far.
    pub fn places(&self) -> &BTreeSet<GridIndex> {
        &self.places
    }

    /// Uses the results for the wanted points. Returns false when no other point is wanted.
    pub(crate) fn refine(&mut self, seen: &AllSeen, known: Known) -> bool {
        let wanted = self.places.len();
        let leaders = self.leaders(seen);
        for (place, _) in &leaders {
            self.places.extend(neighbours(place, &self.axes));
        }
        // A point that can deadlock dominates no other.
        let leaders = leaders.into_iter().filter(|(place, _)| !seen[place].can_deadlock);
        let leaders: Vec<Vec<Estimate>> = leaders.map(|(_, values)| values).collect();
        // A former leader may have been found to deadlock.
        for (place, limits) in std::mem::take(&mut self.spared) {
            self.spare(place, Some(limits), &leaders);
        }
        loop {
            let all: AllSeen = seen.iter().chain(&self.spared).map(|(place, of)| (place.clone(), of.clone())).collect();
            let mut split = false;
            for one in std::mem::take(&mut self.regions) {
                match one.halves().filter(|_| self.may_matter(&one, &all, &leaders, known)) {
                    Some((axis, halves)) => {
                        split = true;
                        for place in halves.iter().flat_map(Region::corners).filter(|place| !all.contains_key(place)) {
                            let limits = self.limits(&place, one.ends(&place, axis), &all, known);
                            self.spare(place, limits, &leaders);
                        }
                        self.regions.extend(halves);
                    }
                    None => self.regions.push(one),
                }
            }
            if !split || self.places.len() > wanted {
                return self.places.len() > wanted;
            }
        }
    }

    /// The points that hold all bounds and that no other dominates, with their objectives.
    fn leaders(&self, seen: &AllSeen) -> Vec<(GridIndex, Vec<Estimate>)> {
        let whole = |(place, of): (&'_ GridIndex, &Seen)| {
            let values = of.whole()?;
            let holds = self.criteria.bounds.iter().all(|(at, bound)| bound.holds(&values[*at]));
            holds.then(|| (place.clone(), values[..self.criteria.better.len()].to_vec()))
        };
        let able: Vec<(GridIndex, Vec<Estimate>)> = seen.iter().filter_map(whole).collect();
        let candidates =
            able.iter().map(|(place, values)| Candidate { values, can_deadlock: seen[place].can_deadlock });
        let standings = standings(&candidates.collect::<Vec<_>>(), &self.criteria.better);
        let led = able.into_iter().zip(standings).filter(|(_, standing)| !matches!(standing, Standing::Dominated(_)));
        led.map(|(able, _)| able).collect()
    }

    /// Whether a point of a box without a result may be on the front.
    fn may_matter(&self, one: &Region, seen: &AllSeen, leaders: &[Vec<Estimate>], known: Known) -> bool {
        let Criteria { better, bounds, known: columns } = &self.criteria;
        let inside: Vec<&Seen> = seen.iter().filter(|(place, _)| one.has(place)).map(|(_, of)| of).collect();
        let metrics = inside.first().map_or(0, |of| of.values.len());
        let lack = |metric: usize| inside.iter().filter(|of| of.values[metric].is_none()).count();
        let lacking: Vec<usize> = (0..metrics).map(lack).collect();
        if lacking.contains(&inside.len()) {
            return false;
        }
        if lacking.iter().any(|&lacking| lacking > 0) {
            return true;
        }
        let values = |metric: usize| inside.iter().filter_map(move |of| of.values[metric]);
        if bounds.iter().any(|(at, bound)| !values(*at).any(|value| bound.holds(&value))) {
            return false;
        }
        let best = better.iter().enumerate().map(|(metric, better)| better.best(values(metric)));
        let Some(mut ideal) = best.collect::<Option<Vec<Estimate>>>() else { return false };
        let is_beaten = |ideal: &[Estimate]| leaders.iter().any(|leader| dominates(leader, ideal, better));
        if is_beaten(&ideal) {
            return false;
        }
        let inner = one.beside_corners();
        for &metric in columns {
            let exact: Option<Vec<Estimate>> = inner.iter().map(|place| known(place, metric)).collect();
            let Some(best) = better[metric].best(exact.unwrap_or_default()) else { return true };
            ideal[metric] = best;
        }
        !is_beaten(&ideal)
    }

    /// The best values that a point between two other points can have. They are unknown if one of
    /// these two lacks a metric.
    fn limits(&self, place: &GridIndex, ends: [GridIndex; 2], seen: &AllSeen, known: Known) -> Option<Seen> {
        let [one, other] = ends.map(|end| seen.get(&end).and_then(Seen::whole));
        let mut values: Vec<Option<Estimate>> = Vec::new();
        for (metric, pair) in one?.into_iter().zip(other?).enumerate() {
            values.push(match self.criteria.way(metric)? {
                _ if self.criteria.known.contains(&metric) => Some(known(place, metric)?),
                better => better.best([pair.0, pair.1]),
            });
        }
        Some(Seen { values, can_deadlock: false })
    }

    /// Adds a point to the wanted points, unless its best values are not enough.
    fn spare(&mut self, place: GridIndex, limits: Option<Seen>, leaders: &[Vec<Estimate>]) {
        let Criteria { better, bounds, .. } = &self.criteria;
        let is_useless = |values: Vec<Estimate>| {
            let objectives = &values[..better.len()];
            leaders.iter().any(|leader| dominates(leader, objectives, better))
                || bounds.iter().any(|(at, bound)| !bound.holds(&values[*at]))
        };
        match limits.filter(|of| !self.places.contains(&place) && of.whole().is_some_and(is_useless)) {
            Some(limits) => self.spared.insert(place, limits).is_some(),
            None => self.places.insert(place),
        };
    }
}

impl Criteria {
    /// Better direction of a metric; `None` if objectives and bounds differ.
    fn way(&self, metric: usize) -> Option<Better> {
        let bounds = self.bounds.iter().filter(|(at, _)| *at == metric).map(|(_, bound)| bound.side);
        let mut ways = self.better.get(metric).copied().into_iter().chain(bounds);
        let way = ways.next()?;
        ways.all(|other| other == way).then_some(way)
    }
}

impl Seen {
    /// Metrics of the point, if it has all of them.
    fn whole(&self) -> Option<Vec<Estimate>> {
        self.values.iter().copied().collect()
    }
}

impl Better {
    /// The best of some values.
    fn best(self, values: impl IntoIterator<Item = Estimate>) -> Option<Estimate> {
        values.into_iter().reduce(|best, value| if self.than(value.mean, best.mean) { value } else { best })
    }
}

impl GridAxis {
    /// First and last index of each of its sides.
    fn sides(self) -> Vec<(usize, usize)> {
        if !self.ordered || self.len < 2 {
            return (0..self.len).map(|n| (n, n)).collect();
        }
        let (last, parts) = (self.len - 1, (self.len / 4).clamp(1, 4));
        (0..parts).map(|part| (part * last / parts, (part + 1) * last / parts)).collect()
    }
}

impl Region {
    /// The box with one more side, from `low` to `high`.
    fn with(&self, low: usize, high: usize) -> Self {
        let longer = |place: &GridIndex, at| place.iter().copied().chain([at]).collect();
        Self { low: longer(&self.low, low), high: longer(&self.high, high) }
    }

    fn has(&self, place: &[usize]) -> bool {
        place.iter().zip(self.low.iter().zip(&self.high)).all(|(at, (low, high))| (low..=high).contains(&at))
    }

    fn corners(&self) -> Vec<GridIndex> {
        let mut corners = vec![GridIndex::new()];
        for (&low, &high) in self.low.iter().zip(&self.high) {
            let ends = if low == high { vec![low] } else { vec![low, high] };
            let longer = |corner: &GridIndex| {
                ends.iter().map(|&end| corner.iter().copied().chain([end]).collect()).collect::<Vec<_>>()
            };
            corners = corners.iter().flat_map(longer).collect();
        }
        corners
    }

    /// The points one step from a corner that are no corners themselves.
    fn beside_corners(&self) -> Vec<GridIndex> {
        let mut beside = BTreeSet::new();
        for corner in self.corners() {
            for (axis, (&low, &high)) in
                self.low.iter().zip(&self.high).enumerate().filter(|(_, (low, high))| *high - *low > 1)
            {
                let mut place = corner.clone();
                place[axis] = if corner[axis] == low { low + 1 } else { high - 1 };
                beside.insert(place);
            }
        }
        beside.into_iter().collect()
    }

    /// Halves of the box along its longest side, and that side; `None` if all points are corners.
    fn halves(&self) -> Option<(usize, [Self; 2])> {
        let side = |axis: &usize| self.high[*axis] - self.low[*axis];
        let longest = (0..self.low.len()).max_by_key(side).filter(|axis| side(axis) > 1)?;
        let middle = usize::midpoint(self.low[longest], self.high[longest]);
        let mut halves = [self.clone(), self.clone()];
        halves[0].high[longest] = middle;
        halves[1].low[longest] = middle;
        Some((longest, halves))
    }

    /// The corners on both sides of a place along an axis.
    fn ends(&self, place: &GridIndex, axis: usize) -> [GridIndex; 2] {
        [&self.low, &self.high].map(|corner| {
            let mut end = place.clone();
            end[axis] = corner[axis];
            end
        })
    }
}

/// The points one step along an ordered axis from a place.
fn neighbours(place: &GridIndex, axes: &[GridAxis]) -> Vec<GridIndex> {
    let mut all = Vec::new();
    for (axis, of) in axes.iter().enumerate().filter(|(_, of)| of.ordered) {
        let at = place[axis];
        for next in [at.checked_sub(1), Some(at + 1).filter(|&next| next < of.len)].into_iter().flatten() {
            let mut place = place.clone();
            place[axis] = next;
            all.push(place);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Whole numbers for each axis, whose sum is a metric. On an ordered axis they rise or fall.
    type Terms = Vec<Vec<i32>>;

    /// A space of two or three axes of at most this many values, and four metrics.
    #[derive(Clone, Debug)]
    struct Space {
        axes: Vec<GridAxis>,
        metrics: Vec<[Terms; 2]>,
        objectives: usize,
        bound: Option<i32>,
        known: bool,
        /// Points are refused if the last metric's terms are larger than this.
        refused: i32,
        /// Period of points that can deadlock: one of this many.
        deadlocks: Option<usize>,
    }

    impl Space {
        fn value(&self, place: &[usize], metric: usize) -> i32 {
            let sum = |terms: &Terms| terms.iter().zip(place).map(|(terms, &at)| terms[at]).sum::<i32>();
            // The larger of two metrics rises and falls in the same directions as both, but it is
            // no sum.
            sum(&self.metrics[metric][0]).max(sum(&self.metrics[metric][1]))
        }

        fn seen(&self, place: &[usize]) -> Seen {
            let metrics = self.objectives + usize::from(self.bound.is_some());
            let refused = self.value(place, 3) > self.refused;
            let value = |metric| Estimate::of(&[self.value(place, metric).into()]).filter(|_| !refused);
            let hash = place.iter().fold(7_usize, |hash, at| hash * 31 + at);
            let can_deadlock = self.deadlocks.is_some_and(|of| hash.is_multiple_of(of));
            Seen { values: (0..metrics).map(value).collect(), can_deadlock }
        }

        fn places(&self) -> Vec<GridIndex> {
            let mut all = vec![GridIndex::new()];
            for axis in &self.axes {
                let longer =
                    |place: &GridIndex| (0..axis.len).map(|at| [&place[..], &[at]].concat()).collect::<Vec<_>>();
                all = all.iter().flat_map(longer).collect();
            }
            all
        }

        fn better(&self) -> Vec<Better> {
            [Better::Less, Better::More, Better::Less][..self.objectives].to_vec()
        }

        /// The points among these places that are on the front, by the definition of a front.
        fn front(&self, places: &[GridIndex]) -> Vec<GridIndex> {
            let able = |place: &&GridIndex| {
                let bound = self.bound.is_none_or(|bound| self.value(place, self.objectives) <= bound);
                bound && self.value(place, 3) <= self.refused
            };
            let able: Vec<&GridIndex> = places.iter().filter(able).collect();
            let better = self.better();
            let gain = |one: &GridIndex, other: &GridIndex, metric: usize| {
                let gain = self.value(other, metric) - self.value(one, metric);
                if better[metric] == Better::Less { gain } else { -gain }
            };
            let beats = |one: &GridIndex, other: &GridIndex| {
                let gains: Vec<i32> = (0..self.objectives).map(|metric| gain(one, other, metric)).collect();
                !self.seen(one).can_deadlock
                    && gains.iter().all(|gain| *gain >= 0)
                    && gains.iter().any(|gain| *gain > 0)
            };
            able.iter().filter(|one| !able.iter().any(|other| beats(other, one))).map(|one| (*one).clone()).collect()
        }

        /// The points that a search looks at.
        fn search(&self) -> Vec<GridIndex> {
            let bound = |at: i32| (self.objectives, Bound { column: 0, side: Better::Less, at: at.into() });
            let known = if self.known { vec![0] } else { Vec::new() };
            let criteria =
                Criteria { better: self.better(), bounds: self.bound.map(bound).into_iter().collect(), known };
            let mut search = Search::new(self.axes.clone(), criteria);
            let known = |place: &[usize], metric: usize| self.seen(place).values[metric];
            loop {
                let seen = search.places().iter().map(|place| (place.clone(), self.seen(place))).collect();
                if !search.refine(&seen, &known) {
                    return search.places().iter().cloned().collect();
                }
            }
        }
    }

    /// Terms of a metric on axes. On ordered axes they are steps of 0 to 3 in one direction.
    fn terms(axes: &[GridAxis], directions: Vec<bool>, monotone: bool) -> impl Strategy<Value = Terms> + use<> {
        let of_axis = |(axis, rises): (&GridAxis, bool)| {
            let ordered = axis.ordered && monotone;
            prop::collection::vec(0..4, axis.len).prop_map(move |steps| {
                let sums = steps.iter().scan(0, |sum, step| {
                    *sum += step;
                    Some(if rises { *sum } else { -*sum })
                });
                if ordered { sums.collect() } else { steps }
            })
        };
        axes.iter().zip(directions).map(of_axis).collect::<Vec<_>>()
    }

    fn space(monotone: bool) -> impl Strategy<Value = Space> {
        let one = |most| (1..=most, prop::bool::weighted(0.8)).prop_map(|(len, ordered)| GridAxis { len, ordered });
        let axes = prop_oneof![prop::collection::vec(one(18_usize), 1..=2), prop::collection::vec(one(7), 3)];
        let metrics = move |axes: Vec<GridAxis>| {
            let metric = prop::collection::vec(any::<bool>(), axes.len()).prop_flat_map({
                let axes = axes.clone();
                move |directions| [terms(&axes, directions.clone(), monotone), terms(&axes, directions, monotone)]
            });
            (Just(axes), prop::collection::vec(metric, 4))
        };
        let rest = (1..=3_usize, prop::option::of(-9..9), any::<bool>(), 0..20, prop::option::of(2..9_usize));
        (axes.prop_flat_map(metrics), rest).prop_map(
            |((axes, metrics), (objectives, bound, known, refused, deadlocks))| Space {
                axes,
                metrics,
                objectives,
                bound,
                known,
                refused,
                deadlocks,
            },
        )
    }

    proptest! {
        #![proptest_config(crate::properties::cases(500))]

        #[test]
        fn where_metrics_rise_or_fall_the_front_is_that_of_the_whole_grid(space in space(true)) {
            let looked_at = space.search();
            prop_assert_eq!(space.front(&looked_at), space.front(&space.places()));
        }

        #[test]
        fn whatever_metrics_do_all_neighbours_of_the_front_are_looked_at(space in space(false)) {
            let looked_at = space.search();
            for place in space.front(&looked_at) {
                prop_assert!(neighbours(&place, &space.axes).iter().all(|next| looked_at.contains(next)));
            }
        }
    }

    #[test]
    fn a_large_space_takes_a_small_part_of_its_points() {
        // The cost is a sum of three parts. The benefit is the smallest of three parts, like a
        // bottleneck.
        let rises = |step: i32| (0..40).map(|n| n * step).collect::<Vec<i32>>();
        let axes = vec![GridAxis { len: 40, ordered: true }; 3];
        let cost = vec![rises(3), rises(5), rises(7)];
        let got =
            |axis: usize| (0..3).map(|other| if other == axis { rises(-1) } else { vec![0; 40] }).collect::<Terms>();
        let metrics = vec![
            [cost.clone(), cost],
            [got(0), got(1)],
            [got(2), got(2)],
            [vec![vec![0; 40]; 3], vec![vec![0; 40]; 3]],
        ];
        let space = Space { axes, metrics, objectives: 2, bound: None, known: true, refused: 0, deadlocks: None };
        let looked_at = space.search();
        assert!(looked_at.len() < 64000 / 10, "{}", looked_at.len());
    }
}
