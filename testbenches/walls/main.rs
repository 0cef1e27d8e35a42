//! The walls of the house: which room may know which, and that no files know each other in a circle.

mod house;

#[test]
fn dump() {
    let house = house::House::read(std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/..")));
    for ((from, to), names) in house.arrows() {
        println!("{from} -> {to}: {}", names.into_iter().collect::<Vec<_>>().join(" "));
    }
}
