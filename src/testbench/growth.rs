//! Growth of counts while all signals stay the same. A comparison of a count with a number changes
//! at most twice. So the monitor goes from one change to the next, even in a run at rest.

use super::program::Op;
use super::property::{Binary, Unary};

/// Property of an operand that an operation needs.
enum Need {
    /// Whether it is 0. A count that grows is not 0.
    Truth,
    /// Its order with this number.
    Order(u64),
    /// Its value.
    Value,
}

/// The operands of an operation, each with what the operation needs of it.
fn needs(program: &[Op], op: Op) -> Vec<(usize, Need)> {
    let beside = |of: usize| if let Op::Number(n) = program[of] { Need::Order(n) } else { Need::Value };
    match op {
        Op::Number(_) | Op::Read(..) | Op::Cycle(..) | Op::Local(..) => Vec::new(),
        Op::Unary(Unary::Not | Unary::Count | Unary::Rose | Unary::Fell, a) => vec![(a, Need::Truth)],
        Op::Unary(_, a) => vec![(a, Need::Value)],
        Op::Binary(Binary::Or | Binary::And, a, b) => vec![(a, Need::Truth), (b, Need::Truth)],
        Op::Binary(
            Binary::Equal | Binary::NotEqual | Binary::Below | Binary::AtMost | Binary::Above | Binary::AtLeast,
            a,
            b,
        ) => vec![(a, beside(b)), (b, beside(a))],
        Op::Binary(_, a, b) => vec![(a, Need::Value), (b, Need::Value)],
    }
}

fn is_count(program: &[Op], at: usize) -> bool {
    matches!(program[at], Op::Unary(Unary::Count, _))
}

/// Counts of a program.
#[derive(Clone, Debug, Default)]
pub(super) struct Growth {
    /// Each count that is compared with a number, and the number.
    orders: Vec<(usize, u64)>,
    /// Counts of which some operation needs the value.
    pub values: Vec<usize>,
}

impl Growth {
    /// The counts of a program. `sampled` are operations of which a property keeps the values.
    pub fn new(program: &[Op], sampled: impl Iterator<Item = usize>) -> Self {
        let mut growth = Self { orders: Vec::new(), values: sampled.filter(|&at| is_count(program, at)).collect() };
        let needed = program.iter().flat_map(|op| needs(program, *op));
        for (at, need) in needed.filter(|(at, _)| is_count(program, *at)) {
            match need {
                Need::Truth => {}
                Need::Order(n) => growth.orders.push((at, n)),
                Need::Value => growth.values.push(at),
            }
        }
        growth
    }

    /// Number of cycles until a comparison of a count that grows may change; `None` if none will.
    pub fn next(&self, now: &[u64], grows: impl Fn(usize) -> bool) -> Option<u64> {
        let growing = self.orders.iter().filter(|(at, _)| grows(*at));
        // A comparison may change when the count reaches the number, and when it passes it.
        let changes = growing.flat_map(|&(at, n)| [n.checked_sub(now[at]), n.saturating_add(1).checked_sub(now[at])]);
        changes.flatten().filter(|&cycles| cycles > 0).min()
    }
}

/// Counts whose values decide about these operations, or are sampled by them.
pub(super) fn deciding(program: &[Op], mut open: Vec<usize>, sampled: &[usize]) -> Vec<usize> {
    let mut found: Vec<usize> = sampled.iter().copied().filter(|&at| is_count(program, at)).collect();
    open.extend_from_slice(sampled);
    let mut seen = vec![false; program.len()];
    while let Some(at) = open.pop() {
        if std::mem::replace(&mut seen[at], true) {
            continue;
        }
        for (of, need) in needs(program, program[at]) {
            open.push(of);
            if matches!(need, Need::Value) && is_count(program, of) {
                found.push(of);
            }
        }
    }
    found
}
