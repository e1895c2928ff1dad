# SPDX-License-Identifier: Apache-2.0
"""Functions with PyTorch's names that are made of operators, beside NumPy and
SciPy."""

import unittest
from unittest import mock

import numpy as np
import scipy.special

import switchyard as sy
from switchyard import special_polynomials

RNG = np.random.default_rng(7)
X = RNG.normal(size=(3, 4)).astype(np.float32)
S = X[:, :3] @ X[:, :3].T + 3 * np.eye(3, dtype=np.float32)


def close(result, expected, rtol=1e-5):
    np.testing.assert_allclose(result.numpy(), expected, rtol=rtol, atol=1e-6)


class PairsTest(unittest.TestCase):

    def test_values_and_indices_along_dim(self):
        x = sy.tensor(X)
        for name in ("max", "min"):
            pair = getattr(x, name)(dim=1, keepdim=True)
            close(pair.values, getattr(X, name)(1, keepdims=True))
            self.assertEqual(pair.indices.tolist(),
                             getattr(X, f"arg{name}")(1)[:, None].tolist())
        values, indices = x.sort(dim=0, descending=True)
        close(values, -np.sort(-X, 0))
        self.assertEqual(indices.tolist(), np.argsort(-X, 0).tolist())
        values, indices = sy.kthvalue(x, 2)
        close(values, np.sort(X, 1)[:, 1])
        self.assertEqual(indices.tolist(), np.argsort(X, 1)[:, 1].tolist())
        values, indices = sy.median(sy.tensor(X[:, :3]), dim=1)
        close(values, np.median(X[:, :3], 1))
        values, indices = sy.mode(sy.tensor([[2, 1, 2, 1], [3, 3, 5, 5]]))
        self.assertEqual((values.tolist(), indices.tolist()), ([1, 3], [3, 1]))
        for name, right in (("cummax", np.maximum), ("cummin", np.minimum)):
            for pair in (getattr(sy, name)(x, dim=1), getattr(x, name)(1)):
                close(pair.values, right.accumulate(X, 1))
                close(sy.take_along_dim(x, pair.indices, 1), pair.values)

    def test_the_gradient_goes_to_the_index(self):
        x = sy.tensor([[1.0, 5.0, 5.0]], requires_grad=True)
        x.max(dim=1).values.sum().backward()
        self.assertEqual(x.grad.tolist(), [[0.0, 1.0, 0.0]])

    def test_axis_gives_values_alone(self):
        close(sy.tensor(X).max(axis=1), X.max(1))
        close(sy.tensor(X).max(1), X.max(1))
        close(sy.tensor(X).sort(), np.sort(X))

    def test_scalars_have_axes_0_and_minus_1(self):
        one = sy.tensor(3.0)
        self.assertEqual(one.sum(dim=0).item(), 3.0)
        self.assertEqual(one.max(dim=-1).indices.item(), 0)
        with self.assertRaises(IndexError):
            one.sum(dim=1)


class PlacesTest(unittest.TestCase):

    def test_tensor_takes_a_device(self):
        self.assertEqual(sy.tensor([1.0], device="cpu").place, "cpu")
        self.assertEqual(sy.tensor([1.0], device=sy.device("cpu")).place, "cpu")
        with self.assertRaisesRegex(ValueError, "tensor: device must be .* got nowhere"):
            sy.tensor([1.0], device="nowhere")
        with self.assertRaisesRegex(ValueError, "tensor: device must be left out"):
            sy.tensor([1.0], place="cpu", device="cpu")


class PiecesTest(unittest.TestCase):

    def test_joins_and_cuts(self):
        x = sy.tensor(X)
        for name in ("hstack", "vstack", "dstack", "column_stack"):
            close(getattr(sy, name)([x, x]), getattr(np, name)([X, X]))
        for mine, its in zip(sy.tensor_split(x, 3, 1), np.array_split(X, 3, 1)):
            close(mine, its)
        for k in range(5):
            close(sy.rot90(x, k), np.rot90(X, k))
        close(sy.block_diag(x, 2.0), np.block([
            [X, np.zeros((3, 1))], [np.zeros((1, 4)), np.full((1, 1), 2.0)]]))
        close(sy.unfold(x, 1, 2, 1), np.lib.stride_tricks.sliding_window_view(
            X, 2, 1))
        self.assertEqual(sy.combinations(sy.tensor([1, 2, 3])).tolist(),
                         [[1, 2], [1, 3], [2, 3]])
        self.assertEqual(sy.cat([x, sy.ones([0])]).shape, (3, 4))
        with self.assertRaisesRegex(ValueError, "hsplit: indices_or_sections must"):
            sy.hsplit(x, 3)

    def test_writing(self):
        x = sy.tensor(X)
        index = sy.tensor([[0, 0, 1, 1]])
        expected = X.copy()
        np.maximum.at(expected, ([0, 0, 1, 1], [0, 1, 2, 3]), 1.0)
        close(sy.scatter_reduce(x, 0, index, sy.ones([1, 4]), "amax"), expected)
        close(sy.diagonal_scatter(x, sy.zeros([3])),
              X * (1 - np.eye(3, 4, dtype=np.float32)))
        expected = X.copy()
        expected[X > 0] = np.arange((X > 0).sum())
        close(sy.masked_scatter(x, sy.tensor(X > 0), sy.arange(12.0)), expected)
        expected = X.copy()
        expected[1:3:2] = 0
        close(sy.slice_scatter(x, sy.zeros([1, 4]), 0, 1, 3, 2), expected)
        bits = sy.scatter(sy.zeros([3], "bool"), 0, sy.tensor([1]), True)
        self.assertEqual(bits.tolist(), [False, True, False])


class NumbersTest(unittest.TestCase):

    def test_statistics(self):
        x = sy.tensor(X)
        for method in ("linear", "lower", "higher", "midpoint", "nearest"):
            close(sy.quantile(x, sy.tensor([0.2, 0.7]), 1, interpolation=method),
                  np.quantile(X, [0.2, 0.7], 1, method=method))
        weights = np.array([1, 2, 3, 4])
        close(sy.cov(x), np.cov(X))
        close(sy.cov(x, fweights=sy.tensor(weights)), np.cov(X, fweights=weights),
              1e-4)
        close(sy.corrcoef(x), np.corrcoef(X))
        nan = np.where(X > 0, X, np.nan).astype(np.float32)
        close(sy.nanmean(sy.tensor(nan)), np.nanmean(nan))
        close(sy.nansum(sy.tensor(nan), 1), np.nansum(nan, 1))
        hist = sy.histogram(x, 4)
        expected, edges = np.histogram(X, 4)
        close(hist.hist, expected)
        close(hist.bin_edges, edges)
        close(sy.std_mean(x, 1)[0], X.std(1, ddof=1))
        close(sy.trapezoid(x, dx=0.5), np.trapz(X, dx=0.5))
        for mine, its in zip(sy.gradient(x), np.gradient(X)):
            close(mine, its)

    def test_numbers(self):
        a, b = np.array([12, -18, 0, 7]), np.array([18, 12, 5, 0])
        close(sy.gcd(sy.tensor(a), sy.tensor(b)), np.gcd(a, b))
        close(sy.lcm(sy.tensor(a), sy.tensor(b)), np.lcm(a, b))
        x = np.array([0.0, 1.0, -3.7, 1e-30, 8.0], np.float32)
        for mine, its in zip(sy.frexp(sy.tensor(x)), np.frexp(x)):
            close(mine, its)
        close(sy.sinc(sy.tensor(x)), np.sinc(x))
        close(sy.nan_to_num(sy.tensor([np.nan, np.inf, 1.0]), 5.0, 7.0),
              [5.0, 7.0, 1.0])
        close(sy.xlogy(sy.tensor([0.0, 2.0]), sy.tensor([0.0, 3.0])),
              [0.0, 2 * np.log(3.0)])
        c = (X + 1j * X[::-1]).astype(np.complex64)
        close(sy.mean(sy.tensor(c), 0), c.mean(0))
        close(sy.prod(sy.tensor(c), 1), c.prod(1), 1e-4)
        close(sy.cumprod(sy.tensor(c), 1), c.cumprod(1), 1e-4)
        close(sy.var(sy.tensor(c)), c.var())

    def test_special(self):
        x = np.linspace(0.1, 30, 60).astype(np.float32)
        for name, its in (
                ("bessel_j0", scipy.special.j0), ("bessel_j1", scipy.special.j1),
                ("bessel_y0", scipy.special.y0), ("bessel_y1", scipy.special.y1),
                ("modified_bessel_k0", scipy.special.k0),
                ("scaled_modified_bessel_k1", scipy.special.k1e),
                ("airy_ai", lambda v: scipy.special.airy(v)[0]),
                ("erfcx", scipy.special.erfcx), ("ndtr", scipy.special.ndtr),
                ("log_ndtr", scipy.special.log_ndtr),
                ("spherical_bessel_j0", lambda v: np.sin(v) / v)):
            found = getattr(sy.special, name)(sy.tensor(x))
            np.testing.assert_allclose(found.numpy(), its(x.astype(np.float64)),
                                       rtol=2e-6, atol=1e-12, err_msg=name)
        close(sy.special.zeta(3.0, sy.tensor(x)), scipy.special.zeta(3.0, x))
        close(sy.polygamma(2, sy.tensor(x)), scipy.special.polygamma(2, x))
        n = sy.tensor([0, 1, 2, 5])
        close(sy.special.legendre_polynomial_p(0.3, n),
              scipy.special.eval_legendre([0, 1, 2, 5], 0.3))
        close(sy.special.hermite_polynomial_h(0.3, n),
              scipy.special.eval_hermite([0, 1, 2, 5], 0.3))
        # Programs compute degrees of any size, as many steps as they meet.
        at = np.linspace(-1.5, 1.5, 7)
        for name, its in (("legendre_polynomial_p", scipy.special.eval_legendre),
                          ("chebyshev_polynomial_u", scipy.special.eval_chebyu),
                          ("laguerre_polynomial_l", scipy.special.eval_laguerre)):
            function = getattr(sy.special, name)

            def slope(x, n, function=function):
                (found,) = sy.grad(sy.sum(function(x, n)), [x])
                return found
            examples = sy.tensor(at), sy.tensor([0.0] * 7, "float64")
            programs = [sy.static.trace(each, *examples) for each in (function, slope)]
            for degrees in ([0, 0, 0, 0, 0, 0, 0], [70, 1, 64, 0, 3, 65, -1]):
                n = sy.tensor(np.float64(degrees))
                found = programs[0](sy.tensor(at), n).numpy()
                np.testing.assert_array_equal(found, function(sy.tensor(at), n).numpy())
                np.testing.assert_allclose(found, np.where(
                    np.array(degrees) < 0, 0, its(np.abs(degrees), at)), rtol=1e-9)
                x = sy.tensor(at, requires_grad=True)
                np.testing.assert_array_equal(programs[1](x.detach(), n).numpy(),
                                              slope(x, n).numpy())
        with mock.patch.object(special_polynomials, "_MOST", 9):
            program = sy.static.trace(sy.special.hermite_polynomial_h, *examples)
        n = sy.tensor([9.0, 10, np.inf, 2, 2, 2, 2], "float64")
        np.testing.assert_array_equal(np.isnan(program(sy.tensor(at), n).numpy()),
                                      [False, True, True] + [False] * 4)
        close(sy.erfc(sy.tensor([-3.0, 0.0, 5.0])),
              scipy.special.erfc([-3.0, 0.0, 5.0]))

    def test_histogramdd(self):
        x = np.random.default_rng(2).normal(size=[6, 5, 2])
        weight = np.arange(30.0).reshape(6, 5)
        edges = [np.array([-1.0, 0.0, 0.5]), np.array([-2.0, 0.1, 2.0, 3.0])]
        for bins, ends in ((3, None), ([2, 4], None), ([2, 4], [-1.0, 1, -2, 2.5]),
                           (edges, None)):
            for density in (False, True):
                found = sy.histogramdd(sy.tensor(x), bins, range=ends,
                                       weight=sy.tensor(weight), density=density)
                pairs = None if ends is None else [ends[:2], ends[2:]]
                hist, sides = np.histogramdd(x.reshape(-1, 2), bins, pairs, density,
                                             weight.reshape(-1))
                close(found.hist, hist)
                for mine, its in zip(found.bin_edges, sides):
                    close(mine, its)
        for text, more in (("bins must be 2", {"bins": [1]}),
                           ("range must have 4 ends", {"bins": 2, "range": [0, 1]}),
                           ("weight must be 30", {"bins": 2, "weight": [1.0]}),
                           ("bins must be edges", {"bins": [[1.0, 0.0]] * 2})):
            with self.assertRaisesRegex(ValueError, f"histogramdd: {text}"):
                sy.histogramdd(sy.tensor(x), **more)

    def test_incomplete_gamma(self):
        a, x = (part.reshape(-1) for part in np.meshgrid(
            [1e-9, 1e-3, 0.05, 0.0999, 0.5, 1.0, 3.7, 20.0, 49.0],
            [1e-12, 1e-3, 0.3, 1.0, 1.09, 2.0, 5.0, 30.0, 100.0]))
        for mine, its in ((sy.igamma, scipy.special.gammainc),
                          (sy.special.gammaincc, scipy.special.gammaincc)):
            found = mine(sy.tensor(a), sy.tensor(x)).numpy()
            np.testing.assert_allclose(found, its(a, x), 2e-12, 1e-300)
        # They are sums of Poisson's probabilities where a is whole.
        for whole in (50, 60, 500, 20000):
            k = np.arange(whole)
            for at in whole + np.array([-5.0, -0.3, 0.0, 0.7, 5.0]) * whole**0.5:
                terms = np.exp(k * np.log(at) - at - scipy.special.gammaln(k + 1.0))
                found = sy.igammac(sy.tensor(float(whole), "float64"),
                                   sy.tensor(at, "float64")).item()
                self.assertAlmostEqual(found / terms.sum(), 1.0, 9)
        ends = ((0, 0, np.nan), (0, 1, 1), (1, 0, 0), (np.inf, 1, 0), (1, np.inf, 1),
                (np.inf, np.inf, np.nan), (-1, 1, np.nan), (1, -1, np.nan),
                (1e300, 1, 0), (1, 1e300, 1), (np.nan, 1, np.nan))
        for one, other, low in ends:
            given = sy.tensor(float(one), "float64"), sy.tensor(float(other), "float64")
            np.testing.assert_equal(sy.igamma(*given).item(), low)
            np.testing.assert_equal(sy.igammac(*given).item(), 1 - low)

    def test_slopes_of_incomplete_gamma(self):
        a, x = np.array([[0.5], [3.0]]), np.array([0.2, 1.0, 6.0])
        for function, sign in ((sy.igamma, 1), (sy.igammac, -1)):
            leaf = sy.tensor(x, requires_grad=True)
            (slope,) = sy.grad([function(sy.tensor(a), leaf).sum()], [leaf])
            want = x ** (a - 1) * np.exp(-x) / scipy.special.gamma(a)
            np.testing.assert_allclose(slope.numpy(), sign * want.sum(0), 1e-12)
            leaf = sy.tensor(a, requires_grad=True)
            with self.assertRaisesRegex(NotImplementedError, "a must need no gradient"):
                sy.grad([function(leaf, sy.tensor(x)).sum()], [leaf])
        self.assertEqual(sy.igamma(sy.tensor([1]), sy.tensor([2.0], "float64")).dtype,
                         "float64")
        with self.assertRaisesRegex(TypeError, "gammainc: a and x must be real"):
            sy.igamma(1j, 1.0)

    def test_slopes_of_bessel_functions(self):
        """Against derivatives from SciPy, and their own against differences."""
        special, at = scipy.special, np.array([0.05, 0.7, 3.0, 24.0, 26.0, 300.0])
        for name, its in (
                ("bessel_j0", lambda v: -special.j1(v)),
                ("bessel_j1", lambda v: special.jvp(1, v)),
                ("bessel_y0", lambda v: -special.y1(v)),
                ("bessel_y1", lambda v: special.yvp(1, v)),
                ("modified_bessel_k0", lambda v: -special.k1(v)),
                ("modified_bessel_k1", lambda v: special.kvp(1, v)),
                ("scaled_modified_bessel_k0", lambda v: special.k0e(v) - special.k1e(v)),
                ("scaled_modified_bessel_k1", lambda v: special.k1e(v)
                 + special.kvp(1, v) * np.exp(v))):
            function = getattr(sy.special, name)
            here = at[:-1] if "modified" in name else at
            x = sy.tensor(here, requires_grad=True)
            (slope,) = sy.grad([function(x).sum()], [x], create_graph=True)
            np.testing.assert_allclose(slope.numpy(), its(here), 1e-9, 1e-13,
                                       err_msg=name)
            (second,) = sy.grad([slope.sum()], [x])
            moved = [its(here + step) for step in (1e-6, -1e-6)]
            np.testing.assert_allclose(second.numpy(), (moved[0] - moved[1]) / 2e-6,
                                       1e-4, 1e-8, err_msg=name)
        for name, right in (("bessel_j1", 0.5), ("bessel_y1", np.inf),
                            ("modified_bessel_k1", -np.inf),
                            ("scaled_modified_bessel_k1", -np.inf)):
            x = sy.tensor([0.0], requires_grad=True)
            (slope,) = sy.grad([getattr(sy.special, name)(x)], [x])
            self.assertEqual(slope.item(), right, name)

    def test_windows(self):
        close(sy.signal.windows.hann(8), np.hanning(8))
        close(sy.signal.windows.kaiser(8, beta=5.0), np.kaiser(8, 5.0))
        close(sy.signal.windows.hamming(8, sym=False), np.hamming(9)[:8])
        close(sy.fft.fft(sy.tensor(X), dim=0), np.fft.fft(X, axis=0))
        close(sy.fft.fftn(sy.tensor(X), dim=1), np.fft.fft(X, axis=1))


class MatricesTest(unittest.TestCase):

    def test_systems(self):
        s, b = sy.tensor(S), sy.tensor(X)
        found = sy.linalg.lu(s)
        close(found.P @ found.L @ found.U, S, 1e-4)
        close(sy.linalg.lu_solve(*sy.linalg.lu_factor(s), b), np.linalg.solve(S, X),
              1e-3)
        low = np.linalg.cholesky(S)
        close(sy.cholesky_solve(b, sy.tensor(low)), np.linalg.solve(S, X), 1e-3)
        close(sy.linalg.solve_triangular(sy.tensor(low), b, upper=False),
              np.linalg.solve(low, X), 1e-4)
        close(sy.linalg.matrix_exp(sy.tensor([[0.0, 1.0], [-1.0, 0.0]])),
              [[np.cos(1), np.sin(1)], [-np.sin(1), np.cos(1)]])
        close(sy.linalg.cond(s), np.linalg.cond(S), 1e-4)
        close(sy.linalg.lstsq(sy.tensor(X.T), sy.ones([4])).solution,
              np.linalg.lstsq(X.T, np.ones(4), None)[0], 1e-3)
        upper = np.triu(S) + np.tril(np.full((3, 3), np.nan), -1)
        close(sy.linalg.eigvalsh(sy.tensor(upper.astype(np.float32)), UPLO="U"),
              np.linalg.eigvalsh(S), 1e-4)

    def test_complex_matrices(self):
        c = (S + 1j * X[:, :3]).astype(np.complex64)
        close(sy.linalg.inv(sy.tensor(c)), np.linalg.inv(c), 1e-4)
        close(sy.linalg.solve(sy.tensor(c), sy.tensor(c[:, :1])),
              np.linalg.solve(c, c[:, :1]), 1e-3)
        close(sy.linalg.svdvals(sy.tensor(c)), np.linalg.svd(c)[1], 1e-4)

    def test_norms_of_numpy(self):
        x = sy.tensor(X)
        for order in (None, "fro", "nuc", 1, -1, 2, np.inf):
            close(sy.linalg.norm(x, order), np.linalg.norm(X, order), 1e-4)
        close(sy.linalg.norm(x, 3, dim=1), np.linalg.norm(X, 3, 1))
        close(sy.linalg.matrix_norm(x, "nuc"), np.linalg.norm(X, "nuc"), 1e-4)


if __name__ == "__main__":
    unittest.main()
