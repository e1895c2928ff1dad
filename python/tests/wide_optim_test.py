# SPDX-License-Identifier: Apache-2.0
"""Optimizers of float64 parameters compute in float64, rates and factors too."""

import unittest

import numpy as np

import switchyard as sy
from switchyard import optim

STEPS = 5


def sgd(p, g, s, t):
    return p - 0.1 * g


def momentum(p, g, s, t):
    s["v"] = 0.9 * s.get("v", 0) + g
    return p - 0.1 * s["v"]


def moments(g, s, beta1=0.9, beta2=0.999):
    s["m"] = beta1 * s.get("m", 0) + (1 - beta1) * g
    s["v"] = beta2 * s.get("v", 0) + (1 - beta2) * g * g


def adam(p, g, s, t):
    moments(g, s)
    rate = 0.1 * np.sqrt(1 - 0.999**t) / (1 - 0.9**t)
    return p - rate * s["m"] / (np.sqrt(s["v"])
                                + 1e-8 * np.sqrt(1 - 0.999**t))


def adamw(p, g, s, t):
    return adam(p * (1 - 0.1 * 0.01), g, s, t)


def rmsprop(p, g, s, t):
    s["v"] = 0.95 * s.get("v", 0) + (1 - 0.95) * g * g
    return p - 0.1 * g / np.sqrt(s["v"] + 1e-6)


def adagrad(p, g, s, t):
    s["v"] = s.get("v", 0) + g * g
    return p - 0.1 * g / (np.sqrt(s["v"]) + 1e-6)


def adamax(p, g, s, t):
    s["m"] = 0.9 * s.get("m", 0) + (1 - 0.9) * g
    s["n"] = np.maximum(abs(g), 0.999 * s.get("n", 0) + 1e-8)
    return p - 0.1 / (1 - 0.9**t) * s["m"] / s["n"]


RULES = [
    (sgd, lambda p: optim.SGD(p, 0.1)),
    (momentum, lambda p: optim.Momentum(p, 0.1, 0.9)),
    (adam, lambda p: optim.Adam(p, 0.1)),
    (adamw, lambda p: optim.AdamW(p, 0.1, weight_decay=0.01)),
    (rmsprop, lambda p: optim.RMSprop(p, 0.1, 0.95, epsilon=1e-6)),
    (adagrad, lambda p: optim.Adagrad(p, 0.1, epsilon=1e-6)),
    (adamax, lambda p: optim.Adamax(p, 0.1)),
]


class WideOptimizersTest(unittest.TestCase):

    def test_against_the_formulas(self):
        """Adam was 2e-6 off, by betas and a rate that were float32."""
        numbers = np.random.default_rng(11)
        start = numbers.normal(size=64)
        gradients = numbers.normal(size=(STEPS, 64))
        for rule, make in RULES:
            with self.subTest(rule=rule.__name__):
                param = sy.tensor(start, requires_grad=True)
                optimizer = make([param])
                want, state = start, {}
                for t, gradient in enumerate(gradients, 1):
                    param.grad = sy.tensor(gradient)
                    optimizer.step()
                    want = rule(want, gradient, state, t)
                    np.testing.assert_allclose(param.numpy(), want, rtol=1e-13,
                                               atol=1e-14)

    def test_rates_are_kept(self):
        param = sy.tensor(np.ones(2), requires_grad=True)
        optimizer = optim.Adam([param], 0.1)
        self.assertEqual(optimizer.learning_rate, 0.1)
        optimizer.learning_rate = 1 / 3
        self.assertEqual(optimizer.learning_rate, 1 / 3)


if __name__ == "__main__":
    unittest.main()
