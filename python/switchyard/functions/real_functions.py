# SPDX-License-Identifier: Apache-2.0
"""Functions of single numbers, of one or two, that are a few operators each."""

from __future__ import annotations

import math

import numpy as np

from switchyard import _core
from switchyard.checks import NUMBER, public_call, real, refuse
from switchyard.functions.arguments import (WHOLE, floating, narrowed, tensor_of,
                                            widened)
from switchyard.functions.elementwise import clip, isfinite, logaddexp
from switchyard.functions.precision import in_float32
from switchyard.functions.promotion import beside, cast, common, operand
from switchyard.functions.sloped import sloped

_ops = _core.ops

TYPE_CHECKING = False
if TYPE_CHECKING:
    from switchyard.ops import T

__all__ = ["clamp_max", "clamp_min", "conj_physical", "deg2rad", "erfc", "exp2",
           "float_power", "frac", "frexp", "gcd", "igamma", "igammac", "isneginf",
           "isposinf", "isreal", "lcm", "ldexp", "logaddexp2", "mvlgamma", "nan_to_num",
           "polar", "polygamma", "rad2deg", "resolve_conj", "resolve_neg", "rsub", "sgn",
           "sinc", "true_divide", "xlogy"]


def clamp_max(x: T, max) -> T:
    """x, no more than ``max``, a number or a tensor."""
    return clip(x, None, max)


def clamp_min(x: T, min) -> T:
    """x, no less than ``min``, a number or a tensor."""
    return clip(x, min, None)


def conj_physical(x: T) -> T:
    """The complex conjugate; real numbers as they are."""
    x = tensor_of(x)
    return _ops.conj(x) if x.dtype.startswith("complex") else x


def resolve_conj(x: T) -> T:
    """x: a conjugate has its own elements here."""
    return tensor_of(x)


def resolve_neg(x: T) -> T:
    """x: a negative has its own elements here."""
    return tensor_of(x)


def deg2rad(x: T) -> T:
    """Degrees in radians."""
    return _ops.multiply(floating(x), math.pi / 180.0)


def rad2deg(x: T) -> T:
    """Radians in degrees."""
    return _ops.multiply(floating(x), 180.0 / math.pi)


def in_float64(function, *operands):
    """function of the operands as float64, rounded to their common dtype."""
    for given in operands:
        if getattr(given, "dtype", "").startswith("complex"):
            refuse(*public_call(given), "real", given.dtype)
    operands = [floating(each) for each in beside(*operands)]
    dtype = common(*operands)
    return _ops.cast(function(*[_ops.cast(x, "float64") for x in operands]), dtype)


def erfc(x: T) -> T:
    """1 - erf(x), with the digits of what is small."""
    return sloped(lambda v: in_float64(_erfc, v), _erfc_slope, floating(x))


def _erfc_slope(x):
    return _ops.multiply(_ops.exp(_ops.scale(_ops.square(x), -1.0)),
                         -2.0 / math.sqrt(math.pi))


# erfc(x) = exp(-x * x) * sum of c[i] T_i(t), t = 2 / (2 + x), for x >= 0.
_ERFC = (-1.3026537197817094, 6.4196979235649026e-1, 1.9476473204185836e-2,
         -9.561514786808631e-3, -9.46595344482036e-4, 3.66839497852761e-4,
         4.2523324806907e-5, -2.0278578112534e-5, -1.624290004647e-6,
         1.303655835580e-6, 1.5626441722e-8, -8.5238095915e-8, 6.529054439e-9,
         5.059343495e-9, -9.91364156e-10, -2.27365122e-10, 9.6467911e-11,
         2.394038e-12, -6.886027e-12, 8.94487e-13, 3.13092e-13, -1.12708e-13,
         3.81e-16, 7.106e-15, -1.523e-15, -9.4e-17, 1.21e-16, -2.8e-17)


def scaled_erfc(z):
    """exp(z * z) erfc(z) of z >= 0, float64."""
    t = _ops.divide(_ops.full_like(z, 2.0), _ops.add(z, 2.0))
    twice = _ops.subtract(_ops.multiply(t, 4.0), 2.0)
    d, dd = _ops.zeros_like(z), _ops.zeros_like(z)
    for c in reversed(_ERFC[1:]):
        d, dd = _ops.add(_ops.subtract(_ops.multiply(twice, d), dd), c), d
    polynomial = _ops.subtract(_ops.multiply(_ops.add(
        _ops.multiply(twice, d), _ERFC[0]), 0.5), dd)
    return _ops.multiply(t, _ops.exp(polynomial))


def _erfc(x):
    z = _ops.abs(x)
    right = _ops.multiply(scaled_erfc(z), _ops.exp(_ops.scale(_ops.square(z), -1.0)))
    left = _ops.subtract(_ops.full_like(right, 2.0), right)
    return _ops.where(_ops.less_than(x, 0.0), left, right)


def exp2(x: T) -> T:
    """2 to the power x."""
    x = floating(x)
    if x.dtype.startswith("complex"):
        return _ops.exp(_ops.multiply(x, math.log(2.0)))
    return sloped(_exp2, _exp2_slope, x)


def _exp2(x):
    return _ops.elementwise_pow(_ops.full_like(x, 2.0), x)


def _exp2_slope(x):
    """2 to the power x may be infinite where this is not."""
    return _ops.multiply(_exp2(_ops.subtract(x, 1.0)), 2.0 * math.log(2.0))


def float_power(x: T, exponent) -> T:
    """x to the power of the exponent, of float64 or complex128."""
    both = [operand(x), operand(exponent)]
    wide = "complex128" if common(*both).startswith("complex") else "float64"
    return _ops.elementwise_pow(*[cast(each, wide) for each in both])


def frac(x: T) -> T:
    """The part after the point, with the sign of x."""
    x = tensor_of(x)
    return _ops.subtract(x, _ops.trunc(x))


def times_power_of_2(factor, power):
    """factor, float64 or complex128, times 2 to the power ``power``, float64: by
    parts that are in the range. The last alone can make a denormal number of what is not to be 0,
    so that it is rounded once."""
    parts, rest = [], power
    for _ in range(3):
        parts.append(_ops.clip(rest, -700.0, 700.0))
        rest = _ops.subtract(rest, parts[-1])
    for part in reversed(parts):
        unit = _ops.elementwise_pow(_ops.full_like(part, 2.0), part)
        factor = _ops.multiply(factor, _ops.cast(unit, factor.dtype))
    return factor


def frexp(x: T):
    """(mantissa, exponent): x = mantissa * 2**exponent, mantissa in [0.5, 1) but
    for its sign, and 0 of 0."""
    x = floating(x)
    wide = widened(x)
    size = _ops.abs(wide.detach())
    finite = _ops.logical_and(_ops.isfinite(size), _ops.greater_than(size, 0.0))
    power = _ops.add(_ops.floor(_ops.log2(_ops.where(
        finite, _ops.cast(size, "float64"), _ops.cast(_ops.ones_like(size),
                                                      "float64")))), 1.0)
    power = _ops.where(finite, power, _ops.zeros_like(power))
    mantissa = _ops.cast(times_power_of_2(_ops.cast(wide, "float64"),
                                           _ops.scale(power, -1.0)), wide.dtype)
    # A logarithm may have rounded up to the next power.
    small = _ops.logical_and(finite, _ops.less_than(_ops.abs(mantissa.detach()), 0.5))
    power = _ops.where(small, _ops.subtract(power, 1.0), power)
    mantissa = _ops.where(small, _ops.multiply(mantissa, 2.0), mantissa)
    return narrowed(mantissa, x.dtype), _ops.cast(power, "int32")


def _integers(name, x, y):
    both = [operand(x), operand(y)]
    dtype = common(*both)
    if dtype not in WHOLE or dtype == "bool":
        raise TypeError(f"{name}: x and y must be integers, got {dtype}")
    return [cast(each, dtype) for each in both]


def gcd(x: T, y) -> T:
    """The greatest common divisors of integers, from 0."""
    a, b = _integers("gcd", x, y)
    zero = _ops.subtract(_ops.add(a, b), _ops.add(a, b))
    a, b = _ops.add(_ops.abs(a), zero), _ops.add(_ops.abs(b), zero)
    for _ in range(93):  # As many steps as 64 bits can take.
        done = _ops.equal(b, 0)
        if type(b) is _core.Tensor and bool(_ops.all(done).item()):
            break
        rest = _ops.remainder(a, _ops.where(done, _ops.ones_like(b), b))
        a, b = _ops.where(done, a, b), _ops.where(done, b, rest)
    return _ops.abs(a)  # The least integer has no magnitude of its dtype.


def lcm(x: T, y) -> T:
    """The least common multiples of integers; what the dtype does not hold wraps
    around."""
    a, b = _integers("lcm", x, y)
    divisor = gcd(a, b)
    divisor = _ops.where(_ops.equal(divisor, 0), _ops.ones_like(divisor), divisor)
    return _ops.multiply(_ops.abs(_ops.floor_divide(a, divisor)), _ops.abs(b))


def isneginf(x: T) -> T:
    """Whether x is -infinity."""
    return _is_endless(x, float("-inf"))


def isposinf(x: T) -> T:
    """Whether x is +infinity."""
    return _is_endless(x, float("inf"))


def _is_endless(x, limit):
    x = tensor_of(x)
    if x.dtype in WHOLE:
        return _ops.full_like(x, False, "bool")
    if x.dtype.startswith("complex"):
        raise TypeError(f"isinf: x must be real, got {x.dtype}")
    return _ops.equal(x, limit)


def isreal(x: T) -> T:
    """Whether x has no imaginary part."""
    x = tensor_of(x)
    if x.dtype.startswith("complex"):
        return _ops.equal(_ops.imag(x), 0.0)
    return _ops.full_like(x, True, "bool")


def ldexp(x: T, other) -> T:
    """x times 2 to the power ``other``."""
    x, power = floating(x), tensor_of(other)
    if power.dtype.startswith("complex"):
        return _ops.multiply(x, _ops.elementwise_pow(_ops.full_like(power, 2.0), power))
    dtype = x.dtype if power.dtype in WHOLE else common(x, power)
    wide = "complex128" if x.dtype.startswith("complex") else "float64"
    return _ops.cast(times_power_of_2(_ops.cast(x, wide), _ops.cast(power, "float64")),
                     dtype)


def logaddexp2(x: T, y) -> T:
    """The binary logarithm of 2**x + 2**y, without overflow in between."""
    x, y = map(floating, beside(x, y))
    if common(x, y).startswith("complex"):
        return _logaddexp2(x, y)
    return in_float64(_logaddexp2, x, y)


def _logaddexp2(x, y):
    unit = math.log(2.0)
    return _ops.multiply(logaddexp(_ops.multiply(x, unit), _ops.multiply(y, unit)),
                         1.0 / unit)


def mvlgamma(x: T, p: int) -> T:
    """The logarithm of the multivariate gamma function of dimension p."""
    from switchyard import special
    return special.multigammaln(x, p)


def nan_to_num(x: T, nan=0.0, posinf=None, neginf=None) -> T:
    """x with ``nan`` for NaN, and ``posinf`` and ``neginf`` (the largest and the
    least number of the dtype) for the infinities."""
    x = tensor_of(x)
    if x.dtype in WHOLE:
        return x
    if x.dtype.startswith("complex"):
        return _ops.complex(nan_to_num(_ops.real(x), nan, posinf, neginf),
                            nan_to_num(_ops.imag(x), nan, posinf, neginf))
    most = 3.3895313892515355e38 if x.dtype == "bfloat16" else float(
        np.finfo(x.dtype).max)
    for at, value in ((_ops.isnan(x), 0.0 if nan is None else nan),
                      (_ops.equal(x, float("inf")), most if posinf is None else posinf),
                      (_ops.equal(x, float("-inf")), -most if neginf is None else neginf)):
        x = _ops.where(at, _ops.full_like(x, value), x)
    return x


def polar(x: T, angle) -> T:
    """The complex numbers of the absolute value x and of ``angle``."""
    x, angle = beside(x, angle)
    return _ops.complex(_ops.multiply(x, _ops.cos(angle)),
                        _ops.multiply(x, _ops.sin(angle)))


def polygamma(n: int, x) -> T:
    """The n-th derivative of ``digamma``."""
    from switchyard import special
    return special.polygamma(n, x)


def igamma(x: T, other) -> T:
    """``special.gammainc`` of a = x: the integral up to ``other``."""
    from switchyard import special
    return special.gammainc(x, other)


def igammac(x: T, other) -> T:
    """``special.gammaincc`` of a = x: the integral from ``other`` on."""
    from switchyard import special
    return special.gammaincc(x, other)


def rsub(x: T, y, *, alpha=1) -> T:
    """y - alpha * x."""
    x = tensor_of(x)
    if x.dtype == "bool":
        raise TypeError("rsub: x must be a number's, got bool")
    if not (isinstance(alpha, complex) and x.dtype.startswith("complex")):
        real("rsub", "alpha", alpha, NUMBER)
    other = operand(y)
    return _ops.subtract(
        other if hasattr(other, "dtype") else cast(other, common(x, other)),
        x if alpha == 1 else _ops.multiply(x, alpha))


def sgn(x: T) -> T:
    """The sign; x / abs(x) of complex numbers, 0 of 0."""
    return _ops.sign(tensor_of(x))


@in_float32
def sinc(x: T) -> T:
    """sin(pi x) / (pi x), 1 at 0 and 0 at the infinities."""
    x = floating(x)
    if x.dtype.startswith("complex"):
        none = _ops.equal(x, 0)
        turns = _ops.multiply(_ops.where(none, _ops.ones_like(x), x), math.pi)
        return _ops.where(none, _ops.ones_like(x), _ops.divide(_ops.sin(turns), turns))
    return in_float64(_sinc, x)


def _sinc(x):
    near = _ops.less_than(_ops.abs(x), 0.01)
    there = _ops.logical_and(_ops.isfinite(x), _ops.logical_not(near))
    far = _ops.where(there, x, _ops.ones_like(x))
    # Half turns are left out exactly; an odd number of them changes the sign.
    halves = _ops.round(far).detach()
    odd = _ops.subtract(halves, _ops.multiply(_ops.floor(_ops.multiply(halves, 0.5)),
                                              2.0))
    wave = _ops.multiply(_ops.sin(_ops.multiply(_ops.subtract(far, halves), math.pi)),
                         _ops.scale(odd, -2.0, 1.0))
    wave = _ops.divide(wave, _ops.multiply(far, math.pi))
    small = _ops.square(_ops.multiply(_ops.where(near, x, _ops.zeros_like(x)), math.pi))
    series = _ops.ones_like(x)
    for factor in (72, 42, 20, 6):  # 8 * 9, 6 * 7, 4 * 5 and 2 * 3.
        series = _ops.scale(_ops.multiply(small, series), -1.0 / factor, 1.0)
    found = _ops.where(near, series, wave)
    # Infinite x have no sine; NaN stays.
    return _ops.where(_ops.isinf(x), _ops.zeros_like(x), _ops.where(
        _ops.isnan(x), x, found))


def true_divide(x: T, y) -> T:
    """x / y: ``divide``."""
    return _ops.divide(x, y)


def xlogy(x: T, y) -> T:
    """x log(y), 0 where x is 0 unless y is NaN."""
    return times_of_0("xlogy", x, y, _ops.log)


def times_of_0(name, x, y, function):
    """x function(y), 0 where x is 0 unless y is NaN."""
    del name
    both = [operand(x), operand(y)]
    dtype = common(*both)
    dtype = "float32" if dtype in WHOLE else dtype
    x, y = (cast(each, dtype) for each in both)
    # Where x is 0 a finite logarithm is still its gradient; NaN in y stays NaN.
    none = _ops.logical_and(_ops.equal(x, 0), _ops.logical_and(
        _ops.equal(y, y), _ops.logical_not(isfinite(function(y)))))
    inside = _ops.where(none, _ops.ones_like(y), y)
    return _ops.where(none, _ops.zeros_like(inside),
                      _ops.multiply(x, function(inside)))
