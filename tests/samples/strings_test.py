# SPDX-License-Identifier: Apache-2.0
"""Tensors of texts against Python's own strings."""
import json
import pathlib
import re
import sys
import unittest

import numpy as np

from tests.samples import samples
import switchyard as sy
from switchyard import static, strings

CHOICE = re.compile(r"(\w+) .*-> (\w+) (\w+)(?: (\w+))? \(")
TEXTS = [["Ab1", "", "STRASSE"], ["straße", "ΑΣ Я", "İx\x00ÿ"]]


def simple(character, change):
    """Python's full mapping where it is the simple one; else the character."""
    changed = change(character)
    return changed if len(changed) == 1 else character


class StringsTest(unittest.TestCase):

    def test_to_and_fro(self):
        x = strings.tensor(TEXTS)
        self.assertEqual((x.dtype, x.kind, x.shape, x.place),
                         ("string", "strings", (2, 3), "cpu"))
        self.assertEqual(x.tolist(), TEXTS)
        self.assertEqual(strings.tensor(np.array(TEXTS)).tolist(), TEXTS)
        self.assertEqual(strings.tensor("one").tolist(), "one")
        self.assertEqual(strings.tensor([]).shape, (0,))
        self.assertIn("string", repr(x))

    def test_too_many_axes(self):
        with self.assertRaisesRegex(ValueError, "rank 9 at most"):
            strings.tensor(np.array("a").reshape([1] * 12))

    def test_empty(self):
        self.assertEqual(strings.empty([2, 2]).tolist(), [["", ""]] * 2)
        self.assertEqual(strings.empty([]).tolist(), "")
        self.assertEqual(strings.empty([0, 4]).shape, (0, 4))

    def test_ascii(self):
        every = "".join(map(chr, range(0x250)))
        for case, change in ((strings.lower, str.lower),
                             (strings.upper, str.upper)):
            want = "".join(change(c) if c.isascii() else c for c in every)
            self.assertEqual(case(strings.tensor([every])).tolist(), [want])

    def test_unicode(self):
        # utf8proc 2.8 and Python 3.11 are both of Unicode 14.
        every = [chr(c) for c in range(sys.maxunicode + 1)
                 if not 0xd800 <= c < 0xe000]
        for case, change in ((strings.lower, str.lower),
                             (strings.upper, str.upper)):
            got = "".join(case(strings.tensor(every), True).tolist())
            want = "".join(simple(c, change) for c in every)
            differ = [(a, b, c) for a, b, c in zip(every, got, want)
                      if b != c and len(change(a)) == 1]
            self.assertEqual(differ, [])
            self.assertGreater(sum(a != b for a, b in zip(every, got)), 1300)

    def test_errors(self):
        with self.assertRaisesRegex(ValueError, r"strings_lower: x must be "
                                                r"valid UTF-8, got \"a.*from "
                                                "byte 1 on"):
            strings.lower(strings.tensor(["ok", "a\udcff"]), True)
        self.assertEqual(strings.lower(strings.tensor("A\udcff")).tolist(),
                         "a\udcff")
        with self.assertRaisesRegex(TypeError, "data must be texts.*got 1"):
            strings.tensor(["a", 1])
        x = strings.tensor(["a"])
        for call in (lambda: sy.relu(x), lambda: x + x, x.numpy,
                     lambda: sy.ops.cast(x, "float32"),
                     lambda: sy.full([2], 1.0, "string"),
                     lambda: sy.tensor([1.0], dtype="string"),
                     lambda: setattr(x, "requires_grad", True),
                     lambda: static.trace(lambda y: strings.lower(x) or y,
                                          np.ones(2, np.float32))):
            with self.assertRaises((TypeError, ValueError,
                                    NotImplementedError)) as caught:
                call()
            self.assertRegex(str(caught.exception), "string|float32")
        program = static.trace(strings.lower, static.InputSpec([2], "string"))
        self.assertIn("string[2]", str(program))

    def test_every_kernel(self):
        with sy.record_selections() as log:
            strings.lower(strings.upper(strings.empty([1])))
        ran = {(kernel or op, backend, dtype)
               for op, backend, dtype, kernel in
               (CHOICE.match(line).groups() for line in log)}
        entries = json.loads(
            pathlib.Path("docs/ops/generated/strings.json").read_text())
        wanted = {(kernel, backend, dtype) for op in entries
                  for kernel, coverage in op["kernels"].items()
                  for backend, dtypes in coverage.items() for dtype in dtypes}
        self.assertEqual(len(wanted), 3)
        self.assertEqual(wanted - ran, set())

    def test_invalid_samples(self):
        raises = {"invalid_argument": ValueError, "type_error": TypeError}
        entries = samples.yaml.safe_load(
            (samples.FOLDER / "strings.yaml").read_text())
        for op, row in ((e["op"], r) for e in entries for r in e["invalid"]):
            arguments = {
                name: value if not isinstance(value, str) else samples.tensor(
                    samples.array_of(samples.parse_value(value), name), sy)
                for name, value in row["call"].items()}
            with self.subTest(op, **row["call"]), self.assertRaisesRegex(
                    raises[row["code"]],
                    rf"^{op}: {row['argument']}\b.* must .*, got "):
                getattr(sy.ops, op)(**arguments)


if __name__ == "__main__":
    unittest.main()
