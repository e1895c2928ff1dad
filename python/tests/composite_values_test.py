# SPDX-License-Identifier: Apache-2.0
"""Operators of statistics, losses and arrangements give what NumPy does."""
import unittest

import numpy as np

import switchyard as sy
from switchyard import ops

NAN = float("nan")


def leaf(values, dtype="float32"):
    x = sy.tensor(np.array(values, dtype))
    x.requires_grad = True
    return x


def gradient(result, x):
    ones = sy.tensor(np.ones(result.shape), dtype=result.dtype)
    return sy.grad([result], [x], [ones])[0].numpy()


class SpectralNormTest(unittest.TestCase):

    def test_the_gradient_is_that_of_paddlepaddle(self):
        """Its values are PaddlePaddle 3.3.1's, for columns and for rows."""
        out_grad = sy.tensor(np.array([[1, 0, -1], [2, 0.5, 1]]))
        u, v = np.array([1, 0.5]), np.array([1.0, 0, -1])
        for dim, first, second, expected in (
                (0, u, v, [[0.25002634, 0, -0.24602049],
                           [0.57474368, 0.08617602, 0.29282258]]),
                (1, v, u, [[0.26106815, 0, -0.24764048],
                           [0.54534625, 0.08120596, 0.29714222]])):
            weight = leaf([[1, -2, 0.5], [0.25, 3, -1]], "float64")
            out = ops.spectral_norm(weight, sy.tensor(first), sy.tensor(second),
                                    dim, 2)
            (grad,) = sy.grad([out], [weight], [out_grad])
            np.testing.assert_allclose(grad.numpy(), expected, atol=1e-8)


class ExtremeTest(unittest.TestCase):

    def test_equal_elements_share_the_gradient(self):
        x = leaf([[1, 3, 3], [0, 2, 0]])
        largest = ops.amax(x, axis=[1])
        np.testing.assert_array_equal(largest.numpy(), [3, 2])
        np.testing.assert_array_equal(gradient(largest, x),
                                      [[0, 0.5, 0.5], [0, 1, 0]])
        least = ops.amin(x, axis=[], keepdim=True)
        np.testing.assert_array_equal(least.numpy(), [[0]])
        np.testing.assert_array_equal(gradient(least, x),
                                      [[0, 0, 0], [0.5, 0, 0.5]])

    def test_nan_is_the_extreme(self):
        x = sy.tensor(np.float32([[1, NAN], [2, 3]]))
        np.testing.assert_array_equal(ops.amax(x, axis=[1]).numpy(), [NAN, 3])


class MedianTest(unittest.TestCase):

    def test_agrees_with_numpy(self):
        x = np.random.default_rng(3).permutation(60).reshape(3, 4, 5)
        x = x.astype("float64")
        for axis in ([0], [-1], [0, 2], [1, 2], []):
            for keepdim in (False, True):
                out, medians = ops.median(sy.tensor(x), axis=axis,
                                          keepdim=keepdim)
                expected = np.median(x, tuple(axis) or None, keepdims=keepdim)
                np.testing.assert_array_equal(out.numpy(), expected)
                self.assertEqual(list(medians.shape), [*expected.shape, 2])

    def test_positions(self):
        x = leaf([[3, 1, 2, 4], [3, NAN, NAN, 1]])
        out, medians = ops.median(x, axis=[1])
        np.testing.assert_array_equal(out.numpy(), [2.5, NAN])
        np.testing.assert_array_equal(medians.numpy(), [[2, 0], [1, 1]])
        np.testing.assert_array_equal(gradient(out, x),
                                      [[0.5, 0, 0.5, 0], [0, 1, 0, 0]])
        out, medians = ops.median(x, axis=[1], mode="min")
        np.testing.assert_array_equal(out.numpy(), [2, NAN])
        np.testing.assert_array_equal(medians.numpy(), [2, 1])

    def test_of_nothing(self):
        out, medians = ops.median(sy.tensor(np.zeros((2, 0), "float32")),
                                  axis=[1])
        np.testing.assert_array_equal(out.numpy(), [NAN, NAN])
        np.testing.assert_array_equal(medians.numpy(), [[0, 0], [0, 0]])


class RankTest(unittest.TestCase):

    def test_mode(self):
        out, indices = ops.mode(sy.tensor(np.float32([[2, 1, 2, 1, 3, 3],
                                                      [4, 4, 1, 5, 4, 0]])))
        np.testing.assert_array_equal(out.numpy(), [1, 4])
        np.testing.assert_array_equal(indices.numpy(), [3, 4])
        out, indices = ops.mode(sy.tensor(np.float32([NAN, NAN, 1])))
        np.testing.assert_array_equal(out.numpy(), 1)
        np.testing.assert_array_equal(indices.numpy(), 2)

    def test_kthvalue(self):
        out, indices = ops.kthvalue(sy.tensor(np.float32([2, NAN, 2, 1])), k=3)
        np.testing.assert_array_equal(out.numpy(), 2)
        np.testing.assert_array_equal(indices.numpy(), 2)
        out, _ = ops.kthvalue(sy.tensor(np.float32([2, NAN, 2, 1])), k=4)
        np.testing.assert_array_equal(out.numpy(), NAN)


class MatrixTest(unittest.TestCase):

    def test_slogdet(self):
        x = np.random.default_rng(4).standard_normal((5, 4, 4))
        x[1] = 0
        out = ops.slogdet(sy.tensor(x)).numpy()
        for i, expected in enumerate(np.linalg.slogdet(x)):
            np.testing.assert_allclose(out[i], expected, rtol=1e-12)
        self.assertEqual(set(out[0]), {-1.0, 0.0, 1.0})

    def test_diag_embed(self):
        x = np.arange(1, 7, dtype="float32").reshape(2, 3)
        for offset in (-2, 0, 1):
            for dims in ((0, 1), (2, 0), (-1, -2)):
                out = ops.diag_embed(sy.tensor(x), offset, *dims).numpy()
                np.testing.assert_array_equal(
                    np.diagonal(out, offset, *dims), x)
                self.assertEqual(np.count_nonzero(out), 6)


class LossTest(unittest.TestCase):

    def test_bce_loss(self):
        x = leaf([0, 1, 0.5, 2e-13])
        label = sy.tensor(np.float32([1, 1, 0, 1]))
        loss = ops.bce_loss(x, label)
        np.testing.assert_allclose(
            loss.numpy(), [100, 0, np.log(2), -np.log(2e-13)], rtol=1e-6)
        np.testing.assert_allclose(gradient(loss, x), [-1e12, 0, 2, -1e12],
                                   rtol=1e-6)
        outside = ops.bce_loss(sy.tensor(np.float32([2])),
                               sy.tensor(np.float32([1])))
        self.assertTrue(np.isnan(outside.numpy()).all())


class ArrangementTest(unittest.TestCase):

    def test_masked_fill(self):
        x = leaf([[1, 2], [3, 4]])
        value = leaf([9.0])
        mask = sy.tensor(np.array([True, False]))
        out = ops.masked_fill(x, mask, value)
        np.testing.assert_array_equal(out.numpy(), [[9, 2], [9, 4]])
        np.testing.assert_array_equal(gradient(out, x), [[0, 1], [0, 1]])
        np.testing.assert_array_equal(
            gradient(ops.masked_fill(x, mask, value), value), [2])

    def test_repeat_interleave(self):
        x = leaf(np.arange(6).reshape(2, 3))
        for repeats, axis in ((2, 0), (3, -1), (0, 1)):
            np.testing.assert_array_equal(
                ops.repeat_interleave(x, repeats, axis).numpy(),
                np.repeat(x.numpy(), repeats, axis))
        counts = sy.tensor(np.array([2, 0, 1], "int32"))
        none = ops.repeat_interleave_with_tensor_index(
            x, sy.tensor(np.zeros(2, "int64")), 0)
        self.assertEqual(none.shape, (0, 3))
        out = ops.repeat_interleave_with_tensor_index(x, counts, 1)
        np.testing.assert_array_equal(out.numpy(), [[0, 0, 2], [3, 3, 5]])
        np.testing.assert_array_equal(gradient(out, x),
                                      [[2, 0, 1], [2, 0, 1]])

    def test_refuses_wrong_counts(self):
        x = sy.tensor(np.float32([1, 2]))
        for counts, size, message in (
                ([1, -1], -1, "repeats must be of numbers from 0, got -1"),
                ([2, 1], 7, "output_size must be -1 or the sum of repeats"),
                ([2**62, 2**62], -1, "repeats must be of a sum that fits")):
            with self.assertRaisesRegex((ValueError, MemoryError), message):
                ops.repeat_interleave_with_tensor_index(
                    x, sy.tensor(np.array(counts, "int64")), 0, size)


class SegmentPoolTest(unittest.TestCase):

    def test_no_rows_have_no_segments(self):
        for kind in ("SUM", "MEAN", "MAX", "MIN"):
            x = leaf(np.zeros((0, 3)))
            out = ops.segment_pool(x, sy.tensor(np.zeros(0, np.int64)), kind)
            self.assertEqual(out.shape, (0, 3))
            self.assertEqual(gradient(out, x).shape, (0, 3))


class NextafterTest(unittest.TestCase):

    def test_agrees_with_numpy(self):
        ends = [0.0, -0.0, 1.0, -2.5, 1e-45, -3e38, float("inf"), NAN]
        for dtype in ("float32", "float64"):
            x = np.array(ends, dtype)[:, None]
            out = ops.nextafter(sy.tensor(x), sy.tensor(x.T)).numpy()
            expected = np.nextafter(x, x.T)
            np.testing.assert_array_equal(out, expected)
            np.testing.assert_array_equal(np.signbit(out[:-1, :-1]),
                                          np.signbit(expected[:-1, :-1]))


if __name__ == "__main__":
    unittest.main()
