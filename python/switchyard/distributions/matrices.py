# SPDX-License-Identifier: Apache-2.0
"""Distributions of matrices, and of angles."""

from __future__ import annotations

import math
import numbers

from switchyard import _core
from switchyard.autograd import no_grad
from switchyard.checks import Range, whole
from switchyard.distributions.base import (Distribution, common, drawn, opened,
                                           positive, tensors, value_of)
from switchyard.distributions.gamma_draws import gamma_draws
from switchyard.distributions.gammas import Beta
from switchyard.distributions.number_transforms import summed
from switchyard.distributions.vectors import lower_factor

_ops = _core.ops


def log_multigamma(x, count):
    """The logarithm of the gamma function of ``count`` dimensions."""
    return sum(_ops.lgamma(x - 0.5 * i) for i in range(count)) + (
        0.25 * count * (count - 1) * math.log(math.pi))


def _diagonal(x):
    return _ops.diagonal(x, 0, -2, -1)


class Wishart(Distribution):
    """Sums of x xᵀ over ``df`` vectors x [n] of MultivariateNormal(0, V): positive
    definite matrices [n, n], as of covariances.

    One of ``covariance_matrix`` V, ``precision_matrix`` (its inverse) and
    ``scale_tril`` (its lower factor by Cholesky) [..., n, n] is given. ``df`` is
    above n - 1.
    """

    event_rank = 2

    def __init__(self, df, covariance_matrix=None, precision_matrix=None,
                 scale_tril=None):
        positive("Wishart", "df", df)
        self.df, factor = lower_factor("Wishart", df, covariance_matrix,
                                       precision_matrix, scale_tril)
        self._n = factor.shape[-1]
        if isinstance(df, numbers.Real) and not df > self._n - 1:
            raise ValueError(f"Wishart: df must be above {self._n - 1}, got {df}")
        one = summed(factor, 2)
        self.df = common(self.df, one)
        self.scale_tril = factor + _ops.zeros_like(
            _ops.unsqueeze(self.df, [-1, -2]))

    @property
    def covariance_matrix(self):
        """V."""
        return _ops.matmul(self.scale_tril, self.scale_tril, transpose_y=True)

    def rsample(self, shape=()):
        # This is the decomposition of Bartlett.
        n, dtype = self._n, self.df.dtype
        below = _ops.arange(0, n, 1, "int64")
        half = 0.5 * (_ops.unsqueeze(self.df, [-1]) - _ops.cast(below, dtype))
        diagonal = _ops.sqrt(2.0 * gamma_draws(half, tuple(shape)))
        normal = _ops.gaussian([*shape, *self.scale_tril.shape], 0.0, 1.0, dtype)
        factor = _ops.matmul(self.scale_tril,
                             _ops.tril(normal, -1) + _ops.diag_embed(diagonal))
        return _ops.matmul(factor, factor, transpose_y=True)

    def _half_log_det(self):
        return summed(_ops.log(_diagonal(self.scale_tril)), 1)

    def log_prob(self, value):
        value, n = value_of(value, self.df), self._n
        factor = self.scale_tril + _ops.zeros_like(value)
        root = _ops.cholesky(value + _ops.zeros_like(self.scale_tril))
        solved = _ops.triangular_solve(factor, root, upper=False)
        log_det = 2.0 * summed(_ops.log(_diagonal(root)), 1)
        norm = self.df * (0.5 * n * math.log(2.0) + self._half_log_det()) + (
            log_multigamma(0.5 * self.df, n))
        return 0.5 * (self.df - n - 1.0) * log_det - norm - 0.5 * summed(
            _ops.square(solved), 2)

    def entropy(self):
        n, half = self._n, 0.5 * self.df
        slope = sum(_ops.digamma(half - 0.5 * i) for i in range(n))
        return (n + 1) * (0.5 * n * math.log(2.0) + self._half_log_det()) + (
            log_multigamma(half, n) - 0.5 * (self.df - n - 1.0) * slope) + n * half

    def _freedom(self):
        return _ops.unsqueeze(self.df, [-1, -2])

    @property
    def mean(self):
        return self._freedom() * self.covariance_matrix

    @property
    def variance(self):
        spread = _diagonal(self.covariance_matrix)
        return self._freedom() * (_ops.square(self.covariance_matrix) + (
            _ops.unsqueeze(spread, [-1]) * _ops.unsqueeze(spread, [-2])))


_FROM_2 = Range("from 2", lambda n: n >= 2)


class LKJCholesky(Distribution):
    """Lower factors L [dim, dim] of matrices of correlations L Lᵀ, whose determinant
    to the power ``concentration`` - 1 is the density of the matrix (Lewandowski,
    Kurowicka and Joe, 2009): 1 is uniform."""

    event_rank = 2

    def __init__(self, dim: int, concentration=1.0):
        positive("LKJCholesky", "concentration", concentration)
        self.dim = whole("LKJCholesky", "dim", dim, _FROM_2)
        (self.concentration,) = tensors(concentration)

    @property
    def batch_shape(self):
        return tuple(self.concentration.shape)

    @property
    def event_shape(self):
        return self.dim, self.dim

    def sample(self, shape=()):
        with no_grad():  # Row by row, as onions grow.
            n, dtype = self.dim, self.concentration.dtype
            row = _ops.cast(_ops.arange(0, n, 1, "int64"), dtype)
            before = _ops.maximum(row - 1.0, _ops.full([], 0.0, dtype))
            top = _ops.unsqueeze(self.concentration, [-1]) + 0.5 * (n - 2)
            part = Beta(before + 0.5, top - 0.5 * before).sample(tuple(shape))
            normal = _ops.tril(_ops.gaussian(
                [*shape, *self.batch_shape, n, n], 0.0, 1.0, dtype), -1)
            length = _ops.sqrt(_ops.sum(_ops.square(normal), -1, keepdim=True))
            first = _ops.equal(length, _ops.zeros_like(length))
            way = normal / _ops.where(first, _ops.ones_like(length), length)
            below = _ops.sqrt(_ops.unsqueeze(part, [-1])) * way
            left = 1.0 - _ops.sum(_ops.square(below), -1)
            tiny = _ops.full([], 2.0**-126, dtype)
            return below + _ops.diag_embed(_ops.sqrt(_ops.maximum(left, tiny)))

    def log_prob(self, value):
        value, n = value_of(value, self.concentration), self.dim
        rest = _diagonal(value)
        rest = _ops.slice(rest, [len(rest.shape) - 1], [1], [n])
        order = _ops.cast(_ops.arange(2, n + 1, 1, "int64"), self.concentration.dtype)
        order = 2.0 * _ops.unsqueeze(self.concentration - 1.0, [-1]) + (n - order)
        alpha = self.concentration + 0.5 * (n - 1)
        norm = 0.5 * (n - 1) * math.log(math.pi) + log_multigamma(
            alpha - 0.5, n - 1) - (n - 1) * _ops.lgamma(alpha)
        return summed(order * _ops.log(rest), 1) - norm


class VonMises(Distribution):
    """exp(concentration cos(x - loc)), of angles in [-π, π)."""

    def __init__(self, loc, concentration):
        positive("VonMises", "concentration", concentration)
        loc, k = tensors(loc, concentration)
        self.loc, self.concentration = common(loc, k), common(k, loc)

    def sample(self, shape=()):
        """Draws by the method of Best and Fisher (1979), which takes one of 48
        candidates; that none fits has a probability below 1e-20."""
        with no_grad():
            k = _ops.cast(self.concentration, "float64")
            tau = 1.0 + _ops.sqrt(1.0 + 4.0 * _ops.square(k))
            rho = (tau - _ops.sqrt(2.0 * tau)) / (2.0 * k)
            small = k < 1e-5  # There, by its series.
            r = _ops.where(small, 1.0 / k + k,
                           (1.0 + _ops.square(rho)) / (2.0 * rho))
            lead = (48, *shape)
            z = _ops.cos(math.pi * drawn(lead, k))
            f = (1.0 + r * z) / (r + z)
            c = k * (r - f)
            u = opened(lead, k)
            fits = _ops.logical_or(
                c * (2.0 - c) > u,
                _ops.log(_ops.maximum(c, _ops.full_like(c, 1e-300)) / u) + 1.0 >= c)
            first = _ops.argmax(_ops.cast(fits, "int64"), 0, keepdims=True)
            f = _ops.squeeze(_ops.take_along_axis(f, first, 0), [0])
            side = _ops.where(drawn(tuple(shape), k) < 0.5, _ops.full([], -1.0, f.dtype),
                              _ops.full([], 1.0, f.dtype))
            angle = side * _ops.acos(_ops.clip(f, -1.0, 1.0))
            turned = angle + _ops.cast(self.loc, "float64") + math.pi
            around = turned - 2.0 * math.pi * _ops.floor(turned / (2.0 * math.pi))
            return _ops.cast(around - math.pi, self.loc.dtype)

    def log_prob(self, value):
        value, k = value_of(value, self.loc), self.concentration
        # i0e is the Bessel function times exp(-k).
        return k * (_ops.cos(value - self.loc) - 1.0) - math.log(2.0 * math.pi) - (
            _ops.log(_ops.i0e(k)))

    @property
    def mean(self):
        return self.loc

    @property
    def variance(self):
        """1 - the mean cosine of the distance: between 0 and 1."""
        k = self.concentration
        return 1.0 - _ops.i1e(k) / _ops.i0e(k)
