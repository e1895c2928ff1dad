# SPDX-License-Identifier: Apache-2.0
"""The normal and the uniform distribution."""

from __future__ import annotations

import math
import numbers

from switchyard import _core
from switchyard.distributions.base import (Distribution, common, positive,
                                           tensors, value_of)

_ops = _core.ops


class Normal(Distribution):
    """The normal distribution around ``loc``, of standard deviation ``scale``."""

    def __init__(self, loc, scale):
        positive("Normal", "scale", scale)
        self.loc, self.scale = tensors(loc, scale)

    def rsample(self, shape=()):
        like = common(self.loc, self.scale)
        noise = _ops.gaussian([*shape, *like.shape], 0.0, 1.0, like.dtype)
        return _ops.add(self.loc, _ops.multiply(self.scale, noise))

    def log_prob(self, value):
        value = value_of(value, self.loc)
        distance = _ops.divide(_ops.subtract(value, self.loc), self.scale)
        return _ops.subtract(
            _ops.scale(_ops.square(distance), -0.5,
                       -0.5 * math.log(2.0 * math.pi)), _ops.log(self.scale))

    def entropy(self):
        scale = common(self.scale, self.loc)
        return _ops.scale(_ops.log(scale), 1.0,
                          0.5 + 0.5 * math.log(2.0 * math.pi))

    def cdf(self, value):
        distance = _ops.divide(_ops.subtract(value_of(value, self.loc), self.loc),
                               self.scale)
        return _ops.scale(_ops.erf(_ops.scale(distance, math.sqrt(0.5))),
                          0.5, 0.5)

    def icdf(self, value):
        value = value_of(value, self.loc)
        return self.loc + self.scale * math.sqrt(2.0) * _ops.erfinv(2.0 * value - 1.0)

    @property
    def mean(self):
        return common(self.loc, self.scale)

    @property
    def variance(self):
        return _ops.square(common(self.scale, self.loc))


class Uniform(Distribution):
    """Uniform from ``low`` up to ``high``, which is not included."""

    def __init__(self, low, high):
        if isinstance(low, numbers.Real) and isinstance(
                high, numbers.Real) and not low < high:
            raise ValueError(f"Uniform: high must be above low {low}, got {high}")
        self.low, self.high = tensors(low, high)

    def _width(self):
        return _ops.subtract(self.high, self.low)

    def rsample(self, shape=()):
        width = self._width()
        part = _ops.uniform([*shape, *width.shape], 0.0, 1.0, width.dtype)
        return _ops.add(self.low, _ops.multiply(width, part))

    def log_prob(self, value):
        value = value_of(value, self.low)
        inside = _ops.logical_and(_ops.greater_equal(value, self.low),
                                  _ops.less_than(value, self.high))
        density = common(_ops.scale(_ops.log(self._width()), -1.0), value)
        return _ops.where(inside, density,
                          _ops.full([], -math.inf, density.dtype))

    def cdf(self, value):
        value = value_of(value, self.low)
        return _ops.clip((value - self.low) / self._width(), 0.0, 1.0)

    def icdf(self, value):
        return self.low + value_of(value, self.low) * self._width()

    def entropy(self):
        return _ops.log(self._width())

    @property
    def mean(self):
        return _ops.scale(_ops.add(self.low, self.high), 0.5)

    @property
    def variance(self):
        return _ops.scale(_ops.square(self._width()), 1.0 / 12.0)
