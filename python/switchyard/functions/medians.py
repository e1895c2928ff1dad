# SPDX-License-Identifier: Apache-2.0
"""The middle of many numbers."""

from __future__ import annotations

import collections

from switchyard import _core
from switchyard.functions.arguments import axis_in, comparable, floating, kept, reduced
from switchyard.functions.precision import in_float32
from switchyard.functions.repeats import of_rows, reads_views

_ops = _core.ops

TYPE_CHECKING = False
if TYPE_CHECKING:
    from switchyard.ops import T

__all__ = ["median"]

_Median = collections.namedtuple("median", "values indices")


@reads_views
@in_float32
def median(x: T, axis=None, keepdims: bool = False, *, dim=None,
           keepdim=None) -> T:
    """The middle element over ``axis``, the mean of two; NaN if there is one.

    Of integers float32. (PyTorch takes the lower of two.) With ``dim`` the named
    tuple (values, indices), of two elements the index of the lower.
    """
    if dim is not None:
        return _median_at(x, dim, keepdims if keepdim is None else keepdim)
    x, axis, keepdims = reduced(comparable("median", x), axis, keepdims, dim, keepdim)
    x = floating(x)
    found, axes = of_rows("median", _middle, x, axis)
    return kept(found, x, axes, keepdims)


def _middle(x, times):
    """The middles of rows whose elements are each there ``times`` times."""
    if not x.shape:
        return x
    count = x.shape[-1]
    if not isinstance(count, int):
        raise NotImplementedError("median: axis must be of an extent that is "
                                  "known while it is traced")
    if count == 0:
        return _ops.mean(x, [-1])
    ordered, _ = _ops.argsort(x, -1)
    many = count * times
    middle = _ops.multiply(_ops.add(ordered[..., (many - 1) // 2 // times],
                                    ordered[..., many // 2 // times]), 0.5)
    last = ordered[..., count - 1]  # NaN is the largest.
    return _ops.where(_ops.isnan(last), last, middle)


def _median_at(x, dim, keepdims):
    x = comparable("median", x)
    values = median(x, dim if x.shape else None, keepdims)
    if not x.shape:
        return _Median(values, _ops.full([], 0, "int64"))
    axis = axis_in("median", dim, len(x.shape))
    order = _ops.argsort(x, axis, False, True)[1]
    middle = (x.shape[axis] - 1) // 2
    index = _ops.slice(order, [axis], [middle], [middle + 1])
    return _Median(values, index if keepdims else _ops.squeeze(index, [axis]))
