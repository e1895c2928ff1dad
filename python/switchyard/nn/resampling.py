# SPDX-License-Identifier: Apache-2.0
"""Resampling of sequences, images and volumes."""

from __future__ import annotations

import math

import numpy as np

from switchyard import _core
from switchyard.checks import checked, flag, refuse
from switchyard.functions.arguments import tensor_of
from switchyard.nn.extents import per_extent
from switchyard.nn.module import Module
from switchyard.nn.pooling import adaptive_pool
from switchyard.spelling import spelled

_ops = _core.ops

# Indexed by the mode: the operator, and the extents that it has.
_MODES = {
    "linear": (_ops.bilinear_interp, 1),
    "bilinear": (_ops.bilinear_interp, 2),
    "bicubic": (_ops.bicubic_interp, 2),
    "trilinear": (_ops.trilinear_interp, 3),
}


_WITHOUT_CORNERS = ("nearest", "nearest-exact", "area")


def _check_mode(name, mode):
    if not isinstance(mode, str) or mode not in (*_WITHOUT_CORNERS, *_MODES):
        refuse(name, "mode", f"of {[*_WITHOUT_CORNERS, *_MODES]}", mode, ValueError)


@spelled
def interpolate(x, size=None, scale_factor=None, mode: str = "nearest",
                align_corners: bool | None = None,
                recompute_scale_factor: bool | None = None):
    """x [n, channels, *extents] resampled to ``size``, or by ``scale_factor``.

    With a factor an axis has floor(extent * factor) elements, in float64.
    ``mode``: "nearest" (of one to three extents), "linear" (one), "bilinear",
    "bicubic" (two), "trilinear" (three), "area", the mean of what each element
    covers, or "nearest-exact", the element at the centre of what is covered.
    ``align_corners`` maps the first elements to the first and the last to the last;
    the nearest and "area" have none. ``recompute_scale_factor``: the positions
    follow from the extents, not from the factor.
    """
    x = tensor_of(x)
    _check_mode("interpolate", mode)
    axes = len(x.shape) - 2
    if (size is None) == (scale_factor is None):
        raise ValueError("interpolate: either size or scale_factor must be "
                         "given, got " + ("neither" if size is None else "both"))
    if mode in _WITHOUT_CORNERS and align_corners is not None:
        raise ValueError(f"interpolate: align_corners must be None for {mode!r},"
                         f" got {align_corners}")
    if recompute_scale_factor is not None:
        flag("interpolate", "recompute_scale_factor", recompute_scale_factor)
        if recompute_scale_factor and size is not None:
            raise ValueError("interpolate: recompute_scale_factor needs a scale_factor, "
                             "got a size")
    if 1 <= axes <= 3 and recompute_scale_factor:
        size, scale_factor = _scaled(x, _factors(scale_factor, axes)), None
    if mode in ("area", "nearest-exact") and 1 <= axes <= 3:
        return (_area if mode == "area" else _nearest)(x, axes, size, scale_factor)
    operator, fitting = _MODES.get(mode, (_ops.nearest_interp, axes))
    if not 1 <= axes <= 3 or fitting != axes or mode not in (
            "nearest", *_MODES):
        raise ValueError(f"interpolate: mode {mode!r} does not fit x of "
                         f"{axes + 2} axes")
    if size is not None:
        given = {"out_size": per_extent(size, axes, "interpolate: size")}
    else:
        factors = _factors(scale_factor, axes)
        sides = _scaled(x, factors)
        given = {"out_size": sides}
        if not align_corners:  # Or the extents alone say how far elements are apart.
            given["scale"] = factors
            if isinstance(x, _core.Value) and all(
                    _is_exact(*each, mode) for each in zip(x.shape[2:], factors, sides)):
                del given["out_size"]  # Models of ONNX have one of both.
    # 3: centres lie on centres, that of a single element too.
    more = {} if mode == "nearest" else {
        "align_corners": bool(align_corners), "align_mode": 0 if align_corners else 3}
    return _of_rows(operator, x, axes, given, more)


def _factors(scale_factor, axes):
    """A factor for each axis, each above 0."""
    factors = [float(factor) for factor in per_extent(
        scale_factor, axes, "interpolate: scale_factor")]
    for factor in factors:
        if not 0.0 < factor < math.inf:
            raise ValueError("interpolate: scale_factor must be above 0 and "
                             f"finite, got {factor}")
    return factors


def _scaled(x, factors):
    """The extents of x times the factors, rounded down. The operator would
    multiply in float32. Of an extent that is open the program computes it."""
    sides = []
    for extent, factor in zip(x.shape[2:], factors):
        if factor == 1.0:
            sides.append(extent)
        elif isinstance(extent, int):
            sides.append(math.floor(extent * factor))
            if not 0 < sides[-1] < 2**31:
                raise ValueError(
                    "interpolate: scale_factor must be such that extents are "
                    f"above 0 and below 2^31, got {factor}")
        else:
            exact = _ops.scale(_ops.cast(extent * 1, "float64"), factor)
            sides.append(_ops.cast(_ops.floor(exact), "int64"))
    return sides


def _is_exact(extent, factor, side, mode):
    """Whether the operator, or one of ONNX, has the extent ``side`` by the factor, which
    they multiply in float32, and the same elements: by a factor of four bits, of an
    extent below 2^20. One that is rounded may find the neighbour of the nearest."""
    if (math.frexp(factor)[0] * 16).is_integer():
        return True
    if mode == "nearest" or not isinstance(side, int):
        return False
    single = np.float32(factor)
    return math.floor(float(single) * extent) == side == int(single * np.float32(extent))


def _sides(x, axes, size, scale_factor):
    return per_extent(size, axes, "interpolate: size", 1) if size is not None else (
        _scaled(x, _factors(scale_factor, axes)))


def _area(x, axes, size, scale_factor):
    return adaptive_pool("avg", x, _sides(x, axes, size, scale_factor))


def _nearest(x, axes, size, scale_factor):
    """The elements at the centres of what each result covers, axis by axis."""
    steps = None if scale_factor is None else [
        1.0 / factor for factor in _factors(scale_factor, axes)]
    for i, side in enumerate(_sides(x, axes, size, scale_factor)):
        extent = x.shape[2 + i]
        if not isinstance(extent, int) or not isinstance(side, int):
            raise ValueError("interpolate: mode 'nearest-exact' needs extents that are "
                             "known")
        step = extent / side if steps is None else steps[i]
        at = np.floor((np.arange(side) + 0.5) * step).astype(np.int64)
        x = _ops.gather(x, _core.tensor(np.minimum(at, extent - 1)), 2 + i)
    return x


def _of_rows(operator, x, axes, given, more):
    """The operator of images, for sequences as images one row high."""
    if axes != 1:
        return operator(x, **given, **more)
    wide = {name: [1, *value] for name, value in given.items()}
    return _ops.squeeze(operator(_ops.unsqueeze(x, [2]), **wide, **more), [2])


def upsample(x, size=None, scale_factor=None, mode: str = "nearest",
             align_corners: bool | None = None):
    """``interpolate`` by PyTorch's older name."""
    return interpolate(x, size, scale_factor, mode, align_corners)


class Upsample(Module):
    """``interpolate`` as a layer."""

    @checked()
    def __init__(self, size=None, scale_factor=None, mode: str = "nearest",
                 align_corners: bool | None = None,
                 recompute_scale_factor: bool | None = None):
        super().__init__()
        _check_mode("Upsample", mode)
        self.recompute_scale_factor = recompute_scale_factor
        self.size, self.scale_factor = size, scale_factor
        self.mode, self.align_corners = mode, align_corners

    def forward(self, x):
        return interpolate(x, self.size, self.scale_factor, self.mode,
                           self.align_corners, self.recompute_scale_factor)

    def extra_repr(self):
        how = (f"size={self.size}" if self.scale_factor is None
               else f"scale_factor={self.scale_factor}")
        return f"{how}, mode={self.mode!r}"


class _Upsampling2D(Upsample):
    """Base: Upsample of images to a size, or by a factor."""

    def __init__(self, size, scale_factor, mode, align_corners):
        if size is not None:
            size = per_extent(size, 2, f"{type(self).__name__}: size", 1)
        super().__init__(size, scale_factor, mode, align_corners)


class UpsamplingNearest2D(_Upsampling2D):
    """Upsample of images by "nearest"."""

    def __init__(self, size=None, scale_factor=None):
        super().__init__(size, scale_factor, "nearest", None)


class UpsamplingBilinear2D(_Upsampling2D):
    """Upsample of images by "bilinear", corners to corners."""

    def __init__(self, size=None, scale_factor=None):
        super().__init__(size, scale_factor, "bilinear", True)
