//! Fields of a sweep: varied fields, and fields that are derived from other fields.

use std::collections::HashSet;

use super::expression::Expression;
use super::study::{Study, assignment};
use super::{SweepError, values};
use crate::config::{self, Field};
use crate::quote::excerpt;

/// The fields of all bases, and the names of columns that are no fields.
pub(super) struct FieldNames<'a> {
    pub fields: &'a [Vec<Field>],
    pub taken: HashSet<String>,
}

impl FieldNames<'_> {
    /// The path that a name means in each base, and the name of the field. The name is the shortest
    /// end of these paths that means the field in all bases.
    pub fn resolved(&self, option: &str, name: &str) -> Result<(String, Vec<String>), SweepError> {
        let refuse = |why| wrong(name, format!("{option}: {why}"));
        let resolve = |fields: &Vec<Field>| config::resolve(fields, name).map_err(refuse);
        let paths: Vec<String> = self.fields.iter().map(resolve).collect::<Result<_, _>>()?;
        let means = |end: &str| {
            let mut all = self.fields.iter().zip(&paths);
            all.all(|(fields, path)| config::resolve(fields, end).is_ok_and(|found| found == *path))
        };
        let ends = paths.first().map(|path| config::ends(path)).unwrap_or_default();
        let called = ends.into_iter().find(|end| !self.taken.contains(*end) && means(end));
        Ok((called.unwrap_or(name).to_owned(), paths))
    }
}

/// The error about a word of a setting.
fn wrong(word: &str, why: String) -> SweepError {
    SweepError::Setting { field: String::new(), word: word.to_owned(), why }
}

/// Fields that are varied together.
pub(super) struct Axis(pub Vec<Varied>);

/// A varied field: its name, its path in each base, and its values as RON.
pub(super) struct Varied {
    pub name: String,
    pub paths: Vec<String>,
    pub values: Vec<String>,
    /// The values as typed.
    list: String,
    /// Name of the field as typed, for messages.
    typed: String,
}

/// A field that is derived from other fields.
pub(super) struct Derived {
    pub name: String,
    pub paths: Vec<String>,
    /// The expression as typed, without blanks and with the names of the columns.
    text: String,
    /// Name of the field as typed, for messages.
    typed: String,
    expression: Expression,
    /// For each base, the operands of the expression.
    names: Vec<Vec<Operand>>,
}

/// A field in an expression.
struct Operand {
    /// Name of the field in the expression.
    name: String,
    path: String,
    source: ValueSource,
}

/// Source of the value of a field.
enum ValueSource {
    /// A varied or derived field, by its place among all.
    Varied(usize),
    /// The base itself.
    Base(String),
}

impl Axis {
    /// Reads `FIELD=VALUES`, or several such parts joined by ` with `, for bases with these fields.
    pub fn new(text: &str, known: &FieldNames) -> Result<Self, SweepError> {
        let mut together = Vec::new();
        for part in text.split(" with ") {
            let (typed, list) = assignment("--vary", part)?;
            let (name, paths) = known.resolved("--vary", typed)?;
            let values = values::parse(list).map_err(|why| wrong(list, format!("--vary {typed}: {why}")))?;
            together.push(Varied { name, paths, values, list: list.to_owned(), typed: typed.to_owned() });
        }
        let lengths: Vec<usize> = together.iter().map(|field| field.values.len()).collect();
        if lengths.iter().any(|&length| length != lengths[0]) {
            let counts: Vec<String> =
                together.iter().map(|of| format!("{} has {}", of.typed, of.values.len())).collect();
            let why = format!(
                "--vary {}: fields varied together need as many values each; {}",
                excerpt(text),
                counts.join(", ")
            );
            return Err(SweepError::Asked(why));
        }
        let axis = Self(together);
        axis.check_distinct()?;
        Ok(axis)
    }

    /// Refuses values that are given twice. Fields that are varied together may repeat a value, but
    /// not all of them at once.
    fn check_distinct(&self) -> Result<(), SweepError> {
        let values = |at: usize| self.0.iter().map(|field| field.values[at].as_str()).collect();
        let Some((again, before)) = values::twice((0..self.len() as usize).map(values)) else { return Ok(()) };
        Err(self.given_twice(again, before))
    }

    /// The error for two equal values at these places.
    pub fn given_twice(&self, again: usize, before: usize) -> SweepError {
        let told = |at: usize| match &self.0[..] {
            [field] => excerpt(&field.values[at]),
            all => {
                let values = all.iter().map(|of| format!("{}={}", of.typed, excerpt(&of.values[at])));
                values.collect::<Vec<_>>().join(" with ")
            }
        };
        let names: Vec<&str> = self.0.iter().map(|field| field.typed.as_str()).collect();
        let (again, before) = (told(again), told(before));
        let before = if again == before { String::new() } else { format!(", as {before} before") };
        let word = if self.0.len() == 1 { again.clone() } else { String::new() };
        wrong(&word, format!("--vary {}: {again} is given twice{before}", names.join(" with ")))
    }

    /// The axis as `--vary` takes it, with the names of the columns for its fields.
    pub fn text(&self) -> String {
        self.0.iter().map(|of| format!("{}={}", of.name, of.list)).collect::<Vec<_>>().join(" with ")
    }

    /// Number of its values.
    pub fn len(&self) -> u64 {
        self.0.first().map_or(1, |field| field.values.len() as u64)
    }
}

/// The names in a `--vary`, each with its values, for any bases.
pub(super) fn named_values(text: &str) -> Result<Vec<(String, Vec<String>)>, SweepError> {
    let values = |part| {
        let (name, list) = assignment("--vary", part)?;
        Ok((name.to_owned(), values::parse(list).map_err(SweepError::Asked)?))
    };
    text.split(" with ").map(values).collect()
}

impl Derived {
    /// The field as `--derive` takes it, with the names of the columns for all fields.
    pub fn text(&self) -> String {
        format!("{}={}", self.name, self.text)
    }

    /// Value of the field in a base. `values` are the values of the fields before it. With `other`,
    /// the field of that path has that value instead. The error is the reason why the field has no
    /// value.
    pub fn value(&self, base: usize, values: &[String], other: Option<(&str, &str)>) -> Result<String, String> {
        let value = self.expression.value(&|name| {
            self.names[base].iter().find(|of| of.name == name).map(|of| match (other, &of.source) {
                (Some((path, value)), _) if path == of.path => value,
                (_, ValueSource::Varied(at)) => values[*at].as_str(),
                (_, ValueSource::Base(text)) => text.as_str(),
            })
        });
        value.map(|value| value.to_string()).map_err(|why| format!("{}: {why}", self.name))
    }
}

/// The derived fields of a study, in addition to the varied fields.
pub(super) fn derived(study: &Study, axes: &[Axis], known: &FieldNames) -> Result<Vec<Derived>, SweepError> {
    let varied = axes.iter().flat_map(|axis| &axis.0);
    let mut before: Vec<Vec<String>> = varied.map(|field| field.paths.clone()).collect();
    let mut all = Vec::new();
    for (n, text) in study.derive.iter().enumerate() {
        let one = derived_one(text, known, &before).map_err(|error| error.about(&format!("derive[{n}]")))?;
        before.push(one.paths.clone());
        all.push(one);
    }
    Ok(all)
}

/// A derived field, after the fields with the paths `before`.
fn derived_one(text: &str, known: &FieldNames, before: &[Vec<String>]) -> Result<Derived, SweepError> {
    let (typed, expression) = assignment("--derive", text)?;
    let (name, paths) = known.resolved("--derive", typed)?;
    let parsed = |text: &str| Expression::parse(text).map_err(|why| wrong(text, format!("--derive {typed}: {why}")));
    parsed(expression)?;
    let called = |field: &str| known.resolved("--derive", field);
    let text = Expression::with_names(expression, |field| Ok::<_, SweepError>(called(field)?.0))?;
    let expression = parsed(&text)?;
    let mut names: Vec<Vec<Operand>> = known.fields.iter().map(|_| Vec::new()).collect();
    for field in expression.fields() {
        for ((base, names), path) in names.iter_mut().enumerate().zip(called(field)?.1) {
            let source = match before.iter().position(|paths| paths[base] == path) {
                Some(at) => ValueSource::Varied(at),
                None => ValueSource::Base(value_of(&known.fields[base], &path)),
            };
            names.push(Operand { name: field.to_owned(), path, source });
        }
    }
    Ok(Derived { name, paths, text, typed: typed.to_owned(), expression, names })
}

/// Refuses fields of which one equals or contains another. Otherwise all but one of their values
/// would be lost without a message. The values of a field that a derived field ignores would be
/// lost as well.
pub(super) fn check_apart(axes: &[Axis], derived: &[Derived]) -> Result<(), SweepError> {
    let varied = axes.iter().enumerate().flat_map(|(n, axis)| axis.0.iter().map(move |of| (n, of)));
    let varied = varied.map(|(n, of)| (format!("--vary {}", of.typed), &of.paths, format!("vary[{n}]"), &of.typed));
    let derived_ones = derived.iter().enumerate();
    let derived_ones =
        derived_ones.map(|(n, of)| (format!("--derive {}", of.typed), &of.paths, format!("derive[{n}]"), &of.typed));
    let all: Vec<(String, &Vec<String>, String, &String)> = varied.chain(derived_ones).collect();
    for (n, (field, paths, setting, typed)) in all.iter().enumerate() {
        let refuse = |why: String| Err(wrong(typed, why).about(setting));
        for (before, others, ..) in &all[..n] {
            for (path, other) in paths.iter().zip(*others) {
                if path == other {
                    return refuse(format!("{before} and {field} are the same field, {path}; give each field once"));
                }
                let (inner, outer) = if is_part(path, other) { (path, other) } else { (other, path) };
                if is_part(inner, outer) {
                    let why = "give the parts that differ, or the whole alone";
                    return refuse(format!("{before} and {field}: {inner} is part of {outer}; {why}"));
                }
            }
        }
    }
    for (of, (field, _, setting, _)) in derived.iter().zip(&all[all.len() - derived.len()..]) {
        for (base, named) in of.names.iter().enumerate().flat_map(|(base, all)| all.iter().map(move |of| (base, of))) {
            let is_known = matches!(named.source, ValueSource::Varied(_)) || named.path == of.paths[base];
            let other = all.iter().find(|(_, paths, ..)| is_part(&named.path, &paths[base])).filter(|_| !is_known);
            if let Some((other, ..)) = other {
                let why = format!("{field}: the value of {} follows from {other} and cannot be used here", named.path);
                return Err(wrong(&named.name, why).about(setting));
            }
        }
    }
    Ok(())
}

/// Whether a path equals another, or continues it.
fn is_part(inner: &str, outer: &str) -> bool {
    inner.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

fn value_of(fields: &[Field], path: &str) -> String {
    fields.iter().find(|field| field.path == path).map_or_else(String::new, |field| field.value.clone())
}

#[cfg(test)]
mod tests {
    use std::slice;

    use super::*;
    use crate::config::{from_text, paths};

    fn apart(vary: &[&str], derive: &[&str]) -> Result<(), String> {
        let text = "(network: (topology: mesh(radices: [4, 4])), workload: [traffic(load: 0.1, payload_flits: 7)])";
        let fields = [paths(&from_text("x", text, &[]).unwrap())];
        let known = FieldNames { fields: &fields, taken: HashSet::new() };
        let axes: Vec<Axis> = vary.iter().map(|text| Axis::new(text, &known).unwrap()).collect();
        let derive = derive.iter().map(ToString::to_string).collect();
        let derived = derived(&Study { derive, ..Study::default() }, &axes, &known).unwrap();
        check_apart(&axes, &derived).map_err(|error| error.to_string())
    }

    #[test]
    fn of_fields_varied_together_no_two_have_all_values_the_same() {
        let text = "(network: (topology: mesh(radices: [4, 4])), workload: [traffic(load: 0.1, payload_flits: 7)])";
        let fields = [paths(&from_text("x", text, &[]).unwrap())];
        let known = FieldNames { fields: &fields, taken: HashSet::new() };
        let axis = |text: &str| Axis::new(text, &known).map(|axis| axis.len()).map_err(|error| error.to_string());
        let refused = |text: &str| axis(text).unwrap_err();
        assert_eq!(axis("destinations=1,2,3 with encoding=unicast,bit_string,bit_string"), Ok(3));
        assert_eq!(
            refused("destinations=2,3,2 with encoding=bit_string,bit_string,bit_string"),
            "--vary destinations with encoding: destinations=2 with encoding=bit_string is given twice"
        );
        assert_eq!(
            refused("load=0.1,0.10 with fifo_depth=2,2"),
            "--vary load with fifo_depth: load=0.10 with fifo_depth=2 is given twice, as load=0.1 with fifo_depth=2 before"
        );
        assert_eq!(refused("fifo_depth=2,4,2"), "--vary fifo_depth: 2 is given twice");
        assert_eq!(refused("load=0.1,0.10"), "--vary load: 0.10 is given twice, as 0.1 before");
        assert_eq!(refused("load=0.1..0.3/0.1,2e-1"), "--vary load: 2e-1 is given twice, as 0.2 before");
        assert_eq!(refused("fifo_depth=1..2000,1500"), "--vary fifo_depth: 1500 is given twice");
        assert_eq!(axis("load=\"0.1\",\"0.10\""), Ok(2));
    }

    #[test]
    fn a_field_is_given_once_whatever_it_is_called() {
        let refused = |vary: &[&str], derive: &[&str]| apart(vary, derive).unwrap_err();
        assert_eq!(
            refused(&["fifo_depth=2,8", "network.switch.fifo_depth=4"], &[]),
            "--vary fifo_depth and --vary network.switch.fifo_depth are the same field, network.switch.fifo_depth; \
             give each field once"
        );
        assert!(refused(&["load=0.1 with workload[0].traffic.load=0.2"], &[]).contains("are the same field"));
        assert!(refused(&["fifo_depth=2"], &["fifo_depth=4"]).starts_with("--vary fifo_depth and --derive fifo_depth"));
        assert!(refused(&[], &["flit_bits=8*2", "switch.flit_bits=4"]).contains("are the same field"));
    }

    #[test]
    fn a_field_has_one_name_whatever_it_was_typed_as() {
        let of = |text: &str| paths(&from_text("x", text, &[]).unwrap());
        let mesh = |workload: &str| {
            format!("(network: (topology: mesh(radices: [4, 4])), workload: [{workload}], run: (measure_cycles: 9))")
        };
        let one = "traffic(load: 0.1, payload_flits: 7)";
        let message = "messages([(cycle: 0, source: 1, destinations: [2], payload_flits: 4)])";
        let (first, second) = (of(&mesh(one)), of(&mesh(&format!("{message}, {one}"))));
        let torus = of(&mesh(one).replace("mesh(radices: [4, 4])", "torus(radices: [4, 4], datelines: false)"));
        let called = |fields: &[Vec<Field>], name: &str| {
            let taken = HashSet::from(["seed".to_owned()]);
            FieldNames { fields, taken }
                .resolved("--vary", name)
                .map(|found| found.0)
                .map_err(|error| error.to_string())
        };
        for typed in ["fifo_depth", "switch.fifo_depth", "network.switch.fifo_depth"] {
            assert_eq!(called(slice::from_ref(&first), typed).unwrap(), "fifo_depth");
        }
        assert_eq!(called(slice::from_ref(&first), "workload[0].traffic.load").unwrap(), "load");
        assert_eq!(called(slice::from_ref(&first), "network.topology.mesh.radices[1]").unwrap(), "radices[1]");
        assert_eq!(called(slice::from_ref(&first), "network.link.link_cycles").unwrap(), "link.link_cycles");
        // The name may not be the name of another column.
        assert_eq!(called(slice::from_ref(&first), "seed").unwrap(), "run.seed");
        // With several bases it is the common part of their paths.
        let bases = [first.clone(), second.clone(), torus];
        assert_eq!(called(&bases, "traffic.load").unwrap(), "load");
        assert_eq!(called(&bases, "radices").unwrap(), "radices");
        assert!(called(&[first, second], "payload_flits").unwrap_err().contains("means 2 fields"));
    }

    #[test]
    fn a_study_is_the_same_whatever_its_fields_were_typed_as() {
        let text = "(network: (topology: mesh(radices: [4, 4])), workload: [traffic(load: 0.1, payload_flits: 7)])";
        let fields = [paths(&from_text("x", text, &[]).unwrap())];
        let known = FieldNames { fields: &fields, taken: HashSet::new() };
        let axis = Axis::new("switch.fifo_depth = 2,4 with network.switch.flit_bits=16,32", &known).unwrap();
        assert_eq!(axis.text(), "fifo_depth=2,4 with flit_bits=16,32");
        let derive = vec!["traffic.payload_flits = 512 / switch.flit_bits".to_owned()];
        let derived = derived(&Study { derive, ..Study::default() }, &[axis], &known).unwrap();
        assert_eq!(derived[0].text(), "payload_flits=512/flit_bits");
        assert_eq!(derived[0].value(0, &["2".to_owned(), "16".to_owned()], None), Ok("32".to_owned()));
    }

    #[test]
    fn a_field_and_the_one_that_it_is_part_of_are_not_both_given() {
        let (part, whole) = ("fifo_depth=8", "network.switch=(fifo_depth: 2),(fifo_depth: 4)");
        for vary in [[part, whole], [whole, part]] {
            let told = apart(&vary, &[]).unwrap_err();
            assert!(told.contains(": network.switch.fifo_depth is part of network.switch; "), "{told}");
        }
        // A name that begins with another is no part of it.
        apart(&["radices[0]=2", "radices[1]=2", "flit_bits=8", "fifo_depth=2"], &[]).unwrap();
        assert!(!is_part("network.linked", "network.link") && is_part("workload[0].traffic", "workload[0]"));
    }

    #[test]
    fn a_derived_field_knows_all_that_it_follows_from() {
        let told = apart(&["workload[0]=traffic(load: 0.2, payload_flits: 9)"], &["fifo_depth=payload_flits+1"]);
        assert_eq!(
            told.unwrap_err(),
            "--derive fifo_depth: the value of workload[0].traffic.payload_flits follows from --vary workload[0] and \
             cannot be used here"
        );
        assert!(
            apart(&[], &["fifo_depth=flit_bits", "flit_bits=2*payload_flits"])
                .unwrap_err()
                .contains("--derive flit_bits")
        );
        apart(&["payload_flits=2,4"], &["flit_bits=2*payload_flits", "fifo_depth=flit_bits", "seed=seed+7"]).unwrap();
    }
}
