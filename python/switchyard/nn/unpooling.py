# SPDX-License-Identifier: Apache-2.0
"""Layers that put largest elements back to where they were."""

from __future__ import annotations

from collections.abc import Sequence

from switchyard.nn.extents import per_extent
from switchyard.nn.max_windows import unpool
from switchyard.nn.module import Module


class _Unpool(Module):
    """Zeros, in which x's elements are at ``indices``: of the windows that a
    pooling with ``return_indices`` took x of. ``output_size``: which of the extents
    that lead to x's."""

    axes = 0

    def __init__(self, kernel_size: int | Sequence[int],
                 stride: int | Sequence[int] | None = None,
                 padding: int | Sequence[int] = 0):
        super().__init__()
        name = type(self).__name__
        self.kernel_size = per_extent(kernel_size, self.axes,
                                      f"{name}: kernel_size", 1)
        self.stride = self.kernel_size if stride is None else per_extent(
            stride, self.axes, f"{name}: stride", 1)
        self.padding = per_extent(padding, self.axes, f"{name}: padding", 0)

    def forward(self, x, indices, output_size=None):
        return unpool(f"max_unpool{self.axes}d", x, indices, self.kernel_size,
                      self.stride, self.padding, output_size)

    def extra_repr(self):
        return (f"kernel_size={tuple(self.kernel_size)}, "
                f"stride={tuple(self.stride)}, padding={tuple(self.padding)}")


class MaxUnpool1D(_Unpool):
    __doc__ = f"Of sequences.\n\n{_Unpool.__doc__}"

    axes = 1


class MaxUnpool2D(_Unpool):
    __doc__ = f"Of images.\n\n{_Unpool.__doc__}"

    axes = 2


class MaxUnpool3D(_Unpool):
    __doc__ = f"Of volumes.\n\n{_Unpool.__doc__}"

    axes = 3
