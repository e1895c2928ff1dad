# SPDX-License-Identifier: Apache-2.0
"""The include checker finds what it is there to find."""
import os
import pathlib
import subprocess
import tempfile
import unittest

CHECKER = pathlib.Path("tests/layering/check_includes.py").resolve()


class CheckIncludesTest(unittest.TestCase):

    def check(self, layers, files):
        """(exit code, output) of the checker over {path: text}."""
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "layers.txt").write_text(layers)
            for path, text in files.items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(text)
            (root / "list").write_text("\n".join(files))
            run = subprocess.run(
                ["/usr/bin/python3", os.fspath(CHECKER), "layers.txt", "list"],
                cwd=root, stdout=subprocess.PIPE, text=True, check=False)
            return run.returncode, run.stdout

    def test_allowed(self):
        code, out = self.check(
            "a:\nb: a\n",
            {"a/x.h": "", "b/y.cc": '#include "a/x.h"\n#include <vector>\n'})
        self.assertEqual(code, 0, out)

    def test_forbidden(self):
        code, out = self.check(
            "a:\nb: a\n", {"a/x.h": '#include "b/y.h"\n', "b/y.h": ""})
        self.assertEqual(code, 1)
        self.assertIn("a/x.h: includes b/y.h; a may use ['a']", out)

    def test_longest_folder_decides(self):
        code, out = self.check(
            "a:\na/inner: b\nb:\n",
            {"a/inner/x.h": '#include "b/y.h"\n', "a/z.h": "", "b/y.h": ""})
        self.assertEqual(code, 0, out)

    def test_angle_brackets_hide_nothing(self):
        code, out = self.check(
            "a:\nb:\n", {"a/x.h": "#include <b/y.h>\n", "b/y.h": ""})
        self.assertEqual(code, 1)
        self.assertIn("a/x.h: includes b/y.h", out)

    def test_libraries_are_for_some_folders(self):
        code, out = self.check(
            "a:\nb:\n<omp.h>: a\n<lib/>: a b\n",
            {"a/x.h": "#include <omp.h>\n", "b/y.h": '#include "omp.h"\n#include <lib/z.h>\n'})
        self.assertEqual(code, 1)
        self.assertIn("b/y.h: includes omp.h, which is for ['a']", out)
        self.assertIn("1 problems", out)

    def test_libraries_for_nobody(self):
        code, out = self.check("a:\n<lib/hash>:\n", {
            "a/x.h": '#include "lib/hash_map.h"\n', "a/x_test.cc": ""})
        self.assertEqual(code, 1)
        self.assertIn("a/x.h: includes lib/hash_map.h, which is for nobody", out)

    def test_tests_are_free(self):
        code, out = self.check(
            "a:\nb:\n", {"a/x_test.cc": '#include "b/y.h"\n', "b/y.h": ""})
        self.assertEqual(code, 0, out)

    def test_uncovered_file_and_unused_rule(self):
        code, out = self.check("a:\nc:\n", {"a/x.h": "", "b/y.h": ""})
        self.assertEqual(code, 1)
        self.assertIn("b/y.h: no rule", out)
        self.assertIn("rule of c covers no file", out)


if __name__ == "__main__":
    unittest.main()
