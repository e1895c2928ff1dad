# SPDX-License-Identifier: Apache-2.0
"""Module.summary."""
import unittest

import switchyard as sy
from switchyard import nn


class Tied(nn.Module):
    """Two layers of one weight, one of them frozen, a buffer, a dropout."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(3, 3), nn.Linear(3, 3)
        self.second.weight = nn.Parameter(self.first.weight)
        self.second.bias.requires_grad = False
        self.drop = nn.Dropout(0.5)
        self.calls = nn.Buffer(sy.zeros([2]))

    def forward(self, x, scale):
        self.calls = self.calls + float(self.training)
        return {"x": self.drop(self.second(self.first(x))) * scale, "n": 3}


class SummaryTest(unittest.TestCase):

    def test_with_inputs(self):
        model = Tied()
        model.second.eval()
        sy.seed(1)
        before = sy.rng_state()
        lines = model.summary(sy.ones([5, 3]), 2.0).splitlines()
        self.assertEqual([line.split() for line in lines], [
            ["layer", "result", "parameters"],
            ["Tied", "x:", "[5,", "3],", "n:", "int"],
            ["first:", "Linear", "[5,", "3]", "12"],
            ["second:", "Linear", "[5,", "3]", "3"],
            ["drop:", "Dropout", "[5,", "3]"], [],
            ["12", "parameters,", "3", "frozen,", "2", "in", "buffers;", "68",
             "bytes"]])
        # Neither phases nor state nor random numbers have changed.
        self.assertEqual([m.training for m in model.modules()],
                         [True, True, False, True])
        self.assertEqual(model.calls.tolist(), [0.0, 0.0])
        self.assertEqual(sy.rng_state(), before)
        self.assertEqual(model._hooks, {})

    def test_without(self):
        lines = Tied().summary().splitlines()
        self.assertEqual(lines[0].split(), ["layer", "parameters"])
        self.assertEqual(lines[2].split(), ["first:", "Linear", "12"])

    def test_an_error_of_the_run_leaves_the_model(self):
        model = Tied()
        with self.assertRaises(ValueError):
            model.summary(sy.ones([5, 4]), 1.0)
        self.assertTrue(all(m.training and not m._hooks
                            for m in model.modules()))


if __name__ == "__main__":
    unittest.main()
