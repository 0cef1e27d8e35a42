//! Allowed values of each field of an experiment, in words.

use std::collections::HashMap;

use super::paths::{Field, NONE, paths};
use super::under;
use crate::experiment::Loaded;
use crate::input::ConfigError;

/// Allowed values of each field, in words. The reader and the checks themselves give the answers,
/// so the answers agree with them. Elements of a list have one answer.
#[must_use]
pub fn allowed(loaded: &Loaded, fields: &[Field]) -> Vec<String> {
    let mut known: HashMap<String, String> = HashMap::new();
    let all = paths(loaded);
    let answer = |field: &Field| {
        let general: String = field
            .path
            .split('[')
            .enumerate()
            .map(|(n, part)| {
                if n == 0 {
                    part.to_owned()
                } else {
                    part.split_once(']').map_or(String::new(), |(_, rest)| format!("[]{rest}"))
                }
            })
            .collect();
        known.entry(general).or_insert_with(|| of(loaded, field, &all)).clone()
    };
    fields.iter().map(answer).collect()
}

fn of(loaded: &Loaded, field: &Field, all: &[Field]) -> String {
    let path = &field.path;
    let others = others(field, all);
    // The first value is a name that nothing has. Then come the ends of all readable numbers.
    let refusal = |value: &str| {
        let sets: Vec<String> = others.iter().cloned().chain([format!("{path}={value}")]).collect();
        under(loaded, &sets).err().map(|error| message(&error))
    };
    let Some(first) = refusal("no_such_thing") else { return "any name".to_owned() };
    let kind = match (first.rsplit_once("allowed: "), first.split_once("expected ")) {
        (Some((_, allowed)), _) => return allowed.to_owned(),
        (None, Some((_, expected))) => expected.split(", found").next().unwrap_or(expected).to_owned(),
        (None, None) => return first,
    };
    let integers: Option<u64> = kind.strip_prefix("an integer from 0 to ").and_then(|largest| largest.parse().ok());
    let largest = integers.unwrap_or_default().to_string();
    let ends: &[&str] = match &kind {
        _ if integers.is_some() => &["0", &largest],
        kind if kind.starts_with("a number") => &["-1.0", "1e300", "0.0"],
        kind if kind.starts_with("a string") => &["\"no such thing\""],
        _ => &[],
    };
    let told = ends.iter().filter_map(|end| Some((end, refusal(end)?))).find_map(|(end, why)| {
        let (_, allowed) = why.rsplit_once("allowed: ")?;
        // A strange value can also break a rule of another field. This search ignores such errors.
        let names = why.contains(path.rsplit('.').next().unwrap_or(path)) || why.contains(end);
        let is_range =
            allowed.starts_with("above") || allowed.starts_with(char::is_numeric) && allowed.contains(" to ");
        let is_list = kind.starts_with("a string") && !allowed.contains(*end);
        (names && (is_range || is_list)).then(|| allowed.to_owned())
    });
    let accepts = |value: u64| refusal(&value.to_string()).is_none();
    let found = || {
        let known = field.value.parse().ok().or_else(|| (0..8).map(|n| 1 << n).find(|&value| accepts(value)));
        Some(range(known?, integers?, &accepts)? + unit(path))
    };
    told.or_else(found).unwrap_or(kind)
}

/// Values to set beside a field that is None, so that it may have a value. Fields that exclude it
/// become None. The other field of its pair gets a value.
fn others(field: &Field, all: &[Field]) -> Vec<String> {
    const ONE_OF: [&[&str]; 8] = [
        &["load", "interval"],
        &["payload_flits", "lengths", "bytes"],
        &["destinations", "counts"],
        &["hold", "log_p"],
        &["hold", "postal"],
        &["end", "log_p"],
        &["end", "postal"],
        &["log_p", "postal"],
    ];
    const PAIR: [&str; 2] = ["hold", "end"];
    let (above, name) = field.path.rsplit_once('.').unwrap_or_default();
    if field.value != NONE {
        return Vec::new();
    }
    let beside = |other: &str| all.iter().find(|of| of.path == format!("{above}.{other}"));
    let is_given = |other: &str| beside(other).is_some_and(|of| of.value != NONE);
    let mut excluded: Vec<&str> = ONE_OF.into_iter().filter(|of| of.contains(&name)).flatten().copied().collect();
    excluded.retain(|other| *other != name && is_given(other));
    let mut sets: Vec<String> = excluded.iter().map(|other| format!("{above}.{other}={NONE}")).collect();
    let partner = PAIR.into_iter().find(|other| PAIR.contains(&name) && *other != name && !is_given(other));
    sets.extend(partner.filter(|other| beside(other).is_some()).map(|other| format!("{above}.{other}=1.0")));
    sets
}

/// The unit of a field whose range is found by trying values.
fn unit(path: &str) -> &'static str {
    match path.rsplit('.').next() {
        Some("payload_flits") => " flits",
        Some("bytes") => " bytes",
        _ => "",
    }
}

/// The range of accepted integers up to `largest` around `accepted`, if the checks name no range.
/// `None` if all integers are accepted, or if the accepted integers have gaps.
fn range(accepted: u64, largest: u64, accepts: &dyn Fn(u64) -> bool) -> Option<String> {
    // The last accepted value on the way to an end.
    let last = |end: u64| {
        if accepts(end) {
            return end;
        }
        let (mut inside, mut outside) = (accepted, end);
        while inside.abs_diff(outside) > 1 {
            let middle = inside.midpoint(outside);
            *(if accepts(middle) { &mut inside } else { &mut outside }) = middle;
        }
        inside
    };
    let (low, high) = (last(0), last(largest));
    let has_gaps =
        (0..64).map(|n| 1 << n).any(|value| !(low..=high).contains(&value) && value <= largest && accepts(value));
    match (low, high) {
        _ if has_gaps || (low, high) == (0, largest) => None,
        _ if low == high => Some(format!("{low} only, with the other fields as they are")),
        _ => Some(format!("{low} to {high}")),
    }
}

fn message(error: &ConfigError) -> String {
    match error {
        ConfigError::Invalid { message, .. } => message.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::from_text;
    use super::*;

    fn mesh() -> Loaded {
        let text = "(network: (topology: mesh(radices: [4, 4])), workload: [traffic(load: 0.1, payload_flits: 7)])";
        from_text("x", text, &[]).unwrap()
    }

    #[test]
    fn what_a_field_may_be_is_what_the_checks_say() {
        let loaded = mesh();
        let fields = paths(&loaded);
        let all = allowed(&loaded, &fields);
        let of = |path: &str| all[fields.iter().position(|field| field.path == path).unwrap()].as_str();
        assert_eq!(of("network.switch.fifo_depth"), "1 to 65535 flits");
        assert_eq!(of("network.switch.routing_cycles"), "0 to 1024 cycles");
        assert_eq!(
            of("network.switch.arbiter"),
            wormscope_hw::Arbiter::ALL.map(wormscope_hw::Arbiter::name).join(", ")
        );
        assert_eq!(of("workload[0].traffic.load"), "above 0, up to 1 flits per node and cycle (injection_channels)");
        assert_eq!(of("run.seed"), "an integer from 0 to 18446744073709551615");
        assert_eq!(of("network.topology.mesh.radices[0]"), "1 to 65535");
        assert_eq!(of("workload[0].traffic.payload_flits"), "1 to 16777214 flits");
        assert_eq!(of("network.reach_limit_mib"), "an integer from 0 to 4294967295");
        assert!(all.iter().all(|allowed| !allowed.is_empty()));
    }

    #[test]
    fn what_a_field_may_be_is_asked_of_every_kind() {
        let text = "(network: (topology: mesh(radices: [4, 4])), workload: [
            messages([(cycle: 0, source: 1, destinations: [2], payload_flits: 4)]),
            multicast(source: 0, destinations: [3, 5], algorithm: \"opt_mesh\", bytes: 64, settings: (hold: 1, end: 2)),
            traffic(load: 0.01, pattern: hot_spot(nodes: [3], share: 0.5), payload_flits: 4),
            traffic(load: 0.01, pattern: transpose, payload_flits: 4),
        ])";
        let loaded = from_text("x", text, &[]).unwrap();
        let fields = paths(&loaded);
        let all = allowed(&loaded, &fields);
        let place =
            |field: &str| fields.iter().position(|known| known.path == field).unwrap_or_else(|| panic!("{field}"));
        for (field, expected) in [
            ("workload[0].messages[0].source", "0 to 15 (16 nodes)"),
            ("workload[0].messages[0].destinations[0]", "0 to 15 (16 nodes)"),
            ("workload[0].messages[0].payload_flits", "1 to 16777214 flits"),
            ("workload[1].multicast.bytes", "1 to 134217712 bytes"),
            ("workload[1].multicast.payload_flits", "1 to 16777214 flits"),
            ("workload[1].multicast.settings.hold", "0 to 1000000000 cycles"),
            ("workload[1].multicast.settings.block", "an integer from 0 to 4294967295"),
            (
                "workload[1].multicast.settings.postal",
                "1 to 1000000000 (a message takes at least as long as its sender)",
            ),
            (
                "workload[2].traffic.interval",
                "5 to 1000000000000000000 cycles (5 flits a message through 1 injection_channels)",
            ),
            ("workload[2].traffic.pattern.hot_spot.nodes[0]", "0 to 15 (16 nodes)"),
            // The range of the field alone. A transposed mesh must also be square.
            ("network.topology.mesh.radices[0]", "1 to 65535"),
        ] {
            assert_eq!(all[place(field)], expected, "{field}");
        }
        assert!(all[place("workload[1].multicast.algorithm")].starts_with("sequential, chain, "), "{fields:?}");
        let only = range(4, 65535, &|value| value == 4);
        assert_eq!(only.as_deref(), Some("4 only, with the other fields as they are"));
    }

    #[test]
    fn a_field_that_is_none_has_the_range_of_its_values() {
        let text = "(network: (topology: mesh(radices: [4, 4])), groups: [(name: \"a\", nodes: listed([1, 2]))], workload: [
            multicast(source: 0, destinations: [3, 5], algorithm: \"opt_mesh\", payload_flits: 4, settings: (postal: 2)),
            traffic(interval: 90, lengths: uniform(least: 1, most: 8), group: \"a\"),
        ])";
        let loaded = from_text("x", text, &[]).unwrap();
        let fields = paths(&loaded);
        let all = allowed(&loaded, &fields);
        for (field, expected) in [
            ("workload[0].multicast.bytes", "1 to 134217712 bytes"),
            ("workload[0].multicast.settings.end", "0 to 1000000000 cycles"),
            ("workload[1].traffic.load", "above 0, up to 1 flits per node and cycle (injection_channels)"),
            // The interval has room for 90 flits, one of them the header.
            ("workload[1].traffic.payload_flits", "1 to 89 flits"),
            ("workload[1].traffic.lengths.uniform.least", "1 to 16777214 flits"),
            ("workload[1].traffic.lengths.uniform.most", "1 to 16777214 flits"),
            ("workload[1].traffic.group", "a name in groups: \"a\""),
            ("groups[0].name", "a string in double quotes"),
        ] {
            assert_eq!(all[fields.iter().position(|known| known.path == field).unwrap()], expected, "{field}");
        }
    }

    #[test]
    fn ranges_have_no_gaps() {
        assert_eq!(range(8, 1000, &|value| value > 2 && value < 77).unwrap(), "3 to 76");
        assert_eq!(range(8, 1000, &|_| true), None);
        assert_eq!(range(8, 1000, &u64::is_power_of_two), None);
        assert_eq!(range(8, 1000, &|value| value == 8).unwrap(), "8 only, with the other fields as they are");
    }
}
