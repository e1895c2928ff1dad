# SPDX-License-Identifier: Apache-2.0
"""Programs that PaddlePaddle saved, run operator by operator by the eager executor: the bits of the static one,
results, sequences and states alike."""
import json
import pathlib
import unittest

import numpy as np

import switchyard as sy

DATA = pathlib.Path("../shared_data")
SUFFIXES = {".f16": np.float16, ".f32": np.float32, ".f64": np.float64, ".i32": np.int32, ".i64": np.int64,
            ".bool": np.bool_}
TRAINING = ("made_train_conv", "made_train_conv_pir", "made_train_mlp", "made_train_mlp_pir")
STEPS = 3  # Of training programs.
# Its truth is no golden folder.
WITHOUT_GOLDEN = ("wind_lstnet_gru",)


def models():
    """Those that there are, a folder each."""
    names = sorted(path.name for path in (DATA / "models").iterdir() if path.is_dir())
    return [name for name in names if name not in TRAINING + WITHOUT_GOLDEN]


def read(folder, name, shape):
    path, = (path for path in folder.glob("input_*") if path.stem == f"input_{name}")
    return np.fromfile(path, SUFFIXES[path.suffix]).reshape(shape)


def feeds_of(program, golden):
    shapes = json.loads((golden / "shapes.json").read_text())
    feeds = {}
    for name in program.feeds:
        array = read(golden, name, shapes[name])
        lengths = shapes.get("lod", {}).get(name)
        feeds[name] = array if lengths is None else sy.tensor(array, lod=[lengths])
    return feeds


def facts(results):
    """Returns what must be equal of results by name."""
    return {name: (one.kind, str(one.dtype), tuple(one.shape), one.lod, one.numpy().tobytes())
            for name, one in results.items()}


class EagerModelsTest(unittest.TestCase):
    def test_every_model(self):
        names = models()
        self.assertGreaterEqual(len(names), 25)
        for name in names:
            with self.subTest(name):
                program = sy.load(DATA / "models" / name)
                golden = DATA / "golden" / name.replace("_pir", "")
                if not golden.exists():
                    golden = DATA / "golden" / name
                for case in sorted(golden.glob("case*")) or [golden]:
                    feeds = feeds_of(program, case)
                    want = facts(program.run(feeds, tensors=True))
                    self.assertEqual(facts(program.run_eagerly(feeds, tensors=True)), want)

    def test_training(self):
        for name in TRAINING:
            with self.subTest(name):
                folder = DATA / "models" / name
                golden = DATA / "golden" / name.replace("_pir", "")
                shapes = json.loads((golden / "shapes.json").read_text())
                pair = [sy.load(folder, weights=folder / "init") for _ in range(2)]
                batches = {feed: read(golden, feed, shapes[feed]) for feed in pair[0].feeds}
                for step in range(STEPS):
                    feeds = {feed: one[step] for feed, one in batches.items()}
                    self.assertEqual(facts(pair[0].run(feeds, tensors=True)),
                                     facts(pair[1].run_eagerly(feeds, tensors=True)))
                for state in pair[0].state.keys():
                    self.assertEqual(pair[0].state[state].numpy().tobytes(), pair[1].state[state].numpy().tobytes(),
                                     state)

    def test_profile(self):
        program = sy.load(DATA / "models" / "made_while_newton")
        feeds = feeds_of(program, DATA / "golden" / "made_while_newton" / "case0")
        profile = program.profile_eagerly(feeds)
        want = program.run(feeds)
        for name, one in profile.outputs.items():
            self.assertEqual(one.numpy().tobytes(), want[name].tobytes())
        ops = [step.op for step in profile.steps]
        self.assertIn("cf.while", ops)
        calls = [step for step in profile.steps if "." not in step.op]
        self.assertTrue(all("cpu" in step.kernel or "view" in step.kernel for step in calls), calls)
        self.assertTrue(all(step.begin <= step.end for step in profile.steps))
        loop, = (step for step in profile.steps if step.op == "cf.while")
        inside = [step for step in calls if loop.begin <= step.begin and step.end <= loop.end]
        self.assertGreater(len(inside), 6)

    def test_errors(self):
        program = sy.load(DATA / "models" / "uci_housing_fit_a_line")
        x = np.zeros((2, 13), np.float32)
        for feeds, error in (({}, "feed 'x' must be given, got none"),
                             ({"x": x, "y": x}, "feeds must be those of the program, got 'y'"),
                             ({"x": x.astype(np.float64)}, "feed 'x' must be float32, got float64"),
                             ({"x": x[:, :3]}, r"feed 'x' must be \[\?, 13\], got \[2, 3\]")):
            with self.subTest(error), self.assertRaisesRegex((ValueError, TypeError), error):
                program.run_eagerly(feeds)


if __name__ == "__main__":
    unittest.main()
