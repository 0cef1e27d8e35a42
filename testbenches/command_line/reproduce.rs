//! `wormscope reproduce`: figures of the papers, what is kept of them, and what is refused.

use std::path::Path;
use std::process::{Command, Stdio};

use wormscope::reproduce::{Data, Shelf, Shelved, document};

use super::{Bench, Call, finish, repository};

/// Figures that a debug build runs in seconds, one of each paper at least.
const SAMPLE: [&str; 8] = [
    "kp/table_4_odd",
    "nupairoj/table_4_1",
    "nupairoj/table_4_2",
    "nupairoj/table_4_3",
    "seidel/table_1",
    "seidel/section_5",
    "atbm/section_5_2",
    "tpp/fig_2",
];

/// Calls the program where the figures are, with results in a bench.
fn reproduce(bench: &Bench, args: &[&str]) -> Call {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wormscope"));
    command.arg("reproduce").args(args).args(["-o".as_ref(), bench.path("out").as_os_str()]);
    finish(command.current_dir(repository()).stdin(Stdio::null()))
}

#[test]
fn a_sample_of_the_figures_has_the_verdicts_that_the_page_tells() {
    let bench = Bench::new();
    let said = reproduce(&bench, &[&SAMPLE[..], &["--quick", "--check", "docs"]].concat()).ends(0);
    for id in SAMPLE {
        assert!(said.contains(&format!("{id}  ")), "{said}");
        assert!(bench.path("out/quick").join(id).join("figure.svg").exists(), "{id}");
    }
}

#[test]
fn the_page_is_what_figures_and_tables_say() {
    let docs = repository().join("docs");
    let shelf = Shelf::read(&repository().join("configs/papers")).unwrap();
    let table = |of: &Shelved| {
        let path = docs.join("reproduction").join(format!("{}.csv", of.id));
        Some(Data::read(&path).unwrap_or_else(|error| panic!("{error}")))
    };
    let page = std::fs::read_to_string(docs.join("REPRODUCTION.md")).unwrap();
    assert!(page == document(&shelf, &table), "make figures, or wormscope reproduce --publish docs, makes it anew");
}

#[test]
fn results_are_gone_on_with_and_another_verdict_fails() {
    let bench = Bench::new();
    let figure = "atbm/section_5_2";
    let first = reproduce(&bench, &[figure, "--quick"]).ends(0);
    let rows = bench.bytes("out/quick/atbm/section_5_2/alone/rows.csv");
    assert_eq!(reproduce(&bench, &[figure, "--quick"]).ends(0), first);
    assert_eq!(bench.bytes("out/quick/atbm/section_5_2/alone/rows.csv"), rows);
    // A kept table that says otherwise.
    let kept = bench.path("kept/reproduction/atbm");
    std::fs::create_dir_all(&kept).unwrap();
    let data = bench.read("out/quick/atbm/section_5_2/data.csv");
    std::fs::write(kept.join("section_5_2.csv"), data.replace(",ATBM,63,", ",ATBM,63,1")).unwrap();
    let dir = bench.path("kept").display().to_string();
    let call = reproduce(&bench, &[figure, "--quick", "--check", &dir]);
    assert!(call.err.contains("in the table") && call.err.contains("not as in"), "{}", call.err);
    call.ends(4);
    let other = data.replace(env!("CARGO_PKG_VERSION"), "0.0.9");
    std::fs::write(kept.join("section_5_2.csv"), other).unwrap();
    let call = reproduce(&bench, &[figure, "--quick", "--check", &dir]);
    assert!(call.err.contains("section_5_2.csv:1: is of wormscope 0.0.9, this is "), "{}", call.err);
}

#[test]
fn what_is_no_figure_is_refused_with_the_nearest() {
    let bench = Bench::new();
    let why = reproduce(&bench, &["kp/table_11", "--quick"]).refused();
    assert!(why.starts_with("there is no figure \"kp/table_11\"; did you mean \"kp/table_1\"?"), "{why}");
    let why = reproduce(&bench, &["seidl"]).refused();
    assert!(why.contains("\"seidl\"; did you mean \"seidel\"? allowed: kp, nupairoj, seidel, atbm, tpp"), "{why}");
    let why = bench.line("reproduce --list").refused();
    assert!(why.starts_with("configs/papers/kp: no folder of a paper's figures"), "{why}");
    let list = reproduce(&bench, &["--list"]).ends(0);
    assert!(SAMPLE.iter().all(|id| list.contains(id)) && !Path::new(&bench.path("out")).exists());
}
