# SPDX-License-Identifier: Apache-2.0
"""Six scripts of PyTorch, in small, run after a mechanical replacement of names and
the edits below, and train."""
import contextlib
import io
import math
import pathlib
import re
import unittest

FOLDER = pathlib.Path(__file__).parent / "pytorch_scripts"
NAMES = (
    (r"^import (.*)torch, torch\.nn as nn, torch\.nn\.functional as F",
     r"import \1switchyard as sy\nfrom switchyard import nn\n"
     r"import switchyard.nn.functional as F"),
    (r"torch\.", "sy."),
    (r"(Conv|BatchNorm|MaxPool|Dropout|AdaptiveAvgPool)([123])d", r"\1\2D"),
    (r"ConvTranspose([123])d", r"Conv\1DTranspose"))
# {script: its lines that are edited by hand, as (what is replaced, by what)}.
EDITS = {
    "attn": [("from sy.nn.utils.rnn", "from switchyard.nn.utils.rnn"),
             ("s.sort()[0]", "s.sort()")],
    "ddpm": [], "gat": [], "w2v": [], "yolo": [],
    "resnet": [("from sy.utils.data", "from switchyard.utils.data")],
}


def ported(name):
    """The text of a script for Switchyard."""
    text = (FOLDER / f"{name}.py").read_text()
    for pattern, replacement in NAMES:
        text = re.sub(pattern, replacement, text, flags=re.MULTILINE)
    for old, new in EDITS[name]:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return text


def printed(name):
    """The numbers that a script prints, a list for each line."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(ported(name), name, "exec"), {"__name__": "script"})
    lines = [re.findall(r"-?\d+\.\d+|nan|inf", line)
             for line in out.getvalue().splitlines()]
    return [[float(n) for n in line] for line in lines]


class PortedScriptsTest(unittest.TestCase):

    def losses(self, name, column=0, count=2):
        """The losses, the first number of each of the first lines; they fall."""
        lines = printed(name)
        for line in lines:
            for number in line:
                self.assertTrue(math.isfinite(number), (name, lines))
        found = [line[column] for line in lines if line][:count]
        self.assertEqual(len(found), count)
        return found, lines

    def test_edits_are_one_a_script_at_most_in_the_mean(self):
        self.assertEqual(set(EDITS), {path.stem for path in FOLDER.glob("*.py")})
        self.assertLessEqual(sum(map(len, EDITS.values())), len(EDITS))

    def test_resnet(self):
        (first, last), _ = self.losses("resnet")
        self.assertLess(last, first)

    def test_sequences_with_attention(self):
        (first, last), _ = self.losses("attn")
        self.assertLess(last, first)

    def test_graph_attention(self):
        (attention, sparse), _ = self.losses("gat")
        self.assertLess(max(attention, sparse), math.log(4))

    def test_diffusion(self):
        (first, last), lines = self.losses("ddpm")
        self.assertLess(last, first)
        self.assertLessEqual(abs(lines[-1][0]), 1.0)

    def test_words(self):
        (first, last), _ = self.losses("w2v")
        self.assertLess(last, first)

    def test_boxes(self):
        (first, last), _ = self.losses("yolo")
        self.assertLess(last, first)


if __name__ == "__main__":
    unittest.main()
