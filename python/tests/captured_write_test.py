# SPDX-License-Identifier: Apache-2.0
"""Writes, in a traced function, to tensors that were there before: parts of the
program, each run writes as eager code does, or the trace refuses."""
import unittest

import numpy as np

import switchyard as sy
from switchyard import static

BASE = np.arange(12, dtype=np.float32).reshape(3, 4)
X = np.array([2.0], np.float32)

WRITES = {
    "fill_": lambda t, x: t.fill_(5),
    "zero_": lambda t, x: t.zero_(),
    "fill_diagonal_": lambda t, x: t.fill_diagonal_(9),
    "masked_fill_": lambda t, x: t.masked_fill_(t > 4, -1),
    "clip_": lambda t, x: t.clip_(x, None),
    "scatter_": lambda t, x: t.scatter_(
        0, sy.zeros(t.shape, "int64"), t * 2),
    "index_add_": lambda t, x: t.index_add_(0, sy.tensor([0, 1]), t[:2] * 2),
    "normal_": lambda t, x: t.normal_(),
    "uniform_": lambda t, x: t.uniform_(1, 2),
    "add_": lambda t, x: t.add_(x),
    "copy_": lambda t, x: t.copy_(t * 2 + x),
    "all": lambda t, x: t.__setitem__(Ellipsis, 7),
    "all, a value": lambda t, x: t.__setitem__(Ellipsis, x),
    "row": lambda t, x: t.__setitem__(0, 7),
    "row, a value": lambda t, x: t.__setitem__(0, x),
    "augmented row": lambda t, x: t.__setitem__(1, t[1] + x),
    "mask": lambda t, x: t.__setitem__(t > 4, 7),
    "constant mask": lambda t, x: t.__setitem__(np.arange(len(t)) > 0, 7),
    "array": lambda t, x: t.__setitem__([1, 0], x),
    "backwards": lambda t, x: t.__setitem__(slice(None, None, -1), t * 2),
}
VIEWS = {
    "whole": lambda base: base, "T": lambda base: base.T,
    "detached": lambda base: base.detach(),
    "all in another shape": lambda base: base.reshape([2, 6]),
}


def eager_runs(function, runs):
    return [[t.numpy().tobytes() for t in function(sy.tensor(x))]
            for x in runs]


def traced_runs(program, runs):
    return [[a.tobytes() for a in program.run({"x0": x}).values()]
            for x in runs]


class CapturedWriteTest(unittest.TestCase):

    def check(self, make, between=lambda *tensors: None, spec=X):
        """``make(*tensors)`` is the function; two runs have eager code's bits,
        results and tensors, and tracing writes nothing."""
        found = []
        for traced in (False, True):
            sy.seed(7)
            tensors = [sy.tensor(BASE), sy.tensor([0, 2])]
            function, states = make(*tensors), []
            if traced:
                program = static.trace(function, static.InputSpec(spec.shape))
                np.testing.assert_array_equal(tensors[0].numpy(), BASE)
            for x in (spec, spec * 1.5):
                states += (traced_runs(program, [x]) if traced
                           else eager_runs(function, [x]))
                states.append([t.numpy().tobytes() for t in tensors])
                between(*tensors)
            found.append(states)
        self.assertEqual(found[0], found[1])

    def test_each_kind_of_write_is_a_part_of_the_program(self):
        for name, write in WRITES.items():
            for kind, view in VIEWS.items():
                if (name, kind) == ("copy_", "T"):
                    continue
                with self.subTest(write=name, view=kind):
                    def make(base, _, write=write, view=view):
                        t = view(base)

                        def function(x):
                            write(t, x)
                            return base * 1.0, t * x
                        return function

                    self.check(make)

    def test_views_from_before_the_write_follow(self):
        for name, write in WRITES.items():
            with self.subTest(write=name):
                def make(base, _, write=write):
                    def function(x):
                        row, turned = base[1], base.T
                        write(base, x)
                        return row * x, turned * x, base + x
                    return function

                self.check(make)

    def test_what_was_written_between_the_runs_is_written_over(self):
        def make(base, _):
            def function(x):
                base.fill_(5)
                return (base + x,)
            return function

        self.check(make, lambda base, _: base.copy_(sy.zeros([3, 4])))

    def test_dtypes(self):
        for dtype in ("bool", "uint8", "int8", "int32", "int64", "float16",
                      "bfloat16", "float32", "float64", "complex64"):
            t = sy.zeros([3], dtype)

            def function(x):
                t[1:] = 1
                return t + 0

            with self.subTest(dtype=dtype):
                program = static.trace(function, X)
                self.assertFalse(t.astype("bool").any())
                self.assertEqual(program(X).tolist(), [0, 1, 1])
                self.assertEqual(t.tolist(), [0, 1, 1])

    def test_an_index_of_outside_is_what_it_is_in_each_run(self):
        def write(base, index):
            def function(x):
                base[index] = x
                return base * 1.0, base[index] * 1.0
            return function

        def write_value(base, index):
            def function(x):
                y = base * x
                y[index] = 7.0
                return y, y[index, index]
            return function

        for make in (write, write_value):
            self.check(make, lambda _, index: index.copy_(sy.tensor([1, 1])))

    def test_a_mask_of_outside_is_what_it_is_in_each_run(self):
        t, mask = sy.zeros([3]), sy.tensor([True, False, False])

        def function(x):
            t[mask] = 7
            return t * 1.0, x[mask]

        x = np.array([1, 2, 3], np.float32)
        program = static.trace(function, x)
        self.assertEqual(program(x)[1].tolist(), [1])
        mask.copy_(sy.tensor([False, True, True]))
        got = program(x)
        self.assertEqual(got[1].tolist(), [2, 3])
        self.assertEqual((got[0].tolist(), t.tolist()), ([7, 7, 7],) * 2)

    def test_views_with_gaps_are_refused(self):
        base = sy.tensor(BASE)
        for view in (base[:, 1:3], base[::2], base[:1].expand([2, 4])):
            for name in ("add_", "copy_", "fill_", "row", "normal_"):
                with self.subTest(shape=view.shape, write=name):
                    with self.assertRaisesRegex(
                            RuntimeError, r": a view float32\[.*\] of outside "
                            "can't be written in a traced function"):
                        static.trace(
                            lambda x: (WRITES[name](view, x), x)[1], X)
        np.testing.assert_array_equal(base.numpy(), BASE)

    def test_branches_and_loops_refuse(self):
        t = sy.zeros([1])

        def branch(x):
            return static.cond(sy.sum(x) > 0, lambda: t.fill_(3) * 1.0,
                               lambda: t * 2.0)

        def loop(x):
            def body(i, v):
                t[0] = 7.0
                return i + 1, v + t
            return static.while_loop(lambda i, v: sy.sum(v) < 9, body,
                                     (sy.tensor(0), x))[1]

        for function in (branch, loop):
            with self.assertRaisesRegex(ValueError, "outside of the branch"):
                static.trace(function, X)
        self.assertEqual(t.tolist(), [0])

    def test_a_leaf_is_written_without_gradients_only(self):
        weight = sy.tensor([1.0, 2.0], requires_grad=True)
        for write in (lambda x: weight.fill_(3), lambda x: weight.add_(x)):
            for run in (lambda: write(sy.tensor(X)),
                        lambda: static.trace(write, X)):
                with self.assertRaisesRegex(
                        RuntimeError, "must be written in place under no_grad"):
                    run()

    def test_a_tensor_that_the_function_makes_is_a_constant(self):
        outside = sy.ones([3])
        x = np.ones(3, np.float32)
        for write in (lambda t, x: t.add_(x), lambda t, x: t.add_(outside),
                      lambda t, x: t.copy_(x), lambda t, x: t.copy_(outside),
                      lambda t, x: t.__setitem__(0, x[0]),
                      lambda t, x: t.__setitem__(Ellipsis, outside),
                      lambda t, x: t.__setitem__(x > 0, 3),
                      lambda t, x: t.__setitem__(outside > 0, 3),
                      lambda t, x: t.masked_fill_(x > 0, 3)):
            def function(x, write=write):
                t = sy.zeros([3])
                write(t, x)
                return t + x

            with self.assertRaises((TypeError, ValueError, RuntimeError)):
                static.trace(function, x)

    def test_augmented_assignment_makes_a_constant_a_value(self):
        def function(x):
            total, mask = sy.zeros([3, 2]), sy.ones([3, 2], "bool")
            total += x
            total *= outside
            mask &= x > 1.0
            return total, mask

        def strided(x):
            turned = sy.ones([2, 3]).T
            turned += x
            return turned

        outside = sy.tensor([2.0, 3.0])
        x = np.arange(6, dtype=np.float32).reshape(3, 2)
        program = static.trace(function, static.InputSpec([3, 2]))
        self.assertEqual(traced_runs(program, [x, x + 1]),
                         eager_runs(function, [x, x + 1]))
        np.testing.assert_array_equal(static.trace(strided, x)(x).numpy(), x + 1)

    def test_a_buffer_that_is_assigned_is_written(self):
        class Sum(sy.nn.Module):
            def __init__(self):
                super().__init__()
                self.register_buffer("total", sy.zeros([2]))

            def forward(self, x):
                last = self.total[1:]
                self.total = self.total * 2.0 + x
                return last * 1.0, self.total * 1.0

        eager, traced = Sum(), Sum()
        runs = [X * np.ones(2, np.float32), X * np.ones(2, np.float32)]
        program = static.trace(traced, static.InputSpec([2]))
        self.assertEqual(traced_runs(program, runs), eager_runs(eager, runs))


if __name__ == "__main__":
    unittest.main()
