# SPDX-License-Identifier: Apache-2.0
"""Rewriting: a program that is made of another one by rules for its calls."""

from __future__ import annotations

from switchyard import _core
from switchyard.static.captured import Captures
from switchyard.static.program import Program
from switchyard.static.traced_gradients import Tracing


class Rewriting:
    """A program that is being made of another one.

    ``name``: its own, in errors. ``unread``: the states that nothing reads in it;
    ``relaxed``: as for ``load``; ``held``: gives for a state's tensor the one that it is in the new program, or None
    for a copy. ``kept``: {feed: the tensor of the state that takes its place}.
    ``state`` adds one, ``rules`` are those of ``_core.trace_rewrite``.
    """

    def __init__(self, program, name, unread=(), relaxed=None,
                 held=lambda tensor: None, kept=None):
        self._source, self._relaxed = program._compiled, relaxed
        self._builder, self._state = _core.GraphBuilder(name), _core.State()
        self._captures = Captures(self._builder, self._state)
        self._arguments, self._added = {}, {}
        for name, role, dtype, kind, extents in _core.program_arguments(self._source):
            if role == "feed" and name in (kept or {}):
                value = self._captures.state(name, kept[name])
            elif role == "feed":
                value = self._builder.feed(name, extents, dtype, kind)
            elif name in unread:
                value = None
            else:
                tensor = held(program.state[name])
                if tensor is None:
                    tensor = program.state[name].detach().clone()
                value = self._captures.state(name, tensor)
            self._arguments[name] = value
        self.rules = {}

    def state(self, name, array):
        """The value of a further state, one for each name."""
        if name not in self._added:
            tensor = array if isinstance(array, _core.Tensor) else _core.tensor(array)
            self._added[name] = self._captures.state(name, tensor)
        return self._added[name]

    def finish(self, fetches=None, kept=None):
        """The program. ``fetches``: a dictionary that the rules fill with what it
        returns in place of the first one's results. ``kept``: {result: the state that
        it becomes, instead}."""
        with Tracing(self._builder, self._captures):
            fetched, updated = _core.trace_rewrite(self._source, self._arguments, self.rules)
            self._captures.finish()
        for name, value in (fetched if fetches is None else fetches).items():
            if name in (kept or {}):
                self._builder.update(kept[name], value)
            else:
                self._builder.fetch(name, value)
        if fetches is None:
            for name, value in updated.items():
                self._builder.update(name, value)
        return Program(self._builder.finish(relaxed=self._relaxed,
                                            policy=self._source.policy), self._state)
