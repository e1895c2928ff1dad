# SPDX-License-Identifier: Apache-2.0
"""Probability distributions: samples, logarithms of densities, divergences.

    policy = sy.distributions.Categorical(logits=model(state))
    action = policy.sample()
    loss = -(policy.log_prob(action) * advantage).mean()

They only call operators, so their parameters may be tensors and, while a program
is traced, values of a graph; numbers and arrays, too. Numbers are drawn from the
generator that ``sy.seed`` sets.
"""

from switchyard.distributions.base import Distribution
from switchyard.distributions.counts import Binomial, Geometric, Poisson
from switchyard.distributions.discrete import Bernoulli, Categorical
from switchyard.distributions.divergences import kl_divergence
from switchyard.distributions.gammas import (Beta, Chi2, Dirichlet, Exponential,
                                             Gamma, StudentT)
from switchyard.distributions.locations import (Cauchy, Gumbel, HalfNormal, Laplace,
                                                LogNormal)
from switchyard.distributions.plain import Normal, Uniform
from switchyard.distributions.transformed import (
    AffineTransform, ExpTransform, Independent, SigmoidTransform, TanhTransform,
    Transform, TransformedDistribution)
from switchyard.distributions.vectors import MultivariateNormal

__all__ = ["AffineTransform", "Bernoulli", "Beta", "Binomial", "Categorical",
           "Cauchy", "Chi2", "Dirichlet", "Distribution", "ExpTransform",
           "Exponential", "Gamma", "Geometric", "Gumbel", "HalfNormal",
           "Independent", "Laplace", "LogNormal", "MultivariateNormal", "Normal",
           "Poisson", "SigmoidTransform", "StudentT", "TanhTransform", "Transform",
           "TransformedDistribution", "Uniform", "kl_divergence"]


def __dir__():
    return __all__
