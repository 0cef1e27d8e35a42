//! `wormscope rtl`.

use std::fs::File;
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};

use wormscope::engine::reference::Reference;
use wormscope::experiment::Loaded;
use wormscope::input::ron;
use wormscope::output::{self, Output};
use wormscope::rtl::{self, Lockstep, Recorded, Twin};
use wormscope::simulation::{Simulation, Site};
use wormscope::{console, quote};

use super::exit::{CHECK_FAILED, DONE, Refused, print};
use super::given::{self, Overrides};
use super::progress::{Shown, under_bar, while_doing};
use super::usage::folder;

/// Path of the experiment below the directory of a design.
const EXPERIMENT: &str = "tb/experiment.ron";

/// Arguments of `wormscope rtl`.
#[derive(clap::Args)]
#[allow(clippy::doc_markdown)] // Comments on arguments are printed as help.
#[command(group = clap::ArgGroup::new("task").required(true).args(["output", "compare"]))]
pub struct Args {
    /// RON file of an experiment or a testbench (- is standard input)
    config: PathBuf,
    /// Write the network and its testbench into the new directory DIR
    #[arg(short, long, value_name = "DIR", value_parser = folder())]
    output: Option<PathBuf>,
    /// Compare FILE, the registers that the testbench dumped, with those of the model (- is
    /// standard input)
    #[arg(long, value_name = "FILE")]
    compare: Option<PathBuf>,
    /// Refuse the experiment if it has another hash, because it has changed since --output
    #[arg(long, value_name = "HASH", requires = "compare")]
    hash: Option<String>,
    #[command(flatten)]
    run: Overrides,
}

/// Writes an experiment as RTL, or compares a dump of the RTL with the model.
pub fn rtl(args: &Args) -> Result<u8, Refused> {
    if let Some(folder) = &args.output {
        refuse_existing(folder)?;
    }
    let [experiment, dump] =
        [Some(&args.config), args.compare.as_ref()].map(|of| of.is_some_and(|of| of == Path::new("-")));
    if experiment && dump {
        let why = "--compare -: standard input has the experiment already; name a file for one of the two";
        return Err(Refused(why.to_owned()));
    }
    let text = ron::read(&args.config)?;
    let loaded = given::from_text(&args.config, &text, args.run.sets(), args.run.seed)?.loaded;
    if args.hash.as_ref().is_some_and(|hash| *hash != loaded.hash) {
        return Err(Refused(format!(
            "{}: the experiment has changed since its RTL was written; write the RTL again, or take the old experiment",
            quote::name(&args.config)
        )));
    }
    let site = while_doing("building the network", || Site::of(&loaded))?;
    let unfit = |why: rtl::Unfit| Refused(format!("{}: {why}", quote::name(&args.config)));
    let design = Twin::without_worms(&site, &loaded).map_err(unfit)?;
    rtl::check_names(&design).map_err(unfit)?;
    let recorded = under_bar(&loaded, |progress| Recorded::of(&loaded, &site, progress))?;
    let design = Twin::new(site.built(), &recorded).map_err(unfit)?;
    if let Some(folder) = &args.output {
        return write(args, (&loaded, text), &design, &recorded, folder);
    }
    let dump = args.compare.as_deref().unwrap_or(Path::new("-"));
    let experiment = &loaded.experiment;
    let model = Simulation::reference(&experiment.network, &site, &experiment.workload);
    compare(&design, &recorded, model, dump)
}

/// Refuses a directory that has files, because files of another design could stay in it.
fn refuse_existing(folder: &Path) -> Result<(), Refused> {
    let has_files = folder.read_dir().is_ok_and(|mut files| files.next().is_some());
    if has_files || folder.exists() && !folder.is_dir() {
        return Err(Refused(format!(
            "-o {}: is there already; give a new directory, or remove this one first",
            quote::name(folder)
        )));
    }
    Ok(())
}

fn write(
    args: &Args,
    (loaded, text): (&Loaded, String),
    design: &Twin,
    recorded: &Recorded,
    folder: &Path,
) -> Result<u8, Refused> {
    let others = loaded.inputs().len() - 1;
    if args.config == Path::new("-") && others > 0 {
        let why =
            "-: the experiment names another file, which the directory would not have; give the experiment as a file";
        return Err(Refused(why.to_owned()));
    }
    let options = args.run.options();
    let command = format!("wormscope rtl {}{options} -o {}", quote::shell(&args.config), quote::shell(folder));
    // An experiment that names no other file has a copy in the directory, which can move then.
    let copy = (others == 0).then(|| (PathBuf::from(EXPERIMENT), text));
    let own = || args.config.canonicalize().unwrap_or_else(|_| args.config.clone());
    let config = copy.as_ref().map_or_else(own, |(path, _)| path.clone());
    let compare = format!("rtl {}{options} --hash {} --compare -", quote::shell(config), loaded.hash);
    let mut files = rtl::files(design, recorded, &loaded.title(), (&command, &compare));
    files.extend(copy);
    let begun = files.iter().map(|(path, text)| Output::in_folder(&folder.join(path))?.filled(text));
    output::place(begun.collect::<Result<_, _>>()?)?;
    let folder = quote::shell(folder);
    print(&format!(
        "wrote {} files into {folder}: {}, {}, {}\n\
         make -C {folder} sim       runs the testbench\n\
         make -C {folder} lockstep  compares all registers with the model\n\
         make -C {folder} synth     prints the area\n",
        files.len(),
        quote::counted(recorded.worms.len(), "worm"),
        quote::counted(recorded.arrivals.len(), "arrival"),
        quote::counted(recorded.cycles, "cycle"),
    ))?;
    if recorded.worms.is_empty() {
        console::tell("warning: the run sends no worm, so the testbench checks nothing");
    } else if recorded.is_deadlock {
        console::tell("warning: the run ends in a deadlock; wormscope deadlock explains it");
    }
    Ok(DONE)
}

fn compare(design: &Twin, recorded: &Recorded, model: Reference, dump: &Path) -> Result<u8, Refused> {
    let is_standard = dump == Path::new("-");
    let name = if is_standard { "standard input".to_owned() } else { quote::name(dump) };
    let shown = Shown::counted(recorded.cycles, "cycles");
    let mut lockstep = Lockstep::new(design, recorded, model);
    let told = |cycle| shown.reached(cycle);
    let found = if is_standard {
        lockstep.compare(io::stdin().lock(), told)
    } else {
        let file = File::open(dump).map_err(|error| format!("{name}: cannot be read: {error}"))?;
        lockstep.compare(BufReader::new(file), told)
    };
    let found = found.map_err(|error| format!("{name}: {error}"))?;
    drop(shown);
    match found {
        None => {
            print(&format!("no register differs in {} cycles of {} switches\n", recorded.cycles, design.size()))?;
            Ok(DONE)
        }
        Some(difference) => {
            print(&format!("DIFFERENCE {difference}\n"))?;
            Ok(CHECK_FAILED)
        }
    }
}
