//! Positions of legend and labels that hide as little as possible.

use plotters::prelude::*;

/// Possible positions of a legend, and their distance to the right and down.
pub(super) const LEGEND_PLACES: [(SeriesLabelPosition, (f64, f64)); 8] = [
    (SeriesLabelPosition::UpperLeft, (0.0, 0.0)),
    (SeriesLabelPosition::UpperRight, (1.0, 0.0)),
    (SeriesLabelPosition::LowerRight, (1.0, 1.0)),
    (SeriesLabelPosition::LowerLeft, (0.0, 1.0)),
    (SeriesLabelPosition::UpperMiddle, (0.5, 0.0)),
    (SeriesLabelPosition::LowerMiddle, (0.5, 1.0)),
    (SeriesLabelPosition::MiddleRight, (1.0, 0.5)),
    (SeriesLabelPosition::MiddleLeft, (0.0, 0.5)),
];

/// Place of a legend that hides least of the drawing. Its size is a share of the panel, from the
/// upper left corner.
pub(super) fn legend(drawn: &[(f64, f64)], (wide, high): (f64, f64)) -> SeriesLabelPosition {
    let hidden = |(right, down): (f64, f64)| {
        let (left, top) = (right * (1.0 - wide), down * (1.0 - high));
        drawn.iter().filter(|at| (left..=left + wide).contains(&at.0) && (top..=top + high).contains(&at.1)).count()
    };
    // If several places are equal, `min_by_key` takes the first.
    let best = LEGEND_PLACES.into_iter().min_by_key(|(_, at)| hidden(*at));
    best.map_or(SeriesLabelPosition::UpperLeft, |(place, _)| place)
}

/// A text beside a point of a panel, in pixels.
pub(super) struct Label {
    /// The point.
    pub at: (i32, i32),
    /// Width and height of the text.
    pub size: (i32, i32),
}

/// Position of a label.
pub(super) struct PlacedLabel {
    /// Upper left corner of the label.
    pub corner: (i32, i32),
    /// Right end of the label, if it is to the left of its point.
    pub right: Option<i32>,
    /// Line from the point to the label, if the label is not beside its point, or nearer to another
    /// point.
    pub leader: Option<[(i32, i32); 2]>,
}

/// Labels beside their points, inside a panel of this size. A label covers no earlier label, if
/// possible no mark, and as little of the drawing as possible. A label is a step away only where
/// that covers less.
pub(super) fn labels(
    labels: &[Label],
    drawn: &[(f64, f64)],
    marks: &[(i32, i32)],
    (wide, high): (i32, i32),
) -> Vec<PlacedLabel> {
    /// Half the size of a mark in pixels.
    const MARK: i32 = 6;
    /// Points of a line that a label rather covers than go a step away.
    const WORTH: usize = 3;
    let mut taken: Vec<[i32; 4]> = Vec::new();
    let mut placed = Vec::new();
    for &Label { at: (x, y), size: (w, h) } in labels {
        let corners = (0..12).flat_map(|away| {
            let (below, above) = (y + 5 + away * (h + 5), y - 5 - h - away * (h + 5));
            let (right, left, middle) = (x + 8, x - 8 - w, x - w / 2);
            let all = [
                (right, below),
                (right, above),
                (left, below),
                (left, above),
                (middle, below + 6),
                (middle, above - 6),
            ];
            all.map(|(left, top)| (away, (left.clamp(0, (wide - w).max(0)), top.clamp(0, (high - h).max(0)))))
        });
        let covers = |&(away, (left, top)): &(i32, (i32, i32))| {
            let (right, bottom) = (left + w, top + h);
            let others = taken.iter().filter(|[l, t, r, b]| left < *r && *l < right && top < *b && *t < bottom);
            let hidden = marks
                .iter()
                .filter(|(x, y)| left - MARK < *x && *x < right + MARK && top - MARK < *y && *y < bottom + MARK);
            let (across, up) = (f64::from(left - 4)..f64::from(right + 4), f64::from(top - 4)..f64::from(bottom + 4));
            let points = drawn.iter().filter(|(x, y)| across.contains(x) && up.contains(y));
            // A label with a line may be near to any point.
            let near = marks.iter().filter(|mark| away == 0 && is_nearer(**mark, (x, y), [left, top, right, bottom]));
            let hidden = (others.count(), hidden.count() + near.count());
            (hidden, points.count() + WORTH * away.unsigned_abs() as usize)
        };
        let (away, (left, top)) = corners.min_by_key(covers).unwrap_or((0, (x, y)));
        taken.push([left, top, left + w, top + h]);
        let text = [left, top, left + w, top + h];
        let near = (x.clamp(left, left + w), y.clamp(top, top + h));
        let needs_line = away > 0 || marks.iter().any(|mark| is_nearer(*mark, (x, y), text));
        let right = (left + w <= x).then_some(left + w);
        placed.push(PlacedLabel { corner: (left, top), right, leader: needs_line.then_some([(x, y), near]) });
    }
    placed
}

/// Whether another mark than that at `own` is about as near to a text as this one.
fn is_nearer(mark: (i32, i32), own: (i32, i32), [left, top, right, bottom]: [i32; 4]) -> bool {
    let distance = |(x, y): (i32, i32)| (x - x.clamp(left, right)).pow(2) + (y - y.clamp(top, bottom)).pow(2);
    mark != own && distance(mark) <= distance(own) + 16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_of_near_points_stand_apart_and_inside() {
        let near = |n: i32| Label { at: (300 + 6 * n, 200 - 4 * n), size: (40, 11) };
        let corner = |n: i32| Label { at: (395 - n, 3 + n), size: (40, 11) };
        for of in [&(0..8).map(near).collect::<Vec<_>>(), &(0..4).map(corner).collect()] {
            let placed = labels(of, &[], &[], (400, 400));
            let found: Vec<[i32; 4]> =
                placed.iter().map(|PlacedLabel { corner: (x, y), .. }| [*x, *y, x + 40, y + 11]).collect();
            for (at, [left, top, right, bottom]) in found.iter().enumerate() {
                assert!(*left >= 0 && *top >= 0 && *right <= 400 && *bottom <= 400, "{found:?}");
                let apart = |[l, t, r, b]: &[i32; 4]| left >= r || l >= right || top >= b || t >= bottom;
                assert!(found[..at].iter().all(apart), "{found:?}");
            }
        }
    }

    #[test]
    fn a_label_goes_out_of_the_way_of_a_line_and_has_a_leader_where_it_is_far() {
        let at = |drawn: &[(f64, f64)]| {
            labels(&[Label { at: (300, 200), size: (40, 11) }], drawn, &[], (400, 400)).remove(0)
        };
        let line = |y: f64| (0..10).map(move |n| (305.0 + 4.0 * f64::from(n), y)).collect::<Vec<_>>();
        // A label without neighbours is to the right of its point, a little below.
        assert_eq!((at(&[]).corner, at(&[]).leader), ((308, 205), None));
        assert_eq!(at(&line(210.0)).corner, (308, 184));
        let all: Vec<(f64, f64)> =
            [190.0, 210.0].into_iter().flat_map(|y| (0..40).map(move |n| (220.0 + 4.0 * f64::from(n), y))).collect();
        let far = at(&all);
        assert!(far.leader.is_some_and(|[from, to]| from == (300, 200) && to.1 != 200), "{:?}", far.corner);
        // Of two points, a label is nearer to its own, or has a line to it.
        let marks = [(100, 100), (102, 116)];
        let of_pair = marks.map(|at| Label { at, size: (60, 11) });
        for (label, mark) in labels(&of_pair, &[], &marks, (400, 400)).iter().zip(marks) {
            let (x, y) = label.corner;
            let other = if mark == marks[0] { marks[1] } else { marks[0] };
            let is_own = !is_nearer(other, mark, [x, y, x + 60, y + 11]);
            assert!(is_own || label.leader.is_some_and(|line| line[0] == mark), "{:?}", label.corner);
        }
        // A label that is wider than the room beside its point moves inside.
        let wide = labels(&[Label { at: (390, 395), size: (200, 11) }], &[], &[], (400, 400)).remove(0);
        assert!(wide.corner.0 == 200 && wide.corner.1 < 395, "{:?}", wide.corner);
    }
}
