//! Scope of a waveform or a page: globs over dotted names such as `top.rt_3_*` or `top.node12`
//! select instances.
//!
//! `*` stays within one name, and `**` goes across dots. A glob that matches an instance selects
//! all below it. A glob with `!` before it leaves out the instance and all instances below it, even
//! if another glob selects them.

use globset::GlobSet;

use std::iter;

use wormscope_hw::{NodeId, SwitchId};

use super::TraceError;
use super::part::Part;
use crate::glob;
use crate::network::Wiring;
use crate::spelling;

/// Mark before a glob that takes instances out.
const NOT: char = '!';

/// The globs of a waveform, and whether each glob matched an instance.
pub struct Selection {
    globs: Vec<Glob>,
}

struct Glob {
    /// The text as given, with [`NOT`].
    text: String,
    set: GlobSet,
    /// Whether the glob leaves out the instances that it matches.
    excludes: bool,
    is_used: bool,
}

impl Selection {
    /// Compiles globs. Without a glob that selects, everything is selected.
    ///
    /// # Errors
    /// A text is no glob.
    pub fn new(globs: &[String]) -> Result<Self, TraceError> {
        let compile = |glob: &String| {
            let (excludes, name) = (glob.starts_with(NOT), named(glob));
            glob::compile(&slashes(name), true)
                .map(|set| Glob { text: glob.clone(), set, excludes, is_used: false })
                .map_err(|message| TraceError::Glob { glob: glob.clone(), message })
        };
        globs.iter().map(compile).collect::<Result<_, _>>().map(|globs| Self { globs })
    }

    /// Whether all instances are selected, except instances that are left out.
    #[must_use]
    pub fn all(&self) -> bool {
        self.globs.iter().all(|glob| glob.excludes)
    }

    /// The globs that take instances out, as given.
    #[must_use]
    pub fn excluding(&self) -> Vec<String> {
        self.globs.iter().filter(|glob| glob.excludes).map(|glob| glob.text.clone()).collect()
    }

    /// Whether a glob may name instances below switches and nodes.
    #[must_use]
    pub fn deep(&self) -> bool {
        self.globs.iter().any(|Glob { text, .. }| text.contains("**") || text.matches('.').count() > 1)
    }

    /// Whether an instance is selected. It is if its owner is `already`, or by its own name.
    pub(crate) fn selects(&mut self, already: bool, name: impl FnOnce() -> String) -> bool {
        let already = already || self.all();
        if already && self.globs.iter().all(|glob| glob.is_used && !glob.excludes) {
            return true;
        }
        let path = slashes(&name());
        let mut hit = already;
        for glob in self.globs.iter_mut().filter(|glob| !glob.excludes) {
            if glob.set.is_match(&path) {
                glob.is_used = true;
                hit = true;
            }
        }
        !self.excludes_path(&path) && hit
    }

    /// Whether an instance is taken out, with its owner or by its own name.
    pub(crate) fn excludes(&mut self, name: &str) -> bool {
        self.excludes_path(&slashes(name))
    }

    fn excludes_path(&mut self, path: &str) -> bool {
        let owners = || path.match_indices('/').map(|(at, _)| &path[..at]).chain([path]);
        let mut is_out = false;
        for glob in self.globs.iter_mut().filter(|glob| glob.excludes) {
            if owners().any(|name| glob.set.is_match(name)) {
                glob.is_used = true;
                is_out = true;
            }
        }
        is_out
    }

    /// The first glob that matched nothing.
    #[must_use]
    pub fn unused(&self) -> Option<&str> {
        self.globs.iter().find(|glob| !glob.is_used).map(|glob| glob.text.as_str())
    }
}

/// Whole switches and nodes of a selection.
pub struct Scope {
    switches: Vec<bool>,
    nodes: Vec<bool>,
}

impl Scope {
    /// Switches and nodes that globs name, and nodes whose only switches are selected. Without a
    /// selecting glob, all switches and nodes. Instances with `!` are left out.
    ///
    /// # Errors
    /// A text is no glob, or names nothing, or nothing is left.
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
                    let comes_with = scope.has_switch(enters) && scope.has_switch(leaves);
                    scope.nodes.push(is_named || comes_with && !selection.excludes(&name(part)));
                }
            }
        }
        if let Some(glob) = selection.unused() {
            let names = iter::once("top".to_owned()).chain(Part::all(wiring).map(name));
            let nearest = spelling::most_like(named(glob), names);
            return Err(TraceError::NoMatch { glob: glob.to_owned(), nearest });
        }
        if !scope.switches.iter().chain(&scope.nodes).any(|&is_in| is_in) {
            return Err(TraceError::NothingLeft { globs: selection.excluding() });
        }
        Ok(scope)
    }

    /// Whether the scope is the whole network.
    #[must_use]
    pub fn is_all(&self) -> bool {
        self.switches.iter().chain(&self.nodes).all(|&is_in| is_in)
    }

    /// Whether the scope has a switch.
    #[must_use]
    pub fn has_switch(&self, switch: SwitchId) -> bool {
        self.switches[switch.index()]
    }

    /// Whether the scope has a node.
    #[must_use]
    pub fn has_node(&self, node: NodeId) -> bool {
        self.nodes[node.index()]
    }
}

/// The name in a glob that selects or takes out.
pub(crate) fn named(glob: &str) -> &str {
    glob.strip_prefix(NOT).unwrap_or(glob)
}

fn slashes(name: &str) -> String {
    name.replace('.', "/")
}
