//! SVG as it is written: numbers, paths, and elements with their attributes and texts escaped.

use std::fmt::Display;

use quick_xml::Writer;
use quick_xml::escape::partial_escape;
use quick_xml::events::{BytesEnd, BytesStart, BytesText, Event};

/// A point, to the right and down, in pixels.
pub(crate) type Pixel = (f64, f64);

/// Attributes by name.
pub(crate) type Attributes<'a> = &'a [(&'a str, &'a dyn Display)];

/// Elements one after the other; each outermost element has its own line.
#[derive(Default)]
pub(crate) struct Svg {
    text: Vec<u8>,
    /// Number of open elements.
    depth: u32,
}

impl Svg {
    pub(crate) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// An element that holds nothing.
    pub(crate) fn empty(&mut self, name: &str, attributes: Attributes) {
        self.write(Event::Empty(start(name, attributes)));
        self.end_line();
    }

    pub(crate) fn circle(&mut self, (x, y): Pixel, radius: f64, more: Attributes) {
        let own: Attributes = &[("cx", &number(x)), ("cy", &number(y)), ("r", &number(radius))];
        self.empty("circle", &[own, more].concat());
    }

    /// A box from its upper left corner on.
    pub(crate) fn rect(&mut self, (x, y): Pixel, (width, height): Pixel, more: Attributes) {
        let own: Attributes =
            &[("x", &number(x)), ("y", &number(y)), ("width", &number(width)), ("height", &number(height))];
        self.empty("rect", &[own, more].concat());
    }

    /// An element that holds a text.
    pub(crate) fn text(&mut self, name: &str, attributes: Attributes, text: &str) {
        self.around(name, attributes, |svg| svg.write(Event::Text(BytesText::from_escaped(partial_escape(text)))));
    }

    /// An element that contains other elements.
    pub(crate) fn around(&mut self, name: &str, attributes: Attributes, inside: impl FnOnce(&mut Self)) {
        self.write(Event::Start(start(name, attributes)));
        self.depth += 1;
        inside(self);
        self.depth -= 1;
        self.write(Event::End(BytesEnd::new(name)));
        self.end_line();
    }

    /// Appends all lines of another drawing.
    pub(crate) fn append(&mut self, other: &Self) {
        if self.depth > 0 {
            self.text.push(b'\n');
        }
        self.text.extend_from_slice(&other.text);
    }

    pub(crate) fn finish(self) -> String {
        String::from_utf8_lossy(&self.text).into_owned()
    }

    fn write(&mut self, event: Event) {
        // A write to memory never fails.
        let _ = Writer::new(&mut self.text).write_event(event);
    }

    fn end_line(&mut self) {
        if self.depth == 0 {
            self.text.push(b'\n');
        }
    }
}

fn start<'a>(name: &'a str, attributes: Attributes) -> BytesStart<'a> {
    let mut start = BytesStart::new(name);
    for (name, value) in attributes {
        start.push_attribute((*name, &*value.to_string()));
    }
    start
}

/// A number with one decimal place, if it is not whole.
pub(crate) fn number(value: f64) -> String {
    let tenths = (value * 10.0).round() / 10.0;
    // The sum turns -0 into 0.
    (tenths + 0.0).to_string()
}

pub(crate) fn at((x, y): Pixel) -> String {
    format!("{},{}", number(x), number(y))
}

pub(crate) fn path(points: &[Pixel]) -> String {
    let path: Vec<String> = points.iter().map(|&p| at(p)).collect();
    format!("M{}", path.join("L"))
}
