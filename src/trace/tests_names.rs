//! Names that other viewers than `GTKWave` find: enumerations of an FST, command files for Surfer.

use std::io::Cursor;

use wormscope_hw::WormId;

use super::readback::shown;
use super::*;

#[test]
fn states_and_owners_have_their_names_in_an_fst() {
    let directory = tempfile::tempdir().expect("a directory");
    let (network, wiring) = runs::mesh(3, 3);
    let worms = [runs::worm(0, 0, &[2], 9), runs::worm(3, 3, &[5, 8, 7], 6)];
    let mut recorder = HopRecorder::new(WormId(1), &network, &wiring);
    runs::run(&network, &wiring, &worms, &mut recorder);
    let options = Options { follows: recorder.finish().into_iter().collect(), ..Options::default() };
    let path = directory.path().join("a.fst");
    let mut tracer = Tracer::create(&path, &network, &wiring, options).expect("a tracer");
    let (cycles, _) = runs::run(&network, &wiring, &worms, &mut tracer);
    crate::output::place(tracer.finish(End { cycles, deadlock: None }).expect("files")).expect("places");

    let mut wave =
        wellen::simple::read_from_reader(Cursor::new(std::fs::read(&path).expect("a dump"))).expect("an FST");
    let known: Vec<String> =
        wave.hierarchy().all_vars().map(|v| wave.hierarchy()[v].full_name(wave.hierarchy())).collect();
    let named = |wave: &mut wellen::simple::Waveform, name: &str| -> Vec<String> {
        let hierarchy = wave.hierarchy();
        let var = hierarchy.all_vars().map(|v| hierarchy[v].clone()).find(|v| v.full_name(hierarchy) == name);
        let var = var.expect("a signal");
        let Some((_, names)) = var.enum_type(hierarchy) else { return Vec::new() };
        let names: Vec<(String, String)> =
            names.iter().map(|(v, name)| ((*v).to_owned(), (*name).to_owned())).collect();
        wave.load_signals(&[var.signal_ref()]);
        let signal = wave.get_signal(var.signal_ref()).expect("loaded");
        let values: Vec<_> = signal.iter_changes().filter_map(|(_, value)| value.to_bit_string()).collect();
        values.iter().map(|v| names.iter().find(|(value, _)| value == v).expect("a name").1.clone()).collect()
    };
    let states = named(&mut wave, "top.rt_0_1.in4.state");
    assert!(states.starts_with(&["IDLE".to_owned(), "ROUTE".to_owned()]), "{states:?}");
    assert!(states.contains(&"MOVE".to_owned()), "{states:?}");
    assert_eq!(named(&mut wave, "top.rt_0_0.out0.owner"), ["-", "in4", "-"]);
    assert_eq!(named(&mut wave, "top.rt_0_1.in4.enc"), ["-", "bit_string", "-"]);
    assert_eq!(named(&mut wave, "top.rt_0_1.in4.branches"), ["-", "out0", "-"]);
    assert_eq!(named(&mut wave, "top.rt_0_1.in4.worm"), [""; 0]);

    // What the view for one viewer shows, the commands for the other add.
    let view = std::fs::read_to_string(directory.path().join("a.gtkw")).expect("a view");
    let commands = std::fs::read_to_string(directory.path().join("a.sucl")).expect("commands");
    let added: Vec<&str> = commands.lines().filter_map(|line| line.strip_prefix("variable_add ")).collect();
    let bare: Vec<&str> = shown(&view).into_iter().map(|name| name.split('[').next().unwrap_or_default()).collect();
    assert!(added == bare && added.len() > 10, "{commands}");
    assert!(added.iter().all(|name| known.iter().any(|known| known == name)), "{commands}");
    let is_sound = |line: &str| match line.split_once(' ') {
        Some(("divider_add" | "variable_add", word)) => !word.is_empty() && !word.contains(' '),
        _ => line == "zoom_fit" || line == "# surfer --command-file a.sucl a.fst",
    };
    assert!(commands.lines().all(is_sound), "{commands}");
    assert!(commands.contains("\ndivider_add 0_rt_0_1_in4_from_n3\n"), "{commands}");
}
