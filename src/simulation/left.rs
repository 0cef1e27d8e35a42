//! Names of what a run has left behind.

use wormscope_hw::SwitchId;

use super::Simulation;
use crate::engine::{Clocked as _, Engine};

impl Simulation {
    /// Flits, lanes and credits that are not as in an empty network, by their places. Empty if
    /// everything is.
    #[must_use]
    pub fn left_behind(&self) -> Vec<String> {
        if self.engine.is_clean() {
            return Vec::new();
        }
        let (wiring, lanes) = (self.built.wiring(), self.built.network().lanes(self.built.wiring()));
        let (now, empty) = (self.engine.registers(), Engine::new(&self.built, false).registers());
        let name = |at: usize, count: u8| {
            let (switch, lane) = (at / usize::from(count), (at % usize::from(count)) as u8);
            (wiring.switch_name(SwitchId(switch as u32)), lane)
        };
        let mut all = Vec::new();
        for (at, q) in now.inputs.iter().enumerate().filter(|(_, q)| q.count > 0 || q.service.is_some()) {
            let (switch, lane) = name(at, lanes.inputs.count());
            let worm = q.service.as_ref().map(|service| format!(", worm {} in service", service.worm));
            all.push(format!("{} flits in {switch}.{}{}", q.count, lanes.input_name(lane), worm.unwrap_or_default()));
        }
        for (at, (q, reset)) in now.outputs.iter().zip(&empty.outputs).enumerate() {
            let (switch, lane) = name(at, lanes.outputs.count());
            let output = format!("{switch}.{}", lanes.output_name(lane));
            if let Some(owner) = q.owner {
                all.push(format!("{output} is owned by {}", lanes.input_name(owner)));
            }
            if q.credits != reset.credits {
                all.push(format!("{output} has {} of {} credits", q.credits, reset.credits));
            }
        }
        for (at, (q, reset)) in now.channels.iter().zip(&empty.channels).enumerate() {
            let (node, lane) = (at / usize::from(lanes.inject), (at % usize::from(lanes.inject)) as u8);
            if q.credits != reset.credits {
                let channel = lanes.inject_name(lane);
                all.push(format!("node{node}.{channel} has {} of {} credits", q.credits, reset.credits));
            }
        }
        for (switch, q) in now.rings.iter().flat_map(|ring| &ring.stations) {
            if let Some(holder) = q.holder {
                let (switch, input) = (wiring.switch_name(*switch), lanes.input_name(holder));
                all.push(format!("the token is held by {switch}.{input}"));
            }
        }
        if all.is_empty() {
            all.push("a header or a request for a token".to_owned());
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use crate::config::from_text;
    use crate::engine::Clocked as _;
    use crate::simulation::{Simulation, Site};

    #[test]
    fn what_is_under_way_is_named_and_an_empty_network_has_nothing() {
        let left = |cycles: u32| {
            let text = format!(
                "(network: (topology: linear(nodes: 2)), run: (max_cycles: {cycles}), workload: [messages([\
                 (cycle: 0, source: 0, destinations: [1], payload_flits: 9)])])"
            );
            let loaded = from_text("x", &text, &[]).unwrap();
            let mut simulation = Simulation::new(&loaded, &Site::of(&loaded).unwrap()).unwrap();
            simulation.run(&mut (), |_| ()).unwrap();
            if cycles > 100 {
                simulation.engine.settle(&mut ());
            }
            simulation.left_behind()
        };
        assert!(left(1000).is_empty());
        let of_six = [
            "2 flits in rt_0.in2, worm 0 in service",
            "2 flits in rt_1.in1, worm 0 in service",
            "rt_0.out0 is owned by in2",
            "rt_0.out0 has 2 of 4 credits",
        ];
        assert_eq!(left(6)[..4], of_six);
    }
}
