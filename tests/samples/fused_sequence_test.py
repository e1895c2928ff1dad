# SPDX-License-Identifier: Apache-2.0
"""Operators that are made of several on sequences, against these."""
import unittest

import numpy as np

from tests.samples import sequence_cases as cases
from tests.samples.sequence_cases import LENGTHS, Seq, joined, parts, sequences, values


def lstm_of(x, call):
    return cases.run("lstm", {"input": x, **call})[0]


def gru_of(x, weight_x, weight_h, bias, **attrs):
    call = {"x": x, "weight_x": weight_x, "weight_h": weight_h, "bias": bias, **attrs}
    return cases.run("fusion_gru", call)[0][0].numpy()


def sigmoid(v):
    return 1 / (1 + np.exp(-v))


def attended(rows, call, i):
    """(states, cells) of attention_lstm over the rows of sequence i."""
    width, inner = call["c0"].shape[1], rows.shape[1]
    cell = call["c0"][i]
    state = call["h0"][i] if "h0" in call else np.zeros(width)
    states, cells = np.zeros((0, width)), np.zeros((0, width))
    for _ in rows:
        score = rows @ call["attention_weight"][:inner, 0] + call.get("attention_bias", [[0]])[0][0]
        score = np.maximum(score + cell @ call["attention_weight"][inner:, 0], 0)
        if "attention_scalar" in call:
            score = score * call["attention_scalar"][0, 0]
            score = np.maximum(score + call.get("attention_scalar_bias", [[0]])[0][0], 0)
        share = np.exp(score) / np.exp(score).sum()
        weight = call["lstm_weight"]
        gates = state @ weight[:width] + (share @ rows) @ weight[width:] + call["lstm_bias"][0]
        forget, take, show, new = np.split(gates, 4)
        cell = sigmoid(forget) * cell + sigmoid(take) * np.tanh(new)
        state = sigmoid(show) * np.tanh(cell)
        states, cells = np.vstack([states, state]), np.vstack([cells, cell])
    return states, cells


class FusedSequenceTest(unittest.TestCase):

    def test_lstm_attends_to_its_sequence(self):
        for lengths in LENGTHS:
            x, count = sequences(lengths, 4), len(lengths)
            call = {"c0": values(count, 3, seed=2), "attention_weight": values(7, 1, seed=3),
                    "lstm_weight": values(7, 12, seed=4), "lstm_bias": values(1, 12, seed=5)}
            more = {"h0": values(count, 3, seed=6), "attention_bias": values(1, 1, seed=7),
                    "attention_scalar": values(1, 1, seed=8),
                    "attention_scalar_bias": values(1, 1, seed=9)}
            for given in (call, {**call, **more}):
                found = [attended(rows, given, i) for i, rows in enumerate(parts(x))]
                for dtype, tolerance in ((np.float64, 1e-12), (np.float32, 1e-5)):
                    wanted = (Seq(joined([each[k] for each in found], np.zeros((0, 3))).astype(
                        dtype), x.lod) for k in (0, 1))
                    narrow = {name: value.astype(dtype) for name, value in given.items()}
                    cases.check(self, "attention_lstm",
                                {"x": Seq(x.array.astype(dtype), x.lod), **narrow}, *wanted,
                                tolerance=tolerance)

    def test_lstm_of_embeddings_reads_no_bias_of_gates(self):
        table, weight = values(5, 8), values(2, 8, seed=2)
        for lengths in LENGTHS:
            ids = np.random.default_rng(3).integers(0, 5, (sum(lengths), 1))
            x = Seq(table[ids[:, 0]], [list(lengths)])
            for peepholes, is_reverse in ((True, False), (False, True)):
                bias = values(1, 14 if peepholes else 8, seed=4)
                bare = bias.copy()
                bare[:, :8] = 0
                rest = {"use_peepholes": peepholes, "is_reverse": is_reverse,
                        "h0": values(len(lengths), 2, seed=5),
                        "c0": values(len(lengths), 2, seed=6)}
                want = lstm_of(x, {"weight": weight, "bias": bare, **rest})
                cases.check(self, "fused_embedding_fc_lstm", {
                    "ids": Seq(ids, x.lod), "embeddings": table, "weight_h": weight,
                    "bias": bias, **rest}, *(Seq(one.numpy(), x.lod) for one in want[:2]))

    def test_rows_are_expanded_beside_sequences(self):
        weight, bias = values(7, 5, seed=2), values(1, 5, seed=3)
        acts = {"identity": lambda v: v, "relu": lambda v: np.maximum(v, 0), "tanh": np.tanh,
                "sigmoid": lambda v: 1 / (1 + np.exp(-v))}
        for lengths in LENGTHS:
            x, row = sequences(lengths, 4), values(len(lengths), 3, seed=4)
            both = [np.concatenate([part, np.repeat(row[i:i + 1], len(part), 0)], 1)
                    for i, part in enumerate(parts(x))]
            product = joined(both, np.zeros((0, 7))) @ weight
            for name, act in acts.items():
                call = {"x": [x, Seq(row, [[1] * len(lengths)])], "weight": weight,
                        "activation": name}
                cases.check(self, "fusion_seqexpand_concat_fc", call,
                            Seq(act(product), x.lod))
                cases.check(self, "fusion_seqexpand_concat_fc", {**call, "bias": bias},
                            Seq(act(product + bias), x.lod))

    def test_layers_of_gru_run_both_ways(self):
        for lengths in ([2, 1, 3], [1]):
            x = sequences(lengths, 4)
            weight_x = [values(4, 9, seed=i) for i in (2, 3)] + [values(6, 6, seed=i) for i in (4, 5)]
            weight_h = [values(3, 9, seed=i) for i in (6, 7)] + [values(2, 6, seed=i) for i in (8, 9)]
            bias = [values(1, 9, seed=i) for i in (1, 2)] + [values(1, 6, seed=i) for i in (3, 4)]
            for origin_mode in (False, True):
                want = x
                for i in (0, 2):
                    want = Seq(np.concatenate(
                        [gru_of(want, weight_x[i + j], weight_h[i + j], bias[i + j],
                                is_reverse=j == 1, origin_mode=origin_mode)
                         for j in (0, 1)], 1), x.lod)
                outputs, _ = cases.run("multi_gru", {
                    "x": x, "weight_x": weight_x, "weight_h": weight_h, "bias": bias, "layers": 2,
                    "origin_mode": origin_mode})
                np.testing.assert_allclose(outputs[0].numpy(), want.array, rtol=1e-12)
                self.assertEqual(outputs[0].lod, want.lod)


class InvalidTest(unittest.TestCase):

    def test_invalid_samples(self):
        cases.check_invalid(self, "fused_sequence")


if __name__ == "__main__":
    unittest.main()
