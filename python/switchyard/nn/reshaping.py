# SPDX-License-Identifier: Apache-2.0
"""Layers that change shapes and no element."""

from __future__ import annotations

from switchyard import _core
from switchyard.checks import FROM_1, checked
from switchyard.nn.module import Module
from switchyard.spelling import spelled

_ops = _core.ops


class Identity(Module):
    """x itself; what it is made with does not count."""

    def __init__(self, *args, **kwargs):
        super().__init__()

    def forward(self, x):
        return x


class Flatten(Module):
    """Joins the axes from ``start_axis`` to ``stop_axis`` into one.

    By default all but the first: [n, ...] to [n, product of the rest].
    """

    @spelled
    @checked()
    def __init__(self, start_axis: int = 1, stop_axis: int = -1):
        super().__init__()
        self.start_axis, self.stop_axis = start_axis, stop_axis

    def forward(self, x):
        return _ops.flatten(x, self.start_axis, self.stop_axis)

    def extra_repr(self):
        return f"start_axis={self.start_axis}, stop_axis={self.stop_axis}"


class PixelShuffle(Module):
    """[n, channels * r * r, h, w] to [n, channels, h * r, w * r]."""

    @checked(upscale_factor=FROM_1)
    def __init__(self, upscale_factor: int):
        super().__init__()
        self.upscale_factor = upscale_factor

    def forward(self, x):
        return _ops.pixel_shuffle(x, self.upscale_factor)

    def extra_repr(self):
        return f"upscale_factor={self.upscale_factor}"
