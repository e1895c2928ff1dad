# SPDX-License-Identifier: Apache-2.0
"""Distributions of classes as vectors, and of counts of classes."""

from __future__ import annotations

import math

from switchyard import _core
from switchyard.autograd import no_grad
from switchyard.checks import FROM_0, whole
from switchyard.distributions.base import (Distribution, common, host_generator,
                                           opened, outside, positive, tensors, times,
                                           value_of)
from switchyard.distributions.counts import _OfProbability
from switchyard.distributions.discrete import Categorical

_ops = _core.ops


class _OfClasses(Distribution):
    """Base: a Categorical, whose classes are the elements of a draw."""

    event_rank = 1

    def _set(self, probs, logits):
        try:
            self._categorical = Categorical(probs, logits)
        except ValueError as error:
            raise ValueError(str(error).replace(
                "Categorical", type(self).__name__, 1)) from None

    @property
    def probs(self):
        """The probabilities, whose sum is 1."""
        return self._categorical.probs

    @property
    def logits(self):
        """The logarithms of the probabilities."""
        return self._categorical.logits


class OneHotCategorical(_OfClasses):
    """Vectors of zeros with a 1 at the class that ``Categorical`` would draw."""

    def __init__(self, probs=None, logits=None):
        self._set(probs, logits)

    def sample(self, shape=()):
        with no_grad():
            drawn = self._categorical.sample(shape)
            return _ops.cast(_ops.one_hot(drawn, self.logits.shape[-1]),
                             self.probs.dtype)

    def log_prob(self, value):
        value = value_of(value, self.probs)
        return self._categorical.log_prob(_ops.argmax(value, -1))

    def entropy(self):
        return self._categorical.entropy()

    @property
    def mean(self):
        return self.probs

    @property
    def variance(self):
        return self.probs * (1.0 - self.probs)


class OneHotCategoricalStraightThrough(OneHotCategorical):
    """OneHotCategorical whose draws have the gradient of ``probs`` (Bengio and
    others, 2013)."""

    def rsample(self, shape=()):
        probs = self.probs
        return self.sample(shape) + (probs - probs.detach())


class Multinomial(_OfClasses):
    """How often each class is drawn in ``total_count`` draws of Categorical."""

    def __init__(self, total_count: int = 1, probs=None, logits=None):
        self.total_count = whole("Multinomial", "total_count", total_count, FROM_0)
        self._set(probs, logits)

    def sample(self, shape=()):
        with no_grad():
            drawn = self._categorical.sample((self.total_count, *shape))
            hot = _ops.one_hot(drawn, self.logits.shape[-1])
            return _ops.cast(_ops.sum(hot, 0), self.probs.dtype)

    def log_prob(self, value):
        value = value_of(value, self.probs)
        ways = _ops.lgamma(_ops.sum(value, -1) + 1.0) - _ops.sum(
            _ops.lgamma(value + 1.0), -1)
        return ways + _ops.sum(times(value, self.logits), -1)

    def entropy(self):
        n, p = self.total_count, self.probs
        known = n * self._categorical.entropy() - math.lgamma(n + 1)
        for k in range(2, n + 1):  # Of 0 and 1 the logarithms of factorials are 0.
            ways = math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
            chance = p**k * (1.0 - p)**(n - k)
            known = known + math.exp(ways) * math.lgamma(k + 1) * _ops.sum(chance, -1)
        return known

    @property
    def mean(self):
        return self.probs * float(self.total_count)

    @property
    def variance(self):
        return self.mean * (1.0 - self.probs)


class RelaxedOneHotCategorical(_OfClasses):
    """Shares that are near a vector of OneHotCategorical where ``temperature`` is
    low: its draw with a gradient (Jang and others, 2017)."""

    def __init__(self, temperature, probs=None, logits=None):
        positive("RelaxedOneHotCategorical", "temperature", temperature)
        self._set(probs, logits)
        self.temperature, _ = tensors(temperature, self.logits)

    @property
    def batch_shape(self):
        return tuple(self.logits.shape)[:-1]

    @property
    def event_shape(self):
        return tuple(self.logits.shape)[-1:]

    def rsample(self, shape=()):
        logits = self.logits
        noise = -_ops.log(-_ops.log(opened(tuple(shape), logits)))
        return _ops.softmax((logits + noise) / self.temperature, -1)

    def log_prob(self, value):
        logits = self.logits
        value, count = value_of(value, logits), logits.shape[-1]
        x = _ops.log(value)
        score = _ops.log_softmax(logits - x * self.temperature, -1)
        norm = math.lgamma(count) + (count - 1.0) * _ops.log(self.temperature)
        return _ops.sum(score, -1) + norm - _ops.sum(x, -1)


class NegativeBinomial(_OfProbability):
    """How many are yes, of probability ``probs`` each, before ``total_count`` are
    no; the count need not be a whole number."""

    def __init__(self, total_count, probs=None, logits=None):
        positive("NegativeBinomial", "total_count", total_count)
        self._set(probs, logits)
        count, _ = tensors(total_count, self.probs)
        self.total_count = common(count, self.probs)
        self.probs = common(self.probs, count)

    def sample(self, shape=()):
        generator = host_generator()
        odds = _ops.exp(self.logits)
        count, odds = (x.detach().numpy().astype("float64") for x in (
            self.total_count, common(odds, self.total_count)))
        rate = generator.gamma(count, odds, [*shape, *count.shape])
        return _core.tensor(generator.poisson(rate), self.probs.dtype)

    def log_prob(self, value):
        value, count = value_of(value, self.probs), self.total_count
        inside = value >= 0.0
        x = _ops.where(inside, value, _ops.zeros_like(value))
        yes, no = self._logs()
        ways = _ops.lgamma(count + x) - _ops.lgamma(x + 1.0) - _ops.lgamma(count)
        return outside(ways + count * no + times(x, yes), inside)

    @property
    def mean(self):
        return self.total_count * _ops.exp(self.logits)

    @property
    def variance(self):
        return self.mean / _ops.exp(self._logs()[1])
