//! A drawing in SVG that grows with its elements. Wires are behind, then switches and nodes, then
//! marks, and texts are in front.

use super::svg::{Pixel, Svg, number, path};

/// Colours of wires, by the port they leave through; colour-blind readers can distinguish them as
/// well (Okabe and Ito).
pub(crate) const COLOURS: [&str; 8] =
    ["#0072b2", "#d55e00", "#009e73", "#aa4499", "#b8860b", "#56b4e9", "#6b6b6b", "#8b4513"];
/// Blank around the picture.
const MARGIN: f64 = 28.0;
/// Height of the title above the picture.
const TITLE: f64 = 34.0;

/// Default look of elements.
const STYLE: &str = r#"
text { font-family: "DejaVu Sans", Verdana, sans-serif; fill: #1d2433; text-anchor: middle }
.left { text-anchor: start }
.right { text-anchor: end }
.faint { fill: #7a8296 }
.strong { font-weight: bold }
path { fill: none; stroke-width: 1.4; stroke-linejoin: round }
rect, circle { fill: #f3f5fa; stroke: #3c475e; stroke-width: 1.2 }
circle { fill: #fff }
"#;
/// The network is faint behind marks, and its texts have a white border.
const MARKED: &str = "\
text { paint-order: stroke; stroke: #fff; stroke-width: 3px; stroke-opacity: 0.85 }
.onmark { fill: #fff; stroke: none }
";

/// The drawing so far, and its extent.
#[derive(Default)]
pub(crate) struct Canvas {
    wires: Svg,
    /// Above the wires and below the shapes.
    pub(crate) worms: Svg,
    shapes: Svg,
    /// Marks in front of the network. With marks, the network is faint.
    pub(crate) marks: Svg,
    /// Whether texts are above the marks.
    apart: bool,
    texts: Svg,
    pub(crate) least: Pixel,
    pub(crate) most: Pixel,
}

impl Canvas {
    /// One for marks.
    pub(crate) fn marked() -> Self {
        Self { apart: true, ..Self::default() }
    }

    pub(crate) fn reach(&mut self, (x, y): Pixel) {
        self.least = (self.least.0.min(x), self.least.1.min(y));
        self.most = (self.most.0.max(x), self.most.1.max(y));
    }

    /// A wire along a path that stays about as near as its `corners`.
    pub(crate) fn wire(&mut self, path: &str, colour: usize, corners: &[Pixel]) {
        for &corner in corners {
            self.reach(corner);
        }
        let colour = COLOURS[colour % COLOURS.len()];
        self.wires.empty("path", &[("d", &path), ("stroke", &colour)]);
    }

    /// Removes all wires, because another part draws the wires.
    pub(crate) fn clear_wires(&mut self) {
        self.wires = Svg::default();
    }

    pub(crate) fn line(&mut self, points: &[Pixel], colour: usize) {
        self.wire(&path(points), colour, points);
    }

    /// A ring around a node.
    pub(crate) fn ring(&mut self, middle: Pixel, radius: f64, colour: &str) {
        let style = format!("fill: none; stroke: {colour}; stroke-width: 3.5");
        self.shapes.circle(middle, radius, &[("style", &style)]);
    }

    /// An entry of a legend: a name above a bar of its colour, so wide.
    pub(crate) fn key(&mut self, (x, y): Pixel, width: f64, name: &str, colour: &str) {
        self.text((x, y), 12.0, "left strong", name);
        self.reach((x + width, y + 12.0));
        let style = format!("stroke: {colour}; stroke-width: 3");
        let (from, to, y) = (number(x), number(x + width), number(y + 10.0));
        self.shapes.empty("line", &[("x1", &from), ("y1", &y), ("x2", &to), ("y2", &y), ("style", &style)]);
    }

    /// A switch: a box around its middle.
    pub(crate) fn switch(&mut self, (x, y): Pixel, (width, height): Pixel) {
        self.reach((x - width / 2.0, y - height / 2.0));
        self.reach((x + width / 2.0, y + height / 2.0));
        self.shapes.rect((x - width / 2.0, y - height / 2.0), (width, height), &[("rx", &4)]);
    }

    pub(crate) fn node(&mut self, (x, y): Pixel, radius: f64) {
        self.reach((x - radius, y - radius));
        self.reach((x + radius, y + radius));
        self.shapes.circle((x, y), radius, &[]);
    }

    /// A line of text with its middle at `y`. [`STYLE`] has `class` and alignment.
    pub(crate) fn text(&mut self, (x, y): Pixel, size: f64, class: &str, text: &str) {
        let width = length(text, size);
        let (left, right) = match class.split(' ').next() {
            Some("left") => (x, x + width),
            Some("right") => (x - width, x),
            _ => (x - width / 2.0, x + width / 2.0),
        };
        self.reach((left, y - size / 2.0));
        self.reach((right, y + size / 2.0));
        let (x, y, size) = (number(x), number(y + 0.35 * size), number(size));
        let to = if self.apart { &mut self.texts } else { &mut self.shapes };
        to.text("text", &[("x", &x), ("y", &y), ("font-size", &size), ("class", &class)], text);
    }

    pub(crate) fn finish(mut self, title: &str) -> String {
        let title_size = 14.0;
        let (centre, half) = (f64::midpoint(self.least.0, self.most.0), length(title, title_size) / 2.0);
        self.reach((centre - half, self.least.1));
        self.reach((centre + half, self.most.1));
        let (left, top) = (self.least.0 - MARGIN, self.least.1 - MARGIN - TITLE);
        let (width, height) = (self.most.0 + MARGIN - left, self.most.1 + MARGIN - top);
        let (middle, baseline) = (number(left + width / 2.0), number(top + MARGIN + title_size / 2.0));
        let mut inside = Svg::default();
        let marked = if self.marks.is_empty() { "" } else { MARKED };
        inside.text("style", &[], &format!("{STYLE}{marked}"));
        inside.rect((left, top), (width, height), &[("style", &"fill: #fff; stroke: none")]);
        if self.worms.is_empty() && self.marks.is_empty() {
            inside.append(&self.wires);
        } else {
            inside.around("g", &[("opacity", &0.3)], |faint| faint.append(&self.wires));
        }
        for layer in [&self.worms, &self.shapes, &self.marks, &self.texts] {
            inside.append(layer);
        }
        inside.text(
            "text",
            &[("x", &middle), ("y", &baseline), ("font-size", &title_size), ("class", &"strong")],
            title,
        );
        let [left, top, width, height] = [left, top, width, height].map(number);
        let (namespace, view) = ("http://www.w3.org/2000/svg", format!("{left} {top} {width} {height}"));
        let mut picture = Svg::default();
        picture.around(
            "svg",
            &[("xmlns", &namespace), ("viewBox", &view), ("width", &width), ("height", &height)],
            |svg| svg.append(&inside),
        );
        picture.finish()
    }
}

/// A colour so far along a ramp, from 0 to 1.
#[allow(clippy::cast_sign_loss)] // No pixel is negative.
pub(crate) fn shade(ramp: &[[f64; 3]], at: f64) -> String {
    let last = ramp.len() - 1;
    let at = at.clamp(0.0, 1.0) * last as f64;
    let below = (at as usize).min(last.saturating_sub(1));
    let part = |i: usize| ramp[below][i] + (at - below as f64) * (ramp[last.min(below + 1)][i] - ramp[below][i]);
    format!("#{:02x}{:02x}{:02x}", part(0) as u8, part(1) as u8, part(2) as u8)
}

/// Approximate width of a drawn text.
pub(crate) fn length(text: &str, size: f64) -> f64 {
    0.62 * size * text.chars().count() as f64
}
