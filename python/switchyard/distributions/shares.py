# SPDX-License-Identifier: Apache-2.0
"""Further distributions of shares: in [0, 1], and of vectors whose sum is 1."""

from __future__ import annotations

import math
import numbers

from switchyard import _core
from switchyard.distributions.base import (Distribution, common, one_of, opened,
                                           outside, positive, softplus, tensors,
                                           times, value_of)
from switchyard.distributions.locations import _EULER
from switchyard.distributions.plain import Normal
from switchyard.distributions.transformed import TransformedDistribution
from switchyard.distributions.vector_transforms import StickBreakingTransform

_ops = _core.ops


class Kumaraswamy(Distribution):
    """The probability of up to x in [0, 1] is 1 - (1 - x ** concentration1) **
    concentration0."""

    def __init__(self, concentration1, concentration0):
        positive("Kumaraswamy", "concentration1", concentration1)
        positive("Kumaraswamy", "concentration0", concentration0)
        one, zero = tensors(concentration1, concentration0)
        self.concentration1, self.concentration0 = common(one, zero), common(zero, one)

    def rsample(self, shape=()):
        u = opened(tuple(shape), self.concentration1)
        power = -_ops.expm1(_ops.log(u) / self.concentration0)
        return power**(1.0 / self.concentration1)

    def log_prob(self, value):
        a, b = self.concentration1, self.concentration0
        value = value_of(value, a)
        inside = _ops.logical_and(value >= 0.0, value <= 1.0)
        log = _ops.log(_ops.where(inside, value, _ops.full_like(value, 0.5)))
        rest = _ops.log(-_ops.expm1(a * log))
        found = _ops.log(a * b) + times(a - 1.0, log) + times(b - 1.0, rest)
        return outside(found, inside)

    def cdf(self, value):
        value = value_of(value, self.concentration1)
        power = _ops.clip(value, 0.0, 1.0)**self.concentration1
        return 1.0 - (1.0 - power)**self.concentration0

    def icdf(self, value):
        log = _ops.log1p(-value_of(value, self.concentration1))
        power = -_ops.expm1(log / self.concentration0)
        return power**(1.0 / self.concentration1)

    def entropy(self):
        a, b = self.concentration1, self.concentration0
        harmonic = _ops.digamma(b + 1.0) + _EULER
        return 1.0 - 1.0 / b + (1.0 - 1.0 / a) * harmonic - _ops.log(a * b)

    def _moment(self, n):
        a, b = self.concentration1, self.concentration0
        part = 1.0 + n / a
        return b * _ops.exp(_ops.lgamma(part) + _ops.lgamma(b) - _ops.lgamma(part + b))

    @property
    def mean(self):
        return self._moment(1.0)

    @property
    def variance(self):
        return self._moment(2.0) - _ops.square(self._moment(1.0))


class ContinuousBernoulli(Distribution):
    """probs ** x (1 - probs) ** (1 - x), for x in [0, 1], by its integral.

    ``lims``: near a half, between these, series take the place of quotients whose
    both parts are 0 there.
    """

    def __init__(self, probs=None, logits=None, lims=(0.499, 0.501)):
        one_of("ContinuousBernoulli", probs, logits)
        if isinstance(probs, numbers.Real) and not 0.0 < probs < 1.0:
            raise ValueError(f"ContinuousBernoulli: probs must be in (0, 1), got {probs}")
        (given,) = tensors(logits if probs is None else probs)
        self.probs = _ops.sigmoid(given) if probs is None else given
        self._given_logits = given if probs is None else None
        self._lims = lims

    @property
    def logits(self):
        """log(p / (1 - p))."""
        if self._given_logits is not None:
            return self._given_logits
        return _ops.log(self.probs) - _ops.log1p(-self.probs)

    def _near(self):
        return _ops.logical_and(self.probs > self._lims[0], self.probs < self._lims[1])

    def _far(self):
        """probs, and 0.25 near a half."""
        return _ops.where(self._near(), _ops.full_like(self.probs, 0.25), self.probs)

    def _log_norm(self):
        far, x = self._far(), _ops.square(self.probs - 0.5)
        apart = 1.0 - 2.0 * far
        exact = _ops.log(_ops.abs(2.0 * _ops.atanh(apart))) - _ops.log(_ops.abs(apart))
        series = math.log(2.0) + (4.0 / 3.0 + 104.0 / 45.0 * x) * x
        return _ops.where(self._near(), series, exact)

    def log_prob(self, value):
        value = value_of(value, self.probs)
        inside = _ops.logical_and(value >= 0.0, value <= 1.0)
        found = value * self.logits - softplus(self.logits) + self._log_norm()
        return outside(found, inside)

    def icdf(self, value):
        u, far = value_of(value, self.probs), self._far()
        rest = _ops.log1p(-far)
        exact = (_ops.log1p(u * (2.0 * far - 1.0) - far) - rest) / (_ops.log(far) - rest)
        return _ops.where(self._near(), _ops.add(u, _ops.zeros_like(far)), exact)

    def cdf(self, value):
        value = value_of(value, self.probs)
        x, far = _ops.clip(value, 0.0, 1.0), self._far()
        exact = (far**x * (1.0 - far)**(1.0 - x) + far - 1.0) / (2.0 * far - 1.0)
        return _ops.where(self._near(), _ops.add(x, _ops.zeros_like(far)), exact)

    def rsample(self, shape=()):
        return self.icdf(opened(tuple(shape), self.probs))

    def entropy(self):
        rest = -softplus(self.logits)
        return -self.mean * self.logits - self._log_norm() - rest

    @property
    def mean(self):
        far, x = self._far(), self.probs - 0.5
        exact = far / (2.0 * far - 1.0) + 0.5 / _ops.atanh(1.0 - 2.0 * far)
        series = 0.5 + (1.0 / 3.0 + 16.0 / 45.0 * _ops.square(x)) * x
        return _ops.where(self._near(), series, exact)

    @property
    def variance(self):
        far, x = self._far(), _ops.square(self.probs - 0.5)
        apart = 1.0 - 2.0 * far
        exact = far * (far - 1.0) / _ops.square(apart) + 0.25 / _ops.square(
            _ops.atanh(apart))
        series = 1.0 / 12.0 - (1.0 / 15.0 - 128.0 / 945.0 * x) * x
        return _ops.where(self._near(), series, exact)


class LogisticNormal(TransformedDistribution):
    """Shares [n + 1] whose sum is 1, made by StickBreakingTransform of vectors [n]
    of Normal(``loc``, ``scale``)."""

    def __init__(self, loc, scale):
        positive("LogisticNormal", "scale", scale)
        base = Normal(loc, scale)
        if not base.batch_shape:
            base = Normal(_ops.reshape(base.loc, [1]), base.scale)
        super().__init__(base, StickBreakingTransform())
        self.loc, self.scale = base.loc, base.scale


class RelaxedBernoulli(Distribution):
    """Numbers in (0, 1) that are near 0 or 1 where ``temperature`` is low: a draw of
    Bernoulli with a gradient (Maddison and others, 2017)."""

    def __init__(self, temperature, probs=None, logits=None):
        positive("RelaxedBernoulli", "temperature", temperature)
        one_of("RelaxedBernoulli", probs, logits)
        if isinstance(probs, numbers.Real) and not 0.0 <= probs <= 1.0:
            raise ValueError(f"RelaxedBernoulli: probs must be in [0, 1], got {probs}")
        self.temperature, given = tensors(
            temperature, logits if probs is None else probs)
        self.logits = given if probs is None else (
            _ops.log(given) - _ops.log1p(-given))
        self.probs = _ops.sigmoid(given) if probs is None else given

    @property
    def batch_shape(self):
        return tuple(common(self.logits, self.temperature).shape)

    @property
    def event_shape(self):
        return ()

    def rsample(self, shape=()):
        u = opened(tuple(shape), common(self.logits, self.temperature))
        noise = _ops.log(u) - _ops.log1p(-u)
        return _ops.sigmoid((noise + self.logits) / self.temperature)

    def log_prob(self, value):
        value = value_of(value, self.logits)
        inside = _ops.logical_and(value > 0.0, value < 1.0)
        y = _ops.where(inside, value, _ops.full_like(value, 0.5))
        yes, no = _ops.log(y), _ops.log1p(-y)
        apart = self.logits - (yes - no) * self.temperature
        found = _ops.log(self.temperature) + apart - 2.0 * softplus(apart) - yes - no
        return outside(found, inside)
