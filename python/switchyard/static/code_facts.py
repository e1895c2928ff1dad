# SPDX-License-Identifier: Apache-2.0
"""Facts of a function's code: the globals and attributes that it may read, whose
it is."""

from __future__ import annotations

import dis
import functools
import os
import sys
import sysconfig
import types
from typing import NamedTuple

import numpy as np

_HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_STDLIB = sysconfig.get_paths()["stdlib"] + os.sep
_NUMPY = os.path.dirname(os.path.abspath(np.__file__)) + os.sep
_PACKAGES = tuple(os.path.join(_STDLIB, name) + os.sep
                  for name in ("site-packages", "dist-packages"))
# Names by which code gets at attributes without naming them.
_ANY_NAME = {"vars", "__dict__", "getattr", "attrgetter", "asdict", "astuple"}
# Functions that ask for an attribute by its name, which may be there or not.
_ASKING = {"hasattr", "getattr"}


class CodeFacts(NamedTuple):
    """``globals`` it loads, ``attributes`` it names, those of them that it ``asked``
    for by hasattr or getattr, and whether it may read ``any`` attribute; those of the
    functions inside of it, too."""

    globals: frozenset[str]
    attributes: frozenset[str]
    asked: frozenset[str]
    any: bool


def is_own(filename):
    """Whether a file is the user's: not this package's, Python's or NumPy's."""
    path = os.path.abspath(filename) if not filename.startswith("<") else filename
    if path.startswith(("<frozen", _HERE, _NUMPY)):
        return False
    return not path.startswith(_STDLIB) or path.startswith(_PACKAGES)


def is_users(thing):
    """Whether a module, a class or an object's class is the user's."""
    kind = thing if isinstance(thing, (types.ModuleType, type)) else type(thing)
    if not isinstance(kind, types.ModuleType):
        kind = sys.modules.get(kind.__module__)
        if kind is None:
            return True
    if kind is sys.modules.get("__main__"):
        return True
    file = getattr(kind, "__file__", None)
    return file is not None and is_own(file)


def member(owner, name, missing):
    """The value that a class or a Python module has under a name; `missing` if it has none."""
    for kind in owner.__mro__ if isinstance(owner, type) else (owner,):
        if name in vars(kind):
            return vars(kind)[name]
    return missing


def functions_under(owner, name):
    """The functions that run for a name of a class or a Python module: those of
    bases, too, which super() calls, and of properties and descriptors."""
    found = []
    for kind in owner.__mro__ if isinstance(owner, type) else (owner,):
        value = vars(kind).get(name)
        function = getattr(value, "__func__", getattr(value, "fget", value))
        if not callable(function):
            function = getattr(type(function), "__get__", None)
        if isinstance(function, types.FunctionType):
            found.append(function)
    return found


@functools.lru_cache(maxsize=1024)
def facts_of(code: types.CodeType) -> CodeFacts | None:
    """The facts of a user's code; None for code of libraries."""
    if not is_own(code.co_filename):
        return None
    loaded, attributes, asked = set(), set(), set()
    for instruction in dis.get_instructions(code):
        if instruction.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            loaded.add(instruction.argval)
        elif instruction.opname in ("LOAD_ATTR", "LOAD_METHOD"):
            attributes.add(instruction.argval)
    if not _ASKING.isdisjoint(loaded):
        asked |= {text for text in code.co_consts
                  if isinstance(text, str) and text.isidentifier()}
    any_name = not _ANY_NAME.isdisjoint(loaded | attributes)
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            facts = facts_of(inner)
            loaded |= facts.globals
            attributes |= facts.attributes
            asked |= facts.asked
            any_name |= facts.any
    return CodeFacts(frozenset(loaded), frozenset(attributes | asked),
                     frozenset(asked), any_name)
