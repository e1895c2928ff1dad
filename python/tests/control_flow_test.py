# SPDX-License-Identifier: Apache-2.0
"""static.cond and static.while_loop: eager and traced, the same bits."""
import pathlib
import tempfile
import unittest

import numpy as np

import switchyard as sy
from switchyard import nn, static

X = np.random.default_rng(3).normal(size=(2, 4)).astype(np.float32)


def negative(v):
    return sy.mean(v) < 0.0


class Iterated(nn.Module):
    """A layer, applied until its output is large or ten times."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x):
        def go_on(n, h):
            return sy.logical_and(n < 10, sy.mean(h * h) < 50.0)

        def body(n, h):
            h = static.cond(negative(h), lambda: h * 1.5, lambda: h + 0.25)
            return n + 1, sy.tanh(self.linear(h)) + x

        return static.while_loop(go_on, body, (sy.tensor(0), x))[1]


class Chosen(nn.Module):
    """One of two layers by the sign of x; the left one once more afterwards."""

    def __init__(self):
        super().__init__()
        self.left, self.right = nn.Linear(4, 4), nn.Linear(4, 4)

    def forward(self, x):
        h = static.cond(negative(x), lambda: self.left(x) * 2.0,
                        lambda: sy.tanh(self.right(x)))
        return self.left(h) + h


class Begun(nn.Module):
    """A loop whose first value is used before, in each iteration and afterwards."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x):
        first = self.linear(x)
        before = sy.sigmoid(first * 0.3)
        h = static.while_loop(
            lambda n, h: n < 5,
            lambda n, h: (n + 1, sy.tanh(h * 1.7) * sy.tanh(first) + before),
            (sy.tensor(0), first))[1]
        return h + first * before


def trained(make, traced):
    """Losses and parameters of six steps on x and on -x."""
    sy.seed(2)
    model, loss = make(), nn.MSELoss()
    optimizer = sy.optim.SGD(model.parameters(), learning_rate=0.05)
    step, losses = static.train_step(model, loss, optimizer), []
    for i in range(6):
        x = np.abs(X) * np.float32(1 - 2 * (i % 2))
        if traced:
            losses.append(step(x, X).item())
            continue
        optimizer.zero_grad()
        value = loss(model(sy.tensor(x)), sy.tensor(X))
        value.backward()
        optimizer.step()
        losses.append(value.item())
    return losses, [p.numpy().tobytes() for p in model.parameters()]


class SameBitsTest(unittest.TestCase):

    def assert_same(self, function, program, *inputs):
        for x in inputs:
            self.assertEqual(program.run({"x0": x})["out"].tobytes(),
                             function(sy.tensor(x)).numpy().tobytes())

    def test_forward(self):
        sy.seed(2)
        model = Iterated()
        program = static.trace(model, X)
        self.assertIn("cf.while", program.text())
        self.assertIn("cf.if", program.text())
        self.assert_same(model, program,
                         *(X * np.float32(s) for s in (0.1, 1.0, 30.0)))

    def test_training(self):
        for make in (Iterated, Chosen, Begun):
            with self.subTest(make.__name__):
                self.assertEqual(trained(make, True), trained(make, False))

    def test_what_only_the_other_branch_uses_has_a_gradient_of_zeros(self):
        sy.seed(2)
        model = Chosen()
        before = model.right.weight.numpy().tobytes()
        step = static.train_step(model, nn.MSELoss(),
                                 sy.optim.SGD(model.parameters(), 0.1))
        step(-np.abs(X), X)
        self.assertEqual(model.right.weight.numpy().tobytes(), before)
        step(np.abs(X), X)
        self.assertNotEqual(model.right.weight.numpy().tobytes(), before)

    def test_loops_inside_of_loops(self):
        def triangle(n):
            def row(i, total):
                return i + 1, static.while_loop(
                    lambda j, s: j < i, lambda j, s: (j + 1, s + j * i),
                    (0, total))[1]
            return static.while_loop(lambda i, total: i < n, row, (0, 0))[1]

        program = static.trace(triangle, static.InputSpec([], "int64"))
        for n in (0, 1, 7):
            want = sum(i * j for i in range(n) for j in range(i))
            self.assertEqual(program.run({"x0": np.array(n)})["out"], want)
            self.assertEqual(int(triangle(sy.tensor(n))), want)

    def test_random_operators_in_branches(self):
        layer = nn.Dropout(0.5)

        def function(v):
            h = static.cond(negative(v), lambda: layer(v) * 2.0,
                            lambda: layer(v))
            return layer(h)

        program = static.trace(function, X)
        inputs = [np.abs(X), -np.abs(X), np.abs(X)]
        sy.seed(3)
        want = [function(sy.tensor(x)).numpy().tobytes() for x in inputs]
        sy.seed(3)
        self.assertEqual(
            [program.run({"x0": x})["out"].tobytes() for x in inputs], want)

    def test_constants_as_results(self):
        strided = sy.tensor(np.arange(6, dtype=np.float32).reshape(2, 3)).T
        program = static.trace(
            lambda v: static.cond(negative(v), lambda: strided, lambda: v),
            static.InputSpec([3, 2]))
        x = np.ones((3, 2), np.float32)
        self.assertEqual(program.run({"x0": -x})["out"].tolist(),
                         [[0, 3], [1, 4], [2, 5]])
        self.assertEqual(program.run({"x0": x})["out"].tolist(), x.tolist())

    def test_saved(self):
        program = static.trace(Iterated(), X)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "loop.sy"
            program.save(path)
            self.assertEqual(static.load(path).run({"x0": X})["out"].tobytes(),
                             program.run({"x0": X})["out"].tobytes())


class FormTest(unittest.TestCase):

    def test_of_a_tensor_one_branch_is_called(self):
        calls = []
        result = static.cond(sy.tensor(True), lambda: calls.append("then"),
                             lambda: calls.append("otherwise"))
        self.assertIsNone(result)
        self.assertEqual(calls, ["then"])
        self.assertEqual(static.cond(1 > 2, lambda: 1, lambda: 2), 2)
        self.assertEqual(static.while_loop(lambda n: n < 3, lambda n: n + 1,
                                           [0]), (3,))

    def test_tuples(self):
        def function(v):
            a, b = static.cond(negative(v), lambda: (v, v * 2.0),
                               lambda: [v * 3.0, v])
            return a - b

        program = static.trace(function, X)
        x = np.ones(4, np.float32)
        self.assertEqual(static.trace(function, x).run({"x0": x})[
            "out"].tolist(), [2.0] * 4)
        self.assertEqual(program.run({"x0": -np.abs(X)})["out"].tobytes(),
                         np.abs(X).tobytes())
        with self.assertRaisesRegex(TypeError, "both return one value or both"):
            static.trace(lambda v: static.cond(
                negative(v), lambda: (v,), lambda: v), X)


class ErrorsTest(unittest.TestCase):

    def trace_loop(self, body, condition=lambda w: sy.sum(w) < 9.0):
        static.trace(lambda v: static.while_loop(condition, body, (v,))[0],
                     static.InputSpec([2]))

    def trace_cond(self, then, otherwise=lambda v: v, condition=negative):
        return static.trace(
            lambda v: static.cond(condition(v), lambda: then(v),
                                  lambda: otherwise(v)), static.InputSpec([2]))

    def test_values_of_a_loop_keep_their_types(self):
        with self.assertRaisesRegex(TypeError, "cf.while: next value 0"):
            self.trace_loop(lambda w: w < 1.0)
        with self.assertRaisesRegex(TypeError, "cf.while: next value 0"):
            self.trace_loop(lambda w: sy.sum(w))
        with self.assertRaisesRegex(ValueError, "cf.while: next value must"):
            self.trace_loop(lambda w: (w, w))

    def test_branches_agree(self):
        with self.assertRaisesRegex(TypeError, "else branch 0 must be"):
            self.trace_cond(lambda v: v.astype("float64"))
        with self.assertRaisesRegex(TypeError, "else branch 0 must be"):
            self.trace_cond(lambda v: sy.sum(v))
        with self.assertRaisesRegex(ValueError, "must be 2 values, got 1"):
            self.trace_cond(lambda v: (v, v), lambda v: (v,))
        with self.assertRaises(TypeError):
            self.trace_cond(lambda v: None)

    def test_conditions(self):
        with self.assertRaisesRegex(TypeError, "cf.if: condition must be"):
            self.trace_cond(lambda v: v, condition=lambda v: v)
        with self.assertRaisesRegex(TypeError, "cf.if: condition must be"):
            self.trace_cond(lambda v: v, condition=sy.sum)
        with self.assertRaisesRegex(TypeError, "condition must be a bool"):
            static.cond(sy.tensor(1.0), lambda: 1, lambda: 2)
        with self.assertRaisesRegex(TypeError, "condition must be a bool"):
            self.trace_loop(lambda w: w, condition=sy.sum)
        with self.assertRaisesRegex(ValueError, "one value, got 2"):
            self.trace_loop(lambda w: w, condition=lambda w: (w, w))
        with self.assertRaisesRegex(TypeError, "from the start or never"):
            static.trace(lambda v: static.while_loop(
                lambda w: sy.sum(w) < 9.0, lambda w: v,
                (sy.tensor([1.0]),)), X)
        with self.assertRaisesRegex(TypeError, "a tuple or a list, got Value"):
            static.trace(lambda v: static.while_loop(
                negative, lambda w: w, v), X)

    def test_random_operators_in_a_condition(self):
        with self.assertRaisesRegex(
                NotImplementedError,
                "randn|gaussian.*outside of the condition of while_loop"):
            static.trace(lambda v: static.while_loop(
                lambda w: sy.sum(w) < sy.randn(1)[0], lambda w: (w + 1.0,), (v,)), X)

    def test_exceptions_come_through(self):
        calls = []
        with self.assertRaisesRegex(ZeroDivisionError, "division"):
            self.trace_loop(lambda w: w * (1 / 0))
        with self.assertRaisesRegex(ZeroDivisionError, "division"):
            self.trace_cond(lambda v: v * (1 / 0), calls.append)
        self.assertEqual(calls, [])

    def test_computed_tensors_whose_gradient_is_recorded(self):
        weight = sy.tensor(np.ones(2, np.float32), requires_grad=True) * 2.0
        with self.assertRaisesRegex(TypeError, "must not require a gradient"):
            self.trace_cond(lambda v: weight)

    def test_values_stay_inside(self):
        kept = []

        def keep(v):
            kept.append(v * 2.0)
            return kept[-1]

        def escaped(v):
            static.cond(negative(v), lambda: keep(v), lambda: v)
            return kept[-1]

        with self.assertRaisesRegex(ValueError, "from inside a cond"):
            static.trace(escaped, X)
        with self.assertRaisesRegex(ValueError, "add: x must be a value from"):
            static.trace(lambda v: escaped(v) + 1.0, X)
        with self.assertRaisesRegex(ValueError, "from inside a cond"):
            self.trace_cond(keep, lambda v: kept[-1] * 1.0)

    def test_values_of_a_branch_that_failed(self):
        kept = []

        def fail(v):
            kept.append(v * 2.0)
            raise KeyError("mine")

        def function(v):
            with self.assertRaises(KeyError):
                static.cond(negative(v), lambda: fail(v), lambda: v)
            self.assertEqual(kept[0].dtype, "float32")
            self.assertIn("tensor<float32", repr(kept[0]))
            with self.assertRaisesRegex(ValueError, "from inside a cond"):
                kept[0].sum()
            return v + 1.0

        got = static.trace(function, X).run({"x0": X})["out"]
        self.assertEqual(got.tobytes(), (X + np.float32(1)).tobytes())

    def test_the_graph_ends_outside(self):
        builder = sy._core.GraphBuilder("p")
        v = builder.feed("x", [2], "float32")
        for end in (lambda w: builder.fetch("out", w),
                    lambda w: builder.finish()):
            with self.assertRaisesRegex(RuntimeError, "is inside a cond"):
                static.cond(negative(v), lambda: end(v * 2.0), lambda: v)
        builder.fetch("out", v + 1.0)
        self.assertEqual(builder.finish().run({"x": np.ones(2, np.float32)})[
            "out"].tolist(), [2.0, 2.0])

    def test_buffers_can_not_be_written_inside(self):
        class Sometimes(nn.Module):

            def __init__(self):
                super().__init__()
                self.norm = nn.BatchNorm2D(2)

            def forward(self, x):
                return static.cond(negative(x), lambda: self.norm(x), lambda: x)

        with self.assertRaisesRegex(ValueError, "from outside of the branch"):
            static.trace(Sometimes(), np.ones((3, 2, 4, 4), np.float32))


if __name__ == "__main__":
    unittest.main()
