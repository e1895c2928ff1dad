# SPDX-License-Identifier: Apache-2.0
"""Operators of ONNX on uint16, uint32 and uint64, at both ends of their ranges, and
quantisation to 16 bits and in blocks."""
import unittest

import numpy as np
from onnx_checks import RNG, OnnxCase, floats

UNSIGNED = ("uint16", "uint32", "uint64")


def numbers(dtype, *shape):
    top = np.iinfo(dtype).max
    x = RNG.integers(0, top, shape, dtype, endpoint=True)
    x.flat[:3] = top, 0, top // 2 + 1
    return x


def blocks(x, size, axis):
    return np.repeat(x, size, axis)


class OnnxUnsignedTest(OnnxCase):

    def same(self, got, wanted):
        np.testing.assert_array_equal(got, wanted)
        self.assertEqual(got.dtype, wanted.dtype)

    def test_reductions(self):
        for dtype in UNSIGNED:
            x = numbers(dtype, 3, 4)
            for name, function in (("Sum", np.sum), ("Prod", np.prod), ("Max", np.max), ("Min", np.min)):
                wanted = function(x, 1, keepdims=True)
                self.same(self.one(f"Reduce{name}", x, np.array([1]), opset=18), wanted.astype(dtype))
            wanted = np.sum(x * x, 1, keepdims=True).astype(dtype)
            self.same(self.one("ReduceSumSquare", x, np.array([1]), opset=18), wanted)
            self.same(self.one("ReduceL1", x, np.array([1]), opset=18),
                      np.sum(x, 1, keepdims=True).astype(dtype))

    def test_extremes_of_nothing(self):
        for dtype in (*UNSIGNED, "uint8", "int8", "int32", "int64"):
            x = np.zeros((2, 0), dtype)
            limits = np.iinfo(dtype)
            for name, one in (("Max", limits.min), ("Min", limits.max)):
                self.same(self.one(f"Reduce{name}", x, opset=20), np.full((1, 1), one, dtype))

    def test_running_sums_and_places(self):
        for dtype in UNSIGNED:
            x = numbers(dtype, 3, 4)
            self.same(self.one("CumSum", x, np.array(1)), np.cumsum(x, 1, dtype))
            for name, function in (("ArgMax", np.argmax), ("ArgMin", np.argmin)):
                self.same(self.one(name, x, axis=1, keepdims=0), function(x, 1))
            values, places = self.one("TopK", x, np.array([2]), outputs=2)
            self.same(values, np.sort(x, 1)[:, :1:-1])
            self.same(np.take_along_axis(x, places, 1), values)
            got = self.one("Unique", x, outputs=4)
            wanted = np.unique(x, True, True, True)
            self.same(got[0], wanted[0])
            np.testing.assert_array_equal(got[2], wanted[2].reshape(-1))

    def test_what_puts_elements(self):
        index = np.array([[2, 0, 1], [0, 1, 1]])
        for dtype in UNSIGNED:
            x, updates = numbers(dtype, 3, 3), numbers(dtype, 2, 3)
            for name, ufunc in (("add", np.add), ("mul", np.multiply), ("max", np.maximum),
                                ("min", np.minimum)):
                wanted = x.copy()
                ufunc.at(wanted, (index, np.arange(3)), updates)
                got = self.one("ScatterElements", x, index, updates, opset=18, reduction=name)
                self.same(got, wanted)
            wanted = x.copy()
            wanted[[2, 0]] = updates
            self.same(self.one("ScatterND", x, np.array([[2], [0]]), updates), wanted)
            self.same(self.one("NonZero", x), np.stack(np.nonzero(x)))
            a, b = numbers(dtype, 2, 3), numbers(dtype, 3, 2)
            self.same(self.one("Einsum", a, b, equation="ij,jk->ik"),
                      np.einsum("ij,jk->ik", a, b))

    def test_division(self):
        for dtype in UNSIGNED:
            x, y = numbers(dtype, 9), numbers(dtype, 9) | np.array(1, dtype)
            self.same(self.one("Div", x, y, opset=14), x // y)
            self.same(self.one("Mod", x, y, opset=14), x % y)
            self.same(self.one("BitShift", x, np.full(9, 3, dtype), opset=11, direction="LEFT"),
                      x << np.array(3, dtype))

    def test_sixteen_bits(self):
        x = floats(3, 8) * np.float32(40)
        x[0, :2] = np.inf, -np.inf
        scale = np.array([0.002, 0.5, 0.0625], np.float32)
        for dtype in ("int16", "uint16"):
            zero = np.array([7, 0, 100], dtype)
            wanted = np.rint(x / scale[:, None]) + zero[:, None]
            limits = np.iinfo(dtype)
            wanted = np.clip(wanted, limits.min, limits.max).astype(dtype)
            got = self.one("QuantizeLinear", x, scale, zero, opset=21, axis=0)
            self.same(got, wanted)
            back = (got.astype(np.float32) - zero[:, None].astype(np.float32)) * scale[:, None]
            self.same(self.one("DequantizeLinear", got, scale, zero, opset=21, axis=0), back)
            # A half holds neither the integers nor their differences.
            half = scale.astype(np.float16)
            back = (got.astype(np.float32) - zero[:, None]) * half[:, None].astype(np.float32)
            self.same(self.one("DequantizeLinear", got, half, zero, opset=21, axis=0),
                      back.astype(np.float16))
        code = 5  # int16
        got = self.one("QuantizeLinear", x, scale[1], opset=21, output_dtype=code)
        self.same(got, np.clip(np.rint(x / scale[1]), -2**15, 2**15 - 1).astype(np.int16))

    def test_blocks(self):
        for extent, size in ((8, 4), (7, 4)):
            x = floats(3, extent, 2) * np.float32(40)
            scale = np.abs(floats(3, 2, 2)) + np.float32(0.25)
            zero = RNG.integers(0, 9, (3, 2, 2)).astype(np.uint8)
            beside = [blocks(each, size, 1)[:, :extent] for each in (scale, zero)]
            wanted = np.clip(np.rint(x / beside[0]) + beside[1], 0, 255).astype(np.uint8)
            got = self.one("QuantizeLinear", x, scale, zero, opset=21, axis=1, block_size=size)
            self.same(got, wanted)
            back = (got.astype(np.float32) - beside[1]) * beside[0]
            self.same(self.one("DequantizeLinear", got, scale, zero, opset=21, axis=1,
                               block_size=size), back)


if __name__ == "__main__":
    unittest.main()
