//! `wormscope coverage`, and `--coverage` of `test`, `run` and `sweep`.

use serde_json::Value;

use super::{Bench, TRAFFIC, config};

/// A tree that waits for a unicast, with bins of its own.
const TREE: &str = "(purpose: \"x\", network: (topology: linear(nodes: 3)), workload: [messages([\n\
    (cycle: 0, source: 1, destinations: [2], payload_flits: 9),\n\
    (cycle: 0, source: 0, destinations: [1, 2], encoding: bit_string, payload_flits: 3),\n])],\n\
    cover: [\"rt_1.in1.state == LANES\", \"rt_1.in1.state == TOKEN\"], expect: (final_state: empty))\n";

/// Random worms, alike for all seeds but for their draws.
const RANDOM: &str = "(purpose: \"x\", network: (topology: mesh(radices: [3, 3])), random: [(worms: 9, cycles: (0, 20), \
    payload_flits: (1, 6))], expect: (final_state: empty))\n";

#[test]
fn files_of_seeds_are_merged_whatever_their_order() {
    let bench = Bench::with("r.ron", RANDOM);
    bench.line("test r.ron --repeat 4 --coverage all.json").ends(0);
    for (seed, name) in [(1, "a"), (3, "b")] {
        bench.line(&format!("test r.ron --seed {seed} --repeat 2 --coverage {name}.json")).ends(0);
    }
    for order in ["a.json b.json", "b.json a.json", "b.json a.json b.json", "all.json"] {
        let text = bench.line(&format!("coverage {order} --json m.json --html m.html --ucis m.xml")).ends(0);
        assert!(text.starts_with("4 runs: "), "{text}");
        assert_eq!(bench.read("m.json"), bench.read("all.json"), "{order}");
        let page = bench.read("m.html");
        assert!(!page.contains("<script") && !page.contains("http"), "one page without anything from outside");
        assert!(bench.read("m.xml").contains("coverpointBin"));
    }
}

#[test]
fn holes_name_the_run_that_came_nearest() {
    let bench = Bench::with("t.ron", TREE);
    let told = bench.line("test t.ron --coverage t.json").ends(0);
    assert!(told.contains("coverage: ") && told.contains(" holes"), "{told}");
    let text = bench.line("coverage t.json --holes").ends(0);
    assert!(text.contains("\n      t.ron, seed 1: fan_out/bit_string/"), "{text}");
    assert!(text.contains("t.ron: rt_1.in1.state == TOKEN: HOLE") && text.contains("== LANES: 1 time"), "{text}");
    let call = bench.line("coverage t.json --complete");
    assert_eq!((call.code, call.err.as_str()), (Some(4), "check failed: a hole is left, and --complete allows none\n"));
    bench.write("bad.ron", TREE.replace("purpose", "purpos"));
    let text = bench.line("test bad.ron --coverage none.json").ends(2);
    assert!(text.contains("coverage: 0 of 0 bins, 0.0 %"), "{text}");
    let call = bench.line("coverage none.json --complete");
    let told = "check failed: no run is counted, so --complete has nothing to judge\n";
    assert_eq!((call.code, call.err.as_str()), (Some(4), told));
    let chosen = bench.line("coverage t.json --minimise").ends(0);
    assert!(chosen.contains("the same coverage with 1 of 1 run"), "{chosen}");
}

#[test]
fn an_excluded_bin_that_is_reached_fails() {
    let exclude = "exclude: [(bin: \"rt_1.in1.state == LANES\", reason: \"no one waits\")], expect:";
    let bench = Bench::with("t.ron", TREE.replace("expect:", exclude));
    let text = bench.line("test t.ron --wave never").ends(4);
    assert!(text.contains("t.ron:5:") && text.contains("although it is excluded: no one waits"), "{text}");
}

#[test]
fn a_run_and_a_sweep_count_the_same_bins() {
    let bench = Bench::with("x.ron", TRAFFIC);
    bench.line("run x.ron --coverage r.json").ends(0);
    let sweep = |jobs: u32| {
        let folder = format!("s{jobs}");
        bench.line(&format!("sweep x.ron --vary load=0.1,0.2 --seeds 2 --coverage --jobs {jobs} -o {folder}")).ends(0);
        bench.line(&format!("coverage {folder} --json {folder}.json")).ends(0);
        (bench.read(&format!("{folder}/rows.csv")), bench.read(&format!("{folder}.json")))
    };
    assert_eq!(sweep(1), sweep(2));
    let read = |name: &str| serde_json::from_str::<Value>(&bench.read(name)).expect("JSON");
    let (run, swept) = (read("r.json"), read("s1.json"));
    let hits = |file: &Value, run: usize| {
        let hits = file["runs"][run]["hits"].as_array().expect("hits").clone();
        let bin = |hit: &Value| (file["bins"][hit[0].as_u64().expect("a place") as usize].clone(), hit[1].clone());
        hits.iter().map(bin).collect::<Vec<_>>()
    };
    assert_eq!(swept["runs"][2]["name"], "x.ron load=0.2");
    assert_eq!(hits(&run, 0), hits(&swept, 2));
    assert_eq!(run["runs"][0]["hash"], swept["runs"][2]["hash"]);
    // The run of the sweep is the run alone, whatever its name.
    assert!(bench.line("coverage s1 r.json").ends(0).starts_with("4 runs: "));
}

#[test]
fn a_failed_run_is_one_in_every_report() {
    let bench = Bench::with("t.ron", TREE.replace("expect: (", "expect: (account: (moving: 1), "));
    bench.line("test t.ron --wave never --coverage t.json").ends(4);
    let text = bench.line("coverage t.json --json again.json --ucis t.xml").ends(0);
    assert!(text.starts_with("1 run, of which 1 failed: "), "{text}");
    assert!(bench.read("t.xml").contains("testStatus=\"false\""));
    assert_eq!(bench.read("again.json"), bench.read("t.json"));
}

#[test]
fn both_engines_have_the_same_coverage() {
    let bench = Bench::with("r.ron", RANDOM);
    for engine in ["fast", "reference"] {
        bench.line(&format!("test r.ron --engine {engine} --coverage {engine}.json")).ends(0);
    }
    assert_eq!(bench.read("fast.json"), bench.read("reference.json"));
}

#[test]
fn random_stimulus_closes_holes_and_becomes_testbenches() {
    let bench = Bench::with("t.ron", TREE);
    let text = bench.line("test t.ron --until-covered found --patience 16 --coverage with.json").ends(0);
    assert!(text.contains("close holes"), "{text}");
    let told = bench.line("test t.ron --coverage without.json").ends(0);
    assert!(told.contains(" holes, and 1 hole of the testbenches' own\n"), "{told}");
    bench.line("test t.ron found --wave never --coverage again.json").ends(0);
    let reached =
        |name: &str| serde_json::from_str::<Value>(&bench.read(name)).expect("JSON")["summary"]["reached"].clone();
    assert!(reached("with.json").as_u64() > reached("without.json").as_u64(), "{text}");
    assert_eq!(reached("with.json"), reached("again.json"), "the files reach what the search says");
    // A second search begins with the files of the first.
    let text = bench.line("test t.ron --until-covered found --patience 1").ends(0);
    assert!(text.contains("found/covered_001.ron "), "{text}");
    let twice = bench.line("test t.ron ./t.ron found found --list").ends(0);
    let once = bench.line("test t.ron found --list").ends(0);
    assert_eq!(twice, once);
}

#[test]
fn wrong_files_are_refused() {
    let bench = Bench::with("x.json", "{}");
    bench.write("x.ron", TRAFFIC);
    bench.line("sweep x.ron --vary load=0.1 -o s").ends(0);
    for (line, message) in [
        ("coverage x.json", "x.json: no file of coverage: missing field"),
        ("coverage none.json", "none.json: cannot be read"),
        ("coverage s", "s: the sweep has no coverage; repeat it with wormscope sweep --coverage"),
        ("coverage x.json --json x.json", "is both a file of coverage and --json"),
        ("run x.ron --coverage x.ron", "is both"),
        ("test x.ron --until-covered x.json/found", "x.json/found/covered.ron: cannot be written"),
    ] {
        let why = bench.line(line).refused();
        assert!(why.contains(message), "{line}: {why}");
    }
    assert_eq!(bench.read("x.json"), "{}");
    let why = bench.call(["run", &config("mesh_4x4_bit_string.ron"), "--coverage", "no/such/x.json"]).refused();
    assert!(why.contains("no/such/x.json"), "{why}");
}

#[test]
fn benches_that_are_found_replace_no_input() {
    let bench = Bench::with("r.ron", RANDOM);
    bench.line("test r.ron --until-covered found --patience 2").ends(0);
    let before = bench.read("found/covered_001.ron");
    let text = bench.line("test found/covered_001.ron --seed 9 --until-covered found --patience 2").ends(0);
    assert!(text.contains("found/covered_0") && !text.contains("found/covered_001.ron: "), "{text}");
    assert_eq!(bench.read("found/covered_001.ron"), before);
    let text = bench.line("test r.ron --until-covered found --patience 2").ends(0);
    assert!(!text.contains("found/covered_001.ron: "), "{text}");
    assert_eq!(bench.read("found/covered_001.ron"), before);
}
