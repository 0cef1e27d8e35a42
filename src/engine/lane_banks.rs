//! Places of lanes in banks, for observers that read banks.

use wormscope_hw::SwitchId;

use super::banked::Fields;

/// Places of the lanes of switches in the banks of a [`BankSample`](crate::BankSample).
#[derive(Clone, Copy, Debug)]
pub struct LaneBanks(BankOrder);

#[derive(Clone, Copy, Debug)]
enum BankOrder {
    /// A bank has all lanes of a few switches.
    BySwitch(Fields),
    /// A bank has one lane of 64 switches. A switch has so many lanes.
    ByLane(u8),
}

impl LaneBanks {
    /// All lanes of a few switches in a bank.
    pub(crate) fn by_switch(fields: Fields) -> Self {
        Self(BankOrder::BySwitch(fields))
    }

    /// One lane of 64 switches in a bank. A switch has so many lanes.
    pub(crate) fn by_lane(lanes: u8) -> Self {
        Self(BankOrder::ByLane(lanes))
    }

    /// Number of banks for `switches` switches.
    #[must_use]
    pub fn banks(&self, switches: u32) -> usize {
        match self.0 {
            BankOrder::BySwitch(fields) => switches.div_ceil(fields.count.into()) as usize,
            BankOrder::ByLane(lanes) => usize::from(lanes) * switches.div_ceil(64) as usize,
        }
    }

    /// The place of a lane: 64 for each bank before it, and its bit.
    #[must_use]
    #[inline(always)]
    pub fn place(&self, switch: SwitchId, lane: u8) -> usize {
        match self.0 {
            BankOrder::BySwitch(fields) => {
                let (bank, first) = fields.place(switch.0);
                bank as usize * 64 + usize::from(first + lane)
            }
            BankOrder::ByLane(lanes) => {
                let (word, bit) = (switch.index() / 64, switch.index() % 64);
                (word * usize::from(lanes) + usize::from(lane)) * 64 + bit
            }
        }
    }

    /// The lane at a place.
    #[must_use]
    pub fn lane(&self, place: usize) -> (SwitchId, u8) {
        let (bank, bit) = (place / 64, place % 64);
        match self.0 {
            BankOrder::BySwitch(fields) => {
                let (switch, lane) = fields.owner(bank as u32, bit as u8);
                (SwitchId(switch), lane)
            }
            BankOrder::ByLane(lanes) => {
                let (word, lane) = (bank / usize::from(lanes), bank % usize::from(lanes));
                (SwitchId((word * 64 + bit) as u32), lane as u8)
            }
        }
    }
}
