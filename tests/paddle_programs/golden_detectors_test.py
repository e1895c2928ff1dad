# SPDX-License-Identifier: Apache-2.0
"""Detectors that PaddlePaddle saved, against what PaddlePaddle computes with them.

Boxes are matched by label and score, whose order is free only among scores closer than 1e-4; each
column is off by at most 1e-4 of its largest magnitude. Numbers of boxes and sequences (LoD) are
equal. A program runs twice with the same bits.
"""
import json
import pathlib
import unittest

import numpy as np

import case_files
import compare
import switchyard as sy

DATA = pathlib.Path("../shared_data")
MODELS = (
    "pir_PP-DocLayout-S",
    "ppyolo_tiny_650e_coco",
    "serving_blazeface",
)
SUFFIXES = {".f32": np.float32, ".i32": np.int32}


def read(folder, stem, shape):
    path, = folder.glob(stem + ".*")
    return np.fromfile(path, SUFFIXES[path.suffix]).reshape(shape)


def lengths_of(shapes, name):
    lengths = shapes.get("output_lod", {}).get(name)
    return None if lengths is None else [lengths]


class GoldenDetectorsTest(unittest.TestCase):

    def check(self, model):
        golden = DATA / "golden" / model
        shapes = json.loads((golden / "shapes.json").read_text())
        program = sy.static.load(DATA / "models" / model)
        feeds = {name: read(golden, f"input_{name}", shapes[name])
                 for name in program.feeds}
        first, again = (list(program.run(feeds, tensors=True).values())
                        for _ in range(2))
        self.assertEqual(len(first), len(shapes["outputs"]))
        for i, (name, shape) in enumerate(shapes["outputs"].items()):
            got = first[i].numpy()
            self.assertEqual(got.tobytes(), again[i].numpy().tobytes())
            ours = case_files.NamedArray(name, got, first[i].lod)
            theirs = case_files.NamedArray(
                name, read(golden, f"output_{i}", shape),
                lengths_of(shapes, name))
            self.assertLessEqual(compare.difference(ours, theirs),
                                 compare.LIMIT, name)

    def test_models(self):
        for model in MODELS:
            with self.subTest(model):
                self.check(model)


if __name__ == "__main__":
    unittest.main()
