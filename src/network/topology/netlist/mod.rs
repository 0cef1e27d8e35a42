//! Any graph of switches and nodes, from a text. The text gives the links, port by port, and the
//! route to each node.
//!
//! Each line has one statement, and `#` begins a comment. Switches are numbered in the order in
//! which `switch` names them, and nodes in the order of their lines.
//!
//! | statement | |
//! |---|---|
//! | `switch a b c` | switches by name; may be repeated |
//! | `link a.0 b.1` | port 0 of switch a and port 1 of switch b, a channel in each direction |
//! | `node a.2` | the next node, at port 2 of switch a |
//! | `ports 4` | ports of every switch; default: the highest port that is named, plus one |
//! | `root a` | root of `up_down`; default: the first switch |
//! | `route a 3 1` | from switch a to node 3 by port 1, for `given` |
//!
//! Every switch has a table with a port for each node ([`Order`]). A worm with several destinations
//! follows the tables of all of them. In `up_down` and `shortest` the routes from one switch form a
//! tree, so its branches never meet again. In `up_down`, climbing follows the parents of one
//! spanning tree. The route is the shortest route with the lowest ports. Each of its parts is also
//! the shortest route with the lowest ports.
//!
//! `spread` spreads destinations over links that join the same two switches. Worms pass the same
//! switches as before. So a dependency cycle of channels would exist without it as well: replace
//! each of its channels by the lowest link. That holds in every order. Copies do not always form a
//! tree, because two branches may come to a switch by two links. Tree worms are refused in such a
//! network.

mod graph;
mod text;

use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};
use wormscope_hw::header::Way;
use wormscope_hw::{Encoding, NodeId, PortId, SwitchId};

use self::graph::Graph;
pub use self::graph::Order;
use self::text::Reader;
use crate::{Blueprint, End, Family, Idle, Misfit, Routing, Safer, Section};
use wormscope_quote::{MOST_LISTED, list_of};

/// A value that is computed once, or the reason why there is none.
type Once<T> = OnceLock<Result<Arc<T>, String>>;

/// A text that is read once.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct Source {
    text: Arc<str>,
    graph: Arc<Once<Graph>>,
    /// Routes of each order, without and with destinations spread over parallel links.
    routes: Arc<[[Once<Routes>; 2]; 3]>,
}

impl PartialEq for Source {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Source {}

impl From<String> for Source {
    fn from(text: String) -> Self {
        Self { text: text.into(), ..Self::default() }
    }
}

impl From<Source> for String {
    fn from(source: Source) -> Self {
        source.text.as_ref().to_owned()
    }
}

impl Source {
    /// The graph, or the fault of the text with line and column.
    fn graph(&self) -> Result<&Arc<Graph>, String> {
        self.graph.get_or_init(|| Reader::default().read(&self.text).map(Arc::new)).as_ref().map_err(Clone::clone)
    }

    /// The routes, or the reason why there are none.
    fn routes(&self, graph: &Graph, order: Order, spread: bool) -> Result<&Arc<Routes>, String> {
        let routes = || {
            let mut ports = graph.table(order)?;
            // The check comes before the choice of parallel links. A worm passes the same switches
            // by all of these links.
            let circle = Graph::circle(&graph.waits(&ports)?);
            if spread {
                graph.spread(&mut ports);
            }
            let (no_tree, idle) = (graph.no_tree(&ports), graph.idle(&ports, order));
            Ok(Arc::new(Routes { ports, circle, no_tree, idle }))
        };
        self.routes[order as usize][usize::from(spread)].get_or_init(routes).as_ref().map_err(Clone::clone)
    }
}

/// The tables of all switches.
#[derive(Debug)]
struct Routes {
    /// The port of every switch towards every node, switch-major.
    ports: Vec<u8>,
    /// Channels whose worms can wait for each other in a circle, if there are such.
    circle: Option<Vec<usize>>,
    /// A node, and a switch that worms to this node reach on two routes, if there is such a switch.
    /// In this case, branches of a tree could wait for each other.
    no_tree: Option<(usize, usize)>,
    /// Channels between switches that are known to be on no route between two nodes.
    idle: Vec<usize>,
}

/// A netlist as configured.
#[derive(Clone, Copy, Debug)]
pub struct Parameters<'a> {
    /// The file that the text is from.
    pub file: Option<&'a str>,
    /// Text of the netlist.
    pub text: Option<&'a Source>,
    /// Order of the tables.
    pub routing: Order,
    /// Whether circles of channels are allowed.
    pub cyclic: bool,
    /// Whether destinations are spread over parallel links.
    pub spread: bool,
}

impl Parameters<'_> {
    fn wired(&self) -> Result<Netlist, Misfit> {
        let field = if self.file.is_some() { "netlist.file" } else { "netlist.text" };
        let source = self.text.ok_or_else(|| {
            let why = match self.file {
                Some(_) => "a file needs a configuration that is a file itself; allowed here: text: \"...\"",
                None => "neither file nor text is given; allowed: one of them, which describes the links",
            };
            Misfit::new("netlist", why)
        })?;
        let placed = |why: String| Misfit::new(field, format!("{}:{why}", self.file.unwrap_or("text")));
        let graph = source.graph().map_err(placed)?;
        graph.check_order(self.routing).map_err(placed)?;
        let in_routes = |why: String| Misfit::new("netlist.routing", why);
        if self.spread {
            let in_spread = |why: String| Misfit::new("netlist.spread", why);
            graph.check_spread(self.routing).map_err(in_spread)?;
        }
        let routes = source.routes(graph, self.routing, self.spread).map_err(in_routes)?;
        if !self.cyclic
            && let Some(circle) = &routes.circle
        {
            let named = circle.iter().chain([&circle[0]]).map(|&channel| graph.channel(channel));
            let named = list_of(named, " -> ", MOST_LISTED);
            return Err(in_routes(format!(
                "the routes have a dependency cycle, in which worms can deadlock: {named}; allowed: routing: up_down, \
                 which has none, or cyclic: true, which accepts it"
            )));
        }
        Ok(Netlist {
            graph: Arc::clone(graph),
            routes: Arc::clone(routes),
            may_spread: !self.spread && self.routing != Order::Given,
        })
    }

    /// The routes, if there are some.
    fn routes(&self, graph: &Graph) -> Option<&Routes> {
        self.text?.routes(graph, self.routing, self.spread).ok().map(|routes| &**routes)
    }

    /// The answer of the graph. The default for a text without a graph.
    fn of<T: Default>(&self, ask: impl FnOnce(&Graph) -> T) -> T {
        let graph = self.text.and_then(|source| source.graph().ok());
        graph.map_or_else(T::default, |graph| ask(graph))
    }

    fn counts(&self) -> String {
        format!("{} switches and {} nodes", self.switches(), self.nodes())
    }
}

impl Blueprint for Parameters<'_> {
    fn check(&self) -> Result<(), Misfit> {
        self.wired().map(drop)
    }

    fn build(&self) -> Result<Arc<dyn Family>, Misfit> {
        Ok(Arc::new(self.wired()?))
    }

    fn describe(&self) -> String {
        let order = match self.routing {
            Order::UpDown => "up*/down*",
            Order::Shortest => "shortest",
            Order::Given => "given",
        };
        let spread = if self.spread { " spread over parallel links" } else { "" };
        format!("netlist of {}, {order} routes{spread}", self.counts())
    }

    fn routings(&self) -> (String, &'static [Routing]) {
        ("a netlist".to_owned(), &[Routing::Table])
    }

    fn nodes(&self) -> u32 {
        self.of(|graph| graph.nodes.len() as u32)
    }

    fn switches(&self) -> u32 {
        self.of(|graph| graph.names.len() as u32)
    }

    fn ports(&self) -> u32 {
        self.of(|graph| graph.ports as u32)
    }

    fn hazard(&self) -> Option<&'static str> {
        let circle = self.of(|graph| self.routes(graph)?.circle.clone());
        circle.map(|_| {
            "a netlist whose routes have a dependency cycle can deadlock; routing: up_down, or given routes that \
             cyclic: false accepts, prevent it"
        })
    }

    fn safer(&self) -> Option<Safer> {
        self.hazard().map(|_| Safer {
            name: "netlist routing up_down",
            classes: 1,
            set: "network.topology.netlist.routing=up_down".to_owned(),
        })
    }

    fn refuses(&self, encoding: Encoding, _routing: Routing) -> Option<String> {
        match encoding.way() {
            _ if encoding.header().each_switch_strips() => {
                Some("a multiport header has a mask of ports for each stage, and a netlist has no stages".to_owned())
            }
            Way::Unicast => None,
            Way::Tree => self.of(|graph| {
                let (source, at) = self.routes(graph)?.no_tree?;
                let at = &graph.names[at];
                let cure =
                    if self.spread { "spread: false avoids this" } else { "routing: up_down and shortest avoid this" };
                Some(format!(
                    "{encoding} needs routes that form a tree from every node, and two routes from node {source} meet \
                     at {at}, where branches of a worm would wait for each other; {cure}"
                ))
            }),
            Way::Path => (!self.of(Graph::is_direct)).then(|| {
                let last = self.of(|graph| graph.ports) - 1;
                format!(
                    "multidestination worms need a netlist in which each node is at port {last}, the last port of all \
                     switches, and no link is at this port"
                )
            }),
        }
    }

    /// Tables can lead to any node, so the input does not decide the nodes ahead.
    fn inputs_tell(&self, _routing: Routing) -> bool {
        false
    }

    fn refuses_token_rings(&self, _routing: Routing) -> Option<&'static str> {
        Some("token rings connect switches of one stage but this topology has no stages")
    }

    fn lanes(&self, link: u32, node: u32) -> u32 {
        let ports = self.ports();
        if self.of(Graph::is_direct) {
            (ports - 1).saturating_mul(link).saturating_add(node)
        } else {
            ports.saturating_mul(link.max(node))
        }
    }

    fn lanes_in_words(&self, link: &str, node: &str) -> String {
        let ports = self.ports();
        if self.of(Graph::is_direct) {
            format!("{} ports * {link} + {node}", ports - 1)
        } else {
            format!("{ports} ports * the larger of {link} and {node}")
        }
    }

    fn links(&self) -> u64 {
        self.of(|graph| (0..graph.names.len()).map(|switch| graph.links(switch).count() as u64).sum())
    }

    /// The cut is between the first switches, which have half of the nodes, and the other switches.
    fn bisection(&self) -> u64 {
        self.of(|graph| {
            let mut at: Vec<usize> = graph.nodes.iter().map(|(switch, _)| switch.index()).collect();
            at.sort_unstable();
            let cut = at[at.len() / 2];
            let cuts = |from: usize| graph.links(from).filter(|&(_, to)| (from < cut) != (to < cut)).count() as u64;
            (0..graph.names.len()).map(cuts).sum()
        })
    }

    fn arrivals(&self) -> u32 {
        self.ports() - 1
    }
}

/// A graph with its tables.
#[derive(Clone, Debug)]
pub struct Netlist {
    graph: Arc<Graph>,
    routes: Arc<Routes>,
    /// Whether `spread: true` would have an effect, because links are parallel.
    may_spread: bool,
}

impl Family for Netlist {
    fn nodes(&self) -> u32 {
        self.graph.nodes.len() as u32
    }

    fn switches(&self) -> u32 {
        self.graph.names.len() as u32
    }

    fn sections(&self) -> [Section; 2] {
        let ports = self.graph.ports as u8;
        let section = |ports, to_switches, to_nodes| Section { ports, to_switches, to_nodes };
        if self.graph.is_direct() {
            [section(ports - 1, true, false), section(1, false, true)]
        } else {
            [section(ports, true, true), section(0, true, false)]
        }
    }

    fn output(&self, switch: SwitchId, port: PortId) -> Option<End> {
        self.graph.end(switch.index(), port.index())
    }

    fn injection(&self, node: NodeId) -> (SwitchId, PortId) {
        self.graph.nodes[node.index()]
    }

    fn port(&self, switch: SwitchId, destination: NodeId) -> u8 {
        self.routes.ports[switch.index() * self.graph.nodes.len() + destination.index()]
    }

    fn idle(&self) -> Idle {
        let ports = self.graph.ports;
        let channel = |&channel: &usize| (SwitchId((channel / ports) as u32), PortId((channel % ports) as u8));
        let links: Vec<_> = self.routes.idle.iter().map(channel).collect();
        let beside = |&(switch, port): &(SwitchId, PortId)| self.graph.has_parallel(switch.index(), port.index());
        let is_idle_back = |&(switch, port): &(SwitchId, PortId)| match self.graph.end(switch.index(), port.index()) {
            Some(End::Switch(far, at)) => links.binary_search(&(far, at)).is_ok(),
            _ => true,
        };
        let cure = if self.may_spread && links.iter().any(beside) {
            "netlist.spread: true shares destinations out among parallel links"
        } else if links.iter().all(is_idle_back) {
            "leave such links out, or give other routes"
        } else {
            "leave out links that are idle in both directions, or give other routes"
        };
        Idle { links, cure }
    }

    fn switch_name(&self, switch: SwitchId) -> String {
        self.graph.names[switch.index()].clone()
    }

    fn switch_number(&self, name: &str) -> Option<u32> {
        self.graph.names.iter().position(|known| known == name).map(|number| number as u32)
    }

    fn in_words(&self) -> String {
        "a netlist".to_owned()
    }
}

#[cfg(test)]
mod tests;
