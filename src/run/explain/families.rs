//! Changes of a network that may remove a deadlock, in families of values of one parameter.

use std::collections::BTreeMap;

use wormscope_hw::{Acquisition, NodeId, Replication, WormId};

use crate::deadlock::Deadlock;
use crate::engine::WormInfo;
use crate::experiment::{Loaded, Message, Workload};
use crate::explain::rules::{WormKinds, arrivals};
use crate::input::ConfigError;
use crate::network::{Network, Routing, Safer};
use crate::quote::counted;
use crate::simulation::Site;
use crate::workload::TraceCsv;

/// Largest number of channels or links that are added.
const MOST_ADDED: u32 = 3;

/// A parameter with the values to try, in ascending order, until one helps.
pub(super) struct Family {
    /// Name of a change to a value, or of the changes to all values from one to another.
    pub name: Box<dyn Fn(u32, u32) -> String + Send + Sync>,
    /// Overrides that make the change to a value.
    pub sets: Box<dyn Fn(u32) -> Vec<String> + Send + Sync>,
    /// First and last value.
    pub values: (u32, u32),
    /// Distance between values.
    pub step: u32,
    /// The smallest value by which a rule may free any worms, if there is one.
    pub sure: Option<u32>,
}

impl Family {
    /// A single change.
    fn one(name: &str, sets: &[impl ToString]) -> Self {
        let (name, sets) = (name.to_owned(), sets.iter().map(ToString::to_string).collect::<Vec<_>>());
        Self {
            name: Box::new(move |_, _| name.clone()),
            sets: Box::new(move |_| sets.clone()),
            values: (0, 0),
            step: 1,
            sure: None,
        }
    }

    fn many(
        values: (u32, u32),
        name: impl Fn(u32, u32) -> String + Send + Sync + 'static,
        sets: impl Fn(u32) -> Vec<String> + Send + Sync + 'static,
    ) -> Self {
        Self { name: Box::new(name), sets: Box::new(sets), values, step: 1, sure: None }
    }

    /// The first change that is tried.
    pub fn first_name(&self) -> String {
        (self.name)(self.values.0, self.values.0)
    }

    /// The value by which a rule may free any worms: the only value, or [`Family::sure`].
    pub fn surest(&self) -> Option<u32> {
        self.sure.or((self.values.0 == self.values.1).then_some(self.values.0))
    }
}

/// Changes to try against the deadlock of an experiment, which created `worms`.
///
/// # Errors
/// A trace cannot be read again.
pub(super) fn families(loaded: &Loaded, found: &Deadlock, worms: &[WormInfo]) -> Result<Vec<Family>, ConfigError> {
    let (longest, tree_flits) = (longest(loaded, worms)?, tree_flits(loaded));
    Ok(of_network(&loaded.experiment.network, found, worms, longest, tree_flits))
}

/// Number of flits of the longest worm to several destinations; 0 where it is not known.
fn tree_flits(loaded: &Loaded) -> u32 {
    let site = Site::of(loaded).ok();
    site.and_then(|site| WormKinds::new(loaded, &site).ok().map(|kinds| kinds.longest())).unwrap_or(0)
}

/// Number of flits of the longest worm, including worms that the run did not create.
fn longest(loaded: &Loaded, worms: &[WormInfo]) -> Result<u32, ConfigError> {
    let built = loaded.build()?;
    let (network, wiring) = (built.network(), built.wiring());
    let of_message = |message: &Message| {
        let to: Vec<NodeId> = message.destinations.iter().copied().map(NodeId).collect();
        let encoding = message.encoding.unwrap_or_default();
        crate::network::header_flits_to(network, wiring, encoding, NodeId(message.source), &to) + message.payload_flits
    };
    let mut longest = worms.iter().map(flits_of).max().unwrap_or(0);
    for entry in &loaded.experiment.workload {
        let of_entry = match entry {
            Workload::Messages(messages) => messages.iter().map(of_message).max(),
            Workload::Trace(name) => {
                // A run stops at a wrong line of a trace.
                let messages = TraceCsv::open(loaded, name)?.map_while(Result::ok);
                messages.map(|message| of_message(&message)).max()
            }
            Workload::Traffic(_)
            | Workload::Spmd(_)
            | Workload::Multicast(_)
            | Workload::Multicasts(_)
            | Workload::Stalls(_) => None,
        };
        longest = longest.max(of_entry.unwrap_or(0));
    }
    Ok(longest)
}

/// Changes to try in a network. `tree_flits` is the length of the longest worm to several
/// destinations.
fn of_network(network: &Network, found: &Deadlock, worms: &[WormInfo], longest: u32, tree_flits: u32) -> Vec<Family> {
    let switch = &network.switch;
    let copies = worms.iter().any(|worm| worm.destinations.len() > 1);
    let mut all = Vec::new();
    if copies && switch.acquisition == Acquisition::Incremental {
        all.push(Family::one("acquisition atomic", &["network.switch.acquisition=atomic"]));
    }
    if copies && network.blueprint().refuses_token_rings(network.routing()).is_none() && network.token_ring.is_none() {
        all.push(Family::one("token ring", &["network.token_ring=(hop_cycles: 1)"]));
    }
    if copies && switch.replication == Replication::Lockstep {
        all.push(Family::one("replication asynchronous", &["network.switch.replication=asynchronous"]));
    }
    if network.routing() == Routing::DimensionOrder && network.blueprint().routings().1.contains(&Routing::LabelOrder) {
        all.push(Family::one("routing label_order", &["network.routing=label_order"]));
    }
    let channels = switch.virtual_channels;
    if let Some(Safer { name, classes, set }) = network.blueprint().safer() {
        let even = channels.next_multiple_of(classes);
        let more = if even > channels { format!(", virtual_channels {channels} to {even}") } else { String::new() };
        // The channels come first, because each override is checked by itself.
        let wider = (even > channels).then(|| format!("network.switch.virtual_channels={even}"));
        let sets: Vec<String> = wider.into_iter().chain([set]).collect();
        all.push(Family::one(&format!("{name}{more}"), &sets));
        // Trees and paths need both.
        let sequential = switch.replication == Replication::Sequential;
        let how = if sequential { Replication::Sequential } else { Replication::Buffered };
        let fields = DepthFields::of(network);
        if let Some(sure) =
            whole_worms(network, tree_flits).filter(|&sure| sure > fields.least || how != switch.replication)
        {
            let deeper = fields.named(sure, sure).map_or_else(String::new, |depths| format!(", {depths}"));
            let mut whole = fields.sets(sure);
            whole.push(format!("network.switch.replication={how}"));
            all.push(Family::one(&format!("{name}{more}, replication {how}{deeper}"), &[whole, sets].concat()));
        }
    }
    let consume = network.node.consumption_channels;
    all.push(Family {
        sure: Some(arrivals(network).div_ceil(network.node_channels())).filter(|&all| all > consume),
        ..Family::many(
            (consume + 1, (consume + MOST_ADDED).max(arrivals(network))),
            move |from, to| added(from - consume, to - consume, "consumption channel"),
            |n| vec![format!("network.node.consumption_channels={n}")],
        )
    });
    let per_class = network.classes();
    all.push(Family {
        step: per_class,
        ..Family::many(
            (channels + per_class, channels + MOST_ADDED * per_class),
            move |from, to| added(from - channels, to - channels, "virtual channel"),
            |n| vec![format!("network.switch.virtual_channels={n}")],
        )
    });
    let dilation = switch.dilation;
    all.push(Family::many(
        (dilation + 1, dilation + MOST_ADDED),
        move |from, to| added(from - dilation, to - dilation, "parallel link"),
        |n| vec![format!("network.switch.dilation={n}")],
    ));
    all.extend(deeper(network, found, worms, longest, tree_flits));
    all
}

/// Deeper FIFOs, alone and for replication from them.
fn deeper(network: &Network, found: &Deadlock, worms: &[WormInfo], longest: u32, tree_flits: u32) -> Vec<Family> {
    let fields = DepthFields::of(network);
    let copies = worms.iter().any(|worm| worm.destinations.len() > 1);
    let members = found.cycle.iter().chain(&found.also).map(|member| member.worm);
    let flits: BTreeMap<WormId, u32> =
        members.filter_map(|id| worms.get(id.index()).map(|worm| (id, flits_of(worm)))).collect();
    // Beyond a depth that holds all worms side by side, nothing changes for them.
    let all = flits.values().fold(fields.most, |sum: u32, flits| sum.saturating_add(*flits)).min(65_535);
    let longest = longest.clamp(fields.least, 65_535);
    let sure = whole_worms(network, tree_flits);
    let more = Family::many(
        (fields.least + 1, all.max(fields.least + 1)),
        move |from, to| fields.named(from, to).unwrap_or_default(),
        move |n| fields.sets(n),
    );
    let mut families = vec![Family { sure: sure.filter(|&sure| sure > fields.least), ..more }];
    for mode in [Replication::Buffered, Replication::Sequential] {
        if copies && network.switch.replication != mode {
            let named = move |from, to| {
                let deeper = fields.named(from, to).map_or_else(String::new, |depths| format!(", {depths}"));
                format!("replication {}{deeper}", mode.name())
            };
            let sets = move |n| [fields.sets(n), vec![format!("network.switch.replication={mode}")]].concat();
            let replicated = Family::many((fields.least.max(1), longest), named, sets);
            families.push(Family { sure, ..replicated });
        }
    }
    families
}

/// The fields that give the depths of input FIFOs, in flits.
#[derive(Clone, Copy)]
struct DepthFields {
    /// Of FIFOs behind links between switches.
    depth: u32,
    /// Of FIFOs behind nodes, if they have a depth of their own.
    own: Option<u32>,
    least: u32,
    most: u32,
}

impl DepthFields {
    fn of(network: &Network) -> Self {
        let (least, most) = (network.shallowest_fifo().0, network.deepest_fifo().0);
        Self { depth: network.switch.fifo_depth, own: network.node.injection_depth, least, most }
    }

    /// The changes that give every FIFO at least so many flits, as text: `fifo_depth 4 to 5 ... 9`.
    fn named(self, from: u32, to: u32) -> Option<String> {
        let of = |name: &str, depth: u32| {
            let from = from.max(depth + 1);
            let range = if from == to { String::new() } else { format!("{from} ... ") };
            (to > depth).then(|| format!("{name} {depth} to {range}{to}"))
        };
        let own = self.own.and_then(|own| of("injection_depth", own));
        let all: Vec<String> = of("fifo_depth", self.depth).into_iter().chain(own).collect();
        (!all.is_empty()).then(|| all.join(", "))
    }

    /// The same, as fields. The first is there even if it does not change.
    fn sets(self, depth: u32) -> Vec<String> {
        let own = self.own.filter(|&own| own < depth).map(|_| format!("network.node.injection_depth={depth}"));
        let first = format!("network.switch.fifo_depth={}", depth.max(self.depth));
        std::iter::once(first).chain(own).collect()
    }
}

/// Depth of FIFOs that hold the longest worm to several destinations, if there are such worms and
/// FIFOs.
fn whole_worms(network: &Network, tree_flits: u32) -> Option<u32> {
    (1..=65_535).contains(&tree_flits).then_some(tree_flits.max(network.shallowest_fifo().0))
}

fn flits_of(worm: &WormInfo) -> u32 {
    worm.header_flits + worm.payload_flits
}

/// `+1 virtual channel`, `+1 to +3 virtual channels`.
fn added(from: u32, to: u32, what: &str) -> String {
    let most = counted(to, what);
    if from == to { format!("+{most}") } else { format!("+{from} to +{most}") }
}
