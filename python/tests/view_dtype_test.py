# SPDX-License-Identifier: Apache-2.0
"""x.view(dtype) against NumPy's: bytes as elements of another dtype."""
import unittest

import numpy as np

import switchyard as sy

DTYPES = ("int8", "uint8", "int16", "uint16", "float16", "int32", "uint32", "float32", "int64", "uint64", "float64",
          "complex64", "complex128")
RNG = np.random.default_rng(3)


def given(dtype, *shape):
    size = np.dtype(dtype).itemsize
    data = RNG.integers(0, 256, (*shape[:-1], shape[-1] * size), np.uint8)
    return data.view(dtype)


class ViewDtypeTest(unittest.TestCase):

    def test_every_pair(self):
        for a in DTYPES:
            for b in DTYPES:
                for shape in ((3, 16), (0, 16), (2, 0)):
                    array = given(a, *shape)
                    got = sy.tensor(array).view(b)
                    want = array.view(b)
                    self.assertEqual((got.dtype, got.shape), (b, want.shape), (a, b))
                    self.assertEqual(got.numpy().tobytes(), want.tobytes(), (a, b))
        self.assertEqual(sy.tensor(np.float32(1)).view(np.int32).item(), 0x3F800000)
        self.assertEqual(sy.tensor([True, False]).view("uint8").tolist(), [1, 0])
        self.assertEqual(sy.tensor([1.0]).astype("bfloat16").view("int16").tolist(), [0x3F80])
        self.assertEqual(sy.tensor(np.uint8([3, 12]), "int4").view("uint4").tolist(), [3, 12])
        self.assertEqual(sy.tensor(np.uint8([3, 12]), "int4").view("uint8").tolist(), [3, 12])

    def test_it_shares_the_memory(self):
        x = sy.tensor(np.zeros((2, 4), np.float32), place="cpu")
        bits = x.view("int32")
        bits[1, 2] = 0x40000000
        self.assertEqual(x[1, 2].item(), 2.0)

    def test_strides(self):
        array = given("int32", 4, 6)
        x = sy.tensor(array)
        for part in (lambda a: a[1:], lambda a: a[:, 2:4], lambda a: a[::2], lambda a: a[2:, 4:]):
            for dtype in ("int8", "int32", "float32", "complex64"):
                np.testing.assert_array_equal(part(x).view(dtype).numpy().view("uint8"),
                                              np.ascontiguousarray(part(array)).view(dtype).view("uint8"))
        np.testing.assert_array_equal(x.T.view("uint32").numpy(), array.T.view("uint32"))
        for wrong, dtype in ((x.T, "int8"), (x[:, 1:3], "int64"), (x[:, :4:2], "int64"), (x[:, ::2], "int16")):
            with self.assertRaisesRegex(ValueError, "view: x must be of strides and an offset that allow a view as "):
                wrong.view(dtype)

    def test_traced(self):
        array = given("int32", 2, 4)
        program = sy.static.trace(lambda x: x.view("int16") + sy.tensor(np.int16(1)), array)
        np.testing.assert_array_equal(program(array).numpy(), array.view("int16") + np.int16(1))
        bits = sy.static.trace(lambda x: (x * 2.0).view("int32"), np.float32([1, 2]))
        self.assertEqual(bits(np.float32([1, 3])).tolist(), np.float32([2, 6]).view("int32").tolist())

    def test_no_gradient(self):
        x = sy.tensor([1.0, 2.0], requires_grad=True)
        y = x.view("int32")
        self.assertFalse(y.requires_grad)

    def test_errors(self):
        x = sy.zeros((2, 3))
        for dtype, kind, words in (("int64", ValueError, r"x must be of a last extent that 2 divides, got \[2, 3\]"),
                                   ("bool", TypeError, "dtype must be another than bool, whose bytes are 0 and 1"),
                                   ("int4", TypeError, r"dtype must be of 32 bits, as x \(float32\) is, got int4")):
            with self.assertRaisesRegex(kind, "view: " + words):
                x.view(dtype)
        with self.assertRaisesRegex(ValueError, "view: x must be of one axis at least where the width changes"):
            sy.tensor(1.0).view("int8")


if __name__ == "__main__":
    unittest.main()
