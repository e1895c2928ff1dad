# SPDX-License-Identifier: Apache-2.0
"""Pooling by the mean power of windows, and of windows at random places."""

from __future__ import annotations

import math

from switchyard import _core
from switchyard.checks import POSITIVE, checked, real
from switchyard.functions.precision import in_float32
from switchyard.nn import pooling
from switchyard.nn.extents import per_extent
from switchyard.nn.fractional import fractional_max_pool2d, fractional_max_pool3d
from switchyard.nn.max_windows import ceil_flag
from switchyard.nn.module import Module
from switchyard.spelling import spelled

_ops = _core.ops


@in_float32
def _power(axes, x, norm_type, kernel_size, stride, ceil_mode):
    name = f"lp_pool{axes}d"
    norm = real(name, "norm_type", norm_type, POSITIVE)
    ceil_flag(name, ceil_mode)
    kernel = per_extent(kernel_size, axes, f"{name}: kernel_size", 1)
    stride = kernel if stride is None else per_extent(stride, axes, f"{name}: stride", 1)
    if norm == 1.0:  # The sum itself, below 0 too.
        mean = pooling.pool(name, "avg", x, kernel, stride, [0] * axes, ceil_mode, True)
        return _ops.scale(mean, float(math.prod(kernel)))
    mean = pooling.pool(name, "avg", _ops.pow(x, norm), kernel, stride, [0] * axes,
                        ceil_mode, True)
    total = _ops.scale(mean, float(math.prod(kernel)))
    none = _ops.less_equal(total, 0.0)  # The root's slope at 0 is infinite.
    root = _ops.pow(_ops.where(none, _ops.ones_like(total), total), 1.0 / norm)
    return _ops.where(none, _ops.zeros_like(root), root)


@spelled
def lp_pool1d(x, norm_type: float, kernel_size, stride=None, ceil_mode: bool = False):
    """The root of the sum of powers of windows, (sum of x ** norm_type) ** (1 /
    norm_type): 1 gives sums, and large ones nearly the largest element. x is
    [n, c, length]; of others than 1, sums below 0 count as 0. A window that ``ceil_mode`` lets reach
    beyond x counts in proportion."""
    return _power(1, x, norm_type, kernel_size, stride, ceil_mode)


@spelled
def lp_pool2d(x, norm_type: float, kernel_size, stride=None, ceil_mode: bool = False):
    """``lp_pool1d`` of images [n, c, h, w]."""
    return _power(2, x, norm_type, kernel_size, stride, ceil_mode)


@spelled
def lp_pool3d(x, norm_type: float, kernel_size, stride=None, ceil_mode: bool = False):
    """``lp_pool1d`` of volumes [n, c, d, h, w]."""
    return _power(3, x, norm_type, kernel_size, stride, ceil_mode)


class _LPPool(Module):
    """The root of the sum of powers of windows, (sum of x ** norm_type) ** (1 /
    norm_type), where sums below 0 count as 0 unless it is 1. ``stride`` is the window's extents
    unless given; ``ceil_mode``: windows may reach beyond x by less than a stride."""

    axes = 0

    @checked(norm_type=POSITIVE)
    def __init__(self, norm_type: float, kernel_size, stride=None,
                 ceil_mode: bool = False):
        super().__init__()
        name = type(self).__name__
        self.norm_type = norm_type
        self.kernel_size = per_extent(kernel_size, self.axes, f"{name}: kernel_size", 1)
        self.stride = None if stride is None else per_extent(
            stride, self.axes, f"{name}: stride", 1)
        self.ceil_mode = ceil_mode

    def forward(self, x):
        return _power(self.axes, x, self.norm_type, self.kernel_size, self.stride,
                      self.ceil_mode)

    def extra_repr(self):
        return (f"norm_type={self.norm_type}, kernel_size={tuple(self.kernel_size)}, "
                f"stride={tuple(self.stride or self.kernel_size)}")


class LPPool1D(_LPPool):
    __doc__ = f"Of sequences [n, c, length]: {_LPPool.__doc__}"
    axes = 1


class LPPool2D(_LPPool):
    __doc__ = f"Of images [n, c, h, w]: {_LPPool.__doc__}"
    axes = 2


class LPPool3D(_LPPool):
    __doc__ = f"Of volumes [n, c, d, h, w]: {_LPPool.__doc__}"
    axes = 3


class _Fractional(Module):
    """The largest elements of windows whose places are drawn at random, so that the
    result has the extents ``output_size``, or the shares ``output_ratio`` of x's.
    With ``return_indices`` a pair, as MaxPool2D's."""

    axes = 0

    @checked()
    def __init__(self, kernel_size, output_size=None, output_ratio=None,
                 return_indices: bool = False):
        super().__init__()
        name = type(self).__name__
        if (output_size is None) == (output_ratio is None):
            raise ValueError(f"{name}: output_size or output_ratio must be given, not "
                             "both")
        self.kernel_size = per_extent(kernel_size, self.axes, f"{name}: kernel_size", 1)
        self.output_size = None if output_size is None else per_extent(
            output_size, self.axes, f"{name}: output_size", 1)
        self.output_ratio = output_ratio
        self.return_indices = return_indices

    def forward(self, x):
        pooled = fractional_max_pool2d if self.axes == 2 else fractional_max_pool3d
        return pooled(x, self.kernel_size, self.output_size, self.output_ratio,
                      self.return_indices)

    def extra_repr(self):
        return f"kernel_size={tuple(self.kernel_size)}"


class FractionalMaxPool2D(_Fractional):
    __doc__ = f"Of images [n, c, h, w]: {_Fractional.__doc__}"
    axes = 2


class FractionalMaxPool3D(_Fractional):
    __doc__ = f"Of volumes [n, c, d, h, w]: {_Fractional.__doc__}"
    axes = 3
