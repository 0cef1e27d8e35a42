//! Dimension-order routing (e-cube; X-Y in two dimensions): dimension 0 first, the shorter way
//! around in a torus, + on a tie.

use crate::Grid;

/// Dimension-order routing on a grid.
#[derive(Clone, Debug)]
pub struct DimensionOrder {
    /// Coordinates of all routers, router-major.
    coordinates: Vec<u16>,
    radices: Vec<u16>,
    wraps: bool,
}

impl DimensionOrder {
    /// The routing function of `grid`, whose radices are below 65,536.
    #[must_use]
    pub fn new(grid: &Grid) -> Self {
        let dimensions = grid.radices().len();
        let coordinates =
            (0..grid.nodes()).flat_map(|r| (0..dimensions).map(move |d| grid.coordinate(r, d) as u16)).collect();
        Self { coordinates, radices: grid.radices().iter().map(|&k| k as u16).collect(), wraps: grid.wraps() }
    }

    /// Output port of `router` towards `destination`: `2d` or `2d + 1` in the first dimension that
    /// differs, else the port of the node.
    #[must_use]
    #[inline(always)]
    pub fn port(&self, router: u32, destination: u32) -> u8 {
        let n = self.radices.len();
        let at = &self.coordinates[router as usize * n..][..n];
        let to = &self.coordinates[destination as usize * n..][..n];
        for d in 0..n {
            if at[d] != to[d] {
                let plus = if self.wraps {
                    let k = self.radices[d];
                    let ahead = if to[d] > at[d] { to[d] - at[d] } else { to[d] + (k - at[d]) };
                    ahead <= k / 2
                } else {
                    to[d] > at[d]
                };
                return 2 * d as u8 + u8::from(!plus);
            }
        }
        2 * n as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_route_is_minimal_and_goes_through_the_dimensions_in_order() {
        for (radices, wraps) in [(vec![7], false), (vec![4, 3], false), (vec![5, 4], true), (vec![2, 3, 4], true)] {
            let grid = Grid::new(radices.clone(), wraps);
            let routes = DimensionOrder::new(&grid);
            for from in 0..grid.nodes() {
                for to in 0..grid.nodes() {
                    let (mut at, mut hops, mut dimension) = (from, 0, 0);
                    while let port = routes.port(at, to)
                        && port != grid.node_port().0
                    {
                        assert!(port / 2 >= dimension, "{from} to {to}: back to dimension {}", port / 2);
                        dimension = port / 2;
                        at = grid.neighbour(at, wormscope_hw::PortId(port)).expect("a route stays inside");
                        hops += 1;
                    }
                    assert_eq!(at, to);
                    let distance: u32 = (0..radices.len())
                        .map(|d| {
                            let apart = grid.coordinate(from, d).abs_diff(grid.coordinate(to, d));
                            if wraps { apart.min(radices[d] - apart) } else { apart }
                        })
                        .sum();
                    assert_eq!(hops, distance, "{from} to {to}");
                }
            }
        }
    }
}
