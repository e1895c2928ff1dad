# SPDX-License-Identifier: Apache-2.0
"""Calls of PyTorch's own samples that were refused here, or had another value."""

import unittest

import numpy as np

import switchyard as sy
from switchyard.nn import functional as F

X = np.array([[1.0, -2.0, 3.0], [0.5, 4.0, -1.0]], np.float32)
C = (X + 1j * X[::-1]).astype(np.complex64)


def leaf(array):
    return sy.tensor(np.asarray(array), requires_grad=True)


class FormsTest(unittest.TestCase):

    def check(self, result, expected, dtype=None):
        expected = np.asarray(expected)
        self.assertEqual(result.dtype, dtype or expected.dtype.name)
        self.assertEqual(tuple(result.shape), expected.shape)
        np.testing.assert_allclose(result.numpy(), expected, rtol=2e-6, atol=1e-6)

    def test_max_and_min_of_two_tensors(self):
        x, y = sy.tensor(X), sy.tensor(X[::-1].copy())
        self.check(sy.max(x, y), np.maximum(X, X[::-1]))
        self.check(x.min(y), np.minimum(X, X[::-1]))
        self.check(sy.max(x, other=y), np.maximum(X, X[::-1]))
        i = np.array([5, 0])
        self.check(sy.max(sy.tensor(i), sy.tensor([1, 1])), np.maximum(i, 1))
        # A tensor that has the axis goes by its name.
        self.check(sy.max(x, axis=sy.tensor([1])), X.max(1))
        self.check(sy.max(x, 1), X.max(1))
        self.check(sy.min(x, 0, True), X.min(0, keepdims=True))
        traced = sy.static.trace(lambda a, b: sy.max(a, b), x, y)
        self.check(traced(x, y), np.maximum(X, X[::-1]))

    def test_formats_of_memory_change_nothing(self):
        x = sy.ones(2, 3, 2, 2)
        self.assertEqual(x.to(memory_format="channels_last").shape, (2, 3, 2, 2))
        self.assertEqual(x.to("float64", memory_format="channels_last").dtype,
                         "float64")
        self.assertEqual(x.half(memory_format="preserve_format").dtype, "float16")
        self.assertEqual(x.contiguous(memory_format="contiguous_format").shape,
                         x.shape)
        self.assertEqual(x.clone(memory_format="channels_last").shape, x.shape)
        with self.assertRaisesRegex(ValueError, "memory_format must be None or one"):
            x.to(memory_format="rows")

    def test_var_and_std_as_pytorch_spells_them(self):
        x = sy.tensor(X)
        self.check(sy.var(x, True), np.var(X, ddof=1), "float32")
        self.check(x.std(False), np.std(X), "float32")
        self.check(sy.std(x, correction=None), np.std(X, ddof=1), "float32")
        self.check(sy.var(x, dim=1, correction=None), np.var(X, 1, ddof=1))

    def test_norms(self):
        x = leaf(X)
        count = sy.norm(x, 0)
        self.assertEqual(count.item(), 6.0)
        self.check(sy.grad([count], [x])[0], np.zeros_like(X))
        self.check(sy.norm(sy.tensor(X), "nuc"), np.linalg.norm(X, "nuc"), "float32")

    def test_logarithms_of_sums_of_complex_numbers(self):
        c = sy.tensor(C)
        exact = np.log(np.exp(C.astype(complex)).sum(1))
        self.check(sy.logsumexp(c, dim=1), exact, "complex64")
        far = sy.logsumexp(sy.tensor(C * 400), dim=(0, 1))
        self.assertTrue(np.isfinite(far.numpy()))
        self.check(sy.logaddexp(c, sy.tensor(C[::-1].copy())),
                   np.log(np.exp(C) + np.exp(C[::-1])), "complex64")
        running = np.log(np.cumsum(np.exp(C.astype(complex)), 1))
        found = sy.logcumsumexp(c, dim=1)
        np.testing.assert_allclose(np.exp(found.numpy()), np.exp(running), rtol=1e-5)
        # One that is far below what follows keeps its digits.
        steep = sy.logcumsumexp(sy.tensor(np.array([-200 + 1j, 300], np.complex64)), 0)
        self.check(steep, [-200 + 1j, 300], "complex64")

    def test_indices_without_elements_have_a_gradient(self):
        x = leaf(X[0])
        taken = sy.gather(x, 0, sy.tensor(np.zeros((0,), np.uint8)))
        self.check(sy.grad([taken.sum()], [x])[0], np.zeros(3, np.float32))

    def test_results_that_depend_on_nothing_have_a_gradient(self):
        x = leaf(X[:, :2])
        power = sy.linalg.matrix_power(x, 0)
        self.check(power, np.eye(2, dtype=np.float32))
        self.check(sy.grad(power.sum(), [x])[0], np.zeros((2, 2), np.float32))
        product = sy.linalg.householder_product(leaf(X.T), sy.zeros([0]))
        self.check(product, np.eye(3, 2, dtype=np.float32))
        self.assertTrue(product.requires_grad)

    def test_gradients_of_large_running_sums(self):
        """Float32 holds log sums near 10,000 to 1e-3: shares of the rounded ones
        would be 5e-4 off."""
        a = np.array([1e4, 1e4, 9999.5, 1e4, 10001.0], np.float32)
        g = np.array([-0.25, -2.0, 0.125, -1.75, -0.5], np.float32)
        for reverse in (False, True):
            order = slice(None, None, -1 if reverse else 1)
            shares = np.exp(a[order].astype(np.float64) - 1e4)
            want = (shares * np.cumsum((g[order] / np.cumsum(shares))[::-1])[::-1])[order]
            x = leaf(a)
            y = sy.ops.logcumsumexp(x, axis=0, reverse=reverse)
            self.check(sy.grad([y], [x], [sy.tensor(g)])[0], want, "float32")

    def test_margins_between_integers(self):
        x, y = np.array([3, 1, 2]), np.array([1, 1, 5])
        label = np.array([-1, 1, 1])
        found = F.margin_ranking_loss(*map(sy.tensor, (x, y, label)), reduction="none")
        self.check(found, np.array([2, 0, 3], np.float32))

    def test_what_is_filled_twice_counts_once(self):
        x, value = leaf(X), leaf(np.float32(7))
        filled = sy.index_fill(x, 1, sy.tensor([2, 0, 2]), value)
        self.check(filled, [[7, -2, 7], [7, 4, 7]], "float32")
        of_x, of_value = sy.grad([(filled * sy.tensor(X)).sum()], [x, value])
        self.check(of_x, [[0, -2, 0], [0, 4, 0]], "float32")
        self.check(of_value, X[:, [0, 2]].sum(), "float32")

    def test_means_of_integers_are_rounded_down(self):
        x = sy.tensor([[-3, 5], [0, -8]])
        found = sy.scatter_reduce(x, 0, sy.tensor([[0, 1]]), sy.tensor([[-4, 1]]),
                                  "mean")
        self.assertEqual(found.tolist(), [[-4, 5], [0, -4]])
        found = sy.index_reduce(x, 1, sy.tensor([0, 0]), sy.tensor([[0, -4], [1, 2]]),
                                "mean")
        self.assertEqual(found.tolist(), [[-3, 5], [1, -8]])

    def test_scalars(self):
        x = sy.tensor(3.0)
        self.check(sy.transpose(x, 0, -1), np.float32(3))
        self.check(x.unfold(0, 1, 1), np.array([3], np.float32))
        c = sy.scatter(sy.tensor(np.complex64(1j)), 0, sy.tensor(0), value=2.5)
        self.check(c, np.complex64(2.5))
        with self.assertRaisesRegex(IndexError, "swapaxes|axis"):
            sy.transpose(x, 0, 1)

    def test_bools_and_integers(self):
        b = np.array([True, False, True])
        self.check(sy.tensor(b).sum_to_size(1), np.array([2]))
        self.check(sy.kron(sy.tensor(b), sy.tensor(b)), np.kron(b, b), "bool")
        i = np.array([-2, 0, 9])
        self.check(F.relu(sy.tensor(i)), np.maximum(i, 0))
        self.check(F.relu6(sy.tensor(i)), np.clip(i, 0, 6))
        self.check(F.softsign(sy.tensor(i)), (i / (1 + abs(i))).astype(np.float32))
        self.check(F.softsign(sy.tensor(C)), C / (1 + abs(C)))
        self.check(F.hardshrink(sy.tensor(X), lambd=1.5), X * (abs(X) > 1.5))
        self.check(F.softshrink(sy.tensor(X), lambd=1.5),
                   np.sign(X) * np.maximum(abs(X) - 1.5, 0))

    def test_means_of_windows_of_integers(self):
        x = np.array([[[-7, 0, 3, 9]]])
        t = sy.tensor(x)
        self.check(F.avg_pool1d(t, 2), np.array([[[-3, 6]]]))
        self.check(F.avg_pool1d(t, 2, padding=1, count_include_pad=True),
                   np.array([[[-3, 1, 4]]]))
        self.check(F.avg_pool1d(t, 2, padding=1), np.array([[[-7, 1, 9]]]))
        self.check(F.avg_pool2d(sy.tensor(x[None]), (1, 3), divisor_override=2),
                   np.array([[[[-2]]]]))
        self.check(F.avg_pool1d(t, 3, 2, ceil_mode=True, count_include_pad=True),
                   np.array([[[-1, 6]]]))

    def test_edges_that_are_taken_away_and_repeated(self):
        x = sy.tensor(X)
        self.check(F.pad(x[None], (-3, 5), "replicate"), np.repeat(
            X[None, :, 2:], 5, 2))
        self.check(F.pad(x[None], (2, -3), "replicate"), np.repeat(
            X[None, :, :1], 2, 2))
        self.check(F.pad(x[None], (-1, 1), "replicate"), X[None][:, :, [1, 2, 2]])

    def test_random_complex_numbers(self):
        sy.seed(3)
        x = sy.randn(4000, dtype="complex64").numpy()
        self.assertEqual(x.dtype, np.complex64)
        self.assertAlmostEqual(float((abs(x)**2).mean()), 1.0, 1)
        u = sy.rand_like(sy.tensor(x)).numpy()
        for part in (u.real, u.imag):
            self.assertTrue((part >= 0).all() and (part < 1).all())
        self.check(sy.linspace(-1, 3j, 5, dtype="complex128"), np.linspace(-1, 3j, 5))
        self.assertEqual(sy.normal(0.0, 1.0, (2, 2), dtype="float64").dtype, "float64")


class RefusedTest(unittest.TestCase):

    def test_counts_of_repeats(self):
        x = sy.tensor([1, 2, 3])
        self.assertEqual(sy.repeat(x, [2]).tolist(), [1, 1, 2, 2, 3, 3])
        for wrong in ([1, 2], [[1, 2, 3]]):
            with self.assertRaisesRegex(ValueError, "repeat: repeats must be a number, or "
                                        "one for each of 3 places"):
                sy.repeat(x, wrong)

    def test_channels_that_there_are_not(self):
        none = sy.zeros([0])
        with self.assertRaisesRegex(ValueError, "batch_norm: x must have 2 axes or more"):
            F.batch_norm(none, none, none, training=True)

    def test_weights_of_draws(self):
        for weights in ([1.0, -1.0], [1.0, np.inf], [1.0, np.nan], [0.0, 0.0],
                        [[1.0, 1.0], [0.0, 0.0]]):
            for again in (False, True):
                with self.assertRaisesRegex(ValueError, "multinomial: x must be fin"):
                    sy.multinomial(sy.tensor(weights), 1, again)
        w = sy.tensor([1.0, 2.0])
        for call, words in (
                (lambda: sy.multinomial(w, 0), "num_samples must be from 1"),
                (lambda: sy.multinomial(w, 3), "num_samples must be at most the 2"),
                (lambda: sy.multinomial(w[None, None], 1), "1 or 2 axes")):
            with self.assertRaisesRegex(ValueError, words):
                call()

    def test_a_start_beyond_the_extent(self):
        x = sy.tensor(X)
        for start in (-4, 4):
            with self.assertRaisesRegex(IndexError, "narrow: start must be in"):
                sy.narrow(x, 1, start, 0)
        self.assertEqual(sy.narrow(x, 1, 3, 0).shape, (2, 0))


if __name__ == "__main__":
    unittest.main()
