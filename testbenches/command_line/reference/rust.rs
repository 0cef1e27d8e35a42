//! Fields and words as their source text declares and describes them.

use std::collections::BTreeMap;

use super::root;

/// A field, a variant or a word.
#[derive(Clone, Debug, Default)]
pub struct Item {
    /// As configurations spell it.
    pub name: String,
    /// Type of the field, or of what is in the parentheses of a variant.
    pub of: String,
    /// Its comment.
    pub doc: String,
    /// Whether it may be left out.
    pub has_default: bool,
    /// Fields of a variant.
    pub fields: Vec<Item>,
}

/// A struct or an enum.
#[derive(Clone, Debug, Default)]
pub struct Declared {
    /// Whether one of the items stands in its place.
    pub is_choice: bool,
    /// Its fields or variants, in order.
    pub items: Vec<Item>,
}

fn snake(name: &str) -> String {
    let upper = |(at, c): (usize, char)| {
        let under = if c.is_ascii_uppercase() && at > 0 { "_" } else { "" };
        format!("{under}{}", c.to_ascii_lowercase())
    };
    name.char_indices().map(upper).collect()
}

/// Reads all public declarations of these files.
pub fn read(files: &[&str]) -> BTreeMap<String, Declared> {
    let mut all = BTreeMap::new();
    for file in files {
        let text = std::fs::read_to_string(root(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
        gather(&text, &mut all);
    }
    all
}

fn gather(text: &str, all: &mut BTreeMap<String, Declared>) {
    let (mut docs, mut default, mut words) = (Vec::new(), false, false);
    let mut lines = text.lines().map(str::trim);
    while let Some(line) = lines.next() {
        let head = line.strip_prefix("pub struct ").or_else(|| line.strip_prefix("pub enum "));
        let head = head.or_else(|| words.then_some(line).filter(|line| !line.starts_with(['/', '#'])));
        if let Some(name) = head.and_then(|head| head.strip_suffix(" {")).filter(|name| !name.contains('$')) {
            let name = name.split('<').next().unwrap();
            let is_choice = !line.starts_with("pub struct");
            let items = items(&mut lines, default, is_choice);
            all.insert(name.to_owned(), Declared { is_choice, items });
            words = false;
        }
        attribute(line, &mut docs, &mut default);
        words |= line.ends_with("words!(");
    }
}

/// Takes note of a comment or an attribute; forgets both behind anything else.
fn attribute(line: &str, docs: &mut Vec<String>, default: &mut bool) {
    if let Some(doc) = line.strip_prefix("///") {
        docs.push(doc.trim().to_owned());
    } else if line.starts_with("#[serde(") {
        *default |= line.contains("default");
    } else if !line.starts_with("#[") {
        docs.clear();
        *default = false;
    }
}

/// Items up to the brace that ends them.
fn items<'a>(lines: &mut impl Iterator<Item = &'a str>, all_default: bool, is_choice: bool) -> Vec<Item> {
    let (mut items, mut docs, mut default) = (Vec::new(), Vec::new(), false);
    while let Some(line) = lines.next() {
        if line.starts_with('}') {
            break;
        }
        if !line.starts_with(['/', '#']) && !line.is_empty() {
            let doc = docs.join(" ").replace("\\[", "[").replace("\\]", "]");
            let has_default = all_default || default;
            let item = Item { doc, has_default, ..Item::default() };
            let line = line.trim_end_matches(',');
            items.push(if let Some((name, spelling)) = line.split_once(" = ") {
                assert!(name.chars().all(char::is_alphanumeric), "{line}");
                Item { name: spelling.trim_matches('"').to_owned(), ..item }
            } else if let Some(name) = line.strip_suffix(" {") {
                Item { name: snake(name), fields: self::items(lines, false, false), ..item }
            } else if let Some((name, of)) = line.strip_suffix(')').and_then(|line| line.split_once('(')) {
                Item { name: snake(name), of: of.to_owned(), ..item }
            } else if let Some((name, of)) = line.split_once(": ") {
                let name = name.strip_prefix("pub ").unwrap_or(name);
                Item { name: name.to_owned(), of: of.to_owned(), ..item }
            } else {
                assert!(is_choice, "{line}");
                Item { name: snake(line), ..item }
            });
        }
        attribute(line, &mut docs, &mut default);
    }
    items
}
