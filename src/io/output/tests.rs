use std::os::unix::fs::{PermissionsExt as _, symlink};

use super::*;

fn names(directory: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(directory).unwrap();
    let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_placed_file_replaces_what_was_there() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("out.csv");
    std::fs::write(&path, "old").unwrap();
    let file = Output::of(&path, "new").unwrap();
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "old");
    assert_eq!(file.place().unwrap(), path);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "new");
    assert_eq!(names(directory.path()), ["out.csv"]);
}

#[test]
fn a_dropped_file_leaves_nothing_behind() {
    let directory = tempfile::tempdir().unwrap();
    drop(Output::of(&directory.path().join("out.csv"), "half").unwrap());
    assert!(names(directory.path()).is_empty());
}

#[test]
fn a_link_stays_a_link_and_its_goal_is_replaced_or_made() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    std::fs::write(path("goal"), "old").unwrap();
    for (link, to) in [("link", "goal"), ("link to a link", "link"), ("dangling", "./made"), ("round", "round")] {
        symlink(to, path(link)).unwrap();
    }
    for (link, goal) in [("link to a link", "goal"), ("dangling", "made")] {
        Output::of(&path(link), link).unwrap().place().unwrap();
        assert!(path(link).is_symlink() && !path(goal).is_symlink());
        assert_eq!(std::fs::read_to_string(path(goal)).unwrap(), link);
    }
    assert!(Output::create(&path("round")).is_err());
    symlink("no/folder", path("nowhere")).unwrap();
    let error = Output::create(&path("nowhere")).unwrap_err().to_string();
    assert!(error.contains("nowhere: cannot be written: there is no folder "), "{error}");
}

#[test]
fn a_file_keeps_its_permissions_and_a_new_one_has_those_of_the_umask() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("out.csv");
    let mode = || std::fs::metadata(&path).unwrap().permissions().mode() & 0o777;
    std::fs::File::create(directory.path().join("other")).unwrap();
    let umasked = std::fs::metadata(directory.path().join("other")).unwrap().permissions().mode() & 0o777;
    Output::of(&path, "new").unwrap().place().unwrap();
    assert_eq!(mode(), umasked);
    for given in [0o600, 0o664, 0o755] {
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(given)).unwrap();
        Output::of(&path, "new").unwrap().place().unwrap();
        assert_eq!(mode(), given);
    }
}

#[test]
fn of_several_files_all_take_their_places_or_none() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    std::fs::write(path("a"), "old").unwrap();
    let names_before = names(directory.path());
    let files = ["a", "b", "c"].map(|name| Output::of(&path(name), "new").unwrap());
    // A folder that cannot be replaced comes between.
    std::fs::create_dir(path("c")).unwrap();
    let error = place(files.into()).unwrap_err();
    assert!(error.to_string().ends_with("; nothing was left behind"), "{error}");
    std::fs::remove_dir(path("c")).unwrap();
    assert_eq!(names(directory.path()), names_before);
    assert_eq!(std::fs::read_to_string(path("a")).unwrap(), "old");

    let written = place(["a", "b", "a"].map(|name| Output::of(&path(name), name).unwrap()).into()).unwrap();
    assert_eq!(written, ["a", "b", "a"].map(path));
    assert_eq!(names(directory.path()), ["a", "b"]);
    assert_eq!(std::fs::read_to_string(path("a")).unwrap(), "a");
}

#[test]
fn what_dead_processes_left_is_removed_and_nothing_else() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    // A process that has ended.
    let mut over = std::process::Command::new("true").spawn().unwrap();
    over.wait().unwrap();
    let (dead, alive) = (over.id(), std::process::id());
    let stays = [
        format!(".wormscope-{dead}-abcde"),
        format!(".wormscope-{dead}-abc.ef"),
        ".wormscope-abcdef".to_owned(),
        format!(".wormscope-{}-abcdef", std::os::unix::process::parent_id()),
        format!("wormscope-{dead}-abcdef"),
    ];
    let goes = [format!(".wormscope-{dead}-abcdef"), format!(".wormscope-{alive}-abcdef")];
    for name in stays.iter().chain(&goes) {
        std::fs::write(path(name), "").unwrap();
    }
    let folder = format!(".wormscope-{dead}-folder");
    std::fs::create_dir(path(&folder)).unwrap();
    let output = Output::create(&path("out")).unwrap();
    let now = names(directory.path());
    assert!(stays.iter().chain([&folder]).all(|name| now.contains(name)), "{now:?}");
    assert!(goes.iter().all(|name| !now.contains(name)), "{now:?}");
    assert_eq!(now.len(), stays.len() + 2);
    drop(output);
}

#[test]
fn a_file_under_way_is_locked() {
    let directory = tempfile::tempdir().unwrap();
    let output = Output::create(&directory.path().join("out")).unwrap();
    let file = File::open(directory.path().join(&names(directory.path())[0])).unwrap();
    let lock = || rustix::fs::flock(&file, rustix::fs::FlockOperation::NonBlockingLockExclusive);
    assert!(lock().is_err());
    drop(output);
    assert!(lock().is_ok());
}

#[test]
fn errors_name_the_path_and_no_temporary_one() {
    let error = Output::create(Path::new("/nowhere/at/all.json")).unwrap_err().to_string();
    let expected = "/nowhere/at/all.json: cannot be written: there is no folder /nowhere/at, create it first";
    assert!(error.starts_with(expected) && !error.contains(".wormscope"), "{error}");
    let directory = tempfile::tempdir().unwrap();
    let error = Output::create(directory.path()).unwrap_err().to_string();
    assert!(error.ends_with("is a directory; nothing was left behind"), "{error}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_device_is_an_error_and_stays_a_device() {
    let error = Output::of(Path::new("/dev/full"), "row").unwrap_err().to_string();
    assert!(error.starts_with("/dev/full: cannot be written: No space left"), "{error}");
    assert!(!Path::new("/dev/full").is_file());
}

#[test]
fn a_missing_folder_is_made_when_a_file_takes_its_place_there() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a/b/c.txt");
    drop(Output::in_folder(&path).unwrap());
    assert!(names(directory.path()).is_empty());
    let (first, second) =
        (Output::in_folder(&path).unwrap(), Output::in_folder(&path.with_file_name("d.txt")).unwrap());
    assert!(!directory.path().join("a").exists());
    drop(first);
    place(vec![second.filled("text").unwrap()]).unwrap();
    assert_eq!(std::fs::read_to_string(path.with_file_name("d.txt")).unwrap(), "text");
    assert_eq!(names(&directory.path().join("a/b")), ["d.txt"]);
    place(vec![Output::in_folder(&path).unwrap().filled("more").unwrap()]).unwrap();
    assert_eq!(names(&directory.path().join("a/b")), ["c.txt", "d.txt"]);
    std::fs::write(directory.path().join("file"), "").unwrap();
    let inside = Output::in_folder(&directory.path().join("file/c.txt"));
    inside.unwrap_err();
}
