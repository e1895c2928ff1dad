# SPDX-License-Identifier: Apache-2.0
"""Layers with modes, masks, no biases, nested results, which are less usual."""

import unittest

import numpy as np

import switchyard as sy
from switchyard import nn

F = nn.functional
RNG = np.random.default_rng(23)


def normal(*shape):
    return RNG.normal(size=shape).astype(np.float32)


def close(got, want, tolerance=1e-5):
    np.testing.assert_allclose(got.numpy(), want, tolerance, tolerance)


class TracedTest(unittest.TestCase):

    def check(self, layer, *arrays):
        """The program of the layer has its bits; returns the eager result."""
        got = layer(*map(sy.tensor, arrays))
        again = sy.static.trace(layer, *arrays)(*arrays)
        np.testing.assert_array_equal(again.numpy(), got.numpy())
        return got

    def test_activations(self):
        x = normal(2, 4, 3) * 3
        e = np.exp(x)
        soft = np.log1p(e)
        alpha, scale = 1.6732632423543772, 1.0507009873554805
        for layer, want in (
                (nn.ELU(0.5), np.where(x > 0, x, 0.5 * (e - 1))),
                (nn.CELU(0.5), np.where(x > 0, x, 0.5 * (np.exp(x / 0.5) - 1))),
                (nn.SELU(), scale * np.where(x > 0, x, alpha * (e - 1))),
                (nn.Mish(), x * np.tanh(soft)),
                (nn.Softsign(), x / (1 + np.abs(x))),
                (nn.LogSigmoid(), x - soft),
                (nn.Hardtanh(-2.0, 0.5), x.clip(-2.0, 0.5)),
                (nn.PReLU(4), np.where(x > 0, x, 0.25 * x)),
                (nn.GLU(1), x[:, :2] / (1 + np.exp(-x[:, 2:])))):
            with self.subTest(layer):
                close(self.check(layer, x), want)
        images = normal(2, 8, 3, 2)
        want = images.reshape(2, 2, 2, 2, 3, 2).transpose(0, 1, 4, 2, 5, 3)
        close(self.check(nn.PixelShuffle(2), images), want.reshape(2, 2, 6, 4))
        with self.assertRaisesRegex(ValueError, "min_val must be below max_val"):
            nn.Hardtanh(1.0, -1.0)

    def test_slopes_are_learnt(self):
        layer, x = nn.PReLU(2), normal(3, 2, 5)
        layer(sy.tensor(x)).sum().backward()
        close(layer.weight.grad, np.minimum(x, 0).sum((0, 2)))

    def test_padding_modes(self):
        modes = {"reflect": "reflect", "replicate": "edge", "circular": "wrap"}
        for layer, shape in ((nn.Conv1D, (2, 3, 7)), (nn.Conv2D, (2, 3, 6, 7)),
                             (nn.Conv3D, (2, 3, 4, 5, 6))):
            x, axes = normal(*shape), len(shape) - 2
            for mode, theirs in modes.items():
                padded = np.pad(x, [(0, 0)] * 2 + [(1, 1)] * axes, theirs)
                for padding in (1, "same"):
                    ours = layer(3, 2, 3, padding=padding, padding_mode=mode)
                    plain = layer(3, 2, 3)
                    plain.load_state_dict(ours.state_dict())
                    close(self.check(ours, x), plain(sy.tensor(padded)).numpy())
            self.assertIn("padding_mode='circular'", repr(ours))
            with self.assertRaisesRegex(ValueError, "padding_mode must be"):
                layer(3, 2, 3, padding_mode="some")

    def test_recurrence_without_biases(self):
        x = normal(4, 2, 3)
        for kind in (nn.RNN, nn.LSTM, nn.GRU):
            layer = kind(3, 5, 2, bidirectional=True, bias=False)
            with_zeros = kind(3, 5, 2, bidirectional=True)
            self.assertFalse([n for n, _ in layer.named_parameters() if "bias" in n])
            state = with_zeros.state_dict()
            with_zeros.load_state_dict({**{name: sy.zeros_like(t) for name, t in
                                           state.items()}, **layer.state_dict()})
            close(layer(sy.tensor(x))[0], with_zeros(sy.tensor(x))[0].numpy())
            self.assertIn("bias=False", repr(layer))
        for kind in (nn.RNNCell, nn.LSTMCell, nn.GRUCell):
            cell = kind(3, 5, bias=False)
            got = cell(sy.zeros([2, 3]))
            close(got[0] if isinstance(got, tuple) else got, np.zeros((2, 5)))

    def test_nested_results_and_arguments(self):
        lstm, x = nn.LSTM(3, 4), normal(5, 2, 3)
        state = normal(1, 2, 4), normal(1, 2, 4)
        program = sy.static.trace(lstm, x, state)
        self.assertEqual(program.feeds, ["x0", "x1_0", "x1_1"])
        self.assertEqual(program.fetches, ["out0", "out1_0", "out1_1"])
        y, (h, c) = lstm(sy.tensor(x), tuple(map(sy.tensor, state)))
        for got, want in zip(program(x, *state), (y, h, c)):
            np.testing.assert_array_equal(got.numpy(), want.numpy())
        program = sy.static.trace(lambda v: {"a": {"b": v + v, "c": (v,)}}, x)
        self.assertEqual(program.fetches, ["a_b", "a_c_0"])

    def test_pooling_to_extents_of_x(self):
        x = normal(2, 3, 6, 5)
        want = x.reshape(2, 3, 2, 3, 5).mean(3)
        close(self.check(nn.AdaptiveAvgPool2D((2, None)), x), want)
        close(F.adaptive_max_pool2d(sy.tensor(x), (None, 1)),
              x.max(3, keepdims=True))
        close(F.interpolate(sy.tensor(x), size=(2, 5), mode="area"), want)
        close(F.interpolate(sy.tensor(x), scale_factor=(1 / 3, 1), mode="area"),
              want)

    def test_extents_of_norms(self):
        """x has the extents that the layer was made for, in programs too."""
        spec = sy.static.InputSpec([None] * 3, "float32")
        x = normal(3, 2, 4)
        for layer in (nn.LayerNorm(4), nn.LayerNorm([2, 4], elementwise_affine=False),
                      nn.RMSNorm(4), nn.RMSNorm([2, 4], elementwise_affine=False),
                      nn.GroupNorm(2, 2, affine=False),
                      lambda y: F.layer_norm(y, [2, 4]), lambda y: F.rms_norm(y, 4)):
            program = sy.static.trace(layer, spec)
            np.testing.assert_array_equal(program(x).numpy(), layer(sy.tensor(x)).numpy())
            for other in (normal(3, 4, 2), normal(3, 6, 8), normal(3, 1, 1)):
                with self.assertRaises(ValueError):
                    layer(sy.tensor(other))
                with self.assertRaises(ValueError):
                    program(other)
        with self.assertRaisesRegex(ValueError, r"RMSNorm: x must end in \[3\], got shape"):
            nn.RMSNorm(3)(sy.ones([2, 1]))
        norm = nn.InstanceNorm1D(1, track_running_stats=True)
        with self.assertRaisesRegex(ValueError, "InstanceNorm1D: x must have 1 channels"):
            norm(sy.ones([2, 3, 4]))
        self.assertEqual(norm.running_mean.shape, (1,))

    def test_norms(self):
        x = normal(2, 3, 4)
        wide = x.astype(np.float64)
        plain = (wide - wide.mean(2, keepdims=True)) / np.sqrt(
            wide.var(2, keepdims=True) + 1e-5)
        layer = nn.LayerNorm(4, elementwise_affine=False)
        self.assertEqual(layer.parameters(), [])
        close(self.check(layer, x), plain, 1e-4)
        self.assertIsNone(nn.LayerNorm(4, bias=False).bias)
        mean, var = sy.zeros([3]), sy.ones([3])
        got = F.batch_norm(sy.tensor(x), mean, var, training=True, momentum=0.75)
        layer = nn.BatchNorm1D(3, momentum=0.75)
        np.testing.assert_array_equal(got.numpy(), layer(sy.tensor(x)).numpy())
        np.testing.assert_array_equal(mean.numpy(), layer.running_mean.numpy())
        np.testing.assert_array_equal(var.numpy(), layer.running_var.numpy())
        F.batch_norm(sy.tensor(x), None, None, training=True)


class AttentionTest(unittest.TestCase):

    def test_rows_without_anything_allowed_are_zeros(self):
        x = sy.tensor(normal(1, 2, 4, 3), requires_grad=True)
        mask = np.ones((4, 4), bool)
        mask[1] = False
        got = F.scaled_dot_product_attention(x, x, x, attn_mask=sy.tensor(mask))
        plain = F.scaled_dot_product_attention(x, x, x).numpy()
        want = np.where(mask[:, :1], plain, 0)
        close(got, want)
        got.sum().backward()
        self.assertTrue(np.isfinite(x.grad.numpy()).all())

    def test_heads_that_serve_several(self):
        q, k, v = normal(2, 6, 4, 3), normal(2, 2, 5, 3), normal(2, 2, 5, 3)
        got = F.scaled_dot_product_attention(*map(sy.tensor, (q, k, v)),
                                             enable_gqa=True)
        want = F.scaled_dot_product_attention(
            sy.tensor(q), *(sy.tensor(a.repeat(3, 1)) for a in (k, v)))
        np.testing.assert_array_equal(got.numpy(), want.numpy())
        with self.assertRaisesRegex(ValueError, "must divide the query's 6, got 4"):
            F.scaled_dot_product_attention(
                sy.tensor(q), *[sy.zeros([2, 4, 5, 3])] * 2, enable_gqa=True)


class FunctionalTest(unittest.TestCase):

    def test_functions_are_the_layers(self):
        for layer, function, x in (
                (nn.Conv1D(4, 6, 3, 2, 1, 2, 2), F.conv1d, normal(2, 4, 9)),
                (nn.Conv3D(4, 6, 2, 2, 1, 1, 2), F.conv3d, normal(2, 4, 5, 4, 3))):
            got = function(sy.tensor(x), layer.weight, layer.bias, layer.stride,
                           layer.padding, layer.dilation, layer.groups)
            np.testing.assert_array_equal(got.numpy(), layer(sy.tensor(x)).numpy())
        for layer, function, x in (
                (nn.Conv1DTranspose, F.conv_transpose1d, normal(2, 4, 5)),
                (nn.Conv2DTranspose, F.conv_transpose2d, normal(2, 4, 5, 4)),
                (nn.Conv3DTranspose, F.conv_transpose3d, normal(2, 4, 3, 4, 3))):
            layer = layer(4, 6, 3, stride=2, padding=1, output_padding=1, groups=2)
            got = function(sy.tensor(x), layer.weight, layer.bias, 2, 1, 1, 2)
            np.testing.assert_array_equal(got.numpy(), layer(sy.tensor(x)).numpy())
        x = normal(2, 3, 8)
        for function, layer in ((F.max_pool1d, nn.MaxPool1D(2)),
                                (F.avg_pool1d, nn.AvgPool1D(2))):
            np.testing.assert_array_equal(function(sy.tensor(x), 2).numpy(),
                                          layer(sy.tensor(x)).numpy())
        norm = nn.RMSNorm(8)
        np.testing.assert_array_equal(
            F.rms_norm(sy.tensor(x), 8, norm.weight).numpy(),
            norm(sy.tensor(x)).numpy())
        np.testing.assert_array_equal(F.instance_norm(sy.tensor(x)).numpy(),
                                      nn.InstanceNorm(3)(sy.tensor(x)).numpy())
        a, b, c = (sy.tensor(normal(4, 3)) for _ in range(3))
        self.assertEqual(F.triplet_margin_loss(a, b, c).item(),
                         nn.TripletMarginLoss()(a, b, c).item())
        sign = sy.tensor([1, -1, 1, -1])
        self.assertEqual(F.cosine_embedding_loss(a, b, sign).item(),
                         nn.CosineEmbeddingLoss()(a, b, sign).item())

    def test_whole_channels_are_dropped(self):
        got = F.dropout2d(sy.ones([8, 16, 3, 3])).numpy().reshape(128, 9)
        self.assertTrue((got == got[:, :1]).all())
        self.assertEqual(set(got.ravel()), {0.0, 2.0})
        x = sy.ones([1, 2, 3])
        self.assertIs(F.dropout2d(x, training=False), x)


class ContainerTest(unittest.TestCase):

    def test_lists_and_dicts_change(self):
        a, b, c = nn.Linear(1, 1), nn.ReLU(), nn.Tanh()
        layers = nn.ModuleList([a]).extend([c])
        self.assertEqual(list(layers.insert(1, b)), [a, b, c])
        self.assertEqual([n for n, _ in layers.named_parameters()],
                         ["0.weight", "0.bias"])
        del layers[0]
        self.assertEqual(list(layers), [b, c])
        with self.assertRaisesRegex(TypeError, "must be a Module"):
            layers.insert(0, 3)
        named = nn.ModuleDict({"a": a, "b": b})
        self.assertIs(named.pop("a"), a)
        self.assertEqual(list(named), ["b"])
        weights = nn.ParameterList([sy.ones([1])]).extend([sy.ones([2])])
        self.assertEqual([w.shape for w in weights], [(1,), (2,)])

    def test_the_row_of_padding_starts_as_zeros(self):
        for padding in (2, -1):
            weight = nn.Embedding(4, 3, padding_idx=padding).weight.numpy()
            self.assertTrue((weight[padding] == 0).all())
            self.assertTrue((np.delete(weight, padding, 0) != 0).all())


if __name__ == "__main__":
    unittest.main()
