# SPDX-License-Identifier: Apache-2.0
"""In-place variants in traced programs: what eager computes, gradients too, or a sentence why not."""
import os
import tempfile
import unittest

import numpy as np

import switchyard as sy
from switchyard import _core, nn, static

X = np.array([[-1.5, 2.0, 0.5], [3.0, -0.25, -4.0]], np.float32)


def same_bits(a, b):
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


class InplaceTraceTest(unittest.TestCase):

    def check(self, function, *arrays):
        """The function's results have the bits of the eager call."""
        tensors = [sy.tensor(array.copy()) for array in arrays]
        with sy.no_grad():
            want = [t.numpy() for t in function(*tensors)]
        program = static.trace(lambda *v: tuple(function(*v)), *arrays)
        got = program.run({f"x{i}": a for i, a in enumerate(arrays)})
        for i, array in enumerate(want):
            self.assertTrue(same_bits(array, got[f"out{i}"]), i)
        self.assertNotRegex(program.text(), r"op\.[a-z]+_\(")
        return program

    def test_uses_before_and_after(self):
        def function(x):
            before = sy.exp(x)
            self.assertIs(x.relu_(), x)
            after = sy.exp(x)
            x.add_(before)
            return x, before, after

        self.check(function, X)

    def test_the_callers_tensor_stays(self):
        x = sy.tensor(X)
        program = static.trace(lambda v: v.relu_(), X)
        program.run({"x0": x})
        self.assertTrue(same_bits(x.numpy(), X))

    def test_views(self):
        def base_is_written(x):
            y = x * 2.0
            rows, column = y.reshape([3, 2]), y[:, 1:2]
            y.sigmoid_()
            return y, rows, column

        def view_is_written(x):
            y = x * 2.0
            flat = sy.flatten(sy.unsqueeze(y, [0]), 0, 2)
            flat.sigmoid_()
            other = y.reshape([6])
            other.add_(flat)
            return y, flat, other

        def part_is_written(x):
            part = (x * 2.0)[1:2]
            part.relu_()
            return (part,)

        def steps_are_written(x):
            part = (x * 2.0)[:, ::2]
            part.sigmoid_()
            return part, x[::2, 1::2]

        for function in (base_is_written, view_is_written, part_is_written, steps_are_written):
            self.check(function, X)

    def test_a_part_is_written_and_the_whole_is_used(self):
        def rows(x):
            y = x * 2.0
            y[1:2].relu_()
            y[-1].add_(1.0)
            return y, y + 1.0, y[1]

        def columns(x):
            y = x * 2.0
            y[:, ::2].relu_()
            return (y + 1.0, y.T)

        def pieces(x):
            y = x * 2.0
            first, last = sy.split(y, [1, -1], 1)
            last.relu_()
            first.tanh_()
            return y, first, last

        for function in (rows, columns, pieces):
            self.check(function, X)

    def test_branches(self):
        def inside(x):
            def branch():
                y = x * 2.0
                return y.relu_()
            return static.cond(sy.sum(x) > 0.0, branch, lambda: x)

        for array in (X, X + 5.0):
            program = static.trace(inside, X)
            want = sy.relu(sy.tensor(array) * 2.0) if array.sum() > 0 else array
            self.assertTrue(same_bits(program.run({"x0": array})["out"],
                                      np.asarray(want)))
        with self.assertRaisesRegex(
                ValueError, "op.relu_: writes to a value from outside"):
            static.trace(lambda x: static.cond(
                sy.sum(x) > 0.0, lambda: x.relu_(), lambda: x), X)

    def test_what_does_not_fit(self):
        y = np.ones((4, 2, 3), np.float32)
        with self.assertRaisesRegex(
                TypeError, "add: x must be of the result's type .* to be "
                "written in place"):
            static.trace(lambda a, b: a.add_(b), static.InputSpec([2, 3]),
                         static.InputSpec([4, 2, 3]))
        with self.assertRaisesRegex(TypeError, "add: x must be of the result"):
            static.trace(lambda a: a.add_(y.astype(np.float64)[0]), X)

    def test_states_are_updated(self):
        class Counter(nn.Module):
            def __init__(self):
                super().__init__()
                self.register_buffer("count", sy.tensor(np.zeros(3, np.float32)))

            def forward(self, x):
                self.count.add_(sy.sum(x, [0]))
                return x * self.count

        eager, model = Counter(), Counter()
        program = static.trace(model, X)
        for _ in range(2):
            want = eager(sy.tensor(X)).numpy()
            self.assertTrue(same_bits(program.run({"x0": X})["out"], want))
        self.assertTrue(same_bits(model.count.numpy(), eager.count.numpy()))

    def test_gradients_are_those_of_eager(self):
        class Network(nn.Module):
            def __init__(self):
                super().__init__()
                self.first, self.second = nn.Linear(3, 4), nn.Linear(4, 2)

            def forward(self, x):
                hidden = self.first(x)
                hidden.relu_()
                hidden = hidden * 0.5
                hidden.tanh_()
                return self.second(hidden)

        def loss(out, labels):
            return sy.mean(out.sigmoid_() * labels)

        labels = np.array([[1.0, -2.0], [0.5, 3.0]], np.float32)

        def train(step_of):
            sy.seed(3)
            model = Network()
            step = step_of(model, sy.optim.SGD(model.parameters(), 0.1))
            losses = [step() for _ in range(3)]
            return losses + [p.numpy() for p in model.parameters()]

        def eager(model, optimizer):
            def step():
                value = loss(model(sy.tensor(X)), sy.tensor(labels))
                value.backward()
                optimizer.step()
                optimizer.zero_grad()
                return value.numpy()
            return step

        def traced(model, optimizer):
            step = static.train_step(model, loss, optimizer)
            return lambda: np.asarray(step(X, labels))

        for want, got in zip(train(eager), train(traced)):
            self.assertTrue(same_bits(np.asarray(want), np.asarray(got)))

    def test_use_after_gradients(self):
        builder = _core.GraphBuilder("g")
        x = builder.feed("x", [2, 3], "float32")
        y = x * 2.0
        flat = y.reshape([6])
        y.relu_()
        loss = sy.sum(y * y)
        (gradient,) = builder.gradients(loss, [x])
        flat.add_(1.0)
        builder.fetch("y", y)
        builder.fetch("flat", flat)
        builder.fetch("gradient", gradient)
        got = builder.finish().run({"x": X})
        want = np.maximum(X * 2, 0)
        np.testing.assert_array_equal(got["gradient"], want * 4)
        np.testing.assert_array_equal(got["flat"], want.reshape(6) + 1)
        np.testing.assert_array_equal(got["y"], want + 1)

    def test_gradients_for_what_is_written(self):
        builder = _core.GraphBuilder("g")
        x = builder.feed("x", [2, 3], "float32")
        x.relu_()
        with self.assertRaisesRegex(ValueError, "gradients: wrt must be values "
                                    ".* got x, which it does"):
            builder.gradients(sy.sum(x), [x])

    def test_a_saved_program_has_values_only(self):
        program = static.trace(lambda v: v.relu_() + v, X)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "program")
            static.save(program, path)
            loaded = static.load(path)
        self.assertEqual(loaded.text(), program.text())


if __name__ == "__main__":
    unittest.main()
