# SPDX-License-Identifier: Apache-2.0
"""Optimizers of a program's own: what update returns is written."""
import unittest

import numpy as np

import switchyard as sy
from switchyard import nn

X = np.random.default_rng(0).normal(size=(8, 3)).astype(np.float32)
Y = X.sum(1, keepdims=True)


class Averaging(sy.optim.Optimizer):
    """Steps by the mean of all gradients so far; ``wrong`` names its state so."""

    def __init__(self, parameters, learning_rate=0.1, wrong=None):
        self.wrong = wrong
        super().__init__(parameters, learning_rate)

    def initial_state(self, param):
        return {"sum": sy.zeros_like(param), "count": sy.zeros([1])}

    def update(self, param, grad, learning_rate, state):
        count, total = state["count"] + 1.0, state["sum"] + grad
        return param - learning_rate * total / count, {
            self.wrong or "sum": total, "count": count}


def trained(static, steps=5):
    sy.seed(1)
    model, loss = nn.Linear(3, 1), nn.MSELoss()
    optimizer = Averaging(model.named_parameters())
    program = sy.static.train_step(model, loss, optimizer)
    for _ in range(steps):
        if static:
            program(X, Y)
            continue
        optimizer.zero_grad()
        loss(model(sy.tensor(X)), sy.tensor(Y)).backward()
        optimizer.step()
    return model, optimizer


class OwnOptimizerTest(unittest.TestCase):

    def test_eager_and_static_have_the_same_bits(self):
        (eager, first), (static, second) = trained(False), trained(True)
        for one, other in ((eager, static), (first, second)):
            for name, tensor in one.state_dict().items():
                np.testing.assert_array_equal(
                    tensor.numpy(), other.state_dict()[name].numpy(), name)
        self.assertEqual(first.state["weight"]["count"].item(), 5.0)

    def test_it_is_the_formula(self):
        model, _ = trained(False, 0)
        weight, bias = (p.numpy().copy() for p in model.parameters())
        sums = [0.0, 0.0]
        for count in (1, 2, 3):
            error = 2 * (X @ weight + bias - Y) / len(X)
            sums = [sums[0] + X.T @ error, sums[1] + error.sum(0)]
            weight = weight - 0.1 * sums[0] / count
            bias = bias - 0.1 * sums[1] / count
        model, _ = trained(False, 3)
        np.testing.assert_allclose(model.weight.numpy(), weight, rtol=1e-4)
        np.testing.assert_allclose(model.bias.numpy(), bias, rtol=1e-4)

    def test_state_that_is_not_there(self):
        w = sy.ones([2], dtype="float32")
        w.requires_grad = True
        optimizer = Averaging([w], wrong="total")
        w.sum().backward()
        with self.assertRaisesRegex(KeyError, "state 'total', which "
                                    "initial_state does not have"):
            optimizer.step()
        self.assertEqual(w.tolist(), [1.0, 1.0])


if __name__ == "__main__":
    unittest.main()
