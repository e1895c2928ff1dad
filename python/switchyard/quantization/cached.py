# SPDX-License-Identifier: Apache-2.0
"""CachedCalls: a quantized model that reads tokens with a cache of keys and values."""

from __future__ import annotations

from switchyard import _core
from switchyard.autograd import no_grad
from switchyard.functions.arguments import tensor_of
from switchyard.nn.key_value_cache import KeyValueCache, cache_of
from switchyard.nn.module import Module
from switchyard.quantization.layers import Found
from switchyard.quantization.rewriting import Replacement
from switchyard.static.captured import Captures, place_of
from switchyard.static.decoding import fed_cache, fetch_call, key_of, run_call
from switchyard.static.exporting import test_phase
from switchyard.static.program import Program
from switchyard.static.rewriting import Rewriting
from switchyard.static.traced_gradients import Tracing
from switchyard.static.tracing import InputSpec, add_feed, add_module_states

_KEPT = 8


class CachedCalls:
    """``model(tokens, cache=cache)`` with the integers that a quantized program of the
    model has. Layers are found by their weights' places in memory.

    ``program`` is the model's, ``quantized`` the one that was made of it. ``layers``,
    ``packed``, ``activations`` and ``ranges`` as the latter was made with.
    """

    def __init__(self, model, program, quantized, layers, packed, activations, ranges):
        self._model, self._activations = model, activations
        self._state = program.state  # Held, so that the places stay taken.
        self._held = {place_of(program.state[name]): quantized.state[name]
                      for name in program.state.keys() if name in quantized.state}
        self._packed, self._ranges = {}, {}
        for layer in layers:
            place = place_of(program.state[layer.state]), layer.turned
            found = packed[layer.state, layer.turned]
            numbers, scale = layer.packed_names(found.bits)
            self._packed[place] = found._replace(numbers=quantized.state[numbers],
                                                 scale=quantized.state[scale])
            self._ranges.setdefault(place, []).append(ranges.get(layer.source))
        self._programs = {}  # {key: (program, the layers that attend)}

    def __call__(self, tokens, cache: KeyValueCache):
        cache_of("quantize", cache)
        tokens = tensor_of(tokens)
        if len(tokens.shape) < 2:
            raise ValueError("quantize: tokens must have the axes of sequences and of their "
                             f"tokens, got {len(tokens.shape)}")
        number, count = tokens.shape[:2]
        one = count == 1 and bool(cache._kept)
        key = one, tokens.dtype, tokens.shape[2:], *key_of(cache)
        if key not in self._programs:
            while len(self._programs) >= _KEPT:
                del self._programs[next(iter(self._programs))]
            self._programs[key] = self._traced(tokens, cache, one)
        program, layers = self._programs[key]
        feeds = {"tokens": tokens}
        if not one:
            feeds["lasts"] = _core.tensor([
                max(0, own - 1) for own in cache._counts or [count] * number], "int64")
        return run_call(program, feeds, cache, layers)

    def _traced(self, tokens, cache, one):
        builder, state = _core.GraphBuilder("cached"), _core.State()
        captures = Captures(builder, state)
        if isinstance(self._model, Module):
            add_module_states(captures, self._model)
        fed = add_feed(builder, "tokens", InputSpec(
            ["n", 1 if one else "t", *tokens.shape[2:]], tokens.dtype))
        view = fed_cache(builder, cache)
        if not one:
            view._lasts = add_feed(builder, "lasts", InputSpec(["n"], "int64"))
        with Tracing(builder, captures), no_grad(), test_phase(self._model):
            logits = self._model(fed, cache=view)
            captures.finish()
            layers = list(cache._kept or view._new)
            fetch_call(builder, logits, view, layers)
        compiled = builder.finish()
        captures.check("quantize", compiled.written_states)
        return self._quantized(Program(compiled, state)), layers

    def _quantized(self, program):
        """The program with the layers that were quantized."""
        found, layers, packed, ranges, seen = Found(program._compiled), [], {}, {}, {}
        for layer in found.layers:
            place = place_of(program.state[layer.state]), layer.turned
            if place not in self._packed:
                continue
            layer.shape = tuple(program.state[layer.state].shape)
            layers.append(layer)
            packed[layer.state, layer.turned] = self._packed[place]
            if self._activations == "static":
                ranges[layer.source] = self._range(layer, place, seen)
        calls, states = found.unread(layers)
        rewriting = Rewriting(program, "quantized", states,
                              held=lambda tensor: self._held.get(place_of(tensor)))
        replacement = Replacement(rewriting, packed, self._activations, ranges)
        rewriting.rules.update(dict.fromkeys(calls))
        rewriting.rules.update((layer.index, replacement.rule(layer)) for layer in layers)
        return rewriting.finish()

    def _range(self, layer, place, seen):
        """That of the layer which has the weight for the same time, in order."""
        number = seen[place] = seen.get(place, -1) + 1
        if number >= len(self._ranges[place]):
            raise ValueError(f"quantize: {layer.name} must be called as often as without a "
                             f"cache, {len(self._ranges[place])} times")
        return self._ranges[place][number]
