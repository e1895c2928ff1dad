# SPDX-License-Identifier: Apache-2.0
"""Tensors under Python's operators: NumPy's results, in place too."""
import operator
import unittest

import numpy as np

import switchyard as sy


class OperatorTest(unittest.TestCase):

    BINARY = [operator.add, operator.sub, operator.mul, operator.truediv,
              operator.floordiv, operator.mod, operator.pow, operator.lt,
              operator.le, operator.gt, operator.ge, operator.eq, operator.ne]

    def test_binary_operators_are_numpys(self):
        rng = np.random.default_rng(0)
        for dtype in (np.float32, np.float64, np.int32, np.int64):
            a = rng.integers(1, 6, (2, 3)).astype(dtype)
            b = rng.integers(1, 4, 3).astype(dtype)
            if dtype in (np.float32, np.float64):
                a, b = a + dtype(0.25), b - dtype(0.5)
            for op in self.BINARY:
                with self.subTest(op=op.__name__, dtype=dtype.__name__):
                    for left, right in [(sy.tensor(a), sy.tensor(b)),
                                        (sy.tensor(a), b), (a, sy.tensor(b)),
                                        (sy.tensor(a), 2), (2, sy.tensor(b))]:
                        got = op(left, right)
                        want = op(np.asarray(left), np.asarray(right))
                        self.assertIsInstance(got, sy.Tensor)
                        np.testing.assert_allclose(got.numpy(), want, rtol=1e-5)

    def test_negative_operands_of_floor_division_and_remainder(self):
        a = np.array([-7, -3, 3, 7])
        for b in (2, -2, 3):
            for dtype in (np.int64, np.float32):
                x = sy.tensor(a.astype(dtype))
                np.testing.assert_array_equal((x // b).numpy(), a // b)
                np.testing.assert_array_equal((x % b).numpy(), a % b)
        quotient, rest = divmod(sy.tensor(a), 2)
        np.testing.assert_array_equal(quotient.numpy(), a // 2)
        np.testing.assert_array_equal(rest.numpy(), a % 2)
        quotient, rest = divmod(7, sy.tensor(a))
        np.testing.assert_array_equal(quotient.numpy(), 7 // a)
        np.testing.assert_array_equal(rest.numpy(), 7 % a)

    def test_unary_operators(self):
        a = np.array([-1.5, 0.0, 2.75], np.float32)
        x = sy.tensor(a)
        np.testing.assert_array_equal((-x).numpy(), -a)
        np.testing.assert_array_equal((+x).numpy(), a)
        np.testing.assert_array_equal(abs(x).numpy(), abs(a))
        np.testing.assert_array_equal(round(x).numpy(), np.round(a))
        m = np.array([True, False])
        np.testing.assert_array_equal((~sy.tensor(m)).numpy(), ~m)

    def test_decimals_beyond_the_range(self):
        """Numbers that would overflow on the way are whole already, or have no
        such decimals."""
        for dtype, values in ((np.float32, [3e38, -2.675, 0, np.inf, np.nan]),
                              (np.float64, [1e308, -2.675, 0, np.inf, np.nan])):
            a = np.array(values, dtype)
            for decimals in (2, 40, 400):
                with np.errstate(over="ignore"):
                    want = np.round(a, 2) if decimals == 2 else a
                want[0] = a[0]  # Where NumPy's is infinite.
                np.testing.assert_allclose(
                    sy.round(sy.tensor(a), decimals).numpy(), want, 1e-6)

    def test_logical_operators(self):
        a = np.array([True, True, False, False])
        b = np.array([True, False, True, False])
        for op in (operator.and_, operator.or_, operator.xor):
            np.testing.assert_array_equal(
                op(sy.tensor(a), sy.tensor(b)).numpy(), op(a, b))
        with self.assertRaisesRegex(TypeError, "between bools or integers, got "
                                    "float32"):
            sy.tensor([True]) & sy.tensor([2.0])

    def test_matmul(self):
        a = np.random.default_rng(0).normal(size=(2, 3, 4))
        b = np.random.default_rng(1).normal(size=(4, 5))
        np.testing.assert_allclose((sy.tensor(a) @ b).numpy(), a @ b)
        np.testing.assert_allclose((a @ sy.tensor(b)).numpy(), a @ b)

    def test_numbers_keep_the_tensors_dtype(self):
        self.assertEqual((sy.tensor([1.0], "float64") * 2.5).dtype, "float64")
        self.assertEqual((sy.tensor([1], "int32") + 2).dtype, "int32")
        self.assertEqual((sy.tensor([1], "int32") * 0.5).dtype, "float32")
        self.assertEqual((sy.tensor([1.0], "float16") + 1).dtype, "float16")
        self.assertEqual((sy.tensor([True]) + 1).tolist(), [2])
        with self.assertRaisesRegex(ValueError, "uint8"):
            sy.tensor([1], "uint8") + 300

    def test_foreign_operands(self):
        class Foreign:
            def __radd__(self, other):
                return "mine"
        self.assertEqual(sy.tensor([1.0]) + Foreign(), "mine")
        with self.assertRaises(TypeError):
            sy.tensor([1.0]) + "text"
        self.assertFalse(sy.tensor([1.0]) == None)  # noqa: E711
        self.assertTrue(sy.tensor([1.0]) != "text")

    def test_in_place(self):
        x = sy.tensor(np.arange(6.0).reshape(2, 3))
        same, want = x, np.arange(6.0).reshape(2, 3)
        for op in (operator.iadd, operator.isub, operator.imul,
                   operator.itruediv):
            x = op(x, 3)
            want = op(want, 3)
            x = op(x, sy.tensor([1.0, 2.0, 4.0], "float64"))
            want = op(want, np.array([1.0, 2.0, 4.0]))
            self.assertIs(x, same)
            np.testing.assert_allclose(x.numpy(), want)
        self.assertIs(x.relu_(), same)
        self.assertIs(sy.ops.scale_(x, 2.0), same)
        want = np.maximum(want, 0) * 2
        x //= 2
        want //= 2
        x %= 5
        want %= 5
        x **= 2
        want **= 2
        x **= sy.tensor([1.0, 0.5, 2.0], "float64")
        want **= [1.0, 0.5, 2.0]
        self.assertIs(x, same)
        np.testing.assert_allclose(x.numpy(), want)
        column = x[:, 1]
        column += 10
        want[:, 1] += 10
        np.testing.assert_allclose(x.numpy(), want)
        x[0] *= 2
        want[0] *= 2
        np.testing.assert_allclose(x.numpy(), want)

    def test_in_place_refuses_another_dtype_or_shape(self):
        x = sy.tensor([1, 2])
        with self.assertRaises((TypeError, ValueError)):
            x += 0.5
        with self.assertRaises(ValueError):
            x += sy.tensor([[1, 2], [3, 4]])
        self.assertEqual(x.tolist(), [1, 2])

    def test_in_place_of_integers_and_bools(self):
        x = same = sy.tensor([7, -7, 3])
        x //= 2
        x %= 3
        x **= 2
        self.assertIs(x, same)
        self.assertEqual(x.tolist(), [0, 4, 1])
        with self.assertRaises(TypeError):
            x **= 0.5
        self.assertEqual(x.tolist(), [0, 4, 1])
        for op in (operator.iand, operator.ior, operator.ixor):
            a, b = [True, True, False, False], [True, False, True, False]
            m = sy.tensor(a)
            self.assertIs(op(m, sy.tensor(b)), m)
            np.testing.assert_array_equal(m.numpy(),
                                          op(np.array(a), np.array(b)))
        x &= sy.tensor([1, 2, 3])
        self.assertEqual(x.tolist(), [0, 0, 1])
        with self.assertRaisesRegex(TypeError, "& must be between bools or integers"):
            x &= sy.tensor([1.0, 2.0, 3.0])

    def test_matmul_binds_the_name_anew(self):
        x = same = sy.ones([2, 3])
        x @= sy.ones([3, 4])
        self.assertEqual((x.shape, same.shape), ((2, 4), (2, 3)))

    def test_in_place_on_an_expanded_view_is_refused(self):
        for dtype in ("float32", "bfloat16"):
            x = sy.tensor([[1.0], [2.0]], dtype)
            view = x.expand(2, 3)

            def add():
                y = view
                y += 1

            def assign():
                view[0] = 5.0

            def copy_all():
                view.copy_(sy.ones([2, 3], dtype))

            def copy_row():
                view[0].copy_(sy.ones([3], dtype))
            for write in (add, assign, copy_all, copy_row):
                with self.assertRaisesRegex(RuntimeError, "expanded view"):
                    write()
                self.assertEqual(x.tolist(), [[1.0], [2.0]])
            once = x.expand(1, 2, 1)
            once += 1
            self.assertEqual(x.tolist(), [[2.0], [3.0]])

    def test_in_place_on_a_leaf_is_refused(self):
        x = sy.tensor([1.0], requires_grad=True)
        with self.assertRaisesRegex(RuntimeError, "leaf"):
            x += 1
        with sy.no_grad():
            x += 1
        self.assertEqual(x.tolist(), [2.0])

    def test_wrong_calls_name_operator_and_argument(self):
        x = sy.tensor([1.0])
        for wrong, words, call in [
                (TypeError, "softmax: has no argument 'axes'",
                 lambda: sy.softmax(x, axes=1)),
                (TypeError, "softmax: got two values for 'x'",
                 lambda: sy.softmax(x, x=x)),
                (TypeError, "softmax: takes 2 arguments by position, got 3",
                 lambda: sy.softmax(x, 0, 1)),
                (TypeError, "relu: takes 1 argument by position, got 2",
                 lambda: sy.relu(x, 0)),
                (TypeError, "softmax: axis must be an integer",
                 lambda: sy.softmax(x, axis="0")),
                (TypeError, "softmax: x must be", lambda: sy.softmax()),
                (ValueError, "add: y must",
                 lambda: sy.tensor([1.0, 2.0]) + sy.tensor([1.0, 2.0, 3.0])),
                (IndexError, "softmax: axis must be in",
                 lambda: sy.softmax(x, 5)),
                (MemoryError, "full", lambda: sy.full([2**40, 2**10], 1.0))]:
            with self.assertRaisesRegex(wrong, words):
                call()


if __name__ == "__main__":
    unittest.main()
