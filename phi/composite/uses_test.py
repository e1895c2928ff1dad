# SPDX-License-Identifier: Apache-2.0
"""The `uses:` of a composite are the operators that its body calls, through other functions too.

An operator that is missing there ends the composite where a call reaches it; one too many ties
binaries to it.
"""

import functools
import glob
import os
import re
import unittest

import yaml

FOLDER = "phi/composite"
# A function or a class, which ends at a line of its own.
DEFINITION = re.compile(r"^(?:template <[^\n]*>\n)?(?:(?:struct|class) (\w+)[^;{(]*|"
                        r"\w[\w:<>,&* ]*[ \n&*](\w+)\([^;{]*)\{\n?(.*?)^\}",
                        re.MULTILINE | re.DOTALL)


def read(path):
    """The text of a file without comments."""
    with open(path, encoding="utf-8") as file:
        return re.sub(r"//[^\n]*", "", file.read())


class Header:
    def __init__(self, name):
        text = read(f"{FOLDER}/{name}.h")
        self.includes = set(re.findall(rf'#include "{FOLDER}/(\w+)\.h"', text)) - {"ops"}
        # Rows that a function reads are its text.
        text = re.sub(r'(?m)^#include "(.*\.def)"$', lambda rows: read(rows.group(1)), text)
        body = re.sub(r"(?m)^(?:#.*|namespace .*\{)$", "", text)
        self.functions = {}
        for match in DEFINITION.finditer(body):
            name, inside = match.group(1) or match.group(2), match.group(3)
            self.functions[name] = self.functions.get(name, "") + inside


class Bodies:
    def __init__(self):
        names = [os.path.basename(path)[:-2] for path in glob.glob(f"{FOLDER}/*.h")]
        self.headers = {name: Header(name) for name in names if name not in ("ops", "value")}

    @functools.lru_cache(maxsize=None)
    def visible(self, header):
        """{function: its text}, of what a header has and includes."""
        seen, functions = set(), {}
        todo = [header]
        while todo:
            name = todo.pop()
            if name in seen:
                continue
            seen.add(name)
            for function, text in self.headers[name].functions.items():
                functions.setdefault(function, text)
            todo += self.headers[name].includes
        return functions

    def called(self, header, function):
        """The operators that a function calls."""
        functions = self.visible(header)
        seen, operators, todo = set(), set(), [function]
        while todo:
            name = todo.pop()
            seen.add(name)
            text = functions[name]
            operators |= set(re.findall(r"\bop::(\w+)", text))
            todo += [name for name in re.findall(r"\w+", text)
                     if name in functions and name not in seen]
        return operators


def composites():
    for path in sorted(glob.glob("ops_gen/ops/*.yaml")):
        family = os.path.basename(path)[:-len(".yaml")]
        with open(path, encoding="utf-8") as file:
            for entry in yaml.safe_load(file):
                if "composite" in entry:
                    body = entry["composite"]
                    name = entry.get("op") or entry["backward_op"]
                    yield name, body.get("header", family), body["func"], set(body.get("uses", []))


class UsesTest(unittest.TestCase):
    maxDiff = None

    def test_uses_are_what_bodies_call(self):
        bodies = Bodies()
        rows = list(composites())
        self.assertGreater(len(rows), 300)
        wrong = []
        for name, header, function, uses in rows:
            called = bodies.called(header, function)
            if called != uses:
                wrong.append(f"{name}: uses: expected [{', '.join(sorted(called))}], got "
                             f"[{', '.join(sorted(uses))}]")
        self.assertEqual(wrong, [])


if __name__ == "__main__":
    unittest.main()
