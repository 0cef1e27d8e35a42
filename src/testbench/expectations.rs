//! Expectations of a testbench, checked before the run. Names that do not exist are refused.
//! Expectations that no run can meet, or that every run meets, are refused as well.

use super::property::{Property, PropertyError};
use super::schema::{
    Account, Begin, Blocked, Deadlock, Deliveries, End, Expect, FinalState, Latencies, OfLink, OfMulticast, Order,
    Percentile, Throughput,
};
use super::sources::SourceFile;
use crate::account::Cause;
use crate::deadlock::TokenRef;
use crate::experiment::{Experiment, WormRules};
use crate::explain::names::WaveNames;
use crate::input::{ConfigError, Place};
use crate::network::channel::covers;
use crate::network::routing::grouping;
use crate::network::{Network, channel};
use crate::quote::{excerpt, number};
use crate::simulation::Site;
use crate::spelling;

/// An expectation.
#[derive(Clone, Debug)]
pub(super) struct Item {
    /// Place of the expectation in the file.
    pub place: Place,
    /// Path of the expectation below `expect`.
    pub path: String,
    pub kind: Expectation,
}

/// Lists of expectations about the results of a run.
#[derive(Clone, Debug)]
pub(super) enum Expectation {
    Deliveries(Deliveries),
    Latencies(Latencies),
    Throughput(Throughput),
    Order(Order),
    Blocked(Blocked),
    Multicasts(OfMulticast),
    Link(OfLink),
    Account(Account),
    /// Expectations that other code judges.
    Other,
}

impl Item {
    /// The worms that the expectation names, each with its path.
    pub(super) fn worms(&self) -> Vec<(String, u32)> {
        let path = &self.path;
        match &self.kind {
            Expectation::Deliveries(d) => vec![(format!("{path}.worm"), d.worm)],
            Expectation::Latencies(l) => {
                l.worms.iter().enumerate().map(|(i, w)| (format!("{path}.worms[{i}]"), *w)).collect()
            }
            Expectation::Order(Order::AtNode { worms, .. }) => {
                worms.iter().enumerate().map(|(i, w)| (format!("{path}.at_node.worms[{i}]"), *w)).collect()
            }
            Expectation::Order(Order::OfWorm { worm, .. }) => vec![(format!("{path}.of_worm.worm"), *worm)],
            Expectation::Blocked(b) => {
                let by = b.by.iter().enumerate().map(|(i, w)| (format!("{path}.by[{i}]"), *w));
                std::iter::once((format!("{path}.worm"), b.worm)).chain(by).collect()
            }
            Expectation::Link(link) => {
                link.longest.iter().map(|(worm, _)| (format!("{path}.longest"), *worm)).collect()
            }
            Expectation::Account(account) => {
                account.waited_for.iter().map(|(worm, _)| (format!("{path}.waited_for"), *worm)).collect()
            }
            Expectation::Multicasts(_) | Expectation::Throughput(_) | Expectation::Other => Vec::new(),
        }
    }
}

/// Expectations of all parts.
pub(super) struct Expectations<'a> {
    rules: &'a WormRules,
    network: &'a Network,
    site: &'a Site,
    /// Largest length of a run.
    max_cycles: u64,
    /// Classes of the workload.
    classes: Vec<String>,
    expected: Expected,
}

/// Checked expectations.
#[derive(Default)]
pub(super) struct Expected {
    pub items: Vec<Item>,
    pub final_state: Option<FinalState>,
    pub deadlock: Option<(Item, Deadlock)>,
    pub properties: Vec<Property>,
    /// Items of the properties.
    pub watched: Vec<Item>,
}

/// Bounds of a number of cycles.
struct CycleBounds {
    equal: Option<u64>,
    at_least: Option<u64>,
    at_most: Option<u64>,
}

impl<'a> Expectations<'a> {
    /// No expectations of an experiment yet.
    pub fn new(experiment: &'a Experiment, rules: &'a WormRules, site: &'a Site) -> Self {
        let (network, max_cycles) = (&experiment.network, experiment.run.max_cycles);
        let classes = experiment.classes();
        Self { rules, network, site, max_cycles, classes, expected: Expected::default() }
    }

    /// The complete expectations.
    ///
    /// # Errors
    /// Two parts contradict each other.
    pub fn finish(self) -> Result<Expected, ConfigError> {
        match &self.expected.deadlock {
            Some((item, Deadlock::Found { .. })) if self.expected.final_state == Some(FinalState::Empty) => {
                let why = "deadlock and final_state: empty exclude each other; leave one out";
                Err(ConfigError::new(item.place.clone(), why))
            }
            _ => Ok(self.expected),
        }
    }

    /// Adds the expectations of a part.
    ///
    /// # Errors
    /// The first expectation that is refused.
    #[allow(clippy::too_many_lines)] // One field after the other.
    pub fn take(&mut self, part: &SourceFile) -> Result<(), ConfigError> {
        let Expect { deliveries, latencies, order, blocked, multicasts, links, account, .. } = &part.bench.expect;
        let Expect { final_state, deadlock, signals, properties, throughput, .. } = &part.bench.expect;
        let item = |path: String, kind: Expectation| Item { place: part.place(format!("expect.{path}")), path, kind };
        for (index, d) in deliveries.iter().enumerate() {
            let path = format!("deliveries[{index}]");
            self.check_nodes(part, &format!("{path}.to"), &d.to)?;
            if d.to.is_empty() && d.by.is_some() {
                return Err(part.error(format!("expect.{path}.by"), "by has no effect without to; leave it out"));
            }
            self.expected.items.push(item(path, Expectation::Deliveries(d.clone())));
        }
        for (index, l) in latencies.iter().enumerate() {
            let path = format!("latencies[{index}]");
            self.check_nodes(part, &format!("{path}.to"), &l.to)?;
            if (l.equal, l.at_least, l.at_most).eq(&(None, None, None)) && l.mean.is_none() && l.percentiles.is_empty()
            {
                let message = "no latency is given; allowed: equal, at_least, at_most, mean, percentiles";
                return Err(part.error(format!("expect.{path}"), message));
            }
            self.check_chosen(part, &path, &l.classes, l.window)?;
            if !l.worms.is_empty() && (!l.classes.is_empty() || !l.encodings.is_empty() || l.window.is_some()) {
                let message = "worms names the worms; leave classes, encodings and window out";
                return Err(part.error(format!("expect.{path}.worms"), message));
            }
            for (at, of) in l.percentiles.iter().enumerate() {
                self.check_percentile(part, &format!("{path}.percentiles[{at}]"), *of)?;
            }
            if let Some(cause) = &l.cause {
                let wrong = if !Cause::NAMES.contains(&cause.as_str()) {
                    let meant = spelling::nearest(cause, &Cause::NAMES);
                    let meant = meant.map_or_else(String::new, |name| format!("; did you mean {name}?"));
                    Some(format!("no cause {}; allowed: {}{meant}", excerpt(cause), Cause::NAMES.join(", ")))
                } else if (l.from, l.until) != (Begin::Created, End::Tail) {
                    Some("causes are counted from the creation to the tail; leave from and until out".to_owned())
                } else {
                    None
                };
                wrong.map_or(Ok(()), |why| Err(part.error(format!("expect.{path}.cause"), why)))?;
            }
            self.check_mean(l.mean).map_err(|why| part.error(format!("expect.{path}.mean"), why))?;
            self.check_bounds(part, &path, &CycleBounds { equal: l.equal, at_least: l.at_least, at_most: l.at_most })?;
            self.expected.items.push(item(path, Expectation::Latencies(l.clone())));
        }
        for (index, of) in throughput.iter().enumerate() {
            let path = format!("throughput[{index}]");
            self.check_nodes(part, &format!("{path}.to"), &of.to)?;
            self.check_chosen(part, &path, &of.classes, of.window)?;
            let most = self.network.lanes(self.site.wiring()).consume;
            check_rates(of, f64::from(most)).map_err(|why| part.error(format!("expect.{path}"), why))?;
            self.expected.items.push(item(path, Expectation::Throughput(of.clone())));
        }
        for (index, o) in order.iter().enumerate() {
            let path = format!("order[{index}]");
            self.check_order(part, &path, o)?;
            self.expected.items.push(item(path, Expectation::Order(o.clone())));
        }
        for (index, b) in blocked.iter().enumerate() {
            let path = format!("blocked[{index}]");
            self.check_blocked(part, &path, b)?;
            self.expected.items.push(item(path, Expectation::Blocked(b.clone())));
        }
        for (index, m) in multicasts.iter().enumerate() {
            let path = format!("multicasts[{index}]");
            self.check_nodes(part, &format!("{path}.to"), &m.to)?;
            let none = "nothing is expected; a multicast has at least one";
            if m.steps == Some(0) {
                return Err(part.error(format!("expect.{path}.steps"), format!("{none} step")));
            }
            if m.sends.as_ref().is_some_and(Vec::is_empty) {
                return Err(part.error(format!("expect.{path}.sends"), format!("{none} send")));
            }
            for (send, (from, to)) in m.sends.iter().flatten().enumerate() {
                let nodes: Vec<u32> = to.iter().chain([from]).copied().collect();
                let refuse = |(_, why)| part.error(format!("expect.{path}.sends[{send}]"), why);
                self.rules.check_nodes(&nodes).map_err(refuse)?;
            }
            self.check_bounds(part, &path, &CycleBounds { equal: m.equal, at_least: m.at_least, at_most: m.at_most })?;
            self.expected.items.push(item(path, Expectation::Multicasts(m.clone())));
        }
        for (index, link) in links.iter().enumerate() {
            let path = format!("links[{index}]");
            self.check_output(part, &format!("{path}.link"), &link.link)?;
            if let OfLink { flits: None, blocked: None, longest: None, .. } = link {
                let message = "nothing is expected of this link; allowed: flits, blocked, longest";
                return Err(part.error(format!("expect.{path}"), message));
            }
            self.expected.items.push(item(path, Expectation::Link(link.clone())));
        }
        if let Some(account) = account {
            if *account == Account::default() {
                let message = "nothing is expected of the account; allowed: moving, no_credit, lane_wait, sibling, token, \
                               header, endpoint, waited_for";
                return Err(part.error("expect.account", message));
            }
            self.expected.items.push(item("account".into(), Expectation::Account(*account)));
        }
        if let Some(deadlock) = deadlock {
            self.check_deadlock(part, deadlock)?;
            self.expected.deadlock = Some((item("deadlock".into(), Expectation::Other), deadlock.clone()));
        }
        self.expected.final_state = final_state.or(self.expected.final_state);
        for (index, s) in signals.iter().enumerate() {
            crate::experiment::check_cycle(s.at)
                .map_err(|why| part.error(format!("expect.signals[{index}].at"), why))?;
            let item = item(format!("signals[{index}]"), Expectation::Other);
            self.watch(item, &s.that, Property::at(s.at, &s.that))?;
        }
        for (index, text) in properties.iter().enumerate() {
            let item = item(format!("properties[{index}]"), Expectation::Other);
            self.watch(item, text, Property::parse(text))?;
        }
        Ok(())
    }

    fn watch(&mut self, item: Item, text: &str, property: Result<Property, PropertyError>) -> Result<(), ConfigError> {
        self.expected.properties.push(property.map_err(|error| with_caret(&item, text, &error))?);
        self.expected.watched.push(item);
        Ok(())
    }

    fn check_order(&self, part: &SourceFile, path: &str, order: &Order) -> Result<(), ConfigError> {
        let (list, all) = match order {
            Order::AtNode { node, worms } => {
                let refuse = |why| part.error(format!("expect.{path}.at_node.node"), why);
                self.rules.check_node(*node).map_err(refuse)?;
                ("at_node.worms", worms)
            }
            Order::OfWorm { nodes, .. } => {
                self.check_nodes(part, &format!("{path}.of_worm.nodes"), nodes)?;
                ("of_worm.nodes", nodes)
            }
        };
        if all.len() < 2 {
            return Err(part.error(format!("expect.{path}"), "an order needs at least two"));
        }
        if let Some(twice) = (1..all.len()).find(|&at| all[..at].contains(&all[at])) {
            let message = format!("{} is twice in an order; allowed: once", all[twice]);
            return Err(part.error(format!("expect.{path}.{list}[{twice}]"), message));
        }
        Ok(())
    }

    fn check_blocked(&self, part: &SourceFile, path: &str, blocked: &Blocked) -> Result<(), ConfigError> {
        let Blocked { by, at, cycles, .. } = blocked;
        if let Some(at) = at {
            self.check_output(part, &format!("{path}.at"), at)?;
        }
        let message = match (by.is_empty(), cycles) {
            (true, Some(1..)) => "by is empty, so that no cycle is spent waiting; allowed: cycles: 0, or a worm in by",
            (false, Some(0)) => {
                "by names worms, and a wait for a worm takes 1 cycle or more; allowed: by: [], or \
                 cycles above 0"
            }
            _ => return Ok(()),
        };
        Err(part.error(format!("expect.{path}.cycles"), message))
    }

    fn check_deadlock(&self, part: &SourceFile, deadlock: &Deadlock) -> Result<(), ConfigError> {
        let Deadlock::Found { worms, holds, wants, .. } = deadlock else { return Ok(()) };
        if worms.is_empty() {
            return Err(part.error("expect.deadlock.found.worms", "no worms; a deadlock has at least one"));
        }
        let names = WaveNames::new(self.network, self.site.wiring());
        let rings = self.network.token_ring.map(|_| grouping::rings(self.network, self.site.wiring()));
        // Tokens have the names of the report.
        let tokens = rings.into_iter().flatten().map(|ring| TokenRef { switches: ring.switches }.name(&names));
        let tokens: Vec<String> = tokens.collect();
        for (field, resources) in [("holds", holds), ("wants", wants)] {
            for (index, name) in resources.iter().flatten().enumerate() {
                let path = format!("deadlock.found.{field}[{index}]");
                if !name.starts_with("token ") {
                    self.check_output(part, &path, name.strip_prefix("space behind ").unwrap_or(name))?;
                } else if !tokens.contains(name) {
                    let nearest = crate::spelling::most_like(name, tokens.iter().cloned()).join("; ");
                    let nearest = if nearest.is_empty() { "the network has none".to_owned() } else { nearest };
                    return Err(
                        part.error(format!("expect.{path}"), format!("no such token; nearest names: {nearest}"))
                    );
                }
            }
        }
        Ok(())
    }

    /// Checks that a mean may have such a value, and may have another.
    fn check_mean(&self, mean: Option<(f64, f64)>) -> Result<(), String> {
        let Some((least, most)) = mean else { return Ok(()) };
        if !least.is_finite() || !most.is_finite() || least > most {
            let (least, most) = (number(least), number(most));
            return Err(format!("a mean from {least} to {most} is impossible; allowed: numbers, the lower first"));
        }
        if least <= 0.0 && most >= self.max_cycles as f64 {
            let (least, most) = (number(least), number(most));
            return Err(format!(
                "a mean from {least} to {most} is true in every run: run.max_cycles is {}",
                self.max_cycles
            ));
        }
        Ok(())
    }

    /// Checks that a number of cycles may be within bounds, and may be beyond each of them.
    fn check_bounds(&self, part: &SourceFile, path: &str, bounds: &CycleBounds) -> Result<(), ConfigError> {
        let CycleBounds { equal, at_least, at_most } = *bounds;
        let (least, most) = (at_least.unwrap_or(0), at_most.unwrap_or(u64::MAX));
        let refuse = |field: &str, why: String| Err(part.error(format!("expect.{path}.{field}"), why));
        if at_least == Some(0) {
            return refuse("at_least", "at_least 0 is true in every run; allowed: 1 or more".to_owned());
        }
        if let Some(most) = at_most.filter(|most| *most >= self.max_cycles) {
            return refuse(
                "at_most",
                format!("at_most {most} is true in every run: run.max_cycles is {}", self.max_cycles),
            );
        }
        if least > most {
            return refuse("at_least", format!("at_least {least} is above at_most {most}; no number is both"));
        }
        if let Some(equal) = equal.filter(|equal| !(least..=most).contains(equal)) {
            return refuse("equal", format!("equal {equal} is not within at_least and at_most; no number is both"));
        }
        Ok(())
    }

    /// Checks the classes and the window of the worms that count.
    fn check_chosen(
        &self,
        part: &SourceFile,
        path: &str,
        classes: &[String],
        window: Option<(u64, u64)>,
    ) -> Result<(), ConfigError> {
        if let Some((at, class)) = classes.iter().enumerate().find(|(_, class)| !self.classes.contains(class)) {
            let known: Vec<&str> = self.classes.iter().map(String::as_str).collect();
            let message = format!("no worm has the class {}{}", excerpt(class), spelling::suggestion(class, &known));
            return Err(part.error(format!("expect.{path}.classes[{at}]"), message));
        }
        if let Some((first, last)) = window
            && (first > last || first >= self.max_cycles)
        {
            let most = self.max_cycles - 1;
            let message = format!("the window {first} to {last} has no cycle; allowed: 0 to {most}, the lower first");
            return Err(part.error(format!("expect.{path}.window"), message));
        }
        Ok(())
    }

    fn check_percentile(&self, part: &SourceFile, path: &str, of: Percentile) -> Result<(), ConfigError> {
        let Percentile { percent, at_least, at_most } = of;
        if !(percent > 0.0 && percent <= 100.0) {
            let message = format!("{} per cent; allowed: above 0, up to 100", number(percent));
            return Err(part.error(format!("expect.{path}.percent"), message));
        }
        if at_least.or(at_most).is_none() {
            let message = "no bound is given; allowed: at_least, at_most";
            return Err(part.error(format!("expect.{path}"), message));
        }
        self.check_bounds(part, path, &CycleBounds { equal: None, at_least, at_most })
    }

    fn check_nodes(&self, part: &SourceFile, path: &str, nodes: &[u32]) -> Result<(), ConfigError> {
        let refuse = |(index, why)| part.error(format!("expect.{path}[{index}]"), why);
        self.rules.check_nodes(nodes).map_err(refuse)
    }

    /// Checks that `name` names an output, or a lane of one. The error has similar names.
    fn check_output(&self, part: &SourceFile, path: &str, name: &str) -> Result<(), ConfigError> {
        let lanes = self.network.lanes(self.site.wiring());
        let all = || channel::outputs(self.site.wiring(), lanes).map(|(_, name)| name);
        if all().any(|lane| covers(name, &lane)) {
            return Ok(());
        }
        let nearest = crate::spelling::most_like(name, all()).join(", ");
        Err(part.error(format!("expect.{path}"), format!("no output \"{}\"; nearest names: {nearest}", excerpt(name))))
    }
}

/// Checks that a throughput may be within bounds, and may be beyond one of them. In a whole run a
/// node receives `limit` flits in a cycle at most. In a window it may be more, because a worm
/// counts with all its flits in the cycle of its tail.
fn check_rates(of: &Throughput, limit: f64) -> Result<(), String> {
    let limit = if of.window.is_some() { f64::INFINITY } else { limit };
    let (least, most) = (of.at_least.unwrap_or(0.0), of.at_most.unwrap_or(f64::INFINITY));
    match (of.at_least, of.at_most) {
        (None, None) => Err("no throughput is given; allowed: at_least, at_most".to_owned()),
        _ if least.is_nan() || most.is_nan() || least < 0.0 => {
            Err("a throughput is a number of flits per node and cycle; allowed: 0 or more".to_owned())
        }
        (Some(least), None) if least <= 0.0 => Err("at_least 0 is true in every run; allowed: above 0".to_owned()),
        _ if least > limit => {
            let [least, limit] = [least, limit].map(number);
            Err(format!("a node receives up to {limit} flits in a cycle, so no run has at_least {least}"))
        }
        (None, Some(most)) if most >= limit && most.is_finite() => {
            let [most, limit] = [most, limit].map(number);
            Err(format!("a node receives up to {limit} flits in a cycle, so at_most {most} is true in every run"))
        }
        _ if least > most => {
            Err(format!("at_least {} is above at_most {}; no number is both", number(least), number(most)))
        }
        _ => Ok(()),
    }
}

/// The error of a text that is no property, with its place shown.
pub(super) fn with_caret(item: &Item, text: &str, error: &PropertyError) -> ConfigError {
    let caret = error.caret(text).replace('\n', "\n    ");
    ConfigError::new(item.place.clone(), format!("{}: {}\n    {caret}", item.path, error.message))
}
