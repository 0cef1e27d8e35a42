//! Classes of traffic, which a run measures separately.

use std::num::NonZeroU8;

use wormscope_hw::Encoding;

use super::{Experiment, Workload};

/// Largest number of classes in an experiment.
const MOST: usize = 255;

impl Workload {
    /// The class of all messages of the entry, if the entry names a class.
    #[must_use]
    pub fn class(&self) -> Option<&str> {
        match self {
            Self::Traffic(traffic) => traffic.class.as_deref(),
            Self::Multicast(multicast) => multicast.class.as_deref(),
            Self::Multicasts(multicasts) => multicasts.class.as_deref(),
            Self::Messages(_) | Self::Trace(_) | Self::Spmd(_) | Self::Stalls(_) => None,
        }
    }

    /// The classes that the entry names, in order. Each has the path, below the entry, of the part
    /// with this class.
    pub(crate) fn classes(&self) -> Vec<(String, &str)> {
        let entry = match self {
            Self::Messages(messages) => {
                let named = messages.iter().enumerate().filter_map(|(index, of)| Some((index, of.class.as_deref()?)));
                return named.map(|(index, class)| (format!("messages[{index}]"), class)).collect();
            }
            Self::Traffic(_) => "traffic",
            Self::Multicast(_) => "multicast",
            Self::Multicasts(_) => "multicasts",
            Self::Trace(_) | Self::Spmd(_) | Self::Stalls(_) => return Vec::new(),
        };
        self.class().map(|class| (entry.to_owned(), class)).into_iter().collect()
    }
}

/// Number of a class in its experiment, from 1 on.
#[must_use]
pub(crate) fn class_number(classes: &[String], class: &str) -> Option<NonZeroU8> {
    let numbers = (1..=u8::MAX).filter_map(NonZeroU8::new);
    numbers.zip(classes).find(|(_, known)| *known == class).map(|(number, _)| number)
}

impl Experiment {
    /// The classes that the workload names, each once, in the order of their first use. The classes
    /// of traces come last.
    #[must_use]
    pub fn classes(&self) -> Vec<String> {
        let mut classes: Vec<String> = Vec::new();
        let of_traces = self.classes.iter().map(String::as_str);
        for class in self.workload.iter().flat_map(Workload::classes).map(|(_, class)| class).chain(of_traces) {
            if classes.iter().all(|known| known != class) {
                classes.push(class.to_owned());
            }
        }
        classes
    }
}

/// Checks that a class may have this name.
///
/// # Errors
/// The fault of the name.
pub(crate) fn check_name(name: &str) -> Result<(), String> {
    let fixed = ["all", "multicast", "software"];
    if fixed.contains(&name) || Encoding::ALL.iter().any(|encoding| encoding.name() == name) {
        return Err(format!("\"{name}\" is the name of a built-in class; allowed: any other name"));
    }
    let is_word = |name: &str| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    if name.is_empty() || !is_word(name) {
        return Err("a class is named with letters, digits, _ and -, at least one".to_owned());
    }
    Ok(())
}

/// Checks that an experiment may have this number of classes.
///
/// # Errors
/// The allowed number.
pub(crate) fn check_count(classes: usize) -> Result<(), String> {
    if classes <= MOST { Ok(()) } else { Err(format!("{classes} classes; allowed: up to {MOST}")) }
}
