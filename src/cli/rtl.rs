//! `wormscope rtl`.

use std::fs::File;
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};

use wormscope::engine::reference::Reference;
use wormscope::experiment::Loaded;
use wormscope::output::{self, Output};
use wormscope::quote;
use wormscope::rtl::{self, Lockstep, Recorded, Twin};
use wormscope::simulation::{Simulation, Site};

use super::exit::{CHECK_FAILED, DONE, Refused, print};
use super::given::{self, Overrides};
use super::progress::{Shown, under_bar, while_doing};
use super::usage::folder;

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
    #[command(flatten)]
    run: Overrides,
}

/// Writes an experiment as RTL, or compares a dump of the RTL with the model.
pub fn rtl(args: &Args) -> Result<u8, Refused> {
    if let Some(folder) = &args.output {
        refuse_existing(folder)?;
    }
    let loaded = given::read(&args.config, args.run.sets(), args.run.seed)?.loaded;
    let site = while_doing("building the network", || Site::of(&loaded))?;
    let unfit = |why: rtl::Unfit| Refused(format!("{}: {why}", loaded.title()));
    Twin::without_worms(&site, &loaded).map_err(unfit)?;
    let recorded = under_bar(&loaded, |progress| Recorded::of(&loaded, &site, progress))?;
    let design = Twin::new(site.built(), &recorded).map_err(unfit)?;
    if let Some(folder) = &args.output {
        return write(args, &loaded, &design, &recorded, folder);
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

fn write(args: &Args, loaded: &Loaded, design: &Twin, recorded: &Recorded, folder: &Path) -> Result<u8, Refused> {
    let options = args.run.options();
    let command = format!("wormscope rtl {}{options} -o {}", quote::shell(&args.config), quote::shell(folder));
    let config = args.config.canonicalize().unwrap_or_else(|_| args.config.clone());
    let compare = format!("rtl {}{options} --compare -", quote::shell(config));
    let files = rtl::files(design, recorded, &loaded.title(), (&command, &compare));
    let begun = files.iter().map(|(path, text)| Output::in_folder(&folder.join(path))?.filled(text));
    output::place(begun.collect::<Result<_, _>>()?)?;
    let folder = quote::shell(folder);
    print(&format!(
        "wrote {} files into {folder}: {} worms, {} arrivals, {} cycles\n\
         make -C {folder} sim       runs the testbench\n\
         make -C {folder} lockstep  compares all registers with the model\n\
         make -C {folder} synth     prints the area\n",
        files.len(),
        recorded.worms.len(),
        recorded.arrivals.len(),
        recorded.cycles
    ))?;
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
