# SPDX-License-Identifier: Apache-2.0
"""sy.quantize: what each layer computes, what is refused, what the result can do."""
import os
import pathlib
import unittest

import numpy as np

import switchyard as sy
from switchyard import nn

TMP = pathlib.Path(os.environ.get("TEST_TMPDIR", "/tmp"))


def numbers(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def rounded_rows(weight, bits, group=0):
    """A weight as it is after packing, by the definition, in float64."""
    rows = weight.reshape(len(weight), -1).astype(np.float64)
    result, width = np.zeros_like(rows), group or rows.shape[1]
    largest = 127 if bits == 8 else 7
    for begin in range(0, rows.shape[1], width):
        part = rows[:, begin:begin + width]
        scale = np.float32(np.abs(part).max(axis=1, keepdims=True) / largest)
        scale[scale == 0] = 1
        result[:, begin:begin + width] = np.rint(part / scale) * scale
    return result.reshape(weight.shape)


def rounded(x, largest):
    """Numbers in steps of largest / 127, by the definition."""
    step = np.float64(largest) / 127
    return np.clip(np.rint(x / step), -128, 127) * step


class Tied(nn.Module):
    """An embedding whose weight is the head's, too."""

    def __init__(self):
        super().__init__()
        self.token = nn.Embedding(11, 16)
        self.middle = nn.Linear(16, 16)

    def forward(self, ids):
        return self.middle(self.token(ids)) @ self.token.weight.T


class LayersTest(unittest.TestCase):
    """Each kind of layer against NumPy."""

    def check(self, function, wanted, x, bits=8, group=0, **arguments):
        """The program's result is wanted(rounded weight's maker)."""
        quantized = sy.quantize(function, f"int{bits}", inputs=[x], group=group, **arguments)
        want = wanted(lambda weight: rounded_rows(weight, bits, group))
        got = quantized(x).numpy()
        np.testing.assert_allclose(got, want, rtol=0, atol=2e-6 * np.abs(want).max())
        eager = quantized.program.run_eagerly({"x0": x})["out"]
        np.testing.assert_array_equal(eager, got)
        return quantized

    def test_linear(self):
        model, x = nn.Linear(37, 19), numbers(5, 37)
        weight, bias = model.weight.numpy(), model.bias.numpy()
        for bits, group in ((8, 0), (8, 16), (4, 32), (4, 8), (4, 0)):
            with self.subTest(bits=bits, group=group):
                found = self.check(model, lambda q: x @ q(weight.T).T + bias, x, bits, group)
                self.assertIn("op.linear_quantized", found.program.text())
        self.assertEqual(sorted(found.program.state.keys()),
                         ["bias", "weight.columns.int4", "weight.columns.scale"])

    def test_a_step_of_one_row_has_the_bits_of_several(self):
        quantized = sy.quantize(nn.Linear(70, 33), inputs=[numbers(1, 70)])
        x = numbers(9, 70)
        apart = [quantized(row[None]).numpy()[0] for row in x]
        np.testing.assert_array_equal(np.stack(apart), quantized(x).numpy())

    def test_products(self):
        weight = sy.tensor(numbers(20, 12, seed=1))
        x, wide = numbers(3, 4, 20), numbers(3, 4, 12)
        array = weight.numpy()
        self.check(lambda v: v @ weight, lambda q: x @ q(array.T).T, x)
        self.check(lambda v: v @ weight.T, lambda q: wide @ q(array).T, wide, 4, 4)
        self.check(lambda v: sy.ops.matmul(v, weight, False, True),
                   lambda q: wide @ q(array).T, wide)
        pairs = numbers(2, 4, 5)
        self.check(lambda v: sy.ops.mul(v, weight, 1),
                   lambda q: pairs.reshape(2, 20) @ q(array.T).T, pairs)

    def test_convolutions(self):
        x = numbers(2, 4, 6, 7)
        for groups in (1, 2, 4):
            model = nn.Conv2d(4, 8, 3, padding=1, groups=groups)
            plain = nn.Conv2d(4, 8, 3, padding=1, groups=groups)
            for bits, group in ((8, 0), (4, 0), (4, 6)):
                with self.subTest(groups=groups, bits=bits, group=group), sy.no_grad():
                    plain.weight.copy_(sy.tensor(
                        rounded_rows(model.weight.numpy(), bits, group).astype(np.float32)))
                    plain.bias.copy_(model.bias)
                    self.check(model, lambda q: plain(sy.tensor(x)).numpy(), x, bits, group)

    def test_embeddings(self):
        ids = np.array([[1, 0, 4], [4, 2, 2]])
        for padding in (None, 2):
            model = nn.Embedding(5, 9, padding_idx=padding)
            weight = model.weight.numpy()
            for bits, group in ((8, 0), (8, 4), (4, 0), (4, 4)):
                with self.subTest(padding=padding, bits=bits, group=group):
                    self.check(model, lambda q: q(weight)[ids] * (
                        ids != padding)[..., None], ids, bits, group)

    def test_a_weight_of_two_layers_is_packed_once(self):
        model, ids = Tied(), np.arange(12).reshape(3, 4) % 11
        token, middle = model.token.weight.numpy(), model.middle.weight.numpy()
        found = self.check(
            model, lambda q: (q(token)[ids] @ q(middle.T).T + model.middle.bias.numpy())
            @ q(token).T, ids)
        self.assertEqual([layer.name for layer in found.report],
                         ["token", "middle", "token"])
        self.assertEqual(sum("token" in name for name in found.program.state.keys()), 2)

    def test_rows_of_zeros(self):
        weight = numbers(6, 4)
        weight[:, 1] = 0
        held, x = sy.tensor(weight), numbers(2, 6)
        self.check(lambda v: v @ held, lambda q: x @ q(weight.T).T, x)


class ActivationsTest(unittest.TestCase):

    def setUp(self):
        self.model, self.x = nn.Linear(24, 7), 3 * numbers(6, 24)
        self.weight = rounded_rows(self.model.weight.numpy().T, 8).T
        self.bias = self.model.bias.numpy()

    def check(self, quantized, x, largest):
        want = rounded(x, largest) @ self.weight + self.bias
        np.testing.assert_allclose(quantized(x).numpy(), want,
                                   atol=1e-6 * max(np.abs(want).max(), 1))

    def test_static(self):
        batches = [self.x[:3], -2 * self.x[3:]]
        quantized = sy.quantize(self.model, activations="static", data=batches)
        largest = max(np.abs(batch).max() for batch in batches)
        self.check(quantized, self.x, largest)
        self.check(quantized, 5 * self.x, largest)  # Beyond it is cut off.

    def test_dynamic(self):
        quantized = sy.quantize(self.model, activations="dynamic", inputs=[self.x])
        for factor in (1, 100, 1e-3):
            x = np.float32(factor) * self.x
            self.check(quantized, x, np.abs(x).max())
        zeros = quantized(np.zeros((2, 24), np.float32)).numpy()
        np.testing.assert_array_equal(zeros, np.stack([self.bias] * 2))

    def test_tiny_inputs_keep_their_size(self):
        for activations in ("static", "dynamic"):
            x = np.float32(1e-7) * self.x
            quantized = sy.quantize(self.model, activations=activations, data=[x])
            np.testing.assert_allclose(quantized(x).numpy(), x @ self.weight + self.bias,
                                       atol=3e-7)

    def test_layers_share_the_rounding_of_their_input(self):
        first, second = nn.Linear(24, 5), nn.Linear(24, 5)
        for activations in ("static", "dynamic"):
            quantized = sy.quantize(lambda v: first(v) + second(v), activations=activations,
                                    data=[self.x])
            self.assertEqual(quantized.program.text().count("op.quantize_dequantize"), 1)

    def test_a_weight_of_two_layers_has_the_scales_of_both_inputs(self):
        layer = nn.Linear(24, 24, bias=False)
        quantized = sy.quantize(lambda v: layer(10 * layer(v)), activations="static",
                                data=[self.x])
        weight = rounded_rows(layer.weight.numpy().T, 8).T
        exact = 10 * self.x @ layer.weight.numpy()
        inner = 10 * rounded(self.x, np.abs(self.x).max()) @ weight
        want = rounded(inner, np.abs(exact).max()) @ weight
        np.testing.assert_allclose(quantized(self.x).numpy(), want,
                                   atol=0.01 * np.abs(want).max())

    def test_report(self):
        quantized = sy.quantize(self.model, activations="static", data=[self.x])
        layer, = quantized.report
        exact = self.x @ self.model.weight.numpy() + self.bias
        wrong = rounded(self.x, np.abs(self.x).max()) @ self.weight + self.bias
        self.assertAlmostEqual(
            layer.output_error, np.linalg.norm(wrong - exact) / np.linalg.norm(exact), 5)
        weight = self.model.weight.numpy()
        self.assertAlmostEqual(layer.weight_error, np.linalg.norm(
            self.weight - weight) / np.linalg.norm(weight), 6)
        self.assertEqual(layer[:3], ("weight", "linear", (24, 7)))
        self.assertRegex(str(quantized), r"weight +linear +\d\.\d\de-03 +\d\.\d\de-0")
        bare = sy.quantize(self.model, inputs=[self.x])
        self.assertIsNone(bare.report[0].output_error)
        self.assertIn("not measured", str(bare))


class IntegersTest(unittest.TestCase):
    """Convolutions that are computed in integers, which relaxed="precision=int8" allows."""

    def test_convolutions(self):
        sy.seed(1)
        model = nn.Sequential(nn.Conv2d(32, 64, 3, bias=False), nn.ReLU(), nn.Conv2d(64, 16, 3),
                              nn.Conv2d(16, 8, 3))
        x = numbers(2, 32, 9, 10)
        found = []
        for relaxed in (None, "precision=int8"):
            program = sy.static.trace(model, x, relaxed=relaxed)
            program = sy.quantize(program, activations="static", data=[x]).program
            found.append(program(x).numpy())
            # The last one has 144 products in a sum: too few.
            self.assertEqual(program.text().count("op.conv2d_int8"), 2 if relaxed else 0)
            np.testing.assert_array_equal(program.run_eagerly({"x0": x})["out"], found[-1])
        np.testing.assert_allclose(found[1], found[0], atol=2e-2 * np.abs(found[0]).max())


class ProgramTest(unittest.TestCase):
    """The result is a program as any other."""

    def setUp(self):
        sy.seed(2)
        self.model = nn.Sequential(
            nn.Conv2d(1, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(144, 16), nn.ReLU(),
            nn.Linear(16, 3))
        self.x = numbers(5, 1, 8, 8)

    def test_saved_explained_and_exported(self):
        for weights, activations in (("int8", "none"), ("int8", "dynamic"),
                                     ("int8", "static"), ("int4", "none")):
            with self.subTest(weights=weights, activations=activations):
                program = sy.quantize(self.model, weights, activations, [self.x]).program
                want = program(self.x).numpy()
                program.save(TMP / "quantized")
                np.testing.assert_array_equal(sy.load(TMP / "quantized")(self.x).numpy(),
                                              want)
                self.assertIn("linear_quantized", program.explain())
                for opset in (17, 21):
                    sy.export_onnx(program, TMP / "quantized.onnx", opset=opset)
                    again = sy.load(TMP / "quantized.onnx")(self.x).numpy()
                    np.testing.assert_allclose(again, want, atol=1e-5)
                if weights == "int8":
                    text = (TMP / "quantized.onnx").read_bytes()
                    self.assertIn(b"DequantizeLinear", text)
                    self.assertEqual(b"QuantizeLinear" in text.replace(
                        b"DequantizeLinear", b""), activations != "none")

    def test_blocks_of_8_bits_are_exported(self):
        program = sy.quantize(self.model, inputs=[self.x], group=32).program
        for opset in (20, 21):
            sy.export_onnx(program, TMP / "blocks.onnx", opset=opset)
            np.testing.assert_allclose(sy.load(TMP / "blocks.onnx")(self.x).numpy(),
                                       program(self.x).numpy(), atol=1e-5)
        self.assertIn(b"block_size", (TMP / "blocks.onnx").read_bytes())

    def test_a_program_stays_and_its_sizes_are_open(self):
        program = sy.static.trace(self.model, self.x)
        want = program(self.x).numpy()
        quantized = sy.quantize(program)
        np.testing.assert_array_equal(program(self.x).numpy(), want)
        self.assertEqual(quantized(numbers(2, 1, 8, 8)).shape, (2, 3))
        size = sum(quantized.program.state[name].nbytes
                   for name in quantized.program.state.keys())
        whole = sum(program.state[name].nbytes for name in program.state.keys())
        self.assertLess(size, 0.3 * whole)

    def test_extents_of_one_name_stay_one(self):
        weight = sy.tensor(numbers(4, 4))
        spec = sy.static.InputSpec(["n", 4])
        program = sy.static.trace(lambda a, b: a @ weight + b, spec, spec)
        inputs = sy.quantize(program).program.text()
        self.assertEqual(inputs.count("float32[s0, 4]>,"), 2)

    def test_states_that_a_program_writes(self):
        class Counter(nn.Module):
            def __init__(self):
                super().__init__()
                self.layer = nn.Linear(2, 2)
                self.register_buffer("count", sy.zeros([1]))

            def forward(self, x):
                self.count.add_(sy.ones([1]))
                return self.layer(x) + self.count
        program = sy.quantize(Counter(), inputs=[numbers(1, 2)]).program
        for i in range(3):
            program(numbers(1, 2))
        self.assertEqual(program.state["count"].item(), 3)

    def test_loops_keep_their_layers(self):
        inside, after = nn.Linear(3, 3), nn.Linear(3, 3)

        def looped(x):
            _, y = sy.static.while_loop(lambda i, y: i < 2, lambda i, y: (i + 1, inside(y)),
                                        (sy.zeros([], "int64"), x))
            return after(y)
        x = numbers(2, 3)
        quantized = sy.quantize(looped, inputs=[x])
        self.assertEqual(len(quantized.report), 1)
        self.assertEqual(list(quantized.left.values()), ["it is in a branch or a loop"])
        y = inside(inside(sy.tensor(x))).numpy()
        weight = rounded_rows(after.weight.numpy().T, 8).T
        np.testing.assert_allclose(quantized(x).numpy(), y @ weight + after.bias.numpy(),
                                   atol=1e-5)

    def test_leave_out(self):
        for name in ("3", "3.weight"):
            quantized = sy.quantize(self.model, inputs=[self.x], leave_out=[name])
            self.assertEqual([layer.name for layer in quantized.report], ["0", "5"])
            self.assertEqual(quantized.left, {"3": "as leave_out says"})
            self.assertIn("3: left, as leave_out says", str(quantized))
            self.assertIn("3.weight", quantized.program.state.keys())


class RefusedTest(unittest.TestCase):

    def refuses(self, error, text, model=None, **arguments):
        arguments.setdefault("inputs", [numbers(2, 4)])
        with self.assertRaisesRegex(error, text):
            sy.quantize(nn.Linear(4, 4) if model is None else model, **arguments)

    def test_words(self):
        self.refuses(ValueError, 'weights must be "int8" or "int4", got \'int3\'',
                     weights="int3")
        self.refuses(ValueError, "activations must be .*, got 'all'", activations="all")
        self.refuses(ValueError, "group must be .*even.*, got 3", weights="int4", group=3)
        self.refuses(TypeError, "group must be an integer", group=1.5)
        self.refuses(TypeError, "leave_out must be a list of names", leave_out="weight")
        self.refuses(ValueError, r"leave_out must be layers .*\(weight\), got 'head'",
                     leave_out=["head"])

    def test_models(self):
        self.refuses(TypeError, "model_or_program must be a Program", model=3)
        self.refuses(TypeError, "inputs or data must be given", inputs=None)
        self.refuses(TypeError, "inputs and names are for a Module",
                     model=sy.static.trace(nn.Linear(4, 4), numbers(2, 4)))
        self.refuses(TypeError, "weights must be float32, .* float64",
                     model=nn.Linear(4, 4).to("float64"),
                     inputs=[numbers(2, 4).astype(np.float64)])
        self.refuses(ValueError, "must have a layer", model=nn.ReLU())
        self.refuses(ValueError, "weight: as leave_out says", leave_out=["weight"])
        with self.assertRaisesRegex(NotImplementedError, "random numbers"):
            sy.quantize(lambda x: nn.functional.dropout(x, 0.5, training=True),
                        inputs=[numbers(2, 4)])
        broken = nn.Linear(4, 4)
        with sy.no_grad():
            broken.weight[1, 2] = np.inf
        self.refuses(ValueError, "weights must be finite, got others in weight", broken)

    def test_data(self):
        self.refuses(ValueError, 'data must be given where .* "static"',
                     activations="static")
        for data in (numbers(2, 4), sy.tensor(numbers(2, 4)), 3, {"x0": 1}, "rows"):
            self.refuses(TypeError, "data must be a list of batches", data=data)
        self.refuses(ValueError, "data must have a batch or more", data=[])
        x = numbers(2, 4)
        self.refuses(TypeError, "data: batch 1: .*inputs must be 1", data=[x, (x, x)])
        self.refuses(ValueError, "data: batch 0: .*x0", data=[numbers(2, 3)])
        self.refuses(ValueError, "finite numbers, got an input of layer weight with nan",
                     data=[np.full((2, 4), np.nan, np.float32)], activations="static")

    def test_batches_by_name(self):
        x = numbers(3, 4)
        for data in ([{"rows": x}], [(x,)], iter([x, x])):
            quantized = sy.quantize(nn.Linear(4, 2), activations="static", data=data)
            self.assertEqual(quantized(x).shape, (3, 2))
        self.assertEqual(sy.quantize(nn.Linear(4, 2), data=[{"rows": x}]).program.feeds,
                         ["rows"])


if __name__ == "__main__":
    unittest.main()
