//! Functions, by name, that compute closed forms and plans for figures.

use super::data::Series;
use super::{atbm, kp, nupairoj, nupairoj_machine, seidel, tpp};
use crate::spelling::suggestion;

/// Returns the curves of a figure, with fewer random samples if `is_quick` is set.
type Model = fn(is_quick: bool) -> Result<Vec<Series>, String>;

/// All models.
const MODELS: [(&str, Model); 36] = [
    ("atbm_groups", atbm::groups),
    ("kp_bounds", kp::bounds),
    ("nupairoj_table_4_1", nupairoj::table_4_1),
    ("nupairoj_table_4_2", nupairoj::table_4_2),
    ("nupairoj_table_4_3", nupairoj::table_4_3),
    ("nupairoj_table_4_4", nupairoj::table_4_4),
    ("nupairoj_fig_3_2", nupairoj::fig_3_2),
    ("nupairoj_fig_4_2", nupairoj::fig_4_2),
    ("nupairoj_fig_4_5", nupairoj::fig_4_5),
    ("nupairoj_fig_5_1", nupairoj::fig_5_1),
    ("nupairoj_fig_5_4", nupairoj::fig_5_4),
    ("nupairoj_fig_5_7", nupairoj::fig_5_7),
    ("nupairoj_fig_5_6", nupairoj::fig_5_6),
    ("nupairoj_fig_5_8", nupairoj::fig_5_8),
    ("nupairoj_fig_7_2", nupairoj::fig_7_2),
    ("nupairoj_lower_bounds", nupairoj::lower_bounds),
    ("nupairoj_point_to_point", nupairoj_machine::point_to_point),
    ("nupairoj_fig_2_9", nupairoj_machine::fig_2_9),
    ("nupairoj_fig_3_4", nupairoj_machine::fig_3_4),
    ("nupairoj_fig_3_7", nupairoj_machine::fig_3_7),
    ("nupairoj_latency_1", nupairoj_machine::latency_1),
    ("nupairoj_latency_1024", nupairoj_machine::latency_1024),
    ("nupairoj_fig_3_10", nupairoj_machine::fig_3_10),
    ("seidel_contention", seidel::contention),
    ("seidel_line", seidel::line),
    ("seidel_line_apart", seidel::line_apart),
    ("seidel_mesh", seidel::mesh),
    ("seidel_mesh_apart", seidel::mesh_apart),
    ("seidel_mesh_sizes", seidel::mesh_sizes),
    ("seidel_mesh_st", seidel::mesh_st),
    ("seidel_sizes", seidel::sizes),
    ("seidel_sources", seidel::sources),
    ("seidel_table_1", seidel::table),
    ("tpp_example", tpp::example),
    ("tpp_labels", tpp::labels),
    ("tpp_start_ups", tpp::start_ups),
];

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
