# SPDX-License-Identifier: Apache-2.0
"""Writes that gradients don't follow: what is written keeps the gradient that it
had, traced as in eager code, and the views of it, of every age, have what it has."""
import unittest

import numpy as np

import switchyard as sy
from switchyard import nn, static

X = np.array([[1.5, -2.0, 0.5], [0.25, 3.0, -1.0]], np.float32)


class Net(nn.Module):

    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(np.arange(9, dtype=np.float32).reshape(3, 3) / 8 - 0.5)
        self.b = nn.Parameter(np.array([0.5, -1.0, 2.0], np.float32))
        self.register_buffer("s", sy.tensor([1.0, 2.0, 3.0]))


def quiet(write):
    with sy.no_grad():
        write()


def a_view_before(net, x, minimize):
    view = net.w.T
    quiet(lambda: net.w.copy_(net.w * 2.0))
    minimize(sy.sum(x @ view))
    return view.sum(0)


def uses_before_and_after(net, x, minimize):
    before = net.w[:2] - net.b
    quiet(lambda: net.w.copy_(net.w * 0.5 + 1.0))
    quiet(lambda: net.b.mul_(3.0))
    loss = sy.sum(before * x + x @ net.w * 2.0) + sy.sum(sy.tanh(x * net.b))
    minimize(loss)
    return loss


def parts(net, x, minimize):
    row = net.w[1]
    quiet(lambda: net.w[0].fill_(0.25))
    quiet(lambda: row.copy_(net.b))
    with sy.no_grad():
        net.w[2, 1:] = 3.0
    loss = sy.sum((x @ net.w) ** 2 + row * x)
    minimize(loss)
    return loss


def through_detach(net, x, minimize):
    h = x @ net.w
    g = h * 1.0
    g.detach().add_(1.0)
    with sy.no_grad():
        g *= 2.0
        g[0] = 0.5
    loss = sy.sum(g * h)
    minimize(loss)
    return loss


def two_steps(net, x, minimize):
    early, view = x * net.b, net.w.T
    minimize(sy.sum(x @ net.w))
    minimize(sy.sum(early * 2.0) + sy.sum((x @ view) ** 2))
    return view.sum(0) + net.b


def clipped_weights(net, x, minimize):
    minimize(sy.sum((x @ net.w) ** 2))
    with sy.no_grad():
        for p in net.parameters():
            p.clip_(-0.25, 0.25)
    minimize(sy.sum((x @ net.w + net.b) ** 2))
    return net.w.sum()


def a_buffer(net, x, minimize):
    view = net.s[1:]
    net.s.copy_(net.s * 2.0 + x[0])
    loss = sy.sum(view * (x @ net.w)[:, 1:])
    minimize(loss)
    return loss


CASES = (a_view_before, uses_before_and_after, parts, through_detach, two_steps,
         clipped_weights, a_buffer)


class KeptGradientTest(unittest.TestCase):

    def run_steps(self, case, compiled):
        net = Net()
        optimizer = sy.optim.Momentum(net.parameters(), 0.125, 0.5)

        def function(x):
            return case(net, x, optimizer.minimize)

        step = static.train_function(function, [net], [optimizer]) if (
            compiled) else function
        found = []
        for i in range(3):
            found.append(step(sy.tensor(X * (i + 1))).numpy().tobytes())
            found += [t.numpy().tobytes() for t in (net.w, net.b, net.s)]
        return found

    def test_bits(self):
        for case in CASES:
            with self.subTest(case.__name__):
                self.assertEqual(self.run_steps(case, True),
                                 self.run_steps(case, False))

    def test_trace(self):
        net, eager = Net(), Net()

        def function(net, x):
            view = net.w.T
            quiet(lambda: net.w.copy_(net.w * 2.0))
            return x @ view

        program = static.trace(lambda x: function(net, x), X)
        for _ in range(2):
            np.testing.assert_array_equal(
                program(X).numpy(), function(eager, sy.tensor(X)).detach().numpy())
        np.testing.assert_array_equal(net.w.numpy(), eager.w.numpy())


class ArraysTest(unittest.TestCase):
    """Arrays of NumPy over the memory of what a traced function uses."""

    def test_numpy_of_outside_is_read_only_in_a_trace(self):
        t = sy.tensor([1.0, 2.0, 3.0])

        def function(x):
            t.numpy()[:] = 5.0
            return x + t

        with self.assertRaisesRegex(ValueError, "read-only"):
            static.trace(function, X)
        self.assertEqual(t.tolist(), [1, 2, 3])
        t.numpy()[:] = 5.0  # Outside, it is as before.
        self.assertEqual(function(sy.tensor(X)).tolist(), (X + 5.0).tolist())

    def test_an_array_over_a_state_is_the_state(self):
        for view in (lambda a: a, lambda a: a[::2], lambda a: a.reshape(2, 2)[:, 1]):
            t = sy.tensor([1.0, 2.0, 3.0, 4.0])
            part = view(t.numpy())

            def function(x):
                before = sy.sum(t) + x * 1.0
                t.add_(1.0)
                return sy.add(before, part).sum()

            program = static.trace(function, static.InputSpec([]))
            want = sy.tensor([1.0, 2.0, 3.0, 4.0])
            array = view(want.numpy())
            for _ in range(2):
                total = float(sy.sum(want)) + 1.0
                want.add_(1.0)
                self.assertEqual(program(np.float32(1.0)).item(),
                                 float((np.float32(total) + array).sum()))

    def test_an_array_that_is_read_before_its_state_is_written(self):
        t = sy.tensor([1.0, 2.0, 3.0])
        array = t.numpy()

        def function(x):
            y = sy.add(x, array)
            t.fill_(0.0)
            return y

        with self.assertRaisesRegex(ValueError, "'captured0', in whose memory an array"):
            static.trace(function, X)

    def test_a_written_array_over_a_state(self):
        net = nn.Linear(3, 2)
        array = net.bias.numpy()

        def loss(out, labels):
            array[:] = 5.0
            return sy.mean((out - labels) ** 2)

        step = static.train_step(net, loss, sy.optim.SGD(net.parameters(), 0.1))
        with self.assertRaisesRegex(RuntimeError, "in the memory of 'bias'"):
            step(X, X[:, :2])


if __name__ == "__main__":
    unittest.main()
