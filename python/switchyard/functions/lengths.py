# SPDX-License-Identifier: Apache-2.0
"""Roots of sums of squares that are found though the squares leave the range."""

from __future__ import annotations

import math

import numpy as np

from switchyard import _core
from switchyard.functions.arguments import axes_in
from switchyard.functions.precision import in_float32

_ops = _core.ops

# Magnitudes between which neither a sum of squares nor those that count in it
# leave the range, if the largest is of them.
_SAFE = {"float32": (1e-12, 1e12), "float64": (1e-140, 1e140)}
# Numbers are divided by no less where squares allow it: other numbers, as a least
# length, are divided by it, too.
_LEAST_UNIT = {"float32": 1e-36, "float64": 1e-300}
# The least mean of squares none of whose terms has lost bits that count, and powers
# of two by which rows are multiplied whose squares are infinite, or smaller. Third
# powers of the roots, which gradients take, stay in the range then, too.
_FACTORS = {"float32": (2.0**-100, 2.0**-89, 2.0**86),
            "float64": (2.0**-900, 2.0**-761, 2.0**755)}


def scaled(root, x, axis, order=2.0):
    """(v, root(v), c) with x = v c, real and of 32 bits or more, where root(v)
    is the root of a sum of squares, or of other powers ``order`` above 0, over
    ``axis``, which stays with extents of 1.

    c is None, for 1, where results are not so small or large that squares may
    have left the range; else the largest magnitude. In a program, and on a device
    whose memory is not the host's, results can't be seen: c is a tensor then.
    """
    found = None
    # No power may be further from 1 than the squares.
    bounds = [bound**min(1.0, 2.0 / order) for bound in _SAFE.get(x.dtype, ())]
    if bounds and type(x) is _core.Tensor and str(x.place) == "cpu":
        try:
            found = root(x)  # A value of the graph for a tensor that a trace captures.
        except FloatingPointError:  # What sy.detect_anomaly sees in squares.
            found = None
        if type(found) is _core.Tensor and _is_safe(found.detach().numpy(), *bounds):
            return x, found, None
    if not bounds or not _folds_elements(x, axis):
        return x, root(x) if found is None else found, None
    unit = _unit(x.detach(), axis, *bounds,
                 _LEAST_UNIT[x.dtype] if order <= 4 else 0.0)
    x = _ops.divide(x, unit)
    return x, root(x), unit


def in_range(root, x, axis, order=2.0):
    """root(x) as ``scaled`` finds it, where root(c v) is c root(v)."""
    _, found, unit = scaled(root, x, axis, order)
    return found if unit is None else _ops.multiply(found, unit)


def _folds_elements(x, axis):
    return not any(isinstance(x.shape[i], int) and x.shape[i] == 0
                   for i in axes_in("norm", axis, len(x.shape)))


def _with_one_more(x, axis):
    """x with a 0 beside the elements along each of the axes whose extent is not
    known, and may be 0: of none there is no largest."""
    ends = [0] * (2 * len(x.shape))
    for i in axes_in("norm", axis, len(x.shape)):
        ends[2 * i + 1] = 0 if isinstance(x.shape[i], int) else 1
    return _ops.pad(x, ends) if any(ends) else x


def _is_safe(found, low, high):
    """Whether the largest magnitude of each is safe, too, which is smaller by the
    root of their number at most."""
    low *= 1e6
    if found.size <= 64:
        values = found.reshape(-1).tolist()
        return bool(values) and low < min(values) and max(values) < high
    return bool(low < np.min(found) and np.max(found) < high)


def _unit(x, axis, low, high, least):
    """The largest magnitudes over ``axis``, from ``least``, or 1 where squares are
    safe."""
    given = _with_one_more(x, axis)
    largest = _ops.maximum(_ops.max(given, axis, True),
                           _ops.scale(_ops.min(given, axis, True), -1.0))
    far = _ops.logical_or(
        _ops.logical_and(_ops.greater_than(largest, high),
                         _ops.isfinite(largest)),
        _ops.logical_and(_ops.less_than(largest, low),
                         _ops.greater_than(largest, 0.0)))
    return _ops.where(far, _ops.maximum(largest, _ops.full_like(largest, least)),
                      _ops.ones_like(largest))


def length(x, axis, order=2.0):
    """The norm of order ``order`` over the axes ``axis`` (one, unless it is 2),
    which stay with extents of 1; its gradient is 0 where it is."""
    def root(v):
        return _root_of(v, axis, order)
    # These orders sum no power, or none of the largest magnitude.
    if order in (0, 1) or order < 0 or order == math.inf:
        return root(x)
    return in_range(root, x, axis, order)


def _root_of(x, axis, order):
    """The norm without regard to the range."""
    if order == 2:
        return _ops.frobenius_norm(x, axis, True)
    return _ops.p_norm(x, float(order), axis[0], epsilon=0.0, keepdim=True)


def over_length(x, sizes, axis, order, least):
    """x divided by the norm of ``sizes``, its magnitudes or itself, over the axis
    ``axis``, or by ``least`` where that is more. The norm may be out of the range."""
    def root(v):
        return _root_of(v, axis, order)
    if order in (0, math.inf):  # These sum no power.
        found, unit = root(sizes), None
    else:
        _, found, unit = scaled(root, sizes, axis, order)
    if unit is not None:
        x = _ops.divide(x, _as(unit, x))
        least = _ops.divide(least, unit)
    return _ops.divide(x, _as(_ops.maximum(found, least), x))


def _as(real_numbers, x):
    """Real numbers as operands of x, which may be complex."""
    return (real_numbers if real_numbers.dtype == x.dtype
            else _ops.cast(real_numbers, x.dtype))


def cosine(x, y, axis, least):
    """The cosine of the angles between x and y, of one shape, over ``axis``;
    lengths count as at least ``least``."""
    def root(v):
        return _ops.frobenius_norm(v, axis, True)

    sides, lengths = [], []
    for side, along, unit in (scaled(root, v, axis) for v in (x, y)):
        sides.append(side)
        lengths.append(_ops.maximum(
            along, least if unit is None else _ops.divide(least, unit)))
    dots = _ops.sum(_ops.multiply(*sides), axis, None, True)
    # Lengths of scaled sides have a product in the range.
    return _ops.squeeze(_ops.divide(dots, _ops.multiply(*lengths)), axis)


@in_float32
def over_root_mean_square(x, axis, epsilon):
    """x divided by the root of its mean square over ``axis`` plus ``epsilon``."""
    try:
        squares = _mean_square(x, axis)
    except FloatingPointError:  # What sy.detect_anomaly sees in squares.
        squares = None
    if squares is not None and (x.dtype not in _FACTORS
                                or _is_in_the_range(squares, epsilon)):
        squares = _ops.scale(squares, 1.0, epsilon)
    else:
        # The rows that stay have a factor of 1, which changes no bit of theirs.
        factor, epsilon = _factors(x.detach(), squares, axis, epsilon)
        x = _ops.multiply(x, factor)
        squares = _ops.add(_mean_square(x, axis), epsilon)
    return _ops.multiply(x, _ops.rsqrt(squares))


def _mean_square(x, axis):
    return _ops.mean(_ops.square(x), axis, True)


def _factors(x, squares, axis, epsilon):
    """The factor of each row with which its squares stay in the range, and its
    ``epsilon``, multiplied likewise. ``squares`` is None where they can't be
    computed."""
    least, down, up = _FACTORS[x.dtype]
    if squares is None:
        large = _ops.greater_than(_mean_square(_ops.scale(x, down), axis),
                                  down / least * down)
        squares = _mean_square(_ops.where(large, _ops.zeros_like(x), x), axis)
    else:
        large = _ops.logical_not(_ops.less_than(squares, math.inf))

    def of(where, value, others):
        return _ops.where(where, _ops.full_like(squares, value), others)

    factor = of(large, down, _ops.ones_like(squares))
    scaled = of(large, epsilon * down * down, _ops.full_like(squares, epsilon))
    if epsilon < least:  # Else it outweighs what has vanished.
        small = _ops.logical_and(_ops.less_than(squares, least),
                                 _ops.logical_not(large))
        factor = of(small, up, factor)
        scaled = of(small, epsilon * up * up, scaled)
    return factor, scaled


def _is_in_the_range(squares, epsilon):
    """Whether it can be seen that no mean of squares is infinite, or so small that
    terms may have vanished that ``epsilon`` does not outweigh."""
    if type(squares) is not _core.Tensor or squares.place != "cpu":
        return False
    least = _FACTORS[squares.dtype][0]
    # NumPy's view and reductions take as long again as operators.
    several = any(extent != 1 for extent in squares.shape)
    if several:
        squares = squares.detach()
    if not (_ops.sum(squares) if several else squares).item() < math.inf:
        return False
    return epsilon >= least or 0 in squares.shape or (
        least <= (_ops.min(squares) if several else squares).item())
