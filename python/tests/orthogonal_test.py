# SPDX-License-Identifier: Apache-2.0
"""Orthogonal weights, and the samplers of ranks."""
import unittest

import numpy as np

import switchyard as sy
from switchyard import nn, static
from switchyard.nn.utils import parametrizations, parametrize
from switchyard.utils import data

X = np.random.default_rng(0).normal(size=(6, 5)).astype(np.float32)


def is_orthogonal(weight, delta=2e-5):
    w = weight.detach().numpy().astype(np.float64)
    gram = w @ w.T if w.shape[0] < w.shape[1] else w.T @ w
    return np.abs(gram - np.eye(len(gram))).max() < delta


class OrthogonalTest(unittest.TestCase):

    def test_training_keeps_it_orthogonal(self):
        for inputs, outputs in ((5, 5), (5, 3), (5, 8)):
            for kind in (None, "matrix_exp", "cayley", "householder"):
                for near in (True, False):
                    with self.subTest(inputs=inputs, outputs=outputs, kind=kind, near=near):
                        self.train(inputs, outputs, kind, near)

    def train(self, inputs, outputs, kind, near):
        sy.seed(2)
        layer = parametrizations.orthogonal(nn.Linear(inputs, outputs), orthogonal_map=kind, use_trivialization=near)
        self.assertEqual([name for name, _ in layer.named_parameters()],
                         ["bias", "parametrizations.weight.original"])
        self.assertTrue(is_orthogonal(layer.weight))
        optimizer = sy.optim.SGD(layer.parameters(), lr=0.2)
        before, losses = layer.weight.numpy().copy(), []
        for _ in range(3):
            optimizer.zero_grad()
            loss = ((layer(sy.tensor(X[:, :inputs])) - 1.0)**2).mean()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        self.assertLess(losses[-1], losses[0])
        self.assertGreater(np.abs(layer.weight.numpy() - before).max(), 1e-4)
        self.assertTrue(is_orthogonal(layer.weight))

    def test_an_orthogonal_weight_stays(self):
        """Where training begins, the weight is the one that was there, as PyTorch has it."""
        for shape in ((4, 4), (4, 2), (2, 4)):
            layer = nn.Linear(*shape)
            nn.init.orthogonal_(layer.weight)
            before = layer.weight.numpy().copy()
            for kind in ("matrix_exp", "householder"):
                twin = nn.Linear(*shape)
                twin.load_state_dict(layer.state_dict())
                parametrizations.orthogonal(twin, orthogonal_map=kind)
                np.testing.assert_allclose(twin.weight.detach().numpy(), before, atol=1e-6)
                other = np.linalg.qr(np.random.default_rng(1).normal(size=(4, 4)))[0][:shape[0], :shape[1]]
                if shape[0] == shape[1]:
                    twin.weight = sy.tensor(other.astype(np.float32))
                    np.testing.assert_allclose(twin.weight.detach().numpy(), other, atol=1e-6)
            parametrize.remove_parametrizations(twin, "weight")
            self.assertIs(type(twin), nn.Linear)

    def test_gradients(self):
        """Gradients of the originals are those of differences."""
        for kind in parametrizations.orthogonal_of.__globals__["MAPS"]:
            sy.seed(3)
            layer = parametrizations.orthogonal(nn.Linear(3, 2).double(), orthogonal_map=kind)
            original = layer.parametrizations.weight.original
            start = np.random.default_rng(2).normal(size=(3, 2))
            factor = sy.tensor(np.arange(6.0).reshape(3, 2)**1.5)

            def value(x, layer=layer, original=original, factor=factor):
                with sy.no_grad():
                    original.copy_(sy.tensor(x))
                return (layer.weight * factor).sum()
            value(start).backward()
            for i in range(6):
                step = np.zeros(6)
                step[i] = 1e-6
                step = step.reshape(3, 2)
                want = (value(start + step).item() - value(start - step).item()) / 2e-6
                self.assertAlmostEqual(original.grad.numpy().reshape(-1)[i], want, delta=1e-6 * (1 + abs(want)))

    def test_compiled_steps(self):
        def step_of(compiled):
            sy.seed(4)
            layer = parametrizations.orthogonal(nn.Linear(5, 3), orthogonal_map="cayley")
            optimizer = sy.optim.SGD(layer.parameters(), lr=0.1)
            loss = nn.MSELoss()
            step = static.train_step(layer, loss, optimizer) if compiled else None
            for _ in range(3):
                if compiled:
                    step(X, X[:, :3])
                    continue
                optimizer.zero_grad()
                loss(layer(sy.tensor(X)), sy.tensor(X[:, :3])).backward()
                optimizer.step()
            return layer.weight.detach().numpy()
        np.testing.assert_array_equal(step_of(True), step_of(False))

    def test_errors(self):
        with self.assertRaisesRegex(ValueError, "orthogonal_map must be 'matrix_exp', 'cayley', 'householder', got"):
            parametrizations.orthogonal(nn.Linear(2, 2), orthogonal_map="qr")
        with self.assertRaisesRegex(ValueError, "orthogonal: the tensor must have 2 axes or more, got 1"):
            parametrizations.orthogonal(nn.Linear(2, 2), "bias")
        layer = parametrizations.orthogonal(nn.Linear(2, 2), use_trivialization=False)
        with self.assertRaisesRegex(NotImplementedError, "assigning needs use_trivialization"):
            layer.weight = sy.eye(2)


class DistributedSamplerTest(unittest.TestCase):

    def test_ranks_share_the_numbers(self):
        for count in (0, 1, 2, 7, 12):
            for ranks in (1, 2, 3, 5):
                for drop, shuffle in ((False, False), (True, False), (False, True), (True, True)):
                    samplers = [data.DistributedSampler(range(count), ranks, rank, shuffle, 5, drop)
                                for rank in range(ranks)]
                    parts = [list(each) for each in samplers]
                    self.assertEqual({len(part) for part in parts}, {len(samplers[0])})
                    joined = [number for row in zip(*parts) for number in row]
                    if drop:
                        self.assertEqual(len(joined), count - count % ranks)
                        self.assertEqual(len(set(joined)), len(joined))
                    else:
                        self.assertEqual(set(joined), set(range(count)))
                        self.assertLess(len(joined), count + ranks)
                    if not shuffle:
                        self.assertEqual(joined, [i % max(count, 1) for i in range(len(joined))])

    def test_epochs_and_loaders(self):
        sampler = data.DistributedSampler(range(20), num_replicas=2, rank=1, seed=3)
        first = list(sampler)
        self.assertEqual(first, list(sampler))
        sampler.set_epoch(1)
        self.assertNotEqual(first, list(sampler))
        loader = data.DataLoader(list(range(20)), batch_size=4, sampler=sampler)
        seen = [number for batch in loader for number in batch.tolist()]
        self.assertEqual(len(seen), 10)

    def test_without_other_processes_it_has_all(self):
        self.assertEqual(sorted(data.DistributedSampler(range(5))), list(range(5)))
        with self.assertRaisesRegex(ValueError, r"DistributedSampler: rank must be in \[0, 2\), got 2"):
            data.DistributedSampler(range(5), 2, 2)


if __name__ == "__main__":
    unittest.main()
