//! Bounds of texts whose readers call themselves for each level.

/// Longest text, in characters.
pub(crate) const LONGEST: usize = 1000;
/// Deepest nesting of parentheses.
pub(crate) const DEEPEST: usize = 32;

/// Refuses a text that is too long or too deep, with the place in bytes and the reason.
pub(crate) fn check(text: &str) -> Result<(), (usize, String)> {
    if let Some((at, _)) = text.char_indices().nth(LONGEST) {
        return Err((at, format!("longer than {LONGEST} characters")));
    }
    let mut depth = 0_usize;
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > DEEPEST {
            return Err((at, format!("nested deeper than {DEEPEST} levels")));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_refused_where_it_passes_a_bound() {
        assert_eq!(check(&"é".repeat(1000)), Ok(()));
        assert_eq!(check(&"é".repeat(1001)), Err((2000, "longer than 1000 characters".to_owned())));
        assert_eq!(check(&format!("{}x{}", "(".repeat(32), ")".repeat(32))), Ok(()));
        assert_eq!(check(&"(".repeat(900)), Err((32, "nested deeper than 32 levels".to_owned())));
        assert_eq!(check(&"()".repeat(400)), Ok(()));
    }
}
