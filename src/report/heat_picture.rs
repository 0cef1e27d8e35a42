//! The utilisation of every channel as a picture of the network: the darker and the thicker, the
//! busier.

use wormscope_hw::{PortId, SwitchId};

use super::Report;
use super::canvas::{Canvas, shade};
use super::heat::{Carried, Counted, PhysicalChannel};
use super::picture::{Floorplan, TooLarge};
use super::svg::{Pixel, number, path};
use super::wires::{Wires, aside, rounded, towards};
use crate::engine::snapshot::LaneRef;
use crate::network::{End, Lanes, Wiring};
use crate::quote;

/// From idle to busy: magma, whose lightness falls all the way, for the colour-blind and for print.
const RAMP: [[f64; 3]; 9] = [
    [252., 253., 191.],
    [254., 194., 135.],
    [251., 136., 97.],
    [230., 81., 100.],
    [182., 54., 121.],
    [130., 38., 129.],
    [81., 18., 124.],
    [29., 17., 71.],
    [0., 0., 4.],
];
/// Colour of the edges, which make idle channels visible.
const EDGE: &str = "#8a93a8";
/// Further room between the routers of a grid.
const ROOM: f64 = 18.0;
/// Largest width of a channel.
const WIDTH: f64 = 6.0;
/// From line to line of the legend.
const LINE: f64 = 17.0;
/// The scale in the legend.
const SCALE: Pixel = (240.0, 12.0);

/// Draws the flits of the channels of a network in a run.
///
/// # Errors
/// When the picture is too large to read.
pub fn draw(wiring: &Wiring, counted: &Counted, report: &Report) -> Result<String, TooLarge> {
    let plan = Floorplan::with_room(wiring, ROOM)?;
    let width = match &plan {
        Floorplan::Lattice(_) | Floorplan::Graph(_) => WIDTH,
        Floorplan::Stages(stages) => (0.3 * stages.pitch).min(WIDTH),
    };
    // All lanes of a port are drawn as one. It lies 0.7 of their distance to the right.
    let wires = Wires { plan, wiring, lanes: Lanes::new(wiring, 1, 1, 1), beside: 0.65 * width / 0.7 };
    let mut canvas = Canvas::default();
    wires.plan.draw(&mut canvas, wiring);
    canvas.clear_wires();
    let most = counted.channels.iter().map(|of| of.utilisation).fold(0.0, f64::max);
    let top = round_up(most);
    let mut channels: Vec<&Carried> = counted.channels.iter().collect();
    // The busiest channel is on top.
    channels.sort_by(|a, b| a.utilisation.total_cmp(&b.utilisation));
    for of in channels {
        band(&mut canvas, &course(&wires, of.channel), width, of.utilisation / top, &told(&wires, of));
    }
    legend(&mut canvas, &wires, counted, report, top);
    let title = format!("Utilisation of links: {}", report.network);
    Ok(canvas.finish(&title))
}

/// The least of 1, 2 and 5 times a power of ten that is no less.
fn round_up(most: f64) -> f64 {
    if most <= 0.0 {
        return 1.0;
    }
    let power = 10_f64.powf(most.log10().floor());
    [1.0, 2.0, 5.0].map(|n| n * power).into_iter().find(|&top| top >= most).unwrap_or(10.0 * power)
}

/// Course of a channel, on the right of its link.
fn course(wires: &Wires, channel: PhysicalChannel) -> Vec<Pixel> {
    let (points, is_shared) = match channel {
        PhysicalChannel::Output(switch, port, End::Switch(..)) => (wires.wire(lane(wires, switch, port)), false),
        PhysicalChannel::Output(switch, port, End::Node(_)) => (wires.wire(lane(wires, switch, port)), true),
        PhysicalChannel::Injection(node) => {
            let (switch, port) = wires.wiring.injection(node);
            let (middle, radius) = wires.node(node, false);
            let to = wires.port(switch, port, false);
            (vec![towards(middle, to, radius), to], true)
        }
    };
    match points[..] {
        [from, to] if is_shared => {
            let length = (to.0 - from.0).hypot(to.1 - from.1).max(1.0);
            let direction = ((to.0 - from.0) / length, (to.1 - from.1) / length);
            [from, to].map(|point| aside(point, direction, wires.aside(0, 1))).to_vec()
        }
        _ => points,
    }
}

fn lane(wires: &Wires, switch: SwitchId, port: PortId) -> LaneRef {
    LaneRef { switch, lane: wires.lanes.outputs.first(port.0) }
}

/// Text about a channel.
fn told(wires: &Wires, of: &Carried) -> String {
    let links = if of.links > 1 { format!(" on each of {} links", of.links) } else { String::new() };
    let name = name(wires, of.channel);
    format!("{name}: {} flits/cycle{links}, {} flits", digits(of.utilisation), of.flits)
}

fn name(wires: &Wires, channel: PhysicalChannel) -> String {
    let (from, to) = match channel {
        PhysicalChannel::Output(switch, port, end) => {
            let out = wires.lanes.output_name(wires.lanes.outputs.first(port.0));
            let to = match end {
                End::Switch(far, _) => wires.wiring.switch_name(far),
                End::Node(node) => format!("n{node}"),
            };
            (format!("{}.{out}", wires.wiring.switch_name(switch)), to)
        }
        PhysicalChannel::Injection(node) => {
            (format!("node{node}.inj"), wires.wiring.switch_name(wires.wiring.injection(node).0))
        }
    };
    format!("{from} to {to}")
}

/// A number with four digits, also if it is small.
fn digits(value: f64) -> String {
    format!("{value:.3e}").parse().unwrap_or(value).to_string()
}

/// A channel along its corners, with an arrow at its end. `heat` is from 0 to 1.
fn band(canvas: &mut Canvas, points: &[Pixel], width: f64, heat: f64, title: &str) {
    let [.., before, end] = points[..] else { return };
    for &point in points {
        canvas.reach(point);
    }
    let length = (end.0 - before.0).hypot(end.1 - before.1).max(0.1);
    let along = ((end.0 - before.0) / length, (end.1 - before.1) / length);
    let (half, back) = (width / 2.0, towards(end, before, (1.1 * width).min(0.9 * length)));
    let tip = path(&[aside(back, along, half), end, aside(back, along, -half)]) + "Z";
    let course = rounded(&[&points[..points.len() - 1], &[back]].concat());
    let colour = shade(&RAMP, heat);
    let drawn = width * (0.35 + 0.65 * heat);
    let (drawn, edge) = (number(drawn), number(drawn + 1.2));
    canvas.worms.around("g", &[], |band| {
        band.text("title", &[], title);
        let mut path = |course: &str, style: String| band.empty("path", &[("d", &course), ("style", &style)]);
        path(&tip, format!("fill: {colour}; stroke: {EDGE}; stroke-width: 1.2"));
        path(&course, format!("stroke: {EDGE}; stroke-width: {edge}"));
        path(&course, format!("stroke: {colour}; stroke-width: {drawn}"));
    });
}

/// The meaning of the colours, and the run of the picture.
fn legend(canvas: &mut Canvas, wires: &Wires, counted: &Counted, report: &Report, top: f64) {
    let (left, mut y) = (canvas.least.0, canvas.most.1 + 34.0);
    canvas.text((left, y), 12.0, "left strong", "flits per cycle and link");
    y += 14.0;
    canvas.worms.around("linearGradient", &[("id", &"heat")], |gradient| {
        for i in 0..RAMP.len() {
            let at = i as f64 / (RAMP.len() - 1) as f64;
            gradient.empty("stop", &[("offset", &at), ("stop-color", &shade(&RAMP, at))]);
        }
    });
    canvas.reach((left + SCALE.0, y + SCALE.1));
    canvas.worms.rect((left, y), SCALE, &[("style", &format!("fill: url(#heat); stroke: {EDGE}"))]);
    y += SCALE.1 + 10.0;
    for quarter in 0..=4 {
        let part = f64::from(quarter) / 4.0;
        canvas.text((left + part * SCALE.0, y), 10.0, "middle", &digits(part * top));
    }
    y += 1.4 * LINE;
    for line in notes(wires, counted, report) {
        canvas.text((left, y), 10.0, "left faint", &line);
        y += LINE;
    }
}

fn notes(wires: &Wires, counted: &Counted, report: &Report) -> Vec<String> {
    let (mean, most) = counted.links();
    let most = most.map(|of| format!(", most {} from {}", digits(of.utilisation), name(wires, of.channel)));
    let last = counted.cycles.end.saturating_sub(1);
    let window = if counted.is_window { "the measured window" } else { "the whole run, which ended before its window" };
    let load = report.load.map(|load| {
        format!("offered {}, accepted {} flits per node and cycle; ", digits(load.offered), digits(load.accepted))
    });
    vec![
        "traffic keeps to the right, tips show where it goes; the darker and the thicker, the busier".to_owned(),
        format!(
            "mean {}{}; cycles {} to {last}, {window}",
            digits(mean),
            most.unwrap_or_default(),
            counted.cycles.start
        ),
        format!("{}seed {}", load.unwrap_or_default(), report.seed),
        format!(
            "{}, config {}; wormscope {}",
            quote::name(&report.experiment),
            report.config_hash,
            report.tool_version
        ),
    ]
}

#[cfg(all(test, feature = "png"))]
mod tests {
    use super::*;
    use crate::report::heat::tests::watched;
    use crate::report::png::png;

    fn drawn(name: &str, topology: &str) -> (Counted, String) {
        let text = format!(
            "(network: (topology: {topology}), workload: [traffic(load: 0.1, payload_flits: 7)], \
             run: (warmup_cycles: 50, measure_cycles: 200))"
        );
        let (wiring, counted, report) = watched(name, &text);
        let picture = draw(&wiring, &counted, &report).expect("a picture");
        (counted, picture)
    }

    #[test]
    fn every_channel_is_drawn_once_and_says_what_it_carries() {
        for topology in [
            "linear(nodes: 2)",
            "mesh(radices: [4, 3])",
            "torus(radices: [4, 4]), switch: (virtual_channels: 2)",
            "torus(radices: [3, 3, 3]), switch: (virtual_channels: 2)",
            "mesh(radices: [2, 2, 2, 2])",
            "uni_min(kind: omega, switch_ports: 4, stages: 2)",
            "bi_min(switch_ports: 4, stages: 2), switch: (dilation: 2), node: (consumption_channels: 4)",
        ] {
            let (counted, picture) = drawn("x.ron", topology);
            let titles: Vec<&str> =
                picture.split("<title>").skip(1).filter_map(|rest| rest.split("</title>").next()).collect();
            assert_eq!(titles.len(), counted.channels.len(), "{topology}");
            let mut flits: Vec<u64> =
                titles.iter().map(|title| title.rsplit(' ').nth(1).unwrap().parse().unwrap()).collect();
            let mut expected: Vec<u64> = counted.channels.iter().map(|of| of.flits).collect();
            flits.sort_unstable();
            expected.sort_unstable();
            assert_eq!(flits, expected, "{topology}");
            assert!(expected.last().is_some_and(|&most| most > 0));
            // Each channel has its own place.
            let mut paths: Vec<&str> = picture.split("<path d=\"").skip(1).step_by(3).collect();
            paths = paths.into_iter().filter_map(|rest| rest.split('"').next()).collect();
            paths.sort_unstable();
            paths.dedup();
            assert_eq!(paths.len(), titles.len(), "{topology}");
            assert!(png(&picture).is_ok(), "{topology}");
        }
    }

    #[test]
    fn texts_of_the_user_are_no_markup() {
        let (_, picture) = drawn("a<b> & c.ron", "linear(nodes: 2)");
        assert!(picture.contains(">a&lt;b&gt; &amp; c.ron, config "), "{picture}");
        assert!(png(&picture).is_ok());
    }

    #[test]
    fn colours_get_darker_all_the_way() {
        let lightness = |at: f64| {
            let hex = u32::from_str_radix(&shade(&RAMP, at)[1..], 16).unwrap();
            let part = |shift: u32| f64::from(hex >> shift & 255);
            0.2126 * part(16) + 0.7152 * part(8) + 0.0722 * part(0)
        };
        for i in 0..32 {
            assert!(lightness(f64::from(i) / 32.0) > lightness(f64::from(i + 1) / 32.0), "{i}");
        }
    }

    #[test]
    fn the_scale_ends_at_a_round_number() {
        let rounded = [0.0, 0.000_03, 0.003, 0.11, 0.2, 0.21, 0.51, 1.0].map(|most| digits(round_up(most)));
        assert_eq!(rounded, ["1", "0.00005", "0.005", "0.2", "0.2", "0.5", "1", "1"]);
    }
}
