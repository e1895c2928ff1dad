# SPDX-License-Identifier: Apache-2.0
"""Products, relu, sums and transpositions of sparse tensors against SciPy and
NumPy, in every backend."""
import unittest

import numpy as np

from tests.samples.sparse_cases import backends, csr_of, ours, random_coo
import switchyard as sy
from switchyard import sparse

RNG = np.random.default_rng(7)


class ArithmeticTest(unittest.TestCase):

    def assert_dense(self, tensor, want):
        self.assertEqual(tensor.shape, want.shape)
        np.testing.assert_allclose(tensor.to_dense().numpy(), want, rtol=1e-5,
                                   atol=1e-5)

    def assert_sorted(self, tensor, want):
        """The elements of a SciPy matrix in row-major order, each once."""
        want = want.tocsr()
        want.sort_indices()
        np.testing.assert_allclose(sparse.values(tensor).numpy(), want.data,
                                   rtol=1e-5, atol=1e-5)
        self.assert_dense(tensor, want.toarray())

    def check_products(self, dtype):
        a = random_coo(6, 5, 14, dtype)
        b = random_coo(6, 5, 17, dtype, seed=2)
        product = a.tocsr().multiply(b.tocsr())
        self.assertGreater(product.nnz, 2)
        self.assertLess(product.nnz, a.nnz)
        dense = RNG.normal(size=(6, 5)).astype(dtype)
        for x, y in ((ours(a), ours(b)), (csr_of(a.tocsr()), csr_of(b.tocsr()))):
            self.assert_sorted(sparse.multiply(x, y), product)
            self.assertEqual(sparse.multiply(x, y).kind, x.kind)
            for number, factor in ((-3, -3), (0.5, 0.5), (np.float32(2), 2),
                                   (sy.tensor(np.array([0.5], dtype)), 0.5)):
                scaled = sparse.multiply(x, number)
                self.assert_dense(scaled, factor * a.toarray())
                self.assertEqual(len(sparse.values(scaled).numpy()),
                                 len(sparse.values(x).numpy()))
            self.assert_dense(sparse.multiply(x, sy.tensor(dense)),
                              a.toarray() * dense)

    def check_sums(self, dtype):
        a = random_coo(6, 5, 14, dtype)
        dense = a.toarray()
        for axis in (None, 0, 1, -1, -2, np.int64(1)):
            for keep in (False, True):
                want = np.asarray(dense.sum(axis=axis, keepdims=keep))
                got = sparse.sum(ours(a), axis, keep)
                self.assertEqual(got.kind, "sparse_coo")
                self.assert_dense(got, want.reshape(want.shape or (1,)))
        csr = csr_of(a.tocsr())
        for keep in (False, True):
            self.assert_dense(sparse.sum(csr, 1, keep),
                              dense.sum(axis=1, keepdims=True))
            self.assert_dense(sparse.sum(csr, None, keep),
                              dense.sum(keepdims=True))
        row = sparse.to_sparse_coo(sy.tensor(dense[0]))
        self.assert_dense(sparse.sum(row, 0), dense[0].sum(keepdims=True))

    def check_the_rest(self, dtype):
        a = random_coo(6, 5, 14, dtype)
        turned = sparse.transpose(ours(a), [1, 0])
        np.testing.assert_array_equal(sparse.values(turned).numpy(), a.data)
        self.assert_dense(turned, a.toarray().T)
        csr = csr_of(a.tocsr())
        self.assert_sorted(sparse.transpose(csr, [-1, 0]), a.T)
        self.assert_dense(sparse.transpose(csr, [0, 1]), a.toarray())
        for x in (ours(a), csr):
            rest = sparse.relu(x)
            summed = sparse.coalesce(x) if x.kind == "sparse_coo" else x
            np.testing.assert_array_equal(
                sparse.values(rest).numpy(),
                np.maximum(sparse.values(summed).numpy(), 0))
            self.assertEqual(rest.kind, x.kind)

    def test_every_backend(self):
        for policy in backends():
            for dtype in (np.float32, np.float64):
                with policy:
                    self.check_products(dtype)
                    self.check_sums(dtype)
                    self.check_the_rest(dtype)

    def test_without_values(self):
        for policy in backends():
            with policy:
                x = sparse.sparse_coo_tensor(np.zeros((2, 0), np.int64),
                                             np.zeros(0, np.float32), [3, 2])
                for y in (x, sparse.to_sparse_csr(x)):
                    for z in (sparse.multiply(y, y), sparse.multiply(y, 2.0),
                              sparse.relu(y), sparse.sum(y, 1, True),
                              sparse.sum(y), sparse.transpose(y, [1, 0])):
                        self.assertFalse(z.to_dense().numpy().any())
                np.testing.assert_array_equal(
                    sparse.values(sparse.sum(x)).numpy(), [0])

    def test_special_values(self):
        values = np.array([np.nan, -0.0, np.inf, -np.inf], np.float32)
        for policy in backends():
            with policy:
                x = sparse.sparse_coo_tensor([[0, 1, 2, 3]], values, [4])
                np.testing.assert_array_equal(
                    sparse.values(sparse.relu(x)).numpy(), [np.nan, 0, np.inf, 0])

    def check_errors(self):
        """Checks the errors that only kernels tell: they know the sparse axes."""
        values = sy.tensor(np.ones(2, np.float32))
        blocks = sparse.sparse_coo_tensor([[0, 1]], sy.tensor(np.ones((2, 2), np.float32)),
                                          [2, 2])
        x = sparse.sparse_coo_tensor([[0, 1], [1, 0]], values, [2, 2])
        with self.assertRaisesRegex(ValueError, "y must be of 2 sparse axes, got 1"):
            sparse.multiply(x, blocks)
        with self.assertRaisesRegex(
                ValueError, "perm must be one that leaves the dense axes of x, "
                "from 1 on, in place, got axis 1 at 0"):
            sparse.transpose(blocks, [1, 0])
        with self.assertRaisesRegex(IndexError, "axis must be 1 or -1 of a CSR matrix, got 0"):
            sparse.sum(sparse.to_sparse_csr(x), 0)

    def test_errors(self):
        for policy in backends():
            with policy:
                self.check_errors()


if __name__ == "__main__":
    unittest.main()
