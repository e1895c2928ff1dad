# SPDX-License-Identifier: Apache-2.0
"""The middle of many numbers."""

from __future__ import annotations

import collections

from switchyard import _core
from switchyard.functions.arguments import (axis_in, floating, joined, kept, reduced,
                                            tensor_of)
from switchyard.functions.precision import in_float32
from switchyard.functions.repeats import reads_views

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
    x, axis, keepdims = reduced(x, axis, keepdims, dim, keepdim)
    x, axes = joined("median", floating(x), axis)
    if not x.shape:
        return x
    count = x.shape[-1]
    if not isinstance(count, int):
        raise NotImplementedError("median: axis must be of an extent that is "
                                  "known while it is traced")
    if count == 0:
        return kept(_ops.mean(x, [-1]), x, axes, keepdims)
    ordered, _ = _ops.argsort(x, -1)
    middle = _ops.multiply(_ops.add(ordered[..., (count - 1) // 2],
                                    ordered[..., count // 2]), 0.5)
    last = ordered[..., count - 1]  # NaN is the largest.
    return kept(_ops.where(_ops.isnan(last), last, middle), x, axes, keepdims)


def _median_at(x, dim, keepdims):
    x = tensor_of(x)
    values = median(x, dim if x.shape else None, keepdims)
    if not x.shape:
        return _Median(values, _ops.full([], 0, "int64"))
    axis = axis_in("median", dim, len(x.shape))
    order = _ops.argsort(x, axis, False, True)[1]
    middle = (x.shape[axis] - 1) // 2
    index = _ops.slice(order, [axis], [middle], [middle + 1])
    return _Median(values, index if keepdims else _ops.squeeze(index, [axis]))
