#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Checks what no compiler reads: that comments and pages name files and targets that exist, file lengths,
the places of kernels that `explain` names, and that no file has a path of the machine where it was made.

Run it in the workspace. It reads the files that git tracks: comments of C++, Starlark and shell,
and the code and links of Markdown. A path is looked up from the root, from its own folder and from
python/; a bare name must be that of some file. A label without a target names a package; a target that
no BUILD file spells is asked of Bazel. A kernel of more than MAX_PARAMETERS parameters takes the struct
that is made of them (phi/core/kernel_args.h). A hand-written file has at most MAX_LINES lines, and one of
Markdown at most MAX_COLUMNS columns (tables and code aside).
"""
import os
import pathlib
import re
import subprocess
import sys

MAX_LINES = 400
MAX_COLUMNS = 100
# The most parameters of a kernel besides its context; as in ops_gen/emit/kernel_args.h.
MAX_PARAMETERS = 8
# Written by update commands, without a line that says so.
GENERATED_PAGES = ("docs/models.md", "docs/parity.md", "docs/passes.md")
# Names of files that are made, or stand for any: not in the tree.
ELSEWHERE = {
    "first.cc", "first.py", "switchyard/ops.h", "data/SOURCE.md", "CMakeLists.txt", "seconds.txt", "a/b/c.txt",
    "hwy/ops/set_macros-inl.h",
}
CODE = (".h", ".cc", ".cu", ".cuh", ".def")
SCRIPT = (".bzl", ".bazel", ".sh")
COUNTED = CODE + SCRIPT + (".py", ".yaml")
PATH = re.compile(r"(?<![\w./@:*<>{}-])((?:[\w.-]+/)*\w[\w-]*\."
                  r"(?:h|cc|cu|cuh|py|bzl|md|yaml|def|sh|txt))(?![\w/*])")
LABEL = re.compile(r"(?<![\w@:/.])//((?:[a-z][\w-]*/)*[a-z][\w-]*)(?::([a-z]\w*))?")

# A path of the machine where the file was made: no reader has it.
MACHINE_PATH = re.compile(r"(?<![\w.$~}/*-])/(?:work|root|home/\w+|Users/\w+)/[\w.]")
KERNEL = re.compile(r"absl::Status (\w+Kernel)\(\s*const \w+Context&([^;{}]*?)\)\s*[;{]")
COPIED_SPEC = re.compile(r"\bk\w+Spec\s*=\s*k\w+Spec<\w+>(?!\s*\.Here\(\))")


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


def is_package(package, tracked):
    """True for a package, and for a folder that holds some ("//phi/...")."""
    return any(path.startswith(package + "/") and path.endswith("/BUILD.bazel") for path in tracked)


def is_spelt(package, target, tracked):
    """True if the target is a file, or its name stands in the package's BUILD file."""
    build = pathlib.Path(package, "BUILD.bazel")
    return f"{package}/{target}" in tracked or build.exists() and f'"{target}"' in build.read_text()


def unknown_to_bazel(labels):
    """Those that Bazel has no target for."""
    if not labels:
        return set()
    found = subprocess.run(
        ["bazel", "query", "--noshow_progress", "--keep_going", "set(%s)" % " ".join(sorted(labels))],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, universal_newlines=True)
    return set(labels) - set(found.stdout.split("\n"))


def wrong_labels(places, tracked):
    """A problem for each of [(file:line, package, target or "")] that names nothing."""
    made = {}  # By macros: {label: places}.
    for place, package, target in places:
        if not is_package(package, tracked):
            yield f"{place}: names //{package}, which does not exist"
        elif target and not is_spelt(package, target, tracked):
            made.setdefault(f"//{package}:{target}", []).append(place)
    for label in sorted(unknown_to_bazel(made)):
        for place in made[label]:
            yield f"{place}: names {label}, which does not exist"


def page_problems(name, text):
    """Yields what is too long in a page of Markdown that is written by hand."""
    if text.startswith("<!-- Generated") or name in GENERATED_PAGES:
        return
    lines = text.splitlines()
    if len(lines) > MAX_LINES:
        yield f"{name}: has {len(lines)} lines, at most {MAX_LINES}"
    is_code = False
    for number, line in enumerate(lines, 1):
        is_code ^= line.startswith("```")
        is_prose = not (is_code or line.startswith("    ") or line.lstrip().startswith("|"))
        if len(line) > MAX_COLUMNS and is_prose:
            yield f"{name}:{number}: has {len(line)} columns, at most {MAX_COLUMNS}"


def problems_of(name, text, tracked, basenames, labels):
    for number, comment in comments(name, text):
        labels += [(f"{name}:{number}", *label) for label in LABEL.findall(comment)]
        for path in PATH.findall(comment):
            if not is_there(path, name, tracked, basenames):
                yield f"{name}:{number}: names {path}, which does not exist"
    for copied in COPIED_SPEC.finditer(text) if name.endswith(CODE) else ():
        number = text.count("\n", 0, copied.start()) + 1
        yield f"{name}:{number}: has the place of another kernel: .Here() is missing"
    for kernel in KERNEL.finditer(text) if name.startswith("phi/kernels/") else ():
        # A comma in a template argument is no parameter's.
        parameters = re.sub(r"<[^<>]*>", "", kernel.group(2)).count(",")
        if parameters > MAX_PARAMETERS:
            number = text.count("\n", 0, kernel.start()) + 1
            yield f"{name}:{number}: {kernel.group(1)} has {parameters} parameters, at most {MAX_PARAMETERS}"
    lines = text.count("\n")
    if name.endswith(COUNTED) and lines > MAX_LINES:
        yield f"{name}: has {lines} lines, at most {MAX_LINES}"
    if name.endswith(".md"):
        yield from page_problems(name, text)


def machine_paths(name):
    """Yields the lines of a text file that name a path of some machine."""
    try:
        text = pathlib.Path(name).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return
    for number, line in enumerate(text.split("\n"), 1):
        found = MACHINE_PATH.search(line)
        if found:
            yield f"{name}:{number}: names {found.group()}..., a path of one machine"


def main():
    tracked = set(filter(None, subprocess.run(
        ["git", "ls-files"], check=True, stdout=subprocess.PIPE,
        universal_newlines=True).stdout.split("\n")))
    basenames = {os.path.basename(name) for name in tracked}
    problems, labels = [], []
    for name in sorted(tracked):
        if os.path.isfile(name):
            problems += machine_paths(name)
        if "/testdata/" in name or "/golden/" in name or not os.path.isfile(name):
            continue
        if name.endswith(COUNTED + (".md",)):
            problems += problems_of(name, pathlib.Path(name).read_text(), tracked, basenames, labels)
    problems += wrong_labels(labels, tracked)
    print("\n".join(problems + [f"{len(tracked)} files, {len(problems)} problems"]))
    sys.exit(1 if problems or not tracked else 0)


main()
