//! docs/TIMING.md shows the diagrams that the simulator writes, and payload as it computes it.

use std::path::Path;

use wormscope::engine::payload_word;
use wormscope::hw::WormId;

fn page() -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/TIMING.md")).expect("the page")
}

#[test]
fn the_timing_page_shows_every_golden_diagram() {
    let (root, page) = (Path::new(env!("CARGO_MANIFEST_DIR")), page());
    let folder = std::fs::read_dir(root.join("golden")).expect("the diagrams");
    let mut diagrams: Vec<_> = folder.map(|entry| entry.expect("an entry").path()).collect();
    diagrams.sort();
    assert!(!diagrams.is_empty());
    for path in diagrams {
        let diagram = std::fs::read_to_string(&path).expect("a diagram");
        assert!(page.contains(&format!("```text\n{diagram}```")), "{} differs on the page", path.display());
    }
}

#[test]
fn the_timing_page_shows_payload_as_it_is() {
    for bits in [8, 16, 32, 64] {
        let word = |worm, flit| format!("`{:01$x}`", payload_word(WormId(worm), flit, 0, bits), bits as usize / 4);
        let shown = format!("| {} | {} |", word(2, 5), word(0x12, 0x345));
        let page = page();
        let row = page.lines().find(|line| line.starts_with(&format!("| of {bits} bits |"))).expect("a row");
        assert!(row.ends_with(&shown), "{row}, but {shown}");
    }
}
