# SPDX-License-Identifier: Apache-2.0
"""Layers against NumPy's formulas, and as programs with the bits of eager."""

import unittest

import numpy as np

import switchyard as sy
from switchyard import nn

RNG = np.random.default_rng(11)


def normal(*shape):
    return RNG.normal(size=shape).astype(np.float32)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def correlate(x, weight, stride, padding, dilation=1):
    """x [n, c, *extents] with weight [o, c, *kernel], as loops."""
    axes = x.ndim - 2
    x = np.pad(x, [(0, 0), (0, 0)] + [(padding, padding)] * axes)
    kernel = weight.shape[2:]
    extents = [(e - dilation * (k - 1) - 1) // stride + 1
               for e, k in zip(x.shape[2:], kernel)]
    out = np.zeros((x.shape[0], weight.shape[0], *extents))
    for place in np.ndindex(*extents):
        window = tuple(slice(p * stride, p * stride + dilation * (k - 1) + 1,
                             dilation) for p, k in zip(place, kernel))
        part = x[(slice(None), slice(None), *window)]
        out[(slice(None), slice(None), *place)] = np.tensordot(
            part, weight, (range(1, axes + 2), range(1, axes + 2)))
    return out


def spread(x, weight, stride, padding, more):
    """The transposed convolution of x with weight [c, o, *kernel], as loops."""
    axes = x.ndim - 2
    extents = [(e - 1) * stride + k + more
               for e, k in zip(x.shape[2:], weight.shape[2:])]
    out = np.zeros((x.shape[0], weight.shape[1], *extents))
    for place in np.ndindex(*x.shape[2:]):
        window = tuple(slice(p * stride, p * stride + k)
                       for p, k in zip(place, weight.shape[2:]))
        element = x[(slice(None), slice(None), *place)]
        out[(slice(None), slice(None), *window)] += np.tensordot(
            element, weight, (1, 0))
    inner = tuple(slice(padding, extent - padding) for extent in extents)
    return out[(slice(None), slice(None), *inner)]


def normalised(x, axes, epsilon=1e-5):
    return (x - x.mean(axes, keepdims=True)) / np.sqrt(
        x.var(axes, keepdims=True) + epsilon)


class Checks(unittest.TestCase):

    def check(self, layer, arguments, expected, tolerance=2e-5):
        """The result, the program's bits, and its gradients' bits."""
        got = layer(*map(sy.tensor, arguments))
        parts = got if isinstance(got, tuple) else (got,)
        wanted = expected if isinstance(expected, tuple) else (expected,)
        self.assertEqual(len(parts), len(wanted))
        for part, want in zip(parts, wanted):
            np.testing.assert_allclose(part.numpy(), want, tolerance, tolerance)
        examples = [sy.static.InputSpec([None, *x.shape[1:]], str(x.dtype))
                    if x.shape else x for x in arguments]
        if isinstance(layer, (nn.RNN, nn.LSTM, nn.GRU)):
            examples = list(arguments)
        program = sy.static.trace(layer, *examples)
        results = program.run({f"x{i}": x for i, x in enumerate(arguments)})
        names = ["out"] if len(parts) == 1 else [
            f"out{i}" for i in range(len(parts))]
        for name, part in zip(names, parts):
            np.testing.assert_array_equal(np.asarray(results[name]),
                                          part.numpy())
        self.check_training(layer, arguments)

    def check_training(self, layer, arguments):
        """Three steps of SGD, eager and static, to the same bits."""
        if not layer.parameters():
            return
        begin, ends = layer.state_dict(), []

        def loss(result, label):
            result = result[0] if isinstance(result, tuple) else result
            return ((result - label) * (result - label)).mean()
        for static in (False, True):
            layer.load_state_dict(begin)
            optimizer = sy.optim.SGD(layer.named_parameters(), 0.05)
            label = np.float32(0.25)
            step = sy.static.train_step(layer, loss, optimizer) if static else None
            for _ in range(3):
                if static:
                    step(tuple(arguments), label)
                    continue
                optimizer.zero_grad()
                loss(layer(*map(sy.tensor, arguments)),
                     sy.tensor(label)).backward()
                optimizer.step()
            ends.append({name: t.numpy() for name, t in
                         layer.state_dict().items()})
        moved = False
        for name, eager in ends[0].items():
            np.testing.assert_array_equal(eager, ends[1][name], name)
            moved |= not np.array_equal(eager, begin[name].numpy())
        self.assertTrue(moved)
        layer.load_state_dict(begin)


class LayersTest(Checks):

    def test_convolutions(self):
        sy.seed(1)
        for layer, shape, how in (
                (nn.Conv1D(3, 4, 3, 2, 1), (2, 3, 9), (2, 1, 1)),
                (nn.Conv1D(3, 4, 2, 1, 0, dilation=2), (2, 3, 9), (1, 0, 2)),
                (nn.Conv3D(2, 3, 2, 1, 1), (2, 2, 4, 3, 5), (1, 1, 1))):
            x, weight = normal(*shape), layer.weight.numpy()
            bias = layer.bias.numpy().reshape([1, -1] + [1] * (x.ndim - 2))
            self.check(layer, (x,), correlate(x, weight, *how) + bias)
        with self.assertRaisesRegex(ValueError, "Conv1D: x must have 3 axes, or 2 without"):
            nn.Conv1D(3, 4, 3)(sy.ones([9]))
        with self.assertRaisesRegex(ValueError, "Conv3D: groups must divide"):
            nn.Conv3D(3, 4, 3, groups=2)

    def test_without_a_batch(self):
        """One item without the axis of batches is as a batch of one."""
        sy.seed(2)
        for axes, layers in ((1, (nn.Conv1D, nn.Conv1DTranspose)),
                             (2, (nn.Conv2D, nn.Conv2DTranspose)),
                             (3, (nn.Conv3D, nn.Conv3DTranspose))):
            x = normal(2, *(4, 5, 6)[:axes])
            made = [kind(2, 3, 2) for kind in layers]
            made += [layers[0](2, 3, 3, padding=1, padding_mode=mode, bias=False)
                     for mode in ("reflect", "replicate", "circular")]
            for layer in made:
                self.check(layer, (x,), layer(sy.tensor(x[None])).numpy()[0])
        x = normal(4)
        for cell in (nn.RNNCell(4, 3), nn.GRUCell(4, 3)):
            self.check(cell, (x,), cell(sy.tensor(x[None])).numpy()[0])
        cell = nn.LSTMCell(4, 3)
        for got, want in zip(cell(sy.tensor(x)), cell(sy.tensor(x[None]))):
            np.testing.assert_array_equal(got.numpy(), want.numpy()[0])
        with self.assertRaisesRegex(ValueError, "GRUCell: x must be of shape"):
            nn.GRUCell(4, 3)(sy.ones([2, 2, 4]))

    def test_transposed_convolutions(self):
        for layer, shape, how in (
                (nn.Conv1DTranspose(3, 4, 3, 2, 1, 1), (2, 3, 5), (2, 1, 1)),
                (nn.Conv2DTranspose(3, 2, 4, 2, 1), (2, 3, 3, 4), (2, 1, 0)),
                (nn.Conv3DTranspose(2, 3, 2, 2), (1, 2, 2, 3, 2), (2, 0, 0))):
            x, weight = normal(*shape), layer.weight.numpy()
            bias = layer.bias.numpy().reshape([1, -1] + [1] * (x.ndim - 2))
            self.check(layer, (x,), spread(x, weight, *how) + bias)
        with self.assertRaisesRegex(ValueError, "output_padding must be smaller"):
            nn.Conv2DTranspose(1, 1, 3, 1, output_padding=1)

    def test_normalisations(self):
        x, images = normal(6, 4), normal(2, 4, 3, 5)
        self.check(nn.BatchNorm1D(4), (x,), normalised(x, 0))
        sequences = normal(3, 4, 5)
        self.check(nn.BatchNorm1D(4), (sequences,),
                   normalised(sequences, (0, 2)))
        volumes = normal(2, 3, 2, 3, 2)
        self.check(nn.BatchNorm3D(3), (volumes,),
                   normalised(volumes, (0, 2, 3, 4)))
        groups = normalised(images.reshape(2, 2, 2, 3, 5), (2, 3, 4))
        self.check(nn.GroupNorm(2, 4), (images,), groups.reshape(images.shape))
        self.check(nn.InstanceNorm(4), (images,), normalised(images, (2, 3)))
        self.check(nn.InstanceNorm(4, affine=True), (images,),
                   normalised(images, (2, 3)))
        self.check(nn.RMSNorm(4), (x,), x / np.sqrt(
            (x * x).mean(1, keepdims=True) + 1e-6))
        with self.assertRaisesRegex(ValueError, "BatchNorm1D: x must have 2 or 3"):
            nn.BatchNorm1D(4)(sy.tensor(images))

    def test_pooling(self):
        x = normal(2, 3, 8)
        windows = x.reshape(2, 3, 4, 2)
        self.check(nn.MaxPool1D(2), (x,), windows.max(3))
        self.check(nn.AvgPool1D(2), (x,), windows.mean(3))
        images = normal(2, 3, 6, 4)
        blocks = images.reshape(2, 3, 3, 2, 2, 2)
        self.check(nn.AdaptiveAvgPool2D((3, 2)), (images,), blocks.mean((3, 5)))
        self.check(nn.AdaptiveMaxPool2D((3, 2)), (images,), blocks.max((3, 5)))
        self.check(nn.AdaptiveAvgPool2D(1), (images,),
                   images.mean((2, 3), keepdims=True))

    def test_upsampling(self):
        images, rows = normal(2, 3, 2, 4), normal(2, 3, 4)
        self.check(nn.Upsample(scale_factor=2), (images,),
                   images.repeat(2, 2).repeat(2, 3))
        self.check(nn.Upsample(size=(4, 8)), (images,),
                   images.repeat(2, 2).repeat(2, 3))
        self.check(nn.Upsample(scale_factor=3), (rows,), rows.repeat(3, 2))

        def linear(x, extent, corners):
            if corners:
                at = np.linspace(0, x.shape[-1] - 1, extent)
            else:
                at = (np.arange(extent) + 0.5) * x.shape[-1] / extent - 0.5
                at = np.clip(at, 0, x.shape[-1] - 1)
            low = np.floor(at).astype(int)
            high = np.minimum(low + 1, x.shape[-1] - 1)
            return x[..., low] * (1 - at + low) + x[..., high] * (at - low)
        for corners in (False, True):
            self.check(nn.Upsample(7, mode="linear", align_corners=corners),
                       (rows,), linear(rows, 7, corners))
            both = linear(np.swapaxes(linear(images, 6, corners), 2, 3), 5,
                          corners)
            self.check(nn.Upsample((5, 6), mode="bilinear",
                                   align_corners=corners), (images,),
                       np.swapaxes(both, 2, 3))
        self.assertEqual(nn.functional.interpolate(
            sy.tensor(images), (4, 4), mode="bicubic").shape, (2, 3, 4, 4))
        for wrong in ({"mode": "trilinear", "size": 3}, {}, {"size": (1, 2, 3)},
                      {"size": 3, "align_corners": True}):
            with self.assertRaisesRegex(ValueError, "^interpolate: "):
                nn.functional.interpolate(sy.tensor(images), **wrong)

    def test_dropout_of_channels(self):
        sy.seed(4)
        layer, x = nn.Dropout2D(0.5), np.ones((8, 16, 3, 3), np.float32)
        y = layer(sy.tensor(x)).numpy()
        self.assertEqual(set(np.unique(y)), {0.0, 2.0})
        np.testing.assert_array_equal(y, y[:, :, :1, :1] * x)
        self.assertAlmostEqual((y[:, :, 0, 0] > 0).mean(), 0.5, 0)
        np.testing.assert_array_equal(layer.eval()(sy.tensor(x)).numpy(), x)

    def test_embedding_with_padding(self):
        layer = nn.Embedding(5, 3, padding_idx=0)
        x = sy.tensor(np.array([[0, 2], [4, 0]]))
        y = layer(x)
        self.assertEqual(y[0, 0].tolist(), [0.0, 0.0, 0.0])
        y.sum().backward()
        np.testing.assert_array_equal(layer.weight.grad.numpy().sum(1),
                                      [0, 0, 3, 0, 3])


class RecurrentTest(Checks):

    def steps(self, layer, kind, x, layer_number, suffix=""):
        """x [time, n, width] through one layer; outputs and the last state."""
        weights = [getattr(layer, f"{name}_l{layer_number}{suffix}").numpy()
                   for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")]
        h = c = np.zeros((x.shape[1], layer.hidden_size))
        out = []
        for row in x[::-1] if suffix else x:
            h, c = one_step(kind, row, h, c, *weights)
            out.append(h)
        return np.stack(out[::-1] if suffix else out), h, c

    def test_layers_of_cells(self):
        for kind, make in (("tanh", nn.RNN), ("lstm", nn.LSTM), ("gru", nn.GRU)):
            for directions in (1, 2):
                layer = make(3, 4, num_layers=2, bidirectional=directions == 2)
                x = normal(5, 2, 3)
                below, hidden, cells = x, [], []
                for number in range(2):
                    results = [self.steps(layer, kind, below, number, suffix)
                               for suffix in ("", "_reverse")[:directions]]
                    below = np.concatenate([r[0] for r in results], -1)
                    hidden += [r[1] for r in results]
                    cells += [r[2] for r in results]
                out, state = layer(sy.tensor(x))
                np.testing.assert_allclose(out.numpy(), below, 1e-4, 1e-5)
                states = state if make is nn.LSTM else (state,)
                for got, want in zip(states, (np.stack(hidden), np.stack(cells))):
                    np.testing.assert_allclose(got.numpy(), want, 1e-4, 1e-5)
                self.check_training(layer, (x,))

    def test_batch_first_and_state(self):
        layer = nn.GRU(3, 4, batch_first=True)
        x = normal(2, 5, 3)
        out, state = layer(sy.tensor(x))
        self.assertEqual((out.shape, state.shape), ((2, 5, 4), (1, 2, 4)))
        first, middle = layer(sy.tensor(x[:, :2].copy()))
        second, last = layer(sy.tensor(x[:, 2:].copy()), middle)
        again = np.concatenate([first.numpy(), second.numpy()], 1)
        np.testing.assert_allclose(again, out.numpy(), 1e-5, 1e-6)
        np.testing.assert_allclose(last.numpy(), state.numpy(), 1e-5, 1e-6)

    def test_lengths(self):
        layer = nn.LSTM(3, 4, batch_first=True)
        x = normal(2, 5, 3)
        out, (h, _) = layer(sy.tensor(x), lengths=sy.tensor(
            np.array([5, 2], np.int32)))
        self.assertEqual(out.numpy()[1, 2:].any(), False)
        short, (end, _) = layer(sy.tensor(x[1:, :2].copy()))
        np.testing.assert_allclose(out.numpy()[1:, :2], short.numpy(), 1e-5, 1e-6)
        np.testing.assert_allclose(h.numpy()[:, 1:], end.numpy(), 1e-5, 1e-6)

    def test_cells(self):
        x = normal(2, 3)
        for kind, cell in (("tanh", nn.RNNCell(3, 4)),
                           ("relu", nn.RNNCell(3, 4, "relu")),
                           ("lstm", nn.LSTMCell(3, 4)), ("gru", nn.GRUCell(3, 4))):
            weights = [getattr(cell, name).numpy() for name in (
                "weight_ih", "weight_hh", "bias_ih", "bias_hh")]
            zeros = np.zeros((2, 4))
            h, c = one_step(kind, x, zeros, zeros, *weights)
            self.check(cell, (x,), (h, c) if kind == "lstm" else h)

    def test_wrong_arguments(self):
        with self.assertRaisesRegex(ValueError, "LSTM: x must have 2 or 3 axes"):
            nn.LSTM(3, 4)(sy.ones([1, 2, 2, 3]))
        with self.assertRaisesRegex(ValueError, "GRU: dropout must be in"):
            nn.GRU(3, 4, dropout=2.0)
        with self.assertRaisesRegex(ValueError, "RNN: nonlinearity must be"):
            nn.RNN(3, 4, nonlinearity="sin")


def one_step(kind, x, h, c, w, u, b, d):
    """A step of a cell, by its definition: the new h and c."""
    if kind in ("tanh", "relu"):
        total = x @ w.T + b + h @ u.T + d
        return (np.tanh(total) if kind == "tanh" else np.maximum(total, 0)), c
    if kind == "lstm":
        enter, keep, new, leave = np.split(x @ w.T + b + h @ u.T + d, 4, 1)
        c = sigmoid(keep) * c + sigmoid(enter) * np.tanh(new)
        return sigmoid(leave) * np.tanh(c), c
    of_x, of_h = np.split(x @ w.T + b, 3, 1), np.split(h @ u.T + d, 3, 1)
    reset, update = sigmoid(of_x[0] + of_h[0]), sigmoid(of_x[1] + of_h[1])
    new = np.tanh(of_x[2] + reset * of_h[2])
    return (1 - update) * new + update * h, c


if __name__ == "__main__":
    unittest.main()
