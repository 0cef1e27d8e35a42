//! `wormscope check --deadlock`.

use std::path::{Path, PathBuf};

use wormscope::dependency::{self, Effort, Judged, Judgement, Proof, Safety};
use wormscope::engine::WormInfo;
use wormscope::experiment::{Loaded, Workload};
use wormscope::explain::cures::Tried;
use wormscope::explain::no_return::Bounds;
use wormscope::explain::{Created, Sought, Stuck, WaveNames, draw_waits};
use wormscope::report::{json, picture};
use wormscope::simulation::{Simulation, Site};
use wormscope::{output, prove, quote};

use super::exit::{CHECK_FAILED, DEADLOCK, DONE, Refused, interrupted, print, warn};
use super::outputs::{self, Files};
use super::progress::Shown;
use super::signals::Interrupt;

/// Arguments of the verdict.
#[derive(clap::Args)]
#[allow(clippy::doc_markdown)] // Comments on arguments are printed as help.
pub struct VerdictArgs {
    /// Tell whether worms that the workload allows can deadlock, without a run of the workload
    #[arg(long)]
    pub deadlock: bool,
    /// Write the proof that no worms can deadlock to FILE as JSON
    #[arg(long, value_name = "FILE", requires = "deadlock")]
    certificate: Option<PathBuf>,
    /// Write messages that deadlock to FILE as a testbench
    #[arg(long, value_name = "FILE", requires = "deadlock")]
    witness: Option<PathBuf>,
}

/// Judges an experiment.
pub fn verdict(mut loaded: Loaded, args: &VerdictArgs, svg: Option<&Path>, json: Option<&Path>) -> Result<u8, Refused> {
    let mut files = Files::beside(&loaded.inputs());
    let witness = files.create("--witness", args.witness.as_deref())?;
    let certificate = files.create("--certificate", args.certificate.as_deref())?;
    let svg = files.create("--svg", svg)?;
    let json = files.create("--json", json)?;
    loaded.hold_pipes()?;
    let shown = Shown::doing("building the network");
    let site = Site::of(&loaded)?;
    shown.begins("looking for a deadlock");
    let interrupt = Interrupt::awaited();
    let verdict = dependency::judge(&loaded, &site, Effort::default(), &|| interrupt.has_come())?;
    drop(shown);
    if let Safety::Free(Proof::Nothing) = verdict {
        let of = quote::name(loaded.title());
        return Err(Refused(format!(
            "{of}: no node sends a worm, so there is nothing to judge; give the workload messages or traffic, or name \
             encodings with wormscope prove or wormscope search"
        )));
    }
    print(&format!("{}: valid, config {}\n", quote::name(loaded.title()), loaded.hash))?;
    let names = WaveNames::new(&loaded.experiment.network, site.wiring());
    print(&verdict.text(&names))?;
    if verdict.answer() == Judgement::Unknown && prove::check(&loaded.experiment.network).is_ok() {
        let given = loaded.experiment.workload.iter().all(|entry| matches!(entry, Workload::Messages(_)));
        let how = if given { "--arbiters built" } else { "--encoding ENCODING --arbiters built" };
        let of = quote::shell(loaded.title());
        print(&format!("to visit all states of a small network, run: wormscope prove {of} {how}\n"))?;
    }
    let mut written = Vec::new();
    if let Some(file) = svg {
        written.push(file.filled(&drawn(&loaded, &site, &verdict)?)?);
    }
    if let Some(file) = json {
        written.push(json::write(&Judged::new(&loaded, &verdict), file)?);
    }
    let unwritten = |what: &str| warn(&[format!("the verdict is {}, so no {what} was written", verdict.column())]);
    match (witness, &verdict) {
        (Some(file), Safety::Possible(found, _)) => written.push(file.filled(&found.testbench(&loaded))?),
        (Some(_), _) => unwritten("witness"),
        (None, _) => {}
    }
    if certificate.is_some() && verdict.answer() != Judgement::Free {
        unwritten("certificate");
    }
    if let (Some(file), Safety::Free(proof)) = (certificate, &verdict) {
        match dependency::certificate(&loaded, &site, proof)? {
            Some(certificate) => written.push(json::write(&certificate, file)?),
            None => warn(&["the network has too many channels for a certificate, so none was written".to_owned()]),
        }
    }
    print(&outputs::wrote(&output::place(written)?))?;
    Ok(match verdict.answer() {
        Judgement::Unknown if interrupt.has_come() => interrupted(""),
        Judgement::Free => DONE,
        Judgement::Possible => DEADLOCK,
        Judgement::Unknown => CHECK_FAILED,
    })
}

/// Draws the deadlock of the witness in the picture of the network, or the cycle of waits that was
/// not decided, or the network alone.
fn drawn(loaded: &Loaded, site: &Site, verdict: &Safety) -> Result<String, Refused> {
    let title = || format!("{}: {}", loaded.experiment.network.describe(), verdict.column());
    let witness = match verdict {
        Safety::Possible(witness, _) => witness,
        Safety::Unknown(_, cycle) if !cycle.is_empty() => {
            let names = WaveNames::new(&loaded.experiment.network, site.wiring());
            return Ok(draw_waits(site.wiring(), &names, &title(), cycle)?);
        }
        Safety::Free(_) | Safety::Unknown(..) => return Ok(picture::draw(site.wiring(), &title())?),
    };
    let run = witness.experiment(loaded);
    let mut created = Created::default();
    Simulation::new(&run, site)?.run(&mut created, |_| ())?;
    let worms: &[WormInfo] = &created.0;
    let stuck = Stuck { file: &loaded.path, loaded: &run, site, deadlock: &witness.deadlock, worms };
    let sought = Sought { tried: Tried::default(), no_return: None, interrupted: false, bounds: Bounds::default() };
    Ok(stuck.story(&sought).svg(site.wiring(), &stuck.names())?)
}
