//! The bounds of a proof: which worms nodes may send, and how arbiters choose.

use wormscope_hw::Encoding;
use wormscope_hw::header::Way;

use crate::engine::states::Offer;
use crate::engine::{Class, NewWorm};
use crate::experiment::{Experiment, Message, Workload, WormRules};
use crate::quote;
use crate::state_space::MOST_ONCE;

/// Most kinds of worms.
const MOST_KINDS: usize = 20_000;

/// Worms that nodes may send.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Traffic {
    /// The messages of the experiment, each at most once and in any cycle.
    Messages,
    /// All worms of some shapes, in any cycle and order.
    Shapes(Shapes),
}

/// Shapes of worms. Ranges include both ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shapes {
    /// Encodings.
    pub encodings: Vec<Encoding>,
    /// Destinations of a multicast.
    pub destinations: (u32, u32),
    /// Payload flits.
    pub payload_flits: (u32, u32),
    /// Nodes that send. Empty for all nodes.
    pub sources: Vec<u32>,
    /// Nodes that receive. Empty for all nodes.
    pub targets: Vec<u32>,
}

/// The bounds of a proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProofBounds {
    /// The worms.
    pub traffic: Traffic,
    /// Largest number of worms in all; `None` for any number.
    pub worms: Option<u8>,
    /// Whether an arbiter may choose any input that asks. Otherwise it chooses as it is built.
    pub any_choice: bool,
}

impl Shapes {
    /// All worms of these shapes that the network allows.
    fn messages(&self, rules: &WormRules) -> Vec<Message> {
        let all: Vec<u32> = (0..rules.nodes()).collect();
        let or_all = |nodes: &[u32]| if nodes.is_empty() { all.clone() } else { nodes.to_vec() };
        let (sources, targets) = (or_all(&self.sources), or_all(&self.targets));
        let mut messages = Vec::new();
        for &source in &sources {
            for &encoding in &self.encodings {
                let goes = |node: &u32| *node != source || rules.may_return(encoding);
                let receivers: Vec<u32> = targets.iter().copied().filter(goes).collect();
                let sizes = match encoding.way() {
                    Way::Unicast => 1..=1,
                    Way::Tree | Way::Path => self.destinations.0.max(1)..=self.destinations.1,
                };
                let ordered = encoding.way() == Way::Path;
                for size in sizes {
                    for destinations in chosen(&receivers, size as usize, ordered) {
                        for payload_flits in self.payload_flits.0..=self.payload_flits.1 {
                            let (cycle, encoding, destinations) = (0, Some(encoding), destinations.clone());
                            let message = Message { cycle, source, destinations, encoding, class: None, payload_flits };
                            if rules.check_message(&message).is_ok() {
                                messages.push(message);
                            }
                        }
                        if messages.len() > MOST_KINDS {
                            return messages;
                        }
                    }
                }
            }
        }
        messages
    }
}

/// All sets of `size` nodes, or all their orders.
fn chosen(nodes: &[u32], size: usize, ordered: bool) -> Vec<Vec<u32>> {
    let mut all = vec![Vec::new()];
    for _ in 0..size {
        let with = |begun: &Vec<u32>| {
            let begun = begun.clone();
            let goes = {
                let begun = begun.clone();
                move |node: &u32| {
                    if ordered { !begun.contains(node) } else { begun.last().is_none_or(|last| last < node) }
                }
            };
            nodes.iter().copied().filter(goes).map(move |node| [&begun[..], &[node]].concat()).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(with).collect();
    }
    all
}

impl ProofBounds {
    /// The messages that nodes may send.
    ///
    /// # Errors
    /// There are none, too many, or other kinds of traffic.
    pub fn messages(&self, experiment: &Experiment, rules: &WormRules) -> Result<Vec<Message>, String> {
        let messages = match &self.traffic {
            Traffic::Messages => {
                let of = |entry: &Workload| match entry {
                    Workload::Messages(messages) => Some(messages.clone()),
                    _ => None,
                };
                let lists: Option<Vec<_>> = experiment.workload.iter().map(of).collect();
                lists.map(|lists| lists.concat()).filter(|all| !all.is_empty()).ok_or_else(|| {
                    "the worms of a proof are a list of messages, and this workload has none or has other entries; \
                     describe the worms by options, as in --encoding bit_string --payload 4"
                        .to_owned()
                })?
            }
            Traffic::Shapes(shapes) => shapes.messages(rules),
        };
        if messages.is_empty() {
            return Err("the network allows no worm of these shapes; other values of --encoding, --destinations, \
                        --payload, --from and --to give some"
                .to_owned());
        }
        if messages.len() > MOST_KINDS {
            return Err(format!(
                "more than {MOST_KINDS} different worms; fewer destinations, lengths, sources or targets give fewer"
            ));
        }
        if let Traffic::Shapes(shapes) = &self.traffic {
            let has = |encoding| messages.iter().any(|message| message.encoding == Some(encoding));
            if let Some(none) = shapes.encodings.iter().find(|encoding| !has(**encoding)) {
                return Err(format!(
                    "the network allows no {none} worm of these shapes; leave this encoding out, or give other values \
                     of --destinations, --payload, --from and --to"
                ));
            }
        }
        if self.traffic == Traffic::Messages {
            let of = |message: &Message| messages.iter().filter(|other| other.source == message.source).count();
            if let Some(crowded) = messages.iter().find(|message| of(message) > MOST_ONCE) {
                return Err(format!("node {} has more than {MOST_ONCE} messages", crowded.source));
            }
        }
        Ok(messages)
    }

    /// The worms that nodes may send, as the engine has them.
    #[must_use]
    pub fn offer(&self, messages: &[Message]) -> Offer {
        let worm = |message: &Message| NewWorm {
            cycle: 0,
            source: wormscope_hw::NodeId(message.source),
            destinations: message.destinations.iter().map(|&node| wormscope_hw::NodeId(node)).collect(),
            encoding: message.encoding.unwrap_or_default(),
            payload_flits: message.payload_flits,
            class: Class::default(),
        };
        let once = self.traffic == Traffic::Messages;
        Offer { kinds: messages.iter().map(worm).collect(), once, most: self.worms }
    }

    /// The bounds in words, one a line.
    #[must_use]
    pub fn lines(&self, kinds: usize) -> Vec<String> {
        let range = |(least, most): (u32, u32)| {
            if least == most { least.to_string() } else { format!("{least} to {most}") }
        };
        let nodes = |nodes: &[u32]| {
            let names: Vec<String> = nodes.iter().map(u32::to_string).collect();
            if names.is_empty() { "all nodes".to_owned() } else { format!("nodes {}", quote::list(&names)) }
        };
        let mut lines = Vec::new();
        match &self.traffic {
            Traffic::Messages => {
                lines.push(format!("worms: the {kinds} messages of the workload, each at most once"));
            }
            Traffic::Shapes(shapes) => {
                let names: Vec<String> = shapes.encodings.iter().map(ToString::to_string).collect();
                let multicasts = match shapes.encodings[..] {
                    [Encoding::Unicast] => String::new(),
                    _ => format!(", multicasts to {} destinations", range(shapes.destinations)),
                };
                lines.push(format!(
                    "worms: {kinds} different ones, {}{multicasts}; payload {}; from {}, to {}",
                    quote::list(&names),
                    quote::counted(range(shapes.payload_flits), "flit"),
                    nodes(&shapes.sources),
                    nodes(&shapes.targets)
                ));
            }
        }
        lines.push(match self.worms {
            Some(worms) => format!("number of worms: at most {worms} in all"),
            None if self.traffic == Traffic::Messages => "number of worms: all of them".to_owned(),
            None => "number of worms: any".to_owned(),
        });
        lines.push("injection times: any".to_owned());
        lines.push(
            if self.any_choice {
                "arbiters: any choice among the requests"
            } else {
                "arbiters: as they are built, from reset"
            }
            .to_owned(),
        );
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_chosen_once_and_paths_in_all_orders() {
        assert_eq!(chosen(&[1, 4, 6], 2, false), [[1, 4], [1, 6], [4, 6]]);
        assert_eq!(chosen(&[1, 4, 6], 2, true).len(), 6);
        assert_eq!(chosen(&[1], 2, false), Vec::<Vec<u32>>::new());
    }
}
