# SPDX-License-Identifier: Apache-2.0
"""sy.generate with what sy.quantize gave: the tokens of a model with rounded weights."""
import unittest
from unittest import mock

import numpy as np

import switchyard as sy
from switchyard import nn, static

WORDS = 29


class GPT(nn.Module):
    """Small, with large weights, so that its tokens vary; the head is the embedding."""

    def __init__(self, size=16):
        super().__init__()
        draw = nn.init.Normal(std=0.6)
        self.token = nn.Embedding(WORDS, size, weight_init=draw)
        self.place = nn.Embedding(90, size, weight_init=draw)
        self.blocks = nn.TransformerEncoder(size, 4, 2 * size, 2, dropout=0.5)

    def forward(self, x, cache=None):
        places = sy.arange(x.shape[1]) if cache is None else cache.positions(x)
        x = self.blocks(self.token(x) + self.place(places), is_causal=True, cache=cache)
        x = x if cache is None else cache.last(x)
        return x @ self.token.weight.T


def model():
    sy.seed(4)
    return GPT()


def prompts(*lengths):
    draw = np.random.default_rng(1)
    return [draw.integers(0, WORDS, length) for length in lengths]


def round_weights(net, quantized, bits, group):
    """Gives the model the weights that the integers stand for, by the definition."""
    largest, done = 2 ** (bits - 1) - 1, set()
    for layer in quantized.report:
        slot = dict(net.named_slots())[layer.name + ".weight" if (
            layer.name + ".weight") in dict(net.named_slots()) else layer.name]
        if layer.name in done:
            continue
        done.add(layer.name)
        weight = slot.tensor.numpy().astype(np.float64)
        rows = weight.T.copy() if layer.operator == "linear" else weight
        for begin in range(0, rows.shape[1], group or rows.shape[1]):
            part = rows[:, begin:begin + (group or rows.shape[1])]
            scale = np.float32(np.abs(part).max(axis=1, keepdims=True) / largest)
            part[:] = np.rint(part / scale) * scale
        with sy.no_grad():
            slot.tensor.copy_(sy.tensor(
                (rows.T if layer.operator == "linear" else rows).astype(np.float32)))


def eagerly():
    """Has programs run operator by operator for a while."""
    return mock.patch.object(static.Program, "run",
                             lambda program, feeds, tensors: program.run_eagerly(
                                 feeds, tensors))


class TokensTest(unittest.TestCase):

    def test_are_those_of_rounded_weights(self):
        rows = prompts(30, 7, 1, 12)
        exact = sy.generate(model(), rows, 40).numpy()
        for weights, bits, group in (("int8", 8, 0), ("int4", 4, 8)):
            with self.subTest(weights=weights):
                net = model()
                quantized = sy.quantize(net, weights, inputs=[rows[1][None]], group=group)
                round_weights(net, quantized, bits, group)
                tokens = sy.generate(quantized, rows, 40).numpy()
                np.testing.assert_array_equal(tokens, sy.generate(net, rows, 40).numpy())
                self.assertEqual(weights == "int8", np.mean(tokens == exact) > 0.9)

    def test_are_the_same_eagerly_and_for_any_threads(self):
        rows, before = prompts(30, 7, 1, 12), sy.num_threads()
        data = [np.stack(prompts(9, 9, 9))]
        try:
            for weights in ("int8", "int4"):
                for activations in ("none", "static", "dynamic"):
                    quantized = sy.quantize(model(), weights, activations, data)
                    for options in ({}, {"temperature": 1.2, "top_k": 9, "seed": 3}):
                        found = []
                        for threads in (1, 2, 3):
                            sy.set_num_threads(threads)
                            found.append(sy.generate(quantized, rows, 30, **options).numpy())
                        with eagerly():
                            found.append(sy.generate(quantized, rows, 30, **options).numpy())
                        step = static.decode_step(quantized)
                        found.append(sy.generate(step, rows, 30, **options).numpy())
                        for each in found[1:]:
                            np.testing.assert_array_equal(each, found[0])
        finally:
            sy.set_num_threads(before)

    def test_padding_at_either_side(self):
        rows = prompts(9, 3, 6, 1)
        quantized = sy.quantize(model(), inputs=[rows[0][None]])
        alone = [sy.generate(quantized, row, 15).numpy() for row in rows]
        tokens, masks = np.full((2, 4, 11), 7), np.zeros((2, 4, 11), bool)
        for i, row in enumerate(rows):
            tokens[0, i, 11 - len(row):], tokens[1, i, :len(row)] = row, row
            masks[0, i, 11 - len(row):] = masks[1, i, :len(row)] = True
        for found in (sy.generate(quantized, rows, 15),
                      *(sy.generate(quantized, *pair[:1], 15, mask=pair[1])
                        for pair in zip(tokens, masks))):
            np.testing.assert_array_equal(found.numpy(), alone)


class CallsTest(unittest.TestCase):

    def test_some_tokens_after_others(self):
        """All kinds of calls, beside one of all tokens without a cache."""
        row = np.stack(prompts(14, 14))
        quantized, cache = sy.quantize(model(), inputs=[row]), nn.KeyValueCache(2)
        want, begin = quantized(row).numpy(), 0
        for count in (5, 1, 4, 3, 1):
            got = quantized(row[:, begin:begin + count], cache=cache).numpy()
            cache.advance()
            begin += count
            np.testing.assert_allclose(got, want[:, begin - 1:begin], atol=2e-4)
        self.assertEqual(cache.lengths, (14, 14))
        self.assertEqual(len(quantized._cached._programs), 3)

    def test_programs_share_the_weights(self):
        quantized, cache = sy.quantize(model(), inputs=[prompts(4)[0][None]]), nn.KeyValueCache()
        for tokens in prompts(4, 1):
            quantized(tokens[None], cache=cache)
            cache.advance()
        held = quantized.program.state
        for program, _ in quantized._cached._programs.values():
            self.assertNotIn("token.weight", program.state.keys())
            for name in program.state.keys():
                self.assertEqual(program.state[name].numpy().ctypes.data,
                                 held[name].numpy().ctypes.data)

    def test_a_model_that_learns_on_changes_nothing(self):
        net, rows = model(), prompts(6, 3)
        quantized = sy.quantize(net, inputs=[rows[0][None]])
        net.train()
        want = sy.generate(sy.quantize(model(), inputs=[rows[0][None]]), rows, 20).numpy()
        with sy.no_grad():
            for parameter in net.parameters():
                parameter.mul_(1.5)
        np.testing.assert_array_equal(sy.generate(quantized, rows, 20).numpy(), want)
        self.assertTrue(net.blocks.layers[0].training)

    def test_functions_and_layers_left_out(self):
        net, rows = model().eval(), prompts(6, 3)
        function = lambda tokens, cache=None: net(tokens, cache=cache)
        want = sy.generate(sy.quantize(net, inputs=[rows[0][None]]), rows, 20).numpy()
        found = sy.quantize(function, inputs=[rows[0][None]])
        np.testing.assert_array_equal(sy.generate(found, rows, 20).numpy(), want)
        names = [layer.name for layer in found.report]
        few = sy.quantize(function, inputs=[rows[0][None]], leave_out={*names[1:]} - {names[0]})
        sy.generate(few, rows, 2)
        for program, _ in few._cached._programs.values():
            self.assertEqual(sum("int8" in name for name in program.state.keys()), 1)

    def test_errors(self):
        row, cache = prompts(4)[0][None], nn.KeyValueCache()
        quantized = sy.quantize(model(), inputs=[row])
        with self.assertRaisesRegex(TypeError, "must have one input, tokens, got 2"):
            quantized(row, row, cache=cache)
        with self.assertRaisesRegex(TypeError, "cache must be a KeyValueCache"):
            quantized(row, cache=3)
        with self.assertRaisesRegex(ValueError, "tokens must have the axes of sequences"):
            quantized(row[0], cache=cache)
        with self.assertRaisesRegex(TypeError, "made of a Module or a function, got a Pro"):
            sy.quantize(static.trace(model().eval(), row))(row, cache=cache)

    def test_a_layer_that_a_cache_has_more_often(self):
        layer = nn.Linear(4, 4)
        function = lambda x, cache=None: layer(layer(x)) if cache else layer(x)
        quantized = sy.quantize(function, activations="static",
                                data=[np.ones((2, 3, 4), np.float32)])
        with self.assertRaisesRegex(ValueError, "must be called as often as without a cache, 1"):
            quantized(np.ones((2, 3, 4), np.float32), cache=nn.KeyValueCache())


if __name__ == "__main__":
    unittest.main()
