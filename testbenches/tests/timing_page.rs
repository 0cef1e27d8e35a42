//! docs/TIMING.md shows the diagrams that the simulator writes.

use std::path::Path;

#[test]
fn the_timing_page_shows_every_golden_diagram() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = std::fs::read_to_string(root.join("../docs/TIMING.md")).expect("the page");
    let folder = std::fs::read_dir(root.join("golden")).expect("the diagrams");
    let mut diagrams: Vec<_> = folder.map(|entry| entry.expect("an entry").path()).collect();
    diagrams.sort();
    assert!(!diagrams.is_empty());
    for path in diagrams {
        let diagram = std::fs::read_to_string(&path).expect("a diagram");
        assert!(page.contains(&format!("```text\n{diagram}```")), "{} differs on the page", path.display());
    }
}
