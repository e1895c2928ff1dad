# SPDX-License-Identifier: Apache-2.0
"""The C program that was compiled with the first header: its results are Python's."""
import pathlib
import subprocess
import tempfile
import unittest

import numpy as np

import switchyard as sy
from programs import saved, spec

PROGRAM = pathlib.Path("tests/library/first_program").resolve()


class FirstProgramTest(unittest.TestCase):

    def test_it_runs(self):
        sy.seed(1)
        model = sy.nn.Sequential(sy.nn.Conv2D(3, 4, 3), sy.nn.ReLU(), sy.nn.Flatten(), sy.nn.Linear(144, 5))
        x = np.random.default_rng(0).normal(size=(2, 3, 8, 8)).astype(np.float32)
        with tempfile.TemporaryDirectory() as folder:
            path = saved(pathlib.Path(folder, "program.sy"), lambda x: sy.softmax(model(x)), spec("x", None, 3, 8, 8))
            fed, got = pathlib.Path(folder, "x.f32"), pathlib.Path(folder, "out.f32")
            fed.write_bytes(x.tobytes())
            words = [str(PROGRAM), path, str(fed), str(got)]
            done = subprocess.run([*words, "2", "3", "8", "8"], capture_output=True, text=True, check=False)
            want, = sy.load(path).run({"x": x}).values()
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertRegex(done.stdout, rf"^\d+\.\d+\.\d+: {want.nbytes} bytes\n$")
            self.assertEqual(got.read_bytes(), want.tobytes())
            done = subprocess.run([*words, "2", "192"], capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertRegex(done.stderr, r"^1 session_run: .*\n$")
            done = subprocess.run([words[0], "/none", *words[2:], "1"], capture_output=True, text=True, check=False)
            self.assertEqual(done.stderr, "4 model_load: /none: the file can't be read\n")


if __name__ == "__main__":
    unittest.main()
