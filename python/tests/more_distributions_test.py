# SPDX-License-Identifier: Apache-2.0
"""Further distributions beside SciPy: densities, moments, draws and gradients."""
import math
import unittest

import numpy as np
from scipy import stats

import switchyard as sy
from switchyard import distributions as d

A, B = np.array([0.4, 1.0, 3.5]), np.array([[0.7], [2.0]])
X = np.array([[0.1, 0.6, 0.9], [0.2, 0.35, 0.5]])
WIDE = np.array([[-2.0, 0.5, 4.0], [0.0, 1.5, -0.3]])
COUNTS = np.array([[0.0, 2.0, 5.0], [1.0, 3.0, 0.0]])
P = np.array([0.2, 0.5, 0.85])


def cases():
    """{name: (ours, SciPy's, where)}, on the default place."""
    return {
        "Gamma": (d.Gamma(A, B), stats.gamma(A, scale=1 / B), X),
        "Chi2": (d.Chi2(A), stats.chi2(A), X),
        "Exponential": (d.Exponential(A), stats.expon(scale=1 / A), X),
        "Beta": (d.Beta(A, B), stats.beta(A, B), X),
        "StudentT": (d.StudentT(A + 2.5, WIDE[0], B), stats.t(A + 2.5, WIDE[0], B), WIDE),
        "Laplace": (d.Laplace(WIDE[0], B), stats.laplace(WIDE[0], B), WIDE),
        "Gumbel": (d.Gumbel(WIDE[0], B), stats.gumbel_r(WIDE[0], B), WIDE),
        "HalfNormal": (d.HalfNormal(A), stats.halfnorm(scale=A), X),
        "LogNormal": (d.LogNormal(WIDE[0], B), stats.lognorm(
            np.broadcast_to(B, (2, 3)), scale=np.exp(WIDE[0])), X),
        "Cauchy": (d.Cauchy(WIDE[0], B), stats.cauchy(WIDE[0], B), WIDE),
        "Poisson": (d.Poisson(A), stats.poisson(A), COUNTS),
        "Geometric": (d.Geometric(P), stats.geom(P, loc=-1), COUNTS),
        "Binomial": (d.Binomial(5, P), stats.binom(5, P), COUNTS),
    }


def close(got, want, rtol=2e-6, atol=1e-7):
    np.testing.assert_allclose(got.numpy(), want, rtol=rtol, atol=atol)


class DistributionsTest(unittest.TestCase):

    def test_densities(self):
        for name, (ours, theirs, x) in cases().items():
            with self.subTest(name):
                logs = getattr(theirs, "logpdf", None) or theirs.logpmf
                want = theirs.logpmf(x) if name in (
                    "Poisson", "Geometric", "Binomial") else logs(x)
                close(ours.log_prob(x), np.broadcast_to(want, ours.log_prob(x).shape))

    def test_moments(self):
        for name, (ours, theirs, _) in cases().items():
            with self.subTest(name):
                shape = ours.mean.shape
                close(ours.mean, np.broadcast_to(theirs.mean(), shape))
                close(ours.variance, np.broadcast_to(theirs.var(), shape))
                self.assertEqual(ours.batch_shape, tuple(shape))
                self.assertEqual(ours.event_shape, ())
                if name not in ("Poisson", "Binomial"):
                    close(ours.entropy(), np.broadcast_to(theirs.entropy(), shape))

    def test_cumulative(self):
        for name in ("Gamma", "Chi2"):
            ours, theirs, x = cases()[name]
            close(ours.cdf(x), theirs.cdf(x))
        close(d.InverseGamma(A, B).cdf(X), stats.invgamma(A, scale=B).cdf(X))
        for ours in (d.Gamma(A, B), d.InverseGamma(A, B)):
            close(ours.cdf(-1.0), np.zeros((2, 3)))
        with self.assertRaisesRegex(NotImplementedError, "a must need no gradient"):
            d.Gamma(sy.tensor(1.0, requires_grad=True), 1.0).cdf(1.0)

    def test_entropy_of_counts(self):
        p = np.array([0.0, 0.2, 0.5, 0.85, 1.0])
        close(d.Binomial(5, p).entropy(), stats.binom(5, p).entropy())
        with self.assertRaisesRegex(NotImplementedError, "total_count as a number"):
            d.Binomial(sy.tensor([3.0, 4.0]), 0.5).entropy()

    def test_gradients_where_a_factor_of_a_logarithm_is_0(self):
        """The slopes in parameters, of which some are 1, beside SciPy's differences."""
        weibull = lambda a: stats.weibull_min(a, scale=0.8).logpdf(0.3)
        for ours, theirs, at in (
                (lambda a: d.Gamma(a, 2.0), lambda a: stats.gamma(a, scale=0.5).logpdf(0.3), 1.0),
                (lambda a: d.Beta(a, 2.0), lambda a: stats.beta(a, 2.0).logpdf(0.3), 1.0),
                (lambda a: d.Beta(2.0, a), lambda a: stats.beta(2.0, a).logpdf(0.3), 1.0),
                (lambda a: d.Weibull(0.8, a), weibull, 1.0),
                (lambda a: d.Kumaraswamy(1.0, a), lambda a: math.log(a * 0.7**(a - 1.0)), 1.0)):
            a = sy.tensor(at, requires_grad=True)
            ours(a).log_prob(0.3).backward()
            close(a.grad, (theirs(at + 1e-6) - theirs(at - 1e-6)) / 2e-6, 1e-5)
        a = sy.tensor([1.0, 1.0, 2.0], requires_grad=True)
        d.Dirichlet(a).log_prob([0.2, 0.5, 0.3]).backward()
        digamma = lambda x: (math.lgamma(x + 1e-5) - math.lgamma(x - 1e-5)) / 2e-5
        close(a.grad, [math.log(x) + digamma(4.0) - digamma(one)
                       for x, one in zip((0.2, 0.5, 0.3), (1.0, 1.0, 2.0))], 1e-5)

    def test_draws(self):
        """Compares by the test of Kolmogorov and Smirnov, or by the mean of counts."""
        sy.seed(4)
        for name, (ours, theirs, _) in cases().items():
            with self.subTest(name):
                drawn = ours.sample((2000,)).numpy()
                self.assertEqual(drawn.shape, (2000, *ours.batch_shape))
                if name in ("Poisson", "Geometric", "Binomial"):
                    spread = np.sqrt(theirs.var() / 2000)
                    self.assertLess(np.max(np.abs(
                        drawn.mean(0) - theirs.mean()) / spread), 4.5)
                    continue
                ranks = theirs.cdf(drawn).reshape(2000, -1)
                for column in ranks.T:
                    self.assertGreater(stats.kstest(column, "uniform").pvalue, 1e-4)

    def test_outside(self):
        for name in ("Gamma", "Exponential", "Beta", "HalfNormal", "LogNormal",
                     "Poisson", "Geometric", "Binomial"):
            ours = cases()[name][0]
            self.assertTrue(np.isneginf(ours.log_prob(np.full(3, -1.0)).numpy()).all())
        self.assertTrue(np.isneginf(cases()["Binomial"][0].log_prob(
            np.full(3, 6.0)).numpy()).all())

    def test_rsample_has_gradients(self):
        for made in (lambda a: d.Laplace(a, 2.0), lambda a: d.Gumbel(a, 2.0),
                     lambda a: d.Cauchy(a, 2.0)):
            a = sy.tensor(1.0, requires_grad=True)
            made(a).rsample((5,)).sum().backward()
            self.assertEqual(a.grad.item(), 5.0)
        a = sy.tensor(2.0, requires_grad=True)
        x = d.Exponential(a).rsample((4,))
        x.sum().backward()
        close(a.grad, -x.detach().numpy().sum() / 2.0)
        with self.assertRaisesRegex(NotImplementedError, "Poisson: rsample"):
            d.Poisson(1.0).rsample()

    def test_dirichlet(self):
        a = np.array([[0.5, 2.0, 3.0], [1.0, 1.0, 1.0]])
        x = np.array([[0.2, 0.5, 0.3], [0.1, 0.1, 0.8]])
        ours = d.Dirichlet(a)
        close(ours.log_prob(x), [stats.dirichlet(r).logpdf(v) for r, v in zip(a, x)])
        close(ours.entropy(), [stats.dirichlet(r).entropy() for r in a])
        close(ours.mean, [stats.dirichlet(r).mean() for r in a])
        close(ours.variance, [stats.dirichlet(r).var() for r in a])
        self.assertEqual((ours.batch_shape, ours.event_shape), ((2,), (3,)))
        sy.seed(1)
        drawn = ours.sample((4000,)).numpy()
        np.testing.assert_allclose(drawn.sum(-1), 1.0, rtol=1e-6)
        np.testing.assert_allclose(drawn.mean(0), ours.mean.numpy(), atol=0.02)

    def test_multivariate_normal(self):
        root = np.array([[1.2, 0.0], [0.4, 0.7]])
        loc, covariance = np.array([0.5, -1.0]), root @ root.T
        theirs = stats.multivariate_normal(loc, covariance)
        x = np.random.default_rng(0).normal(size=(4, 2))
        for given in ({"covariance_matrix": covariance}, {"scale_tril": root},
                      {"precision_matrix": np.linalg.inv(covariance)}):
            ours = d.MultivariateNormal(loc, **given)
            close(ours.log_prob(x), theirs.logpdf(x))
            close(ours.entropy(), theirs.entropy())
            close(ours.covariance_matrix, covariance)
            close(ours.variance, np.diag(covariance))
        sy.seed(2)
        drawn = ours.sample((6000,)).numpy()
        np.testing.assert_allclose(np.cov(drawn.T), covariance, atol=0.08)
        np.testing.assert_allclose(drawn.mean(0), loc, atol=0.06)
        with self.assertRaisesRegex(ValueError, "one of covariance_matrix"):
            d.MultivariateNormal(loc)

    def test_independent(self):
        base = d.Normal(WIDE, B)
        ours = d.Independent(base, 1)
        close(ours.log_prob(X), base.log_prob(X).numpy().sum(-1))
        close(ours.entropy(), base.entropy().numpy().sum(-1))
        self.assertEqual((ours.batch_shape, ours.event_shape), ((2,), (3,)))
        other = d.Independent(d.Normal(WIDE * 0.5, B), 1)
        close(d.kl_divergence(ours, other),
              d.kl_divergence(base, other.base).numpy().sum(-1))
        with self.assertRaisesRegex(ValueError, "Independent: reinterpreted"):
            d.Independent(base, 3)

    def test_transformed(self):
        normal = d.Normal(WIDE[0], np.array(0.8))
        logs = d.TransformedDistribution(normal, d.ExpTransform())
        close(logs.log_prob(X), d.LogNormal(WIDE[0], 0.8).log_prob(X).numpy())
        moved = d.TransformedDistribution(normal, [d.AffineTransform(1.0, -3.0)])
        close(moved.log_prob(WIDE), stats.norm(1 - 3 * WIDE[0], 2.4).logpdf(WIDE))
        for transform, slope in ((d.SigmoidTransform(), lambda y: y * (1 - y)),
                                 (d.TanhTransform(), lambda y: 1 - y * y)):
            ours = d.TransformedDistribution(normal, transform)
            y = ours.sample((5,))
            x = transform.inv(y)
            close(ours.log_prob(y), normal.log_prob(x).numpy() - np.log(
                slope(y.numpy().astype(np.float64))), 1e-3, 1e-3)
            self.assertTrue(np.isneginf(ours.log_prob(np.full(3, 1.5)).numpy()).all())
        far = d.TanhTransform().log_abs_det_jacobian(sy.tensor([-60.0, 60.0]), None)
        close(far, [2 * math.log(2) - 120] * 2)

    def test_eager_and_traced_agree(self):
        x = np.abs(X).astype(np.float32)
        for name, made in (("Gamma", lambda v: d.Gamma(v + 1.0, 2.0)),
                           ("Beta", lambda v: d.Beta(v + 1.0, v)),
                           ("Laplace", lambda v: d.Laplace(v, 2.0)),
                           ("StudentT", lambda v: d.StudentT(v + 3.0, v, 2.0))):
            def both(v, made=made):
                return made(v).log_prob(v), made(v).sample((2,))
            with self.subTest(name):
                program = sy.static.trace(both, x)
                sy.seed(3)
                traced = program(x)
                sy.seed(3)
                for a, b in zip(traced, both(sy.tensor(x))):
                    np.testing.assert_array_equal(a.numpy(), b.numpy())

    def test_refusals(self):
        for call in (lambda: d.Gamma(-1.0, 1.0), lambda: d.Beta(1.0, 0.0),
                     lambda: d.Laplace(0.0, -1.0), lambda: d.Poisson(-1.0),
                     lambda: d.Binomial(-1, 0.5), lambda: d.Geometric(1.5)):
            with self.assertRaisesRegex(ValueError, "must be"):
                call()


if __name__ == "__main__":
    unittest.main()
