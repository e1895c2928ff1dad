# SPDX-License-Identifier: Apache-2.0
"""Pooling: the maximum or the mean of windows."""

from __future__ import annotations

from collections.abc import Sequence

from switchyard import _core
from switchyard.nn.conv import pair
from switchyard.nn.conv_nd import several
from switchyard.nn.module import Module

_ops = _core.ops


class _Pool2D(Module):
    """x [n, channels, h, w] to [n, channels, h', w'] by windows.

    h' = (h + 2 * padding - kernel_size) // stride + 1, rounded up with
    ``ceil_mode``, but for windows that would start behind x. ``stride`` is
    ``kernel_size`` unless given.
    """

    kind = ""

    def __init__(self, kernel_size: int | Sequence[int],
                 stride: int | Sequence[int] | None = None,
                 padding: int | Sequence[int] = 0, ceil_mode: bool = False):
        super().__init__()
        name = type(self).__name__
        self.kernel_size = pair(kernel_size, f"{name}: kernel_size")
        self.stride = self.kernel_size if stride is None else pair(
            stride, f"{name}: stride")
        self.padding = pair(padding, f"{name}: padding")
        self.ceil_mode = ceil_mode
        self.exclusive = True

    def forward(self, x):
        return _ops.pool2d(x, self.kernel_size, strides=self.stride,
                           paddings=self.padding, ceil_mode=self.ceil_mode,
                           exclusive=self.exclusive, pooling_type=self.kind)

    def extra_repr(self):
        return (f"kernel_size={tuple(self.kernel_size)}, "
                f"stride={tuple(self.stride)}, padding={tuple(self.padding)}")


class MaxPool2D(_Pool2D):
    __doc__ = f"The maximum of windows; NaN where one has a NaN.\n\n{_Pool2D.__doc__}"

    kind = "max"


class AvgPool2D(_Pool2D):
    __doc__ = ("The mean of windows; of the padding too, unless ``exclusive``."
               f"\n\n{_Pool2D.__doc__}")

    kind = "avg"

    def __init__(self, kernel_size: int | Sequence[int],
                 stride: int | Sequence[int] | None = None,
                 padding: int | Sequence[int] = 0, ceil_mode: bool = False,
                 exclusive: bool = True):
        super().__init__(kernel_size, stride, padding, ceil_mode)
        self.exclusive = exclusive


class GlobalAvgPool2D(Module):
    """The mean of each channel: [n, channels, h, w] to [n, channels]."""

    def forward(self, x):
        return _ops.mean(x, [2, 3])


class _Pool1D(Module):
    """x [n, channels, length] by windows, as the pooling of images does it."""

    kind = ""
    exclusive = True

    def __init__(self, kernel_size: int, stride: int | None = None,
                 padding: int = 0, ceil_mode: bool = False):
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding, self.ceil_mode = padding, ceil_mode

    def forward(self, x):
        y = _ops.pool2d(_ops.unsqueeze(x, [2]), [1, self.kernel_size],
                        strides=[1, self.stride], paddings=[0, self.padding],
                        ceil_mode=self.ceil_mode, exclusive=self.exclusive,
                        pooling_type=self.kind)
        return _ops.squeeze(y, [2])

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
        self.exclusive = exclusive


def adaptive_pool2d(kind, x, output_size):
    """The pooling whose windows give ``output_size``; an extent None is x's."""
    sides = [given if wanted is None else wanted
             for wanted, given in zip(output_size, x.shape[2:])]
    return _ops.pool2d(x, sides, adaptive=True, pooling_type=kind)


class _AdaptivePool2D(Module):
    """x [n, channels, h, w] to [n, channels, *output_size]; an extent None is x's.

    Window i of k along an extent e reaches from floor(i * e / k) to
    ceil((i + 1) * e / k).
    """

    kind = ""

    def __init__(self, output_size: int | Sequence[int]):
        super().__init__()
        self.output_size = pair(output_size,
                                f"{type(self).__name__}: output_size")

    def forward(self, x):
        return adaptive_pool2d(self.kind, x, self.output_size)

    def extra_repr(self):
        return f"output_size={tuple(self.output_size)}"


class AdaptiveAvgPool2D(_AdaptivePool2D):
    __doc__ = f"The mean of windows.\n\n{_AdaptivePool2D.__doc__}"

    kind = "avg"


class AdaptiveMaxPool2D(_AdaptivePool2D):
    __doc__ = f"The maximum of windows.\n\n{_AdaptivePool2D.__doc__}"

    kind = "max"


class _Pool3D(Module):
    """x [n, channels, d, h, w] by windows, as those of images: ``MaxPool2D``."""

    kind = ""
    exclusive = True

    def __init__(self, kernel_size: int | Sequence[int],
                 stride: int | Sequence[int] | None = None,
                 padding: int | Sequence[int] = 0, ceil_mode: bool = False):
        super().__init__()
        name = type(self).__name__
        self.kernel_size = several(kernel_size, 3, f"{name}: kernel_size")
        self.stride = self.kernel_size if stride is None else several(
            stride, 3, f"{name}: stride")
        self.padding = several(padding, 3, f"{name}: padding")
        self.ceil_mode = ceil_mode

    def forward(self, x):
        return _ops.pool3d(x, self.kernel_size, strides=self.stride,
                           paddings=self.padding, ceil_mode=self.ceil_mode,
                           exclusive=self.exclusive, pooling_type=self.kind)

    def extra_repr(self):
        return (f"kernel_size={tuple(self.kernel_size)}, "
                f"stride={tuple(self.stride)}, padding={tuple(self.padding)}")


class MaxPool3D(_Pool3D):
    __doc__ = f"The maximum of windows.\n\n{_Pool3D.__doc__}"

    kind = "max"


class AvgPool3D(_Pool3D):
    __doc__ = ("The mean of windows; of the padding too, unless ``exclusive``."
               f"\n\n{_Pool3D.__doc__}")

    kind = "avg"

    def __init__(self, kernel_size: int | Sequence[int],
                 stride: int | Sequence[int] | None = None,
                 padding: int | Sequence[int] = 0, ceil_mode: bool = False,
                 exclusive: bool = True):
        super().__init__(kernel_size, stride, padding, ceil_mode)
        self.exclusive = exclusive


def adaptive_pool1d(kind, x, output_size):
    """The pooling of sequences whose windows give ``output_size``."""
    y = adaptive_pool2d(kind, _ops.unsqueeze(x, [2]), [1, *output_size])
    return _ops.squeeze(y, [2])


def adaptive_pool3d(kind, x, output_size):
    """The pooling of volumes whose windows give ``output_size``; an extent None
    is x's."""
    sides = [given if wanted is None else wanted
             for wanted, given in zip(output_size, x.shape[2:])]
    return _ops.pool3d(x, sides, adaptive=True, pooling_type=kind)


class _AdaptivePool(Module):
    """x [n, channels, ...] to ``output_size``, by the windows of
    ``AdaptiveAvgPool2D``; an extent None is x's."""

    kind = ""
    axes = 0

    def __init__(self, output_size: int | Sequence[int | None]):
        super().__init__()
        self.output_size = several(output_size, self.axes,
                                   f"{type(self).__name__}: output_size")

    def forward(self, x):
        pool = adaptive_pool1d if self.axes == 1 else adaptive_pool3d
        return pool(self.kind, x, self.output_size)

    def extra_repr(self):
        return f"output_size={tuple(self.output_size)}"


class AdaptiveAvgPool1D(_AdaptivePool):
    __doc__ = f"The mean of windows.\n\n{_AdaptivePool.__doc__}"

    kind, axes = "avg", 1


class AdaptiveMaxPool1D(_AdaptivePool):
    __doc__ = f"The maximum of windows.\n\n{_AdaptivePool.__doc__}"

    kind, axes = "max", 1


class AdaptiveAvgPool3D(_AdaptivePool):
    __doc__ = f"The mean of windows.\n\n{_AdaptivePool.__doc__}"

    kind, axes = "avg", 3


class AdaptiveMaxPool3D(_AdaptivePool):
    __doc__ = f"The maximum of windows.\n\n{_AdaptivePool.__doc__}"

    kind, axes = "max", 3
