//! Writes `docs/reference/configuration.md`, with every field of a configuration. The meaning of a
//! field comes from its declaration. Its allowed values and its default come from the program.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use wormscope::Loaded;
use wormscope::config::{self, Field};

use super::rust::{self, Declared, Item};
use super::{cell, code, head, holds};

/// Files that declare the fields and their words.
const SOURCES: [&str; 16] = [
    "hw/words.rs",
    "src/engine/limits.rs",
    "src/experiment/draw.rs",
    "src/experiment/groups.rs",
    "src/experiment/mod.rs",
    "src/experiment/multicast.rs",
    "src/experiment/pattern.rs",
    "src/experiment/run.rs",
    "src/experiment/settings.rs",
    "src/experiment/spmd.rs",
    "src/experiment/items.rs",
    "src/network/parameters.rs",
    "src/network/routing/kind.rs",
    "src/network/topology/mod.rs",
    "src/network/topology/netlist/graph.rs",
    "src/network/topology/uni_min.rs",
];

/// A table of fields: its title, the type that has them, the path to one, and an experiment with
/// only the fields that it needs.
struct Section {
    title: &'static str,
    of: &'static str,
    path: &'static str,
    plain: &'static str,
    /// Experiments in which fields that are absent there have values.
    others: &'static [&'static str],
}

const MESH: &str = "(network: (topology: mesh(radices: [8, 8])), workload: [])";
const NODE: &str = "(network: (topology: mesh(radices: [8, 8]), switch: (port_order: Some([\"north\", \"east\", \"south\", \
                    \"west\", \"node\"])), routing: Some(dimension_order), node: (ports: 4, injection_channels: 4, \
                    consumption_channels: 2, virtual_channels: 2, injection_depth: 2, consumption_depth: 8, costs: (), send_buffer: 4096, \
                    receive_buffer: 4096), clock_ns: 2.0), workload: [], run: (measure_cycles: 10000))";
const TOKENS: &str = "(network: (topology: bi_min(switch_ports: 4, stages: 3), token_ring: ()), workload: [messages([(cycle: 0, source: 0, \
     destinations: [1], payload_flits: 4)])])";
const GROUPS: &str = "(network: (topology: mesh(radices: [8, 8])), groups: [(name: \"left\", nodes: listed([1, 2, 3, 4]))], \
                      workload: [traffic(load: 0.01, payload_flits: 7, group: \"left\")])";

macro_rules! mesh {
    ($workload:literal) => {
        concat!("(network: (topology: mesh(radices: [8, 8])), workload: [", $workload, "])")
    };
}
macro_rules! grouped {
    ($workload:literal) => {
        concat!(
            "(network: (topology: mesh(radices: [8, 8])), groups: [(name: \"left\", nodes: listed([1, 2, 3, 4, 5, 6]))], \
             workload: [",
            $workload,
            "])"
        )
    };
}
macro_rules! programs {
    ($workload:literal) => {
        concat!(
            "(network: (topology: mesh(radices: [8, 8]), node: (costs: ())), groups: [(name: \"left\", nodes: \
             listed([1, 2, 3, 4]))], workload: [",
            $workload,
            "])"
        )
    };
}
macro_rules! topology {
    ($topology:literal) => {
        concat!("(network: (topology: ", $topology, "), workload: [])")
    };
}

const SECTIONS: [Section; 36] = [
    Section { title: "Top level", of: "Experiment", path: "", plain: MESH, others: &[] },
    Section { title: "`network`", of: "Network", path: "network", plain: MESH, others: &[NODE, TOKENS] },
    Section {
        title: "`topology: linear`",
        of: "Topology::linear",
        path: "network.topology.linear",
        plain: topology!("linear(nodes: 8)"),
        others: &[],
    },
    Section {
        title: "`topology: mesh`",
        of: "Topology::mesh",
        path: "network.topology.mesh",
        plain: MESH,
        others: &[],
    },
    Section {
        title: "`topology: torus`",
        of: "Topology::torus",
        path: "network.topology.torus",
        plain: "(network: (topology: torus(radices: [4, 4]), switch: (virtual_channels: 2)), workload: [])",
        others: &[],
    },
    Section {
        title: "`topology: uni_min`",
        of: "Topology::uni_min",
        path: "network.topology.uni_min",
        plain: topology!("uni_min(switch_ports: 4, stages: 3)"),
        others: &[],
    },
    Section {
        title: "`kind: custom` of `uni_min`",
        of: "UniMinKind::custom",
        path: "network.topology.uni_min.kind.custom",
        plain: topology!("uni_min(switch_ports: 2, stages: 1, kind: custom(permutations: [[0, 1], [1, 0]]))"),
        others: &[],
    },
    Section {
        title: "`topology: bi_min`",
        of: "Topology::bi_min",
        path: "network.topology.bi_min",
        plain: topology!("bi_min(switch_ports: 4, stages: 3)"),
        others: &[],
    },
    Section {
        title: "`topology: two_sided`",
        of: "Topology::two_sided",
        path: "network.topology.two_sided",
        plain: topology!("two_sided(switch_ports: 4, stages: 2)"),
        others: &[],
    },
    Section {
        title: "`topology: netlist`",
        of: "Topology::netlist",
        path: "network.topology.netlist",
        plain: topology!("netlist(text: \"switch a b\\nnode a.0\\nnode b.0\\nlink a.1 b.1\\n\")"),
        others: &[],
    },
    Section { title: "`switch`", of: "Switch", path: "network.switch", plain: MESH, others: &[NODE] },
    Section {
        title: "`link`, `injection_link` and `consumption_link`",
        of: "Link",
        path: "network.link",
        plain: MESH,
        others: &[],
    },
    Section { title: "`node`", of: "Node", path: "network.node", plain: MESH, others: &[NODE] },
    Section { title: "`costs`", of: "Costs", path: "network.node.costs", plain: NODE, others: &[] },
    Section {
        title: "`hold`, `send`, `receive` and `inter` of `costs`",
        of: "Cost",
        path: "network.node.costs.hold",
        plain: NODE,
        others: &[],
    },
    Section { title: "`token_ring`", of: "TokenRing", path: "network.token_ring", plain: TOKENS, others: &[] },
    Section { title: "`groups`", of: "Group", path: "groups[0]", plain: GROUPS, others: &[] },
    Section {
        title: "`messages`",
        of: "Message",
        path: "workload[0].messages[0]",
        plain: mesh!("messages([(cycle: 0, source: 0, destinations: [63], payload_flits: 16)])"),
        others: &[mesh!(
            "messages([(cycle: 0, source: 0, destinations: [63], payload_flits: 16, encoding: unicast, class: \"mine\")])"
        )],
    },
    Section {
        title: "`traffic`",
        of: "Traffic",
        path: "workload[0].traffic",
        plain: mesh!("traffic(load: 0.1, payload_flits: 7)"),
        others: &[
            grouped!(
                "traffic(interval: 100.0, encoding: bit_string, group: \"left\", class: \"mine\", lengths: uniform(least: 1, most: 8))"
            ),
            mesh!("traffic(load: 0.1, payload_flits: 7, algorithm: \"u_mesh\", destinations: 2, encoding: bit_string)"),
            mesh!("traffic(load: 0.1, payload_flits: 7, counts: uniform(least: 1, most: 8), encoding: bit_string)"),
            mesh!("traffic(load: 0.1, payload_flits: 7, from: 1000, until: 5000)"),
        ],
    },
    Section {
        title: "`counts: uniform`, and `lengths` and `bytes` likewise",
        of: "Draw::uniform",
        path: "workload[0].traffic.lengths.uniform",
        plain: mesh!("traffic(load: 0.1, lengths: uniform(least: 1, most: 8))"),
        others: &[],
    },
    Section {
        title: "`counts: normal`, and `lengths` and `bytes` likewise",
        of: "Draw::normal",
        path: "workload[0].traffic.lengths.normal",
        plain: mesh!("traffic(load: 0.1, lengths: normal(mean: 4.0, deviation: 2.0, least: 1, most: 8))"),
        others: &[],
    },
    Section {
        title: "`pattern: hot_spot`",
        of: "Pattern::hot_spot",
        path: "workload[0].traffic.pattern.hot_spot",
        plain: mesh!("traffic(load: 0.01, payload_flits: 7, pattern: hot_spot(nodes: [27], share: 0.5))"),
        others: &[],
    },
    Section {
        title: "`pattern: rectangle`",
        of: "Pattern::rectangle",
        path: "workload[0].traffic.pattern.rectangle",
        plain: mesh!(
            "traffic(load: 0.01, payload_flits: 7, encoding: bit_string, pattern: rectangle(width: 4, height: 2))"
        ),
        others: &[],
    },
    Section {
        title: "`pattern: matrix`",
        of: "Pattern::matrix",
        path: "workload[0].traffic.pattern.matrix",
        plain: mesh!(
            "traffic(load: 0.01, payload_flits: 7, pattern: matrix(text: \"source,destination,weight\\n0,1,1\\n1,0,1\\n\"))"
        ),
        others: &[],
    },
    Section {
        title: "`process: on_off`",
        of: "Process::on_off",
        path: "workload[0].traffic.process.on_off",
        plain: mesh!("traffic(load: 0.1, payload_flits: 7, process: on_off(on: 200.0, off: 800.0))"),
        others: &[],
    },
    Section {
        title: "`process: pareto`",
        of: "Process::pareto",
        path: "workload[0].traffic.process.pareto",
        plain: mesh!("traffic(load: 0.1, payload_flits: 7, process: pareto(on: 200.0, off: 800.0, shape: 1.5))"),
        others: &[],
    },
    Section {
        title: "`process: steps`",
        of: "Process::steps",
        path: "workload[0].traffic.process.steps",
        plain: mesh!("traffic(load: 0.1, payload_flits: 7, process: steps(dimension: 0))"),
        others: &[],
    },
    Section {
        title: "`spmd`",
        of: "Spmd",
        path: "workload[0].spmd",
        plain: programs!("spmd(compute: 100.0, bytes: exactly(8))"),
        others: &[programs!("spmd(compute: 100.0, bytes: exactly(8), group: \"left\")")],
    },
    Section {
        title: "`multicast`",
        of: "Multicast",
        path: "workload[0].multicast",
        plain: mesh!("multicast(source: 0, algorithm: \"opt_mesh\", bytes: 64)"),
        others: &[mesh!(
            "multicast(source: 0, destinations: [3, 5], algorithm: \"opt_mesh\", payload_flits: 4, class: \"mine\", times: 10, skip: 1, every: 1000)"
        )],
    },
    Section {
        title: "`multicasts`",
        of: "Multicasts",
        path: "workload[0].multicasts",
        plain: mesh!("multicasts(count: 2, algorithm: \"u_mesh\", payload_flits: 4)"),
        others: &[
            mesh!("multicasts(count: 2, destinations: 3, algorithm: \"u_mesh\", payload_flits: 4)"),
            grouped!(
                "multicasts(count: 2, destinations: 3, algorithm: \"u_mesh\", bytes: 64, group: \"left\", class: \"mine\", times: 10, skip: 1, every: 1000)"
            ),
        ],
    },
    Section {
        title: "`settings`",
        of: "Settings",
        path: "workload[0].multicast.settings",
        plain: mesh!("multicast(source: 0, algorithm: \"block_binomial\", bytes: 64)"),
        others: &[
            mesh!(
                "multicast(source: 0, destinations: [3, 5], algorithm: \"block_binomial\", bytes: 64, settings: (hold: 100.0, end: 200.0, block: 4))"
            ),
            mesh!(
                "multicast(source: 0, destinations: [3, 5], algorithm: \"hl\", bytes: 64, settings: (postal: 2.5, levels: all))"
            ),
            mesh!("multicast(source: 0, algorithm: \"bst\", bytes: 64, settings: (nu: 1))"),
            topology!("bi_min(switch_ports: 4, stages: 3)"),
            "(network: (topology: uni_min(switch_ports: 4, stages: 3)), workload: [multicast(source: 0, destinations: [3, 5], algorithm: \"c_min\", bytes: 64, settings: (candidates: 100))])",
        ],
    },
    Section {
        title: "`log_p`",
        of: "LogP",
        path: "workload[0].multicast.settings.log_p",
        plain: mesh!(
            "multicast(source: 0, algorithm: \"u_mesh\", bytes: 64, settings: (log_p: (latency: 300.0, overhead: 100.0, gap: 200.0)))"
        ),
        others: &[],
    },
    Section {
        title: "`stalls`",
        of: "Stall",
        path: "workload[0].stalls[0]",
        plain: mesh!("stalls([(node: 36, from: 300, until: 900)])"),
        others: &[
            mesh!("stalls([(link: \"rt_4_4.out0\", from: 300, until: 900)])"),
            mesh!("stalls([(arbiter: \"rt_4_4.out0\", first: \"in1\", from: 300, until: 900)])"),
        ],
    },
    Section { title: "`run`", of: "Run", path: "run", plain: MESH, others: &[NODE] },
    Section { title: "Entries of `workload`", of: "Workload", path: "", plain: MESH, others: &[] },
    Section { title: "`nodes` of a group", of: "GroupNodes", path: "", plain: MESH, others: &[] },
];

fn loaded(text: &str) -> Loaded {
    config::from_text("x", text, &[]).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// The type inside `Option<...>` and `Vec<...>`, without its module.
fn inner(of: &str) -> &str {
    let of = ["Option<", "Vec<"].iter().fold(of, |of, outer| of.strip_prefix(outer).unwrap_or(of));
    let of = of.strip_prefix("Vec<").unwrap_or(of).trim_end_matches('>');
    of.rsplit("::").next().unwrap()
}

fn type_of(of: &str, declared: &BTreeMap<String, Declared>) -> String {
    if let Some(of) = of.strip_prefix("Option<") {
        return type_of(of.strip_suffix('>').unwrap(), declared);
    }
    if let Some(of) = of.strip_prefix("Vec<") {
        return format!("list of {}", type_of(of.strip_suffix('>').unwrap(), declared));
    }
    match of.rsplit("::").next().unwrap() {
        "u32" | "u64" => "integer",
        "f64" => "number",
        "bool" => "true or false",
        "String" | "Source" | "MatrixText" => "text",
        "Clock" => "number or word",
        name if declared[name].is_choice => "word",
        _ => "fields",
    }
    .to_owned()
}

/// A field in an experiment that gives it a value, and its allowed values there.
struct Found {
    loaded: Loaded,
    field: Field,
    allowed: String,
}

impl Section {
    fn find(&self, name: &str, experiments: &[&str]) -> Option<Found> {
        let path = format!("{}{}{name}", self.path, if self.path.is_empty() { "" } else { "." });
        let mut best: Option<Found> = None;
        for text in experiments {
            let loaded = loaded(text);
            let all = config::paths(&loaded);
            let of = |wanted: &str| all.iter().find(|field| field.path == wanted).cloned();
            let Some(field) = of(&path) else { continue };
            let element = of(&format!("{path}[0][0]")).or_else(|| of(&format!("{path}[0]")));
            let asked = element.filter(|element| element.is_leaf).unwrap_or_else(|| field.clone());
            let allowed = config::allowed(&loaded, std::slice::from_ref(&asked)).remove(0);
            if field.value != "None" || best.is_none() {
                let is_value = field.value != "None";
                best = Some(Found { loaded, field, allowed });
                if is_value {
                    break;
                }
            }
        }
        best
    }

    fn items<'a>(&self, declared: &'a BTreeMap<String, Declared>) -> &'a [Item] {
        match self.of.split_once("::") {
            None => &declared[self.of].items,
            Some((of, variant)) => {
                let item = declared[of].items.iter().find(|item| item.name == variant);
                &item.unwrap_or_else(|| panic!("{} is not declared", self.of)).fields
            }
        }
    }

    fn experiments(&self) -> Vec<&'static str> {
        self.others.iter().copied().chain([self.plain]).collect()
    }
}

/// Allowed values of a field without the unit, and the unit.
fn split_unit(name: &str, allowed: &str) -> (String, &'static str) {
    for unit in ["flits per node and cycle", "cycles", "flits", "bits", "bytes", "ns"] {
        if let Some(at) = allowed.find(&format!(" {unit}")) {
            let end = at + 1 + unit.len();
            if allowed[end..].chars().next().is_none_or(|c| c == ' ') {
                return (format!("{}{}", &allowed[..at], &allowed[end..]), unit);
            }
        }
    }
    let unit = match name {
        "reach_limit_mib" => "MiB",
        "cycle" | "from" | "until" | "interval" | "hold" | "end" | "latency" | "overhead" | "gap" => "cycles",
        "bytes" => "bytes",
        "payload_flits" => "flits",
        _ => "",
    };
    (allowed.to_owned(), unit)
}

fn row(section: &Section, item: &Item, declared: &BTreeMap<String, Declared>) -> String {
    let kind = type_of(&item.of, declared);
    let of = declared.get(inner(&item.of));
    let plain = section.find(&item.name, &[section.plain]);
    let found = section.find(&item.name, &section.experiments());
    let leads = of.is_some_and(|of| !of.is_choice || inner(&item.of) == "Workload");
    let (mut range, mut unit) = (String::new(), "");
    if let (Some(found), false) = (&found, leads) {
        (range, unit) = match of {
            Some(of) => {
                let names: Vec<String> = of.items.iter().map(|word| code(&word.name)).collect();
                (names.join(", "), "")
            }
            None => split_unit(&item.name, &found.allowed),
        };
        if item.name == "algorithm" {
            "a name of [multicasts](#names-of-algorithms)".clone_into(&mut range);
        }
        if item.name == "group" {
            "the name of a group".clone_into(&mut range);
        }
        for (said, meant) in [
            ("an integer from 0 to", "0 to"),
            ("0 only, with the other fields as they are", "each position once"),
            ("a string in double quotes", "any text"),
            ("a list, [...]", "a list"),
        ] {
            range = range.replace(said, meant);
        }
    }
    let default = match (&plain, item.has_default) {
        (_, false) => "required".to_owned(),
        (_, true) if item.of.starts_with("Option<") => code("None"),
        (Some(plain), true) if leads && plain.field.value != "None" && plain.field.value != "[]" => String::new(),
        (Some(plain), true) => code(&plain.field.value),
        (None, true) => String::new(),
    };
    let example = match &found {
        Some(found) if !leads && found.field.value != "None" => code(&format!("{}: {}", item.name, found.field.value)),
        _ => String::new(),
    };
    let doc = cell(&item.doc);
    format!("| {} | {kind} | {range} | {unit} | {default} | {doc} | {example} |\n", code(&item.name))
}

/// Types that a field leads to, from the top on.
fn reachable(declared: &BTreeMap<String, Declared>) -> BTreeSet<String> {
    let (mut found, mut waiting) = (BTreeSet::new(), vec!["Experiment".to_owned()]);
    while let Some(name) = waiting.pop() {
        if let Some(of) = declared.get(&name)
            && found.insert(name)
        {
            let fields = of.items.iter().flat_map(|item| item.fields.iter().chain([item]));
            waiting.extend(fields.map(|item| inner(&item.of).to_owned()));
        }
    }
    found
}

fn page() -> String {
    let declared = rust::read(&SOURCES);
    let text = "This page lists every field of a configuration. A table has the fields of one pair of parentheses.\n\n\
                - **type**: `fields` have a table of their own. A `word` has a table below [Words](#words).\n\
                - **range**: what the program accepts. Some ranges depend on other fields, such as the number of\n  \
                nodes. On this page they are the ranges of an example.\n\
                - **default**: the value of a field that you leave out. `None` means no value.\n\n\
                `wormscope config --paths FILE` prints the fields of your file with the ranges of your network.\n\
                `wormscope config --example KIND` prints a file with comments.\n";
    let mut page = head("Fields of a configuration", text);
    for section in SECTIONS.iter().filter(|section| !section.path.is_empty() || section.of == "Experiment") {
        write!(page, "## {}\n\n", section.title).unwrap();
        page += "| field | type | range | unit | default | meaning | example |\n|---|---|---|---|---|---|---|\n";
        for item in section.items(&declared) {
            page += &row(section, item, &declared);
        }
        page.push('\n');
    }
    page += "## Words\n\nA word with parentheses has fields inside them.\n\n";
    for name in reachable(&declared).iter().filter(|name| declared[*name].is_choice) {
        write!(page, "### {}\n\n| word | meaning |\n|---|---|\n", title(name)).unwrap();
        for item in &declared[name].items {
            let more = if item.of.is_empty() && item.fields.is_empty() { "" } else { "(...)" };
            writeln!(page, "| {} | {} |", code(&format!("{}{more}", item.name)), cell(&item.doc)).unwrap();
        }
        page.push('\n');
    }
    let names = algorithms();
    write!(page, "## Names of algorithms\n\n[Multicast](../explain/multicast.md) explains the algorithms.\n\n")
        .unwrap();
    for name in names {
        writeln!(page, "- `{name}`").unwrap();
    }
    page
}

/// Name of a set of words in prose.
fn title(of: &str) -> String {
    if of == "Order" {
        return "Netlist routing".into();
    }
    let mut text = String::new();
    for c in of.chars() {
        if c.is_ascii_uppercase() && !text.is_empty() {
            text.push(' ');
        }
        text.push(if text.is_empty() { c } else { c.to_ascii_lowercase() });
    }
    text
}

/// The algorithms of multicasts, as the loader lists them.
fn algorithms() -> Vec<String> {
    let section = SECTIONS.iter().find(|section| section.of == "Multicast").unwrap();
    let found = section.find("algorithm", &[section.plain]).unwrap();
    found.allowed.split(", ").map(str::to_owned).collect()
}

#[test]
fn configuration_page_is_what_the_code_says() {
    let declared = rust::read(&SOURCES);
    for name in reachable(&declared) {
        let is_word = declared[&name].items.iter().all(|item| item.fields.is_empty());
        let has = |of: &str| SECTIONS.iter().any(|section| section.of == of);
        assert!(has(&name) || declared[&name].is_choice, "{name} has no table");
        for item in declared[&name].items.iter().filter(|item| !item.fields.is_empty()) {
            assert!(is_word || has(&format!("{name}::{}", item.name)), "{name}::{} has no table", item.name);
        }
    }
    holds("configuration.md", &page());
}

#[test]
fn bounds_on_the_page_are_accepted_and_the_next_values_are_not() {
    let declared = rust::read(&SOURCES);
    let mut tried = 0;
    for section in SECTIONS.iter().filter(|section| !section.path.is_empty()) {
        for item in section.items(&declared).iter().filter(|item| ["u32", "u64"].contains(&inner(&item.of))) {
            let Some(found) = section.find(&item.name, &section.experiments()) else { continue };
            let (range, _) = split_unit(&item.name, &found.allowed);
            let range = range.strip_prefix("an integer from ").unwrap_or(&range);
            let mut words = range.split_whitespace();
            let (Some(Ok(low)), Some("to"), Some(Ok(high))) =
                (words.next().map(str::parse::<i128>), words.next(), words.next().map(str::parse::<i128>))
            else {
                continue;
            };
            let own = format!("{}.{}", section.path, item.name);
            let is_list = item.of.contains("Vec<");
            let accepts = |value: i128| {
                let place = if is_list { format!("{own}[0]") } else { own.clone() };
                let place = if item.of.contains("Vec<Vec<") { format!("{own}[0][0]") } else { place };
                config::under(&found.loaded, &[format!("{place}={value}")]).map(|_| ())
            };
            for value in [low - 1, high + 1] {
                assert!(accepts(value).is_err(), "{own}={value} is accepted; {range}");
            }
            for value in [low, high] {
                // With the value of a bound, the rest of the experiment may be refused, but not the
                // bound.
                if let Err(error) = accepts(value) {
                    assert!(
                        !error.to_string().contains(&format!("{} is {value};", item.name)),
                        "{own}={value}: {error}"
                    );
                }
            }
            tried += 1;
        }
    }
    assert!(tried > 40, "{tried} fields with a range");
}
