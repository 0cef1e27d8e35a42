//! Closed forms and plans that figures are drawn of: a function each, by name.

use crate::spelling::suggestion;

/// A curve of a model: its name and its points, ascending in x.
pub type Series = (String, Vec<(f64, f64)>);

/// Yields the curves of a figure; less of chance where it is to be quick.
type Model = fn(is_quick: bool) -> Result<Vec<Series>, String>;

/// All models.
const MODELS: [(&str, Model); 0] = [];

/// The model of this name.
///
/// # Errors
/// When there is none: the nearest.
pub fn model(name: &str) -> Result<Model, String> {
    let found = MODELS.iter().find(|(known, _)| *known == name);
    found.map(|(_, model)| *model).ok_or_else(|| {
        let names: Vec<&str> = MODELS.iter().map(|(name, _)| *name).collect();
        format!("there is no model \"{name}\"{}", suggestion(name, &names))
    })
}
