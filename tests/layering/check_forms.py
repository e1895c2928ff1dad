#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that no condition of the project's C++ depends on whether a kernel is a legacy one.

    check_forms.py FILES

Selection, executors, autograd and all below them treat kernels of phi/legacy/kernels as they treat any other.
So in no file outside KEPT may a condition have a word for the form of a kernel: "fluid" in a name or a
text, or an enumerator of KernelOrigin. A policy that filters compares origins with each other, and
names are looked up in a table (phi/core/kernel_origin.h).
"""
import pathlib
import re
import sys

# Legacy kernels themselves, and kernels, which may know what they are. Sources of tests don't count.
KEPT = ("phi/legacy/kernels/", "phi/kernels/", "tests/", "ops_gen/", "examples/")
WORD = re.compile(r"fluid|\bKernelOrigin::k\w+|\bkPhi\b", re.IGNORECASE)
# A piece of code between ; { and } is a condition, or has one, if it has any of these.
CONDITION = re.compile(r"\b(?:if|while|switch|case)\b|\?|==|!=|&&|\|\|")
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
# Only the words of a text count.
STRING = re.compile(r'R"\((?:.*?)\)"|"(?:\\.|[^"\\\n])*"', re.DOTALL)
INCLUDE = re.compile(r"^\s*#.*$", re.MULTILINE)


def is_kept(path):
    return path.startswith(KEPT) or path.endswith("_test.cc") or "/testing/" in path


def problems_of(path, text):
    """A line for each condition that has such a word."""
    code = INCLUDE.sub("", COMMENT.sub(lambda match: "\n" * match.group().count("\n"), text))
    code = STRING.sub(lambda match: re.sub(r"[^\w\n]|\b(?:if|while|case)\b", " ", match.group()), code)
    line = 1
    for piece in re.split(r"([;{}])", code):
        if WORD.search(piece) and CONDITION.search(piece):
            at = line + piece[:WORD.search(piece).start()].count("\n")
            yield (f"{path}:{at}: a condition must not depend on the form of a kernel, "
                   f"got {' '.join(piece.split())[:60]}")
        line += piece.count("\n")


def main():
    paths = [path for path in sorted(set(pathlib.Path(sys.argv[1]).read_text().split()))
             if not is_kept(path)]
    problems = [problem for path in paths
                for problem in problems_of(path, pathlib.Path(path).read_text())]
    print("\n".join(problems + [f"{len(paths)} files, {len(problems)} problems"]))
    sys.exit(1 if problems or not paths else 0)


if __name__ == "__main__":
    main()
