//! Pictures in SVG as PNG: every machine draws the same, in a font of our own.

use std::sync::{Arc, LazyLock};

use resvg::tiny_skia::{Color, Pixmap, Transform};
use resvg::usvg::{Options, Tree, fontdb::Database};

/// Pixels of the PNG to one of the SVG: sharp in print and on dense screens.
const SCALE: f32 = 2.0;
/// Longest side of a picture in pixels of the PNG.
const MOST: f32 = 16384.0;

static FONTS: LazyLock<Arc<Database>> = LazyLock::new(|| {
    let mut fonts = Database::new();
    fonts.load_font_data(dejavu::sans::regular().to_vec());
    fonts.load_font_data(dejavu::sans::bold().to_vec());
    fonts.set_sans_serif_family("DejaVu Sans");
    Arc::new(fonts)
});

/// The PNG of a picture, on white.
///
/// # Errors
/// When it is no SVG.
pub fn png(svg: &str) -> Result<Vec<u8>, String> {
    let options = Options { fontdb: FONTS.clone(), font_family: "DejaVu Sans".to_owned(), ..Options::default() };
    let tree = Tree::from_str(svg, &options).map_err(|error| error.to_string())?;
    let drawn = tree.size();
    let scale = SCALE.min(MOST / drawn.width().max(drawn.height()));
    #[allow(clippy::cast_sign_loss)] // The value is at least 1.
    let pixels = |length: f32| (length * scale).ceil().max(1.0) as u32;
    let mut picture = Pixmap::new(pixels(drawn.width()), pixels(drawn.height())).ok_or("the picture has no size")?;
    picture.fill(Color::WHITE);
    resvg::render(&tree, Transform::from_scale(scale, scale), &mut picture.as_mut());
    picture.encode_png().map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn darkest(text: &str) -> u8 {
        let svg = format!(
            r#"<svg xmlns="http://www.w3.org/2000/svg" width="60" height="30"><text x="5" y="20" font-family="Verdana, sans-serif">{text}</text></svg>"#
        );
        let picture = Pixmap::decode_png(&png(&svg).unwrap()).unwrap();
        assert_eq!((picture.width(), picture.height()), (120, 60));
        picture.pixels().iter().map(|pixel| pixel.red()).min().unwrap()
    }

    #[test]
    fn texts_are_drawn_without_any_font_of_the_machine() {
        assert_eq!(darkest(""), 255);
        assert!(darkest("load") < 50);
    }

    #[test]
    fn what_is_no_picture_is_refused() {
        assert!(png("no picture").is_err());
    }
}
