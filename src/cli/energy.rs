//! Coefficients of `--energy`: a technology by its name, or a file.

use std::path::{Path, PathBuf};

use wormscope::energy::{Coefficients, Technology};
use wormscope::input::title;
use wormscope::sweep::Base;

use super::exit::Refused;

/// Coefficients as they were given.
pub struct Given {
    /// Name and text.
    pub base: Base,
    /// File, if they are not a part of the program.
    pub file: Option<PathBuf>,
}

impl Given {
    /// Reads coefficients. A path is relative to `folder`.
    pub fn read(given: &Path, folder: &Path) -> Result<Self, Refused> {
        let (text, file) = Technology::find(given, folder)?;
        let name = title(file.as_deref().unwrap_or(given));
        Ok(Self { base: Base::new(name, text), file })
    }

    /// The same for an option that may be absent. Its path is relative to the working directory.
    pub fn of(option: Option<&Path>) -> Result<Option<Self>, Refused> {
        option.map(|given| Self::read(given, Path::new(""))).transpose()
    }

    /// The coefficients.
    pub fn coefficients(&self) -> Result<Coefficients, Refused> {
        Ok(Coefficients::from_text(&self.base.name, &self.base.text)?)
    }

    /// The file as an input, which no output may replace.
    pub fn input(&self) -> Option<(&'static str, PathBuf)> {
        Some(("the coefficients", self.file.clone()?))
    }
}
