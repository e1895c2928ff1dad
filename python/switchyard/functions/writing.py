# SPDX-License-Identifier: Apache-2.0
"""Functions of PyTorch that give a copy of x with some elements replaced."""

from __future__ import annotations

import math

import numpy as np

from switchyard import _core
from switchyard.checks import FROM_1, flag, listed, refuse, whole
from switchyard.functions.arguments import (WHOLE, axis_in, common_shape, fitting, is_empty,
                                            tensor_of, to_shape)
from switchyard.functions.complex_elements import parts_apart, put_products
from switchyard.functions.picking import _put, _trimmed
from switchyard.functions.shaping import moveaxis

_ops = _core.ops

TYPE_CHECKING = False
if TYPE_CHECKING:
    from switchyard.ops import T

__all__ = ["diagonal_scatter", "fill", "index_copy", "index_fill", "index_put",
           "index_reduce", "masked_scatter", "put", "scatter_reduce",
           "select_scatter", "slice_scatter"]


def fill(x: T, value) -> T:
    """A tensor of ``value``, a number or a scalar, in x's shape and dtype."""
    x = tensor_of(x)
    # A choice: the gradient of x is 0.
    return _ops.where(_ops.full_like(x, False, "bool"), x,
                      _filling("fill", value, x.dtype))


def _filling(name, value, dtype):
    """``value``, a number or a tensor, as a tensor of ``dtype``."""
    if not hasattr(value, "dtype"):
        fitting(name, "value", value, dtype)
        return _ops.full([], value, dtype)
    return _ops.cast(tensor_of(value), dtype)


def _axis_and_index(name, x, dim, index):
    """(x with an axis at least, the axis, the index as a list)."""
    x, index = tensor_of(x), tensor_of(index)
    if len(index.shape) > 1:
        raise ValueError(f"{name}: index must have one axis, got "
                         f"{len(index.shape)}")
    axis = axis_in(name, dim, len(x.shape) or 1)
    flat = index if index.shape else _ops.reshape(index, [1])
    return (x if x.shape else _ops.reshape(x, [1])), axis, flat


def _whole_index(x, axis, index):
    """The index of slices as one of every element."""
    shape = [1] * len(x.shape)
    shape[axis] = index.shape[0]
    extents = list(x.shape)
    extents[axis] = index.shape[0]
    return _ops.expand(to_shape(index, shape), extents)


def _check_slices(name, x, axis, index, source):
    """ValueError unless ``source`` has x's shape, with a slice for each index."""
    wanted = list(x.shape)
    wanted[axis] = index.shape[0]
    if len(source.shape) != len(wanted) or any(
            isinstance(a, int) and isinstance(b, int) and a != b
            for a, b in zip(source.shape, wanted)):
        raise ValueError(f"{name}: source must be of shape {tuple(wanted)}, got "
                         f"{tuple(source.shape)}")


def index_copy(x: T, dim: int, index, source) -> T:
    """x with the slices of ``source`` at ``index`` along the axis ``dim``."""
    shape = list(tensor_of(x).shape)
    x, axis, index = _axis_and_index("index_copy", x, dim, index)
    source = tensor_of(source)
    source = source if source.shape else _ops.reshape(source, [1])
    _check_slices("index_copy", x, axis, index, source)
    put = _put("index_copy", x, axis, _whole_index(x, axis, index), source,
               "assign")
    return put if shape else to_shape(put, shape)


def index_fill(x: T, dim: int, index, value) -> T:
    """x with ``value``, a number or a scalar, at ``index`` along ``dim``."""
    shape = list(tensor_of(x).shape)
    x, axis, index = _axis_and_index("index_fill", x, dim, index)
    # A choice: an index that is there twice fills, and has a gradient, once.
    rows = [1] * len(x.shape)
    rows[axis] = x.shape[axis]
    hits = _put("index_fill", _ops.full([x.shape[axis]], 0, "int32"), 0, index, 1,
                "assign")
    chosen = to_shape(_ops.not_equal(hits, 0), rows)
    value = _filling("index_fill", value, x.dtype)
    if value.shape not in ((), (1,)):
        refuse("index_fill", "value", "a number or a scalar", value, ValueError)
    put = _ops.where(chosen, to_shape(value, []), x)
    return put if shape else to_shape(put, shape)


def index_put(x: T, indices, values, accumulate: bool = False) -> T:
    """x with ``values`` at the places that ``indices``, a tensor for each axis,
    name; added there if ``accumulate``."""
    x = tensor_of(x)
    values = tensor_of(values)
    if values.dtype != x.dtype:
        raise TypeError(f"index_put: values must be {x.dtype} as x is, got "
                        f"{values.dtype}")
    flag("index_put", "accumulate", accumulate)
    indices = [tensor_of(each) for each in listed("index_put", "indices", indices)]
    return _ops.index_put(x, indices, values, bool(accumulate))


_REDUCTIONS = {"sum": "add", "prod": "multiply", "mean": "mean", "amax": "amax",
               "amin": "amin"}


def scatter_reduce(x: T, dim: int, index, src, reduce: str, *,
                   include_self: bool = True) -> T:
    """x with the elements of ``src`` combined at ``index`` along ``dim``: by
    "sum", "prod", "mean", "amax" or "amin", with those of x that are there
    unless ``include_self`` is False."""
    if reduce not in _REDUCTIONS:
        refuse("scatter_reduce", "reduce", f"one of {tuple(_REDUCTIONS)}", reduce,
               ValueError)
    return _reduced("scatter_reduce", x, dim, index, tensor_of(src),
                    _REDUCTIONS[reduce], include_self)


def _reduced(name, x, dim, index, src, kind, include_self):
    shape = list(tensor_of(x).shape)
    x, index = tensor_of(x), tensor_of(index)
    if not shape:
        x, index, src = (to_shape(each, [1]) for each in (x, index, src))
    if src.dtype != x.dtype:
        raise TypeError(f"{name}: src must be {x.dtype} as x is, got {src.dtype}")
    axis = axis_in(name, dim, len(x.shape))
    if is_empty(index):
        return to_shape(_ops.assign(x), shape)
    src = _trimmed(name, src, index, -1)
    if kind == "mean" and x.dtype in WHOLE:
        found = _whole_means(x, index, src, axis, include_self)
    elif kind == "multiply" and x.dtype.startswith("complex"):
        found = put_products(name, x, index, src, axis, include_self)
    elif kind in ("add", "mean") and x.dtype.startswith("complex"):
        found = parts_apart(lambda into, put: _ops.legacy_put_along_axis(
            into, index, put, axis, kind, include_self), x, src)
    else:
        found = _ops.legacy_put_along_axis(x, index, src, axis, kind, include_self)
    return found if shape else to_shape(found, shape)


def _whole_means(x, index, src, axis, include_self):
    """The means of integers, rounded down, as a division of theirs is."""
    def sums(start, parts):
        return _ops.legacy_put_along_axis(start, index, parts, axis, "add",
                                          include_self)
    counts = sums(_ops.ones_like(x), _ops.ones_like(src))
    return _ops.floor_divide(sums(x, src), counts)


def index_reduce(x: T, dim: int, index, source, reduce: str, *,
                 include_self: bool = True) -> T:
    """x with the slices of ``source`` combined at ``index`` along ``dim``: by
    "prod", "mean", "amax" or "amin"."""
    if reduce not in _REDUCTIONS or reduce == "sum":
        refuse("index_reduce", "reduce", "'prod', 'mean', 'amax' or 'amin'", reduce,
               ValueError)
    shape = list(tensor_of(x).shape)
    x, axis, index = _axis_and_index("index_reduce", x, dim, index)
    source = tensor_of(source)
    source = source if source.shape else to_shape(source, [1])
    _check_slices("index_reduce", x, axis, index, source)
    found = _reduced("index_reduce", x, axis, _whole_index(x, axis, index), source,
                     _REDUCTIONS[reduce], include_self)
    return found if shape else to_shape(found, shape)


def masked_scatter(x: T, mask, source) -> T:
    """x with the elements of ``source``, one after another, where the bool
    ``mask`` is true."""
    x, mask, source = tensor_of(x), tensor_of(mask), tensor_of(source)
    if mask.dtype != "bool":
        raise TypeError(f"masked_scatter: mask must be bool, got {mask.dtype}")
    if source.dtype != x.dtype:
        raise TypeError(f"masked_scatter: source must be {x.dtype} as x is, got "
                        f"{source.dtype}")
    shape = common_shape("masked_scatter", "mask", x.shape, mask.shape)
    x, mask = _ops.expand(x, shape), _ops.expand(mask, shape)
    count = math.prod(shape)
    if count == 0:
        return _ops.assign(x)
    chosen = to_shape(mask, [count])
    places = _ops.maximum(_ops.subtract(
        _ops.cumsum(_ops.cast(chosen, "int64"), 0), 1), 0)
    row = to_shape(source, [math.prod(source.shape)])
    if type(x) is _core.Tensor and (
            int(_ops.sum(chosen).item()) > row.shape[0]):
        raise ValueError("masked_scatter: source must have as many elements as mask "
                         f"chooses, got {row.shape[0]}")
    if row.shape[0] == 0:
        return _ops.assign(x)
    places = _ops.minimum(places, row.shape[0] - 1)
    taken = to_shape(_ops.index_select(row, places, 0), shape)
    return _ops.where(mask, taken, x)


def put(x: T, index, source, accumulate: bool = False) -> T:
    """x, read in a row, with the elements of ``source`` at ``index``; added there
    if ``accumulate``."""
    flag("put", "accumulate", accumulate)
    x, index, source = tensor_of(x), tensor_of(index), tensor_of(source)
    if source.dtype != x.dtype:
        raise TypeError(f"put: source must be {x.dtype} as x is, got {source.dtype}")
    if math.prod(index.shape) != math.prod(source.shape):
        raise ValueError("put: source must have as many elements as index, got "
                         f"{math.prod(source.shape)}")
    if is_empty(index):
        return _ops.assign(x)
    row, index, source = (to_shape(each, [math.prod(each.shape)])
                          for each in (x, index, source))
    found = _put("put", row, 0, index, source, "add" if accumulate else "assign")
    return to_shape(found, list(x.shape))


def select_scatter(x: T, src, dim: int, index: int) -> T:
    """x with ``src`` as the slice ``index`` along the axis ``dim``."""
    x, src = tensor_of(x), tensor_of(src)
    axis = axis_in("select_scatter", dim, len(x.shape))
    extent = x.shape[axis]
    if not -extent <= index < extent:
        raise IndexError(f"select_scatter: index must be in [{-extent}, {extent}), "
                         f"got {index}")
    expected = [n for i, n in enumerate(x.shape) if i != axis]
    if list(src.shape) != expected:
        raise ValueError(f"select_scatter: src must have shape {tuple(expected)}, "
                         f"got {tuple(src.shape)}")
    at = index % extent
    return slice_scatter(x, _ops.unsqueeze(src, [axis]), axis, at, at + 1)


def slice_scatter(x: T, src, dim: int = 0, start=None, end=None,
                  step: int = 1) -> T:
    """x with ``src`` in place of the slice from ``start`` to ``end`` along the axis
    ``dim``."""
    x, src = tensor_of(x), tensor_of(src)
    axis = axis_in("slice_scatter", dim, len(x.shape))
    start, end = (None if each is None else whole("slice_scatter", argument, each)
                  for argument, each in (("start", start), ("end", end)))
    step = whole("slice_scatter", "step", step, FROM_1)
    places = np.arange(x.shape[axis])[slice(start, end, step)]
    expected = list(x.shape)
    expected[axis] = len(places)
    if list(src.shape) != expected:
        raise ValueError(f"slice_scatter: src must have shape {tuple(expected)}, "
                         f"got {tuple(src.shape)}")
    return _replaced(x, src, axis, places)


def _replaced(x, src, axis, places):
    """x with the slices of src at ``places``, as a choice of rows of both."""
    extent = x.shape[axis]
    order = np.arange(extent)
    order[places] = extent + np.arange(len(places))
    return _ops.index_select(_ops.concat([x, src], axis), order, axis)


def diagonal_scatter(x: T, src, offset: int = 0, dim1: int = 0,
                     dim2: int = 1) -> T:
    """x with ``src`` on the diagonal ``offset`` of the axes ``dim1`` and
    ``dim2``."""
    x, src = tensor_of(x), tensor_of(src)
    offset = whole("diagonal_scatter", "offset", offset)
    dim1, dim2 = (whole("diagonal_scatter", argument, given)
                  for argument, given in (("dim1", dim1), ("dim2", dim2)))
    if axis_in("diagonal_scatter", dim1, len(x.shape)) == (
            axis_in("diagonal_scatter", dim2, len(x.shape))):
        raise ValueError("diagonal_scatter: dim1 and dim2 must be two axes, got "
                         f"{dim1} twice")
    turned = moveaxis(x, (dim1, dim2), (-2, -1))
    rows, columns = turned.shape[-2:]
    i = np.arange(max(0, min(rows + min(offset, 0), columns - max(offset, 0))))
    places = (i - min(offset, 0)) * columns + i + max(offset, 0)
    batch = list(turned.shape[:-2])
    if list(src.shape) != [*batch, len(i)]:
        raise ValueError(f"diagonal_scatter: src must have shape "
                         f"{(*batch, len(i))}, got {tuple(src.shape)}")
    flat = to_shape(turned, [*batch, rows * columns])
    found = _replaced(flat, src, len(batch), places)
    return moveaxis(to_shape(found, list(turned.shape)), (-2, -1), (dim1, dim2))
