# SPDX-License-Identifier: Apache-2.0
"""Compares models of one node with ONNX Runtime and with ONNX's reference.

    PYTHONPATH=PACKAGE VENV/bin/python tests/conformance/onnx_nodes/compare.py
        [--count 30] [--update] [--verbose] [NAME...]

VENV has onnx and onnxruntime. --update writes results.txt, and cases.json.xz,
which `./sy test` runs; of other operators than NAME... both keep what they
have.
"""

import argparse
import base64
import collections
import json
import lzma
import pathlib
import sys
import zlib

import numpy as np
import onnx

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import draws  # noqa: E402
import oracles  # noqa: E402
import witnesses  # noqa: E402
from agreement import agree  # noqa: E402
from table import TABLE  # noqa: E402

FACTS = HERE.parents[2] / "static_graph/foreign/onnx/schema_facts.txt"
KEPT = 360
KINDS = ("agree", "one", "witness", "differ", "executors", "refused", "none")


def judge(ours, runtime, reference, more):
    """(kind, detail) of a case: whether we agree with all that run it, with
    one of two that differ, with one of `more`, which are asked last, or with
    none; refuse it; or nothing else runs it."""
    others = [each for each in (runtime, reference) if each is not None]
    if isinstance(ours, str):
        return ("refused" if others else "none"), ours
    static, eager = ours
    if not all(a.dtype == b.dtype and a.tobytes() == b.tobytes()
               for a, b in zip(static, eager)):
        return "executors", ""
    agreeing = [agree(static, each) for each in others]
    if others and all(agreeing):
        return "agree", ""
    if any(agreeing):
        return "one", ""
    asked = False
    for each in more():
        if agree(static, each):
            return "witness", ""
        asked = True
    return ("differ" if others or asked else "none"), ""


def shapes_alone(results):
    """Shapes and dtypes of results whose elements are random."""
    if results is None or isinstance(results, str):
        return results
    if isinstance(results[0], list):
        return [shapes_alone(each) for each in results]
    return [np.zeros_like(each) for each in results]


def storable(feeds):
    """Whether the test can read them: arrays of numbers."""
    return all(not isinstance(each, list) and each.dtype.kind not in "OU"
               for each in feeds.values())


def described(case):
    def port(value):
        if isinstance(value, list):
            return f"[{', '.join(map(port, value))}]"
        return "-" if value is None else f"{value.dtype}{list(value.shape)}"

    return f"{case.attributes} {', '.join(map(port, case.inputs))}"


def encoded(array):
    return [array.dtype.name, list(array.shape),
            base64.b64encode(array.tobytes()).decode()]


def stored(model, feeds, outputs, wanted):
    return {"model": base64.b64encode(model).decode(),
            "feeds": {name: encoded(array) for name, array in feeds.items()},
            "outputs": {name: encoded(array)
                        for name, array in zip(outputs, wanted)}}


class Pair:
    """The cases of one version of an operator."""

    def __init__(self, name, version):
        self.name, self.version = name, version
        self.counts = collections.Counter()
        self.first = {}
        self.kept = None

    def run(self, letters, known, count):
        for i in range(count):
            seed = zlib.crc32(f"{self.name} {self.version} {i}".encode())
            case = TABLE[self.name](
                draws.Draws(self.version, letters, known, seed))
            try:
                model, feeds, outputs = oracles.make(self.name, self.version,
                                                     case)
            except (TypeError, ValueError):
                continue  # No such attribute in this version.
            runtime = oracles.by_runtime(model, feeds, self.version)
            reference = oracles.by_reference(model, feeds)
            ours = oracles.by_switchyard(model, feeds, outputs)
            seen = shapes_alone if case.random else lambda results: results
            kind, detail = judge(
                *map(seen, (ours, runtime, reference)),
                lambda: map(seen, witnesses.results(model, feeds)))
            self.counts[kind] += 1
            self.first.setdefault(kind, f"{i} {described(case)} {detail}")
            if (kind == "agree" and self.kept is None and not case.random
                    and storable(feeds) and not any(
                        each.dtype.kind == "U" for each in ours[0])
                    and len(ours[0]) == len(outputs)):
                wanted = runtime if runtime is not None else reference
                self.kept = stored(model, feeds, outputs, wanted)

    def line(self):
        return " ".join([self.name, str(self.version)] + [
            f"{kind} {self.counts[kind]}" for kind in KINDS
            if self.counts[kind]])


def pairs_of(names, count, verbose):
    for name, versions in sorted(draws.read_facts(FACTS).items()):
        if name not in TABLE or (names and name not in names):
            continue
        oldest = max((version for version, _, _ in versions
                      if version <= oracles.OLDEST and "." not in name),
                     default=0)
        for version, letters, known in versions:
            if version < oldest:
                continue
            pair = Pair(name, version)
            pair.run(letters, known, count)
            if verbose:
                for kind in ("differ", "executors", "refused", "one"):
                    if kind in pair.first:
                        print(f"  {kind}: {pair.first[kind]}")
            print(pair.line(), flush=True)
            yield pair


def merged(pairs, names):
    """Lines and stored cases, of operators that were not run from the files."""
    found = [pair.line() for pair in pairs]
    kept = [pair.kept for pair in pairs if pair.kept is not None]
    if not names:
        return found, kept
    for line in (HERE / "results.txt").read_text("utf-8").splitlines():
        if line[0] != "#" and line.split()[0] not in names:
            found.append(line)
    stored_before = json.loads(
        lzma.decompress((HERE / "cases.json.xz").read_bytes()))
    for case in stored_before:
        node = onnx.load_from_string(
            base64.b64decode(case["model"])).graph.node[0]
        if ".".join(filter(None, (node.domain, node.op_type))) not in names:
            kept.append(case)
    return found, kept


def order(line):
    name, version = line.split()[:2]
    return "." in name, name, int(version)


def update(pairs, names):
    found, kept = merged(pairs, names)
    found.sort(key=order)
    sums = collections.Counter()
    for line in found:
        counts = line.split()[2:]
        sums.update(dict(zip(counts[::2], map(int, counts[1::2]))))
    head = ["# Written by compare.py --update: a line for each operator and "
            "version, the cases of each kind.",
            "# agree: with ONNX Runtime and ONNX's reference, or the one that "
            "runs it. one: with one of the two,",
            "# which differ. witness: with one of them in another form "
            "(witnesses.py). differ: with none that runs it.",
            "# executors: ours differ. none: nothing else runs it.",
            "# " + ", ".join(f"{kind} {sums[kind]}" for kind in KINDS)
            + f" of {sum(sums.values())}; {len(found)} versions"]
    (HERE / "results.txt").write_text("\n".join(head + found) + "\n",
                                      encoding="utf-8")
    step = max(1.0, len(kept) / KEPT)
    chosen = [kept[int(i * step)] for i in range(min(KEPT, len(kept)))]
    (HERE / "cases.json.xz").write_bytes(
        lzma.compress(json.dumps(chosen).encode()))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--count", type=int, default=30)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    pairs = list(pairs_of(options.names, options.count, options.verbose))
    if options.update:
        update(pairs, options.names)


if __name__ == "__main__":
    main()
