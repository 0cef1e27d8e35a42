//! Which instances a waveform or a page shows: globs over dotted names such as `top.rt_3_*` or
//! `top.node12`.
//!
//! `*` stays within one name, `**` goes across dots. A glob that matches an instance selects all
//! below it.

use globset::GlobSet;

use std::iter;

use wormscope_hw::{NodeId, SwitchId};

use super::TraceError;
use super::part::Part;
use crate::glob;
use crate::network::Wiring;
use crate::spelling;

/// The globs of a waveform, and which of them matched anything.
pub struct Selection {
    globs: Vec<(String, GlobSet, bool)>,
}

impl Selection {
    /// Compiles globs; none selects everything.
    ///
    /// # Errors
    /// When one is not a glob.
    pub fn new(globs: &[String]) -> Result<Self, TraceError> {
        let compile = |glob: &String| {
            glob::compile(&slashes(glob), true)
                .map(|compiled| (glob.clone(), compiled, false))
                .map_err(|message| TraceError::Glob { glob: glob.clone(), message })
        };
        globs.iter().map(compile).collect::<Result<_, _>>().map(|globs| Self { globs })
    }

    /// Whether everything is selected.
    #[must_use]
    pub fn all(&self) -> bool {
        self.globs.is_empty()
    }

    /// Whether a glob may name what lies below switches and nodes.
    #[must_use]
    pub fn deep(&self) -> bool {
        self.globs.iter().any(|(text, ..)| text.contains("**") || text.matches('.').count() > 1)
    }

    /// Whether an instance is selected: `already`, with what it belongs to, or by its own name.
    pub(crate) fn selects(&mut self, already: bool, name: impl FnOnce() -> String) -> bool {
        let already = already || self.all();
        if already && self.unused().is_none() {
            return true;
        }
        let path = slashes(&name());
        let mut hit = already;
        for (_, glob, used) in &mut self.globs {
            if glob.is_match(&path) {
                *used = true;
                hit = true;
            }
        }
        hit
    }

    /// The first glob that matched nothing.
    #[must_use]
    pub fn unused(&self) -> Option<&str> {
        self.globs.iter().find(|(.., used)| !used).map(|(text, ..)| text.as_str())
    }
}

/// Switches and nodes as wholes.
pub struct Scope {
    switches: Vec<bool>,
    nodes: Vec<bool>,
}

impl Scope {
    /// Those that globs name, and the nodes that are attached to such switches alone; all without
    /// a glob.
    ///
    /// # Errors
    /// When one is not a glob, or names nothing.
    pub fn new(globs: &[String], wiring: &Wiring) -> Result<Self, TraceError> {
        let mut selection = Selection::new(globs)?;
        let name = |part: Part| format!("top.{}", part.name(wiring));
        let top = selection.selects(false, || "top".to_owned());
        let mut scope = Self { switches: Vec::new(), nodes: Vec::new() };
        for part in Part::all(wiring) {
            let is_named = selection.selects(top, || name(part));
            match part {
                Part::Switch(_) => scope.switches.push(is_named),
                Part::Node(node) => {
                    let (enters, leaves) = (wiring.injection(node).0, wiring.consumption(node).0);
                    scope.nodes.push(is_named || scope.has_switch(enters) && scope.has_switch(leaves));
                }
            }
        }
        match selection.unused() {
            None => Ok(scope),
            Some(glob) => {
                let names = iter::once("top".to_owned()).chain(Part::all(wiring).map(name));
                Err(TraceError::NoMatch { glob: glob.to_owned(), nearest: spelling::most_like(glob, names) })
            }
        }
    }

    /// Whether it is all of a network.
    #[must_use]
    pub fn is_all(&self) -> bool {
        self.switches.iter().chain(&self.nodes).all(|&is_in| is_in)
    }

    /// Whether a switch belongs to it.
    #[must_use]
    pub fn has_switch(&self, switch: SwitchId) -> bool {
        self.switches[switch.index()]
    }

    /// Whether a node belongs to it.
    #[must_use]
    pub fn has_node(&self, node: NodeId) -> bool {
        self.nodes[node.index()]
    }
}

fn slashes(name: &str) -> String {
    name.replace('.', "/")
}
