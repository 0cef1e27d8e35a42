//! Bins that a testbench defines: conditions on signals, crosses of them, and exclusions.

use super::expectations::{Expectation, Item, with_caret};
use super::failure::Failure;
use super::property::Expr;
use super::schema::{Cross, Exclusion};
use super::sources::SourceFile;
use crate::coverage::{Bin, GROUPS, OwnBin, RunCoverage};
use crate::glob;
use crate::input::ConfigError;
use crate::quote::{self, excerpt};
use crate::spelling;

/// Largest number of bins of a cross.
const MOST_BINS: usize = 4096;

/// A bin: it is reached when all its conditions begin to hold together.
#[derive(Clone, Debug)]
pub(super) struct CoverBin {
    /// Text of the bin.
    pub text: String,
    /// The conditions, each with its text and its place.
    pub all: Vec<(Expr, String, Item)>,
    /// Place of the exclusion and its reason, if the bin is excluded.
    pub excluded: Option<(Item, String)>,
}

/// The bins of a testbench.
#[derive(Clone, Debug, Default)]
pub(super) struct Covers {
    /// Bins of the testbench.
    pub own: Vec<CoverBin>,
    /// Bins of the hardware that the testbench excludes, each with the place and the reason.
    pub hardware: Vec<(usize, Item, String)>,
    /// Conditions, as written.
    pub cover: Vec<String>,
    /// Crosses, as written.
    pub crosses: Vec<Cross>,
    /// Exclusions, as written, with their places.
    pub exclude: Vec<(Item, Exclusion)>,
}

impl Covers {
    /// The bins of some files.
    ///
    /// # Errors
    /// An expression cannot be read, or a cross has no bins or too many. Two bins have the same
    /// text. Or an exclusion has no reason or names no bin.
    pub fn new(parts: &[SourceFile]) -> Result<Self, ConfigError> {
        let mut covers = Self::default();
        for part in parts {
            covers.add(part)?;
        }
        for part in parts {
            covers.exclude(part)?;
        }
        Ok(covers)
    }

    fn add(&mut self, part: &SourceFile) -> Result<(), ConfigError> {
        self.cover.extend_from_slice(&part.bench.cover);
        self.crosses.extend_from_slice(&part.bench.crosses);
        for (index, text) in part.bench.cover.iter().enumerate() {
            let path = format!("cover[{index}]");
            let condition = condition(part, path.clone(), text)?;
            self.push(part, &path, CoverBin { text: text.clone(), all: vec![condition], excluded: None })?;
        }
        for (index, cross) in part.bench.crosses.iter().enumerate() {
            let path = format!("crosses[{index}]");
            if cross.of.len() < 2 || cross.of.iter().any(Vec::is_empty) {
                return Err(
                    part.error(format!("{path}.of"), "a cross needs two lists of conditions, none of them empty")
                );
            }
            let bins = cross.of.iter().try_fold(1_usize, |all, list| all.checked_mul(list.len()));
            if bins.is_none_or(|bins| bins > MOST_BINS) {
                return Err(part.error(format!("{path}.of"), format!("the cross has more than {MOST_BINS} bins")));
            }
            let mut rows: Vec<Vec<(Expr, String, Item)>> = vec![Vec::new()];
            for (at, list) in cross.of.iter().enumerate() {
                let conditions = list.iter().enumerate();
                let conditions = conditions.map(|(n, text)| condition(part, format!("{path}.of[{at}][{n}]"), text));
                let conditions = conditions.collect::<Result<Vec<_>, _>>()?;
                let with = |row: &Vec<_>| {
                    let row = row.clone();
                    conditions.iter().map(move |condition| [&row[..], std::slice::from_ref(condition)].concat())
                };
                rows = rows.iter().flat_map(with).collect();
            }
            for all in rows {
                let texts: Vec<&str> = all.iter().map(|of| of.1.as_str()).collect();
                let text = format!("{}: {}", cross.name, texts.join(" && "));
                self.push(part, &path, CoverBin { text, all, excluded: None })?;
            }
        }
        Ok(())
    }

    fn push(&mut self, part: &SourceFile, path: &str, bin: CoverBin) -> Result<(), ConfigError> {
        if self.own.iter().any(|other| other.text == bin.text) {
            return Err(part.error(path, format!("a second bin \"{}\"; leave one out", excerpt(&bin.text))));
        }
        self.own.push(bin);
        Ok(())
    }

    fn exclude(&mut self, part: &SourceFile) -> Result<(), ConfigError> {
        for (index, exclusion) in part.bench.exclude.iter().enumerate() {
            let path = format!("exclude[{index}]");
            let reason = exclusion.reason.trim().to_owned();
            if reason.is_empty() {
                return Err(
                    part.error(format!("{path}.reason"), "no reason; say in one line why the bin cannot be reached")
                );
            }
            let item = Item { place: part.place(&path), path: path.clone(), kind: Expectation::Other };
            self.exclude.push((item.clone(), exclusion.clone()));
            if let Some(own) = self.own.iter_mut().find(|own| own.text == exclusion.bin) {
                own.excluded = Some((item, reason));
            } else if let Some(place) = Bin::named(&exclusion.bin) {
                if let Some(why) = Bin::at(place).excluded() {
                    let message = format!("{} is excluded for all runs: {why}; leave this out", exclusion.bin);
                    return Err(part.error(format!("{path}.bin"), message));
                }
                self.hardware.push((place, item, reason));
            } else if exclusion.bin.contains(['*', '?', '[', '{']) {
                let bins = part_bins(&exclusion.bin).map_err(|why| part.error(format!("{path}.bin"), why))?;
                for place in bins {
                    if !self.hardware.iter().any(|known| known.0 == place) {
                        self.hardware.push((place, item.clone(), reason.clone()));
                    }
                }
            } else {
                let names = self.own.iter().map(|own| own.text.clone()).chain(Bin::all().map(|bin| bin.to_string()));
                let nearest = spelling::most_like(&exclusion.bin, names).join(", ");
                let message = format!("no bin \"{}\"; nearest names: {nearest}", excerpt(&exclusion.bin));
                return Err(part.error(format!("{path}.bin"), message));
            }
        }
        Ok(())
    }
}

impl Covers {
    /// The bins of the testbench with their counts.
    pub fn counted(&self, hits: impl Iterator<Item = u64>) -> Vec<OwnBin> {
        let excluded = |bin: &CoverBin| bin.excluded.as_ref().map(|(_, reason)| reason.clone());
        let bin = |(bin, hits): (&CoverBin, u64)| OwnBin { text: bin.text.clone(), hits, excluded: excluded(bin) };
        self.own.iter().zip(hits).map(bin).collect()
    }

    /// Failures for the excluded bins that the run has reached. Adds the excluded bins of the
    /// hardware to the bins of the testbench.
    pub fn reached(&self, run: &mut RunCoverage) -> Vec<Failure> {
        let said = |bin: &str, hits: u64, why: &str| {
            format!("reached {bin} {}, although it is excluded: {why}", quote::counted(hits, "time"))
        };
        let mut failures = Vec::new();
        for &(place, hits) in &run.hardware.hits {
            if let Some(why) = Bin::at(place).excluded() {
                failures.push(Failure::coverage(said(&Bin::at(place).to_string(), hits, why)));
            }
        }
        for (place, item, reason) in &self.hardware {
            let hits = run.hardware.hits.iter().find(|of| of.0 == *place).map_or(0, |of| of.1);
            let text = Bin::at(*place).to_string();
            if hits > 0 {
                failures.push(Failure::of(item, said(&text, hits, reason), None));
            }
            // A glob may match bins of other networks, which are no news here.
            if hits > 0 || run.facts().allow(&Bin::at(*place)) {
                run.own.push(OwnBin { text, hits, excluded: Some(reason.clone()) });
            }
        }
        for (own, bin) in self.own.iter().zip(&run.own).filter(|(_, bin)| bin.hits > 0) {
            let failed =
                own.excluded.as_ref().map(|(item, why)| Failure::of(item, said(&own.text, bin.hits, why), None));
            failures.extend(failed);
        }
        failures
    }
}

/// The bins of the hardware that a glob matches. Those that are excluded for all runs are left out.
fn part_bins(text: &str) -> Result<Vec<usize>, String> {
    let glob = glob::compile(text, true).map_err(|why| format!("{}: {why}", excerpt(text)))?;
    let bins = Bin::all().enumerate().filter(|(_, bin)| bin.excluded().is_none() && glob.is_match(bin.to_string()));
    let found: Vec<usize> = bins.map(|(place, _)| place).collect();
    if found.is_empty() {
        let groups = GROUPS.iter().map(|group| group.name.to_owned());
        let nearest = spelling::most_like(text.split('/').next().unwrap_or(text), groups).join(", ");
        let message = "\" matches no bin; a bin has a group and a value for each dimension; nearest groups: ";
        return Err(format!("\"{}{message}{nearest}", excerpt(text)));
    }
    Ok(found)
}

/// A condition, read.
fn condition(part: &SourceFile, path: String, text: &str) -> Result<(Expr, String, Item), ConfigError> {
    let item = Item { place: part.place(&path), path, kind: Expectation::Other };
    match Expr::parse(text) {
        Ok(expr) => Ok((expr, text.to_owned(), item)),
        Err(error) => Err(with_caret(&item, text, &error)),
    }
}

#[cfg(test)]
mod tests {
    use crate::testbench::from_text;

    const BENCH: &str = "(purpose: \"x\", network: (topology: linear(nodes: 3)), workload: [messages([\n(cycle: 0, \
        source: 1, destinations: [2], payload_flits: 9),\n(cycle: 0, source: 0, destinations: [1, 2], encoding: \
        bit_string, payload_flits: 3),\n])], expect: (final_state: empty, properties: [\"rt_1.in1.state == LANES |-> \
        rt_1.out0.owner != in1\"]), COVER)";

    fn run(cover: &str) -> crate::testbench::Verdict {
        let mut bench = from_text("x.ron", &BENCH.replace("COVER", cover)).unwrap_or_else(|error| panic!("{error}"));
        bench.counts_coverage = true;
        bench.run(None).unwrap()
    }

    #[test]
    fn bins_count_how_often_their_conditions_begin_to_hold() {
        let verdict =
            run("cover: [\"rt_1.in1.state == LANES && rt_1.out0.owner == in2\", \"rt_1.out0.owner == none\"], \
            crosses: [(name: \"x\", of: [[\"rt_1.in1.state == LANES\"], [\"rt_1.out0.owner == in2\", \
            \"rt_1.out0.owner == in0\"]])]");
        let own = verdict.coverage.expect("it was counted").own;
        let hits: Vec<_> = own.iter().map(|bin| (bin.text.split(' ').next().unwrap(), bin.hits)).collect();
        assert_eq!(hits[0].1, 1, "{own:?}");
        assert!(hits[1].1 >= 2, "{own:?}");
        assert_eq!((hits[2], hits[3]), (("x:", 1), ("x:", 0)), "{own:?}");
    }

    #[test]
    fn an_excluded_bin_that_is_reached_fails() {
        let cover = |bin: &str| {
            format!("cover: [\"rt_1.in1.state == LANES\"], exclude: [(bin: \"{bin}\", reason: \"no one waits\")]")
        };
        for bin in ["rt_1.in1.state == LANES", "fan_out/bit_string/2/asynchronous"] {
            let verdict = run(&cover(bin));
            let failed: Vec<_> = verdict.failures.iter().map(ToString::to_string).collect();
            assert!(
                failed.len() == 1 && failed[0].contains("exclude[0]") && failed[0].contains("no one waits"),
                "{failed:?}"
            );
        }
        let verdict = run(&cover("fan_out/bit_string/3/asynchronous"));
        assert!(verdict.passed(), "{verdict}");
        let verdict = run(&cover("fan_out/*/3/*"));
        assert!(verdict.passed(), "{verdict}");
        let own = verdict.coverage.expect("it was counted").own;
        assert!(own.iter().any(|bin| bin.text == "fan_out/bit_string/3/asynchronous" && bin.excluded.is_some()));
        let failed: Vec<_> = run(&cover("fan_out/*/2/*")).failures.iter().map(ToString::to_string).collect();
        assert!(failed.len() == 1 && failed[0].contains("fan_out/bit_string/2/asynchronous"), "{failed:?}");
    }

    #[test]
    fn counts_of_a_property_are_those_of_its_cycles() {
        let properties = run("").coverage.expect("it was counted").properties;
        let [of] = &properties[..] else { panic!("{properties:?}") };
        // The tree waits for 10 cycles of the unicast.
        assert!(of.triggered > 0 && of.triggered == of.passed, "{of:?}");
        assert!(of.vacuous > 0, "{of:?}");
    }

    #[test]
    fn wrong_bins_are_refused_with_their_places() {
        for (cover, message) in [
            ("cover: [\"rt_1.in1.stat == LANES\"]", "no signal \"rt_1.in1.stat\""),
            ("cover: [\"rt_1.in1.state == \"]", "expected an operand"),
            ("cover: [\"rt_1.in1.state == LANES\", \"rt_1.in1.state == LANES\"]", "a second bin"),
            ("crosses: [(name: \"x\", of: [[\"rt_1.in1.state == LANES\"]])]", "two lists"),
            ("exclude: [(bin: \"fan_out/bit_string/9/asynchronous\", reason: \"x\")]", "nearest names: "),
            ("exclude: [(bin: \"fan_oud/*\", reason: \"x\")]", "matches no bin"),
            ("exclude: [(bin: \"fan_out/*\", reason: \"x\")]", "nearest groups: fan_out"),
            ("exclude: [(bin: \"fan_out/unicast/2/asynchronous\", reason: \"x\")]", "is excluded for all runs"),
            ("exclude: [(bin: \"fan_out/bit_string/2/asynchronous\", reason: \" \")]", "no reason"),
        ] {
            let error = from_text("x.ron", &BENCH.replace("COVER", cover)).unwrap_err().to_string();
            assert!(error.starts_with("x.ron:4:") && error.contains(message), "{error}");
        }
    }
}
