# SPDX-License-Identifier: Apache-2.0
"""DecodeStep: a model that reads one further token of each sequence as a program."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from switchyard import _core
from switchyard.autograd import no_grad
from switchyard.checks import refuse
from switchyard.functions.arguments import tensor_of
from switchyard.nn.key_value_cache import KeyValueCache, cache_of
from switchyard.nn.module import Module
from switchyard.static.captured import Captures
from switchyard.static.program import Program
from switchyard.static.retracing import Retraced, named_tensors
from switchyard.static.traced_gradients import Tracing
from switchyard.static.tracing import InputSpec, add_feed, add_module_states


class DecodeStep:
    """A callable in place of ``model``, for ``sy.generate`` or code of one's own:
    ``model(tokens, cache=cache)`` of one token of each sequence, [n, 1], or of a vector
    for it, [n, 1, size], runs as a program, without gradients, and anything else
    eagerly. The bits are those of ``model``.

    The program is traced once for all lengths and for all room of the cache, whose
    tensors it reads where they are; it is specialized once for each room. As with a
    ``TrainStep``, it is traced again when what the model reads has changed;
    ``traces`` counts. ``program`` is that of the last call, None before.
    """

    KEPT = 8

    def __init__(self, model: Module | Callable[..., Any], policy=None):
        if not callable(model):
            refuse("decode_step", "model", "a function or a Module", model)
        self.model, self.policy = model, policy
        self.program: Program | None = None
        self._ready = getattr(model, "runs_programs", False)
        self._programs = Retraced("decode_step")
        self._names = {}  # Of states that are no module's.

    @property
    def traces(self) -> int:
        """How often the step was traced."""
        return self._programs.traces

    def __call__(self, tokens, cache: KeyValueCache):
        cache_of("decode_step", cache)
        tokens = tensor_of(tokens)
        kept = cache._kept
        if not kept or tuple(tokens.shape[1:2]) != (1,) or cache._new or self._ready:
            return self.model(tokens, cache=cache)
        key = tokens.dtype, tokens.shape[2:], *key_of(cache)
        self.program = self._programs.find(key) or self._new(key, tokens, cache)
        return run_call(self.program, {"tokens": tokens}, cache, kept)

    def _new(self, key, tokens, cache):
        self.program = None  # Names of what it alone used are free again.
        return self._programs.trace(
            key, lambda watch: self._trace(watch, tokens, cache), self.KEPT)

    def _trace(self, watch, example, cache):
        builder, state = _core.GraphBuilder("decode_step"), _core.State()
        captures = Captures(builder, state, self._names, watch.add_tensor)
        modules = [self.model] if isinstance(self.model, Module) else []
        for module in modules:
            add_module_states(captures, module)
        watch.add_settings(named_tensors(modules, []), [])
        watch.add_roots(self, ("model", "policy"))
        tokens = add_feed(builder, "tokens", InputSpec(["n", *example.shape[1:]],
                                                       example.dtype))
        view = fed_cache(builder, cache)
        with watch, Tracing(builder, captures), no_grad():
            logits = self.model(tokens, cache=view)
            captures.finish()
            fetch_call(builder, logits, view, cache._kept)
        compiled = builder.finish(policy=self.policy)
        captures.check("decode_step", compiled.written_states)
        captures.check_arrays("decode_step", watch.written_arrays())
        return Program(compiled, state)


def key_of(cache: KeyValueCache):
    """Yields, for each layer, the parts of the tensors in the cache that a trace depends
    on."""
    return ((layer, *((x.dtype, x.shape[1], x.shape[3]) for x in pair))
            for layer, pair in cache._kept.items())


def fed_cache(builder, cache: KeyValueCache) -> KeyValueCache:
    """A cache to trace a call with, in which feeds are what ``cache`` holds."""
    if not cache._kept:
        return cache._over(None, {})
    ends = add_feed(builder, "ends", InputSpec(["n"], "int64"))
    kept = {}
    for i, (layer, pair) in enumerate(cache._kept.items()):
        kept[layer] = tuple(
            add_feed(builder, f"{name}{i}", InputSpec(
                ["n", x.shape[1], "room", x.shape[3]], x.dtype))
            for name, x in zip(("keys", "values"), pair))
    return cache._over(ends, kept)


def fetch_call(builder, logits, view: KeyValueCache, layers) -> None:
    """Makes the results of a call with ``view`` those of the program that is traced."""
    builder.fetch("logits", builder.value(logits))
    for i, layer in enumerate(layers):
        if layer not in view._new:
            raise RuntimeError("decode_step: each layer that the cache holds must attend "
                               "in each call of the model")
        for name, value in zip(("keys", "values"), view._new[layer]):
            builder.fetch(f"{name}{i}", builder.value(value))


def run_call(program: Program, feeds: dict[str, Any], cache: KeyValueCache, layers):
    """Returns the logits of a call that is a program, of the feeds and what the cache
    holds; ``advance`` may then keep what the layers made."""
    if cache._kept:
        feeds["ends"] = cache._ends
    for i, (keys, values) in enumerate(cache._kept.values()):
        feeds[f"keys{i}"], feeds[f"values{i}"] = keys, values
    results = program.run(feeds, tensors=True)
    for i, layer in enumerate(layers):
        cache._new[layer] = results[f"keys{i}"], results[f"values{i}"]
    return results["logits"]


def decode_step(model: Module | Callable[..., Any], policy=None) -> DecodeStep:
    """A DecodeStep: ``model``, of which the steps of one token are a program::

        step = sy.static.decode_step(model)
        sy.generate(step, tokens, 100)

    ``model``: as ``sy.generate`` takes it. ``policy`` as for ``trace``. What
    ``sy.quantize`` gave runs its own programs.
    """
    return DecodeStep(model, policy)
