# SPDX-License-Identifier: Apache-2.0
"""Tensors of unsigned integers and of storage types come from arrays and go back
bit by bit; what computes refuses storage types by name."""

import itertools
import pickle
import unittest

import numpy as np

import switchyard as sy

UNSIGNED = ("uint16", "uint32", "uint64")
STORAGE = {"float8_e4m3fn": 8, "float8_e4m3fnuz": 8, "float8_e5m2": 8,
           "float8_e5m2fnuz": 8, "float8_e8m0fnu": 8, "float4_e2m1fn": 4,
           "int4": 4, "uint4": 4, "int2": 2, "uint2": 2}


class UnsignedExchangeTest(unittest.TestCase):

    def test_arrays_come_back(self):
        for dtype in UNSIGNED:
            top = np.iinfo(dtype).max
            array = np.array([[0, 1, 5], [top, top - 1, top // 2 + 1]], dtype)
            for each in (array, array.T, array[:, ::-1], array[:, :0]):
                x = sy.tensor(each)
                self.assertEqual(x.dtype, getattr(sy, dtype))
                self.assertEqual(x.numpy().dtype, each.dtype)
                np.testing.assert_array_equal(x.numpy(), each)
            self.assertEqual(sy.tensor(array).tolist(), array.tolist())
            np.testing.assert_array_equal(
                pickle.loads(pickle.dumps(sy.tensor(array))).numpy(), array)

    def test_they_share_memory_by_dlpack(self):
        for dtype in UNSIGNED:
            array = np.array([1, np.iinfo(dtype).max], dtype)
            x = sy.from_dlpack(array)
            self.assertEqual((x.dtype, x.tolist()), (dtype, array.tolist()))
            array[0] = 7
            self.assertEqual(x.tolist()[0], 7)
            back = np.from_dlpack(sy.tensor(array))
            self.assertEqual(back.dtype, array.dtype)
            np.testing.assert_array_equal(back, array)

    def test_numbers_of_python_must_fit(self):
        for dtype in UNSIGNED:
            top = int(np.iinfo(dtype).max)
            for numbers in (top, [0, top]):
                self.assertEqual(sy.tensor(numbers, dtype).tolist(), numbers)
            for wrong in (top + 1, -1, [top + 1], [-1], [top, -1], [0.5, -1.0], [2.0**64]):
                with self.assertRaisesRegex(ValueError, f"numbers? that {dtype} holds"):
                    sy.tensor(wrong, dtype)
        with self.assertRaisesRegex(ValueError, "numbers that int64 holds"):
            sy.tensor([2**63])
        self.assertEqual(sy.tensor([np.uint64(3)]).dtype, "uint64")


class PromotionTest(unittest.TestCase):

    def test_integers_become_the_smallest_that_hold_both(self):
        integers = [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)]
        for a, b in itertools.product(integers, integers):
            want = np.promote_types(a, b).name
            if want == "float64":
                with self.assertRaisesRegex(TypeError, "no integer dtype holds both"):
                    sy.result_type(a, b)
            else:
                self.assertEqual(sy.result_type(a, b), want, (a, b))
        for dtype in UNSIGNED:
            self.assertEqual(sy.result_type(dtype, "float32"), "float32")
            self.assertTrue(sy.isdtype(dtype, "unsigned integer"))
            self.assertEqual(sy.iinfo(dtype).max, np.iinfo(dtype).max)

    def test_storage_types_have_no_common_dtype(self):
        for dtype in STORAGE:
            x = sy.tensor(np.array([1, 2], np.uint8), dtype)
            for other in (1.5, True, sy.tensor([1.0, 2.0])):
                with self.assertRaisesRegex(TypeError, dtype):
                    x + other


class StorageExchangeTest(unittest.TestCase):

    def test_codes_come_back_as_bytes(self):
        for dtype, bits in STORAGE.items():
            codes = np.arange(2**bits, dtype=np.uint8).reshape(2, -1)
            for each in (codes, codes.T, codes[:, ::-1], codes[:0]):
                x = sy.tensor(each, dtype)
                self.assertEqual((x.dtype, x.shape), (getattr(sy, dtype), each.shape))
                got = x.numpy()
                self.assertEqual(got.dtype, np.uint8)
                np.testing.assert_array_equal(got, each)
            np.testing.assert_array_equal(
                pickle.loads(pickle.dumps(sy.tensor(codes, dtype))).numpy(), codes)

    def test_what_is_no_code(self):
        with self.assertRaisesRegex(ValueError, "data must be codes below 16 for int4, got 16"):
            sy.tensor(np.array([16], np.uint8), "int4")
        with self.assertRaisesRegex(ValueError, "data must be codes below 4 for uint2, got 4"):
            sy.tensor(np.array([4], np.uint8), "uint2")
        for array in (np.ones(2, np.float32), np.ones(2, np.int8)):
            with self.assertRaisesRegex(TypeError, "uint8 .its codes. for float8_e5m2"):
                sy.tensor(array, "float8_e5m2")

    def test_those_of_a_byte_share_memory_by_dlpack(self):
        for dtype, bits in STORAGE.items():
            x = sy.tensor(np.arange(2**bits, dtype=np.uint8), dtype)
            if bits < 8:
                with self.assertRaisesRegex(BufferError, f"got {dtype}"):
                    x.__dlpack__()
                continue
            back = sy.from_dlpack(x.__dlpack__())
            self.assertEqual(back.dtype, dtype)
            np.testing.assert_array_equal(back.numpy(), x.numpy())

    def test_what_computes_refuses_them(self):
        for dtype in STORAGE:
            x = sy.tensor(np.array([1, 2], np.uint8), dtype)
            for call in (lambda: sy.ops.add(x, x), lambda: sy.ops.exp(x),
                         lambda: sy.ops.sum(x), lambda: sy.ops.less_than(x, x),
                         lambda: sy.ops.matmul(x, x)):
                with self.assertRaisesRegex(TypeError, dtype):
                    call()


if __name__ == "__main__":
    unittest.main()
