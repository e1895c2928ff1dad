# SPDX-License-Identifier: Apache-2.0
"""Sparse gradients: what Python sees of them, and what refuses them."""
import unittest

import numpy as np

import switchyard as sy


def sparse_gradient():
    """Returns a 4 x 2 table with the gradient of its rows 1, 3 and 1 again."""
    weight = sy.tensor(np.ones((4, 2), np.float32), requires_grad=True)
    index = sy.tensor(np.array([1, 3, 1]))
    out = sy.ops.embedding(index, weight, -1, True)
    (out * sy.tensor(np.arange(6, dtype=np.float32).reshape(3, 2))
     ).sum().backward()
    return weight


class SelectedRowsTest(unittest.TestCase):

    def test_parts(self):
        grad = sparse_gradient().grad
        self.assertTrue(grad.is_selected_rows)
        self.assertEqual(grad.shape, (4, 2))
        np.testing.assert_array_equal(grad.rows, [1, 3, 1])
        self.assertEqual(grad.rows.dtype, np.int64)
        np.testing.assert_array_equal(grad.values.numpy(),
                                      [[0, 1], [2, 3], [4, 5]])

    def test_dense_form(self):
        grad = sparse_gradient().grad
        want = [[0, 0], [4, 6], [0, 0], [2, 3]]
        np.testing.assert_array_equal(grad.numpy(), want)
        dense = grad.to_dense()
        self.assertFalse(dense.is_selected_rows)
        np.testing.assert_array_equal(dense.numpy(), want)
        self.assertIs(dense.to_dense(), dense)

    def test_the_old_sum_keeps_rows(self):
        grad = sparse_gradient().grad
        sums = sy.legacy.run("sum", {"X": [grad, grad, grad]})["Out"]
        self.assertTrue(sums.is_selected_rows)
        np.testing.assert_array_equal(sums.rows, [1, 3, 1] * 3)
        np.testing.assert_array_equal(sums.numpy(), 3 * grad.numpy())
        dense = sy.legacy.run("sum", {"X": [grad, grad.to_dense()]})["Out"]
        self.assertFalse(dense.is_selected_rows)
        np.testing.assert_array_equal(dense.numpy(), 2 * grad.numpy())

    def test_merging_leaves_each_row_once(self):
        grad = sparse_gradient().grad
        merged = sy.legacy.run("merge_selected_rows", {"X": grad})["Out"]
        self.assertTrue(merged.is_selected_rows)
        np.testing.assert_array_equal(merged.rows, [1, 3])
        np.testing.assert_array_equal(merged.values.numpy(), [[4, 6], [2, 3]])
        self.assertEqual(merged.shape, (4, 2))
        again = sy.ops.merge_selected_rows(merged)
        np.testing.assert_array_equal(again.numpy(), grad.numpy())
        dense = sy.ops.merge_selected_rows(grad.to_dense())
        self.assertFalse(dense.is_selected_rows)
        np.testing.assert_array_equal(dense.numpy(), grad.numpy())

    def test_values_share_the_memory(self):
        grad = sparse_gradient().grad
        grad.values.copy_(sy.tensor(np.ones((3, 2), np.float32)))
        np.testing.assert_array_equal(grad.numpy(),
                                      [[0, 0], [2, 2], [0, 0], [1, 1]])

    def test_a_dense_tensor_has_no_rows(self):
        x = sy.tensor([1.0])
        self.assertFalse(x.is_selected_rows)
        self.assertFalse(hasattr(x, "rows"))
        with self.assertRaisesRegex(AttributeError, "values: tensor must be"):
            x.values  # pylint: disable=pointless-statement

    def test_what_takes_dense_tensors_only_says_so(self):
        weight = sparse_gradient()
        grad = weight.grad
        with self.assertRaisesRegex(TypeError, "copy_: tensor must be dense"):
            grad.copy_(grad)
        with self.assertRaisesRegex(TypeError, "copy_: tensor must be dense"):
            sy.tensor(np.ones((4, 2), np.float32)).copy_(grad)
        with self.assertRaisesRegex(TypeError, "index: tensor must be dense"):
            grad[0]  # pylint: disable=pointless-statement
        with self.assertRaises((TypeError, NotImplementedError)):
            grad += grad
        with self.assertRaises(BufferError):
            np.from_dlpack(grad)

    def test_sums(self):
        grad, ones = sparse_gradient().grad, np.ones((4, 2), np.float32)
        both = grad + grad
        self.assertTrue(both.is_selected_rows)
        np.testing.assert_array_equal(both.rows, [1, 3, 1, 1, 3, 1])
        np.testing.assert_array_equal(both.numpy(), 2 * grad.numpy())
        for total in (grad + sy.tensor(ones), sy.tensor(ones) + grad):
            self.assertFalse(total.is_selected_rows)
            np.testing.assert_array_equal(total.numpy(), ones + grad.numpy())
        x = sy.tensor(ones.copy())
        x += grad
        np.testing.assert_array_equal(x.numpy(), ones + grad.numpy())

    def test_what_has_no_kernel_for_them_says_so(self):
        grad = sparse_gradient().grad
        with self.assertRaisesRegex(
                NotImplementedError, "relu: .*x must be dense, got selected"):
            sy.ops.relu(grad)
        with self.assertRaisesRegex(
                NotImplementedError,
                r"concat: .*x\[1\] must be dense, got selected"):
            sy.ops.concat([sy.tensor(np.ones((4, 2), np.float32)), grad])
        with self.assertRaisesRegex(ValueError, r"add: y must be of shape \[4, 2\]"):
            sy.ops.add(grad, sy.tensor(np.ones(2, np.float32)))

    def test_rows_are_not_written_through_a_subscript(self):
        grad = sparse_gradient().grad
        before = grad.values.tolist()
        with self.assertRaisesRegex(TypeError, "must be dense, got selected"):
            grad[0] = 5.0
        with self.assertRaisesRegex(TypeError, "nbytes: x must be dense"):
            grad.nbytes
        self.assertEqual(grad.values.tolist(), before)

    def test_sgd_steps_by_them(self):
        weight = sparse_gradient()
        sy.optim.SGD([weight], 0.5).step()
        np.testing.assert_array_equal(
            weight.numpy(), [[1, 1], [-1, -2], [1, 1], [0, -0.5]])


if __name__ == "__main__":
    unittest.main()
