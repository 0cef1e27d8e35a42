//! The same blocks in SystemVerilog. A file has the name of its Rust file, with four exceptions.
//! `arbiter.sv` and `header.sv` are `mod.rs`. `atomic.sv` is a part of `allocator.rs`, and
//! `residue.sv` is [`crate::header::crossing`]. The test `testbenches/walls/twin.rs` lists the
//! registers with another name or form.

/// The files in the order in which a compiler reads them: packages first, then each block after the
/// blocks that it uses. Each has its path in `hw/` and its text.
pub const FILES: [(&str, &str); 35] = [
    ("words.sv", include_str!("words.sv")),
    ("flit.sv", include_str!("flit.sv")),
    ("fifo.sv", include_str!("fifo.sv")),
    ("credit.sv", include_str!("credit.sv")),
    ("link.sv", include_str!("link.sv")),
    ("arbiter/round_robin.sv", include_str!("arbiter/round_robin.sv")),
    ("arbiter/fixed_priority.sv", include_str!("arbiter/fixed_priority.sv")),
    ("arbiter/rr_tree.sv", include_str!("arbiter/rr_tree.sv")),
    ("arbiter/matrix.sv", include_str!("arbiter/matrix.sv")),
    ("arbiter/oldest_first.sv", include_str!("arbiter/oldest_first.sv")),
    ("arbiter/arbiter.sv", include_str!("arbiter/arbiter.sv")),
    ("header/encoding.sv", include_str!("header/encoding.sv")),
    ("header/unicast.sv", include_str!("header/unicast.sv")),
    ("header/bit_string.sv", include_str!("header/bit_string.sv")),
    ("header/multidestination.sv", include_str!("header/multidestination.sv")),
    ("header/multiport.sv", include_str!("header/multiport.sv")),
    ("header/mask.sv", include_str!("header/mask.sv")),
    ("header/residue.sv", include_str!("header/residue.sv")),
    ("header/header.sv", include_str!("header/header.sv")),
    ("decoder.sv", include_str!("decoder.sv")),
    ("token_station.sv", include_str!("token_station.sv")),
    ("token_ring.sv", include_str!("token_ring.sv")),
    ("lane_group.sv", include_str!("lane_group.sv")),
    ("allocator.sv", include_str!("allocator.sv")),
    ("atomic.sv", include_str!("atomic.sv")),
    ("reservation.sv", include_str!("reservation.sv")),
    ("feedback.sv", include_str!("feedback.sv")),
    ("lane.sv", include_str!("lane.sv")),
    ("replication.sv", include_str!("replication.sv")),
    ("multiplexer.sv", include_str!("multiplexer.sv")),
    ("crossbar.sv", include_str!("crossbar.sv")),
    ("injector.sv", include_str!("injector.sv")),
    ("sink.sv", include_str!("sink.sv")),
    ("node.sv", include_str!("node.sv")),
    ("switch.sv", include_str!("switch.sv")),
];
