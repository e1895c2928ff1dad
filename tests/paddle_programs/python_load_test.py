# SPDX-License-Identifier: Apache-2.0
"""Programs that PaddlePaddle saved, loaded and run from Python."""
import gzip
import pathlib
import shutil
import tempfile
import unittest

import numpy as np

import switchyard as sy

DATA = pathlib.Path("../shared_data")
PERCEPTRON = DATA / "models/mnist_mlp_scl1323"
REGRESSION = DATA / "models/uci_housing_fit_a_line"
GOLDEN = DATA / "golden/uci_housing_fit_a_line"


def read(name, header):
    with gzip.open(DATA / "mnist" / name) as file:
        return np.frombuffer(file.read(), np.uint8, offset=header)


class PythonLoadTest(unittest.TestCase):

    def test_perceptron(self):
        pixels = read("t10k-images-idx3-ubyte.gz", 16)
        image = pixels.astype(np.float32).reshape(-1, 1, 28, 28)
        image = image / np.float32(255) * np.float32(2) - np.float32(1)
        program = sy.static.load(PERCEPTRON)
        self.assertEqual(program.feeds, ["image"])
        scores, = program.run({"image": image}).values()
        labels = read("t10k-labels-idx1-ubyte.gz", 8)
        self.assertEqual((scores.argmax(1) == labels).sum(), 9724)

    def test_regression(self):
        x = np.fromfile(GOLDEN / "input_x.f32", np.float32).reshape(5, 13)
        want = np.fromfile(GOLDEN / "output_0.f32", np.float32).reshape(5, 1)
        got, = sy.static.load(REGRESSION).run({"x": x}).values()
        np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-5)

    def test_saved_as_a_program_of_ours(self):
        program = sy.static.load(REGRESSION)
        x = np.fromfile(GOLDEN / "input_x.f32", np.float32).reshape(5, 13)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "regression.sy"
            program.save(path)
            again = sy.static.load(path).run({"x": x})
        self.assertEqual([v.tobytes() for v in again.values()],
                         [v.tobytes() for v in program.run({"x": x}).values()])

    def test_what_is_relaxed(self):
        """Fusions alone, unless a caller says otherwise; denormal numbers are kept."""
        program = sy.static.load(REGRESSION)
        self.assertEqual(program.relaxed,
                         {"denormals": "keep", "precision": "exact", "fusion": "relaxed", "reduction": "tree",
                          "thread_variant": "refuse"})
        self.assertTrue(program.explain().startswith("relaxed: fusion=relaxed\n"))
        tiny = np.full((1, 13), 1e-41, np.float32)
        weights = {name: program.state[name] for name in program.state.keys()}
        for value in weights.values():
            if value.shape[0] == 1:
                value.fill_(0)  # The bias: what is left is a sum of products with denormals.
        kept, flushed = (sy.static.load(REGRESSION, relaxed=text) for text in ("exact", "denormals=flush"))
        for one in kept, flushed:
            for name, value in weights.items():
                one.state[name].copy_(value)
        for run in (kept.run, kept.run_eagerly, program.run):
            self.assertNotEqual(*run({"x": tiny}).values(), 0)
        for run in (flushed.run, flushed.run_eagerly):
            self.assertEqual(*run({"x": tiny}).values(), 0)
        self.assertEqual(sy.static.load(REGRESSION, exact=True).relaxed["fusion"], "exact")
        with self.assertRaisesRegex(ValueError, "only one of the two"):
            sy.static.load(REGRESSION, exact=True, relaxed="fusion=relaxed")

    def test_a_pair_of_paths(self):
        pair = PERCEPTRON / "__model__", PERCEPTRON
        self.assertEqual(sy.load(pair).inputs, sy.load(PERCEPTRON).inputs)
        with self.assertRaisesRegex(ValueError, "load: path must be one, or a pair .*, got 1"):
            sy.load(pair[:1])
        with self.assertRaisesRegex(FileNotFoundError, "fc_0.w_0|fc_0.b_0"):
            sy.load((pair[0], DATA / "mnist"))

    def test_damaged(self):
        with tempfile.TemporaryDirectory() as folder:
            copy = pathlib.Path(folder) / "copy"
            shutil.copytree(PERCEPTRON, copy)
            weight = copy / "fc_0.w_0"
            content = weight.read_bytes()
            weight.chmod(0o600)
            weight.write_bytes(content[:-1])
            with self.assertRaisesRegex(ValueError, "fc_0.w_0"):
                sy.static.load(copy)
            weight.unlink()
            with self.assertRaisesRegex(FileNotFoundError, "fc_0.w_0"):
                sy.static.load(copy)

    def test_names_that_are_no_text(self):
        program = (REGRESSION / "__model__").read_bytes()
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "__model__"
            path.write_bytes(program.replace(b"\x1a\x03mul", b"\x1a\x03m\xffl"))
            with self.assertRaisesRegex(NotImplementedError, r"operator \d+, m\\xffl: no operator"):
                sy.load(folder)


if __name__ == "__main__":
    unittest.main()
