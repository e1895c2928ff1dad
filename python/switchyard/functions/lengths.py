# SPDX-License-Identifier: Apache-2.0
"""Roots of sums of squares that are found though the squares leave the range."""

from __future__ import annotations

import numpy as np

from switchyard import _core
from switchyard.functions.arguments import axes_in

_ops = _core.ops

# Magnitudes between which neither a sum of squares nor those that count in it
# leave the range, if the largest is of them.
_SAFE = {"float32": (1e-12, 1e12), "float64": (1e-140, 1e140)}


def scaled(root, x, axis, order=2.0):
    """(v, root(v), c) with x = v c, real and of 32 bits or more, where root(v)
    is the root of a sum of squares, or of other powers ``order`` above 0, over
    ``axis``, which stays with extents of 1.

    c is None, for 1, where results are not so small or large that squares may
    have left the range; else the largest magnitude. In a program, and on a device
    whose memory is not the host's, results can't be seen: c is a tensor then,
    unless the extent of an axis is not known.
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
    unit = _unit(x.detach(), axis, *bounds)
    x = _ops.divide(x, unit)
    return x, root(x), unit


def in_range(root, x, axis, order=2.0):
    """root(x) as ``scaled`` finds it, where root(c v) is c root(v)."""
    _, found, unit = scaled(root, x, axis, order)
    return found if unit is None else _ops.multiply(found, unit)


def _folds_elements(x, axis):
    return all(isinstance(x.shape[i], int) and x.shape[i] > 0
               for i in axes_in("norm", axis, len(x.shape)))


def _is_safe(found, low, high):
    """Whether the largest magnitude of each is safe, too, which is smaller by the
    root of their number at most."""
    low *= 1e6
    if found.size <= 64:
        values = found.reshape(-1).tolist()
        return bool(values) and low < min(values) and max(values) < high
    return bool(low < np.min(found) and np.max(found) < high)


def _unit(x, axis, low, high):
    """The largest magnitudes over ``axis``, or 1 where squares are safe."""
    largest = _ops.maximum(_ops.max(x, axis, True),
                           _ops.scale(_ops.min(x, axis, True), -1.0))
    far = _ops.logical_or(
        _ops.logical_and(_ops.greater_than(largest, high),
                         _ops.isfinite(largest)),
        _ops.logical_and(_ops.less_than(largest, low),
                         _ops.greater_than(largest, 0.0)))
    return _ops.where(far, largest, _ops.ones_like(largest))


def length(x, axis, order=2.0):
    """The norm of order ``order`` over the axes ``axis`` (one, unless it is 2),
    which stay with extents of 1; its gradient is 0 where it is."""
    if order == 2:
        return in_range(lambda v: _ops.frobenius_norm(v, axis, True), x, axis)

    def root(v):
        return _ops.p_norm(v, float(order), axis[0], epsilon=0.0, keepdim=True)
    # These orders sum no power, or none of the largest magnitude.
    if order in (0, 1) or order < 0 or order == float("inf"):
        return root(x)
    return in_range(root, x, axis, order)


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
    return _ops.squeeze(_ops.divide(dots, _ops.multiply(*lengths)), axis)
