#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Counts what Bazel runs to build the Python package after an edit and after an added operator.

Run it in the workspace after `bazel build //...`, which fills the disk cache. It copies the
tracked files into a scratch folder with an output base of its own and builds there: first as they
are, then, cleaned, after an edit of one entry (the cost to a colleague's checkout or CI), then,
from that built tree, after each of two added operators (add_operators.py). It counts generations
and compilations that no cache answered; links, archives and kernel tables are printed apart. Then
the tests of the two operators run there, and RATE operators more say what an operator costs
(tests/benchmarks/growth.py).
Fails if there are more actions than EDIT_LIMIT or ADD_LIMIT, more files or lines than
add_operators.py allows, or a test fails. It adds nothing to the disk cache but results of the
tree as it is, so that the next run finds the same.
"""
import collections
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import add_operators

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "tests/benchmarks"))
import growth  # noqa: E402

EDIT_LIMIT = 60
ADD_LIMIT = 40
RATE = 20
LINKS = ("CppLink", "CppArchive")
# A default stands in the operator's record, its gradient's, the API, both executors and Python.
EDIT = ("ops_gen/ops/activation.yaml", "softmax", "int axis = -1)", "int axis = 2)")


def entries(text):
    return re.split(r"(?m)^(?=- )", text)


def edit(root):
    path, op, before, after = root / EDIT[0], *EDIT[1:]
    parts = entries(path.read_text())
    changed = [part.replace(before, after)
               if re.match(rf"- (op: {op}|backward_op: {op}_grad)\n", part) else part
               for part in parts]
    if changed == parts:
        sys.exit(f"count_growth: {EDIT[0]}: expected {before!r} in the entry of {op}")
    path.write_text("".join(changed))


def spawns(path):
    """The records of an execution log: JSON objects, one after the other."""
    decoder, text, at = json.JSONDecoder(), path.read_text(), 0
    while at < len(text):
        record, at = decoder.raw_decode(text, at)
        while at < len(text) and text[at].isspace():
            at += 1
        yield record


def build(workspace):
    """[(mnemonic, target)] of what ran, as no cache had it."""
    log = workspace.base.parent / "spawns.json"
    workspace.bazel("build", growth.PACKAGE, *growth.OPTIONS, f"--execution_log_json_file={log}")
    return [(spawn["mnemonic"], spawn.get("targetLabel", "") or spawn["listedOutputs"][0])
            for spawn in spawns(log) if not spawn.get("remoteCacheHit")]


def fill_cache(workspace):
    """Builds the copy as it is and cleans it: then the disk cache holds all of it.

    A workspace that was built step by step leaves gaps. There Bazel repeats an action only for
    headers that its compiler has read, but looks it up in the disk cache by all that it may read.
    """
    workspace.bazel("build", growth.PACKAGE, *growth.OPTIONS, "--remote_upload_local_results")
    workspace.bazel("clean")


def report(what, ran, limit):
    """Prints the counts; True if they are within the limit."""
    apart = [s for s in ran if s[0] in LINKS or "_table" in s[1]]
    counted = [s for s in ran if s not in apart]
    kinds = collections.Counter(mnemonic for mnemonic, _ in counted)
    print(f"{what}: {len(counted)} actions ({', '.join(f'{k} {n}' for k, n in sorted(kinds.items()))}), "
          f"at most {limit}; links, archives and kernel tables: {len(apart)}")
    if len(counted) > limit or "--verbose" in sys.argv:
        print("".join(f"  {mnemonic} {target}\n" for mnemonic, target in sorted(counted)), end="")
    return 0 < len(counted) <= limit


def test(workspace, ops):
    """True if the operators' samples pass in C++, eager, static and Python: `./sy test --op`."""
    targets = ["//tests/samples/...", "-//tests/samples:coverage_test"]
    ran = subprocess.run([*workspace.command, "test", *growth.OPTIONS, "--", *targets], check=False,
                         cwd=workspace.root, env={**os.environ, "SY_OP": ",".join(ops)})
    return ran.returncode == 0


def count(workspace):
    """Edits, adds, builds and tests: whether all is within its limit, and the last build's CPU seconds."""
    fill_cache(workspace)
    edit(workspace.root)
    good = report("an edited entry, clean output base", build(workspace), EDIT_LIMIT)
    added = []
    for op, few in add_operators.by_hand(workspace.root):
        good = few and good
        before = workspace.children_seconds()
        good = report(f"{op} and its gradient", build(workspace), ADD_LIMIT) and good
        seconds = workspace.children_seconds() - before
        added.append(op)
    return test(workspace, added) and good, seconds


def main():
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="switchyard-growth."))
    workspace = growth.Workspace(scratch)
    try:
        good, seconds = count(workspace)
        growth.estimate(workspace, RATE, seconds)
    finally:
        os.chdir("/")
        subprocess.run([*workspace.command, "shutdown"], cwd=workspace.root,
                       check=False)
        subprocess.run(["chmod", "-R", "u+w", str(scratch)], check=False)
        shutil.rmtree(scratch, ignore_errors=True)
    sys.exit(0 if good else 1)


main()
