# SPDX-License-Identifier: Apache-2.0
"""Transforms: functions of draws that have an inverse."""

from __future__ import annotations

import math

from switchyard import _core
from switchyard.checks import FROM_0, refuse, whole
from switchyard.distributions import constraints
from switchyard.distributions.base import Distribution, softplus, tensors
from switchyard.distributions.constraints import independent

_ops = _core.ops


def summed(x, rank):
    """x with its last ``rank`` axes summed."""
    return _ops.sum(x, list(range(-rank, 0))) if rank > 0 else x


class Transform:
    """Base: a function that has an inverse.

    Subclasses define ``_call(x)``, ``_inverse(y)``, ``log_abs_det_jacobian`` and, of
    other than numbers, ``domain`` and ``codomain``: constraints, whose ``event_rank``
    says how many of the last axes are one argument. ``t(x)`` calls it; ``t.inv`` is
    the inverse, a Transform: ``t.inv(y)``. ``cache_size`` is for PyTorch's sake.
    """

    domain = constraints.real
    codomain = constraints.real
    bijective = True
    sign = 1

    def __init__(self, cache_size: int = 0):
        whole(type(self).__name__, "cache_size", cache_size, FROM_0)

    @property
    def event_rank(self) -> int:
        """How many of the last axes are one argument or one result, the larger."""
        return max(_rank(self.domain), _rank(self.codomain))

    def __call__(self, x):
        """The function of x."""
        return self._call(x)

    @property
    def inv(self) -> Transform:
        """The inverse: ``inv(y)`` is what the function is y of."""
        return _Inverse(self)

    def _call(self, x):
        raise NotImplementedError(f"{type(self).__name__}._call")

    def _inverse(self, y):
        raise NotImplementedError(f"{type(self).__name__}._inverse")

    def log_abs_det_jacobian(self, x, y):
        """The logarithm of the magnitude of the derivative at x, where it is y; of
        vectors that of the determinant, one for each."""
        raise NotImplementedError(f"{type(self).__name__}.log_abs_det_jacobian")

    def forward_shape(self, shape) -> tuple:
        """The shape of results for arguments of a shape."""
        return tuple(shape)

    def inverse_shape(self, shape) -> tuple:
        """The shape of arguments for results of a shape."""
        return tuple(shape)

    def __repr__(self):
        return f"{type(self).__name__}()"


def _rank(constraint):
    return getattr(constraint, "event_rank", 0)  # (low, high) has none.


class _Inverse(Transform):
    """The inverse of another."""

    def __init__(self, transform):
        self._transform = transform
        self.domain, self.codomain = transform.codomain, transform.domain
        self.bijective, self.sign = transform.bijective, transform.sign

    @property
    def inv(self):
        return self._transform

    def _call(self, x):
        return self._transform._inverse(x)

    def _inverse(self, y):
        return self._transform(y)

    def log_abs_det_jacobian(self, x, y):
        return _ops.scale(self._transform.log_abs_det_jacobian(y, x), -1.0)

    def forward_shape(self, shape):
        return self._transform.inverse_shape(shape)

    def inverse_shape(self, shape):
        return self._transform.forward_shape(shape)


class ExpTransform(Transform):
    """exp(x)."""

    codomain = constraints.positive

    def _call(self, x):
        return _ops.exp(x)

    def _inverse(self, y):
        return _ops.log(y)

    def log_abs_det_jacobian(self, x, y):
        return x


class PowerTransform(Transform):
    """x ** exponent, of positive numbers."""

    domain = codomain = constraints.positive

    def __init__(self, exponent, cache_size: int = 0):
        super().__init__(cache_size)
        (self.exponent,) = tensors(exponent)

    def _call(self, x):
        return x ** self.exponent

    def _inverse(self, y):
        return y ** (1.0 / self.exponent)

    def log_abs_det_jacobian(self, x, y):
        return _ops.log(_ops.abs(self.exponent * y / x))


class AffineTransform(Transform):
    """loc + scale * x. ``event_dim``: how many of the last axes are one draw."""

    def __init__(self, loc, scale, event_dim: int = 0, cache_size: int = 0):
        super().__init__(cache_size)
        self.loc, self.scale = tensors(loc, scale)
        self._rank = whole("AffineTransform", "event_dim", event_dim, FROM_0)
        if self._rank:
            self.domain = self.codomain = independent(constraints.real, self._rank)

    @property
    def sign(self):
        """1 where it grows, -1 where it falls."""
        return _ops.sign(self.scale)

    def _call(self, x):
        return _ops.add(self.loc, _ops.multiply(self.scale, x))

    def _inverse(self, y):
        return _ops.divide(_ops.subtract(y, self.loc), self.scale)

    def log_abs_det_jacobian(self, x, y):
        return summed(_ops.add(_ops.log(_ops.abs(self.scale)), _ops.zeros_like(x)),
                      self._rank)


class SigmoidTransform(Transform):
    """1 / (1 + exp(-x))."""

    codomain = constraints.interval(0.0, 1.0)

    def _call(self, x):
        return _ops.sigmoid(x)

    def _inverse(self, y):
        return _ops.subtract(_ops.log(y), _ops.log1p(_ops.scale(y, -1.0)))

    def log_abs_det_jacobian(self, x, y):
        return _ops.scale(_ops.add(softplus(x), softplus(_ops.scale(x, -1.0))), -1.0)


class TanhTransform(Transform):
    """tanh(x)."""

    codomain = constraints.interval(-1.0, 1.0)

    def _call(self, x):
        return _ops.tanh(x)

    def _inverse(self, y):
        return _ops.atanh(y)

    def log_abs_det_jacobian(self, x, y):
        # log(1 - tanh(x)²) without a difference of numbers near 1.
        return _ops.scale(_ops.add(x, _ops.softplus(_ops.scale(x, -2.0), 1.0, 80.0)),
                          -2.0, 2.0 * math.log(2.0))


class SoftplusTransform(Transform):
    """log(1 + exp(x))."""

    codomain = constraints.positive

    def _call(self, x):
        return softplus(x)

    def _inverse(self, y):
        return _ops.log(_ops.scale(_ops.expm1(_ops.scale(y, -1.0)), -1.0)) + y

    def log_abs_det_jacobian(self, x, y):
        return _ops.scale(softplus(_ops.scale(x, -1.0)), -1.0)


class AbsTransform(Transform):
    """|x|; its inverse gives the positive one, and there is no density."""

    codomain = constraints.nonnegative
    bijective = False

    def _call(self, x):
        return _ops.abs(x)

    def _inverse(self, y):
        return y


class SoftmaxTransform(Transform):
    """softmax along the last axis; the logarithm is an inverse of it, and there is
    no density."""

    domain, codomain = constraints.real_vector, constraints.simplex
    bijective = False

    def _call(self, x):
        return _ops.softmax(x, -1)

    def _inverse(self, y):
        return _ops.log(y)


class CumulativeDistributionTransform(Transform):
    """The ``cdf`` of a distribution of numbers: its draws become uniform."""

    codomain = constraints.unit_interval

    def __init__(self, distribution, cache_size: int = 0):
        super().__init__(cache_size)
        if not isinstance(distribution, Distribution):
            refuse("CumulativeDistributionTransform", "distribution",
                   "a Distribution", distribution)
        self.distribution = distribution

    def _call(self, x):
        return self.distribution.cdf(x)

    def _inverse(self, y):
        return self.distribution.icdf(y)

    def log_abs_det_jacobian(self, x, y):
        return self.distribution.log_prob(x)


class _Identity(Transform):
    """x."""

    def _call(self, x):
        return x

    def _inverse(self, y):
        return y

    def log_abs_det_jacobian(self, x, y):
        return _ops.zeros_like(x)


identity_transform = _Identity()
