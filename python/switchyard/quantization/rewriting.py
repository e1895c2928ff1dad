# SPDX-License-Identifier: Apache-2.0
"""A program again, with layers whose weights are integers."""

from __future__ import annotations

import numpy as np

from switchyard import _core
from switchyard.quantization.layers import CONVOLUTIONS
from switchyard.static.captured import Captures
from switchyard.static.program import Program
from switchyard.static.traced_gradients import Tracing

_ops = _core.ops

# A scale of 1e-6 or less is raised by its operator, which makes numbers of that size
# smaller.
_LEAST = 2e-6


class Rewriting:
    """A program that is being made of another one.

    ``unread``: the states that nothing reads in it; ``relaxed``: as for ``load``;
    ``held``: gives for a state's tensor the one that it is in the new program, or None
    for a copy. ``kept``: {feed: the tensor of the state that takes its place}.
    ``name``: the program's, in errors.
    ``state`` adds one, ``rules`` are those of ``_core.trace_rewrite``.
    """

    def __init__(self, program, unread=(), relaxed=None, held=lambda tensor: None,
                 kept=None, name="quantized"):
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


class Replacement:
    """The values that stand for the layers' results in a program.

    ``packed``: {(state, turned): Packed}. ``activations`` as for ``quantize``;
    ``ranges``: {source: largest magnitude} for static ones.
    """

    def __init__(self, rewriting, packed, activations, ranges):
        self._rewriting, self._packed = rewriting, packed
        self._activations, self._ranges = activations, ranges
        self._data = {}  # Quantised data by source: layers share it.
        self._scales = []  # The names of those of static activations.

    def rule(self, layer):
        """The rule of ``_core.trace_rewrite`` that replaces the layer."""
        return lambda inputs: self.result(layer, inputs)

    def result(self, layer, inputs):
        """The value of the layer's result; ``inputs`` are those of its call."""
        data, weight = layer.of(inputs, layer.data), self._weight(layer)
        if layer.operator == "embedding":
            return self._rows(layer, data, weight)
        data = self._quantized(layer, data)
        if layer.operator in CONVOLUTIONS:
            numbers, scale, packed = weight
            shape = [int(n) for n in layer.shape[1:]]
            filters = _ops.dequantize_weight(numbers, scale, packed.bits, packed.group, shape)
            return call(layer, layer.replaced(inputs, input=data, filter=filters))
        return self._product(layer, inputs, data, weight)

    def _weight(self, layer):
        packed = self._packed[layer.state, layer.turned]
        numbers, scale = layer.packed_names(packed.bits)
        return (self._rewriting.state(numbers, packed.numbers),
                self._rewriting.state(scale, packed.scale), packed)

    def _product(self, layer, inputs, data, weight):
        numbers, scale, packed = weight
        bias = layer.of(inputs, "bias") if layer.operator == "linear" else None
        axes = len(data.shape)
        if layer.operator == "mul" and layer.attrs["x_num_col_dims"] != axes - 1:
            kept = layer.attrs["x_num_col_dims"]
            data = _ops.flatten(data, kept, axes - 1)
        return _ops.linear_quantized(data, numbers, scale, bias, packed.bits, packed.group)

    def _rows(self, layer, data, weight):
        """Rows of an embedding, of which only those that are read become numbers."""
        numbers, scale, packed = weight
        padding = layer.attrs["padding_idx"]
        length = [int(layer.shape[1])]
        rows = (_ops.embedding(data, numbers, padding) if packed.bits == 8 else
                _ops.gather_nd(numbers, _ops.unsqueeze(data, [-1])))  # Of uint8.
        return _ops.dequantize_weight(rows, _ops.embedding(data, scale, padding),
                                      packed.bits, packed.group, length)

    def _quantized(self, layer, data):
        if self._activations == "none":
            return data
        if layer.source not in self._data:
            self._data[layer.source] = self._of_8_bits(layer, data)
        return self._data[layer.source]

    def _of_8_bits(self, layer, data):
        if self._activations == "dynamic":
            largest = _ops.max(_ops.abs(data), [], False)
            scale = _ops.maximum(largest, np.array(_LEAST, np.float32))
        else:
            largest = max(self._ranges[layer.source], _LEAST)
            name = f"{layer.name}.input_scale"
            if name in self._scales:  # Its weight is that of another layer, too.
                name = f"{name}{self._scales.count(name)}"
            self._scales.append(f"{layer.name}.input_scale")
            scale = self._rewriting.state(name, np.array(largest, np.float32))
        return _ops.quantize_dequantize(data, scale, 8, 0)


def call(layer, inputs):
    """The result of the layer's operator of other inputs."""
    return getattr(_ops, layer.operator)(*inputs, **layer.attrs)
