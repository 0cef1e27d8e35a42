//! Properties as SystemVerilog assertions on the names of the waveform.
//!
//! All expressions have 64 bits, as in the language of properties. Questions that wait for an
//! answer are bits of a shift register, so that every simulator takes the assertions.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::duty::Duty;
use super::load::Bench;
use super::monitor::Monitor;
use super::program::{Op, looks_back};
use super::property::{Binary, Later, Unary, When};

/// Largest number of cycles between a question and its answer.
const FARTHEST: u64 = 1 << 16;

/// Assertions of a testbench.
#[derive(Clone, Debug)]
pub struct Assertions {
    /// The text in SystemVerilog.
    pub text: String,
    /// Number of the assertions.
    pub count: usize,
    /// Properties that have none, each with the reason.
    pub left_out: Vec<String>,
}

impl Bench {
    /// The properties, and the values of signals in given cycles, as a module of SystemVerilog.
    #[must_use]
    pub fn assertions(&self) -> Assertions {
        let paths: Vec<String> = self.watched.iter().map(|item| format!("{}, {}", item.path, item.place)).collect();
        let mut writer = SvaWriter { monitor: &self.monitor, body: String::new(), kept: BTreeSet::new() };
        let (mut count, mut left_out) = (0, Vec::new());
        for (index, (duty, path)) in self.monitor.duties().iter().zip(&paths).enumerate() {
            let text = duty.property.text.replace('\n', " ");
            let _ = write!(writer.body, "\n    // {path}:\n    //     {text}\n");
            match writer.assertion(index, duty, &self.watched[index].path) {
                Ok(()) => count += 1,
                Err(why) => {
                    let _ = writeln!(writer.body, "    // No assertion: {why}.");
                    left_out.push(format!("{path}: {why}"));
                }
            }
        }
        let text = writer.module(&self.name);
        Assertions { text, count, left_out }
    }
}

struct SvaWriter<'a> {
    monitor: &'a Monitor,
    body: String,
    /// Operations whose values of the cycle before are declared, and counts.
    kept: BTreeSet<(bool, usize)>,
}

impl SvaWriter<'_> {
    /// Ports of the module: names and widths of all signals.
    fn ports(&self) -> BTreeMap<String, u32> {
        let shown = self.monitor.duties().iter().flat_map(|duty| &duty.shown);
        shown.map(|of| (bare(&of.name.text).to_owned(), of.values.bits())).collect()
    }

    fn module(&self, name: &str) -> String {
        let stem = std::path::Path::new(name).file_stem().map(|stem| stem.to_string_lossy().into_owned());
        let stem: String =
            stem.unwrap_or_default().chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        let ports = self.ports();
        let inputs = ports.iter().map(|(name, bits)| match bits {
            1 => format!(",\n    input logic \\{name} "),
            bits => format!(",\n    input logic [{}:0] \\{name} ", bits - 1),
        });
        let inputs: String = inputs.collect();
        let joined: String = ports.keys().map(|name| [",\n    .\\", name, " (", name, ")"].concat()).collect();
        format!(
            "// Assertions of {name}, written by wormscope test --sva.\n\
             // A rising edge of clk is a cycle. Cycle 0 is the first one without reset.\n\
             // The ports have the names of the waveform below \"top\".\n\
             module wormscope_{stem} (\n    input logic clk,\n    input logic reset{inputs}\n);\n    \
             logic [63:0] cycle = 64'd0;\n    \
             always_ff @(posedge clk) cycle <= reset ? 64'd0 : cycle + 64'd1;\n{}\nendmodule\n\n\
             `ifdef WORMSCOPE_BIND\nbind top wormscope_{stem} wormscope_{stem}_of_top (\n    \
             .clk(clk),\n    .reset(reset){joined}\n);\n`endif\n",
            self.body
        )
    }

    /// Declares what the operations need from earlier cycles.
    fn remember(&mut self, at: usize) {
        match self.monitor.program()[at] {
            Op::Unary(op, of) => {
                self.remember(of);
                if op == Unary::Count && self.kept.insert((true, at)) {
                    let value = self.value(of, None);
                    let _ = write!(
                        self.body,
                        "    logic [63:0] counted_{at} = 64'd0;\n    \
                         wire [63:0] count_{at} = counted_{at} + 64'({value} != 64'd0);\n    \
                         always_ff @(posedge clk) counted_{at} <= reset ? 64'd0 : count_{at};\n"
                    );
                } else if looks_back(op) && op != Unary::Count && self.kept.insert((false, of)) {
                    let value = self.value(of, None);
                    let _ = write!(
                        self.body,
                        "    wire [63:0] now_{of} = {value};\n    logic [63:0] before_{of} = 64'd0;\n    \
                         always_ff @(posedge clk) before_{of} <= now_{of};\n    \
                         wire [63:0] past_{of} = cycle == 64'd0 ? now_{of} : before_{of};\n"
                    );
                }
            }
            Op::Binary(_, a, b) => {
                self.remember(a);
                self.remember(b);
            }
            Op::Number(_) | Op::Read(..) | Op::Cycle(..) | Op::Local(..) => {}
        }
    }

    /// An operation as an expression of 64 bits. `sampled` is the name of the sampled values.
    fn value(&self, at: usize, sampled: Option<&str>) -> String {
        let value = |of| self.value(of, sampled);
        let bit = |text: String| format!("64'({text})");
        match self.monitor.program()[at] {
            Op::Number(n) => format!("64'd{n}"),
            Op::Local(number, _) => format!("{}_{number}[k]", sampled.unwrap_or_default()),
            Op::Read(word, low, bits) => {
                let shown = self.monitor.duties().iter().flat_map(|duty| &duty.shown);
                let mut signal = shown.filter(|of| matches!(of.read, Op::Read(other, ..) if other == word));
                let Some(of) = signal.next() else { return "64'd0".to_owned() };
                let (name, width) = (bare(&of.name.text), of.values.bits());
                match (low, bits) {
                    (0, bits) if bits == width => format!("64'(\\{name} )"),
                    (low, 1) => format!("64'(\\{name} [{low}])"),
                    (low, bits) => format!("64'(\\{name} [{}:{low}])", low + bits - 1),
                }
            }
            Op::Cycle(op, n) => bit(format!("cycle {} 64'd{n}", sign(op))),
            Op::Unary(op, of) => match op {
                Unary::Not => bit(format!("{} == 64'd0", value(of))),
                Unary::Invert => format!("(~{})", value(of)),
                Unary::Past => format!("past_{of}"),
                Unary::Rose => bit(format!("now_{of} != 64'd0 && past_{of} == 64'd0")),
                Unary::Fell => bit(format!("now_{of} == 64'd0 && past_{of} != 64'd0")),
                Unary::Stable => bit(format!("now_{of} == past_{of}")),
                Unary::Changed => bit(format!("now_{of} != past_{of}")),
                Unary::Count => format!("count_{at}"),
                Unary::CountOnes => bit(format!("$countones({})", value(of))),
                Unary::OneHot => bit(format!("$onehot({})", value(of))),
                Unary::OneHot0 => bit(format!("$onehot0({})", value(of))),
            },
            Op::Binary(op @ (Binary::And | Binary::Or), a, b) => {
                bit(format!("{} != 64'd0 {} {} != 64'd0", value(a), sign(op), value(b)))
            }
            Op::Binary(op, a, b) => {
                let text = format!("{} {} {}", value(a), sign(op), value(b));
                let is_number =
                    matches!(op, Binary::BitOr | Binary::BitXor | Binary::BitAnd | Binary::Plus | Binary::Minus);
                if is_number { format!("({text})") } else { bit(text) }
            }
        }
    }

    /// The same as a condition.
    fn truth(&self, at: usize, sampled: Option<&str>) -> String {
        format!("({} != 64'd0)", self.value(at, sampled))
    }

    fn assertion(&mut self, index: usize, duty: &Duty, path: &str) -> Result<(), String> {
        let Later { soonest, latest } = duty.property.window;
        if latest.is_some_and(|latest| latest > FARTHEST) && duty.property.when != When::Once {
            return Err(format!("its answer may come more than {FARTHEST} cycles later"));
        }
        if latest.is_none() && !duty.samples.is_empty() {
            return Err("a sampled value would have to be kept for ever".to_owned());
        }
        for at in duty.when.into_iter().chain([duty.then]).chain(duty.samples.iter().copied()) {
            self.remember(at);
        }
        let label = format!("assertion_{index}");
        let told = format!("else $error(\"{path} does not hold in cycle %0d\", $sampled(cycle));");
        let when = duty.when.map_or_else(|| "1'b1".to_owned(), |when| self.truth(when, None));
        let text = match (&duty.property.when, latest) {
            (When::Once, latest) => {
                let then = self.truth(duty.then, None);
                let seen = format!(
                    "    logic seen_{index} = 1'b0;\n    \
                     wire holds_{index} = seen_{index} || (cycle >= 64'd{soonest} && {then});\n    \
                     always_ff @(posedge clk) seen_{index} <= !reset && holds_{index};\n"
                );
                match latest {
                    Some(latest) => format!(
                        "{seen}    {label}: assert property (@(posedge clk) disable iff (reset) \
                         cycle == 64'd{latest} |-> holds_{index})\n        {told}\n"
                    ),
                    None => format!(
                        "{seen}    final if (!seen_{index}) $error(\"{path} does not hold until the end, cycle %0d\", cycle);\n"
                    ),
                }
            }
            (_, Some(0)) if duty.samples.is_empty() => {
                let then = self.truth(duty.then, None);
                format!(
                    "    {label}: assert property (@(posedge clk) disable iff (reset) {when} |-> {then})\n        {told}\n"
                )
            }
            (_, Some(latest)) => {
                let left = self.left(index, duty, latest, soonest);
                // The register is one bit wider than it needs to be, so that it exists for 0.
                format!(
                    "    logic [{last}:1] open_{index} = '0;\n    wire [{last}:0] due_{index} = {{open_{index}, {when}}};\n\
                     {left}    always_ff @(posedge clk) open_{index} <= reset ? '0 : left_{index}[{latest}:0];\n    \
                     {label}: assert property (@(posedge clk) disable iff (reset) !left_{index}[{latest}])\n        {told}\n",
                    last = latest + 1
                )
            }
            (_, None) => {
                let then = self.truth(duty.then, None);
                // The last bit has all questions that an answer in this cycle answers.
                let due = if soonest == 0 {
                    format!("    wire [0:0] due_{index} = {when} || open_{index}[1];\n")
                } else {
                    format!("    wire [{soonest}:0] due_{index} = {{open_{index}[{soonest}:1], {when}}};\n")
                };
                let next = match soonest {
                    0 => format!("left_{index}"),
                    1 => format!("|left_{index}"),
                    _ => format!("{{|left_{index}[{soonest}:{}], left_{index}[{}:0]}}", soonest - 1, soonest - 2),
                };
                format!(
                    "    logic [{}:1] open_{index} = '0;\n{due}    \
                     wire [{soonest}:0] left_{index} = due_{index} & ~{};\n    \
                     always_ff @(posedge clk) open_{index} <= reset ? '0 : {next};\n    \
                     final if (open_{index} != '0) $error(\"{path} does not hold until the end, cycle %0d\", cycle);\n",
                    soonest.max(1),
                    answered(soonest, soonest, &then)
                )
            }
        };
        self.body += &text;
        Ok(())
    }

    /// The questions that stay open after this cycle, with a bit for each age.
    fn left(&self, index: usize, duty: &Duty, latest: u64, soonest: u64) -> String {
        let last = latest + 1;
        if duty.samples.is_empty() {
            let then = self.truth(duty.then, None);
            return format!("    wire [{last}:0] left_{index} = due_{index} & ~{};\n", answered(soonest, last, &then));
        }
        let mut text = String::new();
        for (number, &at) in duty.samples.iter().enumerate() {
            let value = self.value(at, None);
            let _ = write!(
                text,
                "    logic [63:0] kept_{index}_{number} [1:{last}];\n    wire [63:0] sampled_{index}_{number} [0:{last}];\n    \
                 assign sampled_{index}_{number}[0] = {value};\n"
            );
        }
        let sampled = format!("sampled_{index}");
        let then = self.truth(duty.then, Some(&sampled));
        let _ = write!(
            text,
            "    wire [{last}:0] left_{index};\n    for (genvar k = 0; k <= {last}; k++) begin : age_{index}\n        \
             assign left_{index}[k] = due_{index}[k] && !(k >= {soonest} && {then});\n"
        );
        text += "        if (k > 0) begin : older\n";
        for number in 0..duty.samples.len() {
            let _ = write!(
                text,
                "            assign sampled_{index}_{number}[k] = kept_{index}_{number}[k];\n            \
                 always_ff @(posedge clk) kept_{index}_{number}[k] <= sampled_{index}_{number}[k - 1];\n"
            );
        }
        text + "        end\n    end\n"
    }
}

/// Bits `last` to `soonest` if `then` holds, as a vector of the bits `last` to 0.
fn answered(soonest: u64, last: u64, then: &str) -> String {
    let high = last - soonest + 1;
    match soonest {
        0 => format!("{{{high}{{{then}}}}}"),
        _ => format!("{{{{{high}{{{then}}}}}, {soonest}'b0}}"),
    }
}

/// The name without `top.`.
fn bare(name: &str) -> &str {
    name.strip_prefix("top.").unwrap_or(name)
}

fn sign(op: Binary) -> &'static str {
    match op {
        Binary::Or => "||",
        Binary::And => "&&",
        Binary::BitOr => "|",
        Binary::BitXor => "^",
        Binary::BitAnd => "&",
        Binary::Equal => "==",
        Binary::NotEqual => "!=",
        Binary::Below => "<",
        Binary::AtMost => "<=",
        Binary::Above => ">",
        Binary::AtLeast => ">=",
        Binary::Plus => "+",
        Binary::Minus => "-",
    }
}
