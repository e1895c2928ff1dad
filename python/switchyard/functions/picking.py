# SPDX-License-Identifier: Apache-2.0
"""Functions of PyTorch that read and write elements at indices along an axis.

The standard's and NumPy's are in searching.py: ``take``, ``take_along_axis``.
"""

from __future__ import annotations

import numpy as np

from switchyard import _core
from switchyard.checks import whole
from switchyard.functions.arguments import axis_in, fitting, tensor_of

_ops = _core.ops

TYPE_CHECKING = False
if TYPE_CHECKING:
    from switchyard.ops import T

__all__ = ["gather", "index_add", "index_select", "narrow", "scatter",
           "scatter_add", "select"]


def _indices(name, x, index):
    """x and the index as tensors; ValueError unless their ranks agree."""
    x, index = tensor_of(x), tensor_of(index)
    if len(x.shape) != len(index.shape):
        raise ValueError(f"{name}: index must have {len(x.shape)} axes as x has, "
                         f"got {len(index.shape)}")
    return x, index


def _trimmed(name, x, index, axis):
    """x without what lies beyond the index along the other axes."""
    axes = [i for i, (have, want) in enumerate(zip(x.shape, index.shape))
            if i != axis and isinstance(want, int) and have != want]
    for i in axes:
        if isinstance(x.shape[i], int) and index.shape[i] > x.shape[i]:
            raise ValueError(f"{name}: index must have at most {x.shape[i]} "
                             f"elements along axis {i}, got {index.shape[i]}")
    if not axes:
        return x
    return _ops.slice(x, axes, [0] * len(axes), [index.shape[i] for i in axes])


def gather(x: T, dim: int, index) -> T:
    """x's elements at ``index`` along the axis ``dim``, in index's shape.

    gather(x, 1, index)[i, j] is x[i, index[i, j]]. Along other axes index may be
    shorter than x; nothing is broadcast (``take_along_axis`` does that).
    """
    x, index = _indices("gather", x, index)
    axis = axis_in("gather", dim, len(x.shape))
    if not x.shape:
        return _ops.reshape(gather(_ops.reshape(x, [1]), 0,
                                   _ops.reshape(index, [1])), [])
    return _ops.take_along_axis(_trimmed("gather", x, index, axis), index,
                                axis)


def _put(name, x, dim, index, src, reduce):
    x, index = _indices(name, x, index)
    axis = axis_in(name, dim, len(x.shape))
    if isinstance(src, (int, float, complex, np.generic)):
        fitting(name, "src", src, x.dtype)
        src = _ops.full_like(index, src, x.dtype)
    src = tensor_of(src)
    if src.dtype != x.dtype:
        raise TypeError(f"{name}: src must be {x.dtype} as x is, got {src.dtype}")
    if len(src.shape) != len(index.shape):
        raise ValueError(f"{name}: src must have {len(index.shape)} axes as index "
                         f"has, got {len(src.shape)}")
    src = _trimmed(name, src, index, -1)
    return _put_into(name, x, axis, index, src, reduce, 0)


def _put_into(name, x, axis, index, src, reduce, first):
    """x with src put into it; from the axis ``first`` on, index may be shorter
    than x, of which the rest stays."""
    for i in range(first, len(x.shape)):
        extent, count = x.shape[i], index.shape[i]
        if i == axis or not isinstance(count, int) or extent == count:
            continue
        if isinstance(extent, int) and count > extent:
            raise ValueError(f"{name}: index must have at most {extent} elements "
                             f"along axis {i}, got {count}")
        head, tail = (_ops.slice(x, [i], [start], [end])
                      for start, end in ((0, count), (count, 2**63 - 1)))
        return _ops.concat([_put_into(name, head, axis, index, src, reduce, i + 1),
                            tail], i)
    return _ops.put_along_axis(x, index, src, axis, reduce)


def scatter(x: T, dim: int, index, src) -> T:
    """x with ``src``, a tensor or a number, at ``index`` along the axis ``dim``.

    scatter(x, 1, index, src)[i, index[i, j]] is src[i, j]. Along other axes index
    may be shorter than x and src.
    """
    return _put("scatter", x, dim, index, src, "assign")


def scatter_add(x: T, dim: int, index, src) -> T:
    """x with ``src`` added at ``index`` along ``dim``, as often as it is there."""
    return _put("scatter_add", x, dim, index, src, "add")


def index_select(x: T, dim: int, index) -> T:
    """The slices of x at ``index``, a list, along the axis ``dim``."""
    x = tensor_of(x)
    return _ops.index_select(x, index, axis_in("index_select", dim, len(x.shape)))


def index_add(x: T, dim: int, index, source) -> T:
    """x with the slices of ``source`` added to those at ``index`` along ``dim``."""
    x = tensor_of(x)
    axis = axis_in("index_add", dim, len(x.shape))
    if isinstance(source, _core.Value) and len(source.shape) == len(x.shape):
        source = _of_extents(source, x, index, axis)
    return _ops.index_add(x, index, source, axis)


def _are_told(a, b):
    """Whether two extents are numbers, or known to be equal."""
    try:
        return a == b or True
    except TypeError:  # Only the run knows.
        return False


def _of_extents(source, x, index, axis):
    """A graph's value with the extents that the index and x have, where its own
    are not known to be those: the run checks them."""
    shape = list(x.shape)
    shape[axis] = tensor_of(index).shape[0]
    if all(_are_told(*extents) for extents in zip(source.shape, shape)):
        return source
    return _ops.reshape(source, shape)


def narrow(x: T, dim: int, start: int, length: int) -> T:
    """``length`` slices of x from ``start`` on along the axis ``dim``, a view."""
    x = tensor_of(x)
    axis = axis_in("narrow", dim, len(x.shape))
    extent = x.shape[axis]
    for argument, given in (("start", start), ("length", length)):
        if not isinstance(given, (_core.Symbol, _core.Value)):
            whole("narrow", argument, given)
    if isinstance(extent, int) and not (0 <= length and
                                        -extent <= start <= extent - length):
        raise ValueError(f"narrow: start and length must lie in the extent "
                         f"{extent}, got {start} and {length}")
    first = start + extent if start < 0 and isinstance(extent, int) else start
    return _ops.slice(x, [axis], [first], [first + length])


def select(x: T, dim: int, index: int) -> T:
    """The slice ``index`` of x along the axis ``dim``, without that axis; a view."""
    x = tensor_of(x)
    axis = axis_in("select", dim, len(x.shape))
    return x[(slice(None),) * axis + (index,)]
