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


def all_reduce(x, reduction: str = "sum", name: str = "") -> _core.Tensor:
    """The "sum", "mean", "min" or "max" of the ranks' ``x``, of one shape and
    dtype, on every rank. ``name`` is for messages. DistributedError if a rank is
    missing or calls otherwise."""
    group = current("all_reduce")
    source = _memory("all_reduce", x)
    out = np.empty_like(source)
    group.all_reduce(_said(x, source.size, name), reduction, group.size, [source],
                     out)
    return array_as(out, x)


def reduce_scatter(x, reduction: str = "sum", name: str = "") -> _core.Tensor:
    """The rank's part of the reduction: of ``x`` [ranks * n, ...] the rows
    [rank * n, (rank + 1) * n). ValueError if the rows can't be divided."""
    group = current("reduce_scatter")
    source = _memory("reduce_scatter", x)
    rows = source.shape[0] if source.ndim else 0
    if source.ndim == 0 or rows % group.size:
        raise ValueError("reduce_scatter: x must have rows for each of "
                         f"{group.size} ranks, got shape {source.shape}")
    out = np.empty((rows // group.size, *source.shape[1:]), source.dtype)
    begins = [out.size * each for each in range(group.size + 1)]
    group.reduce_scatter(_said(x, source.size, name), reduction, group.size,
                         [source], begins, out)
    return array_as(out, x)


def all_gather(x, name: str = "") -> _core.Tensor:
    """The ranks' ``x``, of one shape and dtype, stacked: [ranks, ...]."""
    group = current("all_gather")
    source = _memory("all_gather", x)
    out = np.empty((group.size, *source.shape), source.dtype)
    out[group.rank] = source
    begins = [source.size * each for each in range(group.size + 1)]
    group.all_gather(_said(x, out.size, name), begins, out)
    return array_as(out, x)


def broadcast(x, root: int = 0, name: str = "") -> _core.Tensor:
    """The ``x`` of rank ``root``; the others' has its shape and dtype."""
    group = current("broadcast")
    out = _memory("broadcast", x).copy()
    group.broadcast(_said(x, out.size, name), root, out)
    return array_as(out, x)


def barrier() -> None:
    """Returns when every rank has called it."""
    current("barrier").barrier(("uint8", 0, "", caller_line()))


def _said(x, count, name):
    """The part of a call that the other ranks see."""
    return (x.dtype, count, name, caller_line())


def _memory(name, x):
    """The elements of a tensor as a contiguous array."""
    if not isinstance(x, _core.Tensor):
        raise TypeError(f"{name}: x must be a tensor, got {type(x).__name__}")
    if x.dtype in ("complex64", "complex128", "bool") and name in (
            "all_reduce", "reduce_scatter"):
        raise TypeError(f"{name}: x must be floating or an integer, got {x.dtype}")
    return np.ascontiguousarray(elements(x)).reshape(x.shape)


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
