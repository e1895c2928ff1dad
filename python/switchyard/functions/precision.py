# SPDX-License-Identifier: Apache-2.0
"""16-bit numbers in float32 inside of a function that is made of operators."""

from __future__ import annotations

from collections.abc import Callable
import functools
from typing import Any, TypeVar

from switchyard import _core
from switchyard.functions.arguments import HALVES, narrowed, widened

_KINDS = (_core.Tensor, _core.Value)
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
