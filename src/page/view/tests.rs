use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;
use sha2::{Digest as _, Sha256};
use wormscope_hw::WormId;

use super::*;
use crate::config;
use crate::deadlock::TokenRef;
use crate::engine::{CommitLog, Observer};
use crate::experiment::Loaded;

fn load(text: &str) -> Loaded {
    config::from_text("x.ron", text, &[]).unwrap()
}

/// Trees, path worms and unicasts that meet, on lanes of several channels.
const MESH: &str = "(network: (topology: mesh(radices: [4, 3]), switch: (virtual_channels: 2, crossbar_cycles: 1), \
    link: (link_cycles: 2), node: (consumption_channels: 2, consumption_depth: 9)), \
    workload: [traffic(load: 0.25, payload_flits: 7), traffic(load: 0.1, payload_flits: 5, destinations: 3, \
    encoding: bit_string)], run: (measure_cycles: 300, seed: 4))";
/// Trees that need the token.
const RING: &str = "(network: (topology: bi_min(switch_ports: 4, stages: 3), token_ring: (hop_cycles: 1)), \
    workload: [traffic(load: 0.4, payload_flits: 12, destinations: 5, encoding: bit_string)], \
    run: (measure_cycles: 200, seed: 2))";

/// State of every instance in every cycle, as the engine reports it: numbers in the order of the
/// page's values.
#[derive(Default)]
struct Told {
    inputs: BTreeMap<(u64, usize), [u64; 7]>,
    outputs: BTreeMap<(u64, usize), [u64; 5]>,
    lanes: [usize; 2],
    stations: BTreeMap<(u64, usize), [u64; 3]>,
}

impl Observer for Told {
    const COMMITS: bool = true;

    fn commit(&mut self, log: &CommitLog) {
        let plus = |value: Option<u32>| value.map_or(0, |value| u64::from(value) + 1);
        for s in &log.inputs {
            let at = s.switch.index() * self.lanes[0] + usize::from(s.lane);
            let (worm, front) = (plus(s.worm.map(|worm| worm.0)), plus(s.flit));
            let shown = [s.state as u64, worm, s.branches.0, s.taken.0, s.fifo_count.into(), front, worm];
            self.inputs.insert((log.cycle, at), shown);
        }
        for s in &log.outputs {
            let at = s.switch.index() * self.lanes[1] + usize::from(s.lane);
            let owner = s.owner.map_or(0, |lane| u64::from(lane) + 1);
            let (worm, index) = (s.flit.map(|flit| flit.worm.0), s.flit.map(|flit| flit.index));
            let shown = [s.flit.is_some().into(), owner, plus(worm), plus(index), s.credits.into()];
            self.outputs.insert((log.cycle, at), shown);
        }
        for s in &log.tokens {
            let holder = s.holder.map_or(0, |lane| u64::from(lane) + 1);
            self.stations.insert((log.cycle, s.switch.index()), [s.here.into(), holder, s.request.0]);
        }
    }
}

/// Reads a page's block as its script does.
struct Page {
    json: Value,
    events: Vec<u8>,
}

impl Page {
    fn of(page: &str, id: &str) -> Self {
        let (_, rest) = page.split_once(&format!("id=\"{id}\">")).unwrap();
        let packed = BASE64_STANDARD.decode(rest.split('<').next().unwrap()).unwrap();
        let bytes = miniz_oxide::inflate::decompress_to_vec_zlib(&packed).unwrap();
        let length = u32::from_le_bytes(bytes[..4].try_into().unwrap()) as usize;
        Self { json: serde_json::from_slice(&bytes[4..4 + length]).unwrap(), events: bytes[4 + length..].to_vec() }
    }

    /// The events of the tracks of a kind. They come after the events of the earlier kinds.
    fn tracks(&self, kind: &str) -> Vec<&[u8]> {
        let lengths = |kind: &str| -> Vec<usize> {
            self.json["bytes"][kind].as_array().unwrap().iter().map(|n| n.as_u64().unwrap() as usize).collect()
        };
        let kinds = ["inputs", "outputs", "injections", "consumptions", "stations"];
        let mut at: usize = kinds.iter().take_while(|of| **of != kind).flat_map(|of| lengths(of)).sum();
        lengths(kind)
            .into_iter()
            .map(|length| {
                at += length;
                &self.events[at - length..at]
            })
            .collect()
    }
}

fn number(bytes: &mut &[u8]) -> u64 {
    let (mut value, mut shift) = (0, 0);
    loop {
        let byte = bytes[0];
        *bytes = &bytes[1..];
        value |= u64::from(byte & 0x7f) << shift;
        shift += 7;
        if byte < 0x80 {
            return value;
        }
    }
}

fn stepped(value: &mut u64, code: u8, bytes: &mut &[u8]) {
    match code & 3 {
        0 => {}
        1 => *value += 1,
        2 => *value -= 1,
        _ => *value = number(bytes),
    }
}

/// State, worm, branches, taken and count from each cycle on in which one of them changes.
fn input(mut bytes: &[u8], from: u64) -> BTreeMap<u64, [u64; 5]> {
    let (mut at, mut shown, mut all) = (from, [0; 5], BTreeMap::from([(0, [0; 5])]));
    while !bytes.is_empty() {
        at += number(&mut bytes);
        let flags = bytes[0];
        bytes = &bytes[1..];
        shown[0] = u64::from(flags & 7);
        for (value, bit) in [(1, 3), (2, 4), (3, 5)] {
            if flags >> bit & 1 != 0 {
                shown[value] = number(&mut bytes);
            }
        }
        stepped(&mut shown[4], flags >> 6, &mut bytes);
        all.insert(at, shown);
    }
    all
}

/// State of an output lane: valid, owner, worm and flit of its first event's flit, credits.
fn output(mut bytes: &[u8], from: u64, until: u64, credits: u64) -> BTreeMap<u64, [u64; 5]> {
    let (mut at, mut shown, mut all) = (from, [0, 0, 0, 0, credits], BTreeMap::new());
    let mut hold = |from: u64, to: u64, shown: &mut [u64; 5]| {
        for cycle in from..to {
            // Flits count from 1 here, as in the engine's samples above.
            shown[3] += shown[0];
            all.insert(cycle, *shown);
        }
    };
    while !bytes.is_empty() {
        let next = at + number(&mut bytes);
        hold(at, next, &mut shown);
        at = next;
        let flags = bytes[0];
        bytes = &bytes[1..];
        shown[0] = u64::from(flags & 1);
        if flags & 2 != 0 {
            shown[1] = number(&mut bytes);
        }
        if flags & 4 != 0 {
            shown[2] = number(&mut bytes) + 1;
            shown[3] = number(&mut bytes);
        }
        stepped(&mut shown[4], flags >> 3, &mut bytes);
    }
    hold(at, until, &mut shown);
    all
}

/// Worm and flit, one more each, that cross in a cycle.
type Crossing = (u64, [u64; 2]);

fn compare(text: &str, window: Window, scope: &[&str]) {
    let loaded = load(text);
    let (network, site) = (&loaded.experiment.network, Site::of(&loaded).unwrap());
    let lanes = network.lanes(site.wiring());
    let counts = [lanes.inputs.count(), lanes.outputs.count()].map(usize::from);
    let mut told = Told { lanes: counts, ..Told::default() };
    Simulation::new(&loaded, &site).unwrap().run(&mut told, |_| ()).unwrap();
    let scope: Vec<String> = scope.iter().map(|&glob| glob.to_owned()).collect();
    let recorded = record(&loaded, &site, window, &scope, &mut |_| ()).unwrap();
    let page = page(&[(recorded, "wormscope run x.ron".to_owned())]).unwrap();
    let page = Page::of(&page, "data");
    let is_shown = |lane: &Value| page.json["switches"][lane["switch"].as_u64().unwrap() as usize]["shown"] == true;
    let number = |value: &Value| value.as_u64().unwrap();
    let (from, until) = (number(&page.json["from"]), number(&page.json["until"]));
    let arrivals = ["arrival", "injectionArrival"].map(|kind| number(&page.json[kind]));
    let depth = u64::from(network.switch.fifo_depth);
    // The flits that came into each FIFO, with the cycle from which each flit is in the FIFO.
    let mut came: BTreeMap<usize, Vec<Crossing>> = BTreeMap::new();
    let mut arrives = |lane: &Value, shown: &BTreeMap<u64, [u64; 5]>, arrival: u64| {
        let Some(input) = lane["input"].as_u64() else { return };
        let before = lane["before"].as_array().unwrap().iter().map(|crossing| {
            let flit = [0, 1].map(|part| number(&crossing[1][part]) + 1);
            (number(&crossing[0]) + arrival, flit)
        });
        let inside = shown.iter().filter(|(_, shown)| shown[0] == 1);
        let inside = inside.map(|(cycle, shown)| (cycle + arrival, [shown[2], shown[3]]));
        came.insert(input as usize, before.chain(inside).collect());
    };
    for (at, bytes) in page.tracks("outputs").into_iter().enumerate() {
        let lane = &page.json["outputs"][at];
        let shown = output(bytes, from, until, number(&lane["depth"]));
        arrives(lane, &shown, arrivals[0]);
        if !is_shown(lane) {
            continue;
        }
        for (&(cycle, _), expected) in
            told.outputs.iter().filter(|((cycle, of), _)| *of == at && (from..until).contains(cycle))
        {
            let mut found = shown[&cycle];
            if found[0] == 0 {
                (found[2], found[3]) = (0, 0);
            }
            assert_eq!(found, *expected, "output {at} in cycle {cycle}");
        }
    }
    for (at, bytes) in page.tracks("injections").into_iter().enumerate() {
        // The bits are the same as for output lanes, except for the queue.
        let lane = &page.json["injections"][at];
        arrives(lane, &injection(bytes, from, until, depth), arrivals[1]);
    }
    let mut fronts = 0;
    for (at, bytes) in page.tracks("inputs").into_iter().enumerate() {
        let shown = input(bytes, from);
        if !is_shown(&page.json["inputs"][at]) {
            assert!(bytes.is_empty());
            continue;
        }
        let came = came.get(&at).map_or(&[][..], Vec::as_slice);
        for (&(cycle, _), expected) in
            told.inputs.iter().filter(|((cycle, of), _)| *of == at && (from..until).contains(cycle))
        {
            let (_, found) = shown.range(..=cycle).next_back().unwrap();
            assert_eq!(found[..], expected[..5], "input {at} in cycle {cycle}");
            // The flits in the FIFO are the last that came, and the front is the first of them.
            let there = came.partition_point(|(since, _)| *since <= cycle);
            let count = expected[4] as usize;
            if count > 0 {
                assert_eq!(came[there - count].1, [expected[6], expected[5]], "front of {at} in cycle {cycle}");
                fronts += 1;
            }
        }
    }
    assert!(fronts > if scope.is_empty() { 500 } else { 100 }, "{fronts}");
    let stations: Vec<usize> =
        page.json["stations"].as_array().unwrap().iter().map(|s| number(&s["switch"]) as usize).collect();
    for (bytes, switch) in page.tracks("stations").into_iter().zip(&stations) {
        let shown = station(bytes, from);
        for (&(cycle, _), expected) in
            told.stations.iter().filter(|((cycle, of), _)| of == switch && (from..until).contains(cycle))
        {
            assert_eq!(shown.range(..=cycle).next_back().unwrap().1, expected, "token at {switch} in cycle {cycle}");
        }
    }
    assert_eq!(told.stations.is_empty(), stations.is_empty());
}

fn injection(bytes: &[u8], from: u64, until: u64, credits: u64) -> BTreeMap<u64, [u64; 5]> {
    // The bit of the queue comes after the bits of an output lane, and its number comes last. So
    // the test can cut both away.
    let (mut rest, mut plain) = (bytes, Vec::new());
    while !rest.is_empty() {
        let start = rest;
        number(&mut rest);
        let flags = rest[0];
        rest = &rest[1..];
        for _ in 0..(if flags & 4 != 0 { 2 } else { 0 }) + u32::from(flags >> 3 & 3 == 3) {
            number(&mut rest);
        }
        let from = plain.len();
        plain.extend_from_slice(&start[..start.len() - rest.len()]);
        let place = plain[from..].iter().position(|byte| *byte < 0x80).unwrap() + 1;
        plain[from + place] &= 0x1f;
        if flags >> 5 & 1 != 0 {
            number(&mut rest);
        }
    }
    output(&plain, from, until, credits)
}

fn station(mut bytes: &[u8], from: u64) -> BTreeMap<u64, [u64; 3]> {
    let (mut at, mut shown, mut all) = (from, [0; 3], BTreeMap::from([(0, [0; 3])]));
    while !bytes.is_empty() {
        at += number(&mut bytes);
        let flags = bytes[0];
        bytes = &bytes[1..];
        shown[0] = u64::from(flags & 1);
        for (value, bit) in [(1, 1), (2, 2)] {
            if flags >> bit & 1 != 0 {
                shown[value] = number(&mut bytes);
            }
        }
        all.insert(at, shown);
    }
    all
}

#[test]
fn a_page_shows_what_the_engine_tells_in_every_cycle() {
    compare(MESH, Window::ALL, &[]);
    compare(RING, Window::ALL, &[]);
}

#[test]
fn a_window_begins_with_what_stands_there() {
    compare(MESH, Window { start: 120, end: Some(260) }, &[]);
    compare(RING, Window { start: 77, end: Some(150) }, &[]);
}

#[test]
fn switches_in_a_scope_are_shown_as_on_a_page_of_all() {
    compare(MESH, Window::ALL, &["top.rt_1_*"]);
    compare(MESH, Window { start: 120, end: Some(260) }, &["top.rt_0_[01]", "top.node11"]);
    let loaded = load(MESH);
    let site = Site::of(&loaded).unwrap();
    let worms = |scope: &str| {
        let recorded =
            record(&loaded, &site, Window { start: 0, end: Some(90) }, &[scope.to_owned()], &mut |_| ()).unwrap();
        Page::of(&page(&[(recorded, String::new())]).unwrap(), "data").json["worms"].as_array().unwrap().len()
    };
    assert!((1..worms("top")).contains(&worms("top.rt_0_0")), "{}", worms("top.rt_0_0"));
    let refused = record(&loaded, &site, Window::ALL, &["top.rt_9_*".to_owned()], &mut |_| ()).err().unwrap();
    assert!(
        refused.to_string().starts_with("scope \"top.rt_9_*\" matches nothing; nearest names: top.rt_"),
        "{refused}"
    );
}

#[test]
fn what_stands_still_in_a_window_is_shown() {
    // Two worms wait for each other. From the begin of the window on, nothing changes.
    let text = std::fs::read_to_string(Path::new(crate::ROOT).join("configs/atbm_fig6c_deadlock.ron"));
    let loaded = load(&text.unwrap());
    let site = Site::of(&loaded).unwrap();
    let recorded = record(&loaded, &site, Window { start: 32, end: None }, &[], &mut |_| ()).unwrap();
    let page = page(&[(recorded, String::new())]).unwrap();
    let page = Page::of(&page, "data");
    // The state is LANES, and there are flits in the FIFO.
    let last = |bytes: &[u8]| *input(bytes, 32).last_entry().unwrap().get();
    let waiting = page.tracks("inputs").into_iter().map(last).filter(|shown| shown[0] == 4 && shown[4] > 0);
    assert_eq!(waiting.count(), 2);
}

#[test]
fn who_holds_the_token_that_a_stuck_worm_waits_for_is_told() {
    let text = std::fs::read_to_string(Path::new(crate::ROOT).join("configs/atbm_fig6c_deadlock.ron"));
    let loaded = load(&text.unwrap());
    let site = Site::of(&loaded).unwrap();
    let mut recorded = record(&loaded, &site, Window::ALL, &[], &mut |_| ()).unwrap();
    let simulation::Outcome::Deadlock(found) = &mut recorded.outcome else { panic!("no deadlock") };
    found.cycle[1].awaits = Some((TokenRef { switches: Vec::new() }, WormId(9)));
    let page = page(&[(recorded, String::new())]).unwrap();
    let circle = &Page::of(&page, "data").json["deadlock"]["circle"];
    assert_eq!([&circle[0]["token"], &circle[1]["token"]], [&Value::Null, &Value::from(9)]);
}

#[test]
fn names_of_files_are_text_and_a_run_beside_has_its_own_block() {
    let mut loaded = load(MESH);
    loaded.path = "</script><b>{js}.ron".into();
    let site = Site::of(&loaded).unwrap();
    let record = || record(&loaded, &site, Window { start: 0, end: Some(9) }, &[], &mut |_| ()).unwrap();
    let page = page(&[(record(), "a".to_owned()), (record(), "b".to_owned())]).unwrap();
    assert!(!page.contains("</script><b>"));
    assert_eq!(Page::of(&page, "data").json["title"], "</script><b>{js}.ron");
    assert_eq!(Page::of(&page, "data2").json["rerun"], "b");
    assert_eq!(page.matches("</script>").count(), 4);
    for outside in [" src=", "href=\"http", "url(http", "@import", "https://", "fetch(", "innerHTML"] {
        assert!(!page.contains(outside) && !JS.contains(outside), "{outside}");
    }
}

#[test]
fn windows_behind_the_end_and_events_beyond_a_page_are_refused() {
    let loaded = load(MESH);
    let site = Site::of(&loaded).unwrap();
    let behind = record(&loaded, &site, Window { start: 1_000_000, end: None }, &[], &mut |_| ());
    assert!(matches!(behind, Err(ViewError::NotReached { .. })));
    let mut recorder = Recorder::new(
        &loaded.experiment.network,
        site.wiring(),
        Window::ALL,
        Scope::new(&[], site.wiring()).unwrap(),
        1000,
    );
    Simulation::new(&loaded, &site).unwrap().run(&mut recorder, |_| ()).unwrap();
    assert!(recorder.is_full());
}

#[test]
fn the_script_is_built_of_the_sources_beside_it() {
    let folder = Path::new(crate::ROOT).join("src/page/view/page");
    let mut sources: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    sources.retain(|path| path.extension().is_some_and(|ending| ending == "ts"));
    sources.sort();
    let all: Vec<u8> = sources.iter().flat_map(|path| std::fs::read(path).unwrap()).collect();
    let sum = format!("sha256 {:x}", Sha256::digest(all));
    assert!(JS.lines().next().unwrap().ends_with(&sum), "{sum}: `make page` builds page.js anew");
}

#[test]
fn advice_is_on_the_page_as_the_command_prints_it() {
    use crate::sweep::Base;
    use crate::sweep::advise::{Comparison, advise};
    use crate::sweep::find::Progress;

    struct Quiet;
    impl Progress for Quiet {
        fn begins(&self, _: &str, _: u64) {}
        fn reached(&self, _: u64) {}
        fn goes_on(&self) -> bool {
            true
        }
    }
    let text = "(network: (topology: linear(nodes: 3)), workload: [traffic(load: 0.2, payload_flits: 3)], run: (measure_cycles: 200))";
    let loaded = load(text);
    let base = Base::new("x.ron".to_owned(), loaded.experiment.text());
    let question = Comparison { seeds: 2, metric: None, saturation: None };
    let advice = advise(&loaded, &base, None, &question, 1, &Quiet).unwrap();
    let site = Site::of(&loaded).unwrap();
    let run = record(&loaded, &site, Window::ALL, &[], &mut |_| ()).unwrap();
    let run = Recorded { advised: Some(Advised::new(&advice).unwrap()), ..run };
    let data = Page::of(&page(&[(run, "wormscope run x.ron".to_owned())]).unwrap(), "data").json;
    let (header, rows) = advice.table();
    assert_eq!(data["advised"]["header"], serde_json::json!(header));
    assert_eq!(data["advised"]["rows"], serde_json::json!(rows));
    assert!(rows.iter().any(|row| row[0] == "fifo_depth 4 to 8") && advice.text().contains("fifo_depth 4 to 8"));
    let picture = data["advised"]["picture"].as_str().unwrap().strip_prefix("data:image/svg+xml;base64,").unwrap();
    let picture = String::from_utf8(BASE64_STANDARD.decode(picture).unwrap()).unwrap();
    assert!(picture.starts_with("<svg") && picture.contains("One-step changes of x.ron"));
}
