# SPDX-License-Identifier: Apache-2.0
"""Distributions made of others: several as one draw, and functions of a draw."""

from __future__ import annotations

from collections.abc import Sequence

from switchyard import _core
from switchyard.autograd import no_grad
from switchyard.checks import FROM_0, refuse, whole
from switchyard.distributions import constraints
from switchyard.distributions.base import Distribution, outside
from switchyard.distributions.number_transforms import Transform, _rank, summed
from switchyard.distributions.vector_transforms import ComposeTransform, checked_parts
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

    @property
    def has_rsample(self):
        return self.base.has_rsample

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


class TransformedDistribution(Distribution):
    """The distribution of functions, one after another, of a draw of ``base``.

    Where a transform is of vectors, the last axes of ``base``'s parameters are those
    of one draw.
    """

    def __init__(self, base: Distribution, transforms: Transform | Sequence):
        if not isinstance(base, Distribution):
            refuse("TransformedDistribution", "base", "a Distribution", base)
        self.transforms = checked_parts("TransformedDistribution", "transforms",
                                        transforms)
        whole_one = ComposeTransform(self.transforms)
        more = _rank(whole_one.domain) - base.event_rank
        if more > len(base.batch_shape):
            raise ValueError("TransformedDistribution: base must have draws of "
                             f"{_rank(whole_one.domain)} axes for its transforms, got "
                             f"{tuple(base.batch_shape)} distributions of draws "
                             f"{tuple(base.event_shape)}")
        self.base = Independent(base, more) if more > 0 else base
        self.event_rank = _rank(whole_one.codomain) + max(-more, 0)
        shape = (*self.base.batch_shape, *self.base.event_shape)
        self._shape = tuple(whole_one.forward_shape(shape)) if self.transforms else shape

    @property
    def batch_shape(self):
        return self._shape[:len(self._shape) - self.event_rank]

    @property
    def event_shape(self):
        return self._shape[len(self._shape) - self.event_rank:]

    def _applied(self, x):
        for transform in self.transforms:
            x = transform(x)
        return x

    @property
    def has_rsample(self):
        return self.base.has_rsample

    def sample(self, shape=()):
        with no_grad():
            return self._applied(self.base.sample(shape))

    def rsample(self, shape=()):
        return self._applied(self.base.rsample(shape))

    def log_prob(self, value):
        y, found, rank = tensor_of(value), None, self.event_rank
        last = self.transforms[-1] if self.transforms else None
        inside = None if last is None or last.codomain is constraints.real or (
            rank) else constraints.within(last.codomain, y)
        for transform in reversed(self.transforms):
            x = transform.inv(y)
            rank += _rank(transform.domain) - _rank(transform.codomain)
            part = summed(transform.log_abs_det_jacobian(x, y),
                          rank - _rank(transform.domain))
            found = part if found is None else _ops.add(found, part)
            y = x
        prior = summed(self.base.log_prob(y), rank - self.base.event_rank)
        found = prior if found is None else _ops.subtract(prior, found)
        return found if inside is None else outside(found, inside)

    def cdf(self, value):
        for transform in reversed(self.transforms):
            value = transform.inv(tensor_of(value))
        found = self.base.cdf(value)
        return self._turned(found)

    def icdf(self, value):
        return self._applied(self.base.icdf(self._turned(tensor_of(value))))

    def _turned(self, probability):
        """1 - probability where the transforms fall."""
        sign = ComposeTransform(self.transforms).sign
        if isinstance(sign, int):
            return probability if sign == 1 else _ops.scale(probability, -1.0, 1.0)
        return sign * (probability - 0.5) + 0.5
