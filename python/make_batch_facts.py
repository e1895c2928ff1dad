# SPDX-License-Identifier: Apache-2.0
"""Writes switchyard.native.batch_facts: the key ``batch:`` of the operators' entries.

The generator writes what ``./sy ops`` lists, a JSON file each for a family; an
elementwise operator counts as one whose entry names all its inputs.

    make_batch_facts.py OUT_FILE FAMILY.json...
"""

import json
import pathlib
import re
import sys

_TOP = '''\
# SPDX-License-Identifier: Apache-2.0
# Made by make_batch_facts.py. Do not edit.
"""The inputs of which axis 0 is a batch: the bits of an item do not depend on
the others there."""

# {operator: (the number of its inputs, the places of those inputs)}.
INPUTS = {
'''


def input_names(signature):
    """The names of the tensors of "op (Tensor x, Tensor[] y, int axis = 0) -> ..."."""
    arguments = signature.partition("(")[2].partition(") ->")[0]
    return re.findall(r"(?:^|, )Tensor(?:\[\])? (\w+)", arguments)


def facts_in(paths):
    """{operator: (number of inputs, places)} of the forward operators that have the fact."""
    found = {}
    for path in paths:
        if not str(path).endswith(".json"):
            continue  # The page for people.
        for op in json.loads(pathlib.Path(path).read_text()):
            names = input_names(op["signature"])
            places = tuple(names.index(name) for name in op["batch"])
            if places and not op["forward"]:
                found[op["name"]] = (len(names), places)
    return dict(sorted(found.items()))


def main(out, *paths):
    rows = [f"    {name!r}: {fact},\n" for name, fact in facts_in(paths).items()]
    pathlib.Path(out).write_text("".join([_TOP, *rows, "}\n"]))


if __name__ == "__main__":
    main(*sys.argv[1:])
