# SPDX-License-Identifier: Apache-2.0
"""Divergences of pairs of distributions of different classes."""

from __future__ import annotations

import math

from switchyard import _core
from switchyard.distributions.base import times
from switchyard.distributions.counts import Poisson
from switchyard.distributions.discrete import Bernoulli
from switchyard.distributions.divergences import infinite, register_kl
from switchyard.distributions.gammas import Beta, Exponential, Gamma
from switchyard.distributions.locations import _EULER, Gumbel, Laplace
from switchyard.distributions.plain import Normal, Uniform
from switchyard.distributions.shares import ContinuousBernoulli
from switchyard.distributions.tails import Pareto

_ops = _core.ops


def _to_normal(p, q):
    """Takes any p that has moments."""
    square = (p.variance + _ops.square(p.mean - q.loc)) / _ops.square(q.scale)
    return 0.5 * square + _ops.log(q.scale) + 0.5 * math.log(2.0 * math.pi) - (
        p.entropy())


for _first in (Beta, ContinuousBernoulli, Exponential, Gamma, Gumbel, Laplace, Uniform):
    register_kl(_first, Normal)(_to_normal)


@register_kl(Pareto, Normal)
def _pareto_normal(p, q):
    return _ops.where(p.alpha > 2.0, _to_normal(p, q), infinite(p.alpha))


def _to_exponential(p, q):
    """Takes any p of positive numbers."""
    return q.rate * p.mean - _ops.log(q.rate) - p.entropy()


for _first in (Beta, ContinuousBernoulli, Gamma, Pareto):
    register_kl(_first, Exponential)(_to_exponential)


@register_kl(Uniform, Exponential)
def _uniform_exponential(p, q):
    found = _to_exponential(p, q)
    return _ops.where(p.low >= 0.0, found, infinite(found))


def _to_gamma(p, q, mean_log):
    """Takes a p of positive numbers whose mean logarithm is known."""
    a = q.concentration
    norm = a * _ops.log(q.rate) - _ops.lgamma(a)
    return q.rate * p.mean - (a - 1.0) * mean_log - norm - p.entropy()


@register_kl(Exponential, Gamma)
def _exponential_gamma(p, q):
    return _to_gamma(p, q, -_EULER - _ops.log(p.rate))


@register_kl(Beta, Gamma)
def _beta_gamma(p, q):
    one, zero = p.concentration1, p.concentration0
    return _to_gamma(p, q, _ops.digamma(one) - _ops.digamma(one + zero))


@register_kl(Pareto, Gamma)
def _pareto_gamma(p, q):
    return _to_gamma(p, q, _ops.log(p.scale) + 1.0 / p.alpha)


def _mean_log(x, width):
    """The integral of log up to x, divided by the width of a Uniform."""
    return times(x, _ops.log(x) - 1.0) / width


@register_kl(Uniform, Gamma)
def _uniform_gamma(p, q):
    width = p._width()
    mean_log = _mean_log(p.high, width) - _mean_log(p.low, width)
    found = _to_gamma(p, q, mean_log)
    return _ops.where(p.low >= 0.0, found, infinite(found))


@register_kl(Beta, Uniform)
@register_kl(ContinuousBernoulli, Uniform)
def _share_uniform(p, q):
    found = _ops.log(q._width()) - p.entropy()
    inside = _ops.logical_and(q.low <= 0.0, q.high >= 1.0)
    return _ops.where(inside, found, infinite(found))


@register_kl(Beta, ContinuousBernoulli)
def _beta_continuous_bernoulli(p, q):
    return -p.entropy() - q.log_prob(p.mean)  # log_prob is linear.


@register_kl(Bernoulli, Poisson)
def _bernoulli_poisson(p, q):
    return q.rate - times(p.probs, _ops.log(q.rate)) - p.entropy()


@register_kl(Normal, Gumbel)
def _normal_gumbel(p, q):
    apart, ratio = (p.loc - q.loc) / q.scale, _ops.square(p.scale / q.scale)
    return apart + _ops.exp(0.5 * ratio - apart) + _ops.log(q.scale) - p.entropy()


@register_kl(Exponential, Gumbel)
def _exponential_gumbel(p, q):
    slope, start = p.rate * q.scale, q.loc / q.scale
    bent = _ops.exp(start) * slope / (slope + 1.0)
    return _ops.log(slope) - start + 1.0 / slope + bent - 1.0


@register_kl(Gamma, Gumbel)
def _gamma_gumbel(p, q):
    slope, start = p.rate * q.scale, q.loc / q.scale
    bent = _ops.exp(start) * (1.0 + 1.0 / slope)**(-p.concentration)
    return p.concentration / slope - start + bent + _ops.log(q.scale) - p.entropy()


@register_kl(Uniform, Gumbel)
def _uniform_gumbel(p, q):
    high, low = (p.high - q.loc) / q.scale, (p.low - q.loc) / q.scale
    apart = high - low
    return 0.5 * (high + low) - (_ops.exp(-high) - _ops.exp(-low)) / apart - (
        _ops.log(apart))


@register_kl(Normal, Laplace)
def _normal_laplace(p, q):
    apart = p.loc - q.loc
    ratio = apart / p.scale
    near = p.scale * math.sqrt(2.0 / math.pi) * _ops.exp(-0.5 * _ops.square(ratio))
    far = apart * _ops.erf(math.sqrt(0.5) * ratio)
    return (near + far) / q.scale + _ops.log(2.0 * q.scale) - p.entropy()


@register_kl(Uniform, Pareto)
def _uniform_pareto(p, q):
    width = p._width()
    mean_log = _mean_log(p.high, width) - _mean_log(p.low, width)
    found = (q.alpha + 1.0) * mean_log - q.alpha * _ops.log(q.scale) - (
        _ops.log(q.alpha)) - p.entropy()
    return _ops.where(p.low >= q.scale, found, infinite(found))


def _outside(p, q):
    """Takes a p that may be where q never is."""
    return infinite(p.mean + q.mean)


for _pair in ((Beta, Pareto), (ContinuousBernoulli, Pareto), (Exponential, Beta),
              (Exponential, ContinuousBernoulli), (Exponential, Pareto),
              (Exponential, Uniform), (Gamma, Beta), (Gamma, ContinuousBernoulli),
              (Gamma, Pareto), (Gamma, Uniform), (Gumbel, Beta),
              (Gumbel, ContinuousBernoulli), (Gumbel, Exponential), (Gumbel, Gamma),
              (Gumbel, Pareto), (Gumbel, Uniform), (Laplace, Beta),
              (Laplace, ContinuousBernoulli), (Laplace, Exponential),
              (Laplace, Gamma), (Laplace, Pareto), (Laplace, Uniform),
              (Normal, Beta), (Normal, ContinuousBernoulli), (Normal, Exponential),
              (Normal, Gamma), (Normal, Pareto), (Normal, Uniform), (Pareto, Beta),
              (Pareto, ContinuousBernoulli), (Pareto, Uniform), (Poisson, Bernoulli)):
    register_kl(*_pair)(_outside)
