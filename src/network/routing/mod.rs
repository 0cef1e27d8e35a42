//! Routing functions: from (switch, destination) to an output port, and from (input lane, port) to
//! a lane group.

pub mod dimension_order;
pub mod grouping;
mod kind;
pub mod label;
pub mod multiport;
mod routes;

pub use dimension_order::DimensionOrder;
pub use kind::Routing;
pub use label::Labels;
pub use multiport::Stages;
pub use routes::Routes;
