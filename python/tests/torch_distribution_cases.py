# SPDX-License-Identifier: Apache-2.0
"""Distributions and transforms as data, for PyTorch and for ours.

A thing is (its class, positional arguments, keyword arguments); lists and numbers
are tensors of float64. testdata/make_torch_distributions.py writes what PyTorch
says of them.
"""

import numpy as np

A, B, P = [0.4, 1.0, 3.5], [[0.7], [2.0]], [0.2, 0.5, 0.85]
X, W = [[0.1, 0.6, 0.9], [0.2, 0.35, 0.5]], [-2.0, 0.5, 4.0]
WX = [[-2.0, 0.5, 4.0], [0.0, 1.5, -0.3]]
M = [[2.0, 0.3, 0.1], [0.3, 1.5, -0.2], [0.1, -0.2, 0.8]]
F = [[0.5, 0.1], [0.2, -0.4], [1.0, 0.3]]
# {name: (a thing, values)}.
CASES = {
    "ContinuousBernoulli": (("ContinuousBernoulli", (P,)), X),
    "ContinuousBernoulliL": (("ContinuousBernoulli", (), {"logits": W}), X),
    "FisherSnedecor": (("FisherSnedecor", ([0.8, 3.0, 5.0], [[2.5], [6.0]])), X),
    "GeneralizedPareto": (("GeneralizedPareto", (0.05, [1.0, 2.0, 0.5], [[0.0], [0.3]])), X),
    "GeneralizedParetoN": (("GeneralizedPareto", (0.0, 3.0, -0.5)), X),
    "HalfCauchy": (("HalfCauchy", (A,)), X),
    "InverseGamma": (("InverseGamma", (A, B)), X),
    "Kumaraswamy": (("Kumaraswamy", (A, B)), X),
    "LKJCholesky": (("LKJCholesky", (3, [0.5, 1.0, 2.0])), [[1.0, 0.0, 0.0], [0.6, 0.8, 0.0], [0.0,
        0.6, 0.8]]),
    "LogisticNormal": (("LogisticNormal", ([0.1, -0.4], [0.5, 1.2])), [[0.2, 0.5, 0.3], [0.1, 0.1,
        0.8]]),
    "LowRank": (("LowRankMultivariateNormal", ([0.1, 0.2, 0.3], F, [0.5, 1.0, 0.7])), WX),
    "Mixture": (("MixtureSameFamily", (("Categorical", ([0.2, 0.3, 0.5],)), ("Normal", (W, A)))),
        [0.1, 0.5]),
    "Multinomial": (("Multinomial", (4, [0.2, 0.3, 0.5])), [[1.0, 1.0, 2.0], [0.0, 4.0, 0.0]]),
    "NegativeBinomial": (("NegativeBinomial", (2.5, P)), [[0.0, 2.0, 5.0], [1.0, 3.0, 0.0]]),
    "NegativeBinomialL": (("NegativeBinomial", (A,), {"logits": 0.3}), [[0.0, 2.0, 5.0], [1.0, 3.0,
        0.0]]),
    "OneHot": (("OneHotCategorical", ([[0.2, 0.3, 0.5], [0.1, 0.1, 0.8]],)), [[1.0, 0.0, 0.0],
        [0.0, 0.0, 1.0]]),
    "OneHotST": (("OneHotCategoricalStraightThrough", ([[0.2, 0.3, 0.5], [0.1, 0.1, 0.8]],)),
        [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]),
    "Pareto": (("Pareto", ([0.05, 0.1, 0.2], [[1.5], [3.0]])), X),
    "RelaxedBernoulli": (("RelaxedBernoulli", (0.7, P)), X),
    "RelaxedOneHot": (("RelaxedOneHotCategorical", (0.7, [0.2, 0.3, 0.5])), [[0.2, 0.5, 0.3], [0.1,
        0.1, 0.8]]),
    "VonMises": (("VonMises", (W, [0.3, 2.0, 40.0])), WX),
    "Weibull": (("Weibull", (A, B)), X),
    "Wishart": (("Wishart", (4.5, M)), [[2.0, 0.1, 0.0], [0.1, 1.0, 0.3], [0.0, 0.3, 1.5]]),
    "WishartL": (("Wishart", ([3.5, 4.0],), {"scale_tril": [[1.0, 0.0], [0.4, 0.7]]}), [[2.0, 0.1],
        [0.1, 1.0]]),
    "TPower": (("TransformedDistribution", (("Gamma", (A, 1.0)), [("PowerTransform", (0.5,))])), X),
    "TSoftplus": (("TransformedDistribution", (("Normal", (W, 1.0)), [("SoftplusTransform", ())])),
        X),
    "TStick": (("TransformedDistribution", (("Normal", ([0.1, -0.4, 0.3], 1.0)),
        [("AffineTransform", (1.0, 2.0)), ("StickBreakingTransform", ())])), [0.1, 0.2, 0.3, 0.4]),
    "TCompose": (("TransformedDistribution", (("Normal", (W, 1.0)), [("ComposeTransform",
        ([("ExpTransform", ()), ("AffineTransform", (0.0, 3.0))],))])), X),
    "TCorr": (("TransformedDistribution", (("Normal", ([0.1, -0.4, 0.3], 1.0)),
        [("CorrCholeskyTransform", ())])), [[1.0, 0.0, 0.0], [0.6, 0.8, 0.0], [0.0, 0.6, 0.8]]),
    "TIndependent": (("TransformedDistribution", (("Normal", (W, 1.0)), [("IndependentTransform",
        (("SigmoidTransform", ()), 1))])), X),
    "TReshape": (("TransformedDistribution", (("Normal", ([0.1, 0.2, 0.3, 0.4], 1.0)),
        [("ReshapeTransform", ((4,), (2, 2)))])), [[0.1, 0.2], [0.3, 0.4]]),
    "TCumulative": (("TransformedDistribution", (("Normal", (W, 1.0)),
        [("CumulativeDistributionTransform", (("Normal", (0.5, 2.0)),))])), X),
}
_ONES = {
    "Normal": ("Normal", (W, B)),
    "Normal2": ("Normal", (0.5, 1.3)),
    "LogNormal": ("LogNormal", (W, B)),
    "LogNormal2": ("LogNormal", (0.5, 1.3)),
    "HalfNormal": ("HalfNormal", (A,)),
    "HalfNormal2": ("HalfNormal", (B,)),
    "Binomial": ("Binomial", (5, P)),
    "Binomial2": ("Binomial", (5, 0.4)),
    "Geometric": ("Geometric", (P,)),
    "Geometric2": ("Geometric", (0.4,)),
    "Poisson": ("Poisson", (A,)),
    "Poisson2": ("Poisson", (B,)),
    "OneHotCategorical": ("OneHotCategorical", ([0.2, 0.3, 0.5],)),
    "OneHotCategorical2": ("OneHotCategorical", ([0.1, 0.1, 0.8],)),
    "Beta": ("Beta", (A, B)),
    "Beta2": ("Beta", (1.3, 0.6)),
    "Dirichlet": ("Dirichlet", (A,)),
    "Dirichlet2": ("Dirichlet", ([[1.0, 2.0, 0.5], [3.0, 0.2, 1.0]],)),
    "Exponential": ("Exponential", (A,)),
    "Exponential2": ("Exponential", (B,)),
    "Gamma": ("Gamma", (A, B)),
    "Gamma2": ("Gamma", (1.3, 0.6)),
    "InverseGamma": ("InverseGamma", (A, B)),
    "InverseGamma2": ("InverseGamma", (1.3, 0.6)),
    "Gumbel": ("Gumbel", (W, B)),
    "Gumbel2": ("Gumbel", (0.5, 1.3)),
    "Laplace": ("Laplace", (W, B)),
    "Laplace2": ("Laplace", (0.5, 1.3)),
    "Cauchy": ("Cauchy", (W, B)),
    "Cauchy2": ("Cauchy", (0.5, 1.3)),
    "Pareto": ("Pareto", ([0.5, 1.0, 2.0], [[1.5], [3.0]])),
    "Pareto2": ("Pareto", (0.9, 1.2)),
    "ContinuousBernoulli": ("ContinuousBernoulli", (P,)),
    "ContinuousBernoulli2": ("ContinuousBernoulli", (0.4,)),
    "MultivariateNormal": ("MultivariateNormal", ([0.1, 0.2, 0.3], M)),
    "MultivariateNormal2": ("MultivariateNormal", ([0.0, 0.0, 1.0],), {"scale_tril": [[1.0, 0.0,
        0.0], [0.4, 0.7, 0.0], [0.1, 0.2, 0.9]]}),
    "LowRankMultivariateNormal": ("LowRankMultivariateNormal", ([0.1, 0.2, 0.3], F, [0.5, 1.0,
        0.7])),
    "Uniform": ("Uniform", ([0.5, 1.0, 1.2], [[2.0], [3.0]])),
    "Uniform2": ("Uniform", (-1.0, 2.5)),
    "Bernoulli": ("Bernoulli", (P,)),
}
_ACROSS = {
    "Beta": "Exponential Gamma Normal Uniform ContinuousBernoulli Pareto",
    "ContinuousBernoulli": "Exponential Normal Uniform Pareto",
    "Exponential": "Gamma Gumbel Normal Beta Pareto Uniform",
    "Gamma": "Exponential Gumbel Normal Beta Uniform", "Gumbel": "Normal Exponential Beta",
    "Laplace": "Normal Beta", "Normal": "Gumbel Laplace Beta Uniform",
    "Pareto": "Exponential Gamma Normal Beta",
    "Uniform": "Exponential Gamma Gumbel Normal Pareto", "Bernoulli": "Poisson",
    "Poisson": "Bernoulli",
    "MultivariateNormal": "LowRankMultivariateNormal",
    "LowRankMultivariateNormal": "MultivariateNormal LowRankMultivariateNormal",
}
# Pairs for kl_divergence.
PAIRS = [(one, _ONES[name + "2"]) for name, one in _ONES.items() if name + "2" in _ONES]
PAIRS += [(_ONES[name], _ONES.get(other + "2", _ONES[other]))
          for name, others in _ACROSS.items() for other in others.split()]
PAIRS += [(("Independent", (_ONES["Normal"], 1)), (
    "Independent", (("Normal", ([0.5, 0.5, 0.5], [[1.3], [1.3]])), 1)))]


def built(module, spec, leaf):
    """The thing that ``spec`` says, of the classes of a module; ``leaf`` makes
    tensors of arrays."""
    if isinstance(spec, tuple) and isinstance(spec[0], str):
        name, args, kwargs = (*spec, {})[:3]
        return getattr(module, name)(
            *[built(module, each, leaf) for each in args],
            **{key: built(module, each, leaf) for key, each in kwargs.items()})
    if isinstance(spec, list) and isinstance(spec[0], tuple):
        return [built(module, each, leaf) for each in spec]
    if isinstance(spec, (list, float)):
        return leaf(np.array(spec, np.float64))
    return spec


def key(pair):
    """The name of a pair's result."""
    return " ".join(spec[0] for spec in pair)
