# SPDX-License-Identifier: Apache-2.0
"""Complex numbers in reductions, products, running ones, convolutions, losses and
matrix functions: beside NumPy, with gradients beside differences in both parts."""

import unittest

import numpy as np

import switchyard as sy
from switchyard import linalg, nn

F = nn.functional
RNG = np.random.default_rng(11)


def numbers(*shape, dtype=np.complex128):
    return (RNG.normal(size=shape) + 1j * RNG.normal(size=shape)).astype(dtype)


def loss_of(function):
    """A real loss that depends on both parts of each result."""
    def loss(*tensors):
        y = function(*tensors)
        weight = sy.tensor(np.random.default_rng(0).normal(size=[*y.shape, 2]))
        if not y.dtype.startswith("complex"):
            return sy.sum(y * weight[..., 0])
        return sy.sum(sy.real(y) * weight[..., 0] + sy.imag(y) * weight[..., 1])
    return loss


def by_differences(loss, arrays, number):
    """dL/dx + i dL/dy of one of the arrays."""
    step, found = 1e-6, np.zeros(arrays[number].shape, complex)
    for place in np.ndindex(found.shape):
        for part in (1, 1j):
            ends = []
            for sign in (1, -1):
                moved = [a.copy() for a in arrays]
                moved[number][place] += sign * step * part
                ends.append(loss(*map(sy.tensor, moved)).item())
            found[place] += part * (ends[0] - ends[1]) / (2 * step)
    return found


def correlated(x, w, stride=1):
    """The conv1d of [channels, length] and [out, channels, size]."""
    size = w.shape[2]
    return np.stack([np.einsum("ck,ock->o", x[:, i:i + size], w)
                     for i in range(0, x.shape[1] - size + 1, stride)], -1)


def correlated_2d(x, w):
    high, wide = w.shape[2:]
    return np.stack([np.stack([
        np.einsum("chw,ochw->o", x[:, i:i + high, j:j + wide], w)
        for j in range(x.shape[2] - wide + 1)], -1)
        for i in range(x.shape[1] - high + 1)], 1)


def spread(x, w):
    """The conv_transpose1d of [channels, length], [channels, out, size]."""
    found = np.zeros((w.shape[1], x.shape[1] + w.shape[2] - 1), complex)
    for i in range(x.shape[1]):
        found[:, i:i + w.shape[2]] += np.einsum("c,cok->ok", x[:, i], w)
    return found


def exponential(x):
    values, vectors = np.linalg.eig(x)
    return vectors * np.exp(values)[..., None, :] @ np.linalg.inv(vectors)


ZERO = np.array([[1 + 1j, 0, 2j], [0, 0, 3 - 1j]])  # Products whose factor is 0.
TABLE = {
    "sum": (lambda x: sy.sum(x, 1), lambda x: x.sum(1), numbers(2, 3)),
    "mean": (lambda x: sy.mean(x, 0), lambda x: x.mean(0), numbers(2, 3)),
    "prod": (sy.prod, np.prod, numbers(2, 3)),
    "prod of zeros": (lambda x: sy.prod(x, 1), lambda x: x.prod(1), ZERO),
    "cumsum": (lambda x: sy.cumsum(x, 1), lambda x: x.cumsum(1), numbers(2, 3)),
    "cumprod": (lambda x: sy.cumprod(x, 0), lambda x: x.cumprod(0), numbers(3, 2)),
    "var": (lambda x: sy.var(x, 1), lambda x: x.var(1), numbers(2, 4)),
    "std": (lambda x: sy.std(x, 1), lambda x: x.std(1), numbers(2, 4)),
    "trace": (sy.trace, np.trace, numbers(3, 3)),
    "vector_norm": (lambda x: linalg.vector_norm(x, 3),
                    lambda x: np.sum(np.abs(x)**3)**(1 / 3), numbers(4)),
    "matrix_norm": (lambda x: linalg.matrix_norm(x, "nuc"),
                    lambda x: np.linalg.norm(x, "nuc"), numbers(3, 2)),
    "matmul": (sy.matmul, np.matmul, numbers(2, 3), numbers(3, 2)),
    "vecdot": (linalg.vecdot, lambda x, y: (x.conj() * y).sum(-1), numbers(2, 3),
               numbers(2, 3)),
    "einsum": (lambda x, y: sy.einsum("ij,kj->ik", x, y), lambda x, y: x @ y.T,
               numbers(2, 3), numbers(2, 3)),
    "kron": (sy.kron, np.kron, numbers(2, 1), numbers(1, 2)),
    "matrix_exp": (linalg.matrix_exp, exponential, numbers(3, 3)),
    "cholesky": (lambda x: linalg.cholesky(sy.matmul(x, x.conj().mT)),
                 lambda x: np.linalg.cholesky(x @ x.conj().T), numbers(2, 2)),
    "eigvalsh": (lambda x: linalg.eigvalsh(sy.matmul(x, x.conj().mT)),
                 lambda x: np.linalg.eigvalsh(x @ x.conj().T), numbers(3, 3)),
    "svdvals": (linalg.svdvals, lambda x: np.linalg.svd(x, compute_uv=False),
                numbers(3, 2)),
    "conv1d": (lambda x, w: F.conv1d(x[None], w, stride=2)[0],
               lambda x, w: correlated(x, w, 2), numbers(2, 5), numbers(3, 2, 2)),
    "conv2d": (lambda x, w: F.conv2d(x[None], w)[0], correlated_2d, numbers(2, 3, 3),
               numbers(1, 2, 2, 2)),
    "conv_transpose1d": (lambda x, w: F.conv_transpose1d(x[None], w)[0], spread,
                         numbers(2, 3), numbers(2, 1, 2)),
    "l1_loss": (F.l1_loss, lambda x, y: np.abs(x - y).mean(), numbers(3), numbers(3)),
    "index_add": (lambda x, y: sy.index_add(x, 0, sy.tensor([0, 0]), y),
                  lambda x, y: x + np.stack([y[0] + y[1], 0 * y[0]]), numbers(2, 2),
                  numbers(2, 2)),
}


class ComplexSumsTest(unittest.TestCase):

    def test_values(self):
        for name, (function, right, *arrays) in TABLE.items():
            for dtype, tolerance in (("complex128", 1e-12), ("complex64", 1e-4)):
                with self.subTest(name, dtype=dtype):
                    given = [a.astype(dtype) for a in arrays]
                    got = function(*map(sy.tensor, given))
                    self.assertIn(got.dtype, (dtype, "float64" if dtype == "complex128"
                                              else "float32"))
                    np.testing.assert_allclose(got.numpy(), right(*given), tolerance,
                                               tolerance)

    def test_gradients(self):
        for name, (function, _, *arrays) in TABLE.items():
            with self.subTest(name):
                loss = loss_of(function)
                tensors = [sy.tensor(a, requires_grad=True) for a in arrays]
                for i, grad in enumerate(sy.grad(loss(*tensors), tensors)):
                    np.testing.assert_allclose(
                        grad.numpy(), by_differences(loss, arrays, i), 1e-5, 1e-6)


if __name__ == "__main__":
    unittest.main()
