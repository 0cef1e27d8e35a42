//! Saved views for `GTKWave`: signals, with their order, names and colours.
//!
//! A view follows one worm hop by hop, or shows the lanes that multicasts passed, switch by switch.
//! Every signal comes from the [`Layout`], because a viewer skips unknown names without a message.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::ops::Range;
use std::path::{Path, PathBuf};

use wormscope_hw::{PortId, PortMask, SwitchId, WormId};

use super::chronicle::{Chronicle, Lane};
use super::follow::{self, Doing, Follow, Hop};
use super::labels::{self, Label};
use super::layout::Layout;
use super::signal::{InputRegister, Instance, OutputRegister, Signal, StationRegister, Type, owner_of};
use super::surfer::{self, Row};
use super::view::{Circle, Failures, NAME_WIDTH, Stop};
use super::{Timescale, marks};
use crate::engine::snapshot::LaneRef;
use crate::network::Wiring;

/// Number of rows of a view that are open at first, for a window of 1280 by 800 pixels. Further
/// groups start closed.
const OPEN_ROWS: usize = 28;
/// Number of rows of one kind that are shown side by side, for groups and held lanes. Further rows
/// are a closed group.
const MANY_ROWS: usize = 20;
const MANY_GROUPS: usize = 12;
/// Number of lines of an account that are shown: the sum, and the first waits.
const MANY_WAITS: usize = 3;
const MANY_HELD: usize = 4;
/// Number of hops of a worm that are indented one by one, by a blank each. The number in front goes
/// on counting.
const MOST_INDENTED: u32 = 8;
/// Smallest number of hops for which the view also shows the whole tree of a worm, one row for each
/// hop, before the hops.
const MANY_HOPS: usize = 8;
/// Size of the viewer's window, and the width for waves next to the longest names, in pixels. A
/// larger window shows more cycles.
const SIZE: (u32, u32) = (1280, 800);
const WAVE_WIDTH: f64 = 720.0;
/// Number of pixels for which the viewer rounds the time down to a whole number.
const ROUNDED: f64 = 200.0;

/// Contents of a view.
pub(crate) struct View<'a> {
    /// The dump's file.
    pub dump: &'a Path,
    /// The network.
    pub wiring: &'a Wiring,
    /// Signals of the dump.
    pub layout: &'a Layout<'a>,
    /// The worms that are followed.
    pub follows: &'a [Follow],
    /// The deadlock, which is shown first. If the run was prepared for the deadlock, the followed
    /// worms have no separate rows.
    pub circle: Option<&'a Circle>,
    /// The failures. Their signals are shown first. Without a deadlock their worms are shown first.
    pub failures: Option<&'a Failures>,
    /// Values of the branch signals.
    pub branches: &'a BTreeSet<Doing>,
    /// The story of the run.
    pub chronicle: &'a Chronicle,
    /// Cycles of the dump. `end` is the end of the run if the run ends first.
    pub window: Range<u64>,
    /// Length of a cycle.
    pub scale: Timescale,
    /// Cycle from which a deadlock was final.
    pub deadlock: Option<u64>,
    /// Value of every signal at the end of the run, by its number. For `data` it may be a place.
    pub shown: &'a [u64],
}

/// Translate files and saved view of a dump, with their paths in the folder of the dump.
#[must_use]
pub(crate) fn files(view: &View) -> Vec<(PathBuf, String)> {
    let names = |label| match label {
        Label::State => Some(labels::states()),
        Label::Worm => Some(labels::worms(view.chronicle.worms())),
        Label::Flit => Some(labels::flits()),
        Label::Encoding => Some(labels::encodings()),
        Label::Owner => Some(labels::owners(view.layout.lanes())),
        Label::Ports => labels::ports(view.wiring),
        Label::Branch => {
            let prepared = view.circle.is_some_and(|circle| circle.prepared);
            let several = prepared || view.failures.is_some() || view.follows.len() > 1;
            let worm = view.follows.first().map(|f| &f.worm).filter(|_| !several);
            (several || worm.is_some()).then(|| labels::branches(worm, view.branches))
        }
    };
    let mut files = Vec::new();
    for label in Label::ALL {
        let Some(names) = names(label) else { continue };
        files.push((view.dump.with_file_name(file_name(view.dump, label)), labels::text(&names)));
        if surfer::MAPPED.contains(&label) {
            let text = labels::mapping(&surfer::format(view.dump, label), bits_of(label, view.wiring), &names);
            files.push((surfer::mapping(view.dump, label), text));
        }
    }
    let save = saved(view);
    files.push((view.dump.with_extension("sucl"), surfer::commands(view.dump, &save.items)));
    files.push((view.dump.with_extension("gtkw"), save.text));
    files
}

/// Every possible companion file of a dump. Standard output and a pipe without a name have no
/// companion files.
#[must_use]
pub fn companions(dump: &Path) -> Vec<PathBuf> {
    if dump.extension().is_none() {
        return Vec::new();
    }
    let labels = Label::ALL.into_iter().map(|label| dump.with_file_name(file_name(dump, label)));
    let mappings = surfer::MAPPED.into_iter().map(|label| surfer::mapping(dump, label));
    labels.chain(mappings).chain(["sucl", "gtkw"].map(|ending| dump.with_extension(ending))).collect()
}

fn file_name(dump: &Path, label: Label) -> String {
    format!("{}.{}.txt", dump.file_stem().unwrap_or_default().display(), label.name())
}

/// Number of bits of the values that a label names.
fn bits_of(label: Label, wiring: &Wiring) -> u32 {
    let values = match label {
        Label::State => Type::State,
        Label::Worm => Type::Worm,
        Label::Flit => Type::Flit,
        Label::Encoding => Type::Encoding,
        Label::Owner => Type::Owner,
        Label::Ports => Type::Ports(wiring.ports()),
        Label::Branch => Type::Doing,
    };
    values.bits()
}

/// The saved view.
fn saved<'a>(view: &'a View) -> Save<'a> {
    let has_port_names = labels::ports(view.wiring).is_some();
    let mut save = Save {
        view,
        has_port_names,
        text: String::new(),
        rows: 0,
        depth: 0,
        is_begun: false,
        is_full: false,
        items: Vec::new(),
        legend: Vec::new(),
        outside: Vec::new(),
    };
    save.head();
    if let Some(failures) = view.failures {
        save.signals(failures);
    }
    match (view.circle, view.failures, view.follows) {
        (Some(circle), _, follows) => {
            save.circle(circle);
            follows.iter().filter(|_| !circle.prepared).for_each(|follow| save.follow(follow));
        }
        (_, Some(Failures { follows, .. }), _) if !follows.is_empty() => follows.iter().for_each(|of| save.follow(of)),
        (_, None, follows) if !follows.is_empty() => follows.iter().for_each(|follow| save.follow(follow)),
        _ => save.switches(),
    }
    save
}

/// Style of a row. The numbers are the numbers of the viewer.
#[derive(Clone, Copy)]
enum Style {
    /// Named by a translate file.
    Named(Label),
    Decimal,
    Bits,
    Hexadecimal,
    /// Steps over the range of the values.
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
    has_port_names: bool,
    text: String,
    /// Number of rows in sight.
    rows: usize,
    /// Number of groups around the next row.
    depth: usize,
    /// Whether a group has come, so that no more groups are open.
    is_begun: bool,
    is_full: bool,
    /// The rows, for other viewers.
    items: Vec<Row>,
    /// Meanings of markers, for a view in which not all names have room.
    legend: Vec<String>,
    /// Markers that are outside the dump.
    outside: Vec<String>,
}

impl Save<'_> {
    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn comment(&mut self, text: &str) {
        for line in wrapped(text) {
            self.line("@200");
            self.line(&titled(&line));
            self.rows += 1;
        }
        self.items.push(Row::Title(text.to_owned()));
    }

    /// A group of rows. It starts closed if its rows do not fit into [`OPEN_ROWS`], and so do the
    /// groups after it. The first group is open, and may have closed groups inside.
    fn group(&mut self, name: &str, rows: impl FnOnce(&mut Self)) {
        let (place, is_first) = (self.text.len(), self.depth == 0 && !self.is_begun);
        self.is_begun = true;
        self.rows += 1;
        self.items.push(Row::Title(name.to_owned()));
        let before = self.rows;
        self.depth += 1;
        rows(self);
        self.depth -= 1;
        let open = is_first || !self.is_full && self.rows <= OPEN_ROWS;
        if !open {
            self.rows = before;
            self.is_full |= self.depth == 0;
        }
        let (begin, end) = if open { ("@800200", "@1000200") } else { ("@c00200", "@1401200") };
        self.text.insert_str(place, &format!("{begin}\n{}\n", titled(name)));
        self.line(end);
        self.line("-");
    }

    /// Rows of like items. If there are more than `many` rows, the further rows are a closed group.
    fn some<T>(&mut self, all: &[T], many: usize, what: &str, mut row: impl FnMut(&mut Self, &T)) {
        let (first, more) = all.split_at(if all.len() > many { many } else { all.len() });
        for of in first {
            row(self, of);
        }
        if !more.is_empty() {
            self.closed(&format!("and {} more {what}", more.len()), |save| more.iter().for_each(|of| row(save, of)));
        }
    }

    /// A group that starts closed, inside another.
    fn closed(&mut self, name: &str, rows: impl FnOnce(&mut Self)) {
        let is_full = std::mem::replace(&mut self.is_full, true);
        self.group(name, rows);
        self.is_full = is_full;
    }

    /// The blocks of an instance, if the dump has them.
    fn blocks(&mut self, name: &str, instance: Instance) {
        let signals: Vec<Signal> = self.view.layout.blocks_of(instance).collect();
        if signals.is_empty() {
            return;
        }
        self.closed(&format!("blocks of {name}"), |save| {
            for signal in signals {
                let path = save.view.layout.path(signal);
                let mut names = path.rsplit('.').take(2).collect::<Vec<_>>();
                names.reverse();
                save.row(&names.join(" "), signal);
            }
        });
    }

    /// The number of the cycle, and the clock if the dump has it.
    fn clock(&mut self) {
        self.row("", Signal::Cycle);
        self.row("clk", Signal::Clock);
    }

    /// A signal, in the style of its type.
    fn row(&mut self, alias: &str, signal: Signal) {
        let (style, colour) = style_of(self.view.layout.type_of(signal));
        self.styled(style, colour, alias, signal);
    }

    /// A signal in another colour.
    fn coloured(&mut self, colour: Colour, alias: &str, signal: Signal) {
        let (style, _) = style_of(self.view.layout.type_of(signal));
        self.styled(style, colour, alias, signal);
    }

    /// A count of flits, as steps over the range of the values.
    fn steps(&mut self, alias: &str, signal: Signal) {
        self.styled(Style::Steps, Colour::Orange, alias, signal);
    }

    fn styled(&mut self, style: Style, colour: Colour, alias: &str, signal: Signal) {
        let layout = self.view.layout;
        let path = layout.path(signal);
        let Some(ranged) = layout.ranged(signal) else { return };
        let label = match style {
            Style::Named(Label::Ports) if !self.has_port_names => None,
            Style::Named(label) => Some(label),
            _ => None,
        };
        let format = match (style, label) {
            (_, Some(label)) if surfer::MAPPED.contains(&label) => surfer::format(self.view.dump, label),
            (Style::Named(_) | Style::Bits, None) => "Binary".to_owned(),
            (Style::Hexadecimal, _) => "Hexadecimal".to_owned(),
            _ => "Unsigned".to_owned(),
        };
        self.items.push(Row::Signal { path, alias: alias.to_owned(), format });
        self.line(match (style, label) {
            (_, Some(_)) => "@2024",
            (Style::Named(_) | Style::Bits, None) => "@28",
            (Style::Decimal, None) => "@24",
            (Style::Hexadecimal, None) => "@22",
            (Style::Steps, None) => "@88024",
        });
        if let Some(label) = label {
            let number = label as usize + 1;
            self.line(&format!("^{number} {}", file_name(self.view.dump, label)));
        }
        self.line(&format!("[color] {}", colour as u8));
        // GTKWave 3.3 shows the names of an FST, without colours, in place of the names in a file.
        let is_fst = self.view.dump.extension() == Some("fst".as_ref());
        let bits = label.filter(|label| is_fst && label.is_enumerated()).and_then(|_| layout.by_bits(signal));
        self.line(&match bits {
            Some(bits) => format!("#{{{alias}}} {bits}"),
            None if alias.is_empty() => ranged,
            None => format!("+{{{alias}}} {ranged}"),
        });
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
        // Both files get the same made-up directory, so the pair can be moved.
        let (from, to) = self.fit();
        // The dump refuses times that it cannot hold. The viewer counts ns, ps or fs.
        let (unit, _) = self.view.scale.parts();
        let time = |cycle: u64| self.view.scale.at(cycle).unwrap_or(u64::MAX).saturating_mul(unit.into());
        let from = time(from);
        let span = time(to).saturating_sub(from).max(1) as f64;
        let step = (ROUNDED * span / WAVE_WIDTH).ceil();
        let zoom = -libm::log2(step + 0.01);
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
        let _ = write!(text, "[size] {width} {height}\n[pos] -1 -1\n*{zoom:.6}");
        // The primary marker first.
        for at in [self.cause().map(|(at, _)| at)].iter().chain(marks.iter().map(|(_, at)| at)) {
            let _ = match shown(at) {
                Some(at) => write!(text, " {}", time(at)),
                None => write!(text, " -1"),
            };
        }
        text.push('\n');
        let lettered = marks.iter().zip('A'..).filter_map(|((name, at), letter)| Some((*name, shown(at)?, letter)));
        let lettered: Vec<(&str, u64, char)> = lettered.collect();
        let pixel = |at: u64| (time(at) as f64 - from as f64) * ROUNDED / step;
        let placed: Vec<(&str, f64)> = lettered.iter().map(|(name, at, _)| (*name, pixel(*at))).collect();
        let named = marks::with_room(&placed, WAVE_WIDTH);
        for ((name, _, letter), _) in lettered.iter().zip(&named).filter(|(_, is_named)| **is_named) {
            let _ = writeln!(text, "[markername] {letter}{letter} {name}");
        }
        if named.contains(&false) {
            let row = |(name, at, letter): &(&str, u64, char)| format!("{letter}: {name}, cycle {at}");
            self.legend = lettered.iter().map(row).collect();
        }
        let Range { start, end } = self.view.window;
        let outside = |(name, at): &(&str, Option<u64>)| {
            let at = at.filter(|at| !(start..=end).contains(at))?;
            Some(format!("{name}: cycle {at}, {} the dump", if at < start { "before" } else { "behind" }))
        };
        self.outside = marks.iter().filter_map(outside).collect();
        text.push_str("[treeopen] top.\n[sst_width] 0\n[signals_width] 330\n[sst_expanded] 0\n");
        self.text = text;
    }

    /// Link to the same cycle on the page that `wormscope view` writes for the run.
    fn moment(&mut self, cycle: u64, worm: WormId) {
        let cycle = cycle.max(self.view.window.start);
        self.comment(&format!("on the page of wormscope view: #t={cycle}&worm={worm}"));
    }

    /// The wait that made a worm fail, and the worm.
    fn cause(&self) -> Option<(u64, WormId)> {
        self.view.failures.and_then(|failures| failures.cause)
    }

    /// Meanings of the markers, also of markers that the dump does not have.
    fn markers(&mut self) {
        for row in std::mem::take(&mut self.outside) {
            self.comment(&row);
        }
        let legend = std::mem::take(&mut self.legend);
        if !legend.is_empty() {
            self.group("markers", |save| legend.iter().for_each(|row| save.comment(row)));
            self.is_begun = false;
        }
    }

    /// Cycles to zoom to: the life of the worm in the title with some space around it, or all
    /// cycles.
    fn fit(&self) -> (u64, u64) {
        let Range { start, end } = self.view.window;
        if let Some(circle) = self.view.circle {
            return (circle.from.max(start), end);
        }
        if let Some(Failures { marks, cause: Some((first, _)), .. }) = self.view.failures {
            let last = marks.iter().map(|(_, at)| *at).filter(|at| *at <= end).max().unwrap_or(*first);
            let air = last.saturating_sub(*first) / 12 + 4;
            return (first.saturating_sub(air).max(start), (last + air).min(end));
        }
        let Some(injected) = self.view.chronicle.injected.filter(|_| self.view.failures.is_none()) else {
            return (start, end);
        };
        let last = self.view.chronicle.last_arrival.max(self.view.deadlock).unwrap_or(end);
        let air = last.saturating_sub(injected) / 12 + 2;
        (injected.saturating_sub(air).max(start), (last + air).min(end))
    }

    /// The rows of one worm: its title, then the hops in tree order.
    fn follow(&mut self, follow: &Follow) {
        let worm = &follow.worm;
        self.comment(&labels::title(worm));
        let cause = self.cause().filter(|(_, kept)| *kept == worm.id);
        self.moment(cause.map_or(worm.created, |(at, _)| at), worm.id);
        self.clock();
        self.markers();
        if let Some((title, waits)) = follow.account.split_first() {
            // The rest would leave no room for waves.
            self.group(title, |save| save.some(waits, MANY_WAITS, "lines", |save, wait| save.comment(wait)));
        }
        let hops: Vec<(usize, &Hop)> = follow.hops.iter().enumerate().collect();
        if hops.len() >= MANY_HOPS {
            let deepest = follow.hops.iter().map(|hop| hop.depth).max().unwrap_or(0);
            self.group(&format!("tree of worm {}: {} switches, {deepest} deep", worm.id, hops.len()), |save| {
                let room = OPEN_ROWS.saturating_sub(save.rows + 1).clamp(MANY_HOPS, MANY_ROWS);
                save.some(&hops, room, "switches", |save, (at, hop)| {
                    let row = format!("{} to {}", dashed(&save.place(hop)), branches_to(hop));
                    save.row(&row, Signal::Hop(worm.id, *at));
                });
            });
        }
        self.some(&hops, MANY_GROUPS, "switches", |save, (at, hop)| {
            let from = hop.from.map_or_else(|| format!("n{}", worm.source), |from| save.view.wiring.switch_name(from));
            let turns = if save.turns(hop) { ", turns" } else { "" };
            save.group(&format!("{} from {from}{turns}", save.place(hop)), |save| save.hop(follow, *at, hop));
        });
    }

    /// A hop's depth, switch and lane, indented by its depth.
    fn place(&self, hop: &Hop) -> String {
        let indent = " ".repeat(hop.depth.min(MOST_INDENTED) as usize);
        let input = self.view.layout.lanes().input_name(hop.lane);
        format!("{indent}{} {}.{input}", hop.depth, self.view.wiring.switch_name(hop.switch))
    }

    /// The signals of failures, with their paths, because a viewer shows only the last name.
    fn signals(&mut self, failures: &Failures) {
        self.markers();
        if failures.signals.is_empty() {
            return;
        }
        self.group("failure", |save| {
            for &signal in &failures.signals {
                let path = save.view.layout.path(signal);
                save.row(&path.strip_prefix("top.").unwrap_or(&path).replace('.', " "), signal);
            }
        });
    }

    /// The rows of a deadlock, worm after worm in the order of its cycle. They show the place of
    /// each wait and the lanes that the worm holds.
    fn circle(&mut self, circle: &Circle) {
        self.comment(&circle.title);
        if let (Some(at), Some(stop)) = (self.view.deadlock, circle.stops.first()) {
            self.moment(at, circle.follows[stop.hop.0].worm.id);
        }
        self.clock();
        self.markers();
        self.some(&circle.stops, MANY_GROUPS, "worms", |save, stop| {
            save.group(&stop.title, |save| save.stop(circle, stop));
        });
    }

    fn stop(&mut self, circle: &Circle, stop: &Stop) {
        let View { wiring, layout, .. } = *self.view;
        let output_name = |lane: &LaneRef| dashed(&layout.lanes().output_name(lane.lane));
        let (follow, at) = (&circle.follows[stop.hop.0], stop.hop.1);
        let hop = &follow.hops[at];
        let input = |register| Signal::Input(hop.switch, hop.lane, register);
        if let Some(journey) = &stop.journey {
            self.comment(journey);
        }
        self.row("state", input(InputRegister::State));
        if let Some(switch) = stop.station {
            self.station(switch);
        }
        if circle.prepared {
            self.branches(follow, at, hop);
        } else {
            self.row("branches", input(InputRegister::Branches));
            self.coloured(Colour::Violet, "taken", input(InputRegister::Taken));
            for lane in &stop.wants {
                let signal = |register| Signal::Output(lane.switch, lane.lane, register);
                let name = format!("wants {}", output_name(lane));
                self.row(&format!("{name} owner"), signal(OutputRegister::Owner));
                self.row(&format!("{name} credits"), signal(OutputRegister::Credits));
            }
        }
        self.steps("fifo_count", input(InputRegister::FifoCount));
        self.lane_blocks(hop.switch, hop.lane, PortMask::NONE);
        for lane in &stop.wants {
            self.blocks(&output_name(lane), Instance::Output(lane.switch, lane.lane));
        }
        self.some(&stop.holds, MANY_HELD, "lanes that it holds", |save, lane| {
            let signal = |register| Signal::Output(lane.switch, lane.lane, register);
            let name = format!("holds {} {}", wiring.switch_name(lane.switch), output_name(lane));
            save.row(&format!("{name} owner"), signal(OutputRegister::Owner));
            if let Some(owner) = save.owner(*lane) {
                save.row(&format!("{name} worm"), Signal::Input(lane.switch, owner, InputRegister::Worm));
            }
            save.row(&format!("{name} credits"), signal(OutputRegister::Credits));
        });
    }

    /// The input lane that owns a lane at the end of the run.
    fn owner(&self, lane: LaneRef) -> Option<u8> {
        let output = self.view.layout.output(lane.switch, lane.lane)?;
        owner_of(*self.view.shown.get(output.of(OutputRegister::Owner) as usize)?)
    }

    /// A row for every branch of a worm at a hop.
    fn branches(&mut self, follow: &Follow, at: usize, hop: &Hop) {
        for port in follow::branch_ports(hop) {
            let alias = format!("out{port} to {}", self.view.wiring.far_end(hop.switch, port));
            self.row(&alias, Signal::Branch(follow.worm.id, at, port));
        }
    }

    /// Whether a worm that came from below goes down from this hop.
    fn turns(&self, hop: &Hop) -> bool {
        let came = self.view.layout.lanes().inputs.port(hop.lane);
        !hop.ports.is_empty() && hop.ports.iter().all(|port| self.view.wiring.turns(PortId(came), PortId(port)))
    }

    fn hop(&mut self, follow: &Follow, at: usize, hop: &Hop) {
        let input = |register| Signal::Input(hop.switch, hop.lane, register);
        self.row("state", input(InputRegister::State));
        // Other worms use the lane too, so it then shows their activity.
        self.row("serves", input(InputRegister::Worm));
        if hop.token {
            self.station(hop.switch);
        }
        self.branches(follow, at, hop);
        self.row("branches", input(InputRegister::Branches));
        self.coloured(Colour::Violet, "taken", input(InputRegister::Taken));
        self.steps("fifo_count", input(InputRegister::FifoCount));
        self.lane_blocks(hop.switch, hop.lane, hop.ports);
    }

    /// The blocks that a worm at an input lane passes to some output ports.
    fn lane_blocks(&mut self, switch: SwitchId, lane: u8, ports: PortMask) {
        let lanes = self.view.layout.lanes();
        self.blocks(&dashed(&lanes.input_name(lane)), Instance::Input(switch, lane));
        for port in ports.iter() {
            let first = lanes.outputs.first(port);
            for output in first..first + lanes.outputs.of(port) {
                self.blocks(&dashed(&lanes.output_name(output)), Instance::Output(switch, output));
            }
        }
        self.blocks("the token station", Instance::Station(switch));
    }

    /// The lanes that multicasts passed, switch after switch.
    fn switches(&mut self) {
        if let Some(worm) = self.view.chronicle.subject() {
            self.comment(&labels::title(worm));
            self.moment(worm.created, worm.id);
        } else {
            self.comment("no worms in this window");
        }
        self.clock();
        self.markers();
        let lanes: Vec<Lane> = self.view.chronicle.lanes().collect();
        let mut switches: Vec<SwitchId> = Vec::new();
        for lane in &lanes {
            if !switches.contains(&lane.switch) {
                switches.push(lane.switch);
            }
        }
        self.some(&switches, MANY_GROUPS, "switches", |save, &switch| {
            let mut here: Vec<Lane> = lanes.iter().filter(|l| l.switch == switch).copied().collect();
            here.sort_unstable();
            let name = save.view.wiring.switch_name(switch);
            save.group(&name, |save| {
                save.station(switch);
                for lane in here {
                    save.lane(lane);
                }
            });
        });
        let more = self.view.chronicle.more_switches();
        if more > 0 {
            self.comment(&format!("multicasts pass {more} more switches, not shown here"));
        }
    }

    /// The station of the switch on its token ring, if it has one.
    fn station(&mut self, switch: SwitchId) {
        self.row("token here", Signal::Station(switch, StationRegister::Here));
        self.coloured(Colour::Violet, "token holder", Signal::Station(switch, StationRegister::Holder));
        self.row("token request", Signal::Station(switch, StationRegister::Request));
    }

    fn lane(&mut self, Lane { switch, output, number: lane }: Lane) {
        let lanes = self.view.layout.lanes();
        if output {
            let name = format!(
                "{} to {}",
                dashed(&lanes.output_name(lane)),
                self.view.wiring.far_end(switch, PortId(lanes.outputs.port(lane)))
            );
            let signal = |register| Signal::Output(switch, lane, register);
            self.row(&format!("{name} worm"), signal(OutputRegister::Worm));
            self.row(&format!("{name} flit"), signal(OutputRegister::Flit));
            self.row(&format!("{name} owner"), signal(OutputRegister::Owner));
            self.blocks(&dashed(&lanes.output_name(lane)), Instance::Output(switch, lane));
        } else {
            let name = dashed(&lanes.input_name(lane));
            let signal = |register| Signal::Input(switch, lane, register);
            self.row(&format!("{name} state"), signal(InputRegister::State));
            self.row(&format!("{name} worm"), signal(InputRegister::Worm));
            self.row(&format!("{name} branches"), signal(InputRegister::Branches));
            self.steps(&format!("{name} fifo_count"), signal(InputRegister::FifoCount));
            self.blocks(&name, Instance::Input(switch, lane));
        }
    }
}

/// Style and colour of the values of a type.
fn style_of(values: Type) -> (Style, Colour) {
    let style = match (Label::of(values), values) {
        (Some(label), _) => Style::Named(label),
        (None, Type::Flag | Type::Lanes(_) | Type::Data(_)) => Style::Bits,
        (None, Type::Word) => Style::Hexadecimal,
        (None, _) => Style::Decimal,
    };
    let colour = match values {
        Type::Cycle | Type::State => Colour::Green,
        Type::Worm | Type::Flit | Type::Encoding | Type::Doing => Colour::Yellow,
        Type::Owner | Type::Ports(_) => Colour::Blue,
        Type::Flits(_)
        | Type::Credits(_)
        | Type::Messages
        | Type::Flag
        | Type::Lanes(_)
        | Type::Data(_)
        | Type::Number(_)
        | Type::Word => Colour::Violet,
    };
    (style, colour)
}

/// The line of a title or a group. The viewer removes a `{` before the first blank.
fn titled(name: &str) -> String {
    let is_eaten = name.split(' ').next().is_some_and(|word| word.contains('{'));
    format!("-{}{name}", if is_eaten { " " } else { "" })
}

/// A text in lines that are no wider than a name may be. Lines break after blanks and commas.
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

/// The ports of a hop's branches, as in `out0,2`.
fn branches_to(hop: &Hop) -> String {
    let ports: Vec<String> = follow::branch_ports(hop).map(|port| port.to_string()).collect();
    format!("out{}", ports.join(","))
}
