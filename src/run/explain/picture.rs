//! Drawing of a deadlock in the picture of its network. It shows the lanes that the worms hold, and
//! the place where each worm is kept from going on by the next.

use std::collections::{BTreeMap, BTreeSet};

use wormscope_hw::{PortId, SwitchId, WormId};

use super::names::WaveNames;
use super::story::Story;
use crate::deadlock::{Deadlock, Member, Names};
use crate::engine::snapshot::{Hold, LaneRef, Segment};
use crate::network::{End, Wiring};
use crate::report::canvas::Canvas;
use crate::report::picture::{Floorplan, TooLarge};
use crate::report::svg::{Pixel, Svg, number, path};
use crate::report::wires::{Wires, rounded};

/// Colours of worms, in the order of the cycle. Colour-blind people can distinguish them (Okabe and
/// Ito).
const COLOURS: [&str; 7] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b8860b", "#56b4e9", "#7b3294"];
/// Colour of the place at which a worm is blocked.
const BLOCKED: &str = "#c1121f";
/// Distance between lanes side by side.
const BESIDE: f64 = 4.5;
/// Radius of the number at a worm's head.
pub(super) const BADGE: f64 = 8.0;
/// Number of held lanes in a line of a legend.
const HELD: usize = 6;
/// Distance between the lines of the legend.
pub(super) const LINE: f64 = 19.0;

/// The colour of the n-th worm of the cycle.
#[must_use]
pub(super) fn colour(n: usize) -> &'static str {
    COLOURS[n % COLOURS.len()]
}

/// The worms of a deadlock, in the order in which they first appear in its table.
#[must_use]
pub fn worms(deadlock: &Deadlock) -> Vec<WormId> {
    let mut worms = Vec::new();
    for member in deadlock.cycle.iter().chain(&deadlock.also) {
        if !worms.contains(&member.worm) {
            worms.push(member.worm);
        }
    }
    worms
}

impl Story<'_> {
    /// Draws a deadlock in its network.
    ///
    /// # Errors
    /// The picture would be too large to read.
    pub fn svg(&self, wiring: &Wiring, names: &WaveNames) -> Result<String, TooLarge> {
        let deadlock = self.deadlock;
        let mut scene = Scene::new(wiring, names, worms(deadlock))?;
        for segment in &deadlock.snapshot.segments {
            if let Some(n) = scene.number_of(segment.worm) {
                scene.held(segment, colour(n));
            }
        }
        for member in deadlock.cycle.iter().chain(&deadlock.also) {
            scene.wanted(member);
        }
        for (row, member) in deadlock.cycle.iter().chain(&deadlock.also).enumerate() {
            scene.badge(row, member);
        }
        let Scene { mut canvas, worms, crosses, .. } = scene;
        canvas.marks.append(&crosses);
        let (left, mut y) = (canvas.least.0, canvas.most.1 + 2.0 * LINE);
        let key =
            "solid: lanes a worm holds; dashed: lanes it waits for; X: where it is kept; numbers: rows of the table";
        for line in [self.network.as_str(), key] {
            canvas.text((left, y), 10.0, "left faint", line);
            y += LINE;
        }
        for (row, (member, lines)) in deadlock.cycle.iter().chain(&deadlock.also).zip(self.legend(names)).enumerate() {
            let n = worms.iter().position(|worm| *worm == member.worm).unwrap_or(0);
            disc(&mut canvas, (left + BADGE, y), row, colour(n));
            for (i, line) in lines.iter().enumerate() {
                let (size, class) = if i == 0 { (11.0, "left") } else { (9.5, "left faint") };
                canvas.text((left + 2.0 * BADGE + 8.0, y), size, class, line);
                y += if i + 1 < lines.len() { 0.8 * LINE } else { 1.1 * LINE };
            }
        }
        Ok(canvas.finish(&deadlock.title()))
    }

    /// The lines of the legend, some for every row of the table.
    fn legend(&self, names: &impl Names) -> Vec<Vec<String>> {
        let lines = |member: &Member| {
            let wants = member.wants(names).into_iter().map(|w| format!("{} (worm {})", w.what, w.owned_by));
            let wants: Vec<String> = wants.collect();
            let first = format!("{} at {} wants {}", self.who(member), member.place(names), wants.join(", "));
            let holds = member.held(names);
            let holds = holds.chunks(HELD).map(|some| some.join(", "));
            let holds = holds.enumerate().map(|(i, some)| if i == 0 { format!("holds {some}") } else { some });
            std::iter::once(first).chain(holds).collect()
        };
        self.deadlock.cycle.iter().chain(&self.deadlock.also).map(lines).collect()
    }
}

/// A number in a disc.
pub(super) fn disc(canvas: &mut Canvas, middle: Pixel, row: usize, colour: &str) {
    canvas.reach((middle.0 - BADGE, middle.1 - BADGE));
    canvas.reach((middle.0 + BADGE, middle.1 + BADGE));
    let style = format!("fill: {colour}; stroke: #fff");
    canvas.marks.circle(middle, BADGE, &[("style", &style)]);
    canvas.text(middle, 9.5, "middle strong onmark", &(row + 1).to_string());
}

pub(super) struct Scene<'a> {
    pub wires: Wires<'a>,
    worms: Vec<WormId>,
    pub canvas: Canvas,
    /// Number of badges at each input lane so far.
    badges: BTreeMap<(SwitchId, u8), u32>,
    /// Marks on top of lines.
    pub crosses: Svg,
}

impl<'a> Scene<'a> {
    /// A network in which nothing is marked.
    pub fn new(wiring: &'a Wiring, names: &WaveNames, worms: Vec<WormId>) -> Result<Self, TooLarge> {
        let wires = Wires { plan: Floorplan::new(wiring)?, wiring, lanes: names.lanes(), beside: BESIDE };
        let mut canvas = Canvas::marked();
        wires.plan.draw(&mut canvas, wiring);
        Ok(Self { wires, worms, canvas, badges: BTreeMap::new(), crosses: Svg::default() })
    }

    fn number_of(&self, worm: WormId) -> Option<usize> {
        self.worms.iter().position(|other| *other == worm)
    }

    /// A line along corners, rounded.
    pub fn line(&mut self, points: &[Pixel], colour: &str, width: f64, dashed: bool) {
        for &point in points {
            self.canvas.reach(point);
        }
        let gaps = if dashed { "; stroke-dasharray: 5 3" } else { "" };
        let style = format!("stroke: {colour}; stroke-width: {width}; stroke-linecap: round{gaps}");
        self.canvas.marks.empty("path", &[("d", &rounded(points)), ("style", &style)]);
    }

    /// Draws the lanes that a worm holds at one switch: the route through the switch, and the wires
    /// after it.
    fn held(&mut self, segment: &Segment, colour: &str) {
        let input = (segment.switch, segment.lane);
        if segment.upstream.is_none() && segment.remaining > segment.here {
            let wire = self.wires.injection(input);
            self.line(&wire, colour, 4.0, false);
        }
        let owned =
            segment.branches.iter().filter_map(|b| if let Hold::Owns(lane) = b.hold { Some(lane) } else { None });
        let owned: Vec<LaneRef> = owned.collect();
        for lane in owned {
            let through = self.through(input, lane);
            self.line(&through, colour, 2.6, false);
            let wire = self.wires.wire(lane);
            self.line(&wire, colour, 4.0, false);
            self.arrive(lane, &wire, colour);
        }
    }

    /// Draws the wants of a worm: the route through the switch, up to the place at which it is
    /// blocked.
    fn wanted(&mut self, member: &Member) {
        let Some(n) = self.number_of(member.worm) else { return };
        for &lane in &member.wants {
            let end = if member.space.contains(&lane) {
                // The worm waits for space after a lane that it owns.
                self.wires.wire(lane).last().copied()
            } else {
                let through = self.through((member.switch, member.lane), lane);
                self.line(&through, "#fff", 4.2, false);
                self.line(&through, colour(n), 2.6, true);
                through.last().copied()
            };
            if let Some(end) = end {
                self.cross(end);
            }
        }
        if member.awaits.is_some() {
            let end = self.wires.in_port((member.switch, member.lane));
            let inward = self.wires.inward(member.switch, PortId(self.wires.lanes.inputs.port(member.lane)));
            let at = (end.0 + 18.0 * inward.0, end.1 + 18.0 * inward.1);
            self.canvas.text(at, 9.0, "middle strong", "token");
        }
    }

    /// Draws an X over all lines.
    pub fn cross(&mut self, (x, y): Pixel) {
        let [left, right, top, bottom] = [x - 4.5, x + 4.5, y - 4.5, y + 4.5].map(number);
        let cross = format!("M{left},{top}L{right},{bottom}M{left},{bottom}L{right},{top}");
        for (colour, width) in [("#fff", 5.0), (BLOCKED, 2.6)] {
            let style = format!("stroke: {colour}; stroke-width: {width}; stroke-linecap: round");
            self.crosses.empty("path", &[("d", &cross), ("style", &style)]);
        }
    }

    /// Draws the number of a row of the table at the place at which its worm waits.
    fn badge(&mut self, row: usize, member: &Member) {
        let Some(n) = self.number_of(member.worm) else { return };
        let place = (member.switch, member.lane);
        let before = self.badges.entry(place).or_insert(0);
        let shift = f64::from(*before) * 2.0 * BADGE;
        *before += 1;
        let (port, inward) =
            (self.wires.in_port(place), self.wires.inward(place.0, PortId(self.wires.lanes.inputs.port(place.1))));
        let beside = (-inward.1, inward.0);
        let back = BADGE + 4.0 + shift;
        let middle =
            (port.0 - back * inward.0 - (BADGE + 3.0) * beside.0, port.1 - back * inward.1 - (BADGE + 3.0) * beside.1);
        disc(&mut self.canvas, middle, row, colour(n));
    }

    /// Draws an arrow into the FIFO at the end of a lane, or a ring around the node.
    pub fn arrive(&mut self, lane: LaneRef, wire: &[Pixel], colour: &str) {
        let (Some(&tip), Some(end)) = (wire.last(), self.wires.end(lane)) else { return };
        match end {
            End::Switch(far, port) => {
                let (x, y) = self.wires.inward(far, port);
                let back = (tip.0 - 9.0 * x, tip.1 - 9.0 * y);
                let (left, right) = ((back.0 - 5.0 * y, back.1 + 5.0 * x), (back.0 + 5.0 * y, back.1 - 5.0 * x));
                let head = path(&[tip, left, right]) + "Z";
                let style = format!("fill: {colour}; stroke: {colour}");
                self.canvas.marks.empty("path", &[("d", &head), ("style", &style)]);
            }
            End::Node(node) => {
                let (middle, radius) = self.wires.node(node, true);
                let radius = radius + 3.0 * f64::from(self.wires.lanes.outputs.within(lane.lane));
                let style = format!("fill: none; stroke: {colour}; stroke-width: 3");
                self.canvas.marks.circle(middle, radius, &[("style", &style)]);
            }
        }
    }

    /// The route through a switch, around its name.
    pub fn through(&self, input: (SwitchId, u8), lane: LaneRef) -> Vec<Pixel> {
        let from = self.wires.in_port(input);
        let to = self.wires.wire(lane).first().copied().unwrap_or(from);
        match &self.wires.plan {
            Floorplan::Lattice(lattice) => bent(from, lattice.place(input.0.0), to),
            Floorplan::Graph(graph) => bent(from, graph.place(input.0), to),
            Floorplan::Stages(stages) => {
                let third = (stages.width / 4.0).copysign(to.0 - from.0);
                if (from.0 - to.0).abs() < 1.0 {
                    // The worm turns.
                    let deep = if self.wires.is_right(PortId(self.wires.lanes.inputs.port(input.1)), false) {
                        -1.0
                    } else {
                        1.0
                    };
                    let x = from.0 + deep * stages.width / 3.0;
                    return vec![from, (x, from.1), (x, to.1), to];
                }
                vec![from, (from.0 + third, from.1), (to.0 - third, to.1), to]
            }
        }
    }
}

/// A line from one point to another, around and below the middle of their switch.
fn bent(from: Pixel, middle: Pixel, to: Pixel) -> Vec<Pixel> {
    let bend = |p: Pixel| (f64::midpoint(p.0, middle.0), f64::midpoint(p.1, middle.1) + 7.0);
    vec![from, bend(from), bend(to), to]
}

/// The switches of the cycle's members and of the further members, which a view shows.
#[must_use]
pub fn switches(deadlock: &Deadlock) -> BTreeSet<SwitchId> {
    let members = deadlock.cycle.iter().chain(&deadlock.also);
    members.flat_map(|m| m.holds.iter().map(|lane| lane.switch).chain([m.switch])).collect()
}
