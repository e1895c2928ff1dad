# SPDX-License-Identifier: Apache-2.0
"""Pseudo-inverses of equal and vanishing singular values, and determinants of
complex matrices: values by NumPy, gradients by differences."""

import unittest

import numpy as np

import switchyard as sy
from switchyard import static

STEP = 1e-6


def numbers(shape, is_complex, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=shape)
    return x + 1j * rng.normal(size=shape) if is_complex else x


def product(a, b):
    """The real product of arrays as vectors of their parts."""
    return np.sum((np.conj(a) * b).real)


def differences(function, x):
    """The gradient of a real function, PyTorch's of complex numbers."""
    found = np.zeros_like(x)
    for index in np.ndindex(x.shape):
        for part in (1, 1j) if np.iscomplexobj(x) else (1,):
            move = np.zeros_like(x)
            move[index] = part * STEP
            found[index] += part * (function(x + move) - function(x - move)) / 2 / STEP
    return found


class PinvTest(unittest.TestCase):

    def test_equal_values(self):
        """It was -I, since differences of equal values counted as 0."""
        for dtype in ("float32", "float64", "complex128"):
            for n in (1, 3):
                x = sy.ops.cast(sy.eye(n), dtype).detach()
                x.requires_grad = True
                sy.real(sy.linalg.pinv(x)).sum().backward()
                np.testing.assert_allclose(x.grad.numpy(), -np.ones((n, n)), 1e-6)

    def test_gradients(self):
        for is_complex in (False, True):
            for shape in ((3, 3), (4, 2), (2, 5), (2, 3, 3)):
                a = numbers(shape, is_complex)
                weights = numbers((*shape[:-2], shape[-1], shape[-2]), is_complex, 1)
                x = sy.tensor(a, requires_grad=True)
                y = sy.linalg.pinv(x)
                y.backward(sy.tensor(weights))
                np.testing.assert_allclose(y.numpy(), np.linalg.pinv(a), 1e-10, 1e-12)
                right = differences(lambda a, w=weights: product(w, np.linalg.pinv(a)), a)
                np.testing.assert_allclose(x.grad.numpy(), right, 1e-6, 1e-7)

    def test_values_of_zero(self):
        """Along matrices of the same rank, the only ones where there is a slope."""
        rng = np.random.default_rng(2)
        a = rng.normal(size=(4, 2)) @ rng.normal(size=(2, 3))
        move = a @ rng.normal(size=(3, 3)) + rng.normal(size=(4, 4)) @ a
        weights = rng.normal(size=(3, 4))
        x = sy.tensor(a, requires_grad=True)
        sy.linalg.pinv(x).backward(sy.tensor(weights))
        ends = [product(weights, np.linalg.pinv(a + s * STEP * move, rcond=1e-8))
                for s in (1, -1)]
        self.assertAlmostEqual(product(x.grad.numpy(), move),
                               (ends[0] - ends[1]) / 2 / STEP, 5)

    def test_second_gradients_and_programs(self):
        def slope(a):
            x = sy.tensor(a, requires_grad=True)
            grad, = sy.grad(sy.linalg.pinv(x).sum(), [x], create_graph=True)
            return x, (grad * grad).sum()
        a = numbers((3, 2), False)
        x, total = slope(a)
        total.backward()
        right = differences(lambda a: slope(a)[1].item(), a)
        np.testing.assert_allclose(x.grad.numpy(), right, 1e-6)
        a = numbers((4, 3, 2), False)
        program = static.trace(sy.linalg.pinv, a)
        np.testing.assert_allclose(program(a).numpy(), np.linalg.pinv(a), 1e-10, 1e-12)

    def test_hermitian_reads_one_triangle(self):
        """And of a complex diagonal the real parts."""
        a = numbers((3, 3), True)
        right = np.tril(a, -1)
        right = right + right.conj().T + np.diag(a.diagonal().real)
        a[0, 2] = np.nan
        got = sy.linalg.pinv(sy.tensor(a), hermitian=True).numpy()
        np.testing.assert_allclose(got, np.linalg.pinv(right), 1e-10, 1e-12)


class ComplexDeterminantTest(unittest.TestCase):

    def test_values(self):
        for dtype, tolerance in (("complex64", 1e-4), ("complex128", 1e-11)):
            for shape in ((1, 1), (3, 3), (2, 6, 6)):
                a = numbers(shape, True).astype(dtype)
                sign, size = sy.linalg.slogdet(sy.tensor(a))
                right = np.linalg.slogdet(a.astype(np.complex128))
                np.testing.assert_allclose(sign.numpy(), right[0], tolerance)
                np.testing.assert_allclose(size.numpy(), right[1], tolerance, tolerance)
                np.testing.assert_allclose(sy.linalg.det(sy.tensor(a)).numpy(),
                                           right[0] * np.exp(right[1]), 10 * tolerance)

    def test_edges(self):
        a = np.zeros((2, 2), np.complex64)
        sign, size = sy.linalg.slogdet(sy.tensor(a))
        self.assertEqual((sign.item(), size.item()), (0, -np.inf))
        a = np.array([[0, 2j], [3, 0]])  # It needs rows to change places.
        sign, size = sy.linalg.slogdet(sy.tensor(a))
        self.assertEqual(sign.item(), -1j)
        self.assertAlmostEqual(size.item(), np.log(6))
        far = (np.eye(40) * 1e20 * (1 + 1j)).astype(np.complex64)
        _, size = sy.linalg.slogdet(sy.tensor(far))
        self.assertAlmostEqual(size.item() / np.linalg.slogdet(far)[1], 1, 6)
        sign, size = sy.linalg.slogdet(sy.tensor(np.zeros((0, 0), np.complex64)))
        self.assertEqual((sign.item(), size.item()), (1, 0))
        with self.assertRaisesRegex(ValueError, "slogdet: x must be a stack of square"):
            sy.linalg.slogdet(sy.tensor(np.zeros((2, 3), np.complex64)))

    def test_gradients(self):
        turn, by = numbers((2,), True, 3), numbers((2,), False, 4)

        def right(a):
            sign, size = np.linalg.slogdet(a)
            return product(turn, sign) + product(by, size)
        for n in (1, 2, 4):
            a = numbers((2, n, n), True)
            x = sy.tensor(a, requires_grad=True)
            sign, size = sy.linalg.slogdet(x)
            (sy.real(sign * sy.conj(sy.tensor(turn))).sum() +
             (size * sy.tensor(by)).sum()).backward()
            np.testing.assert_allclose(x.grad.numpy(), differences(right, a), 1e-6, 1e-7)


if __name__ == "__main__":
    unittest.main()
