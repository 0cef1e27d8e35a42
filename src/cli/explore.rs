//! `wormscope explore`.

use std::path::PathBuf;

use wormscope::explore::{
    Better, Bound, Effects, Filter, Guide, Guided, Objective, Question, Sweep, answer_csv, answer_text,
};
use wormscope::output;
use wormscope::plot::front;
use wormscope::report::chart;

use super::exit::{DONE, Refused, print, warn};
use super::outputs::Files;
use super::plot::{Pictures, command};
use super::progress::{Progress, READING, while_doing};
use super::usage::integer;
use super::{signals, sweep};

/// Arguments of `wormscope explore`.
#[derive(clap::Args)]
#[allow(clippy::doc_markdown)] // Comments on arguments are printed as help.
pub struct Args {
    /// Directory that wormscope sweep wrote (its -o)
    directory: PathBuf,
    /// Compare points by METRIC as a cost, for example area: less is better. For throughput
    /// and similar metrics more is always better (repeatable)
    #[arg(long, value_name = "METRIC")]
    cost: Vec<String>,
    /// Compare points by METRIC as a quality, for example saturation: more is better. For a
    /// latency less is always better (repeatable)
    #[arg(long, value_name = "METRIC")]
    quality: Vec<String>,
    /// Minimise METRIC; a single objective finds the best point, two or three a front (repeatable)
    #[arg(long, value_name = "METRIC")]
    least: Vec<String>,
    /// Maximise METRIC (repeatable)
    #[arg(long, value_name = "METRIC")]
    most: Vec<String>,
    /// Use only points whose mean is NUMBER or more, as in saturation=0.3 (repeatable)
    #[arg(long, value_name = "METRIC=NUMBER")]
    at_least: Vec<String>,
    /// Use only points whose mean is NUMBER or less, as in latency_last_p99=120 (repeatable)
    #[arg(long, value_name = "METRIC=NUMBER")]
    at_most: Vec<String>,
    /// Use only points with one of these values of a varied field, as in load=0.1,0.2 (repeatable)
    #[arg(long = "where", value_name = "FIELD=VALUES")]
    wheres: Vec<String>,
    /// Run only the points that the question needs: first a coarse grid, then finer where the
    /// answer may be
    #[arg(long)]
    guided: bool,
    /// Do N runs at a time, 1 to 1024; needs --guided [default: the number of cores]
    #[arg(long, value_name = "N", value_parser = integer(1..=1024_usize), requires = "guided")]
    jobs: Option<usize>,
    /// Print the effect of each varied field, and of each two fields together, on METRIC; --svg and
    /// --png draw the effects
    #[arg(long, value_name = "METRIC",
        conflicts_with_all = ["cost", "quality", "least", "most", "at_least", "at_most", "guided", "all", "csv"])]
    effects: Option<String>,
    /// List the dominated points too
    #[arg(long)]
    all: bool,
    /// Write all points that meet the bounds to FILE as CSV, with intervals and whether another
    /// point dominates them
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Draw the front to FILE as SVG
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Draw the front to FILE as PNG
    #[arg(long, value_name = "FILE")]
    png: Option<PathBuf>,
}

/// Asks a sweep and prints the answer.
pub fn explore(args: &Args) -> Result<u8, Refused> {
    if let Some(metric) = &args.effects {
        return effects(args, metric);
    }
    let begun = if args.guided { Sweep::begun } else { Sweep::open };
    let mut sweep = while_doing(READING, || begun(&args.directory))?;
    let guide = args.guided.then(|| Guide::open(&args.directory)).transpose()?;
    if guide.is_some() {
        // The file of rows may have new column names.
        sweep = Sweep::begun(&args.directory)?;
    }
    let mut files = Files::beside(&sweep.files());
    let csv = files.create("--csv", args.csv.as_deref())?;
    let pictures = Pictures::create(&mut files, args.svg.as_deref(), args.png.as_deref())?;
    let question = question(args, &sweep, guide.as_ref())?;
    let answer = match guide {
        None => while_doing("comparing points", || question.ask(&sweep))?,
        Some(guide) => {
            let said = search(&guide, &sweep, &question, args.jobs)?;
            sweep = while_doing(READING, || Sweep::open(&args.directory))?;
            let answer = while_doing("comparing points", || question.ask(&sweep));
            let mut answer = answer.map_err(|error| Refused(format!("{error}; {said}")))?;
            answer.notes.push(said);
            answer
        }
    };
    let mut written = Vec::new();
    if pictures.are_asked_for() {
        written.extend(pictures.filled(&front(&sweep, &answer, &command())?)?);
    }
    if let Some(file) = csv {
        written.push(file.filled(&answer_csv(&sweep, &answer)?)?);
    }
    if !args.guided {
        warn(&sweep.unfinished().into_iter().collect::<Vec<_>>());
    }
    print(&answer_text(&sweep, &answer, args.all))?;
    output::place(written)?;
    Ok(DONE)
}

/// Prints and draws the effects of the varied fields on a metric.
fn effects(args: &Args, metric: &str) -> Result<u8, Refused> {
    let sweep = while_doing(READING, || Sweep::open(&args.directory))?;
    let pictures = Pictures::create(&mut Files::beside(&sweep.files()), args.svg.as_deref(), args.png.as_deref())?;
    let filters = args.wheres.iter().map(|filter| Filter::parse(&sweep, filter)).collect::<Result<Vec<_>, _>>()?;
    let found = Effects::of(&sweep, metric, &filters)?;
    let mut written = Vec::new();
    if pictures.are_asked_for() {
        written.extend(pictures.with(&chart::draw(&[found.chart()]).map_err(Refused)?)?);
    }
    print(&found.text())?;
    output::place(written)?;
    Ok(DONE)
}

/// Runs the points that the question needs. Returns the number of runs, in words.
fn search(guide: &Guide, sweep: &Sweep, question: &Question, jobs: Option<usize>) -> Result<String, Refused> {
    signals::goes_on();
    let progress = Progress::new("preparing runs");
    let found = guide.search(sweep, question, sweep::jobs(jobs), &|counts| progress.tell(counts))?;
    let Guided { points, all, runs, saved } = found;
    Ok(format!(
        "guided search: {points} of {all} points evaluated, {runs} new runs, {saved} runs saved; \
         where each metric only rises or only falls along each axis no point is missed, elsewhere a point may be"
    ))
}

/// The question that the arguments ask.
fn question(args: &Args, sweep: &Sweep, guide: Option<&Guide>) -> Result<Question, Refused> {
    let mut question = Question::default();
    for (names, or) in [(&args.cost, Better::Less), (&args.quality, Better::More)] {
        for name in names {
            question.objectives.push(Objective::named(sweep, name, or)?);
        }
    }
    for (names, better) in [(&args.least, Better::Less), (&args.most, Better::More)] {
        for name in names {
            question.objectives.push(Objective { column: sweep.schema.metric(name)?, better });
        }
    }
    if question.objectives.is_empty() {
        let message = "no metric is given; for a front, give --cost area --quality saturation; for the best point, \
                       give --least area";
        return Err(Refused(message.to_owned()));
    }
    for (bounds, side) in [(&args.at_least, Better::More), (&args.at_most, Better::Less)] {
        for bound in bounds {
            question.bounds.push(Bound::parse(&sweep.schema, bound, side)?);
        }
    }
    for filter in &args.wheres {
        let filter = guide.map_or_else(|| Filter::parse(sweep, filter), |guide| guide.filter(sweep, filter));
        question.filters.push(filter?);
    }
    Ok(question)
}
