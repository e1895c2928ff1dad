# SPDX-License-Identifier: Apache-2.0
"""Functions of views that repeat elements, as those of ``expand`` do, without
memory of the size of what the views span."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any, TypeVar

from switchyard import _core
from switchyard.functions.arguments import joined

_F = TypeVar("_F", bound=Callable[..., Any])
_ops = _core.ops


def reads_views(function: _F) -> _F:
    """A function whose elementwise steps compute each of the elements once that
    its arguments repeat. It may not write to what it makes of them."""
    @functools.wraps(function)
    def call(*args, **kwargs):
        if not (_core.some_repeat(args)
                or kwargs and _core.some_repeat(tuple(kwargs.values()))):
            return function(*args, **kwargs)
        before = _core.set_keeps_repeats(True)
        try:
            found = function(*args, **kwargs)
        finally:
            _core.set_keeps_repeats(before)
        return found if before else _spread(found)
    return call  # type: ignore[return-value]


def unrepeated(x):
    """A view of one of each of the elements that x repeats, whose axes have extent 1
    there, and how often each axis repeats them. x itself, and once, where a gradient
    is recorded."""
    if not _core.some_repeat((x,)) or x.requires_grad and _core.is_grad_enabled():
        return x, [1] * len(x.shape)
    strides = x.detach().numpy().strides
    axes = [axis for axis, stride in enumerate(strides) if stride == 0]
    times = [extent if stride == 0 else 1 for extent, stride in zip(x.shape, strides)]
    return _ops.slice(x, axes, [0] * len(axes), [1] * len(axes)), times


def of_rows(name, function, x, axis):
    """``function(rows, times)`` of the rows along ``axis``, of which each element counts
    ``times`` times, in the shape of x without these axes; and the axes."""
    one, times = unrepeated(x)
    rows, axes = joined(name, one, axis)
    found = function(rows, math.prod(times[a] for a in axes))
    if one is not x:
        rest = [n for a, n in enumerate(x.shape) if a not in axes]
        lead = len(found.shape) - len(rest)
        found = _ops.expand(found, [*found.shape[:lead], *rest])
    return found, axes


def _spread(found):
    """Memory for each element of a result, so that it can be written."""
    if type(found) is tuple:
        return tuple(_spread(part) for part in found)
    if isinstance(found, tuple):
        return type(found)(*[_spread(part) for part in found])
    if isinstance(found, list):
        return [_spread(part) for part in found]
    return _core.ops.contiguous(found) if isinstance(found, _core.Tensor) else found
