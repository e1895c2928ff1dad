# SPDX-License-Identifier: Apache-2.0
"""ParamGroup: parameters of an optimizer with arguments of their own."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
import inspect
import math
import threading

import numpy as np

from switchyard import _core
from switchyard.checks import FROM_0, Range, real
from switchyard.optim.parts import as_reals
from switchyard.pytorch_names import COMMON
from switchyard.spelling import of_constructor

_RATES = ("learning_rate", "lr")
_BETAS = ("beta1", "beta2")
BETA = Range("in [0, 1)", lambda n: 0.0 <= n < 1.0)
# Arguments that are the optimizer's, not a group's.
_OWN = ("parameters", "clip")

_making = threading.local()


def makes_rule() -> bool:
    """Whether this thread makes an optimizer for its arguments alone."""
    return getattr(_making, "rule", False)


def arguments_of(optimizer, given) -> dict:
    """{name: value} of what a group may have, as ``optimizer`` was made by the
    arguments ``given``, a pair of the positional ones and the others."""
    positional, keywords = given
    signature = inspect.signature(type(optimizer).__init__)
    bound = signature.bind(
        optimizer, *positional, **of_constructor(type(optimizer), keywords))
    bound.apply_defaults()
    named = (inspect.Parameter.POSITIONAL_OR_KEYWORD,
             inspect.Parameter.KEYWORD_ONLY)
    return {name: value for name, value in list(bound.arguments.items())[2:]
            if name not in _OWN and signature.parameters[name].kind in named}


def rule_of(optimizer, parameters, arguments):
    """An optimizer of the same class with these arguments, without state, whose
    ``update`` is that of the group."""
    before, _making.rule = makes_rule(), True
    try:
        return type(optimizer)(parameters, **arguments)
    finally:
        _making.rule = before


def as_given(rate, given):
    """The rate that a state holds: the number that was given for it, while the
    state is that rounded, else the shortest one that rounds to it."""
    held = rate.numpy()[0]
    if given is not None and held.dtype.type(given) == held:
        return given
    return float(str(held))


class ParamGroup(MutableMapping):
    """A group: "params", "lr" (or "learning_rate") and the arguments of the
    optimizer's class by their names, as a dict. All but "params" can be set.

    A learning rate holds from the next step on, in eager code and in programs,
    which read it as a state; a program is traced again for another argument.
    """

    __eq__, __hash__ = object.__eq__, object.__hash__

    def __init__(self, optimizer, names, arguments, rate, rule):
        self.names, self.rate, self.rule = names, rate, rule
        self.momentum = None  # Its own, or beta1: a state, once it is varied.
        self.scale = 1.0
        self._given = None  # The number that its own rate was set to.
        self._optimizer, self._arguments = optimizer, dict(arguments)

    def __getitem__(self, key):
        key = COMMON.get(key, key)
        if key == "params":
            return [self._optimizer.parameters[name] for name in self.names]
        if key == "learning_rate":
            if self.rate is self._optimizer._learning_rate:
                return self._optimizer.learning_rate
            return as_given(self.rate, self._given)
        if key == "betas" and self._arguments.get(key) is None:
            return self._arguments["beta1"], self._arguments["beta2"]
        return self._arguments[key]

    def __setitem__(self, key, value):
        key = COMMON.get(key, key)
        if key not in self or key == "params":
            raise KeyError(f"{type(self._optimizer).__name__}: a group has no "
                           f"argument {key!r} that can be set")
        if key == "learning_rate":
            self._optimizer.set_group_rate(self, value)
            return
        if self.momentum is not None and key in ("momentum", "beta1"):
            self.set_momentum(value)
            return
        changed = self._changed(key, value)
        rule = rule_of(self._optimizer, self["params"], changed)
        first = self.names[0]
        if rule.initial_state(as_reals(self["params"][0])).keys() != (
                self._optimizer.state[first].keys()):
            raise ValueError(f"{type(rule).__name__}: {key} must stay, since the "
                             "state that is kept depends on it")
        self._put(changed, rule)

    def _changed(self, key, value):
        """Its arguments with another one."""
        changed = {**self._arguments, key: value}
        if key in ("beta1", "beta2") and "betas" in changed:
            changed["beta1"], changed["beta2"] = self["betas"]
            changed.update({key: value, "betas": None})
        changed.update({name: self["lr"] for name in _RATES if name in changed})
        return changed

    def _put(self, changed, rule):
        before = {name: getattr(self.rule, name, None) for name in _BETAS}
        self._arguments, self.rule = changed, rule
        if self.momentum is not None:
            now = getattr(rule, "beta1", None)
            now = rule.momentum if now is None else now
            self.momentum.copy_(_core.tensor(np.array(float(now)), "float64"))
        self._optimizer.version += 1
        for name, old in before.items():
            if old is not None and getattr(rule, name) != old:
                self._correct(f"{name}_pow", old, getattr(rule, name))

    def _correct(self, state, old, new):
        """Has the powers that correct means for their start be those of another
        beta, of as many steps."""
        for name in self.names:
            power = self._optimizer.state[name].get(state)
            if power is None:
                continue
            value = power.item()
            if value > 0.0:  # Else it has no effect any more.
                steps = round(math.log(value) / math.log(old)) if old else 0
                power.copy_(_core.tensor([new**steps], power.dtype))

    def __delitem__(self, key):
        raise KeyError(f"a group keeps its argument {key!r}")

    def __iter__(self) -> Iterator[str]:
        yield "params"
        yield "lr"
        yield from (name for name in self._arguments if name not in _RATES)

    def __contains__(self, key):
        key = COMMON.get(key, key)
        return key in ("params", "learning_rate") or key in self._arguments

    def __len__(self):
        return sum(1 for _ in self)

    def __repr__(self):
        told = {key: f"{len(self.names)} tensors" if key == "params" else value
                for key, value in self.items()}
        return f"ParamGroup({told})"

    def vary_momentum(self, value):
        """Sets its momentum, or beta1, which will be set again and again: it is a
        state from now on, which programs read, where the optimizer's step can.
        ValueError if it has neither."""
        if self.momentum is None:
            optimizer, key = self._optimizer, self._momentum_key()
            changed = self._changed(key, self._with_momentum(key, value))
            rule = rule_of(optimizer, self["params"], changed)
            for name, param in zip(self.names, self["params"]):
                for own, tensor in rule.initial_state(as_reals(param)).items():
                    optimizer.state[name].setdefault(own, tensor)
            self._put(changed, rule)
            if rule.reads_momentum:
                self.momentum = _core.tensor(np.array(float(value)), "float64")
        else:
            self.set_momentum(value)

    def set_momentum(self, value):
        """Sets its momentum, or beta1. Programs are traced again unless it has been
        varied."""
        key = self._momentum_key()
        if self.momentum is None:
            self[key] = self._with_momentum(key, value)
            return
        name = "momentum" if key == "momentum" else "beta1"
        value = real(type(self.rule).__name__, name, value,
                     FROM_0 if key == "momentum" else BETA)
        old = getattr(self.rule, name)
        changed = self._changed(key, self._with_momentum(key, value))
        self.momentum.copy_(_core.tensor(np.array(value), "float64"))
        object.__setattr__(self.rule, name, value)  # No program has read it.
        self._arguments = changed
        if name == "beta1":
            self._correct("beta1_pow", old, value)

    def _momentum_key(self):
        for key in ("beta1", "betas", "momentum"):
            if key in self._arguments:
                return key
        raise ValueError(f"{type(self._optimizer).__name__}: a group has no momentum "
                         "and no beta1 to be varied")

    def _with_momentum(self, key, value):
        return (value, self["betas"][1]) if key == "betas" else value

    def own_rate(self, dtype):
        """Gives it a rate apart from the optimizer's, of the same value."""
        self._given = self["lr"]
        self.rate = _core.tensor(np.array([self._given]), dtype)

    def set_rate(self, rate):
        """Writes its own rate, an array of one element."""
        self.rate.copy_(_core.tensor(rate, self.rate.dtype))
        self._given = float(rate[0])
