# SPDX-License-Identifier: Apache-2.0
"""Tensor arrays in programs: the same bits as eager, in loops and branches, with
shapes that are known or come late, and in training."""
import pathlib
import tempfile
import unittest

import numpy as np

import switchyard as sy
from switchyard import nn, static


def floats(*shape, seed=1):
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def zero():
    return sy.tensor(np.array([0], np.int64))


def collected(x):
    """The rows of x [n, 3], scaled by their number, collected by a loop."""
    array = sy.create_array("float32", element_shape=[3])

    def body(i, x, array):
        row = sy.ops.index_select(x, i, 0).reshape([3])
        return i + 1, x, sy.array_write(row * sy.ops.cast(i, "float32"), i, array)

    return static.while_loop(lambda i, x, array: i < x.shape[0], body,
                             (zero(), x, array))[2]


class Rnn(nn.Module):
    """A tanh network over rows that one loop collects, from array to array."""

    def __init__(self):
        super().__init__()
        self.step = nn.Linear(6, 3)

    def forward(self, x):
        rows = collected(x)
        states = sy.create_array("float32", element_shape=[1, 3])

        def body(i, h, states, rows):
            row = sy.array_read(rows, i).reshape([1, 3])
            h = sy.tanh(self.step(sy.concat([row, h], 1)))
            return i + 1, h, sy.array_write(h, i, states), rows

        _, h, states, _ = static.while_loop(
            lambda i, h, states, rows: i < sy.array_length(rows), body,
            (zero(), sy.full([1, 3], 0.5), states, rows))
        joined, _ = sy.array_to_tensor(states, 0)
        return joined + h


def growing(x):
    """Elements of more and more rows."""
    array = sy.create_array("float32", element_shape=[-1, 3])

    def body(i, grown, array):
        return (i + 1, sy.concat([grown, x], 0),
                sy.array_write(grown * 2.0, i, array))

    _, _, array = static.while_loop(lambda i, grown, array: i < 4, body,
                                    (zero(), x, array))
    out, sizes = sy.array_to_tensor(array)
    return out + sy.array_read(array, 2)[0], sizes


def branched(x):
    """An array that one of two branches makes."""
    array = sy.create_array("float32", [x, x * 2.0])
    array = static.cond(
        x.mean() > 0.0, lambda: sy.array_write(x * 3.0, 0, array),
        lambda: sy.array_write(sy.array_read(array, 1) - 1.0, 2, array))
    out, _ = sy.array_to_tensor(array, 0, use_stack=True)
    return out, sy.array_length(array)


def long(x):
    """An array that a loop fills from its end, and another reads and overwrites."""
    def fill(i, x, array):
        return i - 1, x, sy.array_write(x * sy.ops.cast(i, "float32"), i, array)

    def change(i, total, array):
        total = total + sy.array_read(array, i)
        return i + 1, total, sy.array_write(total, i, array)

    array = sy.create_array("float32", element_shape=[2])
    array = static.while_loop(lambda i, x, array: i >= 0, fill,
                              (sy.tensor(np.array([999])), x * 2.0, array))[2]
    _, total, array = static.while_loop(
        lambda i, total, array: i < sy.array_length(array), change,
        (zero(), x, array))
    joined, _ = sy.array_to_tensor(array, use_stack=True)
    return joined.mean(0) + total


class TracedTest(unittest.TestCase):

    def check(self, function, *inputs, spec=None):
        program = static.trace(
            function, inputs[0] if spec is None else static.InputSpec(*spec))
        for x in inputs + inputs:
            want = function(sy.tensor(x))
            want = want if isinstance(want, tuple) else (want,)
            got = list(program.run({"x0": x}).values())
            self.assertEqual(len(got), len(want))
            for one, other in zip(got, want):
                self.assertEqual(one.dtype, other.numpy().dtype)
                self.assertEqual(one.shape, other.numpy().shape)
                self.assertEqual(np.ascontiguousarray(one).tobytes(),
                                 np.ascontiguousarray(other.numpy()).tobytes())
        return program

    def test_straight(self):
        def function(x):
            array = sy.create_array("float32", [x, x * 2.0])
            array, last = sy.array_pop(sy.array_write(x + 1.0, 3, array))
            return (last, sy.array_length(array), sy.array_read(array, 1))
        program = self.check(function, floats(2, 3), floats(2, 3, seed=2))
        self.assertIn("kind tensor_array", program.text())

    def test_loops(self):
        sy.seed(3)
        self.check(Rnn(), floats(5, 3), floats(5, 3, seed=2))
        program = self.check(Rnn().eval(), floats(5, 3), floats(1, 3),
                             floats(11, 3), spec=([None, 3],))
        want = program.run({"x0": floats(4, 3)})["out"]
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "rnn.sy"
            program.save(path)
            got = static.load(path).run({"x0": floats(4, 3)})["out"]
        self.assertEqual(got.tobytes(), want.tobytes())

    def test_a_thousand_elements(self):
        self.check(long, floats(2))

        class Long(nn.Module):
            def __init__(self):
                super().__init__()
                self.linear = nn.Linear(2, 2)

            def forward(self, x):
                return long(self.linear(x).reshape([2])) * 1e-6

        def gradient(traced):
            sy.seed(5)
            model, loss = Long(), nn.MSELoss()
            optimizer = sy.optim.SGD(model.parameters(), learning_rate=1.0)
            x, y = floats(1, 2), floats(2, seed=2)
            if traced:
                static.train_step(model, loss, optimizer)(x, y)
            else:
                loss(model(sy.tensor(x)), sy.tensor(y)).backward()
                optimizer.step()
            return [p.numpy().tobytes() for p in model.parameters()]

        self.assertEqual(gradient(False), gradient(True))

    def test_late_shapes(self):
        self.check(growing, floats(2, 3), floats(1, 3), spec=([None, 3],))

    def test_branches(self):
        self.check(branched, np.abs(floats(2, 3)), -np.abs(floats(2, 3)))

    def test_a_constant_array(self):
        array = sy.create_array("float32", [floats(2), floats(2, seed=2)])
        self.check(lambda x: sy.array_read(sy.array_write(x, 0, array), 1) * x,
                   floats(2))
        array = sy.array_write(sy.tensor(floats(2), requires_grad=True), 0)
        with self.assertRaisesRegex(TypeError, "array that requires a gradient"):
            static.trace(lambda x: sy.array_write(x, 1, array), floats(2))

    def test_errors_of_a_run(self):
        program = static.trace(lambda x: sy.array_read(sy.array_write(x, 0), 3),
                               floats(2))
        with self.assertRaisesRegex(IndexError, r"array_read: i must be in \[0, 1\), got 3"):
            program.run({"x0": floats(2)})

    def trained(self, traced, rows):
        sy.seed(2)
        model, loss = Rnn(), nn.MSELoss()
        optimizer = sy.optim.SGD(model.parameters(), learning_rate=0.05)
        step, losses = static.train_step(model, loss, optimizer), []
        for i in range(4):
            x, y = floats(rows, 3, seed=i), floats(rows, 3, seed=i + 9)
            if traced:
                losses.append(step(x, y).item())
                continue
            optimizer.zero_grad()
            value = loss(model(sy.tensor(x)), sy.tensor(y))
            value.backward()
            optimizer.step()
            losses.append(value.item())
        return losses, [p.numpy().tobytes() for p in model.parameters()]

    def test_training(self):
        for rows in (1, 6):
            self.assertEqual(self.trained(False, rows), self.trained(True, rows))

    def test_gradients_through_a_branch(self):
        class Model(nn.Module):
            def __init__(self):
                super().__init__()
                self.linear = nn.Linear(3, 3)

            def forward(self, x):
                return branched(self.linear(x))[0].sum(0)

        def run(traced):
            sy.seed(6)
            model, loss = Model(), nn.MSELoss()
            optimizer = sy.optim.SGD(model.parameters(), learning_rate=0.1)
            step = static.train_step(model, loss, optimizer)
            for i in range(4):
                x = floats(2, 3, seed=i) + np.float32(1 - i % 2 * 2)
                if traced:
                    step(x, x)
                    continue
                optimizer.zero_grad()
                loss(model(sy.tensor(x)), sy.tensor(x)).backward()
                optimizer.step()
            return [p.numpy().tobytes() for p in model.parameters()]

        self.assertEqual(run(False), run(True))


if __name__ == "__main__":
    unittest.main()
