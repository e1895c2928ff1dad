# SPDX-License-Identifier: Apache-2.0
"""Bessel's functions of NumPy's float64 arrays: by their series near 0, by their
integrals, and far from 0 by their expansions."""

from __future__ import annotations

import functools
import math

import numpy as np

_FAR = 25.0  # From here on expansions have the digits of float64.
_NEAR = 2.0  # Up to here series do.
_EULER = 0.5772156649015329


def _nodes(count, end):
    """Gauss' nodes and weights on [0, end]."""
    places, weights = np.polynomial.legendre.leggauss(count)
    return (places + 1) * (end / 2), weights * (end / 2)


def _expanded(order, x, of_sine):
    """J or Y far from 0, by Hankel's expansion."""
    p, q, term = np.ones_like(x), np.zeros_like(x), np.ones_like(x)
    for k in range(1, 16):
        term = term * (4 * order**2 - (2 * k - 1)**2) / (k * 8 * x)
        sign = 1 if k % 4 in (0, 1) else -1
        if k % 2:
            q = q + sign * term
        else:
            p = p + sign * term
    # The angle is x - pi / 4 or x - 3 pi / 4, which x may not hold.
    sine, cosine = np.sin(x), np.cos(x)
    sine, cosine = (sine - cosine, sine + cosine) if order == 0 else (
        -sine - cosine, sine - cosine)
    wave = p * sine + q * cosine if of_sine else p * cosine - q * sine
    return np.sqrt(1 / (math.pi * x)) * wave


def _over(x, function):
    """The sums of function(x, node) * weight, of pieces that fit into caches."""
    flat = x.reshape(-1)
    parts = [function(part[:, None]) for part in np.array_split(
        flat, max(1, flat.size // 4096))]
    return np.concatenate(parts).reshape(x.shape)


def _series(order, x, factor):
    """The sum of factor(k) (-x^2 / 4)^k / (k! (k + order)!), times (x / 2)^order."""
    term, total = (x / 2)**order, 0.0
    square = x * x / -4
    for k in range(16):
        total = total + factor(k) * term
        term = term * square / ((k + 1) * (k + 1 + order))
    return total


def _j(order, x):
    size = np.abs(x)
    near = np.where(size < _FAR, size, 0.0)
    t, w = _nodes(64, math.pi)
    found = _over(near, lambda v: np.cos(order * t - v * np.sin(t)) @ w) / math.pi
    found = np.where(size < _FAR, found,
                     _expanded(order, np.maximum(size, _FAR), False))
    found = np.where(size < _NEAR, _series(order, np.minimum(size, _NEAR),
                                           lambda k: 1.0), found)
    found = np.where(np.isinf(size), 0.0, found)
    return np.where(np.isnan(x), x, found * np.sign(x)**order)


def _harmonic(k):
    return sum(1 / n for n in range(1, k + 1))


def _y_near(order, x):
    """Y by its series: 2 / pi log(x / 2) J less a series like that of J."""
    def factor(k):
        last = k + 1 if order else k
        return _EULER - (_harmonic(k) + _harmonic(last)) / 2
    found = np.log(x / 2) * _series(order, x, lambda k: 1.0) + (
        _series(order, x, factor))
    return 2 / math.pi * (found - (1 / x if order else 0.0))


def _y(order, x):
    inside = (x >= _NEAR) & (x < _FAR)
    near = np.where(inside, x, _NEAR)
    t, w = _nodes(64, math.pi)
    found = _over(near, lambda v: np.sin(v * np.sin(t) - order * t) @ w)
    s, u = _nodes(128, 1.0)

    def tail(v):
        end = np.arcsinh(700.0 / v)
        at = end * s
        weight = np.exp(order * at) + (-1)**order * np.exp(-order * at)
        return (end * weight * np.exp(-v * np.sinh(at))) @ u
    found = (found - _over(near, tail)) / math.pi
    found = np.where(inside, found, _expanded(order, np.maximum(x, _FAR), True))
    small = (x > 0) & (x < _NEAR)
    found = np.where(small, _y_near(order, np.where(small, x, 1.0)), found)
    found = np.where(x == 0, -np.inf, np.where(np.isposinf(x), 0.0, found))
    return np.where((x < 0) | np.isnan(x), np.nan, found)


def _over_steps(x, factor):
    """The integral of exp(-x (cosh t - 1)) factor(t, cosh t - 1) over t from 0, by
    steps; infinite at 0."""
    plain = (x > 0) & np.isfinite(x)
    near = np.where(plain, x, 1.0)
    steps = np.arange(400)

    def sums(v):
        end = 2 * np.arcsinh(np.sqrt(372.5 / v))
        t = end / 400 * steps
        above = 2 * np.sinh(t / 2)**2
        terms = np.exp(-v * above) * factor(t, above)
        return (terms.sum(1) - terms[:, 0] / 2) * (end[:, 0] / 400)
    found = np.where(plain, _over(near, sums), 0.0)
    found = np.where(x == 0, np.inf, found)
    return np.where((x < 0) | np.isnan(x), np.nan, found)


def _scaled_k(order, x):
    """exp(x) K(x)."""
    return _over_steps(x, lambda t, above: np.cosh(order * t))


def gap_of_scaled_k(x):
    """exp(x) times the function of order 1 less that of order 0."""
    return _over_steps(x, lambda t, above: above)


def bessel_j0(x):
    """Bessel's function of the first kind of order 0."""
    return _j(0, x)


def bessel_j1(x):
    """Bessel's function of the first kind of order 1."""
    return _j(1, x)


def bessel_y0(x):
    """Bessel's function of the second kind of order 0."""
    return _y(0, x)


def bessel_y1(x):
    """Bessel's function of the second kind of order 1."""
    return _y(1, x)


def modified_bessel_k0(x):
    """The modified Bessel function of the second kind of order 0."""
    return np.exp(-x) * _scaled_k(0, x)


def modified_bessel_k1(x):
    """The modified Bessel function of the second kind of order 1."""
    return np.exp(-x) * _scaled_k(1, x)


def scaled_modified_bessel_k0(x):
    """exp(x) times ``modified_bessel_k0``."""
    return _scaled_k(0, x)


def scaled_modified_bessel_k1(x):
    """exp(x) times ``modified_bessel_k1``."""
    return _scaled_k(1, x)


def _airy_series(x):
    """Airy's function and its slope near 0."""
    f = g = of_f = of_g = 0.0
    a, b = np.ones_like(x), x.copy()
    c, d = x * x / 2, np.ones_like(x)
    cube = x**3
    for k in range(1, 60):
        f, g = f + a, g + b
        of_f, of_g = of_f + c, of_g + d
        a = a * cube / ((3 * k - 1) * (3 * k))
        b = b * cube / ((3 * k) * (3 * k + 1))
        c = c * cube / ((3 * k) * (3 * k + 2))
        d = d * cube / ((3 * k) * (3 * k - 2))
    first, second = 0.355028053887817239, 0.258819403792806798
    return first * f - second * g, first * of_f - second * of_g


@functools.cache
def _pi(bits):
    """pi times 2 to the power ``bits``, by Machin."""
    def inverse_tangent(n):
        power = (1 << bits + 16) // n
        total, k = power, 1
        while power:
            power //= -n * n
            k += 2
            total += power // k
        return total
    return (16 * inverse_tangent(5) - 4 * inverse_tangent(239)) >> 16


def _phase(z):
    """2 / 3 z^1.5 without whole turns, of one number: a product of floats has no
    digits of the turn from some 1e10 on."""
    if not math.isfinite(z):
        return math.nan
    mantissa, exponent = math.frexp(z)
    whole, power = int(mantissa * 2**53), exponent - 53
    bits = 64 + max(0, 2 * exponent)
    square = whole**3
    shift = 3 * power + 2 * bits
    found = math.isqrt(square << shift if shift >= 0 else square >> -shift) * 2 // 3
    return found % (2 * _pi(bits)) / (1 << bits)


def _far_phase(z):
    """_phase of arrays."""
    found = np.array(2 / 3 * z**1.5)
    large = np.asarray(z > 1e4)
    if large.any():
        found[large] = [_phase(each) for each in np.asarray(z)[large].tolist()]
    return found


def _airy_wave(z):
    """Airy's function and its slope at -z, far from 0."""
    far = 2 / 3 * z**1.5
    parts = [[1.0, 0.0], [1.0, 0.0]]
    term = 1.0
    for k in range(1, 12):
        term = term * (6 * k - 5) * (6 * k - 3) * (6 * k - 1) / (
            216 * k * (2 * k - 1) * far)
        sign = 1 if k % 4 in (0, 1) else -1
        parts[0][k % 2] = parts[0][k % 2] + sign * term
        parts[1][k % 2] = parts[1][k % 2] + sign * term * (6 * k + 1) / (1 - 6 * k)
    phase = _far_phase(z)
    sine, cosine = np.sin(phase), np.cos(phase)
    sine, cosine = sine - cosine, sine + cosine
    (p, q), (r, s) = parts
    root = z**0.25
    size = math.sqrt(2 * math.pi)
    return (p * cosine + q * sine) / (size * root), (
        (r * sine - s * cosine) * root / size)


def _airy(x, which):
    """Airy's function, or its slope, in three parts."""
    right = np.where(x > 0.5, np.minimum(x, 1e4), 1.0)
    zeta = 2 / 3 * right**1.5
    if which == 0:
        found = np.sqrt(right / 3) / math.pi * _scaled_k(1 / 3, zeta)
    else:
        found = right / (-math.sqrt(3) * math.pi) * _scaled_k(2 / 3, zeta)
    found = found * np.exp(-zeta)
    wave = _airy_wave(np.maximum(-x, 7.0))[which]
    middle = _airy_series(np.clip(x, -7.0, 0.5))[which]
    found = np.where(x > 0.5, found, np.where(x < -7.0, wave, middle))
    return np.where(np.isnan(x), x, np.where(x == np.inf, 0.0, found))


def airy_ai(x):
    """Airy's function Ai."""
    return np.where(x == -np.inf, 0.0, _airy(x, 0))


def slope_of_airy_ai(x):
    """The derivative of ``airy_ai``, which has no limit at -infinity."""
    return _airy(x, 1)
