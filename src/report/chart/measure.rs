//! Places and sizes of the texts of a picture, for tests that no text hides another.

use super::style::advance;

/// A text and its box: left, top, right, bottom.
#[derive(Debug)]
pub(crate) struct Measured {
    pub text: String,
    pub bounds: [f64; 4],
}

/// Width and height of a picture, and its texts.
pub(crate) fn texts(svg: &str) -> ((f64, f64), Vec<Measured>) {
    let number = |element: &str, name: &str| -> f64 {
        let value = attribute(element, name).unwrap_or_else(|| panic!("no {name} in {element}"));
        value.parse().unwrap_or_else(|why| panic!("{name} in {element}: {why}"))
    };
    let root = svg.split_once("<svg").unwrap().1.split_once('>').unwrap().0;
    let measured = svg.split("<text").skip(1).map(|rest| {
        let (element, rest) = rest.split_once('>').unwrap();
        let text = rest.split_once("</text>").unwrap().0.trim();
        let text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&apos;", "'");
        let text = text.replace("&amp;", "&");
        let ([x, y], size) = (["x", "y"].map(|name| number(element, name)), number(element, "font-size"));
        let bold = if element.contains("bold") { 1.1 } else { 1.0 };
        let wide = bold * size * text.chars().map(advance).sum::<f64>();
        let left = match attribute(element, "text-anchor") {
            Some("middle") => -wide / 2.0,
            Some("end") => -wide,
            _ => 0.0,
        };
        // Half an ex is about half the height of letters.
        let base = match attribute(element, "dy") {
            Some("0.76em") => 0.76 * size,
            Some("0.5ex") => 0.28 * size,
            Some("-0.5ex") => -0.28 * size,
            None => 0.0,
            Some(other) => panic!("dy {other}"),
        };
        let (top, bottom) = (base - 0.74 * size, base + 0.2 * size);
        let bounds = match attribute(element, "transform") {
            None => [x + left, y + top, x + left + wide, y + bottom],
            Some(turned) if turned.starts_with("rotate(90") => [x - bottom, y + left, x - top, y + left + wide],
            Some(turned) if turned.starts_with("rotate(270") => [x + top, y - left - wide, x + bottom, y - left],
            Some(other) => panic!("transform {other}"),
        };
        Measured { text, bounds }
    });
    let measured = measured.filter(|measured| !measured.text.is_empty());
    ((number(root, "width"), number(root, "height")), measured.collect())
}

fn attribute<'a>(element: &'a str, name: &str) -> Option<&'a str> {
    element.split_once(&format!(" {name}=\""))?.1.split('"').next()
}

/// Panics if a text of a picture hides another text or is outside the picture.
pub(crate) fn assert_readable(svg: &str, what: &str) {
    let ((wide, high), all) = texts(svg);
    assert!(!all.is_empty(), "{what}");
    for (at, Measured { text, bounds }) in all.iter().enumerate() {
        let [left, top, right, bottom] = *bounds;
        let is_inside = left >= 0.0 && top >= 0.0 && right <= wide && bottom <= high;
        assert!(is_inside, "{what}: {text:?} leaves {wide} x {high}: {bounds:?}");
        for other in &all[..at] {
            let [l, t, r, b] = other.bounds;
            let is_apart = left >= r || l >= right || top >= b || t >= bottom;
            assert!(is_apart, "{what}: {text:?} hides {:?}: {bounds:?} {:?}", other.text, other.bounds);
        }
    }
}
