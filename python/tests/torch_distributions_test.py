# SPDX-License-Identifier: Apache-2.0
"""Distributions beside what PyTorch 2.15 says of them (testdata), and their draws."""
import json
import math
import pathlib
import unittest

import numpy as np
from scipy import stats

import torch_distribution_cases as cases
import switchyard as sy
from switchyard import distributions as d

WANT = json.loads((pathlib.Path(__file__).parent / "testdata/distributions.json").read_text())
# PyTorch's Bessel functions are polynomials of some 7 digits.
ROUGH = {"VonMises": 1e-4}
# Moments that need more draws, or are none.
HEAVY = {"FisherSnedecor", "GeneralizedPareto", "HalfCauchy", "InverseGamma", "LKJCholesky",
         "LogisticNormal", "Pareto", "RelaxedBernoulli", "RelaxedOneHot", "VonMises"}
# {name: whose probability of up to x SciPy knows}.
RANKED = {
    "ContinuousBernoulli": None, "GeneralizedPareto": None, "Kumaraswamy": None,
    "Weibull": None, "Pareto": None, "HalfCauchy": None,
    "InverseGamma": lambda: stats.invgamma(cases.A, scale=cases.B),
    "FisherSnedecor": lambda: stats.f([0.8, 3.0, 5.0], [[2.5], [6.0]]),
    "VonMises": lambda: stats.vonmises([0.3, 2.0, 40.0]),
}


def made(spec):
    return cases.built(d, spec, sy.tensor)


def close(got, want, rtol=1e-9, atol=1e-11):
    want = np.array(want, np.float64)
    if np.shape(got) != want.shape:
        raise AssertionError(f"shape {np.shape(got)}, not {want.shape}")
    np.testing.assert_allclose(got, want, rtol, atol)


class TorchDistributionsTest(unittest.TestCase):

    def test_values(self):
        for name, (spec, x) in cases.CASES.items():
            one, want = made(spec), WANT[name]
            x, rtol = sy.tensor(np.array(x, np.float64)), ROUGH.get(name, 1e-9)
            with self.subTest(name):
                close(one.log_prob(x).numpy(), want["log_prob"], rtol)
                for what in ("mean", "variance"):
                    if want[what] is not None:
                        close(getattr(one, what).numpy(), want[what], rtol)
                if want["entropy"] is not None:
                    close(one.entropy().numpy(), want["entropy"], rtol)
                    close(one.perplexity().numpy(), np.exp(want["entropy"]), rtol)
                for what in ("batch_shape", "event_shape"):
                    self.assertEqual(list(getattr(one, what)), want[what])

    def test_divergences(self):
        for pair in cases.PAIRS:
            with self.subTest(cases.key(pair)):
                found = d.kl_divergence(*map(made, pair)).numpy()
                want = np.array(WANT["kl"][cases.key(pair)], np.float64)
                close(np.broadcast_to(found, want.shape), want)

    def test_shapes_of_draws(self):
        sy.seed(0)
        for name, (spec, _) in cases.CASES.items():
            one = made(spec)
            with self.subTest(name):
                each = (*one.batch_shape, *one.event_shape)
                self.assertEqual(tuple(one.sample().shape), each)
                drawn = one.sample((3, 2))
                self.assertEqual(tuple(drawn.shape), (3, 2, *each))
                self.assertEqual(drawn.dtype, "float64")
                logs = one.log_prob(drawn).numpy()
                self.assertEqual(logs.shape, (3, 2, *one.batch_shape))
                self.assertTrue(np.isfinite(logs).all())

    def test_means_of_draws(self):
        sy.seed(1)
        for name, (spec, _) in cases.CASES.items():
            want = WANT[name]
            if name.rstrip("NL") in HEAVY or want["mean"] is None or want["variance"] is None:
                continue
            drawn = made(spec).sample((6000,)).numpy()
            with self.subTest(name):
                spread = np.sqrt(np.array(want["variance"]) / 6000) + 1e-12
                self.assertLess(np.max(np.abs(drawn.mean(0) - want["mean"]) / spread), 5)

    def test_ranks_of_draws(self):
        """Compares by the test of Kolmogorov and Smirnov."""
        sy.seed(2)
        for name, of_scipy in RANKED.items():
            one = made(cases.CASES[name][0])
            drawn = one.sample((2000,))
            with self.subTest(name):
                x = drawn.numpy()
                if name == "VonMises":
                    self.assertLess(np.max(np.abs(x)), np.pi + 1e-12)
                    x = (x - cases.W + np.pi) % (2 * np.pi) - np.pi
                ranks = one.cdf(drawn).numpy() if of_scipy is None else of_scipy().cdf(x)
                for column in ranks.reshape(2000, -1).T:
                    self.assertGreater(stats.kstest(column, "uniform").pvalue, 1e-4)

    def test_probabilities_up_to_a_value(self):
        """cdf beside SciPy, and icdf as its inverse."""
        x, loc = np.array(cases.X), np.array(cases.W)
        b = np.array(cases.B)
        for one, theirs in (
                (d.Normal(loc, b), stats.norm(loc, b)), (d.Uniform(-0.5, b + 0.5), stats.uniform(
                    -0.5, b + 1.0)), (d.Laplace(loc, b), stats.laplace(loc, b)),
                (d.Cauchy(loc, b), stats.cauchy(loc, b)),
                (d.Gumbel(loc, b), stats.gumbel_r(loc, b)), (d.HalfNormal(b), stats.halfnorm(
                    scale=b)), (d.HalfCauchy(b), stats.halfcauchy(scale=b)),
                (d.LogNormal(0.3, b), stats.lognorm(b, scale=math.exp(0.3))),
                (d.Exponential(b), stats.expon(scale=1 / b)),
                (d.Pareto(0.05, b), stats.pareto(b, scale=0.05)),
                (d.Weibull(0.7, b), stats.weibull_min(b, scale=0.7)),
                (d.GeneralizedPareto(0.0, 1.5, b), stats.genpareto(b, 0.0, 1.5)),
                (d.TransformedDistribution(d.Normal(loc, b), d.ExpTransform()),
                 stats.lognorm(b, scale=np.exp(loc))),
                (d.TransformedDistribution(d.Normal(loc, b), d.AffineTransform(1.0, -2.0)),
                 stats.norm(1 - 2 * loc, 2 * b))):
            with self.subTest(type(one).__name__):
                ranks = one.cdf(x)
                np.testing.assert_allclose(ranks.numpy(), theirs.cdf(x), 1e-5, 1e-7)
                np.testing.assert_allclose(one.icdf(theirs.cdf(x)).numpy(), np.broadcast_to(
                    x, ranks.shape), 2e-4, 1e-6)
        for name in ("Kumaraswamy", "ContinuousBernoulli"):
            one = made(cases.CASES[name][0])
            np.testing.assert_allclose(one.icdf(one.cdf(x)).numpy(), np.broadcast_to(
                x, one.cdf(x).shape), 1e-9)
        with self.assertRaisesRegex(NotImplementedError, "Gamma.icdf"):
            d.Gamma(1.0, 1.0).icdf(0.5)

    def test_gradients_of_draws(self):
        for make in (lambda a: d.Pareto(1.5, a), lambda a: d.Weibull(a, 2.0),
                     lambda a: d.Kumaraswamy(a, 2.0), lambda a: d.HalfCauchy(a),
                     lambda a: d.GeneralizedPareto(a, 1.0, 0.2),
                     lambda a: d.ContinuousBernoulli(logits=a),
                     lambda a: d.RelaxedBernoulli(0.5, logits=a)):
            def drawn(x, make=make):
                sy.seed(5)
                return make(x).rsample((4,)).sum()
            a = sy.tensor(np.array(1.3), requires_grad=True)
            drawn(a).backward()
            step = 1e-6
            with self.subTest(type(make(a)).__name__):
                want = (drawn(sy.tensor(np.array(1.3 + step))).item()
                        - drawn(sy.tensor(np.array(1.3 - step))).item()) / (2 * step)
                self.assertAlmostEqual(a.grad.item(), want, delta=1e-6 * abs(want) + 1e-7)
        p = sy.tensor(np.array([0.3, 0.7]), requires_grad=True)
        one = d.OneHotCategoricalStraightThrough(p).rsample((2,))
        self.assertEqual(set(one.numpy().ravel()), {0.0, 1.0})
        (one * sy.tensor(np.array([1.0, 3.0]))).sum().backward()
        close(p.grad.numpy(), [-2.8, 1.2])  # Of two draws; probs have the sum 1.

    def test_matrices_are_what_they_should_be(self):
        sy.seed(3)
        factor = d.LKJCholesky(4, 1.0).sample((200,))
        self.assertTrue(d.constraints.corr_cholesky.check(factor).numpy().all())
        # The correlation of two rows is uniform where dim is 2.
        pair = d.LKJCholesky(2, 1.0).sample((2000,)).numpy()[:, 1, 0]
        self.assertGreater(stats.kstest(pair, stats.uniform(-1, 2).cdf).pvalue, 1e-4)
        self.assertTrue(d.constraints.positive_definite.check(
            d.Wishart(4.0, np.eye(3)).sample((50,))).numpy().all())

    def test_eager_and_traced_agree(self):
        x = np.array([[0.2, 0.5, 0.3], [0.1, 0.1, 0.8]], np.float32)
        for name, make in (
                ("Pareto", lambda v: d.Pareto(v * 0.1, v)), ("VonMises", lambda v: d.VonMises(v, v)),
                ("OneHotCategorical", lambda v: d.OneHotCategorical(v)),
                ("RelaxedOneHotCategorical", lambda v: d.RelaxedOneHotCategorical(0.5, v)),
                ("LogisticNormal", lambda v: d.LogisticNormal(v[:, :2], 1.0)),
                ("Mixture", lambda v: d.MixtureSameFamily(d.Categorical(v), d.Normal(v, 1.0)))):
            def both(v, make=make):
                one = make(v)
                drawn = one.sample((2,))
                return one.log_prob(drawn), drawn
            with self.subTest(name):
                program = sy.static.trace(both, sy.static.InputSpec([2, 3]))
                sy.seed(3)
                traced = program(x)
                sy.seed(3)
                for a, b in zip(traced, both(sy.tensor(x))):
                    np.testing.assert_array_equal(a.numpy(), b.numpy())

    def test_refusals(self):
        normal = d.Normal([0.0, 1.0], 1.0)
        for message, call in {
                "Pareto: alpha must be": lambda: d.Pareto(1.0, -1.0),
                "Wishart: df must be above 1": lambda: d.Wishart(0.5, np.eye(2)),
                "Wishart: one of covariance": lambda: d.Wishart(3.0),
                "LKJCholesky: dim must be from 2": lambda: d.LKJCholesky(1),
                "Multinomial: total_count": lambda: d.Multinomial(-1, [0.5, 0.5]),
                "OneHotCategorical: probs or": lambda: d.OneHotCategorical(),
                "MixtureSameFamily: component_distribution must be of 3":
                    lambda: d.MixtureSameFamily(d.Categorical([0.2, 0.3, 0.5]), normal),
                "MixtureSameFamily: mixture_distribution must be a Cat":
                    lambda: d.MixtureSameFamily(normal, normal),
                "LowRankMultivariateNormal: cov_factor must be":
                    lambda: d.LowRankMultivariateNormal([0.0, 0.0], np.ones((3, 1)), [1.0] * 3),
                "kl_divergence: p must be a Distribution": lambda: d.kl_divergence(3, normal),
                "kl_divergence: p and q must have one number":
                    lambda: d.kl_divergence(d.Independent(normal, 1), d.Independent(normal, 0)),
                "kl_divergence: p and q must have the same transforms":
                    lambda: d.kl_divergence(
                        d.TransformedDistribution(normal, d.ExpTransform()),
                        d.TransformedDistribution(normal, d.TanhTransform())),
                "register_kl: type_p must be a class": lambda: d.register_kl(3, d.Normal)}.items():
            with self.subTest(message), self.assertRaisesRegex(
                    (TypeError, ValueError, NotImplementedError), message):
                call()

    def test_a_pair_of_ones_own(self):
        class Own(d.StudentT):
            pass

        with self.assertRaisesRegex(NotImplementedError, "Own and Normal; of these"):
            d.kl_divergence(Own(3.0), d.Normal(0.0, 1.0))

        @d.register_kl(Own, d.Normal)
        def divergence(p, q):
            return p.df + q.scale
        self.assertEqual(d.kl_divergence(Own(3.0), d.Normal(0.0, 1.0)).item(), 4.0)
        self.assertEqual(divergence(Own(1.0), d.Normal(0.0, 1.0)).item(), 2.0)


if __name__ == "__main__":
    unittest.main()
