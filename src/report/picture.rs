//! The network as a picture, in SVG: grids as grids, multistage networks stage by stage with the
//! nodes at their sides.

use thiserror::Error;
use wormscope_hw::{NodeId, PortId, SwitchId};

use super::canvas::{Canvas, length};
use super::graph::Graph;
use super::svg::{Pixel, at, number, path};
pub use super::worms::Stroke;
use super::worms::{self, Way};
use crate::network::{Digits, End, Grid, Sketch, Wiring};

/// Largest number of nodes in a picture.
pub(crate) const MOST_NODES: u32 = 4096;
/// Why a network is not drawn.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error("a picture of {nodes} nodes would be too crowded to read; allowed: up to {MOST_NODES} nodes")]
pub struct TooLarge {
    /// Nodes of the network.
    pub nodes: u32,
}

/// Draws a network under its title.
///
/// # Errors
/// When the picture is too large to read.
pub fn draw(wiring: &Wiring, title: &str) -> Result<String, TooLarge> {
    draw_worms(wiring, title, &[])
}

/// Draws a network under its title, with the channels of some worms coloured by step.
///
/// # Errors
/// As [`draw`].
pub fn draw_worms(wiring: &Wiring, title: &str, strokes: &[Stroke]) -> Result<String, TooLarge> {
    let mut canvas = Canvas::default();
    match Floorplan::new(wiring)? {
        Floorplan::Lattice(lattice) => {
            lattice.draw(&mut canvas, wiring);
            if !strokes.is_empty() {
                let node = |node: NodeId, to_node| lattice.node_way(node, to_node);
                worms::draw(&mut canvas, strokes, |switch, port| lattice.channel(switch, port), node);
            }
        }
        Floorplan::Stages(stages) => stages.draw_worms(&mut canvas, strokes),
        Floorplan::Graph(graph) => {
            graph.draw(&mut canvas);
            if !strokes.is_empty() {
                worms::draw(
                    &mut canvas,
                    strokes,
                    |s, port| graph_way(&graph, s, port),
                    |node, to| node_way(&graph, node, to),
                );
            }
        }
    }
    Ok(canvas.finish(title))
}

fn graph_way(graph: &Graph, switch: SwitchId, port: PortId) -> Option<Way> {
    let (ends @ [from, to], forward) = graph.link(switch, port)?;
    let apart = (to.0 - from.0).hypot(to.1 - from.1).max(1.0);
    Some(Way { path: path(&ends), across: ((from.1 - to.1) / apart, (to.0 - from.0) / apart), forward })
}

fn node_way(graph: &Graph, node: NodeId, to_node: bool) -> (Way, Pixel, f64) {
    let (middle, radius) = graph.node_at(node);
    let way = Way { path: path(&[graph.door(node, to_node), middle]), across: (0.0, 1.0), forward: to_node };
    (way, middle, radius)
}

/// Places of all elements.
pub(crate) enum Floorplan<'a> {
    Lattice(Lattice),
    Stages(Stages<'a>),
    Graph(Graph<'a>),
}

/// Refuses a network that is too large to read.
///
/// # Errors
/// When it has too many nodes.
pub fn readable(wiring: &Wiring) -> Result<(), TooLarge> {
    let nodes = wiring.nodes();
    if nodes > MOST_NODES { Err(TooLarge { nodes }) } else { Ok(()) }
}

impl<'a> Floorplan<'a> {
    pub(crate) fn new(wiring: &'a Wiring) -> Result<Self, TooLarge> {
        Self::with_room(wiring, 0.0)
    }

    /// With more room between the routers of a grid, for drawings between them.
    pub(crate) fn with_room(wiring: &'a Wiring, room: f64) -> Result<Self, TooLarge> {
        readable(wiring)?;
        Ok(match wiring.sketch() {
            Sketch::Grid { radices, wraps } => Self::Lattice(Lattice::new(Grid::new(radices, wraps), room)),
            Sketch::Stages { digits, both_sides, notes } => {
                Self::Stages(Stages::new(wiring, digits, both_sides, notes))
            }
            Sketch::Layout => Self::Graph(Graph::new(wiring, room)),
        })
    }

    /// Middle and size of a switch.
    pub(crate) fn box_of(&self, switch: SwitchId) -> [Pixel; 2] {
        match self {
            Self::Lattice(lattice) => [lattice.place(switch.0), (lattice.side, lattice.side)],
            Self::Stages(stages) => stages.box_of(switch),
            Self::Graph(graph) => [graph.place(switch), graph.size()],
        }
    }

    pub(crate) fn draw(&self, canvas: &mut Canvas, wiring: &Wiring) {
        match self {
            Self::Lattice(lattice) => lattice.draw(canvas, wiring),
            Self::Stages(stages) => stages.draw(canvas),
            Self::Graph(graph) => graph.draw(canvas),
        }
    }
}

/// A multistage network: the positions on either side of every stage from the top, stages from left
/// to right.
pub(crate) struct Stages<'a> {
    wiring: &'a Wiring,
    pub(crate) digits: Digits,
    count: u32,
    rows: u32,
    /// Nodes on the right as well.
    pub(crate) both_sides: bool,
    /// Notes on each stage.
    notes: Vec<String>,
    /// Height of a position.
    pub(crate) pitch: f64,
    /// Width of a switch.
    pub(crate) width: f64,
    /// From one stage to the next.
    between: f64,
}

impl<'a> Stages<'a> {
    fn new(wiring: &'a Wiring, digits: Digits, both_sides: bool, notes: Vec<String>) -> Self {
        let positions = digits.numbers();
        let pitch = match positions {
            0..=16 => 26.0,
            17..=64 => 17.0,
            _ => (1600.0 / f64::from(positions)).max(4.0),
        };
        let last = wiring.switch_name(SwitchId(wiring.switches() - 1));
        Self {
            wiring,
            digits,
            count: digits.count(),
            rows: positions / digits.base(),
            both_sides,
            notes,
            pitch,
            width: length(&last, 10.0) + 36.0,
            between: (0.22 * f64::from(positions) * pitch).clamp(84.0, 300.0),
        }
    }

    /// Height of a position. There is a gap between switches.
    fn y(&self, position: u32) -> f64 {
        let row = position / self.digits.base();
        (f64::from(position) + 0.5 + 0.5 * f64::from(row)) * self.pitch
    }

    /// Point at which a port of a switch meets its wire.
    pub(crate) fn anchor(&self, switch: SwitchId, port: u32, right: bool) -> Pixel {
        let (stage, row) = (switch.0 / self.rows, switch.0 % self.rows);
        let x = f64::from(stage) * (self.width + self.between) + if right { self.width } else { 0.0 };
        (x, self.y(row * self.digits.base() + port % self.digits.base()))
    }

    fn draw(&self, canvas: &mut Canvas) {
        let b = self.digits.base();
        for switch in (0..self.wiring.switches()).map(SwitchId) {
            for port in 0..b {
                // One end of a bidirectional link is enough. It is the end nearer to the nodes.
                let out = if self.both_sides { port } else { b + port };
                if let Some(End::Switch(far, to)) = self.wiring.output(switch, PortId(out as u8)) {
                    let ends = [self.anchor(switch, port, true), self.anchor(far, to.0.into(), false)];
                    canvas.line(&stubs(ends), port as usize);
                }
            }
        }
        for node in (0..self.digits.numbers()).map(NodeId) {
            self.node(canvas, node, false);
            if self.both_sides {
                self.node(canvas, node, true);
            }
        }
        for switch in (0..self.wiring.switches()).map(SwitchId) {
            self.switch(canvas, switch);
        }
        let above = -0.5 * self.pitch;
        for (stage, note) in (0..self.count).zip(&self.notes) {
            let x = self.anchor(SwitchId(stage * self.rows), 0, false).0 + self.width / 2.0;
            canvas.text((x, above - 20.0), 11.0, "middle strong", &format!("stage {stage}"));
            canvas.text((x, above - 6.0), 10.0, "middle faint", note);
        }
    }

    fn draw_worms(&self, canvas: &mut Canvas, strokes: &[Stroke]) {
        self.draw(canvas);
        if !strokes.is_empty() {
            let node = |node: NodeId, to_node| self.node_way(node, to_node);
            worms::draw(canvas, strokes, |switch, port| self.channel(switch, port), node);
        }
    }

    /// The way along a channel between switches.
    fn channel(&self, switch: SwitchId, port: PortId) -> Option<Way> {
        let Some(End::Switch(far, to)) = self.wiring.output(switch, port) else { return None };
        let right = self.both_sides || u32::from(port.0) >= self.digits.base();
        let mut ends = [self.anchor(switch, port.0.into(), right), self.anchor(far, to.0.into(), !right)];
        if !right {
            ends.reverse();
        }
        Some(Way { path: path(&stubs(ends)), across: (0.0, 1.0), forward: right })
    }

    /// The way from or to a node, and the middle and radius of the node.
    fn node_way(&self, node: NodeId, to_node: bool) -> (Way, Pixel, f64) {
        let right = to_node && self.both_sides;
        let wired = if to_node { self.wiring.consumption(node) } else { self.wiring.injection(node) };
        let port = self.anchor(wired.0, wired.1.0.into(), right);
        let (middle, radius) = self.node_at(node, right);
        let ends = if right { [port, middle] } else { [middle, port] };
        (Way { path: path(&stubs(ends)), across: (0.0, 1.0), forward: right || !to_node }, middle, radius)
    }

    /// A node and its wire: left of the first stage, or right of the last.
    fn node(&self, canvas: &mut Canvas, node: NodeId, right: bool) {
        let wired = if right { self.wiring.consumption(node) } else { self.wiring.injection(node) };
        let port = self.anchor(wired.0, wired.1.0.into(), right);
        let out = if right { 1.0 } else { -1.0 };
        let (here, radius) = self.node_at(node, right);
        let end = (here.0 - out * radius, here.1);
        let ends = if right { [port, end] } else { [end, port] };
        canvas.line(&stubs(ends), if right { wired.1.index() } else { 6 });
        canvas.node(here, radius);
        if self.pitch < 9.0 {
            return;
        }
        let (class, size) = (if right { "left" } else { "right" }, (0.5 * self.pitch).min(11.0));
        let text = (here.0 + out * (radius + 4.0), here.1);
        canvas.text(text, size, &format!("{class} strong"), &format!("n{node}"));
        if self.count > 1 && self.digits.base() <= 36 {
            let name = length(&format!("n{}", self.digits.numbers() - 1), size);
            canvas.text((text.0 + out * (name + 6.0), text.1), size, &format!("{class} faint"), &self.address(node));
        }
    }

    /// Middle and radius of a node on either side.
    pub(crate) fn node_at(&self, node: NodeId, right: bool) -> (Pixel, f64) {
        let wired = if right { self.wiring.consumption(node) } else { self.wiring.injection(node) };
        let out = if right { 1.0 } else { -1.0 };
        let radius = (0.3 * self.pitch).min(6.0);
        let x = self.anchor(wired.0, wired.1.0.into(), right).0 + out * (self.reach(right) + radius);
        ((x, self.y(node.0)), radius)
    }

    /// Distance of the nodes of a side from their switches. The distance is small if wires are
    /// straight.
    fn reach(&self, right: bool) -> f64 {
        let straight = |node: NodeId| {
            let (switch, port) = if right { self.wiring.consumption(node) } else { self.wiring.injection(node) };
            switch.0 % self.rows * self.digits.base() + u32::from(port.0) % self.digits.base() == node.0
        };
        if (0..self.digits.numbers()).map(NodeId).all(straight) { 34.0 } else { self.between }
    }

    /// The digits of a node's address, the most significant first.
    fn address(&self, node: NodeId) -> String {
        let digit = |i| char::from_digit(self.digits.digit(node.0, i), 36).unwrap_or('?');
        (0..self.count).rev().map(digit).collect()
    }

    /// Middle and size of a switch.
    fn box_of(&self, switch: SwitchId) -> [Pixel; 2] {
        let (top, bottom) = (self.anchor(switch, 0, false), self.anchor(switch, self.digits.base() - 1, false));
        let middle = (top.0 + self.width / 2.0, f64::midpoint(top.1, bottom.1));
        [middle, (self.width, bottom.1 - top.1 + self.pitch)]
    }

    fn switch(&self, canvas: &mut Canvas, switch: SwitchId) {
        let b = self.digits.base();
        let [middle, size] = self.box_of(switch);
        canvas.switch(middle, size);
        if f64::from(b) * self.pitch >= 12.0 {
            canvas.text(middle, 10.0, "middle", &self.wiring.switch_name(switch));
        }
        if self.pitch < 9.0 {
            return;
        }
        let size = (0.5 * self.pitch).min(9.0);
        for port in 0..b {
            let other = if self.both_sides { port } else { b + port };
            let (left, right) = (self.anchor(switch, port, false), self.anchor(switch, port, true));
            canvas.text((left.0 + 4.0, left.1), size, "left faint", &port.to_string());
            if self.wiring.output(switch, PortId(other as u8)).is_some() {
                canvas.text((right.0 - 4.0, right.1), size, "right faint", &other.to_string());
            }
        }
    }
}

/// A wire between two anchors, which it leaves straight.
pub(crate) fn stubs([from, to]: [Pixel; 2]) -> [Pixel; 4] {
    let stub = 9.0_f64.min((to.0 - from.0) / 3.0);
    [from, (from.0 + stub, from.1), (to.0 - stub, to.1), to]
}

/// A grid: dimension 0 goes to the right, 1 down, and 2 into the picture. Further dimensions are
/// pictures side by side.
pub(crate) struct Lattice {
    pub(crate) grid: Grid,
    /// Side of a router.
    pub(crate) side: f64,
    /// From a router's corner to its node, in either direction.
    to_node: f64,
    /// Offset of one step along each dimension.
    steps: Vec<Pixel>,
}

impl Lattice {
    fn new(grid: Grid, room: f64) -> Self {
        let radices = grid.radices();
        let longest = radices.iter().map(|k| 1 + (k - 1).to_string().len()).sum::<usize>() + 2;
        let side = 0.62 * 10.0 * longest as f64 + 30.0;
        let depth = f64::from(radices.get(2).map_or(0, |k| k - 1));
        let into = (0.75 * side, -(side + 20.0));
        let apart = side + 46.0 + room;
        let mut steps = vec![(apart + depth * into.0, 0.0), (0.0, apart - depth * into.1), into];
        let mut block = [0, 1].map(|d| f64::from(radices.get(d).copied().unwrap_or(1)));
        block = [block[0] * steps[0].0 + 40.0, block[1] * steps[1].1 + 40.0];
        for (d, &k) in radices.iter().enumerate().skip(3) {
            let along = (d + 1) % 2;
            steps.push(if along == 0 { (block[0], 0.0) } else { (0.0, block[1]) });
            block[along] *= f64::from(k);
        }
        Self { grid, side, to_node: 12.0 + room / 3.0, steps }
    }

    pub(crate) fn place(&self, router: u32) -> Pixel {
        let moves = self.steps.iter().enumerate().take(self.grid.radices().len());
        moves.fold((0.0, 0.0), |p, (d, step)| {
            let x = f64::from(self.grid.coordinate(router, d));
            (p.0 + x * step.0, p.1 + x * step.1)
        })
    }

    /// Middle and radius of a router's node.
    pub(crate) fn node_at(&self, router: u32) -> (Pixel, f64) {
        let (middle, corner) = (self.place(router), self.port(self.grid.node_port()));
        let radius = (length(&format!("n{router}"), 8.0) / 2.0 + 2.0).max(11.0);
        ((middle.0 + corner.0 + self.to_node, middle.1 + corner.1 + self.to_node), radius)
    }

    /// Place of a port on its router, relative to the middle.
    pub(crate) fn port(&self, port: PortId) -> Pixel {
        let half = self.side / 2.0;
        let sign = if port.0.is_multiple_of(2) { 1.0 } else { -1.0 };
        if port == self.grid.node_port() {
            return (half, half);
        }
        match port.0 / 2 {
            0 => (sign * half, 0.0),
            1 => (0.0, sign * half),
            2 => (sign * 0.5 * half, -sign * half),
            _ => (-half, -sign * 0.5 * half),
        }
    }

    fn draw(&self, canvas: &mut Canvas, wiring: &Wiring) {
        let routers = 0..self.grid.nodes();
        let links = self.grid.ports() / 2;
        for (router, d) in routers.clone().flat_map(|r| (0..links).map(move |d| (r, d))) {
            let port = PortId(2 * d);
            if let Some(far) = self.grid.neighbour(router, port) {
                let (path, corners) = self.link(d, [router, far], port);
                canvas.wire(&path, d.into(), &corners);
            }
        }
        for router in routers {
            let middle = self.place(router);
            let name = format!("n{router}");
            let (node, radius) = self.node_at(router);
            canvas.line(&[middle, node], 6);
            canvas.node(node, radius);
            canvas.text(node, 8.0, "middle strong", &name);
            canvas.switch(middle, (self.side, self.side));
            canvas.text(middle, 10.0, "middle", &wiring.switch_name(SwitchId(router)));
            for port in (0..self.grid.ports().min(6)).map(PortId).filter(|&p| p != self.grid.node_port()) {
                if self.grid.neighbour(router, port).is_some() {
                    let (x, y) = self.port(port);
                    let inside = |v: f64| v - v.signum() * if v.abs() * 2.0 < self.side { 0.0 } else { 7.0 };
                    canvas.text((middle.0 + inside(x), middle.1 + inside(y)), 8.0, "middle faint", &port.to_string());
                }
            }
        }
    }

    /// The way along a channel between routers; `None` if it leads to a node.
    fn channel(&self, switch: SwitchId, port: PortId) -> Option<Way> {
        let far = self.grid.neighbour(switch.0, port)?;
        // A link is drawn from the switch that it leaves in + direction.
        let forward = port.0.is_multiple_of(2);
        let ends = if forward { [switch.0, far] } else { [far, switch.0] };
        let (d, slant) = (port.0 / 2, std::f64::consts::FRAC_1_SQRT_2);
        let across = [(0.0, 1.0), (1.0, 0.0)].get(usize::from(d)).copied().unwrap_or((slant, slant));
        Some(Way { path: self.link(d, ends, PortId(port.0 & !1)).0, across, forward })
    }

    /// The way between a node and its router, the node's middle and radius.
    fn node_way(&self, node: NodeId, to_node: bool) -> (Way, Pixel, f64) {
        let (middle, radius) = self.node_at(node.0);
        let slant = std::f64::consts::FRAC_1_SQRT_2;
        let way = Way { path: path(&[self.place(node.0), middle]), across: (slant, -slant), forward: to_node };
        (way, middle, radius)
    }

    /// A pair of channels between neighbours: the path, and corners near the path. Channels that
    /// wrap around run beside the row or column.
    fn link(&self, d: u8, [router, far]: [u32; 2], port: PortId) -> (String, Vec<Pixel>) {
        let end = |router: u32, port: PortId| {
            let (middle, offset) = (self.place(router), self.port(port));
            (middle.0 + offset.0, middle.1 + offset.1)
        };
        let (from, to) = (end(router, port), end(far, PortId(port.0 + 1)));
        let wraps = self.grid.coordinate(far, d.into()) == 0;
        let beside = self.side / 2.0 + 11.0;
        match (d, wraps) {
            (0, true) => {
                let path = format!(
                    "M{}h4q8,0 8,-8V{}q0,-8 -8,-8H{}q-8,0 -8,8V{}q0,8 8,8H{}",
                    at(from),
                    number(from.1 - beside + 8.0),
                    number(to.0 - 4.0),
                    number(to.1 - 8.0),
                    number(to.0)
                );
                (path, vec![(from.0 + 12.0, from.1 - beside), (to.0 - 12.0, to.1)])
            }
            (1, true) => {
                let path = format!(
                    "M{}v4q0,8 -8,8H{}q-8,0 -8,-8V{}q0,-8 8,-8H{}q8,0 8,8V{}",
                    at(from),
                    number(from.0 - beside + 8.0),
                    number(to.1 - 4.0),
                    number(to.0 - 8.0),
                    number(to.1)
                );
                (path, vec![(from.0 - beside, from.1 + 12.0), (to.0, to.1 - 12.0)])
            }
            (0..=2, false) => (path(&[from, to]), vec![from, to]),
            _ => {
                let bow = (f64::midpoint(from.0, to.0) - 40.0, f64::midpoint(from.1, to.1) - 40.0);
                (format!("M{}Q{} {}", at(from), at(bow), at(to)), vec![from, bow, to])
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::from_text;

    fn of(topology: &str) -> String {
        let network = from_text("x", &format!("(network: (topology: {topology}, switch: (virtual_channels: 2)))"), &[])
            .unwrap()
            .experiment
            .network;
        draw(network.build().unwrap().wiring(), "title").unwrap()
    }

    /// Number of elements of each kind.
    fn count(picture: &str) -> [usize; 3] {
        ["<path", "<rect", "<circle"].map(|element| picture.matches(element).count())
    }

    #[test]
    fn every_switch_node_and_link_is_drawn_once() {
        // The counts are wires, switches with the white ground, and nodes on both sides or on one
        // side.
        assert_eq!(count(&of("uni_min(switch_ports: 2, stages: 3)")), [8 + 2 * 8 + 8, 12 + 1, 16]);
        assert_eq!(count(&of("bi_min(switch_ports: 4, stages: 2)")), [16 + 16, 8 + 1, 16]);
        assert_eq!(count(&of("mesh(radices: [4, 3])")), [12 + 9 + 8, 12 + 1, 12]);
        assert_eq!(count(&of("torus(radices: [3, 3, 2])")), [18 + 18 * 3, 18 + 1, 18]);
        assert_eq!(count(&of("mesh(radices: [2, 2, 2, 2, 2])")), [32 + 5 * 16, 32 + 1, 32]);
        assert_eq!(count(&of("linear(nodes: 1)")), [1, 2, 1]);
    }

    #[test]
    fn pictures_are_as_large_as_what_is_on_them() {
        for topology in
            ["uni_min(kind: omega, switch_ports: 4, stages: 3)", "torus(radices: [5, 5])", "linear(nodes: 9)"]
        {
            let picture = of(topology);
            let view = picture.split("viewBox=\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap();
            let view: Vec<f64> = view.split(' ').map(|n| n.parse().unwrap()).collect();
            let numbers = |name: &str| -> Vec<f64> {
                let field = format!(" {name}=\"");
                let fields = picture.split(&field).skip(1);
                fields.map(|rest| rest.split('"').next().unwrap().parse().unwrap()).collect()
            };
            let inside = |low: f64, size: f64| move |v: f64| v >= low && v <= low + size;
            assert!(numbers("cx").into_iter().all(inside(view[0], view[2])), "{topology}");
            assert!(numbers("cy").into_iter().all(inside(view[1], view[3])), "{topology}");
            assert!(numbers("x").into_iter().all(inside(view[0], view[2])), "{topology}");
            assert!(numbers("y").into_iter().all(inside(view[1], view[3])), "{topology}");
        }
    }

    #[test]
    fn networks_that_nobody_could_read_are_refused() {
        let wiring = Wiring::new(Grid::new(vec![65, 64], false));
        assert_eq!(draw(&wiring, ""), Err(TooLarge { nodes: 4160 }));
    }
}
