//! Tables, pictures and page of reproduced figures, as `wormscope reproduce --publish` keeps them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use wormscope::output::{Output, place};
use wormscope::reproduce::{self, Data, Extent, Shelf, Shelved};
use wormscope::{console, quote};

use super::exit::Refused;

/// The kept table of a figure.
pub fn kept(of: &Shelved, folder: &Path, extension: &str) -> PathBuf {
    folder.join("reproduction").join(format!("{}.{extension}", of.id))
}

/// A directory that is published to.
pub struct Published<'a> {
    into: &'a Path,
    page: PathBuf,
    /// Tables that stay, by figure.
    there: BTreeMap<String, Data>,
    /// Tables of now.
    new: BTreeMap<String, Data>,
}

impl<'a> Published<'a> {
    /// Reads the tables that stay. These are all but those of `chosen` figures. A chosen table of
    /// all points also stays if the run is a sample. Faults in reading or writing show before an
    /// hour of runs.
    pub fn read(shelf: &Shelf, chosen: &[&Shelved], extent: Extent, into: &'a Path) -> Result<Self, Refused> {
        let refused = |why: String| Refused(format!("--publish {}: {why}", quote::name(into)));
        let page = into.join("reproduction.md");
        // The file is begun and dropped, so no file stays.
        Output::in_folder(&page).map_err(|error| refused(error.to_string()))?;
        let mut there = BTreeMap::new();
        for of in &shelf.0 {
            let table = kept(of, into, "csv");
            if !table.exists() {
                continue;
            }
            // A file that is no table is not replaced either.
            let kept = Data::extent_of(&table).map_err(|error| refused(error.to_string()))?;
            let is_sample = extent == Extent::Quick && kept == Extent::Full;
            if is_sample || !chosen.iter().any(|chosen| chosen.id == of.id) {
                there.insert(of.id.clone(), of.table(&table).map_err(|error| refused(error.to_string()))?);
            }
        }
        Ok(Self { into, page, there, new: BTreeMap::new() })
    }

    /// Takes the table of a chosen figure, unless the kept table has all points and the new table
    /// is a sample.
    pub fn take(&mut self, of: &Shelved, data: Data) {
        if self.there.contains_key(&of.id) {
            let table = kept(of, self.into, "csv");
            console::tell(&format!(
                "{}: {} stays, since it has all points and --quick has fewer",
                of.id,
                quote::name(&table)
            ));
        } else {
            self.new.insert(of.id.clone(), data);
        }
    }

    /// Puts the new tables in their places, all or none. Also writes the pictures of all figures,
    /// as their files may have changed, and the page. Returns the page's path.
    pub fn place(self, all: &Shelf) -> Result<PathBuf, Refused> {
        let data = |of: &Shelved| self.new.get(&of.id).or_else(|| self.there.get(&of.id));
        let mut texts = vec![(self.page.clone(), reproduce::document(all, &|of| data(of).cloned()))];
        for of in &all.0 {
            if let Some(data) = data(of) {
                texts.push((kept(of, self.into, "svg"), reproduce::picture(of, data)?));
            }
            if let Some(data) = self.new.get(&of.id) {
                texts.push((kept(of, self.into, "csv"), data.csv()));
            }
        }
        let files = texts.iter().map(|(path, text)| Output::in_folder(path)?.filled(text));
        place(files.collect::<Result<_, _>>()?)?;
        Ok(self.page)
    }
}
