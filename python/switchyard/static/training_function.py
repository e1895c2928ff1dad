# SPDX-License-Identifier: Apache-2.0
"""TrainFunction: a whole step of training, of any models and optimizers, as one
program."""

from __future__ import annotations

from collections.abc import Callable, Iterable
import contextlib
import threading
from typing import Any

from switchyard import _core, amp
from switchyard.nn.module import Module
from switchyard.optim import Optimizer
from switchyard.static.arguments import (check_function, check_scaler,
                                         check_specs, members)
from switchyard.static.program import Program
from switchyard.static.captured import Captures
from switchyard.static.retracing import Retraced, named_tensors
from switchyard.static.extents import OpenExtents
from switchyard.static.structure import leaves, rebuilt
from switchyard.static.traced_gradients import Tracing
from switchyard.static.tracing import add_feed, add_module_states
from switchyard.static.updates import TracedOptimizer, TracedScaler, hooked

_tracing = threading.local()


class _Trace:
    """A function that is being traced: its states, and the parts of them that its
    optimizers and its scaler, which may be None, are."""

    def __init__(self, builder, captures, modules, optimizers, scaler):
        self._builder, self._captures = builder, captures
        self._optimizers, self._scaler = optimizers, scaler
        self._own = {id(tensor) for module in modules
                     for tensor in module.parameters()}

    def minimize(self, optimizer, loss, scaler):
        """Adds one step of ``optimizer`` to the program."""
        traced = next((traced for traced in self._optimizers
                       if traced.optimizer is optimizer), None)
        if traced is None:
            raise ValueError("minimize: the optimizer must be one that "
                             "train_function was given")
        tensors = optimizer.parameters
        params = {own: self._value(tensor) for own, tensor in tensors.items()
                  if tensor.requires_grad}
        scaled = scaler is not None and scaler.enabled
        if scaled:
            self._check(scaler)
            loss = self._scaler.scaled(loss)
        gradients = self._builder.gradients(loss, list(params.values()))
        with amp.autocast(enabled=False):
            gradients = {own: hooked(tensors[own], gradient)
                         for own, gradient in zip(params, gradients)
                         if gradient is not None}
            found = None
            if scaled:
                gradients, found = self._scaler.unscaled(optimizer, gradients)
            for own, value in traced.step(params, gradients, found).items():
                self._captures.become("minimize", tensors[own], value)

    def update(self, scaler):
        """Adds the scaler's ``update`` to the program."""
        self._check(scaler)
        with amp.autocast(enabled=False):
            self._scaler.update()

    def _check(self, scaler):
        if self._scaler is None or self._scaler.scaler is not scaler:
            raise ValueError("GradScaler: the scaler must be the one that "
                             "train_function was given")

    def _value(self, tensor):
        if id(tensor) in self._own:
            return self._captures.value_of(tensor)
        raise ValueError("minimize: the optimizer must hold parameters of the "
                         "modules that train_function was given")


def minimize_traced(optimizer, loss, scaler=None):
    """``optimizer.minimize(loss, scaler)`` of a value."""
    trace = getattr(_tracing, "trace", None)
    if trace is None:
        raise RuntimeError("minimize: a value must be one of a function that "
                           "static.train_function traces")
    trace.minimize(optimizer, loss, scaler)


def update_traced(scaler):
    """``scaler.update()`` in a function that is traced; whether it is in one."""
    trace = getattr(_tracing, "trace", None)
    if trace is None:
        return False
    trace.update(scaler)
    return True


class TrainFunction:
    """A callable that runs ``function`` as one program; its results as tensors.

    Arguments and results are tensors or tuples, lists and dicts of them. Traced
    again as a ``TrainStep`` is; ``traces`` counts, and the programs of the last
    ``KEPT`` settings are kept. ``program`` is that of the last call.
    """

    KEPT = 8

    def __init__(self, function: Callable[..., Any], modules: Iterable[Module],
                 optimizers: Iterable[Optimizer], policy=None, inputs=None,
                 scaler: amp.GradScaler | None = None,
                 detect_anomaly: bool = False):
        check_function("train_function", "function", function)
        check_specs("train_function", "inputs", inputs)
        check_scaler("train_function", scaler)
        self.detect_anomaly = detect_anomaly
        self.function, self.policy = function, policy
        self.scaler = scaler
        self.modules = members("train_function", "modules", modules, Module)
        self.optimizers = members("train_function", "optimizers", optimizers,
                                  Optimizer)
        self._inputs = inputs
        self.program = None
        self._programs = Retraced("train_function")
        self._extents = OpenExtents("train_function")
        self._names = {}  # Of states that are no module's.

    def __call__(self, *inputs):
        self.program, results = self.program_for(inputs)
        return rebuilt("out", results, self.program.run(
            dict(leaves("inputs", inputs)), tensors=True))

    def program_for(self, inputs):
        """The program for these inputs, and what its results are rebuilt as."""
        given = inputs if self._inputs is None else None
        arguments = self._extents.get(given)
        return self._programs.find(arguments) or self._extents.traced(
            arguments, (given, None),
            lambda arguments: self._new(arguments, given))

    def _new(self, arguments, given):
        """Traces for arguments, None where InputSpecs say what they are."""
        self.program = None  # Names of what it alone used are free again.
        inputs, _ = arguments.examples((given, None))
        if self._inputs is not None:
            inputs = tuple(self._inputs)
        return self._programs.trace(
            arguments, lambda watch: self._trace(watch, inputs), self.KEPT)

    @property
    def traces(self):
        """How often it was traced."""
        return self._programs.traces

    def _trace(self, watch, inputs):
        builder, state = _core.GraphBuilder("train_function"), _core.State()
        captures = Captures(builder, state, self._names, watch.add_tensor)
        fed = {name: add_feed(builder, name, leaf)
               for name, leaf in leaves("inputs", inputs)}
        for i, module in enumerate(self.modules):
            add_module_states(captures, module, f"{i}.")
        optimizers = [TracedOptimizer(captures, optimizer, f"optimizer{i}")
                      for i, optimizer in enumerate(self.optimizers)]
        watch.add_settings(named_tensors(self.modules, self.optimizers),
                           self.optimizers)
        watch.add_roots(self, ("modules", "optimizers", "scaler", "function",
                               "policy"))
        with watch, Tracing(builder, captures):
            scaled = self.scaler is not None and self.scaler.enabled
            scaler = TracedScaler(captures, self.scaler) if scaled else None
            with _traced(_Trace(builder, captures, self.modules, optimizers,
                                scaler)):
                results = self.function(*rebuilt("inputs", inputs, fed))
            if scaler is not None:
                scaler.finish()
            captures.finish()
            for name, value in leaves("out", results):
                builder.fetch(name, builder.value(value))
        compiled = builder.finish(policy=self.policy)
        captures.check("train_function", compiled.written_states)
        compiled.detect_anomaly = bool(self.detect_anomaly)
        captures.check_arrays("train_function", watch.written_arrays())
        return Program(compiled, state), results


@contextlib.contextmanager
def _traced(trace):
    outer = getattr(_tracing, "trace", None)
    _tracing.trace = trace
    try:
        yield
    finally:
        _tracing.trace = outer


def train_function(function: Callable[..., Any], modules: Iterable[Module],
                   optimizers: Iterable[Optimizer], policy=None, inputs=None,
                   scaler: amp.GradScaler | None = None,
                   detect_anomaly: bool = False) -> TrainFunction:
    """A TrainFunction: ``function`` with several losses and optimizers, as one
    program::

        def step(real, noise):
            fake = generator(noise)
            d_loss = loss(critic(real), 1.0) + loss(critic(fake.detach()), 0.0)
            d_optimizer.minimize(d_loss)
            g_loss = loss(critic(fake), 1.0)
            g_optimizer.minimize(g_loss)
            return d_loss, g_loss

        step = sy.static.train_function(step, [generator, critic],
                                        [g_optimizer, d_optimizer])

    Called itself, ``function`` does the same eagerly, with the same bits: as in
    eager code, the second loss reads what the first step wrote. ``modules``:
    those that it calls; ``optimizers``: those whose ``minimize`` it calls.
    ``policy`` as for ``trace``; ``inputs``: InputSpecs without names, a tuple,
    for extents that vary. ``scaler``: the ``sy.amp.GradScaler`` that the function
    gives its ``minimize`` and whose ``update`` it calls. ``detect_anomaly``: that
    of the programs, which then end at the first NaN.
    """
    made = TrainFunction(function, modules, optimizers, policy, inputs, scaler,
                         detect_anomaly)
    own = {id(t) for module in made.modules for t in module.parameters()}
    for optimizer in made.optimizers:
        foreign = [name for name, tensor in optimizer.parameters.items()
                   if id(tensor) not in own]
        if foreign:
            raise ValueError("train_function: optimizers must hold the modules' "
                             f"parameters, got others: {foreign}")
    return made
