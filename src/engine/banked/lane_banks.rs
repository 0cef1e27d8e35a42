//! Places of lanes in banks, for observers that read banks.

use super::switch::Fields;
use wormscope_hw::SwitchId;
use wormscope_network::Lanes;

/// Places of the lanes of switches in the banks of a [`BankSample`](crate::BankSample).
#[derive(Clone, Copy, Debug)]
pub struct LaneBanks(Fields);

impl LaneBanks {
    /// The places of the lanes of a network.
    #[must_use]
    pub fn new(lanes: Lanes) -> Self {
        Self(Fields::new(lanes.inputs.count().max(lanes.outputs.count())))
    }

    /// Number of banks for `switches` switches.
    #[must_use]
    pub fn banks(&self, switches: u32) -> usize {
        switches.div_ceil(self.0.count.into()) as usize
    }

    /// The place of a lane: 64 for each bank before it, and its bit.
    #[must_use]
    #[inline(always)]
    pub fn place(&self, switch: SwitchId, lane: u8) -> usize {
        let (bank, first) = self.0.place(switch.0);
        bank as usize * 64 + usize::from(first + lane)
    }

    /// The lane at a place.
    #[must_use]
    pub fn lane(&self, place: usize) -> (SwitchId, u8) {
        let (switch, lane) = self.0.owner((place / 64) as u32, (place % 64) as u8);
        (SwitchId(switch), lane)
    }
}
