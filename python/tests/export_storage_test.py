# SPDX-License-Identifier: Apache-2.0
"""Storage types and tensor arrays in models that export_onnx writes: loaded again
they give the same elements. ONNX Runtime's answers are compared by hand
(./sy conformance export)."""
import os
import tempfile
import unittest

import export_cases
import numpy as np
import onnx_models as onnx

import switchyard as sy

# The first opset that has a dtype.
FIRST = {"float8_e4m3fn": 19, "float8_e4m3fnuz": 19, "float8_e5m2": 19,
         "float8_e5m2fnuz": 19, "int4": 21, "uint4": 21, "float4_e2m1fn": 23,
         "float8_e8m0fnu": 24, "int2": 25, "uint2": 25}
BITS = {"int4": 4, "uint4": 4, "float4_e2m1fn": 4, "int2": 2, "uint2": 2}


def codes_of(dtype):
    return np.arange(2**BITS.get(dtype, 8), dtype=np.uint8)


class ExportCase(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "model.onnx")

    def again(self, function, inputs, **options):
        sy.export_onnx(function, self.path, inputs=inputs, **options)
        return sy.load(self.path, exact=True)

    def check(self, function, *arrays, opset=25):
        """The function's results and those of its model, as codes where they are such."""
        tensors = [sy.tensor(each) if isinstance(each, np.ndarray) else each for each in arrays]
        specs = [sy.static.InputSpec(list(each.shape), str(each.dtype)) for each in tensors]
        program = self.again(function, specs, opset=opset)
        results = function(*tensors)
        results = results if isinstance(results, tuple) else (results,)
        got = program.run(dict(zip(program.feeds, tensors)))
        self.assertEqual(len(got), len(results))
        for name, want in zip(program.fetches, results):
            self.assertEqual(got[name].shape, tuple(want.shape))
            np.testing.assert_array_equal(got[name], want.numpy())


class ExportStorageTest(ExportCase):

    def test_casts_of_every_code(self):
        for dtype, first in FIRST.items():
            codes = sy.tensor(codes_of(dtype), dtype)
            for opset in (first, 28):
                with self.subTest(dtype, opset=opset):
                    self.check(lambda x: x.astype("float32"), codes, opset=opset)

    def test_casts_to_them(self):
        numbers = np.float32([0, -0.0, 0.3, 0.75, 1, 1.5, 2.5, -1, 3, 5, 7, 448, 500, 1e6,
                              -1e6, np.inf, -np.inf])
        for dtype, first in FIRST.items():
            x = numbers if dtype.startswith("float8") else numbers[np.isfinite(numbers)]
            with self.subTest(dtype):
                self.check(lambda x, dtype=dtype: x.astype(dtype), x, opset=first)
                self.check(lambda x, dtype=dtype: x.astype(dtype), np.arange(-3, 9), opset=first)
        self.check(lambda x: x.astype("float8_e5m2", saturate=True), numbers, opset=19)
        self.check(lambda x: x.astype("float8_e8m0fnu", round_mode="up"), numbers[2:6], opset=24)

    def test_what_moves_them(self):
        for dtype, first in FIRST.items():
            codes = np.resize(codes_of(dtype), 24).reshape(2, 3, 4)
            x = sy.tensor(codes, dtype)

            def move(x):
                index = sy.tensor(np.array([2, 0]))
                return (sy.reshape(x, [-1]), sy.transpose(x, [2, 0, 1]), sy.concat([x, x], 1),
                        sy.index_select(x, 1, index), x[:, 1:], sy.unsqueeze(x, 0),
                        sy.flip(x, [2]), sy.tile(x, [1, 2, 1]), sy.stack([x, x]))
            for opset in (first, 28):
                with self.subTest(dtype, opset=opset):
                    self.check(move, x, opset=opset)

    def test_weights_are_packed(self):
        for dtype, bits in (*BITS.items(), ("float8_e5m2", 8)):
            codes = np.resize(codes_of(dtype), 4099)
            weight = sy.tensor(codes, dtype)
            with self.subTest(dtype):
                for external in (False, True):
                    program = self.again(
                        lambda x, weight=weight: x + weight.astype("float32"),
                        [np.zeros(4099, np.float32)], opset=25, external_data=external)
                    got, = program.run({program.feeds[0]: np.zeros(4099, np.float32)}).values()
                    np.testing.assert_array_equal(got, weight.astype("float32").numpy())
                    file = self.path + ".data" if external else self.path
                    self.assertLess(os.path.getsize(file) - -(-4099 * bits // 8), 1000)

    def test_made_ones(self):
        for dtype, first in FIRST.items():
            with self.subTest(dtype):
                self.check(lambda x, dtype=dtype: (sy.concat([
                    x.astype(dtype), sy.ones([2], dtype)]).astype("float32"),),
                           np.float32([1, 2]), opset=first)

    def test_quantised_weights(self):
        rng = np.random.default_rng(0)
        weight = sy.tensor(rng.integers(0, 16, (8, 6)).astype(np.uint8), "int4")
        scale = sy.tensor(rng.uniform(0.5, 1, 6).astype(np.float32))

        def dense(x):
            return x @ (weight.astype("float32") * scale)
        self.check(dense, export_cases.floats(3, 8), opset=21)

    def test_an_opset_that_lacks_the_dtype(self):
        def back_and_forth(x):
            return x.astype("int4").astype("float32")
        with self.assertRaisesRegex(NotImplementedError, "2 operations have no form in ONNX:\n"
                                    "op.cast: opset 20 lacks a dtype of it, which opset 21 brought"):
            self.again(back_and_forth, [export_cases.X], opset=20)
        with self.assertRaisesRegex(ValueError, "opset must be 21 at least for int4, got 20"):
            self.again(lambda x: x, [sy.static.InputSpec([2], "int4")], opset=20)


class ExportSequenceTest(ExportCase):

    def test_arrays_of_known_length(self):
        def parts(x, y):
            array = sy.create_array("float32", [x, y])
            array = sy.array_write(x + y, 0, array)  # In the place of the first.
            array, last = sy.array_pop(sy.array_write(y * 2.0, 2, array), 0)
            return (sy.array_read(array, 0), sy.array_read(array, 1), last,
                    sy.array_length(array), *sy.array_to_tensor(array, 0),
                    *sy.array_to_tensor(array, 1, use_stack=True))
        for opset in (17, 28):
            self.check(parts, export_cases.X, export_cases.Y, opset=opset)

    def test_an_array_of_elements_that_differ(self):
        def parts(x, y):
            array = sy.create_array("int64", [x, y], element_shape=[-1, 2])
            return sy.array_to_tensor(array, 0)
        whole = export_cases.whole
        self.check(parts, whole(3, 2), whole(1, 2), opset=17)

    def test_arrays_of_loops(self):
        def squares(x):
            array = sy.create_array("float32", element_shape=[-1, 4])

            def body(i, array):
                return i + 1, sy.array_write(x[:1] * i.astype("float32"), i, array)
            start = sy.tensor(np.array([0]))
            _, array = sy.static.while_loop(lambda i, array: i < 5, body, (start, array))

            # The second loop writes in the place of what the first has written.
            def again(i, array):
                row = sy.array_read(array, i)
                return i + 2, sy.array_write(sy.concat([row, row]), i, array)
            _, array = sy.static.while_loop(lambda i, array: i < 5, again, (start, array))
            return sy.array_to_tensor(array, 0)
        for opset in (17, 28):
            self.check(squares, export_cases.X, opset=opset)

    def test_arrays_of_branches(self):
        def chosen(x, y):
            array = sy.create_array("float32", [x])
            array = sy.static.cond(
                sy.sum(x) > sy.sum(y), lambda: sy.array_write(x - y, 1, array),
                lambda: sy.array_write(y, 1, sy.array_write(y - x, 0, array)))
            return sy.array_to_tensor(array, 0)[0]
        for swapped in (False, True):
            arrays = [export_cases.X, export_cases.Y]
            self.check(chosen, *arrays[::-1 if swapped else 1], opset=17)

    def test_a_sequence_that_is_fed_and_fetched(self):
        port = onnx.message(1, "s") + onnx.message(2, onnx.message(4, onnx.message(1, onnx.message(
            1, onnx.number(1, 1) + onnx.message(2, onnx.message(1, b"") + onnx.message(
                1, onnx.number(1, 4)))))))
        nodes = [onnx.node("SequenceAt", ["s", "first"], ["x"]), onnx.node("Add", ["x", "x"], ["y"]),
                 onnx.node("SequenceInsert", ["s", "y", "first"], ["longer"])]
        with open(self.path, "wb") as file:
            file.write(onnx.model(onnx.graph(nodes, [port], ["longer"],
                                             [("first", np.array(0))]), 17))
        program = self.again(sy.load(self.path, exact=True), None, opset=17)
        x, y = export_cases.X, export_cases.Y[:2]
        got, = program.run({"s": [x, y]}).values()
        self.assertEqual(sy.array_length(got).item(), 3)
        for i, want in enumerate((2 * x, x, y)):
            np.testing.assert_array_equal(sy.array_read(got, i).numpy(), want)

    def test_what_onnx_has_no_sequences_for(self):
        def halves(x):
            return sy.array_to_tensor(sy.create_array("bfloat16", [x]), 0)[0]
        with self.assertRaisesRegex(NotImplementedError, "no sequences of its dtype"):
            self.again(halves, [sy.static.InputSpec([2, 3], "bfloat16")])

        def gap(x):
            return sy.array_read(sy.array_write(x, 2, sy.create_array("float32", [x])), 2)
        with self.assertRaisesRegex(NotImplementedError, "would be empty"):
            self.again(gap, [export_cases.X])


if __name__ == "__main__":
    unittest.main()
