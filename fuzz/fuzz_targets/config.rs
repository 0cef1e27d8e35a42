//! Any text is an experiment or is refused in one paragraph. Lines behind the first NUL are `--set`
//! overrides.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let (text, sets) = text.split_once('\0').unwrap_or((text, ""));
    let sets: Vec<String> = sets.lines().map(str::to_owned).collect();
    if let Err(error) = wormscope::config::from_text("fuzz.ron", text, &sets) {
        assert!(!error.to_string().contains('\n'));
    }
});
