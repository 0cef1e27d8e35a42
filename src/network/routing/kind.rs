//! The kinds of routing functions.

wormscope_hw::words!(
    /// Routing function.
    Routing {
        /// Dimension 0 first (e-cube, X-Y); linear arrays, meshes and tori.
        DimensionOrder = "dimension_order",
        /// Along a Hamiltonian path's labels, upwards or downwards (\[TPP\]; 2-D and 3-D meshes).
        LabelOrder = "label_order",
        /// A digit of the destination names each stage's port; unidirectional multistage networks.
        DestinationTag = "destination_tag",
        /// Up by any free port to where the destination is reached downwards, then down;
        /// bidirectional multistage networks.
        Turnaround = "turnaround",
        /// The same; but a tree turns towards each destination where that is reached downwards, and
        /// goes on up with the others ("turnaround with forwarding", \[ATBM\] section 2).
        MultipleTurnaround = "multiple_turnaround",
        /// As a table of every switch says.
        Table = "table",
    }
);

impl Routing {
    /// Its name in words.
    #[must_use]
    pub fn in_words(self) -> String {
        self.name().replace('_', " ")
    }
}
