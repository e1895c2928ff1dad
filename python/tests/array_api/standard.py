# SPDX-License-Identifier: Apache-2.0
"""The standard as array-api-strict has it, and the package's side of it."""

import inspect

import array_api_strict as strict

import switchyard as sy


def functions():
    """{name: function} of the standard, extensions with a dot."""
    found = {}
    for prefix, module in (("", strict), ("linalg.", strict.linalg),
                           ("fft.", strict.fft)):
        for name in module.__all__:
            function = getattr(module, name)
            own = "array_api_strict_flags" in name  # Of array-api-strict itself.
            if inspect.isfunction(function) and not own:
                found[prefix + name] = function
    return found


def ours(name):
    """The package's function of that name; None if there is none."""
    thing = sy
    for part in name.split("."):
        thing = getattr(thing, part, None)
    return thing
