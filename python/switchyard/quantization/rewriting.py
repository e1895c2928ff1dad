# SPDX-License-Identifier: Apache-2.0
"""The layers of a program again, with weights that are integers."""

from __future__ import annotations

import numpy as np

from switchyard import _core
from switchyard.quantization.layers import CONVOLUTIONS

_ops = _core.ops

# A scale of 1e-6 or less is raised by its operator, which makes numbers of that size
# smaller.
_LEAST = 2e-6


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
