//! Any graph of switches and nodes as a picture: straight lines between the places that its
//! topology lays out.

use wormscope_hw::{NodeId, PortId, SwitchId};

use super::canvas::{Canvas, length};
use super::svg::Pixel;
use crate::network::{End, Position, Wiring};

/// Radius of a node.
const RADIUS: f64 = 11.0;
/// Smallest height of a switch.
const HEIGHT: f64 = 30.0;
/// Distance of neighbouring ports.
const PITCH: f64 = 9.0;

/// A side of a switch.
#[derive(Clone, Copy)]
enum Side {
    Left,
    Right,
    Above,
    Below,
}

/// A network laid out.
pub(crate) struct Graph<'a> {
    wiring: &'a Wiring,
    switches: Vec<Pixel>,
    nodes: Vec<Pixel>,
    /// Width and height of a switch.
    size: Pixel,
    /// Place of each port on the edge of its switch, switch-major.
    ports: Vec<Pixel>,
}

impl<'a> Graph<'a> {
    /// A graph with `room` more pixels between neighbours, for further drawings.
    pub fn new(wiring: &'a Wiring, room: f64) -> Self {
        let placement = wiring.placement();
        let names = (0..wiring.switches()).map(|s| length(&wiring.switch_name(SwitchId(s)), 10.0));
        let width = names.fold(HEIGHT, f64::max) + 24.0;
        let scale = |&(x, y): &Position| (x * (2.0 * width + room), y * (3.0 * HEIGHT + room));
        let [switches, nodes] = [&placement.switches, &placement.nodes].map(|all| all.iter().map(scale).collect());
        let mut graph = Self { wiring, switches, nodes, size: (width, HEIGHT), ports: Vec::new() };
        let mut columns: Vec<f64> = graph.switches.iter().map(|at| at.0).collect();
        columns.sort_by(f64::total_cmp);
        columns.dedup();
        // Switches of other columns are at the left or right, at any height.
        let in_columns = columns.windows(2).all(|pair| pair[1] - pair[0] > 1.5 * width);
        let sides: Vec<[Vec<PortId>; 4]> =
            (0..wiring.switches()).map(|s| graph.sides(SwitchId(s), in_columns)).collect();
        let most =
            |sides: [Side; 2]| move |of: &[Vec<PortId>; 4]| sides.map(|side| of[side as usize].len()).into_iter().max();
        let room_for = |on: [Side; 2]| PITCH * (sides.iter().filter_map(most(on)).max().unwrap_or(0) as f64 + 0.5);
        graph.size.1 = room_for([Side::Left, Side::Right]).max(HEIGHT);
        graph.size.0 = room_for([Side::Above, Side::Below]).max(width);
        graph.part();
        graph.ports = sides.iter().zip(&graph.switches).flat_map(|(sides, &at)| graph.pins(sides, at)).collect();
        graph
    }

    /// Increases the distance of switches above each other, if their ports need the room.
    fn part(&mut self) {
        let overlap = |a: &Pixel, b: &Pixel| (a.0 - b.0).abs() < self.size.0 && (a.1 - b.1).abs() > 0.0;
        let pairs = self.switches.iter().enumerate().flat_map(|(n, a)| self.switches[..n].iter().map(move |b| (a, b)));
        let apart = pairs.filter(|(a, b)| overlap(a, b)).map(|(a, b)| (a.1 - b.1).abs());
        let by = ((self.size.1 + PITCH) / apart.fold(f64::INFINITY, f64::min)).max(1.0);
        self.switches.iter_mut().chain(&mut self.nodes).for_each(|at| at.1 *= by);
    }

    /// The end of the link at a port, for a link in any direction.
    fn end(&self, switch: SwitchId, port: PortId) -> Option<End> {
        self.wiring.output(switch, port).or_else(|| self.wiring.input(switch, port))
    }

    /// The ports of a switch by side. A port is at the side that faces the other end of its link,
    /// in the order of the links. Several links to one switch have the order of the ports of the
    /// lower-numbered switch, so that they do not cross.
    fn sides(&self, switch: SwitchId, in_columns: bool) -> [Vec<PortId>; 4] {
        let (x, y) = self.place(switch);
        let mut sides: [Vec<(f64, PortId, PortId)>; 4] = Default::default();
        for port in (0..self.wiring.ports()).map(PortId) {
            let (to, far) = match self.end(switch, port) {
                Some(End::Switch(far, at)) => (self.place(far), if far < switch { at } else { port }),
                Some(End::Node(node)) => (self.nodes[node.index()], port),
                None => continue,
            };
            let (right, down) = (to.0 - x, to.1 - y);
            let crosses = right.abs() / self.size.0 > down.abs() / self.size.1;
            let (side, slope) = match if in_columns { right.abs() > self.size.0 } else { crosses } {
                true if right > 0.0 => (Side::Right, down / right),
                true => (Side::Left, down / -right),
                false if down > 0.0 => (Side::Below, right / down),
                false => (Side::Above, right / -down.min(-1.0)),
            };
            sides[side as usize].push((slope, far, port));
        }
        sides.map(|mut ports| {
            ports.sort_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2))));
            ports.into_iter().map(|(_, _, port)| port).collect()
        })
    }

    /// Places of the ports of a switch: in the middle of their sides, side by side.
    fn pins(&self, sides: &[Vec<PortId>; 4], (x, y): Pixel) -> Vec<Pixel> {
        let mut pins = vec![(x, y); self.wiring.ports().into()];
        for (side, ports) in [Side::Left, Side::Right, Side::Above, Side::Below].into_iter().zip(sides) {
            for (n, port) in ports.iter().enumerate() {
                let along = PITCH * (n as f64 - (ports.len() as f64 - 1.0) / 2.0);
                let (right, down) = (self.size.0 / 2.0, self.size.1 / 2.0);
                let (across, up) = match side {
                    Side::Left => (-right, along),
                    Side::Right => (right, along),
                    Side::Above => (along, -down),
                    Side::Below => (along, down),
                };
                pins[port.index()] = (x + across, y + up);
            }
        }
        pins
    }

    pub fn place(&self, switch: SwitchId) -> Pixel {
        self.switches[switch.index()]
    }

    /// Width and height of a switch.
    pub fn size(&self) -> Pixel {
        self.size
    }

    pub(crate) fn node_at(&self, node: NodeId) -> (Pixel, f64) {
        (self.nodes[node.index()], RADIUS)
    }

    /// Place of a port on the edge of its switch.
    pub fn port(&self, switch: SwitchId, port: PortId) -> Pixel {
        self.ports[switch.index() * usize::from(self.wiring.ports()) + port.index()]
    }

    /// Point at which the wire of a node meets its switch, to send or to receive.
    pub fn door(&self, node: NodeId, receives: bool) -> Pixel {
        let (switch, port) = if receives { self.wiring.consumption(node) } else { self.wiring.injection(node) };
        self.port(switch, port)
    }

    /// The line of a channel between switches, and whether the channel runs in the direction of the
    /// line. `None` if the channel leads to a node.
    pub fn link(&self, switch: SwitchId, port: PortId) -> Option<([Pixel; 2], bool)> {
        let Some(End::Switch(far, at)) = self.wiring.output(switch, port) else { return None };
        let forward = (switch, port) < (far, at);
        let ends = [self.port(switch, port), self.port(far, at)];
        Some(if forward { (ends, true) } else { ([ends[1], ends[0]], false) })
    }

    pub fn draw(&self, canvas: &mut Canvas) {
        let all = || (0..self.wiring.switches()).map(SwitchId);
        for (switch, port) in all().flat_map(|s| (0..self.wiring.ports()).map(move |p| (s, PortId(p)))) {
            if let Some((ends, true)) = self.link(switch, port) {
                canvas.line(&ends, port.index());
            }
        }
        for node in (0..self.wiring.nodes()).map(NodeId) {
            let (middle, radius) = self.node_at(node);
            let doors = [false, true].map(|receives| self.door(node, receives));
            canvas.line(&[doors[0], middle], 6);
            if doors[1] != doors[0] {
                canvas.line(&[doors[1], middle], 6);
            }
            canvas.node(middle, radius);
            canvas.text(middle, 8.0, "middle strong", &format!("n{node}"));
        }
        for switch in all() {
            let middle = self.place(switch);
            canvas.switch(middle, self.size);
            canvas.text(middle, 10.0, "middle", &self.wiring.switch_name(switch));
            for port in (0..self.wiring.ports()).map(PortId) {
                if self.wiring.output(switch, port).is_some() {
                    let (x, y) = self.port(switch, port);
                    let at_side = (x - middle.0).abs() > self.size.0 / 2.0 - 1.0;
                    let inside = |at: f64, middle: f64| at - (at - middle).clamp(-7.0, 7.0);
                    let at = if at_side { (inside(x, middle.0), y) } else { (x, inside(y, middle.1)) };
                    canvas.text(at, 7.0, "middle faint", &port.to_string());
                }
            }
        }
    }
}
