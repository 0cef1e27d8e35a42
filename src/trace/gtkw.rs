//! Saved views for `GTKWave`: which signals, in which order, with which names and colours.
//!
//! A view follows one worm hop by hop, or shows the lanes that multicasts passed, switch by switch.
//! Every signal comes from the [`Layout`], because a viewer silently skips names it does not find.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use wormscope_hw::{PortId, SwitchId, bits};

use super::Window;
use super::chronicle::{Chronicle, Lane};
use super::follow::{self, Doing, Follow, Hop};
use super::labels::{self, Label};
use super::layout::{Layout, far_end, ranged};
use super::view::{Circle, Failures, NAME_WIDTH, Stop};
use crate::network::Wiring;

/// Rows of a view that are open at first; more groups start closed.
const OPEN_ROWS: usize = 60;
/// Rows of a view without a followed worm.
const MAX_ROWS: usize = 200;
/// Hops of a worm that are indented one by one; deeper ones are numbered.
const MOST_INDENTED: u32 = 6;
/// Window of the viewer, and what is left of its width for waves, in pixels.
const SIZE: (u32, u32) = (1600, 1000);
const WAVE_WIDTH: f64 = 1050.0;

/// What a view is made from.
pub struct View<'a> {
    /// The dump's file.
    pub dump: &'a Path,
    /// The network.
    pub wiring: &'a Wiring,
    /// Its signals.
    pub layout: &'a Layout,
    /// The worm that is followed.
    pub follow: Option<&'a Follow>,
    /// The deadlock that is shown first; instead, where it was prepared for.
    pub circle: Option<&'a Circle>,
    /// The failures, whose signals are shown first, and whose worms where there is no deadlock.
    pub failures: Option<&'a Failures>,
    /// Values that the branch signals took.
    pub branches: &'a BTreeSet<Doing>,
    /// The story of the run.
    pub chronicle: &'a Chronicle,
    /// Cycles of the dump; `end` is that of the run when it came first.
    pub window: Window,
    /// Cycle from which a deadlock was final.
    pub deadlock: Option<u64>,
}

/// Translate files and saved view of a dump, with their paths beside it.
#[must_use]
pub fn files(view: &View) -> Vec<(PathBuf, String)> {
    let ports = labels::ports(view.wiring);
    let mut files: Vec<(PathBuf, String)> = Label::ALL
        .into_iter()
        .filter_map(|label| {
            let text = match label {
                Label::State => Some(labels::states()),
                Label::Worm => Some(labels::worms(view.chronicle.worms())),
                Label::Flit => Some(labels::flits()),
                Label::Encoding => Some(labels::encodings()),
                Label::Owner => Some(labels::owners(view.layout.lanes())),
                Label::Ports => ports.clone(),
                Label::Branch => {
                    let several = view.circle.is_some_and(|circle| circle.prepared) || view.failures.is_some();
                    let worm = view.follow.map(|f| &f.worm).filter(|_| !several);
                    (several || worm.is_some()).then(|| labels::branches(worm, view.branches))
                }
            };
            Some((view.dump.with_file_name(file_name(view.dump, label)), text?))
        })
        .collect();
    files.push((view.dump.with_extension("gtkw"), save_file(view)));
    files
}

/// Every file that may be written beside a dump; beside standard output or a pipe without a name
/// there is none.
#[must_use]
pub fn companions(dump: &Path) -> Vec<PathBuf> {
    if dump.extension().is_none() {
        return Vec::new();
    }
    let labels = Label::ALL.into_iter().map(|label| dump.with_file_name(file_name(dump, label)));
    labels.chain([dump.with_extension("gtkw")]).collect()
}

fn file_name(dump: &Path, label: Label) -> String {
    format!("{}.{}.txt", dump.file_stem().unwrap_or_default().display(), label.name())
}

/// The text of the saved view.
#[must_use]
pub(crate) fn save_file(view: &View) -> String {
    let mut save = Save { view, text: String::new(), rows: 0 };
    save.head();
    if let Some(failures) = view.failures {
        save.signals(failures);
    }
    match (view.circle, view.failures, view.follow) {
        (Some(circle), _, follow) => {
            save.circle(circle);
            follow.filter(|_| !circle.prepared).into_iter().for_each(|follow| save.follow(follow));
        }
        (_, Some(Failures { follows, .. }), _) if !follows.is_empty() => follows.iter().for_each(|of| save.follow(of)),
        (_, None, Some(follow)) => save.follow(follow),
        _ => save.switches(),
    }
    save.text
}

/// How a row is drawn; the numbers are the viewer's.
#[derive(Clone, Copy)]
enum Style {
    /// Named by a translate file.
    Named(Label),
    Decimal,
    Bits,
    /// Steps over the range of values seen.
    Steps,
}

/// Colours of wave traces, as the viewer numbers them.
#[derive(Clone, Copy)]
enum Colour {
    Orange = 2,
    Yellow = 3,
    Green = 4,
    Blue = 5,
    Violet = 7,
}

struct Save<'a> {
    view: &'a View<'a>,
    text: String,
    rows: usize,
}

impl Save<'_> {
    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn comment(&mut self, text: &str) {
        for line in wrapped(text) {
            self.line("@200");
            self.line(&format!("-{line}"));
            self.rows += 1;
        }
    }

    /// A group of rows; beyond [`OPEN_ROWS`] it starts closed.
    fn group(&mut self, name: &str, rows: impl FnOnce(&mut Self)) {
        let open = self.rows < OPEN_ROWS;
        self.line(if open { "@800200" } else { "@c00200" });
        self.line(&format!("-{name}"));
        self.rows += 1;
        rows(self);
        self.line(if open { "@1000200" } else { "@1401200" });
        self.line("-");
    }

    fn row(&mut self, style: Style, colour: Colour, alias: &str, signal: Option<String>) {
        let Some(signal) = signal else { return };
        let label = match style {
            Style::Named(Label::Ports) if labels::ports(self.view.wiring).is_none() => None,
            Style::Named(label) => Some(label),
            _ => None,
        };
        self.line(match (style, label) {
            (_, Some(_)) => "@2024",
            (Style::Named(_) | Style::Bits, None) => "@28",
            (Style::Decimal, None) => "@24",
            (Style::Steps, None) => "@88024",
        });
        if let Some(label) = label {
            let number = label as usize + 1;
            self.line(&format!("^{number} {}", file_name(self.view.dump, label)));
        }
        self.line(&format!("[color] {}", colour as u8));
        self.line(&if alias.is_empty() { signal } else { format!("+{{{alias}}} {signal}") });
        self.rows += 1;
        if matches!(style, Style::Steps) {
            self.line("@20000");
            self.line("-");
            self.rows += 1;
        }
    }

    fn head(&mut self) {
        let name = |path: &Path| path.file_name().unwrap_or_default().display().to_string();
        let dump = name(self.view.dump);
        let save = name(&self.view.dump.with_extension("gtkw"));
        // The same made-up directory for both makes the pair movable.
        let (from, to) = self.fit();
        let span = to.saturating_sub(from).max(1) as f64;
        // The viewer rounds the cycles on 200 pixels down to a whole number.
        let zoom = -libm::log2((200.0 * span / WAVE_WIDTH).ceil() + 0.01);
        let chronicle = self.view.chronicle;
        let arrived_twice = chronicle.last_arrival.filter(|l| chronicle.first_arrival != Some(*l));
        let arrival = if arrived_twice.is_some() { "first arrival" } else { "arrival" };
        let of_worm = [
            ("injected", chronicle.injected),
            (arrival, chronicle.first_arrival),
            ("last arrival", arrived_twice),
            ("deadlock", self.view.deadlock),
        ];
        let given = self.view.failures.map(|failures| &failures.marks).or(self.view.circle.map(|circle| &circle.marks));
        let marks: Vec<(&str, Option<u64>)> = match given {
            Some(marks) => marks.iter().map(|(name, at)| (name.as_str(), Some(*at))).collect(),
            None => of_worm.to_vec(),
        };
        let shown = |at: &Option<u64>| at.filter(|t| (self.view.window.start..=self.view.window.end).contains(t));
        let mut text = format!("[dumpfile] \"/waves/{dump}\"\n[savefile] \"/waves/{save}\"\n[timestart] {from}\n");
        let (width, height) = SIZE;
        let _ = write!(text, "[size] {width} {height}\n[pos] -1 -1\n*{zoom:.6} -1");
        for (_, at) in &marks {
            let _ = match shown(at) {
                Some(at) => write!(text, " {at}"),
                None => write!(text, " -1"),
            };
        }
        text.push('\n');
        for ((name, at), letter) in marks.iter().zip('A'..) {
            if shown(at).is_some() {
                let _ = writeln!(text, "[markername] {letter}{letter} {name}");
            }
        }
        text.push_str("[treeopen] top.\n[sst_width] 0\n[signals_width] 330\n[sst_expanded] 0\n");
        self.text = text;
    }

    /// Cycles to zoom to: the life of the worm in the title with some air, or all.
    fn fit(&self) -> (u64, u64) {
        let Window { start, end } = self.view.window;
        if let Some(circle) = self.view.circle {
            return (circle.from.max(start), end);
        }
        let Some(injected) = self.view.chronicle.injected.filter(|_| self.view.failures.is_none()) else {
            return (start, end);
        };
        let last = self.view.chronicle.last_arrival.or(self.view.deadlock).unwrap_or(end);
        let air = last.saturating_sub(injected) / 12 + 2;
        (injected.saturating_sub(air).max(start), (last + air).min(end))
    }

    /// The rows of one worm: its title, then hop after hop in tree order.
    fn follow(&mut self, follow: &Follow) {
        let worm = &follow.worm;
        self.comment(&labels::title(worm));
        self.row(Style::Decimal, Colour::Green, "", Some(ranged("top.cycle", 64)));
        for (at, hop) in follow.hops.iter().enumerate() {
            let indent = "  ".repeat(hop.depth.min(MOST_INDENTED) as usize);
            let depth = if hop.depth > MOST_INDENTED { format!("{}: ", hop.depth) } else { String::new() };
            let switch = self.view.wiring.switch_name(hop.switch);
            let input = self.view.layout.lanes().input_name(hop.lane);
            let from = hop.from.map_or_else(|| format!("n{}", worm.source), |from| self.view.wiring.switch_name(from));
            let turns = if self.turns(hop) { ", turns" } else { "" };
            self.group(&format!("{indent}{depth}{switch}.{input} from {from}{turns}"), |save| {
                save.hop(follow, at, hop);
            });
        }
    }

    /// The signals of failures, with their paths: a viewer shows the last name alone.
    fn signals(&mut self, failures: &Failures) {
        if failures.signals.is_empty() {
            return;
        }
        self.group("failure", |save| {
            for signal in &failures.signals {
                let (style, colour) = style_of(signal);
                let path = signal.strip_prefix("top.").unwrap_or(signal).split('[').next().unwrap_or_default();
                save.row(style, colour, &path.replace('.', " "), Some(signal.clone()));
            }
        });
    }

    /// The rows of a deadlock: worm after worm in the order of its cycle, where it waits and what
    /// it holds.
    fn circle(&mut self, circle: &Circle) {
        self.comment(&circle.title);
        self.row(Style::Decimal, Colour::Green, "", Some(ranged("top.cycle", 64)));
        for stop in &circle.stops {
            self.group(&stop.title, |save| save.stop(circle, stop));
        }
    }

    fn stop(&mut self, circle: &Circle, stop: &Stop) {
        let View { wiring, layout, .. } = *self.view;
        let (follow, at) = (&circle.follows[stop.hop.0], stop.hop.1);
        let hop = &follow.hops[at];
        let input = |field| layout.input_signal(wiring, hop.switch, hop.lane, field);
        if let Some(journey) = &stop.journey {
            self.comment(journey);
        }
        self.row(Style::Named(Label::State), Colour::Green, "state", input(1));
        if let Some(switch) = stop.station {
            self.station(switch);
        }
        if circle.prepared {
            self.branches(follow, at, hop);
        } else {
            self.row(Style::Named(Label::Ports), Colour::Blue, "branches", input(5));
            self.row(Style::Named(Label::Ports), Colour::Violet, "taken", input(6));
            for lane in &stop.wants {
                let name = format!("wants {}", dashed(&layout.lanes().output_name(lane.lane)));
                let signal = |field| layout.output_signal(wiring, lane.switch, lane.lane, field);
                self.row(Style::Named(Label::Owner), Colour::Blue, &format!("{name} owner"), signal(0));
                self.row(Style::Decimal, Colour::Violet, &format!("{name} credits"), signal(1));
            }
        }
        self.row(Style::Steps, Colour::Orange, "fifo_count", input(0));
        for lane in &stop.holds {
            let (switch, name) = (wiring.switch_name(lane.switch), dashed(&layout.lanes().output_name(lane.lane)));
            let signal = |field| layout.output_signal(wiring, lane.switch, lane.lane, field);
            let name = format!("holds {switch} {name}");
            self.row(Style::Named(Label::Owner), Colour::Blue, &format!("{name} owner"), signal(0));
            self.row(Style::Named(Label::Worm), Colour::Yellow, &format!("{name} worm"), signal(4));
            self.row(Style::Decimal, Colour::Violet, &format!("{name} credits"), signal(1));
        }
    }

    /// A row for every branch of a worm at a hop.
    fn branches(&mut self, follow: &Follow, at: usize, hop: &Hop) {
        for port in follow::branch_ports(hop) {
            let alias = format!("out{port} to {}", far_end(self.view.wiring, hop.switch, port));
            let signal = format!("top.{}.{}", follow::scope_name(follow.worm.id), follow::name(at, port));
            self.row(Style::Named(Label::Branch), Colour::Yellow, &alias, Some(ranged(&signal, follow::BITS)));
        }
    }

    /// Whether a worm that came up goes down from here.
    fn turns(&self, hop: &Hop) -> bool {
        let came = self.view.layout.lanes().inputs.port(hop.lane);
        hop.ports != 0 && bits(hop.ports).all(|port| self.view.wiring.turns(PortId(came), PortId(port as u8)))
    }

    fn hop(&mut self, follow: &Follow, at: usize, hop: &Hop) {
        let View { wiring, layout, .. } = *self.view;
        let input = |field| layout.input_signal(wiring, hop.switch, hop.lane, field);
        self.row(Style::Named(Label::State), Colour::Green, "state", input(1));
        if hop.token {
            self.station(hop.switch);
        }
        self.branches(follow, at, hop);
        self.row(Style::Named(Label::Ports), Colour::Blue, "branches", input(5));
        self.row(Style::Named(Label::Ports), Colour::Violet, "taken", input(6));
        self.row(Style::Steps, Colour::Orange, "fifo_count", input(0));
    }

    /// Switch after switch, the lanes that multicasts passed.
    fn switches(&mut self) {
        let title = self.view.chronicle.subject().map_or_else(|| "no worms in this window".to_owned(), labels::title);
        self.comment(&title);
        self.row(Style::Decimal, Colour::Green, "", Some(ranged("top.cycle", 64)));
        let lanes: Vec<Lane> = self.view.chronicle.lanes().collect();
        let mut switches: Vec<SwitchId> = Vec::new();
        for lane in &lanes {
            if !switches.contains(&lane.switch) {
                switches.push(lane.switch);
            }
        }
        for switch in switches {
            if self.rows >= MAX_ROWS {
                break;
            }
            let mut here: Vec<Lane> = lanes.iter().filter(|l| l.switch == switch).copied().collect();
            here.sort_unstable();
            let name = self.view.wiring.switch_name(switch);
            self.group(&name, |save| {
                save.station(switch);
                for lane in here {
                    save.lane(lane);
                }
            });
        }
    }

    /// The switch's station on its token ring, if it has one.
    fn station(&mut self, switch: SwitchId) {
        let View { wiring, layout, .. } = *self.view;
        let signal = |field| layout.station_signal(wiring, switch, field);
        self.row(Style::Bits, Colour::Violet, "token here", signal(0));
        self.row(Style::Named(Label::Owner), Colour::Violet, "token holder", signal(1));
        self.row(Style::Bits, Colour::Violet, "token request", signal(2));
    }

    fn lane(&mut self, Lane { switch, output, number: lane }: Lane) {
        let View { wiring, layout, .. } = *self.view;
        let lanes = layout.lanes();
        if self.rows >= MAX_ROWS {
            return;
        }
        if output {
            let name = format!(
                "{} to {}",
                dashed(&lanes.output_name(lane)),
                self.far(switch, PortId(lanes.outputs.port(lane)))
            );
            let signal = |field| layout.output_signal(wiring, switch, lane, field);
            self.row(Style::Named(Label::Worm), Colour::Yellow, &format!("{name} worm"), signal(4));
            self.row(Style::Named(Label::Flit), Colour::Yellow, &format!("{name} flit"), signal(5));
            self.row(Style::Named(Label::Owner), Colour::Blue, &format!("{name} owner"), signal(0));
        } else {
            let name = dashed(&lanes.input_name(lane));
            let signal = |field| layout.input_signal(wiring, switch, lane, field);
            self.row(Style::Named(Label::State), Colour::Green, &format!("{name} state"), signal(1));
            self.row(Style::Named(Label::Worm), Colour::Yellow, &format!("{name} worm"), signal(2));
            self.row(Style::Named(Label::Ports), Colour::Blue, &format!("{name} branches"), signal(5));
            self.row(Style::Steps, Colour::Orange, &format!("{name} fifo_count"), signal(0));
        }
    }

    fn far(&self, switch: SwitchId, port: PortId) -> String {
        far_end(self.view.wiring, switch, port)
    }
}

/// How a signal is drawn, by its field.
fn style_of(signal: &str) -> (Style, Colour) {
    let field = signal.rsplit('.').next().unwrap_or_default().split('[').next().unwrap_or_default();
    match field {
        "state" => (Style::Named(Label::State), Colour::Green),
        "worm" => (Style::Named(Label::Worm), Colour::Yellow),
        "flit" => (Style::Named(Label::Flit), Colour::Yellow),
        "enc" => (Style::Named(Label::Encoding), Colour::Yellow),
        "owner" | "holder" => (Style::Named(Label::Owner), Colour::Blue),
        "branches" | "taken" => (Style::Named(Label::Ports), Colour::Blue),
        "data" | "valid" | "here" | "request" => (Style::Bits, Colour::Violet),
        _ => (Style::Decimal, Colour::Violet),
    }
}

/// A text in lines that are no wider than a name may be, broken behind blanks and commas.
fn wrapped(text: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_inclusive([' ', ',']) {
        let last = lines.len() - 1;
        if lines[last].len() + word.trim_end().len() > NAME_WIDTH && !lines[last].trim().is_empty() {
            lines.push(format!("  {word}"));
        } else {
            lines[last].push_str(word);
        }
    }
    lines.iter().map(|line| line.trim_end().to_owned()).collect()
}

/// A lane's name without dots, at which the viewer would cut an alias.
fn dashed(name: &str) -> String {
    name.replace('.', "-")
}

/// Names of all signals in the text of a saved view.
#[must_use]
pub fn signals(save: &str) -> Vec<&str> {
    let name = |line: &'_ str| line.rfind(' ').map_or(0, |blank| blank + 1);
    save.lines().filter(|l| l.starts_with("top.") || l.starts_with("+{")).map(|l| &l[name(l)..]).collect()
}
