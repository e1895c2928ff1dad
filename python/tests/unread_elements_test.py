# SPDX-License-Identifier: Apache-2.0
"""Elements that a mask, a length, a weight of 0, an ignored label or a condition
leaves out are not read: NaN and infinities there change no value and no gradient."""

import unittest

import numpy as np

import switchyard as sy
from switchyard import nn

F = nn.functional
RNG = np.random.default_rng(7)
ALL = (np.nan, np.inf, -np.inf)


def normal(*shape):
    return RNG.normal(size=shape).astype(np.float32)


def places(shape, *indices):
    """True at each index of an array of this shape."""
    found = np.zeros(shape, bool)
    for index in indices:
        found[index] = True
    return found


class Case:
    """A function of float tensors and where each of them is not read."""

    def __init__(self, function, *inputs, bad=ALL):
        self.function, self.inputs, self.bad = function, inputs, bad

    def run(self, value):
        """The result and the gradients with ``value`` at what is not read."""
        tensors = []
        for x, unread in self.inputs:
            x = x.copy()
            x[unread] = value
            tensors.append(sy.tensor(x))
            tensors[-1].requires_grad = True
        result = self.function(*tensors)
        result.sum().backward()
        return [result.numpy(), *(
            np.zeros(x[0].shape) if t.grad is None else t.grad.numpy()
            for x, t in zip(self.inputs, tensors))]


def labels(*values):
    return sy.tensor(np.array(values))


def recurrent(layer, **more):
    """x [n, time, input] with lengths 2 and 3 of 4."""
    model = layer(2, 3, batch_first=True, **more)
    lengths = labels(2, 3)
    return Case(lambda x: model(x, lengths=lengths)[0],
                (normal(2, 4, 2), places((2, 4, 2), (0, slice(2, 4)), (1, 3))))


# Padding on the right of the first item, nothing of the second is seen.
KEYS = np.array([[True, True, False], [False, False, False]])
UNSEEN = np.repeat(~KEYS[:, :, None], 4, -1)


def attention(mask, **more):
    def attend(q, k, v):
        return F.scaled_dot_product_attention(q, k, v, sy.tensor(mask), **more)
    return Case(attend, (normal(2, 3, 4), places((2, 3, 4))),
                (normal(2, 3, 4), UNSEEN), (normal(2, 3, 4), UNSEEN))


def added(mask):
    return np.where(mask, 0, -np.inf).astype(np.float32)


def many_heads(mask):
    model = nn.MultiHeadAttention(4, 2, bias=False)
    q, mask = sy.tensor(normal(2, 3, 4)), sy.tensor(mask[:, None, None, :])
    return Case(lambda k: model(q, k, k, mask), (normal(2, 3, 4), UNSEEN))


IGNORED = places((3, 4), 1)
ONE = sy.tensor(np.array([1.0, 0.0, 2.0], np.float32))
SHARES = np.array([[0.5, 0.5, 0.0], [1.0, 0.0, 0.0]], np.float32)


def ignoring(**more):
    return Case(lambda x: F.cross_entropy(x, labels(2, -100, 0), **more),
                (normal(3, 4), IGNORED))


def loss_by_weight(loss, label=(0.2, 0.8)):
    weight = sy.tensor(np.array([[1.0, 0.0], [0.0, 2.0]], np.float32))
    unread = places((2, 2), (0, 1), (1, 0))
    return Case(lambda x, y: loss(x, y, weight=weight),
                (RNG.uniform(0.1, 0.9, (2, 2)).astype(np.float32), unread),
                (RNG.uniform(*label, (2, 2)).astype(np.float32), unread))


COLUMN = np.array([True, False, True])


def padded_keys(x):
    """Attention of the first place to others, of which PyTorch's mask hides one."""
    heads = nn.MultiHeadAttention(4, 2, bias=False)
    for p in heads.parameters():
        p.data = sy.eye(4)
    return heads(sy.ones([1, 1, 4]), x,
                 key_padding_mask=sy.tensor([[False, True, False]]))


def chosen(x, y):
    return sy.where(sy.tensor(COLUMN), x, y)


CASES = {
    "where": Case(chosen, (normal(2, 3), places((2, 3), np.s_[:, 1])),
                  (normal(2, 3), places((2, 3), np.s_[:, ::2]))),
    "where of halves": Case(
        lambda x, y: chosen(x.astype("float16"), y.astype("float16")),
        (normal(2, 3), places((2, 3), np.s_[:, 1])),
        (normal(2, 3), places((2, 3), np.s_[:, ::2]))),
    "masked_fill": Case(lambda x: sy.masked_fill(x, sy.tensor(COLUMN), 1.0),
                        (normal(2, 3), places((2, 3), np.s_[:, ::2]))),
    "masked_select": Case(
        lambda x: sy.masked_select(x, sy.tensor(COLUMN)),
        (normal(3), places((3,), 1))),
    "index by a mask": Case(lambda x: x[sy.tensor(COLUMN)],
                            (normal(3, 2), places((3, 2), 1))),
    "tril": Case(sy.tril, (normal(3, 3), np.triu(np.ones((3, 3), bool), 1))),
    "triu": Case(sy.triu, (normal(3, 3), np.tril(np.ones((3, 3), bool), -1))),
    "take_along_axis": Case(
        lambda x: sy.take_along_axis(x, labels([0], [2]), axis=1),
        (normal(2, 3), places((2, 3), (0, [1, 2]), (1, [0, 1])))),
    "embedding": Case(lambda w: F.embedding(labels(0, 2), w),
                      (normal(3, 2), places((3, 2), 1))),
    "negative padding": Case(lambda x: F.pad(x, [-1, 0]),
                             (normal(2, 3), places((2, 3), np.s_[:, 0]))),
    "max_pool2d": Case(lambda x: F.max_pool2d(x, 2, 2),
                       (normal(1, 1, 3, 3), places(
                           (1, 1, 3, 3), np.s_[..., 2], np.s_[..., 2, :]))),
    "avg_pool2d": Case(lambda x: F.avg_pool2d(x, 2, 2),
                       (normal(1, 1, 3, 3), places(
                           (1, 1, 3, 3), np.s_[..., 2], np.s_[..., 2, :]))),
    "conv2d": Case(lambda x: F.conv2d(x, sy.ones([1, 1, 2, 2]), stride=2),
                   (normal(1, 1, 3, 3), places(
                       (1, 1, 3, 3), np.s_[..., 2], np.s_[..., 2, :]))),
    "RNN": recurrent(nn.RNN), "LSTM": recurrent(nn.LSTM),
    "GRU": recurrent(nn.GRU),
    "both directions": recurrent(nn.GRU, bidirectional=True),
    "two layers": recurrent(nn.LSTM, num_layers=2, bidirectional=True),
    "attention": attention(KEYS[:, None, :]),
    "attention by an added mask": attention(added(KEYS)[:, None, :]),
    "causal attention": attention(KEYS[:, None, :], is_causal=True),
    "causal attention by an added mask": attention(added(KEYS)[:, None, :],
                                                   is_causal=True),
    "MultiHeadAttention": many_heads(KEYS),
    "MultiHeadAttention by an added mask": many_heads(added(KEYS)),
    "max_pool2d with places": Case(
        lambda x: F.max_pool2d(x, 2, 2, return_indices=True)[0],
        (normal(1, 1, 3, 3), places(
            (1, 1, 3, 3), np.s_[..., 2], np.s_[..., 2, :]))),
    "max_pool1d with gaps": Case(
        lambda x: F.max_pool1d(x, 2, 4, dilation=2),
        (normal(1, 1, 6), places((1, 1, 6), np.s_[..., 1], np.s_[..., 3:]))),
    "embedding_bag": Case(
        lambda w: F.embedding_bag(labels([0, 2]), w, padding_idx=1),
        (normal(3, 2), places((3, 2), 1))),
    "embedding_bag of padding": Case(
        lambda w: F.embedding_bag(labels([0, 1]), w, mode="sum", padding_idx=1),
        (normal(3, 2), places((3, 2), 1))),
    "embedding_bag's maximum": Case(
        lambda w: F.embedding_bag(labels([0, 1]), w, mode="max", padding_idx=1),
        (normal(3, 2), places((3, 2), 1))),
    "key_padding_mask": Case(
        padded_keys, (normal(1, 3, 4), places((1, 3, 4), np.s_[:, 1]))),
    "cross_entropy": ignoring(), "sum": ignoring(reduction="sum"),
    "cross_entropy with weights": ignoring(weight=sy.tensor(normal(4) ** 2)),
    "cross_entropy with smoothing": ignoring(label_smoothing=0.1),
    "cross_entropy of weight 0": Case(
        lambda x: F.cross_entropy(x, labels(0, 1), weight=ONE),
        (normal(2, 3), places((2, 3), 1))),
    "cross_entropy of images": Case(
        lambda x: F.cross_entropy(x, labels([[0, -100]])),
        (normal(1, 3, 1, 2), places((1, 3, 1, 2), np.s_[..., 1]))),
    "shares of 0": Case(
        lambda x: F.cross_entropy(x, sy.tensor(SHARES)),
        (normal(2, 3), places((2, 3), np.s_[:, 2])), bad=(-np.inf,)),
    "shares of 0 by class weight": Case(
        lambda x: F.cross_entropy(x, sy.tensor(SHARES), weight=ONE),
        (normal(2, 3), places((2, 3), np.s_[:, 2])), bad=(-np.inf,)),
    "nll_loss": Case(lambda x: F.nll_loss(x, labels(2, -100, 0)),
                     (normal(3, 4), IGNORED)),
    "nll_loss of weight 0": Case(
        lambda x: F.nll_loss(x, labels(0, 1), weight=ONE),
        (normal(2, 3), places((2, 3), 1))),
    "ops.nll_loss": Case(
        lambda x: sy.ops.nll_loss(x, labels(2, -100, 0))[0],
        (normal(3, 4), IGNORED)),
    "ops.cross_entropy_with_softmax": Case(
        lambda x: sy.ops.cross_entropy_with_softmax(
            x, labels([2], [-100], [0]))[1], (normal(3, 4), IGNORED)),
    "ops.cross_entropy": Case(
        lambda x: sy.ops.cross_entropy(x, labels([2], [-100], [0])),
        (normal(3, 4) ** 2 + 1.0, IGNORED)),
    "ops.sigmoid_cross_entropy_with_logits": Case(
        lambda x: sy.ops.sigmoid_cross_entropy_with_logits(
            x, sy.tensor([[1.0, -100.0], [0.5, 0.0]])),
        (normal(2, 2), places((2, 2), (0, 1)))),
    "dropout of everything": Case(
        lambda x: F.dropout(x, 1.0), (normal(2, 3), places((2, 3), (0, 1)))),
    "binary_cross_entropy": loss_by_weight(F.binary_cross_entropy),
    "binary_cross_entropy_with_logits":
        loss_by_weight(F.binary_cross_entropy_with_logits),
    "ctc_loss": Case(
        lambda x: F.ctc_loss(x, labels([1, 2], [1, 1]), labels(4, 3),
                             labels(2, 1)),
        (normal(4, 2, 3), places((4, 2, 3), (3, 1)))),
}

# Where a probability is 0: what is logarithms is -inf, and adds nothing.
KL = {
    "kl_div": Case(
        lambda x: F.kl_div(x, sy.tensor(SHARES), reduction="batchmean"),
        (normal(2, 3), SHARES == 0)),
    "kl_div of logarithms": Case(
        lambda x: F.kl_div(x, sy.log(sy.tensor(SHARES)), log_target=True),
        (normal(2, 3), SHARES == 0)),
}


class UnreadElementsTest(unittest.TestCase):

    def test_values_and_gradients_are_those_without(self):
        for name, case in CASES.items():
            expected = case.run(0.5)
            for value in case.bad:
                with self.subTest(name=name, value=value):
                    for got, right in zip(case.run(value), expected):
                        self.assertTrue(np.isfinite(got).all(), got)
                        # Where a logit is -inf, others take its share.
                        if case.bad is ALL:
                            np.testing.assert_array_equal(got, right)

    def test_probabilities_of_zero(self):
        for name, case in KL.items():
            with self.subTest(name=name):
                for got, right in zip(case.run(-np.inf), case.run(0.5)):
                    np.testing.assert_array_equal(got, right)

    def test_rows_that_see_nothing_are_zeros(self):
        q = sy.tensor(normal(1, 3, 4))
        mask = np.array([[False, True, True]])
        for given in (mask, added(mask)):
            got = F.scaled_dot_product_attention(
                q, q, q, attn_mask=sy.tensor(given), is_causal=True).numpy()
            np.testing.assert_array_equal(got[0, 0], 0)
            np.testing.assert_allclose(got[0, 1], q.numpy()[0, 1], 1e-6)


if __name__ == "__main__":
    unittest.main()
