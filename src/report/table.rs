//! Tables to read: cells in columns.

/// Rows of cells in columns of their own width, indented below their header.
pub struct Table {
    rows: Vec<Vec<String>>,
    /// Columns whose cells stand at the left; the others hold numbers.
    left: Vec<usize>,
    /// Columns with a bar before them.
    pub(super) bars: &'static [usize],
}

impl Table {
    /// A table with its header; `left` are the columns of text.
    #[must_use]
    pub fn new(header: &[&str], left: &[usize]) -> Self {
        Self { rows: vec![header.iter().map(|&cell| cell.to_owned()).collect()], left: left.to_vec(), bars: &[] }
    }

    /// One more row.
    pub fn row(&mut self, cells: impl Into<Vec<String>>) {
        let mut cells = cells.into();
        if let Some(first) = cells.first_mut() {
            first.insert_str(0, "  ");
        }
        self.rows.push(cells);
    }

    /// The table, each row on a line of its own.
    #[must_use]
    pub fn text(&self) -> String {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = |i: usize| self.rows.iter().filter_map(|row| row.get(i)).map(|cell| cell.chars().count()).max();
        let widths: Vec<usize> = (0..columns).map(|i| width(i).unwrap_or(0)).collect();
        let mut text = String::new();
        for row in &self.rows {
            let mut line = String::new();
            for (i, cell) in row.iter().enumerate() {
                let width = widths[i];
                let left = self.left.contains(&i);
                line += if self.bars.contains(&i) { " |" } else { "" };
                line += if i == 0 { "" } else { "  " };
                // The widths of format strings end at 65,535.
                let space = " ".repeat(width - cell.chars().count());
                let [first, second] = if left { [cell, &space] } else { [&space, cell] };
                line.push_str(first);
                line.push_str(second);
            }
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_of_any_width_stand_in_their_columns() {
        let wide = "x".repeat(70_000);
        let mut table = Table::new(&["a", "b"], &[1]);
        table.row(["1".to_owned(), wide.clone()]);
        table.row([wide.clone(), "é".to_owned()]);
        let text = table.text();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[1], format!("{}  1  {wide}", " ".repeat(69_999)));
        assert_eq!(lines[2], format!("  {wide}  é"));
    }
}
