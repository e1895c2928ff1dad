# SPDX-License-Identifier: Apache-2.0
"""A product with the operators of one model: small, and with the bits of the whole library."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np

import switchyard as sy

MODEL = pathlib.Path("../shared_data/models/ch_ppocr_mobile_v2.0_cls")
BINARY = pathlib.Path("tests/paddle_programs/classifier")
OTHER = pathlib.Path("tests/paddle_programs/classifier_without_onednn")
SHARE = 0.4  # Of the whole library's bytes.


class ProductTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.describe()

    def describe(self, *options):
        """Writes the program and its BUILD file."""
        words = [sys.executable, "tools/sy/product_of_model.py", str(MODEL), "-o", str(self.folder), "--build",
                 str(self.folder), *options]
        package = pathlib.Path(sy.__file__).parent.parent
        subprocess.run(words, check=True, env={**os.environ, "PYTHONPATH": str(package)})

    def test_operators_are_those_of_the_binary(self):
        said = (self.folder / "BUILD.bazel").read_text(encoding="utf-8")
        for op in ("conv2d_epilogue", "pool2d", "softmax"):
            self.assertIn(f'        "{op}",\n', said)

    def test_choices_are_those_of_a_run(self):
        self.describe("--exact")
        said = (self.folder / "BUILD.bazel").read_text(encoding="utf-8")
        self.assertIn('        "batch_norm",\n', said)
        self.assertNotIn("conv2d_epilogue", said)

    def test_same_bits(self):
        images = np.random.default_rng(5).normal(size=(2, 3, 48, 192)).astype(np.float32)
        images.tofile(self.folder / "x.f32")
        done = subprocess.run(
            [str(BINARY), str(self.folder / "model.sy"), str(self.folder),
             f"x=2x3x48x192:{self.folder / 'x.f32'}"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            universal_newlines=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (0, "softmax_0.tmp_0: float32[2, 2]\n"), done.stderr)
        want, = sy.load(MODEL).run({"x": images}).values()
        self.assertEqual((self.folder / "softmax_0.tmp_0.bin").read_bytes(), want.tobytes())

    def test_errors(self):
        for words, error in ((["no.sy"], "no.sy"),
                             (["model.sy", ".", "y=1:x"], "input must be one of the program, got y"),
                             (["model.sy", ".", "x=1xa:x"], "extents must be as 1x3x48x192, got 1xa"),
                             (["model.sy", ".", "x"], "input must be as NAME=EXTENTS:FILE, got x")):
            done = subprocess.run([str(BINARY.resolve()), *words], cwd=self.folder, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, universal_newlines=True, check=False)
            self.assertEqual(done.returncode, 1)
            self.assertIn(error, done.stderr)

    def test_says_where_kernels_are_not_those_that_were_locked(self):
        program = sy.load(MODEL)
        program.save(self.folder / "locked.sy", lock_kernels=True)
        sy.load(self.folder / "locked.sy", strict_kernels=True)

        def run(binary, *words):
            done = subprocess.run([str(binary.resolve()), *words], cwd=self.folder, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, universal_newlines=True, check=False)
            return done.returncode, done.stdout, done.stderr

        code, out, err = run(BINARY, "--strict", "locked.sy")
        self.assertEqual((code, err), (0, ""))
        self.assertIn("inputs", out)
        code, out, err = run(OTHER, "locked.sy")
        self.assertEqual(code, 0)
        self.assertIn("inputs", out)
        self.assertRegex(err, r"^warning: locked.sy: saved program: kernels must be those that were locked, got others:"
                              r"\n  call \d+, conv2d_epilogue: conv2d_epilogue_onednn_float32 or conv2d_epilogue_cpu_float32 "
                              r"was locked, conv2d_epilogue_cpu_float32 is chosen here\n")
        code, out, err = run(OTHER, "--strict", "locked.sy")
        self.assertEqual((code, out), (1, ""))
        self.assertIn("conv2d_epilogue_cpu_float32 is chosen here", err)
        # A file without a lock.
        self.assertEqual(run(OTHER, "--strict", "model.sy")[0], 0)

    def test_python_warns_or_refuses(self):
        path = self.folder / "locked.sy"
        sy.load(MODEL).save(path, lock_kernels=True)
        with self.assertWarnsRegex(RuntimeWarning, "conv2d_epilogue_onednn_float32 or .* was locked"):
            sy.load(path, policy=sy.policy(backends=["cpu"]))
        with self.assertRaisesRegex(RuntimeError, "conv2d_epilogue_cpu_float32 is chosen here"):
            sy.load(path, policy=sy.policy(backends=["cpu"]), strict_kernels=True)

    def test_library_attributes_count_where_asked(self):
        feeds = {"x": np.zeros((1, 3, 48, 192), np.float32)}

        def backends(program):
            return {line.split(" -> ")[1].split()[0] for line in program.selections(feeds)}

        # The program declines oneDNN, as all that nobody edited do.
        self.assertIn("onednn", backends(sy.load(MODEL)))
        obedient = sy.load(MODEL, library_attributes=True)
        self.assertNotIn("onednn", backends(obedient))
        self.assertIn("library must be one that the call does not decline", " ".join(obedient.explain(feeds).split()))
        # Lists of the policy hold too.
        both = sy.load(MODEL, policy=sy.policy(off={"onednn": ["softmax"]}), library_attributes=True)
        self.assertEqual(backends(both), backends(obedient))

    def test_size(self):
        whole = os.path.getsize(sy._core.__file__)
        self.assertLess(os.path.getsize(BINARY.resolve()), SHARE * whole)


if __name__ == "__main__":
    unittest.main()
