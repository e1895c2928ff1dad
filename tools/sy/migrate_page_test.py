# SPDX-License-Identifier: Apache-2.0
"""docs/migrating_a_kernel.md prints what `./sy migrate iou_similarity` prints, before and after."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

PAGE = pathlib.Path("docs/migrating_a_kernel.md")
OP = "iou_similarity"
ENTRY, HEADER, LIST = ("ops_gen/ops/boxes.yaml", "phi/kernels/cpu/detection/boxes.h",
                       "phi/legacy/kernels/legacy_kernels.txt")
FILES = (ENTRY, HEADER, LIST, "docs/parity.md", "tests/samples/boxes.yaml")


def blocks(text):
    """The steps that the page shows, each on one line, in the order of the page."""
    shown = re.findall(r"(?m)^    (?:to do|done) .*\n(?:     .*\n)*", text)
    return [" ".join(block.split()) for block in shown]


class MigratePageTest(unittest.TestCase):

    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.root)
        self.script = os.path.abspath("tools/sy/migrate_kernel.py")
        for name in FILES:
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(name, self.root / name)

    def steps(self):
        """The steps that the tool prints, without numbers of lines."""
        said = subprocess.run([sys.executable, "-B", self.script, OP], cwd=self.root, check=True,
                              stdout=subprocess.PIPE, text=True).stdout
        return [re.sub(r":\d+", "", " ".join(line.split())) for line in said.splitlines()]

    def edit(self, name, pattern, text):
        old = (self.root / name).read_text()
        new = re.sub(pattern, text, old, count=1, flags=re.MULTILINE | re.DOTALL)
        self.assertNotEqual(old, new, name)
        (self.root / name).write_text(new)

    def test_before_and_after(self):
        before, *after = blocks(PAGE.read_text())
        self.assertEqual(len(after), 2)
        for step in after:
            self.assertIn(step, self.steps())
        row = re.search(rf"(?m)^ +({OP} cpu .* passes .*)$", PAGE.read_text()).group(1)
        self.assertIn(f"\n{row}\n", (self.root / LIST).read_text())
        # As it was: the legacy kernel alone.
        self.edit(ENTRY, rf"(- op: {OP}$.*?)reference, cpu: full_precision",
                  r"\1reference, fluid/cpu: full_precision")
        self.edit(HEADER, r"template <typename S>\ninline constexpr auto kIouSimilaritySpec.*?^}\n", "")
        self.edit(LIST, re.escape(row), "")
        self.edit(LIST, r"^retired:", f"{OP} cpu float32 float64\nretired:")
        self.assertIn(before, self.steps())
        self.assertIn(f"    {OP} cpu float32 float64\n", PAGE.read_text())


if __name__ == "__main__":
    unittest.main()
