//! Linear arrays, n-dimensional meshes and tori of any radix per dimension.
//!
//! Node `i` sits at router `i`; dimension 0 counts fastest: node = x + kx * (y + ky * z). Ports of a router: `2d` towards and
//! from the + neighbour of dimension d, `2d + 1` the - neighbour, `2n` the node's.

use std::fmt::Write as _;

use wormscope_hw::{NodeId, PortId, SwitchId};

use super::End;

/// A grid of routers: linear array, mesh or torus.
#[derive(Clone, Debug)]
pub struct Grid {
    radices: Vec<u32>,
    strides: Vec<u32>,
    wraps: bool,
}

impl Grid {
    /// A mesh (`wraps == false`) or torus. The radices are those a validated config holds: none is 0, their product fits u32.
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

    /// Nodes along each dimension.
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

    /// Ports of every router.
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

    /// The neighbour a + (`2d`) or - (`2d + 1`) port leads to, `None` at the border and for the node's port.
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

    pub(super) fn link(&self, router: SwitchId, port: PortId) -> Option<End> {
        if port == self.node_port() {
            return Some(End::Node(NodeId(router.0)));
        }
        let far = self.neighbour(router.0, port)?;
        Some(End::Switch(SwitchId(far), PortId(port.0 ^ 1)))
    }

    pub(super) fn router_name(&self, router: SwitchId) -> String {
        let mut name = String::from("rt");
        for d in 0..self.radices.len() {
            let _ = write!(name, "_{}", self.coordinate(router.0, d));
        }
        name
    }
}
