# SPDX-License-Identifier: Apache-2.0
"""Real programs that came without weights: each loads with seeded ones, prints, and is read back.

What they compute is compared with PaddlePaddle by ./sy models.
"""
import pathlib
import subprocess
import tarfile
import tempfile
import unittest

import switchyard as sy

import seed_weights

PROGRAMS = pathlib.Path("../shared_data/programs/programs.tar.xz")
SY_OPT = pathlib.Path("static_graph/tools/sy_opt")
COUNT = 17


class RealProgramsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        with tarfile.open(PROGRAMS) as archive:
            archive.extractall(self.folder)
        self.programs = sorted(self.folder.rglob("*.pdmodel"))

    def model_of(self, program):
        model = self.folder / "models" / program.stem
        seed_weights.write_model(program, model)
        return model

    def test_programs(self):
        self.assertEqual(len(self.programs), COUNT)
        for program in self.programs:
            with self.subTest(program.stem):
                model = self.model_of(program)
                loaded = sy.load(model)
                self.assertTrue(loaded.inputs and loaded.outputs)
                self.read_back(loaded.text())

    def read_back(self, text):
        """The text is read, which verifies the program, and printed again as it was."""
        path = self.folder / "program.txt"
        path.write_text(text + "\n", encoding="utf-8")
        done = subprocess.run([str(SY_OPT), str(path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              universal_newlines=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.rstrip("\n"), text)


if __name__ == "__main__":
    unittest.main()
