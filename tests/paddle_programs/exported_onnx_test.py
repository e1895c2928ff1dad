# SPDX-License-Identifier: Apache-2.0
"""Programs that PaddlePaddle exported (exported_programs_test.py), written as ONNX and read again, against what
PaddlePaddle gave. Programs on sequences are golden_sequences_test.py's.

ONNX Runtime's answers are compared by hand (./sy conformance export --models)."""
import os
import pathlib
import tempfile
import unittest

import numpy as np

import switchyard as sy

FOLDER = pathlib.Path(__file__).parent
# Programs that do not go out, and what the error names. The list may only shrink.
REFUSED = {
    "v2_matrices": "op.eigh", "v3_matrices": "op.eigh",
    "v2_messages": "3 operations", "v3_messages": "3 operations",
    "v2_signal": "5 operations", "v3_signal": "5 operations",
    "v2_steps": "op.sequence_mask", "v3_steps": "op.sequence_mask",
    "v2_unique": "op.legacy_unique", "v3_unique": "op.legacy_unique",
    "v2_viterbi": "op.viterbi_decode", "v3_viterbi": "op.viterbi_decode",
}


class ExportedOnnxTest(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "model.onnx")

    def agree(self, got, want):
        self.assertEqual((got.dtype, got.shape), (want.dtype, want.shape))
        if want.dtype.kind == "f":
            np.testing.assert_allclose(got, want, rtol=0, atol=2e-5 * np.abs(want).max(initial=0))
        else:
            np.testing.assert_array_equal(got, want)

    def again(self, path):
        """The program as ONNX, read again; None where that is refused, as the list says."""
        program = sy.load(str(path), exact=True)
        refused = REFUSED.get(path.name)
        if refused is None:
            sy.export_onnx(program, self.path)
            return sy.load(self.path, exact=True)
        with self.assertRaisesRegex((NotImplementedError, TypeError), refused):
            sy.export_onnx(program, self.path)
        return None

    def test_programs(self):
        self.assertLessEqual(len(REFUSED), 12)
        for path in sorted(FOLDER.glob("exported/*")):
            with self.subTest(path.name), np.load(path / "golden.npz") as golden:
                program = self.again(path)
                if program is None:
                    continue
                feeds = {key[3:]: golden[key] for key in golden.files if key.startswith("in.")}
                for i, got in enumerate(program.run(feeds).values()):
                    self.agree(got, golden[f"out.{i}"])


if __name__ == "__main__":
    unittest.main()
