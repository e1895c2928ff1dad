# SPDX-License-Identifier: Apache-2.0
"""Functions that sort, find, count and choose elements."""

from __future__ import annotations

import collections
import math

from switchyard import _core
from switchyard.functions.arguments import (axis_in, fitting, is_empty,
                                            tensor_of, to_shape)

_ops = _core.ops

TYPE_CHECKING = False
if TYPE_CHECKING:
    from switchyard.ops import T

__all__ = ["argsort", "argwhere", "isin", "masked_fill", "nonzero", "searchsorted",
           "sort", "take", "take_along_axis", "unique", "unique_all",
           "unique_counts", "unique_inverse", "unique_values"]


def sort(x: T, axis: int = -1, *, descending: bool = False, stable: bool = True,
         dim=None) -> T:
    """The elements in order along ``axis``; NaN counts as the largest."""
    axis = axis if dim is None else dim
    return _ops.argsort(x, axis, descending, stable)[0]


def argsort(x: T, axis: int = -1, *, descending: bool = False,
            stable: bool = True, dim=None) -> T:
    """The indices (int64) that put the elements in order along ``axis``."""
    axis = axis if dim is None else dim
    return _ops.argsort(x, axis, descending, stable)[1]


def argwhere(x: T) -> T:
    """The indices of the elements that are not 0, a row of int64 for each."""
    x = tensor_of(x)
    return _ops.nonzero(_ops.not_equal(x, 0) if x.dtype.startswith("complex")
                        else x)


def nonzero(x: T):
    """The indices of the elements that are not 0, a list of int64 for each axis.

    ``argwhere`` has them as the rows of a matrix, as PyTorch's nonzero does.
    """
    x = tensor_of(x)
    if not x.shape:
        raise ValueError("nonzero: x must have an axis, got a scalar")
    places = argwhere(x)
    return tuple(places[:, axis] for axis in range(len(x.shape)))


def searchsorted(x: T, values, *, side: str = "left", sorter=None,
                 right: bool = False) -> T:
    """Where ``values`` go into the ascending x: int64 indices.

    ``side``: before equals ("left") or after them ("right", which ``right``
    says, too). ``sorter``: the indices that sort x.
    """
    if side not in ("left", "right"):
        raise ValueError("searchsorted: side must be 'left' or 'right', "
                         f"got {side!r}")
    if sorter is not None:
        x = take(x, sorter, axis=0)
    return _ops.searchsorted(x, values, right=right or side == "right")


def take(x: T, indices, *, axis=None) -> T:
    """The elements at ``indices`` along ``axis``, which a list may leave out."""
    x, indices = tensor_of(x), tensor_of(indices)
    rank = len(x.shape)
    if axis is None and rank != 1:
        raise ValueError(f"take: axis must be given, since x has {rank} axes")
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
        found = _ops.not_equal(x, x)
    else:
        ordered = _ops.argsort(elements, 0)[0]
        place = _ops.searchsorted(ordered, x)
        last = _ops.minimum(place, elements.shape[0] - 1)
        found = _ops.equal(take(ordered, last), x)
    return _ops.logical_not(found) if invert else found


def masked_fill(x: T, mask, value) -> T:
    """x with ``value``, a number or a scalar, where the bool ``mask`` is true."""
    x, mask = tensor_of(x), tensor_of(mask)
    if isinstance(value, (int, float, complex)):
        fitting("masked_fill", "value", value, x.dtype)
        value = _ops.full([], value, x.dtype)
    return _ops.where(mask, tensor_of(value), x)


_All = collections.namedtuple(
    "unique_all", "values indices inverse_indices counts")
_Counts = collections.namedtuple("unique_counts", "values counts")
_Inverse = collections.namedtuple("unique_inverse", "values inverse_indices")


def unique_values(x: T) -> T:
    """The distinct elements in ascending order."""
    return _ops.unique(_row(x))[0]


def unique_counts(x: T):
    """The distinct elements, and how often each is there (int64)."""
    values, _, counts = _ops.unique(_row(x))
    return _Counts(values, counts)


def unique_inverse(x: T):
    """The distinct elements, and which of them each element is, in x's shape."""
    x = tensor_of(x)
    values, inverse, _ = _ops.unique(_row(x))
    return _Inverse(values, to_shape(inverse, list(x.shape)))


def unique_all(x: T):
    """The distinct elements, where the first of each is, which of them each
    element is, and how often each is there."""
    x = tensor_of(x)
    row = _row(x)
    values, inverse, counts = _ops.unique(row)
    # Equals keep their order: the first of a run is the first of its value.
    order = _ops.argsort(inverse, 0, stable=True)[1]
    starts = counts if is_empty(counts) else (
        _ops.subtract(_ops.cumsum(counts, 0), counts))
    indices = _ops.index_select(order, starts, 0)
    return _All(values, indices, to_shape(inverse, list(x.shape)), counts)


def _row(x):
    x = tensor_of(x)
    if len(x.shape) == 1:
        return x
    return to_shape(x, [0 if is_empty(x) else -1])


def unique(x: T, *, return_inverse: bool = False, return_counts: bool = False,
           axis=None, dim=None):
    """The distinct elements in ascending order, or slices along ``axis``.

    With ``return_inverse`` and ``return_counts`` a tuple with what
    ``unique_all`` calls inverse_indices and counts.
    """
    axis = axis if dim is None else dim
    if axis is None:
        values, inverse, counts = _ops.unique(x)
    else:
        values, _, inverse, counts = _ops.legacy_unique(
            x, [axis], "int64", True)
    results = (values, *([inverse] if return_inverse else []),
               *([counts] if return_counts else []))
    return values if len(results) == 1 else results
