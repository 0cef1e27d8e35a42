//! Tests of `run --follow`: worms by number and by property, and the view of them.

use super::{Bench, config};

/// The worms in the titles of a view, in its order.
fn followed(view: &str) -> Vec<u32> {
    let titles = view.lines().filter_map(|line| line.strip_prefix("-worm "));
    titles.filter_map(|title| title.split(':').next()?.parse().ok()).collect()
}

#[test]
fn several_worms_are_followed_in_the_order_in_which_they_are_given() {
    let bench = Bench::new();
    let tree = config("mesh_4x4_bit_string.ron");
    bench.call(["run", &tree, "--wave", "f.vcd", "--follow", "1,0", "--follow", "1"]).ends(0);
    let view = bench.read("f.gtkw");
    assert_eq!(followed(&view), [1, 0], "{view}");
    assert!(view.contains("top.follow_w0.") && view.contains("top.follow_w1."), "{view}");
    // The worm that a lane serves stands below its state.
    let rows: Vec<&str> = view.lines().filter(|line| line.starts_with("+{")).collect();
    let states = rows.iter().filter(|row| row.starts_with("+{state}")).count();
    let served = rows.windows(2).filter(|two| two[0].starts_with("+{state}") && two[1].starts_with("+{serves}"));
    assert!(states > 2 && served.count() == states, "{rows:?}");
}

#[test]
fn the_view_of_a_followed_worm_says_where_its_cycles_went() {
    let bench = Bench::new();
    let args = ["--follow", "7", "--wave", "w.vcd"];
    bench.call(["run", &config("bi_min_64_8x8_atbm.ron")].iter().copied().chain(args)).ends(0);
    let view = bench.read("w.gtkw");
    // Rows are wrapped.
    let flat = view.replace("\n@200\n-", " ").split_whitespace().collect::<Vec<_>>().join(" ");
    for line in [
        "where its 294 cycles went",
        "token 184 + crossing 76 + start-up 25 + decision 9",
        "139 to 322: 184 token at sw_s1_r0.in2 (worm 6: 74; worm 8: 99; the token travels: 11)",
        "by root: sw_s0_r6.out0 (a consumption channel of n48) 85",
        "in cycle 268:",
        "worm 7 at sw_s1_r0.in2 waits for the token, which worm 8 holds",
    ] {
        assert!(flat.contains(line), "{line}\n{flat}");
    }
}

#[test]
fn worms_are_found_by_what_they_are() {
    let bench = Bench::new();
    let tree = config("mesh_4x4_bit_string.ron");
    let told = |word: &str| {
        let call = bench.call(["run", &tree, "--wave", "f.vcd", "--csv", "f.csv", "--follow", word]);
        let err = call.err.clone();
        call.ends(0);
        (err, followed(&bench.read("f.gtkw")))
    };
    let (err, slowest) = told("slowest");
    assert_eq!(err.lines().next_back(), Some(format!("--follow slowest: worm {}", slowest[0]).as_str()));
    let mut rows = csv::Reader::from_path(bench.path("f.csv")).expect("a CSV");
    let number = |row: &csv::StringRecord, at: usize| row[at].parse::<u64>().expect("a number");
    let latencies = rows.records().map(|row| row.expect("a row"));
    let latencies: Vec<_> = latencies.map(|row| (number(&row, 7) - number(&row, 4), number(&row, 0))).collect();
    let most = latencies.iter().map(|(latency, _)| *latency).max().expect("a row");
    assert!(latencies.contains(&(most, slowest[0].into())), "{latencies:?}");
    let (_, first) = told("multicast:1");
    assert_eq!(first, [0]);
    let refused = |config: &str, word: &str| bench.call(["run", config, "--wave", "g.vcd", "--follow", word]).refused();
    let message = refused(&tree, "multicast:77");
    assert!(message.starts_with("--follow multicast:77: the run creates ") && message.ends_with(" destinations"));
    assert_eq!(refused(&tree, "deadlocked"), "--follow deadlocked: the run does not end in a deadlock");
    let message = refused(&tree, "slowst");
    assert!(
        message.starts_with("--follow slowst: allowed: ") && message.ends_with("; did you mean slowest?"),
        "{message}"
    );
    let stuck = config("atbm_fig6c_deadlock.ron");
    let call = bench.call(["run", &stuck, "--wave", "d.vcd", "--follow", "deadlocked"]);
    assert!(call.err.contains("--follow deadlocked: worms 1, 2"), "{}", call.err);
    call.ends(3);
    assert!(bench.read("d.gtkw").contains("top.follow_w2."));
}

#[test]
fn names_of_a_deep_tree_fit_and_a_row_a_switch_shows_all_of_it() {
    let bench = Bench::with(
        "x.ron",
        "(network: (topology: mesh(radices: [32, 32]), switch: (fifo_depth: 16)), workload: [messages([(cycle: 0, source: 0, \
         destinations: [1023, 31, 500, 77, 992], encoding: bit_string, payload_flits: 4)])])",
    );
    bench.line("run x.ron --wave f.fst --follow 0").ends(0);
    let view = bench.read("f.gtkw");
    let groups: Vec<&str> = view.lines().filter(|line| line.contains(" from rt_")).collect();
    assert!(groups.len() > 60, "{}", groups.len());
    for group in groups {
        let name = group.strip_prefix('-').expect("a name");
        assert!(name.len() <= 56 && name.len() - name.trim_start().len() <= 8, "{name}");
    }
    assert!(view.contains("-        31 rt_31_0.in1 from rt_30_0"), "{view}");
    let whole = view.lines().filter(|line| line.contains("top.follow_w0.hop") && !line.contains("_out")).count();
    let tree = view.lines().find_map(|line| line.strip_prefix("-tree of worm 0: ")).expect("a tree");
    assert!(tree.starts_with(&format!("{whole} switches, ")), "{tree}");
}

#[test]
fn the_demos_open_at_their_slowest_multicast() {
    let makefile = std::fs::read_to_string(crate::configs().join("../Makefile")).expect("a Makefile");
    let demo = makefile.split("\n%.demo: ").nth(1).and_then(|rest| rest.split("\n\n").next()).expect("a recipe");
    assert!(demo.contains(" --follow slowest "), "{demo}");
    for viewer in ["waves/$*.html$$moment", "gtkwave waves/$*.gtkw", "surfer --command-file $*.sucl $*.fst"] {
        assert!(demo.contains(viewer), "{viewer}: {demo}");
    }
    for demo in ["mesh_16x16_multicast", "bi_min_64_8x8_atbm"] {
        let bench = Bench::new();
        let run = ["run", &config(&format!("{demo}.ron")), "--wave", "f.fst", "--csv", "f.csv", "--follow", "slowest"];
        bench.call(run).ends(0);
        let view = bench.read("f.gtkw");
        let worm = followed(&view)[0];
        // The group of the tree is open, so its waves are seen at once.
        assert!(view.contains(&format!("\n@800200\n-tree of worm {worm}: ")), "{view}");
        let mut latencies = std::collections::BTreeMap::<u32, Vec<u64>>::new();
        for row in csv::Reader::from_path(bench.path("f.csv")).expect("a CSV").records() {
            let row = row.expect("a row");
            let number = |at: usize| row[at].parse::<u64>();
            if let (Ok(created), Ok(tail)) = (number(4), number(7)) {
                latencies.entry(row[0].parse().expect("a worm")).or_default().push(tail - created);
            }
        }
        latencies.retain(|_, all| all.len() > 1);
        let slowest = latencies.iter().max_by_key(|(_, all)| all.iter().max()).expect("a multicast");
        assert_eq!(*slowest.0, worm, "{demo}");
        assert!(bench.read("f.gtkw").contains(&format!("&worm={worm}\n")), "{demo}");
    }
}
