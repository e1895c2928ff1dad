# SPDX-License-Identifier: Apache-2.0
"""Functions of two numbers in mpmath: value and both derivatives, 60 digits.

Each is ``name: f``: f(x, y) of finite numbers is (value, by x, by y); None is
NaN: no value.
"""
import mpmath as mp
from mpmath import mpf

NONE = (None, None, None)
ONE, ZERO = mpf(1), mpf(0)
TWO_PI = 2 * mp.pi


def atan2(x, y):
    square = x * x + y * y
    if square == 0:
        return ZERO, ZERO, ZERO
    return mp.atan2(x, y), y / square, -x / square


def hypot(x, y):
    length = mp.sqrt(x * x + y * y)
    if length == 0:
        return ZERO, ZERO, ZERO
    return length, x / length, y / length


def logaddexp(x, y):
    large, gap = max(x, y), abs(x - y)
    share = 1 / (1 + mp.exp(-gap))
    rest = mp.exp(-gap) * share
    by = (share, rest) if x >= y else (rest, share)
    return (large + mp.log1p(mp.exp(-gap)), *by)


def logaddexp2(x, y):
    value, *by = logaddexp(x * mp.log(2), y * mp.log(2))
    return (value / mp.log(2), *by)


def product_of_log(log):
    """x log(y), 0 where x is; the derivative by y is x times that of the log."""
    def f(x, y):
        found, slope = log(y)
        return NONE if found is None else (x * found, found, x * slope)
    return f


def power(x, y):
    if x < 0:
        return NONE
    if abs(y * mp.log(x)) > 1000:
        # Beyond every float; the derivatives' signs are all that is left.
        value = mpf("inf") if y * mp.log(x) > 0 else ZERO
        return value, value * y if value else ZERO, (
            value * mp.log(x) if value else ZERO)
    value = x**y
    return value, y * value / x, value * mp.log(x)


def ldexp(x, y):
    """y is the power; none that is not whole or leaves every float."""
    if y != mp.floor(y) or abs(y) > 2000:
        return NONE
    return x * mpf(2)**y, mpf(2)**y, None


def whole(x, y):
    """x / y toward 0, with the digits that it takes."""
    with mp.workdps(200):
        return mp.sign(x) * mp.sign(y) * mp.floor(abs(x) / abs(y))


def fmod(x, y):
    with mp.workdps(200):
        times = whole(x, y)
        return x - y * times, ONE, -times


def remainder(x, y):
    with mp.workdps(200):
        times = mp.floor(x / y)
        return x - y * times, ONE, -times


def chosen(first, tie=mpf(1) / 2):
    """The one that comes first; ``tie`` is the derivative by equals."""
    def f(x, y):
        if x == y:
            return x, tie, tie
        return (x, ONE, ZERO) if first(x, y) else (y, ZERO, ONE)
    return f


def zeta(s, q):
    """Hurwitz's, of q above 0; infinite at s = 1."""
    if s < 1 or q <= 0:
        return NONE
    if s == 1:
        return mpf("inf"), None, None
    if abs(s * mp.log(q)) > 1000:  # One term, beyond every float.
        value = mpf("inf") if q < 1 else ZERO
        return value, value, -value
    return (mp.zeta(s, q), mp.diff(lambda t: mp.zeta(t, q), s),
            -s * mp.zeta(s + 1, q))


def incomplete(upper):
    """The regularized incomplete gamma functions; the derivative by x alone."""
    def f(a, x):
        if a < 0 or x < 0:
            return NONE
        with mp.workdps(140):
            density = mp.exp((a - 1) * mp.log(x) - x - mp.loggamma(a))
            if x == a and a > 1e10:  # Its expansion; a series has endless terms.
                rest = density * (mp.sqrt(mp.pi * a / 2) - ONE / 3 + mp.sqrt(
                    TWO_PI / a) / 24)
                value = rest if upper else 1 - rest
            elif x < a + 1:
                term = total = 1 / a
                n = a
                while term > total * mpf("1e-130"):
                    n += 1
                    term *= x / n
                    total += term
                lower = density * x * total
                value = 1 - lower if upper else lower
            else:
                rest = density * x * fraction(a, x)
                value = rest if upper else 1 - rest
            return value, None, -density if upper else density
    return f


def fraction(a, x):
    """Legendre's continued fraction of the upper function, by Lentz."""
    b = x + 1 - a
    c, d = mpf("1e400"), 1 / b
    found, i = d, 0
    while True:
        i += 1
        term = -i * (i - a)
        b += 2
        d = 1 / (term * d + b)
        c = b + term / c
        found *= c * d
        if abs(c * d - 1) < mpf("1e-70"):
            return found


def swiglu(x, y):
    share, rest = 1 / (1 + mp.exp(-x)), 1 / (1 + mp.exp(x))
    return x * share * y, y * share * (1 + x * rest), x * share


BINARY = {
    "add": lambda x, y: (x + y, ONE, ONE),
    "subtract": lambda x, y: (x - y, ONE, -ONE),
    "multiply": lambda x, y: (x * y, y, x),
    "divide": lambda x, y: (x / y, 1 / y, -x / (y * y)),
    "atan2": atan2,
    "hypot": hypot,
    "logaddexp": logaddexp,
    "logaddexp2": logaddexp2,
    "xlogy": product_of_log(lambda y: (mp.log(y), 1 / y) if y > 0 else NONE[:2]),
    "xlog1py": product_of_log(
        lambda y: (mp.log1p(y), 1 / (1 + y)) if y > -1 else NONE[:2]),
    "pow": power,
    "fmod": fmod,
    "remainder": remainder,
    "floor_divide": lambda x, y: (-remainder(x, y)[2], None, None),
    "maximum": chosen(lambda x, y: x > y),
    "minimum": chosen(lambda x, y: x < y),
    # One may get all where both are equal.
    "fmax": chosen(lambda x, y: x > y, None),
    "fmin": chosen(lambda x, y: x < y, None),
    "zeta": zeta,
    "gammainc": incomplete(False),
    "gammaincc": incomplete(True),
    "ldexp": ldexp,
    "swiglu": swiglu,
    "float_power": power,
    "heaviside": lambda x, y: ((ZERO if x < 0 else ONE), None, None),
    "copysign": lambda x, y: (abs(x) * mp.sign(y), mp.sign(x) * mp.sign(y), ZERO),
}
