# SPDX-License-Identifier: Apache-2.0
"""The static graph names no operator as a string, importers of other systems' programs excepted.

Passes, autodiff, lowering and the executor ask for traits and interfaces, which an operator's entry
gives (`traits:`). What is about certain operators, fusions above all, uses their generated classes
(static_graph/dialect/op_view.h), whose names and types the compiler checks. A string literal that is
an operator's name, alone or after "op." or "kernel.", is an error; comments don't count.

usage: operator_names_test.py OPERATORS SOURCE...
"""

import re
import sys

# A comment, or a string literal.
TOKEN = re.compile(r'//.*|"((?:[^"\\]|\\.)*)"')
# Words that mean something else, by file.
OTHER_MEANINGS = {
    # The classes stand on BuildOp, which promotes by casts.
    ("static_graph/dialect/build_op.cc", "cast"),
    ("static_graph/executor/state.cc", "contiguous"),  # What a state must be.
    # No pass: an array that a traced function captured is written call by call.
    ("static_graph/program/graph_builder.cc", "create_array"),
    ("static_graph/program/graph_builder.cc", "array_write"),
}


def literals(source):
    """Yields line number and text of each string literal outside of comments and includes."""
    for number, line in enumerate(source.splitlines(), 1):
        if line.startswith("#"):
            continue
        for match in TOKEN.finditer(line):
            if match.group(1) is not None:
                yield number, match.group(1)


def named(text, operators):
    """Returns whether the literal is an operator's name."""
    return re.sub(r"^(op|kernel)\.", "", text) in operators


def check():
    """The rule itself finds what it should."""
    found = [text for _, text in literals('f("op.relu", "x");  // "add"\n#include "add"\n"a";')]
    assert found == ["op.relu", "x", "a"], found
    assert named("op.relu", {"relu"}) and named("relu", {"relu"})
    assert not named("op.", {"relu"}) and not named("relu must be", {"relu"})


def main(operators_file, *sources):
    check()
    with open(operators_file, encoding="utf-8") as lines:
        operators = set(lines.read().split())
    assert len(operators) >= 300, f"{operators_file}: {len(operators)} operators"
    assert len(sources) >= 40, f"{len(sources)} sources"
    errors = []
    for path in sources:
        if path.endswith("_test.cc") or not path.endswith(".cc"):
            continue
        with open(path, encoding="utf-8") as source:
            for number, text in literals(source.read()):
                if named(text, operators) and (path, text) not in OTHER_MEANINGS:
                    errors.append(f'{path}:{number}: "{text}" names an operator')
    print("\n".join(errors))
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
