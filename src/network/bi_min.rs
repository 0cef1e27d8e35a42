//! Bidirectional butterfly multistage networks (BI-MIN): the nodes on the left, every link a pair of channels, and worms that turn
//! round in the stage where their source and destinations meet (\[ATBM\] section 4.3).
//!
//! With n stages of switches of b ports on each side there are N = b^n nodes and b^(n-1) switches, the *rows*, in every stage;
//! switch = stage * rows + row. The links in front of stage j (level j) bear the N addresses of n digits of base b; those of level
//! 0 lead to the nodes. A switch of stage j joins the addresses that differ in digit j only: address x stands at position
//! `beta_j(x)`, digits 0 and j swapped, of that stage, in row `position / b`, at port `position % b`, which is digit j of x. Ports
//! `0..b` are the node side; port `b + d` is linked to address x of level j + 1, x with digit j replaced by d. The other side of
//! the last stage is not connected.

use wormscope_hw::{NodeId, PortId, SwitchId};

use super::End;
use super::digits::Digits;

/// A bidirectional butterfly.
#[derive(Clone, Debug)]
pub struct BiMin {
    digits: Digits,
    /// b^i, i up to the number of stages.
    powers: Vec<u32>,
}

impl BiMin {
    /// A network of `stages` stages of switches of `switch_ports` ports on each side, both those of a validated config.
    #[must_use]
    pub fn new(switch_ports: u8, stages: u32) -> Self {
        let base = u32::from(switch_ports);
        Self { digits: Digits::new(base, stages), powers: (0..=stages).map(|i| base.pow(i)).collect() }
    }

    /// Number of nodes.
    #[must_use]
    pub fn nodes(&self) -> u32 {
        self.digits.numbers()
    }

    /// Number of stages, and of digits of a node's address.
    #[must_use]
    pub fn stages(&self) -> u32 {
        self.digits.count()
    }

    /// Switches of a stage.
    #[must_use]
    pub fn rows(&self) -> u32 {
        self.powers[self.powers.len() - 2]
    }

    /// Ports of every switch, both sides together.
    #[must_use]
    pub fn ports(&self) -> u8 {
        2 * self.digits.base() as u8
    }

    /// The first port of the other side.
    #[must_use]
    pub fn up(&self) -> PortId {
        PortId(self.digits.base() as u8)
    }

    /// The stage in which a worm turns: that of the most significant digit in which the source differs from a destination, 0
    /// when it differs from none.
    #[must_use]
    pub fn turn(&self, source: NodeId, destinations: &[NodeId]) -> u32 {
        let apart = |j: u32| destinations.iter().any(|d| self.digits.digit(d.0, j) != self.digits.digit(source.0, j));
        (0..self.stages()).rev().find(|&j| apart(j)).unwrap_or(0)
    }

    /// Turnaround routing: where the node is reached downwards, the port that is its digit, else [`Self::up`].
    #[must_use]
    #[inline]
    pub fn port(&self, switch: SwitchId, destination: NodeId) -> u8 {
        let (stage, row) = ((switch.0 / self.rows()) as usize, switch.0 % self.rows());
        // All digits of an address above digit j stand in the same places of its position.
        let digit_and_above = destination.0 / self.powers[stage];
        let (above, digit) = (digit_and_above / self.powers[1], digit_and_above % self.powers[1]);
        if above == row / self.powers[stage] { digit as u8 } else { self.up().0 }
    }

    /// Switch and port on the node side of stage `level` that address `x` leads to.
    fn switch(&self, level: u32, x: u32) -> (SwitchId, PortId) {
        let (b, position) = (self.digits.base(), self.digits.swap(x, level));
        (SwitchId(level * self.rows() + position / b), PortId((position % b) as u8))
    }

    pub(super) fn link(&self, switch: SwitchId, port: PortId) -> Option<End> {
        let (stage, row) = (switch.0 / self.rows(), switch.0 % self.rows());
        let (b, p) = (self.digits.base(), u32::from(port.0));
        let address = self.digits.swap(row * b + p % b, stage);
        match (p < b, stage) {
            (true, 0) => Some(End::Node(NodeId(address))),
            (true, _) => {
                let (below, _) = self.switch(stage - 1, address);
                Some(End::Switch(below, PortId((b + self.digits.digit(address, stage - 1)) as u8)))
            }
            (false, _) if stage + 1 == self.stages() => None,
            (false, _) => Some(self.switch(stage + 1, address).into()),
        }
    }

    pub(super) fn attachment(&self, node: NodeId) -> (SwitchId, PortId) {
        self.switch(0, node.0)
    }
}
