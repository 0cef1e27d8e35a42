//! Costs of a network and energy of a run, as `check`, `run` and `deadlock` print them.

use serde_json::Value;

use super::{Bench, TRAFFIC, repository};

const MESH: &str = "(network: (topology: mesh(radices: [4, 4]), switch: (flit_bits: 32, virtual_channels: 2), \
                    link: (link_cycles: 2)), workload: [traffic(load: 0.1, encoding: bit_string, destinations: 3, payload_flits: 7)])";

const COST: &str = "\
\x20 cost, an estimate     GE of the largest switch  flip-flops  GE of the network  flip-flops  ± %
    input FIFOs                            15511        1570             198546       20096    5
    header decoders                         1077          60              13046         768   25
    reach tables                             597           0               7437           0   20
    replication units                       3728         300              42611        3168   25
    arbiters                                2753          40              28653         424   25
    crossbars                               6271           5              65793          64   15
    output lanes                            1670         120              20323        1448   10
    link registers                                                        19155        1920    5
    consumption stores                                                    49636        5024    5
    in all                                 31607        2095             445201       32912   11
  logic depth           89 levels between registers, an estimate, ± 20 %
  wires of links        3360; across the middle 8 links, 336 wires
";

#[test]
fn check_ends_with_what_the_network_costs() {
    let bench = Bench::with("mesh.ron", MESH);
    let text = bench.line("check mesh.ron --json cost.json").ends(0);
    assert!(text.ends_with(COST), "{text}");
    let json: Value = serde_json::from_str(&bench.read("cost.json")).expect("JSON");
    let cost = &json["cost_estimate"];
    assert_eq!((&json["nodes"], &json["schema_version"]), (&16.into(), &1.into()));
    // There are 48 links and 16 injection links of two channels, with 4 flits of 32 bits each.
    assert_eq!(cost["fifo_bits"], (48 + 16) * 2 * 4 * 32);
    let blocks = cost["blocks"].as_array().expect("a list");
    let sum: f64 = blocks.iter().map(|block| block["network"]["ge"].as_f64().expect("a number")).sum();
    assert!((sum - cost["network"]["ge"].as_f64().expect("a number")).abs() < 1e-6 * sum);
    for block in blocks.iter().filter(|block| block["network"]["ge"] != 0.0) {
        assert!(text.contains(block["block"].as_str().expect("a name")), "{block}");
    }
    let refused = bench.line("check mesh.ron --json cost.json --svg cost.json").refused();
    assert!(refused.contains("is both --svg and --json"), "{refused}");
}

#[test]
fn a_run_tells_its_energy_and_is_the_same_run() {
    let bench = Bench::with("traffic.ron", TRAFFIC);
    let coefficients = repository().join("configs/energy/dsent_45nm.ron").display().to_string();
    // Without a given clock, the delays of the file set it.
    let plain = bench.line("run traffic.ron --set clock_ns=1 --json plain.json").ends(0);
    let given = ["run", "traffic.ron", "--set", "clock_ns=1", "--energy", &coefficients, "--json", "told.json"];
    let told = bench.call(given).ends(0);
    let summary = plain.strip_suffix("\nwrote plain.json\n").expect("a summary");
    let energy = told.strip_prefix(summary).expect("the same summary");
    assert!(energy.starts_with("\nenergy, an estimate"), "{energy}");
    assert!(energy.contains("ns; coefficients: DSENT 0.91"), "{energy}");
    let [plain, mut told]: [Value; 2] =
        ["plain.json", "told.json"].map(|name| serde_json::from_str(&bench.read(name)).expect("JSON"));
    let energy = told.as_object_mut().expect("fields").remove("energy_estimate").expect("the energy");
    assert_eq!(plain, told);
    assert_eq!(energy["activity"]["crossings"], plain["totals"]["flit_hops"]);
    assert_eq!(energy["activity"]["consumed_flits"], plain["totals"]["consumed_flits"]);
    assert!(energy["total_pj"].as_f64() > energy["links_pj"].as_f64());
}

#[test]
fn coefficients_that_are_wrong_or_would_be_overwritten_are_refused_before_the_run() {
    let bench = Bench::with("traffic.ron", TRAFFIC);
    let text = std::fs::read_to_string(repository().join("configs/energy/dsent_45nm.ron")).expect("coefficients");
    bench.write("energy.ron", text.replace("link_mm: 1.0", "link_mm: -1.0"));
    let refused = bench.line("run traffic.ron --energy energy.ron --json run.json").refused();
    assert!(refused.starts_with("energy.ron:12:5: link_mm is -1; allowed: 0 and more, finite"), "{refused}");
    assert!(!bench.path("run.json").exists());
    bench.write("energy.ron", text.replace("link_mm", "link_m"));
    let refused = bench.line("run traffic.ron --energy energy.ron").refused();
    assert!(refused.contains("unknown field \"link_m\" in coefficients; did you mean \"link_mm\"?"), "{refused}");
    bench.write("energy.ron", text);
    let refused = bench.line("run traffic.ron --energy energy.ron --json energy.ron").refused();
    assert!(refused.contains("is both the coefficients and --json"), "{refused}");
    assert!(bench.line("run traffic.ron --energy none.ron").refused().starts_with("none.ron: cannot be read"));
}

#[test]
fn technologies_have_names_and_check_prints_their_clock() {
    let bench = Bench::with("traffic.ron", TRAFFIC);
    let by_file = repository().join("configs/energy/dsent_45nm.ron").display().to_string();
    let energy = |given: &str| {
        let told = bench.call(["run", "traffic.ron", "--energy", given]).ends(0);
        told.split_once("energy, an estimate").expect("an energy").1.to_owned()
    };
    assert_eq!(energy("45nm"), energy(&by_file));
    assert_ne!(energy("22nm"), energy("45nm"));
    let refused = bench.line("run traffic.ron --energy 46nm").refused();
    assert_eq!(
        refused,
        "46nm is neither a technology nor a file; did you mean \"45nm\"? allowed: 45nm, 22nm, 11nm, or a file"
    );
    let clock = |line: &str| {
        let told = bench.line(line).ends(0);
        told.lines().find_map(|line| line.trim().strip_prefix("clock")).map(|line| line.trim().to_owned())
    };
    assert_eq!(clock("check traffic.ron"), None);
    let told = clock("check traffic.ron --energy 45nm --json cost.json").expect("a clock");
    let json: Value = serde_json::from_str(&bench.read("cost.json")).expect("JSON");
    let (levels, ns) = (&json["cost_estimate"]["logic_depth"], json["clock"]["cycle_ns"].as_f64().expect("a time"));
    let expected = (levels.as_f64().expect("levels") * 8.25 + 43.1 + 41.3) / 1000.0;
    assert!((ns - expected).abs() < 1e-9, "{json}");
    assert!((json["clock"]["mhz"].as_f64().expect("a frequency") - 1000.0 / ns).abs() < 1e-6);
    assert!(told.starts_with(&format!("{ns} ns, ")) && told.contains(" MHz, from the depth, ± "), "{told}");
    let given = clock("check traffic.ron --energy 45nm --set clock_ns=0.1").expect("a clock");
    let expected = format!("0.1 ns, 10000 MHz, as given, too short for its depth; the depth allows {ns} ns; delays: ");
    assert!(given.starts_with(&expected), "{given}");
}

#[test]
fn a_clock_from_the_depth_is_the_time_of_everything() {
    let bench = Bench::with("traffic.ron", TRAFFIC.replacen("topology", "clock_ns: from_depth, topology", 1));
    let told = bench.line("check traffic.ron --json cost.json").ends(0);
    assert!(told.contains(" MHz, from the depth, ± "), "{told}");
    let json: Value = serde_json::from_str(&bench.read("cost.json")).expect("JSON");
    let ns = json["clock"]["cycle_ns"].as_f64().expect("a time");
    // Without --energy, the delays are those of 45nm.
    for line in [
        "run traffic.ron --json run.json --wave run.vcd --trace run.trace",
        "run traffic.ron --json run.json --energy 45nm",
    ] {
        bench.line(line).ends(0);
        let run: Value = serde_json::from_str(&bench.read("run.json")).expect("JSON");
        assert_eq!(run["clock_ns"], ns, "{line}");
    }
    let wave = bench.read("run.vcd");
    assert!(wave.contains("$timescale 10 fs $end"), "{}", &wave[..400]);
    let times: Vec<u64> = wave.lines().filter_map(|line| line.strip_prefix('#')?.parse().ok()).collect();
    #[allow(clippy::cast_sign_loss)] // A cycle takes time.
    let cycle = (ns * 1e5).round() as u64;
    assert!(times.len() > 100 && times.iter().all(|time| time % cycle == 0), "{cycle}: {:?}", &times[..9]);
    let trace: Value = serde_json::from_str(&bench.read("run.trace")).expect("JSON");
    let slices = trace["traceEvents"].as_array().or_else(|| trace.as_array()).expect("events");
    let times = slices.iter().filter_map(|slice| slice["ts"].as_f64()).map(|us| us * 1000.0 / ns);
    assert!(times.clone().all(|cycles| (cycles - cycles.round()).abs() < 1e-3) && times.count() > 100);
    // A file of coefficients without delays cannot give the depth a time.
    let text = std::fs::read_to_string(repository().join("configs/energy/dsent_45nm.ron")).expect("coefficients");
    let (before, _) = text.split_once("    delays:").expect("delays");
    bench.write("slow.ron", format!("{before})"));
    for line in ["run traffic.ron --energy slow.ron", "check traffic.ron --energy slow.ron"] {
        let refused = bench.line(line).refused();
        assert!(
            refused.contains("clock_ns is from_depth, and these coefficients have no delays; add delays"),
            "{refused}"
        );
    }
    // Networks of a sweep have their own clocks, with a field that is varied like others.
    let line = "sweep traffic.ron --vary clock_ns=from_depth,2 --vary virtual_channels=1,2 --energy 45nm -o out";
    bench.line(line).ends(0);
    let cycles: Vec<f64> =
        super::exploring::csv(&bench.read("out/rows.csv")).iter().map(|row| row["cycle_ns"].parse().unwrap()).collect();
    let is = |at: usize, ns: f64| (cycles[at] - ns).abs() < 1e-9;
    assert!(is(0, ns) && cycles[1] > 1.3 * ns && is(2, 2.0) && is(3, 2.0), "{cycles:?}");
}
