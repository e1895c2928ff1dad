# SPDX-License-Identifier: Apache-2.0
"""Running sums and products along an axis; products and sums of complex numbers,
for which operators have no kernels."""

from __future__ import annotations

import collections
import math

from switchyard import _core
from switchyard.functions.arguments import (WHOLE, WIDE_UNSIGNED, axis_in, is_empty,
                                            joined, kept, no_axis, tensor_of,
                                            to_shape)

_ops = _core.ops

TYPE_CHECKING = False
if TYPE_CHECKING:
    from switchyard.ops import T

__all__ = ["cummax", "cummin", "cumprod", "cumsum", "cumulative_prod",
           "cumulative_sum"]

_Cummax = collections.namedtuple("cummax", "values indices")
_Cummin = collections.namedtuple("cummin", "values indices")


def by_parts(function, x):
    """function(x) of complex numbers, of the real and the imaginary part."""
    return _ops.complex(function(_ops.real(x)), function(_ops.imag(x)))


def complex_prod(numbers, axis, keepdims):
    """The product of complex numbers over axes, of halves that are multiplied."""
    x, axes = joined("prod", numbers, axis)
    if not x.shape:
        return x
    count = x.shape[-1]
    if not isinstance(count, int):
        return kept(_open_product(x), x, axes, keepdims)
    if count == 0:
        return kept(_ops.full(x.shape[:-1], 1, x.dtype), x, axes, keepdims)
    while count > 1:
        x, count = _halved(x), (count + 1) // 2
    return kept(x[..., 0], x, axes, keepdims)


def _halved(x):
    """The products of the halves along the last axis, and what is left over."""
    count = x.shape[-1]
    half = count // 2
    product = _ops.multiply(x[..., :half], x[..., half:2 * half])
    if isinstance(count, int) and count == 2 * half:
        return product
    return _ops.concat([product, x[..., 2 * half:]], -1)


def _open_product(x):
    """The product along a last axis whose extent a program finds."""
    from switchyard.static import while_loop
    (x,) = while_loop(lambda x: _ops.greater_than(_extent(x, -1), 1), _halved, (x,))
    # One, or none, whose product is 1.
    return _ops.concat([x, _ops.full([*x.shape[:-1], 1], 1, x.dtype)], -1)[..., 0]


def _extent(x, axis):
    """The extent along an axis as a value of the graph."""
    return _ops.shape(x)[axis]


def _running(name, operator, x, axis, dtype, include_initial, first):
    x = tensor_of(x)
    if axis is None and len(x.shape) != 1:
        raise ValueError(f"{name}: axis must be given, since x has "
                         f"{len(x.shape)} axes")
    if axis is not None and not x.shape:
        axis = no_axis(name, axis)
    elif not isinstance(axis, _core.Value):  # It is checked while it runs.
        axis = axis_in(name, 0 if axis is None else axis, len(x.shape))
    elif include_initial:
        raise NotImplementedError(f"{name}: axis must be known while it is "
                                  "traced where include_initial")
    if dtype is None and x.dtype in WHOLE:
        dtype = "uint64" if x.dtype in WIDE_UNSIGNED else "int64"
    if dtype is not None:
        x = _ops.cast(x, dtype)
    if not x.shape:
        return x
    result = x if is_empty(x) else _scanned(operator, x, axis)
    if not include_initial:
        return result
    extents = list(x.shape)
    extents[axis] = 1
    return _ops.concat([_ops.full(extents, first, x.dtype), result], axis)


def _scanned(operator, x, axis):
    """The running results; of complex numbers sums part by part, and products by
    strides that double."""
    if not x.dtype.startswith("complex"):
        return operator(x, axis)
    if operator is _ops.cumsum:
        return by_parts(lambda part: operator(part, axis), x)
    stride, extent = 1, x.shape[axis]
    if not isinstance(extent, int):
        return _open_running_product(x, axis)
    while stride < extent:
        head = _ops.slice(x, [axis], [0], [stride])
        later = _ops.slice(x, [axis], [stride], [extent])
        earlier = _ops.slice(x, [axis], [0], [extent - stride])
        x = _ops.concat([head, _ops.multiply(later, earlier)], axis)
        stride *= 2
    return x


def _open_running_product(x, axis):
    """The running products along an axis whose extent a program finds."""
    from switchyard.static import while_loop
    extent = _extent(x, axis)
    place = _ops.arange(0, extent, 1, "int64")
    first = _ops.zeros_like(place)

    def further(stride, x):
        before = _ops.subtract(place, stride)
        there = _ops.greater_equal(before, first)
        earlier = _ops.index_select(x, _ops.maximum(before, first), axis)
        there = _ops.reshape(there, [-1] + [1] * (-1 - axis % len(x.shape) + len(x.shape)))
        return (_ops.scale(stride, 2),
                _ops.where(there, _ops.multiply(x, earlier), x))
    return while_loop(lambda stride, x: _ops.less_than(stride, extent), further,
                      (_ops.full([], 1, "int64"), x))[1]


def cumulative_sum(x: T, axis=None, *, dtype=None,
                   include_initial: bool = False) -> T:
    """Running sums along ``axis``, which may be left out of a list.

    ``include_initial`` puts a 0 in front. Dtypes as those of ``sum``.
    """
    return _running("cumulative_sum", _ops.cumsum, x, axis, dtype,
                    include_initial, 0)


def cumulative_prod(x: T, axis=None, *, dtype=None,
                    include_initial: bool = False) -> T:
    """Running products along ``axis``, which may be left out of a list.

    ``include_initial`` puts a 1 in front. Dtypes as those of ``prod``.
    """
    return _running("cumulative_prod", _ops.cumprod, x, axis, dtype,
                    include_initial, 1)


def cumsum(x: T, axis=None, *, dtype=None, dim=None) -> T:
    """Running sums along ``axis``, or of all elements in a row without it."""
    axis = axis if dim is None else dim
    x = tensor_of(x)
    if axis is None:
        x, axis = to_shape(x, [math.prod(x.shape)]), 0
    return cumulative_sum(x, axis, dtype=dtype)


def cumprod(x: T, axis=None, *, dtype=None, dim=None) -> T:
    """Running products along ``axis``, or of all elements without it."""
    axis = axis if dim is None else dim
    x = tensor_of(x)
    if axis is None:
        x, axis = to_shape(x, [math.prod(x.shape)]), 0
    return cumulative_prod(x, axis, dtype=dtype)


def cummax(x: T, axis: int = -1, dtype="int64", *, dim=None):
    """The named tuple (values, indices) of the largest element so far along
    ``axis``, and its position, the last of equal ones; a NaN stays."""
    return _Cummax(*_ops.cummax(x, axis if dim is None else dim, dtype))


def cummin(x: T, axis: int = -1, dtype="int64", *, dim=None):
    """The named tuple (values, indices) of the smallest element so far along
    ``axis``, and its position, the last of equal ones; a NaN stays."""
    return _Cummin(*_ops.cummin(x, axis if dim is None else dim, dtype))
