//! The page of all groups of bins.

use std::fmt::Write as _;

use wormscope::coverage::{BINS, Bin, GROUPS};

use super::{cell, code, head, holds};

#[test]
fn the_page_of_coverage_has_every_group_and_every_reason() {
    let excluded = Bin::all().filter(|bin| bin.excluded().is_some()).count();
    let mut page = head(
        "Coverage",
        &format!(
            "This page lists all groups of bins that wormscope counts with `--coverage`. A bin is a situation of\n\
            the hardware. There are {BINS} bins in {} groups, and {excluded} of them are excluded. [Measure\n\
            coverage](../how-to/measure-coverage.md) shows how you use them.\n\n\
            A bin has one value of each dimension of its group. Its name is the name of the group and these\n\
            values, as in `{}`. A bin stands for a kind of block, not for an instance, so that\n\
            runs of different networks add up.\n\n\
            A bin counts events, not cycles. A bin that cannot be reached is excluded, with a reason. A run\n\
            that reaches an excluded bin fails.\n",
            GROUPS.len(),
            Bin::at(0),
        ),
    );
    for (number, group) in GROUPS.iter().enumerate() {
        let blocks: Vec<String> = group.blocks.iter().map(|block| code(block)).collect();
        let _ = writeln!(
            page,
            "\n## {}\n\nEvent: {}\nBlocks: {}.\n\n| dimension | values | meaning |\n|---|---|---|",
            group.name,
            group.event,
            blocks.join(", ")
        );
        for dimension in group.dimensions {
            let values: Vec<String> = dimension.values.iter().map(|value| code(value)).collect();
            let _ = writeln!(page, "| `{}` | {} | {} |", dimension.name, values.join(", "), cell(dimension.meaning));
        }
        let excluded: Vec<(Bin, &str)> = Bin::all()
            .filter(|bin| bin.group == number)
            .filter_map(|bin| bin.excluded().map(|why| (bin, why)))
            .collect();
        let mut reasons: Vec<&str> = Vec::new();
        for (_, why) in &excluded {
            if !reasons.contains(why) {
                reasons.push(why);
            }
        }
        if !reasons.is_empty() {
            page += "\n| number excluded | first of them | reason |\n|---|---|---|\n";
        }
        for reason in reasons {
            let bins: Vec<&Bin> = excluded.iter().filter(|of| of.1 == reason).map(|of| &of.0).collect();
            let _ = writeln!(page, "| {} | `{}` | {} |", bins.len(), bins[0], cell(reason));
        }
    }
    holds("coverage.md", &page);
}
