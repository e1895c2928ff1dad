# SPDX-License-Identifier: Apache-2.0
"""Nodes of ONNX whose results compare.py recorded from ONNX Runtime, or from
ONNX's reference where that alone runs them."""

import base64
import json
import lzma
import os
import pathlib
import sys
import tempfile
import unittest

import numpy as np

HERE = pathlib.Path("tests/conformance/onnx_nodes").resolve()
sys.path.insert(0, str(HERE))

import switchyard as sy
from agreement import agree


def decoded(text):
    dtype, shape, data = text
    return np.frombuffer(base64.b64decode(data), dtype).reshape(shape)


def lines(name):
    text = (HERE / name).read_text(encoding="utf-8")
    return [line for line in text.splitlines() if not line.startswith("#")]


def results(name):
    """(operator, version, the kinds of its cases) of each line."""
    for line in lines(name):
        operator, version, *counts = line.split()
        yield operator, version, set(counts[::2])


class OnnxNodesTest(unittest.TestCase):

    def test_recorded_results(self):
        cases = json.loads(lzma.decompress((HERE / "cases.json.xz")
                                           .read_bytes()))
        self.assertGreaterEqual(len(cases), 300)
        with tempfile.TemporaryDirectory() as folder:
            for i, case in enumerate(cases):
                # A file that a program may read does not change.
                path = os.path.join(folder, f"{i}.onnx")
                model = base64.b64decode(case["model"])
                pathlib.Path(path).write_bytes(model)
                feeds = {name: decoded(text)
                         for name, text in case["feeds"].items()}
                wanted = [decoded(text) for text in case["outputs"].values()]
                program = sy.load(path)
                for run in (program.run, program.run_eagerly):
                    results = run(feeds)
                    got = [results[name] for name in case["outputs"]]
                    self.assertTrue(agree(got, wanted), model)

    def test_differences(self):
        """No difference without a row, no row in vain, and few rows."""
        differing, versions = set(), 0
        for name, version, counts in results("results.txt"):
            versions += 1
            self.assertNotIn("executors", counts, name)
            if "differ" in counts:
                differing.add(f"{name} {version}")
        for name, version, counts in results("bodies.txt"):
            if "differ" in counts:
                differing.add(f"{name} {version} body")
        rows = [line.split(" | ") for line in lines("differences.txt")]
        self.assertEqual({row[0] for row in rows}, differing)
        self.assertEqual([len(row) for row in rows], [3] * len(rows))
        self.assertLessEqual(len(rows), versions // 100)

    def test_bodies(self):
        """The body of a schema, as a function of the model, gives what the
        operator itself does."""
        agreeing = set()
        for name, _, counts in results("bodies.txt"):
            if "agree" in counts:
                agreeing.add(name)
        # The other of 48 is Bernoulli, whose body says otherwise than its text.
        self.assertGreaterEqual(len(agreeing), 47)

    def test_agreement(self):
        """A wrong element, shape or dtype is a difference."""
        one = np.array([1, 2], np.float32)
        self.assertTrue(agree([one], [one + np.float32(1e-4)]))
        for other in (one + 1, one[:1], one.astype(np.float64)):
            self.assertFalse(agree([one], [other]))
        nan = np.array([1, np.nan], np.float32)
        self.assertTrue(agree([nan], [nan]))
        self.assertFalse(agree([nan], [one]))
        self.assertFalse(agree([one], [one, one]))


if __name__ == "__main__":
    unittest.main()
