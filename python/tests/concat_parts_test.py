# SPDX-License-Identifier: Apache-2.0
"""Concatenations whose inputs are written where they go: eager's bits, no more memory."""

import unittest

import numpy as np
import switchyard as sy
from switchyard import nn

LINE = "in place already: "


def bits(tensor):
    return tensor.contiguous().numpy().tobytes()


def in_place(text):
    """Returns the inputs that an explanation says are in place, by concatenation."""
    return [line[len(LINE):].split(", ") for line in text.splitlines()
            if line.startswith(LINE)]


class ConcatPartsTest(unittest.TestCase):

    def check(self, function, arguments, parts=None, specs=None):
        """Compares a program with eager calls; its concatenations have ``parts`` in
        place, each a list of numbers, if that is given."""
        names = [f"x{i}" for i in range(len(arguments))]
        program = sy.static.trace(function, *(specs or arguments), names=names)
        feeds = dict(zip(names, arguments))
        eager = function(*[argument.clone() for argument in arguments])
        eager = eager if isinstance(eager, (tuple, list)) else [eager]
        for threads in (1, 2):
            sy.set_num_threads(threads)
            for _ in range(2):
                got = list(program.run(feeds, tensors=True).values())
                self.assertEqual([bits(t) for t in got], [bits(t) for t in eager])
        found = in_place(program.explain(feeds))
        if parts is not None:
            self.assertEqual(
                found, [[f"x[{i}]" for i in part] for part in parts])
        return program, found

    def tearDown(self):
        sy.set_num_threads(2)

    def tensor(self, *shape, seed=0):
        return sy.tensor(np.random.default_rng(seed).standard_normal(shape).astype("float32"))

    def test_branches(self):
        x = self.tensor(1, 8, 10, 10)
        self.check(lambda x: sy.exp(sy.concat([-x, x * 2.0, sy.tanh(x)], 1)), [x],
                   [[0, 1, 2]])
        # Along axis 0, of any shape; a later axis where those before it are 1.
        y = self.tensor(16, 5)
        self.check(lambda y: -sy.concat([y + 1.0, y - 1.0], 0), [y], [[0, 1]])
        self.check(lambda y: -sy.concat([y + 1.0, y - 1.0], -1), [y], [])
        z = self.tensor(1, 1, 32)
        self.check(lambda z: -sy.concat([z + 1.0, z - 1.0], -1), [z], [[0, 1]])
        self.check(lambda x: -sy.concat([x + 1.0, x - 1.0], 1),
                   [self.tensor(2, 8, 10, 10)], [])

    def test_positions_that_are_not_aligned_are_copied(self):
        # They begin at 0, 192, 352 and 544 bytes.
        x, y = self.tensor(1, 10, 4), self.tensor(1, 12, 4, seed=1)
        self.check(lambda x, y: -sy.concat([y + 1.0, x * 2.0, -y, x - y[:, :10]], 1),
                   [x, y], [[0, 1]])

    def test_what_stays_a_copy(self):
        x = self.tensor(1, 16, 8)
        w = sy.tensor(np.ones((1, 16, 8), "float32"))
        # A feed, a constant, a result of the program, what is used twice.
        self.check(lambda x: sy.concat([x, x * 2.0, w], 1).sum(), [x], [[1]])

        def fetched(x):
            y = -x
            return y, sy.concat([y, x * 2.0], 1).sum()
        self.check(fetched, [x], [[1]])

        def twice(x):
            y = -x
            return sy.concat([y, x * 2.0, y], 1).sum()
        self.check(twice, [x], [[0, 1]])

        def in_two(x):
            y, z = -x, x * 2.0
            return sy.concat([y, z], 1).sum() + sy.exp(sy.concat([z, y], 1)).sum()
        self.check(in_two, [x], [[0, 1]])

        def part_of_a_view(x):
            y = (x * 2.0).reshape([1, 2, 8, 8])
            return sy.concat([y[:, 0], y[:, 1], sy.tanh(x)], 1).sum()
        self.check(part_of_a_view, [x], [[2]])

        def all_of_a_view(x):
            return sy.concat([(x * 2.0).reshape([1, 8, 16]).reshape([1, 16, 8]), -x], 1).sum()
        self.check(all_of_a_view, [x], [[0, 1]])

    def test_used_and_written_afterwards(self):
        x = self.tensor(1, 16, 8)

        def read(x):
            y, z = -x, x * 2.0
            c = sy.concat([y, z], 1)
            return sy.exp(c).sum() + (y * z).sum() + sy.tanh(c.reshape([-1])).sum()
        self.check(read, [x], [[0, 1]])

        def whole_written(x):
            y, z = -x, x * 2.0
            c = sy.concat([y, z], 1)
            c.exp_()
            return c * 3.0, y * z
        self.check(whole_written, [x])

        def part_written(x):
            y, z = -x, x * 2.0
            c = sy.concat([y, z], 1)
            y.exp_()
            return c * 3.0, y * z
        self.check(part_written, [x])

        def written_before(x):
            y = -x
            y.exp_()
            return sy.concat([y, x * 2.0], 1).sum()
        self.check(written_before, [x], [[0, 1]])

    def test_results_of_the_program(self):
        x = self.tensor(1, 16, 8)
        self.check(lambda x: sy.concat([-x, x * 2.0], 1), [x], [[0, 1]])
        self.check(lambda x: sy.concat([-x, sy.concat([x * 2.0, x + 1.0], 1)], 1), [x],
                   [[0, 1], [0, 1]])

        def two(x):
            y = -x
            c = sy.concat([y, x * 2.0], 1)
            return c, c, sy.concat([c.exp(), y + 1.0], 1), y.sum()
        self.check(two, [x], [[0, 1], [0, 1]])

        def inner_too(x):
            c = sy.concat([-x, x * 2.0], 1)
            return sy.concat([c, x + 1.0], 1), c
        self.check(inner_too, [x], [[0, 1], [1]])

        def viewed(x):
            c = sy.concat([-x, x * 2.0], 1)
            return c.reshape([2, 16, 8]), c[:, 3:5]
        self.check(viewed, [x], [[0, 1]])

        def written(x):
            y = -x
            c = sy.concat([y, x * 2.0], 1)
            c.exp_()
            return c, y * 1.0
        self.check(written, [x])

    def test_a_result_keeps_its_elements(self):
        """Each run has memory of its own for what it returns."""
        program = sy.static.trace(lambda x: sy.concat([-x, x * 2.0], 1),
                                  sy.TensorSpec([1, 16, 8], "float32"), names=["x"])
        xs = [self.tensor(1, 16, 8, seed=i) for i in range(5)]
        kept = [list(program.run({"x": x}, tensors=True).values())[0] for x in xs]
        for x, got in zip(xs, kept, strict=True):
            self.assertEqual(bits(got), bits(sy.concat([-x, x * 2.0], 1)))
        (planned, _, _) = program._compiled.memory({"x": xs[0]})
        self.assertEqual(sum(size for _, size in planned), 0)

    def test_results_of_new_sizes(self):
        """Parts that are in place with some extents and not with others."""
        def function(x):
            return sy.concat([sy.tanh(x), x * 2.0, x[:, :1] + 1.0], 1), (-x).sum()
        program = sy.static.trace(function, sy.TensorSpec([None, None, None], "float32"),
                                  names=["x"])
        for i in range(200):
            x = self.tensor(1 + (i % 9 == 4), 1 + (37 * i) % 53, [16, 5, 1][i % 3], seed=i)
            for got, right in zip(program.run({"x": x}, tensors=True).values(), function(x),
                                  strict=True):
                self.assertEqual(bits(got), bits(right))

    def test_dense_layers(self):
        x = self.tensor(1, 16, 8)

        def dense(x):
            c = x * 2.0
            for i in range(6):
                c = sy.concat([c, sy.tanh(c[:, :16]) * float(i)], 1)
            return -c
        program, found = self.check(dense, [x])
        self.assertEqual(found, [["x[0]", "x[1]"]] * 6)
        (_, total), = program._compiled.memory({"x0": x})[0]
        self.assertLessEqual(total, 7 * 16 * 8 * 4 + 3 * 16 * 8 * 4)

    def test_extents_that_a_run_tells(self):
        specs = [sy.TensorSpec([None, None, 8], "float32")]
        for _ in range(2):
            for n, channels in [(1, 16), (3, 16), (1, 4), (1, 3), (0, 5), (1, 0), (1, 32),
                                (2, 2), (1, 7), (1, 64)]:
                with self.subTest(n=n, channels=channels):
                    self.check(lambda x: sy.exp(sy.concat(
                        [-x, x * 2.0, sy.concat([x + 1.0, x - 1.0], 1)], 1)) + 1.0,
                        [self.tensor(n, channels, 8)], specs=specs)

    def test_new_sizes(self):
        def function(x):
            return -sy.concat([x[:, :2] * 3.0, sy.tanh(x), -x], 1)
        program = sy.static.trace(function, sy.TensorSpec([None, None], "float32"), names=["x"])
        for i in range(300):
            x = self.tensor(1 + (i % 7 == 0), 4 + (37 * i) % 211, seed=i)
            got = list(program.run({"x": x}, tensors=True).values())[0]
            self.assertEqual(bits(got), bits(function(x)))

    def test_blocked_layout(self):
        sy.manual_seed(0)
        one, two = nn.Conv2D(16, 16, 3, padding=1), nn.Conv2D(16, 24, 1)
        last = nn.Conv2D(40, 8, 3, padding=1)
        x = self.tensor(1, 16, 12, 12)
        self.check(lambda x: last(sy.concat([one(x), two(x)], 1)), [x])

    def test_random_programs(self):
        found = 0
        for seed in range(120):
            random = np.random.default_rng(seed)
            lead = [[1], [1, 1], []][seed % 3]
            shape = lead + [int(random.choice([1, 4, 8, 16])), int(random.choice([1, 3, 4, 16]))]
            axis = len(lead)
            plan = [[int(n) for n in random.integers(0, 1000, 6)]
                    for _ in range(int(random.integers(4, 24)))]

            # A reshape of what is written may be a copy or not, which is refused.
            views = seed % 2 == 0

            def program(x, y, plan=plan, shape=shape, axis=axis, views=views):
                made = [x, y]
                sizes = [shape[axis]] * 2  # Along the axis.
                for kind, a, b, c, d, e in plan:
                    i, j = -1 - a % min(4, len(made)), -1 - b % min(6, len(made))
                    one, size = made[i], sizes[i]
                    kind %= 12
                    if kind < 5:
                        parts = [i, j, c % len(made), d % len(made)][:2 + e % 3]
                        if sum(sizes[part] for part in parts) > 500:
                            continue
                        made.append(sy.concat([made[part] for part in parts], axis))
                        size = sum(sizes[part] for part in parts)
                    elif kind == 5 and not views and one is not x and one is not y:
                        one.tanh_()
                        continue
                    elif kind == 6 and views:
                        whole = shape[:axis] + [size] + shape[axis + 1:]
                        made.append(one.reshape([-1]).reshape(whole))
                    elif kind == 7 and views and size > 1:
                        made.append(one[tuple([slice(None)] * axis + [slice(c % size, size)])])
                        size -= c % size
                    elif kind == 8 and size == sizes[j]:
                        made.append(one + made[j])
                    else:
                        made.append([sy.tanh, lambda t: t * 0.5, lambda t: -t][e % 3](one))
                    sizes.append(size)
                return [made[-1]] + [t * 1.0 for t in made[2::3]]

            with self.subTest(seed=seed):
                arguments = [self.tensor(*shape, seed=seed), self.tensor(*shape, seed=seed + 500)]
                specs = [sy.TensorSpec(shape, "float32")] * 2
                found += len(self.check(program, arguments, specs=specs)[1])
        self.assertGreater(found, 100)


if __name__ == "__main__":
    unittest.main()
