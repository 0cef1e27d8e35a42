//! The groups of bins, one file each.

pub mod acquisition;
pub mod behind;
pub mod blocking;
pub mod contest;
pub mod crossing;
pub mod decision;
pub mod fan_out;
pub mod injection;
pub mod lane_group;
pub mod network;
pub mod pipeline;
pub mod replication;
pub mod residue;
pub mod state;
pub mod strip;
pub mod token;
pub mod token_winner;
pub mod turn;
pub mod winner;
pub mod worm;
