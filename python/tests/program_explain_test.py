# SPDX-License-Identifier: Apache-2.0
"""Policies reach programs, and a program says why it has its kernels."""
import json
import re
import unittest

import numpy as np

import switchyard as sy
from switchyard import nn, static


def network(x):
    return sy.softmax(sy.ops.transpose(x, [1, 0]) * 2.0, axis=1)


def chosen(text):
    """The file and line of each chosen kernel."""
    return re.findall(r"^chosen: .*\((.*)\)$", text, re.MULTILINE)


def files(lines):
    return [re.search(r"-> .*? \((.*?)\)", line)[1] for line in lines]


def transforms(line):
    return re.search("transforms: .*?(?= fallback:|$)", line)[0]


def normalized(x):
    """Runs on oneDNN's kernel unless a policy says otherwise."""
    return sy.ops.layer_norm(x)


class PolicyTest(unittest.TestCase):

    def backends(self, program, feeds):
        return {re.search(r"-> (?:fluid )?(\w+) ", line)[1]
                for line in program.selections(feeds)}

    def test_the_argument_and_the_thread(self):
        x = np.ones((64, 1000), np.float32)
        feeds = {"x0": x}
        default = static.trace(normalized, x)
        self.assertEqual(self.backends(default, feeds), {"onednn"})
        for policy in (sy.policy(backends=["cpu"]), "backend=cpu"):
            program = static.trace(normalized, x, policy=policy)
            self.assertEqual(self.backends(program, feeds), {"cpu"})
        with sy.policy(backends=["cpu"]):
            inside = static.trace(normalized, x)
            explicit = static.trace(normalized, x, policy="default")
        # It is the program's own from then on.
        self.assertEqual(self.backends(inside, feeds), {"cpu"})
        self.assertEqual(self.backends(inside.export(["out"]), feeds), {"cpu"})
        self.assertEqual(self.backends(explicit, feeds), {"onednn"})
        with sy.policy(backends=["cpu"]), sy.record_selections() as log:
            want = normalized(sy.tensor(x)).numpy()
        self.assertEqual(inside.run(feeds)["out"].tobytes(), want.tobytes())
        self.assertEqual(inside.selections(feeds), log)

    def test_constants_are_computed_under_it_too(self):
        x = np.ones(2, np.float32)
        with self.assertRaisesRegex(NotImplementedError, "origin must be fluid"):
            static.trace(lambda v: v + sy.exp(v), x, policy="origin=fluid")

    def test_train_step(self):
        x = np.ones((64, 1000), np.float32)
        labels = np.zeros((64, 1), np.int64)
        for policy in (None, "backend=cpu"):
            sy.seed(1)
            model = nn.Linear(1000, 1000)
            step = static.train_step(
                model, lambda out, y: sy.ops.mean(normalized(out)),
                sy.optim.SGD(model.parameters(), 0.1), policy=policy)
            step(x, labels)
            used = self.backends(step.program, {"inputs": x, "labels": labels})
            self.assertEqual("onednn" in used, policy is None)

    def test_what_is_no_policy(self):
        x = np.ones(2, np.float32)
        with self.assertRaisesRegex(TypeError, "policy must be a switchyard.po"):
            static.trace(sy.exp, x, policy=3)
        with self.assertRaisesRegex(ValueError, "policy must be origin=phi"):
            static.trace(sy.exp, x, policy="fast")


class ProgramExplainTest(unittest.TestCase):

    def test_known_shapes_say_what_runs(self):
        x = np.ones((1000, 64), np.float32)
        program = static.trace(network, x)
        for array in (x, x[:3]):
            feeds = {"x0": array}
            text = program.explain(feeds)
            lines = program.selections(feeds)
            self.assertEqual(chosen(text), files(lines))
            self.assertEqual(re.findall("^transforms: .*", text, re.MULTILINE),
                             [transforms(line) for line in lines])
            self.assertNotIn("undecided", text)

    def test_an_unknown_feed_is_named(self):
        program = static.trace(normalized, static.InputSpec([None, 1000]))
        feeds = {"x": np.ones((2, 1000), np.float32)}
        for ask in (program.selections, program.explain, program.run):
            with self.assertRaisesRegex(
                    ValueError, "feed must be one of x0, got x$"):
                ask(feeds)

    def test_calls_say_where_they_come_from(self):
        def function(x):
            return static.cond(sy.sum(x) > 0.0, lambda: sy.exp(x), lambda: x)

        here = function.__code__.co_firstlineno + 1
        text = static.trace(function, np.ones(3, np.float32)).explain()
        at = rf"location: .*program_explain_test\.py:{here}\n"
        for line in ("sum float32", "exp float32", "cf.if, then:", "cf.if, else:"):
            self.assertRegex(text, rf"(?m)^{line}.*\n{at}")

    def test_a_network_of_convolutions(self):
        x = np.ones((1, 64, 56, 56), np.float32)
        program = static.trace(nn.Sequential(
            nn.Conv2D(64, 64, 3, padding=1), nn.Conv2D(64, 64, 3, padding=1)), x)
        feeds = {"x0": x}
        text = program.explain(feeds)
        lines = program.selections(feeds)
        self.assertEqual(chosen(text), files(lines))
        self.assertEqual(re.findall("^transforms: .*", text, re.MULTILINE),
                         [transforms(line) for line in lines])

    def test_open_extents_leave_candidates_undecided(self):
        program = static.trace(normalized, static.InputSpec([None, 1000]))
        text = program.explain()
        self.assertIn("layer_norm float32[s0, 1000]", text)
        self.assertRegex(text, r"1\. onednn .*\n +undecided: numel\(x\) must be at "
                               r"least \d+, got")
        self.assertIn("to ask again when shapes are known: onednn", text)
        large = program.explain({"x0": np.ones((64, 1000), np.float32)})
        self.assertRegex(large, r"1\. onednn .*\n +chosen")
        empty = program.explain({"x0": np.ones((0, 1000), np.float32)})
        self.assertRegex(empty, r"1\. onednn .*\n +refused: numel")

    def test_what_is_open_says_what_it_depends_on(self):
        program = static.trace(
            lambda x, y: (normalized(x), sy.exp(y)),
            static.InputSpec([None, 1000]), static.InputSpec([3]))
        line = "depends on s0 (axis 0 of feed x0)"
        text = program.explain()
        self.assertIn(f"open until shapes are known: {line}\n", text)
        first, second = program.selections()
        self.assertRegex(first, r"^layer_norm float32\[s0, 1000\].* -> onednn "
                                r"float32 \(.*\) or cpu float32 \(.*\) open: ")
        self.assertTrue(first.endswith(line))
        # A call that needs no extent is final.
        self.assertRegex(second, r"^exp float32\[3\] -> .* transforms: none$")
        calls = json.loads(program.explain(json=True))
        self.assertEqual([call["open"] for call in calls],
                         [["s0 (axis 0 of feed x0)"], []])
        feeds = {"x0": np.ones((64, 1000), np.float32)}
        self.assertNotIn("open", program.explain(feeds))
        self.assertNotIn(" open: ", " ".join(program.selections(feeds)))

    def test_a_view_of_open_extents_may_be_contiguous(self):
        program = static.trace(
            lambda x: sy.softmax(sy.ops.transpose(x, [1, 0]), axis=1),
            static.InputSpec([None, 4]))
        line = ("undecided until shapes are known: contiguous x, which a "
                "contiguous view does not need")
        self.assertIn(line, program.explain())
        self.assertNotIn(line, program.explain(
            {"x0": np.ones((3, 4), np.float32)}))

    def test_branches_and_loops(self):
        def function(x):
            y = static.while_loop(
                lambda i, v: i < 3, lambda i, v: (i + 1, sy.tanh(v)),
                (sy.tensor(np.int64(0)), x))[1]
            return static.cond(sy.ops.sum(y) > 0.0, lambda: sy.exp(y),
                               lambda: sy.sin(y))
        program = static.trace(function, static.InputSpec([None, 4]))
        text = program.explain()
        order = ["cf.while, condition:", "less_than", "cf.while, body:", "tanh",
                 "end of cf.while", "cf.if, then:", "exp float32[s0, 4]",
                 "cf.if, else:", "sin float32[s0, 4]", "end of cf.if"]
        at = [text.index(word) for word in order]
        self.assertEqual(at, sorted(at))
        feeds = {"x0": np.ones((2, 4), np.float32)}
        self.assertEqual(chosen(program.explain(feeds)),
                         files(program.selections(feeds)))

    def test_as_json(self):
        def function(x):
            y = static.while_loop(
                lambda i, v: i < 3, lambda i, v: (i + 1, sy.tanh(v)),
                (sy.tensor(np.int64(0)), x))[1]
            return sy.softmax(y, axis=1)
        here = function.__code__.co_firstlineno + 4
        program = static.trace(function, static.InputSpec([None, 4]))
        calls = json.loads(program.explain(json=True))
        text = program.explain()
        self.assertEqual([call["op"] for call in calls],
                         re.findall(r"(?m)^(\w+) .*\nlocation: ", text))
        blocks = {call["op"]: call["blocks"] for call in calls}
        self.assertEqual(blocks["less_than"], ["cf.while, condition"])
        self.assertEqual(blocks["tanh"], ["cf.while, body"])
        self.assertEqual(blocks["softmax"], [])
        softmax = calls[-1]
        self.assertRegex(softmax["location"], rf"program_explain_test\.py:{here}$")
        chosen_ones = [one for one in softmax["candidates"]
                       if one["outcome"] == "chosen"]
        self.assertEqual(len(chosen_ones), 1)
        self.assertIn("chosen: ", text)
        # The view of an open extent may turn out to be contiguous.
        program = static.trace(
            lambda x: sy.softmax(sy.ops.transpose(x, [1, 0]), axis=1),
            static.InputSpec([None, 4]))
        for feeds, undecided in ((None, 1),
                                 ({"x0": np.ones((3, 4), np.float32)}, 0)):
            calls = json.loads(program.explain(feeds, json=True))
            self.assertEqual(len(calls[-1]["undecided"]), undecided)
        empty = static.trace(lambda x: x, static.InputSpec([2]))
        self.assertEqual(json.loads(empty.explain(json=True)), [])

    def test_late_segments(self):
        """The lines after what is known late are those of a run."""
        class Late(nn.Module):
            def __init__(self):
                super().__init__()
                self.linear = nn.Linear(4, 1000)

            def forward(self, x):
                rows = sy.reshape(sy.ops.nonzero(sy.sum(x, axis=[1]) > 0.0),
                                  [-1])
                y = normalized(self.linear(sy.ops.index_select(x, rows)))
                return sy.exp(y)

        model = Late().eval()
        x = np.ones((80, 4), np.float32)
        x[1::2] = -1
        program = static.trace(model, x)
        for feed in (x, np.concatenate([x[:1], x[1::2], x[1::2][:39]])):
            with sy.no_grad(), sy.record_selections() as log:
                want = model(sy.tensor(feed))
            lines = program.selections({"x0": feed})
            self.assertEqual(lines, log)
            self.assertGreater(len(lines), 6)
            self.assertEqual(program(feed).numpy().tobytes(),
                             want.numpy().tobytes())

    def test_late_segments_leave_states_alone(self):
        def step(x, total):
            rows = sy.reshape(sy.ops.nonzero(x), [-1])
            return total + sy.sum(sy.ops.index_select(x, rows))

        graph = sy._core.GraphBuilder("counted")
        x = graph.feed("x", [5], "float32")
        total = graph.state("total", sy.tensor(np.float32(0)))
        graph.update("total", step(x, total))
        graph.fetch("out", total + 1.0)
        program = graph.finish()
        state = sy._core.State()
        state["total"] = sy.tensor(np.float32(2))
        feeds = {"x": np.array([1, 0, 2, 0, 3], np.float32)}
        lines = program.selections(feeds, state)
        self.assertEqual(state["total"].item(), 2.0)
        self.assertIn("index_select", " ".join(lines))
        program.run(feeds, state)
        self.assertEqual(state["total"].item(), 8.0)
        self.assertEqual(program.selections(feeds, state), lines)
        with self.assertRaisesRegex(ValueError, "the program has the state"):
            program.selections(feeds)
        with self.assertRaisesRegex(ValueError, "feed x must be given"):
            program.selections({}, state)
        # Without feeds nothing runs.
        self.assertEqual([line.split()[0] for line in program.selections(None, state)],
                         [line.split()[0] for line in lines])

    def test_feeds_that_do_not_fit(self):
        program = static.trace(normalized, static.InputSpec([None, 1000]))
        with self.assertRaisesRegex(ValueError, r"feed x0 must be \[s0, 1000\]"):
            program.explain({"x0": np.ones((2, 3), np.float32)})


if __name__ == "__main__":
    unittest.main()
