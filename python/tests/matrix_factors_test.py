# SPDX-License-Identifier: Apache-2.0
"""Factors of complex matrices and of matrices of any shape, eigenvalues, least
squares: against NumPy, and gradients against differences in both parts."""

import unittest

import numpy as np

import switchyard as sy
from switchyard import linalg, static

RANDOM = np.random.default_rng(3)
SHAPES = ((3, 3), (4, 2), (2, 4), (2, 3, 3))


def numbers(*shape, dtype="complex128"):
    x = RANDOM.normal(size=shape)
    return x + 1j * RANDOM.normal(size=shape) if dtype.startswith("complex") else x


def positive(x):
    return x @ np.conj(np.swapaxes(x, -1, -2)) + 3 * np.eye(x.shape[-2])


def real_of(results, weights):
    """A number that depends on all results: their product with weights."""
    total = 0
    for y, w in zip(results, weights):
        total = total + float(np.sum(np.real(np.conj(w) * y)))
    return total


def differences(function, x, weights):
    """d/da + i d/db of real_of(function(x)) for elements a + bi."""
    found, step = np.zeros_like(x), 1e-6
    for at in np.ndindex(x.shape):
        for unit in (1, 1j) if np.iscomplexobj(x) else (1,):
            moved = []
            for sign in (1, -1):
                y = x.copy()
                y[at] += sign * step * unit
                moved.append(real_of(function(y), weights))
            found[at] += unit * (moved[0] - moved[1]) / (2 * step)
    return found


def _powers(values, by):
    """Sums that do not depend on the order of eigenvalues."""
    return by.stack([(values * values).sum(-1), (values * values * values).sum(-1)], -1)


class FactorsTest(unittest.TestCase):

    def check(self, function, x, right):
        """function's tensors against NumPy's arrays, and the gradient."""
        found = function(sy.tensor(x, requires_grad=True))
        wanted = right(x)
        for got, want in zip(found, wanted):
            np.testing.assert_allclose(got.numpy(), want, 1e-9, 1e-9)
        weights = [numbers(*want.shape, dtype=str(want.dtype)) for want in wanted]
        leaf = sy.tensor(x, requires_grad=True)
        results = function(leaf)
        (grad,) = sy.grad(list(results), [leaf], [sy.tensor(w) for w in weights])
        np.testing.assert_allclose(grad.numpy(), differences(right, x, weights), 2e-5,
                                   2e-5)

    def test_qr(self):
        for shape in SHAPES:
            self.check(lambda x: tuple(linalg.qr(x)), numbers(*shape),
                       lambda x: np.linalg.qr(x))
        q, r = linalg.qr(sy.tensor(numbers(4, 2)), "complete")
        self.assertEqual((q.shape, r.shape), ((4, 4), (4, 2)))
        with self.assertRaisesRegex(ValueError, "qr: mode must be"):
            linalg.qr(sy.ones([2, 2]), "full")

    def test_svd(self):
        """Parts of which the turns of singular vectors are no part."""
        def of(svd):
            def function(x):
                u, s, vh = svd(x)
                return s, u[..., :, None, :] * (u.conj()[..., None, :, :]), (
                    vh[..., :, :, None] * vh.conj()[..., :, None, :])
            return function
        for shape in SHAPES:
            self.check(of(lambda x: linalg.svd(x, full_matrices=False)),
                       numbers(*shape),
                       of(lambda x: np.linalg.svd(x, full_matrices=False)))
        x = numbers(4, 2)
        u, s, vh = (part.numpy() for part in linalg.svd(sy.tensor(x)))
        np.testing.assert_allclose(u[:, :2] * s @ vh, x, 1e-12, 1e-12)
        np.testing.assert_allclose(u.conj().T @ u, np.eye(4), 1e-12, 1e-12)

    def test_cholesky(self):
        for shape in ((3, 3), (2, 2, 2)):
            def right(x):
                lower = np.tril(x, -1)
                diagonal = np.real(np.diagonal(x, 0, -2, -1))[..., None] * np.eye(
                    x.shape[-1])
                return (np.linalg.cholesky(
                    lower + diagonal + np.conj(np.swapaxes(lower, -1, -2))),)
            x = positive(numbers(*shape))
            found = linalg.cholesky(sy.tensor(x)).numpy()
            np.testing.assert_allclose(found, right(x)[0], 1e-12, 1e-12)
            upper = linalg.cholesky(sy.tensor(x), upper=True).numpy()
            np.testing.assert_allclose(upper, np.conj(np.swapaxes(found, -1, -2)))
            program = static.trace(linalg.cholesky, sy.tensor(x))
            np.testing.assert_array_equal(program(sy.tensor(x)).numpy(), found)
            # Along Hermitian directions the gradient is the derivative.
            weight, way = numbers(*shape), numbers(*shape)
            way = way + np.conj(np.swapaxes(way, -1, -2))
            leaf = sy.tensor(x, requires_grad=True)
            (grad,) = sy.grad([linalg.cholesky(leaf)], [leaf], [sy.tensor(weight)])
            moved = [real_of(right(x + sign * 1e-6 * way), [weight])
                     for sign in (1, -1)]
            self.assertAlmostEqual(real_of([grad.numpy()], [way]),
                                   (moved[0] - moved[1]) / 2e-6, 4)
        self.assertEqual(linalg.cholesky_ex(sy.tensor(x)).info.shape, (2,))

    def test_eigenvalues_of_hermitian_matrices(self):
        for uplo in "LU":
            x = positive(numbers(2, 3, 3))
            read = np.tril(x) if uplo == "L" else np.triu(x)
            values, vectors = linalg.eigh(sy.tensor(read), uplo)
            values, vectors = values.numpy(), vectors.numpy()
            np.testing.assert_allclose(values, np.linalg.eigvalsh(x), 1e-12)
            np.testing.assert_allclose(x @ vectors, vectors * values[:, None], 1e-10,
                                       1e-10)
            np.testing.assert_array_equal(
                linalg.eigvalsh(sy.tensor(read), uplo).numpy(), values)
        weight, way = RANDOM.normal(size=(2, 3)), numbers(2, 3, 3)
        way = way + np.conj(np.swapaxes(way, -1, -2))
        leaf = sy.tensor(x, requires_grad=True)
        (grad,) = sy.grad([linalg.eigvalsh(leaf)], [leaf], [sy.tensor(weight)])
        moved = [real_of([np.linalg.eigvalsh(x + sign * 1e-6 * way)], [weight])
                 for sign in (1, -1)]
        self.assertAlmostEqual(real_of([grad.numpy()], [way]),
                               (moved[0] - moved[1]) / 2e-6, 5)

    def test_eigenvalues_of_any_matrices(self):
        for dtype in ("complex128", "float64"):
            for shape in ((3, 3), (2, 2, 2)):
                x = numbers(*shape, dtype=dtype)
                self.check(lambda x: (_powers(linalg.eigvals(x), sy),), x, lambda x: (
                    _powers(np.linalg.eigvals(x).astype(complex), np),))
                values, vectors = (each.numpy() for each in linalg.eig(sy.tensor(x)))
                np.testing.assert_allclose(x @ vectors, vectors * values[..., None, :],
                                           1e-10, 1e-10)
        self.assertEqual(linalg.eigvals(sy.ones([2, 2])).dtype, "complex64")
        with self.assertRaisesRegex(ValueError, "eigvals: x must be .*, got "):
            linalg.eigvals(sy.ones([2, 3]))
        with self.assertRaisesRegex(ValueError, "eigvals: x must be .*finite"):
            linalg.eigvals(sy.full([2, 2], np.nan)).numpy()
        x = sy.tensor(numbers(3, 3))
        traced = static.trace(linalg.eigvals, x)
        np.testing.assert_array_equal(traced(x).numpy(), linalg.eigvals(x).numpy())

    def test_determinants_of_no_rows(self):
        leaf = sy.tensor(np.zeros((0, 0), complex), requires_grad=True)
        self.assertEqual(sy.grad([linalg.det(leaf)], [leaf])[0].shape, (0, 0))
        x = numbers(3, 3)
        self.assertAlmostEqual(sy.logdet(sy.tensor(x)).item(),
                               np.log(np.linalg.det(x)), 10)


def without_exchanges(x):
    """(L, U) packed, of matrices whose rows are in order."""
    x = x.copy()
    for i in range(min(x.shape)):
        x[i + 1:, i] /= x[i, i]
        x[i + 1:, i + 1:] -= np.outer(x[i + 1:, i], x[i, i + 1:])
    return (x,)


class LuTest(unittest.TestCase):

    def test_factors_of_any_shape(self):
        for dtype in ("complex128", "float64"):
            for shape in SHAPES:
                x = numbers(*shape, dtype=dtype)
                p, lower, upper = (part.numpy() for part in linalg.lu(sy.tensor(x)))
                np.testing.assert_allclose(p @ lower @ upper, x, 1e-12, 1e-12)
                self.assertLessEqual(np.abs(lower).max(), 1.5)

    def test_gradients(self):
        for dtype in ("complex128", "float64"):
            for shape in SHAPES[:3]:
                x = numbers(*shape, dtype=dtype)
                p = linalg.lu(sy.tensor(x)).P.numpy()
                weight = numbers(*shape, dtype=dtype)
                leaf = sy.tensor(x, requires_grad=True)
                packed = linalg.lu_factor(leaf).LU
                np.testing.assert_allclose(packed.numpy(), *without_exchanges(p.T @ x),
                                           1e-9, 1e-9)
                (grad,) = sy.grad([packed], [leaf], [sy.tensor(weight)])
                right = differences(lambda y, p=p: without_exchanges(p.T @ y), x,
                                    [weight])
                np.testing.assert_allclose(grad.numpy(), right, 2e-5, 2e-5)

    def test_programs_have_the_gradients_and_the_factors(self):
        for dtype in ("complex128", "float64"):
            for shape in SHAPES:
                x, weight = (sy.tensor(numbers(*shape, dtype=dtype)) for _ in range(2))

                def function(x, weight=weight):
                    packed = linalg.lu_factor(x).LU
                    (grad,) = sy.grad(sy.abs(packed * weight + 1).sum(), [x])
                    return (grad, *linalg.lu(x))
                for got, want in zip(static.trace(
                        function, static.InputSpec(shape, dtype))(x), function(
                        sy.tensor(x.numpy(), requires_grad=True))):
                    np.testing.assert_allclose(got.numpy(), want.numpy(), 1e-12, 1e-12)

    def test_a_pivot_of_zero(self):
        x = sy.tensor(np.array([[1, 1], [1, 1]], complex))
        self.assertEqual(linalg.lu_factor_ex(x).info.item(), 2)


class SystemsTest(unittest.TestCase):

    def test_reflections(self):
        """LAPACK's, in programs too, open ones among them."""
        for shape in ((4, 3), (3, 4), (2, 3, 3), (1, 1)):
            for dtype in ("complex128", "float64", "complex64", "float32"):
                x = numbers(*shape, dtype=dtype).astype(dtype)
                tolerance = 1e-4 if dtype in ("complex64", "float32") else 1e-10
                a, tau = found = sy.geqrf(sy.tensor(x))
                least = min(shape[-2:])
                q = linalg.householder_product(a[..., :least], tau).numpy()
                r = np.triu(a.numpy())[..., :least, :]
                np.testing.assert_allclose(q @ r, x, tolerance, tolerance)
                turned, factors = np.linalg.qr(x, "raw")
                for got, right in zip(found, (np.swapaxes(turned, -1, -2), factors)):
                    np.testing.assert_allclose(got.numpy(), right, tolerance, tolerance)
                for extents in (shape, [None] * len(shape)):
                    traced = static.trace(sy.geqrf, static.InputSpec(extents, dtype))
                    for got, right in zip(traced(sy.tensor(x)), found):
                        np.testing.assert_array_equal(got.numpy(), right.numpy())

    def test_reflections_have_no_gradient(self):
        x = sy.tensor(numbers(3, 3, dtype="float64"), requires_grad=True)
        with self.assertRaisesRegex(NotImplementedError, "geqrf: x must need no grad"):
            sy.geqrf(x)
        with sy.no_grad():
            self.assertEqual(sy.geqrf(x)[1].shape, (3,))

    def test_polar(self):
        for shape in ((4, 3), (2, 3, 3)):
            for dtype in ("complex128", "float64"):
                x = numbers(*shape, dtype=dtype)
                u, p = (part.numpy() for part in linalg.polar(sy.tensor(x)))
                np.testing.assert_allclose(u @ p, x, 1e-10, 1e-10)
                np.testing.assert_allclose(np.conj(np.swapaxes(u, -1, -2)) @ u,
                                           np.eye(3) + 0 * p, 1e-10, 1e-10)
                self.assertGreater(np.linalg.eigvalsh(p).min(), 0)
        with self.assertRaisesRegex(ValueError, "polar: x must be matrices of as many"):
            linalg.polar(sy.ones([2, 3]))

    def test_least_squares(self):
        for dtype in ("complex128", "float64"):
            x, y = numbers(5, 3, dtype=dtype), numbers(5, 2, dtype=dtype)
            right = np.linalg.lstsq(x, y, None)
            found = linalg.lstsq(sy.tensor(x), sy.tensor(y), driver="gelsd")
            for got, want in zip(found, right):
                np.testing.assert_allclose(got.numpy(), want, 1e-10, 1e-10)
            self.assertTrue(found.residuals.dtype == "float64")
        sizes = {"gels": (2, 0, 0), "gelsy": (0, 1, 0), "gelss": (2, 1, 3),
                 None: (2, 1, 0)}
        for driver, size in sizes.items():
            found = linalg.lstsq(sy.tensor(x), sy.tensor(y), driver=driver)
            self.assertEqual(tuple(part.numpy().size for part in found[1:]), size)
        x[:, 0] = x[:, 1]
        self.assertEqual(linalg.lstsq(sy.tensor(x), sy.tensor(y)).rank.item(), 2)
        self.assertEqual(linalg.lstsq(sy.tensor(x), sy.tensor(y)).residuals.shape, (0,))
        with self.assertRaisesRegex(ValueError, "lstsq: driver must be one of"):
            linalg.lstsq(sy.tensor(x), sy.tensor(y), driver="gel")


if __name__ == "__main__":
    unittest.main()
