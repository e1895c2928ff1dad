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


class FusedSequenceTest(unittest.TestCase):

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
