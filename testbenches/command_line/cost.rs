//! Costs of a network and energy of a run, as `check`, `run` and `deadlock` print them.

use serde_json::Value;

use super::{Bench, TRAFFIC, repository};

const MESH: &str = "(network: (topology: mesh(radices: [4, 4]), switch: (flit_bits: 32, virtual_channels: 2), \
                    link: (link_cycles: 2)), workload: [traffic(load: 0.1, encoding: bit_string, destinations: 3, payload_flits: 7)])";

const COST: &str = "\
\x20 cost, an estimate     GE of the largest switch  flip-flops  GE of the network  flip-flops
    input FIFOs                            16826        1550             215377       19840
    header decoders                         4888         110              56008        1296
    reach tables                             446           0               5704           0
    replication units                        734          50               7746         528
    arbiters                                2480          40              28224         424
    crossbars                               8760           5              91920          64
    output lanes                            2080          90              25568        1064
    link registers                                                        12486        1872
    consumption stores                                                    53844        4960
    in all                                 36213        1845             496876       30048
  logic depth           90 levels between registers, an estimate
  wires of links        3280; across the middle 8 links, 328 wires
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
    let plain = bench.line("run traffic.ron --json plain.json").ends(0);
    let told = bench.call(["run", "traffic.ron", "--energy", &coefficients, "--json", "told.json"]).ends(0);
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
