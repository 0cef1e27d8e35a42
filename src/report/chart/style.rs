//! Fonts, inks and lengths of texts.

use plotters::coord::Shift;
use plotters::prelude::*;

pub(super) const FONT: &str = "DejaVu Sans, Verdana, sans-serif";
pub(super) const INK: RGBColor = RGBColor(29, 36, 51);
pub(super) const FAINT: RGBColor = RGBColor(106, 114, 134);
pub(super) const GRID: RGBColor = RGBColor(222, 226, 236);

pub(super) type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
pub(super) type Drawn = Result<(), String>;

pub(super) fn told(error: impl std::fmt::Display) -> String {
    error.to_string()
}

pub(super) fn text(size: u32, colour: RGBColor) -> TextStyle<'static> {
    (FONT, size).into_font().color(&colour)
}

/// Width of a text in the first font. In other fonts the width is approximate.
#[allow(clippy::cast_sign_loss)] // The value is a length.
pub(super) fn width(text: &str, size: u32) -> u32 {
    let em: f64 = text.chars().map(advance).sum();
    (em * f64::from(size)).ceil() as u32
}

/// Width of a character, as a share of the size.
pub(super) fn advance(c: char) -> f64 {
    match c {
        'i' | 'j' | 'l' | '\'' => 0.28,
        ' ' | '.' | ',' | ':' | ';' | '/' | '|' => 0.33,
        't' | 'f' | 'r' | '-' | '(' | ')' | '[' | ']' => 0.4,
        's' | 'c' | 'z' | '_' => 0.53,
        'm' | 'M' | 'W' | '%' => 0.95,
        'w' | '=' | '+' | '<' | '>' | '±' => 0.83,
        'A'..='Z' => 0.7,
        _ => 0.63,
    }
}

/// The text, or as much of its beginning as is no wider.
pub(super) fn cut(text: &str, most: u32, size: u32) -> String {
    if width(text, size) <= most {
        return text.to_owned();
    }
    let mut short = text.to_owned();
    while width(&short, size) + size > most && short.pop().is_some() {}
    short + "\u{2026}"
}

/// A text in the largest size that fits, but never too small to read. If it does not fit, only its
/// beginning.
pub(super) fn fitting(text: &str, room: u32, size: u32) -> (String, u32) {
    /// Smallest readable size of letters.
    const LEAST: u32 = 11;
    // Letters are about a sixth smaller than their size.
    let room = room * 7 / 6;
    let size = (LEAST..=size).rev().find(|size| width(text, *size) <= room).unwrap_or(LEAST);
    (cut(text, room, size), size)
}

/// A colour written as `#rrggbb`.
pub(super) fn rgb(hex: &str) -> RGBColor {
    let part = |at: usize| hex.get(at..at + 2).and_then(|part| u8::from_str_radix(part, 16).ok()).unwrap_or(0);
    RGBColor(part(1), part(3), part(5))
}
