//! Names of markers for which a viewer has room. It draws each name above its marker, centred.
//! Names overlap their neighbours and are cut at the border. A marker without a name shows its
//! letter.

/// Pixels of a character, and between two names.
const CHARACTER: f64 = 7.5;
const GAP: f64 = 6.0;

/// Whether each name has room. `marks` are names with the pixel of their marker, in a picture of
/// `width` pixels. Earlier names come first, and every letter has room.
pub(super) fn with_room(marks: &[(&str, f64)], width: f64) -> Vec<bool> {
    let half = |name: &str| name.chars().count() as f64 * CHARACTER / 2.0;
    let mut named = vec![false; marks.len()];
    for (at, (name, x)) in marks.iter().enumerate() {
        let mine = half(name);
        let is_whole = *x >= mine && *x + mine <= width;
        let is_apart = marks.iter().zip(&named).enumerate().all(|(other, ((name, there), is_named))| {
            let theirs = half(if *is_named { name } else { "A" });
            other == at || (x - there).abs() >= mine + theirs + GAP
        });
        named[at] = is_whole && is_apart;
    }
    named
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_neither_overlap_nor_are_cut() {
        assert_eq!(with_room(&[("final", 500.0), ("detected", 600.0)], 1000.0), [true, true]);
        // Half of each name is 19 and 30 pixels, and the gap is added.
        assert_eq!(with_room(&[("final", 500.0), ("detected", 550.0)], 1000.0), [true, false]);
        assert_eq!(with_room(&[("no return", 0.0), ("final", 80.0)], 1000.0), [false, true]);
        assert_eq!(with_room(&[("w1 waits", 980.0)], 1000.0), [false]);
        // A letter keeps its room.
        assert_eq!(with_room(&[("final", 500.0), ("x", 515.0)], 1000.0), [false, true]);
        assert_eq!(with_room(&[], 1000.0), [] as [bool; 0]);
    }
}
