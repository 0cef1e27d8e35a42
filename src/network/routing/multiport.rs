//! Port masks of multiport worms: sets of destinations as products of port sets, one set a stage.
//!
//! All copies of a worm meet the same mask at the switches of a stage. So the worm reaches exactly
//! a product `M_0 x .. x M_{n-1}` over the ports that the stages take towards an address (\[ATBM\]
//! section 1; a reconstruction).
//!
//! In a bidirectional network the worm first climbs to the stage of its turn, with one mask of
//! zeros a stage. This is the stage of the most significant digit in which any destination differs
//! from the source.

use wormscope_hw::{NodeId, SwitchId};

use crate::{BiMin, Digits, UniMin, Wiring};

/// Stages of a multistage network, as masks see them.
#[derive(Clone, Copy, Debug)]
pub enum Stages<'a> {
    /// Every worm passes all stages.
    OneWay(&'a UniMin),
    /// Every worm goes up to its turn and down again.
    BothWays(&'a BiMin),
}

impl<'a> Stages<'a> {
    /// The stages of a network; `None` if there are none.
    #[must_use]
    pub fn of(wiring: &'a Wiring) -> Option<Self> {
        let one_way = wiring.uni_min().map(Self::OneWay);
        one_way.or_else(|| wiring.bi_min().map(Self::BothWays))
    }

    fn nodes(self) -> u32 {
        match self {
            Self::OneWay(min) => min.nodes(),
            Self::BothWays(min) => min.nodes(),
        }
    }

    /// Number of stages that a worm climbs before it turns, and number of stages that it passes
    /// from there.
    fn way(self, source: NodeId, destinations: &[NodeId]) -> (u32, u32) {
        match self {
            Self::OneWay(min) => (0, min.stages()),
            Self::BothWays(min) => {
                let turn = min.turn(source, destinations);
                (turn, turn + 1)
            }
        }
    }

    /// Port towards a node at a stage with `behind` more stages after it. It is the same at all
    /// switches of the stage that lead there.
    fn port(self, behind: u32, node: NodeId) -> u32 {
        match self {
            Self::OneWay(min) => min.tag(SwitchId((min.stages() - 1 - behind) * min.rows()), node).into(),
            Self::BothWays(min) => Digits::new(min.up().0.into(), min.stages()).digit(node.0, behind),
        }
    }

    /// Number of masks in the header of such a worm.
    #[must_use]
    pub fn count(self, source: NodeId, destinations: &[NodeId]) -> u32 {
        let (up, down) = self.way(source, destinations);
        up + down
    }

    /// Masks in the order in which switches read them. The masks of the way up are zero, and each
    /// stage down has one mask. They lead to `destinations` and, if these are no product, to
    /// [others](Self::stray) as well.
    #[must_use]
    pub fn masks(self, source: NodeId, destinations: &[NodeId]) -> Vec<u64> {
        let (up, down) = self.way(source, destinations);
        let mask = |behind| destinations.iter().fold(0, |mask, &to| mask | 1 << self.port(behind, to));
        (0..up).map(|_| 0).chain((0..down).rev().map(mask)).collect()
    }

    /// The nodes that a worm from `source` with these masks reaches, ascending.
    pub fn reached(self, source: NodeId, masks: &[u64]) -> impl Iterator<Item = NodeId> {
        let up = match self {
            Self::OneWay(_) => 0,
            Self::BothWays(_) => masks.iter().take_while(|&&mask| mask == 0).count(),
        };
        let reaches = move |node: &NodeId| {
            let mut down = (0..).zip(masks[up..].iter().rev());
            self.way(source, &[*node]).0 as usize <= up
                && down.all(|(behind, mask)| mask >> self.port(behind, *node) & 1 != 0)
        };
        (0..self.nodes()).map(NodeId).filter(reaches)
    }

    /// The first node outside `destinations` in their smallest product. `None` if they are a
    /// product. The destinations are different.
    #[must_use]
    pub fn stray(self, source: NodeId, destinations: &[NodeId]) -> Option<NodeId> {
        let masks = self.masks(source, destinations);
        let ways = masks.iter().map(|mask| mask.count_ones().max(1) as usize);
        if ways.fold(1, usize::saturating_mul) == destinations.len() {
            return None;
        }
        let mut listed = destinations.to_vec();
        listed.sort_unstable();
        self.reached(source, &masks).find(|node| listed.binary_search(node).is_err())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use wormscope_hw::{PortId, bits};

    use super::*;
    use crate::End;
    use crate::uni_min::Kind;

    fn nodes(numbers: &[u32]) -> Vec<NodeId> {
        numbers.iter().copied().map(NodeId).collect()
    }

    #[test]
    fn the_masks_of_a_set_are_its_digits_in_the_order_of_the_stages() {
        // In base 4: {1, 2} x {0, 2, 3} x {3}.
        let set = nodes(&[0, 2, 3].map(|y| [16 + 4 * y + 3, 32 + 4 * y + 3]).concat());
        let one_way = |kind| UniMin::new(kind, 4, 3);
        for kind in [Kind::Baseline, Kind::Omega] {
            assert_eq!(Stages::OneWay(&one_way(kind)).masks(NodeId(0), &set), [0b0110, 0b1101, 0b1000], "{kind:?}");
        }
        // A butterfly reads digits 1, 2, 0.
        let min = one_way(Kind::Butterfly);
        let stages = Stages::OneWay(&min);
        assert_eq!(stages.masks(NodeId(0), &set), [0b1101, 0b0110, 0b1000]);
        assert_eq!((stages.count(NodeId(0), &set), stages.stray(NodeId(0), &set)), (3, None));
        let mut sorted = set.clone();
        sorted.sort_unstable();
        assert!(stages.reached(NodeId(0), &[0b1101, 0b0110, 0b1000]).eq(sorted));
    }

    #[test]
    fn a_worm_climbs_to_its_turn_on_masks_of_zeros() {
        let min = BiMin::new(4, 3);
        let masks = |to: &[u32]| Stages::BothWays(&min).masks(NodeId(63), &nodes(to));
        // In base 4, 63 is 333, 59 is 323, 15 is 033 and 31 is 133.
        assert_eq!(masks(&[62, 61]), [0b0110]);
        assert_eq!(masks(&[59]), [0, 0b0100, 0b1000]);
        assert_eq!(masks(&[15, 31]), [0, 0, 0b0011, 0b1000, 0b1000]);
    }

    #[test]
    fn a_set_that_is_no_product_names_a_node_it_lacks() {
        let (one_way, both_ways) = (UniMin::new(Kind::Baseline, 2, 3), BiMin::new(2, 3));
        let stray = |to: &[u32]| {
            [Stages::OneWay(&one_way), Stages::BothWays(&both_ways)].map(|s| s.stray(NodeId(0), &nodes(to)))
        };
        assert_eq!(stray(&[1, 6]), [Some(NodeId(0)); 2]);
        assert_eq!(stray(&[5, 6]), [Some(NodeId(4)); 2]);
        // Both worms turn at the top, and meet node 1 again on their way down.
        assert_eq!(stray(&[1, 5]), [None; 2]);
        assert_eq!(Stages::BothWays(&both_ways).masks(NodeId(0), &nodes(&[1, 5])), [0, 0, 0b11, 0b01, 0b10]);
    }

    /// Small networks of all kinds.
    fn networks() -> impl Iterator<Item = Wiring> {
        let one_way = |kind, ports, stages| Wiring::new(UniMin::new(kind, ports, stages));
        let kinds = [Kind::Baseline, Kind::Butterfly, Kind::Omega];
        // The first shuffle of omega is left out, and the outputs of the last stage are turned
        // round. So the network is self-routing, but by no digit.
        let odd = [
            vec![0, 1, 2, 3, 4, 5, 6, 7],
            vec![0, 2, 4, 6, 1, 3, 5, 7],
            vec![0, 2, 4, 6, 1, 3, 5, 7],
            vec![3, 1, 7, 5, 6, 4, 2, 0],
        ];
        let odd = UniMin::custom(2, 3, &odd).unwrap();
        let uni = kinds.into_iter().flat_map(move |kind| [one_way(kind, 2, 3), one_way(kind, 3, 2)]);
        let both_ways = [(2, 1), (2, 3), (3, 2), (4, 1)].map(|(ports, stages)| Wiring::new(BiMin::new(ports, stages)));
        uni.chain([Wiring::new(odd)]).chain(both_ways)
    }

    /// Nodes that the masks lead to, switch by switch, as wired. On the way up the worm takes port
    /// `any`.
    fn walk(wiring: &Wiring, at: SwitchId, masks: &[u64], any: u8) -> BTreeSet<NodeId> {
        let Some((&mask, rest)) = masks.split_first() else { return BTreeSet::new() };
        let up = wiring.climbs().first().map_or(0, |up| 1 << (up.first() + any % up.first()));
        let ports = bits(if mask == 0 { up } else { mask });
        ports
            .flat_map(|port| match wiring.output(at, PortId(port as u8)) {
                Some(End::Switch(far, _)) => walk(wiring, far, rest, any.wrapping_add(1)),
                Some(End::Node(node)) if rest.is_empty() => BTreeSet::from([node]),
                _ => panic!("{masks:x?} lead nowhere from switch {at}"),
            })
            .collect()
    }

    /// The test checks every set of nodes, from every source.
    #[test]
    fn masks_lead_to_the_set_alone_exactly_where_it_is_a_product() {
        for wiring in networks() {
            let stages = Stages::of(&wiring).unwrap();
            let all = wiring.nodes();
            for (source, set) in (0..all).flat_map(|s| (1..1_u32 << all).map(move |set| (NodeId(s), set))) {
                let set: Vec<NodeId> = (0..all).filter(|n| set >> n & 1 != 0).map(NodeId).collect();
                let masks = stages.masks(source, &set);
                assert_eq!(masks.len() as u32, stages.count(source, &set));
                let led = walk(&wiring, wiring.injection(source).0, &masks, set.len() as u8);
                assert!(stages.reached(source, &masks).eq(led.iter().copied()), "{wiring:?} {source}: {set:?}");
                assert!(set.iter().all(|node| led.contains(node)), "{wiring:?} {source}: {set:?}");
                let beside = led.iter().copied().find(|node| !set.contains(node));
                assert_eq!(stages.stray(source, &set), beside, "{wiring:?} {source}: {set:?}");
            }
        }
    }

    #[test]
    fn no_smaller_product_holds_the_set() {
        let min = UniMin::new(Kind::Butterfly, 3, 2);
        let stages = Stages::OneWay(&min);
        for set in 1..1_u32 << 9 {
            let set: Vec<NodeId> = (0..9).filter(|n| set >> n & 1 != 0).map(NodeId).collect();
            let masks = stages.masks(NodeId(0), &set);
            for (at, port) in (0..2).flat_map(|at| (0..3).map(move |port| (at, port))) {
                let mut fewer = masks.clone();
                fewer[at] &= !(1 << port);
                let reached: Vec<NodeId> = stages.reached(NodeId(0), &fewer).collect();
                assert!(fewer == masks || set.iter().any(|node| !reached.contains(node)), "{set:?}");
            }
        }
    }
}
