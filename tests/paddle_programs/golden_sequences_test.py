# SPDX-License-Identifier: Apache-2.0
"""Programs over sequences (LoD) that PaddlePaddle saved, against what PaddlePaddle computes with
them.

A floating output is off by at most 1e-4 of its largest magnitude; integers are equal, and so are
shapes and sequences. A program runs twice with the same bits.
"""
import json
import pathlib
import tempfile
import unittest

import numpy as np

import switchyard as sy

DATA = pathlib.Path("../shared_data")
MODELS = (
    "hub_rumor_lstm",
    "lac2_seg",
    "made_sequence",
    "serving_ctr",
    "text_sequence_conv_zh81",
)
SUFFIXES = {".f32": np.float32, ".i64": np.int64}
BOUND = 1e-4


def read(folder, stem, shape):
    path, = folder.glob(stem + ".*")
    return np.fromfile(path, SUFFIXES[path.suffix]).reshape(shape)


def load(model):
    return sy.static.load(DATA / "models" / model)


def same(got, want):
    """Whether a result is off by no more than it may be."""
    if want.dtype.kind != "f":
        return (got == want).all()
    return (np.abs(got.astype(np.float64) - want).max(initial=0)
            <= BOUND * np.abs(want).max(initial=0))


def feeds_of(golden, program, shapes):
    feeds = {}
    for name in program.feeds:
        # "x.tmp_0" has a suffix of its own.
        path, = (p for p in golden.glob("input_*") if p.stem == f"input_{name}")
        array = np.fromfile(path, SUFFIXES[path.suffix]).reshape(shapes[name])
        lengths = shapes.get("lod", {}).get(name)
        feeds[name] = array if lengths is None else sy.tensor(array, lod=[lengths])
    return feeds


def cut(feeds, lengths):
    """Feeds of other sequences, from the rows of those that there are."""
    changed = {}
    for name, feed in feeds.items():
        if isinstance(feed, sy.Tensor):
            rows = np.resize(feed.numpy(), (sum(lengths), *feed.shape[1:]))
            changed[name] = sy.tensor(rows, lod=[list(lengths)])
        else:
            changed[name] = np.resize(feed, (len(lengths), *feed.shape[1:]))
    return changed


class GoldenSequencesTest(unittest.TestCase):

    def check(self, golden, program):
        shapes = json.loads((golden / "shapes.json").read_text())
        feeds = feeds_of(golden, program, shapes)
        got = list(program.run(feeds, tensors=True).values())
        self.assertEqual([list(one.shape) for one in got], list(shapes["outputs"].values()))
        for i, (one, name) in enumerate(zip(got, shapes["outputs"])):
            want = read(golden, f"output_{i}", shapes["outputs"][name])
            self.assertEqual(one.dtype, want.dtype)
            self.assertTrue(same(one.numpy(), want), name)
            lengths = shapes.get("output_lod", {}).get(name)
            self.assertEqual(one.lod, None if lengths is None else [lengths])
        again = program.run(feeds, tensors=True).values()
        for one, other in zip(got, again):
            self.assertEqual((one.numpy().tobytes(), one.lod),
                             (other.numpy().tobytes(), other.lod))

    def test_models(self):
        for model in MODELS:
            with self.subTest(model):
                program = load(model)
                golden = DATA / "golden" / model
                for case in sorted(golden.glob("case*")) or [golden]:
                    self.check(case, program)

    def test_other_sequences(self):
        """A sequence's result does not depend on those around it, an empty one's on nothing."""
        for model in MODELS:
            golden = DATA / "golden" / model
            folder = next(iter(sorted(golden.glob("case*"))), golden)
            program = load(model)
            feeds = feeds_of(folder, program, json.loads((folder / "shapes.json").read_text()))
            for lengths in ((1,), (3, 0, 1), (0, 2), (0,)):
                with self.subTest(model=model, lengths=lengths):
                    batch = cut(feeds, lengths)
                    self.check_apart(program, batch, lengths)

    def check_apart(self, program, batch, lengths):
        together = list(program.run(batch, tensors=True).values())
        ends = np.cumsum(lengths)
        for i, (end, length) in enumerate(zip(ends, lengths)):
            alone = {name: sy.tensor(feed.numpy()[end - length:end], lod=[[length]])
                     if isinstance(feed, sy.Tensor) else feed[i:i + 1]
                     for name, feed in batch.items()}
            for one, whole in zip(program.run(alone, tensors=True).values(), together):
                part = whole.numpy()[i:i + 1] if whole.lod is None else (
                    whole.numpy()[end - length:end])
                self.assertEqual(part.shape, tuple(one.shape))
                self.assertEqual(one.lod, None if whole.lod is None else [[length]])
                self.assertTrue(same(part, one.numpy()))

    def test_as_onnx(self):
        """The lengths of sequences are inputs and outputs beside them."""
        for model in MODELS:
            golden = DATA / "golden" / model
            folder = next(iter(sorted(golden.glob("case*"))), golden)
            program = load(model)
            feeds = feeds_of(folder, program, json.loads((folder / "shapes.json").read_text()))
            with tempfile.TemporaryDirectory() as scratch:
                path = pathlib.Path(scratch) / "model.onnx"
                sy.export_onnx(program, path)
                written = sy.load(path)
                for lengths in ((3, 5, 2), (3, 0, 1), (0, 2)):
                    with self.subTest(model=model, lengths=lengths):
                        self.check_onnx(program, written, cut(feeds, lengths), lengths)

    def check_onnx(self, program, written, batch, lengths):
        plain = {name: feed.numpy() if isinstance(feed, sy.Tensor) else feed
                 for name, feed in batch.items()}
        plain.update({name: np.array(lengths, np.int64) for name in written.feeds
                      if name.endswith(".lengths")})
        got = written.run(plain)
        for name, want in program.run(batch, tensors=True).items():
            self.assertEqual(got[name].shape, tuple(want.shape))
            self.assertTrue(same(got[name], want.numpy()), name)
            if want.lod is not None:
                self.assertEqual(got[f"{name}.lengths"].tolist(), want.lod[0])


if __name__ == "__main__":
    unittest.main()
