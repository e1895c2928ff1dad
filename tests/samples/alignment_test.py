# SPDX-License-Identifier: Apache-2.0
"""Operators that align, compare or decode labels, against searches through all possibilities."""
import functools
import itertools
import unittest

import numpy as np

from tests.samples import sequence_cases as cases
from tests.samples.sequence_cases import LENGTHS, Seq, parts, sequences, values
import switchyard as sy


def labels(lengths, classes, seed, first=0, dtype=np.int64):
    rng = np.random.default_rng(seed)
    return Seq(rng.integers(first, classes, (sum(lengths), 1)).astype(dtype), [list(lengths)])


def padded(seq, steps):
    """The sequences as a batch, with junk after each, and their lengths."""
    batch = np.full((len(seq.lod[0]), steps, *seq.array.shape[1:]), 1, seq.array.dtype)
    for row, part in zip(batch, parts(seq)):
        row[:len(part)] = part
    return batch, np.array(seq.lod[0], np.int64)


def distance(a, b):
    @functools.lru_cache(None)
    def to(i, j):
        if i == 0 or j == 0:
            return i + j
        return min(to(i - 1, j) + 1, to(i, j - 1) + 1, to(i - 1, j - 1) + (a[i - 1] != b[j - 1]))
    return to(len(a), len(b))


def collapsed(path, blank, merge=True):
    kept = [path[i] for i in range(len(path)) if not merge or i == 0 or path[i] != path[i - 1]]
    return [label for label in kept if label != blank]


def ctc_loss(logits, label, blank):
    """The sum over all alignments; 0 if there is none."""
    probability = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
    total = sum(np.prod([probability[t, k] for t, k in enumerate(path)])
                for path in itertools.product(range(logits.shape[1]), repeat=len(logits))
                if collapsed(path, blank) == list(label))
    return -np.log(total) if total > 0 and len(logits) else 0.0


def chunks(tags, types, scheme):
    """{(begin, end, type)} by the definition of each scheme, reading marks of parts."""
    marks = {"IOB": "BI", "IOE": "IE", "IOBES": "BIES", "plain": "I"}[scheme]
    found, begin = set(), None
    parts_of = [(None, None) if tag // len(marks) == types else
                (marks[tag % len(marks)], tag // len(marks)) for tag in tags]
    for i, (mark, kind) in enumerate(parts_of):
        before = parts_of[i - 1] if i else (None, None)
        if begin is not None and (kind != before[1] or mark in ("B", "S")
                                  or before[0] in ("E", "S")):
            found.add((begin, i, before[1]))
            begin = None
        if kind is not None and begin is None:
            begin = i
    if begin is not None:
        found.add((begin, len(tags), parts_of[-1][1]))
    return found


class LabelTest(unittest.TestCase):

    def test_edit_distance(self):
        for lengths in ([3, 0, 5], [1], [2, 4]):
            for dtype in (np.int32, np.int64):
                hyps = labels(lengths, 3, 1, dtype=dtype)
                refs = labels([n % 3 + 2 for n in lengths], 3, 2, dtype=dtype)
                want = np.array([[distance(a.ravel().tolist(), b.ravel().tolist())]
                                 for a, b in zip(parts(hyps), parts(refs))], np.float32)
                count = np.array([len(lengths)])
                call = {"hyps": hyps, "refs": refs}
                cases.check(self, "edit_distance", call, count, want)
                share = want / np.array(refs.lod[0], np.float32)[:, None]
                cases.check(self, "edit_distance", {**call, "normalized": True}, count, share,
                            tolerance=1e-6)
                batch, of_batch = padded(Seq(hyps.array[:, 0], hyps.lod), 6)
                other, of_other = padded(Seq(refs.array[:, 0], refs.lod), 5)
                cases.check(self, "edit_distance", {"hyps": batch, "refs": other,
                                                    "hypslength": of_batch,
                                                    "refslength": of_other}, count, want)
        empty = {"hyps": labels([0, 2], 3, 1), "refs": labels([3, 0], 3, 2)}
        cases.check(self, "edit_distance", empty, np.array([2]), np.float32([[3], [2]]))

    def test_ctc_align(self):
        for lengths in ([5, 0, 4], [1, 3], [7]):
            for merge in (True, False):
                x = labels(lengths, 3, 3)
                rows = [collapsed(part.ravel().tolist(), 0, merge) for part in parts(x)]
                flat = np.array(sum(rows, []), np.int64).reshape(-1, 1)
                none = np.zeros((0, 1), np.int64)
                cases.check(self, "ctc_align", {"input": x, "merge_repeated": merge},
                            Seq(flat, [[len(row) for row in rows]]), none)
                batch, length = padded(Seq(x.array[:, 0], x.lod), 8)
                want = np.full_like(batch, 9)
                for to, row in zip(want, rows):
                    to[:len(row)] = row
                cases.check(self, "ctc_align",
                            {"input": batch, "input_length": length, "merge_repeated": merge,
                             "padding_value": 9},
                            want, np.array([[len(row)] for row in rows]))
        zeros = Seq(np.zeros((3, 1), np.int64), [[3]])
        cases.check(self, "ctc_align", {"input": zeros}, np.array([[-1]]), none)

    def test_chunk_eval(self):
        for scheme, tags in (("IOB", 2), ("IOE", 2), ("IOBES", 4), ("plain", 1)):
            for excluded in ([], [1]):
                lengths = [6, 0, 9, 1]
                a = labels(lengths, 3 * tags + 1, 5)
                b = labels(lengths, 3 * tags + 1, 6)
                b.array[::3] = a.array[::3]
                b.array[:4] = a.array[:4]
                found, wanted, both = 0, 0, 0
                for one, other in zip(parts(a), parts(b)):
                    one, other = ({chunk for chunk in chunks(part.ravel(), 3, scheme)
                                   if chunk[2] not in excluded} for part in (one, other))
                    found, wanted, both = (found + len(one), wanted + len(other),
                                           both + len(one & other))
                precision, recall = both / max(found, 1), both / max(wanted, 1)
                score = 2 * precision * recall / (precision + recall) if both else 0.0
                want = [np.float32([x]) for x in (precision, recall, score)]
                want += [np.array([x]) for x in (found, wanted, both)]
                attrs = {"num_chunk_types": 3, "chunk_scheme": scheme,
                         "excluded_chunk_types": excluded}
                cases.check(self, "chunk_eval", {"inference": a, "label": b, **attrs}, *want,
                            tolerance=1e-6)
                (x, length), (y, _) = (padded(Seq(s.array[:, 0], s.lod), 9) for s in (a, b))
                cases.check(self, "chunk_eval",
                            {"inference": x, "label": y, "seq_length": length, **attrs}, *want,
                            tolerance=1e-6)
                cases.check(self, "chunk_eval",
                            {"inference": x[..., None], "label": y[..., None],
                             "seq_length": length, **attrs}, *want, tolerance=1e-6)
        with self.assertRaisesRegex(ValueError, "label must be of the sequences of inference"):
            cases.run("chunk_eval", {"inference": labels([2, 1], 3, 1),
                                     "label": labels([1, 2], 3, 1), "num_chunk_types": 1})


class LossTest(unittest.TestCase):

    def logits_and_labels(self, blank):
        lengths, counts = [4, 1, 3, 0, 3], [2, 1, 3, 0, 0]
        first = 1 if blank == 0 else 0
        return (sequences(lengths, 3),
                Seq(np.array([[1], [1], [1], [1], [1], [1]], np.int32) if first else
                    labels(counts, 2, 4, dtype=np.int32).array, [counts]))

    def test_warpctc(self):
        for blank in (0, 2):
            logits, label = self.logits_and_labels(blank)
            want = np.array([[ctc_loss(x, y.ravel(), blank)]
                             for x, y in zip(parts(logits), parts(label))])
            self.assertEqual(want[2], 0)  # Three labels, one repeated, need more than 3 steps.
            call = {"logits": logits, "label": label, "blank": blank}
            cases.check(self, "warpctc", call, want)
            cases.check_gradient(self, "warpctc", call, ["logits"])
            batch, steps = padded(logits, 5)
            rows, counts = padded(Seq(label.array[:, 0], label.lod), 3)
            call = {"logits": np.ascontiguousarray(batch.swapaxes(0, 1)), "label": rows,
                    "logits_length": steps, "labels_length": counts, "blank": blank}
            cases.check(self, "warpctc", call, want)
            cases.check_gradient(self, "warpctc", call, ["logits"])

    def test_warpctc_of_halves(self):
        """float64's of the same numbers, to the digits of the dtype."""
        x, rows = values(4, 2, 3), np.array([[1, 2], [2, 2]], np.int32)
        lengths = {"logits_length": np.array([4, 3]), "labels_length": np.array([2, 2])}
        for dtype, digits in (("float16", 2e-3), ("bfloat16", 2e-2)):
            results = []
            for logits in (sy.tensor(x, dtype), sy.tensor(x, dtype).astype("float64")):
                logits.requires_grad = True
                outputs, _ = cases.run("warpctc", {"logits": logits, "label": rows, **lengths})
                outputs[0].sum().backward()
                self.assertEqual((outputs[0].dtype, logits.grad.dtype), (logits.dtype,) * 2)
                results.append([t.astype("float64").numpy() for t in (outputs[0], logits.grad)])
            for got, want in zip(*results):
                np.testing.assert_allclose(got, want, rtol=digits, atol=digits / 4)

    def test_gradient_by_steps(self):
        logits, label = self.logits_and_labels(2)
        grads = []
        for by_times in (False, True):
            outputs, tensors = cases.run("warpctc", {"logits": logits, "label": label, "blank": 2,
                                                     "norm_by_times": by_times}, ["logits"])
            outputs[0].sum().backward()
            grads.append(tensors["logits"].grad.numpy())
        steps = np.repeat(logits.lod[0], logits.lod[0])[:, None]
        np.testing.assert_allclose(grads[1], grads[0] / steps, rtol=1e-12)


class ViterbiTest(unittest.TestCase):

    def test_decode(self):
        for tags, bounds in ((3, True), (4, True), (3, False), (1, False)):
            x, between = values(4, 4, tags), values(tags, tags, seed=2)
            lengths = np.array([3, 0, 4, 1])
            scores, paths = np.zeros(4), np.zeros((4, 4), np.int64)
            for i, n in enumerate(lengths):
                best = -np.inf
                for path in itertools.product(range(tags), repeat=n) if n else ():
                    score = sum(x[i, t, k] for t, k in enumerate(path))
                    score += sum(between[a, b] for a, b in zip(path, path[1:]))
                    if bounds:
                        score += between[-1, path[0]] + between[-2, path[-1]]
                    if score > best:
                        best, scores[i], paths[i, :n] = score, score, path
            for dtype in (np.int32, np.int64):
                cases.check(self, "viterbi_decode",
                            {"potentials": x, "transition_params": between,
                             "lengths": lengths.astype(dtype), "include_bos_eos_tag": bounds},
                            scores, paths)


class SamplesTest(unittest.TestCase):

    def test_invalid(self):
        self.assertGreater(cases.check_invalid(self, "alignment"), 30)

    def test_every_kernel(self):
        def calls():
            length = np.array([2, 1])
            for dtype in (np.int32, np.int64):
                rows = np.array([[1, 2], [1, 2]], dtype)
                yield "edit_distance", {"hyps": rows, "refs": rows, "hypslength": length,
                                        "refslength": length}, []
                yield "ctc_align", {"input": rows, "input_length": length}, []
            yield "chunk_eval", {"inference": rows, "label": rows, "seq_length": length,
                                 "num_chunk_types": 2}, []
            for dtype in ("float16", "bfloat16", "float32", "float64"):
                logits = sy.tensor(values(3, 2, 3), dtype, requires_grad=True)
                yield "warpctc", {"logits": logits, "label": rows,
                                  "logits_length": length, "labels_length": length}, ["logits"]
            for dtype in (np.float32, np.float64):
                yield "viterbi_decode", {"potentials": values(2, 3, 3, dtype=dtype),
                                         "transition_params": values(3, 3, dtype=dtype),
                                         "lengths": length}, []
        missing, count = cases.missing_kernels("alignment", calls())
        self.assertGreater(count, 10)
        self.assertEqual([], missing)


if __name__ == "__main__":
    unittest.main()
