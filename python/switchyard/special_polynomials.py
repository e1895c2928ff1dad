# SPDX-License-Identifier: Apache-2.0
"""Orthogonal polynomials of ``sy.special``: of x, of the degree n, both tensors
or numbers; by their recurrences, in float64."""

from __future__ import annotations

import numpy as np

from switchyard import _core
from switchyard.functions.arguments import WHOLE, common_shape, tensor_of
from switchyard.functions.promotion import cast, common, operand

_ops = _core.ops

__all__ = ["chebyshev_polynomial_t", "chebyshev_polynomial_u",
           "chebyshev_polynomial_v", "chebyshev_polynomial_w",
           "hermite_polynomial_h", "hermite_polynomial_he",
           "laguerre_polynomial_l", "legendre_polynomial_p",
           "shifted_chebyshev_polynomial_t", "shifted_chebyshev_polynomial_u",
           "shifted_chebyshev_polynomial_v", "shifted_chebyshev_polynomial_w"]

_MOST = 4096  # Degrees; each is a step.


def _polynomials(name, x, n, first, step):
    """The polynomial of each degree n at x: 1, first(x), then step(k, x, p, q) of
    the last two; 0 where n is negative."""
    both = [operand(x), operand(n)]
    dtype = common(*both)
    if dtype.startswith("complex"):
        raise TypeError(f"{name}: x and n must be real, got {dtype}")
    dtype = "float32" if dtype in WHOLE else dtype
    x, degrees = (cast(each, "float64") for each in both)
    if isinstance(n, float) and not n.is_integer():
        raise ValueError(f"{name}: n must be a whole number, got {n}")
    shape = common_shape(name, "n", x.shape, degrees.shape)
    x, degrees = _ops.expand(x, shape), _ops.expand(_ops.trunc(degrees), shape)
    found = _ops.where(_ops.equal(degrees, 0.0), _ops.ones_like(x),
                       _ops.zeros_like(x))
    largest = int(np.nanmax(degrees.numpy(), initial=0)) if (
        type(degrees) is _core.Tensor) else 64
    if largest > _MOST:
        raise ValueError(f"{name}: n must be at most {_MOST}, got {largest}")
    before, now = _ops.ones_like(x), first(x)
    for k in range(1, largest + 1):
        found = _ops.where(_ops.equal(degrees, float(k)), now, found)
        before, now = now, step(k, x, now, before)
    return _ops.cast(found, dtype)


def _twice(k, x, p, q):
    del k
    return _ops.subtract(_ops.multiply(_ops.multiply(x, 2.0), p), q)


def _line(factor, offset):
    return lambda x: _ops.add(_ops.multiply(x, factor), offset)


def _shifted(x):
    x = tensor_of(x) if not isinstance(x, (int, float)) else x
    if hasattr(x, "dtype"):
        x = _ops.cast(x, "float32") if x.dtype in WHOLE else x
        return _ops.subtract(_ops.multiply(x, 2.0), 1.0)
    return 2.0 * x - 1.0


def chebyshev_polynomial_t(x, n):
    """Chebyshev's polynomials of the first kind."""
    return _polynomials("chebyshev_polynomial_t", x, n, _line(1.0, 0.0), _twice)


def chebyshev_polynomial_u(x, n):
    """Chebyshev's polynomials of the second kind."""
    return _polynomials("chebyshev_polynomial_u", x, n, _line(2.0, 0.0), _twice)


def chebyshev_polynomial_v(x, n):
    """Chebyshev's polynomials of the third kind."""
    return _polynomials("chebyshev_polynomial_v", x, n, _line(2.0, -1.0), _twice)


def chebyshev_polynomial_w(x, n):
    """Chebyshev's polynomials of the fourth kind."""
    return _polynomials("chebyshev_polynomial_w", x, n, _line(2.0, 1.0), _twice)


def shifted_chebyshev_polynomial_t(x, n):
    """``chebyshev_polynomial_t`` of 2 x - 1."""
    return chebyshev_polynomial_t(_shifted(x), n)


def shifted_chebyshev_polynomial_u(x, n):
    """``chebyshev_polynomial_u`` of 2 x - 1."""
    return chebyshev_polynomial_u(_shifted(x), n)


def shifted_chebyshev_polynomial_v(x, n):
    """``chebyshev_polynomial_v`` of 2 x - 1."""
    return chebyshev_polynomial_v(_shifted(x), n)


def shifted_chebyshev_polynomial_w(x, n):
    """``chebyshev_polynomial_w`` of 2 x - 1."""
    return chebyshev_polynomial_w(_shifted(x), n)


def _hermite(k, x, p, q):
    return _ops.subtract(_ops.multiply(_ops.multiply(x, 2.0), p),
                         _ops.multiply(q, 2.0 * k))


def hermite_polynomial_h(x, n):
    """Hermite's polynomials, the physicists'."""
    return _polynomials("hermite_polynomial_h", x, n, _line(2.0, 0.0), _hermite)


def hermite_polynomial_he(x, n):
    """Hermite's polynomials, the probabilists'."""
    return _polynomials(
        "hermite_polynomial_he", x, n, _line(1.0, 0.0),
        lambda k, v, p, q: _ops.subtract(_ops.multiply(v, p),
                                         _ops.multiply(q, float(k))))


def laguerre_polynomial_l(x, n):
    """Laguerre's polynomials."""
    def step(k, v, p, q):
        factor = _ops.subtract(_ops.full_like(v, 2.0 * k + 1.0), v)
        both = _ops.subtract(_ops.multiply(factor, p), _ops.multiply(q, float(k)))
        return _ops.multiply(both, 1.0 / (k + 1.0))
    return _polynomials("laguerre_polynomial_l", x, n, _line(-1.0, 1.0), step)


def legendre_polynomial_p(x, n):
    """Legendre's polynomials."""
    def step(k, v, p, q):
        both = _ops.subtract(_ops.multiply(_ops.multiply(v, 2.0 * k + 1.0), p),
                             _ops.multiply(q, float(k)))
        return _ops.multiply(both, 1.0 / (k + 1.0))
    return _polynomials("legendre_polynomial_p", x, n, _line(1.0, 0.0), step)
