#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that headers say in prose what their users may rely on.

Run it in the workspace; with --all it prints the share of each contract header. Every class, struct
and enum of a header has a comment right above it. In the contract headers, those of FOLDERS, at
least a third of the interface is comments: of the lines that a user reads. Bodies of functions,
private members, `namespace internal` and `detail`, #include lines, guards, macros and closing braces
are left out, with the comments in them.
"""
import math
import pathlib
import re
import subprocess
import sys

FOLDERS = ("phi/core/", "phi/selection/", "phi/dispatch/", "eager/", "static_graph/ir/",
           "static_graph/executor/", "framework/")
SHARE = 1 / 3
COMMENT = re.compile(r"\s*//+(.*)")
# A line that no reader needs explained.
PLUMBING = re.compile(r"\s*(?:$|#|(?:inline )?namespace\b|using namespace\b|extern \"C\"|friend\b|"
                      r"[})\];,\s]*$)")
ACCESS = re.compile(r"\s*(public|protected|private):\s*$")
TYPE = re.compile(r"\b(?:class|struct|union|enum)\b[^()=]*$|\balignas\([^)]*\)[^()=]*$")
# A class that is defined here and is no specialisation; and what may stand between it and its comment.
CLASS = re.compile(r"(?:class|struct|union|enum class|enum)(?: alignas\([^)]*\))? [\w:]+(?: final)?"
                   r"(?: : [^;]*)?(?: :)? \{")
HEAD = re.compile(r"(?:template|typename|requires|    )")


class Interface:
    """Follows the braces of a header; knows whether a line is part of the interface."""

    def __init__(self):
        self.scopes = []  # "namespace", "public" or "private" of a type, "body" of all else.
        self.pending = ""  # The statement that is not at its end.

    def hidden(self):
        return any(scope in ("body", "private") for scope in self.scopes)

    def read(self, line):
        access = ACCESS.match(line)
        if access and self.scopes and self.scopes[-1] in ("public", "private"):
            self.scopes[-1] = "private" if access.group(1) == "private" else "public"
            return
        for char in re.sub(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)\'|//.*', "", line):
            if char == "{":
                self.scopes.append(self.kind())
                self.pending = ""
            elif char == "}" and self.scopes:
                self.scopes.pop()
                self.pending = ""
            elif char == ";":
                self.pending = ""
            else:
                self.pending += char
        self.pending += " "

    def kind(self):
        head = re.sub(r"template <.*?>(?= ?(?:class|struct))", "", self.pending)
        if re.search(r"\bnamespace (?:internal|detail)\b", head):
            return "private"
        if re.search(r"\bnamespace\b|\bextern\b", head):
            return "namespace"
        if not TYPE.search(head):
            return "body"
        return "private" if re.search(r"\bclass\b", head) and "enum" not in head else "public"


def share(text):
    """(lines of comments, lines of declarations) of a header's interface."""
    interface, prose, code = Interface(), 0, 0
    macro = False
    for line in text.split("\n"):
        comment = COMMENT.match(line)
        if comment:
            prose += not interface.hidden() and bool(comment.group(1).strip()) and "SPDX" not in line
            continue
        plumbing = macro or PLUMBING.match(line) or ACCESS.match(line)
        macro = (macro or line.startswith("#")) and line.endswith("\\")
        code += not plumbing and not interface.hidden()
        if not line.startswith("#") and not macro:
            interface.read(line)
    return prose, code


def without_comment(text):
    """(line number, the line) of each class at the outermost level that has no comment above it."""
    lines = text.split("\n")
    for number, line in enumerate(lines):
        if not CLASS.match(line):
            continue
        above = number - 1
        while HEAD.match(lines[above]):
            above -= 1
        if not COMMENT.match(lines[above]):
            yield number + 1, line.strip()


def main():
    names = subprocess.run(["git", "ls-files", "*.h"], check=True, stdout=subprocess.PIPE,
                           universal_newlines=True).stdout.split("\n")
    names = [name for name in names if pathlib.Path(name).is_file() and "/test" not in name]
    problems = 0
    for name in names:
        text = pathlib.Path(name).read_text()
        for number, line in without_comment(text):
            problems += 1
            print(f"{name}:{number}: expected a comment above '{line}'")
        if not name.startswith(FOLDERS):
            continue
        prose, code = share(text)
        short = prose < SHARE * (prose + code)
        problems += short
        if short or "--all" in sys.argv:
            print(f"{name}: has {prose} lines of comments beside {code} of declarations, "
                  f"expected at least {math.ceil(code * SHARE / (1 - SHARE))}")
    print(f"{len(names)} headers, {problems} problems")
    sys.exit(bool(problems) or not names)


if __name__ == "__main__":
    main()
