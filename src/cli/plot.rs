//! `wormscope plot`.

use std::path::{Path, PathBuf};

use wormscope::explore::{Filter, Sweep};
use wormscope::output::Output;
use wormscope::plot::PERCENTILES;
use wormscope::report::chart::Sheet;
use wormscope::{output, plot, quote};

use super::exit::{DONE, Refused, print, warn};
use super::outputs::Files;
use super::progress::{READING, Shown, while_doing};

/// Arguments of `wormscope plot`.
#[derive(clap::Args)]
#[allow(clippy::doc_markdown)] // Comments on arguments are printed as help.
pub struct Args {
    /// Directory that wormscope sweep wrote (its -o)
    directory: PathBuf,
    /// Draw METRIC, in place of latency and throughput
    #[arg(long, value_name = "METRIC", conflicts_with_all = ["histogram", "stalls"])]
    y: Option<String>,
    /// Draw the metric of --y against this varied field [default: the load]
    #[arg(long, value_name = "FIELD", requires = "y")]
    x: Option<String>,
    /// Draw percentiles of latency against the load too, each in its own chart: 50,95,99 or some of
    /// them
    #[arg(long, value_name = "P,P", num_args = 0..=1, require_equals = true, default_missing_value = "50,95,99", conflicts_with_all = ["y", "histogram", "stalls"])]
    percentiles: Option<String>,
    /// Draw a histogram of METRIC over all runs
    #[arg(long, value_name = "METRIC", conflicts_with = "stalls")]
    histogram: Option<String>,
    /// Draw separate bars in the histogram for each value of this varied field
    #[arg(long, value_name = "FIELD", requires = "histogram")]
    by: Option<String>,
    /// Draw a stacked bar for each point: the causes of stalls
    #[arg(long)]
    stalls: bool,
    /// Use only points with one of these values of a varied field, as in fifo_depth=4,8
    /// (repeatable)
    #[arg(long = "where", value_name = "FIELD=VALUES")]
    wheres: Vec<String>,
    /// Write the picture to FILE as SVG
    #[arg(long, value_name = "FILE", required_unless_present = "png")]
    svg: Option<PathBuf>,
    /// Write the picture to FILE as PNG
    #[arg(long, value_name = "FILE")]
    png: Option<PathBuf>,
}

/// Draws a sweep.
pub fn plot(args: &Args) -> Result<u8, Refused> {
    let sweep = while_doing(READING, || Sweep::open(&args.directory))?;
    let mut files = Files::beside(&sweep.files());
    let pictures = Pictures::create(&mut files, args.svg.as_deref(), args.png.as_deref())?;
    let filters = args.wheres.iter().map(|text| Filter::parse(&sweep, text)).collect::<Result<Vec<_>, _>>()?;
    let command = command();
    let shown = Shown::doing("drawing the rows");
    let drawn = if args.stalls {
        plot::stalls(&sweep, &filters, &command)
    } else if let Some(asked) = &args.percentiles {
        plot::percentiles(&sweep, &percentiles(asked)?, &filters, &command)
    } else if let Some(histogram) = &args.histogram {
        let by = args.by.as_deref().map(|name| sweep.schema.axis(name)).transpose()?;
        plot::histogram(&sweep, sweep.schema.metric(histogram)?, by, &filters, &command)
    } else if let Some(y) = &args.y {
        let x = match &args.x {
            Some(name) => sweep.schema.axis(name)?,
            None => {
                sweep.schema.load().map_err(|why| format!("{why}, or name the field to draw against: --x FIELD"))?
            }
        };
        plot::metric(&sweep, x, sweep.schema.metric(y)?, &filters, &command)
    } else {
        plot::latency(&sweep, &filters, &command)
    };
    let drawn = drawn?;
    let pictures = pictures.filled(&drawn.sheet)?;
    drop(shown);
    warn(&drawn.notes);
    print(&format!("{}\n", sweep.told()))?;
    output::place(pictures)?;
    Ok(DONE)
}

/// Percentiles of a list, each once.
fn percentiles(asked: &str) -> Result<Vec<u8>, Refused> {
    let mut found = Vec::new();
    for text in asked.split(',').map(str::trim) {
        let number = text.trim_start_matches('p').parse().ok().filter(|number| PERCENTILES.contains(number));
        let Some(number) = number else {
            let allowed = PERCENTILES.map(|number| number.to_string()).join(", ");
            return Err(Refused(format!(
                "--percentiles: rows have no percentile \"{}\"; allowed: {allowed}",
                quote::excerpt(text)
            )));
        };
        if !found.contains(&number) {
            found.push(number);
        }
    }
    Ok(found)
}

/// The command line for the footer of a picture, without the files. So the name of the file does
/// not change the picture.
pub fn command() -> String {
    const FILES: [&str; 3] = ["--svg", "--png", "--csv"];
    let mut command = "wormscope".to_owned();
    let mut words = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned());
    while let Some(word) = words.next() {
        if FILES.contains(&word.as_str()) {
            words.next();
        } else if !FILES.iter().any(|file| word.strip_prefix(file).is_some_and(|rest| rest.starts_with('='))) {
            command = command + " " + &quote::shell(word);
        }
    }
    command
}

/// The files of a picture.
pub struct Pictures {
    svg: Option<Output>,
    png: Option<Output>,
}

impl Pictures {
    /// Begins the files of the given options.
    pub fn create(files: &mut Files, svg: Option<&Path>, png: Option<&Path>) -> Result<Self, Refused> {
        if png.is_some() && !cfg!(feature = "png") {
            return Err(Refused(
                "--png: this program is built without pictures as PNG; allowed: --svg, or a program built with the \
                 feature png (`make build`)"
                    .to_owned(),
            ));
        }
        Ok(Self { svg: files.create("--svg", svg)?, png: files.create("--png", png)? })
    }

    /// Whether there are any files.
    pub fn are_asked_for(&self) -> bool {
        self.svg.is_some() || self.png.is_some()
    }

    /// The files, complete.
    pub fn filled(self, sheet: &Sheet) -> Result<Vec<Output>, Refused> {
        self.with(&sheet.draw()?)
    }

    /// The complete files of a drawing in SVG.
    pub fn with(self, drawn: &str) -> Result<Vec<Output>, Refused> {
        let mut files = Vec::new();
        if let Some(file) = self.svg {
            files.push(file.filled(drawn)?);
        }
        #[cfg(feature = "png")]
        if let Some(mut file) = self.png {
            use std::io::Write as _;
            file.write_all(&wormscope::report::png::png(drawn)?).map_err(|error| file.error(error))?;
            files.push(file);
        }
        Ok(files)
    }
}
