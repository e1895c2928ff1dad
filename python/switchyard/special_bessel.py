# SPDX-License-Identifier: Apache-2.0
"""Bessel's functions of ``sy.special``, as functions of tensors with gradients."""

from __future__ import annotations

import math

import numpy as np

from switchyard import _core
from switchyard import special_bessel_values as _values
from switchyard.checks import public_call, refuse
from switchyard.functions.arguments import floating, tensor_of
from switchyard.functions.real_functions import in_float64
from switchyard.functions.sloped import recorded, sloped

_ops = _core.ops

__all__ = ["airy_ai", "bessel_j0", "bessel_j1", "bessel_y0", "bessel_y1",
           "modified_bessel_i0", "modified_bessel_i1", "modified_bessel_k0",
           "modified_bessel_k1", "scaled_modified_bessel_k0",
           "scaled_modified_bessel_k1", "spherical_bessel_j0"]


def _by_numpy(function, slope):
    """A function of NumPy's float64 arrays as one of tensors, with the derivative
    ``slope``."""
    def call(x):
        x = floating(x)
        if getattr(x, "requires_grad", False):
            return recorded(call, slope, x)
        if type(x) is not _core.Tensor:
            raise NotImplementedError(f"{function.__name__}: x must be a "
                                      "tensor, got a graph's value")
        with np.errstate(all="ignore"):
            if x.dtype.startswith("complex"):
                refuse(*public_call(x), "real", x.dtype)
            values = function(np.asarray(x.detach().numpy(), np.float64))
        made = _core.tensor(np.asarray(values), x.dtype)
        return made if str(x.place) == "cpu" else made.to(x.place)
    call.__name__ = call.__qualname__ = function.__name__
    call.__doc__ = function.__doc__
    return call


def _opposite(function):
    return lambda x: _ops.scale(function(x), -1.0)


def _by_order(plus, minus, at_zero):
    """The slope plus(x) - minus(x) / x; ``at_zero`` at 0, where it has no value."""
    def slope(x):
        none = _ops.equal(x, 0.0)
        inside = _ops.where(none, _ops.ones_like(x), x)
        found = _ops.subtract(plus(inside), _ops.divide(minus(inside), inside))
        return _ops.where(none, _ops.full_like(x, at_zero), found)
    return slope


bessel_j0 = _by_numpy(_values.bessel_j0, _opposite(lambda x: bessel_j1(x)))
bessel_j1 = _by_numpy(_values.bessel_j1, _by_order(
    lambda x: bessel_j0(x), lambda x: bessel_j1(x), 0.5))
bessel_y0 = _by_numpy(_values.bessel_y0, _opposite(lambda x: bessel_y1(x)))
bessel_y1 = _by_numpy(_values.bessel_y1, _by_order(
    lambda x: bessel_y0(x), lambda x: bessel_y1(x), math.inf))
modified_bessel_k0 = _by_numpy(_values.modified_bessel_k0,
                               _opposite(lambda x: modified_bessel_k1(x)))
modified_bessel_k1 = _by_numpy(_values.modified_bessel_k1, _by_order(
    _opposite(modified_bessel_k0), lambda x: modified_bessel_k1(x), -math.inf))
_gap = _by_numpy(_values.gap_of_scaled_k, _by_order(
    lambda x: _ops.scale(_gap(x), 2.0), lambda x: scaled_modified_bessel_k1(x),
    -math.inf))
scaled_modified_bessel_k0 = _by_numpy(_values.scaled_modified_bessel_k0,
                                      _opposite(_gap))
scaled_modified_bessel_k1 = _by_numpy(_values.scaled_modified_bessel_k1, _by_order(
    _gap, lambda x: scaled_modified_bessel_k1(x), -math.inf))
_airy_slope = _by_numpy(_values.slope_of_airy_ai,
                        lambda x: _ops.multiply(x, airy_ai(x)))
airy_ai = _by_numpy(_values.airy_ai, _airy_slope)


def modified_bessel_i0(x):
    """The modified Bessel function of the first kind of order 0: ``i0``."""
    return _ops.i0(x)


def modified_bessel_i1(x):
    """The modified Bessel function of the first kind of order 1: ``i1``."""
    return _ops.i1(x)


def _by_parts(near, far, at_infinity, end):
    """near(x) up to |x| = ``end``, far(x) beyond."""
    def function(x):
        size = _ops.abs(x)
        small = _ops.less_than(size, end)
        endless = _ops.isinf(x)
        inside = _ops.where(_ops.logical_or(small, endless), _ops.ones_like(x), x)
        found = _ops.where(small, near(_ops.where(small, x, _ops.zeros_like(x))),
                           far(inside))
        return _ops.where(endless, _ops.full_like(x, at_infinity), found)
    return function


def _spherical_far(x):
    return _ops.divide(_ops.sin(x), x)


def _spherical_slope_far(x):
    return _ops.divide(_ops.subtract(_ops.cos(x), _spherical_far(x)), x)


def _powers(coefficients):
    def series(x):
        square, found = _ops.square(x), _ops.zeros_like(x)
        for coefficient in reversed(coefficients):
            found = _ops.add(_ops.multiply(found, square), coefficient)
        return found
    return series


def _spherical_slope_near(x):
    return _ops.multiply(x, _SLOPE_SERIES(x))


# The series of sin(x) / x and of its slope divided by x.
_SERIES = _powers([(-1.0)**k / math.factorial(2 * k + 1) for k in range(10)])
_SLOPE_SERIES = _powers([(-1.0)**k * 2 * k / math.factorial(2 * k + 1)
                         for k in range(1, 11)])
_spherical = _by_parts(_SERIES, _spherical_far, 0.0, 1.0)
_spherical_slope = _by_parts(_spherical_slope_near, _spherical_slope_far, 0.0, 1.0)


def spherical_bessel_j0(x):
    """sin(x) / x, 1 at 0."""
    return sloped(lambda v: in_float64(_spherical, v), _spherical_slope,
                  floating(tensor_of(x)))
