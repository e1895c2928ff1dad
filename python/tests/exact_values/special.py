# SPDX-License-Identifier: Apache-2.0
"""Special functions of one number in mpmath, as those of unary.py: Bessel's, Airy's,
the gamma function's relatives, orthogonal polynomials, and steps."""
import mpmath as mp
from mpmath import mpf

mp.mp.dps = 60
INF, ONE, ZERO = mpf("inf"), mpf(1), mpf(0)
NONE = (None, None)
ENDS = (ZERO, ZERO)


def both(f):
    """A function that has values at all numbers, 0 at the infinities."""
    return f, ENDS, ENDS


def above_0(f, at_zero):
    """A function that has no values below 0."""
    def g(x):
        return NONE if x < 0 else at_zero if x == 0 else f(x)
    return g, NONE, ENDS


def bessel_j1(x):
    one = mp.besselj(1, x)
    return one, mp.besselj(0, x) - one / x if x else ONE / 2


def bessel_y1(x):
    one = mp.bessely(1, x)
    return one, mp.bessely(0, x) - one / x


def scaled_k(order, x):
    """exp(x) K(x). Between its series and its expansion mpmath takes seconds, and
    equal steps over the integral have 60 digits."""
    if not 4 < x < 1000:
        return mp.besselk(order, x) * mp.exp(x)
    step = 1 / (8 * mp.sqrt(x))
    total, i = ONE / 2, 0
    while True:
        i += 1
        above = 2 * mp.sinh(i * step / 2) ** 2
        if x * above > 150:
            return total * step
        total += mp.exp(-x * above) * (1 + above if order else 1)


def k(order, scaled):
    def f(x):
        with mp.workdps(80):  # The scaled ones are neighbours far from 0.
            size = ONE if scaled else mp.exp(-x)
            zero, one = (scaled_k(n, x) * size for n in (0, 1))
            if order == 0:
                return zero, (zero if scaled else ZERO) - one
            return one, (one if scaled else ZERO) - zero - one / x
    return above_0(f, (INF, -INF))


def airy(x):
    with mp.workdps(140):  # The phase has some 60 digits before the point.
        return mp.airyai(x), mp.airyai(x, derivative=1)


def spherical(x):
    if x == 0:
        return ONE, ZERO
    with mp.workdps(240):
        return mp.sin(x) / x, mp.cos(x) / x - mp.sin(x) / (x * x)


def polygamma(order):
    """The slopes of digamma of order 1 or 2, below 0 by reflection."""
    sign = mpf(-1) ** (order + 1)

    def f(x):
        if x <= 0 and x == mp.floor(x):
            return sign * INF, -sign * INF
        if x > 0:
            return mp.psi(order, x), mp.psi(order + 1, x)
        sine, cosine = mp.sinpi(x), mp.cospi(x)
        turns = (mp.pi**2 / sine**2, -2 * mp.pi**3 * cosine / sine**3,
                 2 * mp.pi**4 * (1 + 2 * cosine**2) / sine**4)
        rest = [mpf(-1) ** n * mp.psi(n, 1 - x) for n in (1, 2, 3)]
        found = [a + b for a, b in zip(turns, rest)]
        return found[order - 1], found[order]
    return f, NONE, ENDS


def mvlgamma(x):
    """The multivariate gamma function's logarithm, in three dimensions."""
    from unary import lgamma  # pylint: disable=import-outside-toplevel
    if x > mpf(2) ** 60:
        value, slope = lgamma(x)
        return 3 * value, 3 * slope
    parts = [lgamma(x - mpf(j) / 2) for j in range(3)]
    value = sum(part[0] for part in parts) + mp.log(mp.pi) * 3 / 2
    slopes = [part[1] for part in parts]
    if None in slopes:
        return value, None
    return value, sum(slopes), max(map(abs, slopes))


def polynomial(n, first, step, shift=False):
    """The n-th: p[k + 1] = (a x + b) p[k] - c p[k - 1], (a, b, c) of step(k)."""
    def f(given):
        x = 2 * given - 1 if shift else given
        before, now = (ONE, ZERO), (first[0] * x + first[1], mpf(first[0]))
        for i in range(1, n):
            a, b, c = step(mpf(i))
            line = a * x + b
            before, now = now, (line * now[0] - c * before[0],
                                line * now[1] + a * now[0] - c * before[1])
        return now[0], now[1] * (2 if shift else 1)
    # An end's sign is that of the leading coefficient.
    ends = [[part / abs(part) * INF for part in f(mpf(s) * mpf(10) ** 60)]
            for s in (-1, 1)]
    return f, ends[0], ends[1]


def twice(i):
    del i
    return 2, 0, 1


KINDS = {
    "chebyshev_polynomial_t": ((1, 0), twice),
    "chebyshev_polynomial_u": ((2, 0), twice),
    "chebyshev_polynomial_v": ((2, -1), twice),
    "chebyshev_polynomial_w": ((2, 1), twice),
    "hermite_polynomial_h": ((2, 0), lambda i: (2, 0, 2 * i)),
    "hermite_polynomial_he": ((1, 0), lambda i: (1, 0, i)),
    "laguerre_polynomial_l": (
        (-1, 1), lambda i: (-1 / (i + 1), (2 * i + 1) / (i + 1), i / (i + 1))),
    "legendre_polynomial_p": (
        (1, 0), lambda i: ((2 * i + 1) / (i + 1), 0, i / (i + 1))),
}
DEGREES = (2, 5, 20)


def polynomials():
    found = {}
    for name, (first, step) in KINDS.items():
        for n in DEGREES:
            found[f"{name} of {n}"] = polynomial(n, first, step)
            if name.startswith("chebyshev"):
                found[f"shifted_{name} of {n}"] = polynomial(n, first, step, True)
    return found


def flat(f):
    return lambda x: (f(x), ZERO)


def rounded(x):
    """Halves to even numbers."""
    return mp.nint(x)


def step(f):
    return flat(f), (-INF, ZERO), (INF, ZERO)


def soft_relu(x):
    """log(1 + exp(x)) of x within 40 of 0."""
    y = min(max(x, mpf(-40)), mpf(40))
    return mp.log1p(mp.exp(y)), 1 / (1 + mp.exp(-y)) if x == y else ZERO


SPECIAL_FUNCTIONS = {
    "bessel_j0": both(lambda x: (mp.besselj(0, x), -mp.besselj(1, x))),
    "bessel_j1": both(bessel_j1),
    "bessel_y0": above_0(lambda x: (mp.bessely(0, x), -mp.bessely(1, x)), (-INF, INF)),
    "bessel_y1": above_0(bessel_y1, (-INF, INF)),
    "modified_bessel_k0": k(0, False),
    "modified_bessel_k1": k(1, False),
    "scaled_modified_bessel_k0": k(0, True),
    "scaled_modified_bessel_k1": k(1, True),
    "airy_ai": (airy, (ZERO, None), ENDS),
    "spherical_bessel_j0": both(spherical),
    "polygamma of 1": polygamma(1),
    "polygamma of 2": polygamma(2),
    "mvlgamma of 3": (mvlgamma, (INF, None), (INF, INF)),
    **polynomials(),
    "rrelu": (lambda x: (x, ONE) if x > 0 else (
        x * 11 / 48, ONE * 11 / 48 if x else None),
              (-INF, ONE * 11 / 48), (INF, ONE)),
    "thresholded_relu": (lambda x: (x, ONE) if x > 1 else ENDS, ENDS, (INF, ONE)),
    "soft_relu": (soft_relu, (soft_relu(mpf(-40))[0], ZERO),
                  (soft_relu(mpf(40))[0], ZERO)),
    "floor": step(mp.floor),
    "ceil": step(mp.ceil),
    "trunc": step(lambda x: mp.sign(x) * mp.floor(abs(x))),
    "round": step(rounded),
    "sign": (flat(mp.sign), (-ONE, ZERO), (ONE, ZERO)),
    "frac": (lambda x: (x - mp.sign(x) * mp.floor(abs(x)), ONE), NONE, NONE),
    "angle": (flat(lambda x: mp.pi if x < 0 else ZERO), (mp.pi, ZERO), (ZERO, ZERO)),
}
