# SPDX-License-Identifier: Apache-2.0
"""Writes the package's type stubs: ops.pyi and _core.pyi.

The generator writes the operators' functions, a file each for a family; this
joins them, and makes methods of those that the package chooses.

    make_stubs.py OPS_OUT CORE_OUT CORE_TEMPLATE FAMILY.pyi... \\
        FAMILY_places.txt... MODULE.py...

Methods are the operators whose place is ``method``, with their in-place
variants, and functions of the modules whose first parameter is ``x``.
"""

import ast
import copy
import pathlib
import re
import sys

import make_native

_TOP = "# SPDX-License-Identifier: Apache-2.0\n# Made by make_stubs.py. Do not edit.\n"
_OPS_TOP = _TOP + '''"""One function for each operator (sy.ops)."""
from builtins import complex as _Complex  # Here it is an operator.
from typing import Sequence, TypeVar

import numpy

from switchyard._core import Tensor, Value

_Dtype = str | type | numpy.dtype

T = TypeVar("T", Tensor, Value)
'''

# Types that are the names of methods, too, in the two classes.
_BUILTINS = {"int": "_Int", "float": "_Float", "bool": "_Bool"}


def functions_of(paths):
    """The operators' functions of all family files, by name."""
    found = {}
    for path in paths:
        for node in ast.parse(pathlib.Path(path).read_text()).body:
            if isinstance(node, ast.FunctionDef):
                _let_supplied_ones_be_absent(node.args)
                _let_dtypes_be_more_than_names(node.args)
                _TypeNames({"complex": "_Complex"}).visit(node)
                if not _names_in(node.args) & {"T", "Tensor", "Value"}:
                    _TypeNames({"T": "Tensor"}).visit(node)
                found[node.name] = _NumberForList().visit(node)
    return dict(sorted(found.items()))


def _names_in(tree):
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}


def _let_supplied_ones_be_absent(arguments):
    """Random operators draw `rng` themselves: it is optional."""
    for i, default in enumerate(arguments.kw_defaults):
        if default is None:
            argument = arguments.kwonlyargs[i]
            argument.annotation = ast.BinOp(argument.annotation, ast.BitOr(),
                                            ast.Constant(None))
            arguments.kw_defaults[i] = ast.Constant(None)


def _let_dtypes_be_more_than_names(arguments):
    for argument in arguments.args + arguments.kwonlyargs:
        if argument.arg.endswith("dtype"):
            argument.annotation = ast.Name("_Dtype", ast.Load())


class _NumberForList(ast.NodeTransformer):
    """A single number may stand for a list of one."""

    def visit_Subscript(self, node):
        text = ast.unparse(node)
        if text not in ("Sequence[int]", "Sequence[float]", "Sequence[bool]"):
            return node
        return ast.BinOp(node.slice, ast.BitOr(), node)


class _TypeNames(ast.NodeTransformer):
    """Renames the types of a signature."""

    def __init__(self, names):
        self.names = names

    def visit_Name(self, node):
        return ast.Name(self.names.get(node.id, node.id), node.ctx)


def method_of(function, type_name):
    """The function as a method of a tensor type."""
    method = copy.deepcopy(function)
    method.args.args[0] = ast.arg("self")
    return _TypeNames({"T": type_name}).visit(method)


def core_stub(template, methods):
    """The template with the methods that each class lacks appended to it."""
    tree = ast.parse(template)
    for node in tree.body:
        if not isinstance(node, ast.ClassDef) or node.name not in ("Tensor",
                                                                   "Value"):
            continue
        own = {item.name for item in node.body
               if isinstance(item, ast.FunctionDef)}
        for function in methods.values():
            if function.name not in own:
                node.body.append(method_of(function, node.name))
        _TypeNames(_BUILTINS).visit(node)
    text = ast.unparse(ast.fix_missing_locations(tree))
    # Python's own return bool.
    text = re.sub(r"( def __(eq|ne)__\(.*:)$", r"\1  # type: ignore[override]",
                  text, flags=re.MULTILINE)
    return f"{_TOP}{text}\n"


def methods_in(modules):
    """The functions of Python modules that are methods, as stubs, by name."""
    found = {}
    for path in modules:
        tree = ast.parse(pathlib.Path(path).read_text())
        for node in tree.body:
            if not isinstance(node, ast.FunctionDef) or node.name[0] == "_":
                continue
            if [a.arg for a in node.args.args[:1]] == ["x"]:
                node.body = [ast.Expr(ast.Constant(...))]
                node.args.args[0].annotation = ast.Name("T", ast.Load())
                found[node.name] = node
    return found


def operators_in(places, functions):
    """The operators that are methods, under each of their names."""
    found = {}
    for name, operator in places.get("method", {}).items():
        for end in ("", "_"):
            if operator + end in functions:
                found[name + end] = copy.deepcopy(functions[operator + end])
                found[name + end].name = name + end
    return found


def take_inplace(functions):
    """Gives those that have an in-place variant the keyword that calls it."""
    for name in functions.keys() & {n[:-1] for n in functions}:
        arguments = functions[name].args
        arguments.kwonlyargs.append(
            ast.arg("inplace", ast.Name("bool", ast.Load())))
        arguments.kw_defaults.append(ast.Constant(False))


def main(ops_out, core_out, template, *sources):
    functions = functions_of(s for s in sources if s.endswith(".pyi"))
    take_inplace(functions)
    places = make_native.places_in(s for s in sources if s.endswith("_places.txt"))
    methods = {**operators_in(places, functions),
               **methods_in(s for s in sources if s.endswith(".py"))}
    bodies = "\n\n".join(map(ast.unparse, functions.values()))
    names = f"__all__ = {list(functions)}"
    pathlib.Path(ops_out).write_text(f"{_OPS_TOP}{names}\n\n{bodies}\n")
    pathlib.Path(core_out).write_text(
        core_stub(pathlib.Path(template).read_text(), methods))


if __name__ == "__main__":
    main(*sys.argv[1:])
