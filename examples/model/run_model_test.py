# SPDX-License-Identifier: Apache-2.0
"""The C++ example runs a model, and docs/cpp.md shows its code."""
import pathlib
import re
import struct
import subprocess
import unittest

MODEL = pathlib.Path("../shared_data/models/uci_housing_fit_a_line")
BINARY = "examples/model/run_model"


def call(*words):
    return subprocess.run([BINARY, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          universal_newlines=True, check=False)


class RunModelTest(unittest.TestCase):
    def test_zeros_give_the_bias(self):
        # A line at 0; the last four bytes of the file are its only element.
        bias, = struct.unpack("<f", (MODEL / "fc_0.b_0").read_bytes()[-4:])
        done = call(MODEL, 2, 13)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, f"{bias:.6f}\n" * 2)

    def test_errors(self):
        for words, error in (((MODEL, 2, 12), "x must be "), (("/no/model", 1), "/no/model")):
            done = call(*words)
            self.assertEqual(done.returncode, 1)
            self.assertIn(error, done.stderr)

    def test_page_shows_the_code(self):
        page = pathlib.Path("docs/cpp.md").read_text(encoding="utf-8")
        source = pathlib.Path("examples/model/run_model.cc").read_text(encoding="utf-8")
        body = source[source.index("  auto model"):source.index("} catch")]
        self.assertIn(body, re.findall(r"```cpp\n(.*?)```", page, re.S))


if __name__ == "__main__":
    unittest.main()
