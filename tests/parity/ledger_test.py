# SPDX-License-Identifier: Apache-2.0
"""Runs `./sy ledger` on the real table, as text and as data."""
import json
import pathlib
import subprocess
import unittest

PAGE = pathlib.Path("docs/parity.md")
KEYS = ["op", "library", "dtype", "passes", "bound", "results", "identical", "outside", "ulps", "time_ratio", "source",
        "legacy_source", "sources"]


def ledger(*arguments):
    return subprocess.run(["tests/parity/ledger", *arguments], capture_output=True, text=True, check=False)


def page_rows():
    """The rows of the page: (operator, dtype, results, bound, hash of the sources, verdict)."""
    rows = [tuple(cell.strip() for cell in line.strip("|").split("|"))
            for line in PAGE.read_text().splitlines() if line.startswith("| ")]
    return [row for row in rows if row[0] != "operator"]


def name(row):
    """The operator of a row of the data, as the page has it."""
    return row["op"] + (f" ({row['library']})" if row["library"] else "")


class LedgerTest(unittest.TestCase):

    def check_json(self, rows, expected):
        self.assertEqual([(name(row), row["dtype"], str(row["results"]), row["bound"], row["sources"],
                           "passes" if row["passes"] else "fails") for row in rows], expected)
        for row in rows:
            with self.subTest(row["op"], dtype=row["dtype"]):
                self.assertEqual([key for key in row if key != "first_difference"], KEYS)
                self.assertLessEqual(row["identical"], row["results"])
                self.assertEqual(row["outside"], 0)
                self.assertGreater(row["time_ratio"], 0)
                self.assertTrue(row["legacy_source"].startswith("phi/legacy/kernels/"), row["legacy_source"])
                self.assertTrue(pathlib.Path(row["legacy_source"]).exists(), row["legacy_source"])
                # A result that is not identical is shown.
                self.assertEqual("first_difference" in row, row["identical"] < row["results"])

    def test_all_as_data(self):
        done = ledger("--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.check_json(json.loads(done.stdout), page_rows())

    def test_an_operator_and_its_gradient_as_data(self):
        done = ledger("lookup_table", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        expected = [row for row in page_rows() if row[0] in ("lookup_table", "lookup_table_grad")]
        self.assertGreaterEqual(len(expected), 4)
        self.check_json(json.loads(done.stdout), expected)

    def test_an_operator_in_detail(self):
        done = ledger("lookup_table")
        self.assertEqual(done.returncode, 0, done.stderr)
        for text in ("lookup_table float32: passes, ", "lookup_table_grad float64: passes, ", "  bound: bits\n",
                     "  ours: phi/kernels/", "  legacy: phi/legacy/kernels/lookup_table.cc\n", "  sources: "):
            self.assertIn(text, done.stdout)

    def test_others_are_errors(self):
        done = ledger("cumsum")
        self.assertEqual((done.returncode, done.stderr),
                         (1, "ledger: cumsum has no legacy kernel with a twin of ours\n"))
        for arguments in (["softmax", "relu"], ["--yaml"], ["softmax", "--update"]):
            self.assertEqual(ledger(*arguments).returncode, 2, arguments)


if __name__ == "__main__":
    unittest.main()
