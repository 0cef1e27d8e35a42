use wormscope_hw::{Encoding, NodeId, PortId, SwitchId, WormId};

use super::*;
use crate::deadlock::Relation;
use crate::engine::{Class, CycleAccount, Delivery, Observer, Totals, WormInfo};
use crate::output::Output;
use crate::report::summary::LinkStats;

/// A measured worm of 8 payload flits.
pub(super) fn worm(id: u32, source: u32, destinations: &[u32], created: u64) -> WormInfo {
    let many = destinations.len() > 1;
    WormInfo {
        id: WormId(id),
        source: NodeId(source),
        destinations: destinations.iter().map(|&node| NodeId(node)).collect(),
        encoding: if many { Encoding::BitString } else { Encoding::Unicast },
        header_flits: if many { 4 } else { 1 },
        payload_flits: 8,
        created,
        measured: true,
        class: Class::default(),
    }
}

/// Hands a worm's arrival at its first destinations to an observer: one tail each, injected in the
/// cycle after creation.
pub(super) fn deliver(observer: &mut impl Observer, worm: &WormInfo, tails: &[u64]) {
    for (&destination, &tail) in worm.destinations.iter().zip(tails) {
        let flits = worm.header_flits + worm.payload_flits;
        let (injected, head) = (worm.created + 1, tail - u64::from(worm.payload_flits));
        observer.delivered(worm, &Delivery { worm: worm.id, destination, injected, head, tail, flits, channel: 0 });
    }
}

fn link(switch: u32, flits: u64, blocked: u64, top: Option<u32>) -> LinkStats {
    let (top_worm, top_held) = (top.map(WormId), u64::from(top.is_some()) * 20);
    let (switch, port) = (SwitchId(switch), PortId(1));
    LinkStats { switch, port, parallel: 1, lanes: 1, flits, blocked, top_worm, top_held }
}

fn report(outcome: RunEnd) -> Report {
    let mut collector = Collector::new(0..100);
    let multicasts = [worm(0, 12, &[1, 5, 9], 0), worm(2, 3, &[0, 15], 10), worm(3, 7, &[4, 6], 20)];
    let unicast = worm(1, 5, &[6], 4);
    for worm in &multicasts {
        collector.created(worm);
    }
    collector.created(&unicast);
    deliver(&mut collector, &multicasts[0], &[30, 41, 60]);
    deliver(&mut collector, &multicasts[1], &[32, 37]);
    deliver(&mut collector, &multicasts[2], &[45]);
    deliver(&mut collector, &unicast, &[19]);
    let links = [link(0, 30, 0, Some(0)), link(1, 0, 0, None), link(2, 24, 16, Some(2)), link(3, 8, 0, None)];
    let run = RunSummary {
        experiment: "demo.ron",
        config_hash: "0123456789abcdef",
        seed: 1,
        network: "4x4 mesh, dimension_order",
        nodes: 16,
        clock_ns: 2.5,
        outcome,
        deadlock: (outcome == RunEnd::Deadlock).then(|| Relation {
            final_cycle: 60,
            detected: 70,
            cycle: Vec::new(),
            also: Vec::new(),
            behind: vec![3],
            table: "worm 2 holds a, wants b\nworm 3 holds b, wants a\n".to_owned(),
        }),
        totals: Totals {
            cycles: 80,
            flit_hops: 240,
            injected_flits: 45,
            consumed_flits: 90,
            worms_created: 4,
            worms_done: 3,
            evaluations: 200,
        },
        cycles: CycleAccount {
            moving: 240,
            no_credit: 20,
            lane_wait: 61,
            sibling: 9,
            token: 0,
            header: 30,
            endpoint: 1,
            token_wait: 0,
        },
        saturation: None,
        waited_for: Some((WormId(2), 40)),
        links: &links,
        utilisation: Utilisation { mean: 0.25, max: 0.5 },
        classes: collector.classes(),
        class_names: &[],
        software: &[],
        software_left_out: 0,
        link_names: &|switch, port| (format!("rt_{}_0.out{}", switch.0, port.0), format!("rt_{}_0", switch.0 + 1)),
        unblocked: &|worm| (worm.id.0 != 2).then_some(40),
    };
    Report::new(&run, &collector)
}

#[test]
fn the_summary_of_a_small_run_reads_like_this() {
    assert_eq!(text::summary(&report(RunEnd::CycleLimit)), GOLDEN.replace("VERSION", env!("CARGO_PKG_VERSION")));
}

#[test]
fn a_deadlock_is_told_line_by_line_at_the_top() {
    let text = text::summary(&report(RunEnd::Deadlock));
    let top: Vec<&str> = text.lines().skip(1).take(4).collect();
    assert!(top[0].starts_with("DEADLOCK after 80 cycles (200 ns)"));
    assert_eq!(top[2..], ["  worm 2 holds a, wants b", "  worm 3 holds b, wants a"]);
}

#[test]
fn a_run_without_traffic_has_a_short_summary() {
    let run = RunSummary {
        experiment: "idle.ron",
        config_hash: "0",
        seed: 1,
        network: "4x4 mesh",
        nodes: 16,
        clock_ns: 1.0,
        outcome: RunEnd::CycleLimit,
        deadlock: None,
        totals: Totals::default(),
        cycles: CycleAccount::default(),
        saturation: None,
        waited_for: None,
        links: &[],
        utilisation: Utilisation::default(),
        classes: &classes::Classes::default(),
        class_names: &[],
        software: &[],
        software_left_out: 0,
        link_names: &|_, _| Default::default(),
        unblocked: &|_| None,
    };
    let report = Report::new(&run, &Collector::new(0..10_000));
    assert_eq!((report.load, report.packet_latency), (None, None));
    let text = text::summary(&report);
    assert!(
        text.starts_with("idle.ron: 4x4 mesh\nstopped at the cycle limit after 0 cycles") && text.lines().count() < 16
    );
}

#[test]
fn of_many_multicasts_the_slowest_are_listed_in_a_screenful() {
    let mut collector = Collector::new(0..10_000);
    for id in 0..5000 {
        let worm = worm(id, 0, &[1, 2], 0);
        collector.created(&worm);
        deliver(&mut collector, &worm, &[30, 40 + u64::from(id % 100 == 7 && id < 1600) * 50]);
    }
    let links: Vec<LinkStats> = (0..64).map(|i| link(i, 5 + u64::from(i % 13), 0, None)).collect();
    let run = RunSummary {
        experiment: "many.ron",
        config_hash: "0",
        seed: 1,
        network: "8x8 mesh",
        nodes: 64,
        clock_ns: 1.0,
        outcome: RunEnd::Done,
        deadlock: None,
        totals: Totals { cycles: 100, ..Totals::default() },
        cycles: CycleAccount { moving: 1, ..CycleAccount::default() },
        saturation: None,
        waited_for: None,
        links: &links,
        utilisation: Utilisation { mean: 0.25, max: 0.5 },
        classes: collector.classes(),
        class_names: &[],
        software: &[],
        software_left_out: 0,
        link_names: &|switch, _| (switch.to_string(), String::new()),
        unblocked: &|_| Some(40),
    };
    let report = Report::new(&run, &collector);
    let links: Vec<(&str, u64)> = report.hottest_links.iter().map(|link| (link.from.as_str(), link.flits)).collect();
    let expected = [
        ("12", 17),
        ("25", 17),
        ("38", 17),
        ("51", 17),
        ("11", 16),
        ("24", 16),
        ("37", 16),
        ("50", 16),
        ("63", 16),
        ("10", 15),
    ];
    assert_eq!(links, expected);
    let text = text::summary(&report);
    assert!(
        text.contains("the slowest 16 of 5000, slowest first\n") && text.contains("(904 multicasts have no row"),
        "{text}"
    );
    assert!(text.lines().filter(|line| line.ends_with("2.25")).count() == 16, "{text}");
    assert!(text.lines().count() <= 60, "{text}");
}

#[test]
fn json_has_the_numbers_of_the_summary_under_documented_keys() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("run.json");
    json::write(&report(RunEnd::Done), Output::create(&path).unwrap()).unwrap().place().unwrap();
    let json: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let keys = |value: &serde_json::Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>().join(" ");
    assert_eq!(
        keys(&json),
        "clock_ns config_hash cycle_account deadlock experiment hops hottest_links latency_by_class load load_by_class \
         multicasts multicasts_left_out network network_latency nodes outcome packet_latency saturation schema_version seed \
         software_multicasts software_multicasts_left_out token_wait tool_version totals utilisation waited_for"
    );
    assert_eq!(
        keys(&json["multicasts"][0]),
        "arrived created destinations encoding first header_flits id last mean measured payload_flits slowdown source unblocked"
    );
    assert_eq!(keys(&json["packet_latency"]), "count max mean p50 p95 p99");
    assert_eq!(keys(&json["load"]), "accepted delivered from offered to");
    assert_eq!(json["schema_version"], 4);
    assert_eq!(json["outcome"], "done");
    assert_eq!(json["multicasts"].as_array().unwrap().len(), 3);
    assert_eq!(json["multicasts"][0]["slowdown"], 1.5);
    assert_eq!(json["multicasts"][1]["encoding"], "bit_string");
    assert_eq!(json["multicasts"][2]["last"], serde_json::Value::Null);
    assert_eq!((&json["hottest_links"][0]["top_worm"], &json["hottest_links"][1]["top_worm"]), (&0.into(), &2.into()));
    assert_eq!(json["cycle_account"][0]["percent"], 66.5);
    assert_eq!(keys(&json["latency_by_class"][0]), "class first last mean");
    assert_eq!(json["latency_by_class"][0]["last"]["max"], 60);
    assert_eq!(json["utilisation"]["max"], 0.5);
}

#[test]
fn json_that_cannot_be_written_is_an_error_with_its_path() {
    let error = Output::create("/nowhere/run.json".as_ref()).err().unwrap();
    assert!(error.to_string().starts_with("/nowhere/run.json: cannot be written"));
}

const GOLDEN: &str = "\
demo.ron: 4x4 mesh, dimension_order
stopped at the cycle limit after 80 cycles (200 ns), seed 1, config 0123456789abcdef, wormscope VERSION
3 of 4 worms arrived, 45 flits injected, 90 consumed, 240 flit-hops

multicasts, cycles from creation to the tail at a destination
 id  src  dests  encoding    header-flits |  first  mean  last |  unblocked |  slowdown
  0  n12      3  bit_string             4 |     30  43.7    60 |         40 |      1.50
  2  n3       2  bit_string             4 |     22  24.5    27 |          - |         -
  3  n7     1/2  bit_string             4 |     25  25.0     - |         40 |         -

latency of measured worms            deliveries   mean   p50    p95    p99    max
  packet: created to tail, cycles             7  31.43    27     60     60     60
                           ns                 7  78.57  67.5  150.0  150.0  150.0
  network: injected to tail, cycles           7  30.43    26     59     59     59
                             ns               7  76.07  65.0  147.5  147.5  147.5

load in cycles 0 to 79, flits per node and cycle; accepted counts at the tail
  offered 0.0352  accepted 0.0305  delivered, every copy counted 0.0633

where cycles went     %  worm-cycles
  moving           66.5          240
  no credit         5.5           20
  lane wait        16.9           61  40 of them for worm 2
  sibling           2.5            9
  token             0.0            0
  header            8.3           30
  endpoint          0.3            1

hottest links, all cycles  to      utilisation %  blocked %  top worm  held it
  rt_0_0.out1              rt_1_0           37.5        0.0         0       20
  rt_2_0.out1              rt_3_0           30.0       20.0         2       20
  rt_3_0.out1              rt_4_0           10.0        0.0         -        -
";
