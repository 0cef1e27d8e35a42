//! The account of a worm charges every cycle from its creation to the arrival of its tail, once.

use proptest::prelude::*;
use wormscope::account::{Account, Accounts, Cause, History, Place};
use wormscope::engine::snapshot::{LaneRef, Segment, Snapshot};
use wormscope::engine::{Delivery, NewWorm};
use wormscope::hw::SwitchId;
use wormscope::network::{Lanes, Network};
use wormscope_testbenches::drive::{self, Script, engine, step};
use wormscope_testbenches::random::{Kind, cases, drafts, networks, safe, topologies, worms};

/// Runs worms for at most so many cycles: each delivery with its account.
fn accounts(network: &Network, worms: Vec<NewWorm>, cycles: u64) -> Vec<(Delivery, Account)> {
    let built = drive::built(network);
    let (mut engine, mut script) = (engine(network), Script::new(worms));
    let mut accounts = Vec::new();
    let mut deliveries: Vec<Delivery> = Vec::new();
    let mut watch = (
        Accounts::new(History::new(network, built.wiring(), Vec::new()), |_, _, account| accounts.push(account)),
        &mut deliveries,
    );
    for _ in 0..cycles {
        step(&mut engine, &mut script, &mut watch);
    }
    drop(watch);
    deliveries.into_iter().zip(accounts).collect()
}

/// As [`accounts`], with the snapshot at the end of every cycle.
fn with_snapshots(network: &Network, worms: Vec<NewWorm>, cycles: u64) -> (Vec<Account>, Vec<Snapshot>, Lanes) {
    let built = drive::built(network);
    let (mut engine, mut script) = (engine(network), Script::new(worms));
    let (mut accounts, mut snapshots) = (Vec::new(), Vec::new());
    let history = History::new(network, built.wiring(), Vec::new());
    let lanes = network.lanes(built.wiring());
    let mut watch = Accounts::new(history, |_, _, account| accounts.push(account));
    for _ in 0..cycles {
        step(&mut engine, &mut script, &mut watch);
        snapshots.push(engine.snapshot());
    }
    drop(watch);
    (accounts, snapshots, lanes)
}

/// Compares each cycle of waiting with the holder of the lane in that cycle.
fn compare(accounts: &[Account], snapshots: &[Snapshot], lanes: Lanes) -> Result<[usize; 3], TestCaseError> {
    let [inputs, outputs] = [lanes.inputs, lanes.outputs].map(|side| usize::from(side.count()));
    let mut held = [0; 3];
    for account in accounts {
        for of in &account.stretches {
            for at in of.from..of.until {
                let snapshot = &snapshots[at as usize];
                let worm = |segment: usize| snapshot.segments[segment].worm;
                let lane = of.output.and_then(|output| {
                    let named = LaneRef { switch: SwitchId((output / outputs) as u32), lane: (output % outputs) as u8 };
                    snapshot.lanes.iter().find(|of| of.lane == named)
                });
                // A tail that crosses in this cycle has left already.
                let (kind, is, said) = match of.cause {
                    Cause::Token(said) => {
                        let here = |segment: &Segment| {
                            Place::Input(segment.switch.index() * inputs + usize::from(segment.lane)) == of.at
                        };
                        let token = snapshot.segments.iter().find(|of| here(of)).and_then(|of| of.awaits);
                        let Some(token) = token else { continue };
                        (0, snapshot.tokens[token].holder.map(worm), said)
                    }
                    Cause::Lane(said @ Some(_)) => (1, lane.and_then(|lane| lane.owner).map(worm), said),
                    Cause::Credit(said) => (2, lane.and_then(|lane| lane.front).map(worm), said),
                    _ => continue,
                };
                if is.is_some() {
                    prop_assert_eq!(is, said, "{:?} in cycle {} of {:?}", of, at, account);
                    held[kind] += 1;
                }
            }
        }
    }
    Ok(held)
}

fn check(of: &[(Delivery, Account)]) -> Result<(), TestCaseError> {
    for (delivery, account) in of {
        let Account { worm, destination, created, tail, arrived, stretches } = account;
        prop_assert!(arrived);
        prop_assert_eq!((*worm, *destination, *tail), (delivery.worm, delivery.destination, delivery.tail));
        let mut now = *created;
        for of in stretches {
            prop_assert_eq!(of.from, now, "{:?}", account);
            prop_assert!(of.until > of.from, "{:?}", account);
            now = of.until;
        }
        prop_assert_eq!(now, *tail, "{:?}", account);
        prop_assert_eq!(account.by_cause().iter().sum::<u64>(), tail - created);
        for of in stretches {
            if let Cause::Token(Some(holder)) | Cause::Queue(Some(holder)) = of.cause {
                prop_assert!(holder != *worm, "{:?} of {:?}", of, account);
            }
            prop_assert!(of.cause != Cause::Sibling || of.output.is_some(), "{:?} of {:?}", of, account);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn an_account_sums_to_the_latency(network in networks(topologies()), drafts in drafts(24, 60)) {
        let worms = worms(&network, &drafts, Kind::Any);
        check(&accounts(&network, worms, 600))?;
    }

    #[test]
    fn an_account_sums_to_the_latency_where_nothing_deadlocks((network, worms) in safe(40, 80)) {
        let expected: usize = worms.iter().map(|worm| worm.destinations.len()).sum();
        let all = accounts(&network, worms, 20_000);
        prop_assert_eq!(all.len(), expected);
        check(&all)?;
    }

    #[test]
    fn each_cycle_of_waiting_names_who_held_what_it_waited_for((network, worms) in safe(40, 80)) {
        let (accounts, snapshots, lanes) = with_snapshots(&network, worms, 1_500);
        compare(&accounts, &snapshots, lanes)?;
    }

    #[test]
    fn a_worm_alone_waits_for_nobody((network, worms) in safe(1, 1)) {
        for (_, account) in accounts(&network, worms, 4_000) {
            for of in &account.stretches {
                prop_assert!(of.cause.worm().is_none_or(|worm| worm == account.worm), "{:?} of {:?}", of, account);
            }
        }
    }
}
