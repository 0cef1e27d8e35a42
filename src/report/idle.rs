//! Links that no worm takes, as a warning.

use wormscope_hw::{PortId, SwitchId};

use crate::network::Idle;
use crate::quote::{self, counted, form};
use crate::site::Site;

/// A warning of links that no route takes, if there are some.
#[must_use]
pub fn idle(site: &Site) -> Option<String> {
    let (wiring, Idle { links, cure }) = (site.wiring(), site.wiring().idle());
    let channel = |&(switch, port): &(SwitchId, PortId)| {
        format!("{}.out{port} to {}", wiring.switch_name(switch), wiring.far_end(switch, port))
    };
    let (count, links_of_all) = (links.len(), site.built().network().blueprint().links());
    (count > 0).then(|| {
        format!(
            "{} of {} between switches {} idle, since no route between two nodes takes {}: {}; {cure}",
            count,
            counted(links_of_all, "channel"),
            form(count, "is", "are"),
            form(count, "it", "them"),
            quote::list(links.iter().map(channel))
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::from_text;

    #[test]
    fn links_that_no_route_takes_are_named() {
        let of = |network: &str| {
            let text = format!("(network: (topology: {network}), workload: [traffic(load: 0.1, payload_flits: 4)])");
            let loaded = from_text("x.ron", &text, &[]).unwrap_or_else(|error| panic!("{error}"));
            Vec::from_iter(idle(&Site::of(&loaded).unwrap()))
        };
        let netlist = |rest: &str| {
            let text = "switch a b\nlink a.0 b.0\nlink a.1 b.1\nnode a.2\nnode a.3\nnode b.2\nnode b.3\n";
            of(&format!("netlist(text: \"{text}{rest})"))
        };
        assert_eq!(
            netlist("\""),
            [
                "2 of 4 channels between switches are idle, since no route between two nodes takes them: a.out1 to b, b.out1 to a; \
                 netlist.spread: true shares destinations out among parallel links"
            ]
        );
        assert!(netlist("\", spread: true").is_empty());
        assert_eq!(
            netlist("route a 2 0\nroute a 3 1\nroute b 0 0\nroute b 1 0\", routing: given"),
            [
                "1 of 4 channels between switches is idle, since no route between two nodes takes it: b.out1 to a; leave out links \
                 that are idle in both directions, or give other routes"
            ]
        );
        assert_eq!(
            of("torus(radices: [2], datelines: false)"),
            [
                "2 of 4 channels between switches are idle, since no route between two nodes takes them: rt_0.out1 to rt_1, rt_1.out1 \
                 to rt_0; along a dimension of two nodes all worms take the + link; a mesh has no other link there"
            ]
        );
        assert!(of("torus(radices: [3, 1], datelines: false)").is_empty());
        // Routes go up to a, then down. From b to c no worm takes the link between them, nor back.
        let ring = |rest: &str| {
            of(&format!("netlist(text: \"switch a b c\nlink a.0 b.0\nlink b.1 c.0\nlink c.1 a.1\nnode a.2{rest}\")"))
        };
        assert_eq!(ring("\nnode b.2\nnode c.2").len(), 0);
        let two = ring("\nnode b.2");
        assert!(two[0].starts_with("4 of 6 channels between switches are idle"), "{two:?}");
    }
}
