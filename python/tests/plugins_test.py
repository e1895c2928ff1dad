# SPDX-License-Identifier: Apache-2.0
"""Plugins: their kernels in eager calls, programs and explain; bad ones."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np

import switchyard as sy
from switchyard import static

PLUGINS = pathlib.Path("phi/capi/testdata")
X = np.array([[-1, 2], [-3, 4]], np.float32)
OURS = np.maximum(X, 0)
THEIRS = X + 1  # As sample_plugin.c has it.


def check(name):
    """(exit code, stdout, stderr) of ./sy plugin check."""
    run = subprocess.run(
        [sys.executable, "tools/sy/check_plugin.py", str(PLUGINS / name)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    return run.returncode, run.stdout, run.stderr


class PluginsTest(unittest.TestCase):

    # One test: what is loaded stays.
    def test_kernels_are_candidates_from_when_they_are_loaded(self):
        relu = lambda: sy.relu(sy.tensor(X)).numpy()
        np.testing.assert_array_equal(relu(), OURS)
        earlier = static.trace(sy.relu, X)
        self.assertEqual(sy.plugins.loaded(), [])

        plugin = sy.plugins.load(PLUGINS / "sample.so")
        self.assertEqual((plugin.name, plugin.version, plugin.abi),
                         ("sample", "1.2", (1, 3)))
        self.assertEqual(sy.plugins.loaded(), [plugin])
        first = plugin.kernels[0]
        self.assertEqual((first.op, first.backend, first.dtype),
                         ("relu", "sample", "float32"))

        np.testing.assert_array_equal(relu(), THEIRS)
        np.testing.assert_array_equal(earlier(X).numpy(), OURS)
        later = static.trace(sy.relu, X)
        np.testing.assert_array_equal(later(X).numpy(), THEIRS)
        self.assertIn("sample float32", later.explain({"x0": X}))
        self.assertIn("rank(x) must be at least 2, got 1",
                      sy.explain("relu", x=sy.tensor(X[0])))
        with sy.policy(backends=["cpu"]):
            np.testing.assert_array_equal(relu(), OURS)
        with sy.policy(backends=["sample", "cpu"]):
            np.testing.assert_array_equal(relu(), THEIRS)

        with self.assertRaisesRegex(
                NotImplementedError, "gelu: plugin sample: not on Thursdays"):
            sy.gelu(sy.tensor(X))
        with self.assertRaisesRegex(
                NotImplementedError, "gelu: plugin sample: not on Thursdays"):
            static.trace(sy.gelu, X)(X)
        with self.assertRaisesRegex(RuntimeError, "a plugin named sample is"):
            sy.plugins.load(PLUGINS / "sample.so")

        sy.plugins.load(PLUGINS / "throwing.so")
        with self.assertRaisesRegex(
                RuntimeError, "exp: plugin throwing: beyond the end"):
            sy.exp(sy.tensor(X))
        with self.assertRaisesRegex(
                RuntimeError, "relu: plugin throwing: past the classes"):
            relu()

    def test_a_changed_library_is_told_from_the_one_that_was_locked(self):
        with tempfile.TemporaryDirectory() as folder:
            # It has the same kernels, and bytes at its end that nothing reads.
            changed, path = pathlib.Path(folder, "changed.so"), pathlib.Path(folder, "locked.sy")
            changed.write_bytes((PLUGINS / "sample.so").read_bytes() + bytes(8))

            def run(plugin, lines):
                head = (f"import numpy as np; import switchyard as sy; path = {str(path)!r}; "
                        f"x = np.zeros((2, 2), np.float32); sy.plugins.load({str(plugin)!r})\n")
                done = subprocess.run([sys.executable, "-c", head + lines], stdout=subprocess.PIPE,
                                      stderr=subprocess.PIPE, text=True, check=False)
                return done.returncode, done.stderr

            saved = run(PLUGINS / "sample.so", "sy.static.trace(sy.relu, x).save(path, lock_kernels=True)")
            self.assertEqual(saved, (0, ""))
            strict = "sy.load(path, strict_kernels=True)"
            self.assertEqual(run(PLUGINS / "sample.so", strict), (0, ""))
            code, error = run(changed, strict)
            self.assertEqual(code, 1)
            self.assertRegex(error, "call 0, relu: relu_sample_float32.* was locked, and is made of other sources here")

    def test_errors_have_types(self):
        for name, kind, message in (
                ("no_such", FileNotFoundError, "there is no such file"),
                ("no_plugin", ValueError, "export the symbol sy_plugin"),
                ("unknown_op", ValueError, "got 'rleu'"),
                ("later_major", RuntimeError, "got 2.3"),
                ("undefined_symbol", RuntimeError, "DefinedNowhere"),
                ("taken_backend", RuntimeError, "there is a backend of this"),
                ("throws_while_registering", RuntimeError, "too old")):
            with self.subTest(name):
                before = sy.plugins.loaded()
                with self.assertRaisesRegex(kind, message):
                    sy.plugins.load(PLUGINS / f"{name}.so")
                self.assertEqual(sy.plugins.loaded(), before)

    def test_a_file_that_is_cut_off(self):
        whole = (PLUGINS / "sample.so").read_bytes()
        with tempfile.TemporaryDirectory() as folder:
            cut = pathlib.Path(folder, "cut.so")
            for size in (0, 63, 500, 2000):
                cut.write_bytes(whole[:size])
                with self.assertRaisesRegex(ValueError, "the file "):
                    sy.plugins.load(cut)

    def test_check_uses_a_process_of_its_own(self):
        code, out, _ = check("sample.so")
        self.assertEqual(code, 0)
        self.assertIn("sample 1.2, for version 1.3 of the interface\n"
                      "  kernel relu on sample for float32 (", out)
        code, _, err = check("aborts.so")
        self.assertEqual(code, 1)
        self.assertIn("loading it ended the process by SIGABRT", err)
        code, _, err = check("fails.so")
        self.assertEqual(code, 1)
        self.assertRegex(err, "^sy: plugin: NotImplementedError: plugin .*"
                              "/fails.so: no such chip\n$")


if __name__ == "__main__":
    unittest.main()
