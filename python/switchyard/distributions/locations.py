# SPDX-License-Identifier: Apache-2.0
"""Distributions of a place and a width, and some on one side of 0."""

from __future__ import annotations

import math

from switchyard import _core
from switchyard.distributions.base import (Distribution, common, opened,
                                           outside, positive, tensors, value_of)
from switchyard.distributions.plain import Normal

_ops = _core.ops


class _Located(Distribution):
    """Base: ``loc`` plus ``scale`` times a draw of the standard one."""

    def __init__(self, loc, scale):
        positive(type(self).__name__, "scale", scale)
        self.loc, self.scale = tensors(loc, scale)

    def standard(self, u):
        """The standard draw of numbers uniform in (0, 1)."""
        raise NotImplementedError(f"{type(self).__name__}.standard")

    def rsample(self, shape=()):
        like = common(self.loc, self.scale)
        return _ops.add(self.loc, _ops.multiply(
            self.scale, self.standard(opened(shape, like))))

    def icdf(self, value):
        return self.loc + self.scale * self.standard(value_of(value, self.loc))

    def distance(self, value):
        """(value - loc) / scale."""
        value = value_of(value, self.loc)
        return _ops.divide(_ops.subtract(value, self.loc), self.scale)

    def _wide(self, log_scale):
        return common(log_scale, self.loc)

    @property
    def mean(self):
        return common(self.loc, self.scale)


class Laplace(_Located):
    """exp(-|x - loc| / scale) / (2 scale)."""

    def standard(self, u):
        centred = _ops.scale(u, 1.0, -0.5)
        size = _ops.log1p(_ops.scale(_ops.abs(centred), -2.0))
        return _ops.scale(_ops.multiply(_ops.sign(centred), size), -1.0)

    def log_prob(self, value):
        return _ops.scale(_ops.add(_ops.abs(self.distance(value)), _ops.log(
            self.scale)), -1.0, -math.log(2.0))

    def cdf(self, value):
        z = self.distance(value)
        return 0.5 - 0.5 * _ops.sign(z) * _ops.expm1(-_ops.abs(z))

    def entropy(self):
        return self._wide(_ops.scale(_ops.log(self.scale), 1.0, 1.0 + math.log(2.0)))

    @property
    def variance(self):
        return self._wide(_ops.scale(_ops.square(self.scale), 2.0))


class Cauchy(_Located):
    """1 / (π scale (1 + ((x - loc) / scale)²)); its mean and variance are NaN."""

    def standard(self, u):
        return _ops.tan(_ops.scale(u, math.pi, -0.5 * math.pi))

    def log_prob(self, value):
        far = _ops.log1p(_ops.square(self.distance(value)))
        return _ops.scale(_ops.add(far, _ops.log(self.scale)), -1.0,
                          -math.log(math.pi))

    def cdf(self, value):
        return _ops.atan(self.distance(value)) / math.pi + 0.5

    def entropy(self):
        return self._wide(_ops.scale(_ops.log(self.scale), 1.0,
                                     math.log(4.0 * math.pi)))

    @property
    def mean(self):
        return _ops.full_like(common(self.loc, self.scale), math.nan)

    @property
    def variance(self):
        return self.mean


class Gumbel(_Located):
    """The largest of many: log p = -(z + exp(-z)) - log scale, z = (x - loc) /
    scale."""

    def standard(self, u):
        return _ops.scale(_ops.log(_ops.scale(_ops.log(u), -1.0)), -1.0)

    def log_prob(self, value):
        z = self.distance(value)
        return _ops.scale(_ops.add(_ops.add(z, _ops.exp(_ops.scale(z, -1.0))),
                                   _ops.log(self.scale)), -1.0)

    def cdf(self, value):
        return _ops.exp(-_ops.exp(-self.distance(value)))

    def entropy(self):
        return self._wide(_ops.scale(_ops.log(self.scale), 1.0, 1.0 + _EULER))

    @property
    def mean(self):
        return _ops.add(self.loc, _ops.scale(self.scale, _EULER))

    @property
    def variance(self):
        return self._wide(_ops.scale(_ops.square(self.scale), math.pi**2 / 6.0))


_EULER = 0.5772156649015329


class HalfNormal(Distribution):
    """The magnitude of a draw of Normal(0, ``scale``)."""

    def __init__(self, scale):
        positive("HalfNormal", "scale", scale)
        (self.scale,) = tensors(scale)

    def rsample(self, shape=()):
        return _ops.abs(Normal(_ops.zeros_like(self.scale), self.scale).rsample(shape))

    def log_prob(self, value):
        value = value_of(value, self.scale)
        both = Normal(_ops.zeros_like(self.scale), self.scale).log_prob(value)
        return outside(_ops.scale(both, 1.0, math.log(2.0)),
                       _ops.greater_equal(value, 0.0))

    def cdf(self, value):
        value = value_of(value, self.scale)
        return _ops.erf(_ops.relu(value) / (self.scale * math.sqrt(2.0)))

    def icdf(self, value):
        return self.scale * math.sqrt(2.0) * _ops.erfinv(value_of(value, self.scale))

    def entropy(self):
        return _ops.scale(_ops.log(self.scale), 1.0,
                          0.5 * math.log(math.pi / 2.0) + 0.5)

    @property
    def mean(self):
        return _ops.scale(self.scale, math.sqrt(2.0 / math.pi))

    @property
    def variance(self):
        return _ops.scale(_ops.square(self.scale), 1.0 - 2.0 / math.pi)


class LogNormal(Distribution):
    """exp of a draw of Normal(``loc``, ``scale``)."""

    def __init__(self, loc, scale):
        positive("LogNormal", "scale", scale)
        self.loc, self.scale = tensors(loc, scale)
        self._normal = Normal(self.loc, self.scale)

    def rsample(self, shape=()):
        return _ops.exp(self._normal.rsample(shape))

    def log_prob(self, value):
        value = value_of(value, self.loc)
        inside = _ops.greater_than(value, 0.0)
        logs = _ops.log(_ops.where(inside, value, _ops.ones_like(value)))
        return outside(_ops.subtract(self._normal.log_prob(logs), logs), inside)

    def cdf(self, value):
        value = value_of(value, self.loc)
        inside = value > 0.0
        logs = _ops.log(_ops.where(inside, value, _ops.ones_like(value)))
        found = self._normal.cdf(logs)
        return _ops.where(inside, found, _ops.zeros_like(found))

    def icdf(self, value):
        return _ops.exp(self._normal.icdf(value))

    def entropy(self):
        return _ops.add(self._normal.entropy(), self.loc)

    @property
    def mean(self):
        return _ops.exp(_ops.add(self.loc, _ops.scale(_ops.square(self.scale), 0.5)))

    @property
    def variance(self):
        square = _ops.square(self.scale)
        return _ops.multiply(_ops.expm1(square), _ops.square(self.mean))
