//! All groups of bins, and the place of each bin in one flat array.

use super::group::BinGroup;
use super::groups;

/// All groups, in the order of their bins.
pub const GROUPS: [&BinGroup; GroupId::ALL.len()] = {
    let mut all = [&groups::worm::GROUP; GroupId::ALL.len()];
    let mut at = 0;
    while at < all.len() {
        all[at] = GroupId::ALL[at].group();
        at += 1;
    }
    all
};

/// Number of all bins.
pub const BINS: usize = FIRST[GroupId::ALL.len() - 1] + GROUPS[GroupId::ALL.len() - 1].bins();

/// Place of the first bin of each group.
const FIRST: [usize; GroupId::ALL.len()] = {
    let mut first = [0; GroupId::ALL.len()];
    let mut at = 1;
    while at < first.len() {
        first[at] = first[at - 1] + GROUPS[at - 1].bins();
        at += 1;
    }
    first
};

/// The groups, as the observer names them.
macro_rules! kinds {
    ($($kind:ident = $module:ident,)*) => {
        /// A group.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum GroupId {
            $(#[doc = concat!("See `groups/", stringify!($module), ".rs`.")] $kind,)*
        }

        impl GroupId {
            const ALL: [Self; [$(stringify!($module)),*].len()] = [$(Self::$kind),*];

            const fn group(self) -> &'static BinGroup {
                match self {
                    $(Self::$kind => &groups::$module::GROUP,)*
                }
            }
        }
    };
}

kinds! {
    Worm = worm,
    Network = network,
    Decision = decision,
    FanOut = fan_out,
    State = state,
    Blocking = blocking,
    Replication = replication,
    Contest = contest,
    Winner = winner,
    Acquisition = acquisition,
    LaneGroup = lane_group,
    Turn = turn,
    Crossing = crossing,
    Behind = behind,
    Strip = strip,
    Residue = residue,
    Token = token,
    TokenWinner = token_winner,
    Injection = injection,
    Pipeline = pipeline,
}

/// Counts of all bins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct EventCounts(Box<[u64; BINS]>);

impl EventCounts {
    /// Nothing is counted.
    pub fn new() -> Self {
        Self(Box::new([0; BINS]))
    }

    /// Adds one to a bin.
    #[inline(always)]
    pub fn hit<const D: usize>(&mut self, kind: GroupId, values: [usize; D]) {
        self.0[FIRST[kind as usize] + kind.group().place(values)] += 1;
    }

    /// The bins that were reached, each with its count.
    pub fn hits(&self) -> Vec<(usize, u64)> {
        self.0.iter().copied().enumerate().filter(|of| of.1 > 0).collect()
    }
}

/// A bin of a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bin {
    /// Number of the group in [`GROUPS`].
    pub group: usize,
    /// Numbers of its values.
    pub values: Vec<usize>,
}

impl Bin {
    /// The bin at a place of the flat array.
    #[must_use]
    pub fn at(place: usize) -> Self {
        let group = FIRST.partition_point(|&first| first <= place) - 1;
        Self { group, values: GROUPS[group].values(place - FIRST[group]) }
    }

    /// All bins, in the order of the flat array.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..BINS).map(Self::at)
    }

    /// The bin with a name, as [`Bin`] is printed.
    #[must_use]
    pub fn named(name: &str) -> Option<usize> {
        let mut words = name.split('/');
        let group = words.next()?;
        let kind = GROUPS.iter().position(|of| of.name == group)?;
        let mut place = 0;
        for dimension in GROUPS[kind].dimensions {
            let word = words.next()?;
            let value = dimension.values.iter().position(|value| *value == word)?;
            place = place * dimension.values.len() + value;
        }
        words.next().is_none().then_some(FIRST[kind] + place)
    }

    /// The group.
    #[must_use]
    pub fn group(&self) -> &'static BinGroup {
        GROUPS[self.group]
    }

    /// The names of its dimensions, each with the name of its value.
    pub fn words(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let values = self.group().dimensions.iter().zip(&self.values);
        values.map(|(dimension, value)| (dimension.name, dimension.values[*value]))
    }

    /// Reason why the bin cannot be reached, if it cannot.
    #[must_use]
    pub fn excluded(&self) -> Option<&'static str> {
        (self.group().excluded)(&self.values)
    }

    /// Number of dimensions in which another bin differs. `None` if it has another group.
    #[must_use]
    pub fn distance(&self, other: &Self) -> Option<usize> {
        let differ = || self.values.iter().zip(&other.values).filter(|(a, b)| a != b).count();
        (self.group == other.group).then(differ)
    }
}

impl std::fmt::Display for Bin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.group().name)?;
        self.words().try_for_each(|(_, value)| write!(f, "/{value}"))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;

    #[test]
    fn a_bin_is_found_by_its_name_and_place() {
        let mut names = BTreeSet::new();
        for (place, bin) in Bin::all().enumerate() {
            assert_eq!(Bin::named(&bin.to_string()), Some(place), "{bin}");
            assert!(names.insert(bin.to_string()), "{bin}");
        }
        assert_eq!(names.len(), BINS);
        for wrong in ["", "worm", "worm/unicast", "worm/unicast/1/in_fifo/more", "wurm/unicast/1/in_fifo"] {
            assert_eq!(Bin::named(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn dimensions_of_one_name_have_the_same_values() {
        let mut known = BTreeMap::new();
        for dimension in GROUPS.iter().flat_map(|group| group.dimensions) {
            assert_eq!(*known.entry(dimension.name).or_insert(dimension.values), dimension.values);
        }
        let words = known.iter().flat_map(|(name, values)| values.iter().chain([name]));
        let is_word = |word: &&str| word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        assert!(words.clone().all(is_word), "{:?}", words.collect::<Vec<_>>());
    }

    #[test]
    fn a_value_beyond_the_last_counts_as_the_last() {
        let mut counts = EventCounts::new();
        counts.hit(GroupId::Residue, [0, 9]);
        let bins: Vec<_> = counts.hits().into_iter().map(|(place, _)| Bin::at(place).to_string()).collect();
        assert_eq!(bins, ["residue/unicast/2_or_more"]);
    }
}
