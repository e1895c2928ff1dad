# SPDX-License-Identifier: Apache-2.0
"""TrainStep: forward, backward and the optimizer's updates as one program."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from switchyard import _core, amp
from switchyard.nn.module import Module
from switchyard.optim import Optimizer
from switchyard.static.arguments import check_step
from switchyard.static.program import Program
from switchyard.static.captured import Captures
from switchyard.static.retracing import Retraced, named_tensors
from switchyard.static.extents import OpenExtents
from switchyard.static.structure import leaves, rebuilt
from switchyard.static.traced_gradients import Tracing
from switchyard.static.tracing import add_feed, add_module_states
from switchyard.static.updates import TracedOptimizer, TracedScaler, hooked


class TrainStep:
    """A callable of (inputs, labels) that trains by one step.

    Returns the loss, a Tensor without axes; where ``loss`` returns ``(loss,
    metrics)``, both, ``metrics`` a tensor or tuples and dicts of them.
    ``inputs`` may be a tuple, for a model of several, or a dict of its keyword
    arguments; ``labels``, too, may be a tuple or a dict, which ``loss`` gets as
    it is.

    Traced at the first call, and again at one before which something has
    changed that the program depends on: the model's phase (``train`` or
    ``eval``, of any module inside), a parameter's ``requires_grad`` or hooks,
    ``sy.amp.autocast``, a dtype, or an extent that is not the first (another
    length of sequences): that is open from its second number on, so that one
    program serves all others. ``traces`` counts. The programs of the last ``KEPT``
    such settings are kept. A hook is called with a value of
    the graph while tracing, and what it returns is the gradient in every step;
    one that needs numbers raises.
    Parameters, buffers and optimizer state are those of the model and the
    optimizer themselves, so eager code sees every step, and the bits are those
    of eager steps.

    ``policy`` as for ``trace``; the thread's is that of the first call.
    ``inputs`` and ``labels`` of the constructor are InputSpecs: one program for
    all extents that they leave open. ``scaler`` is a ``sy.amp.GradScaler``.
    With ``accumulate`` n, every nth call updates, by the sum of the gradients of
    loss / n since the last.

    ``program`` is what was traced for the last step; besides ``loss`` it fetches ``logits``, what
    the model returned.
    """

    KEPT = 8

    def __init__(self, model: Module, loss: Callable[..., Any],
                 optimizer: Optimizer, policy=None, inputs=None, labels=None,
                 scaler: amp.GradScaler | None = None, accumulate: int = 1,
                 detect_anomaly: bool = False):
        self.accumulate = check_step(model, loss, optimizer, inputs, labels,
                                     scaler, accumulate)
        self.detect_anomaly = detect_anomaly
        self.model, self.loss, self.optimizer = model, loss, optimizer
        self.policy = policy
        self.scaler = scaler
        self._inputs, self._labels = inputs, labels
        self.program = None
        self.last = {}
        self._calls = 0
        self._sums = {}  # Gradients so far, by the optimizer's names.
        self._programs = Retraced("train_step")
        self._extents = OpenExtents("train_step")
        self._names = {}  # Of states that are no module's.

    def __call__(self, inputs, labels):
        inputs = _several(inputs)
        self.program, metrics = self._current_program(inputs, labels)
        self.last = self.program.run({**dict(leaves("inputs", inputs)),
                                      **dict(leaves("labels", labels))},
                                     tensors=True)
        self._calls += 1
        loss = self.last["loss"]
        if metrics is None:
            return loss
        names = [name for name, _ in leaves("metrics", metrics[0])]
        return loss, rebuilt("metrics", metrics[0], {
            name: self.last[name] for name in names})

    def _current_program(self, inputs, labels):
        """The program of the settings that the model has now, and what the loss
        returns beside itself."""
        given = (inputs if self._inputs is None else None,
                 labels if self._labels is None else None)
        turn = self._turn() if self.accumulate > 1 else "update"
        arguments = self._extents.get(*given)
        return self._programs.find((arguments, turn)) or self._extents.traced(
            arguments, given, lambda arguments: self._new(arguments, given, turn))

    def _new(self, arguments, given, turn):
        """Traces for arguments, of which what InputSpecs say is None."""
        self.program = None  # Names of what it alone used are free again.
        inputs, labels = arguments.examples(given)
        if self._inputs is not None:
            inputs = _several(self._inputs)
        if self._labels is not None:
            labels = self._labels
        return self._programs.trace(
            (arguments, turn),
            lambda watch: self._trace(watch, inputs, labels, turn),
            self.KEPT * min(self.accumulate, 3))

    def _turn(self):
        """The use that this call makes of gradients: "update", or "begin" or
        "go on" with their sums."""
        turn = self._calls % self.accumulate
        if turn == self.accumulate - 1:
            return "update"
        return "begin" if turn == 0 else "go on"

    @property
    def traces(self):
        """How often it was traced."""
        return self._programs.traces

    @property
    def logits(self):
        """The model's result in the last step, an array."""
        return self.last["logits"].numpy()

    def _trace(self, watch, inputs, labels, turn):
        check_held(self.model, self.optimizer)
        builder, state = _core.GraphBuilder("train_step"), _core.State()
        captures = Captures(builder, state, self._names, watch.add_tensor)
        fed = {name: add_feed(builder, name, leaf) for name, leaf in
               (*leaves("inputs", inputs), *leaves("labels", labels))}
        add_module_states(captures, self.model)
        optimizer = TracedOptimizer(captures, self.optimizer)
        if self.accumulate > 1:
            for own, tensor in self.optimizer.parameters.items():
                if own not in self._sums:
                    self._sums[own] = _core.ops.zeros_like(tensor.detach())
        watch.add_settings(named_tensors([self.model], [self.optimizer]),
                           [self.optimizer])
        watch.add_roots(self, ("model", "loss", "optimizer", "scaler", "policy"))
        with watch, Tracing(builder, captures):
            logits = _called(self.model, rebuilt("inputs", inputs, fed))
            loss = self.loss(logits, rebuilt("labels", labels, fed))
            loss, metrics = _with_metrics(loss)
            builder.fetch("loss", loss)
            for name, value in leaves("metrics", metrics[0]) if metrics else ():
                builder.fetch(name, builder.value(value))
            if isinstance(logits, _core.Value):
                builder.fetch("logits", logits)
            # After the loss the dtypes are settled, as in eager code.
            with amp.autocast(enabled=False):
                self._append_updates(builder, captures, loss, optimizer, turn)
            captures.finish()
        compiled = builder.finish(policy=self.policy)
        captures.check("train_step", compiled.written_states)
        compiled.detect_anomaly = bool(self.detect_anomaly)
        captures.check_arrays("train_step", watch.written_arrays())
        return Program(compiled, state), metrics

    def _append_updates(self, builder, captures, loss, traced, turn):
        tensors = self.optimizer.parameters
        params = {own: captures.value_of(tensor)
                  for own, tensor in tensors.items() if tensor.requires_grad}
        scaler = None
        if self.scaler is not None and self.scaler.enabled:
            scaler = TracedScaler(captures, self.scaler)
        gradients = self._gradients(builder, loss, params, scaler)
        if self.accumulate > 1:
            gradients = self._summed(captures, gradients, turn)
        if turn != "update":
            return
        found = None
        if scaler is not None:
            gradients, found = scaler.unscaled(self.optimizer, gradients)
            scaler.update()
        for own, value in traced.step(params, gradients, found).items():
            captures.write(tensors[own], value)

    def _gradients(self, builder, loss, params, scaler):
        """{own name: gradient}, after the hooks."""
        if self.accumulate > 1:
            loss = _core.ops.divide(loss, float(self.accumulate))
        if scaler is not None:
            loss = scaler.scaled(loss)
        gradients = builder.gradients(loss, list(params.values()))
        return {own: hooked(self.optimizer.parameters[own], gradient)
                for own, gradient in zip(params, gradients)
                if gradient is not None}

    def _summed(self, captures, gradients, turn):
        """The gradients with those of the calls before; keeps their sums."""
        summed = {}
        for own, gradient in gradients.items():
            gradient = gradient.to_dense()
            before = captures.state(f"gradient.{own}", self._sums[own])
            if turn != "begin":
                gradient = _core.ops.add(before, gradient)
            if turn != "update":
                captures.write(self._sums[own], gradient)
            summed[own] = gradient
        return summed


def check_held(model, optimizer):
    """ValueError unless the optimizer's parameters are the model's."""
    own = {id(tensor) for tensor in model.parameters()}
    foreign = [name for name, tensor in optimizer.parameters.items()
               if id(tensor) not in own]
    if foreign:
        raise ValueError("train_step: optimizer must hold the model's "
                         f"parameters, got others: {foreign}")


def _with_metrics(loss):
    """A loss, and a tuple of what is returned beside it, or None."""
    if not isinstance(loss, tuple):
        return loss, None
    if len(loss) != 2:
        raise TypeError("train_step: loss must return a number, or a number and "
                        f"metrics, got {len(loss)} results")
    return loss[0], (loss[1],)


def _called(model, inputs):
    return model(**inputs) if isinstance(inputs, dict) else (
        model(*inputs) if isinstance(inputs, (tuple, list)) else model(inputs))


def _several(inputs):
    """Inputs; one in a tuple is that one."""
    one = isinstance(inputs, (tuple, list)) and len(inputs) == 1
    return inputs[0] if one else inputs


def train_step(model: Module, loss: Callable[..., Any],
               optimizer: Optimizer, policy=None, inputs=None,
               labels=None, scaler: amp.GradScaler | None = None,
               accumulate: int = 1, detect_anomaly: bool = False) -> TrainStep:
    """A TrainStep: ``step(inputs, labels)`` trains and returns the loss.

    ``loss``: a function of (what the model returns, labels) to one number, or
    to one number and metrics.
    ``optimizer`` must hold parameters of the model. ``policy`` as for
    ``trace``. ``inputs`` (of several, a tuple or a dict), ``labels``: InputSpecs
    without names, where one program shall serve other extents than the first
    that vary from step to step. ``scaler``: a ``sy.amp.GradScaler``, for float16.
    ``accumulate``: the number of calls whose gradients make one update.
    ``detect_anomaly``: that of the programs, which then end at the first NaN.
    """
    step = TrainStep(model, loss, optimizer, policy, inputs, labels, scaler,
                     accumulate, detect_anomaly)
    check_held(model, optimizer)
    return step
