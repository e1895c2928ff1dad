# SPDX-License-Identifier: Apache-2.0
"""TracedOptimizer and TracedScaler: an optimizer's updates, and those of a
GradScaler, as a part of a program."""

from __future__ import annotations

from switchyard import _core

_ops = _core.ops


class TracedOptimizer:
    """An optimizer whose state is a program's, while that is traced.

    ``prefix`` is put before the names of its state in the program.
    """

    def __init__(self, captures, optimizer, prefix="optimizer"):
        self._captures, self.optimizer = captures, optimizer
        self._tensors = {**dict(optimizer.named_state()),
                         **dict(optimizer.momentums())}
        for name, tensor in self._tensors.items():
            captures.state(f"{prefix}.{name}", tensor)

    def _read(self, name):
        return self._captures.value_of(self._tensors[name])

    def step(self, params, gradients, found=None):
        """{own name: new parameter} of {own name: value} and {own name:
        gradient}.

        Where ``found``, a bool value, is true, nothing changes.
        """
        optimizer, names = self.optimizer, list(gradients)
        clipped = [gradients[own] for own in names]
        if optimizer.clip is not None and clipped:
            clipped = optimizer.clip(clipped)
        stepped = {}
        for own, gradient in zip(names, clipped):
            before = {key: self._read(f"{own}.{key}")
                      for key in optimizer.state[own]}
            momentum = optimizer.momentum_of(own)
            given = before if momentum is None else {
                **before, "momentum": self._captures.value_of(momentum)}
            param, after = optimizer.update_one(
                own, params[own], gradient,
                self._read(optimizer.rate_name(own)), given)
            stepped[own] = _unless(found, params[own], param)
            for key, value in after.items():
                self._captures.write(self._tensors[f"{own}.{key}"],
                                     _unless(found, before[key], value))
        return stepped


class TracedScaler:
    """A ``GradScaler`` whose state is a program's, while that is traced."""

    def __init__(self, captures, scaler):
        self._captures, self.scaler = captures, scaler
        self._tensors = dict(scaler.named_state())
        for name, tensor in self._tensors.items():
            captures.state(f"scaler.{name}", tensor)
        self._found = {}  # id(optimizer): whether a gradient is not finite.

    def scaled(self, loss):
        """The loss that gradients are taken of."""
        return self.scaler.scaled(loss, self._read("scale"))

    def _read(self, name):
        return self._captures.value_of(self._tensors[name])

    def unscaled(self, optimizer, gradients):
        """{own name: gradient} divided, and whether one is not finite."""
        if id(optimizer) in self._found:
            raise RuntimeError("minimize: the optimizer's gradients were unscaled "
                               "since the last update() of the scaler")
        divided, found = self.scaler.unscaled(list(gradients.values()),
                                              self._read("scale"))
        self._found[id(optimizer)] = found
        return dict(zip(gradients, divided)), found

    def update(self):
        """The scaler's ``update``."""
        if not self._found:
            raise RuntimeError("GradScaler.update: no step was made since the "
                               "last update()")
        found, *others = self._found.values()
        for other in others:
            found = _ops.logical_or(found, other)
        for tensor, value in zip(self._tensors.values(), self.scaler.updated(
                found, self._read("scale"), self._read("good_steps"))):
            self._captures.write(tensor, value)
        self._found.clear()

    def finish(self):
        """RuntimeError if ``update`` was not called after the steps."""
        if self._found:
            raise RuntimeError("train_function: the function must call update() "
                               "of the scaler after its steps")


def _unless(found, before, after):
    return after if found is None else _ops.where(found, before, after)


def hooked(parameter, gradient):
    """The gradient as the parameter's hooks make it."""
    for hook in parameter._hooks():
        changed = hook(gradient)
        if changed is None:
            continue
        if not isinstance(changed, _core.Value):
            raise TypeError("train_step: a hook must return a value of the graph "
                            f"or None, got {type(changed).__name__}")
        gradient = changed
    return gradient
