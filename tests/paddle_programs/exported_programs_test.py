# SPDX-License-Identifier: Apache-2.0
"""Programs that PaddlePaddle 2.6.2 and 3.3.1 exported (tools/models/export_programs.py) against what they gave there."""
import pathlib
import unittest

import numpy as np

import switchyard as sy

FOLDER = pathlib.Path(__file__).parent / "exported"


class ExportedProgramsTest(unittest.TestCase):
    def test_agree_with_paddle(self):
        programs = sorted(path for path in FOLDER.iterdir() if path.is_dir())
        self.assertEqual(len(programs), 47)
        for path in programs:
            with self.subTest(program=path.name), np.load(path / "golden.npz") as golden:
                feeds = {key[3:]: golden[key] for key in golden.files if key.startswith("in.")}
                results = list(sy.load(str(path)).run(feeds).values())
                self.assertEqual(len(results), len(golden.files) - len(feeds))
                for i, result in enumerate(results):
                    want = golden[f"out.{i}"]
                    self.assertEqual((result.dtype, result.shape), (want.dtype, want.shape))
                    if want.dtype.kind == "f":
                        np.testing.assert_allclose(result, want, rtol=0, atol=1e-5 * np.abs(want).max(initial=0))
                    else:
                        np.testing.assert_array_equal(result, want)


if __name__ == "__main__":
    unittest.main()
