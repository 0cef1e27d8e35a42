//! RON: from text to values, strictly, and from errors of `ron` to messages for a person.

use std::ops::Range;
use std::path::Path;

use ron::extensions::Extensions;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_path_to_error::Segment;

use super::position::{Step, SyntaxError, Text, Value, ValueShape, path_of, scan};
use super::{ConfigError, TextKind};
use crate::quote::excerpt;
use crate::spelling::suggestion;

/// Experiments, testbenches and studies. Longer lists of messages belong in a CSV trace, which is
/// streamed.
const EXPERIMENT: TextKind = TextKind {
    name: "a RON file",
    most_mib: 4,
    hint: "put long lists of messages into a CSV trace, and a netlist into a file of its own",
};

/// Reads the file of an experiment, a testbench or a study.
///
/// # Errors
/// The file cannot be read, is too large, or is no text.
pub fn read(path: &Path) -> Result<String, ConfigError> {
    EXPERIMENT.read(path)
}

/// The dialect of RON: `consumption_depth: 8` for `Some(8)`, `traffic(load: 0.1)` for
/// `traffic((load: 0.1))`.
fn options() -> ron::Options {
    let short = Extensions::IMPLICIT_SOME | Extensions::UNWRAP_NEWTYPES | Extensions::UNWRAP_VARIANT_NEWTYPES;
    ron::Options::default().with_default_extension(short)
}

/// A value on one line, every field written out.
pub(crate) fn canonical(value: &impl Serialize) -> String {
    // The value has numbers, strings, lists and names, a few levels deep. `ron` can write all of
    // them, and a String takes all text.
    options().to_string(value).unwrap_or_default()
}

/// Any value as RON of many lines, which [`typed`] can read.
pub(crate) fn pretty(value: &impl Serialize) -> String {
    let layout = ron::ser::PrettyConfig::new().indentor("    ").compact_arrays(true);
    options().to_string_pretty(value, layout).unwrap_or_default() + "\n"
}

/// Any value as RON, with a line for each field and each item.
pub(super) fn spread(value: &impl Serialize) -> String {
    let layout = ron::ser::PrettyConfig::new().indentor("    ");
    options().to_string_pretty(value, layout).unwrap_or_default()
}

/// Reason why a text is no value of its schema, with the byte offset of the fault.
#[derive(Debug)]
pub(crate) struct Refusal {
    pub(crate) offset: usize,
    pub(crate) message: String,
    /// The number in the text, if it is one that the type of its field does not have.
    pub(crate) beyond: Option<Range<usize>>,
}

impl Refusal {
    const fn new(offset: usize, message: String) -> Self {
        Self { offset, message, beyond: None }
    }
}

/// Names of the outermost fields of a RON text; empty when it is no RON.
#[must_use]
pub fn fields(text: &str) -> Vec<String> {
    match scan(text.strip_prefix('\u{feff}').unwrap_or(text)).as_ref().map(|root| &root.bare().shape) {
        Ok(ValueShape::Fields(fields)) => fields.iter().map(|(name, ..)| (*name).to_owned()).collect(),
        _ => Vec::new(),
    }
}

/// The name of no field. The error about it lists the names of all fields.
const UNKNOWN: &str = "no_such_field";

/// Deserialises a value. It checks only types and names.
pub(crate) fn parse<T: DeserializeOwned>(text: &str) -> Result<T, Refusal> {
    deserialize::<T>(text).map_err(|refused| {
        let (error, path) = *refused;
        // The only known fact about a schema is the set of texts that it takes.
        let against = |text: &str| match deserialize::<T>(text) {
            Err(again) if again.1 == path => Some(again.0.code),
            Err(again) if again.1.strip_prefix(&path[..]) == Some(&[Step::Name(UNKNOWN.to_owned())]) => {
                Some(again.0.code)
            }
            _ => None,
        };
        explain(text, &error, &path, &against)
    })
}

/// The value, or the error of `ron` and the path to its place.
fn deserialize<T: DeserializeOwned>(text: &str) -> Result<T, Box<(ron::error::SpannedError, Vec<Step>)>> {
    let mut path = Vec::new();
    let read = ron::Deserializer::from_str_with_options(text, &options()).and_then(|mut ron| {
        let value = serde_path_to_error::deserialize(&mut ron).map_err(|error| {
            path = known_steps(error.path());
            ron.span_error(error.into_inner())
        })?;
        ron.end().map_err(|error| ron.span_error(error))?;
        Ok(value)
    });
    read.map_err(|error| Box::new((error, path)))
}

fn known_steps(path: &serde_path_to_error::Path) -> Vec<Step> {
    let step = |segment: &Segment| match segment {
        Segment::Seq { index } => Some(Step::Index(*index)),
        Segment::Map { key: name } | Segment::Enum { variant: name } => Some(Step::Name(name.clone())),
        Segment::Unknown => None,
    };
    path.iter().map_while(step).collect()
}

/// The reader's error for the value at a path in another text; `None` when it takes it.
type Against<'a> = &'a dyn Fn(&str) -> Option<ron::Error>;

/// Puts an error of `ron` at `path` into words.
fn explain(text: &str, error: &ron::error::SpannedError, path: &[Step], against: Against) -> Refusal {
    use ron::Error as E;
    let scanned = scan(text);
    // In a text that breaks off, the last word has no meaning.
    if let Err(SyntaxError { offset, message }) = &scanned
        && text[*offset..].trim().is_empty()
    {
        return Refusal::new(*offset, message.clone());
    }
    if let Some(refusal) = scanned.as_ref().ok().and_then(|root| needless_some(text, root, path, against)) {
        return refusal;
    }
    let start = offset_of(text, error.span.start);
    let at_start = |message: String| Refusal::new(start, message);
    match &error.code {
        E::NoSuchStructField { expected, found, outer } => {
            let owner = outer.as_ref().map(|name| format!(" in {}", snake_case(name))).unwrap_or_default();
            at_start(format!("unknown field \"{}\"{owner}{}", excerpt(found), suggestion(found, expected)))
        }
        E::NoSuchEnumVariant { expected, found, outer } => {
            let kind = outer.as_deref().map_or("name".to_owned(), snake_case);
            at_start(format!("unknown {kind} \"{}\"{}", excerpt(found), suggestion(found, expected)))
        }
        E::ExpectedMapColon if scanned.is_ok() => at_start("expected `:` after the field name".into()),
        E::DuplicateStructField { field, .. } => {
            at_start(format!("field \"{}\" is given twice; once is allowed", excerpt(field)))
        }
        E::MissingStructField { field, outer } => {
            let owner = outer.as_ref().map(|name| format!(" in {}", snake_case(name))).unwrap_or_default();
            let offset = scanned.map_or(start, |root| root.walk(path).0);
            Refusal::new(offset, format!("missing field \"{field}\"{owner}; it has no default"))
        }
        code => match (scanned, allowed(code)) {
            // `2.5` and `2e3` are read as far as an integer goes. The error is then about a missing
            // comma.
            (Ok(root), None)
                if *code == E::ExpectedComma
                    && let Some((path, number)) = number_at(&root, start, text) =>
            {
                let found = &text[number.clone()];
                let kind = if found.parse::<f64>().is_ok() { "an integer" } else { "a number without a unit" };
                let message = format!("expected {kind}, found {}", excerpt(found));
                Refusal::new(number.start, under(&path, &message))
            }
            (Ok(root), Some(allowed)) => mismatch(text, &root, code, path, &allowed, against),
            (Err(SyntaxError { offset, message }), None) => Refusal::new(offset, message),
            (Err(syntax), Some(_)) if syntax.offset <= start => Refusal::new(syntax.offset, syntax.message),
            (Err(_), Some(allowed)) => {
                let found = text[start..].lines().next().map_or("", str::trim_end);
                at_start(under(path, &format!("expected {allowed}, found {}", found_text(found))))
            }
            (Ok(_), None) => at_start(under(path, &lower_first(&code.to_string()))),
        },
    }
}

/// A needless `Some(...)` at `path`, around a value that the schema takes alone. Either no field at
/// this place may be None, or the field has parentheses itself, and the added parentheses count as
/// these.
fn needless_some(text: &str, root: &Value, path: &[Step], against: Against) -> Option<Refusal> {
    let (offset, value, taken) = root.walk(path);
    let ValueShape::Named("Some", body) = &value.shape else { return None };
    let accepts = |other: &str| {
        let mut changed = text.to_owned();
        changed.replace_range(value.span.clone(), other);
        against(&changed).is_none()
    };
    let inner = &text[body.bare().span.clone()];
    if taken < path.len() || !accepts(inner) {
        return None;
    }
    let (found, inner) = (excerpt(&text[value.span.clone()]), excerpt(inner));
    let message = if accepts("None") {
        format!("two pairs of parentheses in {found}; write {inner}")
    } else {
        format!("{found} is for a field that may be None, which this is not; write {inner}")
    };
    Some(Refusal::new(offset, under(path, &message)))
}

/// A value at `path` that the schema does not accept.
fn mismatch(text: &str, root: &Value, code: &ron::Error, path: &[Step], allowed: &str, against: Against) -> Refusal {
    use ron::Error as E;
    let (offset, value, taken) = root.walk(path);
    let found = &text[value.bare().span.clone()];
    let path = &path[..taken];
    let allowed = if is_about_integers(code) {
        // Integers have 32 bits or 64.
        let mut wide = text.to_owned();
        wide.replace_range(value.span.clone(), &(u64::from(u32::MAX) + 1).to_string());
        let is_wide = !against(&wide).is_some_and(|code| is_about_integers(&code));
        format!("{allowed} from 0 to {}", if is_wide { u64::MAX } else { u32::MAX.into() })
    } else {
        allowed.to_owned()
    };
    let message = match (code, &value.shape) {
        (E::IntegerOutOfBounds, _) => format!("{} is out of range; allowed: {allowed}", excerpt(found)),
        (_, ValueShape::Tuple(inner)) if matches!(&inner[..], [Value { shape: ValueShape::Fields(_), .. }]) => {
            "two pairs of parentheses; allowed: one, as in traffic(load: 0.1, payload_flits: 8)".to_owned()
        }
        (E::ExpectedStructLike, ValueShape::Leaf) if found.starts_with(char::is_alphabetic) => {
            format!("{found} has fields; write {found}(...)")
        }
        (E::ExpectedIdentifier, _) if found.starts_with('"') => {
            format!("expected a name without quotes, found {}", excerpt(found))
        }
        (E::ExpectedIdentifier | E::SuggestRawIdentifier(_), _) => match field_names(text, value, against) {
            Some(fields) => format!("expected fields by name, found {}{}", excerpt(found), suggestion("", fields)),
            None => format!("expected {allowed}, found {}", found_text(found)),
        },
        _ => format!("expected {allowed}, found {}", found_text(found)),
    };
    let beyond = (*code == E::IntegerOutOfBounds).then(|| value.bare().span.clone());
    Refusal { beyond, ..Refusal::new(offset, under(path, &message)) }
}

/// Names of the fields that the schema has in place of a value, or of the value in parentheses.
fn field_names(text: &str, value: &Value, against: Against) -> Option<&'static [&'static str]> {
    [format!("({UNKNOWN}: 0)"), format!("{UNKNOWN}: 0")].into_iter().find_map(|fields| {
        let mut named = text.to_owned();
        named.replace_range(value.bare().span.clone(), &fields);
        match against(&named)? {
            ron::Error::NoSuchStructField { expected, .. } => Some(expected),
            _ => None,
        }
    })
}

fn found_text(found: &str) -> String {
    if found.is_empty() { "the end of the text".to_owned() } else { excerpt(found) }
}

fn is_about_integers(code: &ron::Error) -> bool {
    use ron::Error as E;
    matches!(
        code,
        E::ExpectedInteger | E::IntegerOutOfBounds | E::InvalidIntegerDigit { .. } | E::UnderscoreAtBeginning
    )
}

/// Values that the schema allows, if `ron` found another type. `None` for errors of syntax.
fn allowed(code: &ron::Error) -> Option<String> {
    use ron::Error as E;
    Some(match code {
        code if is_about_integers(code) => "an integer".into(),
        E::ExpectedFloat | E::FloatUnderscore => "a number".into(),
        E::ExpectedBoolean => "true or false".into(),
        E::ExpectedString => "a string in double quotes".into(),
        E::ExpectedArray => "a list, [...]".into(),
        E::ExpectedNamedStructLike(name) | E::ExpectedDifferentStructName { expected: name, .. } => {
            format!("(...) with the fields of {}", snake_case(name))
        }
        E::ExpectedStructLike => "the fields of this variant, (...)".into(),
        E::ExpectedIdentifier | E::SuggestRawIdentifier(_) => "a name".into(),
        // The text of a type that takes several kinds of values.
        E::Message(text) => text.strip_prefix("expected ")?.to_owned(),
        _ => return None,
    })
}

/// The value that covers a byte of the text and begins as a number, and the path to it.
fn number_at(root: &Value, offset: usize, text: &str) -> Option<(Vec<Step>, Range<usize>)> {
    let (path, leaf) = root.leaf_at(offset)?;
    let value = text[leaf.span.clone()].trim_start_matches(['-', '+', '.']);
    value.starts_with(|c: char| c.is_ascii_digit()).then(|| (path, leaf.span.clone()))
}

/// `path: message`; at the top the message alone.
fn under(path: &[Step], message: &str) -> String {
    if path.is_empty() { message.to_owned() } else { format!("{}: {message}", path_of(path)) }
}

/// Name of an enum variant, such as `HeaderTiming`, in the spelling of configurations.
pub(crate) fn snake_case(name: &str) -> String {
    let mut snake = String::new();
    for c in name.chars() {
        if c.is_uppercase() && !snake.is_empty() {
            snake.push('_');
        }
        snake.extend(c.to_lowercase());
    }
    excerpt(&snake)
}

fn lower_first(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_lowercase().chain(chars).collect())
}

fn offset_of(text: &str, position: ron::error::Position) -> usize {
    let line_start = match position.line {
        0 | 1 => 0,
        line => text.match_indices('\n').nth(line - 2).map_or(text.len(), |(newline, _)| newline + 1),
    };
    let line = &text[line_start..];
    line.char_indices().nth(position.col.saturating_sub(1)).map_or(text.len(), |(column, _)| line_start + column)
}

/// Reads a file of any schema from `text`, with errors placed in `file`.
pub(crate) fn typed<T: DeserializeOwned>(file: &str, text: &str) -> Result<T, ConfigError> {
    parse(text).map_err(|refusal| ConfigError::new(Text { file, text }.offset(refusal.offset), refusal.message))
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Deserialize)]
    #[serde(rename_all = "snake_case")]
    enum Nested {
        Of(Box<Nested>),
        #[allow(dead_code)] // Read by the derived `Debug`.
        Number(u32),
    }

    #[test]
    fn a_type_that_holds_itself_is_read_no_deeper_than_texts_are_followed() {
        let nested = |levels: usize| format!("{}number(1){}", "of(".repeat(levels), ")".repeat(levels));
        let mut value: Nested = parse(&nested(60)).unwrap();
        while let Nested::Of(inner) = value {
            value = *inner;
        }
        for levels in [200, 100_000] {
            let refused = parse::<Nested>(&nested(levels)).unwrap_err();
            assert_eq!((refused.offset, refused.message.as_str()), (194, "nested deeper than 64 levels"));
        }
    }
}
