# SPDX-License-Identifier: Apache-2.0
"""Normalisations of imported programs of rows whose squares leave the range, beside
rows that stay and those in float64: each row is right, whatever is beside it."""

import unittest

import numpy as np
from onnx_checks import OnnxCase

import switchyard as sy

RNG = np.random.default_rng(11)
BASE = RNG.normal(size=(2, 5, 6))
SCALES = {np.float32: (2.0**124, 2.0**90, 1.0, 2.0**-90, 2.0**-140),
          np.float64: (2.0**1019, 2.0**700, 1.0, 2.0**-700, 2.0**-1040),
          np.float16: (1.0, 2.0**12, 2.0**-12, 2.0**13, 2.0**-20)}
TOLERANCE = {np.float32: 2e-6, np.float64: 1e-14, np.float16: 2e-3}
GAIN = RNG.uniform(0.5, 2.0, 6)
AXES = (1, 2)


def rows_of(dtype):
    """BASE with a scale for each row of the last axis; in long double."""
    scales = np.array(SCALES[dtype])[:, None]
    x = (BASE * scales).astype(dtype)
    return x, x.astype(np.longdouble)


def root_mean_square(x, axis, epsilon):
    return np.sqrt((x * x).mean(axis, keepdims=True) + epsilon)


def normed(x, axis, epsilon):
    off = x - x.mean(axis, keepdims=True)
    return off / root_mean_square(off, axis, epsilon)


class OnnxRangesTest(OnnxCase):

    def check(self, got, right, dtype, scale=1.0):
        self.assertEqual(got.dtype, dtype)
        right = np.asarray(right)
        np.testing.assert_allclose(
            got.astype(np.longdouble), right, 4 * TOLERANCE[dtype] * scale,
            float(TOLERANCE[dtype] * scale * np.abs(right).max()
                  + np.finfo(dtype).smallest_subnormal))

    def test_root_mean_squares(self):
        for dtype in SCALES:
            x, exact = rows_of(dtype)
            gain = GAIN.astype(dtype)
            for epsilon in (0.0, 1e-5):
                right = exact / root_mean_square(exact, -1, np.longdouble(
                    np.float32(epsilon))) * gain
                for kind, opset in (("RMSNormalization", 23),
                                    ("SimplifiedLayerNormalization", 17)):
                    with self.subTest(kind=kind, dtype=dtype, epsilon=epsilon):
                        got = self.one(kind, x, gain, opset=opset, epsilon=epsilon)
                        self.check(got, right, dtype)

    def test_rows_keep_their_bits_beside_others(self):
        x, _ = rows_of(np.float32)
        gain = GAIN.astype(np.float32)
        for kind, opset, inputs, options in (
                ("RMSNormalization", 23, (gain,), {"epsilon": 0.0}),
                ("LpNormalization", 17, (), {}),
                ("LayerNormalization", 17, (gain,), {"epsilon": 0.0})):
            got = self.one(kind, x, *inputs, opset=opset, **options)
            for row in range(5):
                alone = self.one(kind, x[:, row:row + 1].copy(), *inputs, opset=opset,
                                 **options)
                np.testing.assert_array_equal(got[:, row:row + 1], alone)

    def test_lengths(self):
        for dtype in SCALES:
            x, exact = rows_of(dtype)
            for p, size in ((1, np.abs(exact).sum(-1, keepdims=True)),
                            (2, np.sqrt((exact * exact).sum(-1, keepdims=True)))):
                with self.subTest(dtype=dtype, p=p):
                    got = self.one("LpNormalization", x, p=p)
                    self.check(got, exact / size, dtype)
        zeros = np.zeros((2, 3), np.float32)
        np.testing.assert_array_equal(self.one("LpNormalization", zeros), zeros)
        most = np.full((1, 6), 3e38, np.float32)
        np.testing.assert_allclose(self.one("LpNormalization", most, p=1), most / most / 6,
                                   1e-6)

    def test_layers(self):
        """With and without a bias, over all axes, and with the statistics."""
        for dtype in SCALES:
            x, exact = rows_of(dtype)
            gain = GAIN.astype(dtype)
            narrow = np.array([0.25], dtype)
            right = normed(exact, -1, 0)
            with self.subTest(dtype=dtype):
                for inputs, factor, shift in (((gain,), gain, 0), ((gain, gain), gain, gain),
                                              ((narrow.reshape(()),), 0.25, 0)):
                    got = self.one("LayerNormalization", x, *inputs, epsilon=0.0)
                    self.check(got, right * factor + shift, dtype)
                got, mean, inverse = self.one("LayerNormalization", x, gain, outputs=3,
                                              epsilon=0.0)
                self.check(got, right * gain, dtype)
                # They are kept in float32, beyond which those of some doubles are.
                ends = np.finfo(np.float32)
                off = exact - exact.mean(-1, keepdims=True)
                for row in range(5):
                    right_mean = exact.mean(-1, keepdims=True)[:, row]
                    if ends.smallest_normal < np.abs(right_mean).min() and (
                            np.abs(right_mean).max() < ends.max):
                        self.check(mean[:, row], right_mean, np.float32)
                    right_inverse = 1 / root_mean_square(off, -1, 0)[:, row]
                    if ends.smallest_normal < right_inverse.min() and (
                            right_inverse.max() < ends.max):
                        self.check(inverse[:, row], right_inverse, np.float32)
        whole = BASE.astype(np.float32) * np.float32(2.0**100)
        got = self.one("LayerNormalization", whole, np.ones(whole.shape, np.float32), axis=0,
                       epsilon=0.0)
        self.check(got, normed(whole.astype(np.float64), None, 0), np.float32)

    def test_means_and_variances(self):
        for dtype in SCALES:
            for scale in SCALES[dtype]:
                x = (BASE * scale).astype(dtype)
                exact = x.astype(np.longdouble)
                off = exact - exact.mean(AXES, keepdims=True)
                right = off / (root_mean_square(off, AXES, 0) + np.longdouble(
                    1e-9 if dtype == np.float64 else np.float32(1e-9)))
                with self.subTest(dtype=dtype, scale=scale):
                    got = self.one("MeanVarianceNormalization", x, axes=list(AXES))
                    self.check(got, right, dtype)
        # Variances without a difference of squares, which would cancel.
        far = (1000 + BASE).astype(np.float32)
        right = normed(far.astype(np.float64), AXES, 0)
        got = self.one("MeanVarianceNormalization", far, axes=list(AXES))
        np.testing.assert_allclose(got, right, 1e-3, 1e-3)


class LegacyRangesTest(unittest.TestCase):
    """PaddlePaddle's operators."""

    def test_norm(self):
        for dtype in (np.float32, np.float64):
            x, exact = rows_of(dtype)
            size = np.sqrt((exact * exact).sum(-1, keepdims=True))
            leaf = sy.tensor(x, requires_grad=True)
            found = sy.legacy.run("norm", {"X": leaf}, {"axis": -1, "epsilon": 0.0})
            np.testing.assert_allclose(found["Out"].numpy().astype(np.longdouble),
                                       exact / size, 8 * TOLERANCE[dtype])
            weight = RNG.normal(size=x.shape).astype(dtype)
            (grad,) = sy.grad(sy.sum(found["Out"] * sy.tensor(weight)), [leaf])
            unit = exact / size
            right = (weight - unit * (unit * weight).sum(-1, keepdims=True)) / size
            fits = np.abs(right) < np.finfo(dtype).max
            np.testing.assert_allclose(
                np.where(fits, grad.numpy().astype(np.longdouble), 0) * size,
                np.where(fits, right, 0) * size, 1e-4 if dtype == np.float32 else 1e-11,
                1e-5 if dtype == np.float32 else 1e-12)

    def test_fused_rms_norm_quant(self):
        for dtype in (np.float32, np.float64):
            x, exact = rows_of(dtype)
            gain = GAIN.astype(dtype)
            got = sy.ops.fused_rms_norm_quant(
                sy.tensor(x), None, None, sy.tensor(gain), None, 0.0, 2)
            right = exact / root_mean_square(exact, -1, 0) * gain
            np.testing.assert_allclose(got[0].numpy().astype(np.longdouble), right,
                                       8 * TOLERANCE[dtype])


if __name__ == "__main__":
    unittest.main()
