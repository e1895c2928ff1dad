# SPDX-License-Identifier: Apache-2.0
"""Random numbers that branches and loops draw: those of eager code, in every run,
however often each draws, and what comes after goes on from there."""
import unittest

import numpy as np

import switchyard as sy
from switchyard import nn, static

X = np.random.default_rng(3).normal(size=(2, 4)).astype(np.float32)
COUNTS = (3, 0, 1, 5)


def positive(v):
    return sy.sum(v) > 0


def uneven(v, n):
    """Branches that draw twice, or not at all."""
    def noisy():
        return v + sy.randn(4) + sy.rand(4)
    return static.cond(positive(v), noisy, lambda: v * 2.0) + sy.randn(4)


def in_a_loop(v, n):
    return static.while_loop(
        lambda i, h: i < n,
        lambda i, h: (i + 1, sy.tanh(h + sy.randn(2, 4)) * sy.rand(4)),
        (sy.tensor(0), v + sy.randn(4)))[1] + sy.randn(4)


def branch_in_a_loop(v, n):
    def body(i, h):
        return i + 1, static.cond(positive(h), lambda: h - sy.rand(4),
                                  lambda: h + sy.randn(4) * sy.randn(2, 4))
    return static.while_loop(lambda i, h: i < n, body, (sy.tensor(0), v))[1] + (
        sy.rand(4))


def loop_in_a_branch(v, n):
    return static.cond(positive(v), lambda: in_a_loop(v, n), lambda: v) * sy.rand(4)


def loop_in_a_loop(v, n):
    def row(i, h):
        inner = static.while_loop(lambda j, g: j < i,
                                  lambda j, g: (j + 1, g + sy.randn(4)),
                                  (sy.tensor(0), h))
        return i + 1, inner[1] * sy.rand(4)
    return static.while_loop(lambda i, h: i < n, row, (sy.tensor(0), v))[1] + (
        sy.randn(4))


def without_values(v, n):
    """Loops beside each other; the second doesn't draw."""
    h = in_a_loop(v, n)
    h = static.while_loop(lambda i, g: i < n, lambda i, g: (i + 1, g * 0.5),
                          (sy.tensor(0), h))[1]
    return h + sy.randn(4)


class RandomControlTest(unittest.TestCase):

    def test_values(self):
        for function in (uneven, in_a_loop, branch_in_a_loop, loop_in_a_branch,
                         loop_in_a_loop, without_values):
            with self.subTest(function.__name__):
                program = static.trace(function, X, static.InputSpec([], "int64"))
                runs = [(x, np.array(n)) for x in (X, np.abs(X), -np.abs(X))
                        for n in COUNTS]
                sy.seed(3)
                want = [function(sy.tensor(x), sy.tensor(n)).numpy() for x, n in runs]
                sy.seed(3)
                for (x, n), right in zip(runs, want):
                    got = program.run({"x0": x, "x1": n})["out"]
                    np.testing.assert_array_equal(got, right)

    def test_training(self):
        """Dropout in a loop and in a branch, with gradients."""
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.linear, self.drop = nn.Linear(4, 4), nn.Dropout(0.4)

            def forward(self, x):
                h = static.while_loop(
                    lambda i, h: i < 3,
                    lambda i, h: (i + 1, self.drop(sy.tanh(self.linear(h)))),
                    (sy.tensor(0), x))[1]
                return static.cond(positive(h), lambda: self.drop(h), lambda: h)

        def losses(compiled):
            sy.seed(5)
            net = Net()
            optimizer = sy.optim.SGD(net.parameters(), 0.5)
            step = static.train_step(net, nn.MSELoss(), optimizer)
            found = []
            for i in range(5):
                x = sy.tensor(X + 0.25 * i)
                if compiled:
                    loss = step(x, x)
                else:
                    loss = nn.MSELoss()(net(x), x)
                    optimizer.minimize(loss)
                found.append(loss.item())
            return found + net.linear.weight.tolist()

        self.assertEqual(losses(True), losses(False))


if __name__ == "__main__":
    unittest.main()
