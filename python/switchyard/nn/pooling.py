# SPDX-License-Identifier: Apache-2.0
"""Pooling: the maximum or the mean of windows."""

from __future__ import annotations

from collections.abc import Sequence
import math

from switchyard import _core
from switchyard.checks import FROM_1, flag, whole
from switchyard.functions.arguments import tensor_of
from switchyard.nn.extents import per_extent
from switchyard.nn.max_windows import (batched, ceil_flag, max_pool, outputs,
                                       unbatched)
from switchyard.nn.module import Module
from switchyard.nn.windows import check_windows

_ops = _core.ops


# The operators of windows of two and of three extents.
_POOLS = {2: _ops.pool2d, 3: _ops.pool3d}


def pool(name, kind, x, kernel, stride, padding, ceil_mode, exclusive):
    """Pooling by windows of one to three extents, of the ``kind`` of pool2d and
    pool3d; x may lack the axis of batches. ValueError for a window larger than x
    with its padding; with ``ceil_mode`` it may reach beyond by less than a
    stride."""
    if len(getattr(x, "shape", ())) == len(kernel) + 1:
        return _ops.squeeze(pool(name, kind, _ops.unsqueeze(x, [0]), kernel, stride,
                                 padding, ceil_mode, exclusive), [0])
    algorithm = check_windows(name, x, kernel, padding,
                              rounded_up=stride if ceil_mode else None)
    given = {"ceil_mode": ceil_mode, "exclusive": exclusive,
             "pooling_type": kind, "padding_algorithm": algorithm}
    if len(kernel) == 1:
        y = _ops.pool2d(_ops.unsqueeze(x, [2]), [1, *kernel],
                        strides=[1, *stride], paddings=[0, *padding], **given)
        return _ops.squeeze(y, [2])
    return _POOLS[len(kernel)](x, kernel, strides=stride, paddings=padding,
                               **given)


def divided(name, x, kernel, stride, padding, ceil_mode, divisor):
    """The sums of windows divided by ``divisor``."""
    if whole(name, "divisor_override", divisor) == 0:
        raise ValueError(f"{name}: divisor_override must not be zero")
    x = tensor_of(x)
    check_windows(name, x, kernel, padding,
                  rounded_up=stride if ceil_mode else None)
    ends = list(padding)
    if ceil_mode:  # A whole window is summed, also where it reaches beyond.
        ends = [max(p, (outputs(n, k, s, p, 1, True) - 1) * s + k - n - p)
                for n, k, s, p in zip(x.shape[-len(kernel):], kernel, stride,
                                      padding)]
    around = [n for both in zip(padding, ends) for n in both]
    if any(around):
        x = _ops.pad(x, [0, 0] * (len(x.shape) - len(kernel)) + around, 0.0)
    mean = pool(name, "avg", x, kernel, stride, [0] * len(kernel), False, False)
    return _ops.scale(mean, math.prod(kernel) / divisor)


class _Pool(Module):
    """Pooling by windows of ``axes`` extents, of the ``kind`` of pool2d and pool3d."""

    kind = ""
    axes = 0
    exclusive = True

    def __init__(self, kernel_size: int | Sequence[int],
                 stride: int | Sequence[int] | None = None,
                 padding: int | Sequence[int] = 0, ceil_mode: bool = False):
        super().__init__()
        name = type(self).__name__
        flag(name, "ceil_mode", ceil_mode)
        self.kernel_size = per_extent(kernel_size, self.axes,
                                      f"{name}: kernel_size", 1)
        self.stride = self.kernel_size if stride is None else per_extent(
            stride, self.axes, f"{name}: stride", 1)
        self.padding = per_extent(padding, self.axes, f"{name}: padding", 0)
        self.ceil_mode = ceil_mode

    def forward(self, x):
        return pool(type(self).__name__, self.kind, x, self.kernel_size,
                    self.stride, self.padding, self.ceil_mode, self.exclusive)

    def extra_repr(self):
        return (f"kernel_size={tuple(self.kernel_size)}, "
                f"stride={tuple(self.stride)}, padding={tuple(self.padding)}")


class _Max(_Pool):
    """The largest elements. ``dilation``: how far the elements of a window are
    apart. With ``return_indices`` a pair: the elements, and where they lie in
    their planes, numbered row by row, int64; ``max_unpool2d`` takes both."""

    kind = "max"

    def __init__(self, kernel_size: int | Sequence[int],
                 stride: int | Sequence[int] | None = None,
                 padding: int | Sequence[int] = 0, ceil_mode: bool = False,
                 dilation: int | Sequence[int] = 1, return_indices: bool = False):
        name = type(self).__name__
        ceil_flag(name, ceil_mode)
        super().__init__(kernel_size, stride, padding, ceil_mode)
        flag(name, "return_indices", return_indices)
        self.dilation = per_extent(dilation, self.axes, f"{name}: dilation", 1)
        self.return_indices = return_indices

    def forward(self, x):
        if not self.return_indices and self.dilation == [1] * self.axes:
            return super().forward(x)
        return max_pool(type(self).__name__, x, self.kernel_size, self.stride,
                        self.padding, self.ceil_mode, self.dilation,
                        self.return_indices)


class _Mean(_Pool):
    """Means: the padding may count. ``divisor_override``: what sums are divided by
    instead of the count."""

    kind = "avg"

    def __init__(self, kernel_size: int | Sequence[int],
                 stride: int | Sequence[int] | None = None,
                 padding: int | Sequence[int] = 0, ceil_mode: bool = False,
                 exclusive: bool = True, divisor_override: int | None = None):
        name = type(self).__name__
        super().__init__(kernel_size, stride, padding, ceil_mode)
        flag(name, "exclusive", exclusive)
        if divisor_override is not None and not whole(
                name, "divisor_override", divisor_override):
            raise ValueError(f"{name}: divisor_override must not be zero")
        self.exclusive, self.divisor_override = exclusive, divisor_override

    def forward(self, x):
        if self.divisor_override is None:
            return super().forward(x)
        return divided(type(self).__name__, x, self.kernel_size, self.stride,
                       self.padding, self.ceil_mode, self.divisor_override)


class _Pool2D(_Pool):
    """x [n, channels, h, w] to [n, channels, h', w'] by windows.

    h' = (h + 2 * padding - kernel_size) // stride + 1, rounded up with
    ``ceil_mode``, but for windows that would start after x. ``stride`` is
    ``kernel_size`` unless given. A window that is larger than x with its padding
    is a ValueError.
    """

    axes = 2


class MaxPool2D(_Max, _Pool2D):
    __doc__ = (f"The maximum of windows; NaN where one has a NaN.\n\n{_Pool2D.__doc__}"
               f"\n    {_Max.__doc__}")


class AvgPool2D(_Mean, _Pool2D):
    __doc__ = ("The mean of windows; of the padding too, unless ``exclusive``."
               f"\n\n{_Pool2D.__doc__}")


class GlobalAvgPool2D(Module):
    """The mean of each channel: [n, channels, h, w] to [n, channels]."""

    def forward(self, x):
        return _ops.mean(x, [2, 3])


class _Pool1D(_Pool):
    """x [n, channels, length] by windows, as those of images: ``MaxPool2D``."""

    axes = 1


class MaxPool1D(_Max, _Pool1D):
    __doc__ = f"The maximum of windows.\n\n{_Pool1D.__doc__}\n\n    {_Max.__doc__}"


class AvgPool1D(_Mean, _Pool1D):
    __doc__ = ("The mean of windows; of the padding too, unless ``exclusive``."
               f"\n\n{_Pool1D.__doc__}")


class _Pool3D(_Pool):
    """x [n, channels, d, h, w] by windows, as those of images: ``MaxPool2D``."""

    axes = 3


class MaxPool3D(_Max, _Pool3D):
    __doc__ = f"The maximum of windows.\n\n{_Pool3D.__doc__}\n\n    {_Max.__doc__}"


class AvgPool3D(_Mean, _Pool3D):
    __doc__ = ("The mean of windows; of the padding too, unless ``exclusive``."
               f"\n\n{_Pool3D.__doc__}")


def adaptive_pool(kind, x, output_size, places=False):
    """The pooling whose windows give ``output_size``, one to three extents; an
    extent None is x's, which may lack the axis of batches. With ``places`` of
    "max" also where the elements are in their planes."""
    x, alone = batched(tensor_of(x), len(output_size))
    if len(x.shape) != len(output_size) + 2:
        raise ValueError(f"adaptive_{kind}_pool{len(output_size)}d: x must have "
                         f"{len(output_size) + 1} or {len(output_size) + 2} axes, "
                         f"got {len(x.shape) - alone}")
    return unbatched(_adapted(kind, x, output_size, places), alone)


_WITH_PLACES = {2: _ops.max_pool2d_with_index, 3: _ops.max_pool3d_with_index}


def _adapted(kind, x, output_size, places):
    if len(output_size) == 1:
        y = _adapted(kind, _ops.unsqueeze(x, [2]), [1, *output_size], places)
        return tuple(_ops.squeeze(each, [2]) for each in y) if places else (
            _ops.squeeze(y, [2]))
    sides = [given if wanted is None else wanted
             for wanted, given in zip(output_size, x.shape[2:])]
    if not places:
        return _POOLS[len(sides)](x, sides, adaptive=True, pooling_type=kind)
    y, at = _WITH_PLACES[len(sides)](x, sides, adaptive=True)
    return y, _ops.cast(at, "int64")


class _AdaptivePool(Module):
    """Pooling to ``axes`` extents that are given."""

    kind = ""
    axes = 0

    def __init__(self, output_size: int | Sequence[int | None]):
        super().__init__()
        self.output_size = per_extent(output_size, self.axes,
                                      f"{type(self).__name__}: output_size")
        for each in self.output_size:
            if each is not None:
                whole(type(self).__name__, "output_size", each, FROM_1)

    def forward(self, x):
        return adaptive_pool(self.kind, x, self.output_size)

    def extra_repr(self):
        return f"output_size={tuple(self.output_size)}"


class _AdaptiveMax(_AdaptivePool):
    """With ``return_indices`` a pair: the elements, and where they lie in their
    planes, numbered row by row, int64."""

    kind = "max"

    def __init__(self, output_size: int | Sequence[int | None],
                 return_indices: bool = False):
        super().__init__(output_size)
        flag(type(self).__name__, "return_indices", return_indices)
        self.return_indices = return_indices

    def forward(self, x):
        return adaptive_pool("max", x, self.output_size, self.return_indices)


class _AdaptivePool2D(_AdaptivePool):
    """x [n, channels, h, w] to [n, channels, *output_size]; an extent None is x's.

    Window i of k along an extent e reaches from floor(i * e / k) to
    ceil((i + 1) * e / k).
    """

    axes = 2


class AdaptiveAvgPool2D(_AdaptivePool2D):
    __doc__ = f"The mean of windows.\n\n{_AdaptivePool2D.__doc__}"

    kind = "avg"


class AdaptiveMaxPool2D(_AdaptiveMax, _AdaptivePool2D):
    __doc__ = f"The maximum of windows.\n\n{_AdaptivePool2D.__doc__}"


_AS_IMAGES = """x [n, channels, ...] to ``output_size``, by the windows of
    ``AdaptiveAvgPool2D``; an extent None is x's."""


class AdaptiveAvgPool1D(_AdaptivePool):
    __doc__ = f"The mean of windows.\n\n{_AS_IMAGES}"

    kind, axes = "avg", 1


class AdaptiveMaxPool1D(_AdaptiveMax):
    __doc__ = f"The maximum of windows.\n\n{_AS_IMAGES}"

    axes = 1


class AdaptiveAvgPool3D(_AdaptivePool):
    __doc__ = f"The mean of windows.\n\n{_AS_IMAGES}"

    kind, axes = "avg", 3


class AdaptiveMaxPool3D(_AdaptiveMax):
    __doc__ = f"The maximum of windows.\n\n{_AS_IMAGES}"

    axes = 3
