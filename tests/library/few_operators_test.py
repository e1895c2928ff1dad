# SPDX-License-Identifier: Apache-2.0
"""A library with the operators of one model: small, with the same bits, and what it lacks is named."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np

import switchyard as sy
from programs import BINARY, HEADER, saved, spec
from switchyard_c import Error, Library

FEW = pathlib.Path("tests/library/few_operators.so").resolve()
SHARE = 0.4  # Of the whole library's bytes.


def made(folder, *models):
    """Writes to `folder` what ./sy library --models writes for the models."""
    package = pathlib.Path(sy.__file__).parent.parent
    return subprocess.run(
        [sys.executable, "tools/sy/library_of_models.py", "--build", str(folder), "-o", str(folder), *map(str, models)],
        env={**os.environ, "PYTHONPATH": str(package)}, capture_output=True, text=True, check=False)


class FewOperatorsTest(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        sy.seed(4)
        layer = sy.nn.Linear(3, 4)
        self.model = saved(self.folder / "layer.sy", lambda x: sy.softmax(layer(x)), spec("x", None, 3))
        (self.folder / "made").mkdir()

    def test_same_bits(self):
        done = made(self.folder / "made", self.model)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        built = (self.folder / "made" / "BUILD.bazel").read_text(encoding="utf-8")
        self.assertIn('    ops = [\n        "linear",\n        "softmax",\n    ],\n', built)
        library = Library(FEW, HEADER)
        session = library.session(library.load(self.folder / "made" / "layer.sy"))
        x = np.random.default_rng(0).normal(size=(5, 3)).astype(np.float32)
        library.run(session, {"x": x})
        want, = sy.load(self.model).run({"x": x}).values()
        self.assertEqual(library.output(session, "out").tobytes(), want.tobytes())
        self.assertLess(FEW.stat().st_size, SHARE * BINARY.stat().st_size)

    def test_an_operator_that_it_lacks_is_named(self):
        path = saved(self.folder / "other.sy", lambda x: sy.erf(x), spec("x", 3))
        with self.assertRaises(Error) as raised:
            Library(FEW, HEADER).load(path)
        self.assertIn("erf", str(raised.exception))

    def test_two_models_of_a_name(self):
        (self.folder / "layer").mkdir()
        done = made(self.folder / "made", self.model, self.folder / "layer")
        self.assertEqual((done.returncode, done.stderr), (1, "sy: library: two models would be layer.sy\n"))
        done = made(self.folder / "made", self.folder / "none.sy")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"^sy: library: .*none\.sy.*\n$")


if __name__ == "__main__":
    unittest.main()
