//! Time that plans take, for every algorithm, with 4,096 destinations on the networks that it is
//! defined for. Also the time of the table of an OPT-tree of a million nodes.

use std::hint::black_box;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use wormscope::hw::NodeId;
use wormscope::multicast::trees::opt_tree::OptTree;
use wormscope::multicast::{ALGORITHMS, Parameters, Request};
use wormscope::network::uni_min::Kind;
use wormscope::network::{BiMin, Grid, UniMin, Wiring};

/// Destinations of every plan. A broadcast serves all other nodes instead: 4,095 or 4,096.
const DESTINATIONS: u32 = 4096;

fn networks() -> Vec<(&'static str, Wiring)> {
    let grid = |radices: &[u32]| Wiring::new(Grid::new(radices.to_vec(), false));
    vec![
        ("mesh_64x128", grid(&[64, 128])),
        ("mesh_16x16x32", grid(&[16, 16, 32])),
        ("mesh_64x64", grid(&[64, 64])),
        ("mesh_17x241", grid(&[17, 241])),
        ("array_4096", grid(&[4096])),
        ("baseline_8192", Wiring::new(UniMin::new(Kind::Baseline, 2, 13))),
        ("bi_min_8192", Wiring::new(BiMin::new(2, 13))),
    ]
}

fn plans(c: &mut Criterion) {
    let mut group = c.benchmark_group("plans");
    group.sample_size(10).warm_up_time(Duration::from_millis(200)).measurement_time(Duration::from_secs(1));
    let parameters = Parameters::hold_and_end(20.0, 55.0);
    for algorithm in ALGORITHMS {
        let mut networks = networks();
        if algorithm.routing.is_none() && algorithm.networks == "any network" {
            // These algorithms do not look at the network, so one is enough.
            networks.truncate(1);
        }
        for (name, wiring) in networks {
            let all: Vec<NodeId> = (1..wiring.nodes()).map(NodeId).collect();
            let destinations: Vec<NodeId> = if algorithm.everybody {
                all
            } else {
                // On networks of twice the size, every other node is a destination.
                all.into_iter().step_by((wiring.nodes() / DESTINATIONS) as usize).take(DESTINATIONS as usize).collect()
            };
            let request =
                Request { wiring: &wiring, source: NodeId(0), destinations: &destinations, parameters: &parameters };
            if algorithm.plan(&request).is_ok() {
                let id = BenchmarkId::new(algorithm.name, name);
                group.bench_function(id, |b| b.iter_with_large_drop(|| algorithm.plan(black_box(&request))));
            }
        }
    }
    group.bench_function("opt_tree_table_of_1000000", |b| {
        b.iter(|| OptTree::new(1_000_000, black_box(3963.0), 12498.0));
    });
    group.finish();
}

criterion_group!(benches, plans);
criterion_main!(benches);
