# SPDX-License-Identifier: Apache-2.0
"""Models that export_onnx writes give the values of eager code when loaded again.

ONNX Runtime's answers are compared by hand (./sy conformance export)."""
import os
import tempfile
import unittest

import export_cases
import numpy as np

import switchyard as sy
from switchyard import nn, static
from switchyard.commands import main

X = export_cases.X


def flat(results):
    if isinstance(results, (tuple, list)):
        return [one for part in results for one in flat(part)]
    return [results.numpy()]


def specs(name, examples):
    """Examples as inputs whose first extent is open, where it is one for all."""
    rows = {array.shape[0] for array in examples}
    first = examples[0].shape[0] if name in export_cases.FIXED or len(rows) > 1 else "rows"
    return [sy.static.InputSpec([array.shape[0] if first != "rows" else first, *array.shape[1:]],
                                str(array.dtype)) for array in examples]


class ExportTest(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "model.onnx")

    def again(self, model, inputs, **options):
        sy.export_onnx(model, self.path, inputs=inputs, **options)
        return sy.load(self.path, exact=True)

    def check(self, name, opset):
        make, examples = export_cases.CASES[name]
        sy.seed(3)
        model, arrays = make(), examples()
        program = self.again(model, specs(name, arrays), opset=opset)
        if isinstance(model, nn.Module):
            model.eval()
        want = flat(model(*[sy.tensor(array) for array in arrays]))
        results = program.run(dict(zip(program.feeds, arrays)))
        self.assertEqual(len(results), len(want))
        for expected, name in zip(want, program.fetches):
            result = results[name]
            self.assertEqual((result.shape, result.dtype), (expected.shape, expected.dtype))
            largest = np.max(np.abs(expected.astype(np.float64)), initial=1e-6)
            np.testing.assert_allclose(result, expected, rtol=0, atol=1e-5 * largest)

    def test_every_case_in_the_first_and_the_last_opset(self):
        self.assertGreaterEqual(len(export_cases.CASES), 100)
        for name in export_cases.CASES:
            for opset in (17, 28):
                with self.subTest(name, opset=opset):
                    self.check(name, opset)

    def test_names_and_metadata(self):
        model = nn.Linear(4, 3)
        program = self.again(model, [sy.static.InputSpec(["batch", 4])], names=["rows"],
                             axes={"out": {0: "batch"}}, metadata={"author": "somebody"},
                             doc="a layer")
        self.assertEqual((program.feeds, program.fetches), (["rows"], ["out"]))
        self.assertEqual(sorted(program.state.keys()), ["bias", "weight"])
        self.assertEqual(program.inputs[0].shape, (-1, 4))
        with open(self.path, "rb") as file:
            content = file.read()
        for word in (b"batch", b"author", b"somebody", b"a layer", b"switchyard"):
            self.assertIn(word, content)

    def test_inputs_that_nothing_reads_stay(self):
        program = self.again(lambda x, mask, y: x + y, [X, X > 0, X])
        self.assertEqual(program.feeds, ["x0", "x1", "x2"])
        np.testing.assert_array_equal(program(X, X > 0, X).numpy(), X + X)

    def test_weights_beside_the_model(self):
        model = nn.Linear(64, 32)
        x = export_cases.floats(2, 64)
        program = self.again(model, [x], external_data=True)
        self.assertLess(os.path.getsize(self.path), 1000)
        self.assertGreaterEqual(os.path.getsize(self.path + ".data"), 64 * 32 * 4)
        np.testing.assert_allclose(program(x).numpy(), model(sy.tensor(x)).numpy(), rtol=1e-5,
                                   atol=1e-6)

    def test_a_module_keeps_its_phase(self):
        model = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.5))
        model[1].eval()
        self.again(model, [X])
        self.assertTrue(model.training and model[0].training)
        self.assertFalse(model[1].training)

    def test_a_program_is_written_without_its_training(self):
        model = nn.Linear(4, 2)
        step = sy.static.trace(lambda x: sy.mean(model(x)), X)
        program = self.again(step, None)
        np.testing.assert_allclose(program(X).numpy(), step(X).numpy(), rtol=1e-6)

    def test_statistics_of_the_batch_stay_so(self):
        """A norm that tracks none takes the batch's in evaluation, too."""
        for layer, shape in ((nn.BatchNorm1D(3, track_running_stats=False), (5, 3)),
                             (nn.BatchNorm2D(3, track_running_stats=False, epsilon=0.1),
                              (2, 3, 4, 2))):
            layer.weight.copy_(sy.tensor([0.5, 2.0, -1.0]))
            layer.bias.copy_(sy.tensor([1.0, 0.0, 3.0]))
            layer.eval()
            x = export_cases.floats(*shape) * 3 + 2
            spec = sy.static.InputSpec([None, *shape[1:]], "float32")
            program = self.again(layer, [spec])
            np.testing.assert_allclose(program(x).numpy(), layer(sy.tensor(x)).numpy(),
                                       rtol=1e-5, atol=1e-5)
            np.testing.assert_array_equal(
                sy.static.trace(layer, spec).export(["out"])(x).numpy(),
                layer(sy.tensor(x)).numpy())

    def test_pads_of_open_extents(self):
        for layer in (nn.ReflectionPad2D((2, 1, 0, 2)), nn.ReplicationPad2D((0, 3, 2, 1)),
                      nn.CircularPad2D((1, 2, 2, 0)), nn.ReflectionPad1D(2)):
            axes = 3 if isinstance(layer, nn.ReflectionPad1D) else 4
            program = self.again(layer, [sy.static.InputSpec([None] * axes, "float32")], opset=21)
            for sides in ((3, 5), (6, 4), (4, 3)):
                x = export_cases.floats(2, 1, *sides[:axes - 2])
                np.testing.assert_array_equal(program(x).numpy(), layer(sy.tensor(x)).numpy())

    def test_factors_of_extents(self):
        """They say how far elements are apart, whatever is left of an extent."""
        for mode, extents in (("nearest", 1), ("linear", 1), ("nearest", 2), ("bilinear", 2),
                              ("bicubic", 2), ("trilinear", 3)):
            for factor in (0.75, 1.5, 2.0, 2.5, 0.7, 1.6):
                def resampled(x):
                    return nn.functional.interpolate(x, scale_factor=factor, mode=mode)
                for sides in ((5, 7, 6), (3, 4, 5)):
                    x = export_cases.floats(2, 3, *sides[:extents])
                    open_ = static.InputSpec([None] * x.ndim, "float32")
                    four_bits = factor not in (0.7, 1.6)
                    if mode == "nearest" and not four_bits:
                        continue
                    for spec in [x] + [open_] * four_bits:
                        with self.subTest(mode, factor=factor, x=x.shape):
                            program = self.again(resampled, [spec], opset=19)
                            np.testing.assert_allclose(
                                program(x).numpy(), resampled(sy.tensor(x)).numpy(),
                                rtol=0, atol=1e-5)

    def test_factors_that_leave_open_extents_are_refused(self):
        open_ = static.InputSpec([1, 1, None], "float32")
        for factor in (0.7, 1.6):
            for mode in ("nearest", "linear"):
                with self.assertRaisesRegex(NotImplementedError,
                                            "factors of extents that are not known"):
                    self.again(lambda x: nn.functional.interpolate(
                        x, scale_factor=factor, mode=mode), [open_])

    def test_orders_of_axes_count_from_the_front(self):
        """ONNX has no axis of Transpose that is negative."""
        mask = X[:3, :3] > 0
        layer = nn.MultiheadAttention(4, 2, batch_first=True)
        rows = export_cases.floats(2, 3, 4)
        for function, examples in (
                (lambda x: sy.transpose(x, [0, -1, -2]), [rows]),
                (lambda x: x.transpose(-1, 0, 1), [rows]),
                (lambda x, mask: nn.functional.scaled_dot_product_attention(
                    x, x, x, attn_mask=mask), [rows, mask]),
                (lambda x, mask: layer(x, x, x, attn_mask=mask)[0], [rows, mask])):
            program = self.again(function, examples)
            self.assertNotRegex(program.text(), r"perm = int32\[[^]]*-")
            np.testing.assert_allclose(
                program(*examples).numpy(), function(*map(sy.tensor, examples)).numpy(),
                rtol=1e-5, atol=1e-6)

    def test_two_batches(self):
        """Extents that the run compares."""
        spec, labels = static.InputSpec([None, None]), static.InputSpec([None])
        functions = nn.functional
        for loss, inputs in (
                (functions.mse_loss, [spec] * 2), (functions.l1_loss, [spec] * 2),
                (functions.kl_div, [spec] * 2),
                (lambda x, y: functions.cosine_embedding_loss(x, x * 2.0, y), [spec, labels])):
            program = self.again(loss, inputs)
            x, y = X, export_cases.Y
            y = y if len(inputs[1].shape) == 2 else np.sign(y[:, 0])
            np.testing.assert_allclose(program(x, y).numpy(),
                                       loss(sy.tensor(x), sy.tensor(y)).numpy(), rtol=1e-5)
            with self.assertRaises(ValueError):
                program(x, y[:1])

    def test_all_that_has_no_form_is_named(self):
        def function(x):
            return sy.special.i0(x) + sy.lgamma(x) + sy.digamma(x)
        with self.assertRaises(NotImplementedError) as raised:
            self.again(function, [X])
        text = str(raised.exception)
        self.assertTrue(text.startswith("export_onnx: 3 operations have no form in ONNX:\n"), text)
        for name in ("op.i0: ", "op.lgamma: ", "op.digamma: "):
            self.assertIn(name, text)
        self.assertIn("export_onnx_test.py:", text)
        self.assertFalse(os.path.exists(self.path))

    def test_wrong_arguments(self):
        model = nn.Linear(4, 2)
        for error, text, call in (
                (ValueError, r"opset must be in \[17, 28\], got 16",
                 lambda: sy.export_onnx(model, self.path, 16, [X])),
                (TypeError, "inputs must be given",
                 lambda: sy.export_onnx(model, self.path)),
                (TypeError, "model must be a Program, a Module or a function",
                 lambda: sy.export_onnx(3, self.path)),
                (TypeError, "a Program has its own",
                 lambda: sy.export_onnx(sy.static.trace(model, X), self.path, inputs=[X])),
                (TypeError, "axes must be a dictionary of dictionaries",
                 lambda: sy.export_onnx(model, self.path, inputs=[X], axes={"x0": 1}))):
            with self.subTest(text), self.assertRaisesRegex(error, text):
                call()

    def test_the_command(self):
        saved = self.path + ".saved"
        model = nn.Linear(4, 2)
        sy.static.trace(model, X).save(saved)
        self.assertEqual(main(["export", saved, "-o", self.path, "--opset", "18", "--axis",
                               "x0:0=batch"]), 0)
        np.testing.assert_allclose(sy.load(self.path)(X).numpy(), model(sy.tensor(X)).numpy(),
                                   rtol=1e-5, atol=1e-6)
        self.assertEqual(main(["export", saved, "--axis", "x0=batch"]), 2)
        self.assertEqual(main(["export", saved, "-o", self.path, "--opset", "3"]), 1)


if __name__ == "__main__":
    unittest.main()
