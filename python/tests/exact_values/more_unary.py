# SPDX-License-Identifier: Apache-2.0
"""More functions of one number in mpmath, as those of unary.py: of the normal
distribution, of powers of 2, of angles."""
import mpmath as mp
from mpmath import mpf

mp.mp.dps = 60
INF, ONE, ZERO = mpf("inf"), mpf(1), mpf(0)
NONE = (None, None)


def density(x):
    """That of the normal distribution."""
    return mp.exp(-x * x / 2) / mp.sqrt(2 * mp.pi)


def below(x):
    """The share of the normal distribution below x."""
    return mp.erfc(-x / mp.sqrt(2)) / 2


def log_below(x):
    with mp.workdps(200):  # The square of the largest float counts.
        return mp.log(below(x)), density(x) / below(x)


def erfcx(x):
    value = mp.exp(x * x) * mp.erfc(x)
    terms = 2 * x * value, 2 / mp.sqrt(mp.pi)
    return value, terms[0] - terms[1], max(map(abs, terms))


def entr(x):
    if x <= 0:
        return (ZERO if x == 0 else -INF), None, ONE
    return -x * mp.log(x), -mp.log(x) - 1, max(abs(mp.log(x)), ONE)


def sinc(x):
    if x == 0:
        return ONE, ZERO, ONE
    with mp.workdps(250):  # The terms of the least x cancel.
        value = mp.sinpi(x) / (mp.pi * x)
        terms = mp.cospi(x) / x, value / x
        slope = terms[0] - terms[1]
    return value, slope, max(map(abs, terms))


def ndtri(x):
    if not 0 <= x <= 1:
        return NONE
    if x in (0, 1):
        return (-INF if x == 0 else INF), INF
    with mp.workdps(140):  # 1 - 2 x of the least x.
        y = mp.sqrt(2) * mp.erfinv(2 * x - 1)
    return y, 1 / density(y)


def scaled_by(factor):
    return lambda x: (x * factor, factor), (-INF, factor), (INF, factor)


MORE = {
    "erfc": (lambda x: (mp.erfc(x), -2 / mp.sqrt(mp.pi) * mp.exp(-x * x)),
             (mpf(2), -ZERO), (ZERO, -ZERO)),
    "exp2": (lambda x: (mp.power(2, x), mp.power(2, x) * mp.log(2)),
             (ZERO, ZERO), (INF, INF)),
    "sinc": (sinc, (ZERO, ZERO), (ZERO, ZERO)),
    "deg2rad": scaled_by(mp.pi / 180),
    "rad2deg": scaled_by(180 / mp.pi),
    "entr": (entr, (-INF, None), (-INF, None)),
    "erfcx": (erfcx, (INF, None), (ZERO, ZERO)),
    "ndtr": (lambda x: (below(x), density(x)), (ZERO, ZERO), (ONE, ZERO)),
    "log_ndtr": (log_below, (-INF, INF), (ZERO, ZERO)),
    "ndtri": (ndtri, NONE, NONE),
}
