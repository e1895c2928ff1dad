# SPDX-License-Identifier: Apache-2.0
"""sy.generate: which tokens follow, eager and as a program; drawn ones against NumPy."""
import unittest

import numpy as np

import switchyard as sy
from switchyard import nn, static

WORDS = 23


class GPT(nn.Module):
    """Small, with weights so large that its tokens vary."""

    def __init__(self, words=WORDS, size=16, heads=4, layers=2):
        super().__init__()
        draw = nn.init.Normal(std=0.5)
        self.token = nn.Embedding(words, size, weight_init=draw)
        self.place = nn.Embedding(200, size, weight_init=draw)
        self.blocks = nn.TransformerEncoder(size, heads, 2 * size, layers,
                                            dropout=0.5, activation="gelu")
        self.head = nn.Linear(size, words, bias=False)

    def forward(self, x, cache=None):
        places = sy.arange(x.shape[1]) if cache is None else cache.positions(x)
        x = self.blocks(self.token(x) + self.place(places), is_causal=True,
                        cache=cache)
        return self.head(x if cache is None else cache.last(x))


def model():
    sy.seed(3)
    return GPT()


def prompts(*lengths):
    draw = np.random.default_rng(1)
    return [draw.integers(0, WORDS, length) for length in lengths]


def fixed(logits):
    """A model whose logits are these after any token."""
    logits = sy.tensor(np.asarray(logits, np.float32))
    return lambda tokens, cache: logits.expand(
        [tokens.shape[0], tokens.shape[1], logits.shape[-1]])


def drawn(logits, count=4000, **options):
    """How often each word is drawn, of count rows of one token."""
    tokens = sy.generate(fixed(logits), np.zeros((count, 1), int), 1,
                         **{"temperature": 1.0, "seed": 5, **options})
    return np.bincount(tokens.numpy()[:, 0], minlength=len(logits))


def softmax(logits, temperature=1.0):
    scores = np.asarray(np.float32(logits), np.float64) / temperature
    scores = np.exp(scores - scores.max())
    return scores / scores.sum()


class TokensTest(unittest.TestCase):

    def test_are_those_of_whole_sequences(self):
        net = model().eval()
        row = prompts(5)[0].tolist()
        got = sy.generate(net, row, 12).numpy().tolist()
        for _ in range(12):
            row.append(int(net(sy.tensor([row])).numpy()[0, -1].argmax()))
        self.assertEqual(got, row[5:])
        self.assertGreater(len(set(got)), 3)

    def test_are_the_same_as_a_program_and_for_any_threads(self):
        net, before = model(), sy.num_threads()
        step = static.decode_step(net)
        rows = prompts(30, 7, 1, 12)
        try:
            for options in ({}, {"temperature": 1.0, "seed": 3},
                            {"temperature": 0.7, "top_k": 5, "seed": 4},
                            {"temperature": 1.5, "top_p": 0.8, "seed": 5,
                             "repetition_penalty": 1.3}):
                found = []
                for threads in (1, 2, 3):
                    sy.set_num_threads(threads)
                    found += [sy.generate(each, rows, 50, **options).numpy()
                              for each in (net, step)]
                for each in found[1:]:
                    np.testing.assert_array_equal(each, found[0])
        finally:
            sy.set_num_threads(before)
        self.assertIn("matmul", step.program.text())

    def test_modes_and_gradients_are_as_they_were(self):
        net = model().train()
        net.blocks.layers[0].eval()
        modes = [each.training for each in net.modules()]
        first = sy.generate(net, [1, 2], 8).numpy()
        self.assertEqual([each.training for each in net.modules()], modes)
        self.assertTrue(sy.is_grad_enabled())
        np.testing.assert_array_equal(
            first, sy.generate(net.eval(), [1, 2], 8).numpy())

    def test_padding_at_either_side(self):
        net = model()
        rows = prompts(9, 3, 6, 1)
        alone = [sy.generate(net, row, 15).numpy() for row in rows]
        left, right = np.full((2, 4, 11), 7)
        masks = np.zeros((2, 4, 11), bool)
        for i, row in enumerate(rows):
            left[i, 11 - len(row):], right[i, :len(row)] = row, row
            masks[0, i, 11 - len(row):] = masks[1, i, :len(row)] = True
        for each in (net, static.decode_step(net)):
            for found in (sy.generate(each, rows, 15),
                          sy.generate(each, left, 15, mask=masks[0]),
                          sy.generate(each, sy.tensor(right), 15,
                                      mask=sy.tensor(masks[1]))):
                np.testing.assert_array_equal(found.numpy(), alone)

    def test_stops(self):
        net, rows = model(), prompts(4, 6, 2)
        free = sy.generate(net, rows, 30).numpy()
        stop = [int(free[0, 3]), int(free[1, 8])]
        ends = [next((i for i, t in enumerate(row) if t in stop), 29) for row in free]
        self.assertGreater(len(set(ends)), 1)
        got = sy.generate(net, rows, 30, stop=stop, pad=22).numpy()
        self.assertEqual(got.shape, (3, max(ends) + 1))
        for row, end, own in zip(free, ends, got):
            np.testing.assert_array_equal(own[:end + 1], row[:end + 1])
            self.assertTrue((own[end + 1:] == 22).all())
        self.assertEqual(sy.generate(net, rows[0], 30, stop=stop[0]).shape,
                         (list(free[0]).index(stop[0]) + 1,))

    def test_a_sequence_that_ended_may_be_as_long_as_positions_reach(self):
        """It goes on as padding beside others, at its last position."""
        net = model()
        net.place = nn.Embedding(12, 16)
        rows = prompts(12, 3)
        first = int(sy.generate(net, rows[0], 1).numpy()[0])
        other = sy.generate(net, rows[1], 9).numpy()
        self.assertNotIn(first, other[:3])
        got = sy.generate(net, rows, 9, stop=first).numpy()
        self.assertEqual(got[0, 0], first)
        np.testing.assert_array_equal(got[1], other[:got.shape[1]])

    def test_streams(self):
        net, rows = model(), prompts(4, 6)
        whole = sy.generate(net, rows, 7, temperature=1.0, seed=2).numpy()
        calls = []
        counting = lambda tokens, cache: calls.append(1) or net(tokens, cache=cache)
        net.eval()
        stream = sy.generate(counting, rows, 7, temperature=1.0, seed=2, stream=True)
        self.assertEqual(len(calls), 0)
        for i, tokens in enumerate(stream):
            self.assertEqual(len(calls), i + 1)  # Each as soon as it is known.
            np.testing.assert_array_equal(tokens.numpy(), whole[:, i])
        self.assertEqual(len(calls), 7)
        alone = list(sy.generate(net, rows[0], 3, stream=True))
        self.assertEqual([each.shape for each in alone], [()] * 3)
        self.assertEqual(sy.generate(net, rows[0], 0).shape, (0,))
        self.assertEqual(sy.generate(net, rows, 0).shape, (2, 0))

    def test_seeds(self):
        net, row = model(), prompts(4)[0]
        draw = lambda **options: sy.generate(
            net, row, 20, temperature=2.0, **options).numpy().tolist()
        sy.seed(9)
        state = sy.rng_state()
        first = draw(seed=1)
        self.assertEqual(sy.rng_state(), state)
        self.assertEqual(draw(seed=1), first)
        self.assertNotEqual(draw(seed=2), first)
        free = draw()
        self.assertNotEqual(sy.rng_state(), state)
        self.assertNotEqual(draw(), free)
        sy.seed(9)
        self.assertEqual(draw(), free)

    def test_errors(self):
        net, row = model(), [1, 2]
        for text, call in {
                "generate: temperature must be from 0 and finite, got -1":
                    lambda: sy.generate(net, row, 3, temperature=-1),
                "generate: top_k must be from 1, got 0":
                    lambda: sy.generate(net, row, 3, top_k=0),
                r"generate: top_p must be in \(0, 1\], got 0":
                    lambda: sy.generate(net, row, 3, top_p=0),
                "generate: repetition_penalty must be positive and finite, got 0":
                    lambda: sy.generate(net, row, 3, repetition_penalty=0),
                "generate: max_tokens must be from 0, got -1":
                    lambda: sy.generate(net, row, -1),
                "generate: tokens must be sequences of one token at least":
                    lambda: sy.generate(net, [[1], []], 3),
                "generate: tokens must be integers of one or two axes, got float32":
                    lambda: sy.generate(net, sy.ones([2]), 3),
                "generate: tokens must be of one sequence at least":
                    lambda: sy.generate(net, np.zeros((0, 3), int), 3),
                r"generate: mask must be bools of shape \[1, 2\], got bool of \[2\]":
                    lambda: sy.generate(net, [row], 3, mask=[True, True]),
                "generate: model must be a Module or a function, got 3":
                    lambda: sy.generate(3, row, 3),
                "generate: stop must be from 0, got -1":
                    lambda: sy.generate(net, row, 3, stop=[-1]),
                r"generate: the model must return logits \[1, 2, words\] or":
                    lambda: sy.generate(lambda t, cache: t, row, 3),
                "generate: the model's logits must not be NaN":
                    lambda: sy.generate(fixed([0.0, np.nan]), row, 3),
                "the largest of each sequence must be finite":
                    lambda: sy.generate(fixed([0.0, np.inf]), row, 3)}.items():
            with self.subTest(text), self.assertRaisesRegex(
                    (TypeError, ValueError), text):
                call()


class DrawsTest(unittest.TestCase):
    """Words that are drawn, by their frequencies among 4,000 rows."""

    LOGITS = np.array([1.0, -0.5, 2.0, 0.3, 2.0, -3.0, 0.9, 1.7])

    def assert_close(self, counts, shares):
        """Within what 1 of 10,000 right samples exceeds: 5 standard deviations."""
        number = counts.sum()
        bound = 5 * np.sqrt(number * shares * (1 - shares)) + 1e-9
        np.testing.assert_array_less(np.abs(counts - number * shares), bound + 1)

    def kept(self, shares, chosen):
        left = np.zeros_like(shares)
        left[chosen] = shares[chosen]
        return left / left.sum()

    def test_temperature(self):
        for temperature in (0.5, 1.0, 3.0):
            self.assert_close(drawn(self.LOGITS, temperature=temperature),
                              softmax(self.LOGITS, temperature))

    def test_top_k(self):
        """The first of equal ones are kept: NumPy's stable order."""
        order = np.argsort(-self.LOGITS, kind="stable")
        shares = softmax(self.LOGITS)
        for k in range(1, 10):
            counts = drawn(self.LOGITS, top_k=k)
            self.assertEqual(set(np.flatnonzero(counts)) - set(order[:k]), set())
            if k <= 7:
                self.assertEqual(set(np.flatnonzero(counts)), set(order[:k]))
            self.assert_close(counts, self.kept(shares, order[:k]))

    def test_top_p(self):
        shares = softmax(self.LOGITS, 1.5)
        order = np.argsort(-shares, kind="stable")
        sums = np.cumsum(shares[order])
        for p in (1e-9, 0.2, 0.5, 0.75, 0.9, 0.97, 1.0):
            chosen = order[:1 + np.searchsorted(sums, p - 1e-12)]
            counts = drawn(self.LOGITS, temperature=1.5, top_p=p)
            self.assertEqual(set(np.flatnonzero(counts)), set(chosen), p)
            self.assert_close(counts, self.kept(shares, chosen))

    def test_top_p_among_top_k(self):
        order = np.argsort(-self.LOGITS, kind="stable")[:4]
        shares = self.kept(softmax(self.LOGITS), order)
        chosen = order[:1 + np.searchsorted(np.cumsum(shares[order]), 0.7)]
        counts = drawn(self.LOGITS, top_k=4, top_p=0.7)
        self.assertEqual(set(np.flatnonzero(counts)), set(chosen))
        self.assert_close(counts, self.kept(shares, chosen))

    def test_rows_of_a_batch_draw_by_themselves(self):
        tokens = sy.generate(fixed(np.zeros(4)), np.zeros((2000, 1), int), 2,
                             temperature=1.0, seed=1).numpy()
        pairs = np.bincount(tokens[:, 0] * 4 + tokens[:, 1], minlength=16)
        self.assert_close(pairs, np.full(16, 1 / 16))

    def test_words_without_probability_are_never_drawn(self):
        logits = [-np.inf, 0.0, -np.inf, 1.0, -np.inf]
        self.assertEqual(set(np.flatnonzero(drawn(logits))), {1, 3})
        self.assertEqual(sy.generate(fixed(logits), [0], 1).item(), 3)

    def test_the_smallest_temperature(self):
        self.assertEqual(np.flatnonzero(drawn(self.LOGITS, temperature=5e-324)).tolist(),
                         [2, 4])

    def test_repetition_penalty(self):
        """Greedy tokens as a loop of NumPy has them."""
        logits = np.array([2.0, 1.9, -0.1, -0.12, 1.2, 0.0], np.float32)
        for penalty in (0.8, 1.0, 1.1, 1.7, 4.0):
            had, right = {4}, []
            for _ in range(8):
                scores = [x if i not in had else x / np.float32(penalty)
                          if x > 0 else x * np.float32(penalty)
                          for i, x in enumerate(logits)]
                right.append(int(np.argmax(scores)))
                had.add(right[-1])
            got = sy.generate(fixed(logits), [[4], [4]], 8,
                              repetition_penalty=penalty).numpy()
            np.testing.assert_array_equal(got, [right, right])


if __name__ == "__main__":
    unittest.main()
