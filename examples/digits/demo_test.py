# SPDX-License-Identifier: Apache-2.0
"""The demo, shortened: it learns, both runs agree, the picture is there."""
import contextlib
import io
import os
import pathlib
import re
import sys
import unittest
from unittest import mock

import demo


class DemoTest(unittest.TestCase):

    def test_demo(self):
        picture = pathlib.Path(os.environ["TEST_TMPDIR"]) / "digits.png"
        words = ["demo", "--epochs", "3", "--picture", str(picture)]
        out, err = io.StringIO(), io.StringIO()
        with mock.patch.object(sys, "argv", words), (
                contextlib.redirect_stdout(out)), (
                contextlib.redirect_stderr(err)):
            demo.main()
        text = out.getvalue()
        for run in ("eager", "static"):
            accuracy = re.search(rf"^{run} +([\d.]+) %", text, re.MULTILINE)
            self.assertGreater(float(accuracy[1]), 90.0)
            self.assertRegex(err.getvalue(), rf"{run} *: 132/132 batches  loss")
        self.assertRegex(text, r"losses bit-equal: yes \(132 steps\)")
        self.assertIn("statistics bit-equal: yes", text)
        self.assertIn("chosen: ", text)
        self.assertEqual(picture.read_bytes()[:4], b"\x89PNG")


if __name__ == "__main__":
    unittest.main()
