# SPDX-License-Identifier: Apache-2.0
"""Functions of images: samples at positions, windows as columns, shuffles."""

from __future__ import annotations

from collections.abc import Sequence

from switchyard import _core
from switchyard.checks import FROM_1, flag, listed, refuse, whole
from switchyard.functions.arguments import WHOLE, tensor_of
from switchyard.functions.precision import in_float32
from switchyard.nn.bicubic_grid import sampled
from switchyard.nn.extents import per_extent
from switchyard.nn.max_windows import batched, unbatched
from switchyard.nn.resampling import interpolate
from switchyard.nn.windows import check_extents, check_windows

_ops = _core.ops


def grid_sample(x, grid, mode: str = "bilinear", padding_mode: str = "zeros",
                align_corners: bool = False):
    """Samples of images x [n, channels, h, w] at the positions ``grid`` [n, h',
    w', 2], which go from -1 to 1 along the width, then along the height; of
    volumes [n, channels, d, h, w] by [n, d', h', w', 3].

    ``mode`` is "bilinear", "nearest" or, of images, "bicubic". -1 and 1 are the centres of the outer
    pixels with ``align_corners``, else their edges. Outside of them x is 0
    ("zeros"), as at the edge ("border") or mirrored ("reflection").
    """
    flag("grid_sample", "align_corners", align_corners or False)
    if mode == "bicubic":
        return sampled(tensor_of(x), tensor_of(grid), padding_mode,
                       bool(align_corners))
    if mode not in ("bilinear", "nearest"):
        refuse("grid_sample", "mode", "'bilinear', 'nearest' or 'bicubic'", mode,
               ValueError)
    return _ops.grid_sample(tensor_of(x), tensor_of(grid), mode, padding_mode,
                            bool(align_corners))


def affine_grid(theta, size: Sequence[int], align_corners: bool = False):
    """Where ``grid_sample`` samples for images of ``size`` [n, channels, h, w],
    which the matrices ``theta`` [n, 2, 3] turn, scale and move; or volumes, by
    [n, 3, 4]."""
    flag("affine_grid", "align_corners", align_corners or False)
    return _ops.affine_grid(tensor_of(theta), listed("affine_grid", "size", size),
                            bool(align_corners))


def channel_shuffle(x, groups: int):
    """x [n, channels, ...] whose channels, in ``groups`` groups, are taken one from
    each group by turns."""
    x, groups = tensor_of(x), whole("channel_shuffle", "groups", groups, FROM_1)
    shape = list(x.shape)
    if len(shape) < 3:
        raise ValueError("channel_shuffle: x must have 3 axes or more, got "
                         f"{len(shape)}")
    if isinstance(shape[1], int) and shape[1] % groups:
        raise ValueError(f"channel_shuffle: groups must divide the channels "
                         f"{shape[1]}, got {groups}")
    parts = _ops.reshape(x, [shape[0], groups, -1, *shape[2:]])
    order = [0, 2, 1, *range(3, len(shape) + 1)]
    return _ops.reshape(_ops.transpose(parts, order), shape)


def pixel_unshuffle(x, downscale_factor: int):
    """[..., channels, h * r, w * r] to [..., channels * r * r, h, w]."""
    x = tensor_of(x)
    factor = whole("pixel_unshuffle", "downscale_factor", downscale_factor, FROM_1)
    if len(x.shape) < 3:
        raise ValueError("pixel_unshuffle: x must have 3 axes or more, got "
                         f"{len(x.shape)}")
    if len(x.shape) == 4:
        return _ops.pixel_unshuffle(x, factor)
    lead, sides = list(x.shape[:-3]), list(x.shape[-3:])
    y = _ops.pixel_unshuffle(_ops.reshape(x, [-1, *sides]), factor)
    return _ops.reshape(y, [*lead, *y.shape[1:]])


def _sides(name, **given):
    return [per_extent(value, 2, f"{name}: {argument}", least)
            for argument, (value, least) in given.items()]


@in_float32
def unfold(x, kernel_size, dilation=1, padding=0, stride=1):
    """The windows of images x [n, channels, h, w] as columns: [n, channels *
    elements of a window, windows]; without n alike."""
    kernel, steps, sides, gaps = _sides(
        "unfold", kernel_size=(kernel_size, 1), stride=(stride, 1),
        padding=(padding, 0), dilation=(dilation, 1))
    x, alone = batched(tensor_of(x), 2)
    check_windows("unfold", x, kernel, sides, gaps)
    whole_numbers = x.dtype in WHOLE  # float64 holds them.
    wide = _ops.cast(x, "float64") if whole_numbers else x
    found = _ops.unfold(wide, kernel, steps, sides, gaps)
    return unbatched(_ops.cast(found, x.dtype) if whole_numbers else found, alone)


@in_float32
def fold(x, output_size, kernel_size, dilation=1, padding=0, stride=1):
    """Images of ``output_size`` whose elements are sums of those that ``unfold``
    would put into the columns x [n, channels * elements of a window, windows];
    without n alike."""
    outputs, kernel, steps, sides, gaps = _sides(
        "fold", output_size=(output_size, 1), kernel_size=(kernel_size, 1),
        stride=(stride, 1), padding=(padding, 0), dilation=(dilation, 1))
    x, alone = batched(tensor_of(x), 1)
    check_extents("fold", outputs, kernel, sides, gaps)
    return unbatched(_ops.fold(x, outputs, kernel, steps, sides, gaps), alone)


def upsample_nearest(x, size=None, scale_factor=None):
    """``interpolate`` by "nearest"."""
    return interpolate(x, size, scale_factor, "nearest")


def upsample_bilinear(x, size=None, scale_factor=None):
    """``interpolate`` by "bilinear", corners to corners."""
    return interpolate(x, size, scale_factor, "bilinear", align_corners=True)
