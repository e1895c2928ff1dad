# SPDX-License-Identifier: Apache-2.0
"""Functions of PyTorch that read and write elements at indices along an axis.

The standard's and NumPy's are in searching.py: ``take``, ``take_along_axis``.
"""

from __future__ import annotations

import math

import numpy as np

from switchyard import _core
from switchyard.checks import NUMBER, real, refuse, whole
from switchyard.functions.arguments import (axis_in, fitting, is_empty, tensor_of,
                                            to_shape)
from switchyard.functions.promotion import cast

_ops = _core.ops

TYPE_CHECKING = False
if TYPE_CHECKING:
    from switchyard.ops import T

__all__ = ["gather", "index_add", "index_select", "narrow", "scatter",
           "scatter_add", "select"]


def _indices(name, x, index):
    """x and the index as tensors; ValueError unless their ranks agree."""
    x, index = tensor_of(x), tensor_of(index)
    if index.dtype in ("uint8", "int8", "int16"):
        index = _ops.cast(index, "int64")
    if len(x.shape) != len(index.shape):
        raise ValueError(f"{name}: index must have {len(x.shape)} axes as x has, "
                         f"got {len(index.shape)}")
    return x, index


def _trimmed(name, x, index, axis):
    """x without what lies beyond the index along the other axes."""
    axes = [i for i, (have, want) in enumerate(zip(x.shape, index.shape))
            if i != axis and isinstance(want, int)
            and not (isinstance(have, int) and have == want)]
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
    x, index = tensor_of(x), tensor_of(index)
    if not x.shape or not index.shape:
        shape = list(index.shape)
        x, index = (each if each.shape else _ops.reshape(each, [1])
                    for each in (x, index))
        return to_shape(gather(x, dim, index), shape)
    if is_empty(index):
        axis_in("gather", dim, len(x.shape))
        none = _ops.full([0], 0, "int64")
        return to_shape(_ops.index_select(to_shape(x, [math.prod(x.shape)]), none, 0),
                        list(index.shape))
    x, index = _indices("gather", x, index)
    axis = axis_in("gather", dim, len(x.shape))
    return _ops.take_along_axis(_trimmed("gather", x, index, axis), index,
                                axis)


def _put(name, x, dim, index, src, reduce):
    x, index = tensor_of(x), tensor_of(index)
    if isinstance(src, (int, float, complex, np.generic)):
        fitting(name, "src", src, x.dtype)
        src = _ops.full_like(index, src, x.dtype)
    shape = list(x.shape)
    if not shape:
        x, index, src = (to_shape(tensor_of(each), [1]) for each in (x, index, src))
    x, index = _indices(name, x, index)
    axis = axis_in(name, dim, len(x.shape))
    src = tensor_of(src)
    if src.dtype != x.dtype:
        raise TypeError(f"{name}: src must be {x.dtype} as x is, got {src.dtype}")
    if len(src.shape) != len(index.shape):
        raise ValueError(f"{name}: src must have {len(index.shape)} axes as index "
                         f"has, got {len(src.shape)}")
    if is_empty(index):
        return _ops.assign(x)
    src = _trimmed(name, src, index, -1)
    put = _put_into(name, x, axis, index, src, reduce, 0)
    return put if shape else to_shape(put, shape)


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
    if reduce == "multiply":
        return _ops.legacy_put_along_axis(x, index, src, axis, "multiply", True)
    return _ops.put_along_axis(x, index, src, axis, reduce)


_REDUCE = {None: "assign", "add": "add", "multiply": "multiply"}


def scatter(x: T, dim: int, index, src=None, *, value=None,
            reduce: str | None = None) -> T:
    """x with ``src``, a tensor or a number (``value``), at ``index`` along the axis
    ``dim``; added or multiplied with what is there, where ``reduce`` is "add" or
    "multiply".

    scatter(x, 1, index, src)[i, index[i, j]] is src[i, j]. Along other axes index
    may be shorter than x and src.
    """
    if (src is None) == (value is None):
        raise TypeError("scatter: src or value must be given, got "
                        f"{'neither' if src is None else 'both'}")
    if reduce not in _REDUCE:
        refuse("scatter", "reduce", "None, 'add' or 'multiply'", reduce, ValueError)
    return _put("scatter", x, dim, index, value if src is None else src,
                _REDUCE[reduce])


def scatter_add(x: T, dim: int, index, src) -> T:
    """x with ``src`` added at ``index`` along ``dim``, as often as it is there."""
    return _put("scatter_add", x, dim, index, src, "add")


def index_select(x: T, dim: int, index) -> T:
    """The slices of x at ``index``, a list, along the axis ``dim``."""
    x = tensor_of(x)
    if not x.shape:
        return to_shape(index_select(to_shape(x, [1]), dim, index), [])
    return _ops.index_select(x, index, axis_in("index_select", dim, len(x.shape)))


def index_add(x: T, dim: int, index, source, *, alpha=1) -> T:
    """x with the slices of ``source``, times ``alpha``, added to those at ``index``
    along ``dim``."""
    x, index = tensor_of(x), tensor_of(index)
    if alpha != 1:
        if not (isinstance(alpha, complex) and x.dtype.startswith("complex")):
            real("index_add", "alpha", alpha, NUMBER)
        source = tensor_of(source)
        source = _ops.multiply(source, cast(alpha, source.dtype))
    if not x.shape or not index.shape:
        shape = list(x.shape)
        source = tensor_of(source)
        added = index_add(x if shape else to_shape(x, [1]), dim,
                          index if index.shape else to_shape(index, [1]),
                          source if source.shape else to_shape(source, [1]))
        return to_shape(added, shape)
    if x.dtype == "bool":
        return _ops.cast(index_add(_ops.cast(x, "int32"), dim, index, _ops.cast(
            source, "int32")), "bool")
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
    if isinstance(extent, int) and isinstance(start, int) and not (
            -extent <= start <= extent):
        raise IndexError(f"narrow: start must be in [{-extent}, {extent}], got "
                         f"{start}")
    if isinstance(extent, int) and not (0 <= length and start <= extent - length):
        raise ValueError(f"narrow: start and length must lie in the extent "
                         f"{extent}, got {start} and {length}")
    first = start + extent if start < 0 and isinstance(extent, int) else start
    return _ops.slice(x, [axis], [first], [first + length])


def select(x: T, dim: int, index: int) -> T:
    """The slice ``index`` of x along the axis ``dim``, without that axis; a view."""
    x = tensor_of(x)
    axis = axis_in("select", dim, len(x.shape))
    return x[(slice(None),) * axis + (index,)]
