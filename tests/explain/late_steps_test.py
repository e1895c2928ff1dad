# SPDX-License-Identifier: Apache-2.0
"""Programs of which shapes follow from elements, as model_steps_test.py checks models: loops and branches of late
shapes turn by turn, planned ones in them, what is computed before a cut, attributes that values supply."""
import json
import unittest

import listed_steps
import numpy as np
import switchyard as sy
from switchyard import static


def rows(x):
    """The rows with a positive sum."""
    return sy.ops.index_select(x, sy.reshape(sy.ops.nonzero(sy.sum(x, axis=[1]) > 0.0), [-1]))


def matrix(count, positive):
    """[count, 4], of which `positive` rows are positive."""
    x = np.ones((count, 4), np.float32)
    x[positive:] = -1
    return x


class LateStepsTest(unittest.TestCase):

    def check(self, function, specs, *feeds):
        """Two feeds at least, each twice: as fresh shapes, and as known ones."""
        program = static.trace(function, *specs)
        steps = set()
        for values in feeds + feeds:
            named = dict(zip(program.feeds, values))
            want = function(*map(sy.tensor, values))
            self.assertEqual(program(*values).numpy().tobytes(), want.numpy().tobytes())
            steps.add(listed_steps.check(self, program, named))
        return program, steps

    def test_segments(self):
        _, steps = self.check(lambda x: sy.exp(sy.ops.layer_norm(rows(x))), [static.InputSpec([None, 4])],
                              [matrix(5, 2)], [matrix(300, 300)], [matrix(3, 0)])
        self.assertEqual(len(steps), 2)

    def test_a_growing_loop(self):
        def function(x, count):
            return static.while_loop(lambda n, v: n < count,
                                     lambda n, v: (n + 1, sy.concat([v, sy.sum(v, axis=0, keepdim=True)])),
                                     (sy.zeros([], "int64"), x))[1]

        program, steps = self.check(function, [static.InputSpec([None, 4]), static.InputSpec([], "int64")],
                                    [matrix(2, 1), np.array(3)], [matrix(4, 4), np.array(0)])
        self.assertEqual(len(steps), 2)
        feeds = {"x0": matrix(2, 1), "x1": np.array(3)}
        blocks = [call["blocks"] for call in json.loads(program.explain(feeds, json=True)) if call["op"] == "concat"]
        self.assertEqual(blocks, [[f"cf.while, body, turn {turn}"] for turn in (1, 2, 3)])
        text = program.explain(feeds)
        self.assertLess(text.index("cf.while, body, turn 1:"), text.index("cf.while, condition, turn 2:"))
        self.assertNotIn("turn 5", text)
        concats = [line for line in program.selections(feeds) if line.startswith("concat")]
        self.assertEqual([line.split(",")[0] for line in concats],
                         [f"concat {{float32[{extent}" for extent in (2, 3, 4)])

    def test_a_planned_loop_after_a_cut(self):
        def function(x):
            return static.while_loop(lambda n, v: n < 3, lambda n, v: (n + 1, sy.tanh(v) + 1.0),
                                     (sy.zeros([], "int64"), rows(x)))[1]

        self.check(function, [static.InputSpec([None, 4])], [matrix(5, 2)], [matrix(6, 6)])

    def test_planned_loops_and_branches_in_loops_of_late_shapes(self):
        def body(n, v):
            w = static.while_loop(lambda k, u: k < n, lambda k, u: (k + 1, sy.sin(u)), (sy.zeros([], "int64"), v))[1]
            w = static.cond(sy.sum(w) > 1.0, lambda: sy.exp(w) - 1.0, lambda: w)
            return n + 1, sy.concat([w, v[:1]])

        def function(x):
            return static.while_loop(lambda n, v: n < 4, body, (sy.zeros([], "int64"), x))[1]

        self.check(function, [static.InputSpec([None, 4])], [matrix(2, 2)], [matrix(3, 1)])

    def test_branches_of_other_shapes(self):
        def function(x):
            y = static.cond(sy.sum(x) > 0.0, lambda: sy.exp(x[:1]), lambda: sy.concat([x, x]))
            return static.cond(sy.sum(y) > 0.0, lambda: y * 2.0, lambda: sy.concat([y, x])) + 1.0

        program, _ = self.check(function, [static.InputSpec([None, 4])], [matrix(3, 2)], [matrix(3, 0)])
        taken = {tuple(call["blocks"])
                 for call in json.loads(program.explain({"x0": matrix(3, 0)}, json=True)) if call["blocks"]}
        self.assertEqual(taken, {("cf.if, else, taken",)})

    def test_a_loop_of_late_shapes_around_another(self):
        def inner(v):
            return static.while_loop(lambda u: sy.sum(u) > 10.0, lambda u: sy.masked_select(u, u < sy.max(u)), (v,))[0]

        def function(x):
            return static.while_loop(lambda n, v: n < 2, lambda n, v: (n + 1, sy.concat([inner(v), v[:1]])),
                                     (sy.zeros([], "int64"), x))[1]

        self.check(function, [static.InputSpec([None])], [np.arange(9, dtype=np.float32)],
                   [np.arange(3, dtype=np.float32)])

    def test_a_weight_on_both_sides_of_a_cut(self):
        weight = sy.tensor(np.random.default_rng(2).random((32, 32, 3, 3), np.float32))

        def convolution(x):
            return sy.sum(sy.ops.conv2d(sy.relu(x), weight, paddings=[1, 1]))

        def function(x):
            known = convolution(x)
            late = sy.reshape(sy.masked_select(x, x > 0.25), [-1, 32, 16, 16])
            return known + convolution(late)

        x = np.ones((4, 32, 16, 16), np.float32)
        x[0] = 0
        self.check(function, [static.InputSpec([None, 32, 16, 16])], [x], [x[1:]])
        self.check(function, [static.InputSpec([None, 32, None, None])], [x], [x[1:]])

    def test_attributes_that_values_supply(self):
        def function(x, sizes, k):
            y = sy.ops.expand(sy.reshape(x, [-1, sizes[0]]), [sizes[1], -1, -1])
            y = sy.ops.layer_norm(y, begin_norm_axis=2)
            y = sy.ops.pad(y, paddings=[0, 0, 0, sizes[1], 0, 0])
            return sy.topk(sy.sum(y, axis=[0]), k)[0]

        specs = [static.InputSpec([None, 4]), static.InputSpec([2], "int64"), static.InputSpec([], "int64")]
        program, _ = self.check(function, specs,
                                [matrix(6, 3), np.array([2, 3]), np.array(1)],
                                [matrix(600, 3), np.array([8, 2]), np.array(2)])
        line, = [line for line in program.selections() if line.startswith("layer_norm")]
        self.assertRegex(line, r" or .* open: depends on .*what supplies shape of")

    def test_a_run_that_is_refused(self):
        """Explain says what is known, and selections fail as the run does."""
        program = static.trace(lambda x, n: sy.exp(sy.reshape(rows(x), [n])), static.InputSpec([None, 4]),
                               static.InputSpec([], "int64"))
        feeds = {"x0": matrix(3, 2), "x1": np.array(7)}
        with self.assertRaisesRegex(ValueError, "reshape: "):
            program.selections(feeds)
        self.assertIn("exp float32[", program.explain(feeds))


if __name__ == "__main__":
    unittest.main()
