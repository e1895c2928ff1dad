# SPDX-License-Identifier: Apache-2.0
"""Fallbacks of programs on the simulated device: their receipts, whose sums are
those of eager calls; those that only a run's extents decide; strict policies."""
import pathlib
import sys
import unittest

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parent))  # With sim linked.

import switchyard as sy  # noqa: E402
from switchyard import static  # noqa: E402

# A convolution has the device's kernel if its images are large; these others
# have none.
OFF = {"sim_cpu": ["cumsum", "conv2d", "topk", "multiply"],
       "sim_onednn": ["multiply"]}
LENIENT = sy.policy(allow_fallback=True, off=OFF)
STRICT = sy.policy(allow_fallback=True, strict=True, off=OFF)
# The copies of six elements of float32 to the host and back.
BYTES = 2 * 6 * 4


def receipts(call):
    """The log that a call leaves, by operator and location; a sum of each."""
    sy._core.clear_fallback_log()
    call()
    return {(one["op"], one["location"]): (one["count"], one["bytes"])
            for one in sy.fallback_log()}


def line_of(text):
    """This file's location of the line that ends with `text`."""
    lines = pathlib.Path(__file__).read_text().splitlines()
    number, = [i for i, line in enumerate(lines, 1) if line.endswith(text)]
    return f"program_fallbacks_test.py:{number}"


class ProgramFallbacksTest(unittest.TestCase):

    def setUp(self):
        sy.set_default_place("sim:0")
        self.addCleanup(sy.set_default_place, "cpu")
        self.x = np.arange(6, dtype=np.float32).reshape(2, 3)

    def trace(self, function, *args, policy=LENIENT):
        return static.trace(function, *args, policy=policy)

    def check(self, got, location, count, size):
        """One operator fell back, at this line."""
        (op, where), sums = next(iter(got.items()))
        self.assertEqual(len(got), 1)
        self.assertTrue(where.endswith(location), where)
        self.assertEqual(sums, (count, size))
        return op

    def test_each_call_of_a_run_leaves_what_an_eager_one_does(self):
        calls = (lambda x: sy.ops.cumsum(x, axis=1),
                 lambda x: sy.topk(x, 2),
                 lambda x: sy.multiply(x, x[:1]))
        for call in calls:
            program = self.trace(call, self.x)
            with LENIENT:
                x = sy.tensor(self.x)
                eager = receipts(lambda: call(x))
            done = receipts(lambda: program({"x0": self.x}))
            self.assertEqual({op for op, where in eager if where == ""},
                             {op for op, where in done if where})
            self.assertEqual(list(eager.values()), list(done.values()))
            self.assertGreater(next(iter(done.values()))[1], 0)
            got = program(self.x)
            got = got[1] if isinstance(got, tuple) else got
            self.assertEqual(got.place, "sim:0")

    def test_runs_and_lines_are_told_apart(self):
        def twice(x):
            y = sy.ops.cumsum(x, axis=0)  # First.
            return sy.ops.cumsum(sy.exp(y), axis=1)  # Second.

        program = self.trace(twice, self.x)
        program(self.x)
        got = receipts(lambda: [program(self.x) for _ in range(3)])
        self.assertEqual([(op, sums) for (op, _), sums in got.items()],
                         [("cumsum", (3, 3 * BYTES))] * 2)
        for (_, where), mark in zip(got, ("First.", "Second.")):
            self.assertTrue(where.endswith(line_of(f"# {mark}")), where)

    def test_the_profile_and_explain_say_so(self):
        program = self.trace(lambda x: sy.exp(sy.ops.cumsum(x, axis=1)), self.x)
        steps = program.profile({"x0": self.x}).steps
        fell = [step for step in steps if step.fallback]
        self.assertEqual([(s.op, s.call) for s in fell],
                         [("copy", "cumsum"), ("cumsum", ""), ("copy", "cumsum")])
        self.assertEqual(sum(s.bytes for s in fell if s.call), BYTES)
        self.assertEqual([s.op for s in steps if not s.fallback], ["exp"])
        line, other = program.selections({"x0": self.x})
        self.assertRegex(line, r"-> cpu float32 .* fallback: sim:0 -> cpu$")
        self.assertNotIn("fallback", other)
        with LENIENT, sy.record_selections() as log:
            sy.ops.cumsum(sy.tensor(self.x), axis=1)
        self.assertEqual(line, log[0])

    def test_blocks_count_each_time_that_they_run(self):
        def looped(x):
            def body(i, y):
                return i + 1, sy.ops.cumsum(y, axis=1)  # In a loop.

            return static.while_loop(lambda i, y: i < 4, body,
                                     (sy.tensor(0), x))[1]

        program = self.trace(looped, self.x)
        got = receipts(lambda: program(self.x))
        self.check(got, line_of("# In a loop."), 4, 4 * BYTES)

    def test_late_shapes(self):
        def chosen(x):
            late = sy.masked_select(x, x > 2.5)
            return sy.ops.cumsum(late, axis=0)  # Late.

        program = self.trace(chosen, self.x)
        for floor, count in ((0, 3), (1, 4), (3, 6)):
            got = receipts(lambda: program(self.x + floor))
            self.check(got, line_of("# Late."), 1, 2 * count * 4)
        # Without elements nothing falls back, as in eager calls.
        self.assertEqual(receipts(lambda: program(self.x - 9)), {})

    def convolution(self, policy):
        weight = sy.tensor(np.ones([32, 32, 3, 3], np.float32))
        return self.trace(
            lambda x: sy.ops.conv2d(sy.relu(x), weight),  # Of open extents.
            static.InputSpec([1, 32, None, None]), policy=policy)

    def test_only_the_extents_of_a_run_decide(self):
        program = self.convolution(LENIENT)
        line, = [one for one in program.selections() if one[:4] == "conv"]
        self.assertRegex(line, "-> sim_onednn .* or cpu .* open: depends on")
        small, large = (np.random.default_rng(2).random([1, 32, size, size],
                                                        np.float32)
                        for size in (5, 40))
        for _ in range(2):
            self.assertEqual(receipts(lambda: program(large)), {})
            got = receipts(lambda: program(small))
            size = 4 * (small.size + 32 * 32 * 9 + 32 * 3 * 3)
            self.check(got, line_of("# Of open extents."), 1, size)
        for images, backend in ((small, "cpu"), (large, "sim_onednn")):
            feeds = {"x0": images}
            line, = [one for one in program.selections(feeds)
                     if one[:4] == "conv"]
            self.assertIn(f" -> {backend} float32", line)
            self.assertEqual(" fallback: sim:0 -> cpu" in line, backend == "cpu")
            with LENIENT:
                want = sy.ops.conv2d(sy.relu(sy.tensor(images)),
                                     sy.ones([32, 32, 3, 3]))
            got = program(images)
            self.assertEqual(got.place, "sim:0")
            self.assertEqual(got.tolist(), want.tolist())

    def test_strict_refuses_as_early_as_it_can_be_known(self):
        said = "cumsum: a strict policy forbids the fallback to cpu"
        with self.assertRaisesRegex(RuntimeError, said):
            self.trace(lambda x: sy.ops.cumsum(x, axis=1), self.x, policy=STRICT)
        program = self.convolution(STRICT)
        large, small = (np.ones([1, 32, size, size], np.float32)
                        for size in (40, 5))
        self.assertEqual(tuple(program(large).shape), (1, 32, 38, 38))
        sy._core.clear_fallback_log()
        with self.assertRaisesRegex(
                RuntimeError, "conv2d: a strict policy forbids the fallback to "
                r"cpu, and there is no kernel for(.|\n)*" +
                line_of("# Of open extents.")):
            program(small)
        self.assertEqual(sy.fallback_log(), [])
        self.assertEqual(tuple(program(large).shape), (1, 32, 38, 38))

    def test_a_state_that_a_fallback_writes(self):
        builder = sy._core.GraphBuilder("count")
        state = sy._core.State()
        state["sum"] = sy.tensor(self.x)
        x = builder.feed("x", [2, None], "float32")
        total = builder.state("sum", state["sum"])
        builder.update("sum", sy.multiply(total, x))
        program = builder.finish(policy=LENIENT)
        for _ in range(2):
            program.run({"x": self.x}, state)
        self.assertEqual(state["sum"].place, "sim:0")
        self.assertEqual(state["sum"].tolist(), (self.x**3).tolist())


if __name__ == "__main__":
    unittest.main()
