//! `wormscope why`, and `run --accounts`: where the cycles of worms went.

use std::collections::BTreeMap;

use crate::{Bench, config};

/// Words of a line, single spaces between them.
fn words(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn a_wait_for_a_token_names_each_worm_that_held_it() {
    let told = Bench::new().call(["why", &config("bi_min_64_8x8_atbm.ron"), "--worm", "7"]).ends(0);
    let lines: Vec<String> = told.lines().map(words).collect();
    for line in [
        "139 322 184 token sw_s1_r0.in2 worm 6: 74; worm 8: 99; the token travels: 11",
        "sum: token 184 + crossing 76 + start-up 25 + decision 9 = 294 cycles",
    ] {
        assert!(lines.iter().any(|of| of == line), "{line}\n{told}");
    }
}

#[test]
fn the_wait_at_the_source_counts_and_names_the_worm_that_the_node_sends() {
    let told = Bench::new().call(["why", &config("mesh_16x16_multicast.ron")]).ends(0);
    let lines: Vec<String> = told.lines().map(words).collect();
    for line in [
        "100 146 47 queue node33.inj worm 95",
        "sum: crossing 50 + queue 47 + decision 18 + lane 15 + fifo 7 + header 1 + credit 1 = 139 cycles",
        "1 worm 102 at node33.inj waits at its node, which sends worm 95",
    ] {
        assert!(lines.iter().any(|of| of == line), "{line}\n{told}");
    }
}

#[test]
fn the_root_of_a_deadlock_is_its_dependency_cycle() {
    for name in ["atbm_fig6a_deadlock.ron", "torus_ring_deadlock.ron", "mesh_4x2_path_deadlock.ron"] {
        let told = Bench::new().call(["why", &config(name), "--worm", "deadlocked"]).ends(0);
        assert!(told.contains("a dependency cycle"), "{name}\n{told}");
        assert!(told.contains("not everywhere by cycle"), "{name}\n{told}");
        assert!(!told.contains("its tail at"), "{name}\n{told}");
    }
}

#[test]
fn a_run_that_ends_well_has_no_dependency_cycle() {
    // A branch that waits for a sibling leads to the wait of this sibling.
    for worm in ["6", "7", "8", "9", "11"] {
        let told = Bench::new().call(["why", &config("bi_min_64_8x8_atbm.ron"), "--worm", worm]).ends(0);
        assert!(!told.contains("dependency cycle"), "{told}");
    }
    let told = Bench::new().call(["why", &config("atbm_fig6c_deadlock.ron"), "--worm", "1", "--at", "32"]).ends(0);
    for line in [
        "worm 1 at sw_s1_r2.in0 waits for the lane sw_s1_r2.out1, which worm 2 owns",
        "back to line 1: a dependency cycle",
    ] {
        assert!(told.contains(line), "{told}");
    }
}

#[test]
fn worms_that_have_not_arrived_have_rows() {
    let bench = Bench::new();
    let told = bench.call(["run", &config("atbm_fig6c_deadlock.ron"), "--accounts", "a.csv"]).ends(3);
    assert!(told.contains("  4 destinations are not in it: the tail has not arrived"), "{told}");
    let rows = bench.read("a.csv");
    let missing: Vec<&str> = rows.lines().filter(|row| row.contains(",true,false,")).collect();
    // The four worms are trees to two nodes each.
    assert_eq!(missing.len(), 4, "{rows}");
    assert!(missing.iter().all(|row| row.split(',').nth(4) == Some("")), "{rows}");
}

#[test]
fn what_is_not_there_is_an_error() {
    let config = config("bi_min_64_8x8_atbm.ron");
    let refused = |args: &[&str]| Bench::new().call(["why", &config].iter().chain(args)).refused();
    assert!(refused(&["--worm", "999999"]).contains("--worm 999999: the run creates worms 0 to "));
    assert!(refused(&["--worm", "7", "--to", "18"]).contains("--to 18: worm 7 does not go to n18"));
    let stuck = Bench::new().call(["why", &crate::config("torus_ring_deadlock.ron")]).refused();
    assert!(
        stuck.contains("--worm slowest: no worm arrives in the window; the run ends in a deadlock: try deadlocked")
    );
    assert!(refused(&["--worm", "7", "--from", "3"]).contains("--from 3: worm 7 is from n18"));
    assert!(
        refused(&["--from", "3", "--to", "3"]).contains("--worm slowest: no worm from n3 arrives at n3 in the window")
    );
    assert!(refused(&["--worm", "7", "--at", "9"]).contains("--at 9: worm 7 is under way in cycles 100 to 393"));
}

#[test]
fn json_has_what_the_text_says() {
    let bench = Bench::new();
    bench.call(["why", &config("bi_min_64_8x8_atbm.ron"), "--worm", "7", "--at", "200", "--json", "w.json"]).ends(0);
    let all: serde_json::Value = serde_json::from_str(&bench.read("w.json")).expect("JSON");
    let of = &all[0];
    assert_eq!(
        (of["worm"].as_u64(), of["cycles"].as_u64(), of["causes"]["token"].as_u64()),
        (Some(7), Some(294), Some(184))
    );
    assert_eq!(of["traces"][0]["cycle"], 200);
    assert_eq!(of["traces"][0]["steps"][0]["waits_for"], 6);
    let stretches = of["stretches"].as_array().expect("stretches");
    let sum: u64 = stretches.iter().map(|of| of["until"].as_u64().unwrap() - of["from"].as_u64().unwrap()).sum();
    assert_eq!(sum, 294);
}

#[test]
fn every_delivery_has_a_row_that_sums_to_its_latency() {
    let bench = Bench::new();
    let config = config("mesh_16x16_multicast.ron");
    let told = bench.call(["run", &config, "--accounts", "a.csv", "--csv", "d.csv", "--json", "r.json"]).ends(0);
    assert!(told.contains("cycles of a worm, mean"), "{told}");
    let rows = |name: &str| -> Vec<BTreeMap<String, String>> {
        csv::Reader::from_reader(bench.read(name).as_bytes()).deserialize().map(Result::unwrap).collect()
    };
    let (mut accounts, deliveries) = (rows("a.csv"), rows("d.csv"));
    assert_eq!(accounts.len(), deliveries.len());
    accounts.retain(|row| row["arrived"] == "true");
    let number = |row: &BTreeMap<String, String>, name: &str| row[name].parse::<u64>().expect("a number");
    let arrived: BTreeMap<(u64, u64), u64> = deliveries
        .iter()
        .filter(|row| !row["tail_arrived"].is_empty())
        .map(|row| {
            ((number(row, "worm"), number(row, "destination")), number(row, "tail_arrived") - number(row, "created"))
        })
        .collect();
    assert_eq!(accounts.len(), arrived.len());
    for row in &accounts {
        let latency = arrived[&(number(row, "worm"), number(row, "destination"))];
        let causes = wormscope::account::Cause::NAMES.map(|name| number(row, &name.replace('-', "_")));
        assert_eq!((number(row, "latency"), causes.iter().sum::<u64>()), (latency, latency), "{row:?}");
    }
    let report: serde_json::Value = serde_json::from_str(&bench.read("r.json")).expect("JSON");
    let means = report["accounts"]["mean_cycles"].as_object().expect("means");
    let sum: f64 = means.values().map(|mean| mean.as_f64().unwrap()).sum();
    let measured: Vec<u64> =
        accounts.iter().filter(|row| row["measured"] == "true").map(|row| number(row, "latency")).collect();
    let mean = measured.iter().sum::<u64>() as f64 / measured.len() as f64;
    assert!((sum - mean).abs() < 1e-6, "{sum} {mean}");
}

#[test]
fn a_perfetto_trace_has_every_worm_its_account_and_its_branches() {
    let bench = Bench::new();
    bench.call(["run", &config("bi_min_64_8x8_atbm.ron"), "--trace", "t.json", "--csv", "d.csv"]).ends(0);
    let trace: serde_json::Value = serde_json::from_str(&bench.read("t.json")).expect("JSON");
    let events = trace["traceEvents"].as_array().expect("events");
    let of = |kind: &str| events.iter().filter(move |event| event["ph"] == kind).collect::<Vec<_>>();
    let mut processes = BTreeMap::new();
    let mut tracks = BTreeMap::new();
    for event in of("M") {
        let (pid, tid) = (event["pid"].as_u64().unwrap(), event["tid"].as_u64().unwrap());
        assert!(pid > 0 && tid > 0, "{event}");
        assert_eq!(*tracks.entry(tid).or_insert(pid), pid, "a track is of one worm");
        if event["name"] == "process_name" {
            processes.insert(pid, event["args"]["name"].as_str().unwrap().to_owned());
        }
    }
    let (seven, _) = processes.iter().find(|(_, name)| *name == "worm 7: n18 to 8 nodes").expect("worm 7");
    // Slices of a track follow each other.
    let mut ends: BTreeMap<u64, f64> = BTreeMap::new();
    let mut account = 0.0;
    for slice in of("X") {
        let (tid, ts, dur) =
            (slice["tid"].as_u64().unwrap(), slice["ts"].as_f64().unwrap(), slice["dur"].as_f64().unwrap());
        let end = ends.entry(tid).or_insert(0.0);
        assert!(ts >= *end - 1e-9, "{slice} begins before {end}");
        *end = ts + dur;
        account += if tid == *seven { dur } else { 0.0 };
    }
    // 294 cycles of 20 ns, in microseconds.
    assert!((account - 294.0 * 0.02).abs() < 1e-9, "{account}");
    let arrivals = bench.read("d.csv").lines().skip(1).filter(|row| !row.split(',').nth(7).unwrap().is_empty()).count();
    assert_eq!(of("i").len(), arrivals);
    let (leaves, comes) = (of("s"), of("f"));
    assert_eq!(leaves.len(), comes.len());
    // The worm goes to its second switch, and from there to six others.
    assert_eq!(leaves.iter().filter(|event| event["pid"].as_u64() == Some(*seven)).count(), 7);
    // Both ends of an arrow stand in slices.
    for event in leaves.iter().chain(&comes) {
        let (tid, ts) = (&event["tid"], event["ts"].as_f64().unwrap());
        let is_in = |slice: &&&serde_json::Value| {
            let (from, dur) = (slice["ts"].as_f64().unwrap(), slice["dur"].as_f64().unwrap());
            slice["tid"] == *tid && from <= ts && ts < from + dur
        };
        assert!(of("X").iter().any(|slice| is_in(&slice)), "{event}");
    }
}

#[test]
fn arrows_of_a_perfetto_trace_stay_in_their_slices_in_whole_nanoseconds() {
    // A cycle is 1 ns. A time between two cycles would go to the next slice.
    let bench = Bench::new();
    let line = ["run", &config("bi_min_64_8x8_atbm.ron"), "--set", "clock_ns=1", "--trace", "t.json"];
    bench.call(line).ends(0);
    let trace: serde_json::Value = serde_json::from_str(&bench.read("t.json")).expect("JSON");
    let events = trace["traceEvents"].as_array().expect("events");
    // Times are in microseconds.
    let ns = |event: &serde_json::Value, of: &str| event[of].as_f64().expect("a time") * 1000.0;
    let mut arrows = 0;
    for arrow in events.iter().filter(|event| event["ph"] == "s" || event["ph"] == "f") {
        let slices = events.iter().filter(|event| event["ph"] == "X" && event["tid"] == arrow["tid"]);
        let at = ns(arrow, "ts");
        let slice = slices.rev().find(|slice| ns(slice, "ts") <= at + 1e-6).expect("a slice");
        let end = ns(slice, "ts") + ns(slice, "dur");
        assert!(at.round() < end.round(), "{arrow} leaves {slice}");
        arrows += 1;
    }
    assert!(arrows > 200, "{arrows}");
}

#[test]
fn a_testbench_bounds_the_cycles_of_a_cause() {
    let text = |expected: &str| {
        format!(
            "(purpose: \"a wait for a lane\", network: (topology: linear(nodes: 4), node: (injection_channels: 2)), \
             workload: [messages([(cycle: 0, source: 0, destinations: [3], payload_flits: 30), \
             (cycle: 1, source: 0, destinations: [2], payload_flits: 3)])], \
             expect: (latencies: [(worms: [1], {expected})]))"
        )
    };
    let told = |expected: &str, code: i32| Bench::with("b.ron", text(expected)).line("test b.ron").ends(code);
    let why = Bench::with("b.ron", text("at_most: 9")).line("test b.ron").ends(4);
    let lane: u64 =
        why.split("its cycles: lane ").nth(1).and_then(|rest| rest.split(' ').next()?.parse().ok()).expect("cycles");
    told(&format!("cause: \"lane\", equal: {lane}"), 0);
    told("cause: \"queue\", equal: 0", 0);
    assert!(told("cause: \"lane\", at_most: 5", 4).contains("expected at most 5"));
    // The bound is for the cause, also while the worm is under way.
    let cut =
        |expected: &str| text(expected).replace("expect: (", "run: (max_cycles: 20), expect: (final_state: any, ");
    let so_far = |expected: &str| Bench::with("b.ron", cut(expected)).line("test b.ron");
    assert!(so_far("cause: \"token\", at_most: 0").ends(4).contains("worm 1 does not arrive at node 2\n"));
    let waited = so_far("cause: \"lane\", at_most: 5").ends(4);
    assert!(
        waited.contains("worm 1 does not arrive at node 2 and has ") && waited.contains(" cycles of lane so far; ")
    );
    let any = cut("cause: \"token\", at_most: 0").replace("worms: [1], ", "window: (1, 9), ");
    let told = Bench::with("b.ron", any).line("test b.ron").ends(4);
    assert!(told.contains("none of these worms arrives"), "{told}");
    let both =
        cut("cause: \"credit\", at_most: 0").replace("worms: [1], ", "").replace("max_cycles: 20", "max_cycles: 40");
    Bench::with("b.ron", both).line("test b.ron").ends(0);
    let refused = |expected: &str| Bench::with("b.ron", text(expected)).line("test b.ron").ends(2);
    assert!(refused("cause: \"lanes\", at_most: 5").contains("no cause lanes; allowed: queue, start-up"));
    assert!(refused("cause: \"lane\", from: injected, at_most: 5").contains("leave from and until out"));
}

#[test]
fn the_roots_of_waiting_name_a_consumption_channel_that_is_missing() {
    let bench = Bench::new();
    let told = |sets: &[&str]| {
        let mesh = config("mesh_8x8_dual_path.ron");
        let mut args = vec!["run", &mesh, "--accounts", "a.csv", "--cycles", "400", "--set", "warmup_cycles=0"];
        args.extend(sets.iter().flat_map(|set| ["--set", set]));
        bench.call(args).ends(0)
    };
    let roots = |told: &str| {
        let table = told.split("where waiting began").nth(1).expect("a table").to_owned();
        table.lines().filter(|line| line.contains("a consumption channel of n")).count()
    };
    let (four, one) = (told(&[]), told(&["consumption_channels=1"]));
    assert!(roots(&one) > roots(&four), "{four}\n{one}");
}

#[test]
fn an_unarrived_worm_has_no_account_at_a_node_that_it_does_not_go_to() {
    let call = Bench::new().call(["why", &config("atbm_fig6c_deadlock.ron"), "--worm", "1", "--to", "0"]);
    assert!(call.refused().contains("--to 0: worm 1 does not go to n0"));
}

#[test]
fn the_page_shows_what_the_commands_print() {
    let page = std::fs::read_to_string(crate::repository().join("docs/reference/why.md")).expect("a page");
    let why = |args: &[&str]| Bench::new().call(["why"].iter().chain(args)).ends(0);
    let dual = config("mesh_8x8_dual_path.ron");
    let run = Bench::new().call(["run", &dual, "--cycles", "2000", "--accounts", "a.csv"]).ends(0);
    let all =
        why(&[&config("bi_min_64_8x8_atbm.ron"), "--worm", "7"]) + &why(&[&config("mesh_16x16_multicast.ron")]) + &run;
    let shown = crate::blocks(&page, "text");
    assert_eq!(shown.len(), 3);
    for block in shown {
        assert!(all.contains(block.trim_end()), "{block}\n{all}");
    }
}

/// A line of three nodes whose worm 0 meets a stall.
fn stalled(stall: &str) -> String {
    format!(
        "(network: (topology: linear(nodes: 3), node: (startup_cycles: 20)), workload: [stalls([({stall}, from: 0, \
         until: 60)]), messages([(cycle: 0, source: 0, destinations: [2], payload_flits: 3), \
         (cycle: 1, source: 0, destinations: [1], payload_flits: 3)])])"
    )
}

#[test]
fn the_software_of_a_node_is_named() {
    let costs = "hold: (fixed: 20.0), send: (fixed: 5.0), network: 27.0, receive: (fixed: 18.0)";
    let multicast = "multicast(algorithm: \"sequential\", source: 5, destinations: [1, 4, 6, 9], bytes: 8)";
    let text =
        format!("(network: (topology: mesh(radices: [4, 4]), node: (costs: ({costs}))), workload: [{multicast}])");
    let told = Bench::with("s.ron", text).line("why s.ron --worm 0").ends(0);
    assert!(told.contains(" at node5.inj waits at its node, which does not send it yet\n"), "{told}");
    assert!(told.contains("=> the software of the node works before worm 0 leaves\n"), "{told}");
}

#[test]
fn a_stall_of_the_workload_is_named() {
    for (stall, cause, root) in [
        ("link: \"rt_0.out0\"", "stall", "the workload stalls the link rt_0.out0"),
        ("link: \"node0.inj\"", "stall", "the workload stalls the link node0.inj"),
        ("node: 2", "sink", "n2 takes no flits: the workload stalls it in this cycle"),
    ] {
        let told = Bench::with("s.ron", stalled(stall)).line("why s.ron --worm 0").ends(0);
        assert!(told.lines().map(words).any(|row| row.split(' ').nth(3) == Some(cause)), "{told}");
        assert!(told.contains(&format!("=> {root}\n")), "{told}");
    }
    let ring = "(network: (topology: uni_min(kind: baseline, switch_ports: 2, stages: 2), token_ring: (hop_cycles: 1)), \
                workload: [stalls([(station: \"sw_s0_r0\", from: 0, until: 60)]), \
                messages([(cycle: 0, source: 0, destinations: [1, 2, 3], encoding: bit_string, payload_flits: 3)])])";
    let told = Bench::with("r.ron", ring).line("why r.ron --worm 0").ends(0);
    assert!(told.contains("=> the workload stalls the token station of sw_s0_r0\n"), "{told}");
}

#[test]
fn what_works_on_the_worm_at_the_end_of_a_chain_is_named() {
    let bench = Bench::with("s.ron", stalled("node: 1"));
    let told = bench.line("why s.ron --worm 0 --at 5").ends(0);
    assert!(
        told.contains("worm 0 at node0.inj is in its start-up\n  => the node works on worm 0: its start-up\n"),
        "{told}"
    );
    let told = bench.line("why s.ron --worm 1 --at 5").ends(0);
    assert!(told.contains("=> the node works on worm 0: its start-up\n"), "{told}");
}

#[test]
fn the_roots_of_a_wait_count_its_cycles() {
    let bench = Bench::new();
    bench.call(["why", &config("mesh_16x16_multicast.ron"), "--json", "w.json"]).ends(0);
    let all: serde_json::Value = serde_json::from_str(&bench.read("w.json")).expect("JSON");
    let number = |of: &serde_json::Value| of.as_u64().expect("a number");
    let traces = all[0]["traces"].as_array().expect("traces");
    assert_eq!(traces.len(), 3);
    for trace in traces {
        let (from, until) = (number(&trace["from"]), number(&trace["until"]));
        let roots = trace["roots"].as_array().expect("roots");
        assert_eq!(roots.iter().map(|root| number(&root["cycles"])).sum::<u64>(), until - from, "{trace}");
        // The chain is for a cycle of the first root.
        let cycle = number(&trace["cycle"]);
        assert!((from..until).contains(&cycle), "{trace}");
        let lane = trace["steps"].as_array().expect("steps").iter().rev().find_map(|step| step["output"].as_str());
        assert_eq!(lane, roots[0]["lane"].as_str().filter(|name| name.contains(".out")), "{trace}");
    }
    // Each cycle alone has the root that the sum counts.
    let queue = &traces[0];
    let mut counted: BTreeMap<String, u64> = BTreeMap::new();
    for cycle in number(&queue["from"])..number(&queue["until"]) {
        let at = cycle.to_string();
        bench
            .call(["why", &config("mesh_16x16_multicast.ron"), "--worm", "102", "--at", &at, "--json", "a.json"])
            .ends(0);
        let one: serde_json::Value = serde_json::from_str(&bench.read("a.json")).expect("JSON");
        let steps = one[0]["traces"][0]["steps"].as_array().expect("steps").clone();
        let lane = steps.iter().rev().find_map(|step| step["output"].as_str());
        let place = lane.or_else(|| steps.last().and_then(|step| step["at"].as_str())).expect("a place");
        *counted.entry(place.to_owned()).or_default() += 1;
    }
    let roots: BTreeMap<String, u64> = queue["roots"]
        .as_array()
        .expect("roots")
        .iter()
        .map(|root| (root["lane"].as_str().expect("a lane").to_owned(), number(&root["cycles"])))
        .collect();
    assert_eq!(counted, roots);
}

#[test]
fn the_root_of_a_row_is_a_link_of_the_other_table() {
    let bench = Bench::new();
    let told = bench
        .call(["run", &config("mesh_8x8_dual_path.ron"), "--cycles", "2000", "--accounts", "a.csv", "--links", "l.csv"])
        .ends(0);
    let rows = |name: &str| -> Vec<BTreeMap<String, String>> {
        csv::Reader::from_reader(bench.read(name).as_bytes()).deserialize().map(Result::unwrap).collect()
    };
    let links: Vec<String> = rows("l.csv").into_iter().map(|row| row["link"].clone()).collect();
    let accounts = rows("a.csv");
    let with_root: Vec<_> = accounts.iter().filter(|row| row["root"].contains(".out")).collect();
    assert!(!with_root.is_empty());
    for row in with_root {
        assert!(links.contains(&row["root"]), "{row:?}");
    }
    // The title names the total of the shares.
    let waits = ["queue", "token", "lane", "fifo", "credit", "turn", "sibling", "heads", "sink", "stall"];
    let waited: u64 = accounts
        .iter()
        .filter(|row| row["measured"] == "true")
        .flat_map(|row| waits.map(|cause| row[cause].parse::<u64>().expect("a number")))
        .sum();
    assert!(told.contains(&format!("where waiting began: {waited} cycles of waiting by their roots")), "{told}");
}

#[test]
fn two_runs_are_compared_worm_by_worm() {
    let bench = Bench::new();
    let config = config("mesh_8x8_dual_path.ron");
    let args = ["why", &config, "--cycles", "1500", "--beside-set", "arbiter=fixed_priority", "--json", "both.json"];
    let told = bench.call(args).ends(0);
    let both: serde_json::Value = serde_json::from_str(&bench.read("both.json")).expect("JSON");
    let run = |sets: &[&str], file: &str| -> BTreeMap<u64, (usize, u64)> {
        let mut args = vec!["run", &config, "--cycles", "1500", "--csv", file];
        args.extend(sets);
        bench.call(args).ends(0);
        let mut worms: BTreeMap<u64, (usize, u64)> = BTreeMap::new();
        for row in csv::Reader::from_reader(bench.read(file).as_bytes()).deserialize::<BTreeMap<String, String>>() {
            let row = row.expect("a row");
            if row["tail_arrived"].is_empty() {
                continue;
            }
            let number = |name: &str| row[name].parse::<u64>().expect("a number");
            let of = worms.entry(number("worm")).or_default();
            *of = (of.0 + 1, of.1.max(number("tail_arrived") - number("created")));
        }
        worms
    };
    let (a, b) = (run(&[], "a.csv"), run(&["--set", "arbiter=fixed_priority"], "b.csv"));
    let worms = both["worms"].as_array().expect("worms");
    let (mut faster, mut slower) = (0, 0);
    for of in worms {
        let (id, all) = (of["worm"].as_u64().expect("a number"), of["destinations"].as_array().expect("nodes").len());
        let of_run = |run: &BTreeMap<u64, (usize, u64)>| run.get(&id).filter(|of| of.0 == all).map(|of| of.1);
        assert_eq!((of["a"].as_u64(), of["b"].as_u64()), (of_run(&a), of_run(&b)), "{of}");
        if let (Some(a), Some(b)) = (of_run(&a), of_run(&b)) {
            faster += usize::from(b < a);
            slower += usize::from(b > a);
        }
    }
    assert!(faster + slower > 0);
    assert!(told.contains(&format!("faster in B: {faster}; slower in B: {slower}; equal: ")), "{told}");
    assert!(told.contains("\nA: worm ") && told.contains("\nB: worm "), "{told}");
    assert_eq!(both["a"][0]["worm"], both["b"][0]["worm"]);
}

#[test]
fn the_slowest_worm_between_two_nodes_and_the_slowest_multicast_are_found() {
    let bench = Bench::new();
    let config = config("mesh_16x16_multicast.ron");
    bench.call(["run", &config, "--csv", "d.csv"]).ends(0);
    let rows: Vec<BTreeMap<String, String>> =
        csv::Reader::from_reader(bench.read("d.csv").as_bytes()).deserialize().map(Result::unwrap).collect();
    let arrived: Vec<_> = rows.iter().filter(|row| !row["tail_arrived"].is_empty()).collect();
    let latency = |row: &BTreeMap<String, String>| {
        row["tail_arrived"].parse::<u64>().expect("a cycle") - row["created"].parse::<u64>().expect("a cycle")
    };
    let (source, destination) = (&arrived[0]["source"], &arrived[0]["destination"]);
    let between = arrived.iter().filter(|row| &row["source"] == source && &row["destination"] == destination);
    let most = between.map(|row| latency(row)).max().expect("a worm");
    let told = bench.call(["why", &config, "--from", source, "--to", destination]).ends(0);
    assert!(told.contains(&format!(": {most} cycles")), "{told}");
    let several = arrived.iter().filter(|row| arrived.iter().filter(|of| of["worm"] == row["worm"]).count() > 1);
    let most = several.map(|row| latency(row)).max().expect("a worm");
    let told = bench.call(["why", &config, "--worm", "slowest-multicast"]).ends(0);
    assert!(told.contains(": multicast from n") && told.contains(&format!(": {most} cycles")), "{told}");
}

#[test]
fn a_testbench_says_once_why_a_worm_is_late_whatever_fails() {
    let text = |expected: &str| {
        format!(
            "(purpose: \"why\", network: (topology: linear(nodes: 6), node: (injection_channels: 2)), \
             workload: [messages([(cycle: 0, source: 0, destinations: [3], payload_flits: 30), \
             (cycle: 1, source: 0, destinations: [2, 4, 5], encoding: bit_string, payload_flits: 3)])], \
             expect: (latencies: [({expected})]))"
        )
    };
    let told = |expected: &str| Bench::with("b.ron", text(expected)).line("test b.ron").ends(4);
    // Three destinations fail in one way and have one reason, with the root of the wait.
    let late = told("worms: [1], at_most: 9");
    assert_eq!((late.matches("expected at most 9").count(), late.matches("why: ").count()), (1, 1), "{late}");
    assert!(late.contains("... and 2 more like it"), "{late}");
    assert!(late.contains("by root: rt_"), "{late}");
    // One worm does not wait, and the other case is a mean.
    let equal = told("worms: [0], equal: 5");
    assert!(equal.contains("why: worm 0 does not wait; its cycles: crossing "), "{equal}");
    let mean = told("mean: (1, 2)");
    assert!(mean.contains("; the slowest is worm ") && mean.contains("why: "), "{mean}");
}

#[test]
fn an_account_so_far_follows_a_head_that_is_on_a_link() {
    let bench = Bench::with(
        "x.ron",
        "(network: (topology: linear(nodes: 3)), workload: [messages([
            (cycle: 0, source: 1, destinations: [2], payload_flits: 30),
            (cycle: 2, source: 0, destinations: [2], payload_flits: 12)])])",
    );
    for (cycles, last) in [
        (33, "6 32 27 lane rt_1.in1 worm 0 on rt_1.out0"),
        (34, "33 33 1 moves rt_1.out0 crossing 1"),
        (35, "33 34 2 moves rt_1.out0 crossing 2"),
    ] {
        let told = bench.line(&format!("why x.ron --worm 1 --cycles {cycles}")).ends(0);
        let rows: Vec<String> = told.lines().map(words).take_while(|line| !line.starts_with("sum: ")).collect();
        assert!(rows.iter().rev().find(|line| !line.is_empty()).is_some_and(|line| line == last), "{told}");
    }
}

#[test]
fn a_wait_for_a_turn_names_the_lane_that_sends() {
    let bench = Bench::with(
        "x.ron",
        "(network: (topology: linear(nodes: 3), switch: (virtual_channels: 2)), workload: [messages([
            (cycle: 0, source: 0, destinations: [2], payload_flits: 3),
            (cycle: 0, source: 1, destinations: [2], payload_flits: 3)])])",
    );
    let told = bench.line("why x.ron --worm 0").ends(0);
    assert!(
        told.lines().map(words).any(|line| line.starts_with("7 7 1 turn rt_2.in1.v1 worm 1 on rt_2.out2.l0")),
        "{told}"
    );
    assert!(told.contains("=> worm 1 sends: the lanes of a link take turns"), "{told}");
}
