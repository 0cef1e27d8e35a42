//! Headers of worms under way that are longer than one address: their bits, once per segment, beside the head flit.

use wormscope_hw::header::bit_string;

/// A store of headers; a header's number is its handle.
#[derive(Clone, Debug, Default)]
pub struct HeaderStore {
    /// Bit-string: the bits, word by word. Multidestination: one address a word, the first one last. Multiport: masks likewise.
    headers: Vec<Vec<u64>>,
    unused: Vec<u32>,
}

impl HeaderStore {
    fn blank(&mut self) -> u32 {
        self.unused.pop().unwrap_or_else(|| {
            self.headers.push(Vec::new());
            (self.headers.len() - 1) as u32
        })
    }

    /// A bit-string header over `nodes` nodes.
    pub fn bit_string(&mut self, nodes: u32, destinations: impl Iterator<Item = u32>) -> u32 {
        let h = self.blank();
        let words = &mut self.headers[h as usize];
        words.clear();
        words.resize(nodes.div_ceil(64) as usize, 0);
        for d in destinations {
            words[d as usize / 64] |= 1 << (d % 64);
        }
        h
    }

    /// A multidestination header; the first to visit comes first.
    pub fn addresses(&mut self, destinations: impl DoubleEndedIterator<Item = u32>) -> u32 {
        let h = self.blank();
        let words = &mut self.headers[h as usize];
        words.clear();
        words.extend(destinations.rev().map(u64::from));
        h
    }

    /// A multiport header; the mask read first comes first.
    pub fn masks(&mut self, masks: &[u64]) -> u32 {
        let h = self.blank();
        let words = &mut self.headers[h as usize];
        words.clear();
        words.extend(masks.iter().rev());
        h
    }

    /// A copy, each word masked with what the port reaches if a mask is given.
    pub fn copy(&mut self, header: u32, reach: Option<&[u64]>) -> u32 {
        let h = self.blank();
        let mut words = std::mem::take(&mut self.headers[h as usize]);
        words.clear();
        let from = &self.headers[header as usize];
        match reach {
            Some(reach) => words.extend(from.iter().zip(reach).map(|(&w, &r)| bit_string::masked(w, r))),
            None => words.extend_from_slice(from),
        }
        self.headers[h as usize] = words;
        h
    }

    /// The words of a header.
    #[must_use]
    pub fn words(&self, header: u32) -> &[u64] {
        &self.headers[header as usize]
    }

    /// Strips the first address or mask, if there is one left.
    pub fn strip(&mut self, header: u32) -> Option<u64> {
        self.headers[header as usize].pop()
    }

    /// The header is no longer needed.
    pub fn free(&mut self, header: u32) {
        self.unused.push(header);
    }

    /// Headers in use.
    #[must_use]
    pub fn in_use(&self) -> usize {
        self.headers.len() - self.unused.len()
    }
}
