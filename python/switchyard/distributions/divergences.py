# SPDX-License-Identifier: Apache-2.0
"""Divergences of pairs of distributions of one class, and their registry."""

from __future__ import annotations

from collections.abc import Callable
import math

from switchyard import _core
from switchyard.checks import refuse
from switchyard.distributions.base import Distribution, times
from switchyard.distributions.counts import Binomial, Geometric, Poisson
from switchyard.distributions.discrete import Bernoulli, Categorical
from switchyard.distributions.gammas import Beta, Dirichlet, Exponential, Gamma
from switchyard.distributions.locations import (_EULER, Cauchy, Gumbel, HalfNormal,
                                                Laplace, LogNormal)
from switchyard.distributions.mixtures import LowRankMultivariateNormal
from switchyard.distributions.number_transforms import summed
from switchyard.distributions.one_hot import OneHotCategorical
from switchyard.distributions.plain import Normal, Uniform
from switchyard.distributions.shares import ContinuousBernoulli
from switchyard.distributions.tails import InverseGamma, Pareto
from switchyard.distributions.transformed import Independent, TransformedDistribution
from switchyard.distributions.vectors import MultivariateNormal

_ops = _core.ops
_known: dict[tuple[type, type], Callable] = {}


def register_kl(type_p: type, type_q: type) -> Callable:
    """A decorator: ``function(p, q)`` is kl_divergence of p and q of these classes,
    or of classes derived from them where none is nearer."""
    for argument, kind in (("type_p", type_p), ("type_q", type_q)):
        if not isinstance(kind, type) or not issubclass(kind, Distribution):
            refuse("register_kl", argument, "a class of distributions", kind)

    def register(function):
        _known[type_p, type_q] = function
        return function
    return register


def kl_divergence(p: Distribution, q: Distribution):
    """The mean of log p - log q over draws of p.

    NotImplementedError for a pair of classes of which none is known
    (``register_kl``).
    """
    for argument, given in (("p", p), ("q", q)):
        if not isinstance(given, Distribution):
            refuse("kl_divergence", argument, "a Distribution", given)
    for first in type(p).__mro__:
        for second in type(q).__mro__:
            if (first, second) in _known:
                return _known[first, second](p, q)
    raise NotImplementedError(
        f"kl_divergence: p and q are {type(p).__name__} and {type(q).__name__}; "
        "of these no formula is known (register_kl adds one)")


def infinite(like):
    """Infinity, of the shape of a tensor."""
    return _ops.full_like(like, math.inf)


@register_kl(Independent, Independent)
def _independent(p, q):
    if p.rank != q.rank:
        raise NotImplementedError("kl_divergence: p and q must have one number of axes "
                                  f"of a draw, got {p.rank} and {q.rank}")
    return p.summed(kl_divergence(p.base, q.base))


@register_kl(TransformedDistribution, TransformedDistribution)
def _transformed(p, q):
    if len(p.transforms) != len(q.transforms) or not all(
            a is b or (type(a) is type(b) and vars(a) == vars(b) == {})
            for a, b in zip(p.transforms, q.transforms)):
        raise NotImplementedError("kl_divergence: p and q must have the same transforms")
    return kl_divergence(p.base, q.base)


@register_kl(Normal, Normal)
def _normals(p, q):
    ratio = _ops.square(_ops.divide(p.scale, q.scale))
    apart = _ops.square(_ops.divide(_ops.subtract(p.loc, q.loc), q.scale))
    return _ops.scale(_ops.subtract(_ops.add(ratio, apart), _ops.log(ratio)),
                      0.5, -0.5)


@register_kl(LogNormal, LogNormal)
def _log_normals(p, q):
    return _normals(p._normal, q._normal)


@register_kl(HalfNormal, HalfNormal)
def _half_normals(p, q):
    ratio = _ops.square(p.scale / q.scale)
    return 0.5 * (ratio - _ops.log(ratio) - 1.0)


@register_kl(Bernoulli, Bernoulli)
def _bernoullis(p, q):
    difference = [_ops.subtract(a, b) for a, b in zip(p._logs(), q._logs())]
    return _ops.add(
        times(p.probs, difference[0]),
        times(_ops.scale(p.probs, -1.0, 1.0), difference[1]))


@register_kl(Binomial, Binomial)
def _binomials(p, q):
    found = p.total_count * _bernoullis(p, q)
    fits = p.total_count <= q.total_count
    same = _ops.equal(p.total_count, q.total_count)
    nan = _ops.full_like(found, math.nan)
    return _ops.where(same, found, _ops.where(fits, nan, infinite(found)))


@register_kl(Geometric, Geometric)
def _geometrics(p, q):
    yes, no = q._logs()
    return -p.entropy() - p.mean * no - yes


@register_kl(Poisson, Poisson)
def _poissons(p, q):
    return times(p.rate, _ops.log(p.rate) - _ops.log(q.rate)) - (p.rate - q.rate)


@register_kl(Categorical, Categorical)
def _categoricals(p, q):
    return _ops.sum(times(p.probs, _ops.subtract(p.logits, q.logits)), -1)


@register_kl(OneHotCategorical, OneHotCategorical)
def _one_hots(p, q):
    return _categoricals(p, q)


@register_kl(Uniform, Uniform)
def _uniforms(p, q):
    inside = _ops.logical_and(_ops.less_equal(q.low, p.low),
                              _ops.less_equal(p.high, q.high))
    apart = _ops.subtract(_ops.log(q._width()), _ops.log(p._width()))
    return _ops.where(inside, apart, _ops.full([], math.inf, apart.dtype))


@register_kl(Beta, Beta)
def _betas(p, q):
    one, zero = p.concentration1, p.concentration0
    more_one, more_zero = q.concentration1 - one, q.concentration0 - zero
    return q._log_norm() - p._log_norm() - more_one * _ops.digamma(one) - (
        more_zero * _ops.digamma(zero)) + (more_one + more_zero) * (
            _ops.digamma(one + zero))


@register_kl(Dirichlet, Dirichlet)
def _dirichlets(p, q):
    a, b = p.concentration, q.concentration
    total = _ops.sum(a, -1)
    norm = _ops.lgamma(total) - summed(_ops.lgamma(a), 1) - (
        _ops.lgamma(_ops.sum(b, -1)) - summed(_ops.lgamma(b), 1))
    slope = _ops.digamma(a) - _ops.unsqueeze(_ops.digamma(total), [-1])
    return norm + summed((a - b) * slope, 1)


@register_kl(Exponential, Exponential)
def _exponentials(p, q):
    ratio = q.rate / p.rate
    return ratio - _ops.log(ratio) - 1.0


@register_kl(Gamma, Gamma)
@register_kl(InverseGamma, InverseGamma)
def _gammas(p, q):
    a, b = p.concentration, q.concentration
    return b * _ops.log(p.rate / q.rate) + _ops.lgamma(b) - _ops.lgamma(a) + (
        a - b) * _ops.digamma(a) + (q.rate - p.rate) * (a / p.rate)


@register_kl(Gumbel, Gumbel)
def _gumbels(p, q):
    ratio, apart = p.scale / q.scale, (p.loc - q.loc) / q.scale
    bent = _ops.exp(_ops.lgamma(1.0 + ratio) - apart)
    return apart - _ops.log(ratio) + ratio * _EULER + bent - (1.0 + _EULER)


@register_kl(Laplace, Laplace)
def _laplaces(p, q):
    ratio, apart = p.scale / q.scale, _ops.abs(p.loc - q.loc)
    return apart / q.scale - _ops.log(ratio) + (
        ratio * _ops.exp(-apart / p.scale)) - 1.0


@register_kl(Cauchy, Cauchy)
def _cauchys(p, q):
    square = _ops.square(p.scale + q.scale) + _ops.square(p.loc - q.loc)
    return _ops.log(square) - _ops.log(4.0 * p.scale * q.scale)


@register_kl(Pareto, Pareto)
def _paretos(p, q):
    ratio = q.alpha / p.alpha
    found = q.alpha * _ops.log(p.scale / q.scale) - _ops.log(ratio) + ratio - 1.0
    return _ops.where(p.scale >= q.scale, found, infinite(found))


@register_kl(ContinuousBernoulli, ContinuousBernoulli)
def _continuous_bernoullis(p, q):
    return -p.entropy() - q.log_prob(p.mean)  # log_prob is linear.


def _whole_normal(x):
    return x if isinstance(x, MultivariateNormal) else MultivariateNormal(
        x.loc, covariance_matrix=x.covariance_matrix)


@register_kl(MultivariateNormal, MultivariateNormal)
@register_kl(MultivariateNormal, LowRankMultivariateNormal)
@register_kl(LowRankMultivariateNormal, MultivariateNormal)
@register_kl(LowRankMultivariateNormal, LowRankMultivariateNormal)
def _vector_normals(p, q):
    p, q = _whole_normal(p), _whole_normal(q)
    n = p.loc.shape[-1]
    apart = _ops.unsqueeze(p.loc - q.loc, [-1])
    wide = _ops.matmul(_ops.zeros_like(apart), _ops.zeros_like(apart), transpose_y=True)
    ours, theirs = p.scale_tril + wide, q.scale_tril + wide
    solved = _ops.triangular_solve(theirs, _ops.concat([ours, apart], -1), upper=False)
    return q._half_log_det() - p._half_log_det() + 0.5 * (
        summed(_ops.square(solved), 2) - n)
