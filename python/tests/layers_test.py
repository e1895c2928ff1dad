# SPDX-License-Identifier: Apache-2.0
"""Layers and losses against NumPy's plain arithmetic."""
import math
import unittest

import numpy as np

import switchyard as sy
from switchyard import nn

RNG = np.random.default_rng(0)


def normal(*shape):
    return RNG.normal(size=shape).astype(np.float32)


def near(test, got, want, tolerance=1e-5):
    got = got.numpy()
    test.assertEqual(got.shape, np.shape(want))
    np.testing.assert_allclose(got, want, rtol=tolerance, atol=tolerance)


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def convolve(x, w, stride, padding, dilation, groups):
    """Cross-correlation by its definition."""
    n, channels, _, _ = x.shape
    out_channels, in_group, kh, kw = w.shape
    x = np.pad(x, ((0, 0), (0, 0), (padding, padding), (padding, padding)))
    h = (x.shape[2] - dilation * (kh - 1) - 1) // stride + 1
    width = (x.shape[3] - dilation * (kw - 1) - 1) // stride + 1
    y = np.zeros((n, out_channels, h, width))
    for o in range(out_channels):
        first = o // (out_channels // groups) * in_group
        for c in range(in_group):
            for i in range(kh):
                for j in range(kw):
                    part = x[:, first + c,
                             i * dilation:i * dilation + h * stride:stride,
                             j * dilation:j * dilation + width * stride:stride]
                    y[:, o] += w[o, c, i, j] * part
    return y


class LayersTest(unittest.TestCase):

    def test_linear(self):
        x, layer = normal(2, 3, 4), nn.Linear(4, 5)
        near(self, layer(sy.tensor(x)),
             x @ layer.weight.numpy() + layer.bias.numpy())
        near(self, nn.Linear(4, 2, bias=False)(sy.zeros([1, 4])), [[0, 0]])

    def test_embedding(self):
        layer = nn.Embedding(5, 3, padding_idx=-1)
        x = np.array([[0, 4], [2, 2]])
        want = layer.weight.numpy()[x].copy()
        want[0, 1] = 0
        out = layer(sy.tensor(x))
        near(self, out, want)
        out.sum().backward()
        self.assertEqual(layer.weight.grad.numpy().sum(1).tolist(),
                         [3.0, 0.0, 6.0, 0.0, 0.0])
        with self.assertRaisesRegex(ValueError, "padding_idx must be in"):
            nn.Embedding(5, 3, padding_idx=5)

    def test_conv2d(self):
        for stride, padding, dilation, groups in [
                (1, 0, 1, 1), (2, 1, 1, 1), (1, 2, 2, 1), (1, 1, 1, 2),
                (1, 1, 1, 4)]:
            with self.subTest(stride=stride, padding=padding,
                              dilation=dilation, groups=groups):
                x = normal(2, 4, 9, 8)
                layer = nn.Conv2D(4, 8, 3, stride, padding, dilation, groups)
                want = convolve(x, layer.weight.numpy(), stride, padding,
                                dilation, groups)
                want += layer.bias.numpy().reshape(1, -1, 1, 1)
                near(self, layer(sy.tensor(x)), want, 1e-4)
        self.assertEqual(
            nn.Conv2D(1, 2, (3, 5), padding="same")(sy.ones([1, 1, 6, 7])).shape,
            (1, 2, 6, 7))
        with self.assertRaisesRegex(ValueError, "groups"):
            nn.Conv2D(3, 4, 3, groups=2)
        with self.assertRaisesRegex(ValueError, "kernel_size"):
            nn.Conv2D(3, 4, (1, 2, 3))

    def test_pooling(self):
        x = normal(2, 3, 6, 8)
        windows = x.reshape(2, 3, 3, 2, 4, 2)
        near(self, nn.MaxPool2D(2)(sy.tensor(x)), windows.max((3, 5)))
        near(self, nn.AvgPool2D(2)(sy.tensor(x)), windows.mean((3, 5)))
        near(self, nn.GlobalAvgPool2D()(sy.tensor(x)), x.mean((2, 3)))
        ones = sy.ones([1, 1, 2, 2])
        self.assertEqual(
            nn.AvgPool2D(2, padding=1)(ones).numpy().ravel().tolist(), [1] * 4)
        self.assertEqual(nn.AvgPool2D(2, padding=1, exclusive=False)(
            ones).numpy().ravel().tolist(), [0.25] * 4)

    def test_max_pooling_keeps_nan_and_infinity(self):
        for dtype in "float32", "float64":
            lowest = np.finfo(dtype).min
            for first in np.nan, -np.inf, lowest:
                x = np.full((2, 3, 4, 4), lowest, dtype)
                x[:, :, 2, 2] = first
                x[:, :, :2, :2] = -np.inf
                leaf = sy.tensor(x, requires_grad=True)
                out = nn.MaxPool2D(2)(leaf)
                want = np.full((2, 3, 2, 2), lowest, dtype)
                want[:, :, 0, 0] = -np.inf
                if np.isnan(first):
                    want[:, :, 1, 1] = np.nan
                np.testing.assert_array_equal(out.numpy(), want)
                out.sum().backward()
                grad = np.zeros_like(x)
                grad[:, :, ::2, ::2] = 1
                if first == -np.inf:
                    grad[:, :, 2, 2:] = [0, 1]
                np.testing.assert_array_equal(leaf.grad.numpy(), grad)
        x = np.zeros((2, 3, 5, 5))
        self.assertEqual(
            nn.MaxPool2D(1, stride=3, ceil_mode=True)(sy.tensor(x)).shape,
            (2, 3, 2, 2))
        self.assertEqual(
            nn.MaxPool2D(1, stride=5, ceil_mode=True)(sy.tensor(x)).shape,
            (2, 3, 1, 1))

    def test_batch_norm(self):
        layer, x = nn.BatchNorm2D(3, momentum=0.8), normal(4, 3, 5, 2)
        mean, var = x.mean((0, 2, 3)), x.var((0, 2, 3))
        flat = [1, 3, 1, 1]
        want = (x - mean.reshape(flat)) / np.sqrt(var.reshape(flat) + 1e-5)
        near(self, layer(sy.tensor(x)), want, 1e-4)
        near(self, layer.running_mean, 0.2 * mean)
        near(self, layer.running_var, 0.8 + 0.2 * var)
        layer.eval()
        moved = (x - 0.2 * mean.reshape(flat)) / np.sqrt(
            0.8 + 0.2 * var.reshape(flat) + 1e-5)
        near(self, layer(sy.tensor(x)), moved, 1e-4)
        near(self, layer.running_mean, 0.2 * mean)

    def test_layer_norm(self):
        x = normal(4, 3, 5)
        for shape, axes in ((5, (2,)), ([3, 5], (1, 2))):
            want = (x - x.mean(axes, keepdims=True)) / np.sqrt(
                x.var(axes, keepdims=True) + 1e-5)
            near(self, nn.LayerNorm(shape)(sy.tensor(x)), want, 1e-4)
        with self.assertRaisesRegex(ValueError, "end in"):
            nn.LayerNorm(4)(sy.tensor(x))

    def test_activations(self):
        x = np.linspace(-8, 8, 41).astype(np.float32)
        sigmoid = 1 / (1 + np.exp(-x.astype(np.float64)))
        erf = np.array([math.erf(v / math.sqrt(2)) for v in x])
        for layer, want in [
                (nn.ReLU(), np.maximum(x, 0)),
                (nn.ReLU6(), np.clip(x, 0, 6)),
                (nn.LeakyReLU(0.1), np.where(x > 0, x, 0.1 * x)),
                (nn.GELU(), x * (1 + erf) / 2), (nn.SiLU(), x * sigmoid),
                (nn.Hardswish(), x * np.clip(x + 3, 0, 6) / 6),
                (nn.Hardsigmoid(), np.clip(x / 6 + 0.5, 0, 1)),
                (nn.Sigmoid(), sigmoid), (nn.Tanh(), np.tanh(x)),
                (nn.Softplus(), np.log1p(np.exp(x.astype(np.float64)))),
                (nn.Softmax(), softmax(x)),
                (nn.LogSoftmax(), np.log(softmax(x))), (nn.Identity(), x)]:
            with self.subTest(type(layer).__name__):
                near(self, layer(sy.tensor(x)), want)

    def test_dropout(self):
        sy.seed(0)
        layer = nn.Dropout(0.25)
        out = layer(sy.ones(10000)).numpy()
        self.assertAlmostEqual((out == 0).mean(), 0.25, delta=0.02)
        np.testing.assert_allclose(out[out != 0], 1 / 0.75)
        layer.eval()
        self.assertTrue((layer(sy.ones(10)).numpy() == 1).all())
        with self.assertRaisesRegex(ValueError, "p must"):
            nn.Dropout(1.5)

    def test_flatten(self):
        x = sy.ones([2, 3, 4, 5])
        self.assertEqual(nn.Flatten()(x).shape, (2, 60))
        self.assertEqual(nn.Flatten(0, 1)(x).shape, (6, 4, 5))


def heads(x, count):
    n, t, e = x.shape
    return x.reshape(n, t, count, e // count).transpose(0, 2, 1, 3)


class AttentionTest(unittest.TestCase):

    def want(self, layer, query, key, mask=None):
        def project(part, x):
            return x @ part.weight.numpy() + part.bias.numpy()
        q, k, v = (heads(project(part, x), 2) for part, x in (
            (layer.q_proj, query), (layer.k_proj, key), (layer.v_proj, key)))
        scores = q @ k.transpose(0, 1, 3, 2) / math.sqrt(q.shape[-1])
        if mask is not None:
            scores = np.where(mask, scores, -np.inf)
        mixed = (softmax(scores) @ v).transpose(0, 2, 1, 3)
        return project(layer.out_proj, mixed.reshape(query.shape))

    def test_self_and_cross(self):
        layer = nn.MultiHeadAttention(8, 2)
        x, y = normal(3, 4, 8), normal(3, 6, 8)
        near(self, layer(sy.tensor(x)), self.want(layer, x, x), 1e-4)
        near(self, layer(sy.tensor(x), sy.tensor(y)), self.want(layer, x, y),
             1e-4)

    def test_masks(self):
        layer, x = nn.MultiHeadAttention(8, 2), normal(3, 4, 8)
        causal = np.tril(np.ones((4, 4), bool))
        want = self.want(layer, x, x, causal)
        near(self, layer(sy.tensor(x), mask=sy.tensor(causal)), want, 1e-4)
        added = np.where(causal, 0, -np.inf).astype(np.float32)
        near(self, layer(sy.tensor(x), mask=sy.tensor(added)), want, 1e-4)

        class Causal(nn.Module):
            def __init__(self):
                super().__init__()
                self.layer = layer

            def forward(self, v):
                return self.layer(v, mask=causal)
        program = sy.static.trace(Causal(), sy.static.InputSpec([None, 4, 8]))
        np.testing.assert_allclose(program.run({"x0": x})["out"], want, 1e-4,
                                   1e-4)

    def test_wrong_heads(self):
        with self.assertRaisesRegex(ValueError, "num_heads"):
            nn.MultiHeadAttention(8, 3)

    def test_encoder_layer_keeps_the_shape(self):
        layer = nn.TransformerEncoderLayer(8, 2, 16, activation="gelu").eval()
        x = normal(2, 5, 8)
        first = layer(sy.tensor(x))
        self.assertEqual(first.shape, (2, 5, 8))
        # It has no order: turning the sequence turns the result.
        near(self, layer(sy.tensor(x[:, ::-1].copy())),
             first.numpy()[:, ::-1], 1e-4)


class LossTest(unittest.TestCase):

    def test_cross_entropy(self):
        x, label = normal(6, 4), np.array([0, 3, 1, 1, 2, 0])
        logs = -np.log(softmax(x))[np.arange(6), label]
        for shape in ((6,), (6, 1)):
            near(self, nn.CrossEntropyLoss()(
                sy.tensor(x), sy.tensor(label.reshape(shape))), logs.mean())
        near(self, nn.CrossEntropyLoss(reduction="sum")(
            sy.tensor(x), sy.tensor(label)), logs.sum())
        near(self, nn.CrossEntropyLoss(reduction="none")(
            sy.tensor(x), sy.tensor(label)), logs)
        near(self, nn.CrossEntropyLoss(ignore_index=1)(
            sy.tensor(x), sy.tensor(label)), logs[label != 1].mean())
        soft = softmax(normal(6, 4))
        near(self, nn.CrossEntropyLoss(soft_label=True)(
            sy.tensor(x), sy.tensor(soft)),
            -(soft * np.log(softmax(x))).sum(1).mean())

    def test_gradient_of_cross_entropy(self):
        x, label = normal(6, 4), np.array([0, 3, 1, 1, 2, 0])
        logits = sy.tensor(x, requires_grad=True)
        nn.CrossEntropyLoss()(logits, sy.tensor(label)).backward()
        near(self, logits.grad, (softmax(x) - np.eye(4)[label]) / 6)

    def test_differences(self):
        x, y = normal(3, 4), normal(3, 4)
        near(self, nn.MSELoss()(sy.tensor(x), sy.tensor(y)),
             ((x - y)**2).mean())
        near(self, nn.L1Loss()(sy.tensor(x), sy.tensor(y)), abs(x - y).mean())
        near(self, nn.L1Loss("sum")(sy.tensor(x), sy.tensor(y)),
             abs(x - y).sum())

    def test_binary_cross_entropy(self):
        x = np.array([-200, -30, -1, 0, 1, 30, 200], np.float64)
        y = np.array([0, 1, 0.5, 1, 0, 1, 1], np.float64)
        want = np.logaddexp(0, x) - x * y
        logits = sy.tensor(x, requires_grad=True)
        loss = nn.BCEWithLogitsLoss("none")(logits, sy.tensor(y))
        near(self, loss, want, 1e-12)
        loss.sum().backward()
        near(self, logits.grad, 1 / (1 + np.exp(-x)) - y, 1e-12)

    def test_shapes_must_agree(self):
        for loss in (nn.MSELoss(), nn.L1Loss(), nn.BCEWithLogitsLoss()):
            for label in (sy.ones([3]), np.ones((1, 1), np.float32), 0.5):
                with self.assertRaisesRegex(
                        ValueError, r"label must have input's shape \(3, 1\)"):
                    loss(sy.ones([3, 1]), label)
            # An extent that is unknown while tracing is not checked.
            spec = sy.static.InputSpec([None, 1])
            sy.static.trace(loss, spec, sy.static.InputSpec([3, 1]))
            with self.assertRaisesRegex(ValueError, "input's shape"):
                sy.static.trace(loss, spec, sy.static.InputSpec([None]))

    def test_reductions(self):
        with self.assertRaisesRegex(ValueError, "reduction"):
            nn.MSELoss("average")


if __name__ == "__main__":
    unittest.main()
