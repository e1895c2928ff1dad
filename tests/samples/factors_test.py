# SPDX-License-Identifier: Apache-2.0
"""Factors of lu: rows exchanged one by one, and P L U = x."""
import unittest

import numpy as np

from tests.samples import sequence_cases as cases
import switchyard as sy


def exchanged(pivots, rows):
    """The order that 0, 1, ... have after rows are exchanged in turn."""
    out = np.zeros((*pivots.shape[:-1], rows), np.int64)
    for at in np.ndindex(pivots.shape[:-1]):
        order = list(range(rows))
        for i, pivot in enumerate(pivots[at]):
            order[i], order[pivot - 1] = order[pivot - 1], order[i]
        out[at] = order
    return out


class FactorsTest(unittest.TestCase):

    def test_rows_are_exchanged_in_turn(self):
        rng = np.random.default_rng(1)
        for dtype in (np.int32, np.int64):
            for shape, rows in (((3,), 3), ((2, 4), 6), ((2, 0), 3), ((0, 2), 2), ((1,), 1)):
                pivots = rng.integers(1, rows + 1, shape).astype(dtype)
                cases.check(self, "pivot_permutation", {"pivots": pivots, "rows": rows},
                            exchanged(pivots, rows))

    def test_factors_multiply_to_the_matrix(self):
        for shape in ((4, 4), (2, 3, 5, 3), (3, 6), (1, 1)):
            for dtype, tolerance in (("float64", 1e-13), ("float32", 1e-5)):
                x = np.random.default_rng(2).normal(size=shape).astype(dtype)
                packed, pivots, _ = sy.ops.lu(sy.tensor(x))
                p, l, u = (each.numpy() for each in sy.ops.lu_unpack(packed, pivots))
                self.assertEqual((p.dtype, l.dtype, u.dtype), (x.dtype,) * 3)
                np.testing.assert_allclose(p @ l @ u, x, atol=tolerance)
                np.testing.assert_array_equal(np.sort(p, -1)[..., -1], np.ones(p.shape[:-1]))
                k = min(shape[-2:])
                np.testing.assert_array_equal(l, np.tril(l))
                np.testing.assert_array_equal(u, np.triu(u))
                np.testing.assert_array_equal(np.diagonal(l, 0, -2, -1), np.ones((*shape[:-2], k)))

    def test_what_is_not_wanted_is_empty(self):
        x, pivots = sy.tensor(np.eye(3)), sy.tensor(np.array([1, 2, 3], np.int32))
        p, l, u = sy.ops.lu_unpack(x, pivots, unpack_ludata=False)
        self.assertEqual((p.shape, l.shape, u.shape), ((3, 3), (0,), (0,)))
        p, l, u = sy.ops.lu_unpack(x, pivots, unpack_pivots=False)
        self.assertEqual((p.shape, l.shape, u.shape), ((0,), (3, 3), (3, 3)))

    def test_gradient(self):
        x = np.random.default_rng(3).normal(size=(2, 4, 3))
        pivots = np.array([[2, 4, 3], [1, 2, 4]], np.int32)
        leaf = sy.tensor(x, requires_grad=True)
        _, l, u = sy.ops.lu_unpack(leaf, sy.tensor(pivots))
        weights = [np.random.default_rng(4).normal(size=each.shape) for each in (l, u)]
        grad = sy.grad([l, u], [leaf], [sy.tensor(each) for each in weights])[0].numpy()
        want = np.tril(weights[0], -1)
        want[:, :3] += np.triu(weights[1])
        np.testing.assert_array_equal(grad, want)


class InvalidTest(unittest.TestCase):

    def test_invalid_samples(self):
        self.assertEqual(cases.check_invalid(self, "factors"), 8)


if __name__ == "__main__":
    unittest.main()
