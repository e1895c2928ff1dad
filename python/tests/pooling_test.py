# SPDX-License-Identifier: Apache-2.0
"""Pooling of sequences and volumes, layers and functions, against loops."""

import itertools
import unittest

import numpy as np

import switchyard as sy
from switchyard import nn
from switchyard.nn import functional as F

X = np.random.default_rng(3).normal(size=(2, 3, 5, 6, 7)).astype(np.float32)
KINDS = {"max": np.max, "avg": np.mean}


def windows(x, kind, kernel, stride, padding):
    """Pools by loops; ``padding`` around x counts nowhere."""
    sides = x.shape[2:]
    out = [(n + 2 * p - k) // s + 1
           for n, k, s, p in zip(sides, kernel, stride, padding)]
    y = np.empty((*x.shape[:2], *out), x.dtype)
    for at in itertools.product(*map(range, out)):
        part = tuple(slice(max(i * s - p, 0), i * s - p + k)
                     for i, k, s, p in zip(at, kernel, stride, padding))
        y[(..., *at)] = KINDS[kind](x[(..., *part)],
                                    tuple(range(2, x.ndim)))
    return y


def adapted(x, kind, sizes):
    """Pools by loops; window i of k of an extent e is floor(ie/k) to
    ceil((i+1)e/k)."""
    y = np.empty((*x.shape[:2], *sizes), x.dtype)
    for at in itertools.product(*map(range, sizes)):
        part = tuple(slice(i * e // k, -(-(i + 1) * e // k))
                     for i, e, k in zip(at, x.shape[2:], sizes))
        y[(..., *at)] = KINDS[kind](x[(..., *part)],
                                    tuple(range(2, x.ndim)))
    return y


class PoolingTest(unittest.TestCase):

    def same(self, got, expected):
        np.testing.assert_allclose(got.numpy(), expected, rtol=1e-5, atol=1e-6)

    def test_volumes(self):
        x = sy.tensor(X)
        for kernel, stride, padding in (
                ((2, 2, 2), None, (0, 0, 0)), ((3, 2, 3), (2, 1, 2), (1, 0, 1)),
                ((2, 3, 2), (1, 3, 1), (1, 1, 1))):
            for kind, layer, function in (
                    ("max", nn.MaxPool3D, F.max_pool3d),
                    ("avg", nn.AvgPool3D, F.avg_pool3d)):
                expected = windows(X, kind, kernel, stride or kernel, padding)
                self.same(layer(kernel, stride, padding)(x), expected)
                self.same(function(x, kernel, stride, padding), expected)
        self.assertEqual(nn.MaxPool3D(2)(x).shape, (2, 3, 2, 3, 3))
        self.assertEqual(nn.MaxPool3D(2, ceil_mode=True)(x).shape, (2, 3, 3, 3, 4))
        counted = nn.AvgPool3D(2, 2, 1, exclusive=False)(sy.ones(1, 1, 2, 2, 2))
        self.assertEqual(counted.tolist(), [[[[[0.125] * 2] * 2] * 2]])

    def test_adaptive(self):
        x, row = sy.tensor(X), sy.tensor(X[:, :, 0, 0])
        for kind, three, one, functions in (
                ("avg", nn.AdaptiveAvgPool3D, nn.AdaptiveAvgPool1D,
                 (F.adaptive_avg_pool3d, F.adaptive_avg_pool1d)),
                ("max", nn.AdaptiveMaxPool3D, nn.AdaptiveMaxPool1D,
                 (F.adaptive_max_pool3d, F.adaptive_max_pool1d))):
            for sizes in ((2, 4, 3), (5, 1, 7), (1, 1, 1)):
                expected = adapted(X, kind, sizes)
                self.same(three(sizes)(x), expected)
                self.same(functions[0](x, sizes), expected)
            self.same(three((None, 2, None))(x), adapted(X, kind, (5, 2, 7)))
            for size in (1, 3, 7):
                expected = adapted(X[:, :, 0, 0], kind, (size,))
                self.same(one(size)(row), expected)
                self.same(functions[1](row, size), expected)

    def test_gradients(self):
        for call in (nn.MaxPool3D(2), nn.AvgPool3D(2, 1, 1),
                     nn.AdaptiveAvgPool3D((2, 3, 1)), nn.AdaptiveMaxPool3D(2)):
            x = sy.tensor(X[:1, :1].astype(np.float64), requires_grad=True)
            (call(x) * call(x)).sum().backward()
            for at in ((0, 0, 1, 2, 3), (0, 0, 4, 5, 6), (0, 0, 0, 0, 0)):
                step = np.zeros(x.shape)
                step[at] = 1e-6
                up, down = (float((call(sy.tensor(x.numpy() + s))**2).sum())
                            for s in (step, -step))
                self.assertAlmostEqual(x.grad.numpy()[at], (up - down) / 2e-6, 5)

    def test_programs(self):
        model = nn.Sequential(nn.MaxPool3D(2), nn.AdaptiveAvgPool3D((1, None, 2)))
        program = sy.static.trace(model, X)
        np.testing.assert_array_equal(program(X).numpy(),
                                      model(sy.tensor(X)).numpy())

    def test_text_and_refusals(self):
        self.assertEqual(repr(nn.AdaptiveAvgPool1D(2)),
                         "AdaptiveAvgPool1D(output_size=(2,))")
        self.assertIn("kernel_size=(2, 2, 2)", repr(nn.MaxPool3D(2)))
        with self.assertRaisesRegex(ValueError, "MaxPool3D: kernel_size must be"):
            nn.MaxPool3D((2, 2))

    def test_padding_as_pytorch_has_it(self):
        image = X[:, :, 0]
        self.same(F.pad(sy.tensor(image), (1, 2)),
                  np.pad(image, [(0, 0)] * 3 + [(1, 2)]))
        self.same(F.pad(sy.tensor(image), [0, 1, 2, 3], value=5.0),
                  np.pad(image, [(0, 0), (0, 0), (2, 3), (0, 1)],
                         constant_values=5.0))
        self.same(F.pad(sy.tensor(image), [-1, -2, 1, -1]),
                  np.pad(image[:, :, :-1, 1:-2], [(0, 0), (0, 0), (1, 0), (0, 0)]))
        for mode, of_numpy in (("reflect", "reflect"), ("replicate", "edge"),
                               ("circular", "wrap")):
            for x, pad in ((X, (1, 2, 0, 1, 2, 1)), (image, (1, 2, 2, 1)),
                           (image[:, :, 0], (2, 1))):
                pairs = [pad[i:i + 2] for i in range(0, len(pad), 2)][::-1]
                self.same(F.pad(sy.tensor(x), pad, mode=mode),
                          np.pad(x, [(0, 0), (0, 0), *pairs], of_numpy))
        for wrong, mode in (((1,), "constant"), ((0, 0) * 5, "constant"),
                            ((1, 1), "reflect"), ((1, 1), "mirror")):
            with self.assertRaisesRegex(ValueError, "pad"):
                F.pad(sy.tensor(image), wrong, mode)


class SpellingsTest(unittest.TestCase):
    """Layers and functions take PyTorch's names of arguments."""

    def test_dim_and_eps(self):
        x = sy.tensor(X[0, 0, 0])
        np.testing.assert_array_equal(nn.Softmax(dim=0)(x).numpy(),
                                      sy.softmax(x, axis=0).numpy())
        self.assertEqual(nn.LogSoftmax(dim=1).axis, 1)
        self.assertEqual(nn.LayerNorm(4, eps=1e-3).epsilon, 1e-3)
        self.assertEqual(nn.BatchNorm2D(4, eps=1e-3).epsilon, 1e-3)
        self.assertEqual(nn.Flatten(start_dim=2).start_axis, 2)
        np.testing.assert_allclose(
            F.normalize(x, dim=-1).numpy(),
            x.numpy() / np.linalg.norm(x.numpy(), axis=-1, keepdims=True),
            rtol=1e-5)
        self.assertEqual(F.cosine_similarity(x, x, dim=0, eps=1e-6).shape, (7,))
        with self.assertRaisesRegex(TypeError, "got two values for 'axis'"):
            nn.Softmax(axis=1, dim=1)
        with self.assertRaisesRegex(TypeError, "nothing"):
            nn.Softmax(nothing=1)

    def test_in_place(self):
        values = X[0, 0, 0]
        for layer, alike in (
                (nn.LeakyReLU(0.2, inplace=True), nn.LeakyReLU(0.2)),
                (nn.ELU(inplace=True), nn.ELU()), (nn.SELU(True), nn.SELU()),
                (nn.CELU(0.5, True), nn.CELU(0.5)), (nn.SiLU(True), nn.SiLU()),
                (nn.Mish(True), nn.Mish()), (nn.Hardswish(True), nn.Hardswish()),
                (nn.Hardsigmoid(True), nn.Hardsigmoid()),
                (nn.Hardtanh(inplace=True), nn.Hardtanh())):
            x = sy.tensor(values)
            self.assertIs(layer(x), x)
            np.testing.assert_array_equal(
                x.numpy(), alike(sy.tensor(values)).numpy(), repr(layer))
            self.assertIn("inplace=True", repr(layer))

    def test_dropout_in_place(self):
        for layer, shape in ((nn.Dropout(0.5, inplace=True), (40, 50)),
                             (nn.Dropout2D(0.5, True), (20, 30, 2, 2))):
            x = sy.ones(*shape)
            self.assertIs(layer(x), x)
            self.assertEqual(set(x.numpy().ravel().tolist()), {0.0, 2.0})
            self.assertIs(layer.eval()(x), x)

    def test_cosine_similarity(self):
        a, b = (np.random.default_rng(i).normal(size=(3, 5)) for i in (1, 2))
        got = nn.CosineSimilarity(dim=1, eps=1e-6)(sy.tensor(a), sy.tensor(b))
        np.testing.assert_allclose(got.numpy(), (a * b).sum(1) / (
            np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1)))

    def test_utils(self):
        model = nn.Linear(2, 3)
        row = nn.utils.parameters_to_vector(model.parameters())
        self.assertEqual(row.shape, (9,))
        nn.utils.vector_to_parameters(np.arange(9, dtype=np.float32),
                                      model.parameters())
        self.assertEqual(model.weight.tolist(), [[0, 1, 2], [3, 4, 5]])
        self.assertEqual(model.bias.tolist(), [6, 7, 8])
        with self.assertRaisesRegex(ValueError, r"vec must have shape \(9,\)"):
            nn.utils.vector_to_parameters(sy.ones(8), model.parameters())
        padded = nn.utils.pad_sequence([sy.ones(1, 2), sy.ones(3, 2)], True, -1.0)
        self.assertEqual(padded.tolist(), [[[1, 1], [-1, -1], [-1, -1]],
                                           [[1, 1], [1, 1], [1, 1]]])
        self.assertEqual(nn.utils.pad_sequence([sy.ones(1), sy.ones(3)]).shape,
                         (3, 2))
        model(sy.ones(1, 2)).sum().backward()
        norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        self.assertGreater(norm.item(), 1.0)

    def test_gelu(self):
        x = sy.tensor(X[0, 0, 0])
        for by_tanh in ("tanh", True):
            np.testing.assert_array_equal(
                nn.GELU(by_tanh)(x).numpy(), F.gelu(x, approximate="tanh").numpy())
        np.testing.assert_array_equal(nn.GELU("none")(x).numpy(),
                                      x.gelu().numpy())
        self.assertGreater(np.abs(x.gelu().numpy() - x.gelu("tanh").numpy()).max(),
                           0.0)
        with self.assertRaisesRegex(ValueError, "gelu: approximate must be"):
            sy.gelu(x, "erf")


if __name__ == "__main__":
    unittest.main()
