#!/usr/bin/env python3
"""Reads UCIS XML back with PyUCIS, and compares every bin with the JSON of the same merge.

Usage: read_back.py path/to/wormscope. Needs the package pyucis.
"""

import collections
import json
import pathlib
import subprocess
import sys
import tempfile

try:
    from ucis.cover_type_t import CoverTypeT
    from ucis.scope_type_t import ScopeTypeT
    from ucis.xml.xml_factory import XmlFactory
    from ucis.xml.xml_reader import XmlReader
except ImportError:
    sys.exit("make test-ucis needs PyUCIS: pip install pyucis")

KINDS = {CoverTypeT.CVGBIN: "bins", CoverTypeT.ILLEGALBIN: "illegal", CoverTypeT.IGNOREBIN: "ignore"}


def main(program):
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        counted, merged, xml = folder / "counted.json", folder / "merged.json", folder / "merged.xml"
        benches = ["testbenches/encoding", "testbenches/arbiter"]
        test = [program, "test", *benches, "--wave", "never", "--repeat", "2", "--coverage", counted]
        subprocess.run(test, check=True, stdout=subprocess.DEVNULL)
        coverage = [program, "coverage", counted, "--json", merged, "--ucis", xml]
        subprocess.run(coverage, check=True, stdout=subprocess.DEVNULL)
        XmlReader.validate(str(xml))
        read = XmlFactory.read(str(xml))
        merged = json.loads(merged.read_text())
    expected = collections.Counter()
    for run in merged["runs"]:
        for place, count in run["hits"]:
            expected[merged["bins"][place]] += count
    found, kinds = {}, collections.Counter()
    for instance in read.scopes(ScopeTypeT.INSTANCE):
        for group in instance.scopes(ScopeTypeT.COVERGROUP):
            for point in group.scopes(ScopeTypeT.COVERPOINT):
                for kind, name in KINDS.items():
                    for item in point.coverItems(kind):
                        found[f"{group.getScopeName()}/{item.getName()}"] = item.getCoverData().data
                        kinds[name] += 1
    wrong = [name for name, count in expected.items() if found.get(name) != count]
    wrong += [name for name, count in found.items() if expected[name] != count]
    assert not wrong, f"other counts: {wrong[:9]}"
    summary = merged["summary"]
    assert kinds["bins"] == summary["reached"] + summary["holes"], (kinds, summary)
    assert kinds["illegal"] == summary["excluded"] and kinds["ignore"] == summary["beyond"], (kinds, summary)
    runs = len(list(read.historyNodes(1)))
    assert runs == len(merged["runs"]), (runs, len(merged["runs"]))
    print(f"PyUCIS reads {len(found)} bins and {runs} runs, with the counts of the JSON")


if __name__ == "__main__":
    main(sys.argv[1])
