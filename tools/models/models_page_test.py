# SPDX-License-Identifier: Apache-2.0
"""The rule by which outputs are compared, the inputs that are made, and the table."""
import pathlib
import tempfile
import unittest

import numpy as np

import case_files
import compare
import model_inputs
import page
import program_desc
import row_of_model
import seed_weights
from case_files import NamedArray

BOXES = np.float32([[0, 0.9, 1, 2, 30, 40], [1, 0.8, 5, 6, 7, 8], [0, 0.8, 9, 9, 20, 20], [2, 0.3, 0, 0, 4, 4]])


def difference(ours, theirs, ours_lod=None, theirs_lod=None):
    return compare.difference(NamedArray("a", np.asarray(ours), ours_lod),
                              NamedArray("b", np.asarray(theirs), theirs_lod))


class CompareTest(unittest.TestCase):
    def test_floats_by_the_largest(self):
        self.assertEqual(difference(np.float32([1, 2, -4]), np.float32([1, 2, -4])), 0)
        self.assertAlmostEqual(difference(np.float32([1, 3, -4]), np.float32([1, 2, -4])), 0.25)
        self.assertEqual(difference(np.float32([1e-9]), np.float32([0])), np.inf)
        self.assertEqual(difference(np.float32([1e-40]), np.float32([0])), 0)
        self.assertEqual(difference(np.zeros((0, 3)), np.zeros((0, 3))), 0)

    def test_what_is_not_finite_must_be_equal(self):
        odd = np.float32([np.nan, np.inf, 1])
        self.assertEqual(difference(odd, odd), 0)
        self.assertEqual(difference(np.float32([0, np.inf, 1]), odd), np.inf)
        self.assertEqual(difference(np.float32([np.nan, -np.inf, 1]), odd), np.inf)

    def test_what_must_be_equal(self):
        for ours, theirs, lods, sentence in (
                (np.int64([1, 2]), np.int64([1, 3]), (None, None), "1 of 2 numbers"),
                (np.float32([1]), np.float64([1]), (None, None), "dtype float32, not float64"),
                (np.float32([1]), np.float32([[1]]), (None, None), r"shape \[1\], not \[1, 1\]"),
                (np.float32([1]), np.float32([1]), ([[1]], None), r"LoD \[\[1\]\], not None")):
            with self.assertRaisesRegex(compare.Unequal, sentence):
                difference(ours, theirs, *lods)

    def test_boxes_are_free_in_order_among_near_scores_alone(self):
        self.assertEqual(difference(BOXES[[0, 2, 1, 3]], BOXES), 0)
        self.assertGreater(difference(BOXES[[1, 0, 2, 3]], BOXES), compare.LIMIT)
        moved = BOXES.copy()
        moved[3, 4] += 0.1  # Small beside the largest of its column, 30.
        self.assertAlmostEqual(difference(moved, BOXES), 0.1 / 30, 6)


    def test_steps_of_a_quantiser(self):
        rng = np.random.default_rng(0)
        steps = rng.integers(0, 256, (16, 256))
        theirs = (0.03 * (steps - 100)).astype(np.float32)
        self.assertEqual(compare.share_of_steps(theirs, theirs), 0)
        ours = theirs.copy()
        ours[3, :8] += np.float32(0.03)  # One step, in 8 of 4096.
        self.assertAlmostEqual(compare.share_of_steps(ours, theirs), 8 / 4096)
        ours[3, 0] += np.float32(0.03)  # Two steps.
        self.assertIsNone(compare.share_of_steps(ours, theirs))
        self.assertIsNone(compare.share_of_steps(theirs + np.float32(0.01), theirs))
        self.assertIsNone(compare.share_of_steps(np.full_like(theirs, np.nan), theirs))
        # Another class; numbers that nothing has rounded; few elements.
        classes = np.float32(np.arange(8) % 4)[None].repeat(4, 0)
        other = classes.copy()
        other[0, 2] += 1
        self.assertIsNone(compare.share_of_steps(other, classes))
        noise = rng.normal(size=(64, 64)).astype(np.float32)
        self.assertIsNone(compare.share_of_steps(noise, noise))
        self.assertIsNone(compare.share_of_steps(theirs[0, :200], theirs[0, :200]))


class InputsTest(unittest.TestCase):
    def cases(self, *ports):
        return model_inputs.cases_of(ports)

    def test_open_extents(self):
        image = model_inputs.Port("image", "float32", (-1, 3, -1, -1))
        scale = model_inputs.Port("scale_factor", "float32", (-1, 2))
        cases = self.cases(image, scale)
        self.assertEqual([case.what for case in cases[:4]], ["base", "batch", "batch", "size"])
        feeds = model_inputs.make((image, scale), cases[3])
        self.assertEqual([one.array.shape for one in feeds], [(1, 3, 96, 160), (1, 2)])
        self.assertEqual(model_inputs.make((image, scale), cases[2])[0].array.shape, (3, 3, 64, 64))
        again = model_inputs.make((image, scale), cases[3])
        self.assertEqual(feeds[0].array.tobytes(), again[0].array.tobytes())

    def test_sequences(self):
        words = model_inputs.Port("words", "int64", (-1, 1), 1, 7)
        cases = self.cases(words)
        self.assertEqual([case.lengths for case in cases], [[3, 5, 2], [2, 0, 3], [1]])
        feed, = model_inputs.make([words], cases[1])
        self.assertEqual((feed.array.shape, feed.lod), ((5, 1), [[2, 0, 3]]))
        self.assertTrue((feed.array < 7).all())

    def test_known_extents_are_drawn_several_times(self):
        port = model_inputs.Port("x", "float32", (4,))
        cases = self.cases(port)
        draws = {model_inputs.make([port], case)[0].array.tobytes() for case in cases}
        self.assertEqual((len(cases), len(draws)), (3, 3))

    def test_a_feed_without_axes(self):
        port = model_inputs.Port("count", "int64", ())
        feed, = model_inputs.make([port], self.cases(port)[0])
        self.assertEqual((feed.array.shape, feed.array.dtype), ((), np.int64))


class KeptTest(unittest.TestCase):
    def test_what_is_not_stable_or_refused_is_left_out(self):
        cases = [model_inputs.Case("base", 1, (8,), [], 0), model_inputs.Case("batch", 2, (8,), [], 0),
                 *(model_inputs.Case("size", 1, (size,), [], 0) for size in (5, 6, 7, 9, 10))]
        results = [1, None, 1, 1.001, None, 1, 1]  # Of a moved input, where 1 is the result.
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for i, result in enumerate(results):
                if result is not None:
                    case_files.write(folder / f"case{i}" / "peer", [
                        NamedArray("a", np.float32([1, 0.5]) * (i != 6))])
                    case_files.write(folder / f"case{i}" / "moved0", [NamedArray("a", np.float32([result, 0.5]))])
            self.assertEqual(row_of_model._kept(cases, folder), ([0, 2, 5], ["batch"], 2))


class PageTest(unittest.TestCase):
    def row(self, **others):
        case = model_inputs.Case("base", 1, (64, 64), [], 0)
        return row_of_model.Row("m", "JSON", "3.3.1", cases=[case], **others)

    def test_what_fails(self):
        self.assertFalse(self.row(differences={"a": 1e-4}).failed)
        self.assertTrue(self.row(differences={"a": 1.1e-4}).failed)
        self.assertTrue(self.row(differences={"a": float("nan")}).failed)
        self.assertFalse(self.row(differences={"a": 2e-3}, halves=frozenset("a")).failed)
        self.assertTrue(self.row(differences={"a": 2.1e-3}, halves=frozenset("a")).failed)
        for share, failed in ((0.01, False), (0.011, True), (1.0, True)):
            self.assertEqual(self.row(differences={"a": 0.1}, steps={"a": share}).failed, failed)
        self.assertTrue(self.row(wrong=["base 0: crashed"]).failed)
        self.assertFalse(row_of_model.Row("m", "JSON", reason="no lstm").failed)

    def test_page(self):
        text = page.text([self.row(differences={"a": 2e-6}), row_of_model.Row("n", "JSON", reason="no lstm")])
        self.assertIn("1 of 2 models ran, 0 of them over the limit.", text)
        self.assertIn("| `m` | JSON | 3.3.1 | sizes 64x64 | `a` 2.0e-06 |\n", text)
        self.assertIn("| `n` | JSON |  |  | not run: no lstm |\n", text)

    def test_steps_in_the_page(self):
        text = page.text([self.row(differences={"a": 0.1}, steps={"a": 0.004})])
        self.assertIn("| `a` 1.0e-01, one step in 0.40% of the elements |\n", text)
        self.assertIn("1 of 1 models ran, 0 of them over the limit.", text)

    def test_rows_of_others_stay(self):
        before = page.text([self.row(differences={"a": 2e-6}), row_of_model.Row("n", "JSON", reason="no lstm")])
        after = page.text([row_of_model.Row("n", "JSON", "3.3.1", differences={"b": 1.0})], before)
        self.assertIn("2 of 2 models ran, 1 of them over the limit.", after)
        self.assertIn("| `m` | JSON | 3.3.1 | sizes 64x64 | `a` 2.0e-06 |\n| `n` | JSON | 3.3.1 |", after)
        self.assertNotIn("no lstm", after)

    def test_reasons_are_short(self):
        self.assertEqual(case_files.why_not_loaded(
            "/a/b/__model__: 3 operators can't be translated:\n"
            "block 0, operator 4, lstm: no such type; the nearest is rnn\n"
            "block 0, operator 5, gru: no such type\nblock 1, operator 5, gru: no such type"),
            "lstm, gru: no such type")
        self.assertEqual(case_files.why_not_loaded("/a/b/__model__: 3 bytes are no program"),
                         "__model__: 3 bytes are no program")


class WeightsTest(unittest.TestCase):
    def test_weights_of_a_program(self):
        block = program_desc.Block(
            [program_desc.Variable("x", (-1, 2)),
             program_desc.Variable("var", (2,), persistable=True),
             program_desc.Variable("feed", None, persistable=True),
             program_desc.Variable("ids", (3,), program_desc.INT64, persistable=True)],
            [program_desc.Op("batch_norm", {"X": ["x"], "Variance": ["var"]}, {"Y": ["y"]}, {"epsilon": 1e-5})])
        data = program_desc.write([block], {"conv2d": 1})
        again, = program_desc.read(data)
        self.assertEqual(again.variables, block.variables)
        self.assertEqual(again.ops[0].inputs, block.ops[0].inputs)
        weights = seed_weights.weights_of(data)
        # ids comes first; after 20 bytes and a description of 4 are the elements.
        self.assertEqual(weights[24:48], bytes(24))
        variance = np.frombuffer(weights[72:], np.float32)
        self.assertTrue(len(variance) == 2 and (variance >= 0.5).all(), variance)

    def test_a_program_that_is_none(self):
        with self.assertRaisesRegex(ValueError, "not a program description"):
            program_desc.read(b"\x0a\x7f")

    def test_files_of_a_folder(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            self.assertIsNone(row_of_model.program_of(folder))
            for file in ("model.pdmodel", "other.pdiparams", "notes.json"):
                (folder / file).touch()
            self.assertEqual(row_of_model.program_of(folder).name, "model.pdmodel")
            self.assertEqual(row_of_model.weights_of(folder / "model.pdmodel").name, "other.pdiparams")


if __name__ == "__main__":
    unittest.main()
