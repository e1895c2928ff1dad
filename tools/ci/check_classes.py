#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that no class has grown out of its room.

Run it in the workspace. A class has its methods in one .cc file, and at most MOST of them out of
line. A parser (a class whose name says so) may have more: a method for each rule. Those that have
grown anyway are in classes.txt beside this file, a line each: files, methods, namespace and name.
The list only shrinks: a line that says more than there is, or of a class that is within bounds, is
an error as well. With --update it is written with what there is, and still refuses what is new.
"""
import collections
import pathlib
import re
import subprocess
import sys

MOST = 15
LIST = pathlib.Path(__file__).parent / "classes.txt"
PARSER = re.compile(r"(?:Parser|Reader|Lexer|Scanner)$")
# Comments, texts and characters, preprocessor lines: no code.
NO_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:[^"\\\n]|\\.)*"|'
                     r"'(?:[^'\\\n]|\\.)'|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.S | re.M)
NAMESPACE = re.compile(r"^(?:inline )?namespace ?([\w:]*) ?\{", re.M)
TYPE = re.compile(r"^\s*(?:class|struct)(?: alignas\([^)]*\))? (\w+)\b(?!::)[^;()=]*\{", re.M)
# The qualified name of a function, right before its parameters.
METHOD = re.compile(r"((?:\b\w+\s*::\s*)+)(~?\w+|operator[^\w\s]*[\w ]*)$")


def without_arguments(text):
    """The text without what is in angle brackets: arguments of templates."""
    while True:
        shorter = re.sub(r"<[^<>]*>", "", text)
        if shorter == text:
            return text
        text = shorter


def definitions(code):
    """Yields the text before the parameters of each function that is defined outside of a class."""
    depth = 0  # Of braces that are no namespace's.
    begin = 0
    for found in re.finditer(r"[{};]", code):
        head = code[begin:found.start()]
        if found.group() == "{":
            if depth > 0 or not re.search(r"(?:^|\s)namespace(?:\s+[\w:]+)?\s*$", head):
                if depth == 0 and "(" in head:
                    yield begin, without_arguments(head.replace("->", " "))
                depth += 1
        elif found.group() == "}":
            depth = max(0, depth - 1)
        if depth == 0:
            begin = found.end()


def methods(text):
    """Yields the scope ("phi::" and the like) and the class of each method that a source defines out of line."""
    code = NO_CODE.sub(lambda found: " " if found.group()[0] in "#/" else '""', text)
    own = set(TYPE.findall(code))
    spaces = [(found.start(), found.group(1)) for found in NAMESPACE.finditer(code)]
    for begin, head in definitions(code):
        named = METHOD.search(head[:head.index("(")].rstrip()) if "(" in head else None
        if not named:
            continue
        names = [name for name in re.split(r"\s*::\s*", named.group(1)) if name]
        if not names[-1][0].isupper():
            continue
        while names and not names[0][0].isupper():
            names.pop(0)
        within = [name for start, name in spaces if start < begin and name]
        yield within[-1] if within else "", "::".join(names), names[0] in own


def count(paths):
    """Returns the files and the number of methods by namespace and name of a class."""
    found = collections.defaultdict(collections.Counter)
    for path in paths:
        for space, name, own in methods(path.read_text(encoding="utf-8", errors="replace")):
            # Classes of one source may have the name of another's.
            found[f"{path}: {name}" if own else f"{space}::{name}"][str(path)] += 1
    return found


def grown(found):
    """Returns the files and methods of each class that is out of bounds."""
    counts = {name: (len(files), sum(files.values())) for name, files in found.items()}
    return {name: count for name, count in counts.items()
            if count[0] > 1 or (count[1] > MOST and not PARSER.search(name))}


def problems(now, listed):
    """Yields a sentence for each class that the list doesn't have right."""
    for name, (files, number) in sorted(now.items()):
        if name not in listed:
            yield f"{name} has {number} methods out of line in {files} files: at most {MOST} in one"
        elif files > listed[name][0] or number > listed[name][1]:
            yield f"{name} grows: {listed[name][1]} methods in {listed[name][0]} files became {number} in {files}"
        elif (files, number) != listed[name]:
            yield f"{name} has shrunk: write {files} {number} in {LIST.name}, or run this with --update"
    for name in sorted(set(listed) - set(now)):
        yield f"{name} is within bounds: take it out of {LIST.name}, or run this with --update"


def read_list(text):
    rows = [line.split(" ", 2) for line in text.splitlines() if line and not line.startswith("#")]
    return {name: (int(files), int(number)) for files, number, name in rows}


def main():
    tracked = subprocess.run(["git", "ls-files", "*.cc", "*.cu"], check=True, capture_output=True, text=True)
    paths = [pathlib.Path(line) for line in tracked.stdout.splitlines()]
    now = grown(count(path for path in paths if path.is_file()))
    text = LIST.read_text(encoding="utf-8")
    listed = read_list(text)
    if "--update" in sys.argv:
        head = [line for line in text.splitlines() if line.startswith("#")]
        rows = [f"{min(now[name][0], listed[name][0])} {min(now[name][1], listed[name][1])} {name}"
                for name in sorted(listed) if name in now]
        LIST.write_text("\n".join(head + rows) + "\n", encoding="utf-8")
        listed = read_list("\n".join(rows))
    wrong = list(problems(now, listed))
    for sentence in wrong:
        print(sentence)
    print(f"{len(now)} classes beyond their room, {len(wrong)} problems")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
