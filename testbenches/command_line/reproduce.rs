//! Tests of `wormscope reproduce`: figures of the papers, kept results, and refusals.

use std::path::Path;
use std::process::{Command, Stdio};

use wormscope::reproduce::{Shelf, Shelved, document};

use super::disk::limited;
use super::{Bench, Call, finish, repository};

/// Figures that a debug build runs in seconds, some of each paper and some under load.
const SAMPLE: [&str; 36] = [
    "kp/table_4_odd",
    "nupairoj/table_4_1",
    "nupairoj/table_4_2",
    "nupairoj/table_4_3",
    "nupairoj/table_4_4",
    "nupairoj/fig_2_9",
    "nupairoj/fig_3_2",
    "nupairoj/fig_3_4",
    "nupairoj/fig_3_7",
    "nupairoj/fig_3_10",
    "nupairoj/fig_4_2",
    "nupairoj/fig_4_5",
    "nupairoj/fig_5_1",
    "nupairoj/fig_5_4",
    "nupairoj/fig_5_5",
    "nupairoj/fig_5_6",
    "nupairoj/fig_5_7",
    "nupairoj/fig_5_8",
    "nupairoj/fig_7_2",
    "seidel/section_3_2_2",
    "seidel/section_3_5",
    "seidel/section_4",
    "seidel/section_5",
    "seidel/table_1",
    "seidel/table_2",
    "seidel/fig_16",
    "seidel/fig_17",
    "atbm/section_5_2",
    "atbm/fig_5",
    "atbm/fig_6",
    "atbm/fig_7",
    "atbm/fig_11",
    "atbm/fig_22_8x8",
    "tpp/fig_1",
    "tpp/fig_2",
    "tpp/fig_3",
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
    let said = reproduce(&bench, &[&SAMPLE[..], &["--quick", "--check", "docs/explain"]].concat()).ends(0);
    for id in SAMPLE {
        assert!(said.contains(&format!("{id}  ")), "{said}");
        assert!(bench.path("out/quick").join(id).join("figure.svg").exists(), "{id}");
    }
}

#[test]
fn the_page_is_what_figures_and_tables_say() {
    let docs = repository().join("docs/explain");
    let shelf = Shelf::read(&repository().join("configs/papers")).unwrap();
    let table = |of: &Shelved| {
        let path = docs.join("reproduction").join(format!("{}.csv", of.id));
        Some(of.table(&path).unwrap_or_else(|error| panic!("{error}")))
    };
    let page = std::fs::read_to_string(docs.join("reproduction.md")).unwrap();
    assert!(
        page == document(&shelf, &table),
        "make figures, or wormscope reproduce --publish docs/explain, makes it anew"
    );
}

#[test]
fn results_are_gone_on_with_and_another_verdict_fails() {
    let bench = Bench::new();
    let figure = "atbm/section_5_2";
    let first = reproduce(&bench, &[figure, "--quick"]).ends(0);
    let rows = bench.bytes("out/quick/atbm/section_5_2/alone/rows.csv");
    assert_eq!(reproduce(&bench, &[figure, "--quick"]).ends(0), first);
    assert_eq!(bench.bytes("out/quick/atbm/section_5_2/alone/rows.csv"), rows);
    // This kept table has other results.
    let kept = bench.path("kept/reproduction/atbm");
    std::fs::create_dir_all(&kept).unwrap();
    let data = bench.read("out/quick/atbm/section_5_2/data.csv");
    std::fs::write(kept.join("section_5_2.csv"), data.replace(",ATBM,63,", ",ATBM,63,1")).unwrap();
    let dir = bench.path("kept").display().to_string();
    let call = reproduce(&bench, &[figure, "--quick", "--check", &dir]);
    assert!(call.err.contains("in the table") && call.err.contains("not equal to the tables in"), "{}", call.err);
    call.ends(4);
    // A curve under another name is refused before anything runs.
    for (from, to, why) in [
        ("\n,ATBM,", "\n,ATMB,", "atbm/section_5_2 has no curve \"ATMB\"; allowed: ATBM"),
        ("\n,ATBM,", "\n# ", "lacks the curve \"ATBM\"; publish the figure again, or remove this table"),
    ] {
        std::fs::write(kept.join("section_5_2.csv"), data.replace(from, to)).unwrap();
        let said = reproduce(&bench, &[figure, "--quick", "--check", &dir]).refused();
        assert!(said.starts_with("--check ") && said.contains(&format!("section_5_2.csv: {why}")), "{said}");
    }
    let other = data.replace(env!("CARGO_PKG_VERSION"), "0.0.9");
    std::fs::write(kept.join("section_5_2.csv"), other).unwrap();
    let call = reproduce(&bench, &[figure, "--quick", "--check", &dir]);
    assert!(call.err.contains("section_5_2.csv:1: is of wormscope 0.0.9, this is "), "{}", call.err);
}

#[test]
fn a_sample_does_not_replace_all_points() {
    let bench = Bench::new();
    let figure = "nupairoj/table_4_3";
    let into = bench.path("kept").display().to_string();
    let published = |more: &[&str]| {
        let call = reproduce(&bench, &[&[figure, "--publish", &into], more].concat());
        let told = call.err.clone();
        call.ends(0);
        (told, bench.read("kept/reproduction/nupairoj/table_4_3.csv"))
    };
    assert!(published(&["--quick"]).1.starts_with("# quick, "));
    let (_, full) = published(&[]);
    assert!(full.starts_with("# full, "), "{full}");
    let (told, kept) = published(&["--quick"]);
    assert!(told.contains("since it has all points and --quick has fewer"), "{told}");
    assert_eq!(kept, full);
    // A table of another version makes the page fail, and so does a file that is no table.
    let table = bench.path("kept/reproduction/nupairoj/table_4_3.csv");
    for (text, why) in [
        (full.replace(env!("CARGO_PKG_VERSION"), "0.0.9"), "is of wormscope 0.0.9, this is "),
        ("all points\n".to_owned(), "this is no table of a figure"),
    ] {
        std::fs::write(&table, &text).unwrap();
        let call = reproduce(&bench, &[figure, "--publish", &into, "--quick"]);
        assert!(call.err.contains(why), "{}", call.err);
        assert_eq!(bench.read("kept/reproduction/nupairoj/table_4_3.csv"), text);
    }
}

#[test]
fn what_cannot_be_published_is_refused_before_anything_runs() {
    let bench = Bench::new();
    let figure = "nupairoj/table_4_3";
    let into = bench.path("kept").display().to_string();
    let refused = || reproduce(&bench, &[figure, "--publish", &into, "--quick"]).refused();
    // The page reads this table of another figure too.
    let other = bench.path("kept/reproduction/kp");
    std::fs::create_dir_all(&other).unwrap();
    for (text, why) in [("# full, wormscope 0.0.9\n", ":1: is of wormscope 0.0.9"), ("x\n", ":1: this is no table")] {
        std::fs::write(other.join("table_1.csv"), text).unwrap();
        let said = refused();
        assert!(said.starts_with("--publish ") && said.contains(&format!("kp/table_1.csv{why}")), "{said}");
        assert_eq!(bench.names(), ["kept"]);
    }
    std::fs::remove_dir_all(bench.path("kept")).unwrap();
    std::fs::write(&into, "a file").unwrap();
    let said = refused();
    assert!(said.starts_with("--publish ") && said.contains("kept/reproduction.md: cannot be written: "), "{said}");
    assert_eq!((bench.names(), bench.read("kept")), (vec!["kept".to_owned()], "a file".to_owned()));
}

#[test]
fn a_disk_that_is_full_publishes_nothing() {
    let bench = Bench::new();
    let line = "reproduce nupairoj/table_4_3 -o out --publish kept --figures";
    let line = format!("{line} '{}'", repository().join("configs/papers").display());
    // Tables and pictures have room, and the page has not.
    let message = limited(&bench, 60, &line).unwritten();
    assert!(message.contains("kept/reproduction.md: cannot be written: File too large"), "{message}");
    assert_eq!(bench.names(), ["out"]);
    limited(&bench, 1 << 20, &line).ends(0);
    for extension in ["csv", "svg"] {
        assert!(bench.path(&format!("kept/reproduction/nupairoj/table_4_3.{extension}")).exists(), "{extension}");
    }
    assert!(bench.path("kept/reproduction.md").exists());
}

#[test]
fn what_is_no_figure_is_refused_with_the_nearest() {
    let bench = Bench::new();
    let why = reproduce(&bench, &["kp/table_11", "--quick"]).refused();
    assert!(why.starts_with("there is no figure \"kp/table_11\"; did you mean \"kp/table_1\"?"), "{why}");
    let why = reproduce(&bench, &["seidl"]).refused();
    assert!(why.contains("\"seidl\"; did you mean \"seidel\"? allowed: kp, nupairoj, seidel, atbm, tpp"), "{why}");
    for (asked, meant) in [
        ("fig_5_9", "\"nupairoj/fig_5_9\""),
        ("fig_15", "\"kp/fig_15\" or \"atbm/fig_15\""),
        ("nupairoj/", "\"nupairoj\""),
        ("nupairoj/fig_5_09", "\"nupairoj/fig_5_9\""),
    ] {
        let why = reproduce(&bench, &[asked]).refused();
        let allowed = "allowed: kp, nupairoj, seidel, atbm, tpp, or a figure of theirs; --list has all";
        assert_eq!(why, format!("there is no figure \"{asked}\"; did you mean {meant}? {allowed}"));
    }
    let why = reproduce(&bench, &["zzz"]).refused();
    assert!(why.starts_with("there is no figure \"zzz\"; allowed: kp, "), "{why}");
    let list = reproduce(&bench, &["--list"]).ends(0);
    assert!(SAMPLE.iter().all(|id| list.contains(id)) && !Path::new(&bench.path("out")).exists());
}

#[test]
fn folders_that_are_not_there_are_refused_before_anything_runs_with_their_option() {
    let bench = Bench::new();
    // The default folder is missing as well.
    for (line, folder) in [("reproduce --list", "configs/papers"), ("reproduce --figures ./nosuch", "./nosuch")] {
        let why = bench.line(line).refused();
        assert_eq!(
            why,
            format!(
                "--figures {folder}: it has no folder kp with figures of a paper; go to the root of \
                 the repository, or name its folder configs/papers"
            )
        );
    }
    let why = reproduce(&bench, &["kp/table_1", "--quick", "--check", "nosuch"]).refused();
    assert!(why.starts_with("--check nosuch: nosuch/reproduction/kp/table_1.csv: cannot be read: "), "{why}");
    assert!(bench.names().is_empty(), "{:?}", bench.names());
}

/// A bench with one figure of the papers, and its file.
fn papers() -> (Bench, String) {
    let bench = Bench::new();
    for folder in ["kp", "nupairoj", "seidel", "tpp"] {
        std::fs::create_dir_all(bench.path("papers").join(folder)).unwrap();
    }
    let (from, to) = (repository().join("configs/papers/atbm"), bench.path("papers/atbm"));
    std::fs::create_dir_all(to.join("base")).unwrap();
    std::fs::copy(from.join("base/bi_alone.ron"), to.join("base/bi_alone.ron")).unwrap();
    let text = std::fs::read_to_string(from.join("section_5_2.ron")).unwrap();
    (bench, text)
}

#[test]
fn what_no_study_will_have_is_refused_before_anything_runs() {
    let (bench, text) = papers();
    for (from, to, why) in [
        (
            "software * 0.02",
            "software *",
            "curve \"ATBM\": \"latency_last_mean.software *\" is no expression from `*` on",
        ),
        (".software", ".sofware", "there is no column \"latency_last_mean.sofware\"; did you mean"),
        ("only: []", "only: [\"destinations=9\"]", "destinations is never 9 in this sweep; allowed: 8, 16, "),
        ("only: []", "only: [\"destinatoins=8\"]", "\"destinatoins\"; did you mean \"destinations\"?"),
        ("only: []", "only: [\"base=bi_alon\"]", "there is no base \"bi_alon\"; did you mean \"bi_alone\"?"),
    ] {
        let changed = text.replacen(from, to, 1);
        assert_ne!(changed, text, "{from}");
        std::fs::write(bench.path("papers/atbm/section_5_2.ron"), changed).unwrap();
        let said = bench.line("reproduce --figures papers --quick -o out").refused();
        assert!(said.starts_with("atbm/section_5_2: ") && said.contains(why), "{said}");
        assert_eq!(bench.names(), ["papers"]);
    }
}

#[test]
fn results_of_a_figure_that_was_changed_are_refused_and_kept() {
    let (bench, text) = papers();
    let to = bench.path("papers/atbm");
    let few = text.replace("quick_seeds: 13", "quick_seeds: 1");
    assert_ne!(few, text);
    std::fs::write(to.join("section_5_2.ron"), &few).unwrap();
    let line = "reproduce --figures papers --quick -o out";
    bench.line(line).ends(0);
    let rows = bench.bytes("out/quick/atbm/section_5_2/alone/rows.csv");
    std::fs::write(to.join("section_5_2.ron"), few.replace("cycle=0..7", "cycle=0..6")).unwrap();
    let why = bench.line(line).refused();
    assert!(why.starts_with("atbm/section_5_2: ") && why.contains("out/quick/atbm/section_5_2/alone"), "{why}");
    assert_eq!(bench.bytes("out/quick/atbm/section_5_2/alone/rows.csv"), rows);
    // A claim is no part of a sweep. It is judged anew on the runs that are there.
    std::fs::write(to.join("section_5_2.ron"), few.replace("published: \"unchanged\"", "published: \"the same\""))
        .unwrap();
    assert!(bench.line(line).ends(0).contains("published the same"));
    assert_eq!(bench.bytes("out/quick/atbm/section_5_2/alone/rows.csv"), rows);
}

#[test]
fn a_disk_that_is_full_stops_a_figure_with_what_is_finished_kept() {
    let bench = Bench::new();
    let line = format!("reproduce tpp/fig_2 --figures '{}' -o out", repository().join("configs/papers").display());
    let message = limited(&bench, 1, &line).unwritten();
    assert!(message.contains("out/full/tpp/fig_2/") && message.contains("File too large"), "{message}");
    // With room again, the same command continues.
    bench
        .call([
            "reproduce",
            "tpp/fig_2",
            "--figures",
            &repository().join("configs/papers").display().to_string(),
            "-o",
            "out",
        ])
        .ends(0);
    assert!(bench.path("out/full/tpp/fig_2/data.csv").exists());
}
