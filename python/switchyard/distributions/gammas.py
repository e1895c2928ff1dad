# SPDX-License-Identifier: Apache-2.0
"""The gamma distribution and what is made of its draws."""

from __future__ import annotations

import math

from switchyard import _core, special_incomplete
from switchyard.distributions.base import (Distribution, common, opened,
                                           outside, positive, tensors, times,
                                           value_of)
from switchyard.distributions.gamma_draws import gamma_draws

_ops = _core.ops


class Gamma(Distribution):
    """x ** (concentration - 1) exp(-rate x), for x above 0."""

    def __init__(self, concentration, rate):
        positive("Gamma", "concentration", concentration)
        positive("Gamma", "rate", rate)
        self.concentration, self.rate = tensors(concentration, rate)

    def rsample(self, shape=()):
        wide = common(self.concentration, self.rate)
        return _ops.divide(gamma_draws(wide, tuple(shape)), self.rate)

    def log_prob(self, value):
        value = value_of(value, self.rate)
        inside = _ops.greater_equal(value, 0.0)
        less = _ops.scale(self.concentration, 1.0, -1.0)
        safe = _ops.where(inside, value, _ops.ones_like(value))
        found = _ops.add(
            _ops.multiply(self.concentration, _ops.log(self.rate)),
            _ops.subtract(times(less, _ops.log(safe)),
                          _ops.multiply(self.rate, safe)))
        return outside(_ops.subtract(found, _ops.lgamma(self.concentration)), inside)

    def cdf(self, value):
        value = _ops.relu(value_of(value, self.rate))
        return special_incomplete.gammainc(self.concentration, value * self.rate)

    def entropy(self):
        a = self.concentration
        return _ops.add(_ops.subtract(a, _ops.log(self.rate)), _ops.add(
            _ops.lgamma(a), _ops.multiply(_ops.scale(a, -1.0, 1.0),
                                          _ops.digamma(a))))

    @property
    def mean(self):
        return _ops.divide(self.concentration, self.rate)

    @property
    def variance(self):
        return _ops.divide(self.concentration, _ops.square(self.rate))


class Chi2(Gamma):
    """The sum of squares of ``df`` draws of Normal(0, 1)."""

    def __init__(self, df):
        positive("Chi2", "df", df)
        (self.df,) = tensors(df)
        super().__init__(_ops.scale(self.df, 0.5), 0.5)


class Exponential(Distribution):
    """rate exp(-rate x), for x from 0."""

    def __init__(self, rate):
        positive("Exponential", "rate", rate)
        (self.rate,) = tensors(rate)

    def rsample(self, shape=()):
        return _ops.divide(_ops.scale(_ops.log(opened(tuple(shape), self.rate)), -1.0),
                           self.rate)

    def log_prob(self, value):
        value = value_of(value, self.rate)
        return outside(_ops.subtract(_ops.log(self.rate),
                                     _ops.multiply(self.rate, value)),
                       _ops.greater_equal(value, 0.0))

    def cdf(self, value):
        value = value_of(value, self.rate)
        return -_ops.expm1(-self.rate * _ops.relu(value))

    def icdf(self, value):
        return -_ops.log1p(-value_of(value, self.rate)) / self.rate

    def entropy(self):
        return _ops.scale(_ops.log(self.rate), -1.0, 1.0)

    @property
    def mean(self):
        return _ops.divide(1.0, self.rate)

    @property
    def variance(self):
        return _ops.square(self.mean)


class Dirichlet(Distribution):
    """Shares along the last axis, whose sum is 1: a vector is one draw."""

    event_rank = 1

    def __init__(self, concentration):
        (self.concentration,) = tensors(concentration)
        if not self.concentration.shape:
            raise ValueError("Dirichlet: concentration must have an axis of shares, "
                             "got none")

    def rsample(self, shape=()):
        parts = gamma_draws(self.concentration, tuple(shape))
        return _ops.divide(parts, _ops.sum(parts, -1, keepdim=True))

    def log_prob(self, value):
        value, a = value_of(value, self.concentration), self.concentration
        logs = _ops.sum(times(_ops.scale(a, 1.0, -1.0), _ops.log(value)), -1)
        return _ops.add(logs, _ops.subtract(_ops.lgamma(_ops.sum(a, -1)),
                                            _ops.sum(_ops.lgamma(a), -1)))

    def entropy(self):
        a = self.concentration
        total, count = _ops.sum(a, -1), a.shape[-1]
        norm = _ops.subtract(_ops.sum(_ops.lgamma(a), -1), _ops.lgamma(total))
        spread = _ops.sum(_ops.multiply(_ops.scale(a, 1.0, -1.0), _ops.digamma(a)), -1)
        return _ops.subtract(_ops.add(norm, _ops.multiply(
            _ops.scale(total, 1.0, -count), _ops.digamma(total))), spread)

    @property
    def mean(self):
        return _ops.divide(self.concentration, _ops.sum(self.concentration, -1,
                                                        keepdim=True))

    @property
    def variance(self):
        share, total = self.mean, _ops.sum(self.concentration, -1, keepdim=True)
        return _ops.divide(_ops.multiply(share, _ops.scale(share, -1.0, 1.0)),
                           _ops.scale(total, 1.0, 1.0))


class Beta(Distribution):
    """x ** (concentration1 - 1) (1 - x) ** (concentration0 - 1), in [0, 1]."""

    def __init__(self, concentration1, concentration0):
        positive("Beta", "concentration1", concentration1)
        positive("Beta", "concentration0", concentration0)
        one, zero = tensors(concentration1, concentration0)
        self.concentration1, self.concentration0 = common(one, zero), common(zero, one)

    def rsample(self, shape=()):
        one, zero = (gamma_draws(a, tuple(shape)) for a in (
            self.concentration1, self.concentration0))
        return _ops.divide(one, _ops.add(one, zero))

    def _log_norm(self):
        one, zero = self.concentration1, self.concentration0
        return _ops.subtract(_ops.add(_ops.lgamma(one), _ops.lgamma(zero)),
                             _ops.lgamma(_ops.add(one, zero)))

    def log_prob(self, value):
        value = value_of(value, self.concentration1)
        inside = _ops.logical_and(_ops.greater_equal(value, 0.0),
                                  _ops.less_equal(value, 1.0))
        safe = _ops.where(inside, value, _ops.full_like(value, 0.5))
        found = _ops.add(
            times(_ops.scale(self.concentration1, 1.0, -1.0), _ops.log(safe)),
            times(_ops.scale(self.concentration0, 1.0, -1.0),
                  _ops.log1p(_ops.scale(safe, -1.0))))
        return outside(_ops.subtract(found, self._log_norm()), inside)

    def entropy(self):
        one, zero = self.concentration1, self.concentration0
        total = _ops.add(one, zero)
        parts = [_ops.multiply(_ops.scale(a, 1.0, -1.0), _ops.digamma(a))
                 for a in (one, zero)]
        return _ops.add(_ops.subtract(self._log_norm(), _ops.add(*parts)),
                        _ops.multiply(_ops.scale(total, 1.0, -2.0),
                                      _ops.digamma(total)))

    @property
    def mean(self):
        return _ops.divide(self.concentration1, _ops.add(
            self.concentration1, self.concentration0))

    @property
    def variance(self):
        total = _ops.add(self.concentration1, self.concentration0)
        both = _ops.multiply(self.concentration1, self.concentration0)
        return _ops.divide(both, _ops.multiply(_ops.square(total),
                                               _ops.scale(total, 1.0, 1.0)))


class StudentT(Distribution):
    """loc + scale z / sqrt(Chi2(df) / df), z of Normal(0, 1)."""

    def __init__(self, df, loc=0.0, scale=1.0):
        positive("StudentT", "df", df)
        positive("StudentT", "scale", scale)
        self.df, self.loc, self.scale = tensors(df, loc, scale)

    def rsample(self, shape=()):
        like = common(common(self.df, self.loc), self.scale)
        wide = common(self.df, like)
        z = _ops.gaussian([*shape, *like.shape], 0.0, 1.0, like.dtype)
        square = _ops.divide(gamma_draws(_ops.scale(wide, 0.5), tuple(shape)),
                             _ops.scale(wide, 0.5))
        return _ops.add(self.loc, _ops.multiply(
            self.scale, _ops.multiply(z, _ops.rsqrt(square))))

    def log_prob(self, value):
        value = value_of(value, self.loc)
        z = _ops.divide(_ops.subtract(value, self.loc), self.scale)
        half = _ops.scale(self.df, 0.5, 0.5)
        norm = _ops.add(_ops.log(self.scale), _ops.add(
            _ops.scale(_ops.log(self.df), 0.5, 0.5 * math.log(math.pi)),
            _ops.subtract(_ops.lgamma(_ops.scale(self.df, 0.5)), _ops.lgamma(half))))
        return _ops.scale(_ops.add(norm, _ops.multiply(half, _ops.log1p(
            _ops.divide(_ops.square(z), self.df)))), -1.0)

    def entropy(self):
        half, less = _ops.scale(self.df, 0.5, 0.5), _ops.scale(self.df, 0.5)
        beta = _ops.subtract(_ops.add(_ops.lgamma(less), 0.5 * math.log(math.pi)),
                             _ops.lgamma(half))
        grown = _ops.multiply(half, _ops.subtract(_ops.digamma(half),
                                                  _ops.digamma(less)))
        found = _ops.add(_ops.add(_ops.scale(_ops.log(self.df), 0.5), beta),
                         _ops.add(grown, _ops.log(self.scale)))
        return common(found, self.loc)

    @property
    def mean(self):
        mean = common(common(self.loc, self.scale), self.df)
        return _ops.where(_ops.greater_than(self.df, 1.0), mean,
                          _ops.full([], math.nan, mean.dtype))

    @property
    def variance(self):
        nan, far = (_ops.full([], n, self.df.dtype) for n in (math.nan, math.inf))
        two = _ops.greater_than(self.df, 2.0)
        safe = _ops.where(two, self.df, _ops.full_like(self.df, 3.0))
        found = _ops.multiply(_ops.square(self.scale), _ops.divide(
            safe, _ops.scale(safe, 1.0, -2.0)))
        found = _ops.where(two, found, _ops.where(
            _ops.greater_than(self.df, 1.0), far, nan))
        return common(found, self.loc)
