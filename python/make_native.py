# SPDX-License-Identifier: Apache-2.0
"""Writes switchyard.native: the operators that are public as they are.

The generator writes where each is (the key ``python:`` of its entry), a file
each for a family, in lines "<place> <name> <operator>". This makes a module of
each place.

    make_native.py OUT_FOLDER FAMILY_places.txt...
"""

import pathlib
import sys
import textwrap

# {module here: (places, docstring)}
MODULES = {
    "functions": (("function", "method"),
                  "The operators that are functions of ``sy.*``; METHODS are methods, too."),
    "linalg": (("linalg",), "The operators that are functions of ``sy.linalg``."),
    "nn_functional": (("nn.functional",),
                      "The operators that are functions of ``sy.nn.functional``."),
}
PACKAGE = "Operators that are public under a name as they are: no call in between."
_OTHER = {"function": ["method"], "method": ["function"]}
_TOP = "# SPDX-License-Identifier: Apache-2.0\n# Made by make_native.py. Do not edit.\n"


def places_in(paths):
    """{place: {name: operator}} of all families, by name; exits if two operators
    have one name."""
    found = {}
    for path in paths:
        for line in pathlib.Path(path).read_text().splitlines():
            place, name, operator = line.split()
            # A function and a method are one name of `sy`.
            for names in map(found.get, (place, *_OTHER.get(place, ()))):
                if names and name in names:
                    sys.exit(f"python: expected names of one operator each, got '{name}' "
                             f"of {names[name]} and {operator}")
            found.setdefault(place, {})[name] = operator
    return {place: dict(sorted(names.items())) for place, names in found.items()}


def _filled(start, items, end):
    return textwrap.fill(f"{start}{', '.join(items)}{end}", 80, subsequent_indent="    ",
                         break_on_hyphens=False)


def module(places, docstring, found):
    """The text of a module with the operators of ``places``."""
    names = dict(sorted(item for place in places for item in found.get(place, {}).items()))
    lines = [f'{_TOP}"""{docstring}"""']
    if names:
        imported = (operator if operator == name else f"{operator} as {name}"
                    for name, operator in names.items())
        lines.append(_filled("from switchyard.ops import (", imported, ")"))
    lines.append(_filled("__all__ = [", map(repr, names), "]"))
    if "method" in places:
        lines.append(_filled("METHODS = [", map(repr, found.get("method", {})), "]"))
    return "\n\n".join(lines) + "\n"


def main(folder, *paths):
    found, folder = places_in(paths), pathlib.Path(folder)
    (folder / "__init__.py").write_text(f'{_TOP}"""{PACKAGE}"""\n')
    for name, (places, docstring) in MODULES.items():
        (folder / f"{name}.py").write_text(module(places, docstring, found))


if __name__ == "__main__":
    main(*sys.argv[1:])
