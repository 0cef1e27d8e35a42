//! Where legend and labels stand, so that they hide least.

use plotters::prelude::*;

/// Where a legend may stand, and how far to the right and down that is.
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
/// Where a legend of a share of the panel hides least of what is drawn; both from the upper left
/// corner, in terms of the panel.
pub(super) fn legend(drawn: &[(f64, f64)], (wide, high): (f64, f64)) -> SeriesLabelPosition {
    let hidden = |(right, down): (f64, f64)| {
        let (left, top) = (right * (1.0 - wide), down * (1.0 - high));
        drawn.iter().filter(|at| (left..=left + wide).contains(&at.0) && (top..=top + high).contains(&at.1)).count()
    };
    // Of equals `min_by_key` takes the first.
    let best = LEGEND_PLACES.into_iter().min_by_key(|(_, at)| hidden(*at));
    best.map_or(SeriesLabelPosition::UpperLeft, |(place, _)| place)
}

/// A text beside a point of a panel, in pixels.
pub(super) struct Label {
    /// The point.
    pub at: (i32, i32),
    /// How wide and high the text is.
    pub size: (i32, i32),
}

/// The upper left corners of labels, each beside its point, where it covers least of the labels
/// before it and of the points of all, and nothing beyond a panel of this size.
pub(super) fn labels(labels: &[Label], (wide, high): (i32, i32)) -> Vec<(i32, i32)> {
    let mut placed: Vec<[i32; 4]> = Vec::new();
    for Label { at: (x, y), size: (w, h) } in labels {
        let corners = (1..=6).flat_map(|far| {
            let (right, below) = (x + 8, y + 5 * far + (far - 1) * h);
            let (left, above) = (x - 8 - w, y - 5 * far - far * h);
            [
                (right, below),
                (right, above),
                (left, below),
                (left, above),
                (x - w / 2, below + 6),
                (x - w / 2, above - 6),
            ]
        });
        let covers = |&(left, top): &(i32, i32)| {
            let (right, bottom) = (left + w, top + h);
            let is_outside = left < 0 || top < 0 || right > wide || bottom > high;
            let others = placed.iter().filter(|[l, t, r, b]| left < *r && *l < right && top < *b && *t < bottom);
            let points = labels.iter().filter(|of| (left - 4..right + 4).contains(&of.at.0));
            let points = points.filter(|of| (top - 4..bottom + 4).contains(&of.at.1));
            (is_outside, others.count(), points.count())
        };
        let (left, top) = corners.min_by_key(covers).unwrap_or((*x, *y));
        placed.push([left, top, left + w, top + h]);
    }
    placed.into_iter().map(|[left, top, ..]| (left, top)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_of_near_points_stand_apart_and_inside() {
        let near = |n: i32| Label { at: (300 + 6 * n, 200 - 4 * n), size: (40, 11) };
        let corner = |n: i32| Label { at: (395 - n, 3 + n), size: (40, 11) };
        for of in [&(0..8).map(near).collect::<Vec<_>>(), &(0..4).map(corner).collect()] {
            let found: Vec<[i32; 4]> = labels(of, (400, 400)).iter().map(|(x, y)| [*x, *y, x + 40, y + 11]).collect();
            for (at, [left, top, right, bottom]) in found.iter().enumerate() {
                assert!(*left >= 0 && *top >= 0 && *right <= 400 && *bottom <= 400, "{found:?}");
                let apart = |[l, t, r, b]: &[i32; 4]| left >= r || l >= right || top >= b || t >= bottom;
                assert!(found[..at].iter().all(apart), "{found:?}");
            }
        }
        // Alone it stands to the right, a little below.
        assert_eq!(labels(&[near(0)], (400, 400)), [(308, 205)]);
    }
}
