# SPDX-License-Identifier: Apache-2.0
"""The static graph: tracing, training steps, saved programs.

Tracing runs ordinary Python code with ``Value``s in place of tensors; every
function of ``switchyard.ops`` then adds an operation to a graph by the same
generated signature that the eager call has. There is no hook in eager mode.
"""

import os

import numpy as np

from switchyard import _core

Program = _core.Program
State = _core.State
Value = _core.Value

# The state that random operators draw from.
_RNG = "rng"


def _feed_like(builder, name, example):
    """A feed as ``example``, its first axis of any extent."""
    shape = list(example.shape)
    if shape:
        shape[0] = None
    return builder.feed(name, shape, str(example.dtype))


def _bind_parameters(builder, model, state):
    values = {}
    for name, tensor in model.named_parameters():
        state[name] = tensor
        values[name] = builder.state(name, tensor)
    return values


class CompiledProgram:
    """A program with the state that it runs on.

    ``run({name: array}) -> {name: array}``; calls from several threads at once
    are safe as long as the program updates no state.
    """

    def __init__(self, program, state):
        self.program = program
        self.state = state
        if _RNG in program.states and _RNG not in state:
            state[_RNG] = _core.tensor(np.zeros(2, np.int64))

    @property
    def feeds(self):
        return self.program.feeds

    @property
    def fetches(self):
        return self.program.fetches

    def run(self, feeds):
        """Runs once; feeds and results are NumPy arrays (or tensors) by name.

        ValueError for a missing or an unknown feed, a dtype or a shape that
        the program does not take; the state is unchanged then.
        """
        if _RNG not in self.program.states:
            return self.program.run(feeds, self.state)
        # Random operators go on where eager ones are, and the other way round.
        self.state[_RNG].copy_(
            _core.tensor(np.array(_core.rng_state(), np.int64)))
        fetched = self.program.run(feeds, self.state)
        _core.set_rng_state(*self.state[_RNG].numpy().tolist())
        return fetched

    def save(self, path):
        """Writes computation and state to one file, with checksums."""
        self.program.save(os.fspath(path), self.state)

    def export(self, fetches):
        """The part that computes ``fetches`` (names), without training."""
        return CompiledProgram(self.program.export(list(fetches)), self.state)

    def explain(self):
        """One line per operation: the kernel that was chosen."""
        return self.program.explain()

    def __str__(self):
        return self.program.text()


def trace(function, *examples, names=None):
    """Traces ``function(*examples)`` into a CompiledProgram.

    ``function`` is a Module or a function; ``examples`` are arrays or tensors
    whose first axis may later have any extent. Feeds are called ``x0``, ``x1``
    ... unless ``names`` says otherwise; results ``out`` or ``out0``, ``out1``...
    """
    builder, state = _core.GraphBuilder("traced"), State()
    names = names or [f"x{i}" for i in range(len(examples))]
    inputs = [_feed_like(builder, n, e) for n, e in zip(names, examples)]
    if hasattr(function, "bind"):
        with function.bind(_bind_parameters(builder, function, state)):
            outputs = function(*inputs)
    else:
        outputs = function(*inputs)
    if isinstance(outputs, (tuple, list)):
        for i, output in enumerate(outputs):
            builder.fetch(f"out{i}", output)
    else:
        builder.fetch("out", outputs)
    return CompiledProgram(builder.finish(), state)


class TrainStep:
    """A callable of (inputs, labels) that trains by one step.

    Traced at the first call; forward, backward and the optimizer's updates are
    one program. Parameters and optimizer state are those of the model and the
    optimizer themselves, so eager code sees every step.
    """

    def __init__(self, model, loss, optimizer):
        self.model, self.loss, self.optimizer = model, loss, optimizer
        self.compiled = None

    def __call__(self, inputs, labels):
        if self.compiled is None:
            self.compiled = self._trace(inputs, labels)
        return self.compiled.run({"inputs": inputs, "labels": labels})["loss"]

    def _trace(self, inputs, labels):
        builder, state = _core.GraphBuilder("train_step"), State()
        x = _feed_like(builder, "inputs", inputs)
        y = _feed_like(builder, "labels", labels)
        parameters = _bind_parameters(builder, self.model, state)
        with self.model.bind(parameters):
            logits = self.model(x)
            loss = self.loss(logits, y)
        builder.fetch("loss", loss)
        builder.fetch("logits", logits)
        self._append_updates(builder, state, loss, parameters)
        return CompiledProgram(builder.finish(), state)

    def _append_updates(self, builder, state, loss, parameters):
        optimizer_values = {}
        for name, tensor in self.optimizer.named_state():
            key = f"optimizer.{name}"
            state[key] = tensor
            optimizer_values[key] = builder.state(key, tensor)
        gradients = builder.gradients(loss, list(parameters.values()))
        for (name, param), grad in zip(parameters.items(), gradients):
            if grad is None:
                continue
            own = {key: optimizer_values[f"optimizer.{name}.{key}"]
                   for key in self.optimizer.state[name]}
            new_param, new_state = self.optimizer.update(
                param, grad, optimizer_values["optimizer.learning_rate"], own)
            builder.update(name, new_param)
            for key, value in new_state.items():
                builder.update(f"optimizer.{name}.{key}", value)


def train_step(model, loss, optimizer):
    """A TrainStep: ``step(inputs, labels)`` returns the loss (an array).

    ``optimizer`` must have been made from ``model.named_parameters()``.
    """
    names = {name for name, _ in model.named_parameters()}
    if names != set(optimizer.parameters):
        raise ValueError(
            "train_step: optimizer must hold model.named_parameters(), got "
            f"{sorted(optimizer.parameters)} instead of {sorted(names)}")
    return TrainStep(model, loss, optimizer)


def load(path):
    """A saved program, or a folder with a PaddlePaddle program.

    A folder holds ``__model__`` (or ``*.pdmodel``) and its weights.
    """
    path = os.fspath(path)
    if os.path.isdir(path):
        return CompiledProgram(*_core.load_paddle_program(path))
    return CompiledProgram(*_core.load_program(path))


def save(program, path):
    """``program.save(path)``."""
    program.save(path)
