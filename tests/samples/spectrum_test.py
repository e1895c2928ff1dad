# SPDX-License-Identifier: Apache-2.0
"""Eigenvalues and eigenvectors of any matrices: x v = v w, against NumPy's values, and gradients
of functions that depend on no order and no phase against central differences."""
import unittest

import numpy as np

from tests.samples import samples, sequence_cases
import switchyard as sy

DTYPES = ("float32", "float64", "complex64", "complex128")


def matrices(*shape, dtype="float64", seed=1):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=shape)
    if dtype.startswith("complex"):
        x = x + 1j * rng.normal(size=shape)
    return x.astype(dtype)


def farthest(found, wanted):
    """How far the nearest of the wanted numbers is from any found one, and back."""
    apart = np.abs(found[..., :, None] - wanted[..., None, :])
    return max(apart.min(-1).max(initial=0), apart.min(-2).max(initial=0))


class SpectrumTest(unittest.TestCase):

    def check(self, x, tolerance):
        w, v = (out.numpy() for out in sy.ops.eig(samples.tensor(x, sy)))
        values = sy.ops.eigvals(samples.tensor(x, sy)).numpy()
        kind = np.result_type(x.dtype, np.complex64)
        self.assertEqual((w.dtype, v.dtype, values.dtype), (kind,) * 3)
        self.assertEqual((w.shape, v.shape, values.shape), (x.shape[:-1], x.shape, x.shape[:-1]))
        if not x.size:
            return
        np.testing.assert_allclose(x @ v, v * w[..., None, :], atol=tolerance)
        np.testing.assert_allclose(np.linalg.norm(v, axis=-2), 1, atol=tolerance)
        at = np.abs(v).argmax(-2)[..., None, :]
        largest = np.take_along_axis(v, at, -2)
        self.assertEqual(np.abs(largest.imag).max(), 0)
        self.assertGreater(largest.real.min(), 0)
        wide = x.astype(np.result_type(x.dtype, np.float64))
        self.assertLess(farthest(w, np.linalg.eigvals(wide)), tolerance)
        self.assertLess(farthest(values, np.linalg.eigvals(wide)), tolerance)

    def test_values_and_vectors(self):
        for dtype in DTYPES:
            tolerance = 1e-4 if dtype in ("float32", "complex64") else 1e-11
            for shape in ((1, 1), (5, 5), (2, 3, 4, 4), (0, 0), (2, 0, 0), (0, 3, 3), (30, 30)):
                with self.subTest(dtype=dtype, shape=shape):
                    self.check(matrices(*shape, dtype=dtype), tolerance)

    def test_real_matrices_have_conjugate_pairs(self):
        w = sy.ops.eigvals(samples.tensor(matrices(7, 7), sy)).numpy()
        np.testing.assert_array_equal(np.sort_complex(w), np.sort_complex(w.conj()))
        w = sy.ops.eigvals(samples.tensor(np.array([[0.0, -1.0], [1.0, 0.0]]), sy)).numpy()
        np.testing.assert_allclose(np.sort_complex(w), [-1j, 1j], atol=1e-15)

    def test_what_is_not_finite_is_refused(self):
        for bad in (np.nan, np.inf):
            x = matrices(2, 3, 3)
            x[1, 0, 2] = bad
            for op in sy.ops.eig, sy.ops.eigvals:
                with self.assertRaisesRegex(ValueError, "x must be finite"):
                    op(samples.tensor(x, sy))

    def objective(self, x, weights):
        """A function of all values alike, and of the magnitudes of the vectors' entries."""
        w, v = sy.ops.eig(x)
        values = sy.ops.eigvals(x)
        magnitudes = sy.real(v * sy.conj(v))
        return (sy.real(w * w * w).sum() + sy.imag(values * values).sum() * 0.5
                + (magnitudes.sum(axis=-1) ** 2 * weights).sum())

    def test_gradients(self):
        weights = sy.tensor(np.arange(1.0, 5.0))
        for dtype in ("float64", "complex128"):
            x = matrices(4, 4, dtype=dtype, seed=3)
            leaf = sy.tensor(x, requires_grad=True)
            grad = sy.grad([self.objective(leaf, weights)], [leaf])[0].numpy()
            numeric = np.zeros_like(x)
            for at in np.ndindex(x.shape):
                for unit in (1, 1j) if dtype == "complex128" else (1,):
                    sides = []
                    for step in (1e-6, -1e-6):
                        moved = x.copy()
                        moved[at] += unit * step
                        sides.append(float(self.objective(sy.tensor(moved), weights).numpy()))
                    numeric[at] += unit * (sides[0] - sides[1]) / 2e-6
            np.testing.assert_allclose(grad, numeric, rtol=1e-6, atol=1e-6)

    def test_invalid_samples(self):
        self.assertEqual(sequence_cases.check_invalid(self, "spectrum"), 5)


if __name__ == "__main__":
    unittest.main()
