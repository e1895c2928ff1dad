# SPDX-License-Identifier: Apache-2.0
"""More of what is not read (unread_elements_test.py), and that each public function
with an argument that may leave elements out has a case."""

import inspect
import unittest

import argument_names
import numpy as np
from unread_elements_test import CASES, KL, Case, labels, normal, places

import switchyard as sy
from switchyard import nn

F = nn.functional
ROW = places((2, 3), 1)
COLUMN = sy.tensor([[True, False, True], [False, True, True]])
HIDDEN = sy.tensor([[False, True, False]])


def weights(*values, dtype="float32"):
    return sy.tensor(np.array(values, dtype))


def transformer(make, call):
    """A layer without dropout: of the words x [1, 3, 4] the second is hidden."""
    sy.seed(0)
    layer = make().eval()
    return Case(lambda x: call(layer, x)[:, ::2],
                (normal(1, 3, 4), places((1, 3, 4), np.s_[:, 1])))


def packed(x):
    both = nn.utils.rnn.pack_padded_sequence(
        x, labels(3, 1), batch_first=True, enforce_sorted=False)
    return nn.utils.rnn.pad_packed_sequence(both, batch_first=True)[0]


WORDS = sy.tensor(normal(1, 3, 4))
MORE = {
    "masked_scatter": Case(
        lambda x, y: sy.masked_scatter(x, COLUMN, y),
        (normal(2, 3), COLUMN.numpy()), (normal(2, 3), places((2, 3), (1, 1), (1, 2)))),
    "linear_cross_entropy": Case(
        lambda x, w: F.linear_cross_entropy(x, w, labels(2, -100)),
        (normal(2, 3), ROW), (normal(5, 3), places((5, 3)))),
    "multi_margin_loss": Case(
        lambda x: F.multi_margin_loss(x, labels(0, 1), weight=weights(1, 0, 2)),
        (normal(2, 3), ROW)),
    "multilabel_soft_margin_loss": Case(
        lambda x: F.multilabel_soft_margin_loss(
            x, weights([0, 1, 1], [1, 0, 1]), weight=weights(1, 0, 2)),
        (normal(2, 3), places((2, 3), np.s_[:, 1]))),
    "embedding_bag by weights": Case(
        lambda w: F.embedding_bag(labels([0, 1]), w, mode="sum",
                                  per_sample_weights=weights([2, 0])),
        (normal(3, 2), places((3, 2), [1, 2]))),
    "cov of weight 0": Case(
        lambda x: sy.cov(x, aweights=weights(1, 0, 2)),
        (normal(2, 3), places((2, 3), np.s_[:, 1]))),
    "cov of frequency 0": Case(
        lambda x: sy.cov(x, fweights=labels(1, 0, 2)),
        (normal(2, 3), places((2, 3), np.s_[:, 1]))),
    "pack_padded_sequence": Case(
        packed, (normal(2, 3, 2), places((2, 3, 2), (1, np.s_[1:])))),
    "TransformerDecoderLayer": transformer(
        lambda: nn.TransformerDecoderLayer(4, 2, 3),
        lambda layer, x: layer(WORDS, x, memory_key_padding_mask=HIDDEN)),
    "MultiheadAttention": transformer(
        lambda: nn.MultiheadAttention(4, 2, batch_first=True),
        lambda layer, x: layer(WORDS, x, x, key_padding_mask=HIDDEN)[0]),
    "ops.viterbi_decode": Case(
        lambda x: sy.ops.viterbi_decode(x, sy.zeros([3, 3]), labels(2, 3),
                                        False)[0] + 0.0 * x[:, 0, 0],
        (normal(2, 3, 3), places((2, 3, 3), (0, 2)))),
    "ops.warprnnt": Case(
        lambda x: sy.ops.warprnnt(x, sy.tensor(np.array([[1, 2], [1, 1]], np.int32)),
                                  sy.tensor(np.array([2, 3], np.int32)),
                                  sy.tensor(np.array([1, 2], np.int32)))[0],
        (normal(2, 3, 3, 3), places((2, 3, 3, 3), (0, 2), (0, np.s_[:], 2)))),
}

# Hidden words are queries, too, whose gradients are read: values alone.
VALUES = {
    "TransformerEncoderLayer": transformer(
        lambda: nn.TransformerEncoderLayer(4, 2, 3),
        lambda layer, x: layer(x, src_key_padding_mask=HIDDEN)),
    "TransformerEncoder": transformer(
        lambda: nn.TransformerEncoder(4, 2, 3, 2),
        lambda layer, x: layer(x, src_key_padding_mask=HIDDEN)),
    "TransformerDecoder": transformer(
        lambda: nn.TransformerDecoder(4, 2, 3, 2),
        lambda layer, x: layer(x, WORDS, tgt_key_padding_mask=HIDDEN)),
    "Transformer": transformer(
        lambda: nn.Transformer(4, 2, 1, 1, 3),
        lambda layer, x: layer(x, WORDS, src_key_padding_mask=HIDDEN,
                               memory_key_padding_mask=HIDDEN)),
}

# Arguments that may leave elements out.
CHOOSING = frozenset("""
    mask attn_mask src_mask tgt_mask memory_mask key_padding_mask src_key_padding_mask
    tgt_key_padding_mask memory_key_padding_mask condition where lengths input_lengths
    label_lengths target_lengths length ignore_index padding_idx weight weights
    pos_weight per_sample_weights fweights aweights""".split())


def choosing():
    """{name: such arguments} of the public functions, and of layers and their
    forward."""
    found = {}
    for name, thing in argument_names.public().items():
        calls = [thing, thing.forward] if hasattr(thing, "forward") else [thing]
        try:
            arguments = {argument for call in calls
                         for argument in inspect.signature(call).parameters}
        except (TypeError, ValueError):
            continue
        if arguments & CHOOSING:
            found[name] = sorted(arguments & CHOOSING)
    return found


# The case of what has one of another name.
NAMED = {
    "nn.BCELoss": "binary_cross_entropy",
    "nn.BCEWithLogitsLoss": "binary_cross_entropy_with_logits",
    "nn.CTCLoss": "ctc_loss", "nn.CrossEntropyLoss": "cross_entropy",
    "nn.Embedding": "embedding", "nn.EmbeddingBag": "embedding_bag",
    "nn.MultiLabelSoftMarginLoss": "multilabel_soft_margin_loss",
    "nn.MultiMarginLoss": "multi_margin_loss", "nn.NLLLoss": "nll_loss",
    "nn.functional.scaled_dot_product_attention": "attention",
    "nn.utils.rnn.pack_padded_sequence": "pack_padded_sequence"}
# Their arguments of these names choose nothing, or of numbers without gradients.
OTHERS = frozenset("""
    bincount distributions.CatTransform generate histogram histogramdd
    io.WeightedRandomSampler io.random_split istft lerp load narrow narrow_copy
    nn.functional.batch_norm nn.functional.bilinear nn.functional.conv1d
    nn.functional.conv2d nn.functional.conv3d nn.functional.conv_transpose1d
    nn.functional.conv_transpose2d nn.functional.conv_transpose3d
    nn.functional.group_norm nn.functional.instance_norm nn.functional.layer_norm
    nn.functional.linear nn.functional.prelu nn.functional.rms_norm static.cond
    static.load static.stages static.while_loop""".split())


class UnreadMoreTest(unittest.TestCase):

    def test_every_function_that_leaves_out_has_a_case(self):
        known = {*CASES, *KL, *MORE, *VALUES}
        found = choosing()
        self.assertEqual(OTHERS - set(found), set())
        for name, arguments in found.items():
            if name not in OTHERS:
                with self.subTest(name=name, arguments=arguments):
                    last = name.rsplit(".", 1)[-1]
                    self.assertTrue(known & {NAMED.get(name, last), last + " of weight 0"})

    def check(self, name, case, count):
        """Checks the first ``count`` of the result and the gradients."""
        expected = case.run(0.5)
        self.assertTrue(all(np.isfinite(right).all() for right in expected[:count]))
        for value in case.bad:
            with self.subTest(name=name, value=value):
                for got, right in zip(case.run(value)[:count], expected):
                    np.testing.assert_array_equal(got, right)

    def test_values_and_gradients_are_those_without(self):
        for name, case in MORE.items():
            self.check(name, case, 9)
        for name, case in VALUES.items():
            self.check(name, case, 1)


if __name__ == "__main__":
    unittest.main()
