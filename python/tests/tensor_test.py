# SPDX-License-Identifier: Apache-2.0
"""Tensors: data in and out, text, Python's protocols. Their operators are in
tensor_operators_test.py."""
import copy
import pickle
import unittest

import numpy as np

import switchyard as sy


class MakingTest(unittest.TestCase):

    def test_dtypes_of_what_is_given(self):
        for data, dtype in [(1.5, "float32"), (2, "int64"), (True, "bool"),
                            ([[1, 2.0]], "float32"), ([], "float64"),
                            (np.float64(1), "float64"),
                            (np.zeros(2, np.float16), "float16"),
                            (np.zeros(2, np.int8), "int8"),
                            (np.zeros(2, np.uint8), "uint8")]:
            with self.subTest(str(data)):
                self.assertEqual(sy.tensor(data).dtype, dtype)

    def test_dtype_argument(self):
        for dtype in ("float64", np.float64, np.dtype("float64"), sy.float64):
            self.assertEqual(sy.tensor([1], dtype).dtype, "float64")
        self.assertEqual(sy.tensor([1, 2], "bfloat16").tolist(), [1.0, 2.0])

    def test_copies(self):
        array = np.arange(3.0)
        x = sy.tensor(array)
        array[0] = 7
        self.assertEqual(x.tolist(), [0, 1, 2])
        y = sy.tensor(x)
        y.copy_(sy.tensor([5.0, 5.0, 5.0], "float64"))
        self.assertEqual(x.tolist(), [0, 1, 2])

    def test_copy_of_a_tensor_keeps_bfloat16(self):
        self.assertEqual(sy.tensor(sy.tensor([1.5], "bfloat16")).dtype,
                         "bfloat16")

    def test_lists_of_tensors_are_stacked(self):
        x = sy.tensor([[1.0, 2.0], [3.0, 4.0]])
        array = x.numpy()
        for got, want in [(sy.tensor([x, x]), np.stack([array, array])),
                          (sy.tensor((x[0], [5.0, 6.0])),
                           np.array([[1, 2], [5, 6]], np.float32)),
                          (sy.tensor([[x[0]], [x[1]]]), array[:, None]),
                          (sy.tensor([x[0, 1], x[1, 0]]),
                           np.array([2, 3], np.float32)),
                          (sy.tensor([sy.tensor([1]), sy.tensor([2])]),
                           np.array([[1], [2]]))]:
            np.testing.assert_array_equal(got.numpy(), want)
            self.assertEqual(got.dtype, want.dtype.name)
        np.testing.assert_array_equal(np.array([x, x]),
                                      np.stack([array, array]))
        half = sy.tensor([1.5], "bfloat16")
        self.assertEqual(sy.tensor([[half], [half]]).dtype, "bfloat16")
        self.assertEqual(sy.tensor([half, sy.tensor([1.0])]).dtype, "float32")
        own = []
        own.append(own)
        for wrong in ([x, x[0]], [[1.0], [1.0, 2.0]], own):
            with self.assertRaisesRegex(TypeError, "data must be"):
                sy.tensor(wrong)

    def test_strided_and_bfloat16_arrays(self):
        array = np.arange(12.0).reshape(3, 4)[:, ::2]
        np.testing.assert_array_equal(sy.tensor(array).numpy(), array)
        x = sy.tensor(np.arange(6.0).reshape(2, 3), "bfloat16")
        np.testing.assert_array_equal(x.transpose().numpy(),
                                      np.arange(6.0).reshape(2, 3).T)
        self.assertEqual(sy.tensor(2.5, "bfloat16").item(), 2.5)

    def test_wrong_data(self):
        with self.assertRaisesRegex(TypeError, "data must be"):
            sy.tensor(object())
        with self.assertRaisesRegex(TypeError, "dtype must be"):
            sy.tensor([1], dtype="float33")
        with self.assertRaisesRegex(TypeError, "supported dtype"):
            sy.tensor(np.zeros(2, np.longdouble))
        with self.assertRaisesRegex(TypeError, "requires"):
            sy.tensor([1, 2], requires_grad=True)

    def test_lod(self):
        x = sy.tensor(np.zeros((6, 2)), lod=[[2, 1, 3]])
        self.assertEqual(x.lod, [[2, 1, 3]])
        self.assertIsNone(sy.tensor([1.0]).lod)
        with self.assertRaisesRegex(ValueError, "lod"):
            sy.tensor(np.zeros((5, 2)), lod=[[2, 1, 3]])

    def test_creation(self):
        np.testing.assert_array_equal(sy.zeros((2, 3)).numpy(),
                                      np.zeros((2, 3), np.float32))
        np.testing.assert_array_equal(sy.ones(3, "int32").numpy(),
                                      np.ones(3, np.int32))
        np.testing.assert_array_equal(sy.full([2], 7.5).numpy(), [7.5, 7.5])
        np.testing.assert_array_equal(sy.eye(2, 3).numpy(), np.eye(2, 3))
        for shape in (2, np.int64(2), [2], (2,), np.array([2])):
            for make in (sy.zeros, sy.ones, sy.rand, sy.randn):
                self.assertEqual(make(shape).shape, (2,))
        self.assertEqual(sy.arange(np.int64(3)).dtype, "int64")
        self.assertEqual(sy.arange(0, 1, 0.5).dtype, "float32")
        sy.seed(3)
        first = sy.randn(4, 5).numpy().copy()
        sy.seed(3)
        np.testing.assert_array_equal(sy.randn(4, 5).numpy(), first)
        between = sy.rand(1000).numpy()
        self.assertTrue(((between >= 0) & (between < 1)).all())


class TextTest(unittest.TestCase):

    def test_repr(self):
        self.assertEqual(repr(sy.tensor([[1.0, 2.0], [3.0, 4.5]])),
                         "tensor([[1. , 2. ],\n"
                         "        [3. , 4.5]], dtype=float32)")
        self.assertEqual(repr(sy.tensor(3)), "tensor(3, dtype=int64)")
        self.assertEqual(repr(sy.tensor([1.0], requires_grad=True)),
                         "tensor([1.], dtype=float32, requires_grad=True)")
        self.assertEqual(repr(sy.zeros((0, 2))),
                         "tensor([], shape=(0, 2), dtype=float32)")

    def test_large_tensors_are_short(self):
        text = repr(sy.zeros((1000, 1000)))
        self.assertLess(len(text), 500)
        self.assertIn("shape=(1000, 1000)", text)

    def test_format(self):
        self.assertEqual(f"{sy.tensor(0.5):.2f}", "0.50")


class ProtocolTest(unittest.TestCase):

    def setUp(self):
        self.x = sy.tensor(np.arange(6.0).reshape(2, 3), "float32")

    def test_facts(self):
        self.assertEqual(self.x.shape, (2, 3))
        self.assertEqual((self.x.ndim, self.x.size, self.x.nbytes), (2, 6, 24))
        self.assertEqual(len(self.x), 2)
        self.assertEqual(self.x.place, "cpu")

    def test_numbers(self):
        self.assertEqual(int(sy.tensor(3.7)), 3)
        self.assertEqual(float(sy.tensor([2])), 2.0)
        self.assertEqual(sy.tensor([1.5]).item(), 1.5)
        self.assertEqual([10, 20, 30][sy.tensor(1)], 20)
        for wrong, call in [(TypeError, lambda: float(self.x)),
                            (TypeError, lambda: [1][sy.tensor(0.0)]),
                            (ValueError, lambda: self.x.item()),
                            (ValueError, lambda: bool(self.x)),
                            (TypeError, lambda: len(sy.tensor(1)))]:
            with self.assertRaises(wrong):
                call()
        self.assertTrue(sy.tensor([2]))
        self.assertFalse(sy.tensor(0.0))

    def test_sequence(self):
        rows = [row.tolist() for row in self.x]
        self.assertEqual(rows, [[0, 1, 2], [3, 4, 5]])
        self.assertIn(4, self.x)
        self.assertNotIn(7, self.x)
        with self.assertRaises(TypeError):
            iter(sy.tensor(1))
        self.assertEqual([row.tolist() for row in list(self.x)], rows)
        self.assertEqual([row.tolist() for row in reversed(self.x)], rows[::-1])
        np.testing.assert_array_equal(np.array(self.x), self.x.numpy())

    def test_array_is_a_copy_when_asked_for(self):
        self.assertTrue(np.shares_memory(self.x.__array__(), self.x.numpy()))
        self.assertTrue(np.shares_memory(self.x.__array__(copy=False), self.x.numpy()))
        self.assertFalse(np.shares_memory(self.x.__array__(copy=True), self.x.numpy()))
        self.assertEqual(self.x.__array__("float64").dtype, np.float64)
        for x, dtype in ((self.x, "float64"), (self.x.astype("bfloat16"), None)):
            with self.assertRaisesRegex(ValueError, "copy must not be False to have"):
                x.__array__(dtype, copy=False)

    def test_hash_is_of_the_object(self):
        other = self.x.clone()
        self.assertEqual(hash(self.x), hash(self.x))
        self.assertEqual(len({self.x, other, self.x}), 2)
        names = {self.x: "x", other: "other"}
        self.assertEqual((names[self.x], names[other]), ("x", "other"))
        self.assertNotIn(sy.ones([2, 3]), names)
        self.assertEqual((self.x == other).dtype, "bool")
        found = []
        sy.static.trace(lambda v: found.append(len({v, v, v * 2.0})) or v,
                        np.ones(2, np.float32))
        self.assertEqual(found, [2])

    def test_numpy_shares_memory(self):
        self.x.numpy()[0, 0] = 9
        self.assertEqual(self.x[0, 0].item(), 9)
        self.assertIs(type(np.asarray(self.x)), np.ndarray)
        self.assertEqual(np.asarray(self.x, np.float64).dtype, np.float64)
        self.assertTrue(np.isfinite(self.x).all())

    def test_pickle_and_deep_copy(self):
        for x in (self.x, sy.tensor([1.5], "bfloat16"),
                  sy.tensor([1.0], requires_grad=True),
                  sy.tensor(np.zeros((3, 1)), lod=[[1, 2]])):
            for y in (pickle.loads(pickle.dumps(x)), copy.deepcopy(x)):
                self.assertIsNot(y, x)
                self.assertEqual(repr(y), repr(x))
                self.assertEqual(y.lod, x.lod)
        y = copy.deepcopy(self.x)
        y[0] = -1.0
        self.assertEqual(self.x[0, 1].item(), 1.0)

    def test_methods(self):
        array = self.x.numpy()
        for got, want in [
                (self.x.reshape(3, 2), array.reshape(3, 2)),
                (self.x.reshape([-1]), array.reshape(-1)),
                (self.x.reshape((1, -1, 2)), array.reshape(1, -1, 2)),
                (self.x.reshape(np.array([3, 2])), array.reshape(3, 2)),
                (self.x.reshape(sy.tensor([3, 2])), array.reshape(3, 2)),
                (self.x.reshape(np.int64(6)), array.reshape(6)),
                (self.x.transpose(), array.T), (self.x.T, array.T),
                (self.x.transpose(1, 0), array.transpose(1, 0)),
                (self.x.transpose([0, 1]), array),
                (self.x.astype("int32"), array.astype(np.int32)),
                (self.x.astype(np.float64), array.astype(np.float64)),
                (self.x.sum(0), array.sum(0)), (self.x.sum(), array.sum()),
                (self.x.sum(axis=[0, 1]), array.sum()),
                (self.x.sum(None), array.sum()),
                (self.x.sum(1, keepdim=True), array.sum(1, keepdims=True)),
                (self.x.mean(-1), array.mean(-1)), (self.x.max(0), array.max(0)),
                (self.x.exp(), np.exp(array)), (self.x.clone(), array),
                (self.x.expand(4, 2, 3), np.broadcast_to(array, (4, 2, 3)))]:
            np.testing.assert_allclose(got.numpy(), want, rtol=1e-6)
            self.assertEqual(got.shape, want.shape)
        self.assertIs(self.x.astype("float32"), self.x)

    def test_chosen_operators_are_methods(self):
        for name in ("relu", "matmul", "concat", "gaussian", "sgd_", "relu_"):
            self.assertTrue(hasattr(sy.ops, name), name)
        for name in ("relu", "matmul", "softmax", "relu_"):
            self.assertTrue(hasattr(sy.Tensor, name), name)
            self.assertTrue(hasattr(sy.static.Value, name), name)
        for name in ("cast", "concat", "gaussian", "sgd_"):
            self.assertFalse(hasattr(sy.Tensor, name), name)
        self.assertIs(sy.matmul, sy.ops.matmul)

    def test_lists_longer_than_any_are_refused_unread(self):
        for shape in (sy.expand(sy.ones([1], "int64"), [2**40]),
                      sy.full([2**40, 0], 1, "int64"),
                      np.broadcast_to(np.int64(1), (2**40,)), range(2**40)):
            with self.assertRaisesRegex(
                    ValueError, r"^reshape: shape must be of at most \d+ "
                    f"elements, got {2**40}"):
                sy.reshape(self.x, shape)
        row = sy.expand(sy.ones([1], "int64"), [1, 2**40])
        for call in (lambda: self.x.expand(row), lambda: self.x.reshape(row),
                     lambda: sy.reshape(self.x, row)):
            with self.assertRaisesRegex((TypeError, ValueError), "shape must"):
                call()

    def test_attributes_from_arrays_and_tensors(self):
        for shape in ([3, 2], (3, 2), np.array([3, 2]), sy.tensor([3, 2])):
            self.assertEqual(sy.reshape(self.x, shape).shape, (3, 2))
        self.assertEqual(self.x.sum(np.int64(1)).shape, (2,))


if __name__ == "__main__":
    unittest.main()
