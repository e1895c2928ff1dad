# SPDX-License-Identifier: Apache-2.0
"""Convolutions of sequences, of volumes, and the transposed ones."""

from __future__ import annotations

from collections.abc import Callable
import math

from switchyard import _core
from switchyard.checks import FROM_1, checked, listed, whole
from switchyard.nn import init
from switchyard.nn.conv import algorithm_of, checked_mode, padded
from switchyard.nn.dtypes import biased, check_dtype
from switchyard.nn.extents import per_extent
from switchyard.nn.max_windows import batched, unbatched
from switchyard.nn.module import Module, Parameter

_ops = _core.ops


class _Conv(Module):
    """Cross-correlation of x [n, in_channels, *extents], or without n, with ``weight``.

    ``weight`` is [out_channels, in_channels / groups, *kernel_size], of the
    transposed ones [in_channels, out_channels / groups, *kernel_size]; ``bias``
    [out_channels]. Both start uniform in ±1/sqrt(inputs of one output) unless
    initialisers are given. ``padding`` may be "same" (which takes no dilation of
    the transposed ones) or "valid". A window that is larger than x with its
    padding is a ValueError.
    ``padding_mode``: "zeros", "reflect", "replicate" or "circular"; of the
    transposed ones "zeros".
    """

    axes = 0
    transposed = False

    @checked(in_channels=FROM_1, out_channels=FROM_1, groups=FROM_1)
    def __init__(self, in_channels: int, out_channels: int, kernel_size,
                 stride=1, padding=0, dilation=1, groups: int = 1,
                 bias: bool = True, weight_init: Callable | None = None,
                 bias_init: Callable | None = None, padding_mode: str = "zeros"):
        super().__init__()
        name = type(self).__name__
        self.padding_mode = checked_mode(name, padding_mode)
        if in_channels % groups or out_channels % groups:
            raise ValueError(f"{name}: groups must divide in_channels "
                             f"{in_channels} and out_channels {out_channels}, "
                             f"got {groups}")
        self.in_channels, self.out_channels = in_channels, out_channels
        self.kernel_size = per_extent(kernel_size, self.axes,
                                      f"{name}: kernel_size", 1)
        self.stride = per_extent(stride, self.axes, f"{name}: stride", 1)
        self.dilation = per_extent(dilation, self.axes, f"{name}: dilation", 1)
        self.algorithm = algorithm_of(name, padding)
        if self.transposed and self.algorithm == "SAME" and any(
                d != 1 for d in self.dilation):
            raise ValueError(f"{name}: padding 'same' takes no dilation, got "
                             f"{tuple(self.dilation)}")
        self.padding = per_extent(0 if isinstance(padding, str) else padding,
                                  self.axes, f"{name}: padding", 0)
        self.groups = groups
        sides = [out_channels, in_channels // groups]
        if self.transposed:
            sides = [in_channels, out_channels // groups]
        inputs = sides[1] * math.prod(self.kernel_size)
        default = init.by_inputs(inputs)
        self.weight = Parameter((weight_init or default)(
            [*sides, *self.kernel_size]))
        self.bias = (Parameter((bias_init or default)([out_channels]))
                     if bias else None)

    def arguments(self, padding, algorithm):
        """Returns what all operators take beside x and the weight."""
        return {"strides": self.stride, "paddings": padding,
                "padding_algorithm": algorithm, "groups": self.groups,
                "dilations": self.dilation}

    def convolve(self, x, weight, given):
        """The convolution without its bias."""
        raise NotImplementedError(f"{type(self).__name__}.convolve")

    def forward(self, x):
        x, alone = self.images(x)
        if self.transposed:
            padding = self.padding, self.algorithm
        else:
            x, *padding = padded(x, self)
        return self.biased(x, self.arguments(*padding), alone)

    def images(self, x):
        """x with an axis of batches, and whether it had none."""
        check_dtype(self, x, self.weight)
        if len(x.shape) not in (self.axes + 1, self.axes + 2):
            raise ValueError(f"{type(self).__name__}: x must have "
                             f"{self.axes + 2} axes, or {self.axes + 1} without a "
                             f"batch, got {len(x.shape)}")
        return batched(x, self.axes)

    def biased(self, x, given, alone):
        """The convolution with the bias; without the axis of batches where x was
        ``alone``."""
        y = biased(lambda x, weight: self.convolve(x, weight, given), x, self.weight,
                   self.bias, self.axes)
        return unbatched(y, alone)

    def extra_repr(self):
        facts = [str(self.in_channels), str(self.out_channels)]
        for name in ("kernel_size", "stride", "padding", "dilation"):
            values = getattr(self, name)
            plain = 0 if name == "padding" else 1
            if name == "kernel_size" or values != [plain] * self.axes:
                facts.append(f"{name}={tuple(values)}")
        if self.groups != 1:
            facts.append(f"groups={self.groups}")
        if self.padding_mode != "zeros":
            facts.append(f"padding_mode={self.padding_mode!r}")
        return ", ".join(facts)


def one_row(arguments):
    """The arguments of an operator of images for images one row high."""
    found = dict(arguments)
    for name, plain in (("strides", 1), ("paddings", 0), ("dilations", 1),
                        ("output_padding", 0)):
        if found.get(name):
            # Paddings have one number, or one before and one after.
            found[name] = [plain] * len(found[name]) + [*found[name]]
    return found


def over_one_row(operator, x, weight, arguments):
    """The operator of images on sequences x: images one row high."""
    y = operator(_ops.unsqueeze(x, [2]), _ops.unsqueeze(weight, [2]),
                 **one_row(arguments))
    return _ops.squeeze(y, [2])


class Conv1D(_Conv):
    __doc__ = f"Convolution along one axis.\n\n{_Conv.__doc__}"

    axes = 1

    def convolve(self, x, weight, given):
        return over_one_row(_ops.conv2d, x, weight, given)


class Conv3D(_Conv):
    __doc__ = f"Convolution of volumes.\n\n{_Conv.__doc__}"

    axes = 3

    def convolve(self, x, weight, given):
        return _ops.conv3d(x, weight, **given)


class _ConvTranspose(_Conv):
    """Base of the transposed ones: each element adds the weight times itself.

    The result's extents are (extent - 1) * stride - 2 * padding + dilation *
    (kernel_size - 1) + output_padding + 1.
    """

    transposed = True

    @checked(in_channels=FROM_1, out_channels=FROM_1, groups=FROM_1)
    def __init__(self, in_channels: int, out_channels: int, kernel_size,
                 stride=1, padding=0, output_padding=0, groups: int = 1,
                 bias: bool = True, dilation=1,
                 weight_init: Callable | None = None,
                 bias_init: Callable | None = None):
        super().__init__(in_channels, out_channels, kernel_size, stride, padding,
                         dilation, groups, bias, weight_init, bias_init)
        name = type(self).__name__
        self.output_padding = per_extent(output_padding, self.axes,
                                         f"{name}: output_padding", 0)
        for more, step, wide in zip(self.output_padding, self.stride,
                                    self.dilation):
            if not 0 <= more < max(step, wide):
                raise ValueError(f"{name}: output_padding must be smaller than "
                                 f"stride or dilation, got {more}")

    def arguments(self, padding, algorithm, more=None):
        more = self.output_padding if more is None else more
        return {**super().arguments(padding, algorithm),
                "output_padding": more if any(more) else []}

    def forward(self, x, output_size=None):
        """``output_size``: the result's extents, or its shape, instead of what
        output_padding gives; less than a stride above the least."""
        if output_size is None:
            return super().forward(x)
        x, alone = self.images(x)
        name, axes = type(self).__name__, self.axes
        sizes = [whole(name, "output_size", n) for n in listed(
            name, "output_size", output_size)][-axes:]
        if len(output_size) not in (axes, axes + 2 - alone):
            raise ValueError(f"{name}: output_size must have {axes} extents, got "
                             f"{len(output_size)}")
        if self.algorithm != "EXPLICIT":
            raise ValueError(f"{name}: output_size takes a padding of numbers, got "
                             f"{self.algorithm.lower()!r}")
        more = []
        for size, n, k, s, p, d in zip(sizes, x.shape[2:], self.kernel_size,
                                       self.stride, self.padding, self.dilation):
            if not isinstance(n, int):
                raise TypeError(f"{name}: output_size needs extents of x that are known "
                                "while it is traced (InputSpec says them)")
            least = (n - 1) * s - 2 * p + d * (k - 1) + 1
            if not least <= size < least + s:
                raise ValueError(f"{name}: output_size must be in [{least}, {least + s})"
                                 f" for an extent of {n}, got {size}")
            more.append(size - least)
        return self.biased(x, self.arguments(self.padding, self.algorithm, more), alone)


class Conv1DTranspose(_ConvTranspose):
    __doc__ = f"Transposed convolution along one axis.\n\n{_Conv.__doc__}"

    axes = 1

    def convolve(self, x, weight, given):
        return over_one_row(_ops.conv2d_transpose, x, weight, given)


class Conv2DTranspose(_ConvTranspose):
    __doc__ = f"Transposed convolution of images.\n\n{_Conv.__doc__}"

    axes = 2

    def convolve(self, x, weight, given):
        return _ops.conv2d_transpose(x, weight, **given)


class Conv3DTranspose(_ConvTranspose):
    __doc__ = f"Transposed convolution of volumes.\n\n{_Conv.__doc__}"

    axes = 3

    def convolve(self, x, weight, given):
        return _ops.conv3d_transpose(x, weight, **given)
