# SPDX-License-Identifier: Apache-2.0
"""Draws of the gamma distribution as functions of its concentration."""

from __future__ import annotations

import numpy as np

from switchyard import _core
from switchyard.distributions.base import common, opened
from switchyard.function import Function

_ops = _core.ops
_SMALLEST = {"float16": 2.0**-14, "float64": 2.0**-1022}
_FAR = 38.0  # exp(-38) is below a float64's unit.


def gamma_draws(concentration, shape):
    """Draws of Gamma(concentration, 1), ``shape`` before its extents, all positive,
    with the gradient of the concentration.

    By the method of Marsaglia and Tsang (2000), which takes one of 16 candidates;
    that none fits has a probability below 1e-20.
    """
    fixed = _ops.detach(concentration)
    small = _ops.less_than(fixed, 1.0)
    a = _ops.where(small, _ops.scale(fixed, 1.0, 1.0), fixed)
    d = _ops.scale(a, 1.0, -1.0 / 3.0)
    c = _ops.rsqrt(_ops.scale(d, 9.0))
    like = [16, *shape, *fixed.shape]
    z = _ops.gaussian(like, 0.0, 1.0, a.dtype)
    v = _ops.pow(_ops.scale(_ops.multiply(c, z), 1.0, 1.0), 3.0)
    safe = _ops.where(_ops.greater_than(v, 0.0), v, _ops.ones_like(v))
    bound = _ops.add(_ops.scale(_ops.square(z), 0.5), _ops.multiply(d, _ops.add(
        _ops.scale(v, -1.0, 1.0), _ops.log(safe))))
    u = opened((16, *shape), fixed)
    fits = _ops.logical_and(_ops.greater_than(v, 0.0),
                            _ops.less_than(_ops.log(u), bound))
    first = _ops.argmax(_ops.cast(fits, "int64"), 0, keepdims=True)
    taken = _ops.multiply(d, _ops.squeeze(_ops.take_along_axis(v, first, 0), [0]))
    # A draw of one more, times u ** (1 / concentration), where it is below 1.
    lift = _ops.exp(_ops.divide(_ops.log(opened(shape, fixed)), _ops.where(
        small, fixed, _ops.ones_like(fixed))))
    drawn = _ops.where(small, _ops.multiply(taken, lift), taken)
    # Many draws of small concentrations are below what the dtype holds.
    smallest = _SMALLEST.get(drawn.dtype, 2.0**-126)
    drawn = _ops.maximum(drawn, _ops.full([], smallest, drawn.dtype))
    return _Drawn.apply(common(concentration, drawn), drawn)


class _Drawn(Function):
    """A draw, whose gradient is how it moves with its concentration where the
    probability of less stays the same (Figurnov and others, 2018)."""

    @staticmethod
    def forward(ctx, concentration, drawn):
        ctx.save_for_backward(concentration, drawn)
        return _ops.assign(drawn)

    @staticmethod
    def backward(ctx, grad):
        concentration, drawn = ctx.saved_tensors
        moved = gamma_slope(concentration, drawn)
        wide = _ops.multiply(_ops.cast(grad, "float64"), moved)
        return _ops.cast(wide, concentration.dtype), None


def gamma_slope(concentration, drawn):
    """How a draw of Gamma(concentration, 1) moves with the concentration, float64.

    dx/da = -dF/da / f, where dF/da is the integral of f(t) (log t - digamma(a)) over
    t below x, and its negative that over t above. With t = x exp(-u) below and
    x exp(u) above, the integrand falls from f(x), never rises, and is summed
    on the side that has less of the probability.
    """
    nodes, weights = _rule(48 if drawn.dtype == "float64" else 24)
    a, x = _ops.cast(concentration, "float64"), _ops.cast(drawn, "float64")
    below = _ops.less_equal(x, a)
    sign = _ops.where(below, _ops.full([], -1.0, "float64"),
                      _ops.full([], 1.0, "float64"))
    end = _ops.where(below, _end_below(a, x), _end_above(a, x))
    scale, start = sign * end, _ops.log(x) - _ops.digamma(a)
    rank, total = len(x.shape), 0.0
    for begin in range(0, len(nodes), 8):  # Few at a time need less memory.
        t, w = (_core.tensor(part[begin:begin + 8].reshape([-1] + [1] * rank))
                for part in (nodes, weights))
        u = t * scale  # Below 0 where the draw is below its concentration.
        height = _ops.exp(a * u - x * _ops.expm1(u))
        total = total + _ops.sum(w * height * (start + u), 0)
    return x * scale * total


def _end_below(a, x):
    """From where on a u + x (exp(-u) - 1) is above 38."""
    far, apart = (x + _FAR) / a, a - x
    near = 2.0 * _FAR / (apart + _ops.sqrt(_ops.square(apart) + x * (4.0 * _FAR / 3.0)))
    near_holds = _ops.logical_and(near <= 1.0, near < far)
    return _ops.where(near_holds, near, far)


def _end_above(a, x):
    """From where on x (exp(u) - 1) - a u is above 38."""
    apart = x - a
    near = 2.0 * _FAR / (apart + _ops.sqrt(_ops.square(apart) + x * (2.0 * _FAR)))
    far = _ops.maximum(_ops.log(4.0 * _FAR / x), _ops.full([], 1.0, "float64"))
    return _ops.minimum(near, far)


_rules: dict = {}


def _rule(count):
    """Nodes and weights over [0, 1]: Gauss's of t, for functions of t ** 2, so that
    they are close together at 0."""
    if count not in _rules:
        nodes, weights = np.polynomial.legendre.leggauss(count)
        half = (nodes + 1.0) / 2.0
        _rules[count] = np.square(half), weights * half
    return _rules[count]
