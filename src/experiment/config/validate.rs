//! Ranges and rules between fields. Every fault that can be found is refused before a run.

use super::fault::{Checked, Fault, fault, within, worm_fault};
use super::groups;
use super::multicast::Common;
use super::overrides::Located;
use super::spmd;
use super::traffic::check_traffic;
use crate::experiment::{
    Experiment, LARGEST_CYCLE, Run, Stall, Workload, WormRules, check_count, check_cycle, check_name,
};
use crate::input::ConfigError;
use crate::network::routing::grouping;
use crate::network::{Network, Wiring, channel};
use crate::quote::excerpt;
use crate::spelling::most_like;
use wormscope_hw::{Acquisition, Arbiter, SwitchId};

/// Checks that an experiment can run.
///
/// # Errors
/// The first rule that it breaks, placed at the field in the text, or at the override that set it.
pub(crate) fn validate(experiment: &Experiment, located: &Located) -> Result<(), ConfigError> {
    check(experiment).map_err(|fault| located.error(&fault.paths, fault.message))
}

fn check(experiment: &Experiment) -> Checked {
    let network = &experiment.network;
    let built = network.build().map_err(|why| Fault::from(why.within("network")))?;
    let rules = WormRules::new(&built);
    check_classes(experiment)?;
    groups::check(experiment, &rules)?;
    for (index, workload) in experiment.workload.iter().enumerate() {
        let path = format!("workload[{index}]");
        match workload {
            Workload::Messages(messages) => {
                for (index, message) in messages.iter().enumerate() {
                    let path = format!("{path}.messages[{index}]");
                    rules.check_message(message).map_err(|why| worm_fault(why, &path))?;
                }
            }
            Workload::Trace(file) if file.is_empty() => {
                return Err(fault([path + ".trace"], "no file name; a path relative to this file is expected"));
            }
            Workload::Trace(_) => {}
            Workload::Traffic(traffic) => check_traffic(experiment, &rules, traffic, &format!("{path}.traffic"))?,
            Workload::Spmd(of) => spmd::check(experiment, &rules, of, &path)?,
            Workload::Multicast(m) => {
                Common { rules: &rules, experiment, network }.check_one(m, &format!("{path}.multicast"))?;
            }
            Workload::Multicasts(m) => {
                Common { rules: &rules, experiment, network }.check_random(m, &format!("{path}.multicasts"))?;
            }
            Workload::Stalls(stalls) => {
                for (index, stall) in stalls.iter().enumerate() {
                    check_stall(network, &rules, stall, &format!("{path}.stalls[{index}]"))?;
                }
            }
        }
    }
    check_run(&experiment.run)
}

/// Checks the names of classes of traffic.
fn check_classes(experiment: &Experiment) -> Checked {
    for (index, entry) in experiment.workload.iter().enumerate() {
        for (path, class) in entry.classes() {
            check_name(class).map_err(|why| fault([format!("workload[{index}].{path}.class")], why))?;
        }
    }
    for (index, class) in experiment.classes.iter().enumerate() {
        check_name(class).map_err(|why| fault([format!("classes[{index}]")], why))?;
    }
    check_count(experiment.classes().len()).map_err(|why| fault(["workload"], why))
}

fn check_stall(network: &Network, rules: &WormRules, stall: &Stall, path: &str) -> Checked {
    let at = |field: &str| format!("{path}.{field}");
    if stall.first.is_some() != stall.arbiter.is_some() {
        let (given, missing) = if stall.first.is_some() { ("first", "arbiter") } else { ("arbiter", "first") };
        return Err(fault([at(given)], format!("{given} needs the field {missing} beside it")));
    }
    match stall {
        Stall { node: None, link: None, station: None, arbiter: Some(name), first: Some(first), .. } => {
            check_turn(network, rules.wiring(), (name, first), at)?;
        }
        Stall { arbiter: Some(_), .. } => {
            return Err(fault([path], "a stall has exactly one of node, link, station and arbiter"));
        }
        Stall { node: Some(node), link: None, station: None, .. } => {
            rules.check_node(*node).map_err(|why| fault([at("node")], why))?;
        }
        Stall { node: None, link: Some(name), station: None, .. } => {
            let (wiring, lanes) = (rules.wiring(), network.lanes(rules.wiring()));
            if channel::named(wiring, lanes, name).is_empty() {
                let all = channel::outputs(wiring, lanes).chain(channel::injections(wiring, lanes));
                let nearest = most_like(name, all.map(|(_, name)| name)).join(", ");
                return Err(fault([at("link")], format!("no link \"{}\"; nearest names: {nearest}", excerpt(name))));
            }
        }
        Stall { node: None, link: None, station: Some(name), .. } => {
            let wiring = rules.wiring();
            if network.token_ring.is_none() {
                return Err(fault([at("station")], "the network has no token rings, so that it has no station"));
            }
            let stations = grouping::rings(network, wiring);
            let stations: Vec<_> = stations.iter().flat_map(|group| group.switches.iter()).collect();
            if !channel::switch_named(wiring, name).is_some_and(|switch| stations.contains(&&switch)) {
                let nearest = most_like(name, stations.into_iter().map(|&s| wiring.switch_name(s))).join(", ");
                return Err(fault(
                    [at("station")],
                    format!("no station \"{}\"; nearest names: {nearest}", excerpt(name)),
                ));
            }
        }
        _ => return Err(fault([path], "a stall has exactly one of node, link, station and arbiter")),
    }
    within(&at("until"), stall.until, 0..=LARGEST_CYCLE, "")?;
    if stall.from >= stall.until {
        let why = format!("a stall from cycle {} until {}; allowed: until a later cycle", stall.from, stall.until);
        return Err(fault([at("until")], why));
    }
    Ok(())
}

/// Checks the name of an arbiter and of the input that it puts first.
fn check_turn(network: &Network, wiring: &Wiring, (name, first): (&str, &str), at: impl Fn(&str) -> String) -> Checked {
    if network.switch.arbiter != Arbiter::RoundRobin {
        let why = format!("the arbiter {}; allowed: a network with the arbiter round_robin", network.switch.arbiter);
        return Err(fault([at("arbiter")], why));
    }
    let lanes = network.lanes(wiring);
    let Some(arbiter) = channel::arbiter_named(network, wiring, name) else {
        let atomic = network.switch.acquisition == Acquisition::Atomic;
        let lanes = channel::outputs(wiring, lanes).filter(|_| !atomic).map(|(_, name)| name);
        let switches = (0..wiring.switches()).filter(|_| atomic || network.token_ring.is_some());
        let switches = switches.map(|switch| wiring.switch_name(SwitchId(switch)));
        let nearest = most_like(name, lanes.chain(switches)).join(", ");
        return Err(fault([at("arbiter")], format!("no arbiter \"{}\"; nearest names: {nearest}", excerpt(name))));
    };
    if channel::input_named(wiring, lanes, arbiter, first).is_none() {
        let exists = |name: &String| channel::input_named(wiring, lanes, arbiter, name).is_some();
        let inputs = (0..lanes.inputs.count()).map(|lane| lanes.input_name(lane)).filter(exists);
        let nearest = most_like(first, inputs).join(", ");
        return Err(fault([at("first")], format!("no input \"{}\"; nearest names: {nearest}", excerpt(first))));
    }
    Ok(())
}

fn check_run(run: &Run) -> Checked {
    let cycles = [
        ("run.warmup_cycles", run.warmup_cycles, 0),
        ("run.measure_cycles", run.measure_cycles.unwrap_or(0), 0),
        ("run.max_cycles", run.max_cycles, 1),
        ("run.deadlock_check_cycles", run.deadlock_check_cycles, 1),
    ];
    for (path, value, least) in cycles {
        within(path, value, least..=LARGEST_CYCLE, " cycles")?;
    }
    // The end of the window is a cycle as well.
    check_cycle(run.window(true).end).map_err(|why| {
        fault(["run.measure_cycles", "run.warmup_cycles"], format!("the measured window ends too late: {why}"))
    })
}
