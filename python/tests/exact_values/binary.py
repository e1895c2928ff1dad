# SPDX-License-Identifier: Apache-2.0
"""Functions of two numbers in mpmath: value and both derivatives, 60 digits.

Each is ``name: f``: f(x, y) of finite numbers is (value, by x, by y); None is
NaN: no value.
"""
import mpmath as mp
from mpmath import mpf

NONE = (None, None, None)
ONE, ZERO = mpf(1), mpf(0)


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
    "copysign": lambda x, y: (abs(x) * mp.sign(y), mp.sign(x) * mp.sign(y), ZERO),
}
