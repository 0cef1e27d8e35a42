//! The fields of a sweep: those that are varied, and those that follow from them.

use super::expression::Expression;
use super::study::{Study, assignment};
use super::{SweepError, values};
use crate::config::{self, Field};
use crate::quote::excerpt;

/// Fields that are varied together.
pub(super) struct Axis(pub Vec<Varied>);

/// A field that is varied: its name, its path in each base, and its values as RON.
pub(super) struct Varied {
    pub name: String,
    pub paths: Vec<String>,
    pub values: Vec<String>,
}

/// A field that follows from others.
pub(super) struct Derived {
    pub name: String,
    pub paths: Vec<String>,
    expression: Expression,
    /// Of each base, what the names in the expression are.
    names: Vec<Vec<Operand>>,
}

/// A field in an expression.
struct Operand {
    /// As the expression has it.
    name: String,
    path: String,
    source: ValueSource,
}

/// Where the value of a field comes from.
enum ValueSource {
    /// A varied or derived field, by its place among all.
    Varied(usize),
    /// The base itself.
    Base(String),
}

impl Axis {
    /// Reads `FIELD=VALUES`, or several joined by ` with `, of bases that have these fields.
    pub fn new(text: &str, fields: &[Vec<Field>]) -> Result<Self, SweepError> {
        let mut together = Vec::new();
        for part in text.split(" with ") {
            let (name, list) = assignment("--vary", part)?;
            let paths = resolved("--vary", name, fields)?;
            let values = values::parse(list).map_err(|why| SweepError::Asked(format!("--vary {name}: {why}")))?;
            together.push(Varied { name: name.to_owned(), paths, values });
        }
        let lengths: Vec<usize> = together.iter().map(|field| field.values.len()).collect();
        if lengths.iter().any(|&length| length != lengths[0]) {
            let counts: Vec<String> =
                together.iter().map(|of| format!("{} has {}", of.name, of.values.len())).collect();
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

    /// Refuses values that are given twice; of fields varied together, all of which are the same.
    fn check_distinct(&self) -> Result<(), SweepError> {
        let values = |at: usize| self.0.iter().map(|field| field.values[at].as_str()).collect();
        let Some((again, before)) = values::twice((0..self.len() as usize).map(values)) else { return Ok(()) };
        let told = |at: usize| match &self.0[..] {
            [field] => field.values[at].clone(),
            all => all.iter().map(|of| format!("{}={}", of.name, of.values[at])).collect::<Vec<_>>().join(" with "),
        };
        let names: Vec<&str> = self.0.iter().map(|field| field.name.as_str()).collect();
        let (again, before) = (told(again), told(before));
        let before = if again == before { String::new() } else { format!(", as {before} before") };
        Err(SweepError::Asked(format!("--vary {}: {again} is given twice{before}", names.join(" with "))))
    }

    /// How many values.
    pub fn len(&self) -> u64 {
        self.0.first().map_or(1, |field| field.values.len() as u64)
    }
}

/// The names that a `--vary` gives, each with its values, whatever bases there are.
pub(super) fn named_values(text: &str) -> Result<Vec<(String, Vec<String>)>, SweepError> {
    let values = |part| {
        let (name, list) = assignment("--vary", part)?;
        Ok((name.to_owned(), values::parse(list).map_err(SweepError::Asked)?))
    };
    text.split(" with ").map(values).collect()
}

impl Derived {
    /// Its value in a base where the fields before it have these values; with `other` where the
    /// field of that path has that value instead. Why it has none otherwise.
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

/// The derived fields of a study beside those that are varied.
pub(super) fn derived(study: &Study, axes: &[Axis], fields: &[Vec<Field>]) -> Result<Vec<Derived>, SweepError> {
    let mut known: Vec<Vec<String>> = axes.iter().flat_map(|axis| &axis.0).map(|field| field.paths.clone()).collect();
    let mut all = Vec::new();
    for text in &study.derive {
        let (name, expression) = assignment("--derive", text)?;
        let paths = resolved("--derive", name, fields)?;
        let expression =
            Expression::parse(expression).map_err(|why| SweepError::Asked(format!("--derive {name}: {why}")))?;
        let mut names: Vec<Vec<Operand>> = fields.iter().map(|_| Vec::new()).collect();
        for field in expression.fields() {
            for ((base, names), path) in names.iter_mut().enumerate().zip(resolved("--derive", field, fields)?) {
                let source = match known.iter().position(|paths| paths[base] == path) {
                    Some(at) => ValueSource::Varied(at),
                    None => ValueSource::Base(value_of(&fields[base], &path)),
                };
                names.push(Operand { name: field.to_owned(), path, source });
            }
        }
        known.push(paths.clone());
        all.push(Derived { name: name.to_owned(), paths, expression, names });
    }
    Ok(all)
}

/// The path that a name means in each base.
fn resolved(option: &str, name: &str, fields: &[Vec<Field>]) -> Result<Vec<String>, SweepError> {
    let refuse = |why| SweepError::Asked(format!("{option}: {why}"));
    fields.iter().map(|fields| config::resolve(fields, name).map_err(refuse)).collect()
}

/// Refuses fields of which one is another, or is part of it: all but one of their values would be
/// lost in silence. So would those of a field that a derived one does not know of.
pub(super) fn check_apart(axes: &[Axis], derived: &[Derived]) -> Result<(), SweepError> {
    let varied = axes.iter().flat_map(|axis| &axis.0).map(|of| (format!("--vary {}", of.name), &of.paths));
    let derived_ones = derived.iter().map(|of| (format!("--derive {}", of.name), &of.paths));
    let all: Vec<(String, &Vec<String>)> = varied.chain(derived_ones).collect();
    let refuse = |why: String| Err(SweepError::Asked(why));
    for (n, (field, paths)) in all.iter().enumerate() {
        for (before, others) in &all[..n] {
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
    for (of, (field, _)) in derived.iter().zip(&all[all.len() - derived.len()..]) {
        for (base, named) in of.names.iter().enumerate().flat_map(|(base, all)| all.iter().map(move |of| (base, of))) {
            let is_known = matches!(named.source, ValueSource::Varied(_)) || named.path == of.paths[base];
            let other = all.iter().find(|(_, paths)| is_part(&named.path, &paths[base])).filter(|_| !is_known);
            if let Some((other, _)) = other {
                return refuse(format!("{field}: {} is what {other} says, which is not known here", named.path));
            }
        }
    }
    Ok(())
}

/// Whether a path is another, or leads on from it.
fn is_part(inner: &str, outer: &str) -> bool {
    inner.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

fn value_of(fields: &[Field], path: &str) -> String {
    fields.iter().find(|field| field.path == path).map_or_else(String::new, |field| field.value.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{from_text, paths};

    fn apart(vary: &[&str], derive: &[&str]) -> Result<(), String> {
        let text = "(network: (topology: mesh(radices: [4, 4])), workload: [traffic(load: 0.1, payload_flits: 7)])";
        let fields = [paths(&from_text("x", text, &[]).unwrap())];
        let axes: Vec<Axis> = vary.iter().map(|text| Axis::new(text, &fields).unwrap()).collect();
        let derive = derive.iter().map(ToString::to_string).collect();
        let derived = derived(&Study { derive, ..Study::default() }, &axes, &fields).unwrap();
        check_apart(&axes, &derived).map_err(|error| error.to_string())
    }

    #[test]
    fn of_fields_varied_together_no_two_have_all_values_the_same() {
        let text = "(network: (topology: mesh(radices: [4, 4])), workload: [traffic(load: 0.1, payload_flits: 7)])";
        let fields = [paths(&from_text("x", text, &[]).unwrap())];
        let axis = |text: &str| Axis::new(text, &fields).map(|axis| axis.len()).map_err(|error| error.to_string());
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
    fn a_field_and_the_one_that_it_is_part_of_are_not_both_given() {
        let (part, whole) = ("fifo_depth=8", "network.switch=(fifo_depth: 2),(fifo_depth: 4)");
        for vary in [[part, whole], [whole, part]] {
            let told = apart(&vary, &[]).unwrap_err();
            assert!(told.contains(": network.switch.fifo_depth is part of network.switch; "), "{told}");
        }
        // A name that another begins with is no part of it.
        apart(&["radices[0]=2", "radices[1]=2", "flit_bits=8", "fifo_depth=2"], &[]).unwrap();
        assert!(!is_part("network.linked", "network.link") && is_part("workload[0].traffic", "workload[0]"));
    }

    #[test]
    fn a_derived_field_knows_all_that_it_follows_from() {
        let told = apart(&["workload[0]=traffic(load: 0.2, payload_flits: 9)"], &["fifo_depth=payload_flits+1"]);
        assert_eq!(
            told.unwrap_err(),
            "--derive fifo_depth: workload[0].traffic.payload_flits is what --vary workload[0] says, which is not known here"
        );
        assert!(
            apart(&[], &["fifo_depth=flit_bits", "flit_bits=2*payload_flits"])
                .unwrap_err()
                .contains("--derive flit_bits")
        );
        apart(&["payload_flits=2,4"], &["flit_bits=2*payload_flits", "fifo_depth=flit_bits", "seed=seed+7"]).unwrap();
    }
}
