//! The kinds of routing functions.

wormscope_hw::words!(
    /// Routing function.
    Routing {
        /// Dimension 0 first (e-cube, X-Y). For lines, meshes and tori.
        DimensionOrder = "dimension_order",
        /// The last dimension first (Y-X). For meshes and tori.
        ReverseDimensionOrder = "reverse_dimension_order",
        /// Along the labels of a Hamiltonian path, upwards or downwards (\[TPP\]). For meshes of 2
        /// and 3 dimensions.
        LabelOrder = "label_order",
        /// A digit of the destination names the port of each stage. For unidirectional multistage
        /// networks.
        DestinationTag = "destination_tag",
        /// Up through any free port until the ports down reach the destination, then down. For
        /// bidirectional multistage networks.
        Turnaround = "turnaround",
        /// As `turnaround`, but a tree worm turns to each destination that the ports down reach,
        /// and goes on up to the others (\[ATBM\] section 2).
        MultipleTurnaround = "multiple_turnaround",
        /// By the table of each switch. For netlists.
        Table = "table",
    }
);

impl Routing {
    /// Name of the routing function in words.
    #[must_use]
    pub fn in_words(self) -> String {
        self.name().replace('_', " ")
    }
}
