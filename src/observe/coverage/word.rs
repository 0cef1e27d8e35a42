//! Covered bins as one word, for a cell of a table.

use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};

use super::catalogue::{BINS, Bin};
use super::facts::Facts;
use super::watch::Covered;

/// The beginning of a hash of the names of all bins. It differs for another list of bins.
fn digest() -> u64 {
    let mut hash = Sha256::new();
    Bin::all().for_each(|bin| hash.update(format!("{bin}\n")));
    hash.finalize().iter().take(8).fold(0, |number, byte| number << 8 | u64::from(*byte))
}

/// Writes bins as words of one list of bins.
#[derive(Clone, Copy, Debug)]
pub struct Words(u64);

impl Default for Words {
    fn default() -> Self {
        Self(digest())
    }
}

impl Words {
    /// The bins of a run as one word. It has a number for the list of all bins, the facts, and a
    /// place and a count for each bin.
    #[must_use]
    pub fn word(self, covered: &Covered) -> String {
        let mut word = format!("{:016x}", self.0);
        // Writing to a string does not fail.
        for (name, values) in covered.facts.words() {
            let _ = write!(word, " {name}={}", values.join(","));
        }
        for (place, count) in &covered.hits {
            let _ = write!(word, " {place}:{count}");
        }
        word
    }

    /// The bins of a word.
    ///
    /// # Errors
    /// The word is of another list of bins, or is damaged.
    pub fn covered(self, word: &str) -> Result<Covered, String> {
        let mut parts = word.split(' ');
        let damaged = || format!("\"{}\" is no list of bins", word.chars().take(40).collect::<String>());
        let digest = parts.next().and_then(|digest| u64::from_str_radix(digest, 16).ok()).ok_or_else(damaged)?;
        if digest != self.0 {
            return Err("another version of the program counted other bins; repeat the runs with this one".to_owned());
        }
        let (mut hits, mut facts) = (Vec::new(), Vec::new());
        for part in parts {
            if let Some((name, values)) = part.split_once('=') {
                facts.push((name, values.split(',').filter(|value| !value.is_empty())));
            } else {
                let hit =
                    part.split_once(':').and_then(|(place, count)| Some((place.parse().ok()?, count.parse().ok()?)));
                hits.push(hit.filter(|&(place, _)| place < BINS).ok_or_else(damaged)?);
            }
        }
        Ok(Covered { hits, facts: Facts::from_words(facts)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_reads_back() {
        let facts = Facts::from_words(
            [("encoding", &["unicast", "mask"][..]), ("token", &[][..])]
                .map(|(name, values)| (name, values.iter().copied())),
        )
        .unwrap();
        let covered = Covered { hits: vec![(0, 3), (BINS - 1, 1)], facts };
        let words = Words::default();
        let word = words.word(&covered);
        assert!(word.contains(" encoding=unicast,mask token= 0:3 "), "{word}");
        assert_eq!(words.covered(&word), Ok(covered));
        let damaged = [word.replace("0:3", "0:z"), word.replace("0:3", "99999:1"), format!("1 {word}"), String::new()];
        for wrong in damaged {
            assert!(words.covered(&wrong).is_err(), "{wrong}");
        }
    }
}
