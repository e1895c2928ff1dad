# SPDX-License-Identifier: Apache-2.0
"""Functions that sort, find, count and choose elements."""

from __future__ import annotations

import collections
import math

import numpy as np

from switchyard import _core
from switchyard.checks import flag, refuse, whole
from switchyard.functions.arguments import (axis_in, common_shape, comparable, fitting,
                                            is_empty, no_axis, tensor_of, to_shape)
from switchyard.functions.complex_elements import among, distinct, distinct_slices, firsts
from switchyard.functions.promotion import cast, common
from switchyard.functions.repeats import unrepeated

_ops = _core.ops

TYPE_CHECKING = False
if TYPE_CHECKING:
    from switchyard.ops import T

__all__ = ["argsort", "argwhere", "bucketize", "isin", "kthvalue", "masked_fill",
           "mode", "msort", "nonzero", "searchsorted", "sort", "take",
           "take_along_axis", "take_along_dim", "unique", "unique_all",
           "unique_consecutive", "unique_counts", "unique_inverse",
           "unique_values"]


_Sort = collections.namedtuple("sort", "values indices")
_Kthvalue = collections.namedtuple("kthvalue", "values indices")
_Mode = collections.namedtuple("mode", "values indices")


def _sorted(name, x, axis, descending, stable):
    """(values, indices) in order along an axis, which a scalar need not have."""
    x = comparable(name, x)
    stable = True if stable is None else stable
    if not x.shape:
        no_axis(name, axis)
        return _ops.assign(x), _ops.full([], 0, "int64")
    if is_empty(x):
        return x, _ops.full(x.shape, 0, "int64")
    return _ops.argsort(x, axis, descending, stable)


def sort(x: T, axis: int = -1, *, descending: bool = False,
         stable: bool | None = True, dim=None):
    """The elements in order along ``axis``; NaN counts as the largest. With
    ``dim`` in its place the named tuple (values, indices), as in PyTorch."""
    if dim is not None:
        return _Sort(*_sorted("sort", x, dim, descending, stable))
    return _sorted("sort", x, axis, descending, stable)[0]


def argsort(x: T, axis: int = -1, *, descending: bool = False,
            stable: bool | None = True, dim=None) -> T:
    """The indices (int64) that put the elements in order along ``axis``."""
    axis = axis if dim is None else dim
    return _sorted("argsort", x, axis, descending, stable)[1]


def msort(x: T) -> T:
    """The elements in order along the first axis."""
    return sort(x, 0)


def kthvalue(x: T, k: int, dim: int = -1, keepdim: bool = False):
    """The named tuple (values, indices) of the k-th smallest element, counted
    from 1, along the axis ``dim``."""
    x = tensor_of(x)
    k = whole("kthvalue", "k", k)
    axis = axis_in("kthvalue", dim, len(x.shape) or 1)
    extent = x.shape[axis] if x.shape else 1
    if isinstance(extent, int) and not 1 <= k <= extent:
        raise ValueError(f"kthvalue: k must be in [1, {extent}], got {k}")
    values, order = _sorted("kthvalue", x, axis, False, True)
    if not x.shape:
        return _Kthvalue(values, order)
    index = _ops.slice(order, [axis], [k - 1], [k])
    values = _ops.take_along_axis(x, index, axis)
    if keepdim:
        return _Kthvalue(values, index)
    return _Kthvalue(_ops.squeeze(values, [axis]), _ops.squeeze(index, [axis]))


def mode(x: T, dim: int = -1, keepdim: bool = False):
    """The named tuple (values, indices) of the most frequent element along the
    axis ``dim``: of several the smallest, and the last place that it has."""
    x = comparable("mode", x)
    axis = axis_in("mode", dim, len(x.shape) or 1)
    if not x.shape:
        return _Mode(_ops.assign(x), _ops.full([], 0, "int64"))
    if x.dtype == "bool":
        values, index = mode(_ops.cast(x, "int32"), axis, keepdim)
        return _Mode(_ops.cast(values, "bool"), index)
    ordered, order = _sorted("mode", x, axis, False, True)
    # Runs of equals: how long each is at each of its elements.
    same = _ops.equal(_ops.unsqueeze(ordered, [axis + 1]),
                      _ops.unsqueeze(ordered, [axis]))
    counts = _ops.sum(_ops.cast(same, "int64"), axis + 1)
    first = _ops.argmax(counts, axis, True)  # The smallest of the most frequent.
    most = _ops.max(counts, axis, True)
    last = _ops.add(first, _ops.subtract(most, 1))
    index = _ops.take_along_axis(order, last, axis)
    values = _ops.take_along_axis(x, index, axis)
    if keepdim:
        return _Mode(values, index)
    return _Mode(_ops.squeeze(values, [axis]), _ops.squeeze(index, [axis]))


def argwhere(x: T) -> T:
    """The indices of the elements that are not 0, a row of int64 for each."""
    x = tensor_of(x)
    return _ops.nonzero(_ops.not_equal(x, 0) if x.dtype.startswith("complex")
                        else x)


def nonzero(x: T, *, as_tuple: bool = True):
    """The indices of the elements that are not 0, a list of int64 for each axis.

    ``argwhere`` has them as the rows of a matrix, as PyTorch's nonzero does;
    here with ``as_tuple=False``.
    """
    x = tensor_of(x)
    if not as_tuple:
        return argwhere(x)
    if not x.shape:
        raise ValueError("nonzero: x must have an axis, got a scalar")
    places = argwhere(x)
    return tuple(places[:, axis] for axis in range(len(x.shape)))


def searchsorted(x: T, values, *, side: str | None = "left", sorter=None,
                 right: bool = False, out_int32: bool = False) -> T:
    """Where ``values`` go into the ascending x: int64 indices.

    ``side``: before equals ("left") or after them ("right", which ``right``
    says, too). ``sorter``: the indices that sort x.
    """
    if side not in ("left", "right", None):
        raise ValueError("searchsorted: side must be 'left' or 'right', "
                         f"got {side!r}")
    x, values = tensor_of(x), tensor_of(values)
    if sorter is not None:
        sorter = tensor_of(sorter)
        if tuple(sorter.shape) != tuple(x.shape):
            raise ValueError("searchsorted: sorter must have the shape of x, "
                             f"{tuple(x.shape)}, got {tuple(sorter.shape)}")
        x = take(x, sorter, axis=0) if len(x.shape) == 1 else (
            _ops.take_along_axis(x, sorter, -1))
    dtype = common(x, values)
    dtype = "int32" if dtype in ("int8", "int16", "uint8", "bool") else dtype
    found = _ops.searchsorted(cast(x, dtype), cast(values, dtype),
                              right=right or side == "right")
    return _ops.cast(found, "int32") if out_int32 else found


def take(x: T, indices, *, axis=None) -> T:
    """The elements at ``indices`` along ``axis``, or of all in a row."""
    x, indices = tensor_of(x), tensor_of(indices)
    x = _row(x) if axis is None else x
    rank = len(x.shape)
    axis = axis_in("take", 0 if axis is None else axis, rank)
    if len(indices.shape) == 1:
        return _ops.index_select(x, indices, axis)
    row = to_shape(indices, [math.prod(indices.shape)])
    taken = _ops.index_select(x, row, axis)
    return to_shape(taken, [*x.shape[:axis], *indices.shape,
                            *x.shape[axis + 1:]])


def take_along_axis(x: T, indices, axis: int = -1) -> T:
    """For each of ``indices`` the element of x at that index of ``axis``."""
    return _ops.take_along_axis(x, indices, axis)


def isin(x: T, elements, *, invert: bool = False) -> T:
    """Whether each element of x is among ``elements`` (or is not: ``invert``)."""
    x, elements = tensor_of(x), _row(elements)
    if is_empty(elements):
        found = _ops.full_like(x, False, "bool")
    elif "complex" in x.dtype + elements.dtype:
        dtype = common(x, elements)
        found = among(cast(x, dtype), cast(elements, dtype))
    else:
        ordered = _ops.argsort(elements, 0)[0]
        place = _ops.searchsorted(ordered, x)
        last = _ops.minimum(place, elements.shape[0] - 1)
        found = _ops.equal(take(ordered, last), x)
    return _ops.logical_not(found) if invert else found


def masked_fill(x: T, mask, value) -> T:
    """x with ``value``, a number or a scalar, where the bool ``mask`` is true."""
    x, mask = tensor_of(x), tensor_of(mask)
    if mask.dtype != "bool":
        raise TypeError(f"masked_fill: mask must be bool, got {mask.dtype}")
    if isinstance(value, (int, float, complex)):
        fitting("masked_fill", "value", value, x.dtype)
        value = _ops.full([], value, x.dtype)
    value = tensor_of(value)
    if value.shape:
        refuse("masked_fill", "value", "a number or a scalar", value, ValueError)
    if value.dtype.startswith("complex") and not x.dtype.startswith("complex"):
        raise TypeError(f"masked_fill: value must be real as x is, got {value.dtype}")
    return _ops.where(mask, value, x)


_All = collections.namedtuple(
    "unique_all", "values indices inverse_indices counts")
_Counts = collections.namedtuple("unique_counts", "values counts")
_Inverse = collections.namedtuple("unique_inverse", "values inverse_indices")


def unique_values(x: T) -> T:
    """The distinct elements in ascending order."""
    return _counted(tensor_of(x))[0]


def unique_counts(x: T):
    """The distinct elements, and how often each is there (int64)."""
    return _Counts(*_counted(tensor_of(x)))


def _counted(x):
    """The distinct elements, and how often each is there."""
    one, times = unrepeated(x)
    values, _, counts = distinct(_row(one))
    return values, counts if one is x else _ops.multiply(counts, math.prod(times))


def unique_inverse(x: T):
    """The distinct elements, and which of them each element is, in x's shape."""
    x = tensor_of(x)
    values, inverse, _ = distinct(_row(x))
    return _Inverse(values, to_shape(inverse, list(x.shape)))


def unique_all(x: T):
    """The distinct elements, where the first of each is, which of them each
    element is, and how often each is there."""
    x = tensor_of(x)
    row = _row(x)
    values, inverse, counts = distinct(row)
    return _All(values, firsts(inverse, counts), to_shape(inverse, list(x.shape)), counts)


def _row(x):
    x = tensor_of(x)
    if len(x.shape) == 1:
        return x
    return to_shape(x, [0 if is_empty(x) else -1])


def unique(x: T, *, sorted: bool = True, return_inverse: bool = False,
           return_counts: bool = False, axis=None, dim=None):
    """The distinct elements in ascending order, or slices along ``axis``.

    With ``return_inverse`` and ``return_counts`` a tuple with what
    ``unique_all`` calls inverse_indices and counts. They are in order whatever
    ``sorted`` says.
    """
    x, axis = tensor_of(x), axis if dim is None else dim
    flag("unique", "sorted", sorted)
    if x.dtype == "bool":
        values, *rest = unique(_ops.cast(x, "uint8"), return_inverse=True,
                               return_counts=True, axis=axis)
        values = _ops.cast(values, "bool")
        inverse, counts = rest
    elif axis is None and not return_inverse:
        values, counts = _counted(x)
        inverse = None
    elif axis is None:
        values, inverse, counts = distinct(_row(x))
        inverse = to_shape(inverse, list(x.shape))
    elif x.dtype.startswith("complex"):
        values, _, inverse, counts = distinct_slices(x, axis)
    else:
        values, _, inverse, counts = _ops.legacy_unique(
            x, [axis], "int64", True)
    results = (values, *([inverse] if return_inverse else []),
               *([counts] if return_counts else []))
    return values if len(results) == 1 else results


def unique_consecutive(x: T, *, return_inverse: bool = False,
                       return_counts: bool = False, dim=None):
    """The elements without those that equal the one before, or slices along
    ``dim``; with ``return_inverse`` the place of each in the result, with
    ``return_counts`` the length of each run."""
    x = tensor_of(x)
    if dim is None:
        rows, axis = _row(x), 0
    else:
        axis = axis_in("unique_consecutive", dim, len(x.shape))
        rows = x
    count = rows.shape[axis]
    order = [axis, *(i for i in range(len(rows.shape)) if i != axis)]
    flat = to_shape(_ops.transpose(rows, order), [count, 0 if is_empty(rows) else -1])
    changes = np.ones(count, bool)
    if count > 1:
        changes[1:] = _ops.any(_ops.not_equal(flat[1:], flat[:-1]), -1).numpy()
    starts = np.flatnonzero(changes)
    values = _ops.index_select(rows, _core.tensor(starts), axis)
    inverse = _core.tensor(np.cumsum(changes) - 1)
    if dim is None:
        inverse = to_shape(inverse, list(x.shape))
    counts = _core.tensor(np.diff(np.append(starts, count)))
    results = (values, *([inverse] if return_inverse else []),
               *([counts] if return_counts else []))
    return values if len(results) == 1 else results


def bucketize(x: T, boundaries, *, out_int32: bool = False,
              right: bool = False) -> T:
    """Between which of the ascending ``boundaries`` each element lies (int64)."""
    boundaries = tensor_of(boundaries)
    if len(boundaries.shape) != 1:
        raise ValueError("bucketize: boundaries must have one axis, got "
                         f"{len(boundaries.shape)}")
    found = _ops.searchsorted(boundaries, tensor_of(x), right=right)
    return _ops.cast(found, "int32") if out_int32 else found


def take_along_dim(x: T, indices, dim=None) -> T:
    """``take_along_axis``, or of all elements in a row without ``dim``; x and
    the indices broadcast along the other axes."""
    x, indices = tensor_of(x), tensor_of(indices)
    if dim is None:
        return _ops.take_along_axis(_row(x), _row(indices), 0)
    if len(x.shape) != len(indices.shape):
        raise ValueError(f"take_along_dim: indices must have {len(x.shape)} axes as "
                         f"x has, got {len(indices.shape)}")
    axis = axis_in("take_along_dim", dim, len(x.shape))
    shape = common_shape("take_along_dim", "indices", *(
        [1 if i == axis else n for i, n in enumerate(each.shape)]
        for each in (x, indices)))
    x_shape, index_shape = list(shape), list(shape)
    x_shape[axis], index_shape[axis] = x.shape[axis], indices.shape[axis]
    return _ops.take_along_axis(_ops.expand(x, x_shape),
                                _ops.expand(indices, index_shape), axis)
