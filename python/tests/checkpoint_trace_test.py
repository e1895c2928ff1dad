# SPDX-License-Identifier: Apache-2.0
"""Checkpoints in programs: the bits of the same code without, and less memory."""
import os
import tempfile
import unittest

import numpy as np

import switchyard as sy
from switchyard import nn, static
from switchyard.nn import functional as F
from switchyard.utils.checkpoint import checkpoint

X = np.random.default_rng(0).standard_normal((6, 8)).astype(np.float32)


def plainly(function, *args):
    return function(*args)


class Block(nn.Module):

    def __init__(self, size=8, wide=16):
        super().__init__()
        self.norm = nn.LayerNorm(size)
        self.up, self.down = nn.Linear(size, wide), nn.Linear(wide, size)
        self.drop = nn.Dropout(0.3)

    def forward(self, x):
        return x + self.drop(self.down(F.gelu(self.up(self.norm(x)))))


class Net(nn.Module):
    """Blocks, each called by ``call``."""

    def __init__(self, call, count=3, block=Block, **sizes):
        super().__init__()
        self.call = call
        self.blocks = nn.ModuleList(block(**sizes) for _ in range(count))

    def forward(self, x):
        for block in self.blocks:
            x = self.call(block, x)
        return x


class Normed(nn.Module):
    """Writes its statistics, and values in place."""

    def __init__(self):
        super().__init__()
        self.norm, self.linear = nn.BatchNorm1D(8), nn.Linear(8, 8)

    def forward(self, x):
        h = self.linear(self.norm(x))
        h.add_(x)
        h[:, 0] = h[:, 1] * 2.0
        return h.relu_()


class Branching(nn.Module):

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(8, 8)

    def forward(self, x):
        h = static.cond(x.sum() > 0.0, lambda: self.linear(x),
                        lambda: F.dropout(self.linear(x), 0.5) * 2.0)
        count = sy.tensor(0)
        _, h = static.while_loop(lambda i, v: i < 3, lambda i, v: (
            i + 1, checkpoint(lambda u: F.tanh(self.linear(u)) + h, v)), (count, h))
        return h


class Cubed(sy.autograd.Function):

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x * x

    @staticmethod
    def backward(ctx, grad):
        x, = ctx.saved_tensors
        return grad * 3.0 * x * x


class Custom(nn.Module):

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(8, 8)

    def forward(self, x):
        return Cubed.apply(F.tanh(self.linear(x)) * 0.5)


def squares(y, _):
    return (y * y).mean()


def trained(model, compiled, steps=3):
    """Losses and states after some steps."""
    sy.seed(5)
    optimizer = sy.optim.SGD(model.parameters(), 0.1, momentum=0.9)
    losses = []
    step = static.train_step(model, squares, optimizer) if compiled else None
    for _ in range(steps):
        if compiled:
            losses.append(step(X, X).item())
            continue
        optimizer.zero_grad()
        loss = squares(model(sy.tensor(X)), None)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses, {name: t.numpy() for name, t in model.state_dict().items()}


def made(call, **options):
    sy.seed(3)
    return Net(call, **options)


class BitsTest(unittest.TestCase):

    def check(self, around=lambda call: call, **options):
        wanted, states = trained(made(around(plainly), **options), True)
        losses, found = trained(made(around(checkpoint), **options), True)
        self.assertEqual(losses, wanted)
        for name, state in states.items():
            np.testing.assert_array_equal(found[name], state, name)

    def test_kinds_of_blocks(self):
        """Random numbers, statistics, writes, branches, loops, own gradients."""
        for block in (Block, Normed, Branching, Custom):
            with self.subTest(block.__name__):
                self.check(block=block)

    def test_eager_steps(self):
        for block in (Block, Custom):
            eager, states = trained(made(checkpoint, block=block), False)
            losses, found = trained(made(checkpoint, block=block), True)
            self.assertEqual(losses, eager)
            for name, state in states.items():
                np.testing.assert_array_equal(found[name], state, name)

    def test_one_inside_of_another(self):
        self.check(lambda call: lambda block, x: call(
            lambda v: call(block, v * 2.0) + call(F.tanh, v), x))

    def test_two_losses_through_one(self):
        """And a function that reads tensors by itself, without arguments."""
        def step(call):
            models = [made(plainly, count=1) for _ in range(2)]
            optimizers = [sy.optim.Adam(model.parameters(), 0.01) for model in models]

            def train(x):
                one = call(lambda: models[0](x * models[1].blocks[0].norm.weight))
                two = call(models[1], one)
                for optimizer, loss in zip(optimizers, (squares(one, 0), two.mean())):
                    optimizer.minimize(loss)
                return two.mean()
            compiled = static.train_function(train, models, optimizers)
            sy.seed(1)
            losses = [compiled(X).item() for _ in range(3)]
            return losses, "recomputed" in compiled.program.text()
        losses, copies = step(checkpoint)
        self.assertEqual((losses, False), step(plainly))
        self.assertTrue(copies)

    def test_a_saved_program(self):
        model = made(checkpoint)
        step = static.train_step(model, squares, sy.optim.SGD(model.parameters(), 0.1))
        step(X, X)
        self.assertIn("recomputed", step.program.text())
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "step.syp")
            step.program.save(path)
            again = sy.static.load(path)
            feeds = {"inputs": X, "labels": X}
            sy.seed(2)
            wanted = step.program.run(feeds)["loss"]
            sy.seed(2)
            np.testing.assert_array_equal(again.run(feeds)["loss"], wanted)

    def test_an_exception_leaves_the_trace(self):
        def function(x):
            try:
                checkpoint(lambda v: v + "a", x)
            except TypeError:
                pass
            return checkpoint(F.tanh, x)
        np.testing.assert_array_equal(static.trace(function, X)(X).numpy(),
                                      F.tanh(sy.tensor(X)).numpy())


def resident():
    """MiB now, and the most since reset()."""
    with open("/proc/self/status", encoding="ascii") as file:
        lines = dict(line.split(":", 1) for line in file)
    return [int(lines[name].split()[0]) / 1024 for name in ("VmRSS", "VmHWM")]


def grown(run):
    """MiB at most that a run adds."""
    with open("/proc/self/clear_refs", "w", encoding="ascii") as file:
        file.write("5")
    before = resident()[0]
    run()
    return resident()[1] - before


class MemoryTest(unittest.TestCase):

    def test_peak(self):
        """Eight blocks of 20 MiB each: with checkpoints about one of them."""
        x = np.ones((2048, 128), np.float32)

        def run(call):
            model = Net(call, 8, size=128, wide=512)
            step = static.train_step(
                model, squares, sy.optim.SGD(model.parameters(), 0.1))
            return grown(lambda: step(x, x))
        kept = run(checkpoint)
        self.assertGreater(run(plainly), 2.0 * kept)


if __name__ == "__main__":
    unittest.main()
