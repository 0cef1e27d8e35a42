//! Names that a misspelt one may mean.

use super::{MOST_LISTED, list_of};

/// The name among `allowed` that `found` most likely means.
#[must_use]
pub fn nearest<'a>(found: &str, allowed: &[&'a str]) -> Option<&'a str> {
    const ALIKE: f64 = 0.75;
    // A name longer than all of ours has no near one. A comparison would take its square in time.
    if found.len() > 64 {
        return None;
    }
    let found = found.to_lowercase();
    allowed
        .iter()
        .map(|name| (strsim::jaro_winkler(&found, name), *name))
        .filter(|(likeness, _)| *likeness >= ALIKE)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, name)| name)
}

/// The `names` most similar to one, best first.
#[must_use]
pub fn most_like(name: &str, names: impl Iterator<Item = String>) -> Vec<String> {
    const NEAREST: usize = 3;
    let mut best: Vec<(f64, String)> = Vec::new();
    for other in names {
        let likeness = strsim::normalized_damerau_levenshtein(name, &other);
        let at = best.partition_point(|(l, _)| *l >= likeness);
        if at < NEAREST {
            best.insert(at, (likeness, other));
            best.truncate(NEAREST);
        }
    }
    best.into_iter().map(|(_, name)| name).collect()
}

/// `; did you mean "x"? allowed: x, y, z`, the tail of every message about an unknown name.
#[must_use]
pub fn suggestion(found: &str, allowed: &[&str]) -> String {
    // Our own lists of names are shorter. Lists of a user have any length.
    const MOST: usize = 64;
    if allowed.is_empty() {
        return "; there are none here".to_owned();
    }
    let all = list_of(allowed, ", ", if allowed.len() > MOST { MOST_LISTED } else { MOST });
    match nearest(found, allowed) {
        Some(name) => format!("; did you mean \"{name}\"? allowed: {all}"),
        None => format!("; allowed: {all}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_found_and_nonsense_has_none() {
        let names = ["flit_bits", "fifo_depth", "virtual_channels"];
        assert_eq!(nearest("fifo_dept", &names), Some("fifo_depth"));
        assert_eq!(nearest("FIFO_DEPTH", &names), Some("fifo_depth"));
        assert_eq!(nearest("virtual_chanels", &names), Some("virtual_channels"));
        assert_eq!(nearest("zzz", &names), None);
        assert_eq!(nearest(&"f".repeat(100_000), &names), None);
        assert_eq!(suggestion("zzz", &["a", "b"]), "; allowed: a, b");
        assert_eq!(suggestion("zzz", &[]), "; there are none here");
    }

    #[test]
    fn names_of_a_user_are_cut_where_they_are_many() {
        let names: Vec<String> = (0..65).map(|n| format!("s{n}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        assert!(suggestion("zzz", &names).ends_with("s14, s15 and 49 more"));
        assert!(suggestion("zzz", &names[1..]).ends_with("s63, s64"));
    }
}
