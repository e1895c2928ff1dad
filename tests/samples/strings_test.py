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

    def test_numbers_as_texts(self):
        numbers = [0, -0.0, 1, 0.1, 1 / 3, 1e-4, 9.9e-5, 123456.75, 1e15, 1e16, -2.5e30]
        for dtype in (np.float32, np.float64):
            info = np.finfo(dtype)
            x = np.array(numbers + [info.max, info.tiny, info.smallest_subnormal], dtype)
            want = [np.format_float_positional(v, trim="-") if v == 0 or dtype(1e-4) <= abs(v) < dtype(1e16)
                    else np.format_float_scientific(v, trim="-", exp_digits=2) for v in x]
            got = strings.from_number(x)
            self.assertEqual(got.tolist(), want)
            np.testing.assert_array_equal(strings.to_number(got, dtype.__name__).numpy().view(np.uint8),
                                          x.view(np.uint8))
        special = strings.from_number(np.array([[np.nan], [np.inf], [-np.inf]], np.float32))
        self.assertEqual(special.tolist(), [["NaN"], ["INF"], ["-INF"]])
        for dtype in ("uint8", "int8", "int16", "int32", "int64"):
            info = np.iinfo(dtype)
            ends = np.array([info.min, 0, info.max], dtype)
            self.assertEqual(strings.from_number(ends).tolist(), [str(n) for n in ends.tolist()])
            np.testing.assert_array_equal(strings.to_number(strings.from_number(ends), dtype).numpy(), ends)
        halves = sy.tensor(np.array([0.1, 65504, 2.0 ** -24], np.float32))
        for dtype in ("float16", "bfloat16"):
            x = halves.astype(dtype)
            same = strings.to_number(strings.from_number(x), dtype)
            np.testing.assert_array_equal(same.astype("float32").numpy(), x.astype("float32").numpy())

    def test_texts_as_numbers(self):
        texts = ["nan", "+INF", "-inf", "Infinity", "+3.5", " 7 ", "1e400", "-1e400", "1e-400"]
        got = strings.to_number(strings.tensor(texts), "float64").numpy()
        np.testing.assert_array_equal(got, [np.nan, np.inf, -np.inf, np.inf, 3.5, 7, np.inf, -np.inf, 0])
        self.assertEqual(strings.to_number(strings.tensor([["+5", "-6"]]), "int8").tolist(), [[5, -6]])
        # Above the middle of two float32 by less than a float64 has: rounded once.
        self.assertEqual(strings.to_number(strings.tensor("1.00000005960464477539062500001")).item(),
                         float(np.nextafter(np.float32(1), np.float32(2))))
        for text, dtype, what in (("", "float32", "texts of numbers"), ("1.5x", "float64", "texts of numbers"),
                                  ("0x10", "float32", "texts of numbers"), ("1,5", "float32", "texts of numbers"),
                                  ("1.5", "int32", r"texts of integers in \[-2147483648, 2147483647\]"),
                                  ("128", "int8", r"texts of integers in \[-128, 127\]"),
                                  ("-1", "uint8", r"texts of integers in \[0, 255\]")):
            with self.subTest(text), self.assertRaisesRegex(ValueError, f"x must be {what}, got '{text}'"):
                strings.to_number(strings.tensor([text]), dtype)
        for dtype in ("bool", "complex64", "string"):
            with self.assertRaisesRegex(TypeError, "dtype must be an integer or floating dtype"):
                strings.to_number(strings.tensor("1"), dtype)

    def test_normalize(self):
        x = ["Monday", "Straße", "monday", "ÉTÉ"]
        for stopwords, case, sensitive, want in (
                ([], "NONE", False, x),
                ([], "LOWER", False, ["monday", "straße", "monday", "été"]),
                (["MONDAY"], "NONE", False, ["Straße", "ÉTÉ"]),
                (["monday", "été"], "UPPER", True, ["MONDAY", "STRAẞE", "ÉTÉ"]),
                (["monday", "été", "straße"], "UPPER", False, [""])):
            got = strings.normalize(strings.tensor(x), stopwords, case, sensitive)
            self.assertEqual(got.tolist(), want)
            row = strings.normalize(strings.tensor([x]), stopwords, case, sensitive)
            self.assertEqual(row.tolist(), [want])
        self.assertEqual(strings.normalize(strings.empty([0])).tolist(), [""])
        for shape in ([2, 2], [], [1, 1, 1]):
            with self.assertRaisesRegex(ValueError, r"x must be of shape \[n\] or \[1, n\]"):
                strings.normalize(strings.empty(shape))
        with self.assertRaisesRegex(ValueError, "case_change must be NONE, LOWER or UPPER, got 'Upper'"):
            strings.normalize(strings.empty([2]), case_change="Upper")
        with self.assertRaisesRegex(ValueError, "x must be valid UTF-8"):
            strings.normalize(strings.tensor(["\udcff"]), ["a"])

    def test_concat(self):
        x, y = np.array([["a"], ["b\x00"]], object), np.array(["x", "", "ü"], object)
        self.assertEqual(strings.concat(strings.tensor(x), strings.tensor(y)).tolist(), (x + y).tolist())
        self.assertEqual(strings.concat(strings.tensor("a"), strings.tensor(y)).tolist(), ("a" + y).tolist())
        self.assertEqual(strings.concat(strings.empty([0, 3]), strings.tensor(y)).shape, (0, 3))
        with self.assertRaisesRegex(ValueError, r"strings_concat: y must .*got \[3\]"):
            strings.concat(strings.empty([2]), strings.tensor(y))

    def test_take_and_find(self):
        texts = ["b", "", "ü", "b"]
        for dtype in (np.int32, np.int64):
            places = np.array([[3, 1], [2, 0]], dtype)
            taken = strings.take(sy.tensor(places), texts)
            self.assertEqual(taken.tolist(), np.array(texts, object)[places].tolist())
        found = strings.find(strings.tensor([["b", "ü"], ["", "c"]]), texts)
        self.assertEqual((found.dtype, found.tolist()), ("int64", [[0, 2], [1, -1]]))
        self.assertEqual(strings.find(strings.tensor("a"), []).tolist(), -1)
        self.assertEqual(strings.take(sy.zeros((0, 2), dtype="int64"), []).shape, (0, 2))
        self.assertEqual(strings.take(sy.tensor(1), texts).tolist(), "")
        for place in (-1, 4):
            with self.assertRaisesRegex(ValueError, rf"strings_take: x must be in \[0, 4\), got {place}"):
                strings.take(sy.tensor([0, place]), texts)

    def test_split(self):
        texts = ["  a b\t c ", "a-b--c", "", "-", " \n"]
        for delimiter, most in (("", -1), ("", 0), ("", 1), ("-", -1), ("-", 1), ("-", 0), ("--", -1)):
            pieces = [text.split(delimiter or None, most) for text in texts]
            width = max(map(len, pieces))
            out, counts = strings.split(strings.tensor(texts), delimiter, most)
            self.assertEqual(out.tolist(), [row + [""] * (width - len(row)) for row in pieces])
            self.assertEqual((counts.dtype, counts.tolist()), ("int64", [len(row) for row in pieces]))
        out, counts = strings.split(strings.tensor("a b"))
        self.assertEqual((out.tolist(), counts.tolist()), (["a", "b"], 2))
        self.assertEqual([each.shape for each in strings.split(strings.empty([2, 0]))], [(2, 0, 0), (2, 0)])
        self.assertEqual(strings.split(strings.tensor(["a\xa0b"]))[0].tolist(), [["a\xa0b"]])
        with self.assertRaisesRegex(ValueError, "x must be of at most 8 axes"):
            strings.split(strings.empty([1] * 9))

    def test_full_match(self):
        """Expressions that RE2 and Python share, by Python's answers."""
        texts = ["", "a", "ab", "AB", "ab\n", "a\nb", "äb", "東京", "2024-01-31", "x@y.org", "aaa", "a.b", "\0"]
        for pattern in ("", "a", "a|ab", "a*", "a+?b?", ".*", ".", "..", "(?s).*", "(?i)ab", "[^a]*", r"\d{4}-\d\d-\d\d",
                        r"\w+@\w+\.(com|org)", "^ab$", r"\Aab", "(a|b)+", "a{2,3}", r"[a-z]\.[a-z]", "[äöü]b", "[一-龥]+",
                        r"a\nb", "(?m)^a$\n^b$", r"\x00"):
            got = strings.full_match(strings.tensor(texts), pattern)
            self.assertEqual((got.dtype, got.shape), ("bool", (len(texts),)))
            flags = 0 if "\\w" not in pattern and "\\d" not in pattern else re.ASCII
            self.assertEqual(got.tolist(), [bool(re.fullmatch(pattern, text, flags)) for text in texts], pattern)
        self.assertEqual(strings.full_match(strings.tensor("東"), r"\p{Han}").tolist(), True)
        self.assertEqual(strings.full_match(strings.empty([0, 2]), "a").shape, (0, 2))
        # A byte that is no UTF-8 is no character. Time grows with the text alone.
        self.assertEqual(strings.full_match(strings.tensor("\udcff"), ".").tolist(), False)
        self.assertEqual(strings.full_match(strings.tensor("a" * 20000), "(a|a)*(a|a)*b").tolist(), False)
        for wrong in ("(", "a**", r"(a)\1", "[z-a]", "(?=a)", "x{1001}", r"\p{Unknown}", "((a{100}){100}){100}"):
            with self.assertRaisesRegex(ValueError, "strings_full_match: pattern must be a regular expression of RE2"):
                strings.full_match(strings.tensor("a"), wrong)

    def test_programs(self):
        """The extents that a run decides are those of the texts that are left."""
        def graph(x, y):
            kept = strings.concat(strings.normalize(x, ["b"], "UPPER"), y)
            return kept, strings.to_number(kept, "int64"), strings.from_number(strings.to_number(kept) * 2)
        program = static.trace(graph, static.InputSpec([None], "string"), static.InputSpec([1], "string"))
        for texts in (["1", "b", "2"], ["3"]):
            kept, whole, doubled = program(strings.tensor(texts), strings.tensor(["0"]))
            numbers = [int(text) * 10 for text in texts if text != "b"]
            self.assertEqual(kept.tolist(), [str(n) for n in numbers])
            self.assertEqual(whole.tolist(), numbers)
            self.assertEqual(doubled.tolist(), [str(2 * n) for n in numbers])

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
            text = strings.lower(strings.upper(strings.empty([1])))
            strings.concat(strings.normalize(text), text)
            strings.split(text)
            strings.full_match(text, "")
            for dtype in ("int32", "int64"):
                strings.take(strings.find(text, [""]).astype(dtype), [""])
            for dtype in ("uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64"):
                strings.to_number(strings.from_number(sy.zeros(1, dtype=dtype)), dtype)
        ran = {(kernel or op, backend, dtype)
               for op, backend, dtype, kernel in
               (CHOICE.match(line).groups() for line in log)}
        entries = json.loads(
            pathlib.Path("docs/ops/generated/strings.json").read_text())
        wanted = {(kernel, backend, dtype) for op in entries
                  for kernel, coverage in op["kernels"].items()
                  for backend, dtypes in coverage.items() for dtype in dtypes}
        self.assertEqual(len(wanted), 20)
        self.assertEqual(wanted - ran, set())

    def test_invalid_samples(self):
        raises = {"invalid_argument": ValueError, "type_error": TypeError}
        entries = samples.yaml.safe_load(
            (samples.FOLDER / "strings.yaml").read_text())
        for op, row in ((e["op"], r) for e in entries for r in e["invalid"]):
            arguments = {
                name: value if isinstance(value, (int, str, list))
                else samples.tensor(samples.array_of(value, name), sy)
                for name, value in samples.parse_call(row["call"]).items()}
            with self.subTest(op, **row["call"]), self.assertRaisesRegex(
                    raises[row["code"]],
                    rf"^{op}: {row['argument']}\b.* must .*, got "):
                getattr(sy.ops, op)(**arguments)


if __name__ == "__main__":
    unittest.main()
