# SPDX-License-Identifier: Apache-2.0
"""A change of what a compiled step's code reads through any kind of Python's objects
costs one trace more, and the step has the bits of eager code."""
import collections
import functools
import operator
import types
import unittest

import numpy as np

import switchyard as sy
from switchyard import nn, static

X = np.random.default_rng(0).standard_normal((5, 3)).astype(np.float32)
FACTOR = 1.0


class Protocol:
    """Reads its number where code names no method."""

    def __init__(self):
        self.number = 1.0

    def __call__(self, h):
        return h * self.number

    def __getitem__(self, i):
        return self.number

    def __getattr__(self, name):
        if name != "other":
            raise AttributeError(name)
        return self.number

    def __iter__(self):
        return iter([self.number])

    def __len__(self):
        return int(self.number)

    def __float__(self):
        return self.number

    def __mul__(self, h):
        return h * self.number

    def __enter__(self):
        return self.number

    def __exit__(self, *error):
        pass


class Scaled(nn.Module):

    def scale(self, h):
        return h * 1.0

    def forward(self, h):
        return self.scale(h)


class Number:
    """A descriptor."""

    def __get__(self, thing, kind):
        return self if thing is None else thing.number


class Base:

    def scale(self, h):
        return h * self.number


class Derived(Base):
    described = Number()

    def __init__(self):
        self.number = 1.0

    def scale(self, h):
        return super().scale(h)


class ReadsGlobal(nn.Module):

    def forward(self, h):
        return h * FACTOR


class DerivedForward(ReadsGlobal):

    def forward(self, h):
        return super().forward(h)


def entered(thing, h):
    with thing as number:
        return h * number


def scaled(h, factors=(1.0,)):
    return h * factors[0]


def fresh_function():
    """A function with an attribute and a default of its own."""
    made = types.FunctionType(scaled.__code__, globals(), "made", ((1.0,),))
    made.gain = 1.0
    return made


def fresh_class():
    return type("Fresh", (Scaled,), {"scale": lambda self, h: h * 1.0})()


@functools.lru_cache
def cached():
    return FACTOR


def set_factor(value):
    global FACTOR
    FACTOR = value
    cached.cache_clear()


def put(name, value):
    return lambda thing: setattr(thing, name, value)


def put_item(key):
    return lambda thing: thing.__setitem__(key, 2.0)


def doubled(h):
    return h * 2.0


NUMBER = put("number", 2.0)
# {name: (what makes the object, what code does with it, the change)}.
KINDS = {
    "a call": (Protocol, lambda t, h: t(h), NUMBER),
    "an index": (Protocol, lambda t, h: h * t[0], NUMBER),
    "__getattr__": (Protocol, lambda t, h: h * t.other, NUMBER),
    "an iteration": (Protocol, lambda t, h: h * sum(t), NUMBER),
    "a length": (Protocol, lambda t, h: h * len(t), NUMBER),
    "a number of": (Protocol, lambda t, h: h * float(t), NUMBER),
    "an operator": (Protocol, lambda t, h: t * h, NUMBER),
    "with": (Protocol, entered, NUMBER),
    "attrgetter": (Protocol, lambda t, h: h * operator.attrgetter("number")(t), NUMBER),
    "a UserDict": (lambda: collections.UserDict(k=1.0), lambda t, h: h * t["k"],
                   put_item("k")),
    "a UserList": (lambda: collections.UserList([1.0]), lambda t, h: h * t[0],
                   put_item(0)),
    "a ChainMap": (lambda: collections.ChainMap({}, {"k": 1.0}),
                   lambda t, h: h * t["k"], put_item("k")),
    "an attribute that comes": (types.SimpleNamespace,
                                lambda t, h: h * getattr(t, "late", 1.0),
                                put("late", 2.0)),
    "an attribute that goes": (lambda: types.SimpleNamespace(flag=1),
                               lambda t, h: h * 2.0 if hasattr(t, "flag") else h,
                               lambda t: delattr(t, "flag")),
    "a method of an object": (Scaled, lambda t, h: t(h), put("scale", doubled)),
    "forward of an object": (nn.Tanh, lambda t, h: t(h), put("forward", doubled)),
    "a method of a class": (fresh_class, lambda t, h: t(h), lambda t: setattr(
        type(t), "scale", lambda self, h: h * 2.0)),
    "super() of an object": (Derived, lambda t, h: t.scale(h), NUMBER),
    "super() of a module": (lambda: set_factor(1.0) or DerivedForward(),
                            lambda t, h: t(h), lambda t: set_factor(2.0)),
    "a descriptor": (Derived, lambda t, h: h * t.described, NUMBER),
    "an object in a list of a namespace": (
        lambda: types.SimpleNamespace(calls=[Protocol()]),
        lambda t, h: t.calls[0](h), lambda t: setattr(t.calls[0], "number", 2.0)),
    "a default": (fresh_function, lambda t, h: t(h), put("__defaults__", ((2.0,),))),
    "an attribute of a function": (fresh_function, lambda t, h: h * t.gain,
                                   put("gain", 2.0)),
    "a cached function": (lambda: set_factor(1.0), lambda t, h: h * cached(),
                          lambda t: set_factor(2.0)),
}


class StaleObjectsTest(unittest.TestCase):

    def losses(self, kind, compiled, changes):
        """The losses of five steps with a change before the third, and the step."""
        make, use, change = KINDS[kind]
        sy.seed(0)
        model, thing = nn.Linear(3, 3), make()
        optimizer = sy.optim.SGD(model.parameters(), 0.01)

        def loss(out, x):
            return ((use(thing, out) - x) ** 2).mean()

        step, found = static.train_step(model, loss, optimizer), []
        for i in range(5):
            if i == 2 and changes:
                change(thing)
            x = sy.tensor(X + i)
            if compiled:
                value = step(x, x)
            else:
                value = loss(model(x), x)
                optimizer.minimize(value)
            found.append(value.item())
        return found, step.traces

    def test_kinds(self):
        for kind in KINDS:
            with self.subTest(kind):
                want, _ = self.losses(kind, False, True)
                same, once = self.losses(kind, True, False)
                self.assertEqual(self.losses(kind, True, True), (want, 2))
                self.assertEqual(once, 1)
                self.assertEqual(same[:2], want[:2])
                self.assertNotEqual(same, want)


if __name__ == "__main__":
    unittest.main()
