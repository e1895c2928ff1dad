# SPDX-License-Identifier: Apache-2.0
"""Integrals and slopes of numbers that are given at points."""

from __future__ import annotations

from switchyard import _core
from switchyard.checks import whole
from switchyard.functions.arguments import (axes_in, axis_in, check_list, tensor_of,
                                            to_shape)
from switchyard.functions.precision import halves_in_float64
from switchyard.functions.scans import cumsum

_ops = _core.ops

TYPE_CHECKING = False
if TYPE_CHECKING:
    from switchyard.ops import T

__all__ = ["cumulative_trapezoid", "gradient", "trapezoid", "trapz"]


def _ends(x, axis):
    """(All but the first, all but the last) along an axis."""
    return (_ops.slice(x, [axis], [1], [2**63 - 1]),
            _ops.slice(x, [axis], [0], [-1]))


def _areas(name, y, x, dx, dim):
    """The areas between neighbours along an axis."""
    y = tensor_of(y)
    if not y.shape:
        raise ValueError(f"{name}: y must have an axis, got a scalar")
    axis = axis_in(name, dim, len(y.shape))
    later, earlier = _ends(y, axis)
    heights = _ops.add(later, earlier)
    if x is None:
        return _ops.multiply(heights, _ops.multiply(tensor_of(dx), 0.5) if hasattr(
            dx, "dtype") else dx * 0.5), axis
    x = tensor_of(x)
    count = y.shape[axis]
    if len(x.shape) == 1:
        check_list("x", x, count)
        shape = [1] * len(y.shape)
        shape[axis] = x.shape[0]
        x = to_shape(x, shape)
    at = axis - len(y.shape)
    if len(x.shape) + at < 0 or x.shape[at] != count:
        raise ValueError(f"{name}: x must have y's extent {count} along dim, got "
                         f"shape {tuple(x.shape)}")
    widths = _ops.subtract(*_ends(x, len(x.shape) + at))
    return _ops.multiply(_ops.multiply(heights, widths), 0.5), axis


@halves_in_float64
def trapezoid(y: T, x=None, *, dx=1, dim: int = -1) -> T:
    """The integral along ``dim`` by the trapezoidal rule, at the points x or at
    distances ``dx``."""
    areas, axis = _areas("trapezoid", y, x, dx, dim)
    return _ops.sum(areas, axis)


@halves_in_float64
def trapz(y: T, x=None, *, dx=1, dim: int = -1) -> T:
    """``trapezoid``."""
    return trapezoid(y, x, dx=dx, dim=dim)


@halves_in_float64
def cumulative_trapezoid(y: T, x=None, *, dx=1, dim: int = -1) -> T:
    """The running integrals along ``dim`` by the trapezoidal rule."""
    areas, axis = _areas("cumulative_trapezoid", y, x, dx, dim)
    return cumsum(areas, axis)


def gradient(x: T, *, spacing=1, dim=None, edge_order: int = 1) -> list:
    """The slopes along each axis of ``dim`` (all) by central differences, and at
    the ends by one-sided ones of ``edge_order`` 1 or 2.

    ``spacing``: the distance of neighbours, one for each axis, or the points
    along each axis.
    """
    x = tensor_of(x)
    if whole("gradient", "edge_order", edge_order) not in (1, 2):
        raise ValueError(f"gradient: edge_order must be 1 or 2, got {edge_order}")
    dim = tuple(dim) if isinstance(dim, (list, tuple)) else dim
    axes = axes_in("gradient", dim, len(x.shape))
    spacing = 1 if spacing is None else spacing
    each = list(spacing) if isinstance(spacing, (list, tuple)) else (
        [spacing] * len(axes))
    if len(each) != len(axes):
        raise ValueError(f"gradient: spacing must be one, or one for each of "
                         f"{len(axes)} axes, got {len(each)}")
    return [_slopes(x, axis, gap, edge_order) for axis, gap in zip(axes, each)]


def _slopes(x, axis, spacing, edge_order):
    extent = x.shape[axis]
    if extent < edge_order + 1:
        raise ValueError("gradient: x must have more than edge_order elements along "
                         f"each axis, got {extent}")
    shape = [1] * len(x.shape)
    shape[axis] = extent - 1
    if hasattr(spacing, "dtype") and tensor_of(spacing).shape:
        points = tensor_of(spacing)
        check_list("spacing", points, extent)
        gaps = to_shape(_ops.subtract(*_ends(points, 0)), shape)
    else:
        wide = x.dtype in ("float64", "complex128")
        gaps = _ops.multiply(_ops.full(shape, 1.0, "float64" if wide else "float32"), spacing)
    steps = _ops.divide(_ops.subtract(*_ends(x, axis)), gaps)

    def part(v, start, end):
        return _ops.slice(v, [axis], [start], [end])
    first, last = part(steps, 0, 1), part(steps, extent - 2, extent - 1)
    if edge_order == 2:
        first = _edge(steps, gaps, part, 0, 1)
        last = _edge(steps, gaps, part, extent - 2, extent - 3)
    if extent == 2:
        return _ops.concat([first, last], axis)
    (right, left), (after, before) = _ends(steps, axis), _ends(gaps, axis)
    both = _ops.add(_ops.multiply(right, before), _ops.multiply(left, after))
    middle = _ops.divide(both, _ops.add(after, before))
    return _ops.concat([first, middle, last], axis)


def _edge(steps, gaps, part, near, far):
    """The slope at an end of the parabola through three points."""
    a, b = part(steps, near, near + 1), part(steps, far, far + 1)
    h, k = part(gaps, near, near + 1), part(gaps, far, far + 1)
    share = _ops.divide(h, _ops.add(h, k))
    return _ops.add(a, _ops.multiply(_ops.subtract(a, b), share))
