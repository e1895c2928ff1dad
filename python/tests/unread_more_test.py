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


class Layer(Case):
    """A layer without dropout: of the words x [1, 3, 4] the second is hidden."""

    def __init__(self, make, call):
        sy.seed(0)
        self.layer = make().eval()
        super().__init__(lambda x: sy.sin(call(self.layer, x)[:, ::2]),
                         (normal(1, 3, 4), places((1, 3, 4), np.s_[:, 1])))

    def run(self, value):
        """The result, its gradient and those of the parameters."""
        parameters = list(self.layer.parameters())
        for parameter in parameters:
            parameter.grad = None
        return [*super().run(value),
                *(p.grad.numpy() for p in parameters if p.grad is not None)]


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
    "TransformerDecoderLayer": Layer(
        lambda: nn.TransformerDecoderLayer(4, 2, 3),
        lambda layer, x: layer(WORDS, x, memory_key_padding_mask=HIDDEN)),
    "MultiheadAttention": Layer(
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
    "TransformerEncoderLayer": Layer(
        lambda: nn.TransformerEncoderLayer(4, 2, 3),
        lambda layer, x: layer(x, src_key_padding_mask=HIDDEN)),
    "TransformerEncoder": Layer(
        lambda: nn.TransformerEncoder(4, 2, 3, 2),
        lambda layer, x: layer(x, src_key_padding_mask=HIDDEN)),
    "TransformerDecoder": Layer(
        lambda: nn.TransformerDecoder(4, 2, 3, 2),
        lambda layer, x: layer(x, WORDS, tgt_key_padding_mask=HIDDEN)),
    "Transformer": Layer(
        lambda: nn.Transformer(4, 2, 1, 1, 3, batch_first=True),
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
    nn.functional.linear nn.functional.prelu nn.functional.rms_norm quantize static.cond
    static.load static.stages static.while_loop""".split())


class UnreadMoreTest(unittest.TestCase):

    def test_every_function_that_leaves_out_has_a_case(self):
        known = {*CASES, *KL, *MORE}
        found = choosing()
        self.assertEqual(OTHERS - set(found), set())
        for name, arguments in found.items():
            if name not in OTHERS:
                with self.subTest(name=name, arguments=arguments):
                    last = name.rsplit(".", 1)[-1]
                    self.assertTrue(known & {NAMED.get(name, last), last + " of weight 0"})

    def test_values_and_gradients_are_those_without(self):
        for name, case in MORE.items():
            expected = case.run(0.5)
            self.assertTrue(all(np.isfinite(right).all() for right in expected))
            for value in case.bad:
                with self.subTest(name=name, value=value):
                    for got, right in zip(case.run(value), expected):
                        np.testing.assert_array_equal(got, right)

    def test_layers_by_masks_that_are_added(self):
        """-inf hides a place; in programs, too."""
        hidden = sy.tensor([[0.0, -np.inf, 0.0]])
        sy.seed(0)
        layer = nn.TransformerEncoderLayer(4, 2, 3).eval()

        def found(x):
            if isinstance(x, sy.Tensor):
                x.requires_grad = True
            y = layer(x, src_key_padding_mask=hidden)[:, ::2]
            return sy.grad(sy.sum(sy.sin(y)), [x, *layer.parameters()])
        x = normal(1, 3, 4)
        spoilt = np.where(places((1, 3, 4), np.s_[:, 1]), np.float32(np.nan), x)
        program = sy.static.trace(found, sy.static.InputSpec([1, None, 4]))
        for function in (found, program):
            for got, right in zip(function(sy.tensor(spoilt)), found(sy.tensor(x))):
                np.testing.assert_array_equal(got.numpy(), right.numpy())

    def test_padding_of_another_shape(self):
        """It is not repeated over the places."""
        for layer, x in ((nn.MultiHeadAttention(4, 2), sy.zeros([2, 3, 4])),
                         (nn.MultiheadAttention(4, 2), sy.zeros([3, 2, 4])),
                         (nn.MultiHeadAttention(4, 2, batch_first=False),
                          sy.zeros([3, 2, 4]))):
            with self.assertRaisesRegex(ValueError, "key_padding_mask must be of shape "
                                                    r"\[2, 3\].*got \[2, 1\]"):
                layer(x, x, x, key_padding_mask=sy.zeros([2, 1], "bool"))
            layer(x, x, x, key_padding_mask=sy.zeros([2, 3], "bool"))


if __name__ == "__main__":
    unittest.main()
