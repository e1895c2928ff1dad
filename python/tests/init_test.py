# SPDX-License-Identifier: Apache-2.0
"""nn.init: functions that write a tensor, by their statistics."""

import math
import unittest

import numpy as np

import switchyard as sy
from switchyard import nn
from switchyard.nn import init


class InitTest(unittest.TestCase):

    def setUp(self):
        sy.seed(11)
        self.linear = nn.Linear(300, 200)
        self.conv = nn.Conv2D(40, 60, 5)

    def spread(self, tensor, std, mean=0.0):
        values = tensor.numpy()
        self.assertAlmostEqual(values.mean() / std, mean / std, 1)
        self.assertAlmostEqual(values.std() / std, 1.0, 1)
        return values

    def test_constants(self):
        weight = self.linear.weight
        self.assertIs(init.constant_(weight, 2.5), weight)
        self.assertTrue((weight.numpy() == 2.5).all())
        self.assertFalse(init.zeros_(self.linear.bias).numpy().any())
        self.assertTrue((init.ones_(self.linear.bias).numpy() == 1.0).all())
        self.assertTrue(weight.requires_grad and weight.is_leaf)

    def test_draws(self):
        weight = self.linear.weight
        self.spread(init.normal_(weight, 1.0, 0.02), 0.02, 1.0)
        values = self.spread(init.uniform_(weight, -2.0, 4.0), 6 / math.sqrt(12),
                             1.0)
        self.assertLess(abs(values - 1.0).max(), 3.0 + 1e-6)
        values = init.trunc_normal_(weight, 0.5, 1.0, -0.5, 1.5).numpy()
        self.assertLessEqual(abs(values - 0.5).max(), 1.0)
        # The deviation of a normal distribution within one deviation.
        self.assertAlmostEqual(values.std(), 0.5396, 2)
        half = init.normal_(nn.Linear(300, 200).to("bfloat16").weight, 0.0, 3.0)
        self.spread(half.detach().float(), 3.0)
        with self.assertRaisesRegex(ValueError, "low must be below high"):
            init.trunc_normal_(weight, a=1.0, b=-1.0)

    def test_fans(self):
        inputs, outputs = 40 * 25, 60 * 25
        weight = self.conv.weight
        self.spread(init.kaiming_normal_(weight, mode="fan_out",
                                         nonlinearity="relu"),
                    math.sqrt(2.0 / outputs))
        self.spread(init.kaiming_uniform_(weight, a=math.sqrt(5.0)),
                    math.sqrt(2.0 / 6.0 / inputs))
        self.spread(init.xavier_normal_(weight),
                    math.sqrt(2.0 / (inputs + outputs)))
        self.spread(init.xavier_uniform_(weight, 2.0),
                    2.0 * math.sqrt(2.0 / (inputs + outputs)))
        # Linear stores [inputs, outputs].
        self.spread(init.kaiming_normal_(self.linear.weight, nonlinearity="relu"),
                    math.sqrt(2.0 / 300))
        with self.assertRaisesRegex(ValueError, "mode must be 'fan_in' or"):
            init.kaiming_normal_(weight, mode="fan_both")

    def test_gains(self):
        for name, gain in (("relu", math.sqrt(2.0)), ("tanh", 5.0 / 3.0),
                           ("linear", 1.0), ("sigmoid", 1.0), ("conv2d", 1.0),
                           ("selu", 0.75)):
            self.assertEqual(init.calculate_gain(name), gain)
        self.assertAlmostEqual(init.calculate_gain("leaky_relu", 0.2),
                               math.sqrt(2.0 / 1.04))
        with self.assertRaisesRegex(ValueError, "nonlinearity must be one of"):
            init.calculate_gain("swish")

    def test_orthogonal(self):
        for layer in (nn.Linear(6, 4), nn.Linear(4, 6), nn.Conv2D(2, 5, 3)):
            weight = init.orthogonal_(layer.weight, 2.0).numpy()
            matrix = weight.reshape(weight.shape[0], -1).astype(np.float64)
            if matrix.shape[0] > matrix.shape[1]:
                matrix = matrix.T
            np.testing.assert_allclose(matrix @ matrix.T,
                                       4.0 * np.eye(len(matrix)), atol=1e-5)
        with self.assertRaisesRegex(ValueError, "two axes or more"):
            init.orthogonal_(sy.zeros(3))

    def test_eye_dirac_sparse(self):
        np.testing.assert_array_equal(init.eye_(sy.ones([2, 3])).numpy(), np.eye(2, 3))
        x = sy.tensor(np.random.default_rng(0).normal(size=(1, 4, 6, 5)).astype(np.float32))
        for groups in (1, 2):
            layer = nn.Conv2D(4, 4, 3, padding=1, groups=groups, bias=False)
            init.dirac_(layer.weight, groups)
            np.testing.assert_array_equal(layer(x).numpy(), x.numpy())
        self.assertEqual(init.dirac_(sy.ones([3, 2, 4])).numpy().sum(), 2.0)
        sy.seed(0)
        weight = init.sparse_(sy.ones([10, 400]), 0.25, 0.5)
        np.testing.assert_array_equal((weight.numpy() == 0).sum(0), 3)
        self.spread(sy.tensor(weight.numpy()[weight.numpy() != 0]), 0.5)
        for message, call in {
                "eye_: tensor must have 2 axes": lambda: init.eye_(sy.ones([2])),
                "dirac_: tensor must have 3 to 5": lambda: init.dirac_(sy.ones([2, 2])),
                "dirac_: groups must divide": lambda: init.dirac_(sy.ones([3, 2, 1]), 2),
                "sparse_: sparsity": lambda: init.sparse_(sy.ones([2, 2]), 1.5)}.items():
            with self.assertRaisesRegex(ValueError, message):
                call()

    def test_through_a_model(self):
        def start(module):
            if isinstance(module, nn.Linear):
                init.normal_(module.weight.data, 0.0, 0.02)
                init.zeros_(module.bias.data)
        model = nn.Sequential(nn.Linear(300, 200), nn.ReLU()).apply(start)
        self.spread(model[0].weight.detach(), 0.02)
        self.assertFalse(model[0].bias.numpy().any())


if __name__ == "__main__":
    unittest.main()
