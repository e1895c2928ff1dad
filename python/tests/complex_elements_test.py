# SPDX-License-Identifier: Apache-2.0
"""Complex numbers where one is chosen, looked up, or put where others are, beside
NumPy, with gradients beside differences in both parts; and what refuses them."""

import unittest

import numpy as np

import switchyard as sy
from switchyard import nn, static

F = nn.functional
RNG = np.random.default_rng(5)


def numbers(*shape, dtype=np.complex128):
    return (RNG.normal(size=shape) + 1j * RNG.normal(size=shape)).astype(dtype)


def loss_of(function):
    """A real loss that depends on both parts of each result, and on its phase."""
    def loss(*tensors):
        results = function(*tensors)
        total = 0.0
        for i, y in enumerate(results if isinstance(results, tuple) else [results]):
            weight = sy.tensor(np.random.default_rng(i).normal(size=[*y.shape, 2]))
            total = total + sy.sum(sy.real(y) * weight[..., 0]) + sy.sum(
                sy.imag(y) * weight[..., 1]) + sy.sum(sy.square(sy.abs(y)))
        return total
    return loss


def by_differences(loss, arrays, number, parts=(1, 1j)):
    """dL/dx + i dL/dy of one of the arrays."""
    step, found = 1e-6, np.zeros(arrays[number].shape, np.result_type(float, *parts))
    for place in np.ndindex(found.shape):
        for part in parts:
            ends = []
            for sign in (1, -1):
                moved = [a.copy() for a in arrays]
                moved[number][place] += sign * step * part
                ends.append(loss(*map(sy.tensor, moved)).item())
            found[place] += part * (ends[0] - ends[1]) / (2 * step)
    return found


INDEX = np.array([[0, 2, 0, 0, 2], [1, 1, 1, 1, 1]])
WITH_ZEROS = np.where(np.arange(12).reshape(2, 6) % 4 == 0, 0, numbers(2, 6))


def put(include_self):
    def function(x, src):
        return sy.scatter_reduce(x, 1, sy.tensor(INDEX), src, "prod",
                                 include_self=include_self)

    def right(x, src):
        found = x.copy()
        for row in range(2):
            for k, to in enumerate(INDEX[row]):
                first = not include_self and to not in INDEX[row, :k]
                found[row, to] = src[row, k] * (1 if first else found[row, to])
        return found
    return function, right


def rows_multiplied(x, source):
    found = x.copy()
    np.multiply.at(found, [0, 2, 0], source)
    return found


def xlogy(x, y):
    return np.where(x == 0, 0, x * np.log(y))


TABLE = {
    "scatter_reduce": (*put(True), numbers(2, 3), WITH_ZEROS[:, 1:]),
    "scatter_reduce without": (*put(False), numbers(2, 3), WITH_ZEROS[:, 1:]),
    "index_reduce": (
        lambda x, y: sy.index_reduce(x, 0, sy.tensor([0, 2, 0]), y, "prod"),
        rows_multiplied, numbers(3, 2), numbers(3, 2)),
    "embedding": (lambda w: F.embedding(sy.tensor([[0, 2], [2, 1]]), w),
                  lambda w: w[[[0, 2], [2, 1]]], numbers(3, 2)),
    "embedding with padding": (
        lambda w: F.embedding(sy.tensor([0, 2, 0]), w, padding_idx=0),
        lambda w: np.stack([0 * w[0], w[2], 0 * w[0]]), numbers(3, 2)),
    "xlogy": (sy.special.xlogy, xlogy, np.append(numbers(3), 0), np.append(numbers(3), 2)),
    "xlog1py": (sy.special.xlog1py, lambda x, y: xlogy(x, 1 + y), numbers(3), numbers(3)),
    "eig": (sy.linalg.eig, None, numbers(2, 3, 3)),
}


class ComplexElementsTest(unittest.TestCase):

    def test_values_and_gradients(self):
        for name, (function, right, *arrays) in TABLE.items():
            with self.subTest(name=name):
                if right is not None:
                    got = function(*map(sy.tensor, arrays)).numpy()
                    np.testing.assert_allclose(got, right(*arrays), 1e-13)
                loss = loss_of(function)
                tensors = [sy.tensor(a, requires_grad=True) for a in arrays]
                grads = sy.grad(loss(*tensors), tensors)
                for i, grad in enumerate(grads):
                    if name == "xlogy" and i == 0:
                        continue  # It has a pole where x is 0 beside its fixed value.
                    np.testing.assert_allclose(
                        grad.numpy(), by_differences(loss, arrays, i), 1e-5, 1e-6)

    def test_programs_give_the_same(self):
        for name, (function, _, *arrays) in TABLE.items():
            def gradients(*tensors, function=function):
                for x in tensors:
                    if isinstance(x, sy.Tensor):
                        x.requires_grad = True
                return sy.grad(loss_of(function)(*tensors), list(tensors))
            tensors = list(map(sy.tensor, arrays))
            with self.subTest(name=name):
                program = static.trace(gradients, *[
                    static.InputSpec(a.shape, "complex128") for a in arrays])
                found = program(*tensors)
                found = found if isinstance(found, (list, tuple)) else [found]
                for got, right in zip(found, gradients(*tensors)):
                    np.testing.assert_allclose(got.numpy(), right.numpy(), 1e-12, 1e-12)

    def test_eigenvectors_of_real_matrices(self):
        """Gradients of losses that depend on the phase: the entry of largest
        magnitude of each vector stays positive."""
        x = RNG.normal(size=(4, 4))
        loss = loss_of(sy.linalg.eig)
        leaf = sy.tensor(x, requires_grad=True)
        (grad,) = sy.grad(loss(leaf), [leaf])
        np.testing.assert_allclose(grad.numpy(), by_differences(loss, [x], 0, (1,)),
                                   1e-5, 1e-6)
        right = sy.linalg.eig(sy.tensor(x))
        for got, wanted in zip(sy.linalg.eig(leaf), right):
            np.testing.assert_array_equal(got.numpy(), wanted.numpy())

    def test_no_order(self):
        """Functions that order say by their own name that x must be real."""
        for x in (sy.tensor(np.ones([2, 3], np.complex64)), sy.tensor(1j)):
            for name, call in {
                    "sort": sy.sort, "argsort": sy.argsort, "mode": sy.mode,
                    "median": sy.median, "nanmedian": sy.nanmedian,
                    "aminmax": sy.aminmax, "kthvalue": lambda x: sy.kthvalue(x, 1),
                    "max": lambda x: sy.max(x, dim=0),
                    "min": lambda x: sy.min(x, dim=-1)}.items():
                with self.subTest(name=name, shape=x.shape), self.assertRaisesRegex(
                        TypeError, f"^{name}: x must be real, got complex64"):
                    call(x)

    def test_distinct_numbers(self):
        """In NumPy's order, by real parts first."""
        for dtype in (np.complex64, np.complex128):
            for shape in ((0,), (1,), (20,), (4, 6)):
                x = (RNG.integers(0, 3, shape) + 1j * RNG.integers(-1, 2, shape))
                x = x.astype(dtype)
                right = np.unique(x, return_index=True, return_inverse=True,
                                  return_counts=True)
                got = sy.unique_all(sy.tensor(x))
                for part, wanted in zip(got, (*right[:2], right[2].reshape(shape),
                                              right[3])):
                    np.testing.assert_array_equal(part.numpy(), wanted)
                np.testing.assert_array_equal(sy.unique(sy.tensor(x)).numpy(), right[0])
        rows = np.array([[1, 1j], [1, -1j], [0, 2], [1, 1j]])
        values, inverse, counts = sy.unique(
            sy.tensor(rows), dim=0, return_inverse=True, return_counts=True)
        right = np.unique(rows, axis=0, return_inverse=True, return_counts=True)
        for got, wanted in zip((values, inverse, counts), right):
            np.testing.assert_array_equal(got.numpy(), wanted.reshape(got.shape))
        # As the standard has it, no NaN equals another; they are last.
        x = np.array([[1 + 2j, 3j], [complex(np.nan, 1), 2]])
        for row in ([3j, 1j, 2, 3j], [complex(np.nan, 1)], [2.0, 1.0], []):
            for numbers in (x, x[:, 1:1], x.real):
                found = sy.isin(sy.tensor(numbers), sy.tensor(np.array(row)))
                np.testing.assert_array_equal(found.numpy(), np.isin(numbers, row))
        odd = sy.unique(sy.tensor(np.array([np.nan, 1j, complex(0, np.nan)])))
        self.assertEqual(odd.shape[0], 3)
        self.assertEqual(odd.numpy()[0], 1j)

    def test_layers_and_tables(self):
        layer = nn.Embedding.from_pretrained(sy.tensor(numbers(3, 2)), freeze=False)
        layer(sy.tensor([0, 0])).abs().sum().backward()
        self.assertEqual(str(layer.weight.grad.dtype), "complex128")
        with self.assertRaisesRegex(TypeError, "embedding: sparse must be False"):
            F.embedding(sy.tensor([0]), sy.tensor(numbers(3, 2)), sparse=True)

    def test_what_refuses_them(self):
        """PyTorch refuses them too, and NumPy has no such function."""
        x = sy.tensor(numbers(2, 4, 4))
        for function in (lambda: F.cosine_similarity(x, x),
                         lambda: F.avg_pool1d(x, 2), lambda: F.avg_pool2d(x, 2),
                         lambda: F.adaptive_avg_pool2d(x, 2),
                         lambda: F.interpolate(x, scale_factor=2, mode="linear"),
                         lambda: sy.scatter_reduce(x, 0, sy.zeros([1, 1, 1], "int64"),
                                                   x, "amax")):
            with self.assertRaisesRegex(TypeError, "complex128"):
                function()


if __name__ == "__main__":
    unittest.main()
