//! Constants of a network for programs that build the same hardware elsewhere, as `wormscope rtl`
//! does.

use wormscope_hw::header::Rom;
use wormscope_hw::{Encoding, SwitchId, node, switch};

use super::event::WormInfo;
use super::shape::Shape;
use super::tables::Tables;
use wormscope_network::{Built, End, Lanes, wires_beside};

/// Delays of links in cycles. A flit or credit that is sent in cycle t counts in cycle t + delay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkDelays {
    /// Flits between switches, the register stages of the crossbar included.
    pub flit: u32,
    /// Credits between switches.
    pub credit: u32,
    /// Flits from a node to its switch.
    pub inject: u32,
    /// Credits from the switch to the node.
    pub inject_credit: u32,
    /// Flits from a switch to its node, the register stages of the crossbar included.
    pub consume: u32,
    /// Credits from the node to the switch.
    pub consume_credit: u32,
}

/// The constants from which every engine builds a network.
#[derive(Clone, Debug)]
pub struct Constants(Shape);

impl Constants {
    /// The constants of a network. `bit_strings` asks for the tables of reachability that
    /// bit-strings and masks need.
    #[must_use]
    pub fn new(built: &Built, bit_strings: bool) -> Self {
        Self(Shape::new(built, bit_strings))
    }

    /// Parameters of every switch.
    #[must_use]
    pub fn switch(&self) -> &switch::Params {
        &self.0.switch
    }

    /// Parameters of every node.
    #[must_use]
    pub fn node(&self) -> &node::Params {
        &self.0.node
    }

    /// Numbers of the lanes of every switch.
    #[must_use]
    pub fn lanes(&self) -> Lanes {
        self.0.lanes
    }

    /// Classes of virtual channels.
    #[must_use]
    pub fn classes(&self) -> u8 {
        self.0.classes
    }

    /// Cycles of the start-up of a send, and the number of start-ups that a node does at a time.
    #[must_use]
    pub fn startup(&self) -> (u32, u32) {
        (self.0.startup_cycles, self.0.startups)
    }

    /// Tables of one switch, and its links.
    #[must_use]
    pub fn rom(&self, switch: SwitchId) -> impl Rom {
        Tables(&self.0, switch.0)
    }

    /// Delays of the links.
    #[must_use]
    pub fn delays(&self) -> LinkDelays {
        let of = &self.0.delays;
        LinkDelays {
            flit: of.flit,
            credit: of.credit,
            inject: of.inject,
            inject_credit: of.inject_credit,
            consume: of.consume,
            consume_credit: of.consume_credit - of.consume,
        }
    }

    /// The end that an input lane of a switch comes from, and the lane within the port or node at
    /// this end. `None` if the lane does not exist.
    #[must_use]
    pub fn input(&self, switch: SwitchId, lane: u8) -> Option<(End, u8)> {
        self.0.input(switch.0, lane)
    }

    /// The end that an output lane of a switch leads to, and the lane within the port or node at
    /// this end. `None` if the lane does not exist.
    #[must_use]
    pub fn output(&self, switch: SwitchId, lane: u8) -> Option<(End, u8)> {
        self.0.output(switch.0, lane)
    }

    /// The token rings. Each has its switches in the order of their stations, and the number of
    /// switches that are still to come.
    #[must_use]
    pub fn rings(&self) -> Vec<(Vec<SwitchId>, u32)> {
        let rings = self.0.token_ring.iter().flat_map(|ring| &ring.groups);
        rings.map(|group| (group.switches.clone(), group.to_come)).collect()
    }

    /// Flits of a worm after which it may release its token, with `to_come` switches still to come
    /// (R6.11).
    #[must_use]
    pub fn token_bound(&self, to_come: u32, encoding: Encoding) -> u32 {
        self.0.token_bound(to_come, encoding)
    }

    /// Wires beside the data of a flit that a header of this encoding needs, 0 if flits carry it.
    #[must_use]
    pub fn wires_beside(&self, encoding: Encoding) -> u32 {
        wires_beside(&self.0.layout, encoding)
    }

    /// Bits of each flit of a worm's header at injection, bit 0 first. A header that wires beside
    /// the data carry is one word.
    #[must_use]
    pub fn header(&self, worm: &WormInfo) -> Vec<Vec<bool>> {
        let words = self.0.header(worm);
        if self.0.layout.is_beside {
            return vec![self.0.header_beside(worm.encoding, &words)];
        }
        let bits = |index| self.0.header_bits(worm.encoding, worm.header_flits, index, &words, None);
        (0..worm.header_flits).map(bits).collect()
    }
}
