# SPDX-License-Identifier: Apache-2.0
"""docs/adding_an_operator.md says what the files really say."""
import pathlib
import re
import unittest

GUIDE = pathlib.Path("docs/adding_an_operator.md")
HEADING = re.compile(r"^## .*`([^`]+)`$", re.MULTILINE)
BLOCK = re.compile(r"^```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def sections():
    """(path in the heading, text) of the sections that name a file."""
    text = GUIDE.read_text()
    starts = [(m.group(1), m.end()) for m in HEADING.finditer(text)]
    heads = [m.start() for m in re.finditer(r"^## ", text, re.MULTILINE)]
    for path, start in starts:
        end = min((h for h in heads if h > start), default=len(text))
        yield path, text[start:end]


class GuideTest(unittest.TestCase):

    def test_blocks_are_the_files(self):
        count = 0
        for path, text in sections():
            for block in BLOCK.findall(text):
                with self.subTest(path):
                    self.assertIn(block, pathlib.Path(path).read_text())
                    count += 1
        self.assertEqual(count, 15)

    def test_counts_the_files_that_are_touched(self):
        text = GUIDE.read_text()
        touched = re.findall(r"(?m)^## \d\. .*`([^`]+)`$", text)
        self.assertIn("five files", text)
        self.assertEqual(len(touched), 5, sorted(touched))
        for path in touched:
            self.assertRegex(pathlib.Path(path).read_text(), "(?i)square")


if __name__ == "__main__":
    unittest.main()
