# SPDX-License-Identifier: Apache-2.0
"""Calibration: how large the inputs of a program's layers are on data, and which error
their integers bring."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from switchyard import _core
from switchyard.checks import refuse
from switchyard.quantization.rewriting import Replacement, call
from switchyard.static.rewriting import Rewriting

_ops = _core.ops


def batches_of(data):
    """The batches as a list, each a tuple of inputs or a dictionary; None for None."""
    if data is None:
        return None
    if isinstance(data, (np.ndarray, _core.Tensor, str, bytes, Mapping)) or (
            not isinstance(data, Iterable)):
        refuse("quantize", "data", "a list of batches, or what else gives them", data)
    batches = [batch if isinstance(batch, Mapping)
               else tuple(batch) if isinstance(batch, (tuple, list)) else (batch,)
               for batch in data]
    if not batches:
        raise ValueError("quantize: data must have a batch or more, got none")
    return batches


def _run(program, batches):
    """The results of all batches, by name."""
    for i, batch in enumerate(batches):
        try:
            yield program.run(program._named([batch] if isinstance(batch, Mapping)
                                             else batch))
        except (TypeError, ValueError) as error:
            raise type(error)(f"quantize: data: batch {i}: {error}") from None


def ranges_of(program, layers, batches):
    """{source: the largest magnitude of a layer's input in all batches}."""
    rewriting, fetches, names = Rewriting(program, "quantized"), {}, {}
    for layer in layers:
        if layer.operator == "embedding":
            continue

        def rule(inputs, layer=layer):
            if str(layer.source) not in fetches:
                data = layer.of(inputs, layer.data)
                fetches[str(layer.source)] = _ops.max(_ops.abs(data), [], False)
            return inputs
        rewriting.rules[layer.index] = rule
        names.setdefault(str(layer.source), layer.name)
    if not names:
        return {}
    largest = dict.fromkeys(names, 0.0)
    for found in _run(rewriting.finish(fetches), batches):
        for source, value in found.items():
            if not np.isfinite(value):
                raise ValueError("quantize: data must give finite numbers, got an input "
                                 f"of layer {names[source]} with {float(value)}")
            largest[source] = max(largest[source], float(value))
    return {int(source): value for source, value in largest.items()}


def errors_of(program, layers, packed, activations, ranges, batches):
    """[the relative error of each layer's result]: of the inputs that the layer has in
    ``program``, the root of the squares' sum of what differs by that of the results."""
    rewriting, fetches = Rewriting(program, "quantized"), {}
    replacement = Replacement(rewriting, packed, activations, ranges)
    for i, layer in enumerate(layers):
        def rule(inputs, i=i, layer=layer):
            right = call(layer, inputs)
            wrong = replacement.result(layer, inputs)
            fetches[f"error{i}"] = _squares(_ops.subtract(wrong, right))
            fetches[f"size{i}"] = _squares(right)
            return right
        rewriting.rules[layer.index] = rule
    sums = np.zeros((len(layers), 2))
    for found in _run(rewriting.finish(fetches), batches):
        sums += [[found[f"error{i}"], found[f"size{i}"]] for i in range(len(layers))]
    return [relative(*pair) for pair in sums]


def relative(error, size):
    """The root of error / size; 0 where nothing differs."""
    return float(np.sqrt(error / size)) if error else 0.0


def _squares(x):
    return _ops.sum(_ops.square(x), [], "float64")
