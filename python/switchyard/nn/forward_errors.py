# SPDX-License-Identifier: Apache-2.0
"""The sentence for a layer that gets what is no tensor.

Layers don't look at what they are called with: that would cost something in each
step. Where one of this package fails, this says which argument it was.
"""

from __future__ import annotations

import inspect
import os

from switchyard.checks import shown

_PACKAGE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "")


def refuse(module, error, args, kwargs):
    """TypeError that names the argument, if ``error`` came from code of this
    package in ``module.forward`` and an argument is no tensor; else nothing."""
    trace = error.__traceback__
    while trace.tb_next is not None:
        trace = trace.tb_next
    if not (type(module).__module__.startswith("switchyard.nn.")
            and trace.tb_frame.f_code.co_filename.startswith(_PACKAGE)):
        return
    signature = inspect.signature(module.forward)
    try:
        given = signature.bind(*args, **kwargs).arguments
    except TypeError:  # Too many or too few arguments: Python's own sentence.
        return
    given.pop("cache", None)  # No tensor, and cache_of looks at it.
    for name, value in given.items():
        parameter = signature.parameters[name]
        absent = value is None and parameter.default is parameter.empty
        if absent or not _may_be_tensor(value):
            raise TypeError(f"{type(module).__name__}: {name} must be a tensor, got "
                            f"{shown(value)}") from None


def _may_be_tensor(value):
    """Whether it is a tensor, an array, a number, or a list of them."""
    if isinstance(value, (list, tuple)):
        return all(_may_be_tensor(item) for item in value)
    return value is None or hasattr(value, "shape") or (
        isinstance(value, (bool, int, float, complex)))
