# SPDX-License-Identifier: Apache-2.0
"""ProgramModule: a program as a module, whose weights are trained."""

from __future__ import annotations

from switchyard import _core
from switchyard.nn.module import Module
from switchyard.static.program import RNG

_FLOATS = ("float16", "bfloat16", "float32", "float64")


class ProgramModule(Module):
    """Computes what a program does, with gradients, eager and in traces:
    ``program.module()``.

    The parameters are the program's floating states by their names, of which
    ``parameters`` may name some; other states are buffers. Each is a copy. The
    states that the program writes itself stay as they are.
    """

    def __init__(self, program, parameters=None):
        super().__init__()
        names = [name for name in program._compiled.states]
        if RNG in names:
            raise NotImplementedError("module: a program that draws random "
                                      "numbers can't be one")
        floats = [name for name in names
                  if str(program.state[name].dtype) in _FLOATS]
        chosen = floats if parameters is None else list(parameters)
        for name in chosen:
            if name not in floats:
                raise ValueError("module: parameters must be floating states "
                                 f"of the program, got {name!r}")
        self._program, self._held = program, []
        for name in names:
            tensor = program.state[name].detach().clone()
            owner, last = self._owner(name)
            if name in chosen:
                owner.register_parameter(last, tensor)
            else:
                owner.register_buffer(last, tensor)
            self._held.append((name, owner, last))

    def _owner(self, name):
        """The module of a state's name, made of modules for its parts, and the
        last part."""
        owner, (*parts, last) = self, name.split(".")
        for part in parts:
            if part not in owner._modules:
                owner.add_module(part, Module())
            owner = owner._modules[part]
        return owner, last

    def forward(self, *inputs):
        """Inputs and results as of a call of the program."""
        program = self._program
        feeds = program._named(inputs)
        states = {name: getattr(owner, last)
                  for name, owner, last in self._held}
        if _core.is_tracing():
            fetched = _core.trace_replay(program._compiled,
                                         {**states, **feeds})
        else:
            feeds = {name: each if isinstance(each, _core.Tensor)
                     else _core.tensor(each) for name, each in feeds.items()}
            fetched = program._compiled.record(feeds, states)
        values = tuple(fetched[name] for name in program.fetches)
        return values[0] if len(values) == 1 else values
