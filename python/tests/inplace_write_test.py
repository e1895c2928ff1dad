# SPDX-License-Identifier: Apache-2.0
"""x[...] = value where gradients are recorded, which are those of PyTorch."""

import unittest

import numpy as np

import switchyard as sy

X = np.array([[1.0, -2.0, 3.0], [-4.0, 5.0, 6.0]])
SUBSCRIPTS = (0, (0, 1), slice(None), (slice(None), 1), (Ellipsis, slice(0, 2)),
              (slice(None), slice(None, None, 2)), (slice(None, None, -1), 0),
              np.array([1, 0]), (np.array([0, 1]), np.array([2, 2])), X > 0)


class InplaceWriteTest(unittest.TestCase):

    def test_gradients(self):
        """The value gets the gradients of its places, what was there none."""
        for subscript in SUBSCRIPTS:
            with self.subTest(subscript):
                w = sy.tensor(X, requires_grad=True)
                shape = np.shape(X[subscript])
                v = sy.tensor(np.arange(1.0, 1 + np.prod(shape)).reshape(shape),
                              requires_grad=True)
                b = w * 2.0
                b[subscript] = v
                want = X * 2
                want[subscript] = v.numpy()
                np.testing.assert_array_equal(b.numpy(), want)
                (b * b).sum().backward()
                kept = np.ones_like(X)
                kept[subscript] = 0
                np.testing.assert_allclose(w.grad.numpy(), kept * 8 * X)
                np.testing.assert_allclose(v.grad.numpy(), 2 * v.numpy())

    def test_numbers_and_broadcasts(self):
        w = sy.tensor(X, requires_grad=True)
        b = w * 1.0
        b[0] = 1
        b.sum().backward()
        np.testing.assert_array_equal(w.grad.numpy(), [[0, 0, 0], [1, 1, 1]])
        v = sy.tensor([2.0, 3.0, 4.0], dtype="float64", requires_grad=True)
        b = sy.zeros([2, 3], "float64")
        b[:] = v
        self.assertTrue(b.requires_grad)
        (b * sy.tensor(X)).sum().backward()
        np.testing.assert_array_equal(v.grad.numpy(), X.sum(0))
        b = w * 1.0
        with self.assertRaises(ValueError):
            b[0] = sy.ones([4], "float64")

    def test_a_quotient_is_free_to_be_written(self):
        """The gradient of x / y reads x and y, as PyTorch's does."""
        w = sy.tensor(X, requires_grad=True)
        v = sy.tensor([2.0, 4.0, -8.0], dtype="float64", requires_grad=True)
        quotient = w / v
        quotient[0] = 5.0
        quotient *= 3.0
        quotient.sum().backward()
        slope = 3.0 / v.numpy()
        np.testing.assert_allclose(w.grad.numpy(), [[0, 0, 0], slope])
        np.testing.assert_allclose(v.grad.numpy(), -slope * X[1] / v.numpy())
        dividend = w * 1.0
        quotient = dividend / v
        dividend[0] = 5.0
        with self.assertRaisesRegex(RuntimeError, "divide: x must be at version"):
            quotient.sum().backward()
        dividend = w * 1.0
        dividend /= v
        w.grad = v.grad = None
        dividend.sum().backward()
        np.testing.assert_allclose(w.grad.numpy(), [1.0 / v.numpy()] * 2)
        np.testing.assert_allclose(v.grad.numpy(), -X.sum(0) / v.numpy() ** 2)

    def test_factors_that_no_gradient_needs(self):
        """As in PyTorch: w * c saves w for the gradient of c alone."""
        constant = sy.tensor([2.0, 4.0, -8.0], dtype="float64")
        for call, slope in ((lambda x: x * 3.0, 3.0),
                            (lambda x: x * constant, constant.numpy()),
                            (lambda x: constant * x, constant.numpy()),
                            (lambda x: x / constant, 1 / constant.numpy())):
            w = sy.tensor(X, requires_grad=True)
            factor = w * 1.0
            product = call(factor)
            factor[0] = 5.0
            product.sum().backward()
            np.testing.assert_array_equal(w.grad.numpy(),
                                          np.broadcast_to(slope, X.shape))
        v = sy.tensor([2.0, 4.0, -8.0], dtype="float64", requires_grad=True)
        factor = w * 1.0
        product = factor * v
        factor[0] = 5.0
        with self.assertRaisesRegex(RuntimeError, "multiply: x must be at version"):
            product.sum().backward()
        factor = w * 1.0
        factor *= v
        factor *= 2.0
        v.grad = None
        factor.sum().backward()
        np.testing.assert_array_equal(v.grad.numpy(), 2 * X.sum(0))

    def test_gradients_of_gradients_read_what_they_need(self):
        w = sy.tensor(X, requires_grad=True)
        constant = sy.tensor([2.0, 4.0, -8.0], dtype="float64")
        (grad,) = sy.grad((w * constant / 2.0 * w).sum(), [w], create_graph=True)
        (grad * grad).sum().backward()
        np.testing.assert_array_equal(w.grad.numpy(), 2 * constant.numpy()**2 * X)

    def test_again_and_again(self):
        w = sy.tensor(X, requires_grad=True)
        b = w * 3.0
        b[0, 0] = b[1, 1] + b[1, 1]
        b[1, 1] = b[0, 0] + b[0, 0]
        b.sum().backward()
        # d/dw11 of 6 w11 + 12 w11; the rest as it was.
        np.testing.assert_array_equal(w.grad.numpy(), [[0, 3, 3], [3, 18, 3]])

    def test_versions(self):
        w = sy.tensor(X, requires_grad=True)
        b = w * 1.0
        c = sy.exp(b)
        d = b * b
        b[0] = 1.0
        with self.assertRaisesRegex(RuntimeError, "in place|version|written"):
            d.sum().backward()
        c.sum().backward()  # exp keeps its result, which is as it was.
        np.testing.assert_allclose(w.grad.numpy(), np.exp(X))

    def test_memory_is_shared(self):
        w = sy.tensor(X, requires_grad=True)
        b = w * 1.0
        apart = b.detach()
        b[0] = 7.0
        np.testing.assert_array_equal(apart.numpy()[0], [7, 7, 7])

    def test_refusals(self):
        w = sy.tensor(X, requires_grad=True)
        with self.assertRaisesRegex(RuntimeError, r"under no_grad\(\) only, got a "
                                    "leaf that requires grad"):
            w[0] = 1.0
        with sy.no_grad():
            w[0] = 1.0
        np.testing.assert_array_equal(w.numpy()[0], [1, 1, 1])


if __name__ == "__main__":
    unittest.main()
