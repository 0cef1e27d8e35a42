//! Traces of messages in CSV, read line by line.
//!
//! ```csv
//! cycle,source,destinations,encoding,payload_flits
//! 0,3,12,,16
//! 0,5,4 9 13,bit_string,16
//! ```
//!
//! Cycles do not decrease. Destinations are separated by blanks. The encoding may be empty for one
//! destination (unicast). A column `class` may follow, which may be empty too. Lines that begin
//! with `#` are comments. Fields are not quoted.

use std::fmt::Display;
use std::io::{self, Read};
use std::str::FromStr;

use csv::{ReaderBuilder, StringRecord, Trim};

use crate::experiment::{Loaded, Message, MessagePart, WormRules};
use crate::input::csv_lines::CsvLines;
use crate::input::{ConfigError, Place, title};
use crate::network::{Misfit, Network};
use crate::quote::{MOST_LISTED, excerpt, list_of};
use crate::spelling::suggestion;
use wormscope_hw::Encoding;

/// Columns of a trace, in order.
pub(crate) const COLUMNS: [&str; 5] = ["cycle", "source", "destinations", "encoding", "payload_flits"];

/// The last column of a trace with classes.
const CLASS: &str = "class";

/// The messages of a trace, each checked against the network. They end at the first error.
pub struct TraceCsv<R> {
    file: String,
    csv: csv::Reader<CsvLines<R>>,
    record: StringRecord,
    rules: WormRules,
    /// Classes that messages may have.
    classes: Vec<String>,
    /// Whether there is a column of classes.
    has_class: bool,
    cycle: u64,
    failed: bool,
}

impl TraceCsv<Box<dyn Read>> {
    /// Opens a trace that an experiment names and reads its header line.
    ///
    /// # Errors
    /// The file cannot be read, or does not begin with the names of the columns.
    pub fn open(loaded: &Loaded, name: &str) -> Result<Self, ConfigError> {
        let trace = Self::new(title(&loaded.resolve(name)), loaded.open(name)?, &loaded.experiment.network)?;
        Ok(trace.with_classes(loaded.experiment.classes()))
    }
}

impl<R: Read> TraceCsv<R> {
    /// Reads the header line of a trace. Errors name the trace `file`.
    ///
    /// # Errors
    /// The same as for [`TraceCsv::open`].
    pub fn new(file: impl Into<String>, reader: R, network: &Network) -> Result<Self, ConfigError> {
        let csv =
            ReaderBuilder::new().trim(Trim::Headers).quoting(false).flexible(true).from_reader(CsvLines::new(reader));
        let file = file.into();
        let refused = |why: Misfit| ConfigError::new(Place::File(file.clone()), why.within("network").to_string());
        let rules = WormRules::new(&network.build().map_err(refused)?);
        let mut trace = Self {
            file,
            csv,
            record: StringRecord::new(),
            rules,
            classes: Vec::new(),
            has_class: false,
            cycle: 0,
            failed: false,
        };
        let header = match trace.csv.headers() {
            Ok(header) => header.clone(),
            Err(error) => return Err(trace.unreadable(error)),
        };
        trace.has_class = header.len() > COLUMNS.len() && header.get(COLUMNS.len()) == Some(CLASS);
        if !header.iter().eq(trace.columns()) {
            let found =
                if header.is_empty() { "nothing".to_owned() } else { excerpt(&Vec::from_iter(&header).join(",")) };
            let line = trace.line().max(1);
            let message = format!("expected the header line {}, found {found}", COLUMNS.join(","));
            return Err(trace.refuse(line, message));
        }
        Ok(trace)
    }

    /// The same trace, whose messages may have these classes.
    #[must_use]
    pub fn with_classes(self, classes: Vec<String>) -> Self {
        Self { classes, ..self }
    }

    /// Names of the columns.
    fn columns(&self) -> impl Iterator<Item = &'static str> {
        COLUMNS.into_iter().chain(self.has_class.then_some(CLASS))
    }

    /// Line of the record that was read last.
    fn line(&self) -> u64 {
        self.csv.get_ref().line()
    }

    /// Refuses a line.
    fn refuse(&self, line: u64, message: impl Into<String>) -> ConfigError {
        ConfigError::new(Place::Csv { file: self.file.clone(), line, field: None }, message)
    }

    /// Refuses a field of the record, or a part of its text, which are counted from 0.
    fn refuse_field(
        &self,
        (name, field): (&'static str, usize),
        part: Option<usize>,
        message: impl Into<String>,
    ) -> ConfigError {
        // Fields are not quoted, so the fields and the commas between them are the line.
        let before: usize = self.record.iter().take(field).map(|text| text.chars().count() + 1).sum();
        let text = self.record.get(field).unwrap_or("");
        let begin = match part.and_then(|part| text.split_whitespace().nth(part)) {
            // Both are parts of the same text.
            Some(found) => found.as_ptr() as usize - text.as_ptr() as usize,
            None => text.len() - text.trim_start().len(),
        };
        let column = 1 + before + text[..begin].chars().count();
        let (file, line) = (self.file.clone(), self.line());
        ConfigError::new(Place::Csv { file, line, field: Some((name, column)) }, message)
    }

    fn unreadable(&self, error: csv::Error) -> ConfigError {
        let line = self.line();
        match error.into_kind() {
            csv::ErrorKind::Io(source) if source.kind() == io::ErrorKind::InvalidData => {
                self.refuse(line, source.to_string())
            }
            csv::ErrorKind::Io(source) => ConfigError::Read { file: self.file.clone(), source },
            csv::ErrorKind::Utf8 { .. } => self.refuse(line, "not UTF-8; a trace is UTF-8 text"),
            other => self.refuse(line, format!("not a line of CSV: {other:?}")),
        }
    }

    /// The class with this name; `None` for an empty field.
    fn class_of(&self, field: &str) -> Result<Option<String>, String> {
        if field.is_empty() || self.classes.iter().any(|class| class == field) {
            return Ok(Some(field.to_owned()).filter(|field| !field.is_empty()));
        }
        let known: Vec<&str> = self.classes.iter().map(String::as_str).collect();
        let allowed = if known.is_empty() {
            "; allowed: names that the field classes of the configuration lists".to_owned()
        } else {
            suggestion(field, &known)
        };
        Err(format!("no class \"{}\"{allowed}", excerpt(field)))
    }

    fn message(&mut self) -> Result<Option<Message>, ConfigError> {
        let read = self.csv.read_record(&mut self.record);
        if !read.map_err(|error| self.unreadable(error))? {
            return Ok(None);
        }
        let line = self.line();
        let mut fields: Vec<_> = self.record.iter().map(str::trim).collect();
        let (found, expected) = (fields.len(), self.columns().count());
        // The last field is the class if there is one.
        let class = if self.has_class && found == expected { fields.pop().unwrap_or("") } else { "" };
        let right = if found == expected { &fields[..] } else { &[] };
        let [cycle, source, destinations, encoding, payload_flits] = *right else {
            let columns: Vec<&str> = self.columns().collect();
            let message = format!("{found} fields; expected {expected}: {}", columns.join(","));
            // Destinations with commas between them.
            let set = fields.get(2..found.saturating_sub(expected - 3)).map(|fields| fields.join(","));
            return Err(match set.and_then(|set| Some((blanks_between(&set)?, set))).filter(|_| found > expected) {
                Some((nodes, set)) => {
                    let why =
                        format!("{message}; separate destinations by blanks: for {} write {nodes}", excerpt(&set));
                    self.refuse_field((MessagePart::Destinations(None).column(), 2), None, why)
                }
                None => self.refuse(line, message),
            });
        };
        let refuse = |part: MessagePart, message: String| {
            let name = part.column();
            let field = COLUMNS.iter().position(|column| *column == name).unwrap_or_default();
            let index = if let MessagePart::Destinations(index) = part { index } else { None };
            self.refuse_field((name, field), index, message)
        };
        let nodes = destinations.split_whitespace().map(str::parse);
        let message = Message {
            cycle: number(cycle, u64::MAX).map_err(|why| refuse(MessagePart::Cycle, why))?,
            source: number(source, u32::MAX).map_err(|why| refuse(MessagePart::Source, why))?,
            destinations: nodes
                .collect::<Result<_, _>>()
                .map_err(|_| refuse(MessagePart::Destinations(wrong_node(destinations)), no_nodes(destinations)))?,
            encoding: encoding_of(encoding).map_err(|why| refuse(MessagePart::Encoding, why))?,
            class: self.class_of(class).map_err(|why| self.refuse_field((CLASS, COLUMNS.len()), None, why))?,
            payload_flits: number(payload_flits, u32::MAX).map_err(|why| refuse(MessagePart::PayloadFlits, why))?,
        };
        if message.cycle < self.cycle {
            let why = format!("{} comes after {}; cycles must not decrease", message.cycle, self.cycle);
            return Err(refuse(MessagePart::Cycle, why));
        }
        self.rules.check_message(&message).map_err(|fault| refuse(fault.part, fault.message))?;
        self.cycle = message.cycle;
        Ok(Some(message))
    }
}

impl<R: Read> Iterator for TraceCsv<R> {
    type Item = Result<Message, ConfigError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed {
            return None;
        }
        let message = self.message().transpose();
        self.failed = !matches!(message, Some(Ok(_)));
        message
    }
}

fn number<T: Copy + FromStr + Display>(field: &str, largest: T) -> Result<T, String> {
    field.parse().map_err(|_| {
        let bare = field.trim_matches(['"', '\'']);
        let hint = match bare.parse::<T>() {
            Ok(_) => format!("; fields are not quoted: write {bare}"),
            Err(_) => String::new(),
        };
        format!("expected an integer from 0 to {largest}, found \"{}\"{hint}", excerpt(field))
    })
}

/// The first of several destinations that is no node.
fn wrong_node(field: &str) -> Option<usize> {
    field.split_whitespace().position(|node| node.parse::<u32>().is_err())
}

/// Reason why a field has no valid destinations.
fn no_nodes(field: &str) -> String {
    if let Some(nodes) = blanks_between(field) {
        return format!("expected nodes separated by blanks, found \"{}\"; write {nodes}", excerpt(field));
    }
    let wrong = field.split_whitespace().find_map(|node| number(node, u32::MAX).err()).unwrap_or_default();
    format!("{wrong}; several destinations are separated by blanks, as in 4 9 13")
}

/// The nodes with blanks between them, if the field separates or encloses them otherwise.
fn blanks_between(field: &str) -> Option<String> {
    let between = |c: char| c.is_whitespace() || ",;:|/+&[](){}\"'".contains(c);
    let nodes: Vec<&str> = field.split(between).filter(|node| !node.is_empty()).collect();
    let are_nodes = !nodes.is_empty() && nodes.iter().all(|node| node.parse::<u32>().is_ok());
    are_nodes.then(|| list_of(nodes, " ", MOST_LISTED))
}

fn encoding_of(field: &str) -> Result<Option<Encoding>, String> {
    if field.is_empty() {
        return Ok(None);
    }
    let named = Encoding::ALL.into_iter().find(|encoding| encoding.name() == field);
    let unknown =
        || format!("unknown encoding \"{}\"{}", excerpt(field), suggestion(field, &Encoding::ALL.map(Encoding::name)));
    named.map(Some).ok_or_else(unknown)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::from_text;

    const HEADER: &str = "cycle,source,destinations,encoding,payload_flits\n";

    fn network(switch: &str) -> Network {
        let text = format!("(network: (topology: mesh(radices: [4, 4]), switch: ({switch})))");
        from_text("mesh.ron", &text, &[]).unwrap().experiment.network
    }

    fn read(lines: &str) -> Result<Vec<Message>, String> {
        let text = format!("{HEADER}{lines}");
        let trace = TraceCsv::new("t.csv", text.as_bytes(), &network("")).map_err(|error| error.to_string())?;
        trace.collect::<Result<_, _>>().map_err(|error| error.to_string())
    }

    fn refused(lines: &str) -> String {
        read(lines).unwrap_err()
    }

    #[test]
    fn each_line_is_one_message() {
        let messages = read("# two\n\n0,3,12,,16\r\n 7 , 5 , 4  9 13 , bit_string , 16\n7,1,1,unicast,1").unwrap();
        let message = |cycle, source, destinations: &[u32], encoding, payload_flits| Message {
            cycle,
            source,
            destinations: destinations.to_vec(),
            encoding,
            class: None,
            payload_flits,
        };
        assert_eq!(
            messages,
            [
                message(0, 3, &[12], None, 16),
                message(7, 5, &[4, 9, 13], Some(Encoding::BitString), 16),
                message(7, 1, &[1], Some(Encoding::Unicast), 1),
            ]
        );
        assert_eq!(read("").unwrap(), []);
    }

    #[test]
    fn a_column_may_name_a_class_of_the_configuration() {
        let read = |lines: &str, classes: &[&str]| {
            let text = format!("cycle,source,destinations,encoding,payload_flits,class\n{lines}");
            let trace = TraceCsv::new("t.csv", text.as_bytes(), &network("")).unwrap();
            let trace = trace.with_classes(classes.iter().map(|&class| class.to_owned()).collect());
            trace.map(|message| message.map(|message| message.class)).collect::<Result<Vec<_>, _>>()
        };
        let refused = |lines: &str, classes: &[&str]| read(lines, classes).unwrap_err().to_string();
        let found = read("0,3,12,,16,near\n0,3,12,,16,\n1,5,4 9,bit_string,16,far\n", &["near", "far"]).unwrap();
        assert_eq!(found, [Some("near".to_owned()), None, Some("far".to_owned())]);
        assert_eq!(
            refused("0,3,12,,16,nera", &["near", "far"]),
            "t.csv:2:12: class: no class \"nera\"; did you mean \"near\"? allowed: near, far"
        );
        assert_eq!(
            refused("0,3,12,,16,near", &[]),
            "t.csv:2:12: class: no class \"near\"; allowed: names that the field classes of the configuration lists"
        );
        assert_eq!(
            refused("0,3,12,,16", &["near"]),
            "t.csv:2: 5 fields; expected 6: cycle,source,destinations,encoding,payload_flits,class"
        );
        assert!(refused("0,3,1,2,bit_string,16,near", &["near"]).ends_with("for 1,2 write 1 2"));
        let wrong =
            TraceCsv::new("t.csv", &b"cycle,source,destinations,encoding,payload_flits,kind\n"[..], &network(""));
        assert!(wrong.err().unwrap().to_string().starts_with("t.csv:1: expected the header line cycle,"));
    }

    #[test]
    fn a_line_that_is_no_message_is_refused_with_line_and_column() {
        assert_eq!(
            refused("0,3,12,,16\n0,x,12,,16"),
            "t.csv:3:3: source: expected an integer from 0 to 4294967295, found \"x\""
        );
        let behind_comments = refused("# c\n\n0,3,12,,16\r\n# d\r\n0,x,12,,16");
        assert_eq!(behind_comments, "t.csv:6:3: source: expected an integer from 0 to 4294967295, found \"x\"");
        assert_eq!(
            refused("-1,3,12,,16"),
            "t.csv:2:1: cycle: expected an integer from 0 to 18446744073709551615, found \"-1\""
        );
        assert_eq!(
            refused("0,3,1 4294967296,bit_string,16"),
            "t.csv:2:7: destinations: expected an integer from 0 to 4294967295, found \"4294967296\"; several destinations are \
             separated by blanks, as in 4 9 13"
        );
        let allowed = Encoding::ALL.map(Encoding::name).join(", ");
        assert_eq!(
            refused("0,3,12,bitstring,16"),
            format!(
                "t.csv:2:8: encoding: unknown encoding \"bitstring\"; did you mean \"bit_string\"? allowed: {allowed}"
            )
        );
        assert_eq!(
            refused("0,3,12,16"),
            "t.csv:2: 4 fields; expected 5: cycle,source,destinations,encoding,payload_flits"
        );
        assert_eq!(
            refused("0,\"3\",12,,16"),
            "t.csv:2:3: source: expected an integer from 0 to 4294967295, found \"\"3\"\"; fields are not quoted: write 3"
        );
    }

    #[test]
    fn the_trace_in_the_documentation_is_one() {
        let page = include_str!("../../../docs/reference/workloads.md");
        let mut texts = page.split("```csv\n").skip(1).filter_map(|rest| rest.split("```").next());
        let trace = texts.find(|text| text.starts_with("cycle,")).unwrap();
        let messages = read(trace.strip_prefix(HEADER).unwrap()).unwrap();
        let destinations: Vec<&[u32]> = messages.iter().map(|message| &*message.destinations).collect();
        assert_eq!(destinations, [&[12][..], &[4, 9, 13], &[1, 2, 6]]);
    }

    #[test]
    fn destinations_that_something_else_separates_are_told_with_blanks_between_them() {
        for (field, written) in [
            ("1;2", "1 2"),
            ("1|2|13", "1 2 13"),
            ("[1 2]", "1 2"),
            ("{1; 2}", "1 2"),
            ("\"1 2\"", "1 2"),
            ("'12'", "12"),
            ("1/2", "1 2"),
        ] {
            assert_eq!(
                refused(&format!("0,3,12,,16\n0,3,{field},bit_string,16")),
                format!(
                    "t.csv:3:5: destinations: expected nodes separated by blanks, found \"{field}\"; write {written}"
                )
            );
        }
        for field in ["\"1,2\"", "1,2", "[1, 2]", "{1,2,}"] {
            assert!(
                refused(&format!("0,3,{field},bit_string,16")).starts_with("t.csv:2:5: destinations: "),
                "{field}: {}",
                refused(&format!("0,3,{field},bit_string,16"))
            );
        }
        assert_eq!(
            refused("0,3,\"1,2\",bit_string,16"),
            "t.csv:2:5: destinations: 6 fields; expected 5: cycle,source,destinations,encoding,payload_flits; separate destinations by \
             blanks: for \"1,2\" write 1 2"
        );
        assert_eq!(
            refused("0,3,1..2,bit_string,16"),
            "t.csv:2:5: destinations: expected an integer from 0 to 4294967295, found \"1..2\"; several destinations are separated by \
             blanks, as in 4 9 13"
        );
        let many: Vec<String> = (0..40).map(|node| node.to_string()).collect();
        assert!(refused(&format!("0,3,{},bit_string,16", many.join(";"))).ends_with(" 14 15 and 24 more"));
        // This line has too many fields for another reason.
        assert!(refused("0,3,1,2,bit_string,16,x").starts_with("t.csv:2: 7 fields; expected 5: "));
    }

    #[test]
    fn messages_are_held_to_the_rules_of_the_network() {
        assert_eq!(
            refused("0,3,16,,16"),
            "t.csv:2:5: destinations: node 16 is outside the network; allowed: 0 to 15 (16 nodes)"
        );
        assert_eq!(
            refused("0,16,3,,16"),
            "t.csv:2:3: source: node 16 is outside the network; allowed: 0 to 15 (16 nodes)"
        );
        assert_eq!(refused("0,3,,,16"), "t.csv:2:5: destinations: no destinations; at least one is needed");
        assert_eq!(refused("0,3,4,,0"), "t.csv:2:8: payload_flits: payload_flits is 0; at least 1");
        let narrow = TraceCsv::new(
            "t.csv",
            format!("{HEADER}0,3,4,bit_string,1").leak().as_bytes(),
            &network("flit_bits: 8, fifo_depth: 1"),
        );
        assert_eq!(
            narrow.unwrap().next().unwrap().unwrap_err().to_string(),
            "t.csv:2:7: encoding: bit_string needs 2 header flits (16 nodes / 8 bits) but fifo_depth is 1; at least 2"
        );
    }

    #[test]
    fn multiport_worms_are_held_to_products_of_ports() {
        let text = "(network: (topology: bi_min(switch_ports: 4, stages: 2)))";
        let network = from_text("min.ron", text, &[]).unwrap().experiment.network;
        let text = format!("{HEADER}0,3,8 4 5 9,multiport,16\n0,3,4 5 9,multiport,16\n");
        let mut trace = TraceCsv::new("t.csv", text.as_bytes(), &network).unwrap();
        assert_eq!(trace.next().unwrap().unwrap().encoding, Some(Encoding::Multiport));
        let refused = trace.next().unwrap().unwrap_err().to_string();
        assert!(
            refused.starts_with("t.csv:3:5: destinations: a multiport header ") && refused.contains(" node 8 too; "),
            "{refused}"
        );
    }

    #[test]
    fn cycles_must_not_decrease_and_the_trace_ends_at_its_first_error() {
        let text = format!("{HEADER}5,3,12,,16\n4,3,12,,16\n6,3,12,,16\n");
        let mut trace = TraceCsv::new("t.csv", text.as_bytes(), &network("")).unwrap();
        assert!(trace.next().unwrap().is_ok());
        assert_eq!(
            trace.next().unwrap().unwrap_err().to_string(),
            "t.csv:3:1: cycle: 4 comes after 5; cycles must not decrease"
        );
        assert!(trace.next().is_none());
    }

    #[test]
    fn a_file_that_is_no_trace_is_refused_at_once() {
        let refused = |bytes: &[u8]| TraceCsv::new("t.csv", bytes, &network("")).err().unwrap().to_string();
        let expected = "expected the header line cycle,source,destinations,encoding,payload_flits, found";
        assert_eq!(refused(b""), format!("t.csv:1: {expected} nothing"));
        assert_eq!(refused(b"0,3,12,,16\n"), format!("t.csv:1: {expected} 0,3,12,,16"));
        assert_eq!(refused(b"\xff\xfe\n"), "t.csv:1: not UTF-8; a trace is UTF-8 text");
        let garbage = io::repeat(b'x').take(100 << 20);
        assert_eq!(
            TraceCsv::new("t.csv", garbage, &network("")).err().unwrap().to_string(),
            "t.csv:1: a line longer than 16 MiB; every line is a row of a table"
        );
        let loaded = from_text("x.ron", "(network: (topology: linear(nodes: 4)))", &[]).unwrap();
        assert!(matches!(
            TraceCsv::open(&loaded, "/nowhere/t.csv"),
            Err(ConfigError::Read { file, .. }) if file == "/nowhere/t.csv"
        ));
        assert!(matches!(TraceCsv::open(&loaded, "/"), Err(ConfigError::Read { .. })));
    }
}
