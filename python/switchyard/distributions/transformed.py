# SPDX-License-Identifier: Apache-2.0
"""Distributions made of others: several as one draw, and functions of a draw."""

from __future__ import annotations

from collections.abc import Sequence
import math

from switchyard import _core
from switchyard.autograd import no_grad
from switchyard.checks import FROM_0, listed, refuse, whole
from switchyard.distributions.base import Distribution, outside, tensors
from switchyard.functions.arguments import tensor_of

_ops = _core.ops


class Independent(Distribution):
    """``base`` with its last ``reinterpreted_batch_ndims`` axes of parameters as
    those of one draw: log_prob and entropy are sums over them."""

    def __init__(self, base: Distribution, reinterpreted_batch_ndims: int):
        if not isinstance(base, Distribution):
            refuse("Independent", "base", "a Distribution", base)
        self.rank = whole("Independent", "reinterpreted_batch_ndims",
                          reinterpreted_batch_ndims, FROM_0)
        if self.rank > len(base.batch_shape):
            raise ValueError("Independent: reinterpreted_batch_ndims must be up to "
                             f"{len(base.batch_shape)}, got {self.rank}")
        self.base = base
        self.event_rank = base.event_rank + self.rank

    @property
    def batch_shape(self):
        shape = self.base.batch_shape
        return shape[:len(shape) - self.rank]

    @property
    def event_shape(self):
        shape = self.base.batch_shape
        return (*shape[len(shape) - self.rank:], *self.base.event_shape)

    def summed(self, x):
        """x with its last axes, of the draw, summed."""
        return _ops.sum(x, list(range(-self.rank, 0))) if self.rank else x

    def sample(self, shape=()):
        return self.base.sample(shape)

    def rsample(self, shape=()):
        return self.base.rsample(shape)

    def log_prob(self, value):
        return self.summed(self.base.log_prob(value))

    def entropy(self):
        return self.summed(self.base.entropy())

    @property
    def mean(self):
        return self.base.mean

    @property
    def variance(self):
        return self.base.variance


class Transform:
    """Base: a function of each element that has an inverse; ``sy.distributions``
    has some. ``codomain`` is where its results lie, (low, high)."""

    codomain = (-math.inf, math.inf)

    def __call__(self, x):
        """The function of x."""
        raise NotImplementedError(f"{type(self).__name__}.__call__")

    def inv(self, y):
        """Returns what the function is y of."""
        raise NotImplementedError(f"{type(self).__name__}.inv")

    def log_abs_det_jacobian(self, x, y):
        """The logarithm of the magnitude of the derivative at x, where it is y."""
        raise NotImplementedError(f"{type(self).__name__}.log_abs_det_jacobian")


class ExpTransform(Transform):
    """exp(x)."""

    codomain = (0.0, math.inf)

    def __call__(self, x):
        return _ops.exp(x)

    def inv(self, y):
        return _ops.log(y)

    def log_abs_det_jacobian(self, x, y):
        return x


class AffineTransform(Transform):
    """loc + scale * x."""

    def __init__(self, loc, scale):
        self.loc, self.scale = tensors(loc, scale)

    def __call__(self, x):
        return _ops.add(self.loc, _ops.multiply(self.scale, x))

    def inv(self, y):
        return _ops.divide(_ops.subtract(y, self.loc), self.scale)

    def log_abs_det_jacobian(self, x, y):
        return _ops.add(_ops.log(_ops.abs(self.scale)), _ops.zeros_like(x))


class SigmoidTransform(Transform):
    """1 / (1 + exp(-x))."""

    codomain = (0.0, 1.0)

    def __call__(self, x):
        return _ops.sigmoid(x)

    def inv(self, y):
        return _ops.subtract(_ops.log(y), _ops.log1p(_ops.scale(y, -1.0)))

    def log_abs_det_jacobian(self, x, y):
        return _ops.scale(_ops.add(_ops.softplus(x, 1.0, 40.0), _ops.softplus(
            _ops.scale(x, -1.0), 1.0, 40.0)), -1.0)


class TanhTransform(Transform):
    """tanh(x)."""

    codomain = (-1.0, 1.0)

    def __call__(self, x):
        return _ops.tanh(x)

    def inv(self, y):
        return _ops.atanh(y)

    def log_abs_det_jacobian(self, x, y):
        # log(1 - tanh(x)²) without a difference of numbers near 1.
        return _ops.scale(_ops.add(x, _ops.softplus(_ops.scale(x, -2.0), 1.0, 80.0)),
                          -2.0, 2.0 * math.log(2.0))


class TransformedDistribution(Distribution):
    """The distribution of functions, one after another, of a draw of ``base``."""

    def __init__(self, base: Distribution, transforms: Transform | Sequence):
        if not isinstance(base, Distribution):
            refuse("TransformedDistribution", "base", "a Distribution", base)
        several = [transforms] if isinstance(transforms, Transform) else listed(
            "TransformedDistribution", "transforms", transforms)
        for each in several:
            if not isinstance(each, Transform):
                refuse("TransformedDistribution", "transforms", "Transforms", each)
        self.base, self.transforms = base, several
        self.event_rank = base.event_rank

    @property
    def batch_shape(self):
        return self.base.batch_shape

    @property
    def event_shape(self):
        return self.base.event_shape

    def _applied(self, x):
        for transform in self.transforms:
            x = transform(x)
        return x

    def sample(self, shape=()):
        with no_grad():
            return self._applied(self.base.sample(shape))

    def rsample(self, shape=()):
        return self._applied(self.base.rsample(shape))

    def log_prob(self, value):
        y, total = tensor_of(value), None
        inside = _within(y, self.transforms[-1].codomain) if self.transforms else None
        for transform in reversed(self.transforms):
            x = transform.inv(y)
            part = transform.log_abs_det_jacobian(x, y)
            if self.event_rank:
                part = _ops.sum(part, list(range(-self.event_rank, 0)))
            total = part if total is None else _ops.add(total, part)
            y = x
        found = self.base.log_prob(y)
        if total is not None:
            found = _ops.subtract(found, total)
        if inside is None or self.event_rank:
            return found
        return outside(found, inside)


def _within(y, codomain):
    if codomain == (-math.inf, math.inf):
        return None
    return _ops.logical_and(_ops.greater_than(y, codomain[0]),
                            _ops.less_than(y, codomain[1]))
