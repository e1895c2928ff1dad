# SPDX-License-Identifier: Apache-2.0
"""The regularized incomplete gamma functions of ``sy.special``, in float64: by the
series below a + 1, by the continued fraction above, by the integral for large a.
NumPy computes them, so programs do not have them; the gradient by x is made of
operators, by a there is none."""

from __future__ import annotations

import math

import numpy as np

from switchyard import _core
from switchyard.function import Function
from switchyard.functions.arguments import floating, tensor_of
from switchyard.functions.data_types import result_type

_ops = _core.ops

__all__ = ["gammainc", "gammaincc"]

# Coefficients of 1 / a, 1 / a^3, ... in log Gamma(a) less Stirling's formula.
_STIRLING = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360)
_LARGE, _SMALL = 50.0, 0.1  # Values of a: of the integral, of the expansion at 0.
_log_gamma = np.vectorize(math.lgamma, otypes=[np.float64])


def _zeta(k):
    """The sum of n^-k, with Euler's terms for the rest from 100 on."""
    rest = 100.0**(1 - k) / (k - 1) + 100.0**-k / 2 + k * 100.0**(-k - 1) / 12
    rest -= k * (k + 1) * (k + 2) * 100.0**(-k - 3) / 720
    return math.fsum(n**-k for n in range(1, 100)) + rest


# Coefficients of log Gamma(1 + a) in powers of a.
_LOG_GAMMA = (-0.5772156649015329, *((-1)**k * _zeta(k) / k for k in range(2, 18)))


def _series(a, x):
    """The lower function divided by x^a exp(-x) / Gamma(a + 1)."""
    term, total, n = np.ones_like(x), np.ones_like(x), a.copy()
    while np.any(term > total * 1e-17):
        n += 1
        term = term * (x / n)
        total += term
    return total


def _fraction(a, x):
    """The upper function divided by x^a exp(-x) / Gamma(a), by Lentz's recurrence; x
    is above a + 1."""
    tiny = 1e-300
    b = x + 1 - a
    c, d = np.full_like(x, 1 / tiny), 1 / b
    found, i, step = d, 0, 0.0
    while np.any(np.abs(step - 1) > 1e-16) and i < 1000:
        i += 1
        term, b = -i * (i - a), b + 2
        d, c = term * d + b, b + term / c
        d, c = 1 / np.where(d == 0, tiny, d), np.where(c == 0, tiny, c)
        step = d * c
        found = found * step
    return found


def _ordinary(a, x):
    """(lower, upper) for a up to _LARGE."""
    factor = np.exp(a * np.log(x) - x - _log_gamma(a + 1))
    below = x < a + 1
    low = factor * _series(np.where(below, a, 1.0), np.where(below, x, 0.5))
    high = factor * a * _fraction(np.where(below, 1.0, a), np.where(below, 3.0, x))
    low, high = np.where(below, low, 1 - high), np.where(below, 1 - low, high)
    # 1 - low has lost the digits of a where that is small.
    small = below & (a < _SMALL)
    at, y = np.where(small, a, 0.05), np.where(small, x, 1.0)
    log = at * np.log(y) - sum(c * at**(i + 1) for i, c in enumerate(_LOG_GAMMA))
    rest = sum((-y)**n / ((at + n) * math.factorial(n)) for n in range(1, 25))
    return low, np.where(small, -np.expm1(log) - np.exp(log) * at * rest, high)


def _log_less(u):
    """log(1 + u) - u, without a difference where u is small."""
    small = np.abs(u) < 0.2
    v = np.where(small, u, 0.0)
    r = v / (2 + v)
    y = r * r
    found = r * (2 * y * sum(y**i / (2 * i + 3) for i in range(9)) - v)
    return np.where(small, found, np.log1p(u) - u)


def _integrals(a, x):
    """(lower, upper) for a from _LARGE, by the integral in u = t / a - 1 from x to
    where nothing is left."""
    nodes, weights = np.polynomial.legendre.leggauss(128)
    first, width = (x - a) / a, 1 / np.sqrt(a)
    right = first > 0
    last = np.where(right, np.maximum(first + 9 * width, 14 * width),
                    np.maximum(np.minimum(first - 7 * width, -10 * width), -1.0))
    half = (last - first) / 2
    u = first[:, None] + half[:, None] * (nodes + 1)
    values = np.exp(a[:, None] * _log_less(u)) / np.maximum(1 + u, 1e-300)
    rest = sum(c * a ** (-1.0 - 2 * i) for i, c in enumerate(_STIRLING))
    found = np.abs(half) * (values @ weights) * np.sqrt(a / (2 * math.pi)) * np.exp(-rest)
    return np.where(right, 1 - found, found), np.where(right, found, 1 - found)


def _both(a, x):
    """(lower, upper) of float64 arrays of one shape."""
    # At the ends: nothing of x = 0, all of x without end and of a = 0.
    whole = ((x > 0) & (a == 0)) | (np.isposinf(x) & np.isfinite(a) & (a >= 0))
    none = ((x == 0) & (a > 0)) | (np.isposinf(a) & np.isfinite(x) & (x >= 0))
    low = np.where(whole, 1.0, np.where(none, 0.0, np.nan))
    high = np.where(whole, 0.0, np.where(none, 1.0, np.nan))
    plain = (a > 0) & (x > 0) & np.isfinite(a) & np.isfinite(x)
    for function, chosen in ((_ordinary, plain & (a < _LARGE)),
                             (_integrals, plain & (a >= _LARGE))):
        inside, at = a[chosen], x[chosen]
        parts = [function(inside[i:i + 4096], at[i:i + 4096])
                 for i in range(0, inside.size, 4096)]
        for result, number in ((low, 0), (high, 1)):
            if parts:
                result[chosen] = np.concatenate([part[number] for part in parts])
    return low, high


class _Incomplete(Function):
    """One of the two, with its gradient by x."""

    @staticmethod
    def forward(ctx, a, x, upper):
        ctx.save_for_backward(a, x)
        ctx.sign, dtype, place = -1.0 if upper else 1.0, x.dtype, str(x.place)
        given = (np.asarray(each.detach().numpy(), np.float64) for each in (a, x))
        with np.errstate(all="ignore"):
            a, x = np.broadcast_arrays(*given)
            found = _both(np.atleast_1d(a), np.atleast_1d(x))[int(upper)]
            found = found.reshape(a.shape)
        made = _core.tensor(found, dtype)
        return made if place == "cpu" else made.to(place)

    @staticmethod
    def backward(ctx, grad):
        a, x = ctx.saved_tensors
        if a.requires_grad:
            raise NotImplementedError("gammainc: a must need no gradient, which there "
                                      "is by x alone")
        log = _ops.subtract(_ops.multiply(_ops.subtract(a, 1.0), _ops.log(x)),
                            _ops.add(x, _ops.lgamma(a)))
        slope = _ops.multiply(grad, _ops.scale(_ops.exp(log), ctx.sign))
        axes = list(range(len(slope.shape) - len(x.shape)))
        slope = _ops.sum(slope, axes) if axes else slope
        axes = [i for i, extent in enumerate(x.shape) if extent != slope.shape[i]]
        return None, _ops.sum(slope, axes, None, True) if axes else slope, None


def _applied(name, a, x, upper):
    a, x = floating(tensor_of(a)), floating(tensor_of(x))
    if not all(type(each) is _core.Tensor for each in (a, x)):
        raise NotImplementedError(f"{name}: a and x must be tensors, got a graph's value: "
                                  "programs do not have it")
    if a.dtype.startswith("complex") or x.dtype.startswith("complex"):
        raise TypeError(f"{name}: a and x must be real, got {a.dtype} and {x.dtype}")
    if a.dtype != x.dtype:
        dtype = result_type(a, x)
        a, x = (each if each.dtype == dtype else _ops.cast(each, dtype)
                for each in (a, x))
    return _Incomplete.apply(a, x, upper)


def gammainc(a, x):
    """The regularized lower incomplete gamma function: the integral of t^(a-1)
    exp(-t) from 0 to x, divided by Gamma(a). NaN for a or x below 0."""
    return _applied("gammainc", a, x, False)


def gammaincc(a, x):
    """The regularized upper incomplete gamma function: 1 - ``gammainc``, but right
    where that is near 0."""
    return _applied("gammaincc", a, x, True)
