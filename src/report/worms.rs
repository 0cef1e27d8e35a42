//! The worms of a plan, drawn over their network. The colour shows the step. Worms on the same link
//! are side by side.

use std::collections::BTreeMap;

use wormscope_hw::{NodeId, PortId, SwitchId};

use super::canvas::{COLOURS, Canvas, shade};
use super::svg::{Attributes, Pixel, at, number};

/// Colour of nodes that have the message from the beginning.
const SOURCE: &str = "#1d2433";
/// Two worms of one step on one channel.
const CONTENTION: &str = "#c1121f";
/// Colours from dark to light, for plans with many steps.
const RAMP: [[f64; 3]; 4] = [[68., 1., 84.], [49., 104., 142.], [53., 183., 121.], [222., 200., 40.]];
/// Distance of worms side by side, and their largest width together.
const BESIDE: (f64, f64) = (4.4, 18.0);
/// Largest number of steps that the legend names.
const MOST_NAMED: u32 = 16;

/// The channels of a worm.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stroke {
    /// Step of the start-up, which decides the colour.
    pub step: u32,
    /// Node that sends.
    pub from: NodeId,
    /// Nodes that receive.
    pub to: Vec<NodeId>,
    /// Channels between switches, and to the nodes.
    pub channels: Vec<(SwitchId, PortId)>,
}

/// A link as it is drawn, and the direction that a worm takes along it.
pub(super) struct Way {
    /// Path of the link, the same in both directions.
    pub path: String,
    /// Unit vector across the link.
    pub across: Pixel,
    /// Whether the worm goes from the path's begin to its end.
    pub forward: bool,
}

/// Worms on a link by step: how many go from its begin to its end, and how many back.
type Users = BTreeMap<u32, [u32; 2]>;

/// Draws worms, and the legend of their colours. `channel` is the way along a channel between
/// switches. `node` is the way between a node and its switch (true: to the node), with the node's
/// middle and radius.
pub(super) fn draw(
    canvas: &mut Canvas,
    worms: &[Stroke],
    channel: impl Fn(SwitchId, PortId) -> Option<Way>,
    node: impl Fn(NodeId, bool) -> (Way, Pixel, f64),
) {
    let steps = worms.iter().map(|worm| worm.step + 1).max().unwrap_or(0);
    let mut links: BTreeMap<String, (Pixel, bool, Users)> = BTreeMap::new();
    let mut add = |Way { path, across, forward }: Way, step: u32, is_channel: bool| {
        let (.., users) = links.entry(path).or_insert_with(|| (across, is_channel, Users::new()));
        users.entry(step).or_default()[usize::from(!forward)] += 1;
    };
    // Rings mark the nodes that have the message from the beginning, and the nodes that get it, by
    // step.
    let mut rings: BTreeMap<(NodeId, bool), Option<u32>> = BTreeMap::new();
    for worm in worms {
        if !rings.contains_key(&(worm.from, true)) {
            rings.entry((worm.from, false)).or_insert(None);
        }
        for &(switch, port) in &worm.channels {
            if let Some(way) = channel(switch, port) {
                add(way, worm.step, true);
            }
        }
        add(node(worm.from, false).0, worm.step, false);
        for &to in &worm.to {
            add(node(to, true).0, worm.step, false);
            if !rings.contains_key(&(to, false)) {
                rings.insert((to, true), Some(worm.step));
            }
        }
    }
    for (path, (across, is_channel, users)) in &links {
        link(canvas, path, *across, *is_channel, users, steps);
    }
    for ((of, is_receiver), step) in rings {
        let (_, middle, radius) = node(of, is_receiver);
        canvas.ring(middle, radius, &step.map_or(SOURCE.to_owned(), |step| colour(step, steps)));
    }
    let contends =
        links.values().any(|(_, is_channel, users)| *is_channel && users.values().any(|n| n[0].max(n[1]) > 1));
    legend(canvas, steps, contends);
}

/// The worms on one link.
fn link(canvas: &mut Canvas, path: &str, across: Pixel, is_channel: bool, users: &Users, steps: u32) {
    let between = BESIDE.0.min(BESIDE.1 / users.len() as f64);
    let width = number((0.75 * between).min(3.0));
    for (n, (&step, &[there, back])) in users.iter().enumerate() {
        let aside = between * (n as f64 - (users.len() - 1) as f64 / 2.0);
        let shift = format!("translate({})", at((aside * across.0, aside * across.1)));
        if is_channel && there.max(back) > 1 {
            let halo = format!("stroke: {CONTENTION}; stroke-width: 8; opacity: 0.45");
            canvas.worms.empty("path", &[("d", &path), ("style", &halo), ("transform", &shift)]);
        }
        let colour = colour(step, steps);
        let head = |there: u32, end: &str| {
            if is_channel && there > 0 { format!("; marker-{end}: url(#{})", arrow(&colour)) } else { String::new() }
        };
        let (heads, tails) = (head(there, "end"), head(back, "start"));
        let style = format!("stroke: {colour}; stroke-width: {width}{heads}{tails}");
        canvas.worms.empty("path", &[("d", &path), ("style", &style), ("transform", &shift)]);
    }
}

/// The meaning of the colours, in lines no wider than the picture.
fn legend(canvas: &mut Canvas, steps: u32, contends: bool) {
    let mut entries = vec![("source".to_owned(), SOURCE.to_owned())];
    let named = steps.min(MOST_NAMED);
    for n in 0..named {
        // The legend has the first step, the last, and some between them.
        let step = if steps <= MOST_NAMED { n } else { n * (steps - 1) / (named - 1) };
        entries.push((format!("step {step}"), colour(step, steps)));
    }
    if contends {
        entries.push(("2 worms of a step".to_owned(), CONTENTION.to_owned()));
    }
    for step in 0..steps {
        let colour = colour(step, steps);
        let head = format!("fill: {colour}; stroke: none");
        let shape: Attributes = &[
            ("id", &arrow(&colour)),
            ("viewBox", &"0 0 8 8"),
            ("refX", &7),
            ("refY", &4),
            ("markerWidth", &9),
            ("markerHeight", &9),
            ("markerUnits", &"userSpaceOnUse"),
            ("orient", &"auto-start-reverse"),
        ];
        canvas.worms.around("marker", shape, |marker| {
            marker.empty("path", &[("d", &"M0,0L8,4L0,8z"), ("style", &head)]);
        });
    }
    let (left, right) = (canvas.least.0, canvas.most.0);
    let (mut x, mut y) = (left, canvas.most.1 + 26.0);
    for (name, colour) in entries {
        let width = 7.2 * name.len() as f64;
        if x > left && x + width > right {
            (x, y) = (left, y + 26.0);
        }
        canvas.key((x, y), width, &name, &colour);
        x += width + 18.0;
    }
}

/// Name of the arrow head of a colour.
fn arrow(colour: &str) -> String {
    format!("to{}", &colour[1..])
}

/// The colour of a step, in a plan of `steps` steps.
fn colour(step: u32, steps: u32) -> String {
    if steps as usize <= COLOURS.len() {
        return COLOURS[step as usize].to_owned();
    }
    shade(&RAMP, f64::from(step) / f64::from(steps - 1))
}
