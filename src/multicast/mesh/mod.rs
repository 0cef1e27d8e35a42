//! Unicast worms on meshes, which the order of a chain keeps apart (\[KP\], \[NUPAIROJ\] chapters 5
//! and 6).

pub mod dyn_mesh;
pub mod opt_mesh;
pub mod spu_mesh;
pub mod u_mesh;
