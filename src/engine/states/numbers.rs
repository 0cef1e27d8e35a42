//! Numbers for byte strings: each different string gets the next number.

use std::hash::Hasher as _;

use hashbrown::HashTable;
use rustc_hash::FxHasher;

/// The strings, one after the other, and their numbers.
#[derive(Clone, Debug, Default)]
pub(super) struct Numbers {
    bytes: Vec<u8>,
    /// End of each string.
    ends: Vec<u32>,
    table: HashTable<u32>,
}

fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(bytes);
    hasher.finish()
}

impl Numbers {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// The string of a number.
    pub fn of(&self, number: u32) -> &[u8] {
        let at = number as usize;
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.bytes[start as usize..self.ends[at] as usize]
    }

    /// The number of a string.
    pub fn number(&mut self, string: &[u8]) -> u32 {
        let hashed = hash(string);
        if let Some(&found) = self.table.find(hashed, |&of| self.of(of) == string) {
            return found;
        }
        let number = self.ends.len() as u32;
        self.bytes.extend_from_slice(string);
        self.ends.push(self.bytes.len() as u32);
        let (bytes, ends) = (&self.bytes, &self.ends);
        let again = |&of: &u32| {
            let start = (of as usize).checked_sub(1).map_or(0, |before| ends[before]);
            hash(&bytes[start as usize..ends[of as usize] as usize])
        };
        self.table.insert_unique(hashed, number, again);
        number
    }

    /// Bytes of memory, about.
    pub fn memory(&self) -> usize {
        self.bytes.capacity() + 4 * self.ends.capacity() + 5 * self.table.capacity()
    }
}
