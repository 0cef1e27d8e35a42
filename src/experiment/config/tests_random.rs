//! Tests of random and mutated input. It never panics, and an error is always one paragraph.

use proptest::prelude::*;

use super::{KINDS, example, from_text};
use crate::workload::trace_csv::TraceCsv;

/// Text that is almost a configuration.
fn mutated() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        any::<String>(),
        proptest::sample::select(vec![
            "(",
            ")",
            "[",
            "]",
            "{",
            "}",
            ",",
            ":",
            "\"",
            "'",
            "/*",
            "*/",
            "//",
            "#![enable(",
            "r#\"",
            "-",
            "1e999",
            "NaN",
            "inf",
            ".",
            "4294967296",
            "18446744073709551616",
            "0",
            "Some(",
            "None",
            "mesh(",
            "torus(",
            "traffic((",
            "messages([",
            "é",
            "\0",
        ])
        .prop_map(str::to_owned),
    ];
    let edit = (any::<prop::sample::Index>(), 0..12_usize, piece);
    (proptest::sample::select(KINDS.to_vec()), prop::collection::vec(edit, 1..4)).prop_map(|(kind, edits)| {
        // Comments would take most of the edits.
        let code = example(kind).unwrap().lines().filter(|line| !line.trim_start().starts_with("//"));
        let mut text: Vec<char> = code.flat_map(|line| line.trim().chars().chain(['\n'])).collect();
        for (at, cut, piece) in edits {
            let at = at.index(text.len());
            let end = (at + cut).min(text.len() - 1);
            text.splice(at.min(end)..end, piece.chars());
        }
        text.into_iter().collect()
    })
}

/// Loads without a panic. An error is one paragraph.
fn survives(text: &str, sets: &[String]) {
    if let Err(error) = from_text("x.ron", text, sets) {
        let shown = error.to_string();
        assert!(!shown.contains('\n') && shown.len() < 2000, "{shown}");
    }
}

proptest! {
    #![proptest_config(crate::properties::cases(2000))]

    #[test]
    fn any_text_is_loaded_or_refused(text in any::<String>()) {
        survives(&text, &[]);
    }

    #[test]
    fn any_mutated_configuration_is_loaded_or_refused(text in mutated()) {
        survives(&text, &[]);
    }

    #[test]
    fn any_override_is_applied_or_refused(
        path in "(network|run|workload\\[[01]\\])(\\.(switch|topology|mesh|traffic|pattern|hot_spot|node|[a-z\\[\\].]{0,8})){0,3}",
        value in ".{0,30}",
    ) {
        survives(example("traffic").unwrap(), &[format!("{path}={value}")]);
    }

    #[test]
    fn any_bytes_are_a_trace_or_refused(
        header in any::<bool>(),
        lines in prop::collection::vec("[0-9 ,#\"\\-\r\n]{0,12}|[0-9]{1,3},[0-9]{1,2},[0-9 ]{0,9},(bit_string|multidestination|),[0-9]{1,9}|.{0,9}", 0..6),
        tail in prop::collection::vec(any::<u8>(), 0..20),
    ) {
        let network = from_text("m", "(network: (topology: mesh(radices: [4, 4])))", &[]).unwrap().experiment.network;
        let head = if header { "cycle,source,destinations,encoding,payload_flits\n" } else { "" };
        let bytes = [head.as_bytes(), lines.join("\n").as_bytes(), &tail].concat();
        if let Ok(trace) = TraceCsv::new("t.csv", &bytes[..], &network) {
            for message in trace.flatten() {
                prop_assert!(message.source < 16 && message.payload_flits > 0);
            }
        }
    }
}
