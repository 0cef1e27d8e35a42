//! Headers of worms under way that are longer than one address: their bits, once for each segment,
//! separate from the head flit.

use wormscope_hw::header::crossing;

/// A store of headers; a header's number is its handle.
#[derive(Clone, Debug, Default)]
pub struct HeaderStore {
    /// Words, as the encodings keep them.
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

    /// A header of these words.
    pub fn put(&mut self, words: Vec<u64>) -> u32 {
        let h = self.blank();
        self.headers[h as usize] = words;
        h
    }

    /// A copy, each word masked if a mask is given.
    pub fn copy(&mut self, header: u32, mask: Option<&[u64]>) -> u32 {
        let h = self.blank();
        let mut words = std::mem::take(&mut self.headers[h as usize]);
        words.clear();
        words.extend(crossing(&self.headers[header as usize], mask));
        self.headers[h as usize] = words;
        h
    }

    /// The words of a header.
    #[must_use]
    pub fn words(&self, header: u32) -> &[u64] {
        &self.headers[header as usize]
    }

    /// Takes the first part, the last word, off a header: a decoder has read it for good.
    pub fn drop_part(&mut self, header: u32) {
        self.headers[header as usize].pop();
    }

    /// The header is no longer needed.
    pub fn free(&mut self, header: u32) {
        self.unused.push(header);
    }

    /// Headers in use.
    #[must_use]
    pub(crate) fn in_use(&self) -> usize {
        self.headers.len() - self.unused.len()
    }
}
