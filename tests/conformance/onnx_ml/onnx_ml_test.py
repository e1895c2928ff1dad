# SPDX-License-Identifier: Apache-2.0
"""Models of ai.onnx.ml: pipelines of scikit-learn and single nodes, with the
results that make_ml.py recorded from ONNX Runtime."""

import base64
import json
import lzma
import os
import pathlib
import tempfile
import unittest

import numpy as np
import switchyard as sy

CASES = pathlib.Path(__file__).resolve().parent / "models.json.xz"


def array_of(encoded):
    dtype, shape, data = encoded
    if dtype == "string":
        return np.array(data, object).reshape(shape)
    return np.frombuffer(base64.b64decode(data), dtype).reshape(shape)


class OnnxMlTest(unittest.TestCase):

    def test_recorded_results(self):
        cases = json.loads(lzma.decompress(CASES.read_bytes()))
        self.assertGreaterEqual(len(cases), 70)
        with tempfile.TemporaryDirectory() as folder:
            for i, (name, case) in enumerate(cases.items()):
                with self.subTest(name):
                    path = os.path.join(folder, f"{i}.onnx")
                    pathlib.Path(path).write_bytes(
                        base64.b64decode(case["model"]))
                    self.check(name, sy.load(path), case)

    def check(self, case_name, program, case):
        feeds = {name: array_of(value)
                 for name, value in case["feeds"].items()}
        feeds = {name: value if value.dtype != object
                 else sy.strings.tensor(value)
                 for name, value in feeds.items()}
        results, eager = program.run(feeds), program.run_eagerly(feeds)
        labels = [array_of(encoded) for encoded in case["outputs"].values()]
        for name, encoded in case["outputs"].items():
            got, wanted = results[name], array_of(encoded)
            if name in program.maps:
                if not case_name.startswith("svc"):  # Those are decisions.
                    self.check_keys(got, labels)
                self.assertEqual(got, eager[name])
                got, eager[name] = (
                    np.float32([list(row.values()) for row in rows])
                    for rows in (got, eager[name]))
            if wanted.dtype == object:
                self.assertEqual(got.tolist(), wanted.tolist())
                self.assertEqual(eager[name].tolist(), wanted.tolist())
                continue
            self.assertEqual(got.dtype, wanted.dtype)
            np.testing.assert_allclose(got, wanted, 1e-4, 1e-5)
            self.assertEqual(got.tobytes(), eager[name].tobytes())

    def check_keys(self, rows, results):
        """The key of the greatest number of a map is the label of the row,
        which is another result, where it is one number's alone."""
        labels = [each for each in results if each.dtype.kind in "Oi"]
        for row, label in zip(rows, labels[0].tolist() if labels else ()):
            first, second = sorted(row.values())[-1:-3:-1]
            if first - second > 1e-3:
                self.assertEqual(max(row, key=row.get), label)


if __name__ == "__main__":
    unittest.main()
