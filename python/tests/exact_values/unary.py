# SPDX-License-Identifier: Apache-2.0
"""Functions of one number in mpmath: value and derivative, with 60 digits.

Each is ``name: (f, low, high)``: f(x) of a finite number is (value, derivative)
or (value, derivative, scale), where scale is the largest term of a derivative
that crosses 0. None is NaN: no value. low and high are the pairs at the two
infinities.
"""
import mpmath as mp
from mpmath import mpf

from more_unary import MORE
from special import SPECIAL_FUNCTIONS

mp.mp.dps = 60
INF = mpf("inf")
TWO_PI = 2 * mp.pi
NONE = (None, None)


def inside(low, high, f):
    """f from ``low`` to ``high``; no value elsewhere."""
    return lambda x: f(x) if low <= x <= high else NONE


def quotient(a, b):
    """a / b, infinite where b is 0."""
    return a / b if b != 0 else mp.sign(a) * INF


def sigmoid(x):
    return 1 / (1 + mp.exp(-x))


def silu(x):
    s, rest = sigmoid(x), sigmoid(-x)
    return x * s, s * (1 + x * rest), s * max(mpf(1), abs(x * rest))


def gelu(x):
    phi = mp.exp(-x * x / 2) / mp.sqrt(TWO_PI)
    share = mp.erfc(-x / mp.sqrt(2)) / 2
    return x * share, share + x * phi, max(share, abs(x * phi))


def gelu_by_tanh(x):
    root, c = 2 * mp.sqrt(2 / mp.pi), mpf("0.044715")
    u = root * (x + c * x**3)
    s, rest = sigmoid(u), sigmoid(-u)
    term = x * s * rest * root * (1 + 3 * c * x * x)
    return x * s, s + term, max(s, abs(term))


def mish(x):
    # tanh(log(1 + e)) = (e^2 + 2 e) / (e^2 + 2 e + 2).
    e = mp.exp(min(x, mpf(2000)))
    t = (e * e + 2 * e) / (e * e + 2 * e + 2)
    term = x * (4 * (e + 1) ** 2 / (e * e + 2 * e + 2) ** 2) * sigmoid(x)
    return x * t, t + term, max(t, abs(term))


def softplus(x):
    return (x + mp.log1p(mp.exp(-x)) if x > 0 else mp.log1p(mp.exp(x))), sigmoid(x)


def selu(x):
    scale, alpha = mpf("1.0507009873554805"), mpf("1.6732632423543772")
    if x > 0:
        return scale * x, scale
    return scale * alpha * mp.expm1(x), scale * alpha * mp.exp(x)


def elu(x):
    return (x, mpf(1)) if x > 0 else (mp.expm1(x), mp.exp(x))


def hardswish(x):
    if x <= -3:
        return mpf(0), mpf(0)
    if x >= 3:
        return x, mpf(1)
    return x * (x + 3) / 6, (2 * x + 3) / 6, mpf(1) / 2


def limited(low, high, slope, offset=0):
    """slope x + offset, limited; no slope beyond, and any at the ends."""
    slope, offset = mpf(slope), mpf(offset)

    def f(x):
        y = slope * x + offset
        if min(abs(y - low), abs(y - high)) < mpf("1e-50"):
            return y, None
        if y < low:
            return mpf(low), mpf(0)
        return (mpf(high), mpf(0)) if y > high else (y, slope)
    return f


def shrunk(moved):
    def f(x):
        if abs(x) <= 0.5:
            return mpf(0), mpf(0)
        return x - mp.sign(x) / 2 * moved, mpf(1)
    return f


def lgamma(x):
    if x <= 0 and x == mp.floor(x):
        return INF, None
    if x > mpf(2) ** 60:
        return x * mp.log(x) - x + (mp.log(TWO_PI) - mp.log(x)) / 2, mp.log(x)
    # |gamma| below 0 by reflection, which mpmath's own branch does not say.
    if x > 0:
        return mp.loggamma(x), mp.digamma(x)
    sine = abs(mp.sinpi(x))
    return mp.log(mp.pi / sine) - mp.loggamma(1 - x), digamma(x)[0]


def digamma(x):
    if x <= 0 and x == mp.floor(x):
        return NONE
    if x > mpf(2) ** 60:
        return mp.log(x), 1 / x
    if x > 0:
        return mp.digamma(x), mp.psi(1, x)
    # The formula of reflection: mpmath steps up to 0 by ones.
    sine, cosine = mp.sinpi(x), mp.cospi(x)
    return (mp.digamma(1 - x) - mp.pi * cosine / sine,
            (mp.pi / sine) ** 2 - mp.psi(1, 1 - x))


def bessel(order, scaled):
    """i0, i1, i0e, i1e; asymptotic beyond what floats hold."""
    def scaled_value(k, size):
        if size < 3000:
            return mp.besseli(k, size) * mp.exp(-size)
        term = total = mpf(1)
        for n in range(1, 18):
            term *= -(4 * k * k - (2 * n - 1) ** 2) / (8 * size * n)
            total += term
        return total / mp.sqrt(TWO_PI * size)

    def f(x):
        size, sign = abs(x), (mp.sign(x) if order == 1 else 1)
        zero, one, two = (scaled_value(k, size) for k in (0, 1, 2))
        value = (zero, one)[order]
        slope = one if order == 0 else (zero + two) / 2
        if scaled:
            # The difference of neighbours, without what cancels.
            slope -= value
            side = mp.sign(x) if order == 0 else 1
            return sign * value, side * slope, max(abs(slope), value * 0)
        if size > 200:
            return sign * INF, (mp.sign(x) if order == 0 else 1) * INF
        grow = mp.exp(size)
        side = mp.sign(x) if order == 0 else 1
        return sign * value * grow, side * slope * grow
    return f


def erfinv(x):
    if abs(x) > 1:
        return NONE
    if abs(x) == 1:
        return x * INF, INF
    y = mp.erfinv(x)
    return y, mp.exp(y * y) * mp.sqrt(mp.pi) / 2


def logit(x):
    if x in (0, 1):
        return (-INF if x == 0 else INF), INF
    return mp.log(x / (1 - x)), 1 / (x * (1 - x))


def logarithm(base):
    def f(x):
        if x < 0:
            return NONE
        if x == 0:
            return -INF, INF
        return mp.log(x) / base, 1 / (x * base)
    return f


def log1p(x):
    if x < -1:
        return NONE
    return (mp.log1p(x), 1 / (1 + x)) if x != -1 else (-INF, INF)


def stanh(x):
    a, b = mpf("0.67"), mpf("1.7159")
    return b * mp.tanh(a * x), 4 * a * b * sigmoid(2 * a * x) * sigmoid(-2 * a * x)


def both(value, slope):
    return lambda x: (value(x), slope(x))


def periodic(f):
    """No value at the infinities, and any digits of pi that a number needs."""
    def g(x):
        with mp.workdps(120):
            return f(x)
    return g, NONE, NONE


def tanh_shrink(x):
    with mp.workdps(200):
        return x - mp.tanh(x), mp.tanh(x) ** 2


ONE, ZERO = mpf(1), mpf(0)

UNARY = {
    "abs": (both(abs, mp.sign), (INF, -ONE), (INF, ONE)),
    "neg": (both(lambda x: -x, lambda x: -ONE), (INF, -ONE), (-INF, -ONE)),
    "square": (both(lambda x: x * x, lambda x: 2 * x), (INF, -INF), (INF, INF)),
    "reciprocal": (lambda x: (1 / x, -1 / x**2) if x else (INF, -INF),
                   (ZERO, ZERO), (ZERO, ZERO)),
    "sqrt": (inside(0, INF, lambda x: (mp.sqrt(x), quotient(ONE, 2 * mp.sqrt(x)))),
             NONE, (INF, ZERO)),
    "rsqrt": (inside(0, INF, lambda x: (quotient(ONE, mp.sqrt(x)),
                                        quotient(-ONE, 2 * x * mp.sqrt(x)))),
              NONE, (ZERO, ZERO)),
    "exp": (both(mp.exp, mp.exp), (ZERO, ZERO), (INF, INF)),
    "expm1": (both(mp.expm1, mp.exp), (-ONE, ZERO), (INF, INF)),
    "log": (logarithm(ONE), NONE, (INF, ZERO)),
    "log2": (logarithm(mp.log(2)), NONE, (INF, ZERO)),
    "log10": (logarithm(mp.log(10)), NONE, (INF, ZERO)),
    "log1p": (log1p, NONE, (INF, ZERO)),
    "sin": periodic(both(mp.sin, mp.cos)),
    "cos": periodic(both(mp.cos, lambda x: -mp.sin(x))),
    "tan": periodic(both(mp.tan, lambda x: mp.sec(x) ** 2)),
    "sinh": (both(mp.sinh, mp.cosh), (-INF, INF), (INF, INF)),
    "cosh": (both(mp.cosh, mp.sinh), (INF, -INF), (INF, INF)),
    "tanh": (both(mp.tanh, lambda x: 4 * sigmoid(2 * x) * sigmoid(-2 * x)),
             (-ONE, ZERO), (ONE, ZERO)),
    "asin": (inside(-1, 1, both(mp.asin, lambda x: quotient(
        ONE, mp.sqrt((1 - x) * (1 + x))))), NONE, NONE),
    "acos": (inside(-1, 1, both(mp.acos, lambda x: quotient(
        -ONE, mp.sqrt((1 - x) * (1 + x))))), NONE, NONE),
    "atan": (both(mp.atan, lambda x: 1 / (1 + x * x)),
             (-mp.pi / 2, ZERO), (mp.pi / 2, ZERO)),
    "asinh": (both(mp.asinh, lambda x: 1 / mp.hypot(ONE, x)),
              (-INF, ZERO), (INF, ZERO)),
    "acosh": (inside(1, INF, both(mp.acosh, lambda x: quotient(
        ONE, mp.sqrt((x - 1) * (x + 1))))), NONE, (INF, ZERO)),
    "atanh": (inside(-1, 1, lambda x: (
        mp.atanh(x) if abs(x) < 1 else x * INF,
        quotient(ONE, (1 - x) * (1 + x)))), NONE, NONE),
    "erf": (both(mp.erf, lambda x: 2 / mp.sqrt(mp.pi) * mp.exp(-x * x)),
            (-ONE, ZERO), (ONE, ZERO)),
    "erfinv": (erfinv, NONE, NONE),
    "lgamma": (lgamma, (INF, None), (INF, INF)),
    "digamma": (digamma, NONE, (INF, ZERO)),
    "i0": (bessel(0, False), (INF, -INF), (INF, INF)),
    "i1": (bessel(1, False), (-INF, INF), (INF, INF)),
    "i0e": (bessel(0, True), (ZERO, ZERO), (ZERO, ZERO)),
    "i1e": (bessel(1, True), (ZERO, ZERO), (ZERO, ZERO)),
    "logit": (inside(0, 1, logit), NONE, NONE),
    "sigmoid": (both(sigmoid, lambda x: sigmoid(x) * sigmoid(-x)),
                (ZERO, ZERO), (ONE, ZERO)),
    "logsigmoid": (lambda x: (-softplus(-x)[0], sigmoid(-x)),
                   (-INF, ONE), (ZERO, ZERO)),
    "softplus": (softplus, (ZERO, ZERO), (INF, ONE)),
    "silu": (silu, (ZERO, ZERO), (INF, ONE)),
    "swish": (silu, (ZERO, ZERO), (INF, ONE)),
    "gelu": (gelu, (ZERO, ZERO), (INF, ONE)),
    "gelu_by_tanh": (gelu_by_tanh, (ZERO, ZERO), (INF, ONE)),
    "mish": (mish, (ZERO, ZERO), (INF, ONE)),
    "selu": (selu, (selu(mpf(-500))[0], ZERO), (INF, selu(ONE)[1])),
    "elu": (elu, (-ONE, ZERO), (INF, ONE)),
    "celu": (elu, (-ONE, ZERO), (INF, ONE)),
    "relu": (lambda x: (max(x, ZERO), ONE if x > 0 else ZERO),
             (ZERO, ZERO), (INF, ONE)),
    "relu6": (lambda x: (min(max(x, ZERO), mpf(6)), ONE if 0 < x < 6 else ZERO),
              (ZERO, ZERO), (mpf(6), ZERO)),
    "leaky_relu": (lambda x: (x, ONE) if x > 0 else (x / 100, ONE / 100),
                   (-INF, ONE / 100), (INF, ONE)),
    "hardswish": (hardswish, (ZERO, ZERO), (INF, ONE)),
    "hardsigmoid": (limited(0, 1, ONE / 6, ONE / 2), (ZERO, ZERO), (ONE, ZERO)),
    "hardtanh": (limited(-1, 1, 1), (-ONE, ZERO), (ONE, ZERO)),
    "softsign": (both(lambda x: x / (1 + abs(x)), lambda x: (1 + abs(x)) ** -2),
                 (-ONE, ZERO), (ONE, ZERO)),
    "tanh_shrink": (tanh_shrink, (-INF, ONE), (INF, ONE)),
    "softshrink": (shrunk(1), (-INF, ONE), (INF, ONE)),
    "hardshrink": (shrunk(0), (-INF, ONE), (INF, ONE)),
    "stanh": (stanh, (-mpf("1.7159"), ZERO), (mpf("1.7159"), ZERO)),
    **MORE,
    **SPECIAL_FUNCTIONS,
}
