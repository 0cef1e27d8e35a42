//! The house as its sources tell it: which file takes which names from which other file.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// Names that one file, or one room, takes from another.
pub type Arrows = BTreeMap<(String, String), BTreeSet<String>>;

/// Words that begin the definition of a name.
const ITEMS: [&str; 7] = ["struct", "enum", "trait", "fn", "type", "const", "static"];

/// Words that begin the definition of a type or a trait.
const TYPES: [&str; 5] = ["struct", "enum", "union", "trait", "type"];

/// Declarations and imports of one file.
#[derive(Default)]
struct File {
    /// Paths of `use` lines, each with the name under which it is known here.
    imports: Vec<(String, Vec<String>)>,
    /// Those that are public: doors through which others reach the names behind.
    doors: Vec<(String, Vec<String>)>,
    /// Names that it defines.
    items: BTreeSet<String>,
    /// Types and traits among them, those that a macro makes included; one that is defined in two
    /// places of a file is there twice.
    types: Vec<String>,
    /// Modules that are compiled for tests alone.
    tests: Vec<String>,
    /// Paths in code.
    paths: Vec<Vec<String>>,
}

/// All files of the hardware, the library and the command line, by module: `hw::fifo`,
/// `wormscope::network::lanes`, `cli::run`. Rooms that are packages stand where the library shows
/// them.
pub struct House {
    modules: BTreeMap<Vec<String>, (String, File)>,
    /// Their roots: what `crate` means in each.
    packages: BTreeSet<Vec<String>>,
}

impl House {
    /// Reads the sources below `root`; tests are left out.
    pub fn read(root: &Path) -> Self {
        let mut house = Self { modules: BTreeMap::new(), packages: BTreeSet::from([vec!["wormscope".to_owned()]]) };
        house.folder(root, "hw", &["hw"]);
        house.folder(root, "src", &["wormscope"]);
        // Files that are compiled for tests alone may use any file.
        let of_tests = |module: &[String], file: &File| -> Vec<Vec<String>> {
            file.tests.iter().map(|name| [module, std::slice::from_ref(name)].concat()).collect()
        };
        let tests: Vec<_> = house.modules.iter().flat_map(|(module, (_, file))| of_tests(module, file)).collect();
        house.modules.retain(|module, _| !is_of_tests(module) && !tests.contains(module));
        house
    }

    fn folder(&mut self, root: &Path, folder: &str, module: &[&str]) {
        if root.join(folder).join("Cargo.toml").exists() {
            self.packages.insert(module.iter().map(ToString::to_string).collect());
        }
        let entries = fs::read_dir(root.join(folder)).unwrap_or_else(|why| panic!("{folder}: {why}"));
        for entry in entries {
            let name = entry.unwrap().file_name().into_string().unwrap();
            let (path, stem) = (format!("{folder}/{name}"), name.trim_end_matches(".rs"));
            let own: Vec<&str> = match stem {
                "lib" | "mod" | "main" => module.to_vec(),
                "cli" if path == "src/cli" => vec!["cli"],
                _ => [module, &[stem]].concat(),
            };
            if root.join(&path).is_dir() {
                self.folder(root, &path, &own);
            } else if Path::new(&name).extension().is_some_and(|ending| ending == "rs") {
                let text = fs::read_to_string(root.join(&path)).unwrap();
                let mut file = File::default();
                let tokens = text.parse().unwrap_or_else(|why| panic!("{path}: {why}"));
                file.read(&tokens);
                file.name_types(tokens);
                self.modules.insert(own.iter().map(ToString::to_string).collect(), (path, file));
            }
        }
    }

    /// The names of all types and traits, each with the files that define it.
    pub fn types(&self) -> BTreeMap<&str, Vec<&str>> {
        let mut types = BTreeMap::<_, Vec<_>>::new();
        for (path, file) in self.modules.values() {
            for name in &file.types {
                types.entry(name.as_str()).or_default().push(path.as_str());
            }
        }
        types
    }

    /// Names that files take from other files.
    pub fn arrows(&self) -> Arrows {
        let mut arrows = Arrows::new();
        for (module, (path, file)) in &self.modules {
            let known: BTreeMap<&str, Vec<String>> = file
                .imports
                .iter()
                .chain(&file.doors)
                .filter_map(|(name, path)| Some((name.as_str(), self.absolute(module, path, &BTreeMap::new())?)))
                .collect();
            let full = |path: &Vec<String>| self.absolute(module, path, &known);
            let uses = file.imports.iter().map(|(_, path)| path).chain(&file.paths).filter_map(full);
            // A folder's door to its own files is no use of them.
            let doors = file.doors.iter().filter_map(|(_, path)| full(path)).filter(|path| !path.starts_with(module));
            for used in uses.chain(doors) {
                let target = self.defined(&used, 0, false);
                if let Some((other, name)) = target.filter(|(other, _)| other != path) {
                    arrows.entry((path.clone(), other)).or_default().insert(name);
                }
            }
        }
        arrows
    }

    /// A path as it stands in a module, from the root of its crate; `None` for those of other
    /// crates and of local names.
    fn absolute(&self, module: &[String], path: &[String], known: &BTreeMap<&str, Vec<String>>) -> Option<Vec<String>> {
        let (first, rest) = path.split_first()?;
        let mut base = match first.as_str() {
            "crate" if module[0] == "wormscope" && rest.first().is_some_and(|part| part == "hw") => vec![],
            "crate" => (1..=module.len())
                .rev()
                .map(|length| &module[..length])
                .find(|root| self.packages.contains(*root))?
                .to_vec(),
            "self" | "super" => {
                let up = path.iter().take_while(|part| *part == "super").count();
                let rest = &path[up.max(1)..];
                return Some([&module[..module.len().saturating_sub(up)], rest].concat());
            }
            "wormscope_hw" => vec!["hw".to_owned()],
            "wormscope" if rest.first().is_some_and(|part| part == "hw") => vec![],
            "wormscope" => vec!["wormscope".to_owned()],
            name if let Some(room) = name.strip_prefix("wormscope_") => {
                self.packages.iter().find(|root| root.last().is_some_and(|last| last == room))?.clone()
            }
            name if self.modules.contains_key(&[module, &[name.to_owned()]].concat()) => {
                [module, &[name.to_owned()]].concat()
            }
            name => known.get(name)?.clone(),
        };
        base.extend_from_slice(rest);
        Some(base)
    }

    /// The file that defines what a path names, behind all doors, and the name.
    fn defined(&self, path: &[String], depth: u8, star: bool) -> Option<(String, String)> {
        let length = (1..=path.len()).rev().find(|&length| self.modules.contains_key(&path[..length]))?;
        let (module, rest) = path.split_at(length);
        let (file, said) = &self.modules[module];
        let (name, behind) = rest.split_first()?;
        // The children of a module see its imports as well.
        for (door, to) in said.doors.iter().chain(&said.imports) {
            let (through, rest) = match door.as_str() {
                "*" => (&to[..to.len() - 1], rest),
                door if door == name => (&to[..], behind),
                _ => continue,
            };
            let through = self.absolute(module, through, &BTreeMap::new()).filter(|_| depth < 8);
            let through = through.map(|through| [&through[..], rest].concat());
            // This is a module under another name. Names that are taken from it have paths of their
            // own.
            if through.as_ref().is_some_and(|path| self.modules.contains_key(path)) {
                return None;
            }
            if let Some(found) = through.and_then(|through| self.defined(&through, depth + 1, door == "*")) {
                return Some(found);
            }
        }
        // A star imports only the names that are there.
        (!star || said.items.contains(name)).then(|| (file.clone(), name.clone()))
    }
}

/// Whether a module is the tests of another, which names its file.
fn is_of_tests(module: &[String]) -> bool {
    module.last().is_some_and(|name| name.ends_with("_tests"))
}

impl File {
    fn read(&mut self, tokens: &TokenStream) {
        let tokens: Vec<TokenTree> = tokens.clone().into_iter().collect();
        let mut at = 0;
        let mut public = false;
        while at < tokens.len() {
            match &tokens[at] {
                TokenTree::Punct(mark) if mark.as_char() == '#' && is_cfg_test(tokens.get(at + 1)) => {
                    let end = end_of_item(&tokens, at + 2);
                    let skipped = &tokens[at..end];
                    let words = skipped.windows(2).filter(|pair| pair[0].to_string() == "mod");
                    self.tests.extend(words.map(|pair| pair[1].to_string()));
                    at = end;
                }
                TokenTree::Ident(word) if word == "pub" => {
                    public = true;
                    let narrow = matches!(tokens.get(at + 1), Some(TokenTree::Group(g)) if g.delimiter() == Delimiter::Parenthesis);
                    at += 1 + usize::from(narrow);
                    continue;
                }
                TokenTree::Ident(word) if word == "use" => {
                    let end = tokens[at..].iter().position(|token| token.to_string() == ";");
                    // The captures of an opaque type are no import.
                    let end = at + end.unwrap_or(1);
                    let list = if public { &mut self.doors } else { &mut self.imports };
                    leaves(&[], &tokens[at + 1..end], list);
                    at = end;
                }
                TokenTree::Ident(word) => {
                    if let (true, Some(TokenTree::Ident(name))) =
                        (ITEMS.contains(&&*word.to_string()), tokens.get(at + 1))
                    {
                        self.items.insert(name.to_string());
                    }
                    let mut path = vec![tokens[at].to_string()];
                    while let [TokenTree::Punct(a), TokenTree::Punct(b), TokenTree::Ident(next), ..] = &tokens[at + 1..]
                        && a.as_char() == ':'
                        && b.as_char() == ':'
                    {
                        path.push(next.to_string());
                        at += 3;
                    }
                    if path.len() > 1 {
                        self.paths.push(path);
                    }
                }
                TokenTree::Group(group) => self.read(&group.stream()),
                TokenTree::Punct(_) | TokenTree::Literal(_) => {}
            }
            public = false;
            at += 1;
        }
    }

    /// Notes the types that stand at the level of items. Types inside them, in bodies of functions,
    /// and in code for tests alone are not visible to others.
    fn name_types(&mut self, tokens: TokenStream) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut at = 0;
        while at < tokens.len() {
            match &tokens[at..] {
                [TokenTree::Punct(mark), attribute, ..] if mark.as_char() == '#' && is_cfg_test(Some(attribute)) => {
                    at = end_of_item(&tokens, at + 2);
                }
                [TokenTree::Ident(word), TokenTree::Ident(name), ..] if TYPES.contains(&&*word.to_string()) => {
                    self.types.push(name.to_string());
                }
                [TokenTree::Ident(_), TokenTree::Punct(mark), TokenTree::Group(given), ..] if mark.as_char() == '!' => {
                    self.types.extend(made(given.stream()));
                }
                _ => {}
            }
            at += 1;
        }
    }
}

/// The type that a macro makes: what it is given first, behind attributes, as `Name`, `Name(..)` or
/// `Name { .. }`.
fn made(given: TokenStream) -> Option<String> {
    let given: Vec<TokenTree> = given.into_iter().collect();
    let first = given.iter().position(|token| matches!(token, TokenTree::Ident(_)))?;
    let name = given[first].to_string();
    let is_whole = matches!(given.get(first + 1), None | Some(TokenTree::Group(_)));
    (is_whole && name.starts_with(char::is_uppercase)).then_some(name)
}

/// The end of what stands behind `#[cfg(test)]`, from its first token on.
fn end_of_item(tokens: &[TokenTree], from: usize) -> usize {
    let ends = |token: &TokenTree| match token {
        TokenTree::Punct(mark) => mark.as_char() == ';',
        TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
        _ => false,
    };
    (from..tokens.len()).find(|&at| ends(&tokens[at])).unwrap_or(tokens.len())
}

fn is_cfg_test(token: Option<&TokenTree>) -> bool {
    token.is_some_and(|token| token.to_string().replace(' ', "") == "[cfg(test)]")
}

/// The paths of a tree of imports, each under its name.
fn leaves(before: &[String], tree: &[TokenTree], list: &mut Vec<(String, Vec<String>)>) {
    for branch in tree.split(|token| matches!(token, TokenTree::Punct(mark) if mark.as_char() == ',')) {
        let mut path = before.to_vec();
        let mut name = None;
        let mut tokens = branch.iter();
        while let Some(token) = tokens.next() {
            match token {
                TokenTree::Group(group) => {
                    let inner: Vec<TokenTree> = group.stream().into_iter().collect();
                    leaves(&path, &inner, list);
                    path.clear();
                }
                TokenTree::Ident(word) if word == "as" => name = tokens.next().map(ToString::to_string),
                TokenTree::Ident(word) if word == "self" && !path.is_empty() => {}
                TokenTree::Ident(word) => path.push(word.to_string()),
                TokenTree::Punct(mark) if mark.as_char() == '*' => path.push("*".to_owned()),
                TokenTree::Punct(_) | TokenTree::Literal(_) => {}
            }
        }
        if let Some(last) = path.last() {
            list.push((name.unwrap_or_else(|| last.clone()), path));
        }
    }
}
