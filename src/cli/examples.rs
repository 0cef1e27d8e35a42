//! Examples that `--help` ends with, for each subcommand.

use clap::Command;

/// For each subcommand: purposes, and the command line for each purpose.
const EXAMPLES: [(&str, &[(&str, &str)]); 24] = [
    (
        "run",
        &[
            (
                "write all numbers, and a row for each message",
                "wormscope run my.ron --seed 2 --json run.json --csv run.csv",
            ),
            ("run with deeper FIFOs", "wormscope run my.ron --set network.switch.fifo_depth=32"),
            (
                "write a waveform, with the slowest worm hop by hop",
                "wormscope run my.ron --wave run.fst --follow slowest",
            ),
            (
                "write some cycles and instances only",
                "wormscope run my.ron --wave run.vcd --wave-window 1000..2000 --wave-scope 'top.rt_3_*' --follow 7,12",
            ),
            (
                "show the blocks of the switches, to debug arbitration",
                "wormscope run my.ron --wave run.fst --wave-blocks --wave-window 100..200",
            ),
            ("write a waveform that you can read during the run", "wormscope run my.ron --wave run.vcd --wave-live"),
            ("count the situations that the run meets", "wormscope run my.ron --coverage run.json"),
            ("draw the use of every link", "wormscope run my.ron --svg heat.svg"),
            (
                "write the use of every link and FIFO as numbers",
                "wormscope run my.ron --links links.csv --fifos fifos.parquet",
            ),
        ],
    ),
    (
        "check",
        &[
            ("describe and draw the network", "wormscope check my.ron --svg my.svg"),
            ("prove that no worms can deadlock", "wormscope check my.ron --deadlock --certificate proof.json"),
            ("read the experiment of another program from standard input", "wormscope check - --json cost.json"),
        ],
    ),
    (
        "test",
        &[
            ("run every testbench below testbenches/", "wormscope test"),
            ("run some testbenches in CI", "wormscope test --filter 'deadlock_*' --junit junit.xml"),
            (
                "run one testbench with a hundred seeds",
                "wormscope test testbenches/random/random_paths.ron --repeat 100 --seed 7",
            ),
        ],
    ),
    (
        "prove",
        &[
            ("try the messages of an experiment in all cycles and orders", "wormscope prove my.ron"),
            (
                "try any number of trees to two or three nodes, and write the shortest deadlock",
                "wormscope prove my.ron --encoding bit_string --destinations 2..3 --payload 4 -o shortest.ron",
            ),
            (
                "search for a minute at a time",
                "wormscope prove my.ron --encoding unicast --time-limit 60 --keep search.bin",
            ),
        ],
    ),
    (
        "search",
        &[
            ("search for worms that deadlock", "wormscope search my.ron -o found.ron"),
            (
                "search for worms that break a property",
                "wormscope search my.ron --property 'node3.ej.valid |-> node3.ej.worm != 0' --worms 3",
            ),
            (
                "search for the latest multicast to 8 nodes",
                "wormscope search my.ron --maximise network_latency --counting 8 --destinations 8 --time-limit 60",
            ),
        ],
    ),
    (
        "coverage",
        &[
            ("print the holes of a regression", "wormscope coverage regression.json --holes"),
            (
                "merge the seeds of two machines, and write a page",
                "wormscope coverage a.json b.json --json all.json --html all.html",
            ),
            ("choose the runs that are enough", "wormscope coverage all.json --minimise"),
        ],
    ),
    (
        "deadlock",
        &[
            ("explain the deadlock and search for cures", "wormscope deadlock my.ron"),
            (
                "draw it too, and write a longer waveform",
                "wormscope deadlock my.ron --svg my.svg --dot my.dot --before 200 --wave my.fst",
            ),
        ],
    ),
    (
        "view",
        &[
            ("write a page that plays the run in a browser", "wormscope view my.ron -o run.html"),
            ("show some cycles of a long run", "wormscope view my.ron -o run.html --window 1000..3000"),
            ("show run 17 of the sweep in out/", "wormscope view out/17 -o run.html"),
            (
                "show the run with and without a token ring, side by side",
                "wormscope view my.ron -o run.html --beside-set network.token_ring=None",
            ),
            ("show what each change of the experiment gains", "wormscope view my.ron -o run.html --advise"),
        ],
    ),
    (
        "why",
        &[
            ("print where the cycles of the slowest worm went", "wormscope why my.ron"),
            ("do so for worm 7, and follow what it waits for in cycle 120", "wormscope why my.ron --worm 7 --at 120"),
        ],
    ),
    (
        "plan",
        &[(
            "plan a tree and draw it",
            "wormscope plan my.ron --algorithm opt_mesh --source 15 --dest 31,8,27,22 --hold 20 --end 55 --svg plan.svg",
        )],
    ),
    ("bench-node", &[("measure the costs of a start-up", "wormscope bench-node my.ron")]),
    (
        "explore",
        &[
            (
                "find and draw the Pareto front",
                "wormscope explore out/ --cost area --quality saturation --svg front.svg",
            ),
            (
                "find the smallest area within two bounds",
                "wormscope explore out/ --at-least saturation=0.3 --at-most p99=120 --least area",
            ),
        ],
    ),
    (
        "find",
        &[
            ("find the cheapest network of a task", "wormscope find task.ron"),
            (
                "keep the runs as a sweep, and go on after an interrupt",
                "wormscope find task.ron -o out --json found.json",
            ),
        ],
    ),
    (
        "advise",
        &[
            ("see which change helps most for its area", "wormscope advise my.ron"),
            (
                "compare times and saturation, and draw the gains",
                "wormscope advise my.ron --energy 45nm --saturation --svg advice.svg",
            ),
        ],
    ),
    (
        "plot",
        &[
            ("draw latency against load", "wormscope plot out/ --svg latency.svg"),
            ("draw a metric against a field", "wormscope plot out/ --y latency_last_p99 --x fifo_depth --svg p99.svg"),
            ("draw percentiles of latency", "wormscope plot out/ --percentiles --svg percentiles.svg"),
        ],
    ),
    (
        "report",
        &[
            ("write the page of the sweep in out/", "wormscope report out/ -o out.html"),
            ("show two sweeps side by side", "wormscope report before/ after/ -o both.html"),
            ("follow a sweep that runs", "wormscope report out/ -o out.html --watch"),
        ],
    ),
    (
        "reproduce",
        &[
            ("list the figures", "wormscope reproduce --list"),
            ("run one figure with fewer points", "wormscope reproduce nupairoj/fig_5_9 --quick"),
        ],
    ),
    ("model", &[("print the tables and draw the figures", "wormscope model seidel --svg seidel.svg")]),
    (
        "rtl",
        &[
            ("write the network of an experiment as SystemVerilog", "wormscope rtl my.ron -o my-rtl"),
            ("run its testbench", "make -C my-rtl sim"),
            ("compare a dump of its registers with the model", "wormscope rtl my.ron --compare registers.txt"),
        ],
    ),
    (
        "sweep",
        &[
            (
                "vary two fields and the load",
                "wormscope sweep my.ron --vary fifo_depth=2..16*2 --vary virtual_channels=1,2,4 --vary load=0.02..0.4/0.02 \
                 --seeds 5 -o out",
            ),
            (
                "search for the load at saturation of each point",
                "wormscope sweep my.ron --vary fifo_depth=2..16*2 --saturation -o out",
            ),
        ],
    ),
    ("merge", &[("merge two shards", "wormscope merge shard1 shard2 -o out")]),
    (
        "config",
        &[
            ("print a file to begin with", "wormscope config --example traffic"),
            ("list what you can set, with allowed values", "wormscope config --paths my.ron"),
        ],
    ),
    (
        "completions",
        &[
            (
                "install the completions for bash",
                "wormscope completions bash > ~/.local/share/bash-completion/completions/wormscope",
            ),
            ("install them for zsh, in a folder of $fpath", "wormscope completions zsh > _wormscope"),
            ("install them for fish", "wormscope completions fish > ~/.config/fish/completions/wormscope.fish"),
        ],
    ),
    ("man", &[("write pages for `man -l` or MANPATH", "wormscope man -o ~/.local/share/man/man1")]),
];

/// The command, with examples after the help of each subcommand.
pub fn added(command: Command) -> Command {
    EXAMPLES.iter().fold(command, |command, (name, examples)| {
        command.mut_subcommand(name, |subcommand| subcommand.after_help(text(examples)))
    })
}

fn text(examples: &[(&str, &str)]) -> String {
    let lines = examples.iter().map(|(what, line)| format!("  # {what}\n  {line}\n"));
    format!("Examples:\n{}", lines.collect::<String>())
}

#[cfg(test)]
mod tests {
    use clap::FromArgMatches as _;

    use super::super::{Cli, command_line};
    use super::*;

    #[test]
    fn every_subcommand_has_examples_and_every_example_is_taken() {
        let subcommands: Vec<String> = command_line().get_subcommands().map(|of| of.get_name().to_owned()).collect();
        for name in subcommands {
            let help = command_line().find_subcommand(&name).and_then(Command::get_after_help).map(ToString::to_string);
            let help = help.unwrap_or_default();
            let lines: Vec<&str> = help.lines().filter_map(|line| line.trim().strip_prefix("wormscope ")).collect();
            assert!(!lines.is_empty(), "{name} has no examples");
            for line in lines {
                let line = line.split(" > ").next().unwrap_or_default();
                let words = shlex::split(&format!("wormscope {line}")).expect("words");
                assert_eq!(words[1], name, "{line}");
                let taken = command_line().try_get_matches_from(&words).and_then(|of| Cli::from_arg_matches(&of));
                assert!(taken.is_ok(), "{line}: {:?}", taken.err().map(|error| error.to_string()));
            }
        }
    }

    #[test]
    fn the_command_line_is_sound() {
        command_line().debug_assert();
    }
}
