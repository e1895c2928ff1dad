# SPDX-License-Identifier: Apache-2.0
"""16-bit numbers in float32 inside of a function that is made of operators."""

from __future__ import annotations

from collections.abc import Callable
import functools
from typing import Any, TypeVar

from switchyard import _core
from switchyard.functions.arguments import HALVES, narrowed, widened

_KINDS = (_core.Tensor, _core.Value)
_WIDE = frozenset(("float64", "complex64", "complex128"))
_F = TypeVar("_F", bound=Callable[..., Any])


def in_float32(function: _F) -> _F:
    """A function that gets its positional tensors of 16 bits in float32, and
    whose result is rounded once: to their dtype, or kept in float32 where an
    operator of these arguments would give that (one of them is float32, or an
    ``autocast`` is on). For what squares, raises, multiplies or sums.
    """
    @functools.wraps(function)
    def call(*args, **kwargs):
        dtypes = [x.dtype for x in args if type(x) in _KINDS]
        if HALVES.isdisjoint(dtypes):
            return function(*args, **kwargs)
        result = function(*[widened(x) if type(x) in _KINDS else x
                            for x in args], **kwargs)
        halves = {dtype for dtype in dtypes if dtype in HALVES}
        if len(halves) > 1 or "float32" in dtypes or "float64" in dtypes:
            return result
        return narrowed(result, halves.pop())
    return call  # type: ignore[return-value]


def halves_in_float64(function: _F) -> _F:
    """``in_float32`` through float64, for terms that cancel."""
    @functools.wraps(function)
    def call(*args, **kwargs):
        dtypes = {x.dtype for x in args if type(x) in _KINDS}
        halves = dtypes & HALVES
        if not halves or dtypes & _WIDE:
            return function(*args, **kwargs)
        result = function(*[_core.ops.cast(x, "float64") if type(x) in _KINDS and (
            x.dtype in HALVES) else x for x in args], **kwargs)
        narrow = len(halves) == 1 and "float32" not in dtypes and (
            _core.autocast_dtype() is None)
        return _core.ops.cast(result, halves.pop() if narrow else "float32")
    return call  # type: ignore[return-value]
