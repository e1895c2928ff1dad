# SPDX-License-Identifier: Apache-2.0
"""Operators on sequences against loops over lists of NumPy arrays, with gradients."""
import unittest

import numpy as np

from tests.samples import sequence_cases as cases
from tests.samples.sequence_cases import LENGTHS, Seq, joined, parts, sequences, values
import switchyard as sy

POOLS = {
    "AVERAGE": lambda rows: rows.mean(0),
    "SUM": lambda rows: rows.sum(0),
    "SQRT": lambda rows: rows.sum(0) / np.sqrt(len(rows)),
    "MAX": lambda rows: rows.max(0),
    "LAST": lambda rows: rows[-1],
    "FIRST": lambda rows: rows[0],
}


def convolved(x, filter, length, start, padding=None):
    """Rows of contexts times the filter, sequence by sequence."""
    before, width = max(-start, 0), x.array.shape[1]
    rows = []
    for part in parts(x):
        around = np.zeros((before + len(part) + max(start + length - 1, 0), width))
        around[before:before + len(part)] = part
        if padding is not None:
            around[:before] = padding[:before]
            around[before + len(part):] = padding[before:]
        # Row i of the sequence is row before + i.
        rows += [np.concatenate(around[before + i + start:before + i + start + length])
                 for i in range(len(part))]
    contexts = np.reshape(rows, (-1, length * width))
    return contexts @ filter


class WithSequencesTest(unittest.TestCase):

    def test_rows_decide(self):
        for policy in ({"backends": ["cpu"]}, {"backends": ["reference"]}):
            with sy.policy(**policy):
                for lengths in LENGTHS:
                    like = sequences(lengths, 2)
                    x = values(sum(lengths), 3, seed=2)
                    cases.check(self, "with_sequences", {"x": x, "like": like}, Seq(x, like.lod))
                    more = values(sum(lengths) + 1, 3)
                    cases.check(self, "with_sequences", {"x": more, "like": like}, more)
                two = Seq(values(3, 1), [[2, 1], [1, 0, 2]])
                x = values(3)
                cases.check(self, "with_sequences", {"x": x, "like": two}, Seq(x, two.lod))
                cases.check(self, "with_sequences", {"x": two, "like": x}, two.array)

    def test_gradient(self):
        like = sequences([1, 2], 1)
        cases.check_gradient(self, "with_sequences", {"x": values(3, 2), "like": like}, ["x"])


class PoolTest(unittest.TestCase):

    def test_values(self):
        for lengths in LENGTHS:
            for row in ((3,), (2, 2), ()):
                x = sequences(lengths, *row)
                for kind, pool in POOLS.items():
                    want = np.array([pool(part) if len(part) else np.full(row, 0.5)
                                     for part in parts(x)]).reshape(-1, *row)
                    cases.check(self, "sequence_pool",
                                {"x": x, "pooltype": kind, "pad_value": 0.5}, want)

    def test_levels_above_stay(self):
        x = Seq(values(5, 2), [[1, 2], [2, 0, 3]])
        want = np.array([x.array[:2].sum(0), np.zeros(2), x.array[2:].sum(0)])
        cases.check(self, "sequence_pool", {"x": x, "pooltype": "SUM"}, Seq(want, [[1, 2]]))

    def test_gradients(self):
        for lengths in LENGTHS[:3]:
            for kind in POOLS:
                cases.check_gradient(self, "sequence_pool",
                                     {"x": sequences(lengths, 2, 2), "pooltype": kind}, ["x"])

    def test_pooled_side_by_side(self):
        cvm = values(1, 2)
        for lengths in LENGTHS:
            one, two = sequences(lengths, 3), sequences(lengths, 4, seed=2)
            for kind in ("SUM", "AVERAGE", "SQRT"):
                call = {"x": [one, two], "pooltype": kind}
                plain = [np.array([POOLS[kind](part) if len(part) else np.zeros(part.shape[1])
                                   for part in parts(x)]).reshape(-1, x.array.shape[1])
                         for x in (one, two)]
                cases.check(self, "fusion_seqpool_concat", call, np.concatenate(plain, 1))
                cases.check(self, "fusion_seqpool_cvm_concat",
                            {**call, "cvm": cvm, "use_cvm": False},
                            np.concatenate([row[:, 2:] for row in plain], 1))
        x = Seq(np.abs(values(5, 4)), [[2, 0, 3]])
        want = np.array([part.sum(0) for part in parts(x)])
        want[:, 0] = np.log(want[:, 0] + 1)
        want[:, 1] = np.log(want[:, 1] + 1) - want[:, 0]
        cases.check(self, "fusion_seqpool_cvm_concat", {"x": [x], "cvm": cvm}, want)
        rows = Seq(np.abs(values(3, 4)), [[2, 1]])
        cases.check(self, "cvm", {"x": rows, "cvm": cvm, "use_cvm": False},
                    Seq(rows.array[:, 2:], rows.lod))

    def test_a_nan_stays_first(self):
        x = Seq(np.array([[np.nan], [1.0], [1.0], [np.nan]]), [[2, 2]])
        outputs, _ = cases.run("sequence_pool", {"x": x, "pooltype": "MAX"})
        np.testing.assert_array_equal(outputs[0].numpy(), [[np.nan], [1.0]])


class ConvTest(unittest.TestCase):

    def test_values(self):
        for lengths in LENGTHS:
            for length, start in ((3, -1), (1, 0), (4, -2), (2, 1), (2, -3), (9, -4)):
                x, filter = sequences(lengths, 2), values(2 * length, 3, seed=2)
                call = {"x": x, "filter": filter, "context_length": length,
                        "context_start": start}
                want = convolved(x, filter, length, start)
                cases.check(self, "sequence_conv", call, Seq(want, x.lod))
                padding = values(max(-start, 0) + max(start + length - 1, 0), 2, seed=3)
                want = convolved(x, filter, length, start, padding)
                cases.check(self, "sequence_conv",
                            {**call, "padding_data": padding, "padding_trainable": True},
                            Seq(want, x.lod))

    def test_gradients(self):
        for start in (-1, 1, -4):
            call = {"x": sequences([2, 0, 1], 2), "filter": values(6, 2, seed=2),
                    "context_length": 3, "context_start": start}
            cases.check_gradient(self, "sequence_conv", call, ["x", "filter"])
            call["padding_data"] = values(max(-start, 0) + max(start + 2, 0), 2, seed=3)
            call["padding_trainable"] = True
            cases.check_gradient(self, "sequence_conv", call, ["x", "filter", "padding_data"])


class RowsTest(unittest.TestCase):

    def test_softmax(self):
        for lengths in LENGTHS:
            for row in ((), (1,)):
                x = sequences(lengths, *row)
                rows = [np.exp(p - p.max()) / np.exp(p - p.max()).sum() if len(p) else p
                        for p in parts(x)]
                cases.check(self, "sequence_softmax", {"x": x},
                            Seq(joined(rows, x.array), x.lod))
        cases.check_gradient(self, "sequence_softmax", {"x": sequences([2, 0, 3], 1)}, ["x"])

    def test_reverse(self):
        for lengths in LENGTHS:
            x = sequences(lengths, 2)
            rows = [part[::-1] for part in parts(x)]
            cases.check(self, "sequence_reverse", {"x": x}, Seq(joined(rows, x.array), x.lod))
        cases.check_gradient(self, "sequence_reverse", {"x": sequences([2, 0, 3], 2)}, ["x"])

    def test_expand(self):
        for lengths in LENGTHS:
            y = sequences(lengths, 1)
            x = values(len(lengths), 2, seed=2)
            want = np.repeat(x, np.array(lengths, int), 0)
            cases.check(self, "sequence_expand", {"x": x, "y": y}, want)
            x = Seq(values(2 * len(lengths), 2), [[2] * len(lengths)])
            rows = [part for n, part in zip(lengths, parts(x)) for _ in range(n)]
            cases.check(self, "sequence_expand", {"x": x, "y": y},
                        Seq(joined(rows, x.array), [[2] * sum(lengths)]))
        y = Seq(values(5, 1), [[1, 2], [2, 0, 3]])
        x = values(2, 2)
        cases.check(self, "sequence_expand", {"x": x, "y": y, "ref_level": 0}, x[[0, 1, 1]])
        with self.assertRaisesRegex(IndexError, r"ref_level must be in \[-1, 2\)"):
            cases.run("sequence_expand", {"x": x, "y": y, "ref_level": 2})
        with self.assertRaisesRegex(ValueError, "x must be of 3 sequences.*, got 2"):
            cases.run("sequence_expand", {"x": x, "y": y})
        cases.check_gradient(self, "sequence_expand",
                             {"x": values(3, 2), "y": sequences([2, 0, 3], 1)}, ["x"])

    def test_expand_as(self):
        for lengths in LENGTHS:
            x, y = values(len(lengths), 2, seed=2), sequences(lengths, 1)
            want = np.repeat(x, np.array(lengths, int), 0)
            cases.check(self, "sequence_expand_as", {"x": x, "y": y}, Seq(want, y.lod))
        with self.assertRaisesRegex(ValueError, "x must be of 2 rows"):
            cases.run("sequence_expand_as", {"x": values(3, 2), "y": sequences([1, 1], 1)})
        cases.check_gradient(self, "sequence_expand_as",
                             {"x": values(3, 2), "y": sequences([2, 0, 3], 1)}, ["x"])

    def test_concat(self):
        for lengths in LENGTHS:
            x = [sequences(lengths, 2), sequences([n + 1 for n in lengths], 2, seed=2),
                 sequences(lengths[::-1], 2, seed=3)]
            rows = [np.concatenate(triple) for triple in zip(*map(parts, x))]
            cases.check(self, "sequence_concat", {"x": x},
                        Seq(joined(rows, x[0].array), [[len(row) for row in rows]]))
        with self.assertRaisesRegex(ValueError, "x must be tensors of 2 sequences"):
            cases.run("sequence_concat", {"x": [sequences([1, 2], 2), sequences([3], 2)]})
        cases.check_gradient(self, "sequence_concat",
                             {"x": [sequences([2, 0], 2), sequences([1, 3], 2, seed=2)]}, ["x"])

    def test_slice(self):
        x = sequences([2, 0, 4], 2)
        for dtype in (np.int32, np.int64):
            offset, length = np.array([[1], [0], [1]], dtype), np.array([[1], [0], [2]], dtype)
            cases.check(self, "sequence_slice", {"x": x, "offset": offset, "length": length},
                        Seq(x.array[[1, 3, 4]], [[1, 0, 2]]))
            cases.check_gradient(self, "sequence_slice",
                                 {"x": x, "offset": offset, "length": length}, ["x"])
        for offset, length, words in (([3, 0, 0], [0, 0, 0], r"offset must be in \[0, 2\], got 3"),
                                      ([1, 0, 0], [2, 0, 0], r"length must be in \[0, 1\], got 2"),
                                      ([0, 0, 0], [0, 0, -1], r"length must be in \[0, 4\]")):
            with self.assertRaisesRegex(IndexError, words):
                cases.run("sequence_slice",
                          {"x": x, "offset": np.array(offset), "length": np.array(length)})
        with self.assertRaisesRegex(ValueError, "offset must be of 3 elements"):
            cases.run("sequence_slice",
                      {"x": x, "offset": np.array([0]), "length": np.array([0, 0, 0])})

    def test_reshape(self):
        for lengths in LENGTHS:
            x = sequences([2 * n for n in lengths], 3)
            for width in (1, 2, 3, 6):
                want = x.array.reshape(-1, width)
                lod = [[6 * n // width for n in lengths]]
                cases.check(self, "sequence_reshape", {"x": x, "new_dim": width}, Seq(want, lod))
        with self.assertRaisesRegex(ValueError, "new_dim must be a divisor"):
            cases.run("sequence_reshape", {"x": sequences([1, 2], 4), "new_dim": 3})
        cases.check_gradient(self, "sequence_reshape",
                             {"x": sequences([2, 0, 4], 3), "new_dim": 6}, ["x"])

    def test_erase_and_enumerate(self):
        for lengths in LENGTHS:
            for row in ((), (1,)):
                x = sequences(lengths, *row, dtype=np.int64)
                rows = [part[~np.isin(part.reshape(-1), [0, 1, -3])] for part in parts(x)]
                cases.check(self, "sequence_erase", {"x": x, "tokens": [0, 1, -3]},
                            Seq(joined(rows, x.array), [[len(r) for r in rows]]))
                windows = [[*part.reshape(-1)[i:i + 3], 9, 9][:3]
                           for part in parts(x) for i in range(len(part))]
                cases.check(self, "sequence_enumerate",
                            {"x": x, "win_size": 3, "pad_value": 9},
                            Seq(np.array(windows, np.int64).reshape(-1, 3), x.lod))


    def test_scatter(self):
        for lengths in LENGTHS:
            x, updates = values(len(lengths), 4), sequences(lengths, 1, seed=2)
            ids = Seq(np.random.default_rng(3).integers(0, 4, (sum(lengths), 1)), updates.lod)
            want = x.copy()
            rows = np.repeat(np.arange(len(lengths)), lengths)
            np.add.at(want, (rows, ids.array[:, 0]), updates.array[:, 0])
            call = {"x": x, "ids": ids, "updates": updates}
            cases.check(self, "sequence_scatter", call, want)
            cases.check_gradient(self, "sequence_scatter", call, ["x", "updates"])
        for lengths, id, error, message in (
                ([1, 1], 4, IndexError, r"ids must be in \[0, 4\), got 4"),
                ([1, 1], -1, IndexError, r"ids must be in \[0, 4\), got -1"),
                ([2], 0, ValueError, "ids must be of 2 sequences, the rows of x, got 1")):
            with self.assertRaisesRegex(error, message):
                cases.run("sequence_scatter", {"x": values(2, 4), "updates": values(2, 1),
                                               "ids": Seq(np.array([[0], [id]]), [lengths])})


class ImagesTest(unittest.TestCase):

    def pieces(self, image, kernels, strides, paddings, size):
        """The pieces of one image [channels, height, width]."""
        up, left, down, right = paddings
        rows = (size[0] + up + down - kernels[0]) // strides[0] + 1
        columns = (size[1] + left + right - kernels[1]) // strides[1] + 1
        room = 20  # Around the image, for pieces beyond its own padding.
        around = np.pad(image, ((0, 0), (up, room), (left, room)))
        return [around[:, r:r + kernels[0], c:c + kernels[1]].reshape(-1)
                for r in np.arange(max(rows, 0)) * strides[0]
                for c in np.arange(max(columns, 0)) * strides[1]]

    def test_values(self):
        for kernels, strides, paddings in (((2, 2), (1, 1), (0, 0, 0, 0)),
                                           ((2, 1), (2, 1), (2, 1, 2, 1)),
                                           ((3, 2), (1, 3), (0, 1, 2, 0)),
                                           ((9, 1), (1, 1), (0, 0, 0, 0))):
            attrs = {"kernels": list(kernels), "strides": list(strides),
                     "paddings": list(paddings)}
            for images in (2, 0):
                x = values(images, 3, 4, 5)
                rows = [self.pieces(image, kernels, strides, paddings, (4, 5)) for image in x]
                want = np.array(sum(rows, [])).reshape(-1, 3 * kernels[0] * kernels[1])
                cases.check(self, "im2sequence", {"x": x, **attrs},
                            Seq(want, [[len(row) for row in rows]]))
            x, real = values(2, 3, 4, 5), np.array([[7.0, 10.0], [8.0, 5.0]])
            rows = [self.pieces(image, kernels, strides, paddings, size)
                    for image, size in zip(x, ((4, 5), (4, 3)))]
            want = np.array(sum(rows, [])).reshape(-1, 3 * kernels[0] * kernels[1])
            call = {"x": x, "y": real, "out_stride": [2, 2], **attrs}
            cases.check(self, "im2sequence", call, Seq(want, [[len(row) for row in rows]]))
            cases.check_gradient(self, "im2sequence", call, ["x"])


class SamplesTest(unittest.TestCase):

    def test_invalid(self):
        self.assertGreater(cases.check_invalid(self, "sequence"), 25)
        self.assertGreater(cases.check_invalid(self, "recommendation"), 10)

    def test_sequences_are_needed(self):
        cases.check_sequences_are_needed(self, "sequence", (
            "sequence_pool", "sequence_conv", "sequence_softmax", "sequence_expand",
            "sequence_expand_as", "sequence_reverse", "sequence_concat", "sequence_slice",
            "sequence_reshape", "sequence_erase", "sequence_enumerate"))

    def test_every_kernel(self):
        def calls():
            for dtype in (np.int32, np.int64, np.float32, np.float64):
                x = sequences([2, 0, 4], 2, dtype=dtype)
                y = sequences([1, 2, 0], 1)
                column = sequences([2, 1], 1, dtype=dtype)
                grad = ["x"] if np.dtype(dtype).kind == "f" else []
                counts = np.array([1, 0, 2])
                yield "sequence_reverse", {"x": x}, grad
                yield "sequence_expand", {"x": x, "y": y}, grad
                yield "sequence_expand_as", {"x": x.array[:3], "y": y}, grad
                yield "sequence_concat", {"x": [x, x]}, grad
                yield "sequence_slice", {"x": x, "offset": counts, "length": counts}, grad
                yield "sequence_reshape", {"x": x, "new_dim": 4}, grad
                yield "sequence_scatter", {
                    "x": values(2, 3, dtype=dtype), "updates": values(3, 1, dtype=dtype),
                    "ids": Seq(np.array([[0], [1], [2]]), [[1, 2]])}, grad
                if not grad:
                    yield "sequence_erase", {"x": column, "tokens": [1]}, []
                    yield "sequence_enumerate", {"x": column, "win_size": 2}, []
                    continue
                yield "im2sequence", {"x": values(1, 1, 2, 2, dtype=dtype),
                                      "kernels": [2, 1]}, grad
                yield "sequence_pool", {"x": x}, grad
                yield "sequence_softmax", {"x": column}, grad
                yield "sequence_conv", {"x": x, "filter": values(4, 3, dtype=dtype),
                                        "context_length": 2}, ["x", "filter"]
        missing, count = cases.missing_kernels("sequence", calls())
        self.assertGreater(count, 40)
        self.assertEqual([], missing)


if __name__ == "__main__":
    unittest.main()
