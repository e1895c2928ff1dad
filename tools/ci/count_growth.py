#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Counts what Bazel runs to build the Python package after an edit and after an added operator.

Run it in the workspace after `bazel build //...`, whose results must be in the disk cache. It
copies the tracked files into a scratch folder with an output base of its own and builds there
twice: after an edit of one entry (what a colleague's checkout or CI pays), then, from that built
tree, after an operator with a gradient and a legacy form is added. It counts generations and
compilations that no cache answered; links, archives and kernel tables are printed apart. Fails if
there are more than EDIT_LIMIT or ADD_LIMIT. It adds nothing to the disk cache, so that the next run
finds the same.
"""
import collections
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

PACKAGE = "//python/switchyard:switchyard"
EDIT_LIMIT = 60
ADD_LIMIT = 40
LINKS = ("CppLink", "CppArchive")
# A default stands in the operator's record, its gradient's, the API, both executors and Python.
EDIT = ("ops_gen/ops/activation.yaml", "softmax", "int axis = -1)", "int axis = 2)")
# As a new operator's author writes it; its functor and its gradient's body are those of `square`.
ADDED = ("ops_gen/ops/math.yaml", "square", "square_again")


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


def add(root):
    path, like, name = root / ADDED[0], *ADDED[1:]
    parts = [part for part in entries(path.read_text())
             if re.match(rf"- (op: {like}|backward_op: {like}_grad)\n", part)]
    if len(parts) != 2:
        sys.exit(f"count_growth: {ADDED[0]}: expected {like} and {like}_grad")
    added = re.sub(rf"\b{like}(?=\b|_grad)", name, "".join(parts))
    path.write_text(path.read_text().rstrip("\n") + "\n\n" + added.rstrip("\n") + "\n")


def spawns(path):
    """The records of an execution log: JSON objects, one behind the other."""
    decoder, text, at = json.JSONDecoder(), path.read_text(), 0
    while at < len(text):
        record, at = decoder.raw_decode(text, at)
        while at < len(text) and text[at].isspace():
            at += 1
        yield record


def build(root, base):
    """[(mnemonic, target)] of what ran, as no cache had it."""
    log = base.parent / "spawns.json"
    bazel = ["bazel", f"--output_base={base}"]
    subprocess.run(bazel + ["build", PACKAGE, "--noshow_progress", "--show_result=0",
                            "--ui_event_filters=-info", "--noremote_upload_local_results",
                            f"--execution_log_json_file={log}"],
                   cwd=root, check=True)
    return [(spawn["mnemonic"], spawn.get("targetLabel", "") or spawn["listedOutputs"][0])
            for spawn in spawns(log) if not spawn.get("remoteCacheHit")]


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


def copy_tracked(target):
    names = subprocess.run(["git", "ls-files", "-z"], check=True, stdout=subprocess.PIPE,
                           universal_newlines=True).stdout.split("\0")
    for name in filter(None, names):
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(name, target / name)


def main():
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="switchyard-growth."))
    root, base = scratch / "workspace", scratch / "base"
    try:
        copy_tracked(root)
        edit(root)
        good = report("an edited entry, clean output base", build(root, base), EDIT_LIMIT)
        add(root)
        good = report("an added operator and its gradient", build(root, base), ADD_LIMIT) and good
    finally:
        subprocess.run(["bazel", f"--output_base={base}", "shutdown"], cwd=root, check=False)
        subprocess.run(["chmod", "-R", "u+w", str(scratch)], check=False)
        shutil.rmtree(scratch, ignore_errors=True)
    sys.exit(0 if good else 1)


main()
