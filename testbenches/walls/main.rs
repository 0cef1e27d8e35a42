//! The walls of the house. They say which room may know which, and that no files know each other in
//! a circle. A name has one meaning or two, and comments can be read. `ARCHITECTURE.md` gives the
//! reasons.

mod house;
mod twin;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use house::{Arrows, House};
use petgraph::algo::{tarjan_scc, toposort};
use petgraph::graphmap::DiGraphMap;

/// The rooms from the ground up, each with those that it may know; `*` are all below it, but for
/// those with a `!`.
const ROOMS: [(&str, &[&str]); 46] = [
    ("hw", &[]),
    ("quote", &[]),
    ("spelling", &["quote"]),
    ("glob", &[]),
    ("statistics", &[]),
    ("table", &[]),
    ("console", &["quote"]),
    ("input", &["quote", "spelling"]),
    ("network", &["hw", "quote", "spelling"]),
    ("engine", &["hw", "network"]),
    ("multicast", &["hw", "quote", "spelling", "network"]),
    ("model", &["hw", "network", "multicast"]),
    ("experiment", &["hw", "quote", "spelling", "input", "network", "engine", "multicast"]),
    ("site", &["hw", "input", "network", "engine", "model", "experiment"]),
    ("workload", &ALL),
    ("cost", &["hw", "input", "network", "multicast", "experiment", "workload"]),
    ("config", &["hw", "quote", "spelling", "input", "network", "multicast", "experiment"]),
    ("energy", &["hw", "quote", "spelling", "input", "network", "engine", "experiment", "cost"]),
    ("deadlock", &["hw", "quote", "table", "engine"]),
    ("simulation", &["hw", "input", "network", "engine", "experiment", "site", "workload", "deadlock"]),
    ("measure", &ALL),
    ("output", &["quote", "console"]),
    ("trace", &["hw", "quote", "spelling", "glob", "network", "engine", "output"]),
    ("account", &["hw", "table", "network", "engine"]),
    ("verify", &["hw", "network", "engine", "site"]),
    ("coverage", &["hw", "network", "engine"]),
    ("report", &["*", "!config", "!trace", "!verify"]),
    ("memory", &ALL),
    ("rtl", &["hw", "input", "network", "engine", "experiment", "site", "simulation"]),
    ("state_space", &["hw", "quote", "network", "engine", "output"]),
    (
        "dependency",
        &[
            "hw",
            "quote",
            "input",
            "network",
            "engine",
            "experiment",
            "site",
            "workload",
            "deadlock",
            "simulation",
            "state_space",
        ],
    ),
    (
        "explain",
        &[
            "hw",
            "quote",
            "table",
            "input",
            "network",
            "engine",
            "experiment",
            "site",
            "workload",
            "cost",
            "energy",
            "deadlock",
            "simulation",
            "output",
            "trace",
            "report",
            "memory",
        ],
    ),
    ("run", &ALL),
    ("sweep", &ALL),
    ("explore", &ALL),
    ("find", &ALL),
    ("advise", &ALL),
    ("page", &ALL),
    ("view", &ALL),
    ("plot", &ALL),
    ("testbench", &ALL),
    ("prove", &ALL),
    ("search", &ALL),
    ("compare", &ALL),
    ("reproduce", &ALL),
    ("cli", &ALL),
];

/// All rooms below.
const ALL: [&str; 1] = ["*"];

/// The workspace.
fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// Folders of several rooms. Each room is a file or a folder in it. The other files of the folder
/// are the room of its name.
const FOLDERS: [(&str, &[&str]); 11] = [
    ("reproduce", &["compare"]),
    ("page", &["view", "plot"]),
    ("sweep", &["explore", "find", "advise"]),
    ("run", &["state_space", "dependency", "explain"]),
    ("report", &["memory", "rtl"]),
    ("observe", &["account", "coverage", "trace", "verify"]),
    ("simulation", &["measure"]),
    ("cost", &["energy"]),
    ("experiment", &["config", "workload", "site"]),
    ("io", &["quote", "spelling", "glob", "statistics", "table", "console", "input", "output"]),
    ("multicast", &["model"]),
];

/// The folder in `src` that a file stands in.
fn folder(file: &str) -> &str {
    let below = file.strip_prefix("src/").unwrap_or(file);
    below.split('/').next().unwrap_or(below).trim_end_matches(".rs")
}

/// The room that a file stands in: the innermost of its folder.
fn room(file: &str) -> &str {
    let folder = folder(file);
    let parts = file.rsplit('/').map(|part| part.trim_end_matches(".rs"));
    let rooms = FOLDERS.iter().find(|(name, _)| *name == folder).map_or(&[][..], |(_, rooms)| rooms);
    parts.into_iter().find(|part| rooms.contains(part)).unwrap_or(folder)
}

/// Arrows between rooms, with the files and the names behind them.
fn rooms(arrows: &Arrows) -> Arrows {
    let mut rooms = Arrows::new();
    for ((from, to), names) in arrows.iter().filter(|((from, to), _)| room(from) != room(to)) {
        let behind = names.iter().map(|name| format!("{from} takes {name} from {to}"));
        rooms.entry((room(from).to_owned(), room(to).to_owned())).or_default().extend(behind);
    }
    rooms
}

/// Whether a room may know another.
fn may_know(from: &str, to: &str) -> bool {
    let place = |name: &str| ROOMS.iter().position(|(room, _)| *room == name);
    let (Some(above), Some(below)) = (place(from), place(to)) else { return false };
    let known = ROOMS[above].1;
    let barred = known.contains(&format!("!{to}").as_str());
    below < above && (known.contains(&to) || known.contains(&"*") && !barred)
}

#[test]
fn rooms_know_only_those_that_their_walls_let_them() {
    let mut wrong = Vec::new();
    for ((from, to), names) in rooms(&House::read(root()).arrows()) {
        if !may_know(&from, &to) {
            let names = names.into_iter().collect::<Vec<_>>().join("\n    ");
            wrong.push(format!("{from} may not know {to}:\n    {names}"));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn every_room_is_on_the_plan_and_every_wall_names_rooms_below() {
    let rooms: BTreeSet<&str> = ROOMS.iter().map(|(room, _)| *room).collect();
    let sources = std::fs::read_dir(root().join("src")).unwrap().map(|entry| entry.unwrap().file_name());
    let sources = sources.map(|name| name.into_string().unwrap().trim_end_matches(".rs").to_owned());
    let rooms: BTreeSet<&str> = rooms.into_iter().chain(FOLDERS.map(|(folder, _)| folder)).collect();
    let unknown: Vec<_> =
        sources.filter(|name| !["lib", "main", "properties"].contains(&&**name) && !rooms.contains(&**name)).collect();
    assert!(unknown.is_empty(), "rooms without a place on the plan: {unknown:?}");
    for (at, (room, known)) in ROOMS.iter().enumerate() {
        for known in known.iter().map(|known| known.trim_start_matches('!')).filter(|known| *known != "*") {
            assert!(
                ROOMS[..at].iter().any(|(below, _)| *below == known),
                "{room} may know {known}, which is not below it"
            );
        }
    }
}

/// Most folders in `src`, and most floors that they and the hardware stand on.
const MOST_FOLDERS: usize = 18;
const MOST_FLOORS: usize = 12;

#[test]
fn folders_know_each_other_one_way_on_at_most_twelve_floors() {
    let arrows = House::read(root()).arrows();
    let between = arrows.keys().map(|(from, to)| (folder(from), folder(to)));
    let graph: DiGraphMap<&str, ()> =
        between.filter(|(from, to)| from != to && *from != "lib").map(|(from, to)| (from, to, ())).collect();
    let above = toposort(&graph, None).unwrap_or_else(|at| panic!("a circle of folders through {}", at.node_id()));
    let mut floors = BTreeMap::new();
    for folder in above.iter().rev() {
        let below = graph.neighbors(folder).map(|below| floors[below] + 1).max().unwrap_or(1);
        floors.insert(*folder, below);
    }
    let mut plan: Vec<_> = floors.iter().map(|(folder, floor)| (floor, folder)).collect();
    plan.sort();
    let folders = floors.keys().filter(|folder| **folder != "hw").count();
    assert!(folders <= MOST_FOLDERS, "{folders} folders, at most {MOST_FOLDERS}: {plan:?}");
    assert!(plan.iter().all(|(floor, _)| **floor <= MOST_FLOORS), "more than {MOST_FLOORS} floors: {plan:?}");
}

#[test]
fn no_files_know_each_other_in_a_circle() {
    let arrows = House::read(root()).arrows();
    let graph: DiGraphMap<&str, ()> = arrows.keys().map(|(from, to)| (from.as_str(), to.as_str(), ())).collect();
    let mut wrong = Vec::new();
    for circle in tarjan_scc(&graph).into_iter().filter(|circle| circle.len() > 1) {
        wrong.push(format!("a circle of {} files:", circle.len()));
        for ((from, to), names) in &arrows {
            if circle.contains(&from.as_str()) && circle.contains(&to.as_str()) {
                let names = names.iter().cloned().collect::<Vec<_>>().join(", ");
                wrong.push(format!("    {from} takes {names} from {to}"));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn the_plain_engine_takes_nothing_from_the_one_that_it_is_compared_with() {
    let (plain, banked) = ("src/engine/reference/", "src/engine/banked/");
    let arrows = House::read(root()).arrows();
    let between = |from: &str, to: &str| from.starts_with(plain) && to.starts_with(banked);
    let wrong: Vec<_> = arrows.iter().filter(|((from, to), _)| between(from, to) || between(to, from)).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(arrows.keys().any(|(from, _)| from.starts_with(plain)));
}

#[test]
fn the_deadlock_search_sees_snapshots_and_who_the_worms_are() {
    let arrows = House::read(root()).arrows();
    let taken = arrows.iter().filter(|((from, to), _)| room(from) == "deadlock" && room(to) == "engine");
    let taken: BTreeSet<&str> = taken
        .flat_map(|((_, to), names)| names.iter().map(move |name| (to, name)))
        .filter(|(to, _)| *to != "src/engine/snapshot.rs")
        .map(|(_, name)| name.as_str())
        .collect();
    assert_eq!(taken, BTreeSet::from(["WormInfo"]));
}

#[test]
fn every_testbench_stands_on_the_shelf_that_its_name_begins_with() {
    let folder = |path: &Path| std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()).collect::<Vec<_>>();
    let mut wrong = Vec::new();
    for shelf in folder(&root().join("testbenches")) {
        let name = shelf.file_name().unwrap().to_string_lossy().into_owned();
        // Included parts, faults, networks for RTL and old bugs have a shelf of their own, whatever
        // their names.
        if ["shared", "faults", "regressions", "rtl"].contains(&&*name) {
            continue;
        }
        let files = if shelf.is_dir() { folder(&shelf) } else { vec![shelf.clone()] };
        let benches = files.into_iter().filter(|file| file.extension().is_some_and(|ending| ending == "ron"));
        wrong.extend(
            benches.filter(|file| !shelf.is_dir() || !file.file_name().unwrap().to_string_lossy().starts_with(&name)),
        );
    }
    assert!(wrong.is_empty(), "not on a shelf of their name: {wrong:#?}");
}

/// Names that every file of a kind has, so that a reader of one such file knows the next.
const IDIOMS: [(&str, &str); 6] = [
    ("Params", "of a block of the hardware: what it is built with"),
    ("In", "of a block: its input pins"),
    ("Out", "of a block: its output pins"),
    ("Reg", "of a block: its registers"),
    ("Parameters", "of a topology and of the algorithms: what one may choose"),
    ("Args", "of a subcommand: what it is called with"),
];

#[test]
fn a_name_means_at_most_two_types() {
    let house = House::read(root());
    let types = house.types();
    // The reader sees all kinds of types: a struct, an enum, a trait, an alias and one from a
    // macro.
    for (name, file) in [
        ("Plan", "src/multicast/plan.rs"),
        ("Signal", "src/observe/trace/signal.rs"),
        ("Observer", "src/engine/event/observer.rs"),
        ("Pixel", "src/report/svg.rs"),
        ("Encoding", "hw/words.rs"),
        ("SwitchId", "hw/ids.rs"),
    ] {
        assert_eq!(types[name], [file], "{name}");
    }
    for (idiom, of) in IDIOMS {
        assert!(types[idiom].len() > 2, "{idiom} ({of}) need not be an idiom any more");
    }
    let is_idiom = |name: &str| IDIOMS.iter().any(|(idiom, _)| *idiom == name);
    let wrong = types.iter().filter(|(name, files)| files.len() > 2 && !is_idiom(name));
    let wrong: Vec<_> = wrong.map(|(name, files)| format!("{name}:\n    {}", files.join("\n    "))).collect();
    assert!(wrong.is_empty(), "names of three types and more:\n{}", wrong.join("\n"));
}

/// Most characters of a line with a comment.
const WIDEST: usize = 100;

/// Lines of comments that are too wide, from 1 on. Drawings need the room and are left out: text in
/// a fence, or drawn with lines.
fn too_wide(text: &str) -> Vec<usize> {
    let mut in_fence = false;
    let mut wrong = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let Some(comment) = line.trim_start().strip_prefix("//") else {
            in_fence = false;
            continue;
        };
        let opens_or_closes = comment.trim_start_matches(['/', '!']).trim_start().starts_with("```");
        let is_drawn = line.contains(|c| ('\u{2500}'..='\u{257f}').contains(&c));
        if line.chars().count() > WIDEST && !opens_or_closes && !in_fence && !is_drawn {
            wrong.push(number);
        }
        in_fence ^= opens_or_closes;
    }
    wrong
}

/// Calls `each` with the sources of the workspace, by their paths from its root.
fn each_source(folder: &Path, each: &mut impl FnMut(&str, &str)) {
    for entry in std::fs::read_dir(folder).unwrap_or_else(|why| panic!("{}: {why}", folder.display())) {
        let path = entry.unwrap().path();
        if path.is_dir() {
            each_source(&path, each);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let text = std::fs::read_to_string(&path).unwrap();
            each(&path.strip_prefix(root()).unwrap().to_string_lossy(), &text);
        }
    }
}

#[test]
fn comments_are_at_most_a_hundred_characters_wide() {
    let mut wrong = Vec::new();
    for folder in ["hw", "src", "testbenches", "benches", "examples", "fuzz/fuzz_targets"] {
        let mut files = 0;
        each_source(&root().join(folder), &mut |path, text| {
            files += 1;
            wrong.extend(too_wide(text).into_iter().map(|line| format!("{path}:{line}")));
        });
        assert!(files > 0, "no source in {folder}");
    }
    assert!(wrong.is_empty(), "comments of more than {WIDEST} characters:\n{}", wrong.join("\n"));
}

#[test]
fn a_release_is_stripped_and_another_profile_keeps_line_tables() {
    let manifest = std::fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let profile = |name: &str| {
        let begin = format!("\n[profile.{name}]\n");
        manifest.split(&begin).nth(1).and_then(|rest| rest.split("\n[").next()).unwrap_or_default().to_owned()
    };
    let (release, profiling) = (profile("release"), profile("profiling"));
    assert!(release.contains("strip = true") && !release.contains("debug ="), "{release}");
    for kept in ["inherits = \"release\"", "debug = \"line-tables-only\"", "strip = \"none\""] {
        assert!(profiling.contains(kept), "{profiling}");
    }
}

#[test]
fn drawings_may_be_wider_than_other_comments() {
    let wide = "x".repeat(WIDEST);
    let fits = "x".repeat(WIDEST - 4);
    let text = format!("//! {fits}\n//! {wide}\n//! ```text\n//! {wide}\n//! ```\n/// \u{2500}{wide}\n    // {wide}\n");
    assert_eq!(too_wide(&text), [2, 7]);
    // The width counts characters, not bytes. A fence ends with its comment.
    let text = format!("// {}\n// ```\nfn f() {{}}\n// {wide}\n", "\u{e4}".repeat(WIDEST - 3));
    assert_eq!(too_wide(&text), [4]);
}

#[test]
fn a_name_is_followed_through_doors_to_the_file_that_defines_it() {
    let arrows = House::read(root()).arrows();
    let takes = |from: &str, to: &str, name: &str| {
        arrows.get(&(from.to_owned(), to.to_owned())).is_some_and(|names| names.contains(name))
    };
    assert!(takes("src/engine/shape.rs", "src/network/wiring.rs", "Wiring"));
    assert!(takes("src/engine/shape.rs", "hw/words.rs", "Encoding"));
    assert!(takes("src/simulation/mod.rs", "src/experiment/site.rs", "Site"));
    assert!(takes("src/cli/run.rs", "src/run/watch.rs", "watched"));
}
