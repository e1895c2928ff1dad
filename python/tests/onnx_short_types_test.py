# SPDX-License-Identifier: Apache-2.0
"""Operators of ONNX on integers of few bits and on halves, which wider numbers
compute here, and on shapes at the edges."""
import unittest

import numpy as np
import onnx_models as onnx
import switchyard as sy
from onnx_checks import RNG, OnnxCase, floats

SHORT = ("bool", "uint8", "int8", "int16")


def numbers(dtype, *shape):
    return RNG.integers(0, 2 if dtype == "bool" else 120, shape).astype(dtype)


class OnnxShortTypesTest(OnnxCase):

    def same(self, got, wanted):
        np.testing.assert_array_equal(got, wanted)
        self.assertEqual(got.dtype, wanted.dtype)

    def test_scatter_elements(self):
        index = np.array([[2, 0, -1], [0, 1, 1]])
        for dtype in SHORT:
            x, updates = numbers(dtype, 3, 3), numbers(dtype, 2, 3)
            wanted = x.copy()
            np.put_along_axis(wanted, index, updates, 0)
            self.same(self.one("ScatterElements", x, index, updates, opset=18), wanted)
        x, updates = numbers("int8", 3, 3), numbers("int8", 2, 3)
        wanted = x.copy()
        np.add.at(wanted, (index, np.arange(3)), updates)  # Sums wrap.
        self.same(self.one("ScatterElements", x, index, updates, opset=18, reduction="add"), wanted)

    def test_scatter_nd(self):
        index = np.array([[2], [0], [2]])
        for name, ufunc in (("add", np.add), ("mul", np.multiply)):
            for dtype in ("uint8", "int8", "int16"):
                x, updates = numbers(dtype, 4, 3), numbers(dtype, 3, 3)
                wanted = x.copy()
                ufunc.at(wanted, index[:, 0], updates)
                self.same(self.one("ScatterND", x, index, updates, opset=18, reduction=name), wanted)

    def test_tensor_scatter(self):
        cache, update, at = numbers("int8", 2, 5, 3), numbers("int8", 2, 2, 3), np.array([1, 3])
        wanted = cache.copy()
        for i in range(2):
            wanted[i, at[i]:at[i] + 2] = update[i]
        self.same(self.one("TensorScatter", cache, update, at, opset=24), wanted)

    def test_einsum(self):
        for dtype in ("uint8", "int16"):
            x, y = numbers(dtype, 2, 2, 3), numbers(dtype, 2, 3, 2)
            wanted = np.einsum("bij,bjk->bik", x, y)
            self.same(self.one("Einsum", x, y, equation="bij,bjk->bik"), wanted)

    def test_of_one_tensor(self):
        x = np.array([-3, 0, 1, 4], np.int16)
        self.same(self.one("Relu", x, opset=14), np.maximum(x, np.int16(0)))
        self.same(self.one("Erf", x, opset=13), np.array([0 if n == 0 else int(np.sign(n) * (abs(n) > 3.9))
                                                          for n in x], np.int16))
        matrices = floats(2, 3, 3).astype(np.float16)
        got = self.one("Det", matrices, opset=11)
        self.assertEqual(got.dtype, np.float16)
        np.testing.assert_allclose(got, np.linalg.det(matrices.astype(np.float64)), 4e-3, 1e-3)

    def test_unique(self):
        for dtype in ("uint8", "int16"):
            x = np.array([[3, 1, 3], [2, 2, 2]], dtype)
            got = self.one("Unique", x, outputs=4, opset=11, axis=1)
            wanted = np.unique(x, True, True, True, 1)
            for one, other in zip(got, wanted):
                np.testing.assert_array_equal(one, other)

    def test_range(self):
        for dtype in ("int16", "float16"):
            ends = [np.array(n, dtype) for n in (-3, 7, 2)]
            self.same(self.one("Range", *ends, opset=27), np.arange(-3, 7, 2, dtype=dtype))

    def test_computed_axis(self):
        x = floats(2, 3, 4)
        for axis in (0, 2, -2):
            got = self.one("CumProd", x, np.array(axis), opset=26)
            np.testing.assert_allclose(got, np.cumprod(x, axis), 1e-5)

    def test_an_axis_after_the_last(self):
        """Before version 13 each element is then a row for itself."""
        x = floats(5)
        for kind, each in (("Softmax", 1), ("Hardmax", 1), ("LogSoftmax", 0)):
            for attributes in ({}, {"axis": 1}):
                self.same(self.one(kind, x, opset=11, **attributes), np.full(5, each, np.float32))

    def test_no_elements(self):
        got = self.one("Gather", floats(5, 3), np.zeros((2, 0), np.int64), opset=13)
        self.assertEqual(got.shape, (2, 0, 3))
        for shape in ((2, 0), (0, 3)):
            got = self.one("Hardmax", np.zeros(shape, np.float32), opset=13)
            self.assertEqual(got.shape, shape)

    def test_depth_to_space_of_open_extents(self):
        """Extents that the run decides are those of the feeds."""
        nodes = [onnx.node("DepthToSpace", ["x"], ["y"], blocksize=2, mode="CRD"),
                 onnx.node("SpaceToDepth", ["y"], ["z"], blocksize=2)]
        graph = onnx.graph(nodes, [onnx.port("x", "float32", ["n", 8, "h", None])], ["y", "z"])
        with open(self.path, "wb") as file:
            file.write(onnx.model(graph, 13))
        program = sy.load(self.path)
        for shape in ((1, 8, 3, 2), (3, 8, 1, 5)):
            x = floats(*shape)
            n, _, h, w = shape
            wanted = x.reshape(n, 2, 2, 2, h, w).transpose(0, 1, 4, 2, 5, 3).reshape(n, 2, 2 * h, 2 * w)
            got = program.run({"x": x})
            np.testing.assert_array_equal(got["y"], wanted)
            back = wanted.reshape(n, 2, h, 2, w, 2).transpose(0, 3, 5, 1, 2, 4).reshape(shape)
            np.testing.assert_array_equal(got["z"], back)
        with self.assertRaisesRegex(ValueError, "blocksize must be one whose square divides 8, got 3"):
            self.one("DepthToSpace", floats(1, 8, 2, 2), blocksize=3)


if __name__ == "__main__":
    unittest.main()
