# SPDX-License-Identifier: Apache-2.0
"""Names that are public stay so, and modules show no others.

public_names.txt has those that once were; a name that is added need not stand
there (`public_names_test.py --update` prints the file with what there is).
"""

import importlib
import pathlib
import sys
import textwrap
import unittest

import switchyard as sy
from switchyard.native import functions, linalg, nn_functional
from switchyard.static import Value

MODULES = ("amp", "autograd", "cuda", "distributions", "fft", "io", "legacy", "linalg",
           "nn", "nn.functional", "nn.init", "nn.utils", "optim", "plugins",
           "signal", "signal.windows", "sparse", "special", "strings")
FILE = pathlib.Path(__file__).with_name("public_names.txt")


def shown(thing):
    """The names that ``thing`` shows, Python's own left out."""
    return {name for name in dir(thing) if not name.startswith("__")}


def public():
    """{place: names} of all that is public, except ``sy.ops``."""
    places = {"sy": set(sy.__all__), "sy.static": set(sy.static.__all__),
              "Tensor": shown(sy.Tensor), "Value": shown(Value)}
    for name in MODULES:
        module = importlib.import_module(f"switchyard.{name}")
        places[f"sy.{name}"] = set(module.__all__)
    return places


def text():
    return "\n".join(
        textwrap.fill(f"{place}: {' '.join(sorted(names))}", 80,
                      subsequent_indent="    ") + "\n"
        for place, names in sorted(public().items()))


class PublicNamesTest(unittest.TestCase):

    def test_no_name_is_lost(self):
        now, count = public(), 0
        for paragraph in FILE.read_text().split("\n\n"):
            place, names = paragraph.split(":", 1)
            self.assertEqual(set(names.split()) - now[place], set(), place)
            count += len(names.split())
        self.assertGreater(count, 1000)

    def test_modules_show_what_is_public(self):
        for name in MODULES:
            module = importlib.import_module(f"switchyard.{name}")
            self.assertEqual(sorted(module.__all__), dir(module), name)
            for each in module.__all__:
                self.assertTrue(hasattr(module, each), f"{name}.{each}")

    def test_entries_say_where_operators_are(self):
        for name in functions.__all__:
            self.assertIs(getattr(sy, name), getattr(functions, name))
            self.assertIn(name, sy.__all__)
        self.assertLessEqual({"complex", "where"},
                             set(functions.__all__) - set(functions.METHODS))
        for native, module in ((linalg, sy.linalg),
                               (nn_functional, sy.nn.functional)):
            self.assertTrue(native.__all__)
            for name in native.__all__:
                self.assertIs(getattr(module, name), getattr(sy.ops, name))
                self.assertIn(name, module.__all__)
        # An elementwise operator with functions over it, one of another name, and
        # one of old programs.
        for name in ("floor", "assign", "swish"):
            self.assertNotIn(name, functions.__all__)


if __name__ == "__main__":
    if sys.argv[1:] == ["--update"]:
        print(text(), end="")
    else:
        unittest.main()
