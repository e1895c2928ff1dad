# SPDX-License-Identifier: Apache-2.0
"""Losses over many classes, and classes by hash, against plain arithmetic on each row, with gradients."""
import unittest

import numpy as np

from tests.samples import sequence_cases as cases
from tests.samples.sequence_cases import Seq, values
import switchyard as sy


def decisions(label, classes):
    """[(node, bit)] on the way from the leaf `label` up to the root of the complete tree."""
    leaf, way = label + classes, []
    while leaf > 1:
        way.append((leaf // 2 - 1, leaf % 2))
        leaf //= 2
    return way


def losses(x, ways, w, bias, depth):
    """The loss of each row; a step that a way lacks counts log 2."""
    out = np.zeros((len(x), 1))
    for i, way in enumerate(ways):
        for node, bit in way:
            z = np.clip(w[node] @ x[i] + bias[node], -40, 40)
            out[i] += np.log1p(np.exp(z)) - bit * z
        out[i] += (depth - len(way)) * np.log(2.0)
    return out


class TreeTest(unittest.TestCase):

    def test_complete_tree(self):
        for classes in (2, 3, 5, 8):
            label = np.arange(6).reshape(-1, 1) % classes
            x, w, bias = values(6, 4), values(classes - 1, 4, seed=2), values(classes - 1, 1, seed=3)
            call = {"x": x, "label": label, "w": w, "bias": bias, "num_classes": classes}
            ways = [decisions(int(one), classes) for one in label[:, 0]]
            depth = (classes - 1).bit_length()
            want = losses(x, ways, w, bias[:, 0], depth)
            cases.check(self, "hsigmoid_loss", call, want)
            cases.check_gradient(self, "hsigmoid_loss", call, ["x", "w", "bias"])
            del call["bias"]
            cases.check(self, "hsigmoid_loss", call, losses(x, ways, w, 0 * bias[:, 0], depth))
            cases.check_gradient(self, "hsigmoid_loss", call, ["x", "w"])

    def test_ways_of_their_own(self):
        path = np.array([[0, 2, -1], [1, -1, 2], [3, 0, 1]])
        code = np.array([[1, 0, 1], [0, 1, 1], [1, 1, 0]])
        ways = [[(0, 1), (2, 0)], [(1, 0)], [(3, 1), (0, 1), (1, 0)]]
        x, w, bias = values(3, 2), values(4, 2, seed=2), values(4, seed=3)
        call = {"x": x, "label": np.zeros(3, np.int64), "w": w, "bias": bias, "path": path, "code": code}
        cases.check(self, "hsigmoid_loss", call, losses(x, ways, w, bias, 3))
        cases.check_gradient(self, "hsigmoid_loss", call, ["x", "w", "bias"])
        call["path"] = path + 3
        with self.assertRaisesRegex(IndexError, "path must be less than 4, the rows of w, got 5"):
            cases.run("hsigmoid_loss", call)

    def test_labels(self):
        for label in (-1, 5):
            with self.assertRaisesRegex(IndexError, rf"label must be in \[0, 5\), got {label}"):
                cases.run("hsigmoid_loss", {"x": values(1, 2), "label": np.array([label]),
                                            "w": values(4, 2), "num_classes": 5})


class HashTest(unittest.TestCase):

    def test_known(self):
        # xxHash64 of eight bytes of 0, as PaddlePaddle 2.6.2 gives it; more in tests/paddle_programs and optest.
        rows = np.zeros((1, 1), np.int64)
        out = sy.ops.row_hash(sy.tensor(rows), 1, 1 << 62).numpy()
        self.assertEqual(int(out[0, 0, 0]), 0x34c96acdcadb1bbb % (1 << 62))

    def test_shape_and_sequences(self):
        for dtype in (np.int32, np.int64):
            x = Seq(np.arange(15).reshape(3, 5).astype(dtype), [[2, 1]])
            out = sy.ops.row_hash(sy.tensor(x.array, lod=x.lod), 3, 97)
            self.assertEqual((out.shape, out.lod, out.dtype), ((3, 3, 1), [[2, 1]], "int64"))
            self.assertTrue(np.all((0 <= out.numpy()) & (out.numpy() < 97)))
            again = sy.ops.row_hash(sy.tensor(x.array[1:2]), 3, 97)
            np.testing.assert_array_equal(again.numpy(), out.numpy()[1:2])


class SamplesTest(unittest.TestCase):

    def test_invalid(self):
        self.assertGreater(cases.check_invalid(self, "many_classes"), 15)

    def test_every_kernel(self):
        def calls():
            for dtype in (np.float32, np.float64):
                yield "hsigmoid_loss", {"x": values(2, 3, dtype=dtype), "label": np.array([0, 1]),
                                        "w": values(1, 3, dtype=dtype)}, ["x", "w"]
            for dtype in (np.int32, np.int64):
                yield "row_hash", {"x": values(2, 3, dtype=dtype)}, []
        missing, count = cases.missing_kernels("many_classes", calls())
        self.assertEqual((missing, count), ([], 6))


if __name__ == "__main__":
    unittest.main()
