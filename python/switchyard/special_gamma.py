# SPDX-License-Identifier: Apache-2.0
"""The gamma function's relatives in ``sy.special``, in float64 inside."""

from __future__ import annotations

import math

import numpy as np

from switchyard import _core
from switchyard.checks import Range, whole
from switchyard.functions.arguments import floating, tensor_of
from switchyard.functions.real_functions import in_float64

_ops = _core.ops

__all__ = ["multigammaln", "polygamma", "zeta"]

_DIMENSIONS = Range("in [1, 4096]", lambda n: 1 <= n <= 4096)

# Beyond, factorials leave the range of float64.
_ORDERS = Range("in [0, 170]", lambda n: 0 <= n <= 170)

# Those of Bernoulli, B(2 k) / (2 k)!.
_BERNOULLI = (1 / 12, -1 / 720, 1 / 30240, -1 / 1209600, 1 / 47900160,
              -691 / 1307674368000, 1 / 74724249600)


def _series(s, x):
    """The sum of (x + k)^-s for x > 0 by Euler and Maclaurin, after the first
    terms."""
    terms = 12
    first = _ops.elementwise_pow(x, _ops.scale(s, -1.0))
    endless = _ops.isinf(first)
    one = _ops.ones_like(first)
    s = _ops.where(endless, _ops.scale(one, 2.0), s)
    x = _ops.where(endless, one, x)
    minus = _ops.scale(s, -1.0)
    total = _ops.zeros_like(first)
    for k in range(terms):
        total = _ops.add(total, _ops.elementwise_pow(_ops.add(x, float(k)), minus))
    end = _ops.add(x, float(terms))
    # The first terms are all where s is large, and those of the rest grow.
    none = _ops.greater_than(s, _ops.clip(_ops.scale(end, 6.0), 0.0, 1e4))
    s = _ops.where(none, _ops.scale(one, 2.0), s)
    minus = _ops.scale(s, -1.0)
    power = _ops.elementwise_pow(end, minus)
    # Not power * end, of which the first may be 0 before the product is.
    tail = _ops.add(_ops.divide(_ops.elementwise_pow(end, _ops.scale(minus, 1.0, 1.0)),
                                _ops.subtract(s, 1.0)),
                    _ops.multiply(power, 0.5))
    rising, power = s, _ops.divide(power, end)
    for i, b in enumerate(_BERNOULLI):
        tail = _ops.add(tail, _ops.multiply(_ops.multiply(rising, power), b))
        rising = _ops.multiply(_ops.multiply(rising, _ops.add(s, 2.0 * i + 1.0)),
                               _ops.add(s, 2.0 * i + 2.0))
        power = _ops.divide(power, _ops.square(end))
    found = _ops.where(none, total, _ops.add(total, tail))
    return _ops.where(endless, first, found)


def _zeta(s, x):
    """Hurwitz's zeta function for s > 1; NaN for s < 1, and where a negative
    number has no power. At its poles it is infinite, as is its slope."""
    one = _ops.ones_like(x)
    above = _ops.logical_and(_ops.greater_than(x, 0.0), _ops.less_than(x, math.inf))
    found = _series(s, _ops.where(above, x, one))
    if not _all_above(x):
        found = _ops.where(above, found, _zeta_elsewhere(s, x))
    nan = _ops.full_like(found, math.nan)
    return _ops.where(_ops.less_than(s, 1.0), nan, found)


def _all_above(x):
    """Whether it can be seen that all elements are positive and finite."""
    if type(x) is not _core.Tensor:
        return False
    values = x.detach().numpy()
    return bool(np.all((values > 0) & (values < math.inf)))


def _zeta_elsewhere(s, x):
    """As _zeta, for x up to 0, at inf (0) and of NaN."""
    one = _ops.ones_like(x)
    whole_x = _ops.equal(x, _ops.floor(x))
    below = _ops.logical_and(_ops.less_than(x, 0.0), _ops.logical_not(whole_x))
    # The terms on both sides of 0: from `rest` on, and from 1 - rest to -x.
    minus = _ops.scale(_ops.where(below, x, _ops.full_like(x, -0.5)), -1.0)
    rest = _ops.subtract(minus, _ops.floor(minus))
    given, s = s, _ops.where(below, s, _ops.full_like(x, 2.0))
    odd = _ops.equal(_ops.remainder(s, _ops.full_like(s, 2.0)), 1.0)

    def signed(v):
        return _ops.where(odd, _ops.scale(v, -1.0), v)
    # The first two cancel at half numbers.
    found = _ops.add(_series(s, _ops.scale(rest, -1.0, 1.0)), signed(_series(s, rest)))
    found = _ops.subtract(found, signed(_series(s, _ops.add(minus, 1.0))))
    nan = _ops.full_like(found, math.nan)
    found = _ops.where(_ops.logical_and(below, _ops.equal(s, _ops.floor(s))),
                       found, nan)
    found = _ops.where(_ops.equal(x, math.inf), _ops.zeros_like(found), found)
    pole = _ops.logical_and(_ops.logical_and(whole_x, _ops.less_equal(x, 0.0)),
                            _ops.greater_than(x, -math.inf))
    gap = _ops.where(pole, _ops.subtract(x, _ops.floor(x)), one)
    return _ops.where(pole, _ops.elementwise_pow(gap, _ops.scale(given, -1.0)), found)


def _zeta_at_1_too(s, x):
    """As _zeta, infinite at s = 1, where the slope by x is that of its terms."""
    at_1 = _ops.equal(s, 1.0)
    rest = _ops.digamma(_ops.where(_ops.logical_and(at_1, _ops.greater_than(x, 0.0)),
                                   x, _ops.ones_like(x)))
    endless = _ops.full_like(rest, math.inf)
    endless = _ops.where(_ops.less_than(rest, math.inf),
                         _ops.subtract(endless, rest), endless)
    others = _zeta(_ops.where(at_1, _ops.full_like(s, 2.0), s), x)
    return _ops.where(at_1, endless, others)


def zeta(x, q):
    """Hurwitz's zeta function: the sum of (q + k)^-x over k from 0."""
    return in_float64(_zeta_at_1_too, x, q)


def polygamma(n: int, x):
    """The n-th derivative of ``digamma``."""
    n, x = whole("polygamma", "n", n, _ORDERS), floating(tensor_of(x))
    if n == 0:
        return _ops.digamma(x)
    factor = (-1.0)**(n + 1) * float(math.factorial(n))

    def slope(v):
        return _ops.multiply(_zeta(_ops.full_like(v, n + 1.0), v), factor)
    return in_float64(slope, x)


def multigammaln(x, p: int):
    """The logarithm of the multivariate gamma function of dimension p:
    ``mvlgamma``."""
    x, p = floating(x), whole("mvlgamma", "p", p, _DIMENSIONS)

    def total(v):
        found = _ops.full_like(v, p * (p - 1) / 4.0 * math.log(math.pi))
        tiny = _ops.less_than(_ops.abs(v), 1e-3)
        for j in range(p):
            there = _ops.subtract(v, j / 2.0)
            if j and j % 2 == 0:  # Near 0 a pole is there, unless by the recurrence.
                there = _ops.where(tiny, _ops.ones_like(v), there)
                found = _ops.where(tiny, _ops.add(found, _lgamma_below(v, j // 2)), found)
            found = _ops.add(found, _ops.lgamma(there))
        return found
    return in_float64(total, x)


def _lgamma_below(x, m):
    """lgamma(x - m) of x near 0."""
    near = _ops.where(_ops.less_than(_ops.abs(x), 1e-3), x, _ops.full_like(x, 1e-3))
    found = _ops.lgamma(near)
    for i in range(1, m + 1):
        found = _ops.subtract(found, _ops.log1p(_ops.scale(near, -1.0 / i)))
    return _ops.add(found, -math.lgamma(m + 1.0))
