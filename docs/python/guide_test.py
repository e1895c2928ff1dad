# SPDX-License-Identifier: Apache-2.0
"""The guide's and the README's examples run, and print what the pages say."""
import contextlib
import functools
import io
import pathlib
import re
import unittest

PAGES = sorted(pathlib.Path("docs/python").glob("*.md"))
# A block of Python, and the text that may follow it at once.
EXAMPLE = re.compile(r"^```python\n(.*?)^```\n(?:```text\n(.*?)^```\n)?",
                     re.MULTILINE | re.DOTALL)


class GuideTest(unittest.TestCase):

    def run_page(self, page):
        """Runs a page's examples one after another; how many there were."""
        names, count = {"__name__": "example"}, 0
        for code, printed in EXAMPLE.findall(page.read_text()):
            line = page.read_text()[:page.read_text().index(code)].count("\n")
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                exec(compile("\n" * line + code, str(page), "exec"), names)
            if printed:
                self.assertEqual(out.getvalue(), printed, f"{page}:{line}")
            count += 1
        return count

    def test_guide(self):
        self.assertGreater(len(PAGES), 7)
        for page in PAGES:
            with self.subTest(page.name):
                count = self.run_page(page)
                self.assertTrue(count or page.name == "README.md")

    def test_readme(self):
        readme = pathlib.Path("README.md")
        self.assertEqual(self.run_page(readme), 1)
        (example, _), = EXAMPLE.findall(readme.read_text())
        self.assertLessEqual(len(example.splitlines()), 25)

    def test_names_of_both(self):
        """Our column of names of from_pytorch.md has names that exist."""
        import switchyard as sy
        page = pathlib.Path("docs/python/from_pytorch.md").read_text()
        rows = re.findall(r"^\| (.+) \| (.+) \|$", page, re.MULTILINE)[1:]
        self.assertGreater(len(rows), 20)
        known = {"sy": sy, "nn": sy.nn}
        for _, ours in rows:
            for path in re.findall(r"`((?:sy|nn)(?:\.\w+)+)", ours):
                first, *names = path.split(".")
                with self.subTest(path):
                    functools.reduce(getattr, names, known[first])

    def test_links(self):
        for page in PAGES:
            for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text()):
                self.assertTrue((page.parent / target).exists(),
                                f"{page}: {target}")


if __name__ == "__main__":
    unittest.main()
