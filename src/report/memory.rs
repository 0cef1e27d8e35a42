//! Memory that a run can have: the free memory of the machine, within the limits of the process and
//! of its control groups.

use std::path::Path;

use crate::cost::Encodings;
use crate::engine::banked;
use crate::experiment::{Evaluation, Experiment, Loaded, Workload};
use crate::report::text::bytes;

/// Refuses an experiment that this process cannot hold; the allocator would only abort.
///
/// # Errors
/// When the experiment needs more memory than there is. The error names both.
pub fn refuse_beyond_memory(loaded: &Loaded) -> Result<(), String> {
    let Some(available) = available() else { return Ok(()) };
    // The model does not read traces whose worms make no difference.
    if of_model(&loaded.experiment, true) <= available {
        return Ok(());
    }
    let needed = needed(loaded);
    if needed <= available {
        return Ok(());
    }
    let engine = if is_plain(loaded) { "another engine, " } else { "" };
    Err(format!(
        "the model needs about {} but {} of memory are available; {engine}fewer nodes, lanes or a smaller {} need less",
        bytes(needed),
        bytes(available),
        loaded.experiment.network.deepest_fifo().1
    ))
}

/// Number of runs of an experiment that fit into memory at the same time, at least one.
#[must_use]
pub fn side_by_side(loaded: &Loaded) -> usize {
    let runs = available().map_or(u64::MAX, |available| available / needed(loaded).max(1));
    runs.max(1).try_into().unwrap_or(usize::MAX)
}

/// Bytes that the model takes, about.
#[must_use]
pub fn needed(loaded: &Loaded) -> u64 {
    let tables = is_plain(loaded) || Encodings::sent(loaded).is_ok_and(Encodings::look_up_reach);
    of_model(&loaded.experiment, tables)
}

/// Whether the plain engine runs, which has tables of reachability for any encoding.
fn is_plain(loaded: &Loaded) -> bool {
    loaded.engine == Evaluation::Reference
}

/// Approximate bytes that a node keeps for an entry of random traffic.
const STREAMS: u64 = 144;

/// Approximate bytes of the model's registers and FIFOs. With `tables`, also the bytes of its
/// tables of reachability.
#[must_use]
pub fn of_model(experiment: &Experiment, tables: bool) -> u64 {
    let network = &experiment.network;
    // Every node has a stream for each random traffic.
    let random = |entry: &&Workload| matches!(entry, Workload::Traffic(_) | Workload::Spmd(_));
    let traffic = experiment.workload.iter().filter(random).count() as u64;
    let streams = traffic * u64::from(network.nodes()) * STREAMS;
    let tables = if tables { network.reach_bytes() } else { 0 };
    banked::bytes(network).saturating_add(streams).saturating_add(tables)
}

/// Addresses that the first allocations of the threads beside the run may reserve, whether they use
/// them or not. One thread waits for signals, and one shows progress.
const ARENAS: u64 = 2 * (64 << 20);

/// Bytes that a model can have, if the system gives the number. One eighth of the memory is left
/// for worms, results and files.
fn available() -> Option<u64> {
    available_at(Path::new("/")).map(|bytes| bytes - bytes / 8)
}

/// The least of all that bounds the memory of this process, by the files below `root`.
fn available_at(root: &Path) -> Option<u64> {
    let proc = root.join("proc");
    machine(&proc).into_iter().chain(groups(root)).chain(limits(&proc)).min()
}

/// The memory of the machine without swapping.
fn machine(proc: &Path) -> Option<u64> {
    kib(&read(&proc.join("meminfo"))?, "MemAvailable:")
}

/// The memory that is left in the control groups of the process, also in the groups above them.
/// They are of version 2, and of the memory controller of version 1.
fn groups(root: &Path) -> Vec<u64> {
    let own = read(&root.join("proc/self/cgroup")).unwrap_or_default();
    let mut left = Vec::new();
    for line in own.lines() {
        let mut parts = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (parts.next(), parts.next()) else { continue };
        let (mount, limit, usage) = match controllers {
            "" => ("sys/fs/cgroup", "memory.max", "memory.current"),
            _ if controllers.split(',').any(|of| of == "memory") => {
                ("sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes")
            }
            _ => continue,
        };
        let mount = root.join(mount);
        let folders = Path::new(path.trim_start_matches('/')).ancestors().map(|group| mount.join(group));
        left.extend(folders.filter_map(|folder| Some(number(&folder, limit)?.saturating_sub(used(&folder, usage)))));
    }
    left
}

/// Bytes in use by a group, without files that it can let go of.
fn used(folder: &Path, usage: &str) -> u64 {
    let stat = read(&folder.join("memory.stat")).unwrap_or_default();
    let cached = |name: &str| stat.lines().find_map(|line| line.strip_prefix(name)?.trim().parse::<u64>().ok());
    let cached = cached("total_inactive_file ").or(cached("inactive_file ")).unwrap_or(0);
    number(folder, usage).unwrap_or(0).saturating_sub(cached)
}

/// The rest of the address space and of the data under the limits of the process (`ulimit -v` and
/// `-d`).
fn limits(proc: &Path) -> Vec<u64> {
    let limits = read(&proc.join("self/limits")).unwrap_or_default();
    let status = read(&proc.join("self/status")).unwrap_or_default();
    let left = |limit: &str, used: u64| {
        let soft = limits.lines().find_map(|line| line.strip_prefix(limit)?.split_whitespace().next());
        Some(soft?.parse::<u64>().ok()?.saturating_sub(used))
    };
    // Once a thread has reserved its arena, the arena is among the addresses in use. Other threads
    // may reserve theirs at any moment, so both numbers come from one reading.
    let (mapped, reserved) = mapped(&read(&proc.join("self/maps")).unwrap_or_default());
    let addresses = left("Max address space", mapped + ARENAS.saturating_sub(reserved));
    addresses.into_iter().chain(left("Max data size", kib(&status, "VmData:").unwrap_or(0))).collect()
}

/// Addresses in use, and addresses that are only reserved: mappings without memory and without
/// access.
fn mapped(maps: &str) -> (u64, u64) {
    let bytes = |line: &str| {
        let mut fields = line.split_whitespace();
        let (from, to) = fields.next()?.split_once('-')?;
        let of_nothing = fields.next()?.starts_with("---") && fields.nth(2)? == "0";
        let address = |text| u64::from_str_radix(text, 16).ok();
        let bytes = address(to)?.saturating_sub(address(from)?);
        Some((bytes, if of_nothing { bytes } else { 0 }))
    };
    let known = maps.lines().filter(|line| !line.ends_with("[vsyscall]")).filter_map(bytes);
    known.fold((0, 0), |(mapped, reserved), (all, of_nothing)| (mapped + all, reserved + of_nothing))
}

fn read(path: &Path) -> Option<String> {
    std::fs::read_to_string(path).ok()
}

/// Reads a file with one number; `None` for the text `max`.
fn number(folder: &Path, name: &str) -> Option<u64> {
    read(&folder.join(name))?.trim().parse().ok()
}

/// A line in KiB, in bytes.
fn kib(text: &str, name: &str) -> Option<u64> {
    let kib = text.lines().find_map(|line| line.strip_prefix(name))?;
    kib.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok().map(|kib| kib << 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The memory that a system with these files has available.
    fn available(files: &[(&str, &str)]) -> Option<u64> {
        let root = tempfile::tempdir().expect("a folder");
        for (name, text) in files {
            let path = root.path().join(name);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            std::fs::write(path, text).expect("a file");
        }
        available_at(root.path())
    }

    const MACHINE: (&str, &str) = ("proc/meminfo", "MemTotal:  9000 kB\nMemAvailable:    8000 kB\n");

    #[test]
    fn nothing_is_known_of_a_system_that_does_not_say() {
        assert_eq!(available(&[]), None);
        assert_eq!(available(&[("proc/meminfo", "MemTotal: 1 kB\n")]), None);
    }

    #[test]
    fn the_machine_bounds_where_nothing_else_does() {
        let unlimited = ("proc/self/limits", "Max address space  unlimited  unlimited  bytes\n");
        assert_eq!(available(&[MACHINE, unlimited]), Some(8000 << 10));
    }

    #[test]
    fn a_group_bounds_those_below_it() {
        let own = ("proc/self/cgroup", "0::/a/b\n");
        let files = [
            MACHINE,
            own,
            ("sys/fs/cgroup/a/memory.max", "5000\n"),
            ("sys/fs/cgroup/a/memory.current", "1500\n"),
            ("sys/fs/cgroup/a/memory.stat", "anon 1000\ninactive_file 500\n"),
            ("sys/fs/cgroup/a/b/memory.max", "max\n"),
        ];
        assert_eq!(available(&files), Some(4000));
        assert_eq!(available(&files[..2]), Some(8000 << 10));
    }

    #[test]
    fn groups_of_the_first_version_bound_too() {
        let own = "12:cpu,cpuacct:/x\n7:memory:/docker/1\n0::/\n";
        let files = [
            MACHINE,
            ("proc/self/cgroup", own),
            // Inside a container, the container's own group looks like the root.
            ("sys/fs/cgroup/memory/memory.limit_in_bytes", "3000\n"),
            ("sys/fs/cgroup/memory/memory.usage_in_bytes", "1000\n"),
            ("sys/fs/cgroup/memory/memory.stat", "inactive_file 1\ntotal_inactive_file 400\n"),
        ];
        assert_eq!(available(&files), Some(2400));
    }

    #[test]
    fn limits_of_the_process_bound_what_it_does_not_have_yet() {
        let status = ("proc/self/status", "VmData:\t    10 kB\n");
        // A file has 40 KiB. Pages that the kernel maps into every process do not count for the
        // limit.
        let maps =
            "5000-f000 r--p 00000000 08:01 9  /x\nffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0 [vsyscall]\n";
        let of = |limits: &str| available(&[MACHINE, status, ("proc/self/limits", limits), ("proc/self/maps", maps)]);
        let addresses = (128 << 20) + (100 << 10);
        assert_eq!(of(&format!("Max address space         {addresses}      unlimited      bytes\n")), Some(60 << 10));
        assert_eq!(of("Max data size             20480                unlimited            bytes\n"), Some(10 << 10));
        assert_eq!(of("Max address space         1024                 unlimited            bytes\n"), Some(0));
        // An arena of 64 MiB of which 132 KiB are in use counts as one more arena. Guard pages and
        // gaps in files do not count as arenas.
        let maps = "5000-f000 r--p 00000000 08:01 9  /x\n\
                    7f0000000000-7f0000021000 rw-p 00000000 00:00 0\n7f0000021000-7f0004000000 ---p 00000000 00:00 0\n\
                    7f0010000000-7f0010001000 ---p 00001000 08:01 77  /lib/libc.so\n";
        let limit = format!("Max address space  {}  unlimited  bytes\n", (40 + (128 << 10) + 4 + 132 + 60) << 10);
        let files = [MACHINE, status, ("proc/self/limits", limit.as_str()), ("proc/self/maps", maps)];
        assert_eq!(available(&files), Some(60 << 10));
    }
}
