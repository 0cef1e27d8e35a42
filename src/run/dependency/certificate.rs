//! Certificate of a proof as JSON: the network, the worms, and the order that proves that they
//! cannot deadlock. `testbenches/certificate/check.py` checks it without this code.

use serde::Serialize;
use serde_json::{Value, json};

use super::Proof;
use super::channels::{At, Channels, LaneChannel};
use super::counted::Wait;
use super::graph::WaitPlace;
use super::spread::{WormShape, WormSpread};
use crate::experiment::{Loaded, Workload};
use crate::input::ConfigError;
use crate::network::Network;
use crate::site::Site;
use crate::workload::{Allowed, Drawable, Ordered, Targets};

/// Shape of [`Certificate`].
const SCHEMA_VERSION: u32 = 1;

/// A proof that a checker can follow.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Certificate {
    /// Always the same words.
    pub format: &'static str,
    /// 1.
    pub schema_version: u32,
    /// Version of wormscope.
    pub tool_version: &'static str,
    /// The experiment as the user named it.
    pub experiment: String,
    /// Hash of its configuration.
    pub config_hash: String,
    /// Name of the argument.
    pub argument: &'static str,
    /// The network with all its fields.
    pub network: Network,
    /// The worms that the workload allows.
    pub worms: Value,
    /// Whether parts of the network are stalled.
    pub is_stalled: bool,
    /// The places, each before all places that wait for it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub order: Vec<Value>,
    /// The worms that are counted: source, destinations, encoding, payload flits, and whether the
    /// worm may come again.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub counted: Vec<Value>,
    /// The waits of these worms, in the order of their removal: worm, channels on the route, group,
    /// lane or room.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<Value>,
}

/// The certificate of a proof; `None` if the network has too many channels. A proof without an
/// order is its own name: the checker counts the worms, or runs them, again.
///
/// # Errors
/// A trace is wrong, or an algorithm makes no plan.
pub fn certificate(loaded: &Loaded, site: &Site, proof: &Proof) -> Result<Option<Certificate>, ConfigError> {
    let Some(channels) = Channels::of(site) else { return Ok(None) };
    let allowed = Allowed::of(loaded, site)?;
    let mut network = loaded.experiment.network.clone();
    network.routing = Some(network.routing());
    let mut certificate = Certificate {
        format: "wormscope deadlock certificate",
        schema_version: SCHEMA_VERSION,
        tool_version: env!("CARGO_PKG_VERSION"),
        experiment: loaded.title(),
        config_hash: loaded.hash.clone(),
        argument: proof.name(),
        network,
        worms: worms(&allowed),
        is_stalled: loaded.experiment.workload.iter().any(|entry| matches!(entry, Workload::Stalls(_))),
        order: Vec::new(),
        counted: Vec::new(),
        removed: Vec::new(),
    };
    match proof {
        Proof::Order(places) => certificate.order = places.iter().map(|&at| place(&channels, at)).collect(),
        Proof::Counted(shapes, waits) => {
            let again = |worm: usize| worm >= allowed.given.len();
            certificate.counted = shapes.iter().enumerate().map(|(n, worm)| counted(worm, again(n))).collect();
            let spreads: Vec<Option<WormSpread>> = shapes.iter().map(|worm| WormSpread::of(&channels, worm)).collect();
            let removed = waits.iter().filter_map(|wait| {
                let spread = spreads[wait.worm].as_ref()?;
                Some(removed(&channels, spread, wait))
            });
            certificate.removed = removed.collect();
        }
        Proof::Nothing
        | Proof::CountedByRoute
        | Proof::Together
        | Proof::TokenRings
        | Proof::SynchronousWorms
        | Proof::AllSchedules(_)
        | Proof::AllStates(_) => {}
    }
    Ok(Some(certificate))
}

fn channel(channels: &Channels, of: LaneChannel) -> Vec<Value> {
    match channels.at(of) {
        At::Output(switch, port, class) => vec![json!(switch.0), json!(port.0), json!(class)],
        At::Injection(node) => vec![json!("node"), json!(node.0)],
    }
}

fn place(channels: &Channels, place: WaitPlace) -> Value {
    let kind = match place {
        WaitPlace::Lane(_) => "lane",
        WaitPlace::Fifo(_) => "fifo",
    };
    let mut all = vec![json!(kind)];
    all.extend(channel(channels, place.channel()));
    Value::Array(all)
}

fn given(worm: &WormShape) -> Vec<Value> {
    let to: Vec<u32> = worm.to.iter().map(|node| node.0).collect();
    vec![json!(worm.source.0), json!(to), json!(worm.encoding), json!(worm.payload_flits)]
}

fn counted(worm: &WormShape, again: bool) -> Value {
    let mut all = given(worm);
    all.push(json!(again));
    Value::Array(all)
}

/// A removed wait. The route up to it names its place in the spread.
fn removed(channels: &Channels, spread: &WormSpread, wait: &Wait) -> Value {
    let mut route = vec![spread.segments[wait.segment].from];
    let mut at = wait.segment;
    while let Some((before, _)) = spread.segments[at].parent {
        route.push(spread.segments[before].from);
        at = before;
    }
    let route: Vec<Vec<Value>> = route.into_iter().rev().map(|of| channel(channels, of)).collect();
    let group = channel(channels, spread.segments[wait.segment].branches[wait.branch].group);
    json!([wait.worm, route, group, if wait.for_room { "room" } else { "lane" }])
}

fn worms(allowed: &Allowed) -> Value {
    let given: Vec<Value> =
        allowed.given.iter().map(|message| Value::Array(self::given(&super::judge::shape(message)))).collect();
    let drawn: Vec<Value> = allowed.drawn.iter().map(drawn).collect();
    json!({ "given": given, "drawn": drawn })
}

fn drawn(kind: &Drawable) -> Value {
    let sources = kind.sources.iter().map(|(source, targets)| match targets {
        Targets::One(nodes) => json!([source.0, "one", numbers(nodes), [1, 1], ""]),
        Targets::All(nodes) => json!([source.0, "all", numbers(nodes), [nodes.len(), nodes.len()], ""]),
        Targets::Some { among, count, ordered } => {
            let ordered = match ordered {
                Ordered::Labels => "labels",
                Ordered::Numbers => "numbers",
                Ordered::Any => "any",
            };
            json!([source.0, "some", numbers(among), count, ordered])
        }
    });
    let sources: Vec<Value> = sources.collect();
    json!({ "encoding": kind.encoding, "payload_flits": kind.payload_flits, "sources": sources })
}

fn numbers(nodes: &[wormscope_hw::NodeId]) -> Vec<u32> {
    nodes.iter().map(|node| node.0).collect()
}
