# SPDX-License-Identifier: Apache-2.0
"""The public functions and classes of the package, and the row of each
(argument_rows.py)."""
import importlib
import inspect

import argument_rows as rows

import switchyard as sy
from switchyard import nn

MODULES = ("", "nn", "nn.functional", "nn.init", "nn.utils", "optim", "io",
           "distributions", "linalg", "fft", "sparse", "strings", "amp", "static",
           "autograd", "plugins", "special", "signal.windows")


def public():
    """{name: function or class} of all modules."""
    found = {}
    for module in MODULES:
        home = importlib.import_module(f"switchyard.{module}".rstrip("."))
        prefix = module + "." if module else ""
        for name in getattr(home, "__all__", None) or [
                n for n, f in vars(home).items() if not n.startswith("_")
                and getattr(f, "__module__", "") == home.__name__]:
            thing = getattr(home, name)
            if callable(thing):
                found[prefix + name] = thing
    return found


def row_of(name, function):
    """The row of a function, by the table or by its needed arguments' names."""
    if name in rows.ROWS:
        return rows.ROWS[name]
    needed = [p.name for p in inspect.signature(function).parameters.values()
              if p.default is p.empty and p.kind in (
                  p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    if any(argument not in rows.ORDINARY for argument in needed):
        return None
    return rows.Row.of(*[rows.ORDINARY[argument] for argument in needed])


def layer_call(name, make):
    """A layer in evaluation and the arguments of its forward."""
    args, kwargs = make.made()
    sy.seed(0)
    layer = getattr(nn, name)(*args, **kwargs)
    if not isinstance(layer, nn.Module):
        return None
    given = rows.FORWARDS.get(name)
    if given is None:
        needed = [p for p in inspect.signature(type(layer).forward).parameters.values()
                  if p.default is p.empty and p.kind == p.POSITIONAL_OR_KEYWORD]
        given = rows.Row.of(*[rows.matrix] * (len(needed) - 1))
    args, kwargs = given.made()
    layer(*args, **kwargs)  # Those that are lazy find their parameters.
    return layer.eval(), args, kwargs
