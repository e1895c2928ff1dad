#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Checks comments, error messages and pages for turns of phrase that are hard to read.

Run it in the workspace. It knows no exceptions: where a pattern is wrong for a correct use, narrow
the pattern.
"""
import pathlib
import re
import subprocess
import sys

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
    ('"after"', r"(?<!leaves )(?<!nothing )(?<!far )\bbehind\b"),
]
CPP = (".h", ".cc", ".cu")
COMMENT = {".h": r"\s*//+ ?(.*)", ".cc": r"\s*//+ ?(.*)", ".cu": r"\s*//+ ?(.*)",
           ".bzl": r"\s*# ?(.*)", ".bazel": r"\s*# ?(.*)", ".sh": r"\s*# ?(.*)",
           ".py": r"\s*# ?(.*)", ".yaml": r"\s*# ?(.*)"}


def behind_code(line):
    """The comment at the end of a line of C++; "" if there is none."""
    blanked = re.sub(r'"(?:[^"\\]|\\.)*"', lambda text: "_" * len(text.group(0)), line)
    found = re.search(r"//+ ?", blanked)
    return line[found.end():] if found else ""


def found_in(name, text):
    """(line number, the words, what to write instead) of each place in the file."""
    suffix = pathlib.Path(name).suffix
    before = False
    for number, line in enumerate(text.split("\n"), 1):
        if suffix == ".md":
            prose, first = line, False
        else:
            match = re.match(COMMENT[suffix], line)
            quoted = re.findall(r'"((?:[^"\\]|\\.)*)"', line)
            if suffix in CPP:
                quoted.append(behind_code(line))
            prose = match.group(1) if match else " ".join(quoted)
            docstring = re.match(r'\s*"""(.*)', line) if suffix in (".py", ".bzl") else None
            prose = docstring.group(1) if docstring else prose
            first = bool(match) and not before or bool(docstring)
            before = bool(match) and "SPDX" not in line
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
            and not name.startswith(("tools/ci/check_english", "CONTRIBUTING.md"))]


def main():
    names = tracked()
    problems = [f"{name}:{number}: '{words}': write {instead}" for name in names
                for number, words, instead in found_in(name, pathlib.Path(name).read_text())]
    print("\n".join(problems + [f"{len(names)} files, {len(problems)} problems"]))
    sys.exit(bool(problems))


main()
