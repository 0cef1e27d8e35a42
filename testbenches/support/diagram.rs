//! Cycle diagrams from the commit log: a column a cycle, a row a signal.
//!
//! ```text
//! cycle               0     1     2
//! n0.inj              w0.0  w0.1  .
//! rt_0.in4.state      .     ROUTE MOVE
//! ```

use std::collections::BTreeMap;
use std::fmt::Write as _;

use wormscope::engine::{CommitLog, FlitId, InSample, LaneState, Observer, OutSample};
use wormscope::hw::{NodeId, SwitchId};

/// Signal of a row. Lanes are numbered as the switch numbers them, port-major.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// The flit that leaves node and injection channel.
    Injected(u32, u8),
    /// Credits of an injection channel.
    InjectionCredits(u32, u8),
    /// State of an input lane of a switch.
    State(u32, u8),
    /// Flits in its FIFO.
    Count(u32, u8),
    /// The flit at the front of its FIFO.
    Front(u32, u8),
    /// Ports of the branches.
    Branches(u32, u8),
    /// Ports whose branch has taken the flit at the front.
    Taken(u32, u8),
    /// The flit that crosses an output lane.
    Out(u32, u8),
    /// Its credits.
    Credits(u32, u8),
    /// The input lane that owns it.
    Owner(u32, u8),
    /// The flit that node and consumption channel take.
    Consumed(u32, u8),
    /// The token at a switch's station: passing (`here`), or held by an input lane.
    Token(u32),
    /// Input lanes that wait for it.
    Request(u32),
}

/// A row: its name and its signal.
pub type Row<'a> = (&'a str, Signal);

/// Collects the rows of a run.
#[derive(Clone, Debug)]
pub struct Diagram {
    rows: Vec<(String, Signal)>,
    /// Values of the signals before anything happens.
    initial: Vec<String>,
    /// Values of the signals while the log does not name them.
    held: Vec<String>,
    columns: BTreeMap<u64, Vec<String>>,
}

fn flit(flit: Option<FlitId>) -> String {
    flit.map_or(".".into(), |flit| format!("w{}.{}", flit.worm, flit.index))
}

fn ports(mask: u64) -> String {
    let list: Vec<String> = wormscope::hw::bits(mask).map(|p| p.to_string()).collect();
    if list.is_empty() { ".".into() } else { list.join(",") }
}

impl Diagram {
    /// A diagram of these rows. Counters start with `depth` flits of credit.
    #[must_use]
    pub fn new(rows: &[Row], depth: u32) -> Self {
        let initial = rows.iter().map(|(_, signal)| match signal {
            Signal::Count(..) => "0".into(),
            Signal::Credits(..) | Signal::InjectionCredits(..) => depth.to_string(),
            _ => ".".to_owned(),
        });
        let initial: Vec<String> = initial.collect();
        let rows = rows.iter().map(|&(name, signal)| (name.to_owned(), signal));
        Self { held: initial.clone(), initial, rows: rows.collect(), columns: BTreeMap::new() }
    }

    fn input(signal: Signal, s: &InSample) -> Option<String> {
        let at = |switch, lane| s.switch == SwitchId(switch) && s.lane == lane;
        match signal {
            Signal::State(switch, lane) if at(switch, lane) => Some(match s.state {
                LaneState::Idle => ".".into(),
                state => state.to_string(),
            }),
            Signal::Count(switch, lane) if at(switch, lane) => Some(s.fifo_count.to_string()),
            Signal::Front(switch, lane) if at(switch, lane) => {
                Some(flit(s.worm.zip(s.flit).map(|(worm, index)| FlitId { worm, index })))
            }
            Signal::Branches(switch, lane) if at(switch, lane) => Some(ports(s.branches.0)),
            Signal::Taken(switch, lane) if at(switch, lane) => Some(ports(s.taken.0)),
            _ => None,
        }
    }

    fn output(signal: Signal, s: &OutSample) -> Option<String> {
        let at = |switch, lane| s.switch == SwitchId(switch) && s.lane == lane;
        match signal {
            Signal::Out(switch, lane) if at(switch, lane) => Some(flit(s.flit)),
            Signal::Credits(switch, lane) if at(switch, lane) => Some(s.credits.to_string()),
            Signal::Owner(switch, lane) if at(switch, lane) => {
                Some(s.owner.map_or(".".into(), |owner| owner.to_string()))
            }
            _ => None,
        }
    }

    fn value(&self, row: usize, log: &CommitLog) -> String {
        let signal = self.rows[row].1;
        let injection = log.injections.iter().find_map(|s| match signal {
            Signal::Injected(n, c) if (s.node, s.channel) == (NodeId(n), c) => Some(flit(s.flit)),
            Signal::InjectionCredits(n, c) if (s.node, s.channel) == (NodeId(n), c) => Some(s.credits.to_string()),
            _ => None,
        });
        let consumed = || match signal {
            Signal::Consumed(n, c) => {
                let taken = log.consumptions.iter().find(|s| (s.node, s.channel) == (NodeId(n), c));
                Some(flit(taken.map(|s| s.flit)))
            }
            _ => None,
        };
        let token = log.tokens.iter().find_map(|s| match signal {
            Signal::Token(switch) if s.switch == SwitchId(switch) => Some(match (s.here, s.holder) {
                (false, _) => ".".into(),
                (true, None) => "here".into(),
                (true, Some(input)) => format!("in{input}"),
            }),
            Signal::Request(switch) if s.switch == SwitchId(switch) => Some(ports(s.request.0)),
            _ => None,
        });
        injection
            .or(token)
            .or_else(|| log.inputs.iter().find_map(|s| Self::input(signal, s)))
            .or_else(|| log.outputs.iter().find_map(|s| Self::output(signal, s)))
            .or_else(consumed)
            .unwrap_or_else(|| self.held[row].clone())
    }

    /// The diagram of cycles `0..cycles`, a row a line.
    #[must_use]
    pub fn render(&self, cycles: u64) -> String {
        let mut held = self.initial.clone();
        let mut lines: Vec<Vec<String>> = self.rows.iter().map(|(name, _)| vec![name.clone()]).collect();
        let mut title = vec!["cycle".to_owned()];
        for cycle in 0..cycles {
            if let Some(column) = self.columns.get(&cycle) {
                held.clone_from(column);
            } else {
                // Nodes hold no value: they are silent unless the log names them.
                let silent = (0..held.len()).filter(|&row| matches!(self.rows[row].1, Signal::Consumed(..)));
                silent.for_each(|row| ".".clone_into(&mut held[row]));
            }
            title.push(cycle.to_string());
            for (line, value) in lines.iter_mut().zip(&held) {
                line.push(value.clone());
            }
        }
        lines.insert(0, title);
        let widths: Vec<usize> =
            (0..=cycles as usize).map(|c| lines.iter().map(|l| l[c].len()).max().unwrap_or_default()).collect();
        let mut text = String::new();
        for line in lines {
            let cells: Vec<String> = line.iter().zip(&widths).map(|(cell, w)| format!("{cell:<w$}")).collect();
            let _ = writeln!(text, "{}", cells.join(" ").trim_end());
        }
        text
    }
}

impl Observer for Diagram {
    const COMMITS: bool = true;

    fn commit(&mut self, log: &CommitLog) {
        self.held = (0..self.rows.len()).map(|row| self.value(row, log)).collect();
        self.columns.insert(log.cycle, self.held.clone());
    }
}
