//! The property engine of testbenches, held to an evaluator written from the documentation: on
//! random traces, and on runs read back from their dumps.

use std::sync::LazyLock;

use proptest::prelude::*;
use proptest::sample::Index;
use wormscope::engine::{CommitLog, ConsumeSample, FlitId, InSample, LaneState, LinkWaits, Observer, OutSample};
use wormscope::hw::{Encoding, NodeId, PortMask, SwitchId, WormId};
use wormscope::network::{Network, Topology};
use wormscope::testbench::monitor::{Monitor, PropertyOutcome};
use wormscope::testbench::{Bench, from_text, property};
use wormscope::trace::DumpEnd;
use wormscope_testbenches::drive::{network, wiring};
use wormscope_testbenches::properties::{Form, Property, Signal, Trace, properties};
use wormscope_testbenches::random::cases;

/// A line of two whose flits are wider than a word.
fn line() -> Network {
    let mut line = network(Topology::Linear { nodes: 2 });
    line.switch.flit_bits = 100;
    line
}

/// The signals of it that a [`Story`] drives.
fn signals() -> Vec<Signal> {
    let all = [
        ("rt_0.in0.state", 3),
        ("rt_0.in0.fifo_count", 3),
        ("rt_0.in0.worm", 32),
        ("rt_0.out0.valid", 1),
        ("rt_0.out0.credits", 3),
        ("rt_0.out0.owner", 8),
        ("rt_0.out0.data", 100),
        ("node1.ej.valid", 1),
        ("node1.ej.flit", 32),
    ];
    all.into_iter().map(|(name, bits)| Signal::new(name, bits)).collect()
}

/// Reports of one cycle: an input lane, an output lane with its data, a flit that arrives.
type Report = (Option<(usize, u16, Option<u32>)>, Option<(bool, u16, Option<u8>, u128)>, Option<u32>);

/// A run that no engine computed. Cycles without a report change nothing.
#[derive(Clone, Debug)]
struct Story {
    cycles: Vec<Report>,
    at_rest: bool,
}

impl Story {
    /// Values of its signals, cycle by cycle.
    fn trace(&self) -> Trace {
        let none = u128::from(u32::MAX);
        let (mut input, mut output) = ([0, 0, none], [0, 4, 255, 0]);
        let shown = self.cycles.iter().map(|(of_input, of_output, arrival)| {
            if let Some((state, count, worm)) = *of_input {
                input = [state as u128, count.into(), worm.map_or(none, u128::from)];
            }
            if let Some((valid, credits, owner, data)) = *of_output {
                let owner = owner.map_or(255, u128::from);
                output = [valid.into(), credits.into(), owner, if valid { data } else { output[3] }];
            }
            let arrival = arrival.map_or([0, none], |flit| [1, flit.into()]);
            [&input[..], &output, &arrival].concat()
        });
        shown.collect()
    }

    /// Tells it to an observer as an engine would.
    fn tell(&self, observer: &mut impl Observer) {
        for (cycle, (input, output, arrival)) in (0..).zip(&self.cycles) {
            let mut log = CommitLog { cycle, ..CommitLog::default() };
            let switch = SwitchId(0);
            let flit = |index| FlitId { worm: WormId(0), index };
            log.inputs.extend(input.map(|(state, fifo_count, worm)| InSample {
                switch,
                lane: 0,
                state: LaneState::ALL[state],
                enc: worm.map(|_| Encoding::Unicast),
                fifo_count,
                worm: worm.map(WormId),
                flit: None,
                branches: PortMask::NONE,
                taken: PortMask::NONE,
                waits: LinkWaits::default(),
            }));
            log.outputs.extend(output.map(|(valid, credits, owner, data)| {
                log.words = vec![data as u64, (data >> 64) as u64];
                OutSample { switch, lane: 0, owner, credits, flit: valid.then(|| flit(0)), data: 0 }
            }));
            log.consumptions.extend(arrival.map(|index| ConsumeSample {
                node: NodeId(1),
                channel: 0,
                flit: flit(index),
            }));
            observer.commit(&log);
        }
    }
}

fn stories() -> impl Strategy<Value = Story> {
    let input = (0..7usize, 0..=4u16, prop::option::of(0..3u32));
    let data = prop_oneof![0..4u128, any::<u128>().prop_map(|data| data >> 28)];
    let output = (any::<bool>(), 0..=4u16, prop::option::of(0..3u8), data);
    let maybe = |probability| proptest::bool::weighted(probability);
    let cycle = (maybe(0.3), input, maybe(0.3), output, maybe(0.2), 0..4u32)
        .prop_map(|(i, input, o, output, a, flit)| (i.then_some(input), o.then_some(output), a.then_some(flit)));
    (prop::collection::vec(cycle, 1..25), any::<bool>()).prop_map(|(mut cycles, at_rest)| {
        // A flit's credit is under way when it has arrived, and a run with credits under way is not
        // over.
        let is_crossing = cycles.iter().rev().find_map(|(_, output, _)| *output).is_some_and(|output| output.0);
        if let Some(last) = cycles.last_mut().filter(|_| at_rest) {
            last.2 = None;
            // No flit crosses when nothing moves any more.
            if is_crossing {
                let (_, credits, owner, data) = last.1.unwrap_or((false, 0, None, 0));
                last.1 = Some((false, credits, owner, data));
            }
        }
        Story { cycles, at_rest }
    })
}

/// Cycles in which every signal takes many of its values.
fn any_values(signals: &[Signal]) -> Trace {
    let mut state = 1u64;
    let mut next = || {
        // Any generator will do. This one is Knuth's.
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state >> 33
    };
    let mut value = |signal: &Signal| match next() % 3 {
        0 => u128::from((next() % 4) & signal.largest()),
        1 => u128::from(signal.largest()),
        _ => (u128::from(next()) << (next() % 97)) & (u128::MAX >> (128 - signal.bits)),
    };
    (0..400).map(|_| signals.iter().map(&mut value).collect()).collect()
}

/// Compares the engine's verdict on a property with that of the documentation. `found` is the
/// engine's verdict, with its message, or the reason why it refused the property.
fn compare(
    property: &Property,
    signals: &[Signal],
    (trace, at_rest): (&Trace, bool),
    found: Result<(Option<u64>, Option<u64>, bool, String), String>,
) -> Result<(), TestCaseError> {
    let text = property.text(signals);
    let (violation, open, asked, message) = match found {
        Ok(found) => found,
        Err(why) => {
            // The engine refuses a question that no signal decides, and nothing else.
            prop_assert!(why.contains("always true") || why.contains("never true"), "{}: {}", text, why);
            prop_assert!(property.has_only_one_answer(signals, &any_values(signals)), "{}: {}", text, why);
            return Ok(());
        }
    };
    let expected = property.judge(signals, trace, at_rest);
    prop_assert_eq!(violation, expected.violation.map(|(_, certain)| certain), "{}: {}", text, message);
    prop_assert_eq!((open, asked), (expected.open, expected.asked), "{}", text);
    if let (Form::If(..), Some((asked, certain))) = (&property.form, expected.violation) {
        let told = message.starts_with(&format!("triggered in cycle {asked}, "))
            || asked == certain && message.starts_with(&format!("does not hold in cycle {asked}: "));
        prop_assert!(told, "{}: triggered in cycle {}: {}", text, asked, message);
    }
    Ok(())
}

/// The engine's verdict on a property of a story.
fn judged(of: &Property, story: &Story) -> Result<(Option<u64>, Option<u64>, bool, String), String> {
    let (network, wiring) = (line(), wiring(&line()));
    let text = of.text(&signals());
    let property = match of.form {
        Form::At(cycle) => property::Property::at(cycle, &text),
        _ => property::Property::parse(&text),
    };
    let property = property.map_err(|error| error.message)?;
    let monitor = Monitor::new(vec![property], &[], &network, &wiring).map_err(|(_, error)| error.message)?;
    let mut observer = monitor.observe(&network, &wiring).expect("some signals");
    story.tell(&mut observer);
    let end = DumpEnd { cycles: story.cycles.len() as u64, deadlock: None };
    let outcomes = observer.finish_dump(end).expect("nothing is written").outcomes(story.at_rest);
    let PropertyOutcome { violation, asked, open, .. } = outcomes[0].clone();
    let message = violation.as_ref().map(|violation| violation.message.clone()).unwrap_or_default();
    Ok((violation.map(|violation| violation.cycle), open, asked, message))
}

proptest! {
    #![proptest_config(cases(2500))]

    #[test]
    fn properties_of_random_traces_are_judged_as_documented(
        story in stories(), property in properties(&signals(), 30)
    ) {
        let found = judged(&property, &story);
        compare(&property, &signals(), (&story.trace(), story.at_rest), found)?;
    }
}

/// A run, and the values in its dump.
#[derive(Debug)]
struct Run {
    stimulus: &'static str,
    expect: &'static str,
    /// Whether it comes to rest.
    at_rest: bool,
    signals: Vec<Signal>,
    trace: Trace,
}

impl Run {
    fn bench(&self, expected: &str) -> Result<Bench, String> {
        let Self { stimulus, expect, .. } = self;
        let text = format!("(purpose: \"x\", {stimulus}, expect: ({expect}, {expected}))");
        from_text("x.ron", &text).map_err(|error| error.to_string())
    }

    /// Runs it, dumps it, and reads the dump.
    fn new(stimulus: &'static str, expect: &'static str, at_rest: bool) -> Self {
        let mut run = Self { stimulus, expect, at_rest, signals: Vec::new(), trace: Vec::new() };
        let bench = run.bench("").unwrap_or_else(|error| panic!("{error}"));
        let verdict = bench.check().unwrap_or_else(|error| panic!("{error}"));
        let folder = tempfile::tempdir().expect("a folder");
        bench.replay(&verdict, &folder.path().join("x")).expect("files");
        let mut wave = wellen::simple::read(folder.path().join("x.fst")).expect("a dump");
        let vars: Vec<_> = wave.hierarchy().all_vars().map(|var| wave.hierarchy()[var].clone()).collect();
        wave.load_signals(&vars.iter().map(wellen::Var::signal_ref).collect::<Vec<_>>());
        run.trace = vec![Vec::new(); verdict.cycles as usize];
        for var in &vars {
            let signal = wave.get_signal(var.signal_ref()).expect("loaded");
            let changes: Vec<(u64, u128)> = signal
                .iter_changes()
                .filter_map(|(at, value)| {
                    let digits = value.to_bit_string()?;
                    Some((wave.time_table()[at as usize], u128::from_str_radix(&digits, 2).ok()?))
                })
                .collect();
            let name = var.full_name(wave.hierarchy());
            if changes.len() < 2 || name == "top.cycle" {
                continue;
            }
            let bits = var.length(wave.hierarchy()).expect("a vector");
            run.signals.push(Signal::new(name.strip_prefix("top.").expect("the top"), bits));
            for (cycle, shown) in (0..).zip(&mut run.trace) {
                let now = changes.iter().take_while(|(at, _)| *at <= cycle).last();
                shown.push(now.map(|(_, value)| *value).expect("a value from the start"));
            }
        }
        run
    }

    /// The run's verdict on a property.
    fn judged(&self, property: &Property) -> Result<(Option<u64>, Option<u64>, bool, String), String> {
        let verdict = self.bench(&property.expectation(&self.signals))?.run(None).expect("a run");
        assert_eq!(verdict.cycles, self.trace.len() as u64);
        let note = |part: &str| verdict.notes.iter().find_map(|note| note.split(part).nth(1));
        let open = note("before the answer to cycle ").and_then(|rest| rest.split(' ').next()?.parse().ok());
        let asked = note("its left side never holds").is_none();
        let failed = verdict.failures.iter().find(|failure| failure.what.ends_with("[0]"));
        let message = failed.map(|failure| failure.message.clone()).unwrap_or_default();
        Ok((failed.and_then(|failure| failure.cycle), open, asked, message))
    }
}

/// Runs with all kinds of ends.
static RUNS: LazyLock<Vec<Run>> = LazyLock::new(|| {
    let alone = "network: (topology: linear(nodes: 3)), \
                 workload: [messages([(cycle: 0, source: 0, destinations: [2], payload_flits: 3)])]";
    let cut = "network: (topology: linear(nodes: 3)), run: (max_cycles: 9), \
               workload: [messages([(cycle: 0, source: 0, destinations: [2], payload_flits: 30)])]";
    let stalled = "network: (topology: mesh(radices: [2, 2]), switch: (virtual_channels: 2)), workload: [\
                   stalls([(link: \"rt_0_0.out0\", from: 6, until: 20), (node: 3, from: 9, until: 30)]), messages([\
                   (cycle: 0, source: 0, destinations: [1, 2, 3], encoding: bit_string, payload_flits: 4), \
                   (cycle: 3, source: 1, destinations: [3], payload_flits: 6)])]";
    let tokens = "network: (topology: uni_min(kind: baseline, switch_ports: 2, stages: 2), token_ring: (hop_cycles: 2)), \
                  workload: [messages([\
                  (cycle: 0, source: 0, destinations: [1, 2, 3], encoding: bit_string, payload_flits: 3), \
                  (cycle: 1, source: 1, destinations: [0, 2], encoding: bit_string, payload_flits: 3)])]";
    let deadlock = concat!("config: \"", env!("CARGO_MANIFEST_DIR"), "/../configs/torus_ring_deadlock.ron\"");
    let traffic = "network: (topology: mesh(radices: [2, 2])), workload: [traffic(load: 0.4, payload_flits: 3)], \
                   run: (measure_cycles: 40)";
    vec![
        Run::new(alone, "final_state: empty", true),
        Run::new(cut, "final_state: any, deadlock: never", false),
        Run::new(stalled, "final_state: empty", true),
        Run::new(tokens, "final_state: empty", true),
        Run::new(deadlock, "deadlock: found(worms: [0, 1, 2, 3])", true),
        Run::new(traffic, "final_state: any, deadlock: never", false),
    ]
});

fn properties_of_runs() -> impl Strategy<Value = (&'static Run, Property)> {
    any::<Index>().prop_flat_map(|index| {
        let run = index.get(&RUNS);
        (Just(run), properties(&run.signals, run.trace.len() as u64 + 5))
    })
}

proptest! {
    #![proptest_config(cases(1200))]

    #[test]
    fn properties_of_runs_are_judged_as_their_dumps_say((run, property) in properties_of_runs()) {
        let found = run.judged(&property);
        compare(&property, &run.signals, (&run.trace, run.at_rest), found)?;
    }
}
