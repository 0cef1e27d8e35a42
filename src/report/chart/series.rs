//! Points with a name, and their look.

use plotters::prelude::*;

use super::style::{Area, Drawn, rgb, told};
use crate::report::canvas::COLOURS;
use crate::report::mark::{Mark, Placed};

/// One more colour, so that eight curves have colours that are not grey.
const BLACK: &str = "#101010";

/// Look of the points of a series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// Joined by a line.
    Line,
    /// Joined by a dashed line.
    Dashes,
    /// Joined by a dotted line.
    Dots,
    /// A polygon, filled lightly.
    Band,
    /// Pairs of points. A bar with ends connects the two points of a pair.
    Whiskers,
    /// Pairs of points, opposite corners of a filled box.
    Boxes,
    /// A dashed line from the bottom to the top at the x of each point. The y of the point does not
    /// matter.
    Verticals,
    /// A mark each.
    Marked(Mark),
}

impl Look {
    /// A filled circle each.
    #[allow(non_upper_case_globals)] // The constant stands among the variants.
    pub(crate) const Marks: Self = Self::Marked(Mark::Dot);
    /// An open circle for each point, around the value with which it is compared.
    #[allow(non_upper_case_globals)]
    pub const Rings: Self = Self::Marked(Mark::Ring);
}

impl Look {
    /// Depth of the series. A series that is further behind is drawn earlier.
    pub(super) fn depth(self) -> u8 {
        match self {
            Self::Band | Self::Boxes => 0,
            Self::Line | Self::Dashes | Self::Dots | Self::Verticals => 1,
            Self::Marked(Mark::Ring) => 2,
            Self::Whiskers => 3,
            Self::Marked(_) => 4,
        }
    }
}

/// Points under a name.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// The name in the legend; none when empty.
    pub name: String,
    /// Points, ascending in x.
    pub points: Vec<(f64, f64)>,
    /// Look of the points.
    pub look: Look,
    /// Number of the colour. Series that belong together have the same colour.
    pub colour: usize,
}

impl Series {
    pub(super) fn rgb(&self) -> RGBColor {
        rgb(COLOURS.get(self.colour % (COLOURS.len() + 1)).unwrap_or(&BLACK))
    }

    /// Key of the series in a legend, from a point to the right.
    pub(super) fn key(&self, area: &Area, (x, y): (i32, i32)) -> Drawn {
        let colour = self.rgb();
        let middle = |mark| Placed { at: (x + 13, y), mark, colour };
        let pieces = |begins: &[i32], long: i32| {
            begins.iter().try_for_each(|begin| {
                let from = x + begin;
                area.draw(&PathElement::new([(from, y), (from + long, y)], colour.stroke_width(2)))
            })
        };
        let on_axis = |mark| Placed { at: (x + 13, y + 7), mark, colour };
        match self.look {
            Look::Line | Look::Whiskers => area.draw(&middle(Mark::Stroke)),
            Look::Verticals => area.draw(&middle(Mark::UprightDashes)),
            Look::Dashes => pieces(&[0, 10, 20], 6),
            Look::Dots => pieces(&[0, 6, 12, 18, 24], 2),
            Look::Band => area.draw(&Rectangle::new([(x, y - 6), (x + 26, y + 6)], colour.mix(0.16).filled())),
            Look::Boxes => area.draw(&Rectangle::new([(x, y - 6), (x + 26, y + 6)], colour.filled())),
            // In the legend, marks of an axis are on the line of the name.
            Look::Marked(Mark::Tick(_)) => area.draw(&on_axis(Mark::Tick(0))),
            Look::Marked(Mark::BarredTick(_)) => area.draw(&on_axis(Mark::BarredTick(0))),
            Look::Marked(Mark::CrossTick(_)) => area.draw(&on_axis(Mark::CrossTick(0))),
            Look::Marked(mark) => area.draw(&middle(mark)),
        }
        .map_err(told)
    }
}
