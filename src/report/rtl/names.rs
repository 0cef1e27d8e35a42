//! Names of switches that SystemVerilog cannot have.

use super::circuit;
use super::design::{Twin, Unfit};
use crate::network::Topology;

/// Keywords of IEEE 1800-2017.
const KEYWORDS: &str = "
    accept_on alias always always_comb always_ff always_latch and assert assign assume automatic before begin bind bins
    binsof bit break buf bufif0 bufif1 byte case casex casez cell chandle checker class clocking cmos config const
    constraint context continue cover covergroup coverpoint cross deassign default defparam design disable dist do edge
    else end endcase endchecker endclass endclocking endconfig endfunction endgenerate endgroup endinterface endmodule
    endpackage endprimitive endprogram endproperty endsequence endspecify endtable endtask enum event eventually expect
    export extends extern final first_match for force foreach forever fork forkjoin function generate genvar global highz0
    highz1 if iff ifnone ignore_bins illegal_bins implements implies import incdir include initial inout input inside
    instance int integer interconnect interface intersect join join_any join_none large let liblist library local
    localparam logic longint macromodule matches medium modport module nand negedge nettype new nexttime nmos nor
    noshowcancelled not notif0 notif1 null or output package packed parameter pmos posedge primitive priority program
    property protected pull0 pull1 pulldown pullup pulsestyle_ondetect pulsestyle_onevent pure rand randc randcase
    randsequence rcmos real realtime ref reg reject_on release repeat restrict return rnmos rpmos rtran rtranif0 rtranif1
    s_always s_eventually s_nexttime s_until s_until_with scalared sequence shortint shortreal showcancelled signed small
    soft solve specify specparam static string strong strong0 strong1 struct super supply0 supply1 sync_accept_on
    sync_reject_on table tagged task this throughout time timeprecision timeunit tran tranif0 tranif1 tri tri0 tri1 triand
    trior trireg type typedef union unique unique0 unsigned until until_with untyped use uwire var vectored virtual void
    wait wait_order wand weak weak0 weak1 while wildcard wire with within wor xnor xor
";

/// Names with a meaning of their own in a simulator: classes of every design in Verilator, and
/// keywords of Icarus Verilog.
const SIMULATORS: [&str; 5] = ["bool", "mailbox", "process", "semaphore", "wreal"];

/// Refuses a netlist with a switch whose name SystemVerilog cannot have.
///
/// # Errors
/// The first such name.
pub fn check_names(design: &Twin) -> Result<(), Unfit> {
    if !matches!(design.built.network().topology, Topology::Netlist { .. }) {
        return Ok(());
    }
    let text = circuit::network(design);
    let found = design.switches().find_map(|switch| {
        let name = design.name(switch);
        let what = clash(&name, &text)?;
        let why = format!("a switch has the name {name}, which is {what}; rename it in the netlist");
        Some(Unfit { field: "network.topology", why })
    });
    found.map_or(Ok(()), Err)
}

/// Why `network.sv`, which is `text`, cannot have a switch of this name.
fn clash(name: &str, text: &str) -> Option<&'static str> {
    if KEYWORDS.split_whitespace().any(|keyword| keyword == name) {
        return Some("a keyword of SystemVerilog");
    }
    if SIMULATORS.contains(&name) {
        return Some("taken in a simulator");
    }
    let code = text.lines().map(|line| line.split("//").next().unwrap_or_default());
    let words = code.flat_map(|line| line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '$'));
    // The instance itself is one.
    (words.filter(|word| *word == name).count() > 1).then_some("the name of something else in network.sv")
}
