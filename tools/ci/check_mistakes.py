#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Makes three mistakes in an entry, asks Bazel for the operators and reads the messages that a user gets.

Bazel reads the entries before it runs anything, so a mistake can end in words about a missing target.
This copies what the repository @sy_ops reads into a workspace of its own, makes one mistake at a time
and fails unless Bazel repeats the sentence about it. ops_gen/mistakes_test.py makes more, without
Bazel. Takes some ten seconds; builds nothing.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

FAMILY = "ops_gen/ops/exponential.yaml"
READ = ["ops_gen", "phi/composite", "phi/infermeta", "phi/kernels"]
WORKSPACE = """workspace(name = "switchyard")
load("//ops_gen:repository.bzl", "sy_ops")
sy_ops(name = "sy_ops")
"""
# (what stands in the entry of square, what it becomes, what Bazel says of it).
MISTAKES = [
    ("  functor: Square", "  functr: Square", r"square: expected one of the keys op, .*, got 'functr'; "
     "did you mean 'functor'\\?"),
    ("    reference, cpu: number", "    reference, cpx: number", r"square: kernels.reference, cpx: expected "
     r"a backend \(.*\) or fluid/<backend>, got 'cpx'; did you mean 'cpu'\?"),
    ("UnchangedInferMeta", "UnchangdInferMeta", "square: infer_meta.func: no function UnchangdInferMeta in "
     r"phi/infermeta/elementwise/elementwise.h; did you mean UnchangedInferMeta\?"),
]


def copy(scratch):
    """Copies what is read; packages are empty, since nothing is loaded but the rule."""
    root = scratch / "workspace"
    listed = subprocess.run(["git", "-c", "safe.directory=*", "ls-files", "-z", *READ], check=True,
                            capture_output=True, text=True).stdout
    for name in filter(None, listed.split("\0")):
        if not pathlib.Path(name).exists():
            continue  # Removed, and not yet committed.
        target = root / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if name.endswith("BUILD.bazel"):
            target.write_text("")
        elif name.endswith((".h", ".def", ".bzl", ".py", ".yaml")):
            shutil.copy(name, target)
    (root / "WORKSPACE").write_text(WORKSPACE)
    return root


def main():
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="switchyard-mistakes."))
    command = ["bazel", "--nohome_rc", "--noworkspace_rc", "--host_jvm_args=-XX:TieredStopAtLevel=1",
               f"--output_base={scratch / 'base'}"]
    failed = 0
    try:
        root = copy(scratch)
        family = root / FAMILY
        good = family.read_text()

        def query():
            return subprocess.run([*command, "query", "--noshow_progress", "@sy_ops//:all"], cwd=root,
                                  check=False, capture_output=True, text=True)

        done = query()
        if done.returncode != 0:
            sys.exit(f"check_mistakes: the entries as they are: {done.stderr}")
        at = good.index("- op: square\n")
        for before, after, expected in MISTAKES:
            line = good.count("\n", 0, good.index(before, at)) + 1
            family.write_text(good[:at] + good[at:].replace(before, after, 1))
            done = query()
            if done.returncode == 0 or not re.search(f"{FAMILY}:{line}: {expected}", done.stderr):
                print(f"check_mistakes: {after.strip()}: expected {FAMILY}:{line}: {expected}, got:\n"
                      f"{done.stderr}")
                failed += 1
        family.write_text(good)
        if query().returncode != 0:
            print("check_mistakes: a mistake that was mended is still refused")
            failed += 1
    finally:
        subprocess.run([*command, "shutdown"], cwd=root, check=False, capture_output=True)
        subprocess.run(["chmod", "-R", "u+w", str(scratch)], check=False)
        shutil.rmtree(scratch, ignore_errors=True)
    print(f"{len(MISTAKES)} mistakes, {failed} without their sentence")
    sys.exit(1 if failed else 0)


main()
