//! The bins of coverage that the regression reaches in the files with mutants.
//!
//! A mutant that survives is in a file whose bins are all reached, or not. In the first case the
//! stimulus is there, and a check is missing. In the second case the stimulus is missing.

use std::path::Path;

use serde::{Deserialize, Serialize};

/// A file that `wormscope test --coverage` wrote.
#[derive(Default, Serialize, Deserialize)]
pub struct Coverage {
    groups: Vec<Group>,
}

/// A group of bins.
#[derive(Serialize, Deserialize)]
struct Group {
    name: String,
    /// Files that the group is about, without their ending. A name stands for a folder too.
    blocks: Vec<String>,
    reached: usize,
    holes: usize,
}

impl Coverage {
    /// Reads a file.
    pub fn read(path: &Path) -> Result<Self, String> {
        let text = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
        serde_json::from_slice(&text).map_err(|error| format!("{}: {error}", path.display()))
    }

    /// The bins of the groups about a source file, in words.
    pub fn of(&self, file: &str) -> String {
        let file = file.strip_suffix(".rs").unwrap_or(file);
        let is_about = |block: &String| {
            file.strip_prefix(block.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let groups: Vec<&Group> = self.groups.iter().filter(|group| group.blocks.iter().any(is_about)).collect();
        let names: Vec<String> = groups.iter().map(|group| format!("`{}`", group.name)).collect();
        let reached: usize = groups.iter().map(|group| group.reached).sum();
        let holes: usize = groups.iter().map(|group| group.holes).sum();
        match (groups.len(), holes) {
            (0, _) => "no group is about this file: no bin".to_owned(),
            (_, 0) => format!("all {reached} bins of {} reached: no check", names.join(", ")),
            _ => format!("{holes} of {} bins of {} not reached", reached + holes, names.join(", ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_the_bins_of_the_groups_that_name_it_or_its_folder() {
        let coverage: Coverage = serde_json::from_str(
            r#"{"groups": [
                {"name": "a", "blocks": ["hw/header", "hw/fifo"], "reached": 3, "holes": 0},
                {"name": "b", "blocks": ["hw/fifo"], "reached": 4, "holes": 1}
            ]}"#,
        )
        .unwrap();
        assert_eq!(coverage.of("hw/header/mask.rs"), "all 3 bins of `a` reached: no check");
        assert_eq!(coverage.of("hw/fifo.rs"), "1 of 8 bins of `a`, `b` not reached");
        assert_eq!(coverage.of("hw/fifo_of_something.rs"), "no group is about this file: no bin");
    }
}
