# SPDX-License-Identifier: Apache-2.0
"""Orthogonal polynomials of ``sy.special``: of x, of the degree n, both tensors
or numbers; by their recurrences, in float64. Degrees above 4096 are an error, and
NaN in a program that computes the degrees. A derivative has the recurrence of its
own, so that it is infinite, not NaN, where the polynomial is."""

from __future__ import annotations

import numpy as np

from switchyard import _core
from switchyard.functions.arguments import WHOLE, common_shape
from switchyard.functions.promotion import cast, common, operand
from switchyard.functions.real_functions import times_power_of_2
from switchyard.functions.sloped import sloped

_ops = _core.ops

__all__ = ["chebyshev_polynomial_t", "chebyshev_polynomial_u",
           "chebyshev_polynomial_v", "chebyshev_polynomial_w",
           "hermite_polynomial_h", "hermite_polynomial_he",
           "laguerre_polynomial_l", "legendre_polynomial_p",
           "shifted_chebyshev_polynomial_t", "shifted_chebyshev_polynomial_u",
           "shifted_chebyshev_polynomial_v", "shifted_chebyshev_polynomial_w"]

_MOST = 4096  # Degrees; each is a step.
_SCALED = 30  # From this degree on, steps may leave float64's range near 0.
_LARGE = 2.0**30  # From here on the last polynomial but one is lost beside the last.
_UNIT = 400  # The power of 2 by which what is too large is divided.


def _polynomials(name, x, n, first, step, shift=False):
    """The polynomial of each degree n at x; 0 where n is negative. The first is
    a x + b with (a, b) = ``first``, the next (a x + b) p - c q with (a, b, c) =
    step(k) of the last two, p and q. ``shift`` takes 2 x - 1 for x."""
    both = [operand(x), operand(n)]
    dtype = common(*both)
    if dtype.startswith("complex"):
        raise TypeError(f"{name}: x and n must be real, got {dtype}")
    dtype = "float32" if dtype in WHOLE else dtype
    x, degrees = (cast(each, "float64") for each in both)
    if isinstance(n, float) and not n.is_integer():
        raise ValueError(f"{name}: n must be a whole number, got {n}")
    shape = common_shape(name, "n", x.shape, degrees.shape)
    x = _ops.expand(_ops.scale(x, 2.0, -1.0) if shift else x, shape)
    degrees = _ops.expand(_ops.trunc(degrees.detach()), shape)
    largest = None
    if type(degrees) is _core.Tensor:
        largest = int(np.nanmax(degrees.numpy(), initial=0))
        if largest > _MOST:
            raise ValueError(f"{name}: n must be at most {_MOST}, got {largest}")
    return _ops.cast(_derivative(0, degrees, largest, first, step)(x), dtype)


def _derivative(order, degrees, largest, first, step):
    """The function of x that is the polynomials' derivative of an order."""
    def value(x):
        return _values(order, x, degrees, largest, first, step)

    def slope(x):
        if type(x) is _core.Value:
            # A trace takes each gradient at once, without an end: those of this one
            # go through its operators.
            return _values(order + 1, x, degrees, largest, first, step)
        return _derivative(order + 1, degrees, largest, first, step)(x)
    return lambda x: sloped(value, slope, x)


def _values(order, x, degrees, largest, first, step):
    """The derivatives; ``largest`` is the largest degree, None where a program finds
    it: its loop goes on until each degree has been met, and NaN is what is beyond
    the degrees that are computed."""
    zero, one = _ops.zeros_like(x), _ops.ones_like(x)
    # The polynomial and its derivatives, of the last degree and of the one before.
    before = [one] + [zero] * order
    now = ([_line(x, first)] + [_ops.multiply(one, float(first[0]))] + [zero] * order)[
        :order + 1]
    found = _ops.where(_ops.equal(degrees, 0.0), before[order], zero)
    found = _ops.where(_ops.equal(degrees, 1.0), now[order], found)
    if largest is None:
        return _looped(x, degrees, found, before, now, step)
    near = _ops.less_than(_ops.abs(x), _LARGE)
    times = power = zero
    for k in range(1, largest):
        before, now = _next(x, near, before, now, k, step(k))
        if largest >= _SCALED and k % 4 == 0:
            before, now, times = _divided(before, now, times, near)
        here = _ops.equal(degrees, float(k + 1))
        found = _ops.where(here, now[order], found)
        if largest >= _SCALED:
            power = _ops.where(here, times, power)
    return times_power_of_2(found, power) if largest >= _SCALED else found


def _looped(x, degrees, found, before, now, step):
    """``_values`` by a loop of a program, from the second degree on."""
    from switchyard.static import while_loop
    near = _ops.less_than(_ops.abs(x), _LARGE)
    zero = _ops.zeros_like(x)
    half = len(before)

    def unmet(k, *values):
        del values
        return _ops.logical_and(_ops.less_than(k, float(_MOST)),
                                _ops.any(_ops.greater_than(degrees, k)))

    def further(k, found, power, times, *terms):
        before, now = _next(x, near, terms[:half], terms[half:], k, step(k))
        before, now, times = _divided(before, now, times, near)
        k = _ops.scale(k, 1.0, 1.0)
        here = _ops.equal(degrees, k)
        return (k, _ops.where(here, now[-1], found), _ops.where(here, times, power),
                times, *before, *now)
    _, found, power, *_ = while_loop(unmet, further, (
        _ops.full([], 1.0, "float64"), found, zero, zero, *before, *now))
    beyond = _ops.greater_than(degrees, float(_MOST))
    return _ops.where(beyond, _ops.full([], float("nan"), "float64"),
                      times_power_of_2(found, power))


def _next(x, near, before, now, k, factors):
    """The terms of one degree more than ``now``, which is of degree k."""
    a, b, c = factors
    line = _line(x, (a, b))
    after = [_ops.subtract(_ops.multiply(line, p), _ops.multiply(
        _ops.where(near, q, _ops.zeros_like(q)), c)) for p, q in zip(now, before)]
    for m in range(1, len(now)):
        after[m] = _ops.add(after[m], _ops.multiply(now[m - 1], m * a))
    return now, after


def _line(x, factors):
    """a x + b; the factors of a step of a loop are values."""
    a, b = factors
    if type(a) is type(b) is float:
        return _ops.scale(x, a, b)
    return _ops.add(_ops.multiply(x, a), b)


def _divided(before, now, times, near):
    """The terms of numbers near 0, divided by a power of 2 where they are large, and
    how many powers that makes."""
    size = _ops.zeros_like(times)
    for term in (*before, *now):
        size = _ops.maximum(size, _ops.abs(term))
    large = _ops.logical_and(near, _ops.greater_than(size, 2.0**_UNIT))
    factor = _ops.where(large, _ops.full_like(size, 2.0**-_UNIT), _ops.ones_like(size))
    before, now = ([_ops.multiply(term, factor) for term in terms]
                   for terms in (before, now))
    return before, now, _ops.where(large, _ops.add(times, float(_UNIT)), times)


def _twice(k):
    del k
    return 2.0, 0.0, 1.0


def chebyshev_polynomial_t(x, n):
    """Chebyshev's polynomials of the first kind."""
    return _polynomials("chebyshev_polynomial_t", x, n, (1.0, 0.0), _twice)


def chebyshev_polynomial_u(x, n):
    """Chebyshev's polynomials of the second kind."""
    return _polynomials("chebyshev_polynomial_u", x, n, (2.0, 0.0), _twice)


def chebyshev_polynomial_v(x, n):
    """Chebyshev's polynomials of the third kind."""
    return _polynomials("chebyshev_polynomial_v", x, n, (2.0, -1.0), _twice)


def chebyshev_polynomial_w(x, n):
    """Chebyshev's polynomials of the fourth kind."""
    return _polynomials("chebyshev_polynomial_w", x, n, (2.0, 1.0), _twice)


def shifted_chebyshev_polynomial_t(x, n):
    """``chebyshev_polynomial_t`` of 2 x - 1."""
    return _polynomials("shifted_chebyshev_polynomial_t", x, n, (1.0, 0.0), _twice,
                        shift=True)


def shifted_chebyshev_polynomial_u(x, n):
    """``chebyshev_polynomial_u`` of 2 x - 1."""
    return _polynomials("shifted_chebyshev_polynomial_u", x, n, (2.0, 0.0), _twice,
                        shift=True)


def shifted_chebyshev_polynomial_v(x, n):
    """``chebyshev_polynomial_v`` of 2 x - 1."""
    return _polynomials("shifted_chebyshev_polynomial_v", x, n, (2.0, -1.0), _twice,
                        shift=True)


def shifted_chebyshev_polynomial_w(x, n):
    """``chebyshev_polynomial_w`` of 2 x - 1."""
    return _polynomials("shifted_chebyshev_polynomial_w", x, n, (2.0, 1.0), _twice,
                        shift=True)


def hermite_polynomial_h(x, n):
    """Hermite's polynomials, the physicists'."""
    return _polynomials("hermite_polynomial_h", x, n, (2.0, 0.0),
                        lambda k: (2.0, 0.0, 2.0 * k))


def hermite_polynomial_he(x, n):
    """Hermite's polynomials, the probabilists'."""
    return _polynomials("hermite_polynomial_he", x, n, (1.0, 0.0),
                        lambda k: (1.0, 0.0, 1.0 * k))


def laguerre_polynomial_l(x, n):
    """Laguerre's polynomials."""
    return _polynomials("laguerre_polynomial_l", x, n, (-1.0, 1.0), lambda k: (
        -1.0 / (k + 1.0), (2.0 * k + 1.0) / (k + 1.0), k / (k + 1.0)))


def legendre_polynomial_p(x, n):
    """Legendre's polynomials."""
    return _polynomials("legendre_polynomial_p", x, n, (1.0, 0.0), lambda k: (
        (2.0 * k + 1.0) / (k + 1.0), 0.0, k / (k + 1.0)))
