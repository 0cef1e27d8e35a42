//! Costs and settings of some algorithms: the parameterised model of \[NUPAIROJ\] chapter 2 and
//! related models.

use super::refusal::Refusal;
use wormscope_network::Cost;

/// A cost that grows with the message: `fixed + per_byte * m` (\[NUPAIROJ\] section 2.2). The unit
/// is any one unit of time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LinearCost {
    /// Start-up latency, of the first byte.
    pub fixed: f64,
    /// Delay latency, of each byte.
    pub per_byte: f64,
}

impl From<Cost> for LinearCost {
    fn from(Cost { fixed, per_byte }: Cost) -> Self {
        Self { fixed, per_byte }
    }
}

impl LinearCost {
    /// A cost that does not depend on the message.
    #[must_use]
    pub const fn fixed(fixed: f64) -> Self {
        Self { fixed, per_byte: 0.0 }
    }

    /// The cost of a message of `bytes`.
    #[must_use]
    pub fn of(self, bytes: f64) -> f64 {
        self.fixed + self.per_byte * bytes
    }
}

/// Costs of a message: the parameterised model (\[NUPAIROJ\] section 2.2).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Costs {
    /// `t_hold`: least time between two sends of a node.
    pub hold: LinearCost,
    /// `t_send`: software at the sender.
    pub send: LinearCost,
    /// `t_net`: the network without contention.
    pub network: LinearCost,
    /// `t_recv`: software at the receiver.
    pub receive: LinearCost,
}

impl Costs {
    /// Costs of which only `t_hold` and `t_end` of the message are known.
    #[must_use]
    pub const fn hold_and_end(hold: f64, end: f64) -> Self {
        let nothing = LinearCost::fixed(0.0);
        Self { hold: LinearCost::fixed(hold), send: LinearCost::fixed(end), network: nothing, receive: nothing }
    }

    /// `LogP`: latency `l`, overhead `o` at either side, gap `g`. `t_hold` is g, `t_end` is l + 2
    /// o.
    #[must_use]
    pub const fn log_p(l: f64, o: f64, g: f64) -> Self {
        Self {
            hold: LinearCost::fixed(g),
            send: LinearCost::fixed(o),
            network: LinearCost::fixed(l),
            receive: LinearCost::fixed(o),
        }
    }

    /// The postal model: a message arrives `lambda` after its start, and a sender is busy for 1.
    #[must_use]
    pub const fn postal(lambda: f64) -> Self {
        Self::hold_and_end(1.0, lambda)
    }

    /// `t_end` of a message of `bytes`: from the call of send to the return of receive, without
    /// contention.
    #[must_use]
    pub fn end(&self, bytes: f64) -> f64 {
        self.send.of(bytes) + self.network.of(bytes) + self.receive.of(bytes)
    }

    /// Lambda of the postal model, `t_end / t_hold`, for messages of `bytes`.
    #[must_use]
    pub fn lambda(&self, bytes: f64) -> f64 {
        self.end(bytes) / self.hold.of(bytes)
    }
}

/// Measurement of a node that has sent a message.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    /// Length of that message in bytes.
    pub bytes: f64,
    /// `t_as`, the time at the sender: from the call of send until the whole message has left the
    /// node (\[NUPAIROJ\] section 6.3).
    pub at_sender: f64,
}

/// Number of levels of leaders in the hierarchical leader schemes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Levels {
    /// One level per dimension, which fits the printed tables of \[KP\].
    #[default]
    All,
    /// This number of levels.
    Exactly(u32),
    /// The number m that makes `ceil(log2(|L_m| + 1)) + m` smallest.
    Fewest,
}

/// Costs and settings of some algorithms.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameters {
    /// Costs of a message.
    pub costs: Costs,
    /// Length of the message in bytes.
    pub bytes: f64,
    /// `t_int`: time between two sends of one burst through different ports (alpha-port OPT-tree).
    pub inter: f64,
    /// alpha: number of ports that a node can send through at a time. One step has this many
    /// start-ups of a node.
    pub ports: u32,
    /// Number of nodes in a block (block-binomial).
    pub block: u32,
    /// Number of levels of leaders (HL, SQHL, SCHL).
    pub levels: Levels,
    /// Largest number of orders of the nodes to try (C-min).
    pub candidates: u32,
    /// Base-2 logarithm of the number of flits that a link carries in parallel without contention
    /// (\[SEIDEL\], nu).
    pub nu: u32,
    /// Whether a mask in a grid may cover the source, which then gets no copy (masks).
    pub covers_source: bool,
}

/// A switch has at most this many lanes to a node.
const MOST_PORTS: u32 = 64;

impl Default for Parameters {
    fn default() -> Self {
        Self {
            costs: Costs::hold_and_end(1.0, 1.0),
            bytes: 0.0,
            inter: 0.0,
            ports: 1,
            block: 2,
            levels: Levels::All,
            candidates: u32::MAX,
            nu: 0,
            covers_source: true,
        }
    }
}

impl Parameters {
    /// The default settings with `t_hold` and `t_end` of the message.
    #[must_use]
    pub fn hold_and_end(hold: f64, end: f64) -> Self {
        Self { costs: Costs::hold_and_end(hold, end), ..Self::default() }
    }

    /// `t_hold` of the message.
    #[must_use]
    pub fn hold(&self) -> f64 {
        self.costs.hold.of(self.bytes)
    }

    /// `t_end` of the message.
    #[must_use]
    pub fn end(&self) -> f64 {
        self.costs.end(self.bytes)
    }

    /// Checks that all costs are usable numbers.
    pub(super) fn check(&self, algorithm: &'static str) -> Result<(), Refusal> {
        let Costs { hold, send, network, receive } = self.costs;
        let times = [
            ("t_hold", hold.fixed),
            ("t_hold per byte", hold.per_byte),
            ("t_send", send.fixed),
            ("t_send per byte", send.per_byte),
            ("t_net", network.fixed),
            ("t_net per byte", network.per_byte),
            ("t_recv", receive.fixed),
            ("t_recv per byte", receive.per_byte),
            ("message length", self.bytes),
            ("t_int", self.inter),
            // A length and a cost may both be finite, and their product infinite.
            ("t_hold of the message", self.hold()),
            ("t_end of the message", self.end()),
        ];
        for (parameter, value) in times {
            if !(value.is_finite() && value >= 0.0) {
                return Err(Refusal::parameter(algorithm, parameter, &value, "finite and not negative"));
            }
        }
        let levels = match self.levels {
            Levels::Exactly(levels) => levels,
            Levels::All | Levels::Fewest => 1,
        };
        for (parameter, value) in
            [("ports", self.ports), ("block", self.block), ("levels", levels), ("candidates", self.candidates)]
        {
            if value == 0 {
                return Err(Refusal::parameter(algorithm, parameter, &value, "1 or more"));
            }
        }
        if self.ports > MOST_PORTS {
            return Err(Refusal::parameter(algorithm, "ports", &self.ports, &format!("1 to {MOST_PORTS}")));
        }
        Ok(())
    }
}

#[cfg(test)]
#[allow(clippy::float_cmp)] // Sums of whole numbers are exact.
mod tests {
    use super::*;

    #[test]
    fn logp_and_postal_are_views_of_hold_and_end() {
        let log_p = Costs::log_p(6.0, 2.0, 4.0);
        assert_eq!((log_p.hold.of(1e6), log_p.end(1e6)), (4.0, 10.0));
        assert_eq!(log_p.lambda(0.0), 2.5);
        let postal = Costs::postal(2.5);
        assert_eq!((postal.hold.of(0.0), postal.end(0.0), postal.lambda(9.0)), (1.0, 2.5, 2.5));
    }

    #[test]
    fn parameters_that_are_negative_or_no_numbers_are_refused_by_name() {
        let refused = |set: fn(&mut Parameters)| {
            let mut parameters = Parameters::default();
            set(&mut parameters);
            parameters.check("opt_tree").unwrap_err().to_string()
        };
        let negative = refused(|p| p.costs.hold.fixed = -1.0);
        assert_eq!(negative, "opt_tree: t_hold is -1; allowed: finite and not negative");
        assert!(refused(|p| p.costs.receive.per_byte = f64::NAN).contains("t_recv per byte is NaN"));
        assert!(refused(|p| p.inter = f64::INFINITY).contains("t_int is inf"));
        assert!(refused(|p| p.bytes = -0.5).contains("message length is -0.5"));
        assert!(
            refused(|p| (p.bytes, p.costs.hold.per_byte) = (1e200, 1e200)).contains("t_hold of the message is inf")
        );
        assert_eq!(refused(|p| p.ports = 0), "opt_tree: ports is 0; allowed: 1 or more");
        assert_eq!(refused(|p| p.ports = 65), "opt_tree: ports is 65; allowed: 1 to 64");
        assert!(refused(|p| p.block = 0).contains("block is 0"));
        assert!(refused(|p| p.levels = Levels::Exactly(0)).contains("levels is 0"));
        assert!(Parameters::default().check("opt_tree").is_ok());
    }
}
