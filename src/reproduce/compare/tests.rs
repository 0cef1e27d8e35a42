//! Tests that the comparisons have printed values next to ours.

use super::*;

/// The cells of the rows of a table under a heading.
fn rows<'a>(text: &'a str, heading: &str) -> Vec<Vec<&'a str>> {
    let table = text.split(heading).nth(1).unwrap_or_else(|| panic!("no {heading} in\n{text}"));
    let lines = table.lines().skip(2).take_while(|line| line.trim_start().starts_with(|c: char| c.is_ascii_digit()));
    lines.map(|line| line.split_whitespace().collect()).collect()
}

#[test]
fn tables_of_the_parameterised_model_come_out_as_printed_and_figures_on_the_hardware() {
    let found = parameterised(20, 55, &[2, 9, 64]).unwrap();
    let latency = rows(&found.text, "cycles");
    assert_eq!(latency.len(), 3);
    for row in latency {
        assert!(row[1..].chunks(2).all(|pair| pair[0] == pair[1]), "{row:?}");
    }
    assert!(found.text.contains("19631    19631     21669    21669"), "{}", found.text);
    for row in rows(&found.text, "table 4.3") {
        assert_eq!([row[1], row[4], row[6], row[8]], [row[2], row[5], row[7], row[9]], "{row:?}");
    }
    let ports = rows(&found.text, "table 4.4");
    assert_eq!(ports.len(), 11);
    for row in ports {
        // Sizes and columns of four words each; of the tree of two nodes there are no columns.
        let columns = if row[0] == "2" { 1 } else { 4 };
        assert_eq!(row[1..5], row[5..9], "{row:?}");
        assert_eq!(row[9..9 + columns], row[9 + columns..9 + 2 * columns], "{row:?}");
        assert_eq!(row[row.len() - 2], row[row.len() - 1], "{row:?}");
    }
    // The hardware adds less than a unit.
    for (row, printed) in rows(&found.text, "figures 5.4").iter().zip([130.0, 165.0, 130.0, 165.0]) {
        let hardware: f64 = row.iter().rev().find_map(|cell| cell.contains('.').then(|| cell.parse().ok())?).unwrap();
        assert!((printed..printed + 1.0).contains(&hardware), "{row:?}");
    }
    assert_eq!(found.charts.len(), 1);
}

#[test]
fn parameters_faster_than_the_hardware_are_refused() {
    let refused = parameterised(20, 3, &[4]).unwrap_err().to_string();
    assert!(refused.starts_with("t_end is 3; the hardware alone takes "), "{refused}");
}

#[test]
fn tables_of_kp_stand_beside_what_is_printed_and_only_named_misfits_are_off() {
    let found = kp(3, &mut || true).unwrap();
    assert_eq!(found.text.matches("\ntable ").count(), 8);
    let odd = rows(&found.text, "table 1, U-mesh, odd D");
    assert_eq!(odd.len(), 10);
    for row in odd {
        assert_eq!(format!("{}.00", row[2]), row[4], "{row:?}");
        assert_eq!(row[4], row[6], "{row:?}");
    }
    let complete = rows(&found.text, "table 2, U-mesh");
    assert!(complete.iter().rev().take(3).all(|row| row.contains(&"misfit")), "{complete:?}");
    assert_eq!(found.charts[0].series.len(), 10);
}

#[test]
fn schedules_of_seidel_cost_what_table_1_says() {
    let found = seidel();
    let table = found.text.split("Table I\n").nth(1).unwrap().split("  (").next().unwrap();
    let rows = table.lines().skip(1).count();
    assert!(rows >= 24, "{rows} rows");
    for line in table.lines().skip(1) {
        let cells: Vec<&str> = line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect();
        assert_eq!(cells[3], cells[4], "{line}");
    }
    // Equation 4 is right for nu = 0, and too high by (1 - 2^-nu)^2 for larger nu.
    for by in ["0 m a", "0.25 m a", "0.5625 m a"] {
        assert!(found.text.contains(&format!("  {by}\n")), "{by}");
    }
    // Every mark is on its line.
    for chart in &found.charts {
        for pair in chart.series.chunks(2) {
            for mark in &pair[1].points {
                assert!(
                    pair[0].points.iter().any(|at| (at.0 - mark.0).abs() + (at.1 - mark.1).abs() < 1e-9),
                    "{mark:?}"
                );
            }
        }
    }
}

#[test]
fn latencies_of_atbm_are_those_of_the_formula() {
    let found = atbm().unwrap();
    for pair in found.charts[..2].iter().flat_map(|chart| chart.series.chunks(2)) {
        assert_eq!(pair[0].points, pair[1].points);
    }
    // The worked latency of section 5.2: 2.12 us, in cycles of 20 ns. The hardware takes three
    // cycles more for the links that the head crosses, and half a cycle less for the token.
    let worked = found.text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    let worked: Vec<_> = worked.filter(|row| row.len() == 10 && row[..2] == ["64", "8x8"]).collect();
    assert_eq!(worked.len(), 4);
    for row in &worked[1..] {
        assert_eq!(row[8..], ["106", "108.5"], "{row:?}");
    }
    // One destination takes no token.
    assert_eq!(worked[0][8..], ["102", "105"]);
}

#[test]
fn the_paths_of_tpp_have_the_printed_lengths() {
    let found = tpp().unwrap();
    let paths = rows(&found.text, "from label 16");
    assert!(paths[..2].iter().all(|row| row[row.len() - 1] == row[row.len() - 2]), "{}", found.text);
    assert!(found.text.contains("23 channels together, the longer path has 14"), "{}", found.text);
}
