# SPDX-License-Identifier: Apache-2.0
"""Gradients of draws of the gamma distribution, and of those that are made of them."""
import unittest

import numpy as np

import switchyard as sy
from switchyard import distributions as d
from switchyard import static
from switchyard.distributions.gamma_draws import gamma_slope

# (concentration, draw, -dF/da / f): mpmath's with 50 digits. PyTorch's
# torch._standard_gamma_grad has four or more of them.
EXACT = [
    (0.01, 1e-20, 4.5490816402012236e-17), (0.1, 1e-05, 0.0011089279600203115),
    (0.125, 0.125, 1.9984454752310843), (0.5, 0.0625, 0.36975215107373235),
    (0.5, 3.0, 2.9129424164403646), (1, 0.25, 0.53180674861303559),
    (1, 1.0, 1.1735630272247269), (2, 5.0, 1.6580687280597063),
    (3, 2.5, 0.96336182883997331), (10, 7.0, 0.84615667037294219),
    (10, 18.0, 1.3445761722740135), (100, 93.0, 0.96576166912672721),
    (1000, 1040.0, 1.0199085070110788), (100000.0, 100000.0, 1.0000016666683333)]


def double(*values):
    return sy.tensor(np.array(values, np.float64), requires_grad=True)


class GammaGradientsTest(unittest.TestCase):

    def test_the_slope_of_a_draw(self):
        a, x, want = np.array(EXACT).T
        np.testing.assert_allclose(gamma_slope(sy.tensor(a), sy.tensor(x)).numpy(), want, 1e-11)
        single = gamma_slope(sy.tensor(a[1:].astype(np.float32)), sy.tensor(x[1:].astype(np.float32)))
        np.testing.assert_allclose(single.numpy(), want[1:], 3e-6)

    def test_slopes_are_those_of_draws(self):
        """The gradient that backward gives is the slope at the draw, by the rate."""
        for dtype in ("float64", "float32"):
            a = sy.tensor(np.array([0.3, 1.0, 20.0], dtype), requires_grad=True)
            rate = sy.tensor(np.array([1.0, 2.0, 0.5], dtype), requires_grad=True)
            sy.seed(4)
            x = d.Gamma(a, rate).rsample((5,))
            (x * x).sum().backward()
            drawn = x.detach().numpy() * rate.detach().numpy()
            slope = gamma_slope(sy.tensor(np.broadcast_to(a.detach().numpy(), (5, 3)).copy()), sy.tensor(drawn))
            want = (2 * x.detach().numpy() * slope.numpy() / rate.detach().numpy()).sum(0)
            np.testing.assert_allclose(a.grad.numpy(), want, 1e-5 if dtype == "float32" else 1e-12)
            want = (-2 * x.detach().numpy()**2 / rate.detach().numpy()).sum(0)
            np.testing.assert_allclose(rate.grad.numpy(), want, 1e-5)
            # A draw is the same with and without a gradient.
            sy.seed(4)
            np.testing.assert_array_equal(d.Gamma(a, rate).sample((5,)).numpy(), x.detach().numpy())

    def test_means_move_as_they_should(self):
        """The mean of many draws' gradients is the gradient of their mean."""
        a, count = np.array([0.4, 1.0, 3.0, 9.0]), 6000
        cases = {
            "Gamma": (lambda p: d.Gamma(p, 2.0), np.full(4, 0.5)),
            "Chi2": (lambda p: d.Chi2(p), np.ones(4)),
            "Beta": (lambda p: d.Beta(p, 2.0), 2 / (a + 2)**2),
            "Beta's other": (lambda p: d.Beta(2.0, p), -2 / (a + 2)**2),
            "InverseGamma": (lambda p: d.InverseGamma(p + 4.0, 2.0), -2 / (a + 3)**2),
            "FisherSnedecor": (lambda p: d.FisherSnedecor(3.0, p + 8.0), -2 / (a + 6)**2)}
        for name, (make, want) in cases.items():
            with self.subTest(name):
                sy.seed(7)
                p = sy.tensor(a, requires_grad=True)
                x = make(p).rsample((count,))
                x.mean(0).sum().backward()
                spread = 12 * np.abs(want) / np.sqrt(count) + 1e-3
                self.assertTrue((np.abs(p.grad.numpy() - want) < spread).all(), (p.grad, want))

    def test_second_moments_move_as_they_should(self):
        count = 12000
        sy.seed(8)
        df = double(6.0, 12.0)
        (d.StudentT(df).rsample((count,))**2).mean(0).sum().backward()
        np.testing.assert_allclose(df.grad.numpy(), -2 / (np.array([6.0, 12.0]) - 2)**2, 0.3)
        a = double(0.5, 2.0, 3.0)
        (d.Dirichlet(a).rsample((count,))[:, 0]**2).mean().backward()
        # E x² = a (a + 1) / (s (s + 1)), with s the sum.
        s, x = 5.5, 0.5
        square = x * (x + 1) / (s * (s + 1))
        others = -square * (1 / s + 1 / (s + 1))
        first = (2 * x + 1) / (s * (s + 1)) + others
        np.testing.assert_allclose(a.grad.numpy(), [first, others, others], 0.1)
        df = double(5.0)
        w = d.Wishart(df, scale_tril=sy.tensor(np.array([[2.0, 0.0], [1.0, 1.0]]))).rsample((4000,))
        w.mean(0).sum().backward()  # The mean is df V.
        np.testing.assert_allclose(df.grad.numpy(), [10.0], 0.1)

    def test_dirichlet_moves_as_pytorch_has_it(self):
        """Given the shares, the mean over what their sum was is torch._dirichlet_grad's."""
        shares, a = np.array([0.2, 0.3, 0.5]), np.array([0.6, 2.0, 3.5])
        total = np.random.default_rng(0).gamma(6.1, size=20000)
        for share, one, want in zip(shares, a, (0.3163, 0.1796, 0.1691)):
            slope = gamma_slope(sy.tensor(np.full(total.shape, one)), sy.tensor(share * total))
            self.assertAlmostEqual((slope.numpy() / total).mean(), want, delta=4e-3)

    def test_traced(self):
        def loss(a, b):
            return (d.Dirichlet(a).rsample((3,))**2).sum() + d.Beta(b, 2.0).rsample((2,)).sum()

        def gradients(a, b):
            return sy.grad(loss(a, b), [a, b])
        values = [np.float32([0.3, 2.0, 5.0]), np.float32(0.7)]
        sy.seed(5)
        leaves = [sy.tensor(value, requires_grad=True) for value in values]
        loss(*leaves).backward()
        program = static.trace(lambda a, b: tuple(gradients(a, b)), *(
            static.InputSpec(value.shape) for value in values))
        sy.seed(5)
        for got, leaf in zip(program(*values), leaves):
            np.testing.assert_array_equal(got.numpy(), leaf.grad.numpy())

    def test_draws_are_positive(self):
        sy.seed(1)
        for dtype in ("float16", "bfloat16", "float32", "float64"):
            a = sy.tensor([1e-3, 0.02], dtype=dtype)
            x = d.Gamma(a, 1.0).sample((100,))
            self.assertTrue((x.to("float64").numpy() > 0).all(), dtype)
            shares = d.Dirichlet(a).sample((100,)).to("float64").numpy()
            self.assertTrue(np.isfinite(shares).all(), dtype)

    def test_who_has_gradients(self):
        for one in (d.Gamma(1.0, 1.0), d.Dirichlet(sy.ones([2])), d.Independent(d.Gamma(sy.ones([2]), 1.0), 1),
                    d.TransformedDistribution(d.Gamma(1.0, 1.0), d.transforms.ExpTransform())):
            self.assertTrue(one.has_rsample, one)
        for one in (d.Poisson(1.0), d.Independent(d.Bernoulli(sy.full([2], 0.5)), 1)):
            self.assertFalse(one.has_rsample, one)


if __name__ == "__main__":
    unittest.main()
