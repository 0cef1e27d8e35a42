//! Graph of a netlist: distances, tables of ports, and circles of channels that wait for each
//! other.

use std::collections::{BTreeMap, VecDeque};
use std::fmt::Display;

use serde::{Deserialize, Serialize};
use wormscope_hw::{PortId, SwitchId};

use crate::End;
use wormscope_quote::counted;

/// Which ways the tables lead.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// up*/down* (Schroeder et al., Autonet, 1991): down where that leads to the node, otherwise up
    /// towards the root. A link leads up to the switch nearer to the root, or to the first of two
    /// equally near.
    #[default]
    UpDown,
    /// The shortest way. If there are several, the route with the lowest ports.
    Shortest,
    /// As the text says: a `route` for every switch and node.
    Given,
}

impl Order {
    /// The name in configurations.
    fn name(self) -> &'static str {
        match self {
            Self::UpDown => "up_down",
            Self::Shortest => "shortest",
            Self::Given => "given",
        }
    }
}

/// A place in the text, both counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct At {
    pub(super) line: usize,
    pub(super) column: usize,
}

impl At {
    pub(super) fn fault(self, why: impl Display) -> String {
        format!("{}:{}: {why}", self.line, self.column)
    }
}

/// A `route` statement, with the places of its statement, node and port.
#[derive(Clone, Copy, Debug)]
pub(super) struct Route {
    pub(super) port: u8,
    pub(super) at: At,
    pub(super) to: At,
    pub(super) by: At,
}

/// Contents of the text.
#[derive(Clone, Debug, Default)]
pub(super) struct Graph {
    pub(super) names: Vec<String>,
    pub(super) ports: usize,
    /// Ends of the ports, switch-major.
    pub(super) ends: Vec<Option<End>>,
    pub(super) nodes: Vec<(SwitchId, PortId)>,
    /// The root that the text names, with its place. If there is none, the first switch is the
    /// root.
    pub(super) root: Option<(usize, At)>,
    /// Routes by switch and node.
    pub(super) routes: BTreeMap<(usize, usize), Route>,
}

impl Graph {
    pub(super) fn end(&self, switch: usize, port: usize) -> Option<End> {
        self.ends[switch * self.ports + port]
    }

    /// Links of a switch, as (port, switch at the other end).
    pub(super) fn links(&self, switch: usize) -> impl Iterator<Item = (usize, usize)> {
        (0..self.ports).filter_map(move |port| match self.end(switch, port) {
            Some(End::Switch(far, _)) => Some((port, far.index())),
            _ => None,
        })
    }

    /// Number of links from a switch to every other switch.
    pub(super) fn levels(&self, from: usize) -> Vec<Option<u32>> {
        self.distances(from, |_, _| true)
    }

    /// Smallest number of links from every switch to this one. Only links from one switch to
    /// another that `leads` admits count. `None` for switches from which none lead there.
    pub(super) fn distances(&self, to: usize, leads: impl Fn(usize, usize) -> bool) -> Vec<Option<u32>> {
        let mut distances = vec![None; self.names.len()];
        let mut queue = VecDeque::from([to]);
        distances[to] = Some(0);
        while let Some(at) = queue.pop_front() {
            let further = distances[at].map(|links| links + 1);
            for (_, from) in self.links(at).filter(|&(_, from)| leads(from, at)) {
                if distances[from].is_none() {
                    distances[from] = further;
                    queue.push_back(from);
                }
            }
        }
        distances
    }

    /// The port of every switch towards every node, switch-major.
    pub(super) fn table(&self, order: Order) -> Result<Vec<u8>, String> {
        let (switches, nodes) = (self.names.len(), self.nodes.len());
        let mut table = vec![0; switches * nodes];
        let levels = self.levels(self.root.map_or(0, |(root, _)| root));
        let up = |from: usize, to: usize| (levels[to], to) < (levels[from], from);
        for (node, &(at, own)) in self.nodes.iter().enumerate() {
            let distances = match order {
                Order::Given => Vec::new(),
                Order::Shortest => self.distances(at.index(), |_, _| true),
                Order::UpDown => self.distances(at.index(), |from, to| !up(from, to)),
            };
            for switch in 0..switches {
                let mut links = self.links(switch);
                let is_next = |of: &[Option<u32>], to: usize| of[to].is_some_and(|links| of[switch] == Some(links + 1));
                let nearer = |to: usize| is_next(&distances, to);
                let port = match order {
                    Order::Given => self.given(switch, node)?,
                    _ if switch == at.index() => own.index(),
                    Order::UpDown if distances[switch].is_none() => {
                        links.find(|&(_, to)| is_next(&levels, to)).map_or(0, |(port, _)| port)
                    }
                    Order::UpDown => links.find(|&(_, to)| !up(switch, to) && nearer(to)).map_or(0, |(port, _)| port),
                    Order::Shortest => links.find(|&(_, to)| nearer(to)).map_or(0, |(port, _)| port),
                };
                table[switch * nodes + node] = port as u8;
            }
        }
        Ok(table)
    }

    /// Ports of a switch that lead to the same neighbour as this port, in ascending order.
    fn parallel(&self, switch: usize, port: usize) -> impl Iterator<Item = usize> {
        let neighbour = |end: Option<End>| match end {
            Some(End::Switch(far, _)) => Some(far),
            _ => None,
        };
        let far = neighbour(self.end(switch, port));
        self.links(switch).map(|(port, _)| port).filter(move |&port| neighbour(self.end(switch, port)) == far)
    }

    /// Whether another link joins the same two switches.
    pub(super) fn has_parallel(&self, switch: usize, port: usize) -> bool {
        self.parallel(switch, port).nth(1).is_some()
    }

    /// Spreads the destinations that a switch sends to one neighbour over its parallel links, in
    /// turn, in the order of their numbers.
    pub(super) fn spread(&self, table: &mut [u8]) {
        for (switch, row) in table.chunks_mut(self.nodes.len()).enumerate() {
            let turns: Vec<Vec<usize>> = (0..self.ports).map(|port| self.parallel(switch, port).collect()).collect();
            let mut sent = vec![0; self.ports];
            for port in row {
                let (lowest, links) = (usize::from(*port), &turns[usize::from(*port)]);
                // `links` is empty for the port of a node.
                if let Some(&link) = links.get(sent[lowest] % links.len().max(1)) {
                    *port = link as u8;
                    sent[lowest] += 1;
                }
            }
        }
    }

    /// Checks that destinations can be spread over parallel links.
    pub(super) fn check_spread(&self, order: Order) -> Result<(), String> {
        if order == Order::Given {
            return Err(
                "no effect with routing: given, where each route names its link; allowed: spread: false".to_owned()
            );
        }
        let parallel = |switch| self.links(switch).any(|(port, _)| self.has_parallel(switch, port));
        if (0..self.names.len()).any(parallel) {
            return Ok(());
        }
        Err("no effect, since no two links join the same two switches; allowed: spread: false".to_owned())
    }

    /// Channels between switches that are on no route between two nodes. With `up_down`, links off
    /// the tree may be taken in one direction alone. Such channels count only beside a parallel one
    /// that is taken.
    pub(super) fn idle(&self, table: &[u8], order: Order) -> Vec<usize> {
        let nodes = self.nodes.len();
        let mut taken = vec![false; self.ends.len()];
        for node in 0..nodes {
            let mut seen = vec![false; self.names.len()];
            for &(from, _) in &self.nodes {
                let mut at = from.index();
                while !std::mem::replace(&mut seen[at], true) {
                    let channel = at * self.ports + usize::from(table[at * nodes + node]);
                    let Some(End::Switch(far, _)) = self.ends[channel] else { break };
                    taken[channel] = true;
                    at = far.index();
                }
            }
        }
        let is_idle = |&channel: &usize| {
            let Some(End::Switch(far, at)) = self.ends[channel] else { return false };
            let (switch, port) = (channel / self.ports, channel % self.ports);
            let is_beside = || self.parallel(switch, port).any(|port| taken[switch * self.ports + port]);
            let is_back = || taken[far.index() * self.ports + at.index()];
            !taken[channel] && (order != Order::UpDown || !is_back() || is_beside())
        };
        (0..taken.len()).filter(is_idle).collect()
    }

    /// Checks that each route leads to a node, through a port to this node or to another switch.
    pub(super) fn check_routes(&self) -> Result<(), String> {
        for (&(switch, node), route) in &self.routes {
            let (name, port, nodes) = (&self.names[switch], route.port, self.nodes.len());
            if node >= nodes {
                let why = format_args!("no node {node}; allowed: 0 to {} ({})", nodes - 1, counted(nodes, "node"));
                return Err(route.to.fault(why));
            }
            if usize::from(port) >= self.ports {
                let why = format_args!("no port {port}; allowed: 0 to {} (ports of {name})", self.ports - 1);
                return Err(route.by.fault(why));
            }
            let (at, own) = self.nodes[node];
            if at.index() == switch && own.0 != port {
                let why = format_args!("node {node} is at port {own} of {name}; allowed: this port, or no route");
                return Err(route.by.fault(why));
            }
            let leads = match self.end(switch, port.into()) {
                Some(End::Switch(..)) => continue,
                Some(End::Node(to)) if to.index() == node => continue,
                Some(End::Node(to)) => format!("to node {to}"),
                None => "nowhere".to_owned(),
            };
            let why =
                format_args!("port {port} of {name} leads {leads}; allowed: a port to a switch or to node {node}");
            return Err(route.by.fault(why));
        }
        Ok(())
    }

    /// Checks that the routes of the text count in this order.
    pub(super) fn check_order(&self, order: Order) -> Result<(), String> {
        let name = order.name();
        if order != Order::Given
            && let Some(at) = self.routes.values().map(|route| route.at).min()
        {
            let why = "allowed: routing: given, which needs a route for every switch and node, or no route";
            return Err(at.fault(format_args!("route has no effect with routing: {name}; {why}")));
        }
        match self.root {
            Some((_, at)) if order != Order::UpDown => Err(at
                .fault(format_args!("root has no effect with routing: {name}; allowed: routing: up_down, or no root"))),
            _ => Ok(()),
        }
    }

    /// The port of a `route`. A node's own switch may have no `route` for it.
    pub(super) fn given(&self, switch: usize, node: usize) -> Result<usize, String> {
        let (at, own) = self.nodes[node];
        let name = &self.names[switch];
        match self.routes.get(&(switch, node)) {
            None if at.index() == switch => Ok(own.index()),
            None => {
                Err(format!("no route from {name} to node {node}; routing: given needs one for every switch and node"))
            }
            Some(route) => Ok(route.port.into()),
        }
    }

    pub(super) fn channel(&self, channel: usize) -> String {
        format!("{}.out{}", self.names[channel / self.ports], channel % self.ports)
    }

    /// For each channel: the channels for which a worm on it can wait.
    ///
    /// # Errors
    /// A route that goes round in circles.
    pub(super) fn waits(&self, table: &[u8]) -> Result<Vec<Vec<usize>>, String> {
        let nodes = self.nodes.len();
        let mut waits = vec![Vec::new(); self.ends.len()];
        for (node, _) in self.nodes.iter().enumerate() {
            // The switch that worms to this node have been through, by the walk that found it.
            let mut seen = vec![None; self.names.len()];
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
                    match seen[at].replace(walk) {
                        None => at = far.index(),
                        Some(again) if again == walk => {
                            let name = &self.names[at];
                            return Err(format!("the route to node {node} is a loop: it returns to {name}"));
                        }
                        Some(_) => break,
                    }
                }
            }
        }
        Ok(waits)
    }

    /// Finds [`Routes::circle`](super::Routes::circle) from the waits of each channel.
    pub(super) fn circle(waits: &[Vec<usize>]) -> Option<Vec<usize>> {
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

    /// Finds [`Routes::no_tree`](super::Routes::no_tree).
    pub(super) fn no_tree(&self, table: &[u8]) -> Option<(usize, usize)> {
        let nodes = self.nodes.len();
        (0..nodes).find_map(|source| {
            let mut entered = vec![None; self.names.len()];
            (0..nodes).find_map(|node| {
                let mut at = self.nodes[source].0.index();
                loop {
                    let channel = at * self.ports + usize::from(table[at * nodes + node]);
                    let Some(End::Switch(far, _)) = self.ends[channel] else { return None };
                    at = far.index();
                    if entered[at].replace(channel).is_some_and(|before| before != channel) {
                        return Some((source, at));
                    }
                }
            })
        })
    }

    /// Whether each node has its own switch, and is at the last port of this switch. This port must
    /// have no link.
    pub(super) fn is_direct(&self) -> bool {
        let last = self.ports - 1;
        let links = (0..self.names.len()).any(|switch| matches!(self.end(switch, last), Some(End::Switch(..))));
        !links && self.nodes.iter().all(|(_, port)| port.index() == last)
    }
}
