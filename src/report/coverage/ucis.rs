//! Coverage as UCIS XML, the interchange format of Accellera, for tools of other makers.
//!
//! Each group is a cover group with one cover point, and each bin a bin. An excluded bin has the
//! type `illegal`, and a bin beyond the networks the type `ignore`. The format wants a time, which
//! is a constant, so that equal runs give equal files.

use std::fmt::Write as _;

use quick_xml::escape::escape;

use super::merged::{BinState, Merged};
use crate::coverage::{Bin, GROUPS};
use crate::quote::visible;

/// Time of all files.
const TIME: &str = "1970-01-01T00:00:00";

/// The document.
#[must_use]
pub fn ucis(merged: &Merged) -> String {
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
        <UCIS xmlns:ucis=\"http://www.w3.org/2001/XMLSchema-instance\" writtenBy=\"wormscope\" writtenTime=\"{TIME}\" \
        ucisVersion=\"1.0\">\n<sourceFiles fileName=\"wormscope\" id=\"1\"/>\n"
    );
    // Writing to a string does not fail.
    for (number, run) in merged.runs().enumerate() {
        let _ = writeln!(
            text,
            "<historyNodes historyNodeId=\"{number}\" logicalName=\"{}\" physicalName=\"{}\" kind=\"1\" \
            testStatus=\"{}\" simtime=\"{}\" timeunit=\"cycles\" runCwd=\".\" cpuTime=\"0.0\" seed=\"{}\" cmd=\"\" \
            args=\"\" compulsory=\"0\" date=\"{TIME}\" userName=\"user\" cost=\"0.0\" \
            toolCategory=\"UCIS:simulator\" ucisVersion=\"1.0\" vendorId=\"wormscope\" vendorTool=\"wormscope\" \
            vendorToolVersion=\"{}\"/>",
            escaped(&run.name),
            escaped(&run.name),
            !run.failed,
            run.cycles,
            run.seed,
            env!("CARGO_PKG_VERSION"),
        );
    }
    text += "<instanceCoverages name=\"wormscope\" key=\"0\" instanceId=\"0\" moduleName=\"wormscope\">\n\
        <id file=\"1\" line=\"1\" inlineCount=\"1\"/>\n<covergroupCoverage>\n";
    let states = merged.states(false);
    for (number, group) in GROUPS.iter().enumerate() {
        let bins = Bin::all().zip(&states).filter(|(bin, _)| bin.group == number);
        let bins = bins.map(|(bin, state)| {
            let (kind, count) = match *state {
                BinState::Reached(count) => ("bins", count),
                BinState::Hole => ("bins", 0),
                BinState::Excluded(_) => ("illegal", 0),
                BinState::Beyond => ("ignore", 0),
            };
            let name = bin.to_string();
            (name.trim_start_matches(group.name).trim_start_matches('/').to_owned(), kind, count)
        });
        cover_group(&mut text, group.name, bins);
    }
    let own = merged.own();
    let mut benches: Vec<&str> = own.iter().map(|of| of.0).collect();
    benches.dedup();
    for bench in benches {
        let bins = own.iter().filter(|of| of.0 == bench);
        let bins = bins.map(|&(_, bin, hits, excluded)| {
            (bin.to_owned(), if excluded.is_some() { "illegal" } else { "bins" }, hits)
        });
        cover_group(&mut text, bench, bins);
    }
    text + "</covergroupCoverage>\n</instanceCoverages>\n</UCIS>\n"
}

fn cover_group(text: &mut String, name: &str, bins: impl Iterator<Item = (String, &'static str, u64)>) {
    let name = escaped(name);
    let _ = writeln!(
        text,
        "<cgInstance name=\"{name}\" key=\"0\">\n\
        <options weight=\"1\" goal=\"100\" at_least=\"1\" per_instance=\"true\" merge_instances=\"true\"/>\n\
        <cgId cgName=\"{name}\" moduleName=\"wormscope\">\
        <cginstSourceId file=\"1\" line=\"1\" inlineCount=\"1\"/>\
        <cgSourceId file=\"1\" line=\"1\" inlineCount=\"1\"/></cgId>\n\
        <coverpoint name=\"{name}\" key=\"0\">\n\
        <options weight=\"1\" goal=\"100\" at_least=\"1\" auto_bin_max=\"64\" detect_overlap=\"false\"/>"
    );
    for (bin, kind, count) in bins {
        let _ = writeln!(
            text,
            "<coverpointBin name=\"{}\" type=\"{kind}\" key=\"0\"><range from=\"-1\" to=\"-1\">\
            <contents coverageCount=\"{count}\"/></range></coverpointBin>",
            escaped(&bin)
        );
    }
    *text += "</coverpoint>\n</cgInstance>\n";
}

/// A text of a file, within quotes.
fn escaped(text: &str) -> String {
    escape(visible(text)).into_owned()
}
