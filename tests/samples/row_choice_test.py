# SPDX-License-Identifier: Apache-2.0
"""Choices among rows or sequences, against loops in NumPy."""
import unittest

import numpy as np

from tests.samples import sequence_cases as cases
from tests.samples.sequence_cases import LENGTHS, Seq, joined, parts, sequences, values


def mask_of(count, kind):
    return np.array([{"none": False, "all": True}.get(kind, i % 3 != 1) for i in range(count)],
                    bool).reshape(count, 1)


def split(x, mask):
    """(sequences where mask is true, the others)"""
    found = []
    for branch in (True, False):
        rows = [part for part, one in zip(parts(x), mask[:, 0]) if one == branch]
        found.append(Seq(joined(rows, x.array), [[len(part) for part in rows]]))
    return found


class RowChoiceTest(unittest.TestCase):

    def test_filter_by_instag(self):
        for lengths in LENGTHS[:4]:
            x = sequences(lengths, 2)
            own = [i % 2 + 1 for i in range(len(lengths))]
            tags = Seq(np.array([t for n in own for t in (n, 7)[:n]], np.int64).reshape(-1, 1),
                       [own])
            for wanted in ([7], [1], [1, 2, 9], [9]):
                kept = [i for i, n in enumerate(own) if set((n, 7)[:n]) & set(wanted)]
                rows = [parts(x)[i] for i in kept]
                begin = np.concatenate([[0], np.cumsum(lengths)]).astype(int)
                to, index = 0, []
                for i in kept:
                    index.append([to, begin[i], lengths[i]])
                    to += lengths[i]
                ones = [[1] * max(len(kept), 1)]
                want = Seq(joined(rows, x.array), [[len(row) for row in rows]])
                if not kept:
                    want, index = Seq(np.full((1, 2), 5.0), [[1]]), [[0, 1, 1]]
                weights = np.full((len(index), 1), bool(kept), np.float32)
                call = {"ins": x, "ins_tag": tags, "filter_tag": np.array(wanted, np.int64),
                        "out_val_if_empty": 5}
                cases.check(self, "filter_by_instag", call, want, Seq(weights, ones),
                            Seq(np.array(index, np.int64), ones))
                cases.check_gradient(self, "filter_by_instag", call, ["ins"])

    def test_rows_are_items_where_told(self):
        x = values(4, 3)
        cases.check(self, "filter_by_instag", {
            "ins": x, "ins_tag": np.array([[1], [2], [1], [3]]), "filter_tag": np.array([1, 3]),
            "is_lod": False}, Seq(x[[0, 2, 3]], [[1, 1, 1]]),
            Seq(np.ones((3, 1), np.float32), [[1, 1, 1]]),
            Seq(np.array([[0, 0, 1], [1, 2, 1], [2, 3, 1]]), [[1, 1, 1]]))

    def test_sequences_go_to_branches_and_back(self):
        for lengths in LENGTHS:
            x = sequences(lengths, 2)
            for kind in ("none", "all", "some"):
                mask = mask_of(len(lengths), kind)
                yes, no = split(x, mask)
                call = {"x": x, "mask": mask}
                cases.check(self, "split_lod_tensor", call, yes, no)
                cases.check_gradient(self, "split_lod_tensor", call, ["x"])
                back = {"x": x, "mask": mask, "in_true": yes, "in_false": no}
                cases.check(self, "merge_lod_tensor", back, x)
                cases.check_gradient(self, "merge_lod_tensor", back, ["in_true", "in_false"])

    def test_rows_go_to_branches_and_back(self):
        x, mask = values(5, 2), mask_of(5, "some")
        yes, no = x[mask[:, 0]], x[~mask[:, 0]]
        cases.check(self, "split_lod_tensor", {"x": x, "mask": mask}, yes, no)
        cases.check_gradient(self, "split_lod_tensor", {"x": x, "mask": mask}, ["x"])
        back = {"x": x, "mask": mask, "in_true": yes, "in_false": no}
        cases.check(self, "merge_lod_tensor", back, x)
        cases.check_gradient(self, "merge_lod_tensor", back, ["in_true", "in_false"])

    def test_levels(self):
        lod = [[2, 1], [1, 3, 2]]
        x = Seq(values(6, 2), lod)
        first, rest = Seq(x.array[:4], [[2], [1, 3]]), Seq(x.array[4:], [[1], [2]])
        mask = np.array([[True], [False]])
        cases.check(self, "split_lod_tensor", {"x": x, "mask": mask}, first, rest)
        cases.check(self, "merge_lod_tensor", {
            "x": x, "mask": mask, "in_true": first, "in_false": rest}, x)
        mask = np.array([[False], [True], [False]])
        middle, others = Seq(x.array[1:4], [[3]]), Seq(x.array[[0, 4, 5]], [[1, 2]])
        cases.check(self, "split_lod_tensor", {"x": x, "mask": mask, "level": 1}, middle, others)
        cases.check(self, "merge_lod_tensor", {
            "x": x, "mask": mask, "in_true": middle, "in_false": others, "level": 1}, x)
        cases.check_gradient(self, "split_lod_tensor", {"x": x, "mask": mask, "level": 1}, ["x"])

    def test_what_does_not_fit_is_refused(self):
        x = sequences([1, 2], 2)
        with self.assertRaisesRegex(ValueError, "^split_lod_tensor: x must be of sequences of more "
                                                "than 1 levels, got 1$"):
            cases.run("split_lod_tensor", {"x": x, "mask": mask_of(2, "all"), "level": 1})
        with self.assertRaisesRegex(ValueError, "^merge_lod_tensor: mask must be true for the 1 "
                                                "items of in_true, got 2$"):
            cases.run("merge_lod_tensor", {
                "x": values(2, 2), "mask": mask_of(2, "all"), "in_true": values(1, 2),
                "in_false": values(1, 2)})


class SamplesTest(unittest.TestCase):

    def test_invalid(self):
        self.assertEqual(cases.check_invalid(self, "row_choice"), 15)

    def test_every_kernel(self):
        def calls():
            for dtype in (np.int32, np.int64, np.float32, np.float64):
                leaves = (lambda *names: names if np.dtype(dtype).kind == "f" else ())
                x, mask = values(3, 2, dtype=dtype), mask_of(3, "some")
                yield "filter_by_instag", {
                    "ins": x, "ins_tag": np.array([[1], [2], [1]]), "filter_tag": np.array([1]),
                    "is_lod": False}, leaves("ins")
                yield "split_lod_tensor", {"x": x, "mask": mask}, leaves("x")
                yield "merge_lod_tensor", {
                    "x": x, "mask": mask, "in_true": x[:2], "in_false": x[2:]}, leaves(
                        "in_true", "in_false")
        missing, count = cases.missing_kernels("row_choice", calls())
        self.assertEqual((missing, count), ([], 18))


if __name__ == "__main__":
    unittest.main()
