# SPDX-License-Identifier: Apache-2.0
"""A compiled step is never silently other than eager code: what changes around it
is seen, traced again, or an error, as the table of docs/python/static.md says."""
import copy
import functools
import types
import unittest
import warnings

import numpy as np

import switchyard as sy
from switchyard import nn, static

X = np.random.default_rng(0).standard_normal((5, 3)).astype(np.float32)
FACTOR = 1.0


class Net(nn.Module):
    """Reads all kinds of things."""

    offset = 0.0  # Of the class.

    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(3, 4), nn.Linear(4, 3)
        self.drop = nn.Dropout(0.0)
        self.norm = nn.BatchNorm1D(4)
        self.k, self.flag = 1.0, False
        self.t = sy.tensor(0.5)
        self.register_buffer("buffer", sy.tensor([1.0, 2.0, 3.0]))
        self.options = {"scale": 1.0}
        self.factors = [1.0, [2.0]]
        self.table = np.ones(3, np.float32)
        self.config = types.SimpleNamespace(shift=0.0, unread=0)
        self.act = functools.partial(sy.ops.scale, scale=1.0)
        self.extra = [nn.Linear(3, 3)]
        self.steps = 0

    def forward(self, x):
        h = self.drop(self.norm(sy.tanh(self.a(x))))
        if self.flag:
            h = -h
        h = self.act(self.b(h)) * self.k + self.t
        h = h * self.options["scale"] * self.factors[1][0] + self.offset
        return self.extra[0](h * self.table * self.buffer + self.config.shift)


class Setting:
    """A model, what is around it, and the loss."""

    def __init__(self):
        sy.seed(0)
        self.model = Net()
        self.teacher = copy.deepcopy(self.model)
        self.teacher.a = self.model.a  # Shares the encoder.
        self.model.extra[0].requires_grad_(False)
        self.target = copy.deepcopy(self.model)
        self.optimizer = sy.optim.Adam(self.model.parameters(), 0.01)
        self.weight, self.shift = 0.5, sy.tensor([0.1, 0.2, 0.3])
        self.view = self.model.b.weight.detach().T
        cell, self.set_cell = self.make_cell()
        self.cell = cell

    def make_cell(self):
        number = 1.0

        def read():
            return number

        def write(value):
            nonlocal number
            number = value
        return read, write

    def loss(self, out, x):
        with sy.no_grad():
            wanted = self.teacher(x) + self.target(x)
        error = (out - wanted * self.weight + self.shift) ** 2
        penalty = sum((p ** 2).sum() for p in self.model.parameters())
        return error.mean() * self.cell() * FACTOR + 0.01 * penalty


def set_factor(value):
    global FACTOR
    FACTOR = value


def assign(path, value):
    def change(s):
        *owners, name = path.split(".")
        owner = functools.reduce(getattr, owners, s)
        setattr(owner, name, value(s) if callable(value) else value)
    return change


def twice(change):
    def both(s):
        change(s)
        change(s)
    return both


def hooked(s):
    s.handle = s.model.a.register_forward_hook(lambda m, args, out: out * 2.0)


def hooked_and_removed(s):
    s.model.a.register_forward_hook(lambda m, args, out: out * 2.0).remove()


def exchange(module, name):
    """Another layer with weights of its own."""
    def change(s):
        sy.seed(7)
        setattr(functools.reduce(getattr, module.split("."), s), name,
                nn.Linear(3, 4))
    return change


# Changes that are seen without a retrace.
SEEN = {
    "elements of a buffer": lambda s: s.model.buffer.fill_(2.0),
    "an assigned buffer": assign("model.buffer", lambda s: sy.tensor([3.0, 2.0, 1.0])),
    "an attribute's elements": lambda s: s.model.t.fill_(2.0),
    "a target network": lambda s: s.target.load_state_dict(s.model.state_dict()),
    "a parameter's elements": lambda s: s.model.b.weight.detach().fill_(0.5),
    "a captured tensor": lambda s: s.shift.copy_(sy.tensor([3.0, 2.0, 1.0])),
    "a plain list's layer": lambda s: s.model.extra[0].weight.fill_(0.5),
    "the rate": assign("optimizer.learning_rate", 0.1),
    "the optimizer's state": lambda s: s.optimizer.load_state_dict(
        {k: v * 0.5 for k, v in s.optimizer.state_dict().items()}),
}
# Changes that are traced once more.
RETRACED = {
    "a number": assign("model.k", 2.0),
    "a number of another type": assign("model.k", 1),
    "a flag": assign("model.flag", True),
    "a tensor": assign("model.t", lambda s: sy.tensor(3.0)),
    "a layer's argument": assign("model.drop.p", 0.5),
    "a dict's item": lambda s: s.model.options.update(scale=2.0),
    "a list's item": lambda s: s.model.factors[1].__setitem__(0, 3.0),
    "an array's element": lambda s: s.model.table.__setitem__(0, 3.0),
    "a plain object's attribute": assign("model.config.shift", 1.0),
    "a partial": assign("model.act", lambda s: functools.partial(sy.ops.scale, scale=2.0)),
    "a list's module": lambda s: s.model.extra.__setitem__(0, nn.Identity()),
    "a class's attribute": lambda s: setattr(Net, "offset", 1.0),
    "the phase": lambda s: s.model.eval(),
    "the teacher's phase": lambda s: s.teacher.eval(),
    "the teacher's layer": exchange("teacher", "a"),
    "the target's layer": exchange("target", "a"),
    "a target's parameter": lambda s: setattr(
        s.target.a, "weight", nn.Parameter(np.ones((3, 4), np.float32))),
    "a layer's deletion": lambda s: delattr(s.teacher, "flag") or setattr(
        s.teacher, "flag", True),
    "a hook": hooked,
    "requires_grad": lambda s: s.model.b.requires_grad_(False),
    "the loss's number": assign("weight", 0.7),
    "a closure's number": lambda s: s.set_cell(2.0),
    "a global": lambda s: set_factor(2.0),
    "weight_decay": assign("optimizer.weight_decay", 0.5),
    "clip": assign("optimizer.clip", lambda s: sy.optim.ClipGradByGlobalNorm(0.1)),
    "beta1": assign("optimizer.beta1", 0.5),
    "a group's argument": lambda s: s.optimizer.param_groups[0].__setitem__(
        "weight_decay", 0.5),
}
# Changes without an effect.
NOTHING = {
    "an equal number": assign("model.k", 1.0),
    "an equal dict": assign("model.options", lambda s: {"scale": 1.0}),
    "train twice": twice(lambda s: s.model.train()),
    "a hook added and removed": hooked_and_removed,
    "what was not read": assign("model.steps", 3),
    "an object's attribute that was not read": assign("model.config.unread", 3),
    "requires_grad as it was": lambda s: s.model.b.requires_grad_(True),
    "gradients": lambda s: s.optimizer.zero_grad(),
}


class TableTest(unittest.TestCase):

    def tearDown(self):
        set_factor(1.0)
        Net.offset = 0.0

    def steps(self, compiled, change, at):
        """Losses, elements and traces of steps with a change before one."""
        set_factor(1.0)
        Net.offset = 0.0
        s = Setting()
        step = static.train_step(s.model, s.loss, s.optimizer) if compiled else None
        losses = []
        for i in range(at + 3):
            if i == at:
                sy.seed(3)
                change(s)
            x = sy.tensor(X + i)
            if compiled:
                losses.append(float(step(x, x)))
            else:
                loss = s.loss(s.model(x), x)
                s.optimizer.minimize(loss)
                losses.append(float(loss))
        tensors = [t.numpy().copy() for module in (s.model, s.teacher, s.target)
                   for _, t in (*module.named_parameters(), *module.named_buffers())]
        return losses, tensors, step and step.traces

    def check(self, kinds, retraces):
        for number, (name, change) in enumerate(kinds.items()):
            with self.subTest(name):
                at = 1 + number % 3
                want, tensors, _ = self.steps(False, change, at)
                got, mine, traces = self.steps(True, change, at)
                self.assertEqual(got, want)
                for one, other in zip(mine, tensors):
                    np.testing.assert_array_equal(one, other)
                self.assertEqual(traces, 1 + retraces)

    def test_what_is_seen(self):
        self.check(SEEN, 0)

    def test_what_is_traced_again(self):
        self.check(RETRACED, 1)

    def test_what_changes_nothing(self):
        self.check(NOTHING, 0)
        losses = [self.steps(True, change, 1)[0] for change in (
            lambda s: None, lambda s: set_factor(2.0))]
        self.assertNotEqual(*losses)


if __name__ == "__main__":
    unittest.main()
