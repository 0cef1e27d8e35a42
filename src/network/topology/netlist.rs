//! Any graph of switches and nodes, from a text: who is linked to whom, port by port, and which way
//! leads to each node.
//!
//! A statement a line; `#` begins a comment. Switches are numbered in the order of their names,
//! nodes in that of their lines.
//!
//! | statement | |
//! |---|---|
//! | `switch a b c` | switches by name, also several times |
//! | `link a.0 b.1` | port 0 of switch a and port 1 of switch b, a channel in each direction |
//! | `node a.2` | the next node, at port 2 of switch a |
//! | `ports 4` | ports of every switch; else one more than the highest that is named |
//! | `root a` | where `up_down` has its root; else the first switch |
//! | `route a 3 1` | from switch a to node 3 by port 1, for `given` |
//!
//! Every switch has a table with a port for each node ([`Order`]). A worm with several destinations
//! follows the tables of all of them. In `up_down` and `shortest` the routes from one switch form a
//! tree, so that its branches never meet again: climbing goes along the parents of one spanning
//! tree, and of the shortest ways on that with the lowest ports is taken, whose parts are such ways
//! too.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};
use wormscope_hw::header::Way;
use wormscope_hw::{Encoding, NodeId, PortId, SwitchId};

use crate::network::{Blueprint, End, Family, Misfit, Routing, Section};
use crate::quote::excerpt;
use crate::spelling::suggestion;

/// Most switches, and most nodes: tables grow with their product.
const MOST: usize = 1024;
/// Most ports of a switch.
const MOST_PORTS: usize = 64;
/// Channels of a circle that are named.
const MOST_NAMED: usize = 12;

/// Which ways the tables lead.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// Down, away from the root, where the node is reached so; else up to the parent in a tree of
    /// shortest ways to the root (up*/down*; Schroeder et al., Autonet, 1991). Links lead up to the
    /// switch nearer to the root, of two equally near to the first.
    #[default]
    UpDown,
    /// The shortest way, of several that with the lowest ports.
    Shortest,
    /// As the text says, a `route` for every switch and node.
    Given,
}

/// What is found out once, or why it cannot be.
type Once<T> = OnceLock<Result<Arc<T>, String>>;

/// A text, read once.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct Source {
    text: Arc<str>,
    graph: Arc<Once<Graph>>,
    routes: Arc<[Once<Routes>; 3]>,
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
    /// The graph, or why the text is none, with line and column.
    fn graph(&self) -> Result<&Arc<Graph>, String> {
        self.graph.get_or_init(|| Reader::default().read(&self.text).map(Arc::new)).as_ref().map_err(Clone::clone)
    }

    /// The routes, or why there are none.
    fn routes(&self, graph: &Graph, order: Order) -> Result<&Arc<Routes>, String> {
        let routes = || {
            let ports = graph.table(order)?;
            let (circle, no_tree) = (Graph::circle(&graph.waits(&ports)?), graph.no_tree(&ports));
            Ok(Arc::new(Routes { ports, circle, no_tree }))
        };
        self.routes[order as usize].get_or_init(routes).as_ref().map_err(Clone::clone)
    }
}

/// The tables of all switches.
#[derive(Debug)]
struct Routes {
    /// The port of every switch towards every node, switch-major.
    ports: Vec<u8>,
    /// Channels whose worms can wait for each other in a circle, if there are some.
    circle: Option<Vec<usize>>,
    /// A node and a switch that its worms come to on two ways, if there are such: branches of a
    /// tree could wait for each other.
    no_tree: Option<(usize, usize)>,
}

/// What the text says.
#[derive(Clone, Debug, Default)]
struct Graph {
    names: Vec<String>,
    ports: usize,
    /// Where ports lead, switch-major.
    ends: Vec<Option<End>>,
    nodes: Vec<(SwitchId, PortId)>,
    root: usize,
    /// By switch and node the port.
    routes: BTreeMap<(usize, usize), u8>,
}

/// A word and its place, both counted from 1.
#[derive(Clone, Copy)]
struct Word<'a> {
    text: &'a str,
    line: usize,
    column: usize,
}

impl Word<'_> {
    fn fault(self, why: impl std::fmt::Display) -> String {
        format!("{}:{}: {why}", self.line, self.column)
    }
}

/// Reads a text, statement by statement.
#[derive(Default)]
struct Reader {
    graph: Graph,
    numbers: BTreeMap<String, usize>,
    /// What each port is used for, and the line that says so.
    used: BTreeMap<(usize, usize), (End, usize)>,
    ports: Option<usize>,
}

impl Reader {
    fn read(mut self, text: &str) -> Result<Graph, String> {
        const STATEMENTS: [&str; 6] = ["switch", "link", "node", "ports", "root", "route"];
        let mut lines = 1;
        // What a statement names may stand further down.
        for names in [true, false] {
            for (line, content) in (1..).zip(text.lines()) {
                lines = line;
                let words = words(line, content.split('#').next().unwrap_or(""));
                match words[..] {
                    [] => {}
                    [Word { text: "switch", .. }, ..] if !names => {}
                    [at @ Word { text: "switch", .. }] => {
                        return Err(at.fault("switch without a name; one or more follow"));
                    }
                    [Word { text: "switch", .. }, ref words @ ..] => {
                        words.iter().try_for_each(|&name| self.switch(name))?;
                    }
                    [at, ..] if !STATEMENTS.contains(&at.text) => {
                        let near = suggestion(at.text, &STATEMENTS);
                        return Err(at.fault(format_args!("unknown statement \"{}\"{near}", excerpt(at.text))));
                    }
                    _ if names => {}
                    [Word { text: "link", .. }, a, b] => self.link(a, b)?,
                    [Word { text: "node", .. }, at] => self.node(at)?,
                    [Word { text: "ports", .. }, count] => self.ports = Some(number(count, 1..=MOST_PORTS, "ports")?),
                    [Word { text: "root", .. }, name] => self.graph.root = self.named(name, name.text)?,
                    [Word { text: "route", .. }, from, to, port] => self.route(from, to, port)?,
                    [at, ref rest @ ..] => {
                        let takes = match at.text {
                            "link" => "two ports, as in link a.0 b.1",
                            "node" => "a port, as in node a.2",
                            "ports" => "a number, as in ports 4",
                            "root" => "a switch, as in root a",
                            _ => "a switch, a node and a port, as in route a 3 1",
                        };
                        let many = rest.len();
                        return Err(at.fault(format_args!("{} with {many} words behind it; it takes {takes}", at.text)));
                    }
                }
            }
        }
        self.finish(lines)
    }

    fn switch(&mut self, name: Word) -> Result<(), String> {
        let is_word = |text: &str| {
            text.starts_with(|c: char| c.is_ascii_alphabetic())
                && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        };
        let number = self.graph.names.len();
        if !is_word(name.text) || name.text.strip_prefix("node").is_some_and(|rest| rest.parse::<u32>().is_ok()) {
            let why =
                "a name begins with a letter, goes on with letters, digits and _, and is none of node0, node1, ...";
            return Err(name.fault(format_args!("switch \"{}\": {why}", excerpt(name.text))));
        }
        if number == MOST {
            return Err(name.fault(format_args!("one switch too many; allowed: up to {MOST}")));
        }
        if self.numbers.insert(name.text.to_owned(), number).is_some() {
            return Err(name.fault(format_args!("switch {} is named twice", name.text)));
        }
        self.graph.names.push(name.text.to_owned());
        Ok(())
    }

    fn named(&self, at: Word, name: &str) -> Result<usize, String> {
        self.numbers.get(name).copied().ok_or_else(|| {
            let names: Vec<&str> = self.graph.names.iter().map(String::as_str).collect();
            at.fault(format_args!("no switch \"{}\"{}", excerpt(name), suggestion(name, &names)))
        })
    }

    /// `a.2`.
    fn port(&self, at: Word) -> Result<(usize, usize), String> {
        let Some((name, port)) = at.text.split_once('.') else {
            return Err(at.fault(format_args!("\"{}\" is no port; one is named as in a.2", excerpt(at.text))));
        };
        let switch = self.named(at, name)?;
        let column = at.column + name.chars().count() + 1;
        Ok((switch, number(Word { text: port, column, ..at }, 0..=MOST_PORTS - 1, "port")?))
    }

    fn connect(&mut self, at: Word, (switch, port): (usize, usize), end: End) -> Result<(), String> {
        match self.used.insert((switch, port), (end, at.line)) {
            None => Ok(()),
            Some((_, line)) => Err(at.fault(format_args!("port {} has been connected in line {line}", at.text))),
        }
    }

    fn link(&mut self, a: Word, b: Word) -> Result<(), String> {
        let (from, to) = (self.port(a)?, self.port(b)?);
        if from.0 == to.0 {
            return Err(b.fault("a link from a switch to itself; allowed: between two switches"));
        }
        let end = |(switch, port): (usize, usize)| End::Switch(SwitchId(switch as u32), PortId(port as u8));
        self.connect(a, from, end(to))?;
        self.connect(b, to, end(from))
    }

    fn node(&mut self, at: Word) -> Result<(), String> {
        let (switch, port) = self.port(at)?;
        let number = self.graph.nodes.len();
        if number == MOST {
            return Err(at.fault(format_args!("one node too many; allowed: up to {MOST}")));
        }
        self.graph.nodes.push((SwitchId(switch as u32), PortId(port as u8)));
        self.connect(at, (switch, port), End::Node(NodeId(number as u32)))
    }

    fn route(&mut self, from: Word, to: Word, port: Word) -> Result<(), String> {
        let place = (self.named(from, from.text)?, number(to, 0..=MOST - 1, "node")?);
        let port = number(port, 0..=MOST_PORTS - 1, "port")? as u8;
        match self.graph.routes.insert(place, port) {
            None => Ok(()),
            Some(_) => Err(from.fault(format_args!("a second route from {} to node {}", from.text, to.text))),
        }
    }

    fn finish(self, lines: usize) -> Result<Graph, String> {
        let Self { mut graph, used, ports, .. } = self;
        let end = |why: String| Err(format!("{lines}:1: {why}"));
        if graph.nodes.is_empty() {
            return end("no node; at least one is needed, as in node a.0".to_owned());
        }
        let highest = used.keys().map(|&(_, port)| port + 1).max().unwrap_or(1);
        graph.ports = ports.unwrap_or(highest);
        if graph.ports < highest {
            return end(format!("ports {} but port {} is connected", graph.ports, highest - 1));
        }
        graph.ends = vec![None; graph.names.len() * graph.ports];
        for (&(switch, port), &(to, _)) in &used {
            graph.ends[switch * graph.ports + port] = Some(to);
        }
        let reached = graph.levels(0);
        match reached.iter().position(|&level| level == u32::MAX) {
            Some(apart) => end(format!("no way from switch {} to {}", graph.names[0], graph.names[apart])),
            None => Ok(graph),
        }
    }
}

/// Words of a line up to a comment.
fn words(line: usize, content: &str) -> Vec<Word<'_>> {
    let mut words = Vec::new();
    for text in content.split_whitespace() {
        // A part of the line, so many bytes behind its begin.
        let before = text.as_ptr() as usize - content.as_ptr() as usize;
        words.push(Word { text, line, column: content[..before].chars().count() + 1 });
    }
    words
}

fn number(word: Word, range: std::ops::RangeInclusive<usize>, what: &str) -> Result<usize, String> {
    word.text.parse().ok().filter(|number| range.contains(number)).ok_or_else(|| {
        let (least, most) = (range.start(), range.end());
        word.fault(format_args!("{what} \"{}\"; allowed: {least} to {most}", excerpt(word.text)))
    })
}

impl Graph {
    fn end(&self, switch: usize, port: usize) -> Option<End> {
        self.ends[switch * self.ports + port]
    }

    /// Ports of a switch that lead to switches, with these.
    fn links(&self, switch: usize) -> impl Iterator<Item = (usize, usize)> {
        (0..self.ports).filter_map(move |port| match self.end(switch, port) {
            Some(End::Switch(far, _)) => Some((port, far.index())),
            _ => None,
        })
    }

    /// Links from a switch to every other one.
    fn levels(&self, from: usize) -> Vec<u32> {
        self.distances(from, |_, _| true)
    }

    /// Fewest links from every switch to this one, along links from one switch to another that
    /// `leads` admits.
    fn distances(&self, to: usize, leads: impl Fn(usize, usize) -> bool) -> Vec<u32> {
        let mut distances = vec![u32::MAX; self.names.len()];
        let mut queue = VecDeque::from([to]);
        distances[to] = 0;
        while let Some(at) = queue.pop_front() {
            for (_, from) in self.links(at).filter(|&(_, from)| leads(from, at)) {
                if distances[from] == u32::MAX {
                    distances[from] = distances[at] + 1;
                    queue.push_back(from);
                }
            }
        }
        distances
    }

    /// The port of every switch towards every node, switch-major.
    fn table(&self, order: Order) -> Result<Vec<u8>, String> {
        let (switches, nodes) = (self.names.len(), self.nodes.len());
        let mut table = vec![0; switches * nodes];
        let levels = self.levels(self.root);
        let up = |from: usize, to: usize| (levels[to], to) < (levels[from], from);
        for (node, &(at, own)) in self.nodes.iter().enumerate() {
            let distances = match order {
                Order::Given => Vec::new(),
                Order::Shortest => self.distances(at.index(), |_, _| true),
                Order::UpDown => self.distances(at.index(), |from, to| !up(from, to)),
            };
            for switch in 0..switches {
                let mut links = self.links(switch);
                let nearer = |to: usize| distances[to] != u32::MAX && distances[to] + 1 == distances[switch];
                let port = match order {
                    Order::Given => self.given(switch, node)?,
                    _ if switch == at.index() => own.index(),
                    Order::UpDown if distances[switch] == u32::MAX => {
                        links.find(|&(_, to)| levels[to] + 1 == levels[switch]).map_or(0, |(port, _)| port)
                    }
                    Order::UpDown => links.find(|&(_, to)| !up(switch, to) && nearer(to)).map_or(0, |(port, _)| port),
                    Order::Shortest => links.find(|&(_, to)| nearer(to)).map_or(0, |(port, _)| port),
                };
                table[switch * nodes + node] = port as u8;
            }
        }
        Ok(table)
    }

    /// The port of a `route`; at a node's own switch it may be left out.
    fn given(&self, switch: usize, node: usize) -> Result<usize, String> {
        let (at, own) = self.nodes[node];
        let name = &self.names[switch];
        match self.routes.get(&(switch, node)) {
            None if at.index() == switch => Ok(own.index()),
            None => {
                Err(format!("no route from {name} to node {node}; routing: given needs one for every switch and node"))
            }
            Some(&port) if usize::from(port) < self.ports => match self.end(switch, port.into()) {
                Some(End::Switch(..)) => Ok(port.into()),
                Some(End::Node(to)) if to.index() == node => Ok(port.into()),
                _ => Err(format!("the route from {name} to node {node} takes port {port}, which does not lead there")),
            },
            Some(port) => {
                Err(format!("the route from {name} to node {node} takes port {port}; {name} has {}", self.ports))
            }
        }
    }

    fn channel(&self, channel: usize) -> String {
        format!("{}.out{}", self.names[channel / self.ports], channel % self.ports)
    }

    /// By channel the channels that worms which hold it wait for.
    ///
    /// # Errors
    /// When a route goes round in circles.
    fn waits(&self, table: &[u8]) -> Result<Vec<Vec<usize>>, String> {
        let nodes = self.nodes.len();
        let mut waits = vec![Vec::new(); self.ends.len()];
        for (node, _) in self.nodes.iter().enumerate() {
            // Switches that worms to this node come through, by the walk that found them.
            let mut seen = vec![usize::MAX; self.names.len()];
            for (walk, &(from, _)) in self.nodes.iter().enumerate() {
                let (mut at, mut before) = (from.index(), None);
                loop {
                    let channel = at * self.ports + usize::from(table[at * nodes + node]);
                    let Some(End::Switch(far, _)) = self.ends[channel] else { break };
                    if let Some(before) = before.replace(channel) {
                        let after: &mut Vec<usize> = &mut waits[before];
                        if !after.contains(&channel) {
                            after.push(channel);
                        }
                    }
                    match std::mem::replace(&mut seen[at], walk) {
                        usize::MAX => at = far.index(),
                        again if again == walk => {
                            let name = &self.names[at];
                            return Err(format!(
                                "the route to node {node} goes round in a circle and comes back to {name}"
                            ));
                        }
                        _ => break,
                    }
                }
            }
        }
        Ok(waits)
    }

    /// [`Routes::circle`], by what each channel waits for.
    fn circle(waits: &[Vec<usize>]) -> Option<Vec<usize>> {
        // 0: not seen; 1: on the way here; 2: leads into no circle.
        let mut state = vec![0_u8; waits.len()];
        for begin in 0..waits.len() {
            if state[begin] != 0 {
                continue;
            }
            state[begin] = 1;
            let mut way = vec![(begin, 0)];
            while let Some((channel, next)) = way.last_mut() {
                let (here, after) = (*channel, waits[*channel].get(*next).copied());
                *next += 1;
                match after {
                    None => {
                        state[here] = 2;
                        way.pop();
                    }
                    Some(after) if state[after] == 1 => {
                        let from = way.iter().position(|&(channel, _)| channel == after).unwrap_or(0);
                        return Some(way[from..].iter().map(|&(channel, _)| channel).collect());
                    }
                    Some(after) if state[after] == 0 => {
                        state[after] = 1;
                        way.push((after, 0));
                    }
                    Some(_) => {}
                }
            }
        }
        None
    }

    /// [`Routes::no_tree`].
    fn no_tree(&self, table: &[u8]) -> Option<(usize, usize)> {
        let nodes = self.nodes.len();
        (0..nodes).find_map(|source| {
            let mut entered = vec![usize::MAX; self.names.len()];
            (0..nodes).find_map(|node| {
                let mut at = self.nodes[source].0.index();
                loop {
                    let channel = at * self.ports + usize::from(table[at * nodes + node]);
                    let Some(End::Switch(far, _)) = self.ends[channel] else { return None };
                    at = far.index();
                    let before = std::mem::replace(&mut entered[at], channel);
                    if before != usize::MAX && before != channel {
                        return Some((source, at));
                    }
                }
            })
        })
    }

    /// Whether each node has a switch of its own, at the last port, and no link is there.
    fn is_direct(&self) -> bool {
        let last = self.ports - 1;
        let links = (0..self.names.len()).any(|switch| matches!(self.end(switch, last), Some(End::Switch(..))));
        !links && self.nodes.iter().all(|(_, port)| port.index() == last)
    }
}

/// Such a network as configured.
#[derive(Clone, Copy, Debug)]
pub struct Parameters<'a> {
    /// The file that the text is from.
    pub file: Option<&'a str>,
    /// Its text.
    pub text: Option<&'a Source>,
    /// Which ways the tables lead.
    pub routing: Order,
    /// Circles of channels are allowed.
    pub cyclic: bool,
}

impl Parameters<'_> {
    fn wired(&self) -> Result<Netlist, Misfit> {
        let field = if self.file.is_some() { "netlist.file" } else { "netlist.text" };
        let source = self.text.ok_or_else(|| {
            let why = match self.file {
                Some(_) => "a file is read beside a configuration in a file of its own only; here the text itself is allowed: text: \"...\"",
                None => "neither file nor text; one of them says how switches are linked",
            };
            Misfit::new("netlist", why)
        })?;
        let placed = |why: String| Misfit::new(field, format!("{}:{why}", self.file.unwrap_or("text")));
        let graph = source.graph().map_err(placed)?;
        let in_routes = |why: String| Misfit::new("netlist.routing", why);
        let routes = source.routes(graph, self.routing).map_err(in_routes)?;
        if !self.cyclic
            && let Some(circle) = &routes.circle
        {
            let named = circle.iter().chain([&circle[0]]).take(MOST_NAMED).map(|&channel| graph.channel(channel));
            let (named, more) = (named.collect::<Vec<_>>().join(" -> "), (circle.len() + 1).saturating_sub(MOST_NAMED));
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            return Err(in_routes(format!(
                "worms can wait for each other in a circle of channels: {named}{more}; allowed: routing: up_down, which has no \
                 circles, or cyclic: true, with which they can deadlock"
            )));
        }
        Ok(Netlist { graph: Arc::clone(graph), routes: Arc::clone(routes) })
    }

    /// What is asked of the graph; nothing of a text that is none.
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
        format!("netlist of {}, {order} routes", self.counts())
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
        let circle = self.of(|graph| self.text?.routes(graph, self.routing).ok()?.circle.clone());
        circle.map(|_| {
            "a netlist whose channels wait for each other in a circle can deadlock; routing: up_down, or given routes that cyclic: false \
             admits, prevent it"
        })
    }

    fn refuses(&self, encoding: Encoding) -> Option<String> {
        match encoding.way() {
            _ if encoding.header().each_switch_strips() => {
                Some("multiport worms bring a mask of ports for each stage of a multistage network, but a netlist has none".to_owned())
            }
            Way::Unicast => None,
            Way::Tree => self.of(|graph| {
                let (source, at) = self.text?.routes(graph, self.routing).ok()?.no_tree?;
                let at = &graph.names[at];
                Some(format!(
                    "{encoding} needs routes that form a tree from every node, but those from node {source} come to {at} on \
                     two ways, where branches of a worm would wait for each other; routing: up_down and shortest have no such ways"
                ))
            }),
            Way::Path => (!self.of(Graph::is_direct)).then(|| {
                "multidestination worms visit routers that have a node, at the last port of all switches; in this netlist there are \
                 others"
                    .to_owned()
            }),
        }
    }

    fn refuses_token_rings(&self) -> Option<&'static str> {
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

    /// Between the first switches that have half of the nodes, and the others.
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
mod tests {
    use std::fmt::Write as _;

    use proptest::prelude::*;

    use super::*;
    use crate::network::{Grid, Wiring};

    fn parameters(source: &Source, routing: Order) -> Parameters<'_> {
        Parameters { file: Some("x.net"), text: Some(source), routing, cyclic: false }
    }

    fn refused(text: &str, routing: Order) -> String {
        let source = Source::from(text.to_owned());
        let why = parameters(&source, routing).check().unwrap_err();
        format!("{}: {}", why.path, why.why)
    }

    /// A mesh or torus as a netlist, with the routes of dimension order.
    fn grid(grid: &Grid) -> String {
        let (name, wiring) = (|s: u32| format!("r{s}"), Wiring::new(grid.clone()));
        let mut text = format!("switch {}\n", (0..grid.nodes()).map(name).collect::<Vec<_>>().join(" "));
        for (s, port) in (0..grid.nodes()).flat_map(|s| (0..grid.ports() / 2).map(move |d| (s, PortId(2 * d)))) {
            if let Some(far) = grid.neighbour(s, port) {
                let _ = writeln!(text, "link r{s}.{port} r{far}.{}", port.0 + 1);
            }
        }
        for node in 0..grid.nodes() {
            let _ = writeln!(text, "node r{node}.{}", grid.node_port());
            for s in 0..grid.nodes() {
                let _ = writeln!(text, "route r{s} {node} {}", wiring.port(SwitchId(s), NodeId(node)));
            }
        }
        text
    }

    #[test]
    fn a_mesh_written_down_is_the_mesh() {
        for radices in [vec![4], vec![3, 4], vec![2, 3, 2]] {
            let mesh = Wiring::new(Grid::new(radices.clone(), false));
            let source = Source::from(grid(mesh.grid().unwrap()));
            let parameters = parameters(&source, Order::Given);
            let netlist = Wiring::from(parameters.build().unwrap());
            assert_eq!((netlist.sections(), netlist.nodes()), (mesh.sections(), mesh.nodes()));
            for s in (0..mesh.switches()).map(SwitchId) {
                assert!((0..mesh.ports()).map(PortId).all(|port| netlist.output(s, port) == mesh.output(s, port)));
                assert!((0..mesh.nodes()).map(NodeId).all(|node| netlist.port(s, node) == mesh.port(s, node)));
                assert_eq!(netlist.switch_named(&netlist.switch_name(s)), Some(s));
            }
            assert_eq!(parameters.refuses(Encoding::BitString), None);
            assert_eq!(parameters.refuses(Encoding::Multidestination), None);
            let other = crate::network::Topology::Mesh { radices };
            let mesh = other.blueprint();
            assert_eq!((parameters.lanes(2, 3), parameters.links()), (mesh.lanes(2, 3), mesh.links()));
        }
    }

    #[test]
    fn circles_of_channels_are_refused_and_named() {
        let ring = "switch a b c d\nlink a.0 b.1\nlink b.0 c.1\nlink c.0 d.1\nlink d.0 a.1\nnode a.2\nnode b.2\nnode c.2\nnode d.2";
        assert_eq!(
            refused(ring, Order::Shortest),
            "netlist.routing: worms can wait for each other in a circle of channels: a.out0 -> b.out0 -> c.out0 -> d.out0 -> a.out0; \
             allowed: routing: up_down, which has no circles, or cyclic: true, with which they can deadlock"
        );
        let source = Source::from(ring.to_owned());
        let cyclic = Parameters { cyclic: true, ..parameters(&source, Order::Shortest) };
        assert_eq!((cyclic.check(), parameters(&source, Order::UpDown).check()), (Ok(()), Ok(())));
        // The same routes as a torus of four without datelines.
        let torus = grid(&Grid::new(vec![4], true));
        assert!(
            refused(&torus, Order::Given)
                .contains("in a circle of channels: r0.out0 -> r1.out0 -> r2.out0 -> r3.out0 -> r0.out0;")
        );
    }

    #[test]
    fn routes_that_come_together_again_carry_no_trees() {
        // From a to nodes 1 and 2, both behind d, by b and by c.
        let text = "switch a b c d\nlink a.0 b.0\nlink a.1 c.0\nlink b.1 d.0\nlink c.1 d.1\nnode a.2\nnode d.2\nnode d.3\n\
                    route a 1 0\nroute a 2 1\nroute b 0 0\nroute b 1 1\nroute b 2 1\nroute c 0 0\nroute c 1 1\nroute c 2 1\nroute d 0 0\n";
        let source = Source::from(text.to_owned());
        let given = parameters(&source, Order::Given);
        assert_eq!(given.check(), Ok(()));
        let why = given.refuses(Encoding::BitString).unwrap();
        assert!(why.contains("those from node 0 come to d on two ways"), "{why}");
        assert_eq!(parameters(&source, Order::Shortest).refuses(Encoding::BitString), None);
        assert!(given.refuses(Encoding::Multidestination).unwrap().contains("at the last port of all switches"));
    }

    #[test]
    fn errors_name_file_line_and_column() {
        let at = |text: &str| refused(text, Order::Given);
        let two = "switch a b\nlink a.0 b.0\n";
        for (text, why) in [
            ("", "1:1: no node; at least one is needed, as in node a.0"),
            (
                "switch a\nnode a.0\n  linc a.0 b.0",
                "3:3: unknown statement \"linc\"; did you mean \"link\"? allowed: switch, link, node, ports, root, route",
            ),
            (
                "switch left right\nlink left.0 rihgt.0",
                "2:13: no switch \"rihgt\"; did you mean \"right\"? allowed: left, right",
            ),
            ("switch a a", "1:10: switch a is named twice"),
            (
                "switch 2a",
                "1:8: switch \"2a\": a name begins with a letter, goes on with letters, digits and _, and is none of node0, node1, ...",
            ),
            (
                "switch node1",
                "1:8: switch \"node1\": a name begins with a letter, goes on with letters, digits and _, and is none of node0, node1, ...",
            ),
            ("switch # a", "1:1: switch without a name; one or more follow"),
            ("switch a b\nlink a.0", "2:1: link with 1 words behind it; it takes two ports, as in link a.0 b.1"),
            ("switch a b\nlink a.0 a.1", "2:10: a link from a switch to itself; allowed: between two switches"),
            ("switch a b\nlink a.0 b", "2:10: \"b\" is no port; one is named as in a.2"),
            ("switch a b\nlink a.0 b.64", "2:12: port \"64\"; allowed: 0 to 63"),
            (&format!("{two}node a.0"), "3:6: port a.0 has been connected in line 2"),
            (&format!("{two}node a.2\nports 2"), "4:1: ports 2 but port 2 is connected"),
            ("switch a b\nnode a.0\nnode b.0", "3:1: no way from switch a to b"),
            (&format!("{two}node a.2\nroute a 0 2\nroute a 0 0"), "5:7: a second route from a to node 0"),
        ] {
            assert_eq!(at(text), format!("netlist.file: x.net:{why}"), "{text}");
        }
        for (text, why) in [
            (format!("{two}node a.2"), "no route from b to node 0; routing: given needs one for every switch and node"),
            (
                format!("{two}node a.2\nroute b 0 1"),
                "the route from b to node 0 takes port 1, which does not lead there",
            ),
            (format!("{two}node a.2\nroute b 0 7"), "the route from b to node 0 takes port 7; b has 3"),
            (
                format!("{two}node a.2\nnode b.2\nroute a 0 0\nroute b 0 0\nroute a 1 0"),
                "the route to node 0 goes round in a circle and comes back to a",
            ),
        ] {
            assert_eq!(at(&text), format!("netlist.routing: {why}"));
        }
    }

    proptest! {
        #[test]
        fn routes_arrive_form_trees_and_those_up_and_down_no_circles(
            parents in prop::collection::vec(any::<prop::sample::Index>(), 0..9),
            more in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>()), 0..8),
            nodes in prop::collection::vec(any::<prop::sample::Index>(), 1..8),
        ) {
            let switches = parents.len() + 1;
            let mut used = vec![0; switches];
            let mut port = |s: usize| { used[s] += 1; format!("s{s}.{}", used[s] - 1) };
            let mut text = format!("switch {}\n", (0..switches).map(|s| format!("s{s}")).collect::<Vec<_>>().join(" "));
            let more = more.iter().map(|(a, b)| (a.index(switches), b.index(switches)));
            for (a, b) in parents.iter().enumerate().map(|(s, parent)| (s + 1, parent.index(s + 1))).chain(more) {
                if a != b {
                    let _ = writeln!(text, "link {} {}", port(a), port(b));
                }
            }
            for at in &nodes {
                let _ = writeln!(text, "node {}", port(at.index(switches)));
            }
            let source = Source::from(text.clone());
            for order in [Order::UpDown, Order::Shortest] {
                let graph = source.graph().unwrap();
                let routes = source.routes(graph, order).unwrap();
                prop_assert_eq!(routes.no_tree, None, "{:?}: {}", order, &text);
                prop_assert!(order == Order::Shortest || routes.circle.is_none(), "{:?}: {}", routes.circle, &text);
                for (source, node) in (0..nodes.len()).flat_map(|from| (0..nodes.len()).map(move |to| (from, to))) {
                    let (mut at, mut hops) = (graph.nodes[source].0.index(), 0);
                    let far = graph.levels(graph.nodes[node].0.index())[at];
                    while let Some(End::Switch(to, _)) = graph.end(at, routes.ports[at * nodes.len() + node].into()) {
                        (at, hops) = (to.index(), hops + 1);
                        prop_assert!(hops < 2 * switches as u32, "{}", &text);
                    }
                    prop_assert_eq!(at, graph.nodes[node].0.index());
                    prop_assert!(hops == far || order == Order::UpDown && hops > far);
                }
            }
        }
    }
}
