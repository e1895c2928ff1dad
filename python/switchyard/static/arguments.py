# SPDX-License-Identifier: Apache-2.0
"""Checks of what is traced and trained: each fails by a sentence, before anything
is traced."""

from __future__ import annotations

from switchyard import amp
from switchyard.checks import Range, listed, refuse, whole
from switchyard.nn.module import Module
from switchyard.optim import Optimizer
from switchyard.static.structure import leaves
from switchyard.static.tracing import InputSpec

_CALLS = Range("in [1, 2147483647]", lambda n: 1 <= n < 2**31)


def check_function(name, argument, value):
    """TypeError unless it can be called."""
    if not callable(value):
        refuse(name, argument, "a function", value)


def check_specs(name, argument, specs):
    """TypeError unless all are InputSpecs, ValueError for one with a name."""
    for _, spec in [] if specs is None else leaves("", specs):
        if not isinstance(spec, InputSpec):
            refuse(name, argument, "an InputSpec, or a tuple or a dict of them", spec)
        if spec.name is not None:
            raise ValueError(f"{name}: {argument} must be InputSpecs without names, "
                             f"got {spec!r}")


def check_scaler(name, scaler):
    """TypeError unless it is a GradScaler or None."""
    if scaler is not None and not isinstance(scaler, amp.GradScaler):
        refuse(name, "scaler", "a GradScaler or None", scaler)


def check_step(model, loss, optimizer, inputs, labels, scaler, accumulate):
    """Checks the arguments of a TrainStep; the number of calls as an int."""
    if not isinstance(model, Module):
        refuse("train_step", "model", "a Module", model)
    check_function("train_step", "loss", loss)
    if not isinstance(optimizer, Optimizer):
        refuse("train_step", "optimizer", "an Optimizer", optimizer)
    check_specs("train_step", "inputs", inputs)
    check_specs("train_step", "labels", labels)
    check_scaler("train_step", scaler)
    return whole("train_step", "accumulate", accumulate, _CALLS)


def members(name, argument, values, kind):
    """The values as a tuple; TypeError unless each is of the class ``kind``."""
    values = tuple(listed(name, argument, values))
    for value in values:
        if not isinstance(value, kind):
            refuse(name, argument, f"a list of {kind.__name__}s", value)
    return values
