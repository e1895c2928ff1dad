# SPDX-License-Identifier: Apache-2.0
"""Complex numbers in linear algebra, losses and optimizers, eager and in programs:
against NumPy, and gradients against differences in both parts."""

import unittest

import numpy as np

import switchyard as sy
from switchyard import linalg, nn, optim, static

F = nn.functional
RANDOM = np.random.default_rng(8)


def numbers(*shape, dtype="complex128"):
    return (RANDOM.normal(size=shape) + 1j * RANDOM.normal(size=shape)).astype(dtype)


def hermitian(n):
    x = numbers(n, n)
    return x @ x.conj().T + np.eye(n)


def listed(results):
    return results if isinstance(results, (list, tuple)) else [results]


class LinearAlgebraTest(unittest.TestCase):

    def close(self, got, right):
        np.testing.assert_allclose(got, right, 1e-9, 1e-9)

    def test_programs_have_the_bits_of_eager_code(self):
        x, y = numbers(3, 3), numbers(3, 2)
        cases = ((linalg.qr, (x,)), (linalg.svd, (x,)), (linalg.svdvals, (x,)),
                 (linalg.eigh, (hermitian(3),)), (linalg.eigvalsh, (hermitian(3),)),
                 (linalg.cholesky, (hermitian(3),)), (linalg.det, (x,)),
                 (linalg.slogdet, (x,)), (linalg.inv, (x,)), (linalg.solve, (x, y)),
                 (linalg.pinv, (x,)), (lambda a: linalg.lu_factor(a)[0], (x,)),
                 (lambda a: linalg.matrix_power(a, -2), (x,)), (linalg.polar, (x,)),
                 (lambda a, b: linalg.solve_triangular(a, b, upper=True), (x, y)))
        for function, arrays in cases:
            tensors = [sy.tensor(each) for each in arrays]
            program = static.trace(function, *[
                static.InputSpec(each.shape, str(each.dtype)) for each in arrays])
            for got, want in zip(listed(program(*tensors)), listed(function(*tensors))):
                np.testing.assert_array_equal(got.numpy(), want.numpy())

    def test_values(self):
        for dtype, tolerance in (("complex128", 1e-10), ("complex64", 1e-3)):
            x, y = numbers(2, 3, 3, dtype=dtype), numbers(2, 3, 2, dtype=dtype)
            a, b = sy.tensor(x), sy.tensor(y)
            for got, right in (
                    (linalg.det(a), np.linalg.det(x)), (linalg.inv(a), np.linalg.inv(x)),
                    (linalg.solve(a, b), np.linalg.solve(x, y)),
                    (linalg.pinv(a[..., :2]), np.linalg.pinv(x[..., :2])),
                    (linalg.svdvals(a), np.linalg.svd(x, compute_uv=False)),
                    (linalg.matrix_power(a, 3), np.linalg.matrix_power(x, 3)),
                    (linalg.slogdet(a)[0], np.linalg.slogdet(x)[0]),
                    (linalg.slogdet(a)[1], np.linalg.slogdet(x)[1])):
                self.assertEqual(got.dtype, str(right.dtype))
                np.testing.assert_allclose(got.numpy(), right, tolerance, tolerance)
        factor = linalg.cholesky(sy.tensor(hermitian(3)))
        whole = factor.numpy() @ factor.numpy().conj().T
        for upper, given in ((False, factor), (True, factor.conj().T)):
            self.close(sy.cholesky_inverse(given, upper).numpy(), np.linalg.inv(whole))
            right = numbers(3, 2)
            self.close(sy.cholesky_solve(sy.tensor(right), given, upper).numpy(),
                       np.linalg.solve(whole, right))

    def test_gradients(self):
        x = numbers(3, 3)
        for function, right in (
                (linalg.det, np.linalg.det), (linalg.inv, np.linalg.inv),
                (lambda a: linalg.slogdet(a)[1], lambda a: np.linalg.slogdet(a)[1]),
                (lambda a: linalg.slogdet(a)[0], lambda a: np.linalg.slogdet(a)[0]),
                (lambda a: linalg.pinv(a[:, :2]), lambda a: np.linalg.pinv(a[:, :2])),
                (lambda a: linalg.matrix_power(a, -2),
                 lambda a: np.linalg.matrix_power(a, -2)),
                (lambda a: linalg.solve(a, sy.tensor(x[:, :2])),
                 lambda a: np.linalg.solve(a, x[:, :2]))):
            leaf = sy.tensor(x, requires_grad=True)
            y = function(leaf)
            weight = numbers(*y.shape) if "complex" in y.dtype else RANDOM.normal(
                size=y.shape)
            (grad,) = sy.grad([y], [leaf], [sy.tensor(weight)])
            wanted = np.zeros_like(x)
            for at in np.ndindex(x.shape):
                for unit in (1, 1j):
                    moved = []
                    for step in (1e-6, -1e-6):
                        z = x.copy()
                        z[at] += step * unit
                        moved.append(np.sum(np.real(np.conj(weight) * right(z))))
                    wanted[at] += unit * (moved[0] - moved[1]) / 2e-6
            np.testing.assert_allclose(grad.numpy(), wanted, 1e-4, 1e-5)

    def test_what_the_other_triangle_has(self):
        """One triangle of a Hermitian matrix is read, and the diagonal's real parts."""
        x = hermitian(3)
        read = np.tril(x) + np.diag([1j, 2j, 3j]) + np.triu(np.full((3, 3), np.nan), 1)
        self.close(linalg.eigvalsh(sy.tensor(read)).numpy(), np.linalg.eigvalsh(x))
        self.close(linalg.cholesky(sy.tensor(read)).numpy(), np.linalg.cholesky(x))

    def test_matrices_without_an_answer(self):
        for call in (lambda: linalg.inv(sy.zeros([2, 2], "complex64")),
                     lambda: linalg.cholesky(sy.zeros([2, 2], "complex64")),
                     lambda: linalg.svd(sy.full([2, 2], np.nan, "complex64"))[0]):
            with self.assertRaisesRegex(ValueError, "x must be"):
                call().numpy()


class LossesTest(unittest.TestCase):

    def test_squares_are_of_magnitudes(self):
        x, y = numbers(2, 3), numbers(2, 3)
        for dtype in ("complex128", "complex64"):
            a, b = sy.tensor(x, dtype), sy.tensor(y, dtype)
            self.assertAlmostEqual(F.mse_loss(a, b).item(), np.mean(abs(x - y)**2), 5)
            self.assertAlmostEqual(F.l1_loss(a, b).item(), np.mean(abs(x - y)), 5)
        leaf = sy.tensor(x, requires_grad=True)
        (grad,) = sy.grad([F.mse_loss(leaf, sy.tensor(y))], [leaf])
        np.testing.assert_allclose(grad.numpy(), 2 * (x - y) / 6)

    def test_order_is_a_type_error(self):
        x = sy.tensor(numbers(3))
        for call in (lambda: x < x, lambda: sy.max(x), lambda: sy.sort(x),
                     lambda: sy.argmax(x), lambda: sy.clip(x, 0.0, 1.0),
                     lambda: sy.maximum(x, x), lambda: sy.median(x),
                     lambda: sy.histogram(x, 3), lambda: sy.histc(x, 3),
                     lambda: sy.histogramdd(x.reshape(3, 1), 3), lambda: sy.mode(x),
                     lambda: sy.cummax(x), lambda: sy.topk(x, 1), lambda: x >= x,
                     lambda: sy.floor_divide(x, x), lambda: sy.quantile(x, 0.5)):
            with self.assertRaises(TypeError):
                call()

    def test_scattered_sums(self):
        x, s = numbers(3, 2), numbers(2, 2)
        index = np.array([[0, 2], [0, 1]])
        right = x.copy()
        for (i, j), at in np.ndenumerate(index):
            right[at, j] += s[i, j]
        found = sy.tensor(x).scatter_reduce(0, sy.tensor(index), sy.tensor(s), "sum")
        np.testing.assert_allclose(found.numpy(), right)


RULES = {"SGD": {"momentum": 0.9, "weight_decay": 0.1}, "Adam": {"amsgrad": True},
         "AdamW": {}, "RMSprop": {}, "Adagrad": {}, "Adadelta": {}, "Adamax": {},
         "NAdam": {}, "RAdam": {}, "Rprop": {}, "ASGD": {}, "LBFGS": {}}


class OptimizersTest(unittest.TestCase):
    """A complex parameter is stepped as two reals, as in PyTorch."""

    def trained(self, name, start, goal, clip=None):
        param = sy.tensor(start, requires_grad=True)
        given = {"clip": clip} if clip else {}
        optimizer = getattr(optim, name)([param], 0.1, **RULES[name], **given)

        def closure():
            optimizer.zero_grad()
            apart = param - sy.tensor(goal)
            loss = (sy.abs(apart)**2 if "complex" in param.dtype else apart**2).sum()
            loss.backward()
            return loss
        for _ in range(3):
            optimizer.step(closure)
        return param.numpy(), optimizer

    def test_steps(self):
        for dtype in ("complex128", "complex64"):
            x, y = numbers(3, dtype=dtype), numbers(3, dtype=dtype)
            part = x.real.dtype
            for name in RULES:
                with self.subTest(name, dtype=dtype):
                    found, optimizer = self.trained(name, x, y)
                    reals, _ = self.trained(name, x.view(part).reshape(3, 2),
                                            y.view(part).reshape(3, 2))
                    np.testing.assert_allclose(found, reals.reshape(6).view(dtype), 1e-5)
                    optimizer.load_state_dict(optimizer.state_dict())

    def test_clipping(self):
        x, y = numbers(3), numbers(3)
        clip = optim.ClipGradByGlobalNorm(0.5)
        found, _ = self.trained("SGD", x, y, clip)
        reals, _ = self.trained("SGD", x.view(float), y.view(float), clip)
        np.testing.assert_allclose(found, reals.view(complex))

    def test_programs(self):
        class Scaled(nn.Module):
            def __init__(self):
                super().__init__()
                self.w = nn.Parameter(sy.tensor(np.array([1 + 1j, 2 - 1j], "complex64")))

            def forward(self, x):
                return sy.abs(self.w * x)

        x, y = numbers(4, 2, dtype="complex64"), np.ones((4, 2), np.float32)
        for name in ("SGD", "Adam", "Rprop"):
            eager, traced = Scaled(), Scaled()
            optimizers = [getattr(optim, name)(model.parameters(), 0.01)
                          for model in (eager, traced)]
            step = static.train_step(traced, nn.MSELoss(), optimizers[1])
            for _ in range(3):
                optimizers[0].minimize(F.mse_loss(eager(sy.tensor(x)), sy.tensor(y)))
                step(x, y)
            np.testing.assert_array_equal(traced.w.numpy(), eager.w.numpy())

    def test_dtypes_of_one_optimizer(self):
        with self.assertRaisesRegex(TypeError, "all float64"):
            optim.SGD([sy.tensor(numbers(2), requires_grad=True),
                       sy.zeros([1], requires_grad=True)], 0.1)


if __name__ == "__main__":
    unittest.main()
