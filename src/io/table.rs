//! Tables for readers: cells in columns.

/// Rows of cells. Each column has its own width and is indented below its header.
pub struct Table {
    rows: Vec<Vec<String>>,
    /// Columns whose cells are aligned left. The others have numbers.
    left: Vec<usize>,
    /// Columns with a bar before them.
    pub(crate) bars: &'static [usize],
}

impl Table {
    /// A table with its header; `left` are the columns of text.
    #[must_use]
    pub fn new(header: &[&str], left: &[usize]) -> Self {
        Self { rows: vec![header.iter().map(|&cell| cell.to_owned()).collect()], left: left.to_vec(), bars: &[] }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: impl Into<Vec<String>>) {
        let mut cells = cells.into();
        if let Some(first) = cells.first_mut() {
            first.insert_str(0, "  ");
        }
        self.rows.push(cells);
    }

    /// The table, with one line for each row.
    #[must_use]
    pub fn text(&self) -> String {
        let gap = |column| if self.bars.contains(&column) { " |  " } else { "  " };
        lines(&self.rows, gap, |column| self.left.contains(&column)).map(|line| line + "\n").collect()
    }
}

/// Rows of text. Each cell is at the left of its column, with `gap` between columns.
pub(crate) fn aligned<'a, Row: AsRef<[String]>>(rows: &'a [Row], gap: &'a str) -> impl Iterator<Item = String> + 'a {
    lines(rows, move |_| gap, |_| true)
}

/// Rows as lines. `gap` is before each column, and cells of the columns `left` are aligned left.
fn lines<'a, Row: AsRef<[String]>>(
    rows: &'a [Row],
    gap: impl Fn(usize) -> &'a str,
    left: impl Fn(usize) -> bool,
) -> impl Iterator<Item = String> {
    let mut widths = Vec::new();
    for row in rows {
        let row = row.as_ref();
        widths.resize(widths.len().max(row.len()), 0);
        widths.iter_mut().zip(row).for_each(|(width, cell)| *width = cell.chars().count().max(*width));
    }
    rows.iter().map(move |row| {
        let mut line = String::new();
        for (column, cell) in row.as_ref().iter().enumerate() {
            line += if column == 0 { "" } else { gap(column) };
            // The widths of format strings end at 65,535.
            let space = " ".repeat(widths[column] - cell.chars().count());
            let [first, second] = if left(column) { [cell, &space] } else { [&space, cell] };
            line.push_str(first);
            line.push_str(second);
        }
        line.truncate(line.trim_end().len());
        line
    })
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
