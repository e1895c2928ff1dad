# SPDX-License-Identifier: Apache-2.0
"""The windows of convolutions and poolings, as the public functions have them.

The operators keep PaddlePaddle's rules, which programs rely on: a window that
reaches beyond the padding by less than a stride is one, unless the algorithm is
"WHOLE", and "SAME" leaves the dilation out.
"""

from __future__ import annotations


def _extents(x, axes):
    """x's extents after batch and channels; none unless there are ``axes``, and
    none for what is no tensor: the operator says what it takes."""
    shape = getattr(x, "shape", ())
    return shape[2:] if len(shape) == axes + 2 else ()


def _whole(numbers):
    return all(hasattr(n, "__index__") for n in numbers)


def check_windows(name, x, kernel, padding, dilation=None, rounded_up=None):
    """ValueError unless a window fits into the padded x along each axis.

    With strides ``rounded_up`` it may reach beyond by less than a stride. What is
    no whole number is left to the operator. Returned is the operator's
    padding_algorithm: "WHOLE" where an extent of a graph is open, so that a run
    refuses what does not fit, else "EXPLICIT".
    """
    return check_extents(name, _extents(x, len(kernel)), kernel, padding, dilation,
                         rounded_up)


def check_extents(name, extents, kernel, padding, dilation=None, rounded_up=None):
    """``check_windows`` of the extents that windows lie in."""
    dilation = [1] * len(kernel) if dilation is None else dilation
    beyond = [1] * len(kernel) if rounded_up is None else rounded_up
    if not _whole([*kernel, *padding, *dilation, *beyond]):
        return "EXPLICIT"
    algorithm = "EXPLICIT"
    for extent, k, p, d, more in zip(extents, kernel, padding, dilation, beyond):
        reach = d * (k - 1) + 1
        if not isinstance(extent, int):
            # One of extent 1 is the smallest.
            algorithm = algorithm if 2 * p + more >= reach else "WHOLE"
        elif extent + 2 * p + more - 1 < reach:
            raise ValueError(f"{name}: kernel_size must be such that a window is "
                             f"within the padded extent {extent + 2 * p}, got a "
                             f"window of {reach}")
    return algorithm


def conv_padding(name, x, kernel, stride, padding, dilation):
    """(paddings, padding_algorithm) for a convolution's operator, of numbers or
    of "same" or "valid"; the windows are checked.

    "same" gives ceil(extent / stride) elements along each axis, the odd element
    of the padding after x.
    """
    axes = len(stride)
    if isinstance(padding, str):
        word = padding.lower()
        if word not in ("same", "valid"):
            raise ValueError(f"{name}: padding must be 'same', 'valid' or "
                             f"numbers, got {padding!r}")
        if word == "same":
            sides = _extents(x, axes)
            if not sides or len(kernel) != axes or all(d == 1 for d in dilation):
                return [0] * axes, "SAME"
            ends = [_same(name, *along) for along in
                    zip(sides, kernel, stride, dilation)]
            return [n for both in ends for n in both], "EXPLICIT"
        padding = [0] * axes
    if len(kernel) == axes:
        return padding, check_windows(name, x, kernel, padding, dilation)
    return padding, "EXPLICIT"


def _same(name, extent, kernel, stride, dilation):
    """Returns how much is before and after x along an axis."""
    missing = dilation * (kernel - 1)
    if stride != 1:
        if not isinstance(extent, int):
            raise ValueError(f"{name}: padding 'same' with stride and dilation "
                             f"needs a known extent, got {extent}")
        outputs = -(-extent // stride)
        missing = max((outputs - 1) * stride + missing + 1 - extent, 0)
    return missing // 2, missing - missing // 2
