# SPDX-License-Identifier: Apache-2.0
"""Writes by every spelling in traced programs: names, views and copies see them
as in eager code, gradients too."""
import unittest

import numpy as np

import switchyard as sy
from switchyard import nn, static

X = np.array([[-1.5, 2.0, 0.5], [3.0, -0.25, -4.0]], np.float32)
OPEN = static.InputSpec([None, 3])


class Scaled(nn.Module):
    """A function of x, the parameter and a copy of it."""

    def __init__(self, function):
        super().__init__()
        self.function = function
        self.w = nn.Parameter(sy.tensor(X * 0.5))

    def forward(self, x):
        return self.function(x * self.w)


class AliasesTraceTest(unittest.TestCase):

    def check(self, function, specs=(None, OPEN)):
        """Values and the parameter's gradient have the bits of eager code."""
        for spec in specs:
            eager, traced = Scaled(function), Scaled(function)
            rate = dict(learning_rate=0.5)
            want = sy.sum(eager(sy.tensor(X)))
            sy.optim.SGD(eager.parameters(), **rate).minimize(want)
            optimizer = sy.optim.SGD(traced.parameters(), **rate)

            def step(x):
                loss = sy.sum(traced(x))
                optimizer.minimize(loss)
                return loss

            got = static.train_function(
                step, [traced], [optimizer],
                inputs=None if spec is None else (spec,))(X)
            self.assertEqual(got.numpy().tobytes(), want.numpy().tobytes())
            np.testing.assert_array_equal(traced.w.numpy(), eager.w.numpy())

    def test_augmented_assignment_writes(self):
        def residual(y):
            h = y
            y += X
            return h * y

        def all_of_them(y):
            names = [y, y.T, y[0], y.reshape(-1)]
            y += 1.0
            y -= y * 0.25
            y *= X
            y /= 2.0
            y **= 2
            return sum(sy.sum(name * (i + 1)) for i, name in enumerate(names))

        self.check(residual)
        self.check(all_of_them, (None,))

    def test_bits_and_integers(self):
        def function(x):
            mask, number = x > 0, x.astype("int32")
            names = mask, number
            mask &= x < 2.5
            mask |= x < -3
            mask ^= x == 0.5
            number //= 2
            number %= 3
            return names

        program = static.trace(function, X)
        for got, want in zip(program(X), function(sy.tensor(X))):
            np.testing.assert_array_equal(got.numpy(), want.numpy())

    def test_a_reshape_of_what_is_transposed_is_a_copy(self):
        def copy_is_written(y):
            copy = sy.flatten(y.T)
            copy.square_()
            return y * 2.0

        def base_is_written(y):
            copy = y.T.reshape(-1)
            y.square_()
            return sy.sum(copy) + y

        def twice_transposed(y):
            view = y.T.T.reshape(-1)
            view.square_()
            return y * 2.0

        def columns(y):
            copy, view = y[:, 1:].reshape(-1), y[1:].reshape(-1)
            copy.square_()
            view.tanh_()
            return y * 2.0

        for function in (copy_is_written, base_is_written, twice_transposed,
                         columns):
            self.check(function, (None,))
        self.check(twice_transposed)

    def test_whether_it_is_a_copy_may_depend_on_the_run(self):
        def function(x):
            y = x * 1.0
            copy = y.T.reshape([-1])   # Of one row it is a view.
            copy.square_()
            return y

        with self.assertRaisesRegex(
                ValueError, r"wrote in some runs and not in others .*\(at "):
            static.trace(function, OPEN)

    def test_writes_by_index(self):
        def basic(y):
            row = y[0]
            y[1] = 2.0
            y[:, 1] += row[:2]
            y[..., ::2] = y[..., :1] * 3.0
            return y * row

        def arrays(y):
            y[np.array([1, 0])] = y * 2.0
            y[np.array([0, 1]), np.array([2, 0])] *= 0.5
            return y * y

        def masks(y):
            y[y > 0.5] = 0.25
            y[np.array([True, False])] = y[1] * 2.0
            y[y < -0.5] *= 2.0
            return y * y

        self.check(basic)
        self.check(arrays)
        self.check(masks)

    def test_other_dtypes_are_written_by_index(self):
        for dtype in ("bool", "int8", "int64", "float16", "complex64"):
            def function(x):
                y = x.astype(dtype)
                y[0, 1] = 1
                y[np.array([1, 1]), np.array([0, 2])] = 0
                y[x > 2] = 1
                return y

            got = static.trace(function, OPEN)(X).numpy()
            np.testing.assert_array_equal(got, function(sy.tensor(X)).numpy())

    def test_masks_are_read(self):
        self.check(lambda y: y[y > 0] * 2.0)
        self.check(lambda y: y[sy.sum(y, 1) > -5] * 2.0)
        self.check(lambda y: y[np.array([False, True])] * 2.0)
        self.check(lambda y: y[y[:, 0] > -5, 1] * 2.0)
        program = static.trace(lambda x: x[np.array([True, False])], OPEN)
        with self.assertRaises(ValueError):  # As eager code: three rows.
            program(np.ones((3, 3), np.float32))

    def test_a_number_and_an_empty_slice_of_an_open_extent(self):
        for subscript in ((1, slice(2, None)), (-1, slice(0, 0)), (0, None, 0)):
            program = static.trace(lambda x: x[subscript],
                                   static.InputSpec([None, 1]))
            ones = np.ones((4, 1), np.float32)
            np.testing.assert_array_equal(program(ones).numpy(),
                                          ones[subscript])
        program = static.trace(lambda x: x[5], OPEN)
        with self.assertRaises((ValueError, IndexError)):
            program(np.ones((4, 3), np.float32))

    def test_a_loop_writes_its_argument(self):
        def function(y):
            start = y * 1.0

            def body(i, total):
                total += y
                total[0] *= 0.5
                return i + 1, total

            end = static.while_loop(lambda i, total: i < 3, body,
                                    (sy.tensor(0), start))[1]
            return start * end

        self.check(function)

        def other_names(x):
            start = x * 1.0
            return static.while_loop(
                lambda i, a: i < 3, lambda i, a: (i + 1, a.add_(start)),
                (sy.tensor(0), start))[1]

        with self.assertRaisesRegex(ValueError, r"another name too.*\(at "):
            static.trace(other_names, X)

    def test_what_a_branch_passes_on_may_be_written_alone(self):
        def result(x):
            y = static.cond(sy.sum(x) > 0, lambda: x * 1.0, lambda: x * 2.0)
            y += 1.0
            return y

        got = static.trace(result, X)(X).numpy()
        np.testing.assert_array_equal(got, result(sy.tensor(X)).numpy())

        def shared(x):
            y = x * 1.0
            passed = static.cond(sy.sum(x) > 0, lambda: y, lambda: x * 2.0)
            y += 1.0
            return passed

        with self.assertRaisesRegex(ValueError, "wrote in some runs"):
            static.trace(shared, X)

    def test_writes_that_are_not_recorded(self):
        def detached(x):
            y = x * 2.0
            y.detach().add_(1.0)
            with sy.no_grad():
                y *= 3.0
                y.copy_(y + 1.0)
            return y

        got = static.trace(detached, X)(X).numpy()
        np.testing.assert_array_equal(got, detached(sy.tensor(X)).numpy())
        self.check(detached)

        def constant(y):   # What is written has no gradient.
            z = y.detach() * 1.0
            with sy.no_grad():
                z += 1.0
            return z * y

        self.check(constant)

    def test_first_values_of_a_loop_that_are_used_elsewhere(self):
        def function(y):
            def body(i, h):
                return i + 1, sy.tanh(h) * y + h * h

            before = y * y
            end = static.while_loop(lambda i, h: i < 3, body,
                                    (sy.tensor(0), y))[1]
            return before + end * y

        self.check(function)

    def test_a_state_and_a_result_of_one_memory(self):
        class Counter(nn.Module):
            def __init__(self):
                super().__init__()
                self.register_buffer("s", sy.ones(2, 3))

            def forward(self, x):
                z = self.s.reshape(1, 2, 3).reshape(1, 1, 2, 3)
                z.mul_(sy.sum(x))
                return z * x[0]

        model, eager = Counter(), Counter()
        program = static.trace(model, X)
        want = eager(sy.tensor(X)).numpy()
        np.testing.assert_array_equal(program(X).numpy(), want)
        np.testing.assert_array_equal(model.s.numpy(), eager.s.numpy())

    def test_a_value_is_read_before_it_is_overwritten(self):
        y = sy.tensor(X)
        y[np.array([1, 0])] = y
        np.testing.assert_array_equal(y.numpy(), X[[1, 0]])

    def test_open_extents(self):
        chunks = static.trace(lambda x: sy.chunk(x, 2), OPEN)
        for got, want in zip(chunks(np.vstack([X, X])), (X, X)):
            np.testing.assert_array_equal(got.numpy(), want)
        with self.assertRaises(ValueError):
            chunks(np.vstack([X, X[:1]]))
        same = static.trace(lambda x: x.to("cpu").to("float64", "cpu"), OPEN)
        self.assertEqual(same(X).dtype, "float64")

    def test_index_add_of_open_extents(self):
        z = np.arange(12, dtype=np.float32).reshape(4, 3)
        model = Scaled(lambda y: y)
        optimizer = sy.optim.SGD(model.parameters(), 0.5)

        def step(x, source, target):
            h = (x * model.w[:1])[source]
            total = sy.sum(sy.zeros(2, 3).index_add(0, target, h) * X)
            optimizer.minimize(total)
            return total

        run = static.train_function(
            step, [model], [optimizer],
            inputs=(OPEN, static.InputSpec([None], "int64"),
                    static.InputSpec([None], "int64")))
        source, target = np.array([0, 3, 1]), np.array([1, 0, 1])
        got = run(z, source, target)
        want = np.zeros((2, 3), np.float32)
        np.add.at(want, target, (z * X[:1] * 0.5)[source])
        np.testing.assert_allclose(got.item(), (want * X).sum(), rtol=1e-5)
        with self.assertRaises(ValueError):
            run(z, source, target[:2])


if __name__ == "__main__":
    unittest.main()
