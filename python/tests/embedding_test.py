# SPDX-License-Identifier: Apache-2.0
"""An embedding with SelectedRows gradients trains as a dense one does."""
import unittest

import numpy as np

import switchyard as sy
from switchyard import nn


class SparseTest(unittest.TestCase):

    IDS = np.array([[0, 3, 3], [1, 3, 0]])
    LABELS = np.array([1, 0])

    def train(self, make, sparse, static=False):
        sy.seed(2)
        model = nn.Sequential(nn.Embedding(6, 4, padding_idx=1, sparse=sparse),
                              nn.Flatten(), nn.Linear(12, 2))
        optimizer, loss = make(model.parameters()), nn.CrossEntropyLoss()
        step = sy.static.train_step(model, loss, optimizer)
        for _ in range(4):
            if static:
                step(self.IDS, self.LABELS)
                continue
            optimizer.zero_grad()
            loss(model(sy.tensor(self.IDS)), sy.tensor(self.LABELS)).backward()
            self.assertEqual(model[0].weight.grad.is_selected_rows, sparse)
            optimizer.step()
        optimizer.zero_grad()
        self.assertIsNone(model[0].weight.grad)
        return [p.numpy().copy() for p in model.parameters()]

    def test_every_optimizer(self):
        for name, make in {
                "sgd": lambda ps: sy.optim.SGD(ps, 0.5),
                "decay": lambda ps: sy.optim.SGD(ps, 0.5, weight_decay=0.1),
                "value": lambda ps: sy.optim.SGD(
                    ps, 0.5, clip=sy.optim.ClipGradByValue(0.05)),
                "norm": lambda ps: sy.optim.SGD(
                    ps, 0.5, clip=sy.optim.ClipGradByNorm(0.1)),
                "global": lambda ps: sy.optim.SGD(
                    ps, 0.5, clip=sy.optim.ClipGradByGlobalNorm(0.1)),
                "momentum": lambda ps: sy.optim.Momentum(ps, 0.5),
                "adam": lambda ps: sy.optim.Adam(ps, 0.1),
                "adamw": lambda ps: sy.optim.AdamW(ps, 0.1)}.items():
            dense = self.train(make, False)
            for static in (False, True):
                with self.subTest(name, static=static):
                    sparse = self.train(make, True, static)
                    for got, want in zip(sparse, dense):
                        np.testing.assert_allclose(got, want, 1e-5, 1e-6)

    def test_global_norm(self):
        layer = nn.Embedding(5, 2, sparse=True)
        self.assertEqual(repr(layer), "Embedding(5, 2, sparse=True)")
        layer(sy.tensor([4, 1, 4])).sum().backward()
        self.assertAlmostEqual(sy.optim.global_norm([layer.weight.grad]),
                               10 ** 0.5)


if __name__ == "__main__":
    unittest.main()
