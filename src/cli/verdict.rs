//! `wormscope check --deadlock`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use wormscope::dependency::{self, Effort, Judged, Judgement, Proof, Safety};
use wormscope::engine::WormInfo;
use wormscope::experiment::{Loaded, Workload};
use wormscope::explain::cures::Tried;
use wormscope::explain::no_return::Bounds;
use wormscope::explain::{Created, Sought, Stuck, WaveNames, draw_waits};
use wormscope::hw::header::Way;
use wormscope::report::{json, picture};
use wormscope::simulation::{Simulation, Site};
use wormscope::workload::{Allowed, Drawable, Targets};
use wormscope::{output, prove, quote};

use super::exit::{CHECK_FAILED, DEADLOCK, DONE, Refused, interrupted, print, warn};
use super::outputs::{self, Files};
use super::progress::Shown;
use super::signals::Interrupt;

/// Arguments of the verdict.
#[derive(clap::Args)]
#[allow(clippy::doc_markdown)] // Comments on arguments are printed as help.
pub struct VerdictArgs {
    /// Tell, without a run, whether worms that the workload allows can deadlock
    #[arg(long)]
    pub deadlock: bool,
    /// Write the proof that no worms can deadlock to FILE as JSON
    #[arg(long, value_name = "FILE", requires = "deadlock")]
    certificate: Option<PathBuf>,
    /// Write messages that deadlock to FILE as a testbench
    #[arg(long, value_name = "FILE", requires = "deadlock")]
    witness: Option<PathBuf>,
}

/// Options with which `wormscope prove` takes the worms of the workload, each with a blank after
/// it.
fn options(loaded: &Loaded, site: &Site) -> Result<String, Refused> {
    if loaded.experiment.workload.iter().all(|entry| matches!(entry, Workload::Messages(_))) {
        return Ok(String::new());
    }
    let Allowed { given, drawn } = Allowed::of(loaded, site)?;
    let (mut encodings, mut sizes, mut lengths) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for message in given {
        encodings.insert(message.encoding.unwrap_or_default().name());
        sizes.insert(message.destinations.len() as u32);
        lengths.insert(message.payload_flits);
    }
    for Drawable { encoding, payload_flits, sources } in &drawn {
        encodings.insert(encoding.name());
        lengths.extend(payload_flits);
        for (_, targets) in sources {
            match targets {
                Targets::One(_) => drop(sizes.insert(1)),
                Targets::All(nodes) => drop(sizes.insert(nodes.len() as u32)),
                Targets::Some { count, .. } => sizes.extend(count),
            }
        }
        if encoding.way() == Way::Path {
            // The worms of a path may have any part of the destinations.
            sizes.insert(1);
        }
    }
    let range = |of: &BTreeSet<u32>| format!("{}..{}", of.first().unwrap_or(&1), of.last().unwrap_or(&1));
    let encodings = encodings.into_iter().collect::<Vec<_>>().join(" --encoding ");
    Ok(format!("--encoding {encodings} --destinations {} --payload {} ", range(&sizes), range(&lengths)))
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
        let (of, how) = (quote::shell(loaded.title()), options(&loaded, &site)?);
        print(&format!("to visit more states of a small network, run: wormscope prove {of} {how}--arbiters built\n"))?;
        if !how.is_empty() {
            print("prove tries all worms of this kind; the workload may send fewer, such as none to the own node\n")?;
        }
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
        (Some(file), Safety::Possible(found, _)) => {
            if loaded.experiment.workload.iter().any(|entry| matches!(entry, Workload::Stalls(_))) {
                warn(&["the witness leaves out the stalls of the workload".to_owned()]);
            }
            written.push(file.filled(&found.testbench(&loaded))?);
        }
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
