# SPDX-License-Identifier: Apache-2.0
"""TrainStep: forward, backward and the optimizer's updates as one program."""

from __future__ import annotations

import collections
from collections.abc import Callable
from typing import Any

from switchyard import _core
from switchyard.nn.module import Module
from switchyard.optim import Optimizer
from switchyard.static.program import Program
from switchyard.static.tracing import add_feed, add_module_states


class TrainStep:
    """A callable of (inputs, labels) that trains by one step.

    Returns the loss, a Tensor without axes. ``inputs`` may be a tuple, for a
    model of several. Traced at the first call, and again at one before which
    the model's phase (``train`` or ``eval``, of any module inside), a parameter's
    ``requires_grad`` or its hooks have changed: ``traces`` counts. The programs
    of the last ``KEPT`` such settings are kept. A hook is called with a value of
    the graph while tracing, and what it returns is the gradient in every step;
    one that needs numbers raises.
    Parameters, buffers and optimizer state are those of the model and the
    optimizer themselves, so eager code sees every step, and the bits are those
    of eager steps.

    ``policy`` as for ``trace``; the thread's is that of the first call.
    ``inputs`` and ``labels`` of the constructor are InputSpecs, for data of
    which more than the first extent varies; without them the first call's data
    tell the other extents.

    ``program`` is what was traced for the last step; besides ``loss`` it fetches ``logits``, what
    the model returned.
    """

    KEPT = 8

    def __init__(self, model: Module, loss: Callable[..., Any],
                 optimizer: Optimizer, policy=None, inputs=None, labels=None):
        self.model, self.loss, self.optimizer = model, loss, optimizer
        self.policy = policy
        self._inputs, self._labels = inputs, labels
        self.program = None
        self.traces = 0
        self.last = {}
        self._programs = collections.OrderedDict()
        self._modules = list(model.modules())
        self._parameters = model.parameters()

    def __call__(self, inputs, labels):
        inputs = _several(inputs)
        self.program = self._current_program(inputs, labels)
        feeds = {_feed_name(i, len(inputs)): x for i, x in enumerate(inputs)}
        self.last = self.program.run({**feeds, "labels": labels})
        return _core.tensor(self.last["loss"])

    def _current_program(self, inputs, labels):
        """The program of the settings that the model has now."""
        settings = (tuple([(module.training, *module._forward_hooks.values())
                           for module in self._modules]),
                    tuple([(tensor.requires_grad, tensor._hooks())
                           for tensor in self._parameters]))
        program = self._programs.get(settings)
        if program is not None:
            self._programs.move_to_end(settings)
            return program
        program = self._trace(
            inputs if self._inputs is None else _several(self._inputs),
            labels if self._labels is None else self._labels)
        self.traces += 1
        self._programs[settings] = program
        if len(self._programs) > self.KEPT:
            self._programs.popitem(last=False)
        return program

    @property
    def logits(self):
        """The model's result in the last step, an array."""
        return self.last["logits"]

    def _trace(self, inputs, labels):
        builder, state = _core.GraphBuilder("train_step"), _core.State()
        values = [add_feed(builder, _feed_name(i, len(inputs)), x)
                  for i, x in enumerate(inputs)]
        y = add_feed(builder, "labels", labels)
        states = add_module_states(builder, self.model, state)
        with self.model.bind(states) as written, _core.TracingBlock(builder):
            logits = self.model(*values)
            loss = self.loss(logits, y)
            for name, value in written().items():
                builder.update(name, value)
        builder.fetch("loss", loss)
        if isinstance(logits, _core.Value):
            builder.fetch("logits", logits)
        self._append_updates(builder, state, loss, states)
        return Program(builder.finish(policy=self.policy), state)

    def _append_updates(self, builder, state, loss, states):
        optimizer, of_optimizer = self.optimizer, {}
        for name, tensor in optimizer.named_state():
            key = f"optimizer.{name}"
            state[key] = tensor
            of_optimizer[name] = builder.state(key, tensor)
        names = {id(tensor): name
                 for name, tensor in self.model.named_parameters()}
        # Own name of the optimizer, the model's name.
        trained = [(own, names[id(tensor)])
                   for own, tensor in optimizer.parameters.items()
                   if tensor.requires_grad]
        gradients = builder.gradients(loss, [states[name]
                                             for _, name in trained])
        trained = [pair for pair, grad in zip(trained, gradients)
                   if grad is not None]
        gradients = [grad for grad in gradients if grad is not None]
        gradients = [_hooked(optimizer.parameters[own], grad)
                     for (own, _), grad in zip(trained, gradients)]
        if optimizer.clip is not None and gradients:
            gradients = optimizer.clip(gradients)
        for (own, name), grad in zip(trained, gradients):
            param_state = {key: of_optimizer[f"{own}.{key}"]
                           for key in optimizer.state[own]}
            param, new = optimizer.update_one(own, states[name], grad,
                                              of_optimizer["learning_rate"],
                                              param_state)
            builder.update(name, param)
            for key, value in new.items():
                builder.update(f"optimizer.{own}.{key}", value)


def _hooked(parameter, gradient):
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


def _several(inputs):
    return inputs if isinstance(inputs, (tuple, list)) else (inputs,)


def _feed_name(i, count):
    return "inputs" if count == 1 else f"inputs{i}"


def train_step(model: Module, loss: Callable[..., Any],
               optimizer: Optimizer, policy=None, inputs=None,
               labels=None) -> TrainStep:
    """A TrainStep: ``step(inputs, labels)`` trains and returns the loss.

    ``loss``: a function of (what the model returns, labels) to one number.
    ``optimizer`` must hold parameters of the model. ``policy`` as for
    ``trace``. ``inputs`` (of several, a tuple), ``labels``: InputSpecs without
    names, where more extents than the first vary from step to step.
    """
    own = {id(tensor) for tensor in model.parameters()}
    foreign = [name for name, tensor in optimizer.parameters.items()
               if id(tensor) not in own]
    if foreign:
        raise ValueError("train_step: optimizer must hold the model's "
                         f"parameters, got others: {foreign}")
    for spec in (*_several(inputs), labels):
        if getattr(spec, "name", None) is not None:
            raise ValueError("train_step: inputs and labels must be InputSpecs "
                             f"without names, got {spec!r}")
    return TrainStep(model, loss, optimizer, policy, inputs, labels)
