# SPDX-License-Identifier: Apache-2.0
"""sy.distributions beside SciPy, sums and integrals; eager and traced."""
import math
import unittest

import numpy as np
from scipy import stats

import switchyard as sy
from switchyard.distributions import (Bernoulli, Categorical, Distribution,
                                      Normal, Uniform, kl_divergence)

LOC, SCALE = np.array([-1.0, 0.0, 2.5]), np.array([[0.3], [2.0]])
PROBS = np.array([[0.2, 0.5, 0.3], [0.0, 0.9, 0.1]])


def close(got, want, rtol=1e-6):
    np.testing.assert_allclose(got.numpy(), want, rtol=rtol, atol=1e-7)


class ValuesTest(unittest.TestCase):

    def test_normal(self):
        x = np.linspace(-3, 3, 12).reshape(4, 1, 3)
        ours, theirs = Normal(LOC, SCALE), stats.norm(LOC, SCALE)
        close(ours.log_prob(x), theirs.logpdf(x))
        close(ours.entropy(), theirs.entropy())
        close(ours.cdf(x), theirs.cdf(x))
        close(ours.mean, theirs.mean())
        close(ours.variance, theirs.var())
        close(ours.stddev, theirs.std())

    def test_uniform(self):
        low, high = np.array([-1.0, 0.0]), np.array([1.0, 0.25])
        ours, theirs = Uniform(low, high), stats.uniform(low, high - low)
        x = np.array([[-0.5, 0.1], [-2.0, 0.0], [0.99, 0.3]])
        close(ours.log_prob(x), theirs.logpdf(x))
        self.assertEqual(ours.log_prob(high).tolist(), [-math.inf] * 2)
        close(ours.entropy(), theirs.entropy())
        close(ours.mean, theirs.mean())
        close(ours.variance, theirs.var())

    def test_bernoulli(self):
        p = np.array([0.0, 0.1, 0.5, 1e-12, 1.0])
        theirs = stats.bernoulli(p)
        ours = Bernoulli(p)
        for x in (0, 1):
            close(ours.log_prob(np.full(5, x)), theirs.logpmf(x))
        close(ours.entropy(), theirs.entropy())
        close(ours.variance, theirs.var())
        inner = p[1:4]
        by_logits = Bernoulli(logits=np.log(inner) - np.log1p(-inner))
        close(by_logits.probs, inner)
        close(by_logits.log_prob(np.ones(3)), np.log(inner))
        close(by_logits.entropy(), stats.bernoulli(inner).entropy())
        close(Bernoulli(inner).logits, np.log(inner) - np.log1p(-inner))
        # Far from 0 nothing overflows.
        far = Bernoulli(logits=np.array([-200.0, 200.0]))
        close(far.log_prob(np.array([1.0, 0.0])), [-200.0, -200.0])

    def test_categorical(self):
        for ours in (Categorical(PROBS * 7.0),
                     Categorical(logits=np.log(PROBS[:1]) + 3.0)):
            rows = PROBS[:ours.probs.shape[0]]
            close(ours.probs, rows)
            for x in range(3):
                with np.errstate(divide="ignore"):
                    want = np.log(rows[:, x])
                close(ours.log_prob(np.full(len(rows), x)), want)
                close(ours.log_prob(x), want)
            close(ours.entropy(), stats.entropy(rows, axis=1))
        numbers = np.array([[0, 1], [2, 1], [1, 2]])
        got = Categorical(PROBS).log_prob(numbers)
        close(got, np.log(PROBS[[0, 1], numbers]))

    def test_divergences_are_sums_and_integrals(self):
        x = np.linspace(-30, 30, 200_001)
        def integral(p, q):
            some = np.isfinite(p.log_prob(x).numpy())
            inside = x[some]
            log_p, log_q = (d.log_prob(inside).numpy() for d in (p, q))
            return np.trapz(np.exp(log_p) * (log_p - log_q), inside)
        wide = sy.tensor(np.array(2.0))
        for p, q in [(Normal(-1.0, wide), Normal(0.5, 1.5)),
                     (Uniform(-1.0, wide), Uniform(-2.0, 2.5)),
                     (Uniform(-1.0, wide), Normal(0.5, 1.5))]:
            close(kl_divergence(p, q), integral(p, q), 1e-3)
        self.assertEqual(kl_divergence(Uniform(0.0, 2.0), Uniform(0.0, 1.0))
                         .item(), math.inf)
        p, q = PROBS, np.array([0.2, 0.2, 0.6])
        close(kl_divergence(Categorical(p), Categorical(q)),
              stats.entropy(p, np.broadcast_to(q, p.shape), axis=1))
        close(kl_divergence(Bernoulli(p[:, 1]), Bernoulli(q[1])),
              [stats.entropy([1 - a, a], [0.8, 0.2]) for a in p[:, 1]])
        with self.assertRaisesRegex(NotImplementedError, "are Normal and Bern"):
            kl_divergence(Normal(0.0, 1.0), Bernoulli(0.5))

    def test_wrong_arguments(self):
        for message, make in [
                ("Normal: scale must be positive, got 0", lambda: Normal(0, 0)),
                ("Uniform: high must be above low 1, got 1",
                 lambda: Uniform(1, 1)),
                ("Bernoulli: probs must be in", lambda: Bernoulli(1.5)),
                ("Bernoulli: probs or logits", lambda: Bernoulli()),
                ("Categorical: probs or logits must be given",
                 lambda: Categorical(PROBS, PROBS)),
                ("axis of classes", lambda: Categorical(0.5))]:
            with self.assertRaisesRegex(ValueError, message):
                make()
        for ours in (Bernoulli(0.5), Categorical(PROBS)):
            with self.assertRaisesRegex(NotImplementedError, "use sample"):
                ours.rsample()
        with self.assertRaises(NotImplementedError):
            Distribution().log_prob(0.0)


class SamplesTest(unittest.TestCase):

    def test_shapes_and_dtypes(self):
        single = np.float32
        for ours, shape, dtype in [
                (Normal(LOC, SCALE), (2, 3), "float64"),
                (Normal(0.0, 1.0), (), "float32"),
                (Normal(LOC.astype(single), 1.0), (3,), "float32"),
                (Uniform(LOC, 3.0), (3,), "float64"),
                (Bernoulli(PROBS), (2, 3), "float64"),
                (Categorical(PROBS), (2,), "int64")]:
            for more in ((), (5,), (4, 1)):
                got = ours.sample(more)
                self.assertEqual((got.shape, got.dtype), (more + shape, dtype))
                self.assertEqual(ours.log_prob(got).shape, more + shape)

    def test_they_are_distributed_so(self):
        sy.seed(3)
        count = 20_000
        for ours, theirs in [(Normal(-1.0, 2.0), stats.norm(-1, 2)),
                             (Uniform(2.0, 5.0), stats.uniform(2, 3))]:
            found = stats.kstest(ours.sample((count,)).numpy(), theirs.cdf)
            self.assertGreater(found.pvalue, 1e-3)
        drawn = Categorical(PROBS).sample((count,)).numpy()
        shares = np.stack([(drawn == k).mean(0) for k in range(3)], 1)
        np.testing.assert_allclose(shares, PROBS, atol=0.015)
        self.assertEqual(shares[1, 0], 0.0)
        drawn = Bernoulli(logits=np.log(PROBS[0])).sample((count,)).numpy()
        odds = PROBS[0]
        np.testing.assert_allclose(drawn.mean(0), odds / (1 + odds), atol=0.015)

    def test_gradients(self):
        loc = sy.tensor(LOC, requires_grad=True)
        scale = sy.tensor(SCALE, requires_grad=True)
        self.assertFalse(Normal(loc, scale).sample().requires_grad)
        drawn = Normal(loc, scale).rsample((7,))
        drawn.sum().backward()
        self.assertEqual(loc.grad.tolist(), [14.0] * 3)
        noise = (drawn.detach().numpy() - LOC) / SCALE
        np.testing.assert_allclose(scale.grad.numpy(),
                                   noise.sum((0, 2)).reshape(2, 1), rtol=1e-6)

    def test_gradients_of_policies(self):
        logits = sy.tensor(np.log(PROBS[:1]), requires_grad=True)
        policy = Categorical(logits=logits)
        policy.log_prob(np.array([2])).sum().backward()
        close(logits.grad, [[-0.2, -0.5, 0.7]])
        logits.grad = None
        policy.entropy().sum().backward()
        p = PROBS[:1]
        mean = (p * np.log(p)).sum()
        close(logits.grad, -p * (np.log(p) - mean), 1e-5)


def everything(loc, scale, logits):
    """Each method once, of values or of tensors."""
    normal, policy = Normal(loc, scale), Categorical(logits=logits)
    coin, even = Bernoulli(logits=logits), Uniform(loc, loc + scale)
    action = policy.sample()
    drawn = normal.rsample((2,))
    return (drawn, normal.log_prob(drawn), normal.entropy(), normal.cdf(loc),
            action, policy.log_prob(action), policy.entropy(),
            policy.log_prob(policy.sample((3,))), coin.sample(),
            coin.log_prob(coin.sample((2,))), coin.entropy(), even.sample((2,)),
            even.log_prob(loc), even.entropy(),
            kl_divergence(normal, Normal(0.0, 1.0)),
            kl_divergence(policy, Categorical(logits=logits * 2.0)),
            kl_divergence(coin, Bernoulli(0.25)))


class TracedTest(unittest.TestCase):

    def test_programs_have_the_bits_of_eager_code(self):
        random = np.random.default_rng(0)
        loc = random.normal(size=(4, 3)).astype(np.float32)
        scale, logits = np.exp(loc[::-1]), random.normal(size=(4, 5)).astype("f4")
        for rows in (None, 4):
            spec = [sy.static.InputSpec([rows, n]) for n in (3, 3, 5)]
            program = sy.static.trace(everything, *spec)
            sy.seed(5)
            want = everything(*map(sy.tensor, (loc, scale, logits)))
            sy.seed(5)
            for a, b in zip(program(loc, scale, logits), want):
                np.testing.assert_array_equal(a.numpy(), b.numpy())


if __name__ == "__main__":
    unittest.main()
