# SPDX-License-Identifier: Apache-2.0
"""Ten small models with what is around them, and changes of every kind that
docs/python/static.md lists, each with its outcome: how many traces it costs."""

import copy
import functools
import types

import numpy as np

import switchyard as sy
from switchyard import nn

WIDTH = 3
FACTOR = 1.0  # A global that a loss reads.
SEEN, NOTHING, RETRACED = 0, 0, 1


def draw(rng, *shape):
    return rng.standard_normal(shape).astype(np.float32)


class Setting:
    """A model, its loss and its optimizer. ``changes`` is {name: (function of the
    setting and a number that is new each time, traces)}."""

    def __init__(self, model):
        self.model = model
        self.optimizer = sy.optim.Adam(model.parameters(), 0.01)
        self.others = []  # Modules that it does not train.
        self.changes = {
            "elements": (lambda s, n: s.write(n), SEEN),
            "rate": (lambda s, n: setattr(s.optimizer, "learning_rate", 0.01 / n),
                     SEEN),
            "decay": (lambda s, n: setattr(s.optimizer, "weight_decay", 0.01 * n),
                      RETRACED),
            "group": (lambda s, n: s.optimizer.param_groups[0].__setitem__(
                "beta1", 0.9 - 0.01 * n), RETRACED),
            "train again": (lambda s, n: s.model.train(s.model.training), NOTHING),
            "hook there and gone": (lambda s, n: s.model.register_forward_hook(
                lambda *_: None).remove(), NOTHING),
            "hook": (lambda s, n: s.model.register_forward_hook(
                lambda module, args, out: out * (1.0 + 0.01 * n)), RETRACED),
            "no gradients": (lambda s, n: s.optimizer.zero_grad(), NOTHING),
        }

    def write(self, number):
        """Writes a parameter's elements."""
        with sy.no_grad():
            self.model.parameters()[0].mul_(1.0 - 0.01 * number)

    def loss(self, out, x):
        return ((out - x) ** 2).mean()

    def state(self):
        """The elements of all modules."""
        return [t.numpy().tobytes() for module in (self.model, *self.others)
                for _, t in (*module.named_parameters(), *module.named_buffers())]


class Numbers(nn.Module):
    """Numbers, flags and containers of them."""

    offset = 0.0  # Of the class.

    def __init__(self):
        super().__init__()
        self.a = nn.Linear(WIDTH, WIDTH)
        self.factor, self.flag = 1.0, 0
        self.options, self.list = {"scale": 1.0}, [1.0, [2.0]]
        self.set, self.array = {1, 2}, np.ones(WIDTH, np.float32)
        self.plain = types.SimpleNamespace(shift=0.0, unread=0)

    def forward(self, x):
        h = self.a(x) * self.factor * self.options["scale"] * self.list[1][0]
        h = h * self.array + self.plain.shift + self.offset + len(self.set)
        return -h if self.flag % 2 else h


def numbers():
    s = Setting(Numbers())

    def unread(s, n):
        s.model.plain.unread = n

    def add(s, n):
        s.model.set.add(2 + n)
    s.changes.update({
        "number": (lambda s, n: setattr(s.model, "factor", 1.0 + n), RETRACED),
        "flag": (lambda s, n: setattr(s.model, "flag", n), RETRACED),
        "dict": (lambda s, n: s.model.options.update(scale=1.0 + n), RETRACED),
        "list": (lambda s, n: s.model.list[1].__setitem__(0, 1.0 + n), RETRACED),
        "set": (add, RETRACED),
        "array": (lambda s, n: s.model.array.__setitem__(0, 1.0 + n), RETRACED),
        "plain": (lambda s, n: setattr(s.model.plain, "shift", float(n)), RETRACED),
        "class": (lambda s, n: setattr(Numbers, "offset", float(n)), RETRACED),
        "equal": (lambda s, n: setattr(s.model, "factor", s.model.factor), NOTHING),
        "unread": (unread, NOTHING),
    })
    return s


def items():
    """The items of a Sequential."""
    s = Setting(nn.Sequential(nn.Linear(WIDTH, WIDTH), nn.Tanh(),
                              nn.Linear(WIDTH, WIDTH)))

    def exchange(s, n):
        s.model[1] = (nn.ReLU, nn.Sigmoid, nn.Tanh, nn.GELU)[n % 4]()
    s.changes["item"] = exchange, RETRACED
    return s


class Encoder(nn.Module):

    def __init__(self):
        super().__init__()
        self.encoder = nn.Linear(WIDTH, 4)
        self.norm = nn.BatchNorm1D(4)
        self.head = nn.Linear(4, WIDTH)

    def forward(self, x):
        return self.head(sy.tanh(self.norm(self.encoder(x))))


def distilled(shares, trains):
    """A teacher in the loss, which may share the student's encoder; its BatchNorm
    may be in training."""
    s = Setting(Encoder())
    s.teacher = copy.deepcopy(s.model).requires_grad_(False)
    if shares:
        s.teacher.encoder = s.model.encoder
    s.teacher.train(trains)
    s.others.append(s.teacher)

    def loss(out, x):
        with sy.no_grad():
            wanted = s.teacher(x)
        return ((out - wanted - x) ** 2).mean()
    s.loss = loss

    def exchange(s, n):
        sy.seed(n)
        s.teacher.head = nn.Linear(4, WIDTH)

    def average(s, n):
        with sy.no_grad():
            for t, p in zip(s.teacher.parameters(), s.model.parameters()):
                t.lerp_(p, 0.1)
    s.changes.update({
        "teacher's layer": (exchange, RETRACED),
        "average": (average, SEEN),
        "teacher's elements": (lambda s, n: s.teacher.head.weight.copy_(
            s.teacher.head.weight.data * 0.5), SEEN),
        "teacher's phase": (lambda s, n: s.teacher.train(not s.teacher.training),
                            RETRACED),
    })
    return s


class Listed(nn.Module):
    """Layers in a plain list, which no parameters() has."""

    def __init__(self):
        super().__init__()
        self.a = nn.Linear(WIDTH, WIDTH)
        self.extra = [nn.Linear(WIDTH, WIDTH).requires_grad_(False)]

    def forward(self, x):
        h = self.a(x)
        for layer in self.extra:
            h = sy.tanh(layer(h))
        return h


def listed():
    s = Setting(Listed())

    def layer(n):
        sy.seed(n)
        return nn.Linear(WIDTH, WIDTH).requires_grad_(False)
    s.changes.update({
        "listed layer": (lambda s, n: s.model.extra.__setitem__(0, layer(n)), RETRACED),
        "one more": (lambda s, n: s.model.extra.append(layer(n)), RETRACED),
        "listed elements": (lambda s, n: s.model.extra[0].weight.fill_(0.1 * n), SEEN),
    })
    return s


class Scale:
    """A callable object."""

    def __init__(self):
        self.factor = 1.0

    def __call__(self, x):
        return x * self.factor


class Called(nn.Module):

    def __init__(self):
        super().__init__()
        self.a, self.scale = nn.Linear(WIDTH, WIDTH), Scale()
        self.act = functools.partial(sy.ops.scale, scale=1.0)

    def forward(self, x):
        return self.act(self.scale(self.a(x)))


def called():
    """A callable object and a partial."""
    s = Setting(Called())
    s.changes.update({
        "object": (lambda s, n: setattr(s.model.scale, "factor", 1.0 + n), RETRACED),
        "partial": (lambda s, n: setattr(
            s.model, "act", functools.partial(sy.ops.scale, scale=1.0 + n)), RETRACED),
        "equal partial": (lambda s, n: setattr(s.model, "act", functools.partial(
            sy.ops.scale, **s.model.act.keywords)), NOTHING),
    })
    return s


def closed():
    """A closure's number, a global, a tensor of a closure, a partial as the loss."""
    s = Setting(nn.Linear(WIDTH, WIDTH))
    weight, shift = 1.0, sy.tensor([0.1, 0.2, 0.3])

    def loss(out, x, power):
        return (abs(out - x + shift) ** power).mean() * weight * FACTOR
    s.loss = functools.partial(loss, power=2.0)

    def set_weight(s, n):
        nonlocal weight
        weight = 1.0 + n

    def set_global(s, n):
        global FACTOR
        FACTOR = 1.0 + n
    s.changes.update({
        "cell": (set_weight, RETRACED), "global": (set_global, RETRACED),
        "tensor": (lambda s, n: shift.fill_(0.1 * n), SEEN),
    })
    return s


class Asked(nn.Module):
    """Python reads elements of a tensor, and a mask decides extents."""

    def __init__(self):
        super().__init__()
        self.a, self.steps = nn.Linear(WIDTH, WIDTH), sy.tensor(1)
        self.mask = sy.tensor([True, True, False])

    def forward(self, x):
        h = self.a(x)
        for _ in range(int(self.steps)):
            h = sy.tanh(h)
        return h + sy.mean(h[:, self.mask])


def asked():
    s = Setting(Asked())
    s.changes.update({
        "read element": (lambda s, n: s.model.steps.fill_(1 + n), RETRACED),
        "the same element": (lambda s, n: s.model.steps.fill_(
            int(s.model.steps)), NOTHING),
        "by numpy": (lambda s, n: s.model.steps.numpy().fill(1 + n), RETRACED),
        "mask": (lambda s, n: s.model.mask.copy_(sy.tensor(
            [bool(n & 1), True, bool(n & 2)])) if n % 4 != 1 else s.model.mask.copy_(
                sy.tensor([False, False, True])), None),
    })
    return s


def dropped():
    """A layer's argument, the phase, what trains."""
    model = nn.Sequential(nn.Linear(WIDTH, WIDTH), nn.Dropout(0.25),
                          nn.BatchNorm1D(WIDTH), nn.Linear(WIDTH, WIDTH))
    s = Setting(model)
    s.changes.update({
        "p": (lambda s, n: setattr(s.model[1], "p", 0.25 + 0.5 / (n + 2)), RETRACED),
        "phase": (lambda s, n: s.model.train(not s.model.training), RETRACED),
        "frozen": (lambda s, n: s.model[0].requires_grad_(
            not s.model[0].weight.requires_grad), RETRACED),
        "buffer": (lambda s, n: s.model[2].running_mean.fill_(0.1 * n), SEEN),
    })
    return s


MODELS = {
    "numbers": numbers, "items": items,
    "distilled": functools.partial(distilled, False, False),
    "a shared encoder": functools.partial(distilled, True, False),
    "a teacher that trains": functools.partial(distilled, True, True),
    "listed": listed, "called": called, "closed": closed, "asked": asked,
    "dropped": dropped,
}


def reset():
    """Makes what is of classes and modules what it was."""
    global FACTOR
    FACTOR, Numbers.offset = 1.0, 0.0
