//! One experiment with many values in some of its fields. The template sets all values at once, and
//! does not apply the overrides one by one.

use std::ops::Range;

use super::{Located, Override, overrides, under, validate};
use crate::experiment::Loaded;
use crate::input::position::{Text, scan};
use crate::input::{ConfigError, Place, ron};

/// An experiment with places for values.
#[derive(Clone, Debug)]
pub(crate) struct Template {
    loaded: Loaded,
    text: String,
    paths: Vec<String>,
    /// Place of each path's value in the text.
    places: Vec<Range<usize>>,
}

impl Template {
    /// The places at these paths of an experiment. No path equals another or leads into it.
    ///
    /// # Errors
    /// A path leads nowhere.
    pub fn new(loaded: Loaded, paths: Vec<String>) -> Result<Self, ConfigError> {
        let text = ron::canonical(&loaded.experiment);
        let place = |path: &String| Override::parse(&format!("{path}=0"))?.span(&text);
        let places = paths.iter().map(place).collect::<Result<_, _>>()?;
        Ok(Self { loaded, text, paths, places })
    }

    /// The experiment with these values, one for each path. It equals [`under`] with these
    /// overrides, except for the seed, to which `seeds_on` is added.
    ///
    /// # Errors
    /// The same as for [`under`].
    pub fn with(&self, values: &[&str], seeds_on: u64) -> Result<Loaded, ConfigError> {
        let mut loaded = match self.at_once(values) {
            Some(loaded) => loaded,
            // The slow way finds the wrong value.
            None => under(&self.loaded, &self.sets(values)).map_err(of_a_sweep)?,
        };
        let seed = &mut loaded.experiment.run.seed;
        *seed = seed.wrapping_add(seeds_on);
        loaded.hash = loaded.experiment.hash();
        Ok(loaded)
    }

    /// The experiment with these values, without the checks. There is one value for each path, or
    /// for the first of them.
    ///
    /// # Errors
    /// A value does not fit the type of its field.
    pub fn unchecked(&self, values: &[&str]) -> Result<Loaded, ConfigError> {
        let mut sets = self.sets(values).iter().map(|set| Override::parse(set)).collect::<Result<Vec<_>, _>>()?;
        let experiment =
            overrides::apply_all(self.loaded.experiment.clone(), &mut sets, validate).map_err(of_a_sweep)?;
        Ok(Loaded { experiment, ..self.loaded.clone() })
    }

    /// The values as overrides.
    #[must_use]
    pub fn sets(&self, values: &[&str]) -> Vec<String> {
        self.paths.iter().zip(values).map(|(path, value)| format!("{path}={value}")).collect()
    }

    fn at_once(&self, values: &[&str]) -> Option<Loaded> {
        // Another file has to be read.
        if self.paths.iter().any(|path| path.rsplit('.').next() == Some("file")) {
            return None;
        }
        let mut order: Vec<(&Range<usize>, &str)> = self.places.iter().zip(values.iter().copied()).collect();
        order.sort_by_key(|(place, _)| place.start);
        let (mut text, mut at) = (String::with_capacity(self.text.len() + 64), 0);
        for (place, value) in order {
            // The value must be one whole value by itself. Otherwise a stray bracket would reach
            // into its neighbours.
            let whole = scan(value).ok()?;
            text += &self.text[at..place.start];
            // A comment at the end would hide the text after it.
            text += &value[whole.span];
            at = place.end;
        }
        text += &self.text[at..];
        let experiment = ron::parse(&text).ok()?;
        let file = self.loaded.path.display().to_string();
        validate(&experiment, &Located { text: Text { file: &file, text: "" }, sets: &[] }).ok()?;
        Some(Loaded { experiment, ..self.loaded.clone() })
    }
}

/// Changes the error, because the value came from a list, a range or an expression, not from
/// `--set`.
fn of_a_sweep(error: ConfigError) -> ConfigError {
    match error {
        ConfigError::Invalid { place: Place::Set(set), message } => ConfigError::new(Place::Varied(set), message),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::super::from_text;
    use super::*;

    fn template(paths: &[&str]) -> Template {
        let text = "(network: (topology: mesh(radices: [4, 4])), workload: [traffic(load: 0.1, payload_flits: 7)])";
        let loaded = from_text("x", text, &[]).unwrap();
        Template::new(loaded, paths.iter().map(|path| (*path).to_owned()).collect()).unwrap()
    }

    #[test]
    fn a_varied_file_is_read() {
        let folder = tempfile::tempdir().unwrap();
        for (name, to) in [("a.csv", 3), ("b.csv", 5)] {
            let text = format!("source,destination,weight\n0,{to},1\n");
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        let text = "(network: (topology: mesh(radices: [4, 4])), workload: [traffic(load: 0.01, payload_flits: 7, pattern: \
                    matrix(file: \"a.csv\"))])";
        let loaded = from_text(folder.path().join("x.ron"), text, &[]).unwrap();
        let path = "workload[0].traffic.pattern.matrix.file".to_owned();
        let template = Template::new(loaded, vec![path]).unwrap();
        let of = |value: &str| template.with(&[value], 0).unwrap().experiment.text();
        let (a, b) = (of("\"a.csv\""), of("\"b.csv\""));
        assert!(a.contains("0,3,1") && b.contains("0,5,1") && !b.contains("0,3,1"), "{a}{b}");
    }

    #[test]
    fn values_at_once_are_the_same_as_one_override_after_the_other() {
        let template = template(&["workload[0].traffic.load", "network.token_ring", "network.switch.fifo_depth"]);
        let found = template.with(&["0.25", "None", "16"], 8).unwrap();
        let mut sets = template.sets(&["0.25", "None", "16"]);
        sets.push("run.seed=9".to_owned());
        let expected = under(&template.loaded, &sets).unwrap();
        assert_eq!((found.experiment, found.hash), (expected.experiment, expected.hash));
    }

    #[test]
    fn a_wrong_value_is_named() {
        let template = template(&["network.switch.fifo_depth", "workload[0].traffic.load"]);
        let error = template.with(&["4", "2.0"], 0).unwrap_err().to_string();
        assert!(error.starts_with("workload[0].traffic.load=2.0: load is 2; allowed: above 0"), "{error}");
        let error = template.with(&["4), node: (ports: 1", "0.1"], 0).unwrap_err().to_string();
        assert!(error.contains("the value is not RON"), "{error}");
    }
}
