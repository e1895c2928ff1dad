# SPDX-License-Identifier: Apache-2.0
"""Adds two operators to a copy of the workspace as their author would, and counts what that takes.

`cube` is elementwise, with a gradient and a legacy form: ./sy new makes it of `square`, and what
differs is changed. `outer` has a shape rule, kernels and a gradient of its own: the pieces of
tests/adding_an_operator/outer. count_growth.py runs both.
"""
import pathlib
import re
import shutil
import subprocess

CUBE = "cube"
OUTER = "outer"
PIECES = pathlib.Path("tests/adding_an_operator/outer")
# The limits of what is written by hand: files, and lines of the first.
CUBE_FILES, CUBE_LINES, OUTER_FILES = 5, 55, 8

# (file, text of the copy, what it becomes). Of the copy alone: after its name.
CHANGES = [
    ("ops_gen/ops/exponential.yaml", "What cube computes.", "x * x * x."),
    ("ops_gen/ops/exponential.yaml", "uses: [conj, multiply, scale]",
     "uses: [conj, multiply, scale, square]"),
    ("phi/kernels/functors/power.h", "return x * x;", "return x * x * x;"),
    ("phi/kernels/reference/elementwise/power.h", "(v * v)", "(v * v * v)"),
    ("phi/composite/exponential.h", "Times(ops, out_grad, 2)", "Times(ops, out_grad, 3)"),
    ("phi/composite/exponential.h", "Conjugated(ops, x)", "Conjugated(ops, op::square(ops, x))"),
]
PLACES = {
    "entry.yaml": "ops_gen/ops/linalg.yaml",
    "infer_meta.h": "phi/infermeta/linalg/linalg.h",
    "infer_meta.cc": "phi/infermeta/linalg/linalg.cc",
    "reference.h": "phi/kernels/reference/linalg/linalg.h",
    "cpu.h": "phi/kernels/cpu/linalg/linalg.h",
    "gradient.h": "phi/composite/linalg.h",
    "samples.yaml": "tests/samples/linalg.yaml",
}


def copy_tracked(target):
    """Copies the files that git tracks, from the workspace that this runs in."""
    names = subprocess.run(["git", "ls-files", "-z"], check=True, stdout=subprocess.PIPE,
                           universal_newlines=True).stdout.split("\0")
    for name in filter(None, names):
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(name, target / name)


def add_cube(root):
    said = subprocess.run(["./sy", "new", CUBE, "--like", "square", "--legacy", CUBE], cwd=root,
                          check=True, stdout=subprocess.PIPE, universal_newlines=True).stdout
    # All of an elementwise operator can be copied: what is left to write would be named here.
    if "Kernel" in said:
        raise SystemExit(f"./sy new {CUBE} --like square: expected only places to change, got\n{said}")
    for name, before, after in CHANGES:
        path = root / name
        text = path.read_text()
        start = re.search(r"(?m)^(- op: cube|struct Cube|SY_FORMULA_1\(Cube|inline void CubeGrad)", text)
        at = text.index(before, start.start())
        path.write_text(text[:at] + after + text[at + len(before):])


def add_outer(root):
    for piece, name in PLACES.items():
        path, text = root / name, (root / PIECES / piece).read_text()
        old = path.read_text()
        if name.endswith(".yaml"):
            gap = "\n" if "ops_gen" in name else ""
            path.write_text(old.rstrip("\n") + "\n" + gap + text)
        else:
            at = old.rindex("\n}  // namespace")
            path.write_text(old[:at] + "\n" + text + old[at:])


def counted(root):
    """(files, lines) that git shows as added since the last commit; then commits."""
    rows = git(root, "diff", "--numstat").splitlines()
    git(root, "commit", "-qam", "Add an operator")
    return len(rows), sum(int(row.split()[0]) for row in rows)


def git(root, *words):
    return subprocess.run(
        ["git", "-c", "user.name=test", "-c", "user.email=test", *words], cwd=root, check=True,
        stdout=subprocess.PIPE, universal_newlines=True).stdout


def by_hand(root):
    """Adds both; the operators' names, and whether they took no more than they may."""
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "As it is")
    add_cube(root)
    files, lines = counted(root)
    print(f"{CUBE}: {files} files, {lines} lines by hand; at most {CUBE_FILES} and {CUBE_LINES}")
    good = files <= CUBE_FILES and lines <= CUBE_LINES
    yield CUBE, good
    add_outer(root)
    files, lines = counted(root)
    print(f"{OUTER}: {files} files, {lines} lines by hand; at most {OUTER_FILES} files")
    yield OUTER, files <= OUTER_FILES
