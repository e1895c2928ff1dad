# SPDX-License-Identifier: Apache-2.0
"""Programs on sequences as fluid 1.x wrote them (tools/models/export_sequences.py) against what PaddlePaddle 2.6.2
gave: shapes, sequences and integers are the same. Each is run twice, on other lengths."""
import json
import pathlib
import unittest

import numpy as np

import switchyard as sy

FOLDER = pathlib.Path(__file__).parent / "exported_sequences"


class ExportedSequencesTest(unittest.TestCase):

    def check_run(self, model, golden, lods, run):
        feeds = {key.split(".", 2)[2]: sy.tensor(golden[key], lod=lods[key])
                 for key in golden.files if key.startswith(f"{run}.in.")}
        results = model(feeds)
        results = results if isinstance(results, tuple) else (results,)
        wanted = [key for key in golden.files if key.startswith(f"{run}.out.")]
        self.assertEqual(len(results), len(wanted))
        for result, key in zip(results, wanted):
            want, got = golden[key], result.numpy()
            self.assertEqual((got.dtype, got.shape, result.lod), (want.dtype, want.shape, lods[key]))
            if want.dtype.kind == "f":
                np.testing.assert_allclose(got, want, rtol=0, atol=1e-5 * np.abs(want).max(initial=0))
            else:
                np.testing.assert_array_equal(got, want)

    def test_agree_with_paddle(self):
        programs = sorted(path for path in FOLDER.iterdir() if path.is_dir())
        self.assertEqual(len(programs), 6)
        for path in programs:
            with np.load(path / "golden.npz") as golden:
                model, lods = sy.load(str(path)), json.loads(str(golden["lod"]))
                for run in (0, 1):
                    with self.subTest(program=path.name, run=run):
                        self.check_run(model, golden, lods, run)


if __name__ == "__main__":
    unittest.main()
