# SPDX-License-Identifier: Apache-2.0
"""Pooling: the maximum or the mean of windows."""

from __future__ import annotations

from collections.abc import Sequence

from switchyard import _core
from switchyard.checks import FROM_0, FROM_1, checked, flag, whole
from switchyard.functions.arguments import tensor_of
from switchyard.nn.extents import per_extent
from switchyard.nn.module import Module
from switchyard.nn.windows import check_windows

_ops = _core.ops


# The operators of windows of two and of three extents.
_POOLS = {2: _ops.pool2d, 3: _ops.pool3d}


def pool(name, kind, x, kernel, stride, padding, ceil_mode, exclusive):
    """Pooling by windows of one to three extents, of the ``kind`` of pool2d and
    pool3d. ValueError for a window larger than x with its padding; with
    ``ceil_mode`` it may reach beyond by less than a stride."""
    check_windows(name, x, kernel, padding,
                  rounded_up=stride if ceil_mode else None)
    given = {"ceil_mode": ceil_mode, "exclusive": exclusive,
             "pooling_type": kind}
    if len(kernel) == 1:
        y = _ops.pool2d(_ops.unsqueeze(x, [2]), [1, *kernel],
                        strides=[1, *stride], paddings=[0, *padding], **given)
        return _ops.squeeze(y, [2])
    return _POOLS[len(kernel)](x, kernel, strides=stride, paddings=padding,
                               **given)


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


class _Mean(_Pool):
    """Means: the padding may count."""

    kind = "avg"

    def __init__(self, kernel_size: int | Sequence[int],
                 stride: int | Sequence[int] | None = None,
                 padding: int | Sequence[int] = 0, ceil_mode: bool = False,
                 exclusive: bool = True):
        super().__init__(kernel_size, stride, padding, ceil_mode)
        flag(type(self).__name__, "exclusive", exclusive)
        self.exclusive = exclusive


class _Pool2D(_Pool):
    """x [n, channels, h, w] to [n, channels, h', w'] by windows.

    h' = (h + 2 * padding - kernel_size) // stride + 1, rounded up with
    ``ceil_mode``, but for windows that would start after x. ``stride`` is
    ``kernel_size`` unless given. A window that is larger than x with its padding
    is a ValueError.
    """

    axes = 2


class MaxPool2D(_Pool2D):
    __doc__ = f"The maximum of windows; NaN where one has a NaN.\n\n{_Pool2D.__doc__}"

    kind = "max"


class AvgPool2D(_Mean, _Pool2D):
    __doc__ = ("The mean of windows; of the padding too, unless ``exclusive``."
               f"\n\n{_Pool2D.__doc__}")


class GlobalAvgPool2D(Module):
    """The mean of each channel: [n, channels, h, w] to [n, channels]."""

    def forward(self, x):
        return _ops.mean(x, [2, 3])


class _Pool1D(Module):
    """x [n, channels, length] by windows, as the pooling of images does it."""

    kind = ""
    exclusive = True

    @checked(kernel_size=FROM_1, stride=FROM_1, padding=FROM_0)
    def __init__(self, kernel_size: int, stride: int | None = None,
                 padding: int = 0, ceil_mode: bool = False):
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding, self.ceil_mode = padding, ceil_mode

    def forward(self, x):
        return pool(type(self).__name__, self.kind, x, [self.kernel_size],
                    [self.stride], [self.padding], self.ceil_mode,
                    self.exclusive)

    def extra_repr(self):
        return (f"kernel_size={self.kernel_size}, stride={self.stride}, "
                f"padding={self.padding}")


class MaxPool1D(_Pool1D):
    __doc__ = f"The maximum of windows.\n\n{_Pool1D.__doc__}"

    kind = "max"


class AvgPool1D(_Pool1D):
    __doc__ = ("The mean of windows; of the padding too, unless ``exclusive``."
               f"\n\n{_Pool1D.__doc__}")

    kind = "avg"

    def __init__(self, kernel_size: int, stride: int | None = None,
                 padding: int = 0, ceil_mode: bool = False,
                 exclusive: bool = True):
        super().__init__(kernel_size, stride, padding, ceil_mode)
        flag(type(self).__name__, "exclusive", exclusive)
        self.exclusive = exclusive


class _Pool3D(_Pool):
    """x [n, channels, d, h, w] by windows, as those of images: ``MaxPool2D``."""

    axes = 3


class MaxPool3D(_Pool3D):
    __doc__ = f"The maximum of windows.\n\n{_Pool3D.__doc__}"

    kind = "max"


class AvgPool3D(_Mean, _Pool3D):
    __doc__ = ("The mean of windows; of the padding too, unless ``exclusive``."
               f"\n\n{_Pool3D.__doc__}")


def adaptive_pool(kind, x, output_size):
    """The pooling whose windows give ``output_size``, one to three extents; an
    extent None is x's."""
    x = tensor_of(x)
    if len(output_size) == 1:
        y = adaptive_pool(kind, _ops.unsqueeze(x, [2]), [1, *output_size])
        return _ops.squeeze(y, [2])
    sides = [given if wanted is None else wanted
             for wanted, given in zip(output_size, x.shape[2:])]
    return _POOLS[len(sides)](x, sides, adaptive=True, pooling_type=kind)


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


class _AdaptivePool2D(_AdaptivePool):
    """x [n, channels, h, w] to [n, channels, *output_size]; an extent None is x's.

    Window i of k along an extent e reaches from floor(i * e / k) to
    ceil((i + 1) * e / k).
    """

    axes = 2


class AdaptiveAvgPool2D(_AdaptivePool2D):
    __doc__ = f"The mean of windows.\n\n{_AdaptivePool2D.__doc__}"

    kind = "avg"


class AdaptiveMaxPool2D(_AdaptivePool2D):
    __doc__ = f"The maximum of windows.\n\n{_AdaptivePool2D.__doc__}"

    kind = "max"


_AS_IMAGES = """x [n, channels, ...] to ``output_size``, by the windows of
    ``AdaptiveAvgPool2D``; an extent None is x's."""


class AdaptiveAvgPool1D(_AdaptivePool):
    __doc__ = f"The mean of windows.\n\n{_AS_IMAGES}"

    kind, axes = "avg", 1


class AdaptiveMaxPool1D(_AdaptivePool):
    __doc__ = f"The maximum of windows.\n\n{_AS_IMAGES}"

    kind, axes = "max", 1


class AdaptiveAvgPool3D(_AdaptivePool):
    __doc__ = f"The mean of windows.\n\n{_AS_IMAGES}"

    kind, axes = "avg", 3


class AdaptiveMaxPool3D(_AdaptivePool):
    __doc__ = f"The maximum of windows.\n\n{_AS_IMAGES}"

    kind, axes = "max", 3
