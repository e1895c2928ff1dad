# SPDX-License-Identifier: Apache-2.0
"""Sentences instead of pybind11's text where a call has wrong arguments."""

import functools
import re

_SIGNATURE = re.compile(r"^\s*1\. [^(]*\((.*?)\)(?: -> .*)?$", re.MULTILINE)


def _sentence(name, text, args, kwargs):
    found = _SIGNATURE.search(text)
    parameters = found.group(1) if found else ""
    parameters = re.sub(r"self: [\w.]+(?:, )?", "", parameters)
    parameters = parameters.replace("switchyard._core.", "sy.")
    given = [type(arg).__name__ for arg in args] + [
        f"{key}={type(value).__name__}" for key, value in kwargs.items()]
    return (f"{name}: arguments must be ({parameters}), got "
            f"({', '.join(given)})")


def plain(function, name=None, method=False):
    """``function``, a pybind11 one, with errors that say what it takes."""
    name = name or function.__name__

    @functools.wraps(function)
    def call(*args, **kwargs):
        try:
            return function(*args, **kwargs)
        except TypeError as error:
            text = str(error)
            if "incompatible" not in text or "Invoked with" not in text:
                raise
        raise TypeError(_sentence(name, text, args[method:], kwargs))
    return call


def install(core):
    """Makes the functions and constructors that users call speak plainly."""
    for name in ("tensor", "seed", "set_num_threads", "set_rng_state", "fallback_log",
                 "rng_state", "num_threads"):
        setattr(core, name, plain(getattr(core, name)))
    for name in ("policy", "record_selections"):
        kind = getattr(core, name)
        kind.__init__ = plain(kind.__init__, name, method=True)
    core.Program.run = plain(core.Program.run, "run", method=True)
