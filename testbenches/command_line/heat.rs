//! `wormscope run --svg`: what every link carries, drawn.

use serde_json::Value;

use super::{Bench, config};

/// The titles of the channels in a picture: from, to, flits per cycle, flits.
fn channels(svg: &str) -> Vec<(String, String, f64, u64)> {
    let titles = svg.split("<title>").skip(1).filter_map(|rest| rest.split("</title>").next());
    let channel = |title: &str| {
        let (name, carried) = title.split_once(": ")?;
        let (from, to) = name.split_once(" to ")?;
        let (per_cycle, flits) = carried.split_once(" flits/cycle")?;
        let flits = flits.rsplit(' ').nth(1)?;
        Some((from.to_owned(), to.to_owned(), per_cycle.parse().ok()?, flits.parse().ok()?))
    };
    titles.map(|title| channel(title).unwrap_or_else(|| panic!("{title}"))).collect()
}

#[test]
fn the_picture_has_the_numbers_of_the_report() {
    // This workload has messages alone, so the whole run is measured.
    for (file, links) in [
        ("bi_min_64_multiport.ron", 64 + 2 * 64),
        ("torus_4x4_datelines.ron", 16 * 5),
        ("uni_min_16_multiport.ron", 2 * 16),
        ("mesh_4x4_bit_string.ron", 48 + 16),
    ] {
        let bench = Bench::new();
        let run = ["run", &config(file), "--svg", "o.svg", "--png", "o.png", "--json", "o.json"];
        bench.call(run).ends(0);
        let report: Value = serde_json::from_str(&bench.read("o.json")).expect("JSON");
        let svg = bench.read("o.svg");
        let (injections, outputs): (Vec<_>, Vec<_>) =
            channels(&svg).into_iter().partition(|(from, ..)| from.starts_with("node"));
        assert_eq!(outputs.len(), links, "{file}");
        let injected: u64 = injections.iter().map(|of| of.3).sum();
        assert_eq!(Some(injected), report["totals"]["injected_flits"].as_u64(), "{file}");
        let cycles = report["totals"]["cycles"].as_f64().expect("cycles");
        for (from, to, per_cycle, flits) in &outputs {
            assert!((per_cycle - *flits as f64 / cycles).abs() < 1e-4, "{file}: {from} to {to}");
        }
        let hottest = report["hottest_links"].as_array().expect("links");
        assert!(!hottest.is_empty());
        for link in hottest {
            let (from, to) = port(link);
            let drawn = outputs.iter().find(|of| of.0 == from && of.1 == to).expect("a channel");
            assert_eq!(Some(drawn.3), link["flits"].as_u64(), "{file}: {link}");
        }
        let most = outputs.iter().map(|of| of.2).fold(0.0, f64::max);
        assert!((most - report["utilisation"]["max"].as_f64().expect("a number")).abs() < 1e-4, "{file}");
        let hash = report["config_hash"].as_str().expect("a hash");
        for text in
            [&format!("config {hash}; "), "seed ", "flits per cycle and link", "accepted ", ", the measured window<"]
        {
            assert!(svg.contains(text), "{file}: {text}");
        }
        assert!(bench.bytes("o.png").starts_with(b"\x89PNG"));
    }
}

/// The ends of a hot link, without its lane.
fn port(link: &Value) -> (String, String) {
    let text = |name: &str| link[name].as_str().expect("a name").to_owned();
    (text("from"), text("to"))
}

#[test]
fn a_picture_changes_nothing_else_and_of_a_deadlock_there_is_one() {
    let bench = Bench::with("net.ron", super::TRAFFIC);
    let plain = bench.line("run net.ron --json plain.json").ends(0);
    let drawn = bench.line("run net.ron --json drawn.json --svg o.svg").ends(0);
    assert_eq!(bench.read("plain.json"), bench.read("drawn.json"));
    let without_files = |text: &str| text.split("\nwrote ").next().map(str::to_owned);
    assert_eq!(without_files(&drawn), without_files(&plain));
    bench.call(["run", &config("atbm_fig6c_deadlock.ron"), "--svg", "deadlock.svg"]).ends(3);
    assert!(channels(&bench.read("deadlock.svg")).iter().any(|of| of.3 > 0));
}

#[test]
fn a_network_that_nobody_could_read_is_refused_before_it_runs() {
    let traffic = "workload: [traffic(load: 0.1, payload_flits: 7)], run: (measure_cycles: 1_000_000_000)";
    let bench = Bench::with("net.ron", format!("(network: (topology: mesh(radices: [65, 64])), {traffic})"));
    for option in ["--svg o.svg", "--png o.png"] {
        let refused = bench.line(&format!("run net.ron {option}")).refused();
        assert_eq!(refused, "a picture of 4160 nodes would be too crowded to read; allowed: up to 4096 nodes");
        assert_eq!(bench.names(), ["net.ron"]);
    }
}
