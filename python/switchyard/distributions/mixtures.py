# SPDX-License-Identifier: Apache-2.0
"""Mixtures of distributions, and vectors whose covariance is of low rank."""

from __future__ import annotations

import math

from switchyard import _core
from switchyard.autograd import no_grad
from switchyard.checks import refuse
from switchyard.distributions.base import Distribution, same, tensors, value_of
from switchyard.distributions.discrete import Categorical
from switchyard.distributions.number_transforms import summed
from switchyard.functions.arguments import tensor_of

_ops = _core.ops


class MixtureSameFamily(Distribution):
    """Draws of one of n distributions of a class, which ``mixture_distribution``, a
    Categorical, chooses: those of the last axis of ``component_distribution``'s
    parameters."""

    def __init__(self, mixture_distribution: Categorical,
                 component_distribution: Distribution):
        if not isinstance(mixture_distribution, Categorical):
            refuse("MixtureSameFamily", "mixture_distribution", "a Categorical",
                   mixture_distribution)
        if not isinstance(component_distribution, Distribution):
            refuse("MixtureSameFamily", "component_distribution", "a Distribution",
                   component_distribution)
        shape = component_distribution.batch_shape
        count = mixture_distribution.logits.shape[-1]
        if not shape or not same(shape[-1:], (count,)):
            raise ValueError(
                "MixtureSameFamily: component_distribution must be of "
                f"{count} distributions along its last axis, as mixture_distribution "
                f"has classes, got {tuple(shape)}")
        self.mixture_distribution = mixture_distribution
        self.component_distribution = component_distribution
        self.event_rank = component_distribution.event_rank

    @property
    def batch_shape(self):
        return tuple(self.component_distribution.batch_shape)[:-1]

    @property
    def event_shape(self):
        return tuple(self.component_distribution.event_shape)

    def _weights(self):
        """The probabilities, with an axis for each of a draw."""
        probs, rank = self.mixture_distribution.probs, self.event_rank
        return _ops.unsqueeze(probs, list(range(-rank, 0))) if rank else probs

    def sample(self, shape=()):
        with no_grad():
            axis = len(shape) + len(self.batch_shape)
            drawn = self.component_distribution.sample(shape)
            lead = [*shape, *self.batch_shape]
            logits = self.mixture_distribution.logits
            wide = _ops.expand(logits, [*lead, logits.shape[-1]])
            index = Categorical(logits=wide).sample()
            index = _ops.unsqueeze(index, list(range(axis, axis + 1 + self.event_rank)))
            index = _ops.expand(index, [*lead, 1, *self.event_shape])
            return _ops.squeeze(_ops.take_along_axis(drawn, index, axis), [axis])

    def log_prob(self, value):
        value = _ops.unsqueeze(tensor_of(value), [-1 - self.event_rank])
        logs = self.component_distribution.log_prob(value)
        return _ops.logsumexp(logs + self.mixture_distribution.logits, [-1])

    def _mean_of(self, x):
        return _ops.sum(self._weights() * x, -1 - self.event_rank)

    @property
    def mean(self):
        return self._mean_of(self.component_distribution.mean)

    @property
    def variance(self):
        parts = self.component_distribution
        mean = _ops.unsqueeze(self.mean, [-1 - self.event_rank])
        return self._mean_of(parts.variance) + self._mean_of(
            _ops.square(parts.mean - mean))


class LowRankMultivariateNormal(Distribution):
    """The normal distribution of vectors [n] around ``loc`` whose covariance is
    W Wᵀ + diag(D): ``cov_factor`` W [..., n, rank], ``cov_diag`` D [..., n]."""

    event_rank = 1

    def __init__(self, loc, cov_factor, cov_diag):
        self.loc, self.cov_factor, self.cov_diag = tensors(loc, cov_factor, cov_diag)
        shape, count = self.cov_factor.shape, self.loc.shape[-1:]
        if len(shape) < 2 or not count or not same(shape[-2:-1], count) or not same(
                self.cov_diag.shape[-1:], count):
            raise ValueError(
                "LowRankMultivariateNormal: cov_factor must be [..., n, rank] and "
                f"cov_diag [..., n] for loc of {tuple(self.loc.shape)}, got "
                f"{tuple(shape)} and {tuple(self.cov_diag.shape)}")
        wide = _ops.zeros_like(_ops.sum(self.cov_factor, -1)) + _ops.zeros_like(
            self.cov_diag)
        self.loc, self.cov_diag = self.loc + wide, self.cov_diag + wide
        scaled = self.cov_factor / _ops.unsqueeze(self.cov_diag, [-1])
        self._scaled = scaled
        inner = _ops.matmul(self.cov_factor, scaled, transpose_x=True)
        rank = shape[-1]
        self._capacitance = _ops.cholesky(inner + _ops.eye(rank, rank, self.loc.dtype))

    @property
    def covariance_matrix(self):
        """The matrix of covariances."""
        return _ops.matmul(self.cov_factor, self.cov_factor, transpose_y=True) + (
            _ops.diag_embed(self.cov_diag))

    def rsample(self, shape=()):
        rank = self.cov_factor.shape[-1]
        lead = [*shape, *self.loc.shape[:-1]]
        thin = _ops.gaussian([*lead, rank], 0.0, 1.0, self.loc.dtype)
        full = _ops.gaussian([*shape, *self.loc.shape], 0.0, 1.0, self.loc.dtype)
        moved = _ops.squeeze(_ops.matmul(self.cov_factor, _ops.unsqueeze(thin, [-1])),
                             [-1])
        return self.loc + moved + _ops.sqrt(self.cov_diag) * full

    def _half_log_det(self):
        inner = summed(_ops.log(_ops.diagonal(self._capacitance, 0, -2, -1)), 1)
        return inner + 0.5 * summed(_ops.log(self.cov_diag), 1)

    def log_prob(self, value):
        apart = value_of(value, self.loc) - self.loc
        thin = _ops.matmul(self._scaled, _ops.unsqueeze(apart, [-1]), transpose_x=True)
        factor = self._capacitance
        lead = len(thin.shape) - len(factor.shape)
        if lead > 0:
            factor = _ops.expand(_ops.unsqueeze(factor, list(range(lead))), [
                *thin.shape[:-2], *factor.shape[-2:]])
        solved = _ops.triangular_solve(factor, thin, upper=False)
        square = summed(_ops.square(apart) / self.cov_diag, 1) - summed(
            _ops.square(solved), 2)
        count = self.loc.shape[-1]
        return -0.5 * (square + count * math.log(2.0 * math.pi)) - self._half_log_det()

    def entropy(self):
        count = self.loc.shape[-1]
        return self._half_log_det() + 0.5 * count * (1.0 + math.log(2.0 * math.pi))

    @property
    def mean(self):
        return self.loc

    @property
    def variance(self):
        return summed(_ops.square(self.cov_factor), 1) + self.cov_diag
