//! Dumps written and read back by independent readers.

use super::fake;
use super::*;
use std::path::Path;

#[test]
fn demo() {
    let (network, wiring) = fake::mesh(6, 6);
    let mut worms = vec![fake::worm(0, 0, 7, &[10, 16, 22, 28, 27], 16)];
    worms.push(fake::worm(1, 0, 2, &[16], 12));
    worms.push(fake::worm(2, 3, 20, &[23], 20));
    worms.push(fake::worm(3, 4, 15, &[17], 14));
    worms.push(fake::worm(4, 9, 30, &[3, 4, 5, 11], 10));
    for i in 5..40 {
        let s = i * 7 % 36;
        let d = (i * 11 + 5) % 36;
        if s != d { worms.push(fake::worm(worms.len() as u32, u64::from(i), s, &[d], 8)); }
    }
    let mut rec = HopRecorder::new(wormscope_hw::WormId(0), &network, &wiring);
    let cycles = fake::run(&wiring, 4, &worms, 1000, &mut rec);
    let follow = rec.finish();
    for name in ["demo.vcd", "demo.fst", "net.vcd"] {
        let path = Path::new("/tmp/wv").join(name);
        let options = Options { follow: follow.clone().filter(|_| name != "net.vcd"), ..Options::default() };
        let mut t = Tracer::create(&path, &network, &wiring, options).unwrap();
        fake::run(&wiring, 4, &worms, 1000, &mut t);
        t.finish(End { cycles, deadlock: None }).unwrap();
    }
}
