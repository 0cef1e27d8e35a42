//! A group of bins: its name and its dimensions.

/// A dimension of a group.
#[derive(Clone, Copy, Debug)]
pub struct Dimension {
    /// Name. Two dimensions of one name have the same values and the same meaning.
    pub name: &'static str,
    /// Meaning of the dimension and of its values.
    pub meaning: &'static str,
    /// Names of the values, in order.
    pub values: &'static [&'static str],
}

/// A group of bins: one bin for each combination of the values of its dimensions.
#[derive(Clone, Copy, Debug)]
pub struct BinGroup {
    /// Name.
    pub name: &'static str,
    /// Files that the bins are about, without their ending. A name stands for a folder too.
    pub blocks: &'static [&'static str],
    /// Event that adds one to a bin.
    pub event: &'static str,
    /// Dimensions, the slowest first.
    pub dimensions: &'static [Dimension],
    /// Reason why a combination cannot happen, if it cannot.
    pub excluded: fn(&[usize]) -> Option<&'static str>,
}

impl BinGroup {
    /// Number of bins.
    #[must_use]
    pub const fn bins(&self) -> usize {
        let (mut all, mut at) = (1, 0);
        while at < self.dimensions.len() {
            all *= self.dimensions[at].values.len();
            at += 1;
        }
        all
    }

    /// Place of a combination within the group. A value beyond the last one counts as the last.
    #[inline(always)]
    pub(super) const fn place<const D: usize>(&self, values: [usize; D]) -> usize {
        let (mut place, mut at) = (0, 0);
        while at < D {
            let size = self.dimensions[at].values.len();
            let value = if values[at] < size { values[at] } else { size - 1 };
            place = place * size + value;
            at += 1;
        }
        place
    }

    /// The combination at a place.
    pub(super) fn values(&self, mut place: usize) -> Vec<usize> {
        let mut values = vec![0; self.dimensions.len()];
        for (value, dimension) in values.iter_mut().zip(self.dimensions).rev() {
            *value = place % dimension.values.len();
            place /= dimension.values.len();
        }
        values
    }
}

/// No combination is excluded.
pub(super) fn none(_: &[usize]) -> Option<&'static str> {
    None
}
