//! `wormscope reproduce`.

use std::path::{Path, PathBuf};

use wormscope::output::Output;
use wormscope::quote::counted;
use wormscope::reproduce::{self, Data, Extent, PAPERS, ReproduceError, Shelf, Shelved};
use wormscope::{console, quote};

use super::exit::{CHECK_FAILED, DONE, Refused, print};
use super::progress::{Progress, Shown};
use super::publish::{Published, kept};
use super::signals;
use super::sweep::jobs;
use super::usage::{folder, integer};

/// Arguments of `wormscope reproduce`.
#[derive(clap::Args)]
#[allow(clippy::doc_markdown)] // Comments on arguments are printed as help.
pub struct Args {
    /// Names of figures, as kp/table_1, or of papers, as kp [default: all figures]
    ids: Vec<String>,
    /// List the figures; run nothing
    #[arg(long)]
    list: bool,
    /// Run fewer points and repetitions
    #[arg(long)]
    quick: bool,
    /// Do N runs at a time, 1 to 1024 [default: the number of cores]
    #[arg(long, value_name = "N", value_parser = integer(1..=1024_usize))]
    jobs: Option<usize>,
    /// Write the results to DIR; runs that are finished there are not repeated
    #[arg(short, long, value_name = "DIR", default_value = "reproduced", value_parser = folder())]
    output: PathBuf,
    /// Read the files of the figures from DIR
    #[arg(long, value_name = "DIR", default_value = "configs/papers")]
    figures: PathBuf,
    /// Write tables and pictures to DIR/reproduction, and a page of all of them beside that folder;
    /// a table of --quick does not replace a full one
    #[arg(long, value_name = "DIR", value_parser = folder())]
    publish: Option<PathBuf>,
    /// Compare the verdicts with the tables in DIR/reproduction; exit with code 4 if one differs
    #[arg(long, value_name = "DIR", conflicts_with = "publish")]
    check: Option<PathBuf>,
}

/// Runs figures of the papers and judges the claims about them.
pub fn reproduce(args: &Args) -> Result<u8, Refused> {
    if let Some((paper, _)) = PAPERS.iter().find(|(paper, _)| !args.figures.join(paper).is_dir()) {
        let folder = quote::name(&args.figures);
        return Err(Refused(format!(
            "--figures {folder}: it has no folder {paper} with figures of a paper; go to the root of the repository, \
             or name its folder configs/papers"
        )));
    }
    let shelf = Shelf::read(&args.figures)?;
    let chosen = shelf.chosen(&args.ids)?;
    if args.list {
        let line = |of: &&Shelved| format!("{:22} {:12} {}\n", of.id, of.figure.name, of.figure.caption);
        print(&chosen.iter().map(line).collect::<String>())?;
        return Ok(DONE);
    }
    if let Some(with) = &args.check {
        // Without this check, a missing table would be an error only after an hour of runs.
        for of in &chosen {
            of.table(&kept(of, with, "csv"))
                .map_err(|error| Refused(format!("--check {}: {error}", quote::name(with))))?;
        }
    }
    let extent = if args.quick { Extent::Quick } else { Extent::Full };
    let shown = Shown::doing("checking the figures");
    for of in &chosen {
        reproduce::ready(&shelf, of, extent)?;
    }
    drop(shown);
    let published = args.publish.as_ref().map(|into| Published::read(&shelf, &chosen, extent, into));
    let mut published = published.transpose()?;
    signals::goes_on();
    let mut differ = 0;
    for of in &chosen {
        let progress = Progress::new(&of.id);
        let told = |counts: &_| progress.tell(counts);
        let data = reproduce::perform(&shelf, of, &args.output, extent, jobs(args.jobs), &told)?;
        drop(progress);
        print(&reproduce::told(of, &data))?;
        let picture = reproduce::picture(of, &data)?;
        let folder = args.output.join(extent.word()).join(&of.id);
        Output::of(&folder.join("figure.svg"), &picture)?.place()?;
        if let Some(with) = &args.check {
            differ += compare(of, &data, with)?;
        }
        if let Some(published) = &mut published {
            published.take(of, data);
        }
    }
    if let Some(published) = published {
        print(&format!("wrote {}\n", published.place(&shelf)?.display()))?;
    }
    if differ == 0 {
        return Ok(DONE);
    }
    let (differ, dir) = (counted(differ, "verdict"), args.check.as_ref().map(quote::name).unwrap_or_default());
    console::tell(&format!(
        "error: {differ} not equal to the tables in {dir}; if the new ones are right, write them \
         with --publish"
    ));
    Ok(CHECK_FAILED)
}

/// Claims of a figure whose verdicts differ from the verdicts of the kept table.
fn compare(of: &Shelved, data: &Data, with: &Path) -> Result<usize, ReproduceError> {
    let kept = of.table(&kept(of, with, "csv"))?;
    let mut differ = 0;
    for claim in &of.figure.claims {
        if let Some([here, there]) = claim.contradiction(data, &kept) {
            differ += 1;
            console::tell(&format!("{}: {}: {} now, {} in the table", of.id, claim.says, here.words(), there.words()));
        }
    }
    Ok(differ)
}
