# SPDX-License-Identifier: Apache-2.0
"""Extents that are symbols, attributes from tensors, shapes told by data."""
import pathlib
import tempfile
import threading
import unittest

import numpy as np

import switchyard as sy
from switchyard import nn, static
from training_checks import MeanOf, trained

RNG = np.random.default_rng(5)


def floats(*shape):
    return RNG.normal(size=shape).astype(np.float32)


def traced(function, *specs):
    return static.trace(function, *[static.InputSpec(*s) for s in specs])


class BitsTest(unittest.TestCase):

    def check(self, function, specs, *calls):
        """A traced function has the bits of eager, whatever the extents."""
        program = traced(function, *specs)
        for arrays in calls + calls:
            eager = function(*[sy.tensor(array) for array in arrays])
            feeds = {f"x{i}": array for i, array in enumerate(arrays)}
            fetched = program.run(feeds)
            results = eager if isinstance(eager, tuple) else (eager,)
            self.assertEqual(len(results), len(fetched))
            for want, got in zip(results, fetched.values()):
                self.assertEqual(want.numpy().dtype, got.dtype)
                np.testing.assert_array_equal(want.numpy(), got)
        return program


class SymbolTest(BitsTest):

    def test_equal_symbols_are_known_to_be_equal(self):
        def function(x, y):
            self.assertEqual(repr(x.shape), "(s0, 3)")
            self.assertEqual(x.shape[0], x.shape[0])
            self.assertEqual(x.shape[0], (x + 1.0).shape[0])
            with self.assertRaisesRegex(TypeError, "known only when"):
                bool(x.shape[0] == y.shape[0])
            self.assertEqual(len({x.shape[0], (x * 2.0).shape[0]}), 1)
            with self.assertRaises(TypeError):
                range(x.shape[0])
            return x + 1.0
        traced(function, ([None, 3],), ([None, 3],))

    def test_open_extents_broadcast(self):
        a, row, two = floats(5, 3), floats(1, 3), [([None, 3],)] * 2
        program = self.check(sy.broadcast_tensors, two, (a, floats(5, 3)), (row, a),
                             (a, row), (row, row), (a[:0], row))
        with self.assertRaisesRegex(ValueError, r"expand: shape .*, got \[5, 3\] for x \[2, 3\]"):
            program(a, a[:2])
        self.check(sy.broadcast_tensors, [([None, 3],), ([5, 1],)], (a, a[:, :1]),
                   (row, a[:, :1]))
        self.check(lambda x: tuple(sy.broadcast_arrays(x[:1], x, x.sum(0))),
                   [([None, 3],)], (a,))
        self.check(lambda x, y: sy.take_along_dim(x, sy.argsort(y, 1), 1), two, (a, row),
                   (a, a % 1))
        with self.assertRaisesRegex(ValueError, r"broadcast, got \(s0, 3\) and \(4,\)"):
            traced(sy.broadcast_tensors, ([None, 3],), ([4],))

    def test_names_make_extents_equal(self):
        def function(x, y):
            self.assertEqual(x.shape[0], y.shape[0])
            return x + y
        program = self.check(function, [(["n", 2],), (["n", 2],)],
                             (floats(3, 2), floats(3, 2)))
        self.assertIn("tensor<float32[s0, 2]>", program.text())
        with self.assertRaisesRegex(ValueError, "as s0 elsewhere"):
            program.run({"x0": floats(3, 2), "x1": floats(1, 2)})

    def test_reshape_by_symbols(self):
        program = self.check(
            lambda x: x.reshape([x.shape[0], -1]), [([None, 3, 4],)],
            (floats(2, 3, 4),), (floats(5, 3, 4),))
        self.assertIn("[s0, 12]", program.text())
        self.check(lambda x: x.reshape(x.shape[1], x.shape[0], 2),
                   [([None, None, 2],)], (floats(2, 3, 2),))

    def test_arithmetic_of_symbols(self):
        self.check(lambda x: x.reshape([x.shape[0] * 2, -1]), [([None, 4],)],
                   (floats(3, 4),), (floats(1, 4),))
        self.check(lambda x: x / x.shape[0], [([None, 4],)], (floats(3, 4),))

    def test_symbols_in_other_operators(self):
        self.check(lambda x, y: sy.expand(y, [x.shape[0], 3]),
                   [([None, 2],), ([1, 3],)], (floats(4, 2), floats(1, 3)))
        self.check(lambda x: sy.full([x.shape[0], 2], 1.5) + x, [([None, 2],)],
                   (floats(4, 2),), (floats(1, 2),))
        self.check(lambda x: sy.arange(0, x.shape[0], 1, dtype="int64"),
                   [([None],)], (floats(4),), (floats(7),))

    def test_what_must_be_known(self):
        with self.assertRaisesRegex(TypeError, "axis must be an integer"):
            traced(lambda x: sy.softmax(x, axis=x.shape[0]), ([None, 2],))
        with self.assertRaisesRegex(ValueError, "shape must be of"):
            traced(lambda x: x.reshape([x.shape[0], 5]), ([None, 4],))

    def test_symbols_stay_in_their_graph(self):
        kept = []
        traced(lambda x: kept.append(x.shape[0]) or x, ([None],))
        with self.assertRaisesRegex(ValueError, "one graph"):
            traced(lambda x: x.reshape([kept[0], 1]), ([None],))


class SuppliedAttributeTest(BitsTest):

    def test_eager(self):
        x = sy.tensor(floats(2, 6))
        for shape in (sy.tensor([3, 4]), [sy.tensor(3), -1],
                      sy.tensor(np.array([3, -1], np.int32))):
            self.assertEqual(sy.reshape(x, shape).shape, (3, 4))
        self.assertEqual(x.reshape(sy.tensor([4, 3])).shape, (4, 3))

    def test_reshape_by_a_feed(self):
        program = self.check(
            lambda x, s: sy.reshape(x, s), [([2, 6],), ([2], "int64")],
            (floats(2, 6), np.array([3, 4])),
            (floats(2, 6), np.array([-1, 2])), (floats(2, 6), np.array([0, 6])))
        self.assertIn("op.reshape(%x0, %x1) {operand_segments = int32[1, 1]}",
                      program.text())
        with self.assertRaisesRegex(ValueError, "reshape: shape must be"):
            program.run({"x0": floats(2, 6), "x1": np.array([5, 5])})
        self.check(lambda x, s: sy.reshape(x, [s, -1]),
                   [([2, 6],), ([], "int32")],
                   (floats(2, 6), np.int32(3)), (floats(2, 6), np.int32(4)))

    def test_reshape_by_what_is_computed(self):
        def function(x, s):
            extent = sy.sum(s)
            y = sy.reshape(x * 2.0, [extent, -1])
            return sy.relu(y), y.sum(axis=0), extent
        self.check(function, [([None, 6],), ([None], "int64")],
                   (floats(2, 6), np.array([1, 2])),
                   (floats(4, 6), np.array([8])), (floats(2, 6), np.array([4])))

    def test_constants_are_no_operands(self):
        program = traced(lambda x, y: sy.reshape(y, [x.shape[0], 3]),
                         ([None],), ([6],))
        self.assertIn("op.extent", program.text())
        known = traced(lambda x, y: sy.reshape(y, [x.shape[0], 3]),
                       ([2],), ([6],))
        self.assertIn("shape = int64[2, 3]", known.text())

    def test_other_operators(self):
        n = np.array(3)
        for function, x in (
                (lambda x, n: sy.expand(x, [n, 4]), floats(1, 4)),
                (lambda x, n: sy.tile(x, [n, 2]), floats(2, 4)),
                (lambda x, n: sy.ops.pad(x, [n, 0, 1, n]), floats(2, 4)),
                (lambda x, n: sy.ops.slice(x, [1], [1], [n]), floats(2, 4)),
                (lambda x, n: x[:, :2] + sy.full([n, 2], 0.5), floats(3, 4)),
                (lambda x, n: sy.arange(0, n, 1), floats(1, 4))):
            self.check(function, [([None, 4],), ([], "int64")], (x, n))

    def test_floating_factors(self):
        specs = [([None, 2, None, None],), ([2], "float32")]
        program = self.check(
            lambda x, f: sy.ops.nearest_interp(x, scale=f) * 2.0, specs,
            (floats(1, 2, 3, 4), np.float32([2, 1])),
            (floats(2, 2, 5, 3), np.float32([1.5, 0.4])))
        with self.assertRaisesRegex(ValueError, "scale must be above 0"):
            program.run({"x0": floats(1, 2, 3, 4), "x1": np.float32([2, -1])})
        with self.assertRaisesRegex(TypeError, "as float32 or float64"):
            traced(lambda x, f: sy.ops.nearest_interp(x, scale=f), specs[0],
                   ([2], "int64"))

    def test_a_filling_value(self):
        self.check(lambda v: sy.full([2, 2], v), [([], "float32")],
                   (np.float32(1.5),), (np.float32(-2.0),))

    def test_saved_and_loaded(self):
        function = lambda x, s: sy.reshape(x, s) * 2.0
        program = traced(function, ([None, 6],), ([2], "int64"))
        feeds = {"x0": floats(2, 6), "x1": np.array([3, 4])}
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "program"
            program.save(path)
            loaded = static.load(path)
        self.assertEqual(loaded.text(), program.text())
        np.testing.assert_array_equal(loaded.run(feeds)["out"],
                                      program.run(feeds)["out"])

    def test_values_must_be_short_and_whole(self):
        with self.assertRaisesRegex(TypeError, "supplied as int32 or int64"):
            traced(lambda x: sy.reshape(x, x), ([4],))
        with self.assertRaisesRegex(ValueError, "known number of elements"):
            traced(lambda x, s: sy.reshape(x, s), ([4],), ([None], "int64"))

    def test_explain(self):
        program = traced(lambda x, s: sy.reshape(x, s), ([4],), ([2], "int64"))
        self.assertIn("shape=[?, ?]", program.explain())


class Patches(nn.Module):
    """A layer over pieces whose number a value tells."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(6, 4)

    def forward(self, x):
        pieces = x.reshape([x.shape[0], -1, 6])
        h = sy.tanh(self.linear(pieces))
        start = sy.ops.slice(h, [1], [0], [1])
        return sy.expand(start, [x.shape[0], 3, 4]) + h


class Repeated(nn.Module):
    """Tiled and padded by as many as there are rows."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(6, 4)

    def forward(self, x):
        h = sy.tanh(self.linear(x))
        rows = x.shape[1]
        tiled = sy.tile(h, [rows, 2, 1])
        padded = sy.ops.pad(h, [0, 0, rows, 1, 2, 0])
        return sy.mean(tiled * tiled) + sy.mean(padded * padded * padded)


class Chosen(nn.Module):
    """Selects from a layer's result by a mask."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x):
        h = self.linear(x)
        return sy.masked_select(h, x > 0.0)


class TrainingTest(unittest.TestCase):

    def test_with_unknown_extents(self):
        batches = [(floats(n, 3, 6), floats(n, 3, 4)) for n in (2, 5, 2)]
        self.assertEqual(trained(Patches, nn.MSELoss(), batches, True),
                         trained(Patches, nn.MSELoss(), batches, False))

    def test_with_two_unknown_extents_and_attributes_from_them(self):
        batches = [(floats(n, m, 6), floats(n))
                   for n, m in ((2, 3), (4, 5), (1, 2), (2, 3))]
        self.assertEqual(
            trained(Repeated, MeanOf(), batches, True,
                    inputs=static.InputSpec([None, None, 6])),
            trained(Repeated, MeanOf(), batches, False))
        with self.assertRaisesRegex(ValueError, "without names, got InputSpec"):
            trained(Repeated, MeanOf(), batches, True,
                    inputs=static.InputSpec([None, None, 6], name="x"))

    def test_through_a_mask(self):
        batches = [(floats(n, 4), floats(n)) for n in (3, 6, 3, 4)]
        self.assertEqual(trained(Chosen, MeanOf(), batches, True),
                         trained(Chosen, MeanOf(), batches, False))


class DataDependentTest(BitsTest):

    def test_against_numpy(self):
        x = np.array([[0, 2, 2], [5, 0, 2]])
        np.testing.assert_array_equal(sy.ops.nonzero(sy.tensor(x)).numpy(),
                                      np.stack(np.nonzero(x), 1))
        chosen = sy.masked_select(sy.tensor(x), sy.tensor(x) > 1)
        np.testing.assert_array_equal(chosen.numpy(), x[x > 1])
        got = sy.ops.unique(sy.tensor(x))
        want = np.unique(x, return_inverse=True, return_counts=True)
        for a, b in zip(got, want):
            np.testing.assert_array_equal(a.numpy(), b.reshape(a.shape))

    def test_alone(self):
        x, none = floats(4, 5), np.zeros((3, 5), np.float32)
        self.check(sy.ops.nonzero, [([None, 5],)], (x,), (none,), (floats(1, 5),))
        self.check(lambda x: sy.ops.unique(x), [([None, 5],)], (x,), (none,))
        self.check(lambda x: sy.masked_select(x, x > 0.5), [([None, 5],)],
                   (x,), (none,))

    def test_non_maximum_suppression(self):
        def boxes(n):
            corner = RNG.uniform(0, 4, size=(n, 2))
            return np.concatenate([corner, corner + RNG.uniform(
                1, 3, size=(n, 2))], axis=1).astype(np.float32)

        def overlap(a, b):
            sides = np.minimum(a[2:], b[2:]) - np.maximum(a[:2], b[:2])
            shared = np.prod(np.maximum(sides, 0))
            return shared / (np.prod(a[2:] - a[:2]) + np.prod(b[2:] - b[:2])
                             - shared)

        def kept(x):
            numbers = []
            for i, box in enumerate(x):
                if all(overlap(box, x[k]) <= 0.3 for k in numbers):
                    numbers.append(i)
            return numbers
        many, few = boxes(30), boxes(4)
        self.assertIn(len(kept(many)), range(2, 30))
        self.assertEqual(sy.ops.nms(sy.tensor(many), 0.3).tolist(), kept(many))
        # The boxes that stay are gathered in the same program.
        self.check(lambda x: sy.ops.gather(x, sy.ops.nms(x, 0.3)) * 2.0,
                   [([None, 4],)], (many,), (few,), (boxes(0),))
        # One class without limits: the boxes in the order of their scores.
        scores = RNG.uniform(size=30).astype(np.float32)
        best = np.argsort(-scores)
        out, index, count = sy.ops.multiclass_nms3(
            sy.tensor(many[None]), sy.tensor(scores[None, None]), None, 0.2,
            -1, -1, background_label=-1)
        want = best[[n for n in kept(many[best]) if scores[best[n]] > 0.2]]
        self.assertEqual(index.numpy()[:, 0].tolist(), want.tolist())
        self.assertEqual(count.tolist(), [len(want)])
        np.testing.assert_array_equal(out.numpy()[:, 1], scores[want])
        np.testing.assert_array_equal(out.numpy()[:, 2:], many[want])

    def test_and_what_follows(self):
        def function(x):
            rows = sy.ops.nonzero(sy.sum(x, axis=1) > 0.0)
            taken = sy.ops.gather(x, rows.reshape([-1]))
            many = sy.masked_select(taken, taken > 0.0)
            ahead = x * 3.0
            return taken, sy.sum(many * many), rows.shape[0] * 2 + many, ahead
        self.check(function, [([None, 5],)], (floats(6, 5),), (floats(2, 5),),
                   (-np.ones((2, 5), np.float32),))

    def test_from_threads(self):
        program = traced(lambda x: sy.sum(sy.masked_select(x, x > 0.0) * 2.0),
                         ([None],))
        feeds = [floats(n) for n in range(1, 9)]
        wanted = [program.run({"x0": feed})["out"] for feed in feeds]
        wrong = []

        def work():
            for feed, want in zip(feeds * 5, wanted * 5):
                if program.run({"x0": feed})["out"] != want:
                    wrong.append(feed)
        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def test_a_growing_loop(self):
        def function(x):
            return static.while_loop(
                lambda n, v: n < 4,
                lambda n, v: (n + 1, sy.concat([v, sy.sum(v, axis=0,
                                                          keepdim=True)])),
                (sy.tensor(0), x))[1]
        self.check(function, [([None, 2],)], (floats(1, 2),), (floats(3, 2),))
        self.check(function, [([2, 2],)], (floats(2, 2),))

    def test_branches_of_other_shapes(self):
        def function(x):
            return static.cond(sy.sum(x) > 0.0, lambda: sy.concat([x, x]),
                               lambda: x) * 2.0
        self.check(function, [([2],)], (np.ones(2, np.float32),),
                   (-np.ones(2, np.float32),))

    def test_inside_of_control_flow(self):
        def function(x):
            return static.while_loop(
                lambda v: sy.sum(v) > 10.0,
                lambda v: sy.masked_select(v, v < sy.max(v)), (x,))[0]
        self.check(function, [([None],)],
                   (np.arange(9, dtype=np.float32),),
                   (np.arange(3, dtype=np.float32),))


if __name__ == "__main__":
    unittest.main()
