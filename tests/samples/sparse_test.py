# SPDX-License-Identifier: Apache-2.0
"""Sparse tensors against SciPy; gradients against central differences; eager and
traced, the same bits."""
import json
import pathlib
import re
import unittest

import numpy as np
import scipy.sparse

from tests.samples import samples
from tests.samples.sparse_cases import (arithmetic, backends, csr_of,
                                        eager_argument, objective, ours,
                                        random_coo, weighed)
import switchyard as sy
from switchyard import sparse, static

CHOICE = re.compile(r"(\w+) .*-> (?:fluid )?(\w+) (\w+)(?: (\w+))? \(")
RNG = np.random.default_rng(7)


class ConversionTest(unittest.TestCase):

    def assert_like(self, tensor, matrix):
        """The values in SciPy's order, and the dense form."""
        np.testing.assert_allclose(sparse.values(tensor).numpy(), matrix.data,
                                   rtol=1e-6)
        np.testing.assert_allclose(tensor.to_dense().numpy(), matrix.toarray(),
                                   rtol=1e-6, atol=1e-6)

    def test_coo(self):
        for dtype in (np.float32, np.float64):
            matrix = random_coo(5, 7, 20, dtype)
            x = ours(matrix)
            self.assertEqual((x.kind, x.shape, x.dtype),
                             ("sparse_coo", (5, 7), np.dtype(dtype).name))
            np.testing.assert_allclose(x.to_dense().numpy(), matrix.toarray(),
                                       rtol=1e-6, atol=1e-6)
            np.testing.assert_array_equal(sparse.values(x).numpy(), matrix.data)
            merged = matrix.tocsr()  # Sums what is of one position.
            merged.sort_indices()
            self.assert_like(sparse.coalesce(x), merged)
            self.assert_like(sparse.to_sparse_csr(x), merged)

    def test_csr(self):
        matrix = random_coo(5, 7, 20).tocsr()
        x = csr_of(matrix)
        self.assertEqual((x.kind, x.shape), ("sparse_csr", (5, 7)))
        self.assert_like(x, matrix)
        coo = sparse.to_sparse_coo(x)
        self.assertEqual(coo.kind, "sparse_coo")
        self.assert_like(coo, matrix)

    def test_of_dense(self):
        dense = random_coo(6, 4, 9).toarray()
        self.assert_like(sparse.to_sparse_coo(sy.tensor(dense)),
                         scipy.sparse.coo_matrix(dense))
        self.assert_like(sparse.to_sparse_csr(sy.tensor(dense)),
                         scipy.sparse.csr_matrix(dense))
        rows = sparse.to_sparse_coo(sy.tensor(dense), 1)
        np.testing.assert_array_equal(rows.to_dense().numpy(), dense)

    def test_more_axes(self):
        indices = np.array([[0, 2, 2], [1, 0, 0]])
        values = RNG.normal(size=(3, 4)).astype(np.float32)
        x = sparse.sparse_coo_tensor(indices, values, [3, 2, 4])
        want = np.zeros((3, 2, 4), np.float32)
        np.add.at(want, tuple(indices), values)
        np.testing.assert_allclose(x.to_dense().numpy(), want, rtol=1e-6)
        np.testing.assert_allclose(sparse.coalesce(x).to_dense().numpy(), want,
                                   rtol=1e-6)
        self.assertEqual(sparse.sparse_coo_tensor(indices, values).shape,
                         (3, 2, 4))

    def test_empty(self):
        x = sparse.sparse_coo_tensor(np.zeros((2, 0), np.int64),
                                     np.zeros(0, np.float32), [3, 2])
        np.testing.assert_array_equal(x.to_dense().numpy(), np.zeros((3, 2)))
        np.testing.assert_array_equal(
            sparse.to_sparse_csr(x).to_dense().numpy(), np.zeros((3, 2)))

    def test_sums(self):
        a, b = random_coo(5, 4, 9), random_coo(5, 4, 6, seed=2)
        np.testing.assert_allclose((ours(a) + ours(b)).to_dense().numpy(),
                                   (a + b).toarray(), rtol=1e-5, atol=1e-6)
        csr = csr_of(a.tocsr())
        np.testing.assert_allclose((csr + csr).to_dense().numpy(),
                                   2 * a.toarray(), rtol=1e-5)


class ReferenceTest(unittest.TestCase):
    """Repeats the checks with reference kernels."""

    def test_conversions(self):
        with sy.policy(backends=["reference"]):
            for name in dir(ConversionTest):
                if name.startswith("test_"):
                    with self.subTest(name):
                        getattr(ConversionTest(name), name)()


class MatmulTest(unittest.TestCase):

    def test_products(self):
        for dtype in (np.float32, np.float64):
            matrix = random_coo(5, 7, 20, dtype)
            y = RNG.normal(size=(7, 3)).astype(dtype)
            for x in (ours(matrix), csr_of(matrix.tocsr())):
                for policy in backends():
                    with policy:
                        product = sparse.matmul(x, sy.tensor(y)).numpy()
                    np.testing.assert_allclose(product, matrix @ y, rtol=1e-5,
                                               atol=1e-5)


class GradientTest(unittest.TestCase):

    def check(self, function, arrays, pattern):
        """Compares the gradients with central differences."""
        leaves = [sy.tensor(a, requires_grad=True) for a in arrays]
        function(*leaves, pattern).backward()
        for array, leaf in zip(arrays, leaves):
            numeric = np.zeros_like(array)
            for at in np.ndindex(array.shape):
                sides = []
                for step in (1e-6, -1e-6):
                    kept, array[at] = array[at], array[at] + step
                    sides.append(function(*map(sy.tensor, arrays),
                                          pattern).item())
                    array[at] = kept
                numeric[at] = (sides[0] - sides[1]) / 2e-6
            np.testing.assert_allclose(leaf.grad.numpy(), numeric, rtol=1e-6,
                                       atol=1e-5)

    def test_central_differences(self):
        for columns, function in ((5, objective), (4, arithmetic)):
            matrix = random_coo(4, columns, 12, np.float64)
            pattern = (matrix.row, matrix.col, matrix.shape)
            for policy in backends():
                arrays = [matrix.data.copy(), RNG.normal(size=(columns, 4))]
                with self.subTest(function.__name__), policy:
                    self.check(function, arrays, pattern)

    def test_of_blocks(self):
        """Values with an axis of their own, of positions that appear twice."""
        indices = np.array([[0, 2, 0, 1], [1, 0, 1, 1]])
        def function(values, dense, _):
            x = sparse.sparse_coo_tensor(indices, values, [3, 2, 3])
            y = sparse.sparse_coo_tensor(indices[::-1] % 2, values, [3, 2, 3])
            total = weighed(sparse.multiply(sparse.multiply(x, y), dense))
            for axis in (None, 0, 1, 2):
                for keep in (False, True):
                    total = total + weighed(sparse.sum(x, axis, keep))
            turned = sparse.transpose(x, [1, 0, 2])
            return total + weighed(sparse.multiply(turned, turned))
        for policy in backends():
            with policy:
                self.check(function, [RNG.normal(size=(4, 3)),
                                      RNG.normal(size=(3, 2, 3))], None)

    def test_csr_values(self):
        matrix = random_coo(4, 5, 12, np.float64).tocsr()
        values = sy.tensor(matrix.data, requires_grad=True)
        y = RNG.normal(size=(5, 2))
        x = sparse.sparse_csr_tensor(matrix.indptr, matrix.indices, values,
                                     matrix.shape)
        weights = RNG.normal(size=(4, 2))
        (sparse.matmul(x, sy.tensor(y)) * sy.tensor(weights)).sum().backward()
        want = (weights @ y.T)[matrix.tocoo().row, matrix.indices]
        np.testing.assert_allclose(values.grad.numpy(), want)


class TracedTest(unittest.TestCase):

    def test_the_same_bits(self):
        for columns, function in ((5, objective), (4, arithmetic)):
            matrix = random_coo(4, columns, 12)
            pattern = (matrix.row, matrix.col, matrix.shape)
            dense = RNG.normal(size=(columns, 4)).astype(np.float32)
            # pylint: disable-next=cell-var-from-loop
            program = static.trace(lambda v, d: function(v, d, pattern),
                                   static.InputSpec([12]),
                                   static.InputSpec([columns, 4]))
            got = program.run({"x0": matrix.data, "x1": dense})["out"]
            want = function(sy.tensor(matrix.data), sy.tensor(dense), pattern)
            self.assertEqual(got.tobytes(), want.numpy().tobytes())


class ErrorTest(unittest.TestCase):

    def test_arguments(self):
        values = sy.tensor(np.ones(2, np.float32))
        with self.assertRaisesRegex(IndexError, "indices of axis 1 must be in .0, 2., got 2"):
            sparse.sparse_coo_tensor([[0, 1], [2, 0]], values, [2, 2])
        with self.assertRaisesRegex(ValueError, "values must be"):
            sparse.sparse_coo_tensor([[0], [1]], values, [2, 2])
        with self.assertRaisesRegex(TypeError, "indices must be"):
            sy.ops.sparse_coo_tensor(values, sy.tensor(np.ones((2, 2), np.float32)), [2, 2])
        with self.assertRaisesRegex(ValueError, "crows must be ascending"):
            sparse.sparse_csr_tensor([0, 2, 1], [0, 1], values, [2, 2])
        with self.assertRaisesRegex(IndexError, "cols must be in"):
            sparse.sparse_csr_tensor([0, 1, 2], [0, 5], values, [2, 2])
        x = sparse.sparse_coo_tensor([[0, 1], [1, 0]], values, [2, 2])
        with self.assertRaisesRegex(ValueError, "y must be of shape"):
            sparse.matmul(x, sy.tensor(np.ones((3, 2), np.float32)))
        with self.assertRaisesRegex(TypeError, "x must be sparse_coo or sparse_csr, got dense"):
            sparse.matmul(values, values)
        with self.assertRaisesRegex(IndexError, "sparse_dim must be in"):
            sparse.to_sparse_coo(values, 3)
        with self.assertRaisesRegex(TypeError, "requires_grad must be set on"):
            x.requires_grad = True
        with self.assertRaisesRegex(TypeError, "numpy: tensor must be dense"):
            x.numpy()
        with self.assertRaisesRegex(NotImplementedError, "x must be dense"):
            sy.relu(x)


class KernelTest(unittest.TestCase):

    def run_all(self, dtype):
        """Runs every kernel of the backends that the policy leaves."""
        for columns, function in ((5, objective), (4, arithmetic)):
            matrix = random_coo(4, columns, 12, dtype)
            leaves = [sy.tensor(a.astype(dtype), requires_grad=True)
                      for a in (matrix.data, RNG.normal(size=(columns, 4)))]
            function(*leaves, (matrix.row, matrix.col, matrix.shape)).backward()
        merged = matrix.tocsr()
        values = sy.tensor(merged.data, requires_grad=True)
        csr = sparse.sparse_csr_tensor(merged.indptr, merged.indices, values,
                                       merged.shape)
        coo = ours(matrix, requires_grad=True)
        total = sparse.values(coo).sum() + csr.to_dense().sum()
        (total + sparse.values(csr).sum()).backward()
        (coo + coo)  # pylint: disable=expression-not-assigned

    def test_every_kernel_in_every_dtype(self):
        ran = set()
        for policy in backends():
            for dtype in (np.float32, np.float64):
                with policy, sy.record_selections() as log:
                    self.run_all(dtype)
                for line in log:
                    op, backend, of, kernel = CHOICE.match(line).groups()
                    ran.add((kernel or op, backend, of))
        entries = json.loads(
            pathlib.Path("docs/ops/generated/sparse.json").read_text())
        wanted = {(kernel, backend, dtype) for op in entries
                  for kernel, coverage in op["kernels"].items()
                  for backend, dtypes in coverage.items() for dtype in dtypes}
        self.assertGreater(len(wanted), 160)
        self.assertEqual([], sorted(wanted - ran))

    def test_invalid_samples(self):
        raises = {"invalid_argument": ValueError, "type_error": TypeError,
                  "out_of_range": IndexError}
        entries = samples.yaml.safe_load(
            (samples.FOLDER / "sparse.yaml").read_text())
        for op, row in ((e["op"], row) for e in entries for row in e["invalid"]):
            arguments = {name: eager_argument(value)
                         for name, value in row["call"].items()}
            with self.subTest(op, **row["call"]), self.assertRaisesRegex(
                    raises[row["code"]],
                    rf"^{op}: {row['argument']}\b.* must .*, got "):
                getattr(sy.ops, op)(**arguments)


if __name__ == "__main__":
    unittest.main()
