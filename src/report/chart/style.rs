//! Fonts, inks and lengths of texts.

use plotters::coord::Shift;
use plotters::prelude::*;

use crate::report::canvas;

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

/// About as wide as a text is drawn.
#[allow(clippy::cast_sign_loss)] // A length.
pub(super) fn width(text: &str, size: u32) -> u32 {
    (canvas::length(text, f64::from(size))).ceil() as u32
}

/// A colour written as `#rrggbb`.
pub(super) fn rgb(hex: &str) -> RGBColor {
    let part = |at: usize| hex.get(at..at + 2).and_then(|part| u8::from_str_radix(part, 16).ok()).unwrap_or(0);
    RGBColor(part(1), part(3), part(5))
}
