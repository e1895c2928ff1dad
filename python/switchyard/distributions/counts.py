# SPDX-License-Identifier: Apache-2.0
"""Distributions of counts."""

from __future__ import annotations

import numbers

from switchyard import _core
from switchyard.distributions.base import (Distribution, common, host_generator,
                                           one_of, opened, outside, positive,
                                           softplus, tensors, times, value_of)
from switchyard.autograd import no_grad

_ops = _core.ops


class Poisson(Distribution):
    """How many events of a mean number ``rate``: rate ** x exp(-rate) / x!."""

    def __init__(self, rate):
        if isinstance(rate, numbers.Real) and not rate >= 0:
            raise ValueError(f"Poisson: rate must be from 0, got {rate}")
        (self.rate,) = tensors(rate)

    def sample(self, shape=()):
        generator = host_generator()
        drawn = generator.poisson(self.rate.detach().numpy(),
                                  [*shape, *self.rate.shape])
        return _core.tensor(drawn, self.rate.dtype)

    def log_prob(self, value):
        value = value_of(value, self.rate)
        inside = _ops.greater_equal(value, 0.0)
        safe = _ops.where(inside, value, _ops.zeros_like(value))
        found = _ops.subtract(times(safe, _ops.log(self.rate)), _ops.add(
            self.rate, _ops.lgamma(_ops.scale(safe, 1.0, 1.0))))
        return outside(found, inside)

    @property
    def mean(self):
        return self.rate

    @property
    def variance(self):
        return self.rate


class _OfProbability(Distribution):
    """Base: a probability ``probs``, or sigmoid(``logits``)."""

    def _set(self, probs, logits):
        name = type(self).__name__
        one_of(name, probs, logits)
        if isinstance(probs, numbers.Real) and not 0.0 <= probs <= 1.0:
            raise ValueError(f"{name}: probs must be in [0, 1], got {probs}")
        (given,) = tensors(logits if probs is None else probs)
        self.probs = _ops.sigmoid(given) if probs is None else given
        self._given_logits = given if probs is None else None

    def _logs(self):
        """The logarithms of the probabilities of yes and of no."""
        given = self._given_logits
        if given is not None:
            return (_ops.scale(softplus(_ops.scale(given, -1.0)), -1.0),
                    _ops.scale(softplus(given), -1.0))
        return _ops.log(self.probs), _ops.log1p(_ops.scale(self.probs, -1.0))

    @property
    def logits(self):
        """log(p / (1 - p))."""
        return _ops.subtract(*self._logs())


class Geometric(_OfProbability):
    """How many times no comes before the first yes, of probability ``probs``."""

    def __init__(self, probs=None, logits=None):
        self._set(probs, logits)

    def sample(self, shape=()):
        with no_grad():
            u = opened(tuple(shape), self.probs)
            return _ops.floor(_ops.divide(_ops.log(u), self._logs()[1]))

    def log_prob(self, value):
        value = value_of(value, self.probs)
        yes, no = self._logs()
        return outside(_ops.add(times(value, no), yes),
                       _ops.greater_equal(value, 0.0))

    def entropy(self):
        yes, no = self._logs()
        rest = _ops.scale(self.probs, -1.0, 1.0)
        return _ops.scale(_ops.divide(_ops.add(
            times(self.probs, yes), times(rest, no)), self.probs), -1.0)

    @property
    def mean(self):
        return _ops.scale(_ops.divide(1.0, self.probs), 1.0, -1.0)

    @property
    def variance(self):
        return _ops.divide(self.mean, self.probs)


class Binomial(_OfProbability):
    """How many of ``total_count`` are yes, of probability ``probs`` each."""

    def __init__(self, total_count=1, probs=None, logits=None):
        if isinstance(total_count, numbers.Real) and not total_count >= 0:
            raise ValueError(f"Binomial: total_count must be from 0, got {total_count}")
        self._set(probs, logits)
        self._counted = total_count if isinstance(total_count, numbers.Real) else None
        self.total_count, _ = tensors(total_count, self.probs)

    def sample(self, shape=()):
        generator = host_generator()
        like = common(self.probs, self.total_count)
        drawn = generator.binomial(
            self.total_count.detach().numpy().astype("int64"),
            self.probs.detach().numpy(), [*shape, *like.shape])
        return _core.tensor(drawn, self.probs.dtype)

    def log_prob(self, value):
        value = value_of(value, self.probs)
        yes, no = self._logs()
        inside = _ops.logical_and(_ops.greater_equal(value, 0.0),
                                  _ops.less_equal(value, self.total_count))
        rest = _ops.subtract(self.total_count, value)
        ways = _ops.subtract(
            _ops.lgamma(_ops.scale(self.total_count, 1.0, 1.0)),
            _ops.add(_ops.lgamma(_ops.scale(value, 1.0, 1.0)),
                     _ops.lgamma(_ops.scale(rest, 1.0, 1.0))))
        return outside(_ops.add(ways, _ops.add(times(value, yes), times(rest, no))),
                       inside)

    def entropy(self):
        """The sum over all counts, where ``total_count`` is one number."""
        if self._counted is None:
            raise NotImplementedError("Binomial: entropy needs total_count as a number")
        counts = _ops.arange(0, int(self._counted) + 1, 1, self.probs.dtype)
        rank = len(self.probs.shape)
        logs = self.log_prob(_ops.reshape(counts, [-1] + [1] * rank))
        return _ops.scale(_ops.sum(times(_ops.exp(logs), logs), 0), -1.0)

    @property
    def mean(self):
        return _ops.multiply(self.total_count, self.probs)

    @property
    def variance(self):
        return _ops.multiply(self.mean, _ops.scale(self.probs, -1.0, 1.0))
