//! A part of a vector. Its entries keep their numbers.

use std::ops::{Index, IndexMut};

/// Some entries of a vector, side by side.
#[derive(Debug)]
pub(super) struct Span<'a, T> {
    first: usize,
    of: &'a mut [T],
}

impl<'a, T> Span<'a, T> {
    /// All entries.
    #[inline(always)]
    pub fn whole(of: &'a mut [T]) -> Self {
        Self { first: 0, of }
    }

    /// The entries below number `at`, and the others.
    pub fn split(self, at: usize) -> [Self; 2] {
        let count = at.saturating_sub(self.first).min(self.of.len());
        let (below, above) = self.of.split_at_mut(count);
        [Self { first: self.first, of: below }, Self { first: self.first + count, of: above }]
    }

    /// An entry, if it is one of these.
    #[inline(always)]
    pub fn get_mut(&mut self, at: usize) -> Option<&mut T> {
        self.of.get_mut(at.wrapping_sub(self.first))
    }
}

impl<T> Index<usize> for Span<'_, T> {
    type Output = T;

    #[inline(always)]
    fn index(&self, at: usize) -> &T {
        &self.of[at.wrapping_sub(self.first)]
    }
}

impl<T> IndexMut<usize> for Span<'_, T> {
    #[inline(always)]
    fn index_mut(&mut self, at: usize) -> &mut T {
        &mut self.of[at.wrapping_sub(self.first)]
    }
}
