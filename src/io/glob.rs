//! Globs: `*`, `?`, `[a-z]`, `{a,b}`. A glob that would take too long to compile is refused.

use globset::{ErrorKind, GlobBuilder, GlobSet};

/// Longest glob in bytes.
const LONGEST: usize = 1000;

/// The names that a glob matches. `*` and `?` stay within one name where names are `separated` by
/// `/`.
///
/// # Errors
/// The fault of the text.
pub fn compile(glob: &str, separated: bool) -> Result<GlobSet, String> {
    if glob.len() > LONGEST {
        return Err(format!("{} bytes; allowed: up to {LONGEST}", glob.len()));
    }
    // A set reports an error, but a single glob would panic.
    let compiled = GlobBuilder::new(glob).literal_separator(separated).build();
    let set = compiled.and_then(|glob| GlobSet::builder().add(glob).build());
    set.map_err(|error| match error.kind() {
        ErrorKind::Regex(_) => "braces are nested too deeply".to_owned(),
        kind => kind.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_glob_of_any_shape_is_compiled_or_refused() {
        assert!(compile("top/rt_*", true).unwrap().is_match("top/rt_3"));
        assert!(!compile("top/*", true).unwrap().is_match("top/rt_3/in0"));
        assert!(compile("top/*", false).unwrap().is_match("top/rt_3/in0"));
        assert!(compile("[", true).unwrap_err().contains("unclosed character class"));
        for part in ["{", "{a,", "[a]", "?", "**/", "*", "\\a", "é", "[!a-z]", "{a,b}"] {
            for count in (1..40).chain([100, 300, 1000, 100_000]) {
                let open = part.repeat(count);
                let closed = format!("{open}x{}", "}".repeat(count));
                for glob in [&open, &closed] {
                    let told = compile(glob, true).err().unwrap_or_default();
                    assert!(told.len() < 200, "{told}");
                }
            }
        }
        let deep = format!("{}x{}", "{a,".repeat(200), "}".repeat(200));
        assert_eq!(compile(&deep, true).unwrap_err(), "braces are nested too deeply");
    }
}
