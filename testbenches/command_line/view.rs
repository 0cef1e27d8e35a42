//! Tests of `wormscope view`: its inputs and its refusals. The test in a browser is `make
//! test-page`.

use super::{Bench, TRAFFIC, config};

/// The file, if it is a page with so many runs.
fn is_page(bench: &Bench, runs: usize) {
    let page = bench.read("run.html");
    assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n"));
    // The page also has its own script. All are packed as they are.
    assert_eq!(page.matches("<script type=\"text/plain\"").count(), runs + 1);
}

#[test]
fn configurations_testbenches_deadlocks_and_runs_of_sweeps_become_pages() {
    let bench = Bench::with("x.ron", TRAFFIC);
    let told = bench.line("view x.ron -o run.html --window 10..60").ends(0);
    assert!(told.contains("shown 10 to 59") && told.ends_with("\nwrote run.html\n"), "{told}");
    is_page(&bench, 1);
    let deadlock = config("atbm_fig6c_deadlock.ron");
    let told = bench.line(&format!("view {deadlock} -o run.html")).ends(0);
    assert!(told.contains(": deadlock at cycle 33"), "{told}");
    let token = config("atbm_fig6c_token_ring.ron");
    let told = bench.line(&format!("view {deadlock} -o run.html --beside {token}")).ends(0);
    assert_eq!(told.matches(" worms\n").count(), 2, "{told}");
    is_page(&bench, 2);
    let told = bench.line("view x.ron -o run.html --beside-set network.switch.fifo_depth=9").ends(0);
    assert!(told.contains("\nx.ron, network.switch.fifo_depth=9: "), "{told}");
    is_page(&bench, 2);
    bench.write(
        "bench.ron",
        "(purpose: \"Worms arrive\", network: (topology: mesh(radices: [3, 3])), \
         random: [(worms: 9, cycles: (0, 20), payload_flits: (1, 8))], expect: (final_state: empty))",
    );
    bench.line("view bench.ron -o run.html --seed 5").ends(0);
    is_page(&bench, 1);
    bench.write(
        "failing.ron",
        "(purpose: \"Too quick\", network: (topology: mesh(radices: [3, 3])), random: [(worms: 9, cycles: (0, 20), \
         payload_flits: (1, 8))], expect: (final_state: empty, latencies: [(worms: [3], equal: 5)]))",
    );
    let told = bench.line("view failing.ron -o run.html").ends(0);
    assert!(told.contains(" worms, 1 not as expected\n  failing.ron:1:"), "{told}");
    is_page(&bench, 1);
    let told = bench.line("view failing.ron -o run.html --set network.switch.fifo_depth=9").ends(0);
    assert!(!told.contains("not as expected"), "{told}");
    bench.line("view x.ron -o run.html --scope top.rt_0_*").ends(0);
    is_page(&bench, 1);
    let refused = bench.line("view bench.ron -o run.html --advise").refused();
    assert!(refused.starts_with("bench.ron: is a testbench, and --advise changes experiments"), "{refused}");
    assert!(bench.line("view x.ron -o run.html --energy 45nm").refused().contains("--advise"));
    bench.line("view x.ron -o run.html --set measure_cycles=20 --advise --energy 45nm").ends(0);
    is_page(&bench, 1);
    super::explore::sweep_in(&bench);
    let told = bench.line("view out/3 -o run.html").ends(0);
    assert!(told.starts_with("x.ron: "), "{told}");
    is_page(&bench, 1);
}

#[test]
fn what_makes_no_page_is_refused_and_the_page_before_stays() {
    let bench = Bench::with("x.ron", TRAFFIC);
    super::explore::sweep_in(&bench);
    bench.write("run.html", "before");
    for (line, why) in [
        ("view x.ron -o x.ron", "x.ron: is both the configuration and -o"),
        ("view x.ron -o run.html --window 1000000..", "x.ron: the run ended at cycle"),
        ("view x.ron -o run.html --window 90.. --cycles 80", "run.max_cycles"),
        ("view x.ron -o run.html --window 9..3", "A..B"),
        ("view x.ron -o run.html --scope top.rt_x", "scope \"top.rt_x\" matches nothing; nearest names: top.rt_"),
        ("view out/9 -o run.html", "out: no run 9 has finished; allowed: runs of its rows.csv, such as 0 to 3"),
        (
            "view x.ron -o run.html --beside-set network.switch.fifo_deph=9",
            "--beside-set network.switch.fifo_deph=9: no field",
        ),
        ("view none.ron -o run.html", "none.ron"),
    ] {
        let refused = bench.line(line).refused();
        assert!(refused.contains(why), "{line}: {refused}");
        assert_eq!(bench.read("run.html"), "before", "{line}");
    }
}

#[test]
fn commands_in_the_documentation_run() {
    let bench = super::root("view");
    for name in ["a.ron", "b.ron"] {
        bench.write(name, TRAFFIC);
    }
    bench.write(
        "my.ron",
        "(network: (topology: mesh(radices: [3, 3])), workload: [traffic(load: 0.1, payload_flits: 3)], \
         run: (warmup_cycles: 500, measure_cycles: 3000))",
    );
    bench.write("x.ron", TRAFFIC);
    super::explore::sweep_in(&bench);
    let page = std::fs::read_to_string(super::repository().join("docs/reference/view.md")).expect("a page");
    let commands: Vec<&str> = page.lines().filter_map(|line| line.strip_prefix("    wormscope ")).collect();
    assert!(commands.len() >= 7);
    for command in commands {
        let command = command.split(" #").next().unwrap_or(command).replace("out/17", "out/2").replace('\'', "");
        bench
            .line(&command.replace("testbenches/", &format!("{}/testbenches/", super::repository().display())))
            .ends(0);
    }
}
