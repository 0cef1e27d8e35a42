//! Tests of the files for other viewers than `GTKWave`: command files for Surfer.

use std::io::Cursor;

use wormscope_hw::WormId;

use super::readback::shown;
use super::*;

#[test]
fn commands_for_surfer_add_what_the_view_shows() {
    let directory = tempfile::tempdir().expect("a directory");
    let (network, wiring) = runs::mesh(3, 3);
    let worms = [runs::worm(0, 0, &[2], 9), runs::worm(3, 3, &[5, 8, 7], 6)];
    let mut recorder = HopRecorder::new(WormId(1), &network, &wiring);
    runs::run(&network, &worms, &mut recorder);
    let options = Options { follows: recorder.finish().into_iter().collect(), ..Options::default() };
    let path = directory.path().join("a.fst");
    let mut tracer = Tracer::create(&path, &network, &wiring, options).expect("a tracer");
    let (cycles, _) = runs::run(&network, &worms, &mut tracer);
    crate::output::place(tracer.finish(DumpEnd { cycles, deadlock: None }).expect("files")).expect("places");

    let wave = wellen::simple::read_from_reader(Cursor::new(std::fs::read(&path).expect("a dump"))).expect("an FST");
    let known: Vec<String> =
        wave.hierarchy().all_vars().map(|v| wave.hierarchy()[v].full_name(wave.hierarchy())).collect();
    // The commands for one viewer add the signals that the view for the other shows.
    let view = std::fs::read_to_string(directory.path().join("a.gtkw")).expect("a view");
    let commands = std::fs::read_to_string(directory.path().join("a.sucl")).expect("commands");
    let added: Vec<&str> = commands.lines().filter_map(|line| line.strip_prefix("variable_add ")).collect();
    let bare: Vec<&str> = shown(&view).into_iter().map(|name| name.split('[').next().unwrap_or_default()).collect();
    assert!(added == bare && added.len() > 10, "{commands}");
    assert!(added.iter().all(|name| known.iter().any(|known| known == name)), "{commands}");
    let formats = commands.lines().filter_map(|line| line.strip_prefix("item_set_format "));
    let mut mapped = 0;
    for (name, format) in added.iter().zip(formats) {
        let mapping = directory.path().join(format!(".surfer/mappings/{format}.txt"));
        let Ok(mapping) = std::fs::read_to_string(&mapping) else {
            assert!(["Unsigned", "Binary"].contains(&format), "{format}");
            continue;
        };
        let hierarchy = wave.hierarchy();
        let found = hierarchy.all_vars().find(|&var| hierarchy[var].full_name(hierarchy) == *name).expect("a signal");
        let signal = &hierarchy[found];
        let head = format!("Name = {format}\nBits = {}\n", signal.length(hierarchy).expect("bits"));
        assert!(mapping.starts_with(&head), "{name}: {mapping}");
        mapped += 1;
    }
    assert!(mapped > 10, "{commands}");
    let is_sound = |line: &str| match line.split_once(' ') {
        Some(("divider_add" | "variable_add" | "item_focus" | "item_set_format", word)) => !word.contains(' '),
        Some(("item_rename", name)) => !name.contains(['#', ';']),
        _ => ["item_unfocus", "toggle_side_panel", "zoom_fit", "# surfer --command-file a.sucl a.fst"].contains(&line),
    };
    assert!(commands.lines().all(is_sound), "{commands}");
    assert!(commands.contains("\nitem_rename 0 rt_0_1.in4 from n3\n"), "{commands}");
}
