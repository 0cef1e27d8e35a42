//! The states that a search has visited, in the order in which it met them.
//!
//! A state is one number for each part of the network. A number takes as many bytes as the largest
//! number of its part needs. So a state of a small network takes a few dozen bytes. States are
//! compared whole, not by a hash alone. So the search never takes two states for one.

use std::hash::Hasher as _;

use hashbrown::HashTable;
use rustc_hash::FxHasher;

/// Largest number of states.
const MOST: u64 = u32::MAX as u64 - 1;
/// States between two looks at the memory.
const LOOKED: u64 = 1 << 12;

/// Visited states.
#[derive(Clone, Debug)]
pub(super) struct Store {
    /// Bytes of each number of a state.
    pub widths: Vec<u8>,
    pub bytes: Vec<u8>,
    /// The state from which a state was met first; itself for the first.
    pub parents: Vec<u32>,
    /// Bytes of a state.
    each: usize,
    table: HashTable<u32>,
    /// The state that is looked up.
    looked_up: Vec<u8>,
    /// Largest number of bytes of memory.
    pub most: usize,
    /// A new state had no room.
    pub is_full: bool,
}

fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(bytes);
    hasher.finish()
}

/// The numbers of a state that is kept as bytes.
fn unpacked<'a>(widths: &'a [u8], mut bytes: &'a [u8]) -> impl Iterator<Item = u32> + 'a {
    widths.iter().map(move |&width| {
        let (number, rest) = bytes.split_at(width.into());
        bytes = rest;
        number.iter().rev().fold(0, |all, &byte| all << 8 | u32::from(byte))
    })
}

impl Store {
    pub fn new(width: usize) -> Self {
        Self::with(vec![1; width], Vec::new(), Vec::new())
    }

    /// A store with states that were kept before.
    pub fn with(widths: Vec<u8>, bytes: Vec<u8>, parents: Vec<u32>) -> Self {
        let (each, most) = (widths.iter().map(|&width| usize::from(width)).sum(), usize::MAX);
        let (table, looked_up) = (HashTable::new(), Vec::new());
        let mut store = Self { widths, bytes, parents, each, table, looked_up, most, is_full: false };
        store.index();
        store
    }

    /// Fills the table with all states.
    fn index(&mut self) {
        self.table.clear();
        self.table.reserve(self.parents.len(), |_| 0);
        for (id, state) in (0..).zip(self.bytes.chunks_exact(self.each.max(1))) {
            let (bytes, each) = (&self.bytes, self.each);
            self.table.insert_unique(hash(state), id, |&of| hash(packed(bytes, each, of)));
        }
    }

    /// Number of states.
    pub fn len(&self) -> u64 {
        self.parents.len() as u64
    }

    fn numbers(&self, id: u32) -> impl Iterator<Item = u32> + '_ {
        unpacked(&self.widths, packed(&self.bytes, self.each, id))
    }

    /// The numbers of a state.
    pub fn get(&self, id: u32, into: &mut Vec<u32>) {
        into.clear();
        into.extend(self.numbers(id));
    }

    /// Keeps a state, unless it is known or there is no room for it. Returns whether it is new.
    pub fn insert(&mut self, state: &[u32], parent: u32) -> bool {
        self.widen(state);
        self.looked_up.clear();
        for (number, &width) in state.iter().zip(&self.widths) {
            self.looked_up.extend_from_slice(&number.to_le_bytes()[..width.into()]);
        }
        let hashed = hash(&self.looked_up);
        let (bytes, each) = (&self.bytes, self.each);
        if self.table.find(hashed, |&of| packed(bytes, each, of) == self.looked_up).is_some() {
            return false;
        }
        self.is_full |= self.len() >= MOST || self.len().is_multiple_of(LOOKED) && self.memory_soon() > self.most;
        if self.is_full {
            return false;
        }
        let id = self.parents.len() as u32;
        self.bytes.extend_from_slice(&self.looked_up);
        self.parents.push(parent);
        let (bytes, each) = (&self.bytes, self.each);
        self.table.insert_unique(hashed, id, |&of| hash(packed(bytes, each, of)));
        true
    }

    /// Gives every number of a state enough bytes.
    fn widen(&mut self, state: &[u32]) {
        let needed = |number: u32| ((32 - number.leading_zeros()).div_ceil(8)).max(1) as u8;
        if state.iter().zip(&self.widths).all(|(&number, &width)| u64::from(number) >> (8 * width) == 0) {
            return;
        }
        let widths: Vec<u8> =
            state.iter().zip(&self.widths).map(|(&number, &width)| needed(number).max(width)).collect();
        let each = widths.iter().map(|&width| usize::from(width)).sum();
        let mut bytes = Vec::with_capacity(self.parents.len() * each);
        for id in 0..self.parents.len() as u32 {
            for (number, &width) in self.numbers(id).zip(&widths) {
                bytes.extend_from_slice(&number.to_le_bytes()[..width.into()]);
            }
        }
        (self.widths, self.bytes, self.each) = (widths, bytes, each);
        self.index();
    }

    /// The states from the first to `id`.
    pub fn path(&self, mut id: u32) -> Vec<u32> {
        let mut path = vec![id];
        while self.parents[id as usize] != id {
            id = self.parents[id as usize];
            path.push(id);
        }
        path.reverse();
        path
    }

    /// Bytes of a state.
    pub fn bytes_each(&self) -> usize {
        self.each
    }

    /// Bytes of memory, about.
    pub fn memory(&self) -> usize {
        self.bytes.capacity() + 4 * self.parents.capacity() + 6 * self.table.capacity()
    }

    /// Bytes of memory that the next state may take at most: a vector or the table may double.
    pub fn memory_soon(&self) -> usize {
        let each = self.each;
        // Growth copies: for a moment the old and the new memory exist.
        let grows = |len: usize, capacity: usize, more: usize| if len + more > capacity { 2 * capacity } else { 0 };
        let more = LOOKED as usize;
        self.memory()
            + grows(self.bytes.len(), self.bytes.capacity(), each * more)
            + 4 * grows(self.parents.len(), self.parents.capacity(), more)
            + 6 * grows(self.table.len(), self.table.capacity(), more)
    }
}

fn packed(bytes: &[u8], each: usize, id: u32) -> &[u8] {
    &bytes[id as usize * each..][..each]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_keep_their_numbers_when_numbers_need_more_bytes() {
        let mut store = Store::new(2);
        let all: Vec<[u32; 2]> = [1, 255, 256, 65_535, 65_536, 1 << 24].map(|n| [n, 3]).to_vec();
        for (id, state) in (0..).zip(&all) {
            assert!(store.insert(state, id) && !store.insert(state, id));
        }
        let mut state = Vec::new();
        for (id, expected) in (0..).zip(&all) {
            store.get(id, &mut state);
            assert_eq!(state, expected);
        }
        assert_eq!((store.len(), store.bytes_each()), (6, 5));
        let again = Store::with(store.widths.clone(), store.bytes.clone(), store.parents.clone());
        assert!(all.iter().all(|state| !again.clone().insert(state, 0)));
    }

    #[test]
    fn a_path_leads_from_the_first_state() {
        let mut store = Store::new(1);
        for (state, parent) in [(7, 0), (8, 0), (9, 1)] {
            store.insert(&[state], parent);
        }
        assert_eq!((store.path(2), store.path(0)), (vec![0, 1, 2], vec![0]));
    }
}
