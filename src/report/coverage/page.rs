//! Coverage as one page of HTML that needs nothing but a browser, and no script.

use std::fmt::Write as _;

use quick_xml::escape::escape;

use super::merged::{BinState, Merged, Tally};
use crate::coverage::{Bin, BinGroup, GROUPS};
use crate::quote::{counted, visible};

const HEAD: &str = include_str!("page.html");

/// The page.
#[must_use]
pub fn page(merged: &Merged, all: bool) -> String {
    let (groups, sum) = merged.tallies(all);
    let mut page = HEAD.to_owned();
    let _ = write!(
        page,
        "<h1>Coverage: {} of {} bins, {:.1} %</h1>\n<p>{} of {}. {}, {} excluded, {} beyond these networks.</p>\n\
        <p class=\"key\"><span class=\"reached\">reached, events</span><span class=\"hole\">hole</span>\
        <span class=\"excluded\">excluded</span><span class=\"beyond\">beyond these networks</span></p>\n",
        sum.reached,
        sum.reached + sum.holes,
        sum.percent(),
        counted(merged.runs().len(), "run"),
        counted(benches(merged), "file"),
        counted(sum.holes, "hole"),
        sum.excluded,
        sum.beyond
    );
    overview(&mut page, &groups);
    holes(&mut page, merged, all);
    own(&mut page, merged);
    let states = merged.states(all);
    page +=
        "<h2>Bins</h2>\n<p class=\"soft\">Point at a cell to see the name of its bin, and why it is excluded.</p>\n";
    for (number, (group, tally)) in GROUPS.iter().zip(&groups).enumerate() {
        let bins: Vec<(Bin, BinState<'_>)> =
            Bin::all().zip(states.iter().copied()).filter(|(bin, _)| bin.group == number).collect();
        matrix(&mut page, group, *tally, &bins);
    }
    runs(&mut page, merged);
    page + "</body>\n</html>\n"
}

fn benches(merged: &Merged) -> usize {
    let mut names: Vec<&str> = merged.runs().map(|run| run.name.as_str()).collect();
    names.dedup();
    names.len()
}

/// A text from a file, safe in HTML.
fn safe(text: &str) -> String {
    escape(visible(text)).into_owned()
}

// Writing to a string does not fail.
fn overview(page: &mut String, groups: &[Tally]) {
    *page += "<div class=\"wide\"><table><thead><tr><th>group</th><th>reached</th><th></th><th>holes</th>\
        <th>excluded</th><th>beyond</th></tr></thead>\n";
    for (group, tally) in GROUPS.iter().zip(groups) {
        let all = tally.reached + tally.holes;
        let bar = format!("<div class=\"bar\"><i style=\"width:{:.1}%\"></i></div>", tally.percent());
        let _ = writeln!(
            page,
            "<tr><td><a href=\"#{0}\">{0}</a></td><td class=\"number\">{1} of {2}</td>\
            <td>{3}</td>\
            <td class=\"number\">{4}</td><td class=\"number\">{5}</td><td class=\"number\">{6}</td></tr>",
            group.name,
            tally.reached,
            all,
            // Nothing can be reached or missing.
            if all == 0 { "" } else { &bar },
            tally.holes,
            tally.excluded,
            tally.beyond
        );
    }
    *page += "</table></div>\n";
}

fn holes(page: &mut String, merged: &Merged, all: bool) {
    let holes = merged.holes(all);
    if holes.is_empty() {
        *page += "<h2>Holes</h2>\n<p>None.</p>\n";
        return;
    }
    *page += "<h2>Holes</h2>\n<div class=\"wide\"><table><thead><tr><th>bin</th><th>nearest run</th>\
        <th>seed</th><th>the bin that it reached</th></tr></thead>\n";
    for hole in holes {
        let _ = write!(page, "<tr><td><code>{}</code></td>", hole.bin);
        let _ = match hole.nearest {
            Some((name, seed, bin)) => writeln!(
                page,
                "<td>{}</td><td class=\"number\">{seed}</td><td><code>{bin}</code></td></tr>",
                safe(&name)
            ),
            None => writeln!(page, "<td colspan=\"3\" class=\"soft\">no run reaches a bin of this group</td></tr>"),
        };
    }
    *page += "</table></div>\n";
}

fn own(page: &mut String, merged: &Merged) {
    let own = merged.own();
    if !own.is_empty() {
        *page += "<h2>Bins of testbenches</h2>\n<div class=\"wide\"><table><thead><tr><th>testbench</th><th>bin</th>\
            <th>events</th></tr></thead>\n";
        for (name, bin, hits, excluded) in own {
            let (class, said) = match (hits, excluded) {
                (0, Some(why)) => ("excluded", safe(why)),
                (0, None) => ("hole", "0".to_owned()),
                (hits, _) => ("reached", hits.to_string()),
            };
            let (name, bin) = (safe(name), safe(bin));
            let _ = writeln!(
                page,
                "<tr><td>{name}</td><td><code>{bin}</code></td><td class=\"number {class}\">{said}</td></tr>"
            );
        }
        *page += "</table></div>\n";
    }
    let properties = merged.properties();
    if !properties.is_empty() {
        *page += "<h2>Properties</h2>\n<div class=\"wide\"><table><thead><tr><th>testbench</th><th>property</th>\
            <th>triggered</th><th>passed</th><th>vacuous</th></tr></thead>\n";
        for (name, text, [triggered, passed, vacuous]) in properties {
            let class = if triggered == 0 { "hole" } else { "reached" };
            let _ = writeln!(
                page,
                "<tr><td>{}</td><td><code>{}</code></td><td class=\"number {class}\">{triggered}</td>\
                <td class=\"number\">{passed}</td><td class=\"number\">{vacuous}</td></tr>",
                safe(name),
                safe(text)
            );
        }
        *page += "</table></div>\n";
    }
}

/// A group as a table: a column for each value of the last dimension, a row for each combination of
/// the others. Rows whose bins are all excluded or beyond are left out.
fn matrix(page: &mut String, group: &BinGroup, tally: Tally, bins: &[(Bin, BinState<'_>)]) {
    let Some((last, others)) = group.dimensions.split_last() else { return };
    let _ = write!(
        page,
        "<details id=\"{0}\"{1}><summary>{0}: {2} of {3}</summary>\n<p class=\"soft\">{4}</p>\n\
        <div class=\"wide\"><table class=\"bins\"><thead><tr>",
        group.name,
        if tally.holes > 0 { " open" } else { "" },
        tally.reached,
        tally.reached + tally.holes,
        group.event
    );
    for dimension in others {
        let _ = write!(page, "<th>{}</th>", dimension.name);
    }
    for value in last.values {
        let _ = write!(page, "<th>{} {value}</th>", last.name);
    }
    *page += "</tr></thead>\n";
    let mut left_out = 0;
    for row in bins.chunks(last.values.len()) {
        if !row.iter().any(|(_, state)| matches!(state, BinState::Reached(_) | BinState::Hole)) {
            left_out += 1;
            continue;
        }
        *page += "<tr>";
        for (dimension, &value) in others.iter().zip(&row[0].0.values) {
            let _ = write!(page, "<th>{}</th>", dimension.values[value]);
        }
        for (bin, state) in row {
            let (class, said, why) = match *state {
                BinState::Reached(events) => ("reached", events.to_string(), ""),
                BinState::Hole => ("hole", "0".to_owned(), ": hole"),
                BinState::Excluded(why) => ("excluded", "excluded".to_owned(), &*safe(why)),
                BinState::Beyond => ("beyond", "beyond".to_owned(), ": beyond these networks"),
            };
            let between = if class == "excluded" { ": " } else { "" };
            let _ = write!(page, "<td class=\"{class}\" title=\"{bin}{between}{why}\">{said}</td>");
        }
        *page += "</tr>\n";
    }
    *page += "</table></div>\n";
    if left_out > 0 {
        let _ = writeln!(
            page,
            "<p class=\"soft\">{}, whose bins are all excluded or beyond, not shown.</p>",
            counted(left_out, "row")
        );
    }
    *page += "</details>\n";
}

fn runs(page: &mut String, merged: &Merged) {
    *page += "<h2>Runs</h2>\n<details><summary>All runs</summary><div class=\"wide\"><table><thead><tr><th>run</th>\
        <th>seed</th><th>cycles</th><th>bins</th></tr></thead>\n";
    for run in merged.runs() {
        let _ = writeln!(
            page,
            "<tr><td>{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td></tr>",
            safe(&run.name),
            run.seed,
            run.cycles,
            run.hardware.hits.len()
        );
    }
    *page += "</table></div></details>\n";
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coverage::{OwnBin, RunCoverage};

    #[test]
    fn a_text_of_a_testbench_is_no_html() {
        let text = "<script>x</script> && \"y\"".to_owned();
        let own = vec![OwnBin { text, hits: 1, excluded: None }];
        let mut merged = Merged::default();
        merged.add(RunCoverage { name: "<b>".into(), own, ..RunCoverage::default() }).unwrap();
        let page = page(&merged, true);
        assert!(!page.contains("<script>") && !page.contains("<b>"), "{page}");
        assert!(page.contains("&lt;script&gt;x&lt;/script&gt; &amp;&amp; &quot;y&quot;"), "{page}");
    }

    #[test]
    fn a_group_that_nothing_can_reach_has_no_bar() {
        assert!(!page(&Merged::default(), false).contains("class=\"bar\""));
        assert_eq!(page(&Merged::default(), true).matches("class=\"bar\"").count(), GROUPS.len());
    }

    #[test]
    fn every_group_has_its_table() {
        let page = page(&Merged::default(), true);
        for group in GROUPS {
            assert!(page.contains(&format!("<details id=\"{}\"", group.name)), "{}", group.name);
        }
    }
}
