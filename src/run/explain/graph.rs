//! Wait-for relation of a deadlock as a graph for Graphviz.

use std::fmt::Write as _;

use super::picture::{colour, worms};
use super::story::Story;
use crate::deadlock::{Deadlock, Member, Names};

impl Story<'_> {
    /// The relation as a graph. Each row of the table is a box. An arrow leads to the worm that has
    /// the wanted lane or token.
    #[must_use]
    pub fn dot(&self, names: &impl Names) -> String {
        let Deadlock { cycle, also, .. } = self.deadlock;
        let order = worms(self.deadlock);
        let members: Vec<&Member> = cycle.iter().chain(also).collect();
        let mut text = String::from("digraph deadlock {\n");
        let _ = writeln!(
            text,
            "  label={}; labelloc=t; fontname=\"DejaVu Sans\";",
            quoted(&[&self.deadlock.title(), &self.network])
        );
        text.push_str("  node [shape=box, style=rounded, fontname=\"DejaVu Sans\"]; edge [fontname=\"DejaVu Sans\", fontsize=10];\n");
        for (i, member) in members.iter().enumerate() {
            let n = order.iter().position(|worm| *worm == member.worm).unwrap_or(0);
            let lines = [
                self.who(member),
                format!("at {}", member.place(names)),
                format!("holds {}", member.held(names).join(", ")),
            ];
            let style = if i < cycle.len() { "penwidth=2.5" } else { "style=\"rounded,dashed\"" };
            let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
            let _ = writeln!(text, "  m{i} [label={}, color=\"{}\", {style}];", quoted(&lines), colour(n));
        }
        for (i, member) in members.iter().enumerate() {
            for (k, want) in member.wants(names).iter().enumerate() {
                let next = (i + 1) % cycle.len().max(1);
                let closes = i < cycle.len() && members[next].worm.0 == want.owned_by && k == 0;
                let to = if closes { Some(next) } else { members.iter().position(|m| m.worm.0 == want.owned_by) };
                let style = if closes { "penwidth=2.5, color=\"#c1121f\"" } else { "style=dashed" };
                match to {
                    Some(to) => {
                        let _ = writeln!(text, "  m{i} -> m{to} [label={}, {style}];", quoted(&[&want.what]));
                    }
                    None => {
                        let _ = writeln!(
                            text,
                            "  m{i} -> \"worm {}\" [label={}, {style}];",
                            want.owned_by,
                            quoted(&[&want.what])
                        );
                    }
                }
            }
        }
        text.push_str("}\n");
        text
    }
}

/// A label of several lines.
fn quoted(lines: &[&str]) -> String {
    let lines: Vec<String> = lines.iter().map(|line| line.replace('\\', "\\\\").replace('"', "\\\"")).collect();
    format!("\"{}\"", lines.join("\\n"))
}
