# SPDX-License-Identifier: Apache-2.0
"""Poolings as functions, for nn/functional.py; x may lack the axis of batches."""

from __future__ import annotations

from switchyard import _core
from switchyard.checks import flag, whole
from switchyard.nn import pooling
from switchyard.nn.extents import per_extent
from switchyard.nn.max_windows import ceil_flag, max_pool, unpool
from switchyard.spelling import spelled

_ops = _core.ops


def _one(value):
    """The number in a tuple of one, which PyTorch takes for all extents."""
    return value[0] if isinstance(value, (list, tuple)) and len(value) == 1 else value


def _windows(name, axes, kernel_size, stride, padding):
    kernel_size, stride, padding = map(_one, (kernel_size, stride, padding))
    kernel = per_extent(kernel_size, axes, f"{name}: kernel_size")
    plain = stride is None or isinstance(stride, (list, tuple)) and not stride
    stride = kernel if plain else per_extent(stride, axes, f"{name}: stride")
    if isinstance(padding, (list, tuple)) and not padding:
        padding = 0
    return kernel, stride, per_extent(padding, axes, f"{name}: padding")


def _max(axes, x, kernel_size, stride, padding, ceil_mode, dilation,
         return_indices):
    name = f"max_pool{axes}d"
    windows = _windows(name, axes, kernel_size, stride, padding)
    ceil_flag(name, ceil_mode)
    dilation = per_extent(dilation, axes, f"{name}: dilation", 1)
    if getattr(x, "dtype", "") in ("int16", "int32", "int64"):
        # float64 holds them exactly, below 2**53.
        found = _max(axes, _ops.cast(x, "float64"), kernel_size, stride, padding,
                     ceil_mode, dilation, return_indices)
        values = found[0] if return_indices else found
        values = _ops.cast(values, x.dtype)
        return (values, found[1]) if return_indices else values
    if not return_indices and dilation == [1] * axes:
        return pooling.pool(name, "max", x, *windows, ceil_mode, True)
    _least(name, *windows)
    return max_pool(name, x, *windows, ceil_mode, dilation, return_indices)


def _least(name, kernel, stride, padding):
    """The checks that the operators make of numbers."""
    for argument, values, least in (("kernel_size", kernel, 1), ("stride", stride, 1),
                                    ("padding", padding, 0)):
        per_extent(values, len(values), f"{name}: {argument}", least)


@spelled
def max_pool1d(x, kernel_size: int, stride: int | None = None, padding: int = 0,
               ceil_mode: bool = False, dilation: int = 1,
               return_indices: bool = False):
    """The maximum of windows, as MaxPool1D takes it."""
    return _max(1, x, kernel_size, stride, padding, ceil_mode, dilation,
                return_indices)


@spelled
def max_pool2d(x, kernel_size, stride=None, padding=0, ceil_mode: bool = False,
               dilation=1, return_indices: bool = False):
    """The maximum of windows, as MaxPool2D takes it."""
    return _max(2, x, kernel_size, stride, padding, ceil_mode, dilation,
                return_indices)


@spelled
def max_pool3d(x, kernel_size, stride=None, padding=0, ceil_mode: bool = False,
               dilation=1, return_indices: bool = False):
    """The maximum of windows of volumes, as MaxPool3D takes it."""
    return _max(3, x, kernel_size, stride, padding, ceil_mode, dilation,
                return_indices)


def _of_integers(name, x, windows, ceil_mode, exclusive, divisor):
    """Means of integers, cut off towards 0; float64 holds sums below 2**53."""
    _least(name, *windows)
    wide = _ops.cast(x, "float64")
    sums = pooling.divided(name, wide, *windows, ceil_mode, 1)
    if divisor is None:
        # A mean divides by the sums of ones over the means of them.
        ones = _ops.ones_like(wide)
        divisor = pooling.divided(name, ones, *windows, ceil_mode, 1)
        if not exclusive:
            shares = pooling.pool(name, "avg", ones, *windows, ceil_mode, False)
            divisor = _ops.divide(divisor, shares)
        divisor = _ops.round(divisor)
    elif whole(name, "divisor_override", divisor) == 0:
        raise ValueError(f"{name}: divisor_override must not be zero")
    return _ops.cast(_ops.trunc(_ops.divide(_ops.round(sums), divisor)), x.dtype)


def _avg(axes, x, kernel_size, stride, padding, ceil_mode, count, exclusive,
         divisor):
    name = f"avg_pool{axes}d"
    windows = _windows(name, axes, kernel_size, stride, padding)
    flag(name, "ceil_mode", ceil_mode)
    if count is not None and exclusive is not None:
        raise TypeError(f"{name}: exclusive is the opposite of count_include_pad, "
                        "got both")
    if count is not None:
        flag(name, "count_include_pad", count)
        exclusive = not count
    exclusive = True if exclusive is None else exclusive
    if getattr(x, "dtype", "") in ("int16", "int32", "int64"):
        return _of_integers(name, x, windows, ceil_mode, exclusive, divisor)
    if divisor is not None:
        _least(name, *windows)
        return pooling.divided(name, x, *windows, ceil_mode, divisor)
    return pooling.pool(name, "avg", x, *windows, ceil_mode, exclusive)


@spelled
def avg_pool1d(x, kernel_size: int, stride: int | None = None, padding: int = 0,
               ceil_mode: bool = False, count_include_pad: bool | None = None, *,
               exclusive: bool | None = None):
    """The mean of windows; of the padding too with ``count_include_pad``, which
    is the opposite of ``exclusive``. By default the padding does not count."""
    return _avg(1, x, kernel_size, stride, padding, ceil_mode, count_include_pad,
                exclusive, None)


@spelled
def avg_pool2d(x, kernel_size, stride=None, padding=0, ceil_mode: bool = False,
               count_include_pad: bool | None = None,
               divisor_override: int | None = None, *,
               exclusive: bool | None = None):
    """The mean of windows; of the padding too with ``count_include_pad``, which
    is the opposite of ``exclusive``. By default the padding does not count.
    ``divisor_override``: what sums are divided by instead."""
    return _avg(2, x, kernel_size, stride, padding, ceil_mode, count_include_pad,
                exclusive, divisor_override)


@spelled
def avg_pool3d(x, kernel_size, stride=None, padding=0, ceil_mode: bool = False,
               count_include_pad: bool | None = None,
               divisor_override: int | None = None, *,
               exclusive: bool | None = None):
    """The mean of windows of volumes, with the arguments of avg_pool2d."""
    return _avg(3, x, kernel_size, stride, padding, ceil_mode, count_include_pad,
                exclusive, divisor_override)


def _sizes(name, axes, output_size):
    sizes = per_extent(output_size, axes, f"{name}: output_size")
    for each in sizes:
        if each is not None:
            per_extent(each, 1, f"{name}: output_size", 0)
    return sizes


def adaptive_avg_pool1d(x, output_size):
    """The mean of windows that give ``output_size``."""
    return pooling.adaptive_pool(
        "avg", x, _sizes("adaptive_avg_pool1d", 1, output_size))


def adaptive_avg_pool2d(x, output_size):
    """The mean of windows that give ``output_size``; an extent None is x's."""
    return pooling.adaptive_pool(
        "avg", x, _sizes("adaptive_avg_pool2d", 2, output_size))


def adaptive_avg_pool3d(x, output_size):
    """The mean of windows that give ``output_size``; an extent None is x's."""
    return pooling.adaptive_pool(
        "avg", x, _sizes("adaptive_avg_pool3d", 3, output_size))


def adaptive_max_pool1d(x, output_size, return_indices: bool = False):
    """The maximum of windows that give ``output_size``; with ``return_indices``
    also where it is in its row."""
    return pooling.adaptive_pool(
        "max", x, _sizes("adaptive_max_pool1d", 1, output_size), return_indices)


def adaptive_max_pool2d(x, output_size, return_indices: bool = False):
    """The maximum of windows that give ``output_size``; an extent None is x's.
    With ``return_indices`` also where it is in its plane."""
    return pooling.adaptive_pool(
        "max", x, _sizes("adaptive_max_pool2d", 2, output_size), return_indices)


def adaptive_max_pool3d(x, output_size, return_indices: bool = False):
    """The maximum of windows that give ``output_size``; an extent None is x's.
    With ``return_indices`` also where it is in its volume."""
    return pooling.adaptive_pool(
        "max", x, _sizes("adaptive_max_pool3d", 3, output_size), return_indices)


def max_unpool1d(x, indices, kernel_size, stride=None, padding=0,
                 output_size=None):
    """Zeros, in which x's elements are at ``indices``: what max_pool1d with
    ``return_indices`` took x of. ``output_size``: which of the possible extents."""
    return unpool("max_unpool1d", x, indices, kernel_size, stride, padding,
                  output_size)


def max_unpool2d(x, indices, kernel_size, stride=None, padding=0,
                 output_size=None):
    """max_unpool1d of images: indices are those of max_pool2d."""
    return unpool("max_unpool2d", x, indices, kernel_size, stride, padding,
                  output_size)


def max_unpool3d(x, indices, kernel_size, stride=None, padding=0,
                 output_size=None):
    """max_unpool1d of volumes: indices are those of max_pool3d."""
    return unpool("max_unpool3d", x, indices, kernel_size, stride, padding,
                  output_size)
