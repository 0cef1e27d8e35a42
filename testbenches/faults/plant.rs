//! Plants edits into a source file, all of them at once. A function with edits becomes a switch
//! over as many copies of its body. In each process, `wormscope_hw::planted()` chooses one copy. So
//! a thousand mutants cost one build.

use std::fmt::Write as _;
use std::ops::Range;

use syn::spanned::Spanned;
use syn::visit::Visit;

/// Text of a file in place of other text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Edit {
    /// From the root of the workspace.
    pub file: String,
    /// Bytes that are replaced.
    pub range: Range<usize>,
    /// The new text.
    pub text: String,
}

impl Edit {
    /// The file's `source` with the edit in it.
    pub fn applied(&self, source: &str) -> String {
        [&source[..self.range.start], &self.text, &source[self.range.end..]].concat()
    }
}

/// A function whose body can be a switch.
struct Function {
    body: Range<usize>,
    /// `const`, which a switch is not, nor what calls it.
    constant: Option<Range<usize>>,
}

/// Functions by the bytes of their bodies.
struct Functions(Vec<Function>);

impl Functions {
    fn add(&mut self, signature: &syn::Signature, body: &syn::Block) {
        // A function with an opaque type would need one type for all bodies, but each body has its
        // own.
        if !matches!(&signature.output, syn::ReturnType::Type(_, kind) if matches!(**kind, syn::Type::ImplTrait(_))) {
            let constant = signature.constness.map(|constant| constant.span().byte_range());
            self.0.push(Function { body: body.span().byte_range(), constant });
        }
    }
}

impl<'a> Visit<'a> for Functions {
    fn visit_item_fn(&mut self, function: &'a syn::ItemFn) {
        self.add(&function.sig, &function.block);
    }

    fn visit_impl_item_fn(&mut self, function: &'a syn::ImplItemFn) {
        self.add(&function.sig, &function.block);
    }
}

/// A source with several edits, numbered as `planted()` chooses them.
pub struct Planted {
    /// The source.
    pub text: String,
    /// The edit to which a line belongs: lines from 1 on, both ends included.
    pub lines: Vec<(Range<usize>, usize)>,
    /// Edits that stand in no function whose body could be a switch.
    pub left: Vec<usize>,
}

/// Plants numbered edits of one file.
pub fn plant(source: &str, edits: &[(usize, &Edit)]) -> Result<Planted, syn::Error> {
    let mut functions = Functions(Vec::new());
    functions.visit_file(&syn::parse_file(source)?);
    let Functions(functions) = functions;
    let around =
        |edit: &Edit| functions.iter().position(|f| f.body.start <= edit.range.start && edit.range.end <= f.body.end);
    let mut planted = Planted { text: String::with_capacity(source.len() * 8), lines: Vec::new(), left: Vec::new() };
    planted.left = edits.iter().filter(|(_, edit)| around(edit).is_none()).map(|&(number, _)| number).collect();
    let mut at = 0;
    for (index, function) in functions.iter().enumerate() {
        if let Some(constant) = &function.constant {
            planted.text += &source[at..constant.start];
            at = constant.end;
        }
        let mut inside = edits.iter().filter(|(_, edit)| around(edit) == Some(index)).peekable();
        if inside.peek().is_none() {
            continue;
        }
        planted.text += &source[at..function.body.start];
        planted.text += "{ match ::wormscope_hw::planted() {\n";
        for (number, edit) in inside {
            let first = planted.text.lines().count() + 1;
            let body = edit.applied(source);
            let end = function.body.end + edit.text.len() - edit.range.len();
            let _ = writeln!(planted.text, "{number} => {}", &body[function.body.start..end]);
            planted.lines.push((first..planted.text.lines().count() + 1, *number));
        }
        let _ = write!(planted.text, "_ => {}\n}} }}", &source[function.body.clone()]);
        at = function.body.end;
    }
    planted.text += &source[at..];
    // A function with a hundred copies of its body must not be copied into every caller.
    planted.text = planted.text.replace("#[inline(always)]", "#[inline(never)]");
    Ok(planted)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(source: &str, old: &str, new: &str) -> Edit {
        let start = source.find(old).unwrap();
        Edit { file: String::new(), range: start..start + old.len(), text: new.to_owned() }
    }

    #[test]
    fn a_function_becomes_a_switch_over_its_copies() {
        let source = "const A: u8 = 1;\npub const fn f(a: u8) -> u8 {\n    a + A\n}\nconst fn h() {}\nfn g() -> impl Sized { 2 }\n";
        let edits = [
            edit(source, "+", "-"),
            edit(source, "u8 = 1", "u8 = 3"),
            edit(source, "a + A", "0"),
            edit(source, "2", "4"),
        ];
        let numbered: Vec<_> = edits.iter().enumerate().map(|(n, edit)| (n + 7, edit)).collect();
        let planted = plant(source, &numbered).unwrap();
        let expected = "const A: u8 = 1;\npub  fn f(a: u8) -> u8 { match ::wormscope_hw::planted() {\n\
            7 => {\n    a - A\n}\n9 => {\n    0\n}\n_ => {\n    a + A\n}\n} }\n fn h() {}\nfn g() -> impl Sized { 2 }\n";
        assert_eq!(planted.text, expected);
        assert_eq!(planted.left, [8, 10]);
        assert_eq!(planted.lines, [(3..6, 7), (6..9, 9)]);
        assert_eq!(edits[3].applied(source).matches("impl Sized { 4 }").count(), 1);
    }
}
