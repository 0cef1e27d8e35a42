//! Tests of `--engine` on the command line: the plain engine beside the fast engines, bit planes
//! and banks.

use super::{Bench, config};

#[test]
fn the_plain_engine_runs_everything_and_the_reports_are_the_same() {
    let bench = Bench::new();
    // The files have unicasts, trees, paths, masks, a token ring, several lanes, a torus, software,
    // receive buffers and deadlocks.
    let files = [
        ("mesh_4x4_bit_string.ron", 0),
        ("mesh_8x8_dual_path.ron", 0),
        ("mesh_8x8_mask.ron", 0),
        ("mesh_4x4_floonoc_multicast.ron", 0),
        ("mesh_8x8_summa.ron", 0),
        ("bi_min_16_2x2_opt_min.ron", 0),
        ("uni_min_16_multiport.ron", 0),
        ("torus_4x4_datelines.ron", 0),
        ("netlist_petersen.ron", 0),
        ("two_sided_32_4x4.ron", 0),
        ("atbm_fig6c_token_ring.ron", 0),
        ("mesh_6x6_opt_mesh.ron", 0),
        ("atbm_fig6a_deadlock.ron", 3),
    ];
    for (file, ends) in files {
        let [banked, reference] = ["banked", "reference"].map(|engine| {
            let call = bench.call(["run", &config(file), "--cycles", "300", "--engine", engine, "--json", "run.json"]);
            (call.ends(ends), bench.read("run.json"))
        });
        assert_eq!(reference, banked, "{file}");
    }
}

/// Trees that cannot deadlock, since a FIFO holds a whole worm.
const TREES: &str = "network.switch.replication=buffered; network.switch.fifo_depth=24; \
                     workload=[traffic(load: 0.1, payload_flits: 15), \
                     traffic(load: 0.03, encoding: bit_string, destinations: 8, payload_flits: 15)]";

#[test]
fn planes_run_what_they_cover_and_the_reports_are_the_same() {
    let bench = Bench::new();
    let uniform = config("mesh_8x8_uniform.ron");
    let run = |engine: &str, set: &str| {
        let run = ["run", &uniform, "-v", "--json", "run.json", "--engine"];
        let sets = ["run.measure_cycles=400"].into_iter().chain(set.split("; "));
        let call = bench.call(run.into_iter().chain(engine.split(' ')).chain(sets.flat_map(|set| ["--set", set])));
        assert_eq!(call.code, Some(0), "{}", call.err);
        let told: String = call.err.lines().filter(|line| line.starts_with("engine: ")).collect();
        (call.out, told, bench.read("run.json"))
    };
    for (set, why) in [
        ("network.switch.fifo_depth=4", None),
        ("network.switch.fifo_depth=9", None),
        ("network.switch.virtual_channels=2", None),
        ("network.switch.virtual_channels=4", Some("more than two virtual channels")),
        ("network.switch.virtual_channels=2; network.topology=torus(radices: [8, 8], datelines: true)", None),
        ("network.switch.arbiter=matrix", Some("arbiters but round_robin")),
        ("network.switch.header_timing=beside", Some("headers beside the flits")),
        ("network.topology=uni_min(kind: baseline, switch_ports: 4, stages: 3); load=0.2", None),
        ("network.topology=bi_min(switch_ports: 8, stages: 2)", Some("switches of this size")),
        (TREES, None),
    ] {
        let [fast, banked, reference] = ["fast", "banked", "reference"].map(|engine| run(engine, set));
        let expected = match why {
            None => "engine: planes".to_owned(),
            Some(what) => format!("engine: banked, since planes do not cover {what}"),
        };
        assert_eq!((&fast.1, &reference.1), (&expected, &expected));
        assert_eq!(banked.1, "engine: banked, as asked for");
        assert_eq!((&fast.0, &fast.2), (&banked.0, &banked.2), "{set}");
        assert_eq!((&fast.0, &fast.2), (&reference.0, &reference.2), "{set}");
    }
    // A large mesh has several cycles under way at once, up to the end of the measured window.
    let large = ["fast", "banked"].map(|engine| run(engine, "network.topology=mesh(radices: [70, 64]); load=0.012"));
    assert_eq!((&large[0].0, &large[0].2), (&large[1].0, &large[1].2));
    assert_eq!(large[0].1, "engine: planes");
    // Threads share a larger one.
    let shared = ["fast --threads 3", "fast --threads 1"]
        .map(|words| run(words, "network.topology=mesh(radices: [60, 330]); load=0.006; run.drain=empty"));
    assert_eq!((&shared[0].0, &shared[0].2), (&shared[1].0, &shared[1].2));
    assert_eq!((&*shared[0].1, &*shared[1].1), ("engine: planes, 3 threads", "engine: planes"));
    let watched = bench.call(["run", &uniform, "--cycles", "300", "-v", "--wave", "a.fst"]);
    assert!(watched.err.contains("engine: banked, since its flits are watched\n"), "{}", watched.err);
    let one = ["--set", "network.node.consumption_channels=1"];
    let traced = bench.call(["run", &config("linear_8_trace.ron"), "--verbose"].into_iter().chain(one));
    assert!(traced.err.contains("engine: banked, since planes do not cover traces\n"), "{}", traced.err);
}

#[test]
fn both_engines_write_the_same_blocks_and_the_view_has_them() {
    for (file, ends) in
        [("mesh_4x4_bit_string.ron", 0), ("atbm_fig6c_token_ring.ron", 0), ("atbm_fig6a_deadlock.ron", 3)]
    {
        let dumps = ["banked", "reference"].map(|engine| {
            let bench = Bench::new();
            let run = ["run", &config(file), "--engine", engine, "--wave", "a.vcd", "--wave", "a.fst", "--wave-blocks"];
            bench.call(run).ends(ends);
            let view = bench.read("a.gtkw");
            assert!(view.contains("\n@c00200\n-blocks of in"), "{view}");
            let wave = wellen::simple::read(bench.path("a.fst")).expect("a dump");
            let hierarchy = wave.hierarchy();
            let names: std::collections::BTreeSet<String> =
                hierarchy.all_vars().map(|var| hierarchy[var].full_name(hierarchy)).collect();
            let rows = view.lines().filter(|line| line.contains(".arbiter.") || line.contains(".fifo."));
            let shown: Vec<&str> = rows.filter_map(|row| row.rsplit([' ', ')']).next()?.split('[').next()).collect();
            assert!(shown.len() > 10 && shown.iter().all(|name| names.contains(*name)), "{shown:?}");
            (bench.bytes("a.vcd"), bench.bytes("a.fst"))
        });
        assert!(dumps[0] == dumps[1], "{file}");
    }
    let bench = Bench::new();
    bench.call(["run", &config("mesh_4x4_bit_string.ron"), "--wave", "a.vcd"]).ends(0);
    assert!(!bench.read("a.vcd").contains("arbiter"), "nobody asked for blocks");
    let refused = bench.call(["run", &config("mesh_4x4_bit_string.ron"), "--wave-blocks"]).refused();
    assert!(refused.contains("--wave"), "{refused}");
}

#[test]
fn testbenches_run_on_the_plain_engine() {
    let bench = Bench::new();
    // Without a waveform, bit planes run the last one.
    for shelf in ["stall", "account", "random/random_bit_reversal.ron"] {
        let path = super::repository().join("testbenches").join(shelf).display().to_string();
        let verdicts = |engine: &str| {
            let out = bench.call(["test", &path, "--engine", engine, "--wave", "never"]).ends(0);
            assert!(!out.contains("left out"), "{out}");
            out.lines().filter(|line| line.starts_with("passed")).map(str::to_owned).collect::<Vec<_>>()
        };
        let passed = verdicts("reference");
        assert!(!passed.is_empty(), "{shelf}");
        assert_eq!((&passed, &passed), (&verdicts("banked"), &verdicts("fast")), "{shelf}");
    }
}

#[test]
fn an_engine_that_does_not_exist_is_refused_and_both_are_named() {
    let refused = Bench::new().call(["run", &config("mesh_4x4_bit_string.ron"), "--engine", "referense"]).refused();
    for part in ["referense", "banked", "reference"] {
        assert!(refused.contains(part), "{part} in {refused}");
    }
}
