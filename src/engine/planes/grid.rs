//! Where routers stand in a mesh or torus, which lanes their ports have, and the way of a worm.
//!
//! Lanes are numbered port-major. The last port is the port of the node. With two classes of
//! channels, the lower half of the lanes of a link has class 0. The lanes of the node have one
//! class (docs/reference/timing.md, R3.1 to R3.14, R3.16, R14.1, R14.2).

use wormscope_hw::SwitchId;

use super::wired::{Far, Wired};
use crate::snapshot::LaneRef;

/// Dimensions at most.
pub(super) const DIMENSIONS: usize = 3;

/// A mesh or a torus.
#[derive(Clone, Debug)]
pub(super) struct Grid {
    /// Of neighbours in each dimension, the difference of their numbers.
    pub strides: [usize; DIMENSIONS],
    /// Routers along each dimension.
    pub radices: [u16; DIMENSIONS],
    /// Whether links lead around.
    pub wraps: bool,
    /// Ports of a router.
    pub ports: usize,
    /// Virtual channels of a link.
    pub channels: usize,
    /// Classes of these.
    pub classes: usize,
    /// In a grid, the bit in which the numbers of the lanes of the two ports of a dimension differ.
    straight: usize,
    places: Vec<[u16; DIMENSIONS]>,
    /// A network that is no grid has tables in place of coordinates.
    pub wired: Option<Wired>,
}

impl Grid {
    pub fn new(radices: &[u32], wraps: bool, channels: usize, classes: usize) -> Self {
        let mut grid = Self {
            strides: [0; DIMENSIONS],
            radices: [1; DIMENSIONS],
            wraps,
            ports: 2 * radices.len() + 1,
            channels,
            classes,
            straight: channels,
            places: Vec::new(),
            wired: None,
        };
        let mut stride = 1;
        for (d, &radix) in radices.iter().enumerate() {
            (grid.strides[d], grid.radices[d]) = (stride, radix as u16);
            stride *= radix as usize;
        }
        let place = |router: usize| {
            let along = |d| router.checked_div(grid.strides[d]).map_or(0, |at| at % usize::from(grid.radices[d]));
            std::array::from_fn(|d| along(d) as u16)
        };
        grid.places = (0..stride).map(place).collect();
        grid
    }

    /// A network that is no grid, whose routers have `ports` ports. The place of a node is its
    /// number, in two parts.
    pub fn wired(wired: Wired, ports: usize) -> Self {
        let places = (0..wired.at.len()).map(|node| [node as u16, (node >> 16) as u16, 0]).collect();
        Self {
            strides: [0; DIMENSIONS],
            radices: [1; DIMENSIONS],
            wraps: false,
            ports,
            channels: 1,
            classes: 1,
            straight: 0,
            places,
            wired: Some(wired),
        }
    }

    /// Number of routers.
    pub fn routers(&self) -> usize {
        self.wired.as_ref().map_or(self.places.len(), |wired| wired.switches)
    }

    /// An output lane, by its number over all routers.
    pub fn lane_ref(&self, lane: usize) -> LaneRef {
        LaneRef { switch: SwitchId((lane / self.lanes()) as u32), lane: (lane % self.lanes()) as u8 }
    }

    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        self.places.len()
    }

    /// Where an output lane leads to. `N` lanes and `V` channels a port are constants in the
    /// engine.
    #[inline(always)]
    pub fn to<const N: usize, const V: usize>(&self, router: usize, lane: usize) -> Far {
        match &self.wired {
            Some(wired) => wired.to[router * N + lane],
            None => self.in_grid(router, lane, N, V),
        }
    }

    /// The same in a grid, where routers have so many `lanes`, and links so many `channels`.
    #[inline(always)]
    fn in_grid(&self, router: usize, lane: usize, lanes: usize, channels: usize) -> Far {
        let (port, channel) = (lane / channels, lane % channels);
        if lane + channels >= lanes {
            return Far::Node(router as u32);
        }
        Far::Lane((self.neighbour(router, port) * lanes + (port ^ 1) * channels + channel) as u32)
    }

    /// Where an output lane leads to, for a look at the registers.
    pub fn leads_to(&self, router: usize, lane: usize) -> Far {
        match &self.wired {
            Some(wired) => wired.to[router * self.ports + lane],
            None => self.in_grid(router, lane, self.lanes(), self.channels),
        }
    }

    /// Where an input lane comes from.
    pub fn from(&self, router: usize, lane: usize) -> Far {
        if let Some(wired) = &self.wired {
            return wired.from[router * self.ports + lane];
        }
        let (port, channel) = (lane / self.channels, lane % self.channels);
        if port + 1 == self.ports {
            return Far::Node(router as u32);
        }
        let lane = |before| (before * self.ports + (port ^ 1)) * self.channels + channel;
        self.before(router, port).map_or(Far::Nothing, |before| Far::Lane(lane(before) as u32))
    }

    /// The input lane that a node sends to through a channel.
    #[inline(always)]
    pub fn at<const N: usize, const V: usize>(&self, node: usize, channel: usize) -> usize {
        match &self.wired {
            Some(wired) => wired.at[node] as usize,
            None => node * N + N - V + channel,
        }
    }

    /// The input lane of a router whose flits go straight on to an output lane. Routers have so
    /// many `lanes`, and links so many `channels`. The lanes of a node, and those of a network that
    /// is no grid, have the input lane of their own number.
    #[inline(always)]
    pub fn ahead(&self, out: usize, lanes: usize, channels: usize) -> usize {
        if out + channels < lanes { out ^ self.straight } else { out }
    }

    /// Lanes of a router, of inputs or of outputs.
    pub fn lanes(&self) -> usize {
        self.ports * self.channels
    }

    /// Coordinates of a router.
    #[inline(always)]
    pub fn place(&self, router: usize) -> [u16; DIMENSIONS] {
        self.places[router]
    }

    /// Whether `port` of a router leads around, to the other end of the dimension.
    #[inline(always)]
    pub fn leads_around(&self, router: usize, port: usize) -> bool {
        let d = port / 2;
        self.wraps && self.places[router][d] == if port.is_multiple_of(2) { self.radices[d] - 1 } else { 0 }
    }

    /// The router after a port that leads to one.
    #[inline(always)]
    pub fn neighbour(&self, router: usize, port: usize) -> usize {
        let (d, around) = (port / 2, self.leads_around(router, port));
        let by = self.strides[d] * if around { usize::from(self.radices[d]) - 1 } else { 1 };
        if port.is_multiple_of(2) == around { router - by } else { router + by }
    }

    /// The router before an input port, if there is one.
    pub fn before(&self, router: usize, port: usize) -> Option<usize> {
        if port + 1 == self.ports {
            return None;
        }
        let at = self.places[router][port / 2];
        let is_last = if port.is_multiple_of(2) { at + 1 == self.radices[port / 2] } else { at == 0 };
        (self.wraps || !is_last).then(|| self.neighbour(router, port))
    }

    /// Dimension order: the port of a router with so many `ports` that leads to `to`.
    #[inline(always)]
    fn port(&self, router: usize, to: [u16; DIMENSIONS], ports: usize) -> usize {
        let at = self.places[router];
        for d in 0..ports / 2 {
            if to[d] != at[d] {
                let ahead = if to[d] > at[d] { to[d] - at[d] } else { to[d] + (self.radices[d] - at[d]) };
                let plus = if self.wraps { ahead <= self.radices[d] / 2 } else { to[d] > at[d] };
                return 2 * d + usize::from(!plus);
            }
        }
        ports - 1
    }

    /// The first lane of the group of output lanes that a unicast from `input` asks for on its way
    /// to `to`.
    #[inline(always)]
    pub fn group<const N: usize, const V: usize>(&self, router: usize, input: usize, to: [u16; DIMENSIONS]) -> usize {
        if let Some(wired) = &self.wired {
            return wired.route(router, u32::from(to[0]) | u32::from(to[1]) << 16);
        }
        self.group_in(router, input, self.port(router, to, N / V), (N / V, V))
    }

    /// The first lane of the group of output lanes of `port` that a worm from `input` asks for.
    #[inline(always)]
    pub fn group_of_port(&self, router: usize, input: usize, port: usize) -> usize {
        self.group_in(router, input, port, (self.ports, self.channels))
    }

    /// The same in a grid whose routers have so many ports and links so many channels.
    #[inline(always)]
    fn group_in(&self, router: usize, input: usize, port: usize, (ports, v): (usize, usize)) -> usize {
        if v == 1 || self.classes == 1 || port + 1 == ports {
            return port * v;
        }
        let was_around = input / v / 2 == port / 2 && input % v >= v / 2;
        port * v + if was_around || self.leads_around(router, port) { v / 2 } else { 0 }
    }

    /// Lanes of the group whose first lane this is.
    #[inline(always)]
    pub fn group_lanes<const N: usize, const V: usize>(&self, first: usize) -> usize {
        if let Some(wired) = &self.wired {
            return wired.group(first).1;
        }
        if V == 1 || self.classes == 1 || first / V == N / V - 1 { V } else { V / 2 }
    }

    /// The first lane of the group that a lane belongs to.
    #[inline(always)]
    pub fn group_of(&self, lane: usize) -> usize {
        if let Some(wired) = &self.wired {
            return wired.group(lane).0;
        }
        if self.channels == 1 {
            return lane;
        }
        let (port, within, class) = (lane / self.channels, lane % self.channels, self.channels / self.classes);
        port * self.channels + if port + 1 == self.ports { 0 } else { within / class * class }
    }

    /// The number of the group that a lane belongs to.
    pub fn group_number(&self, lane: usize) -> usize {
        if self.wired.is_some() {
            return self.group_of(lane);
        }
        let (port, class) = (lane / self.channels, self.channels / self.classes);
        port * self.classes + if port + 1 == self.ports { 0 } else { lane % self.channels / class }
    }
}
