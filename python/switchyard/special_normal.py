# SPDX-License-Identifier: Apache-2.0
"""The normal distribution of ``sy.special``: shares below a number, their logarithm
and inverse, in float64. Where a derivative would be a difference of large terms, it
is the formula without them."""

from __future__ import annotations

import math

from switchyard import _core
from switchyard.functions import erfc
from switchyard.functions.arguments import floating
from switchyard.functions.real_functions import in_float64, scaled_erfc
from switchyard.functions.sloped import sloped

_ops = _core.ops

__all__ = ["erfcx", "log_ndtr", "ndtr", "ndtri"]


def _erfcx(x):
    right = scaled_erfc(_ops.abs(x))
    below = _ops.less_than(x, 0.0)
    # Other squares may be infinite, and their gradients NaN.
    square = _ops.square(_ops.where(below, x, _ops.zeros_like(x)))
    left = _ops.subtract(_ops.multiply(_ops.exp(square), 2.0), right)
    return _ops.where(below, left, right)


def _erfcx_slope(x):
    rest = 2.0 / math.sqrt(math.pi)
    product = _ops.scale(_ops.multiply(x, _erfcx(x)), 2.0)
    # Its limit, of infinity times 0.
    product = _ops.where(_ops.equal(x, math.inf), _ops.full_like(x, rest), product)
    return _ops.subtract(product, rest)


def erfcx(x):
    """exp(x * x) erfc(x)."""
    return sloped(lambda v: in_float64(_erfcx, v), _erfcx_slope, floating(x))


def ndtr(x):
    """The share of the normal distribution below x."""
    return in_float64(lambda v: _ops.multiply(
        erfc(_ops.multiply(v, -math.sqrt(0.5))), 0.5), x)


def _log_ndtr(x):
    z = _ops.multiply(x, -math.sqrt(0.5))
    low = _ops.less_than(x, -1.0)
    small = _ops.where(low, z, _ops.ones_like(z))
    tail = _ops.subtract(_ops.log(_ops.multiply(scaled_erfc(small), 0.5)),
                         _ops.square(small))
    other = _ops.where(low, _ops.zeros_like(z), z)
    plain = _ops.log1p(_ops.multiply(erfc(_ops.scale(other, -1.0)), -0.5))
    return _ops.where(low, tail, plain)


def _log_slope(x):
    """The density over the share below x."""
    scaled = _erfcx(_ops.multiply(x, -math.sqrt(0.5)))
    return _ops.divide(_ops.full_like(scaled, math.sqrt(2.0 / math.pi)), scaled)


def _start(log_share):
    """Abramowitz and Stegun's 26.2.23: the number of a share below a half."""
    t = _ops.sqrt(_ops.multiply(log_share, -2.0))
    above = _ops.add(_ops.multiply(_ops.add(_ops.multiply(t, 0.010328), 0.802853), t),
                     2.515517)
    below = _ops.add(_ops.multiply(_ops.add(_ops.multiply(_ops.add(_ops.multiply(
        t, 0.001308), 0.189269), t), 1.432788), t), 1.0)
    return _ops.subtract(_ops.divide(above, below), t)


def _ndtri(x):
    x = x.detach()
    rest = _ops.scale(x, -1.0, 1.0)
    inside = _ops.logical_and(_ops.greater_than(x, 0.0), _ops.greater_than(rest, 0.0))
    share = _ops.where(inside, _ops.minimum(x, rest), _ops.full_like(x, 0.25))
    logarithm = _ops.log(share)
    y = _start(logarithm)
    for _ in range(3):  # Newton's steps, which double the digits from three on.
        y = _ops.subtract(y, _ops.divide(_ops.subtract(_log_ndtr(y), logarithm),
                                         _log_slope(y)))
    y = _ops.where(_ops.greater_than(x, rest), _ops.scale(y, -1.0), y)
    end = _ops.where(_ops.equal(x, 0.0), _ops.full_like(x, -math.inf), _ops.where(
        _ops.equal(rest, 0.0), _ops.full_like(x, math.inf),
        _ops.full_like(x, math.nan)))
    return _ops.where(inside, y, end)


def _over_density(y):
    return _ops.multiply(_ops.exp(_ops.multiply(_ops.square(y), 0.5)),
                         math.sqrt(2.0 * math.pi))


def _inverse_slope(x):
    y = _ndtri(x)
    # With y's own derivative, for that of this; at the ends there is none.
    ends = _ops.logical_not(_ops.isfinite(y))
    along = _ops.where(ends, _ops.zeros_like(x), _ops.multiply(
        _ops.subtract(x, x.detach()), _over_density(_ops.where(
            ends, _ops.zeros_like(y), y))))
    return _over_density(_ops.add(y, along))


def log_ndtr(x):
    """The logarithm of ``ndtr``, with the digits of what is small."""
    return sloped(lambda v: in_float64(_log_ndtr, v), _log_slope, floating(x))


def ndtri(x):
    """The number below which a share x of the normal distribution lies; NaN outside of
    [0, 1]."""
    return sloped(lambda v: in_float64(_ndtri, v), _inverse_slope, floating(x))
