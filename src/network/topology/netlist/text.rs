//! The text of a netlist, read into its graph.

use std::collections::BTreeMap;

use wormscope_hw::{NodeId, PortId, SwitchId};

use super::graph::{At, Graph, Route};
use crate::End;
use wormscope_quote::spelling::suggestion;
use wormscope_quote::{counted, excerpt};

/// Largest number of switches, and of nodes. Tables grow with their product.
const MOST: usize = 1024;
/// Largest number of ports of a switch.
const MOST_PORTS: usize = 64;

/// A word and its place.
#[derive(Clone, Copy)]
struct Word<'a> {
    text: &'a str,
    at: At,
}

impl Word<'_> {
    fn fault(self, why: impl std::fmt::Display) -> String {
        self.at.fault(why)
    }
}

/// Reads a text, statement by statement.
#[derive(Default)]
pub(super) struct Reader {
    graph: Graph,
    numbers: BTreeMap<String, usize>,
    /// Use of each port, and the line that says so.
    used: BTreeMap<(usize, usize), (End, usize)>,
    /// Number of ports of every switch, and the place that says so.
    ports: Option<(usize, At)>,
}

impl Reader {
    pub(super) fn read(mut self, text: &str) -> Result<Graph, String> {
        const STATEMENTS: [&str; 6] = ["switch", "link", "node", "ports", "root", "route"];
        // Some editors write a byte order mark.
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut lines = 1;
        // A statement may name a switch that is declared further down, so `switch` lines come
        // first.
        for names in [true, false] {
            for (line, content) in (1..).zip(text.lines()) {
                lines = line;
                let words = words(line, content.split('#').next().unwrap_or(""));
                match words[..] {
                    [] => {}
                    [Word { text: "switch", .. }, ..] if !names => {}
                    [at @ Word { text: "switch", .. }] => {
                        return Err(at.fault("switch without a name; allowed: one name or more"));
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
                    [at @ Word { text: "ports", .. }, count] => self.ports(at, count)?,
                    [at @ Word { text: "root", .. }, name] => self.root(at, name)?,
                    [at @ Word { text: "route", .. }, from, to, port] => self.route(at, from, to, port)?,
                    [at, ref rest @ ..] => {
                        let takes = match at.text {
                            "link" => "two ports, as in link a.0 b.1",
                            "node" => "a port, as in node a.2",
                            "ports" => "a number, as in ports 4",
                            "root" => "a switch, as in root a",
                            _ => "a switch, a node and a port, as in route a 3 1",
                        };
                        let words = counted(rest.len(), "word");
                        return Err(at.fault(format_args!("{} with {words} after it; it takes {takes}", at.text)));
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
            let why = "a name begins with a letter (a to z, A to Z), goes on with letters, digits and _, and is none of \
                       node0, node1, ...";
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

    /// Reads a port such as `a.2`.
    fn port(&self, at: Word) -> Result<(usize, usize), String> {
        let Some((name, port)) = at.text.split_once('.') else {
            return Err(at.fault(format_args!("\"{}\" is no port; one is named as in a.2", excerpt(at.text))));
        };
        let switch = self.named(at, name)?;
        let column = at.at.column + name.chars().count() + 1;
        let number = number(Word { text: port, at: At { column, ..at.at } }, 0..=MOST_PORTS - 1, "port")?;
        Ok((switch, number))
    }

    fn connect(&mut self, at: Word, (switch, port): (usize, usize), end: End) -> Result<(), String> {
        match self.used.insert((switch, port), (end, at.at.line)) {
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

    fn ports(&mut self, at: Word, count: Word) -> Result<(), String> {
        let count = number(count, 1..=MOST_PORTS, "ports")?;
        match self.ports.replace((count, at.at)) {
            None => Ok(()),
            Some((_, first)) => {
                Err(at.fault(format_args!("ports a second time, after line {}; allowed: once", first.line)))
            }
        }
    }

    fn root(&mut self, at: Word, name: Word) -> Result<(), String> {
        let root = self.named(name, name.text)?;
        match self.graph.root.replace((root, at.at)) {
            None => Ok(()),
            Some((_, first)) => {
                Err(at.fault(format_args!("root a second time, after line {}; allowed: once", first.line)))
            }
        }
    }

    fn route(&mut self, at: Word, from: Word, to: Word, port: Word) -> Result<(), String> {
        let place = (self.named(from, from.text)?, number(to, 0..=MOST - 1, "node")?);
        let route = Route { port: number(port, 0..=MOST_PORTS - 1, "port")? as u8, at: at.at, to: to.at, by: port.at };
        match self.graph.routes.insert(place, route) {
            None => Ok(()),
            Some(first) => Err(from.fault(format_args!(
                "a second route from {} to node {}, after line {}; allowed: one",
                from.text, to.text, first.at.line
            ))),
        }
    }

    fn finish(self, lines: usize) -> Result<Graph, String> {
        let Self { mut graph, used, ports, .. } = self;
        let end = |why: String| Err(At { line: lines, column: 1 }.fault(why));
        if graph.nodes.is_empty() {
            return end("no node; at least one is needed, as in node a.0".to_owned());
        }
        let highest = used.keys().map(|&(_, port)| port + 1).max().unwrap_or(1);
        graph.ports = ports.map_or(highest, |(ports, _)| ports);
        if let Some((ports, at)) = ports.filter(|&(ports, _)| ports < highest) {
            let why =
                format!("ports {ports} but port {} is connected; allowed: {highest} to {MOST_PORTS}", highest - 1);
            return Err(at.fault(why));
        }
        graph.ends = vec![None; graph.names.len() * graph.ports];
        for (&(switch, port), &(to, _)) in &used {
            graph.ends[switch * graph.ports + port] = Some(to);
        }
        let reached = graph.levels(0);
        match reached.iter().position(Option::is_none) {
            Some(apart) => end(format!("no path of links from switch {} to {}", graph.names[0], graph.names[apart])),
            None => graph.check_routes().map(|()| graph),
        }
    }
}

/// Words of a line up to a comment.
fn words(line: usize, content: &str) -> Vec<Word<'_>> {
    let mut words = Vec::new();
    for text in content.split_whitespace() {
        // `before` is the byte offset of the word in the line.
        let before = text.as_ptr() as usize - content.as_ptr() as usize;
        words.push(Word { text, at: At { line, column: content[..before].chars().count() + 1 } });
    }
    words
}

fn number(word: Word, range: std::ops::RangeInclusive<usize>, what: &str) -> Result<usize, String> {
    word.text.parse().ok().filter(|number| range.contains(number)).ok_or_else(|| {
        let (least, most) = (range.start(), range.end());
        word.fault(format_args!("{what} \"{}\"; allowed: {least} to {most}", excerpt(word.text)))
    })
}
