//! The hardware.
#![no_std]

pub mod ids;

pub use ids::{LaneId, NodeId, PortId, SwitchId, WormId};
