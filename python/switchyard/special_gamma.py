# SPDX-License-Identifier: Apache-2.0
"""The gamma function's relatives in ``sy.special``, in float64 inside."""

from __future__ import annotations

import math

import numpy as np

from switchyard import _core
from switchyard.checks import Range, whole
from switchyard.functions.arguments import floating, tensor_of
from switchyard.functions.real_functions import in_float64, mvlgamma

_ops = _core.ops

__all__ = ["multigammaln", "polygamma", "zeta"]

# Beyond, factorials leave the range of float64.
_ORDERS = Range("in [0, 170]", lambda n: 0 <= n <= 170)

# Those of Bernoulli, B(2 k) / (2 k)!.
_BERNOULLI = (1 / 12, -1 / 720, 1 / 30240, -1 / 1209600, 1 / 47900160,
              -691 / 1307674368000, 1 / 74724249600)


def _zeta(s, x):
    """The sum of (x + k)^-s by Euler and Maclaurin, after the first terms."""
    terms = 12
    if type(x) is _core.Tensor:
        least = np.asarray(x.detach().numpy())
        least = least[np.isfinite(least)].min(initial=1.0)
        terms += int(min(max(-least, 0.0), 10000.0))
    minus = _ops.scale(s, -1.0)
    total = _ops.zeros_like(_ops.add(s, x))
    for k in range(terms):
        total = _ops.add(total, _ops.elementwise_pow(_ops.add(x, float(k)), minus))
    end = _ops.add(x, float(terms))
    power = _ops.elementwise_pow(end, minus)
    tail = _ops.add(_ops.divide(_ops.multiply(power, end), _ops.subtract(s, 1.0)),
                    _ops.multiply(power, 0.5))
    rising, power = s, _ops.divide(power, end)
    for i, b in enumerate(_BERNOULLI):
        tail = _ops.add(tail, _ops.multiply(_ops.multiply(rising, power), b))
        rising = _ops.multiply(_ops.multiply(rising, _ops.add(s, 2.0 * i + 1.0)),
                               _ops.add(s, 2.0 * i + 2.0))
        power = _ops.divide(power, _ops.square(end))
    return _at_the_edges(_ops.add(total, tail), s, x)


def _at_the_edges(found, s, x):
    """Infinite at s = 1 and at the poles, NaN for s < 1 and where a negative
    number has no power."""
    nan = _ops.full_like(found, math.nan)
    endless = _ops.full_like(found, math.inf)
    whole_x = _ops.logical_and(_ops.equal(x, _ops.floor(x)),
                               _ops.less_equal(x, 0.0))
    fraction = _ops.logical_and(_ops.less_than(x, 0.0),
                                _ops.not_equal(s, _ops.floor(s)))
    found = _ops.where(fraction, nan, found)
    found = _ops.where(whole_x, endless, found)
    found = _ops.where(_ops.less_than(s, 1.0), nan, found)
    return _ops.where(_ops.equal(s, 1.0), endless, found)


def zeta(x, q):
    """Hurwitz's zeta function: the sum of (q + k)^-x over k from 0."""
    return in_float64(_zeta, x, q)


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
    """The logarithm of the multivariate gamma function: ``mvlgamma``."""
    return mvlgamma(x, p)
