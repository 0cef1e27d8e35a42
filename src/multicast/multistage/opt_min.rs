//! OPT-min (\[NUPAIROJ\] section 5.3): the OPT-tree on the lexicographic chain, without contention
//! on bidirectional multistage networks. For `t_hold > t_end` it does the same as OPT-mesh.

use crate::mesh::opt_mesh::plan_on;
use crate::networks::bi_min;
use crate::ordered_chain::OrderedChain;
use crate::plan::{Plan, Request};
use crate::refusal::Refusal;

pub(crate) const NAME: &str = "opt_min";

pub(crate) fn plan(request: &Request) -> Result<Plan, Refusal> {
    bi_min(request, NAME)?;
    Ok(plan_on(request, OrderedChain::lexicographic(request)))
}

#[cfg(test)]
#[allow(clippy::float_cmp)] // Sums of whole numbers are exact.
mod tests {
    use wormscope_hw::NodeId;

    use crate::model::parameterised::latency;
    use crate::{Parameters, Request, find};
    use wormscope_network::{BiMin, Wiring};

    /// The example of \[NUPAIROJ\] section 5.3: its sends in the order of their steps, and its
    /// latency. The text prints 1011 twice in the chain. The chain is the chain of section 5.1,
    /// with 1010, 1100 and 1101.
    fn example(algorithm: &str) -> (Vec<(u32, u32)>, f64) {
        let wiring = Wiring::new(BiMin::new(2, 4));
        let parameters = Parameters::hold_and_end(20.0, 55.0);
        let destinations = [0b0001, 0b0110, 0b0111, 0b1010, 0b1100, 0b1101].map(NodeId);
        let request =
            Request { wiring: &wiring, source: NodeId(0b0011), destinations: &destinations, parameters: &parameters };
        let plan = find(algorithm).unwrap().plan(&request).unwrap();
        let sends = plan.sends.iter().map(|send| (send.from.0, send.to[0].0)).collect();
        (sends, latency(&plan, &parameters))
    }

    #[test]
    fn figure_5_7_comes_out() {
        let (sends, latency) = example("opt_min");
        let of = |node: u32| sends.iter().filter(|(from, _)| *from == node).map(|(_, to)| *to).collect::<Vec<_>>();
        assert_eq!(of(0b0011), [0b1100, 0b0111, 0b0110, 0b0001]);
        assert_eq!((of(0b0111), of(0b1100), sends.len()), (vec![0b1010], vec![0b1101], 6));
        assert_eq!(latency, 130.0);
    }

    #[test]
    fn figure_5_8_b_is_the_u_min_tree() {
        let (sends, latency) = example("u_min");
        let expected = [
            (0b0011, 0b0111),
            (0b0011, 0b0110),
            (0b0111, 0b1100),
            (0b0011, 0b0001),
            (0b0111, 0b1010),
            (0b1100, 0b1101),
        ];
        assert_eq!(sends, expected);
        assert_eq!(latency, 165.0);
    }
}
