# SPDX-License-Identifier: Apache-2.0
"""Windows of public convolutions and poolings: those that do not fit, and
padding by the word "same"."""

import itertools
import unittest

import numpy as np

import switchyard as sy
from switchyard import nn, static

F = nn.functional

POOLS = {
    1: [F.max_pool1d, F.avg_pool1d, lambda x, *a, **k: nn.MaxPool1D(*a, **k)(x),
        lambda x, *a, **k: nn.AvgPool1D(*a, **k)(x)],
    2: [F.max_pool2d, F.avg_pool2d, lambda x, *a, **k: nn.MaxPool2D(*a, **k)(x),
        lambda x, *a, **k: nn.AvgPool2D(*a, **k)(x)],
    3: [F.max_pool3d, F.avg_pool3d, lambda x, *a, **k: nn.MaxPool3D(*a, **k)(x),
        lambda x, *a, **k: nn.AvgPool3D(*a, **k)(x)],
}
CONVS = {1: (F.conv1d, nn.Conv1D), 2: (F.conv2d, nn.Conv2D),
         3: (F.conv3d, nn.Conv3D)}


def convolve(x, w, stride, dilation):
    """The one channel x [*sides] by w, padded to ceil(side / stride) elements,
    the odd element after x; in float64."""
    out = [-(-n // s) for n, s in zip(x.shape, stride)]
    reach = [d * (k - 1) + 1 for k, d in zip(w.shape, dilation)]
    missing = [max((o - 1) * s + r - n, 0)
               for o, s, r, n in zip(out, stride, reach, x.shape)]
    x = np.pad(x, [(m // 2, m - m // 2) for m in missing])
    y = np.zeros(out)
    for at in itertools.product(*map(range, w.shape)):
        part = tuple(slice(a * d, a * d + (o - 1) * s + 1, s)
                     for a, d, o, s in zip(at, dilation, out, stride))
        y += w[at] * x[part]
    return y


class TooLargeTest(unittest.TestCase):
    """The operators round towards zero, as PaddlePaddle's do: (6 - 8) / 8 + 1
    is 1."""

    def refused(self, call, *arguments, **options):
        with self.assertRaisesRegex(ValueError, "kernel_size must be"):
            call(*arguments, **options)

    def test_pools(self):
        for axes, calls in POOLS.items():
            x = sy.ones([1, 1] + [6] * axes)
            for call, stride in itertools.product(calls, (None, 1, 2, 3, 9)):
                self.refused(call, x, 8, stride)
                self.assertEqual(call(x, 8, stride, 1).shape,
                                 (1, 1) + (1,) * axes)
                self.assertEqual(call(x, 6, stride).shape,
                                 (1, 1) + (1,) * axes)

    def test_pools_rounded_up(self):
        """A window may reach beyond by less than a stride then."""
        for axes, calls in POOLS.items():
            x = sy.ones([1, 1] + [6] * axes)
            for call in calls:
                self.assertEqual(call(x, 8, 3, ceil_mode=True).shape,
                                 (1, 1) + (1,) * axes)
                self.refused(call, x, 9, 3, ceil_mode=True)

    def test_programs(self):
        """A program refuses while it runs, where eager code does: windows that
        reach beyond an open extent by less than a stride."""
        for axes, (convolution, layer) in CONVS.items():
            spec = static.InputSpec([None, 1] + [None] * axes)
            w = sy.ones([1, 1] + [8] * axes)
            calls = [lambda x, call=call: call(x, 8, 3) for call in POOLS[axes]]
            calls += [lambda x: getattr(F, f"max_pool{axes}d")(
                x, 8, 3, return_indices=True)[0],
                lambda x: convolution(x, w, stride=3), layer(1, 1, 8, stride=3)]
            for call in calls:
                program = static.trace(call, spec)
                whole, part = (sy.ones([2, 1] + [n] * axes) for n in (11, 6))
                self.assertEqual(program(whole).numpy().tobytes(),
                                 call(whole).numpy().tobytes())
                for refusing in (call, program):
                    with self.assertRaisesRegex(ValueError, "within the padded"):
                        refusing(part)
            up = [lambda x, call=call: call(x, 8, 3, ceil_mode=True)
                  for call in POOLS[axes]]
            for call in up:
                self.assertEqual(static.trace(call, spec)(part).shape, call(part).shape)

    def test_convolutions(self):
        for axes, (function, layer) in CONVS.items():
            x = sy.ones([1, 1] + [6] * axes)
            for stride in (1, 2, 8):
                w = sy.ones([1, 1] + [8] * axes)
                self.refused(function, x, w, stride=stride)
                self.refused(layer(1, 1, 8, stride=stride), x)
                self.refused(function, x, w, stride=stride, padding="valid")
                w = sy.ones([1, 1] + [2] * axes)
                self.refused(function, x, w, stride=stride, dilation=6)
                self.refused(layer(1, 1, 2, stride=stride, dilation=6), x)
                self.assertEqual(
                    function(x, w, stride=stride, dilation=5).shape[2:],
                    (1,) * axes)

    def test_traced(self):
        self.refused(static.trace, lambda x: F.max_pool2d(x, 8),
                     np.ones((1, 1, 6, 6), np.float32))

    def test_operators_keep_paddles_rule(self):
        x = sy.ones([1, 1, 6, 6])
        self.assertEqual(sy.ops.pool2d(x, [8, 8], strides=[8, 8]).shape,
                         (1, 1, 1, 1))
        self.assertEqual(
            sy.ops.conv2d(x, sy.ones([1, 1, 8, 8]), strides=[8, 8]).shape,
            (1, 1, 1, 1))


class SameTest(unittest.TestCase):

    def test_reported(self):
        x = sy.arange(7, dtype="float32").reshape(1, 1, 1, 7)
        w = sy.ones([1, 1, 1, 3])
        want = [2, 4, 6, 9, 12, 8, 10]
        self.assertEqual(
            F.conv2d(x, w, padding="same", dilation=2).tolist()[0][0][0], want)
        self.assertEqual(F.conv2d(x, w, padding=[0, 2],
                                  dilation=[1, 2]).tolist()[0][0][0], want)

    def test_against_loops(self):
        numbers = np.random.default_rng(5)
        for axes, (function, layer) in CONVS.items():
            sides = (7, 6, 5)[:axes]
            x = numbers.normal(size=sides).astype(np.float32)
            for kernel, stride, dilation in itertools.product(
                    (1, 2, 3), (1, 2, 3), (1, 2, 3)):
                w = numbers.normal(size=[kernel] * axes).astype(np.float32)
                want = convolve(x.astype(np.float64), w, [stride] * axes,
                                [dilation] * axes)
                options = {"stride": stride, "dilation": dilation,
                           "padding": "same"}
                with self.subTest(axes=axes, kernel=kernel, **options):
                    given = sy.tensor(x[None, None]), sy.tensor(w[None, None])
                    np.testing.assert_allclose(
                        function(*given, **options).numpy()[0, 0], want,
                        rtol=1e-4, atol=1e-5)
                    made = layer(1, 1, kernel, bias=False, **options)
                    made.load_state_dict({"weight": given[1]})
                    np.testing.assert_allclose(made(given[0]).numpy()[0, 0], want,
                                               rtol=1e-4, atol=1e-5)

    def test_open_extents(self):
        w = sy.tensor(np.random.default_rng(1).normal(
            size=(1, 1, 3, 2)).astype(np.float32))
        x = np.random.default_rng(2).normal(size=(2, 1, 5, 8)).astype(np.float32)

        def same(x, stride=1):
            return F.conv2d(x, w, stride=stride, padding="same",
                            dilation=(2, 3))

        spec = static.InputSpec([None, 1, None, None], "float32")
        np.testing.assert_array_equal(static.trace(same, spec)(x).numpy(),
                                      same(sy.tensor(x)).numpy())
        with self.assertRaisesRegex(ValueError, "conv2d: padding 'same' with"):
            static.trace(lambda x: same(x, 2), spec)

    def test_refused(self):
        x, w = sy.ones([1, 1, 4]), sy.ones([1, 1, 2])
        with self.assertRaisesRegex(ValueError, "conv1d: padding must be 'same'"):
            F.conv1d(x, w, padding="full")
        with self.assertRaisesRegex(ValueError, "takes no dilation"):
            nn.Conv2DTranspose(1, 1, 3, padding="same", dilation=2)


if __name__ == "__main__":
    unittest.main()
