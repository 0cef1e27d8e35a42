"""One switch of a network as RTL, with its tables as constants. Yosys then synthesises it alone."""

import re
import sys


def instances(text):
    """The switches in network.sv: name, parameters as text, and the text before the pins."""
    for found in re.finditer(r"\n  switch (#\((.*?)\n  \)) (\w+) \(", text, re.DOTALL):
        yield found[3], dict(re.findall(r"\.(\w+)\s*\((.*)\),?\n", found[2] + "\n")), found[0]


def places(parameters):
    """Input lanes that exist, and output lanes that exist."""
    exist, links = (int(parameters[of].split("'h")[1], 16) for of in ("InputExists", "Links"))
    lanes = int(parameters["Lanes"])
    return bin(exist).count("1"), sum(links >> (o * lanes) & ((1 << lanes) - 1) != 0 for o in range(lanes))


def tree_bits(known):
    """Side signals of a synchronous worm: the cycle, the depth and the slot. `known` has the network's parameters."""
    synchronous = int(known["Replication"]) == 4
    return 32 + int(known["DepthBits"]) + (int(known["Slots"]) - 1).bit_length() if synchronous else 0


def alone(folder, wanted=None, of_bench=False):
    """Writes one/switch.sv: the switch of this name, or the largest, with its parameters as defaults.
    With of_bench, flits are as wide as in the testbench. Returns the name of the switch, the text
    before its pins, and the files of the design for it."""
    text = (folder / "rtl/network.sv").read_text()
    known = dict(re.findall(r"parameter int (\w+)\s*= (\w+)", text))
    if of_bench:
        own = dict(re.findall(r"localparam int (\w+)\s*= (\d+)", (folder / "tb/parameters.svh").read_text()))
        known["IdBits"] = str(int(own["WormBits"]) + int(own["LengthBits"]))
    tree = tree_bits(known)
    known["Width"] = f"(flit::Data + {known['FlitBits']} + {known['HeaderBits']} + {known['IdBits']} + {tree})"
    switches = [of for of in instances(text) if wanted in (None, of[0])]
    if not switches:
        sys.exit(f"no switch {wanted}")
    name, parameters, head = max(switches, key=lambda of: places(of[1])[0] * places(of[1])[1])
    switch = (folder / "rtl/switch.sv").read_text()
    for of, value in parameters.items():
        value = re.sub(r"\b[A-Z]\w+\b", lambda word: known.get(word[0], word[0]), value)
        switch, count = re.subn(rf"(?m)^(\s*parameter [^=\n]*\b{of}\s*=) [^\n]*?(,?)$",
                                lambda line: f"{line[1]} {value}{line[2]}", switch, count=1)
        assert count == 1, of
    (folder / "one").mkdir()
    (folder / "one/switch.sv").write_text(switch)
    listed = re.search(r"RTL = \\\n(.*?)\nTB", (folder / "Makefile").read_text(), re.DOTALL)[1]
    files = ["one/switch.sv" if path.endswith("/switch.sv") else path
             for path in listed.replace("\\", " ").split() if path != "rtl/network.sv"]
    return name, head, " ".join(files)
