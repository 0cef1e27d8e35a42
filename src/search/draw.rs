//! Random worms, and small changes to a schedule.

use wormscope_hw::Encoding;
use wormscope_hw::header::Way;

use crate::experiment::{Message, WormRules};
use crate::workload::random::{Key, Stream};

/// Worms that a search may send. Ranges include both ends.
#[derive(Clone, Debug)]
pub struct WormShape {
    /// Encodings.
    pub encodings: Vec<Encoding>,
    /// Destinations of a multicast.
    pub destinations: (u32, u32),
    /// Payload flits.
    pub payload_flits: (u32, u32),
    /// Largest number of worms.
    pub worms: u32,
    /// Cycles of creation.
    pub cycles: u64,
    /// Nodes that send, and nodes that receive.
    pub sources: Vec<u32>,
    /// Nodes that receive.
    pub targets: Vec<u32>,
}

/// Draws until a worm is valid.
const TRIES: u32 = 64;

fn within(random: &mut Stream, (least, most): (u32, u32)) -> u32 {
    least + random.below(most - least + 1)
}

impl WormShape {
    /// Refuses worms that no draw makes.
    ///
    /// # Errors
    /// Too few nodes can receive, or the network allows no worm of an encoding.
    pub fn check(&self, rules: &WormRules) -> Result<(), String> {
        let returns = self.encodings.iter().any(|&encoding| rules.may_return(encoding));
        let receivers = |source: &u32| self.targets.iter().filter(|node| returns || *node != source).count();
        let most = self.sources.iter().map(receivers).max().unwrap_or(0);
        if most == 0 {
            return Err("no worm has a destination: the only node that receives is the one that sends".to_owned());
        }
        let is_multicast = self.encodings.iter().any(|encoding| encoding.way() != Way::Unicast);
        if is_multicast && self.destinations.0 as usize > most {
            let least = self.destinations.0;
            let others = if returns { "" } else { "other " };
            return Err(format!("{least} destinations or more, but only {most} {others}nodes can receive"));
        }
        for &encoding in &self.encodings {
            if let Err(why) = self.of(encoding, rules) {
                // The search may send more than this one worm may be.
                let why = why.split("; allowed: ").next().unwrap_or_default();
                let can = Encoding::ALL.into_iter().filter(|&other| self.of(other, rules).is_ok());
                let can: Vec<_> = can.map(Encoding::name).collect();
                return Err(format!("no {encoding} worm can be sent: {why}; allowed: {}", can.join(", ")));
            }
        }
        Ok(())
    }

    /// A worm of this encoding, or the reason why there is none.
    fn of(&self, encoding: Encoding, rules: &WormRules) -> Result<Message, String> {
        Self { encodings: vec![encoding], ..self.clone() }.drawn(&mut Key::new(1).stream(), rules)
    }

    /// A worm, if one of some draws is valid.
    pub(super) fn worm(&self, random: &mut Stream, rules: &WormRules) -> Option<Message> {
        self.drawn(random, rules).ok()
    }

    /// A worm, or the reason why the last of some draws is not valid.
    fn drawn(&self, random: &mut Stream, rules: &WormRules) -> Result<Message, String> {
        let mut last = String::new();
        for _ in 0..TRIES {
            let source = self.sources[random.below(self.sources.len() as u32) as usize];
            let encoding = self.encodings[random.below(self.encodings.len() as u32) as usize];
            let count = if encoding.way() == Way::Unicast { 1 } else { within(random, self.destinations) };
            let goes = |node: &u32| *node != source || rules.may_return(encoding);
            let mut receivers: Vec<u32> = self.targets.iter().copied().filter(goes).collect();
            random.shuffle(&mut receivers);
            receivers.truncate(count as usize);
            if encoding.way() == Way::Tree {
                receivers.sort_unstable();
            }
            let message = Message {
                cycle: random.below_wide(self.cycles),
                source,
                destinations: receivers,
                encoding: Some(encoding),
                class: None,
                payload_flits: within(random, self.payload_flits),
            };
            match rules.check_message(&message) {
                Ok(()) => return Ok(message),
                Err(fault) => last = fault.message,
            }
        }
        Err(last)
    }

    /// A schedule of up to `most` worms.
    pub(super) fn schedule(&self, random: &mut Stream, rules: &WormRules, most: u32) -> Vec<Message> {
        let count = 1 + random.below(most);
        (0..count).filter_map(|_| self.worm(random, rules)).collect()
    }

    /// The same schedule with one to three changes.
    pub(super) fn changed(&self, random: &mut Stream, rules: &WormRules, of: &[Message], most: u32) -> Vec<Message> {
        let mut schedule = of.to_vec();
        for _ in 0..=random.below(3) {
            let count = schedule.len() as u32;
            if count == 0 || count < most && random.below(5) == 0 {
                schedule.extend(self.worm(random, rules));
                continue;
            }
            let at = random.below(count) as usize;
            match random.below(6) {
                0 if count > 1 => {
                    schedule.swap_remove(at);
                }
                1 => {
                    if let Some(worm) = self.worm(random, rules) {
                        schedule[at] = worm;
                    }
                }
                2 => {
                    let mut worm = schedule[at].clone();
                    worm.payload_flits = within(random, self.payload_flits);
                    if rules.check_message(&worm).is_ok() {
                        schedule[at] = worm;
                    }
                }
                3 => {
                    if let Some(other) = self.worm(random, rules) {
                        let worm = Message { cycle: schedule[at].cycle, source: schedule[at].source, ..other };
                        if rules.check_message(&worm).is_ok() {
                            schedule[at] = worm;
                        }
                    }
                }
                4 => schedule[at].cycle = random.below_wide(self.cycles),
                _ => {
                    let near = schedule[at].cycle.saturating_sub(3) + random.below_wide(7);
                    schedule[at].cycle = near.min(self.cycles.saturating_sub(1));
                }
            }
        }
        schedule
    }
}
