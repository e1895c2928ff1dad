# SPDX-License-Identifier: Apache-2.0
"""Operators on rank tables and beam search against loops over lists of NumPy arrays, with gradients."""
import itertools
import unittest

import numpy as np

from tests.samples import sequence_cases as cases
from tests.samples.array_cases import eager_argument
from tests.samples.sequence_cases import LENGTHS, Seq, parts, sequences, values
import switchyard as sy

NESTED = Seq(values(7, 2), [[2, 0, 3], [1, 2, 0, 3, 1]])


def ranked(lengths):
    """[[index, length]], the longest first."""
    order = sorted(range(len(lengths)), key=lambda i: (-lengths[i], i))
    return np.array([[i, lengths[i]] for i in order], np.int64).reshape(-1, 2)


def table_of(seq, level=0):
    above = seq.lod[:level]
    rows = ranked(seq.lod[level])
    return Seq(rows, above) if above else rows


def tensor(value):
    return sy.tensor(value.array, lod=value.lod) if isinstance(value, Seq) else sy.tensor(value)


def array_of(elements, dtype="float64"):
    """An array of elements that may differ in rows."""
    shape = np.shape(elements[0].array if isinstance(elements[0], Seq) else elements[0]) if elements else (1,)
    array = sy.create_array(dtype, element_shape=[-1, *shape[1:]])
    for i, element in enumerate(elements):
        array = sy.array_write(tensor(element), i, array)
    return array


def elements_of(array):
    return [sy.array_read(array, i) for i in range(int(sy.array_length(array).numpy()[0]))]


class TableTest(unittest.TestCase):

    def test_table(self):
        for lengths in (*LENGTHS, [1, 3, 3, 0, 1]):
            x = sequences(lengths, 2)
            cases.check(self, "lod_rank_table", {"x": x}, ranked(lengths))
            cases.check(self, "max_sequence_len", {"rank_table": ranked(lengths)},
                        np.array([max(lengths, default=0)]))
        cases.check(self, "lod_rank_table", {"x": NESTED}, ranked([2, 0, 3]))
        cases.check(self, "lod_rank_table", {"x": NESTED, "level": 1}, table_of(NESTED, 1))
        with self.assertRaisesRegex(IndexError, r"level must be in \[0, 1\), the levels of x, got 1"):
            sy.ops.lod_rank_table(tensor(sequences([2, 1], 1)), level=1)

    def test_wrong_tables(self):
        for table, message in (([[0, 2], [0, 1]], "of each index once, got 0"),
                               ([[0, 2], [2, 1]], "of each index once, got 2"),
                               ([[0, 1], [1, 2]], "of lengths that never grow, got 2"),
                               ([[0, -1]], "of lengths that never grow, got -1")):
            with self.assertRaisesRegex(ValueError, f"rank_table must be {message}"):
                sy.ops.max_sequence_len(sy.tensor(np.array(table)))


class StepsTest(unittest.TestCase):

    def test_to_array_and_back(self):
        for lengths in (*LENGTHS, [1, 3, 3, 0, 1]):
            x = sequences(lengths, 2)
            table = ranked(lengths)
            array = sy.ops.lod_tensor_to_array(tensor(x), sy.tensor(table))
            rows = parts(x)
            got = elements_of(array)
            self.assertEqual(len(got), max(lengths, default=0))
            for step, element in enumerate(got):
                want = np.array([rows[i][step] for i, length in table if length > step])
                np.testing.assert_array_equal(element.numpy(), want)
                self.assertIsNone(element.lod)
            back = sy.ops.array_to_lod_tensor(array, sy.tensor(table))
            self.assertEqual(back.lod, x.lod)
            if got:
                np.testing.assert_array_equal(back.numpy(), x.array)

    def test_levels(self):
        table = tensor(table_of(NESTED))
        array = sy.ops.lod_tensor_to_array(tensor(NESTED), table)
        first, second, third = elements_of(array)
        # The third sequence is the longest: its steps are of 0, 3 and 1 rows.
        self.assertEqual([e.lod for e in (first, second, third)], [[[0, 1]], [[3, 2]], [[1]]])
        np.testing.assert_array_equal(second.numpy(), NESTED.array[[3, 4, 5, 1, 2]])
        back = sy.ops.array_to_lod_tensor(array, table)
        self.assertEqual(back.lod, NESTED.lod)
        np.testing.assert_array_equal(back.numpy(), NESTED.array)
        table = tensor(table_of(NESTED, 1))
        array = sy.ops.lod_tensor_to_array(tensor(NESTED), table)
        self.assertEqual([e.shape[0] for e in elements_of(array)], [4, 2, 1])
        back = sy.ops.array_to_lod_tensor(array, table)
        self.assertEqual(back.lod, NESTED.lod)

    def test_gradients(self):
        for x in (sequences([2, 0, 3], 2), NESTED):
            leaf = sy.tensor(x.array, lod=x.lod, requires_grad=True)
            table = tensor(table_of(x))
            array = sy.ops.lod_tensor_to_array(leaf, table)
            thrice = sy.array_write(sy.array_read(array, 1) * 3.0, 1, array)
            if x is not NESTED:
                back = sy.ops.array_to_lod_tensor(thrice, table)
                weights = values(*back.shape, seed=5)
                (grad,) = sy.grad([back], [leaf], [sy.tensor(weights)])
                want, ends = weights.copy(), np.cumsum([0, *x.lod[0]])
                want[[ends[0] + 1, ends[2] + 1]] *= 3
                np.testing.assert_allclose(grad.numpy(), want)
            second = sy.array_read(sy.ops.lod_tensor_to_array(leaf, table), 1)
            (grad,) = sy.grad([second], [leaf], [sy.tensor(np.ones(second.shape))])
            want = np.zeros_like(x.array)
            want[[3, 1] if x is not NESTED else [3, 4, 5, 1, 2]] = 1
            np.testing.assert_array_equal(grad.numpy(), want)

    def test_refused(self):
        x, table = sequences([2, 1], 1), ranked([2, 1])
        for other in (sequences([1, 2], 1), sequences([3], 1)):
            with self.assertRaisesRegex(ValueError, "x must be of the sequences of rank_table"):
                sy.ops.lod_tensor_to_array(tensor(other), sy.tensor(table))
        with self.assertRaisesRegex(ValueError, "x must be of more than 1 levels of sequences"):
            sy.ops.lod_tensor_to_array(tensor(x), tensor(Seq(table, [[2]])))
        with self.assertRaisesRegex(ValueError, "array must be of at least 2 elements"):
            sy.ops.array_to_lod_tensor(array_of([values(2, 1)]), sy.tensor(table))
        with self.assertRaisesRegex(ValueError, "with 2 rows or sequences at 0"):
            sy.ops.array_to_lod_tensor(array_of([values(1, 1), values(1, 1)]), sy.tensor(table))
        holes = sy.array_write(sy.tensor(values(2, 1)), 1, sy.create_array("float64"))
        with self.assertRaisesRegex(ValueError, "array must be written at each position"):
            sy.ops.array_to_lod_tensor(holes, sy.tensor(table))


class BatchTest(unittest.TestCase):

    def test_shrink(self):
        table, x = ranked([1, 3, 0, 3]), values(4, 2)
        for step, rows in enumerate((3, 2, 2, 0, 0)):
            for dtype in (np.int32, np.int64):
                call = {"x": x, "rank_table": table, "i": np.array([step], dtype)}
                cases.check(self, "shrink_rnn_memory", call, x[:rows])
            cases.check_gradient(self, "shrink_rnn_memory", call, ["x"])
        x = Seq(values(5, 1), [[2, 0, 3]])
        cases.check(self, "shrink_rnn_memory", {"x": x, "rank_table": ranked([1, 3, 2]),
                                                "i": np.array([1])},
                    Seq(x.array[:2], [[2, 0]]))
        with self.assertRaisesRegex(IndexError, "i must be 0 or more, got -1"):
            sy.ops.shrink_rnn_memory(sy.tensor(values(4, 2)), sy.tensor(table), sy.tensor(np.array([-1])))
        with self.assertRaisesRegex(ValueError, "x must be of at least 3 rows or sequences"):
            sy.ops.shrink_rnn_memory(sy.tensor(values(2, 2)), sy.tensor(table), sy.tensor(np.array([0])))

    def test_reorder(self):
        table = ranked([1, 3, 2])
        x = values(3, 2)
        cases.check(self, "reorder_lod_tensor_by_rank", {"x": x, "rank_table": table}, x[[1, 2, 0]])
        cases.check_gradient(self, "reorder_lod_tensor_by_rank", {"x": x, "rank_table": table}, ["x"])
        x = sequences([2, 0, 1], 2)
        call = {"x": x, "rank_table": table}
        cases.check(self, "reorder_lod_tensor_by_rank", call, Seq(x.array[[2, 0, 1]], [[0, 1, 2]]))
        cases.check_gradient(self, "reorder_lod_tensor_by_rank", call, ["x"])
        cases.check(self, "reorder_lod_tensor_by_rank", {"x": NESTED, "rank_table": table},
                    Seq(NESTED.array[[3, 4, 5, 6, 0, 1, 2]], [[0, 3, 2], [0, 3, 1, 1, 2]]))
        for x in (values(3, 2), sequences([2, 0, 1], 2), NESTED):
            there = sy.ops.reorder_lod_tensor_by_rank(tensor(x), sy.tensor(table))
            back = sy.ops.restore_lod_tensor_by_rank(there, sy.tensor(table))
            np.testing.assert_array_equal(back.numpy(), tensor(x).numpy())
            self.assertEqual(back.lod, tensor(x).lod)
            cases.check_gradient(self, "restore_lod_tensor_by_rank", {"x": x, "rank_table": table}, ["x"])
        with self.assertRaisesRegex(ValueError, "x must be of 3 rows or sequences, as rank_table"):
            sy.ops.reorder_lod_tensor_by_rank(sy.tensor(values(2, 2)), sy.tensor(table))


def best(pre_ids, pre_scores, ids, scores, sources, beam_size, end_id):
    """Per prefix, [(id, score)] of the candidates that stay: those of a source sorted and cut."""
    kept = [[] for _ in pre_ids]
    at = 0
    for prefixes in sources:
        found = []
        for row in range(at, at + prefixes):
            if pre_ids[row] == end_id:
                found.append((-pre_scores[row], row, end_id))
            else:
                found += [(-s, row, i) for s, i in zip(scores[row], ids[row])]
        found = sorted(found)[:beam_size]
        if not all(i == end_id and pre_ids[row] == end_id for _, row, i in found):
            for score, row, i in found:
                kept[row].append((i, -score))
        at += prefixes
    return kept


class BeamTest(unittest.TestCase):

    def run_step(self, rng, dtype):
        sources = [int(n) for n in rng.integers(0, 4, 3)]
        rows = sum(sources)
        beam_size = int(rng.integers(1, 4))
        pre_ids = rng.integers(0, 3, (rows, 1))
        pre_scores = rng.normal(size=(rows, 1)).astype(dtype)
        ids = rng.integers(0, 9, (rows, 4))
        scores = rng.normal(size=(rows, 4)).astype(dtype)
        kept = best(pre_ids[:, 0], pre_scores[:, 0], ids, scores, sources, beam_size, 0)
        lod = [sources, [len(one) for one in kept]]
        flat = list(itertools.chain(*kept))
        cases.check(self, "beam_search",
                    {"pre_ids": pre_ids, "pre_scores": pre_scores, "ids": ids,
                     "scores": Seq(scores, [sources, [1] * rows]), "level": 0,
                     "beam_size": beam_size, "end_id": 0},
                    Seq(np.array([i for i, _ in flat], np.int64).reshape(-1, 1), lod),
                    Seq(np.array([s for _, s in flat], dtype).reshape(-1, 1), lod),
                    np.array([row for row, one in enumerate(kept) for _ in one], np.int32))

    def test_step(self):
        for seed in range(40):
            self.run_step(np.random.default_rng(seed), (np.float32, np.float64)[seed % 2])

    def test_probabilities_without_ids(self):
        scores = Seq(np.array([[0.1, 0.7, 0.2], [0.5, 0.4, 0.1]]), [[2]])
        selected, score, parents = sy.ops.beam_search(
            sy.tensor(np.array([[1], [2]])), sy.tensor(np.array([[-2.0], [-0.5]])), None,
            tensor(scores), level=0, beam_size=2, end_id=0, is_accumulated=False)
        np.testing.assert_array_equal(selected.numpy(), [[0], [1]])
        np.testing.assert_allclose(score.numpy(), [[-0.5 + np.log(0.5)], [-0.5 + np.log(0.4)]])
        np.testing.assert_array_equal(parents.numpy(), [1, 1])
        with self.assertRaisesRegex(IndexError, r"level must be in \[0, 1\), the levels of scores"):
            sy.ops.beam_search(sy.tensor(np.array([[1], [2]])), sy.tensor(np.ones((2, 1))), None,
                               tensor(scores), level=1, beam_size=2, end_id=0)

    def test_decode(self):
        # Two sources; the first ends one of its two sentences a step early.
        steps = [(([1], [2]), [[1, 1], [1, 1]]),
                 (([3, 4], [5, 6]), [[1, 1], [2, 2]]),
                 (([7, 0], [8, 9]), [[2, 2], [1, 1, 0, 2]]),
                 (([2, 0], [0, 1]), [[2, 2], [1, 1, 1, 1]])]
        ids = [Seq(np.array(sum(rows, [])).reshape(-1, 1), lod) for rows, lod in steps]
        scores = [Seq(values(len(one.array), 1, seed=i), one.lod) for i, one in enumerate(ids)]
        scores[-1].array[:, 0] = [0.1, 0.2, 0.4, 0.3]
        out, score = sy.ops.beam_search_decode(array_of(ids, "int64"), array_of(scores),
                                               beam_size=2, end_id=0)
        self.assertEqual(out.lod, [[2, 2], [3, 4, 4, 4]])
        np.testing.assert_array_equal(out.numpy(), [1, 4, 0, 1, 3, 7, 2, 2, 6, 8, 0, 2, 6, 9, 1])
        s = [one.array[:, 0] for one in scores]
        np.testing.assert_array_equal(
            score.numpy(), [s[0][0], s[1][1], 0.2, s[0][0], s[1][0], s[2][0], 0.1,
                            s[0][1], s[1][3], s[2][2], 0.4, s[0][1], s[1][3], s[2][3], 0.3])
        self.assertEqual(score.lod, out.lod)

    def test_decode_refuses(self):
        column = values(2, 1)
        good = Seq(np.array([[1], [2]]), [[2], [1, 1]])
        for ids, scores, message in (
                ([], [], "scores must be of as many elements as ids, one or more"),
                ([good], [column, column], "scores must be of as many elements as ids"),
                ([Seq(good.array, [[2]])], [column], "ids must be of two levels of sequences, got 1"),
                ([good.array], [column], r"ids must be of sequences \(with a LoD\)"),
                ([good], [values(3, 1)], "scores must be of one element for each of ids"),
                ([Seq(good.array, [[2], [2, 0]])], [column], None),
                ([Seq(good.array, [[1, 1], [1, 1]]), good], [column, column],
                 "ids must be of 1 source sentences at each position, got 2"),
                ([Seq(good.array[:1], [[1], [1]]), good], [column[:1], column],
                 "ids must be of a candidate for each prefix of the step after, got 1")):
            with self.subTest(message=message):
                call = (array_of(ids, "int64"), array_of(scores))
                if message is None:
                    sy.ops.beam_search_decode(*call, beam_size=2, end_id=0)
                    message = "ids must be of at most beam_size candidates of a source sentence, 1, got 2"
                with self.assertRaisesRegex(ValueError, message):
                    sy.ops.beam_search_decode(*call, beam_size=2 if "1, got 2" not in message else 1,
                                              end_id=0)


class SamplesTest(unittest.TestCase):

    def test_invalid(self):
        count = 0
        for family in ("rank_table", "beam_search"):
            for entry in cases.yaml.safe_load((cases.samples.FOLDER / f"{family}.yaml").read_text()):
                for row in entry["invalid"]:
                    arguments = {name: eager_argument(value) for name, value in row["call"].items()}
                    with self.subTest(row=row), self.assertRaisesRegex(
                            cases.RAISES[row["code"]],
                            rf"^{entry['op']}: {row['argument']}\b.* must .*, got "):
                        getattr(sy.ops, entry["op"])(**arguments)
                    count += 1
        self.assertGreater(count, 25)

    def test_sequences_are_needed(self):
        cases.check_sequences_are_needed(self, "rank_table", ("lod_rank_table",))
        with self.assertRaisesRegex(ValueError, r"x must be of sequences \(with a LoD\), got "):
            sy.ops.lod_tensor_to_array(sy.tensor(values(3, 1)), sy.tensor(ranked([2, 1])))
        cases.check_sequences_are_needed(self, "beam_search", ("beam_search",))

    def test_every_kernel(self):
        with sy.record_selections() as log:
            for dtype in ("int32", "int64", "float32", "float64"):
                x = sy.tensor(values(5, 2, dtype=dtype), lod=[[2, 3]],
                              requires_grad=dtype.startswith("float"))
                table = sy.ops.lod_rank_table(x)
                sy.ops.max_sequence_len(table)
                array = sy.ops.lod_tensor_to_array(x, table)
                back = sy.ops.array_to_lod_tensor(array, table)
                back = sy.ops.reorder_lod_tensor_by_rank(back, table)
                back = sy.ops.restore_lod_tensor_by_rank(back, table)
                out = sy.ops.shrink_rnn_memory(back, table, sy.tensor(np.array([0])))
                if out.requires_grad:
                    sy.grad([out], [x], [sy.tensor(np.ones(out.shape, dtype))])
                    pre = sy.tensor(np.array([[1], [2]]))
                    ids, scores, _ = sy.ops.beam_search(
                        pre, sy.tensor(np.ones((2, 1), dtype)), None,
                        sy.tensor(values(2, 3, dtype=dtype), lod=[[2], [1, 1]]), level=0,
                        beam_size=2, end_id=0)
                    sy.ops.beam_search_decode(sy.array_write(ids, 0), sy.array_write(scores, 0),
                                              beam_size=2, end_id=0)
        missing, count = [], 0
        for family in ("rank_table", "beam_search"):
            left, wanted = cases.kernels_missing_in(family, log)
            missing, count = missing + left, count + wanted
        self.assertGreater(count, 30)
        self.assertEqual([], missing)


if __name__ == "__main__":
    unittest.main()
