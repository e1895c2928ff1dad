# SPDX-License-Identifier: Apache-2.0
"""Layers and datasets that PyTorch has and few models use, by their formulas."""
import unittest

import numpy as np

import switchyard as sy
from switchyard import nn
from switchyard.nn import functional as F
from switchyard.utils import data

RNG = np.random.default_rng(0)


def windows(x, kernel, stride):
    """The windows of the last axes, each as a row."""
    axes = len(kernel)
    found = np.lib.stride_tricks.sliding_window_view(
        x, kernel, tuple(range(x.ndim - axes, x.ndim)))
    steps = tuple(slice(None, None, s) for s in stride)
    found = found[(..., *steps, *(slice(None),) * axes)]
    return found.reshape(*found.shape[:-axes], -1)


class TorchLayersTest(unittest.TestCase):

    def test_powers_of_windows(self):
        for axes, function, layer in ((1, F.lp_pool1d, nn.LPPool1d), (2, F.lp_pool2d, nn.LPPool2d),
                                      (3, F.lp_pool3d, nn.LPPool3d)):
            x = RNG.uniform(0.1, 2.0, (2, 3, *[5] * axes))
            for norm, kernel, stride in ((2.0, [2] * axes, [2] * axes),
                                         (3.5, [3] * axes, [1] * axes)):
                want = (windows(x, kernel, stride)**norm).sum(-1)**(1 / norm)
                got = function(sy.tensor(x), norm, kernel, stride)
                np.testing.assert_allclose(got.numpy(), want, 1e-12)
                np.testing.assert_array_equal(
                    layer(norm, kernel, stride)(sy.tensor(x)).numpy(), got.numpy())
        signed = sy.tensor(RNG.normal(size=(1, 1, 6)))
        pairs = signed.numpy().reshape(1, 1, 3, 2)
        np.testing.assert_allclose(F.lp_pool1d(signed, 1.0, 2).numpy(), pairs.sum(-1), 1e-12)
        np.testing.assert_allclose(  # Sums below 0 count as 0.
            F.lp_pool1d(signed, 3.0, 2).numpy(),
            np.maximum((pairs**3).sum(-1), 0)**(1 / 3), 1e-12)
        # The last window has two elements of three: its sum counts in proportion.
        got = F.lp_pool1d(sy.tensor([[[1.0, 2.0, 3.0, 4.0, 5.0]]]), 1.0, 3, 3, ceil_mode=True)
        self.assertEqual(got.tolist(), [[[6.0, 13.5]]])
        with self.assertRaisesRegex(ValueError, "lp_pool2d: norm_type must be positive"):
            F.lp_pool2d(sy.ones([1, 1, 2, 2]), 0, 2)

    def test_output_sizes_of_transposed_convolutions(self):
        for axes, layer in ((1, nn.ConvTranspose1d), (2, nn.ConvTranspose2d),
                            (3, nn.ConvTranspose3d)):
            for dilation in (1, 2):
                sy.seed(0)
                plain = layer(2, 3, 3, stride=2, padding=1, dilation=dilation)
                sy.seed(0)
                padded = layer(2, 3, 3, stride=2, padding=1, dilation=dilation,
                               output_padding=1)
                x = sy.tensor(RNG.normal(size=(1, 2, *[4] * axes)).astype(np.float32))
                want = padded(x)
                for size in (list(want.shape[2:]), list(want.shape)):
                    np.testing.assert_array_equal(
                        plain(x, output_size=size).numpy(), want.numpy())
                least = list(plain(x).shape[2:])
                np.testing.assert_array_equal(plain(x, least).numpy(), plain(x).numpy())
                with self.assertRaisesRegex(ValueError, r"output_size must be in \[\d+, \d+\)"):
                    plain(x, [n + 2 for n in least])
        with self.assertRaisesRegex(ValueError, "Conv2DTranspose: output_size must have 2"):
            nn.ConvTranspose2d(2, 3, 3)(sy.ones([1, 2, 4, 4]), [5])

    def test_a_softmax_of_many_classes(self):
        sy.seed(1)
        layer = nn.AdaptiveLogSoftmaxWithLoss(6, 10, [3, 7], div_value=2.0, head_bias=True)
        self.assertEqual([tuple(p.shape) for p in layer.parameters()],
                         [(6, 5), (5,), (6, 3), (3, 4), (6, 1), (1, 3)])
        x = RNG.normal(size=(8, 6)).astype(np.float32)
        y = np.array([0, 2, 3, 6, 7, 9, 1, 4])

        def soft(v):
            return v - np.log(np.exp(v).sum(-1, keepdims=True))
        head = soft(x @ layer.head.weight.numpy() + layer.head.bias.numpy())
        tails = [soft(x @ t[0].weight.numpy() @ t[1].weight.numpy()) for t in layer.tail]
        want = np.concatenate([head[:, :3], tails[0] + head[:, 3:4],
                               tails[1] + head[:, 4:5]], 1)
        logs = layer.log_prob(sy.tensor(x)).numpy()
        np.testing.assert_allclose(logs, want, 1e-5, 1e-6)
        np.testing.assert_allclose(np.exp(logs).sum(-1), 1.0, 1e-5)
        found = layer(sy.tensor(x), sy.tensor(y))
        np.testing.assert_allclose(found.output.numpy(), want[np.arange(8), y], 1e-5, 1e-6)
        np.testing.assert_allclose(found.loss.item(), -want[np.arange(8), y].mean(), 1e-5)
        np.testing.assert_array_equal(layer.predict(sy.tensor(x)).numpy(), want.argmax(-1))
        alone = layer(sy.tensor(x[2]), sy.tensor(y[2]))
        self.assertEqual(alone.output.shape, ())
        np.testing.assert_allclose(alone.output.item(), want[2, 3], 1e-5)
        # The gradients agree in both ways to write it.
        found.loss.backward()
        grads = [p.grad.numpy() for p in layer.parameters()]
        layer.zero_grad()
        index = sy.tensor(y[:, None])
        (-layer.log_prob(sy.tensor(x)).take_along_axis(index, 1).mean()).backward()
        for a, p in zip(grads, layer.parameters()):
            np.testing.assert_allclose(a, p.grad.numpy(), 1e-4, 1e-6)
        program = sy.static.trace(lambda a, b: layer(a, b).output, x, y)
        np.testing.assert_array_equal(program(x, y).numpy(), found.output.numpy())
        with self.assertRaisesRegex(IndexError, "label must be in"):
            layer(sy.tensor(x), sy.tensor(y + 1))
        with self.assertRaisesRegex(ValueError, "cutoffs must be one or more ascending"):
            nn.AdaptiveLogSoftmaxWithLoss(6, 10, [7, 3])

    def test_upsampling(self):
        x = sy.tensor(RNG.normal(size=(1, 2, 3, 4)))
        np.testing.assert_array_equal(nn.UpsamplingNearest2d(scale_factor=2)(x).numpy(),
                                      F.upsample_nearest(x, scale_factor=2).numpy())
        np.testing.assert_array_equal(nn.UpsamplingBilinear2d([6, 5])(x).numpy(),
                                      F.upsample(x, [6, 5], None, "bilinear", True).numpy())

    def test_windows_at_random_places(self):
        x = sy.tensor(RNG.normal(size=(1, 2, 6, 6)))
        sy.seed(2)
        want = F.fractional_max_pool2d(x, 2, output_size=3)
        sy.seed(2)
        np.testing.assert_array_equal(nn.FractionalMaxPool2d(2, output_size=3)(x).numpy(),
                                      want.numpy())
        self.assertEqual(nn.FractionalMaxPool3d(2, output_ratio=0.5)(
            sy.ones([1, 1, 4, 4, 4])).shape, (1, 1, 2, 2, 2))
        with self.assertRaisesRegex(ValueError, "FractionalMaxPool2D: output_size or"):
            nn.FractionalMaxPool2d(2)

    def test_datasets_beside_each_other(self):
        rows = data.TensorDataset(np.arange(3), np.arange(3) * 2)
        pair = data.StackDataset(rows, ["a", "b", "c"])
        self.assertEqual((len(pair), pair[1]), (3, ((1, 2), "b")))
        named = data.StackDataset(x=[1.0, 2.0], y=[3, 4])
        self.assertEqual(named[0], {"x": 1.0, "y": 3})
        (batch,) = data.DataLoader(named, batch_size=2)
        self.assertEqual(batch["y"].tolist(), [3, 4])
        with self.assertRaisesRegex(ValueError, "StackDataset: datasets must have one length"):
            data.StackDataset([1], [1, 2])
        with self.assertRaisesRegex(ValueError, "StackDataset: datasets must be given"):
            data.StackDataset()

    def test_datasets_one_after_another(self):
        class Row(data.IterableDataset):
            def __init__(self, begin):
                self.begin = begin

            def __iter__(self):
                return iter(range(self.begin, self.begin + 3))

        both = Row(0) + Row(10)
        self.assertIsInstance(both, data.ChainDataset)
        self.assertEqual(list(both), [0, 1, 2, 10, 11, 12])
        batches = [b.tolist() for b in data.DataLoader(both, batch_size=4)]
        self.assertEqual(batches, [[0, 1, 2, 10], [11, 12]])
        with self.assertRaisesRegex(TypeError, "ChainDataset: datasets must be iterable"):
            data.ChainDataset([3])
        self.assertIsNone(data.get_worker_info())
        info = sy.io.WorkerInfo(1, 4)
        self.assertEqual((info.id, info.num_workers), (1, 4))


if __name__ == "__main__":
    unittest.main()
