//! Technologies whose coefficients are a part of the program, by name.

use std::path::{Path, PathBuf};

use super::Coefficients;
use crate::input::{ConfigError, TextKind};
use crate::quote;
use crate::spelling::suggestion;

/// A technology: its name, and the file of its coefficients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Technology {
    /// Name, as `--energy` takes it.
    pub name: &'static str,
    text: &'static str,
}

impl Technology {
    /// All technologies.
    pub const ALL: [Self; 3] = [
        Self { name: "45nm", text: include_str!("../../../configs/energy/dsent_45nm.ron") },
        Self { name: "22nm", text: include_str!("../../../configs/energy/dsent_22nm.ron") },
        Self { name: "11nm", text: include_str!("../../../configs/energy/dsent_11nm.ron") },
    ];
    /// The technology whose delays `clock_ns: from_depth` takes without `--energy`.
    pub const DEFAULT: Self = Self::ALL[0];

    /// Its coefficients.
    ///
    /// # Errors
    /// None that the files of the program have.
    pub fn coefficients(self) -> Result<Coefficients, ConfigError> {
        Coefficients::from_text(self.name, self.text)
    }

    /// The technology with this name, which may begin with `dsent_`.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let name = name.strip_prefix("dsent_").unwrap_or(name);
        Self::ALL.into_iter().find(|of| of.name == name)
    }

    /// The text of the coefficients that `given` names, and their file. `given` is the name of a
    /// technology, which has no file, or a path from `folder`.
    ///
    /// # Errors
    /// There is neither such a technology nor such a file, or the file cannot be read.
    pub fn find(given: &Path, folder: &Path) -> Result<(String, Option<PathBuf>), ConfigError> {
        if let Some(known) = given.to_str().and_then(Self::named) {
            return Ok((known.text.to_owned(), None));
        }
        let file = folder.join(given);
        let is_name = given.components().count() == 1 && given.extension().is_none();
        if is_name && !file.exists() {
            let names = Self::ALL.map(|of| of.name);
            let name = given.to_string_lossy();
            let why = format!("is neither a technology nor a file{}, or a file", suggestion(&name, &names));
            return Err(ConfigError::UnknownName(format!("{} {why}", quote::name(given))));
        }
        Ok((TextKind::ENERGY.read(&file)?, Some(file)))
    }
}
