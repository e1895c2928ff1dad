# SPDX-License-Identifier: Apache-2.0
"""The parts of `./sy conformance` that need no PyTorch: comparison and sums."""

import pathlib
import re
import sys
import tempfile
import unittest

import numpy as np

sys.path.insert(0, str(pathlib.Path("tests/conformance").resolve()))

import plain_data
import torch_compare
import torch_conformance
import torch_table

f32 = np.float32


def array(*numbers, dtype="float32", shape=None):
    elements = np.array(numbers, dtype)
    return plain_data.Array(elements.reshape(shape or elements.shape), dtype)


class CompareTest(unittest.TestCase):

    def kind_of(self, ours, theirs, wide=None, **options):
        """The kind of difference, or "agree"."""
        try:
            torch_compare.compare(ours, theirs, wide, **options)
        except torch_compare.Difference as error:
            return error.kind
        return "agree"

    def test_values(self):
        one = array(1.0, np.nan)
        self.assertEqual(self.kind_of(array(1.000001, np.nan), one), "agree")
        self.assertEqual(self.kind_of(array(1.001, np.nan), one), "value")
        self.assertEqual(self.kind_of(array(1.001, np.nan), one,
                                      tolerance=(1e-2, 0.0)), "agree")
        self.assertEqual(self.kind_of(array(1.0, 1.0), one), "value")
        self.assertEqual(self.kind_of(array(3.0, 1.0), one, random=True), "agree")
        # The value in float64 is right, too.
        self.assertEqual(self.kind_of(
            array(2.0), array(1.0), array(2.0, dtype="float64")), "agree")
        self.assertEqual(self.kind_of(array(-1.0), array(1.0)), "value")
        self.assertEqual(self.kind_of(array(-1.0), array(1.0),
                                      by_magnitude=True), "agree")

    def test_integers_are_equal_or_not(self):
        self.assertEqual(self.kind_of(array(1, dtype="int64"),
                                      array(2, dtype="int64")), "value")

    def test_shapes_dtypes_and_structures(self):
        two = array(1.0, 2.0)
        self.assertEqual(self.kind_of(array(1.0, 2.0, shape=(1, 2)), two), "shape")
        self.assertEqual(self.kind_of(array(1.0, 2.0, dtype="float64"), two),
                         "dtype")
        self.assertEqual(self.kind_of(two, (two, two)), "structure")
        self.assertEqual(self.kind_of([two, two], (two, two)), "agree")
        self.assertEqual(self.kind_of((two, array(1.0, 3.0)), (two, two)), "value")
        self.assertEqual(self.kind_of(3, two), "structure")

    def test_numbers_may_be_scalars(self):
        self.assertEqual(self.kind_of(array(True, dtype="bool", shape=()), True),
                         "agree")
        self.assertEqual(self.kind_of(array(2.0, shape=()), 3.0), "value")
        self.assertEqual(self.kind_of("float32", plain_data.Dtype("float32")),
                         "agree")

    def test_gradients(self):
        answer = plain_data.Answer(None, gradients=[array(1.0, 2.0), None])
        torch_compare.compare_gradients([array(1.0, 2.0), None], answer, ())
        torch_compare.compare_gradients([array(1.0, 2.0), array(0.0)], answer, ())
        for wrong in ([None, None], [array(1.0, 3.0), None],
                      [array(1.0, 2.0), array(1.0)]):
            with self.assertRaises(torch_compare.Difference):
                torch_compare.compare_gradients(wrong, answer, ())


class TableTest(unittest.TestCase):

    FOUND = {
        "add": [("add float32 0", "agree", ""),
                ("add float32 1", "refused", "TypeError: add: no"),
                ("add error 0", "agree", ""), ("add error 1", "accepted", "it")],
        "max.binary": [("max.binary float32 0", "agree", "")],
        "max.reduction": [("max.reduction float32 0", "value", "1 for 2")],
        "linalg.far": [("linalg.far float32 0", "missing", "linalg.far")],
    }

    def test_lines_read_as_they_are_written(self):
        line = torch_table.line("add", self.FOUND["add"])
        self.assertEqual(line, "add 2 1 errors 1 of 2 1 refused: TypeError: add: no")
        self.assertEqual(torch_table.read(line),
                         {"add": (2, 1, 1, 2, "1 refused: TypeError: add: no")})

    def test_sums(self):
        lines = torch_table.text(self.FOUND).splitlines()
        # Means: add 1/2, max 1/2 with its variants, linalg.far 0.
        self.assertIn("all names: 3; samples 5; agree 2 (40.0 %); mean over names "
                      "33.3 %", lines)
        self.assertIn("names that are there: 2; samples 4; agree 2 (50.0 %); mean "
                      "over names 50.0 %", lines)
        self.assertIn("error inputs: 2; refused as they should be: 1 (50.0 %)",
                      lines)

    def test_an_update_keeps_other_rows(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "results.txt")
            torch_table.update(path, self.FOUND)
            torch_table.update(path, {"add": [("add float32 0", "agree", "")]})
            rows = torch_table.read(path.read_text(encoding="utf-8"))
        self.assertEqual(rows["add"][:2], (1, 1))
        self.assertEqual(rows["linalg.far"][:2], (1, 0))

    def test_names(self):
        self.assertEqual(torch_table.name_of("linalg.norm.subgradients_at_zero"),
                         "linalg.norm")
        self.assertEqual(torch_table.name_of("nn.functional.pad.constant"),
                         "nn.functional.pad")
        names = ["add", "max.binary", "linalg.inv", "linalg.det"]
        self.assertEqual(torch_conformance.chosen(names, ["max", "linalg.*"]),
                         names[1:])
        with self.assertRaises(SystemExit):
            torch_conformance.chosen(names, ["ad"])


class ListTest(unittest.TestCase):

    def test_the_list_is_within_its_limits(self):
        most = {"float32": 40, "int64": 10, "bool": 10, "complex64": 10}
        lines = torch_conformance.LIST.read_text(encoding="utf-8").splitlines()
        self.assertGreater(len(lines), 500)
        for line in lines:
            name, *counts = line.split()
            self.assertFalse(name.startswith(("_", "ops.", "torch.", "sparse",
                                              "masked.", "jiterator")), name)
            self.assertTrue(counts, name)
            for each in counts:
                dtype, count = each.split(":")
                self.assertLessEqual(int(count), most[dtype], line)


_DIFFERENCE = re.compile(r"\d+ (value|shape|dtype|structure|gradient)\b")


class DifferencesTest(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        lines = (torch_conformance.HERE / "torch_differences.txt").read_text(
            encoding="utf-8").splitlines()
        rows = [line.partition(": ") for line in lines if not line.startswith("#")]
        cls.listed = {row: names.split() for row, _, names in rows}

    def test_every_difference_has_a_row_and_every_row_a_difference(self):
        table = torch_table.read(torch_conformance.TABLE.read_text(encoding="utf-8"))
        differing = {name for name, row in table.items()
                     if _DIFFERENCE.search(row[-1].partition(":")[0])}
        listed = [name for names in self.listed.values() for name in names]
        self.assertEqual(sorted(set(listed)), sorted(differing))

    def test_a_user_finds_the_rows(self):
        page = pathlib.Path("docs/python/from_pytorch.md").read_text(encoding="utf-8")
        section = page.partition("## What differs without an error")[2]
        section = section.partition("\n## ")[0].replace("`", "")
        titles = [" ".join(title.split())
                  for title in re.findall(r"^- \*\*(.+?)\*\*", section, re.M | re.S)]
        self.assertEqual(len(titles), section.count("\n- "))
        self.assertLessEqual(len(titles), 25)
        self.assertLessEqual(set(self.listed), set(titles))


if __name__ == "__main__":
    unittest.main()
