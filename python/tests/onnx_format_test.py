# SPDX-License-Identifier: Apache-2.0
"""Parts of the format beside plain tensors and nodes, and labels and regions."""
import math
import unittest

import numpy as np
import onnx_models as onnx
from onnx_checks import OnnxCase, floats

import switchyard as sy


def sparse(name, dense):
    """A SparseTensorProto of a matrix."""
    places = np.argwhere(dense)
    return b"".join([onnx.message(1, onnx.tensor(name, dense[dense != 0])),
                     onnx.message(2, onnx.tensor("", places))]
                    + [onnx.number(3, extent) for extent in dense.shape])


def function(overload, nodes):
    """A FunctionProto of mine.f(x) -> y."""
    return onnx.message(25, b"".join(
        [onnx.message(1, "f"), onnx.message(4, "x"), onnx.message(5, "y")]
        + [onnx.message(7, node) for node in nodes]
        + [onnx.message(9, onnx.number(2, 17)), onnx.message(10, "mine"),
           onnx.message(13, overload)]))


class OnnxFormatTest(OnnxCase):

    def written(self, graph, more=b"", **options):
        with open(self.path, "wb") as file:
            file.write(onnx.model(graph, **options) + more)
        return sy.load(self.path)

    def both(self, program, feeds):
        results, eager = program.run(feeds), program.run_eagerly(feeds)
        np.testing.assert_equal(results, eager)
        return results

    def test_sparse_tensors(self):
        """An initializer and a Constant; the former is a state."""
        w = np.zeros((3, 4), np.float32)
        w[[0, 1, 2, 2], [3, 0, 1, 2]] = floats(4)
        constant = onnx.node("Constant", [], ["c"]) + onnx.message(
            5, onnx.message(1, "sparse_value") + onnx.message(
                22, sparse("", w)) + onnx.number(20, 11))
        nodes = [constant, onnx.node("MatMul", ["x", "w"], ["y"]),
                 onnx.node("Add", ["y", "c"], ["z"])]
        graph = onnx.graph(nodes, [onnx.port("x", "float32", (3, 3))], ["y", "z"])
        program = self.written(graph + onnx.message(15, sparse("w", w)))
        self.assertEqual(list(program.state.keys()), ["w"])
        np.testing.assert_array_equal(program.state["w"].numpy(), w)
        x = floats(3, 3)
        got = self.both(program, {"x": x})
        np.testing.assert_allclose(got["y"], x @ w, 1e-5, 1e-6)
        np.testing.assert_allclose(got["z"], x @ w + w, 1e-5, 1e-6)
        places = np.argwhere(w)
        beyond = sparse("w", w).replace(places.tobytes(), (places + [0, 1]).tobytes())
        with self.assertRaisesRegex(ValueError, r"tensor 'w': indices must be in \[0, 4\), got 4"):
            self.written(graph + onnx.message(15, beyond))

    def test_overloads_of_functions(self):
        """A call says which function of its name it means."""
        functions = b"".join(function(overload, [onnx.node(kind, ["x"], ["y"])])
                             for overload, kind in (("", "Neg"), ("abs", "Abs"), ("exp", "Exp")))
        nodes = [onnx.node("f", ["x"], [f"y{i}"], "mine") + onnx.message(8, overload)
                 for i, overload in enumerate(("abs", "", "exp"))]
        graph = onnx.graph(nodes, [onnx.port("x", "float32", (4,))], ["y0", "y1", "y2"])
        x = floats(4)
        got = self.both(self.written(graph, functions, domains=[("mine", 1)]), {"x": x})
        np.testing.assert_array_equal(got["y0"], np.abs(x))
        np.testing.assert_array_equal(got["y1"], -x)
        np.testing.assert_allclose(got["y2"], np.exp(x), 1e-6)
        other = onnx.graph([onnx.node("f", ["x"], ["y"], "mine") + onnx.message(8, "log")],
                           [onnx.port("x", "float32", (4,))], ["y"])
        with self.assertRaisesRegex(NotImplementedError, r"node 0 \(f\): no operator here computes mine.f"):
            self.written(other, functions, domains=[("mine", 1)])

    def test_labels_of_integers(self):
        """Also those that no double has, and what an unknown one becomes in other dtypes."""
        def encoded(x, version, **lists):
            graph = onnx.graph([onnx.node("LabelEncoder", ["x"], ["y"], "ai.onnx.ml", **lists)],
                               [onnx.port("x", x.dtype.name, x.shape)], ["y"])
            return self.both(self.written(graph, domains=[("ai.onnx.ml", version)]), {"x": x})["y"]

        got = encoded(np.array([2**53, 2**53 + 1, 5]), 2, keys_int64s=[2**53 + 1, 2**53],
                      values_int64s=[2**60 + 1, 7], default_int64=2**61 + 1)
        self.assertEqual(got.tolist(), [7, 2**60 + 1, 2**61 + 1])
        got = encoded(np.int64([1, 2]), 4, keys_tensor=np.int64([1]), values_tensor=np.int16([9]))
        self.assertEqual((got.dtype, got.tolist()), (np.int16, [9, -1]))
        with self.assertRaisesRegex(TypeError, "X must be int64, as the keys, got float32"):
            encoded(np.float32([1]), 2, keys_int64s=[1], values_int64s=[2])

    def test_regions_by_their_maximum(self):
        """MaxRoiPool: boxes of any image, whose cells overlap at their edges."""
        x = floats(2, 3, 8, 9)
        boxes = np.array([[1, 0, 0, 16, 14], [0, 3, 2, 9, 13], [1, 7, 7, 7, 7], [0, 10, 4, 6, 2], [1, -4, 2, 30, 5]],
                         np.float32)
        rows, columns, scale = 3, 2, 0.5
        wanted = np.zeros((len(boxes), 3, rows, columns), np.float32)
        for r, box in enumerate(boxes):
            # Halves away from zero.
            x1, y1, x2, y2 = (math.copysign(math.floor(abs(c) * scale + 0.5), c) for c in box[1:])
            high, wide = max(y2 - y1 + 1, 1) / rows, max(x2 - x1 + 1, 1) / columns
            for i, j in np.ndindex(rows, columns):
                top, bottom = np.clip([y1 + math.floor(i * high), y1 + math.ceil((i + 1) * high)], 0, 8).astype(int)
                left, right = np.clip([x1 + math.floor(j * wide), x1 + math.ceil((j + 1) * wide)], 0, 9).astype(int)
                cell = x[int(box[0]), :, top:bottom, left:right]
                wanted[r, :, i, j] = cell.max((1, 2)) if cell.size else 0
        for dtype in (np.float32, np.float64):
            got = self.one("MaxRoiPool", x.astype(dtype), boxes.astype(dtype), pooled_shape=[rows, columns],
                           spatial_scale=scale)
            np.testing.assert_array_equal(got, wanted.astype(dtype))


if __name__ == "__main__":
    unittest.main()
