# SPDX-License-Identifier: Apache-2.0
"""Programs that replace elements of a state: they are written where they are, once
nothing reads the old ones, and a run that fails puts them back."""
import re
import unittest

import numpy as np

import switchyard as sy
from switchyard import nn, static

DRAW = np.random.default_rng(0)
ROOM, HEADS, SIZE = 64, 4, 8


def words(*shape):
    return DRAW.standard_normal(shape).astype(np.float32)


class Decoder(nn.Module):
    """Attention of one token to those that its caches hold, itself included."""

    def __init__(self, room=ROOM):
        super().__init__()
        for name in ("keys", "values"):
            self.register_buffer(name, sy.zeros([2, HEADS, room, SIZE]))
        self.project = nn.Linear(HEADS * SIZE, 3 * HEADS * SIZE)

    def forward(self, x, at):
        parts = self.project(x).reshape([2, 3, HEADS, SIZE])
        query, key, value = (parts[:, i] for i in range(3))
        self.keys[:, :, at] = key
        self.values[:, :, at] = value
        scores = sy.matmul(query.unsqueeze(2), self.keys, transpose_y=True)
        seen = sy.arange(0, self.keys.shape[2], 1, "int64") <= at
        weights = sy.softmax(sy.where(seen, scores, sy.full([], -np.inf)), -1)
        return sy.matmul(weights, self.values).reshape([2, HEADS * SIZE])


def traced(function, *examples):
    return static.trace(function, *(static.InputSpec(x.shape, str(x.dtype))
                                    for x in examples))


def in_place(program):
    """How many calls write the memory of a state."""
    return len(re.findall(r"kernel\.(?:put_along_axis|legacy_set_value)\(.*inplace = int32\[0\]",
                          program.text("kernel")))


class Held:
    """A function that writes a state of [3, 5], and reads it."""

    def __init__(self, body):
        self.state = sy.tensor(np.arange(15, dtype=np.float32).reshape(3, 5))
        self.body = body

    def __call__(self, *inputs):
        return self.body(self.state, *inputs)


class DecodeTest(unittest.TestCase):

    def test_each_token_has_the_bits_of_eager_code(self):
        sy.seed(1)
        model = Decoder().eval()
        program = traced(model, words(2, HEADS * SIZE), np.array(0))
        held = [model.keys.clone(), model.values.clone()]
        xs = [words(2, HEADS * SIZE) for _ in range(ROOM)]
        with sy.no_grad():
            right = [model(sy.tensor(x), sy.tensor(at)).numpy()
                     for at, x in enumerate(xs)]
            kept = [model.keys.numpy().copy(), model.values.numpy().copy()]
            model.keys.copy_(held[0])
            model.values.copy_(held[1])
        places = [t.numpy().ctypes.data for t in (model.keys, model.values)]
        for at, x in enumerate(xs):
            (got,) = program.run({"x0": x, "x1": np.array(at)}).values()
            np.testing.assert_array_equal(got, right[at])
        for state, elements, place in zip((model.keys, model.values), kept, places):
            np.testing.assert_array_equal(state.numpy(), elements)
            self.assertEqual(state.numpy().ctypes.data, place)

    def test_nothing_of_the_caches_size_is_made_or_moved(self):
        model = Decoder(4096).eval()
        x, at = words(2, HEADS * SIZE), np.array(9)
        program = traced(model, x, at)
        self.assertEqual(in_place(program), 2)
        text = program.text("kernel").split("^entry")[1].split("builtin.return")[0]
        kind = "tensor<float32[2, 4, 4096, 8]>"
        made = [line for line in text.split("\n") if line.rstrip().endswith(kind)
                and " = " in line]
        self.assertEqual(len(made), 2)  # The writes, whose memory is the states'.
        for line in made:
            self.assertIn("kernel.put_along_axis", line)
        places, _, _ = program._compiled.memory({"x0": sy.tensor(x), "x1": sy.tensor(at)})
        planned = sum(size for _, size in places)
        self.assertLess(planned, model.keys.nbytes // 2)
        profile = program.profile({"x0": x, "x1": at})
        moved = sum(each.bytes or 0 for each in profile.steps if each.call)
        self.assertLess(moved, model.keys.nbytes // 16)

    def test_no_position_specializes_again(self):
        model = Decoder().eval()
        program = traced(model, words(2, HEADS * SIZE), np.array(0))
        # It is read as a tensor, from whose elements no extent or attribute follows.
        readers = re.findall(r"op\.(\w+)\((?:%\w+, )*%x1[,)]", program.text())
        self.assertEqual(set(readers), {"reshape", "less_equal"})
        self.assertEqual(set(re.findall(r"op\.reshape\(\S+, \S+\)", program.text())),
                         set())


class FailureTest(unittest.TestCase):

    BODIES = {
        "one place": lambda s, x, at, row: s.__setitem__(at, x),
        "places, one twice": lambda s, x, at, row: s.__setitem__(
            sy.stack([at, row, at]), x),
        "along the last axis": lambda s, x, at, row: s.__setitem__(
            (slice(None), at), x[:3]),
        "a row": lambda s, x, at, row: s.__setitem__(1, x),
        "a column": lambda s, x, at, row: s.__setitem__((slice(None), -2), x[:3]),
        "every other": lambda s, x, at, row: s.__setitem__(
            (slice(0, 3, 2), slice(1, 5, 2)), x[:2]),
    }

    def test_a_run_that_fails_puts_back_what_it_replaced(self):
        """The last call of the program refuses its index in a run of two."""
        for first in self.BODIES:
            for second in self.BODIES:
                with self.subTest(first=first, second=second):
                    self.check(self.BODIES[first], self.BODIES[second])

    def check(self, first, second):
        def body(state, x, at, row):
            first(state, x, at, row)
            second(state, x * 2, row, at)
            total = state.sum()
            return sy.reshape(total, [1])[row]

        held, eager = Held(body), Held(body)
        inputs = [words(5), np.array(1), np.array(0)]
        program = traced(held, *inputs)
        self.assertEqual(in_place(program), 2)
        place = held.state.numpy().ctypes.data
        feeds = dict(zip(("x0", "x1", "x2"), inputs))
        (got,) = program.run(feeds).values()
        np.testing.assert_array_equal(got, eager(*map(sy.tensor, inputs)).numpy())
        before = held.state.numpy().copy()
        np.testing.assert_array_equal(before, eager.state.numpy())
        wrongs = [{"x2": np.array(2)}]
        if re.search(r"\(.*%x1\b", program.text("kernel").split("):", 1)[1]):
            wrongs.append({"x1": np.array(7)})
        for wrong in wrongs:
            with self.assertRaisesRegex((ValueError, IndexError), "ind"):
                program.run({**feeds, "x0": words(5), **wrong})
            np.testing.assert_array_equal(held.state.numpy(), before)
        program.run(feeds)
        self.assertEqual(held.state.numpy().ctypes.data, place)


class OldValueTest(unittest.TestCase):
    """Programs that read what they replace have a copy of it, and eager's bits."""

    def check(self, count, body):
        held, eager = Held(body), Held(body)
        inputs = [words(5), np.array(1)]
        program = traced(held, *inputs)
        self.assertEqual(in_place(program), count, program.text("kernel"))
        for _ in range(3):
            got = list(program.run({"x0": inputs[0], "x1": inputs[1]}).values())
            right = eager(*map(sy.tensor, inputs))
            right = right if isinstance(right, tuple) else (right,)
            for one, other in zip(got, right, strict=True):
                np.testing.assert_array_equal(one, other.numpy())
            np.testing.assert_array_equal(held.state.numpy(), eager.state.numpy())

    def test_old_values(self):
        def read_before(state, x, at):
            old = state.sum()
            state[at] = x
            return old + state.sum()

        def read_after(state, x, at):
            old = state * 1
            state[at] = x
            return old + state

        def old_fetched(state, x, at):
            old = state.clone()
            state[at] = x
            return old, state * 2

        def new_fetched(state, x, at):
            state[at] = x
            return state.clone()

        def shifted(state, x, at):
            state[:, 1:] = state[:, :-1].clone()
            state[at] = x
            return state.sum()

        def doubled(state, x, at):
            state[at] = state[2] + x
            state.multiply_(2)
            return state.sum()

        for count, body in ((1, read_before), (1, read_after), (0, old_fetched),
                            (1, new_fetched), (1, doubled)):
            with self.subTest(body=body.__name__):
                self.check(count, body)
        held, eager = Held(shifted), Held(shifted)
        x, at = words(5), np.array(1)
        program = traced(held, x, at)
        program.run({"x0": x, "x1": at})
        eager(sy.tensor(x), sy.tensor(at))
        np.testing.assert_array_equal(held.state.numpy(), eager.state.numpy())

    def test_a_state_that_is_not_updated_is_not_written(self):
        held = sy.tensor(np.zeros([3, 5], np.float32))

        def body(x, at):
            mine = held * 1
            mine[at] = x
            return held.scatter(0, sy.zeros([1, 5], "int64"),
                                sy.reshape(x, [1, 5])), mine
        program = traced(body, words(5), np.array(1))
        self.assertEqual(in_place(program), 0)
        program.run({"x0": words(5), "x1": np.array(1)})
        self.assertFalse(held.numpy().any())

    def test_a_feed_that_lies_in_the_state_is_copied(self):
        held = Held(lambda state, x, at: (state.__setitem__(at, x + 1), x * 2)[1])
        program = traced(held, words(5), np.array(1))
        self.assertEqual(in_place(program), 1)
        row = held.state[1]
        (got,) = program.run({"x0": row, "x1": np.array(1)}).values()
        np.testing.assert_array_equal(got, np.arange(5, 10) * 2.0)
        np.testing.assert_array_equal(held.state.numpy()[1], np.arange(6, 11))


if __name__ == "__main__":
    unittest.main()
