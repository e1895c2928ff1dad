# SPDX-License-Identifier: Apache-2.0
"""Divergences of pairs of distributions."""

from __future__ import annotations

import math

from switchyard import _core
from switchyard.distributions.base import Distribution, times
from switchyard.distributions.discrete import Bernoulli, Categorical
from switchyard.distributions.plain import Normal, Uniform
from switchyard.distributions.transformed import Independent

_ops = _core.ops


def kl_divergence(p: Distribution, q: Distribution):
    """The mean of log p - log q over draws of p."""
    if isinstance(p, Independent) and isinstance(q, Independent) and p.rank == q.rank:
        return p.summed(kl_divergence(p.base, q.base))
    for (first, second), divergence in _DIVERGENCES.items():
        if isinstance(p, first) and isinstance(q, second):
            return divergence(p, q)
    raise NotImplementedError(
        f"kl_divergence: p and q are {type(p).__name__} and {type(q).__name__}; "
        "known are pairs of Normal, Uniform, Bernoulli or Categorical, Independent "
        "ones of these, and Uniform with Normal")


def _normals(p, q):
    ratio = _ops.square(_ops.divide(p.scale, q.scale))
    apart = _ops.square(_ops.divide(_ops.subtract(p.loc, q.loc), q.scale))
    return _ops.scale(_ops.subtract(_ops.add(ratio, apart), _ops.log(ratio)),
                      0.5, -0.5)


def _bernoullis(p, q):
    difference = [_ops.subtract(a, b) for a, b in zip(p._logs(), q._logs())]
    return _ops.add(
        times(p.probs, difference[0]),
        times(_ops.scale(p.probs, -1.0, 1.0), difference[1]))


def _categoricals(p, q):
    return _ops.sum(times(p.probs, _ops.subtract(p.logits, q.logits)), -1)


def _uniforms(p, q):
    inside = _ops.logical_and(_ops.less_equal(q.low, p.low),
                              _ops.less_equal(p.high, q.high))
    apart = _ops.subtract(_ops.log(q._width()), _ops.log(p._width()))
    return _ops.where(inside, apart, _ops.full([], math.inf, apart.dtype))


def _uniform_normal(p, q):
    square = _ops.add(p.variance, _ops.square(_ops.subtract(p.mean, q.loc)))
    spread = _ops.scale(_ops.divide(square, _ops.square(q.scale)), 0.5)
    constant = _ops.scale(_ops.log(q.scale), 1.0, 0.5 * math.log(2.0 * math.pi))
    return _ops.subtract(_ops.add(spread, constant), _ops.log(p._width()))


_DIVERGENCES = {(Normal, Normal): _normals, (Uniform, Uniform): _uniforms,
                (Bernoulli, Bernoulli): _bernoullis,
                (Categorical, Categorical): _categoricals,
                (Uniform, Normal): _uniform_normal}
