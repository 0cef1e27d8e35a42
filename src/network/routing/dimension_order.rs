//! Dimension-order routing (e-cube; X-Y in two dimensions): dimension 0 first, the shorter way
//! around in a torus, + on a tie. In reverse, the last dimension is first (Y-X).

use crate::Grid;

/// Dimension-order routing on a grid.
#[derive(Clone, Debug)]
pub struct DimensionOrder {
    /// Coordinates of all routers, router-major.
    coordinates: Vec<u16>,
    radices: Vec<u16>,
    wraps: bool,
    /// Whether the last dimension is first.
    is_reverse: bool,
}

impl DimensionOrder {
    /// The routing function of `grid`, whose radices are below 65,536.
    #[must_use]
    pub fn new(grid: &Grid) -> Self {
        let dimensions = grid.radices().len();
        let coordinates =
            (0..grid.nodes()).flat_map(|r| (0..dimensions).map(move |d| grid.coordinate(r, d) as u16)).collect();
        let radices = grid.radices().iter().map(|&k| k as u16).collect();
        Self { coordinates, radices, wraps: grid.wraps(), is_reverse: false }
    }

    /// The same routing with the last dimension first.
    #[must_use]
    pub fn reversed(self) -> Self {
        Self { is_reverse: !self.is_reverse, ..self }
    }

    /// Output port of `router` towards `destination`: `2d` or `2d + 1` in the first dimension that
    /// differs, else the port of the node.
    #[must_use]
    #[inline(always)]
    pub fn port(&self, router: u32, destination: u32) -> u8 {
        let n = self.radices.len();
        let at = &self.coordinates[router as usize * n..][..n];
        let to = &self.coordinates[destination as usize * n..][..n];
        for i in 0..n {
            let d = if self.is_reverse { n - 1 - i } else { i };
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
        let grids = [(vec![7], false), (vec![4, 3], false), (vec![5, 4], true), (vec![2, 3, 4], true)];
        for ((radices, wraps), is_reverse) in grids.iter().flat_map(|grid| [(grid, false), (grid, true)]) {
            let (grid, wraps) = (Grid::new(radices.clone(), *wraps), *wraps);
            let routes = DimensionOrder::new(&grid);
            let routes = if is_reverse { routes.reversed() } else { routes };
            let place = |port: u8| if is_reverse { radices.len() as u8 - 1 - port / 2 } else { port / 2 };
            for from in 0..grid.nodes() {
                for to in 0..grid.nodes() {
                    let (mut at, mut hops, mut dimension) = (from, 0, 0);
                    while let port = routes.port(at, to)
                        && port != grid.node_port().0
                    {
                        assert!(place(port) >= dimension, "{from} to {to}: back to dimension {}", port / 2);
                        dimension = place(port);
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
