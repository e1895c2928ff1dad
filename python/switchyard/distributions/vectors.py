# SPDX-License-Identifier: Apache-2.0
"""The normal distribution of vectors."""

from __future__ import annotations

import math

from switchyard import _core
from switchyard.distributions.base import Distribution, tensors, value_of
_ops = _core.ops


def lower_factor(name, other, covariance_matrix, precision_matrix, scale_tril):
    """Another parameter, and the lower factor of the one matrix that is given."""
    given = [m for m in (covariance_matrix, precision_matrix, scale_tril)
             if m is not None]
    if len(given) != 1:
        raise ValueError(f"{name}: one of covariance_matrix, precision_matrix and "
                         f"scale_tril must be given, got {len(given)}")
    other, matrix = tensors(other, given[0])
    shape = matrix.shape
    if len(shape) < 2 or not shape[-1] == shape[-2]:
        raise ValueError(f"{name}: the matrix must be [..., n, n], got {tuple(shape)}")
    if scale_tril is not None:
        return other, matrix
    if covariance_matrix is not None:
        return other, _ops.cholesky(matrix)
    return other, _ops.cholesky(_ops.inverse(matrix))


class MultivariateNormal(Distribution):
    """The normal distribution of vectors [n] around ``loc``: a vector is one draw.

    One of ``covariance_matrix``, ``precision_matrix`` (its inverse) and
    ``scale_tril`` (its lower factor by Cholesky) [..., n, n] is given.
    """

    event_rank = 1

    def __init__(self, loc, covariance_matrix=None, precision_matrix=None,
                 scale_tril=None):
        self.loc, self.scale_tril = lower_factor(
            "MultivariateNormal", loc, covariance_matrix, precision_matrix, scale_tril)
        shape = self.scale_tril.shape
        if not self.loc.shape or not shape[-1] == self.loc.shape[-1]:
            raise ValueError("MultivariateNormal: the matrix must be [..., n, n] for "
                             f"loc of {tuple(self.loc.shape)}, got {tuple(shape)}")
        batch = _ops.sum(self.scale_tril, -1)
        self.loc = _ops.add(self.loc, _ops.zeros_like(batch))

    @property
    def covariance_matrix(self):
        """The matrix of covariances."""
        return _ops.matmul(self.scale_tril, self.scale_tril, transpose_y=True)

    @property
    def precision_matrix(self):
        """The inverse of the covariances."""
        return _ops.inverse(self.covariance_matrix)

    def rsample(self, shape=()):
        noise = _ops.gaussian([*shape, *self.loc.shape], 0.0, 1.0, self.loc.dtype)
        return _ops.add(self.loc, _ops.squeeze(_ops.matmul(
            self.scale_tril, _ops.unsqueeze(noise, [-1])), [-1]))

    def _half_log_det(self):
        return _ops.sum(_ops.log(_ops.diagonal(self.scale_tril, 0, -2, -1)), -1)

    def log_prob(self, value):
        apart = _ops.subtract(value_of(value, self.loc), self.loc)
        lead = len(apart.shape) - len(self.scale_tril.shape) + 1
        factor = self.scale_tril
        if lead > 0:
            factor = _ops.expand(_ops.unsqueeze(factor, list(range(lead))), [
                *apart.shape[:-1], *factor.shape[-2:]])
        solved = _ops.squeeze(_ops.triangular_solve(
            factor, _ops.unsqueeze(apart, [-1]), upper=False), [-1])
        square = _ops.sum(_ops.square(solved), -1)
        count = self.loc.shape[-1]
        return _ops.subtract(
            _ops.scale(square, -0.5, -0.5 * count * math.log(2.0 * math.pi)),
            self._half_log_det())

    def entropy(self):
        count = self.loc.shape[-1]
        return _ops.scale(self._half_log_det(), 1.0,
                          0.5 * count * (1.0 + math.log(2.0 * math.pi)))

    @property
    def mean(self):
        return self.loc

    @property
    def variance(self):
        return _ops.sum(_ops.square(self.scale_tril), -1)
