#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Checks comments, error messages and pages for turns of phrase that are hard to read.

Run it in the workspace; `--update` rewrites the list of exceptions, english_exceptions.txt beside
this file: a file and the number of such places in it. A number may only shrink: more is an error,
and so is fewer until the list says so.
"""
import pathlib
import re
import subprocess
import sys

EXCEPTIONS = pathlib.Path("tools/ci/english_exceptions.txt")
# (what to write instead, the pattern). At the beginning of a comment or a docstring:
STARTS = [
    ("a whole sentence, verb first", r"(?:Of|By) "),
    ('a sentence that says what is the same', r"The same\b"),
    ('"Returns ...", or the noun itself', r"(?:What|Who|Whose) "),
]
# Anywhere in a comment, a text between quotes or a page:
ANYWHERE = [
    ('"except"', r"\bbut for\b"),
    ('a number, or "N"', r"\bso many\b"),
    ('"result", "gives"', r"\b(?:came|comes|come) to\b"),
    ('"again"', r"\banew\b"),
    ('"gets", "receives"', r"\b(?:is|are) told\b"),
    ('"no such ..."', r"\bthat there is not\b"),
    ('"through"', r"\bby way of\b"),
    ('what they are', r"\bits kin\b"),
    ('"counts", "decides"', r"\b(?:has|have) (?:a|no) say\b"),
    ('"any ..."', r"\bwhoever\b"),
]
COMMENT = {".h": r"\s*//+ ?(.*)", ".cc": r"\s*//+ ?(.*)", ".cu": r"\s*//+ ?(.*)",
           ".bzl": r"\s*# ?(.*)", ".bazel": r"\s*# ?(.*)", ".sh": r"\s*# ?(.*)",
           ".py": r"\s*# ?(.*)", ".yaml": r"\s*# ?(.*)"}


def found_in(name, text):
    """(line number, the words, what to write instead) of each place in the file."""
    suffix = pathlib.Path(name).suffix
    before = False
    for number, line in enumerate(text.split("\n"), 1):
        if suffix == ".md":
            prose, first = line, False
        else:
            match = re.match(COMMENT[suffix], line)
            prose = match.group(1) if match else " ".join(re.findall(r'"((?:[^"\\]|\\.)*)"', line))
            docstring = re.match(r'\s*"""(.*)', line) if suffix in (".py", ".bzl") else None
            prose = docstring.group(1) if docstring else prose
            first = bool(match) and not before or bool(docstring)
            before = bool(match)
        for instead, pattern in STARTS if first else []:
            if re.match(pattern, prose):
                yield number, re.match(pattern, prose).group(0).strip(), instead
        for instead, pattern in ANYWHERE:
            for match in re.finditer(pattern, prose, re.IGNORECASE):
                yield number, match.group(0), instead


def tracked():
    names = subprocess.run(["git", "ls-files"], check=True, stdout=subprocess.PIPE,
                           universal_newlines=True).stdout.split("\n")
    return [name for name in names
            if pathlib.Path(name).suffix in (*COMMENT, ".md") and pathlib.Path(name).is_file()
            and "/golden/" not in name and "/testdata/" not in name
            and not name.startswith(("docs/ops/", "tools/ci/check_english", "CONTRIBUTING.md"))]


def main():
    found = {name: list(found_in(name, pathlib.Path(name).read_text())) for name in tracked()}
    if "--update" in sys.argv:
        EXCEPTIONS.write_text("".join(f"{name} {len(places)}\n" for name, places in
                                      sorted(found.items()) if places))
        return
    listed = dict(line.split() for line in EXCEPTIONS.read_text().splitlines())
    problems = [f"{name}: is listed in {EXCEPTIONS} and does not exist"
                for name in listed if name not in found]
    for name, places in found.items():
        known = int(listed.get(name, 0))
        if len(places) > known:
            problems += [f"{name}:{number}: '{words}': write {instead}"
                         for number, words, instead in places]
        elif len(places) < known:
            problems.append(f"{name}: has {len(places)} such places now, {known} in {EXCEPTIONS}: "
                            "run tools/ci/check_english.py --update")
    print("\n".join(problems + [f"{sum(map(len, found.values()))} places listed, "
                                f"{len(problems)} problems"]))
    sys.exit(bool(problems))


main()
