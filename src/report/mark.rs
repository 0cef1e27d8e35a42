//! Marks of charts: shapes that differ in black and white.

use plotters::element::{Drawable, PointCollection};
use plotters::prelude::*;
use plotters_backend::{BackendCoord, DrawingErrorKind};

/// A mark with a fixed size in pixels, for all ranges of the axes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// A filled circle.
    Dot,
    /// An open circle around a point.
    Ring,
    /// A filled shape; marks of successive numbers differ.
    Shape(usize),
    /// The outline of one.
    Open(usize),
    /// A small point that stays in the background.
    Speck,
    /// An X across the marked point, or this number of Xs above it.
    Cross(u8),
    /// A short dash upwards from a point on the horizontal axis, with this number of dashes above
    /// the point.
    Tick(u8),
    /// A tick with a bar across its top.
    BarredTick(u8),
    /// An X on the horizontal axis, or on this number of dashes.
    CrossTick(u8),
    /// A level piece of a line, as a legend shows it.
    Stroke,
    /// An upright piece of a dashed line, as a legend shows it.
    UprightDashes,
    /// The level end of a whisker.
    Level,
    /// The upright end of one.
    Upright,
}

/// A line of a mark, relative to its point.
pub(crate) struct Stroke {
    pub from: (i32, i32),
    pub to: (i32, i32),
    pub width: u32,
}

const fn line(from: (i32, i32), to: (i32, i32), width: u32) -> Stroke {
    Stroke { from, to, width }
}

const TICK: [Stroke; 1] = [line((0, 0), (0, -14), 3)];
const BARRED_TICK: [Stroke; 2] = [line((0, 0), (0, -13), 3), line((-5, -12), (5, -12), 3)];
const CROSS_TICK: [Stroke; 2] = [line((-6, -13), (6, -1), 2), line((-6, -1), (6, -13), 2)];

impl Mark {
    /// The lines of a mark on the horizontal axis. Other marks have none.
    pub(crate) fn strokes(self) -> &'static [Stroke] {
        match self {
            Self::Tick(_) => &TICK,
            Self::BarredTick(_) => &BARRED_TICK,
            Self::CrossTick(_) => &CROSS_TICK,
            _ => &[],
        }
    }
}

/// Corners of the shapes, around their middle.
const SHAPES: [&[(i32, i32)]; 6] = [
    &[(-4, -4), (4, -4), (4, 4), (-4, 4)],
    &[(0, -6), (6, 4), (-6, 4)],
    &[(0, -6), (6, 0), (0, 6), (-6, 0)],
    &[(0, 6), (6, -4), (-6, -4)],
    &[(-3, -5), (3, -5), (6, 0), (3, 5), (-3, 5), (-6, 0)],
    &[(-5, 0), (5, -6), (5, 6)],
];

/// A mark at a point of a chart or of its ground.
#[derive(Clone, Debug)]
pub(crate) struct Placed<C> {
    /// The point.
    pub at: C,
    /// The mark.
    pub mark: Mark,
    /// Colour of the mark.
    pub colour: RGBColor,
}

impl<'a, C> PointCollection<'a, C> for &'a Placed<C> {
    type Point = &'a C;
    type IntoIter = std::iter::Once<&'a C>;

    fn point_iter(self) -> Self::IntoIter {
        std::iter::once(&self.at)
    }
}

impl<C, B: DrawingBackend> Drawable<B> for Placed<C> {
    fn draw<I: Iterator<Item = BackendCoord>>(
        &self,
        mut points: I,
        backend: &mut B,
        _: (u32, u32),
    ) -> Result<(), DrawingErrorKind<B::ErrorType>> {
        let Some((x, y)) = points.next() else { return Ok(()) };
        let around = |&(dx, dy): &(i32, i32)| (x + dx, y + dy);
        let thick = self.colour.stroke_width(2);
        let mut stroke = |from: (i32, i32), to: (i32, i32), width: u32| {
            backend.draw_path([around(&from), around(&to)], &self.colour.stroke_width(width))
        };
        match self.mark {
            Mark::Stroke => stroke((-11, 0), (11, 0), 2),
            Mark::Cross(level) => {
                let middle = -16 * i32::from(level);
                stroke((-7, middle - 7), (7, middle + 7), 2)?;
                stroke((-7, middle + 7), (7, middle - 7), 2)
            }
            Mark::Tick(level) | Mark::BarredTick(level) | Mark::CrossTick(level) => {
                let up = |(x, y): (i32, i32)| (x, y - 16 * i32::from(level));
                self.mark.strokes().iter().try_for_each(|line| stroke(up(line.from), up(line.to), line.width))
            }
            Mark::UprightDashes => [-8, -2, 4].into_iter().try_for_each(|top| stroke((0, top), (0, top + 3), 2)),
            Mark::Level => stroke((-4, 0), (4, 0), 1),
            Mark::Upright => stroke((0, -4), (0, 4), 1),
            Mark::Dot => backend.draw_circle((x, y), 4, &self.colour.filled(), true),
            Mark::Ring => backend.draw_circle((x, y), 7, &thick, false),
            Mark::Speck => backend.draw_circle((x, y), 3, &self.colour.mix(0.4).filled(), true),
            Mark::Shape(shape) => {
                backend.fill_polygon(SHAPES[shape % SHAPES.len()].iter().map(around), &self.colour.filled())
            }
            Mark::Open(shape) => {
                let corners = SHAPES[shape % SHAPES.len()];
                backend.fill_polygon(corners.iter().map(around), &WHITE.filled())?;
                backend.draw_path(corners.iter().chain(&corners[..2]).map(around), &thick)
            }
        }
    }
}
