# SPDX-License-Identifier: Apache-2.0
"""Distributions of positive numbers with long tails, and of shares by powers."""

from __future__ import annotations

import math

from switchyard import _core, special_incomplete
from switchyard.distributions.base import (Distribution, common, opened, outside,
                                           positive, tensors, times, value_of)
from switchyard.distributions.gamma_draws import gamma_draws
from switchyard.distributions.locations import _EULER, Cauchy

_ops = _core.ops


def _of(like, value):
    return _ops.full([], value, like.dtype)


def where_else(holds, found, other):
    """``found`` where it holds, else a number."""
    return _ops.where(holds, found, _of(found, other))


def safe(holds, x, other):
    """x where it holds, else a number whose functions are finite."""
    return _ops.where(holds, x, _ops.full_like(x, other))


class Pareto(Distribution):
    """alpha scale ** alpha / x ** (alpha + 1), for x from ``scale``."""

    def __init__(self, scale, alpha):
        positive("Pareto", "scale", scale)
        positive("Pareto", "alpha", alpha)
        scale, alpha = tensors(scale, alpha)
        self.scale, self.alpha = common(scale, alpha), common(alpha, scale)

    def rsample(self, shape=()):
        u = opened(tuple(shape), self.scale)
        return self.scale * _ops.exp(_ops.log(u) / -self.alpha)

    def log_prob(self, value):
        value = value_of(value, self.scale)
        inside = value >= self.scale
        ratio = _ops.log(safe(inside, value, 1.0) / self.scale)
        found = _ops.log(self.alpha / self.scale) - (self.alpha + 1.0) * ratio
        return outside(found, inside)

    def cdf(self, value):
        value = value_of(value, self.scale)
        ratio = self.scale / _ops.maximum(value, self.scale)
        return -_ops.expm1(self.alpha * _ops.log(ratio))

    def icdf(self, value):
        return self.scale * _ops.exp(
            _ops.log1p(-value_of(value, self.scale)) / -self.alpha)

    def entropy(self):
        return _ops.log(self.scale / self.alpha) + 1.0 + 1.0 / self.alpha

    @property
    def mean(self):
        some = self.alpha > 1.0
        alpha = safe(some, self.alpha, 2.0)
        return where_else(some, alpha * self.scale / (alpha - 1.0), math.inf)

    @property
    def variance(self):
        some = self.alpha > 2.0
        alpha = safe(some, self.alpha, 3.0)
        spread = _ops.square(self.scale / (alpha - 1.0)) * alpha / (alpha - 2.0)
        return where_else(some, spread, math.inf)


class Weibull(Distribution):
    """How long until the first failure: the probability of longer than x is
    exp(-(x / scale) ** concentration)."""

    def __init__(self, scale, concentration):
        positive("Weibull", "scale", scale)
        positive("Weibull", "concentration", concentration)
        scale, a = tensors(scale, concentration)
        self.scale, self.concentration = common(scale, a), common(a, scale)

    def rsample(self, shape=()):
        u = opened(tuple(shape), self.scale)
        return self.scale * (-_ops.log(u))**(1.0 / self.concentration)

    def log_prob(self, value):
        value = value_of(value, self.scale)
        inside = value >= 0.0
        ratio = safe(inside, value, 1.0) / self.scale
        found = _ops.log(self.concentration / self.scale) + times(
            self.concentration - 1.0, _ops.log(ratio)) - ratio**self.concentration
        return outside(found, inside)

    def cdf(self, value):
        value = value_of(value, self.scale)
        return -_ops.expm1(-(_ops.relu(value) / self.scale)**self.concentration)

    def icdf(self, value):
        log = _ops.log1p(-value_of(value, self.scale))
        return self.scale * (-log)**(1.0 / self.concentration)

    def entropy(self):
        part = 1.0 / self.concentration
        return _EULER * (1.0 - part) + _ops.log(self.scale * part) + 1.0

    def _moment(self, n):
        return _ops.exp(_ops.lgamma(1.0 + n / self.concentration))

    @property
    def mean(self):
        return self.scale * self._moment(1.0)

    @property
    def variance(self):
        return _ops.square(self.scale) * (
            self._moment(2.0) - _ops.square(self._moment(1.0)))


class InverseGamma(Distribution):
    """1 / x of a draw x of Gamma(``concentration``, ``rate``)."""

    def __init__(self, concentration, rate):
        positive("InverseGamma", "concentration", concentration)
        positive("InverseGamma", "rate", rate)
        a, rate = tensors(concentration, rate)
        self.concentration, self.rate = common(a, rate), common(rate, a)

    def rsample(self, shape=()):
        return self.rate / gamma_draws(self.concentration, tuple(shape))

    def log_prob(self, value):
        value, a = value_of(value, self.rate), self.concentration
        inside = value > 0.0
        x = safe(inside, value, 1.0)
        found = a * _ops.log(self.rate) - _ops.lgamma(a) - (
            (a + 1.0) * _ops.log(x)) - self.rate / x
        return outside(found, inside)

    def cdf(self, value):
        value = _ops.relu(value_of(value, self.rate))
        return special_incomplete.gammaincc(self.concentration, self.rate / value)

    def entropy(self):
        a = self.concentration
        return a + _ops.log(self.rate) + _ops.lgamma(a) - (1.0 + a) * _ops.digamma(a)

    @property
    def mean(self):
        some = self.concentration > 1.0
        a = safe(some, self.concentration, 2.0)
        return where_else(some, self.rate / (a - 1.0), math.inf)

    @property
    def variance(self):
        some = self.concentration > 2.0
        a = safe(some, self.concentration, 3.0)
        return where_else(some, _ops.square(self.rate / (a - 1.0)) / (a - 2.0),
                          math.inf)


class HalfCauchy(Distribution):
    """The magnitude of a draw of Cauchy(0, ``scale``); its mean is infinite."""

    def __init__(self, scale):
        positive("HalfCauchy", "scale", scale)
        (self.scale,) = tensors(scale)

    def rsample(self, shape=()):
        return _ops.abs(Cauchy(_ops.zeros_like(self.scale), self.scale).rsample(shape))

    def log_prob(self, value):
        value = value_of(value, self.scale)
        both = Cauchy(_ops.zeros_like(self.scale), self.scale).log_prob(value)
        return outside(both + math.log(2.0), value >= 0.0)

    def cdf(self, value):
        value = value_of(value, self.scale)
        return _ops.atan(_ops.maximum(value, _of(value, 0.0)) / self.scale) * (
            2.0 / math.pi)

    def icdf(self, value):
        return self.scale * _ops.tan(value_of(value, self.scale) * (math.pi / 2.0))

    def entropy(self):
        return _ops.log(self.scale * (2.0 * math.pi))

    @property
    def mean(self):
        return _ops.full_like(self.scale, math.inf)

    @property
    def variance(self):
        return self.mean


class FisherSnedecor(Distribution):
    """The ratio of two draws of Chi2, each divided by its degrees of freedom."""

    def __init__(self, df1, df2):
        positive("FisherSnedecor", "df1", df1)
        positive("FisherSnedecor", "df2", df2)
        one, two = tensors(df1, df2)
        self.df1, self.df2 = common(one, two), common(two, one)

    def rsample(self, shape=()):
        one, two = (gamma_draws(df * 0.5, tuple(shape)) / df for df in (
            self.df1, self.df2))
        return one / two

    def log_prob(self, value):
        value = value_of(value, self.df1)
        inside = value > 0.0
        x = safe(inside, value, 1.0)
        one, two, ratio = self.df1 * 0.5, self.df2 * 0.5, self.df1 / self.df2
        norm = _ops.lgamma(one + two) - _ops.lgamma(one) - _ops.lgamma(two)
        found = norm + one * _ops.log(ratio) + (one - 1.0) * _ops.log(x) - (
            (one + two) * _ops.log1p(ratio * x))
        return outside(found, inside)

    @property
    def mean(self):
        some = self.df2 > 2.0
        df = safe(some, self.df2, 3.0)
        return where_else(some, df / (df - 2.0), math.nan)

    @property
    def variance(self):
        some, one = self.df2 > 4.0, self.df1
        df = safe(some, self.df2, 5.0)
        spread = 2.0 * _ops.square(df / (df - 2.0)) * (one + df - 2.0) / (
            one * (df - 4.0))
        return where_else(some, spread, math.nan)


class GeneralizedPareto(Distribution):
    """Numbers that exceed a high bound ``loc``: (1 + concentration z) ** (-1 /
    concentration) is the probability of more than z = (x - loc) / scale; exp(-z)
    where the concentration is 0."""

    def __init__(self, loc, scale, concentration):
        positive("GeneralizedPareto", "scale", scale)
        loc, scale, k = tensors(loc, scale, concentration)
        like = common(common(loc, scale), k)
        self.loc, self.scale = common(loc, like), common(scale, like)
        self.concentration = common(k, like)

    def _parts(self):
        """(Whether the concentration is not 0, it where it is not, else 1)."""
        some = _ops.not_equal(self.concentration, _of(self.loc, 0.0))
        return some, safe(some, self.concentration, 1.0)

    def icdf(self, value):
        return self._of_log(_ops.log1p(-value_of(value, self.loc)))

    def _of_log(self, log):
        some, k = self._parts()
        z = _ops.where(some, _ops.expm1(-k * log) / k, _ops.add(
            -log, _ops.zeros_like(k)))
        return self.loc + self.scale * z

    def rsample(self, shape=()):
        return self._of_log(_ops.log(opened(tuple(shape), self.loc)))

    def _log_above(self, value):
        """The logarithm of the probability of more, and where that is not 0."""
        some, k = self._parts()
        z = (value - self.loc) / self.scale
        inside = _ops.logical_and(z >= 0.0, 1.0 + self.concentration * z > 0.0)
        z = safe(inside, z, 0.0)
        bent = -_ops.log1p(self.concentration * z) / k
        return _ops.where(some, bent, -z), inside

    def log_prob(self, value):
        log, inside = self._log_above(value_of(value, self.loc))
        found = (1.0 + self.concentration) * log - _ops.log(self.scale)
        return outside(found, inside)

    def cdf(self, value):
        value = value_of(value, self.loc)
        log, inside = self._log_above(value)
        beyond = _ops.cast(value > self.loc, value.dtype)
        return _ops.where(inside, -_ops.expm1(log), beyond)

    def entropy(self):
        return _ops.log(self.scale) + self.concentration + 1.0

    @property
    def mean(self):
        some = self.concentration < 1.0
        k = safe(some, self.concentration, 0.0)
        return where_else(some, self.loc + self.scale / (1.0 - k), math.inf)

    @property
    def variance(self):
        some = self.concentration < 0.5
        k = safe(some, self.concentration, 0.0)
        return where_else(some, _ops.square(self.scale / (1.0 - k)) / (1.0 - 2.0 * k),
                          math.inf)
