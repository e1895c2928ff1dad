# SPDX-License-Identifier: Apache-2.0
"""Probability distributions: samples, logarithms of densities, divergences.

    policy = sy.distributions.Categorical(logits=model(state))
    action = policy.sample()
    loss = -(policy.log_prob(action) * advantage).mean()

They only call operators, so their parameters may be tensors and, while a program
is traced, values of a graph; numbers and arrays, too. Numbers are drawn from the
generator that ``sy.seed`` sets.
"""

from switchyard.distributions import constraints, mixed_divergences as _mixed, transforms
from switchyard.distributions.base import Distribution
from switchyard.distributions.counts import Binomial, Geometric, Poisson
from switchyard.distributions.discrete import Bernoulli, Categorical
from switchyard.distributions.divergences import kl_divergence, register_kl
from switchyard.distributions.gammas import (Beta, Chi2, Dirichlet, Exponential,
                                             Gamma, StudentT)
from switchyard.distributions.locations import (Cauchy, Gumbel, HalfNormal, Laplace,
                                                LogNormal)
from switchyard.distributions.matrices import LKJCholesky, VonMises, Wishart
from switchyard.distributions.mixtures import (LowRankMultivariateNormal,
                                               MixtureSameFamily)
from switchyard.distributions.one_hot import (
    Multinomial, NegativeBinomial, OneHotCategorical,
    OneHotCategoricalStraightThrough, RelaxedOneHotCategorical)
from switchyard.distributions.plain import Normal, Uniform
from switchyard.distributions.registry import biject_to, transform_to
from switchyard.distributions.shares import (ContinuousBernoulli, Kumaraswamy,
                                             LogisticNormal, RelaxedBernoulli)
from switchyard.distributions.tails import (FisherSnedecor, GeneralizedPareto,
                                            HalfCauchy, InverseGamma, Pareto, Weibull)
from switchyard.distributions.transformed import Independent, TransformedDistribution
from switchyard.distributions.transforms import (
    AbsTransform, AffineTransform, CatTransform, ComposeTransform,
    CorrCholeskyTransform, CumulativeDistributionTransform, ExpTransform,
    IndependentTransform, LowerCholeskyTransform, PositiveDefiniteTransform,
    PowerTransform, ReshapeTransform, SigmoidTransform, SoftmaxTransform,
    SoftplusTransform, StackTransform, StickBreakingTransform, TanhTransform,
    Transform, identity_transform)
from switchyard.distributions.vectors import MultivariateNormal
from switchyard.spelling import install as _install

del _mixed  # It has registered its formulas.
__all__ = ["AbsTransform", "AffineTransform", "Bernoulli", "Beta", "Binomial",
           "CatTransform", "Categorical", "Cauchy", "Chi2",
           "ComposeTransform", "ContinuousBernoulli", "CorrCholeskyTransform",
           "CumulativeDistributionTransform", "Dirichlet", "Distribution",
           "ExpTransform", "Exponential", "FisherSnedecor", "Gamma",
           "GeneralizedPareto", "Geometric", "Gumbel", "HalfCauchy",
           "HalfNormal", "Independent", "IndependentTransform",
           "InverseGamma", "Kumaraswamy", "LKJCholesky", "Laplace",
           "LogNormal", "LogisticNormal", "LowRankMultivariateNormal",
           "LowerCholeskyTransform", "MixtureSameFamily", "Multinomial",
           "MultivariateNormal", "NegativeBinomial", "Normal",
           "OneHotCategorical", "OneHotCategoricalStraightThrough", "Pareto",
           "Poisson", "PositiveDefiniteTransform", "PowerTransform",
           "RelaxedBernoulli", "RelaxedOneHotCategorical", "ReshapeTransform",
           "SigmoidTransform", "SoftmaxTransform", "SoftplusTransform",
           "StackTransform", "StickBreakingTransform", "StudentT",
           "TanhTransform", "Transform", "TransformedDistribution", "Uniform",
           "VonMises", "Weibull", "Wishart", "biject_to", "constraints",
           "identity_transform", "kl_divergence", "register_kl",
           "transform_to", "transforms"]


def __dir__():
    return __all__


_install(globals(), __all__)
