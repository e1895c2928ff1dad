# SPDX-License-Identifier: Apache-2.0
"""quantize: a model whose weights, and inputs of layers, are integers."""

from __future__ import annotations

import collections
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from switchyard.checks import refuse, whole
from switchyard.quantization import calibration
from switchyard.quantization.cached import CachedCalls
from switchyard.quantization.layers import Found
from switchyard.quantization.rewriting import Replacement
from switchyard.quantization.weights import pack, unpack
from switchyard.static.exporting import traced_in_test_phase, unfused
from switchyard.static.program import Program
from switchyard.static.rewriting import Rewriting

_BITS = {"int8": 8, "int4": 4}
_ACTIVATIONS = ("none", "dynamic", "static")


class LayerError(collections.namedtuple(
        "LayerError", ("name", "operator", "shape", "weight_error", "output_error"))):
    """A layer's errors. ``weight_error`` is that of its weight, ``output_error`` that
    of its results on the data, None without data: the root of the squares' sum of
    what differs, divided by that of what is right."""

    __slots__ = ()

    name: str
    operator: str
    shape: tuple[int, ...]
    weight_error: float
    output_error: float | None


class Quantized:
    """A quantized program and its report; a call is one of the program.

    ``program`` is a ``Program`` as any other. ``report`` has a ``LayerError`` for each
    layer in the order of the program, ``left`` says of the others why they are as
    they were: {name: reason}. ``str`` is the report as a table.

    One that was made of a Module or a function that takes ``cache=``, a
    ``nn.KeyValueCache``, takes it as well, for ``sy.generate`` or code of one's own:
    ``quantized(tokens, cache=cache)`` runs as a program, of which there is one for a
    cache that is empty, one for further tokens of each sequence, and one for a single
    one. They are traced when they are first called, and share the weights.
    """

    runs_programs = True  # No decode_step needs to make one.

    def __init__(self, program: Program, report: list[LayerError], left: dict[str, str],
                 cached: CachedCalls | None = None):
        self.program, self.report, self.left = program, report, left
        self._cached = cached

    def __call__(self, *inputs, cache=None):
        if cache is None:
            return self.program(*inputs)
        if self._cached is None:
            raise TypeError("quantize: cache is for what was made of a Module or a function, "
                            "got a Program's")
        if len(inputs) != 1:
            raise TypeError("quantize: a call with a cache must have one input, tokens, got "
                            f"{len(inputs)}")
        return self._cached(*inputs, cache)

    def __str__(self):
        width = max(len(layer.name) for layer in self.report)
        lines = [f"{'layer':{width}}  {'operator':16}  {'weight error':>12}  output error"]
        for layer in self.report:
            output = ("not measured" if layer.output_error is None
                      else f"{layer.output_error:12.2e}")
            lines.append(f"{layer.name:{width}}  {layer.operator:16}  "
                         f"{layer.weight_error:12.2e}  {output}")
        lines += [f"{name}: left, {why}" for name, why in self.left.items()]
        return "\n".join(lines)


def quantize(model_or_program, weights: str = "int8", activations: str = "none",
             data: Iterable | None = None, leave_out: Sequence[str] = (),
             group: int | None = None, inputs: Sequence[Any] | None = None,
             names: Sequence[str] | None = None) -> Quantized:
    """A program whose layers have integers for weights: linear layers, products with a
    constant matrix, 2-d convolutions and embeddings.

    ``model_or_program``: a Program, which stays as it is, or a Module or a function,
    which is traced with ``inputs`` (examples or ``InputSpec``s, called ``names``, as
    ``trace`` has them), or else with the first batch of ``data``; a Module in its test
    phase. The result copies the tensors of the state that are left.

    ``weights``: "int8", with a scale for each row that makes an output (a channel), or
    "int4", with one for each ``group`` of numbers in it: an even number, 32 unless
    given, or 0 for a row. int8 has groups too where ``group`` is given. Both are
    symmetric: the largest magnitude is 127 steps, or 7.

    ``activations``: "none" leaves the inputs of layers as they are. "dynamic" rounds
    each to 8 bits, of which 127 steps are the largest magnitude that is in it;
    "static" takes the largest one that ``data`` has had there instead, and cuts off
    what is beyond. An embedding has none to round.

    ``data``: batches, each an array, a tuple of them in the order of the program's
    inputs, or a dictionary by name; all are read. Needed for "static"; with it the
    report has the error that each layer's result has from the layer itself.

    ``leave_out``: names of layers that stay: that of the weight, or without a
    ".weight" at its end.

    ValueError for another word, for a name that is no layer, for a program without
    layers, and for weights or data that aren't finite. TypeError for layers of another
    dtype than float32 alone. NotImplementedError for a program that draws random
    numbers or has sequences (LoD).
    """
    if weights not in _BITS:
        refuse("quantize", "weights", '"int8" or "int4"', weights, ValueError)
    if activations not in _ACTIVATIONS:
        refuse("quantize", "activations", '"none", "dynamic" or "static"',
               activations, ValueError)
    bits = _BITS[weights]
    group = _group_of(group, bits)
    if isinstance(leave_out, str):
        refuse("quantize", "leave_out", "a list of names", leave_out)
    batches = calibration.batches_of(data)
    if activations == "static" and batches is None:
        raise ValueError('quantize: data must be given where activations are "static"')
    program = _program_of(model_or_program, inputs, names, batches)
    relaxed = (model_or_program if isinstance(model_or_program, Program) else program).relaxed
    found = Found(program._compiled)
    layers, left = _chosen(found, list(leave_out))
    packed, errors = _packed(program, layers, bits, group)
    ranges = {}
    if activations == "static":
        ranges = calibration.ranges_of(program, layers, batches)
    outputs = [None] * len(layers)
    if batches is not None:
        outputs = calibration.errors_of(program, layers, packed, activations, ranges,
                                        batches)
    calls, states = found.unread(layers)
    rewriting = Rewriting(program, "quantized", states, relaxed)
    replacement = Replacement(rewriting, packed, activations, ranges)
    rewriting.rules.update(dict.fromkeys(calls))
    for layer in layers:
        rewriting.rules[layer.index] = replacement.rule(layer)
    report = [LayerError(layer.name, layer.operator, layer.shape, *pair)
              for layer, *pair in zip(layers, errors, outputs)]
    quantized, cached = rewriting.finish(), None
    if not isinstance(model_or_program, Program):
        cached = CachedCalls(model_or_program, program, quantized, layers, packed,
                             activations, ranges)
    return Quantized(quantized, report, left, cached)


def _group_of(group, bits):
    if group is None:
        return 32 if bits == 4 else 0
    whole("quantize", "group", group)
    if group < 0 or (bits == 4 and group % 2):
        refuse("quantize", "group", "0 or more, and even for int4", group, ValueError)
    return group


def _program_of(model, inputs, names, batches):
    """The program, or that of a Module or a function."""
    if isinstance(model, Program):
        if inputs is not None or names is not None:
            raise TypeError("quantize: inputs and names are for a Module or a function; "
                            "a Program has its own")
        program = unfused(model)
    elif callable(model):
        if inputs is None and batches is not None:
            first = batches[0]
            if isinstance(first, Mapping):
                names, inputs = list(first), list(first.values())
            else:
                inputs = first
        if inputs is None:
            raise TypeError("quantize: inputs or data must be given for a Module or a "
                            "function, to trace it with")
        program = traced_in_test_phase(model, inputs, names)
    else:
        refuse("quantize", "model_or_program", "a Program, a Module or a function", model)
    if program._draws:
        raise NotImplementedError("quantize: a program that draws random numbers can't be "
                                  "quantized: trace a model in its test phase")
    if any(port.lod_levels for port in program.inputs):
        raise NotImplementedError("quantize: a program of sequences (LoD) can't be quantized")
    return program


def _chosen(found, leave_out):
    """(layers, {name: why it is left})."""
    known = {name for layer in found.layers for name in (layer.name, layer.state)}
    for name in leave_out:
        if name not in known:
            names = sorted({layer.name for layer in found.layers})
            raise ValueError(f"quantize: leave_out must be layers of the program "
                             f"({', '.join(names[:8])}{', ...' if len(names) > 8 else ''}), "
                             f"got {name!r}")
    left = dict(found.others)
    layers = []
    for layer in found.layers:
        if layer.name in leave_out or layer.state in leave_out:
            left[layer.name] = "as leave_out says"
        else:
            layers.append(layer)
    if layers:
        return layers, left
    others = {why for why in found.others.values() if why.startswith("its weight is of float")}
    if others and not leave_out:
        raise TypeError("quantize: weights must be float32, but of each layer "
                        f"{others.pop()}")
    raise ValueError("quantize: the program must have a layer with a weight that is a "
                     "state, got none" + "".join(f"; {name}: {why}"
                                                 for name, why in list(left.items())[:4]))


def _packed(program, layers, bits, group):
    """({(state, turned): Packed}, [each layer's error of its weight])."""
    packed, errors = {}, []
    for layer in layers:
        weight = program.state[layer.state].detach().numpy()
        layer.shape = tuple(weight.shape)
        rows = layer.rows(weight)
        if not np.isfinite(rows).all():
            raise ValueError(f"quantize: weights must be finite, got others in {layer.name}")
        key = layer.state, layer.turned
        if key not in packed:
            packed[key] = pack(rows, bits, group)
        wrong = unpack(packed[key], rows.shape[1]) - rows
        errors.append(calibration.relative(np.sum(np.square(wrong, dtype=np.float64)),
                                           np.sum(np.square(rows, dtype=np.float64))))
    return packed, errors
