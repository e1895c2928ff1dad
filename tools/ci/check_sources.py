#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Checks what no compiler reads: that comments and pages name files that exist, and file lengths.

Run it in the workspace. It reads the files that git tracks: comments of C++, Starlark and shell,
and the code and links of Markdown. A path is looked up from the root, from its own folder and from
python/; a bare name must be that of some file. A hand-written file has at most MAX_LINES lines.
"""
import os
import pathlib
import re
import subprocess
import sys

MAX_LINES = 400
# Names of files that are made, or stand for any: not in the tree.
ELSEWHERE = {
    "first.py", "switchyard/ops.h", "data/SOURCE.md", "seconds.txt", "a/b/c.txt",
    "hwy/ops/set_macros-inl.h",
}
CODE = (".h", ".cc", ".cu", ".cuh", ".def")
SCRIPT = (".bzl", ".bazel", ".sh")
COUNTED = CODE + SCRIPT + (".py", ".yaml")
PATH = re.compile(r"(?<![\w./@:*<>{}-])((?:[\w.-]+/)*\w[\w-]*\."
                  r"(?:h|cc|cu|cuh|py|bzl|md|yaml|def|sh|txt))(?![\w/*])")


def comments(name, text):
    """(line number, text) of what is prose in the file."""
    for number, line in enumerate(text.split("\n"), 1):
        if name.endswith(CODE):
            found = re.search(r"(?:^|\s)//(.*)", line)
        elif name.endswith(SCRIPT):
            found = re.match(r"\s*#(.*)", line)
        elif name.endswith(".md"):
            yield number, " ".join(a or b for a, b in re.findall(r"`([^`]+)`|\]\(([^)#]+)", line))
            continue
        else:
            return
        if found:
            yield number, found.group(1)


def is_there(path, name, tracked, basenames):
    folder = os.path.dirname(name)
    return (path in ELSEWHERE or ".gen." in path or path.isupper() or
            path.split(".")[0].isupper() or
            any(os.path.normpath(os.path.join(root, path)) in tracked
                for root in ("", folder, "python")) or
            "/" not in path and path in basenames)


def problems_of(name, text, tracked, basenames):
    for number, comment in comments(name, text):
        for path in PATH.findall(comment):
            if not is_there(path, name, tracked, basenames):
                yield f"{name}:{number}: names {path}, which does not exist"
    lines = text.count("\n")
    if name.endswith(COUNTED) and lines > MAX_LINES:
        yield f"{name}: has {lines} lines, at most {MAX_LINES}"


def main():
    tracked = set(filter(None, subprocess.run(
        ["git", "ls-files"], check=True, stdout=subprocess.PIPE,
        universal_newlines=True).stdout.split("\n")))
    basenames = {os.path.basename(name) for name in tracked}
    problems = []
    for name in sorted(tracked):
        if "/testdata/" in name or "/golden/" in name or not os.path.isfile(name):
            continue
        if name.endswith(COUNTED + (".md",)):
            problems += problems_of(name, pathlib.Path(name).read_text(), tracked, basenames)
    print("\n".join(problems + [f"{len(tracked)} files, {len(problems)} problems"]))
    sys.exit(1 if problems or not tracked else 0)


main()
