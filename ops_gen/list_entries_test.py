# SPDX-License-Identifier: Apache-2.0
"""Entries that list_entries.py refuses: it sees all families, which the parser does not."""
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ENTRY = """- op: {name}
  args: (Tensor x)
  output: Tensor(out)
  infer_meta: {{func: UnchangedInferMeta}}
  kernel: {{func: {function}, data_type: x}}
  kernels:
    {kernels}
"""


class ListEntriesTest(unittest.TestCase):

    def run_on(self, **families):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            shutil.copytree("ops_gen/schema", root / "ops_gen/schema")
            paths = []
            for family, text in families.items():
                paths.append(root / f"{family}.yaml")
                paths[-1].write_text(text)
                for header in (f"infermeta/{family}/{family}.h", f"composite/{family}.h",
                               f"kernels/cpu/{family}/{family}.h",
                               f"kernels/gpu/{family}.h"):
                    path = root / "phi" / header
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_text("UnchangedInferMeta One")
            return subprocess.run(
                ["/usr/bin/python3", "ops_gen/list_entries.py", root, *paths],
                capture_output=True, text=True, check=False)

    def entry(self, name, function=None, kernels="cpu: floating"):
        return ENTRY.format(name=name, function=function or name,
                            kernels=kernels)

    def refused(self, sentence, **families):
        done = self.run_on(**families)
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(done.stderr.strip(), sentence)

    def test_prints_entries(self):
        done = self.run_on(a=self.entry("one"), b=self.entry("two"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn('"one"', done.stdout)
        self.assertIn('"two"', done.stdout)

    def test_an_operator_stands_once(self):
        self.refused("ops_gen/ops/b.yaml:1: one: expected each operator once, "
                     "got it in ops_gen/ops/a.yaml too",
                     a=self.entry("one"), b=self.entry("one", "other"))

    def test_bodies_call_operators(self):
        self.refused(
            "ops_gen/ops/a.yaml:8: one: composite.uses: expected an operator, got "
            "'nonesuch'",
            a=self.entry("one") + "  composite: {func: One, uses: [nonesuch]}\n")

    def test_an_old_type_is_of_one_operator(self):
        form = "  paddle:\n    - type: {}\n      grad: {{type: {}}}\n"
        good = self.run_on(a=self.entry("one") + form.format("old", "old"))
        self.assertEqual(good.returncode, 0, good.stderr)
        for line, key, types in ((9, "type", ("old", "new")),
                                 (10, "grad.type", ("new", "old_grad"))):
            self.refused(
                f"ops_gen/ops/b.yaml:{line}: two: paddle.{key}: expected an old type "
                f"of its own, got '{types[line - 9]}', which is that of one",
                a=self.entry("one") + form.format("old", "old_grad"),
                b=self.entry("two") + form.format(*types))

    def test_kernel_functions_are_of_one_operator(self):
        sentence = ("ops_gen/ops/b.yaml:5: two: kernel: expected kernel functions of its "
                    "own, got 'one', which is that of one")
        self.refused(sentence, a=self.entry("one"), b=self.entry("two", "one"))
        # On another backend, and among several functions.
        self.refused(sentence, a=self.entry("one"), b=self.entry(
            "two", "'one {dense -> dense}, two {selected_rows -> dense}'",
            "one:\n      gpu: floating\n    two:\n      cpu: floating"))


if __name__ == "__main__":
    unittest.main()
