# SPDX-License-Identifier: Apache-2.0
"""Collective calls: every rank makes the same ones, in the same order.

A sum over ranks is the balanced binary tree over them, of ours: its bits do not
depend on the transport. They take part in no gradient.
"""

from __future__ import annotations

import os
import sys

import numpy as np

from switchyard import _collective, _core
from switchyard.distributed.groups import current

_OWN = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


def caller_line():
    """"train.py:57": the line outside of this package that is running."""
    frame = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(_OWN):
        frame = frame.f_back
    if frame is None:
        return ""
    return f"{os.path.basename(frame.f_code.co_filename)}:{frame.f_lineno}"


class Work:
    """A collective call that goes on while the process does something else: what a
    call with ``wait=False`` returns. Calls go on in the order in which they were made,
    on all ranks."""

    def __init__(self, group, ticket, out, like):
        self._group, self._ticket, self._out, self._like = group, ticket, out, like
        self._result = None

    def wait(self) -> _core.Tensor:
        """The result, when it is there. DistributedError as the call raises it."""
        if self._result is None:
            if self._ticket:
                self._group.wait(self._ticket)
            self._result = array_as(self._out, self._like)
        return self._result


def all_reduce(x, reduction: str = "sum", name: str = "", *,
               wait: bool = True) -> _core.Tensor | Work:
    """The "sum", "mean", "min" or "max" of the ranks' ``x``, of one shape and
    dtype, on every rank. ``name`` is for messages. ``wait=False`` returns a ``Work``
    at once. DistributedError if a rank is missing or calls otherwise."""
    group = current("all_reduce")
    source = _memory("all_reduce", x, not wait)
    out = np.empty_like(source)
    ticket = group.all_reduce(_said(x, source.size, name), reduction, group.size,
                              [source], out, not wait)
    return _given(group, ticket, out, x, wait)


def reduce_scatter(x, reduction: str = "sum", name: str = "", *,
                   wait: bool = True) -> _core.Tensor | Work:
    """The rank's part of the reduction: of ``x`` [ranks * n, ...] the rows
    [rank * n, (rank + 1) * n). ``wait`` as of ``all_reduce``. ValueError if the rows
    can't be divided."""
    group = current("reduce_scatter")
    source = _memory("reduce_scatter", x, not wait)
    rows = source.shape[0] if source.ndim else 0
    if source.ndim == 0 or rows % group.size:
        raise ValueError("reduce_scatter: x must have rows for each of "
                         f"{group.size} ranks, got shape {source.shape}")
    out = np.empty((rows // group.size, *source.shape[1:]), source.dtype)
    begins = [out.size * each for each in range(group.size + 1)]
    ticket = group.reduce_scatter(_said(x, source.size, name), reduction, group.size,
                                  [source], begins, out, not wait)
    return _given(group, ticket, out, x, wait)


def all_gather(x, name: str = "", *, wait: bool = True) -> _core.Tensor | Work:
    """The ranks' ``x``, of one shape and dtype, stacked: [ranks, ...]. ``wait`` as of
    ``all_reduce``."""
    group = current("all_gather")
    source = _memory("all_gather", x)
    out = np.empty((group.size, *source.shape), source.dtype)
    out[group.rank] = source
    begins = [source.size * each for each in range(group.size + 1)]
    ticket = group.all_gather(_said(x, out.size, name), begins, out, not wait)
    return _given(group, ticket, out, x, wait)


def broadcast(x, root: int = 0, name: str = "", *,
              wait: bool = True) -> _core.Tensor | Work:
    """The ``x`` of rank ``root``; the others' has its shape and dtype. ``wait`` as of
    ``all_reduce``."""
    group = current("broadcast")
    out = _memory("broadcast", x, True)
    ticket = group.broadcast(_said(x, out.size, name), root, out, not wait)
    return _given(group, ticket, out, x, wait)


def barrier() -> None:
    """Returns when every rank has called it."""
    current("barrier").barrier(("uint8", 0, "", caller_line()))


def _said(x, count, name):
    """The part of a call that the other ranks see."""
    return (x.dtype, count, name, caller_line())


def _given(group, ticket, out, like, wait):
    return array_as(out, like) if wait else Work(group, ticket, out, like)


def _memory(name, x, own=False):
    """The elements of a tensor as a contiguous array, ``own``: one that nobody else
    writes to."""
    if not isinstance(x, _core.Tensor):
        raise TypeError(f"{name}: x must be a tensor, got {type(x).__name__}")
    if x.dtype in ("complex64", "complex128", "bool") and name in (
            "all_reduce", "reduce_scatter"):
        raise TypeError(f"{name}: x must be floating or an integer, got {x.dtype}")
    array = np.ascontiguousarray(elements(x)).reshape(x.shape)
    return array.copy() if own else array


def elements(x):
    """A tensor's elements as an array: bfloat16 as uint16, their bits."""
    x = x.detach()
    if x.place != "cpu":
        x = x.to("cpu")
    return bits_of(x) if x.dtype == "bfloat16" else x.numpy()


def bits_of(x):
    """A bfloat16 tensor as an array of uint16: a number's upper half."""
    wide = _core.ops.cast(x, "float32").numpy()
    return (wide.view(np.uint32) >> 16).astype(np.uint16)


def array_as(out, like):
    """The array, as ``elements`` gives them, as a tensor like another one."""
    if like.dtype == "bfloat16":
        wide = (out.astype(np.uint32) << 16).view(np.float32)
        result = _core.ops.cast(_core.tensor(wide), "bfloat16")
    else:
        result = _core.tensor(out)
    return result if like.place == "cpu" else result.to(like.place)
