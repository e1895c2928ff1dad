# SPDX-License-Identifier: Apache-2.0
"""Distributions of yes and no, and of classes."""

from __future__ import annotations

import numbers

from switchyard import _core
from switchyard.autograd import no_grad
from switchyard.distributions.base import (KINDS, Distribution, one_of, same,
                                           softplus, tensors, times, value_of)

_ops = _core.ops


class Bernoulli(Distribution):
    """1 with the probability ``probs``, or sigmoid(``logits``); else 0."""

    def __init__(self, probs=None, logits=None):
        one_of("Bernoulli", probs, logits)
        if isinstance(probs, numbers.Real) and not 0.0 <= probs <= 1.0:
            raise ValueError(f"Bernoulli: probs must be in [0, 1], got {probs}")
        self._probs = None if probs is None else tensors(probs)[0]
        self._logits = None if logits is None else tensors(logits)[0]

    @property
    def probs(self):
        """The probability of 1."""
        if self._probs is None:
            self._probs = _ops.sigmoid(self._logits)
        return self._probs

    @property
    def logits(self):
        """log(p / (1 - p)), where p is the probability of 1."""
        if self._logits is None:
            self._logits = _ops.subtract(
                _ops.log(self._probs), _ops.log1p(_ops.scale(self._probs, -1.0)))
        return self._logits

    def sample(self, shape=()):
        with no_grad():
            drawn = _ops.uniform([*shape, *self.probs.shape], 0.0, 1.0,
                                 self.probs.dtype)
            return _ops.cast(_ops.less_than(drawn, self.probs), drawn.dtype)

    def _logs(self):
        """The logarithms of the probabilities of 1 and of 0."""
        if self._logits is not None:
            return (_ops.scale(softplus(_ops.scale(self._logits, -1.0)), -1.0),
                    _ops.scale(softplus(self._logits), -1.0))
        return (_ops.log(self._probs),
                _ops.log1p(_ops.scale(self._probs, -1.0)))

    def log_prob(self, value):
        of_one, of_zero = self._logs()
        value = value_of(value, of_one)
        return _ops.add(times(value, of_one),
                        times(_ops.scale(value, -1.0, 1.0), of_zero))

    def entropy(self):
        of_one, of_zero = self._logs()
        return _ops.scale(_ops.add(
            times(self.probs, of_one),
            times(_ops.scale(self.probs, -1.0, 1.0), of_zero)), -1.0)

    @property
    def mean(self):
        return self.probs

    @property
    def variance(self):
        return _ops.multiply(self.probs, _ops.scale(self.probs, -1.0, 1.0))


class Categorical(Distribution):
    """A number of a class (int64), of those along the last axis.

    ``probs`` need not have the sum 1; ``logits`` are their logarithms.
    """

    @property
    def batch_shape(self):
        return tuple(self._given.shape)[:-1]

    @property
    def event_shape(self):
        return ()

    def __init__(self, probs=None, logits=None):
        one_of("Categorical", probs, logits)
        given = tensors(logits if probs is None else probs)[0]
        if not given.shape:
            raise ValueError("Categorical: probs or logits must have an axis of "
                             "classes, got none")
        self._given, self._by_logits = given, probs is None

    @property
    def logits(self):
        """The logarithms of the probabilities, whose sum is 1."""
        if self._by_logits:
            return _ops.log_softmax(self._given, -1)
        return _ops.log(self.probs)

    @property
    def probs(self):
        """The probabilities, whose sum is 1."""
        if self._by_logits:
            return _ops.softmax(self._given, -1)
        return _ops.divide(self._given, _ops.sum(self._given, -1, keepdim=True))

    def sample(self, shape=()):
        with no_grad():
            # The largest of log(p) + Gumbel's numbers is a draw.
            logits = self._given if self._by_logits else _ops.log(self._given)
            drawn = _ops.uniform([*shape, *logits.shape], 0.0, 1.0, logits.dtype)
            gumbel = _ops.scale(_ops.log(_ops.scale(_ops.log(drawn), -1.0)), -1.0)
            return _ops.argmax(_ops.add(logits, gumbel), -1)

    def log_prob(self, value):
        if not isinstance(value, KINDS):
            value = _core.tensor(value)
        column = _ops.unsqueeze(_ops.cast(value, "int64"), [-1])
        logits = self.logits
        if not same(value.shape, tuple(logits.shape)[:-1]):
            # Both broadcast, except along the classes.
            zeros = _ops.zeros_like(column)
            logits = _ops.add(logits, _ops.cast(zeros, logits.dtype))
            first = _ops.slice(logits, [len(logits.shape) - 1], [0], [1])
            column = _ops.add(column, _ops.cast(_ops.zeros_like(first), "int64"))
        return _ops.squeeze(_ops.take_along_axis(logits, column, -1), [-1])

    def entropy(self):
        return _ops.scale(_ops.sum(times(self.probs, self.logits), -1), -1.0)
