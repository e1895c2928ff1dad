# SPDX-License-Identifier: Apache-2.0
"""Training steps over unknown extents have the bits of eager."""
import unittest

import numpy as np

import switchyard as sy
from switchyard import nn, static


class Weighted(nn.Module):
    """A function of the input times a weight."""

    def __init__(self, function):
        super().__init__()
        self.weight = nn.Parameter(
            sy.tensor(np.linspace(0.5, 1.5, 4).astype(np.float32)))
        self.function = function

    def forward(self, x):
        return self.function(x * self.weight)


def loss(out, label):
    return sy.sum(out * out) + sy.sum(label)


class LateTrainingTest(unittest.TestCase):

    def trained(self, function, spec, inputs, static_step):
        model = Weighted(function)
        optimizer = sy.optim.SGD(model.parameters(), learning_rate=0.01)
        step = static.train_step(model, loss, optimizer,
                                 inputs=static.InputSpec(spec),
                                 labels=static.InputSpec([None]))
        label = np.zeros(1, np.float32)
        for x in inputs:
            if static_step:
                step(x, label)
                continue
            optimizer.zero_grad()
            loss(model(sy.tensor(x)), sy.tensor(label)).backward()
            optimizer.step()
        return model.weight.numpy()

    def check(self, function, spec=(None, None, 4)):
        shapes = ((2, 3, 4), (3, 1, 4), (2, 3, 4))
        inputs = [np.linspace(-1, 1, np.prod(s[-len(spec):])).astype(
            np.float32).reshape(s[-len(spec):]) for s in shapes]
        want = self.trained(function, list(spec), inputs, False)
        self.assertNotEqual(want.tobytes(), np.linspace(
            0.5, 1.5, 4).astype(np.float32).tobytes())
        got = self.trained(function, list(spec), inputs, True)
        np.testing.assert_array_equal(want, got)

    def test_extremes(self):
        for extreme in (sy.max, sy.min):
            for axis in ([], [0], [1], [2], [-1], [0, 2], [1, 2]):
                with self.subTest(extreme, axis=axis):
                    self.check(lambda x: extreme(x, axis=axis))
            self.check(lambda x: extreme(x, axis=2, keepdim=True))

    def test_views(self):
        self.check(lambda x: sy.unsqueeze(x, [1]))
        self.check(lambda x: sy.unsqueeze(x, [0, -1]))
        self.check(lambda x: sy.squeeze(sy.unsqueeze(x, [0]), [0]))
        self.check(sy.flatten)
        self.check(lambda x: sy.flatten(x, start_axis=0, stop_axis=2))

    def test_sparse_sums(self):
        dense = sy.ops.sparse_to_dense
        for spec in ((None, 4), (None, None)):
            for make in (lambda x: sy.ops.to_sparse_coo(x, 2), sy.ops.to_sparse_csr):
                self.check(lambda x: dense(sy.add(make(x), make(x))), spec)


if __name__ == "__main__":
    unittest.main()
