//! A drawing in SVG that grows with what is drawn: wires behind, switches and nodes, marks, texts
//! in front.

use std::fmt::Write as _;

use crate::quote::markup;

/// Colours of wires, by the port they leave through; told apart by the colour-blind as well (Okabe
/// and Ito).
pub(super) const COLOURS: [&str; 8] =
    ["#0072b2", "#d55e00", "#009e73", "#aa4499", "#b8860b", "#56b4e9", "#6b6b6b", "#8b4513"];
/// Blank around the picture.
const MARGIN: f64 = 28.0;
/// Height of the title above it.
const TITLE: f64 = 34.0;

/// A point, to the right and down, in pixels.
pub(super) type Point = (f64, f64);

/// What is drawn so far, and how far it reaches.
#[derive(Default)]
pub(super) struct Canvas {
    wires: String,
    /// Above the wires and below the shapes.
    pub(super) worms: String,
    shapes: String,
    /// What stands out from the network, which then steps back.
    pub(super) marks: String,
    /// Whether texts are kept apart, above the marks.
    apart: bool,
    texts: String,
    pub(super) least: Point,
    pub(super) most: Point,
}

impl Canvas {
    /// One for marks.
    pub(super) fn marked() -> Self {
        Self { apart: true, ..Self::default() }
    }

    pub(super) fn reach(&mut self, (x, y): Point) {
        self.least = (self.least.0.min(x), self.least.1.min(y));
        self.most = (self.most.0.max(x), self.most.1.max(y));
    }

    /// A wire along a path that stays about as near as its `corners`.
    pub(super) fn wire(&mut self, path: &str, colour: usize, corners: &[Point]) {
        for &corner in corners {
            self.reach(corner);
        }
        let colour = COLOURS[colour % COLOURS.len()];
        let _ = writeln!(self.wires, r#"<path d="{path}" stroke="{colour}"/>"#);
    }

    /// Takes all wires away, for those that are drawn otherwise.
    pub(super) fn clear_wires(&mut self) {
        self.wires.clear();
    }

    pub(super) fn line(&mut self, points: &[Point], colour: usize) {
        self.wire(&path(points), colour, points);
    }

    /// A ring around a node.
    pub(super) fn ring(&mut self, (x, y): Point, radius: f64, colour: &str) {
        let (x, y, radius) = (number(x), number(y), number(radius));
        let style = format!("fill: none; stroke: {colour}; stroke-width: 3.5");
        let _ = writeln!(self.shapes, r#"<circle cx="{x}" cy="{y}" r="{radius}" style="{style}"/>"#);
    }

    /// An entry of a legend: a name above a bar of its colour, so wide.
    pub(super) fn key(&mut self, (x, y): Point, width: f64, name: &str, colour: &str) {
        self.text((x, y), 12.0, "left strong", name);
        self.reach((x + width, y + 12.0));
        let style = format!("stroke: {colour}; stroke-width: 3");
        let (from, to, y) = (number(x), number(x + width), number(y + 10.0));
        let _ = writeln!(self.shapes, r#"<line x1="{from}" y1="{y}" x2="{to}" y2="{y}" style="{style}"/>"#);
    }

    /// A switch: a box around its middle.
    pub(super) fn switch(&mut self, (x, y): Point, (width, height): Point) {
        self.reach((x - width / 2.0, y - height / 2.0));
        self.reach((x + width / 2.0, y + height / 2.0));
        let (left, top) = (number(x - width / 2.0), number(y - height / 2.0));
        let (width, height) = (number(width), number(height));
        let _ = writeln!(self.shapes, r#"<rect x="{left}" y="{top}" width="{width}" height="{height}" rx="4"/>"#);
    }

    pub(super) fn node(&mut self, (x, y): Point, radius: f64) {
        self.reach((x - radius, y - radius));
        self.reach((x + radius, y + radius));
        let _ = writeln!(self.shapes, r#"<circle cx="{}" cy="{}" r="{}"/>"#, number(x), number(y), number(radius));
    }

    /// A line of text, its middle at `y`; `class` and alignment as the style sheet of
    /// [`Canvas::finish`] has them.
    pub(super) fn text(&mut self, (x, y): Point, size: f64, class: &str, text: &str) {
        let width = length(text, size);
        let (left, right) = match class.split(' ').next() {
            Some("left") => (x, x + width),
            Some("right") => (x - width, x),
            _ => (x - width / 2.0, x + width / 2.0),
        };
        self.reach((left, y - size / 2.0));
        self.reach((right, y + size / 2.0));
        let (x, y, size) = (number(x), number(y + 0.35 * size), number(size));
        let text = markup(text);
        let to = if self.apart { &mut self.texts } else { &mut self.shapes };
        let _ = writeln!(to, r#"<text x="{x}" y="{y}" font-size="{size}" class="{class}">{text}</text>"#);
    }

    pub(super) fn finish(mut self, title: &str) -> String {
        let title_size = 14.0;
        let (centre, half) = (f64::midpoint(self.least.0, self.most.0), length(title, title_size) / 2.0);
        self.reach((centre - half, self.least.1));
        self.reach((centre + half, self.most.1));
        let (left, top) = (self.least.0 - MARGIN, self.least.1 - MARGIN - TITLE);
        let (width, height) = (self.most.0 + MARGIN - left, self.most.1 + MARGIN - top);
        let middle = (number(left + width / 2.0), number(top + MARGIN + title_size / 2.0));
        let view = [left, top, width, height].map(number).join(" ");
        // Behind marks the network is faint, and its texts keep them at a distance.
        let style = if self.marks.is_empty() {
            ""
        } else {
            "text { paint-order: stroke; stroke: #fff; stroke-width: 3px; stroke-opacity: 0.85 }\n.onmark { fill: #fff; stroke: none }\n"
        };
        let title = markup(title);
        let Self { wires, worms, marks, .. } = &self;
        let plain = worms.is_empty() && marks.is_empty();
        let wires = if plain { wires.clone() } else { format!("<g opacity=\"0.3\">\n{wires}</g>\n{worms}") };
        format!(
            r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="{view}" width="{}" height="{}">
<style>
text {{ font-family: "DejaVu Sans", Verdana, sans-serif; fill: #1d2433; text-anchor: middle }}
.left {{ text-anchor: start }}
.right {{ text-anchor: end }}
.faint {{ fill: #7a8296 }}
.strong {{ font-weight: bold }}
path {{ fill: none; stroke-width: 1.4; stroke-linejoin: round }}
rect, circle {{ fill: #f3f5fa; stroke: #3c475e; stroke-width: 1.2 }}
circle {{ fill: #fff }}
{style}</style>
<rect x="{}" y="{}" width="{}" height="{}" style="fill: #fff; stroke: none"/>
{}{}{}{}<text x="{}" y="{}" font-size="{title_size}" class="strong">{title}</text>
</svg>
"#,
            number(width),
            number(height),
            number(left),
            number(top),
            number(width),
            number(height),
            wires,
            self.shapes,
            self.marks,
            self.texts,
            middle.0,
            middle.1,
        )
    }
}

/// A colour so far along a ramp, from 0 to 1.
#[allow(clippy::cast_sign_loss)] // Nothing is negative.
pub(super) fn shade(ramp: &[[f64; 3]], at: f64) -> String {
    let last = ramp.len() - 1;
    let at = at.clamp(0.0, 1.0) * last as f64;
    let below = (at as usize).min(last.saturating_sub(1));
    let part = |i: usize| ramp[below][i] + (at - below as f64) * (ramp[last.min(below + 1)][i] - ramp[below][i]);
    format!("#{:02x}{:02x}{:02x}", part(0) as u8, part(1) as u8, part(2) as u8)
}

/// About as wide as a text is drawn.
pub(super) fn length(text: &str, size: f64) -> f64 {
    0.62 * size * text.chars().count() as f64
}

/// A number with a decimal place, where it has one.
pub(super) fn number(value: f64) -> String {
    let tenths = (value * 10.0).round() / 10.0;
    // Not -0.
    (tenths + 0.0).to_string()
}

pub(super) fn at((x, y): Point) -> String {
    format!("{},{}", number(x), number(y))
}

pub(super) fn path(points: &[Point]) -> String {
    let path: Vec<String> = points.iter().map(|&p| at(p)).collect();
    format!("M{}", path.join("L"))
}
