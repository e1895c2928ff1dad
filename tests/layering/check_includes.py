#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the #includes of a list of files against a table of layers.

    check_includes.py LAYERS FILES

LAYERS: one rule a line, "folder: folder folder ..."; a file belongs to the rule
with the longest folder that it is in, and may include its own folder and those
named. "<prefix>: folder folder ..." is a rule for a library's headers: only
those folders may include them, nobody if there is none. Tests (*_test.cc, testing/) may include
anything. A file that no rule covers, and a rule that covers no file, are errors
too.
"""
import pathlib
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]', re.MULTILINE)


def read_rules(path):
    """({folder: [allowed folders]}, {library's prefix: [folders]})."""
    rules, libraries = {}, {}
    for line in pathlib.Path(path).read_text().splitlines():
        line = line.split("#")[0].strip()
        if line.startswith("<"):
            prefix, folders = line[1:].split(">:")
            libraries[prefix] = folders.split()
        elif line:
            folder, allowed = line.split(":")
            rules[folder.strip()] = allowed.split()
    return rules, libraries


def inside(path, folder):
    return path == folder or path.startswith(folder + "/")


def rule_of(path, rules):
    """The longest folder among the rules that `path` is in; None if none."""
    return max((f for f in rules if inside(path, f)), key=len, default=None)


def is_test(path):
    return path.endswith("_test.cc") or "/testing/" in path


def problem_of_library(path, include, libraries):
    """A line if the header of a library is not for `path`'s folder; else None."""
    for prefix, folders in libraries.items():
        if include.startswith(prefix) and not any(inside(path, f) for f in folders):
            return (f"{path}: includes {include}, which is for "
                    f"{folders or 'nobody'}")
    return None


def problems_of(path, rules, libraries):
    """A line for every include of `path` that its layer may not have."""
    folder = rule_of(path, rules)
    if folder is None:
        yield f"{path}: no rule of the table covers it"
        return
    if is_test(path):
        return
    allowed = [folder] + rules[folder]
    for include in INCLUDE.findall(pathlib.Path(path).read_text()):
        if rule_of(include, rules) is None:
            problem = problem_of_library(path, include, libraries)
            if problem:
                yield problem
            continue
        # The longest match on both sides: framework does not allow a folder
        # inside it that has a rule of its own.
        if not any(inside(include, a) for a in allowed):
            yield f"{path}: includes {include}; {folder} may use {allowed}"


def main():
    rules, libraries = read_rules(sys.argv[1])
    paths = sorted(set(pathlib.Path(sys.argv[2]).read_text().split()))
    problems = [p for path in paths for p in problems_of(path, rules, libraries)]
    unused = set(rules) - {rule_of(path, rules) for path in paths}
    problems += [f"rule of {folder} covers no file" for folder in sorted(unused)]
    print("\n".join(problems))
    print(f"{len(paths)} files, {len(problems)} problems")
    sys.exit(1 if problems or not paths else 0)


main()
