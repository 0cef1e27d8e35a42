//! Linear arrays, n-dimensional meshes and tori of any radix per dimension.
//!
//! Node `i` is at router `i`, and dimension 0 counts fastest: node = x + kx * (y + ky * z). Port
//! `2d` of a router leads to and from the + neighbour of dimension d, and port `2d + 1` the -
//! neighbour. Port `2n` is the node's.

use std::fmt::Write as _;
use std::slice;
use std::sync::Arc;

use wormscope_hw::{Encoding, NodeId, PortId, SwitchId};

use crate::blueprint::count;
use crate::{Blueprint, End, Family, Idle, LARGEST_NODES, Misfit, Routing, Safer, Section, Sketch, within};

/// Largest number of nodes along one dimension, because routers keep coordinates of 16 bits.
const LARGEST_RADIX: u32 = u16::MAX as u32;

/// Kinds of grids of routers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum GridKind {
    Linear,
    Mesh,
    Torus { datelines: bool },
}

/// A grid as configured.
#[derive(Clone, Copy, Debug)]
pub struct Parameters<'a> {
    radices: &'a [u32],
    kind: GridKind,
}

impl<'a> Parameters<'a> {
    /// A line of routers.
    #[must_use]
    pub fn linear(nodes: &'a u32) -> Self {
        Self { radices: slice::from_ref(nodes), kind: GridKind::Linear }
    }

    /// A mesh.
    #[must_use]
    pub fn mesh(radices: &'a [u32]) -> Self {
        Self { radices, kind: GridKind::Mesh }
    }

    /// A torus.
    #[must_use]
    pub fn torus(radices: &'a [u32], datelines: bool) -> Self {
        Self { radices, kind: GridKind::Torus { datelines } }
    }

    fn check_radices(&self, path: &str) -> Result<(), Misfit> {
        const MOST_DIMENSIONS: usize = 12;
        let radices = self.radices;
        if !(1..=MOST_DIMENSIONS).contains(&radices.len()) {
            return Err(Misfit::new(path, format!("{} dimensions; allowed: 1 to {MOST_DIMENSIONS}", radices.len())));
        }
        let at = |index: usize| format!("{path}[{index}]");
        if let Some(index) = radices.iter().position(|radix| !(1..=LARGEST_RADIX).contains(radix)) {
            let why = format!("a radix of {}; allowed: 1 to {LARGEST_RADIX}", radices[index]);
            return Err(Misfit::new(at(index), why));
        }
        // A product of 12 factors of 32 bits overflows 128 bits, so this stops at the first product
        // that is too large.
        let nodes = radices.iter().try_fold(1_u64, |nodes, &radix| {
            let nodes = nodes * u64::from(radix);
            if nodes <= u64::from(LARGEST_NODES) { Ok(nodes) } else { Err(nodes) }
        });
        let Err(nodes) = nodes else { return Ok(()) };
        let product: Vec<_> = radices.iter().map(u32::to_string).collect();
        let product = product.join(" * ");
        Err(Misfit::new(path, format!("{product} is at least {nodes} nodes; allowed: up to {LARGEST_NODES}")))
    }

    /// Number of pairs of coordinates that are `apart` from each other, along a dimension of radix
    /// `k`.
    fn along(&self, k: u32, apart: u32) -> u64 {
        let (k, apart) = (u64::from(k), u64::from(apart));
        match (apart, self.wraps()) {
            (0, _) => k,
            (_, false) => 2 * (k - apart),
            (_, true) if 2 * apart < k => 2 * k,
            (_, true) if 2 * apart == k => k,
            (_, true) => 0,
        }
    }
}

impl Blueprint for Parameters<'_> {
    fn check(&self) -> Result<(), Misfit> {
        match self.kind {
            GridKind::Linear => within("linear.nodes", self.radices[0], 1..=LARGEST_RADIX, ""),
            GridKind::Mesh => self.check_radices("mesh.radices"),
            GridKind::Torus { .. } => self.check_radices("torus.radices"),
        }
    }

    fn build(&self) -> Result<Arc<dyn Family>, Misfit> {
        self.check()?;
        Ok(Arc::new(Grid::new(self.radices.to_vec(), self.wraps())))
    }

    fn describe(&self) -> String {
        let radices = self.radices.iter().map(ToString::to_string).collect::<Vec<_>>().join("x");
        match self.kind {
            GridKind::Linear => format!("linear array of {radices}"),
            GridKind::Mesh => format!("{radices} mesh"),
            GridKind::Torus { datelines } => {
                let one = self.radices.len() == 1;
                let family = if one { format!("ring of {radices}") } else { format!("{radices} torus") };
                format!("{family} {} datelines", if datelines { "with" } else { "without" })
            }
        }
    }

    fn routings(&self) -> (String, &'static [Routing]) {
        const ALL: &[Routing] = &[Routing::DimensionOrder, Routing::ReverseDimensionOrder, Routing::LabelOrder];
        // In one dimension, both orders are the same.
        let orders = &ALL[..self.radices.len().min(2)];
        match (self.kind, self.radices.len()) {
            (GridKind::Linear, _) => ("a linear array".to_owned(), orders),
            (GridKind::Torus { .. }, 1) => ("a ring".to_owned(), orders),
            (GridKind::Torus { .. }, _) => ("a torus".to_owned(), orders),
            (GridKind::Mesh, 2 | 3) => ("a mesh".to_owned(), ALL),
            (GridKind::Mesh, dimensions) => (format!("a {dimensions}-D mesh"), orders),
        }
    }

    fn nodes(&self) -> u32 {
        self.radices.iter().fold(1, |nodes: u32, &radix| nodes.saturating_mul(radix))
    }

    fn switches(&self) -> u32 {
        self.nodes()
    }

    fn ports(&self) -> u32 {
        2 * self.radices.len() as u32 + 1
    }

    fn radices(&self) -> &[u32] {
        self.radices
    }

    fn wraps(&self) -> bool {
        matches!(self.kind, GridKind::Torus { .. })
    }

    fn classes(&self) -> u32 {
        if self.kind == (GridKind::Torus { datelines: true }) { 2 } else { 1 }
    }

    fn check_channels(&self, channels: u32) -> Result<(), Misfit> {
        if channels.is_multiple_of(self.classes()) {
            return Ok(());
        }
        let why = format!(
            "a torus with datelines splits its virtual channels into two classes but virtual_channels is {channels}; allowed: an even \
             number, or datelines: false"
        );
        Err(Misfit::new("torus.datelines", why))
    }

    fn hazard(&self) -> Option<&'static str> {
        let waits = self.kind == (GridKind::Torus { datelines: false }) && self.radices.iter().any(|&k| k > 3);
        waits.then_some(
            "a torus without datelines can deadlock: worms wait for each other all around a ring; \
             datelines: true, with an even number of virtual_channels, prevents it",
        )
    }

    fn safer(&self) -> Option<Safer> {
        (self.kind == GridKind::Torus { datelines: false }).then(|| Safer {
            name: "datelines",
            classes: 2,
            set: format!("network.topology=torus(radices: {:?}, datelines: true)", self.radices),
        })
    }

    fn refuses(&self, encoding: Encoding, _routing: Routing) -> Option<String> {
        encoding
            .header()
            .each_switch_strips()
            .then(|| "a multiport header has a mask of ports for each stage, and a grid has no stages".to_owned())
    }

    /// A worm goes at most half-way round a ring of more than 3 nodes, from every start. With label
    /// order, the labels at the ends of a link do not tell which of several neighbours a worm
    /// takes.
    fn inputs_tell(&self, routing: Routing) -> bool {
        routing != Routing::LabelOrder && (!self.wraps() || self.radices.iter().all(|&k| k <= 3))
    }

    fn leaves_source(&self, _routing: Routing) -> bool {
        true
    }

    fn refuses_token_rings(&self, _routing: Routing) -> Option<&'static str> {
        Some("token rings connect switches of one stage but this topology has no stages")
    }

    fn lanes(&self, link: u32, node: u32) -> u32 {
        self.arrivals().saturating_mul(link).saturating_add(node)
    }

    fn lanes_in_words(&self, link: &str, node: &str) -> String {
        format!("{} ports * {link} + {node}", self.arrivals())
    }

    fn links(&self) -> u64 {
        let nodes = u64::from(self.nodes());
        let links = |&k: &u32| match (u64::from(k), self.wraps()) {
            (1, _) => 0,
            (_, true) => 2 * nodes,
            (k, false) => 2 * (k - 1) * (nodes / k),
        };
        self.radices.iter().map(links).sum()
    }

    fn bisection(&self) -> u64 {
        match u64::from(self.radices.iter().copied().max().unwrap_or(1)) {
            1 => 0,
            longest if self.wraps() => 4 * u64::from(self.nodes()) / longest,
            longest => 2 * u64::from(self.nodes()) / longest,
        }
    }

    fn arrivals(&self) -> u32 {
        2 * self.radices.len() as u32
    }

    /// If all routes are minimal, the distances along each dimension add up. Label order in three
    /// dimensions takes detours.
    fn distances(&self, routing: Routing) -> Option<Vec<u64>> {
        if routing == Routing::LabelOrder && self.radices.len() > 2 {
            return None;
        }
        let mut pairs = vec![1_u64];
        for &k in self.radices {
            let mut next = Vec::new();
            for (so_far, &n) in pairs.iter().enumerate() {
                for apart in 0..k {
                    let ways = self.along(k, apart);
                    if ways > 0 {
                        count(&mut next, so_far + apart as usize, n * ways);
                    }
                }
            }
            pairs = next;
        }
        if self.nodes() > 1 {
            pairs[0] = 0;
        }
        pairs.insert(0, 0);
        Some(pairs)
    }
}

/// A grid of routers: linear array, mesh or torus.
#[derive(Clone, Debug)]
pub struct Grid {
    radices: Vec<u32>,
    strides: Vec<u32>,
    wraps: bool,
}

impl Grid {
    /// A mesh (`wraps == false`) or torus. The radices come from a valid configuration: none is 0,
    /// and their product fits u32.
    #[must_use]
    pub fn new(radices: Vec<u32>, wraps: bool) -> Self {
        let strides = radices
            .iter()
            .scan(1, |stride, &k| {
                let here = *stride;
                *stride *= k;
                Some(here)
            })
            .collect();
        Self { radices, strides, wraps }
    }

    /// Number of nodes along each dimension.
    #[must_use]
    pub fn radices(&self) -> &[u32] {
        &self.radices
    }

    /// Whether the grid is a torus.
    #[must_use]
    pub fn wraps(&self) -> bool {
        self.wraps
    }

    /// Number of nodes, and of routers.
    #[must_use]
    pub fn nodes(&self) -> u32 {
        self.radices.iter().product()
    }

    /// Number of ports of every router.
    #[must_use]
    pub fn ports(&self) -> u8 {
        2 * self.radices.len() as u8 + 1
    }

    /// The node's port.
    #[must_use]
    pub fn node_port(&self) -> PortId {
        PortId(2 * self.radices.len() as u8)
    }

    /// Coordinate of a node or router along `dimension`.
    #[must_use]
    #[inline]
    pub fn coordinate(&self, node: u32, dimension: usize) -> u32 {
        node / self.strides[dimension] % self.radices[dimension]
    }

    /// Number of links on a shortest route from one node to another.
    #[must_use]
    pub fn distance(&self, from: u32, to: u32) -> u32 {
        let (mut from, mut to, mut links) = (from, to, 0);
        for &k in &self.radices {
            let apart = (from % k).abs_diff(to % k);
            links += if self.wraps { apart.min(k - apart) } else { apart };
            (from, to) = (from / k, to / k);
        }
        links
    }

    /// The neighbour at the + port (`2d`) or the - port (`2d + 1`). `None` at the border and for
    /// the port of the node.
    #[must_use]
    pub fn neighbour(&self, router: u32, port: PortId) -> Option<u32> {
        let dimension = port.index() / 2;
        let (k, stride) = (*self.radices.get(dimension)?, self.strides[dimension]);
        let x = self.coordinate(router, dimension);
        let plus = port.0.is_multiple_of(2);
        match (plus, self.wraps && k > 1) {
            (true, _) if x + 1 < k => Some(router + stride),
            (false, _) if x > 0 => Some(router - stride),
            (true, true) => Some(router - (k - 1) * stride),
            (false, true) => Some(router + (k - 1) * stride),
            _ => None,
        }
    }
}

impl Family for Grid {
    fn nodes(&self) -> u32 {
        self.nodes()
    }

    fn switches(&self) -> u32 {
        self.nodes()
    }

    fn sections(&self) -> [Section; 2] {
        [
            Section { ports: self.ports() - 1, to_switches: true, to_nodes: false },
            Section { ports: 1, to_switches: false, to_nodes: true },
        ]
    }

    fn output(&self, router: SwitchId, port: PortId) -> Option<End> {
        if port == self.node_port() {
            return Some(End::Node(NodeId(router.0)));
        }
        let far = self.neighbour(router.0, port)?;
        Some(End::Switch(SwitchId(far), PortId(port.0 ^ 1)))
    }

    fn injection(&self, node: NodeId) -> (SwitchId, PortId) {
        (SwitchId(node.0), self.node_port())
    }

    /// Dimension order: dimension 0 first, the shorter way around in a torus, + on a tie.
    fn port(&self, router: SwitchId, destination: NodeId) -> u8 {
        let differs = |&d: &usize| self.coordinate(router.0, d) != self.coordinate(destination.0, d);
        let Some(d) = (0..self.radices.len()).find(differs) else { return self.node_port().0 };
        let (at, to, k) = (self.coordinate(router.0, d), self.coordinate(destination.0, d), self.radices[d]);
        let plus = if self.wraps { (to + k - at) % k <= k / 2 } else { to > at };
        2 * d as u8 + u8::from(!plus)
    }

    /// In a ring of two, both links lead to the other router. A tie goes to the + link, so the -
    /// link is idle.
    fn idle(&self) -> Idle {
        let rings: Vec<usize> = (0..self.radices.len()).filter(|&d| self.wraps && self.radices[d] == 2).collect();
        let minus = |router| rings.iter().map(move |&d| (SwitchId(router), PortId(2 * d as u8 + 1)));
        Idle {
            links: (0..self.nodes()).flat_map(minus).collect(),
            cure: "along a dimension of two nodes all worms take the + link; a mesh has no other link there",
        }
    }

    /// Datelines: class 0 before the wrap-around link of a dimension, class 1 from it on. The
    /// channels of a node are of one class.
    fn class(&self, router: SwitchId, from: PortId, before: u8, port: PortId) -> u8 {
        if port == self.node_port() {
            return 0;
        }
        let d = port.index() / 2;
        let (x, k) = (self.coordinate(router.0, d), self.radices[d]);
        let wraps = if port.0.is_multiple_of(2) { x == k - 1 } else { x == 0 };
        let same_dimension = from.0 / 2 == port.0 / 2 && from != self.node_port();
        u8::from(wraps).max(if same_dimension { before } else { 0 })
    }

    fn switch_name(&self, router: SwitchId) -> String {
        let mut name = String::from("rt");
        for d in 0..self.radices.len() {
            let _ = write!(name, "_{}", self.coordinate(router.0, d));
        }
        name
    }

    fn switch_number(&self, name: &str) -> Option<u32> {
        let coordinates: Vec<u32> =
            name.strip_prefix("rt_")?.split('_').map(str::parse).collect::<Result<_, _>>().ok()?;
        let places = coordinates.iter().zip(&self.radices).rev();
        Some(places.fold(0_u32, |number, (x, radix)| number.wrapping_mul(*radix).wrapping_add(*x)))
    }

    /// In each dimension, the routers at both ends have one link less, unless links lead around.
    fn kinds(&self) -> Vec<(SwitchId, u32)> {
        let mut kinds = vec![(SwitchId(0), 1)];
        for (&k, &stride) in self.radices.iter().zip(&self.strides) {
            let along = if self.wraps || k == 1 { [(0, k), (0, 0)] } else { [(0, 2), (stride, k - 2)] };
            let with = |&(switch, count): &(SwitchId, u32)| {
                along.map(|(step, times)| (SwitchId(switch.0 + step), count * times))
            };
            kinds = kinds.iter().flat_map(with).filter(|&(_, count)| count > 0).collect();
        }
        kinds
    }

    fn sketch(&self) -> Sketch {
        Sketch::Grid { radices: self.radices.clone(), wraps: self.wraps }
    }

    fn in_words(&self) -> String {
        let radices: Vec<String> = self.radices.iter().map(ToString::to_string).collect();
        match (&radices[..], self.wraps) {
            ([nodes], false) => format!("a linear array of {nodes} nodes"),
            ([nodes], true) => format!("a ring of {nodes} nodes"),
            (_, false) => format!("a {} mesh", radices.join("x")),
            (_, true) => format!("a {} torus", radices.join("x")),
        }
    }
}
