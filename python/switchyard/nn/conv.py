# SPDX-License-Identifier: Apache-2.0
"""Convolution."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from switchyard import _core
from switchyard.checks import FROM_1, checked
from switchyard.nn import init
from switchyard.nn.dtypes import biased, check_dtype
from switchyard.nn.extents import per_extent
from switchyard.nn.max_windows import batched, unbatched
from switchyard.nn.module import Module, Parameter
from switchyard.nn.windows import conv_padding

_ops = _core.ops


def checked_mode(name, mode):
    """``mode``; ValueError unless it is one of padding."""
    if mode not in ("zeros", "reflect", "replicate", "circular"):
        raise ValueError(f"{name}: padding_mode must be 'zeros', 'reflect', "
                         f"'replicate' or 'circular', got {mode!r}")
    return mode


def algorithm_of(name, padding):
    """"SAME" or "VALID" of a word, else "EXPLICIT"."""
    if not isinstance(padding, str):
        return "EXPLICIT"
    if padding.upper() not in ("SAME", "VALID"):
        raise ValueError(f"{name}: padding must be 'same', 'valid' or numbers, "
                         f"got {padding!r}")
    return padding.upper()


def cropped(x, pad):
    """x without what the negative numbers of ``pad`` (pairs, the last axis's
    first) take away, and the others."""
    rank, axes, starts, ends = len(x.shape), [], [], []
    for i in range(0, 2 * min(len(pad) // 2, rank), 2):
        before, after = min(pad[i], 0), min(pad[i + 1], 0)
        if before or after:
            axes.append(rank - 1 - i // 2)
            starts.append(-before)
            ends.append(after or 2**63 - 1)
    x = _ops.slice(x, axes, starts, ends) if axes else x
    return x, [max(each, 0) for each in pad]


def moved_edges(x, pad):
    """x with the axes of which ``pad`` takes away at one end and adds at the other,
    and 0 for these: what is added are copies of x's edge, also where nothing else
    of x stays."""
    rank, pad = len(x.shape), list(pad)
    for i in range(0, 2 * min(len(pad) // 2, rank), 2):
        axis, (before, after) = rank - 1 - i // 2, pad[i:i + 2]
        extent = x.shape[axis]
        if not all(isinstance(n, int) for n in (before, after, extent)) or not (
                before * after < 0 and extent):
            continue
        places = np.arange(-before, extent + after)
        if len(places):
            x = _ops.index_select(x, np.clip(places, 0, extent - 1), axis)
            pad[i:i + 2] = 0, 0
    return x, pad


def padded(x, layer):
    """x with ``layer``'s padding, by its mode, and the padding that is left.

    That of zeros is the convolution's own.
    """
    if layer.padding_mode == "zeros":
        words = layer.algorithm != "EXPLICIT"
        return x, *conv_padding(type(layer).__name__, x, layer.kernel_size,
                                layer.stride,
                                layer.algorithm if words else layer.padding,
                                layer.dilation)
    axes = len(layer.kernel_size)
    ends = [(side, side) for side in layer.padding]
    if layer.algorithm == "SAME":
        ends = [(d * (k - 1) // 2, d * (k - 1) - d * (k - 1) // 2)
                for d, k in zip(layer.dilation, layer.kernel_size)]
    missing = list(range(2, 5 - axes))
    if missing:
        x = _ops.unsqueeze(x, missing)
    ends = [(0, 0)] * len(missing) + ends
    x = _ops.pad3d(x, [n for both in reversed(ends) for n in both],
                   layer.padding_mode)
    if missing:
        x = _ops.squeeze(x, missing)
    return x, [0] * axes, "EXPLICIT"


class Conv2D(Module):
    """Cross-correlation of x [n, in_channels, h, w] with ``weight``.

    Gives [n, out_channels, h', w'], without n where x has none, h' = (h + 2 * padding - dilation *
    (kernel_size - 1) - 1) // stride + 1. ``weight`` is [out_channels,
    in_channels / groups, *kernel_size], ``bias`` [out_channels]; both start
    uniform in ±1/sqrt(inputs of one output) unless initialisers are given.
    ``padding`` may be "valid", or "same", which gives ceil(extent / stride). A
    window that is larger than x with its padding is a ValueError. ``padding_mode``: what is around x,
    "zeros", or as x itself is: "reflect", "replicate" or "circular".
    """

    @checked(in_channels=FROM_1, out_channels=FROM_1, groups=FROM_1)
    def __init__(self, in_channels: int, out_channels: int,
                 kernel_size: int | Sequence[int],
                 stride: int | Sequence[int] = 1,
                 padding: int | Sequence[int] | str = 0,
                 dilation: int | Sequence[int] = 1, groups: int = 1,
                 bias: bool = True, weight_init: Callable | None = None,
                 bias_init: Callable | None = None,
                 padding_mode: str = "zeros"):
        super().__init__()
        self.padding_mode = checked_mode("Conv2D", padding_mode)
        if in_channels % groups or out_channels % groups:
            raise ValueError(f"Conv2D: groups must divide in_channels "
                             f"{in_channels} and out_channels {out_channels}, "
                             f"got {groups}")
        self.in_channels, self.out_channels = in_channels, out_channels
        self.kernel_size = per_extent(kernel_size, 2, "Conv2D: kernel_size", 1)
        self.stride = per_extent(stride, 2, "Conv2D: stride", 1)
        self.dilation = per_extent(dilation, 2, "Conv2D: dilation", 1)
        self.algorithm = algorithm_of("Conv2D", padding)
        self.padding = [0, 0] if isinstance(padding, str) else per_extent(
            padding, 2, "Conv2D: padding", 0)
        self.groups = groups
        height, width = self.kernel_size
        default = init.by_inputs(in_channels // groups * height * width)
        self.weight = Parameter((weight_init or default)(
            [out_channels, in_channels // groups, height, width]))
        self.bias = (Parameter((bias_init or default)([out_channels]))
                     if bias else None)

    def forward(self, x):
        check_dtype(self, x, self.weight)
        x, alone = batched(x, 2)
        depthwise = self.groups > 1 and self.groups == self.in_channels
        convolve = _ops.depthwise_conv2d if depthwise else _ops.conv2d
        x, padding, algorithm = padded(x, self)
        y = biased(
            lambda x, weight: convolve(
                x, weight, strides=self.stride, paddings=padding,
                padding_algorithm=algorithm, dilations=self.dilation,
                groups=self.groups), x, self.weight, self.bias, 2)
        return unbatched(y, alone)

    def extra_repr(self):
        facts = [str(self.in_channels), str(self.out_channels),
                 f"kernel_size={tuple(self.kernel_size)}",
                 f"stride={tuple(self.stride)}"]
        if self.algorithm != "EXPLICIT":
            facts.append(f"padding={self.algorithm.lower()!r}")
        elif self.padding != [0, 0]:
            facts.append(f"padding={tuple(self.padding)}")
        if self.dilation != [1, 1]:
            facts.append(f"dilation={tuple(self.dilation)}")
        if self.groups != 1:
            facts.append(f"groups={self.groups}")
        if self.padding_mode != "zeros":
            facts.append(f"padding_mode={self.padding_mode!r}")
        if self.bias is None:
            facts.append("bias=False")
        return ", ".join(facts)
