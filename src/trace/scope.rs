//! Which instances a waveform shows: globs over dotted names such as `top.rt_3_*` or `top.node12`.
//!
//! `*` stays within one name, `**` goes across dots. A glob that matches an instance selects all
//! below it.

use globset::GlobSet;

use super::TraceError;
use crate::glob;

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

fn slashes(name: &str) -> String {
    name.replace('.', "/")
}
