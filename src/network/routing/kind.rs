//! The kinds of routing functions.

use serde::{Deserialize, Serialize};

/// Routing function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Routing {
    /// Dimension 0 first (e-cube, X-Y); linear arrays, meshes and tori.
    DimensionOrder,
    /// Along a Hamiltonian path's labels, upwards or downwards (\[TPP\]; 2-D and 3-D meshes).
    LabelOrder,
    /// A digit of the destination names each stage's port; unidirectional multistage networks.
    DestinationTag,
    /// Up by any free port to where the destination is reached downwards, then down; bidirectional
    /// multistage networks.
    Turnaround,
    /// As a table of every switch says.
    Table,
}

impl Routing {
    /// Its name in configurations.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::DimensionOrder => "dimension_order",
            Self::LabelOrder => "label_order",
            Self::DestinationTag => "destination_tag",
            Self::Turnaround => "turnaround",
            Self::Table => "table",
        }
    }

    /// Its name in words.
    #[must_use]
    pub const fn in_words(self) -> &'static str {
        match self {
            Self::DimensionOrder => "dimension order",
            Self::LabelOrder => "label order",
            Self::DestinationTag => "destination tag",
            Self::Turnaround => "turnaround",
            Self::Table => "table",
        }
    }
}
