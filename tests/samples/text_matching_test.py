# SPDX-License-Identifier: Apache-2.0
"""Operators on pairs of texts and on trees, against loops in NumPy."""
import unittest

import numpy as np

from tests.samples import sequence_cases as cases
from tests.samples.sequence_cases import Seq, parts, sequences, values
import switchyard as sy

HEIGHTS, WIDTHS = ([2, 0, 3], [1], [0], []), ([3, 2, 1], [4], [2], [])


def matrices(heights, widths, layers, seed=1, dtype=np.float64):
    """A sequence of layers * height * width elements each, and the two that say how large."""
    lengths = [layers * h * w for h, w in zip(heights, widths)]
    return (Seq(values(sum(lengths), 1, seed=seed, dtype=dtype), [lengths]),
            sequences(heights, 2, seed=7, dtype=dtype), sequences(widths, 3, seed=8, dtype=dtype))


def shaped(x, heights, widths, layers):
    return [part.reshape(layers, h, w) for part, h, w in zip(parts(x), heights, widths)]


def pooled(x, heights, widths, layers, topks):
    """The means of each row of each matrix."""
    means = []
    for one in shaped(x, heights, widths, layers):
        for row in range(one.shape[1]):
            for layer in range(layers):
                order = np.argsort(-one[layer, row], kind="stable")[:max(topks)]
                best = one[layer, row][order]
                means.append([best[:k].sum() / k for k in topks])
    return np.array(means).reshape(sum(heights), layers * len(topks))


def convolved(x, heights, widths, w, call):
    """The images of each convolution."""
    images = []
    inner, kh, kw = call["input_channel"], call["kernel_h"], call["kernel_w"]
    for one in shaped(x, heights, widths, inner):
        high = -(-one.shape[1] // call["stride_h"])
        wide = -(-one.shape[2] // call["stride_w"])
        column = np.zeros((inner, kh, kw, high, wide))
        for at in np.ndindex(kh, kw, high, wide):
            y = at[2] * call["stride_h"] + at[0] - kh // 2
            z = at[3] * call["stride_w"] + at[1] - kw // 2
            if 0 <= y < one.shape[1] and 0 <= z < one.shape[2]:
                column[(slice(None), *at)] = one[:, y, z]
        images.append((w @ column.reshape(inner * kh * kw, high * wide)).reshape(-1, 1))
    return Seq(np.concatenate([np.zeros((0, 1)), *images]), [[len(one) for one in images]])


def tree_sums(nodes, edges, filters, depth):
    out = np.zeros((*nodes.shape[:2], *filters.shape[2:]))
    for item in range(len(nodes)):
        children, count = {}, 1
        for parent, child in edges[item]:
            if parent == 0 or child == 0:
                break
            children.setdefault(int(parent), []).append(int(child))
            count += 1
        for root in range(1, count + 1):
            window, todo = np.zeros((nodes.shape[2], 3)), [(root, 0.0, 0)]
            while todo:
                node, place, level = todo.pop()
                top = (depth - level) / depth
                left = (1 - top) * place
                window += np.outer(nodes[item, node - 1], [left, (1 - top) * (1 - left), top])
                below = children.get(node, []) if level + 1 < depth else []
                for i, child in enumerate(below):
                    share = 0.5 if len(below) == 1 else i / (len(below) - 1)
                    todo.append((child, share, level + 1))
            out[item, root - 1] = np.einsum("fk,fkon->on", window, filters)
    return out


def convolution(heights, widths, dtype=np.float64):
    x, row, column = matrices(heights, widths, 2, dtype=dtype)
    return {"x": x, "row": row, "column": column, "w": values(3, 12, seed=3, dtype=dtype),
            "input_channel": 2, "output_channel": 3, "kernel_h": 3, "kernel_w": 2,
            "stride_h": 2, "stride_w": 1}


def matching(heights, widths, dtype=np.float64):
    return {"x": sequences(heights, 4, dtype=dtype), "y": sequences(widths, 3, seed=2, dtype=dtype),
            "w": values(4, 2, 3, seed=3, dtype=dtype), "dim_t": 2}


EDGES = np.array([[[1, 2], [1, 3], [1, 4], [3, 5], [0, 0], [5, 1]],
                  [[2, 1], [2, 3], [0, 0], [0, 0], [0, 0], [0, 0]]], np.int32)


def trees(depth, dtype=np.float64):
    return {"nodes_vector": values(2, 6, 3, dtype=dtype), "edge_set": EDGES,
            "filter": values(3, 3, 2, 2, seed=2, dtype=dtype), "max_depth": depth}


class TextMatchingTest(unittest.TestCase):

    def test_match_matrix_tensor(self):
        for heights, widths in zip(HEIGHTS, WIDTHS):
            call = matching(heights, widths)
            turned = np.einsum("ih,hto->ito", call["x"].array, call["w"])
            found = [np.einsum("ito,jo->tij", a, b).reshape(-1, 1) for a, b in zip(
                parts(Seq(turned, call["x"].lod)), parts(call["y"]))]
            want = Seq(np.concatenate([np.zeros((0, 1)), *found]), [[len(one) for one in found]])
            cases.check(self, "match_matrix_tensor", call, want)
            cases.check_gradient(self, "match_matrix_tensor", call, ["x", "y", "w"])

    def test_sequence_topk_avg_pooling(self):
        for heights, widths in zip(HEIGHTS, WIDTHS):
            for topks in ([1, 3], [2]):
                x, row, column = matrices(heights, widths, 2)
                call = {"x": x, "row": row, "column": column, "topks": topks, "channel_num": 2}
                means = pooled(x, heights, widths, 2, topks)
                cases.check(self, "sequence_topk_avg_pooling", call, Seq(means, row.lod))
                cases.check_gradient(self, "sequence_topk_avg_pooling", call, ["x"])

    def test_the_earlier_of_equals_and_a_nan_come_first(self):
        slots = {"X": sy.tensor(np.array([[1], [2], [2], [np.nan], [0]]), lod=[[5]]),
                 "ROW": sy.tensor(np.ones((1, 1)), lod=[[1]]),
                 "COLUMN": sy.tensor(np.ones((5, 1)), lod=[[5]])}
        found = sy.legacy.run("sequence_topk_avg_pooling", slots,
                              {"topks": [3, 7], "channel_num": 1})
        self.assertEqual(found["pos"].numpy().tolist(), [3, 1, 2, 0, 4, -1, -1])

    def test_var_conv_2d(self):
        for heights, widths in zip(HEIGHTS, WIDTHS):
            call = convolution(heights, widths)
            cases.check(self, "var_conv_2d", call,
                        convolved(call["x"], heights, widths, call["w"], call))
            cases.check_gradient(self, "var_conv_2d", call, ["x", "w"])

    def test_tree_conv(self):
        for depth in (1, 2, 3):
            call = trees(depth)
            cases.check(self, "tree_conv", call, tree_sums(
                call["nodes_vector"], EDGES, call["filter"], depth))
            cases.check_gradient(self, "tree_conv", call, ["nodes_vector", "filter"])

    def test_a_ring_of_nodes_ends(self):
        ring = np.array([[[1, 2], [2, 3], [3, 1]]], np.int32)
        outputs, _ = cases.run("tree_conv", {
            "nodes_vector": np.ones((1, 4, 1)), "edge_set": ring,
            "filter": np.ones((1, 3, 1, 1)), "max_depth": 1000})
        self.assertTrue(np.isfinite(outputs[0].numpy()).all())

    def test_extents_must_fit(self):
        call = convolution([2, 1], [3, 2])
        for wrong in ({"row": sequences([2], 2)}, {"x": sequences([12, 5], 1)}):
            with self.assertRaisesRegex(ValueError, r"^var_conv_2d: \w+ must be .*, got "):
                cases.run("var_conv_2d", {**call, **wrong})


class SamplesTest(unittest.TestCase):

    def test_invalid(self):
        self.assertEqual(cases.check_invalid(self, "text_matching"), 21)

    def test_every_kernel(self):
        def calls():
            for dtype in (np.float32, np.float64):
                yield "match_matrix_tensor", matching([2], [3], dtype), ["x", "y", "w"]
                x, row, column = matrices([2], [3], 2, dtype=dtype)
                yield "sequence_topk_avg_pooling", {
                    "x": x, "row": row, "column": column, "topks": [2], "channel_num": 2}, ["x"]
                yield "var_conv_2d", convolution([2], [3], dtype), ["x", "w"]
                yield "tree_conv", trees(2, dtype), ["nodes_vector", "filter"]
        missing, count = cases.missing_kernels("text_matching", calls())
        self.assertEqual((missing, count), ([], 16))


if __name__ == "__main__":
    unittest.main()
