//! Lengths of messages.

use crate::network::Network;

/// Length of a message, given by exactly one of two fields.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Length {
    /// Payload flits.
    pub flits: u32,
    /// Bytes.
    pub bytes: f64,
}

impl Length {
    /// The length that one of these fields gives.
    ///
    /// # Errors
    /// None or both are given, or the length is 0.
    pub fn new(network: &Network, payload_flits: Option<u32>, bytes: Option<u32>) -> Result<Self, String> {
        let width = network.switch.flit_bits;
        match (payload_flits, bytes) {
            (Some(0), None) => Err("payload_flits is 0; at least 1".to_owned()),
            (None, Some(0)) => Err("bytes is 0; at least 1".to_owned()),
            (Some(flits), None) => Ok(Self { flits, bytes: f64::from(flits) * f64::from(width) / 8.0 }),
            (None, Some(bytes)) => Ok(Self::of_bytes(bytes, width)),
            (None, None) => Err("no length; payload_flits or bytes is needed".to_owned()),
            (Some(_), Some(_)) => Err("both payload_flits and bytes are given; one is allowed".to_owned()),
        }
    }

    /// Length of `bytes` bytes in flits of `flit_bits` bits.
    #[must_use]
    pub(crate) fn of_bytes(bytes: u32, flit_bits: u32) -> Self {
        let flits = (u64::from(bytes) * 8).div_ceil(flit_bits.into());
        Self { flits: flits.try_into().unwrap_or(u32::MAX), bytes: bytes.into() }
    }

    /// Payload flits of a worm that carries `carried` of the pieces. In a message that is split,
    /// each piece is rounded up to whole flits.
    #[must_use]
    pub(crate) fn flits_of(self, carried: u32, pieces: u32) -> u32 {
        self.flits.div_ceil(pieces).saturating_mul(carried)
    }

    /// Bytes of a worm that carries `carried` of the pieces.
    #[must_use]
    pub(crate) fn bytes_of(self, carried: u32, pieces: u32) -> f64 {
        self.bytes * f64::from(carried) / f64::from(pieces)
    }
}
