# SPDX-License-Identifier: Apache-2.0
"""Training programs that PaddlePaddle saved, against what they do there.

From the same first values each loss is off by at most 1e-5 of the largest one, and each final variable
by at most 1e-4 of its largest magnitude. Training that was saved goes on with the same bits.
"""
import json
import pathlib
import tempfile
import unittest

import numpy as np

import switchyard as sy

DATA = pathlib.Path("../shared_data")
MODELS = ("made_train_conv", "made_train_conv_pir", "made_train_mlp", "made_train_mlp_pir")
SUFFIXES = {".f32": np.float32, ".i64": np.int64}
LOSS_BOUND = 1e-5
VARIABLE_BOUND = 1e-4


def read(folder, stem, shape):
    path, = (path for path in folder.iterdir() if path.stem == stem)
    return np.fromfile(path, SUFFIXES[path.suffix]).reshape(shape)


class Training:

    def __init__(self, model):
        self.folder = DATA / "models" / model
        # A program and its JSON form do the same.
        self.golden = DATA / "golden" / model.replace("_pir", "")
        self.about = json.loads((self.folder / "variables.json").read_text())
        self.shapes = json.loads((self.golden / "shapes.json").read_text())
        self.batches = {name: read(self.golden, f"input_{name}", self.shapes[name])
                        for name in self.about["feeds"]}

    def train(self, program):
        """The losses of as many steps as there are batches."""
        return np.array([
            program.run({name: batches[step] for name, batches in self.batches.items()})
            [self.about["fetch"]] for step in range(self.shapes["steps"])])


class GoldenTrainingTest(unittest.TestCase):

    def assert_near(self, got, want, bound):
        self.assertEqual(got.shape, want.shape)
        worst = np.abs(got.astype(np.float64) - want).max()
        self.assertLessEqual(worst, bound * np.abs(want).max())

    def assert_same_state(self, one, other):
        self.assertEqual(sorted(one.keys()), sorted(other.keys()))
        for name in one.keys():
            self.assertEqual(one[name].numpy().tobytes(), other[name].numpy().tobytes(), name)

    def check(self, model):
        training = Training(model)
        program = sy.static.load(training.folder, weights=training.folder / "init")
        self.assertEqual(sorted(program.feeds), sorted(training.about["feeds"]))
        self.assertEqual(program.fetches, [training.about["fetch"]])
        losses = training.train(program)
        want = read(training.golden, "output_0", [len(losses)])
        self.assert_near(losses, want, LOSS_BOUND)
        for name, shape in training.shapes["final"].items():
            final = read(training.golden, f"final_{name}", shape)
            with self.subTest(name):
                self.assert_near(program.state[name].numpy(), final, VARIABLE_BOUND)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "training.sy"
            program.save(path)
            again = sy.static.load(path)
        self.assertEqual(training.train(again).tobytes(), training.train(program).tobytes())
        self.assert_same_state(again.state, program.state)

    def test_models(self):
        for model in MODELS:
            with self.subTest(model):
                self.check(model)

    def test_startup(self):
        for model in MODELS:
            with self.subTest(model):
                training = Training(model)
                program = sy.static.load(training.folder)
                first = {name: program.state[name].numpy().copy()
                         for name in training.about["order"]}
                for name, value in first.items():
                    init = sy.static.load(training.folder, weights=training.folder / "init")
                    given = init.state[name].numpy()
                    self.assertEqual(value.shape, given.shape)
                    # Equal where nothing is drawn; otherwise of the same spread.
                    if given.min() == given.max():
                        np.testing.assert_array_equal(value, given)
                    else:
                        self.assertLess(abs(value.std() / given.std() - 1), 0.5)
                losses = training.train(program)
                self.assertLess(losses[-1], losses[0])
                program.startup.run({})
                for name, value in first.items():
                    np.testing.assert_array_equal(program.state[name].numpy(), value)


if __name__ == "__main__":
    unittest.main()
