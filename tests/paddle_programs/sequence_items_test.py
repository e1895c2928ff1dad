# SPDX-License-Identifier: Apache-2.0
"""Programs of one operator, by number of the study's items: recurrent networks as real programs have them (9), and
operators that PaddlePaddle has no longer (14), against NumPy."""
import pathlib
import tempfile
import unittest

import numpy as np

import switchyard as sy

import program_desc
from program_desc import Block, Op, Variable

_DTYPES = {"int32": 2, "int64": 3, "float32": program_desc.FLOAT32}
LENGTHS = (2, 0, 3)


def normal(*shape, seed=8):
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def sequences(*row, lengths=LENGTHS, seed=8):
    return sy.tensor(normal(sum(lengths), *row, seed=seed), lod=[list(lengths)])


def run(op_type, slots, attrs, outputs, levels=None):
    """The outputs (slots, of which those in ``levels`` are described with a level of sequences) of a program of
    one operator. ``slots``: a feed, or a list of feeds, by slot."""
    feeds, inputs = {}, {}
    for slot, value in slots.items():
        several = value if isinstance(value, list) else [value]
        inputs[slot] = [f"{slot}_{i}" for i in range(len(several))]
        feeds.update(zip(inputs[slot], several))
    variables = [Variable(name, tuple(feed.shape), _DTYPES[str(feed.dtype)],
                          lod_level=len(getattr(feed, "lod", None) or ()))
                 for name, feed in feeds.items()]
    variables += [Variable(name, None) for name in outputs]
    ports = [Op("feed", {"X": ["feed"]}, {"Out": [name]}, {"col": i}) for i, name in enumerate(feeds)]
    fetches = [Op("fetch", {"X": [name]}, {"Out": ["fetch"]}, {"col": i}) for i, name in enumerate(outputs)]
    call = Op(op_type, inputs, {slot: [slot] for slot in outputs}, attrs)
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "__model__").write_bytes(
            program_desc.write([Block(variables, [*ports, call, *fetches])]))
        got = sy.load(folder).run(feeds, tensors=True)
    for slot in levels or ():
        assert got[slot].lod is not None
    return [got[name].numpy() for name in outputs]


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def over_sequences(x, step, states, is_reverse):
    """[rows of each state], by sequence from zeros."""
    rows = [[] for _ in range(states)]
    at = 0
    for length in LENGTHS:
        now, seen = [np.zeros(2)] * states, []
        part = x[at:at + length].astype(np.float64)
        for row in part[::-1] if is_reverse else part:
            now = step(row, *now)
            seen.append(now)
        for all_rows, kept in zip(rows, zip(*(seen[::-1] if is_reverse else seen))):
            all_rows += kept
        at += length
    return [np.stack(one) for one in rows]


def lstm_layer(x, w_ih, w_hh, b_ih, b_hh, h, c, backwards):
    """(states [steps, batch, width], last h, last c) of a layer whose gates are i, f, c and o."""
    out = [None] * len(x)
    for t in range(len(x))[::-1] if backwards else range(len(x)):
        i, f, g, o = np.split(x[t] @ w_ih.T + h @ w_hh.T + b_ih + b_hh, 4, axis=1)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
        out[t] = h
    return np.stack(out), h, c


class Item9Test(unittest.TestCase):
    def near(self, got, want):
        self.assertEqual(got.shape, want.shape)
        np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-5)

    def test_item_9_lstm_with_peepholes(self):
        x, weight, bias = sequences(8), normal(2, 8, seed=2), normal(1, 14, seed=3)
        peep = np.split(bias[0, 8:], 3)
        acts = {"tanh": np.tanh, "relu": lambda v: np.maximum(v, 0), "sigmoid": sigmoid}
        for is_reverse, candidate, cell in ((False, "tanh", "tanh"), (True, "relu", "sigmoid")):
            def step(row, h, c, candidate=candidate, cell=cell):
                new, i, f, o = np.split(row + h @ weight + bias[0, :8], 4)
                after = sigmoid(f + peep[1] * c) * c + sigmoid(i + peep[0] * c) * acts[candidate](new)
                return [sigmoid(o + peep[2] * after) * acts[cell](after), after]
            attrs = {"use_peepholes": True, "is_reverse": is_reverse, "gate_activation": "sigmoid",
                     "cell_activation": cell, "candidate_activation": candidate}
            want = over_sequences(x.numpy(), step, 2, is_reverse)
            got = run("lstm", {"Input": x, "Weight": weight, "Bias": bias}, attrs, ["Hidden", "Cell"],
                      ["Hidden", "Cell"])
            for one, other in zip(got, want):
                self.near(one, other)

    def test_item_9_gru_in_both_directions(self):
        x, weight, bias = sequences(6), normal(2, 6, seed=2), normal(1, 6, seed=3)
        both, last = weight.reshape(-1)[:8].reshape(2, 4), weight.reshape(-1)[8:].reshape(2, 2)

        def step(row, h):
            row = row + bias[0]
            u, r = np.split(sigmoid(row[:4] + h @ both), 2)
            return [u * np.tanh(row[4:] + (r * h) @ last) + (1 - u) * h]
        for is_reverse in (False, True):
            attrs = {"activation": "tanh", "gate_activation": "sigmoid", "origin_mode": False,
                     "is_reverse": is_reverse}
            got, = run("gru", {"Input": x, "Weight": weight, "Bias": bias}, attrs, ["Hidden"], ["Hidden"])
            self.near(got, over_sequences(x.numpy(), step, 1, is_reverse)[0])

    def test_item_9_rnn_of_two_layers_in_both_directions(self):
        """The weights of all layers and directions come first, then all biases."""
        steps, batch, size, width = 3, 2, 4, 3
        x = normal(steps, batch, size)
        h0, c0 = normal(4, batch, width, seed=2), normal(4, batch, width, seed=3)
        weights = [normal(4 * width, extent, seed=10 + i) for i, extent in
                   enumerate([size, width, size, width, 2 * width, width, 2 * width, width])]
        biases = [normal(4 * width, seed=30 + i) for i in range(8)]
        want, states = x.astype(np.float64), []
        for layer in range(2):
            halves = []
            for k in (2 * layer, 2 * layer + 1):
                out, h, c = lstm_layer(want, weights[2 * k], weights[2 * k + 1], biases[2 * k], biases[2 * k + 1],
                                       h0[k], c0[k], k % 2 == 1)
                halves.append(out)
                states.append((h, c))
            want = np.concatenate(halves, axis=2)
        attrs = {"mode": "LSTM", "num_layers": 2, "is_bidirec": True, "hidden_size": width, "input_size": size,
                 "is_test": True, "dropout_prob": 0.0, "seed": 0}
        slots = {"Input": x, "PreState": [h0, c0], "WeightList": weights + biases}
        got, = run("rnn", slots, attrs, ["Out"])
        self.near(got, want)


class Item14Test(unittest.TestCase):
    def test_item_14_iou_similarity(self):
        x = np.float32([[0, 0, 2, 2], [0, 0, 1, 1]])
        y = np.float32([[1, 1, 3, 3], [5, 5, 6, 6]])
        got, = run("iou_similarity", {"X": x, "Y": y}, {"box_normalized": True}, ["Out"])
        np.testing.assert_allclose(got, [[1 / 7, 0], [0, 0]], rtol=1e-6)

    def test_item_14_sequence_pad(self):
        x, pad = sequences(2), np.float32([7])
        out, length = run("sequence_pad", {"X": x, "PadValue": pad}, {"padded_length": 4}, ["Out", "Length"])
        want, at = np.full((3, 4, 2), 7, np.float32), 0
        for i, count in enumerate(LENGTHS):
            want[i, :count] = x.numpy()[at:at + count]
            at += count
        np.testing.assert_array_equal(out, want)
        np.testing.assert_array_equal(length, LENGTHS)

    def test_item_14_smooth_l1_loss(self):
        x, y = np.float32([[0, 2], [1, -3]]), np.float32([[0.5, 0], [1, 0]])
        diff, out = run("smooth_l1_loss", {"X": x, "Y": y}, {"sigma": 1.0}, ["Diff", "Out"])
        np.testing.assert_array_equal(diff, x - y)
        np.testing.assert_allclose(out, [[0.125 + 1.5], [2.5]], rtol=1e-6)

    def test_item_14_multiclass_nms2(self):
        """Two boxes overlap by 0.81 of their union's area; the third is alone."""
        boxes = np.float32([[[0, 0, 10, 10], [0, 0, 9, 9], [20, 20, 30, 30]]])
        scores = np.float32([[[0, 0, 0], [0.9, 0.8, 0.7]]])
        attrs = {"background_label": 0, "score_threshold": 0.1, "nms_top_k": 10, "nms_threshold": 0.5, "nms_eta": 1.0,
                 "keep_top_k": 10, "normalized": True}
        out, index = run("multiclass_nms2", {"BBoxes": boxes, "Scores": scores}, attrs, ["Out", "Index"], ["Out"])
        np.testing.assert_allclose(out, [[1, 0.9, 0, 0, 10, 10], [1, 0.7, 20, 20, 30, 30]], rtol=1e-6)
        np.testing.assert_array_equal(index.reshape(-1), [0, 2])

    def test_item_14_target_assign(self):
        """Rows of X for what is matched, else `mismatch_value` with a weight of 0."""
        x = sy.tensor(np.float32([[[1, 2]], [[3, 4]], [[5, 6]]]), lod=[[2, 1]])
        match = np.int32([[1, -1, 0], [-1, 0, -1]])
        out, weight = run("target_assign", {"X": x, "MatchIndices": match}, {"mismatch_value": 9},
                          ["Out", "OutWeight"])
        np.testing.assert_array_equal(out, [[[3, 4], [9, 9], [1, 2]], [[9, 9], [5, 6], [9, 9]]])
        np.testing.assert_array_equal(weight.reshape(2, 3), [[1, 0, 1], [0, 1, 0]])

    def test_item_14_mine_hard_examples(self):
        """For one match two negatives, those of the largest losses that match nothing well."""
        loss = np.float32([[0.1, 0.9, 0.3, 0.8]])
        match, distance = np.int32([[0, -1, -1, -1]]), np.float32([[0.9, 0.1, 0.2, 0.7]])
        attrs = {"mining_type": "max_negative", "neg_dist_threshold": 0.5, "neg_pos_ratio": 2.0, "sample_size": 0}
        negative, updated = run("mine_hard_examples",
                                {"ClsLoss": loss, "MatchIndices": match, "MatchDist": distance}, attrs,
                                ["NegIndices", "UpdatedMatchIndices"], ["NegIndices"])
        np.testing.assert_array_equal(negative.reshape(-1), [1, 2])
        np.testing.assert_array_equal(updated, match)


if __name__ == "__main__":
    unittest.main()
