# SPDX-License-Identifier: Apache-2.0
"""The type stubs say what is there, and all of it."""
import ast
import inspect
import pathlib
import re
import unittest

import switchyard as sy
from switchyard import _core

FOLDER = pathlib.Path(sy.__file__).parent


def read(name):
    return ast.parse((FOLDER / name).read_text())


def names_of(nodes):
    """Functions and annotated names that are defined among `nodes`."""
    names = set()
    for node in nodes:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, ast.AnnAssign):
            names.add(node.target.id)
    return names


class StubsTest(unittest.TestCase):

    def test_operators_and_their_parameters(self):
        functions = {node.name: node for node in read("ops.pyi").body
                     if isinstance(node, ast.FunctionDef)}
        self.assertEqual(set(functions), set(sy.ops.__all__))
        (names,) = [node.value for node in read("ops.pyi").body
                    if isinstance(node, ast.Assign)
                    and node.targets[0].id == "__all__"]
        self.assertEqual(ast.literal_eval(names), sorted(functions))
        for name, node in functions.items():
            arguments = node.args
            stub = [a.arg for a in arguments.args + arguments.kwonlyargs
                    if a.arg != "inplace"]
            if name.endswith("_") and name[:-1] in functions:
                continue  # The in-place variant: a function of the same arguments.
            real = inspect.signature(getattr(sy.ops, name)).parameters
            self.assertEqual(stub, list(real), name)

    def test_classes_have_all_that_the_types_have(self):
        classes = {node.name: node for node in read("_core.pyi").body
                   if isinstance(node, ast.ClassDef)}
        silent = {"__array_priority__", "__doc__", "__module__", "__hash__",
                  "__complex__", "__divmod__", "__rdivmod__", "__round__",
                  "__format__", "__delitem__", "__repr__",
                  "__reduce__"}
        # Methods that only say why a graph's value does not have them.
        refusing = {"__array__", "__bool__", "__getattr__", "__setitem__"}
        for name, kind in (("Tensor", sy.Tensor), ("Value", _core.Value)):
            stub = names_of(classes[name].body)
            real = set(vars(kind))
            if kind is _core.Value:
                real -= refusing
            self.assertEqual(stub - real, set(), name)
            self.assertEqual({n for n in real - stub - silent
                              if not n.startswith("__r")}, set(), name)

    def test_methods_of_programs_and_their_parameters(self):
        classes = {node.name: node for node in read("_core.pyi").body
                   if isinstance(node, ast.ClassDef)}
        for name in ("Program", "State"):
            members = {n: member for n, member in vars(getattr(_core, name)).items()
                       if not n.startswith("_")}
            stub = {n for n in names_of(classes[name].body) if not n.startswith("_")}
            self.assertEqual(stub, set(members), name)
            for node in classes[name].body:
                if not isinstance(node, ast.FunctionDef) or not callable(members.get(node.name)):
                    continue
                signature = members[node.name].__doc__.splitlines()[0]
                self.assertEqual([a.arg for a in node.args.args],
                                 re.findall(r"[(,] ?(\w+): ", signature), node.name)

    def test_module_functions(self):
        real = {name for name in vars(_core) if not name.startswith("__")}
        self.assertEqual(names_of(read("_core.pyi").body), real - {"ops"})

    def test_marker(self):
        self.assertTrue((FOLDER / "py.typed").exists())

    def test_everything_public_has_a_docstring(self):
        for module in (sy, sy.nn, sy.optim, sy.io, sy.static, sy.nn.init,
                       sy.distributions):
            names = getattr(module, "__all__", None) or [
                n for n in vars(module) if not n.startswith("_")]
            for name in names:
                thing = getattr(module, name)
                if callable(thing) or inspect.ismodule(thing):
                    self.assertTrue(inspect.getdoc(thing),
                                    f"{module.__name__}.{name}")


if __name__ == "__main__":
    unittest.main()
