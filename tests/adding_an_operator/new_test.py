# SPDX-License-Identifier: Apache-2.0
"""`./sy new` copies an operator, refuses names that there are, and says the next steps."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

FILES = ("ops_gen/ops", "tests/samples/exponential.yaml", "phi/composite/exponential.h",
         "phi/kernels/functors/power.h", "phi/kernels/reference/elementwise/power.h")
# Its kernel is a class that takes the operator's arguments.
DETECTION = ("tests/samples/detection.yaml",
             *(f"phi/kernels/{backend}/detection/{name}" for backend in ("reference", "cpu")
               for name in ("BUILD.bazel", "matrix_nms.h")))


class NewTest(unittest.TestCase):

    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.root)
        for name in FILES + DETECTION:
            target = self.root / name
            target.parent.mkdir(parents=True, exist_ok=True)
            (shutil.copytree if pathlib.Path(name).is_dir() else shutil.copy)(name, target)
        self.script = pathlib.Path("tools/sy/new_operator.py").absolute()

    def new(self, *words):
        """(exit code, lines of stdout, stderr)."""
        done = subprocess.run([sys.executable, "-B", self.script, *words], cwd=self.root, check=False,
                              capture_output=True, text=True)
        return done.returncode, done.stdout.splitlines(), done.stderr

    def entry(self, name):
        text = (self.root / "ops_gen/ops/exponential.yaml").read_text()
        return re.search(rf"(?m)^- op: {name}\n(?:  .*\n)+", text).group(0)

    def test_copies_an_operator(self):
        code, said, error = self.new("cube", "--like", "square", "--legacy", "cube")
        self.assertEqual((code, error), (0, ""))
        self.assertEqual(said[0], "cube is a copy of square. Change what differs:")
        places = {line.split(":")[0].strip() for line in said if line.startswith("  ")}
        self.assertEqual(places, {"ops_gen/ops/exponential.yaml", *FILES[1:]})
        self.assertIn("In Python it is sy.ops.cube, sy.cube, x.cube(): the key 'python' says where.", said)
        self.assertIn("    - type: cube\n", self.entry("cube"))

    def test_names_functions_that_take_the_arguments_of_the_original(self):
        code, said, error = self.new("soft_nms", "--like", "matrix_nms")
        self.assertEqual((code, error), (0, ""))
        self.assertIn("  phi/kernels/cpu/detection/matrix_nms.h: SoftNmsKernel calls functions of the kernel of "
                      "matrix_nms; have them take SoftNmsArgs, too", said)

    def test_names_the_update_as_the_guide_does(self):
        _, said, _ = self.new("cube", "--like", "square")
        self.assertIn("`./sy update`", pathlib.Path("docs/adding_an_operator.md").read_text())
        self.assertEqual(said[-1], "Then: ./sy format, ./sy update, ./sy test --op cube")

    def test_refuses_what_is_there_and_guesses(self):
        before = self.entry("square")
        for words, sentence in (
                (("cube", "--like", "sqare"),
                 "--like: expected an operator (./sy ops), got 'sqare'; did you mean 'square'?"),
                (("square", "--like", "exp"),
                 "OP: expected a new name, got 'square' of ops_gen/ops/exponential.yaml"),
                (("cube", "--like", "square", "--legacy", "square"),
                 "--legacy: expected a new type, got 'square', which is that of square "
                 "(ops_gen/ops/exponential.yaml)"),
                (("cube", "--like", "square", "--legacy", "sqrt"),
                 "--legacy: expected a new type, got 'sqrt', which is that of sqrt "
                 "(ops_gen/ops/exponential.yaml)")):
            with self.subTest(words):
                self.assertEqual(self.new(*words), (1, [], f"sy: new: {sentence}\n"))
        self.assertEqual(self.entry("square"), before)


if __name__ == "__main__":
    unittest.main()
