# SPDX-License-Identifier: Apache-2.0
"""Bessel's functions of ``sy.special``, by their integrals and, far from 0, by
their expansions, in float64. Gradients are found by the other order; Airy's
function has none."""

from __future__ import annotations

import math

import numpy as np

from switchyard import _core
from switchyard.checks import public_call, refuse
from switchyard.functions.arguments import floating, tensor_of
from switchyard.functions.real_functions import in_float64
from switchyard.functions.sloped import recorded

_ops = _core.ops

__all__ = ["airy_ai", "bessel_j0", "bessel_j1", "bessel_y0", "bessel_y1",
           "modified_bessel_i0", "modified_bessel_i1", "modified_bessel_k0",
           "modified_bessel_k1", "scaled_modified_bessel_k0",
           "scaled_modified_bessel_k1", "spherical_bessel_j0"]

_FAR = 25.0  # From here on expansions have the digits of float64.


def _nodes(count, end):
    """Gauss' nodes and weights on [0, end]."""
    places, weights = np.polynomial.legendre.leggauss(count)
    return (places + 1) * (end / 2), weights * (end / 2)


def _by_numpy(function, slope=None):
    """A function of NumPy's float64 arrays as one of tensors, with the derivative
    ``slope``; without, it is not recorded."""
    def call(x):
        x = floating(x)
        if slope is not None and getattr(x, "requires_grad", False):
            return recorded(call, slope, x)
        if type(x) is not _core.Tensor:
            raise NotImplementedError(f"{function.__name__.strip('_')}: x must be a "
                                      "tensor, got a graph's value")
        with np.errstate(all="ignore"):
            if x.dtype.startswith("complex"):
                refuse(*public_call(x), "real", x.dtype)
            values = function(np.asarray(x.detach().numpy(), np.float64))
        made = _core.tensor(np.asarray(values), x.dtype)
        return made if str(x.place) == "cpu" else made.to(x.place)
    call.__name__ = call.__qualname__ = function.__name__.strip("_")
    call.__doc__ = function.__doc__
    return call


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
    angle = x - (order / 2 + 0.25) * math.pi
    wave = p * np.sin(angle) + q * np.cos(angle) if of_sine else (
        p * np.cos(angle) - q * np.sin(angle))
    return np.sqrt(2 / (math.pi * x)) * wave


def _over(x, function):
    """The sums of function(x, node) * weight, of pieces that fit into caches."""
    flat = x.reshape(-1)
    parts = [function(part[:, None]) for part in np.array_split(
        flat, max(1, flat.size // 4096))]
    return np.concatenate(parts).reshape(x.shape)


def _j(order, x):
    size = np.abs(x)
    near = np.where(size < _FAR, size, 0.0)
    t, w = _nodes(64, math.pi)
    found = _over(near, lambda v: np.cos(order * t - v * np.sin(t)) @ w) / math.pi
    found = np.where(size < _FAR, found,
                     _expanded(order, np.maximum(size, _FAR), False))
    found = np.where(np.isinf(size), 0.0, found)
    return np.where(np.isnan(x), x, found * np.sign(x)**order)


def _y(order, x):
    inside = (x > 0) & (x < _FAR)
    near = np.where(inside, x, 1.0)
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
    found = np.where(x == 0, -np.inf, np.where(np.isposinf(x), 0.0, found))
    return np.where((x < 0) | np.isnan(x), np.nan, found)


def _scaled_k(order, x):
    """exp(x) K(x), by the integral of exp(-x (cosh t - 1)) cosh(order t)."""
    plain = (x > 0) & np.isfinite(x)
    near = np.where(plain, x, 1.0)
    steps = np.arange(400)

    def sums(v):
        end = np.arccosh(1 + 745.0 / v)
        t = end / 400 * steps
        terms = np.exp(-v * (np.cosh(t) - 1)) * np.cosh(order * t)
        return (terms.sum(1) - 0.5) * (end[:, 0] / 400)
    found = np.where(plain, _over(near, sums), 0.0)
    found = np.where(x == 0, np.inf, found)
    return np.where((x < 0) | np.isnan(x), np.nan, found)


def _bessel_j0(x):
    """Bessel's function of the first kind of order 0."""
    return _j(0, x)


def _bessel_j1(x):
    """Bessel's function of the first kind of order 1."""
    return _j(1, x)


def _bessel_y0(x):
    """Bessel's function of the second kind of order 0."""
    return _y(0, x)


def _bessel_y1(x):
    """Bessel's function of the second kind of order 1."""
    return _y(1, x)


def _modified_bessel_k0(x):
    """The modified Bessel function of the second kind of order 0."""
    return np.exp(-x) * _scaled_k(0, x)


def _modified_bessel_k1(x):
    """The modified Bessel function of the second kind of order 1."""
    return np.exp(-x) * _scaled_k(1, x)


def _scaled_modified_bessel_k0(x):
    """exp(x) times ``modified_bessel_k0``."""
    return _scaled_k(0, x)


def _scaled_modified_bessel_k1(x):
    """exp(x) times ``modified_bessel_k1``."""
    return _scaled_k(1, x)


def _airy_series(x):
    f = g = 0.0
    a, b = np.ones_like(x), x.copy()
    for k in range(1, 60):
        f, g = f + a, g + b
        a = a * x**3 / ((3 * k - 1) * (3 * k))
        b = b * x**3 / ((3 * k) * (3 * k + 1))
    return 0.355028053887817239 * f - 0.258819403792806798 * g


def _airy_ai(x):
    """Airy's function Ai."""
    right = np.maximum(x, 0.5)
    zeta = 2 / 3 * right**1.5
    found = np.sqrt(right / 3) / math.pi * np.exp(-zeta) * _scaled_k(1 / 3, zeta)
    left = np.maximum(-x, 7.0)
    far = 2 / 3 * left**1.5
    p, q, term = 1.0, 0.0, 1.0
    for k in range(1, 12):
        term = term * (6 * k - 5) * (6 * k - 3) * (6 * k - 1) / (
            216 * k * (2 * k - 1) * far)
        sign = 1 if k % 4 in (0, 1) else -1
        p, q = (p, q + sign * term) if k % 2 else (p + sign * term, q)
    angle = far - math.pi / 4
    wave = (p * np.cos(angle) + q * np.sin(angle)) / (
        math.sqrt(math.pi) * left**0.25)
    middle = _airy_series(np.clip(x, -7.0, 0.5))
    found = np.where(x > 0.5, found, np.where(x < -7.0, wave, middle))
    return np.where(np.isnan(x), x, np.where(np.isinf(x), 0.0, found))


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


bessel_j0 = _by_numpy(_bessel_j0, _opposite(lambda x: bessel_j1(x)))
bessel_j1 = _by_numpy(_bessel_j1, _by_order(
    lambda x: bessel_j0(x), lambda x: bessel_j1(x), 0.5))
bessel_y0 = _by_numpy(_bessel_y0, _opposite(lambda x: bessel_y1(x)))
bessel_y1 = _by_numpy(_bessel_y1, _by_order(
    lambda x: bessel_y0(x), lambda x: bessel_y1(x), math.inf))
modified_bessel_k0 = _by_numpy(_modified_bessel_k0,
                               _opposite(lambda x: modified_bessel_k1(x)))
modified_bessel_k1 = _by_numpy(_modified_bessel_k1, _by_order(
    _opposite(modified_bessel_k0), lambda x: modified_bessel_k1(x), -math.inf))


def _gap_of_scaled(x):
    """The first order less the other one."""
    return _ops.subtract(scaled_modified_bessel_k1(x), scaled_modified_bessel_k0(x))


scaled_modified_bessel_k0 = _by_numpy(_scaled_modified_bessel_k0,
                                      _opposite(_gap_of_scaled))
scaled_modified_bessel_k1 = _by_numpy(_scaled_modified_bessel_k1, _by_order(
    _gap_of_scaled, lambda x: scaled_modified_bessel_k1(x), -math.inf))
airy_ai = _by_numpy(_airy_ai)


def modified_bessel_i0(x):
    """The modified Bessel function of the first kind of order 0: ``i0``."""
    return _ops.i0(x)


def modified_bessel_i1(x):
    """The modified Bessel function of the first kind of order 1: ``i1``."""
    return _ops.i1(x)


def _spherical(x):
    none = _ops.equal(x, 0.0)
    inside = _ops.where(none, _ops.ones_like(x), x)
    found = _ops.where(none, _ops.ones_like(x),
                       _ops.divide(_ops.sin(inside), inside))
    return _ops.where(_ops.isinf(x), _ops.zeros_like(x), found)


def spherical_bessel_j0(x):
    """sin(x) / x, 1 at 0."""
    return in_float64(_spherical, tensor_of(x))
