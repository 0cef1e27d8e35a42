//! What a network costs, as `check` tells it.

use serde_json::Value;

use super::Bench;

const MESH: &str = "(network: (topology: mesh(radices: [4, 4]), switch: (flit_bits: 32, virtual_channels: 2), \
                    link: (link_cycles: 2)), workload: [traffic(load: 0.1, encoding: bit_string, destinations: 3, payload_flits: 7)])";

const COST: &str = "\
\x20 cost, an estimate     GE of the largest switch  flip-flops  GE of the network  flip-flops
    input FIFOs                            15144        1395             188455       17360
    header decoders                         4399          99              49124        1136
    reach tables                             403           0               5023           0
    replication units                        660          45               6807         464
    arbiters                                2043          36              22080         372
    crossbars                               7012           4              69726          48
    output lanes                            1872          81              22384         932
    link registers                                                        12486        1872
    consumption stores                                                    26922        2480
    in all                                 31533        1660             403006       24664
  logic depth           86 levels between registers, an estimate
  wires of links        3216; across the middle 8 links, 328 wires
";

#[test]
fn check_ends_with_what_the_network_costs() {
    let bench = Bench::with("mesh.ron", MESH);
    let text = bench.line("check mesh.ron --json cost.json").ends(0);
    assert!(text.ends_with(COST), "{text}");
    let json: Value = serde_json::from_str(&bench.read("cost.json")).expect("JSON");
    let cost = &json["cost_estimate"];
    assert_eq!((&json["nodes"], &json["schema_version"]), (&16.into(), &1.into()));
    // 48 links of two channels and 16 nodes, 4 flits of 32 bits each.
    assert_eq!(cost["fifo_bits"], (48 * 2 + 16) * 4 * 32);
    let blocks = cost["blocks"].as_array().expect("a list");
    let sum: f64 = blocks.iter().map(|block| block["network"]["ge"].as_f64().expect("a number")).sum();
    assert!((sum - cost["network"]["ge"].as_f64().expect("a number")).abs() < 1e-6 * sum);
    for block in blocks.iter().filter(|block| block["network"]["ge"] != 0.0) {
        assert!(text.contains(block["block"].as_str().expect("a name")), "{block}");
    }
    let refused = bench.line("check mesh.ron --json cost.json --svg cost.json").refused();
    assert!(refused.contains("would be both --svg and --json"), "{refused}");
}
