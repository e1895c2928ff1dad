# SPDX-License-Identifier: Apache-2.0
"""nn.KeyValueCache: a model that reads token by token says what it says of the whole;
the cache is written in place, and a step's program moves nothing of its size."""
import re
import unittest
from unittest import mock

import numpy as np

import switchyard as sy
from switchyard import nn, static

DRAW = np.random.default_rng(0)


def words(*shape):
    return sy.tensor(DRAW.standard_normal(shape).astype(np.float32))


def in_pieces(model, x, pieces, cache):
    """Reads x [n, t, ...] in pieces along t; returns what the model says, joined."""
    parts, begin = [], 0
    with sy.no_grad():
        for count in pieces:
            parts.append(model(x[:, begin:begin + count], cache=cache).numpy())
            cache.advance()
            begin += count
    return np.concatenate(parts, 1)


class Grouped(nn.Module):
    """Attention with fewer heads of keys than of queries, and wider values."""

    def __init__(self, heads=6, groups=2, size=4, width=5):
        super().__init__()
        self.query = nn.Linear(8, heads * size)
        self.key = nn.Linear(8, groups * size)
        self.value = nn.Linear(8, groups * width)
        self.heads, self.groups = heads, groups

    def forward(self, x, cache=None):
        query, key, value = (
            y.reshape([0, 0, heads, -1]).transpose([0, 2, 1, 3]) for y, heads in (
                (self.query(x), self.heads), (self.key(x), self.groups),
                (self.value(x), self.groups)))
        if cache is None:
            mixed = nn.functional.scaled_dot_product_attention(
                query, key, value, is_causal=True, enable_gqa=True, scale=0.3)
        else:
            mixed = cache.attend(self, query, key, value, scale=0.3)
        return mixed.transpose([0, 2, 1, 3]).reshape([0, 0, -1])


class Model(nn.Module):

    def __init__(self, layers=2, heads=4):
        super().__init__()
        self.blocks = nn.TransformerEncoder(8, heads, 16, layers, dropout=0.0)

    def forward(self, x, cache=None):
        return self.blocks(x, is_causal=True, cache=cache)


def made(kind, *arguments):
    sy.seed(1)
    return kind(*arguments).eval()


class ValuesTest(unittest.TestCase):

    PIECES = ([1] * 11, [5, 1, 1, 1, 1, 1, 1], [3, 4, 1, 3], [11])

    def test_pieces_give_what_the_whole_gives(self):
        for model in (made(Model), made(Grouped)):
            x = words(2, 11, 8)
            right = model(x).numpy()
            for pieces in self.PIECES:
                for each in (model, static.decode_step(model)):
                    cache = nn.KeyValueCache(2)
                    np.testing.assert_allclose(in_pieces(each, x, pieces, cache),
                                               right, rtol=2e-5, atol=2e-6)
                    self.assertEqual(cache.lengths, (11, 11))

    def test_steps_have_the_bits_of_eager_code(self):
        for model in (made(Model), made(Grouped)):
            x, step = words(3, 40, 8), static.decode_step(model)
            eager, program = (in_pieces(each, x, [3] + [1] * 37, nn.KeyValueCache(4))
                              for each in (model, step))
            np.testing.assert_array_equal(eager, program)
            self.assertEqual(step.traces, 1)

    def test_sequences_of_different_lengths(self):
        model, counts = made(Model), [5, 2, 7]
        x, more = words(3, 7, 8), words(3, 2, 8)
        cache = nn.KeyValueCache()
        cache.prepare(counts)
        with sy.no_grad():
            first = model(x, cache=cache)
            last = cache.last(first).numpy()
            cache.advance()
            np.testing.assert_array_equal(cache.positions(more).numpy(),
                                          [[n, n + 1] for n in counts])
            self.assertEqual(cache.lengths, (5, 2, 7))
            after = model(more, cache=cache).numpy()
        for i, count in enumerate(counts):
            own = sy.concat([x[i:i + 1, :count], more[i:i + 1]], axis=1)
            right = model(own).numpy()[0]
            np.testing.assert_allclose(last[i, 0], right[count - 1], 2e-5, 2e-6)
            np.testing.assert_allclose(after[i], right[count:], 2e-5, 2e-6)

    def test_what_is_discarded_is_as_if_it_had_not_been(self):
        model, x = made(Model), words(2, 6, 8)
        cache = nn.KeyValueCache()
        in_pieces(model, x, [5], cache)
        model(words(2, 3, 8), cache=cache)
        cache.discard()
        np.testing.assert_allclose(model(x[:, 5:], cache=cache).numpy(),
                                   model(x).numpy()[:, 5:], 2e-5, 2e-6)

    def test_what_is_cropped_is_as_if_it_had_not_been(self):
        model, x = made(Model), words(2, 9, 8)
        for each in (model, static.decode_step(model)):
            cache = nn.KeyValueCache(4)
            in_pieces(each, sy.concat([x[:, :4], words(2, 3, 8)], axis=1), [6, 1], cache)
            cache.crop(4)
            self.assertEqual(cache.lengths, (4, 4))
            got = in_pieces(each, x[:, 4:], [1] * 5, cache)
            np.testing.assert_allclose(got, model(x).numpy()[:, 4:], 2e-5, 2e-6)
            cache.crop(30)
            self.assertEqual(cache.lengths, (9, 9))
            cache.crop(0)
            np.testing.assert_allclose(in_pieces(each, x, [1] * 9, cache),
                                       model(x).numpy(), 2e-5, 2e-6)
        nn.KeyValueCache().crop(3)

    def test_layers(self):
        """Time first; a decoder, whose memory is read by no cache."""
        sy.seed(2)
        heads = nn.MultiHeadAttention(8, 2, batch_first=False).eval()
        x, memory, cache = words(6, 3, 8), words(3, 4, 8), nn.KeyValueCache()
        parts = []
        for i in range(6):
            parts.append(heads(x[i:i + 1], cache=cache))
            cache.advance()
        np.testing.assert_allclose(sy.concat(parts, axis=0).numpy(),
                                   heads(x, is_causal=True).numpy(), 2e-5, 2e-6)
        decoder = nn.TransformerDecoder(8, 2, 16, 2).eval()
        y = words(3, 6, 8)
        got = in_pieces(lambda part, cache: decoder(part, memory, cache=cache), y,
                        [2, 1, 1, 2], nn.KeyValueCache())
        np.testing.assert_allclose(got, decoder(y, memory).numpy(), 2e-5, 2e-6)

    def test_16_bit_numbers(self):
        model = made(Grouped)
        for dtype, bound in (("float16", 2e-3), ("bfloat16", 2e-2)):
            x = words(2, 9, 8)
            right = model(x).numpy()
            model.to(dtype)
            cache = nn.KeyValueCache(4)
            parts = []
            for i in range(9):
                parts.append(model(x[:, i:i + 1].to(dtype), cache=cache))
                cache.advance()
            self.assertEqual({t.dtype for t in cache.tensors()}, {dtype})
            got = sy.concat(parts, axis=1).to("float32").numpy()
            np.testing.assert_allclose(got, right, bound, 2 * bound)
            model.to("float32")

    def test_errors(self):
        model, cache = made(Model), nn.KeyValueCache()
        heads = model.blocks.layers[0].attention
        x = words(2, 3, 8)
        for text, call in {
                "KeyValueCache: room must be from 1, got 0":
                    lambda: nn.KeyValueCache(0),
                "advance: no layer has attended": cache.advance,
                "MultiHeadAttention: cache must be a KeyValueCache or None, got 3":
                    lambda: heads(x, cache=3),
                "MultiHeadAttention: cache must be given without key, value and masks":
                    lambda: heads(x, x, cache=cache),
                "MultiHeadAttention: query must have three axes with a cache, got 2":
                    lambda: heads(x[0], cache=cache),
                "attend: query must have four axes, got 3":
                    lambda: cache.attend(heads, x, x, x),
                "crop: length must be from 0, got -1": lambda: cache.crop(-1),
                "prepare: counts must be from 0, got -1":
                    lambda: cache.prepare([-1]),
                "decode_step: model must be a function or a Module, got 3":
                    lambda: static.decode_step(3)}.items():
            with self.subTest(text), self.assertRaisesRegex(
                    (TypeError, ValueError, RuntimeError), text):
                call()
        model(x, cache=cache)
        with self.assertRaisesRegex(RuntimeError, "attend: a layer may attend once"):
            model(x, cache=cache)
        cache.discard()
        for counts in ([1], [1, 4]):
            cache.prepare(counts)
            model(x, cache=cache)
            with self.assertRaisesRegex(ValueError, "counts must be 2 numbers up to 3"):
                cache.advance()
            cache.discard()
        self.assertIsNone(cache.lengths)
        in_pieces(model, x, [3], cache)
        with self.assertRaisesRegex(ValueError, "counts must be of 2 sequences, got 1"):
            cache.prepare([1])
        with self.assertRaisesRegex(ValueError, "of 2 sequences as before, got 3"):
            model(words(3, 1, 8), cache=cache)
        with self.assertRaisesRegex(RuntimeError, "one of those that attended first"):
            made(Model)(x, cache=cache)


class MemoryTest(unittest.TestCase):

    def test_room_doubles_and_is_written_in_place(self):
        """Within its room nothing is allocated, and nothing is written but the new
        tokens' own places."""
        model, cache = made(Model), nn.KeyValueCache(4)
        where = lambda: [t.numpy().ctypes.data for t in cache.tensors()]
        moved, rooms = 0, []
        with sy.no_grad():
            for length in range(40):
                held = [t.numpy().copy() for t in cache.tensors()]
                before = where()
                model(words(2, 1, 8), cache=cache)
                cache.advance()
                rooms.append(cache.room)
                for tensor in cache.tensors():
                    self.assertEqual(tensor.shape, (2, 4, cache.room, 2))
                if len(rooms) < 2 or rooms[-1] != rooms[-2]:
                    moved += 1
                    continue
                self.assertEqual(where(), before)
                for tensor, old in zip(cache.tensors(), held):
                    differ = (tensor.numpy() != old).any((0, 1, 3))
                    self.assertEqual(np.flatnonzero(differ).tolist(), [length])
        self.assertEqual(sorted(set(rooms)), [4, 8, 16, 32, 64])
        self.assertEqual(moved, 5)
        self.assertEqual(cache.nbytes, 4 * 2 * 4 * 64 * 2 * 4)

    def test_a_step_moves_nothing_of_the_caches_size(self):
        """No value that its program makes has the room and a head's size; no transform
        copies; what it returns of a layer is one token."""
        model, cache = made(Model), nn.KeyValueCache(512)
        step = static.decode_step(model)
        in_pieces(step, words(2, 9, 8), [7, 1, 1], cache)
        program = step.program
        lines = program.text("kernel").split("^entry")[1].split("\n")
        fed = [re.search(r"%(\w+): feed \"(keys|values)\d\" (tensor<\S+ \S+ \S+ \S+>)",
                         line) for line in lines]
        fed = [match for match in fed if match]
        self.assertEqual(len(fed), 4)
        (kind,) = {match[3] for match in fed}
        made_here = [line for line in lines if re.match(r" +%\d+ = ", line)]
        self.assertGreater(len(made_here), 50)
        self.assertEqual([line for line in made_here if kind in line], [])
        names = "|".join(match[1] for match in fed)
        readers = [line for line in made_here if re.search(rf"%({names})\b", line)]
        self.assertEqual([re.search(r"= (\S+)\(", line)[1] for line in readers],
                         ["kernel.extent"] + ["kernel.matmul"] * 4)
        feeds = {"tokens": words(2, 1, 8), "ends": sy.tensor([9, 9])}
        for i, tensor in enumerate(cache.tensors()):
            feeds[f"{('keys', 'values')[i % 2]}{i // 2}"] = tensor
        profile = program.profile(feeds)
        self.assertGreater(len(profile.steps), 50)
        moved = sum(each.bytes or 0 for each in profile.steps if each.call)
        self.assertLess(moved, cache.tensors()[0].nbytes // 8)
        for name, array in profile.outputs.items():
            if name != "logits":
                self.assertEqual(array.shape, (2, 4, 1, 2))


class TracesTest(unittest.TestCase):

    def test_one_trace_for_all_lengths_rooms_and_batches(self):
        model = made(Model)
        step = static.decode_step(model)
        programs = set()
        for number in (1, 3, 2):
            cache = nn.KeyValueCache(2)
            in_pieces(step, words(number, 70, 8), [2] + [1] * 68, cache)
            self.assertEqual(cache.room, 128)
            programs.add(id(step.program))
        self.assertEqual((step.traces, len(programs)), (1, 1))

    def test_a_step_is_specialized_once_for_each_room(self):
        """A run is specialized by the shapes that it is fed, and by nothing else where
        no extent depends on elements."""
        shapes, run = [], static.Program.run

        def recorded(program, feeds, **options):
            shapes.append(tuple(x.shape for x in feeds.values()))
            return run(program, feeds, **options)

        step = static.decode_step(made(Model))
        with mock.patch.object(static.Program, "run", recorded):
            in_pieces(step, words(2, 70, 8), [2] + [1] * 68, nn.KeyValueCache(8))
        self.assertEqual(len(shapes), 68)
        self.assertEqual(sorted({fed[2][2] for fed in shapes}), [8, 16, 32, 64, 128])
        self.assertEqual(len(set(shapes)), 5)
        text = step.program.text()
        extents = set(re.findall(r"(%\d+) = op\.extent\(", text))
        supplied = re.findall(r"op\.(?:arange\(|slice\(%\d+, )(%\d+)\)", text)
        self.assertEqual(len(supplied), 1 + 2 * 2)
        self.assertLessEqual(set(supplied), extents)
        self.assertNotRegex(text, r"op\.(nonzero|masked_select|unique)\(")

    def test_a_change_of_the_model_is_seen(self):
        model = made(Model)
        step = static.decode_step(model)
        x = words(2, 5, 8)

        def both():
            found = [in_pieces(each, x, [2, 1, 1, 1], nn.KeyValueCache())
                     for each in (model, step)]
            np.testing.assert_array_equal(*found)
            return found[0]
        first = both()
        with sy.no_grad():
            model.blocks.layers[0].linear1.weight.fill_(0.5)  # An element: no trace.
        self.assertFalse((both() == first).all())
        self.assertEqual(step.traces, 1)
        model.blocks.layers[1].linear1 = nn.Linear(8, 16)
        both()
        self.assertEqual(step.traces, 2)


if __name__ == "__main__":
    unittest.main()
