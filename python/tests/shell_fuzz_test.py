# SPDX-License-Identifier: Apache-2.0
"""Random words and damaged files for python -m switchyard: each ends with a
line and the exit codes 0, 1 or 2, never with 70, a fault of the package."""
import contextlib
import io
import os
import pathlib
import random
import tempfile
import unittest

import numpy as np

import switchyard as sy
from switchyard.commands import main

CALLS = int(os.environ.get("SY_FUZZ", "300"))  # 5,000 by hand.
OPTIONS = ("--input", "--lod", "--output", "--threads", "--executor", "--repeat",
           "--profile", "--trace", "--exact", "--without", "--relaxed", "--precision", "--prefer", "--json",
           "--weights", "--ir", "--op", "--place", "--attr", "--policy")
VALUES = ("x=", "=", "", "2,1", "0", "-1", "static", "eager", "denormals=flush",
          "relu", "imported", "after lunch", "lowered", "cpu", "gpu:0",
          "x=float32[?, 2]", "axis=1", "backend=cpu", "é", "9" * 30)


class ShellFuzzTest(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)  # Where a trace may go.
        model = self.folder / "model.sy"
        sy.static.trace(lambda x: sy.relu(x) @ sy.ones(2, 3),
                        sy.static.InputSpec([None, 2], name="x")).save(model)
        array = self.folder / "x.npy"
        np.save(array, np.ones((3, 2), np.float32))
        self.good = [str(model), str(array)]
        self.whole = [path.read_bytes() for path in (model, array)]

    def damaged(self, drawn):
        """The path of a file that was good, with some bytes changed."""
        data = bytearray(drawn.choice(self.whole))
        for _ in range(drawn.choice((1, 2, 9))):
            at = drawn.randrange(len(data))
            if drawn.random() < 0.5:
                data[at] = drawn.randrange(256)
            else:
                del data[at:at + drawn.randrange(1, 20)]
        path = self.folder / "damaged"
        path.write_bytes(data)
        return str(path)

    def word(self, drawn):
        path = self.damaged(drawn) if drawn.random() < 0.3 else drawn.choice(
            [*self.good, "/no/file", str(self.folder)])
        return drawn.choice((path, f"x={path}", drawn.choice(VALUES),
                             drawn.choice(OPTIONS), drawn.choice(OPTIONS)))

    def test_calls(self):
        drawn, codes = random.Random(11), set()
        threads = sy.num_threads()
        self.addCleanup(sy.set_num_threads, threads)
        for _ in range(CALLS):
            words = [drawn.choice(("run", "inspect", "explain", "profile"))]
            if drawn.random() < 0.8:
                words.append(drawn.choice([self.good[0], self.damaged(drawn)]))
            if drawn.random() < 0.5:
                words += ["--input", drawn.choice([self.good[1],
                                                   self.damaged(drawn)])]
            words += [self.word(drawn) for _ in range(drawn.randrange(4))]
            out, err = io.StringIO(), io.StringIO()
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                try:
                    code = main(words)
                except SystemExit as error:  # Of argparse.
                    code = error.code or 0
            self.assertIn(code, (0, 1, 2), (words, err.getvalue()))
            self.assertNotIn("Traceback", err.getvalue())
            codes.add(code)
        self.assertEqual(codes, {0, 1, 2})


if __name__ == "__main__":
    unittest.main()
