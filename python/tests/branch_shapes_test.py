# SPDX-License-Identifier: Apache-2.0
"""Branches and loops of which a block does not fit the shapes that came."""
import unittest

import numpy as np

import switchyard as sy
from switchyard import nn, static
from training_checks import MeanOf, trained

RNG = np.random.default_rng(6)


def floats(*shape):
    return RNG.normal(size=shape).astype(np.float32)


class UnfitBlockTest(unittest.TestCase):
    """Blocks that are wrong for the shapes that came, and not entered."""

    def check(self, function, specs, *calls):
        """A traced function has the bits of eager, whatever the extents."""
        program = static.trace(
            function, *[static.InputSpec(*spec) for spec in specs])
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

    def test_a_branch_for_other_shapes(self):
        def function(x):
            return static.cond(
                x.sum() > 0.0, lambda: sy.reshape(x, [5, -1]).sum(),
                lambda: x.sum() * 2.0) + x.sum()
        for specs in ([([None, 4],)], [([None, None],)]):
            program = self.check(function, specs, (-np.ones((3, 4), "f"),),
                                 (np.ones((5, 4), "f"),))
            with self.assertRaisesRegex(ValueError, "reshape: shape must be"):
                program.run({"x0": np.ones((3, 4), "f")})

    def test_a_guard_of_an_empty_choice(self):
        def function(x):
            m = sy.masked_select(x, x > 3.0)
            return static.cond(sy.sum(m) > 0.0, lambda: sy.max(m),
                               lambda: sy.sum(m))
        self.check(function, [([None, None],)], (floats(2, 3),),
                   (floats(2, 3) + 4.0,))

    def test_a_loop_that_is_not_entered(self):
        def function(x, n):
            return static.while_loop(
                lambda i, y: i < n,
                lambda i, y: (i + 1, sy.reshape(sy.reshape(y, [4, -1]), [-1])),
                (sy.tensor(0), x))[1]
        program = self.check(
            function, [([None],), ([], "int64")],
            (floats(6), np.array(0)), (floats(8), np.array(2)))
        with self.assertRaisesRegex(ValueError, "reshape: shape must be"):
            program.run({"x0": floats(6), "x1": np.array(1)})

    def test_a_branch_inside_of_a_loop(self):
        def function(x):
            halved = lambda y: sy.reshape(y, [2, -1]).sum(axis=0)
            return static.while_loop(
                lambda i, y: i < 3,
                lambda i, y: (i + 1, static.cond(
                    sy.sum(y) > 0.0, lambda: halved(y), lambda: y * 2.0)),
                (sy.tensor(0), x))[1]
        self.check(function, [([None],)], (-np.ones(3, "f"),),
                   (np.ones(8, "f"),))

    def test_training(self):
        class Guarded(nn.Module):
            def __init__(self):
                super().__init__()
                self.linear = nn.Linear(4, 4)

            def forward(self, x):
                h = self.linear(x)
                return static.cond(
                    sy.sum(x) > 0.0,
                    lambda: sy.reshape(h, [5, -1]).sum(axis=0, keepdim=True),
                    lambda: h * h)
        batches = [(-np.ones((3, 4), "f"), floats(3)),
                   (np.ones((5, 4), "f"), floats(5)),
                   (-np.ones((5, 4), "f"), floats(5))]
        self.assertEqual(trained(Guarded, MeanOf(), batches, True),
                         trained(Guarded, MeanOf(), batches, False))

    def test_a_state_is_kept_when_the_branch_is_entered(self):
        class Guarded(nn.Module):
            def __init__(self):
                super().__init__()
                self.linear = nn.Linear(4, 4)

            def forward(self, x):
                return static.cond(
                    sy.sum(x) > 0.0,
                    lambda: sy.reshape(self.linear(x), [5, -1]).sum(),
                    lambda: self.linear(x).sum())
        sy.seed(4)
        model = Guarded()
        step = static.train_step(
            model, MeanOf(), sy.optim.SGD(model.parameters(), 0.1),
            inputs=static.InputSpec([None, 4]))
        x = np.ones((3, 4), "f")
        step(-x, floats(3))
        before = [p.numpy().tobytes() for p in model.parameters()]
        with self.assertRaisesRegex(ValueError, "reshape: shape must be"):
            step(x, floats(3))
        self.assertEqual([p.numpy().tobytes() for p in model.parameters()],
                         before)


class BranchShapesTrainingTest(unittest.TestCase):
    """Trains through branches whose results differ in shape."""

    def check(self, then, otherwise, *specs, shape=(3, 4)):
        class Branches(nn.Module):
            def __init__(self):
                super().__init__()
                self.linear = nn.Linear(4, 4)

            def forward(self, x):
                h = self.linear(x)
                return static.cond(sy.sum(x) > 0.0, lambda: then(h),
                                   lambda: otherwise(h))
        x = np.abs(floats(*shape))
        batches = [(x, x[:, 0]), (-x, x[:, 0]), (x * 2, x[:, 0])]
        for spec in specs:
            self.assertEqual(
                trained(Branches, MeanOf(), batches, True,
                        inputs=static.InputSpec(spec)),
                trained(Branches, MeanOf(), batches, False))

    def test_of_a_part(self):
        specs = ([3, 4], [None, 4])
        self.check(lambda h: h[0:1], lambda h: h * 2.0, *specs)
        self.check(lambda h: h * h, lambda h: h[1:], *specs)
        self.check(lambda h: sy.sum(h, axis=0, keepdim=True), sy.relu, *specs)

    def test_of_more(self):
        specs = ([3, 4], [None, 4])
        self.check(lambda h: sy.concat([h, h * h]), lambda h: h * 2.0, *specs)
        self.check(lambda h: sy.concat([h, h]),
                   lambda h: sy.expand(h[:1], [2, 4]), *specs)
        self.check(lambda h: sy.masked_select(h, h > 0.0),
                   lambda h: sy.reshape(h * h, [-1]), *specs)


if __name__ == "__main__":
    unittest.main()
