# SPDX-License-Identifier: Apache-2.0
"""Layers that change shapes and no element."""

from __future__ import annotations

from collections.abc import Sequence

from switchyard import _core
from switchyard.checks import FROM_1, checked, listed
from switchyard.functions.arguments import axis_in
from switchyard.nn import image_functions
from switchyard.nn.extents import per_extent
from switchyard.nn.module import Module

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


class PixelUnshuffle(Module):
    """[..., channels, h * r, w * r] to [..., channels * r * r, h, w]."""

    @checked(downscale_factor=FROM_1)
    def __init__(self, downscale_factor: int):
        super().__init__()
        self.downscale_factor = downscale_factor

    def forward(self, x):
        return image_functions.pixel_unshuffle(x, self.downscale_factor)

    def extra_repr(self):
        return f"downscale_factor={self.downscale_factor}"


class ChannelShuffle(Module):
    """x whose channels, in ``groups`` groups, are taken one from each by turns."""

    @checked(groups=FROM_1)
    def __init__(self, groups: int):
        super().__init__()
        self.groups = groups

    def forward(self, x):
        return image_functions.channel_shuffle(x, self.groups)

    def extra_repr(self):
        return f"groups={self.groups}"


class Unflatten(Module):
    """x with its axis ``axis`` taken apart to the extents ``sizes``."""

    @checked()
    def __init__(self, axis: int, sizes: Sequence[int]):
        super().__init__()
        self.axis, self.sizes = axis, listed("Unflatten", "sizes", sizes, 64)

    def forward(self, x):
        axis = axis_in("Unflatten", self.axis, len(x.shape))
        shape = list(x.shape)
        return x.reshape([*shape[:axis], *self.sizes, *shape[axis + 1:]])

    def extra_repr(self):
        return f"axis={self.axis}, sizes={tuple(self.sizes)}"


class Unfold(Module):
    """The windows of images as columns, as ``nn.functional.unfold`` has them."""

    def __init__(self, kernel_size: int | Sequence[int], dilation=1, padding=0,
                 stride=1):
        super().__init__()
        self.given = [per_extent(value, 2, f"{type(self).__name__}: {name}", least)
                      for name, value, least in (
                          ("kernel_size", kernel_size, 1), ("dilation", dilation, 1),
                          ("padding", padding, 0), ("stride", stride, 1))]

    def forward(self, x):
        return image_functions.unfold(x, *self.given)

    def extra_repr(self):
        names = ("kernel_size", "dilation", "padding", "stride")
        return ", ".join(f"{name}={tuple(value)}" for name, value in zip(
            names, self.given))


class Fold(Unfold):
    """Images as sums of columns, as ``nn.functional.fold`` makes them."""

    def __init__(self, output_size: int | Sequence[int],
                 kernel_size: int | Sequence[int], dilation=1, padding=0, stride=1):
        super().__init__(kernel_size, dilation, padding, stride)
        self.output_size = per_extent(output_size, 2, "Fold: output_size", 1)

    def forward(self, x):
        return image_functions.fold(x, self.output_size, *self.given)
