# SPDX-License-Identifier: Apache-2.0
"""ONNX models load and run as those of PaddlePaddle do."""
import os
import resource
import tempfile
import unittest

import numpy as np
import onnx_models as onnx

import switchyard as sy

RNG = np.random.default_rng(5)


def floats(*shape):
    return RNG.standard_normal(shape).astype(np.float32)


class OnnxTest(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def load(self, data, **options):
        path = os.path.join(self.folder, "model.onnx")
        with open(path, "wb") as file:
            file.write(data)
        return sy.load(path, **options)

    def both(self, data, **feeds):
        """The only result, which both executors give."""
        program = self.load(data)
        result, = program.run(feeds).values()
        eager, = program.run_eagerly(feeds).values()
        np.testing.assert_array_equal(result, eager)
        return result

    def one(self, kind, *arrays, opset=17, inputs=None, **attributes):
        """The result of one node whose inputs are fed."""
        names = [f"x{i}" for i in range(len(arrays))]
        ports = [onnx.port(name, array.dtype.name, array.shape)
                 for name, array in zip(names, arrays)]
        whole = onnx.graph([onnx.node(kind, inputs or names, ["y"],
                                      **attributes)], ports, ["y"])
        return self.both(onnx.model(whole, opset), **dict(zip(names, arrays)))

    def test_a_network(self):
        """Convolution, ReLU, a flat view and a product: weights are states."""
        x, w, b = floats(2, 3, 5, 5), floats(4, 3, 3, 3), floats(4)
        m, c = floats(4 * 25, 6), floats(6)
        nodes = [
            onnx.node("Conv", ["x", "w", "b"], ["conv"], pads=[1, 1, 1, 1]),
            onnx.node("Relu", ["conv"], ["relu"]),
            onnx.node("Flatten", ["relu"], ["flat"]),
            onnx.node("Gemm", ["flat", "m", "c"], ["y"], alpha=0.5),
        ]
        data = onnx.model(onnx.graph(
            nodes, [onnx.port("x", "float32", ("n", 3, 5, 5))], ["y"],
            [("w", w), ("b", b), ("m", m), ("c", c)]))
        got = self.both(data, x=x)
        padded = np.pad(x.astype(np.float64), ((0, 0), (0, 0), (1, 1), (1, 1)))
        windows = np.lib.stride_tricks.sliding_window_view(
            padded, (3, 3), axis=(2, 3))
        conv = np.einsum("nchwij,ocij->nohw", windows, w) + b[:, None, None]
        wanted = 0.5 * np.maximum(conv, 0).reshape(2, -1) @ m + c
        np.testing.assert_allclose(got, wanted, 1e-4, 1e-4)
        program = self.load(data)
        self.assertEqual(set(program.state.keys()), {"w", "b", "m", "c"})
        self.assertEqual(program.run({"x": x[:1]})["y"].shape, (1, 6))

    def test_shapes_that_a_model_computes(self):
        """Extents, gathered and concatenated, are those of a reshape."""
        nodes = [
            onnx.node("Shape", ["x"], ["shape"]),
            onnx.node("Gather", ["shape", "zero"], ["batch"]),
            onnx.node("Concat", ["batch", "rest"], ["wanted"], axis=0),
            onnx.node("Reshape", ["x", "wanted"], ["y"]),
        ]
        data = onnx.model(onnx.graph(
            nodes, [onnx.port("x", "float32", ("n", 2, 3))], ["y"],
            [("zero", np.array([0])), ("rest", np.array([-1]))]))
        x = floats(4, 2, 3)
        np.testing.assert_array_equal(self.both(data, x=x), x.reshape(4, 6))

    def test_slices_backwards_of_open_axes(self):
        """Places before the first one count as it, as the specification has it."""
        for start, end, step in ((-1, -2**63 + 1, -1), (2**31, -9, -2), (3, 0, -1),
                                 (-2, -20, -1), (-7, -20, -3), (0, -20, -1)):
            bounds = [(name, np.array([number], np.int64)) for name, number in (
                ("start", start), ("end", end), ("axis", 0), ("step", step))]
            data = onnx.model(onnx.graph(
                [onnx.node("Slice", ["x", "start", "end", "axis", "step"], ["y"])],
                [onnx.port("x", "float32", ("n", 2))], ["y"], bounds))
            for extent in (0, 1, 2, 5, 8):
                x = floats(extent, 2)
                place = start + extent if start < 0 else start
                first = min(max(place, 0), extent - 1)
                last = max(end + extent if end < 0 else end, -1)
                wanted = x[np.arange(first, last, step)] if extent else x
                with self.subTest(start=start, end=end, step=step, extent=extent):
                    np.testing.assert_array_equal(self.both(data, x=x), wanted)

    def test_lists_that_are_fed(self):
        x = floats(4, 5, 6)

        def list_of(*numbers):
            return np.array(numbers, np.int64)

        np.testing.assert_array_equal(
            self.one("Slice", x, list_of(-1, 1), list_of(-9, 5),
                     list_of(1, -1), list_of(-2, 3)), x[:, -1:-9:-2, 1:5:3])
        np.testing.assert_array_equal(
            self.one("Slice", x, list_of(1), list_of(9)), x[1:9])
        np.testing.assert_array_equal(
            self.one("Unsqueeze", x, list_of(0, -1)), x[None, ..., None])
        np.testing.assert_array_equal(
            self.one("Pad", x, list_of(1, 0, 2, 0, 1, 0), np.float32(7)),
            np.pad(x, ((1, 0), (0, 1), (2, 0)), constant_values=7))
        np.testing.assert_array_equal(
            self.one("Expand", x[:, :, :1], list_of(2, 1, 1, 3)),
            np.broadcast_to(x[:, :, :1], (2, 4, 5, 3)))
        np.testing.assert_array_equal(
            self.one("Trilu", x, np.int64(-2), upper=0), np.tril(x, -2))
        np.testing.assert_allclose(
            self.one("ReduceSum", x, list_of(1), keepdims=0), x.sum(1), 1e-5,
            1e-5)

    def test_extents_that_are_open(self):
        """One that is known decides a branch, whose other would have another rank."""
        then = onnx.graph([onnx.node("Squeeze", ["u", "first"], ["t"])], (), ["t"])
        other = onnx.graph([onnx.node("Identity", ["u"], ["e"])], (), ["e"])
        nodes = [onnx.node("Unsqueeze", ["x", "first"], ["u"]),
                 onnx.node("Shape", ["u"], ["s"]),
                 onnx.node("Gather", ["s", "at"], ["n"]),
                 onnx.node("Equal", ["n", "at"], ["c"]),
                 onnx.node("If", ["c"], ["y"], then_branch=then, else_branch=other),
                 onnx.node("Split", ["x"], ["a", "b", "c2"], axis=1, num_outputs=3),
                 onnx.node("DepthToSpace", ["z"], ["d"], blocksize=2)]
        graph = onnx.graph(nodes, [onnx.port("x", "float32", [None, None]),
                                   onnx.port("z", "float32", [None] * 4)],
                           ["y", "a", "b", "c2", "d"],
                           [("first", np.array([1])), ("at", np.array(1))])
        program = self.load(onnx.model(graph, 18))
        for columns in (7, 6, 4, 3, 2):
            x, z = floats(2, columns), floats(2, 8, 3, columns)
            got = program.run({"x": x, "z": z})
            np.testing.assert_array_equal(got["y"], x)
            size = -(-columns // 3)
            for i, name in enumerate(("a", "b", "c2")):
                np.testing.assert_array_equal(got[name], x[:, i * size:(i + 1) * size])
            blocks = z.reshape(2, 2, 2, 2, 3, columns).transpose(0, 3, 4, 1, 5, 2)
            np.testing.assert_array_equal(got["d"], blocks.reshape(2, 2, 6, 2 * columns))

    def test_what_versions_mean(self):
        x = floats(2, 3, 4)
        flat = np.exp(x.reshape(2, 12) - x.reshape(2, 12).max(1)[:, None])
        np.testing.assert_allclose(
            self.one("Softmax", x, opset=12),
            (flat / flat.sum(1)[:, None]).reshape(x.shape), 1e-5)
        last = np.exp(x - x.max(-1, keepdims=True))
        np.testing.assert_allclose(self.one("Softmax", x, opset=13),
                                   last / last.sum(-1, keepdims=True), 1e-5)
        y = floats(3)
        np.testing.assert_array_equal(
            self.one("Mul", x, y, opset=6, broadcast=1, axis=1),
            x * y[:, None])
        halves = np.array([-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 0.4], np.float32)
        np.testing.assert_array_equal(self.one("Round", halves),
                                      np.round(halves))
        i = np.array([7, -7, 9], np.int64)
        np.testing.assert_array_equal(
            self.one("Div", i, np.array([2, 2, -4], np.int64)), [3, -3, -2])

    def test_errors_list_all(self):
        nodes = [onnx.node("Relo", ["x"], ["a"]),
                 onnx.node("ImageDecoder", ["a"], ["y"])]
        data = onnx.model(onnx.graph(
            nodes, [onnx.port("x", "float32", (2,))], ["y"]), 20)
        with self.assertRaisesRegex(NotImplementedError,
                                    r"(?s)model.onnx: 2 operators.*Relo.*near"
                                    r"est is Relu.*ImageDecoder"):
            self.load(data)
        with self.assertRaisesRegex(ValueError, "cut off or damaged"):
            self.load(data[:40])
        port = onnx.message(1, "x") + onnx.message(
            2, onnx.message(1, onnx.number(1, 99) + onnx.message(2, b"")))
        unknown = onnx.model(onnx.graph(
            [onnx.node("Identity", ["x"], ["y"])], [port], ["y"]))
        with self.assertRaisesRegex(ValueError, r"'x': element type must be in \[1, 27\)"):
            self.load(unknown)

    def test_weights_far_into_another_file(self):
        """Two in a file of 3 GiB that is all holes beside them: nothing else of
        it is read."""
        w, size = floats(5, 3), 3 << 30
        places = {"near": 4096, "far": size - w.nbytes}
        with open(os.path.join(self.folder, "weights.bin"), "wb") as file:
            file.truncate(size)
            for place in places.values():
                file.seek(place)
                file.write(w.tobytes())
        tensors = [
            onnx.number(1, 5) + onnx.number(1, 3) + onnx.number(2, 1)
            + onnx.message(8, name) + onnx.number(14, 1) + b"".join(
                onnx.message(13, onnx.message(1, key) + onnx.message(2, value))
                for key, value in (("location", "weights.bin"),
                                   ("offset", str(place)),
                                   ("length", str(w.nbytes))))
            for name, place in places.items()]
        nodes = [onnx.node("MatMul", ["x", "near"], ["a"]),
                 onnx.node("MatMul", ["x", "far"], ["b"]),
                 onnx.node("Add", ["a", "b"], ["y"])]
        graph = onnx.graph(nodes, [onnx.port("x", "float32", (2, 5))], ["y"])
        graph += b"".join(onnx.message(5, tensor) for tensor in tensors)
        x = floats(2, 5)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        got = self.both(onnx.model(graph), x=x)
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        np.testing.assert_allclose(got, 2 * (x @ w), 1e-5, 1e-5)
        self.assertLess(grown, 64 << 10)  # KiB.

    def test_saved_as_a_program_of_ours(self):
        w = floats(3)
        data = onnx.model(onnx.graph(
            [onnx.node("Mul", ["x", "w"], ["y"])],
            [onnx.port("x", "float32", (2, 3))], ["y"], [("w", w)]))
        program = self.load(data)
        x = floats(2, 3)
        path = os.path.join(self.folder, "saved.sy")
        program.save(path)
        np.testing.assert_array_equal(sy.load(path).run({"x": x})["y"], x * w)


if __name__ == "__main__":
    unittest.main()
