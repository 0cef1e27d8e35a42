//! \[KP\]: bounds of theorems, compared with each other.

use super::data::Series;
use crate::model::node_contention::{hl, spu_mesh, sqhl, u_mesh};

/// Observations 1 and 2: bounds on an 8x8 mesh by S. Bounds that depend on D have D = 64.
#[allow(clippy::unnecessary_wraps)] // As all models.
pub(super) fn bounds(_: bool) -> Result<Vec<Series>, String> {
    let of = |name: &str, bound: &dyn Fn(u32) -> f64| {
        (name.to_owned(), (1..=64).map(|s| (f64::from(s), bound(s))).collect())
    };
    Ok(vec![
        of("SPUmesh, upper", &|s| spu_mesh(s, 64)),
        of("Umesh, lower", &|s| u_mesh(s, 64)),
        of("HL, upper", &|s| hl(s, 8, 2).upper),
        of("HL, lower", &|s| hl(s, 8, 2).lower),
        of("SQHL, upper", &|s| sqhl(s, 8, 2).upper),
        of("SQHL, lower", &|s| sqhl(s, 8, 2).lower),
    ])
}
