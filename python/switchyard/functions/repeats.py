# SPDX-License-Identifier: Apache-2.0
"""Functions of views that repeat elements, as those of ``expand`` do, without
memory of the size of what the views span."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

from switchyard import _core

_F = TypeVar("_F", bound=Callable[..., Any])


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


def _spread(found):
    """Memory for each element of a result, so that it can be written."""
    if type(found) is tuple:
        return tuple(_spread(part) for part in found)
    if isinstance(found, tuple):
        return type(found)(*[_spread(part) for part in found])
    if isinstance(found, list):
        return [_spread(part) for part in found]
    return _core.ops.contiguous(found) if isinstance(found, _core.Tensor) else found
